/* Poses: made from quaternions, angles and matrices, checked, applied, composed and inverted (the conventions are in
 * apart/math.h).
 *
 * The constructors from angles call sin and cos of libm, whose last bit depends on the platform. All other functions
 * use products, sums and one division, which give the same bits on every machine. */
#include "vec.h"

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
    const double cr = cos(roll), sr = sin(roll), cp = cos(pitch), sp = sin(pitch), cy = cos(yaw), sy = sin(yaw);
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
    const double c = cos(angle), s = sin(angle);
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

apart_status apart_pose_from_angle_2d(double angle, double x, double y, apart_pose *out)
{
    if (!isfinite(angle)) {
        return APART_ERR_NONFINITE;
    }
    const double c = cos(angle), s = sin(angle);
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
