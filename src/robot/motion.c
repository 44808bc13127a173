/* The smallest distance on a motion of the joints, certified.
 *
 * Branch and bound (Piyavskii 1972) over intervals of s. What is known of a pair at a moment bounds its distance on an
 * interval around that moment in two ways, of which the better counts:
 *   - no point of either body moves faster than v against the other, so the distance changes by at most v |t|
 *     (the usual bound of continuous collision checking, e.g. Schwarzer, Saha, Latombe 2005; bounds: moment.c);
 *   - the separation along the normal, if every point kept its velocity, less a t^2 / 2 for accelerations up to a
 *     (separation.c). This is concave in t, so only the interval's ends matter. On short intervals the accelerations
 *     of the moment are followed too, and j t^3 / 6 is taken off; the separation then lies below its chords by at most
 *     what the points' accelerations apart along the normal can bend it.
 * We differ from the usual scheme in the second bound, which lets an interval be as long as the root of the tolerance
 * and not as the tolerance, and certifies a motion that comes nearer all the way from its end alone; and in that all
 * pairs share an interval, where the joints are moved once. Pairs that are settled leave the list for the interval's
 * parts as well. */
#include <math.h>
#include <string.h>

#include "../math/vec.h"
#include "look.h"

static const uint64_t MOST_INTERVALS = 1 << 20;

/* From the middle of the interval; where that does not settle it and the motion ends nearby, from there. */
static apart_status settle(ap_robot_search *s, size_t number, const ap_robot_interval *i, double *bound)
{
    ap_robot_moment *moments = s->w->moments;
    apart_status status = ap_robot_look_at_pair(s, number, &moments[AP_MOMENT_MIDDLE], -i->half, i->half, bound);
    if (status != APART_OK || *bound >= ap_robot_wanted(s) || s->is_fine || !s->is_close) {
        return status;
    }
    const bool ends_low = s->ends_low, at_start = i->middle - i->half <= 0.0 && !ends_low,
               at_end = i->middle + i->half >= 1.0 && ends_low;
    if (at_start || at_end) {
        double other;
        status = ap_robot_look_at_pair(s, number, &moments[at_start ? AP_MOMENT_START : AP_MOMENT_END],
                                       at_start ? 0.0 : -2.0 * i->half, at_start ? 2.0 * i->half : 0.0, &other);
        s->ends_low = ends_low;
        s->is_fine = false;
        *bound = ap_max(*bound, other);
    }
    return status;
}

/* Settles as many pairs of the interval as it can: they go behind the others in the list. */
static apart_status search_interval(ap_robot_search *s, ap_robot_interval *i)
{
    uint32_t *list = s->w->order, open = i->active, place = 0;
    double lowest = INFINITY;
    ap_robot_curve_at(s->w, &s->w->moments[AP_MOMENT_MIDDLE], i->middle);
    while (place < open && !(s->best.upper < s->limit && s->limit < INFINITY)) {
        double bound;
        const apart_status status = settle(s, list[place], i, &bound);
        if (status != APART_OK) {
            return status;
        }
        const bool last = s->is_fine || i->halvings == AP_MOST_HALVINGS || s->w->intervals > s->most_intervals;
        if (bound >= ap_robot_wanted(s) || last) {
            const uint32_t pair = list[place];
            s->best.lower = ap_min(s->best.lower, bound);
            list[place] = list[--open];
            list[open] = pair;
            continue;
        }
        s->ends_late = bound < lowest ? s->ends_low : s->ends_late;
        lowest = ap_min(lowest, bound);
        place++;
    }
    i->active = open;
    return APART_OK;
}

/* The pair that was nearest lately, where the motion begins and ends: a first upper bound. */
static apart_status look_at_ends(ap_robot_search *s)
{
    double bound;
    const size_t pair = s->w->order[0];
    const apart_status status = ap_robot_look_at_pair(s, pair, &s->w->moments[AP_MOMENT_START], 0.0, 0.0, &bound);
    return status == APART_OK ? ap_robot_look_at_pair(s, pair, &s->w->moments[AP_MOMENT_END], 0.0, 0.0, &bound)
                              : status;
}

static apart_status search_all(ap_robot_search *s)
{
    ap_robot_interval *stack = s->w->stack;
    size_t height = 0;
    const apart_status started = look_at_ends(s);
    if (started != APART_OK) {
        return started;
    }
    stack[height++] = (ap_robot_interval){0.5, 0.5, 0, s->pairs};
    while (height > 0) {
        ap_robot_interval now = stack[--height];
        const apart_status status = search_interval(s, &now);
        if (status != APART_OK) {
            return status;
        }
        if (s->limit < INFINITY && s->best.upper < s->limit) {
            return APART_OK;
        }
        if (now.active > 0) {
            const double quarter = now.half / 2, way = s->ends_late ? quarter : -quarter;
            stack[height++] = (ap_robot_interval){now.middle - way, quarter, now.halvings + 1, now.active};
            stack[height++] = (ap_robot_interval){now.middle + way, quarter, now.halvings + 1, now.active};
        }
    }
    return APART_OK;
}

/* ---- the interface ---- */

/* Puts the pairs that the options name to the front of the list. */
static apart_status choose_pairs(apart_robot_work *w, const apart_robot_motion_options *o, uint32_t *count)
{
    const uint32_t all = (uint32_t)w->cell->pair_count;
    *count = o->pairs != NULL ? 0 : all;
    for (size_t i = 0; i < o->pair_count && o->pairs != NULL; i++) {
        uint32_t place = *count;
        if (o->pairs[i] >= all) {
            return APART_ERR_ID;
        }
        while (place < all && w->order[place] != o->pairs[i]) {
            place++;
        }
        if (place < all) { /* not one that was named before */
            w->order[place] = w->order[*count];
            w->order[(*count)++] = (uint32_t)o->pairs[i];
        }
    }
    return *count > 0 ? APART_OK : APART_ERR_EMPTY;
}

static apart_status start_search(apart_robot_work *w, const apart_robot_motion_options *options, ap_robot_search *s)
{
    static const apart_robot_motion_options none = {.tolerance = 0.0};
    const apart_robot_motion_options *o = options != NULL ? options : &none;
    if (!(o->tolerance >= 0.0) || (o->has_limit && !isfinite(o->limit))) {
        return APART_ERR_OPTION;
    }
    *s = (ap_robot_search){.w = w, .limit = o->has_limit ? o->limit : INFINITY};
    const apart_status status = choose_pairs(w, o, &s->pairs);
    s->best = (apart_robot_gap){.lower = INFINITY, .upper = INFINITY, .pair = w->order[0]};
    s->tolerance = o->tolerance > 0.0 ? o->tolerance : w->cell->tolerance;
    s->most_intervals = o->most_intervals > 0 ? o->most_intervals : MOST_INTERVALS;
    w->queries = w->intervals = 0;
    return status;
}

static bool is_refuted(const ap_robot_search *s) { return s->limit < INFINITY && s->best.upper < s->limit; }

static apart_status search_segment(ap_robot_search *s, const apart_robot_segment *segment)
{
    apart_robot_work *w = s->w;
    const apart_status status = ap_robot_curve(w, segment);
    if (status != APART_OK) {
        return status;
    }
    s->most_intervals += w->intervals;
    ap_robot_curve_at(w, &w->moments[AP_MOMENT_START], 0.0);
    ap_robot_curve_at(w, &w->moments[AP_MOMENT_END], 1.0);
    return search_all(s);
}

apart_status apart_robot_path_motion(apart_robot_work *w, const apart_robot_segment *segments, size_t count,
                                     const apart_robot_motion_options *options, apart_robot_gap *out, size_t *segment)
{
    ap_robot_search s;
    if (w == NULL || segments == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = count > 0 ? start_search(w, options, &s) : APART_ERR_EMPTY;
    for (size_t i = 0; i < count && status == APART_OK; i++) {
        s.segment = i;
        status = search_segment(&s, &segments[i]);
        if (is_refuted(&s)) {
            break;
        }
    }
    if (status != APART_OK) {
        return status;
    }
    ap_robot_to_front(w, s.best.pair);
    s.best.lower = is_refuted(&s) ? -INFINITY : ap_min(s.best.lower, s.best.upper); /* or it has not seen all */
    s.best.queries = w->queries;
    s.best.intervals = w->intervals;
    *out = s.best;
    if (segment != NULL) {
        *segment = s.best_segment;
    }
    if (s.best_segment != s.segment) {
        (void)ap_robot_curve(w, &segments[s.best_segment]);
    }
    ap_robot_curve_at(w, &w->moments[AP_MOMENT_MIDDLE], s.best.s);
    return apart_robot_set(w, w->moments[AP_MOMENT_MIDDLE].q);
}

apart_status apart_robot_segment_motion(apart_robot_work *w, const apart_robot_segment *segment,
                                        const apart_robot_motion_options *options, apart_robot_gap *out)
{
    return apart_robot_path_motion(w, segment, 1, options, out, NULL);
}

apart_status apart_robot_motion(apart_robot_work *w, const double *q0, const double *q1,
                                const apart_robot_motion_options *options, apart_robot_gap *out)
{
    const apart_robot_segment line = {.degree = 1, .q0 = q0, .q1 = q1};
    return apart_robot_segment_motion(w, &line, options, out);
}

double apart_robot_speed_bound(apart_robot_work *w, size_t pair, const apart_robot_segment *segment, double middle,
                               double half)
{
    ap_robot_search s = {.w = w};
    if (ap_robot_curve(w, segment) != APART_OK) {
        return INFINITY;
    }
    ap_robot_curve_at(w, &w->moments[AP_MOMENT_MIDDLE], middle);
    return ap_robot_begin_look(&s, pair, &w->moments[AP_MOMENT_MIDDLE], -half, half).speed;
}
