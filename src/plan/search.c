/* RRT-Connect: Kuffner and LaValle, "RRT-Connect: an efficient approach to single-query path planning", 2000.
 *
 * Two trees, from the start and from the goals, take turns. A random position pulls the nearest node of one tree
 * towards itself by at most a step; if that edge keeps the limit, the other tree walks towards the new node as far as
 * its edges keep the limit.
 * We differ in: edges are proved, not sampled; the end of an edge is asked before the edge, because most refusals show
 * there at a fraction of the price; and random positions are tried in batches that grow from 1 to AP_PLAN_BATCH, each
 * against the trees as they were before the batch, and kept in the order of their numbers: so the result does not depend
 * on who computed what. */
#include <math.h>
#include <string.h>

#include "../base/parallel.h"
#include "plan.h"

/* The domain of a node that an edge from it was refused, in steps; the least; and how it changes with each success and
 * each failure. */
static const double DOMAIN_STEPS = 4.0, LEAST_DOMAIN_STEPS = 2.0, DOMAIN_CHANGE = 1e-4;
/* Trees that have grown badly are given up: after so many samples, and each time after so many times more. */
static const uint64_t FIRST_RESTART = 3000;
static const double RESTART_GROWTH = 1.5;
/* The batch doubles after so many samples at each size. */
enum { SAMPLES_OF_SIZE = 16, MOST_DRAWS = 64 };

typedef struct batch {
    ap_planner *p;
    size_t side; /* the tree that is pulled */
    uint64_t first;
    size_t count;
} batch;

/* ---- one attempt ---- */

/* From `from` towards `to` by at most a step. Returns whether it arrives. */
static bool step_towards(const ap_planner *p, const double *from, const double *to, double *out)
{
    const double length = ap_plan_distance(from, to, p->width);
    const bool arrives = length <= p->options.step;
    const double share = arrives ? 1.0 : p->options.step / length;
    for (size_t i = 0; i < p->width; i++) {
        out[i] = arrives ? to[i] : from[i] + share * (to[i] - from[i]);
    }
    return arrives;
}

/* Is the edge free? Its end first. */
static bool try_edge(const ap_planner *p, ap_plan_lane *lane, ap_plan_attempt *a, const double *from, const double *to)
{
    bool is_free = false;
    a->edges++;
    a->status = ap_plan_is_free_at(p, lane, to, &is_free, &a->refused_by);
    if (a->status == APART_OK && is_free) {
        a->status = ap_plan_is_free(p, lane, from, to, &is_free, &a->refused_by);
    }
    return a->status == APART_OK && is_free;
}

static void connect(const ap_planner *p, ap_plan_lane *lane, ap_plan_attempt *a, const ap_plan_tree *tree)
{
    double distance;
    a->other = ap_plan_tree_nearest(tree, a->node, &distance);
    const double *at = tree->at + (size_t)a->other * p->width;
    while (a->chain_count < AP_PLAN_MOST_CHAIN) {
        double *next = a->chain + a->chain_count * p->width;
        const bool arrives = step_towards(p, at, a->node, next);
        if (!try_edge(p, lane, a, at, next)) {
            return;
        }
        if (arrives) {
            a->joined = true;
            return;
        }
        at = next;
        a->chain_count++;
    }
}

/* A random position, and the node nearest to it: one that has it in its domain, if it can be. */
static void draw(const ap_planner *p, const ap_plan_tree *tree, ap_plan_attempt *a, uint64_t number)
{
    for (uint64_t draws = 0; draws < MOST_DRAWS; draws++) {
        double distance;
        for (size_t i = 0; i < p->width; i++) {
            const double share = ap_plan_random(p->options.seed, number, draws * p->width + i);
            a->target[i] = p->lower[i] + share * (p->upper[i] - p->lower[i]);
        }
        a->near = ap_plan_tree_nearest(tree, a->target, &distance);
        if (distance <= tree->domain[a->near]) {
            return;
        }
    }
}

static void run_attempt(const batch *b, ap_plan_lane *lane, size_t number)
{
    const ap_planner *p = b->p;
    ap_plan_attempt *a = &b->p->attempts[number];
    const ap_plan_tree *tree = &p->trees[b->side];
    a->chain_count = 0;
    a->edges = 0;
    a->grew = a->joined = false;
    a->refused_by = APART_ROBOT_NONE;
    ap_plan_begin(p, lane);
    draw(p, tree, a, b->first + number);
    const double *from = tree->at + (size_t)a->near * p->width;
    (void)step_towards(p, from, a->target, a->node);
    a->grew = try_edge(p, lane, a, from, a->node);
    if (a->grew) {
        connect(p, lane, a, &p->trees[1 - b->side]);
    }
}

/* Every lane takes the attempts whose number has its own remainder. */
static void run_lanes(void *context, size_t first, size_t end)
{
    const batch *b = context;
    for (size_t lane = first; lane < end; lane++) {
        for (size_t i = lane; i < b->count; i += b->p->lane_count) {
            run_attempt(b, &b->p->lanes[lane], i);
        }
    }
}

/* ---- the trees ---- */

/* Appends the way from a node to its root to the path. */
static void append_way(ap_planner *p, const ap_plan_tree *tree, uint32_t node)
{
    for (;;) {
        memcpy(p->path + p->path_count++ * p->width, tree->at + (size_t)node * p->width, p->width * sizeof *p->path);
        if (tree->parent[node] == node) {
            return;
        }
        node = tree->parent[node];
    }
}

static size_t depth_of(const ap_plan_tree *tree, uint32_t node)
{
    size_t depth = 1;
    for (; tree->parent[node] != node; node = tree->parent[node]) {
        depth++;
    }
    return depth;
}

/* From the start to a goal through two nodes that an edge joins (or that are the same position). */
static apart_status make_path(ap_planner *p, uint32_t from_start, uint32_t from_goal)
{
    const ap_plan_tree *start = &p->trees[0], *goal = &p->trees[1];
    const size_t room = depth_of(start, from_start) + depth_of(goal, from_goal);
    p->path = ap_allocate(&p->options.allocator, room * p->width, sizeof *p->path);
    if (p->path == NULL) {
        return APART_ERR_MEMORY;
    }
    append_way(p, start, from_start);
    for (size_t i = 0, k = p->path_count - 1; i < k; i++, k--) {
        for (size_t v = 0; v < p->width; v++) {
            const double kept = p->path[i * p->width + v];
            p->path[i * p->width + v] = p->path[k * p->width + v];
            p->path[k * p->width + v] = kept;
        }
    }
    append_way(p, goal, from_goal);
    uint32_t root = from_goal;
    while (goal->parent[root] != root) {
        root = goal->parent[root];
    }
    p->out->goal = p->goal_numbers[root];
    return APART_OK;
}

/* Adds what the attempt has found. */
static apart_status keep_attempt(ap_planner *p, size_t side, const ap_plan_attempt *a)
{
    ap_plan_tree *tree = &p->trees[side], *other = &p->trees[1 - side];
    p->out->work.edges += a->edges;
    if (a->refused_by != APART_ROBOT_NONE) {
        ap_plan_note_hot(p, a->refused_by);
    }
    double *domain = &tree->domain[a->near];
    const double first = DOMAIN_STEPS * p->options.step, least = LEAST_DOMAIN_STEPS * p->options.step;
    if (!a->grew) {
        *domain = *domain == INFINITY ? first : fmax(least, *domain * (1.0 - DOMAIN_CHANGE));
        return a->status;
    }
    *domain = *domain == INFINITY ? INFINITY : *domain * (1.0 + DOMAIN_CHANGE);
    if (!ap_plan_tree_add(tree, &p->options.allocator, a->node, a->near)) {
        return APART_ERR_MEMORY;
    }
    uint32_t last = a->other;
    for (size_t i = 0; i < a->chain_count; i++) {
        if (!ap_plan_tree_add(other, &p->options.allocator, a->chain + i * p->width, last)) {
            return APART_ERR_MEMORY;
        }
        last = (uint32_t)(other->count - 1);
    }
    if (a->joined) {
        const uint32_t mine = (uint32_t)(tree->count - 1);
        return side == 0 ? make_path(p, mine, last) : make_path(p, last, mine);
    }
    return a->status;
}

/* The straight way to each goal, before anything random. */
static apart_status try_straight(ap_planner *p)
{
    for (size_t i = 0; i < p->goal_count; i++) {
        bool is_free;
        size_t refused_by;
        ap_plan_begin(p, &p->lanes[0]);
        const apart_status status =
            ap_plan_is_free(p, &p->lanes[0], p->start, p->goals + i * p->width, &is_free, &refused_by);
        p->out->work.edges++;
        if (status != APART_OK || is_free) {
            return status == APART_OK ? make_path(p, 0, (uint32_t)i) : status;
        }
        ap_plan_note_hot(p, refused_by);
    }
    return APART_OK;
}

static size_t batch_size(uint64_t samples)
{
    size_t size = 1;
    while (size < AP_PLAN_BATCH && samples >= SAMPLES_OF_SIZE * size) {
        size *= 2;
    }
    return size;
}

static apart_status plant(ap_planner *p)
{
    p->trees[0].count = p->trees[1].count = 0;
    bool added = ap_plan_tree_add(&p->trees[0], &p->options.allocator, p->start, 0);
    for (size_t i = 0; i < p->goal_count && added; i++) {
        added = ap_plan_tree_add(&p->trees[1], &p->options.allocator, p->goals + i * p->width, (uint32_t)i);
    }
    return added ? APART_OK : APART_ERR_MEMORY;
}

/* The smaller tree is pulled. */
static apart_status grow(ap_planner *p)
{
    apart_plan_progress *work = &p->out->work;
    batch b = {.p = p, .side = p->trees[1].count < p->trees[0].count, .first = work->samples};
    apart_status status = APART_OK;
    b.count = batch_size(work->samples);
    ap_parallel_for((unsigned)p->lane_count, p->lane_count, 1, run_lanes, &b);
    for (size_t i = 0; i < b.count && status == APART_OK && p->path == NULL; i++) {
        status = keep_attempt(p, b.side, &p->attempts[i]);
    }
    work->samples += b.count;
    work->nodes = p->trees[0].count + p->trees[1].count;
    return status;
}

apart_status ap_plan_search(ap_planner *p)
{
    apart_plan_progress *work = &p->out->work;
    uint64_t patience = FIRST_RESTART, restart = FIRST_RESTART;
    apart_status status = plant(p);
    if (status == APART_OK) {
        status = try_straight(p);
    }
    while (status == APART_OK && p->path == NULL) {
        if (work->samples >= p->options.most_samples || !ap_plan_goes_on(p)) {
            p->out->outcome = work->samples >= p->options.most_samples ? APART_PLAN_GAVE_UP : APART_PLAN_STOPPED;
            return APART_OK;
        }
        if (work->samples >= restart) {
            patience = (uint64_t)(RESTART_GROWTH * (double)patience);
            restart += patience;
            status = plant(p);
        }
        status = status == APART_OK ? grow(p) : status;
    }
    return status;
}
