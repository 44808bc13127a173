/* Floats in vectors of four and eight, for bounds that only ever exclude: the trees of meshes. As with the doubles of
 * lanes.h, the single operations exist in the vector types of gcc and clang (floats_vector.h) and in plain C17
 * (floats_plain.h), with the same bits. */
#ifndef AP_SIMD_FLOATS_H
#define AP_SIMD_FLOATS_H

#include "lanes.h"

#if AP_HAVE_VECTORS
#include "floats_vector.h"
#else
#include "floats_plain.h"
#endif

/* ---- four ---- */

AP_INLINE ap_float4 ap_float4_load(const float *from)
{
    ap_float4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

AP_INLINE void ap_float4_store(float *to, ap_float4 v) { memcpy(to, &v, sizeof v); }

AP_INLINE ap_float4 ap_float4_scale(float s, ap_float4 a) { return ap_float4_mul(ap_float4_all(s), a); }

AP_INLINE ap_float4 ap_float4_sum3(ap_float4 a, ap_float4 b, ap_float4 c)
{
    return ap_float4_add(ap_float4_add(a, b), c);
}

AP_INLINE float ap_float4_smallest(ap_float4 v)
{
    const float a = ap_float4_at(v, 0) < ap_float4_at(v, 1) ? ap_float4_at(v, 0) : ap_float4_at(v, 1),
                b = ap_float4_at(v, 2) < ap_float4_at(v, 3) ? ap_float4_at(v, 2) : ap_float4_at(v, 3);
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

AP_INLINE ap_float8 ap_float8_scale(float s, ap_float8 a) { return ap_float8_mul(ap_float8_all(s), a); }

AP_INLINE ap_float8 ap_float8_sum3(ap_float8 a, ap_float8 b, ap_float8 c)
{
    return ap_float8_add(ap_float8_add(a, b), c);
}

AP_INLINE ap_float8 ap_float8_abs(ap_float8 a)
{
    return ap_float8_of_bits8(ap_bits8_and(ap_bits8_of_float8(a), ap_bits8_all(INT32_MAX)));
}

/* The largest lane. */
AP_INLINE float ap_float8_largest(ap_float8 v)
{
    ap_float4 half[2];
    memcpy(half, &v, sizeof half);
    return ap_float4_largest(ap_float4_max(half[0], half[1]));
}

/* Eight vectors at once, one per lane. */
typedef struct ap_floats3 {
    ap_float8 x, y, z;
} ap_floats3;

AP_INLINE ap_float8 ap_floats3_dot(ap_floats3 a, ap_floats3 b)
{
    return ap_float8_sum3(ap_float8_mul(a.x, b.x), ap_float8_mul(a.y, b.y), ap_float8_mul(a.z, b.z));
}

AP_INLINE ap_floats3 ap_floats3_sub(ap_floats3 a, ap_floats3 b)
{
    return (ap_floats3){ap_float8_sub(a.x, b.x), ap_float8_sub(a.y, b.y), ap_float8_sub(a.z, b.z)};
}

AP_INLINE ap_floats3 ap_floats3_add(ap_floats3 a, ap_floats3 b)
{
    return (ap_floats3){ap_float8_add(a.x, b.x), ap_float8_add(a.y, b.y), ap_float8_add(a.z, b.z)};
}

AP_INLINE ap_floats3 ap_floats3_scale(ap_float8 s, ap_floats3 a)
{
    return (ap_floats3){ap_float8_mul(s, a.x), ap_float8_mul(s, a.y), ap_float8_mul(s, a.z)};
}

AP_INLINE ap_floats3 ap_floats3_cross(ap_floats3 a, ap_floats3 b)
{
    return (ap_floats3){ap_float8_sub(ap_float8_mul(a.y, b.z), ap_float8_mul(a.z, b.y)),
                        ap_float8_sub(ap_float8_mul(a.z, b.x), ap_float8_mul(a.x, b.z)),
                        ap_float8_sub(ap_float8_mul(a.x, b.y), ap_float8_mul(a.y, b.x))};
}

#endif
