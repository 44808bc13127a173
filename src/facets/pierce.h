/* Do triangles pierce each other? Eight pairs at a time, in floats, and only what is certain. */
#ifndef AP_FACETS_PIERCE_H
#define AP_FACETS_PIERCE_H

#include "../simd/floats.h"

/* Eight triangles. */
typedef struct ap_facet_corners {
    ap_floats3 p[3];
} ap_facet_corners;

/* Bits of lanes. */
typedef struct ap_facet_pierced {
    unsigned certain;   /* they have a point in common */
    unsigned separated; /* the plane of one has all of the other on one side */
} ap_facet_pierced;

/* error: corners are off by less, one body as against the other. */
ap_facet_pierced ap_facet_pierce(const ap_facet_corners *a, const ap_facet_corners *b, float error);

#endif
