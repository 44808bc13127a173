/* Our own sin and cos: the same bits with every compiler and C library. */
#ifndef AP_MOTION_SINCOS_H
#define AP_MOTION_SINCOS_H

#include "../math/eft.h"

/* |computed - true| of sin and cos in units of u, derived in sincos.c and measured in the tests. */
#define AP_SINCOS_ERROR 1.0

/* sin and cos of angle.hi + angle.lo, |angle| <= APART_MAX_ANGLE, both within AP_SINCOS_ERROR * u. */
void ap_sincos(ap_dd angle, double *sine, double *cosine);

/* The angle in [0, pi/2] with this sine and cosine, both >= 0 and not both 0; any common factor near 1. Within 4 u
 * of the angle. */
double ap_angle_of(double sine, double cosine);

#endif
