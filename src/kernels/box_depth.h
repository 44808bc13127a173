/* Two overlapping boxes: the fifteen axes. */
#ifndef AP_KERNELS_BOX_DEPTH_H
#define AP_KERNELS_BOX_DEPTH_H

#include "../depth/depth.h"

/* The least support value of the Minkowski difference over the normals of its faces, and where it is: the boxes' depth
 * if it is positive; else the normal separates them, or comes closest to that. */
typedef struct ap_box_least {
    apart_vec3 normal; /* unit, from A to B */
    double value;      /* scaled */
} ap_box_least;

/* Both cores are boxes in space. True: they overlap clearly, and result and cache (which may be NULL) are written.
 * False: they do not, or there is more to find out about them; *least is then what is known. */
bool ap_box_depth_answer(const ap_pair *pair, apart_cache *cache, apart_result *result, ap_box_least *least);

ap_box_least ap_box_depth_least(const ap_pair *pair);

/* The depth from that, whatever face it is at. False: the boxes do not overlap clearly. */
bool ap_box_depth_witness(ap_depth *depth, ap_pair *pair, const ap_box_least *least);

#endif
