/* What the public queries share: options, their checks, and the loop's parameters. */
#include "query.h"

#include <float.h>
#include <string.h>

#define MOST_ITERATIONS 60000u

static ap_solver_fn *const solvers[APART_SOLVER_COUNT] = {NULL,               ap_solve_johnson,       ap_solve_voronoi,
                                                          ap_solve_geometric, ap_solve_least_squares, ap_solve_volumes};

static const apart_options default_options;

_Static_assert(offsetof(apart_options, trace) == 3 * sizeof(uint64_t), "is_default and is_plain read what stands before as words");

AP_INLINE apart_status begin_query(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                   const apart_options *options, const void *out, const apart_options **used)
{
    if (a == NULL || pose_a == NULL || b == NULL || pose_b == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_options *o = options != NULL ? options : &default_options;
    const bool fine = o->solver < APART_SOLVER_COUNT && o->support < APART_SUPPORT_COUNT && o->depth <= APART_DEPTH_NONE &&
                      o->no_fallback <= 1 && o->cutoff >= 0.0 && o->tolerance >= 0.0 && isfinite(o->tolerance) &&
                      o->max_iterations <= MOST_ITERATIONS;
#ifdef APART_INSTRUMENT
    ap_operation_count = (ap_operations){0, 0, 0};
#endif
    *used = o;
    return fine ? APART_OK : APART_ERR_OPTION;
}

apart_status ap_query_begin(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                            const apart_options *options, const void *out, const apart_options **used)
{
    return begin_query(a, pose_a, b, pose_b, options, out, used);
}

/* What a query fills besides its result. */
AP_INLINE bool has_outputs(const apart_options *o) { return ((uintptr_t)o->trace | (uintptr_t)o->stats | (uintptr_t)o->depth_cache) != 0; }

/* Are all bytes of the options zero? */
AP_INLINE bool is_default(const apart_options *o)
{
    uint64_t first, second, third; /* apart, so that no vector goes through memory */
    memcpy(&first, o, sizeof first);
    memcpy(&second, &o->cutoff, sizeof second);
    memcpy(&third, &o->tolerance, sizeof third);
    return (first | second | third) == 0 && !has_outputs(o);
}

/* Does the caller ask for nothing but the distance? Everything is zero but `depth`, a legal cut-off and a legal tolerance. Two boxes in space
 * have no use for a depth cache. */
AP_INLINE bool is_plain(const apart_options *o, const apart_shape *a, const apart_shape *b)
{
    const bool boxes = a->kind == APART_SHAPE_BOX && b->kind == APART_SHAPE_BOX && a->dim == 3;
    static const apart_options depth_alone = {.depth = UINT8_MAX};
    uint64_t bits, allowed;
    memcpy(&bits, o, sizeof bits);
    memcpy(&allowed, &depth_alone, sizeof allowed);
    return (bits & ~allowed) == 0 && o->trace == NULL && o->stats == NULL && (o->depth_cache == NULL || boxes) && o->cutoff >= 0.0 && o->tolerance >= 0.0 && o->tolerance <= DBL_MAX &&
           o->depth <= APART_DEPTH_NONE;
}

/* How far the cores must be apart, scaled, to be beyond the cut-off. */
AP_INLINE double scaled_cutoff(const apart_options *o, const ap_pair *pair, ap_known known)
{
    return o->cutoff > 0.0 ? ap_known_scale(known, pair->scale) * (o->cutoff + pair->radius) : INFINITY;
}

/* The gap that is good enough, scaled, less what rounding adds to it. */
AP_INLINE double scaled_tolerance(const apart_options *o, const ap_pair *pair, ap_known known)
{
    return ap_max(0.0, ap_known_scale(known, pair->scale) * o->tolerance - (ap_known_lower_error(pair, known) + pair->upper_error));
}

const ap_gjk_options *ap_query_loop(const apart_options *o, const ap_pair *pair, bool yes_no, ap_gjk_options *space)
{
    *space = (ap_gjk_options){
        .solver = solvers[o->solver],
        .recurrence = o->solver == APART_SOLVER_GEOMETRIC,
        .fallback = o->no_fallback == 0,
        .yes_no = yes_no,
        .max_iterations = (int)(o->max_iterations > 0 ? o->max_iterations : AP_DEFAULT_ITERATIONS),
        .cutoff = yes_no ? INFINITY : scaled_cutoff(o, pair, AP_NOTHING_KNOWN),
        .tolerance = scaled_tolerance(o, pair, AP_NOTHING_KNOWN),
        .trace = o->trace,
    };
    return space;
}

void ap_query_trace(const apart_options *o, const ap_pair *pair)
{
    if (o->trace != NULL) {
        o->trace->count = 0;
        o->trace->surface_count = 0;
        o->trace->origin = pair->origin;
        o->trace->radius_a = pair->a->radius;
        o->trace->radius_b = pair->b->radius;
    }
}

void ap_query_run(ap_gjk *g, ap_pair *pair, const apart_options *o, const apart_cache *cache, bool yes_no)
{
    ap_gjk_options space;
    if (!ap_gjk_track(g, pair, cache)) {
        ap_gjk_start(g, pair, ap_gjk_first_direction(pair, cache));
    }
    ap_gjk_run(g, pair, ap_query_loop(o, pair, yes_no, &space));
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

apart_status ap_query_end(const ap_gjk *g, const ap_pair *pair, const apart_options *o, apart_cache *cache)
{
    if (pair->broken) {
        return ap_pair_status(pair);
    }
    if (cache != NULL) {
        ap_gjk_store(g, pair, cache);
    }
    if (o->stats != NULL) {
        add_statistics(o->stats, pair, g);
    }
    return APART_OK;
}
