/* Translations that separate two overlapping solids, shorter than the way out of their hulls where bodies interlock. */
#ifndef AP_FACETS_PUSH_OUT_H
#define AP_FACETS_PUSH_OUT_H

#include "inside.h"

/* A translation of B in the world after which the solids are apart, for certain. */
typedef struct ap_facet_way_out {
    apart_vec3 way;
    double length; /* not below that of the way */
} ap_facet_way_out;

/* How far a body must move at least: a ball about the point of side `from`, given in its own frame, lies in the other
 * body. push, if the radius is above 0: the vector in the world from the point to the ball's surface, where it touches
 * the body's. */
double ap_facet_ball(const ap_facet_solids *s, int from, apart_vec3 own_point, apart_vec3 *push);

/* Tries to find a way out that is shorter than `best`, a known one: by going back on it, by pushing B along the deepest of the corners that meet,
 * beginning with the two parts, and along `count` directions. */
void ap_facet_push_out(const ap_facet_solids *s, const uint32_t part[2], const apart_vec3 *directions, int count,
                       ap_facet_way_out *best);

#endif
