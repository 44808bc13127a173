/* The models of the shared data against the brute force over all pairs of triangles, in long doubles: apart, near, face
 * to face, edge to edge, scaled, offset, intersecting, contained; bounds, witness points and triangles. Bounds of
 * surfaces may be 1e-13 of the size wide: the radii of both bodies and their distance.
 *     test_mesh_models [PAIRS [SEED]]     28 poses for each pair of models that is drawn */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apart/compound.h>

#include "mesh_bodies.h"
#include "poses.h"
#include "pairs.h"
#include "run_suite.h"
#include "triangle_reference.h"

static uint64_t seed;
enum { SHORT = 4 };
static int pairs = SHORT;
static double widest;

typedef struct body {
    triangle_list list;
    apart_mesh *mesh;
    apart_vec3 center; /* of the bounding sphere, in the body's frame */
    double radius;
    bool closed;
} body;

static const char *const names[] = {"spot.obj",
                                    "cow.obj",
                                    "rocker-arm.obj",
                                    "fandisk.obj",
                                    "homer.obj",
                                    "suzanne.obj",
                                    "teapot.obj",
                                    "env.obj",
                                    "rob.obj",
                                    "iiwa14-link4.stl",
                                    "differential-gear.stl",
                                    "differential-carrier.stl",
                                    "robotiq-inner-finger.stl",
                                    "stanford-bunny.obj"};
enum { MODELS = sizeof names / sizeof *names };
static triangle_list models[MODELS];

/* The model scaled and moved in its own coordinates. */
static body body_of(const triangle_list *model, double factor, apart_vec3 offset)
{
    body b = {.list = {malloc(model->vertex_count * sizeof(apart_vec3)),
                       malloc(model->triangle_count * sizeof(uint32_t[3])), model->vertex_count,
                       model->triangle_count}};
    memcpy(b.list.vertices, model->vertices, model->vertex_count * sizeof(apart_vec3));
    memcpy(b.list.triangles, model->triangles, model->triangle_count * sizeof(uint32_t[3]));
    triangle_list_place(&b.list, factor, offset);
    ck_assert_int_eq(triangle_list_build(&b.list, 0, &b.mesh), APART_OK);
    b.center = offset;
    for (uint32_t i = 0; i < b.list.vertex_count; i++) {
        b.radius = fmax(b.radius, apart_vec3_norm(apart_vec3_sub(b.list.vertices[i], b.center)));
    }
    b.closed = apart_mesh_inspect(b.mesh)->watertight != 0;
    return b;
}

static void body_free(body *b)
{
    apart_mesh_free(b->mesh);
    triangle_list_free(&b->list);
}

/* ---- what is checked ---- */

static reference_mesh reference_of(const body *b, const apart_pose *pose)
{
    return (reference_mesh){b->list.vertices, b->list.vertex_count, (const uint32_t(*)[3])b->list.triangles,
                            b->list.triangle_count, pose};
}

static double size_of(const body *a, const body *b, double distance) { return a->radius + b->radius + distance; }

static void check_answer(const char *what, const body *a, const body *b, const reference_answer *expected,
                         const apart_result *q)
{
    const double distance = (double)expected->distance, size = size_of(a, b, distance);
    const double slack = 4e-18 * size, width = (q->upper - q->lower) / size;
    ck_assert_msg(q->lower <= distance + slack && distance <= q->upper + slack,
                  "%s: %.17g <= %.17g <= %.17g, off by %g or %g of the size", what, q->lower, distance, q->upper,
                  (q->lower - distance) / size, (distance - q->upper) / size);
    ck_assert_msg(width <= 1e-13, "%s: %g wide at %.17g of %g", what, width, distance, size);
    ck_assert(q->distance >= q->lower && q->distance <= q->upper);
    ck_assert_msg(!expected->meets || q->lower == 0.0, "%s: meets, lower %g", what, q->lower);
    widest = fmax(widest, width);
}

static apart_compound_result check_pair(const char *what, const body *a, const apart_pose *pa, const body *b,
                                        const apart_pose *pb, apart_compound_cache *cache)
{
    const reference_mesh ra = reference_of(a, pa), rb = reference_of(b, pb);
    const apart_solid sa = apart_solid_surface(a->mesh), sb = apart_solid_surface(b->mesh);
    reference_answer expected;
    apart_compound_result r, swapped;
    int overlap;
    reference_distance(&ra, &rb, &expected);
    ck_assert_int_eq(apart_compound_distance(sa, pa, sb, pb, NULL, cache, &r), APART_OK);
    check_answer(what, a, b, &expected, &r.result);
    ck_assert_int_eq(apart_compound_distance(sb, pb, sa, pa, NULL, NULL, &swapped), APART_OK);
    check_answer(what, a, b, &expected, &swapped.result);
    ck_assert_int_eq(apart_compound_overlap(sa, pa, sb, pb, NULL, NULL, &overlap, NULL), APART_OK);
    ck_assert_msg(overlap || !expected.meets || expected.distance > 0 || r.result.upper > 0.0, "%s: no overlap", what);
    ck_assert_msg(!overlap || r.result.lower == 0.0, "%s: overlap at %g", what, r.result.lower);
    return r;
}

/* ---- poses ---- */

static apart_vec3 random_direction(random_source *r)
{
    for (;;) {
        const apart_vec3 v = random_vector(r, 1.0);
        const double length = apart_vec3_norm(v);
        if (length > 0.1 && length <= 1.0) {
            return apart_vec3_scale(1.0 / length, v);
        }
    }
}

/* Turned, the centre of the body at `where`. */
static apart_pose centered(const body *b, apart_mat3 rotation, apart_vec3 where)
{
    apart_pose pose = {rotation, {0, 0, 0}};
    pose.translation = apart_vec3_sub(where, apart_pose_apply(&pose, b->center));
    return pose;
}

static apart_pose random_centered(const body *b, random_source *r, apart_vec3 where)
{
    return centered(b, random_rotation(r), where);
}

/* Moved against the normal until the gap is near what is asked. */
static void approach(const body *a, const apart_pose *pa, const body *b, apart_pose *pb, double gap)
{
    for (int step = 0; step < 12; step++) {
        apart_compound_result r;
        ck_assert_int_eq(apart_compound_distance(apart_solid_surface(a->mesh), pa, apart_solid_surface(b->mesh), pb,
                                                 NULL, NULL, &r),
                         APART_OK);
        if (!(r.result.lower > 0.0) || fabs(r.result.distance - gap) < 1e-3 * gap) {
            return;
        }
        pb->translation = apart_vec3_add_scaled(pb->translation, gap - r.result.distance, r.result.normal);
    }
}

/* Three corners of a triangle that reaches farthest in a direction. */
static void farthest(const body *b, apart_vec3 direction, apart_vec3 corner[3])
{
    double best = -HUGE_VAL;
    for (uint32_t t = 0; t < b->list.triangle_count; t++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++) {
            sum += apart_vec3_dot(apart_vec3_sub(b->list.vertices[b->list.triangles[t][k]], b->center), direction);
        }
        if (sum > best) {
            best = sum;
            for (int k = 0; k < 3; k++) {
                corner[k] = b->list.vertices[b->list.triangles[t][k]];
            }
        }
    }
}

/* A rotation whose third row is the direction, and whose first lies along `along`. */
static apart_mat3 upright(apart_vec3 z, apart_vec3 along)
{
    z = apart_vec3_scale(1.0 / apart_vec3_norm(z), z);
    apart_vec3 y = apart_vec3_cross(z, along);
    if (!(apart_vec3_norm(y) > 1e-9 * apart_vec3_norm(along))) {
        y = apart_vec3_cross(z, fabs(z.x) < 0.7 ? vec(1, 0, 0) : vec(0, 1, 0));
    }
    y = apart_vec3_scale(1.0 / apart_vec3_norm(y), y);
    const apart_vec3 x = apart_vec3_cross(y, z);
    return (apart_mat3){{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}

/* A triangle of either body lies flat, one above the other, an edge of one along an edge of the other, tilted by next to
 * nothing. */
static void face_to_face(random_source *r, const body *a, apart_pose *pa, const body *b, apart_pose *pb, double tilt,
                         double gap)
{
    apart_vec3 corner[2][3], normal[2];
    const body *both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const apart_vec3 direction = random_direction(r);
        farthest(both[i], direction, corner[i]);
        normal[i] =
            apart_vec3_cross(apart_vec3_sub(corner[i][1], corner[i][0]), apart_vec3_sub(corner[i][2], corner[i][0]));
        if (apart_vec3_dot(normal[i], direction) < 0.0) {
            normal[i] = apart_vec3_scale(-1.0, normal[i]);
        }
        if (!(apart_vec3_norm(normal[i]) > 0.0)) {
            normal[i] = direction;
        }
    }
    pa->rotation = upright(normal[0], apart_vec3_sub(corner[0][1], corner[0][0]));
    pb->rotation = upright(apart_vec3_scale(-1.0, normal[1]), apart_vec3_sub(corner[1][1], corner[1][0]));
    pa->translation = pb->translation = vec(0, 0, 0);
    pa->translation = apart_vec3_scale(-1.0, apart_pose_apply(pa, corner[0][0]));
    apart_pose turn;
    ck_assert_int_eq(apart_pose_from_axis_angle(random_direction(r), tilt, vec(0, 0, 0), &turn), APART_OK);
    *pb = apart_pose_compose(&turn, pb);
    pb->translation = apart_vec3_sub(vec(0, 0, gap), apart_pose_apply(pb, corner[1][0]));
}

/* ---- kinds of poses ---- */

static void apart_and_intersecting(random_source *r, const body *a, const body *b)
{
    static const double spreads[] = {0.1, 0.5, 1.0, 1.5, 3.0, 30.0};
    const double size = a->radius + b->radius;
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        const apart_pose pa = random_centered(a, r, vec(0, 0, 0)),
                         pb = random_centered(b, r, apart_vec3_scale(spreads[i] * size, random_direction(r)));
        check_pair("apart", a, &pa, b, &pb, NULL);
    }
}

static void near_each_other(random_source *r, const body *a, const body *b)
{
    const double size = a->radius + b->radius;
    const apart_pose pa = random_centered(a, r, vec(0, 0, 0));
    apart_pose pb = random_centered(b, r, apart_vec3_scale(1.2 * size, random_direction(r)));
    for (int k = 3; k <= 15; k += 3) {
        approach(a, &pa, b, &pb, pow(10.0, -k) * size);
        check_pair("near", a, &pa, b, &pb, NULL);
    }
}

static void nearly_parallel(random_source *r, const body *a, const body *b)
{
    const double size = a->radius + b->radius;
    for (int i = 0; i < 4; i++) {
        apart_pose pa, pb;
        const double tilt = i == 0 ? 0.0 : pow(10.0, -random_between(r, 2.0, 17.0)),
                     gap = i == 1 ? 0.0 : size * pow(10.0, -random_between(r, 0.0, 12.0));
        face_to_face(r, a, &pa, b, &pb, tilt, gap);
        check_pair("parallel", a, &pa, b, &pb, NULL);
    }
    const apart_pose origin = at(0, 0, 0);
    apart_pose beside =
        turned(random_direction(r), 57.0 * pow(10.0, -random_between(r, 3.0, 17.0)),
               apart_vec3_scale(a->radius * pow(10.0, -random_between(r, 0.0, 12.0)), random_direction(r)));
    check_pair("itself", a, &origin, a, &beside, NULL); /* shifted by next to nothing */
}

static void far_from_the_origin(random_source *r, const body *a, const body *b)
{
    const double size = a->radius + b->radius;
    const apart_vec3 far = apart_vec3_scale(1e6 * size, random_direction(r));
    apart_pose pa = random_centered(a, r, far),
               pb = random_centered(b, r, apart_vec3_add_scaled(far, 0.9 * size, random_direction(r)));
    check_pair("offset", a, &pa, b, &pb, NULL);
    approach(a, &pa, b, &pb, 1e-9 * size);
    check_pair("offset and near", a, &pa, b, &pb, NULL);
}

static void along_a_path(random_source *r, const body *a, const body *b)
{
    const double size = a->radius + b->radius;
    apart_compound_cache cache = {.part_a = 0};
    apart_pose pa = random_centered(a, r, vec(0, 0, 0)),
               pb = random_centered(b, r, apart_vec3_scale(1.1 * size, random_direction(r)));
    for (int step = 0; step < 8; step++) {
        check_pair("tracked", a, &pa, b, &pb, &cache);
        const apart_vec3 where =
            apart_vec3_add_scaled(apart_pose_apply(&pb, b->center), 0.05 * size, random_direction(r));
        const apart_pose turn = turned(random_direction(r), 2.0, vec(0, 0, 0));
        pb = centered(b, apart_pose_compose(&turn, &pb).rotation, where);
    }
}

/* ---- solids ---- */

/* How often the body winds about a point, by solid angles. */
static double winding(const body *b, const apart_pose *pose, apart_vec3 world)
{
    const apart_vec3 p = apart_pose_apply_inverse(pose, world);
    long double sum = 0;
    for (uint32_t t = 0; t < b->list.triangle_count; t++) {
        apart_vec3 v[3];
        long double length[3];
        for (int k = 0; k < 3; k++) {
            v[k] = apart_vec3_sub(b->list.vertices[b->list.triangles[t][k]], p);
            length[k] = apart_vec3_norm(v[k]);
        }
        const long double volume = apart_vec3_dot(v[0], apart_vec3_cross(v[1], v[2]));
        sum += atan2l(volume, length[0] * length[1] * length[2] + apart_vec3_dot(v[0], v[1]) * length[2] +
                                  apart_vec3_dot(v[1], v[2]) * length[0] + apart_vec3_dot(v[2], v[0]) * length[1]);
    }
    return (double)(sum / 6.283185307179586476925L);
}

static void solids(random_source *r, const body *a, const body *small)
{
    static const double spreads[] = {0.0, 0.2, 0.5, 0.8};
    if (!a->closed || !small->closed) {
        return;
    }
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        const apart_pose pa = random_centered(a, r, vec(0, 0, 0)),
                         pb = random_centered(small, r, apart_vec3_scale(spreads[i] * a->radius, random_direction(r)));
        const reference_mesh ra = reference_of(a, &pa), rb = reference_of(small, &pb);
        reference_answer surfaces;
        apart_compound_result q;
        int overlap;
        reference_distance(&ra, &rb, &surfaces);
        const apart_vec3 point = apart_pose_apply(&pb, small->list.vertices[small->list.triangles[0][0]]);
        const bool inside = fabs(winding(a, &pa, point)) > 0.5;
        const bool meet = surfaces.meets || inside;
        ck_assert_int_eq(apart_compound_distance(apart_solid_mesh(a->mesh), &pa, apart_solid_mesh(small->mesh), &pb,
                                                 NULL, NULL, &q),
                         APART_OK);
        ck_assert_int_eq(apart_compound_overlap(apart_solid_mesh(a->mesh), &pa, apart_solid_mesh(small->mesh), &pb,
                                                NULL, NULL, &overlap, NULL),
                         APART_OK);
        if (surfaces.distance > 1e-12L || surfaces.meets) {
            ck_assert_msg(meet == (q.result.lower <= 0.0) && meet == (overlap != 0), "%d %d: [%g, %g]", meet, overlap,
                          q.result.lower, q.result.upper);
        }
        if (!meet) {
            check_answer("solids", a, small, &surfaces, &q.result);
        } else { /* the way out separates */
            apart_pose moved = pb;
            moved.translation =
                apart_vec3_add_scaled(pb.translation, 1e-9 * a->radius - q.result.lower, q.result.normal);
            const reference_mesh rm = reference_of(small, &moved);
            reference_distance(&ra, &rm, &surfaces);
            ck_assert(!surfaces.meets && surfaces.distance > 0);
            ck_assert(fabs(winding(a, &pa, apart_pose_apply(&moved, small->list.vertices[0]))) < 0.5);
        }
    }
}

/* ---- the campaign ---- */

static void run_pair(random_source *r, const triangle_list *one, const triangle_list *two, int kind)
{
    static const double factors[] = {1.0, 1e-6, 1e6, 1.0};
    const double factor = factors[kind], other = factor * (random_below(r, 3) == 0 ? 0.05 : 1.0);
    const apart_vec3 offset = kind == 3 ? apart_vec3_scale(1e6, random_direction(r)) : vec(0, 0, 0);
    body a = body_of(one, factor, offset), b = body_of(two, other, kind == 3 ? random_vector(r, 1e6) : offset);
    apart_and_intersecting(r, &a, &b);
    near_each_other(r, &a, &b);
    nearly_parallel(r, &a, &b);
    far_from_the_origin(r, &a, &b);
    along_a_path(r, &a, &b);
    body small = body_of(two, 0.1 * factor, vec(0, 0, 0));
    solids(r, &a, &small);
    body_free(&small);
    body_free(&a);
    body_free(&b);
}

static bool load_models(void)
{
    for (int i = 0; i < MODELS; i++) {
        if (!shared_model(names[i], &models[i])) {
            return false;
        }
    }
    return true;
}

START_TEST(models_equal_brute_force)
{
    random_source r = seed;
    if (!load_models()) {
        return;
    }
    for (int i = 0; i < pairs; i++) {
        const int a = (int)random_below(&r, MODELS), b = (int)random_below(&r, MODELS);
        if (pairs > SHORT) {
            printf("%s, %s, kind %d\n", names[a], names[b], i % 4);
            fflush(stdout);
        }
        run_pair(&r, &models[a], &models[b], i % 4);
    }
    printf("widest bounds: %.2g of the size\n", widest);
}
END_TEST

int main(int argc, char **argv)
{
    pairs = argc > 1 ? atoi(argv[1]) : SHORT;
    seed = random_seed_or("mesh_models", argc > 2 ? strtoull(argv[2], NULL, 0) : 19u);
    Suite *suite = suite_create("mesh_models");
    TCase *all = tcase_create("models");
    tcase_set_timeout(all, 4000);
    tcase_add_test(all, models_equal_brute_force);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
