/** @file
 * apart/math.h: vectors, rotations and poses as plain values.
 *
 * A pose places a shape in the world: world = rotation * local + translation, with the rotation
 * stored as its three columns (the images of the local axes). Constructors carry the name of the
 * convention they read, because a bare array of four numbers has hurt everybody once.
 *
 *     apart_pose pose;
 *     apart_pose_from_quat_wxyz(w, x, y, z, (apart_vec3){1, 2, 3}, &pose);
 *
 * 2D shapes use the same poses: rotation about z, translation with z = 0.
 * Read next: apart/shape.h.
 */
#ifndef APART_MATH_H
#define APART_MATH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A point or a vector. */
typedef struct apart_vec3 {
    double x; /**< along the first axis */
    double y; /**< along the second */
    double z; /**< along the third; 0 in the plane */
} apart_vec3;

/** A 3x3 matrix by columns: M v = x*v.x + y*v.y + z*v.z. */
typedef struct apart_mat3 {
    apart_vec3 x; /**< first column: the image of the x axis */
    apart_vec3 y; /**< second column */
    apart_vec3 z; /**< third column */
} apart_mat3;

/** world = rotation * local + translation. A query takes the matrix exactly as given. */
typedef struct apart_pose {
    apart_mat3 rotation;    /**< from local to world axes */
    apart_vec3 translation; /**< where the local origin lies in the world */
} apart_pose;

/** Axis-aligned box. */
typedef struct apart_aabb {
    apart_vec3 min; /**< least coordinates */
    apart_vec3 max; /**< greatest coordinates */
} apart_aabb;

/** The pose that moves nothing. */
apart_pose apart_pose_identity(void);

/** A pure translation. */
apart_pose apart_pose_translation(double x, double y, double z);

/** From a quaternion in (w, x, y, z) order, normalised here. APART_ERR_QUATERNION for length zero, APART_ERR_NONFINITE. */
apart_status apart_pose_from_quat_wxyz(double w, double x, double y, double z, apart_vec3 translation, apart_pose *out);

/** From a quaternion in (x, y, z, w) order (ROS, glTF, Bullet). Errors as apart_pose_from_quat_wxyz. */
apart_status apart_pose_from_quat_xyzw(double x, double y, double z, double w, apart_vec3 translation, apart_pose *out);

/** From fixed-axis roll, pitch, yaw in radians (URDF): Rz(yaw) Ry(pitch) Rx(roll). Uses libm's sin and cos. */
apart_status apart_pose_from_rpy(double roll, double pitch, double yaw, apart_vec3 translation, apart_pose *out);

/** From a rotation of `angle` radians about `axis` (any length > 0). APART_ERR_NORMAL for length zero. Uses libm's sin and cos. */
apart_status apart_pose_from_axis_angle(apart_vec3 axis, double angle, apart_vec3 translation, apart_pose *out);

/** From nine numbers row by row. APART_ERR_ROTATION when it is no rotation. */
apart_status apart_pose_from_matrix_rows(const double rows[9], apart_vec3 translation, apart_pose *out);

/** A planar pose from an angle in radians, for 2D shapes. Uses libm's sin and cos. */
apart_status apart_pose_from_angle_2d(double angle, double x, double y, apart_pose *out);

/** Checks a pose: APART_OK, APART_ERR_NONFINITE or APART_ERR_ROTATION (the rule of design: max|RtR - I| <= 1e-6, det > 0). */
apart_status apart_pose_check(const apart_pose *pose);

/** rotation * p + translation. */
apart_vec3 apart_pose_apply(const apart_pose *pose, apart_vec3 p);

/** transpose(rotation) * (p - translation): a world point in the body's frame. */
apart_vec3 apart_pose_apply_inverse(const apart_pose *pose, apart_vec3 p);

/** rotation * d: a direction. */
apart_vec3 apart_pose_rotate(const apart_pose *pose, apart_vec3 d);

/** transpose(rotation) * d: a world direction in the body's frame. */
apart_vec3 apart_pose_rotate_inverse(const apart_pose *pose, apart_vec3 d);

/** First `inner`, then `outer`. */
apart_pose apart_pose_compose(const apart_pose *outer, const apart_pose *inner);

/** The inverse of a rotation and translation. */
apart_pose apart_pose_inverse(const apart_pose *pose);

#ifdef __cplusplus
}
#endif
#endif
