/* Two dimensions: the half-space and the capsule against closed forms, in every kind of query. */
#include <apart/apart.h>
#include <apart/contact.h>
#include <apart/motion.h>
#include <apart/verify.h>
#include <check.h>
#include <float.h>
#include <math.h>

#include "random.h"
#include "run_suite.h"

/* The support value of the bodies below along a unit direction of their own frame. */
static double support_value(int kind, const double size[2], double x, double y)
{
    switch (kind) {
    case 0: return size[0];                               /* circle */
    case 1: return size[0] * fabs(x) + size[1] * fabs(y); /* rectangle */
    default: return size[0] + size[1] * fabs(y);          /* capsule */
    }
}

static apart_shape make(int kind, const double size[2])
{
    switch (kind) {
    case 0: return apart_circle(size[0]);
    case 1: return apart_rectangle(size[0], size[1]);
    default: return apart_capsule_2d(size[0], size[1]);
    }
}

static void assert_proved(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                          const apart_pose *pose_b, const apart_result *r)
{
    apart_proof proof;
    ck_assert_int_eq(apart_verify(a, pose_a, b, pose_b, r, &proof), APART_OK);
    ck_assert_msg(proof.verdict == APART_PROVED, "%s", proof.reason);
}

START_TEST(half_space_against_bodies_of_the_plane)
{
    random_source r = random_seed("half_space_against_bodies_of_the_plane");
    for (int i = 0; i < 3000; i++) {
        const int kind = i % 3;
        const double size[2] = {random_between(&r, 0.1, 2.0), random_between(&r, 0.1, 2.0)};
        const double slope = random_between(&r, -3.0, 3.0), offset = random_signed(&r),
                     turn = random_between(&r, -3.0, 3.0), x = random_between(&r, -4.0, 4.0),
                     y = random_between(&r, -4.0, 4.0);
        const apart_shape ground = apart_half_space_2d(2.0 * cos(slope), 2.0 * sin(slope), offset),
                          body = make(kind, size);
        apart_pose at, rest = apart_pose_identity();
        ck_assert_int_eq(apart_pose_from_angle_2d(turn, x, y, &at), APART_OK);
        /* The body's support against the normal, in its own frame. */
        const double local = slope - turn;
        const double expected =
            (x * cos(slope) + y * sin(slope)) - support_value(kind, size, -cos(local), -sin(local)) - offset;
        apart_result result;
        int overlap;
        ck_assert_int_eq(apart_distance(&ground, &rest, &body, &at, NULL, NULL, &result), APART_OK);
        ck_assert_double_le(fabs(result.distance - expected), 64.0 * DBL_EPSILON);
        ck_assert(result.lower <= result.distance && result.distance <= result.upper);
        ck_assert_double_le(result.lower, expected + 64.0 * DBL_EPSILON);
        ck_assert_double_ge(result.upper, expected - 64.0 * DBL_EPSILON);
        ck_assert(result.a.z == 0.0 && result.b.z == 0.0 && result.normal.z == 0.0);
        ck_assert_double_le(fabs(result.normal.x - cos(slope)) + fabs(result.normal.y - sin(slope)), 8.0 * DBL_EPSILON);
        assert_proved(&ground, &rest, &body, &at, &result);
        ck_assert_int_eq(apart_distance(&body, &at, &ground, &rest, NULL, NULL, &result), APART_OK);
        ck_assert_double_le(fabs(result.distance - expected), 64.0 * DBL_EPSILON);
        if (fabs(expected) > 1e-9) {
            ck_assert_int_eq(apart_overlap(&ground, &rest, &body, &at, NULL, NULL, &overlap), APART_OK);
            ck_assert_int_eq(overlap, expected < 0.0);
        }
        /* It falls against the normal. */
        if (expected > 0.01) {
            apart_impact impact;
            const double fall = expected * 4.0;
            ck_assert_int_eq(apart_sweep(&body, &at, (apart_vec3){-fall * cos(slope), -fall * sin(slope), 0.0}, &ground,
                                         &rest, (apart_vec3){0.0, 0.0, 0.0}, NULL, NULL, &impact),
                             APART_OK);
            ck_assert_double_le(fabs(impact.t - 0.25) * fall, 1e-5); /* its tolerance is 1e-6 of the sizes */
        }
    }
}
END_TEST

START_TEST(half_space_in_the_other_queries)
{
    const apart_shape ground = apart_half_space_2d(0.0, 3.0, 1.0), box = apart_rectangle(1.0, 0.5);
    const apart_pose rest = apart_pose_identity(), above = apart_pose_translation(0.25, 1.5, 0.0);
    apart_manifold m;
    ck_assert_int_eq(apart_contact(&ground, &rest, &box, &above, NULL, NULL, &m), APART_OK);
    ck_assert_uint_eq(m.count, 2);
    for (uint32_t i = 0; i < m.count; i++) {
        ck_assert_double_le(fabs(m.points[i].distance), 1e-12);
        ck_assert_double_le(fabs(fabs(m.points[i].b.x - 0.25) - 1.0), 1e-12);
    }
    const apart_ray ray = {.origin = {0.0, 5.0, 0.0}, .direction = {0.0, -2.0, 0.0}, .length = 100.0};
    apart_ray_hit hit;
    ck_assert_int_eq(apart_raycast(&ray, &ground, &rest, NULL, &hit), APART_OK);
    ck_assert(hit.hit == 1);
    ck_assert_double_le(fabs(hit.distance - 4.0), 1e-12);
    ck_assert_double_le(fabs(hit.normal.y - 1.0), 1e-12);
    /* What it refuses. */
    apart_result result;
    const apart_shape ball = apart_sphere(1.0), other = apart_half_space_2d(1.0, 0.0, 0.0);
    ck_assert_int_eq(apart_distance(&ground, &rest, &ball, &above, NULL, NULL, &result), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_distance(&ground, &rest, &other, &above, NULL, NULL, &result), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_shape_check(&(apart_shape){0}), APART_ERR_SHAPE);
    const apart_shape flat = apart_half_space_2d(0.0, 0.0, 1.0), undefined = apart_half_space_2d(NAN, 0.0, 1.0);
    ck_assert_int_eq(apart_shape_check(&flat), APART_ERR_NORMAL);
    ck_assert_int_eq(apart_shape_check(&undefined), APART_ERR_NONFINITE);
    const apart_pose tilted = {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {0, 0, 0}};
    ck_assert_int_eq(apart_distance(&ground, &tilted, &box, &above, NULL, NULL, &result), APART_ERR_DIMENSION);
}
END_TEST

static double distance_to_segment(double x, double y, double half)
{
    const double beyond = fabs(y) - half;
    return beyond > 0.0 ? hypot(x, beyond) : fabs(x);
}

START_TEST(capsule_against_points)
{
    random_source r = random_seed("capsule_against_points");
    const apart_pose rest = apart_pose_identity();
    for (int i = 0; i < 3000; i++) {
        const double radius = random_between(&r, 0.05, 1.0), half = random_between(&r, 0.0, 2.0),
                     x = random_between(&r, -4.0, 4.0), y = random_between(&r, -4.0, 4.0);
        const apart_shape capsule = apart_capsule_2d(radius, half), point = apart_point_2d(x, y);
        apart_result result;
        ck_assert_int_eq(apart_distance(&capsule, &rest, &point, &rest, NULL, NULL, &result), APART_OK);
        const double expected = distance_to_segment(x, y, half) - radius;
        ck_assert_double_le(fabs(result.distance - expected), 64.0 * DBL_EPSILON);
        assert_proved(&capsule, &rest, &point, &rest, &result);
        apart_aabb box;
        ck_assert_int_eq(apart_shape_aabb(&capsule, &rest, &box), APART_OK);
        ck_assert_double_ge(box.max.y, half + radius);
        ck_assert_double_le(box.max.y, half + radius + 64.0 * DBL_EPSILON);
        ck_assert_double_le(box.min.x, -radius);
        ck_assert_double_ge(box.min.x, -radius - 64.0 * DBL_EPSILON);
    }
    const apart_shape negative = apart_capsule_2d(1.0, -1.0), thin = apart_capsule_2d(-1.0, 1.0),
                      undefined = apart_capsule_2d(1.0, NAN), good = apart_capsule_2d(1.0, 1.0);
    ck_assert_int_eq(apart_shape_check(&negative), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_shape_check(&thin), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_shape_check(&undefined), APART_ERR_NONFINITE);
    ck_assert_str_eq(apart_shape_name(&good), "capsule");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("planar");
    TCase *tests = tcase_create("planar");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, half_space_against_bodies_of_the_plane);
    tcase_add_test(tests, half_space_in_the_other_queries);
    tcase_add_test(tests, capsule_against_points);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
