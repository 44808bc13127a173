/* The default solver in n dimensions: an active set with QR. Wolfe, "Finding the nearest point in a polytope",
 * Mathematical Programming 11, 1976.
 *
 * Legend: w_i the simplex' points, e_i = w_i - w_0; alpha the weights of the point of their affine hull closest to the origin.
 * If an alpha is not positive, the weights move from lambda towards alpha until one of them is 0, and that vertex goes; repeat.
 *
 * We differ in: no Gram matrix. The e_i are orthonormalised (modified Gram-Schmidt, each column twice: Giraud, Langou, Rozloznik 2005,
 * "twice is enough"), and v is what remains of w_0 when its parts along the columns have been taken out, twice as well. So v is
 * orthogonal to the columns to rounding of |v| itself, and QR reproduces each e_i to rounding of |e_i|: v/|v| . e_i is of the order
 * of u |e_i| however thin the simplex is, and the duality gap closes to rounding. Columns in front of a dropped vertex are kept. */
#include <string.h>

#include "nd.h"

void ap_nd_project_out(size_t dim, const double *q, size_t columns, double *x, double *c)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < columns; j++) {
            const double *column = q + j * dim;
            const double part = ap_nd_dot(dim, column, x);
            ap_count_mul((unsigned)dim);
            for (size_t k = 0; k < dim; k++) {
                x[k] -= part * column[k];
            }
            if (c != NULL) {
                c[j] += part;
            }
        }
    }
}

/* The columns that are not valid yet. One that vanishes becomes 0, with 0 on the diagonal of r. */
static void orthonormalise(const ap_nd_pair *pair, const ap_nd_simplex *simplex, ap_nd_factor *f)
{
    const size_t dim = pair->dim;
    for (size_t j = f->columns; j < f->frozen + simplex->count - 1; j++) {
        double *column = f->q + j * dim, *c = f->r + j * dim;
        ap_nd_vertex(pair, simplex, j - f->frozen + 1, column);
        for (size_t k = 0; k < dim; k++) {
            column[k] -= ap_nd_w(pair, simplex->index_a[0], simplex->index_b[0], k);
        }
        memset(c, 0, j * sizeof *c);
        ap_nd_project_out(dim, f->q, j, column, c);
        if (!ap_nd_normalise(dim, column, &c[j])) {
            memset(column, 0, dim * sizeof *column);
        }
    }
    f->columns = f->frozen + simplex->count - 1;
}

/* alpha from r t = -rhs; a column that vanished gets the weight 0. */
static void find_weights(const ap_nd_pair *pair, const ap_nd_simplex *simplex, ap_nd_factor *f)
{
    const size_t dim = pair->dim, last = simplex->count - 1;
    double rest = 1.0;
    for (size_t i = last; i >= 1; i--) {
        const size_t row = f->frozen + i - 1;
        double sum = -f->rhs[row];
        for (size_t j = i + 1; j <= last; j++) {
            ap_count_mul(1);
            sum -= f->r[(f->frozen + j - 1) * dim + row] * f->alpha[j];
        }
        const double pivot = f->r[row * dim + row];
        ap_count_div(1);
        f->alpha[i] = pivot > 0.0 ? sum / pivot : 0.0;
        rest -= f->alpha[i];
    }
    f->alpha[0] = rest;
}

static bool is_positive(double alpha) { return alpha > 0.0 && isfinite(alpha); }

static bool all_positive(const ap_nd_simplex *simplex, const double *alpha)
{
    for (size_t i = 0; i < simplex->count; i++) {
        if (!is_positive(alpha[i])) {
            return false;
        }
    }
    return true;
}

/* Moves lambda towards alpha as far as it stays legal; returns the vertex whose weight becomes 0, the lowest on ties. */
static size_t step_to_boundary(ap_nd_simplex *simplex, const double *alpha)
{
    double theta = 2.0;
    size_t blocking = 0;
    for (size_t i = 0; i < simplex->count; i++) {
        if (is_positive(alpha[i])) {
            continue;
        }
        const double fall = simplex->lambda[i] - alpha[i];
        ap_count_div(1);
        const double ratio = fall > 0.0 && isfinite(fall) ? simplex->lambda[i] / fall : 0.0;
        if (ratio < theta) {
            theta = ratio;
            blocking = i;
        }
    }
    for (size_t i = 0; i < simplex->count && theta > 0.0; i++) {
        ap_count_mul(1);
        simplex->lambda[i] = ap_max(0.0, simplex->lambda[i] + theta * (alpha[i] - simplex->lambda[i]));
    }
    return blocking;
}

bool ap_nd_solve_active_set(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *factor, double *v)
{
    const size_t dim = pair->dim;
    for (;;) {
        orthonormalise(pair, simplex, factor);
        ap_nd_vertex(pair, simplex, 0, v);
        memset(factor->rhs, 0, dim * sizeof *factor->rhs);
        ap_nd_project_out(dim, factor->q, factor->columns, v, factor->rhs);
        find_weights(pair, simplex, factor);
        if (all_positive(simplex, factor->alpha)) {
            break;
        }
        const size_t k = step_to_boundary(simplex, factor->alpha);
        ap_nd_drop(simplex, k);
        factor->columns = factor->frozen + (k == 0 ? 0 : k - 1);
    }
    memcpy(simplex->lambda, factor->alpha, simplex->count * sizeof *simplex->lambda);
    if (simplex->count != dim - factor->frozen + 1) {
        return false;
    }
    memset(v, 0, dim * sizeof *v);
    return true;
}
