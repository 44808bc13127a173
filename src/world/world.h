/* The inside of a world, for the files of this folder.
 *
 * A body's `motion` is a number that only grows: with every pose it grows by at least as much as any point of the body has moved. So the
 * difference of two readings bounds what happened between them. Boxes in the tree and bounds of pairs keep the reading at which they
 * were made, and hold as long as the difference is smaller than their slack: no box and no distance is computed for a body that moved a
 * little. */
#ifndef AP_WORLD_WORLD_H
#define AP_WORLD_WORLD_H

#include <apart/world.h>

#include "pairs.h"
#include "../base/parallel.h"
#include "../parts/tree.h"
#include "tree.h"

typedef enum ap_body_state { AP_BODY_FREE = 0, AP_BODY_ALIVE = 1, AP_BODY_LEAVING = 2 } ap_body_state;

typedef struct ap_body {
    apart_shape shape;
    const apart_compound *compound; /* NULL: the shape */
    apart_pose pose;
    double defect;                  /* of the pose's rotation */
    apart_vec3 center;              /* of a ball that holds it, in its frame */
    double radius;                  /* infinite for a half-space */
    double margin;                  /* the box in the tree holds as long as motion - mark <= margin */
    double mark;
    double last_step;               /* how far it moved with its last pose */
    uint64_t user;
    uint32_t generation;
    uint32_t leaf;                  /* AP_NO_NODE for a half-space, which is in no box */
    uint32_t groups, ignores;
    uint8_t state;                  /* ap_body_state */
    uint8_t queued;                 /* its box must be made anew: it is in world->queue */
    uint8_t changed;                /* its pairs must be checked at the next update */
    uint8_t seen;                   /* already moved by the batch that is being applied */
    uint8_t reserved[4];            /* so that a snapshot has no undefined bytes */
} ap_body;

/* A pair that a query cannot pass over. */
typedef struct ap_work {
    uint32_t pair;
    int32_t status;
    uint32_t parts;  /* pairs of parts looked at */
    uint32_t looked; /* 0: the last answer still holds */
} ap_work;

struct apart_world {
    apart_allocator allocator;
    uint32_t threads, max_bodies, max_pairs;
    int dim;              /* 0: no body yet */
    uint32_t alive;
    ap_array bodies;      /* of ap_body, by slot */
    ap_array motions;     /* of double, by slot */
    ap_array free_slots;  /* of uint32_t, the last is used first */
    ap_array leaving;     /* slots whose pairs must go before they are free */
    ap_array queue;       /* slots whose boxes must be made anew */
    ap_array unbounded;   /* slots of half-spaces */
    ap_array boxes;       /* scratch: of apart_aabb */
    ap_array leaves;      /* scratch: of ap_leaf */
    ap_array work;        /* scratch: of ap_work */
    ap_array numbers;     /* scratch: of double */
    ap_tree tree;
    ap_pair_table pairs;
    ap_pair_set disabled;
    double reach;         /* the list holds all pairs nearer than this, if `listed` */
    double too_far;       /* queries of this distance would exceed max_pairs */
    double asked_most;    /* the largest distance of the last queries */
    uint32_t asked;       /* how many they are */
    uint64_t refits_then; /* statistics when the list last overflowed */
    uint8_t listed;       /* the pairs are complete */
    uint8_t dirty;        /* some body is `changed` */
    uint8_t rebase;       /* motions have become too large to add to */
    apart_world_stats stats;
};

static inline ap_body *ap_world_slot(const apart_world *world, size_t slot) { return (ap_body *)world->bodies.items + slot; }

static inline double *ap_world_motion(const apart_world *world, size_t slot) { return (double *)world->motions.items + slot; }

static inline apart_solid ap_body_solid(const ap_body *body)
{
    return body->compound != NULL ? (apart_solid){NULL, body->compound} : (apart_solid){&body->shape, NULL};
}

static inline bool ap_body_is_unbounded(const ap_body *body)
{
    return body->compound == NULL && body->shape.kind == APART_SHAPE_HALF_SPACE;
}

/* The body that an id names, or NULL. */
ap_body *ap_world_find(const apart_world *world, apart_body_id id);

static inline apart_body_id ap_world_id(const apart_world *world, uint32_t slot)
{
    return (apart_body_id){slot, ap_world_slot(world, slot)->generation};
}

/* May the two ever be a pair? */
bool ap_world_admits(const apart_world *world, uint32_t a, uint32_t b);

/* How far the two bodies of a pair can have moved since its marks; never too little. */
static inline double ap_world_moved(const apart_world *world, const ap_pair_bounds *pair)
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

/* A lower bound >= 0 of the distance of a half-space and a box. */
double ap_half_space_gap(const ap_body *half_space, const apart_aabb *box);

/* moved.c: how far any point of the body can have moved from its pose to another; never too little. */
double ap_motion_step(const ap_body *body, const apart_pose *to, double defect);

/* Accounts for a step of a body: its motion, and the queue. */
void ap_motion_add(apart_world *world, uint32_t slot, double step);

/* Starts all motions from zero again, with bounds that account for what there was. */
void ap_motion_rebase(apart_world *world);

/* Puts a body into the queue. */
void ap_world_queue(apart_world *world, uint32_t slot);

/* update.c: the pairs nearer than `distance` are in the list afterwards if *listed. */
apart_status ap_world_list_pairs(apart_world *world, double distance, bool *listed);

/* look.c: asks about two bodies. The cache may be NULL. */
apart_status ap_world_look(const apart_world *world, uint32_t a, uint32_t b, const apart_options *options, apart_compound_cache *cache,
                           apart_compound_result *result);

/* A result as a pair of the world's bodies. */
void ap_world_write_pair(const apart_world *world, uint32_t a, uint32_t b, const apart_compound_result *result, apart_world_pair *out);

/* What is kept of a listed pair, as an answer. */
void ap_world_write_kept(const apart_world *world, uint32_t pair, apart_world_pair *out);

/* How a listed pair is looked at. */
typedef struct ap_question {
    double limit;  /* pairs beyond this need not be known exactly */
    double tolerance;
    int depth;     /* apart_depth */
    bool overlap;  /* only whether they meet is asked */
} ap_question;

/* Looks at a listed pair and keeps bounds, cache and answer. Writes nothing but the pair's own memory. */
apart_status ap_world_look_kept(const apart_world *world, uint32_t pair, const ap_question *question, uint32_t *parts);

/* Is the last answer of a listed pair good for this question? Of bodies that have not moved it is. */
bool ap_world_still_holds(const apart_world *world, uint32_t pair, double moved, const ap_question *question);

/* Has the caller set a list's options well? */
static inline bool ap_list_is_valid(const apart_world_list *list)
{
    return list->depth >= APART_DEPTH_EXACT && list->depth <= APART_DEPTH_NONE && list->tolerance >= 0.0 && list->tolerance < INFINITY;
}

/* An overlap as it is reported without a depth: distance 0, upper 0, lower -infinity. */
void ap_world_forget_depth(apart_world_pair *pair);

/* best.c: the best `capacity` pairs seen so far, as a heap with the worst on top. */
void ap_best_add(apart_world_list *list, const apart_world_pair *pair);
/* No pair that is known to be at least this far can be among the best. */
double ap_best_limit(const apart_world_list *list);
/* From heap to nearest first. */
void ap_best_sort(apart_world_list *list);

/* join.c: walks over the pairs of bodies whose boxes are nearer than *limit, which may shrink on the way. */
typedef struct ap_join {
    const apart_world *world;
    double *limit;
    /* Two slots and a lower bound of their distance. *stop ends the walk. */
    apart_status (*visit)(void *context, uint32_t a, uint32_t b, double bound, bool *stop);
    void *context;
} ap_join;
apart_status ap_world_join(const ap_join *join);

#endif
