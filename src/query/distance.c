/* The public query for the distance: every pair of shapes finds its way.
 *
 * A query prepares the pair (pair.c), runs the loop on the cores (gjk.c), asks for the depth where they meet (depth.c) and writes the
 * result (answer.c); plain ones do all of it in one function (distance_plain.c). */
#include "../shape/family.h"
#include "../kernels/half_space.h"
#include "query.h"

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
    const ap_gjk_options loop = {.cutoff = scaled_cutoff(o, &pair, known), .tolerance = scaled_tolerance(o, &pair, known)};
    if (!run_curved(&g, &pair, known, &loop, &direction)) {
        const apart_vec3 d = ap_apply_transposed(pair.rotation_a, direction);
        apart_cache hint, *start_from = cache != NULL ? cache : &hint;
        *start_from = (apart_cache){.tag = ap_pair_tag(&pair), .direction = {d.x, d.y, d.z}};
        return distance_of_others(a, pose_a, b, pose_b, o, start_from, result);
    }
    write_apart(result, &pair, known, o, &g);
    result->relation = g.outcome == AP_DECIDED ? APART_BEYOND : result->relation;
    if (cache != NULL) {
        store(&g, &pair, known, false, cache);
    }
    return APART_OK;
}

static __attribute__((noinline)) ap_distance_fn distance_of_curved, distance_of_curved_and_box;

static apart_status distance_of_curved_and_box(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                               const apart_options *o, apart_cache *cache, apart_result *result)
{
    if (a->kind == APART_SHAPE_CYLINDER) {
        return answer_curved(KNOWN(CYLINDER, BOX, .laid = 0), a, pose_a, b, pose_b, o, cache, result);
    }
    return answer_curved(KNOWN(NONE, BOX, .laid = 0), a, pose_a, b, pose_b, o, cache, result);
}

static apart_status distance_of_curved(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                       const apart_options *o, apart_cache *cache, apart_result *result)
{
    if (is_curved(a->kind)) {
        return b->kind == APART_SHAPE_BOX ? distance_of_curved_and_box(a, pose_a, b, pose_b, o, cache, result)
            : answer_curved(KNOWN(NONE, NONE, .laid = 0), a, pose_a, b, pose_b, o, cache, result);
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
static apart_status distance_with_options(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
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
    status = ap_pair_prepare(&pair, a, pose_a, b, pose_b, search_of(o, a, b, cache));
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
enum { COMPOSITE, LEAF, POINT, SEGMENT, BOX, HULL, SMALL_HULL, CURVED, HALF_SPACE, FAMILIES };

static const uint8_t families[32] = {
    [APART_SHAPE_NONE] = COMPOSITE,       [APART_SHAPE_POINT] = POINT,       [APART_SHAPE_SEGMENT] = SEGMENT,
    [APART_SHAPE_TRIANGLE] = LEAF,        [APART_SHAPE_BOX] = BOX,           [APART_SHAPE_CYLINDER] = CURVED,
    [APART_SHAPE_CONE] = CURVED,          [APART_SHAPE_ELLIPSOID] = CURVED,  [APART_SHAPE_HALF_SPACE] = HALF_SPACE,
    [APART_SHAPE_HULL] = HULL,            [APART_SHAPE_POINTS] = LEAF,       [APART_SHAPE_SUM] = COMPOSITE,
    [APART_SHAPE_HULL_OF_TWO] = COMPOSITE, [APART_SHAPE_AFFINE] = COMPOSITE, [APART_SHAPE_CALLBACK] = COMPOSITE,
    [AP_SMALL_HULL | APART_SHAPE_HULL] = SMALL_HULL,
};

AP_INLINE unsigned family_of(const apart_shape *shape) { return families[(shape->kind & 15u) | (shape->flags & AP_SMALL_HULL)]; }

/* The way of two families in space. */
#define OTHERS distance_of_others
#define CURVES distance_of_curved
#define TO_PLANE distance_to_half_space
static ap_distance_fn *const ways[FAMILIES][FAMILIES] = {
    [COMPOSITE] = {OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, TO_PLANE},
    [LEAF] = {OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, OTHERS, CURVES, TO_PLANE},
    [POINT] = {OTHERS, OTHERS, distance_of_segments, distance_of_segments, distance_of_point_and_box, OTHERS, OTHERS, CURVES, TO_PLANE},
    [SEGMENT] = {OTHERS, OTHERS, distance_of_segments, distance_of_segments, OTHERS, distance_of_segment_and_hull, distance_of_segment_and_hull, CURVES, TO_PLANE},
    [BOX] = {OTHERS, OTHERS, distance_of_box_and_point, OTHERS, distance_of_boxes, OTHERS, OTHERS, CURVES, TO_PLANE},
    [HULL] = {OTHERS, OTHERS, OTHERS, distance_of_hull_and_segment, OTHERS, distance_of_hulls, distance_of_hulls, CURVES, TO_PLANE},
    [SMALL_HULL] = {OTHERS, OTHERS, OTHERS, distance_of_hull_and_segment, OTHERS, distance_of_hulls, distance_of_small_hulls, CURVES, TO_PLANE},
    [CURVED] = {OTHERS, CURVES, CURVES, CURVES, CURVES, CURVES, CURVES, CURVES, TO_PLANE},
    [HALF_SPACE] = {TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE, TO_PLANE},
};
#undef OTHERS
#undef CURVES
#undef TO_PLANE

/* With default options, by the families' own way. Six arguments are as many as there are registers for. */
typedef apart_status quick_fn(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                              apart_result *result, apart_cache *cache);

static __attribute__((noinline)) quick_fn distance_by_family, distance_of_sphere_and_box, distance_of_box_and_sphere, distance_of_capsules;

static apart_status distance_by_family(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                       apart_result *result, apart_cache *cache)
{
    return ways[family_of(a)][family_of(b)](a, pose_a, b, pose_b, &default_options, cache, result);
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
        return ways[family_of(a)][family_of(b)](a, pose_a, b, pose_b, o, cache, result);
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
            return ways[family_of(a)][family_of(b)](a, pose_a, b, pose_b, &default_options, cache, result);
        }
    }
    return distance_of_unusual(a, pose_a, b, pose_b, options, cache, result);
}
