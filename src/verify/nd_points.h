/* Two point sets in n dimensions as the check sees them: relative to A's first point, which is exact in double-double
 * arithmetic, and scaled by a power of two to about unit size. */
#ifndef AP_VERIFY_ND_POINTS_H
#define AP_VERIFY_ND_POINTS_H

#include <apart/nd.h>

#include "body.h"

/* The dimensions up to which the check searches by itself. */
#define AP_VERIFY_ND_DIM APART_ND_STACK_DIM

typedef struct ap_verify_nd {
    size_t dim;
    const apart_points_nd *a, *b;
    const double *origin;
    double scale;
    double reach; /* no point is farther from the origin; scaled */
    double slack; /* error of a computed difference b - a; scaled */
} ap_verify_nd;

/* The k-th coordinate of a point in the frame. */
static inline ap_dd ap_verify_nd_coordinate(const ap_verify_nd *v, const double *x, size_t k)
{
    const ap_dd d = ap_two_sum(x[k], -v->origin[k]);
    return (ap_dd){v->scale * d.hi, v->scale * d.lo};
}

/* nd_search.c: the separation along d, min over B minus max over A of d.x / |d|, not above the true one; the pair of
 * points that have it. */
double ap_verify_nd_separation(const ap_verify_nd *v, const ap_dd *d, size_t *index_a, size_t *index_b);

/* Bounds of the distance, in up to AP_VERIFY_ND_DIM dimensions, from directions (start first, may be NULL) and from
 * points. The upper bound is below 0 if a simplex of dim + 1 points b - a encloses the origin. */
ap_verify_bounds ap_verify_nd_nearest(const ap_verify_nd *v, const double *start, ap_verify_goal goal);

#endif
