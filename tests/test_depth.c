/* Penetration: depths known by formula, depths found by exhaustive search, what the witness points and normals mean, contact, the cheaper
 * kinds of depth, Cameron's bounds, and bodies that pass through each other. */
#include "depth_checks.h"
#include "run_suite.h"
#include "tcso.h"

#include <stdlib.h>
#include <string.h>

#define TIGHT 1e-14  /* of the size 1: polytopes, spheres, whatever has a closed form */
#define CURVED 1e-10 /* of the size 1: the promise for curved bodies */
#define ROOT_2 1.4142135623730951
#define ROOT_3 1.7320508075688772

static double support_value(const apart_shape *s, const apart_pose *pose, apart_vec3 n)
{
    apart_vec3 p;
    ck_assert_int_eq(apart_support(s, apart_pose_rotate_inverse(pose, n), &p), APART_OK);
    return dot(n, apart_pose_apply(pose, p));
}

static apart_pose moved(const apart_pose *pose, apart_vec3 by)
{
    apart_pose out = *pose;
    out.translation = plus(out.translation, by);
    return out;
}

/* The witness points lie on the support planes, differ by distance * normal, and moving B by a - b leaves mere contact. */
static void check_way_out(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                          const apart_result *r, double tolerance)
{
    const double off = length(minus(minus(r->b, r->a), times(r->distance, r->normal)));
    ck_assert_msg(off <= tolerance, "%s in %s: b - a misses distance * normal by %g", apart_shape_name(b), apart_shape_name(a), off);
    if (a->kind != APART_SHAPE_HALF_SPACE && b->kind != APART_SHAPE_HALF_SPACE) {
        const double on_a = dot(r->normal, r->a) - support_value(a, pose_a, r->normal);
        const double on_b = dot(r->normal, r->b) + support_value(b, pose_b, times(-1.0, r->normal));
        ck_assert_msg(fabs(on_a) <= tolerance, "a is %g from A's support plane", on_a);
        ck_assert_msg(fabs(on_b) <= tolerance, "b is %g from B's support plane", on_b);
    }
    const apart_pose out = moved(pose_b, minus(r->a, r->b));
    const apart_result after = query(a, pose_a, b, &out, NULL, NULL);
    ck_assert_msg(fabs(after.distance) <= tolerance, "moving B by a - b leaves %g", after.distance);
}

/* The witness points belong to the bodies (bounded ones). */
static void check_members(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                          const apart_result *r, double tolerance)
{
    apart_result in_a, in_b;
    ck_assert_int_eq(apart_point_distance(r->a, a, pose_a, NULL, NULL, &in_a), APART_OK);
    ck_assert_int_eq(apart_point_distance(r->b, b, pose_b, NULL, NULL, &in_b), APART_OK);
    ck_assert_msg(in_a.distance <= tolerance, "a is outside A by %g", in_a.distance);
    ck_assert_msg(in_b.distance <= tolerance, "b is outside B by %g", in_b.distance);
}

/* The M of the numerical rules: both radii and the distance of the centres. */
static double magnitude(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    apart_vec3 center_a, center_b;
    double radius_a, radius_b;
    ck_assert_int_eq(apart_shape_ball(a, &center_a, &radius_a), APART_OK);
    ck_assert_int_eq(apart_shape_ball(b, &center_b, &radius_b), APART_OK);
    const apart_vec3 between = minus(apart_pose_apply(pose_b, center_b), apart_pose_apply(pose_a, center_a));
    return radius_a + radius_b + fabs(between.x) + fabs(between.y) + fabs(between.z);
}

static bool is_curved(const apart_shape *s)
{
    return s->kind == APART_SHAPE_CYLINDER || s->kind == APART_SHAPE_CONE || s->kind == APART_SHAPE_ELLIPSOID;
}

static apart_result check_depth(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b, double expected,
                                double tolerance)
{
    const apart_result r = query(a, &pose_a, b, &pose_b, NULL, NULL);
    ck_assert_msg(fabs(r.distance - expected) <= tolerance, "%s in %s: %.17g instead of %.17g", apart_shape_name(b), apart_shape_name(a),
                  r.distance, expected);
    ck_assert_msg(r.lower <= expected + 2 * EPS && expected - 2 * EPS <= r.upper, "%.17g is not in [%.17g, %.17g]", expected, r.lower,
                  r.upper);
    ck_assert_msg(r.upper - r.lower <= tolerance * magnitude(a, &pose_a, b, &pose_b), "%s in %s: bounds are %g apart", apart_shape_name(b),
                  apart_shape_name(a), r.upper - r.lower);
    ck_assert_int_eq(r.relation, APART_OVERLAPPING);
    ck_assert_int_eq(r.stop, is_curved(a) || is_curved(b) ? r.stop : APART_STOP_CONVERGED);
    check_way_out(a, &pose_a, b, &pose_b, &r, 4.0 * tolerance);
    check_members(a, &pose_a, b, &pose_b, &r, 4.0 * tolerance);
    const apart_result swapped = query(b, &pose_b, a, &pose_a, NULL, NULL);
    ck_assert_msg(fabs(swapped.distance - expected) <= tolerance, "swapped: %.17g instead of %.17g", swapped.distance, expected);
    return r;
}

static void check_normal(const apart_result *r, double x, double y, double z, double tolerance)
{
    ck_assert_msg(length(minus(r->normal, vec(x, y, z))) <= tolerance, "the normal is %g %g %g", r->normal.x, r->normal.y, r->normal.z);
}

/* ------------------------------------------------ the reference itself */

static void cube_points(double *xyz, apart_vec3 h)
{
    for (int i = 0; i < 8; i++) {
        xyz[3 * i] = i & 1 ? h.x : -h.x;
        xyz[3 * i + 1] = i & 2 ? h.y : -h.y;
        xyz[3 * i + 2] = i & 4 ? h.z : -h.z;
    }
}

START_TEST(reference_on_known_depths)
{
    double big[24], small[24];
    const double point[3] = {0.25, 0, 0}, edge[6] = {0.0, 0.0, -0.25, 0.0, 0.0, 0.25};
    cube_points(big, vec(1, 2, 3));
    cube_points(small, vec(0.5, 0.5, 0.5));
    const apart_pose inside = at(0.25, 0.5, -0.125), apart = at(1.5, 0, 0), far = at(2, 0, 0);
    tcso_answer d;
    tcso_depth(&(exact_points){big, 8, 3, NULL}, &(exact_points){small, 8, 3, &inside}, &d);
    ck_assert(d.inside && d.least == 1.25 && d.most == 1.25 && d.normal[0] == 1.0);
    tcso_depth(&(exact_points){big, 8, 3, NULL}, &(exact_points){small, 8, 3, &apart}, &d);
    ck_assert(!d.inside);
    tcso_depth(&(exact_points){big, 8, 3, NULL}, &(exact_points){small, 8, 3, &far}, &d);
    ck_assert(!d.inside);
    tcso_depth(&(exact_points){big, 8, 3, NULL}, &(exact_points){point, 1, 3, NULL}, &d);
    ck_assert(d.inside && d.least == 0.75 && d.most == 0.75);
    tcso_depth(&(exact_points){edge, 2, 3, NULL}, &(exact_points){big, 8, 3, NULL}, &d);
    ck_assert(d.inside && d.least == 1.0);
    tcso_depth(&(exact_points){edge, 2, 3, NULL}, &(exact_points){edge, 2, 3, NULL}, &d);
    ck_assert(!d.inside);
    /* A tetrahedron in itself turned over: the depth is the distance of two opposite edges, 1/sqrt(3) of the face direction. */
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0.125, 0.125, 0.125};
    tcso_depth(&(exact_points){corner, 4, 3, NULL}, &(exact_points){origin, 1, 3, NULL}, &d);
    ck_assert(d.inside && d.least == 0.125);
    const double square[8] = {-1, -1, 1, -1, 1, 1, -1, 1}, diamond[8] = {2, 0, 0, 2, -2, 0, 0, -2};
    tcso_depth(&(exact_points){square, 4, 2, NULL}, &(exact_points){diamond, 4, 2, NULL}, &d);
    ck_assert(d.inside && fabs(d.least - 2.0 * ROOT_2) <= 4 * EPS && d.least <= d.most && d.most <= nextafter(d.least, 9));
}
END_TEST

/* After the way out the bodies touch, and a little less leaves an overlap: by the other exact oracle. */
START_TEST(reference_against_the_exact_distance)
{
    random_source r = {.state = 11};
    for (int i = 0; i < 40; i++) {
        double a[36], b[36];
        for (int k = 0; k < 36; k++) {
            a[k] = random_between(&r, -1, 1);
            b[k] = random_between(&r, -1, 1);
        }
        const size_t na = 4 + random_below(&r, 9), nb = 1 + random_below(&r, 12);
        tcso_answer d;
        exact_answer e;
        tcso_depth(&(exact_points){a, na, 3, NULL}, &(exact_points){b, nb, 3, NULL}, &d);
        exact_distance(&(exact_points){a, na, 3, NULL}, &(exact_points){b, nb, 3, NULL}, &e);
        ck_assert_int_eq(d.inside, e.relation == EXACT_OVERLAPPING);
        if (d.inside) {
            const double far = d.most + 1e-12, near = d.least - 1e-12;
            const apart_pose out = at(far * d.normal[0], far * d.normal[1], far * d.normal[2]);
            const apart_pose in = at(near * d.normal[0], near * d.normal[1], near * d.normal[2]);
            exact_distance(&(exact_points){a, na, 3, NULL}, &(exact_points){b, nb, 3, &out}, &e);
            ck_assert(e.relation == EXACT_DISJOINT && e.distance <= 2e-12);
            exact_distance(&(exact_points){a, na, 3, NULL}, &(exact_points){b, nb, 3, &in}, &e);
            ck_assert_int_eq(e.relation, EXACT_OVERLAPPING);
        }
    }
}
END_TEST

/* ------------------------------------------------ polytopes */

/* One box as a box, as points, as a hull. */
typedef struct box_forms {
    double xyz[24];
    apart_hull *hull;
    apart_shape shape[3];
} box_forms;

static void make_forms(box_forms *f, apart_vec3 h)
{
    cube_points(f->xyz, h);
    f->hull = NULL;
    ck_assert_int_eq(apart_hull_build(f->xyz, 8, NULL, &f->hull), APART_OK);
    f->shape[0] = apart_box(h);
    f->shape[1] = apart_points(f->xyz, 8);
    f->shape[2] = apart_hull_shape(f->hull);
}

static void check_boxes(apart_vec3 ha, apart_pose pose_a, apart_vec3 hb, apart_pose pose_b, double expected, apart_vec3 normal)
{
    box_forms a, b;
    make_forms(&a, ha);
    make_forms(&b, hb);
    for (int i = 0; i < 9; i++) {
        const apart_result r = check_depth(&a.shape[i / 3], pose_a, &b.shape[i % 3], pose_b, expected, TIGHT * 8);
        if (length(normal) > 0.0) {
            check_normal(&r, normal.x, normal.y, normal.z, 1e-12);
        }
    }
    apart_hull_free(a.hull);
    apart_hull_free(b.hull);
}

START_TEST(boxes)
{
    const apart_vec3 one = {1, 1, 1}, half = {0.5, 0.5, 0.5}, tie = {0, 0, 0}, x = {1, 0, 0};
    const double quarter = 0.78539816339744828, to_vertex = 0.95531661812450928; /* 45 degrees, atan(sqrt 2): a diagonal along x */
    check_boxes(one, at(0, 0, 0), one, at(0, 0, 0), -2.0, tie);
    check_boxes(one, at(0, 0, 0), half, at(1.2, 0, 0), -0.3, x);
    check_boxes(one, at(0, 0, 0), half, at(1.25, 0.25, -0.5), -0.25, x);
    check_boxes(one, at(0, 0, 0), half, at(1.25, 1.25, 1.25), -0.25, tie);
    check_boxes(vec(3, 2, 1), at(0, 0, 0), vec(0.5, 0.25, 0.125), at(0.3, -0.2, 0.1), -1.025, vec(0, 0, 1));
    check_boxes(vec(3, 2, 1), at(0, 0, 0), vec(0.5, 0.25, 0.125), at(2.75, -0.2, 0.1), -0.75, x);
    /* An edge in a face, edge across edge, a vertex in a face. */
    check_boxes(one, at(0, 0, 0), half, turned_rpy(0, 0, quarter, vec(1 + 0.5 * ROOT_2 - 0.125, 0.25, 0)), -0.125, x);
    check_boxes(one, turned_rpy(0, 0, quarter, vec(0, 0, 0)), half, turned_rpy(0, quarter, 0, vec(1.5 * ROOT_2 - 0.125, 0, 0)), -0.125, x);
    check_boxes(one, at(0, 0, 0), half, turned_rpy(quarter, to_vertex, 0, vec(1 + 0.5 * ROOT_3 - 0.125, 0, 0)), -0.125, x);
    /* Common large offset: removed before anything is computed. */
    check_boxes(one, at(0, 0, 0), half, at(0x1p-20 + 1.25, 0, 0), -(0.25 - 0x1p-20), x);
}
END_TEST

/* Two boxes and the same boxes as bare points, which go another way: aligned, tilted by next to nothing, flat, thin, in single precision. */
/* A cone under a rotation in single precision is no body of revolution any more: its depth is no planar question. */
START_TEST(cone_under_a_single_precision_rotation)
{
    const apart_shape cone = apart_cone(0x1.38a881532960dp-1, 0x1.be828775bc8b6p-1);
    const apart_pose pose = {{{0x1.a132a2p-7, 0x1.fe05dp-1, -0x1.63d488p-4},
                              {0x1.88d95cp-4, 0x1.5d3c2cp-4, 0x1.fbc43ep-1},
                              {0x1.fd9914p-1, -0x1.5762aap-6, -0x1.82e2aep-4}},
                             {0.3, -0.2, 0.1}};
    const apart_vec3 point = {-0x1.232b9abc74ca2p-1, -0x1.038e46ebc30fp-4, 0x1.30bdf4e94174p-3};
    apart_result r;
    ck_assert_int_eq(apart_point_distance(point, &cone, &pose, NULL, NULL, &r), APART_OK);
    /* On the surface to 3e-16: found by a ray, confirmed by the independent check. */
    ck_assert_double_le(r.lower, 3e-16);
    ck_assert_double_ge(r.upper, 3e-16);
    ck_assert_double_le(r.upper - r.lower, 1e-13);
}
END_TEST

START_TEST(boxes_and_points_agree)
{
    random_source r = {.state = 53};
    for (int i = 0; i < 20000; i++) {
        apart_vec3 half[2];
        for (int k = 0; k < 6; k++) {
            const double sizes[4] = {0.0, 1e-9, 0.25 * (1 + random_below(&r, 4)), random_between(&r, 0.1, 1.0)};
            ((double *)&half[k / 3])[k % 3] = sizes[random_below(&r, 8) > 1 ? 2 + random_below(&r, 2) : random_below(&r, 2)];
        }
        apart_pose pose_a = at(0, 0, 0), pose_b = at(0.25 * random_below(&r, 5), 0.25 * random_below(&r, 4), 0.25 * random_below(&r, 3)), tilt;
        if (i % 4 > 0) {
            pose_b.translation = times(random_between(&r, 0.0, 1.5), random_in_ball(&r));
        }
        if (i % 3 > 0) {
            pose_a.rotation = random_rotation(&r);
            const double angle = i % 3 == 1 ? ldexp(1.0, -(int)random_below(&r, 54)) : random_between(&r, 0.0, 3.0);
            ck_assert_int_eq(apart_pose_from_axis_angle(vec(1, random_below(&r, 3), random_below(&r, 2)), angle, vec(0, 0, 0), &tilt), APART_OK);
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
        const apart_shape a = apart_box(half[0]), b = apart_box(half[1]), points_a = apart_points(xyz[0], 8), points_b = apart_points(xyz[1], 8);
        const apart_result box = query(&a, &pose_a, &b, &pose_b, NULL, NULL), other = query(&points_a, &pose_a, &points_b, &pose_b, NULL, NULL);
        const apart_vec3 off = minus(minus(box.b, box.a), times(box.distance, box.normal));
        const double m = length(half[0]) + length(half[1]) + length(pose_b.translation);
        ck_assert_msg(box.lower <= other.upper && other.lower <= box.upper, "pair %d: [%.17g, %.17g] and [%.17g, %.17g]", i, box.lower,
                      box.upper, other.lower, other.upper);
        ck_assert_msg(box.upper - box.lower <= 128.0 * EPS * m && length(off) <= 32.0 * EPS * m, "pair %d: bounds %g apart, witness off by %g", i,
                      box.upper - box.lower, length(off));
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
            ck_assert_msg(fabs(r.distance / s + 0.25) <= (i == 2 ? CURVED : TIGHT), "scale 2^%d: %g", e, r.distance / s);
        }
    }
}
END_TEST

/* Points, segments, triangles and plates inside solids; the TCSO has an inside although a body has none. */
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

/* Any two point sets: the exhaustive search. */
START_TEST(hulls_against_the_reference)
{
    random_source r = {.state = 5};
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
        apart_pose pose_a = apart_pose_identity(), pose_b = at(0.25 * random_below(&r, 3), 0, 0.25 * random_below(&r, 3));
        if (i % 3 == 2) {
            pose_a.rotation = random_rotation(&r);
            pose_b.rotation = random_rotation(&r);
        }
        tcso_answer d;
        tcso_depth(&(exact_points){xyz[0], n[0], 3, &pose_a}, &(exact_points){xyz[1], n[1], 3, &pose_b}, &d);
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
        const double size = length(p);
        xyz[3 * i] = p.x / size;
        xyz[3 * i + 1] = p.y / size;
        xyz[3 * i + 2] = flat ? 0.25 * p.z / size : p.z / size;
    }
    apart_hull *hull;
    ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &hull), APART_OK);
    return hull;
}

/* Hulls are placed as a whole, climbed, or guessed at from their direction table, by their size: the depth is that of plain scans, the
 * independent verifier agrees, and a trace changes no bit. */
START_TEST(hulls_of_every_size_searched_in_every_way)
{
    static const size_t sizes[] = {8, 9, 16, 17, 40, 64, 65, 120, 400};
    enum { count = sizeof sizes / sizeof *sizes };
    random_source r = {.state = 11};
    int inside = 0;
    for (int i = 0; i < 20 * count; i++) {
        apart_hull *hull_a = sphere_hull(&r, sizes[i % count], i % 3 == 0), *hull_b = sphere_hull(&r, sizes[(i / count) % count], i % 4 == 0);
        const apart_shape a = apart_hull_shape(hull_a), b = apart_hull_shape(hull_b);
        apart_pose pose_a = apart_pose_identity(), pose_b = at(random_between(&r, -0.7, 0.7), random_between(&r, -0.7, 0.7), 0.1);
        pose_a.rotation = random_rotation(&r);
        pose_b.rotation = random_rotation(&r);
        apart_trace_step steps[4];
        apart_trace trace = {.steps = steps, .capacity = 4};
        const apart_options scan = {.support = APART_SUPPORT_SCAN}, climb = {.support = APART_SUPPORT_CLIMB}, traced = {.trace = &trace};
        const apart_result d = query(&a, &pose_a, &b, &pose_b, NULL, NULL), s = query(&a, &pose_a, &b, &pose_b, &scan, NULL);
        const apart_result c = query(&a, &pose_a, &b, &pose_b, &climb, NULL), t = query(&a, &pose_a, &b, &pose_b, &traced, NULL);
        inside += d.relation == APART_OVERLAPPING;
        ck_assert_msg(fabs(d.distance - s.distance) <= 64 * EPS && fabs(c.distance - s.distance) <= 64 * EPS, "pair %d: %.17g, scanned %.17g, climbed %.17g", i, d.distance, s.distance, c.distance);
        ck_assert_msg(d.stop == APART_STOP_CONVERGED && d.upper - d.lower <= 1e-13, "pair %d: bounds %g apart", i, d.upper - d.lower);
        ck_assert_msg(t.distance == d.distance && t.lower == d.lower && t.upper == d.upper, "pair %d: a trace changes %.17g to %.17g", i, d.distance, t.distance);
        apart_proof proof;
        ck_assert_int_eq(apart_verify(&a, &pose_a, &b, &pose_b, &d, &proof), APART_OK);
        ck_assert_msg(proof.verdict != APART_REFUTED, "pair %d: %s", i, proof.reason);
        apart_hull_free(hull_a);
        apart_hull_free(hull_b);
    }
    ck_assert_int_gt(inside, 15 * count);
}
END_TEST

/* Guesses of the direction table need not be extreme: beside curved bodies, whose points never repeat, a surface of them may not close. */
START_TEST(hulls_with_a_table_and_other_bodies)
{
    static const size_t sizes[] = {65, 120, 400};
    random_source r = {.state = 12};
    const apart_shape others[] = {apart_cylinder(0.2, 1.2), apart_cone(0.3, 1.2), apart_ellipsoid(vec(0.2, 0.4, 1.2)), apart_box(vec(0.2, 0.2, 1.2))};
    const apart_options scan = {.support = APART_SUPPORT_SCAN};
    int inside = 0;
    for (int i = 0; i < 12; i++) {
        apart_hull *hull = sphere_hull(&r, sizes[i % 3], i % 2 == 0);
        const apart_shape a = apart_hull_shape(hull);
        for (int k = 0; k < 1600; k++) {
            apart_pose pose_a = apart_pose_identity(), pose_b = at(random_between(&r, -0.7, 0.7), random_between(&r, -0.7, 0.7), 0.1);
            pose_a.rotation = random_rotation(&r);
            pose_b.rotation = random_rotation(&r);
            const apart_result d = query(&a, &pose_a, &others[k % 4], &pose_b, NULL, NULL);
            if (d.relation != APART_OVERLAPPING) {
                continue;
            }
            const apart_result s = query(&a, &pose_a, &others[k % 4], &pose_b, &scan, NULL);
            inside++;
            ck_assert_msg(d.upper - d.lower <= 1e-9, "hull %d, pair %d: bounds %g apart", i, k, d.upper - d.lower);
            ck_assert_msg(d.lower <= s.upper && s.lower <= d.upper, "hull %d, pair %d: %.17g, scanned %.17g", i, k, d.distance, s.distance);
        }
        apart_hull_free(hull);
    }
    ck_assert_int_gt(inside, 8000);
}
END_TEST

/* ------------------------------------------------ round bodies */

START_TEST(spheres_and_capsules)
{
    const apart_shape one = apart_sphere(1), half = apart_sphere(0.5), box = apart_box(vec(1, 2, 3)), capsule = apart_capsule(0.5, 1),
                      thin = apart_capsule(0.25, 2);
    apart_result r = check_depth(&one, at(0, 0, 0), &half, at(0, 0.6, 0.8 - 0.3), -(1.5 - sqrt(0.36 + 0.25)), TIGHT);
    check_normal(&r, 0, 0.6 / sqrt(0.61), 0.5 / sqrt(0.61), TIGHT);
    check_depth(&one, at(1, 2, 3), &half, at(1, 2, 3), -1.5, TIGHT); /* concentric: any way out */
    r = check_depth(&box, at(0, 0, 0), &half, at(0.25, 0, 0), -1.25, TIGHT);
    check_normal(&r, 1, 0, 0, TIGHT);
    check_depth(&box, at(0, 0, 0), &half, at(0, 0, 0), -1.5, TIGHT);
    check_depth(&box, at(0, 0, 0), &half, at(1.25, 0, 0), -0.25, TIGHT);
    /* Capsules: side by side, crossing, in one line, coincident: flat TCSOs of the cores. */
    check_depth(&capsule, at(0, 0, 0), &thin, at(0.5, 0, 0.25), -0.25, TIGHT);
    r = check_depth(&capsule, at(0, 0, 0), &thin, turned_rpy(0, 1.5707963267948966, 0, vec(0, 0, 0)), -0.75, TIGHT);
    ck_assert(fabs(fabs(r.normal.y) - 1.0) <= TIGHT);
    r = check_depth(&capsule, at(0, 0, 0), &thin, turned_rpy(0, 1.5707963267948966, 0, vec(0.1, 0.125, 0.1)), -0.625, TIGHT);
    check_normal(&r, 0, 1, 0, TIGHT);
    r = check_depth(&capsule, at(0, 0, 0), &thin, at(0, 0, 1.5), -0.75, TIGHT);
    ck_assert(fabs(r.normal.z) <= TIGHT);
    check_depth(&capsule, at(0, 0, 0), &capsule, at(0, 0, 0), -1.0, TIGHT);
    r = check_depth(&capsule, at(0, 0, 0), &thin, at(0, 0, 3.5), -0.25, TIGHT);
    check_normal(&r, 0, 0, 1, TIGHT);
}
END_TEST

START_TEST(cylinders)
{
    const apart_shape a = apart_cylinder(1, 2), b = apart_cylinder(0.5, 1), box = apart_box(vec(1, 1, 1)), ball = apart_sphere(0.25);
    const double right = 1.5707963267948966;
    check_depth(&a, at(0, 0, 0), &b, at(0.75, 0, 0.5), -0.75, CURVED);
    check_depth(&a, at(0, 0, 0), &b, at(0.6, 0.8, 0.5), -0.5, CURVED);
    check_depth(&a, at(0, 0, 0), &b, at(0.25, 0, 2.75), -0.25, CURVED);
    check_depth(&a, at(0, 0, 0), &b, at(0, 0, 0), -1.5, CURVED);
    check_depth(&a, at(0, 0, 0), &b, at(0, 0, 2.75), -0.25, CURVED);
    check_depth(&a, at(0, 0, 0), &a, at(0, 0, 0), -2.0, CURVED);
    apart_result r = check_depth(&a, at(0, 0, 0), &b, turned_rpy(right, 0, 0, vec(1.25, 0, 0)), -0.25, CURVED);
    check_normal(&r, 1, 0, 0, 1e-6);
    check_depth(&a, at(0, 0, 0), &box, at(1.75, 0, 0), -0.25, CURVED);
    check_depth(&a, at(0, 0, 0), &box, at(0, 0, 2.5), -0.5, CURVED);
    check_depth(&a, at(0, 0, 0), &ball, at(0.5, 0, 0), -0.75, CURVED);
    check_depth(&a, at(0, 0, 0), &ball, at(0.3, 0.4, 1.75), -0.5, CURVED);
    check_depth(&a, at(0, 0, 0), &ball, at(0, 0, 0), -1.25, CURVED);
    /* Turned as a whole: axes parallel to rounding only. */
    const apart_pose turn = turned_rpy(0.3, -0.7, 1.1, vec(1, 2, 3));
    const apart_pose beside = at(0.75, 0, 0.5), above = at(0, 0, 2.75);
    check_depth(&a, turn, &b, apart_pose_compose(&turn, &beside), -0.75, CURVED);
    check_depth(&a, turn, &b, apart_pose_compose(&turn, &above), -0.25, CURVED);
}
END_TEST

START_TEST(cones)
{
    const apart_shape a = apart_cone(1, 1), point = apart_point(vec(0, 0, 0)), ball = apart_sphere(0.125), box = apart_box(vec(3, 3, 3));
    const double slant = 1.0 / sqrt(5.0);
    check_depth(&a, at(0, 0, 0), &point, at(0, 0, 0), -slant, CURVED);
    check_depth(&a, at(0, 0, 0), &point, at(0.125, 0, 0), -0.75 * slant, CURVED);
    check_depth(&a, at(0, 0, 0), &ball, at(0.125, 0, 0), -(0.75 * slant + 0.125), CURVED);
    check_depth(&a, at(0, 0, 0), &point, at(0.125, 0, -0.9375), -0.0625, CURVED);
    check_depth(&a, at(0, 0, 0), &a, at(0, 0, 0), -4.0 * slant, CURVED);
    check_depth(&a, at(0, 0, 0), &a, at(0, 0, 1.5), -0.5, CURVED); /* the apex of A in B's base */
    check_depth(&box, at(0, 0, 0), &a, at(2.5, 0, 0), -1.5, CURVED);
    check_depth(&box, at(0, 0, 0), &a, at(0, 0, 3.5), -0.5, CURVED);
}
END_TEST

START_TEST(ellipsoids)
{
    const apart_shape a = apart_ellipsoid(vec(3, 2, 1)), b = apart_ellipsoid(vec(1.5, 1.25, 0.5)), s = apart_ellipsoid(vec(1, 1, 1)),
                      spheroid = apart_ellipsoid(vec(2, 2, 1)), needle = apart_ellipsoid(vec(0.5, 0.5, 3)), ball = apart_sphere(0.5);
    const apart_shape two = apart_ellipsoid(vec(2, 2, 2));
    check_depth(&s, at(0, 0, 0), &two, at(0, 0, 0), -3.0, TIGHT); /* all directions tie */
    apart_result r = check_depth(&a, at(0, 0, 0), &b, at(0, 0, 0), -1.5, CURVED);
    ck_assert(fabs(fabs(r.normal.z) - 1.0) <= 1e-9);
    r = check_depth(&a, at(0, 0, 0), &b, at(0, 0, 0.375), -1.125, CURVED);
    check_normal(&r, 0, 0, 1, 1e-5);
    check_depth(&s, at(0, 0, 0), &ball, at(0.6, 0, 0), -0.9, CURVED);
    check_depth(&spheroid, at(0, 0, 0), &ball, at(0, 0, 0.25), -1.25, CURVED);
    check_depth(&spheroid, at(0, 0, 0), &spheroid, at(0, 0, 0), -2.0, CURVED);
    check_depth(&needle, at(0, 0, 0), &needle, at(0, 0, 0), -1.0, CURVED);
    check_depth(&needle, at(0, 0, 0), &ball, at(0, 0, 0), -1.0, CURVED);
    check_depth(&needle, at(0, 0, 0), &spheroid, at(0, 0, 3.5), -0.5, CURVED);
}
END_TEST

START_TEST(rounded_bodies)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), soap = apart_rounded(box, 0.25), plate = apart_rounded(apart_box(vec(1, 1, 0)), 0.125),
                      can = apart_rounded(apart_cylinder(0.5, 0.5), 0.125);
    check_depth(&soap, at(0, 0, 0), &soap, at(1.5, 0, 0), -1.0, TIGHT);   /* cores overlap by 0.5 */
    check_depth(&soap, at(0, 0, 0), &soap, at(2.25, 0, 0), -0.25, TIGHT); /* cores are 0.25 apart */
    check_depth(&soap, at(0, 0, 0), &soap, at(2, 0, 0), -0.5, TIGHT);     /* cores touch */
    check_depth(&soap, at(0, 0, 0), &soap, at(2.125, 2.125, 0), -(0.5 - 0.125 * ROOT_2), TIGHT);
    check_depth(&plate, at(0, 0, 0), &plate, at(0, 0, 0.125), -0.125, TIGHT);
    check_depth(&plate, at(0, 0, 0), &plate, at(0.5, 0, 0), -0.25, TIGHT); /* coplanar flat cores */
    check_depth(&soap, at(0, 0, 0), &plate, at(0, 0, 0), -(1.0 + 0.375), TIGHT);
    check_depth(&can, at(0, 0, 0), &can, at(0.75, 0, 0), -0.5, CURVED);
    check_depth(&can, at(0, 0, 0), &soap, at(1.25, 0, 0), -(0.25 + 0.375), CURVED);
}
END_TEST

START_TEST(half_spaces)
{
    const apart_shape floor_below = apart_half_space(vec(0, 0, 2), 1), box = apart_box(vec(1, 1, 1)), ball = apart_sphere(0.5),
                      cone = apart_cone(1, 1);
    const apart_pose here = at(0, 0, 0);
    const struct {
        const apart_shape *body;
        double z, expected;
    } rows[] = {{&box, 1.5, -0.5}, {&box, -5, -7}, {&ball, 1.25, -0.25}, {&ball, 0, -1.5}, {&cone, 1.5, -0.5}, {&cone, -4, -6}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const apart_pose pose = at(0.25, 7, rows[i].z);
        const apart_result r = query(&floor_below, &here, rows[i].body, &pose, NULL, NULL);
        ck_assert_msg(fabs(r.distance - rows[i].expected) <= 1e-13, "row %zu: %.17g", i, r.distance);
        check_normal(&r, 0, 0, 1, TIGHT);
        check_way_out(&floor_below, &here, rows[i].body, &pose, &r, 1e-13);
        const apart_result swapped = query(rows[i].body, &pose, &floor_below, &here, NULL, NULL);
        ck_assert(fabs(swapped.distance - rows[i].expected) <= 1e-13);
        check_normal(&swapped, 0, 0, -1, TIGHT);
    }
}
END_TEST

/* ------------------------------------------------ the plane */

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
    random_source r = {.state = 6};
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
        tcso_answer d;
        tcso_depth(&(exact_points){xy[0], n[0], 2, &pose_a}, &(exact_points){xy[1], n[1], 2, &pose_b}, &d);
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

/* ------------------------------------------------ curved bodies in general position: a search over directions */

/* minus h(m): the separation along n. */
static double separation(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b, apart_vec3 n)
{
    return -support_value(b, pose_b, times(-1.0, n)) - support_value(a, pose_a, n);
}

static apart_vec3 unit(apart_vec3 v) { return times(1.0 / length(v), v); }

/* The largest separation near n, by steps across it that shrink. */
static double climb(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b, apart_vec3 n)
{
    double best = separation(a, pose_a, b, pose_b, n);
    int tries = 0;
    for (double step = 0.1; step > 1e-9 && tries < 400; tries++) {
        const apart_vec3 f = unit(fabs(n.x) < 0.6 ? vec(0, n.z, -n.y) : vec(-n.z, 0, n.x));
        const apart_vec3 g = vec(n.y * f.z - n.z * f.y, n.z * f.x - n.x * f.z, n.x * f.y - n.y * f.x);
        bool better = false;
        for (int k = 0; k < 8; k++) {
            const double c = cos(0.78539816339744828 * k), s = sin(0.78539816339744828 * k);
            const apart_vec3 m = unit(plus(n, times(step, plus(times(c, f), times(s, g)))));
            const double value = separation(a, pose_a, b, pose_b, m);
            if (value > best) {
                best = value;
                n = m;
                better = true;
                break;
            }
        }
        step = better ? step : 0.5 * step;
    }
    return best;
}

static double searched_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    enum { DIRECTIONS = 400, STARTS = 6 };
    apart_vec3 start[STARTS] = {{0, 0, 0}};
    double value[STARTS], best = -INFINITY;
    for (int k = 0; k < STARTS; k++) {
        value[k] = -INFINITY;
    }
    for (int i = 0; i < DIRECTIONS; i++) {
        const double z = 1.0 - (2.0 * i + 1.0) / DIRECTIONS, radius = sqrt(1.0 - z * z), angle = 2.399963229728653 * i;
        apart_vec3 n = vec(radius * cos(angle), radius * sin(angle), z);
        double v = separation(a, pose_a, b, pose_b, n);
        for (int k = 0; k < STARTS; k++) {
            if (v > value[k]) {
                const double old = value[k];
                const apart_vec3 was = start[k];
                value[k] = v;
                start[k] = n;
                v = old;
                n = was;
            }
        }
    }
    for (int k = 0; k < STARTS; k++) {
        best = fmax(best, climb(a, pose_a, b, pose_b, start[k]));
    }
    return best;
}

static apart_shape curved_body(random_source *r, int kind)
{
    const double x = random_between(r, 0.3, 1), y = random_between(r, 0.3, 1), z = random_between(r, 0.3, 1);
    switch (kind) {
    case 0:
        return apart_cylinder(x, y);
    case 1:
        return apart_cone(x, y);
    case 2:
        return apart_ellipsoid(vec(x, y, z));
    case 3:
        return apart_capsule(x, y);
    case 4:
        return apart_rounded(apart_box(vec(x, y, z)), 0.2);
    case 5:
        return apart_sphere(x);
    case 6:
        return apart_rounded(apart_cone(x, y), 0.1);
    default:
        return apart_box(vec(x, y, z));
    }
}

START_TEST(curved_pairs_in_general_position)
{
    random_source r = {.state = 77};
    int workspace = 0, close = 0, overlapping = 0;
    for (int i = 0; i < 320; i++) {
        const int kind_a = i % 8, kind_b = i / 8 % 8;
        const apart_shape a = curved_body(&r, kind_a), b = curved_body(&r, kind_b);
        apart_pose pose_a = apart_pose_identity(), pose_b = apart_pose_identity();
        pose_a.rotation = random_rotation(&r);
        pose_b.rotation = random_rotation(&r);
        pose_b.translation = times(random_between(&r, 0.05, 0.9), random_in_ball(&r));
        const apart_result found = query(&a, &pose_a, &b, &pose_b, NULL, NULL);
        const double searched = searched_distance(&a, &pose_a, &b, &pose_b);
        if (!(searched < -1e-6)) {
            continue;
        }
        ck_assert_msg(searched <= found.upper + 1e-13, "%s in %s: a direction gives %.17g above the upper bound %.17g",
                      apart_shape_name(&b), apart_shape_name(&a), searched, found.upper);
        ck_assert_msg(found.lower <= separation(&a, &pose_a, &b, &pose_b, found.normal) + 1e-13,
                      "the normal does not prove the lower bound");
        overlapping++;
        workspace += found.stop == APART_STOP_WORKSPACE;
        close += fabs(found.distance - searched) <= 1e-6;
        ck_assert_msg(found.upper - found.lower <= CURVED * magnitude(&a, &pose_a, &b, &pose_b),
                      "%s in %s, pair %d: bounds are %g apart, %s", apart_shape_name(&b), apart_shape_name(&a), i,
                      found.upper - found.lower, apart_stop_name(found.stop));
        check_way_out(&a, &pose_a, &b, &pose_b, &found, 1e-8);
        check_members(&a, &pose_a, &b, &pose_b, &found, 1e-10);
    }
    printf("curved pairs: %d overlap, %d found by search too, %d stopped with a full workspace\n", overlapping, close, workspace);
    ck_assert_int_ge(2 * close, overlapping); /* the search may stay on a ridge, but not always */
}
END_TEST

/* ------------------------------------------------ contact */

/* Distance 0 to rounding, and a normal that separates. */
static void check_touch(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b)
{
    const apart_result r = query(a, &pose_a, b, &pose_b, NULL, NULL);
    ck_assert_msg(fabs(r.distance) <= TIGHT, "%s at %s: %g", apart_shape_name(b), apart_shape_name(a), r.distance);
    ck_assert_int_eq(r.relation, APART_TOUCHING);
    const double width = (is_curved(a) || is_curved(b) ? CURVED : TIGHT) * magnitude(a, &pose_a, b, &pose_b);
    ck_assert_msg(r.upper - r.lower <= width, "%s at %s: bounds [%g, %g]", apart_shape_name(b), apart_shape_name(a), r.lower, r.upper);
    const double along = separation(a, &pose_a, b, &pose_b, r.normal);
    ck_assert_msg(along >= -width, "%s at %s: the normal %g %g %g separates by %g", apart_shape_name(b), apart_shape_name(a), r.normal.x,
                  r.normal.y, r.normal.z, along);
    ck_assert(length(minus(r.a, r.b)) <= 4 * TIGHT);
    check_members(a, &pose_a, b, &pose_b, &r, 4 * TIGHT);
}

START_TEST(contact)
{
    const double quarter = 0.78539816339744828;
    const apart_shape cube = apart_box(vec(1, 1, 1)), half = apart_box(vec(0.5, 0.5, 0.5)), plate = apart_box(vec(1, 1, 0)),
                      ball = apart_sphere(0.5);
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
        check_touch(cubes[i], turned_rpy(0, 0, quarter, vec(0, 0, 0)), &half, turned_rpy(0, quarter, 0, vec(1.5 * ROOT_2, 0, 0)));
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
    /* Bodies whose TCSO has no inside. */
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

/* ------------------------------------------------ the cheaper kinds of depth */

START_TEST(depth_none)
{
    const apart_options none = {.depth = APART_DEPTH_NONE};
    const apart_shape box = apart_box(vec(1, 1, 1)), ball = apart_sphere(0.5), can = apart_cylinder(1, 1), plane = apart_rectangle(1, 1);
    const apart_shape *bodies[3] = {&box, &ball, &can};
    const apart_pose here = at(0, 0, 0), in = at(0.75, 0.25, 0), out = at(3, 0, 0);
    for (int i = 0; i < 3; i++) {
        for (int warm = 0; warm < 2; warm++) {
            apart_cache cache = {.count = 0};
            apart_result r = query(&box, &here, bodies[i], &in, &none, warm ? &cache : NULL);
            ck_assert(r.distance == 0.0 && r.upper == 0.0 && r.lower == -INFINITY);
            ck_assert_int_eq(r.relation, APART_OVERLAPPING);
            const apart_result exact = query(&box, &here, bodies[i], &out, NULL, NULL);
            r = query(&box, &here, bodies[i], &out, &none, warm ? &cache : NULL);
            ck_assert(fabs(r.distance - exact.distance) <= TIGHT && r.relation == APART_DISJOINT);
        }
    }
    /* The point is in both cores. */
    const apart_result r = query(&box, &here, &can, &in, &none, NULL);
    ck_assert(length(minus(r.a, r.b)) <= TIGHT);
    check_members(&box, &here, &can, &in, &r, TIGHT);
    const apart_result flat = query(&plane, &here, &plane, &in, &none, NULL);
    ck_assert(flat.distance == 0.0 && flat.upper == 0.0 && flat.lower == -INFINITY && flat.relation == APART_OVERLAPPING);
}
END_TEST

START_TEST(depth_bounds)
{
    random_source r = {.state = 21};
    const apart_options bounds = {.depth = APART_DEPTH_BOUNDS};
    for (int i = 0; i < 300; i++) {
        const apart_shape a = curved_body(&r, i % 8), b = curved_body(&r, i / 8 % 8);
        apart_pose pose_a = apart_pose_identity(), pose_b = apart_pose_identity();
        pose_a.rotation = random_rotation(&r);
        pose_b.rotation = random_rotation(&r);
        pose_b.translation = times(1.5, random_in_ball(&r));
        const apart_result exact = query(&a, &pose_a, &b, &pose_b, NULL, NULL), cheap = query(&a, &pose_a, &b, &pose_b, &bounds, NULL);
        ck_assert_msg(cheap.lower <= exact.upper && cheap.upper >= exact.lower, "[%g, %g] misses [%g, %g]", cheap.lower, cheap.upper,
                      exact.lower, exact.upper);
        ck_assert_int_eq(cheap.relation, exact.relation);
        ck_assert(cheap.lower <= separation(&a, &pose_a, &b, &pose_b, cheap.normal) + 1e-13);
    }
}
END_TEST

START_TEST(depth_options_are_checked)
{
    const apart_shape box = apart_box(vec(1, 1, 1));
    const apart_pose here = at(0, 0, 0);
    apart_result r;
    apart_penetration p;
    const apart_options bad = {.depth = 3};
    ck_assert_int_eq(apart_distance(&box, &here, &box, &here, &bad, NULL, &r), APART_ERR_OPTION);
    ck_assert_int_eq(apart_penetration_bounds(&box, &here, &box, &here, &bad, NULL, &p), APART_ERR_OPTION);
    ck_assert_int_eq(apart_penetration_bounds(NULL, &here, &box, &here, NULL, NULL, &p), APART_ERR_NULL);
    ck_assert_int_eq(apart_penetration_bounds(&box, NULL, &box, &here, NULL, NULL, &p), APART_ERR_NULL);
    ck_assert_int_eq(apart_penetration_bounds(&box, &here, NULL, &here, NULL, NULL, &p), APART_ERR_NULL);
    ck_assert_int_eq(apart_penetration_bounds(&box, &here, &box, NULL, NULL, NULL, &p), APART_ERR_NULL);
    ck_assert_int_eq(apart_penetration_bounds(&box, &here, &box, &here, NULL, NULL, NULL), APART_ERR_NULL);
    const apart_shape flat = apart_rectangle(1, 1), plane = apart_half_space(vec(0, 0, 1), 0), broken = apart_sphere(-1);
    ck_assert_int_eq(apart_penetration_bounds(&box, &here, &flat, &here, NULL, NULL, &p), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_penetration_bounds(&plane, &here, &plane, &here, NULL, NULL, &p), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_penetration_bounds(&box, &here, &broken, &here, NULL, NULL, &p), APART_ERR_NEGATIVE_SIZE);
}
END_TEST

/* ------------------------------------------------ Cameron's bounds */

static apart_penetration bounds_of(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                   apart_cache *cache)
{
    apart_penetration p;
    memset(&p, 0xff, sizeof p);
    ck_assert_int_eq(apart_penetration_bounds(a, pose_a, b, pose_b, NULL, cache, &p), APART_OK);
    ck_assert(isfinite(p.least) && isfinite(p.most) && isfinite(p.depth) && is_finite(p.normal) && p.exact <= 1);
    ck_assert(p.least >= 0.0 && p.least <= p.most);
    return p;
}

static int check_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b, apart_cache *cache)
{
    const apart_penetration p = bounds_of(a, pose_a, b, pose_b, cache);
    const apart_result r = query(a, pose_a, b, pose_b, NULL, NULL);
    ck_assert_int_eq(p.relation, r.relation);
    if (r.relation != APART_OVERLAPPING) {
        ck_assert(p.least == 0.0 && p.most == 0.0 && p.depth == 0.0 && p.exact == 0);
        return 0;
    }
    ck_assert_msg(p.least <= -r.lower && -r.upper <= p.most, "[%.17g, %.17g] misses the depth %.17g", p.least, p.most, -r.distance);
    ck_assert(fabs(length(p.normal) - 1.0) <= 4 * EPS);
    if (p.exact) {
        ck_assert_msg(fabs(p.depth + r.distance) <= 1e-13, "exact %.17g is not %.17g", p.depth, -r.distance);
        const double along = separation(a, pose_a, b, pose_b, p.normal);
        ck_assert_msg(fabs(along + p.depth) <= 1e-13, "the way out of length %g separates by %g", p.depth, along);
    } else {
        ck_assert_msg(fabs(p.depth - p.least) <= 1e-13, "depth %.17g is not least %.17g", p.depth, p.least);
    }
    return p.exact;
}

START_TEST(bounds_enclose_the_depth)
{
    random_source r = {.state = 31};
    int exact = 0;
    for (int i = 0; i < 2000; i++) {
        double xyz[2][60];
        size_t n[2];
        for (int k = 0; k < 2; k++) {
            n[k] = 4 + random_below(&r, 17);
            for (size_t j = 0; j < 3 * n[k]; j++) {
                xyz[k][j] = i % 4 == 0 ? (double)random_below(&r, 5) - 2.0 : random_between(&r, -1, 1);
            }
        }
        apart_shape a = apart_points(xyz[0], n[0]), b = apart_points(xyz[1], n[1]);
        if (i % 4 == 1) {
            a = curved_body(&r, i / 4 % 8);
            b = curved_body(&r, i / 32 % 8);
        } else if (i % 4 == 2) {
            a = apart_rounded(a, 0.25);
        }
        apart_pose pose_a = apart_pose_identity(), pose_b = apart_pose_identity();
        pose_b.rotation = i % 4 == 0 ? pose_b.rotation : random_rotation(&r);
        pose_b.translation = i % 4 == 0 ? vec(0.25 * random_below(&r, 8), 0, 0.5) : times(2.0, random_in_ball(&r));
        exact += check_bounds(&a, &pose_a, &b, &pose_b, NULL);
    }
    printf("bounds: %d of 2000 exact\n", exact);
    ck_assert_int_gt(exact, 100);
}
END_TEST

START_TEST(bounds_in_the_plane_and_of_half_spaces)
{
    const apart_shape square = apart_rectangle(1, 1), plane = apart_half_space(vec(0, 0, 1), 0), box = apart_box(vec(1, 1, 1)),
                      ball = apart_sphere(1);
    const apart_pose here = at(0, 0, 0), beside = at(1.5, 0.25, 0), touching = at(2, 0, 0), far = at(3, 0, 0), above = at(0, 0, 0.5);
    ck_assert_int_eq(check_bounds(&square, &here, &square, &beside, NULL), 1);
    ck_assert_int_eq(check_bounds(&square, &here, &square, &touching, NULL), 0);
    ck_assert_int_eq(check_bounds(&box, &here, &box, &far, NULL), 0);
    ck_assert_int_eq(check_bounds(&box, &here, &box, &touching, NULL), 0);
    ck_assert_int_eq(check_bounds(&ball, &here, &box, &beside, NULL), 1); /* the cores are apart: the distance says it */
    const apart_penetration p = bounds_of(&plane, &here, &box, &above, NULL);
    ck_assert(p.exact && fabs(p.depth - 0.5) <= TIGHT && p.relation == APART_OVERLAPPING);
}
END_TEST

/* A pair that is tracked into a shallow overlap: the last step's feature is still a feature of the surface, so the bounds meet (C9). */
START_TEST(tracked_shallow_overlaps_are_exact)
{
    random_source r = {.state = 41};
    int exact = 0, all = 0;
    for (int i = 0; i < 200; i++) {
        double xyz[2][60];
        for (int k = 0; k < 60; k++) {
            xyz[0][k] = random_between(&r, -1, 1);
            xyz[1][k] = random_between(&r, -1, 1);
        }
        const apart_shape a = apart_points(xyz[0], 20), b = apart_points(xyz[1], 20);
        const apart_pose here = at(0, 0, 0);
        apart_pose pose_b = at(3.5, random_between(&r, -0.5, 0.5), random_between(&r, -0.5, 0.5));
        pose_b.rotation = random_rotation(&r);
        apart_cache cache = {.count = 0};
        const apart_result first = query(&a, &here, &b, &pose_b, NULL, &cache);
        if (first.count != 3) {
            continue; /* a vertex or an edge of the TCSO is nearest: no face to remain so */
        }
        /* To contact along the normal, then 1e-3 at a time. */
        for (int step = -2; step <= 3; step++) {
            const double push = first.distance + 1e-3 * step;
            const apart_pose now = moved(&pose_b, times(-push, first.normal));
            const int got = check_bounds(&a, &here, &b, &now, &cache);
            all += step >= 1;
            exact += step >= 1 ? got : 0;
        }
    }
    printf("tracked shallow overlaps: %d of %d exact\n", exact, all);
    ck_assert_int_gt(all, 100);
    ck_assert_int_ge(10 * exact, 9 * all);
}
END_TEST

/* ------------------------------------------------ through each other: Fig. 6(b) */

static double memory[APART_DEPTH_CACHE_BYTES(256) / sizeof(double)];

/* B moves along x from one side of A to the other. signed distance = |x| - reach as long as x is the shortest way out. */
static void pass_through(const apart_shape *a, const apart_shape *b, double reach, double tolerance)
{
    const apart_pose here = at(0, 0, 0);
    apart_depth_cache *surface = NULL;
    ck_assert_int_eq(apart_depth_cache_init(memory, sizeof memory, &surface), APART_OK);
    const apart_options tracked = {.depth_cache = surface};
    apart_cache plain = {.count = 0}, both = {.count = 0};
    for (int step = -160; step <= 160; step++) {
        const double x = step / 64.0 + (step % 2 == 0 ? 0.0 : 1e-9);
        const apart_pose pose = at(x, 0.0625, 0);
        const apart_result r[3] = {query(a, &here, b, &pose, NULL, NULL), query(a, &here, b, &pose, NULL, &plain),
                                   query(a, &here, b, &pose, &tracked, &both)};
        for (int k = 0; k < 3; k++) {
            ck_assert_msg(fabs(r[k].distance - (fabs(x) - reach)) <= tolerance, "%s in %s at %g, way %d: %.17g instead of %.17g",
                          apart_shape_name(b), apart_shape_name(a), x, k, r[k].distance, fabs(x) - reach);
            if (x != 0.0) {
                ck_assert_msg(r[k].normal.x * x > 0.0 && fabs(fabs(r[k].normal.x) - 1.0) <= 1e-6, "x = %g, way %d: the normal is %g %g %g",
                              x, k, r[k].normal.x, r[k].normal.y, r[k].normal.z);
            }
        }
    }
}

START_TEST(passing_through)
{
    box_forms a, b;
    make_forms(&a, vec(1, 4, 4));
    make_forms(&b, vec(0.5, 3, 3));
    for (int i = 0; i < 9; i++) {
        pass_through(&a.shape[i / 3], &b.shape[i % 3], 1.5, TIGHT * 4);
    }
    const apart_shape ball = apart_sphere(0.5), disc = apart_rounded(apart_box(vec(0.25, 3, 3)), 0.25), flat = apart_box(vec(0, 3, 3)),
                      egg = apart_ellipsoid(vec(0.5, 1, 1));
    pass_through(&a.shape[0], &ball, 1.5, TIGHT * 4);
    pass_through(&a.shape[1], &disc, 1.5, TIGHT * 4);
    pass_through(&a.shape[0], &flat, 1.0, TIGHT * 4);
    pass_through(&a.shape[0], &egg, 1.5, CURVED);
    const apart_shape wide = apart_rectangle(1, 4), narrow = apart_rectangle(0.5, 3), circle = apart_circle(0.5);
    pass_through(&wide, &narrow, 1.5, TIGHT * 4);
    pass_through(&wide, &circle, 1.5, TIGHT * 4);
    apart_hull_free(a.hull);
    apart_hull_free(b.hull);
}
END_TEST

/* The same for bodies of no symmetry: at each step the side is the exhaustive search's. */
START_TEST(hulls_passing_through)
{
    random_source r = {.state = 51};
    for (int i = 0; i < 12; i++) {
        double xyz[2][30];
        for (int k = 0; k < 30; k++) {
            xyz[0][k] = random_between(&r, -1, 1);
            xyz[1][k] = random_between(&r, -0.5, 0.5);
        }
        const apart_shape a = apart_points(xyz[0], 10), b = apart_points(xyz[1], 10);
        const apart_pose here = at(0, 0, 0);
        apart_depth_cache *surface = NULL;
        ck_assert_int_eq(apart_depth_cache_init(memory, sizeof memory, &surface), APART_OK);
        const apart_options tracked = {.depth_cache = surface};
        apart_cache plain = {.count = 0}, both = {.count = 0};
        for (int step = -20; step <= 20; step++) {
            const apart_pose pose = at(0.06 * step, 0.03 * step, 0.01);
            tcso_answer d;
            tcso_depth(&(exact_points){xyz[0], 10, 3, NULL}, &(exact_points){xyz[1], 10, 3, &pose}, &d);
            const apart_result cold = query(&a, &here, &b, &pose, NULL, NULL), warm = query(&a, &here, &b, &pose, NULL, &plain),
                               kept = query(&a, &here, &b, &pose, &tracked, &both);
            const apart_result *all[3] = {&cold, &warm, &kept};
            for (int k = 0; d.inside && k < 3; k++) {
                ck_assert_msg(fabs(all[k]->distance + d.least) <= TIGHT * 4, "way %d: %.17g instead of %.17g", k, all[k]->distance,
                              -d.least);
                ck_assert(all[k]->upper - all[k]->lower <= 8 * TIGHT);
                ck_assert(separation(&a, &here, &b, &pose, all[k]->normal) >= -d.most - TIGHT);
            }
        }
    }
}
END_TEST

/* ------------------------------------------------ features */

START_TEST(features_of_a_depth)
{
    const double quarter = 0.78539816339744828, to_vertex = 0.95531661812450928;
    const apart_shape cube = apart_box(vec(1, 1, 1)), half = apart_box(vec(0.5, 0.5, 0.5));
    const apart_pose here = at(0, 0, 0), vertex = turned_rpy(quarter, to_vertex, 0, vec(1 + 0.5 * ROOT_3 - 0.125, 0.25, 0.125)),
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

static void add_case(Suite *suite, const char *name, size_t count, const TTest *const *tests)
{
    TCase *test_case = tcase_create(name);
    tcase_set_timeout(test_case, 120);
    for (size_t i = 0; i < count; i++) {
        tcase_add_test(test_case, tests[i]);
    }
    suite_add_tcase(suite, test_case);
}

#define ADD_CASE(name, ...)                                                                                                                \
    do {                                                                                                                                   \
        const TTest *const tests_[] = {__VA_ARGS__};                                                                                       \
        add_case(suite, name, sizeof tests_ / sizeof tests_[0], tests_);                                                                   \
    } while (0)

int main(void)
{
    Suite *suite = suite_create("depth");
    ADD_CASE("reference", reference_on_known_depths, reference_against_the_exact_distance);
    ADD_CASE("polytopes", boxes, boxes_and_points_agree, box_far_away, scales, flat_bodies, hulls_against_the_reference,
             hulls_of_every_size_searched_in_every_way, hulls_with_a_table_and_other_bodies);
    ADD_CASE("round", spheres_and_capsules, cylinders, cones, cone_under_a_single_precision_rotation, ellipsoids, rounded_bodies, half_spaces, curved_pairs_in_general_position);
    ADD_CASE("plane", planar_bodies, polygons_against_the_reference, planar_contact);
    ADD_CASE("contact", contact);
    ADD_CASE("kinds", depth_none, depth_bounds, depth_options_are_checked);
    ADD_CASE("bounds", bounds_enclose_the_depth, bounds_in_the_plane_and_of_half_spaces, tracked_shallow_overlaps_are_exact);
    ADD_CASE("through", passing_through, hulls_passing_through, features_of_a_depth);
    return run_suite(suite);
}
