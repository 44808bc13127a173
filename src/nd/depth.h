/* The penetration depth in n dimensions: the distance of the origin from the boundary of the Minkowski difference that
 * contains it (Cameron 1997 section 5, item C9 of docs/papers.md). */
#ifndef AP_ND_DEPTH_H
#define AP_ND_DEPTH_H

#include "nd.h"

typedef struct ap_nd_depth_task {
    int kind;              /* apart_depth: exact or bounds */
    double tolerance;      /* the search ends when the bounds are this close; 0: when they meet to rounding */
    void *workspace;       /* of the caller, 8-byte aligned, or NULL */
    size_t workspace_size; /* in bytes; one for less than 16 facets is not used */
} ap_nd_depth_task;

/* The answer, in the query's frame. */
typedef struct ap_nd_depth {
    double depth;      /* between the bounds; the distance of the witness points */
    double least;      /* lower bound of the depth, up to rounding; 0: nothing is proved */
    uint32_t inserted; /* points added to the surface */
    apart_stop stop;
} ap_nd_depth;

/* dim <= AP_ND_DEPTH_DIM. `best` is any direction at first and becomes the separating direction: moving by -best->value
 * along it separates the bodies, which is the upper bound. If least > 0, `face` becomes the simplex of the witness
 * points. */
void ap_nd_depth_find(const ap_nd_pair *pair, const ap_nd_depth_task *task, ap_nd_simplex *face, ap_nd_separation *best,
                      ap_nd_depth *depth);

#endif
