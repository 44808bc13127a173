/* The public queries: from two shapes and poses to a result with its bounds.
 *
 * A query prepares the pair (pair.c), runs the loop on the cores (gjk.c), asks for the depth where they meet (depth.c) and
 * turns the scaled answer into world points, subtracting the rounding radii: signed distance = that of the cores - radii. */
#include <string.h>

#include "box_box.h"
#include "depth.h"
#include "half_space.h"
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
    memset(r->index_a, 0xff, sizeof r->index_a + sizeof r->index_b);
    memset(r->lambda, 0, sizeof r->lambda);
    r->count = (uint8_t)count;
    for (int i = 0; i < count; i++) {
        r->index_a[i] = input_index(pair->a, known.kind_a, s->vertex[i].index_a);
        r->index_b[i] = input_index(pair->b, known.kind_b, s->vertex[i].index_b);
        r->lambda[i] = s->vertex[i].lambda;
    }
}

/* Unscales, subtracts the radii and rounds the bounds outwards. */
AP_INLINE void write_numbers(apart_result *r, const ap_pair *pair, const core_answer *core)
{
    const double inverse = pair->inverse_scale;
    const double slack = 4.0 * AP_UNIT_ROUNDOFF * (pair->radius + inverse * fabs(core->distance)) + pair->widening;
    const double distance = inverse * core->distance - pair->radius;
    r->lower = (inverse * core->lower - pair->radius) - slack;
    r->upper = (inverse * core->upper - pair->radius) + slack;
    r->distance = ap_min(ap_max(distance, r->lower), r->upper);
    const ap_lanes origin = ap_lanes_load(&pair->origin), unscale = ap_lanes_all(inverse);
    ap_lanes a = origin + unscale * core->points.a;
    ap_lanes b = origin + unscale * core->points.b;
    if (pair->radius > 0.0) {
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
                              .lower = g->reach - ap_pair_lower_error(pair),
                              .upper = norm(points.b - points.a) + pair->upper_error};
    write_numbers(r, pair, &core);
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
    write_numbers(r, pair, &core);
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
    write_numbers(r, pair, &core);
    write_simplex(r, pair, AP_NOTHING_KNOWN, &d->simplex);
    r->stop = (uint8_t)d->stop;
    r->relation = relation_of(r);
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
        apart_vec3 v = {0.0, 0.0, 0.0};
        if (boxes && ap_box_box_depth(d, pair, &v)) {
            ap_gjk_skip(g);
            return true;
        }
        ap_gjk_start(g, pair, ap_max_abs(v) > 0.0 ? v : ap_gjk_first_direction(pair, cache));
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
    r->fallback = g->fell_back;
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
    apart_vec3 separating;
    const bool known = boxes && g->outcome != AP_DECIDED && o->depth == APART_DEPTH_EXACT && !pair->broken && ap_box_box_depth(&d, pair, &separating);
    return conclude(g, pair, o, cache, result, &d, known);
}

/* Two boxes that seem to meet: their fifteen axes tell the depth. */
static __attribute__((noinline)) apart_status answer_boxes(ap_pair *pair, const apart_options *o, apart_cache *cache, apart_result *result)
{
    ap_gjk g;
    ap_depth d;
    apart_vec3 v = {0.0, 0.0, 0.0};
    const bool known = o->depth == APART_DEPTH_EXACT && ap_box_box_depth(&d, pair, &v);
    if (known) {
        ap_gjk_skip(&g);
    } else {
        ap_gjk_options space;
        ap_gjk_start(&g, pair, ap_max_abs(v) > 0.0 ? v : ap_gjk_first_direction(pair, cache));
        ap_gjk_run(&g, pair, ap_query_loop(o, pair, false, &space));
    }
    return conclude(&g, pair, o, cache, result, &d, known);
}

/* A simplex to begin with, of two boxes whose last one is not known. From B's centre to the nearest point of A, from there to that of B and
 * back: the corners next to these points, and others along the edges or faces that they lie in. Mostly the nearest features are right (1.2
 * steps of the loop instead of 3; another round is slower). False: the boxes seem to meet. */
AP_INLINE bool guess_corners(ap_gjk *g, ap_pair *pair, ap_known known)
{
    const ap_lanes scale = ap_lanes_all(pair->scale), offset = ap_lanes_load(&pair->offset);
    const ap_lanes h_a = scale * ap_lanes_load(&pair->a->u.half_extents), h_b = scale * ap_lanes_load(&pair->b->u.half_extents);
    const ap_lanes on_a = ap_lanes_turn(pair->rotation_a, clamp_to(ap_lanes_apply(&pair->rows_a, offset), h_a));
    const ap_lanes in_b = clamp_to(ap_lanes_apply(&pair->rows_b, on_a - offset), h_b);
    const ap_lanes on_b = ap_lanes_turn(pair->rotation_b, in_b) + offset;
    const ap_lanes in_a = clamp_to(ap_lanes_apply(&pair->rows_a, on_b), h_a);
    const ap_lanes v = on_b - on_a;
    if (!(ap_lanes_dot(v, v) > 0x1p-60)) {
        return false;
    }
    const uint32_t corner_a = ~ap_mask_bits((ap_mask)in_a) & 7u, corner_b = ~ap_mask_bits((ap_mask)in_b) & 7u;
    uint32_t free_a = ap_mask_bits(ap_lanes_abs(in_a) < h_a) & 7u, free_b = ap_mask_bits(ap_lanes_abs(in_b) < h_b) & 7u;
    reset(g, true);
    ap_pair_vertex_lanes(pair, known, corner_a, corner_b, &g->simplex.vertex[0]);
    int count = 1;
    while (count < 3 && (free_a | free_b) != 0) {
        const uint32_t axis_a = free_a & (0u - free_a), axis_b = free_a != 0 ? 0 : free_b & (0u - free_b);
        ap_pair_vertex_lanes(pair, known, corner_a ^ axis_a, corner_b ^ axis_b, &g->simplex.vertex[count++]);
        free_a ^= axis_a;
        free_b ^= axis_b;
    }
    g->simplex.count = count;
    return true;
}

/* The default query, for shapes of known kinds: nothing but the distance is asked for. */
AP_INLINE apart_status answer_plain(ap_known known, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                    const apart_pose *pose_b, const apart_options *o, apart_cache *cache, apart_result *result)
{
    ap_pair pair;
    ap_gjk g;
    if (!ap_known_scanned(known)) {
        expect(a, b, cache);
    }
    const apart_status status = prepare(&pair, known, a, pose_a, b, pose_b);
    if (status != APART_OK) {
        return status;
    }
    if (!track(&g, &pair, known, cache)) {
        if (!ap_known_boxes(known)) {
            start(&g, &pair, known, ap_gjk_first_direction(&pair, cache));
        } else if (!guess_corners(&g, &pair, known)) {
            return answer_boxes(&pair, o, cache, result);
        }
    }
    if (o != &default_options && (o->cutoff > 0.0 || o->tolerance > 0.0)) {
        const ap_gjk_options loop = {.fallback = true,
                                     .max_iterations = plain_loop.max_iterations,
                                     .cutoff = scaled_cutoff(o, &pair),
                                     .tolerance = scaled_tolerance(o, &pair)};
        run_plain(&g, &pair, known, &loop);
    } else {
        run_plain(&g, &pair, known, &plain_loop);
    }
    if (g.outcome != AP_SEPARATED || pair.broken) {
        return answer_meeting(&g, &pair, o, cache, result, ap_known_boxes(known));
    }
    write_apart(result, &pair, known, o, &g);
    if (cache != NULL) {
        store(&g, &pair, cache);
    }
    return APART_OK;
}

static __attribute__((noinline)) ap_distance_fn distance_of_hulls, distance_of_small_hulls, distance_of_larger_hulls, distance_of_boxes,
    distance_of_segment_and_hull, distance_of_hull_and_segment, distance_of_others;

/* Hulls whose vertices are always scanned. */
AP_INLINE bool are_small_hulls(const apart_shape *a, const apart_shape *b)
{
    return (a->status | b->status) == APART_OK && a->u.hull->vertex_count <= AP_ALWAYS_SCANNED && b->u.hull->vertex_count <= AP_ALWAYS_SCANNED;
}

static apart_status distance_of_small_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                            const apart_options *o, apart_cache *cache, apart_result *result)
{
    return answer_plain((ap_known){APART_SHAPE_HULL, APART_SHAPE_HULL, true, false, true}, a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_larger_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                             const apart_options *o, apart_cache *cache, apart_result *result)
{
    return answer_plain((ap_known){APART_SHAPE_HULL, APART_SHAPE_HULL, true, false, false}, a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                      const apart_options *o, apart_cache *cache, apart_result *result)
{
    return are_small_hulls(a, b) ? distance_of_small_hulls(a, pose_a, b, pose_b, o, cache, result)
                                 : distance_of_larger_hulls(a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_boxes(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                      const apart_options *o, apart_cache *cache, apart_result *result)
{
    return answer_plain((ap_known){APART_SHAPE_BOX, APART_SHAPE_BOX, true, false, false}, a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_segment_and_hull(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                                 const apart_options *o, apart_cache *cache, apart_result *result)
{
    return answer_plain((ap_known){APART_SHAPE_SEGMENT, APART_SHAPE_HULL, true, false, false}, a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_hull_and_segment(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                                 const apart_options *o, apart_cache *cache, apart_result *result)
{
    return answer_plain((ap_known){APART_SHAPE_HULL, APART_SHAPE_SEGMENT, true, false, false}, a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_others(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                       const apart_options *o, apart_cache *cache, apart_result *result)
{
    return answer_plain((ap_known){APART_SHAPE_NONE, APART_SHAPE_NONE, true, false, false}, a, pose_a, b, pose_b, o, cache, result);
}

/* ---- curved bodies: Newton's method where it closes; GJK otherwise, from where that ended ---- */

/* A is curved. */
AP_INLINE apart_status answer_curved(ap_known known, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                     const apart_pose *pose_b, const apart_options *o, apart_cache *cache, apart_result *result)
{
    ap_pair pair;
    ap_gjk g;
    const apart_status status = ap_pair_prepare(&pair, a, pose_a, b, pose_b, APART_SUPPORT_AUTO);
    if (status != APART_OK) {
        return status;
    }
    apart_vec3 direction = ap_gjk_first_direction(&pair, cache);
    const ap_gjk_options loop = {.cutoff = scaled_cutoff(o, &pair), .tolerance = scaled_tolerance(o, &pair)};
    if (!run_curved(&g, &pair, known, &loop, &direction)) {
        const apart_vec3 d = ap_apply_transposed(pair.rotation_a, direction);
        apart_cache hint, *start_from = cache != NULL ? cache : &hint;
        *start_from = (apart_cache){.tag = ap_pair_tag(&pair), .direction = {d.x, d.y, d.z}};
        return distance_of_others(a, pose_a, b, pose_b, o, start_from, result);
    }
    write_apart(result, &pair, known, o, &g);
    result->relation = g.outcome == AP_DECIDED ? APART_BEYOND : result->relation;
    if (cache != NULL) {
        store(&g, &pair, cache);
    }
    return APART_OK;
}

static __attribute__((noinline)) ap_distance_fn distance_of_curved, distance_of_curved_and_box;

static apart_status distance_of_curved_and_box(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                               const apart_options *o, apart_cache *cache, apart_result *result)
{
    if (a->kind == APART_SHAPE_CYLINDER) {
        return answer_curved((ap_known){APART_SHAPE_CYLINDER, APART_SHAPE_BOX, true, false, false}, a, pose_a, b, pose_b, o, cache, result);
    }
    return answer_curved((ap_known){APART_SHAPE_NONE, APART_SHAPE_BOX, true, false, false}, a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_curved(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                       const apart_options *o, apart_cache *cache, apart_result *result)
{
    if (is_curved(a->kind)) {
        return b->kind == APART_SHAPE_BOX ? distance_of_curved_and_box(a, pose_a, b, pose_b, o, cache, result)
            : answer_curved((ap_known){APART_SHAPE_NONE, APART_SHAPE_NONE, true, false, false}, a, pose_a, b, pose_b, o, cache, result);
    }
    const apart_status status = distance_of_curved(b, pose_b, a, pose_a, o, cache, result);
    if (status == APART_OK) {
        ap_result_swap(result);
    }
    return status;
}

/* ---- closed forms; where they prove nothing, or something is wrong with the input, the general query answers ---- */

/* They have no cut-off, and their depths are exact. */
AP_INLINE bool wants_all(const apart_options *o) { return o->depth == APART_DEPTH_EXACT && o->cutoff == 0.0; }

static __attribute__((noinline)) ap_distance_fn distance_of_segments, distance_of_point_and_box, distance_of_box_and_point;

static apart_status distance_of_segments(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                         const apart_options *o, apart_cache *cache, apart_result *result)
{
    return wants_all(o) && answer_segments(a, pose_a, b, pose_b, result) ? APART_OK : distance_of_others(a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_point_and_box(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                              const apart_options *o, apart_cache *cache, apart_result *result)
{
    return wants_all(o) && answer_point_and_box(a, pose_a, b, pose_b, false, result) ? APART_OK : distance_of_others(a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_box_and_point(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                              const apart_options *o, apart_cache *cache, apart_result *result)
{
    return wants_all(o) && answer_point_and_box(b, pose_b, a, pose_a, true, result) ? APART_OK : distance_of_others(a, pose_a, b, pose_b, o, cache, result);
}

/* Whatever is not a default query. */
static __attribute__((noinline)) apart_status distance_with_options(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                                                    const apart_pose *pose_b, const apart_options *options,
                                                                    apart_cache *cache, apart_result *result)
{
    ap_pair pair;
    const apart_options *o;
    apart_status status = begin_query(a, pose_a, b, pose_b, options, result, &o);
    if (status != APART_OK) {
        return status;
    }
    if (ap_query_has_half_space(a, b)) {
        return ap_half_space_distance(a, pose_a, b, pose_b, o, result);
    }
    expect(a, b, cache);
    status = ap_pair_prepare(&pair, a, pose_a, b, pose_b, o->support);
    return status == APART_OK ? answer(&pair, o, cache, result) : status;
}

static __attribute__((noinline)) ap_distance_fn distance_to_half_space;

static apart_status distance_to_half_space(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                           const apart_options *o, apart_cache *cache, apart_result *result)
{
    (void)cache;
    return ap_half_space_distance(a, pose_a, b, pose_b, o, result);
}

/* Kinds that take the same ways. Other leaves have vertices and no way of their own; composites are made of other shapes, and their supports
 * have no known derivative. */
enum { COMPOSITE, LEAF, POINT, SEGMENT, BOX, HULL, CURVED, HALF_SPACE, FAMILIES };

static const uint8_t family_of[16] = {
    [APART_SHAPE_NONE] = COMPOSITE,       [APART_SHAPE_POINT] = POINT,       [APART_SHAPE_SEGMENT] = SEGMENT,
    [APART_SHAPE_TRIANGLE] = LEAF,        [APART_SHAPE_BOX] = BOX,           [APART_SHAPE_CYLINDER] = CURVED,
    [APART_SHAPE_CONE] = CURVED,          [APART_SHAPE_ELLIPSOID] = CURVED,  [APART_SHAPE_HALF_SPACE] = HALF_SPACE,
    [APART_SHAPE_HULL] = HULL,            [APART_SHAPE_POINTS] = LEAF,       [APART_SHAPE_SUM] = COMPOSITE,
    [APART_SHAPE_HULL_OF_TWO] = COMPOSITE, [APART_SHAPE_AFFINE] = COMPOSITE, [APART_SHAPE_CALLBACK] = COMPOSITE,
};

/* The way of two families in space. */
#define OTHERS distance_of_others
#define TO_PLANE distance_to_half_space
static ap_distance_fn *const ways[FAMILIES][FAMILIES] = {
    [COMPOSITE] = {OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, TO_PLANE},
    [LEAF] = {OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, distance_of_curved, TO_PLANE},
    [POINT] = {OTHERS, OTHERS, distance_of_segments, distance_of_segments, distance_of_point_and_box, OTHERS, distance_of_curved, TO_PLANE},
    [SEGMENT] = {OTHERS, OTHERS, distance_of_segments, distance_of_segments, OTHERS, distance_of_segment_and_hull, distance_of_curved, TO_PLANE},
    [BOX] = {OTHERS, OTHERS, distance_of_box_and_point, OTHERS, distance_of_boxes, OTHERS, distance_of_curved, TO_PLANE},
    [HULL] = {OTHERS, OTHERS, OTHERS, distance_of_hull_and_segment, OTHERS, distance_of_hulls, distance_of_curved, TO_PLANE},
    [CURVED] = {OTHERS, distance_of_curved, distance_of_curved, distance_of_curved, distance_of_curved, distance_of_curved, distance_of_curved, TO_PLANE},
    [HALF_SPACE] = {TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE},
};
#undef OTHERS
#undef TO_PLANE

/* With default options, by the families' own way. Six arguments are as many as there are registers for. */
typedef apart_status quick_fn(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                              apart_result *result, apart_cache *cache);

static __attribute__((noinline)) quick_fn distance_by_family, distance_of_sphere_and_box, distance_of_box_and_sphere, distance_of_capsules;

static apart_status distance_by_family(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                       apart_result *result, apart_cache *cache)
{
    return ways[family_of[a->kind]][family_of[b->kind]](a, pose_a, b, pose_b, &default_options, cache, result);
}

static apart_status distance_of_sphere_and_box(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                               const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const bool answered = answer_sphere_and_box_quickly(a, pose_a, b, pose_b, false, result);
    return answered ? APART_OK : distance_by_family(a, pose_a, b, pose_b, result, cache);
}

static apart_status distance_of_box_and_sphere(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                               const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const bool answered = answer_sphere_and_box_quickly(b, pose_b, a, pose_a, true, result);
    return answered ? APART_OK : distance_by_family(a, pose_a, b, pose_b, result, cache);
}

static apart_status distance_of_capsules(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                         apart_result *result, apart_cache *cache)
{
    const bool answered = answer_capsules_quickly(a, pose_a, b, pose_b, result);
    return answered ? APART_OK : distance_by_family(a, pose_a, b, pose_b, result, cache);
}

/* Options that are not the defaults, bodies in the plane, and wrong arguments. */
static __attribute__((noinline)) apart_status distance_of_unusual(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                                                  const apart_pose *pose_b, const apart_options *options,
                                                                  apart_cache *cache, apart_result *result)
{
    const apart_options *o = options == NULL || is_default(options) ? &default_options : options;
    if (a == NULL || pose_a == NULL || b == NULL || pose_b == NULL || result == NULL || !(o == &default_options || is_plain(o, a, b))) {
        return distance_with_options(a, pose_a, b, pose_b, options, cache, result);
    }
    if (a->dim == 3) {
        return ways[family_of[a->kind & 15]][family_of[b->kind & 15]](a, pose_a, b, pose_b, o, cache, result);
    }
    return ap_query_has_half_space(a, b) ? distance_to_half_space(a, pose_a, b, pose_b, o, cache, result)
                                         : distance_of_others(a, pose_a, b, pose_b, o, cache, result);
}

apart_status ap_query_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                               const apart_options *options, apart_cache *cache, apart_result *result)
{
    if (a != NULL && pose_a != NULL && b != NULL && pose_b != NULL && result != NULL && (options == NULL || is_default(options))) {
        if (is_fine(a, APART_SHAPE_POINT) && is_fine(b, APART_SHAPE_BOX)) {
            return distance_of_sphere_and_box(a, pose_a, b, pose_b, result, cache);
        }
        if (is_fine_segment(a) && is_fine_segment(b)) {
            return distance_of_capsules(a, pose_a, b, pose_b, result, cache);
        }
        if (is_fine(a, APART_SHAPE_BOX) && is_fine(b, APART_SHAPE_POINT)) {
            return distance_of_box_and_sphere(a, pose_a, b, pose_b, result, cache);
        }
        if (a->dim == 3) {
            return ways[family_of[a->kind & 15]][family_of[b->kind & 15]](a, pose_a, b, pose_b, &default_options, cache, result);
        }
    }
    return distance_of_unusual(a, pose_a, b, pose_b, options, cache, result);
}

/* The loop's own answer to yes or no; contact within rounding is yes. */
static int meets(const ap_gjk *g, const ap_pair *pair)
{
    if (g->outcome == AP_ENCLOSED || g->outcome == AP_CONTACT) {
        return 1;
    }
    return g->reach - ap_pair_lower_error(pair) > pair->scale * pair->radius ? 0 : 1;
}

/* Balls in and around two hulls tell whether they meet; true if so. The factors cover rounding and rotations that are not quite. */
AP_INLINE bool balls_tell(const ap_pair *pair, int *overlap)
{
    const ap_lanes offset = ap_lanes_load(&pair->offset);
    const double square = ap_lanes_dot(offset, offset);
    const double inner_a = pair->a->u.hull->inner, inner_b = pair->b->u.hull->inner; /* without a ball, the centre need not be in the hull */
    const double inner = inner_a > 0.0 && inner_b > 0.0 ? pair->scale * (inner_a + inner_b) : 0.0;
    const double outer = pair->scale * ((pair->a->bound + pair->b->bound) + pair->radius);
    *overlap = square < (1.0 - 0x1p-16) * (inner * inner) ? 1 : 0;
    return *overlap == 1 || square > (1.0 + 0x1p-16) * (outer * outer);
}

/* The default query for yes or no, for shapes of known kinds. */
AP_INLINE apart_status overlap_plain(ap_known known, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                     const apart_pose *pose_b, apart_cache *cache, int *overlap)
{
    ap_pair pair;
    ap_gjk g;
    if (!ap_known_scanned(known)) {
        expect(a, b, cache);
    }
    const apart_status status = prepare(&pair, known, a, pose_a, b, pose_b);
    if (status != APART_OK || (known.kind_a == APART_SHAPE_HULL && known.kind_b == APART_SHAPE_HULL && balls_tell(&pair, overlap))) {
        return status;
    }
    if (!track(&g, &pair, known, cache)) {
        start(&g, &pair, known, ap_gjk_first_direction(&pair, cache));
    }
    run_plain(&g, &pair, known, &yes_no_loop);
    if (pair.broken) {
        return ap_pair_status(&pair);
    }
    if (cache != NULL) {
        store(&g, &pair, cache);
    }
    *overlap = meets(&g, &pair);
    return APART_OK;
}

static __attribute__((noinline)) ap_overlap_fn overlap_of_hulls, overlap_of_small_hulls, overlap_of_larger_hulls, overlap_of_boxes, overlap_of_others, overlap_with_options;

static apart_status overlap_of_small_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                           const apart_options *o, apart_cache *cache, int *overlap)
{
    (void)o;
    return overlap_plain((ap_known){APART_SHAPE_HULL, APART_SHAPE_HULL, true, true, true}, a, pose_a, b, pose_b, cache, overlap);
}

static apart_status overlap_of_larger_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                            const apart_options *o, apart_cache *cache, int *overlap)
{
    (void)o;
    return overlap_plain((ap_known){APART_SHAPE_HULL, APART_SHAPE_HULL, true, true, false}, a, pose_a, b, pose_b, cache, overlap);
}

static apart_status overlap_of_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                     const apart_options *o, apart_cache *cache, int *overlap)
{
    return are_small_hulls(a, b) ? overlap_of_small_hulls(a, pose_a, b, pose_b, o, cache, overlap)
                                 : overlap_of_larger_hulls(a, pose_a, b, pose_b, o, cache, overlap);
}

static apart_status overlap_of_boxes(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                     const apart_options *o, apart_cache *cache, int *overlap)
{
    (void)o;
    const box_glance glance = glance_at_boxes(a, pose_a, b, pose_b);
    if (glance != BOXES_UNCLEAR) {
        *overlap = (int)glance;
        return APART_OK;
    }
    return overlap_plain((ap_known){APART_SHAPE_BOX, APART_SHAPE_BOX, true, true, false}, a, pose_a, b, pose_b, cache, overlap);
}

static apart_status overlap_of_others(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                      const apart_options *o, apart_cache *cache, int *overlap)
{
    (void)o;
    return overlap_plain((ap_known){APART_SHAPE_NONE, APART_SHAPE_NONE, true, true, false}, a, pose_a, b, pose_b, cache, overlap);
}

/* Whatever is not a default query. */
static apart_status overlap_with_options(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                         const apart_options *options, apart_cache *cache, int *overlap)
{
    const apart_options *o;
    apart_status status = begin_query(a, pose_a, b, pose_b, options, overlap, &o);
    if (status != APART_OK) {
        return status;
    }
    if (ap_query_has_half_space(a, b)) {
        apart_result r;
        status = ap_half_space_distance(a, pose_a, b, pose_b, o, &r);
        if (status == APART_OK) {
            *overlap = r.lower > 0.0 ? 0 : 1;
        }
        return status;
    }
    ap_pair pair;
    ap_gjk g;
    expect(a, b, cache);
    status = ap_pair_prepare(&pair, a, pose_a, b, pose_b, o->support);
    if (status != APART_OK) {
        return status;
    }
    ap_query_trace(o, &pair);
    ap_query_run(&g, &pair, o, cache, true);
    status = ap_query_end(&g, &pair, o, cache);
    if (status == APART_OK) {
        *overlap = meets(&g, &pair);
    }
    return status;
}

apart_status ap_query_overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                              const apart_options *options, apart_cache *cache, int *overlap)
{
    if (a == NULL || pose_a == NULL || b == NULL || pose_b == NULL || overlap == NULL) {
        return APART_ERR_NULL;
    }
    const bool plain = options == NULL || is_default(options) || (is_plain(options, a, b) && !(options->tolerance > 0.0));
    if (!plain || ap_query_has_half_space(a, b)) {
        return overlap_with_options(a, pose_a, b, pose_b, options, cache, overlap);
    }
    const int kind = a->kind == b->kind && a->dim == 3 ? a->kind : APART_SHAPE_NONE;
    if (kind == APART_SHAPE_HULL) {
        return overlap_of_hulls(a, pose_a, b, pose_b, NULL, cache, overlap);
    }
    if (kind == APART_SHAPE_BOX) {
        return overlap_of_boxes(a, pose_a, b, pose_b, NULL, cache, overlap);
    }
    return overlap_of_others(a, pose_a, b, pose_b, NULL, cache, overlap);
}
