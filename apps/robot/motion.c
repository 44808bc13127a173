/* The smallest distance between two sets of joint positions, certified.
 *
 * The signed distance of two convex bodies is the largest, over all directions, of what separates them along it; no
 * point of a body that moves by at most m changes it by more than m. On an interval of the motion the bodies' points move
 * against each other at most
 *     sum over the joints between them of  |rate| * (largest distance of the moved body's points from the joint's axis)
 * a unit of s (1 in place of that distance for a slide): robot_motion_bound. So the distance at the middle, less that
 * bound times half the interval's length, is a lower bound on the whole interval. Intervals are halved until each is
 * above the best upper bound less the tolerance. (Branch and bound after Piyavskii 1972; the bound by joints is the
 * usual one of continuous collision checking, e.g. Schwarzer, Saha, Latombe 2005. We differ in tightening the distances
 * from the axes with the interval, and in signed distances.) */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion.h"

/* Halvings of the motion at most: below it, s itself is not resolved. */
enum { MOST_HALVINGS = 40 };
/* Intervals of one motion at most. A tolerance that would need more is not met; the bounds say so. */
static const uint64_t MOST_INTERVALS = 1 << 20;
/* Rounding of one joint's step along a chain, as a share of the lengths involved: a turn's entries are off by
 * a few eps, a product of two poses by a few more; an angle is off by eps of itself. */
static const double CHAIN_ROUNDING = 16.0 * DBL_EPSILON;

typedef struct interval {
    double middle, half;
    int halvings;
} interval;

struct robot_search {
    size_t *order;              /* of the pairs */
    double *q, *rate;           /* positions at some s, and how much they change in all */
    apart_vec3 *origins, *axes; /* of a chain's joints */
    interval stack[2 * MOST_HALVINGS + 2];
    uint64_t queries, intervals;
};

/* A pair at some s, in the frame of its last common link. */
typedef struct snapshot {
    apart_pose poses[2];   /* of the solids */
    apart_vec3 centers[2]; /* of their bounding spheres */
    double speed;          /* the bound of the motion */
    double rounding;       /* of the distance, from the chains */
} snapshot;

/* ---- the bound ---- */

static double distance_from_axis(apart_vec3 point, apart_vec3 origin, apart_vec3 axis)
{
    return apart_vec3_norm(apart_vec3_cross(axis, apart_vec3_sub(point, origin)));
}

/* Down one chain: pose and centre of the body, and what its joints can do to its points within `half` of here. */
static void walk_chain(robot_cell *cell, const robot_pair *pair, int side, double half, snapshot *out)
{
    struct robot_search *s = cell->search;
    const robot *r = cell->robot;
    const robot_body *body = &cell->bodies[pair->bodies[side]];
    const size_t count = pair->chain_count[side];
    apart_pose pose = apart_pose_identity();
    double size = 0.0, moved = 0.0, largest = 0.0;
    for (size_t k = 0; k < count; k++) {
        const robot_joint *joint = &r->joints[pair->chain[side][k]];
        const apart_pose frame = apart_pose_compose(&pose, &joint->origin);
        const double position = robot_joint_position(joint, s->q);
        const apart_pose motion = robot_joint_pose(joint, position);
        largest = fabs(position) > largest ? fabs(position) : largest;
        s->origins[k] = frame.translation;
        s->axes[k] = apart_pose_rotate(&frame, joint->axis);
        pose = joint->kind == ROBOT_FIXED ? frame : apart_pose_compose(&frame, &motion);
        size += apart_vec3_norm(joint->origin.translation) + apart_vec3_norm(motion.translation);
    }
    out->poses[side] = apart_pose_compose(&pose, &body->local);
    out->centers[side] = apart_pose_apply(&out->poses[side], body->center);
    if (count == 0) {
        return; /* it stands still here */
    }
    size += apart_vec3_norm(body->local.translation) + apart_vec3_norm(body->center) + body->radius;
    out->rounding += CHAIN_ROUNDING * (double)(count + 2) * size * (1.0 + largest);
    /* From the body up: a joint moves it the farther, the farther the later joints may have brought it meanwhile. */
    for (size_t k = count; k-- > 0;) {
        const robot_joint *joint = &r->joints[pair->chain[side][k]];
        if (joint->variable == ROBOT_NONE) {
            continue;
        }
        const double rate = fabs(joint->factor * s->rate[joint->variable]);
        const double here =
            distance_from_axis(out->centers[side], s->origins[k], s->axes[k]) + body->radius + half * moved;
        const double far = here < pair->reach[side][k] ? here : pair->reach[side][k];
        moved += joint->kind == ROBOT_SLIDING ? rate : rate * far;
    }
    out->speed += moved * (1.0 + 1e-12);
}

static void go_to(const robot_cell *cell, const double *q0, double s)
{
    for (size_t v = 0; v < cell->robot->variable_count; v++) {
        cell->search->q[v] = q0[v] + s * cell->search->rate[v];
    }
}

static void take_snapshot(robot_cell *cell, const robot_pair *pair, const double *q0, double middle, double half,
                          snapshot *out)
{
    *out = (snapshot){.speed = 0.0};
    go_to(cell, q0, middle);
    walk_chain(cell, pair, 0, half, out);
    walk_chain(cell, pair, 1, half, out);
}

static void set_rate(robot_cell *cell, const double *q0, const double *q1)
{
    for (size_t v = 0; v < cell->robot->variable_count; v++) {
        cell->search->rate[v] = q1[v] - q0[v];
    }
}

double robot_motion_bound(robot_cell *cell, size_t pair, const double *q0, const double *q1, double middle, double half)
{
    snapshot now;
    set_rate(cell, q0, q1);
    take_snapshot(cell, &cell->pairs[pair], q0, middle, half, &now);
    return now.speed;
}

/* ---- the search ---- */

/* Is the pair above best - tolerance on the whole interval? `bound` gets what is known. May lower the best. */
static apart_status evaluate_at(robot_cell *cell, size_t number, const double *q0, const interval *i, double tolerance,
                                robot_gap *best, double *bound)
{
    robot_pair *pair = &cell->pairs[number];
    const robot_body *a = &cell->bodies[pair->bodies[0]], *b = &cell->bodies[pair->bodies[1]];
    snapshot now;
    apart_compound_result r;
    take_snapshot(cell, pair, q0, i->middle, i->half, &now);
    cell->search->intervals++;
    const double slack = now.speed * i->half + now.rounding, wanted = best->upper - tolerance;
    const double spheres = apart_vec3_distance(now.centers[1], now.centers[0]) * (1.0 - 1e-12) - a->radius - b->radius;
    *bound = spheres - slack;
    if (*bound >= wanted) {
        return APART_OK;
    }
    apart_options options = cell->options;
    /* Farther than that is as good as infinitely far. Rounded up, so that the slack taken off again leaves what is
     * wanted. */
    options.cutoff = wanted + slack > 0.0 ? (wanted + slack) * (1.0 + 4.0 * DBL_EPSILON) : 0.0;
    cell->search->queries++;
    const apart_status status = robot_pair_distance(cell, pair, &now.poses[0], &now.poses[1], &options, &r);
    if (status != APART_OK) {
        return status;
    }
    *bound = r.result.relation == APART_BEYOND ? fmax(wanted, r.result.lower - slack) : r.result.lower - slack;
    if (r.result.relation != APART_BEYOND && r.result.upper + now.rounding < best->upper) {
        best->upper = r.result.upper + now.rounding;
        best->s = i->middle;
        best->pair = number;
    }
    return APART_OK;
}

static apart_status search_pair(robot_cell *cell, size_t number, const double *q0, double tolerance, robot_gap *best)
{
    interval *stack = cell->search->stack;
    size_t height = 0;
    stack[height++] = (interval){0.5, 0.5, 0};
    while (height > 0) {
        const interval now = stack[--height];
        double bound;
        const apart_status status = evaluate_at(cell, number, q0, &now, tolerance, best, &bound);
        if (status != APART_OK) {
            return status;
        }
        if (bound >= best->upper - tolerance || now.halvings == MOST_HALVINGS ||
            cell->search->intervals > MOST_INTERVALS) {
            best->lower = bound < best->lower ? bound : best->lower;
            continue;
        }
        const double quarter = now.half / 2;
        stack[height++] = (interval){now.middle + quarter, quarter, now.halvings + 1};
        stack[height++] = (interval){now.middle - quarter, quarter, now.halvings + 1};
    }
    return APART_OK;
}

/* The nearest pair at one end of the motion. */
static apart_status evaluate_end(robot_cell *cell, const double *q0, double s, robot_gap *best)
{
    apart_compound_result r;
    size_t pair;
    go_to(cell, q0, s);
    robot_cell_set(cell, cell->search->q);
    const apart_status status = robot_cell_nearest(cell, &pair, &r);
    if (status != APART_OK) {
        return status;
    }
    snapshot now;
    take_snapshot(cell, &cell->pairs[pair], q0, s, 0.0, &now);
    if (r.result.upper + now.rounding < best->upper) {
        best->upper = r.result.upper + now.rounding;
        best->s = s;
        best->pair = pair;
    }
    return APART_OK;
}

apart_status robot_cell_motion(robot_cell *cell, const double *q0, const double *q1, double tolerance, robot_gap *out)
{
    robot_gap best = {.lower = INFINITY, .upper = INFINITY};
    set_rate(cell, q0, q1);
    cell->search->queries = cell->search->intervals = 0;
    apart_status status = evaluate_end(cell, q0, 0.0, &best);
    if (status == APART_OK) {
        status = evaluate_end(cell, q0, 1.0, &best);
    }
    for (size_t k = 0; k < cell->pair_count && status == APART_OK; k++) {
        status = search_pair(cell, cell->search->order[k], q0, tolerance, &best);
    }
    if (status != APART_OK) {
        return status;
    }
    robot_search_to_front(cell, best.pair);
    best.lower = best.lower < best.upper ? best.lower : best.upper;
    best.queries = cell->search->queries;
    best.intervals = cell->search->intervals;
    *out = best;
    go_to(cell, q0, best.s);
    robot_cell_set(cell, cell->search->q);
    return APART_OK;
}

/* ---- memory and order ---- */

apart_status robot_search_create(robot_cell *cell)
{
    const size_t joints = cell->robot->joint_count + 1;
    struct robot_search *s = calloc(1, sizeof *s);
    cell->search = s;
    if (s == NULL) {
        return APART_ERR_MEMORY;
    }
    s->order = calloc(cell->pair_count, sizeof *s->order);
    s->q = calloc(joints, sizeof *s->q);
    s->rate = calloc(joints, sizeof *s->rate);
    s->origins = calloc(joints, sizeof *s->origins);
    s->axes = calloc(joints, sizeof *s->axes);
    if (s->order == NULL || s->q == NULL || s->rate == NULL || s->origins == NULL || s->axes == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < cell->pair_count; i++) {
        s->order[i] = i;
    }
    return APART_OK;
}

void robot_search_free(robot_cell *cell)
{
    if (cell->search != NULL) {
        free(cell->search->order);
        free(cell->search->q);
        free(cell->search->rate);
        free(cell->search->origins);
        free(cell->search->axes);
        free(cell->search);
    }
}

size_t robot_search_order(const robot_cell *cell, size_t place) { return cell->search->order[place]; }

void robot_search_to_front(robot_cell *cell, size_t pair)
{
    size_t *order = cell->search->order, place = 0;
    while (order[place] != pair) {
        place++;
    }
    memmove(order + 1, order, place * sizeof *order);
    order[0] = pair;
}
