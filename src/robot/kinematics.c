/* Forward kinematics and the geometric Jacobian. */
#include "robot.h"

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

apart_pose ap_robot_joint_pose(bool slides, apart_vec3 axis, double position)
{
    apart_pose pose = apart_pose_identity();
    if (slides) {
        pose.translation = apart_vec3_scale(position, axis);
    } else {
        pose.rotation = turn(axis, position);
    }
    return pose;
}

double apart_robot_joint_position(const apart_robot_joint *joint, const double *q)
{
    return joint->variable == APART_ROBOT_NONE ? 0.0 : joint->factor * q[joint->variable] + joint->offset;
}

void apart_robot_forward(const apart_robot *r, const double *q, apart_pose *links)
{
    links[0] = apart_pose_identity();
    for (size_t i = 0; i < r->joint_count; i++) {
        const apart_robot_joint *joint = &r->joints[i];
        links[i + 1] = apart_pose_compose(&links[joint->parent], &joint->origin);
        if (joint->kind != APART_JOINT_FIXED) {
            const apart_pose motion = ap_robot_joint_pose(joint->kind == APART_JOINT_SLIDING, joint->axis,
                                                          apart_robot_joint_position(joint, q));
            links[i + 1] = apart_pose_compose(&links[i + 1], &motion);
        }
    }
}

void apart_robot_jacobian(const apart_robot *r, const apart_pose *links, size_t link, apart_vec3 point,
                          apart_vec3 *linear, apart_vec3 *angular)
{
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
        const apart_robot_joint *joint = &r->joints[link - 1];
        if (joint->variable == APART_ROBOT_NONE) {
            continue;
        }
        const apart_pose frame = apart_pose_compose(&links[joint->parent], &joint->origin);
        const apart_vec3 axis = apart_pose_rotate(&frame, joint->axis);
        const bool slides = joint->kind == APART_JOINT_SLIDING;
        const apart_vec3 velocity = slides ? axis : apart_vec3_cross(axis, apart_vec3_sub(point, frame.translation));
        if (linear != NULL) {
            linear[joint->variable] = apart_vec3_add_scaled(linear[joint->variable], joint->factor, velocity);
        }
        if (angular != NULL && !slides) {
            angular[joint->variable] = apart_vec3_add_scaled(angular[joint->variable], joint->factor, axis);
        }
    }
}
