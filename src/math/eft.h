/* Error-free transformations (EFT): sums and products of doubles together with their rounding errors (Knuth 1969,
 * Dekker 1971), and double-double numbers, which are made of them and carry about 106 bits.
 *
 * The error of a product is found by Dekker's split, which needs no fused multiply-add. Where the target has that
 * instruction (__FP_FAST_FMA) it is used instead; both give the same bits unless something over- or underflows, and
 * operands here are scaled to sizes near 1. */
#ifndef AP_MATH_EFT_H
#define AP_MATH_EFT_H

#include "vec.h"

/* An unevaluated sum hi + lo with |lo| <= ulp(hi)/2. */
typedef struct ap_dd {
    double hi, lo;
} ap_dd;

/* a + b = hi + lo exactly. */
static inline ap_dd ap_two_sum(double a, double b)
{
    const double s = a + b;
    const double bb = s - a;
    return (ap_dd){s, (a - (s - bb)) + (b - bb)};
}

/* As ap_two_sum, for |a| >= |b| only. */
static inline ap_dd ap_quick_two_sum(double a, double b)
{
    const double s = a + b;
    return (ap_dd){s, b - (s - a)};
}

/* The error a*b - p of the rounded product p, by Dekker's split. Exact unless something over- or underflows. */
static inline double ap_product_error_dekker(double a, double b, double p)
{
    const double split = 134217729.0; /* 2^27 + 1 */
    const double ta = split * a, tb = split * b;
    const double ah = ta - (ta - a), bh = tb - (tb - b);
    const double al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

/* a*b = hi + lo exactly. */
static inline ap_dd ap_two_product(double a, double b)
{
    ap_count_mul(1);
    const double p = a * b;
#ifdef __FP_FAST_FMA
    return (ap_dd){p, fma(a, b, -p)};
#else
    return (ap_dd){p, ap_product_error_dekker(a, b, p)};
#endif
}

/* a*b - c*d without cancellation, from the rounded products and their errors. The error is at most 3u times the result
 * plus 2u^2 times the larger product: where the rounded products cancel, they are within a factor of two of each other
 * and their difference is exact; where they do not, it is right to u. */
static inline double ap_diff_of_products(double a, double b, double c, double d)
{
    const ap_dd p = ap_two_product(a, b), q = ap_two_product(c, d);
    return (p.hi - q.hi) + (p.lo - q.lo);
}

/* The cross product, accurate for nearly parallel vectors too. */
static inline apart_vec3 ap_cross_accurate(apart_vec3 a, apart_vec3 b)
{
    return ap_vec(ap_diff_of_products(a.y, b.z, a.z, b.y), ap_diff_of_products(a.z, b.x, a.x, b.z),
                  ap_diff_of_products(a.x, b.y, a.y, b.x));
}

static inline ap_dd ap_dd_from(double a) { return (ap_dd){a, 0.0}; }

static inline ap_dd ap_dd_neg(ap_dd a) { return (ap_dd){-a.hi, -a.lo}; }

static inline ap_dd ap_dd_add(ap_dd a, ap_dd b)
{
    ap_dd s = ap_two_sum(a.hi, b.hi);
    const ap_dd t = ap_two_sum(a.lo, b.lo);
    s = ap_quick_two_sum(s.hi, s.lo + t.hi);
    return ap_quick_two_sum(s.hi, s.lo + t.lo);
}

static inline ap_dd ap_dd_sub(ap_dd a, ap_dd b) { return ap_dd_add(a, ap_dd_neg(b)); }

static inline ap_dd ap_dd_mul(ap_dd a, ap_dd b)
{
    const ap_dd p = ap_two_product(a.hi, b.hi);
    return ap_quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline ap_dd ap_dd_div(ap_dd a, ap_dd b)
{
    ap_count_div(3);
    const double q1 = a.hi / b.hi;
    ap_dd r = ap_dd_sub(a, ap_dd_mul(b, ap_dd_from(q1)));
    const double q2 = r.hi / b.hi;
    r = ap_dd_sub(r, ap_dd_mul(b, ap_dd_from(q2)));
    const double q3 = r.hi / b.hi;
    return ap_dd_add(ap_quick_two_sum(q1, q2), ap_dd_from(q3));
}

/* The number rounded to double. */
static inline double ap_dd_value(ap_dd a) { return a.hi + a.lo; }

static inline bool ap_dd_positive(ap_dd a) { return a.hi > 0.0 || (a.hi == 0.0 && a.lo > 0.0); }

static inline bool ap_dd_less(ap_dd a, ap_dd b) { return ap_dd_positive(ap_dd_sub(b, a)); }

/* A vector of double-double numbers. */
typedef struct ap_dd3 {
    ap_dd x, y, z;
} ap_dd3;

static inline ap_dd3 ap_dd3_from(apart_vec3 a) { return (ap_dd3){ap_dd_from(a.x), ap_dd_from(a.y), ap_dd_from(a.z)}; }

/* The exact difference of two double vectors. */
static inline ap_dd3 ap_dd3_difference(apart_vec3 a, apart_vec3 b)
{
    return (ap_dd3){ap_two_sum(a.x, -b.x), ap_two_sum(a.y, -b.y), ap_two_sum(a.z, -b.z)};
}

static inline ap_dd3 ap_dd3_scale(ap_dd s, ap_dd3 a)
{
    return (ap_dd3){ap_dd_mul(s, a.x), ap_dd_mul(s, a.y), ap_dd_mul(s, a.z)};
}

static inline ap_dd ap_dd3_dot(ap_dd3 a, ap_dd3 b)
{
    return ap_dd_add(ap_dd_add(ap_dd_mul(a.x, b.x), ap_dd_mul(a.y, b.y)), ap_dd_mul(a.z, b.z));
}

static inline ap_dd3 ap_dd3_cross(ap_dd3 a, ap_dd3 b)
{
    return (ap_dd3){ap_dd_sub(ap_dd_mul(a.y, b.z), ap_dd_mul(a.z, b.y)),
                    ap_dd_sub(ap_dd_mul(a.z, b.x), ap_dd_mul(a.x, b.z)),
                    ap_dd_sub(ap_dd_mul(a.x, b.y), ap_dd_mul(a.y, b.x))};
}

static inline apart_vec3 ap_dd3_value(ap_dd3 a) { return ap_vec(ap_dd_value(a.x), ap_dd_value(a.y), ap_dd_value(a.z)); }

#endif
