/* Four doubles at a time, for the depth search: the same bits as one at a time, on every compiler and instruction set.
 *
 * GNU vectors carry the arithmetic; what they lack (minimum, sign bits as a number) has an AVX form and a plain one with the same
 * answers. Without AVX the compiler splits a vector in two or four. */
#ifndef AP_NARROW_DEPTH_LANES_H
#define AP_NARROW_DEPTH_LANES_H

#include <stdint.h>
#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

#include "../math/vec.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* nothing here crosses a call: all of it is inlined */

#define AP_LANE_INLINE static inline __attribute__((always_inline))

typedef double ap_v4 __attribute__((vector_size(32)));
typedef int64_t ap_v4_mask __attribute__((vector_size(32)));

/* Three coordinates of four points. */
typedef struct ap_points4 {
    ap_v4 x, y, z;
} ap_points4;

AP_LANE_INLINE ap_v4 ap_v4_load(const double *p)
{
    ap_v4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

AP_LANE_INLINE void ap_v4_store(double *p, ap_v4 v) { memcpy(p, &v, sizeof v); }

AP_LANE_INLINE ap_v4 ap_v4_all(double s) { return (ap_v4){s, s, s, s}; }

/* a where the mask is set, else b */
AP_LANE_INLINE ap_v4 ap_v4_select(ap_v4_mask mask, ap_v4 a, ap_v4 b)
{
#ifdef __AVX__
    return (ap_v4)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return (ap_v4)((mask & (ap_v4_mask)a) | (~mask & (ap_v4_mask)b));
#endif
}

/* a < b ? a : b */
AP_LANE_INLINE ap_v4 ap_v4_min(ap_v4 a, ap_v4 b)
{
#ifdef __AVX__
    return (ap_v4)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    return ap_v4_select(a < b, a, b);
#endif
}

/* a > b ? a : b */
AP_LANE_INLINE ap_v4 ap_v4_max(ap_v4 a, ap_v4 b)
{
#ifdef __AVX__
    return (ap_v4)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return ap_v4_select(a > b, a, b);
#endif
}

AP_LANE_INLINE ap_v4 ap_v4_abs(ap_v4 a)
{
    const int64_t all = INT64_MAX;
    return (ap_v4)((ap_v4_mask)a & (ap_v4_mask){all, all, all, all});
}

/* Bit i: lane i of the mask is set. */
AP_LANE_INLINE unsigned ap_v4_bits(ap_v4_mask mask)
{
#ifdef __AVX__
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#else
    return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

/* Rows to columns. */
AP_LANE_INLINE void ap_v4_transpose(ap_v4 *a, ap_v4 *b, ap_v4 *c, ap_v4 *d)
{
    const ap_v4 even0 = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), odd0 = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    const ap_v4 even1 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6), odd1 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(even0, even1, 0, 1, 4, 5);
    *b = __builtin_shufflevector(odd0, odd1, 0, 1, 4, 5);
    *c = __builtin_shufflevector(even0, even1, 2, 3, 6, 7);
    *d = __builtin_shufflevector(odd0, odd1, 2, 3, 6, 7);
}

AP_LANE_INLINE ap_points4 ap_points4_sub(ap_points4 a, ap_points4 b) { return (ap_points4){a.x - b.x, a.y - b.y, a.z - b.z}; }

AP_LANE_INLINE ap_v4 ap_points4_dot(ap_points4 a, ap_points4 b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }

AP_LANE_INLINE ap_points4 ap_points4_cross(ap_points4 a, ap_points4 b)
{
    return (ap_points4){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

AP_LANE_INLINE ap_v4 ap_points4_max_abs(ap_points4 a) { return ap_v4_max(ap_v4_max(ap_v4_abs(a.x), ap_v4_abs(a.y)), ap_v4_abs(a.z)); }

AP_LANE_INLINE ap_points4 ap_points4_all(apart_vec3 a) { return (ap_points4){ap_v4_all(a.x), ap_v4_all(a.y), ap_v4_all(a.z)}; }

#endif
