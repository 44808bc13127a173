/* Whole numbers of up to 5000 bits, for answers that must be exact (lab/exact.c). Larger results end the program: the
 * callers bound theirs.
 * */
#ifndef LAB_INTEGER_H
#define LAB_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

enum { LAB_INTEGER_LIMBS = 160 };

typedef struct lab_integer {
    int sign;  /* -1, 0, 1 */
    int count; /* limbs in use; the highest is not 0 */
    uint32_t limb[LAB_INTEGER_LIMBS];
} lab_integer;

/* The least shift >= 0 for which x * 2^shift is whole. */
int lab_integer_shift(double x);
/* x * 2^shift, which must be whole. */
void lab_integer_set(lab_integer *out, double x, int shift);
/* The outputs may be inputs too. */
void lab_integer_add(lab_integer *out, const lab_integer *a, const lab_integer *b);
void lab_integer_sub(lab_integer *out, const lab_integer *a, const lab_integer *b);
void lab_integer_mul(lab_integer *out, const lab_integer *a, const lab_integer *b);
int lab_integer_compare(const lab_integer *a, const lab_integer *b);
/* a / b to about 1 part in 2^52, however large both are; b != 0. */
double lab_integer_ratio(const lab_integer *a, const lab_integer *b);

typedef struct lab_integer_vec {
    lab_integer c[3];
} lab_integer_vec;

void lab_integer_vec_sub(lab_integer_vec *out, const lab_integer_vec *a, const lab_integer_vec *b);
void lab_integer_vec_scale(lab_integer_vec *out, const lab_integer *s, const lab_integer_vec *a);
void lab_integer_dot(lab_integer *out, const lab_integer_vec *a, const lab_integer_vec *b);
/* `out` must be another than a and b. */
void lab_integer_cross(lab_integer_vec *out, const lab_integer_vec *a, const lab_integer_vec *b);

#endif
