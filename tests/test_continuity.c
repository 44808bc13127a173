/* Pairs pushed through contact in steps down to 1e-15: the signed distance is a convex function of the push and changes
 * by no more than the push, to within the bounds' width; the normal does not turn over; nothing is ever NaN. Cold and
 * tracked, parallel and tilted. */
#include "depth_checks.h"
#include "run_suite.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 128
#define TILTS 9
#define POLYTOPE_WIDTH 1e-13 /* of M: the bounds must be this close, or convexity to within them would say nothing */
#define CORNER_WIDTH 1e-11   /* where nearly parallel edges meet at contact */
#define CURVED_WIDTH 1e-10

static const double tilts[TILTS] = {0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3};

/* A at the origin, B pushed along -direction. */
typedef struct push {
    const char *name;
    const apart_shape *a, *b;
    apart_pose pose_a, pose_b; /* of B: the rotation, and a place beside the line of the push */
    apart_vec3 direction;      /* unit */
    double width;              /* of the bounds, of M */
    bool steady;               /* the normal is unique on both sides of contact and the same */
} push;

static double memory[APART_DEPTH_CACHE_BYTES(256) / sizeof(double)];

static apart_pose pushed(const push *p, double t)
{
    apart_pose pose = p->pose_b;
    pose.translation = apart_vec3_add_scaled(pose.translation, t, p->direction);
    return pose;
}

static double magnitude(const push *p)
{
    apart_vec3 center;
    double radius_a, radius_b;
    ck_assert_int_eq(apart_shape_ball(p->a, &center, &radius_a), APART_OK);
    ck_assert_int_eq(apart_shape_ball(p->b, &center, &radius_b), APART_OK);
    return 2.0 * (radius_a + radius_b);
}

/* Where the pushed bodies first touch: the distance is convex and its slope at most 1, so t - distance never goes too
 * far. */
static double find_contact(const push *p)
{
    double t = magnitude(p);
    for (int i = 0; i < 300; i++) {
        const apart_pose pose = pushed(p, t);
        const apart_result r = query(p->a, &p->pose_a, p->b, &pose, NULL, NULL);
        if (!(r.distance > 4.0 * EPS)) {
            break;
        }
        t -= r.distance;
    }
    return t;
}

/* Pushes from apart to inside: +-(1, 2, 5) * 10^-k, and 0. */
static int make_steps(double *t)
{
    static const double first[3] = {5.0, 2.0, 1.0};
    int n = 0;
    double power = 0.1;
    for (int k = 1; k <= 15; k++, power /= 10.0) {
        for (int i = 0; i < 3; i++) {
            t[n++] = first[i] * power;
        }
    }
    const int half = n;
    t[n++] = 0.0;
    for (int i = half - 1; i >= 0; i--) {
        t[n++] = -t[i];
    }
    return n;
}

/* What one series of answers must satisfy. */
static void check_series(const push *p, const char *order, const double *t, const apart_result *r, int n)
{
    const double m = magnitude(p), rounding = 8.0 * EPS * m; /* of the pose's translation */
    for (int i = 0; i < n; i++) {
        const double width = r[i].upper - r[i].lower;
        ck_assert_msg(width <= p->width * m, "%s, %s, push %g: distance %g, bounds %g apart, %s", p->name, order, t[i],
                      r[i].distance, width, apart_stop_name(r[i].stop));
        if (i == 0) {
            continue;
        }
        const double change = fabs(r[i].distance - r[i - 1].distance),
                     widths = width + (r[i - 1].upper - r[i - 1].lower);
        ck_assert_msg(change <= fabs(t[i] - t[i - 1]) + widths + rounding, "%s, %s, push %g to %g: %.17g to %.17g",
                      p->name, order, t[i - 1], t[i], r[i - 1].distance, r[i].distance);
        ck_assert_msg(!p->steady || apart_vec3_dot(r[i].normal, r[i - 1].normal) > 0.99,
                      "%s, %s, push %g: the normal turns from %g %g %g to %g %g %g", p->name, order, t[i],
                      r[i - 1].normal.x, r[i - 1].normal.y, r[i - 1].normal.z, r[i].normal.x, r[i].normal.y,
                      r[i].normal.z);
    }
    /* The depth is convex: no answer is above the chord of two others; neighbours, and ones far away. */
    for (int i = 1; i + 1 < n; i++) {
        for (int reach = 1; reach <= i && i + reach < n; reach = 2 * reach + 1) {
            const apart_result *left = &r[i - reach], *right = &r[i + reach];
            const double s = (t[i] - t[i - reach]) / (t[i + reach] - t[i - reach]);
            const double chord = (1.0 - s) * left->upper + s * right->upper;
            ck_assert_msg(r[i].lower <= chord + rounding, "%s, %s, pushes %g %g %g: %.17g %.17g %.17g are not convex",
                          p->name, order, t[i - reach], t[i], t[i + reach], left->distance, r[i].distance,
                          right->distance);
        }
    }
}

static void run_push(const push *p)
{
    double t[STEPS_MAX];
    apart_result cold[STEPS_MAX], warm[STEPS_MAX], kept[STEPS_MAX];
    const double contact = find_contact(p);
    const int n = make_steps(t);
    apart_cache plain = {.count = 0}, both = {.count = 0};
    apart_depth_cache *surface = NULL;
    ck_assert_int_eq(apart_depth_cache_init(memory, sizeof memory, &surface), APART_OK);
    const apart_options tracked = {.depth_cache = surface};
    for (int i = 0; i < n; i++) {
        const apart_pose pose = pushed(p, contact + t[i]);
        cold[i] = query(p->a, &p->pose_a, p->b, &pose, NULL, NULL);
        warm[i] = query(p->a, &p->pose_a, p->b, &pose, NULL, &plain);
        kept[i] = query(p->a, &p->pose_a, p->b, &pose, &tracked, &both);
        ck_assert(cold[i].lower <= warm[i].upper && warm[i].lower <= cold[i].upper);
        ck_assert(cold[i].lower <= kept[i].upper && kept[i].lower <= cold[i].upper);
    }
    ck_assert_msg(cold[0].relation == APART_DISJOINT && cold[n - 1].relation == APART_OVERLAPPING,
                  "%s: no contact at %g", p->name, contact);
    check_series(p, "cold", t, cold, n);
    check_series(p, "tracked", t, warm, n);
    check_series(p, "with a surface", t, kept, n);
}

/* The same push with B tilted by a little about two axes. */
static void run_tilted(push p)
{
    const apart_pose pose_b = p.pose_b;
    for (int i = 0; i < TILTS; i++) {
        apart_pose tilt;
        ck_assert_int_eq(apart_pose_from_rpy(tilts[i], 0.5 * tilts[i], 0.7 * tilts[i], vec(0, 0, 0), &tilt), APART_OK);
        p.pose_b = apart_pose_compose(&pose_b, &tilt);
        run_push(&p);
    }
}

static const double quarter = 0.78539816339744828, right = 1.5707963267948966, diagonal = 0.95531661812450928;
static const apart_vec3 along_x = {1, 0, 0}, along_z = {0, 0, 1};

static void push_boxes(const apart_shape *a, const apart_shape *b)
{
    const apart_pose here = apart_pose_identity();
    run_tilted(
        (push){"face to face", a, b, here, apart_pose_translation(0, 0.125, 0.25), along_x, POLYTOPE_WIDTH, true});
    run_tilted((push){"face to face, level", a, b, here, here, along_x, POLYTOPE_WIDTH, true});
    run_tilted((push){"edge to face", a, b, here, turned_rpy(0, 0, quarter, vec(0, 0.125, 0.25)), along_x,
                      POLYTOPE_WIDTH, true});
    run_tilted((push){"vertex to face", a, b, here, turned_rpy(quarter, diagonal, 0, vec(0, 0.125, 0.25)), along_x,
                      POLYTOPE_WIDTH, true});
    run_tilted((push){"edge across edge", a, b, turned_rpy(0, 0, quarter, vec(0, 0, 0)),
                      turned_rpy(0, quarter, 0, vec(0, 0, 0)), along_x, POLYTOPE_WIDTH, true});
    run_tilted((push){"edge along edge", a, b, turned_rpy(0, 0, quarter, vec(0, 0, 0)),
                      turned_rpy(0, 0, quarter, vec(0, 0, 0)), along_x, CORNER_WIDTH, false});
    run_tilted((push){"vertex to vertex", a, b, turned_rpy(quarter, diagonal, 0, vec(0, 0, 0)),
                      turned_rpy(quarter, diagonal, 0, vec(0, 0, 0)), along_x, CORNER_WIDTH, false});
    run_tilted((push){"past an edge", a, b, here, apart_pose_translation(0, 1.25, 0.25), along_x, CORNER_WIDTH, false});
}

START_TEST(boxes)
{
    const apart_shape a = apart_box(vec(1, 1, 1)), b = apart_box(vec(0.5, 0.5, 0.5));
    push_boxes(&a, &b);
    push_boxes(&a, &a);
}
END_TEST

START_TEST(boxes_as_points)
{
    double xyz[24];
    for (int i = 0; i < 8; i++) {
        xyz[3 * i] = i & 1 ? 1 : -1;
        xyz[3 * i + 1] = i & 2 ? 1 : -1;
        xyz[3 * i + 2] = i & 4 ? 1 : -1;
    }
    const apart_shape a = apart_points(xyz, 8), b = apart_box(vec(0.5, 0.5, 0.5));
    push_boxes(&a, &b);
    push_boxes(&a, &a);
}
END_TEST

START_TEST(rounded_boxes)
{
    const apart_shape a = apart_rounded(apart_box(vec(1, 1, 1)), 0.25),
                      b = apart_rounded(apart_box(vec(0.5, 0.5, 0.5)), 0.125);
    push_boxes(&a, &b);
}
END_TEST

START_TEST(hulls)
{
    random_source r = 91;
    for (int i = 0; i < 60; i++) {
        double xyz[2][60];
        apart_hull *hull[2];
        for (int k = 0; k < 2; k++) {
            for (int j = 0; j < 60; j++) {
                xyz[k][j] = i % 3 == 0 ? (double)random_below(&r, 4) : random_between(&r, -1, 1);
            }
            ck_assert_int_eq(apart_hull_build(xyz[k], 20, NULL, &hull[k]), APART_OK);
        }
        const apart_shape a = apart_hull_shape(hull[0]), b = apart_hull_shape(hull[1]);
        push p = {"hulls", &a, &b, apart_pose_identity(), apart_pose_identity(), along_x, POLYTOPE_WIDTH, false};
        if (i % 3 != 0) {
            p.pose_b.rotation = random_rotation(&r);
        }
        run_push(&p);
        apart_hull_free(hull[0]);
        apart_hull_free(hull[1]);
    }
}
END_TEST

START_TEST(flat_bodies)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), plate = apart_box(vec(0.5, 0.5, 0)),
                      point = apart_point(vec(0, 0, 0)), rod = apart_segment(vec(-0.5, 0, 0), vec(0.5, 0, 0)),
                      across = apart_box(vec(0, 0.75, 0.75)), table = apart_box(vec(1, 2, 0));
    const apart_pose here = apart_pose_identity();
    run_tilted((push){"plate edge on", &box, &plate, here, apart_pose_translation(0, 0.125, 0.25), along_x,
                      POLYTOPE_WIDTH, true});
    run_tilted((push){"plate flat on", &box, &plate, here, apart_pose_translation(0.125, 0.25, 0), along_z,
                      POLYTOPE_WIDTH, true});
    run_tilted(
        (push){"point", &box, &point, here, apart_pose_translation(0, 0.125, 0.25), along_x, POLYTOPE_WIDTH, true});
    run_tilted(
        (push){"rod end on", &box, &rod, here, apart_pose_translation(0, 0.125, 0.25), along_x, POLYTOPE_WIDTH, true});
    run_tilted(
        (push){"rod along", &box, &rod, here, apart_pose_translation(0.125, 0.25, 0), along_z, POLYTOPE_WIDTH, true});
    run_tilted((push){"plate into plate", &table, &across, here, apart_pose_translation(0, 0.0625, 0.125), along_x,
                      POLYTOPE_WIDTH, true});
}
END_TEST

START_TEST(spheres_and_capsules)
{
    const apart_shape ball = apart_sphere(0.5), box = apart_box(vec(1, 1, 1)), capsule = apart_capsule(0.5, 1),
                      rod = apart_capsule(0.25, 2);
    const apart_pose here = apart_pose_identity();
    run_tilted(
        (push){"spheres", &ball, &ball, here, apart_pose_translation(0, 0.125, 0), along_x, POLYTOPE_WIDTH, false});
    run_tilted((push){"sphere to face", &box, &ball, here, apart_pose_translation(0, 0.125, 0.25), along_x,
                      POLYTOPE_WIDTH, true});
    run_tilted((push){"sphere past an edge", &box, &ball, here, apart_pose_translation(0, 1.25, 0.25), along_x,
                      POLYTOPE_WIDTH, false});
    run_tilted((push){"capsules side by side", &capsule, &rod, here, apart_pose_translation(0, 0, 0.25), along_x,
                      POLYTOPE_WIDTH, true});
    run_tilted((push){"capsules across", &capsule, &rod, here, turned_rpy(right, 0, 0, vec(0, 0.125, 0.25)), along_x,
                      POLYTOPE_WIDTH, true});
    run_tilted((push){"capsules end to end", &capsule, &rod, here, here, along_z, POLYTOPE_WIDTH, true});
    run_tilted((push){"capsule flat on a face", &box, &capsule, here, apart_pose_translation(0, 0.125, 0.25), along_x,
                      POLYTOPE_WIDTH, true});
}
END_TEST

START_TEST(cylinders)
{
    const apart_shape a = apart_cylinder(1, 1), b = apart_cylinder(0.5, 0.75), box = apart_box(vec(1, 1, 1));
    const apart_pose here = apart_pose_identity();
    run_tilted((push){"cylinders side by side", &a, &b, here, apart_pose_translation(0, 0, 0.25), along_x, CURVED_WIDTH,
                      true});
    run_tilted(
        (push){"cylinders cap to cap", &a, &b, here, apart_pose_translation(0.25, 0, 0), along_z, CURVED_WIDTH, true});
    run_tilted((push){"cylinders on one axis", &a, &b, here, here, along_z, CURVED_WIDTH, true});
    run_tilted((push){"cylinders across", &a, &b, here, turned_rpy(right, 0, 0, vec(0, 0.125, 0.25)), along_x,
                      CURVED_WIDTH, true});
    run_tilted(
        (push){"side on cap", &a, &b, here, turned_rpy(right, 0, 0, vec(0.125, 0.25, 0)), along_z, CURVED_WIDTH, true});
    run_tilted((push){"cylinder flat on a face", &box, &b, here, apart_pose_translation(0, 0.125, 0.25), along_x,
                      CURVED_WIDTH, true});
    run_tilted(
        (push){"cap on a face", &box, &b, here, apart_pose_translation(0.125, 0.25, 0), along_z, CURVED_WIDTH, true});
}
END_TEST

START_TEST(cones_and_ellipsoids)
{
    const apart_shape cone = apart_cone(0.5, 0.5), box = apart_box(vec(1, 1, 1)),
                      egg = apart_ellipsoid(vec(0.5, 0.75, 1)), can = apart_cylinder(1, 1);
    const apart_pose here = apart_pose_identity();
    run_tilted((push){"base on a face", &box, &cone, here, apart_pose_translation(0.125, 0.25, 0), along_z,
                      CURVED_WIDTH, true});
    run_tilted((push){"apex on a face", &box, &cone, here, turned_rpy(2 * right, 0, 0, vec(0.125, 0.25, 0)), along_z,
                      CURVED_WIDTH, true});
    run_tilted((push){"base on a cap", &can, &cone, here, apart_pose_translation(0.125, 0.25, 0), along_z, CURVED_WIDTH,
                      true});
    run_tilted((push){"ellipsoid on a face", &box, &egg, here, apart_pose_translation(0, 0.125, 0.25), along_x,
                      CURVED_WIDTH, true});
    run_tilted((push){"ellipsoid beside a cylinder", &can, &egg, here, apart_pose_translation(0, 0, 0.125), along_x,
                      CURVED_WIDTH, true});
}
END_TEST

/* In the plane; B is turned about z only. */
START_TEST(planar_bodies)
{
    const apart_shape a = apart_rectangle(1, 1), b = apart_rectangle(0.5, 0.25), circle = apart_circle(0.5);
    const apart_pose here = apart_pose_identity();
    for (int i = 0; i < TILTS; i++) {
        apart_pose flat, corner;
        ck_assert_int_eq(apart_pose_from_angle_2d(tilts[i], 0, 0.125, &flat), APART_OK);
        ck_assert_int_eq(apart_pose_from_angle_2d(quarter + tilts[i], 0, 0.125, &corner), APART_OK);
        run_push(&(push){"side to side", &a, &b, here, flat, along_x, POLYTOPE_WIDTH, true});
        run_push(&(push){"corner to side", &a, &b, here, corner, along_x, POLYTOPE_WIDTH, true});
        run_push(&(push){"circle to side", &a, &circle, here, flat, along_x, POLYTOPE_WIDTH, true});
        run_push(&(push){"corner to corner", &a, &a, corner, corner, along_x, POLYTOPE_WIDTH, false});
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("continuity");
    TCase *test_case = tcase_create("push");
    tcase_set_timeout(test_case, 120);
    tcase_add_test(test_case, boxes);
    tcase_add_test(test_case, boxes_as_points);
    tcase_add_test(test_case, rounded_boxes);
    tcase_add_test(test_case, hulls);
    tcase_add_test(test_case, flat_bodies);
    tcase_add_test(test_case, spheres_and_capsules);
    tcase_add_test(test_case, cylinders);
    tcase_add_test(test_case, cones_and_ellipsoids);
    tcase_add_test(test_case, planar_bodies);
    suite_add_tcase(suite, test_case);
    return run_suite(suite);
}
