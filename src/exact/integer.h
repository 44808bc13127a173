/* Integers of thousands of bits with a sign, on the stack: what the exact predicates fall back on where doubles cannot
 * decide. Any finite doubles have a common step, a power of two of which all are multiples; as multiples of it their
 * differences, products and sums are integers, so that nothing rounds, overflows or underflows. */
#ifndef AP_EXACT_INTEGER_H
#define AP_EXACT_INTEGER_H

#include <stdint.h>

/* Doubles are multiples of 2^-1074 below 2^1024: integers of 2098 bits. A product of three differences has 6297, a sum
 * of six times 2^32 such products 6332: 198 limbs. */
#define AP_INTEGER_LIMBS 200u

typedef struct ap_integer {
    int sign;       /* -1, 0, 1 */
    uint32_t count; /* limbs in use: the last one is not zero */
    uint32_t limb[AP_INTEGER_LIMBS];
} ap_integer;

/* The exponent of a double's lowest bit that is set; INT32_MAX for zero. */
int32_t ap_lowest_exponent(double x);

/* x / 2^exponent, where exponent is at most ap_lowest_exponent(x). */
void ap_integer_set(ap_integer *out, double x, int32_t exponent);

/* a + b and a - b; out may be one of them. */
void ap_integer_add(ap_integer *out, const ap_integer *a, const ap_integer *b);
void ap_integer_subtract(ap_integer *out, const ap_integer *a, const ap_integer *b);

/* a * b; out is neither. */
void ap_integer_multiply(ap_integer *out, const ap_integer *a, const ap_integer *b);

#endif
