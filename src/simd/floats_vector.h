/* The operations of simd/floats.h in the vector types of gcc and clang: AVX, SSE2, or whatever the target has. */
#ifndef AP_SIMD_FLOATS_VECTOR_H
#define AP_SIMD_FLOATS_VECTOR_H

typedef float ap_float4 AP_VECTOR_OF(16);
typedef float ap_float8 AP_VECTOR_OF(32);
typedef int32_t ap_bits4 AP_VECTOR_OF(16);
typedef int32_t ap_bits8 AP_VECTOR_OF(32);

AP_INLINE_ALWAYS ap_float4 ap_float4_all(float s) { return (ap_float4){s, s, s, s}; }
/* The fourth lane is 0. */
AP_INLINE_ALWAYS ap_float4 ap_float4_of(float x, float y, float z) { return (ap_float4){x, y, z, 0.0f}; }
AP_INLINE_ALWAYS ap_float8 ap_float8_all(float s) { return (ap_float8){s, s, s, s, s, s, s, s}; }
AP_INLINE_ALWAYS ap_bits8 ap_bits8_all(int32_t s) { return (ap_bits8){s, s, s, s, s, s, s, s}; }

/* ---- four ---- */

AP_INLINE_ALWAYS float ap_float4_at(ap_float4 a, unsigned lane) { return a[lane]; }
AP_INLINE_ALWAYS int32_t ap_bits4_at(ap_bits4 a, unsigned lane) { return a[lane]; }
AP_INLINE_ALWAYS ap_float4 ap_float4_add(ap_float4 a, ap_float4 b) { return a + b; }
AP_INLINE_ALWAYS ap_float4 ap_float4_sub(ap_float4 a, ap_float4 b) { return a - b; }
AP_INLINE_ALWAYS ap_float4 ap_float4_mul(ap_float4 a, ap_float4 b) { return a * b; }
AP_INLINE_ALWAYS ap_float4 ap_float4_div(ap_float4 a, ap_float4 b) { return a / b; }
AP_INLINE_ALWAYS ap_float4 ap_float4_neg(ap_float4 a) { return -a; }
AP_INLINE_ALWAYS ap_bits4 ap_float4_greater(ap_float4 a, ap_float4 b) { return a > b; }
AP_INLINE_ALWAYS ap_bits4 ap_float4_less(ap_float4 a, ap_float4 b) { return a < b; }
AP_INLINE_ALWAYS ap_bits4 ap_float4_at_least(ap_float4 a, ap_float4 b) { return a >= b; }
AP_INLINE_ALWAYS ap_bits4 ap_float4_at_most(ap_float4 a, ap_float4 b) { return a <= b; }
AP_INLINE_ALWAYS ap_bits4 ap_float4_equal(ap_float4 a, ap_float4 b) { return a == b; }
AP_INLINE_ALWAYS ap_bits4 ap_bits4_and(ap_bits4 a, ap_bits4 b) { return a & b; }
AP_INLINE_ALWAYS ap_bits4 ap_bits4_or(ap_bits4 a, ap_bits4 b) { return a | b; }
AP_INLINE_ALWAYS ap_bits4 ap_bits4_xor(ap_bits4 a, ap_bits4 b) { return a ^ b; }
AP_INLINE_ALWAYS ap_bits4 ap_bits4_not(ap_bits4 a) { return ~a; }
/* The same bits. */
AP_INLINE_ALWAYS ap_bits4 ap_bits4_of_float4(ap_float4 a) { return (ap_bits4)a; }
AP_INLINE_ALWAYS ap_float4 ap_float4_of_bits4(ap_bits4 a) { return (ap_float4)a; }

/* ---- eight ---- */

AP_INLINE_ALWAYS float ap_float8_at(ap_float8 a, unsigned lane) { return a[lane]; }
AP_INLINE_ALWAYS int32_t ap_bits8_at(ap_bits8 a, unsigned lane) { return a[lane]; }
AP_INLINE_ALWAYS ap_float8 ap_float8_add(ap_float8 a, ap_float8 b) { return a + b; }
AP_INLINE_ALWAYS ap_float8 ap_float8_sub(ap_float8 a, ap_float8 b) { return a - b; }
AP_INLINE_ALWAYS ap_float8 ap_float8_mul(ap_float8 a, ap_float8 b) { return a * b; }
AP_INLINE_ALWAYS ap_float8 ap_float8_div(ap_float8 a, ap_float8 b) { return a / b; }
AP_INLINE_ALWAYS ap_float8 ap_float8_neg(ap_float8 a) { return -a; }
AP_INLINE_ALWAYS ap_bits8 ap_float8_greater(ap_float8 a, ap_float8 b) { return a > b; }
AP_INLINE_ALWAYS ap_bits8 ap_float8_less(ap_float8 a, ap_float8 b) { return a < b; }
AP_INLINE_ALWAYS ap_bits8 ap_float8_at_least(ap_float8 a, ap_float8 b) { return a >= b; }
AP_INLINE_ALWAYS ap_bits8 ap_float8_at_most(ap_float8 a, ap_float8 b) { return a <= b; }
AP_INLINE_ALWAYS ap_bits8 ap_float8_equal(ap_float8 a, ap_float8 b) { return a == b; }
AP_INLINE_ALWAYS ap_bits8 ap_bits8_and(ap_bits8 a, ap_bits8 b) { return a & b; }
AP_INLINE_ALWAYS ap_bits8 ap_bits8_or(ap_bits8 a, ap_bits8 b) { return a | b; }
AP_INLINE_ALWAYS ap_bits8 ap_bits8_xor(ap_bits8 a, ap_bits8 b) { return a ^ b; }
AP_INLINE_ALWAYS ap_bits8 ap_bits8_not(ap_bits8 a) { return ~a; }
/* The same bits. */
AP_INLINE_ALWAYS ap_bits8 ap_bits8_of_float8(ap_float8 a) { return (ap_bits8)a; }
AP_INLINE_ALWAYS ap_float8 ap_float8_of_bits8(ap_bits8 a) { return (ap_float8)a; }

/* Rounded towards zero. */
AP_INLINE_ALWAYS ap_bits4 ap_bits4_truncated(ap_float4 a) { return __builtin_convertvector(a, ap_bits4); }

/* b where the mask is set, else a. */
AP_INLINE_ALWAYS ap_float8 ap_float8_select(ap_float8 a, ap_float8 b, ap_bits8 m)
{
#if defined(AP_LANES_AVX2)
    return (ap_float8)_mm256_blendv_ps((__m256)a, (__m256)b, (__m256)m);
#else
    return (ap_float8)(((ap_bits8)a & ~m) | ((ap_bits8)b & m));
#endif
}

AP_INLINE_ALWAYS ap_float4 ap_float4_select(ap_float4 a, ap_float4 b, ap_bits4 m)
{
    return (ap_float4)(((ap_bits4)a & ~m) | ((ap_bits4)b & m));
}

/* The larger of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_float4 ap_float4_max(ap_float4 a, ap_float4 b)
{
#if defined(AP_LANES_AVX2) || defined(AP_LANES_SSE2)
    return (ap_float4)_mm_max_ps((__m128)a, (__m128)b);
#else
    const ap_bits4 m = a > b;
    return (ap_float4)(((ap_bits4)a & m) | ((ap_bits4)b & ~m));
#endif
}

/* The smaller of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_float4 ap_float4_min(ap_float4 a, ap_float4 b)
{
#if defined(AP_LANES_AVX2) || defined(AP_LANES_SSE2)
    return (ap_float4)_mm_min_ps((__m128)a, (__m128)b);
#else
    const ap_bits4 m = a < b;
    return (ap_float4)(((ap_bits4)a & m) | ((ap_bits4)b & ~m));
#endif
}

/* The larger of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_float8 ap_float8_max(ap_float8 a, ap_float8 b)
{
#if defined(AP_LANES_AVX2)
    return (ap_float8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return ap_float8_select(b, a, a > b);
#endif
}

/* The smaller of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_float8 ap_float8_min(ap_float8 a, ap_float8 b)
{
#if defined(AP_LANES_AVX2)
    return (ap_float8)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return ap_float8_select(b, a, a < b);
#endif
}

AP_INLINE_ALWAYS ap_float8 ap_float8_sqrt(ap_float8 a)
{
#if defined(AP_LANES_AVX2)
    return (ap_float8)_mm256_sqrt_ps((__m256)a);
#elif defined(AP_LANES_SSE2)
    __m128 half[2];
    memcpy(half, &a, sizeof half);
    half[0] = _mm_sqrt_ps(half[0]);
    half[1] = _mm_sqrt_ps(half[1]);
    memcpy(&a, half, sizeof a);
    return a;
#else
    for (int i = 0; i < 8; i++) {
        a[i] = sqrtf(a[i]);
    }
    return a;
#endif
}

/* Bit i: lane i of the mask is set. */
AP_INLINE_ALWAYS unsigned ap_bits4_mask(ap_bits4 m)
{
#if defined(AP_LANES_AVX2) || defined(AP_LANES_SSE2)
    return (unsigned)_mm_movemask_ps((__m128)m);
#else
    unsigned bits = 0;
    for (int i = 0; i < 4; i++) {
        bits |= (unsigned)(m[i] < 0) << i;
    }
    return bits;
#endif
}

AP_INLINE_ALWAYS unsigned ap_bits8_mask(ap_bits8 m)
{
#if defined(AP_LANES_AVX2)
    return (unsigned)_mm256_movemask_ps((__m256)m);
#elif defined(AP_LANES_SSE2)
    __m128 half[2];
    memcpy(half, &m, sizeof half);
    return (unsigned)_mm_movemask_ps(half[0]) | (unsigned)_mm_movemask_ps(half[1]) << 4;
#else
    unsigned bits = 0;
    for (int i = 0; i < 8; i++) {
        bits |= (unsigned)(m[i] < 0) << i;
    }
    return bits;
#endif
}

AP_INLINE_ALWAYS float ap_float4_largest(ap_float4 v)
{
#if defined(AP_LANES_AVX2) || defined(AP_LANES_SSE2)
    const __m128 pairs = _mm_max_ps((__m128)v, _mm_movehl_ps((__m128)v, (__m128)v));
    return _mm_cvtss_f32(_mm_max_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
#else
    const float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];
    return a > b ? a : b;
#endif
}

#endif
