/* Does the ray from a point along +x pass through a triangle? Decided exactly, so that the crossings of a closed
 * surface may be counted although the ray meets edges and vertices, or runs along a face.
 *
 * The ray of a point p starts at p' = p + (0, e, e^2) with an infinitely small e > 0. Without their x, the points of
 * p' for all e lie on a parabola, which has at most two points in common with a line. So for small e, p' is on no line
 * through a projected edge (nor in the projection of a triangle that is seen edge-on, which lies on a line), and the ray
 * passes through the interior of triangles only: each is crossed or not, and two triangles at an edge agree on which
 * side of it p' is. If p is on no triangle, there is a ball about p without points of the surface, which holds p' too:
 * both are on the same side of everything.
 *
 * Let every edge belong to an even number of triangles. Then the parity of the crossings is the same for all directions
 * and all points of one region, and 0 far away. If the triangles run through every edge as often in one direction as in
 * the other, that holds for the sum of the crossings' signs, the winding number. */
#ifndef AP_TOPOLOGY_CROSSING_H
#define AP_TOPOLOGY_CROSSING_H

#include "../exact/predicates.h"

typedef enum ap_crossing {
    AP_CROSSING_IN = -1,  /* the ray enters through the triangle's front, where its corners run counter-clockwise */
    AP_CROSSING_NONE = 0, /* it misses the triangle */
    AP_CROSSING_OUT = 1,  /* it comes from behind */
    AP_CROSSING_ON = 2    /* p lies on the triangle */
} ap_crossing;

ap_crossing ap_ray_crossing(apart_vec3 p, const apart_vec3 t[3]);

/* The same where a p on the triangle counts as crossed or not, as if it were moved to p - (e^3, 0, 0) too. */
ap_crossing ap_ray_crossing_beside(apart_vec3 p, const apart_vec3 t[3]);

#endif
