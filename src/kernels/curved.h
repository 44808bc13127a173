/* The distance of curved bodies: Newton's method inside the loop of GJK. */
#ifndef AP_KERNELS_CURVED_H
#define AP_KERNELS_CURVED_H

#include "../gjk/gjk.h"

/* Cylinders, cones and ellipsoids. */
AP_INLINE bool ap_is_curved(int kind)
{
    return kind == APART_SHAPE_CYLINDER || kind == APART_SHAPE_CONE || kind == APART_SHAPE_ELLIPSOID;
}

/* Where a run starts, and after it where the next one of the pair should start. */
typedef struct ap_curved_start {
    apart_vec3 direction;
    int count; /* of pairs of features that were nearest */
    uint32_t index_a[3], index_b[3];
} ap_curved_start;

/* A is curved. Cut-off and tolerance are those of the general loop. Returns false if the bounds did not meet;
 * start->direction is then the one with the largest lower bound. */
bool ap_curved_run(ap_gjk *g, ap_pair *pair, const ap_gjk_options *options, ap_curved_start *start);

/* Reads the features that a cache keeps, and keeps those of a run. */
void ap_curved_read(ap_curved_start *start, const ap_pair *pair, const apart_cache *cache);
void ap_curved_keep(const ap_curved_start *start, apart_cache *cache);

#endif
