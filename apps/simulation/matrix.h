/* Matrices and quaternions: no library function but sqrt, a fixed order of operations, the same bits everywhere. */
#ifndef SIMULATION_MATRIX_H
#define SIMULATION_MATRIX_H

#include <apart/math.h>
#include <math.h>

static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline int is_finite(apart_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

/* M v, and transpose(M) v. */
static inline apart_vec3 times(const apart_mat3 *m, apart_vec3 v)
{
    return apart_vec3_add_scaled(apart_vec3_add_scaled(apart_vec3_scale(v.x, m->x), v.y, m->y), v.z, m->z);
}

static inline apart_vec3 times_transposed(const apart_mat3 *m, apart_vec3 v)
{
    return (apart_vec3){apart_vec3_dot(m->x, v), apart_vec3_dot(m->y, v), apart_vec3_dot(m->z, v)};
}

static inline apart_mat3 transposed(const apart_mat3 *m)
{
    return (apart_mat3){{m->x.x, m->y.x, m->z.x}, {m->x.y, m->y.y, m->z.y}, {m->x.z, m->y.z, m->z.z}};
}

static inline apart_mat3 product(const apart_mat3 *a, const apart_mat3 *b)
{
    return (apart_mat3){times(a, b->x), times(a, b->y), times(a, b->z)};
}

/* R M transpose(R): a tensor in other axes. */
static inline apart_mat3 turned(const apart_mat3 *r, const apart_mat3 *m)
{
    const apart_mat3 t = transposed(r), mt = product(m, &t);
    return product(r, &mt);
}

/* m + s a transpose(a) */
static inline apart_mat3 plus_square(apart_mat3 m, double s, apart_vec3 a)
{
    return (apart_mat3){apart_vec3_add_scaled(m.x, s * a.x, a), apart_vec3_add_scaled(m.y, s * a.y, a),
                        apart_vec3_add_scaled(m.z, s * a.z, a)};
}

static inline apart_mat3 inverse(const apart_mat3 *m)
{
    const apart_vec3 u = apart_vec3_cross(m->y, m->z), v = apart_vec3_cross(m->z, m->x),
                     w = apart_vec3_cross(m->x, m->y);
    const double d = 1.0 / apart_vec3_dot(m->x, u);
    const apart_mat3 rows = {apart_vec3_scale(d, u), apart_vec3_scale(d, v), apart_vec3_scale(d, w)};
    return transposed(&rows);
}

typedef struct quat {
    double w, x, y, z;
} quat;

/* The rotation of a quaternion of any length but zero. */
static inline apart_mat3 rotation_of(quat q)
{
    const double s = 2.0 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    const double xx = s * q.x * q.x, yy = s * q.y * q.y, zz = s * q.z * q.z, xy = s * q.x * q.y, xz = s * q.x * q.z,
                 yz = s * q.y * q.z;
    const double wx = s * q.w * q.x, wy = s * q.w * q.y, wz = s * q.w * q.z;
    return (apart_mat3){{1.0 - (yy + zz), xy + wz, xz - wy},
                        {xy - wz, 1.0 - (xx + zz), yz + wx},
                        {xz + wy, yz - wx, 1.0 - (xx + yy)}};
}

/* q + s d */
static inline quat quat_plus(quat q, double s, quat d)
{
    return (quat){q.w + s * d.w, q.x + s * d.x, q.y + s * d.y, q.z + s * d.z};
}

/* (0, w) q / 2: how q changes with angular velocity w in world axes. */
static inline quat quat_rate(quat q, apart_vec3 w)
{
    return (quat){-0.5 * (w.x * q.x + w.y * q.y + w.z * q.z), 0.5 * (w.x * q.w + w.y * q.z - w.z * q.y),
                  0.5 * (w.y * q.w + w.z * q.x - w.x * q.z), 0.5 * (w.z * q.w + w.x * q.y - w.y * q.x)};
}

static inline quat unit_quat(quat q)
{
    const double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

#endif
