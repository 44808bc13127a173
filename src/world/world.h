/* The state of a world, for the files of this folder.
 *
 * Every body has a `motion`, a number that only grows: each new pose adds at least as much as any point of the body
 * has moved. The difference of two readings therefore bounds the displacement between them. Boxes in the tree and
 * bounds of pairs store the reading at which they were computed, and they hold as long as the difference is smaller
 * than their slack. A body that moves a little costs neither a new box nor a new distance. */
#ifndef AP_WORLD_WORLD_H
#define AP_WORLD_WORLD_H

#include <apart/world_query.h>

#include "../base/atomic.h"
#include "../base/executor.h"
#include "../parts/tree.h"
#include "aabb_tree.h"
#include "pair_table.h"

typedef enum ap_body_state { AP_BODY_FREE = 0, AP_BODY_ALIVE = 1, AP_BODY_LEAVING = 2 } ap_body_state;

typedef struct ap_body {
    apart_shape shape;
    const apart_compound *compound; /* both NULL: the body is the shape */
    const apart_mesh *mesh;
    apart_pose pose;
    double defect;     /* how far the pose's rotation is from orthogonal */
    apart_vec3 center; /* of a bounding sphere, in the body's frame */
    double radius;     /* infinite for a half-space */
    double margin;     /* the box in the tree holds as long as motion - mark <= margin */
    double mark;
    double last_step; /* bound of the displacement by the last pose */
    uint64_t user;
    uint32_t generation;
    uint32_t leaf; /* AP_NO_NODE for a half-space, which has no box */
    uint32_t groups, ignores;
    uint64_t category, mask;
    uint8_t state;       /* ap_body_state */
    uint8_t queued;      /* it needs a new box and is in world->queue */
    uint8_t changed;     /* the next update checks its pairs */
    uint8_t seen;        /* the batch of poses that is being applied has moved it already */
    uint8_t surface;     /* of the mesh its triangles alone */
    uint8_t reserved[3]; /* a snapshot has no undefined bytes */
} ap_body;

/* A listed pair that its bounds do not exclude from a query. */
typedef struct ap_pair_task {
    uint32_t pair;
    int32_t status;
    uint32_t part_queries; /* pairs of parts that were evaluated */
    uint32_t stale;        /* 0: the last answer still holds */
} ap_pair_task;

struct apart_world {
    apart_allocator allocator;
    uint32_t threads, max_bodies, max_pairs;
    apart_executor executor;
    ap_owned *owned;           /* what an archive gave it */
    apart_pair_filter *filter; /* NULL: none */
    void *filter_context;
    AP_ATOMIC(uint32_t) callbacks; /* of the caller that are running */
    int dim;                       /* 0: no body yet */
    uint32_t alive;
    ap_array bodies;     /* of ap_body, by slot */
    ap_array motions;    /* of double, by slot */
    ap_array free_slots; /* of uint32_t; the last is used first */
    ap_array leaving;    /* slots of removed bodies, free when their pairs are gone */
    ap_array queue;      /* slots of bodies that need a new box */
    ap_array unbounded;  /* slots of half-spaces */
    ap_array boxes;      /* scratch: of apart_aabb */
    ap_array leaves;     /* scratch: of ap_leaf */
    ap_array tasks;      /* scratch: of ap_pair_task */
    ap_array numbers;    /* scratch: of double */
    ap_array near;       /* scratch: of apart_world_pair */
    ap_array parts;      /* scratch: of apart_part_pair */
    ap_array together;   /* of apart_world_touch: the pairs that events know, in the order of their slots */
    ap_array touching;   /* scratch: likewise */
    ap_tree tree;
    ap_pair_table pairs;
    ap_pair_set disabled;
    double list_distance;     /* the list holds all pairs nearer than this, if `listed` */
    double overflow_distance; /* a list for queries of this distance would exceed max_pairs */
    double largest_asked;     /* the largest distance of the last `asked_count` queries */
    uint32_t asked_count;
    uint64_t refits_at_overflow; /* stats.refits when the list last overflowed */
    uint8_t listed;              /* the list of near pairs is complete */
    uint8_t dirty;               /* some body is `changed` */
    uint8_t rebase;              /* motions have become too large to add to */
    apart_world_stats stats;
};

static inline ap_body *ap_world_slot(const apart_world *world, size_t slot)
{
    return (ap_body *)world->bodies.items + slot;
}

static inline double *ap_world_motion(const apart_world *world, size_t slot)
{
    return (double *)world->motions.items + slot;
}

static inline apart_solid ap_body_solid(const ap_body *body)
{
    const bool is_shape = body->compound == NULL && body->mesh == NULL;
    return (apart_solid){.shape = is_shape ? &body->shape : NULL,
                         .compound = body->compound,
                         .mesh = body->mesh,
                         .surface = body->surface};
}

static inline bool ap_body_is_unbounded(const ap_body *body)
{
    return body->compound == NULL && body->mesh == NULL && body->shape.kind == APART_SHAPE_HALF_SPACE;
}

static inline apart_body_id ap_world_id(const apart_world *world, uint32_t slot)
{
    return (apart_body_id){slot, ap_world_slot(world, slot)->generation};
}

/* ---- bodies.c ---- */

/* The body that an id names, or NULL. */
ap_body *ap_world_find(const apart_world *world, apart_body_id id);

/* ---- filter.c ---- */

/* What a body or probe is, and what it may meet. */
typedef struct ap_filter_bits {
    uint32_t groups, ignores;
    uint64_t category, mask;
} ap_filter_bits;

ap_filter_bits ap_body_bits(const ap_body *body);
bool ap_bits_admit(const ap_filter_bits *a, const ap_filter_bits *b);

/* May the two bodies form a pair, by their states, bits and disabled pairs? */
bool ap_world_admits(const apart_world *world, uint32_t a, uint32_t b);

/* And by the caller's filter? */
bool ap_world_asks(const apart_world *world, apart_body_id a, uint64_t user_a, apart_body_id b, uint64_t user_b);
bool ap_world_asks_slots(const apart_world *world, uint32_t a, uint32_t b);

/* Around every call of a function of the caller, in queries of a const world, too. */
static inline void ap_world_enter_callback(const apart_world *world)
{
    ap_atomic_add(&((apart_world *)world)->callbacks, 1u);
}

static inline void ap_world_leave_callback(const apart_world *world)
{
    ap_atomic_add(&((apart_world *)world)->callbacks, UINT32_MAX);
}

/* Does a callback run? Then the world must not be changed. */
static inline bool ap_world_is_busy(const apart_world *world)
{
    return ap_atomic_load(&((apart_world *)world)->callbacks) != 0;
}

/* ---- motion_bound.c ---- */

/* An upper bound of the displacement of any point of the body, from its pose to another. */
double ap_motion_bound(const ap_body *body, const apart_pose *to, double defect);

/* Adds a step to a body's motion, and puts the body into the queue when it may have left its box. */
void ap_motion_add(apart_world *world, uint32_t slot, double step);

/* Starts all motions from zero again; bounds and margins are reduced by the motion so far. */
void ap_motion_rebase(apart_world *world);

/* Puts a body into the queue for a new box. */
void ap_world_queue(apart_world *world, uint32_t slot);

/* An upper bound of how far the two bodies of a pair have moved, together, since its marks. */
static inline double ap_pair_motion(const apart_world *world, const ap_pair_bounds *pair)
{
    const double *motion = world->motions.items;
    return ((motion[pair->a] - pair->mark_a) + (motion[pair->b] - pair->mark_b)) * (1.0 + 4.0 * DBL_EPSILON);
}

/* Bounds of the signed distance now: it changes by no more than the bodies move, since their support functions do. */
static inline double ap_pair_lower_now(const ap_pair_bounds *pair, double moved)
{
    return moved == 0.0 ? pair->lower : (pair->lower - moved) - 2.0 * DBL_EPSILON * (fabs(pair->lower) + moved);
}

static inline double ap_pair_upper_now(const ap_pair_bounds *pair, double moved)
{
    return moved == 0.0 ? pair->upper : (pair->upper + moved) + 2.0 * DBL_EPSILON * (fabs(pair->upper) + moved);
}

/* ---- broad_phase.c ---- */

/* Brings boxes and list up to date. Afterwards the list holds all pairs nearer than `distance` if *listed. */
apart_status ap_world_list_near_pairs(apart_world *world, double distance, bool *listed);

/* A lower bound >= 0 of the distance between a half-space and a box. */
double ap_half_space_gap(const ap_body *half_space, const apart_aabb *box);

/* ---- near_box_pairs.c ---- */

/* Visits the pairs of bodies whose boxes are nearer than *limit, which a visit may lower. */
typedef struct ap_near_box_pairs {
    const apart_world *world;
    double *limit;
    /* Gets two slots, a < b. Setting *stop ends the traversal. */
    apart_status (*visit)(void *context, uint32_t a, uint32_t b, bool *stop);
    void *context;
} ap_near_box_pairs;
apart_status ap_world_visit_near_boxes(const ap_near_box_pairs *traversal);

/* ---- pair_query.c ---- */

/* What is asked about a pair of bodies. */
typedef struct ap_pair_query {
    double limit; /* distances beyond this need not be exact */
    double tolerance;
    int depth;         /* apart_depth */
    bool overlap_only; /* only whether they overlap is asked */
} ap_pair_query;

/* Are the options of a caller's list valid? */
static inline bool ap_list_is_valid(const apart_world_list *list)
{
    return list->depth >= APART_DEPTH_EXACT && list->depth <= APART_DEPTH_NONE && list->tolerance >= 0.0 &&
           list->tolerance < INFINITY;
}

/* The distance of two bodies. The cache may be NULL. */
apart_status ap_world_query_pair(const apart_world *world, uint32_t a, uint32_t b, const apart_options *options,
                                 apart_compound_cache *cache, apart_compound_result *result);

/* Queries a listed pair again and stores bounds, cache and answer. The world is only read. */
apart_status ap_world_requery_pair(const apart_world *world, ap_pair_bounds *pair, ap_pair_answer *answer,
                                   const ap_pair_query *query, uint32_t *part_queries);

/* Does the stored answer of a listed pair answer this query? It can only if the bodies have not moved. */
bool ap_pair_answer_holds(const ap_pair_bounds *pair, const ap_pair_answer *answer, double moved,
                          const ap_pair_query *query);

/* Writes the result of a query of two bodies for the caller. */
void ap_world_write_result(const apart_world *world, uint32_t a, uint32_t b, const apart_compound_result *result,
                           apart_world_pair *out);

/* Writes the stored answer of a listed pair for the caller. */
void ap_world_write_answer(const apart_world *world, const ap_pair_bounds *pair, const ap_pair_answer *answer,
                           apart_world_pair *out);

/* All pairs nearer than a distance, or with tolerance < 0 all that touch or overlap, in world->near. */
apart_status ap_world_near_pairs(apart_world *world, double distance, double tolerance);

/* An overlap reported without a depth has distance 0, upper 0 and lower -infinity. */
void ap_world_drop_depth(apart_world_pair *pair);

#endif
