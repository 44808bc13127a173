/* The operations of simd/floats.h in plain C17: the same bits as floats_vector.h. */
#ifndef AP_SIMD_FLOATS_PLAIN_H
#define AP_SIMD_FLOATS_PLAIN_H

typedef struct ap_float4 {
    float lane[4];
} ap_float4;

typedef struct ap_float8 {
    float lane[8];
} ap_float8;

typedef struct ap_bits4 {
    int32_t lane[4];
} ap_bits4;

typedef struct ap_bits8 {
    int32_t lane[8];
} ap_bits8;

AP_INLINE_ALWAYS ap_float4 ap_float4_all(float s) { return (ap_float4){{s, s, s, s}}; }
/* The fourth lane is 0. */
AP_INLINE_ALWAYS ap_float4 ap_float4_of(float x, float y, float z) { return (ap_float4){{x, y, z, 0.0f}}; }
AP_INLINE_ALWAYS ap_float8 ap_float8_all(float s) { return (ap_float8){{s, s, s, s, s, s, s, s}}; }
AP_INLINE_ALWAYS ap_bits8 ap_bits8_all(int32_t s) { return (ap_bits8){{s, s, s, s, s, s, s, s}}; }

/* ---- four ---- */

AP_INLINE_ALWAYS float ap_float4_at(ap_float4 a, unsigned lane) { return a.lane[lane]; }
AP_INLINE_ALWAYS int32_t ap_bits4_at(ap_bits4 a, unsigned lane) { return a.lane[lane]; }

AP_INLINE_ALWAYS ap_float4 ap_float4_add(ap_float4 a, ap_float4 b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] + b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_float4 ap_float4_sub(ap_float4 a, ap_float4 b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] - b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_float4 ap_float4_mul(ap_float4 a, ap_float4 b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] * b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_float4 ap_float4_div(ap_float4 a, ap_float4 b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] / b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_float4 ap_float4_neg(ap_float4 a)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = -a.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_bits4 ap_float4_greater(ap_float4 a, ap_float4 b)
{
    ap_bits4 m;
    for (int i = 0; i < 4; i++) {
        m.lane[i] = -(a.lane[i] > b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits4 ap_float4_less(ap_float4 a, ap_float4 b)
{
    ap_bits4 m;
    for (int i = 0; i < 4; i++) {
        m.lane[i] = -(a.lane[i] < b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits4 ap_float4_at_least(ap_float4 a, ap_float4 b)
{
    ap_bits4 m;
    for (int i = 0; i < 4; i++) {
        m.lane[i] = -(a.lane[i] >= b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits4 ap_float4_at_most(ap_float4 a, ap_float4 b)
{
    ap_bits4 m;
    for (int i = 0; i < 4; i++) {
        m.lane[i] = -(a.lane[i] <= b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits4 ap_float4_equal(ap_float4 a, ap_float4 b)
{
    ap_bits4 m;
    for (int i = 0; i < 4; i++) {
        m.lane[i] = -(a.lane[i] == b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits4 ap_bits4_and(ap_bits4 a, ap_bits4 b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] & b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_bits4 ap_bits4_or(ap_bits4 a, ap_bits4 b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] | b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_bits4 ap_bits4_xor(ap_bits4 a, ap_bits4 b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] ^ b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_bits4 ap_bits4_not(ap_bits4 a)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = ~a.lane[i];
    }
    return a;
}

/* The same bits. */
AP_INLINE_ALWAYS ap_bits4 ap_bits4_of_float4(ap_float4 a)
{
    ap_bits4 r;
    memcpy(&r, &a, sizeof r);
    return r;
}

AP_INLINE_ALWAYS ap_float4 ap_float4_of_bits4(ap_bits4 a)
{
    ap_float4 r;
    memcpy(&r, &a, sizeof r);
    return r;
}

/* b where the mask is set, else a. */
AP_INLINE_ALWAYS ap_float4 ap_float4_select(ap_float4 a, ap_float4 b, ap_bits4 m)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = m.lane[i] != 0 ? b.lane[i] : a.lane[i];
    }
    return a;
}

/* The larger of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_float4 ap_float4_max(ap_float4 a, ap_float4 b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
    }
    return a;
}

/* The smaller of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_float4 ap_float4_min(ap_float4 a, ap_float4 b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
    }
    return a;
}

/* ---- eight ---- */

AP_INLINE_ALWAYS float ap_float8_at(ap_float8 a, unsigned lane) { return a.lane[lane]; }
AP_INLINE_ALWAYS int32_t ap_bits8_at(ap_bits8 a, unsigned lane) { return a.lane[lane]; }

AP_INLINE_ALWAYS ap_float8 ap_float8_add(ap_float8 a, ap_float8 b)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = a.lane[i] + b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_float8 ap_float8_sub(ap_float8 a, ap_float8 b)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = a.lane[i] - b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_float8 ap_float8_mul(ap_float8 a, ap_float8 b)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = a.lane[i] * b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_float8 ap_float8_div(ap_float8 a, ap_float8 b)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = a.lane[i] / b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_float8 ap_float8_neg(ap_float8 a)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = -a.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_bits8 ap_float8_greater(ap_float8 a, ap_float8 b)
{
    ap_bits8 m;
    for (int i = 0; i < 8; i++) {
        m.lane[i] = -(a.lane[i] > b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits8 ap_float8_less(ap_float8 a, ap_float8 b)
{
    ap_bits8 m;
    for (int i = 0; i < 8; i++) {
        m.lane[i] = -(a.lane[i] < b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits8 ap_float8_at_least(ap_float8 a, ap_float8 b)
{
    ap_bits8 m;
    for (int i = 0; i < 8; i++) {
        m.lane[i] = -(a.lane[i] >= b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits8 ap_float8_at_most(ap_float8 a, ap_float8 b)
{
    ap_bits8 m;
    for (int i = 0; i < 8; i++) {
        m.lane[i] = -(a.lane[i] <= b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits8 ap_float8_equal(ap_float8 a, ap_float8 b)
{
    ap_bits8 m;
    for (int i = 0; i < 8; i++) {
        m.lane[i] = -(a.lane[i] == b.lane[i]);
    }
    return m;
}

AP_INLINE_ALWAYS ap_bits8 ap_bits8_and(ap_bits8 a, ap_bits8 b)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = a.lane[i] & b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_bits8 ap_bits8_or(ap_bits8 a, ap_bits8 b)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = a.lane[i] | b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_bits8 ap_bits8_xor(ap_bits8 a, ap_bits8 b)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = a.lane[i] ^ b.lane[i];
    }
    return a;
}

AP_INLINE_ALWAYS ap_bits8 ap_bits8_not(ap_bits8 a)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = ~a.lane[i];
    }
    return a;
}

/* The same bits. */
AP_INLINE_ALWAYS ap_bits8 ap_bits8_of_float8(ap_float8 a)
{
    ap_bits8 r;
    memcpy(&r, &a, sizeof r);
    return r;
}

AP_INLINE_ALWAYS ap_float8 ap_float8_of_bits8(ap_bits8 a)
{
    ap_float8 r;
    memcpy(&r, &a, sizeof r);
    return r;
}

/* b where the mask is set, else a. */
AP_INLINE_ALWAYS ap_float8 ap_float8_select(ap_float8 a, ap_float8 b, ap_bits8 m)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = m.lane[i] != 0 ? b.lane[i] : a.lane[i];
    }
    return a;
}

/* The larger of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_float8 ap_float8_max(ap_float8 a, ap_float8 b)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
    }
    return a;
}

/* The smaller of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_float8 ap_float8_min(ap_float8 a, ap_float8 b)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
    }
    return a;
}

/* Rounded towards zero. */
AP_INLINE_ALWAYS ap_bits4 ap_bits4_truncated(ap_float4 a)
{
    ap_bits4 r;
    for (int i = 0; i < 4; i++) {
        r.lane[i] = (int32_t)a.lane[i];
    }
    return r;
}

AP_INLINE_ALWAYS ap_float8 ap_float8_sqrt(ap_float8 a)
{
    for (int i = 0; i < 8; i++) {
        a.lane[i] = sqrtf(a.lane[i]);
    }
    return a;
}

/* Bit i: lane i of the mask is set. */
AP_INLINE_ALWAYS unsigned ap_bits4_mask(ap_bits4 m)
{
    unsigned bits = 0;
    for (int i = 0; i < 4; i++) {
        bits |= (unsigned)(m.lane[i] < 0) << i;
    }
    return bits;
}

AP_INLINE_ALWAYS unsigned ap_bits8_mask(ap_bits8 m)
{
    unsigned bits = 0;
    for (int i = 0; i < 8; i++) {
        bits |= (unsigned)(m.lane[i] < 0) << i;
    }
    return bits;
}

AP_INLINE_ALWAYS float ap_float4_largest(ap_float4 v)
{
    const float a = ap_float4_at(v, 0) > ap_float4_at(v, 1) ? ap_float4_at(v, 0) : ap_float4_at(v, 1),
                b = ap_float4_at(v, 2) > ap_float4_at(v, 3) ? ap_float4_at(v, 2) : ap_float4_at(v, 3);
    return a > b ? a : b;
}

#endif
