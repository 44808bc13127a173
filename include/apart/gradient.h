/** @file
 * apart/gradient.h: how the signed distance changes when the bodies move.
 *
 *     apart_gradient g;
 *     apart_distance_gradient(&a, &pose_a, &b, &pose_b, NULL, &cache, &g);
 *     // A moves by dx and turns by the small vector w about its pose's translation: the distance changes by
 *     //     dot(g.translation_a, dx) + dot(g.rotation_a, w)
 *
 * With the normal n and the witness points a and b, the derivative is n . (b' - a') where the points are carried by
 * their bodies: the distance is the largest separation over all directions, and at the best one a small turn of n
 * changes nothing. That is a derivative where normal and witness points are the only ones; elsewhere (a face on a face,
 * two depths that are equal) the distance has a kink, every choice of them has numbers of its own, and `unique` is 0.
 * Read next: apart/distance.h.
 */
#ifndef APART_GRADIENT_H
#define APART_GRADIENT_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The derivative of the signed distance by both poses. World axes; turns are about the poses' translations. */
typedef struct apart_gradient {
    apart_result result;      /**< the distance */
    apart_vec3 translation_a; /**< by the translation of A: minus the normal */
    apart_vec3 rotation_a;    /**< by a small turn of A, radians about each world axis */
    apart_vec3 translation_b; /**< by the translation of B: the normal */
    apart_vec3 rotation_b;    /**< by a small turn of B */
    uint8_t unique;           /**< 1: the distance is differentiable here; 0: it has a kink, and the numbers hold for
                               *   motions towards one side of it. Edges and faces that are parallel to 1e-7, and depths
                               *   that differ by less than 1e-6 of the bodies' size, count as a kink. 0 also beyond a
                               *   cut-off, where all numbers are 0 */
} apart_gradient;

/** The signed distance and its derivative. options and cache may be NULL. Costs a distance query and 32 support points;
 *  for bodies that touch or overlap, six further queries of the depth.
 *  Statuses as apart_distance; APART_ERR_OPTION for options without the exact depth. */
APART_API apart_status apart_distance_gradient(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                               const apart_pose *pose_b, const apart_options *options,
                                               apart_cache *cache, apart_gradient *gradient);

#ifdef __cplusplus
}
#endif
#endif
