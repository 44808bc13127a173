/* What the public queries of one pair share: their options, and how any query runs and ends. */
#ifndef AP_QUERY_QUERY_H
#define AP_QUERY_QUERY_H

#include <apart/penetration.h>
#include <float.h>

#include "../gjk/gjk.h"
#include "../kernels/half_space.h"
#include "../shape/family.h"

/* The public queries at one level of the CPU (level/kernels.h). */
typedef apart_status ap_distance_fn(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                    const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                    apart_result *result);
typedef apart_status ap_overlap_fn(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                   const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                   int *overlap);
typedef apart_status ap_penetration_bounds_fn(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                              const apart_pose *pose_b, const apart_options *options,
                                              apart_cache *cache, apart_penetration *out);
ap_distance_fn ap_query_distance;
ap_overlap_fn ap_query_overlap;
ap_penetration_bounds_fn ap_query_penetration_bounds;

/* ---- options ---- */

_Static_assert(offsetof(apart_options, trace) == 3 * sizeof(uint64_t),
               "ap_options_are_default reads what stands before as words");

/* Are all bytes of the options zero? */
AP_INLINE bool ap_options_are_default(const apart_options *o)
{
    uint64_t first, second, third; /* separate, so that no vector goes through memory */
    memcpy(&first, o, sizeof first);
    memcpy(&second, &o->cutoff, sizeof second);
    memcpy(&third, &o->tolerance, sizeof third);
    return (first | second | third | (uintptr_t)o->trace | (uintptr_t)o->stats | (uintptr_t)o->depth_cache) == 0;
}

/* Does the caller ask for the result alone? All options are zero but `depth`, a legal cut-off and a legal tolerance.
 * Two boxes in space have no use for a depth cache. */
AP_INLINE bool ap_options_ask_result_alone(const apart_options *o, const apart_shape *a, const apart_shape *b)
{
    const bool box_a = a->kind == APART_SHAPE_BOX || (a->flags & AP_BOX_HULL) != 0,
               box_b = b->kind == APART_SHAPE_BOX || (b->flags & AP_BOX_HULL) != 0,
               boxes = box_a && box_b && a->dim == 3;
    static const apart_options depth_alone = {.depth = UINT8_MAX};
    uint64_t bits, allowed;
    memcpy(&bits, o, sizeof bits);
    memcpy(&allowed, &depth_alone, sizeof allowed);
    return (bits & ~allowed) == 0 && o->trace == NULL && o->stats == NULL && (o->depth_cache == NULL || boxes) &&
           o->cutoff >= 0.0 && o->tolerance >= 0.0 && o->tolerance <= DBL_MAX && o->depth <= APART_DEPTH_NONE;
}

/* When the loop may end early, scaled. */
typedef struct ap_scaled_limits {
    double cutoff;    /* how far the cores must be apart to be beyond the cut-off; infinity: there is none */
    double tolerance; /* the gap that is good enough, less what rounding adds to it */
} ap_scaled_limits;

AP_INLINE ap_scaled_limits ap_scaled_limits_of(const apart_options *o, const ap_pair *pair)
{
    return (ap_scaled_limits){
        .cutoff = o->cutoff > 0.0 ? pair->scale * (o->cutoff + pair->radius) : INFINITY,
        .tolerance = ap_max(0.0, pair->scale * o->tolerance - (pair->lower_error + pair->upper_error)),
    };
}

/* ---- any query ---- */

/* Checks that no pointer is NULL that must not be (out: where the answer goes) and that the options are legal; NULL
 * options become the defaults. Also resets the operation counter. */
apart_status ap_query_begin(ap_query *q, const void *out);

/* Prepares the pair, empties the caller's trace and writes its frame. */
apart_status ap_query_prepare(const ap_query *q, ap_pair *pair);

/* Starts from the cache, or from a first direction, and runs the general loop. yes_no: stop as soon as it is known
 * whether the bodies meet. */
void ap_query_run(ap_gjk *g, ap_pair *pair, const ap_query *q, bool yes_no);

/* After the loop: APART_ERR_CALLBACK when a user's support was not finite; else keeps the cache and counts. */
apart_status ap_query_end(const ap_gjk *g, const ap_pair *pair, const ap_query *q);

/* ---- distances ---- */

/* Any pair with any options, which are legal. */
ap_query_fn ap_distance_general;

/* The rest of a default query whose bodies meet or are beyond the cut-off, or that could not run; the pair has unit
 * size. boxes: both are. */
apart_status ap_distance_of_meeting(ap_gjk *g, ap_pair *pair, const ap_query *q, bool boxes);

/* Two boxes that seem to overlap: their fifteen axes decide. */
apart_status ap_distance_of_overlapping_boxes(ap_pair *pair, const ap_query *q);

#endif
