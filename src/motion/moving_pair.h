/* Two moving bodies in one frame, and bounds on how their separation along a direction can change.
 *
 * The frame has the world's axes and moves with A's pivot, so a common offset and a common velocity cost nothing. A
 * body is where its centre is: the way from its pivot to its centre is computed once, in double-double, so an offset in
 * the shape's own coordinates costs nothing either. A rotation that does not change the body, of a sphere about its
 * center or of a cylinder about its axis, is left out. */
#ifndef AP_MOTION_MOVING_PAIR_H
#define AP_MOTION_MOVING_PAIR_H

#include <apart/motion.h>

#include "turn.h"

#define AP_UNIT 1.1102230246251565e-16 /* u = 2^-53 */

/* One body. Lengths are rounded up. */
typedef struct ap_mover {
    const apart_shape *shape;
    const apart_motion *motion;
    ap_turn turn;
    ap_dd3 pivot;   /* the point that the pair follows: the motion's pivot; of a body that does not turn, its centre */
    apart_vec3 arm; /* from there to the shape's centre at t = 0 */
    double rate;    /* |angular| */
    double
        pivot_radius; /* no point of the core is farther from the pivot; of a half-space: no point of the other body */
    double axis_radius;        /* no point of the core is farther from the axis of rotation through the pivot */
    double size;               /* of the shape about its centre: what rounding is relative to */
    double pivot_acceleration; /* its length: 0 unless the motion is a screw */
    double error;    /* further errors of support points, as lengths: the shape's own, and that of a rounding sphere
                                * under a matrix that is not quite orthogonal */
    bool plane;      /* the body is a half-space */
    uint32_t vertex; /* of a hull: the last support vertex, where the next search starts */
} ap_mover;

typedef struct ap_moving_pair {
    ap_mover a, b;
    apart_vec3 pivot_offset; /* from A's pivot to B's at t = 0 */
    apart_vec3 relative;     /* B's linear minus A's: the relative displacement if both pivots move straight */
    bool straight;           /* both pivots move straight */
    bool turning;            /* at least one rotation changes its body */
    double speed;            /* no two points approach each other faster */
    double pivot_distance;   /* from t = 0 to 1 the pivots move by at most this relative to each other */
    double slack;            /* certified: rounding changes no separation and no distance by more than this */
} ap_moving_pair;

/* Both bodies at a time. Queries get the poses a and b. Their frame is that of the pair moved by `shift`: bodies far from
 * their own origins have translations that are exact as a difference, where they could not be exact one by one. */
typedef struct ap_moment {
    double t;
    apart_pose a, b;
    apart_vec3 shift;
    apart_vec3 center_a, center_b, pivot_b; /* in the frame of the pair */
} ap_moment;

/* Needs checked shapes and motions. Fails with APART_ERR_DIMENSION or APART_ERR_OVERFLOW. */
apart_status ap_moving_pair_prepare(ap_moving_pair *pair, const apart_shape *a, const apart_motion *motion_a,
                                    const apart_shape *b, const apart_motion *motion_b);

void ap_moving_pair_at(const ap_moving_pair *pair, double t, ap_moment *out);

/* Certified for the exact motion: at this moment, along the unit vector n, all of B is at least *out beyond all of
 * A. With a half-space, n is ignored and its own normal is used. Fails with the statuses of apart_support and
 * apart_distance. */
apart_status ap_moving_pair_separation(ap_moving_pair *pair, const ap_moment *m, apart_vec3 n, double *out);

/* A direction that turns at constant speed on a great circle. */
typedef struct ap_swivel {
    apart_vec3 from; /* unit, at the moment it starts */
    apart_vec3 rate; /* angular velocity, perpendicular to it */
    double excess;   /* |exact rate - rate| is at most this */
    double span;     /* duration */
} ap_swivel;

/* Finds the swivel from one unit vector to another within `span`. False: they are too far apart for it. */
bool ap_swivel_between(apart_vec3 from, apart_vec3 to, double span, ap_swivel *out);

/* Certified: for points a, b of the bodies (cores) n.(b - a) has a second derivative of at most this over all of
 * [0, 1]. */
double ap_moving_pair_curvature(const ap_moving_pair *pair, apart_vec3 n);

/* Certified: the same for a direction that swivels, from this moment on. With a half-space the direction is its own
 * normal, and only the span of the swivel is used. */
double ap_moving_pair_swivel_curvature(const ap_moving_pair *pair, const ap_moment *m, const ap_swivel *swivel);

/* The rate at which n.(b - a) grows for the points of the bodies that are at a and b now, in the frame of the
 * moment's poses. For the closest points it is the rate of the distance. */
double ap_moving_pair_growth(const ap_moving_pair *pair, const ap_moment *m, apart_vec3 n, apart_vec3 a, apart_vec3 b);

#endif
