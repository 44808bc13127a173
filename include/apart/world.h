/** @file
 * apart/world.h: many moving bodies, with a broad phase and motion bounds that avoid most pair queries.
 *
 *     apart_world *world = NULL;
 *     apart_world_create(NULL, &world);
 *     apart_body_def def = {.solid = apart_solid_shape(&box), .pose = pose};
 *     apart_body_id id;
 *     apart_world_add(world, &def, &id);
 *     for (;;) {
 *         apart_world_move(world, id, &new_pose);
 *         apart_world_pair near[256];
 *         apart_world_list list = {.pairs = near, .capacity = 256};
 *         apart_world_below(world, 0.1, &list);           // all pairs nearer than 0.1
 *     }
 *     apart_world_free(world);
 *
 * The world keeps a bounding-volume tree, the pairs that are near each other with a cache each, and for every body a
 * bound of how far any of its points can have moved. A pair whose last certified distance exceeds what its two bodies
 * can have moved since then is not queried again; apart_world_stats counts how often. The answers are those of querying
 * every pair, except that pairs whose bounds straddle a threshold may count either way.
 *
 * The same calls give the same bits on any number of threads. Functions that take a const world may run in many threads
 * at once; all others need exclusive access to the world.
 * Shapes are copied; what they borrow, compounds and meshes are borrowed. Memory comes from the allocator of the options; a
 * world grows with its bodies and with the pairs it keeps, up to options.max_pairs.
 * Read next: apart/world_query.h (casts, overlaps, contacts, events), apart/compound.h, docs/how-it-works.md.
 */
#ifndef APART_WORLD_H
#define APART_WORLD_H

#include "compound.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Many bodies: opaque. */
typedef struct apart_world apart_world;

/** The handle of a body; it becomes invalid when the body is removed. A handle of zero bytes is never valid. */
typedef struct apart_body_id {
    uint32_t slot;       /**< below apart_world_slots(); the slot of a removed body is reused */
    uint32_t generation; /**< distinguishes the bodies that use the same slot one after another */
} apart_body_id;

/** The caller's own filter of pairs: 0 if the two bodies are never paired. It is asked after groups and masks have
 *  admitted a pair, for pairs whose boxes are near each other, and may be asked again at any time, in several threads
 *  at once: its answer depends on nothing but the two bodies, until apart_world_refilter says that it has changed. Of a
 *  probe that is no body of the world, the id is zeros and the user data is the probe's. Calls that would change the
 *  world return APART_ERR_BUSY while a callback runs. */
typedef int apart_pair_filter(void *context, apart_body_id a, uint64_t user_a, apart_body_id b, uint64_t user_b);

/** Options of a new world. All bytes zero: the defaults. */
typedef struct apart_world_options {
    apart_allocator allocator; /**< for all memory of the world */
    uint32_t threads;          /**< 0 or 1: the caller's thread only, and so for any number if the library was built
                                *   without OpenMP, or in a child by fork() of a process that has used threads */
    uint32_t max_bodies;       /**< 0: 2^24 */
    uint32_t max_pairs;        /**< pairs kept with their caches, about 300 bytes each; 0: 2^20. A world with more
                                *   near pairs keeps none of them and works without caches */
    apart_executor executor;   /**< the caller's threads, used in place of the library's whatever `threads` says. A call
                                *   whose executor leaves parts out returns APART_ERR_EXECUTOR, and no answer */
    apart_pair_filter *filter; /**< NULL: none */
    void *filter_context;      /**< passed to it */
} apart_world_options;

/** A body to add. */
typedef struct apart_body_def {
    apart_solid solid; /**< a shape (copied), or a compound or a mesh (borrowed); a half-space is fine */
    apart_pose pose;   /**< where it is */
    uint32_t groups;   /**< bits of the groups it belongs to */
    uint32_t ignores;  /**< bits of the groups it is never paired with */
    uint64_t user;     /**< user data, returned by apart_world_get and in the answers */
    uint64_t category; /**< bits of what it is; 0: the lowest bit */
    uint64_t mask;     /**< bits of what it may be paired with; 0: everything. Two bodies are paired only if the mask
                        *   of each holds a bit of the other's category */
} apart_body_def;

/** Two bodies and their signed distance. World frame; normal from A to B. */
typedef struct apart_world_pair {
    apart_body_id a;    /**< the body in the lower slot; from apart_world_near: the probe's body, or zeros */
    apart_body_id b;    /**< the other */
    uint32_t part_a;    /**< the part of A that decides; 0 for a shape */
    uint32_t part_b;    /**< the part of B */
    double distance;    /**< signed */
    double lower;       /**< certified: lower <= true value */
    double upper;       /**< certified: true value <= upper */
    apart_vec3 point_a; /**< witness point on A */
    apart_vec3 point_b; /**< witness point on B */
    apart_vec3 normal;  /**< unit, from A to B */
    uint32_t relation;  /**< apart_relation */
    uint64_t user_a;    /**< user data of A; from apart_world_near with a solid outside the world: the probe's */
    uint64_t user_b;    /**< user data of B */
} apart_world_pair;

/** An output list of pairs. The first fields are set by the caller, the last three by the query. */
typedef struct apart_world_list {
    apart_world_pair *pairs; /**< room for `capacity` pairs; NULL: they are only counted */
    size_t capacity;         /**< set by the caller */
    double tolerance;        /**< set by the caller: accepted difference of the bounds of a distance; 0: down to
                              *   rounding. For curved shapes the last digits are expensive */
    int depth;               /**< set by the caller: apart_depth, what to compute for overlapping pairs; 0: the exact
                              *   depth */
    size_t count;            /**< pairs stored */
    size_t total;            /**< pairs found; more than count when the capacity was too small */
    int complete;            /**< 1: all were found; 0: the search ended when the capacity or options.max_pairs was
                              *   used up, and there may be more */
} apart_world_list;

/** Statistics of a world. Counters run from its creation or the last reset. */
typedef struct apart_world_stats {
    uint64_t bodies;       /**< current number of bodies */
    uint64_t pairs;        /**< current number of pairs kept with a cache */
    uint64_t height;       /**< current height of the tree */
    uint64_t memory;       /**< current memory, in bytes */
    uint64_t moves;        /**< counter: poses set */
    uint64_t refits;       /**< counter: bodies whose box in the tree was computed anew */
    uint64_t queries;      /**< counter: pairs of bodies queried for distance or overlap */
    uint64_t saved;        /**< counter: pairs not queried because their last bounds and the bodies' motion decide */
    uint64_t reused;       /**< counter: pairs whose last answer still holds because neither body has moved */
    uint64_t part_queries; /**< counter: pairs of convex parts queried */
    uint64_t found;        /**< counter: pairs that entered the list of near pairs */
    uint64_t dropped;      /**< counter: pairs that left it */
} apart_world_stats;

/** Makes an empty world. options may be NULL. APART_ERR_NULL, APART_ERR_OPTION (more than 256 threads, more than 2^30
 *  bodies or pairs), APART_ERR_MEMORY. */
APART_API apart_status apart_world_create(const apart_world_options *options, apart_world **out);

/** Frees a world; NULL is allowed. In a callback of this world the call does nothing. */
APART_API void apart_world_free(apart_world *world);

/** Sets the number of threads, which does not change any answer. APART_ERR_NULL, APART_ERR_OPTION. */
APART_API apart_status apart_world_set_threads(apart_world *world, uint32_t threads);

/** Adds a body. All bodies of a world have the same dimension: that of the first. id may be NULL. APART_ERR_NULL
 *  (not exactly one of shape, compound and mesh), APART_ERR_NOT_WATERTIGHT, APART_ERR_DIMENSION, APART_ERR_SIZE (max_bodies), APART_ERR_MEMORY, the
 *  status of the shape or the pose. */
APART_API apart_status apart_world_add(apart_world *world, const apart_body_def *def, apart_body_id *id);

/** Removes a body and its disabled pairs. APART_ERR_ID when the id is not valid (any more), as in all calls below;
 *  APART_ERR_BUSY in a callback of this world, as from all calls that change it. */
APART_API apart_status apart_world_remove(apart_world *world, apart_body_id id);

/** Sets the pose of a body; the step may be small or large. APART_ERR_ID, APART_ERR_NONFINITE, APART_ERR_ROTATION,
 *  APART_ERR_DIMENSION. */
APART_API apart_status apart_world_move(apart_world *world, apart_body_id id, const apart_pose *pose);

/** Moves many bodies, on the world's threads. Either all are moved or none: every id and pose is checked first. A
 *  body that occurs twice takes its poses in order. */
APART_API apart_status apart_world_move_many(apart_world *world, const apart_body_id *ids, const apart_pose *poses,
                                             size_t count);

/** Reads the definition of a body with its current pose. def->solid points into the world and is valid until the next
 *  call that changes the world. */
APART_API apart_status apart_world_get(const apart_world *world, apart_body_id id, apart_body_def *def);

/** Sets the filter bits of a body. Two bodies are never paired if (a.groups & b.ignores) | (b.groups & a.ignores) is
 *  not zero. */
APART_API apart_status apart_world_set_filter(apart_world *world, apart_body_id id, uint32_t groups, uint32_t ignores);

/** Sets category and mask of a body, which mean what they mean in apart_body_def. */
APART_API apart_status apart_world_set_mask(apart_world *world, apart_body_id id, uint64_t category, uint64_t mask);

/** Says that the answers of the world's apart_pair_filter about a body may have changed. */
APART_API apart_status apart_world_refilter(apart_world *world, apart_body_id id);

/** Excludes a pair from all queries, or includes it again; repeating the call has no effect. APART_ERR_OPTION when a
 *  and b are the same, APART_ERR_MEMORY. */
APART_API apart_status apart_world_disable_pair(apart_world *world, apart_body_id a, apart_body_id b, int disabled);

/** The number of bodies. */
APART_API size_t apart_world_count(const apart_world *world);

/** The number of slots that are in use or were used before: the slots of all ids are below it. */
APART_API size_t apart_world_slots(const apart_world *world);

/** The body in a slot; a handle of zeros if there is none. */
APART_API apart_body_id apart_world_body(const apart_world *world, size_t slot);

/** Brings the tree and the near pairs up to date. Queries that may change the world do this themselves; queries of a
 *  const world always answer for the current poses. After APART_ERR_MEMORY the world is still consistent, and the
 *  next call tries again. */
APART_API apart_status apart_world_update(apart_world *world);

/** All pairs nearer than `distance` (any sign; 0: the overlapping pairs), each with its exact distance, in a
 *  repeatable order. list.depth selects what is computed for overlapping pairs: exact depths dominate the cost; with
 *  APART_DEPTH_NONE these pairs have distance 0 as from apart_distance. The first call with a larger distance than
 *  before searches for all near pairs again.
 *  Statuses: APART_ERR_NULL, APART_ERR_OPTION (distance is NaN, depth is not an apart_depth, tolerance is below 0),
 *  APART_ERR_MEMORY, or that of apart_distance for a pair. */
APART_API apart_status apart_world_below(apart_world *world, double distance, apart_world_list *list);

/** All pairs that touch or overlap, without depths: distance 0, lower -infinity, upper 0; points and normal are those
 *  of the pair's last query. Cheaper than apart_world_below, with the same statuses. */
APART_API apart_status apart_world_overlaps(apart_world *world, apart_world_list *list);

/** The list.capacity nearest pairs, nearest first (equal ones by slots). Overlapping pairs are ordered by their
 *  depth, or count as 0 with APART_DEPTH_NONE. list.complete is 1 unless the search ended because `max_queries` pairs
 *  (0: no limit) had been queried. Statuses as apart_world_below; APART_ERR_OPTION for a capacity of 0. */
APART_API apart_status apart_world_nearest(apart_world *world, uint64_t max_queries, apart_world_list *list);

/** A filter of one query: 0 if the body does not count. While it runs, calls that would change the world return
 *  APART_ERR_BUSY. */
typedef int apart_body_filter(void *context, apart_body_id body, uint64_t user);

/** The subject of a query: a body of the world, or a solid that is not in the world. All fields but `body` or `solid`
 *  may be zero. */
typedef struct apart_probe {
    apart_body_id body;        /**< a body of the world, with its solid, pose, filters and disabled pairs; solid, pose,
                          *   groups, ignores, user, category and mask are then ignored. Zeros: none */
    apart_solid solid;         /**< the solid to query */
    apart_pose pose;           /**< where it is */
    uint32_t groups;           /**< bits of its groups */
    uint32_t ignores;          /**< bits of the groups it ignores */
    double within;             /**< only bodies nearer than this; 0: any distance */
    uint64_t user;             /**< user data for the filters */
    uint64_t category;         /**< bits of what it is; 0: all bits, so that every body's mask admits it */
    uint64_t mask;             /**< bits of what it may meet; 0: everything */
    apart_body_filter *filter; /**< NULL: none. It is asked about a body of the world, too */
    void *filter_context;      /**< passed to it */
} apart_probe;

/** The list.capacity bodies nearest to the probe, nearest first (equal ones by slot): A is the probe, B the body.
 *  APART_ERR_ID, APART_ERR_OPTION, or the status of apart_distance. */
APART_API apart_status apart_world_near(const apart_world *world, const apart_probe *probe, apart_world_list *list);

/** The same for many probes, each with its own list, on the world's threads. Returns the status of the first probe
 *  that fails. */
APART_API apart_status apart_world_near_many(const apart_world *world, const apart_probe *probes, size_t count,
                                             apart_world_list *lists);

/** The first body that a ray hits. */
typedef struct apart_world_ray_hit {
    apart_ray_hit hit;  /**< as from apart_raycast; hit.hit is 0 when the ray hits nothing */
    apart_body_id body; /**< the body; zeros if none */
    uint32_t part;      /**< its part; 0 for a shape */
    uint64_t user;      /**< its user data */
} apart_world_ray_hit;

/** The first body on a ray that belongs to none of the groups `ignores`; of bodies at the same distance, the one in
 *  the lowest slot.
 *  Statuses as apart_raycast. */
APART_API apart_status apart_world_raycast(const apart_world *world, const apart_ray *ray, uint32_t ignores,
                                           apart_world_ray_hit *hit);

/** The same for many rays, on the world's threads. Returns the status of the first ray that fails. */
APART_API apart_status apart_world_raycast_many(const apart_world *world, const apart_ray *rays, size_t count,
                                                uint32_t ignores, apart_world_ray_hit *hits);

/** Reads the statistics. */
APART_API apart_status apart_world_get_stats(const apart_world *world, apart_world_stats *stats);

/** Sets the counters to zero. */
APART_API void apart_world_reset_stats(apart_world *world);

/** The size in bytes of a snapshot taken now. */
APART_API size_t apart_world_snapshot_size(const apart_world *world);

/** Writes the whole world, with caches and counters, to one block of memory, which may be copied anywhere. The block
 *  contains pointers to compounds, meshes and to what shapes borrow, so it is valid in this process while those live.
 *  APART_ERR_SIZE when `size` is too small. */
APART_API apart_status apart_world_snapshot(const apart_world *world, void *memory, size_t size);

/** Restores the state of a snapshot, with the same ids: the same calls then give the same bits. The world keeps its
 *  own allocator, threads and limits. APART_ERR_BLOCK when the memory is not an intact snapshot, APART_ERR_SIZE when
 *  it exceeds the limits, APART_ERR_MEMORY; the world is then unchanged. */
APART_API apart_status apart_world_restore(apart_world *world, const void *memory, size_t size);

#ifdef __cplusplus
}
#endif
#endif
