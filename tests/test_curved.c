/* Distances of cylinders, cones and ellipsoids: Newton's method against the loop, against verify, and where it is
 * easily misled. */
#include <apart/apart.h>
#include <check.h>
#include <math.h>
#include <string.h>

#include "poses.h"
#include "random.h"
#include "run_suite.h"

#define PAIRS 20000

/* The answer, which must not be refuted. The search for a depth takes a millisecond: one in eight of them is checked. */
static apart_result query(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b,
                          const apart_options *options)
{
    apart_result r;
    apart_proof proof;
    ck_assert_int_eq(apart_distance(a, &pose_a, b, &pose_b, options, NULL, &r), APART_OK);
    static unsigned depths;
    if (r.relation == APART_OVERLAPPING && depths++ % 8 != 0) {
        return r;
    }
    ck_assert_int_eq(apart_verify(a, &pose_a, b, &pose_b, &r, &proof), APART_OK);
    ck_assert_msg(proof.verdict != APART_REFUTED, "kinds %d and %d: %s; %.17g in [%.17g, %.17g]", a->kind, b->kind,
                  proof.reason, r.distance, r.lower, r.upper);
    return r;
}

/* A query with a trace runs GJK instead of Newton's method. */
static apart_result query_loop(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b)
{
    apart_trace trace = {0};
    const apart_options plain = {.trace = &trace};
    return query(a, pose_a, b, pose_b, &plain);
}

static void check_distance(const apart_result *r, double expected)
{
    ck_assert_double_eq_tol(r->distance, expected, 64 * 0x1p-53);
    ck_assert_double_le(r->upper - r->lower, 2048 * 0x1p-53);
}

/* Axes that differ by 1e122: directions underflow, but the normal is a unit vector. */
START_TEST(slender_ellipsoids_have_unit_normals)
{
    const apart_shape e =
        apart_ellipsoid((apart_vec3){0.49909668180068556, 7.0000000000000003e+122, 266.00507485506625});
    const apart_pose pose = {{{0.22558815021540102, 0.94444262917185773, -0.23903578536558606},
                              {-0.40122547132411934, 0.31365270362644626, 0.86060449840130337},
                              {0.88776579549064161, -0.098234931214764648, 0.4496907722492185}},
                             {0.36819247514867581, -0.87941619694541107, -0.69984914572618884}};
    const apart_vec3 p = {0, -12745976587.107986, 0};
    const apart_ray ray = {p, {0, 1, 0}, 2.5e10};
    apart_result r;
    apart_ray_hit hit;
    ck_assert_int_eq(apart_point_distance(p, &e, &pose, NULL, NULL, &r), APART_OK);
    ck_assert_double_le(fabs(apart_vec3_norm(r.normal) - 1.0), 1e-15);
    ck_assert_int_eq(apart_raycast(&ray, &e, &pose, NULL, &hit), APART_OK);
    ck_assert(hit.hit == 1 && fabs(apart_vec3_norm(hit.normal) - 1.0) <= 1e-15);
}
END_TEST

/* GJK and Newton's method find the same distance, the latter within a few steps. */
START_TEST(curved_bodies_converge_quadratically)
{
    const apart_shape shapes[] = {apart_cylinder(0.7, 0.4),
                                  apart_cone(0.5, 0.8),
                                  apart_ellipsoid(vec(0.9, 0.5, 0.3)),
                                  apart_box(vec(0.5, 0.7, 0.4)),
                                  apart_capsule(0.2, 0.6),
                                  apart_rounded(apart_cylinder(0.3, 0.9), 0.1)};
    const int count = (int)(sizeof shapes / sizeof *shapes);
    int queries = 0, steps = 0, steps_of_gjk = 0;
    for (int i = 0; i < 36 * 40; i++) {
        const apart_shape *a = &shapes[i % count], *b = &shapes[i / count % count];
        const double t = i / 36;
        const apart_pose pose_a = turned(vec(1, t - 20, 3), 7 * t, vec(0, 0, 0)),
                         pose_b = turned(vec(2, 1, 10 - t), 11 * t, vec(2.2, 0.3 * t - 6, 1.7));
        const apart_result r = query(a, pose_a, b, pose_b, NULL), g = query_loop(a, pose_a, b, pose_b);
        ck_assert_int_eq(r.relation, g.relation);
        ck_assert(r.lower <= g.upper && g.lower <= r.upper);
        ck_assert_double_le(r.upper - r.lower, 1e-12);
        if (r.relation == APART_DISJOINT && (i % count < 3 || i / count % count < 3)) {
            queries++;
            steps += r.iterations;
            steps_of_gjk += g.iterations;
        }
    }
    ck_assert_int_gt(queries, 500);
    ck_assert_msg(steps < 7 * queries && 2 * steps < steps_of_gjk, "%d queries, %d steps, by GJK %d", queries, steps,
                  steps_of_gjk);
}
END_TEST

/* Straight over a cap the answer is a height, and exact. */
START_TEST(caps)
{
    const apart_shape cylinder = apart_cylinder(1.0, 0.5), cone = apart_cone(1.0, 0.5),
                      tip = apart_box(vec(0.25, 0.25, 0.25));
    const apart_pose on_its_corner = turned(vec(1, -1, 0), 54.735610317245346, vec(0.2, -0.3, 2.0));
    const apart_result above = query(&cylinder, at(0, 0, 0), &tip, on_its_corner, NULL);
    check_distance(&above, 1.5 - 0.25 * sqrt(3.0));
    const apart_result below = query(&tip, on_its_corner, &cone, turned(vec(1, 0, 0), 180, vec(0, 0, 0)), NULL);
    check_distance(&below, 1.5 - 0.25 * sqrt(3.0));
}
END_TEST

/* A point over a cone, within the radius of its base: the side or the apex is nearest, not a disc at the height of the
 * apex. */
START_TEST(over_a_cone)
{
    const apart_shape cone = apart_cone(1.0, 0.5), ball = apart_sphere(0.125);
    const double slant = sqrt(2.0);
    for (int i = 0; i <= 8; i++) {
        const double x = 0.1 * i, z = 1.0;
        /* the side z = 1/2 - x and the apex (0, 1/2): the foot is on the side when x > z - 1/2 */
        const double to_core = x > z - 0.5 ? (x + z - 0.5) / slant : hypot(x, z - 0.5);
        const apart_result r = query(&cone, at(0, 0, 0), &ball, at(x, 0, z), NULL);
        check_distance(&r, to_core - 0.125);
        const apart_result s = query(&ball, at(x, 0, z), &cone, at(0, 0, 0), NULL);
        check_distance(&s, to_core - 0.125);
    }
}
END_TEST

/* Usual sizes, and now and then a needle or a disc. */
static double random_size(uint64_t *seed)
{
    const double x = random_unit(seed), y = random_unit(seed);
    return x < 0.1 ? pow(10.0, -6.0 + 8.0 * y) : 0.1 + y;
}

static apart_shape random_shape(uint64_t *seed, int kind)
{
    const double x = random_size(seed), y = random_size(seed), z = random_size(seed);
    const apart_shape shapes[] = {apart_cylinder(x, y),
                                  apart_cone(x, y),
                                  apart_ellipsoid(vec(x, y, z)),
                                  apart_rounded(apart_cone(x, y), 0.2 * random_unit(seed)),
                                  apart_box(vec(x, y, z)),
                                  apart_capsule(x, y),
                                  apart_sphere(x),
                                  apart_segment(random_vector(seed, 1), random_vector(seed, 1))};
    return shapes[kind];
}

/* In every fifth pose along an axis. */
static apart_pose random_pose(uint64_t *seed, double size)
{
    const apart_vec3 any = random_vector(seed, 1.0), along = random_unit(seed) < 0.2 ? vec(0, 0, 1) : any;
    const double degrees = random_unit(seed) < 0.1 ? 180.0 : 360.0 * random_unit(seed);
    return turned(along, degrees, random_vector(seed, size));
}

START_TEST(random_pairs)
{
    uint64_t seed = random_seed("random_pairs");
    int loose = 0;
    for (int i = 0; i < PAIRS; i++) {
        const apart_shape a = random_shape(&seed, i % 4), b = random_shape(&seed, i / 4 % 8);
        const apart_pose pose_a = random_pose(&seed, 0.5), pose_b = random_pose(&seed, 0.3 + 3.0 * random_unit(&seed));
        const apart_result r = query(&a, pose_a, &b, pose_b, NULL), g = query_loop(&a, pose_a, &b, pose_b);
        ck_assert_msg(r.lower <= g.upper && g.lower <= r.upper, "pair %d: [%.17g, %.17g], by the loop [%.17g, %.17g]",
                      i, r.lower, r.upper, g.lower, g.upper);
        loose += r.upper - r.lower > 1e-9;
    }
    ck_assert_int_le(loose, PAIRS / 10000); /* depths of smooth bodies that fill the workspace */
}
END_TEST

/* A point on the surface, or in a body without volume, from any direction in the cache: the normal is unit. */
START_TEST(touching_points_have_a_normal)
{
    const apart_shape bodies[] = {apart_ellipsoid((apart_vec3){16.75, 0, 0}),
                                  apart_ellipsoid((apart_vec3){2, 1, 0}),
                                  apart_ellipsoid((apart_vec3){2, 1, 3}),
                                  apart_cylinder(1, 0),
                                  apart_cylinder(0, 2),
                                  apart_cylinder(1, 2),
                                  apart_cone(1, 0),
                                  apart_cone(0, 2),
                                  apart_cone(1, 2)};
    static const apart_vec3 directions[] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},     {-1, 0, 0},
                                            {0, -1, 0}, {0, 0, -1}, {0.6, 0.8, 0}, {0, 0.6, -0.8}};
    const apart_shape point = apart_point((apart_vec3){0, 0, 0});
    const apart_pose here = apart_pose_identity();
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        for (int k = 0; k < 64; k++) {
            apart_vec3 at;
            apart_result r;
            apart_cache cache = {.count = 0};
            ck_assert_int_eq(apart_support(&bodies[i], directions[k % 8], &at), APART_OK);
            const apart_pose there = apart_pose_translation(at.x, at.y, at.z);
            const apart_options quick = {.depth = APART_DEPTH_NONE};
            ck_assert_int_eq(apart_distance(&point, &there, &bodies[i], &here, &quick, &cache, &r), APART_OK);
            memcpy(cache.direction, &directions[k / 8], sizeof cache.direction);
            ck_assert_int_eq(apart_distance(&point, &there, &bodies[i], &here, NULL, &cache, &r), APART_OK);
            const double square = r.normal.x * r.normal.x + r.normal.y * r.normal.y + r.normal.z * r.normal.z;
            ck_assert_msg(fabs(square - 1.0) < 1e-12, "body %zu, point %g %g %g: normal %g %g %g", i, at.x, at.y, at.z,
                          r.normal.x, r.normal.y, r.normal.z);
            ck_assert_int_eq(r.relation, APART_TOUCHING);
        }
    }
}
END_TEST

/* A rounded hull and a curved body that touch: a climb on the hull can miss what decides the relation, so that Newton's
 * method must not end there, and the search that goes on must find its simplex as it was. */
START_TEST(rounded_hulls_that_touch)
{
    enum { POINTS = 24, APPROACHES = 4 };
    uint64_t seed = random_seed("rounded_hulls_that_touch");
    for (int i = 0; i < 4000; i++) {
        double xyz[3 * POINTS];
        apart_hull *hull = NULL;
        for (int k = 0; k < POINTS; k++) {
            const apart_vec3 p = random_vector(&seed, 1.0);
            memcpy(&xyz[3 * k], &p, sizeof p);
        }
        ck_assert_int_eq(apart_hull_build(xyz, POINTS, NULL, &hull), APART_OK);
        const apart_shape a = apart_rounded(random_shape(&seed, i % 4), 0.25),
                          b = apart_rounded(apart_hull_shape(hull), 0.125);
        const apart_pose pose_a = random_pose(&seed, 0.5);
        apart_pose pose_b = random_pose(&seed, 5.0);
        apart_result r = query(&a, pose_a, &b, pose_b, NULL);
        for (int k = 0; k < APPROACHES; k++) {
            pose_b.translation = apart_vec3_add_scaled(pose_b.translation, -r.distance, r.normal);
            r = query(&a, pose_a, &b, pose_b, NULL);
        }
        ck_assert_msg(r.relation == APART_TOUCHING && r.upper - r.lower <= 1e-11, "pair %d: %.17g in [%.17g, %.17g]", i,
                      r.distance, r.lower, r.upper);
        apart_hull_free(hull);
    }
}
END_TEST

/* A sphere in a flat disc: the rim's points tie along its normal, and rounding chooses among them. */
START_TEST(ball_in_a_disc)
{
    uint64_t seed = random_seed("ball_in_a_disc");
    for (int i = 0; i < 2000; i++) {
        const apart_shape disc = apart_cylinder(20.0 + 60.0 * random_unit(&seed), 0.2 + random_unit(&seed)),
                          ball = apart_sphere(0.1 + random_unit(&seed));
        const apart_result r = query(&disc, random_pose(&seed, 0.5), &ball, random_pose(&seed, 0.5), NULL);
        ck_assert_double_le(r.upper - r.lower, 1e-11);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("curved");
    TCase *t = tcase_create("curved");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, slender_ellipsoids_have_unit_normals);
    tcase_add_test(t, curved_bodies_converge_quadratically);
    tcase_add_test(t, caps);
    tcase_add_test(t, over_a_cone);
    tcase_add_test(t, random_pairs);
    tcase_add_test(t, ball_in_a_disc);
    tcase_add_test(t, touching_points_have_a_normal);
    tcase_add_test(t, rounded_hulls_that_touch);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
