/* Sign and magnitude in 32-bit limbs, schoolbook products. Numbers here have tens of limbs, where nothing faster
 * pays. */
#include "integer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void too_large(void)
{
    fputs("apart: lab: a number beyond the range of the exact check\n", stderr);
    exit(2);
}

static void copy(lab_integer *out, const lab_integer *a)
{
    out->sign = a->sign;
    out->count = a->count;
    memmove(out->limb, a->limb, (size_t)a->count * sizeof a->limb[0]);
}

static void trim(lab_integer *a)
{
    while (a->count > 0 && a->limb[a->count - 1] == 0) {
        a->count--;
    }
    a->sign = a->count > 0 ? a->sign : 0;
}

static int compare_magnitude(const lab_integer *a, const lab_integer *b)
{
    if (a->count != b->count) {
        return a->count > b->count ? 1 : -1;
    }
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] > b->limb[i] ? 1 : -1;
        }
    }
    return 0;
}

static void add_magnitude(lab_integer *out, const lab_integer *a, const lab_integer *b)
{
    const int count = a->count > b->count ? a->count : b->count;
    uint64_t carry = 0;
    if (count + 1 > LAB_INTEGER_LIMBS) {
        too_large();
    }
    for (int i = 0; i < count; i++) {
        carry += (uint64_t)(i < a->count ? a->limb[i] : 0) + (i < b->count ? b->limb[i] : 0);
        out->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    out->limb[count] = (uint32_t)carry;
    out->count = count + 1;
}

/* |a| >= |b|. */
static void sub_magnitude(lab_integer *out, const lab_integer *a, const lab_integer *b)
{
    int64_t borrow = 0;
    const int count = a->count;
    for (int i = 0; i < count; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->count ? (int64_t)b->limb[i] : 0);
        out->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    out->count = count;
}

static void add_signed(lab_integer *out, const lab_integer *a, const lab_integer *b, int sign_b)
{
    if (sign_b == 0 || a->sign == 0) {
        const int sign = sign_b == 0 ? a->sign : sign_b;
        copy(out, sign_b == 0 ? a : b);
        out->sign = sign;
        return;
    }
    const int order = compare_magnitude(a, b);
    const int sign = a->sign == sign_b || order >= 0 ? a->sign : sign_b;
    if (a->sign == sign_b) {
        add_magnitude(out, a, b);
    } else if (order >= 0) {
        sub_magnitude(out, a, b);
    } else {
        sub_magnitude(out, b, a);
    }
    out->sign = sign;
    trim(out);
}

int lab_integer_shift(double x)
{
    int exponent, shift = 0;
    double fraction = frexp(x, &exponent);
    if (x == 0.0) {
        return 0;
    }
    while (fraction != floor(fraction)) {
        fraction *= 2.0;
        shift++;
    }
    return shift > exponent ? shift - exponent : 0;
}

void lab_integer_set(lab_integer *out, double x, int shift)
{
    int exponent;
    const double fraction = frexp(fabs(x), &exponent);
    out->sign = x > 0.0 ? 1 : x < 0.0 ? -1 : 0;
    out->count = 0;
    if (x == 0.0) {
        return;
    }
    /* |x| 2^shift = mantissa 2^place */
    uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    int place = exponent - 53 + shift;
    for (; place < 0; place++) {
        mantissa >>= 1; /* zeros, because the number is whole */
    }
    const int limbs = place / 32, bits = place % 32;
    if (limbs + 3 > LAB_INTEGER_LIMBS) {
        too_large();
    }
    memset(out->limb, 0, (size_t)(limbs + 3) * sizeof out->limb[0]);
    out->limb[limbs] = (uint32_t)(mantissa << bits);
    out->limb[limbs + 1] = (uint32_t)(mantissa >> (32 - bits));
    out->limb[limbs + 2] = bits > 0 ? (uint32_t)(mantissa >> 32 >> (32 - bits)) : 0;
    out->count = limbs + 3;
    trim(out);
}

void lab_integer_add(lab_integer *out, const lab_integer *a, const lab_integer *b) { add_signed(out, a, b, b->sign); }

void lab_integer_sub(lab_integer *out, const lab_integer *a, const lab_integer *b) { add_signed(out, a, b, -b->sign); }

void lab_integer_mul(lab_integer *out, const lab_integer *a, const lab_integer *b)
{
    lab_integer product;
    product.sign = a->sign * b->sign;
    product.count = product.sign != 0 ? a->count + b->count : 0;
    if (product.count > LAB_INTEGER_LIMBS) {
        too_large();
    }
    memset(product.limb, 0, (size_t)product.count * sizeof product.limb[0]);
    for (int i = 0; product.sign != 0 && i < a->count; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b->count; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + product.limb[i + j];
            product.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product.limb[i + b->count] = (uint32_t)carry;
    }
    trim(&product);
    copy(out, &product);
}

int lab_integer_compare(const lab_integer *a, const lab_integer *b)
{
    if (a->sign != b->sign) {
        return a->sign > b->sign ? 1 : -1;
    }
    return a->sign * compare_magnitude(a, b);
}

/* a = result * 2^exponent, rounded. */
static double to_fraction(const lab_integer *a, int *exponent)
{
    double value = 0.0;
    const int first = a->count > 3 ? a->count - 3 : 0;
    for (int i = a->count - 1; i >= first; i--) {
        value = value * 0x1p32 + a->limb[i];
    }
    *exponent = 32 * first;
    return a->sign < 0 ? -value : value;
}

double lab_integer_ratio(const lab_integer *a, const lab_integer *b)
{
    int exponent_a, exponent_b;
    const double value_a = to_fraction(a, &exponent_a), value_b = to_fraction(b, &exponent_b);
    return ldexp(value_a / value_b, exponent_a - exponent_b);
}

void lab_integer_vec_sub(lab_integer_vec *out, const lab_integer_vec *a, const lab_integer_vec *b)
{
    for (int k = 0; k < 3; k++) {
        lab_integer_sub(&out->c[k], &a->c[k], &b->c[k]);
    }
}

void lab_integer_vec_scale(lab_integer_vec *out, const lab_integer *s, const lab_integer_vec *a)
{
    for (int k = 0; k < 3; k++) {
        lab_integer_mul(&out->c[k], s, &a->c[k]);
    }
}

void lab_integer_dot(lab_integer *out, const lab_integer_vec *a, const lab_integer_vec *b)
{
    lab_integer sum = {.sign = 0}, product;
    for (int k = 0; k < 3; k++) {
        lab_integer_mul(&product, &a->c[k], &b->c[k]);
        lab_integer_add(&sum, &sum, &product);
    }
    copy(out, &sum);
}

void lab_integer_cross(lab_integer_vec *out, const lab_integer_vec *a, const lab_integer_vec *b)
{
    lab_integer product;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        lab_integer_mul(&out->c[k], &a->c[i], &b->c[j]);
        lab_integer_mul(&product, &a->c[j], &b->c[i]);
        lab_integer_sub(&out->c[k], &out->c[k], &product);
    }
}
