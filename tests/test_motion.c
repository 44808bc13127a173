/* Moving bodies: own sin and cos, and poses on a path. Times of impact: test_impact.c, and of random motions
 * test_motion_reference.c. */
#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/turn.h"
#include "motion_checks.h"
#include "moving_pairs.h"
#include "run_suite.h"

static const double unit_roundoff = 0.5 * DBL_EPSILON;

/* ------------------------------------------------ sin and cos */

/* The worst error of both in units of u. */
static double sincos_error(double angle)
{
    double s, c;
    apart_sincos(angle, &s, &c);
    const long double es = fabsl((long double)s - sinl(angle)), ec = fabsl((long double)c - cosl(angle));
    return (double)(fmaxl(es, ec) / (long double)unit_roundoff);
}

START_TEST(sincos_is_within_its_bound)
{
    random_source r = seed_of("sincos");
    double worst = 0.0;
    for (int i = 0; i < 400000; i++) {
        worst = fmax(worst, sincos_error(random_between(&r, -4.0, 4.0)));
        worst = fmax(worst, sincos_error(random_magnitude(&r, -20.0, 9.0) * (i % 2 == 0 ? 1.0 : -1.0)));
        /* Near multiples of pi/4, where reduction cancels most. */
        const double near = floor(random_magnitude(&r, 0.0, 8.5)) * (pi / 4.0);
        worst = fmax(worst, sincos_error(near));
        worst = fmax(worst, sincos_error(nextafter(near, 0.0)));
    }
    worst = fmax(worst, fmax(sincos_error(APART_MAX_ANGLE), sincos_error(-APART_MAX_ANGLE)));
    printf("sincos: worst error %.3f u\n", worst);
    ck_assert_double_le(worst, AP_SINCOS_ERROR);
}
END_TEST

START_TEST(sincos_special_values)
{
    double s, c;
    apart_sincos(0.0, &s, &c);
    ck_assert(s == 0.0 && c == 1.0);
    apart_sincos(1e-300, &s, &c);
    ck_assert(s == 1e-300 && c == 1.0);
    const double bad[] = {NAN, INFINITY, -INFINITY, 2e9};
    for (int i = 0; i < 4; i++) {
        apart_sincos(bad[i], &s, &c);
        ck_assert(s == 0.0 && c == 1.0);
    }
    apart_sincos(1.0, NULL, NULL);
    apart_sincos(1.0, &s, NULL);
    ck_assert_double_eq_tol(s, 0.8414709848078965, unit_roundoff);
}
END_TEST

/* The bits of sin and cos and of poses, pinned: nothing but IEEE arithmetic is used. */
START_TEST(bits_are_pinned)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    random_source r = UINT64_C(42);
    for (int i = 0; i < 20000; i++) {
        double value[2];
        uint64_t bits[2];
        apart_sincos(random_between(&r, -1e6, 1e6), &value[0], &value[1]);
        memcpy(bits, value, sizeof bits);
        hash = ((hash ^ bits[0]) * UINT64_C(1099511628211) ^ bits[1]) * UINT64_C(1099511628211);
    }
    ck_assert_msg(hash == UINT64_C(0x4587bcae4e49ec5f), "0x%016" PRIx64, hash);
}
END_TEST

START_TEST(angles_come_back)
{
    for (int i = 0; i <= 100000; i++) {
        const double angle = i / 100000.0 * (pi / 2.0);
        const double back = ap_angle_of((double)sinl(angle), (double)cosl(angle));
        ck_assert_msg(fabs(back - angle) <= 4.0 * unit_roundoff * fmax(angle, 1e-300) + 2.0 * unit_roundoff,
                      "%.17g came back as %.17g", angle, back);
    }
    ck_assert_double_eq_tol(ap_angle_of(1e-200, 1.0), 1e-200, 1e-215);
}
END_TEST

/* ------------------------------------------------ poses */

static double largest_difference(const apart_mat3 *a, const apart_mat3 *b)
{
    const double *x = &a->x.x, *y = &b->x.x;
    double worst = 0.0;
    for (int i = 0; i < 9; i++) {
        worst = fmax(worst, fabs(x[i] - y[i]));
    }
    return worst;
}

static double defect_of(const apart_mat3 *m)
{
    const double defect = ap_rotation_defect(m);
    ck_assert(isfinite(defect));
    return defect;
}

static apart_pose random_pose(random_source *r, double size)
{
    const apart_vec3 p = random_in_ball(r);
    return (apart_pose){random_rotation(r), vec(size * p.x, size * p.y, size * p.z)};
}

/* Against the exact path in long double, and the rotation's defect does not grow. */
START_TEST(poses_follow_the_path)
{
    random_source r = seed_of("poses");
    double worst = 0.0, worst_defect = 0.0;
    for (int i = 0; i < 30000; i++) {
        const double turns = i % 3 == 0 ? 1000.0 : i % 3 == 1 ? 1.0 : 1e-6;
        const apart_pose start = random_pose(&r, 3.0);
        const apart_vec3 w = random_in_ball(&r);
        moving_pair p = {.scale = 1.0, .family = MOVING_TUMBLE};
        p.motion_a = apart_motion_rest(&start);
        p.motion_a.pivot = zero;
        p.motion_b =
            apart_motion_velocity(&start, random_in_ball(&r),
                                  vec(6.3 * turns * w.x, 6.3 * turns * w.y, 6.3 * turns * w.z), random_in_ball(&r));
        p.motion_b.path = i % 2 == 0 ? APART_PATH_STRAIGHT : APART_PATH_SCREW;
        const double t = random_unit(&r);
        apart_pose got, unused, want;
        ck_assert_int_eq(apart_motion_pose(&p.motion_b, t, &got), APART_OK);
        moving_poses(&p, t, &unused, &want);
        worst = fmax(worst, largest_difference(&got.rotation, &want.rotation));
        ck_assert_double_le(apart_vec3_distance(got.translation, want.translation), 40.0 * DBL_EPSILON * 8.0);
        worst_defect = fmax(worst_defect, defect_of(&got.rotation));
    }
    printf("poses: worst entry %.1f eps, worst defect %.1f eps\n", worst / DBL_EPSILON, worst_defect / DBL_EPSILON);
    ck_assert_double_le(worst, 32.0 * DBL_EPSILON);
    ck_assert_double_le(worst_defect, 64.0 * DBL_EPSILON);
}
END_TEST

START_TEST(start_and_end_are_met)
{
    random_source r = seed_of("ends");
    for (int i = 0; i < 20000; i++) {
        const apart_pose start = random_pose(&r, 2.0);
        apart_pose end = random_pose(&r, 2.0), got;
        if (i % 5 == 0) {
            end.rotation = start.rotation;
        }
        apart_motion straight, screw;
        ck_assert_int_eq(apart_motion_between(&start, &end, random_in_ball(&r), &straight), APART_OK);
        ck_assert_int_eq(apart_motion_screw(&start, &end, &screw), APART_OK);
        const apart_motion *const both[] = {&straight, &screw};
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(apart_motion_pose(both[k], 0.0, &got), APART_OK);
            ck_assert_mem_eq(&got, &start, sizeof got);
            ck_assert_int_eq(apart_motion_pose(both[k], 1.0, &got), APART_OK);
            ck_assert_double_le(largest_difference(&got.rotation, &end.rotation), 64.0 * DBL_EPSILON);
            ck_assert_double_le(apart_vec3_distance(got.translation, end.translation), 256.0 * DBL_EPSILON);
            ck_assert_double_le(apart_vec3_norm(both[k]->angular), pi * (1.0 + 4.0 * DBL_EPSILON));
        }
    }
}
END_TEST

/* Half a turn about each axis: the quaternion's scalar part is zero there. */
START_TEST(half_turns)
{
    const apart_pose here = apart_pose_identity();
    const apart_mat3 turned[] = {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
                                 {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
                                 {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 3; i++) {
        const apart_pose there = {turned[i], zero};
        apart_motion m;
        apart_pose got;
        ck_assert_int_eq(apart_motion_between(&here, &there, zero, &m), APART_OK);
        const double angle = fabs(m.angular.x) + fabs(m.angular.y) + fabs(m.angular.z);
        ck_assert_double_eq_tol(angle, pi, 4.0 * DBL_EPSILON);
        ck_assert_int_eq(apart_motion_pose(&m, 1.0, &got), APART_OK);
        ck_assert_double_le(largest_difference(&got.rotation, &there.rotation), 4.0 * DBL_EPSILON);
    }
}
END_TEST

/* A screw is a constant twist: what happens from t to t + h does not depend on t. */
START_TEST(screws_have_a_constant_twist)
{
    random_source r = seed_of("screws");
    for (int i = 0; i < 2000; i++) {
        const apart_pose start = random_pose(&r, 2.0), end = random_pose(&r, 2.0);
        apart_motion m;
        apart_pose p[4];
        ck_assert_int_eq(apart_motion_screw(&start, &end, &m), APART_OK);
        const double h = 0.25, t[] = {0.0, h, 0.625, 0.625 + h};
        for (int k = 0; k < 4; k++) {
            ck_assert_int_eq(apart_motion_pose(&m, t[k], &p[k]), APART_OK);
        }
        const apart_pose back_0 = apart_pose_inverse(&p[0]), back_2 = apart_pose_inverse(&p[2]);
        const apart_pose first = apart_pose_compose(&p[1], &back_0), second = apart_pose_compose(&p[3], &back_2);
        ck_assert_double_le(largest_difference(&first.rotation, &second.rotation), 128.0 * DBL_EPSILON);
        ck_assert_double_le(apart_vec3_distance(first.translation, second.translation), 1024.0 * DBL_EPSILON);
    }
}
END_TEST

START_TEST(parts_move_with_their_body)
{
    random_source r = seed_of("parts");
    for (int i = 0; i < 2000; i++) {
        const apart_pose start = random_pose(&r, 2.0), local = random_pose(&r, 1.0);
        const apart_vec3 w = random_in_ball(&r);
        apart_motion body =
            apart_motion_velocity(&start, random_in_ball(&r), vec(20 * w.x, 20 * w.y, 20 * w.z), random_in_ball(&r));
        body.path = i % 2 == 0 ? APART_PATH_STRAIGHT : APART_PATH_SCREW;
        const apart_motion part = apart_motion_of_part(&body, &local);
        const double t = random_unit(&r);
        apart_pose at, got;
        ck_assert_int_eq(apart_motion_pose(&body, t, &at), APART_OK);
        ck_assert_int_eq(apart_motion_pose(&part, t, &got), APART_OK);
        const apart_pose want = apart_pose_compose(&at, &local);
        ck_assert_double_le(largest_difference(&got.rotation, &want.rotation), 64.0 * DBL_EPSILON);
        ck_assert_double_le(apart_vec3_distance(got.translation, want.translation), 256.0 * DBL_EPSILON);
    }
}
END_TEST

START_TEST(planar_motions_stay_in_the_plane)
{
    apart_pose start, end, got;
    apart_pose_from_angle_2d(0.3, 1.0, 2.0, &start);
    apart_pose_from_angle_2d(2.9, -1.0, 0.5, &end);
    const apart_shape a = apart_rectangle(1.0, 0.5), b = apart_circle(0.25);
    const apart_motion rest = apart_motion_rest(&start);
    apart_motion m[2];
    ck_assert_int_eq(apart_motion_between(&start, &end, vec(0.1, 0.2, 0.0), &m[0]), APART_OK);
    ck_assert_int_eq(apart_motion_screw(&start, &end, &m[1]), APART_OK);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i <= 100; i++) {
            apart_result r;
            ck_assert_int_eq(apart_motion_pose(&m[k], i / 100.0, &got), APART_OK);
            ck_assert_int_eq(apart_distance(&a, &got, &b, &start, NULL, NULL, &r), APART_OK);
        }
        apart_impact impact;
        ck_assert_int_eq(apart_time_of_impact(&a, &m[k], &b, &rest, NULL, NULL, &impact), APART_OK);
    }
    apart_motion out_of_plane = m[0];
    apart_impact impact;
    out_of_plane.angular.x = 1.0;
    ck_assert_int_eq(apart_time_of_impact(&a, &out_of_plane, &b, &rest, NULL, NULL, &impact), APART_ERR_DIMENSION);
    out_of_plane = m[0];
    out_of_plane.linear.z = 1.0;
    ck_assert_int_eq(apart_time_of_impact(&a, &out_of_plane, &b, &rest, NULL, NULL, &impact), APART_ERR_DIMENSION);
}
END_TEST

START_TEST(bad_motions_have_a_status)
{
    const apart_pose here = apart_pose_identity();
    apart_pose out, bad = here;
    apart_motion m = apart_motion_rest(&here);
    bad.rotation.x.x = 2.0;
    ck_assert_int_eq(apart_motion_check(NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_motion_check(&m), APART_OK);
    ck_assert_int_eq(apart_motion_pose(&m, 0.5, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_motion_pose(&m, NAN, &out), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_motion_between(&here, NULL, zero, &m), APART_ERR_NULL);
    ck_assert_int_eq(apart_motion_between(&here, &bad, zero, &m), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_motion_screw(&bad, &here, &m), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_motion_between(&here, &here, vec(NAN, 0, 0), &m), APART_ERR_NONFINITE);
    m = apart_motion_rest(NULL);
    ck_assert_int_ne(apart_motion_check(&m), APART_OK);
    m = apart_motion_rest(&bad);
    ck_assert_int_eq(apart_motion_check(&m), APART_ERR_ROTATION);
    m = apart_motion_velocity(&here, vec(INFINITY, 0, 0), zero, zero);
    ck_assert_int_eq(apart_motion_check(&m), APART_ERR_NONFINITE);
    m = apart_motion_velocity(&here, zero, vec(0, 2e9, 0), zero);
    ck_assert_int_eq(apart_motion_check(&m), APART_ERR_OVERFLOW);
    m = apart_motion_velocity(&here, zero, vec(0, 1e9, 0), zero);
    ck_assert_int_eq(apart_motion_pose(&m, 2.0, &out), APART_ERR_OVERFLOW);
    m.path = 7;
    ck_assert_int_eq(apart_motion_check(&m), APART_ERR_OPTION);
    m = apart_motion_velocity(&here, vec(1e308, 0, 0), zero, zero);
    ck_assert_int_eq(apart_motion_pose(&m, 10.0, &out), APART_ERR_OVERFLOW);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("motion");
    TCase *t = tcase_create("motion");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, sincos_is_within_its_bound);
    tcase_add_test(t, sincos_special_values);
    tcase_add_test(t, bits_are_pinned);
    tcase_add_test(t, angles_come_back);
    tcase_add_test(t, poses_follow_the_path);
    tcase_add_test(t, start_and_end_are_met);
    tcase_add_test(t, half_turns);
    tcase_add_test(t, screws_have_a_constant_twist);
    tcase_add_test(t, parts_move_with_their_body);
    tcase_add_test(t, planar_motions_stay_in_the_plane);
    tcase_add_test(t, bad_motions_have_a_status);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
