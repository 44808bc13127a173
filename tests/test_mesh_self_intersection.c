/* Meshes that meet themselves: small ones by hand, all pairs of random triangles in rational arithmetic, bodies that are
 * pushed into themselves. */
#include <apart/mesh.h>
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "exact/predicates.h"
#include "mesh_bodies.h"
#include "random.h"
#include "run_suite.h"

static int intersects(const apart_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3], uint32_t count,
                      uint32_t pair[2])
{
    const apart_vertices list = {.data = vertices, .count = vertex_count};
    apart_mesh *mesh = NULL;
    int found = 7;
    ck_assert_int_eq(apart_mesh_build(&list, triangles[0], count, NULL, &mesh), APART_OK);
    ck_assert_int_eq(apart_mesh_self_intersection(mesh, &found, pair), APART_OK);
    apart_mesh_free(mesh);
    return found;
}

START_TEST(two_triangles)
{
    static const struct {
        double xyz[7][3];
        uint32_t triangles[2][3];
        int expected;
    } rows[] = {
        /* no common vertex: apart, crossing, touching with a corner, in one plane, one in the other */
        {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}, {{0, 1, 2}, {3, 4, 5}}, 0},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {9, 9, 1}}, {{0, 1, 2}, {3, 4, 5}}, 1},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 1}, {2, 1, 1}}, {{0, 1, 2}, {3, 4, 5}}, 1},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, -1, 0}, {1, 9, 0}, {9, 9, 0}}, {{0, 1, 2}, {3, 4, 5}}, 1},
        {{{0, 0, 0}, {9, 0, 0}, {0, 9, 0}, {1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, {{0, 1, 2}, {3, 4, 5}}, 1},
        /* a common vertex: nothing else, edge through, beside in one plane, over in one plane, along an edge */
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 1}, {1, 1, 4}}, {{0, 1, 2}, {0, 3, 4}}, 0},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}}, {{0, 1, 2}, {0, 3, 4}}, 1},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {-4, 0, 0}, {0, -4, 0}}, {{0, 1, 2}, {0, 3, 4}}, 0},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {9, 1, 0}}, {{0, 1, 2}, {0, 3, 4}}, 1},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {2, 0, 0}, {1, 0, 3}}, {{0, 1, 2}, {0, 3, 4}}, 1},
        /* a common edge: bent, flat, folded over, all but folded over */
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 1, 3}}, {{0, 1, 2}, {1, 0, 3}}, 0},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, -1, 0}}, {{0, 1, 2}, {1, 0, 3}}, 0},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {3, 1, 0}}, {{0, 1, 2}, {1, 0, 3}}, 1},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {3, 1, 0x1p-1074}}, {{0, 1, 2}, {1, 0, 3}}, 0},
        /* the same triangle; a triangle without area */
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 1, 2}, {0, 2, 1}}, 1},
        {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 0}, {1, 1, 1}}, {{0, 1, 2}, {3, 4, 5}}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int turn = 0; turn < 6; turn++) { /* every order of the corners */
            uint32_t triangles[2][3], pair[2] = {7, 7};
            for (int k = 0; k < 3; k++) {
                triangles[0][k] = rows[i].triangles[turn / 3][turn < 3 ? k : (k + turn) % 3];
                triangles[1][k] = rows[i].triangles[1 - turn / 3][(k + turn) % 3];
            }
            const int found = intersects((const apart_vec3 *)rows[i].xyz, 7, (const uint32_t(*)[3])triangles, 2, pair);
            ck_assert_msg(found == rows[i].expected, "row %zu", i);
            ck_assert(pair[0] == (found ? 0 : 7) && pair[1] == (found ? 1 : 7));
        }
    }
}
END_TEST

static bool shrunk_meet(const apart_vec3 a[3], const apart_vec3 b[3])
{
    const exact_points first = {&a[0].x, 3, 3, NULL}, second = {&b[0].x, 3, 3, NULL};
    exact_answer answer;
    exact_distance(&first, &second, &answer);
    return answer.relation != EXACT_DISJOINT;
}

/* Soups on a grid whose triangles share no vertices, so that rational arithmetic may compare all pairs. */
START_TEST(all_pairs)
{
    enum { MOST = 40 };
    random_source r = random_seed("all_pairs");
    int met = 0;
    for (int round = 0; round < 300; round++) {
        apart_vec3 vertices[3 * MOST];
        uint32_t triangles[MOST][3], count = 2 + random_below(&r, MOST - 2), pair[2] = {0, 0};
        const double reach = round % 3 == 0 ? 1.5 : 0.8;
        for (uint32_t i = 0; i < count; i++) {
            const apart_vec3 at = random_vector(&r, 4.0);
            for (uint32_t k = 0; k < 3; k++) {
                const apart_vec3 p = apart_vec3_add(at, random_vector(&r, reach));
                vertices[3 * i + k] = (apart_vec3){nearbyint(64 * p.x), nearbyint(64 * p.y), nearbyint(64 * p.z)};
                triangles[i][k] = 3 * i + k;
            }
        }
        bool expected = false;
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < i; j++) {
                expected = expected || shrunk_meet(&vertices[3 * i], &vertices[3 * j]);
            }
        }
        const int found = intersects(vertices, 3 * count, (const uint32_t(*)[3])triangles, count, pair);
        ck_assert_int_eq(found, expected);
        ck_assert(!found || (pair[0] < pair[1] && shrunk_meet(&vertices[3 * pair[0]], &vertices[3 * pair[1]])));
        met += found;
    }
    ck_assert_int_gt(met, 50);
    ck_assert_int_lt(met, 250);
}
END_TEST

/* A closed body does not meet itself; with one vertex moved through the opposite side it does, and the pair has that
 * vertex. */
START_TEST(bodies)
{
    random_source r = random_seed("bodies");
    for (int round = 0; round < 12; round++) {
        triangle_list list = round % 2 == 0 ? bumpy_sphere(&r, 20, 31) : bumpy_ring(&r, 30, 14);
        const uint32_t(*triangles)[3] = (const uint32_t(*)[3])list.triangles;
        uint32_t pair[2] = {7, 7};
        ck_assert_int_eq(intersects(list.vertices, list.vertex_count, triangles, list.triangle_count, pair), 0);
        const uint32_t moved = random_below(&r, list.vertex_count);
        list.vertices[moved] = apart_vec3_scale(-1.7, list.vertices[moved]);
        ck_assert_int_eq(intersects(list.vertices, list.vertex_count, triangles, list.triangle_count, pair), 1);
        bool has = false;
        for (int i = 0; i < 6; i++) {
            has = has || list.triangles[pair[i / 3]][i % 3] == moved;
        }
        ck_assert(has);
        triangle_list_free(&list);
    }
}
END_TEST

static void box_of(const triangle_list *list, uint32_t t, apart_vec3 *low, apart_vec3 *high)
{
    *low = *high = list->vertices[list->triangles[t][0]];
    for (int k = 1; k < 3; k++) {
        const apart_vec3 p = list->vertices[list->triangles[t][k]];
        *low = (apart_vec3){fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z)};
        *high = (apart_vec3){fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z)};
    }
}

static bool share_a_vertex(const uint32_t a[3], const uint32_t b[3])
{
    for (int i = 0; i < 9; i++) {
        if (a[i / 3] == b[i % 3]) {
            return true;
        }
    }
    return false;
}

/* All pairs without common vertices whose boxes meet, by the predicate alone. */
static bool any_pair_meets(const triangle_list *list)
{
    for (uint32_t i = 0; i < list->triangle_count; i++) {
        apart_vec3 low, high, a[3], b[3];
        box_of(list, i, &low, &high);
        for (uint32_t j = 0; j < i; j++) {
            apart_vec3 l, h;
            box_of(list, j, &l, &h);
            if (l.x > high.x || l.y > high.y || l.z > high.z || low.x > h.x || low.y > h.y || low.z > h.z ||
                share_a_vertex(list->triangles[i], list->triangles[j])) {
                continue;
            }
            for (int k = 0; k < 3; k++) {
                a[k] = list->vertices[list->triangles[i][k]];
                b[k] = list->vertices[list->triangles[j][k]];
            }
            if (ap_triangles_meet(a, b)) {
                return true;
            }
        }
    }
    return false;
}

START_TEST(models)
{
    static const char *const names[] = {"suzanne.obj", "iiwa14-link4.stl", "spot.obj", "cow.obj", "teapot.obj"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        triangle_list list;
        if (shared_model(names[i], &list)) {
            const uint32_t(*triangles)[3] = (const uint32_t(*)[3])list.triangles;
            uint32_t pair[2];
            const int found = intersects(list.vertices, list.vertex_count, triangles, list.triangle_count, pair);
            const bool shared = found && share_a_vertex(triangles[pair[0]], triangles[pair[1]]);
            ck_assert(found ? shared || any_pair_meets(&list) : !any_pair_meets(&list));
            triangle_list_free(&list);
        }
    }
}
END_TEST

START_TEST(refusals)
{
    int found = 7;
    ck_assert_int_eq(apart_mesh_self_intersection(NULL, &found, NULL), APART_ERR_NULL);
    ck_assert_int_eq(found, 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mesh_self_intersection");
    TCase *tcase = tcase_create("mesh_self_intersection");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, two_triangles);
    tcase_add_test(tcase, all_pairs);
    tcase_add_test(tcase, bodies);
    tcase_add_test(tcase, models);
    tcase_add_test(tcase, refusals);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
