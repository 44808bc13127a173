/* What a mesh is: counts of its edges and components, volume and area (apart_mesh_report). */
#ifndef AP_TOPOLOGY_REPORT_H
#define AP_TOPOLOGY_REPORT_H

#include <apart/mesh.h>

/* Fills the report of a mesh of distinct positions. The allocator is for temporary memory. APART_ERR_MEMORY. */
apart_status ap_mesh_report_make(const apart_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3],
                                 uint32_t triangle_count, const apart_allocator *allocator, apart_mesh_report *report);

#endif
