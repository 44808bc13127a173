/* The first contact of two moving bodies, and their smallest gap (item L7).
 *
 * Conservative advancement (Mirtich 1996; Tang, Kim and Manocha 2009) with second order bounds (path.c): from a time t at which the
 * gap and its direction are known, the gap is certified to stay above a level until some later time. Bodies that only translate: along
 * the direction at t, from the supports at t and at the end, in closed form. Bodies that turn: a trial time is looked at too, and the
 * direction swivels from one normal to the other, so that the bound is the chord of the two gaps less a term that is quadratic in the
 * step. We differ from the sources in that, in the certificate, which counts in rounding, and in the level:
 *
 *   contact:      level = half the tolerance. When a query finds at most the tolerance, that is the time of impact.
 *   smallest gap: level = best known upper bound minus the tolerance, in a second pass over the motion. Wherever the bodies come
 *                 nearer than that, a local search first lowers the upper bound (it proves nothing and need not), so that the pass
 *                 does not creep downhill.
 *
 * A step advances by at least about (room above the level)/(greatest speed), so the loop ends; a limit on the number of queries is
 * kept besides. */
#include "path.h"

/* The trial time T is where the gap would fall to the level, but no farther than the curvature lets a chord reach: with K T^2 = 2 room a
 * chord that ends at the level is above it all the way, with K T^2 = 6 room one that does not fall keeps a quarter of the room. */
#define FALLING_SHARE 2.0
#define RISING_SHARE 6.0
/* A step of this share of what the greatest speed allows can always be certified with a fixed direction. */
#define SURE_SHARE 0.5
/* Fractions of the tolerance: accuracy of a query, the gap that is a contact, the level of pass one, and of pass two below the best. */
#define QUERY_SHARE 0.0625
#define CONTACT_SHARE 0.9375
#define LEVEL_SHARE 0.5
#define NARROW_SHARE 0.75
/* A drop of the best upper bound by this fraction calls for a local search. */
#define DROP_SHARE 0.125
/* The tolerance is at least this many times what rounding does: with less than a sixteenth, room above every level remains. */
#define SLACK_SHARE 16.0
/* Of the bodies' radii together, when no tolerance is given. */
#define DEFAULT_TOLERANCE 1e-6
#define DEFAULT_ITERATIONS (1u << 20)
/* Local search: steps to find an ascent, each at most this angle of a turn, and then to close in on the minimum. */
#define MARCH_STEPS 12
#define MARCH_ANGLE 0.75
#define CLOSING_STEPS 24

/* A time that has been looked at. */
typedef struct sample {
    ap_moment moment;
    apart_result r;
    double upper;  /* of the gap on the exact path */
    double growth; /* of the gap in time, to first order */
} sample;

typedef struct search {
    ap_path path;
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
} search;

static void judge(search *s, sample *p)
{
    p->upper = p->r.upper + s->path.slack;
    p->growth = ap_path_growth(&s->path, &p->moment, p->r.normal, p->r.a, p->r.b);
    if (p->upper < s->best_upper) {
        s->best_upper = p->upper;
        s->best_t = p->moment.t;
    }
}

/* A distance query at time t. False: an error, or the limit. */
static bool look(search *s, double t, sample *p)
{
    if (s->iterations >= s->limit) {
        return false;
    }
    s->iterations++;
    ap_path_at(&s->path, t, &p->moment);
    s->status = apart_distance(s->path.a.shape, &p->moment.a, s->path.b.shape, &p->moment.b, &s->query, s->cache, &p->r);
    if (s->status != APART_OK) {
        return false;
    }
    judge(s, p);
    return true;
}

/* The trial time: where the gap would meet the level, unless the curvature forbids; at least what the greatest speed allows. */
static double trial_end(const search *s, const sample *p, double room)
{
    const double left = s->until - p->moment.t;
    const ap_swivel guess = {.from = p->r.normal, .rate = s->swivel, .span = 0.0};
    const double curvature = s->fixed ? ap_path_curvature(&s->path, p->r.normal) : ap_path_swivel_curvature(&s->path, &p->moment, &guess);
    const bool falls = p->growth < 0.0;
    double span = sqrt((falls ? FALLING_SHARE : RISING_SHARE) * (room / curvature));
    if (falls) {
        span = ap_min(span, room / -p->growth);
    }
    span = ap_max(span, SURE_SHARE * (room / s->path.speed));
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

/* How far after p the gap stays above the level, given its separations (or rather lower bounds of it) at p and `span` later. */
static double certify(search *s, double level, double from, double to, double curvature, double span)
{
    const double room = from - level;
    const double bow = curvature / room;
    const chord c = {.fall = 0.5 * bow * span - ((to - from) / room) / span, .bow = bow};
    const double part = certified_part(&c, span);
    s->candidate = level + room * ap_min(1.0, ap_max(0.0, lowest_value(&c, part)));
    return part;
}

/* Along the direction at p, fixed. */
static double go_straight(search *s, const sample *p, double level, double from, const ap_moment *end)
{
    double to;
    s->separations++;
    s->status = ap_path_separation(&s->path, end, p->r.normal, &to);
    if (s->status != APART_OK) {
        return 0.0;
    }
    return certify(s, level, from, to, ap_path_curvature(&s->path, p->r.normal), end->t - p->moment.t);
}

/* Along a direction that swivels from the one at p to the one at q; of a half-space that is its normal. */
static double go_along(search *s, const sample *p, double level, double from, const sample *q)
{
    double to;
    ap_swivel swivel = {.from = p->r.normal, .span = q->moment.t - p->moment.t};
    const bool plane = s->path.a.plane || s->path.b.plane;
    if (!plane && !ap_swivel_between(p->r.normal, q->r.normal, swivel.span, &swivel)) {
        return 0.0;
    }
    s->separations++;
    s->status = ap_path_separation(&s->path, &q->moment, q->r.normal, &to);
    if (s->status != APART_OK) {
        return 0.0;
    }
    s->swivel = swivel.rate;
    return certify(s, level, from, to, ap_path_swivel_curvature(&s->path, &p->moment, &swivel), swivel.span);
}

typedef enum verdict { MEETS, PASSES, STOPPED, GOES_ON } verdict;

/* The gap is above the level until `next`; looks there. If it cannot, p keeps the time all the same. */
static verdict arrive(search *s, sample *p, double next)
{
    if (!(next > p->moment.t)) {
        return STOPPED;
    }
    s->lowest = ap_min(s->lowest, s->candidate);
    if (next >= s->until) {
        return PASSES;
    }
    if (!look(s, next, p)) {
        p->moment.t = next;
        return STOPPED;
    }
    return GOES_ON;
}

static verdict step_straight(search *s, sample *p, double level, double from)
{
    ap_moment end;
    ap_path_at(&s->path, s->until, &end);
    const double span = s->until - p->moment.t;
    const double part = go_straight(s, p, level, from, &end);
    return arrive(s, p, part < span ? p->moment.t + part : s->until);
}

/* Both ways to certify, the one that was better last time first. */
static double go_either_way(search *s, const sample *p, double level, double from, const sample *q)
{
    const double span = q->moment.t - p->moment.t;
    const bool plane = s->path.a.plane || s->path.b.plane;
    const double first = s->fixed ? go_straight(s, p, level, from, &q->moment) : go_along(s, p, level, from, q);
    const double proved = s->candidate;
    if (first >= span || plane || s->status != APART_OK) {
        return first;
    }
    const double second = s->fixed ? go_along(s, p, level, from, q) : go_straight(s, p, level, from, &q->moment);
    if (second > first) {
        s->fixed = !s->fixed;
        return second;
    }
    s->candidate = proved;
    return first;
}

static verdict step_turning(search *s, sample *p, double level, double from)
{
    sample q;
    const double end = trial_end(s, p, from - level);
    const double span = end - p->moment.t;
    if (!(span > 0.0) || !look(s, end, &q)) {
        return STOPPED;
    }
    const double part = go_either_way(s, p, level, from, &q);
    if (s->status != APART_OK) {
        return STOPPED;
    }
    if (part < span) {
        return arrive(s, p, p->moment.t + part);
    }
    s->lowest = ap_min(s->lowest, s->candidate);
    *p = q;
    return end >= s->until ? PASSES : GOES_ON;
}

/* From p to a later time, with the gap certified above the level in between. */
static verdict step(search *s, sample *p, double level)
{
    double from;
    s->status = ap_path_separation(&s->path, &p->moment, p->r.normal, &from);
    if (s->status != APART_OK || !(from > level)) {
        return STOPPED;
    }
    return s->path.turning ? step_turning(s, p, level, from) : step_straight(s, p, level, from);
}

/* Pass one: from p onwards until contact or the end. *p is then the contact, or where it stopped. */
static verdict find_contact(search *s, sample *p)
{
    const double level = LEVEL_SHARE * s->tolerance;
    for (;;) {
        if (p->upper <= CONTACT_SHARE * s->tolerance) {
            return MEETS;
        }
        const verdict v = step(s, p, level);
        if (v != GOES_ON) {
            return v;
        }
    }
}

/* Where two tangents of the gap meet, or where the line through two growths is zero; the middle if that is not well between them. */
static double between(const sample *low, const sample *high, bool tangents)
{
    const double a = low->moment.t, w = high->moment.t - a;
    const double bend = high->growth - low->growth;
    const double x = tangents ? (low->r.distance - high->r.distance + high->growth * w) / bend : -low->growth * w / bend;
    const double edge = 0.0625 * w;
    return a + (x > edge && x < w - edge ? x : 0.5 * w);
}

/* The gap falls at low, and at high it grows or is larger: closes in on a minimum. */
static bool close_in(search *s, sample low, sample high)
{
    const double enough = DROP_SHARE * s->tolerance;
    for (int i = 0; i < CLOSING_STEPS; i++) {
        sample middle;
        const double w = high.moment.t - low.moment.t;
        const double deepest = ap_max(-low.growth, high.growth) * w;
        if (deepest <= enough || !(w > 4.0 * AP_UNIT)) {
            return true;
        }
        if (!look(s, between(&low, &high, i % 2 == 0), &middle)) {
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

/* Lowers the best upper bound by going downhill from p. */
static bool go_downhill(search *s, const sample *p)
{
    sample low = *p, high;
    const double rate = s->path.a.rate + s->path.b.rate;
    const double stride = rate > 0.0 ? MARCH_ANGLE / rate : 1.0;
    for (int i = 0; i < MARCH_STEPS && low.growth < 0.0 && low.moment.t < s->until; i++) {
        if (!look(s, ap_min(s->until, low.moment.t + stride), &high)) {
            return false;
        }
        if (high.growth >= 0.0 || high.r.distance > low.r.distance) {
            return close_in(s, low, high);
        }
        low = high;
    }
    return true;
}

/* What pass two is to prove at present. */
static double wanted(const search *s)
{
    const double level = s->best_upper - NARROW_SHARE * s->tolerance;
    const double cutoff = s->options->cutoff;
    return cutoff > 0.0 ? ap_min(level, cutoff + s->path.slack) : level;
}

/* Pass two: the smallest gap between its bounds. First is the sample at t = 0. */
static verdict find_smallest_gap(search *s, const sample *first)
{
    sample p = *first;
    double known = INFINITY; /* the best upper bound at the last local search */
    const double before = s->lowest;
    s->lowest = INFINITY;
    for (;;) {
        const bool near = !(s->options->cutoff > 0.0) || p.upper < s->options->cutoff + s->tolerance;
        if (near && p.upper < known - DROP_SHARE * s->tolerance) {
            if (!go_downhill(s, &p)) {
                break;
            }
            known = s->best_upper;
        }
        const verdict v = step(s, &p, wanted(s));
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

static apart_status check_options(const apart_motion_options *o)
{
    const bool fine = o->tolerance >= 0.0 && isfinite(o->tolerance) && o->until >= 0.0 && o->until <= 1.0 && o->cutoff >= 0.0 &&
                      o->gap <= APART_GAP_NONE;
    return fine ? APART_OK : APART_ERR_OPTION;
}

static double radius_of(const apart_shape *s) { return s->kind == APART_SHAPE_HALF_SPACE ? 0.0 : s->bound + s->radius; }

/* The first query, at the start poses as given: it also finds everything that is wrong with the shapes. */
static apart_status begin(search *s, const apart_shape *a, const apart_motion *motion_a, const apart_shape *b,
                          const apart_motion *motion_b, sample *first)
{
    static const apart_motion_options defaults;
    const apart_motion_options *o = s->options = s->options != NULL ? s->options : &defaults;
    apart_status status = check_options(o);
    s->query = (apart_options){.stats = o->stats};
    if (status == APART_OK) {
        status = apart_distance(a, &motion_a->start, b, &motion_b->start, &s->query, s->cache, &first->r);
    }
    if (status == APART_OK) {
        status = ap_path_prepare(&s->path, a, motion_a, b, motion_b);
    }
    if (status != APART_OK) {
        return status;
    }
    const double asked = o->tolerance > 0.0 ? o->tolerance : DEFAULT_TOLERANCE * (radius_of(a) + radius_of(b));
    s->tolerance = ap_max(asked, SLACK_SHARE * s->path.slack);
    s->query.tolerance = s->path.turning ? 0.0 : QUERY_SHARE * s->tolerance; /* a swivel needs precise directions */
    s->query.depth = APART_DEPTH_NONE;
    s->until = o->until > 0.0 ? o->until : 1.0;
    s->limit = o->max_iterations > 0 ? o->max_iterations : DEFAULT_ITERATIONS;
    s->iterations = 1;
    s->separations = 0;
    s->lowest = s->best_upper = INFINITY;
    s->best_t = 0.0;
    ap_path_at(&s->path, 0.0, &first->moment);
    first->r.a = ap_sub(ap_sub(first->r.a, motion_a->pivot), s->path.a.shift);
    first->r.b = ap_sub(ap_sub(first->r.b, motion_a->pivot), s->path.a.shift);
    judge(s, first);
    return APART_OK;
}

/* The numbers of the impact; the bodies at its time are looked at in the world. */
static apart_status finish(search *s, apart_impact *out, const apart_motion *motion_a, const apart_motion *motion_b)
{
    const apart_options exact = {.stats = s->options->stats};
    out->tolerance = s->tolerance;
    out->separations = s->separations;
    apart_status status = apart_motion_pose(motion_a, out->t, &out->pose_a);
    if (status == APART_OK) {
        status = apart_motion_pose(motion_b, out->t, &out->pose_b);
    }
    if (status == APART_OK) {
        status = apart_distance(s->path.a.shape, &out->pose_a, s->path.b.shape, &out->pose_b, &exact, s->cache, &out->at);
    }
    out->iterations = s->iterations + 1;
    return status;
}

/* Runs the passes and says what they found. */
static void decide(search *s, const sample *first, apart_impact *out)
{
    sample p = *first;
    verdict v = find_contact(s, &p);
    if (v == PASSES && p.moment.t == s->until && p.upper <= CONTACT_SHARE * s->tolerance) {
        v = MEETS;
    }
    const bool limited = s->iterations >= s->limit;
    out->t = p.moment.t;
    out->upper = p.upper;
    out->outcome = v == MEETS ? APART_OUTCOME_HIT : v == PASSES ? APART_OUTCOME_CLEAR : APART_OUTCOME_LIMIT;
    out->stop = v != STOPPED ? APART_STOP_CONVERGED : limited ? APART_STOP_ITERATIONS : APART_STOP_ROUNDING;
    s->lowest = ap_min(s->lowest, first->r.lower); /* it may be all there is */
    if (v == PASSES) {
        const bool narrowed = s->options->gap == APART_GAP_TOLERANCE;
        if (narrowed && find_smallest_gap(s, first) == STOPPED) {
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

apart_status apart_time_of_impact(const apart_shape *a, const apart_motion *motion_a, const apart_shape *b, const apart_motion *motion_b,
                                  const apart_motion_options *options, apart_cache *cache, apart_impact *impact)
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
    search s = {.options = options, .cache = cache != NULL ? cache : &own, .status = APART_OK};
    sample first;
    apart_impact out = {.t = 0.0};
    status = begin(&s, a, motion_a, b, motion_b, &first);
    if (status != APART_OK) {
        return status;
    }
    if (first.r.relation == APART_DISJOINT) {
        decide(&s, &first, &out);
        if (s.status != APART_OK) {
            return s.status;
        }
    } else {
        out.outcome = APART_OUTCOME_START;
        out.lower = first.r.lower;
        out.upper = first.r.upper;
    }
    status = finish(&s, &out, motion_a, motion_b);
    if (status == APART_OK) {
        *impact = out;
    }
    return status;
}

apart_status apart_sweep(const apart_shape *a, const apart_pose *pose_a, apart_vec3 displacement_a, const apart_shape *b,
                         const apart_pose *pose_b, apart_vec3 displacement_b, const apart_motion_options *options, apart_cache *cache,
                         apart_impact *impact)
{
    if (pose_a == NULL || pose_b == NULL) {
        return APART_ERR_NULL;
    }
    const apart_motion motion_a = apart_motion_translation(pose_a, displacement_a);
    const apart_motion motion_b = apart_motion_translation(pose_b, displacement_b);
    return apart_time_of_impact(a, &motion_a, b, &motion_b, options, cache, impact);
}

const char *apart_outcome_name(int outcome)
{
    static const char *const names[] = {"clear", "hit", "start", "limit"};
    return outcome >= 0 && outcome < 4 ? names[outcome] : "?";
}
