/* Yes or no: the same loop with an early end. Boxes are tested by points and axes first (kernels/box_overlap.h), hulls
 * by the spheres in and around them. */
#include "../gjk/loop.h"
#include "../kernels/box_hull.h"
#include "../kernels/box_overlap.h"
#include "../shape/family.h"
#include "query.h"

/* The loop's own answer; contact within rounding is yes. */
AP_INLINE int meets(const ap_gjk *g, const ap_pair *pair, ap_traits t)
{
    if (g->outcome == AP_ENCLOSED || g->outcome == AP_CONTACT) {
        return 1;
    }
    return g->lower - pair->lower_error > (t.vertices ? 1.0 : pair->scale) * pair->radius ? 0 : 1;
}

/* Do the spheres in and around two hulls decide? The factors cover rounding and rotations that are not exact. */
AP_INLINE bool spheres_decide(const ap_pair *pair, int *overlap)
{
    const ap_lanes offset = ap_lanes_load(&pair->offset);
    const double square = ap_lanes_dot(offset, offset);
    const double inner_a = pair->a->u.hull->inner,
                 inner_b = pair->b->u.hull->inner; /* without a sphere, the centre need not be in the hull */
    const double inner = inner_a > 0.0 && inner_b > 0.0 ? inner_a + inner_b : 0.0;
    const double outer = ((pair->a->bound + pair->b->bound) + pair->radius);
    *overlap = square < (1.0 - 0x1p-16) * (inner * inner) ? 1 : 0;
    return *overlap == 1 || square > (1.0 + 0x1p-16) * (outer * outer);
}

/* Any query, with any legal options. */
static apart_status overlap_general(const ap_query *q, int *overlap)
{
    ap_pair pair;
    ap_gjk g;
    if (ap_query_has_half_space(q)) {
        apart_result r;
        ap_query asked = *q;
        asked.result = &r;
        const apart_status status = ap_distance_to_half_space(&asked);
        *overlap = status == APART_OK ? r.lower <= 0.0 : *overlap;
        return status;
    }
    ap_gjk_prefetch(q);
    apart_status status = ap_query_prepare(q, &pair);
    if (status != APART_OK) {
        return status;
    }
    ap_query_run(&g, &pair, q, true);
    status = ap_query_end(&g, &pair, q);
    *overlap = status == APART_OK ? meets(&g, &pair, AP_ANY_PAIR) : *overlap;
    return status;
}

/* ---- the template and its instances ---- */

/* A default query. */
AP_INLINE apart_status overlap_of_pair(ap_traits t, const ap_query *q, int *overlap)
{
    ap_pair pair;
    ap_gjk g;
    ap_vertex_sets sets;
    t.yes_no = true;
    if (!t.value_first) {
        ap_gjk_prefetch(q);
    }
    if (t.vertices) {
        if (!ap_pair_prepare_unscaled(&pair, t, q, &sets)) {
            return overlap_general(q, overlap);
        }
    } else {
        const apart_status status = ap_pair_prepare(&pair, q, APART_SUPPORT_AUTO);
        if (status != APART_OK) {
            return status;
        }
    }
    if (t.kind_a == APART_SHAPE_HULL && spheres_decide(&pair, overlap)) {
        return APART_OK;
    }
    ap_lanes newest;
    const bool tracked = ap_gjk_warm_start(&g, &pair, t, q->cache, &newest);
    if (!tracked) {
        newest =
            ap_gjk_cold_start(&g, &pair, t,
                              t.vertices ? ap_gjk_center_direction(&pair) : ap_gjk_first_direction(&pair, q->cache));
    }
    const bool usual = ap_gjk_run_inline(&g, &pair, t, INFINITY, 0.0, newest);
    if (!t.vertices && pair.broken) {
        return ap_pair_status(&pair);
    }
    if (q->cache != NULL) {
        ap_gjk_keep(&g, &pair, t, tracked, q->cache);
    }
    *overlap = meets(&g, &pair, usual ? t : AP_ANY_PAIR);
    return APART_OK;
}

static AP_NOINLINE apart_status overlap_of_tiny_hulls(const ap_query *q, int *overlap)
{
    return overlap_of_pair(AP_TWO_SMALL_HULLS(AP_ALWAYS_SCANNED), q, overlap);
}

static AP_NOINLINE apart_status overlap_of_hulls(const ap_query *q, int *overlap)
{
    return overlap_of_pair(AP_TWO_HULLS, q, overlap);
}

static AP_NOINLINE apart_status overlap_of_shapes(const ap_query *q, int *overlap)
{
    return overlap_of_pair(AP_ANY_SHAPES, q, overlap);
}

/* Options that are not the defaults, half-spaces, and wrong arguments. */
static AP_NOINLINE apart_status overlap_with_options(ap_query q, int *overlap)
{
    const apart_status status = ap_query_begin(&q, overlap);
    return status == APART_OK ? overlap_general(&q, overlap) : status;
}

/* The quick test of boxes that are given as hulls. */
static AP_RARE ap_box_verdict test_box_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                             const apart_pose *pose_b)
{
    apart_shape box_a, box_b;
    return ap_box_test(ap_as_box(a, &box_a), pose_a, ap_as_box(b, &box_b), pose_b);
}

apart_status ap_query_overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                              const apart_pose *pose_b, const apart_options *options, apart_cache *cache, int *overlap)
{
    if (a == NULL || pose_a == NULL || b == NULL || pose_b == NULL || overlap == NULL) {
        return APART_ERR_NULL;
    }
    const int kind = a->kind == b->kind && a->dim == 3 ? a->kind : APART_SHAPE_NONE;
    const bool usual = options == NULL || ap_options_are_default(options) ||
                       (ap_options_ask_result_alone(options, a, b) && !(options->tolerance > 0.0));
    const bool hulls = kind == APART_SHAPE_HULL && (a->flags & b->flags & AP_BOX_HULL) != 0;
    if ((kind == APART_SHAPE_BOX || hulls) && usual) {
        const ap_box_verdict verdict = hulls ? test_box_hulls(a, pose_a, b, pose_b) : ap_box_test(a, pose_a, b, pose_b);
        if (verdict != AP_BOXES_UNDECIDED) {
            *overlap = (int)verdict;
            return APART_OK;
        }
    }
    const ap_query q = {a, pose_a, b, pose_b, usual ? &ap_default_options : options, cache, NULL};
    if (usual && kind == APART_SHAPE_HULL) {
        return (a->flags & b->flags & AP_SMALL_HULL) != 0 ? overlap_of_tiny_hulls(&q, overlap)
                                                          : overlap_of_hulls(&q, overlap);
    }
    return usual && !ap_query_has_half_space(&q) ? overlap_of_shapes(&q, overlap) : overlap_with_options(q, overlap);
}
