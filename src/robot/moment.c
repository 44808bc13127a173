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
    m->slides = m->largest = m->rates = 0.0;
    for (size_t f = 1; f < r->frame_count; f++) {
        const ap_robot_frame *frame = &r->frames[f];
        const double size = m->magnitudes != NULL ? m->magnitudes[frame->variable] : fabs(m->q[frame->variable]);
        const double position = fabs(frame->factor) * size + fabs(frame->offset);
        m->slides += frame->slides ? position : 0.0;
        m->largest = ap_max(m->largest, position);
        m->rates += fabs(frame->factor * m->rate[frame->variable]);
    }
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
        m->angular[0] = m->linear[0] = ap_vec(0.0, 0.0, 0.0);
        return;
    }
    ap_robot_place_frame(cell, m, f->parent);
    const apart_pose joint = apart_pose_compose(&m->frames[f->parent], &f->origin);
    const apart_pose motion = ap_robot_joint_pose(f->slides, f->axis, f->factor * m->q[f->variable] + f->offset);
    const apart_vec3 axis = ap_apply(&joint.rotation, f->axis), o = joint.translation;
    const apart_vec3 turning = ap_scale(f->factor * m->rate[f->variable], axis);
    m->frames[number] = apart_pose_compose(&joint, &motion);
    m->origins[number] = o;
    m->axes[number] = axis;
    m->angular[number] = m->angular[f->parent];
    m->linear[number] = ap_add(m->linear[f->parent], f->slides ? turning : ap_cross(o, turning));
    if (!f->slides) {
        m->angular[number] = ap_add(m->angular[number], turning);
    }
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

/* From the body up: a joint moves it the farther, the farther the later joints may have brought it meanwhile. Against
 * the frame above a joint that turns at rate w, a point with velocity v and acceleration a against the joint's own
 * frame and at most d from the axis moves at most at v + w d and accelerates by at most
 * a + 2 w v + (w^2 + w') d  (Coriolis, centripetal and Euler terms). */
void ap_robot_bound_body(const apart_robot_cell *cell, ap_robot_moment *m, size_t number)
{
    const ap_robot_body *body = &cell->bodies[number];
    if (m->row_stamps[number] == m->row_stamp) {
        return;
    }
    m->row_stamps[number] = m->row_stamp;
    const ap_robot_frame *frames = cell->robot->frames;
    const apart_vec3 center = m->centers[number];
    double moved = 0.0, bent = 0.0;
    size_t row = body->row;
    for (size_t f = body->frame; f != 0; f = frames[f].parent, row++) {
        const double factor = fabs(frames[f].factor);
        const double rate = factor * m->rate_most[frames[f].variable];
        const double change = factor * m->bend_most[frames[f].variable];
        if (frames[f].slides) {
            moved += rate;
            bent += change;
        } else if (rate > 0.0 || change > 0.0) {
            const double from_axis = ap_norm(ap_cross(m->axes[f], ap_sub(center, m->origins[f])));
            const double far = ap_min(from_axis + body->radius + m->half * moved, cell->reach[row]);
            bent += 2.0 * rate * moved + (rate * rate + change) * far;
            moved += rate * far;
        }
        m->speed[row] = moved * (1.0 + BOUND_ROUNDING);
        m->bend[row] = bent * (1.0 + BOUND_ROUNDING);
    }
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
                          double *speed, double *bend)
{
    const ap_robot_frame *frames = cell->robot->frames;
    *speed = *bend = 0.0;
    for (int i = 0; i < 2; i++) {
        const ap_robot_body *body = &cell->bodies[pair->public.bodies[i]];
        const size_t steps = frames[body->frame].depth - frames[pair->top].depth;
        if (steps > 0) {
            *speed += m->speed[body->row + steps - 1];
            *bend += m->bend[body->row + steps - 1];
        }
    }
}

double ap_robot_ball_gap(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair)
{
    const size_t a = pair->public.bodies[0], b = pair->public.bodies[1];
    const double between = ap_norm(ap_sub(m->centers[b], m->centers[a]));
    return between * (1.0 - BOUND_ROUNDING) - cell->bodies[a].radius - cell->bodies[b].radius;
}
