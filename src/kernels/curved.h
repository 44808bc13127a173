/* The distance of curved bodies: Newton's method inside the loop of GJK. */
#ifndef AP_KERNELS_CURVED_H
#define AP_KERNELS_CURVED_H

#include "../gjk/gjk.h"

/* Cylinders, cones and ellipsoids. */
AP_INLINE bool ap_is_curved(int kind)
{
    return kind == APART_SHAPE_CYLINDER || kind == APART_SHAPE_CONE || kind == APART_SHAPE_ELLIPSOID;
}

/* A is curved. Runs from *direction; cut-off and tolerance as in the general loop. False: the bounds have not met, and
 * *direction is the best that was seen. */
bool ap_curved_run(ap_gjk *g, ap_pair *pair, const ap_gjk_options *options, apart_vec3 *direction);

#endif
