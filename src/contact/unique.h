/* Are the witness points of a distance the only ones? */
#ifndef AP_CONTACT_UNIQUE_H
#define AP_CONTACT_UNIQUE_H

#include <apart/distance.h>

#include <stdbool.h>

/* A body, its witness point, and the direction towards the other body there (world frame). */
typedef struct ap_witness {
    const apart_shape *shape;
    const apart_pose *pose;
    apart_vec3 point, out;
} ap_witness;

/* In the plane across the normal, in axes t and u. */
typedef struct ap_fan_direction {
    double x, y;
} ap_fan_direction;

enum { AP_FAN_TILTS = 16 };

/* The directions, seen along the normal, in which the face that holds a witness point goes on from it. */
typedef struct ap_fan {
    ap_fan_direction rays[AP_FAN_TILTS];
    size_t count;
} ap_fan;

ap_fan ap_fan_make(const ap_witness *w, apart_vec3 t, apart_vec3 u);

/* Is the direction one of the fan's rays or between two of them (less than half a turn apart)? */
bool ap_fan_holds(const ap_fan *f, ap_fan_direction d);

/* Both have the same normal, in opposite directions. Only faces are looked at: where bodies overlap, other normals with
 * the same depth are not noticed. */
bool ap_witnesses_are_unique(const ap_witness *a, const ap_witness *b);

#endif
