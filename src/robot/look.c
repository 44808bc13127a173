/* What a look at a pair at one moment says of an interval around it: see motion.c for the bounds. */
#include <float.h>
#include <math.h>

#include "../math/vec.h"
#include "look.h"

static const double SPHERE_ROUNDING = 16.0 * DBL_EPSILON;

/* Intervals whose distances are at least this are settled. */
double ap_robot_wanted(const ap_robot_search *s)
{
    return s->limit < INFINITY ? s->limit : s->best.upper - s->tolerance;
}

/* Some queries have bounds that are far apart by themselves (the depth of meshes). There only what the motion adds to
 * that counts: this share of the tolerance. */
static const double FINE_SHARE = 0.25;
/* Measured: above 0.7 it makes little difference. */
static const double HOPELESS_SHARE = 1.0;

/* Against a limit, an interval is halved on as long as the distance itself keeps it. */
static void note_loss(ap_robot_search *s, double lower, double loss, double goal)
{
    s->is_fine = s->is_fine && loss <= FINE_SHARE * s->tolerance && (!(s->limit < INFINITY) || lower < goal);
}

static void note_upper(ap_robot_search *s, const ap_robot_look *l, double upper)
{
    const double value = upper + l->rounding - l->pair->public.margin;
    s->w->extents[l->number] = ap_robot_center_distance(l->m, l->pair) - upper;
    if (value < s->best.upper) {
        s->best.upper = value;
        s->best.s = l->m->s;
        s->best.pair = l->number;
        s->best_segment = s->segment;
    }
}

ap_robot_look ap_robot_begin_look(ap_robot_search *s, size_t number, ap_robot_moment *m, double before, double after)
{
    const apart_robot_cell *cell = s->w->cell;
    ap_robot_look l = {.number = number, .pair = &cell->pairs[number], .m = m, .before = before, .after = after};
    const size_t *bodies = l.pair->public.bodies;
    l.half = ap_max(-before, after);
    l.rates = m->rates;
    l.changes = m->changes;
    ap_robot_curve_widen(s->w, m, l.half);
    for (int i = 0; i < 2; i++) {
        ap_robot_place_body(cell, m, bodies[i]);
        ap_robot_bound_body(cell, m, bodies[i]);
    }
    ap_robot_pair_bounds(cell, m, l.pair, &l.speed, &l.bend, &l.jolt);
    l.rounding = ap_robot_rounding(cell, m, l.pair);
    l.slack = l.speed * l.half + l.rounding;
    return l;
}

/* Is the second bound worth its price? Where bodies may turn far it says nothing. */
static bool is_short(const ap_robot_look *l)
{
    const double half = l->half;
    return ap_min(l->bend * half / 2.0, l->jolt * half * half / 6.0) < l->speed;
}

/* Will the interval have to be halved whatever the distance, and may the distance be left out? Only a guess, from how
 * the distance compared with that of the centres lately: the distance is probably above the goal, but not by much of
 * what the motion may take away. */
static bool is_hopeless(const ap_robot_search *s, const ap_robot_look *l)
{
    const double half = l->half, goal = ap_robot_wanted(s) + l->pair->public.margin;
    const double loss = half * ap_min(l->speed, half * ap_min(l->bend / 2.0, l->jolt * half / 6.0));
    const double gain = ap_robot_center_distance(l->m, l->pair) - s->w->extents[l->number] - goal;
    return gain > 0.0 && gain < HOPELESS_SHARE * loss;
}

/* What rounding of the kinematics may do to a separation that follows velocities and accelerations. */
static double rounding_along(const ap_robot_look *l)
{
    const double turned = l->rates * l->half;
    return l->rounding * (2.0 + turned + turned * turned + l->changes * l->half * l->half);
}

/* At least this far apart on the interval, from the separations at its ends if velocities are kept. */
static double bend_down(const ap_robot_look *l, double early, double late)
{
    const double first = early - 0.5 * l->bend * l->before * l->before,
                 last = late - 0.5 * l->bend * l->after * l->after;
    return ap_min(first, last) - rounding_along(l);
}

/* The least value between two ends of what lies below its chord by at most parting x (1 - x) time^2 / 2 at the share x
 * of the way. */
static double sag(double now, double end, double parting, double time)
{
    const double sink = 0.5 * parting * time * time, slope = end - now;
    if (!(sink > fabs(slope))) {
        return ap_min(now, end);
    }
    const double x = 0.5 - 0.5 * slope / sink;
    return now + x * slope - sink * x * (1.0 - x);
}

/* The same if accelerations are kept: `parting` is the largest of the points' accelerations apart. */
static double sag_down(const ap_robot_look *l, double early, double now, double late, double parting)
{
    const double first = sag(now, early, parting, l->before) + l->jolt * l->before * l->before * l->before / 6.0,
                 last = sag(now, late, parting, l->after) - l->jolt * l->after * l->after * l->after / 6.0;
    return ap_min(first, last) - rounding_along(l);
}

/* Does following the accelerations lose less than following the velocities? */
static bool follows_accelerations(const ap_robot_look *l, double parting)
{
    const double half = l->half;
    return l->jolt * half / 6.0 + parting / 8.0 < l->bend / 2.0;
}

/* ---- pairs of parts ---- */

static apart_vec3 velocity_at(const ap_robot_parts *parts, int side, apart_vec3 point)
{
    return ap_add(parts->linear[side], ap_cross(parts->angular[side], point));
}

/* Two convex parts seen from a moment along the normal there. */
typedef struct tangent {
    ap_robot_look look;
    ap_robot_parts parts;
    double closing, parting; /* closing: below zero where the parts come nearer */
} tangent;

/* The bound that a tangent gives on its interval; -infinity at the latest when it is below `goal`. */
static double bound_tangent(tangent *t, double goal)
{
    const ap_robot_look *l = &t->look;
    const int order = follows_accelerations(l, t->parting) ? 2 : 1;
    const double low = t->closing < 0.0 ? l->after : l->before, high = t->closing < 0.0 ? l->before : l->after;
    const double lower = low != 0.0 ? ap_robot_separation(&t->parts, low, order) : INFINITY;
    if (lower < goal) {
        return -INFINITY;
    }
    const double now = ap_robot_separation(&t->parts, 0.0, order),
                 higher = high != 0.0 ? ap_robot_separation(&t->parts, high, order) : now,
                 first = low == 0.0 ? now : lower;
    const double early = t->closing < 0.0 ? higher : first, late = t->closing < 0.0 ? first : higher;
    return order == 2 ? sag_down(l, early, now, late, t->parting) : bend_down(l, early, late);
}

/* The normal stays with the observer. */
static void take_tangent(const ap_robot_search *s, const ap_robot_look *l, size_t observer, const apart_cache *cache,
                         const apart_result *r, tangent *t)
{
    ap_robot_parts *parts = &t->parts;
    parts->vertices[0] = cache->count > 0 ? cache->index_a[0] : APART_NO_INDEX;
    parts->vertices[1] = cache->count > 0 ? cache->index_b[0] : APART_NO_INDEX;
    ap_robot_move_parts(s->w->cell, l->m, l->pair, observer, parts);
    ap_robot_follow(parts, r->normal);
    const apart_vec3 v = ap_sub(velocity_at(parts, 1, r->b), velocity_at(parts, 0, r->a));
    t->look = *l;
    t->closing = ap_dot(r->normal, v);
    t->parting = ap_max(ap_robot_parting(parts), 0.0);
}

/* The bound from a distance that was computed. */
static double bound_parts(ap_robot_search *s, const ap_robot_look *l, tangent *t, const apart_cache *cache,
                          const apart_result *r, double goal)
{
    const double first = r->lower - l->slack;
    if (!is_short(l) || t->parts.shapes[0] == NULL || t->parts.shapes[1] == NULL) {
        return first;
    }
    take_tangent(s, l, l->pair->top, cache, r, t);
    s->ends_low = t->closing < 0.0;
    const double least = ap_min(goal, r->lower - FINE_SHARE * s->tolerance); /* lower ones are not fine anyway */
    double best = ap_max(first, bound_tangent(t, least));
    for (int side = 0; side < 2 && best < goal; side++) {
        const size_t frame = s->w->cell->bodies[l->pair->public.bodies[side]].frame;
        if (frame != l->pair->top) {
            ap_robot_look seen = *l;
            ap_robot_bounds_seen_from(s->w->cell, l->m, l->pair, side, &seen.bend, &seen.jolt);
            take_tangent(s, &seen, frame, cache, r, t);
            best = ap_max(best, bound_tangent(t, least));
        }
    }
    return best;
}

static apart_options options_for(const ap_robot_search *s, const ap_robot_look *l, double goal)
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

static apart_status look_at_parts(ap_robot_search *s, const ap_robot_look *l, double *bound)
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
        const double goal = ap_robot_wanted(s) + l->pair->public.margin;
        tangent t;
        ap_robot_parts *parts = &t.parts;
        apart_compound_result answer;
        const apart_result *r = &answer.result;
        ap_robot_take_piece(a, &l->m->poses[bodies[0]], i / many, 0, parts);
        ap_robot_take_piece(b, &l->m->poses[bodies[1]], i % many, 1, parts);
        if (count > 1) {
            const double spheres = ap_robot_part_gap(parts) - l->slack;
            if (spheres >= goal) {
                *bound = ap_min(*bound, spheres);
                continue;
            }
        }
        const apart_options options = options_for(s, l, goal);
        apart_compound_cache *cache = ap_robot_cache_of(s->w, l->pair->cache + i);
        const apart_status status = ap_robot_piece_distance(parts, &options, cache, &answer);
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
        const double wanted_now = ap_robot_wanted(s) + l->pair->public.margin;
        const double own = bound_parts(s, l, &t, &cache->cache, r, wanted_now);
        if (own < wanted_now) {
            note_loss(s, r->lower, r->lower - own, wanted_now);
        }
        *bound = ap_min(*bound, own);
    }
    return APART_OK;
}

/* ---- spheres ---- */

/* The separation of two spheres is that of their centres. */
static double bound_spheres(ap_robot_search *s, const ap_robot_look *l, const ap_robot_parts *move, apart_vec3 p,
                            apart_vec3 q, double distance, double radii)
{
    const double rounding = SPHERE_ROUNDING * (fabs(distance) + radii + ap_max_abs(p) + ap_max_abs(q));
    const double first = distance - l->slack - rounding, length = distance + radii;
    if (!is_short(l) || !(length >= DBL_MIN)) { /* its inverse would overflow */
        return first;
    }
    const apart_vec3 n = ap_scale(1.0 / length, ap_sub(q, p));
    const double closing = ap_dot(n, ap_sub(velocity_at(move, 1, q), velocity_at(move, 0, p)));
    const double parting = ap_dot(n, ap_sub(ap_robot_acceleration(move, 1, q), ap_robot_acceleration(move, 0, p)));
    double early = distance + l->before * closing, late = distance + l->after * closing;
    s->ends_low = closing < 0.0;
    if (!follows_accelerations(l, fabs(parting))) {
        return ap_max(first, bend_down(l, early, late) - rounding);
    }
    early += 0.5 * parting * l->before * l->before;
    late += 0.5 * parting * l->after * l->after;
    return ap_max(first, sag_down(l, early, distance, late, ap_max(parting, 0.0)) - rounding);
}

/* The same of the bodies' bounding spheres. */
static double bound_balls(ap_robot_search *s, const ap_robot_look *l, double gap)
{
    const apart_robot_cell *cell = s->w->cell;
    const size_t a = l->pair->public.bodies[0], b = l->pair->public.bodies[1];
    ap_robot_parts move;
    ap_robot_move_parts(cell, l->m, l->pair, l->pair->top, &move);
    return bound_spheres(s, l, &move, l->m->centers[a], l->m->centers[b], gap,
                         cell->bodies[a].radius + cell->bodies[b].radius);
}

static double look_at_spheres(ap_robot_search *s, const ap_robot_look *l)
{
    const apart_robot_cell *cell = s->w->cell;
    const size_t *bodies = l->pair->public.bodies;
    const ap_robot_body *a = &cell->bodies[bodies[0]], *b = &cell->bodies[bodies[1]];
    const apart_vec3 *p = ap_robot_place_spheres(cell, l->m, bodies[0]),
                     *q = ap_robot_place_spheres(cell, l->m, bodies[1]);
    ap_robot_parts move;
    double bound = INFINITY;
    ap_robot_move_parts(cell, l->m, l->pair, l->pair->top, &move);
    for (size_t i = 0; i < a->public.part_count; i++) {
        for (size_t k = 0; k < b->public.part_count; k++) {
            const apart_vec3 way = ap_sub(q[k], p[i]);
            const double radii = a->public.parts[i].shape.radius + b->public.parts[k].shape.radius;
            const double goal = ap_robot_wanted(s) + l->pair->public.margin, need = goal + l->slack + radii,
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

static apart_status look_at_trees(ap_robot_search *s, const ap_robot_look *l, double *bound)
{
    const double goal = ap_robot_wanted(s) + l->pair->public.margin;
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
        note_loss(s, r.result.lower, l->slack, goal);
    }
    return APART_OK;
}

/* A lower bound of a pair's distance, less its margin, on the interval around a moment. */
apart_status ap_robot_look_at_pair(ap_robot_search *s, size_t number, ap_robot_moment *m, double before, double after,
                                   double *bound)
{
    const apart_robot_cell *cell = s->w->cell;
    const ap_robot_look l = ap_robot_begin_look(s, number, m, before, after);
    const double margin = l.pair->public.margin;
    apart_status status = APART_OK;
    s->w->intervals++;
    s->is_close = is_short(&l);
    s->is_fine = true;
    *bound = ap_robot_ball_gap(cell, m, l.pair) - l.slack - margin;
    if (*bound >= ap_robot_wanted(s)) {
        return APART_OK;
    }
    const double balls = ap_robot_ball_gap(cell, m, l.pair);
    if (balls - margin > ap_robot_wanted(s) && is_short(&l)) {
        *bound = ap_max(*bound, bound_balls(s, &l, balls) - margin);
        if (*bound >= ap_robot_wanted(s)) {
            return APART_OK;
        }
    }
    if (is_hopeless(s, &l)) {
        s->is_fine = false;
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
