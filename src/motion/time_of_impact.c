/* The first contact of two moving bodies, and their smallest gap (item L7 of docs/papers.md).
 *
 * Conservative advancement (Mirtich 1996; Tang, Kim and Manocha 2009) with second-order bounds (moving_pair.c):
 * from a time t at which the gap and its direction are known, the gap is certified to stay above a level until some
 * later time.
 *
 * - Bodies that only translate: the bound is along the direction at t, from the support values at t and at the end,
 *   in closed form.
 * - Bodies that rotate: a trial time is queried, too, and the direction swivels from one normal to the other, so that
 *   the bound is the chord of the two gaps less a term that is quadratic in the step.
 *
 * We differ from the sources in that, in the certificate, which includes rounding, and in the level:
 *
 *   contact:      level = half the tolerance. When a query finds at most the tolerance, that is the time of impact.
 *   smallest gap: level = best known upper bound minus the tolerance, in a second pass over the motion. Wherever the
 *                 bodies come nearer than that, a local search first lowers the upper bound (it proves nothing and
 *                 need not), so that the pass does not creep downhill.
 *
 * A step advances by at least about (room above the level)/(greatest speed), so the loop ends; the number of
 * queries is limited besides. */
#include "impact.h"
#include "moving_pair.h"

/* The trial time T is where the gap would fall to the level, but no later than the curvature allows for a chord:
 * with K T^2 = 2 room a chord that ends at the level is above it all the time, with K T^2 = 6 room one that does
 * not fall keeps a quarter of the room. */
#define FALLING_SHARE 2.0
#define RISING_SHARE 6.0
/* A step of this share of what the greatest speed allows can always be certified with a fixed direction. */
#define SURE_SHARE 0.5
/* Fractions of the tolerance: the accuracy of a query, the gap that counts as a contact, the level of pass one, and
 * the distance of pass two's level below the best upper bound. */
#define QUERY_SHARE 0.0625
#define CONTACT_SHARE 0.9375
#define LEVEL_SHARE 0.5
#define NARROW_SHARE 0.75
/* A drop of the best upper bound by this fraction starts a local search. */
#define DROP_SHARE 0.125
/* The tolerance is at least this multiple of the rounding errors: these are then at most a sixteenth of it, and
 * room above every level remains. */
#define SLACK_SHARE 16.0
/* The default tolerance, relative to the sum of the bodies' radii. */
#define DEFAULT_TOLERANCE 1e-6
#define DEFAULT_ITERATIONS (1u << 20)
/* Bodies whose centres come nearer than this share of the sum of their radii are not likely to pass each other on two
 * sides of a fixed plane; and how often its proof may halve the time. */
#define PASSING_SHARE 0.5
#define HALVINGS 2
/* Local search: steps until the gap grows, each at most this angle of rotation, and steps to bracket the minimum. */
#define MARCH_STEPS 12
#define MARCH_ANGLE 0.75
#define CLOSING_STEPS 24

/* A time at which the distance was queried. */
typedef struct gap_sample {
    ap_moment moment;
    apart_result r;
    double upper;      /* bound of the gap of the exact motion */
    double growth;     /* rate of the gap, to first order */
    bool measured;     /* the separation along the normal is known */
    double separation; /* that, certified */
} gap_sample;

typedef struct impact_search {
    ap_moving_pair pair;
    const apart_motion_options *options;
    apart_cache *cache;
    apart_options query;
    apart_vec3 swivel; /* angular velocity of the direction in the last step: a guess for the next */
    bool fixed;        /* the last step was better with a fixed direction */
    double tolerance, until;
    double lowest;     /* certified so far, from 0 to the present */
    double candidate;  /* what the last chord would certify */
    double best_upper; /* least upper bound of a gap seen, and when */
    double best_t;
    uint32_t limit, iterations, separations;
    apart_status status;
} impact_search;

static void complete_sample(impact_search *s, gap_sample *p)
{
    p->upper = p->r.upper + s->pair.slack;
    p->measured = false;
    p->growth = ap_moving_pair_growth(&s->pair, &p->moment, p->r.normal, p->r.a, p->r.b);
    if (p->upper < s->best_upper) {
        s->best_upper = p->upper;
        s->best_t = p->moment.t;
    }
}

/* Queries the distance at time t. False: an error, or the limit of queries. */
static bool query_at(impact_search *s, double t, gap_sample *p)
{
    if (s->iterations >= s->limit) {
        return false;
    }
    s->iterations++;
    ap_moving_pair_at(&s->pair, t, &p->moment);
    s->status =
        apart_distance(s->pair.a.shape, &p->moment.a, s->pair.b.shape, &p->moment.b, &s->query, s->cache, &p->r);
    if (s->status != APART_OK) {
        return false;
    }
    complete_sample(s, p);
    return true;
}

/* Finds the separation along the normal, once: it is asked for at the end of a step and at the start of the next. */
static bool measure_sample(impact_search *s, gap_sample *p)
{
    if (!p->measured) {
        s->separations++;
        s->status = ap_moving_pair_separation(&s->pair, &p->moment, p->r.normal, &p->separation);
        p->measured = s->status == APART_OK;
    }
    return p->measured;
}

/* The trial time: where the gap would meet the level, unless the curvature forbids it; at least what the greatest
 * speed allows. */
static double trial_end(const impact_search *s, const gap_sample *p, double room)
{
    const double left = s->until - p->moment.t;
    const ap_swivel guess = {.from = p->r.normal, .rate = s->swivel, .span = 0.0};
    const double curvature = s->fixed ? ap_moving_pair_curvature(&s->pair, p->r.normal)
                                      : ap_moving_pair_swivel_curvature(&s->pair, &p->moment, &guess);
    const bool falls = p->growth < 0.0;
    double span = sqrt((falls ? FALLING_SHARE : RISING_SHARE) * (room / curvature));
    if (falls) {
        span = ap_min(span, room / -p->growth);
    }
    span = ap_max(span, SURE_SHARE * (room / s->pair.speed));
    return span < left ? p->moment.t + span : s->until;
}

/* The chord bound room + slope x - curvature x (end - x)/2, relative to the room: 1 - fall x + bow x^2/2. */
typedef struct chord {
    double fall, bow;
} chord;

/* How far after 0 the bound stays above 0, at most `end`. */
static double certified_part(const chord *c, double end)
{
    if (!(c->fall > 0.0)) {
        return end;
    }
    const double square = c->fall * c->fall - 2.0 * c->bow;
    return square < 0.0 ? end : ap_min(end, 2.0 / (c->fall + sqrt(square)));
}

static double lowest_value(const chord *c, double end)
{
    const double x = c->bow > 0.0 ? ap_min(ap_max(c->fall / c->bow, 0.0), end) : c->fall > 0.0 ? end : 0.0;
    return 1.0 - x * (c->fall - 0.5 * c->bow * x);
}

/* How far after p the gap stays above the level, given lower bounds of its separation at p and `span` later. */
static double certify_chord(impact_search *s, double level, double from, double to, double curvature, double span)
{
    const double room = from - level;
    const double bow = curvature / room;
    const chord c = {.fall = 0.5 * bow * span - ((to - from) / room) / span, .bow = bow};
    const double part = certified_part(&c, span);
    s->candidate = level + room * ap_min(1.0, ap_max(0.0, lowest_value(&c, part)));
    return part;
}

/* Certifies along the direction at p, fixed. */
static double certify_fixed(impact_search *s, const gap_sample *p, double level, double from, const ap_moment *end)
{
    double to;
    s->separations++;
    s->status = ap_moving_pair_separation(&s->pair, end, p->r.normal, &to);
    if (s->status != APART_OK) {
        return 0.0;
    }
    return certify_chord(s, level, from, to, ap_moving_pair_curvature(&s->pair, p->r.normal), end->t - p->moment.t);
}

/* Certifies along a direction that swivels from the one at p to the one at q; of a half-space that is its normal. */
static double certify_swivel(impact_search *s, const gap_sample *p, double level, double from, gap_sample *q)
{
    ap_swivel swivel = {.from = p->r.normal, .span = q->moment.t - p->moment.t};
    const bool plane = s->pair.a.plane || s->pair.b.plane;
    if (!plane && !ap_swivel_between(p->r.normal, q->r.normal, swivel.span, &swivel)) {
        return 0.0;
    }
    if (!measure_sample(s, q)) {
        return 0.0;
    }
    s->swivel = swivel.rate;
    return certify_chord(s, level, from, q->separation, ap_moving_pair_swivel_curvature(&s->pair, &p->moment, &swivel),
                         swivel.span);
}

typedef enum step_verdict { MEETS, PASSES, STOPPED, GOES_ON } step_verdict;

/* The gap is above the level until `next`: queries the distance there. If that fails, p keeps the time all the
 * same. */
static step_verdict advance_to(impact_search *s, gap_sample *p, double next)
{
    if (!(next > p->moment.t)) {
        return STOPPED;
    }
    s->lowest = ap_min(s->lowest, s->candidate);
    if (next >= s->until) {
        return PASSES;
    }
    if (!query_at(s, next, p)) {
        p->moment.t = next;
        return STOPPED;
    }
    return GOES_ON;
}

static step_verdict step_translating(impact_search *s, gap_sample *p, double level, double from)
{
    ap_moment end;
    ap_moving_pair_at(&s->pair, s->until, &end);
    const double span = s->until - p->moment.t;
    const double part = certify_fixed(s, p, level, from, &end);
    return advance_to(s, p, part < span ? p->moment.t + part : s->until);
}

/* Certifies in both manners, the one that was better last time first. */
static double certify_best(impact_search *s, const gap_sample *p, double level, double from, gap_sample *q)
{
    const double span = q->moment.t - p->moment.t;
    const bool plane = s->pair.a.plane || s->pair.b.plane;
    const double first = s->fixed ? certify_fixed(s, p, level, from, &q->moment) : certify_swivel(s, p, level, from, q);
    const double proved = s->candidate;
    if (first >= span || plane || s->status != APART_OK) {
        return first;
    }
    const double second =
        s->fixed ? certify_swivel(s, p, level, from, q) : certify_fixed(s, p, level, from, &q->moment);
    if (second > first) {
        s->fixed = !s->fixed;
        return second;
    }
    s->candidate = proved;
    return first;
}

static step_verdict step_turning(impact_search *s, gap_sample *p, double level, double from)
{
    gap_sample q;
    const double end = trial_end(s, p, from - level);
    const double span = end - p->moment.t;
    if (!(span > 0.0) || !query_at(s, end, &q)) {
        return STOPPED;
    }
    const double part = certify_best(s, p, level, from, &q);
    if (s->status != APART_OK) {
        return STOPPED;
    }
    if (part < span) {
        return advance_to(s, p, p->moment.t + part);
    }
    s->lowest = ap_min(s->lowest, s->candidate);
    *p = q;
    return end >= s->until ? PASSES : GOES_ON;
}

/* Advances from p to a later time, with the gap certified above the level in between. */
static step_verdict step_once(impact_search *s, gap_sample *p, double level)
{
    if (!measure_sample(s, p) || !(p->separation > level)) {
        return STOPPED;
    }
    const double from = p->separation;
    return s->pair.turning ? step_turning(s, p, level, from) : step_translating(s, p, level, from);
}

/* Pass one: advances from p until contact or the end. *p is then the contact, or where it stopped. */
static step_verdict find_contact(impact_search *s, gap_sample *p)
{
    const double level = LEVEL_SHARE * s->tolerance;
    for (;;) {
        if (p->upper <= CONTACT_SHARE * s->tolerance) {
            return MEETS;
        }
        const step_verdict v = step_once(s, p, level);
        if (v != GOES_ON) {
            return v;
        }
    }
}

/* ---- all at once ---- */

/* Is the separation along n above the level from one moment to another, given both? Where the curvature forbids to
 * tell, the halves are tried. */
static bool stays_above(impact_search *s, apart_vec3 n, double level, const ap_moment *low, double from,
                        const ap_moment *high, double to, int halvings)
{
    const double span = high->t - low->t, curvature = ap_moving_pair_curvature(&s->pair, n);
    if (certify_chord(s, level, from, to, curvature, span) >= span) {
        s->lowest = ap_min(s->lowest, s->candidate);
        return true;
    }
    ap_moment middle;
    double half;
    const double t = low->t + 0.5 * span;
    if (halvings == 0 || !(t > low->t && t < high->t)) {
        return false;
    }
    ap_moving_pair_at(&s->pair, t, &middle);
    s->separations++;
    s->status = ap_moving_pair_separation(&s->pair, &middle, n, &half);
    return s->status == APART_OK && half > level && stays_above(s, n, level, low, from, &middle, half, halvings - 1) &&
           stays_above(s, n, level, &middle, half, high, to, halvings - 1);
}

/* Do the bodies pass each other on two sides of a plane? Its normal is that of the shortest way between the paths of
 * their centres, straightened. Most motions without a contact are proved here, without a query. */
static bool passes_plane(impact_search *s, const gap_sample *first, double level)
{
    ap_moment end;
    ap_moving_pair *pair = &s->pair;
    if (pair->a.plane || pair->b.plane) {
        return false;
    }
    ap_moving_pair_at(pair, s->until, &end);
    const apart_vec3 between = ap_sub(first->moment.center_b, first->moment.center_a);
    const apart_vec3 moved = ap_sub(ap_sub(end.center_b, end.center_a), between);
    const double square = ap_dot(moved, moved);
    const double t = square > 0.0 ? ap_min(ap_max(-ap_dot(between, moved) / square, 0.0), 1.0) : 0.0;
    const apart_vec3 nearest = ap_add(between, ap_scale(t, moved)), n = ap_unit(nearest);
    double from, to;
    if (!(ap_norm(nearest) > PASSING_SHARE * (pair->a.size + pair->b.size))) {
        return false;
    }
    s->separations += 2;
    s->status = ap_moving_pair_separation(pair, &first->moment, n, &from);
    if (s->status == APART_OK && from > level) {
        s->status = ap_moving_pair_separation(pair, &end, n, &to);
        const double before = s->lowest;
        if (s->status == APART_OK && to > level && stays_above(s, n, level, &first->moment, from, &end, to, HALVINGS)) {
            return true;
        }
        s->lowest = before;
    }
    return false;
}

/* Where two tangents of the gap meet, or where the interpolated rate is zero; the middle if that is not well inside
 * the interval. */
static double interior_time(const gap_sample *low, const gap_sample *high, bool tangents)
{
    const double a = low->moment.t, w = high->moment.t - a;
    const double bend = high->growth - low->growth;
    const double x =
        tangents ? (low->r.distance - high->r.distance + high->growth * w) / bend : -low->growth * w / bend;
    const double edge = 0.0625 * w;
    return a + (x > edge && x < w - edge ? x : 0.5 * w);
}

/* Brackets a minimum: the gap falls at low, and at high it grows or is larger. */
static bool bracket_minimum(impact_search *s, gap_sample low, gap_sample high)
{
    const double enough = DROP_SHARE * s->tolerance;
    for (int i = 0; i < CLOSING_STEPS; i++) {
        gap_sample middle;
        const double w = high.moment.t - low.moment.t;
        const double deepest = ap_max(-low.growth, high.growth) * w;
        if (deepest <= enough || !(w > 4.0 * AP_UNIT)) {
            return true;
        }
        if (!query_at(s, interior_time(&low, &high, i % 2 == 0), &middle)) {
            return false;
        }
        if (fabs(middle.growth) * w <= enough) {
            return true;
        }
        if (middle.growth < 0.0 && middle.r.distance <= low.r.distance) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return true;
}

/* Lowers the best upper bound by a descent from p. */
static bool descend_gap(impact_search *s, const gap_sample *p)
{
    gap_sample low = *p, high;
    const double rate = s->pair.a.rate + s->pair.b.rate;
    const double stride = rate > 0.0 ? MARCH_ANGLE / rate : 1.0;
    for (int i = 0; i < MARCH_STEPS && low.growth < 0.0 && low.moment.t < s->until; i++) {
        if (!query_at(s, ap_min(s->until, low.moment.t + stride), &high)) {
            return false;
        }
        if (high.growth >= 0.0 || high.r.distance > low.r.distance) {
            return bracket_minimum(s, low, high);
        }
        low = high;
    }
    return true;
}

/* The level that pass two is to certify at present. */
static double gap_level(const impact_search *s)
{
    const double level = s->best_upper - NARROW_SHARE * s->tolerance;
    const double cutoff = s->options->cutoff;
    return cutoff > 0.0 ? ap_min(level, cutoff + s->pair.slack) : level;
}

/* Pass two: bounds the smallest gap. `first` is the sample at t = 0. */
static step_verdict find_smallest_gap(impact_search *s, const gap_sample *first)
{
    gap_sample p = *first;
    double known = INFINITY; /* the best upper bound at the last local search */
    const double before = s->lowest;
    s->lowest = INFINITY;
    for (;;) {
        const bool near = !(s->options->cutoff > 0.0) || p.upper < s->options->cutoff + s->tolerance;
        if (near && p.upper < known - DROP_SHARE * s->tolerance) {
            if (!descend_gap(s, &p)) {
                break;
            }
            known = s->best_upper;
        }
        const step_verdict v = step_once(s, &p, gap_level(s));
        if (v == PASSES) {
            s->lowest = ap_max(before, s->lowest);
            return PASSES;
        }
        if (v == STOPPED) {
            break;
        }
    }
    s->lowest = before;
    return STOPPED;
}

static double bounded_radius(const apart_shape *s)
{
    return s->kind == APART_SHAPE_HALF_SPACE ? 0.0 : s->bound + s->radius;
}

/* The first sample, a query at the start poses as given, in the frame of the pair. */
static void complete_start(impact_search *s, gap_sample *first)
{
    s->iterations = 1;
    ap_moving_pair_at(&s->pair, 0.0, &first->moment);
    const apart_vec3 frame = ap_sub(ap_dd3_value(s->pair.a.pivot), first->moment.shift);
    first->r.a = ap_sub(first->r.a, frame);
    first->r.b = ap_sub(first->r.b, frame);
    complete_sample(s, first);
}

static void set_limits(impact_search *s, const apart_shape *a, const apart_shape *b)
{
    const apart_motion_options *o = s->options;
    const double asked =
        o->tolerance > 0.0 ? o->tolerance : DEFAULT_TOLERANCE * (bounded_radius(a) + bounded_radius(b));
    s->tolerance = ap_max(asked, SLACK_SHARE * s->pair.slack);
    s->query = (apart_options){.stats = o->stats, .depth = APART_DEPTH_NONE};
    s->query.tolerance = s->pair.turning ? 0.0 : QUERY_SHARE * s->tolerance; /* a swivel needs precise directions */
    s->until = o->until > 0.0 ? o->until : 1.0;
    s->limit = o->max_iterations > 0 ? o->max_iterations : DEFAULT_ITERATIONS;
    s->lowest = s->best_upper = INFINITY;
}

/* Everything up to the first sample, which is at `from`. */
static apart_status begin_search(impact_search *s, const apart_shape *a, const apart_motion *motion_a,
                                 const apart_shape *b, const apart_motion *motion_b, double from, gap_sample *first)
{
    static const apart_motion_options defaults;
    s->options = s->options != NULL ? s->options : &defaults;
    apart_status status = ap_motion_options_check(s->options);
    if (status == APART_OK && from == 0.0) {
        const apart_options start = {.stats = s->options->stats}; /* finds all that is wrong with the shapes, too */
        status = apart_distance(a, &motion_a->start, b, &motion_b->start, &start, s->cache, &first->r);
    }
    if (status == APART_OK) {
        status = ap_moving_pair_prepare(&s->pair, a, motion_a, b, motion_b);
    }
    if (status != APART_OK) {
        return status;
    }
    set_limits(s, a, b);
    if (from == 0.0) {
        complete_start(s, first);
        return APART_OK;
    }
    return query_at(s, from, first) ? APART_OK : s->status;
}

/* Fills in the numbers of the impact and queries the bodies at its time, in the world frame. */
static apart_status finish_impact(impact_search *s, apart_impact *out, const apart_motion *motion_a,
                                  const apart_motion *motion_b)
{
    const apart_options exact = {.stats = s->options->stats};
    out->tolerance = s->tolerance;
    out->separations = s->separations;
    apart_status status = apart_motion_pose(motion_a, out->t, &out->pose_a);
    if (status == APART_OK) {
        status = apart_motion_pose(motion_b, out->t, &out->pose_b);
    }
    if (status == APART_OK) {
        status =
            apart_distance(s->pair.a.shape, &out->pose_a, s->pair.b.shape, &out->pose_b, &exact, s->cache, &out->at);
    }
    out->iterations = s->iterations + 1;
    return status;
}

/* Runs the passes and writes their outcome. */
static void run_passes(impact_search *s, const gap_sample *first, apart_impact *out)
{
    gap_sample p = *first;
    const bool passes = first->upper > s->tolerance && passes_plane(s, first, s->tolerance);
    if (s->status != APART_OK) {
        return;
    }
    step_verdict v = passes ? PASSES : find_contact(s, &p);
    if (v == PASSES && p.moment.t == s->until && p.upper <= CONTACT_SHARE * s->tolerance) {
        v = MEETS;
    }
    const bool limited = s->iterations >= s->limit;
    out->t = p.moment.t;
    out->upper = p.upper;
    out->outcome = v == MEETS ? APART_OUTCOME_HIT : v == PASSES ? APART_OUTCOME_CLEAR : APART_OUTCOME_LIMIT;
    out->stop = v != STOPPED ? APART_STOP_CONVERGED : limited ? APART_STOP_ITERATIONS : APART_STOP_ROUNDING;
    const double rounding = first->moment.t > 0.0 ? s->pair.slack : 0.0;
    s->lowest = ap_min(s->lowest, first->r.lower - rounding); /* it may be the only bound there is */
    if (v == PASSES) {
        const bool narrowed = s->options->gap == APART_GAP_TOLERANCE;
        const bool enough = s->options->cutoff > 0.0 && s->lowest >= s->options->cutoff;
        if (narrowed && !enough && find_smallest_gap(s, first) == STOPPED) {
            out->stop = s->iterations >= s->limit ? APART_STOP_ITERATIONS : APART_STOP_ROUNDING;
        } else if (narrowed && s->best_upper - s->lowest > s->tolerance) {
            out->stop = APART_STOP_CUTOFF;
        }
        out->t = s->best_t;
        out->upper = s->best_upper;
    } else if (v == STOPPED) {
        out->upper = INFINITY;
    }
    out->lower = s->lowest;
}

/* The impact without its poses and the answer at its time. */
static apart_status search_from(impact_search *s, const apart_shape *a, const apart_motion *motion_a,
                                const apart_shape *b, const apart_motion *motion_b, double from, apart_impact *out)
{
    gap_sample first;
    const apart_status status = begin_search(s, a, motion_a, b, motion_b, from, &first);
    if (status != APART_OK) {
        return status;
    }
    out->t = from;
    if (first.r.relation == APART_DISJOINT) {
        run_passes(s, &first, out);
        return s->status;
    }
    out->outcome = APART_OUTCOME_START;
    out->lower = first.r.lower;
    out->upper = first.r.upper;
    return APART_OK;
}

apart_status ap_impact_between(const apart_shape *a, const apart_motion *motion_a, const apart_shape *b,
                               const apart_motion *motion_b, double from, const apart_motion_options *options,
                               apart_impact *impact)
{
    apart_cache own = {.tag = 0};
    impact_search s = {.options = options, .cache = &own, .status = APART_OK};
    *impact = (apart_impact){.t = from};
    const apart_status status = search_from(&s, a, motion_a, b, motion_b, from, impact);
    impact->iterations = s.iterations;
    return status;
}

apart_status apart_time_of_impact(const apart_shape *a, const apart_motion *motion_a, const apart_shape *b,
                                  const apart_motion *motion_b, const apart_motion_options *options, apart_cache *cache,
                                  apart_impact *impact)
{
    if (a == NULL || b == NULL || impact == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = apart_motion_check(motion_a);
    if (status == APART_OK) {
        status = apart_motion_check(motion_b);
    }
    if (status != APART_OK) {
        return status;
    }
    apart_cache own = {.tag = 0};
    impact_search s = {.options = options, .cache = cache != NULL ? cache : &own, .status = APART_OK};
    apart_impact out = {.t = 0.0};
    status = search_from(&s, a, motion_a, b, motion_b, 0.0, &out);
    status = status == APART_OK ? finish_impact(&s, &out, motion_a, motion_b) : status;
    if (status == APART_OK) {
        *impact = out;
    }
    return status;
}
