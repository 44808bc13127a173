/** @file
 * apart/world.h: many moving bodies, and queries that only look where they must.
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
 * The world keeps a tree of boxes, the pairs that are near each other with a cache each, and for every body a bound of how far
 * any of its points can have moved. A pair whose last certified distance exceeds what its two bodies can have moved since is not
 * looked at again; apart_world_stats counts how often. The answers are those of asking every pair, except that pairs whose bounds
 * straddle a threshold may count either way.
 *
 * Same calls, same bits, on any number of threads. Functions that take a const world may run in many threads at once, all others
 * need the world alone.
 * Shapes are copied, what they borrow and compounds are borrowed. Memory is that of the options' allocator; a world grows with its
 * bodies and with the pairs it keeps, up to options.max_pairs.
 * Read next: apart/compound.h, docs/how-it-works.md.
 */
#ifndef APART_WORLD_H
#define APART_WORLD_H

#include "compound.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Many bodies: opaque. */
typedef struct apart_world apart_world;

/** Names a body of a world for as long as it is in it, and nothing afterwards. All bytes zero never name a body. */
typedef struct apart_body_id {
    uint32_t slot;       /**< below apart_world_slots(); the slot of a removed body is used again */
    uint32_t generation; /**< tells the bodies of a slot from each other */
} apart_body_id;

/** How a world is made. All bytes zero: the defaults. */
typedef struct apart_world_options {
    apart_allocator allocator; /**< for everything the world keeps */
    uint32_t threads;          /**< 0 or 1: none but the caller's; needs a library built with OpenMP, otherwise the caller's does all */
    uint32_t max_bodies;       /**< 0: 2^24 */
    uint32_t max_pairs;        /**< pairs kept with their caches, about 300 bytes each; 0: 2^20. Worlds with more near pairs work without
                                *   caches */
} apart_world_options;

/** A body to add. */
typedef struct apart_body_def {
    apart_solid solid;  /**< a shape (copied) or a compound (borrowed); a half-space is fine */
    apart_pose pose;    /**< where it is */
    uint32_t groups;    /**< bits of the groups it belongs to */
    uint32_t ignores;   /**< bits of the groups it is never paired with */
    uint64_t user;      /**< the caller's own, handed back by apart_world_get */
} apart_body_def;

/** Two bodies and what is known about them. World frame; normal from A to B. */
typedef struct apart_world_pair {
    apart_body_id a;     /**< the body in the lower slot; of apart_world_near: the one asked about, or zeros */
    apart_body_id b;     /**< the other */
    uint32_t part_a;     /**< the part of A that decides; 0 for a shape */
    uint32_t part_b;     /**< of B */
    double distance;     /**< signed */
    double lower;        /**< certified: lower <= true value */
    double upper;        /**< certified: true value <= upper */
    apart_vec3 point_a;  /**< witness point on A */
    apart_vec3 point_b;  /**< on B */
    apart_vec3 normal;   /**< unit, from A to B */
    uint32_t relation;   /**< apart_relation */
} apart_world_pair;

/** Where pairs go, and how many there were. */
typedef struct apart_world_list {
    apart_world_pair *pairs; /**< room for `capacity` pairs; NULL: they are only counted */
    size_t capacity;         /**< set by the caller */
    double tolerance;        /**< set by the caller: distances need not be known better than this; 0: down to rounding. Curved shapes take
                              *   long for the last digits */
    int depth;               /**< set by the caller: apart_depth, what to find out about overlapping pairs; 0: the exact depth */
    size_t count;            /**< pairs stored */
    size_t total;            /**< pairs found; more than count when there was no room */
    int complete;            /**< 1: all were found; 0: the search ended when the room or options.max_pairs was used up, and there may be
                              *   more */
} apart_world_list;

/** What a world has done. The counters are added to from its creation or the last reset. */
typedef struct apart_world_stats {
    uint64_t bodies;        /**< now */
    uint64_t pairs;         /**< now kept with a cache */
    uint64_t height;        /**< of the tree, now */
    uint64_t memory;        /**< bytes held, now */
    uint64_t moves;         /**< poses given */
    uint64_t refits;        /**< bodies whose box in the tree had to be made anew */
    uint64_t queries;       /**< pairs of bodies looked at: distance or overlap computed */
    uint64_t saved;         /**< pairs not looked at because their last bounds and the bodies' motion decide */
    uint64_t reused;        /**< pairs whose last answer still holds because neither body has moved */
    uint64_t part_queries;  /**< pairs of convex parts looked at */
    uint64_t found;         /**< pairs that came into the list of near ones */
    uint64_t dropped;       /**< pairs that left it */
} apart_world_stats;

/** Makes an empty world. options may be NULL. APART_ERR_NULL, APART_ERR_OPTION (more than 256 threads, more than 2^30 bodies or pairs),
 *  APART_ERR_MEMORY. */
apart_status apart_world_create(const apart_world_options *options, apart_world **out);

/** Frees a world; NULL is fine. */
void apart_world_free(apart_world *world);

/** Another number of threads; the answers stay the same bits. APART_ERR_NULL, APART_ERR_OPTION. */
apart_status apart_world_set_threads(apart_world *world, uint32_t threads);

/** Adds a body. All bodies of a world have the same dimension: that of the first. id may be NULL. APART_ERR_NULL (neither or both of
 *  shape and compound), APART_ERR_DIMENSION, APART_ERR_SIZE (max_bodies), APART_ERR_MEMORY, the status of the shape or the pose. */
apart_status apart_world_add(apart_world *world, const apart_body_def *def, apart_body_id *id);

/** Takes a body out; its disabled pairs are forgotten. APART_ERR_ID when the id names no body (any more), as in all calls below. */
apart_status apart_world_remove(apart_world *world, apart_body_id id);

/** Gives a body another pose: a small step or a jump. APART_ERR_ID, APART_ERR_NONFINITE, APART_ERR_ROTATION, APART_ERR_DIMENSION. */
apart_status apart_world_move(apart_world *world, apart_body_id id, const apart_pose *pose);

/** Moves many bodies, on the world's threads. Either all are moved or none: every id and pose is checked first. A body that is named
 *  twice takes its poses in order. */
apart_status apart_world_move_many(apart_world *world, const apart_body_id *ids, const apart_pose *poses, size_t count);

/** What a body is and where: its def; def->solid points into the world and holds until the next call that changes it. */
apart_status apart_world_get(const apart_world *world, apart_body_id id, apart_body_def *def);

/** Other filter bits for a body: it is never paired with bodies for which (a.groups & b.ignores) | (b.groups & a.ignores) is not zero. */
apart_status apart_world_set_filter(apart_world *world, apart_body_id id, uint32_t groups, uint32_t ignores);

/** Takes a pair out of all queries, or back in. Doing it twice does no harm. APART_ERR_OPTION when a and b are the same,
 *  APART_ERR_MEMORY. */
apart_status apart_world_disable_pair(apart_world *world, apart_body_id a, apart_body_id b, int disabled);

/** How many bodies there are. */
size_t apart_world_count(const apart_world *world);

/** Slots in use or used before: ids have slots below this. */
size_t apart_world_slots(const apart_world *world);

/** The body in a slot; zeros if there is none. */
apart_body_id apart_world_body(const apart_world *world, size_t slot);

/** Brings tree and near pairs up to date. Queries that may change the world do it themselves; those on a const world answer for the
 *  poses as they are in any case. APART_ERR_MEMORY: the world is whole, and the next call tries again. */
apart_status apart_world_update(apart_world *world);

/** All pairs nearer than `distance` (any sign; distance 0: the overlapping ones), each with its exact distance, in a repeatable order.
 *  list.depth says what is wanted of overlapping pairs: their depths are the dearest part, and with APART_DEPTH_NONE they have distance
 *  0 as from apart_distance. The first call with a larger distance than before looks for near pairs anew. APART_ERR_NULL,
 *  APART_ERR_OPTION (NaN, no apart_depth, a tolerance below 0), APART_ERR_MEMORY, or what apart_distance says about a pair. */
apart_status apart_world_below(apart_world *world, double distance, apart_world_list *list);

/** All pairs that touch or overlap, without depths: distance 0, lower -infinity, upper 0; points and normal are those of the last look.
 *  Cheaper than apart_world_below. Statuses likewise. */
apart_status apart_world_overlaps(apart_world *world, apart_world_list *list);

/** The list.capacity nearest pairs, nearest first (equal ones by slots); overlapping pairs count by their depth, or with
 *  APART_DEPTH_NONE as 0. list.complete is 1 unless `max_queries` pairs (0: no limit) were looked at before the end. Statuses as
 *  apart_world_below; APART_ERR_OPTION for no room. */
apart_status apart_world_nearest(apart_world *world, uint64_t max_queries, apart_world_list *list);

/** A question about one body, or about a solid that is not in the world. All bytes zero but the solid, or `body`, is fine. */
typedef struct apart_probe {
    apart_body_id body;  /**< a body of the world: its solid, pose, filter and disabled pairs count, the fields below do not; zeros: none */
    apart_solid solid;   /**< what is asked about */
    apart_pose pose;     /**< where it is */
    uint32_t groups;     /**< its groups */
    uint32_t ignores;    /**< what it does not see */
    double within;       /**< only bodies nearer than this; 0: any distance */
} apart_probe;

/** The list.capacity bodies nearest to the probe, nearest first (equal ones by slot): A is the probe, B the body. APART_ERR_ID,
 *  APART_ERR_OPTION, or what apart_distance says. */
apart_status apart_world_near(const apart_world *world, const apart_probe *probe, apart_world_list *list);

/** The same for many probes, each with a list of its own, on the world's threads. The first probe that fails gives the status. */
apart_status apart_world_near_many(const apart_world *world, const apart_probe *probes, size_t count, apart_world_list *lists);

/** What a ray meets first. */
typedef struct apart_world_ray_hit {
    apart_ray_hit hit;  /**< as from apart_raycast; hit.hit is 0 when it meets nothing */
    apart_body_id body; /**< the body; zeros if none */
    uint32_t part;      /**< its part; 0 for a shape */
} apart_world_ray_hit;

/** The first body on a ray that belongs to none of the groups `ignores`; of bodies at the same distance the one in the lowest slot.
 *  Statuses as apart_raycast. */
apart_status apart_world_raycast(const apart_world *world, const apart_ray *ray, uint32_t ignores, apart_world_ray_hit *hit);

/** The same for many rays, on the world's threads. The first ray that fails gives the status. */
apart_status apart_world_raycast_many(const apart_world *world, const apart_ray *rays, size_t count, uint32_t ignores,
                                      apart_world_ray_hit *hits);

/** The counters. */
apart_status apart_world_get_stats(const apart_world *world, apart_world_stats *stats);

/** Sets the counters to zero. */
void apart_world_reset_stats(apart_world *world);

/** Bytes that a snapshot takes now. */
size_t apart_world_snapshot_size(const apart_world *world);

/** Writes all of the world, caches and counters included, to one block of memory, which may be copied anywhere. It holds pointers to
 *  compounds and to what shapes borrow, and so is good for this process while they live. APART_ERR_SIZE when `size` is too small. */
apart_status apart_world_snapshot(const apart_world *world, void *memory, size_t size);

/** Makes a world what it was when the snapshot was taken, ids included: the same calls then give the same bits. The world keeps its own
 *  allocator, threads and limits. APART_ERR_BLOCK for anything that is no intact snapshot, APART_ERR_SIZE when it exceeds the limits,
 *  APART_ERR_MEMORY; the world is then unchanged. */
apart_status apart_world_restore(apart_world *world, const void *memory, size_t size);

#ifdef __cplusplus
}
#endif
#endif
