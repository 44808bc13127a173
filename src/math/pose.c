/* Poses: made from quaternions, angles and matrices, checked, applied, composed and inverted (the conventions are in
 * apart/math.h).
 *
 * All give the same bits on every machine: products, sums and one division, and the library's own sin and cos; only
 * angles beyond APART_MAX_ANGLE go to libm, whose last bit depends on the platform. */
#include <apart/motion.h>

#include "vec.h"

/* A matrix of floats is brought to the nearest rotation if no entry of |RtR - I| is above it: products of 10^5
 * rotations in single precision stay below, a scale of 1 % is beyond. */
#define FLOAT_ROTATION_LIMIT 0.01

static const apart_mat3 identity = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static bool is_finite_matrix(const apart_mat3 *m) { return ap_finite(m->x) && ap_finite(m->y) && ap_finite(m->z); }

/* Writes the pose, or returns APART_ERR_NULL or APART_ERR_NONFINITE. */
static apart_status store_pose(apart_mat3 rotation, apart_vec3 translation, apart_pose *out)
{
    if (out == NULL) {
        return APART_ERR_NULL;
    }
    if (!is_finite_matrix(&rotation) || !ap_finite(translation)) {
        return APART_ERR_NONFINITE;
    }
    *out = (apart_pose){rotation, translation};
    return APART_OK;
}

/* The rotation of a quaternion of any length > 0. It divides by the squared length instead of normalising first: that
 * needs no square root and keeps rotations by 90 degrees exact. */
static apart_mat3 quaternion_matrix(double w, double x, double y, double z)
{
    const double f = 2.0 / ((w * w + x * x) + (y * y + z * z));
    return (apart_mat3){
        {1.0 - f * (y * y + z * z), f * (x * y + w * z), f * (x * z - w * y)},
        {f * (x * y - w * z), 1.0 - f * (x * x + z * z), f * (y * z + w * x)},
        {f * (x * z + w * y), f * (y * z - w * x), 1.0 - f * (x * x + y * y)},
    };
}

static void sine_and_cosine(double angle, double *sine, double *cosine)
{
    if (fabs(angle) <= APART_MAX_ANGLE) {
        apart_sincos(angle, sine, cosine);
    } else {
        *sine = sin(angle);
        *cosine = cos(angle);
    }
}

/* X (3 I - XtX) / 2. */
static apart_mat3 step_to_rotation(const apart_mat3 *x)
{
    const double xx = 1.5 - 0.5 * ap_dot(x->x, x->x), yy = 1.5 - 0.5 * ap_dot(x->y, x->y),
                 zz = 1.5 - 0.5 * ap_dot(x->z, x->z);
    const double xy = -0.5 * ap_dot(x->x, x->y), xz = -0.5 * ap_dot(x->x, x->z), yz = -0.5 * ap_dot(x->y, x->z);
    return (apart_mat3){ap_apply(x, ap_vec(xx, xy, xz)), ap_apply(x, ap_vec(xy, yy, yz)),
                        ap_apply(x, ap_vec(xz, yz, zz))};
}

/* The nearest rotation, the orthogonal factor of the polar decomposition (Bjoerck and Bowie 1971): a singular value
 * 1 + e becomes 1 - 3 e^2 / 2 - e^3 / 2. From |XtX - I| <= 0.03 (three entries of a row), |e| <= 0.0151: 3.5e-4,
 * 1.8e-7, 5e-14, 4e-27. A fifth step has nothing left to do but to remove what the fourth rounded. */
static apart_status store_nearest_rotation(apart_mat3 m, apart_vec3 translation, apart_pose *out)
{
    if (!is_finite_matrix(&m) || !ap_finite(translation)) {
        return APART_ERR_NONFINITE;
    }
    if (!(ap_rotation_defect(&m) <= FLOAT_ROTATION_LIMIT)) {
        return APART_ERR_ROTATION;
    }
    for (int i = 0; i < 5; i++) {
        m = step_to_rotation(&m);
    }
    *out = (apart_pose){m, translation};
    return APART_OK;
}

apart_pose apart_pose_identity(void) { return (apart_pose){identity, {0.0, 0.0, 0.0}}; }

apart_pose apart_pose_translation(double x, double y, double z) { return (apart_pose){identity, {x, y, z}}; }

apart_status apart_pose_from_quat_wxyz(double w, double x, double y, double z, apart_vec3 translation, apart_pose *out)
{
    if (!isfinite(w) || !isfinite(x) || !isfinite(y) || !isfinite(z)) {
        return APART_ERR_NONFINITE;
    }
    const double largest = ap_max(fabs(w), ap_max_abs(ap_vec(x, y, z)));
    if (largest == 0.0) {
        return APART_ERR_QUATERNION;
    }
    /* A power of two brings lengths like 1e-200 and 1e200 to about 1, so that squares neither over- nor underflow. */
    const double s = ap_power_of_two_scale(largest);
    return store_pose(quaternion_matrix(s * w, s * x, s * y, s * z), translation, out);
}

apart_status apart_pose_from_quat_xyzw(double x, double y, double z, double w, apart_vec3 translation, apart_pose *out)
{
    return apart_pose_from_quat_wxyz(w, x, y, z, translation, out);
}

apart_status apart_pose_from_rpy(double roll, double pitch, double yaw, apart_vec3 translation, apart_pose *out)
{
    if (!ap_finite(ap_vec(roll, pitch, yaw))) {
        return APART_ERR_NONFINITE;
    }
    double cr, sr, cp, sp, cy, sy;
    sine_and_cosine(roll, &sr, &cr);
    sine_and_cosine(pitch, &sp, &cp);
    sine_and_cosine(yaw, &sy, &cy);
    const apart_mat3 rotation = {
        {cy * cp, sy * cp, -sp},
        {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
        {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr},
    };
    return store_pose(rotation, translation, out);
}

apart_status apart_pose_from_axis_angle(apart_vec3 axis, double angle, apart_vec3 translation, apart_pose *out)
{
    if (!ap_finite(axis) || !isfinite(angle)) {
        return APART_ERR_NONFINITE;
    }
    const double largest = ap_max_abs(axis);
    if (largest == 0.0) {
        return APART_ERR_NORMAL;
    }
    /* Rodrigues' formula: R = c I + s [u]x + (1 - c) u ut. */
    const apart_vec3 scaled = ap_scale(ap_power_of_two_scale(largest), axis);
    const apart_vec3 u = ap_scale(1.0 / ap_norm(scaled), scaled);
    double c, s;
    sine_and_cosine(angle, &s, &c);
    const apart_vec3 k = ap_scale(1.0 - c, u);
    const apart_mat3 rotation = {
        {c + k.x * u.x, k.x * u.y + s * u.z, k.x * u.z - s * u.y},
        {k.y * u.x - s * u.z, c + k.y * u.y, k.y * u.z + s * u.x},
        {k.z * u.x + s * u.y, k.z * u.y - s * u.x, c + k.z * u.z},
    };
    return store_pose(rotation, translation, out);
}

apart_status apart_pose_from_matrix_rows(const double rows[9], apart_vec3 translation, apart_pose *out)
{
    if (rows == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_pose pose = {
        {{rows[0], rows[3], rows[6]}, {rows[1], rows[4], rows[7]}, {rows[2], rows[5], rows[8]}},
        translation,
    };
    const apart_status status = apart_pose_check(&pose);
    if (status == APART_OK) {
        *out = pose;
    }
    return status;
}

apart_status apart_pose_from_float_matrix_rows(const float rows[9], apart_vec3 translation, apart_pose *out)
{
    if (rows == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_mat3 m = {ap_vec(rows[0], rows[3], rows[6]), ap_vec(rows[1], rows[4], rows[7]),
                          ap_vec(rows[2], rows[5], rows[8])};
    return store_nearest_rotation(m, translation, out);
}

apart_status apart_pose_from_float_matrix_columns(const float columns[9], apart_vec3 translation, apart_pose *out)
{
    if (columns == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_mat3 m = {ap_vec(columns[0], columns[1], columns[2]), ap_vec(columns[3], columns[4], columns[5]),
                          ap_vec(columns[6], columns[7], columns[8])};
    return store_nearest_rotation(m, translation, out);
}

apart_status apart_pose_from_float_quat_wxyz(const float wxyz[4], apart_vec3 translation, apart_pose *out)
{
    return wxyz == NULL ? APART_ERR_NULL
                        : apart_pose_from_quat_wxyz(wxyz[0], wxyz[1], wxyz[2], wxyz[3], translation, out);
}

apart_status apart_pose_from_float_quat_xyzw(const float xyzw[4], apart_vec3 translation, apart_pose *out)
{
    return xyzw == NULL ? APART_ERR_NULL
                        : apart_pose_from_quat_wxyz(xyzw[3], xyzw[0], xyzw[1], xyzw[2], translation, out);
}

apart_status apart_pose_from_angle_2d(double angle, double x, double y, apart_pose *out)
{
    if (!isfinite(angle)) {
        return APART_ERR_NONFINITE;
    }
    double c, s;
    sine_and_cosine(angle, &s, &c);
    return store_pose((apart_mat3){{c, s, 0.0}, {-s, c, 0.0}, {0.0, 0.0, 1.0}}, ap_vec(x, y, 0.0), out);
}

apart_status apart_pose_check(const apart_pose *pose)
{
    if (pose == NULL) {
        return APART_ERR_NULL;
    }
    if (!is_finite_matrix(&pose->rotation) || !ap_finite(pose->translation)) {
        return APART_ERR_NONFINITE;
    }
    return ap_rotation_defect(&pose->rotation) <= AP_ROTATION_LIMIT ? APART_OK : APART_ERR_ROTATION;
}

apart_vec3 apart_pose_apply(const apart_pose *pose, apart_vec3 p)
{
    return ap_add(ap_apply(&pose->rotation, p), pose->translation);
}

apart_vec3 apart_pose_apply_inverse(const apart_pose *pose, apart_vec3 p)
{
    return ap_apply_transposed(&pose->rotation, ap_sub(p, pose->translation));
}

apart_vec3 apart_pose_rotate(const apart_pose *pose, apart_vec3 d) { return ap_apply(&pose->rotation, d); }

apart_vec3 apart_pose_rotate_inverse(const apart_pose *pose, apart_vec3 d)
{
    return ap_apply_transposed(&pose->rotation, d);
}

apart_pose apart_pose_compose(const apart_pose *outer, const apart_pose *inner)
{
    const apart_mat3 *r = &outer->rotation;
    return (apart_pose){
        {ap_apply(r, inner->rotation.x), ap_apply(r, inner->rotation.y), ap_apply(r, inner->rotation.z)},
        apart_pose_apply(outer, inner->translation),
    };
}

apart_pose apart_pose_inverse(const apart_pose *pose)
{
    const apart_mat3 *r = &pose->rotation;
    return (apart_pose){
        {{r->x.x, r->y.x, r->z.x}, {r->x.y, r->y.y, r->z.y}, {r->x.z, r->y.z, r->z.z}},
        ap_neg(ap_apply_transposed(r, pose->translation)),
    };
}
