/* Four doubles at once, in the vector types that gcc and clang share: one source that becomes AVX2 registers where the
 * file is compiled for them, pairs of SSE2 registers or plain doubles elsewhere, with the same bits from each.
 *
 * A point or direction occupies the lanes 0 to 2; lane 3 is arbitrary and never used. The few operations that the
 * vector types lack are written three times below: with AVX2, with SSE2, and in plain C. */
#ifndef AP_SIMD_LANES_H
#define AP_SIMD_LANES_H

#include <stdint.h>
#include <string.h>

#include "../math/eft.h"

#if !defined(APART_NO_SIMD) && defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define AP_LANES_AVX2 1
#elif !defined(APART_NO_SIMD) && defined(__SSE2__)
#include <emmintrin.h>
#define AP_LANES_SSE2 1
#endif

typedef double ap_lanes __attribute__((vector_size(32)));
typedef int64_t ap_mask __attribute__((vector_size(32))); /* of a comparison: all bits of a lane or none */

/* AP_SHUFFLE: lanes i, j, k, l of a. With SSE2, compilers assemble four numbers in memory and read them back in pairs,
 * which stalls store forwarding; the macros below keep them in registers. */
#if defined(AP_LANES_SSE2)
AP_INLINE __m128d ap_half(ap_lanes a, int i)
{
    __m128d half[2];
    memcpy(half, &a, sizeof half);
    return half[i];
}

AP_INLINE ap_lanes ap_lanes_join(__m128d low, __m128d high)
{
    const __m128d half[2] = {low, high};
    ap_lanes a;
    memcpy(&a, half, sizeof a);
    return a;
}

#define AP_PICK_TWO(a, i, j) _mm_shuffle_pd(ap_half(a, (i) / 2), ap_half(a, (j) / 2), ((i)&1) | ((j)&1) << 1)
#define AP_SHUFFLE(a, i, j, k, l) ap_lanes_join(AP_PICK_TWO(a, i, j), AP_PICK_TWO(a, k, l))
#else
#define AP_SHUFFLE(a, i, j, k, l) __builtin_shufflevector(a, a, i, j, k, l)
#endif

AP_INLINE ap_lanes ap_lanes_of(double x, double y, double z, double t)
{
#if defined(AP_LANES_SSE2)
    return ap_lanes_join(_mm_set_pd(y, x), _mm_set_pd(t, z));
#else
    return (ap_lanes){x, y, z, t};
#endif
}

AP_INLINE ap_lanes ap_lanes_all(double s)
{
#if defined(AP_LANES_SSE2)
    return ap_lanes_join(_mm_set1_pd(s), _mm_set1_pd(s));
#else
    return (ap_lanes){s, s, s, s};
#endif
}

AP_INLINE ap_mask ap_mask_all(int64_t s) { return (ap_mask){s, s, s, s}; }

/* Loads four doubles from any address. After an apart_vec3 the next eight bytes must be readable, too. */
AP_INLINE ap_lanes ap_lanes_load(const void *from)
{
    ap_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* Loads the three numbers and a zero; nothing after them is read. */
AP_INLINE ap_lanes ap_lanes_load_three(const apart_vec3 *v)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_maskload_pd(&v->x, _mm256_set_epi64x(0, -1, -1, -1));
#else
    return ap_lanes_of(v->x, v->y, v->z, 0.0);
#endif
}

AP_INLINE void ap_lanes_store(void *to, ap_lanes v) { memcpy(to, &v, sizeof v); }

/* Lane 3 repeats z: callgrind does not know the instruction that would put a zero there. */
AP_INLINE ap_lanes ap_lanes_from(apart_vec3 v) { return ap_lanes_of(v.x, v.y, v.z, v.z); }

AP_INLINE apart_vec3 ap_lanes_vec(ap_lanes v) { return (apart_vec3){v[0], v[1], v[2]}; }

/* Bit i is the highest bit of lane i: whether a mask is set there, or the sign of a double. */
AP_INLINE unsigned ap_mask_bits(ap_mask m)
{
#if defined(AP_LANES_AVX2)
    return (unsigned)_mm256_movemask_pd((__m256d)m);
#elif defined(AP_LANES_SSE2)
    __m128d half[2];
    memcpy(half, &m, sizeof half);
    return (unsigned)_mm_movemask_pd(half[0]) | (unsigned)_mm_movemask_pd(half[1]) << 2;
#else
    return (unsigned)(m[0] < 0) | (unsigned)(m[1] < 0) << 1 | (unsigned)(m[2] < 0) << 2 | (unsigned)(m[3] < 0) << 3;
#endif
}

/* Eight 32-bit words, for shuffles by number: lane i consists of the words 2i and 2i + 1. */
typedef uint32_t ap_words __attribute__((vector_size(32)));

#define AP_LANE_ORDER(i, j, k, l)                                                              \
    {                                                                                          \
        2 * (i), 2 * (i) + 1, 2 * (j), 2 * (j) + 1, 2 * (k), 2 * (k) + 1, 2 * (l), 2 * (l) + 1 \
    }

/* Shuffles the lanes by an AP_LANE_ORDER that is not a compile-time constant. */
AP_INLINE ap_lanes ap_lanes_reorder(ap_lanes a, ap_words order)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_permutevar8x32_ps((__m256)a, (__m256i)order);
#else
    double lane[4];
    ap_lanes_store(lane, a);
    return (ap_lanes){lane[order[0] / 2], lane[order[2] / 2], lane[order[4] / 2], lane[order[6] / 2]};
#endif
}

/* b where the mask is set, else a. */
AP_INLINE ap_lanes ap_lanes_select(ap_lanes a, ap_lanes b, ap_mask m)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_blendv_pd((__m256d)a, (__m256d)b, (__m256d)m);
#else
    return (ap_lanes)(((ap_mask)a & ~m) | ((ap_mask)b & m));
#endif
}

/* The larger of each lane; the second where they are equal or one is a NaN. */
AP_INLINE ap_lanes ap_lanes_max(ap_lanes a, ap_lanes b)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(AP_LANES_SSE2)
    __m128d x[2], y[2];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    x[0] = _mm_max_pd(x[0], y[0]);
    x[1] = _mm_max_pd(x[1], y[1]);
    memcpy(&a, x, sizeof a);
    return a;
#else
    return ap_lanes_select(b, a, a > b);
#endif
}

/* The smaller of each lane; the second where they are equal or one is a NaN. */
AP_INLINE ap_lanes ap_lanes_min(ap_lanes a, ap_lanes b)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(AP_LANES_SSE2)
    __m128d x[2], y[2];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    x[0] = _mm_min_pd(x[0], y[0]);
    x[1] = _mm_min_pd(x[1], y[1]);
    memcpy(&a, x, sizeof a);
    return a;
#else
    return ap_lanes_select(b, a, a < b);
#endif
}

/* Bit i: lane i of a is larger than that of b. With SSE2, compilers split a comparison of four lanes into single
 * numbers. */
AP_INLINE unsigned ap_lanes_above(ap_lanes a, ap_lanes b)
{
#if defined(AP_LANES_SSE2)
    __m128d x[2], y[2];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    return (unsigned)_mm_movemask_pd(_mm_cmpgt_pd(x[0], y[0])) | (unsigned)_mm_movemask_pd(_mm_cmpgt_pd(x[1], y[1]))
                                                                     << 2;
#else
    return ap_mask_bits(a > b);
#endif
}

/* The square root of each lane. */
AP_INLINE ap_lanes ap_lanes_sqrt(ap_lanes a)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_sqrt_pd((__m256d)a);
#elif defined(AP_LANES_SSE2)
    __m128d half[2];
    memcpy(half, &a, sizeof half);
    half[0] = _mm_sqrt_pd(half[0]);
    half[1] = _mm_sqrt_pd(half[1]);
    memcpy(&a, half, sizeof a);
    return a;
#else
    return (ap_lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#endif
}

AP_INLINE ap_lanes ap_lanes_abs(ap_lanes a)
{
    const ap_mask rest = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    return (ap_lanes)((ap_mask)a & rest);
}

/* The magnitude of a >= 0 with the sign of b. */
AP_INLINE ap_lanes ap_lanes_with_sign(ap_lanes a, ap_lanes b)
{
    const ap_mask sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    return (ap_lanes)((ap_mask)a | ((ap_mask)b & sign));
}

/* a*b - p where p is the rounded product: by FMA or by Dekker's split, the same bits (eft.h). */
AP_INLINE ap_lanes ap_lanes_product_error(ap_lanes a, ap_lanes b, ap_lanes p)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)p);
#else
    const double split = 134217729.0; /* 2^27 + 1 */
    const ap_lanes ta = split * a, tb = split * b;
    const ap_lanes ah = ta - (ta - a), bh = tb - (tb - b);
    const ap_lanes al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
}

/* a*b - c*d in each lane, bit for bit ap_diff_of_products. */
AP_INLINE ap_lanes ap_lanes_diff_of_products(ap_lanes a, ap_lanes b, ap_lanes c, ap_lanes d)
{
    const ap_lanes p = a * b, q = c * d;
    const ap_lanes pe = ap_lanes_product_error(a, b, p), qe = ap_lanes_product_error(c, d, q);
    return (p - q) + (pe - qe);
}

/* (x + y) + z of the products, as ap_dot. */
AP_INLINE double ap_lanes_dot(ap_lanes a, ap_lanes b)
{
    const ap_lanes p = a * b;
    ap_count_mul(3);
    return (p[0] + p[1]) + p[2];
}

AP_INLINE ap_lanes ap_lanes_cross(ap_lanes a, ap_lanes b)
{
    ap_count_mul(6);
    const ap_lanes c = a * AP_SHUFFLE(b, 1, 2, 0, 3) - AP_SHUFFLE(a, 1, 2, 0, 3) * b;
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
    const ap_lanes outer = e * AP_SHUFFLE(c, 2, 0, 1, 3) - next * AP_SHUFFLE(c, 1, 2, 0, 3);
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

/* A hint that these bytes will be read soon; does nothing without SIMD. */
AP_INLINE void ap_prefetch(const void *address)
{
#ifndef APART_NO_SIMD
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

/* A 3x3 matrix as three vectors: x v.x + y v.y + z v.z, as ap_apply with columns, ap_apply_transposed with rows. */
typedef struct ap_lanes3 {
    ap_lanes x, y, z;
} ap_lanes3;

AP_INLINE ap_lanes ap_lanes_apply(const ap_lanes3 *m, ap_lanes v)
{
    ap_count_mul(9);
    return (m->x * ap_lanes_all(v[0]) + m->y * ap_lanes_all(v[1])) + m->z * ap_lanes_all(v[2]);
}

/* ap_apply. The eight bytes after the matrix (in a pose: the translation) must be readable. */
AP_INLINE ap_lanes ap_lanes_turn(const apart_mat3 *m, ap_lanes v)
{
    ap_count_mul(9);
    return (ap_lanes_load(&m->x) * ap_lanes_all(v[0]) + ap_lanes_load(&m->y) * ap_lanes_all(v[1])) +
           ap_lanes_load(&m->z) * ap_lanes_all(v[2]);
}

/* Lane i of the result's x, y, z are the coordinates of the i-th of four vectors. */
AP_INLINE ap_lanes3 ap_lanes_transpose(ap_lanes a, ap_lanes b, ap_lanes c, ap_lanes d)
{
    const ap_lanes ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                   cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const ap_lanes ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7),
                   cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return (ap_lanes3){__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7)};
}

/* Transposes a 4x4 matrix in place. */
AP_INLINE void ap_lanes_transpose4(ap_lanes *a, ap_lanes *b, ap_lanes *c, ap_lanes *d)
{
    const ap_lanes3 t = ap_lanes_transpose(*a, *b, *c, *d);
    const ap_lanes ab_high = __builtin_shufflevector(*a, *b, 1, 5, 3, 7),
                   cd_high = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
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
    return (ap_lanes3){ap_lanes_all(a[0]), ap_lanes_all(a[1]), ap_lanes_all(a[2])};
}

AP_INLINE ap_lanes3 ap_lanes3_add(ap_lanes3 a, ap_lanes3 b) { return (ap_lanes3){a.x + b.x, a.y + b.y, a.z + b.z}; }

AP_INLINE ap_lanes3 ap_lanes3_scale(ap_lanes s, ap_lanes3 a) { return (ap_lanes3){s * a.x, s * a.y, s * a.z}; }

AP_INLINE ap_lanes3 ap_lanes3_sub(ap_lanes3 a, ap_lanes3 b) { return (ap_lanes3){a.x - b.x, a.y - b.y, a.z - b.z}; }

AP_INLINE ap_lanes ap_lanes3_dot(ap_lanes3 a, ap_lanes3 b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }

/* The dot products of d with four points whose coordinates are in three arrays. */
AP_INLINE ap_lanes ap_lanes_dots(const double *x, const double *y, const double *z, const ap_lanes3 *d)
{
    return (ap_lanes_load(x) * d->x + ap_lanes_load(y) * d->y) + ap_lanes_load(z) * d->z;
}

AP_INLINE ap_lanes3 ap_lanes3_cross(ap_lanes3 a, ap_lanes3 b)
{
    return (ap_lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

AP_INLINE ap_lanes ap_lanes3_max_abs(ap_lanes3 a)
{
    return ap_lanes_max(ap_lanes_max(ap_lanes_abs(a.x), ap_lanes_abs(a.y)), ap_lanes_abs(a.z));
}

#endif
