/* One vertex of each island, a set of triangles that are connected by vertices: a body that no surface cuts lies inside
 * another, or outside of it, island by island. */
#include "build.h"

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

uint32_t ap_mesh_islands(const ap_mesh_points *points, uint32_t *parent)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < points->vertex_count; i++) {
        parent[i] = i;
    }
    for (uint32_t t = 0; t < points->triangle_count; t++) {
        for (int k = 1; k < 3; k++) {
            const uint32_t a = root_of(parent, points->triangles[t][0]), b = root_of(parent, points->triangles[t][k]);
            parent[a > b ? a : b] = a < b ? a : b;
        }
    }
    /* Roots are the lowest of their island, so they move to the front in place. */
    for (uint32_t i = 0; i < points->vertex_count; i++) {
        if (parent[i] == i) {
            parent[count++] = i;
        }
    }
    return count;
}
