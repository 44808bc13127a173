/* Depths in n dimensions: the cheaper kinds, a tolerance, dimensions beyond the search, and a full workspace. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "nd_overlaps.h"
#include "random.h"
#include "run_suite.h"

static double workspace[APART_ND_DEPTH_BYTES(9000) / sizeof(double)];

START_TEST(test_kinds_of_depth)
{
    static const apart_options exact = {0}, loose = {.tolerance = 0.25};
    static const apart_options bounds = {.depth = APART_DEPTH_BOUNDS}, none = {.depth = APART_DEPTH_NONE};
    random_state = random_seed("kinds of depth");
    for (size_t dim = 1; dim <= 7; dim++) {
        clear(dim);
        add_random(add_a, 12, 1.0, 0.0);
        add_random(add_b, 20, 1.0, 0.1);
        memcpy(f.a, f.b, dim * sizeof(double));
        query(&exact);
        const apart_result_nd r = f.r;
        if (dim <= APART_ND_DEPTH_DIM) {
            check_overlap();
            query(&loose);
            ck_assert(f.r.relation == APART_OVERLAPPING && f.r.stop == APART_STOP_CONVERGED &&
                      f.r.upper - f.r.lower <= 0.25);
            ck_assert(f.r.lower <= r.lower + 1e-14 && r.upper - 1e-14 <= f.r.upper);
            query(&bounds);
            ck_assert(f.r.relation == APART_OVERLAPPING && f.r.stop == APART_STOP_CONVERGED && f.r.upper < 0.0);
            ck_assert(f.r.lower <= r.lower + 1e-14 && r.upper - 1e-14 <= f.r.upper && f.r.iterations <= r.iterations);
            ck_assert(f.r.lower <= f.r.distance && f.r.distance <= f.r.upper);
            check_witness(1e-14);
        } else {
            ck_assert(r.relation == APART_OVERLAPPING && r.stop == APART_STOP_WORKSPACE && r.distance == 0.0 &&
                      r.upper == 0.0);
            ck_assert(isfinite(r.lower) && (long double)r.lower <= -depth_along_normal() && r.lower < 0.0);
        }
        query(&none);
        ck_assert(f.r.relation == APART_OVERLAPPING && f.r.distance == 0.0 && f.r.upper == 0.0 &&
                  f.r.lower == -INFINITY);
    }
}
END_TEST

/* A point among many on a sphere in 6 dimensions: the surface has thousands of facets. */
START_TEST(test_full_workspace)
{
    random_state = random_seed("full workspace");
    clear(6);
    add_a();
    add_on_sphere(add_b, 200);
    ck_assert_int_eq(query_in(NULL, NULL, 0), APART_OK);
    const apart_result_nd r = f.r;
    ck_assert(r.relation == APART_OVERLAPPING && r.stop == APART_STOP_WORKSPACE);
    ck_assert(r.lower <= r.distance && r.distance <= r.upper && r.upper < -0.3 && r.lower > -0.9);
    check_witness(1e-14);
    ck_assert_int_eq(query_in(NULL, workspace, sizeof workspace), APART_OK);
    check_overlap();
    ck_assert(r.lower <= f.r.lower && f.r.upper <= r.upper);
    /* A workspace that is too small to be of use is not touched. */
    workspace[0] = 42.0;
    ck_assert_int_eq(query_in(NULL, workspace, sizeof(double)), APART_OK);
    ck_assert(f.r.stop == APART_STOP_WORKSPACE && workspace[0] == 42.0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nd_depth_options");
    TCase *tests = tcase_create("options");
    tcase_set_timeout(tests, 60.0);
    tcase_add_test(tests, test_kinds_of_depth);
    tcase_add_test(tests, test_full_workspace);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
