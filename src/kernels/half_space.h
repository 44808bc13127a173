/* A half-space against a bounded body: one support point gives the exact signed distance. */
#ifndef AP_KERNELS_HALF_SPACE_H
#define AP_KERNELS_HALF_SPACE_H

#include <stdbool.h>

#include "../pair/query.h"

/* One of the bodies is the half-space; two half-spaces are APART_ERR_HALF_SPACE. */
ap_query_fn ap_distance_to_half_space;

static inline bool ap_query_has_half_space(const ap_query *q)
{
    return q->a->kind == APART_SHAPE_HALF_SPACE || q->b->kind == APART_SHAPE_HALF_SPACE;
}

#endif
