/** @file
 * apart/penetration.h: cheap bounds of the penetration depth, and tracking of the exact depth.
 *
 * apart_distance alone gives the exact depth; nothing here is needed for that. Use
 *   - apart_penetration_bounds when two bounds are enough (Cameron 1997, section 5: see docs/papers.md),
 *   - an apart_depth_cache when overlapping bodies move a little between queries: the surface that certified the
 *     last depth is re-evaluated and usually certifies the next one too.
 *
 *     static double memory[APART_DEPTH_CACHE_BYTES(256) / sizeof(double)];
 *     apart_depth_cache *surface = NULL;
 *     apart_depth_cache_init(memory, sizeof memory, &surface);
 *     apart_options options = {.depth_cache = surface};
 *     apart_distance(&a, &pose_a, &b, &pose_b, &options, &cache, &r);
 *
 * A depth cache that is stale or belongs to another pair costs time, never correctness.
 * Read next: apart/distance.h (apart_options.depth), docs/glossary.md (Minkowski difference, penetration depth).
 */
#ifndef APART_PENETRATION_H
#define APART_PENETRATION_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a depth cache for a surface of `vertices` vertices: 152 for each vertex, and a header. About 40 vertices
 *  suffice for boxes and small hulls, 256 (the built-in workspace, 45 kB on the stack) for two hulls of 500 vertices,
 *  750 for two of 2000. Stack: a depth needs 60 kB, in compounds, meshes and worlds 74 kB; with a depth cache for 300
 *  vertices or more in the options, apart_distance, apart_contact, apart_distance_gradient and apart_compound_distance
 *  of bodies in 3D that are no meshes get by with 32 kB, as queries without depths do. */
#define APART_DEPTH_CACHE_BYTES(vertices) (64u + (vertices) * (56u + 2u * 48u))

/** Makes a depth cache in the caller's memory, which is 8-byte aligned and has at least APART_DEPTH_CACHE_BYTES(8)
 *  bytes; at most 8192 vertices are used. The memory stays the caller's; nothing needs to be freed. APART_ERR_NULL,
 *  APART_ERR_SIZE. */
APART_API apart_status apart_depth_cache_init(void *memory, size_t size, apart_depth_cache **out);

/** Discards the surface: the next query builds a new one. NULL is allowed. */
APART_API void apart_depth_cache_clear(apart_depth_cache *cache);

/** Bounds of the penetration depth from the final GJK simplex, as lengths >= 0. */
typedef struct apart_penetration {
    double least;      /**< depth >= least: the distance from the origin to the boundary of the final GJK simplex */
    double most;       /**< depth <= most: the smallest |vertex| of the simplex; its vertices are boundary points of the
                       *   Minkowski difference */
    double depth;      /**< the exact depth if `exact`, else `least` */
    apart_vec3 normal; /**< unit, from A to B: the direction of separation that belongs to `depth` */
    uint8_t exact;     /**< 1: the nearest face of the simplex lies on the boundary of the Minkowski difference, so that
                       *   `least` is the depth itself (shallow overlap) */
    uint8_t relation;  /**< apart_relation; the numbers above are 0 unless the bodies overlap */
} apart_penetration;

/** Bounds of the depth at the cost of the GJK loop and at most six support searches. For rounded bodies the radii are
 *  added to all three lengths. Statuses as apart_distance. */
APART_API apart_status apart_penetration_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                                const apart_pose *pose_b, const apart_options *options,
                                                apart_cache *cache, apart_penetration *out);

#ifdef __cplusplus
}
#endif
#endif
