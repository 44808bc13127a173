/* What is cheaper than a depth: queries without it or with bounds of it, and the bounds from Cameron's tetrahedron,
 * which are mostly exact in shallow overlaps that are tracked. */
#include "depth_answers.h"
#include "depth_checks.h"
#include "run_suite.h"

#include <string.h>

/* ------------------------------------------------ the cheaper kinds of depth */

START_TEST(depth_none)
{
    const apart_options none = {.depth = APART_DEPTH_NONE};
    const apart_shape box = apart_box(vec(1, 1, 1)), ball = apart_sphere(0.5), can = apart_cylinder(1, 1),
                      plane = apart_rectangle(1, 1);
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
    ck_assert(apart_vec3_distance(r.a, r.b) <= TIGHT);
    check_members(&box, &here, &can, &in, &r, TIGHT);
    const apart_result flat = query(&plane, &here, &plane, &in, &none, NULL);
    ck_assert(flat.distance == 0.0 && flat.upper == 0.0 && flat.lower == -INFINITY &&
              flat.relation == APART_OVERLAPPING);
}
END_TEST

START_TEST(depth_bounds)
{
    random_source r = 21;
    const apart_options bounds = {.depth = APART_DEPTH_BOUNDS};
    for (int i = 0; i < 300; i++) {
        const apart_shape a = curved_body(&r, i % 8), b = curved_body(&r, i / 8 % 8);
        apart_pose pose_a = apart_pose_identity(), pose_b = apart_pose_identity();
        pose_a.rotation = random_rotation(&r);
        pose_b.rotation = random_rotation(&r);
        pose_b.translation = apart_vec3_scale(1.5, random_in_ball(&r));
        const apart_result exact = query(&a, &pose_a, &b, &pose_b, NULL, NULL),
                           cheap = query(&a, &pose_a, &b, &pose_b, &bounds, NULL);
        ck_assert_msg(cheap.lower <= exact.upper && cheap.upper >= exact.lower, "[%g, %g] misses [%g, %g]", cheap.lower,
                      cheap.upper, exact.lower, exact.upper);
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
    const apart_shape flat = apart_rectangle(1, 1), plane = apart_half_space(vec(0, 0, 1), 0),
                      broken = apart_sphere(-1);
    ck_assert_int_eq(apart_penetration_bounds(&box, &here, &flat, &here, NULL, NULL, &p), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_penetration_bounds(&plane, &here, &plane, &here, NULL, NULL, &p), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_penetration_bounds(&box, &here, &broken, &here, NULL, NULL, &p), APART_ERR_NEGATIVE_SIZE);
}
END_TEST

/* ------------------------------------------------ Cameron's bounds */

static apart_penetration bounds_of(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                   const apart_pose *pose_b, apart_cache *cache)
{
    apart_penetration p;
    memset(&p, 0xff, sizeof p);
    ck_assert_int_eq(apart_penetration_bounds(a, pose_a, b, pose_b, NULL, cache, &p), APART_OK);
    ck_assert(isfinite(p.least) && isfinite(p.most) && isfinite(p.depth) && is_finite(p.normal) && p.exact <= 1);
    ck_assert(p.least >= 0.0 && p.least <= p.most);
    return p;
}

static int check_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                        apart_cache *cache)
{
    const apart_penetration p = bounds_of(a, pose_a, b, pose_b, cache);
    const apart_result r = query(a, pose_a, b, pose_b, NULL, NULL);
    ck_assert_int_eq(p.relation, r.relation);
    if (r.relation != APART_OVERLAPPING) {
        ck_assert(p.least == 0.0 && p.most == 0.0 && p.depth == 0.0 && p.exact == 0);
        return 0;
    }
    ck_assert_msg(p.least <= -r.lower && -r.upper <= p.most, "[%.17g, %.17g] misses the depth %.17g", p.least, p.most,
                  -r.distance);
    ck_assert(fabs(apart_vec3_norm(p.normal) - 1.0) <= 4 * EPS);
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
    random_source r = 31;
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
        pose_b.translation =
            i % 4 == 0 ? vec(0.25 * random_below(&r, 8), 0, 0.5) : apart_vec3_scale(2.0, random_in_ball(&r));
        exact += check_bounds(&a, &pose_a, &b, &pose_b, NULL);
    }
    printf("bounds: %d of 2000 exact\n", exact);
    ck_assert_int_gt(exact, 100);
}
END_TEST

/* Matrices in single precision: a rounding sphere is an ellipsoid, which may be thinner than its radius. A sphere about a
 * point inside a tetrahedron has the exact bound, so nothing hides that. */
START_TEST(bounds_under_single_precision_matrices)
{
    random_source r = 37;
    int overlaps = 0;
    for (int i = 0; i < 4000; i++) {
        double xyz[12];
        for (int k = 0; k < 12; k++) {
            xyz[k] = random_between(&r, -1, 1);
        }
        const apart_shape a = apart_rounded(apart_points(xyz, 4), 1.0), b = apart_sphere(1.0);
        apart_mat3 m = random_rotation(&r);
        m.x = vec((float)m.x.x, (float)m.x.y, (float)m.x.z);
        m.y = vec((float)m.y.x, (float)m.y.y, (float)m.y.z);
        m.z = vec((float)m.z.x, (float)m.z.y, (float)m.z.z);
        const apart_pose pose_a = {m, vec(0, 0, 0)};
        const apart_vec3 middle = vec((xyz[0] + xyz[3] + xyz[6] + xyz[9]) / 4, (xyz[1] + xyz[4] + xyz[7] + xyz[10]) / 4,
                                      (xyz[2] + xyz[5] + xyz[8] + xyz[11]) / 4);
        const apart_vec3 at = apart_pose_apply(&pose_a, middle);
        const apart_pose pose_b = apart_pose_translation(at.x, at.y, at.z);
        const apart_penetration p = bounds_of(&a, &pose_a, &b, &pose_b, NULL);
        if (p.relation == APART_OVERLAPPING) {
            /* Moving by this along the normal ends the overlap. */
            const double enough = -separation(&a, &pose_a, &b, &pose_b, p.normal);
            overlaps++;
            ck_assert_msg(p.least <= enough + 1e-14, "least %.17g, %.17g is enough", p.least, enough);
        }
    }
    ck_assert_int_gt(overlaps, 1000);
}
END_TEST

START_TEST(bounds_in_the_plane_and_of_half_spaces)
{
    const apart_shape square = apart_rectangle(1, 1), plane = apart_half_space(vec(0, 0, 1), 0),
                      box = apart_box(vec(1, 1, 1)), ball = apart_sphere(1);
    const apart_pose here = at(0, 0, 0), beside = at(1.5, 0.25, 0), touching = at(2, 0, 0), far = at(3, 0, 0),
                     above = at(0, 0, 0.5);
    ck_assert_int_eq(check_bounds(&square, &here, &square, &beside, NULL), 1);
    ck_assert_int_eq(check_bounds(&square, &here, &square, &touching, NULL), 0);
    ck_assert_int_eq(check_bounds(&box, &here, &box, &far, NULL), 0);
    ck_assert_int_eq(check_bounds(&box, &here, &box, &touching, NULL), 0);
    ck_assert_int_eq(check_bounds(&ball, &here, &box, &beside, NULL),
                     1); /* the cores are apart: the distance says it */
    const apart_penetration p = bounds_of(&plane, &here, &box, &above, NULL);
    ck_assert(p.exact && fabs(p.depth - 0.5) <= TIGHT && p.relation == APART_OVERLAPPING);
}
END_TEST

/* A pair that is tracked into a shallow overlap: the last step's feature is still a feature of the surface, so the
 * bounds meet (C9). */
START_TEST(tracked_shallow_overlaps_are_exact)
{
    random_source r = 41;
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
            continue; /* a vertex or an edge of the Minkowski difference is nearest, so no face can stay the nearest */
        }
        /* To contact along the normal, then 1e-3 at a time. */
        for (int step = -2; step <= 3; step++) {
            const double push = first.distance + 1e-3 * step;
            const apart_pose now = moved(&pose_b, apart_vec3_scale(-push, first.normal));
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

int main(void)
{
    Suite *suite = suite_create("depth_bounds");
    TCase *tests = tcase_create("bounds");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, depth_none);
    tcase_add_test(tests, depth_bounds);
    tcase_add_test(tests, depth_options_are_checked);
    tcase_add_test(tests, bounds_enclose_the_depth);
    tcase_add_test(tests, bounds_under_single_precision_matrices);
    tcase_add_test(tests, bounds_in_the_plane_and_of_half_spaces);
    tcase_add_test(tests, tracked_shallow_overlaps_are_exact);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
