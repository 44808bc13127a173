/* Solids with a mesh that overlap: whether one lies inside the other, and bounds of the depth. */
#ifndef AP_FACETS_INSIDE_H
#define AP_FACETS_INSIDE_H

#include "pairs.h"

/* What a point in one body says about another. */
typedef enum ap_facet_inside {
    AP_FACET_OUTSIDE = 0,
    AP_FACET_INSIDE = 1,
    AP_FACET_UNKNOWN = 2 /* a point is too near to a surface for the rounding of its place */
} ap_facet_inside;

/* A pair of solids and the frame of their query. */
typedef struct ap_facet_solids {
    const ap_facet_frame *frame;
    apart_solid solid[2];
    const apart_pose *pose[2];
} ap_facet_solids;

/* Has a solid an inside? All have but surfaces. */
AP_INLINE bool ap_facet_has_inside(apart_solid solid) { return solid.mesh == NULL || solid.surface == 0; }

/* Is it a mesh with an inside? */
AP_INLINE bool ap_facet_is_filled(apart_solid solid) { return solid.mesh != NULL && solid.surface == 0; }

/* Does one of two bodies, whose surfaces are at least `gap` apart, lie inside the other? point, if inside: of both. */
ap_facet_inside ap_facet_lies_inside(const ap_facet_solids *s, double gap, apart_vec3 *point);

/* Bounds of the shortest translation that separates two overlapping solids; normal: the direction in which moving B by
 * `upper` separates them. */
typedef struct ap_facet_depth {
    double lower, upper;
    apart_vec3 normal;
} ap_facet_depth;

/* part: two parts that meet, or are nearest. search: also ways between the bodies are tried, by queries. */
void ap_facet_depth_bounds(const ap_facet_solids *s, const uint32_t part[2], bool search, ap_facet_depth *out);

#endif
