/* What must not change a distance: swapped bodies, a common motion, the scale, the solver, the support search, whatever
 * a cache holds. */
#include "distance_checks.h"
#include "pairs.h"
#include "run_suite.h"

#include <string.h>

START_TEST(swapping_and_moving_both)
{
    random_source random = 101;
    for (int i = 0; i < 3000; i++) {
        test_pair p;
        pair_generate(&p, &random, NULL);
        const apart_result r = query(&p.a, p.pose_a, &p.b, p.pose_b, NULL),
                           back = query(&p.b, p.pose_b, &p.a, p.pose_a, NULL);
        ck_assert_double_le(fabs(r.distance - back.distance), width(&r) + width(&back));
        if (strcmp(p.family, "offset") == 0 || strcmp(p.family, "far frames") == 0) {
            continue;
        }
        const apart_pose motion = {random_rotation(&random), {0, 0, 0}};
        const apart_result moved =
            query(&p.a, apart_pose_compose(&motion, &p.pose_a), &p.b, apart_pose_compose(&motion, &p.pose_b), NULL);
        ck_assert_double_le(fabs(r.distance - moved.distance),
                            width(&r) + width(&moved) + 16.0 * EPS * pair_magnitude(&p));
    }
}
END_TEST

static apart_shape scaled_shape(const apart_shape *s, double factor, double *points)
{
    switch (s->kind) {
    case APART_SHAPE_BOX: return apart_box(apart_vec3_scale(factor, s->u.half_extents));
    case APART_SHAPE_POINT: return apart_point(apart_vec3_scale(factor, s->u.point[0]));
    case APART_SHAPE_SEGMENT:
        return apart_segment(apart_vec3_scale(factor, s->u.point[0]), apart_vec3_scale(factor, s->u.point[1]));
    case APART_SHAPE_TRIANGLE:
        return apart_triangle(apart_vec3_scale(factor, s->u.point[0]), apart_vec3_scale(factor, s->u.point[1]),
                              apart_vec3_scale(factor, s->u.point[2]));
    default:
        for (size_t i = 0; i < 3 * s->u.points.count; i++) {
            points[i] = factor * s->u.points.coordinates[i];
        }
        return apart_points(points, s->u.points.count);
    }
}

/* A power of two changes no bit but the exponents'; any other factor changes the answer by rounding only. */
START_TEST(scaling)
{
    static const double factors[] = {0x1p-30, 0x1p+1, 0x1p+30, 3.0, 1e-9};
    random_source random = 103;
    for (int i = 0; i < 3000; i++) {
        test_pair p;
        double points_a[3 * PAIR_POINTS_MAX], points_b[3 * PAIR_POINTS_MAX];
        pair_generate(&p, &random, NULL);
        const apart_result r = query(&p.a, p.pose_a, &p.b, p.pose_b, NULL);
        for (size_t k = 0; k < sizeof factors / sizeof factors[0]; k++) {
            const double f = factors[k];
            const apart_shape a = scaled_shape(&p.a, f, points_a), b = scaled_shape(&p.b, f, points_b);
            const apart_pose pa = {p.pose_a.rotation, apart_vec3_scale(f, p.pose_a.translation)};
            const apart_pose pb = {p.pose_b.rotation, apart_vec3_scale(f, p.pose_b.translation)};
            const apart_result s = query(&a, pa, &b, pb, NULL);
            if (k < 3) {
                ck_assert_double_eq(s.distance, f * r.distance);
                ck_assert_double_eq(s.lower, f * r.lower);
                ck_assert_double_eq(s.upper, f * r.upper);
                ck_assert_double_eq(s.normal.x, r.normal.x);
                ck_assert_double_eq(s.a.y, f * r.a.y);
                ck_assert_double_eq(s.b.z, f * r.b.z);
                ck_assert_int_eq(s.iterations, r.iterations);
            } else if (strcmp(p.family, "offset") != 0 && strcmp(p.family, "far frames") != 0) {
                ck_assert_double_le(fabs(s.distance / f - r.distance),
                                    width(&r) + width(&s) / f + 8.0 * EPS * pair_magnitude(&p));
            }
        }
    }
}
END_TEST

START_TEST(every_solver_and_search_agrees)
{
    random_source random = 107;
    for (int i = 0; i < 1500; i++) {
        test_pair p;
        pair_generate(&p, &random, NULL);
        const apart_result r = query(&p.a, p.pose_a, &p.b, p.pose_b, NULL);
        for (int solver = 0; solver < APART_SOLVER_COUNT; solver++) {
            for (int support = 0; support < APART_SUPPORT_COUNT; support++) {
                const apart_options o = {.solver = (uint8_t)solver, .support = (uint8_t)support};
                const apart_result s = query(&p.a, p.pose_a, &p.b, p.pose_b, &o);
                ck_assert_int_eq(s.solver, solver);
                ck_assert_msg(s.lower <= r.upper && r.lower <= s.upper, "%s/%s: [%.17g, %.17g] against [%.17g, %.17g]",
                              apart_solver_name(solver), apart_support_name(support), s.lower, s.upper, r.lower,
                              r.upper);
                ck_assert_double_le(fabs(s.distance - r.distance), width(&r) + width(&s));
            }
        }
    }
}
END_TEST

/* ------------------------------------------------ caches */

START_TEST(caches_never_change_the_answer)
{
    random_source random = 131;
    apart_cache stale;
    memset(&stale, 0, sizeof stale);
    for (int i = 0; i < 5000; i++) {
        test_pair p;
        apart_cache zeroed, garbage;
        memset(&zeroed, 0, sizeof zeroed);
        pair_generate(&p, &random, NULL);
        random_bytes(&random, &garbage, sizeof garbage);
        const apart_result cold = query(&p.a, p.pose_a, &p.b, p.pose_b, NULL);
        apart_cache *caches[3] = {&zeroed, &stale, &garbage};
        for (int k = 0; k < 3; k++) {
            for (int again = 0; again < 2; again++) { /* the second time from its own leavings */
                apart_result r;
                ck_assert_int_eq(apart_distance(&p.a, &p.pose_a, &p.b, &p.pose_b, NULL, caches[k], &r), APART_OK);
                ck_assert_double_le(fabs(r.distance - cold.distance), width(&r) + width(&cold));
                garbage.tag = again == 0 ? stale.tag : garbage.tag;
            }
        }
    }
}
END_TEST

START_TEST(tracking_follows_a_motion)
{
    const double step = 2.0; /* degrees */
    const apart_shape a = apart_box(vec(1, 0.5, 0.25)), b = apart_box(vec(0.5, 0.75, 1));
    apart_cache cache;
    memset(&cache, 0, sizeof cache);
    uint64_t tracked = 0, cold = 0;
    for (int i = 0; i < 360; i++) {
        const apart_pose pose = turned(vec(1, 2, 3), step * i, vec(2.5, 0.5, 1));
        const apart_pose here = apart_pose_identity();
        apart_result r;
        ck_assert_int_eq(apart_distance(&a, &here, &b, &pose, NULL, &cache, &r), APART_OK);
        const apart_result fresh = query(&a, here, &b, pose, NULL);
        ck_assert_double_le(fabs(r.distance - fresh.distance), width(&r) + width(&fresh));
        tracked += r.iterations;
        cold += fresh.iterations;
    }
    ck_assert_uint_lt(tracked, cold);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distance_invariance");
    TCase *tests = tcase_create("invariance");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, swapping_and_moving_both);
    tcase_add_test(tests, scaling);
    tcase_add_test(tests, every_solver_and_search_agrees);
    tcase_add_test(tests, caches_never_change_the_answer);
    tcase_add_test(tests, tracking_follows_a_motion);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
