/* What a query reports beside the distance: traces, statistics, features, the result in another frame, names. */
#include "distance_checks.h"
#include "pairs.h"
#include "run_suite.h"

#include <string.h>

START_TEST(trace_shows_the_iterations)
{
    random_source random = 127;
    for (int i = 0; i < 500; i++) {
        test_pair p;
        apart_trace_step steps[64];
        apart_trace trace = {.steps = steps, .capacity = 64};
        pair_generate(&p, &random, NULL);
        const apart_options o = {.trace = &trace};
        const apart_result r = query(&p.a, p.pose_a, &p.b, p.pose_b, &o);
        ck_assert_uint_ge(trace.count, 1);
        if (r.relation != APART_DISJOINT || trace.count > trace.capacity) {
            continue;
        }
        const apart_trace_step *last = &steps[trace.count - 1];
        const double unit = pair_magnitude(&p);
        for (uint32_t k = 0; k < trace.count; k++) {
            const apart_trace_step *s = &steps[k];
            ck_assert(s->count >= 1 && s->count <= 4);
            double sum = 0.0;
            for (uint32_t j = 0; j < s->count; j++) {
                ck_assert_double_ge(s->lambda[j], 0.0);
                sum += s->lambda[j];
            }
            ck_assert_double_eq_tol(sum, 1.0, 16 * EPS);
            ck_assert(s->lower <= r.upper && r.lower <= s->upper); /* each step's bounds hold the answer */
        }
        ck_assert_double_le(fabs(apart_vec3_norm(apart_vec3_scale(1 / unit, last->v)) - r.distance / unit),
                            width(&r) / unit);
        ck_assert_uint_eq(last->count, r.count);
    }
    const apart_shape box = apart_box(vec(1, 1, 1));
    apart_trace_step one;
    apart_trace small = {.steps = &one, .capacity = 1}, empty = {.steps = NULL, .capacity = 0};
    const apart_options with_small = {.trace = &small}, with_empty = {.trace = &empty};
    const apart_result r = query(&box, at(0, 0, 0), &box, turned(vec(1, 2, 3), 30, vec(3, 2, 1)), &with_small);
    const apart_result s = query(&box, at(0, 0, 0), &box, turned(vec(1, 2, 3), 30, vec(3, 2, 1)), &with_empty);
    ck_assert_uint_gt(small.count, 1);
    ck_assert_uint_eq(empty.count, small.count);
    ck_assert_double_eq(r.distance, s.distance);
}
END_TEST

START_TEST(statistics_add_up)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), ball = apart_sphere(1);
    apart_stats stats;
    memset(&stats, 0, sizeof stats);
    const apart_options o = {.stats = &stats};
    (void)query(&box, at(0, 0, 0), &ball, at(5, 1, 2), &o);
    const apart_stats first = stats;
    ck_assert_uint_eq(first.queries, 1);
    ck_assert_uint_ge(first.iterations, 1);
    ck_assert_uint_ge(first.support_calls, 2);
    ck_assert_uint_ge(first.solver_calls, 1);
    (void)query(&box, at(0, 0, 0), &ball, at(5, 1, 2), &o);
    ck_assert_uint_eq(stats.queries, 2);
    ck_assert_uint_eq(stats.iterations, 2 * first.iterations);
    ck_assert_uint_eq(stats.support_calls, 2 * first.support_calls);
}
END_TEST

START_TEST(features_of_boxes_and_hulls)
{
    double corners[24];
    apart_hull *hull = NULL;
    for (int i = 0; i < 8; i++) {
        const apart_vec3 p = vec(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
        memcpy(&corners[3 * i], &p, sizeof p);
    }
    ck_assert_int_eq(apart_hull_build(corners, 8, NULL, &hull), APART_OK);
    const apart_shape box = apart_box(vec(1, 1, 1)), cube = apart_hull_shape(hull), ball = apart_sphere(0.5);
    const apart_shape *bodies[2] = {&box, &cube};
    const apart_pose here = apart_pose_identity();
    const apart_pose beside_face = at(3, 0.25, 0.5), beside_edge = at(3, -3, 0.5), beside_corner = at(3, 3, -3);
    apart_feature f, g;
    apart_result r;
    for (int k = 0; k < 2; k++) {
        r = query(bodies[k], here, &ball, beside_face, NULL);
        ck_assert_int_eq(apart_features(bodies[k], &here, &ball, &beside_face, &r, &f, &g), APART_OK);
        ck_assert_int_eq(f.kind, APART_FEATURE_FACE);
        for (int i = 0; i < f.count; i++) {
            ck_assert_uint_lt(f.index[i], 8);
            ck_assert_uint_eq(f.index[i] & 1, 1); /* corners with +x */
        }
        r = query(bodies[k], here, &ball, beside_edge, NULL);
        ck_assert_int_eq(apart_features(bodies[k], &here, &ball, &beside_edge, &r, &f, NULL), APART_OK);
        ck_assert_int_eq(f.kind, APART_FEATURE_EDGE);
        ck_assert_int_eq(f.count, 2);
        ck_assert_uint_eq(f.index[0] & 3, 1);
        ck_assert_uint_eq(f.index[1] & 3, 1);
        r = query(bodies[k], here, &ball, beside_corner, NULL);
        ck_assert_int_eq(apart_features(bodies[k], &here, &ball, &beside_corner, &r, &f, NULL), APART_OK);
        ck_assert_int_eq(f.kind, APART_FEATURE_VERTEX);
        ck_assert_uint_eq(f.index[0], 3);
    }
    ck_assert_int_eq(apart_features(NULL, &here, &ball, &here, &r, &f, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_features(&box, &here, &ball, &here, NULL, &f, NULL), APART_ERR_NULL);
    apart_hull_free(hull);
}
END_TEST

START_TEST(result_in_a_frame)
{
    const apart_shape box = apart_box(vec(1, 1, 1));
    const apart_pose pose_a = turned(vec(0, 0, 1), 90, vec(10, 20, 30)), pose_b = at(10, 25, 30);
    const apart_result r = query(&box, pose_a, &box, pose_b, NULL);
    apart_result local;
    apart_result_in_frame(&r, &pose_a, &local);
    /* World y is the body's x after a quarter turn about z. */
    ck_assert_double_eq_tol(local.normal.x, 1.0, 1e-14);
    ck_assert_double_eq_tol(local.a.x, 1.0, 1e-13);
    ck_assert_double_eq_tol(local.b.x, 4.0, 1e-13);
    ck_assert_double_eq(local.distance, r.distance);
    const apart_vec3 back = apart_pose_apply(&pose_a, local.b);
    ck_assert_double_le(apart_vec3_distance(back, r.b), 1e-13);
    local = r;
    apart_result_in_frame(&local, &pose_a, &local); /* in place */
    ck_assert_double_eq_tol(local.normal.x, 1.0, 1e-14);
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(apart_relation_name(APART_DISJOINT), "disjoint");
    ck_assert_str_eq(apart_relation_name(APART_BEYOND), "beyond");
    ck_assert_str_eq(apart_relation_name(-1), "?");
    ck_assert_str_eq(apart_stop_name(APART_STOP_CONVERGED), "converged");
    ck_assert_str_eq(apart_stop_name(99), "?");
    ck_assert_str_eq(apart_solver_name(APART_SOLVER_JOHNSON), "johnson");
    ck_assert_str_eq(apart_solver_name(APART_SOLVER_COUNT), "?");
    ck_assert_str_eq(apart_support_name(APART_SUPPORT_CLIMB), "climb");
    ck_assert_str_eq(apart_feature_name(APART_FEATURE_EDGE), "edge");
    ck_assert_uint_le(sizeof(apart_result), 192);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distance_report");
    TCase *tests = tcase_create("report");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, trace_shows_the_iterations);
    tcase_add_test(tests, statistics_add_up);
    tcase_add_test(tests, features_of_boxes_and_hulls);
    tcase_add_test(tests, result_in_a_frame);
    tcase_add_test(tests, names);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
