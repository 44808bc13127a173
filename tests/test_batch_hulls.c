/* Pairs of tiny hulls in batches, which go through lanes of their own while they are tracked: against single calls, the
 * independent check and rational arithmetic, from any cache, for flat, slender, parallel and touching hulls of many
 * sizes, and in any lane.
 *
 * usage: test_batch_hulls [SEED [ROUNDS]] */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "batch_pairs.h"
#include "lanes/box_lanes.h"
#include "lanes/hull_lanes.h"
#include "run_suite.h"
#include "api/level.h"

enum { PAIRS = BATCH_PAIRS, STEPS = 5, HULLS = 300, MOST_POINTS = 8 };

static apart_hull *hulls[HULLS];
static double sizes[HULLS]; /* about so large */

/* ---- hulls ---- */

/* A point of a body of some kind: anywhere, of a plate, a needle, a lattice, or a corner of a brick. */
static apart_vec3 random_point(random_source *r, unsigned kind, unsigned i)
{
    const apart_vec3 p = random_in_ball(r);
    switch (kind) {
    case 0: return (apart_vec3){p.x, p.y, 0.0};
    case 1: return (apart_vec3){p.x, 1e-9 * p.y, 1e-7 * p.z};
    case 2: return (apart_vec3){round(2.0 * p.x) / 2.0, round(2.0 * p.y) / 2.0, round(2.0 * p.z) / 2.0};
    case 3: return (apart_vec3){i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 1.0 : -1.0};
    default: return p;
    }
}

static apart_hull *random_hull(random_source *r, bool round_body, double *size)
{
    static const double scales[] = {1.0, 1.0, 1.0, 1.0, 1e-3, 1e6, 1e-15, 1e15, 1e-80, 1e80};
    double xyz[3 * MOST_POINTS];
    const unsigned kind = round_body ? 8 : random_below(r, 8),
                   count = round_body || kind == 3 ? MOST_POINTS : 1 + random_below(r, MOST_POINTS);
    const double scale = round_body ? 1.0 : scales[random_below(r, sizeof scales / sizeof *scales)];
    const apart_vec3 off = {round_body || random_below(r, 12) != 0 ? 0.0 : 100.0, 0.0,
                            0.0}; /* some are far from their own origins */
    for (unsigned i = 0; i < count; i++) {
        const apart_vec3 p = random_point(r, kind, i),
                         on_sphere = round_body ? apart_vec3_scale(1.0 / apart_vec3_norm(p), p) : p;
        const apart_vec3 placed = apart_vec3_scale(scale, apart_vec3_add(off, on_sphere));
        memcpy(xyz + 3 * i, &placed, sizeof placed);
    }
    apart_hull *hull = NULL;
    ck_assert_int_eq(apart_hull_build(xyz, count, NULL, &hull), APART_OK);
    *size = scale;
    return hull;
}

static void build_hulls(random_source *r, bool round_bodies)
{
    for (int i = 0; i < HULLS; i++) {
        apart_hull_free(hulls[i]);
        hulls[i] = random_hull(r, round_bodies, &sizes[i]);
    }
}

static void free_hulls(void)
{
    for (int i = 0; i < HULLS; i++) {
        apart_hull_free(hulls[i]);
        hulls[i] = NULL;
    }
}

/* ---- pairs ---- */

static void make_pair(batch_pair *p, random_source *r)
{
    const unsigned a = random_below(r, HULLS), b = random_below(r, HULLS);
    const double size = fmax(sizes[a], sizes[b]);
    const apart_vec3 at = apart_vec3_scale(size, random_place(r));
    p->a = apart_hull_shape(hulls[a]);
    p->b = apart_hull_shape(hulls[b]);
    if (random_below(r, 16) == 0) {
        p->a = apart_rounded(p->a, 0.01 * size);
    }
    turn_pair(p, r);
    p->pose_a.translation = apart_vec3_scale(random_below(r, 4) == 0 ? 1024.0 : 1.0, at);
    p->pose_b.translation = apart_vec3_add_scaled(p->pose_a.translation, size, random_place(r));
}

static void make_pairs(random_source *r)
{
    build_hulls(r, false);
    for (int i = 0; i < PAIRS; i++) {
        make_pair(&pairs[i], r);
    }
}

/* Spheres' points, at a distance of four. */
static void make_separated_pairs(random_source *r)
{
    build_hulls(r, true);
    for (int i = 0; i < PAIRS; i++) {
        const apart_vec3 place = random_in_ball(r);
        make_pair(&pairs[i], r);
        pairs[i].a.radius = 0.0;
        pairs[i].b.radius = 0.0;
        pairs[i].pose_a.translation = (apart_vec3){0.0, 0.0, 0.0};
        pairs[i].pose_b.translation = apart_vec3_scale(4.0 / apart_vec3_norm(place), place);
    }
}

/* ---- checks ---- */

/* A distance from lanes is within the single call's bounds, and the batch's are hardly wider. */
static void compare_with_single(int i, const apart_result *r)
{
    const apart_result alone = compare_with_alone(i, r);
    const double slack = answer_slack(&pairs[i]);
    ck_assert_msg(r->relation != APART_DISJOINT || (alone.lower <= r->distance && r->distance <= alone.upper),
                  "pair %d: %.17g, alone %.17g .. %.17g", i, r->distance, alone.lower, alone.upper);
    ck_assert_msg(r->relation != APART_DISJOINT || r->upper - r->lower <= fmax(alone.upper - alone.lower, slack),
                  "pair %d: width %g, alone %g", i, r->upper - r->lower, alone.upper - alone.lower);
}

/* Where a vertex with the caller's number is. */
static apart_vec3 vertex_of(const apart_shape *shape, const apart_pose *pose, uint32_t number)
{
    const apart_hull *hull = shape->u.hull;
    uint32_t i = 0;
    while (i < apart_hull_vertex_count(hull) && apart_hull_input_index(hull, i) != number) {
        i++;
    }
    ck_assert_uint_lt(i, apart_hull_vertex_count(hull));
    return apart_pose_apply(pose, apart_hull_vertex(hull, i));
}

static void check_blend(const apart_shape *shape, const apart_pose *pose, const uint32_t *number, const apart_result *r,
                        apart_vec3 point, double slack, int i)
{
    apart_vec3 sum = {-point.x, -point.y, -point.z};
    for (int k = 0; k < r->count; k++) {
        sum = apart_vec3_add_scaled(sum, r->lambda[k], vertex_of(shape, pose, number[k]));
    }
    ck_assert_msg(apart_vec3_norm(sum) <= slack, "pair %d: %g", i, apart_vec3_norm(sum));
}

/* The witness points are the blends of the vertices that the result names. */
static void check_vertices(const batch_pair *p, const apart_result *r, int i)
{
    const double far = fmax(apart_vec3_norm(p->pose_a.translation), magnitude(p)) + apart_vec3_norm(p->a.center) +
                       apart_vec3_norm(p->b.center);
    const double slack = 64.0 * DBL_EPSILON * far + p->a.radius;
    check_blend(&p->a, &p->pose_a, r->index_a, r, r->a, slack, i);
    check_blend(&p->b, &p->pose_b, r->index_b, r, r->b, slack, i);
}

/* Returns how many disjoint pairs there are. All of them must be proved. */
static unsigned check_results(void)
{
    unsigned disjoint = 0;
    for (int i = 0; i < PAIRS; i++) {
        ck_assert_int_eq(statuses[i], APART_OK);
        compare_with_single(i, &results[i]);
        if (results[i].relation == APART_DISJOINT) {
            check_vertices(&pairs[i], &results[i], i);
            ck_assert_msg(verify_pair(i) == APART_PROVED, "pair %d", i);
            disjoint++;
        }
    }
    return disjoint;
}

START_TEST(agree_with_single_calls_and_the_check)
{
    random_source r = test_seed;
    for (unsigned round = 0; round < test_rounds; round++) {
        unsigned disjoint = 0;
        make_pairs(&r);
        memset(caches, 0, sizeof caches);
        for (int step = 0; step < STEPS; step++) {
            run_batch(true);
            disjoint += check_results();
            move_pairs(&r);
        }
        ck_assert_uint_gt(disjoint, PAIRS);
    }
}
END_TEST

/* Whatever the cache holds, the answer is right: of other pairs, or numbers of vertices that there may or may not
 * be. */
START_TEST(any_cache_will_do)
{
    random_source r = test_seed + 1;
    make_pairs(&r);
    memset(caches, 0, sizeof caches);
    run_batch(true);
    for (unsigned round = 0; round < test_rounds; round++) {
        for (int i = 0; i < PAIRS; i++) {
            apart_cache *cache = &caches[i];
            for (int k = 0; round % 3 != 2 && k < 4; k++) {
                cache->index_a[k] = random_below(&r, 32) == 0 ? (uint32_t)random_bits(&r) : random_below(&r, 9);
                cache->index_b[k] = random_below(&r, 32) == 0 ? (uint32_t)random_bits(&r) : random_below(&r, 9);
            }
            cache->count = (uint16_t)(round % 3 == 2             ? cache->count
                                      : random_below(&r, 8) == 0 ? random_bits(&r)
                                                                 : 1 + random_below(&r, 3));
            cache->flags = (uint16_t)(random_below(&r, 8) == 0 ? random_bits(&r) : 0);
        }
        for (int i = 1; round % 3 == 2 && i < PAIRS; i++) {
            caches[i] = caches[i - 1];
        }
        run_batch(true);
        check_results();
    }
}
END_TEST

/* Lanes take nothing from the cache of other bodies: such pairs are answered as by single calls, bit for bit. Two hulls
 * that are boxes go through the lanes of boxes (test_batch_boxes, test_box_hulls). */
START_TEST(foreign_caches_are_left_to_single_calls)
{
    random_source r = test_seed + 9;
    make_pairs(&r);
    memset(caches, 0, sizeof caches);
    run_batch(true);
    for (int i = 0; i < PAIRS; i++) {
        caches[i].tag ^= i % 2 == 0 ? 2u : 0u;
        caches[i].flags = (uint16_t)(i % 2 == 0 ? 0 : 1);
    }
    memset(results, 0, sizeof results);
    const apart_batch batch = whole_batch(true);
    static apart_cache before[PAIRS];
    int compared = 0;
    memcpy(before, caches, sizeof caches);
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, NULL), APART_OK);
    for (int i = 0; i < PAIRS; i++) {
        const batch_pair *p = &pairs[i];
        apart_result alone;
        if (ap_sharp_box_extents(&p->a) != NULL && ap_sharp_box_extents(&p->b) != NULL) {
            continue;
        }
        compared++;
        memset(&alone, 0, sizeof alone);
        ck_assert_int_eq(apart_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, &before[i], &alone), APART_OK);
        ck_assert_msg(memcmp(&alone, &results[i], sizeof alone) == 0, "pair %d", i);
        ck_assert_msg(memcmp(&before[i], &caches[i], sizeof before[i]) == 0, "pair %d", i);
    }
    ck_assert_int_gt(compared, PAIRS / 2);
}
END_TEST

/* ---- rational arithmetic ---- */

START_TEST(bounds_hold_in_rational_arithmetic)
{
    random_source r = test_seed + 2;
    make_pairs(&r);
    memset(caches, 0, sizeof caches);
    run_batch(true);
    run_batch(true);
    ck_assert_uint_gt(check_exactly(50 * (int)test_rounds), 10);
}
END_TEST

/* ---- what lanes answer ---- */

static ap_lane_job job_of(int i, apart_result *result)
{
    batch_pair *p = &pairs[i];
    return (ap_lane_job){.a = &p->a,
                         .pose_a = &p->pose_a,
                         .b = &p->b,
                         .pose_b = &p->pose_b,
                         .cache = &caches[i],
                         .result = result};
}

/* Does a batch give this pair to a lane? */
static bool fits(const ap_lane_job *job) { return job->cache->count - 1u < AP_HULL_SIMPLICES && ap_hull_job_fits(job); }

/* How many pairs are answered by lanes. */
static unsigned count_answered(void)
{
    unsigned answered = 0;
    for (int i = 0; i < PAIRS; i++) {
        ap_lane_job job[AP_HULL_LANES];
        for (unsigned k = 0; k < AP_HULL_LANES; k++) {
            job[k] = job_of(i, &results[i]);
        }
        answered += fits(&job[0]) && ap_level_get()->batches->step_hulls(job, caches[i].count) != 0;
    }
    return answered;
}

/* Of hulls that turn by up to six degrees five in six are nearest where they were; that is what lanes are for. */
START_TEST(tracked_pairs_stay_in_lanes)
{
    random_source r = test_seed + 3;
    unsigned answered = 0;
    make_separated_pairs(&r);
    memset(caches, 0, sizeof caches);
    for (int step = 0; step < STEPS; step++) {
        run_batch(true);
        ck_assert_uint_ge(count_answered(), PAIRS - 1); /* where they are */
        move_pairs(&r);
        answered += count_answered();
    }
    ck_assert_uint_ge(answered, STEPS * PAIRS * 8 / 10);
}
END_TEST

/* Hulls of spheres' points at this distance. */
static void make_close_pairs(random_source *r, double distance)
{
    make_separated_pairs(r);
    memset(caches, 0, sizeof caches);
    run_batch(true);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i].pose_b.translation =
            apart_vec3_add_scaled(pairs[i].pose_b.translation, distance - results[i].distance, results[i].normal);
    }
    run_batch(true);
}

/* Close bodies are answered by lanes: v is perpendicular to its edges to rounding of its own length, not of theirs. */
START_TEST(close_pairs_stay_in_lanes)
{
    random_source r = test_seed + 10;
    make_close_pairs(&r, 1e-5);
    ck_assert_uint_ge(check_results(), PAIRS);
    ck_assert_uint_ge(count_answered(), PAIRS * 98 / 100);
}
END_TEST

/* Bodies that touch to rounding are not answered by lanes. */
START_TEST(contact_is_left_to_single_calls)
{
    random_source r = test_seed + 11;
    make_close_pairs(&r, 1e-14);
    ck_assert_uint_eq(count_answered(), 0);
    check_results();
}
END_TEST

/* Matrices in single precision are no less usual. */
START_TEST(single_precision_stays_in_lanes)
{
    random_source r = test_seed + 7;
    make_separated_pairs(&r);
    round_rotations();
    memset(caches, 0, sizeof caches);
    run_batch(true);
    ck_assert_uint_ge(count_answered(), PAIRS - 1);
    run_batch(true);
    check_results();
}
END_TEST

/* The pairs that fit and have so many vertices in their caches. */
static unsigned find_fitting(unsigned vertices, int *fitting)
{
    unsigned count = 0;
    for (int i = 0; i < PAIRS; i++) {
        const ap_lane_job job = job_of(i, &results[i]);
        if (caches[i].count == vertices && fits(&job)) {
            fitting[count++] = i;
        }
    }
    ck_assert_uint_gt(count, 0);
    return count;
}

/* The bounds of an answer from lanes are narrower than those of single calls can be, but count the bodies' own
 * errors. */
static void check_width(const batch_pair *p, const apart_result *r, int i)
{
    const double width = r->upper - r->lower, own = 2.0 * (p->a.error + p->b.error);
    ck_assert_msg(width >= own && width <= own + 31.0 * DBL_EPSILON * magnitude(p), "pair %d: width %g, of that %g", i,
                  width, own);
}

/* A pair gets the same bits in every lane and beside any others, answered or not; of those without an answer nothing is
 * touched. */
START_TEST(no_lane_sees_its_neighbours)
{
    static apart_result first[PAIRS];
    static bool known[PAIRS];
    static int fitting[AP_HULL_SIMPLICES][PAIRS];
    random_source r = test_seed + 8;
    unsigned seen = 0, refused = 0, counts[AP_HULL_SIMPLICES];
    make_pairs(&r);
    memset(caches, 0, sizeof caches);
    run_batch(true);
    move_pairs(&r);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i].b.error = 1e-9 * pairs[i].b.bound; /* as if the builder had dropped points */
    }
    memset(known, 0, sizeof known);
    for (unsigned k = 0; k < AP_HULL_SIMPLICES; k++) {
        counts[k] = find_fitting(k + 1, fitting[k]);
    }
    for (unsigned round = 0; round < 40 * PAIRS; round++) {
        ap_lane_job job[AP_HULL_LANES];
        apart_result result[AP_HULL_LANES], untouched;
        int number[AP_HULL_LANES];
        memset(&untouched, 0x77, sizeof untouched);
        memset(result, 0x77, sizeof result);
        const unsigned kind = random_below(&r, AP_HULL_SIMPLICES);
        for (unsigned k = 0; k < AP_HULL_LANES; k++) {
            number[k] = fitting[kind][random_below(&r, counts[kind])];
            job[k] = job_of(number[k], &result[k]);
        }
        const unsigned answered = ap_level_get()->batches->step_hulls(job, kind + 1);
        for (unsigned k = 0; k < AP_HULL_LANES; k++) {
            const apart_result *expected = &first[number[k]];
            if (!known[number[k]]) {
                first[number[k]] = result[k];
                known[number[k]] = true;
            }
            if ((answered >> k & 1u) != 0) {
                check_width(&pairs[number[k]], &result[k], number[k]);
            }
            ck_assert_msg(memcmp(expected, &result[k], sizeof result[k]) == 0, "pair %d", number[k]);
            ck_assert_msg((answered >> k & 1u) != 0 || memcmp(&untouched, &result[k], sizeof untouched) == 0, "pair %d",
                          number[k]);
            seen += answered >> k & 1u;
            refused += ~answered >> k & 1u;
        }
    }
    ck_assert_uint_gt(seen, PAIRS);
    ck_assert_uint_gt(refused, PAIRS);
}
END_TEST

/* ---- bad pairs ---- */

START_TEST(bad_poses_get_their_status)
{
    random_source r = test_seed + 4;
    make_separated_pairs(&r);
    memset(caches, 0, sizeof caches);
    run_batch(true);
    check_bad_poses(&r);
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
    Suite *suite = suite_create("batch hulls");
    TCase *test_case = tcase_create("batch hulls");
    tcase_set_timeout(test_case, 3600);
    tcase_add_checked_fixture(test_case, NULL, free_hulls);
    suite_add_tcase(suite, test_case);
    tcase_add_test(test_case, agree_with_single_calls_and_the_check);
    tcase_add_test(test_case, any_cache_will_do);
    tcase_add_test(test_case, foreign_caches_are_left_to_single_calls);
    tcase_add_test(test_case, bounds_hold_in_rational_arithmetic);
    tcase_add_test(test_case, tracked_pairs_stay_in_lanes);
    tcase_add_test(test_case, close_pairs_stay_in_lanes);
    tcase_add_test(test_case, contact_is_left_to_single_calls);
    tcase_add_test(test_case, single_precision_stays_in_lanes);
    tcase_add_test(test_case, no_lane_sees_its_neighbours);
    tcase_add_test(test_case, bad_poses_get_their_status);
    tcase_add_test(test_case, same_bits_at_every_level);
    return run_suite(suite);
}
