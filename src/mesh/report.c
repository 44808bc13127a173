/* What a mesh is. */
#include "report.h"

apart_status ap_mesh_report_make(const apart_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3],
                                 uint32_t triangle_count, const apart_allocator *allocator, apart_mesh_report *report)
{
    (void)vertices;
    (void)triangles;
    (void)allocator;
    *report = (apart_mesh_report){.triangles = triangle_count, .vertices = vertex_count};
    return APART_OK;
}
