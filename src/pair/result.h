/* Writes apart_result: the one place that knows how it is laid out. Bounds, points and simplex of the cores come in,
 * scaled or not; signed distances of the bodies, rounded outwards, go out. */
#ifndef AP_PAIR_RESULT_H
#define AP_PAIR_RESULT_H

#include <stddef.h>

#include "pair.h"

/* The last eight bytes of a result, which are written in one piece. */
typedef struct ap_result_end {
    uint16_t iterations;
    uint8_t count, relation, stop, solver, fallback, dim;
} ap_result_end;

_Static_assert(sizeof(apart_result) - offsetof(apart_result, iterations) == sizeof(ap_result_end),
               "a result ends as ap_result_end does");
_Static_assert(offsetof(apart_result, index_b) - offsetof(apart_result, index_a) == sizeof(uint32_t[4]),
               "indices are written together");
_Static_assert(offsetof(apart_result, a) == 24 && offsetof(apart_result, index_a) == 96 &&
                   offsetof(apart_result, lambda) == 128 && offsetof(apart_result, iterations) == 160 &&
                   sizeof(apart_result) == 168,
               "results are written in rows of four doubles");

AP_INLINE uint64_t ap_result_end_bytes(ap_result_end end)
{
    uint64_t bytes;
    memcpy(&bytes, &end, sizeof bytes);
    return bytes;
}

/* Three numbers and three vectors. Each vector's store runs eight bytes into what follows, which is written
 * afterwards. */
AP_INLINE void ap_result_put(apart_result *r, double distance, double lower, double upper, ap_lanes a, ap_lanes b,
                             ap_lanes normal)
{
    r->distance = distance;
    r->lower = lower;
    r->upper = upper;
    ap_lanes_store(&r->a, a);
    ap_lanes_store(&r->b, b);
    ap_lanes_store(&r->normal, normal);
}

AP_INLINE uint8_t ap_result_relation(double lower, double upper)
{
    return lower > 0.0 ? APART_DISJOINT : upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING;
}

/* The same answer seen from the other body. */
static inline void ap_result_swap(apart_result *r)
{
    const apart_vec3 a = r->a;
    r->a = r->b;
    r->b = a;
    r->normal = ap_neg(r->normal);
    for (int i = 0; i < 4; i++) {
        const uint32_t index = r->index_a[i];
        r->index_a[i] = r->index_b[i];
        r->index_b[i] = index;
    }
}

/* A normal is a unit vector. Bodies whose axes differ by a factor of 1e40 and more have directions that underflow: of the
 * bodies' own axes, the one along which they are farthest apart takes their place. */
static inline void ap_result_mend_normal(apart_result *r, ap_pair *pair)
{
    const double square = ap_dot(r->normal, r->normal);
    if (square > 0.5 && square < 2.0) {
        return;
    }
    const apart_mat3 *m[2] = {pair->rotation_a, pair->rotation_b};
    double most = -INFINITY;
    for (int i = 0; i < 12; i++) {
        const apart_mat3 *of = m[i / 6];
        const apart_vec3 column = i % 3 == 0 ? of->x : i % 3 == 1 ? of->y : of->z;
        const apart_vec3 n = ap_unit(i % 6 < 3 ? column : ap_neg(column));
        ap_simplex_vertex x = {.index_a = APART_NO_INDEX, .index_b = APART_NO_INDEX};
        ap_pair_support(pair, n, &x);
        if (!(ap_dot(n, x.w) <= most)) {
            most = ap_dot(n, x.w);
            r->normal = n;
        }
    }
}

/* ---- the answer of a pair ---- */

/* What was found of the cores, scaled. */
typedef struct ap_core_answer {
    ap_blend points;
    ap_lanes normal;
    double distance, lower, upper; /* signed */
} ap_core_answer;

/* Unscales, subtracts the radii, rounds the bounds outwards and takes the points to the world. */
AP_INLINE void ap_result_write(apart_result *r, const ap_pair *pair, ap_traits t, const ap_core_answer *core)
{
    const double inverse = t.vertices ? 1.0 : pair->inverse_scale, radius = pair->radius;
    const double slack =
        AP_RESULT_ROUNDING * AP_UNIT_ROUNDOFF * (radius + inverse * fabs(core->distance)) + pair->widening;
    const double lower = (inverse * core->lower - radius) - slack, upper = (inverse * core->upper - radius) + slack;
    const ap_lanes origin = ap_lanes_load(&pair->origin), unscale = ap_lanes_all(inverse);
    ap_lanes a = ap_lanes_add(origin, ap_lanes_mul(unscale, core->points.a)),
             b = ap_lanes_add(origin, ap_lanes_mul(unscale, core->points.b));
    if (AP_UNLIKELY(radius > 0.0)) {
        a = ap_lanes_add(a, ap_lanes_scale(pair->a->radius, core->normal));
        b = ap_lanes_sub(b, ap_lanes_scale(pair->b->radius, core->normal));
    }
    ap_result_put(r, ap_min(ap_max(inverse * core->distance - radius, lower), upper), lower, upper, a, b, core->normal);
}

/* The simplex by the caller's numbers of its vertices. */
AP_INLINE void ap_result_write_simplex(apart_result *r, const ap_pair *pair, ap_traits t, const ap_simplex *s)
{
    const bool hull_a =
        t.kind_a == APART_SHAPE_HULL || (t.kind_a == APART_SHAPE_NONE && pair->a->kind == APART_SHAPE_HULL);
    const bool hull_b =
        t.kind_b == APART_SHAPE_HULL || (t.kind_b == APART_SHAPE_NONE && pair->b->kind == APART_SHAPE_HULL);
    const ap_hull_corner *corners_a = hull_a ? ap_at(pair->a->u.hull, pair->a->u.hull->corners) : NULL;
    const ap_hull_corner *corners_b = hull_b ? ap_at(pair->b->u.hull, pair->b->u.hull->corners) : NULL;
    ap_lanes_store(r->index_a, ap_lanes_of_mask(ap_mask_all(-1))); /* both rows of them */
    ap_lanes_store(r->lambda, ap_lanes_all(0.0));
    for (int i = 0; i < s->count; i++) {
        const uint32_t a = s->vertex[i].index_a, b = s->vertex[i].index_b;
        r->index_a[i] = hull_a                                ? (uint32_t)corners_a[a].input
                        : t.vertices || pair->a->nesting == 0 ? a
                                                              : ap_input_index(pair->a, a);
        r->index_b[i] = hull_b                                ? (uint32_t)corners_b[b].input
                        : t.vertices || pair->b->nesting == 0 ? b
                                                              : ap_input_index(pair->b, b);
        r->lambda[i] = s->vertex[i].lambda;
    }
    r->count = (uint8_t)s->count;
}

/* ---- four answers at once: a pair to a lane ---- */

/* A row of four doubles for every lane. */
typedef struct ap_four_rows {
    ap_lanes lane[4];
} ap_four_rows;

AP_INLINE ap_four_rows ap_rows_of(ap_lanes a, ap_lanes b, ap_lanes c, ap_lanes d)
{
    ap_lanes_transpose4(&a, &b, &c, &d);
    return (ap_four_rows){{a, b, c, d}};
}

/* Two numbers of 32 bits to a lane, as they lie in memory: that of the low half first. */
AP_INLINE ap_lanes ap_two_numbers(ap_mask m)
{
    return ap_lanes_of_mask(AP_BIG_ENDIAN ? ap_mask_or(ap_mask_shift_left(m, 32), ap_mask_shift_right(m, 32)) : m);
}

/* Rows of numbers of 32 bits, two to a lane. */
AP_INLINE ap_four_rows ap_integer_rows(ap_mask a, ap_mask b, ap_mask c, ap_mask d)
{
    return ap_rows_of(ap_two_numbers(a), ap_two_numbers(b), ap_two_numbers(c), ap_two_numbers(d));
}

/* What the lanes answer: disjoint bodies in space, converged by the default solver. */
typedef struct ap_lane_answers {
    ap_lanes distance, lower, upper;
    ap_lanes3 a, b, normal;
    ap_four_rows numbers; /* of the vertices on both sides, four times 32 bits each */
    ap_lanes lambda[3];
    ap_mask steps, count;
} ap_lane_answers;

AP_INLINE void ap_store_rows(char *const to[4], size_t offset, ap_four_rows rows)
{
    for (unsigned lane = 0; lane < 4; lane++) {
        ap_lanes_store(to[lane] + offset, rows.lane[lane]);
    }
}

/* An ap_result_end of each lane: dim 3; the fields that are not given are 0. */
AP_INLINE ap_mask ap_result_ends(ap_mask steps, ap_mask count)
{
    return AP_BIG_ENDIAN
               ? ap_mask_or(ap_mask_or(ap_mask_shift_left(steps, 48), ap_mask_shift_left(count, 40)), ap_mask_all(3))
               : ap_mask_or(ap_mask_or(steps, ap_mask_shift_left(count, 16)), ap_mask_all(INT64_C(3) << 56));
}

/* Writes lane i to to[i]. */
AP_INLINE void ap_result_write_lanes(const ap_lane_answers *r, apart_result *const results[4])
{
    const ap_mask end = ap_result_ends(r->steps, r->count);
    char *const to[4] = {(char *)results[0], (char *)results[1], (char *)results[2], (char *)results[3]};
    ap_store_rows(to, 0, ap_rows_of(r->distance, r->lower, r->upper, r->a.x));
    ap_store_rows(to, 32, ap_rows_of(r->a.y, r->a.z, r->b.x, r->b.y));
    ap_store_rows(to, 64, ap_rows_of(r->b.z, r->normal.x, r->normal.y, r->normal.z));
    ap_store_rows(to, 96, r->numbers);
    ap_store_rows(to, 128, ap_rows_of(r->lambda[0], r->lambda[1], r->lambda[2], ap_lanes_all(0.0)));
    for (unsigned lane = 0; lane < 4; lane++) {
        const int64_t rest = ap_mask_at(end, lane);
        memcpy(to[lane] + 160, &rest, sizeof rest);
    }
}

#endif
