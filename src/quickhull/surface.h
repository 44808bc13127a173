/* The surface of a finished hull, between the builders (quickhull.h, low_dimension.c) and the block (write_block.c):
 * vertices, faces, and the polygons whose edges hill climbing uses. */
#ifndef AP_QUICKHULL_SURFACE_H
#define AP_QUICKHULL_SURFACE_H

#include "quickhull.h"

/* Polygon f: vertex[start[f]] .. vertex[start[f + 1] - 1], counter-clockwise from outside. */
typedef struct ap_polygons {
    uint32_t count;
    uint32_t *start, *vertex;
} ap_polygons;

/* Vertices are numbered 0 .. vertex_count-1 in ascending order of the caller's indices; the polygons use these
 * numbers. */
typedef struct ap_surface {
    const ap_cloud *cloud;
    uint32_t dimension;
    uint32_t vertex_count;
    uint32_t *vertex;  /* number of each vertex in the cloud */
    ap_polygons faces; /* coplanar neighbours merged; a flat hull has two */
    ap_polygons climb; /* the same, except that a face that is flat only to rounding is left as triangles */
    double dropped;    /* every point of the cloud is within this distance of the hull, in working units */
} ap_surface;

/* Allocates the arrays of a surface; false: there is no memory. The surface must be freed in any case. */
bool ap_surface_allocate(ap_surface *surface, const ap_cloud *cloud, uint32_t vertices, uint32_t polygons,
                         uint32_t corners);
void ap_surface_free(ap_surface *surface);

static inline apart_vec3 ap_surface_point(const ap_surface *s, uint32_t vertex)
{
    return s->cloud->point[s->vertex[vertex]];
}

/* Removes vertices that are within `tolerance` of the hull of the others until there are none; `use` says which points
 * made the mesh. *removed: no removed vertex is farther than this from the remaining body. */
apart_status ap_mesh_remove_flat_vertices(ap_mesh *mesh, uint8_t *use, double tolerance, double *removed);

/* The surface with the vertices and the merged faces of a mesh whose vertices are strictly extreme. */
apart_status ap_mesh_merge_faces(const ap_mesh *mesh, ap_surface *surface);

/* The surface of a hull of dimension 0, 1 or 2. APART_ERR_HULL_BUILDER if a point is farther than `limit` from it. */
apart_status ap_low_dimension_surface(const ap_cloud *cloud, int dimension, const uint32_t basis[4], double limit,
                                      ap_surface *surface);

/* Do all corners of a polygon lie exactly in one plane? */
bool ap_polygon_is_flat(const ap_surface *surface, const uint32_t *polygon, uint32_t corners);

/* How far a polygon is from being flat: the largest distance of a vertex from the plane of a corner's two edges over
 * its distance from that corner. 0 if it is exactly flat; INFINITY for a polygon of more than 64 corners that is
 * not. */
double ap_polygon_warp(const ap_surface *surface, const uint32_t *polygon, uint32_t corners);

/* For each vertex v a list of others, ascending: ring[start[v]] .. ring[start[v + 1] - 1]. */
typedef struct ap_rings {
    uint32_t *start, *ring;
} ap_rings;

/* The neighbours of each vertex along the edges of the polygons, or of a segment. The caller releases both arrays in any
 * case. */
apart_status ap_edge_rings(const ap_surface *surface, const ap_polygons *polygons, ap_rings *rings);

/* The vertices that hill climbing compares at each vertex: its neighbours in surface->climb, and some beyond obtuse
 * corners. *loss: what a climb can miss, in units of eps * bound * |direction|; INFINITY if it may end at a flat vertex
 * that is not the support vertex. The caller releases both arrays of the rings in any case. */
apart_status ap_climb_graph(const ap_surface *surface, ap_rings *rings, double *loss);

#endif
