/* Support points of two hulls of few vertices, placed in the query frame once: a search then neither turns its direction nor the point
 * it finds. */
#ifndef AP_DEPTH_DEPTH_PROBE_H
#define AP_DEPTH_DEPTH_PROBE_H

#include "polytope.h"

/* Hulls up to this size are placed for a search that begins anew; up to the second one even where a search or two will do. */
#define AP_PLACED_VERTICES 64u
#define AP_ALWAYS_PLACED 16u

/* All vertices of a hull, bit for bit as ap_pair_vertex has them; padding repeats the first ones. */
typedef struct ap_placed_hull {
    uint32_t padded; /* a multiple of 8 */
    double x[AP_PLACED_VERTICES], y[AP_PLACED_VERTICES], z[AP_PLACED_VERTICES];
} ap_placed_hull;

typedef struct ap_placed {
    ap_placed_hull a, b;
} ap_placed;

/* Are both bodies hulls of at most so many vertices, and may they be scanned? */
AP_INLINE bool ap_pair_has_few_vertices(const ap_pair *pair, uint32_t limit)
{
    return pair->a->kind == APART_SHAPE_HULL && pair->b->kind == APART_SHAPE_HULL && pair->count_a <= limit && pair->count_b <= limit &&
           (pair->context.search == APART_SUPPORT_AUTO || pair->context.search == APART_SUPPORT_SCAN);
}

void ap_place(ap_placed *placed, ap_pair *pair);

AP_INLINE ap_lanes ap_placed_vertex(const ap_placed_hull *h, uint32_t vertex)
{
    return ap_lanes_of(h->x[vertex], h->y[vertex], h->z[vertex], h->z[vertex]);
}

/* w of two vertex numbers, the last component twice. */
AP_INLINE ap_lanes ap_placed_difference(const ap_placed *placed, uint32_t index_a, uint32_t index_b)
{
    return ap_placed_vertex(&placed->b, index_b) - ap_placed_vertex(&placed->a, index_a);
}

/* The least value of all lanes, in each. */
AP_INLINE ap_lanes ap_least_lane(ap_lanes v)
{
    const ap_lanes pair = ap_lanes_min(v, AP_SHUFFLE(v, 2, 3, 0, 1));
    return ap_lanes_min(pair, AP_SHUFFLE(pair, 1, 0, 3, 2));
}

/* The vertex farthest along d; the lowest wins ties. Two chains of comparisons hide each other's latency. */
AP_INLINE uint32_t ap_placed_scan(const ap_placed_hull *h, apart_vec3 direction)
{
    const ap_lanes3 d = ap_lanes3_all(direction);
    const ap_lanes eight = ap_lanes_all(8.0);
    ap_lanes now = {0.0, 1.0, 2.0, 3.0}, index0 = now, index1 = now; /* the second ones less 4 */
    ap_lanes best0 = ap_dots(h->x, h->y, h->z, &d), best1 = ap_dots(h->x + 4, h->y + 4, h->z + 4, &d);
    for (uint32_t i = 8; i < h->padded; i += 8) {
        const ap_lanes v0 = ap_dots(h->x + i, h->y + i, h->z + i, &d), v1 = ap_dots(h->x + i + 4, h->y + i + 4, h->z + i + 4, &d);
        const ap_mask m0 = v0 > best0, m1 = v1 > best1;
        now += eight;
        best0 = ap_lanes_max(v0, best0);
        best1 = ap_lanes_max(v1, best1);
        index0 = ap_lanes_select(index0, now, m0);
        index1 = ap_lanes_select(index1, now, m1);
    }
    const ap_lanes most = ap_largest_lane(ap_lanes_max(best0, best1)), none = ap_lanes_all(AP_NO_LANE_INDEX);
    index0 = ap_lanes_select(none, index0, best0 == most);
    index1 = ap_lanes_select(none, index1 + ap_lanes_all(4.0), best1 == most);
    const double lowest = ap_least_lane(ap_lanes_min(index0, index1))[0];
    return lowest < (double)AP_PLACED_VERTICES ? (uint32_t)lowest : 0;
}

/* The point of the TCSO farthest along m, of any length: fills w and both numbers. */
AP_INLINE void ap_placed_support(const ap_placed *placed, ap_pair *pair, apart_vec3 m, ap_simplex_vertex *found)
{
    const uint32_t a = ap_placed_scan(&placed->a, ap_neg(m)), b = ap_placed_scan(&placed->b, m);
    ap_lanes_store(&found->w, ap_placed_difference(placed, a, b));
    found->index_a = a;
    found->index_b = b;
    pair->context.count.visited += pair->count_a + pair->count_b;
    pair->support_calls += 2;
}

#endif
