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

#include "robot.h"

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

static bool is_unique(const apart_robot_work *w, const apart_robot_near *near)
{
    const size_t *bodies = w->cell->pairs[near->pair].public.bodies;
    const uint32_t numbers[2] = {near->at.part_a, near->at.part_b};
    const apart_result *r = &near->at.result;
    apart_vec3 t, u;
    fan fans[2];
    tangents(r->normal, &t, &u);
    for (int i = 0; i < 2; i++) {
        apart_pose pose;
        const apart_shape *shape =
            ap_robot_part(&w->cell->bodies[bodies[i]], &w->moments[AP_MOMENT_USER].poses[bodies[i]], numbers[i], &pose);
        fans[i] = make_fan(shape, &pose, i == 0 ? r->a : r->b, i == 0 ? r->normal : apart_vec3_neg(r->normal), t, u);
    }
    return !fans_meet(&fans[0], &fans[1]);
}

/* Adds sign * n . velocity of the point, by variable. */
static void add_side(const apart_robot_work *w, size_t body, apart_vec3 point, apart_vec3 n, double sign,
                     double *gradient)
{
    const ap_robot_frame *frames = w->cell->robot->frames;
    const ap_robot_moment *m = &w->moments[AP_MOMENT_USER];
    for (size_t f = w->cell->bodies[body].frame; f != 0; f = frames[f].parent) {
        const apart_vec3 axis = m->axes[f];
        const apart_vec3 velocity =
            frames[f].slides ? axis : apart_vec3_cross(axis, apart_vec3_sub(point, m->origins[f]));
        gradient[frames[f].variable] += sign * frames[f].factor * apart_vec3_dot(n, velocity);
    }
}

apart_status apart_robot_gradient(const apart_robot_work *w, const apart_robot_near *near, double *gradient,
                                  int *unique)
{
    if (w == NULL || near == NULL || gradient == NULL) {
        return APART_ERR_NULL;
    }
    if (near->pair >= w->cell->pair_count) {
        return APART_ERR_ID;
    }
    const size_t *bodies = w->cell->pairs[near->pair].public.bodies;
    const apart_result *r = &near->at.result;
    for (size_t v = 0; v < w->cell->robot->variable_count; v++) {
        gradient[v] = 0.0;
    }
    add_side(w, bodies[0], r->a, r->normal, -1.0, gradient);
    add_side(w, bodies[1], r->b, r->normal, 1.0, gradient);
    if (unique != NULL) {
        *unique = is_unique(w, near);
    }
    return APART_OK;
}
