/* The surface of the depth search in n <= AP_ND_DEPTH_DIM dimensions: simplices around the origin, with vertices on the TCSO.
 *
 * Invariant: a ridge (n - 1 vertices) belongs to an even number of facets (n vertices), so the facets are a cycle modulo 2. To put in a
 * point p, facets are taken away and p is joined with the ridges that are then left over: the cycle moves by the boundary of the simplices
 * (facet, p). If none of these holds the origin, the parity of how often the surface wraps around the origin stays as it is. If that is
 * odd, every ray from the origin meets a facet, all facets lie in the convex TCSO, and so does the ball up to the nearest one: depth >= the
 * least distance of a facet. This needs no convexity and no adjacency, and whichever facets rounding picks, nothing can tear. */
#ifndef AP_ND_DEPTH_SURFACE_H
#define AP_ND_DEPTH_SURFACE_H

#include "nd.h"

/* A vertex number has AP_ND_SLOT_BITS; a facet's fit in one word. */
#define AP_ND_SLOT_BITS 10
#define AP_ND_SURFACE_VERTICES (1u << AP_ND_SLOT_BITS)

/* Vertices 0 .. dim are the corners of a start simplex around the origin, thought of as infinitely small; the others are on the TCSO. */
typedef struct ap_nd_facet {
    double normal[AP_ND_DEPTH_DIM]; /* unit to rounding, outward */
    double distance;                /* the least normal.w of its vertices, as computed; 0 with a corner of the start simplex */
    uint64_t vertices;              /* their numbers, ascending, the last one in the lowest bits */
} ap_nd_facet;

typedef struct ap_nd_surface {
    const ap_nd_pair *pair;
    size_t count, capacity; /* facets */
    ap_nd_facet *facet;
    uint64_t *ridge;        /* capacity */
    uint32_t *index_a, *index_b;
    uint32_t vertex_count;
    bool proved;            /* the parity is known to be odd */
} ap_nd_surface;

/* The boundary of the start simplex. */
void ap_nd_surface_start(ap_nd_surface *surface);

/* The facet nearest to the origin; the lowest number wins ties. */
const ap_nd_facet *ap_nd_surface_nearest(const ap_nd_surface *surface);

/* Puts in a point of the TCSO, in place of the facets that it clearly lies above. False: no room; nothing changed then. */
bool ap_nd_surface_insert(ap_nd_surface *surface, uint32_t index_a, uint32_t index_b);

/* Sets `proved` if a ray is found that clearly meets one facet alone. All facets must be farther than ap_nd_noise(). */
void ap_nd_surface_prove(ap_nd_surface *surface);

/* The vertices of the facet that a ray along the unit vector d meets no farther than `most`, with the weights of that point. Returns how
 * far the point is; 0 and no vertices if there is no such facet. */
double ap_nd_surface_locate(const ap_nd_surface *surface, const double *d, double most, ap_nd_simplex *out);

#endif
