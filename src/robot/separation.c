/* How far two moving bodies are separated along a direction.
 *
 * The signed distance of two convex bodies is the largest, over all unit directions n, of what separates them along n:
 * any n gives a lower bound. Let n be fixed in the last common frame, and let every point x of a body keep its velocity
 * u + w cross x for a time t. Then  n . (x + t (u + w cross x)) = (n + t n cross w) . x + t n . u , so that the
 * separation is the difference of two support values in tilted directions. As a minimum over points of functions that
 * are linear in t it is concave. The true paths depart from the straight ones by at most t^2/2 times the largest
 * acceleration (Taylor), which the caller takes off. */
#include <float.h>
#include <math.h>

#include "../hull/block.h"
#include "../math/vec.h"
#include "../shape/support.h"
#include "robot.h"

/* Each support value is a sum of a dozen rounded products of lengths up to the body's position and size. */
static const double VALUE_ROUNDING = 32.0 * DBL_EPSILON;

void ap_robot_move_parts(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair,
                         ap_robot_parts *parts)
{
    for (int i = 0; i < 2; i++) {
        const size_t frame = cell->bodies[pair->public.bodies[i]].frame;
        parts->angular[i] = ap_sub(m->angular[frame], m->angular[pair->top]);
        parts->linear[i] = ap_sub(m->linear[frame], m->linear[pair->top]);
    }
}

/* What a computed support value may miss, for a direction of length 1. */
static double support_error(const apart_shape *s)
{
    const double climb = s->kind == APART_SHAPE_HULL ? s->u.hull->climb_loss : 0.0;
    return s->error + (isfinite(climb) ? climb * DBL_EPSILON * s->bound : 0.0);
}

/* The largest of n . x over the moved body, rounded up; for the smallest give -n and negate. */
static double reach_along(ap_robot_parts *parts, int side, apart_vec3 n, double time)
{
    const apart_shape *s = parts->shapes[side];
    const apart_pose *pose = &parts->poses[side];
    const apart_vec3 w = parts->angular[side];
    if (s->kind == APART_SHAPE_HALF_SPACE) { /* it stands still, and n is its normal */
        const double offset = s->u.plane.offset + s->radius + ap_dot(n, pose->translation);
        return offset + VALUE_ROUNDING * (fabs(s->u.plane.offset) + s->radius + ap_max_abs(pose->translation));
    }
    const bool is_sphere = s->kind == APART_SHAPE_POINT;
    const apart_vec3 local = is_sphere ? s->u.point[0] : s->center;
    const apart_vec3 center = ap_add(ap_apply(&pose->rotation, local), pose->translation);
    const double start = ap_dot(n, center), moved = time * ap_dot(n, ap_add(parts->linear[side], ap_cross(w, center)));
    const double size = s->bound + s->radius, place = ap_norm(pose->translation) + ap_norm(local) + size;
    if (is_sphere) {
        return start + moved + s->radius + VALUE_ROUNDING * place + s->error;
    }
    const apart_vec3 tilted = ap_add(n, ap_scale(time, ap_cross(n, w)));
    const apart_vec3 d = ap_apply_transposed(&pose->rotation, tilted);
    ap_support_context context = {ap_power_of_two_scale(s->bound), APART_SUPPORT_AUTO, {0, 0}};
    const double reach = ap_dot(d, ap_support(s, &context, d, &parts->vertices[side])) / context.scale;
    const double error = s->radius + VALUE_ROUNDING * place + support_error(s), value = start + moved + reach;
    return isfinite(value) ? value + ap_norm(tilted) * error : INFINITY;
}

double ap_robot_separation(ap_robot_parts *parts, apart_vec3 n, double time)
{
    if (parts->shapes[1]->kind == APART_SHAPE_HALF_SPACE) {
        n = ap_neg(ap_apply(&parts->poses[1].rotation, parts->shapes[1]->u.plane.normal));
    }
    const double value = -reach_along(parts, 1, ap_neg(n), time) - reach_along(parts, 0, n, time);
    return value - 4.0 * DBL_EPSILON * fabs(value); /* n is a unit vector to a few roundings */
}
