/* Rays, between ray.c and world.c. */
#ifndef APART_PYTHON_RAY_H
#define APART_PYTHON_RAY_H

#include "apy.h"

extern apy_layout apy_ray_hit_layout;
/* origin, direction, length (infinite if it is not given). */
bool apy_ray_get(PyObject *const *values, apart_ray *out);

#endif
