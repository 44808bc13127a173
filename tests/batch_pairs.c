#include "batch_pairs.h"

#include <check.h>
#include <float.h>
#include <math.h>

batch_pair pairs[BATCH_PAIRS];
apart_cache caches[BATCH_PAIRS];
apart_result results[BATCH_PAIRS];
apart_status statuses[BATCH_PAIRS];

static const apart_vec3 nowhere = {0.0, 0.0, 0.0};

apart_vec3 times(double s, apart_vec3 v) { return (apart_vec3){s * v.x, s * v.y, s * v.z}; }
apart_vec3 plus(apart_vec3 a, apart_vec3 b) { return (apart_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
double length(apart_vec3 v) { return sqrt((v.x * v.x + v.y * v.y) + v.z * v.z); }

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
    const apart_vec3 p = times(random_between(r, 1.0, 4.0), random_in_ball(r));
    return random_below(r, 2) == 0 ? p : (apart_vec3){round(2.0 * p.x) / 2.0, round(2.0 * p.y) / 2.0, round(2.0 * p.z) / 2.0};
}

static void move_pair(batch_pair *p, random_source *r)
{
    const apart_vec3 axis = random_in_ball(r), way = random_in_ball(r);
    const apart_vec3 ta = p->pose_a.translation, tb = p->pose_b.translation;
    const double size = fmax(fmax(fabs(tb.x - ta.x), fabs(tb.y - ta.y)), fabs(tb.z - ta.z));
    const apart_pose old = {p->pose_b.rotation, nowhere};
    const double angle = random_between(r, 0.0, 0.1);
    apart_pose turn;
    if (random_below(r, 8) == 0 || apart_pose_from_axis_angle(axis, angle, nowhere, &turn) != APART_OK) {
        return;
    }
    p->pose_b.rotation = apart_pose_compose(&turn, &old).rotation;
    p->pose_b.translation = plus(tb, times(0.05 * size, way));
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
    return (apart_batch){
        .count = BATCH_PAIRS,
        .a = {.shapes = &pairs[0].a, .shape_stride = sizeof pairs[0], .poses = &pairs[0].pose_a, .pose_stride = sizeof pairs[0]},
        .b = {.shapes = &pairs[0].b, .shape_stride = sizeof pairs[0], .poses = &pairs[0].pose_b, .pose_stride = sizeof pairs[0]},
        .caches = cached ? caches : NULL, .cache_stride = sizeof caches[0],
        .results = results, .result_stride = sizeof results[0],
        .statuses = statuses, .status_stride = sizeof statuses[0]};
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
        ck_assert_msg(k < r->count || (r->index_a[k] == APART_NO_INDEX && r->index_b[k] == APART_NO_INDEX), "pair %d", i);
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
    ck_assert_msg(r->lower <= alone.upper && alone.lower <= r->upper, "pair %d: %.17g .. %.17g, alone %.17g .. %.17g", i, r->lower, r->upper,
                  alone.lower, alone.upper);
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
