/* The distance of curved bodies: Newton's method inside the loop of GJK. */
#ifndef AP_KERNELS_CURVED_H
#define AP_KERNELS_CURVED_H

#include "../gjk/gjk.h"

/* Cylinders, cones and ellipsoids. */
AP_INLINE bool ap_is_curved(int kind)
{
    return kind == APART_SHAPE_CYLINDER || kind == APART_SHAPE_CONE || kind == APART_SHAPE_ELLIPSOID;
}

/* A is curved. Starts from *direction; cut-off and tolerance are those of the general loop. Returns false if the bounds
 * did not meet; *direction is then the one with the largest lower bound. */
bool ap_curved_run(ap_gjk *g, ap_pair *pair, const ap_gjk_options *options, apart_vec3 *direction);

#endif
