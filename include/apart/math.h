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
 *
 *     apart_vec3 gap = apart_vec3_sub(b, a);
 *     double square = apart_vec3_dot(gap, gap);
 *
 * The functions of vectors are inline and evaluate in the order in which they are written. A caller who compiles
 * with -ffp-contract=off gets the same bits with every compiler.
 * Read next: apart/shape.h.
 */
#ifndef APART_MATH_H
#define APART_MATH_H

#include <math.h>

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

/** The type of the numbers in an array of vertices. */
typedef enum apart_number {
    APART_DOUBLE = 0, /**< 64 bits */
    APART_FLOAT = 1   /**< 32 bits; each is taken as the double of the same value */
} apart_number;

/** The caller's array of vertices, borrowed for the time of a call: vertex i has its x, y and z one after the other at
 *  the address data + i * stride. */
typedef struct apart_vertices {
    const void *data; /**< the first x */
    size_t count;     /**< number of vertices */
    size_t stride;    /**< bytes from one vertex to the next; 0: three numbers, packed */
    uint8_t number;   /**< apart_number */
} apart_vertices;

/** a + b. */
static inline apart_vec3 apart_vec3_add(apart_vec3 a, apart_vec3 b)
{
    const apart_vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

/** a - b: the vector from b to a. */
static inline apart_vec3 apart_vec3_sub(apart_vec3 a, apart_vec3 b)
{
    const apart_vec3 difference = {a.x - b.x, a.y - b.y, a.z - b.z};
    return difference;
}

/** -v. */
static inline apart_vec3 apart_vec3_neg(apart_vec3 v)
{
    const apart_vec3 opposite = {-v.x, -v.y, -v.z};
    return opposite;
}

/** factor * v. */
static inline apart_vec3 apart_vec3_scale(double factor, apart_vec3 v)
{
    const apart_vec3 scaled = {factor * v.x, factor * v.y, factor * v.z};
    return scaled;
}

/** start + factor * v: the point of a ray. */
static inline apart_vec3 apart_vec3_add_scaled(apart_vec3 start, double factor, apart_vec3 v)
{
    return apart_vec3_add(start, apart_vec3_scale(factor, v));
}

/** (1 - t) * a + t * b: exactly a at t = 0 and b at t = 1. `t` outside [0, 1] extrapolates. */
static inline apart_vec3 apart_vec3_lerp(apart_vec3 a, apart_vec3 b, double t)
{
    return apart_vec3_add_scaled(apart_vec3_scale(1.0 - t, a), t, b);
}

/** The dot product, (a.x * b.x + a.y * b.y) + a.z * b.z. */
static inline double apart_vec3_dot(apart_vec3 a, apart_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/** The cross product: perpendicular to a and b, right-handed. */
static inline apart_vec3 apart_vec3_cross(apart_vec3 a, apart_vec3 b)
{
    const apart_vec3 normal = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return normal;
}

/** The Euclidean length |v|: sqrt(dot(v, v)), with the vector scaled by a power of two if the squares would overflow or
 * underflow. It overflows only where |v| itself does; NaN if a component is NaN. */
static inline double apart_vec3_norm(apart_vec3 v)
{
    const double square = apart_vec3_dot(v, v), tiny = 1e-270, large = 1e300;
    const double power = 4.149515568880993e180; /* 2^600 */
    if (square < tiny) {
        const apart_vec3 enlarged = apart_vec3_scale(power, v);
        return sqrt(apart_vec3_dot(enlarged, enlarged)) / power;
    }
    if (square > large) {
        const apart_vec3 reduced = apart_vec3_scale(1.0 / power, v);
        return sqrt(apart_vec3_dot(reduced, reduced)) * power;
    }
    return sqrt(square);
}

/** The Euclidean distance between two points, |a - b|. */
static inline double apart_vec3_distance(apart_vec3 a, apart_vec3 b) { return apart_vec3_norm(apart_vec3_sub(a, b)); }

/** The pose that moves nothing. */
APART_API apart_pose apart_pose_identity(void);

/** A pure translation. */
APART_API apart_pose apart_pose_translation(double x, double y, double z);

/** From a quaternion in (w, x, y, z) order, normalised here. APART_ERR_QUATERNION for length zero,
 * APART_ERR_NONFINITE. */
APART_API apart_status apart_pose_from_quat_wxyz(double w, double x, double y, double z, apart_vec3 translation,
                                                 apart_pose *out);

/** From a quaternion in (x, y, z, w) order (ROS, glTF, Bullet). Errors as apart_pose_from_quat_wxyz. */
APART_API apart_status apart_pose_from_quat_xyzw(double x, double y, double z, double w, apart_vec3 translation,
                                                 apart_pose *out);

/** From fixed-axis roll, pitch, yaw in radians (URDF): Rz(yaw) Ry(pitch) Rx(roll). Angles: see
 *  apart_pose_from_angle_2d. */
APART_API apart_status apart_pose_from_rpy(double roll, double pitch, double yaw, apart_vec3 translation,
                                           apart_pose *out);

/** From a rotation of `angle` radians about `axis` (any length > 0). APART_ERR_NORMAL for length zero. Angles:
 *  see apart_pose_from_angle_2d. */
APART_API apart_status apart_pose_from_axis_angle(apart_vec3 axis, double angle, apart_vec3 translation,
                                                  apart_pose *out);

/** From nine numbers row by row, taken as they are. APART_ERR_ROTATION when they are no rotation: a matrix computed in
 *  single precision now and then is none to the 1e-6 of apart_pose_check; see apart_pose_from_float_matrix_rows. */
APART_API apart_status apart_pose_from_matrix_rows(const double rows[9], apart_vec3 translation, apart_pose *out);

/** From nine floats row by row, as an engine keeps them: the rotation nearest to the matrix M (its polar factor), to a
 *  few eps, with the same bits everywhere. M may have drifted until an entry of |MtM - I| is 0.01, which takes 10^5
 *  products of rotations in single precision. Beyond that, and where the determinant is negative, APART_ERR_ROTATION: a matrix
 *  with a scale or a reflection is not a pose (apart_affine takes it). APART_ERR_NONFINITE, APART_ERR_NULL. */
APART_API apart_status apart_pose_from_float_matrix_rows(const float rows[9], apart_vec3 translation, apart_pose *out);

/** The same from nine floats column by column (OpenGL, glTF). Statuses as apart_pose_from_float_matrix_rows. */
APART_API apart_status apart_pose_from_float_matrix_columns(const float columns[9], apart_vec3 translation,
                                                            apart_pose *out);

/** From a float quaternion in (w, x, y, z) order of any length > 0, normalised here in double precision. Statuses as
 *  apart_pose_from_quat_wxyz, APART_ERR_NULL. */
APART_API apart_status apart_pose_from_float_quat_wxyz(const float wxyz[4], apart_vec3 translation, apart_pose *out);

/** The same in (x, y, z, w) order. */
APART_API apart_status apart_pose_from_float_quat_xyzw(const float xyzw[4], apart_vec3 translation, apart_pose *out);

/** A planar pose from an angle in radians, for 2D shapes. Up to APART_MAX_ANGLE (apart/motion.h) the same bits
 *  everywhere, by the library's own sin and cos; beyond that libm's. */
APART_API apart_status apart_pose_from_angle_2d(double angle, double x, double y, apart_pose *out);

/** Checks a pose: APART_OK, APART_ERR_NONFINITE or APART_ERR_ROTATION (the rule of design: max|RtR - I| <= 1e-6, det >
 * 0). */
APART_API apart_status apart_pose_check(const apart_pose *pose);

/** rotation * p + translation. */
APART_API apart_vec3 apart_pose_apply(const apart_pose *pose, apart_vec3 p);

/** transpose(rotation) * (p - translation): a world point in the body's frame. */
APART_API apart_vec3 apart_pose_apply_inverse(const apart_pose *pose, apart_vec3 p);

/** rotation * d: a direction. */
APART_API apart_vec3 apart_pose_rotate(const apart_pose *pose, apart_vec3 d);

/** transpose(rotation) * d: a world direction in the body's frame. */
APART_API apart_vec3 apart_pose_rotate_inverse(const apart_pose *pose, apart_vec3 d);

/** First `inner`, then `outer`. */
APART_API apart_pose apart_pose_compose(const apart_pose *outer, const apart_pose *inner);

/** The inverse of a rotation and translation. */
APART_API apart_pose apart_pose_inverse(const apart_pose *pose);

#ifdef __cplusplus
}
#endif
#endif
