/** @file
 * apart/contact.h: the contact manifold of two bodies: all contact points of the features that meet.
 *
 *     apart_contact_options options = {.margin = 0.01};      // nearer than this counts as contact
 *     apart_manifold m;
 *     apart_contact(&a, &pose_a, &b, &pose_b, &options, &cache, &m);
 *     for (uint32_t i = 0; i < m.count; i++) {
 *         // m.points[i].a on A, .b on B; .distance < 0: penetration; .id recognises the point in the next step
 *     }
 *
 * The signed distance has one normal and one pair of points, but two faces that lie on each other meet in a polygon.
 * The faces, edges or vertices that are extreme along the normal are projected along it and clipped against each
 * other; the corners of their intersection are the contact points. Two faces give a polygon; an edge, or the side of
 * a cylinder or capsule, on a face gives two points; a cap or a cone's base gives four; crossing edges, vertices and
 * spheres give one. The deepest point is always among them. The calls allocate nothing, give the same bits everywhere
 * and are thread-safe like apart_distance.
 * Read next: docs/simulation.md (from the distance to a simulation), docs/features.md (feature numbers).
 */
#ifndef APART_CONTACT_H
#define APART_CONTACT_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The largest number of points of a manifold. */
#define APART_MAX_CONTACTS 8

/** All bytes zero are the defaults; NULL means the same. */
typedef struct apart_contact_options {
    double margin;       /**< a length: bodies nearer than this are in contact, and points farther apart than this are
                          *   left out; 0: 1e-6 of both bodies' radii */
    double tolerance;    /**< of the distance query, as in apart_options; 0: down to rounding */
    uint32_t max_points; /**< 1 .. APART_MAX_CONTACTS; 0: all of them */
    apart_depth_cache *depth_cache; /**< NULL: none; as in apart_options */
} apart_contact_options;

/** One contact point: a point on A, one on B, b - a = distance * normal. World frame. */
typedef struct apart_contact_point {
    apart_vec3 a;      /**< on A's surface (where A's feature is tilted against the normal: core + radius * normal) */
    apart_vec3 b;      /**< on B's surface, likewise */
    double distance;   /**< signed: negative = local penetration depth, to rounding never deeper than the bodies are */
    uint64_t id;       /**< identifies the meeting features: constant while they meet, unique in a manifold */
    uint32_t number_a; /**< A's feature, numbered as in docs/features.md */
    uint32_t number_b; /**< B's feature */
    uint8_t kind_a;    /**< apart_feature_kind of A's feature */
    uint8_t kind_b;    /**< apart_feature_kind of B's feature */
} apart_contact_point;

/** All contact points of two bodies. */
typedef struct apart_manifold {
    apart_vec3 normal;                              /**< unit, from A to B; common to all points */
    uint32_t count;                                 /**< number of points; 0: farther apart than the margin */
    apart_contact_point points[APART_MAX_CONTACTS]; /**< deepest first, to 1e-9 of the bodies' size; the
                                                     *   first has the bodies' distance to the same */
    apart_result result;                            /**< of the distance query; APART_BEYOND: farther than the margin */
} apart_manifold;

/** The contact points of two bodies. options and cache may be NULL. If there are more points than asked for, the
 *  deepest and those that are farthest from each other are kept. Of a face with more than 32 corners, 32 are used.
 *  Bodies without known features (ellipsoid, callback, sum, hull of two, point set in 3D) touch in one point. In 2D
 *  there are at most two points.
 *  Statuses: those of apart_distance; APART_ERR_OPTION for a margin or tolerance that is negative or not finite, or
 *  for a max_points that is too large. */
APART_API apart_status apart_contact(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                     const apart_pose *pose_b, const apart_contact_options *options, apart_cache *cache,
                                     apart_manifold *manifold);

/** The same for a distance that is already known: the result's distance, a, b and normal are read. A result without a
 *  normal (an overlap with depth `none`) gives APART_ERR_NORMAL. */
APART_API apart_status apart_contact_from_result(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                                 const apart_pose *pose_b, const apart_result *result,
                                                 const apart_contact_options *options, apart_manifold *manifold);

#ifdef __cplusplus
}
#endif
#endif
