/** @file
 * apart/measure.h: mass properties, and triangles to draw.
 *
 *     apart_mass m;
 *     apart_solid_mass(apart_solid_shape(&hammer), NULL, &m);
 *     // mass = density * m.volume, about m.center: density * m.inertia
 *
 *     apart_triangles t;
 *     apart_shape_triangles(&hammer, NULL, &t);       // t.vertices, t.triangles
 *     apart_triangles_free(&t);
 *
 * Polytopes (boxes, hulls, point sets, and sums, hulls and affine images of such) and the round primitives have exact
 * formulas. Any other convex shape is enclosed between two polytopes: the hull of support points, and the half-spaces
 * that support it there; what lies between them is the error. Meshes are integrated over their triangles.
 * These calls allocate; they are made when a body is, and not in every step.
 * Read next: docs/simulation.md.
 */
#ifndef APART_MEASURE_H
#define APART_MEASURE_H

#include "compound.h"

#ifdef __cplusplus
extern "C" {
#endif

/** All bytes zero are the defaults; NULL means the same. */
typedef struct apart_measure_options {
    apart_allocator allocator; /**< for all memory */
    uint32_t grid;             /**< shapes without a formula: 6 grid^2 directions, 2 .. 256; 0: 24. The error of a
                                *   smooth shape falls with its square */
} apart_measure_options;

/** Volume, centre and inertia for density 1, in the solid's frame. In 2D the area, and the inertia about z. */
typedef struct apart_mass {
    double volume;        /**< of flat shapes 0 */
    apart_vec3 center;    /**< of mass; of a flat shape some point of it */
    apart_mat3 inertia;   /**< about the centre; symmetric */
    double volume_error;  /**< the true volume differs by at most this */
    double center_error;  /**< the true centre is at most this far away */
    double inertia_error; /**< no entry of the inertia differs by more */
} apart_mass;

/** The mass of a solid. Parts of a compound are added up, so where they overlap the body counts twice; of a mesh the
 *  volume it encloses, and components that overlap count twice, too. options may be NULL.
 *  APART_ERR_NULL, APART_ERR_HALF_SPACE, APART_ERR_NOT_WATERTIGHT (a mesh whose triangles do not enclose a volume with
 *  outward normals, or a surface), APART_ERR_OPTION, APART_ERR_MEMORY, APART_ERR_OVERFLOW, or the status of a shape. */
APART_API apart_status apart_solid_mass(apart_solid solid, const apart_measure_options *options, apart_mass *mass);

/** Triangles to draw, counter-clockwise seen from outside. */
typedef struct apart_triangles {
    apart_vec3 *vertices;      /**< on the surface of the solid, in its frame */
    uint32_t *triangles;       /**< three vertices each */
    size_t vertex_count;       /**< number of vertices */
    size_t triangle_count;     /**< number of triangles */
    apart_allocator allocator; /**< where the memory is from */
} apart_triangles;

/** The surface of a bounded convex shape: of a polytope its faces, of any other the hull of support points in
 *  6 grid^2 directions. Flat shapes have both sides; a segment and a point have vertices and no triangles. In 2D the
 *  polygon, in the plane. The caller frees the result. Statuses as apart_solid_mass. */
APART_API apart_status apart_shape_triangles(const apart_shape *shape, const apart_measure_options *options,
                                             apart_triangles *out);

/** Frees what apart_shape_triangles made; what is all zeros is allowed. */
APART_API void apart_triangles_free(apart_triangles *triangles);

#ifdef __cplusplus
}
#endif
#endif
