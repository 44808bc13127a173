/* The first contact of two moving bodies, and their smallest gap (item L7).
 *
 * Conservative advancement (Mirtich 1996; Tang, Kim and Manocha 2009) with a second order bound (path.c): at time t a distance query gives a
 * direction n; the separation along n is certified to stay above a level until some later time, found in closed form from the supports at t and
 * at one trial time; there the next query is made. We differ in the certificate, which counts in rounding, and in the level:
 *
 *   contact:      level = half the tolerance. When a query finds at most the tolerance, that is the time of impact.
 *   smallest gap: level = best known upper bound minus the tolerance, in a second pass over the motion. Wherever the bodies come nearer than that, a
 *                 local search first lowers the upper bound (it proves nothing and need not), so that the pass does not creep downhill.
 *
 * A step advances by at least about (level's room)/(greatest speed), so the loop ends; a limit on the number of queries is kept besides. */
#include "path.h"

/* The step's trial time is chosen so that the curvature takes at most half of the room: K T^2/8 = room/2. */
#define CURVED_SHARE 4.0
/* And a little beyond where the points now closest would meet the level. */
#define OVERSHOOT 1.125
/* Fractions of the tolerance: accuracy of a query, the gap that is a contact, the level of pass one, and of pass two below the best. */
#define QUERY_SHARE 0.0625
#define CONTACT_SHARE 0.9375
#define LEVEL_SHARE 0.5
#define NARROW_SHARE 0.75
/* A drop of the best upper bound by this fraction calls for a local search. */
#define DROP_SHARE 0.125
/* The tolerance is at least this many times what rounding does. */
#define SLACK_SHARE 64.0
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
    double tolerance, until;
    double lowest;     /* certified so far, from 0 to the present */
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

/* How far after p a chord may reach, so that the curvature leaves half of the room and little is wasted behind the level. */
static double trial_end(const search *s, const sample *p, double room, double curvature)
{
    const double left = s->until - p->moment.t;
    if (!(curvature > 0.0)) {
        return s->until;
    }
    double step = sqrt(CURVED_SHARE * (room / curvature));
    if (p->growth < 0.0) {
        step = ap_min(step, OVERSHOOT * (room / -p->growth));
    }
    return step < left ? p->moment.t + step : s->until;
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

/* Certifies that the gap stays above the level from p until *next. False: an error, or nothing could be gained. */
static bool advance(search *s, const sample *p, double level, double *next)
{
    const apart_vec3 n = p->r.normal;
    double from, to;
    ap_moment later;
    s->status = ap_path_separation(&s->path, &p->moment, n, &from);
    const double room = from - level;
    if (s->status != APART_OK || !(room > 0.0)) {
        return false;
    }
    const double curvature = ap_path_curvature(&s->path, n);
    const double end = trial_end(s, p, room, curvature);
    const double span = end - p->moment.t;
    if (!(span > 0.0)) {
        return false;
    }
    ap_path_at(&s->path, end, &later);
    s->separations++;
    s->status = ap_path_separation(&s->path, &later, n, &to);
    if (s->status != APART_OK) {
        return false;
    }
    const double bow = curvature / room;
    const chord c = {.fall = 0.5 * bow * span - ((to - from) / room) / span, .bow = bow};
    const double part = certified_part(&c, span);
    s->lowest = ap_min(s->lowest, level + room * ap_min(1.0, ap_max(0.0, lowest_value(&c, part))));
    *next = part < span ? p->moment.t + part : end;
    return *next > p->moment.t;
}

typedef enum verdict { MEETS, PASSES, STOPPED } verdict;

/* Pass one: from p onwards until contact or the end. *p is then the contact, or where it stopped. */
static verdict find_contact(search *s, sample *p)
{
    const double level = LEVEL_SHARE * s->tolerance;
    for (;;) {
        double next;
        if (p->upper <= CONTACT_SHARE * s->tolerance) {
            return MEETS;
        }
        if (!advance(s, p, level, &next)) {
            return STOPPED;
        }
        if (next >= s->until) {
            return PASSES;
        }
        if (!look(s, next, p)) {
            p->moment.t = next; /* clear up to here all the same */
            return STOPPED;
        }
    }
}

/* Where two tangents of the gap meet; where the line through two growths is zero. */
static double between(const sample *low, const sample *high, bool tangents)
{
    const double a = low->moment.t, w = high->moment.t - a;
    const double fall = high->growth - low->growth;
    const double x = tangents ? (low->r.distance - high->r.distance + high->growth * w) / fall : -low->growth * w / fall;
    const double edge = 0.015625 * w;
    return a + (x > edge && x < w - edge ? x : 0.5 * w);
}

/* The gap falls at low and grows at high: closes in on the minimum. */
static bool close_in(search *s, sample low, sample high)
{
    const double enough = DROP_SHARE * s->tolerance;
    for (int i = 0; i < CLOSING_STEPS; i++) {
        sample middle;
        const double w = high.moment.t - low.moment.t;
        const double tangent = low.r.distance + low.growth * (between(&low, &high, true) - low.moment.t);
        if (ap_min(low.r.distance, high.r.distance) - tangent <= enough || !(0.5 * w > AP_UNIT)) {
            return true;
        }
        if (!look(s, between(&low, &high, i % 2 == 0), &middle)) {
            return false;
        }
        if (middle.growth < 0.0) {
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
        if (high.growth >= 0.0) {
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
        double next;
        const bool near = !(s->options->cutoff > 0.0) || p.upper < s->options->cutoff + s->tolerance;
        if (near && p.upper < known - DROP_SHARE * s->tolerance) {
            if (!go_downhill(s, &p)) {
                break;
            }
            known = s->best_upper;
        }
        if (!advance(s, &p, wanted(s), &next)) {
            break;
        }
        if (next >= s->until) {
            s->lowest = ap_max(before, s->lowest);
            return PASSES;
        }
        if (!look(s, next, &p)) {
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
    s->query.tolerance = QUERY_SHARE * s->tolerance;
    s->query.depth = APART_DEPTH_NONE;
    s->until = o->until > 0.0 ? o->until : 1.0;
    s->limit = o->max_iterations > 0 ? o->max_iterations : DEFAULT_ITERATIONS;
    s->iterations = 1;
    s->separations = 0;
    s->lowest = s->best_upper = INFINITY;
    s->best_t = 0.0;
    ap_path_at(&s->path, 0.0, &first->moment);
    first->r.a = ap_sub(first->r.a, motion_a->pivot);
    first->r.b = ap_sub(first->r.b, motion_a->pivot);
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
    const verdict v = find_contact(s, &p);
    const bool limited = s->iterations >= s->limit;
    out->t = p.moment.t;
    out->upper = p.upper;
    out->outcome = v == MEETS ? APART_OUTCOME_HIT : v == PASSES ? APART_OUTCOME_CLEAR : APART_OUTCOME_LIMIT;
    out->stop = v != STOPPED ? APART_STOP_CONVERGED : limited ? APART_STOP_ITERATIONS : APART_STOP_ROUNDING;
    s->lowest = ap_min(s->lowest, first->r.lower); /* it may be all there is */
    if (v == PASSES) {
        if (s->options->gap == APART_GAP_TOLERANCE && find_smallest_gap(s, first) == STOPPED) {
            out->stop = s->iterations >= s->limit ? APART_STOP_ITERATIONS : APART_STOP_ROUNDING;
        } else if (s->options->cutoff > 0.0 && s->best_upper - s->lowest > s->tolerance) {
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
