/* The penetration depth of two boxes from their fifteen separating axes. */
#ifndef AP_KERNELS_BOX_DEPTH_H
#define AP_KERNELS_BOX_DEPTH_H

#include "../depth/depth.h"

/* The least support value of the Minkowski difference over the normals of its faces, and that normal. A positive value
 * is the boxes' depth; otherwise the normal separates the boxes, or comes closest to it. */
typedef struct ap_box_least {
    apart_vec3 normal; /* unit, from A to B */
    double value;      /* scaled */
} ap_box_least;

/* Both cores are 3D boxes. Returns true if the overlap is proved and the witness points were found: result and cache
 * (which may be NULL) are then written. Otherwise sets *least for ap_box_depth_witness. */
bool ap_box_depth_answer(const ap_pair *pair, apart_cache *cache, apart_result *result, ap_box_least *least);

ap_box_least ap_box_depth_least(const ap_pair *pair);

/* Computes depth and witness points from *least, for any kind of face. Returns false if overlap is not proved. */
bool ap_box_depth_witness(ap_depth *depth, ap_pair *pair, const ap_box_least *least);

#endif
