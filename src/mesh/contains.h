/* Is a point inside a closed mesh? */
#ifndef AP_MESH_CONTAINS_H
#define AP_MESH_CONTAINS_H

#include "block.h"

/* 1 inside, 0 on a triangle, -1 outside, exactly; the mesh is watertight and the point finite. Inside is what the mesh
 * winds about; where it has turned edges, what an odd number of triangles separates from far away. */
int ap_mesh_side(const apart_mesh *mesh, apart_vec3 point);

#endif
