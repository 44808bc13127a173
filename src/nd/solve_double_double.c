/* The fallback in n dimensions: the active set of solve_active_set.c (Wolfe 1976) with every number a double-double.
 *
 * We differ from it in: points b - a are exact, products carry 106 bits, and one pass of Gram-Schmidt is followed by a second all the
 * same, so that a simplex whose thickness is 1e-15 of its size has its normal to 15 digits. v and the weights are rounded to double at
 * the end. Reached only when the bounds of the chosen solver do not close. */
#include <string.h>

#include "nd.h"

/* The factor's memory, seen as pairs. */
typedef struct wide_factor {
    ap_dd *q, *r, *rhs, *alpha, *work;
} wide_factor;

static ap_dd *as_pairs(double *memory) { return (ap_dd *)(void *)memory; }

static ap_dd exact_w(const ap_nd_pair *pair, const ap_nd_simplex *simplex, size_t i, size_t k)
{
    const double a = pair->a.coordinates[simplex->index_a[i] * pair->dim + k], b = pair->b.coordinates[simplex->index_b[i] * pair->dim + k];
    const ap_dd w = ap_two_sum(b, -a);
    ap_count_mul(2);
    return (ap_dd){w.hi * pair->scale, w.lo * pair->scale};
}

static ap_dd dot(size_t dim, const ap_dd *x, const ap_dd *y)
{
    ap_dd sum = {0.0, 0.0};
    for (size_t k = 0; k < dim; k++) {
        sum = ap_dd_add(sum, ap_dd_mul(x[k], y[k]));
    }
    return sum;
}

/* One Newton step on the double root. */
static ap_dd root(ap_dd x)
{
    const double s = sqrt(x.hi);
    ap_count_div(2);
    const ap_dd error = ap_dd_sub(x, ap_two_product(s, s));
    return ap_quick_two_sum(s, error.hi / (2.0 * s));
}

static void project_out(size_t dim, const ap_dd *q, size_t columns, ap_dd *x, ap_dd *c)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < columns; j++) {
            const ap_dd *column = q + j * dim;
            const ap_dd part = dot(dim, column, x);
            for (size_t k = 0; k < dim; k++) {
                x[k] = ap_dd_sub(x[k], ap_dd_mul(part, column[k]));
            }
            c[j] = ap_dd_add(c[j], part);
        }
    }
}

static void orthonormalise(const ap_nd_pair *pair, const ap_nd_simplex *simplex, const wide_factor *f, size_t valid)
{
    static const double smallest_square = 0x1p-900;
    const size_t dim = pair->dim;
    for (size_t j = valid; j + 1 < simplex->count; j++) {
        ap_dd *column = f->q + j * dim, *c = f->r + j * dim;
        for (size_t k = 0; k < dim; k++) {
            column[k] = ap_dd_sub(exact_w(pair, simplex, j + 1, k), exact_w(pair, simplex, 0, k));
        }
        memset(c, 0, j * sizeof *c);
        project_out(dim, f->q, j, column, c);
        const ap_dd square = dot(dim, column, column);
        c[j] = square.hi > smallest_square ? root(square) : ap_dd_from(0.0);
        for (size_t k = 0; k < dim; k++) {
            column[k] = c[j].hi > 0.0 ? ap_dd_div(column[k], c[j]) : ap_dd_from(0.0);
        }
    }
}

static void find_weights(const ap_nd_pair *pair, const ap_nd_simplex *simplex, const wide_factor *f)
{
    const size_t dim = pair->dim, last = simplex->count - 1;
    ap_dd rest = ap_dd_from(1.0);
    for (size_t i = last; i >= 1; i--) {
        ap_dd sum = ap_dd_neg(f->rhs[i - 1]);
        for (size_t j = i + 1; j <= last; j++) {
            sum = ap_dd_sub(sum, ap_dd_mul(f->r[(j - 1) * dim + i - 1], f->alpha[j]));
        }
        const ap_dd pivot = f->r[(i - 1) * dim + i - 1];
        f->alpha[i] = pivot.hi > 0.0 ? ap_dd_div(sum, pivot) : ap_dd_from(0.0);
        rest = ap_dd_sub(rest, f->alpha[i]);
    }
    f->alpha[0] = rest;
}

static bool is_positive(ap_dd alpha) { return ap_dd_positive(alpha) && isfinite(alpha.hi); }

static bool all_positive(const ap_nd_simplex *simplex, const ap_dd *alpha)
{
    for (size_t i = 0; i < simplex->count; i++) {
        if (!is_positive(alpha[i])) {
            return false;
        }
    }
    return true;
}

/* As in solve_active_set.c; how far the weights move needs no more than double. */
static size_t step_to_boundary(ap_nd_simplex *simplex, const ap_dd *alpha)
{
    double theta = 2.0;
    size_t blocking = 0;
    for (size_t i = 0; i < simplex->count; i++) {
        if (is_positive(alpha[i])) {
            continue;
        }
        const double fall = simplex->lambda[i] - alpha[i].hi;
        ap_count_div(1);
        const double ratio = fall > 0.0 && isfinite(fall) ? simplex->lambda[i] / fall : 0.0;
        if (ratio < theta) {
            theta = ratio;
            blocking = i;
        }
    }
    for (size_t i = 0; i < simplex->count && theta > 0.0; i++) {
        ap_count_mul(1);
        simplex->lambda[i] = ap_max(0.0, simplex->lambda[i] + theta * (alpha[i].hi - simplex->lambda[i]));
    }
    return blocking;
}

bool ap_nd_solve_double_double(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *factor, double *v)
{
    const size_t dim = pair->dim;
    const wide_factor f = {as_pairs(factor->q), as_pairs(factor->r), as_pairs(factor->rhs), as_pairs(factor->alpha),
                           as_pairs(factor->work)};
    for (;;) {
        orthonormalise(pair, simplex, &f, factor->columns);
        factor->columns = simplex->count - 1;
        for (size_t k = 0; k < dim; k++) {
            f.work[k] = exact_w(pair, simplex, 0, k);
            f.rhs[k] = ap_dd_from(0.0);
        }
        project_out(dim, f.q, factor->columns, f.work, f.rhs);
        find_weights(pair, simplex, &f);
        if (all_positive(simplex, f.alpha)) {
            break;
        }
        const size_t k = step_to_boundary(simplex, f.alpha);
        ap_nd_drop(simplex, k);
        factor->columns = k == 0 ? 0 : k - 1;
    }
    for (size_t i = 0; i < simplex->count; i++) {
        simplex->lambda[i] = ap_dd_value(f.alpha[i]);
    }
    const bool inside = simplex->count == dim + 1;
    for (size_t k = 0; k < dim; k++) {
        v[k] = inside ? 0.0 : ap_dd_value(f.work[k]);
    }
    return inside;
}
