/* Double-double vectors for the check (Dekker 1971). The square root takes one Newton step from the rounded one:
 * the relative error falls from 2^-53 to about 2^-104. */
#include "body.h"

ap_dd ap_dd_sqrt(ap_dd a)
{
    if (!(a.hi > 0.0)) {
        return ap_dd_from(0.0);
    }
    const double s = sqrt(a.hi);
    const ap_dd rest = ap_dd_sub(a, ap_two_product(s, s));
    return ap_quick_two_sum(s, ap_dd_value(rest) / (2.0 * s));
}

ap_dd3 ap_dd3_add(ap_dd3 a, ap_dd3 b)
{
    return (ap_dd3){ap_dd_add(a.x, b.x), ap_dd_add(a.y, b.y), ap_dd_add(a.z, b.z)};
}

ap_dd3 ap_dd3_sub(ap_dd3 a, ap_dd3 b)
{
    return (ap_dd3){ap_dd_sub(a.x, b.x), ap_dd_sub(a.y, b.y), ap_dd_sub(a.z, b.z)};
}

ap_dd3 ap_dd3_neg(ap_dd3 a) { return (ap_dd3){ap_dd_neg(a.x), ap_dd_neg(a.y), ap_dd_neg(a.z)}; }

bool ap_dd3_finite(ap_dd3 a)
{
    return isfinite(a.x.hi) && isfinite(a.x.lo) && isfinite(a.y.hi) && isfinite(a.y.lo) && isfinite(a.z.hi) &&
           isfinite(a.z.lo);
}

static ap_dd dd_times_double(ap_dd a, double b)
{
    const ap_dd p = ap_two_product(a.hi, b);
    return ap_quick_two_sum(p.hi, p.lo + a.lo * b);
}

static ap_dd dd_combination(double x, double y, double z, ap_dd3 v)
{
    return ap_dd_add(ap_dd_add(dd_times_double(v.x, x), dd_times_double(v.y, y)), dd_times_double(v.z, z));
}

ap_dd3 ap_dd3_apply(const apart_mat3 *m, ap_dd3 v)
{
    return (ap_dd3){dd_combination(m->x.x, m->y.x, m->z.x, v), dd_combination(m->x.y, m->y.y, m->z.y, v),
                    dd_combination(m->x.z, m->y.z, m->z.z, v)};
}

ap_dd3 ap_dd3_apply_transposed(const apart_mat3 *m, ap_dd3 v)
{
    return (ap_dd3){dd_combination(m->x.x, m->x.y, m->x.z, v), dd_combination(m->y.x, m->y.y, m->y.z, v),
                    dd_combination(m->z.x, m->z.y, m->z.z, v)};
}

static ap_dd dd_scaled(double s, ap_dd a) { return (ap_dd){s * a.hi, s * a.lo}; }

ap_dd3 ap_dd3_to_unit_size(ap_dd3 a)
{
    const double s = ap_power_of_two_scale(ap_max_abs(ap_vec(a.x.hi, a.y.hi, a.z.hi)));
    return (ap_dd3){dd_scaled(s, a.x), dd_scaled(s, a.y), dd_scaled(s, a.z)};
}

ap_dd ap_dd3_norm(ap_dd3 a)
{
    const double s = ap_power_of_two_scale(ap_max_abs(ap_vec(a.x.hi, a.y.hi, a.z.hi)));
    const ap_dd3 u = {dd_scaled(s, a.x), dd_scaled(s, a.y), dd_scaled(s, a.z)};
    return dd_scaled(1.0 / s, ap_dd_sqrt(ap_dd3_dot(u, u)));
}

ap_dd3 ap_dd3_unit(ap_dd3 a)
{
    const ap_dd3 u = ap_dd3_to_unit_size(a);
    return ap_dd3_scale(ap_dd_div(ap_dd_from(1.0), ap_dd3_norm(u)), u);
}
