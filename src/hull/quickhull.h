/* A triangulated convex surface that grows point by point, with exact visibility. */
#ifndef AP_HULL_MESH_H
#define AP_HULL_MESH_H

#include "../base/memory.h"
#include "predicate.h"

#define AP_NONE UINT32_MAX

/* How a builder wants a point treated. */
enum {
    AP_POINT_SKIP = 0, /* not part of the set */
    AP_POINT_USE = 1,
    AP_POINT_FIRST = 2 /* tried before others: probably a vertex */
};

/* Distinct points in working coordinates, and what the caller calls them. */
typedef struct ap_cloud {
    const apart_allocator *allocator;
    uint32_t count;
    apart_vec3 *point;
    uint32_t *input;  /* the caller's lowest index, ascending */
    double size;      /* half the diagonal of the bounding box */
    double scale;     /* working = scale * (caller's - center), rounded to AP_GRID */
    apart_vec3 center;
    bool moved;       /* that rounding to the grid was not exact */
} ap_cloud;

typedef struct ap_facet {
    uint32_t vertex[3]; /* counter-clockwise from outside */
    uint32_t across[3]; /* the facet on the other side of the edge from vertex[k] to vertex[(k + 1) % 3] */
    uint32_t outside;   /* first of the points that wait above this facet, AP_NONE */
    uint32_t stamp;     /* the last visit, AP_NONE when the facet is gone */
    apart_vec3 normal;  /* unit */
} ap_facet;

typedef struct ap_mesh {
    const ap_cloud *cloud;
    ap_facet *facet;
    uint32_t facet_count, capacity;
    uint32_t *visible;       /* scratch: facets seen from the point at hand */
    uint32_t visible_count;
    uint32_t *next;          /* per point: the list it waits in */
    uint32_t *fan;           /* per point: the new facet whose first vertex it is */
    uint32_t stamp;
    double near;             /* every point left out is within this distance of the surface */
} ap_mesh;

/* Four points that span the set, farthest first, and how many dimensions it has (thickness above `tolerance` counts). basis[dimension + 1]
 * and further ones are the best of what is left. */
int ap_affine_basis(const ap_cloud *cloud, const uint8_t *use, double tolerance, uint32_t basis[4]);

/* The hull of the points in use. Points within `tolerance` of it may be left out. APART_ERR_MEMORY; APART_ERR_HULL_BUILDER for a flat set.
 * Free the mesh in any case. */
apart_status ap_mesh_build(ap_mesh *mesh, const ap_cloud *cloud, const uint8_t *use, double tolerance);
void ap_mesh_free(ap_mesh *mesh);

/* The distance of a point from the body (0 inside). O(facets). */
double ap_mesh_distance(const ap_mesh *mesh, apart_vec3 p);

/* A place at a vertex: facet f, whose vertex[k] is it. One step counter-clockwise or the other way, always the same, around the vertex. */
typedef struct ap_corner {
    uint32_t facet, k;
} ap_corner;

ap_corner ap_mesh_turn(const ap_mesh *mesh, ap_corner at);

#endif
