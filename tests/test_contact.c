/* Contact manifolds: known ones of every pair of features, names that last from step to step, and what must hold for
 * any pair. */
#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moving_pairs.h"
#include "run_suite.h"

static const double pi = 3.14159265358979323846;

static apart_vec3 vec(double x, double y, double z) { return (apart_vec3){x, y, z}; }

static apart_pose pose_of(double x, double y, double z, double roll, double pitch, double yaw)
{
    apart_pose pose;
    ck_assert_int_eq(apart_pose_from_rpy(roll, pitch, yaw, vec(x, y, z), &pose), APART_OK);
    return pose;
}

static apart_manifold touch(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b,
                            double margin)
{
    const apart_contact_options options = {.margin = margin};
    apart_manifold m;
    ck_assert_int_eq(apart_contact(a, &pose_a, b, &pose_b, &options, NULL, &m), APART_OK);
    return m;
}

/* Every expected place (of the point on A) is there once, with the distance. */
static void expect(const char *name, const apart_manifold *m, const apart_vec3 *places, uint32_t count, double distance,
                   double tolerance)
{
    ck_assert_msg(m->count == count, "%s: %u points, expected %u", name, m->count, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < m->count; k++) {
            found += apart_vec3_distance(m->points[k].a, places[i]) <= tolerance ? 1u : 0u;
        }
        ck_assert_msg(found == 1, "%s: %u points at (%g %g %g)", name, found, places[i].x, places[i].y, places[i].z);
        ck_assert_msg(fabs(m->points[i].distance - distance) <= tolerance, "%s: distance %.17g, expected %.17g", name,
                      m->points[i].distance, distance);
    }
}

static void expect_names(const char *name, const apart_manifold *m, int kind_a, int kind_b)
{
    for (uint32_t i = 0; i < m->count; i++) {
        ck_assert_msg(m->points[i].kind_a == kind_a && m->points[i].kind_b == kind_b, "%s: %s on %s", name,
                      apart_feature_name(m->points[i].kind_a), apart_feature_name(m->points[i].kind_b));
    }
}

/* ------------------------------------------------ boxes */

START_TEST(face_on_face)
{
    const apart_shape table = apart_box(vec(2, 2, 0.5)), box = apart_box(vec(0.5, 0.25, 1));
    /* A small box in a large one's face: its four corners. Gap, touch and overlap. */
    for (int k = -1; k <= 1; k++) {
        const double z = 1.5 + 0.001 * k;
        const apart_manifold m = touch(&table, apart_pose_identity(), &box, apart_pose_translation(0.3, 0.1, z), 0.01);
        const apart_vec3 corner[] = {{-0.2, -0.15, 0.5}, {0.8, -0.15, 0.5}, {0.8, 0.35, 0.5}, {-0.2, 0.35, 0.5}};
        expect("corners", &m, corner, 4, 0.001 * k, 1e-14);
        expect_names("corners", &m, APART_FEATURE_FACE, APART_FEATURE_VERTEX);
        ck_assert_double_eq_tol(m.normal.z, 1.0, 1e-15);
        ck_assert_uint_eq(m.points[0].number_a, 5); /* +z */
    }
    /* Half over the edge: two corners of each, or crossings. */
    const apart_manifold over = touch(&table, apart_pose_identity(), &box, apart_pose_translation(2.0, 0.0, 1.5), 0.01);
    const apart_vec3 half[] = {{1.5, -0.25, 0.5}, {1.5, 0.25, 0.5}, {2, -0.25, 0.5}, {2, 0.25, 0.5}};
    expect("half over the edge", &over, half, 4, 0.0, 1e-14);
    /* Two equal squares, one turned by 45 degrees: an octagon of crossings. */
    const apart_shape cube = apart_box(vec(1, 1, 1));
    const apart_manifold eight = touch(&cube, apart_pose_identity(), &cube, pose_of(0, 0, 1.999, 0, 0, pi / 4), 0.01);
    const double c = sqrt(2.0) - 1.0;
    const apart_vec3 octagon[] = {{1, c, 1}, {1, -c, 1}, {-1, c, 1}, {-1, -c, 1},
                                  {c, 1, 1}, {-c, 1, 1}, {c, -1, 1}, {-c, -1, 1}};
    expect("octagon", &eight, octagon, 8, -0.001, 1e-14);
    expect_names("octagon", &eight, APART_FEATURE_EDGE, APART_FEATURE_EDGE);
    /* Exactly on each other: the four corners once. */
    const apart_manifold same = touch(&cube, apart_pose_identity(), &cube, apart_pose_translation(0, 0, 2), 0.01);
    const apart_vec3 square[] = {{1, 1, 1}, {1, -1, 1}, {-1, 1, 1}, {-1, -1, 1}};
    expect("equal squares", &same, square, 4, 0.0, 1e-14);
}
END_TEST

START_TEST(edges_and_vertices)
{
    const apart_shape floor_ = apart_half_space(vec(0, 0, 1), 0.0), cube = apart_box(vec(1, 1, 1));
    /* Tilted by 30 degrees: an edge. On a corner: a vertex. */
    const double h = cos(pi / 6) + sin(pi / 6);
    const apart_manifold edge =
        touch(&floor_, apart_pose_identity(), &cube, pose_of(0, 0, h - 0.01, 0, pi / 6, 0), 0.02);
    const double x = cos(pi / 6) - sin(pi / 6);
    const apart_vec3 ends[] = {{x, 1, 0}, {x, -1, 0}};
    expect("edge", &edge, ends, 2, -0.01, 1e-14);
    ck_assert_int_eq(edge.points[0].kind_b, APART_FEATURE_VERTEX);
    apart_pose corner;
    apart_pose_from_axis_angle(vec(1, -1, 0), acos(1 / sqrt(3.0)), vec(0, 0, sqrt(3.0) + 0.005), &corner);
    const apart_manifold vertex = touch(&floor_, apart_pose_identity(), &cube, corner, 0.02);
    const apart_vec3 foot[] = {{0, 0, 0}};
    expect("vertex", &vertex, foot, 1, 0.005, 1e-14);
    ck_assert_int_eq(vertex.points[0].kind_a, APART_FEATURE_FACE);
    /* Two edges that cross: A's along y on top, B's along x at the bottom. */
    const apart_manifold cross = touch(&cube, pose_of(0, 0, 0, 0, pi / 4, 0), &cube,
                                       pose_of(0.2, 0.3, 2 * sqrt(2.0) - 0.01, pi / 4, 0, 0), 0.02);
    const apart_vec3 at[] = {{0, 0.3, sqrt(2.0)}};
    expect("crossing edges", &cross, at, 1, -0.01, 1e-13);
    expect_names("crossing edges", &cross, APART_FEATURE_EDGE, APART_FEATURE_EDGE);
    /* An edge along another: two points. */
    const apart_manifold parallel =
        touch(&cube, pose_of(0, 0, 0, 0, pi / 4, 0), &cube, pose_of(0, 0.5, 2 * sqrt(2.0) + 0.01, 0, pi / 4, 0), 0.02);
    const apart_vec3 both[] = {{0, -0.5, sqrt(2.0)}, {0, 1, sqrt(2.0)}};
    expect("parallel edges", &parallel, both, 2, 0.01, 1e-13);
    /* A slight tilt within the margin keeps all four, each with its own distance. */
    const apart_manifold tilted = touch(&floor_, apart_pose_identity(), &cube, pose_of(0, 0, 1.001, 0, 1e-3, 0), 0.02);
    ck_assert_uint_eq(tilted.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const double side = tilted.points[i].b.x > 0.0 ? -1.0 : 1.0;
        ck_assert_double_eq_tol(tilted.points[i].distance, 1.001 - cos(1e-3) + side * sin(1e-3), 1e-14);
    }
}
END_TEST

/* ------------------------------------------------ round bodies */

START_TEST(round_bodies)
{
    const apart_shape table = apart_box(vec(2, 2, 0.5)), sphere = apart_sphere(0.5), capsule = apart_capsule(0.25, 1.0),
                      cylinder = apart_cylinder(0.5, 1.0), cone = apart_cone(0.5, 1.0),
                      soap = apart_rounded(apart_box(vec(0.5, 0.5, 0.5)), 0.1);
    const apart_pose here = apart_pose_identity();
    const double d = -0.002;
    const apart_vec3 middle[] = {{0.1, 0.2, 0.5}};
    apart_manifold m = touch(&table, here, &sphere, apart_pose_translation(0.1, 0.2, 1.0 + d), 0.01);
    expect("sphere", &m, middle, 1, d, 1e-14);
    m = touch(&table, here, &capsule, pose_of(0.1, 0.2, 0.75 + d, 0, pi / 2, 0), 0.01);
    const apart_vec3 lying[] = {{-0.9, 0.2, 0.5}, {1.1, 0.2, 0.5}};
    expect("lying capsule", &m, lying, 2, d, 1e-14);
    m = touch(&table, here, &capsule, apart_pose_translation(0.1, 0.2, 1.75 + d), 0.01);
    expect("standing capsule", &m, middle, 1, d, 1e-14);
    m = touch(&table, here, &cylinder, pose_of(0.1, 0.2, 1.0 + d, 0, pi / 2, 0), 0.01);
    expect("lying cylinder", &m, lying, 2, d, 1e-13);
    expect_names("lying cylinder", &m, APART_FEATURE_FACE, APART_FEATURE_EDGE);
    m = touch(&table, here, &cylinder, pose_of(0.1, 0.2, 1.5 + d, 0, 0, 0.3), 0.01);
    apart_vec3 rim[4];
    for (int i = 0; i < 4; i++) {
        rim[i] = vec(0.1 + 0.5 * cos(0.3 + i * pi / 2), 0.2 + 0.5 * sin(0.3 + i * pi / 2), 0.5);
    }
    expect("cap", &m, rim, 4, d, 1e-13);
    m = touch(&table, here, &cone, pose_of(0.1, 0.2, 1.5 + d, 0, 0, 0.3), 0.01);
    expect("base of a cone", &m, rim, 4, d, 1e-13);
    m = touch(&table, here, &cone, pose_of(0.1, 0.2, 1.5 + d, pi, 0, 0), 0.01);
    expect("apex", &m, middle, 1, d, 1e-13);
    /* On its side: the apex and a point of the rim, the axis sloping by atan(r / 2h). */
    const double slope = atan(0.25), axis = pi / 2 + slope, high = 0.5 * cos(slope) - sin(slope) - 0.0;
    m = touch(&table, here, &cone, pose_of(0, 0, 0.5 + high + d, 0, axis, 0), 0.01);
    ck_assert_uint_eq(m.count, 2);
    ck_assert_double_eq_tol(m.points[0].distance, d, 1e-7);
    ck_assert_double_eq_tol(m.points[1].distance, d, 1e-7);
    ck_assert_double_eq_tol(fabs(m.points[0].b.x - m.points[1].b.x), sqrt(4.25), 1e-7);
    m = touch(&table, here, &soap, apart_pose_translation(0.1, 0.2, 1.1 + d), 0.01);
    const apart_vec3 flat[] = {{-0.4, -0.3, 0.5}, {0.6, -0.3, 0.5}, {0.6, 0.7, 0.5}, {-0.4, 0.7, 0.5}};
    expect("rounded box", &m, flat, 4, d, 1e-13);
    /* Round on round: crossing capsules and lying cylinders one, parallel ones two, spheres one. */
    m = touch(&capsule, pose_of(0, 0, 0, 0, pi / 2, 0), &capsule, pose_of(0, 0, 0.49, pi / 2, 0, 0), 0.01);
    ck_assert_uint_eq(m.count, 1);
    m = touch(&capsule, pose_of(0, 0, 0, 0, pi / 2, 0), &cylinder, pose_of(0.5, 0, 0.74, 0, pi / 2, 0), 0.01);
    ck_assert_uint_eq(m.count, 2);
    ck_assert_double_eq_tol(m.points[0].distance, -0.01, 1e-9);
    m = touch(&sphere, here, &sphere, apart_pose_translation(0.6, 0, 0.8 + 1e-4), 0.01);
    ck_assert_uint_eq(m.count, 1);
    ck_assert_double_eq_tol(apart_vec3_distance(m.points[0].a, vec(0.3, 0, 0.4)), 0.0, 1e-4);
    /* A tilted cap: its lowest point, wherever that is on the rim. */
    m = touch(&table, here, &cylinder, pose_of(0, 0, 0.5 + cos(0.5) + 0.5 * sin(0.5), 0, 0.5, 1.1), 0.01);
    ck_assert_uint_eq(m.count, 1);
    ck_assert_double_eq_tol(m.points[0].distance, 0.0, 1e-13);
}
END_TEST

/* ------------------------------------------------ hulls, flat bodies, others */

/* A prism over a regular polygon with `sides` corners, from -1 to 1 along z. */
static apart_hull *prism(size_t sides)
{
    double *xyz = malloc(6 * sides * sizeof *xyz);
    apart_hull *hull = NULL;
    for (size_t i = 0; i < 2 * sides; i++) {
        const double angle = 2.0 * pi * (double)(i / 2) / (double)sides;
        xyz[3 * i] = cos(angle);
        xyz[3 * i + 1] = sin(angle);
        xyz[3 * i + 2] = i % 2 == 0 ? -1.0 : 1.0;
    }
    ck_assert_int_eq(apart_hull_build(xyz, 2 * sides, NULL, &hull), APART_OK);
    free(xyz);
    return hull;
}

static void assert_distinct(const char *name, const apart_manifold *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            ck_assert_msg(m->points[i].id != m->points[k].id, "%s: points %u and %u have the same id", name, i, k);
        }
    }
}

START_TEST(hulls)
{
    static const size_t sides[] = {3, 5, 8, 12, 40, 100};
    const apart_shape floor_ = apart_half_space(vec(0, 0, 1), 0.0);
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        apart_hull *hull = prism(sides[i]);
        const apart_shape shape = apart_hull_shape(hull);
        const apart_manifold m =
            touch(&floor_, apart_pose_identity(), &shape, apart_pose_translation(0, 0, 0.999), 0.01);
        ck_assert_uint_eq(m.count, sides[i] < 8 ? sides[i] : 8);
        assert_distinct("prism", &m);
        apart_vec3 sum = {0, 0, 0};
        for (uint32_t k = 0; k < m.count; k++) {
            const uint32_t v = m.points[k].number_b;
            ck_assert_int_eq(m.points[k].kind_b, APART_FEATURE_VERTEX);
            ck_assert_double_eq_tol(m.points[k].distance, -0.001, 1e-14);
            const apart_vec3 vertex = apart_hull_vertex(hull, v);
            ck_assert_double_le(apart_vec3_distance(m.points[k].b, vec(vertex.x, vertex.y, -0.001)), 1e-14);
            sum = apart_vec3_add_scaled(sum, 1.0 / m.count, m.points[k].b);
        }
        /* Well chosen: spread around the base. */
        ck_assert_double_le(hypot(sum.x, sum.y), 0.2);
        apart_hull_free(hull);
    }
    /* On one of its sides: a rectangle, by the face's own corners; against another prism an edge number of each. */
    apart_hull *hull = prism(6);
    const apart_shape shape = apart_hull_shape(hull);
    const apart_pose down = pose_of(0, 0, 0, pi / 2, 0, 0),
                     up = pose_of(0.3, 0, 2 * cos(pi / 6) - 0.001, pi / 2, 0, 0.4);
    const apart_manifold m = touch(&shape, down, &shape, up, 0.01);
    ck_assert_uint_ge(m.count, 4);
    assert_distinct("prism on prism", &m);
    for (uint32_t k = 0; k < m.count; k++) {
        const uint32_t most = m.points[k].kind_a == APART_FEATURE_EDGE ? apart_hull_edge_count(hull) : 12;
        ck_assert_uint_lt(m.points[k].number_a, most);
    }
    apart_hull_free(hull);
}
END_TEST

START_TEST(flat_and_featureless_bodies)
{
    const apart_shape floor_ = apart_half_space(vec(0, 0, 1), 0.0), plate = apart_box(vec(1, 1, 0)),
                      rod = apart_box(vec(1, 0, 0)),
                      triangle = apart_triangle(vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0)),
                      egg = apart_ellipsoid(vec(1, 2, 3)), ball = apart_sphere(0.5), sum = apart_sum(&plate, &ball),
                      cube = apart_box(vec(1, 1, 1)), point = apart_point(vec(0, 0, 0));
    const apart_pose here = apart_pose_identity(), low = apart_pose_translation(0, 0, -0.001);
    apart_manifold m = touch(&floor_, here, &plate, low, 0.01);
    ck_assert_uint_eq(m.count, 4);
    m = touch(&floor_, here, &plate, pose_of(0, 0, 0.999, pi / 2, 0, 0), 0.01); /* on its edge */
    ck_assert_uint_eq(m.count, 2);
    m = touch(&floor_, here, &rod, low, 0.01);
    ck_assert_uint_eq(m.count, 2);
    m = touch(&floor_, here, &triangle, low, 0.01);
    ck_assert_uint_eq(m.count, 3);
    m = touch(&floor_, here, &triangle, pose_of(0, 0, 0, pi / 2, 0, 0), 0.01);
    ck_assert_uint_eq(m.count, 2);
    /* Upright to the last bit: its face has no height over the floor, its lower edge does. */
    const apart_shape upright = apart_triangle(vec(0, 0, 0), vec(1, 0, 0), vec(0, 0, 1));
    m = touch(&floor_, here, &upright, low, 0.01);
    const apart_vec3 ends[] = {{0, 0, 0}, {1, 0, 0}};
    expect("upright triangle", &m, ends, 2, -0.001, 1e-15);
    m = touch(&floor_, here, &point, low, 0.01);
    ck_assert_uint_eq(m.count, 1);
    m = touch(&floor_, here, &egg, apart_pose_translation(0, 0, 2.999), 0.01);
    ck_assert_uint_eq(m.count, 1);
    ck_assert_double_eq_tol(m.points[0].distance, -0.001, 1e-12);
    m = touch(&floor_, here, &sum, apart_pose_translation(0, 0, 0.499), 0.01);
    ck_assert_uint_ge(m.count, 1);
    ck_assert_double_eq_tol(m.points[0].distance, -0.001, 1e-12);
    /* An affine image has the corners of what it is an image of. */
    const apart_mat3 stretch = {{2, 0, 0}, {0.5, 1, 0}, {0, 0, 0.5}};
    const apart_shape image = apart_affine(&cube, stretch, vec(0, 0, 1));
    m = touch(&floor_, here, &image, apart_pose_translation(0, 0, -0.501), 0.01);
    const apart_vec3 corners[] = {{-2.5, -1, 0}, {1.5, -1, 0}, {2.5, 1, 0}, {-1.5, 1, 0}};
    expect("sheared box", &m, corners, 4, -0.001, 1e-14);
}
END_TEST

START_TEST(planar_bodies)
{
    const apart_shape low = apart_rectangle(2, 1), high = apart_rectangle(1, 0.5), disc = apart_circle(0.5);
    static const double xy[] = {0, 0, 1, 0, 0.5, 0, 1, 1, 0, 1};
    const apart_shape polygon = apart_polygon(xy, 5);
    const apart_pose here = apart_pose_identity();
    apart_manifold m = touch(&low, here, &high, apart_pose_translation(1.5, 1.499, 0), 0.01);
    const apart_vec3 side[] = {{0.5, 1, 0}, {2, 1, 0}};
    expect("side on side", &m, side, 2, -0.001, 1e-14);
    m = touch(&low, here, &disc, apart_pose_translation(0.25, 1.499, 0), 0.01);
    const apart_vec3 one[] = {{0.25, 1, 0}};
    expect("disc", &m, one, 1, -0.001, 1e-14);
    m = touch(&low, here, &polygon, apart_pose_translation(0.25, 1.001, 0), 0.01);
    const apart_vec3 base[] = {{0.25, 1, 0}, {1.25, 1, 0}};
    expect("polygon with a point in its side", &m, base, 2, 0.001, 1e-14);
    apart_pose turned;
    apart_pose_from_angle_2d(pi / 4, 0, 1 + sqrt(2.0) * 0.75, &turned);
    m = touch(&low, here, &high, turned, 0.1);
    ck_assert_uint_eq(m.count, 1);
}
END_TEST

/* ------------------------------------------------ names that last */

START_TEST(ids_last_from_step_to_step)
{
    const apart_shape table = apart_box(vec(2, 2, 0.5)), box = apart_box(vec(0.5, 0.25, 1));
    random_source r = 7;
    uint64_t ids[4] = {0, 0, 0, 0};
    for (int step = 0; step < 1000; step++) {
        /* Slides across, turns, and trembles by what solvers leave. */
        const double t = 1e-9 * random_between(&r, -1, 1), u = 1e-9 * random_between(&r, -1, 1);
        const apart_pose pose = pose_of(-1.4 + 2.8e-3 * step, 0.2, 1.5 - 1e-4 + t, t, u, 1e-3 * step);
        const apart_manifold m = touch(&table, apart_pose_identity(), &box, pose, 0.01);
        ck_assert_uint_eq(m.count, 4);
        assert_distinct("sliding box", &m);
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t known = 0;
            for (uint32_t k = 0; k < 4; k++) {
                known += m.points[i].id == ids[k] ? 1u : 0u;
            }
            ck_assert_msg(step == 0 || known == 1, "step %d: point %u has a new id", step, i);
        }
        for (uint32_t i = 0; i < 4; i++) {
            ids[i] = m.points[i].id;
        }
    }
    /* Equal squares on each other that tremble: always the corners of A. */
    const apart_shape cube = apart_box(vec(1, 1, 1));
    for (int step = 0; step < 200; step++) {
        const double x = 1e-8 * random_between(&r, -1, 1), y = 1e-8 * random_between(&r, -1, 1);
        const apart_manifold m = touch(&cube, apart_pose_identity(), &cube, pose_of(x, y, 2.0001, 0, 0, 0.1 * x), 0.01);
        ck_assert_uint_eq(m.count, 4);
        expect_names("trembling squares", &m, APART_FEATURE_VERTEX, APART_FEATURE_FACE);
    }
    /* Four of an octagon's eight equal corners, chosen anew each time: always the same four, one in each quarter. */
    uint64_t first = 0;
    for (int step = 0; step < 200; step++) {
        const double t = 1e-11 * random_between(&r, -1, 1), u = 1e-11 * random_between(&r, -1, 1);
        const apart_contact_options four = {.margin = 0.01, .max_points = 4};
        const apart_pose here = apart_pose_identity(), pose = pose_of(t, u, 2.0001, t, u, pi / 4 + u);
        apart_manifold m;
        uint64_t sum = 0;
        apart_vec3 middle = {0, 0, 0};
        ck_assert_int_eq(apart_contact(&cube, &here, &cube, &pose, &four, NULL, &m), APART_OK);
        ck_assert_uint_eq(m.count, 4);
        for (uint32_t i = 0; i < 4; i++) {
            sum += m.points[i].id * m.points[i].id; /* the order may change; a sum is the same for all squares */
            middle = apart_vec3_add_scaled(middle, 0.25, m.points[i].a);
        }
        first = step == 0 ? sum : first;
        ck_assert_msg(sum == first, "step %d: other points of the octagon", step);
        ck_assert_double_le(hypot(middle.x, middle.y), 1e-9);
    }
}
END_TEST

/* ------------------------------------------------ any pair */

/* A depth that no point may exceed, points that belong to their bodies, b - a = distance * normal. */
static void check_manifold(const char *family, const apart_shape *shapes[2], const apart_pose poses[2],
                           const apart_manifold *m, double margin, double magnitude)
{
    const double same = 2e-9 * magnitude;
    const double slack =
        1e-4 * magnitude; /* 1e-6 across, raised by slopes of up to 10 along the normal, and by the margin's tilt */
    ck_assert_msg((m->count > 0) == (m->result.distance <= margin && m->result.relation != APART_BEYOND),
                  "%s: %u points at %g", family, m->count, m->result.distance);
    assert_distinct(family, m);
    for (uint32_t i = 0; i < m->count; i++) {
        const apart_contact_point *p = &m->points[i];
        ck_assert_msg(p->distance <= margin + 1e-12 * magnitude && p->distance >= m->result.distance - same,
                      "%s: %g at point %u, bodies %g", family, p->distance, i, m->result.distance);
        ck_assert_msg(apart_vec3_distance(apart_vec3_add_scaled(p->a, p->distance, m->normal), p->b) <=
                          8.0 * DBL_EPSILON * (magnitude + apart_vec3_norm(p->a)),
                      "%s: b - a is off by %g of %g", family,
                      apart_vec3_distance(apart_vec3_add_scaled(p->a, p->distance, m->normal), p->b), magnitude);
        for (int k = 0; k < 2; k++) {
            apart_result r;
            ck_assert_int_eq(apart_point_distance(k == 0 ? p->a : p->b, shapes[k], &poses[k], NULL, NULL, &r),
                             APART_OK);
            ck_assert_msg(r.distance <= slack, "%s: point %u is %g outside of %s", family, i, r.distance,
                          k == 0 ? "A" : "B");
        }
    }
    ck_assert_msg(m->count == 0 || m->points[0].distance <= m->result.distance + same, "%s: deepest %g, bodies %g",
                  family, m->points[0].distance, m->result.distance);
}

START_TEST(any_pair)
{
    random_source r = 20240301;
    hull_pool pool;
    for (size_t i = 0; i < HULL_POOL_SIZE; i++) {
        double xyz[3 * PAIR_POINTS_MAX];
        const size_t n = random_body(&r, xyz);
        pool.hulls[i] = NULL;
        ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &pool.hulls[i]), APART_OK);
    }
    unsigned points = 0, contacts = 0;
    for (int i = 0; i < 40000; i++) {
        moving_pair pair;
        moving_generate(&pair, &r, &pool);
        const apart_shape *shapes[2] = {&pair.a, &pair.b};
        const apart_pose poses[2] = {pair.motion_a.start, pair.motion_b.start};
        const double margin = pair.scale * (i % 2 == 0 ? 0.05 : 2.0), magnitude = moving_magnitude(&pair);
        const apart_contact_options options = {.margin = margin};
        apart_manifold m, again;
        memset(&m, 0, sizeof m);
        memset(&again, 0, sizeof again);
        ck_assert_int_eq(apart_contact(&pair.a, &poses[0], &pair.b, &poses[1], &options, NULL, &m), APART_OK);
        if (m.count > 0 && magnitude < 1e3 * pair.scale) {
            check_manifold(moving_family_name[pair.family], shapes, poses, &m, margin, magnitude);
            ck_assert_int_eq(apart_contact_from_result(&pair.a, &poses[0], &pair.b, &poses[1], &m.result, &options,
                                                       &again),
                             APART_OK);
            ck_assert_uint_eq(again.count, m.count);
            ck_assert_mem_eq(again.points, m.points, sizeof m.points[0] * m.count);
            contacts++;
            points += m.count;
        }
    }
    printf("any pair: %u contacts, %u points\n", contacts, points);
    ck_assert_uint_ge(contacts, 5000);
    for (size_t i = 0; i < HULL_POOL_SIZE; i++) {
        apart_hull_free(pool.hulls[i]);
    }
}
END_TEST

/* The same in another frame and at another scale, and with A and B in each other's place. */
START_TEST(invariance)
{
    const apart_shape a = apart_box(vec(1, 1, 1)), b = apart_cylinder(0.5, 1.0);
    const apart_pose pose_b = pose_of(0.4, 0.3, 1.995, 0, 0, 0.2);
    const apart_manifold m = touch(&a, apart_pose_identity(), &b, pose_b, 0.01);
    ck_assert_uint_eq(m.count, 4);
    static const double scales[] = {1e-100, 1e-6, 1e6, 1e100};
    for (size_t i = 0; i < 4; i++) {
        const double s = scales[i];
        const apart_shape big_a = apart_box(vec(s, s, s)), big_b = apart_cylinder(0.5 * s, s);
        apart_pose pose = pose_b;
        pose.translation = vec(s * pose.translation.x, s * pose.translation.y, s * pose.translation.z);
        const apart_manifold big = touch(&big_a, apart_pose_identity(), &big_b, pose, 0.01 * s);
        ck_assert_uint_eq(big.count, 4);
        for (uint32_t k = 0; k < 4; k++) { /* equally deep ones may come in another order */
            uint32_t same = 0;
            for (uint32_t l = 0; l < 4; l++) {
                same += big.points[k].id == m.points[l].id &&
                                apart_vec3_distance(apart_vec3_scale(1.0 / s, big.points[k].a), m.points[l].a) < 1e-12
                            ? 1u
                            : 0u;
            }
            ck_assert_uint_eq(same, 1);
            ck_assert_double_eq_tol(big.points[k].distance / s, m.points[k].distance, 1e-12);
        }
    }
    const apart_manifold swapped = touch(&b, pose_b, &a, apart_pose_identity(), 0.01);
    ck_assert_uint_eq(swapped.count, 4);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < 4; i++) {
            found += apart_vec3_distance(swapped.points[k].b, m.points[i].a) < 1e-12 ? 1u : 0u;
        }
        ck_assert_uint_eq(found, 1);
    }
    const apart_pose far = pose_of(100, -200, 50, 1, 2, 3),
                     a_there = apart_pose_compose(&far, &(apart_pose){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}),
                     b_there = apart_pose_compose(&far, &pose_b);
    const apart_manifold moved = touch(&a, a_there, &b, b_there, 0.01);
    ck_assert_uint_eq(moved.count, 4);
    for (uint32_t k = 0; k < 4; k++) {
        ck_assert_double_eq_tol(moved.points[k].distance, -0.005, 1e-12);
    }
}
END_TEST

START_TEST(options_and_statuses)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), flat = apart_rectangle(1, 1), bad = apart_sphere(-1);
    const apart_pose here = apart_pose_identity(), on = apart_pose_translation(0, 0, 2),
                     far = apart_pose_translation(0, 0, 3);
    apart_manifold m;
    for (uint32_t most = 1; most <= 4; most++) {
        const apart_contact_options options = {.max_points = most};
        ck_assert_int_eq(apart_contact(&box, &here, &box, &on, &options, NULL, &m), APART_OK);
        ck_assert_uint_eq(m.count, most);
    }
    /* Two points of four lie across from each other. */
    const apart_contact_options two = {.max_points = 2};
    ck_assert_int_eq(apart_contact(&box, &here, &box, &on, &two, NULL, &m), APART_OK);
    ck_assert_double_eq_tol(apart_vec3_distance(m.points[0].a, m.points[1].a), sqrt(8.0), 1e-12);
    ck_assert_int_eq(apart_contact(&box, &here, &box, &far, NULL, NULL, &m), APART_OK);
    ck_assert_uint_eq(m.count, 0);
    ck_assert_int_eq(m.result.relation, APART_BEYOND);
    const apart_contact_options negative = {.margin = -1}, nan_margin = {.margin = NAN}, many = {.max_points = 9};
    ck_assert_int_eq(apart_contact(&box, &here, &box, &on, &negative, NULL, &m), APART_ERR_OPTION);
    ck_assert_int_eq(apart_contact(&box, &here, &box, &on, &nan_margin, NULL, &m), APART_ERR_OPTION);
    ck_assert_int_eq(apart_contact(&box, &here, &box, &on, &many, NULL, &m), APART_ERR_OPTION);
    ck_assert_int_eq(apart_contact(NULL, &here, &box, &on, NULL, NULL, &m), APART_ERR_NULL);
    ck_assert_int_eq(apart_contact(&box, NULL, &box, &on, NULL, NULL, &m), APART_ERR_NULL);
    ck_assert_int_eq(apart_contact(&box, &here, &flat, &on, NULL, NULL, &m), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_contact(&box, &here, &bad, &on, NULL, NULL, &m), APART_ERR_NEGATIVE_SIZE);
    const apart_options none = {.depth = APART_DEPTH_NONE};
    apart_result r;
    ck_assert_int_eq(apart_distance(&box, &here, &box, &here, &none, NULL, &r), APART_OK);
    r.normal = vec(0, 0, 0);
    ck_assert_int_eq(apart_contact_from_result(&box, &here, &box, &here, &r, NULL, &m), APART_ERR_NORMAL);
    ck_assert_int_eq(apart_contact_from_result(&box, &here, &bad, &here, &r, NULL, &m), APART_ERR_NEGATIVE_SIZE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact");
    TCase *t = tcase_create("contact");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, face_on_face);
    tcase_add_test(t, edges_and_vertices);
    tcase_add_test(t, round_bodies);
    tcase_add_test(t, hulls);
    tcase_add_test(t, flat_and_featureless_bodies);
    tcase_add_test(t, planar_bodies);
    tcase_add_test(t, ids_last_from_step_to_step);
    tcase_add_test(t, any_pair);
    tcase_add_test(t, invariance);
    tcase_add_test(t, options_and_statuses);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
