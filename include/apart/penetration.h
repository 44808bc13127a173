/** @file
 * apart/penetration.h: cheap bounds of a depth, and tracking of the exact one.
 *
 * apart_distance gives the exact depth by itself; nothing here is needed for that. Use
 *   - apart_penetration_bounds when two bounds are enough (Cameron 1997 section 5),
 *   - an apart_depth_cache when overlapping bodies move a little between queries: the surface that proved the
 *     last depth is re-evaluated and mostly proves the next one too.
 *
 *     static double memory[APART_DEPTH_CACHE_BYTES(256) / sizeof(double)];
 *     apart_depth_cache *surface = NULL;
 *     apart_depth_cache_init(memory, sizeof memory, &surface);
 *     apart_options options = {.depth_cache = surface};
 *     apart_distance(&a, &pose_a, &b, &pose_b, &options, &cache, &r);
 *
 * A depth cache that is stale or belongs to another pair costs time, never correctness.
 */
#ifndef APART_PENETRATION_H
#define APART_PENETRATION_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a depth cache for a surface of `vertices` vertices: 152 a vertex and a header. About 40 vertices suffice for boxes and
 *  small hulls, 256 (the built-in workspace, 45 kB on the stack) for two hulls of 500 vertices, 750 for two of 2000. */
#define APART_DEPTH_CACHE_BYTES(vertices) (64u + (vertices) * (56u + 2u * 48u))

/** Makes a depth cache in the caller's memory (8-byte aligned, at least APART_DEPTH_CACHE_BYTES(8), at most 8192 vertices are used).
 *  The memory stays the caller's; nothing needs to be freed. APART_ERR_NULL, APART_ERR_SIZE. */
apart_status apart_depth_cache_init(void *memory, size_t size, apart_depth_cache **out);

/** Forgets the surface: the next query builds it anew. NULL is fine. */
void apart_depth_cache_clear(apart_depth_cache *cache);

/** What Cameron's simplex says about the depth of the bodies' cores, as lengths >= 0. */
typedef struct apart_penetration {
    double least;     /**< MTD+(O, S): the origin's distance from the surface of the loop's simplex: depth >= least */
    double most;      /**< min |x_i| over the simplex's vertices, which lie on the TCSO's surface: depth <= most */
    double depth;     /**< the exact depth if `exact`, else `least` */
    apart_vec3 normal; /**< unit, from A to B: the way out that `depth` belongs to */
    uint8_t exact;    /**< 1: the simplex's nearest feature is a feature of the TCSO's surface, so the bounds meet (shallow overlap) */
    uint8_t relation; /**< apart_relation; the numbers above are 0 unless overlapping */
} apart_penetration;

/** Bounds of the depth at nearly no cost: the loop, and at most six support searches. With rounded bodies the radii are added to all three lengths.
 *  Statuses as apart_distance. */
apart_status apart_penetration_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                      const apart_options *options, apart_cache *cache, apart_penetration *out);

#ifdef __cplusplus
}
#endif
#endif
