/* Points inside, on and outside meshes: grids of points about solids of cubes, whose rays meet vertices, edges and faces;
 * every vertex, and points near the surface, of bumpy bodies and real models against the solid angle of all triangles. */
#include <apart/mesh.h>
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact/predicates.h"
#include "mesh_bodies.h"
#include "random.h"
#include "run_suite.h"

static int side_of(const apart_mesh *mesh, apart_vec3 p)
{
    int side = 7;
    ck_assert_int_eq(apart_mesh_contains(mesh, p, &side), APART_OK);
    return side;
}

/* ---- solids of unit cubes ---- */

enum { GRID = 5, MAX_QUADS = 6 * GRID * GRID * GRID };

typedef struct cubes {
    bool filled[GRID][GRID][GRID];
    apart_vec3 vertices[(GRID + 1) * (GRID + 1) * (GRID + 1)];
    uint32_t triangles[2 * MAX_QUADS][3], count;
} cubes;

static uint32_t grid_vertex(const int at[3]) { return (uint32_t)((at[2] * (GRID + 1) + at[1]) * (GRID + 1) + at[0]); }

static bool is_filled(const cubes *c, int x, int y, int z)
{
    return x >= 0 && y >= 0 && z >= 0 && x < GRID && y < GRID && z < GRID && c->filled[z][y][x];
}

/* The face of a cube across an axis, at its low or high side, as two triangles that run counter-clockwise from there. */
static void add_face(cubes *c, const int cube[3], int axis, bool high, random_source *r)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const int du[4] = {0, 1, 1, 0}, dv[4] = {0, 0, 1, 1};
    uint32_t corner[4];
    for (int i = 0; i < 4; i++) {
        int at[3] = {cube[0], cube[1], cube[2]};
        at[axis] += high;
        at[u] += high ? du[i] : dv[i];
        at[v] += high ? dv[i] : du[i];
        corner[i] = grid_vertex(at);
    }
    const uint32_t first = random_below(r, 4);
    for (uint32_t half = 0; half < 2; half++) {
        for (uint32_t k = 0; k < 3; k++) {
            c->triangles[c->count][k] = corner[(first + 2 * half + k) % 4];
        }
        c->count++;
    }
}

/* The boundary of the filled cubes: faces between a filled one and an empty one. Cubes that meet in an edge only make
 * crowded edges. */
static void make_boundary(cubes *c, random_source *r)
{
    c->count = 0;
    for (int i = 0; i < GRID * GRID * GRID; i++) {
        const int cube[3] = {i % GRID, i / GRID % GRID, i / (GRID * GRID)};
        for (int face = 0; face < 6 && is_filled(c, cube[0], cube[1], cube[2]); face++) {
            int next[3] = {cube[0], cube[1], cube[2]};
            next[face / 2] += face % 2 == 1 ? 1 : -1;
            if (!is_filled(c, next[0], next[1], next[2])) {
                add_face(c, cube, face / 2, face % 2 == 1, r);
            }
        }
    }
    for (int i = 0; i < (GRID + 1) * (GRID + 1) * (GRID + 1); i++) {
        c->vertices[i] =
            (apart_vec3){i % (GRID + 1), i / (GRID + 1) % (GRID + 1), (double)(i / (GRID + 1) / (GRID + 1))};
    }
}

/* At half steps: the cubes that touch the point are all filled, all empty, or it is on the boundary, or inside a face
 * or edge that is surrounded. */
static int side_among_cubes(const cubes *c, const int half[3])
{
    bool any = false, all = true;
    for (int i = 0; i < 8; i++) {
        int cube[3];
        for (int k = 0; k < 3; k++) {
            const int low = half[k] >= 0 ? half[k] / 2 : -1; /* the cube that begins at or before the point */
            cube[k] = half[k] % 2 == 0 && (i >> k & 1) != 0 ? low - 1 : low;
        }
        const bool filled = is_filled(c, cube[0], cube[1], cube[2]);
        any = any || filled;
        all = all && filled;
    }
    return all ? 1 : any ? 0 : -1;
}

static apart_mesh *build_list(const apart_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3],
                              uint32_t count)
{
    const apart_vertices list = {.data = vertices, .count = vertex_count};
    apart_mesh *mesh = NULL;
    ck_assert_int_eq(apart_mesh_build(&list, triangles[0], count, NULL, &mesh), APART_OK);
    return mesh;
}

START_TEST(solids_of_cubes)
{
    random_source r = random_seed("solids_of_cubes");
    static const int exponents[] = {0, -40, 40, -1000, 990};
    uint32_t crowded = 0;
    for (int round = 0; round < 20; round++) {
        static cubes c;
        for (int i = 0; i < GRID * GRID * GRID; i++) {
            c.filled[i / GRID / GRID][i / GRID % GRID][i % GRID] = random_below(&r, 10) < 2 + (unsigned)round % 7;
        }
        c.filled[2][2][2] = true;
        make_boundary(&c, &r);
        const double size = ldexp(1.0, exponents[round % 5]), offset = round % 5 < 3 ? 1024.0 * (round % 3) : 0.0;
        for (int i = 0; i < (GRID + 1) * (GRID + 1) * (GRID + 1); i++) {
            c.vertices[i] =
                apart_vec3_add(apart_vec3_scale(size, c.vertices[i]), (apart_vec3){size * offset, 0.0, -size * offset});
        }
        apart_mesh *mesh =
            build_list(c.vertices, (GRID + 1) * (GRID + 1) * (GRID + 1), (const uint32_t(*)[3])c.triangles, c.count);
        ck_assert_int_eq(apart_mesh_inspect(mesh)->watertight, 1);
        crowded += apart_mesh_inspect(mesh)->crowded_edges;
        for (int i = 0; i < 13 * 13 * 13; i++) {
            const int half[3] = {i % 13 - 1, i / 13 % 13 - 1, i / 169 - 1};
            const apart_vec3 p = {size * (0.5 * half[0] + offset), size * (0.5 * half[1]),
                                  size * (0.5 * half[2] - offset)};
            ck_assert_int_eq(side_of(mesh, p), side_among_cubes(&c, half));
            /* A hair's breadth beside it along x, where only exact arithmetic tells; it is in the middle of the next
             * half step. */
            for (int way = -1; way <= 1; way += 2) {
                const apart_vec3 beside = {nextafter(p.x, way * HUGE_VAL), p.y, p.z};
                const int next[3] = {half[0] % 2 == 0 ? half[0] + way : half[0], half[1], half[2]};
                ck_assert_int_eq(side_of(mesh, beside), side_among_cubes(&c, next));
            }
        }
        apart_mesh_free(mesh);
    }
    ck_assert_uint_gt(crowded, 20);
}
END_TEST

/* ---- what inside means ---- */

static const uint32_t box_faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                          {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

typedef struct boxes {
    apart_vec3 vertices[64];
    uint32_t triangles[96][3], vertex_count, count;
} boxes;

static void add_box(boxes *b, double x, double half, bool inward)
{
    for (uint32_t i = 0; i < 12; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            b->triangles[b->count][k] = b->vertex_count + box_faces[i][inward ? 2 - k : k];
        }
        b->count++;
    }
    for (uint32_t i = 0; i < 8; i++) {
        b->vertices[b->vertex_count++] =
            (apart_vec3){x + (i & 1 ? half : -half), i & 2 ? half : -half, i & 4 ? half : -half};
    }
}

START_TEST(meaning_of_inside)
{
    static const struct {
        double x[3], half[3];
        bool inward[3];
        int count, turned;
        double at[4];
        int side[4];
    } rows[] = {
        {{0}, {1}, {false}, 1, 0, {0, 1, 2, -1.5}, {1, 0, -1, -1}},
        {{0}, {1}, {true}, 1, 0, {0, 1, 2, -1.5}, {1, 0, -1, -1}},                  /* inside out */
        {{0, 1}, {1, 1}, {false, false}, 2, 0, {0.5, -0.5, 1.5, 3}, {1, 1, 1, -1}}, /* overlapping: their union */
        {{0, 1}, {1, 1}, {false, false}, 2, 0, {0, 1, 2, -1}, {0, 0, 0, 0}},        /* inner walls are surface */
        {{0, 0}, {3, 1}, {false, true}, 2, 0, {0, 2, 1, 4}, {-1, 1, 0, -1}},        /* a cavity */
        {{0, 0}, {3, 1}, {false, false}, 2, 0, {0, 2, 1, 4}, {1, 1, 0, -1}},        /* a box in a box */
        {{0, 0, 0}, {3, 2, 1}, {false, true, false}, 3, 0, {0, 1.5, 2.5, 9}, {1, -1, 1, -1}},
        {{0, 0}, {3, 1}, {false, false}, 2, 1, {0, 2, 1, 4}, {-1, 1, 0, -1}},    /* a turned triangle: parity */
        {{0, 0}, {1, 1}, {false, false}, 2, 0, {0, 1, 2, -1.5}, {1, 0, -1, -1}}, /* twice the same: wound about twice */
        {{0, 0}, {1, 1}, {false, true}, 2, 0, {0, 1, 2, -1.5}, {-1, 0, -1, -1}}, /* and taken back */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static boxes b;
        b.vertex_count = b.count = 0;
        for (int k = 0; k < rows[i].count; k++) {
            add_box(&b, rows[i].x[k], rows[i].half[k], rows[i].inward[k]);
        }
        if (rows[i].turned) {
            const uint32_t corner = b.triangles[0][1];
            b.triangles[0][1] = b.triangles[0][2];
            b.triangles[0][2] = corner;
        }
        apart_mesh *mesh = build_list(b.vertices, b.vertex_count, (const uint32_t(*)[3])b.triangles, b.count);
        for (int k = 0; k < 4; k++) {
            ck_assert_msg(side_of(mesh, (apart_vec3){rows[i].at[k], 0.0, 0.0}) == rows[i].side[k], "row %zu %d", i, k);
        }
        apart_mesh_free(mesh);
    }
}
END_TEST

/* ---- bodies and models ---- */

/* How often the mesh winds about the point, by the solid angles of all triangles (van Oosterom and Strackee 1983). */
static double winding_by_angles(const triangle_list *list, apart_vec3 p)
{
    long double sum = 0;
    for (uint32_t i = 0; i < list->triangle_count; i++) {
        long double v[3][3], length[3];
        for (int k = 0; k < 3; k++) {
            const apart_vec3 q = list->vertices[list->triangles[i][k]];
            v[k][0] = (long double)q.x - p.x;
            v[k][1] = (long double)q.y - p.y;
            v[k][2] = (long double)q.z - p.z;
            length[k] = sqrtl(v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]);
        }
        const long double det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                                v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                                v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        long double below = length[0] * length[1] * length[2];
        for (int k = 0; k < 3; k++) {
            const long double *a = v[k], *b = v[(k + 1) % 3];
            below += (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * length[(k + 2) % 3];
        }
        sum += 2 * atan2l(det, below);
    }
    return (double)(sum / (4 * acosl(-1.0L)));
}

/* On a triangle, in the plane of the doubles; or beside it. */
static apart_vec3 point_near(const triangle_list *list, random_source *r, double distance)
{
    const uint32_t *t = list->triangles[random_below(r, list->triangle_count)];
    const apart_vec3 a = list->vertices[t[0]], b = list->vertices[t[1]], c = list->vertices[t[2]];
    const apart_vec3 p = apart_vec3_lerp(apart_vec3_lerp(a, b, random_unit(r)), c, random_unit(r));
    return apart_vec3_add(p, random_vector(r, distance));
}

static bool lies_on(const triangle_list *list, apart_vec3 p)
{
    for (uint32_t i = 0; i < list->triangle_count; i++) {
        const uint32_t *t = list->triangles[i];
        const apart_vec3 corners[3] = {list->vertices[t[0]], list->vertices[t[1]], list->vertices[t[2]]};
        if (ap_point_in_triangle(p, corners)) {
            return true;
        }
    }
    return false;
}

static void check_points(const triangle_list *list, random_source *r, int count)
{
    apart_mesh *mesh = NULL;
    ck_assert_int_eq(triangle_list_build(list, 1, &mesh), APART_OK);
    ck_assert_int_eq(apart_mesh_inspect(mesh)->watertight, 1);
    ck_assert_int_eq((int)apart_mesh_inspect(mesh)->turned_edges, 0);
    for (uint32_t v = 0; v < list->vertex_count; v += 1 + list->vertex_count / 500) {
        ck_assert_int_eq(side_of(mesh, list->vertices[v]), 0);
    }
    for (int i = 0; i < count; i++) {
        const apart_vec3 p = i % 2 == 0 ? random_vector(r, 1.1) : point_near(list, r, 0.01);
        const double winding = winding_by_angles(list, p);
        ck_assert_double_lt(fabs(winding - nearbyint(winding)), 1e-3);
        ck_assert_int_eq(side_of(mesh, p), nearbyint(winding) != 0.0 ? 1 : -1);
    }
    for (int i = 0; i < count / 4; i++) { /* within rounding of the surface: on it, or near */
        const apart_vec3 p = point_near(list, r, 0.0);
        ck_assert_int_eq(side_of(mesh, p) == 0, lies_on(list, p));
    }
    apart_mesh_free(mesh);
}

START_TEST(bumpy_bodies)
{
    random_source r = random_seed("bumpy_bodies");
    for (int round = 0; round < 8; round++) {
        triangle_list list = round % 2 == 0 ? bumpy_sphere(&r, 12, 17) : bumpy_ring(&r, 20, 11);
        triangle_list_place(&list, ldexp(1.0, round - 4), (apart_vec3){0.0, 0.0, 0.0});
        triangle_list_place(&list, ldexp(1.0, 4 - round), (apart_vec3){0.0, 0.0, 0.0});
        check_points(&list, &r, 200);
        triangle_list_free(&list);
    }
}
END_TEST

START_TEST(models)
{
    static const char *const names[] = {"spot.obj",       "cow.obj",     "homer.obj",
                                        "rocker-arm.obj", "fandisk.obj", "suzanne.obj"};
    random_source r = random_seed("models");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        triangle_list list;
        if (shared_model(names[i], &list)) {
            apart_mesh *mesh = NULL;
            ck_assert_int_eq(triangle_list_build(&list, 1, &mesh), APART_OK);
            const bool closed = apart_mesh_inspect(mesh)->watertight;
            apart_mesh_free(mesh);
            if (closed) {
                check_points(&list, &r, 60);
            }
            triangle_list_free(&list);
        }
    }
}
END_TEST

START_TEST(refusals)
{
    static boxes b;
    add_box(&b, 0.0, 1.0, false);
    apart_mesh *mesh = build_list(b.vertices, 8, (const uint32_t(*)[3])b.triangles, 11), *closed;
    const apart_vec3 origin = {0.0, 0.0, 0.0};
    int side = 7;
    ck_assert_int_eq(apart_mesh_contains(mesh, origin, &side), APART_ERR_NOT_WATERTIGHT);
    ck_assert_int_eq(side, 7);
    apart_mesh_free(mesh);
    closed = build_list(b.vertices, 8, (const uint32_t(*)[3])b.triangles, 12);
    ck_assert_int_eq(apart_mesh_contains(NULL, origin, &side), APART_ERR_NULL);
    ck_assert_int_eq(apart_mesh_contains(closed, origin, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_mesh_contains(closed, (apart_vec3){0.0, NAN, 0.0}, &side), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_mesh_contains(closed, (apart_vec3){INFINITY, 0.0, 0.0}, &side), APART_ERR_NONFINITE);
    ck_assert_int_eq(side_of(closed, (apart_vec3){1.7e308, -1.7e308, 1.7e308}), -1);
    apart_mesh_free(closed);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mesh_contains");
    TCase *tcase = tcase_create("mesh_contains");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, solids_of_cubes);
    tcase_add_test(tcase, meaning_of_inside);
    tcase_add_test(tcase, bumpy_bodies);
    tcase_add_test(tcase, models);
    tcase_add_test(tcase, refusals);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
