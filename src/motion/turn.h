/* Rotation at constant speed about an axis of fixed direction, and the displacement of a pivot whose velocity
 * rotates with it. */
#ifndef AP_MOTION_TURN_H
#define AP_MOTION_TURN_H

#include "sincos.h"

/* |computed - exact| of a turn's matrix as an operator, in units of u. Entries: c errs by 1, (1 - c) u_i u_j by 15
 * on the diagonal, the sum by 1, and off it by 13 in all; times 3 for the norm is 51. */
#define AP_TURN_ERROR 51.0

typedef struct ap_turn {
    ap_dd angle;     /* until t = 1, in double-double: thousands of revolutions end where they should */
    apart_vec3 axis; /* unit */
    bool turns;      /* false: the matrix is the identity, exactly */
} ap_turn;

ap_turn ap_turn_of(apart_vec3 angular);

/* The rotation E(t). About z it stays in the plane exactly. */
apart_mat3 ap_turn_matrix(const ap_turn *turn, double t);

/* The integral of E(t) * velocity from 0 to t: the displacement of a point whose velocity rotates. Within 24 u *
 * |velocity * t|. */
apart_vec3 ap_turn_displacement(const ap_turn *turn, apart_vec3 velocity, double t);

/* The velocity that gives this displacement at t = 1; the angle is at most pi. */
apart_vec3 ap_turn_velocity(const ap_turn *turn, apart_vec3 displacement);

#endif
