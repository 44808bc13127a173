/* Where a ray meets the triangles of a mesh, or enters the solid that they enclose. */
#ifndef AP_COMPOUND_MESH_RAY_H
#define AP_COMPOUND_MESH_RAY_H

#include <apart/compound.h>
#include <stdbool.h>

/* The ray and the pose have been checked. As for other bodies: a start inside a solid, or within rounding of it, is a
 * hit at 0. The part is the triangle's number; 0 for a miss. */
apart_status ap_mesh_raycast(const apart_ray *ray, const apart_mesh *mesh, bool surface, const apart_pose *pose,
                             apart_ray_hit *hit, uint32_t *part);

#endif
