/** @file
 * apart/world_query.h: what an engine asks of a world: casts, overlaps, rays through everything, contacts, events.
 *
 *     apart_probe probe = {.solid = apart_solid_shape(&capsule), .pose = pose, .mask = LEVEL | DOORS};
 *     apart_world_cast_hit hit;
 *     apart_world_cast(world, &probe, displacement, NULL, &hit);        // the first body in its way
 *     if (hit.impact.impact.outcome != APART_OUTCOME_CLEAR) { ... hit.body, hit.user, hit.impact.impact.t ... }
 *
 *     apart_contact_options options = {.margin = 0.01};
 *     apart_world_contact_list list = {.contacts = room, .capacity = 1000};
 *     apart_world_contacts(world, &options, &list);                     // manifolds of all bodies that touch
 *
 * Every query with a probe sees the bodies that its bits, its filter and the world's filter admit (apart/world.h).
 * Functions of the caller get one answer at a time. While one runs, calls that would change the world return
 * APART_ERR_BUSY, and the query goes on as if they had not been made. Queries of a const world allocate nothing, and
 * many threads may ask at once.
 * Read next: apart/contact.h (manifolds), examples/13_engine_loop.c, examples/14_character.c.
 */
#ifndef APART_WORLD_QUERY_H
#define APART_WORLD_QUERY_H

#include "contact.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- casts ---- */

/** A body in the way of a moving solid. */
typedef struct apart_world_cast_hit {
    apart_compound_impact
        impact;         /**< as from apart_compound_sweep, with the probe as A. impact.impact.outcome: HIT, START
                                   *   (already touching), LIMIT (it may hit after t: see apart_impact); of
                                   *   apart_world_cast also CLEAR: nothing is in the way, and only that is meaningful */
    apart_body_id body; /**< the body; zeros if none */
    uint64_t user;      /**< its user data */
} apart_world_cast_hit;

/** Gets a hit; hits come in no particular order. Returns up to which share of the way hits still matter: 1 for all,
 *  hit->impact.impact.t for none after this one, a negative number to end the query. */
typedef double apart_world_cast_fn(void *context, const apart_world_cast_hit *hit);

/** The first body that a solid meets while it translates by `displacement`; of several at the same time, the one in the
 *  lowest slot. options as for apart_sweep (NULL: defaults): a gap within the tolerance is a contact, and a body that is
 *  passed nearer than that may count as hit. probe->within is not used.
 *  APART_ERR_NULL, APART_ERR_ID, APART_ERR_NONFINITE, APART_ERR_DIMENSION, APART_ERR_HALF_SPACE (the probe is one), or
 *  the status of apart_compound_sweep. */
APART_API apart_status apart_world_cast(const apart_world *world, const apart_probe *probe, apart_vec3 displacement,
                                        const apart_motion_options *options, apart_world_cast_hit *hit);

/** The same for all bodies in the way, each with the first contact with it, given to `visit`. */
APART_API apart_status apart_world_cast_visit(const apart_world *world, const apart_probe *probe,
                                              apart_vec3 displacement, const apart_motion_options *options,
                                              apart_world_cast_fn *visit, void *context);

/** Room for hits of casts. */
typedef struct apart_world_cast_list {
    apart_world_cast_hit *hits; /**< set by the caller: room for `capacity` hits */
    size_t capacity;            /**< set by the caller */
    size_t count;               /**< hits stored */
    size_t total;               /**< hits found; more than count when the capacity was too small */
} apart_world_cast_list;

/** The first list.capacity bodies in the way, in the order in which they are met; equal times by slot. */
APART_API apart_status apart_world_cast_all(const apart_world *world, const apart_probe *probe, apart_vec3 displacement,
                                            const apart_motion_options *options, apart_world_cast_list *list);

/* ---- rays ---- */

/** Gets a hit; hits come in no particular order. Returns up to which distance hits still matter: INFINITY for all,
 *  hit->hit.distance for none behind this one, a negative number to end the query. */
typedef double apart_world_ray_fn(void *context, const apart_world_ray_hit *hit);

/** All bodies on a ray, each where the ray enters it first. Of `filter` only the fields that filter are read, body
 *  included; NULL: all bodies. Statuses as apart_world_raycast, APART_ERR_ID. */
APART_API apart_status apart_world_raycast_visit(const apart_world *world, const apart_ray *ray,
                                                 const apart_probe *filter, apart_world_ray_fn *visit, void *context);

/** Room for hits of rays. */
typedef struct apart_world_ray_list {
    apart_world_ray_hit *hits; /**< set by the caller: room for `capacity` hits */
    size_t capacity;           /**< set by the caller */
    size_t count;              /**< hits stored */
    size_t total;              /**< hits found; more than count when the capacity was too small */
} apart_world_ray_list;

/** The first list.capacity bodies on a ray, nearest first; equal distances by slot. */
APART_API apart_status apart_world_raycast_all(const apart_world *world, const apart_ray *ray,
                                               const apart_probe *filter, apart_world_ray_list *list);

/* ---- overlaps ---- */

/** Gets a body and the part of it that decided; 0 for a shape. Returns 0 to end the query. */
typedef int apart_world_body_fn(void *context, apart_body_id body, uint64_t user, uint32_t part);

/** The bodies that touch or overlap the probe; with probe->within > 0, those nearer than that. In no particular order.
 *  Statuses as apart_world_near. */
APART_API apart_status apart_world_overlap(const apart_world *world, const apart_probe *probe,
                                           apart_world_body_fn *visit, void *context);

/** The bodies whose own axis-aligned boxes meet a box: cheap, and no body in it is missed; part is 0. Half-spaces are
 *  tested exactly. Of `filter` only the fields that filter are read; NULL: all bodies. APART_ERR_NONFINITE,
 *  APART_ERR_NEGATIVE_SIZE (a box whose max is below its min), APART_ERR_ID. */
APART_API apart_status apart_world_in_box(const apart_world *world, const apart_aabb *box, const apart_probe *filter,
                                          apart_world_body_fn *visit, void *context);

/* ---- contacts ---- */

/** The contact manifold of two bodies, or of two of their parts. */
typedef struct apart_world_contact {
    apart_body_id a;         /**< the body in the lower slot */
    apart_body_id b;         /**< the other */
    uint64_t user_a;         /**< user data of A */
    uint64_t user_b;         /**< user data of B */
    uint32_t part_a;         /**< the part of A; 0 for a shape */
    uint32_t part_b;         /**< the part of B */
    uint64_t part_user_a;    /**< user data of that part; 0 for a shape */
    uint64_t part_user_b;    /**< user data of the part of B */
    apart_manifold manifold; /**< as from apart_contact; its result has no simplex */
} apart_world_contact;

/** Room for contacts. */
typedef struct apart_world_contact_list {
    apart_world_contact *contacts; /**< set by the caller: room for `capacity` contacts; NULL: they are only counted */
    size_t capacity;               /**< set by the caller */
    size_t count;                  /**< contacts stored */
    size_t total;                  /**< contacts found; more than count when the capacity was too small */
} apart_world_contact_list;

/** The contacts of all bodies that are nearer than options->margin, from the same pairs as apart_world_below, in a
 *  repeatable order. Compounds and meshes have a contact for each pair of parts that is nearer than the margin; a mesh
 *  counts as its triangles, and has no contacts deep inside. options NULL:
 *  defaults; a margin of 0 stands for 1e-6 of the world's largest bounded body; the depth cache must be NULL. Contacts of bodies without parts are made on the world's threads, and
 *  places of the list beyond its count may be written to.
 *  Statuses as apart_world_below and apart_contact. */
APART_API apart_status apart_world_contacts(apart_world *world, const apart_contact_options *options,
                                            apart_world_contact_list *list);

/* ---- events ---- */

/** Two bodies that came together, or parted. Ids and user data stay as they were when they came together, so those of
 *  a removed body can still be recognised. */
typedef struct apart_world_touch {
    apart_body_id a; /**< the body in the lower slot */
    apart_body_id b; /**< the other */
    uint64_t user_a; /**< user data of A */
    uint64_t user_b; /**< user data of B */
} apart_world_touch;

/** What has changed since the call before. */
typedef struct apart_world_event_list {
    apart_world_touch *begin; /**< set by the caller: room for begin_capacity pairs; may be NULL if that is 0 */
    size_t begin_capacity;    /**< set by the caller */
    apart_world_touch *end;   /**< set by the caller: room for end_capacity pairs; may be NULL if that is 0 */
    size_t end_capacity;      /**< set by the caller */
    size_t begin_count;       /**< pairs that have come together, in the order of their slots */
    size_t end_count;         /**< pairs that have parted, likewise; also because a body was removed or filtered */
} apart_world_event_list;

/** Compares the pairs of bodies that are now nearer than `margin` >= 0 (0: those that touch or overlap) with those of
 *  the call before. The world remembers them, and snapshots hold them. APART_ERR_SIZE: one of the lists is too short;
 *  the counts say what is needed, nothing is remembered, and the call can be repeated. Other statuses as
 *  apart_world_below. */
APART_API apart_status apart_world_events(apart_world *world, double margin, apart_world_event_list *events);

#ifdef __cplusplus
}
#endif
#endif
