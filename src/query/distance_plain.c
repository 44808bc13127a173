/* The default query, nothing but the distance, for shapes of known kinds: steps from the preparation to the result inlined into one
 * function, once for each kind of pair that is worth it. */
#include "../kernels/box_feature.h"
#include "query.h"

/* A simplex to begin with, of two boxes whose last one is not known. From B's centre to the nearest point of A, from there to that of B and
 * back: the corners next to these points, and others along the edges or faces that they lie in. Mostly the nearest features are right (1.2
 * steps of the loop instead of 3; another round is slower). False: the boxes seem to meet. */
AP_INLINE bool guess_corners(ap_gjk *g, ap_pair *pair, ap_known known, ap_lanes *newest)
{
    const ap_lanes offset = ap_lanes_load(&pair->offset);
    const ap_lanes h_a = ap_lanes_load(&pair->a->u.half_extents), h_b = ap_lanes_load(&pair->b->u.half_extents);
    const ap_lanes on_a = ap_lanes_turn(pair->rotation_a, clamp_to(ap_lanes_apply(&pair->rows_a, offset), h_a));
    const ap_lanes in_b = clamp_to(ap_lanes_apply(&pair->rows_b, on_a - offset), h_b);
    const ap_lanes on_b = ap_lanes_turn(pair->rotation_b, in_b) + offset;
    const ap_lanes in_a = clamp_to(ap_lanes_apply(&pair->rows_a, on_b), h_a);
    const ap_lanes v = on_b - on_a;
    if (!(ap_lanes_dot(v, v) > 0x1p-60 * (pair->magnitude * pair->magnitude))) {
        return false;
    }
    const uint32_t corner_a = ~ap_mask_bits((ap_mask)in_a) & 7u, corner_b = ~ap_mask_bits((ap_mask)in_b) & 7u;
    uint32_t free_a = ap_mask_bits(ap_lanes_abs(in_a) < h_a) & 7u, free_b = ap_mask_bits(ap_lanes_abs(in_b) < h_b) & 7u;
    reset(g, true);
    *newest = ap_pair_vertex_lanes(pair, known, corner_a, corner_b, &g->simplex.vertex[0]);
    int count = 1;
    while (count < 3 && (free_a | free_b) != 0) {
        const uint32_t axis_a = free_a & (0u - free_a), axis_b = free_a != 0 ? 0 : free_b & (0u - free_b);
        *newest = ap_pair_vertex_lanes(pair, known, corner_a ^ axis_a, corner_b ^ axis_b, &g->simplex.vertex[count++]);
        free_a ^= axis_a;
        free_b ^= axis_b;
    }
    g->simplex.count = count;
    return true;
}

static __attribute__((noinline)) ap_distance_fn distance_of_small_hulls, distance_of_laid_hulls, distance_of_larger_hulls, distance_of_hulls,
    distance_of_boxes, distance_of_boxes_that_met, distance_of_segment_and_hull, distance_of_hull_and_segment, distance_of_others,
    distance_with_options, careful_distance_of_hulls, careful_distance_of_laid_hulls, careful_distance_of_larger_hulls,
    careful_distance_of_boxes;

/* The default query, for shapes of known kinds: nothing but the distance is asked for. */
AP_INLINE apart_status answer_plain(ap_known known, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                    const apart_pose *pose_b, const apart_options *o, apart_cache *cache, apart_result *result)
{
    ap_pair pair;
    ap_gjk g;
    if (!ap_known_scanned(known)) {
        expect(a, b, cache);
    }
    if (ap_known_polytopes(known)) {
        if (!prepare_quickly(&pair, known, a, pose_a, b, pose_b)) {
            ap_distance_fn *const next = known.careful ? distance_with_options
                                         : ap_known_boxes(known) ? careful_distance_of_boxes : careful_distance_of_hulls;
            return next(a, pose_a, b, pose_b, o, cache, result);
        }
    } else {
        const apart_status status = ap_pair_prepare(&pair, a, pose_a, b, pose_b, APART_SUPPORT_AUTO);
        if (status != APART_OK) {
            return status;
        }
    }
    ap_lanes newest;
    const bool tracked = track(&g, &pair, known, cache, &newest);
    if (!tracked) {
        if (!ap_known_boxes(known)) {
            newest = start(&g, &pair, known, ap_known_polytopes(known) ? center_direction(&pair) : ap_gjk_first_direction(&pair, cache));
        } else if (!guess_corners(&g, &pair, known, &newest)) {
            return answer_boxes(&pair, o, cache, result);
        }
    }
    ap_plain asked = {.cutoff = INFINITY};
    if (o != &default_options) {
        asked.cutoff = scaled_cutoff(o, &pair, known);
        asked.tolerance = scaled_tolerance(o, &pair, known);
    }
    if (!run_plain(&g, &pair, known, asked, newest)) {
        return answer_meeting(&g, &pair, o, cache, result, ap_known_boxes(known));
    }
    write_apart(result, &pair, known, o, &g);
    if (g.outcome == AP_DECIDED) {
        result->relation = APART_BEYOND;
    }
    if (cache != NULL) {
        store(&g, &pair, known, tracked, cache);
    }
    return APART_OK;
}

/* ---- its instances ---- */

#define KNOWN(a, b, ...) ((ap_known){.kind_a = APART_SHAPE_##a, .kind_b = APART_SHAPE_##b, .plain = true, __VA_ARGS__})
#define INSTANCE(name, ...)                                                                                                                  \
    static apart_status name(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,                 \
                             const apart_options *o, apart_cache *cache, apart_result *result)                                               \
    {                                                                                                                                        \
        return answer_plain(KNOWN(__VA_ARGS__), a, pose_a, b, pose_b, o, cache, result);                                                     \
    }

INSTANCE(distance_of_small_hulls, HULL, HULL, .laid = AP_ALWAYS_SCANNED)
INSTANCE(distance_of_laid_hulls, HULL, HULL, .laid = AP_LAID_MOST)
INSTANCE(distance_of_larger_hulls, HULL, HULL, .laid = 0)
INSTANCE(careful_distance_of_laid_hulls, HULL, HULL, .laid = AP_LAID_MOST, .careful = true)
INSTANCE(careful_distance_of_larger_hulls, HULL, HULL, .laid = 0, .careful = true)
INSTANCE(careful_distance_of_boxes, BOX, BOX, .careful = true)
INSTANCE(distance_of_segment_and_hull, SEGMENT, HULL, .careful = true)
INSTANCE(distance_of_hull_and_segment, HULL, SEGMENT, .careful = true)
INSTANCE(distance_of_others, NONE, NONE, .laid = 0)
#undef INSTANCE

static apart_status distance_of_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                      const apart_options *o, apart_cache *cache, apart_result *result)
{
    return looks_everywhere(a, b, cache) ? distance_of_laid_hulls(a, pose_a, b, pose_b, o, cache, result)
                                         : distance_of_larger_hulls(a, pose_a, b, pose_b, o, cache, result);
}

static apart_status careful_distance_of_hulls(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                              const apart_options *o, apart_cache *cache, apart_result *result)
{
    return looks_everywhere(a, b, cache) ? careful_distance_of_laid_hulls(a, pose_a, b, pose_b, o, cache, result)
                                         : careful_distance_of_larger_hulls(a, pose_a, b, pose_b, o, cache, result);
}

/* Two boxes that overlapped last time: most likely they still do. */
static apart_status distance_of_boxes_that_met(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                               const apart_options *o, apart_cache *cache, apart_result *result)
{
    ap_pair pair;
    return prepare_quickly(&pair, KNOWN(BOX, BOX, .laid = 0), a, pose_a, b, pose_b)
        ? answer_boxes(&pair, o, cache, result)
        : careful_distance_of_boxes(a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_boxes(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                      const apart_options *o, apart_cache *cache, apart_result *result)
{
    if (cache != NULL && ap_box_met(cache)) {
        return distance_of_boxes_that_met(a, pose_a, b, pose_b, o, cache, result);
    }
    return answer_plain(KNOWN(BOX, BOX, .laid = 0), a, pose_a, b, pose_b, o, cache, result);
}
