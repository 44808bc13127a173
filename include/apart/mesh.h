/** @file
 * apart/mesh.h: triangle meshes as they are, convex or not, in one immutable relocatable block.
 *
 * A mesh is built once, in one call, from vertices and triangle indices, and may be shared between threads. Like a
 * hull it is one block of memory with fixed-width fields and offsets: it may be copied with memcpy, written to a file
 * and mapped back with apart_mesh_view. Files are little-endian; where the machine is not, apart_mesh_convert turns a
 * copy round.
 *
 *     apart_vertices vertices = {.data = xyz, .count = n};                 // packed doubles; stride and floats on request
 *     apart_mesh *part = NULL;
 *     apart_status st = apart_mesh_build(&vertices, triangles, triangle_count, NULL, &part);
 *     apart_solid a = apart_solid_surface(part), b = apart_solid_surface(other);
 *     apart_compound_result r;                                             // part_a, part_b: the numbers of the triangles
 *     apart_compound_distance(a, &pose_a, b, &pose_b, NULL, NULL, &r);
 *     apart_mesh_free(part);
 *
 * A mesh stands for one of two things, and the caller says which. As a *surface* it is the set of its triangles: the
 * distance is never below zero, and a body that floats inside it does not touch it. As a *solid* it is what its
 * triangles enclose: a body inside it overlaps it. Only a watertight mesh can be a solid.
 * Nothing is repaired: what is unusual about a mesh is counted in its report.
 * Read next: apart/compound.h (the queries), docs/meshes.md.
 */
#ifndef APART_MESH_H
#define APART_MESH_H

#include "math.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A triangle mesh with its tree of bounding volumes: opaque, immutable. */
typedef struct apart_mesh apart_mesh;

/** Options of the builder. All bytes zero: the defaults. */
typedef struct apart_mesh_options {
    apart_allocator allocator; /**< for the mesh and for temporary memory of the builder */
    uint32_t threads;          /**< 0 or 1: the caller's thread only. The block has the same bits for any number */
} apart_mesh_options;

/** What a mesh is. Vertices of equal coordinates count as one vertex; an edge belongs to the triangles that have both
 *  its ends. Triangles without area have no part in edges and components. */
typedef struct apart_mesh_report {
    uint32_t triangles;     /**< as given */
    uint32_t vertices;      /**< distinct positions that a triangle uses */
    uint32_t components;    /**< sets of triangles that are connected by shared edges */
    uint32_t degenerate;    /**< triangles without area: corners that coincide or lie on one line, decided exactly */
    uint32_t open_edges;    /**< edges of a single triangle */
    uint32_t crowded_edges; /**< edges of more than two triangles */
    uint32_t turned_edges;  /**< edges of two triangles that run through it in the same direction */
    uint8_t watertight;     /**< 1: some triangle has an area, no edge is open, and every crowded one has as many
                             *   triangles in either direction */
    uint8_t oriented;       /**< 1: watertight, without turned edges, and each component's normals point outwards: it
                             *   encloses a volume above 0, or one below 0 that lies inside others (a cavity, whose
                             *   normals point into it) */
    double volume;          /**< enclosed, by the divergence theorem; negative if inside out; 0 unless watertight and
                             *   without turned edges */
    double area;            /**< of all triangles */
} apart_mesh_report;

/** Builds a mesh of `triangle_count` triangles, three vertex indices each, counter-clockwise seen from outside if it
 *  is to be a solid. Everything is copied; the result is owned by the caller: apart_mesh_free. options may be NULL.
 *  Cost: O(n log n). APART_ERR_NULL, APART_ERR_EMPTY (no triangle), APART_ERR_ID (an index that names no vertex),
 *  APART_ERR_NONFINITE, APART_ERR_OVERFLOW (coordinates above 2^1000), APART_ERR_SIZE (2^28 triangles or more),
 *  APART_ERR_OPTION, APART_ERR_MEMORY. */
APART_API apart_status apart_mesh_build(const apart_vertices *vertices, const uint32_t *triangles,
                                        size_t triangle_count, const apart_mesh_options *options, apart_mesh **out);

/** Frees a mesh that apart_mesh_build made; NULL is allowed. Not for views. */
APART_API void apart_mesh_free(apart_mesh *mesh);

/** Checks a foreign block (8-byte aligned, `size` bytes) and returns it as a mesh inside that memory, or
 *  APART_ERR_BLOCK. Every index and every bounding volume is checked: O(n log n). */
APART_API apart_status apart_mesh_view(const void *memory, size_t size, const apart_mesh **out);

/** Converts a block in place between the byte order of this machine and that of files, which is little-endian. On
 *  little-endian machines, which are nearly all, it changes nothing. For copies (`apart_mesh_size` bytes, 8-byte
 *  aligned), not for a mesh in use. APART_ERR_NULL; APART_ERR_BLOCK if it is not a mesh in either order. */
APART_API apart_status apart_mesh_convert(void *memory, size_t size);

/** The size of the whole block in bytes: memcpy(copy, mesh, apart_mesh_size(mesh)) is again a mesh. */
APART_API size_t apart_mesh_size(const apart_mesh *mesh);

/** What the mesh is; it lives as long as the mesh. */
APART_API const apart_mesh_report *apart_mesh_inspect(const apart_mesh *mesh);

/** A vertex, one of the report's distinct positions, exactly as the caller gave it. */
APART_API apart_vec3 apart_mesh_vertex(const apart_mesh *mesh, uint32_t vertex);

/** The three vertices of a triangle, in the caller's order; triangles have the caller's numbers. */
APART_API void apart_mesh_triangle(const apart_mesh *mesh, uint32_t triangle, uint32_t corners[3]);

/** Whether two triangles that share no vertex have a common point, or two that share one or two vertices meet
 *  elsewhere, decided exactly; two that share all three coincide, which counts too. Triangles without area are passed
 *  over. pair, if not NULL, gets the first such pair of triangles that was found, the lower number first. Cost: that of
 *  a few queries for each triangle; nothing is allocated. APART_ERR_NULL. */
APART_API apart_status apart_mesh_self_intersection(const apart_mesh *mesh, int *intersecting, uint32_t pair[2]);

/** Where a point lies: 1 inside the solid, 0 on its surface, -1 outside, decided exactly for a point given in the
 *  mesh's own frame. Inside is what the mesh winds about, in either sense: solids that overlap are one, a cavity whose
 *  normals point into it is outside. Where the report counts turned edges, an odd number of crossings is inside.
 *  APART_ERR_NULL, APART_ERR_NONFINITE, APART_ERR_NOT_WATERTIGHT. */
APART_API apart_status apart_mesh_contains(const apart_mesh *mesh, apart_vec3 point, int *side);

#ifdef __cplusplus
}
#endif
#endif
