/* The functions of vec.h that are too long or too rarely called to be inlined. */
#include <float.h>

#include "vec.h"

double ap_norm_scaled(apart_vec3 a)
{
    const double s = ap_power_of_two_scale(ap_max_abs(a));
    const apart_vec3 unit = ap_scale(s, a);
    return sqrt(ap_dot(unit, unit)) / s;
}

double ap_rotation_defect(const apart_mat3 *m)
{
    const double xy = fabs(ap_dot(m->x, m->y)), yz = fabs(ap_dot(m->y, m->z)), zx = fabs(ap_dot(m->z, m->x));
    const double xx = fabs(ap_dot(m->x, m->x) - 1.0), yy = fabs(ap_dot(m->y, m->y) - 1.0),
                 zz = fabs(ap_dot(m->z, m->z) - 1.0);
    /* A NaN entry makes the determinant NaN. Infinite entries make products NaN and squares infinite; ap_max returns
     * its second argument if the first is NaN, so the squares come second. */
    const bool proper = ap_dot(ap_cross(m->x, m->y), m->z) > 0.0;
    const double defect = ap_max(ap_max(ap_max(xy, yz), zx), ap_max(ap_max(xx, yy), zz));
    return proper ? defect : INFINITY;
}

apart_vec3 ap_unit(apart_vec3 a)
{
    double length = ap_norm(a);
    if ((length > 0.0 && length < DBL_MIN) || length > DBL_MAX) { /* its inverse would overflow, or be 0 */
        a = ap_scale(length < 1.0 ? 0x1p600 : 0x1p-600, a);
        length = ap_norm(a);
    }
    ap_count_div(1);
    return length > 0.0 ? ap_scale(1.0 / length, a) : a;
}

apart_vec3 ap_perpendicular(apart_vec3 a)
{
    const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    const apart_vec3 other = x <= y && x <= z ? ap_vec(1.0, 0.0, 0.0)
                             : y <= z         ? ap_vec(0.0, 1.0, 0.0)
                                              : ap_vec(0.0, 0.0, 1.0);
    return ap_unit(ap_cross(a, other));
}
