/* Options of a query, and the query that only says whether bodies meet: what stops early or asks for less has honest
 * bounds. */
#include "distance_checks.h"
#include "pairs.h"
#include "run_suite.h"

START_TEST(cut_off)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), ball = apart_sphere(1);
    const apart_options o = {.cutoff = 5.0};
    apart_result r = query(&box, at(0, 0, 0), &ball, at(50, 20, 10), &o);
    check_form(&r);
    ck_assert_int_eq(r.relation, APART_BEYOND);
    ck_assert_int_eq(r.stop, APART_STOP_CUTOFF);
    ck_assert_double_ge(r.lower, 5.0);
    const apart_result exact = query(&box, at(0, 0, 0), &ball, at(50, 20, 10), NULL);
    ck_assert(r.lower <= exact.upper && exact.lower <= r.upper);
    r = query(&box, at(0, 0, 0), &ball, at(5, 0, 0), &o);
    check_distance(&r, 3.0, 10, "within the cut-off");
    ck_assert_int_eq(r.relation, APART_DISJOINT);
}
END_TEST

START_TEST(tolerance_stops_early)
{
    const apart_shape a = apart_ellipsoid(vec(3, 2, 1)), b = apart_ellipsoid(vec(1, 2, 3));
    const apart_pose pose = turned(vec(1, 2, 3), 40, vec(6, 3, 2));
    const apart_result exact = query(&a, at(0, 0, 0), &b, pose, NULL);
    uint16_t before = exact.iterations;
    for (double tolerance = 1e-9; tolerance < 1.0; tolerance *= 100.0) {
        const apart_options o = {.tolerance = tolerance};
        const apart_result r = query(&a, at(0, 0, 0), &b, pose, &o);
        check_form(&r);
        ck_assert_double_le(r.upper - r.lower, tolerance);
        ck_assert(r.lower <= exact.upper && exact.lower <= r.upper);
        ck_assert_uint_le(r.iterations, before);
        before = r.iterations;
    }
    ck_assert_uint_lt(before, exact.iterations);
}
END_TEST

START_TEST(iteration_limit_gives_honest_bounds)
{
    const apart_shape a = apart_ellipsoid(vec(3, 2, 1)), b = apart_ellipsoid(vec(1, 2, 3));
    const apart_pose pose = turned(vec(1, 2, 3), 40, vec(6, 3, 2));
    const apart_result exact = query(&a, at(0, 0, 0), &b, pose, NULL);
    for (uint32_t limit = 1; limit < 6; limit++) {
        const apart_options o = {.max_iterations = limit};
        const apart_result r = query(&a, at(0, 0, 0), &b, pose, &o);
        check_form(&r);
        ck_assert_uint_le(r.iterations, limit + 1);
        ck_assert(r.lower <= exact.upper && exact.lower <= r.upper);
    }
    const apart_options one = {.max_iterations = 1};
    ck_assert_int_eq(query(&a, at(0, 0, 0), &b, pose, &one).stop, APART_STOP_ITERATIONS);
}
END_TEST

START_TEST(solvers_without_their_fallback)
{
    random_source random = 109;
    for (int i = 0; i < 500; i++) {
        test_pair p;
        pair_generate(&p, &random, NULL);
        for (int solver = 0; solver < APART_SOLVER_COUNT; solver++) {
            const apart_options o = {.solver = (uint8_t)solver, .no_fallback = 1};
            const apart_result r = query(&p.a, p.pose_a, &p.b, p.pose_b, &o);
            ck_assert(isfinite(r.distance) && !isnan(r.lower) && isfinite(r.upper));
            ck_assert_int_eq(r.fallback, 0);
        }
    }
}
END_TEST

START_TEST(depth_options)
{
    const apart_shape a = apart_box(vec(1, 1, 1)), b = apart_box(vec(1, 2, 3));
    const apart_options none = {.depth = APART_DEPTH_NONE}, bounds = {.depth = APART_DEPTH_BOUNDS};
    const apart_result n = query(&a, at(0, 0, 0), &b, at(1.5, 0.25, 0.5), &none);
    ck_assert_int_eq(n.relation, APART_OVERLAPPING);
    ck_assert_double_eq(n.distance, 0.0);
    ck_assert_double_eq(n.upper, 0.0);
    ck_assert(n.lower == -INFINITY);
    const apart_result c = query(&a, at(0, 0, 0), &b, at(1.5, 0.25, 0.5), &bounds);
    ck_assert(c.lower <= -0.5 + 64 * EPS && c.upper >= -0.5 - 64 * EPS);
    const apart_result e = query(&a, at(0, 0, 0), &b, at(1.5, 0.25, 0.5), NULL);
    check_distance(&e, -0.5, 10, "depth");
}
END_TEST

START_TEST(overlap_yes_or_no)
{
    random_source random = 113;
    int yes = 0, no = 0;
    for (int i = 0; i < 5000; i++) {
        test_pair p;
        int overlap = -1;
        pair_generate(&p, &random, NULL);
        const apart_result r = query(&p.a, p.pose_a, &p.b, p.pose_b, NULL);
        ck_assert_int_eq(apart_overlap(&p.a, &p.pose_a, &p.b, &p.pose_b, NULL, NULL, &overlap), APART_OK);
        ck_assert(overlap == 0 || overlap == 1);
        if (r.relation == APART_DISJOINT && r.distance > 4.0 * width(&r)) {
            ck_assert_int_eq(overlap, 0);
            no++;
        } else if (r.relation == APART_OVERLAPPING || r.distance <= 0.0) {
            ck_assert_int_eq(overlap, 1);
            yes++;
        }
    }
    ck_assert_int_gt(yes, 100);
    ck_assert_int_gt(no, 1000);
    const apart_shape ground = apart_half_space(vec(0, 0, 1), 0), ball = apart_sphere(1);
    const apart_pose here = apart_pose_identity(), above = at(0, 0, 3), below = at(0, 0, -3);
    int overlap = -1;
    ck_assert_int_eq(apart_overlap(&ground, &here, &ball, &above, NULL, NULL, &overlap), APART_OK);
    ck_assert_int_eq(overlap, 0);
    ck_assert_int_eq(apart_overlap(&ball, &below, &ground, &here, NULL, NULL, &overlap), APART_OK);
    ck_assert_int_eq(overlap, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distance_options");
    TCase *tests = tcase_create("options");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, cut_off);
    tcase_add_test(tests, tolerance_stops_early);
    tcase_add_test(tests, iteration_limit_gives_honest_bounds);
    tcase_add_test(tests, solvers_without_their_fallback);
    tcase_add_test(tests, depth_options);
    tcase_add_test(tests, overlap_yes_or_no);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
