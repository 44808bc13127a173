/* Moving meshes: against compounds of the same triangles, which take another way; against distances at many times on the
 * path; and against closed forms. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <apart/compound.h>

#include "mesh_bodies.h"
#include "poses.h"
#include "run_suite.h"
#include "scenes.h"

static uint64_t seed;

static apart_mesh *mesh_of(triangle_list *list)
{
    apart_mesh *m;
    ck_assert_int_eq(triangle_list_build(list, 0, &m), APART_OK);
    return m;
}

static apart_compound *compound_of(const triangle_list *list)
{
    apart_part *parts = malloc(list->triangle_count * sizeof *parts);
    apart_compound *c;
    ck_assert_ptr_nonnull(parts);
    for (uint32_t i = 0; i < list->triangle_count; i++) {
        const uint32_t *t = list->triangles[i];
        parts[i] = (apart_part){apart_triangle(list->vertices[t[0]], list->vertices[t[1]], list->vertices[t[2]]),
                                apart_pose_identity()};
    }
    ck_assert_int_eq(apart_compound_build(parts, list->triangle_count, NULL, &c), APART_OK);
    free(parts);
    return c;
}

static apart_result distance_at(apart_solid a, const apart_motion *ma, apart_solid b, const apart_motion *mb, double t)
{
    apart_pose pa, pb;
    apart_compound_result r;
    ck_assert_int_eq(apart_motion_pose(ma, t, &pa), APART_OK);
    ck_assert_int_eq(apart_motion_pose(mb, t, &pb), APART_OK);
    ck_assert_int_eq(apart_compound_distance(a, &pa, b, &pb, NULL, NULL, &r), APART_OK);
    return r.result;
}

/* What an impact promises, by distances at many times. size: no coordinate is larger. */
static apart_compound_impact check_impact(apart_solid a, const apart_motion *ma, apart_solid b, const apart_motion *mb,
                                          const apart_motion_options *options, double size)
{
    apart_compound_impact found;
    ck_assert_int_eq(apart_compound_time_of_impact(a, ma, b, mb, options, &found), APART_OK);
    const apart_impact *i = &found.impact;
    const double until = options != NULL && options->until > 0.0 ? options->until : 1.0;
    const double rounding = 1e-12 * size, end = i->outcome == APART_OUTCOME_CLEAR ? until : i->t;
    const apart_result at_t = distance_at(a, ma, b, mb, i->t);
    ck_assert(at_t.lower <= i->at.upper && i->at.lower <= at_t.upper);
    if (i->outcome == APART_OUTCOME_START) {
        ck_assert(i->t == 0.0 && i->at.lower <= 0.0);
        return found;
    }
    ck_assert_int_ne(i->outcome, APART_OUTCOME_LIMIT);
    ck_assert(i->lower > 0.0 || i->t == 0.0);
    ck_assert_double_le(i->lower, i->upper);
    ck_assert_double_le(at_t.lower, i->upper + rounding);
    if (i->outcome == APART_OUTCOME_HIT) {
        ck_assert_double_le(i->upper, i->tolerance);
    }
    for (int k = 0; k < 240; k++) { /* evenly, and ever nearer to the end */
        const double t = k < 200 ? end * k / 200.0 : end * (1.0 - ldexp(1.0, 200 - k - 7));
        const apart_result r = distance_at(a, ma, b, mb, t);
        ck_assert_msg(r.upper + rounding >= i->lower, "gap %.17g at %.17g, below %.17g until %.17g", r.upper, t,
                      i->lower, end);
    }
    return found;
}

/* From about `from` past the origin. */
static apart_motion random_motion(random_source *r, apart_vec3 from, double miss, double angle)
{
    apart_pose start = scene_pose(r, 0.25);
    start.translation = apart_vec3_add(start.translation, from);
    const apart_vec3 linear = apart_vec3_add(apart_vec3_scale(-2.0, from), random_vector(r, miss)),
                     angular = random_vector(r, angle);
    apart_motion m = apart_motion_velocity(&start, linear, angular, vec(0.25, 0, 0));
    m.path = random_bits(r) % 4 == 0 ? APART_PATH_SCREW : APART_PATH_STRAIGHT;
    return m;
}

START_TEST(equal_compounds_of_their_triangles)
{
    random_source r = seed;
    int outcomes[4] = {0, 0, 0, 0};
    for (int i = 0; i < 96; i++) {
        triangle_list la = bumpy_sphere(&r, 6, 9), lb = i % 2 ? bumpy_ring(&r, 9, 5) : loose_triangles(&r, 60, 0.4);
        apart_mesh *a = mesh_of(&la), *b = mesh_of(&lb);
        apart_compound *ca = compound_of(&la), *cb = compound_of(&lb);
        const apart_motion ma = random_motion(&r, vec(0, 0, 0), i % 3, i % 5 * 1.5),
                           mb = random_motion(&r, vec(3, 0, 0), 6.0, i % 4);
        const apart_motion_options options = {.gap = i % 2 ? APART_GAP_TOLERANCE : APART_GAP_NONE, .tolerance = 1e-6};
        const apart_solid sa = apart_solid_surface(a), sb = apart_solid_surface(b);
        const apart_compound_impact found = check_impact(sa, &ma, sb, &mb, &options, 10.0);
        apart_compound_impact expected;
        ck_assert_int_eq(apart_compound_time_of_impact(apart_solid_compound(ca), &ma, apart_solid_compound(cb), &mb,
                                                       &options, &expected),
                         APART_OK);
        ck_assert_int_eq(found.impact.outcome, expected.impact.outcome);
        outcomes[found.impact.outcome]++;
        if (found.impact.outcome == APART_OUTCOME_HIT) {
            /* Both gaps are at most the tolerance; bodies that graze may do that for a while. */
            const double earlier = fmin(found.impact.t, expected.impact.t),
                         later = fmax(found.impact.t, expected.impact.t);
            ck_assert_double_le(distance_at(sa, &ma, sb, &mb, earlier).lower, 1e-6);
            ck_assert_double_le(later - earlier, 1e-3);
        } else if (found.impact.outcome == APART_OUTCOME_CLEAR && options.gap != APART_GAP_NONE) {
            ck_assert_double_le(found.impact.upper - found.impact.lower, 1e-6);
            ck_assert_double_le(found.impact.lower, expected.impact.upper);
            ck_assert_double_le(expected.impact.lower, found.impact.upper);
        }
        apart_mesh_free(a);
        apart_mesh_free(b);
        apart_compound_free(ca);
        apart_compound_free(cb);
        triangle_list_free(&la);
        triangle_list_free(&lb);
    }
    ck_assert(outcomes[APART_OUTCOME_CLEAR] > 4 && outcomes[APART_OUTCOME_HIT] > 4);
}
END_TEST

/* A square plate in the plane z = 0, of two triangles. */
static triangle_list plate(double half)
{
    triangle_list l = {malloc(4 * sizeof(apart_vec3)), malloc(2 * sizeof(uint32_t[3])), 4, 2};
    static const uint32_t t[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (uint32_t i = 0; i < 4; i++) {
        l.vertices[i] = vec(i == 1 || i == 2 ? half : -half, i >= 2 ? half : -half, 0.0);
    }
    for (uint32_t i = 0; i < 6; i++) {
        l.triangles[i / 3][i % 3] = t[i / 3][i % 3];
    }
    return l;
}

START_TEST(closed_forms)
{
    triangle_list l = plate(1.0);
    apart_mesh *m = mesh_of(&l);
    const apart_shape ball = apart_sphere(0.125), ground = apart_half_space(vec(0, 0, 1), 0.0);
    const apart_solid sheet = apart_solid_surface(m), bullet = apart_solid_shape(&ball);
    const apart_motion_options options = {.tolerance = 1e-9};
    /* A ball that flies through a sheet, far faster than both are thick, and the way back; also far from the origin. */
    for (int i = 0; i < 4; i++) {
        const double off = i % 2 ? 1e6 : 0.0, sign = i / 2 ? -1.0 : 1.0;
        const apart_pose here = at(off, off, 0), there = at(off + 0.25, off, sign * 100.0);
        const apart_motion rest = apart_motion_rest(&here),
                           fly = apart_motion_translation(&there, vec(0, 0, -sign * 1000));
        const apart_compound_impact found = check_impact(sheet, &rest, bullet, &fly, &options, 1e6);
        ck_assert_int_eq(found.impact.outcome, APART_OUTCOME_HIT);
        ck_assert_double_eq_tol(found.impact.t, (100.0 - 0.125) / 1000.0, 2e-12 + 1e-12 * off);
        apart_compound_impact swept;
        ck_assert_int_eq(apart_compound_sweep(sheet, &here, vec(0, 0, 0), bullet, &there, vec(0, 0, -sign * 1000),
                                              &options, &swept),
                         APART_OK);
        ck_assert_double_eq(swept.impact.t, found.impact.t);
    }
    /* It passes beside the sheet: the smallest gap. */
    const apart_pose beside = at(1.25, 0.5, 3), origin = at(0, 0, 0);
    const apart_motion rest = apart_motion_rest(&origin), pass = apart_motion_translation(&beside, vec(0, 0, -7));
    const apart_motion_options gap = {.tolerance = 1e-8, .gap = APART_GAP_TOLERANCE};
    const apart_compound_impact clear = check_impact(bullet, &pass, sheet, &rest, &gap, 10.0);
    ck_assert_int_eq(clear.impact.outcome, APART_OUTCOME_CLEAR);
    ck_assert(clear.impact.lower <= 0.125 && clear.impact.upper >= 0.125);
    ck_assert_double_le(clear.impact.upper - clear.impact.lower, 1e-8);
    ck_assert_double_eq_tol(clear.impact.t, 3.0 / 7.0, 1e-3);
    /* A plate above the ground turns about its middle, until an edge is on the ground: sin(angle) = height. */
    const apart_pose above = at(0, 0, 0.5);
    const apart_motion tilt = apart_motion_velocity(&above, vec(0, 0, 0), vec(0, 2, 0), vec(0, 0, 0));
    const apart_solid floor = apart_solid_shape(&ground);
    const apart_compound_impact tilted = check_impact(sheet, &tilt, floor, &rest, &options, 1.0);
    ck_assert_int_eq(tilted.impact.outcome, APART_OUTCOME_HIT);
    ck_assert_double_eq_tol(tilted.impact.t, asin(0.5) / 2.0, 1e-8);
    apart_mesh_free(m);
    triangle_list_free(&l);
}
END_TEST

START_TEST(solids_have_an_inside)
{
    random_source r = seed + 1;
    triangle_list l = bumpy_sphere(&r, 8, 12);
    apart_mesh *m = mesh_of(&l);
    const apart_shape ball = apart_sphere(0.01);
    const apart_pose origin = at(0, 0, 0);
    const apart_motion rest = apart_motion_rest(&origin), leave = apart_motion_translation(&origin, vec(3, 0, 0));
    const apart_solid speck = apart_solid_shape(&ball);
    const apart_compound_impact inside = check_impact(apart_solid_mesh(m), &rest, speck, &leave, NULL, 10.0);
    ck_assert_int_eq(inside.impact.outcome, APART_OUTCOME_START);
    ck_assert_int_eq(inside.impact.at.relation, APART_OVERLAPPING);
    const apart_compound_impact out = check_impact(apart_solid_surface(m), &rest, speck, &leave, NULL, 10.0);
    ck_assert_int_eq(out.impact.outcome, APART_OUTCOME_HIT);
    const apart_motion_options first = {.until = 0.5 * out.impact.t, .gap = APART_GAP_TOLERANCE};
    const apart_compound_impact before = check_impact(apart_solid_surface(m), &rest, speck, &leave, &first, 10.0);
    ck_assert_int_eq(before.impact.outcome, APART_OUTCOME_CLEAR);
    const apart_motion_options few = {.max_iterations = 1};
    apart_compound_impact limited;
    ck_assert_int_eq(apart_compound_time_of_impact(apart_solid_surface(m), &rest, speck, &leave, &few, &limited),
                     APART_OK);
    ck_assert_int_eq(limited.impact.outcome, APART_OUTCOME_LIMIT);
    ck_assert_double_lt(limited.impact.t, out.impact.t);
    apart_mesh_free(m);
    triangle_list_free(&l);
}
END_TEST

START_TEST(input_is_checked)
{
    triangle_list l = plate(1.0);
    apart_mesh *m = mesh_of(&l);
    const apart_pose origin = at(0, 0, 0), above = at(0, 0, 1);
    const apart_motion rest = apart_motion_rest(&origin), higher = apart_motion_rest(&above);
    const apart_solid sheet = apart_solid_surface(m), open = apart_solid_mesh(m);
    const apart_motion_options wrong[] = {{.tolerance = -1},
                                          {.tolerance = NAN},
                                          {.until = 2},
                                          {.cutoff = -1},
                                          {.gap = 7}};
    apart_compound_impact found;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(apart_compound_time_of_impact(sheet, &rest, sheet, &higher, &wrong[i], &found),
                         APART_ERR_OPTION);
    }
    ck_assert_int_eq(apart_compound_time_of_impact(open, &rest, sheet, &higher, NULL, &found),
                     APART_ERR_NOT_WATERTIGHT);
    ck_assert_int_eq(apart_compound_time_of_impact(sheet, NULL, sheet, &higher, NULL, &found), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_time_of_impact((apart_solid){.surface = 1}, &rest, sheet, &higher, NULL, &found),
                     APART_ERR_NULL);
    const apart_motion huge = apart_motion_translation(&above, vec(1e308, 1e308, 1e308));
    ck_assert_int_eq(apart_compound_time_of_impact(sheet, &rest, sheet, &huge, NULL, &found), APART_ERR_OVERFLOW);
    apart_mesh_free(m);
    triangle_list_free(&l);
}
END_TEST

int main(void)
{
    seed = random_seed("mesh_motion");
    Suite *suite = suite_create("mesh_motion");
    TCase *all = tcase_create("impacts");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, equal_compounds_of_their_triangles);
    tcase_add_test(all, closed_forms);
    tcase_add_test(all, solids_have_an_inside);
    tcase_add_test(all, input_is_checked);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
