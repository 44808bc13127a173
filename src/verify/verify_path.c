/* An independent check of what is claimed of a robot's path: that no pair of bodies comes nearer than a bound while all
 * joints move evenly from waypoint to waypoint.
 *
 * An edge is cut into intervals until each is settled. In the middle of one, the bodies are placed by the kinematics of
 * verify_chain.c, and their distance is bounded from below by bounding spheres or by what apart_verify proves of an
 * answer of apart_distance. In half an interval no point moves by more than the sum, over the joints between the bodies,
 * of what the joint turns times the length of the chain behind it. Nothing is shared with src/robot and src/plan, which
 * measure such lengths at the position, and follow separations to second order. */
#include <apart/plan.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "verify_chain.h"

enum { MOST_HALVINGS = 45 };

static const uint64_t MOST_INTERVALS = 10000000;
/* What a claimed upper bound may be below the check's own by: nothing but rounding, as a share of the reach. */
static const double UPPER_ROUNDING = 1e-9;

typedef struct path_check {
    const apart_robot_cell *cell;
    ap_chain chain;
    ap_chain_item *items; /* all parts and meshes of all bodies */
    size_t *first;        /* of each body; one more */
    double reach;
    uint64_t most_intervals;
    apart_plan_proof *out;
} path_check;

typedef struct interval {
    double middle, half;
    int halvings;
} interval;

/* A lower bound of `enough` settles an interval, an upper one below `below` refutes the claim. */
typedef struct question {
    double enough, below;
} question;

/* What the check knows of a pair at a moment. */
typedef struct known {
    double lower, upper;
} known;

/* ---- a pair at a moment ---- */

/* An answer that says neither of the two things that end an interval is not worth its proof. */
static bool is_idle(const apart_result *r, const question *ask)
{
    return r->lower < ask->enough && r->upper >= ask->below;
}

static apart_status look_at_shapes(const ap_chain_item *a, const apart_pose *pose_a, const ap_chain_item *b,
                                   const apart_pose *pose_b, const question *ask, known *out)
{
    apart_result r;
    apart_proof proof;
    apart_status status = apart_distance(a->solid.shape, pose_a, b->solid.shape, pose_b, NULL, NULL, &r);
    if (status != APART_OK || is_idle(&r, ask)) {
        *out = (known){-INFINITY, INFINITY};
        return status;
    }
    status = apart_verify(a->solid.shape, pose_a, b->solid.shape, pose_b, &r, &proof);
    *out = (known){proof.lower, proof.upper};
    return status;
}

static apart_status look_at_solids(const ap_chain_item *a, const apart_pose *pose_a, const ap_chain_item *b,
                                   const apart_pose *pose_b, const question *ask, known *out)
{
    apart_compound_result r;
    apart_proof proof;
    apart_status status = apart_compound_distance(a->solid, pose_a, b->solid, pose_b, NULL, NULL, &r);
    if (status != APART_OK || is_idle(&r.result, ask)) {
        *out = (known){-INFINITY, INFINITY};
        return status;
    }
    status = apart_verify_solids(a->solid, pose_a, b->solid, pose_b, &r, &proof);
    *out = (known){proof.lower, proof.upper};
    return status;
}

static double ball_gap(const ap_chain_item *a, const apart_pose *pose_a, const ap_chain_item *b,
                       const apart_pose *pose_b)
{
    const apart_vec3 p = apart_pose_apply(pose_a, a->center), q = apart_pose_apply(pose_b, b->center);
    return apart_vec3_distance(p, q) * (1.0 - 1e-12) - a->radius - b->radius;
}

/* Bounds of a pair's distance at the chain's present positions, as good as the question needs them. */
static apart_status look_at_pair(const path_check *c, size_t pair, question ask, known *out)
{
    const size_t *bodies = apart_robot_pair_at(c->cell, pair)->bodies;
    const double error = ap_chain_error(&c->chain, c->cell, bodies[0]) + ap_chain_error(&c->chain, c->cell, bodies[1]);
    ask.enough += error;
    ask.below += error;
    *out = (known){INFINITY, INFINITY};
    for (size_t i = c->first[bodies[0]]; i < c->first[bodies[0] + 1]; i++) {
        const ap_chain_item *a = &c->items[i];
        const apart_pose pose_a = ap_chain_place(&c->chain, a);
        for (size_t k = c->first[bodies[1]]; k < c->first[bodies[1] + 1]; k++) {
            const ap_chain_item *b = &c->items[k];
            const apart_pose pose_b = ap_chain_place(&c->chain, b);
            const double gap = ball_gap(a, &pose_a, b, &pose_b);
            known one = {gap, INFINITY};
            apart_status status = APART_OK;
            if (gap < ask.enough) {
                status = a->solid.shape != NULL && b->solid.shape != NULL
                             ? look_at_shapes(a, &pose_a, b, &pose_b, &ask, &one)
                             : look_at_solids(a, &pose_a, b, &pose_b, &ask, &one);
            }
            if (status != APART_OK) {
                return status;
            }
            out->lower = fmin(out->lower, one.lower - error);
            out->upper = fmin(out->upper, one.upper + error);
        }
    }
    return APART_OK;
}

/* ---- an edge ---- */

static bool stop(const path_check *c, uint8_t verdict, const char *reason, size_t edge, size_t pair, double s,
                 double distance)
{
    c->out->verdict = verdict;
    c->out->reason = reason;
    c->out->edge = edge;
    c->out->pair = pair;
    c->out->s = s;
    c->out->distance = distance;
    return false;
}

/* Is the pair at least `lower` apart all along the edge? */
static apart_status check_pair(path_check *c, const double *q0, const double *q1, size_t edge, size_t pair,
                               double lower, uint64_t *left, bool *good)
{
    interval stack[2 * MOST_HALVINGS + 2];
    size_t height = 0;
    const apart_robot_pair *p = apart_robot_pair_at(c->cell, pair);
    const double speed = ap_chain_speed(&c->chain, c->cell, p, q0, q1), wanted = lower + p->margin;
    *good = true;
    stack[height++] = (interval){0.5, 0.5, 0};
    while (height > 0) {
        const interval now = stack[--height];
        const double moved = speed * now.half * (1.0 + 1e-12);
        known at;
        ap_chain_move(&c->chain, q0, q1, now.middle);
        const apart_status status = look_at_pair(c, pair, (question){wanted + moved, wanted}, &at);
        c->out->intervals++;
        if (status != APART_OK) {
            return status;
        }
        if (at.lower - moved >= wanted) {
            continue;
        }
        if (at.upper < wanted) {
            *good =
                stop(c, APART_REFUTED, "a pair is nearer than claimed", edge, pair, now.middle, at.upper - p->margin);
            return APART_OK;
        }
        if (now.halvings == MOST_HALVINGS || --*left == 0) {
            *good = stop(c, APART_UNDECIDED, "a pair is too near to the claimed bound to decide", edge, pair,
                         now.middle, at.lower - p->margin);
            return APART_OK;
        }
        const double quarter = 0.5 * now.half;
        stack[height++] = (interval){now.middle + quarter, quarter, now.halvings + 1};
        stack[height++] = (interval){now.middle - quarter, quarter, now.halvings + 1};
    }
    return APART_OK;
}

/* The pair that is named comes as near as claimed. */
static apart_status check_nearest(path_check *c, const double *q0, const double *q1, size_t edge,
                                  const apart_plan_edge *claim, bool *good)
{
    const size_t nobody = APART_ROBOT_NONE;
    known at;
    *good = true;
    if (!(claim->s >= 0.0 && claim->s <= 1.0) || claim->pair >= apart_robot_pair_count(c->cell)) {
        *good = stop(c, APART_REFUTED, "there is no such pair or moment", edge, nobody, claim->s, NAN);
        return APART_OK;
    }
    if (!(claim->lower <= claim->upper)) {
        *good = stop(c, APART_REFUTED, "the lower bound is above the upper one", edge, claim->pair, claim->s, NAN);
        return APART_OK;
    }
    ap_chain_move(&c->chain, q0, q1, claim->s);
    const apart_status status = look_at_pair(c, claim->pair, (question){INFINITY, INFINITY}, &at);
    const double margin = apart_robot_pair_at(c->cell, claim->pair)->margin, room = UPPER_ROUNDING * c->reach;
    if (status == APART_OK && at.lower - margin > claim->upper + room) {
        *good = stop(c, APART_REFUTED, "the pair named is not as near as claimed", edge, claim->pair, claim->s,
                     at.lower - margin);
    } else if (status == APART_OK && !(at.upper - margin <= claim->upper + room)) {
        *good = stop(c, APART_UNDECIDED, "whether the pair named is as near as claimed", edge, claim->pair, claim->s,
                     at.lower - margin);
    }
    return status;
}

static apart_status check_edge(path_check *c, const double *q0, const double *q1, size_t edge,
                               const apart_plan_edge *claim, double limit, bool *good)
{
    uint64_t left = c->most_intervals;
    if (!(claim->lower >= limit)) {
        *good = stop(c, APART_REFUTED, "the bound claimed is below the limit", edge, claim->pair, claim->s, NAN);
        return APART_OK;
    }
    apart_status status = check_nearest(c, q0, q1, edge, claim, good);
    for (size_t p = 0; p < apart_robot_pair_count(c->cell) && status == APART_OK && *good; p++) {
        status = check_pair(c, q0, q1, edge, p, claim->lower, &left, good);
    }
    return status;
}

static bool check_limits(const path_check *c, const double *q, size_t row, size_t count)
{
    const apart_robot *r = apart_robot_cell_robot(c->cell);
    for (size_t v = 0; v < apart_robot_variable_count(r); v++) {
        const apart_robot_joint *joint = apart_robot_variable(r, v);
        if (!(q[v] >= joint->lower && q[v] <= joint->upper)) {
            c->out->variable = v;
            return stop(c, APART_REFUTED, "a joint is outside its limits", row < count - 1 ? row : count - 2,
                        APART_ROBOT_NONE, row < count - 1 ? 0.0 : 1.0, NAN);
        }
    }
    return true;
}

/* ---- the interface ---- */

static apart_status collect_items(path_check *c)
{
    const size_t bodies = apart_robot_body_count(c->cell);
    size_t count = 0;
    for (size_t b = 0; b < bodies; b++) {
        count += apart_robot_body_at(c->cell, b)->part_count + apart_robot_body_at(c->cell, b)->mesh_count;
    }
    c->items = malloc((count + 1) * sizeof *c->items);
    c->first = malloc((bodies + 1) * sizeof *c->first);
    if (c->items == NULL || c->first == NULL) {
        return APART_ERR_MEMORY;
    }
    count = 0;
    for (size_t b = 0; b < bodies; b++) {
        c->first[b] = count;
        ap_chain_items(&c->chain, c->cell, b, c->items + count);
        count += apart_robot_body_at(c->cell, b)->part_count + apart_robot_body_at(c->cell, b)->mesh_count;
    }
    c->first[bodies] = count;
    return ap_chain_measure(&c->chain, c->cell, c->items, c->first);
}

static apart_status check_path(path_check *c, const double *q, size_t count, const apart_plan_edge *edges, double limit)
{
    const size_t width = apart_robot_variable_count(apart_robot_cell_robot(c->cell));
    apart_status status = APART_OK;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        good = check_limits(c, q + i * width, i, count);
    }
    ap_chain_travel(&c->chain, q, count);
    for (size_t i = 0; i + 1 < count && status == APART_OK && good; i++) {
        status = check_edge(c, q + i * width, q + (i + 1) * width, i, &edges[i], limit, &good);
    }
    return status;
}

apart_status apart_plan_verify(const apart_robot_cell *cell, const double *q, size_t count,
                               const apart_plan_edge *edges, double limit, uint64_t most_intervals,
                               apart_plan_proof *out)
{
    if (cell == NULL || q == NULL || edges == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_robot *r = apart_robot_cell_robot(cell);
    const size_t width = apart_robot_variable_count(r);
    if (count < 2) {
        return APART_ERR_SIZE;
    }
    for (size_t i = 0; i < count * width; i++) {
        if (!isfinite(q[i])) {
            return APART_ERR_NONFINITE;
        }
    }
    *out = (apart_plan_proof){.reason = "", .edge = count - 1, .pair = APART_ROBOT_NONE, .variable = APART_ROBOT_NONE};
    path_check c = {.cell = cell,
                    .reach = apart_robot_reach(r),
                    .most_intervals = most_intervals > 0 ? most_intervals : MOST_INTERVALS,
                    .out = out};
    apart_status status = ap_chain_begin(&c.chain, cell);
    status = status == APART_OK ? collect_items(&c) : status;
    status = status == APART_OK ? check_path(&c, q, count, edges, limit) : status;
    ap_chain_end(&c.chain);
    free(c.items);
    free(c.first);
    return status;
}
