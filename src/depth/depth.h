/* Penetration depth: how far the origin is inside the Minkowski difference (Cameron 1997 section 5). */
#ifndef AP_DEPTH_DEPTH_H
#define AP_DEPTH_DEPTH_H

#include <apart/penetration.h>

#include "../gjk/gjk.h"

/* What is known about the depth of the cores, scaled. The witness simplex has 1..3 vertices (2D: 1..2). */
typedef struct ap_depth {
    ap_simplex simplex; /* the feature of the Minkowski difference that is closest to the origin, with lambdas */
    apart_vec3 normal;  /* unit, from A to B */
    double depth;       /* >= 0 */
    double least, most; /* least <= depth <= most before rounding; least = 0 when not even an overlap is certain */
    bool enclosed;      /* the origin is certainly inside the Minkowski difference */
    apart_stop stop;
} ap_depth;

/* From the last state of GJK (AP_ENCLOSED or AP_CONTACT) to the depth. kind: apart_depth. GJK may be run again from
 * another direction. cache: a workspace for the polytope, which is kept there, or NULL. */
void ap_depth_find(ap_depth *depth, ap_pair *pair, ap_gjk *g, apart_depth_cache *cache, int kind, apart_trace *trace);

/* The depth from the polytope that proved the last one, without GJK. False: it proves nothing at these poses. */
bool ap_depth_track(ap_depth *depth, ap_pair *pair, apart_depth_cache *cache, int kind, apart_trace *trace);

#endif
