/* Where frames and bodies are at a moment of a motion, how fast they move, and how fast they can move nearby.
 * Everything is computed when it is asked for: a search that looks at one pair moves the joints of that pair only. */
#include <float.h>
#include <math.h>

#include "../math/vec.h"
#include "robot.h"

/* Rounding of one joint's step along a chain, as a share of the lengths involved: a turn's entries are off by a few
 * eps, a product of two poses by a few more; an angle is off by eps of itself. */
static const double CHAIN_ROUNDING = 16.0 * DBL_EPSILON;
/* The bounds below take a few hundred operations at most. */
static const double BOUND_ROUNDING = 1e-12;

void ap_robot_moment_begin(const apart_robot *r, ap_robot_moment *m, double s)
{
    m->s = s;
    m->half = -1.0;
    m->stamp++;
    m->row_stamp++;
    m->slides = m->largest = m->rates = m->changes = 0.0;
    for (size_t f = 1; f < r->frame_count; f++) {
        const ap_robot_frame *frame = &r->frames[f];
        const double size = m->magnitudes != NULL ? m->magnitudes[frame->variable] : fabs(m->q[frame->variable]);
        const double position = fabs(frame->factor) * size + fabs(frame->offset);
        m->slides += frame->slides ? position : 0.0;
        m->largest = ap_max(m->largest, position);
        m->rates += fabs(frame->factor * m->rate[frame->variable]);
        m->changes += fabs(frame->factor * m->change[frame->variable]);
    }
}

/* The joint's velocity field is rate * (turn cross x + shift). The field itself moves with the frame above, and so
 * changes by the commutator of the two fields. */
static void move_frame(const ap_robot_frame *f, ap_robot_moment *m, size_t number)
{
    const apart_vec3 zero = {0.0, 0.0, 0.0}, axis = m->axes[number], above = m->angular[f->parent];
    const apart_vec3 turn = f->slides ? zero : axis, shift = f->slides ? axis : ap_cross(m->origins[number], axis);
    const double rate = f->factor * m->rate[f->variable], change = f->factor * m->change[f->variable];
    const apart_vec3 shift_change = ap_sub(ap_cross(above, shift), ap_cross(turn, m->linear[f->parent]));
    const apart_vec3 turned = ap_add(ap_scale(rate, ap_cross(above, turn)), ap_scale(change, turn)),
                     shifted = ap_add(ap_scale(rate, shift_change), ap_scale(change, shift));
    m->angular[number] = ap_add(above, ap_scale(rate, turn));
    m->linear[number] = ap_add(m->linear[f->parent], ap_scale(rate, shift));
    m->angular_change[number] = ap_add(m->angular_change[f->parent], turned);
    m->linear_change[number] = ap_add(m->linear_change[f->parent], shifted);
}

void ap_robot_place_frame(const apart_robot_cell *cell, ap_robot_moment *m, size_t number)
{
    const ap_robot_frame *f = &cell->robot->frames[number];
    if (m->frame_stamps[number] == m->stamp) {
        return;
    }
    m->frame_stamps[number] = m->stamp;
    if (number == 0) {
        m->frames[0] = cell->base;
        m->angular[0] = m->linear[0] = m->angular_change[0] = m->linear_change[0] = ap_vec(0.0, 0.0, 0.0);
        return;
    }
    ap_robot_place_frame(cell, m, f->parent);
    const apart_pose joint = apart_pose_compose(&m->frames[f->parent], &f->origin);
    const apart_pose motion = ap_robot_joint_pose(f->slides, f->axis, f->factor * m->q[f->variable] + f->offset);
    const apart_vec3 axis = ap_apply(&joint.rotation, f->axis), o = joint.translation;
    m->frames[number] = apart_pose_compose(&joint, &motion);
    m->origins[number] = o;
    m->axes[number] = axis;
    move_frame(f, m, number);
}

void ap_robot_place_body(const apart_robot_cell *cell, ap_robot_moment *m, size_t number)
{
    const ap_robot_body *body = &cell->bodies[number];
    if (m->body_stamps[number] == m->stamp) {
        return;
    }
    m->body_stamps[number] = m->stamp;
    ap_robot_place_frame(cell, m, body->frame);
    m->poses[number] = body->moves_with_base ? apart_pose_compose(&m->frames[body->frame], &body->local) : body->local;
    m->centers[number] = ap_add(ap_apply(&m->poses[number].rotation, body->center), m->poses[number].translation);
}

const apart_vec3 *ap_robot_place_spheres(const apart_robot_cell *cell, ap_robot_moment *m, size_t number)
{
    const ap_robot_body *body = &cell->bodies[number];
    apart_vec3 *centers = m->part_centers + body->part_row;
    if (m->part_stamps[number] != m->stamp) {
        const apart_pose *pose = &m->poses[number];
        m->part_stamps[number] = m->stamp;
        for (size_t i = 0; i < body->public.part_count; i++) {
            const apart_vec3 at = body->placed ? body->public.parts[i].pose.translation : ap_vec(0, 0, 0);
            centers[i] = ap_add(ap_apply(&pose->rotation, at), pose->translation);
        }
    }
    return centers;
}

/* Bounds of what a point of a body does against some frame: velocity, acceleration, and the derivative of that. */
typedef struct course_bounds {
    double moved, bent, jolted;
} course_bounds;

/* From the body up: a joint moves it the farther, the farther the later joints may have brought it meanwhile. Against
 * the frame above a joint that turns at rate w, a point with velocity v and acceleration a against the joint's own
 * frame and at most d from the axis moves at most at v + w d and accelerates by at most
 * a + 2 w v + (w^2 + w') d  (Coriolis, centripetal and Euler terms); the next derivative follows likewise, by the
 * product rule. */
static void add_joint(const ap_robot_frame *frame, const ap_robot_moment *m, double far, course_bounds *b)
{
    const double factor = fabs(frame->factor), rate = factor * m->rate_most[frame->variable],
                 change = factor * m->bend_most[frame->variable], jolt = factor * m->jolt_most[frame->variable];
    if (frame->slides) {
        b->moved += rate;
        b->bent += change;
        b->jolted += jolt;
    } else if (rate > 0.0 || change > 0.0 || jolt > 0.0) {
        b->jolted += 3.0 * rate * b->bent + 3.0 * (rate * rate + change) * b->moved +
                     (rate * (rate * rate + 3.0 * change) + jolt) * far;
        b->bent += 2.0 * rate * b->moved + (rate * rate + change) * far;
        b->moved += rate * far;
    }
}

/* How far points of the body are at most from the frame's axis. */
static double far_from(const ap_robot_moment *m, const ap_robot_body *body, apart_vec3 center, size_t f, double moved)
{
    const double from_axis = ap_norm(ap_cross(m->axes[f], ap_sub(center, m->origins[f])));
    return from_axis + body->radius + m->half * moved;
}

void ap_robot_bound_body(const apart_robot_cell *cell, ap_robot_moment *m, size_t number)
{
    const ap_robot_body *body = &cell->bodies[number];
    if (m->row_stamps[number] == m->row_stamp) {
        return;
    }
    m->row_stamps[number] = m->row_stamp;
    const ap_robot_frame *frames = cell->robot->frames;
    course_bounds b = {0.0, 0.0, 0.0};
    size_t row = body->row;
    for (size_t f = body->frame; f != 0; f = frames[f].parent, row++) {
        const double far = ap_min(far_from(m, body, m->centers[number], f, b.moved), cell->reach[row]);
        add_joint(&frames[f], m, far, &b);
        m->speed[row] = b.moved * (1.0 + BOUND_ROUNDING);
        m->bend[row] = b.bent * (1.0 + BOUND_ROUNDING);
        m->jolt[row] = b.jolted * (1.0 + BOUND_ROUNDING);
    }
}

/* First up to the last common frame, then down to the observer: seen from the frame below it, a joint moves what is
 * above as it moves what is below, seen from above. */
void ap_robot_bounds_seen_from(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair,
                               int side, double *bend, double *jolt)
{
    const ap_robot_frame *frames = cell->robot->frames;
    const size_t number = pair->public.bodies[1 - side];
    const ap_robot_body *body = &cell->bodies[number];
    const size_t observer = cell->bodies[pair->public.bodies[side]].frame,
                 steps = frames[body->frame].depth - frames[pair->top].depth;
    course_bounds b = {0.0, 0.0, 0.0};
    if (steps > 0) {
        const size_t row = body->row + steps - 1;
        b = (course_bounds){m->speed[row], m->bend[row], m->jolt[row]};
    }
    for (size_t depth = frames[pair->top].depth + 1; depth <= frames[observer].depth; depth++) {
        size_t f = observer;
        while (frames[f].depth > depth) {
            f = frames[f].parent;
        }
        add_joint(&frames[f], m, far_from(m, body, m->centers[number], f, b.moved), &b);
    }
    *bend = b.bent * (1.0 + BOUND_ROUNDING);
    *jolt = b.jolted * (1.0 + BOUND_ROUNDING);
}

double ap_robot_rounding(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair)
{
    double error = 0.0;
    for (int i = 0; i < 2; i++) {
        const ap_robot_body *body = &cell->bodies[pair->public.bodies[i]];
        if (body->moves_with_base) {
            error += CHAIN_ROUNDING * (double)(body->steps + 2) * (body->chain + m->slides) * (1.0 + m->largest);
        }
    }
    return error;
}

void ap_robot_pair_bounds(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair,
                          double *speed, double *bend, double *jolt)
{
    const ap_robot_frame *frames = cell->robot->frames;
    *speed = *bend = *jolt = 0.0;
    for (int i = 0; i < 2; i++) {
        const ap_robot_body *body = &cell->bodies[pair->public.bodies[i]];
        const size_t steps = frames[body->frame].depth - frames[pair->top].depth;
        if (steps > 0) {
            *speed += m->speed[body->row + steps - 1];
            *bend += m->bend[body->row + steps - 1];
            *jolt += m->jolt[body->row + steps - 1];
        }
    }
}

double ap_robot_center_distance(const ap_robot_moment *m, const ap_robot_pair *pair)
{
    return ap_norm(ap_sub(m->centers[pair->public.bodies[1]], m->centers[pair->public.bodies[0]]));
}

double ap_robot_ball_gap(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair)
{
    const size_t a = pair->public.bodies[0], b = pair->public.bodies[1];
    const double between = ap_robot_center_distance(m, pair);
    return between * (1.0 - BOUND_ROUNDING) - cell->bodies[a].radius - cell->bodies[b].radius;
}
