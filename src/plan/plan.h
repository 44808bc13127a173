/* The inside of the planner: positions of the joints that may move, trees of them, and questions to certified motions. */
#ifndef AP_PLAN_PLAN_H
#define AP_PLAN_PLAN_H

#include <apart/plan.h>
#include <stdbool.h>

#include "../base/memory.h"

/* Random numbers by their place: number `place` of the stream. The same for any order of asking. */
double ap_plan_random(uint64_t seed, uint64_t stream, uint64_t place);

/* A tree of positions of the joints that may move. Node 0 is the root, or one of several. */
typedef struct ap_plan_tree {
    double *at;       /* rows of `width` */
    uint32_t *parent; /* a root is its own */
    double *domain;   /* random positions farther from the node than this are passed over */
    size_t count, room, width;
} ap_plan_tree;

void ap_plan_tree_free(ap_plan_tree *tree, const apart_allocator *allocator);
bool ap_plan_tree_add(ap_plan_tree *tree, const apart_allocator *allocator, const double *at, uint32_t parent);
/* The nearest node; the first of several. */
uint32_t ap_plan_tree_nearest(const ap_plan_tree *tree, const double *at, double *distance);
double ap_plan_distance(const double *a, const double *b, size_t width);

enum {
    AP_PLAN_BATCH = 8,       /* at most so many random positions are tried at once */
    AP_PLAN_MOST_CHAIN = 64, /* nodes that one attempt to connect adds at most */
    AP_PLAN_HOT = 6          /* pairs that refused edges lately are asked first */
};

/* What one thread needs. */
typedef struct ap_plan_lane {
    apart_robot_work *work;
    double *q0, *q1; /* positions of all variables */
} ap_plan_lane;

/* What one random position leads to: a node of the one tree, and a chain of nodes of the other towards it. */
typedef struct ap_plan_attempt {
    double *target, *node, *chain; /* rows; the chain has AP_PLAN_MOST_CHAIN */
    uint32_t near, other;          /* the nodes that node and chain grow from */
    bool grew, joined;
    size_t chain_count;
    uint64_t edges;
    size_t refused_by; /* the pair that ended it, or APART_ROBOT_NONE */
    apart_status status;
} ap_plan_attempt;

typedef struct ap_planner {
    const apart_robot_cell *cell;
    const apart_robot *robot;
    const apart_plan_task *task;
    apart_plan_options options;
    size_t width, all;     /* numbers of a node, of a position */
    const size_t *moving;  /* the variables of a node */
    size_t *own_moving;    /* of NULL */
    double *start, *goals; /* rows of `width` */
    size_t *goal_numbers;
    size_t goal_count;
    double *lower, *upper; /* where random positions come from */
    double keep;           /* every edge keeps at least this */
    ap_plan_lane *lanes;
    size_t lane_count;
    ap_plan_attempt attempts[AP_PLAN_BATCH];
    double *attempt_rows;
    ap_plan_tree trees[2]; /* from the start, from the goals */
    size_t hot[AP_PLAN_HOT], hot_count;
    double *path; /* rows of `width` */
    size_t path_count;
    apart_plan *out;
} ap_planner;

/* ---- questions (edge.c) ---- */

/* What follows has the same bits on every lane: caches are forgotten, and the pairs that refused lately are first. */
void ap_plan_begin(const ap_planner *p, ap_plan_lane *lane);
/* Does the motion keep the limit? *refused_by gets the pair that does not, or APART_ROBOT_NONE. */
apart_status ap_plan_is_free(const ap_planner *p, ap_plan_lane *lane, const double *a, const double *b, bool *is_free,
                             size_t *refused_by);
/* A position alone. */
apart_status ap_plan_is_free_at(const ap_planner *p, ap_plan_lane *lane, const double *at, bool *is_free,
                                size_t *refused_by);
/* The pair moves to the front of those that refused lately. */
void ap_plan_note_hot(ap_planner *p, size_t pair);
/* A node's position among those of all variables. */
void ap_plan_fill(const ap_planner *p, const double *node, double *q);

/* ---- phases (search.c, shorten.c, prove.c) ---- */

/* Fills the path. `*outcome` stays as it is if there is one. */
apart_status ap_plan_search(ap_planner *p);
apart_status ap_plan_shorten(ap_planner *p);
/* Bounds for the edges of out->q. */
apart_status ap_plan_prove(ap_planner *p);
/* Asks the caller. */
bool ap_plan_goes_on(ap_planner *p);

#endif
