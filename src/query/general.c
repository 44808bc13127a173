/* Any query, whatever its options, and the end of those whose bodies meet: from what the loop or the depth search found
 * to a result. */
#include <string.h>

#include "../depth/depth.h"
#include "../gjk/loop.h"
#include "../kernels/box_depth.h"
#include "../solvers/solvers.h"
#include "query.h"

#define MOST_ITERATIONS 60000u

static ap_solver_fn *const solvers[APART_SOLVER_COUNT] =
    {NULL, ap_solve_johnson, ap_solve_voronoi, ap_solve_geometric, ap_solve_least_squares, ap_solve_volumes};

apart_status ap_query_begin(ap_query *q, const void *out)
{
    if (q->a == NULL || q->pose_a == NULL || q->b == NULL || q->pose_b == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_options *o = q->options != NULL ? q->options : &ap_default_options;
    const bool legal = o->solver < APART_SOLVER_COUNT && o->support < APART_SUPPORT_COUNT &&
                       o->depth <= APART_DEPTH_NONE && o->no_fallback <= 1 && o->cutoff >= 0.0 && o->tolerance >= 0.0 &&
                       isfinite(o->tolerance) && o->max_iterations <= MOST_ITERATIONS;
#ifdef APART_INSTRUMENT
    ap_operation_count = (ap_operations){0, 0, 0};
#endif
    q->options = o;
    return legal ? APART_OK : APART_ERR_OPTION;
}

apart_status ap_query_prepare(const ap_query *q, ap_pair *pair)
{
    apart_trace *trace = q->options->trace;
    /* Like the default query, so that a trace or statistics change the answer in the last bits at most. */
    const bool scans = q->options->support == APART_SUPPORT_AUTO && ap_gjk_scans(q);
    const apart_status status = ap_pair_prepare(pair, q, scans ? APART_SUPPORT_SCAN : q->options->support);
    if (status == APART_OK && trace != NULL) {
        trace->count = 0;
        trace->surface_count = 0;
        trace->origin = pair->origin;
        trace->radius_a = pair->a->radius;
        trace->radius_b = pair->b->radius;
    }
    return status;
}

static void run_loop(ap_gjk *g, ap_pair *pair, const apart_options *o, bool yes_no)
{
    const ap_scaled_limits limits = ap_scaled_limits_of(o, pair);
    const ap_gjk_options loop = {
        .solver = solvers[o->solver],
        .recurrence = o->solver == APART_SOLVER_GEOMETRIC,
        .fallback = o->no_fallback == 0,
        .yes_no = yes_no,
        .max_iterations = (int)(o->max_iterations > 0 ? o->max_iterations : AP_DEFAULT_ITERATIONS),
        .cutoff = yes_no ? INFINITY : limits.cutoff,
        .tolerance = limits.tolerance,
        .trace = o->trace,
    };
    ap_gjk_run(g, pair, &loop);
}

void ap_query_run(ap_gjk *g, ap_pair *pair, const ap_query *q, bool yes_no)
{
    if (!ap_gjk_track(g, pair, q->cache)) {
        ap_gjk_start(g, pair, ap_gjk_first_direction(pair, q->cache));
    }
    run_loop(g, pair, q->options, yes_no);
}

static void add_statistics(apart_stats *stats, const ap_pair *pair, const ap_gjk *g)
{
    stats->queries++;
    stats->iterations += (uint64_t)g->iterations + 1u;
    stats->support_calls += pair->support_calls;
    stats->vertices_visited += pair->context.count.visited;
    stats->edges_climbed += pair->context.count.climbed;
    stats->vertices_transformed += pair->transformed;
    stats->solver_calls += (uint64_t)g->solver_calls;
    stats->fallbacks += g->fell_back ? 1u : 0u;
#ifdef APART_INSTRUMENT
    stats->multiplications += ap_operation_count.multiplications;
    stats->divisions += ap_operation_count.divisions;
    stats->solver_operations += ap_operation_count.solver;
#endif
}

apart_status ap_query_end(const ap_gjk *g, const ap_pair *pair, const ap_query *q)
{
    if (pair->broken) {
        return ap_pair_status(pair);
    }
    if (q->cache != NULL) {
        ap_gjk_keep(g, pair, AP_ANY_PAIR, false, q->cache);
    }
    if (q->options->stats != NULL) {
        add_statistics(q->options->stats, pair, g);
    }
    return APART_OK;
}

/* ---- bodies that meet ---- */

/* The depth, or without one a common point. */
static void write_meeting(const ap_query *q, const ap_pair *pair, const ap_gjk *g, const ap_depth *d)
{
    apart_result *r = q->result;
    const bool no_depth = q->options->depth == APART_DEPTH_NONE && d->enclosed;
    const ap_simplex *simplex = no_depth ? &g->simplex : &d->simplex;
    ap_core_answer core = {.points = ap_simplex_points(simplex), .normal = ap_lanes_from(d->normal)};
    if (!no_depth) {
        core.distance = -d->depth;
        core.upper = d->enclosed ? -(d->least - pair->upper_error)
                                 : ap_lanes_norm(ap_lanes_sub(core.points.b, core.points.a)) + pair->upper_error;
        /* how far b - a is from -depth * normal: weights of a large and slender simplex err by more than the bounds
         * differ */
        const ap_lanes misfit =
            ap_lanes_add(ap_lanes_sub(core.points.b, core.points.a), ap_lanes_scale(d->depth, core.normal));
        core.lower = ap_min(-(d->most + pair->lower_error), core.upper - ap_lanes_norm(misfit));
    }
    ap_result_write(r, pair, AP_ANY_PAIR, &core);
    ap_result_write_simplex(r, pair, AP_ANY_PAIR, simplex);
    ap_result_write_run(r, pair, AP_ANY_PAIR, q->options, g);
    r->stop = (uint8_t)(no_depth ? APART_STOP_CONVERGED : d->stop);
    r->relation = ap_result_relation(r->lower, r->upper);
    if (no_depth) {
        ap_result_forget_depth(r);
    }
}

/* What follows the loop, however it ended. known: the depth is there already. The result is written only when the query
 * could run. */
static apart_status conclude(ap_gjk *g, ap_pair *pair, const ap_query *q, ap_depth *d, bool known)
{
    const apart_options *o = q->options;
    const bool meet = g->outcome == AP_ENCLOSED || g->outcome == AP_CONTACT;
    if (meet && !known) {
        ap_depth_find(d, pair, g, o->depth_cache, o->depth, o->trace);
    }
    if (pair->broken) {
        return ap_pair_status(pair);
    }
    if (meet) {
        write_meeting(q, pair, g, d);
        g->length = 1.0; /* the cache keeps the direction of separation */
        g->v = d->normal;
    } else {
        ap_result_write_separated(q->result, pair, AP_ANY_PAIR, o, g);
    }
    if (o->depth != APART_DEPTH_NONE) {
        ap_result_mend_normal(q->result, pair);
    }
    return ap_query_end(g, pair, q);
}

AP_NOINLINE apart_status ap_distance_of_meeting(ap_gjk *g, ap_pair *pair, const ap_query *q, bool boxes)
{
    ap_depth d;
    ap_box_least least;
    const bool ask = boxes && g->outcome != AP_DECIDED && q->options->depth == APART_DEPTH_EXACT && !pair->broken;
    if (ask && ap_box_depth_answer(pair, q->cache, q->result, &least)) {
        q->result->iterations = (uint16_t)(g->iterations + 1);
        return APART_OK;
    }
    return conclude(g, pair, q, &d, ask && ap_box_depth_witness(&d, pair, &least));
}

AP_NOINLINE apart_status ap_distance_of_overlapping_boxes(ap_pair *pair, const ap_query *q)
{
    ap_gjk g;
    ap_depth d;
    ap_box_least least = {.value = INFINITY};
    const bool exact = q->options->depth == APART_DEPTH_EXACT;
    if (exact && ap_box_depth_answer(pair, q->cache, q->result, &least)) {
        return APART_OK;
    }
    ap_gjk_skip(&g);
    least.value *= ap_gjk_rescale(&g, pair);
    const bool known = exact && ap_box_depth_witness(&d, pair, &least);
    if (!known) {
        ap_gjk_start(&g, pair, least.value < INFINITY ? least.normal : ap_gjk_first_direction(pair, q->cache));
        run_loop(&g, pair, q->options, false);
    }
    return conclude(&g, pair, q, &d, known);
}

/* ---- any query ---- */

/* Default queries of two boxes test the fifteen axes first; a trace and the papers' solvers want the loop itself. */
static bool takes_box_axes(const ap_pair *pair, const apart_options *o)
{
    return pair->a->kind == APART_SHAPE_BOX && pair->b->kind == APART_SHAPE_BOX && pair->dim == 3 &&
           o->solver == APART_SOLVER_DEFAULT && o->depth == APART_DEPTH_EXACT && o->trace == NULL;
}

/* The loop, unless something quicker gives the depth. True: the depth is known already. */
static bool run_or_track_depth(ap_gjk *g, ap_pair *pair, const ap_query *q, ap_depth *d)
{
    const apart_options *o = q->options;
    const bool boxes = takes_box_axes(pair, o);
    if (o->depth_cache != NULL && !boxes && ap_depth_track(d, pair, o->depth_cache, o->depth, o->trace)) {
        ap_gjk_skip(g);
        return true;
    }
    if (!ap_gjk_track(g, pair, q->cache)) {
        ap_box_least least = {.value = INFINITY};
        if (boxes) {
            least = ap_box_depth_least(pair);
            if (ap_box_depth_witness(d, pair, &least)) {
                ap_gjk_skip(g);
                return true;
            }
        }
        ap_gjk_start(g, pair, least.value < INFINITY ? least.normal : ap_gjk_first_direction(pair, q->cache));
    }
    run_loop(g, pair, o, false);
    return false;
}

apart_status ap_distance_general(const ap_query *q)
{
    ap_pair pair;
    ap_gjk g;
    ap_depth d;
    if (ap_query_has_half_space(q)) {
        return ap_distance_to_half_space(q);
    }
    ap_gjk_prefetch(q);
    const apart_status status = ap_query_prepare(q, &pair);
    if (status != APART_OK) {
        return status;
    }
    const bool known = run_or_track_depth(&g, &pair, q, &d);
    return conclude(&g, &pair, q, &d, known);
}
