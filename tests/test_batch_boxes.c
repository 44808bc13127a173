/* Pairs of boxes in batches, which go through lanes of their own: against single calls, the independent check and
 * rational arithmetic, from any cache, for plates, needles, parallel and touching boxes of all sizes.
 *
 * usage: test_batch_boxes [SEED [ROUNDS]] */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "batch_pairs.h"
#include "lanes/hull_lanes.h"
#include "run_suite.h"
#include "api/level.h"

enum { PAIRS = BATCH_PAIRS, STEPS = 5 };

/* ---- pairs ---- */

static apart_vec3 random_extents(random_source *r)
{
    const double x = random_between(r, 0.3, 1.0), y = random_between(r, 0.3, 1.0), z = random_between(r, 0.3, 1.0);
    const double thin = random_magnitude(r, -14, 0);
    switch (random_below(r, 8)) {
    case 0: return (apart_vec3){thin, 0.5 * thin, x};
    case 1: return (apart_vec3){x, thin, y};
    case 2: return (apart_vec3){0.0, x, y};
    case 3: return (apart_vec3){x, 0.0, 0.0};
    case 4: return (apart_vec3){0.5, 0.5, 1.0};
    default: return (apart_vec3){x, y, z};
    }
}

static void make_pair(batch_pair *p, random_source *r)
{
    static const double scales[] = {1.0, 1.0, 1.0, 1e-3, 1e6, 1e-80, 1e80, 1e-150, 1e120};
    const double scale = scales[random_below(r, sizeof scales / sizeof *scales)];
    const apart_vec3 half_a = apart_vec3_scale(scale, random_extents(r)),
                     half_b = apart_vec3_scale(scale, random_extents(r));
    const apart_vec3 at = apart_vec3_scale(scale, random_place(r)), by = apart_vec3_scale(scale, random_place(r));
    const bool far_off = random_below(r, 4) == 0;
    p->a = apart_box(half_a);
    p->b = apart_box(half_b);
    turn_pair(p, r);
    p->pose_a.translation = apart_vec3_scale(far_off ? 1024.0 : 1.0, at);
    p->pose_b.translation = apart_vec3_add(p->pose_a.translation, by);
}

static void make_pairs(random_source *r)
{
    for (int i = 0; i < PAIRS; i++) {
        make_pair(&pairs[i], r);
    }
}

/* ---- checks ---- */

/* The batch's bounds are narrow, and both distances agree. */
static void compare_with_single(int i, const apart_result *r)
{
    const apart_result alone = compare_with_alone(i, r);
    const double slack = answer_slack(&pairs[i]);
    ck_assert_msg(alone.upper - alone.lower > slack || r->upper - r->lower <= slack, "pair %d: width %g", i,
                  r->upper - r->lower);
    ck_assert_msg(alone.distance - slack <= r->distance && r->distance <= alone.distance + slack, "pair %d", i);
}

/* The witness point on A is the blend of the vertices that the result names. */
static void check_vertices(const batch_pair *p, const apart_result *r, int i)
{
    double xyz[24];
    apart_vec3 sum = {0.0, 0.0, 0.0};
    ck_assert_uint_eq(shape_vertices(&p->a, xyz), 8);
    for (int k = 0; k < r->count; k++) {
        const double *v = &xyz[3 * r->index_a[k]];
        sum = (apart_vec3){sum.x + r->lambda[k] * v[0], sum.y + r->lambda[k] * v[1], sum.z + r->lambda[k] * v[2]};
    }
    const apart_vec3 a = apart_pose_apply(&p->pose_a, sum);
    const double far = fmax(apart_vec3_norm(p->pose_a.translation), magnitude(p));
    ck_assert_msg(fabs(a.x - r->a.x) <= 32.0 * DBL_EPSILON * far && fabs(a.y - r->a.y) <= 32.0 * DBL_EPSILON * far &&
                      fabs(a.z - r->a.z) <= 32.0 * DBL_EPSILON * far,
                  "pair %d", i);
}

static void check_results(unsigned *proved)
{
    for (int i = 0; i < PAIRS; i++) {
        ck_assert_int_eq(statuses[i], APART_OK);
        compare_with_single(i, &results[i]);
        if (results[i].relation == APART_DISJOINT) {
            check_vertices(&pairs[i], &results[i], i);
            *proved += verify_pair(i) == APART_PROVED;
        }
    }
}

START_TEST(agree_with_single_calls_and_the_check)
{
    random_source r = test_seed;
    for (unsigned round = 0; round < test_rounds; round++) {
        unsigned proved = 0, disjoint = 0;
        make_pairs(&r);
        memset(caches, 0, sizeof caches);
        run_batch(false);
        check_results(&proved);
        for (int step = 0; step < STEPS; step++) {
            run_batch(true);
            check_results(&proved);
            for (int i = 0; i < PAIRS; i++) {
                disjoint += results[i].relation == APART_DISJOINT;
            }
            move_pairs(&r);
        }
        ck_assert_uint_ge(proved, disjoint);
    }
}
END_TEST

/* Whatever the cache holds, the answer is right: of other pairs, of single calls, random bytes with the right tag. */
START_TEST(any_cache_will_do)
{
    random_source r = test_seed + 1;
    unsigned proved = 0;
    make_pairs(&r);
    run_batch(true);
    const uint32_t tag = caches[0].tag;
    for (unsigned round = 0; round < test_rounds; round++) {
        for (int i = 0; i < PAIRS; i++) {
            const batch_pair *p = &pairs[i];
            if (round % 3 == 0) {
                ck_assert_int_eq(apart_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, &caches[i], &results[i]),
                                 APART_OK);
            } else if (round % 3 == 1) {
                random_bytes(&r, &caches[i], sizeof caches[i]);
                caches[i].tag = tag;
                caches[i].flags |= random_below(&r, 2) == 0 ? 0x8000u : 0u;
            } else if (i > 0) {
                caches[i] = caches[i - 1];
            }
        }
        run_batch(true);
        check_results(&proved);
    }
    /* And back: single calls take the caches of batches. */
    for (int i = 0; i < PAIRS; i++) {
        const batch_pair *p = &pairs[i];
        apart_result alone;
        ck_assert_int_eq(apart_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, &caches[i], &alone), APART_OK);
        compare_with_single(i, &alone);
    }
}
END_TEST

/* ---- rational arithmetic ---- */

START_TEST(bounds_hold_in_rational_arithmetic)
{
    random_source r = test_seed + 2;
    make_pairs(&r);
    memset(caches, 0, sizeof caches);
    run_batch(true);
    ck_assert_uint_gt(check_exactly(50 * (int)test_rounds), 10);
}
END_TEST

/* ---- what lanes answer ---- */

static unsigned count_answered(unsigned *most_steps)
{
    unsigned answered = 0;
    for (int i = 0; i < PAIRS; i++) {
        batch_pair *p = &pairs[i];
        ap_lane_job job[AP_BOX_LANES];
        job[0] = (ap_lane_job){.a = &p->a, .pose_a = &p->pose_a, .b = &p->b, .pose_b = &p->pose_b};
        job[0].cache = &caches[i];
        job[0].result = &results[i];
        job[0].half_a = ap_sharp_box_extents(&p->a);
        job[0].half_b = ap_sharp_box_extents(&p->b);
        ck_assert(job[0].half_a != NULL && job[0].half_b != NULL);
        ap_lane_verdict verdict = {0, ap_box_job_start(&job[0]) ? 1 : 0};
        while (verdict.again != 0) {
            for (unsigned k = 1; k < AP_BOX_LANES; k++) {
                job[k] = job[0];
            }
            verdict = ap_level_get()->batches->step_boxes(job, 1);
        }
        answered += verdict.answered;
        *most_steps =
            verdict.answered != 0 && results[i].iterations > *most_steps ? results[i].iterations : *most_steps;
    }
    return answered;
}

static void make_separated_pairs(random_source *r)
{
    for (int i = 0; i < PAIRS; i++) {
        make_pair(&pairs[i], r);
        const apart_vec3 place = random_in_ball(r);
        const double far = 4.0 / apart_vec3_norm(place);
        pairs[i].a = apart_box(
            (apart_vec3){random_between(r, 0.3, 1.0), random_between(r, 0.3, 1.0), random_between(r, 0.3, 1.0)});
        pairs[i].b = apart_box(
            (apart_vec3){random_between(r, 0.3, 1.0), random_between(r, 0.3, 1.0), random_between(r, 0.3, 1.0)});
        pairs[i].pose_a.translation = (apart_vec3){0.0, 0.0, 0.0};
        pairs[i].pose_b.translation = apart_vec3_scale(far, place);
    }
}

/* Boxes of usual proportions that are apart never need a single call; that is what lanes are for. */
START_TEST(separated_pairs_stay_in_lanes)
{
    random_source r = test_seed + 3;
    unsigned most_steps = 0;
    make_separated_pairs(&r);
    memset(caches, 0, sizeof caches);
    for (int step = 0; step < STEPS; step++) {
        ck_assert_uint_ge(count_answered(&most_steps), PAIRS - 2);
        move_pairs(&r);
    }
    ck_assert_uint_le(most_steps, 12);
}
END_TEST

/* Matrices in single precision are no less usual. */
START_TEST(single_precision_stays_in_lanes)
{
    random_source r = test_seed + 7;
    unsigned most_steps = 0, proved = 0;
    make_separated_pairs(&r);
    round_rotations();
    memset(caches, 0, sizeof caches);
    ck_assert_uint_ge(count_answered(&most_steps), PAIRS - 2);
    run_batch(true);
    check_results(&proved);
    ck_assert_uint_ge(proved, PAIRS);
}
END_TEST

/* ---- bad pairs ---- */

START_TEST(bad_poses_get_their_status)
{
    random_source r = test_seed + 4;
    make_pairs(&r);
    memset(caches, 0, sizeof caches);
    run_batch(true);
    check_bad_poses(&r);
}
END_TEST

/* Matrices between the lanes' limit and the query's are still answered, by one or the other. */
START_TEST(limits_of_a_rotation_are_those_of_single_calls)
{
    random_source r = test_seed + 5;
    make_pairs(&r);
    for (int i = 0; i < PAIRS; i++) {
        double *numbers = (double *)(i % 2 == 0 ? &pairs[i].pose_a : &pairs[i].pose_b);
        numbers[random_below(&r, 9)] += (i % 4 < 2 ? 1.0 : -1.0) * 1.2e-6 * random_unit(&r);
    }
    const apart_batch batch = whole_batch(false);
    size_t failed = 0;
    (void)apart_distance_batch(&batch, NULL, &failed);
    for (int i = 0; i < PAIRS; i++) {
        const batch_pair *p = &pairs[i];
        ck_assert_msg(statuses[i] == apart_pose_check(i % 2 == 0 ? &p->pose_a : &p->pose_b), "pair %d", i);
        if (statuses[i] == APART_OK) {
            compare_with_single(i, &results[i]);
        }
    }
    ck_assert_uint_gt(failed, 0);
    ck_assert_uint_lt(failed, PAIRS);
}
END_TEST

/* ---- levels ---- */

START_TEST(same_bits_at_every_level)
{
    random_source r = test_seed + 6;
    make_pairs(&r);
    compare_levels(&r, STEPS);
}
END_TEST

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    Suite *suite = suite_create("batch boxes");
    TCase *test_case = tcase_create("batch boxes");
    tcase_set_timeout(test_case, 3600);
    suite_add_tcase(suite, test_case);
    tcase_add_test(test_case, agree_with_single_calls_and_the_check);
    tcase_add_test(test_case, any_cache_will_do);
    tcase_add_test(test_case, bounds_hold_in_rational_arithmetic);
    tcase_add_test(test_case, separated_pairs_stay_in_lanes);
    tcase_add_test(test_case, single_precision_stays_in_lanes);
    tcase_add_test(test_case, bad_poses_get_their_status);
    tcase_add_test(test_case, limits_of_a_rotation_are_those_of_single_calls);
    tcase_add_test(test_case, same_bits_at_every_level);
    return run_suite(suite);
}
