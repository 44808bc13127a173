/* Depths of polytopes: boxes as boxes, points and hulls, known by formula; flat bodies in solids; the features an
 * answer names; hulls of every size against the exhaustive search, scans over all vertices and the independent
 * check. */
#include "depth_answers.h"
#include "depth_checks.h"
#include "run_suite.h"
#include "minkowski_depth.h"

/* ------------------------------------------------ boxes */

static void check_boxes(apart_vec3 ha, apart_pose pose_a, apart_vec3 hb, apart_pose pose_b, double expected,
                        apart_vec3 normal)
{
    box_forms a, b;
    make_forms(&a, ha);
    make_forms(&b, hb);
    for (int i = 0; i < 9; i++) {
        const apart_result r = check_depth(&a.shape[i / 3], pose_a, &b.shape[i % 3], pose_b, expected, TIGHT * 8);
        if (apart_vec3_norm(normal) > 0.0) {
            check_normal(&r, normal.x, normal.y, normal.z, 1e-12);
        }
    }
    apart_hull_free(a.hull);
    apart_hull_free(b.hull);
}

START_TEST(boxes)
{
    const apart_vec3 one = {1, 1, 1}, half = {0.5, 0.5, 0.5}, tie = {0, 0, 0}, x = {1, 0, 0};
    const double quarter = 0.78539816339744828,
                 to_vertex = 0.95531661812450928; /* 45 degrees, atan(sqrt 2): a diagonal along x */
    check_boxes(one, at(0, 0, 0), one, at(0, 0, 0), -2.0, tie);
    check_boxes(one, at(0, 0, 0), half, at(1.2, 0, 0), -0.3, x);
    check_boxes(one, at(0, 0, 0), half, at(1.25, 0.25, -0.5), -0.25, x);
    check_boxes(one, at(0, 0, 0), half, at(1.25, 1.25, 1.25), -0.25, tie);
    check_boxes(vec(3, 2, 1), at(0, 0, 0), vec(0.5, 0.25, 0.125), at(0.3, -0.2, 0.1), -1.025, vec(0, 0, 1));
    check_boxes(vec(3, 2, 1), at(0, 0, 0), vec(0.5, 0.25, 0.125), at(2.75, -0.2, 0.1), -0.75, x);
    /* An edge in a face, edge across edge, a vertex in a face. */
    check_boxes(one, at(0, 0, 0), half, turned_rpy(0, 0, quarter, vec(1 + 0.5 * ROOT_2 - 0.125, 0.25, 0)), -0.125, x);
    check_boxes(one, turned_rpy(0, 0, quarter, vec(0, 0, 0)), half,
                turned_rpy(0, quarter, 0, vec(1.5 * ROOT_2 - 0.125, 0, 0)), -0.125, x);
    check_boxes(one, at(0, 0, 0), half, turned_rpy(quarter, to_vertex, 0, vec(1 + 0.5 * ROOT_3 - 0.125, 0, 0)), -0.125,
                x);
    /* Common large offset: removed before anything is computed. */
    check_boxes(one, at(0, 0, 0), half, at(0x1p-20 + 1.25, 0, 0), -(0.25 - 0x1p-20), x);
}
END_TEST

/* Two boxes and the same boxes as bare points, for which other code runs: aligned, tilted by next to nothing, flat,
 * thin, in single precision. */
START_TEST(boxes_and_points_agree)
{
    random_source r = 53;
    for (int i = 0; i < 20000; i++) {
        apart_vec3 half[2];
        for (int k = 0; k < 6; k++) {
            const double sizes[4] = {0.0, 1e-9, 0.25 * (1 + random_below(&r, 4)), random_between(&r, 0.1, 1.0)};
            ((double *)&half[k / 3])[k % 3] =
                sizes[random_below(&r, 8) > 1 ? 2 + random_below(&r, 2) : random_below(&r, 2)];
        }
        apart_pose pose_a = at(0, 0, 0), tilt;
        apart_pose pose_b = at(0.25 * random_below(&r, 5), 0.25 * random_below(&r, 4), 0.25 * random_below(&r, 3));
        if (i % 4 > 0) {
            pose_b.translation = apart_vec3_scale(random_between(&r, 0.0, 1.5), random_in_ball(&r));
        }
        if (i % 3 > 0) {
            pose_a.rotation = random_rotation(&r);
            const double angle = i % 3 == 1 ? ldexp(1.0, -(int)random_below(&r, 54)) : random_between(&r, 0.0, 3.0);
            ck_assert_int_eq(apart_pose_from_axis_angle(vec(1, random_below(&r, 3), random_below(&r, 2)), angle,
                                                        vec(0, 0, 0), &tilt),
                             APART_OK);
            const apart_vec3 there = pose_b.translation;
            pose_b = apart_pose_compose(&pose_a, &tilt);
            pose_b.translation = there;
        }
        for (int k = 0; i % 7 == 0 && k < 9; k++) {
            ((double *)&pose_b.rotation)[k] = (float)((double *)&pose_b.rotation)[k];
        }
        double xyz[2][24];
        cube_points(xyz[0], half[0]);
        cube_points(xyz[1], half[1]);
        const apart_shape a = apart_box(half[0]), b = apart_box(half[1]);
        const apart_shape points_a = apart_points(xyz[0], 8), points_b = apart_points(xyz[1], 8);
        const apart_result box = query(&a, &pose_a, &b, &pose_b, NULL, NULL);
        const apart_result other = query(&points_a, &pose_a, &points_b, &pose_b, NULL, NULL);
        const apart_vec3 off = apart_vec3_add_scaled(apart_vec3_sub(box.b, box.a), -box.distance, box.normal);
        const double m = apart_vec3_norm(half[0]) + apart_vec3_norm(half[1]) + apart_vec3_norm(pose_b.translation);
        ck_assert_msg(box.lower <= other.upper && other.lower <= box.upper,
                      "pair %d: [%.17g, %.17g] and [%.17g, %.17g]", i, box.lower, box.upper, other.lower, other.upper);
        ck_assert_msg(box.upper - box.lower <= 128.0 * EPS * m && apart_vec3_norm(off) <= 32.0 * EPS * m,
                      "pair %d: bounds %g apart, witness off by %g", i, box.upper - box.lower, apart_vec3_norm(off));
        ck_assert_int_eq(box.stop, APART_STOP_CONVERGED);
    }
}
END_TEST

START_TEST(box_far_away)
{
    const apart_shape a = apart_box(vec(1, 1, 1)), b = apart_box(vec(0.5, 0.5, 0.5));
    const apart_pose pose_a = at(0x1p40, -0x1p40, 0x1p39), pose_b = at(0x1p40 + 1.25, -0x1p40, 0x1p39);
    const apart_result r = query(&a, &pose_a, &b, &pose_b, NULL, NULL);
    ck_assert(fabs(r.distance + 0.25) <= TIGHT && r.upper - r.lower <= 4 * TIGHT);
    check_normal(&r, 1, 0, 0, TIGHT);
}
END_TEST

START_TEST(scales)
{
    for (int e = -500; e <= 400; e += 50) {
        const double s = ldexp(1.0, e);
        const apart_shape a = apart_box(vec(s, s, s)), b = apart_box(vec(0.5 * s, 0.5 * s, 0.5 * s));
        const apart_shape ball = apart_sphere(0.5 * s), can = apart_cylinder(0.5 * s, s);
        const apart_pose pose_a = at(0, 0, 0), pose_b = at(1.25 * s, 0.125 * s, 0);
        const apart_shape *all[3] = {&b, &ball, &can};
        for (int i = 0; i < 3; i++) {
            const apart_result r = query(&a, &pose_a, all[i], &pose_b, NULL, NULL);
            ck_assert_msg(fabs(r.distance / s + 0.25) <= (i == 2 ? CURVED : TIGHT), "scale 2^%d: %g", e,
                          r.distance / s);
        }
    }
}
END_TEST

/* Points, segments, triangles and plates inside solids; the Minkowski difference has an interior although one body has
 * none. */
START_TEST(flat_bodies)
{
    const apart_shape box = apart_box(vec(1, 2, 3)), point = apart_point(vec(0.25, 0.5, 0));
    const apart_shape segment = apart_segment(vec(-0.5, 0, -1), vec(0.5, 0, 1)), plate = apart_box(vec(0.5, 0.5, 0));
    const apart_shape triangle = apart_triangle(vec(0, 0, 0), vec(0, 1, 0), vec(0, 0, 1));
    apart_result r = check_depth(&box, at(0, 0, 0), &point, at(0, 0, 0), -0.75, TIGHT);
    check_normal(&r, 1, 0, 0, TIGHT);
    check_depth(&box, at(0, 0, 0), &segment, at(0.25, 0, 0), -1.25, TIGHT);
    check_depth(&box, at(0, 0, 0), &plate, at(0.25, 0, 0), -1.25, TIGHT);
    r = check_depth(&box, at(0, 0, 0), &triangle, at(-0.25, 0, 0), -0.75, TIGHT);
    check_normal(&r, -1, 0, 0, TIGHT);
    /* Two plates through each other; a segment through a plate; all of them at the very centre too. */
    const apart_shape other = apart_box(vec(1, 0, 0.75)), across = apart_segment(vec(0, 0, -0.5), vec(0, 0, 1));
    check_depth(&plate, at(0, 0, 0), &other, at(0, 0, 0), -0.5, TIGHT);
    check_depth(&plate, at(0, 0, 0), &other, at(0.25, 0.125, 0), -0.375, TIGHT);
    r = check_depth(&plate, at(0, 0, 0), &across, at(0.125, 0, 0), -0.375, TIGHT);
    check_normal(&r, 1, 0, 0, TIGHT);
    r = check_depth(&plate, at(0, 0, 0), &across, at(0, 0, 0.375), -0.125, TIGHT);
    check_normal(&r, 0, 0, 1, TIGHT);
}
END_TEST

START_TEST(features_of_a_depth)
{
    const double quarter = 0.78539816339744828, to_vertex = 0.95531661812450928;
    const apart_shape cube = apart_box(vec(1, 1, 1)), half = apart_box(vec(0.5, 0.5, 0.5));
    const apart_pose here = at(0, 0, 0),
                     vertex = turned_rpy(quarter, to_vertex, 0, vec(1 + 0.5 * ROOT_3 - 0.125, 0.25, 0.125)),
                     diamond = turned_rpy(0, 0, quarter, here.translation),
                     edge = turned_rpy(0, quarter, 0, vec(1.5 * ROOT_2 - 0.125, 0, 0));
    apart_feature on_a, on_b;
    apart_result r = query(&cube, &here, &half, &vertex, NULL, NULL);
    ck_assert_int_eq(apart_features(&cube, &here, &half, &vertex, &r, &on_a, &on_b), APART_OK);
    ck_assert_int_eq(on_a.kind, APART_FEATURE_FACE);
    ck_assert_int_eq(on_b.kind, APART_FEATURE_VERTEX);
    r = query(&cube, &diamond, &half, &edge, NULL, NULL);
    ck_assert_int_eq(apart_features(&cube, &diamond, &half, &edge, &r, &on_a, &on_b), APART_OK);
    ck_assert_int_eq(on_a.kind, APART_FEATURE_EDGE);
    ck_assert_int_eq(on_b.kind, APART_FEATURE_EDGE);
}
END_TEST

/* ------------------------------------------------ hulls */

/* Any two point sets: the exhaustive search. */
START_TEST(hulls_against_the_reference)
{
    random_source r = 5;
    for (int i = 0; i < 400; i++) {
        double xyz[2][30];
        size_t n[2];
        for (int k = 0; k < 2; k++) {
            n[k] = 1 + random_below(&r, 10);
            for (size_t j = 0; j < 3 * n[k]; j++) {
                xyz[k][j] = i % 3 == 0 ? (double)random_below(&r, 5) - 2.0 : random_between(&r, -1, 1);
            }
        }
        const apart_shape a = apart_points(xyz[0], n[0]), b = apart_points(xyz[1], n[1]);
        apart_pose pose_a = apart_pose_identity(),
                   pose_b = at(0.25 * random_below(&r, 3), 0, 0.25 * random_below(&r, 3));
        if (i % 3 == 2) {
            pose_a.rotation = random_rotation(&r);
            pose_b.rotation = random_rotation(&r);
        }
        minkowski_answer d;
        minkowski_depth(&(exact_points){xyz[0], n[0], 3, &pose_a}, &(exact_points){xyz[1], n[1], 3, &pose_b}, &d);
        if (d.inside) {
            check_depth(&a, pose_a, &b, pose_b, -d.least, 1e-13);
        }
    }
}
END_TEST

/* A hull of n points on a sphere; every third one flattened, so that it is not round. */
static apart_hull *sphere_hull(random_source *r, size_t n, bool flat)
{
    double xyz[3 * 400];
    for (size_t i = 0; i < n; i++) {
        const apart_vec3 p = vec(random_between(r, -1, 1), random_between(r, -1, 1), random_between(r, -1, 1));
        const double size = apart_vec3_norm(p);
        xyz[3 * i] = p.x / size;
        xyz[3 * i + 1] = p.y / size;
        xyz[3 * i + 2] = flat ? 0.25 * p.z / size : p.z / size;
    }
    apart_hull *hull;
    ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &hull), APART_OK);
    return hull;
}

/* By their size, hulls are transformed as a whole, climbed, or searched from their direction table: the depth is that
 * of scans over all vertices, the independent verifier agrees, and a trace changes no bit. */
START_TEST(hulls_of_every_size_by_every_search)
{
    static const size_t sizes[] = {8, 9, 16, 17, 40, 64, 65, 120, 400};
    enum { count = sizeof sizes / sizeof *sizes };
    random_source r = 11;
    int inside = 0;
    for (int i = 0; i < 20 * count; i++) {
        apart_hull *hull_a = sphere_hull(&r, sizes[i % count], i % 3 == 0);
        apart_hull *hull_b = sphere_hull(&r, sizes[(i / count) % count], i % 4 == 0);
        const apart_shape a = apart_hull_shape(hull_a), b = apart_hull_shape(hull_b);
        apart_pose pose_a = apart_pose_identity(),
                   pose_b = at(random_between(&r, -0.7, 0.7), random_between(&r, -0.7, 0.7), 0.1);
        pose_a.rotation = random_rotation(&r);
        pose_b.rotation = random_rotation(&r);
        apart_trace_step steps[4];
        apart_trace trace = {.steps = steps, .capacity = 4};
        const apart_options scan = {.support = APART_SUPPORT_SCAN}, climb = {.support = APART_SUPPORT_CLIMB},
                            traced = {.trace = &trace};
        const apart_result d = query(&a, &pose_a, &b, &pose_b, NULL, NULL),
                           s = query(&a, &pose_a, &b, &pose_b, &scan, NULL);
        const apart_result c = query(&a, &pose_a, &b, &pose_b, &climb, NULL),
                           t = query(&a, &pose_a, &b, &pose_b, &traced, NULL);
        inside += d.relation == APART_OVERLAPPING;
        ck_assert_msg(fabs(d.distance - s.distance) <= 64 * EPS && fabs(c.distance - s.distance) <= 64 * EPS,
                      "pair %d: %.17g, scanned %.17g, climbed %.17g", i, d.distance, s.distance, c.distance);
        ck_assert_msg(d.stop == APART_STOP_CONVERGED && d.upper - d.lower <= 1e-13, "pair %d: bounds %g apart", i,
                      d.upper - d.lower);
        ck_assert_msg(t.distance == d.distance && t.lower == d.lower && t.upper == d.upper,
                      "pair %d: a trace changes %.17g to %.17g", i, d.distance, t.distance);
        apart_proof proof;
        ck_assert_int_eq(apart_verify(&a, &pose_a, &b, &pose_b, &d, &proof), APART_OK);
        ck_assert_msg(proof.verdict != APART_REFUTED, "pair %d: %s", i, proof.reason);
        apart_hull_free(hull_a);
        apart_hull_free(hull_b);
    }
    ck_assert_int_gt(inside, 15 * count);
}
END_TEST

/* Guesses of the direction table need not be extreme: beside curved bodies, whose points never repeat, a surface of
 * them may not close. */
START_TEST(hulls_with_a_table_and_other_bodies)
{
    static const size_t sizes[] = {65, 120, 400};
    random_source r = 12;
    const apart_shape others[] = {apart_cylinder(0.2, 1.2), apart_cone(0.3, 1.2), apart_ellipsoid(vec(0.2, 0.4, 1.2)),
                                  apart_box(vec(0.2, 0.2, 1.2))};
    const apart_options scan = {.support = APART_SUPPORT_SCAN};
    int inside = 0;
    for (int i = 0; i < 12; i++) {
        apart_hull *hull = sphere_hull(&r, sizes[i % 3], i % 2 == 0);
        const apart_shape a = apart_hull_shape(hull);
        for (int k = 0; k < 1600; k++) {
            apart_pose pose_a = apart_pose_identity(),
                       pose_b = at(random_between(&r, -0.7, 0.7), random_between(&r, -0.7, 0.7), 0.1);
            pose_a.rotation = random_rotation(&r);
            pose_b.rotation = random_rotation(&r);
            const apart_result d = query(&a, &pose_a, &others[k % 4], &pose_b, NULL, NULL);
            if (d.relation != APART_OVERLAPPING) {
                continue;
            }
            const apart_result s = query(&a, &pose_a, &others[k % 4], &pose_b, &scan, NULL);
            inside++;
            ck_assert_msg(d.upper - d.lower <= 1e-9, "hull %d, pair %d: bounds %g apart", i, k, d.upper - d.lower);
            ck_assert_msg(d.lower <= s.upper && s.lower <= d.upper, "hull %d, pair %d: %.17g, scanned %.17g", i, k,
                          d.distance, s.distance);
        }
        apart_hull_free(hull);
    }
    ck_assert_int_gt(inside, 8000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("depth_polytopes");
    TCase *tests = tcase_create("polytopes");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, boxes);
    tcase_add_test(tests, boxes_and_points_agree);
    tcase_add_test(tests, box_far_away);
    tcase_add_test(tests, scales);
    tcase_add_test(tests, flat_bodies);
    tcase_add_test(tests, features_of_a_depth);
    tcase_add_test(tests, hulls_against_the_reference);
    tcase_add_test(tests, hulls_of_every_size_by_every_search);
    tcase_add_test(tests, hulls_with_a_table_and_other_bodies);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
