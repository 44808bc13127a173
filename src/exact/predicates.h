/* On which side of a plane or line is a point, and do triangles meet? Decided exactly for any finite doubles, subnormal
 * and huge ones too. docs/numerics.md says why.
 *
 * A triangle without area is what its corners span, a segment or a point. All sets are closed. */
#ifndef AP_EXACT_PREDICATES_H
#define AP_EXACT_PREDICATES_H

#include "../math/eft.h"
#include "integer.h"

/* +1 when d lies above the plane through a, b, c (on the side from which they are counter-clockwise), -1 below, 0
 * exactly in it. */
int ap_exact_orient3d(apart_vec3 a, apart_vec3 b, apart_vec3 c, apart_vec3 d);

/* +1 when (cx, cy) lies left of the line from a to b, -1 right, 0 exactly on it. */
int ap_exact_orient2d(double ax, double ay, double bx, double by, double cx, double cy);

/* The same of points without their coordinate number `axis`: in (y, z), (z, x) or (x, y) for 0, 1, 2. So it has the
 * sign of that coordinate of (b - a) x (c - a). */
int ap_exact_orient_without(int axis, apart_vec3 a, apart_vec3 b, apart_vec3 c);

/* Six times the volume of the tetrahedron, positive where ap_exact_orient3d is, as a multiple of 2^(3 * exponent). All
 * coordinates are multiples of 2^exponent. */
void ap_exact_volume(ap_integer *out, apart_vec3 a, apart_vec3 b, apart_vec3 c, apart_vec3 d, int32_t exponent);

/* The coordinate without which the triangle still has an area, or -1: it has none. */
int ap_triangle_axis(const apart_vec3 t[3]);

/* Is the point in the triangle? */
bool ap_point_in_triangle(apart_vec3 p, const apart_vec3 t[3]);

/* Have the segment and the triangle a common point? */
bool ap_segment_meets_triangle(const apart_vec3 s[2], const apart_vec3 t[3]);

/* Have the triangles a common point? */
bool ap_triangles_meet(const apart_vec3 a[3], const apart_vec3 b[3]);

#endif
