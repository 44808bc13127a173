/* The operations of simd/lanes.h in plain C17, for every compiler and processor: the same bits as lanes_vector.h. */
#ifndef AP_SIMD_LANES_PLAIN_H
#define AP_SIMD_LANES_PLAIN_H

typedef struct ap_lanes {
    double lane[4];
} ap_lanes;

typedef struct ap_mask {
    int64_t lane[4]; /* of a comparison: -1 or 0 */
} ap_mask;

typedef struct ap_words {
    uint32_t word[8];
} ap_words;

/* AP_FOUR: initializes the lanes of a constant. */
#define AP_FOUR(x, y, z, t) \
    {                       \
        {                   \
            x, y, z, t      \
        }                   \
    }

AP_INLINE_ALWAYS ap_lanes ap_lanes_of(double x, double y, double z, double t) { return (ap_lanes){{x, y, z, t}}; }

AP_INLINE_ALWAYS ap_lanes ap_lanes_all(double s) { return (ap_lanes){{s, s, s, s}}; }

AP_INLINE_ALWAYS ap_mask ap_mask_of(int64_t x, int64_t y, int64_t z, int64_t t) { return (ap_mask){{x, y, z, t}}; }

/* Loads the three numbers and a zero; nothing after them is read. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_load_three(const apart_vec3 *v) { return ap_lanes_of(v->x, v->y, v->z, 0.0); }

AP_INLINE_ALWAYS double ap_lanes_at(ap_lanes a, unsigned lane) { return a.lane[lane]; }

AP_INLINE_ALWAYS int64_t ap_mask_at(ap_mask a, unsigned lane) { return a.lane[lane]; }

/* AP_SHUFFLE_TWO: of the lanes 0 to 3 of a and 4 to 7 of b. AP_SHUFFLE: lanes i, j, k, l of a. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_shuffle(ap_lanes a, ap_lanes b, int i, int j, int k, int l)
{
    const ap_lanes of[2] = {a, b};
    return ap_lanes_of(of[i / 4].lane[i % 4], of[j / 4].lane[j % 4], of[k / 4].lane[k % 4], of[l / 4].lane[l % 4]);
}

#define AP_SHUFFLE_TWO(a, b, i, j, k, l) ap_lanes_shuffle(a, b, i, j, k, l)
#define AP_SHUFFLE(a, i, j, k, l) ap_lanes_shuffle(a, a, i, j, k, l)

/* Shuffles the lanes by an order that is not a compile-time constant. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_reorder(ap_lanes a, const ap_lane_order *order)
{
    const uint32_t *word = order->word;
    return ap_lanes_of(a.lane[word[0] / 2], a.lane[word[2] / 2], a.lane[word[4] / 2], a.lane[word[6] / 2]);
}

/* The same bits. */
AP_INLINE_ALWAYS ap_mask ap_mask_of_lanes(ap_lanes a)
{
    ap_mask m;
    memcpy(&m, &a, sizeof m);
    return m;
}

AP_INLINE_ALWAYS ap_lanes ap_lanes_of_mask(ap_mask m)
{
    ap_lanes a;
    memcpy(&a, &m, sizeof a);
    return a;
}

/* ---- arithmetic ---- */

AP_INLINE_ALWAYS ap_lanes ap_lanes_add(ap_lanes a, ap_lanes b)
{
    const double *x = a.lane, *y = b.lane;
    return ap_lanes_of(x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]);
}

AP_INLINE_ALWAYS ap_lanes ap_lanes_sub(ap_lanes a, ap_lanes b)
{
    const double *x = a.lane, *y = b.lane;
    return ap_lanes_of(x[0] - y[0], x[1] - y[1], x[2] - y[2], x[3] - y[3]);
}

AP_INLINE_ALWAYS ap_lanes ap_lanes_mul(ap_lanes a, ap_lanes b)
{
    const double *x = a.lane, *y = b.lane;
    return ap_lanes_of(x[0] * y[0], x[1] * y[1], x[2] * y[2], x[3] * y[3]);
}

AP_INLINE_ALWAYS ap_lanes ap_lanes_div(ap_lanes a, ap_lanes b)
{
    const double *x = a.lane, *y = b.lane;
    return ap_lanes_of(x[0] / y[0], x[1] / y[1], x[2] / y[2], x[3] / y[3]);
}

AP_INLINE_ALWAYS ap_lanes ap_lanes_neg(ap_lanes a)
{
    return ap_lanes_of(-a.lane[0], -a.lane[1], -a.lane[2], -a.lane[3]);
}

AP_INLINE_ALWAYS ap_mask ap_lanes_greater(ap_lanes a, ap_lanes b)
{
    const double *x = a.lane, *y = b.lane;
    return ap_mask_of(-(x[0] > y[0]), -(x[1] > y[1]), -(x[2] > y[2]), -(x[3] > y[3]));
}

AP_INLINE_ALWAYS ap_mask ap_lanes_less(ap_lanes a, ap_lanes b)
{
    const double *x = a.lane, *y = b.lane;
    return ap_mask_of(-(x[0] < y[0]), -(x[1] < y[1]), -(x[2] < y[2]), -(x[3] < y[3]));
}

AP_INLINE_ALWAYS ap_mask ap_lanes_at_least(ap_lanes a, ap_lanes b)
{
    const double *x = a.lane, *y = b.lane;
    return ap_mask_of(-(x[0] >= y[0]), -(x[1] >= y[1]), -(x[2] >= y[2]), -(x[3] >= y[3]));
}

AP_INLINE_ALWAYS ap_mask ap_lanes_at_most(ap_lanes a, ap_lanes b)
{
    const double *x = a.lane, *y = b.lane;
    return ap_mask_of(-(x[0] <= y[0]), -(x[1] <= y[1]), -(x[2] <= y[2]), -(x[3] <= y[3]));
}

AP_INLINE_ALWAYS ap_mask ap_lanes_equal(ap_lanes a, ap_lanes b)
{
    const double *x = a.lane, *y = b.lane;
    return ap_mask_of(-(x[0] == y[0]), -(x[1] == y[1]), -(x[2] == y[2]), -(x[3] == y[3]));
}

AP_INLINE_ALWAYS ap_mask ap_mask_and(ap_mask a, ap_mask b)
{
    const int64_t *x = a.lane, *y = b.lane;
    return ap_mask_of(x[0] & y[0], x[1] & y[1], x[2] & y[2], x[3] & y[3]);
}

AP_INLINE_ALWAYS ap_mask ap_mask_or(ap_mask a, ap_mask b)
{
    const int64_t *x = a.lane, *y = b.lane;
    return ap_mask_of(x[0] | y[0], x[1] | y[1], x[2] | y[2], x[3] | y[3]);
}

AP_INLINE_ALWAYS ap_mask ap_mask_xor(ap_mask a, ap_mask b)
{
    const int64_t *x = a.lane, *y = b.lane;
    return ap_mask_of(x[0] ^ y[0], x[1] ^ y[1], x[2] ^ y[2], x[3] ^ y[3]);
}

AP_INLINE_ALWAYS ap_mask ap_mask_add(ap_mask a, ap_mask b)
{
    const int64_t *x = a.lane, *y = b.lane;
    return ap_mask_of(x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]);
}

AP_INLINE_ALWAYS ap_mask ap_mask_greater(ap_mask a, ap_mask b)
{
    const int64_t *x = a.lane, *y = b.lane;
    return ap_mask_of(-(x[0] > y[0]), -(x[1] > y[1]), -(x[2] > y[2]), -(x[3] > y[3]));
}

AP_INLINE_ALWAYS ap_mask ap_mask_less(ap_mask a, ap_mask b)
{
    const int64_t *x = a.lane, *y = b.lane;
    return ap_mask_of(-(x[0] < y[0]), -(x[1] < y[1]), -(x[2] < y[2]), -(x[3] < y[3]));
}

AP_INLINE_ALWAYS ap_mask ap_mask_equal(ap_mask a, ap_mask b)
{
    const int64_t *x = a.lane, *y = b.lane;
    return ap_mask_of(-(x[0] == y[0]), -(x[1] == y[1]), -(x[2] == y[2]), -(x[3] == y[3]));
}

AP_INLINE_ALWAYS ap_mask ap_mask_differ(ap_mask a, ap_mask b)
{
    const int64_t *x = a.lane, *y = b.lane;
    return ap_mask_of(-(x[0] != y[0]), -(x[1] != y[1]), -(x[2] != y[2]), -(x[3] != y[3]));
}

AP_INLINE_ALWAYS ap_mask ap_mask_not(ap_mask a) { return ap_mask_of(~a.lane[0], ~a.lane[1], ~a.lane[2], ~a.lane[3]); }

/* Bits shifted out are lost, zeros come in. */
AP_INLINE_ALWAYS ap_mask ap_mask_shift_right(ap_mask a, int bits)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = (int64_t)((uint64_t)a.lane[i] >> bits);
    }
    return a;
}

AP_INLINE_ALWAYS ap_mask ap_mask_shift_left(ap_mask a, int bits)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = (int64_t)((uint64_t)a.lane[i] << bits);
    }
    return a;
}

/* bits: below 64. */
AP_INLINE_ALWAYS ap_mask ap_mask_shift_left_by(ap_mask a, ap_mask bits)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = (int64_t)((uint64_t)a.lane[i] << (bits.lane[i] & 63));
    }
    return a;
}

/* Bit i is the highest bit of lane i: whether a mask is set there, or the sign of a double. */
AP_INLINE_ALWAYS unsigned ap_mask_bits(ap_mask m)
{
    const int64_t *x = m.lane;
    return (unsigned)(x[0] < 0) | (unsigned)(x[1] < 0) << 1 | (unsigned)(x[2] < 0) << 2 | (unsigned)(x[3] < 0) << 3;
}

/* b where the mask is set, else a. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_select(ap_lanes a, ap_lanes b, ap_mask m)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = m.lane[i] != 0 ? b.lane[i] : a.lane[i];
    }
    return a;
}

/* The larger of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_max(ap_lanes a, ap_lanes b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
    }
    return a;
}

/* The smaller of each lane; the second where they are equal or one is a NaN. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_min(ap_lanes a, ap_lanes b)
{
    for (int i = 0; i < 4; i++) {
        a.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
    }
    return a;
}

/* Bit i: lane i of a is larger than that of b. */
AP_INLINE_ALWAYS unsigned ap_lanes_above(ap_lanes a, ap_lanes b) { return ap_mask_bits(ap_lanes_greater(a, b)); }

/* The square root of each lane. */
AP_INLINE_ALWAYS ap_lanes ap_lanes_sqrt(ap_lanes a)
{
    return ap_lanes_of(sqrt(a.lane[0]), sqrt(a.lane[1]), sqrt(a.lane[2]), sqrt(a.lane[3]));
}

/* a * s + b, modulo 2^32. */
AP_INLINE_ALWAYS ap_words ap_words_multiply_add(ap_words a, uint32_t s, ap_words b)
{
    for (int i = 0; i < 8; i++) {
        a.word[i] = a.word[i] * s + b.word[i];
    }
    return a;
}

#endif
