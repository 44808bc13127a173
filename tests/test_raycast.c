/* Rays against every shape: closed forms, and random rays against dense sampling and bisection of the signed distance
 * of a point. */
#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moving_pairs.h"
#include "run_suite.h"

static const apart_vec3 zero = {0.0, 0.0, 0.0};

static apart_vec3 vec(double x, double y, double z) { return (apart_vec3){x, y, z}; }

static apart_ray_hit cast_at(const apart_shape *body, apart_pose pose, apart_vec3 origin, apart_vec3 direction,
                             double length)
{
    const apart_ray ray = {origin, direction, length};
    apart_ray_hit hit;
    ck_assert_int_eq(apart_raycast(&ray, body, &pose, NULL, &hit), APART_OK);
    return hit;
}

static apart_ray_hit cast(const apart_shape *body, apart_vec3 origin, apart_vec3 direction)
{
    return cast_at(body, apart_pose_identity(), origin, direction, INFINITY);
}

static void expect(const char *name, const apart_ray_hit *hit, double distance, apart_vec3 normal, int kind,
                   uint32_t number)
{
    ck_assert_msg(hit->hit == 1 && hit->inside == 0, "%s: no hit from outside", name);
    ck_assert_msg(fabs(hit->distance - distance) <= 64.0 * DBL_EPSILON * (4.0 + distance),
                  "%s: distance %.17g, expected %.17g", name, hit->distance, distance);
    ck_assert_msg(hit->lower <= distance && distance - hit->lower <= 256.0 * DBL_EPSILON * (4.0 + distance),
                  "%s: lower %.17g, distance %.17g", name, hit->lower, distance);
    const apart_vec3 error = apart_vec3_add_scaled(hit->normal, -1.0, normal);
    ck_assert_msg(apart_vec3_norm(error) <= 1e-10, "%s: normal (%.17g %.17g %.17g), expected (%g %g %g)", name,
                  hit->normal.x, hit->normal.y, hit->normal.z, normal.x, normal.y, normal.z);
    ck_assert_msg(hit->feature.kind == kind && (number == APART_NO_INDEX || hit->feature.number == number),
                  "%s: %s %u, expected %s %u", name, apart_feature_name(hit->feature.kind), hit->feature.number,
                  apart_feature_name(kind), number);
}

START_TEST(closed_forms)
{
    const double h = sqrt(0.5);
    const apart_shape sphere = apart_sphere(1.0), box = apart_box(vec(1, 2, 3)), capsule = apart_capsule(0.5, 1.0),
                      cylinder = apart_cylinder(1.0, 2.0), cone = apart_cone(1.0, 1.0),
                      ellipsoid = apart_ellipsoid(vec(3, 2, 1)), ground = apart_half_space(vec(0, 0, 1), 0.5),
                      triangle = apart_triangle(vec(-1, -1, 0), vec(2, -1, 0), vec(-1, 2, 0)),
                      soap = apart_rounded(box, 0.25);
    apart_ray_hit hit = cast(&sphere, vec(-5, 0.6, 0), vec(2, 0, 0));
    expect("sphere", &hit, 4.2, vec(-0.8, 0.6, 0), APART_FEATURE_CURVED, 0);
    hit = cast(&box, vec(-7, 1, -2), vec(1, 0, 0));
    expect("box, -x", &hit, 6.0, vec(-1, 0, 0), APART_FEATURE_FACE, 0);
    hit = cast(&box, vec(0.5, 1.5, 9), vec(0, 0, -3));
    expect("box, +z", &hit, 6.0, vec(0, 0, 1), APART_FEATURE_FACE, 5);
    hit = cast(&soap, vec(-7, 1, -2), vec(1, 0, 0));
    expect("rounded box, -x", &hit, 5.75, vec(-1, 0, 0), APART_FEATURE_FACE, 0);
    /* The rounded edge -x -y of the soap, at 45 degrees. */
    hit = cast(&soap, vec(-1 - 4 * h, -2 - 4 * h, 0.5), vec(h, h, 0));
    expect("rounded edge", &hit, 3.75, vec(-h, -h, 0), APART_FEATURE_CURVED, 8);
    hit = cast(&capsule, vec(3, 0.3, 0.25), vec(-1, 0, 0));
    expect("capsule", &hit, 2.6, vec(0.8, 0.6, 0), APART_FEATURE_CURVED, 0);
    hit = cast(&capsule, vec(0, 0, 4), vec(0, 0, -1));
    expect("capsule's end", &hit, 2.5, vec(0, 0, 1), APART_FEATURE_CURVED, APART_NO_INDEX);
    hit = cast(&cylinder, vec(3, 0.6, 1), vec(-1, 0, 0));
    expect("cylinder", &hit, 2.2, vec(0.8, 0.6, 0), APART_FEATURE_CURVED, 0);
    hit = cast(&cylinder, vec(0.3, 0.6, 9), vec(0, 0, -1));
    expect("cylinder's cap", &hit, 7.0, vec(0, 0, 1), APART_FEATURE_FACE, 2);
    hit = cast(&cone, vec(4, 0, 0), vec(-1, 0, 0)); /* slope: radius 1/2 at the middle, 2 high */
    expect("cone", &hit, 3.5, vec(2 / sqrt(5), 0, 1 / sqrt(5)), APART_FEATURE_CURVED, 0);
    hit = cast(&cone, vec(0.25, 0.25, -3), vec(0, 0, 1));
    expect("cone's base", &hit, 2.0, vec(0, 0, -1), APART_FEATURE_FACE, 1);
    const double x = 3.0 * sqrt(1.0 - 0.25 - 0.25);
    const apart_vec3 gradient = vec(x / 9, 1.0 / 4, sqrt(0.25)); /* at (x, 1, 1/2) */
    hit = cast(&ellipsoid, vec(x + 5, 1, 0.5), vec(-1, 0, 0));
    expect("ellipsoid", &hit, 5.0,
           vec(gradient.x / apart_vec3_norm(gradient), gradient.y / apart_vec3_norm(gradient),
               gradient.z / apart_vec3_norm(gradient)),
           APART_FEATURE_CURVED, 0);
    hit = cast(&ground, vec(1, 2, 4.5), vec(3, 0, -4));
    expect("half-space", &hit, 5.0, vec(0, 0, 1), APART_FEATURE_FACE, 0);
    hit = cast(&triangle, vec(0, 0, 4), vec(0, 0, -1));
    expect("triangle from above", &hit, 4.0, vec(0, 0, 1), APART_FEATURE_FACE, 0);
    hit = cast(&triangle, vec(0, 0, -4), vec(0, 0, 1));
    expect("triangle from below", &hit, 4.0, vec(0, 0, -1), APART_FEATURE_FACE, 0);
}
END_TEST

START_TEST(composites)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), ball = apart_sphere(0.5), bar = apart_segment(zero, vec(4, 0, 0)),
                      peg = apart_box(vec(0.5, 0.5, 4));
    const apart_shape sum = apart_sum(&box, &bar), wrapped = apart_hull_of_two(&box, &peg),
                      flat = apart_affine(&ball, (apart_mat3){{4, 0, 0}, {0, 2, 0}, {0, 0, 2}}, vec(1, 0, 0));
    const double corners[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    const apart_shape points = apart_points(corners, 6);
    apart_hull *hull = NULL;
    ck_assert_int_eq(apart_hull_build(corners, 6, NULL, &hull), APART_OK);
    const apart_shape octahedron = apart_hull_shape(hull);
    apart_ray_hit hit = cast(&sum, vec(9, 0.5, 0.25), vec(-1, 0, 0));
    expect("sum", &hit, 4.0, vec(1, 0, 0), hit.feature.kind, APART_NO_INDEX);
    hit = cast(&wrapped, vec(0, 0, 9), vec(0, 0, -1));
    expect("hull of two", &hit, 5.0, vec(0, 0, 1), hit.feature.kind, APART_NO_INDEX);
    hit = cast(&flat, vec(9, 0, 0), vec(-1, 0, 0));
    expect("affine image", &hit, 6.0, vec(1, 0, 0), APART_FEATURE_CURVED, APART_NO_INDEX);
    const double s = 1.0 / sqrt(3.0);
    hit = cast(&points, vec(3, 3, 3), vec(-1, -1, -1));
    expect("points", &hit, sqrt(27.0) - s, vec(s, s, s), APART_FEATURE_FACE, APART_NO_INDEX);
    hit = cast(&octahedron, vec(3, 3, 3), vec(-1, -1, -1));
    expect("hull", &hit, sqrt(27.0) - s, vec(s, s, s), APART_FEATURE_FACE, APART_NO_INDEX);
    ck_assert_uint_lt(hit.feature.number, 8);
    apart_hull_free(hull);
}
END_TEST

START_TEST(planar_rays)
{
    const double xy[] = {0, 0, 2, 0, 2, 2, 0, 2};
    const apart_shape circle = apart_circle(1.0), rectangle = apart_rectangle(1, 2), polygon = apart_polygon(xy, 4),
                      edge = apart_segment_2d(0, -1, 0, 1);
    apart_ray_hit hit = cast(&circle, vec(-3, 0.6, 0), vec(1, 0, 0));
    expect("circle", &hit, 2.2, vec(-0.8, 0.6, 0), APART_FEATURE_CURVED, 0);
    hit = cast(&rectangle, vec(0.25, 6, 0), vec(0, -1, 0));
    expect("rectangle", &hit, 4.0, vec(0, 1, 0), APART_FEATURE_EDGE, 1);
    hit = cast(&polygon, vec(-1, 1, 0), vec(5, 0, 0));
    expect("polygon", &hit, 1.0, vec(-1, 0, 0), APART_FEATURE_EDGE, APART_NO_INDEX);
    hit = cast(&edge, vec(-1, 0.5, 0), vec(1, 0, 0));
    expect("segment", &hit, 1.0, vec(-1, 0, 0), APART_FEATURE_EDGE, 0);
    ck_assert_int_eq(cast(&edge, vec(-1, 1.5, 0), vec(1, 0, 0)).hit, 0);
    const apart_ray up = {zero, {0, 0, 1}, 1.0}, high = {{0, 0, 1}, {1, 0, 0}, 1.0};
    const apart_pose here = apart_pose_identity();
    ck_assert_int_eq(apart_raycast(&up, &circle, &here, NULL, &hit), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_raycast(&high, &circle, &here, NULL, &hit), APART_ERR_DIMENSION);
}
END_TEST

START_TEST(from_inside)
{
    const apart_shape box = apart_box(vec(1, 2, 3)), ball = apart_sphere(2.0),
                      ground = apart_half_space(vec(0, 0, 1), 0.5);
    apart_ray_hit hit = cast(&box, vec(0.75, 0, 0), vec(0, 1, 0));
    ck_assert(hit.hit == 1 && hit.inside == 1 && hit.distance == 0.0 && hit.lower == 0.0 && hit.point.x == 0.75);
    ck_assert_double_eq_tol(hit.normal.x, 1.0, 1e-12);
    ck_assert(hit.feature.kind == APART_FEATURE_FACE && hit.feature.number == 1);
    hit = cast(&ball, vec(0, -1, 0), vec(1, 0, 0));
    ck_assert(hit.hit == 1 && hit.inside == 1 && hit.distance == 0.0);
    ck_assert_double_eq_tol(hit.normal.y, -1.0, 1e-12);
    hit = cast(&ground, vec(5, 5, -1), vec(0, 0, 1));
    ck_assert(hit.hit == 1 && hit.inside == 1);
    ck_assert_double_eq_tol(hit.normal.z, 1.0, 1e-12);
    /* On the surface counts as inside, wherever the ray goes. */
    hit = cast(&box, vec(1, 0, 0), vec(1, 0, 0));
    ck_assert(hit.hit == 1 && hit.inside == 1 && hit.distance == 0.0);
}
END_TEST

START_TEST(misses_and_lengths)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), ground = apart_half_space(vec(0, 0, 1), 0.0),
                      point = apart_point(zero), needle = apart_segment(vec(0, 0, -1), vec(0, 0, 1));
    const apart_pose here = apart_pose_identity();
    ck_assert_int_eq(cast(&box, vec(-3, 0, 0), vec(-1, 0, 0)).hit, 0);
    ck_assert_int_eq(cast(&box, vec(-3, 1.5, 0), vec(1, 0, 0)).hit, 0);
    ck_assert_int_eq(cast(&ground, vec(0, 0, 3), vec(1, 0, 0)).hit, 0);
    ck_assert_int_eq(cast(&ground, vec(0, 0, 3), vec(1, 0, 0.001)).hit, 0);
    ck_assert_int_eq(cast(&ground, vec(0, 0, 3), vec(1, 0, -1e-6)).hit, 1);
    ck_assert_int_eq(cast_at(&box, here, vec(-3, 0, 0), vec(1, 0, 0), 1.99).hit, 0);
    ck_assert(cast_at(&box, here, vec(-3, 0, 0), vec(1, 0, 0), 1.99).lower == 1.99);
    ck_assert_int_eq(cast_at(&box, here, vec(-3, 0, 0), vec(1, 0, 0), 2.0).hit, 1);
    ck_assert_int_eq(cast_at(&box, here, vec(-3, 0, 0), vec(1, 0, 0), 0.0).hit, 0);
    ck_assert_int_eq(cast_at(&box, here, zero, vec(1, 0, 0), 0.0).hit, 1);
    /* Bodies without an inside. */
    ck_assert_int_eq(cast(&point, vec(-3, 0, 0), vec(1, 0, 0)).hit, 1);
    ck_assert_int_eq(cast(&point, vec(-3, 1e-9, 0), vec(1, 0, 0)).hit, 0);
    ck_assert_int_eq(cast(&needle, vec(-3, 0, 0.5), vec(1, 0, 0)).hit, 1);
    ck_assert_int_eq(cast(&needle, vec(-3, 1e-9, 0.5), vec(1, 0, 0)).hit, 0);
    ck_assert_int_eq(cast(&needle, vec(0, 0, 9), vec(0, 0, -1)).hit, 1);
}
END_TEST

START_TEST(grazing_rays_end)
{
    const apart_shape ball = apart_sphere(1.0), box = apart_box(vec(1, 1, 1)), egg = apart_ellipsoid(vec(1, 2, 3)),
                      drum = apart_cylinder(1.0, 1.0);
    for (int i = -40; i <= 40; i++) {
        const double off = i * DBL_EPSILON, small = i * 1e-9;
        const apart_ray_hit a = cast(&ball, vec(-9, 1 + off, 0), vec(1, 0, 0)),
                            b = cast(&box, vec(-9, 1 + off, 0.5), vec(1, 0, 0));
        const apart_ray_hit c = cast(&egg, vec(-9, 0, 3 + off), vec(1, 0, 0)),
                            d = cast(&drum, vec(-9, 0, 1 + off), vec(1, 0, 0));
        ck_assert(a.iterations < 100 && b.iterations < 100 && c.iterations < 100 && d.iterations < 100);
        const apart_ray_hit sure = cast(&ball, vec(-9, 1 + small, 0), vec(1, 0, 0)),
                            flat = cast(&drum, vec(-9, 0, 1 + small), vec(1, 0, 0));
        if (i != 0) {
            ck_assert_int_eq(sure.hit, i < 0);
            ck_assert_int_eq(flat.hit, i < 0);
        }
        if (i < 0) {                                           /* the chord's half length is sqrt(1 - (1 + small)^2) */
            const double chord = sqrt(-small * (2.0 + small)); /* and the sine of the angle of incidence */
            ck_assert_double_eq_tol(sure.distance, 9.0 - chord, 64.0 * DBL_EPSILON * 19.0 / chord);
        }
    }
}
END_TEST

START_TEST(scales_offsets_and_far_origins)
{
    const double scale[] = {1e-150, 1e-6, 1.0, 1e120};
    for (int i = 0; i < 4; i++) {
        const double s = scale[i];
        const apart_shape box = apart_box(vec(s, 2 * s, 3 * s));
        apart_ray_hit hit = cast(&box, vec(-7 * s, s, -2 * s), vec(1e-200, 0, 0));
        ck_assert(hit.hit == 1 && fabs(hit.normal.x + 1.0) <= DBL_EPSILON);
        ck_assert_double_eq_tol(hit.distance / s, 6.0, 1e-13);
        const apart_pose far = apart_pose_translation(1e9 * s, 1e9 * s, -1e9 * s);
        hit = cast_at(&box, far, vec((1e9 - 7) * s, (1e9 + 1) * s, (-1e9 - 2) * s), vec(1e200, 0, 0), INFINITY);
        ck_assert_int_eq(hit.hit, 1);
        ck_assert_double_eq_tol(hit.distance / s, 6.0, 1e-6);
        hit = cast(&box, vec(-1e12 * s, s, s), vec(2, 0, 0));
        ck_assert_int_eq(hit.hit, 1);
        ck_assert_double_eq_tol(hit.distance / s, 1e12, 2.0);
    }
}
END_TEST

/* A common offset of ray and vertices, which are exact doubles. */
START_TEST(offsets_in_the_vertices)
{
    const double offset[] = {1e4, 1e6, 1e8};
    for (int i = 0; i < 3; i++) {
        const double f = offset[i];
        const apart_shape near = apart_triangle(vec(0, -1, -1), vec(0.25, 1, -1), vec(0.5, 0, 1)),
                          far = apart_triangle(vec(f, -f - 1, f - 1), vec(f + 0.25, -f + 1, f - 1),
                                               vec(f + 0.5, -f, f + 1));
        const apart_ray_hit at = cast(&near, vec(-3, 1, 0.125), vec(3, -1, 0)),
                            far_at = cast(&far, vec(f - 3, 1 - f, f + 0.125), vec(3, -1, 0));
        ck_assert(at.hit == 1 && far_at.hit == 1);
        ck_assert_msg(fabs(far_at.distance - at.distance) <= 1e-13, "offset %g: off by %g", f,
                      far_at.distance - at.distance);
        ck_assert_double_le(at.distance - far_at.lower, 1e-13);
        ck_assert_double_le(apart_vec3_distance(at.normal, far_at.normal), 1e-13);
    }
}
END_TEST

/* ------------------------------------------------ random rays */

static double distance_at(const apart_shape *body, const apart_pose *pose, apart_vec3 p)
{
    apart_result r;
    ck_assert_int_eq(apart_point_distance(p, body, pose, NULL, NULL, &r), APART_OK);
    return r.distance;
}

typedef struct scan {
    double first, least, least_s; /* first s with distance <= 0 (infinite if none); the least distance */
} scan;

/* The signed distance is convex along a line: ternary search for its minimum, then bisection for the entry. */
static scan cast_random_ray(const apart_shape *body, const apart_pose *pose, apart_vec3 o, apart_vec3 d, double length)
{
    double low = 0.0, high = length;
    for (int i = 0; i < 120; i++) {
        const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        const bool right = distance_at(body, pose, apart_vec3_add_scaled(o, a, d)) >
                           distance_at(body, pose, apart_vec3_add_scaled(o, b, d));
        *(right ? &low : &high) = right ? a : b;
    }
    scan s = {.first = INFINITY, .least_s = 0.5 * (low + high)};
    s.least = distance_at(body, pose, apart_vec3_add_scaled(o, s.least_s, d));
    if (s.least <= 0.0) {
        double outside = 0.0, inside = s.least_s;
        for (int i = 0; i < 120; i++) {
            const double middle = 0.5 * (outside + inside);
            *(distance_at(body, pose, apart_vec3_add_scaled(o, middle, d)) <= 0.0 ? &inside : &outside) = middle;
        }
        s.first = inside;
    }
    return s;
}

static void check_ray(const moving_pair *p, random_source *r, int number)
{
    const bool planar = p->family == MOVING_PLANAR;
    const double size = p->scale;
    apart_pose pose = {random_rotation(r), {0.3 * size, -0.2 * size, planar ? 0.0 : 0.1 * size}};
    if (planar) {
        pose.rotation = p->motion_a.start.rotation;
    }
    const apart_vec3 from = random_in_ball(r), to = random_in_ball(r);
    const apart_vec3 o = vec(4 * size * from.x, 4 * size * from.y, planar ? 0.0 : 4 * size * from.z);
    apart_vec3 d = vec(size * to.x - o.x, size * to.y - o.y, planar ? 0.0 : size * to.z - o.z);
    d = vec(d.x / apart_vec3_norm(d), d.y / apart_vec3_norm(d), d.z / apart_vec3_norm(d));
    const apart_ray_hit hit = cast_at(&p->a, pose, o, d, 8 * size);
    const double noise = 96.0 * DBL_EPSILON * 16.0 * size;
    const scan s = cast_random_ray(&p->a, &pose, o, d, 8 * size);
    ck_assert_msg(hit.iterations < 150, "ray %d: %u iterations", number, hit.iterations);
    if (!hit.hit) {
        ck_assert_msg(s.least > -noise, "ray %d, %s: missed, but depth %g", number, apart_shape_name(&p->a),
                      s.least / size);
        return;
    }
    ck_assert_msg(s.least <= noise, "ray %d, %s: hit, but %g away", number, apart_shape_name(&p->a), s.least / size);
    const double there = distance_at(&p->a, &pose, hit.point);
    ck_assert_msg(hit.inside ? there <= noise : fabs(there) <= noise, "ray %d, %s: hit point %g off", number,
                  apart_shape_name(&p->a), there / size);
    ck_assert_msg(hit.lower <= hit.distance && (!(s.first < 1e300) || hit.lower <= s.first + noise), "ray %d: lower",
                  number);
    ck_assert(hit.inside || distance_at(&p->a, &pose, apart_vec3_add_scaled(o, 0.999 * hit.lower, d)) > 0.0);
    ck_assert_double_eq_tol(apart_vec3_norm(hit.normal), 1.0, 1e-14);
    if (!hit.inside && s.least < -1e-6 * size) { /* not a graze */
        const double lift = 1e-3 * size,
                     lifted = distance_at(&p->a, &pose, apart_vec3_add_scaled(hit.point, lift, hit.normal));
        ck_assert_msg(lifted >= lift * (1.0 - 1e-10) - noise, "ray %d, %s: the normal is off by %g", number,
                      apart_shape_name(&p->a), sqrt(2.0 * (1.0 - lifted / lift)));
        ck_assert_msg(apart_vec3_dot(hit.normal, d) < 1e-9, "ray %d, %s: the normal points along the ray: %g", number,
                      apart_shape_name(&p->a), apart_vec3_dot(hit.normal, d));
    }
}

START_TEST(random_rays)
{
    const char *given = getenv("APART_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 20240512u;
    printf("random_rays: seed %" PRIu64 "\n", seed);
    random_source r = seed;
    static hull_pool pool;
    for (int i = 0; i < HULL_POOL_SIZE; i++) {
        double xyz[3 * PAIR_POINTS_MAX];
        ck_assert_int_eq(apart_hull_build(xyz, random_body(&r, xyz), NULL, &pool.hulls[i]), APART_OK);
    }
    for (int i = 0; i < 3000; i++) {
        static moving_pair p;
        moving_generate(&p, &r, &pool);
        p.scale = p.family == MOVING_PLATE ? 0.02 * p.scale : p.scale;
        check_ray(&p, &r, i);
    }
    hull_pool_free(&pool);
}
END_TEST

START_TEST(statuses)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), bad = apart_sphere(-1.0);
    const apart_pose here = apart_pose_identity();
    apart_pose skewed = here;
    skewed.rotation.x.x = 2.0;
    apart_ray_hit hit, untouched;
    memset(&hit, 0x5a, sizeof hit);
    untouched = hit;
    const apart_ray ray = {{-3, 0, 0}, {1, 0, 0}, 10.0}, no_direction = {{-3, 0, 0}, {0, 0, 0}, 10.0},
                    nan_origin = {{NAN, 0, 0}, {1, 0, 0}, 10.0}, negative = {{-3, 0, 0}, {1, 0, 0}, -1.0},
                    nan_length = {{-3, 0, 0}, {1, 0, 0}, NAN};
    ck_assert_int_eq(apart_raycast(NULL, &box, &here, NULL, &hit), APART_ERR_NULL);
    ck_assert_int_eq(apart_raycast(&ray, NULL, &here, NULL, &hit), APART_ERR_NULL);
    ck_assert_int_eq(apart_raycast(&ray, &box, NULL, NULL, &hit), APART_ERR_NULL);
    ck_assert_int_eq(apart_raycast(&ray, &box, &here, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_raycast(&ray, &bad, &here, NULL, &hit), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_raycast(&ray, &box, &skewed, NULL, &hit), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_raycast(&no_direction, &box, &here, NULL, &hit), APART_ERR_NORMAL);
    ck_assert_int_eq(apart_raycast(&nan_origin, &box, &here, NULL, &hit), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_raycast(&negative, &box, &here, NULL, &hit), APART_ERR_OPTION);
    ck_assert_int_eq(apart_raycast(&nan_length, &box, &here, NULL, &hit), APART_ERR_OPTION);
    ck_assert_mem_eq(&hit, &untouched, sizeof hit);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("raycast");
    TCase *t = tcase_create("raycast");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, closed_forms);
    tcase_add_test(t, composites);
    tcase_add_test(t, planar_rays);
    tcase_add_test(t, from_inside);
    tcase_add_test(t, misses_and_lengths);
    tcase_add_test(t, grazing_rays_end);
    tcase_add_test(t, scales_offsets_and_far_origins);
    tcase_add_test(t, offsets_in_the_vertices);
    tcase_add_test(t, random_rays);
    tcase_add_test(t, statuses);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
