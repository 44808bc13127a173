/* Derivatives of the signed distance against differences, for pairs of all shapes; known kinks are flagged.
 *
 * usage: test_gradient [SEED [PAIRS]] */
#include <apart/gradient.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "poses.h"
#include "run_suite.h"
#include "scenes.h"

static uint64_t seed = 1;
static unsigned pair_count = 10000;

/* ---- against differences ---- */

static double distance_of(const apart_shape *a, const apart_pose *pa, const apart_shape *b, const apart_pose *pb)
{
    apart_result r;
    ck_assert_int_eq(apart_distance(a, pa, b, pb, NULL, NULL, &r), APART_OK);
    return r.distance;
}

/* The pose after a step: coordinates 0 to 2 translate, 3 to 5 turn about the pose's translation. */
static apart_pose stepped(const apart_pose *pose, int coordinate, double step)
{
    apart_pose out = *pose;
    double *t = &out.translation.x;
    if (coordinate < 3) {
        t[coordinate] += step;
        return out;
    }
    apart_vec3 axis = {coordinate == 3, coordinate == 4, coordinate == 5};
    apart_pose turn;
    ck_assert_int_eq(apart_pose_from_axis_angle(axis, step, (apart_vec3){0, 0, 0}, &turn), APART_OK);
    out.rotation = apart_pose_compose(&turn, &(apart_pose){pose->rotation, {0, 0, 0}}).rotation;
    return out;
}

static double size_of(const apart_shape *s) { return s->kind == APART_SHAPE_HALF_SPACE ? 1.0 : s->bound + s->radius; }

/* The best agreement over some steps: a kink nearby or a small radius of curvature spoils the long ones, rounding the
 * short ones. */
static double difference_error(const apart_shape *a, const apart_pose *pa, const apart_shape *b, const apart_pose *pb,
                               bool moves_b, int coordinate, double expected)
{
    const double size = size_of(a) + size_of(b) + 0.1,
                 arm =
                     coordinate < 3 ? 1.0 : size + apart_vec3_norm(pa->translation) + apart_vec3_norm(pb->translation);
    double best = INFINITY;
    for (double step = 1e-4; step > 1e-9; step *= 0.1) {
        const double h = coordinate < 3 ? step * size : step;
        const apart_pose forth = stepped(moves_b ? pb : pa, coordinate, h),
                         back = stepped(moves_b ? pb : pa, coordinate, -h);
        const double after = moves_b ? distance_of(a, pa, b, &forth) : distance_of(a, &forth, b, pb),
                     before = moves_b ? distance_of(a, pa, b, &back) : distance_of(a, &back, b, pb);
        best = fmin(best, fabs((after - before) / (2.0 * h) - expected) / arm);
    }
    return best;
}

static void check_pair(const apart_shape *a, const apart_pose *pa, const apart_shape *b, const apart_pose *pb,
                       const apart_gradient *g)
{
    const double *const numbers[2][2] = {{&g->translation_a.x, &g->rotation_a.x},
                                         {&g->translation_b.x, &g->rotation_b.x}};
    for (int body = 0; body < 2; body++) {
        for (int c = 0; c < 6; c++) {
            if (a->dim == 2 && c >= 2 && c <= 4) { /* out of the plane */
                continue;
            }
            const double expected = numbers[body][c / 3][c % 3];
            const double error = difference_error(a, pa, b, pb, body == 1, c, expected);
            ck_assert_msg(error < 1e-5, "%s %s body %d coordinate %d: error %g, distance %g", apart_shape_name(a),
                          apart_shape_name(b), body, c, error, g->result.distance);
        }
    }
}

typedef struct shape_pool {
    solid_pool pool;
    apart_shape shapes[32];
    unsigned count;
} shape_pool;

static void make_shapes(shape_pool *p, random_source *r)
{
    static const double corners[] = {0, 0, 0, 1, 0, 0.1, 0, 1, 0.2, 0.2, 0.1, 1};
    static apart_shape box, ball, tip;
    solid_pool_make(&p->pool, r);
    p->count = 0;
    for (unsigned i = 0; i < p->pool.shape_count; i++) {
        p->shapes[p->count++] = p->pool.shapes[i];
    }
    box = apart_box(vec(0.3, 0.4, 0.2));
    ball = apart_ellipsoid(vec(0.3, 0.2, 0.5));
    tip = apart_point(vec(0.2, 0.9, 0.1));
    const apart_mat3 linear = {{1.2, 0.1, 0}, {0, 0.7, 0.2}, {0.3, 0, 0.9}};
    const apart_shape more[] = {apart_point(vec(0.1, 0.2, 0.3)),
                                apart_segment(vec(0, 0, 0), vec(0.3, 0.5, 0.1)),
                                apart_triangle(vec(0, 0, 0), vec(0.5, 0.1, 0), vec(0, 0.6, 0.2)),
                                apart_sphere(0.4),
                                apart_capsule(0.2, 0.4),
                                apart_cylinder(0.3, 0.4),
                                apart_cone(0.4, 0.5),
                                ball,
                                box,
                                apart_points(corners, 4),
                                apart_rounded(box, 0.1),
                                apart_sum(&box, &ball),
                                apart_hull_of_two(&box, &tip),
                                apart_affine(&box, linear, vec(0.1, 0, 0)),
                                apart_half_space(vec(0.1, 0.3, 1), -0.2)};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        p->shapes[p->count++] = more[i];
    }
}

START_TEST(gradients_are_what_differences_say)
{
    shape_pool p;
    random_source r = seed;
    unsigned unique = 0, overlapping = 0, checked = 0;
    make_shapes(&p, &r);
    for (unsigned n = 0; n < pair_count; n++) {
        const apart_shape *a = &p.shapes[random_below(&r, p.count)], *b = &p.shapes[random_below(&r, p.count)];
        const apart_pose pa = scene_pose(&r, 0.7), pb = scene_pose(&r, 0.7);
        apart_gradient g;
        if (a->kind == APART_SHAPE_HALF_SPACE && b->kind == APART_SHAPE_HALF_SPACE) {
            continue;
        }
        ck_assert_int_eq(apart_distance_gradient(a, &pa, b, &pb, NULL, NULL, &g), APART_OK);
        checked++;
        unique += g.unique;
        overlapping += g.result.distance < 0.0;
        if (g.unique) {
            check_pair(a, &pa, b, &pb, &g);
        }
    }
    printf("%u pairs, %u overlap, %u without a kink\n", checked, overlapping, unique);
    ck_assert_uint_gt(overlapping, checked / 10);
    ck_assert_uint_gt(unique, checked - checked / 25); /* the poses of some pairs have axes in common */
    solid_pool_free(&p.pool);
}
END_TEST

START_TEST(in_the_plane)
{
    const double corners[] = {0, 0, 1, 0.1, 0.6, 0.8};
    const apart_shape shapes[] = {apart_circle(0.4), apart_rectangle(0.3, 0.5), apart_polygon(corners, 3),
                                  apart_capsule_2d(0.2, 0.3), apart_half_space_2d(0.2, 1, -0.1)};
    random_source r = seed;
    unsigned unique = 0, checked = 0;
    for (unsigned n = 0; n < pair_count / 4; n++) {
        const apart_shape *a = &shapes[random_below(&r, 5)], *b = &shapes[random_below(&r, 4)];
        apart_pose pa, pb;
        apart_gradient g;
        ck_assert_int_eq(apart_pose_from_angle_2d(random_signed(&r) * 3, random_signed(&r), random_signed(&r), &pa), 0);
        ck_assert_int_eq(apart_pose_from_angle_2d(random_signed(&r) * 3, random_signed(&r), random_signed(&r), &pb), 0);
        ck_assert_int_eq(apart_distance_gradient(a, &pa, b, &pb, NULL, NULL, &g), APART_OK);
        checked++;
        unique += g.unique;
        if (g.unique) {
            check_pair(a, &pa, b, &pb, &g);
        }
    }
    ck_assert_uint_gt(unique, checked - checked / 50);
}
END_TEST

/* ---- kinks ---- */

static bool is_unique(const apart_shape *a, apart_pose pa, const apart_shape *b, apart_pose pb)
{
    apart_gradient g;
    ck_assert_int_eq(apart_distance_gradient(a, &pa, b, &pb, NULL, NULL, &g), APART_OK);
    return g.unique != 0;
}

START_TEST(kinks_are_flagged)
{
    const apart_shape box = apart_box(vec(1, 1, 1)), ball = apart_sphere(0.5), rod = apart_capsule(0.2, 1.0),
                      plane = apart_half_space(vec(0, 0, 1), 0), can = apart_cylinder(0.5, 1.0),
                      tip = apart_point(vec(0, 0, 0));
    const apart_pose here = at(0, 0, 0);
    ck_assert(!is_unique(&box, here, &box, at(0, 0, 3)));        /* face on face */
    ck_assert(!is_unique(&box, here, &box, at(2.5, 2.5, 0)));    /* edges in one direction */
    ck_assert(!is_unique(&rod, here, &rod, at(1, 0, 0)));        /* axes */
    ck_assert(!is_unique(&plane, here, &box, at(0, 0, 4)));      /* a face on a half-space */
    ck_assert(!is_unique(&can, here, &box, at(2, 0, 0)));        /* a side on a face */
    ck_assert(!is_unique(&ball, here, &ball, here));             /* every direction is as good */
    ck_assert(!is_unique(&box, here, &ball, here));              /* six are */
    ck_assert(!is_unique(&box, here, &ball, at(0.5, 0.5, 0.1))); /* two are */
    ck_assert(!is_unique(&tip, here, &tip, here));               /* two points */
    ck_assert(is_unique(&box, here, &ball, at(0.6, 0.5, 0.1)));
    ck_assert(is_unique(&box, here, &ball, at(0, 0, 3)));
    ck_assert(is_unique(&rod, here, &rod, turned(vec(1, 0, 0), 30, vec(1, 0, 0))));
    ck_assert(is_unique(&box, here, &box, turned_rpy(0.3, 0.4, 0.5, vec(0, 0, 3))));
    ck_assert(is_unique(&box, at(1e6, 0, 0), &ball, at(1e6, 0.1, 0.7)));
}
END_TEST

START_TEST(bad_input_gets_a_status)
{
    const apart_shape ball = apart_sphere(0.5), bad = apart_sphere(-1.0);
    const apart_pose here = at(0, 0, 0), there = at(3, 0, 0);
    const apart_options no_depth = {.depth = APART_DEPTH_NONE}, near = {.cutoff = 1.0};
    apart_gradient g = {.unique = 7};
    ck_assert_int_eq(apart_distance_gradient(&ball, &here, &ball, &there, NULL, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance_gradient(NULL, &here, &ball, &there, NULL, NULL, &g), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance_gradient(&bad, &here, &ball, &there, NULL, NULL, &g), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_distance_gradient(&ball, &here, &ball, &there, &no_depth, NULL, &g), APART_ERR_OPTION);
    ck_assert_uint_eq(g.unique, 7);
    ck_assert_int_eq(apart_distance_gradient(&ball, &here, &ball, &there, &near, NULL, &g), APART_OK);
    ck_assert(g.unique == 0 && largest(g.translation_a) == 0.0 && largest(g.rotation_b) == 0.0);
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : random_seed_or("test_gradient", 1);
    pair_count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : pair_count;
    Suite *suite = suite_create("gradient");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_test(all, gradients_are_what_differences_say);
    tcase_add_test(all, in_the_plane);
    tcase_add_test(all, kinks_are_flagged);
    tcase_add_test(all, bad_input_gets_a_status);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
