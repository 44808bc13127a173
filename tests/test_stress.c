/* More than half a million degenerate pairs: every answer carries its own proof, which is checked here by scans over
 * all vertices; some are compared with the exact oracle or given to apart_verify.
 *
 * usage: test_stress [SEED [PAIRS]] */
#include "exact.h"
#include "pairs.h"
#include "run_suite.h"

#include <check.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPS DBL_EPSILON
#define DEFAULT_PAIRS 600000
/* One in this many goes to the oracle, and one to the independent check. */
#define EXACT_STRIDE 150
#define VERIFY_STRIDE 50
/* The oracle forms all differences of vertices; more than this would take too long. */
#define EXACT_DIFFERENCES 1500u
/* In eps * M: how far an answer may be from the exact one, and from its own certificate as recomputed here. */
#define ERROR_ALLOWED 64.0
#define SCAN_ROUNDING 16.0

static uint64_t seed = 1;
static unsigned long pairs = DEFAULT_PAIRS;

typedef struct vertex_list {
    double xyz[3 * PAIR_VERTICES_MAX];
    size_t count;
} vertex_list;

typedef struct stress {
    random_source random;
    hull_pool pool;
    apart_cache shared;
    unsigned long number; /* of the pair */
    unsigned long failures, disjoint, compared, verified, undecided, fallbacks;
    double worst; /* error in eps * M */
} stress;

/* What is being checked, for messages. */
typedef struct trial {
    const test_pair *pair;
    const apart_result *result;
    apart_options options;
    const char *cache;
    double magnitude;
    double unit; /* a power of two near 1 / magnitude */
} trial;

/* What the oracle says, for messages. */
static void print_exact(const test_pair *p)
{
    vertex_list a, b;
    exact_answer e;
    a.count = shape_vertices(&p->a, a.xyz);
    b.count = shape_vertices(&p->b, b.xyz);
    const exact_points pa = {.coordinates = a.xyz, .count = a.count, .dim = 3, .pose = &p->pose_a};
    const exact_points pb = {.coordinates = b.xyz, .count = b.count, .dim = 3, .pose = &p->pose_b};
    exact_distance(&pa, &pb, &e);
    printf("   exactly %.17g, %s\n", e.distance,
           e.relation == EXACT_DISJOINT   ? "disjoint"
           : e.relation == EXACT_TOUCHING ? "touching"
                                          : "overlapping");
}

static void complain(stress *s, const trial *t, const char *what, double value)
{
    s->failures++;
    if (s->failures > 10) {
        return;
    }
    const apart_result *r = t->result;
    printf("seed %" PRIu64 " pair %lu (%s, %s/%s, solver %s, support %s, cache %s): %s %.17g\n", seed, s->number,
           t->pair->family, apart_shape_name(&t->pair->a), apart_shape_name(&t->pair->b),
           apart_solver_name(t->options.solver), apart_support_name(t->options.support), t->cache, what, value);
    printf("   distance %.17g in [%.17g, %.17g], %s, stop %s, M %.3g\n", r->distance, r->lower, r->upper,
           apart_relation_name(r->relation), apart_stop_name(r->stop), t->magnitude);
    print_exact(t->pair);
    fflush(stdout); /* a failing test ends without flushing */
}

static apart_vec3 point_at(const double *xyz, size_t i)
{
    return (apart_vec3){xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
}

static bool is_finite(apart_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

/* A vertex relative to the body's centre, turned and in units of M: no large offset is left in it. */
static apart_vec3 turned(const trial *t, const apart_shape *shape, const apart_pose *pose, apart_vec3 p)
{
    return apart_pose_rotate(pose, apart_vec3_scale(t->unit, apart_vec3_sub(p, shape->center)));
}

/* p + q - r - s with the roundings carried along: the parts may be large and the sum small. */
static double sum_of_four(double p, double q, double r, double s)
{
    const double terms[3] = {q, -r, -s};
    double sum = p, lost = 0.0;
    for (int i = 0; i < 3; i++) {
        const double next = sum + terms[i], back = next - sum;
        lost += (sum - (next - back)) + (terms[i] - back);
        sum = next;
    }
    return sum + lost;
}

/* B's centre minus A's in units of M, also when both have the same large offset. */
static apart_vec3 between_centers(const trial *t)
{
    const test_pair *p = t->pair;
    const apart_vec3 a = apart_pose_rotate(&p->pose_a, p->a.center), b = apart_pose_rotate(&p->pose_b, p->b.center);
    const apart_vec3 ta = p->pose_a.translation, tb = p->pose_b.translation;
    const double x = sum_of_four(b.x, tb.x, a.x, ta.x), y = sum_of_four(b.y, tb.y, a.y, ta.y),
                 z = sum_of_four(b.z, tb.z, a.z, ta.z);
    return apart_vec3_scale(t->unit, (apart_vec3){x, y, z});
}

/* min over B - max over A of n.x, in units of M. */
static double separation(const trial *t, const vertex_list *a, const vertex_list *b, apart_vec3 n)
{
    const test_pair *p = t->pair;
    double most = -INFINITY, least = INFINITY;
    for (size_t i = 0; i < a->count; i++) {
        most = fmax(most, apart_vec3_dot(n, turned(t, &p->a, &p->pose_a, point_at(a->xyz, i))));
    }
    for (size_t i = 0; i < b->count; i++) {
        least = fmin(least, apart_vec3_dot(n, turned(t, &p->b, &p->pose_b, point_at(b->xyz, i))));
    }
    return (least - most) + apart_vec3_dot(n, between_centers(t));
}

/* The vertex a caller's index names: hulls count the points they were built from. */
static bool find_vertex(const apart_shape *shape, const vertex_list *v, uint32_t index, apart_vec3 *out)
{
    size_t i = index;
    if (shape->kind == APART_SHAPE_HULL) {
        for (i = 0; i < v->count && apart_hull_input_index(shape->u.hull, (uint32_t)i) != index; i++) {}
    }
    if (i >= v->count) {
        return false;
    }
    *out = point_at(v->xyz, i);
    return true;
}

/* |sum lambda (b_i - a_i)| in units of M: the distance of two points that certainly belong to the bodies. */
static double simplex_length(const trial *t, const vertex_list *a, const vertex_list *b)
{
    const test_pair *p = t->pair;
    const apart_result *r = t->result;
    const apart_vec3 centers = between_centers(t);
    apart_vec3 sum = {0, 0, 0};
    double weights = 0.0;
    for (int i = 0; i < r->count; i++) {
        apart_vec3 va, vb;
        if (!(r->lambda[i] >= 0.0) || !find_vertex(&p->a, a, r->index_a[i], &va) ||
            !find_vertex(&p->b, b, r->index_b[i], &vb)) {
            return INFINITY;
        }
        const apart_vec3 w = apart_vec3_sub(turned(t, &p->b, &p->pose_b, vb), turned(t, &p->a, &p->pose_a, va));
        sum.x += r->lambda[i] * (w.x + centers.x);
        sum.y += r->lambda[i] * (w.y + centers.y);
        sum.z += r->lambda[i] * (w.z + centers.z);
        weights += r->lambda[i];
    }
    return fabs(weights - 1.0) <= 16.0 * EPS ? apart_vec3_norm(sum) : INFINITY;
}

static bool check_form(stress *s, const trial *t, apart_status status)
{
    const apart_result *r = t->result;
    if (status != APART_OK) {
        complain(s, t, "status", status);
        return false;
    }
    const bool lower_ok = isfinite(r->lower) || (r->lower == -INFINITY && r->relation == APART_OVERLAPPING);
    if (!isfinite(r->distance) || !isfinite(r->upper) || !lower_ok || !is_finite(r->a) || !is_finite(r->b) ||
        !is_finite(r->normal)) {
        complain(s, t, "not finite", r->distance);
        return false;
    }
    if (r->stop == APART_STOP_ITERATIONS) {
        complain(s, t, "iteration limit", r->iterations);
    }
    if (!(r->lower <= r->distance && r->distance <= r->upper)) {
        complain(s, t, "not between its bounds", r->distance);
    }
    return true;
}

/* The certificate by scans over all vertices: the normal separates by `lower` (which is negative for overlaps), two
 * points of the bodies are at most `upper` apart, and contact is proved by a common point. That a depth is the least
 * one is not checked here. */
static void check_certificate(stress *s, const trial *t, const vertex_list *a, const vertex_list *b)
{
    const apart_result *r = t->result;
    const double m = t->unit * t->magnitude, rounding = SCAN_ROUNDING * EPS * m;
    const double length = simplex_length(t, a, b);
    if (r->relation == APART_TOUCHING || r->lower == -INFINITY) {
        if (!(length <= ERROR_ALLOWED * EPS * m)) {
            complain(s, t, "contact of bodies whose points are apart by (eps M)", length / (EPS * m));
        }
    }
    if (r->lower == -INFINITY) {
        return;
    }
    s->disjoint += r->relation == APART_DISJOINT;
    const double gap = separation(t, a, b, r->normal);
    if (gap < t->unit * r->lower - rounding) {
        complain(s, t, "the separation along the normal misses the lower bound by (eps M)",
                 (t->unit * r->lower - gap) / (EPS * m));
    }
    if (r->relation == APART_DISJOINT && length > t->unit * r->upper + rounding) {
        complain(s, t, "the simplex misses the upper bound by (eps M)", (length - t->unit * r->upper) / (EPS * m));
    }
    const double largest = fmax(fmax(fabs(r->a.x), fabs(r->a.y)),
                                fmax(fabs(r->a.z), fmax(fabs(r->b.x), fmax(fabs(r->b.y), fabs(r->b.z)))));
    const apart_vec3 rest =
        apart_vec3_add_scaled(apart_vec3_scale(t->unit, apart_vec3_sub(r->b, r->a)), -t->unit * r->distance, r->normal);
    const double allowed = 4.0 * EPS * t->unit * largest + t->unit * (r->upper - r->lower);
    if (apart_vec3_norm(rest) > allowed) {
        complain(s, t, "b - a misses distance * normal by (eps M)", apart_vec3_norm(rest) / (EPS * m));
    }
}

/* The rounding of overlaps: strictly overlapping by more than this must be recognised. */
static bool clearly_overlaps(const trial *t, const exact_points *a, const exact_points *b)
{
    return exact_meets_within(a, b, 4.0 * ERROR_ALLOWED * EPS * t->magnitude);
}

static void check_exact(stress *s, const trial *t, const vertex_list *a, const vertex_list *b)
{
    const apart_result *r = t->result;
    const exact_points pa = {.coordinates = a->xyz, .count = a->count, .dim = 3, .pose = &t->pair->pose_a};
    const exact_points pb = {.coordinates = b->xyz, .count = b->count, .dim = 3, .pose = &t->pair->pose_b};
    exact_answer e;
    exact_distance(&pa, &pb, &e);
    s->compared++;
    if (r->relation == APART_OVERLAPPING || e.relation == EXACT_OVERLAPPING) {
        if (e.distance > ERROR_ALLOWED * EPS * t->magnitude) {
            complain(s, t, "overlap of bodies with the exact distance", e.distance);
        }
        if (r->relation != APART_OVERLAPPING && clearly_overlaps(t, &pa, &pb)) {
            complain(s, t, "a clear overlap was not recognised", r->distance);
        }
        return;
    }
    const double error = fabs(r->distance - e.distance) / (EPS * t->magnitude);
    s->worst = fmax(s->worst, error);
    if (error > ERROR_ALLOWED) {
        complain(s, t, "exact distance", e.distance);
    }
    if (r->lower > e.below || r->upper < e.above) {
        complain(s, t, "bounds miss the exact distance", e.distance);
    }
}

static void check_verify(stress *s, const trial *t)
{
    apart_proof proof;
    const test_pair *p = t->pair;
    const apart_status status = apart_verify(&p->a, &p->pose_a, &p->b, &p->pose_b, t->result, &proof);
    if (status != APART_OK || proof.verdict == APART_REFUTED) {
        complain(s, t, status == APART_OK ? proof.reason : "apart_verify: status", status);
    }
    s->verified++;
    s->undecided += proof.verdict == APART_UNDECIDED && t->result->relation == APART_DISJOINT ? 1 : 0;
}

/* None, one for all pairs, or random bytes. */
static apart_cache *choose_cache(stress *s, trial *t, apart_cache *scratch)
{
    switch (random_below(&s->random, 4)) {
    case 0: t->cache = "shared"; return &s->shared;
    case 1:
        random_bytes(&s->random, scratch, sizeof *scratch);
        scratch->tag = random_below(&s->random, 2) == 0 ? s->shared.tag : scratch->tag;
        scratch->count = (uint16_t)random_below(&s->random, 6);
        for (int i = 0; i < 4; i++) {
            scratch->index_a[i] %= 10u;
            scratch->index_b[i] %= 10u;
        }
        t->cache = "garbage";
        return scratch;
    default: t->cache = "none"; return NULL;
    }
}

static void run_pair(stress *s)
{
    test_pair pair;
    apart_result result;
    apart_cache scratch;
    vertex_list a, b;
    trial t = {
        .pair = &pair,
        .result = &result,
    };
    memset(&result, 0, sizeof result);
    pair_generate(&pair, &s->random, &s->pool);
    t.options.depth = random_below(&s->random, 2) == 0 ? APART_DEPTH_NONE : APART_DEPTH_EXACT;
    if (random_below(&s->random, 4) == 0) {
        t.options.solver = (uint8_t)random_below(&s->random, APART_SOLVER_COUNT);
        t.options.support = (uint8_t)random_below(&s->random, APART_SUPPORT_COUNT);
    }
    apart_cache *cache = choose_cache(s, &t, &scratch);
    t.magnitude = pair_magnitude(&pair);
    t.unit = t.magnitude > 0.0 ? ldexp(1.0, -ilogb(t.magnitude)) : 1.0;
    const apart_status status =
        apart_distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &t.options, cache, &result);
    if (!check_form(s, &t, status)) {
        return;
    }
    s->fallbacks += result.fallback;
    a.count = shape_vertices(&pair.a, a.xyz);
    b.count = shape_vertices(&pair.b, b.xyz);
    check_certificate(s, &t, &a, &b);
    if (s->number % EXACT_STRIDE == 0 && a.count * b.count <= EXACT_DIFFERENCES) {
        check_exact(s, &t, &a, &b);
    }
    if (s->number % VERIFY_STRIDE == 0) {
        check_verify(s, &t);
    }
}

/* Small ones of all kinds, and some that are larger than what is scanned by default. */
static void build_hulls(hull_pool *pool, random_source *r)
{
    for (int i = 0; i < HULL_POOL_SIZE; i++) {
        double xyz[3 * PAIR_VERTICES_MAX];
        size_t n = 0;
        if (i % 4 != 0) {
            n = random_body(r, xyz);
        }
        for (; i % 4 == 0 && n < PAIR_VERTICES_MAX; n++) {
            const apart_vec3 p = random_in_ball(r);
            const double stretch = 1.0 / fmax(0.125, apart_vec3_norm(p));
            memcpy(&xyz[3 * n], &(apart_vec3){stretch * p.x, stretch * p.y, stretch * p.z}, sizeof p);
        }
        ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &pool->hulls[i]), APART_OK);
    }
}

START_TEST(degenerate_pairs)
{
    static stress s;
    random_source start = seed;
    s.random = random_bits(&start); /* neighbouring seeds have nothing in common */
    build_hulls(&s.pool, &s.random);
    for (s.number = 0; s.number < pairs; s.number++) {
        run_pair(&s);
    }
    hull_pool_free(&s.pool);
    printf("seed %" PRIu64 ": %lu pairs, %lu disjoint, %lu fallbacks; %lu compared exactly, worst error %.1f eps M; ",
           seed, pairs, s.disjoint, s.fallbacks, s.compared, s.worst);
    printf("%lu verified, %lu undecided\n", s.verified, s.undecided);
    fflush(stdout);
    ck_assert_msg(s.failures == 0, "%lu failures, seed %" PRIu64, s.failures, seed);
    ck_assert_uint_gt(s.disjoint, pairs / 4);
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    pairs = argc > 2 ? strtoul(argv[2], NULL, 10) : pairs;
    Suite *suite = suite_create("stress");
    TCase *t = tcase_create("stress");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, degenerate_pairs);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
