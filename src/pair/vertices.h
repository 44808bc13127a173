/* All vertices of two small hulls, transformed to the query frame once: a search then turns neither its direction nor
 * the point it finds.
 *
 * GJK asks for support values first, because the last step of a query needs no more, and takes the vertices later; the
 * depth search needs the vertices at once (ap_vertices_scan), which is a quarter faster from 9 vertices on. */
#ifndef AP_PAIR_VERTICES_H
#define AP_PAIR_VERTICES_H

#include "../simplex/simplex.h"
#include "../hull/search.h"
#include "traits.h"

/* Hulls up to this size may be transformed as a whole. */
#define AP_MOST_TRANSFORMED 64u

/* Vertices of a hull in blocks of four, bit for bit as ap_pair_vertex has them. The number of blocks is even: padding
 * repeats the first ones, so that the lowest number of equal values is never one of it. */
typedef struct ap_vertices {
    ap_lanes x[AP_MOST_TRANSFORMED / 4], y[AP_MOST_TRANSFORMED / 4], z[AP_MOST_TRANSFORMED / 4];
    uint32_t blocks;
} ap_vertices;

typedef struct ap_vertex_sets {
    ap_vertices a, b;
} ap_vertex_sets;

/* One coordinate of two blocks from a row of the matrix. */
AP_INLINE void ap_vertices_set_row(ap_lanes *to, const ap_lanes3 local[2], double mx, double my, double mz, bool moved,
                                   double by)
{
    const ap_lanes x = ap_lanes_all(mx), y = ap_lanes_all(my), z = ap_lanes_all(mz);
    for (int i = 0; i < 2; i++) {
        const ap_lanes turned =
            ap_lanes_sum3(ap_lanes_mul(x, local[i].x), ap_lanes_mul(y, local[i].y), ap_lanes_mul(z, local[i].z));
        to[i] = moved ? ap_lanes_add(turned, ap_lanes_all(by)) : turned;
    }
}

/* Transforms a hull's vertices by m and, if `moved`, by the offset, with all lengths multiplied by the scale, a power
 * of two. most: how many there can be. */
AP_INLINE void ap_vertices_transform(ap_vertices *v, unsigned most, const apart_hull *hull, const apart_mat3 *m,
                                     double scale, bool moved, ap_lanes offset)
{
    const double *x = ap_at(hull, hull->vertices);
    const size_t stride = hull->padded_count;
    const ap_lanes s = ap_lanes_all(scale);
    v->blocks = (hull->padded_count + 4u) / 8u * 2u;
    const uint32_t blocks = most <= 8 ? 2u : v->blocks;
    for (uint32_t i = 0; i < blocks; i += 2) {
        const double *first = x + 4 * i, *second = 4 * i + 4 < hull->padded_count ? first + 4 : x;
        const ap_lanes3 local[2] = {{ap_lanes_mul(s, ap_lanes_load(first)),
                                     ap_lanes_mul(s, ap_lanes_load(first + stride)),
                                     ap_lanes_mul(s, ap_lanes_load(first + 2 * stride))},
                                    {ap_lanes_mul(s, ap_lanes_load(second)),
                                     ap_lanes_mul(s, ap_lanes_load(second + stride)),
                                     ap_lanes_mul(s, ap_lanes_load(second + 2 * stride))}};
        ap_vertices_set_row(v->x + i, local, m->x.x, m->y.x, m->z.x, moved, ap_lanes_at(offset, 0));
        ap_vertices_set_row(v->y + i, local, m->x.y, m->y.y, m->z.y, moved, ap_lanes_at(offset, 1));
        ap_vertices_set_row(v->z + i, local, m->x.z, m->y.z, m->z.z, moved, ap_lanes_at(offset, 2));
    }
}

AP_INLINE ap_lanes ap_vertices_get(const ap_vertices *v, uint32_t vertex)
{
    const double *x = (const double *)v->x + vertex;
    return ap_lanes_of(x[0], x[AP_MOST_TRANSFORMED], x[2 * AP_MOST_TRANSFORMED], x[2 * AP_MOST_TRANSFORMED]);
}

/* w of two vertex numbers, the last component twice. */
AP_INLINE ap_lanes ap_vertices_difference(const ap_vertex_sets *sets, uint32_t index_a, uint32_t index_b)
{
    return ap_lanes_sub(ap_vertices_get(&sets->b, index_b), ap_vertices_get(&sets->a, index_a));
}

/* ---- support values first, the vertices later: for at most AP_MOST_VALUED vertices ---- */

#define AP_MOST_VALUED 24u

/* The products of a direction with all vertices, and the largest or the smallest of them. */
typedef struct ap_vertex_values {
    ap_lanes dots_a[AP_MOST_VALUED / 4], dots_b[AP_MOST_VALUED / 4];
    ap_lanes most_a, least_b; /* in all lanes */
} ap_vertex_values;

/* The products with all vertices; returns the largest or the smallest of each lane. */
AP_INLINE ap_lanes ap_vertices_dots(const ap_vertices *v, unsigned most, const ap_lanes3 *d, bool largest,
                                    ap_lanes *dots)
{
    const uint32_t blocks = most <= 8 ? 2u : v->blocks;
    ap_lanes out;
    uint32_t i = 0;
    do {
        dots[i] = ap_lanes_sum3(ap_lanes_mul(v->x[i], d->x), ap_lanes_mul(v->y[i], d->y), ap_lanes_mul(v->z[i], d->z));
        dots[i + 1] = ap_lanes_sum3(ap_lanes_mul(v->x[i + 1], d->x), ap_lanes_mul(v->y[i + 1], d->y),
                                    ap_lanes_mul(v->z[i + 1], d->z));
        const ap_lanes both = largest ? ap_lanes_max(dots[i], dots[i + 1]) : ap_lanes_min(dots[i], dots[i + 1]);
        out = i == 0 ? both : largest ? ap_lanes_max(out, both) : ap_lanes_min(out, both);
        i += 2;
    } while (i < blocks);
    return out;
}

/* Returns v.w at the support pair against v: the smallest product of B less the largest of A. */
AP_INLINE double ap_vertices_value(const ap_vertex_sets *sets, unsigned most, ap_lanes v, ap_vertex_values *values)
{
    const ap_lanes3 d = ap_lanes3_spread(v);
    const ap_lanes a = ap_vertices_dots(&sets->a, most, &d, true, values->dots_a);
    const ap_lanes b = ap_vertices_dots(&sets->b, most, &d, false, values->dots_b), minus_b = ap_lanes_neg(b);
    const ap_lanes half = ap_lanes_max(AP_SHUFFLE_TWO(a, minus_b, 0, 4, 2, 6), AP_SHUFFLE_TWO(a, minus_b, 1, 5, 3, 7));
    const ap_lanes both = ap_lanes_max(half, AP_SHUFFLE(half, 2, 3, 0, 1)); /* A's largest and B's, in turn */
    values->most_a = AP_SHUFFLE(both, 0, 0, 2, 2);
    values->least_b = ap_lanes_neg(AP_SHUFFLE(both, 1, 1, 3, 3));
    return ap_lanes_at(values->least_b, 0) - ap_lanes_at(values->most_a, 0);
}

/* The lowest number of a vertex with this product. */
AP_INLINE uint32_t ap_vertices_number(const ap_vertices *v, unsigned most, const ap_lanes *dots, ap_lanes wanted)
{
    const uint32_t blocks = most <= 8 ? 2u : v->blocks;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < blocks; i += 2) {
        bits |= ap_mask_bits(ap_lanes_equal(dots[i], wanted)) << (4 * i) |
                ap_mask_bits(ap_lanes_equal(dots[i + 1], wanted)) << (4 * i + 4);
    }
    return bits != 0 ? ap_lowest_bit(bits) : 0;
}

/* ---- the vertex at once ---- */

/* The vertex farthest along d; the lowest wins ties. Two chains of comparisons hide each other's latency. */
AP_INLINE uint32_t ap_vertices_scan(const ap_vertices *v, apart_vec3 direction)
{
    const ap_lanes3 d = ap_lanes3_all(direction);
    const ap_lanes eight = ap_lanes_all(8.0);
    ap_lanes now = AP_FOUR(0.0, 1.0, 2.0, 3.0), index0 = now, index1 = now; /* the second ones less 4 */
    ap_lanes best0 = ap_lanes_sum3(ap_lanes_mul(v->x[0], d.x), ap_lanes_mul(v->y[0], d.y), ap_lanes_mul(v->z[0], d.z)),
             best1 = ap_lanes_sum3(ap_lanes_mul(v->x[1], d.x), ap_lanes_mul(v->y[1], d.y), ap_lanes_mul(v->z[1], d.z));
    for (uint32_t i = 2; i < v->blocks; i += 2) {
        const ap_lanes v0 =
            ap_lanes_sum3(ap_lanes_mul(v->x[i], d.x), ap_lanes_mul(v->y[i], d.y), ap_lanes_mul(v->z[i], d.z));
        const ap_lanes v1 = ap_lanes_sum3(ap_lanes_mul(v->x[i + 1], d.x), ap_lanes_mul(v->y[i + 1], d.y),
                                          ap_lanes_mul(v->z[i + 1], d.z));
        const ap_mask m0 = ap_lanes_greater(v0, best0), m1 = ap_lanes_greater(v1, best1);
        now = ap_lanes_add(now, eight);
        best0 = ap_lanes_max(v0, best0);
        best1 = ap_lanes_max(v1, best1);
        index0 = ap_lanes_select(index0, now, m0);
        index1 = ap_lanes_select(index1, now, m1);
    }
    const ap_lanes most = ap_lanes_largest(ap_lanes_max(best0, best1)), none = ap_lanes_all(AP_NO_LANE_INDEX);
    index0 = ap_lanes_select(none, index0, ap_lanes_equal(best0, most));
    index1 = ap_lanes_select(none, ap_lanes_add(index1, ap_lanes_all(4.0)), ap_lanes_equal(best1, most));
    const double lowest = ap_lanes_at(ap_lanes_smallest(ap_lanes_min(index0, index1)), 0);
    return lowest < (double)AP_MOST_TRANSFORMED ? (uint32_t)lowest : 0;
}

#endif
