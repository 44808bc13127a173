#include "batch_pairs.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/level.h"
#include "exact.h"

uint64_t test_seed = 1;
unsigned test_rounds = 3;

batch_pair pairs[BATCH_PAIRS];
apart_cache caches[BATCH_PAIRS];
apart_result results[BATCH_PAIRS];
apart_status statuses[BATCH_PAIRS];

static const apart_vec3 nowhere = {0.0, 0.0, 0.0};

void read_arguments(int argc, char **argv)
{
    test_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : test_seed;
    test_rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : test_rounds;
    printf("seed %llu\n", (unsigned long long)test_seed);
    fflush(stdout);
}

static apart_mat3 random_turn(random_source *r, const apart_mat3 *of_a)
{
    const unsigned how = random_below(r, 4);
    const apart_vec3 axis = random_in_ball(r);
    const double angle = random_magnitude(r, -12, -2);
    const apart_pose first = {*of_a, nowhere};
    apart_pose turn;
    if (how > 1 || apart_pose_from_axis_angle(axis, angle, nowhere, &turn) != APART_OK) {
        return random_rotation(r);
    }
    return how == 0 ? *of_a : apart_pose_compose(&turn, &first).rotation;
}

void turn_pair(batch_pair *p, random_source *r)
{
    p->pose_a.rotation = random_rotation(r);
    p->pose_b.rotation = random_turn(r, &p->pose_a.rotation);
}

apart_vec3 random_place(random_source *r)
{
    const apart_vec3 p = apart_vec3_scale(random_between(r, 1.0, 4.0), random_in_ball(r));
    return random_below(r, 2) == 0
               ? p
               : (apart_vec3){round(2.0 * p.x) / 2.0, round(2.0 * p.y) / 2.0, round(2.0 * p.z) / 2.0};
}

static void move_pair(batch_pair *p, random_source *r)
{
    const apart_vec3 axis = random_in_ball(r), displacement = random_in_ball(r);
    const apart_vec3 ta = p->pose_a.translation, tb = p->pose_b.translation;
    const double size = fmax(fmax(fabs(tb.x - ta.x), fabs(tb.y - ta.y)), fabs(tb.z - ta.z));
    const apart_pose old = {p->pose_b.rotation, nowhere};
    const double angle = random_between(r, 0.0, 0.1);
    apart_pose turn;
    if (random_below(r, 8) == 0 || apart_pose_from_axis_angle(axis, angle, nowhere, &turn) != APART_OK) {
        return;
    }
    p->pose_b.rotation = apart_pose_compose(&turn, &old).rotation;
    p->pose_b.translation = apart_vec3_add_scaled(tb, 0.05 * size, displacement);
}

void move_pairs(random_source *r)
{
    for (int i = 0; i < BATCH_PAIRS; i++) {
        move_pair(&pairs[i], r);
    }
}

void round_rotations(void)
{
    for (int i = 0; i < BATCH_PAIRS; i++) {
        double *a = (double *)&pairs[i].pose_a.rotation, *b = (double *)&pairs[i].pose_b.rotation;
        for (int k = 0; k < 9; k++) {
            a[k] = (double)(float)a[k];
            b[k] = (double)(float)b[k];
        }
    }
}

apart_batch whole_batch(bool cached)
{
    return (apart_batch){.count = BATCH_PAIRS,
                         .a = {.shapes = &pairs[0].a,
                               .shape_stride = sizeof pairs[0],
                               .poses = &pairs[0].pose_a,
                               .pose_stride = sizeof pairs[0]},
                         .b = {.shapes = &pairs[0].b,
                               .shape_stride = sizeof pairs[0],
                               .poses = &pairs[0].pose_b,
                               .pose_stride = sizeof pairs[0]},
                         .caches = cached ? caches : NULL,
                         .cache_stride = sizeof caches[0],
                         .results = results,
                         .result_stride = sizeof results[0],
                         .statuses = statuses,
                         .status_stride = sizeof statuses[0]};
}

void run_batch(bool cached)
{
    const apart_batch batch = whole_batch(cached);
    size_t failed = 1;
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, &failed), APART_OK);
    ck_assert_uint_eq(failed, 0);
}

double magnitude(const batch_pair *p)
{
    const apart_vec3 a = apart_pose_apply(&p->pose_a, p->a.center), b = apart_pose_apply(&p->pose_b, p->b.center);
    return (p->a.bound + p->b.bound) + ((fabs(b.x - a.x) + fabs(b.y - a.y)) + fabs(b.z - a.z));
}

double answer_slack(const batch_pair *p) { return 64.0 * DBL_EPSILON * magnitude(p) + 2.0 * (p->a.error + p->b.error); }

static void check_weights(const apart_result *r, int i)
{
    double sum = 0.0;
    ck_assert(r->count >= 1 && r->count <= 4 && r->dim == 3);
    for (int k = 0; k < 4; k++) {
        ck_assert_msg(r->lambda[k] >= 0.0 && r->lambda[k] <= 1.0, "pair %d", i);
        ck_assert_msg((k < r->count) == (r->index_a[k] < 8) && (k < r->count) == (r->index_b[k] < 8), "pair %d", i);
        ck_assert_msg(k < r->count || (r->index_a[k] == APART_NO_INDEX && r->index_b[k] == APART_NO_INDEX), "pair %d",
                      i);
        sum += r->lambda[k];
    }
    ck_assert_msg(fabs(sum - 1.0) <= 4.0 * DBL_EPSILON, "pair %d", i);
}

apart_result compare_with_alone(int i, const apart_result *r)
{
    const batch_pair *p = &pairs[i];
    apart_result alone;
    ck_assert_int_eq(apart_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, NULL, &alone), APART_OK);
    ck_assert_msg(r->lower <= r->distance && r->distance <= r->upper, "pair %d", i);
    ck_assert_msg(r->lower <= alone.upper && alone.lower <= r->upper, "pair %d: %.17g .. %.17g, alone %.17g .. %.17g",
                  i, r->lower, r->upper, alone.lower, alone.upper);
    ck_assert_msg(alone.relation == r->relation || fabs(alone.distance) <= answer_slack(p), "pair %d", i);
    ck_assert_msg((r->lower > 0.0) == (r->relation == APART_DISJOINT), "pair %d", i);
    ck_assert_msg(r->solver == alone.solver && r->dim == alone.dim, "pair %d", i);
    check_weights(r, i);
    return alone;
}

apart_verdict verify_pair(int i)
{
    const batch_pair *p = &pairs[i];
    apart_proof proof;
    ck_assert_int_eq(apart_verify(&p->a, &p->pose_a, &p->b, &p->pose_b, &results[i], &proof), APART_OK);
    ck_assert_msg(proof.verdict != APART_REFUTED, "pair %d: %s", i, proof.reason);
    return (apart_verdict)proof.verdict;
}

unsigned check_exactly(int most)
{
    unsigned disjoint = 0;
    for (int i = 0; i < most && i < BATCH_PAIRS; i++) {
        const batch_pair *p = &pairs[i];
        double xyz_a[24], xyz_b[24];
        if (p->a.radius > 0.0) {
            continue;
        }
        const exact_points a = {.coordinates = xyz_a,
                                .count = shape_vertices(&p->a, xyz_a),
                                .dim = 3,
                                .pose = &p->pose_a};
        const exact_points b = {.coordinates = xyz_b,
                                .count = shape_vertices(&p->b, xyz_b),
                                .dim = 3,
                                .pose = &p->pose_b};
        exact_answer exact;
        exact_distance(&a, &b, &exact);
        if (exact.relation == EXACT_DISJOINT) {
            ck_assert_msg(results[i].lower <= exact.above && exact.below <= results[i].upper,
                          "pair %d: %.17g .. %.17g, exactly %.17g", i, results[i].lower, results[i].upper,
                          exact.distance);
            disjoint++;
        } else {
            ck_assert_msg(results[i].lower <= 0.0, "pair %d: %.17g", i, results[i].lower);
        }
    }
    return disjoint;
}

/* NaN, infinity, a matrix that is not a rotation, a mirror, or nothing. */
static void spoil(double *numbers, unsigned how, random_source *r)
{
    switch (how) {
    case 0: numbers[random_below(r, 12)] = (double)NAN; break;
    case 1: numbers[random_below(r, 12)] = (double)INFINITY; break;
    case 2: numbers[random_below(r, 9)] += random_below(r, 2) == 0 ? 3e-6 : -2e-6; break;
    case 3:
        for (int k = 0; k < 3; k++) {
            numbers[k] = -numbers[k];
        }
        break;
    default: break;
    }
}

void check_bad_poses(random_source *r)
{
    for (int i = 0; i < BATCH_PAIRS; i++) {
        spoil((double *)(i % 2 == 0 ? &pairs[i].pose_a : &pairs[i].pose_b), (unsigned)i % 5, r);
    }
    memset(results, 0x77, sizeof results);
    const apart_batch batch = whole_batch(true);
    size_t failed = 0, expected = 0;
    (void)apart_distance_batch(&batch, NULL, &failed);
    for (int i = 0; i < BATCH_PAIRS; i++) {
        const batch_pair *p = &pairs[i];
        apart_result alone, untouched;
        memset(&untouched, 0x77, sizeof untouched);
        const apart_status status = apart_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, NULL, &alone);
        ck_assert_msg(statuses[i] == status, "pair %d: %s, alone %s", i, apart_status_name(statuses[i]),
                      apart_status_name(status));
        ck_assert_msg(status == APART_OK || memcmp(&results[i], &untouched, sizeof untouched) == 0, "pair %d", i);
        expected += status != APART_OK;
    }
    ck_assert_uint_eq(failed, expected);
    ck_assert_uint_gt(expected, BATCH_PAIRS / 2);
}

void compare_levels(random_source *r, int steps)
{
    static apart_result first[BATCH_PAIRS];
    static const char *const levels[] = {"baseline", "avx2"};
    memset(caches, 0, sizeof caches);
    for (int step = 0; step < steps; step++) {
        static apart_cache before[BATCH_PAIRS];
        memcpy(before, caches, sizeof caches);
        for (int k = 0; k < 2; k++) {
            if (ap_level_force(levels[k])) {
                memcpy(caches, before, sizeof caches);
                memset(results, 0, sizeof results);
                run_batch(true);
                ck_assert_msg(k == 0 || memcmp(first, results, sizeof results) == 0, "step %d", step);
                memcpy(first, results, sizeof results);
            }
        }
        move_pairs(r);
    }
    ap_level_force(NULL);
}
