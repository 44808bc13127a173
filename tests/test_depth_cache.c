/* Tracked depth: an apart_depth_cache makes the next query cheap and never changes its answer beyond the bounds,
 * whatever is in it. */
#include "depth_checks.h"
#include "run_suite.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 256
#define POINTS 40
#define WIDTH 1e-13

static double memory[2][APART_DEPTH_CACHE_BYTES(CAPACITY) / sizeof(double)];

static apart_depth_cache *make_cache(int which)
{
    apart_depth_cache *cache = NULL;
    ck_assert_int_eq(apart_depth_cache_init(memory[which], sizeof memory[which], &cache), APART_OK);
    return cache;
}

/* A pair of hulls, or of point sets, of about 40 vertices. */
typedef struct bodies {
    double xyz[2][3 * POINTS];
    apart_hull *hull[2];
    apart_shape a, b;
} bodies;

static void make_bodies(bodies *p, random_source *r, bool hulls)
{
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < POINTS; i++) {
            const apart_vec3 v = random_in_ball(r), u = apart_vec3_scale(1.0 / fmax(apart_vec3_norm(v), 0.1), v);
            p->xyz[k][3 * i] = u.x;
            p->xyz[k][3 * i + 1] = u.y;
            p->xyz[k][3 * i + 2] = u.z;
        }
        ck_assert_int_eq(apart_hull_build(p->xyz[k], POINTS, NULL, &p->hull[k]), APART_OK);
    }
    p->a = hulls ? apart_hull_shape(p->hull[0]) : apart_points(p->xyz[0], POINTS);
    p->b = hulls ? apart_hull_shape(p->hull[1]) : apart_points(p->xyz[1], POINTS);
}

static void free_bodies(bodies *p)
{
    apart_hull_free(p->hull[0]);
    apart_hull_free(p->hull[1]);
}

static void check_same(const apart_result *cold, const apart_result *tracked, const char *what, int step)
{
    ck_assert_msg(cold->lower <= tracked->upper && tracked->lower <= cold->upper,
                  "%s, step %d: [%.17g, %.17g] and [%.17g, %.17g]", what, step, cold->lower, cold->upper,
                  tracked->lower, tracked->upper);
    ck_assert_msg(tracked->upper - tracked->lower <= 2.0 * (cold->upper - cold->lower) + WIDTH,
                  "%s, step %d: bounds %g apart, cold %g", what, step, tracked->upper - tracked->lower,
                  cold->upper - cold->lower);
    ck_assert_msg(fabs(tracked->distance - cold->distance) <= WIDTH, "%s, step %d: %.17g, cold %.17g", what, step,
                  tracked->distance, cold->distance);
    ck_assert_int_eq(tracked->relation, cold->relation);
    ck_assert_int_eq(tracked->stop, APART_STOP_CONVERGED);
}

static apart_pose random_pose(random_source *r, double spread)
{
    apart_pose pose = apart_pose_identity();
    pose.rotation = random_rotation(r);
    pose.translation = apart_vec3_scale(spread, random_in_ball(r));
    return pose;
}

/* A small turn and shift of the pose. */
static apart_pose nudged(const apart_pose *pose, random_source *r, double angle, double shift)
{
    apart_pose turn;
    apart_vec3 axis = random_in_ball(r);
    axis = apart_vec3_norm(axis) > 0.1 ? axis : vec(0, 0, 1);
    ck_assert_int_eq(apart_pose_from_axis_angle(axis, angle, vec(0, 0, 0), &turn), APART_OK);
    apart_pose out = apart_pose_compose(pose, &turn);
    out.translation = apart_vec3_add_scaled(out.translation, shift, random_in_ball(r));
    return out;
}

/* ------------------------------------------------ memory */

START_TEST(memory_is_checked)
{
    static double room[APART_DEPTH_CACHE_BYTES(8) / sizeof(double) + 1];
    apart_depth_cache *cache = NULL;
    ck_assert_int_eq(apart_depth_cache_init(NULL, sizeof room, &cache), APART_ERR_NULL);
    ck_assert_int_eq(apart_depth_cache_init(room, sizeof room, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_depth_cache_init(room, 0, &cache), APART_ERR_SIZE);
    ck_assert_int_eq(apart_depth_cache_init(room, APART_DEPTH_CACHE_BYTES(8) - 1, &cache), APART_ERR_SIZE);
    ck_assert_int_eq(apart_depth_cache_init((char *)room + 4, APART_DEPTH_CACHE_BYTES(8), &cache), APART_ERR_SIZE);
    ck_assert_int_eq(apart_depth_cache_init((char *)room + 1, APART_DEPTH_CACHE_BYTES(8), &cache), APART_ERR_SIZE);
    ck_assert_ptr_null(cache);
    ck_assert_int_eq(apart_depth_cache_init(room, APART_DEPTH_CACHE_BYTES(8), &cache), APART_OK);
    ck_assert_ptr_nonnull(cache);
    apart_depth_cache_clear(cache);
    apart_depth_cache_clear(NULL);
}
END_TEST

/* Not a byte beyond the size given is written, for any size. */
START_TEST(memory_is_respected)
{
    random_source r = 3;
    bodies p;
    make_bodies(&p, &r, true);
    const apart_pose here = apart_pose_identity();
    for (size_t extra = 0; extra < 400; extra += 7) {
        const size_t size = APART_DEPTH_CACHE_BYTES(8) + extra, guard = 64;
        unsigned char *block = malloc(size + guard);
        ck_assert_ptr_nonnull(block);
        memset(block, 0xa5, size + guard);
        apart_depth_cache *cache = NULL;
        ck_assert_int_eq(apart_depth_cache_init(block, size, &cache), APART_OK);
        const apart_options options = {.depth_cache = cache};
        for (int i = 0; i < 6; i++) {
            const apart_pose pose = random_pose(&r, 0.5);
            query(&p.a, &here, &p.b, &pose, &options, NULL);
        }
        for (size_t i = 0; i < guard; i++) {
            ck_assert_int_eq(block[size + i], 0xa5);
        }
        free(block);
    }
    free_bodies(&p);
}
END_TEST

/* A surface that does not fit: a defined answer, stop = workspace, and bounds that are true. */
START_TEST(small_caches_give_honest_bounds)
{
    random_source r = 7;
    int full = 0, converged = 0;
    for (int i = 0; i < 40; i++) {
        bodies p;
        make_bodies(&p, &r, i % 2 == 0);
        const apart_pose here = apart_pose_identity();
        apart_cache plain = {.count = 0};
        apart_depth_cache *cache = NULL;
        ck_assert_int_eq(apart_depth_cache_init(memory[0], APART_DEPTH_CACHE_BYTES(8), &cache), APART_OK);
        const apart_options options = {.depth_cache = cache};
        apart_pose pose = random_pose(&r, 0.5);
        for (int step = 0; step < 6; step++, pose = nudged(&pose, &r, 0.02, 0.02)) {
            const apart_result cold = query(&p.a, &here, &p.b, &pose, NULL, NULL),
                               small = query(&p.a, &here, &p.b, &pose, &options, &plain);
            ck_assert_msg(small.lower <= cold.upper && cold.lower <= small.upper, "[%.17g, %.17g] misses %.17g",
                          small.lower, small.upper, cold.distance);
            ck_assert_int_eq(small.relation, APART_OVERLAPPING);
            ck_assert(small.stop == APART_STOP_WORKSPACE || small.stop == APART_STOP_CONVERGED);
            if (small.stop == APART_STOP_CONVERGED) {
                check_same(&cold, &small, "eight vertices", step);
                converged++;
            } else {
                full++;
            }
        }
        free_bodies(&p);
    }
    printf("eight vertices: %d full, %d converged\n", full, converged);
    ck_assert_int_gt(full, 100);
}
END_TEST

/* ------------------------------------------------ motions */

/* angle, shift: of each step. */
static void follow(random_source *r, bool hulls, double angle, double shift, bool with_plain_cache)
{
    bodies p;
    apart_cache plain = {.count = 0};
    make_bodies(&p, r, hulls);
    const apart_options options = {.depth_cache = make_cache(0)};
    apart_pose pose_a = apart_pose_identity(), pose_b = random_pose(r, 0.8);
    for (int step = 0; step < 60; step++) {
        const apart_result cold = query(&p.a, &pose_a, &p.b, &pose_b, NULL, NULL);
        const apart_result tracked = query(&p.a, &pose_a, &p.b, &pose_b, &options, with_plain_cache ? &plain : NULL);
        check_same(&cold, &tracked, "motion", step);
        pose_b = nudged(&pose_b, r, angle, shift);
        pose_a = nudged(&pose_a, r, 0.5 * angle, 0.5 * shift);
    }
    free_bodies(&p);
}

START_TEST(motions)
{
    random_source r = 13;
    static const double sizes[6] = {0.0, 1e-12, 1e-6, 1e-3, 0.05, 0.5};
    for (int i = 0; i < 24; i++) {
        follow(&r, i % 2 == 0, sizes[i % 6], sizes[i % 6], i % 4 < 2);
    }
}
END_TEST

/* Jumps, disjoint phases in between, and both bodies far from the origin. */
START_TEST(jumps)
{
    random_source r = 17;
    for (int i = 0; i < 10; i++) {
        bodies p;
        apart_cache plain = {.count = 0};
        make_bodies(&p, &r, i % 2 == 0);
        const apart_options options = {.depth_cache = make_cache(0)};
        apart_pose pose_a = random_pose(&r, 1.0);
        const apart_vec3 offset = apart_vec3_scale(i % 3 == 0 ? 1e6 : 1.0, random_in_ball(&r));
        pose_a.translation = offset;
        for (int step = 0; step < 60; step++) {
            apart_pose pose_b = random_pose(&r, step % 3 == 0 ? 4.0 : 0.7);
            pose_b.translation = apart_vec3_add(pose_b.translation, offset);
            const apart_result cold = query(&p.a, &pose_a, &p.b, &pose_b, NULL, NULL),
                               tracked = query(&p.a, &pose_a, &p.b, &pose_b, &options, &plain);
            check_same(&cold, &tracked, "jump", step);
        }
        free_bodies(&p);
    }
}
END_TEST

/* Tracking is for speed: with small motions it must need far fewer support searches than a cold start. */
START_TEST(tracking_is_cheaper)
{
    random_source r = 19;
    bodies p;
    make_bodies(&p, &r, true);
    apart_stats cold = {.queries = 0}, tracked = {.queries = 0};
    const apart_options from_scratch = {.stats = &cold},
                        with_surface = {.stats = &tracked, .depth_cache = make_cache(0)};
    const apart_pose here = apart_pose_identity();
    apart_pose pose = random_pose(&r, 0.4);
    for (int step = 0; step < 200; step++) {
        query(&p.a, &here, &p.b, &pose, &from_scratch, NULL);
        query(&p.a, &here, &p.b, &pose, &with_surface, NULL);
        pose = nudged(&pose, &r, 1e-4, 1e-4);
    }
    printf("support searches: %llu cold, %llu tracked\n", (unsigned long long)cold.support_calls,
           (unsigned long long)tracked.support_calls);
    ck_assert_uint_eq(tracked.queries, 200);
    ck_assert_uint_le(3 * tracked.support_calls, cold.support_calls);
    free_bodies(&p);
}
END_TEST

/* ------------------------------------------------ foreign and broken contents */

/* Caches given to the wrong pair, cleared, or kept over a change of shape. */
START_TEST(swapped_caches)
{
    random_source r = 23;
    bodies p, q;
    make_bodies(&p, &r, true);
    make_bodies(&q, &r, true); /* the same numbers of points: the shapes' tags may agree */
    apart_depth_cache *cache[2] = {make_cache(0), make_cache(1)};
    const apart_shape ball = apart_sphere(0.5), box = apart_box(vec(0.5, 0.75, 1)), can = apart_cylinder(0.5, 0.5);
    const apart_shape *bodies_a[6] = {&p.a, &q.a, &p.a, &box, &can, &box},
                      *bodies_b[6] = {&p.b, &q.b, &q.b, &p.b, &box, &ball};
    const apart_pose here = apart_pose_identity();
    apart_cache plain = {.count = 0};
    for (int step = 0; step < 300; step++) {
        const unsigned pair = random_below(&r, 6), which = random_below(&r, 2);
        const apart_options options = {.depth_cache = cache[which]};
        const apart_pose pose = random_pose(&r, 0.4);
        if (random_below(&r, 10) == 0) {
            apart_depth_cache_clear(cache[which]);
        }
        const apart_result cold = query(bodies_a[pair], &here, bodies_b[pair], &pose, NULL, NULL),
                           tracked = query(bodies_a[pair], &here, bodies_b[pair], &pose, &options,
                                           random_below(&r, 2) == 0 ? &plain : NULL);
        ck_assert(cold.lower <= tracked.upper && tracked.lower <= cold.upper);
        if (pair < 4) {
            check_same(&cold, &tracked, "swapped", step);
        }
    }
    free_bodies(&p);
    free_bodies(&q);
}
END_TEST

/* Random bytes behind the header: numbers out of range, torn surfaces. */
START_TEST(corrupted_caches)
{
    random_source r = 29;
    bodies p;
    make_bodies(&p, &r, true);
    const apart_pose here = apart_pose_identity();
    apart_depth_cache *cache = make_cache(0);
    const apart_options options = {.depth_cache = cache};
    unsigned char *bytes = (unsigned char *)memory[0];
    const size_t header = APART_DEPTH_CACHE_BYTES(0);
    for (int step = 0; step < 2000; step++) {
        const apart_pose pose = random_pose(&r, 0.4);
        query(&p.a, &here, &p.b, &pose, &options, NULL); /* leaves a good surface */
        const unsigned hits = 1 + random_below(&r, step % 4 == 0 ? 2000 : 4);
        for (unsigned k = 0; k < hits; k++) {
            /* mostly in the vertices and faces that are used */
            const size_t used = random_below(&r, 2) == 0 ? 56u * 40u : 0u,
                         start = random_below(&r, 2) == 0 ? header : header + 56u * CAPACITY;
            const size_t room = sizeof memory[0] - start, place = start + random_bits(&r) % (used > 0 ? used : room);
            bytes[place] = (unsigned char)random_bits(&r);
        }
        const apart_pose next = nudged(&pose, &r, 1e-3, 1e-3);
        const apart_result cold = query(&p.a, &here, &p.b, &next, NULL, NULL),
                           tracked = query(&p.a, &here, &p.b, &next, &options, NULL);
        check_same(&cold, &tracked, "corrupted", step);
    }
    free_bodies(&p);
}
END_TEST

/* ------------------------------------------------ other bodies and options */

START_TEST(all_kinds_of_bodies)
{
    random_source r = 37;
    double xyz[3 * 8];
    for (int i = 0; i < 24; i++) {
        xyz[i] = random_between(&r, -1, 1);
    }
    const apart_shape shapes[9] = {apart_box(vec(1, 0.5, 0.75)),
                                   apart_points(xyz, 8),
                                   apart_rounded(apart_points(xyz, 8), 0.25),
                                   apart_sphere(0.75),
                                   apart_capsule(0.5, 0.5),
                                   apart_cylinder(0.5, 0.75),
                                   apart_cone(0.75, 0.75),
                                   apart_ellipsoid(vec(1, 0.5, 0.75)),
                                   apart_box(vec(1, 1, 0))};
    const apart_pose here = apart_pose_identity();
    for (int i = 0; i < 81; i++) {
        apart_cache plain = {.count = 0};
        const apart_options options = {.depth_cache = make_cache(0)};
        apart_pose pose = random_pose(&r, 0.3);
        for (int step = 0; step < 10; step++, pose = nudged(&pose, &r, 0.01, 0.01)) {
            const apart_result cold = query(&shapes[i / 9], &here, &shapes[i % 9], &pose, NULL, NULL),
                               tracked = query(&shapes[i / 9], &here, &shapes[i % 9], &pose, &options, &plain);
            ck_assert_msg(cold.lower <= tracked.upper && tracked.lower <= cold.upper, "%s in %s",
                          apart_shape_name(&shapes[i % 9]), apart_shape_name(&shapes[i / 9]));
            ck_assert_msg(tracked.upper - tracked.lower <= 1e-9, "%s in %s: bounds %g apart, cold %g",
                          apart_shape_name(&shapes[i % 9]), apart_shape_name(&shapes[i / 9]),
                          tracked.upper - tracked.lower, cold.upper - cold.lower);
        }
    }
}
END_TEST

START_TEST(the_plane_and_other_depths)
{
    const apart_shape square = apart_rectangle(1, 1), box = apart_box(vec(1, 1, 1));
    const apart_pose here = apart_pose_identity(), beside = apart_pose_translation(1.5, 0.25, 0);
    for (int depth = APART_DEPTH_EXACT; depth <= APART_DEPTH_NONE; depth++) {
        const apart_options options = {.depth = (uint8_t)depth, .depth_cache = make_cache(0)},
                            without = {.depth = (uint8_t)depth};
        for (int i = 0; i < 3; i++) {
            const apart_result flat = query(&square, &here, &square, &beside, &options, NULL),
                               solid = query(&box, &here, &box, &beside, &options, NULL);
            const apart_result flat_cold = query(&square, &here, &square, &beside, &without, NULL);
            ck_assert(flat.relation == APART_OVERLAPPING && solid.relation == APART_OVERLAPPING);
            ck_assert(flat.lower <= flat_cold.upper && flat_cold.lower <= flat.upper);
            ck_assert(depth != APART_DEPTH_EXACT ||
                      (fabs(flat.distance + 0.5) <= WIDTH && fabs(solid.distance + 0.5) <= WIDTH));
        }
    }
}
END_TEST

/* A cache larger than the built-in workspace serves what that cannot hold. */
START_TEST(large_caches_serve_large_hulls)
{
    enum { MANY = 2000, VERTICES = 1500 };
    random_source r = 43;
    double *xyz = malloc(3 * MANY * sizeof *xyz), *room = malloc(APART_DEPTH_CACHE_BYTES(VERTICES));
    ck_assert(xyz != NULL && room != NULL);
    for (int i = 0; i < MANY; i++) {
        apart_vec3 v = random_in_ball(&r);
        v = apart_vec3_scale(1.0 / fmax(apart_vec3_norm(v), 0.01), v);
        xyz[3 * i] = v.x;
        xyz[3 * i + 1] = v.y;
        xyz[3 * i + 2] = v.z;
    }
    apart_hull *hull = NULL;
    ck_assert_int_eq(apart_hull_build(xyz, MANY, NULL, &hull), APART_OK);
    const apart_shape ball = apart_hull_shape(hull);
    apart_depth_cache *cache = NULL;
    ck_assert_int_eq(apart_depth_cache_init(room, APART_DEPTH_CACHE_BYTES(VERTICES), &cache), APART_OK);
    const apart_options options = {.depth_cache = cache};
    const apart_pose here = apart_pose_identity();
    apart_pose pose = random_pose(&r, 0.1);
    for (int step = 0; step < 20; step++, pose = nudged(&pose, &r, 1e-3, 1e-3)) {
        const apart_result tracked = query(&ball, &here, &ball, &pose, &options, NULL),
                           cold = query(&ball, &here, &ball, &pose, NULL, NULL);
        ck_assert_int_eq(tracked.stop, APART_STOP_CONVERGED);
        ck_assert(tracked.upper - tracked.lower <= WIDTH);
        ck_assert(cold.lower <= tracked.upper && tracked.lower <= cold.upper);
        ck_assert(cold.stop == APART_STOP_WORKSPACE || cold.stop == APART_STOP_CONVERGED);
    }
    apart_hull_free(hull);
    free(xyz);
    free(room);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("depth_cache");
    TCase *test_case = tcase_create("cache");
    tcase_set_timeout(test_case, 120);
    tcase_add_test(test_case, memory_is_checked);
    tcase_add_test(test_case, memory_is_respected);
    tcase_add_test(test_case, small_caches_give_honest_bounds);
    tcase_add_test(test_case, motions);
    tcase_add_test(test_case, jumps);
    tcase_add_test(test_case, tracking_is_cheaper);
    tcase_add_test(test_case, swapped_caches);
    tcase_add_test(test_case, corrupted_caches);
    tcase_add_test(test_case, all_kinds_of_bodies);
    tcase_add_test(test_case, the_plane_and_other_depths);
    tcase_add_test(test_case, large_caches_serve_large_hulls);
    suite_add_tcase(suite, test_case);
    return run_suite(suite);
}
