/* Meshes among other bodies: their boxes, all pairs of triangles below a distance against the brute force, and worlds
 * against queries of every pair. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <apart/world.h>

#include "mesh_bodies.h"
#include "poses.h"
#include "run_suite.h"
#include "scenes.h"
#include "triangle_reference.h"

static uint64_t seed;

static apart_mesh *mesh_of(triangle_list *list)
{
    apart_mesh *m;
    ck_assert_int_eq(triangle_list_build(list, 0, &m), APART_OK);
    return m;
}

START_TEST(boxes_hold_every_vertex_and_nothing_else)
{
    random_source r = seed;
    for (int i = 0; i < 60; i++) {
        triangle_list l = i % 3 ? bumpy_sphere(&r, 12, 20) : loose_triangles(&r, 1u + (uint32_t)i, 0.3);
        const double size = i % 4 == 1 ? 1e-6 : i % 4 == 2 ? 1e6 : 1.0;
        triangle_list_place(&l, size, vec(i % 5 ? 0 : 10 * size, 0, 0));
        apart_mesh *m = mesh_of(&l);
        const apart_pose pose = scene_pose(&r, size);
        apart_aabb box, exact = {vec(INFINITY, INFINITY, INFINITY), vec(-INFINITY, -INFINITY, -INFINITY)};
        apart_vec3 center;
        double radius;
        ck_assert_int_eq(apart_solid_aabb(apart_solid_surface(m), &pose, &box), APART_OK);
        ck_assert_int_eq(apart_solid_ball(apart_solid_surface(m), &center, &radius), APART_OK);
        for (uint32_t k = 0; k < l.triangle_count * 3; k++) {
            const apart_vec3 own = l.vertices[l.triangles[k / 3][k % 3]], p = apart_pose_apply(&pose, own);
            exact.min = vec(fmin(exact.min.x, p.x), fmin(exact.min.y, p.y), fmin(exact.min.z, p.z));
            exact.max = vec(fmax(exact.max.x, p.x), fmax(exact.max.y, p.y), fmax(exact.max.z, p.z));
            ck_assert_double_le(apart_vec3_norm(apart_vec3_sub(own, center)), radius * (1 + 1e-15));
        }
        const double wide = 1e-12 * size;
        ck_assert(box.min.x <= exact.min.x && box.min.y <= exact.min.y && box.min.z <= exact.min.z);
        ck_assert(box.max.x >= exact.max.x && box.max.y >= exact.max.y && box.max.z >= exact.max.z);
        ck_assert_double_le(largest(apart_vec3_sub(exact.min, box.min)), wide);
        ck_assert_double_le(largest(apart_vec3_sub(box.max, exact.max)), wide);
        apart_mesh_free(m);
        triangle_list_free(&l);
    }
    apart_aabb box;
    const apart_pose origin = at(0, 0, 0);
    ck_assert_int_eq(apart_solid_aabb((apart_solid){.surface = 1}, &origin, &box), APART_ERR_NULL);
}
END_TEST

static int by_parts(const void *x, const void *y)
{
    const apart_part_pair *a = x, *b = y;
    return a->part_a != b->part_a ? (a->part_a < b->part_a ? -1 : 1)
                                  : (a->part_b > b->part_b) - (a->part_b < b->part_b);
}

/* Pairs of two bodies below a distance, against the distances of all pairs. */
static void check_below(const triangle_list *la, const apart_mesh *a, const apart_pose *pa, const triangle_list *lb,
                        const apart_mesh *b, const apart_pose *pb, double limit)
{
    const size_t most = (size_t)la->triangle_count * lb->triangle_count;
    apart_part_pair *pairs = malloc(most * sizeof *pairs);
    apart_part_list list = {.pairs = pairs, .capacity = most, .depth = APART_DEPTH_NONE};
    ck_assert_ptr_nonnull(pairs);
    ck_assert_int_eq(apart_compound_below(apart_solid_surface(a), pa, apart_solid_surface(b), pb, limit, &list),
                     APART_OK);
    ck_assert_uint_eq(list.count, list.total);
    apart_part_list counted = {.depth = APART_DEPTH_NONE};
    ck_assert_int_eq(apart_compound_below(apart_solid_surface(a), pa, apart_solid_surface(b), pb, limit, &counted),
                     APART_OK);
    ck_assert(counted.count == 0 && counted.total == list.total);
    qsort(pairs, list.count, sizeof *pairs, by_parts);
    size_t at = 0;
    for (uint32_t i = 0; i < la->triangle_count; i++) {
        for (uint32_t j = 0; j < lb->triangle_count; j++) {
            const reference_mesh one = {la->vertices, la->vertex_count, (const uint32_t(*)[3]) & la->triangles[i], 1,
                                        pa},
                                 two = {lb->vertices, lb->vertex_count, (const uint32_t(*)[3]) & lb->triangles[j], 1,
                                        pb};
            reference_answer answer;
            reference_distance(&one, &two, &answer);
            const double distance = (double)answer.distance;
            const bool listed = at < list.count && pairs[at].part_a == i && pairs[at].part_b == j;
            ck_assert_msg(listed || distance >= limit, "triangles %u and %u, %g apart, are missing", i, j, distance);
            if (listed) {
                const apart_part_pair *p = &pairs[at++];
                ck_assert(p->lower < limit);
                ck_assert_double_le(p->lower, distance + 1e-15);
                ck_assert_double_ge(p->upper, distance - 1e-15);
                ck_assert_double_le(distance, limit + 1e-14);
            }
        }
    }
    ck_assert_uint_eq(at, list.count); /* none twice, none unknown */
    free(pairs);
}

/* Every third triangle is there twice more, with its corners in other orders. */
static void repeat_triangles(triangle_list *l)
{
    const uint32_t count = l->triangle_count, more = (count + 2) / 3;
    l->triangles = realloc(l->triangles, (count + 2 * more) * sizeof *l->triangles);
    ck_assert_ptr_nonnull(l->triangles);
    for (uint32_t i = 0; i < 2 * more; i++) {
        const uint32_t *t = l->triangles[i / 2 * 3];
        const uint32_t turned[2][3] = {{t[1], t[2], t[0]}, {t[2], t[1], t[0]}};
        memcpy(l->triangles[count + i], turned[i % 2], sizeof turned[0]);
    }
    l->triangle_count += 2 * more;
}

START_TEST(all_pairs_below_equal_brute_force)
{
    random_source r = seed + 1;
    for (int i = 0; i < 24; i++) {
        triangle_list la = bumpy_sphere(&r, 6, 9), lb = i % 2 ? bumpy_ring(&r, 8, 6) : loose_triangles(&r, 70, 0.5);
        if (i % 4 == 3) {
            repeat_triangles(&la);
            repeat_triangles(&lb);
        }
        apart_mesh *a = mesh_of(&la), *b = mesh_of(&lb);
        const apart_pose pa = scene_pose(&r, i % 3 ? 1.0 : 30.0), pb = scene_pose(&r, 1.0);
        static const double limits[] = {0.0, 1e-9, 0.05, 0.7, 100.0};
        check_below(&la, a, &pa, &lb, b, &pb, limits[i % 5]);
        apart_mesh_free(a);
        apart_mesh_free(b);
        triangle_list_free(&la);
        triangle_list_free(&lb);
    }
}
END_TEST

START_TEST(all_pairs_below_of_other_solids)
{
    random_source r = seed + 2;
    solid_pool pool;
    solid_pool_make(&pool, &r);
    triangle_list l = bumpy_sphere(&r, 6, 9);
    apart_mesh *m = mesh_of(&l);
    for (int i = 0; i < 60; i++) {
        const apart_solid a = i % 3 == 0 ? apart_solid_surface(m) : solid_pool_draw(&pool, &r, true),
                          b = solid_pool_draw(&pool, &r, true);
        const apart_pose pa = scene_pose(&r, 1.5), pb = scene_pose(&r, 1.5);
        apart_part_pair pairs[4];
        apart_part_list list = {.pairs = pairs, .capacity = 4, .depth = APART_DEPTH_NONE};
        apart_compound_result nearest;
        const double limit = 0.5;
        ck_assert_int_eq(apart_compound_below(a, &pa, b, &pb, limit, &list), APART_OK);
        ck_assert(list.count == (list.total < 4 ? list.total : 4));
        ck_assert_int_eq(apart_compound_distance(a, &pa, b, &pb, NULL, NULL, &nearest), APART_OK);
        ck_assert(nearest.result.upper >= limit || list.total > 0);
        ck_assert(nearest.result.lower < limit || list.total == 0);
        if (a.mesh == NULL) { /* pairs of the compounds' parts */
            size_t near = 0, unsure = 0;
            for (size_t x = 0; x < solid_parts(a); x++) {
                for (size_t y = 0; y < solid_parts(b); y++) {
                    apart_pose px, py;
                    apart_result q;
                    const apart_shape *sx = solid_part(a, x, &pa, &px), *sy = solid_part(b, y, &pb, &py);
                    ck_assert_int_eq(apart_distance(sx, &px, sy, &py, NULL, NULL, &q), APART_OK);
                    near += q.upper < limit - 1e-12;
                    unsure += q.lower < limit + 1e-12;
                }
            }
            ck_assert(near <= list.total && list.total <= unsure);
        }
    }
    const apart_pose origin = at(0, 0, 0);
    apart_part_list list = {.capacity = 1};
    ck_assert_int_eq(apart_compound_below(apart_solid_surface(m), &origin, apart_solid_surface(m), &origin, 1, &list),
                     APART_ERR_NULL);
    list.capacity = 0;
    ck_assert_int_eq(apart_compound_below(apart_solid_surface(m), &origin, apart_solid_surface(m), &origin, -1, &list),
                     APART_ERR_OPTION);
    list.depth = 7;
    ck_assert_int_eq(apart_compound_below(apart_solid_surface(m), &origin, apart_solid_surface(m), &origin, 1, &list),
                     APART_ERR_OPTION);
    apart_mesh_free(m);
    triangle_list_free(&l);
    solid_pool_free(&pool);
}
END_TEST

/* ---- worlds ---- */

enum { BODIES = 24 };

typedef struct small_world {
    apart_world *world;
    apart_body_id id[BODIES];
    apart_solid solid[BODIES];
    apart_pose pose[BODIES];
} small_world;

static void check_world(small_world *w, double limit, random_source *r)
{
    apart_world_pair pairs[BODIES * BODIES];
    apart_world_list list = {.pairs = pairs, .capacity = BODIES * BODIES};
    size_t at = 0;
    bool found[BODIES][BODIES] = {{false}};
    ck_assert_int_eq(apart_world_below(w->world, limit, &list), APART_OK);
    for (; at < list.count; at++) {
        found[pairs[at].a.slot][pairs[at].b.slot] = true;
    }
    for (int i = 0; i < BODIES; i++) {
        for (int j = i + 1; j < BODIES; j++) {
            apart_compound_result q;
            ck_assert_int_eq(apart_compound_distance(w->solid[i], &w->pose[i], w->solid[j], &w->pose[j], NULL, NULL,
                                                     &q),
                             APART_OK);
            ck_assert_msg(found[i][j] || q.result.upper >= limit, "bodies %d and %d", i, j);
            ck_assert_msg(!found[i][j] || q.result.lower < limit, "bodies %d and %d", i, j);
        }
    }
    const apart_ray ray = {vec(-9, random_unit(r), random_unit(r)), vec(1, 0, 0), 30};
    apart_world_ray_hit hit;
    double nearest = INFINITY;
    ck_assert_int_eq(apart_world_raycast(w->world, &ray, 0, &hit), APART_OK);
    for (int i = 0; i < BODIES; i++) {
        apart_ray_hit own;
        ck_assert_int_eq(apart_compound_raycast(&ray, w->solid[i], &w->pose[i], &own, NULL), APART_OK);
        nearest = own.hit ? fmin(nearest, own.distance) : nearest;
    }
    ck_assert_int_eq(hit.hit.hit, nearest < INFINITY);
    ck_assert(!hit.hit.hit || hit.hit.distance == nearest);
}

START_TEST(worlds_take_meshes)
{
    random_source r = seed + 3;
    triangle_list closed = bumpy_sphere(&r, 8, 12), ring = bumpy_ring(&r, 9, 5), loose = loose_triangles(&r, 50, 0.4);
    apart_mesh *ball = mesh_of(&closed), *torus = mesh_of(&ring), *cloud = mesh_of(&loose);
    const apart_shape dot = apart_sphere(0.05), ground = apart_half_space(vec(0, 0, 1), -3.0);
    small_world w;
    ck_assert_int_eq(apart_world_create(NULL, &w.world), APART_OK);
    for (int i = 0; i < BODIES; i++) {
        w.solid[i] = i == 0       ? apart_solid_shape(&ground)
                     : i % 4 == 0 ? apart_solid_mesh(ball)
                     : i % 4 == 1 ? apart_solid_surface(torus)
                     : i % 4 == 2 ? apart_solid_surface(cloud)
                                  : apart_solid_shape(&dot);
        w.pose[i] = i == 0 ? at(0, 0, 0) : scene_pose(&r, 4.0);
        const apart_body_def def = {.solid = w.solid[i], .pose = w.pose[i]};
        apart_body_def got;
        ck_assert_int_eq(apart_world_add(w.world, &def, &w.id[i]), APART_OK);
        ck_assert_int_eq(apart_world_get(w.world, w.id[i], &got), APART_OK);
        ck_assert(got.solid.mesh == def.solid.mesh && got.solid.surface == def.solid.surface);
        ck_assert((got.solid.shape == NULL) == (def.solid.shape == NULL));
    }
    for (int step = 0; step < 12; step++) {
        check_world(&w, step % 3 * 0.3, &r);
        for (int i = 1; i < BODIES; i++) {
            w.pose[i] = scene_nudged(&w.pose[i], &r, 0.02 * step, 0.05);
            ck_assert_int_eq(apart_world_move(w.world, w.id[i], &w.pose[i]), APART_OK);
        }
    }
    const apart_body_def open = {.solid = apart_solid_mesh(cloud), .pose = at(0, 0, 0)};
    ck_assert_int_eq(apart_world_add(w.world, &open, NULL), APART_ERR_NOT_WATERTIGHT);
    const apart_probe probe = {.solid = apart_solid_surface(torus), .pose = at(0, 0, 0)};
    apart_world_pair near[3];
    apart_world_list list = {.pairs = near, .capacity = 3};
    ck_assert_int_eq(apart_world_near(w.world, &probe, &list), APART_OK);
    ck_assert_uint_eq(list.count, 3);
    apart_world_free(w.world);
    apart_mesh_free(ball);
    apart_mesh_free(torus);
    apart_mesh_free(cloud);
    triangle_list_free(&closed);
    triangle_list_free(&ring);
    triangle_list_free(&loose);
}
END_TEST

int main(void)
{
    seed = random_seed("mesh_world");
    Suite *suite = suite_create("mesh_world");
    TCase *all = tcase_create("among bodies");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, boxes_hold_every_vertex_and_nothing_else);
    tcase_add_test(all, all_pairs_below_equal_brute_force);
    tcase_add_test(all, all_pairs_below_of_other_solids);
    tcase_add_test(all, worlds_take_meshes);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
