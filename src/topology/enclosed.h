/* What the components of a closed mesh enclose: volumes, and whether their normals point outwards. */
#ifndef AP_TOPOLOGY_ENCLOSED_H
#define AP_TOPOLOGY_ENCLOSED_H

#include <apart/mesh.h>

/* The triangles of a mesh, by component: those of component c are order[start[c]] .. order[start[c + 1] - 1]. */
typedef struct ap_mesh_components {
    const apart_vec3 *vertices;
    const uint32_t (*triangles)[3];
    const uint32_t *order, *start;
    uint32_t count;
    apart_aabb box; /* of all vertices of the triangles */
} ap_mesh_components;

/* The volume of components whose triangles run through every edge as often in one direction as in the other; oriented:
 * 1 if the normals of each point outwards. That is: its volume is above zero, or below zero and it is a cavity, which
 * lies inside the others (their winding number around it is above zero). APART_ERR_MEMORY. */
apart_status ap_mesh_enclosed(const ap_mesh_components *components, const apart_allocator *allocator, double *volume,
                              uint8_t *oriented);

#endif
