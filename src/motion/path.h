/* Two moving bodies in one frame, and how their separation along a direction can change.
 *
 * The frame has the world's axes and moves with A's pivot, so a common offset and a common velocity cost nothing. A spin that nobody can
 * see, of a sphere about its centre or of a cylinder about its axis, is left out. */
#ifndef AP_MOTION_PATH_H
#define AP_MOTION_PATH_H

#include <apart/motion.h>

#include "turn.h"

#define AP_UNIT 1.1102230246251565e-16 /* u = 2^-53 */

/* One body. Lengths are rounded up. */
typedef struct ap_mover {
    const apart_shape *shape;
    const apart_motion *motion;
    ap_turn turn;
    apart_vec3 arm;   /* from the pivot to the shape's origin at t = 0 */
    double rate;      /* |angular| */
    double reach;     /* no point of the core is farther from the pivot; of a half-space, no point of the other body ever */
    double swing;     /* no point of the core is farther from the axis through the pivot */
    apart_vec3 shift; /* from the motion's pivot to the one used here: a body that does not turn has its centre as pivot */
    double size;      /* of the shape in its own frame: what rounding is relative to */
    double bend;      /* |acceleration| of the pivot: 0 unless a screw */
    double error;     /* further errors of supports, as lengths: the shape's own, and of a ball under a matrix that is no rotation, quite */
    bool plane;       /* a half-space */
} ap_mover;

typedef struct ap_path {
    ap_mover a, b;
    apart_vec3 apart;    /* from A's pivot to B's at t = 0 */
    apart_vec3 relative; /* B's linear minus A's: the relative way if both are straight */
    bool straight;       /* they are */
    bool turning;        /* one of them turns, so that it can be seen */
    double speed;        /* no two points approach each other faster */
    double way;          /* the pivots move no more than this against each other, from 0 to 1 */
    double slack;        /* certified: rounding moves no separation and no distance by more than this from the exact path's */
} ap_path;

/* Where both bodies are at a time, in the frame of the path. */
typedef struct ap_moment {
    double t;
    apart_pose a, b;
    apart_vec3 pivot_b;
} ap_moment;

/* Shapes and motions have been checked. APART_ERR_DIMENSION, APART_ERR_OVERFLOW. */
apart_status ap_path_prepare(ap_path *path, const apart_shape *a, const apart_motion *motion_a, const apart_shape *b,
                             const apart_motion *motion_b);

void ap_path_at(const ap_path *path, double t, ap_moment *out);

/* Certified: along the unit vector n at this moment all of B lies at least *out beyond all of A, on the exact path. With a half-space n is
 * ignored, its own normal counts. Statuses of apart_support and apart_distance. */
apart_status ap_path_separation(const ap_path *path, const ap_moment *m, apart_vec3 n, double *out);

/* A direction that turns at constant speed on a great circle. */
typedef struct ap_swivel {
    apart_vec3 from; /* unit, at the moment it starts */
    apart_vec3 rate; /* angular velocity, square to it */
    double excess;   /* |exact rate - rate| is at most this */
    double span;     /* for so long */
} ap_swivel;

/* The swivel from one unit vector to another within `span`. False: they are too far apart for it. */
bool ap_swivel_between(apart_vec3 from, apart_vec3 to, double span, ap_swivel *out);

/* Certified: for points a, b of the bodies (cores) n.(b - a) has a second derivative of at most this over all of [0, 1]. */
double ap_path_curvature(const ap_path *path, apart_vec3 n);

/* Certified: the same for a direction that swivels, from this moment on. With a half-space it is that of its own normal, and only the span
 * of the swivel counts. */
double ap_path_swivel_curvature(const ap_path *path, const ap_moment *m, const ap_swivel *swivel);

/* The rate at which n.(b - a) grows for the points that are at a and b now: that of the distance, when they are the closest points. */
double ap_path_growth(const ap_path *path, const ap_moment *m, apart_vec3 n, apart_vec3 a, apart_vec3 b);

#endif
