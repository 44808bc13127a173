/* Where the centre of a body is, in double-double: offsets that two bodies have in common, in their poses or in their own
 * coordinates, are gone before anything is rounded. */
#ifndef AP_MATH_CENTER_H
#define AP_MATH_CENTER_H

#include "eft.h"

static inline ap_dd3 ap_place_sum(ap_dd3 a, ap_dd3 b)
{
    return (ap_dd3){ap_dd_add(a.x, b.x), ap_dd_add(a.y, b.y), ap_dd_add(a.z, b.z)};
}

/* a - b */
static inline ap_dd3 ap_place_between(ap_dd3 b, ap_dd3 a)
{
    return (ap_dd3){ap_dd_sub(a.x, b.x), ap_dd_sub(a.y, b.y), ap_dd_sub(a.z, b.z)};
}

static inline ap_dd ap_place_row(double x, double y, double z, apart_vec3 v)
{
    return ap_dd_add(ap_dd_add(ap_two_product(x, v.x), ap_two_product(y, v.y)), ap_two_product(z, v.z));
}

/* R v. Each component errs by at most 16 u^2 |v|. */
static inline ap_dd3 ap_place_turned(const apart_mat3 *r, apart_vec3 v)
{
    const double largest = ap_max_abs(v);
    if (largest == 0.0) { /* most bodies are where their frame is */
        return ap_dd3_from(v);
    }
    const double s = ap_power_of_two_scale(largest), back = 1.0 / s;
    const apart_vec3 w = ap_scale(s, v);
    const ap_dd x = ap_place_row(r->x.x, r->y.x, r->z.x, w), y = ap_place_row(r->x.y, r->y.y, r->z.y, w),
                z = ap_place_row(r->x.z, r->y.z, r->z.z, w);
    return (ap_dd3){{back * x.hi, back * x.lo}, {back * y.hi, back * y.lo}, {back * z.hi, back * z.lo}};
}

#endif
