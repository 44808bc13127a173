/* Times of impact that are known: translation, rotation, grazing, sliding, thin plates, starts in contact; options,
 * caches, the swept body. */
#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "motion_checks.h"
#include "moving_pairs.h"
#include "run_suite.h"

/* A hit whose gap at t is at most the tolerance, at about the given time. */
static void expect_hit(const apart_impact *im, double t, double within)
{
    ck_assert_msg(im->outcome == APART_OUTCOME_HIT && im->stop == APART_STOP_CONVERGED, "%s (%s) at %.17g",
                  apart_outcome_name(im->outcome), apart_stop_name(im->stop), im->t);
    ck_assert_msg(im->t <= t && im->t >= t - within, "hit at %.17g, expected %.17g less at most %g", im->t, t, within);
    ck_assert(im->lower > 0.0 && im->upper <= im->tolerance && im->lower <= im->upper);
    ck_assert(im->at.lower <= im->tolerance);
}

/* Clear, with a smallest gap between its bounds. */
static void expect_clear(const apart_impact *im, double gap)
{
    ck_assert_msg(im->outcome == APART_OUTCOME_CLEAR && im->stop == APART_STOP_CONVERGED, "%s (%s) at %.17g",
                  apart_outcome_name(im->outcome), apart_stop_name(im->stop), im->t);
    ck_assert_msg(im->lower <= gap && gap <= im->upper && im->upper - im->lower <= im->tolerance,
                  "gap in [%.17g, %.17g], expected %.17g", im->lower, im->upper, gap);
}

static apart_impact toi(const apart_shape *a, const apart_motion *ma, const apart_shape *b, const apart_motion *mb,
                        double tolerance)
{
    const apart_motion_options options = {.tolerance = tolerance, .gap = APART_GAP_TOLERANCE};
    apart_impact im;
    ck_assert_int_eq(apart_time_of_impact(a, ma, b, mb, &options, NULL, &im), APART_OK);
    return im;
}

static apart_impact sweep(const apart_shape *a, apart_pose pose_a, apart_vec3 displacement, const apart_shape *b,
                          apart_pose pose_b, double tolerance)
{
    const apart_motion_options options = {.tolerance = tolerance, .gap = APART_GAP_TOLERANCE};
    apart_impact im;
    ck_assert_int_eq(apart_sweep(a, &pose_a, displacement, b, &pose_b, zero, &options, NULL, &im), APART_OK);
    return im;
}

START_TEST(spheres_in_flight)
{
    const apart_shape a = apart_sphere(1.0), b = apart_sphere(0.5);
    /* |(5 - 10 t, 0.9)| = 1.5 */
    const apart_impact im =
        sweep(&a, apart_pose_identity(), vec(10, 0, 0), &b, apart_pose_translation(5, 0.9, 0), 1e-9);
    expect_hit(&im, (5.0 - 1.2) / 10.0, 1e-9);
    ck_assert_double_eq_tol(im.at.normal.x, 0.8, 1e-8);
    ck_assert_double_eq_tol(im.at.normal.y, 0.6, 1e-8);
    /* Spinning spheres are spheres. */
    const apart_pose pose_b = apart_pose_translation(5, 0.9, 0), pose_a = apart_pose_identity();
    const apart_motion ma = apart_motion_velocity(&pose_a, vec(10, 0, 0), vec(1e5, 2e5, 3e5), zero),
                       mb = apart_motion_velocity(&pose_b, zero, vec(1e6, 0, 0), zero);
    const apart_impact spun = toi(&a, &ma, &b, &mb, 1e-9);
    expect_hit(&spun, (5.0 - 1.2) / 10.0, 1e-9);
    ck_assert_uint_le(spun.iterations, 12);
}
END_TEST

START_TEST(a_box_falls_on_the_ground)
{
    const apart_shape box = apart_box(vec(0.5, 0.5, 0.5)), ground = apart_half_space(vec(0, 0, 1), 0.0);
    const apart_pose high = apart_pose_translation(0, 0, 3), here = apart_pose_identity();
    const apart_motion rest = apart_motion_rest(&here);
    const apart_impact flat = sweep(&box, high, vec(1, 0, -4), &ground, here, 1e-10);
    expect_hit(&flat, 2.5 / 4.0, 1e-10);
    /* Half a turn about y along the path: the height of the lowest corner is (|sin| + |cos|)/2. */
    const apart_motion tumbling = apart_motion_velocity(&high, vec(0, 0, -4), vec(0, pi, 0), zero);
    const apart_impact im = toi(&box, &tumbling, &ground, &rest, 1e-10);
    double low = 0.0, high_t = 1.0;
    for (int i = 0; i < 100; i++) {
        const double t = 0.5 * (low + high_t);
        const double height = 3.0 - 4.0 * t - 0.5 * (fabs(sin(pi * t)) + fabs(cos(pi * t)));
        *(height > 0.0 ? &low : &high_t) = t;
    }
    expect_hit(&im, high_t, 1e-10);
    const apart_impact other = toi(&ground, &rest, &box, &tumbling, 1e-10);
    expect_hit(&other, high_t, 1e-10);
}
END_TEST

/* A rod of half length 2 turns about its middle, one and a half above the ground: the tip meets it where 2 sin(angle) =
 * 1.5. */
START_TEST(a_spinning_rod_hits_the_wall)
{
    const apart_shape rod = apart_segment(vec(-2, 0, 0), vec(2, 0, 0)), ground = apart_half_space(vec(0, 0, 1), 0.0),
                      wall = apart_box(vec(5, 5, 1));
    const apart_pose at = apart_pose_translation(0, 0, 1.5), here = apart_pose_identity(),
                     below = apart_pose_translation(0, 0, -1);
    const apart_motion rest = apart_motion_rest(&here), wall_rest = apart_motion_rest(&below);
    const double angle = asin(0.75), turns[] = {0.25, 1.0, 1000.0, 1e5};
    for (int i = 0; i < 4; i++) {
        const double rate = 2.0 * pi * turns[i];
        const apart_motion spin = apart_motion_velocity(&at, zero, vec(0, rate, 0), zero);
        const apart_impact on_ground = toi(&rod, &spin, &ground, &rest, 1e-9),
                           on_wall = toi(&rod, &spin, &wall, &wall_rest, 1e-9);
        /* The tip falls with 2 cos(angle) rate = 1.3 rate. */
        expect_hit(&on_ground, angle / rate * (1.0 + 1e-15), on_ground.tolerance / rate);
        expect_hit(&on_wall, angle / rate * (1.0 + 1e-15), on_wall.tolerance / rate);
        ck_assert_double_le(on_ground.tolerance, turns[i] < 1e4 ? 1e-9 : 1e-7); /* fast spins raise it */
    }
}
END_TEST

/* A door: the half-space turns and meets a sphere at rest; normal (cos, sin) is at distance 3 at the sphere's angle. */
START_TEST(a_turning_half_space)
{
    const apart_shape plane = apart_half_space(vec(0, 1, 0), 0.0), ball = apart_sphere(0.5);
    const apart_pose here = apart_pose_identity(), there = apart_pose_translation(0, 3, 0);
    const apart_motion door = apart_motion_velocity(&here, zero, vec(0, 0, 2.0), zero),
                       rest = apart_motion_rest(&there);
    /* 3 cos(2 t) = 0.5 */
    const double t = acos(0.5 / 3.0) / 2.0;
    const apart_impact im = toi(&plane, &door, &ball, &rest, 1e-9);
    expect_hit(&im, t * (1.0 + 1e-15), 1e-9);
    const apart_impact swapped = toi(&ball, &rest, &plane, &door, 1e-9);
    expect_hit(&swapped, t * (1.0 + 1e-15), 1e-9);
    /* With the centre of the turn far away. */
    const apart_motion far = apart_motion_velocity(&here, vec(0.5, 0.25, 0), vec(0, 0, 1.0), vec(-4, 0, 0));
    const apart_impact lifted = toi(&plane, &far, &ball, &rest, 1e-9);
    double low = 0.0, high = 1.0; /* plane through pivot (-4, 0) + t (0.5, 0.25), normal (-sin, cos) */
    for (int i = 0; i < 100; i++) {
        const double s = 0.5 * (low + high), gap = -sin(s) * (4.0 - 0.5 * s) + cos(s) * (3.0 - 0.25 * s) - 0.5;
        *(gap > 0.0 ? &low : &high) = s;
    }
    expect_hit(&lifted, high * (1.0 + 1e-15), 1e-8);
}
END_TEST

START_TEST(bullets_do_not_tunnel)
{
    const double thickness[] = {0.5, 1e-3, 1e-9, 0.0}, speed[] = {10.0, 1e3, 1e6};
    const apart_shape bullets[] = {apart_sphere(0.01), apart_point(zero), apart_box(vec(0.02, 0.01, 0.01)),
                                   apart_cone(0.01, 0.03)};
    for (int i = 0; i < 4; i++) {
        const apart_shape plate = apart_box(vec(1.0, 1.0, thickness[i]));
        for (int k = 0; k < 3; k++) {
            for (int b = 0; b < 4; b++) {
                const apart_pose from = apart_pose_translation(0.1, 0.2, -0.4 * speed[k] - 1.0),
                                 here = apart_pose_identity();
                const apart_motion flight =
                                       apart_motion_velocity(&from, vec(0.3, -0.1, speed[k]), vec(0, 0, 1e3), zero),
                                   rest = apart_motion_rest(&here);
                const apart_motion shake = apart_motion_velocity(&here, zero, vec(0.5, 0, 0), zero);
                const apart_impact im = toi(&bullets[b], &flight, &plate, &rest, 0.0),
                                   shaken = toi(&bullets[b], &flight, &plate, &shake, 0.0);
                expect_hit(&im, 0.4 + 1.0 / speed[k], 1.0);
                ck_assert_int_eq(shaken.outcome, APART_OUTCOME_HIT);
                /* Past the hole there is nothing. */
                apart_pose aside = from;
                aside.translation.x += 2.0;
                const apart_motion miss = apart_motion_velocity(&aside, vec(0, 0, speed[k]), vec(0, 0, 1e3), zero);
                const apart_impact past = toi(&bullets[b], &miss, &plate, &rest, 0.0);
                ck_assert_int_eq(past.outcome, APART_OUTCOME_CLEAR);
            }
        }
    }
}
END_TEST

START_TEST(grazing_spheres)
{
    const apart_shape a = apart_sphere(1.0), b = apart_sphere(0.5);
    const double miss[] = {1.0, 1e-2, 1e-4, 1e-6, 1e-8}, tolerance = 1e-9;
    for (int i = 0; i < 5; i++) {
        const apart_impact past =
            sweep(&a, apart_pose_identity(), vec(10, 0, 0), &b, apart_pose_translation(5, 1.5 + miss[i], 0), tolerance);
        expect_clear(&past, miss[i]);
        ck_assert_double_eq_tol(past.t, 0.5, 1e-4);
        const apart_impact graze =
            sweep(&a, apart_pose_identity(), vec(10, 0, 0), &b, apart_pose_translation(5, 1.5 - miss[i], 0), tolerance);
        const double half = sqrt(1.5 * 1.5 - (1.5 - miss[i]) * (1.5 - miss[i]));
        expect_hit(&graze, 0.5 - half / 10.0, 1e-4);
        ck_assert_uint_le(past.iterations, 64);
        ck_assert_uint_le(graze.iterations, 32);
    }
    const apart_impact touch =
        sweep(&a, apart_pose_identity(), vec(10, 0, 0), &b, apart_pose_translation(5, 1.5, 0), tolerance);
    expect_hit(&touch, 0.5, 1e-4);
}
END_TEST

START_TEST(sliding_along_parallel_faces)
{
    const apart_shape box = apart_box(vec(1, 1, 1));
    const double gap[] = {0.25, 1e-3, 1e-5, 4e-7};
    for (int i = 0; i < 4; i++) {
        const apart_pose from = apart_pose_translation(-5, 0.3, 2.0 + gap[i]), here = apart_pose_identity();
        const apart_impact im = sweep(&box, from, vec(10, 0, 0), &box, here, 1e-7);
        expect_clear(&im, (2.0 + gap[i]) - 2.0);
        ck_assert_uint_le(im.iterations, 24);
        /* Spinning about the faces' normal changes nothing. */
        const apart_motion spin = apart_motion_velocity(&from, vec(10, 0, 0), vec(0, 0, 50), zero),
                           rest = apart_motion_rest(&here);
        const apart_impact spun = toi(&box, &spin, &box, &rest, 1e-7);
        expect_clear(&spun, (2.0 + gap[i]) - 2.0);
        ck_assert_uint_le(spun.iterations, 64);
    }
    /* Within the tolerance it is a contact, as soon as one is above the other. */
    const apart_impact near =
        sweep(&box, apart_pose_translation(-5, 0, 2.0 + 1e-8), vec(10, 0, 0), &box, apart_pose_identity(), 1e-7);
    expect_hit(&near, 0.3, 1e-6);
}
END_TEST

START_TEST(starting_in_contact_or_overlap)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), ball = apart_sphere(0.5);
    const apart_pose here = apart_pose_identity();
    const apart_vec3 velocities[] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 3; i++) {
        const apart_impact touching = sweep(&box, apart_pose_translation(2, 0, 0), velocities[i], &box, here, 0.0);
        ck_assert_int_eq(touching.outcome, APART_OUTCOME_START);
        ck_assert_int_eq(touching.at.relation, APART_TOUCHING);
        ck_assert(touching.t == 0.0 && touching.lower <= 0.0 && touching.upper >= 0.0);
        const apart_impact inside = sweep(&ball, apart_pose_translation(0.75, 0, 0), velocities[i], &box, here, 0.0);
        ck_assert_int_eq(inside.outcome, APART_OUTCOME_START);
        ck_assert_int_eq(inside.at.relation, APART_OVERLAPPING);
        ck_assert_double_eq_tol(inside.at.distance, -0.75, 1e-14);
        ck_assert_double_le(inside.upper, -0.74);
    }
    /* A gap below the tolerance is a hit at once. */
    const apart_impact near = sweep(&box, apart_pose_translation(2 + 1e-8, 0, 0), vec(1, 0, 0), &box, here, 1e-6);
    ck_assert(near.outcome == APART_OUTCOME_HIT && near.t == 0.0 && near.at.relation == APART_DISJOINT);
}
END_TEST

/* A thousand turns, a hundredth of a size off; and sinking into the ground in the very last turns. */
START_TEST(thousand_turns)
{
    const apart_shape rod = apart_segment(vec(-2, 0, 0), vec(2, 0, 0)), ground = apart_half_space(vec(0, 0, 1), 0.0);
    const apart_pose here = apart_pose_identity(), high = apart_pose_translation(0, 0, 2.02);
    const apart_motion rest = apart_motion_rest(&here);
    const apart_motion spin = apart_motion_velocity(&high, zero, vec(0, 2000.0 * pi, 0), zero);
    const apart_impact im = toi(&rod, &spin, &ground, &rest, 1e-6);
    expect_clear(&im, 2.02 - 2.0);
    const apart_motion sinking =
        apart_motion_velocity(&high, vec(0, 0, -0.02 * (1.0 + 1e-3)), vec(0, 2000.0 * pi, 0), zero);
    const apart_impact late = toi(&rod, &sinking, &ground, &rest, 1e-9);
    ck_assert_int_eq(late.outcome, APART_OUTCOME_HIT);
    ck_assert_double_ge(late.t, 0.999);
    /* A drill: what cannot be seen costs nothing. */
    const apart_shape drill = apart_cylinder(0.1, 1.0);
    const apart_pose above = apart_pose_translation(0, 0, 2);
    const apart_motion drilling = apart_motion_velocity(&above, vec(0, 0, -2), vec(0, 0, 1e6), zero);
    const apart_impact contact = toi(&drill, &drilling, &ground, &rest, 1e-9);
    expect_hit(&contact, 0.5, 1e-9);
    ck_assert_uint_le(contact.iterations, 8);
}
END_TEST

START_TEST(planar_impacts)
{
    const apart_shape wheel = apart_circle(0.5), bar = apart_rectangle(2.0, 0.05);
    const apart_pose left = apart_pose_translation(-4, 1.0, 0), here = apart_pose_identity();
    const apart_motion roll = apart_motion_velocity(&left, vec(8, 0, 0), vec(0, 0, -16), zero),
                       spin = apart_motion_velocity(&here, zero, vec(0, 0, 40), zero), rest = apart_motion_rest(&here);
    const apart_impact past = toi(&wheel, &roll, &bar, &rest, 1e-9);
    expect_clear(&past, 0.45);
    const apart_impact struck = toi(&wheel, &roll, &bar, &spin, 1e-9);
    ck_assert_int_eq(struck.outcome, APART_OUTCOME_HIT);
    ck_assert(struck.at.dim == 2 && struck.at.normal.z == 0.0);
    const apart_impact sliding = sweep(&wheel, apart_pose_translation(0, 3.0, 0), vec(1, -4, 0), &bar, here, 1e-9);
    expect_hit(&sliding, 2.45 / 4.0, 1e-9);
}
END_TEST

/* ------------------------------------------------ options, scales, statuses */

START_TEST(scales_and_offsets)
{
    const double scale[] = {1.0, 1e-150, 1e120, 1e-6};
    for (int i = 0; i < 4; i++) {
        const double s = scale[i];
        const apart_shape box = apart_box(vec(s, s, s)), rod = apart_capsule(0.1 * s, s);
        const apart_pose at = apart_pose_translation(0, 0, 4.0 * s), here = apart_pose_identity();
        const apart_motion fall = apart_motion_velocity(&at, vec(0.3 * s, 0, -3.0 * s), vec(3, 2, 1), zero),
                           rest = apart_motion_rest(&here);
        const apart_impact im = toi(&rod, &fall, &box, &rest, 1e-8 * s);
        ck_assert_int_eq(im.outcome, APART_OUTCOME_HIT);
        /* The same with a large common offset and a large common velocity. */
        const apart_pose far_at = apart_pose_translation(1e9 * s, -2e9 * s, 4.0 * s),
                         far = apart_pose_translation(1e9 * s, -2e9 * s, 0);
        const apart_motion far_fall = apart_motion_velocity(&far_at, vec(0.3 * s, 0, -3.0 * s), vec(3, 2, 1), zero),
                           far_rest = apart_motion_rest(&far);
        const apart_impact offset = toi(&rod, &far_fall, &box, &far_rest, 1e-8 * s);
        expect_hit(&offset, im.t, 0.0);
        apart_motion fast_fall = fall, fast_rest = rest;
        fast_fall.linear = vec(fall.linear.x + 1048576.0 * s, 0, fall.linear.z);
        fast_rest.linear = vec(fast_fall.linear.x - fall.linear.x, 0, 0); /* exact difference */
        const apart_impact carried = toi(&rod, &fast_fall, &box, &fast_rest, 1e-8 * s);
        ck_assert_int_eq(carried.outcome, APART_OUTCOME_HIT);
        ck_assert_double_eq_tol(carried.t, im.t, 1e-8);
    }
}
END_TEST

/* A common offset in the vertices, which are exact doubles, changes no answer: triangles that fly at each other, one of
 * them spinning about its middle. */
START_TEST(offsets_in_the_vertices)
{
    const double offset[] = {1e4, 1e6, 1e8};
    random_source r = 11;
    for (int i = 0; i < 60; i++) {
        const double f = offset[i % 3];
        apart_vec3 p[2][3], q[2][3]; /* near, far */
        for (int k = 0; k < 6; k++) {
            apart_vec3 *at = &p[k / 3][k % 3];
            *at = vec(floor(0x1p20 * random_between(&r, -1, 1)) * 0x1p-20 + 4.0 * (k / 3),
                      floor(0x1p20 * random_between(&r, -1, 1)) * 0x1p-20,
                      floor(0x1p20 * random_between(&r, -1, 1)) * 0x1p-20);
            q[k / 3][k % 3] = vec(at->x + f, at->y - f, at->z + f);
        }
        const apart_shape near_a = apart_triangle(p[0][0], p[0][1], p[0][2]),
                          near_b = apart_triangle(p[1][0], p[1][1], p[1][2]),
                          far_a = apart_triangle(q[0][0], q[0][1], q[0][2]),
                          far_b = apart_triangle(q[1][0], q[1][1], q[1][2]);
        const apart_pose here = apart_pose_identity();
        const apart_motion flight = apart_motion_translation(&here, vec(-8, 0.0625, -0.03125)),
                           rest = apart_motion_rest(&here),
                           spin = apart_motion_velocity(&here, zero, vec(1, -2, 0.5), zero),
                           far_spin = apart_motion_velocity(&here, zero, vec(1, -2, 0.5), vec(f, -f, f));
        for (int turning = 0; turning < 2; turning++) {
            const apart_impact near = toi(&near_a, turning ? &spin : &rest, &near_b, &flight, 1e-11),
                               far = toi(&far_a, turning ? &far_spin : &rest, &far_b, &flight, 1e-11);
            ck_assert_int_eq(far.outcome, near.outcome);
            ck_assert_double_eq(far.tolerance, 1e-11);
            ck_assert_msg(far.upper <= near.upper + 1e-11 && far.lower >= near.lower - 1e-11, "offset %g: [%g, %g]", f,
                          far.lower - near.lower, far.upper - near.upper);
            ck_assert_double_eq_tol(far.t, near.t, 1e-6); /* a grazing contact within the tolerance */
        }
    }
}
END_TEST

START_TEST(options_are_kept)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), ball = apart_sphere(0.5);
    const apart_pose at = apart_pose_translation(-6, 0, 0), above = apart_pose_translation(-6, 0, 2.0),
                     here = apart_pose_identity();
    const apart_motion fly = apart_motion_velocity(&at, vec(10, 0, 0), vec(1, 2, 3), zero),
                       pass = apart_motion_velocity(&above, vec(10, 0, 0), vec(1, 2, 3), zero),
                       rest = apart_motion_velocity(&here, zero, vec(0, 0, 1), zero);
    apart_impact im;
    apart_motion_options o = {.until = 0.25};
    ck_assert_int_eq(apart_time_of_impact(&ball, &fly, &box, &rest, &o, NULL, &im), APART_OK);
    ck_assert_int_eq(im.outcome, APART_OUTCOME_CLEAR);
    ck_assert_double_le(im.t, 0.25);
    o = (apart_motion_options){.max_iterations = 2};
    ck_assert_int_eq(apart_time_of_impact(&box, &fly, &box, &rest, &o, NULL, &im), APART_OK);
    ck_assert(im.outcome == APART_OUTCOME_LIMIT && im.stop == APART_STOP_ITERATIONS && im.lower > 0.0 && im.t < 0.4);
    /* The smallest gap, its cut-off, and doing without it. */
    o = (apart_motion_options){.gap = APART_GAP_TOLERANCE};
    ck_assert_int_eq(apart_time_of_impact(&ball, &pass, &box, &rest, &o, NULL, &im), APART_OK);
    expect_clear(&im, 0.5);
    const uint32_t full = im.iterations;
    o = (apart_motion_options){.cutoff = 0.125, .gap = APART_GAP_TOLERANCE};
    ck_assert_int_eq(apart_time_of_impact(&ball, &pass, &box, &rest, &o, NULL, &im), APART_OK);
    ck_assert(im.outcome == APART_OUTCOME_CLEAR && im.stop == APART_STOP_CUTOFF && im.lower >= 0.125 &&
              im.iterations < full);
    apart_stats stats = {0};
    o = (apart_motion_options){.stats = &stats};
    ck_assert_int_eq(apart_time_of_impact(&ball, &pass, &box, &rest, &o, NULL, &im), APART_OK);
    ck_assert(im.outcome == APART_OUTCOME_CLEAR && im.lower > 0.0 && im.lower <= 0.5 && im.iterations < full);
    ck_assert_uint_ge(stats.queries, im.iterations);
    /* A limit in the second pass leaves the first one's answer. */
    o = (apart_motion_options){.max_iterations = im.iterations, .gap = APART_GAP_TOLERANCE};
    ck_assert_int_eq(apart_time_of_impact(&ball, &pass, &box, &rest, &o, NULL, &im), APART_OK);
    ck_assert(im.outcome == APART_OUTCOME_CLEAR && im.stop == APART_STOP_ITERATIONS && im.lower > 0.0);
    /* Below rounding the tolerance is raised, and says so. */
    o = (apart_motion_options){.tolerance = 1e-300};
    ck_assert_int_eq(apart_time_of_impact(&ball, &fly, &box, &rest, &o, NULL, &im), APART_OK);
    ck_assert(im.outcome == APART_OUTCOME_HIT && im.tolerance > 1e-13 && im.tolerance < 1e-10);
}
END_TEST

/* Whatever is in the cache, the promise holds. */
START_TEST(caches_cost_time_only)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), cone = apart_cone(0.5, 1.0);
    const apart_pose at = apart_pose_translation(-6, 0, 0), here = apart_pose_identity();
    const apart_motion fly = apart_motion_velocity(&at, vec(10, 0, 0), vec(1, 2, 3), zero),
                       rest = apart_motion_rest(&here);
    const apart_impact cold = toi(&cone, &fly, &box, &rest, 1e-9);
    random_source r = seed_of("caches");
    for (int i = 0; i < 1000; i++) {
        apart_cache cache;
        apart_impact im;
        random_bytes(&r, &cache, sizeof cache);
        const apart_motion_options o = {.tolerance = 1e-9};
        ck_assert_int_eq(apart_time_of_impact(&cone, &fly, &box, &rest, &o, &cache, &im), APART_OK);
        ck_assert(im.outcome == APART_OUTCOME_HIT && im.upper <= 1e-9);
        ck_assert_double_eq_tol(im.t, cold.t, 1e-9);
    }
}
END_TEST

START_TEST(statuses)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), bad = apart_sphere(-1.0),
                      plane = apart_half_space(vec(0, 0, 1), 0.0), flat = apart_circle(1.0);
    const apart_pose at = apart_pose_translation(5, 0, 0), here = apart_pose_identity();
    const apart_motion m = apart_motion_rest(&at), rest = apart_motion_rest(&here);
    apart_impact im, untouched;
    memset(&im, 0x5a, sizeof im);
    untouched = im;
    ck_assert_int_eq(apart_time_of_impact(NULL, &m, &box, &rest, NULL, NULL, &im), APART_ERR_NULL);
    ck_assert_int_eq(apart_time_of_impact(&box, NULL, &box, &rest, NULL, NULL, &im), APART_ERR_NULL);
    ck_assert_int_eq(apart_time_of_impact(&box, &m, &box, &rest, NULL, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_time_of_impact(&box, &m, &bad, &rest, NULL, NULL, &im), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_time_of_impact(&plane, &m, &plane, &rest, NULL, NULL, &im), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_time_of_impact(&flat, &m, &box, &rest, NULL, NULL, &im), APART_ERR_DIMENSION);
    const apart_motion_options wrong[] = {{.tolerance = -1.0}, {.tolerance = NAN}, {.tolerance = INFINITY},
                                          {.until = 1.5},      {.until = -0.5},    {.until = NAN},
                                          {.cutoff = -1.0},    {.cutoff = NAN},    {.gap = 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_int_eq(apart_time_of_impact(&box, &m, &box, &rest, &wrong[i], NULL, &im), APART_ERR_OPTION);
    }
    const apart_motion too_fast = apart_motion_translation(&at, vec(1e308, 0, 0));
    ck_assert_int_eq(apart_time_of_impact(&box, &too_fast, &box, &rest, NULL, NULL, &im), APART_ERR_OVERFLOW);
    ck_assert_int_eq(apart_sweep(&box, NULL, zero, &box, &here, zero, NULL, NULL, &im), APART_ERR_NULL);
    ck_assert_int_eq(apart_sweep(&box, &at, vec(NAN, 0, 0), &box, &here, zero, NULL, NULL, &im), APART_ERR_NONFINITE);
    ck_assert_mem_eq(&im, &untouched, sizeof im);
    ck_assert_str_eq(apart_outcome_name(APART_OUTCOME_HIT), "hit");
    ck_assert_str_eq(apart_outcome_name(9), "?");
}
END_TEST

/* ------------------------------------------------ the swept body */

static int swept(const apart_shape *a, apart_pose pose_a, apart_vec3 displacement, const apart_shape *b,
                 apart_pose pose_b)
{
    int overlap = -1;
    ck_assert_int_eq(apart_swept_overlap(a, &pose_a, displacement, b, &pose_b, zero, NULL, NULL, &overlap), APART_OK);
    return overlap;
}

/* Yes or no must agree with the first contact, where that is beyond its tolerance. */
START_TEST(the_swept_body_agrees_with_the_sweep)
{
    random_source r = seed_of("swept");
    static hull_pool pool;
    for (int i = 0; i < HULL_POOL_SIZE; i++) {
        double xyz[3 * PAIR_POINTS_MAX];
        ck_assert_int_eq(apart_hull_build(xyz, random_body(&r, xyz), NULL, &pool.hulls[i]), APART_OK);
    }
    int yes = 0, no = 0;
    while (yes + no < 4000) {
        static moving_pair p;
        moving_generate(&p, &r, &pool);
        if (p.family != MOVING_TRANSLATION && p.family != MOVING_HALF_SPACE && p.family != MOVING_PLANAR) {
            continue;
        }
        const apart_motion *a = &p.motion_a, *b = &p.motion_b;
        apart_impact im;
        int overlap;
        ck_assert_int_eq(apart_sweep(&p.a, &a->start, a->linear, &p.b, &b->start, b->linear, NULL, NULL, &im),
                         APART_OK);
        ck_assert_int_eq(apart_swept_overlap(&p.a, &a->start, a->linear, &p.b, &b->start, b->linear, NULL, NULL,
                                             &overlap),
                         APART_OK);
        if (im.outcome == APART_OUTCOME_CLEAR && im.lower > im.tolerance) {
            ck_assert_int_eq(overlap, 0);
            no++;
        } else if (im.outcome == APART_OUTCOME_START) {
            ck_assert_int_eq(overlap, 1);
            yes++;
        } else if (im.outcome == APART_OUTCOME_HIT) { /* a little later it must overlap, or it was a graze */
            moving_pair q = p;
            apart_pose pose_a, pose_b;
            apart_result deep;
            q.motion_a = apart_motion_translation(&a->start, a->linear);
            q.motion_b = apart_motion_translation(&b->start, b->linear);
            moving_poses(&q, fmin(1.0, im.t + 1e-3), &pose_a, &pose_b);
            ck_assert_int_eq(apart_distance(&p.a, &pose_a, &p.b, &pose_b, NULL, NULL, &deep), APART_OK);
            if (deep.relation == APART_OVERLAPPING) {
                ck_assert_int_eq(overlap, 1);
                yes++;
            }
        }
    }
    printf("swept: %d yes, %d no\n", yes, no);
    hull_pool_free(&pool);
    ck_assert(yes > 500 && no > 500);
}
END_TEST

/* Without the smallest gap the outcomes are the same, hits too; the proved gap is not above the smallest one; and
 * bodies that pass each other on two sides of a plane cost the query at the start and that of the answer. */
START_TEST(smallest_gap_on_request)
{
    random_source r = random_seed("smallest_gap_on_request");
    static hull_pool pool;
    for (int i = 0; i < HULL_POOL_SIZE; i++) {
        double xyz[3 * PAIR_POINTS_MAX];
        ck_assert_int_eq(apart_hull_build(xyz, random_body(&r, xyz), NULL, &pool.hulls[i]), APART_OK);
    }
    const apart_motion_options narrow = {.gap = APART_GAP_TOLERANCE};
    int clear = 0, once = 0;
    for (int i = 0; i < 1500; i++) {
        static moving_pair p;
        apart_impact plain, full;
        moving_generate(&p, &r, &pool);
        ck_assert_int_eq(apart_time_of_impact(&p.a, &p.motion_a, &p.b, &p.motion_b, NULL, NULL, &plain), APART_OK);
        ck_assert_int_eq(apart_time_of_impact(&p.a, &p.motion_a, &p.b, &p.motion_b, &narrow, NULL, &full), APART_OK);
        ck_assert_msg(plain.outcome == full.outcome, "motion %d: %s, but %s", i, apart_outcome_name(plain.outcome),
                      apart_outcome_name(full.outcome));
        if (plain.outcome == APART_OUTCOME_CLEAR) {
            ck_assert_msg(plain.lower > 0.0 && plain.lower <= full.upper && plain.upper >= full.lower,
                          "motion %d: gap in [%g, %g], but in [%g, %g]", i, plain.lower, plain.upper, full.lower,
                          full.upper);
            clear++;
            once += plain.iterations <= 2;
        } else {
            ck_assert(plain.t == full.t && plain.lower == full.lower);
        }
    }
    printf("clear: %d, of these at once: %d\n", clear, once);
    ck_assert(clear > 300 && once > clear / 4);
    hull_pool_free(&pool);
}
END_TEST

START_TEST(swept_plates_and_statuses)
{
    const apart_shape ball = apart_sphere(0.01), plate = apart_box(vec(1, 1, 0)),
                      ground = apart_half_space(vec(0, 0, 1), 0.0);
    const apart_pose below = apart_pose_translation(0, 0, -500), here = apart_pose_identity(),
                     above = apart_pose_translation(0, 0, 1);
    ck_assert_int_eq(swept(&ball, below, vec(0, 0, 1000), &plate, here), 1);
    ck_assert_int_eq(swept(&ball, below, vec(10, 0, 1000), &plate, here), 0);
    ck_assert_int_eq(swept(&ball, above, vec(0, 0, -0.98), &ground, here), 0);
    ck_assert_int_eq(swept(&ball, above, vec(0, 0, -0.995), &ground, here), 1);
    ck_assert_int_eq(swept(&ground, here, vec(0, 0, 0.995), &ball, above), 1);
    ck_assert_int_eq(swept(&ground, here, vec(0, 0, 0.98), &ball, above), 0);
    int overlap = 7;
    ck_assert_int_eq(apart_swept_overlap(&ball, NULL, zero, &plate, &here, zero, NULL, NULL, &overlap), APART_ERR_NULL);
    ck_assert_int_eq(apart_swept_overlap(NULL, &here, zero, &plate, &here, zero, NULL, NULL, &overlap), APART_ERR_NULL);
    ck_assert_int_eq(apart_swept_overlap(&ball, &here, vec(NAN, 0, 0), &plate, &here, zero, NULL, NULL, &overlap),
                     APART_ERR_NONFINITE);
    const apart_shape circle = apart_circle(1.0);
    ck_assert_int_eq(apart_swept_overlap(&circle, &here, vec(0, 0, 1), &circle, &here, zero, NULL, NULL, &overlap),
                     APART_ERR_DIMENSION);
    apart_shape nested[APART_MAX_NESTING + 1];
    nested[0] = apart_box(vec(1, 1, 1));
    for (int i = 1; i <= APART_MAX_NESTING; i++) {
        nested[i] = apart_affine(&nested[i - 1], (apart_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, zero);
    }
    ck_assert_int_eq(apart_swept_overlap(&nested[APART_MAX_NESTING], &here, vec(1, 0, 0), &ball, &below, zero, NULL,
                                         NULL, &overlap),
                     APART_ERR_NESTING);
    ck_assert_int_eq(overlap, 7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("impact");
    TCase *t = tcase_create("impact");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, spheres_in_flight);
    tcase_add_test(t, a_box_falls_on_the_ground);
    tcase_add_test(t, a_spinning_rod_hits_the_wall);
    tcase_add_test(t, a_turning_half_space);
    tcase_add_test(t, bullets_do_not_tunnel);
    tcase_add_test(t, grazing_spheres);
    tcase_add_test(t, sliding_along_parallel_faces);
    tcase_add_test(t, starting_in_contact_or_overlap);
    tcase_add_test(t, thousand_turns);
    tcase_add_test(t, planar_impacts);
    tcase_add_test(t, scales_and_offsets);
    tcase_add_test(t, offsets_in_the_vertices);
    tcase_add_test(t, options_are_kept);
    tcase_add_test(t, caches_cost_time_only);
    tcase_add_test(t, statuses);
    tcase_add_test(t, the_swept_body_agrees_with_the_sweep);
    tcase_add_test(t, smallest_gap_on_request);
    tcase_add_test(t, swept_plates_and_statuses);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
