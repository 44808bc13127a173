/* The operations of simd/lanes.h in the vector types that gcc and clang share: one source that becomes AVX2 registers
 * where the file is compiled for them, pairs of SSE2 registers or whatever the target has elsewhere. The few operations that
 * the vector types lack are written three times: with AVX2, with SSE2, and in plain C. */
#ifndef AP_SIMD_LANES_VECTOR_H
#define AP_SIMD_LANES_VECTOR_H

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define AP_LANES_AVX2 1
#elif defined(__SSE2__)
#include <emmintrin.h>
#define AP_LANES_SSE2 1
#endif

typedef double ap_lanes AP_VECTOR;
typedef int64_t ap_mask AP_VECTOR; /* of a comparison: all bits of a lane or none */
typedef uint64_t ap_unsigned_lanes AP_VECTOR;
typedef uint32_t ap_words AP_VECTOR;

/* AP_FOUR: initializes the lanes of a constant. */
#define AP_FOUR(x, y, z, t) \
    {                       \
        x, y, z, t          \
    }

/* AP_SHUFFLE_TWO: of the lanes 0 to 3 of a and 4 to 7 of b. */
#if defined(__clang__) || __GNUC__ >= 12
#define AP_SHUFFLE_TWO(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define AP_SHUFFLE_TWO(a, b, i, j, k, l) __builtin_shuffle(a, b, (ap_mask){i, j, k, l})
#endif

/* AP_SHUFFLE: lanes i, j, k, l of a. With SSE2, compilers assemble four numbers in memory and read them back in pairs,
 * which stalls store forwarding; the macros below keep them in registers. */
#if defined(AP_LANES_SSE2)
AP_INLINE_ALWAYS __m128d ap_half(ap_lanes a, int i)
{
    __m128d half[2];
    memcpy(half, &a, sizeof half);
    return half[i];
}

AP_INLINE_ALWAYS ap_lanes ap_lanes_join(__m128d low, __m128d high)
{
    const __m128d half[2] = {low, high};
    ap_lanes a;
    memcpy(&a, half, sizeof a);
    return a;
}

#define AP_PICK_TWO(a, i, j) _mm_shuffle_pd(ap_half(a, (i) / 2), ap_half(a, (j) / 2), ((i)&1) | ((j)&1) << 1)
#define AP_SHUFFLE(a, i, j, k, l) ap_lanes_join(AP_PICK_TWO(a, i, j), AP_PICK_TWO(a, k, l))
#else
#define AP_SHUFFLE(a, i, j, k, l) AP_SHUFFLE_TWO(a, a, i, j, k, l)
#endif

AP_INLINE_ALWAYS ap_lanes ap_lanes_of(double x, double y, double z, double t)
{
#if defined(AP_LANES_SSE2)
    return ap_lanes_join(_mm_set_pd(y, x), _mm_set_pd(t, z));
#else
    return (ap_lanes){x, y, z, t};
#endif
}

AP_INLINE_ALWAYS ap_lanes ap_lanes_all(double s)
{
#if defined(AP_LANES_SSE2)
    return ap_lanes_join(_mm_set1_pd(s), _mm_set1_pd(s));
#else
    return (ap_lanes){s, s, s, s};
#endif
}

AP_INLINE_ALWAYS ap_mask ap_mask_of(int64_t x, int64_t y, int64_t z, int64_t t) { return (ap_mask){x, y, z, t}; }

/* Loads the three numbers and a zero; nothing after them is read. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_load_three(const apart_vec3 *v)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_maskload_pd(&v->x, _mm256_set_epi64x(0, -1, -1, -1));
#else
    return ap_lanes_of(v->x, v->y, v->z, 0.0);
#endif
}

/* ---- arithmetic ---- */

AP_INLINE_ALWAYS ap_lanes ap_lanes_add(ap_lanes a, ap_lanes b) { return a + b; }
AP_INLINE_ALWAYS ap_lanes ap_lanes_sub(ap_lanes a, ap_lanes b) { return a - b; }
AP_INLINE_ALWAYS ap_lanes ap_lanes_mul(ap_lanes a, ap_lanes b) { return a * b; }
AP_INLINE_ALWAYS ap_lanes ap_lanes_div(ap_lanes a, ap_lanes b) { return a / b; }
AP_INLINE_ALWAYS ap_lanes ap_lanes_neg(ap_lanes a) { return -a; }
AP_INLINE_ALWAYS double ap_lanes_at(ap_lanes a, unsigned lane) { return a[lane]; }

AP_INLINE_ALWAYS ap_mask ap_lanes_greater(ap_lanes a, ap_lanes b) { return a > b; }
AP_INLINE_ALWAYS ap_mask ap_lanes_less(ap_lanes a, ap_lanes b) { return a < b; }
AP_INLINE_ALWAYS ap_mask ap_lanes_at_least(ap_lanes a, ap_lanes b) { return a >= b; }
AP_INLINE_ALWAYS ap_mask ap_lanes_at_most(ap_lanes a, ap_lanes b) { return a <= b; }
AP_INLINE_ALWAYS ap_mask ap_lanes_equal(ap_lanes a, ap_lanes b) { return a == b; }

AP_INLINE_ALWAYS ap_mask ap_mask_and(ap_mask a, ap_mask b) { return a & b; }
AP_INLINE_ALWAYS ap_mask ap_mask_or(ap_mask a, ap_mask b) { return a | b; }
AP_INLINE_ALWAYS ap_mask ap_mask_xor(ap_mask a, ap_mask b) { return a ^ b; }
AP_INLINE_ALWAYS ap_mask ap_mask_add(ap_mask a, ap_mask b) { return a + b; }
AP_INLINE_ALWAYS ap_mask ap_mask_greater(ap_mask a, ap_mask b) { return a > b; }
AP_INLINE_ALWAYS ap_mask ap_mask_less(ap_mask a, ap_mask b) { return a < b; }
AP_INLINE_ALWAYS ap_mask ap_mask_equal(ap_mask a, ap_mask b) { return a == b; }
AP_INLINE_ALWAYS ap_mask ap_mask_differ(ap_mask a, ap_mask b) { return a != b; }
AP_INLINE_ALWAYS ap_mask ap_mask_not(ap_mask a) { return ~a; }
AP_INLINE_ALWAYS int64_t ap_mask_at(ap_mask a, unsigned lane) { return a[lane]; }

/* The same bits. */
AP_INLINE_ALWAYS ap_mask ap_mask_of_lanes(ap_lanes a) { return (ap_mask)a; }
AP_INLINE_ALWAYS ap_lanes ap_lanes_of_mask(ap_mask a) { return (ap_lanes)a; }

/* Bits shifted out are lost, zeros come in: AVX2 has no arithmetic right shift of 64-bit lanes. */
AP_INLINE_ALWAYS ap_mask ap_mask_shift_right(ap_mask a, int bits) { return (ap_mask)((ap_unsigned_lanes)a >> bits); }
AP_INLINE_ALWAYS ap_mask ap_mask_shift_left(ap_mask a, int bits) { return (ap_mask)((ap_unsigned_lanes)a << bits); }
AP_INLINE_ALWAYS ap_mask ap_mask_shift_left_by(ap_mask a, ap_mask bits) { return a << bits; }

/* Bit i is the highest bit of lane i: whether a mask is set there, or the sign of a double. */
AP_INLINE_ALWAYS unsigned ap_mask_bits(ap_mask m)
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

/* Shuffles the lanes by an order that is not a compile-time constant. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_reorder(ap_lanes a, const ap_lane_order *order)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_permutevar8x32_ps((__m256)a, _mm256_loadu_si256((const __m256i *)(const void *)order));
#else
    double lane[4];
    memcpy(lane, &a, sizeof lane);
    const uint32_t *word = order->word;
    return (ap_lanes){lane[word[0] / 2], lane[word[2] / 2], lane[word[4] / 2], lane[word[6] / 2]};
#endif
}

/* b where the mask is set, else a. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_select(ap_lanes a, ap_lanes b, ap_mask m)
{
#if defined(AP_LANES_AVX2)
    return (ap_lanes)_mm256_blendv_pd((__m256d)a, (__m256d)b, (__m256d)m);
#else
    return (ap_lanes)(((ap_mask)a & ~m) | ((ap_mask)b & m));
#endif
}

/* The larger of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_max(ap_lanes a, ap_lanes b)
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
AP_INLINE_ALWAYS ap_lanes ap_lanes_min(ap_lanes a, ap_lanes b)
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
AP_INLINE_ALWAYS unsigned ap_lanes_above(ap_lanes a, ap_lanes b)
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
AP_INLINE_ALWAYS ap_lanes ap_lanes_sqrt(ap_lanes a)
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

/* a * s + b, modulo 2^32. */
AP_INLINE_ALWAYS ap_words ap_words_multiply_add(ap_words a, uint32_t s, ap_words b) { return a * s + b; }

#endif
