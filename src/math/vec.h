/* Vectors, rotation matrices and their lengths, for scalar code. The order of operations is fixed and nothing is fused,
 * so results have the same bits on every machine. Matrices are stored by columns: m.x is the image of the x axis. */
#ifndef AP_MATH_VEC_H
#define AP_MATH_VEC_H

#include <apart/math.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "op_count.h"

AP_INLINE apart_vec3 ap_vec(double x, double y, double z) { return (apart_vec3){x, y, z}; }

AP_INLINE apart_vec3 ap_add(apart_vec3 a, apart_vec3 b) { return ap_vec(a.x + b.x, a.y + b.y, a.z + b.z); }

AP_INLINE apart_vec3 ap_sub(apart_vec3 a, apart_vec3 b) { return ap_vec(a.x - b.x, a.y - b.y, a.z - b.z); }

AP_INLINE apart_vec3 ap_neg(apart_vec3 a) { return ap_vec(-a.x, -a.y, -a.z); }

AP_INLINE apart_vec3 ap_scale(double s, apart_vec3 a)
{
    ap_count_mul(3);
    return ap_vec(s * a.x, s * a.y, s * a.z);
}

AP_INLINE double ap_dot(apart_vec3 a, apart_vec3 b)
{
    ap_count_mul(3);
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

AP_INLINE apart_vec3 ap_cross(apart_vec3 a, apart_vec3 b)
{
    ap_count_mul(6);
    return ap_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* M v */
AP_INLINE apart_vec3 ap_apply(const apart_mat3 *m, apart_vec3 v)
{
    ap_count_mul(9);
    return ap_vec((m->x.x * v.x + m->y.x * v.y) + m->z.x * v.z, (m->x.y * v.x + m->y.y * v.y) + m->z.y * v.z,
                  (m->x.z * v.x + m->y.z * v.y) + m->z.z * v.z);
}

/* transpose(M) v */
AP_INLINE apart_vec3 ap_apply_transposed(const apart_mat3 *m, apart_vec3 v)
{
    return ap_vec(ap_dot(m->x, v), ap_dot(m->y, v), ap_dot(m->z, v));
}

AP_INLINE double ap_max(double a, double b) { return a > b ? a : b; }

AP_INLINE double ap_min(double a, double b) { return a < b ? a : b; }

/* Largest absolute component. */
AP_INLINE double ap_max_abs(apart_vec3 a) { return ap_max(ap_max(fabs(a.x), fabs(a.y)), fabs(a.z)); }

/* |a| of a vector whose squares over- or underflow: it is multiplied by a power of two first. */
double ap_norm_scaled(apart_vec3 a);

/* If a sum of squares lies between these, none of the squares overflowed, and underflow cost the sum no bit. */
#define AP_SQUARE_MIN 0x1p-900
#define AP_SQUARE_MAX 0x1p+1000

/* |a| without overflow or underflow. */
AP_INLINE double ap_norm(apart_vec3 a)
{
    ap_count_div(1);
    const double square = ap_dot(a, a);
    return square > AP_SQUARE_MIN && square < AP_SQUARE_MAX ? sqrt(square) : ap_norm_scaled(a);
}

/* a/|a|; the zero vector stays zero. */
apart_vec3 ap_unit(apart_vec3 a);

/* Some unit vector perpendicular to a != 0. */
apart_vec3 ap_perpendicular(apart_vec3 a);

/* A power of two s with s * x in [1, 2) for finite x > 0; 1 for x = 0. Clamped so that s is a normal number. */
AP_INLINE double ap_power_of_two_scale(double x)
{
    if (x == 0.0) {
        return 1.0;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t exponent = bits >> 52 & 0x7ffu; /* biased by 1023; 0 for subnormal numbers */
    const uint64_t mirrored =
        exponent < 2045u ? 2046u - exponent : 1u; /* of the reciprocal: 1 .. 2046 are normal numbers */
    bits = mirrored << 52;
    double s;
    memcpy(&s, &bits, sizeof s);
    return s;
}

AP_INLINE bool ap_finite(apart_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

/* Is it a pose of 2D shapes, which maps the plane z = 0 to itself by a rotation about z and a translation? */
static inline bool ap_pose_is_planar(const apart_pose *pose)
{
    const apart_mat3 *r = &pose->rotation;
    return r->x.z == 0.0 && r->y.z == 0.0 && r->z.x == 0.0 && r->z.y == 0.0 && r->z.z == 1.0 &&
           pose->translation.z == 0.0;
}

/* ---- the check of rotation matrices ---- */

/* A matrix is accepted as a rotation R if no entry of |RtR - I| is larger than this and its determinant is positive.
 * Matrices that were computed in single precision (entries of about 1e-7) are accepted. */
#define AP_ROTATION_LIMIT 1e-6

/* An accepted rotation multiplies lengths by at most this: with d = AP_ROTATION_LIMIT, the eigenvalues of RtR are at
 * most 1 + 3d (a symmetric matrix of size 3 with entries up to d has eigenvalues up to 3d), so lengths grow by at most
 * 1.5d; the rest covers rounding. */
#define AP_ROTATION_STRETCH (1.0 + 2.0 * AP_ROTATION_LIMIT)

/* How far a matrix is from a rotation: the largest entry of |RtR - I|; INFINITY if its determinant is not positive or
 * an entry is not finite. The matrix is accepted if this is at most AP_ROTATION_LIMIT. */
double ap_rotation_defect(const apart_mat3 *m);

#endif
