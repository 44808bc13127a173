/* Distances in closed form: spheres, capsules, and a sphere with a box. */
#ifndef AP_NARROW_CLOSED_FORM_H
#define AP_NARROW_CLOSED_FORM_H

#include "pair.h"

/* The answer, if both cores are points or segments, or a point and a box, and the formula proves itself. False: nothing was written;
 * the general query answers, also where something is wrong with the input. */
bool ap_closed_form(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b, apart_result *result);

#endif
