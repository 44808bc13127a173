/* The end of a query: from what the loop or the depth search found to a result with its bounds.
 *
 * The scaled answer of the cores becomes world points, and the rounding radii are subtracted: signed distance = that of the cores - radii. */
#include <string.h>

#include "../kernels/box_box.h"
#include "../kernels/box_feature.h"
#include "../depth/depth.h"
#include "query.h"

/* The answer of the cores, scaled, whichever way it was found. */
typedef struct core_answer {
    ap_blend points;
    ap_lanes normal;
    double distance, lower, upper; /* signed */
} core_answer;

/* The caller's number of a vertex (ap_input_index) without a call for what queries meet most. */
AP_INLINE uint32_t input_index(const apart_shape *shape, int kind, uint32_t vertex)
{
    if (kind == APART_SHAPE_HULL || (kind == APART_SHAPE_NONE && shape->kind == APART_SHAPE_HULL)) {
        return (uint32_t)ap_hull_corners(shape->u.hull)[vertex].input;
    }
    return kind != APART_SHAPE_NONE || shape->nesting == 0 ? vertex : ap_input_index(shape, vertex);
}

AP_INLINE void write_simplex(apart_result *r, const ap_pair *pair, ap_known known, const ap_simplex *s)
{
    const int count = s->count;
    ap_lanes_store(r->index_a, (ap_lanes)ap_mask_all(-1)); /* both rows of them */
    ap_lanes_store(r->lambda, ap_lanes_all(0.0));
    r->count = (uint8_t)count;
    for (int i = 0; i < count; i++) {
        r->index_a[i] = input_index(pair->a, known.kind_a, s->vertex[i].index_a);
        r->index_b[i] = input_index(pair->b, known.kind_b, s->vertex[i].index_b);
        r->lambda[i] = s->vertex[i].lambda;
    }
}

/* Unscales, subtracts the radii and rounds the bounds outwards. */
AP_INLINE void write_numbers(apart_result *r, const ap_pair *pair, ap_known known, const core_answer *core)
{
    const double inverse = ap_known_scale(known, pair->inverse_scale);
    const bool rounded = known.careful || !ap_known_polytopes(known);
    const double radius = rounded ? pair->radius : 0.0;
    const double slack = 4.0 * AP_UNIT_ROUNDOFF * (radius + inverse * fabs(core->distance)) + (rounded ? pair->widening : 0.0);
    const double distance = inverse * core->distance - radius;
    r->lower = (inverse * core->lower - radius) - slack;
    r->upper = (inverse * core->upper - radius) + slack;
    r->distance = ap_min(ap_max(distance, r->lower), r->upper);
    const ap_lanes origin = ap_lanes_load(&pair->origin), unscale = ap_lanes_all(inverse);
    ap_lanes a = origin + unscale * core->points.a;
    ap_lanes b = origin + unscale * core->points.b;
    if (rounded && radius > 0.0) {
        a = a + ap_lanes_all(pair->a->radius) * core->normal;
        b = b - ap_lanes_all(pair->b->radius) * core->normal;
    }
    /* Each store runs eight bytes into what follows, which is written afterwards. */
    ap_lanes_store(&r->a, a);
    ap_lanes_store(&r->b, b);
    ap_lanes_store(&r->normal, core->normal);
}

AP_INLINE uint8_t relation_of(const apart_result *r) { return r->lower > 0.0 ? APART_DISJOINT : r->upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING; }

AP_INLINE void write_separated(apart_result *r, const ap_pair *pair, ap_known known, const ap_gjk *g)
{
    const ap_blend points = g->blended ? g->blend : ap_simplex_points(&g->simplex);
    const core_answer core = {.points = points,
                              .normal = ap_lanes_all(1.0 / g->length) * ap_lanes_load(&g->v),
                              .distance = g->length,
                              .lower = g->reach - ap_known_lower_error(pair, known),
                              .upper = norm(points.b - points.a) + pair->upper_error};
    write_numbers(r, pair, known, &core);
    write_simplex(r, pair, known, &g->simplex);
    r->stop = (uint8_t)g->stop;
    r->relation = relation_of(r);
}

/* Overlap without a depth: distance 0, upper 0, lower -infinity (design, rules of the numbers). */
static void forget_depth(apart_result *r)
{
    r->distance = 0.0;
    r->lower = -INFINITY;
    r->upper = 0.0;
    r->relation = APART_OVERLAPPING;
}

static void write_common_point(apart_result *r, const ap_pair *pair, const ap_gjk *g, const ap_depth *d)
{
    const core_answer core = {.points = ap_simplex_points(&g->simplex), .normal = ap_lanes_from(d->normal)};
    write_numbers(r, pair, AP_NOTHING_KNOWN, &core);
    write_simplex(r, pair, AP_NOTHING_KNOWN, &g->simplex);
    r->stop = APART_STOP_CONVERGED;
    forget_depth(r);
}

/* How far b - a is from -depth * normal: weights of a large and slender simplex err by more than the bounds differ. */
static double misfit(const ap_depth *d, const ap_blend *points)
{
    return norm((points->b - points->a) + ap_lanes_all(d->depth) * ap_lanes_from(d->normal));
}

static void write_depth(apart_result *r, const ap_pair *pair, const ap_depth *d)
{
    const ap_blend points = ap_simplex_points(&d->simplex);
    core_answer core = {.points = points,
                        .normal = ap_lanes_from(d->normal),
                        .distance = -d->depth,
                        .lower = -(d->most + ap_pair_lower_error(pair)),
                        .upper = d->enclosed ? -(d->least - pair->upper_error) : norm(points.b - points.a) + pair->upper_error};
    core.lower = ap_min(core.lower, core.upper - misfit(d, &points));
    write_numbers(r, pair, AP_NOTHING_KNOWN, &core);
    write_simplex(r, pair, AP_NOTHING_KNOWN, &d->simplex);
    r->stop = (uint8_t)d->stop;
    r->relation = relation_of(r);
}

/* Are the bodies hulls so small that a query which does not know where to look had better lay out all their vertices? */
AP_INLINE bool looks_everywhere(const apart_shape *a, const apart_shape *b, const apart_cache *cache)
{
    return (cache == NULL || cache->count == 0) && a->kind == APART_SHAPE_HULL && b->kind == APART_SHAPE_HULL &&
           (a->status | b->status) == APART_OK && a->u.hull->vertex_count <= AP_LAID_MOST && b->u.hull->vertex_count <= AP_LAID_MOST;
}

/* How a query with options searches: by itself as the default one does, so that a trace or statistics change its answer in the last bits
 * at most. */
static int search_of(const apart_options *o, const apart_shape *a, const apart_shape *b, const apart_cache *cache)
{
    return o->support == APART_SUPPORT_AUTO && looks_everywhere(a, b, cache) ? APART_SUPPORT_SCAN : o->support;
}

/* Cold default queries of two boxes look at the fifteen axes first; a trace and the papers' solvers want the loop itself. */
static bool takes_box_path(const ap_pair *pair, const apart_options *o)
{
    return pair->a->kind == APART_SHAPE_BOX && pair->b->kind == APART_SHAPE_BOX && pair->dim == 3 && o->solver == APART_SOLVER_DEFAULT &&
           o->depth == APART_DEPTH_EXACT && o->trace == NULL;
}

/* The loop, unless something quicker gives the depth. True: the depth is known already. */
static bool run(ap_gjk *g, ap_pair *pair, const apart_options *o, const apart_cache *cache, ap_depth *d)
{
    const bool boxes = takes_box_path(pair, o);
    if (o->depth_cache != NULL && !boxes && ap_depth_track(d, pair, o->depth_cache, o->depth, o->trace)) {
        ap_gjk_skip(g);
        return true;
    }
    if (!ap_gjk_track(g, pair, cache)) {
        ap_box_least least = {.value = INFINITY};
        if (boxes) {
            least = ap_box_box_least(pair);
            if (ap_box_box_witness(d, pair, &least)) {
                ap_gjk_skip(g);
                return true;
            }
        }
        ap_gjk_start(g, pair, least.value < INFINITY ? least.normal : ap_gjk_first_direction(pair, cache));
    }
    ap_gjk_options space;
    ap_gjk_run(g, pair, ap_query_loop(o, pair, false, &space));
    return false;
}

AP_INLINE void write_query(apart_result *r, const ap_pair *pair, ap_known known, const apart_options *o, const ap_gjk *g)
{
    r->solver = known.plain ? (uint8_t)APART_SOLVER_DEFAULT : o->solver;
    r->dim = (uint8_t)ap_known_dim(known, pair->dim);
    r->iterations = (uint16_t)(g->iterations + 1);
    r->fallback = !ap_known_polytopes(known) && g->fell_back;
}

/* Bodies whose cores are apart; rounded, they may overlap. */
AP_INLINE void write_apart(apart_result *r, const ap_pair *pair, ap_known known, const apart_options *o, const ap_gjk *g)
{
    write_query(r, pair, known, o, g);
    write_separated(r, pair, known, g);
    if (r->relation == APART_OVERLAPPING && o->depth == APART_DEPTH_NONE) {
        forget_depth(r);
    }
}

static void write_meeting(apart_result *r, const ap_pair *pair, const apart_options *o, const ap_gjk *g, const ap_depth *d)
{
    write_query(r, pair, AP_NOTHING_KNOWN, o, g);
    if (o->depth == APART_DEPTH_NONE && d->enclosed) {
        write_common_point(r, pair, g, d);
    } else {
        write_depth(r, pair, d);
    }
}

/* What follows the loop, however it ended. known: the depth is there already. The result is written only when the query could run. */
static apart_status conclude(ap_gjk *g, ap_pair *pair, const apart_options *o, apart_cache *cache, apart_result *result, ap_depth *d,
                             bool known)
{
    const bool meet = g->outcome == AP_ENCLOSED || g->outcome == AP_CONTACT;
    if (meet && !known) {
        ap_depth_find(d, pair, g, o->depth_cache, o->depth, o->trace);
    }
    if (pair->broken) {
        return ap_pair_status(pair);
    }
    if (meet) {
        write_meeting(result, pair, o, g, d);
        g->length = 1.0; /* the cache keeps the way out as its direction */
        g->v = d->normal;
    } else {
        write_apart(result, pair, AP_NOTHING_KNOWN, o, g);
        result->relation = g->outcome == AP_DECIDED ? APART_BEYOND : result->relation;
    }
    return ap_query_end(g, pair, o, cache);
}

/* Any query. */
static apart_status answer(ap_pair *pair, const apart_options *o, apart_cache *cache, apart_result *result)
{
    ap_gjk g;
    ap_depth d;
    ap_query_trace(o, pair);
    const bool known = run(&g, pair, o, cache, &d);
    return conclude(&g, pair, o, cache, result, &d, known);
}

/* The rest of a default query whose bodies meet or are beyond the cut-off, or that could not run. */
static __attribute__((noinline)) apart_status answer_meeting(ap_gjk *g, ap_pair *pair, const apart_options *o, apart_cache *cache,
                                                             apart_result *result, bool boxes)
{
    ap_depth d;
    ap_box_least least;
    const bool ask = boxes && g->outcome != AP_DECIDED && o->depth == APART_DEPTH_EXACT && !pair->broken;
    if (ask && ap_box_box_answer(pair, cache, result, &least)) {
        result->iterations = (uint16_t)(g->iterations + 1);
        return APART_OK;
    }
    return conclude(g, pair, o, cache, result, &d, ask && ap_box_box_witness(&d, pair, &least));
}

/* Two boxes that seem to meet: their fifteen axes tell the depth. */
static __attribute__((noinline)) apart_status answer_boxes(ap_pair *pair, const apart_options *o, apart_cache *cache, apart_result *result)
{
    ap_gjk g;
    ap_depth d;
    ap_box_least least = {.value = INFINITY};
    const bool exact = o->depth == APART_DEPTH_EXACT;
    pair->scale = 1.0; /* the axes need no more than the quick preparation, and its size */
    pair->inverse_scale = 1.0;
    if (exact && ap_box_box_answer(pair, cache, result, &least)) {
        return APART_OK;
    }
    ap_gjk_skip(&g);
    least.value *= ap_gjk_leave_plain(&g, pair, false);
    const bool known = exact && ap_box_box_witness(&d, pair, &least);
    if (!known) {
        ap_gjk_options space;
        ap_gjk_start(&g, pair, least.value < INFINITY ? least.normal : ap_gjk_first_direction(pair, cache));
        ap_gjk_run(&g, pair, ap_query_loop(o, pair, false, &space));
    }
    return conclude(&g, pair, o, cache, result, &d, known);
}
