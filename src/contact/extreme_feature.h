/* The face, edge or vertex of a shape that is extreme in a direction, in the shape's own frame: extreme_feature.c
 * finds it, and contact_feature.c projects it along the contact normal. */
#ifndef AP_CONTACT_EXTREME_FEATURE_H
#define AP_CONTACT_EXTREME_FEATURE_H

#include "contact_feature.h"

typedef struct ap_extreme_feature {
    const apart_shape *shape;            /* innermost shape of an affine image */
    uint32_t count;                      /* of corners; 0: no known feature */
    bool unbounded;                      /* the face of a half-space, through point[0] */
    apart_vec3 point[AP_FEATURE_POINTS]; /* in the shape's frame */
    ap_feature_name name[AP_FEATURE_POINTS];
    ap_feature_name whole;
    apart_vec3 face_normal; /* of three or more corners; any length, either sign */
} ap_extreme_feature;

/* Finds the feature of the core that is extreme in direction d != 0 (shape's frame, largest component about 1). */
void ap_extreme_feature_find(const apart_shape *shape, apart_vec3 d, ap_extreme_feature *out);

#endif
