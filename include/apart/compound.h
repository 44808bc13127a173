/** @file
 * apart/compound.h: bodies of many convex parts.
 *
 * A compound is a set of convex parts, each with a pose of its own, in a tree of boxes. It is built once, immutable and
 * shared between threads. Queries take "solids": a convex shape or a compound, whichever the body is.
 *
 *     apart_compound *table = NULL;
 *     apart_part parts[5] = {{top, pose_of_top}, {leg, pose_of_leg_1}, ...};
 *     apart_compound_build(parts, 5, NULL, &table);
 *     apart_solid a = apart_solid_compound(table), b = apart_solid_shape(&ball);
 *     apart_compound_result r;
 *     apart_compound_distance(a, &pose_a, b, &pose_b, NULL, NULL, &r);
 *     // r.result as from apart_distance; r.part_a, r.part_b: the parts that decide
 *
 * The signed distance of two compounds is the smallest over all pairs of parts: the gap, or below zero minus the depth of the deepest
 * pair of parts. That is no way out for the compounds as wholes, but no way out is shorter.
 * Read next: apart/world.h (many bodies).
 */
#ifndef APART_COMPOUND_H
#define APART_COMPOUND_H

#include "motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Convex parts in a tree of boxes: opaque, immutable. */
typedef struct apart_compound apart_compound;

/** One convex part. The shape may borrow (a hull, points, children), which the caller keeps alive as long as the compound. */
typedef struct apart_part {
    apart_shape shape; /**< any bounded shape */
    apart_pose pose;   /**< from the part's frame to the compound's */
} apart_part;

/** What a body is made of: exactly one of the two is not NULL. Both are borrowed. */
typedef struct apart_solid {
    const apart_shape *shape;       /**< a convex shape */
    const apart_compound *compound; /**< or a compound */
} apart_solid;

/** A solid that is a convex shape. */
apart_solid apart_solid_shape(const apart_shape *shape);
/** A solid that is a compound. */
apart_solid apart_solid_compound(const apart_compound *compound);

/** Builds a compound of `count` parts, which are copied. O(count log^2 count). Free with apart_compound_free. allocator NULL: malloc.
 *  APART_ERR_NULL, APART_ERR_EMPTY, APART_ERR_SIZE (2^30 parts or more), APART_ERR_HALF_SPACE, APART_ERR_DIMENSION (2D parts beside 3D
 *  ones), APART_ERR_MEMORY, the status of a part's shape or pose. */
apart_status apart_compound_build(const apart_part *parts, size_t count, const apart_allocator *allocator, apart_compound **out);

/** Frees a compound; NULL is fine. */
void apart_compound_free(apart_compound *compound);

/** How many parts it has. */
size_t apart_compound_count(const apart_compound *compound);

/** A part as it was given, numbered from 0 in the order given; NULL if there is no such part. It lives as long as the compound. */
const apart_part *apart_compound_part(const apart_compound *compound, size_t part);

/** A world box that holds the solid under a pose (of a compound: the box of its parts' boxes). Statuses as apart_shape_aabb. */
apart_status apart_solid_aabb(apart_solid solid, const apart_pose *pose, apart_aabb *out);

/** A ball that holds the solid: centre in the solid's frame, radius. Statuses as apart_shape_ball. */
apart_status apart_solid_ball(apart_solid solid, apart_vec3 *center, double *radius);

/** What the next query of the same two solids starts from. Zeroed is valid; a stale or foreign one costs time, never correctness. */
typedef struct apart_compound_cache {
    apart_cache cache; /**< of the parts that decided last */
    uint32_t part_a;   /**< of A */
    uint32_t part_b;   /**< of B */
} apart_compound_cache;

/** The answer: the result of the deciding parts, whose bounds hold for the compounds. */
typedef struct apart_compound_result {
    apart_result result; /**< as from apart_distance; simplex indices are the parts' */
    uint32_t part_a;     /**< the part of A that decides; 0 for a shape */
    uint32_t part_b;     /**< of B */
    uint32_t queries;    /**< pairs of parts that were looked at */
    uint32_t boxes;      /**< pairs of boxes that were compared */
} apart_compound_result;

/** Signed distance of two solids by branch and bound over their trees. options and cache may be NULL; a trace is filled for two shapes
 *  only, which compounds of one part count as if its pose is the identity. Of pairs with the same distance the one that was met first decides. Statuses as apart_distance. */
apart_status apart_compound_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                     const apart_options *options, apart_compound_cache *cache, apart_compound_result *result);

/** Do two solids touch or overlap? parts, if not NULL, gets the first pair of parts that was found to. Statuses as apart_distance. */
apart_status apart_compound_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                    const apart_options *options, apart_compound_cache *cache, int *overlap, uint32_t parts[2]);

/** The answer about two moving solids. */
typedef struct apart_compound_impact {
    apart_impact impact; /**< as from apart_time_of_impact; pose_a and pose_b are the solids' poses at t, not the parts' */
    uint32_t part_a;     /**< the part of A that is hit, or comes nearest; 0 for a shape */
    uint32_t part_b;     /**< of B */
    uint32_t queries;    /**< pairs of parts that were looked at */
} apart_compound_impact;

/** The first contact of two moving solids, with the guarantee of apart_time_of_impact for all pairs of parts. Solids that touch at the
 *  start are reported by the first pair of parts that was found to. The bounds are about the exact paths of the parts, whose joined
 *  poses are off by 16 eps of the solids' size and distance. options may be NULL. Statuses as apart_time_of_impact. */
apart_status apart_compound_time_of_impact(apart_solid a, const apart_motion *motion_a, apart_solid b, const apart_motion *motion_b,
                                           const apart_motion_options *options, apart_compound_impact *impact);

/** The same for solids that only translate; statuses as apart_sweep. */
apart_status apart_compound_sweep(apart_solid a, const apart_pose *pose_a, apart_vec3 displacement_a, apart_solid b,
                                  const apart_pose *pose_b, apart_vec3 displacement_b, const apart_motion_options *options,
                                  apart_compound_impact *impact);

/** Where a ray first enters a solid; part, if not NULL, gets the part it enters. Statuses as apart_raycast. */
apart_status apart_compound_raycast(const apart_ray *ray, apart_solid solid, const apart_pose *pose, apart_ray_hit *hit, uint32_t *part);

#ifdef __cplusplus
}
#endif
#endif
