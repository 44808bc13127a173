/* Overlapping boxes, which their fifteen axes answer: what a cache holds changes no number, whether it is honest, old,
 * another pair's or nonsense; through contact and back; plates, needles, parallel and nearly parallel edges; points,
 * weights and corners fit.
 *
 * usage: test_box_depth [SEED [ROUNDS]] */
#include "depth_checks.h"
#include "lanes/box_feature.h"
#include "run_suite.h"

enum { PAIRS = 400, STEPS = 10 };

static uint64_t seed = 1;
static unsigned rounds = 3;

/* ---- pairs ---- */

static apart_vec3 random_extents(random_source *r, bool unit_sized)
{
    const double x = random_between(r, 0.3, 1.0), y = random_between(r, 0.3, 1.0), z = random_between(r, 0.3, 1.0);
    switch (unit_sized ? 9u : random_below(r, 6)) {
    case 0: return vec(random_magnitude(r, -14, 0), y, z);
    case 1: return vec(x, 0.0, z);
    case 2: return vec(0.0, y, 0.0);
    case 3: return vec(0.5, 0.5, 1.0);
    default: return vec(x, y, z);
    }
}

/* A's own matrix, one that is turned a little away from it, or any. */
static apart_mat3 random_turn(random_source *r, const apart_mat3 *of_a, bool unit_sized)
{
    const unsigned how = unit_sized ? 3 : random_below(r, 4);
    const apart_vec3 axis = how == 2 ? of_a->y : random_in_ball(r);
    const apart_pose first = {*of_a, {0.0, 0.0, 0.0}};
    apart_pose turn;
    if (how == 3 ||
        apart_pose_from_axis_angle(axis, random_magnitude(r, -16, 0), vec(0.0, 0.0, 0.0), &turn) != APART_OK) {
        return random_rotation(r);
    }
    return how == 0 ? *of_a : apart_pose_compose(&turn, &first).rotation;
}

static void make_pair(test_pair *p, random_source *r, bool unit_sized)
{
    static const double scales[] = {1.0, 1.0, 1e-3, 1e6, 1e-150, 1e120};
    const double scale = unit_sized ? 1.0 : scales[random_below(r, sizeof scales / sizeof *scales)];
    const apart_vec3 from = random_in_ball(r), by = apart_vec3_scale(unit_sized ? 0.5 : 0.9, random_in_ball(r));
    p->a = apart_box(apart_vec3_scale(scale, random_extents(r, unit_sized)));
    p->b = apart_box(apart_vec3_scale(scale, random_extents(r, unit_sized)));
    p->pose_a.rotation = random_rotation(r);
    p->pose_b.rotation = random_turn(r, &p->pose_a.rotation, unit_sized);
    p->pose_a.translation = apart_vec3_scale(scale, from);
    p->pose_b.translation = apart_vec3_scale(scale, apart_vec3_add(from, by));
}

/* A step of up to six degrees and 0.05. */
static void move_pair(test_pair *p, random_source *r)
{
    const apart_pose old = {p->pose_b.rotation, {0.0, 0.0, 0.0}};
    const double size = p->a.bound + p->b.bound;
    const apart_vec3 axis = random_in_ball(r);
    apart_pose turn;
    if (random_below(r, 4) != 0 &&
        apart_pose_from_axis_angle(axis, random_between(r, 0.0, 0.1), vec(0.0, 0.0, 0.0), &turn) == APART_OK) {
        p->pose_b.rotation = apart_pose_compose(&turn, &old).rotation;
    }
    p->pose_b.translation = apart_vec3_add_scaled(p->pose_b.translation, 0.03 * size, random_in_ball(r));
}

/* ---- checks ---- */

static apart_result ask(const test_pair *p, apart_cache *cache)
{
    return query(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, cache);
}

/* The same numbers as from an empty cache where the axes decide; within the bounds where the boxes hardly touch, are
 * apart, or the points of a degenerate face had to be searched for. */
static void compare_with_cold(const test_pair *p, const apart_result *r, const char *what, int i)
{
    apart_cache empty = {.count = 0};
    const apart_result cold = ask(p, &empty);
    if (ap_box_overlapped(&empty)) {
        ck_assert_msg(r->distance == cold.distance && r->lower == cold.lower && r->upper == cold.upper,
                      "%s, pair %d: %.17g, cold %.17g", what, i, r->distance, cold.distance);
        ck_assert_msg(r->relation == APART_OVERLAPPING && largest(apart_vec3_sub(r->normal, cold.normal)) == 0.0,
                      "%s, pair %d", what, i);
        ck_assert_msg(largest(apart_vec3_sub(r->a, cold.a)) == 0.0 && largest(apart_vec3_sub(r->b, cold.b)) == 0.0,
                      "%s, pair %d", what, i);
    }
    ck_assert_msg(r->lower <= cold.upper && cold.lower <= r->upper, "%s, pair %d: [%.17g, %.17g], cold [%.17g, %.17g]",
                  what, i, r->lower, r->upper, cold.lower, cold.upper);
}

/* The blend of a body's corners that the result names is its witness point. */
static void check_blend(const apart_shape *shape, const apart_pose *pose, const uint32_t *index, const apart_result *r,
                        apart_vec3 point, double tolerance, int i)
{
    double xyz[24];
    apart_vec3 sum = {0.0, 0.0, 0.0};
    ck_assert_uint_eq(shape_vertices(shape, xyz), 8);
    for (int k = 0; k < r->count; k++) {
        const double *v = &xyz[3 * index[k]];
        ck_assert_uint_lt(index[k], 8);
        sum = apart_vec3_add_scaled(sum, r->lambda[k], vec(v[0], v[1], v[2]));
    }
    const apart_vec3 off = apart_vec3_sub(apart_pose_apply(pose, sum), point);
    ck_assert_msg(largest(off) <= tolerance, "pair %d: a witness point is %g away from its corners", i, largest(off));
}

/* Points, weights and corners fit each other, and the independent check has nothing against them. */
static bool check_form(const test_pair *p, const apart_result *r, int i)
{
    const double tolerance = 64.0 * EPS * (pair_magnitude(p) + largest(p->pose_a.translation));
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        ck_assert_msg(k < r->count ? r->lambda[k] >= 0.0 : r->lambda[k] == 0.0 && r->index_a[k] == APART_NO_INDEX,
                      "pair %d", i);
        sum += r->lambda[k];
    }
    ck_assert_msg(fabs(sum - 1.0) <= 4.0 * EPS, "pair %d: the weights' sum is %.17g", i, sum);
    check_blend(&p->a, &p->pose_a, r->index_a, r, r->a, tolerance, i);
    check_blend(&p->b, &p->pose_b, r->index_b, r, r->b, tolerance, i);
    const apart_vec3 off = apart_vec3_add_scaled(apart_vec3_sub(r->b, r->a), -r->distance, r->normal);
    ck_assert_msg(largest(off) <= tolerance, "pair %d: b - a is off by %g", i, largest(off));
    apart_proof proof;
    ck_assert_int_eq(apart_verify(&p->a, &p->pose_a, &p->b, &p->pose_b, r, &proof), APART_OK);
    ck_assert_msg(proof.verdict != APART_REFUTED, "pair %d: %s", i, proof.reason);
    return proof.verdict == APART_PROVED;
}

START_TEST(tracked_boxes_get_the_cold_answer)
{
    random_source r = seed;
    unsigned proved = 0, straight = 0, overlapping = 0;
    for (int i = 0; i < PAIRS * (int)rounds; i++) {
        const bool unit_sized = i % 2 == 0;
        test_pair p;
        apart_cache cache = {.count = 0};
        make_pair(&p, &r, unit_sized);
        for (int step = 0; step < STEPS; step++) {
            const apart_result result = ask(&p, &cache);
            compare_with_cold(&p, &result, "tracked", i);
            proved += check_form(&p, &result, i) ? 1u : 0u;
            if (unit_sized && result.relation == APART_OVERLAPPING) {
                overlapping++;
                straight += ap_box_overlapped(&cache) ? 1u : 0u;
            }
            move_pair(&p, &r);
        }
    }
    ck_assert_uint_gt(proved, (unsigned)PAIRS * rounds * STEPS * 95 / 100);
    ck_assert_uint_gt(overlapping, (unsigned)PAIRS * rounds * STEPS / 4);
    ck_assert_uint_ge(straight, overlapping * 98 / 100); /* most need no search for their points */
}
END_TEST

/* Every direction as a hint, numbers that are not a direction, and random bytes. */
START_TEST(any_cache_will_do)
{
    random_source r = seed + 1;
    apart_cache last = {.count = 0};
    for (int i = 0; i < PAIRS; i++) {
        test_pair p;
        make_pair(&p, &r, i % 2 == 0);
        apart_cache cache = last; /* another pair's */
        apart_result result = ask(&p, &cache);
        compare_with_cold(&p, &result, "foreign", i);
        last = cache;
        for (unsigned flags = 0; flags < 32; flags++) {
            cache = (apart_cache){.tag = ap_box_tag(),
                                  .flags = (uint16_t)(AP_BOX_OVERLAPPED | flags | (i % 3 == 0 ? 0x3e0u : 0u))};
            result = ask(&p, &cache);
            compare_with_cold(&p, &result, "hint", i);
        }
        random_bytes(&r, &cache, sizeof cache);
        cache.tag = ap_box_tag();
        result = ask(&p, &cache);
        compare_with_cold(&p, &result, "random bytes", i);
    }
}
END_TEST

/* One box passes through the other: apart, touching, overlapping, apart again; single calls, and single calls and
 * batches in turn. */
START_TEST(through_contact_and_back)
{
    random_source r = seed + 2;
    for (int i = 0; i < PAIRS / 4; i++) {
        test_pair p;
        make_pair(&p, &r, i % 2 == 0);
        const apart_vec3 start = p.pose_a.translation,
                         displacement = apart_vec3_scale(0.1 * (p.a.bound + p.b.bound), random_in_ball(&r));
        apart_cache cache = {.count = 0}, shared = {.count = 0};
        for (int step = -12; step <= 12; step++) {
            apart_result in_batch;
            p.pose_b.translation = apart_vec3_add_scaled(start, step, displacement);
            const apart_result result = ask(&p, &cache);
            compare_with_cold(&p, &result, "passing", i);
            check_form(&p, &result, i);
            const apart_batch batch = {.count = 1,
                                       .a = {.shapes = &p.a, .poses = &p.pose_a},
                                       .b = {.shapes = &p.b, .poses = &p.pose_b},
                                       .caches = &shared,
                                       .cache_stride = sizeof shared,
                                       .results = &in_batch,
                                       .result_stride = sizeof in_batch};
            ck_assert_int_eq(apart_distance_batch(&batch, NULL, NULL), APART_OK);
            compare_with_cold(&p, &in_batch, "passing, in a batch", i);
            const apart_result alone = ask(&p, &shared);
            compare_with_cold(&p, &alone, "passing, by turns", i);
        }
    }
}
END_TEST

/* The depth is the least of all directions: nothing that a scan over directions finds is below the lower bound of
 * -distance. */
START_TEST(no_direction_is_shorter)
{
    random_source r = seed + 3;
    for (int i = 0; i < PAIRS / 4; i++) {
        test_pair p;
        scene s;
        make_pair(&p, &r, i % 2 == 0);
        apart_cache cache = {.count = 0};
        ask(&p, &cache);
        const apart_result result = ask(&p, &cache);
        scene_make(&s, &p);
        for (int k = 0; k < 300; k++) {
            const apart_vec3 near =
                apart_vec3_add_scaled(result.normal, random_magnitude(&r, -9, 1), random_in_ball(&r));
            const double separation = scene_separation(&s, apart_vec3_scale(1.0 / apart_vec3_norm(near), near));
            ck_assert_msg(separation <= s.unit * result.upper + 64.0 * EPS, "pair %d: %.17g, above %.17g", i,
                          separation / s.unit, result.upper);
        }
        const double along = scene_separation(&s, result.normal);
        ck_assert_msg(along >= s.unit * result.lower - 64.0 * EPS, "pair %d: %.17g, below %.17g", i, along / s.unit,
                      result.lower);
    }
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : seed;
    rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : rounds;
    Suite *suite = suite_create("box_depth");
    TCase *tests = tcase_create("boxes");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, tracked_boxes_get_the_cold_answer);
    tcase_add_test(tests, any_cache_will_do);
    tcase_add_test(tests, through_contact_and_back);
    tcase_add_test(tests, no_direction_is_shorter);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
