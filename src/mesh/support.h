/* How far a mesh reaches along a direction. */
#ifndef AP_MESH_SUPPORT_H
#define AP_MESH_SUPPORT_H

#include "block.h"

/* The largest product of a direction of the mesh's own frame with a vertex relative to the mesh's centre, to within the
 * rounding of that product. */
double ap_mesh_support_value(const apart_mesh *mesh, apart_vec3 direction);

#endif
