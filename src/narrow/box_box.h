/* Two overlapping boxes: the fifteen axes. */
#ifndef AP_NARROW_BOX_BOX_H
#define AP_NARROW_BOX_BOX_H

#include "depth.h"

/* Both cores are boxes (3D). True: they overlap clearly, and the depth is filled in. False: they do not, or are too flat to tell;
 * *separating is then the direction from A to B that comes closest to separating them, or 0. */
bool ap_box_box_depth(ap_depth *depth, ap_pair *pair, apart_vec3 *separating);

#endif
