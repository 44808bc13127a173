/* Bodies of one orientation, as machine parts have them: one turned pose for both, poses that differ by a turn about
 * the common axis, offsets along and across it. Directions tie there, and every query has to live with that. */
#include <apart/batch.h>
#include <apart/contact.h>
#include <apart/motion.h>
#include <apart/penetration.h>

#include <time.h>

#include "depth_answers.h"
#include "depth_checks.h"
#include "run_suite.h"

/* Of the size: the widest bounds of a pair whose depth has a closed form, or that is searched in a plane. */
#define ALIGNED 1e-9

enum {
    CYLINDER,
    CONE,
    BOX,
    CAPSULE,
    ROUNDED_CYLINDER,
    SPHEROID,
    ROUNDED_CONE,
    SPHERE,
    SUM,
    SEGMENT,
    PRISM,
    ELLIPSOID,
    KINDS
};

static const char *const kind_names[KINDS] =
    {"cylinder", "cone", "box",     "capsule", "rounded cylinder",       "spheroid", "rounded cone",
     "sphere",   "sum",  "segment", "prism",   "ellipsoid of three axes"};

/* How much work: an argument multiplies it. */
static int times = 1;

/* A sum borrows its children: a pair has at most four. */
static apart_shape spheroid_and_cylinder(random_source *r)
{
    static apart_shape child[8];
    static unsigned next;
    apart_shape *const two = &child[2 * (next++ % 4)];
    const double x = random_between(r, 0.3, 1.0);
    two[0] = apart_ellipsoid(vec(x, x, random_between(r, 0.3, 1.0)));
    two[1] = apart_cylinder(random_between(r, 0.1, 0.5), random_between(r, 0.1, 0.5));
    return apart_sum(&two[0], &two[1]);
}

/* A prism about the axis, as points; the last eight live. */
static apart_shape prism(random_source *r, double radius, double half_height)
{
    enum { SIDES = 7 };
    static double corners[8][6 * SIDES];
    static unsigned next;
    double *const xyz = corners[next++ % 8];
    const unsigned sides = 3 + (unsigned)random_below(r, SIDES - 2);
    for (unsigned i = 0; i < 2 * sides; i++) {
        const double angle = 6.2831853071795865 * (i / 2) / sides;
        xyz[3 * i] = radius * cos(angle);
        xyz[3 * i + 1] = radius * sin(angle);
        xyz[3 * i + 2] = i % 2 == 0 ? -half_height : half_height;
    }
    return apart_points(xyz, (size_t)2 * sides);
}

static apart_shape aligned_body(random_source *r, int kind)
{
    const double x = random_between(r, 0.3, 1.0);
    const double y = random_below(r, 2) == 0 ? x : random_between(r, 0.3, 1.0); /* ways out along and across may tie */
    switch (kind) {
    case CYLINDER: return apart_cylinder(x, y);
    case CONE: return apart_cone(x, y);
    case BOX: return apart_box(vec(x, y, random_between(r, 0.3, 1.0)));
    case CAPSULE: return apart_capsule(x, y);
    case ROUNDED_CYLINDER: return apart_rounded(apart_cylinder(x, y), 0.1);
    case SPHEROID: return apart_ellipsoid(vec(x, x, y));
    case ROUNDED_CONE: return apart_rounded(apart_cone(x, y), 0.1);
    case SPHERE: return apart_sphere(x);
    case SUM: return spheroid_and_cylinder(r);
    case SEGMENT: return apart_segment(vec(0, 0, -x), vec(0, 0, y));
    case PRISM: return prism(r, x, y);
    default: return apart_ellipsoid(vec(x, y, random_between(r, 0.3, 1.0)));
    }
}

/* Two poses: equal, or turned about the axis z of both; B is moved along the axis, across it, by a hair, or any way. */
static void aligned_poses(random_source *r, apart_pose *a, apart_pose *b)
{
    const apart_vec3 step = apart_vec3_scale(random_between(r, 0.0, 0.4), random_in_ball(r));
    const apart_vec3 by[5] = {vec(0, 0, 0), vec(0, 0, step.z), vec(step.x, step.y, 0), apart_vec3_scale(1e-9, step),
                              step};
    apart_pose turn = apart_pose_identity();
    if (random_below(r, 2) == 0) {
        turn = turned(vec(0, 0, 1), random_between(r, -180.0, 180.0), vec(0, 0, 0));
    }
    turn.translation = by[random_below(r, 5)];
    *a = apart_pose_identity();
    a->rotation = random_rotation(r);
    a->translation = random_in_ball(r);
    *b = apart_pose_compose(a, &turn);
}

/* ------------------------------------------------ known by formula */

/* Cylinders and capsules about parallel axes: the way across, or the way along. */
START_TEST(coaxial_by_formula)
{
    random_source r = random_seed("depth_aligned: formulas");
    for (int i = 0; i < 20000; i++) {
        const double ra = random_between(&r, 0.3, 1), rb = random_between(&r, 0.3, 1);
        const double ha = i % 2 == 0 ? ra : random_between(&r, 0.3, 1),
                     hb = i % 2 == 0 ? rb : random_between(&r, 0.3, 1);
        const apart_shape a = apart_cylinder(ra, ha), b = apart_cylinder(rb, hb);
        apart_pose pose_a, pose_b;
        aligned_poses(&r, &pose_a, &pose_b);
        const apart_vec3 off =
            apart_pose_rotate_inverse(&pose_a, apart_vec3_sub(pose_b.translation, pose_a.translation));
        const double across = ra + rb - sqrt(off.x * off.x + off.y * off.y), along = ha + hb - fabs(off.z);
        const double expected = -fmin(across, along);
        const apart_result found = query(&a, &pose_a, &b, &pose_b, NULL, NULL);
        ck_assert_msg(found.lower <= expected + 1e-14 && expected - 1e-14 <= found.upper,
                      "pair %d: %.17g is not in [%.17g, %.17g]", i, expected, found.lower, found.upper);
        ck_assert_msg(found.upper - found.lower <= 1e-12, "pair %d: bounds are %g apart, %s", i,
                      found.upper - found.lower, apart_stop_name(found.stop));
        check_way_out(&a, &pose_a, &b, &pose_b, &found, 1e-12);
    }
}
END_TEST

/* The pair that showed the depth of 0.834 where 1.319 is needed: two corners of the ring coincide to rounding. */
START_TEST(corners_that_coincide)
{
    const apart_shape a = apart_cylinder(0.73030483132987301, 0.73030483132987301),
                      b = apart_cylinder(0.58896558507644581, 0.58896558507644581);
    const apart_pose pose = {{{-0.67182766012698281, 0.56182680952695641, 0.48269890323582093},
                              {0.71275902222386356, 0.31303111693284924, 0.6276831175603298},
                              {0.20154942651068319, 0.76574287847066136, -0.61075009025351834}},
                             {0.16911137824037392, -0.10899249435874153, 0.087207329618532392}};
    check_depth(&a, pose, &b, pose, -(0.73030483132987301 + 0.58896558507644581), 1e-13);
}
END_TEST

/* ------------------------------------------------ every pair of shapes */

/* No direction of a few hundred shows a shorter way out. */
static void check_directions(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                             const apart_pose *pose_b, double upper, random_source *r, int count)
{
    for (int k = 0; k < count; k++) {
        const apart_vec3 n = random_in_ball(r);
        const double value = separation(a, pose_a, b, pose_b, apart_vec3_scale(1.0 / apart_vec3_norm(n), n));
        ck_assert_msg(value <= upper + 1e-13, "%s in %s: a direction gives %.17g above %.17g", apart_shape_name(b),
                      apart_shape_name(a), value, upper);
    }
}

static bool is_smooth(int kind) { return kind == SPHERE || kind == SPHEROID || kind == ELLIPSOID; }

/* The answers that are wider than they should be, by kinds. */
typedef struct wide_pairs {
    long overlapping, wide[KINDS][KINDS];
    double widest[KINDS][KINDS];
} wide_pairs;

static void print_wide_pairs(const wide_pairs *w)
{
    printf("%ld aligned pairs that overlap; wider than %g:\n", w->overlapping, ALIGNED);
    for (int i = 0; i < KINDS; i++) {
        for (int k = 0; k < KINDS; k++) {
            if (w->wide[i][k] > 0) {
                printf("  %s, %s: %ld, at most %.2g\n", kind_names[i], kind_names[k], w->wide[i][k], w->widest[i][k]);
            }
        }
    }
}

static void check_aligned(int kind_a, int kind_b, random_source *r, wide_pairs *wide)
{
    const apart_shape a = aligned_body(r, kind_a), b = aligned_body(r, kind_b);
    apart_pose pose_a, pose_b;
    aligned_poses(r, &pose_a, &pose_b);
    const apart_result found = query(&a, &pose_a, &b, &pose_b, NULL, NULL);
    if (found.relation != APART_OVERLAPPING) {
        return;
    }
    /* An ellipsoid of three axes is no body of revolution: against bodies with edges only the width is open. */
    const bool edges = (kind_a == ELLIPSOID && !is_smooth(kind_b)) || (kind_b == ELLIPSOID && !is_smooth(kind_a));
    const double width = found.upper - found.lower;
    const int first = kind_a < kind_b ? kind_a : kind_b, second = kind_a < kind_b ? kind_b : kind_a;
    wide->wide[first][second] += width > ALIGNED;
    wide->widest[first][second] = fmax(wide->widest[first][second], width);
    ck_assert_msg(edges || width <= ALIGNED, "%s in %s, pair %ld: bounds are %g apart, %s", apart_shape_name(&b),
                  apart_shape_name(&a), wide->overlapping, width, apart_stop_name(found.stop));
    ck_assert_msg(found.lower <= separation(&a, &pose_a, &b, &pose_b, found.normal) + 1e-13,
                  "%s in %s, pair %ld: the normal does not prove the lower bound", apart_shape_name(&b),
                  apart_shape_name(&a), wide->overlapping);
    check_directions(&a, &pose_a, &b, &pose_b, found.upper, r, wide->overlapping % 16 == 0 ? 200 : 0);
    wide->overlapping++;
}

START_TEST(every_pair_is_narrow)
{
    random_source r = random_seed("depth_aligned: pairs");
    wide_pairs wide = {.overlapping = 0};
    for (int i = 0; wide.overlapping < 20000L * times; i++) {
        check_aligned(i % KINDS, i / KINDS % KINDS, &r, &wide);
    }
    print_wide_pairs(&wide);
}
END_TEST

static bool is_revolved(int kind) { return kind != BOX && kind != PRISM && kind != ELLIPSOID; }

static void make_single_precision(apart_mat3 *m)
{
    apart_vec3 *const column[3] = {&m->x, &m->y, &m->z};
    for (int i = 0; i < 3; i++) {
        *column[i] = vec((float)column[i]->x, (float)column[i]->y, (float)column[i]->z);
    }
}

/* A member by the certified bound: what a matrix does to a rounding sphere is in it. */
static void check_is_inside(apart_vec3 point, const apart_shape *s, const apart_pose *pose, int pair)
{
    apart_result r;
    ck_assert_int_eq(apart_point_distance(point, s, pose, NULL, NULL, &r), APART_OK);
    ck_assert_msg(r.lower <= 1e-14, "%s, pair %d: a witness point is %g outside", apart_shape_name(s), pair, r.lower);
}

/* Bodies of revolution under matrices in single precision, with a defect of up to 2.5e-7, and about axes that are
 * nearly parallel: the bounds are as narrow as the defects and the tilt, and the witness points lie in the bodies. */
START_TEST(nearly_aligned_pairs)
{
    random_source r = random_seed("depth_aligned: nearly");
    for (int i = 0; i < 60 * KINDS * KINDS; i++) {
        const int kind_a = i % KINDS, kind_b = i / KINDS % KINDS, how = i / KINDS / KINDS % 3;
        const apart_shape a = aligned_body(&r, kind_a), b = aligned_body(&r, kind_b);
        apart_pose pose_a, pose_b;
        aligned_poses(&r, &pose_a, &pose_b);
        const double tilt = how == 0 ? 0.0 : random_magnitude(&r, -12, -4);
        const apart_pose turn = turned(vec(1, 0, 0), tilt * 180.0 / 3.1415926535897932, vec(0, 0, 0));
        pose_b.rotation = apart_pose_compose(&pose_b, &turn).rotation;
        if (how != 1) {
            make_single_precision(&pose_a.rotation);
            make_single_precision(&pose_b.rotation);
        }
        const apart_result found = query(&a, &pose_a, &b, &pose_b, NULL, NULL);
        if (found.relation != APART_OVERLAPPING || !is_revolved(kind_a) || !is_revolved(kind_b)) {
            continue;
        }
        const double size = magnitude(&a, &pose_a, &b, &pose_b);
        const double loss = 2.0 * tilt + (how == 1 ? 0.0 : 2.0 * 2.0 * 4.0 * 2.5e-7);
        ck_assert_msg(found.upper - found.lower <= ALIGNED + 1.5 * loss * size,
                      "%s in %s, pair %d, tilt %g: bounds are %g apart, %s", apart_shape_name(&b), apart_shape_name(&a),
                      i, tilt, found.upper - found.lower, apart_stop_name(found.stop));
        check_is_inside(found.a, &a, &pose_a, i);
        check_is_inside(found.b, &b, &pose_b, i);
        check_directions(&a, &pose_a, &b, &pose_b, found.upper + 1e-6 * (how != 1), &r, i % 16 == 0 ? 200 : 0);
    }
}
END_TEST

/* A pair with its depth. */
typedef struct aligned_pair {
    apart_shape a, b;
    apart_pose pose_a, pose_b;
    apart_result found;
    double slack; /* how far other answers may be from the depth */
} aligned_pair;

static void check_overlap_and_bounds(const aligned_pair *p)
{
    int overlap = 0;
    apart_penetration bounds;
    ck_assert_int_eq(apart_overlap(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, NULL, &overlap), APART_OK);
    ck_assert_int_eq(overlap, 1);
    ck_assert_int_eq(apart_penetration_bounds(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, NULL, &bounds), APART_OK);
    ck_assert_msg(bounds.least <= -p->found.lower && -p->found.upper <= bounds.most,
                  "[%.17g, %.17g] beside [%.17g, %.17g]", bounds.least, bounds.most, -p->found.upper, -p->found.lower);
}

static void check_contact_and_batch(const aligned_pair *p)
{
    apart_manifold manifold;
    ck_assert_int_eq(apart_contact(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, NULL, &manifold), APART_OK);
    ck_assert_uint_ge(manifold.count, 1);
    ck_assert_msg(fabs(manifold.points[0].distance - p->found.distance) <= p->slack,
                  "%s in %s: %.17g, but contact at %.17g", apart_shape_name(&p->b), apart_shape_name(&p->a),
                  p->found.distance, manifold.points[0].distance);
    apart_result r;
    const apart_batch batch = {.count = 1,
                               .a = {.shapes = &p->a, .poses = &p->pose_a},
                               .b = {.shapes = &p->b, .poses = &p->pose_b},
                               .results = &r,
                               .result_stride = sizeof r};
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, NULL), APART_OK);
    ck_assert_double_eq(r.lower, p->found.lower);
    ck_assert_double_eq(r.upper, p->found.upper);
}

/* Moved out by what is certified the bodies are apart; on the way back they meet where the depth says. */
static void check_impact(const aligned_pair *p)
{
    const apart_vec3 way = apart_vec3_scale(1.0 - p->found.lower, p->found.normal);
    const apart_pose out = moved(&p->pose_b, way);
    const double expected = 1.0 / (1.0 - p->found.lower);
    apart_impact impact;
    ck_assert_int_eq(apart_sweep(&p->a, &p->pose_a, vec(0, 0, 0), &p->b, &out, apart_vec3_neg(way), NULL, NULL,
                                 &impact),
                     APART_OK);
    ck_assert_int_eq(impact.outcome, APART_OUTCOME_HIT);
    ck_assert_msg(fabs(impact.t - expected) <= 2e-5 + p->slack, "%s in %s: impact at %.17g, not %.17g",
                  apart_shape_name(&p->b), apart_shape_name(&p->a), impact.t, expected);
}

/* Rays down the axis, across it, and against the normal enter the body where a point of its surface is. */
static void check_rays(const aligned_pair *p)
{
    const apart_vec3 from[3] = {apart_pose_rotate(&p->pose_a, vec(0, 0, 1)),
                                apart_pose_rotate(&p->pose_a, vec(1, 0, 0)), p->found.normal};
    for (int i = 0; i < 3; i++) {
        const apart_ray ray = {apart_vec3_add_scaled(p->pose_a.translation, 4.0, from[i]), apart_vec3_neg(from[i]),
                               8.0};
        apart_ray_hit hit;
        apart_result r;
        ck_assert_int_eq(apart_raycast(&ray, &p->a, &p->pose_a, NULL, &hit), APART_OK);
        ck_assert_int_eq(hit.hit, 1);
        ck_assert_int_eq(apart_point_distance(hit.point, &p->a, &p->pose_a, NULL, NULL, &r), APART_OK);
        ck_assert_msg(fabs(r.distance) <= 1e-12 && r.upper - r.lower <= ALIGNED, "%s: the hit is %g off, %g wide",
                      apart_shape_name(&p->a), r.distance, r.upper - r.lower);
    }
}

/* The other queries of the same pairs agree with the depth. */
START_TEST(every_query_agrees)
{
    random_source r = random_seed("depth_aligned: queries");
    for (int i = 0; i < 20 * KINDS * KINDS; i++) {
        aligned_pair p = {.a = aligned_body(&r, i % KINDS), .b = aligned_body(&r, i / KINDS % KINDS)};
        aligned_poses(&r, &p.pose_a, &p.pose_b);
        p.found = query(&p.a, &p.pose_a, &p.b, &p.pose_b, NULL, NULL);
        p.slack = 1e-9 + (p.found.upper - p.found.lower);
        check_rays(&p);
        if (p.found.relation == APART_OVERLAPPING) {
            check_overlap_and_bounds(&p);
            check_contact_and_batch(&p);
            check_impact(&p);
        }
    }
}
END_TEST

/* ------------------------------------------------ smooth bodies, caches */

/* Ellipsoids about one centre, near-spheres, an ellipsoid with itself: nearly as short ways out side by side. */
START_TEST(smooth_ties_converge)
{
    random_source r = random_seed("depth_aligned: ties");
    for (int i = 0; i < 1200; i++) {
        const int family = i % 4;
        const double hair = family == 1 ? 1e-6 : 1.0;
        apart_shape a = aligned_body(&r, ELLIPSOID), b = aligned_body(&r, ELLIPSOID);
        if (family == 1) {
            a = apart_ellipsoid(vec(1.0, 1.0 + hair * random_signed(&r), 1.0 + hair * random_signed(&r)));
            b = apart_ellipsoid(vec(0.7, 0.7 + hair * random_signed(&r), 0.7 + hair * random_signed(&r)));
        }
        apart_pose pose_a = apart_pose_identity(), pose_b = apart_pose_identity();
        pose_a.rotation = random_rotation(&r);
        pose_b.rotation = random_rotation(&r);
        if (family == 2) {
            b = a;
            pose_b = pose_a;
        }
        if (family == 3) {
            pose_b.translation = apart_vec3_scale(0.2, random_in_ball(&r));
        }
        const apart_result found = query(&a, &pose_a, &b, &pose_b, NULL, NULL);
        ck_assert_int_eq(found.stop, APART_STOP_CONVERGED);
        ck_assert_msg(found.upper - found.lower <= 1e-13, "family %d, pair %d: bounds are %g apart", family, i,
                      found.upper - found.lower);
        check_way_out(&a, &pose_a, &b, &pose_b, &found, 1e-8);
        check_members(&a, &pose_a, &b, &pose_b, &found, 1e-12);
        check_directions(&a, &pose_a, &b, &pose_b, found.upper, &r, 100);
    }
}
END_TEST

/* Ellipsoids as flat as a disc or as thin as a needle have support points that jump: one alone is no witness. */
START_TEST(flat_ellipsoids_have_witnesses)
{
    random_source r = random_seed("depth_aligned: flat");
    double widest = 0.0;
    for (int i = 0; i < 1500; i++) {
        apart_shape s[2];
        apart_pose pose[2];
        for (int k = 0; k < 2; k++) {
            const double thin = random_below(&r, 2) == 0 ? 0.0 : random_magnitude(&r, -16, -4);
            const double other = random_below(&r, 2) == 0 ? thin : random_between(&r, 0.3, 1.0);
            s[k] = apart_ellipsoid(vec(random_between(&r, 0.3, 1.0), i % 2 == k ? random_between(&r, 0.3, 1.0) : other,
                                       i % 2 == k ? 0.3 : thin));
            pose[k] = apart_pose_identity();
            pose[k].rotation = random_below(&r, 2) == 0 ? random_rotation(&r) : pose[k].rotation;
            pose[k].translation = apart_vec3_scale(0.2, random_in_ball(&r));
        }
        const apart_result found = query(&s[0], &pose[0], &s[1], &pose[1], NULL, NULL);
        widest = fmax(widest, found.upper - found.lower);
        ck_assert_msg(found.upper - found.lower <= 1e-9, "pair %d: bounds are %g apart, %s", i,
                      found.upper - found.lower, apart_stop_name(found.stop));
        check_is_inside(found.a, &s[0], &pose[0], i);
        check_is_inside(found.b, &s[1], &pose[1], i);
    }
    printf("flat ellipsoids: bounds at most %g apart\n", widest);
}
END_TEST

/* The processor time of the depths of a point in many bodies. */
static double time_of_depths(random_source *r, bool needles)
{
    enum { BODIES = 300 };
    const clock_t start = clock();
    for (int i = 0; i < BODIES; i++) {
        const double x = random_between(r, 0.5, 2.0), length = random_magnitude(r, 2, 4);
        const apart_shape body = needles ? apart_ellipsoid(vec(1, x, length)) : apart_cylinder(x, 1);
        const apart_shape point = apart_point(apart_vec3_scale(0.4, random_in_ball(r)));
        apart_pose pose = apart_pose_identity();
        pose.rotation = random_rotation(r);
        ck_assert_int_eq(query(&point, &pose, &body, &pose, NULL, NULL).relation, APART_OVERLAPPING);
    }
    return (double)(clock() - start);
}

/* The shortest way out of a needle does not tie: it must not cost the thousands of caps of a search over directions,
 * 800 times as much as a cylinder. */
START_TEST(needles_are_quick)
{
    random_source r = random_seed("depth_aligned: needles");
    double least = INFINITY;
    for (int i = 0; i < 3 && !(least < 50.0); i++) { /* the best of three: other programs run */
        const double needles = time_of_depths(&r, true);
        least = fmin(least, needles / fmax(time_of_depths(&r, false), 1.0));
    }
    ck_assert_msg(least < 50.0, "a needle takes %g times as long as a cylinder", least);
}
END_TEST

/* A tracked pair is never much wider than the same pair without a cache. */
START_TEST(a_cache_widens_nothing)
{
    random_source r = random_seed("depth_aligned: tracked");
    for (int i = 0; i < 24 * KINDS * KINDS; i++) {
        const apart_shape a = aligned_body(&r, i % KINDS), b = aligned_body(&r, i / KINDS % KINDS);
        apart_pose pose_a, pose_b;
        aligned_poses(&r, &pose_a, &pose_b);
        const bool turned_apart = random_below(&r, 2) == 0;
        pose_b.rotation = turned_apart ? random_rotation(&r) : pose_b.rotation;
        apart_cache cache = {0};
        for (int step = 0; step < 10; step++) {
            pose_b = moved(&pose_b, vec(0.002, 0.001, 0));
            const apart_result warm = query(&a, &pose_a, &b, &pose_b, NULL, &cache);
            const apart_result cold = query(&a, &pose_a, &b, &pose_b, NULL, NULL);
            const double rounding = 1e-12, width = cold.upper - cold.lower;
            ck_assert_msg(warm.upper - warm.lower <= fmax(2.0 * width, rounding),
                          "%s in %s, pair %d, step %d: %g wide, without a cache %g", apart_shape_name(&b),
                          apart_shape_name(&a), i, step, warm.upper - warm.lower, width);
            ck_assert(warm.lower <= cold.upper && cold.lower <= warm.upper);
        }
    }
}
END_TEST

int main(int argc, char **argv)
{
    times = argc > 1 ? atoi(argv[1]) : 1;
    Suite *suite = suite_create("depth_aligned");
    TCase *tests = tcase_create("aligned");
    tcase_set_timeout(tests, 120.0 * times);
    tcase_add_test(tests, coaxial_by_formula);
    tcase_add_test(tests, corners_that_coincide);
    tcase_add_test(tests, every_pair_is_narrow);
    tcase_add_test(tests, nearly_aligned_pairs);
    tcase_add_test(tests, every_query_agrees);
    tcase_add_test(tests, smooth_ties_converge);
    tcase_add_test(tests, flat_ellipsoids_have_witnesses);
    tcase_add_test(tests, needles_are_quick);
    tcase_add_test(tests, a_cache_widens_nothing);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
