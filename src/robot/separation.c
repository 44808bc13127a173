/* How far two moving bodies are separated along a direction.
 *
 * The signed distance of two convex bodies is the largest, over all unit directions n, of what separates them along n:
 * any n gives a lower bound. Let n be fixed in the last common frame, and let every point x of a body keep its velocity
 * u + w cross x for a time t. Then  n . (x + t (u + w cross x)) = (n + t n cross w) . x + t n . u , so that the
 * separation is the difference of two support values in tilted directions. As a minimum over points of functions that
 * are linear in t it is concave. The true paths depart from the straight ones by at most t^2/2 times the largest
 * acceleration (Taylor), which the caller takes off. The same with accelerations kept: these are linear in x too, and
 * the true paths then depart by t^3/6 times the largest derivative of the acceleration. */
#include <float.h>
#include <math.h>

#include "../hull/block.h"
#include "../math/vec.h"
#include "../shape/support.h"
#include "robot.h"

/* Each support value is a sum of a dozen rounded products of lengths up to the body's position and size. */
static const double VALUE_ROUNDING = 32.0 * DBL_EPSILON;

/* The observer moves itself: the velocities subtract, and the difference changes in that frame
 * by what it changes outside, less what the frame's own motion makes of it (a commutator, as in moment.c). */
void ap_robot_move_parts(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair,
                         size_t observer, ap_robot_parts *parts)
{
    const apart_vec3 turn = m->angular[observer], shift = m->linear[observer];
    for (int i = 0; i < 2; i++) {
        const size_t f = cell->bodies[pair->public.bodies[i]].frame;
        const apart_vec3 w = m->angular[f], u = m->linear[f];
        parts->angular[i] = ap_sub(w, turn);
        parts->linear[i] = ap_sub(u, shift);
        parts->angular_change[i] = ap_sub(ap_sub(m->angular_change[f], m->angular_change[observer]), ap_cross(turn, w));
        parts->linear_change[i] = ap_sub(ap_sub(m->linear_change[f], m->linear_change[observer]),
                                         ap_sub(ap_cross(turn, u), ap_cross(w, shift)));
    }
}

/* What a computed support value may miss, for a direction of length 1. */
static double support_error(const apart_shape *s)
{
    const double climb = s->kind == APART_SHAPE_HULL ? s->u.hull->climb_loss : 0.0;
    return s->error + (isfinite(climb) ? climb * DBL_EPSILON * s->bound : 0.0);
}

/* At least the length. */
static double size_of(apart_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

static bool stands_still(const apart_shape *s) { return s->kind == APART_SHAPE_HALF_SPACE; }

static void follow_side(ap_robot_parts *parts, int side, apart_vec3 n)
{
    const apart_shape *s = parts->shapes[side];
    const apart_pose *pose = &parts->poses[side];
    const apart_vec3 w = parts->angular[side], u = parts->linear[side];
    ap_robot_course *c = &parts->courses[side];
    const apart_vec3 local = s->kind == APART_SHAPE_POINT ? s->u.point[0] : s->center;
    const double turn = size_of(w), shift = size_of(u), place = size_of(pose->translation) + s->bound + s->radius;
    c->n = n;
    c->center = ap_add(ap_apply(&pose->rotation, local), pose->translation);
    c->slope = ap_cross(n, w);
    c->curve = ap_add(ap_cross(n, parts->angular_change[side]), ap_cross(c->slope, w));
    c->speed = ap_dot(n, u);
    c->change = ap_dot(n, parts->linear_change[side]) + ap_dot(c->slope, u);
    c->turns[0] = 1.0;
    c->turns[1] = turn;
    c->turns[2] = size_of(parts->angular_change[side]) + turn * turn;
    c->shifts[0] = place + size_of(c->center);
    c->shifts[1] = turn * c->shifts[0] + shift;
    c->shifts[2] = c->turns[2] * c->shifts[0] + size_of(parts->linear_change[side]) + turn * shift;
}

void ap_robot_follow(ap_robot_parts *parts, apart_vec3 n)
{
    if (stands_still(parts->shapes[1])) {
        n = ap_neg(ap_apply(&parts->poses[1].rotation, parts->shapes[1]->u.plane.normal));
    }
    follow_side(parts, 0, n);
    follow_side(parts, 1, ap_neg(n));
}

/* The largest of n . x over the moved body, rounded up, n being its side's direction. A rounded body is its moved core
 * and a ball, which no turn changes. */
static double reach_along(ap_robot_parts *parts, int side, double time, int order)
{
    const apart_shape *s = parts->shapes[side];
    const apart_pose *pose = &parts->poses[side];
    const ap_robot_course *c = &parts->courses[side];
    if (stands_still(s)) { /* and n is its normal */
        const double offset = s->u.plane.offset + s->radius + ap_dot(c->n, pose->translation);
        return offset + VALUE_ROUNDING * (fabs(s->u.plane.offset) + s->radius + ap_max_abs(pose->translation));
    }
    const double square = order == 2 ? 0.5 * time * time : 0.0, length = fabs(time);
    const double turns = c->turns[0] + length * c->turns[1] + square * c->turns[2],
                 shifts = c->shifts[0] + length * c->shifts[1] + square * c->shifts[2];
    const apart_vec3 tilted = ap_add(c->n, ap_add(ap_scale(time, c->slope), ap_scale(square, c->curve)));
    const double start = ap_dot(tilted, c->center) + (time * c->speed + square * c->change);
    double value = start + s->radius + turns * support_error(s) + VALUE_ROUNDING * shifts;
    if (s->kind != APART_SHAPE_POINT) {
        const apart_vec3 d = ap_apply_transposed(&pose->rotation, tilted);
        ap_support_context context = {ap_power_of_two_scale(s->bound), APART_SUPPORT_AUTO, {0, 0}};
        value += ap_dot(d, ap_support(s, &context, d, &parts->vertices[side])) / context.scale;
    }
    return isfinite(value) ? value : INFINITY;
}

double ap_robot_separation(ap_robot_parts *parts, double time, int order)
{
    const double value = -reach_along(parts, 1, time, order) - reach_along(parts, 0, time, order);
    return value - 4.0 * DBL_EPSILON * fabs(value); /* n is a unit vector to a few roundings */
}

/* At a body's centre, and how much more at the points of its bounding sphere. */
double ap_robot_parting(const ap_robot_parts *parts)
{
    double most = 0.0;
    for (int i = 0; i < 2; i++) {
        const apart_shape *s = parts->shapes[i];
        const ap_robot_course *c = &parts->courses[i];
        if (!stands_still(s)) {
            most += -ap_dot(c->curve, c->center) - c->change + ap_norm(c->curve) * (s->bound + s->radius) +
                    VALUE_ROUNDING * c->shifts[2];
        }
    }
    return most;
}

apart_vec3 ap_robot_acceleration(const ap_robot_parts *parts, int side, apart_vec3 point)
{
    const apart_vec3 w = parts->angular[side], v = ap_add(parts->linear[side], ap_cross(w, point));
    return ap_add(ap_add(parts->linear_change[side], ap_cross(parts->angular_change[side], point)), ap_cross(w, v));
}
