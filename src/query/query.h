/* What the public queries share: options, their checks, and the loop's parameters. */
#ifndef AP_QUERY_QUERY_H
#define AP_QUERY_QUERY_H

#include <apart/penetration.h>

#include "../gjk/gjk.h"

/* The public queries at one level: dispatch.c chooses. */
typedef apart_status ap_distance_fn(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                    const apart_options *options, apart_cache *cache, apart_result *result);
typedef apart_status ap_overlap_fn(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                   const apart_options *options, apart_cache *cache, int *overlap);
typedef apart_status ap_penetration_bounds_fn(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                              const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                              apart_penetration *out);
ap_distance_fn ap_query_distance;
ap_overlap_fn ap_query_overlap;
ap_penetration_bounds_fn ap_query_penetration_bounds;

/* Nothing is NULL that must not be (out: where the answer goes), and the options are legal: *used is then the caller's or the defaults.
 * Also resets the operation counter. */
apart_status ap_query_begin(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                            const apart_options *options, const void *out, const apart_options **used);

/* Half-spaces have a query of their own (half_space.h). */
static inline bool ap_query_has_half_space(const apart_shape *a, const apart_shape *b)
{
    return a->kind == APART_SHAPE_HALF_SPACE || b->kind == APART_SHAPE_HALF_SPACE;
}

/* The loop's parameters for these options, constant or in `space`. yes_no: stop as soon as it is known whether the bodies meet. */
const ap_gjk_options *ap_query_loop(const apart_options *o, const ap_pair *pair, bool yes_no, ap_gjk_options *space);

/* Empties the caller's trace and tells its frame. */
void ap_query_trace(const apart_options *o, const ap_pair *pair);

/* Starts from the cache, or from a first direction, and runs the loop. */
void ap_query_run(ap_gjk *g, ap_pair *pair, const apart_options *o, const apart_cache *cache, bool yes_no);

/* After the loop: APART_ERR_CALLBACK when a user's support was not finite; else keeps the cache and counts. */
apart_status ap_query_end(const ap_gjk *g, const ap_pair *pair, const apart_options *o, apart_cache *cache);

#endif
