/* apart_verify: it proves what the query answers, for every kind of shape, and refutes answers that were tampered
 * with. */
#include "run_suite.h"
#include "verify_zoo.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 60

static void expect(const pair *p, const apart_result *r, int verdict, const char *what)
{
    const apart_proof proof = verify(p, r);
    ck_assert_msg(proof.verdict == verdict,
                  "%s (%s, %s): %s because %s; distance %.17g in [%.17g, %.17g], proved [%.17g, %.17g]", what,
                  apart_shape_name(p->a), apart_shape_name(p->b), apart_verdict_name(proof.verdict), proof.reason,
                  r->distance, r->lower, r->upper, proof.lower, proof.upper);
}

/* Every number of the claim is falsified by three widths. */
static void expect_lies_refuted(const pair *p, random_source *r)
{
    const double step = 3.0 * (p->result.upper - p->result.lower);
    const apart_vec3 n = p->result.normal;
    apart_result lie = p->result;
    lie.distance += step;
    expect(p, &lie, APART_REFUTED, "distance + 3w");
    lie = p->result;
    lie.distance += step, lie.lower += step, lie.upper += step;
    expect(p, &lie, APART_REFUTED, "everything raised");
    lie = p->result;
    lie.distance -= step, lie.lower -= step, lie.upper -= step;
    lie.relation = lie.lower > 0.0 ? APART_DISJOINT : lie.upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING;
    expect(p, &lie, APART_REFUTED, "everything lowered");
    lie = p->result;
    lie.a = apart_vec3_add_scaled(lie.a, step, unit(r));
    expect(p, &lie, APART_REFUTED, "a moved");
    lie = p->result;
    lie.b = apart_vec3_add_scaled(lie.b, step, unit(r));
    expect(p, &lie, APART_REFUTED, "b moved");
    lie = p->result;
    lie.a = apart_vec3_add_scaled(lie.a, step, n), lie.b = apart_vec3_add_scaled(lie.b, step, n);
    expect(p, &lie, APART_REFUTED, "both moved towards B");
    lie = p->result;
    lie.a = apart_vec3_add_scaled(lie.a, -step, n), lie.b = apart_vec3_add_scaled(lie.b, -step, n);
    expect(p, &lie, APART_REFUTED, "both moved towards A");
    lie = p->result;
    lie.normal = apart_vec3_scale(-1.0, n);
    expect(p, &lie, APART_REFUTED, "normal reversed");
    lie = p->result;
    lie.normal = apart_vec3_add_scaled(n, 0.01, unit(r));
    lie.normal = apart_vec3_scale(1.0 / apart_vec3_norm(lie.normal), lie.normal);
    if (lie.distance > 1e-3) {
        expect(p, &lie, APART_REFUTED, "normal turned");
    }
    lie = p->result;
    lie.relation = APART_OVERLAPPING;
    expect(p, &lie, lie.distance > 0.0 ? APART_REFUTED : APART_PROVED, "relation");
}

START_TEST(every_pair_of_shapes_is_proved)
{
    zoo z;
    random_source r = 20240601;
    zoo_init(&z, &r);
    int undecided = 0, total = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < SHAPES; i++) {
            for (int j = 0; j < SHAPES; j++) {
                pair p = place(&z.shape[i], &z.shape[j], &r);
                query(&p, NULL);
                ck_assert_int_eq(p.result.relation, APART_DISJOINT);
                const apart_proof proof = verify(&p, &p.result);
                ck_assert_msg(proof.verdict != APART_REFUTED, "%s, %s: %s", apart_shape_name(p.a),
                              apart_shape_name(p.b), proof.reason);
                undecided += proof.verdict == APART_UNDECIDED;
                total++;
                expect_lies_refuted(&p, &r);
            }
        }
    }
    ck_assert_msg(undecided * 100 <= total, "%d of %d undecided", undecided, total);
    apart_hull_free(z.hull);
}
END_TEST

START_TEST(small_gaps)
{
    zoo z;
    random_source r = 7;
    zoo_init(&z, &r);
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned i = random_below(&r, SHAPES - 1), j = random_below(&r, SHAPES - 1);
        pair p = place(&z.shape[i], &z.shape[j], &r);
        approach(&p, random_magnitude(&r, -12, -2));
        const apart_proof proof = verify(&p, &p.result);
        ck_assert_msg(proof.verdict != APART_REFUTED, "%s, %s: %s", apart_shape_name(p.a), apart_shape_name(p.b),
                      proof.reason);
    }
    apart_hull_free(z.hull);
}
END_TEST

START_TEST(half_spaces)
{
    zoo z;
    random_source r = 11;
    zoo_init(&z, &r);
    for (int i = 0; i < 2 * SHAPES; i++) {
        const apart_vec3 up = unit(&r);
        const apart_shape ground = apart_half_space(up, random_between(&r, -1, 1));
        pair p = place(&ground, &z.shape[i / 2], &r); /* some overlap */
        if (i % 2 == 1) {
            p = (pair){.a = p.b, .b = p.a, .pose_a = p.pose_b, .pose_b = p.pose_a};
        }
        query(&p, NULL);
        expect(&p, &p.result, APART_PROVED, "half-space");
        apart_result lie = p.result;
        const double step = 3.0 * (lie.upper - lie.lower);
        lie.distance += step, lie.lower += step, lie.upper += step;
        expect(&p, &lie, APART_REFUTED, "half-space raised");
        lie = p.result;
        lie.normal = unit(&r);
        expect(&p, &lie, APART_REFUTED, "half-space turned");
    }
    apart_hull_free(z.hull);
}
END_TEST

START_TEST(planar_bodies)
{
    random_source r = 13;
    double xy[16];
    for (int i = 0; i < 16; i++) {
        xy[i] = random_between(&r, -0.5, 0.5);
    }
    const apart_shape shapes[5] = {apart_circle(0.5), apart_rectangle(0.5, 0.25), apart_polygon(xy, 8),
                                   apart_segment_2d(-0.5, 0, 0.25, 0.5), apart_rounded(apart_polygon(xy, 5), 0.125)};
    for (int i = 0; i < 25; i++) {
        pair p = {.a = &shapes[i / 5], .b = &shapes[i % 5]};
        ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, -3, 3), 0.25, 0, &p.pose_a), APART_OK);
        ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, -3, 3), -1.5, 2, &p.pose_b), APART_OK);
        query(&p, NULL);
        expect(&p, &p.result, APART_PROVED, "planar");
        apart_result lie = p.result;
        lie.normal = vec(0, 0, 1);
        expect(&p, &lie, APART_REFUTED, "normal out of the plane");
        lie = p.result;
        const double step = 3.0 * (lie.upper - lie.lower);
        lie.distance += step, lie.lower += step, lie.upper += step;
        expect(&p, &lie, APART_REFUTED, "planar distance");
    }
}
END_TEST

START_TEST(overlap_of_rounded_bodies_with_separate_cores)
{
    const apart_shape a = apart_capsule(0.5, 1.0), b = apart_rounded(apart_box(vec(0.25, 0.5, 0.5)), 0.375);
    pair p = {.a = &a, .b = &b, .pose_a = apart_pose_identity(), .pose_b = apart_pose_translation(0.875, 0.1, 0.2)};
    query(&p, NULL);
    ck_assert_double_eq_tol(p.result.distance, -0.25, 1e-14);
    ck_assert_int_eq(p.result.relation, APART_OVERLAPPING);
    expect(&p, &p.result, APART_PROVED, "rounded overlap");
    random_source r = 17;
    expect_lies_refuted(&p, &r);
}
END_TEST

START_TEST(overlap_without_a_depth)
{
    const apart_options options = {.depth = APART_DEPTH_NONE};
    const apart_shape a = apart_box(vec(1, 1, 1)), b = apart_box(vec(0.5, 2, 0.5));
    pair p = {.a = &a, .b = &b, .pose_a = apart_pose_identity(), .pose_b = apart_pose_translation(0.25, 0.5, 0.125)};
    query(&p, &options);
    ck_assert_int_eq(p.result.relation, APART_OVERLAPPING);
    expect(&p, &p.result, APART_PROVED, "overlap");
    /* The same claim about bodies that are apart. */
    p.pose_b = apart_pose_translation(3, 0, 0);
    expect(&p, &p.result, APART_REFUTED, "no overlap");
}
END_TEST

static void expect_depth_lies_refuted(const pair *p, random_source *r)
{
    const double width = p->result.upper - p->result.lower;
    const apart_vec3 n = p->result.normal;
    expect_lies_refuted(p, r);
    apart_result lie = p->result;
    lie.distance = -lie.distance, lie.lower = -p->result.upper, lie.upper = -p->result.lower,
    lie.relation = APART_DISJOINT;
    expect(p, &lie, APART_REFUTED, "sign flipped");
    lie.normal = vec(-n.x, -n.y, -n.z);
    expect(p, &lie, APART_REFUTED, "sign and normal flipped");
    lie = p->result;
    lie.normal = apart_vec3_add_scaled(n, 0.01, unit(r));
    lie.normal = apart_vec3_scale(1.0 / apart_vec3_norm(lie.normal), lie.normal);
    expect(p, &lie, APART_REFUTED, "normal turned");
    lie = p->result;
    lie.upper -= 4.0 * width, lie.lower -= 8.0 * width, lie.distance = lie.upper;
    expect(p, &lie, APART_REFUTED, "upper bound falsified");
    lie = p->result;
    lie.lower += 4.0 * width, lie.upper += 8.0 * width, lie.distance = lie.lower;
    lie.relation = lie.lower > 0.0 ? APART_DISJOINT : lie.upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING;
    expect(p, &lie, APART_REFUTED, "lower bound falsified");
}

START_TEST(depths_of_polytopes_are_proved)
{
    zoo z;
    random_source r = 37;
    zoo_init(&z, &r);
    int overlapping = 0, undecided = 0;
    for (int i = 0; i < 4 * SHAPES * SHAPES; i++) {
        const int first = i / SHAPES % SHAPES, second = i % SHAPES;
        pair p = place(&z.shape[first], &z.shape[second], &r);
        if (!is_polytope(first) || !is_polytope(second)) {
            continue;
        }
        if (i % 2 == 0) { /* deep */
            p.pose_b.translation = apart_vec3_add_scaled(p.pose_a.translation, 0.25, unit(&r));
            query(&p, NULL);
        } else {
            approach(&p, -random_magnitude(&r, -10, -1));
        }
        if (p.result.relation != APART_OVERLAPPING) {
            continue;
        }
        overlapping++;
        const apart_proof proof = verify(&p, &p.result);
        ck_assert_msg(proof.verdict != APART_REFUTED, "%s, %s: %s", apart_shape_name(p.a), apart_shape_name(p.b),
                      proof.reason);
        undecided += proof.verdict == APART_UNDECIDED;
        if (proof.verdict == APART_UNDECIDED) {
            continue;
        }
        expect_depth_lies_refuted(&p, &r);
    }
    ck_assert_int_gt(overlapping, 200);
    ck_assert_msg(undecided == 0, "%d of %d undecided", undecided, overlapping);
    apart_hull_free(z.hull);
}
END_TEST

/* What is hard on the query is hard on its check: nothing true is refuted, and nearly everything is proved. */
START_TEST(depths_of_hard_pairs)
{
    random_source r = 41;
    hull_pool pool = {{NULL}};
    for (int i = 0; i < HULL_POOL_SIZE; i++) {
        double xyz[3 * PAIR_POINTS_MAX];
        ck_assert_int_eq(apart_hull_build(xyz, random_body(&r, xyz), NULL, &pool.hulls[i]), APART_OK);
    }
    int overlapping = 0, undecided = 0;
    for (int i = 0; i < 4000; i++) {
        test_pair t;
        pair_generate(&t, &r, &pool);
        pair p = {.a = &t.a, .b = &t.b, .pose_a = t.pose_a, .pose_b = t.pose_b};
        const apart_options options = {.depth = i % 4 == 3 ? APART_DEPTH_BOUNDS : APART_DEPTH_EXACT};
        query(&p, NULL);
        if (i % 2 == 1) { /* pushed into each other by up to the size */
            const double size = pair_magnitude(&t);
            p.pose_b.translation =
                apart_vec3_add_scaled(p.pose_b.translation, -p.result.distance - random_unit(&r) * 0.25 * size,
                                      p.result.normal);
        }
        query(&p, &options);
        if (p.result.relation != APART_OVERLAPPING) {
            continue;
        }
        const apart_proof proof = verify(&p, &p.result);
        ck_assert_msg(proof.verdict != APART_REFUTED, "%s, %s (%s): %s", apart_shape_name(p.a), apart_shape_name(p.b),
                      t.family, proof.reason);
        overlapping++;
        undecided += proof.verdict == APART_UNDECIDED;
    }
    ck_assert_int_gt(overlapping, 1000);
    ck_assert_msg(undecided * 100 <= overlapping, "%d of %d undecided", undecided, overlapping);
    hull_pool_free(&pool);
}
END_TEST

/* A claim whose points, normal, distance and bounds fit together, but another direction has a smaller depth. */
START_TEST(a_depth_that_is_not_the_least_is_refuted)
{
    const apart_shape plate = apart_box(vec(4, 4, 1)), pin = apart_point(vec(0, 0, 0));
    const pair q = {.a = &plate,
                    .b = &pin,
                    .pose_a = apart_pose_identity(),
                    .pose_b = apart_pose_translation(3.5, 0, 0.25)};
    apart_result s = {.distance = -0.75, .lower = -0.75 - 1e-14, .upper = -0.75 + 1e-14};
    s.count = 4, s.relation = APART_OVERLAPPING, s.dim = 3;
    s.normal = vec(0, 0, 1), s.a = vec(3.5, 0, 1), s.b = vec(3.5, 0, 0.25);
    for (unsigned i = 0; i < 4; i++) { /* the upper corners, weighted so that they meet at a */
        s.index_a[i] = 4 + i, s.index_b[i] = 0, s.lambda[i] = i % 2 == 1 ? 7.5 / 16.0 : 0.5 / 16.0;
    }
    const apart_proof proof = verify(&q, &s);
    ck_assert_int_eq(proof.verdict, APART_REFUTED);
    ck_assert_double_eq_tol(proof.lower, -0.5, 1e-15);
    ck_assert_double_eq_tol(proof.upper, -0.5, 1e-15);
    ck_assert_str_eq(proof.reason, "the upper bound is below the separation along a direction");
}
END_TEST

/* The same with a curved body: out through the lid is the nearest along its own normal, but the side is nearer. */
START_TEST(a_curved_depth_that_is_not_the_least_is_refuted)
{
    const apart_shape plate = apart_cylinder(4, 1), pin = apart_point(vec(0, 0, 0));
    for (int i = 0; i < 16; i++) {
        const double x = 3.5 * cos(0.4 * i), y = 3.5 * sin(0.4 * i);
        const pair q = {.a = &plate,
                        .b = &pin,
                        .pose_a = apart_pose_identity(),
                        .pose_b = apart_pose_translation(x, y, 0.25)};
        apart_result s = {.distance = -0.75, .lower = -0.75 - 1e-14, .upper = -0.75 + 1e-14};
        s.count = 1, s.relation = APART_OVERLAPPING, s.dim = 3;
        s.index_a[0] = APART_NO_INDEX, s.lambda[0] = 1.0;
        s.normal = vec(0, 0, 1), s.a = vec(x, y, 1), s.b = vec(x, y, 0.25);
        const apart_proof proof = verify(&q, &s);
        ck_assert_int_eq(proof.verdict, APART_REFUTED);
        ck_assert_str_eq(proof.reason, "the upper bound is below the separation along a direction");
    }
}
END_TEST

/* Whole circles of directions are equally good: the check ends, and its own bounds are true. */
START_TEST(cylinders_on_one_axis)
{
    random_source r = 59;
    for (int i = 0; i < 10; i++) {
        const double inner = random_between(&r, 0.25, 0.75), outer = random_between(&r, 0.75, 1.25);
        const apart_shape a = apart_cylinder(outer, 2), b = i % 2 == 0 ? apart_cylinder(inner, 2) : apart_sphere(inner);
        pair p = {.a = &a, .b = &b, .pose_a = random_pose(&r, 0.5)};
        p.pose_b = p.pose_a;
        query(&p, NULL);
        const apart_proof proof = verify(&p, &p.result);
        const double depth = inner + outer;
        ck_assert_int_ne(proof.verdict, APART_REFUTED);
        ck_assert(proof.lower <= -depth + 1e-14 && proof.upper >= -depth - 1e-14);
        ck_assert_double_le(proof.upper - proof.lower, 1e-2);
    }
}
END_TEST

START_TEST(depths_in_the_plane)
{
    random_source r = 43;
    double xy[16];
    for (int i = 0; i < 16; i++) {
        xy[i] = random_between(&r, -0.5, 0.5);
    }
    const apart_shape child[2] = {apart_rectangle(0.25, 0.5), apart_segment_2d(-0.5, 0.25, 0.25, 0)};
    const apart_shape shapes[6] = {apart_circle(0.5),
                                   apart_rectangle(0.5, 0.25),
                                   apart_polygon(xy, 8),
                                   apart_rounded(apart_polygon(xy, 5), 0.125),
                                   apart_sum(&child[0], &child[1]),
                                   apart_hull_of_two(&child[0], &child[1])};
    for (int i = 0; i < 360; i++) {
        pair p = {.a = &shapes[i / 6 % 6], .b = &shapes[i % 6]};
        ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, -3, 3), 0.25, 0, &p.pose_a), APART_OK);
        const double x = random_between(&r, -0.25, 0.75);
        ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, -3, 3), x, 0.125, &p.pose_b), APART_OK);
        query(&p, NULL);
        expect(&p, &p.result, APART_PROVED, "planar depth");
        for (int sign = -1; sign <= 1; sign += 2) {
            apart_result lie = p.result;
            const double step = 3.0 * sign * (lie.upper - lie.lower);
            lie.distance += step, lie.lower += step, lie.upper += step;
            lie.relation = lie.lower > 0.0 ? APART_DISJOINT : lie.upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING;
            expect(&p, &lie, APART_REFUTED, "planar depth changed");
        }
    }
}
END_TEST

/* Bodies without an interior between them, and bodies that just touch: the signed distance is 0. */
START_TEST(flat_pairs_and_contact)
{
    const apart_shape shapes[6] = {apart_point(vec(0, 0, 0)),
                                   apart_segment(vec(-1, 0, 0), vec(1, 0, 0)),
                                   apart_segment(vec(0, -1, 0), vec(0, 2, 0)),
                                   apart_triangle(vec(-1, -1, 0), vec(2, -1, 0), vec(0, 3, 0)),
                                   apart_box(vec(1, 2, 0)),
                                   apart_rounded(apart_box(vec(2, 1, 0)), 0.25)};
    for (int i = 0; i < 36; i++) {
        pair p = {.a = &shapes[i / 6],
                  .b = &shapes[i % 6],
                  .pose_a = apart_pose_identity(),
                  .pose_b = apart_pose_translation(0.25, 0, 0)};
        query(&p, NULL);
        expect(&p, &p.result, APART_PROVED, "flat");
        apart_result lie = p.result;
        lie.distance -= 0.125, lie.lower -= 0.125, lie.upper -= 0.125, lie.relation = APART_OVERLAPPING;
        lie.b = apart_vec3_add_scaled(lie.a, lie.distance, lie.normal);
        expect(&p, &lie, APART_REFUTED, "flat bodies with a depth");
    }
    /* Out of a segment along it: long, and there is no need. */
    const pair along = {.a = &shapes[1],
                        .b = &shapes[0],
                        .pose_a = apart_pose_identity(),
                        .pose_b = apart_pose_translation(0.25, 0, 0)};
    apart_result r = {.distance = -0.75, .lower = -0.75 - 1e-14, .upper = -0.75 + 1e-14};
    r.count = 1, r.relation = APART_OVERLAPPING, r.dim = 3, r.index_a[0] = 1, r.lambda[0] = 1.0;
    r.normal = vec(1, 0, 0), r.a = vec(1, 0, 0), r.b = vec(0.25, 0, 0);
    expect(&along, &r, APART_REFUTED, "along a segment");
    const apart_shape a = apart_box(vec(1, 1, 1)), b = apart_box(vec(2, 0.5, 1));
    pair p = {.a = &a, .b = &b, .pose_a = apart_pose_identity(), .pose_b = apart_pose_translation(3, 0.5, 0.25)};
    query(&p, NULL);
    ck_assert_int_eq(p.result.relation, APART_TOUCHING);
    expect(&p, &p.result, APART_PROVED, "contact");
}
END_TEST

START_TEST(wide_bounds_of_a_depth_are_true)
{
    zoo z;
    random_source r = 47;
    zoo_init(&z, &r);
    const apart_options options = {.depth = APART_DEPTH_BOUNDS};
    for (int i = 0; i < SHAPES * SHAPES; i++) {
        pair p = place(&z.shape[i / SHAPES], &z.shape[i % SHAPES], &r);
        p.pose_b.translation = apart_vec3_add_scaled(p.pose_a.translation, 0.25, unit(&r));
        query(&p, &options);
        const apart_proof proof = verify(&p, &p.result);
        ck_assert_msg(proof.verdict != APART_REFUTED, "%s, %s: %s", apart_shape_name(p.a), apart_shape_name(p.b),
                      proof.reason);
        if (is_polytope(i / SHAPES) && is_polytope(i % SHAPES)) {
            ck_assert_msg(proof.verdict == APART_PROVED, "%s, %s: %s", apart_shape_name(p.a), apart_shape_name(p.b),
                          proof.reason);
        }
    }
    apart_hull_free(z.hull);
}
END_TEST

/* Too many normals: the search over all directions takes their place, and ends after a limited amount of work. */
START_TEST(large_overlapping_pairs_end_soon)
{
    enum { COUNT = 2000 };
    static double xyz[3 * COUNT];
    random_source r = 53;
    for (int i = 0; i < COUNT; i++) {
        const apart_vec3 p = unit(&r);
        memcpy(&xyz[3 * i], &p, sizeof p);
    }
    apart_hull *hull;
    ck_assert_int_eq(apart_hull_build(xyz, COUNT, NULL, &hull), APART_OK);
    const apart_shape ball = apart_hull_shape(hull);
    const apart_shape shapes[4] = {ball, apart_points(xyz, COUNT), apart_cylinder(1, 1), apart_sum(&ball, &ball)};
    for (int i = 0; i < 4; i++) {
        pair p = {.a = &ball,
                  .b = &shapes[i],
                  .pose_a = apart_pose_identity(),
                  .pose_b = apart_pose_translation(0.5, 0.5, 0)};
        query(&p, NULL);
        const clock_t start = clock();
        const apart_proof proof = verify(&p, &p.result);
        ck_assert_int_ne(proof.verdict, APART_REFUTED);
        ck_assert_double_le(proof.lower, p.result.upper);
        ck_assert_double_ge(proof.upper, p.result.lower);
        ck_assert_int_lt(clock() - start, CLOCKS_PER_SEC);
    }
    apart_hull_free(hull);
}
END_TEST

START_TEST(depth_of_overlapping_cores_is_never_believed_blindly)
{
    const apart_shape a = apart_box(vec(1, 1, 1)), b = apart_box(vec(1, 1, 1));
    const pair p = {.a = &a,
                    .b = &b,
                    .pose_a = apart_pose_identity(),
                    .pose_b = apart_pose_translation(1.75, 0.5, 0.25)};
    apart_result r = {.distance = -0.25, .lower = -0.25 - 1e-14, .upper = -0.25 + 1e-14};
    r.count = 1, r.relation = APART_OVERLAPPING, r.dim = 3;
    r.normal = vec(1, 0, 0);
    r.index_a[0] = 1, r.index_b[0] = 0, r.lambda[0] = 1.0;
    r.a = vec(1, -1, -1), r.b = vec(0.75, -1, -1);
    ck_assert_int_ne(verify(&p, &r).verdict, APART_PROVED); /* a is a corner of A, but b is not in B */
    r.distance = -0.5, r.lower = -0.5 - 1e-14, r.upper = -0.5 + 1e-14;
    expect(&p, &r, APART_REFUTED, "too deep: the separation along the normal is larger");
}
END_TEST

START_TEST(depths_are_not_refuted_and_false_ones_are)
{
    zoo z;
    random_source r = 31;
    zoo_init(&z, &r);
    int overlapping = 0;
    for (int i = 0; i < SHAPES * SHAPES; i++) {
        pair p = place(&z.shape[i / SHAPES], &z.shape[i % SHAPES], &r);
        p.pose_b.translation = apart_vec3_add_scaled(p.pose_a.translation, 0.25, unit(&r));
        query(&p, NULL);
        if (p.result.relation != APART_OVERLAPPING) {
            continue;
        }
        overlapping++;
        const apart_proof proof = verify(&p, &p.result);
        ck_assert_msg(proof.verdict != APART_REFUTED, "%s, %s: %s", apart_shape_name(p.a), apart_shape_name(p.b),
                      proof.reason);
        for (int sign = -1; sign <= 1; sign += 2) {
            apart_result lie = p.result;
            const double step = 3.0 * sign * (lie.upper - lie.lower);
            lie.distance += step, lie.lower += step, lie.upper += step;
            expect(&p, &lie, APART_REFUTED, "depth changed");
        }
    }
    ck_assert_int_gt(overlapping, 100);
    apart_hull_free(z.hull);
}
END_TEST

START_TEST(garbage_is_refuted_and_harmless)
{
    zoo z;
    random_source r = 19;
    zoo_init(&z, &r);
    pair p = place(&z.shape[9], &z.shape[10], &r);
    query(&p, NULL);
    expect(&p, &p.result, APART_PROVED, "hull and point set");
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-308, 0x1p60};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        for (int field = 0; field < 13; field++) {
            apart_result lie = p.result;
            double *numbers[13] = {&lie.distance, &lie.lower,     &lie.upper,    &lie.a.x, &lie.a.y,
                                   &lie.a.z,      &lie.b.x,       &lie.b.y,      &lie.b.z, &lie.normal.x,
                                   &lie.normal.y, &lie.lambda[0], &lie.lambda[1]};
            *numbers[field] = bad[k];
            if (field == 12 && lie.count < 2) {
                continue;
            }
            ck_assert_msg(verify(&p, &lie).verdict != APART_PROVED || (field == 2 && bad[k] > 1.0) ||
                              (field == 1 && bad[k] < 1e-300),
                          "field %d = %g", field, bad[k]);
        }
    }
    for (int side = 0; side < 2; side++) {
        apart_result lie = p.result;
        (side == 0 ? lie.index_a : lie.index_b)[0] = side == 0 ? UINT32_MAX : 4000000000u;
        expect(&p, &lie, APART_REFUTED, "index");
    }
    apart_result lie = p.result;
    lie.count = 200;
    expect(&p, &lie, APART_REFUTED, "count");
    for (int round = 0; round < 20000; round++) {
        unsigned char bytes[sizeof lie];
        memcpy(bytes, &p.result, sizeof bytes);
        const int whole = round % 2 == 0;
        for (size_t i = 0; i < sizeof bytes; i++) {
            if (whole || random_below(&r, 40) == 0) {
                bytes[i] = (unsigned char)random_bits(&r);
            }
        }
        memcpy(&lie, bytes, sizeof lie);
        const apart_proof proof = verify(&p, &lie);
        ck_assert(!whole || proof.verdict == APART_REFUTED);
    }
    apart_hull_free(z.hull);
}
END_TEST

START_TEST(large_common_offsets)
{
    zoo z;
    random_source r = 23;
    zoo_init(&z, &r);
    for (int i = 0; i < SHAPES; i++) {
        pair p = place(&z.shape[i], &z.shape[(i + 4) % SHAPES], &r);
        p.pose_a.translation = apart_vec3_add_scaled(p.pose_a.translation, 1e8, vec(1, -2, 3));
        p.pose_b.translation = apart_vec3_add_scaled(p.pose_b.translation, 1e8, vec(1, -2, 3));
        query(&p, NULL);
        const apart_proof proof = verify(&p, &p.result);
        ck_assert_msg(proof.verdict != APART_REFUTED, "%s, %s: %s", apart_shape_name(p.a), apart_shape_name(p.b),
                      proof.reason);
        apart_result lie = p.result;
        const double step = 3.0 * (lie.upper - lie.lower);
        lie.distance += step, lie.lower += step, lie.upper += step;
        expect(&p, &lie, APART_REFUTED,
               "raised, far from the origin"); /* the bounds are finer than the coordinates there */
    }
    apart_hull_free(z.hull);
}
END_TEST

START_TEST(extreme_scales)
{
    static const double scales[] = {1e-300, 1e-150, 1e-9, 1e9, 1e120, 1e300};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        const double s = scales[i];
        const apart_shape a = apart_ellipsoid(vec(s, 0.5 * s, 0.25 * s)), b = apart_cone(s, 0.5 * s);
        pair p = {.a = &a,
                  .b = &b,
                  .pose_a = apart_pose_identity(),
                  .pose_b = apart_pose_translation(2.5 * s, 0.5 * s, 0.25 * s)};
        query(&p, NULL);
        expect(&p, &p.result, APART_PROVED, "scale");
        random_source r = i;
        apart_result lie = p.result;
        const double step = 3.0 * (lie.upper - lie.lower);
        lie.a = apart_vec3_add_scaled(lie.a, step, unit(&r));
        expect(&p, &lie, APART_REFUTED, "scale, a moved");
    }
}
END_TEST

START_TEST(matrices_that_are_only_nearly_rotations)
{
    zoo z;
    random_source r = 29;
    zoo_init(&z, &r);
    for (int i = 0; i < SHAPES; i++) {
        pair p = place(&z.shape[i], &z.shape[(i + 7) % SHAPES], &r);
        apart_vec3 *columns[3] = {&p.pose_b.rotation.x, &p.pose_b.rotation.y, &p.pose_b.rotation.z};
        for (int k = 0; k < 3; k++) { /* as if it had been stored in single precision */
            *columns[k] = vec((double)(float)columns[k]->x, (double)(float)columns[k]->y, (double)(float)columns[k]->z);
        }
        query(&p, NULL);
        const apart_proof proof = verify(&p, &p.result);
        ck_assert_msg(proof.verdict != APART_REFUTED, "%s, %s: %s", apart_shape_name(p.a), apart_shape_name(p.b),
                      proof.reason);
    }
    apart_hull_free(z.hull);
}
END_TEST

static apart_vec3 broken_support(const void *user, apart_vec3 d)
{
    (void)user;
    return vec(d.x, NAN, 0);
}

START_TEST(statuses)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), circle = apart_circle(1), bad = apart_sphere(-1);
    const apart_shape plane = apart_half_space(vec(0, 0, 1), 0);
    const apart_pose here = apart_pose_identity(), there = apart_pose_translation(5, 0, 0);
    const apart_pose mirrored = {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                     lost = apart_pose_translation(NAN, 0, 0);
    const apart_shape huge = apart_box(vec(1e308, 1, 1));
    apart_proof proof;
    apart_result r;
    ck_assert_int_eq(apart_distance(&box, &here, &box, &there, NULL, NULL, &r), APART_OK);
    ck_assert_int_eq(apart_verify(NULL, &here, &box, &there, &r, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify(&box, NULL, &box, &there, &r, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify(&box, &here, NULL, &there, &r, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify(&box, &here, &box, NULL, &r, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify(&box, &here, &box, &there, NULL, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify(&box, &here, &box, &there, &r, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify(&box, &here, &circle, &there, &r, &proof), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_verify(&box, &here, &bad, &there, &r, &proof), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_verify(&plane, &here, &plane, &there, &r, &proof), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_verify(&box, &mirrored, &box, &there, &r, &proof), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_verify(&box, &here, &box, &lost, &r, &proof), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_verify(&huge, &here, &huge, &there, &r, &proof), APART_ERR_OVERFLOW);
    const apart_callback broken = {broken_support, NULL, {0, 0, 0}, 1.0, 0.0};
    const apart_shape own = apart_callback_shape(broken);
    ck_assert_int_eq(apart_verify(&own, &here, &box, &there, &r, &proof), APART_ERR_CALLBACK);
    ck_assert_str_eq(apart_verdict_name(APART_PROVED), "proved");
    ck_assert_str_eq(apart_verdict_name(APART_REFUTED), "refuted");
    ck_assert_str_eq(apart_verdict_name(APART_UNDECIDED), "undecided");
    ck_assert_str_eq(apart_verdict_name(7), "?");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify");
    TCase *t = tcase_create("verify");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, every_pair_of_shapes_is_proved);
    tcase_add_test(t, small_gaps);
    tcase_add_test(t, half_spaces);
    tcase_add_test(t, planar_bodies);
    tcase_add_test(t, overlap_of_rounded_bodies_with_separate_cores);
    tcase_add_test(t, overlap_without_a_depth);
    tcase_add_test(t, depths_of_polytopes_are_proved);
    tcase_add_test(t, depths_of_hard_pairs);
    tcase_add_test(t, a_depth_that_is_not_the_least_is_refuted);
    tcase_add_test(t, a_curved_depth_that_is_not_the_least_is_refuted);
    tcase_add_test(t, cylinders_on_one_axis);
    tcase_add_test(t, depths_in_the_plane);
    tcase_add_test(t, flat_pairs_and_contact);
    tcase_add_test(t, wide_bounds_of_a_depth_are_true);
    tcase_add_test(t, large_overlapping_pairs_end_soon);
    tcase_add_test(t, depth_of_overlapping_cores_is_never_believed_blindly);
    tcase_add_test(t, depths_are_not_refuted_and_false_ones_are);
    tcase_add_test(t, garbage_is_refuted_and_harmless);
    tcase_add_test(t, large_common_offsets);
    tcase_add_test(t, extreme_scales);
    tcase_add_test(t, matrices_that_are_only_nearly_rotations);
    tcase_add_test(t, statuses);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
