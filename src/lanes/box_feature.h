/* The feature of the Minkowski difference of two boxes that a step evaluates, and the choice of the next one.
 *
 * The Minkowski difference is w = D + sum of t_k e_k over six axes e_k (0..2: A's, 3..5: B's), with |t_k| at most the
 * half extent h_k. Each axis is fixed at one end or free. The feature is a vertex, an edge or a parallelogram if none,
 * one or two axes are free. An axis is `away` if t_k = +h_k; A's own coordinate is then -h_k, since w = b - a. */
#ifndef AP_LANES_ROOM_BOX_FEATURE_H
#define AP_LANES_ROOM_BOX_FEATURE_H

#include "../kernels/box_cache.h"
#include "box_lanes.h"

#define AP_BOX_AXES 6u
#define AP_NO_AXIS 6u /* in place of a free axis */

/* The least Gram determinant of two free axes: they must not be more parallel. */
#define AP_BOX_LEAST_DETERMINANT 0x1p-20

/* Four pairs, one per SIMD lane: what does not change during a query. */
typedef struct ap_box_lanes {
    ap_lanes3 axis[AP_BOX_AXES];
    ap_lanes half[AP_BOX_AXES];
    ap_lanes3 offset; /* D */
    ap_lanes size;    /* the sum of the h_k and |D|_1 */
} ap_box_lanes;

/* A lane's feature. Bits 0..5: axis k is away; the bit of a free axis is 0, the end at which its edge begins. Bits 6..8
 * and 9..11: the free axes, ascending. A feature fits into the flags of a cache (kernels/box_cache.h), where bit 15
 * says that there is one. */
typedef uint32_t ap_box_feature;

#define AP_BOX_FIRST_BIT 6
#define AP_BOX_SECOND_BIT 9
#define AP_BOX_FEATURE_BITS 0xfffu
#define AP_BOX_UNSAVED_BIT 12 /* the feature is not the one in the cache */

/* The counter of steps in the state of a job. */
#define AP_BOX_STEPS_BIT 32
#define AP_BOX_FIRST_STEP (INT64_C(1) << AP_BOX_STEPS_BIT)

/* The free axes in any order; the one with the lower number becomes the first. */
AP_INLINE ap_box_feature ap_box_feature_of(uint32_t away, uint32_t one, uint32_t other)
{
    const uint32_t first = one < other ? one : other, second = one < other ? other : one;
    const uint32_t ends = ~(1u << first | 1u << second) & 63u;
    return (away & ends) | first << AP_BOX_FIRST_BIT | second << AP_BOX_SECOND_BIT;
}

/* What a step computes for the features of four pairs. */
typedef struct ap_box_step {
    ap_mask feature;                           /* the jobs' states, which contain the features */
    ap_mask first, second;                     /* the numbers of the free axes */
    ap_lanes3 free[2];                         /* the free axes; zero vectors if there is none */
    ap_lanes length[2];                        /* 2h of each */
    ap_lanes cosine;                           /* between them */
    ap_lanes determinant, inverse_determinant; /* of their Gram matrix, for axes of unit length */
    ap_lanes position[2]; /* of v's point along each free axis, from its beginning: 0..2h inside the face */
    ap_lanes3 v;
    ap_lanes slope[AP_BOX_AXES]; /* v . e_k */
    ap_lanes square;             /* |v|^2 */
} ap_box_step;

/* The axis of each lane by its number, which is from `least` to `most`, and its length; a zero vector and 2 for
 * AP_NO_AXIS. */
AP_INLINE ap_lanes3 ap_box_select_axis(const ap_box_lanes *box, ap_mask number, int least, int most, ap_lanes *length)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    ap_lanes3 g = {zero, zero, zero};
    ap_lanes half = ap_lanes_all(1.0);
    for (int k = least; k <= most; k++) {
        const ap_mask here = ap_mask_equal(number, ap_mask_all(k));
        g.x = ap_lanes_select(g.x, box->axis[k].x, here);
        g.y = ap_lanes_select(g.y, box->axis[k].y, here);
        g.z = ap_lanes_select(g.z, box->axis[k].z, here);
        half = ap_lanes_select(half, box->half[k], here);
    }
    *length = ap_lanes_add(half, half);
    return g;
}

/* t_k of the features: +h_k if the axis is away, else -h_k. */
AP_INLINE ap_lanes ap_box_end(const ap_box_lanes *box, ap_mask feature, unsigned k)
{
    return ap_lanes_with_sign(box->half[k], ap_lanes_of_mask(ap_mask_shift_left(ap_mask_not(feature), (int)(63u - k))));
}

/* The bits of a cache's flags to check, indexed by the free axes: AP_BOX_HAS_FEATURE must be set, the others must be
 * 0. */
extern const uint16_t ap_box_flags_mask[64];

/* Do the flags of a box pair's cache hold a feature? It is in their low bits. */
AP_INLINE bool ap_box_has_feature(uint32_t flags)
{
    return (flags & ap_box_flags_mask[flags >> AP_BOX_FIRST_BIT & 63u]) == AP_BOX_HAS_FEATURE;
}

/* ap_box_job_start, without a call if the cache holds a feature. */
AP_INLINE bool ap_box_start(ap_lane_job *job)
{
    const apart_cache *cache = job->cache;
    if (cache != NULL && cache->tag == ap_box_tag() && ap_box_has_feature(cache->flags)) {
        job->state = (int64_t)(cache->flags & AP_BOX_FEATURE_BITS) | AP_BOX_FIRST_STEP;
        return true;
    }
    return ap_box_job_start(job);
}

/* The features to evaluate after a step. *found: the lanes that have one; in the others no axis gains, or the boxes
 * overlap. Only the lanes whose bits are set in `lanes` need a result. */
ap_mask ap_box_next_features(const ap_box_lanes *box, const ap_box_step *step, unsigned lanes, ap_mask *found);

#endif
