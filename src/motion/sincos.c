/* sin and cos by argument reduction and Taylor polynomials (Cody and Waite 1980; Dekker 1971 for the exact
 * products).
 *
 * angle = k pi/2 + r with pi/2 in three doubles (161 bits) and all products exact, so that for |angle| <= 2^30 the
 * remainder r = hi + lo errs by less than 2^-70: 2^30 * 2^-161 from pi/2, and a relative 2^-103 of |angle| from the
 * double-double sums. On |r| <= pi/4 the Taylor polynomials to r^17 and r^18 have remainders below 1e-19. Rounding,
 * in units of u: sin adds 0.5 (last sum) and 0.08 * 4 (the cubic and higher terms, at most 0.08, in four
 * operations); cos adds 0.5 (last sum), 0.25 (r^2/2 at most 0.31, from a rounded r^2) and less than 0.1 for the
 * rest. Both stay below 1. */
#include "sincos.h"

#include <apart/motion.h>

static const double half_pi[3] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
static const double two_over_pi = 0x1.45f306dc9c883p-1;

/* Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, |x| < 2^51. */
static const double to_integer = 0x1.8p+52;

/* (sin r - r) / r^3 in z = r^2. */
static double sine_tail(double z)
{
    double p = 1.0 / 355687428096000.0;
    p = p * z - 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    return p * z - 1.0 / 6.0;
}

/* (cos r - 1 + r^2/2) / r^4 in z = r^2. */
static double cosine_tail(double z)
{
    double p = -1.0 / 6402373705728000.0;
    p = p * z + 1.0 / 20922789888000.0;
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    return p * z + 1.0 / 24.0;
}

static double sine_near_zero(ap_dd r)
{
    const double z = r.hi * r.hi;
    return r.hi + ((z * r.hi) * sine_tail(z) + r.lo * (1.0 - 0.5 * z));
}

static double cosine_near_zero(ap_dd r)
{
    const double z = r.hi * r.hi, h = 0.5 * z;
    const double w = 1.0 - h;
    return w + (((1.0 - w) - h) + ((z * z) * cosine_tail(z) - r.hi * r.lo));
}

void ap_sincos(ap_dd angle, double *sine, double *cosine)
{
    const double k = (angle.hi * two_over_pi + to_integer) - to_integer;
    ap_dd r = angle;
    for (int i = 0; i < 3; i++) {
        r = ap_dd_sub(r, ap_two_product(k, half_pi[i]));
    }
    const double s = sine_near_zero(r), c = cosine_near_zero(r);
    switch ((int64_t)k & 3) {
    case 0: *sine = s, *cosine = c; break;
    case 1: *sine = c, *cosine = -s; break;
    case 2: *sine = -s, *cosine = -c; break;
    default: *sine = -c, *cosine = s; break;
    }
}

double ap_angle_of(double sine, double cosine)
{
    /* The secant of the quarter circle is within 0.08 of the angle; each step t + sin(angle - t) cubes the error. */
    double t = half_pi[0] * (sine / (sine + cosine));
    const double length = sqrt(sine * sine + cosine * cosine);
    for (int i = 0; i < 4; i++) {
        double s, c;
        ap_sincos(ap_dd_from(t), &s, &c);
        t += ap_diff_of_products(sine, c, cosine, s) / length;
    }
    return t;
}

void apart_sincos(double angle, double *sine, double *cosine)
{
    double s = 0.0, c = 1.0;
    if (fabs(angle) <= APART_MAX_ANGLE) {
        ap_sincos(ap_dd_from(angle), &s, &c);
    }
    if (sine != NULL) {
        *sine = s;
    }
    if (cosine != NULL) {
        *cosine = c;
    }
}
