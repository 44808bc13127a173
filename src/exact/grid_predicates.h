/* On which side of a plane or line is a point (exactly), and how far from a segment, triangle or plane? For the hull
 * builders.
 *
 * Points are in working coordinates: they have a size of about 1 and are multiples of 2^-101, so that no product of
 * three differences underflows. Therefore the signs below are exact. */
#ifndef AP_EXACT_GRID_PREDICATES_H
#define AP_EXACT_GRID_PREDICATES_H

#include "../math/eft.h"

/* The step of the working coordinates. */
#define AP_GRID 0x1p-101

/* The distance of 1 from the next larger double. */
#define AP_EPS 0x1p-52

/* +1 when d lies above the plane through a, b, c (on the side from which they are counter-clockwise), -1 below, 0
 * exactly in it. */
int ap_orient3d(apart_vec3 a, apart_vec3 b, apart_vec3 c, apart_vec3 d);

/* +1 when (cx, cy) lies left of the line from a to b, -1 right, 0 exactly on it. */
int ap_orient2d(double ax, double ay, double bx, double by, double cx, double cy);

/* The unit normal of a triangle, accurate for slender ones too; zero for a triangle without area. */
apart_vec3 ap_triangle_normal(apart_vec3 a, apart_vec3 b, apart_vec3 c);

/* The distances of p from a segment, from a triangle (never too small) and from the plane of a triangle. Relative
 * errors are below 2^-40 unless the sine of the triangle's angle at a is below 2^-60. */
double ap_point_segment(apart_vec3 p, apart_vec3 a, apart_vec3 b);
double ap_point_triangle(apart_vec3 p, apart_vec3 a, apart_vec3 b, apart_vec3 c);
double ap_point_plane(apart_vec3 p, apart_vec3 a, apart_vec3 b, apart_vec3 c);

/* a / |a|, or zero for zero. */
apart_vec3 ap_normalised(apart_vec3 a);

#endif
