/* The GJK loop of a default query: a template, inlined for pairs whose traits are known.
 *
 * Source: Gilbert, Johnson, Keerthi 1988 in the form of Cameron 1997 section 3. A step needs neither square root nor
 * division, and a step that may be the last needs no vertex, only the support value along v. Whatever is unusual goes
 * over to the general loop (gjk.c), which also says how the stopping rule differs from the papers'.
 *
 * Legend: v closest point of the simplex to the origin, w = b - a support point of the Minkowski difference against
 * v. */
#ifndef AP_GJK_LOOP_H
#define AP_GJK_LOOP_H

#include "../pair/result.h"
#include "../simplex/solve_default.h"
#include "gjk.h"

AP_INLINE void ap_gjk_reset(ap_gjk *g, bool warm)
{
    g->length = 0.0;
    g->lower = 0.0;
    g->iterations = 0;
    g->solver_calls = 0;
    g->fell_back = false;
    g->blended = false;
    g->warm = warm;
    ap_lanes_store(&g->direction, ap_lanes_all(0.0));
}

/* Brings pair and state to unit size, as all code but the templates expects them. Returns the factor. */
static inline double ap_gjk_rescale(ap_gjk *g, ap_pair *pair)
{
    const double s = ap_pair_rescale(pair, &g->simplex);
    const ap_lanes all = ap_lanes_all(s);
    ap_lanes_store(&g->v, ap_lanes_mul(all, ap_lanes_load(&g->v)));
    ap_lanes_store(&g->direction, ap_lanes_mul(all, ap_lanes_load(&g->direction)));
    g->length *= s;
    g->lower *= s;
    return s;
}

/* ---- the start ---- */

/* Does a cold query of these shapes scan all vertices? Of hulls so small that is faster than searching. */
AP_INLINE bool ap_gjk_scans(const ap_query *q)
{
    return (q->cache == NULL || q->cache->count == 0) && q->a->kind == APART_SHAPE_HULL &&
           q->b->kind == APART_SHAPE_HULL && (q->a->status | q->b->status) == APART_OK &&
           q->a->u.hull->vertex_count <= AP_MOST_VALUED && q->b->u.hull->vertex_count <= AP_MOST_VALUED;
}

/* Before anything else: starts loading what the cache says will be needed, because large hulls are not in the nearest
 * cache. Inlined by force: a function that only prefetches has no effect in the compiler's eyes, and its calls are
 * dropped. */
AP_INLINE void ap_gjk_prefetch(const ap_query *q)
{
    const apart_cache *cache = q->cache;
    if (cache != NULL && cache->tag != 0) {
        const unsigned newest = (cache->count - 1u) & 3u;
        if (q->a->kind == APART_SHAPE_HULL && q->a->status == APART_OK) {
            ap_hull_prefetch(q->a->u.hull, cache->index_a[newest]);
        }
        if (q->b->kind == APART_SHAPE_HULL && q->b->status == APART_OK) {
            ap_hull_prefetch(q->b->u.hull, cache->index_b[newest]);
        }
    }
}

/* Fills the simplex with the cached vertices at the new poses; *newest: where the last one is. False: the cache holds
 * none for this pair. */
AP_INLINE bool ap_gjk_warm_start(ap_gjk *g, ap_pair *pair, ap_traits t, const apart_cache *cache, ap_lanes *newest)
{
    if (cache == NULL || !(t.vertices || pair->vertices) || cache->tag != ap_pair_tag_of(pair, t) ||
        cache->count - 1u > (unsigned)(t.vertices ? 3 : pair->dim)) {
        return false;
    }
    for (int i = 0; i < cache->count; i++) {
        if (cache->index_a[i] >= pair->count_a || cache->index_b[i] >= pair->count_b) {
            return false;
        }
    }
    ap_gjk_reset(g, true);
    g->simplex.count = cache->count;
    int i = 0;
    do {
        *newest = ap_pair_vertex_lanes(pair, t, cache->index_a[i], cache->index_b[i], &g->simplex.vertex[i]);
    } while (++i < cache->count);
    return true;
}

/* The first direction without a cache: from centre to centre. */
AP_INLINE apart_vec3 ap_gjk_center_direction(const ap_pair *pair)
{
    return ap_max_abs(pair->offset) > 0.0 ? pair->offset : ap_vec(1.0, 0.0, 0.0);
}

/* Starts afresh from the support pair of one direction; returns where it is. */
AP_INLINE ap_lanes ap_gjk_cold_start(ap_gjk *g, ap_pair *pair, ap_traits t, apart_vec3 direction)
{
    const ap_lanes v = ap_lanes_from(direction);
    ap_simplex_vertex *first = &g->simplex.vertex[0];
    ap_gjk_reset(g, false);
    g->simplex.count = 1;
    ap_lanes_store(&g->direction, v);
    if (t.value_first) {
        ap_support_value value;
        ap_pair_find_value(pair, t, v, NULL, first, &value);
        return ap_pair_take(pair, t, &value, first);
    }
    const uint32_t hint = t.default_search ? AP_GUESS : APART_NO_INDEX;
    return ap_pair_support_lanes(pair, t, v, hint, hint, first);
}

/* ---- a step ---- */

AP_INLINE void ap_gjk_set_limits(ap_gjk_limits *limits, const ap_pair *pair, double tolerance)
{
    const double unit = AP_UNIT_ROUNDOFF * pair->magnitude;
    limits->closed = ap_max(AP_CLOSED_GAP * unit, tolerance);
    limits->accepted = ap_max(AP_ACCEPTED_GAP * unit, tolerance);
    limits->open = 2.0 * limits->accepted * pair->magnitude;
    limits->agreed = AP_WITNESS_AGREEMENT * unit;
    limits->shortest_square = INFINITY;
}

AP_INLINE bool ap_gjk_contains(const ap_simplex *s, ap_lanes w)
{
    for (int i = 0; i < s->count; i++) {
        if ((ap_mask_bits(ap_lanes_equal(ap_lanes_load(&s->vertex[i].w), w)) & 7u) == 7u) {
            return true;
        }
    }
    return false;
}

/* A climb is believed unless it can miss too much, or so much that the relation depends on it: then every vertex is
 * scanned. */
AP_INLINE bool ap_gjk_is_believed(const ap_gjk *g, const ap_pair *pair, ap_traits t)
{
    if (t.value_first || (!pair->confirm && !(pair->climb_error > 0.0))) {
        return true;
    }
    const double radius = (t.vertices ? 1.0 : pair->scale) * pair->radius;
    return !pair->confirm && fabs(g->lower - radius) > pair->lower_error;
}

/* The usual end: the gap is closed and the witness points agree with v. */
AP_INLINE bool ap_gjk_is_finished(ap_gjk *g, const ap_pair *pair, ap_traits t, const ap_gjk_limits *limits)
{
    if (!(g->length - g->lower <= limits->closed)) {
        return false;
    }
    g->blend = ap_simplex_points(&g->simplex);
    const ap_lanes apart = ap_lanes_sub(ap_lanes_sub(g->blend.b, g->blend.a), ap_lanes_load(&g->v));
    g->blended = ap_lanes_dot(apart, apart) <= limits->agreed * limits->agreed && ap_gjk_is_believed(g, pair, t);
    return g->blended;
}

/* The usual step: the gap is open, the support pair is new and v has become shorter. False: something else must be
 * decided first. A gap above accepted has |v|^2 - v.w > 2 accepted, since no v is longer than M; otherwise the exact
 * test runs once unnecessarily. */
AP_INLINE bool ap_gjk_advance(ap_gjk *g, ap_pair *pair, ap_traits t, ap_gjk_limits *limits, double square,
                              const ap_support_value *value, ap_simplex_vertex *next, ap_lanes *newest)
{
    if (!(square - value->product > limits->open) || !(square < limits->shortest_square) ||
        g->iterations + 1 >= AP_DEFAULT_ITERATIONS) {
        return false;
    }
    *newest = t.value_first ? ap_pair_take(pair, t, value, next) : ap_lanes_load(&next->w);
    if (!t.vertices && ap_gjk_contains(&g->simplex, *newest)) {
        return false; /* where supports err by more than rounding; else a pair that is there already leaves no gap, or v as it is */
    }
    limits->shortest_square = square;
    g->simplex.count++; /* the pair is in its place already */
    return true;
}

/* Do the weights of a simplex around the origin meet in one point? On a needle they may not. */
AP_INLINE bool ap_gjk_meets_in_a_point(const ap_gjk *g, const ap_gjk_limits *limits)
{
    const ap_blend points = ap_simplex_points(&g->simplex);
    return ap_lanes_norm(ap_lanes_sub(points.b, points.a)) <= limits->agreed;
}

/* Does the plane across v prove that the cores are farther apart than this? The squares err by a few u of themselves:
 * hence the factor. */
AP_INLINE bool ap_gjk_proves(const ap_pair *pair, double distance, double square, double product)
{
    const double needed = distance + pair->lower_error;
    return product > 0.0 && product * product > (1.0 + 0x1p-40) * (needed * needed) * square;
}

/* Is the caller's early question answered? For yes or no: the plane separates the bodies, or v is shorter than their
 * radii. */
AP_INLINE bool ap_gjk_decides(const ap_pair *pair, ap_traits t, double cutoff, double square, double product)
{
    if (t.yes_no) {
        const double radius = (t.vertices ? 1.0 : pair->scale) * pair->radius;
        return ap_gjk_proves(pair, radius, square, product) ||
               (radius > 2.0 * pair->upper_error && square < 0.25 * (radius * radius));
    }
    return cutoff < INFINITY && ap_gjk_proves(pair, cutoff, square, product);
}

/* ---- the loop ---- */

/* How the inlined loop ends: with an answer about bodies that are apart; with a common point; or unfinished, for the
 * general loop. */
typedef enum ap_gjk_end { AP_END_APART, AP_END_ENCLOSED, AP_END_UNFINISHED } ap_gjk_end;

/* *unused: the support pair that did not fit in, if that is why the loop is unfinished; else NULL. */
AP_INLINE ap_gjk_end ap_gjk_loop(ap_gjk *g, ap_pair *pair, ap_traits t, double cutoff, ap_gjk_limits *limits,
                                 ap_lanes newest, ap_simplex_vertex **unused)
{
    const bool tracked = g->simplex.count > 1;
    const double contact = AP_CONTACT_LENGTH * (AP_UNIT_ROUNDOFF * pair->magnitude);
    *unused = NULL;
    for (;; g->iterations++) {
        ap_lanes v;
        const bool inside = ap_solve_lanes(&g->simplex, t.vertices ? 3 : pair->dim, newest, &v);
        const double square = ap_lanes_dot(v, v); /* its root is not needed on the way */
        ap_lanes_store(&g->v, v);
        if (inside || !(square > 2.0 * (contact * contact))) {
            g->outcome = AP_ENCLOSED;
            return inside && (t.yes_no || ap_gjk_meets_in_a_point(g, limits)) ? AP_END_ENCLOSED : AP_END_UNFINISHED;
        }
        ap_simplex_vertex *next = &g->simplex.vertex[g->simplex.count];
        const bool guess = !t.value_first && pair->guesses && !(tracked && g->iterations == 0);
        ap_support_value value;
        ap_pair_find_value(pair, t, v, guess ? NULL : next - 1, next, &value);
        if (guess) {
            if (!ap_gjk_decides(pair, t, cutoff, square, value.product) &&
                ap_gjk_advance(g, pair, t, limits, square, &value, next, &newest)) {
                continue;
            }
            ap_pair_find_value(pair, t, v, next, next, &value); /* what ends the loop must be certain */
        }
        const bool decided = ap_gjk_decides(pair, t, cutoff, square, value.product);
        if (!decided && ap_gjk_advance(g, pair, t, limits, square, &value, next, &newest)) {
            continue;
        }
        g->length = sqrt(square);
        g->lower = value.product / g->length;
        if (decided) {
            g->outcome = AP_DECIDED;
            g->stop = APART_STOP_CUTOFF;
            return AP_END_APART;
        }
        g->outcome = AP_SEPARATED;
        ap_count_div(2);
        if (ap_gjk_is_finished(g, pair, t, limits)) {
            return AP_END_APART;
        }
        ap_lanes_store(&g->direction, v);
        ap_pair_take(pair, t, &value, next);
        *unused = next;
        return AP_END_UNFINISHED;
    }
}

/* Runs the loop from the simplex that is there. True: the cores are apart, and nothing unusual was met. Else the pair
 * has unit size. */
AP_INLINE bool ap_gjk_run_inline(ap_gjk *g, ap_pair *pair, ap_traits t, double cutoff, double tolerance,
                                 ap_lanes newest)
{
    ap_gjk_limits limits;
    ap_simplex_vertex *unused;
    ap_gjk_set_limits(&limits, pair, tolerance);
    g->stop = APART_STOP_CONVERGED;
    const ap_gjk_end end = ap_gjk_loop(g, pair, t, cutoff, &limits, newest, &unused);
    if (end == AP_END_UNFINISHED) {
        ap_gjk_continue(g, pair, (ap_gjk_options){.yes_no = t.yes_no, .cutoff = cutoff, .tolerance = tolerance},
                        &limits, unused);
    } else if (end == AP_END_ENCLOSED && !t.yes_no && t.vertices) {
        ap_gjk_rescale(g, pair);
    }
    return end == AP_END_APART && (t.vertices || !pair->broken);
}

/* ---- the end ---- */

/* Keeps what the next query of the pair starts from. tracked: the cache was this pair's already. */
AP_INLINE void ap_gjk_keep(const ap_gjk *g, const ap_pair *pair, ap_traits t, bool tracked, apart_cache *cache)
{
    const int count = t.vertices || pair->vertices ? g->simplex.count : 0;
    if (!tracked) {
        cache->tag = ap_pair_tag_of(pair, t);
    }
    cache->flags = 0;
    cache->count = (uint16_t)count;
    ap_lanes_store(cache->index_a, ap_lanes_all(0.0)); /* both rows of them */
    for (int i = 0; i < count; i++) {
        cache->index_a[i] = g->simplex.vertex[i].index_a;
        cache->index_b[i] = g->simplex.vertex[i].index_b;
    }
    if (g->length > 0.0 && !t.vertices) { /* those go on from their vertices */
        const ap_lanes d = ap_lanes_apply(&pair->rows_a, ap_lanes_scale(1.0 / g->length, ap_lanes_load(&g->v)));
        cache->direction[0] = ap_lanes_at(d, 0);
        cache->direction[1] = ap_lanes_at(d, 1);
        cache->direction[2] = ap_lanes_at(d, 2);
    }
}

/* Overlap without a depth: distance 0, upper 0, lower -infinity. */
AP_INLINE void ap_result_forget_depth(apart_result *r)
{
    r->distance = 0.0;
    r->lower = -INFINITY;
    r->upper = 0.0;
    r->relation = APART_OVERLAPPING;
}

/* How the query ran. */
AP_INLINE void ap_result_write_run(apart_result *r, const ap_pair *pair, ap_traits t, const apart_options *o,
                                   const ap_gjk *g)
{
    r->solver = t.default_search ? (uint8_t)APART_SOLVER_DEFAULT : o->solver;
    r->dim = (uint8_t)(t.vertices ? 3 : pair->dim);
    r->iterations = (uint16_t)(g->iterations + 1);
    r->fallback = !t.vertices && g->fell_back;
}

/* Bodies whose cores are apart, or beyond the cut-off; rounded, they may overlap. */
AP_INLINE void ap_result_write_separated(apart_result *r, const ap_pair *pair, ap_traits t, const apart_options *o,
                                         const ap_gjk *g)
{
    const ap_blend points = g->blended ? g->blend : ap_simplex_points(&g->simplex);
    const ap_core_answer core = {.points = points,
                                 .normal = ap_lanes_scale(1.0 / g->length, ap_lanes_load(&g->v)),
                                 .distance = g->length,
                                 .lower = g->lower - pair->lower_error,
                                 .upper = ap_lanes_norm(ap_lanes_sub(points.b, points.a)) + pair->upper_error};
    ap_result_write_run(r, pair, t, o, g);
    ap_result_write(r, pair, t, &core);
    ap_result_write_simplex(r, pair, t, &g->simplex);
    r->stop = (uint8_t)g->stop;
    r->relation = ap_result_relation(r->lower, r->upper);
    if (r->relation == APART_OVERLAPPING && o->depth == APART_DEPTH_NONE) {
        ap_result_forget_depth(r);
    }
    if (g->outcome == AP_DECIDED) {
        r->relation = APART_BEYOND;
    }
}

#endif
