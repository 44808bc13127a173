/* Penetration in n dimensions: how far the origin is from the surface of the TCSO that holds it (Cameron 1997 section 5, item C9). */
#ifndef AP_ND_DEPTH_H
#define AP_ND_DEPTH_H

#include "nd.h"

/* What is asked. */
typedef struct ap_nd_depth_task {
    int kind;              /* apart_depth: exact or bounds */
    double tolerance;      /* bounds this close are enough; 0: down to rounding */
    void *workspace;       /* of the caller, 8-byte aligned, or NULL */
    size_t workspace_size; /* used if it has more room than the built-in one */
} ap_nd_depth_task;

/* What is known, in the pair's frame. */
typedef struct ap_nd_depth {
    double depth;      /* between the bounds; that of the witness points */
    double least;      /* depth >= least but for rounding; 0: nothing is proved */
    uint32_t inserted; /* points put into the surface */
    apart_stop stop;
} ap_nd_depth;

/* dim <= AP_ND_DEPTH_DIM. `best` holds some direction and becomes the way out: -best->value is the upper bound. `face` becomes the
 * witness if least > 0. */
void ap_nd_depth_find(const ap_nd_pair *pair, const ap_nd_depth_task *task, ap_nd_simplex *face, ap_nd_separation *best,
                      ap_nd_depth *depth);

#endif
