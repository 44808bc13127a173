/** @file
 * apart/hull.h: immutable convex hulls with adjacency, in one relocatable block.
 *
 * A hull is built once and may be shared between threads. It is one block of memory with
 * fixed-width fields and offsets: it may be copied with memcpy, written to a file and mapped
 * back with apart_hull_view. Files are little-endian; where the machine is not,
 * apart_hull_convert turns a copy round before it is written and after it was read.
 *
 *     apart_hull *rock = NULL;
 *     apart_status st = apart_hull_build(xyz, n, NULL, &rock);
 *     apart_shape shape = apart_hull_shape(rock);
 *     ...
 *     apart_hull_free(rock);
 *
 * Flat, collinear, single-point and duplicate input is legal and gives a hull of lower dimension.
 * Indices: "vertex" counts the hull's own strictly extreme vertices, "input" the caller's points.
 * Read next: apart/distance.h.
 */
#ifndef APART_HULL_H
#define APART_HULL_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of the builders. All bytes zero: the defaults. */
typedef struct apart_hull_options {
    apart_allocator allocator; /**< for the hull and for temporary memory of the builder */
} apart_hull_options;

/** Hull of n points (x y z each). Orientations are decided exactly, so any finite points have one; all memory is the
 *  allocator's. The result is owned by the caller: apart_hull_free. Cost: O(n log n) for most sets. APART_ERR_NULL,
 *  APART_ERR_EMPTY, APART_ERR_NONFINITE, APART_ERR_SIZE (more than 2^31 points), APART_ERR_OVERFLOW (coordinates above
 *  2^1020), APART_ERR_MEMORY, APART_ERR_HULL_BUILDER. */
APART_API apart_status apart_hull_build(const double *xyz, size_t n, const apart_hull_options *options,
                                        apart_hull **out);

/** The same for an array of floats or doubles with a stride, as they lie in a vertex buffer:
 *      apart_vertices v = {.data = buffer, .count = n, .stride = sizeof(my_vertex), .number = APART_FLOAT};
 *  The hull is that of the given numbers: a float is taken as the double of the same value. Statuses as above, and
 *  APART_ERR_OPTION for an unknown type of number. */
APART_API apart_status apart_hull_build_vertices(const apart_vertices *vertices, const apart_hull_options *options,
                                                 apart_hull **out);

/** Hull from known vertices and faces: face f has face_sizes[f] vertex indices, consecutive in face_indices,
 *  counter-clockwise seen from outside. Coplanar neighbours are merged, vertices that are not
 *  strictly extreme are dropped. APART_ERR_TOPOLOGY when the faces are not a closed surface, APART_ERR_NOT_CONVEX
 *  when a vertex lies above a face by more than 1e-12 of the size. */
APART_API apart_status apart_hull_from_faces(const double *xyz, size_t n, const uint32_t *face_sizes, size_t face_count,
                                             const uint32_t *face_indices, const apart_hull_options *options,
                                             apart_hull **out);

/** Frees a hull made by a builder above; NULL is allowed. Not for views. */
APART_API void apart_hull_free(apart_hull *hull);

/** Checks a foreign block (8-byte aligned, `size` bytes) and returns it as a hull inside that memory, or
 *  APART_ERR_BLOCK. Every index is checked. */
APART_API apart_status apart_hull_view(const void *memory, size_t size, const apart_hull **out);

/** Converts a block in place between the byte order of this machine and that of files, which is little-endian. On
 *  little-endian machines, which are nearly all, it changes nothing. For copies (`apart_hull_size` bytes, 8-byte
 *  aligned), not for a hull in use. APART_ERR_NULL; APART_ERR_BLOCK if it is not a hull in either order. */
APART_API apart_status apart_hull_convert(void *memory, size_t size);

/** The size of the whole block in bytes: memcpy(copy, hull, apart_hull_size(hull)) is again a hull. */
APART_API size_t apart_hull_size(const apart_hull *hull);

/** Affine dimension 0..3. */
APART_API int apart_hull_dimension(const apart_hull *hull);
/** Vertices: the strictly extreme ones only. */
APART_API uint32_t apart_hull_vertex_count(const apart_hull *hull);
/** Edges between them; each once. */
APART_API uint32_t apart_hull_edge_count(const apart_hull *hull);
/** Faces of a solid hull; a flat hull has two (its two sides), segments and points have none. */
APART_API uint32_t apart_hull_face_count(const apart_hull *hull);
/** The vertex as the caller gave it. `vertex` < vertex_count. */
APART_API apart_vec3 apart_hull_vertex(const apart_hull *hull, uint32_t vertex);
/** The caller's index of a vertex (the lowest among duplicates). */
APART_API uint32_t apart_hull_input_index(const apart_hull *hull, uint32_t vertex);
/** The two ends of an edge, ends[0] < ends[1]. */
APART_API void apart_hull_edge(const apart_hull *hull, uint32_t edge, uint32_t ends[2]);
/** The vertices of a face, counter-clockwise seen from outside, starting with the lowest; returns how many. */
APART_API uint32_t apart_hull_face(const apart_hull *hull, uint32_t face, const uint32_t **vertices);
/** Unit outward normal of a face. */
APART_API apart_vec3 apart_hull_face_normal(const apart_hull *hull, uint32_t face);
/** The vertices joined to a vertex by an edge, in ascending order; returns how many. */
APART_API uint32_t apart_hull_neighbours(const apart_hull *hull, uint32_t vertex, const uint32_t **neighbours);
/** Volume; 0 for flat hulls. */
APART_API double apart_hull_volume(const apart_hull *hull);
/** Surface area; both sides of a flat hull. */
APART_API double apart_hull_area(const apart_hull *hull);

#ifdef __cplusplus
}
#endif
#endif
