/* The check of a ray that every query with rays makes first. */
#ifndef AP_MOTION_RAY_H
#define AP_MOTION_RAY_H

#include <apart/motion.h>

#include "../math/vec.h"

static inline apart_status ap_ray_check(const apart_ray *ray)
{
    if (!ap_finite(ray->origin) || !ap_finite(ray->direction)) {
        return APART_ERR_NONFINITE;
    }
    if (!(ap_max_abs(ray->direction) > 0.0)) {
        return APART_ERR_NORMAL;
    }
    return ray->length >= 0.0 ? APART_OK : APART_ERR_OPTION;
}

#endif
