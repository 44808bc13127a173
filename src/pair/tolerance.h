/* The error constants of the query code, in one place. Unless said otherwise they are in units of u * M, where u =
 * 2^-53 is the unit roundoff and M = bound of A + bound of B + distance of the centres is the size of the pair.
 * docs/numerics.md derives them; constants of rotation matrices are in simd/rotation.h. */
#ifndef AP_PAIR_TOLERANCE_H
#define AP_PAIR_TOLERANCE_H

#define AP_UNIT_ROUNDOFF 1.1102230246251565e-16

/* ---- the bounds of an answer ---- */

/* Of n.w at the support pair as a bound of n.w over the whole Minkowski difference. */
#define AP_LOWER_ERROR 34.0
/* Of |sum lambda w| as the length between two points of the bodies. */
#define AP_UPPER_ERROR 20.0
/* Further, for each body whose supports come from a closed form with a square root. */
#define AP_CURVED_ERROR 16.0
/* In units of eps * bound of the hull: a climb that may miss more is confirmed by a scan before it is believed. */
#define AP_CLIMB_LOSS_MAX 1024.0
/* Of the subtraction of the radii: in units of u * (radii + |distance|). */
#define AP_RESULT_ROUNDING 4.0
/* A half-space: of N.w - o in units of u * (M + |o|): the normal 16, the support pair AP_LOWER_ERROR, the subtraction
 * 2. */
#define AP_PLANE_ERROR (AP_LOWER_ERROR + 18.0)

/* ---- sizes ---- */

/* Pairs of sizes M between these are computed with as they are: the products of six lengths are far from the ends of
 * the doubles' range. Others are scaled by a power of two. */
#define AP_LEAST_UNSCALED 0x1p-64
#define AP_MOST_UNSCALED 0x1p+64

/* ---- when GJK ends ---- */

/* The duality gap that counts as closed at once, and the gap that is accepted when no better support exists. */
#define AP_CLOSED_GAP 4.0
#define AP_ACCEPTED_GAP 32.0
/* How far v may be from the difference of the witness points. */
#define AP_WITNESS_AGREEMENT 8.0
/* |v| below this is contact: its direction means nothing any more. */
#define AP_CONTACT_LENGTH 4.0
/* On curved bodies the gap that counts as closed is wider by what the rounding of the metric adds. */
#define AP_CURVED_GAP 16.0

/* ---- closed forms, in units of u: errors of both bounds by |v| and the bodies' sizes ---- */

#define AP_SPHERE_BOX_ERROR 32.0
#define AP_SPHERE_BOX_SIZE_ERROR 48.0
#define AP_POINT_BOX_ERROR 24.0
#define AP_CAPSULE_ERROR 16.0
#define AP_SEGMENT_ERROR 20.0

#endif
