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
        ends_late;  /* of the pair looked at last: lower where the interval ends; of the interval's lowest pair */
    bool is_fine;   /* of the pair looked at last: the motion in the interval loses so little that halving is useless */
    uint32_t pairs; /* the first so many of the list count */
    size_t segment, best_segment;
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

/* Some queries have bounds that are far apart by themselves (the depth of meshes). There only what the motion adds to
 * that counts: this share of the tolerance. */
static const double FINE_SHARE = 0.25;

static void note_loss(search *s, double loss) { s->is_fine = s->is_fine && loss <= FINE_SHARE * s->tolerance; }

static void note_upper(search *s, const look *l, double upper)
{
    const double value = upper + l->rounding - l->pair->public.margin;
    if (value < s->best.upper) {
        s->best.upper = value;
        s->best.s = l->m->s;
        s->best.pair = l->number;
        s->best_segment = s->segment;
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
static double bound_parts(search *s, const look *l, ap_robot_parts *parts, const apart_cache *cache,
                          const apart_result *r)
{
    const double first = r->lower - l->slack;
    if (!is_short(l) || parts->shapes[0] == NULL || parts->shapes[1] == NULL) {
        return first;
    }
    parts->vertices[0] = cache->count > 0 ? cache->index_a[0] : APART_NO_INDEX;
    parts->vertices[1] = cache->count > 0 ? cache->index_b[0] : APART_NO_INDEX;
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
    const size_t many = ap_robot_piece_count(b), count = ap_robot_piece_count(a) * many,
                 nearest = s->w->nearest[l->number];
    double least = INFINITY;
    *bound = INFINITY;
    for (size_t k = 0; k < count; k++) {
        const size_t i = k == 0 ? nearest : (k <= nearest ? k - 1 : k);
        const double goal = wanted(s) + l->pair->public.margin;
        ap_robot_parts parts;
        apart_compound_result answer;
        const apart_result *r = &answer.result;
        ap_robot_take_piece(a, &l->m->poses[bodies[0]], i / many, 0, &parts);
        ap_robot_take_piece(b, &l->m->poses[bodies[1]], i % many, 1, &parts);
        if (count > 1) {
            const double spheres = ap_robot_part_gap(&parts) - l->slack;
            if (spheres >= goal) {
                *bound = ap_min(*bound, spheres);
                continue;
            }
        }
        const apart_options options = options_for(s, l, goal);
        apart_compound_cache *cache = ap_robot_cache_of(s->w, l->pair->cache + i);
        const apart_status status = ap_robot_piece_distance(&parts, &options, cache, &answer);
        if (status != APART_OK) {
            return status;
        }
        s->w->queries += answer.queries;
        if (r->relation == APART_BEYOND) {
            *bound = ap_min(*bound, ap_max(goal, r->lower - l->slack));
            continue;
        }
        note_upper(s, l, r->upper);
        if (r->lower < least) {
            least = r->lower;
            s->w->nearest[l->number] = (uint32_t)i;
        }
        const double own = bound_parts(s, l, &parts, &cache->cache, r);
        if (own < wanted(s) + l->pair->public.margin) {
            note_loss(s, r->lower - own);
        }
        *bound = ap_min(*bound, own);
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
    if (!is_short(l) || !(length >= DBL_MIN)) { /* its inverse would overflow */
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
        note_loss(s, l->slack);
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
    s->is_fine = true;
    *bound = ap_robot_ball_gap(cell, m, l.pair) - l.slack - margin;
    if (*bound >= wanted(s)) {
        return APART_OK;
    }
    if (l.pair->way == AP_ROBOT_TREES) {
        status = look_at_trees(s, &l, bound);
    } else if (l.pair->way == AP_ROBOT_SPHERES) {
        *bound = look_at_spheres(s, &l);
        s->is_fine = false;
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
    if (status != APART_OK || *bound >= wanted(s) || s->is_fine || !is_close) {
        return status;
    }
    const bool at_start = i->middle - i->half <= 0.0 && !s->ends_low,
               at_end = i->middle + i->half >= 1.0 && s->ends_low;
    if (at_start || at_end) {
        double other;
        const bool ends_low = s->ends_low, is_fine = s->is_fine;
        status = look_at_pair(s, number, &moments[at_start ? AP_MOMENT_START : AP_MOMENT_END],
                              at_start ? 0.0 : -2.0 * i->half, at_start ? 2.0 * i->half : 0.0, &other, &is_close);
        s->ends_low = ends_low;
        s->is_fine = is_fine;
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
        const bool last = s->is_fine || i->halvings == AP_MOST_HALVINGS || s->w->intervals > s->most_intervals;
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

static apart_status start_search(apart_robot_work *w, const apart_robot_motion_options *options, search *s)
{
    static const apart_robot_motion_options none = {.tolerance = 0.0};
    const apart_robot_motion_options *o = options != NULL ? options : &none;
    if (!(o->tolerance >= 0.0) || (o->has_limit && !isfinite(o->limit))) {
        return APART_ERR_OPTION;
    }
    *s = (search){.w = w, .limit = o->has_limit ? o->limit : INFINITY};
    const apart_status status = choose_pairs(w, o, &s->pairs);
    s->best = (apart_robot_gap){.lower = INFINITY, .upper = INFINITY, .pair = w->order[0]};
    s->tolerance = o->tolerance > 0.0 ? o->tolerance : w->cell->tolerance;
    s->most_intervals = o->most_intervals > 0 ? o->most_intervals : MOST_INTERVALS;
    w->queries = w->intervals = 0;
    return status;
}

static bool is_refuted(const search *s) { return s->limit < INFINITY && s->best.upper < s->limit; }

static apart_status search_segment(search *s, const apart_robot_segment *segment)
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
    search s;
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
    search s = {.w = w};
    if (ap_robot_curve(w, segment) != APART_OK) {
        return INFINITY;
    }
    ap_robot_curve_at(w, &w->moments[AP_MOMENT_MIDDLE], middle);
    return begin_look(&s, pair, &w->moments[AP_MOMENT_MIDDLE], -half, half).speed;
}
