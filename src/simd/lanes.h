/* Four doubles at once, an ap_lanes, and four 64-bit masks or integers, an ap_mask. The single operations exist
 * twice, with the same bits: in the vector types of gcc and clang (lanes_vector.h), and in plain C17 for every compiler
 * (lanes_plain.h). So all code calls functions, where the vector types alone would allow operators.
 *
 * A point or direction occupies the lanes 0 to 2; lane 3 is arbitrary and never used. */
#ifndef AP_SIMD_LANES_H
#define AP_SIMD_LANES_H

#include <stdint.h>
#include <string.h>

#include "../math/eft.h"

/* An order of lanes, for shuffles by number: lane i consists of the 32-bit words 2i and 2i + 1. */
typedef struct ap_lane_order {
    uint32_t word[8];
} ap_lane_order;

#define AP_LANE_ORDER(i, j, k, l)                                                                  \
    {                                                                                              \
        {                                                                                          \
            2 * (i), 2 * (i) + 1, 2 * (j), 2 * (j) + 1, 2 * (k), 2 * (k) + 1, 2 * (l), 2 * (l) + 1 \
        }                                                                                          \
    }

#if AP_HAVE_VECTORS
#include "lanes_vector.h"
#else
#include "lanes_plain.h"
#endif

/* Loads four doubles from any address. After an apart_vec3 the next eight bytes must be readable, too. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_load(const void *from)
{
    ap_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

AP_INLINE_ALWAYS void ap_lanes_store(void *to, ap_lanes v) { memcpy(to, &v, sizeof v); }

AP_INLINE_ALWAYS ap_mask ap_mask_all(int64_t s) { return ap_mask_of(s, s, s, s); }

/* Lane 3 repeats z: callgrind does not know the instruction that would put a zero there. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_from(apart_vec3 v) { return ap_lanes_of(v.x, v.y, v.z, v.z); }

AP_INLINE_ALWAYS apart_vec3 ap_lanes_vec(ap_lanes v)
{
    return (apart_vec3){ap_lanes_at(v, 0), ap_lanes_at(v, 1), ap_lanes_at(v, 2)};
}

AP_INLINE_ALWAYS ap_lanes ap_lanes_scale(double s, ap_lanes a) { return ap_lanes_mul(ap_lanes_all(s), a); }

/* The one order of summation, so that all results agree bit by bit. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_sum3(ap_lanes x, ap_lanes y, ap_lanes z)
{
    return ap_lanes_add(ap_lanes_add(x, y), z);
}

AP_INLINE ap_lanes ap_lanes_abs(ap_lanes a)
{
    return ap_lanes_of_mask(ap_mask_and(ap_mask_of_lanes(a), ap_mask_all(INT64_MAX)));
}

/* The magnitude of a >= 0 with the sign of b. */
AP_INLINE ap_lanes ap_lanes_with_sign(ap_lanes a, ap_lanes b)
{
    return ap_lanes_of_mask(ap_mask_or(ap_mask_of_lanes(a), ap_mask_and(ap_mask_of_lanes(b), ap_mask_all(INT64_MIN))));
}

/* a*b - p where p is the rounded product: by FMA or by Dekker's split, the same bits (eft.h). */
AP_INLINE ap_lanes ap_lanes_product_error(ap_lanes a, ap_lanes b, ap_lanes p)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)p);
#else
    const ap_lanes split = ap_lanes_all(134217729.0); /* 2^27 + 1 */
    const ap_lanes ta = ap_lanes_mul(split, a), tb = ap_lanes_mul(split, b);
    const ap_lanes ah = ap_lanes_sub(ta, ap_lanes_sub(ta, a)), bh = ap_lanes_sub(tb, ap_lanes_sub(tb, b));
    const ap_lanes al = ap_lanes_sub(a, ah), bl = ap_lanes_sub(b, bh);
    return ap_lanes_sum3(ap_lanes_add(ap_lanes_sub(ap_lanes_mul(ah, bh), p), ap_lanes_mul(ah, bl)),
                         ap_lanes_mul(al, bh), ap_lanes_mul(al, bl));
#endif
}

/* a*b - c*d in each lane, bit for bit ap_diff_of_products. */
AP_INLINE ap_lanes ap_lanes_diff_of_products(ap_lanes a, ap_lanes b, ap_lanes c, ap_lanes d)
{
    const ap_lanes p = ap_lanes_mul(a, b), q = ap_lanes_mul(c, d);
    const ap_lanes pe = ap_lanes_product_error(a, b, p), qe = ap_lanes_product_error(c, d, q);
    return ap_lanes_add(ap_lanes_sub(p, q), ap_lanes_sub(pe, qe));
}

/* (x + y) + z of the products, as ap_dot. */
AP_INLINE double ap_lanes_dot(ap_lanes a, ap_lanes b)
{
    const ap_lanes p = ap_lanes_mul(a, b);
    ap_count_mul(3);
    return (ap_lanes_at(p, 0) + ap_lanes_at(p, 1)) + ap_lanes_at(p, 2);
}

AP_INLINE ap_lanes ap_lanes_cross(ap_lanes a, ap_lanes b)
{
    ap_count_mul(6);
    const ap_lanes c =
        ap_lanes_sub(ap_lanes_mul(a, AP_SHUFFLE(b, 1, 2, 0, 3)), ap_lanes_mul(AP_SHUFFLE(a, 1, 2, 0, 3), b));
    return AP_SHUFFLE(c, 1, 2, 0, 3);
}

/* As ap_cross_accurate. */
AP_INLINE ap_lanes ap_lanes_cross_accurate(ap_lanes a, ap_lanes b)
{
    ap_count_mul(6);
    const ap_lanes c = ap_lanes_diff_of_products(a, AP_SHUFFLE(b, 1, 2, 0, 3), AP_SHUFFLE(a, 1, 2, 0, 3), b);
    return AP_SHUFFLE(c, 1, 2, 0, 3);
}

/* e x (p x e), the inner product accurate: what ap_lanes_cross and ap_lanes_cross_accurate give, with one shuffle less
 * in a row. */
AP_INLINE ap_lanes ap_lanes_cross_twice(ap_lanes e, ap_lanes p)
{
    ap_count_mul(12);
    const ap_lanes next = AP_SHUFFLE(e, 1, 2, 0, 3);
    const ap_lanes c =
        ap_lanes_diff_of_products(p, next, AP_SHUFFLE(p, 1, 2, 0, 3), e); /* the product's components z, x, y */
    const ap_lanes outer =
        ap_lanes_sub(ap_lanes_mul(e, AP_SHUFFLE(c, 2, 0, 1, 3)), ap_lanes_mul(next, AP_SHUFFLE(c, 1, 2, 0, 3)));
    return AP_SHUFFLE(outer, 1, 2, 0, 3);
}

/* 1 in lane i, else 0. */
AP_INLINE ap_lanes ap_lanes_unit(int i)
{
    static const double unit[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    return ap_lanes_load(unit[i]);
}

/* The largest of the four numbers, in each lane. */
AP_INLINE ap_lanes ap_lanes_largest(ap_lanes v)
{
    const ap_lanes pair = ap_lanes_max(v, AP_SHUFFLE(v, 2, 3, 0, 1));
    return ap_lanes_max(pair, AP_SHUFFLE(pair, 1, 0, 3, 2));
}

/* The smallest of the four numbers, in each lane. */
AP_INLINE ap_lanes ap_lanes_smallest(ap_lanes v)
{
    const ap_lanes pair = ap_lanes_min(v, AP_SHUFFLE(v, 2, 3, 0, 1));
    return ap_lanes_min(pair, AP_SHUFFLE(pair, 1, 0, 3, 2));
}

/* |v|, from the lanes 0 to 2, without overflow or underflow. */
AP_INLINE double ap_lanes_norm(ap_lanes v)
{
    const double square = ap_lanes_dot(v, v);
    ap_count_div(1);
    return square > AP_SQUARE_MIN && square < AP_SQUARE_MAX ? sqrt(square) : ap_norm_scaled(ap_lanes_vec(v));
}

/* A 3x3 matrix as three vectors: x v.x + y v.y + z v.z, as ap_apply with columns, ap_apply_transposed with rows. */
typedef struct ap_lanes3 {
    ap_lanes x, y, z;
} ap_lanes3;

AP_INLINE ap_lanes ap_lanes_apply(const ap_lanes3 *m, ap_lanes v)
{
    ap_count_mul(9);
    return ap_lanes_sum3(ap_lanes_scale(ap_lanes_at(v, 0), m->x), ap_lanes_scale(ap_lanes_at(v, 1), m->y),
                         ap_lanes_scale(ap_lanes_at(v, 2), m->z));
}

/* ap_apply. The eight bytes after the matrix (in a pose: the translation) must be readable. */
AP_INLINE ap_lanes ap_lanes_turn(const apart_mat3 *m, ap_lanes v)
{
    ap_count_mul(9);
    return ap_lanes_sum3(ap_lanes_scale(ap_lanes_at(v, 0), ap_lanes_load(&m->x)),
                         ap_lanes_scale(ap_lanes_at(v, 1), ap_lanes_load(&m->y)),
                         ap_lanes_scale(ap_lanes_at(v, 2), ap_lanes_load(&m->z)));
}

/* Lane i of the result's x, y, z are the coordinates of the i-th of four vectors. */
AP_INLINE ap_lanes3 ap_lanes_transpose(ap_lanes a, ap_lanes b, ap_lanes c, ap_lanes d)
{
    const ap_lanes ab_low = AP_SHUFFLE_TWO(a, b, 0, 4, 2, 6), cd_low = AP_SHUFFLE_TWO(c, d, 0, 4, 2, 6);
    const ap_lanes ab_high = AP_SHUFFLE_TWO(a, b, 1, 5, 3, 7), cd_high = AP_SHUFFLE_TWO(c, d, 1, 5, 3, 7);
    return (ap_lanes3){AP_SHUFFLE_TWO(ab_low, cd_low, 0, 1, 4, 5), AP_SHUFFLE_TWO(ab_high, cd_high, 0, 1, 4, 5),
                       AP_SHUFFLE_TWO(ab_low, cd_low, 2, 3, 6, 7)};
}

/* Transposes a 4x4 matrix in place. */
AP_INLINE void ap_lanes_transpose4(ap_lanes *a, ap_lanes *b, ap_lanes *c, ap_lanes *d)
{
    const ap_lanes3 t = ap_lanes_transpose(*a, *b, *c, *d);
    const ap_lanes ab_high = AP_SHUFFLE_TWO(*a, *b, 1, 5, 3, 7), cd_high = AP_SHUFFLE_TWO(*c, *d, 1, 5, 3, 7);
    *d = AP_SHUFFLE_TWO(ab_high, cd_high, 2, 3, 6, 7);
    *a = t.x;
    *b = t.y;
    *c = t.z;
}

/* ---- four vectors at once, one per lane ---- */

AP_INLINE ap_lanes3 ap_lanes3_all(apart_vec3 a)
{
    return (ap_lanes3){ap_lanes_all(a.x), ap_lanes_all(a.y), ap_lanes_all(a.z)};
}

AP_INLINE ap_lanes3 ap_lanes3_spread(ap_lanes a)
{
    return (ap_lanes3){ap_lanes_all(ap_lanes_at(a, 0)), ap_lanes_all(ap_lanes_at(a, 1)),
                       ap_lanes_all(ap_lanes_at(a, 2))};
}

AP_INLINE ap_lanes3 ap_lanes3_add(ap_lanes3 a, ap_lanes3 b)
{
    return (ap_lanes3){ap_lanes_add(a.x, b.x), ap_lanes_add(a.y, b.y), ap_lanes_add(a.z, b.z)};
}

AP_INLINE ap_lanes3 ap_lanes3_scale(ap_lanes s, ap_lanes3 a)
{
    return (ap_lanes3){ap_lanes_mul(s, a.x), ap_lanes_mul(s, a.y), ap_lanes_mul(s, a.z)};
}

AP_INLINE ap_lanes3 ap_lanes3_sub(ap_lanes3 a, ap_lanes3 b)
{
    return (ap_lanes3){ap_lanes_sub(a.x, b.x), ap_lanes_sub(a.y, b.y), ap_lanes_sub(a.z, b.z)};
}

AP_INLINE ap_lanes ap_lanes3_dot(ap_lanes3 a, ap_lanes3 b)
{
    return ap_lanes_sum3(ap_lanes_mul(a.x, b.x), ap_lanes_mul(a.y, b.y), ap_lanes_mul(a.z, b.z));
}

/* The dot products of d with four points whose coordinates are in three arrays. */
AP_INLINE ap_lanes ap_lanes_dots(const double *x, const double *y, const double *z, const ap_lanes3 *d)
{
    return ap_lanes_sum3(ap_lanes_mul(ap_lanes_load(x), d->x), ap_lanes_mul(ap_lanes_load(y), d->y),
                         ap_lanes_mul(ap_lanes_load(z), d->z));
}

AP_INLINE ap_lanes3 ap_lanes3_cross(ap_lanes3 a, ap_lanes3 b)
{
    return (ap_lanes3){ap_lanes_sub(ap_lanes_mul(a.y, b.z), ap_lanes_mul(a.z, b.y)),
                       ap_lanes_sub(ap_lanes_mul(a.z, b.x), ap_lanes_mul(a.x, b.z)),
                       ap_lanes_sub(ap_lanes_mul(a.x, b.y), ap_lanes_mul(a.y, b.x))};
}

AP_INLINE ap_lanes ap_lanes3_max_abs(ap_lanes3 a)
{
    return ap_lanes_max(ap_lanes_max(ap_lanes_abs(a.x), ap_lanes_abs(a.y)), ap_lanes_abs(a.z));
}

#endif
