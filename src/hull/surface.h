/* What the builders hand to the assembler: vertices, faces, and the polygons whose edges a climb may use. */
#ifndef AP_HULL_SURFACE_H
#define AP_HULL_SURFACE_H

#include "quickhull.h"

/* Polygon f: vertex[start[f]] .. vertex[start[f + 1] - 1], counter-clockwise from outside. */
typedef struct ap_polygons {
    uint32_t count;
    uint32_t *start, *vertex;
} ap_polygons;

/* Vertices are numbered 0 .. vertex_count-1 in ascending order of the caller's indices; the polygons use these numbers. */
typedef struct ap_surface {
    const ap_cloud *cloud;
    uint32_t dimension;
    uint32_t vertex_count;
    uint32_t *vertex; /* the cloud's point */
    ap_polygons faces; /* coplanar neighbours merged; a flat hull has two */
    ap_polygons climb; /* the same, except that a face which is flat only to rounding stays in triangles */
    double dropped;    /* every point of the cloud is within this distance of the hull, in working units */
} ap_surface;

/* Room for a surface; false: no memory. Free it in any case. */
bool ap_surface_allocate(ap_surface *surface, const ap_cloud *cloud, uint32_t vertices, uint32_t polygons, uint32_t corners);
void ap_surface_free(ap_surface *surface);

static inline apart_vec3 ap_surface_point(const ap_surface *s, uint32_t vertex) { return s->cloud->point[s->vertex[vertex]]; }

/* Removes vertices within `tolerance` of the hull of the others until none is left, given the points in use that made the mesh.
 * *removed: no removed vertex is farther than this from the body that remains. */
apart_status ap_mesh_clean(ap_mesh *mesh, uint8_t *use, double tolerance, double *removed);

/* Vertices and merged faces of a clean mesh. */
apart_status ap_mesh_merge(const ap_mesh *mesh, ap_surface *surface);

/* Hulls of dimension 0, 1 and 2. APART_ERR_HULL_BUILDER when a point would be farther than `limit` from the result. */
apart_status ap_flat_surface(const ap_cloud *cloud, int dimension, const uint32_t basis[4], double limit, ap_surface *surface);

/* How far a polygon is from being flat: the largest distance of a vertex from the plane of a corner's two edges over its distance from
 * that corner. 0 if it is exactly flat; INFINITY for a polygon of more than 64 corners that is not. */
double ap_polygon_warp(const ap_surface *surface, const uint32_t *polygon, uint32_t corners);

/* For each vertex v a list of others, ascending: ring[start[v]] .. ring[start[v + 1] - 1]. */
typedef struct ap_rings {
    uint32_t *start, *ring;
} ap_rings;

/* The vertices that a climb compares at each vertex: the neighbours in surface->climb, and some beyond obtuse corners. *loss: what a
 * climb can miss, in units of eps * bound * |direction|; INFINITY when it may be caught at a flat vertex. The caller releases the rings'
 * parts in any case. */
apart_status ap_climb_graph(const ap_surface *surface, ap_rings *rings, double *loss);

#endif
