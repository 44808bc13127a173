/* Whether a point lies in what a closed mesh encloses, for the check: a ray through all triangles, with signs in
 * double-double arithmetic. Shares nothing with apart_mesh_contains. */
#ifndef AP_VERIFY_WINDING_H
#define AP_VERIFY_WINDING_H

#include <apart/mesh.h>

#include "body.h"

/* 1 inside, -1 outside, 0: not known, the point is too near to a triangle. The point is one of the frame of the origin
 * and the scale, in which the pair has about the size 1. */
int ap_verify_side_of_mesh(const apart_mesh *mesh, const apart_pose *pose, apart_vec3 origin, double scale,
                           ap_dd3 point);

#endif
