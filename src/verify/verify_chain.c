/* Forward kinematics, its error and a bound of motions, for the check of paths. */
#include "verify_chain.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* One step of a chain rounds a rotation's entries and a position's share of the length by less than this: a sine by
 * 4 eps (below), Rodrigues' formula by 6 eps more, two products of poses by 4 eps each. */
static const double STEP_ERROR = 64.0 * DBL_EPSILON;

/* ---- sine and cosine ---- */

/* By Taylor's series after halving the angle eight times and doubling it again (cos 2a = 1 - 2 sin^2 a,
 * sin 2a = 2 sin a cos a). We keep v = 1 - cos, so that nothing is lost for small angles: v2 = 2 v (2 - v),
 * s2 = 2 s (1 - v). Each doubling at most doubles an error relative to the value. Angles are first brought into
 * [-pi, pi] by the nearest double to two pi and what that misses. */
static void sine_cosine(double angle, double *sine, double *versine)
{
    const double two_pi = 6.283185307179586477, rest = 2.449293598294706e-16;
    const double turns = floor(angle / two_pi + 0.5);
    const double a = ((angle - turns * two_pi) - turns * rest) / 256.0, square = a * a;
    double s = a * (1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0))));
    double v = square / 2.0 * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
    for (int i = 0; i < 8; i++) {
        const double doubled = 2.0 * s * (1.0 - v);
        v = 2.0 * v * (2.0 - v);
        s = doubled;
    }
    *sine = s;
    *versine = v;
}

/* ---- the chain ---- */

apart_status ap_chain_begin(ap_chain *c, const apart_robot_cell *cell)
{
    apart_robot_work *work = NULL;
    const apart_robot *r = apart_robot_cell_robot(cell);
    *c = (ap_chain){.robot = r, .body_count = apart_robot_body_count(cell)};
    c->links = calloc(apart_robot_link_count(r), sizeof *c->links);
    c->q = calloc(apart_robot_variable_count(r) + 1, sizeof *c->q);
    c->travel = calloc(apart_robot_joint_count(r) + 1, sizeof *c->travel);
    c->body_radius = calloc(c->body_count + 1, sizeof *c->body_radius);
    c->obstacles = calloc(c->body_count + 1, sizeof *c->obstacles);
    if (c->links == NULL || c->q == NULL || c->travel == NULL || c->body_radius == NULL || c->obstacles == NULL) {
        return APART_ERR_MEMORY;
    }
    /* Where the cell has put what no joint moves: the base and the obstacles. */
    const apart_status status = apart_robot_work_create(cell, &work);
    if (status == APART_OK) {
        c->base = apart_robot_link_pose(work, 0);
        for (size_t b = 0; b < c->body_count; b++) {
            c->obstacles[b] = apart_robot_body_pose(work, b);
        }
    }
    apart_robot_work_free(work);
    return status;
}

void ap_chain_end(ap_chain *c)
{
    free(c->links);
    free(c->q);
    free(c->travel);
    free(c->body_radius);
    free(c->obstacles);
    *c = (ap_chain){.robot = NULL};
}

static apart_mat3 turn(apart_vec3 u, double angle)
{
    double s, v;
    sine_cosine(angle, &s, &v);
    return (apart_mat3){.x = {1.0 - v * (u.y * u.y + u.z * u.z), v * u.x * u.y + s * u.z, v * u.x * u.z - s * u.y},
                        .y = {v * u.x * u.y - s * u.z, 1.0 - v * (u.x * u.x + u.z * u.z), v * u.y * u.z + s * u.x},
                        .z = {v * u.x * u.z + s * u.y, v * u.y * u.z - s * u.x, 1.0 - v * (u.x * u.x + u.y * u.y)}};
}

static double position_of(const ap_chain *c, const apart_robot_joint *joint)
{
    return joint->variable == APART_ROBOT_NONE ? 0.0 : joint->factor * c->q[joint->variable] + joint->offset;
}

void ap_chain_move(ap_chain *c, const double *q0, const double *q1, double s)
{
    for (size_t v = 0; v < apart_robot_variable_count(c->robot); v++) {
        c->q[v] = s == 1.0 ? q1[v] : q0[v] + s * (q1[v] - q0[v]);
    }
    c->links[0] = c->base;
    for (size_t i = 0; i < apart_robot_joint_count(c->robot); i++) {
        const apart_robot_joint *joint = apart_robot_joint_at(c->robot, i);
        const double position = position_of(c, joint);
        apart_pose moved = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        if (joint->kind == APART_JOINT_SLIDING) {
            moved.translation = apart_vec3_scale(position, joint->axis);
        } else if (joint->kind != APART_JOINT_FIXED) {
            moved.rotation = turn(joint->axis, position);
        }
        const apart_pose frame = apart_pose_compose(&c->links[joint->parent], &joint->origin);
        c->links[i + 1] = apart_pose_compose(&frame, &moved);
    }
}

/* ---- bodies ---- */

void ap_chain_items(const ap_chain *c, const apart_robot_cell *cell, size_t body, ap_chain_item *items)
{
    const apart_robot_body *b = apart_robot_body_at(cell, body);
    for (size_t i = 0; i < b->part_count + b->mesh_count; i++) {
        const bool is_part = i < b->part_count;
        const apart_robot_mesh *mesh = is_part ? NULL : &b->meshes[i - b->part_count];
        ap_chain_item *item = &items[i];
        *item = (ap_chain_item){.link = b->link, .pose = is_part ? b->parts[i].pose : mesh->pose};
        if (is_part) {
            item->shape = b->parts[i].shape;
            item->solid = apart_solid_shape(&item->shape);
        } else {
            item->solid = mesh->surface ? apart_solid_surface(mesh->mesh) : apart_solid_mesh(mesh->mesh);
        }
        if (b->link == APART_ROBOT_NONE) {
            item->pose = apart_pose_compose(&c->obstacles[body], &item->pose);
        }
    }
}

apart_status ap_chain_measure(ap_chain *c, const apart_robot_cell *cell, ap_chain_item *items, const size_t *first)
{
    (void)cell;
    for (size_t b = 0; b < c->body_count; b++) {
        for (size_t i = first[b]; i < first[b + 1]; i++) {
            ap_chain_item *item = &items[i];
            if (item->solid.shape != NULL && item->shape.kind == APART_SHAPE_HALF_SPACE) {
                item->radius = INFINITY;
            } else {
                const apart_status status = apart_solid_ball(item->solid, &item->center, &item->radius);
                if (status != APART_OK) {
                    return status;
                }
                item->radius *= 1.0 + 1e-9; /* the sphere itself is rounded */
            }
            const double far = apart_vec3_norm(apart_pose_apply(&item->pose, item->center)) + item->radius;
            c->body_radius[b] = fmax(c->body_radius[b], far * (1.0 + 1e-12));
        }
    }
    return APART_OK;
}

apart_pose ap_chain_place(const ap_chain *c, const ap_chain_item *item)
{
    return item->link == APART_ROBOT_NONE ? item->pose : apart_pose_compose(&c->links[item->link], &item->pose);
}

/* ---- lengths ---- */

void ap_chain_travel(ap_chain *c, const double *q, size_t count)
{
    const size_t width = apart_robot_variable_count(c->robot);
    for (size_t j = 0; j < apart_robot_joint_count(c->robot); j++) {
        const apart_robot_joint *joint = apart_robot_joint_at(c->robot, j);
        for (size_t i = 0; i < count && joint->variable != APART_ROBOT_NONE; i++) {
            const double position = fabs(joint->factor * q[i * width + joint->variable] + joint->offset);
            c->largest = fmax(c->largest, position);
            if (joint->kind == APART_JOINT_SLIDING) {
                c->travel[j] = fmax(c->travel[j], position * (1.0 + 1e-12));
            }
        }
    }
}

/* The length of the chain from a link's origin to the next joint towards the root. */
static double length_of(const ap_chain *c, size_t joint)
{
    return apart_vec3_norm(apart_robot_joint_at(c->robot, joint)->origin.translation) + c->travel[joint];
}

static bool is_above(const ap_chain *c, size_t joint, size_t link)
{
    for (; link > 0; link = apart_robot_joint_at(c->robot, link - 1)->parent) {
        if (link - 1 == joint) {
            return true;
        }
    }
    return false;
}

double ap_chain_error(const ap_chain *c, const apart_robot_cell *cell, size_t body)
{
    const size_t link = apart_robot_body_at(cell, body)->link;
    if (link == APART_ROBOT_NONE) {
        return 0.0;
    }
    double length =
        apart_vec3_norm(c->base.translation) + (isfinite(c->body_radius[body]) ? c->body_radius[body] : 0.0);
    size_t steps = 2;
    for (size_t at = link; at > 0; at = apart_robot_joint_at(c->robot, at - 1)->parent) {
        length += length_of(c, at - 1);
        steps++;
    }
    return STEP_ERROR * (double)steps * length * (1.0 + c->largest);
}

/* What the joints between a body and the last link common to both move its points by. */
static double side_speed(const ap_chain *c, const apart_robot_cell *cell, size_t body, size_t other, const double *q0,
                         const double *q1)
{
    const size_t own = apart_robot_body_at(cell, body)->link, others = apart_robot_body_at(cell, other)->link;
    double behind = c->body_radius[body], sum = 0.0;
    for (size_t link = own == APART_ROBOT_NONE ? 0 : own; link > 0;) {
        const size_t j = link - 1;
        const apart_robot_joint *joint = apart_robot_joint_at(c->robot, j);
        if (others != APART_ROBOT_NONE && is_above(c, j, others)) {
            break;
        }
        if (joint->variable != APART_ROBOT_NONE) {
            const double rate = fabs(joint->factor * (q1[joint->variable] - q0[joint->variable]));
            sum += joint->kind == APART_JOINT_SLIDING ? rate : (rate > 0.0 ? rate * (behind + c->travel[j]) : 0.0);
        }
        behind += length_of(c, j);
        link = joint->parent;
    }
    return sum * (1.0 + 1e-9);
}

double ap_chain_speed(const ap_chain *c, const apart_robot_cell *cell, const apart_robot_pair *pair, const double *q0,
                      const double *q1)
{
    return side_speed(c, cell, pair->bodies[0], pair->bodies[1], q0, q1) +
           side_speed(c, cell, pair->bodies[1], pair->bodies[0], q0, q1);
}
