/* The query through its public API: analytic answers, invariances, options, statuses, caches, traces, features. */
#include "pairs.h"
#include "poses.h"
#include "run_suite.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPS DBL_EPSILON
#define ROOT2 1.4142135623730951
#define ROOT3 1.7320508075688772

static apart_result query(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b, const apart_options *options)
{
    apart_result r;
    const apart_status status = apart_distance(a, &pose_a, b, &pose_b, options, NULL, &r);
    ck_assert_msg(status == APART_OK, "%s", apart_status_message(status));
    return r;
}

/* What every result must satisfy. */
static void check_form(const apart_result *r)
{
    ck_assert(isfinite(r->distance) && isfinite(r->upper) && !isnan(r->lower));
    ck_assert(r->lower <= r->distance && r->distance <= r->upper);
    ck_assert_double_eq_tol(length(r->normal), 1.0, 4.0 * EPS);
    const double most = fmax(fmax(length(r->a), length(r->b)), fabs(r->distance));
    const double slack = isfinite(r->lower) ? r->upper - r->lower : INFINITY;
    ck_assert_double_le(length(minus(minus(r->b, r->a), times(r->distance, r->normal))), 4.0 * EPS * most + slack);
    ck_assert(r->count >= 1 && r->count <= 4);
    switch (r->relation) {
    case APART_DISJOINT:
    case APART_BEYOND:
        ck_assert(r->lower > 0.0);
        break;
    case APART_OVERLAPPING:
        ck_assert(r->upper < 0.0 || r->lower == -INFINITY);
        break;
    default:
        ck_assert(r->lower <= 0.0 && r->upper >= 0.0);
        break;
    }
}

/* The expected value within the bounds (it is a rounded number itself), and the bounds a few dozen eps of `size` apart. */
static void check_distance(const apart_result *r, double expected, double size, const char *what)
{
    check_form(r);
    const double own = 2.0 * EPS * size;
    ck_assert_msg(fabs(r->distance - expected) <= 64.0 * EPS * size, "%s: %.17g, expected %.17g", what, r->distance, expected);
    ck_assert_msg(r->lower <= expected + own && r->upper >= expected - own, "%s: [%.17g, %.17g] misses %.17g", what, r->lower, r->upper,
                  expected);
    ck_assert_msg(r->upper - r->lower <= 256.0 * EPS * size, "%s: bounds %.3g wide", what, r->upper - r->lower);
}

/* ------------------------------------------------ analytic pairs */

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
        const double size = ra + rb + length(minus(w->pose_b.translation, w->pose_a.translation));
        const apart_result r = query(&w->a, w->pose_a, &w->b, w->pose_b, NULL);
        check_distance(&r, w->expected, size, w->name);
        const apart_result back = query(&w->b, w->pose_b, &w->a, w->pose_a, NULL);
        check_distance(&back, w->expected, size, w->name);
        if (r.distance > 1e-6 && w->expected > 0.0) {
            ck_assert_msg(dot(r.normal, back.normal) < -1.0 + 1e-6, "%s: normals of the swapped query", w->name);
        }
    }
}

START_TEST(spheres)
{
    const apart_shape s = apart_sphere(1.0), t = apart_sphere(0.5), p = apart_sphere(0.0);
    const row rows[] = {
        {"apart", s, at(0, 0, 0), t, at(3, 0, 0), 1.5},
        {"diagonal", s, at(1, 1, 1), t, at(4, 5, 13), 11.5},
        {"touching", s, at(0, 0, 0), t, at(0, 1.5, 0), 0.0},
        {"overlapping", s, at(0, 0, 0), t, at(0, 0, 1), -0.5},
        {"same centre", s, at(2, 3, 4), t, at(2, 3, 4), -1.5},
        {"points", p, at(0, 0, 0), p, at(3, 4, 0), 5.0},
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
    const apart_mat3 tip = {{1 / ROOT2, 1 / root6, 1 / ROOT3}, {-1 / ROOT2, 1 / root6, 1 / ROOT3}, {0, -2 / root6, 1 / ROOT3}};
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
    const apart_shape ball = apart_sphere(0.5), egg = apart_ellipsoid(vec(3, 2, 1)), soap = apart_rounded(apart_box(vec(1, 1, 1)), 0.25);
    const apart_shape triangle = apart_triangle(vec(0, 0, 0), vec(4, 0, 0), vec(0, 4, 0));
    const apart_pose on_side = turned(vec(1, 0, 0), 90, vec(5, 0, 0)), lying_far = turned(vec(0, 1, 0), 90, vec(0, 0, 6));
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
        {"flat ellipsoid above a point", apart_ellipsoid(vec(2, 1, 0)), at(0, 0, 0), apart_point(vec(0.5, 0.25, 3)), at(0, 0, 0), 3.0},
        {"segments", apart_segment(vec(0, 0, 0), vec(1, 0, 0)), at(0, 0, 0), apart_segment(vec(2, 1, 0), vec(2, -1, 0)), at(0, 0, 0), 1.0},
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
        double below; /* how far the body reaches below its origin */
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

/* ------------------------------------------------ invariances */

static double width(const apart_result *r) { return isfinite(r->lower) ? r->upper - r->lower : 0.0; }

START_TEST(swapping_and_moving_both)
{
    random_source random = {101};
    for (int i = 0; i < 3000; i++) {
        test_pair p;
        pair_generate(&p, &random, NULL);
        const apart_result r = query(&p.a, p.pose_a, &p.b, p.pose_b, NULL), back = query(&p.b, p.pose_b, &p.a, p.pose_a, NULL);
        ck_assert_double_le(fabs(r.distance - back.distance), width(&r) + width(&back));
        if (strcmp(p.family, "offset") == 0 || strcmp(p.family, "far frames") == 0) {
            continue;
        }
        const apart_pose motion = {random_rotation(&random), {0, 0, 0}};
        const apart_result moved = query(&p.a, apart_pose_compose(&motion, &p.pose_a), &p.b, apart_pose_compose(&motion, &p.pose_b), NULL);
        ck_assert_double_le(fabs(r.distance - moved.distance), width(&r) + width(&moved) + 16.0 * EPS * pair_magnitude(&p));
    }
}
END_TEST

static apart_shape scaled_shape(const apart_shape *s, double factor, double *points)
{
    switch (s->kind) {
    case APART_SHAPE_BOX:
        return apart_box(times(factor, s->u.half_extents));
    case APART_SHAPE_POINT:
        return apart_point(times(factor, s->u.point[0]));
    case APART_SHAPE_SEGMENT:
        return apart_segment(times(factor, s->u.point[0]), times(factor, s->u.point[1]));
    case APART_SHAPE_TRIANGLE:
        return apart_triangle(times(factor, s->u.point[0]), times(factor, s->u.point[1]), times(factor, s->u.point[2]));
    default:
        for (size_t i = 0; i < 3 * s->u.points.count; i++) {
            points[i] = factor * s->u.points.coordinates[i];
        }
        return apart_points(points, s->u.points.count);
    }
}

/* A power of two changes no bit but the exponents'; any other factor changes the answer by rounding only. */
START_TEST(scaling)
{
    static const double factors[] = {0x1p-30, 0x1p+1, 0x1p+30, 3.0, 1e-9};
    random_source random = {103};
    for (int i = 0; i < 3000; i++) {
        test_pair p;
        double points_a[3 * PAIR_POINTS_MAX], points_b[3 * PAIR_POINTS_MAX];
        pair_generate(&p, &random, NULL);
        const apart_result r = query(&p.a, p.pose_a, &p.b, p.pose_b, NULL);
        for (size_t k = 0; k < sizeof factors / sizeof factors[0]; k++) {
            const double f = factors[k];
            const apart_shape a = scaled_shape(&p.a, f, points_a), b = scaled_shape(&p.b, f, points_b);
            const apart_pose pa = {p.pose_a.rotation, times(f, p.pose_a.translation)};
            const apart_pose pb = {p.pose_b.rotation, times(f, p.pose_b.translation)};
            const apart_result s = query(&a, pa, &b, pb, NULL);
            if (k < 3) {
                ck_assert_double_eq(s.distance, f * r.distance);
                ck_assert_double_eq(s.lower, f * r.lower);
                ck_assert_double_eq(s.upper, f * r.upper);
                ck_assert_double_eq(s.normal.x, r.normal.x);
                ck_assert_double_eq(s.a.y, f * r.a.y);
                ck_assert_double_eq(s.b.z, f * r.b.z);
                ck_assert_int_eq(s.iterations, r.iterations);
            } else if (strcmp(p.family, "offset") != 0 && strcmp(p.family, "far frames") != 0) {
                ck_assert_double_le(fabs(s.distance / f - r.distance), width(&r) + width(&s) / f + 8.0 * EPS * pair_magnitude(&p));
            }
        }
    }
}
END_TEST

START_TEST(every_solver_and_search_agrees)
{
    random_source random = {107};
    for (int i = 0; i < 1500; i++) {
        test_pair p;
        pair_generate(&p, &random, NULL);
        const apart_result r = query(&p.a, p.pose_a, &p.b, p.pose_b, NULL);
        for (int solver = 0; solver < APART_SOLVER_COUNT; solver++) {
            for (int support = 0; support < APART_SUPPORT_COUNT; support++) {
                const apart_options o = {.solver = (uint8_t)solver, .support = (uint8_t)support};
                const apart_result s = query(&p.a, p.pose_a, &p.b, p.pose_b, &o);
                ck_assert_int_eq(s.solver, solver);
                ck_assert_msg(s.lower <= r.upper && r.lower <= s.upper, "%s/%s: [%.17g, %.17g] against [%.17g, %.17g]",
                              apart_solver_name(solver), apart_support_name(support), s.lower, s.upper, r.lower, r.upper);
                ck_assert_double_le(fabs(s.distance - r.distance), width(&r) + width(&s));
            }
        }
    }
}
END_TEST

/* ------------------------------------------------ options */

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
    random_source random = {109};
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
    random_source random = {113};
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

START_TEST(trace_tells_the_story)
{
    random_source random = {127};
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
        ck_assert_double_le(fabs(length(times(1 / unit, last->v)) - r.distance / unit), width(&r) / unit);
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

/* ------------------------------------------------ bad input */

static apart_vec3 broken_support(const void *user, apart_vec3 d)
{
    (void)user;
    return vec(d.x, INFINITY, 0);
}

START_TEST(every_bad_input_has_its_status)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), circle = apart_circle(1), plane = apart_half_space(vec(0, 0, 1), 0), none = {0};
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
        ck_assert_msg(apart_distance(&bad[i].shape, &here, &box, &there, NULL, NULL, &r) == bad[i].status, "row %zu", i);
        ck_assert_msg(apart_distance(&box, &here, &bad[i].shape, &there, NULL, NULL, &r) == bad[i].status, "row %zu, as B", i);
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
    const apart_options bad[] = {{.solver = APART_SOLVER_COUNT}, {.support = APART_SUPPORT_COUNT}, {.depth = 3},       {.no_fallback = 2},
                                 {.cutoff = -1},                 {.cutoff = NAN},                  {.tolerance = -1e-9}, {.tolerance = NAN},
                                 {.tolerance = INFINITY},        {.max_iterations = UINT32_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        apart_result r;
        int overlap;
        ck_assert_msg(apart_distance(&box, &here, &box, &there, &bad[i], NULL, &r) == APART_ERR_OPTION, "row %zu", i);
        ck_assert_int_eq(apart_overlap(&box, &here, &box, &there, &bad[i], NULL, &overlap), APART_ERR_OPTION);
    }
}
END_TEST

/* ------------------------------------------------ caches */

START_TEST(caches_never_change_the_answer)
{
    random_source random = {131};
    apart_cache stale;
    memset(&stale, 0, sizeof stale);
    for (int i = 0; i < 5000; i++) {
        test_pair p;
        unsigned char bytes[sizeof(apart_cache)];
        apart_cache zeroed, garbage;
        memset(&zeroed, 0, sizeof zeroed);
        pair_generate(&p, &random, NULL);
        for (size_t k = 0; k < sizeof bytes; k++) {
            bytes[k] = (unsigned char)random_bits(&random);
        }
        memcpy(&garbage, bytes, sizeof garbage);
        const apart_result cold = query(&p.a, p.pose_a, &p.b, p.pose_b, NULL);
        apart_cache *caches[3] = {&zeroed, &stale, &garbage};
        for (int k = 0; k < 3; k++) {
            for (int again = 0; again < 2; again++) { /* the second time from its own leavings */
                apart_result r;
                ck_assert_int_eq(apart_distance(&p.a, &p.pose_a, &p.b, &p.pose_b, NULL, caches[k], &r), APART_OK);
                ck_assert_double_le(fabs(r.distance - cold.distance), width(&r) + width(&cold));
                garbage.tag = again == 0 ? stale.tag : garbage.tag;
            }
        }
    }
}
END_TEST

START_TEST(tracking_follows_a_motion)
{
    const double step = 2.0; /* degrees */
    const apart_shape a = apart_box(vec(1, 0.5, 0.25)), b = apart_box(vec(0.5, 0.75, 1));
    apart_cache cache;
    memset(&cache, 0, sizeof cache);
    uint64_t tracked = 0, cold = 0;
    for (int i = 0; i < 360; i++) {
        const apart_pose pose = turned(vec(1, 2, 3), step * i, vec(2.5, 0.5, 1));
        const apart_pose here = apart_pose_identity();
        apart_result r;
        ck_assert_int_eq(apart_distance(&a, &here, &b, &pose, NULL, &cache, &r), APART_OK);
        const apart_result fresh = query(&a, here, &b, pose, NULL);
        ck_assert_double_le(fabs(r.distance - fresh.distance), width(&r) + width(&fresh));
        tracked += r.iterations;
        cold += fresh.iterations;
    }
    ck_assert_uint_lt(tracked, cold);
}
END_TEST

/* ------------------------------------------------ features, frames, names */

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
    ck_assert_double_le(length(minus(back, r.b)), 1e-13);
    local = r;
    apart_result_in_frame(&local, &pose_a, &local); /* in place */
    ck_assert_double_eq_tol(local.normal.x, 1.0, 1e-14);
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
    Suite *suite = suite_create("distance");
    TCase *t = tcase_create("distance");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, spheres);
    tcase_add_test(t, boxes_in_all_feature_combinations);
    tcase_add_test(t, round_primitives);
    tcase_add_test(t, half_space_against_everything);
    tcase_add_test(t, the_plane);
    tcase_add_test(t, points_against_bodies);
    tcase_add_test(t, swapping_and_moving_both);
    tcase_add_test(t, scaling);
    tcase_add_test(t, every_solver_and_search_agrees);
    tcase_add_test(t, cut_off);
    tcase_add_test(t, tolerance_stops_early);
    tcase_add_test(t, iteration_limit_gives_honest_bounds);
    tcase_add_test(t, solvers_without_their_fallback);
    tcase_add_test(t, depth_options);
    tcase_add_test(t, overlap_yes_or_no);
    tcase_add_test(t, trace_tells_the_story);
    tcase_add_test(t, statistics_add_up);
    tcase_add_test(t, every_bad_input_has_its_status);
    tcase_add_test(t, every_bad_pose_has_its_status);
    tcase_add_test(t, options_out_of_range);
    tcase_add_test(t, caches_never_change_the_answer);
    tcase_add_test(t, tracking_follows_a_motion);
    tcase_add_test(t, features_of_boxes_and_hulls);
    tcase_add_test(t, result_in_a_frame);
    tcase_add_test(t, large_common_offset_is_no_excuse);
    tcase_add_test(t, names);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
