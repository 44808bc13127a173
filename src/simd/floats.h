/* Floats in vectors of four and eight, for bounds that only ever exclude: the trees of meshes. One source that becomes
 * AVX, SSE2 or plain C, with the same bits from each; what is said of doubles in lanes.h holds here. */
#ifndef AP_SIMD_FLOATS_H
#define AP_SIMD_FLOATS_H

#include "lanes.h"

typedef float ap_float4 __attribute__((vector_size(16)));
typedef float ap_float8 __attribute__((vector_size(32)));
typedef int32_t ap_bits4 __attribute__((vector_size(16)));
typedef int32_t ap_bits8 __attribute__((vector_size(32)));

/* ---- four ---- */

AP_INLINE ap_float4 ap_float4_load(const float *from)
{
    ap_float4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

AP_INLINE void ap_float4_store(float *to, ap_float4 v) { memcpy(to, &v, sizeof v); }

AP_INLINE ap_float4 ap_float4_all(float s) { return (ap_float4){s, s, s, s}; }

/* The larger of each lane; the second where they are equal or one is a NaN. */
AP_INLINE ap_float4 ap_float4_max(ap_float4 a, ap_float4 b)
{
#if defined(AP_LANES_AVX2) || defined(AP_LANES_SSE2)
    return (ap_float4)_mm_max_ps((__m128)a, (__m128)b);
#else
    const ap_bits4 m = a > b;
    return (ap_float4)(((ap_bits4)a & m) | ((ap_bits4)b & ~m));
#endif
}

/* The smaller of each lane; the second where they are equal or one is a NaN. */
AP_INLINE ap_float4 ap_float4_min(ap_float4 a, ap_float4 b)
{
#if defined(AP_LANES_AVX2) || defined(AP_LANES_SSE2)
    return (ap_float4)_mm_min_ps((__m128)a, (__m128)b);
#else
    const ap_bits4 m = a < b;
    return (ap_float4)(((ap_bits4)a & m) | ((ap_bits4)b & ~m));
#endif
}

AP_INLINE float ap_float4_largest(ap_float4 v)
{
    const float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];
    return a > b ? a : b;
}

AP_INLINE float ap_float4_smallest(ap_float4 v)
{
    const float a = v[0] < v[1] ? v[0] : v[1], b = v[2] < v[3] ? v[2] : v[3];
    return a < b ? a : b;
}

/* ---- eight ---- */

AP_INLINE ap_float8 ap_float8_load(const float *from)
{
    ap_float8 v;
    memcpy(&v, from, sizeof v);
    return v;
}

AP_INLINE void ap_float8_store(float *to, ap_float8 v) { memcpy(to, &v, sizeof v); }

AP_INLINE ap_float8 ap_float8_all(float s) { return (ap_float8){s, s, s, s, s, s, s, s}; }

AP_INLINE ap_bits8 ap_bits8_all(int32_t s) { return (ap_bits8){s, s, s, s, s, s, s, s}; }

/* b where the mask is set, else a. */
AP_INLINE ap_float8 ap_float8_select(ap_float8 a, ap_float8 b, ap_bits8 m)
{
#if defined(AP_LANES_AVX2)
    return (ap_float8)_mm256_blendv_ps((__m256)a, (__m256)b, (__m256)m);
#else
    return (ap_float8)(((ap_bits8)a & ~m) | ((ap_bits8)b & m));
#endif
}

/* The larger of each lane; the second where they are equal or one is a NaN. */
AP_INLINE ap_float8 ap_float8_max(ap_float8 a, ap_float8 b)
{
#if defined(AP_LANES_AVX2)
    return (ap_float8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return ap_float8_select(b, a, a > b);
#endif
}

/* The smaller of each lane; the second where they are equal or one is a NaN. */
AP_INLINE ap_float8 ap_float8_min(ap_float8 a, ap_float8 b)
{
#if defined(AP_LANES_AVX2)
    return (ap_float8)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return ap_float8_select(b, a, a < b);
#endif
}

AP_INLINE ap_float8 ap_float8_abs(ap_float8 a) { return (ap_float8)((ap_bits8)a & ap_bits8_all(INT32_MAX)); }

AP_INLINE ap_float8 ap_float8_sqrt(ap_float8 a)
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
AP_INLINE unsigned ap_bits8_mask(ap_bits8 m)
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

/* Eight vectors at once, one per lane. */
typedef struct ap_floats3 {
    ap_float8 x, y, z;
} ap_floats3;

AP_INLINE ap_float8 ap_floats3_dot(ap_floats3 a, ap_floats3 b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }

AP_INLINE ap_floats3 ap_floats3_sub(ap_floats3 a, ap_floats3 b)
{
    return (ap_floats3){a.x - b.x, a.y - b.y, a.z - b.z};
}

AP_INLINE ap_floats3 ap_floats3_add(ap_floats3 a, ap_floats3 b)
{
    return (ap_floats3){a.x + b.x, a.y + b.y, a.z + b.z};
}

AP_INLINE ap_floats3 ap_floats3_scale(ap_float8 s, ap_floats3 a) { return (ap_floats3){s * a.x, s * a.y, s * a.z}; }

AP_INLINE ap_floats3 ap_floats3_cross(ap_floats3 a, ap_floats3 b)
{
    return (ap_floats3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
