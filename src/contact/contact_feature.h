/* The feature of a body that is extreme along a contact normal, projected along it.
 *
 * A contact has one frame for both bodies: its origin is halfway between the witness points, two axes x and y are
 * perpendicular to the normal, heights are along the normal (from A to B), and all lengths are multiplied by a
 * power of two that brings the pair to unit size. A feature is a vertex, an edge or a face of at most
 * AP_FEATURE_POINTS corners; its height over a point (x, y) is that of its point, line or plane. Half-spaces are
 * faces without corners. */
#ifndef AP_CONTACT_CONTACT_FEATURE_H
#define AP_CONTACT_CONTACT_FEATURE_H

#include <apart/contact.h>

#include "../math/vec.h"

enum { AP_FEATURE_POINTS = 32 };

typedef struct ap_contact_frame {
    apart_vec3 origin; /* world */
    apart_vec3 x, y;   /* unit, world frame, perpendicular to the normal; of 2D shapes y is the z axis */
    apart_vec3 normal; /* unit, from A to B */
    double scale;      /* a power of two */
} ap_contact_frame;

/* The feature of the shape that a point is on. `sub` distinguishes points on one feature: the corners of a cap. */
typedef struct ap_feature_name {
    uint8_t kind; /* apart_feature_kind */
    uint8_t sub;
    uint32_t number;
} ap_feature_name;

/* A point in the frame of the contact. */
typedef struct ap_frame_point {
    double x, y, height;
} ap_frame_point;

typedef struct ap_contact_feature {
    const apart_shape *shape;                /* innermost shape of an affine image: the feature's numbers are its */
    uint32_t count;                          /* of corners; 1: vertex, 2: edge, 0: face of a half-space */
    ap_frame_point at[AP_FEATURE_POINTS];    /* the corners, counter-clockwise seen against the normal */
    ap_feature_name name[AP_FEATURE_POINTS]; /* of the corners */
    ap_feature_name whole;                   /* of the face, the edge or the vertex */
    ap_frame_point base;                     /* a point of the plane, and its slopes */
    double slope_x, slope_y;
} ap_contact_feature;

/* Finds the feature of the shape's core that is extreme in the direction `out` (out of the body; world, unit: the
 * frame's normal or its opposite). Where the shape has no known feature, the point `witness` (world, on the core)
 * takes its place. */
void ap_feature_find(const apart_shape *shape, const apart_pose *pose, apart_vec3 out, apart_vec3 witness,
                     const ap_contact_frame *frame, ap_contact_feature *feature);

/* The height of the feature's point, line or plane over (x, y). */
double ap_feature_height(const ap_contact_feature *feature, double x, double y);

/* The name of the side from corner i to the next. */
ap_feature_name ap_feature_side(const ap_contact_feature *feature, uint32_t i);

#endif
