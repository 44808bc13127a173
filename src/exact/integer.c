/* Sign and magnitude, 32 bits a limb, lowest first; the multiplication is that of paper and pencil. */
#include "integer.h"

#include <string.h>

#include "../base/compiler.h"

/* x = mantissa * 2^exponent, up to the sign. */
static uint64_t mantissa_of(double x, int32_t *exponent)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t fraction = bits & 0xfffffffffffffu;
    const int32_t biased = (int32_t)(bits >> 52 & 0x7ffu);
    *exponent = biased == 0 ? -1074 : biased - 1075;
    return biased == 0 ? fraction : fraction | 0x10000000000000u;
}

int32_t ap_lowest_exponent(double x)
{
    int32_t exponent;
    const uint64_t mantissa = mantissa_of(x, &exponent);
    return mantissa == 0 ? INT32_MAX : exponent + ap_lowest_bit_64(mantissa);
}

void ap_integer_set(ap_integer *out, double x, int32_t exponent)
{
    int32_t own;
    uint64_t mantissa = mantissa_of(x, &own);
    out->sign = mantissa == 0 ? 0 : x < 0.0 ? -1 : 1;
    out->count = 0;
    if (mantissa == 0) {
        return;
    }
    if (own < exponent) { /* the bits that go are zero */
        mantissa >>= exponent - own;
        own = exponent;
    }
    const uint32_t shift = (uint32_t)(own - exponent), skipped = shift / 32, rest = shift % 32;
    memset(out->limb, 0, skipped * sizeof out->limb[0]);
    const uint64_t low = (mantissa & 0xffffffffu) << rest, high = (mantissa >> 32) << rest;
    const uint64_t middle = (low >> 32) + (high & 0xffffffffu);
    out->limb[skipped] = (uint32_t)low;
    out->limb[skipped + 1] = (uint32_t)middle;
    out->limb[skipped + 2] = (uint32_t)((high >> 32) + (middle >> 32));
    out->count = skipped + 3;
    while (out->limb[out->count - 1] == 0) {
        out->count--;
    }
}

static int compare_magnitudes(const ap_integer *a, const ap_integer *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

static void add_magnitudes(ap_integer *out, const ap_integer *longer, const ap_integer *shorter)
{
    const uint32_t count = longer->count, both = shorter->count;
    uint64_t carry = 0;
    for (uint32_t i = 0; i < count; i++) {
        carry += (uint64_t)longer->limb[i] + (i < both ? shorter->limb[i] : 0u);
        out->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    out->count = count;
    if (carry != 0) {
        out->limb[out->count++] = (uint32_t)carry;
    }
}

static void subtract_magnitudes(ap_integer *out, const ap_integer *larger, const ap_integer *smaller)
{
    const uint32_t count = larger->count, both = smaller->count;
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t difference = (uint64_t)larger->limb[i] - (i < both ? smaller->limb[i] : 0u) - borrow;
        out->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    out->count = count;
    while (out->count > 0 && out->limb[out->count - 1] == 0) {
        out->count--;
    }
}

/* a + sign_b * |b| */
static void add_signed(ap_integer *out, const ap_integer *a, const ap_integer *b, int sign_b)
{
    if (a->sign == sign_b || a->sign == 0 || sign_b == 0) {
        const int sign = a->sign != 0 ? a->sign : sign_b;
        if (a->count >= b->count) {
            add_magnitudes(out, a, b);
        } else {
            add_magnitudes(out, b, a);
        }
        out->sign = sign;
        return;
    }
    const int order = compare_magnitudes(a, b), sign = order > 0 ? a->sign : order < 0 ? sign_b : 0;
    if (order >= 0) {
        subtract_magnitudes(out, a, b);
    } else {
        subtract_magnitudes(out, b, a);
    }
    out->sign = sign;
}

void ap_integer_add(ap_integer *out, const ap_integer *a, const ap_integer *b) { add_signed(out, a, b, b->sign); }

void ap_integer_subtract(ap_integer *out, const ap_integer *a, const ap_integer *b) { add_signed(out, a, b, -b->sign); }

void ap_integer_multiply(ap_integer *out, const ap_integer *a, const ap_integer *b)
{
    out->sign = a->sign * b->sign;
    out->count = 0;
    if (out->sign == 0) {
        return;
    }
    memset(out->limb, 0, (a->count + b->count) * sizeof out->limb[0]);
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (uint32_t j = 0; j < b->count; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + out->limb[i + j];
            out->limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out->limb[i + b->count] = (uint32_t)carry;
    }
    out->count = a->count + b->count;
    out->count -= out->limb[out->count - 1] == 0 ? 1 : 0;
}
