/* The overlap test against the distance: boxes by separating axes, hulls by their inner and bounding spheres, and pairs
 * that neither decides and the loop must. */
#include <apart/apart.h>
#include <check.h>
#include <math.h>
#include <stdbool.h>

#include "poses.h"
#include "random.h"
#include "run_suite.h"

#define BOX_PAIRS 200000
#define HULL_PAIRS 4000

/* What apart_overlap says, which must not contradict the certified distance. */
static int ask(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
               const char *what)
{
    int overlap = -1, swapped = -1;
    apart_result r;
    ck_assert_int_eq(apart_overlap(a, pose_a, b, pose_b, NULL, NULL, &overlap), APART_OK);
    ck_assert_int_eq(apart_overlap(b, pose_b, a, pose_a, NULL, NULL, &swapped), APART_OK);
    ck_assert_int_eq(apart_distance(a, pose_a, b, pose_b, NULL, NULL, &r), APART_OK);
    const bool possible = (overlap == 1 && r.lower <= 0.0) || (overlap == 0 && r.upper > 0.0);
    ck_assert_msg(possible, "%s: %d for a distance in [%.17g, %.17g]", what, overlap, r.lower, r.upper);
    if (r.lower > 0.0 || r.upper < 0.0) {
        ck_assert_msg(swapped == overlap, "%s: %d, and %d with the bodies swapped", what, overlap, swapped);
    }
    return overlap;
}

/* Usual sizes, and now and then a plate, a needle or a giant. */
static double random_extent(uint64_t *seed)
{
    const double x = random_unit(seed), y = random_unit(seed);
    return x < 0.1 ? pow(10.0, -9.0 + 11.0 * y) : 0.3 + 0.7 * y;
}

static apart_vec3 random_extents(uint64_t *seed)
{
    const double x = 0.2 + 0.8 * random_unit(seed), y = 0.2 + 0.8 * random_unit(seed);
    return vec(x, y, 0.2 + 0.8 * random_unit(seed));
}

/* Often turned about an axis, by right angles, or by very little: edges are then parallel, or nearly so. */
static apart_pose random_pose(uint64_t *seed, double size)
{
    static const double right_angle = 1.5707963267948966;
    const bool about_axis = random_unit(seed) < 0.3, little = random_unit(seed) < 0.1;
    const double turn = 4.0 * random_unit(seed),
                 angle = right_angle * (about_axis && turn < 2.0 ? floor(2.0 * turn) : turn);
    const apart_vec3 any = random_vector(seed, 1.0), where = random_vector(seed, size);
    apart_pose pose;
    const apart_vec3 rounded = vec(floor(4.0 * where.x) / 4.0, where.y, floor(4.0 * where.z) / 4.0);
    ck_assert_int_eq(apart_pose_from_axis_angle(about_axis ? vec(0, 0, 1) : any, little ? 1e-7 * angle : angle,
                                                random_unit(seed) < 0.2 ? rounded : where, &pose),
                     APART_OK);
    return pose;
}

START_TEST(boxes)
{
    uint64_t seed = random_seed("boxes");
    int yes = 0;
    for (int i = 0; i < BOX_PAIRS; i++) {
        const double size = i % 1000 == 0 ? 0x1p300 : i % 1000 == 1 ? 0x1p-300 : 1.0;
        const apart_shape a =
            apart_box(vec(size * random_extent(&seed), size * random_extent(&seed), size * random_extent(&seed)));
        const apart_shape b =
            apart_box(vec(size * random_extent(&seed), size * random_extent(&seed), size * random_extent(&seed)));
        const apart_pose pose_a = random_pose(&seed, size), pose_b = random_pose(&seed, size);
        yes += ask(&a, &pose_a, &b, &pose_b, "boxes");
    }
    ck_assert(yes > BOX_PAIRS / 4 && yes < BOX_PAIRS - BOX_PAIRS / 4);
}
END_TEST

/* Faces that touch exactly are contact, which counts as yes; a hair apart they are not. */
/* Two columns of an "exact" rotation may have a product of 2.9e-7, since it is tested by a cross product: the transposed
 * matrix is not the inverse to the precision of a box that is 1e-8 from another. */
START_TEST(columns_not_quite_perpendicular)
{
    uint64_t seed = random_seed("columns_not_quite_perpendicular");
    for (int i = 0; i < 20000; i++) {
        const apart_shape a = apart_box(random_extents(&seed)), b = apart_box(random_extents(&seed));
        apart_pose pose_a = random_pose(&seed, 1.0), pose_b = random_pose(&seed, 2.0);
        apart_vec3 *const x = &pose_a.rotation.x, *const y = &pose_a.rotation.y;
        const apart_vec3 old_x = *x;
        *x = apart_vec3_add_scaled(*x, 0.67e-7, *y);
        *y = apart_vec3_add_scaled(*y, 0.67e-7, old_x);
        apart_result r;
        ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, NULL, NULL, &r), APART_OK);
        const double gap = (i % 2 == 0 ? 1.0 : -1.0) * pow(10.0, -12.0 + 5.0 * random_unit(&seed));
        pose_b.translation = apart_vec3_add_scaled(pose_b.translation, gap - r.distance, r.normal);
        ask(&a, &pose_a, &b, &pose_b, "columns");
    }
}
END_TEST

START_TEST(touching_boxes)
{
    const apart_shape cube = apart_box(vec(1, 1, 1));
    const apart_pose here = apart_pose_identity();
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k <= 52; k++) {
            const double gap = ldexp(1.0, -k), axes[3] = {axis == 0, axis == 1, axis == 2};
            const apart_pose apart =
                apart_pose_translation((2 + gap) * axes[0], (2 + gap) * axes[1], (2 + gap) * axes[2]);
            const apart_pose into =
                apart_pose_translation((2 - gap) * axes[0], (2 - gap) * axes[1], (2 - gap) * axes[2]);
            const apart_pose on = apart_pose_translation(2 * axes[0], 2 * axes[1], 2 * axes[2]);
            ck_assert_int_eq(ask(&cube, &here, &cube, &on, "touching"), 1);
            ck_assert_int_eq(ask(&cube, &here, &cube, &into, "in each other"), 1);
            if (k <= 44) {
                ck_assert_int_eq(ask(&cube, &here, &cube, &apart, "apart"), 0);
            }
        }
    }
}
END_TEST

static apart_hull *random_hull(uint64_t *seed, size_t count, apart_vec3 center, double flatness)
{
    double xyz[3 * 64];
    apart_hull *hull = NULL;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 p = random_vector(seed, 1.0);
        const double scale = 1.0 / apart_vec3_norm(p);
        xyz[3 * i] = center.x + scale * p.x;
        xyz[3 * i + 1] = center.y + scale * p.y;
        xyz[3 * i + 2] = center.z + flatness * scale * p.z;
    }
    ck_assert_int_eq(apart_hull_build(xyz, count, NULL, &hull), APART_OK);
    return hull;
}

/* Of 4 to 64 points; every third is not around its origin, every fifth far from it, every seventh flat. */
START_TEST(hulls)
{
    uint64_t seed = random_seed("hulls");
    int yes = 0;
    for (int i = 0; i < HULL_PAIRS; i++) {
        const apart_vec3 center_a = i % 5 == 0 ? vec(1e6, 0, 0) : i % 3 == 0 ? vec(0.9, 0.9, 0) : vec(0, 0, 0);
        apart_hull *hull_a = random_hull(&seed, 4 + (size_t)i % 61, center_a, i % 7 == 0 ? 0.0 : 1.0);
        apart_hull *hull_b = random_hull(&seed, 4 + (size_t)(i / 61) % 61, vec(0, 0, 0), 1.0);
        const apart_shape a = apart_hull_shape(hull_a),
                          b = i % 2 == 0 ? apart_hull_shape(hull_b) : apart_rounded(apart_hull_shape(hull_b), 0.1);
        for (int k = 0; k < 8; k++) {
            apart_pose pose_a = random_pose(&seed, 0.5);
            const apart_pose pose_b = random_pose(&seed, 1.5);
            const apart_vec3 off = apart_pose_rotate(&pose_a, center_a);
            pose_a.translation =
                vec(pose_a.translation.x - off.x, pose_a.translation.y - off.y, pose_a.translation.z - off.z);
            yes += ask(&a, &pose_a, &b, &pose_b, "hulls");
        }
        apart_hull_free(hull_a);
        apart_hull_free(hull_b);
    }
    ck_assert(yes > HULL_PAIRS && yes < 7 * HULL_PAIRS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("overlap");
    TCase *t = tcase_create("overlap");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, boxes);
    tcase_add_test(t, columns_not_quite_perpendicular);
    tcase_add_test(t, touching_boxes);
    tcase_add_test(t, hulls);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
