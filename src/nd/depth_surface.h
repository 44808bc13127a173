/* The surface of the depth search in n <= AP_ND_DEPTH_DIM dimensions: facets (simplices of n vertices) around the
 * origin, with vertices in the Minkowski difference.
 *
 * Invariant: a ridge (n - 1 vertices) belongs to an even number of facets, so the facets are a cycle modulo 2. To
 * insert a point p, some facets are removed and p is joined with the ridges that then belong to an odd number of
 * facets: the cycle changes by the boundary of the simplices (facet, p). If none of these simplices contains the
 * origin, the parity of how often the surface wraps around the origin does not change. If it is odd, every ray from the
 * origin meets a facet; all facets lie in the convex Minkowski difference, hence so does the sphere around the origin
 * up to the nearest one: depth >= the smallest distance of a facet. This relies neither on convexity of the surface nor
 * on adjacency, so whichever facets rounding removes, the surface stays closed. */
#ifndef AP_ND_DEPTH_SURFACE_H
#define AP_ND_DEPTH_SURFACE_H

#include "nd.h"

/* A vertex number has AP_ND_SLOT_BITS bits; those of all vertices of a facet fit into one word. */
#define AP_ND_SLOT_BITS 10
#define AP_ND_SURFACE_VERTICES (1u << AP_ND_SLOT_BITS)

/* Vertices 0 .. dim are the corners of a start simplex around the origin, which is imagined to be infinitely small; the
 * others are points of the Minkowski difference. */
typedef struct ap_nd_facet {
    double normal[AP_ND_DEPTH_DIM]; /* unit to rounding, outward */
    double distance;                /* smallest normal.w of its vertices, as computed; 0 if it has a start corner */
    uint64_t vertices;              /* their numbers, ascending, the last one in the lowest bits */
} ap_nd_facet;

typedef struct ap_nd_surface {
    const ap_nd_pair *pair;
    size_t count, capacity; /* facets */
    ap_nd_facet *facet;
    uint64_t *ridge;             /* scratch: capacity */
    uint32_t *index_a, *index_b; /* of each vertex */
    uint32_t vertex_count;
    bool proved; /* the parity is known to be odd: the surface encloses the origin */
} ap_nd_surface;

/* Makes the surface the boundary of the start simplex. */
void ap_nd_surface_start(ap_nd_surface *surface);

/* The facet nearest to the origin; the lowest number wins ties. */
const ap_nd_facet *ap_nd_surface_nearest(const ap_nd_surface *surface);

/* Inserts a point of the Minkowski difference in place of the facets that it is above by more than rounding. False:
 * there is no memory for it, and nothing changed. */
bool ap_nd_surface_insert(ap_nd_surface *surface, uint32_t index_a, uint32_t index_b);

/* Sets `proved` if a ray is found that meets exactly one facet in spite of rounding. All facets must be farther than
 * ap_nd_noise(). */
void ap_nd_surface_prove(ap_nd_surface *surface);

/* Finds the facet that the ray along the unit vector d meets no farther than `most`; *out becomes its vertices with the
 * weights of that point. Returns the distance of the point; 0, with no vertices, if there is no such facet. */
double ap_nd_surface_locate(const ap_nd_surface *surface, const double *d, double most, ap_nd_simplex *out);

#endif
