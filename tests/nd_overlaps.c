#include "nd_overlaps.h"

#include <check.h>
#include <float.h>
#include <math.h>

/* On the stack; where its memory is full, in a workspace. */
void query(const apart_options *options)
{
    static double room[APART_ND_DEPTH_BYTES(9000) / sizeof(double)];
    ck_assert_int_eq(query_in(options, NULL, 0), APART_OK);
    if (f.r.stop == APART_STOP_WORKSPACE && f.dim <= APART_ND_DEPTH_DIM) {
        ck_assert_int_eq(query_in(options, room, sizeof room), APART_OK);
    }
}

/* ---- what must hold for any overlap, checked in long double ---- */

long double depth_along_normal(void)
{
    long double most = -INFINITY, square = 0.0L;
    for (size_t k = 0; k < f.dim; k++) {
        square += (long double)f.normal[k] * (long double)f.normal[k];
    }
    for (size_t i = 0; i < f.count_a; i++) {
        for (size_t j = 0; j < f.count_b; j++) {
            long double sum = 0.0L;
            for (size_t k = 0; k < f.dim; k++) {
                sum += (long double)f.normal[k] * ((long double)f.a[i * f.dim + k] - (long double)f.b[j * f.dim + k]);
            }
            most = sum > most ? sum : most;
        }
    }
    return most / sqrtl(square);
}

void check_witness(double tolerance)
{
    double sum = 0.0;
    ck_assert_uint_ge(f.r.count, 1);
    ck_assert_uint_le(f.r.count, f.dim);
    for (uint32_t i = 0; i < f.r.count; i++) {
        ck_assert(f.lambda[i] > 0.0 && f.index_a[i] < f.count_a && f.index_b[i] < f.count_b);
        sum += f.lambda[i];
    }
    ck_assert_double_eq_tol(sum, 1.0, 1e-15);
    for (size_t k = 0; k < f.dim; k++) {
        long double a = 0.0L, b = 0.0L;
        for (uint32_t i = 0; i < f.r.count; i++) {
            a += (long double)f.lambda[i] * (long double)f.a[f.index_a[i] * f.dim + k];
            b += (long double)f.lambda[i] * (long double)f.b[f.index_b[i] * f.dim + k];
        }
        ck_assert_double_eq_tol((double)a, f.point_a[k], tolerance + 4.0 * DBL_EPSILON * fabs(f.point_a[k]));
        ck_assert_double_eq_tol((double)b, f.point_b[k], tolerance + 4.0 * DBL_EPSILON * fabs(f.point_b[k]));
        const double off = (double)(b - a) - f.r.distance * f.normal[k];
        ck_assert_msg(fabs(off) <= tolerance, "dim %zu: b - a misses distance * normal by %g of %g", f.dim, off,
                      tolerance);
    }
}

void check_overlap(void)
{
    const double side = largest_side();
    const long double along = depth_along_normal();
    ck_assert_int_eq(f.r.relation, APART_OVERLAPPING);
    ck_assert_msg(f.r.stop == APART_STOP_CONVERGED, "dim %zu, %zu against %zu: stop %d, %.17g .. %.17g, %u iterations",
                  f.dim, f.count_a, f.count_b, f.r.stop, f.r.lower, f.r.upper, f.r.iterations);
    ck_assert_msg(f.r.lower <= f.r.distance && f.r.distance <= f.r.upper && f.r.upper < 0.0,
                  "dim %zu: %g not in %g .. %g", f.dim, f.r.distance, f.r.lower, f.r.upper);
    ck_assert_msg(f.r.upper - f.r.lower <= 200.0 * DBL_EPSILON * side, "dim %zu: width %g of %g", f.dim,
                  f.r.upper - f.r.lower, side);
    ck_assert_msg((long double)f.r.lower <= -along && -along <= (long double)f.r.upper,
                  "dim %zu: along the normal %.17Lg, not in %.17g .. %.17g", f.dim, -along, f.r.lower, f.r.upper);
    check_witness(60.0 * DBL_EPSILON * side);
}

void check_depth(double want)
{
    const double slack = 4.0 * DBL_EPSILON * want, side = largest_side();
    check_overlap();
    ck_assert_msg(f.r.lower <= slack - want && -want - slack <= f.r.upper, "dim %zu: %.17g not in %.17g .. %.17g",
                  f.dim, -want, f.r.lower, f.r.upper);
    ck_assert_msg(fabs(f.r.distance + want) <= 40.0 * DBL_EPSILON * side, "dim %zu: %.17g, not %.17g", f.dim,
                  f.r.distance, -want);
}

/* ---- random bodies ---- */

size_t random_count(size_t least, size_t most)
{
    return least + (size_t)(random_unit(&random_state) * (double)(most - least + 1));
}

void add_on_sphere(double *(*add)(void), size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double *x = add(), square = 2.0;
        while (square > 1.0 || square < 0.01) {
            square = 0.0;
            for (size_t k = 0; k < f.dim; k++) {
                x[k] = random_signed(&random_state);
                square += x[k] * x[k];
            }
        }
        for (size_t k = 0; k < f.dim; k++) {
            x[k] /= sqrt(square);
        }
    }
}

void snap(double spacing)
{
    for (size_t i = 0; i < f.count_a * f.dim; i++) {
        f.a[i] = floor(f.a[i] * spacing + 0.5);
    }
    for (size_t i = 0; i < f.count_b * f.dim; i++) {
        f.b[i] = floor(f.b[i] * spacing + 0.5);
    }
}

void jitter(double size)
{
    for (size_t i = 0; i < f.count_a * f.dim; i++) {
        f.a[i] += size * random_signed(&random_state);
    }
    for (size_t i = 0; i < f.count_b * f.dim; i++) {
        f.b[i] += size * random_signed(&random_state);
    }
}
