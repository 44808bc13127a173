/* When a ray can enter a box at the earliest. */
#ifndef AP_COMPOUND_RAY_BOX_H
#define AP_COMPOUND_RAY_BOX_H

#include "../parts/box.h"

/* Narrows [*enter, *leave] to where o + s d is between low and high; false when nothing is left. */
static inline bool ap_ray_slab(double o, double d, double low, double high, double *enter, double *leave)
{
    if (d == 0.0) {
        return low <= o && o <= high;
    }
    const double inverse = 1.0 / d, s = (low - o) * inverse, t = (high - o) * inverse;
    /* Two operations are off by less than 2 eps each; a quotient that overflows only widens. */
    const double first = ap_min(s, t), last = ap_max(s, t);
    *enter = ap_max(*enter, first - 4.0 * DBL_EPSILON * fabs(first));
    *leave = ap_min(*leave, last + 4.0 * DBL_EPSILON * fabs(last));
    return *enter <= *leave;
}

/* A lower bound of where on the ray of unit direction d, between 0 and length, it enters the box; INFINITY if it does
 * not. The box is taken `slack` larger. */
static inline double ap_ray_box(apart_vec3 o, apart_vec3 d, double length, const apart_aabb *box, double slack)
{
    double enter = 0.0, leave = length;
    const bool met = ap_ray_slab(o.x, d.x, box->min.x - slack, box->max.x + slack, &enter, &leave) &&
                     ap_ray_slab(o.y, d.y, box->min.y - slack, box->max.y + slack, &enter, &leave) &&
                     ap_ray_slab(o.z, d.z, box->min.z - slack, box->max.z + slack, &enter, &leave);
    return met ? enter : INFINITY;
}

/* A ray without an end has the length INFINITY, too, so that an entry is compared with this instead. */
static inline bool ap_ray_misses(double entry) { return entry == INFINITY; }

#endif
