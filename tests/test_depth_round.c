/* Depths of round bodies: spheres, capsules, cylinders, cones, ellipsoids, rounded bodies, and any body in a
 * half-space, known by formula; curved bodies in general position against a search over directions. */
#include "depth_answers.h"
#include "depth_checks.h"
#include "run_suite.h"

/* ------------------------------------------------ known by formula */

START_TEST(spheres_and_capsules)
{
    const apart_shape one = apart_sphere(1), half = apart_sphere(0.5), box = apart_box(vec(1, 2, 3)),
                      capsule = apart_capsule(0.5, 1), thin = apart_capsule(0.25, 2);
    apart_result r = check_depth(&one, at(0, 0, 0), &half, at(0, 0.6, 0.8 - 0.3), -(1.5 - sqrt(0.36 + 0.25)), TIGHT);
    check_normal(&r, 0, 0.6 / sqrt(0.61), 0.5 / sqrt(0.61), TIGHT);
    check_depth(&one, at(1, 2, 3), &half, at(1, 2, 3), -1.5, TIGHT); /* concentric: every direction is as short */
    r = check_depth(&box, at(0, 0, 0), &half, at(0.25, 0, 0), -1.25, TIGHT);
    check_normal(&r, 1, 0, 0, TIGHT);
    check_depth(&box, at(0, 0, 0), &half, at(0, 0, 0), -1.5, TIGHT);
    check_depth(&box, at(0, 0, 0), &half, at(1.25, 0, 0), -0.25, TIGHT);
    /* Capsules: side by side, crossing, in one line, coincident: flat Minkowski differences of the cores. */
    check_depth(&capsule, at(0, 0, 0), &thin, at(0.5, 0, 0.25), -0.25, TIGHT);
    r = check_depth(&capsule, at(0, 0, 0), &thin, turned_rpy(0, 1.5707963267948966, 0, vec(0, 0, 0)), -0.75, TIGHT);
    ck_assert(fabs(fabs(r.normal.y) - 1.0) <= TIGHT);
    r = check_depth(&capsule, at(0, 0, 0), &thin, turned_rpy(0, 1.5707963267948966, 0, vec(0.1, 0.125, 0.1)), -0.625,
                    TIGHT);
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
    const apart_shape a = apart_cylinder(1, 2), b = apart_cylinder(0.5, 1), box = apart_box(vec(1, 1, 1)),
                      ball = apart_sphere(0.25);
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
    const apart_shape a = apart_cone(1, 1), point = apart_point(vec(0, 0, 0)), ball = apart_sphere(0.125),
                      box = apart_box(vec(3, 3, 3));
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

START_TEST(ellipsoids)
{
    const apart_shape a = apart_ellipsoid(vec(3, 2, 1)), b = apart_ellipsoid(vec(1.5, 1.25, 0.5)),
                      s = apart_ellipsoid(vec(1, 1, 1)), spheroid = apart_ellipsoid(vec(2, 2, 1)),
                      needle = apart_ellipsoid(vec(0.5, 0.5, 3)), ball = apart_sphere(0.5);
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
    const apart_shape box = apart_box(vec(1, 1, 1)), soap = apart_rounded(box, 0.25),
                      plate = apart_rounded(apart_box(vec(1, 1, 0)), 0.125),
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
    const apart_shape floor_below = apart_half_space(vec(0, 0, 2), 1), box = apart_box(vec(1, 1, 1)),
                      ball = apart_sphere(0.5), cone = apart_cone(1, 1);
    const apart_pose here = at(0, 0, 0);
    const struct {
        const apart_shape *body;
        double z, expected;
    } rows[] = {{&box, 1.5, -0.5}, {&box, -5, -7},     {&ball, 1.25, -0.25},
                {&ball, 0, -1.5},  {&cone, 1.5, -0.5}, {&cone, -4, -6}};
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

/* ------------------------------------------------ general position: a search over directions */

static apart_vec3 unit(apart_vec3 v) { return apart_vec3_scale(1.0 / apart_vec3_norm(v), v); }

/* The largest separation near n, by steps across it that shrink. */
static double climb(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                    apart_vec3 n)
{
    double best = separation(a, pose_a, b, pose_b, n);
    int tries = 0;
    for (double step = 0.1; step > 1e-9 && tries < 400; tries++) {
        const apart_vec3 f = unit(fabs(n.x) < 0.6 ? vec(0, n.z, -n.y) : vec(-n.z, 0, n.x));
        const apart_vec3 g = vec(n.y * f.z - n.z * f.y, n.z * f.x - n.x * f.z, n.x * f.y - n.y * f.x);
        bool better = false;
        for (int k = 0; k < 8; k++) {
            const double c = cos(0.78539816339744828 * k), s = sin(0.78539816339744828 * k);
            const apart_vec3 m =
                unit(apart_vec3_add_scaled(n, step, apart_vec3_add_scaled(apart_vec3_scale(c, f), s, g)));
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

static double searched_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                const apart_pose *pose_b)
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

START_TEST(curved_pairs_in_general_position)
{
    random_source r = 77;
    int workspace = 0, close = 0, overlapping = 0;
    for (int i = 0; i < 320; i++) {
        const int kind_a = i % 8, kind_b = i / 8 % 8;
        const apart_shape a = curved_body(&r, kind_a), b = curved_body(&r, kind_b);
        apart_pose pose_a = apart_pose_identity(), pose_b = apart_pose_identity();
        pose_a.rotation = random_rotation(&r);
        pose_b.rotation = random_rotation(&r);
        pose_b.translation = apart_vec3_scale(random_between(&r, 0.05, 0.9), random_in_ball(&r));
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
    printf("curved pairs: %d overlap, %d found by search too, %d stopped with a full workspace\n", overlapping, close,
           workspace);
    ck_assert_int_ge(2 * close, overlapping); /* the search may stay on a ridge, but not always */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("depth_round");
    TCase *tests = tcase_create("round");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, spheres_and_capsules);
    tcase_add_test(tests, cylinders);
    tcase_add_test(tests, cones);
    tcase_add_test(tests, cone_under_a_single_precision_rotation);
    tcase_add_test(tests, ellipsoids);
    tcase_add_test(tests, rounded_bodies);
    tcase_add_test(tests, half_spaces);
    tcase_add_test(tests, curved_pairs_in_general_position);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
