/* The derivative of a distance by the joints. With the normal n from A to B and the witness points a and b, carried by
 * their links,
 *     d' = n . (b' - a')
 * since the distance is the largest separation over all directions, and at the best one a small turn of n changes
 * nothing. That holds while a and b are the only closest points. Where edges or faces are parallel there are many, each
 * with a derivative of its own: the distance has a kink in that direction.
 *
 * Are they the only ones? The points of A farthest along n form a face of A (a vertex, an edge, a polygon), and so do
 * those of B along -n. Seen along n both hold the common point; the closest pair is unique unless both go on from it in
 * the same direction. */
#include <math.h>

#include "motion.h"

/* n is tilted this much to find the corners of the faces: edges within that angle of parallel count as parallel. */
static const double TILT = 1e-5;
/* A face goes on from the witness when a corner is this far from it, as a share of the body's size. Curved surfaces
 * move by TILT only. */
static const double EXTENT = 1e-3;
/* Two directions of the plane are the same within this angle. */
static const double SAME_DIRECTION = 1e-4;
enum { TILTS = 16 };

typedef struct direction {
    double x, y;
} direction;

/* The directions, seen along n, in which a face goes on from its witness point. */
typedef struct fan {
    direction rays[TILTS];
    size_t count;
} fan;

static void tangents(apart_vec3 n, apart_vec3 *t, apart_vec3 *u)
{
    const apart_vec3 other = fabs(n.x) < 0.6 ? (apart_vec3){1, 0, 0} : (apart_vec3){0, 1, 0};
    const apart_vec3 side = apart_vec3_cross(n, other);
    *t = apart_vec3_scale(1.0 / apart_vec3_norm(side), side);
    *u = apart_vec3_cross(n, *t);
}

/* The face of the shape that is farthest along `out` (world axes). */
static fan make_fan(const apart_shape *shape, const apart_pose *pose, apart_vec3 witness, apart_vec3 out, apart_vec3 t,
                    apart_vec3 u)
{
    fan f = {.count = 0};
    apart_vec3 center;
    double size;
    if (shape->kind == APART_SHAPE_HALF_SPACE) { /* its face goes on everywhere */
        for (int k = 0; k < TILTS; k++) {
            f.rays[f.count++] = (direction){cos(2 * k * acos(-1.0) / TILTS), sin(2 * k * acos(-1.0) / TILTS)};
        }
        return f;
    }
    if (apart_shape_ball(shape, &center, &size) != APART_OK) {
        return f;
    }
    for (int k = 0; k < TILTS; k++) {
        const double angle = 2 * k * acos(-1.0) / TILTS;
        const apart_vec3 tilt = apart_vec3_add_scaled(apart_vec3_scale(TILT * cos(angle), t), TILT * sin(angle), u);
        apart_vec3 corner;
        if (apart_support(shape, apart_pose_rotate_inverse(pose, apart_vec3_add(out, tilt)), &corner) != APART_OK) {
            continue;
        }
        const apart_vec3 way = apart_vec3_sub(apart_pose_apply(pose, corner), witness);
        const double x = apart_vec3_dot(way, t), y = apart_vec3_dot(way, u), length = sqrt(x * x + y * y);
        if (length > EXTENT * size) {
            f.rays[f.count++] = (direction){x / length, y / length};
        }
    }
    return f;
}

static double cross(direction a, direction b) { return a.x * b.y - a.y * b.x; }
static double dot(direction a, direction b) { return a.x * b.x + a.y * b.y; }

/* Is the direction one of the fan's rays or between two of them (less than half a turn apart)? */
static bool holds(const fan *f, direction d)
{
    for (size_t i = 0; i < f->count; i++) {
        if (fabs(cross(f->rays[i], d)) < SAME_DIRECTION && dot(f->rays[i], d) > 0) {
            return true;
        }
        for (size_t k = 0; k < f->count; k++) {
            const double turn = cross(f->rays[i], f->rays[k]);
            if (turn > SAME_DIRECTION && cross(f->rays[i], d) > 0 && cross(d, f->rays[k]) > 0) {
                return true;
            }
        }
    }
    return false;
}

static bool fans_meet(const fan *a, const fan *b)
{
    for (size_t i = 0; i < a->count; i++) {
        if (holds(b, a->rays[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < b->count; i++) {
        if (holds(a, b->rays[i])) {
            return true;
        }
    }
    return false;
}

static bool is_unique(const robot_cell *cell, const robot_pair *pair, const apart_compound_result *result)
{
    const uint32_t parts[2] = {result->part_a, result->part_b};
    const apart_vec3 n = result->result.normal;
    apart_vec3 t, u;
    fan fans[2];
    tangents(n, &t, &u);
    for (int i = 0; i < 2; i++) {
        const robot_body *body = &cell->bodies[pair->bodies[i]];
        const bool many = body->compound != NULL;
        const apart_part *part = &body->parts[many ? parts[i] : 0];
        const apart_pose inner = apart_pose_compose(&cell->poses[pair->bodies[i]], &part->pose);
        fans[i] = make_fan(&part->shape, many ? &inner : &cell->poses[pair->bodies[i]],
                           i == 0 ? result->result.a : result->result.b, i == 0 ? n : apart_vec3_neg(n), t, u);
    }
    return !fans_meet(&fans[0], &fans[1]);
}

/* Adds sign * n . velocity of the point, by variable. */
static void add_side(const robot_cell *cell, size_t body, apart_vec3 point, apart_vec3 n, double sign, double *gradient)
{
    const robot *r = cell->robot;
    const robot_state *state = &cell->state;
    for (size_t link = cell->bodies[body].link; link != ROBOT_NONE && link > 0; link = r->joints[link - 1].parent) {
        const robot_joint *joint = &r->joints[link - 1];
        const apart_vec3 axis = state->axes[link - 1];
        if (joint->variable != ROBOT_NONE) {
            const apart_vec3 velocity = joint->kind == ROBOT_SLIDING
                                            ? axis
                                            : apart_vec3_cross(axis, apart_vec3_sub(point, state->origins[link - 1]));
            gradient[joint->variable] += sign * joint->factor * apart_vec3_dot(n, velocity);
        }
    }
}

void robot_distance_gradient(const robot_cell *cell, size_t number, const apart_compound_result *result,
                             double *gradient)
{
    const robot_pair *pair = &cell->pairs[number];
    for (size_t v = 0; v < cell->robot->variable_count; v++) {
        gradient[v] = 0.0;
    }
    add_side(cell, pair->bodies[0], result->result.a, result->result.normal, -1.0, gradient);
    add_side(cell, pair->bodies[1], result->result.b, result->result.normal, 1.0, gradient);
}

bool robot_cell_gradient(const robot_cell *cell, size_t number, const apart_compound_result *result, double *gradient)
{
    robot_distance_gradient(cell, number, result, gradient);
    return is_unique(cell, &cell->pairs[number], result);
}
