/* Forward kinematics and the geometric Jacobian. */
#include <stdlib.h>

#include "report.h"

/* Rotation by an angle about a unit axis: cos I + sin [axis] + (1 - cos) axis axis^T, with the library's own sin and
 * cos. */
static apart_mat3 turn(apart_vec3 u, double angle)
{
    double s, c;
    apart_sincos(angle, &s, &c);
    const double v = 1.0 - c;
    return (apart_mat3){.x = {c + v * u.x * u.x, v * u.x * u.y + s * u.z, v * u.x * u.z - s * u.y},
                        .y = {v * u.x * u.y - s * u.z, c + v * u.y * u.y, v * u.y * u.z + s * u.x},
                        .z = {v * u.x * u.z + s * u.y, v * u.y * u.z - s * u.x, c + v * u.z * u.z}};
}

apart_pose robot_joint_pose(const robot_joint *joint, double position)
{
    apart_pose pose = apart_pose_identity();
    if (joint->kind == ROBOT_SLIDING) {
        pose.translation = apart_vec3_scale(position, joint->axis);
    } else if (joint->kind != ROBOT_FIXED) {
        pose.rotation = turn(joint->axis, position);
    }
    return pose;
}

double robot_joint_position(const robot_joint *joint, const double *q)
{
    return joint->variable == ROBOT_NONE ? 0.0 : joint->factor * q[joint->variable] + joint->offset;
}

apart_status robot_state_init(const robot *r, robot_state *state)
{
    *state = (robot_state){.robot = r};
    state->links = calloc(r->link_count, sizeof *state->links);
    state->origins = calloc(r->joint_count + 1, sizeof *state->origins);
    state->axes = calloc(r->joint_count + 1, sizeof *state->axes);
    if (state->links == NULL || state->origins == NULL || state->axes == NULL) {
        robot_state_free(state);
        return APART_ERR_MEMORY;
    }
    state->links[0] = apart_pose_identity();
    return APART_OK;
}

void robot_state_free(robot_state *state)
{
    free(state->links);
    free(state->origins);
    free(state->axes);
    *state = (robot_state){.robot = NULL};
}

void robot_state_set(robot_state *state, const double *q)
{
    const robot *r = state->robot;
    for (size_t i = 0; i < r->joint_count; i++) {
        const robot_joint *joint = &r->joints[i];
        const apart_pose frame = apart_pose_compose(&state->links[joint->parent], &joint->origin);
        const apart_pose motion = robot_joint_pose(joint, robot_joint_position(joint, q));
        state->origins[i] = frame.translation;
        state->axes[i] = apart_pose_rotate(&frame, joint->axis);
        state->links[i + 1] = joint->kind == ROBOT_FIXED ? frame : apart_pose_compose(&frame, &motion);
    }
}

void robot_jacobian(const robot_state *state, size_t link, apart_vec3 point, apart_vec3 *linear, apart_vec3 *angular)
{
    const robot *r = state->robot;
    const apart_vec3 zero = {0, 0, 0};
    for (size_t v = 0; v < r->variable_count; v++) {
        if (linear != NULL) {
            linear[v] = zero;
        }
        if (angular != NULL) {
            angular[v] = zero;
        }
    }
    /* Link i hangs on joint i - 1; mimicking joints add to the column of the joint they follow. */
    for (; link > 0; link = r->joints[link - 1].parent) {
        const robot_joint *joint = &r->joints[link - 1];
        const apart_vec3 axis = state->axes[link - 1];
        if (joint->variable == ROBOT_NONE) {
            continue;
        }
        const bool slides = joint->kind == ROBOT_SLIDING;
        const apart_vec3 velocity =
            slides ? axis : apart_vec3_cross(axis, apart_vec3_sub(point, state->origins[link - 1]));
        if (linear != NULL) {
            linear[joint->variable] = apart_vec3_add_scaled(linear[joint->variable], joint->factor, velocity);
        }
        if (angular != NULL && !slides) {
            angular[joint->variable] = apart_vec3_add_scaled(angular[joint->variable], joint->factor, axis);
        }
    }
}
