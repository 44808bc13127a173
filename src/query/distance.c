/* The distance: every pair of shapes finds its kernel. Closed forms first (kernels/closed_form.c); then a table by the
 * kinds of both shapes, whose entries are the closed forms in general, Newton's method for curved bodies
 * (kernels/curved.c), half-spaces, and instances of one template, distance_of_pair: prepare, start, run the GJK loop,
 * write the result. Whatever is unusual ends in general.c. */
#include "../gjk/loop.h"
#include "../kernels/box_cache.h"
#include "../kernels/box_hull.h"
#include "../kernels/box_start.h"
#include "../kernels/closed_form.h"
#include "../kernels/curved.h"
#include "query.h"

/* ---- the template ---- */

/* The loop of any shapes, which are scaled to unit size. */
static AP_NOINLINE bool run_scaled(ap_gjk *g, ap_pair *pair, double cutoff, double tolerance, ap_lanes newest)
{
    return ap_gjk_run_inline(g, pair, AP_ANY_SHAPES, cutoff, tolerance, newest);
}

/* Legal options that ask for the result alone. Bodies with vertices are prepared here, if their size needs no scaling;
 * others come prepared, and start from the cached direction. */
AP_INLINE apart_status distance_of_pair(ap_traits t, ap_pair *pair, const ap_query *q)
{
    ap_gjk g;
    ap_lanes newest;
    ap_vertex_sets sets;
    if (t.vertices) {
        if (!t.value_first) {
            ap_gjk_prefetch(q);
        }
        if (!ap_pair_prepare_unscaled(pair, t, q, &sets)) {
            return ap_distance_general(q);
        }
    }
    const bool tracked = ap_gjk_warm_start(&g, pair, t, q->cache, &newest);
    if (!tracked) {
        if (!t.boxes) {
            newest =
                ap_gjk_cold_start(&g, pair, t,
                                  t.vertices ? ap_gjk_center_direction(pair) : ap_gjk_first_direction(pair, q->cache));
        } else if (!ap_box_first_simplex(&g, pair, t, &newest)) {
            return ap_distance_of_overlapping_boxes(pair, q);
        }
    }
    ap_scaled_limits limits = {.cutoff = INFINITY, .tolerance = 0.0};
    if (q->options != &ap_default_options) {
        limits = ap_scaled_limits_of(q->options, pair);
    }
    const bool usual = t.vertices ? ap_gjk_run_inline(&g, pair, t, limits.cutoff, limits.tolerance, newest)
                                  : run_scaled(&g, pair, limits.cutoff, limits.tolerance, newest);
    if (!usual) {
        return ap_distance_of_meeting(&g, pair, q, t.boxes);
    }
    ap_result_write_separated(q->result, pair, t, q->options, &g);
    if (q->cache != NULL) {
        ap_gjk_keep(&g, pair, t, tracked, q->cache);
    }
    return APART_OK;
}

/* ---- its instances; bench/instructions.csv has a row that defends each ---- */

static AP_NOINLINE apart_status distance_of_tiny_hulls(const ap_query *q)
{
    ap_pair pair;
    return distance_of_pair(AP_TWO_SMALL_HULLS(AP_ALWAYS_SCANNED), &pair, q);
}

static AP_NOINLINE apart_status distance_of_small_hulls(const ap_query *q)
{
    ap_pair pair;
    return distance_of_pair(AP_TWO_SMALL_HULLS(AP_MOST_VALUED), &pair, q);
}

static AP_NOINLINE apart_status distance_of_hulls(const ap_query *q)
{
    ap_pair pair;
    return ap_gjk_scans(q) ? distance_of_small_hulls(q) : distance_of_pair(AP_TWO_HULLS, &pair, q);
}

AP_NOINLINE apart_status ap_distance_of_vertices(const ap_query *q)
{
    ap_pair pair;
    return distance_of_pair(AP_VERTEX_PAIR, &pair, q);
}

/* Boxes that overlapped last time most likely still do. */
static AP_NOINLINE apart_status distance_of_boxes(const ap_query *q)
{
    ap_pair pair;
    if (q->cache != NULL && ap_box_overlapped(q->cache)) {
        return ap_pair_prepare_unscaled(&pair, AP_TWO_BOXES, q, NULL) ? ap_distance_of_overlapping_boxes(&pair, q)
                                                                      : ap_distance_general(q);
    }
    return distance_of_pair(AP_TWO_BOXES, &pair, q);
}

/* Boxes, one of which at least is given as a hull. */
static AP_NOINLINE apart_status distance_of_box_hulls(const ap_query *q)
{
    apart_shape a, b;
    const ap_query boxes =
        {ap_as_box(q->a, &a), q->pose_a, ap_as_box(q->b, &b), q->pose_b, q->options, q->cache, q->result};
    const apart_status status = distance_of_boxes(&boxes);
    if (status == APART_OK) {
        ap_box_hull_rename(q->a, q->result->index_a);
        ap_box_hull_rename(q->b, q->result->index_b);
    }
    return status;
}

/* Any shapes, scaled to unit size. */
static AP_NOINLINE apart_status distance_of_scaled(ap_pair *pair, const ap_query *q)
{
    return distance_of_pair(AP_ANY_SHAPES, pair, q);
}

/* ---- a cache must not widen the bounds ---- */

/* Of the bodies' sizes: bounds of a depth that are farther apart are worth another search. */
#define WIDE 0x1p-40

/* Where the bounds of an answer with a cache stayed apart: the same without, if that is narrower. A cache changes where
 * the search for a depth starts, and so how far it comes before its workspace is full. */
static AP_RARE void compare_with_cold(ap_query_fn *find, const ap_query *q)
{
    apart_result cold;
    ap_query again = *q;
    again.cache = NULL;
    again.result = &cold;
    if (find(&again) == APART_OK && cold.upper - cold.lower < q->result->upper - q->result->lower) {
        *q->result = cold;
    }
}

/* warm: the cache was not empty. */
AP_INLINE apart_status end_tracked(ap_query_fn *find, const ap_query *q, bool warm, apart_status status)
{
    const apart_result *r = q->result;
    if (AP_UNLIKELY(warm && status == APART_OK && r->stop != APART_STOP_CONVERGED && r->relation == APART_OVERLAPPING &&
                    r->upper - r->lower > WIDE * (q->a->bound + q->b->bound))) {
        compare_with_cold(find, q);
    }
    return status;
}

static apart_status shapes_once(const ap_query *q)
{
    ap_pair pair;
    ap_gjk_prefetch(q);
    const apart_status status = ap_pair_prepare(&pair, q, APART_SUPPORT_AUTO);
    return status == APART_OK ? distance_of_scaled(&pair, q) : status;
}

static AP_NOINLINE apart_status distance_of_shapes(const ap_query *q)
{
    const bool warm = q->cache != NULL && q->cache->tag != 0;
    return end_tracked(shapes_once, q, warm, shapes_once(q));
}

/* ---- curved bodies: Newton's method where it closes; GJK otherwise, from where that ended ---- */

/* The flags of a cache of curved bodies: the cores overlapped; the nearest features are there. */
#define CURVED_OVERLAPPED 1u
#define CURVED_APART 2u

/* Newton's best direction, if it is one. */
static apart_vec3 first_direction_of_gjk(const ap_pair *pair, apart_vec3 direction)
{
    const apart_vec3 d = ap_apply_transposed(pair->rotation_a, direction);
    const apart_cache hint = {.tag = ap_pair_tag(pair), .direction = {d.x, d.y, d.z}};
    return ap_gjk_first_direction(pair, &hint);
}

/* The answer by GJK alone, from `direction`. only_overlap: as soon as a plane separates the bodies it gives up and
 * returns false; `direction` is then the plane's normal. */
static bool curved_by_gjk(ap_pair *pair, const ap_query *q, bool only_overlap, apart_vec3 *direction,
                          apart_status *status)
{
    ap_gjk g;
    const ap_scaled_limits limits = ap_scaled_limits_of(q->options, pair);
    const ap_lanes newest = ap_gjk_cold_start(&g, pair, AP_ANY_SHAPES, first_direction_of_gjk(pair, *direction));
    const bool usual = run_scaled(&g, pair, only_overlap ? 0.0 : limits.cutoff, limits.tolerance, newest);
    if (only_overlap && g.outcome == AP_DECIDED) {
        *direction = g.v;
        return false;
    }
    const bool meet = g.outcome == AP_ENCLOSED || g.outcome == AP_CONTACT;
    *status = APART_OK;
    if (usual) {
        ap_result_write_separated(q->result, pair, AP_ANY_SHAPES, q->options, &g);
    } else {
        *status = ap_distance_of_meeting(&g, pair, q, false);
    }
    if (*status == APART_OK && q->options->depth != APART_DEPTH_NONE) {
        ap_result_mend_normal(q->result, pair);
    }
    if (*status == APART_OK && q->cache != NULL) {
        ap_gjk_keep(&g, pair, AP_ANY_SHAPES, false, q->cache);
        q->cache->flags = meet ? CURVED_OVERLAPPED : 0;
    }
    return true;
}

static AP_NOINLINE apart_status curved_once(const ap_query *q)
{
    if (!ap_is_curved(q->a->kind)) {
        const ap_query swapped = ap_query_swapped(q);
        const apart_status status = curved_once(&swapped);
        if (status == APART_OK) {
            ap_result_swap(q->result);
        }
        return status;
    }
    ap_pair pair;
    ap_gjk g;
    apart_status status = ap_pair_prepare(&pair, q, APART_SUPPORT_AUTO);
    if (status != APART_OK) {
        return status;
    }
    ap_curved_start start = {.direction = ap_gjk_first_direction(&pair, q->cache)};
    const unsigned flags = q->cache != NULL && q->cache->tag == ap_pair_tag(&pair) ? q->cache->flags : 0;
    if (flags == CURVED_OVERLAPPED && curved_by_gjk(&pair, q, true, &start.direction, &status)) {
        return status; /* most likely they still do */
    }
    if (flags == CURVED_APART) {
        ap_curved_read(&start, &pair, q->cache);
    }
    const ap_scaled_limits limits = ap_scaled_limits_of(q->options, &pair);
    const ap_gjk_options loop = {.cutoff = limits.cutoff, .tolerance = limits.tolerance};
    if (!ap_curved_run(&g, &pair, &loop, &start)) {
        curved_by_gjk(&pair, q, false, &start.direction, &status);
        return status;
    }
    ap_result_write_separated(q->result, &pair, AP_ANY_SHAPES, q->options, &g);
    ap_result_mend_normal(q->result, &pair);
    if (q->cache != NULL) {
        ap_gjk_keep(&g, &pair, AP_ANY_SHAPES, false, q->cache);
        ap_curved_keep(&start, q->cache);
        q->cache->flags = CURVED_APART;
    }
    return APART_OK;
}

/* Of a point beside a cylinder or a cone, and a segment beside a cone, the direction from centre to centre mostly shows
 * the nearest features: two steps, which a cache cannot save (5 % and more of the time with one). */
static bool tracking_is_dearer(int kind_a, int kind_b)
{
    const unsigned kinds = 1u << kind_a | 1u << kind_b, cone = 1u << APART_SHAPE_CONE;
    return kinds == (1u << APART_SHAPE_POINT | 1u << APART_SHAPE_CYLINDER) ||
           kinds == (1u << APART_SHAPE_POINT | cone) || kinds == (1u << APART_SHAPE_SEGMENT | cone);
}

static AP_NOINLINE apart_status distance_of_curved(const ap_query *q)
{
    if (tracking_is_dearer(q->a->kind, q->b->kind)) {
        ap_query cold = *q;
        cold.cache = NULL;
        return curved_once(&cold);
    }
    const bool warm = q->cache != NULL && q->cache->tag != 0;
    return end_tracked(curved_once, q, warm, curved_once(q));
}

/* ---- the table ---- */

/* Kinds that are treated alike. Composites are made of other shapes, and their supports have no known derivative; point
 * sets may have more vertices than can be numbered. */
enum { COMPOSITE, POINT_SET, POINT, SEGMENT, TRIANGLE, BOX, HULL, TINY_HULL, BOX_HULL, CURVED, HALF_SPACE, FAMILIES };

static const uint8_t families[64] = {
    [APART_SHAPE_NONE] = COMPOSITE,
    [APART_SHAPE_POINT] = POINT,
    [APART_SHAPE_SEGMENT] = SEGMENT,
    [APART_SHAPE_TRIANGLE] = TRIANGLE,
    [APART_SHAPE_BOX] = BOX,
    [APART_SHAPE_CYLINDER] = CURVED,
    [APART_SHAPE_CONE] = CURVED,
    [APART_SHAPE_ELLIPSOID] = CURVED,
    [APART_SHAPE_HALF_SPACE] = HALF_SPACE,
    [APART_SHAPE_HULL] = HULL,
    [APART_SHAPE_POINTS] = POINT_SET,
    [APART_SHAPE_SUM] = COMPOSITE,
    [APART_SHAPE_HULL_OF_TWO] = COMPOSITE,
    [APART_SHAPE_AFFINE] = COMPOSITE,
    [APART_SHAPE_CALLBACK] = COMPOSITE,
    [AP_SMALL_HULL | APART_SHAPE_HULL] = TINY_HULL,
    [AP_BOX_HULL | AP_SMALL_HULL | APART_SHAPE_HULL] = BOX_HULL,
};

AP_INLINE unsigned family_of(const apart_shape *shape)
{
    return families[(shape->kind & 15u) | (shape->flags & (AP_SMALL_HULL | AP_BOX_HULL))];
}

#define ANY distance_of_shapes
#define CURVE distance_of_curved
#define PLANE ap_distance_to_half_space
#define CORNERS ap_distance_of_vertices
#define SEGMENTS ap_distance_of_segments
#define HULLS distance_of_hulls
#define TINY distance_of_tiny_hulls
#define BOXES distance_of_box_hulls
static ap_query_fn *const kernels[FAMILIES][FAMILIES] = {
    [COMPOSITE] = {ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, PLANE},
    [POINT_SET] = {ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY, CURVE, PLANE},
    [POINT] = {ANY, ANY, SEGMENTS, SEGMENTS, CORNERS, ap_distance_of_point_and_box, CORNERS, CORNERS, CORNERS, CURVE,
               PLANE},
    [SEGMENT] = {ANY, ANY, SEGMENTS, SEGMENTS, CORNERS, CORNERS, CORNERS, CORNERS, CORNERS, CURVE, PLANE},
    [TRIANGLE] = {ANY, ANY, CORNERS, CORNERS, CORNERS, CORNERS, CORNERS, CORNERS, CORNERS, CURVE, PLANE},
    [BOX] = {ANY, ANY, ap_distance_of_box_and_point, CORNERS, CORNERS, distance_of_boxes, CORNERS, CORNERS, BOXES,
             CURVE, PLANE},
    [HULL] = {ANY, ANY, CORNERS, CORNERS, CORNERS, CORNERS, HULLS, HULLS, HULLS, CURVE, PLANE},
    [TINY_HULL] = {ANY, ANY, CORNERS, CORNERS, CORNERS, CORNERS, HULLS, TINY, TINY, CURVE, PLANE},
    [BOX_HULL] = {ANY, ANY, CORNERS, CORNERS, CORNERS, BOXES, HULLS, TINY, BOXES, CURVE, PLANE},
    [CURVED] = {ANY, CURVE, CURVE, CURVE, CURVE, CURVE, CURVE, CURVE, CURVE, CURVE, PLANE},
    [HALF_SPACE] = {PLANE, PLANE, PLANE, PLANE, PLANE, PLANE, PLANE, PLANE, PLANE, PLANE, PLANE},
};

apart_status ap_distance_by_kind(const ap_query *q) { return kernels[family_of(q->a)][family_of(q->b)](q); }

/* Options that are not the defaults, bodies in the plane, and wrong arguments. */
static AP_NOINLINE apart_status distance_with_options(const apart_shape *a, const apart_pose *pose_a,
                                                      const apart_shape *b, const apart_pose *pose_b,
                                                      const apart_options *options, apart_cache *cache,
                                                      apart_result *result)
{
    ap_query q = {a, pose_a, b, pose_b, options, cache, result};
    const bool complete = a != NULL && pose_a != NULL && b != NULL && pose_b != NULL && result != NULL;
    if (complete && (options == NULL || ap_options_are_default(options))) {
        q.options = &ap_default_options;
    } else if (!complete || !ap_options_ask_result_alone(options, a, b)) {
        const apart_status status = ap_query_begin(&q, result);
        return status == APART_OK ? ap_distance_general(&q) : status;
    }
    if (a->dim == 3) {
        return ap_distance_by_kind(&q);
    }
    return ap_query_has_half_space(&q) ? ap_distance_to_half_space(&q) : distance_of_shapes(&q);
}

/* From here on the question is handed on as a whole. */
static AP_NOINLINE apart_status distance_by_table(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                                  const apart_pose *pose_b, const apart_options *options,
                                                  apart_cache *cache, apart_result *result)
{
    const ap_query q = {a, pose_a, b, pose_b, &ap_default_options, cache, result};
    (void)options;
    return kernels[family_of(a)][family_of(b)](&q);
}

apart_status ap_query_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                               const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                               apart_result *result)
{
    if (a != NULL && pose_a != NULL && b != NULL && pose_b != NULL && result != NULL &&
        (options == NULL || ap_options_are_default(options))) {
        if (a->kind <= APART_SHAPE_BOX && b->kind <= APART_SHAPE_BOX) {
            if (ap_is_leaf(a, APART_SHAPE_POINT) && ap_is_leaf(b, APART_SHAPE_BOX)) {
                return ap_distance_of_sphere_and_box(a, pose_a, b, pose_b, result, cache);
            }
            if (ap_is_capsule(a) && ap_is_capsule(b)) {
                return ap_distance_of_capsules(a, pose_a, b, pose_b, result, cache);
            }
            if (ap_is_leaf(a, APART_SHAPE_BOX) && ap_is_leaf(b, APART_SHAPE_POINT)) {
                return ap_distance_of_box_and_sphere(a, pose_a, b, pose_b, result, cache);
            }
        }
        if (a->dim == 3) {
            return distance_by_table(a, pose_a, b, pose_b, options, cache, result);
        }
    }
    return distance_with_options(a, pose_a, b, pose_b, options, cache, result);
}
