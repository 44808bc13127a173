/** @file
 * apart/contact.h: where two bodies touch: all contact points of the features that meet, for solvers of contact forces.
 *
 *     apart_contact_options options = {.margin = 0.01};      // nearer than this counts as contact
 *     apart_manifold m;
 *     apart_contact(&a, &pose_a, &b, &pose_b, &options, &cache, &m);
 *     for (uint32_t i = 0; i < m.count; i++) {
 *         // m.points[i].a on A, m.points[i].b on B, m.points[i].distance < 0: that deep; m.points[i].id names it in the next step
 *     }
 *
 * The signed distance has one normal and one pair of points; two faces that lie on each other meet in a polygon. The faces, edges or
 * vertices that are extreme along the normal are cut with each other as seen along it, and the corners of what they have in common are
 * the contact points: face on face a polygon, an edge or the side of a cylinder or capsule on a face two points, a cap or a cone's base
 * four, crossing edges, vertices and spheres one. The deepest point is always among them.
 * Allocates nothing, the same bits everywhere, thread-safe like apart_distance.
 * Read next: docs/simulation.md (from the distance to a simulation), docs/features.md (the numbers).
 */
#ifndef APART_CONTACT_H
#define APART_CONTACT_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Points of a manifold at most. */
#define APART_MAX_CONTACTS 8

/** All bytes zero are the defaults; NULL means the same. */
typedef struct apart_contact_options {
    double margin;       /**< a length: bodies nearer than this are in contact, and points farther apart than this are none; 0: 1e-6 of both
                          *   bodies' radii */
    double tolerance;    /**< of the distance query, as in apart_options; 0: down to rounding */
    uint32_t max_points; /**< 1 .. APART_MAX_CONTACTS; 0: all of them */
    apart_depth_cache *depth_cache; /**< NULL: none; as in apart_options */
} apart_contact_options;

/** One contact point: a point on A, one on B, b - a = distance * normal. World frame. */
typedef struct apart_contact_point {
    apart_vec3 a;      /**< on A's surface (where A's feature is tilted against the normal: of the core plus radius * normal) */
    apart_vec3 b;      /**< on B's */
    double distance;   /**< signed: below 0 minus the depth here, which no point has larger than the bodies; at most the margin */
    uint64_t id; /**< names the meeting features: the same as long as the same features meet, different for the points of a manifold */
    uint32_t number_a; /**< A's feature, numbered as in docs/features.md */
    uint32_t number_b; /**< B's */
    uint8_t kind_a;    /**< apart_feature_kind of A's */
    uint8_t kind_b;    /**< of B's */
} apart_contact_point;

/** How two bodies touch. */
typedef struct apart_manifold {
    apart_vec3 normal;                             /**< unit, from A to B: of all points */
    uint32_t count;                                /**< points; 0: the bodies are farther apart than the margin */
    apart_contact_point points[APART_MAX_CONTACTS]; /**< the deepest first, to 1e-9 of the bodies' size */
    apart_result result;                           /**< of the distance query; relation APART_BEYOND: beyond the margin */
} apart_manifold;

/** The contact points of two bodies. options and cache may be NULL. More points than asked for are thinned out: the deepest and those that
 *  lie farthest from each other stay. Faces of more than 32 corners are seen by 32 of them. Bodies without known features (ellipsoid,
 *  callback, sums, hulls of two, point sets in space) touch in one point. In the plane there are at most two.
 *  Statuses: those of apart_distance; APART_ERR_OPTION for a margin or tolerance that is negative or not finite, or too many points. */
apart_status apart_contact(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                           const apart_contact_options *options, apart_cache *cache, apart_manifold *manifold);

/** The same when the distance is known already: of the result distance, a, b and normal are read. A result without a normal (overlap with
 *  depth `none`) is APART_ERR_NORMAL. */
apart_status apart_contact_from_result(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                       const apart_result *result, const apart_contact_options *options, apart_manifold *manifold);

#ifdef __cplusplus
}
#endif
#endif
