/* Bad input of a query: each shape, pose and option that cannot be has its status, and the result is left alone. */
#include <apart/apart.h>
#include <check.h>
#include <math.h>
#include <string.h>

#include "poses.h"
#include "run_suite.h"

static apart_vec3 broken_support(const void *user, apart_vec3 d)
{
    (void)user;
    return vec(d.x, INFINITY, 0);
}

START_TEST(every_bad_input_has_its_status)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), circle = apart_circle(1),
                      plane = apart_half_space(vec(0, 0, 1), 0), none = {0};
    const apart_pose here = apart_pose_identity(), there = at(5, 0, 0);
    apart_result r, untouched;
    memset(&r, 0x5a, sizeof r);
    untouched = r;
    ck_assert_int_eq(apart_distance(NULL, &here, &box, &there, NULL, NULL, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance(&box, NULL, &box, &there, NULL, NULL, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance(&box, &here, NULL, &there, NULL, NULL, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance(&box, &here, &box, NULL, NULL, NULL, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance(&box, &here, &box, &there, NULL, NULL, NULL), APART_ERR_NULL);
    const struct {
        apart_shape shape;
        apart_status status;
    } bad[] = {{none, APART_ERR_SHAPE},
               {apart_sphere(-1), APART_ERR_NEGATIVE_SIZE},
               {apart_sphere(NAN), APART_ERR_NONFINITE},
               {apart_box(vec(1, -1, 1)), APART_ERR_NEGATIVE_SIZE},
               {apart_box(vec(1, INFINITY, 1)), APART_ERR_NONFINITE},
               {apart_points(NULL, 4), APART_ERR_NULL},
               {apart_points((const double[]){1, 2, 3}, 0), APART_ERR_EMPTY},
               {apart_points((const double[]){1, NAN, 3}, 1), APART_ERR_NONFINITE},
               {apart_hull_shape(NULL), APART_ERR_NULL},
               {apart_half_space(vec(0, 0, 0), 1), APART_ERR_NORMAL},
               {apart_capsule(1, -1), APART_ERR_NEGATIVE_SIZE},
               {apart_cylinder(-1, 1), APART_ERR_NEGATIVE_SIZE},
               {apart_cone(1, NAN), APART_ERR_NONFINITE},
               {apart_ellipsoid(vec(1, 1, -2)), APART_ERR_NEGATIVE_SIZE},
               {apart_rounded(box, -1), APART_ERR_NEGATIVE_SIZE},
               {apart_sum(&box, &plane), APART_ERR_HALF_SPACE},
               {apart_hull_of_two(&box, &circle), APART_ERR_DIMENSION},
               {circle, APART_ERR_DIMENSION}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int overlap = 7;
        ck_assert_msg(apart_distance(&bad[i].shape, &here, &box, &there, NULL, NULL, &r) == bad[i].status, "row %zu",
                      i);
        ck_assert_msg(apart_distance(&box, &here, &bad[i].shape, &there, NULL, NULL, &r) == bad[i].status,
                      "row %zu, as B", i);
        ck_assert_int_eq(apart_overlap(&bad[i].shape, &here, &box, &there, NULL, NULL, &overlap), bad[i].status);
        ck_assert_int_eq(overlap, 7);
    }
    ck_assert_int_eq(apart_distance(&plane, &here, &plane, &there, NULL, NULL, &r), APART_ERR_HALF_SPACE);
    const apart_callback broken = {broken_support, NULL, {0, 0, 0}, 1.0, 0.0};
    const apart_shape own = apart_callback_shape(broken);
    ck_assert_int_eq(apart_distance(&own, &here, &box, &there, NULL, NULL, &r), APART_ERR_CALLBACK);
    ck_assert_int_eq(memcmp(&r, &untouched, sizeof r), 0);
}
END_TEST

START_TEST(every_bad_pose_has_its_status)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), circle = apart_circle(1), huge = apart_box(vec(1e308, 1, 1));
    const apart_pose here = apart_pose_identity();
    apart_result r;
    apart_pose p = here;
    p.translation.y = INFINITY;
    ck_assert_int_eq(apart_distance(&box, &here, &box, &p, NULL, NULL, &r), APART_ERR_NONFINITE);
    p = here;
    p.rotation.y.x = NAN;
    ck_assert_int_eq(apart_distance(&box, &p, &box, &here, NULL, NULL, &r), APART_ERR_NONFINITE);
    p = here;
    p.rotation.x.x = -1; /* a mirror */
    ck_assert_int_eq(apart_distance(&box, &here, &box, &p, NULL, NULL, &r), APART_ERR_ROTATION);
    p = here;
    p.rotation.x.x = 1.0 + 1e-6; /* RtR - I = 2e-6 */
    ck_assert_int_eq(apart_distance(&box, &here, &box, &p, NULL, NULL, &r), APART_ERR_ROTATION);
    p.rotation.x.x = 1.0 + 4e-7;
    ck_assert_int_eq(apart_distance(&box, &here, &box, &p, NULL, NULL, &r), APART_OK);
    p = at(0, 0, 1);
    ck_assert_int_eq(apart_distance(&circle, &here, &circle, &p, NULL, NULL, &r), APART_ERR_DIMENSION);
    p = turned(vec(1, 0, 0), 30, vec(0, 0, 0));
    ck_assert_int_eq(apart_distance(&circle, &here, &circle, &p, NULL, NULL, &r), APART_ERR_DIMENSION);
    p = at(1e308, 0, 0);
    ck_assert_int_eq(apart_distance(&huge, &here, &huge, &p, NULL, NULL, &r), APART_ERR_OVERFLOW);
}
END_TEST

START_TEST(options_out_of_range)
{
    const apart_shape box = apart_box(vec(1, 1, 1));
    const apart_pose here = apart_pose_identity(), there = at(5, 0, 0);
    const apart_options bad[] = {{.solver = APART_SOLVER_COUNT},
                                 {.support = APART_SUPPORT_COUNT},
                                 {.depth = 3},
                                 {.no_fallback = 2},
                                 {.cutoff = -1},
                                 {.cutoff = NAN},
                                 {.tolerance = -1e-9},
                                 {.tolerance = NAN},
                                 {.tolerance = INFINITY},
                                 {.max_iterations = UINT32_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        apart_result r;
        int overlap;
        ck_assert_msg(apart_distance(&box, &here, &box, &there, &bad[i], NULL, &r) == APART_ERR_OPTION, "row %zu", i);
        ck_assert_int_eq(apart_overlap(&box, &here, &box, &there, &bad[i], NULL, &overlap), APART_ERR_OPTION);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distance_errors");
    TCase *tests = tcase_create("errors");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_bad_input_has_its_status);
    tcase_add_test(tests, every_bad_pose_has_its_status);
    tcase_add_test(tests, options_out_of_range);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
