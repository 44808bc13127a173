/* Support points of two small hulls whose vertices are all in the query frame (pair/vertices.h). */
#ifndef AP_DEPTH_DEPTH_PROBE_H
#define AP_DEPTH_DEPTH_PROBE_H

#include "polytope.h"

/* Hulls up to this size are transformed as a whole for a search that begins anew; up to the second one even where a search or two will do. */
#define AP_PLACED_VERTICES AP_MOST_TRANSFORMED
#define AP_ALWAYS_PLACED 16u

/* w of two vertex numbers, the last component twice. */
AP_INLINE ap_lanes ap_placed_difference(const ap_vertex_sets *placed, uint32_t index_a, uint32_t index_b)
{
    return ap_vertices_get(&placed->b, index_b) - ap_vertices_get(&placed->a, index_a);
}

/* The point of the Minkowski difference farthest along m, of any length: fills w and both numbers. */
AP_INLINE void ap_placed_support(const ap_vertex_sets *placed, ap_pair *pair, apart_vec3 m, ap_simplex_vertex *found)
{
    const uint32_t a = ap_vertices_scan(&placed->a, ap_neg(m)), b = ap_vertices_scan(&placed->b, m);
    ap_lanes_store(&found->w, ap_placed_difference(placed, a, b));
    found->index_a = a;
    found->index_b = b;
    pair->context.count.visited += pair->count_a + pair->count_b;
    pair->support_calls += 2;
}

#endif
