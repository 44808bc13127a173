/** @file
 * apart/compound.h: bodies of many convex parts.
 *
 * A compound is a set of convex parts, each with a pose of its own, in a tree of bounding boxes. It is built once, is
 * immutable and may be shared between threads. Queries take "solids": either a convex shape or a compound.
 *
 *     apart_compound *table = NULL;
 *     apart_part parts[5] = {{top, pose_of_top}, {leg, pose_of_leg_1}, ...};
 *     apart_compound_build(parts, 5, NULL, &table);
 *     apart_solid a = apart_solid_compound(table), b = apart_solid_shape(&ball);
 *     apart_compound_result r;
 *     apart_compound_distance(a, &pose_a, b, &pose_b, NULL, NULL, &r);
 *     // r.result as from apart_distance; r.part_a, r.part_b: the parts that decide
 *
 * A solid may also be a triangle mesh (apart/mesh.h): its surface, or what it encloses. Its parts are its triangles:
 * part_a and part_b are their numbers, and what is said of parts holds for them. The distance of a surface is never
 * below zero: 0 where it meets the other body. If a mesh and another body, both with an inside, overlap, the distance
 * is minus the length of a translation of B along the normal that separates them, lower is minus that length, and
 * upper is minus a lower bound of the shortest such translation; the points are common to both, or of a pair of
 * triangles that meet. Every call takes meshes.
 *
 * The signed distance of two compounds is the smallest over all pairs of parts: the gap, or, below zero, minus the
 * depth of the deepest pair of parts. That depth is a lower bound of the translation that separates the compounds;
 * the translation that separates one pair of parts need not separate all of them.
 * Read next: apart/world.h (many bodies).
 */
#ifndef APART_COMPOUND_H
#define APART_COMPOUND_H

#include "mesh.h"
#include "motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Convex parts in a tree of bounding boxes: opaque, immutable. */
typedef struct apart_compound apart_compound;

/** One convex part. What its shape borrows (a hull, points, children) must live as long as the compound. */
typedef struct apart_part {
    apart_shape shape; /**< any bounded shape */
    apart_pose pose;   /**< from the part's frame to the compound's */
} apart_part;

/** The geometry of a body: exactly one of the pointers is not NULL. They are borrowed. */
typedef struct apart_solid {
    const apart_shape *shape;       /**< a convex shape */
    const apart_compound *compound; /**< or a compound */
    const apart_mesh *mesh;         /**< or a mesh */
    uint8_t surface;                /**< 1: of the mesh its triangles alone; 0: what they enclose, too */
} apart_solid;

/** A solid that is a convex shape. */
APART_API apart_solid apart_solid_shape(const apart_shape *shape);
/** A solid that is a compound. */
APART_API apart_solid apart_solid_compound(const apart_compound *compound);

/** A solid that is what a mesh encloses, with its surface. Queries refuse a mesh that is not watertight:
 *  APART_ERR_NOT_WATERTIGHT. */
APART_API apart_solid apart_solid_mesh(const apart_mesh *mesh);
/** A solid that is the surface of a mesh: its triangles alone. */
APART_API apart_solid apart_solid_surface(const apart_mesh *mesh);

/** Builds a compound of `count` parts, which are copied. Cost: O(count log^2 count). Free it with apart_compound_free.
 *  allocator NULL: malloc. Statuses: APART_ERR_NULL, APART_ERR_EMPTY, APART_ERR_SIZE (2^30 parts or more),
 *  APART_ERR_HALF_SPACE, APART_ERR_DIMENSION (2D and 3D parts together), APART_ERR_MEMORY, or that of a part's shape or
 *  pose. */
APART_API apart_status apart_compound_build(const apart_part *parts, size_t count, const apart_allocator *allocator,
                                            apart_compound **out);

/** Frees a compound; NULL is allowed. */
APART_API void apart_compound_free(apart_compound *compound);

/** The number of parts. */
APART_API size_t apart_compound_count(const apart_compound *compound);

/** A part as it was given, numbered from 0 in the order given; NULL if there is no such part. It lives as long as the
 *  compound. */
APART_API const apart_part *apart_compound_part(const apart_compound *compound, size_t part);

/** Sets the user data of a part, for filters and in answers about parts; 0 after building. Not while other threads use
 *  the compound. APART_ERR_NULL, APART_ERR_ID. */
APART_API apart_status apart_compound_set_user(apart_compound *compound, size_t part, uint64_t user);

/** The user data of a part; 0 if there is no such part. */
APART_API uint64_t apart_compound_user(const apart_compound *compound, size_t part);

/** A world box that contains the solid under a pose (for a compound: the box around its parts' boxes; for a mesh: the
 *  box of its vertices). Statuses as apart_shape_aabb. */
APART_API apart_status apart_solid_aabb(apart_solid solid, const apart_pose *pose, apart_aabb *out);

/** A bounding sphere of the solid: centre in the solid's frame, radius. Statuses as apart_shape_ball. */
APART_API apart_status apart_solid_ball(apart_solid solid, apart_vec3 *center, double *radius);

/** The warm start of the next query of the same two solids. A zeroed cache is valid; a stale or foreign one costs time,
 *  never correctness. */
typedef struct apart_compound_cache {
    apart_cache cache; /**< of the parts that decided the last query */
    uint32_t part_a;   /**< that part of A */
    uint32_t part_b;   /**< that part of B */
} apart_compound_cache;

/** The answer: the result of the deciding parts, whose bounds hold for the compounds. */
typedef struct apart_compound_result {
    apart_result result; /**< as from apart_distance; simplex indices refer to the deciding parts */
    uint32_t part_a;     /**< the part of A that decides; 0 for a shape */
    uint32_t part_b;     /**< the part of B */
    uint32_t queries;    /**< pairs of parts that were queried */
    uint32_t boxes;      /**< pairs of boxes that were compared */
} apart_compound_result;

/** Signed distance of two solids by branch and bound over their trees. options and cache may be NULL. The trace is
 *  filled only for queries of two shapes; a compound of a single part with the identity as its pose counts as a
 *  shape. Among pairs with the same distance, the one that was found first decides. Statuses as apart_distance. */
APART_API apart_status apart_compound_distance(apart_solid a, const apart_pose *pose_a, apart_solid b,
                                               const apart_pose *pose_b, const apart_options *options,
                                               apart_compound_cache *cache, apart_compound_result *result);

/** Whether two solids touch or overlap. parts, if not NULL, gets the first such pair of parts that was found.
 *  Statuses as apart_distance. */
APART_API apart_status apart_compound_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b,
                                              const apart_pose *pose_b, const apart_options *options,
                                              apart_compound_cache *cache, int *overlap, uint32_t parts[2]);

/** Two parts that are near each other. World frame; normal from A to B. */
typedef struct apart_part_pair {
    uint32_t part_a;    /**< a part of A: of a mesh the number of a triangle; 0 for a shape */
    uint32_t part_b;    /**< a part of B */
    double distance;    /**< signed distance of the two parts */
    double lower;       /**< certified: lower <= true value */
    double upper;       /**< certified: true value <= upper */
    apart_vec3 point_a; /**< witness point on A */
    apart_vec3 point_b; /**< witness point on B */
    apart_vec3 normal;  /**< unit, from A to B */
    uint32_t relation;  /**< apart_relation */
    uint64_t user_a;    /**< user data of the part of A; 0 where it is not one of a compound */
    uint64_t user_b;    /**< user data of the part of B */
} apart_part_pair;

/** A filter of pairs of parts: 0 if the pair does not count. Parts that are not of a compound have user data 0. */
typedef int apart_part_filter(void *context, uint32_t part_a, uint64_t user_a, uint32_t part_b, uint64_t user_b);

/** An output list of pairs of parts. The last two fields are set by the query, the others by the caller. */
typedef struct apart_part_list {
    apart_part_pair *pairs;    /**< room for `capacity` pairs; NULL with capacity 0: they are only counted */
    size_t capacity;           /**< set by the caller */
    double tolerance;          /**< set by the caller: accepted difference of the bounds of a distance; 0: down to
                             *   rounding */
    int depth;                 /**< set by the caller: apart_depth, what to compute for parts that overlap; 0: the exact
                             *   depth of the two parts */
    apart_part_filter *filter; /**< set by the caller: which pairs count; they alone are queried. NULL: all */
    void *filter_context;      /**< set by the caller: passed to it */
    size_t count;              /**< pairs stored */
    size_t total;              /**< pairs found; total - count did not fit */
} apart_part_list;

/** All pairs of parts nearer than `distance`: the planes that a character controller is pushed out by, the contacts of
 *  two bodies. None is missing: every pair whose distance is below it is found. Beside
 *  them there may be pairs for which rounding leaves it open: of every pair found, lower < distance, and those with
 *  upper < distance are below it for certain. The order is that of the search, the same on every machine. A solid that
 *  a mesh encloses is asked about its triangles alone: a body inside it is near only where it is near its surface.
 *  Cost: that of the pairs found. APART_ERR_NULL, APART_ERR_NOT_WATERTIGHT, APART_ERR_OPTION (a distance that is
 *  infinite or NaN, or of a mesh negative; an invalid field of the list), APART_ERR_DIMENSION, or a status of
 *  apart_distance. */
APART_API apart_status apart_compound_below(apart_solid a, const apart_pose *pose_a, apart_solid b,
                                            const apart_pose *pose_b, double distance, apart_part_list *list);

/** The answer about two moving solids. */
typedef struct apart_compound_impact {
    apart_impact impact; /**< as from apart_time_of_impact; pose_a, pose_b are the solids' poses at t, not the parts' */
    uint32_t part_a;     /**< the part of A that is hit, or comes nearest; 0 for a shape */
    uint32_t part_b;     /**< the part of B */
    uint32_t queries;    /**< pairs of parts that were queried along their paths */
} apart_compound_impact;

/** The first contact of two moving solids, with the guarantee of apart_time_of_impact for all pairs of parts. For
 *  solids that touch at the start, the first touching pair of parts that was found is reported. The bounds refer to
 *  the exact paths of the parts, whose composed poses err by 16 eps of the solids' size and distance. With a mesh the
 *  default tolerance is 1e-6 of the radii of both solids, and impact.at is the answer about the solids at t; a body
 *  that begins inside a mesh that is taken as a solid touches it at the start. options may be NULL. Statuses as
 *  apart_time_of_impact; APART_ERR_NOT_WATERTIGHT. */
APART_API apart_status apart_compound_time_of_impact(apart_solid a, const apart_motion *motion_a, apart_solid b,
                                                     const apart_motion *motion_b, const apart_motion_options *options,
                                                     apart_compound_impact *impact);

/** The same for solids that only translate; statuses as apart_sweep. */
APART_API apart_status apart_compound_sweep(apart_solid a, const apart_pose *pose_a, apart_vec3 displacement_a,
                                            apart_solid b, const apart_pose *pose_b, apart_vec3 displacement_b,
                                            const apart_motion_options *options, apart_compound_impact *impact);

/** Where a ray first enters a solid; part, if not NULL, gets the part that it enters. A mesh's triangles are met from
 *  either side, and the normal looks against the ray. A start inside a mesh that is taken as a solid is a hit at 0; then
 *  the part is the nearest triangle and the normal points to it. Statuses as apart_raycast; APART_ERR_NOT_WATERTIGHT. */
APART_API apart_status apart_compound_raycast(const apart_ray *ray, apart_solid solid, const apart_pose *pose,
                                              apart_ray_hit *hit, uint32_t *part);

#ifdef __cplusplus
}
#endif
#endif
