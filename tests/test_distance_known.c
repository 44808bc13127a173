/* Distances known by formula: spheres, boxes in all feature combinations, round bodies, half-spaces, the plane, points,
 * large offsets. */
#include "distance_checks.h"
#include "run_suite.h"

#define ROOT2 1.4142135623730951
#define ROOT3 1.7320508075688772

typedef struct row {
    const char *name;
    apart_shape a;
    apart_pose pose_a;
    apart_shape b;
    apart_pose pose_b;
    double expected;
} row;

static void check_rows(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const row *w = &rows[i];
        double ra, rb;
        apart_vec3 ca, cb;
        ck_assert_int_eq(apart_shape_ball(&w->a, &ca, &ra), APART_OK);
        ck_assert_int_eq(apart_shape_ball(&w->b, &cb, &rb), APART_OK);
        const double size = ra + rb + apart_vec3_distance(w->pose_b.translation, w->pose_a.translation);
        const apart_result r = query(&w->a, w->pose_a, &w->b, w->pose_b, NULL);
        check_distance(&r, w->expected, size, w->name);
        const apart_result back = query(&w->b, w->pose_b, &w->a, w->pose_a, NULL);
        check_distance(&back, w->expected, size, w->name);
        if (r.distance > 1e-6 && w->expected > 0.0) {
            ck_assert_msg(apart_vec3_dot(r.normal, back.normal) < -1.0 + 1e-6, "%s: normals of the swapped query",
                          w->name);
        }
    }
}

START_TEST(spheres)
{
    const apart_shape s = apart_sphere(1.0), t = apart_sphere(0.5), p = apart_sphere(0.0);
    const row rows[] = {
        {"apart", s, at(0, 0, 0), t, at(3, 0, 0), 1.5},          {"diagonal", s, at(1, 1, 1), t, at(4, 5, 13), 11.5},
        {"touching", s, at(0, 0, 0), t, at(0, 1.5, 0), 0.0},     {"overlapping", s, at(0, 0, 0), t, at(0, 0, 1), -0.5},
        {"same centre", s, at(2, 3, 4), t, at(2, 3, 4), -1.5},   {"points", p, at(0, 0, 0), p, at(3, 4, 0), 5.0},
        {"the same point", p, at(1, 2, 3), p, at(1, 2, 3), 0.0},
    };
    check_rows(rows, sizeof rows / sizeof rows[0]);
}
END_TEST

START_TEST(boxes_in_all_feature_combinations)
{
    const apart_shape b = apart_box(vec(1, 1, 1));
    /* An edge up (about x or y), a vertex up: turns of 45 degrees, and the one that takes (1,1,1) to the z axis. */
    const apart_pose edge_x = turned(vec(1, 0, 0), 45, vec(0, 0, 0)), edge_y = turned(vec(0, 1, 0), 45, vec(0, 0, 0));
    const double root6 = ROOT2 * ROOT3;
    const apart_mat3 tip = {{1 / ROOT2, 1 / root6, 1 / ROOT3},
                            {-1 / ROOT2, 1 / root6, 1 / ROOT3},
                            {0, -2 / root6, 1 / ROOT3}};
    const apart_pose vertex = {tip, {0, 0, 0}};
    apart_pose edge_x_at = edge_x, edge_y_at = edge_y, vertex_at = vertex;
    edge_x_at.translation = vec(0.25, 0.25, 4);
    edge_y_at.translation = vec(0.25, -0.25, 4);
    vertex_at.translation = vec(0.25, 0.125, 4);
    apart_pose vertex_over = vertex;
    vertex_over.translation = vec(0, 0, 5);
    const row rows[] = {
        {"face-face", b, at(0, 0, 0), b, at(3, 0.5, -0.25), 1.0},
        {"face-face, level", b, at(0, 0, 0), b, at(0, 0, -3), 1.0},
        {"edge-edge, parallel", b, at(0, 0, 0), b, at(3, 3, 0.5), ROOT2},
        {"vertex-vertex", b, at(0, 0, 0), b, at(3, -3, 3), ROOT3},
        {"edge-edge, crossing", b, edge_x, b, edge_y_at, 4 - 2 * ROOT2},
        {"edge-face", b, at(0, 0, 0), b, edge_x_at, 3 - ROOT2},
        {"vertex-face", b, at(0, 0, 0), b, vertex_at, 3 - ROOT3},
        {"vertex-edge", b, edge_x, b, vertex_over, 5 - ROOT2 - ROOT3},
        {"vertex-vertex, tip to tip", b, vertex, b, vertex_over, 5 - 2 * ROOT3},
        {"touching faces", b, at(0, 0, 0), b, at(2, 0.5, 0.25), 0.0},
        {"touching vertices", b, at(0, 0, 0), b, at(2, 2, 2), 0.0},
        {"plates", apart_box(vec(1, 1, 0)), at(0, 0, 0), apart_box(vec(2, 0.5, 0)), at(0.5, 0, 0.75), 0.75},
        {"crossed segments", apart_box(vec(1, 0, 0)), at(0, 0, 0), apart_box(vec(0, 1, 0)), at(0, 0, -0.5), 0.5},
    };
    check_rows(rows, sizeof rows / sizeof rows[0]);
}
END_TEST

START_TEST(round_primitives)
{
    const apart_shape capsule = apart_capsule(0.5, 2), cylinder = apart_cylinder(1, 2), cone = apart_cone(1, 2);
    const apart_shape ball = apart_sphere(0.5), egg = apart_ellipsoid(vec(3, 2, 1)),
                      soap = apart_rounded(apart_box(vec(1, 1, 1)), 0.25);
    const apart_shape triangle = apart_triangle(vec(0, 0, 0), vec(4, 0, 0), vec(0, 4, 0));
    const apart_pose on_side = turned(vec(1, 0, 0), 90, vec(5, 0, 0)),
                     lying_far = turned(vec(0, 1, 0), 90, vec(0, 0, 6));
    const row rows[] = {
        {"capsules, parallel", capsule, at(0, 0, 0), capsule, at(3, 0, 1), 2.0},
        {"capsules, crossed", capsule, at(0, 0, 0), capsule, on_side, 4.0},
        {"capsules, end to end", capsule, at(0, 0, 0), capsule, at(0, 0, 7), 2.0},
        {"capsule and sphere beyond its end", capsule, at(0, 0, 0), ball, at(3, 0, 6), 4.0},
        {"cylinders, side by side", cylinder, at(0, 0, 0), cylinder, at(0, 5, 1), 3.0},
        {"cylinders, one above the other", cylinder, at(0, 0, 0), cylinder, at(0.5, 0.25, 7), 3.0},
        {"cylinder on its side above", cylinder, at(0, 0, 0), cylinder, lying_far, 3.0},
        {"cylinder's rim and a sphere", cylinder, at(0, 0, 0), ball, at(4, 0, 6), 4.5},
        {"cone's apex and a sphere", cone, at(0, 0, 0), ball, at(0, 0, 5), 2.5},
        {"cone's base and a box", cone, at(0, 0, 0), apart_box(vec(1, 1, 1)), at(0, 0, -4), 1.0},
        {"cone's side and a point", cone, at(0, 0, 0), apart_point(vec(0, 0, 0)), at(4, 0, 3), 4.123105625617661},
        {"cone's rim and a sphere", cone, at(0, 0, 0), ball, at(4, 0, -6), 4.5},
        {"ellipsoid along x", egg, at(0, 0, 0), ball, at(5, 0, 0), 1.5},
        {"ellipsoid along y", egg, at(0, 0, 0), ball, at(0, -5, 0), 2.5},
        {"ellipsoid along z", egg, at(0, 0, 0), egg, at(0, 0, 5), 3.0},
        {"sphere as an ellipsoid", apart_ellipsoid(vec(1, 1, 1)), at(0, 0, 0), ball, at(2, 2, 1), 1.5},
        {"flat ellipsoid above a point", apart_ellipsoid(vec(2, 1, 0)), at(0, 0, 0), apart_point(vec(0.5, 0.25, 3)),
         at(0, 0, 0), 3.0},
        {"segments", apart_segment(vec(0, 0, 0), vec(1, 0, 0)), at(0, 0, 0), apart_segment(vec(2, 1, 0), vec(2, -1, 0)),
         at(0, 0, 0), 1.0},
        {"triangle and point", triangle, at(0, 0, 0), apart_point(vec(1, 1, 2)), at(0, 0, 0), 2.0},
        {"rounded boxes", soap, at(0, 0, 0), apart_rounded(apart_box(vec(1, 1, 1)), 0.5), at(4, 0, 0), 1.25},
        {"rounded bodies meet", soap, at(0, 0, 0), ball, at(1.5, 0, 0), -0.25},
    };
    check_rows(rows, sizeof rows / sizeof rows[0]);
}
END_TEST

START_TEST(half_space_against_everything)
{
    const double points[12] = {0, 0, -1, 1, 0, 2, 0, 1, 2, -1, -1, 2};
    const apart_shape ground = apart_half_space(vec(0, 0, 2), -1); /* z <= -1 */
    apart_hull *hull = NULL;
    ck_assert_int_eq(apart_hull_build(points, 4, NULL, &hull), APART_OK);
    const struct {
        apart_shape shape;
        double below; /* the extent of the body below its origin */
    } bodies[] = {{apart_sphere(2), 2},
                  {apart_point(vec(1, 2, -0.5)), 0.5},
                  {apart_box(vec(1, 2, 3)), 3},
                  {apart_capsule(0.5, 1), 1.5},
                  {apart_cylinder(1, 2), 2},
                  {apart_cone(1, 2), 2},
                  {apart_ellipsoid(vec(3, 2, 1)), 1},
                  {apart_points(points, 4), 1},
                  {apart_hull_shape(hull), 1},
                  {apart_rounded(apart_box(vec(1, 1, 1)), 0.5), 1.5}};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        for (int k = 0; k < 3; k++) { /* above, touching, below */
            const double height = k == 0 ? 10 : k == 1 ? bodies[i].below - 1 : -3;
            const double expected = height - bodies[i].below + 1;
            const apart_result r = query(&ground, at(0, 0, 0), &bodies[i].shape, at(7, -5, height), NULL);
            check_distance(&r, expected, 40, apart_shape_name(&bodies[i].shape));
            ck_assert_double_eq_tol(r.normal.z, 1.0, 4 * EPS);
            const apart_result back = query(&bodies[i].shape, at(7, -5, height), &ground, at(0, 0, 0), NULL);
            check_distance(&back, expected, 40, apart_shape_name(&bodies[i].shape));
            ck_assert_double_eq_tol(back.normal.z, -1.0, 4 * EPS);
        }
    }
    const apart_shape thick = apart_rounded(ground, 0.5), ball = apart_sphere(1); /* z <= -0.5 */
    if (apart_shape_check(&thick) == APART_OK) {
        const apart_result r = query(&thick, at(0, 0, 0), &ball, at(0, 0, 3), NULL);
        check_distance(&r, 2.5, 10, "rounded half-space");
    }
    apart_hull_free(hull);
}
END_TEST

START_TEST(the_plane)
{
    const double square[8] = {-1, -1, 1, -1, 1, 1, -1, 1}, triangle[6] = {0, 0, 2, 0, 0, 2};
    apart_pose diamond;
    ck_assert_int_eq(apart_pose_from_angle_2d(0.78539816339744831, 5, 0, &diamond), APART_OK);
    const row rows[] = {
        {"circles", apart_circle(1), at(0, 0, 0), apart_circle(0.5), at(3, 4, 0), 3.5},
        {"circles overlap", apart_circle(1), at(0, 0, 0), apart_circle(0.5), at(1, 0, 0), -0.5},
        {"rectangle and circle", apart_rectangle(1, 2), at(0, 0, 0), apart_circle(1), at(4, 6, 0), 4.0},
        {"polygons", apart_polygon(square, 4), at(0, 0, 0), apart_polygon(triangle, 3), at(3, 0.5, 0), 2.0},
        {"square and diamond", apart_polygon(square, 4), at(0, 0, 0), apart_polygon(square, 4), diamond, 4 - ROOT2},
        {"segments", apart_segment_2d(0, 0, 1, 0), at(0, 0, 0), apart_segment_2d(2, -1, 2, 1), at(0, 0, 0), 1.0},
        {"point and segment", apart_point_2d(0.5, 3), at(0, 0, 0), apart_segment_2d(0, 0, 1, 0), at(0, 0, 0), 3.0},
        {"squares overlap", apart_polygon(square, 4), at(0, 0, 0), apart_rectangle(1, 1), at(1.5, 0.25, 0), -0.5},
    };
    check_rows(rows, sizeof rows / sizeof rows[0]);
    const apart_result r = query(&rows[3].a, at(0, 0, 0), &rows[3].b, at(3, 0.5, 0), NULL);
    ck_assert_int_eq(r.dim, 2);
    ck_assert_double_eq(r.a.z, 0.0);
    ck_assert_double_eq(r.normal.z, 0.0);
}
END_TEST

START_TEST(points_against_bodies)
{
    const apart_shape box = apart_box(vec(1, 2, 3));
    const apart_pose pose = at(10, 0, 0);
    apart_result r;
    ck_assert_int_eq(apart_point_distance(vec(5, 0, 0), &box, &pose, NULL, NULL, &r), APART_OK);
    check_distance(&r, 4.0, 20, "point and box");
    ck_assert_double_eq(r.a.x, 5.0);
    ck_assert_double_eq_tol(r.b.x, 9.0, 64 * EPS);
    ck_assert_int_eq(apart_point_distance(vec(10.25, 0, 0), &box, &pose, NULL, NULL, &r), APART_OK);
    ck_assert_int_eq(r.relation, APART_OVERLAPPING);
    ck_assert_int_eq(apart_point_distance(vec(NAN, 0, 0), &box, &pose, NULL, NULL, &r), APART_ERR_NONFINITE);
    const apart_shape circle = apart_circle(1);
    const apart_pose here = apart_pose_identity();
    ck_assert_int_eq(apart_point_distance(vec(3, 4, 0), &circle, &here, NULL, NULL, &r), APART_OK);
    ck_assert_double_eq_tol(r.distance, 4.0, 64 * EPS);
    ck_assert_int_eq(apart_point_distance(vec(3, 4, 1), &circle, &here, NULL, NULL, &r), APART_ERR_DIMENSION);
}
END_TEST

START_TEST(large_common_offset_is_no_excuse)
{
    const apart_shape a = apart_box(vec(1, 1, 1)), b = apart_cone(1, 1);
    for (double offset = 1.0; offset <= 1e8; offset *= 10.0) {
        const double x = floor(offset), gap = 0x1p-20;
        const apart_result r = query(&a, at(x, -x, 2 * x), &b, at(x, -x, 2 * x + 2 + gap), NULL);
        ck_assert_double_eq_tol(r.distance, (2 * x + 2 + gap) - 2 * x - 2, 64 * EPS * 5);
        ck_assert_double_le(r.upper - r.lower, 256 * EPS * 5);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distance_known");
    TCase *tests = tcase_create("known");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, spheres);
    tcase_add_test(tests, boxes_in_all_feature_combinations);
    tcase_add_test(tests, round_primitives);
    tcase_add_test(tests, half_space_against_everything);
    tcase_add_test(tests, the_plane);
    tcase_add_test(tests, points_against_bodies);
    tcase_add_test(tests, large_common_offset_is_no_excuse);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
