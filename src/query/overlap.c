/* The public query for yes or no: the same loop with an early end. Boxes are looked at first (box_overlap.c), hulls by the balls in and
 * around them. */
#include "../shape/family.h"
#include "../kernels/half_space.h"
#include "query.h"

/* The loop's own answer to yes or no; contact within rounding is yes. */
AP_INLINE int meets(const ap_gjk *g, const ap_pair *pair, ap_known known)
{
    if (g->outcome == AP_ENCLOSED || g->outcome == AP_CONTACT) {
        return 1;
    }
    return g->reach - ap_known_lower_error(pair, known) > ap_known_scale(known, pair->scale) * pair->radius ? 0 : 1;
}

/* Balls in and around two hulls tell whether they meet; true if so. The factors cover rounding and rotations that are not quite. */
AP_INLINE bool balls_tell(const ap_pair *pair, int *overlap)
{
    const ap_lanes offset = ap_lanes_load(&pair->offset);
    const double square = ap_lanes_dot(offset, offset);
    const double inner_a = pair->a->u.hull->inner, inner_b = pair->b->u.hull->inner; /* without a ball, the centre need not be in the hull */
    const double inner = inner_a > 0.0 && inner_b > 0.0 ? inner_a + inner_b : 0.0;
    const double outer = ((pair->a->bound + pair->b->bound) + pair->radius);
    *overlap = square < (1.0 - 0x1p-16) * (inner * inner) ? 1 : 0;
    return *overlap == 1 || square > (1.0 + 0x1p-16) * (outer * outer);
}

static __attribute__((noinline)) ap_overlap_fn overlap_of_hulls, overlap_of_small_hulls, overlap_of_larger_hulls, overlap_of_boxes, overlap_of_unclear_boxes,
    overlap_of_others, overlap_with_options;

/* The default query for yes or no, for shapes of known kinds. */
AP_INLINE apart_status overlap_plain(ap_known known, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                     const apart_pose *pose_b, apart_cache *cache, int *overlap)
{
    ap_pair pair;
    ap_gjk g;
    if (!ap_known_scanned(known)) {
        expect(a, b, cache);
    }
    if (ap_known_polytopes(known)) {
        if (!prepare_quickly(&pair, known, a, pose_a, b, pose_b)) {
            return overlap_with_options(a, pose_a, b, pose_b, NULL, cache, overlap);
        }
    } else {
        const apart_status status = ap_pair_prepare(&pair, a, pose_a, b, pose_b, APART_SUPPORT_AUTO);
        if (status != APART_OK) {
            return status;
        }
    }
    if (known.kind_a == APART_SHAPE_HULL && known.kind_b == APART_SHAPE_HULL && balls_tell(&pair, overlap)) {
        return APART_OK;
    }
    ap_lanes newest;
    const bool tracked = track(&g, &pair, known, cache, &newest);
    if (!tracked) {
        newest = start(&g, &pair, known, ap_known_polytopes(known) ? center_direction(&pair) : ap_gjk_first_direction(&pair, cache));
    }
    const bool plain = run_plain(&g, &pair, known, (ap_plain){.cutoff = INFINITY, .yes_no = true}, newest);
    if (!ap_known_polytopes(known) && pair.broken) {
        return ap_pair_status(&pair);
    }
    if (cache != NULL) {
        store(&g, &pair, known, tracked, cache);
    }
    *overlap = meets(&g, &pair, plain ? known : AP_NOTHING_KNOWN);
    return APART_OK;
}


static apart_status overlap_of_small_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                           const apart_options *o, apart_cache *cache, int *overlap)
{
    (void)o;
    return overlap_plain(KNOWN(HULL, HULL, .yes_no = true, .laid = AP_ALWAYS_SCANNED, .careful = true), a, pose_a, b, pose_b, cache, overlap);
}

static apart_status overlap_of_larger_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                            const apart_options *o, apart_cache *cache, int *overlap)
{
    (void)o;
    return overlap_plain(KNOWN(HULL, HULL, .yes_no = true, .careful = true), a, pose_a, b, pose_b, cache, overlap);
}

static apart_status overlap_of_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                     const apart_options *o, apart_cache *cache, int *overlap)
{
    return (a->flags & b->flags & AP_SMALL_HULL) != 0 ? overlap_of_small_hulls(a, pose_a, b, pose_b, o, cache, overlap)
                                 : overlap_of_larger_hulls(a, pose_a, b, pose_b, o, cache, overlap);
}

static apart_status overlap_of_unclear_boxes(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                             const apart_options *o, apart_cache *cache, int *overlap)
{
    (void)o;
    return overlap_plain(KNOWN(BOX, BOX, .yes_no = true, .careful = true), a, pose_a, b, pose_b, cache, overlap);
}

/* A glance saves no registers for the loop that it mostly does not need. */
static apart_status overlap_of_boxes(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                     const apart_options *o, apart_cache *cache, int *overlap)
{
    const box_glance glance = glance_at_boxes(a, pose_a, b, pose_b);
    if (glance != BOXES_UNCLEAR) {
        *overlap = (int)glance;
        return APART_OK;
    }
    return overlap_of_unclear_boxes(a, pose_a, b, pose_b, o, cache, overlap);
}

static apart_status overlap_of_others(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                      const apart_options *o, apart_cache *cache, int *overlap)
{
    (void)o;
    return overlap_plain(KNOWN(NONE, NONE, .yes_no = true, .careful = true), a, pose_a, b, pose_b, cache, overlap);
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
    status = ap_pair_prepare(&pair, a, pose_a, b, pose_b, search_of(o, a, b, cache));
    if (status != APART_OK) {
        return status;
    }
    ap_query_trace(o, &pair);
    ap_query_run(&g, &pair, o, cache, true);
    status = ap_query_end(&g, &pair, o, cache);
    if (status == APART_OK) {
        *overlap = meets(&g, &pair, AP_NOTHING_KNOWN);
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
