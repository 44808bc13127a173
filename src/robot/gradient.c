/* The derivative of a distance by the joints. With the normal n from A to B and the witness points a and b, carried by
 * their links,
 *     d' = n . (b' - a')
 * since the distance is the largest separation over all directions, and at the best one a small turn of n changes
 * nothing. That holds while a and b are the only closest points. Where edges or faces are parallel there are many, each
 * with a derivative of its own: the distance has a kink in that direction.
 * (contact/unique.h). */
#include <math.h>

#include "../contact/unique.h"
#include "robot.h"

/* Derivatives that differ by less than this, per length of what they turn about, are the same. */
static const double SAME_DERIVATIVE = 1e-6;
/* Parts are as near as the nearest within this share of their sizes. */
static const double SAME_DISTANCE = 1e-9;
/* Two parts at their places, and where they are nearest. */
typedef struct contact {
    const apart_robot_work *w;
    const size_t *bodies;
    ap_robot_parts parts;
    apart_vec3 points[2], n;
} contact;

static void tangents(apart_vec3 n, apart_vec3 *t, apart_vec3 *u)
{
    const apart_vec3 other = fabs(n.x) < 0.6 ? (apart_vec3){1, 0, 0} : (apart_vec3){0, 1, 0};
    const apart_vec3 side = apart_vec3_cross(n, other);
    *t = apart_vec3_scale(1.0 / apart_vec3_norm(side), side);
    *u = apart_vec3_cross(n, *t);
}

/* ---- derivatives ---- */

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

/* The derivative by one variable, and its lever: the lengths it is made of. */
static double derivative_by(const contact *c, const apart_vec3 points[2], apart_vec3 n, size_t variable, double *lever)
{
    const ap_robot_frame *frames = c->w->cell->robot->frames;
    const ap_robot_moment *m = &c->w->moments[AP_MOMENT_USER];
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        for (size_t f = c->w->cell->bodies[c->bodies[i]].frame; f != 0; f = frames[f].parent) {
            if (frames[f].variable == variable) {
                const apart_vec3 arm = apart_vec3_sub(points[i], m->origins[f]);
                const apart_vec3 velocity = frames[f].slides ? m->axes[f] : apart_vec3_cross(m->axes[f], arm);
                sum += (i == 0 ? -1.0 : 1.0) * frames[f].factor * apart_vec3_dot(n, velocity);
                *lever += fabs(frames[f].factor) * (frames[f].slides ? 1.0 : apart_vec3_norm(arm));
            }
        }
    }
    return sum;
}

/* Would other nearest points, with their own normal, give another gradient? */
static bool has_kink(const contact *c, const apart_vec3 points[2], apart_vec3 n)
{
    for (size_t v = 0; v < c->w->cell->robot->variable_count; v++) {
        double lever = 0.0;
        const double one = derivative_by(c, c->points, c->n, v, &lever), two = derivative_by(c, points, n, v, &lever);
        if (fabs(one - two) > SAME_DERIVATIVE * lever) {
            return true;
        }
    }
    return false;
}

/* ---- other nearest points of the same parts ---- */

/* Moves both points along a direction in which both faces go on. */
static bool has_kink_along(const contact *c, ap_fan_direction d, apart_vec3 t, apart_vec3 u)
{
    const apart_vec3 way = apart_vec3_add(apart_vec3_scale(d.x, t), apart_vec3_scale(d.y, u));
    const apart_vec3 points[2] = {apart_vec3_add(c->points[0], way), apart_vec3_add(c->points[1], way)};
    return has_kink(c, points, c->n);
}

static bool faces_have_kink(const contact *c)
{
    apart_vec3 t, u;
    ap_fan fans[2];
    tangents(c->n, &t, &u);
    for (int i = 0; i < 2; i++) {
        const ap_witness w = {c->parts.shapes[i], &c->parts.poses[i], c->points[i],
                              i == 0 ? c->n : apart_vec3_neg(c->n)};
        fans[i] = ap_fan_make(&w, t, u);
    }
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < fans[i].count; k++) {
            if (ap_fan_holds(&fans[1 - i], fans[i].rays[k]) && has_kink_along(c, fans[i].rays[k], t, u)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- other parts that are as near ---- */

static bool part_has_kink(const contact *c, double distance)
{
    const apart_shape *const *shapes = c->parts.shapes;
    double slack = SAME_DISTANCE * fabs(distance);
    for (int i = 0; i < 2; i++) {
        const bool endless = shapes[i]->kind == APART_SHAPE_HALF_SPACE;
        slack += endless ? 0.0 : SAME_DISTANCE * (shapes[i]->bound + shapes[i]->radius);
    }
    apart_result r;
    if (ap_robot_part_gap(&c->parts) > distance + slack ||
        apart_distance(shapes[0], &c->parts.poses[0], shapes[1], &c->parts.poses[1], NULL, NULL, &r) != APART_OK ||
        r.distance > distance + slack) {
        return false;
    }
    const apart_vec3 points[2] = {r.a, r.b};
    return has_kink(c, points, r.normal);
}

static bool parts_have_kink(const contact *c, const apart_robot_near *near)
{
    const ap_robot_moment *m = &c->w->moments[AP_MOMENT_USER];
    const ap_robot_body *a = &c->w->cell->bodies[c->bodies[0]], *b = &c->w->cell->bodies[c->bodies[1]];
    for (size_t i = 0; i < a->public.part_count; i++) {
        for (size_t k = 0; k < b->public.part_count; k++) {
            contact other = *c;
            if (i == near->at.part_a && k == near->at.part_b) {
                continue;
            }
            other.parts.shapes[0] = ap_robot_part(a, &m->poses[c->bodies[0]], i, &other.parts.poses[0]);
            other.parts.shapes[1] = ap_robot_part(b, &m->poses[c->bodies[1]], k, &other.parts.poses[1]);
            if (part_has_kink(&other, near->at.result.distance)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- the interface ---- */

/* A part by its number, or a mesh's triangle as a shape. */
static const apart_shape *part_of(const ap_robot_body *body, const apart_pose *pose, size_t number, apart_shape *own,
                                  apart_pose *out)
{
    if (number < body->public.part_count) {
        return ap_robot_part(body, pose, number, out);
    }
    number -= body->public.part_count;
    for (size_t i = 0; i < body->public.mesh_count; i++) {
        const apart_robot_mesh *mesh = &body->public.meshes[i];
        const size_t triangles = apart_mesh_inspect(mesh->mesh)->triangles;
        if (number < triangles) {
            uint32_t corners[3];
            apart_mesh_triangle(mesh->mesh, (uint32_t)number, corners);
            *own = apart_triangle(apart_mesh_vertex(mesh->mesh, corners[0]), apart_mesh_vertex(mesh->mesh, corners[1]),
                                  apart_mesh_vertex(mesh->mesh, corners[2]));
            *out = apart_pose_compose(pose, &mesh->pose);
            return own;
        }
        number -= triangles;
    }
    return NULL;
}

static bool is_unique(const apart_robot_work *w, const apart_robot_near *near)
{
    const ap_robot_moment *m = &w->moments[AP_MOMENT_USER];
    const uint32_t numbers[2] = {near->at.part_a, near->at.part_b};
    const apart_result *r = &near->at.result;
    contact c = {.w = w, .bodies = w->cell->pairs[near->pair].public.bodies, .points = {r->a, r->b}, .n = r->normal};
    apart_shape own[2];
    for (int i = 0; i < 2; i++) {
        const ap_robot_body *body = &w->cell->bodies[c.bodies[i]];
        c.parts.shapes[i] = part_of(body, &m->poses[c.bodies[i]], numbers[i], &own[i], &c.parts.poses[i]);
        if (c.parts.shapes[i] == NULL) {
            return false;
        }
    }
    return !faces_have_kink(&c) && !parts_have_kink(&c, near);
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
