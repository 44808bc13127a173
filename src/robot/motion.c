/* The smallest distance on a motion of the joints, certified.
 *
 * Branch and bound (Piyavskii 1972) over intervals of s. What is known of a pair at a moment bounds its distance on an
 * interval around that moment in two ways, of which the better counts:
 *   - no point of either body moves faster than v against the other, so the distance changes by at most v |t|
 *     (the usual bound of continuous collision checking, e.g. Schwarzer, Saha, Latombe 2005; bounds: moment.c);
 *   - the separation along the normal, if every point kept its velocity, less a t^2 / 2 for accelerations up to a
 *     (separation.c). This is concave in t, so only the interval's ends matter.
 * We differ from the usual scheme in the second bound, which lets an interval be as long as the root of the tolerance
 * and not as the tolerance, and certifies a motion that comes nearer all the way from its end alone; and in that all
 * pairs share an interval, where the joints are moved once. Pairs that are settled leave the list for the interval's
 * parts as well. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../math/vec.h"
#include "robot.h"

static const uint64_t MOST_INTERVALS = 1 << 20;
static const double SPHERE_ROUNDING = 16.0 * DBL_EPSILON;

typedef struct search {
    apart_robot_work *w;
    apart_robot_gap best;
    double tolerance, limit; /* limit: infinite without */
    uint64_t most_intervals;
    bool ends_low,
        ends_late; /* of the pair looked at last: lower where the interval ends; of the interval's lowest pair */
} search;

/* A pair at a moment, and the interval that it is looked at for. */
typedef struct look {
    size_t number;
    const ap_robot_pair *pair;
    ap_robot_moment *m;
    double before, after; /* the interval from the moment */
    double speed, bend, rounding, slack;
} look;

/* Intervals whose distances are at least this are settled. */
static double wanted(const search *s) { return ap_min(s->limit, s->best.upper - s->tolerance); }

static void note_upper(search *s, const look *l, double upper)
{
    const double value = upper + l->rounding - l->pair->public.margin;
    if (value < s->best.upper) {
        s->best.upper = value;
        s->best.s = l->m->s;
        s->best.pair = l->number;
    }
}

static look begin_look(search *s, size_t number, ap_robot_moment *m, double before, double after)
{
    const apart_robot_cell *cell = s->w->cell;
    look l = {.number = number, .pair = &cell->pairs[number], .m = m, .before = before, .after = after};
    const size_t *bodies = l.pair->public.bodies;
    ap_robot_curve_widen(s->w, m, ap_max(-before, after));
    for (int i = 0; i < 2; i++) {
        ap_robot_place_body(cell, m, bodies[i]);
        ap_robot_bound_body(cell, m, bodies[i]);
    }
    ap_robot_pair_bounds(cell, m, l.pair, &l.speed, &l.bend);
    l.rounding = ap_robot_rounding(cell, m, l.pair);
    l.slack = l.speed * m->half + l.rounding;
    return l;
}

/* Is the second bound worth its price? Where bodies may turn far it says nothing. */
static bool is_short(const look *l) { return l->bend * l->m->half < 2.0 * l->speed; }

/* At least this far apart on the interval, from the separations at its ends. */
static double bend_down(const look *l, double early, double late)
{
    const double first = early - 0.5 * l->bend * l->before * l->before,
                 last = late - 0.5 * l->bend * l->after * l->after;
    return ap_min(first, last) - l->rounding * (2.0 + l->m->rates * l->m->half);
}

/* ---- pairs of parts ---- */

/* The bound from a distance that was computed. */
static double bound_parts(search *s, const look *l, ap_robot_parts *parts, const apart_result *r)
{
    const double first = r->lower - l->slack;
    if (!is_short(l)) {
        return first;
    }
    ap_robot_move_parts(s->w->cell, l->m, l->pair, parts);
    const double early = l->before < 0.0 ? ap_robot_separation(parts, r->normal, l->before) : r->lower,
                 late = l->after > 0.0 ? ap_robot_separation(parts, r->normal, l->after) : r->lower;
    s->ends_low = late < early;
    return ap_max(first, bend_down(l, early, late));
}

static apart_options options_for(const search *s, const look *l, double goal)
{
    apart_options options = s->w->options;
    /* Farther than that is as good as infinitely far. Rounded up, so that the slack taken off again leaves the goal. */
    const double cutoff = (goal + l->slack) * (1.0 + 4.0 * DBL_EPSILON);
    options.cutoff = isfinite(cutoff) && cutoff > 0.0 ? cutoff : 0.0;
    if (s->limit < INFINITY && s->limit + l->pair->public.margin > 2.0 * l->rounding) {
        options.depth = APART_DEPTH_NONE; /* any overlap refutes the limit */
    }
    return options;
}

static apart_status look_at_parts(search *s, const look *l, double *bound)
{
    const apart_robot_cell *cell = s->w->cell;
    const size_t *bodies = l->pair->public.bodies;
    const ap_robot_body *a = &cell->bodies[bodies[0]], *b = &cell->bodies[bodies[1]];
    const size_t many = b->public.part_count, count = a->public.part_count * many, nearest = s->w->nearest[l->number];
    double least = INFINITY;
    *bound = INFINITY;
    for (size_t k = 0; k < count; k++) {
        const size_t i = k == 0 ? nearest : (k <= nearest ? k - 1 : k);
        const double goal = wanted(s) + l->pair->public.margin;
        ap_robot_parts parts;
        apart_result r;
        parts.shapes[0] = ap_robot_part(a, &l->m->poses[bodies[0]], i / many, &parts.poses[0]);
        parts.shapes[1] = ap_robot_part(b, &l->m->poses[bodies[1]], i % many, &parts.poses[1]);
        if (count > 1) {
            const double spheres = ap_robot_part_gap(&parts) - l->slack;
            if (spheres >= goal) {
                *bound = ap_min(*bound, spheres);
                continue;
            }
        }
        const apart_options options = options_for(s, l, goal);
        apart_cache *cache = &ap_robot_cache_of(s->w, l->pair->cache + i)->cache;
        s->w->queries++;
        const apart_status status =
            apart_distance(parts.shapes[0], &parts.poses[0], parts.shapes[1], &parts.poses[1], &options, cache, &r);
        if (status != APART_OK) {
            return status;
        }
        if (r.relation == APART_BEYOND) {
            *bound = ap_min(*bound, ap_max(goal, r.lower - l->slack));
            continue;
        }
        note_upper(s, l, r.upper);
        if (r.lower < least) {
            least = r.lower;
            s->w->nearest[l->number] = (uint32_t)i;
        }
        parts.vertices[0] = cache->count > 0 ? cache->index_a[0] : APART_NO_INDEX;
        parts.vertices[1] = cache->count > 0 ? cache->index_b[0] : APART_NO_INDEX;
        *bound = ap_min(*bound, bound_parts(s, l, &parts, &r));
    }
    return APART_OK;
}

/* ---- spheres ---- */

static apart_vec3 velocity_at(const ap_robot_parts *parts, int side, apart_vec3 point)
{
    return ap_add(parts->linear[side], ap_cross(parts->angular[side], point));
}

/* The separation of two spheres is that of their centres. */
static double bound_spheres(search *s, const look *l, const ap_robot_parts *move, apart_vec3 p, apart_vec3 q,
                            double distance, double radii)
{
    const double rounding = SPHERE_ROUNDING * (fabs(distance) + radii + ap_max_abs(p) + ap_max_abs(q));
    const double first = distance - l->slack - rounding, length = distance + radii;
    if (!is_short(l) || !(length > 0.0)) {
        return first;
    }
    const apart_vec3 n = ap_scale(1.0 / length, ap_sub(q, p));
    const double closing = ap_dot(n, ap_sub(velocity_at(move, 1, q), velocity_at(move, 0, p)));
    s->ends_low = closing < 0.0;
    return ap_max(first, bend_down(l, distance + l->before * closing, distance + l->after * closing) - rounding);
}

static double look_at_spheres(search *s, const look *l)
{
    const apart_robot_cell *cell = s->w->cell;
    const size_t *bodies = l->pair->public.bodies;
    const ap_robot_body *a = &cell->bodies[bodies[0]], *b = &cell->bodies[bodies[1]];
    const apart_vec3 *p = ap_robot_place_spheres(cell, l->m, bodies[0]),
                     *q = ap_robot_place_spheres(cell, l->m, bodies[1]);
    ap_robot_parts move;
    double bound = INFINITY;
    ap_robot_move_parts(cell, l->m, l->pair, &move);
    for (size_t i = 0; i < a->public.part_count; i++) {
        for (size_t k = 0; k < b->public.part_count; k++) {
            const apart_vec3 way = ap_sub(q[k], p[i]);
            const double radii = a->public.parts[i].shape.radius + b->public.parts[k].shape.radius;
            const double goal = wanted(s) + l->pair->public.margin, need = goal + l->slack + radii,
                         square = ap_dot(way, way);
            if (need < 0.0 || square * (1.0 - 1e-12) >= need * need) {
                bound = ap_min(bound, goal);
                continue;
            }
            const double distance = ap_norm(way) - radii;
            note_upper(s, l,
                       distance + SPHERE_ROUNDING * (fabs(distance) + radii + ap_max_abs(p[i]) + ap_max_abs(q[k])));
            bound = ap_min(bound, bound_spheres(s, l, &move, p[i], q[k], distance, radii));
        }
    }
    return bound;
}

/* ---- pairs ---- */

static apart_status look_at_trees(search *s, const look *l, double *bound)
{
    const double goal = wanted(s) + l->pair->public.margin;
    const apart_options options = options_for(s, l, goal);
    apart_compound_result r;
    s->w->queries++;
    const apart_status status = ap_robot_pair_distance(s->w, l->m, l->number, &options, &r);
    if (status != APART_OK) {
        return status;
    }
    *bound = r.result.lower - l->slack;
    if (r.result.relation == APART_BEYOND) {
        *bound = ap_max(goal, *bound);
    } else {
        note_upper(s, l, r.result.upper);
    }
    return APART_OK;
}

/* A lower bound of a pair's distance, less its margin, on the interval around a moment. */
static apart_status look_at_pair(search *s, size_t number, ap_robot_moment *m, double before, double after,
                                 double *bound, bool *is_close)
{
    const apart_robot_cell *cell = s->w->cell;
    const look l = begin_look(s, number, m, before, after);
    const double margin = l.pair->public.margin;
    apart_status status = APART_OK;
    s->w->intervals++;
    *is_close = is_short(&l);
    *bound = ap_robot_ball_gap(cell, m, l.pair) - l.slack - margin;
    if (*bound >= wanted(s)) {
        return APART_OK;
    }
    if (!l.pair->by_parts) {
        status = look_at_trees(s, &l, bound);
    } else if (cell->bodies[l.pair->public.bodies[0]].spheres && cell->bodies[l.pair->public.bodies[1]].spheres) {
        *bound = look_at_spheres(s, &l);
    } else {
        status = look_at_parts(s, &l, bound);
    }
    *bound -= margin;
    return status;
}

/* From the middle of the interval; where that does not settle it and the motion ends nearby, from there. */
static apart_status settle(search *s, size_t number, const ap_robot_interval *i, double *bound)
{
    ap_robot_moment *moments = s->w->moments;
    bool is_close;
    apart_status status = look_at_pair(s, number, &moments[AP_MOMENT_MIDDLE], -i->half, i->half, bound, &is_close);
    if (status != APART_OK || *bound >= wanted(s) || !is_close) {
        return status;
    }
    const bool at_start = i->middle - i->half <= 0.0 && !s->ends_low,
               at_end = i->middle + i->half >= 1.0 && s->ends_low;
    if (at_start || at_end) {
        double other;
        const bool ends_low = s->ends_low;
        status = look_at_pair(s, number, &moments[at_start ? AP_MOMENT_START : AP_MOMENT_END],
                              at_start ? 0.0 : -2.0 * i->half, at_start ? 2.0 * i->half : 0.0, &other, &is_close);
        s->ends_low = ends_low;
        *bound = ap_max(*bound, other);
    }
    return status;
}

/* Settles as many pairs of the interval as it can: they go behind the others in the list. */
static apart_status search_interval(search *s, ap_robot_interval *i)
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
        const bool last = i->halvings == AP_MOST_HALVINGS || s->w->intervals > s->most_intervals;
        if (bound >= wanted(s) || last) {
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
static apart_status look_at_ends(search *s)
{
    double bound;
    bool is_close;
    const size_t pair = s->w->order[0];
    const apart_status status = look_at_pair(s, pair, &s->w->moments[AP_MOMENT_START], 0.0, 0.0, &bound, &is_close);
    return status == APART_OK ? look_at_pair(s, pair, &s->w->moments[AP_MOMENT_END], 0.0, 0.0, &bound, &is_close)
                              : status;
}

static apart_status search_all(search *s)
{
    ap_robot_interval *stack = s->w->stack;
    size_t height = 0;
    const apart_status started = look_at_ends(s);
    if (started != APART_OK) {
        return started;
    }
    stack[height++] = (ap_robot_interval){0.5, 0.5, 0, (uint32_t)s->w->cell->pair_count};
    while (height > 0) {
        ap_robot_interval now = stack[--height];
        const apart_status status = search_interval(s, &now);
        if (status != APART_OK) {
            return status;
        }
        if (s->limit < INFINITY && s->best.upper < s->limit) {
            s->best.lower = -INFINITY; /* the search has not seen all */
            return APART_OK;
        }
        if (now.active > 0) {
            const double quarter = now.half / 2, way = s->ends_late ? quarter : -quarter;
            stack[height++] = (ap_robot_interval){now.middle - way, quarter, now.halvings + 1, now.active};
            stack[height++] = (ap_robot_interval){now.middle + way, quarter, now.halvings + 1, now.active};
        }
    }
    s->best.lower = ap_min(s->best.lower, s->best.upper);
    return APART_OK;
}

/* ---- the interface ---- */

static apart_status start_search(apart_robot_work *w, const apart_robot_motion_options *options, search *s)
{
    static const apart_robot_motion_options none = {.tolerance = 0.0};
    const apart_robot_motion_options *o = options != NULL ? options : &none;
    if (!(o->tolerance >= 0.0) || (o->has_limit && !isfinite(o->limit))) {
        return APART_ERR_OPTION;
    }
    *s = (search){.w = w, .limit = o->has_limit ? o->limit : INFINITY};
    s->best = (apart_robot_gap){.lower = INFINITY, .upper = INFINITY, .pair = w->order[0]};
    s->tolerance = o->tolerance > 0.0 ? o->tolerance : w->cell->tolerance;
    s->most_intervals = o->most_intervals > 0 ? o->most_intervals : MOST_INTERVALS;
    w->queries = w->intervals = 0;
    ap_robot_curve_at(w, &w->moments[AP_MOMENT_START], 0.0);
    ap_robot_curve_at(w, &w->moments[AP_MOMENT_END], 1.0);
    return APART_OK;
}

apart_status apart_robot_segment_motion(apart_robot_work *w, const apart_robot_segment *segment,
                                        const apart_robot_motion_options *options, apart_robot_gap *out)
{
    search s;
    if (w == NULL || segment == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = ap_robot_curve(w, segment);
    if (status == APART_OK) {
        status = start_search(w, options, &s);
    }
    if (status == APART_OK) {
        status = search_all(&s);
    }
    if (status != APART_OK) {
        return status;
    }
    ap_robot_to_front(w, s.best.pair);
    s.best.queries = w->queries;
    s.best.intervals = w->intervals;
    *out = s.best;
    ap_robot_curve_at(w, &w->moments[AP_MOMENT_MIDDLE], s.best.s);
    return apart_robot_set(w, w->moments[AP_MOMENT_MIDDLE].q);
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
    search s = {.w = w};
    if (ap_robot_curve(w, segment) != APART_OK) {
        return INFINITY;
    }
    ap_robot_curve_at(w, &w->moments[AP_MOMENT_MIDDLE], middle);
    return begin_look(&s, pair, &w->moments[AP_MOMENT_MIDDLE], -half, half).speed;
}
