/* A correct start of the depth search, whatever the dimension of the loop's last simplex. */
#ifndef AP_DEPTH_ENCLOSE_H
#define AP_DEPTH_ENCLOSE_H

#include "../gjk/gjk.h"

/* The plane of a planar search: coordinates (f.w, g.w); f, g unit and perpendicular. */
typedef struct ap_plane {
    apart_vec3 f, g;
} ap_plane;

/* Points of the TCSO around the origin: 3D two poles (0, 1) and a ring of 3 or 4 (2 ...), or a tetrahedron; 2D a ring. */
typedef struct ap_enclosure {
    int count;      /* 0: not enclosed */
    bool tetrahedron;
    ap_simplex_vertex point[6];
    apart_vec3 out; /* unit direction with the least support value met on the way */
    double support; /* that value: depth <= support */
} ap_enclosure;

/* Surrounds the origin, which the loop's simplex contains or touches. When count is 0 on return, `out` is a direction in which the
 * TCSO does not reach clearly beyond the origin: the bodies touch, to rounding. */
void ap_enclose(ap_enclosure *e, ap_pair *pair, const ap_gjk *g);

/* The same within a plane: a ring of 3 or 4 points around the origin's place in it, counter-clockwise from f to g; count 0 as above. */
void ap_enclose_in_plane(ap_enclosure *e, ap_pair *pair, const ap_plane *plane);

/* Has a direction been met in which the TCSO does not reach clearly beyond the origin? */
bool ap_enclosure_separates(const ap_enclosure *e, const ap_pair *pair);

/* An enclosure that knows nothing yet. */
void ap_enclosure_clear(ap_enclosure *e);

/* The least reach along a direction that proves that the TCSO goes beyond the origin. */
double ap_enclosure_noise(const ap_pair *pair);

/* Keeps the least support value. */
static inline void ap_enclosure_remember(ap_enclosure *e, apart_vec3 m, double value)
{
    if (value < e->support) {
        e->support = value;
        e->out = m;
    }
}

/* The point of the TCSO farthest along m (unit) and its value; keeps the least value in the enclosure. */
double ap_enclosure_probe(ap_enclosure *e, ap_pair *pair, apart_vec3 m, ap_simplex_vertex *found);

#endif
