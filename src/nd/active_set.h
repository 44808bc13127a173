/* The active-set solver in n dimensions, written once for two number types: doubles (solve_active_set.c) and
 * double-double numbers (solve_double_double.c). Source: Wolfe, "Finding the nearest point in a polytope", Mathematical
 * Programming 11, 1976.
 *
 * Legend: w_i the points of the simplex, e_i = w_i - w_0; alpha the weights of the point of their affine hull closest
 * to the origin. If an alpha is not positive, the weights move from lambda towards alpha until one of them is 0, that
 * vertex is dropped, and the step is repeated. If all are positive, that point is the closest one of the simplex.
 *
 * We differ in: no Gram matrix. The e_i are orthonormalised (modified Gram-Schmidt, each column twice: Giraud, Langou,
 * Rozloznik 2005, "twice is enough"), and v is what remains of w_0 when its parts along the columns have been
 * subtracted, also twice. So v is orthogonal to the columns to rounding of |v| itself, and QR reproduces each e_i to
 * rounding of |e_i|: v/|v| . e_i is of the order of u |e_i| however thin the simplex is, and the duality gap closes to
 * rounding. Columns in front of a dropped vertex are kept.
 *
 * A template: the including file defines the type `number` and, for it, the functions
 *   number_from         a double as a number
 *   number_negate, number_add, number_subtract, number_multiply, number_divide
 *   number_root         the square root of a number > 0
 *   number_leading      the number as a double, for comparisons; the double part of a double-double number
 *   number_rounded      the number rounded to double
 *   number_is_positive  is it > 0 and finite?
 *   number_coordinate   coordinate k of the point w_i of a simplex */
#ifndef AP_ND_ACTIVE_SET_H
#define AP_ND_ACTIVE_SET_H

#include <string.h>

#include "nd.h"

/* The arrays of ap_nd_factor as numbers. */
typedef struct number_factor {
    number *q, *r, *rhs, *alpha, *work;
    size_t frozen;
} number_factor;

static number *as_numbers(double *memory) { return (number *)(void *)memory; }

static number dot_product(size_t dim, const number *x, const number *y)
{
    number sum = number_from(0.0);
    for (size_t k = 0; k < dim; k++) {
        sum = number_add(sum, number_multiply(x[k], y[k]));
    }
    return sum;
}

/* Subtracts from x its parts along the first columns of q, twice; adds the coefficients to c unless it is NULL. */
static void project_out(size_t dim, const number *q, size_t columns, number *x, number *c)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < columns; j++) {
            const number *column = q + j * dim;
            const number part = dot_product(dim, column, x);
            for (size_t k = 0; k < dim; k++) {
                x[k] = number_subtract(x[k], number_multiply(part, column[k]));
            }
            if (c != NULL) {
                c[j] = number_add(c[j], part);
            }
        }
    }
}

/* Computes the columns of q and r from number `first` on. A column that vanishes becomes 0, with 0 on the diagonal of
 * r. */
static void orthonormalise(const ap_nd_pair *pair, const ap_nd_simplex *simplex, const number_factor *f, size_t first)
{
    const size_t dim = pair->dim;
    for (size_t j = first; j < f->frozen + simplex->count - 1; j++) {
        number *column = f->q + j * dim, *c = f->r + j * dim;
        for (size_t k = 0; k < dim; k++) {
            column[k] = number_subtract(number_coordinate(pair, simplex, j - f->frozen + 1, k),
                                        number_coordinate(pair, simplex, 0, k));
        }
        memset(c, 0, j * sizeof *c);
        project_out(dim, f->q, j, column, c);
        const number square = dot_product(dim, column, column);
        c[j] = number_leading(square) > AP_ND_LEAST_SQUARE ? number_root(square) : number_from(0.0);
        for (size_t k = 0; k < dim; k++) {
            column[k] = number_leading(c[j]) > 0.0 ? number_divide(column[k], c[j]) : number_from(0.0);
        }
    }
}

/* Solves r t = -rhs for the weights alpha; a column that vanished gets the weight 0. */
static void find_weights(const ap_nd_pair *pair, const ap_nd_simplex *simplex, const number_factor *f)
{
    const size_t dim = pair->dim, last = simplex->count - 1;
    number rest = number_from(1.0);
    for (size_t i = last; i >= 1; i--) {
        const size_t row = f->frozen + i - 1;
        number sum = number_negate(f->rhs[row]);
        for (size_t j = i + 1; j <= last; j++) {
            sum = number_subtract(sum, number_multiply(f->r[(f->frozen + j - 1) * dim + row], f->alpha[j]));
        }
        const number pivot = f->r[row * dim + row];
        f->alpha[i] = number_leading(pivot) > 0.0 ? number_divide(sum, pivot) : number_from(0.0);
        rest = number_subtract(rest, f->alpha[i]);
    }
    f->alpha[0] = rest;
}

static bool all_positive(const ap_nd_simplex *simplex, const number *alpha)
{
    for (size_t i = 0; i < simplex->count; i++) {
        if (!number_is_positive(alpha[i])) {
            return false;
        }
    }
    return true;
}

/* Moves lambda towards alpha as far as no weight becomes negative; returns the vertex whose weight becomes 0, the
 * lowest one on ties. Doubles are accurate enough for the length of this step. */
static size_t step_to_boundary(ap_nd_simplex *simplex, const number *alpha)
{
    double theta = 2.0;
    size_t blocking = 0;
    for (size_t i = 0; i < simplex->count; i++) {
        if (number_is_positive(alpha[i])) {
            continue;
        }
        const double fall = simplex->lambda[i] - number_leading(alpha[i]);
        ap_count_div(1);
        const double ratio = fall > 0.0 && isfinite(fall) ? simplex->lambda[i] / fall : 0.0;
        if (ratio < theta) {
            theta = ratio;
            blocking = i;
        }
    }
    for (size_t i = 0; i < simplex->count && theta > 0.0; i++) {
        ap_count_mul(1);
        simplex->lambda[i] = ap_max(0.0, simplex->lambda[i] + theta * (number_leading(alpha[i]) - simplex->lambda[i]));
    }
    return blocking;
}

/* The solver (ap_nd_solver_fn). */
static bool solve_active_set(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *factor, double *v)
{
    const size_t dim = pair->dim;
    const number_factor f = {as_numbers(factor->q),     as_numbers(factor->r),    as_numbers(factor->rhs),
                             as_numbers(factor->alpha), as_numbers(factor->work), factor->frozen};
    for (;;) {
        orthonormalise(pair, simplex, &f, factor->columns);
        factor->columns = f.frozen + simplex->count - 1;
        for (size_t k = 0; k < dim; k++) {
            f.work[k] = number_coordinate(pair, simplex, 0, k);
            f.rhs[k] = number_from(0.0);
        }
        project_out(dim, f.q, factor->columns, f.work, f.rhs);
        find_weights(pair, simplex, &f);
        if (all_positive(simplex, f.alpha)) {
            break;
        }
        const size_t k = step_to_boundary(simplex, f.alpha);
        ap_nd_drop(simplex, k);
        factor->columns = f.frozen + (k == 0 ? 0 : k - 1);
    }
    for (size_t i = 0; i < simplex->count; i++) {
        simplex->lambda[i] = number_rounded(f.alpha[i]);
    }
    const bool inside = simplex->count == dim - f.frozen + 1;
    for (size_t k = 0; k < dim; k++) {
        v[k] = inside ? 0.0 : number_rounded(f.work[k]);
    }
    return inside;
}

#endif
