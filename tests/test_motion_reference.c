/* Times of impact against dense sampling and bisection: test_motion_reference [SEED [MOTIONS]].
 *
 * The reference knows nothing of motion bounds: it takes the exact path from other code (long double, libm), asks for
 * cold signed distances at many moments, and closes in on every local minimum and on the first change of sign. Checked
 * for each motion:
 *   - at no moment sampled before the time of impact the gap is below the certified bound, so there is no contact before it;
 *   - the gap at it is at most the tolerance;
 *   - where the reference sees an overlap, however small, the time of impact is not later than its first moment;
 *   - of a clear motion the certified bounds hold at every moment and are a tolerance apart at most. */
#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "moving_pairs.h"
#include "run_suite.h"

static uint64_t seed = 1;
static unsigned long motions = 3000;

/* Rounding of the reference's poses, in eps times the magnitude: entries of the rotation 1, the translation 2, the
 * query 27. */
#define NOISE 64.0
#define SAMPLES 160
#define SAMPLES_PER_TURN 40
#define SAMPLES_MAX 1600
#define GOLDEN_STEPS 60
#define BISECTIONS 60

typedef struct statistics {
    unsigned long count, hit, clear, start, limit;
    double iterations, seconds;
    uint32_t worst;
} statistics;

typedef struct reference {
    const moving_pair *pair;
    apart_impact impact;
    double noise;
    double smallest, smallest_t; /* signed, the least of all samples */
    apart_vec3 normal;           /* there */
    double lower;                /* of the distance at the last sample */
    const char *complaint;
    double complaint_t, complaint_value;
} reference;

static void complain(reference *f, const char *what, double t, double value)
{
    if (f->complaint == NULL) {
        f->complaint = what;
        f->complaint_t = t;
        f->complaint_value = value;
    }
}

/* The signed distance at a moment, cold; every sample is also a check of the claims. */
static double sample(reference *f, double t)
{
    apart_pose a, b;
    apart_result r;
    moving_poses(f->pair, t, &a, &b);
    ck_assert_int_eq(apart_distance(&f->pair->a, &a, &f->pair->b, &b, NULL, NULL, &r), APART_OK);
    const bool claimed = f->impact.outcome == APART_OUTCOME_CLEAR || t < f->impact.t;
    if (claimed && f->impact.tolerance > 0.0 && !(r.upper + f->noise >= f->impact.lower)) {
        complain(f, "the gap is below the certified bound", t, r.upper);
    }
    if (claimed && f->impact.tolerance > 0.0 && !(r.lower + f->noise > 0.0)) {
        complain(f, "contact where none was certified", t, r.lower);
    }
    f->lower = r.lower;
    if (r.distance < f->smallest) {
        f->smallest = r.distance;
        f->smallest_t = t;
        f->normal = r.normal;
    }
    return r.distance;
}

/* Golden section on a bracket of a local minimum. */
static void close_in(reference *f, double low, double high)
{
    const double g = 0.6180339887498949;
    double x = high - g * (high - low), y = low + g * (high - low);
    double fx = sample(f, x), fy = sample(f, y);
    for (int i = 0; i < GOLDEN_STEPS && high - low > 1e-9; i++) {
        if (fx < fy) {
            high = y, y = x, fy = fx;
            x = high - g * (high - low), fx = sample(f, x);
        } else {
            low = x, x = y, fx = fy;
            y = low + g * (high - low), fy = sample(f, y);
        }
    }
}

static int samples_of(const moving_pair *p)
{
    const apart_vec3 a = p->motion_a.angular, b = p->motion_b.angular;
    const double turns = (apart_vec3_norm(a) + apart_vec3_norm(b)) / 6.283;
    return (int)fmin(SAMPLES + SAMPLES_PER_TURN * turns, SAMPLES_MAX);
}

/* Samples [0, end], closes in on the minima that may matter, and returns the first time at which the distance was seen
 * <= 0 (2: never). */
static double scan(reference *f, double end)
{
    static double value[SAMPLES_MAX + 1];
    const int n = samples_of(f->pair);
    double first = 2.0;
    for (int i = 0; i <= n; i++) {
        const double t = end * i / n;
        value[i] = sample(f, t);
        if (value[i] <= 0.0 && first > 1.0) {
            double low = i > 0 ? end * (i - 1) / n : 0.0, high = t;
            for (int k = 0; k < BISECTIONS && high - low > 0.0; k++) {
                const double middle = 0.5 * (low + high);
                *(sample(f, middle) <= 0.0 ? &high : &low) = middle;
            }
            first = high;
        }
    }
    for (int i = 0; i <= n; i++) {
        const double before = i > 0 ? value[i - 1] : value[i], after = i < n ? value[i + 1] : value[i];
        const double drop = fmax(fabs(before - value[i]), fabs(after - value[i]));
        if (value[i] <= before && value[i] <= after && value[i] - 2.0 * drop < fmax(0.0, f->smallest)) {
            close_in(f, end * (i > 0 ? i - 1 : 0) / n, end * (i < n ? i + 1 : n) / n);
        }
    }
    if (f->smallest <= 0.0 && first > f->smallest_t) { /* only the refinement found it */
        double low = fmax(0.0, f->smallest_t - end / n), high = f->smallest_t;
        for (int k = 0; k < BISECTIONS; k++) {
            const double middle = 0.5 * (low + high);
            *(sample(f, middle) <= 0.0 ? &high : &low) = middle;
        }
        first = fmin(first, high);
    }
    return first;
}

static void check_claims(reference *f, double first)
{
    const apart_impact *im = &f->impact;
    switch (im->outcome) {
    case APART_OUTCOME_HIT: {
        const double gap = sample(f, im->t);
        if (!(gap <= im->tolerance + f->noise) || !(im->upper <= im->tolerance)) {
            complain(f, "the gap at the time of impact exceeds the tolerance", im->t, gap);
        }
        if (!(im->lower > 0.0) && im->t > 0.0) {
            complain(f, "the lower bound is not positive", im->t, im->lower);
        }
        if (im->t > first) {
            complain(f, "later than the first contact", first, im->t);
        }
        break;
    }
    case APART_OUTCOME_CLEAR:
        if (first <= 1.0 && f->smallest < -f->noise) {
            complain(f, "a contact was missed", first, f->smallest);
        }
        if (!(im->upper - im->lower <= im->tolerance)) {
            complain(f, "the bounds of the smallest gap are too far apart", im->t, im->upper - im->lower);
        }
        if (!(sample(f, im->t) <= im->upper + f->noise) || !(f->smallest <= im->upper + f->noise)) {
            complain(f, "the smallest gap exceeds its upper bound", im->t, f->smallest);
        }
        break;
    case APART_OUTCOME_START:
        /* Rounded bodies under matrices of single precision have wide bounds: contact is what they cannot exclude. */
        sample(f, 0.0);
        if (!(f->lower <= f->noise) || im->t != 0.0 || im->at.relation == APART_DISJOINT) {
            complain(f, "no contact at the start", 0.0, f->lower);
        }
        break;
    default: complain(f, "the limit of iterations", im->t, im->iterations); break;
    }
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Shifts a grazing pair so that its closest approach is near zero. */
static void prepare_graze(moving_pair *pair, random_source *r)
{
    reference f = {.pair = pair, .smallest = INFINITY};
    scan(&f, 1.0);
    moving_graze(pair, r, f.normal, f.smallest);
}

static bool run_motion(random_source *r, const hull_pool *pool, unsigned long number, statistics *stats)
{
    static moving_pair pair;
    moving_generate(&pair, r, pool);
    if (pair.family == MOVING_GRAZE || pair.family == MOVING_GRAZE_TURNING) {
        prepare_graze(&pair, r);
    }
    statistics *s = &stats[pair.family];
    reference f = {.pair = &pair, .smallest = INFINITY, .noise = NOISE * DBL_EPSILON * moving_magnitude(&pair)};
    const apart_motion_options options = {.tolerance = pair.tolerance, .gap = APART_GAP_TOLERANCE};
    const double start = seconds();
    const apart_status status =
        apart_time_of_impact(&pair.a, &pair.motion_a, &pair.b, &pair.motion_b, &options, NULL, &f.impact);
    s->seconds += seconds() - start;
    ck_assert_msg(status == APART_OK, "motion %lu of seed %" PRIu64 " (%s): %s", number, seed,
                  moving_family_name[pair.family], apart_status_name(status));
    s->count++;
    s->hit += f.impact.outcome == APART_OUTCOME_HIT;
    s->clear += f.impact.outcome == APART_OUTCOME_CLEAR;
    s->start += f.impact.outcome == APART_OUTCOME_START;
    s->limit += f.impact.outcome == APART_OUTCOME_LIMIT;
    s->iterations += f.impact.iterations;
    s->worst = f.impact.iterations > s->worst ? f.impact.iterations : s->worst;
    if (f.impact.outcome == APART_OUTCOME_START) {
        check_claims(&f, 0.0);
    } else {
        const double first = scan(&f, 1.0);
        if (f.impact.outcome == APART_OUTCOME_HIT && f.impact.t > 0.0) {
            scan(&f, f.impact.t);
        }
        check_claims(&f, first);
    }
    if (f.complaint != NULL) {
        printf(
            "motion %lu of seed %" PRIu64
            " (%s, %s and %s, scale %g): %s: t = %.17g, value %.17g; outcome %s at %.17g, lower %.17g, upper %.17g, tolerance %g\n",
            number, seed, moving_family_name[pair.family], apart_shape_name(&pair.a), apart_shape_name(&pair.b),
            pair.scale, f.complaint, f.complaint_t, f.complaint_value, apart_outcome_name(f.impact.outcome), f.impact.t,
            f.impact.lower, f.impact.upper, f.impact.tolerance);
    }
    return f.complaint == NULL;
}

static void build_hulls(hull_pool *pool, random_source *r)
{
    for (int i = 0; i < HULL_POOL_SIZE; i++) {
        double xyz[3 * PAIR_POINTS_MAX];
        const size_t n = random_body(r, xyz);
        ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &pool->hulls[i]), APART_OK);
    }
}

START_TEST(seeded_motions)
{
    static statistics stats[MOVING_FAMILIES];
    static hull_pool pool;
    random_source start = seed;
    random_source r = random_bits(&start);
    unsigned long failures = 0;
    build_hulls(&pool, &r);
    for (unsigned long i = 0; i < motions; i++) {
        failures += run_motion(&r, &pool, i, stats) ? 0 : 1;
    }
    hull_pool_free(&pool);
    printf("seed %" PRIu64 ", %lu motions\n%-16s %7s %7s %7s %7s %5s %10s %8s %9s\n", seed, motions, "family",
           "motions", "hit", "clear", "start", "limit", "iterations", "worst", "us each");
    for (int i = 0; i < MOVING_FAMILIES; i++) {
        const statistics *s = &stats[i];
        const double n = s->count > 0 ? (double)s->count : 1.0;
        printf("%-16s %7lu %7lu %7lu %7lu %5lu %10.1f %8" PRIu32 " %9.1f\n", moving_family_name[i], s->count, s->hit,
               s->clear, s->start, s->limit, s->iterations / n, s->worst, 1e6 * s->seconds / n);
    }
    fflush(stdout);
    ck_assert_msg(failures == 0, "%lu failures, seed %" PRIu64, failures, seed);
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    motions = argc > 2 ? strtoul(argv[2], NULL, 10) : motions;
    Suite *suite = suite_create("motion reference");
    TCase *t = tcase_create("motion reference");
    tcase_set_timeout(t, 0);
    tcase_add_test(t, seeded_motions);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
