/* Mere contact, in space and in the plane: the distance is 0 to rounding, the bounds are close, and the normal
 * separates. */
#include "depth_answers.h"
#include "depth_checks.h"
#include "run_suite.h"

/* Distance 0 to rounding, and a normal that separates. */
static void check_touch(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b)
{
    const apart_result r = query(a, &pose_a, b, &pose_b, NULL, NULL);
    ck_assert_msg(fabs(r.distance) <= TIGHT, "%s at %s: %g", apart_shape_name(b), apart_shape_name(a), r.distance);
    ck_assert_int_eq(r.relation, APART_TOUCHING);
    const double width = (is_curved(a) || is_curved(b) ? CURVED : TIGHT) * magnitude(a, &pose_a, b, &pose_b);
    ck_assert_msg(r.upper - r.lower <= width, "%s at %s: bounds [%g, %g]", apart_shape_name(b), apart_shape_name(a),
                  r.lower, r.upper);
    const double along = separation(a, &pose_a, b, &pose_b, r.normal);
    ck_assert_msg(along >= -width, "%s at %s: the normal %g %g %g separates by %g", apart_shape_name(b),
                  apart_shape_name(a), r.normal.x, r.normal.y, r.normal.z, along);
    ck_assert(apart_vec3_distance(r.a, r.b) <= 4 * TIGHT);
    check_members(a, &pose_a, b, &pose_b, &r, 4 * TIGHT);
}

START_TEST(contact)
{
    const double quarter = 0.78539816339744828;
    const apart_shape cube = apart_box(vec(1, 1, 1)), half = apart_box(vec(0.5, 0.5, 0.5)),
                      plate = apart_box(vec(1, 1, 0)), ball = apart_sphere(0.5);
    const apart_shape can = apart_cylinder(1, 1), cone = apart_cone(1, 1), egg = apart_ellipsoid(vec(1, 2, 3)),
                      pill = apart_capsule(0.5, 1);
    const apart_shape point = apart_point(vec(0, 0, 0)), rod = apart_segment(vec(-1, 0, 0), vec(1, 0, 0));
    double xyz[24];
    cube_points(xyz, vec(1, 1, 1));
    const apart_shape points = apart_points(xyz, 8);
    const apart_shape *cubes[2] = {&cube, &points};
    for (int i = 0; i < 2; i++) {
        check_touch(cubes[i], at(0, 0, 0), &half, at(1.5, 0, 0));       /* face, face */
        check_touch(cubes[i], at(0, 0, 0), &half, at(1.5, 1.25, -0.5)); /* faces that share a part */
        check_touch(cubes[i], at(0, 0, 0), &half, at(1.5, 1.5, 0));     /* edge along edge */
        check_touch(cubes[i], at(0, 0, 0), &half, at(1.5, -1.5, 1.5));  /* vertex, vertex */
        check_touch(cubes[i], at(0, 0, 0), &half, turned_rpy(0, 0, quarter, vec(1 + 0.5 * ROOT_2, 0, 0)));
        check_touch(cubes[i], turned_rpy(0, 0, quarter, vec(0, 0, 0)), &half,
                    turned_rpy(0, quarter, 0, vec(1.5 * ROOT_2, 0, 0)));
        check_touch(cubes[i], at(0, 0, 0), &plate, at(0, 0, 1));
        check_touch(cubes[i], at(0, 0, 0), &plate, at(2, 0, 0.25));
        check_touch(cubes[i], at(0, 0, 0), &point, at(1, 0.25, 0.5));
        check_touch(cubes[i], at(0, 0, 0), &point, at(1, 1, 0));
        check_touch(cubes[i], at(0, 0, 0), &point, at(1, -1, 1));
        check_touch(cubes[i], at(0, 0, 0), &rod, at(0, 1, 0));
        check_touch(cubes[i], at(0, 0, 0), &rod, at(2, 0, 0));
        check_touch(cubes[i], at(0, 0, 0), &ball, at(0, 1.5, 0.25));
        check_touch(cubes[i], at(0, 0, 0), &can, at(0, 0, 2));
        check_touch(cubes[i], at(0, 0, 0), &can, at(2, 0, 0));
        check_touch(cubes[i], at(0, 0, 0), &cone, at(0, 0, 2));
        check_touch(cubes[i], at(0, 0, 0), &cone, at(0, 0, -2));
        check_touch(cubes[i], at(0, 0, 0), &egg, at(0, 3, 0));
        check_touch(cubes[i], at(0, 0, 0), &pill, at(1.5, 0, 0));
    }
    /* Bodies whose Minkowski difference has no interior. */
    check_touch(&plate, at(0, 0, 0), &plate, at(0.5, 0.5, 0));
    check_touch(&plate, at(0, 0, 0), &plate, at(0, 0, 0));
    check_touch(&rod, at(0, 0, 0), &rod, at(0.5, 0, 0));
    check_touch(&rod, at(0, 0, 0), &rod, at(0, 0, 0));
    check_touch(&rod, at(0, 0, 0), &rod, at(2, 0, 0));
    check_touch(&rod, at(0, 0, 0), &rod, turned_rpy(0, 0, 1, vec(0.25, 0, 0)));
    check_touch(&rod, at(0, 0, 0), &plate, at(0.25, 0, 0));
    check_touch(&point, at(1, 2, 3), &point, at(1, 2, 3));
    check_touch(&point, at(0.5, 0, 0), &rod, at(0, 0, 0));
    check_touch(&point, at(0.5, 0.25, 0), &plate, at(0, 0, 0));
    check_touch(&ball, at(0, 0, 0), &ball, at(0.6, 0.8, 0));
    check_touch(&can, at(0, 0, 0), &can, at(2, 0, 0));
    check_touch(&can, at(0, 0, 0), &can, at(0, 0, 2));
    check_touch(&can, at(0, 0, 0), &cone, at(0.5, 0, 2));
    check_touch(&egg, at(0, 0, 0), &ball, at(1.5, 0, 0));
}
END_TEST

START_TEST(planar_contact)
{
    const apart_shape square = apart_rectangle(1, 1), circle = apart_circle(0.5), point = apart_point_2d(0, 0),
                      rod = apart_segment_2d(-1, 0, 1, 0);
    check_touch(&square, at(0, 0, 0), &square, at(2, 0.5, 0));
    check_touch(&square, at(0, 0, 0), &square, at(2, -2, 0));
    check_touch(&square, at(0, 0, 0), &circle, at(0, 1.5, 0));
    check_touch(&square, at(0, 0, 0), &point, at(1, 0.5, 0));
    check_touch(&square, at(0, 0, 0), &rod, at(0.5, 1, 0));
    check_touch(&rod, at(0, 0, 0), &rod, at(0.5, 0, 0));
    check_touch(&rod, at(0, 0, 0), &rod, at(2, 0, 0));
    check_touch(&point, at(1, 1, 0), &point, at(1, 1, 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("depth_contact");
    TCase *tests = tcase_create("contact");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, contact);
    tcase_add_test(tests, planar_contact);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
