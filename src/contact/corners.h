/* A feature in a body's own frame, before it is seen along the normal: what gather.c fills and feature.c projects. */
#ifndef AP_CONTACT_CORNERS_H
#define AP_CONTACT_CORNERS_H

#include "feature.h"

typedef struct ap_corners {
    const apart_shape *shape; /* the leaf */
    uint32_t count;           /* 0: none known */
    bool endless;             /* a half-space's face through point[0] */
    apart_vec3 point[AP_FEATURE_POINTS]; /* in the shape's frame */
    ap_feature_name name[AP_FEATURE_POINTS];
    ap_feature_name whole;
    apart_vec3 face_normal; /* of three or more corners, any length, either sense */
} ap_corners;

/* The feature of the core that is extreme in direction d != 0 (shape's frame, largest component about 1). */
void ap_corners_gather(const apart_shape *shape, apart_vec3 d, ap_corners *out);

#endif
