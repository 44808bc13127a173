/* The face of the TCSO of two boxes that a query looks at, and which one to look at next.
 *
 * The TCSO is w = D + sum of t_k e_k over six axes e_k (0..2: A's, 3..5: B's), with |t_k| at most the half extent h_k.
 * Each axis is at one end or free: none (a vertex), one (an edge) or two (a parallelogram) are free where the point
 * nearest to the origin lies. An axis is `away` where t_k = +h_k; A's own coordinate is then -h_k, since w = b - a. */
#ifndef AP_LANES_ROOM_BOX_FEATURE_H
#define AP_LANES_ROOM_BOX_FEATURE_H

#include "../kernels/box_cache.h"
#include "box_lanes.h"

#define AP_BOX_AXES 6u
#define AP_NO_AXIS 6u /* in place of a free axis */

/* Two free axes must not be more parallel: their Gram determinant. */
#define AP_BOX_LEAST_DETERMINANT 0x1p-20

/* Four pairs in lanes: what does not change during a query. */
typedef struct ap_box_lanes {
    ap_lanes3 axis[AP_BOX_AXES];
    ap_lanes half[AP_BOX_AXES];
    ap_lanes3 offset; /* D */
    ap_lanes size;    /* the sum of the h_k and |D|_1 */
} ap_box_lanes;

/* A lane's feature. Bits 0..5: axis k is away; a free axis has 0, where its edge begins. Bits 6..8 and 9..11: the free
 * axes, rising. It fits into the flags of a cache, where bit 15 says that it is there. Bit 14 instead: the boxes
 * overlapped, and the low bits are the place of the direction that decided (box_box.c). */
typedef uint32_t ap_box_feature;

#define AP_BOX_FIRST_BIT 6
#define AP_BOX_SECOND_BIT 9
#define AP_BOX_FEATURE_BITS 0xfffu
#define AP_BOX_UNSAVED_BIT 12 /* of a feature that is not the cache's */

/* In the state of a job. */
#define AP_BOX_STEPS_BIT 32
#define AP_BOX_FIRST_STEP (INT64_C(1) << AP_BOX_STEPS_BIT)

/* The free axes in any order; the one with the lower number becomes the first. */
AP_INLINE ap_box_feature ap_box_feature_of(uint32_t away, uint32_t one, uint32_t other)
{
    const uint32_t first = one < other ? one : other, second = one < other ? other : one;
    const uint32_t ends = ~(1u << first | 1u << second) & 63u;
    return (away & ends) | first << AP_BOX_FIRST_BIT | second << AP_BOX_SECOND_BIT;
}

/* What a step found for the features of four lanes. */
typedef struct ap_box_step {
    ap_mask feature;                           /* the jobs' states: bits that are no feature come along */
    ap_mask first, second;                     /* the numbers of the free axes */
    ap_lanes3 free[2];                         /* the free axes; 0 where there is none */
    ap_lanes length[2];                        /* 2h of each */
    ap_lanes cosine;                           /* between them */
    ap_lanes determinant, inverse_determinant; /* of their products, as if their lengths were 1 */
    ap_lanes way[2]; /* how far along each free axis v's point is from its beginning: 0 .. 2h inside the face */
    ap_lanes3 v;
    ap_lanes slope[AP_BOX_AXES]; /* v . e_k */
    ap_lanes square;             /* |v|^2 */
} ap_box_step;

/* The axis with this number, from `least` to `most`, in each lane and its length; 0 and 2 where there is none. */
AP_INLINE ap_lanes3 ap_box_select_axis(const ap_box_lanes *box, ap_mask number, int least, int most, ap_lanes *length)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    ap_lanes3 g = {zero, zero, zero};
    ap_lanes half = ap_lanes_all(1.0);
    for (int k = least; k <= most; k++) {
        const ap_mask here = number == ap_mask_all(k);
        g.x = ap_lanes_select(g.x, box->axis[k].x, here);
        g.y = ap_lanes_select(g.y, box->axis[k].y, here);
        g.z = ap_lanes_select(g.z, box->axis[k].z, here);
        half = ap_lanes_select(half, box->half[k], here);
    }
    *length = half + half;
    return g;
}

/* t_k of the features: +h_k where it is away, else -h_k. */
AP_INLINE ap_lanes ap_box_end(const ap_box_lanes *box, ap_mask feature, unsigned k)
{
    return ap_lanes_with_sign(box->half[k], (ap_lanes)(~feature << (int)(63u - k)));
}

/* By free axes: which bits of a cache's flags tell whether there is a feature; all but AP_BOX_HAS_FEATURE must be 0. */
extern const uint16_t ap_box_flags_mask[64];

/* Is there a feature in the flags of a box pair's cache? It is their low bits. */
AP_INLINE bool ap_box_has_feature(uint32_t flags)
{
    return (flags & ap_box_flags_mask[flags >> AP_BOX_FIRST_BIT & 63u]) == AP_BOX_HAS_FEATURE;
}

/* ap_box_job_start for what is usual in a tracked pair without a call. */
AP_INLINE bool ap_box_start(ap_lane_job *job)
{
    const apart_cache *cache = job->cache;
    if (cache != NULL && cache->tag == ap_box_tag() && ap_box_has_feature(cache->flags)) {
        job->state = (int64_t)(cache->flags & AP_BOX_FEATURE_BITS) | AP_BOX_FIRST_STEP;
        return true;
    }
    return ap_box_job_start(job);
}

/* The features to look at after a step, and *found: the lanes that have one. In the others nothing better is known, or
 * the boxes overlap. lanes: those that are asked for, by bits. */
ap_mask ap_box_next_features(const ap_box_lanes *box, const ap_box_step *step, unsigned lanes, ap_mask *found);

#endif
