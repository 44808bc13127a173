/* What the cache of two boxes holds besides the simplex. Its flags hold either the nearest feature of the Minkowski
 * difference (lanes/box_feature.h) or the axis that decided the overlap (box_depth.c). */
#ifndef AP_KERNELS_BOX_CACHE_H
#define AP_KERNELS_BOX_CACHE_H

#include "../pair/pair.h"

#define AP_BOX_HAS_FEATURE 0x8000u
#define AP_BOX_OVERLAPPED 0x4000u
#define AP_BOX_AXIS_BITS 0x1fu
#define AP_BOX_DIRECTIONS 20u /* axis numbers; every fourth one is unused */

/* The tag of caches of two boxes. */
AP_INLINE uint32_t ap_box_tag(void) { return ap_cache_tag(APART_SHAPE_BOX, APART_SHAPE_BOX, 3, 8, 8); }

/* Did the boxes of this cache overlap when it was written? */
AP_INLINE bool ap_box_overlapped(const apart_cache *cache)
{
    return cache->tag == ap_box_tag() && (cache->flags & (AP_BOX_OVERLAPPED | AP_BOX_HAS_FEATURE)) == AP_BOX_OVERLAPPED;
}

#endif
