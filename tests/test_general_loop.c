/* The specialised GJK loops against the general one, which runs when a trace is asked for: hulls of few and of many
 * vertices, capsules, orthonormal and single-precision matrices, rounded bodies, bodies far from their own origins,
 * sizes far from 1; cold and tracked. Of vertices equally far along a direction each loop takes its own, so the answers
 * are the same to rounding. */
#include <stdlib.h>

#include "depth_checks.h"
#include "run_suite.h"

enum { PAIRS = 600, STEPS = 4 };

static apart_hull *random_hull(random_source *r, size_t n, apart_vec3 center, double scale)
{
    double xyz[3 * 64];
    for (size_t i = 0; i < n; i++) {
        const apart_vec3 p = random_in_ball(r);
        const double size = apart_vec3_norm(p);
        xyz[3 * i] = scale * (center.x + p.x / size);
        xyz[3 * i + 1] = scale * (center.y + p.y / size);
        xyz[3 * i + 2] = scale * (center.z + p.z / size);
    }
    apart_hull *hull;
    ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &hull), APART_OK);
    return hull;
}

static void to_single_precision(apart_mat3 *m)
{
    double *entry = &m->x.x;
    for (int i = 0; i < 9; i++) {
        entry[i] = (double)(float)entry[i];
    }
}

static void check_same(const apart_result *special, const apart_result *traced, double size, int pair, int step)
{
    const double room = 32.0 * EPS * size;
    ck_assert_msg(fabs(special->distance - traced->distance) <= room && fabs(special->upper - traced->upper) <= room &&
                      fabs(special->lower - traced->lower) <= room,
                  "pair %d, step %d: %.17g in [%.17g, %.17g] by itself, %.17g in [%.17g, %.17g] with a trace", pair,
                  step, special->distance, special->lower, special->upper, traced->distance, traced->lower,
                  traced->upper);
    ck_assert_int_eq(special->relation, traced->relation);
}

/* Both loops from the same cache, step by step. */
static void follow(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b,
                   apart_vec3 displacement, double size, int pair)
{
    apart_trace_step steps[2];
    apart_trace trace = {.steps = steps, .capacity = 2};
    const apart_options traced = {.trace = &trace};
    apart_cache cache = {0};
    for (int step = 0; step < STEPS; step++) {
        apart_cache copy = cache;
        const bool cold = step == 0;
        const apart_result p = query(a, &pose_a, b, &pose_b, NULL, cold ? NULL : &cache);
        const apart_result t = query(a, &pose_a, b, &pose_b, &traced, cold ? NULL : &copy);
        apart_proof proof;
        check_same(&p, &t, size, pair, step);
        ck_assert_int_eq(apart_verify(a, &pose_a, b, &pose_b, &p, &proof), APART_OK);
        ck_assert_msg(proof.verdict != APART_REFUTED, "pair %d, step %d: %s", pair, step, proof.reason);
        if (cold) {
            query(a, &pose_a, b, &pose_b, NULL, &cache);
        }
        pose_b.translation = apart_vec3_add(pose_b.translation, displacement);
    }
}

START_TEST(hulls_by_every_loop)
{
    static const size_t sizes[] = {4, 5, 8, 9, 12, 13, 20, 24, 25, 40};
    static const double scales[] = {1.0, 1e-3, 1e6, 0x1p-63, 0x1p-70, 0x1p+63, 1e60};
    random_source r = 5;
    for (int i = 0; i < PAIRS; i++) {
        const double scale = scales[i % 7], apart_by = i % 3 == 0 ? 1.2 : 3.0;
        const bool far = i % 5 == 1;
        const apart_vec3 center = far ? vec(20.0, -7.0, 11.0) : vec(0.0, 0.0, 0.0);
        apart_hull *hull_a = random_hull(&r, sizes[i % 10], center, scale),
                   *hull_b = random_hull(&r, sizes[i / 10 % 10], vec(0, 0, 0), scale);
        const double radius = i % 4 == 2 ? 0.125 * scale : 0.0;
        const apart_shape a = apart_rounded(apart_hull_shape(hull_a), radius), b = apart_hull_shape(hull_b);
        apart_pose pose_a = apart_pose_identity(), pose_b = pose_a;
        pose_a.rotation = random_rotation(&r);
        pose_b.rotation = random_rotation(&r);
        if (i % 6 == 3) {
            to_single_precision(&pose_a.rotation);
            to_single_precision(&pose_b.rotation);
        }
        const apart_vec3 direction = random_in_ball(&r), middle = apart_pose_rotate(&pose_a, center);
        pose_b.translation =
            apart_vec3_scale(scale, apart_vec3_add_scaled(middle, apart_by / apart_vec3_norm(direction), direction));
        follow(&a, pose_a, &b, pose_b, apart_vec3_scale(0.02 * scale, random_in_ball(&r)), (2.0 + apart_by) * scale, i);
        apart_hull_free(hull_a);
        apart_hull_free(hull_b);
    }
}
END_TEST

/* Bad matrices, entry by entry of either body: every loop refuses them and leaves the result untouched. */
START_TEST(bad_matrices_by_every_loop)
{
    random_source r = 6;
    apart_hull *small = random_hull(&r, 8, vec(0, 0, 0), 1.0), *middle = random_hull(&r, 20, vec(0, 0, 0), 1.0),
               *large = random_hull(&r, 60, vec(0, 0, 0), 1.0);
    const apart_shape shapes[] = {apart_hull_shape(small), apart_hull_shape(middle), apart_hull_shape(large),
                                  apart_box(vec(1, 1, 1)), apart_capsule(0.5, 1)};
    for (int i = 0; i < 5 * 18; i++) {
        const apart_shape *shape = &shapes[i / 18], *other = i / 18 == 4 ? &shapes[0] : shape;
        apart_pose poses[2] = {apart_pose_identity(), apart_pose_translation(3, 0, 0)};
        poses[0].rotation = random_rotation(&r);
        poses[1].rotation = random_rotation(&r);
        double *entry = &poses[i / 9 % 2].rotation.x.x + i % 9;
        const double bad[] = {NAN, INFINITY, *entry + 1e-3};
        for (int k = 0; k < 3; k++) {
            apart_result result = {.distance = -77.0};
            *entry = bad[k];
            const apart_status status = apart_distance(shape, &poses[0], other, &poses[1], NULL, NULL, &result);
            ck_assert_int_eq(status, k < 2 ? APART_ERR_NONFINITE : APART_ERR_ROTATION);
            ck_assert(result.distance == -77.0);
        }
    }
    apart_hull_free(small);
    apart_hull_free(middle);
    apart_hull_free(large);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("general loop");
    TCase *c = tcase_create("general loop");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, hulls_by_every_loop);
    tcase_add_test(c, bad_matrices_by_every_loop);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
