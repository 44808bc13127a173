/* Batches give a pair the same bits for any number of threads, order and split, and those of a single call unless both
 * bodies are boxes or tiny hulls (which test_batch_boxes.c and test_batch_hulls.c test); failing pairs; bad arguments.
 *
 * usage: test_batch [SEED] */
#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pairs.h"
#include "run_suite.h"

enum { PAIRS = 900, STEPS = 4, TINY_HULLS = 16 };

static const uint32_t thread_counts[] = {0, 1, 2, 3, 8};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

static uint64_t seed = 1;
static hull_pool pool;
static test_pair pairs[PAIRS];
static apart_pose moved[STEPS][PAIRS]; /* of B */

/* What batches of one pair say after every step, and the caches then. */
static apart_result expected[STEPS][PAIRS];
static apart_cache expected_caches[STEPS][PAIRS];

/* What one pair's owner might keep: everything the batch touches lies between fields it must not touch. */
typedef struct slot {
    uint32_t before;
    apart_status status;
    apart_result result;
    uint32_t a, between, b, behind;
    apart_cache cache;
    uint64_t after;
} slot;

static slot slots[PAIRS];

/* ---- pairs ---- */

static void build_hulls(random_source *r)
{
    for (int i = 0; i < HULL_POOL_SIZE; i++) {
        double xyz[3 * 100];
        const size_t n = 4 + random_below(r, i < TINY_HULLS ? 5 : 97);
        for (size_t k = 0; k < n; k++) {
            const apart_vec3 p = random_in_ball(r);
            memcpy(xyz + 3 * k, &p, sizeof p);
        }
        ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &pool.hulls[i]), APART_OK);
    }
}

/* The hard pairs of pairs.c are polytopes: every third is one of the other kinds, most of them near or in contact. */
static apart_shape other_shape(random_source *r)
{
    const double size = random_between(r, 0.3, 1.0);
    switch (random_below(r, 7)) {
    case 0: return apart_sphere(size);
    case 1: return apart_capsule(0.3, size);
    case 2: return apart_cylinder(0.4, size);
    case 3: return apart_cone(0.5, size);
    case 4: return apart_ellipsoid((apart_vec3){size, 0.5, 0.8});
    case 5: return apart_hull_shape(pool.hulls[random_below(r, HULL_POOL_SIZE)]);
    default: return apart_box((apart_vec3){0.5, size, 0.7});
    }
}

static apart_shape random_box(random_source *r)
{
    const double x = random_between(r, 0.3, 1.0), y = random_between(r, 0.3, 1.0), z = random_between(r, 0.3, 1.0);
    return apart_box((apart_vec3){x, y, z});
}

static apart_shape tiny_hull(random_source *r) { return apart_hull_shape(pool.hulls[random_below(r, TINY_HULLS)]); }

static void make_pair(test_pair *p, random_source *r)
{
    pair_generate(p, r, &pool);
    const unsigned how = random_below(r, 4);
    if (how == 1 || how == 2) {
        p->a = how == 1 ? random_box(r) : tiny_hull(r);
        p->b = how == 1 ? random_box(r) : tiny_hull(r);
        const apart_vec3 at = random_in_ball(r);
        p->pose_a = (apart_pose){random_rotation(r), {0.0, 0.0, 0.0}};
        p->pose_b = (apart_pose){random_rotation(r), {5.0 * at.x, 5.0 * at.y, 5.0 * at.z}};
    } else if (how == 0) {
        p->a = random_below(r, 9) == 0 ? apart_half_space(random_in_ball(r), 0.0) : other_shape(r);
        p->b = other_shape(r);
        const apart_vec3 at = random_in_ball(r);
        p->pose_a = (apart_pose){random_rotation(r), {0.0, 0.0, 0.0}};
        p->pose_b = (apart_pose){random_rotation(r), {2.5 * at.x, 2.5 * at.y, 2.5 * at.z}};
    }
}

static void move_pairs(random_source *r)
{
    for (int i = 0; i < PAIRS; i++) {
        const apart_vec3 way = random_in_ball(r);
        const double length = 0.05 * (pairs[i].a.kind == APART_SHAPE_HALF_SPACE ? 1.0 : pair_magnitude(&pairs[i]));
        for (int step = 0; step < STEPS; step++) {
            moved[step][i] = pairs[i].pose_b;
            if (pairs[i].b.dim == 3) {
                moved[step][i].translation.x += length * step * way.x;
                moved[step][i].translation.y += length * step * way.y;
                moved[step][i].translation.z += length * step * way.z;
            }
        }
    }
}

static bool is_tiny_hull(const apart_shape *shape)
{
    return shape->kind == APART_SHAPE_HULL && apart_hull_vertex_count(shape->u.hull) <= 8;
}

static bool goes_through_lanes(const test_pair *p)
{
    const bool boxes = p->a.kind == APART_SHAPE_BOX && p->b.kind == APART_SHAPE_BOX && p->a.dim == 3 && p->b.dim == 3;
    return boxes || (is_tiny_hull(&p->a) && is_tiny_hull(&p->b));
}

/* A batch of one pair, which is what any batch must say; and a single call, whose bits they are unless the pair goes
 * through lanes. */
static void ask_alone(const test_pair *p, const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                      apart_result *result)
{
    apart_cache single_cache = cache != NULL ? *cache : (apart_cache){0};
    apart_result single;
    memset(&single, 0, sizeof single);
    memset(result, 0, sizeof *result);
    const apart_batch batch = {.count = 1,
                               .a = {.shapes = &p->a, .poses = &p->pose_a},
                               .b = {.shapes = &p->b, .poses = pose_b},
                               .caches = cache,
                               .cache_stride = sizeof *cache,
                               .results = result,
                               .result_stride = sizeof *result};
    ck_assert_int_eq(apart_distance_batch(&batch, options, NULL), APART_OK);
    ck_assert_int_eq(apart_distance(&p->a, &p->pose_a, &p->b, pose_b, options, cache != NULL ? &single_cache : NULL,
                                    &single),
                     APART_OK);
    ck_assert_msg(single.lower <= result->upper && result->lower <= single.upper, "%s", p->family);
    if (!goes_through_lanes(p)) {
        ck_assert_msg(memcmp(&single, result, sizeof single) == 0, "%s", p->family);
        ck_assert_msg(cache == NULL || memcmp(&single_cache, cache, sizeof single_cache) == 0, "%s", p->family);
    }
}

static void ask_one_by_one(const apart_options *options)
{
    static apart_cache caches[PAIRS];
    memset(caches, 0, sizeof caches);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < PAIRS; i++) {
            ask_alone(&pairs[i], &moved[step][i], options, &caches[i], &expected[step][i]);
        }
        memcpy(expected_caches[step], caches, sizeof caches);
    }
}

static void set_up(void)
{
    random_source r = seed;
    build_hulls(&r);
    for (int i = 0; i < PAIRS; i++) {
        make_pair(&pairs[i], &r);
    }
    move_pairs(&r);
    ask_one_by_one(NULL);
}

static void tear_down(void) { hull_pool_free(&pool); }

/* ---- batches ---- */

/* Slot i holds pair order[i]; the fields that no batch may touch get a pattern. */
static void fill_slots(const uint32_t *order)
{
    memset(slots, 0x5a, sizeof slots);
    for (int i = 0; i < PAIRS; i++) {
        slots[i].a = slots[i].b = order[i];
        slots[i].cache = (apart_cache){0};
        memset(&slots[i].result, 0, sizeof slots[i].result);
    }
}

static apart_batch batch_of(size_t first, size_t count, int step, uint32_t threads)
{
    return (apart_batch){.count = count,
                         .a = {.shapes = &pairs[0].a,
                               .shape_stride = sizeof pairs[0],
                               .poses = &pairs[0].pose_a,
                               .pose_stride = sizeof pairs[0],
                               .indices = &slots[first].a,
                               .index_stride = sizeof slots[0],
                               .count = PAIRS},
                         .b = {.shapes = &pairs[0].b,
                               .shape_stride = sizeof pairs[0],
                               .poses = moved[step],
                               .pose_stride = sizeof moved[0][0],
                               .indices = &slots[first].b,
                               .index_stride = sizeof slots[0],
                               .count = PAIRS},
                         .caches = &slots[first].cache,
                         .cache_stride = sizeof slots[0],
                         .results = &slots[first].result,
                         .result_stride = sizeof slots[0],
                         .statuses = &slots[first].status,
                         .status_stride = sizeof slots[0],
                         .threads = threads};
}

static void compare_slots(const uint32_t *order, int step, const char *what)
{
    for (int i = 0; i < PAIRS; i++) {
        const slot *s = &slots[i];
        ck_assert_int_eq(s->status, APART_OK);
        ck_assert_msg(memcmp(&s->result, &expected[step][order[i]], sizeof s->result) == 0,
                      "%s: result of pair %u, step %d", what, order[i], step);
        ck_assert_msg(memcmp(&s->cache, &expected_caches[step][order[i]], sizeof s->cache) == 0,
                      "%s: cache of pair %u, step %d", what, order[i], step);
        ck_assert_msg(s->before == 0x5a5a5a5au && s->between == 0x5a5a5a5au && s->behind == 0x5a5a5a5au &&
                          s->after == 0x5a5a5a5a5a5a5a5au,
                      "%s: beside pair %u", what, order[i]);
        ck_assert(s->a == order[i] && s->b == order[i]);
    }
}

static void keep_order(uint32_t *order)
{
    for (uint32_t i = 0; i < PAIRS; i++) {
        order[i] = i;
    }
}

static void shuffle(uint32_t *order, random_source *r)
{
    keep_order(order);
    for (uint32_t i = PAIRS; i > 1; i--) {
        const uint32_t k = random_below(r, i), swapped = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swapped;
    }
}

/* All steps, every step in batches of at most `most` pairs. */
static void run_steps(const uint32_t *order, const apart_options *options, uint32_t threads, unsigned most,
                      random_source *r, const char *what)
{
    fill_slots(order);
    for (int step = 0; step < STEPS; step++) {
        for (size_t first = 0, count; first < PAIRS; first += count) {
            count = most < PAIRS ? 1 + random_below(r, most) : PAIRS;
            count = count < PAIRS - first ? count : PAIRS - first;
            const apart_batch batch = batch_of(first, count, step, threads);
            size_t failed = 1;
            ck_assert_int_eq(apart_distance_batch(&batch, options, &failed), APART_OK);
            ck_assert_uint_eq(failed, 0);
        }
        compare_slots(order, step, what);
    }
}

START_TEST(same_bits_for_any_number_of_threads)
{
    uint32_t order[PAIRS];
    keep_order(order);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        run_steps(order, NULL, thread_counts[t], PAIRS, NULL, "threads");
    }
}
END_TEST

START_TEST(same_bits_in_any_order)
{
    random_source r = seed + 1;
    uint32_t order[PAIRS];
    for (int t = 0; t < THREAD_COUNTS; t++) {
        shuffle(order, &r);
        run_steps(order, NULL, thread_counts[t], PAIRS, NULL, "shuffled");
    }
}
END_TEST

START_TEST(same_bits_for_any_split)
{
    random_source r = seed + 2;
    uint32_t order[PAIRS];
    for (int t = 0; t < THREAD_COUNTS; t++) {
        shuffle(order, &r);
        run_steps(order, NULL, thread_counts[t], t % 2 == 0 ? 5 : 150, &r, "split");
    }
}
END_TEST

START_TEST(same_bits_with_options)
{
    const apart_options all[] = {{.depth = APART_DEPTH_NONE},
                                 {.cutoff = 0.3},
                                 {.tolerance = 1e-3, .depth = APART_DEPTH_BOUNDS},
                                 {.solver = APART_SOLVER_JOHNSON, .support = APART_SUPPORT_SCAN}};
    uint32_t order[PAIRS];
    keep_order(order);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ask_one_by_one(&all[i]);
        run_steps(order, &all[i], 3, PAIRS, NULL, "options");
    }
}
END_TEST

/* Without indices, caches and statuses: pair i has shape i and pose i. */
START_TEST(arrays_without_indices)
{
    static apart_result results[PAIRS];
    for (int t = 0; t < THREAD_COUNTS; t++) {
        const apart_batch batch = {.count = PAIRS,
                                   .a = {.shapes = &pairs[0].a,
                                         .shape_stride = sizeof pairs[0],
                                         .poses = &pairs[0].pose_a,
                                         .pose_stride = sizeof pairs[0]},
                                   .b = {.shapes = &pairs[0].b,
                                         .shape_stride = sizeof pairs[0],
                                         .poses = moved[0],
                                         .pose_stride = sizeof moved[0][0]},
                                   .results = results,
                                   .result_stride = sizeof results[0],
                                   .threads = thread_counts[t]};
        memset(results, 0, sizeof results);
        ck_assert_int_eq(apart_distance_batch(&batch, NULL, NULL), APART_OK);
        for (int i = 0; i < PAIRS; i++) {
            apart_result cold;
            ask_alone(&pairs[i], &moved[0][i], NULL, NULL, &cold);
            ck_assert_msg(memcmp(&results[i], &cold, sizeof cold) == 0, "pair %d", i);
        }
    }
}
END_TEST

/* Stride 0: one body against many, one shape at many poses. */
START_TEST(one_against_many)
{
    static apart_pose poses[PAIRS];
    static apart_result results[PAIRS];
    random_source r = seed + 3;
    const apart_shape box = apart_box((apart_vec3){0.2, 0.4, 0.3}), ball = apart_sphere(0.1);
    const apart_pose still = apart_pose_identity();
    for (int i = 0; i < PAIRS; i++) {
        poses[i] = (apart_pose){random_rotation(&r), random_in_ball(&r)};
    }
    const apart_batch batch = {.count = PAIRS,
                               .a = {.shapes = &box, .poses = &still},
                               .b = {.shapes = &ball, .poses = poses, .pose_stride = sizeof poses[0]},
                               .results = results,
                               .result_stride = sizeof results[0],
                               .threads = 2};
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, NULL), APART_OK);
    for (int i = 0; i < PAIRS; i++) {
        apart_result alone;
        memset(&alone, 0, sizeof alone);
        ck_assert_int_eq(apart_distance(&box, &still, &ball, &poses[i], NULL, NULL, &alone), APART_OK);
        ck_assert_msg(memcmp(&results[i], &alone, sizeof alone) == 0, "pair %d", i);
    }
}
END_TEST

/* ---- failures ---- */

/* Every 17th pair from the 40th on is bad, in one of four ways. */
static apart_status bad_status(uint32_t i)
{
    static const apart_status ways[] = {APART_ERR_ROTATION, APART_ERR_NEGATIVE_SIZE, APART_ERR_ID, APART_ERR_NONFINITE};
    return i >= 40 && i % 17 == 6 ? ways[i / 17 % 4] : APART_OK;
}

static void spoil_pairs(void)
{
    for (uint32_t i = 0; i < PAIRS; i++) {
        switch (bad_status(i)) {
        case APART_ERR_ROTATION: moved[0][i].rotation.x.x += 0.5; break;
        case APART_ERR_NEGATIVE_SIZE: pairs[i].a = apart_sphere(-1.0); break;
        case APART_ERR_ID: slots[i].b = i % 2 == 0 ? PAIRS : UINT32_MAX; break;
        case APART_ERR_NONFINITE: pairs[i].pose_a.translation.y = strtod("inf", NULL); break;
        default: break;
        }
    }
}

START_TEST(a_bad_pair_does_not_stop_the_others)
{
    uint32_t order[PAIRS];
    keep_order(order);
    size_t bad = 0, first = PAIRS;
    for (uint32_t i = PAIRS; i-- > 0;) {
        bad += bad_status(i) != APART_OK;
        first = bad_status(i) != APART_OK ? i : first;
    }
    for (int t = 0; t < 4 * THREAD_COUNTS; t++) {
        fill_slots(order);
        spoil_pairs();
        for (int i = 0; i < PAIRS; i++) {
            memset(&slots[i].result, 0x77, sizeof slots[i].result);
        }
        apart_batch batch = batch_of(0, PAIRS, 0, thread_counts[t % THREAD_COUNTS]);
        batch.statuses = t % 2 == 0 ? batch.statuses : NULL;
        size_t failed = 0;
        ck_assert_int_eq(apart_distance_batch(&batch, NULL, &failed), bad_status((uint32_t)first));
        ck_assert_uint_eq(failed, bad);
        for (uint32_t i = 0; i < PAIRS; i++) {
            const apart_status wanted = bad_status(i);
            apart_result untouched;
            memset(&untouched, 0x77, sizeof untouched);
            ck_assert_int_eq(slots[i].status, batch.statuses != NULL ? (int)wanted : 0x5a5a5a5a);
            ck_assert_msg(memcmp(&slots[i].result, wanted == APART_OK ? &expected[0][i] : &untouched,
                                 sizeof untouched) == 0,
                          "pair %u", i);
        }
        /* The next round spoils again. */
        for (uint32_t i = 0; i < PAIRS; i++) {
            moved[0][i].rotation = moved[1][i].rotation;
        }
    }
    /* The first failure is that of the lowest number, not of the lowest status. */
    for (size_t from = first; from < PAIRS; from += 17) {
        const apart_batch rest = batch_of(from, PAIRS - from, 0, 3);
        spoil_pairs();
        ck_assert_int_eq(apart_distance_batch(&rest, NULL, NULL), bad_status((uint32_t)from));
        for (uint32_t i = 0; i < PAIRS; i++) {
            moved[0][i].rotation = moved[1][i].rotation;
        }
    }
}
END_TEST

static void refuse(apart_batch batch, const apart_options *options, apart_status wanted, int where)
{
    static slot before[PAIRS];
    size_t failed = 7;
    memcpy(before, slots, sizeof slots);
    const apart_status status = apart_distance_batch(&batch, options, &failed);
    ck_assert_msg(status == wanted, "%d: %s", where, apart_status_name(status));
    ck_assert_uint_eq(failed, 0);
    ck_assert_msg(memcmp(before, slots, sizeof slots) == 0, "%d: something was written", where);
}

/* A good batch with one pointer NULL. */
static void refuse_without(size_t offset)
{
    apart_batch batch = batch_of(0, PAIRS, 0, 2);
    memset((char *)&batch + offset, 0, sizeof(void *));
    refuse(batch, NULL, APART_ERR_NULL, (int)offset);
}

/* A good batch with another stride. */
static void refuse_stride(size_t offset, size_t stride)
{
    apart_batch batch = batch_of(0, PAIRS, 0, 2);
    memcpy((char *)&batch + offset, &stride, sizeof stride);
    refuse(batch, NULL, APART_ERR_SIZE, (int)offset);
}

START_TEST(bad_batches_are_refused)
{
    uint32_t order[PAIRS];
    keep_order(order);
    fill_slots(order);
    size_t failed = 7;
    ck_assert_int_eq(apart_distance_batch(NULL, NULL, &failed), APART_ERR_NULL);
    ck_assert_uint_eq(failed, 0);
    ck_assert_int_eq(apart_distance_batch(NULL, NULL, NULL), APART_ERR_NULL);
    refuse(batch_of(0, PAIRS, 0, 257), NULL, APART_ERR_OPTION, __LINE__);
    refuse_without(offsetof(apart_batch, a.shapes));
    refuse_without(offsetof(apart_batch, a.poses));
    refuse_without(offsetof(apart_batch, b.shapes));
    refuse_without(offsetof(apart_batch, b.poses));
    refuse_without(offsetof(apart_batch, results));
    refuse_stride(offsetof(apart_batch, a.shape_stride), sizeof(apart_shape) + 4);
    refuse_stride(offsetof(apart_batch, a.shape_stride), sizeof(apart_shape) - 8);
    refuse_stride(offsetof(apart_batch, a.pose_stride), sizeof(apart_pose) + 1);
    refuse_stride(offsetof(apart_batch, b.shape_stride), 8);
    refuse_stride(offsetof(apart_batch, b.pose_stride), 24);
    refuse_stride(offsetof(apart_batch, b.pose_stride),
                  PTRDIFF_MAX / (PAIRS - 1) / 8 * 8 + 8); /* beyond all addresses */
    refuse_stride(offsetof(apart_batch, a.index_stride), 6);
    refuse_stride(offsetof(apart_batch, b.index_stride), 2);
    refuse_stride(offsetof(apart_batch, cache_stride), 0);
    refuse_stride(offsetof(apart_batch, cache_stride), sizeof(apart_cache) + 4);
    refuse_stride(offsetof(apart_batch, result_stride), 0);
    refuse_stride(offsetof(apart_batch, result_stride), sizeof(apart_result) - 8);
    refuse_stride(offsetof(apart_batch, result_stride), sizeof(apart_result) + 2);
    refuse_stride(offsetof(apart_batch, status_stride), 0);
    refuse_stride(offsetof(apart_batch, status_stride), sizeof(apart_status) + 1);
}
END_TEST

START_TEST(what_pairs_cannot_share_is_refused)
{
    uint32_t order[PAIRS];
    keep_order(order);
    fill_slots(order);
    static char memory[APART_DEPTH_CACHE_BYTES(64)];
    apart_trace trace = {0};
    apart_stats stats = {0};
    apart_depth_cache *kept = NULL;
    ck_assert_int_eq(apart_depth_cache_init(memory, sizeof memory, &kept), APART_OK);
    refuse(batch_of(0, PAIRS, 0, 1), &(apart_options){.trace = &trace}, APART_ERR_OPTION, __LINE__);
    refuse(batch_of(0, PAIRS, 0, 1), &(apart_options){.stats = &stats}, APART_ERR_OPTION, __LINE__);
    refuse(batch_of(0, PAIRS, 0, 1), &(apart_options){.depth_cache = kept}, APART_ERR_OPTION, __LINE__);
    /* Options that no pair takes fail in every pair, as in single calls. */
    const apart_batch batch = batch_of(0, PAIRS, 0, 2);
    size_t failed = 0;
    ck_assert_int_eq(apart_distance_batch(&batch, &(apart_options){.solver = APART_SOLVER_COUNT}, &failed),
                     APART_ERR_OPTION);
    ck_assert_uint_eq(failed, PAIRS);
}
END_TEST

START_TEST(nothing_to_do)
{
    size_t failed = 7;
    const apart_batch none = {.count = 0};
    ck_assert_int_eq(apart_distance_batch(&none, NULL, &failed), APART_OK);
    ck_assert_uint_eq(failed, 0);
    /* No bodies at all, but pairs that name some. */
    uint32_t order[PAIRS];
    keep_order(order);
    fill_slots(order);
    apart_batch batch = batch_of(0, PAIRS, 0, 2);
    batch.a.count = 0;
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, &failed), APART_ERR_ID);
    ck_assert_uint_eq(failed, PAIRS);
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    Suite *suite = suite_create("batch");
    TCase *test_case = tcase_create("batch");
    tcase_add_checked_fixture(test_case, set_up, tear_down);
    tcase_set_timeout(test_case, 300);
    suite_add_tcase(suite, test_case);
    tcase_add_test(test_case, same_bits_for_any_number_of_threads);
    tcase_add_test(test_case, same_bits_in_any_order);
    tcase_add_test(test_case, same_bits_for_any_split);
    tcase_add_test(test_case, same_bits_with_options);
    tcase_add_test(test_case, arrays_without_indices);
    tcase_add_test(test_case, one_against_many);
    tcase_add_test(test_case, a_bad_pair_does_not_stop_the_others);
    tcase_add_test(test_case, bad_batches_are_refused);
    tcase_add_test(test_case, what_pairs_cannot_share_is_refused);
    tcase_add_test(test_case, nothing_to_do);
    return run_suite(suite);
}
