/* Depths in the plane: known by formula, and polygons against the exhaustive search. */
#include "depth_answers.h"
#include "depth_checks.h"
#include "run_suite.h"
#include "minkowski_depth.h"

START_TEST(planar_bodies)
{
    const apart_shape square = apart_rectangle(1, 1), small = apart_rectangle(0.5, 0.25), circle = apart_circle(0.5),
                      point = apart_point_2d(0, 0), segment = apart_segment_2d(-1, 0, 1, 0);
    const double diamond_xy[8] = {2, 0, 0, 2, -2, 0, 0, -2};
    const apart_shape diamond = apart_polygon(diamond_xy, 4);
    apart_result r = check_depth(&square, at(0, 0, 0), &small, at(1.25, 0.5, 0), -0.25, TIGHT);
    check_normal(&r, 1, 0, 0, TIGHT);
    ck_assert_int_eq(r.dim, 2);
    check_depth(&square, at(0, 0, 0), &small, at(0, 0, 0), -1.25, TIGHT);
    check_depth(&square, at(0, 0, 0), &diamond, at(0, 0, 0), -2.0 * ROOT_2, TIGHT);
    check_depth(&square, at(0, 0, 0), &diamond, at(0, 2.5, 0), -0.5, TIGHT);
    check_depth(&square, at(0, 0, 0), &circle, at(0.5, 0.25, 0), -1.0, TIGHT);
    check_depth(&circle, at(0, 0, 0), &circle, at(0.3, 0.4, 0), -0.5, TIGHT);
    check_depth(&circle, at(0, 0, 0), &circle, at(0, 0, 0), -1.0, TIGHT);
    check_depth(&square, at(0, 0, 0), &point, at(-0.75, 0.25, 0), -0.25, TIGHT);
    check_depth(&square, at(0, 0, 0), &segment, at(0, 0.75, 0), -0.25, TIGHT);
    /* Two segments that cross; rounded ones in one line. */
    check_depth(&segment, at(0, 0, 0), &segment, turned_rpy(0, 0, 1.5707963267948966, vec(0.25, 0, 0)), -0.75, TIGHT);
    const apart_shape rod = apart_rounded(segment, 0.25);
    r = check_depth(&rod, at(0, 0, 0), &rod, at(0.5, 0, 0), -0.5, TIGHT);
    ck_assert(fabs(fabs(r.normal.y) - 1.0) <= TIGHT);
}
END_TEST

START_TEST(polygons_against_the_reference)
{
    random_source r = 6;
    int inside = 0;
    for (int i = 0; i < 2000; i++) {
        double xy[2][24];
        size_t n[2];
        for (int k = 0; k < 2; k++) {
            n[k] = 1 + random_below(&r, 12);
            for (size_t j = 0; j < 2 * n[k]; j++) {
                xy[k][j] = i % 2 == 0 ? (double)random_below(&r, 5) - 2.0 : random_between(&r, -1, 1);
            }
        }
        const apart_shape a = apart_polygon(xy[0], n[0]), b = apart_polygon(xy[1], n[1]);
        apart_pose pose_a = at(0, 0, 0), pose_b = at(0.25 * random_below(&r, 3), 0, 0);
        if (i % 4 == 3) {
            ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, -4, 4), 0.125, 0, &pose_b), APART_OK);
        }
        minkowski_answer d;
        minkowski_depth(&(exact_points){xy[0], n[0], 2, &pose_a}, &(exact_points){xy[1], n[1], 2, &pose_b}, &d);
        if (d.inside) {
            inside++;
            check_depth(&a, pose_a, &b, pose_b, -d.least, 1e-13);
        } else {
            const apart_result far = query(&a, &pose_a, &b, &pose_b, NULL, NULL);
            ck_assert(far.relation != APART_OVERLAPPING);
        }
    }
    ck_assert_int_gt(inside, 500);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("depth_plane");
    TCase *tests = tcase_create("plane");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, planar_bodies);
    tcase_add_test(tests, polygons_against_the_reference);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
