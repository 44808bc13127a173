/* The solvers that enumerate the subsets of a simplex's vertices and work in any dimension: Johnson's subalgorithm
 * (johnson.c) and least squares (least_squares.c), on n points of `dim` doubles. They set the weights of all points (0
 * for discarded ones) and return the set of those that remain, bit i for point i. They are used by this folder and by
 * ../nd. */
#ifndef AP_SOLVERS_BY_SUBSETS_H
#define AP_SOLVERS_BY_SUBSETS_H

#include <stddef.h>

#include "../math/op_count.h"

/* The number of subsets doubles with each dimension; this is the largest dimension allowed. */
#define AP_ND_ENUMERATED_DIM 8

static inline double ap_nd_dot(size_t dim, const double *x, const double *y)
{
    ap_count_mul((unsigned)dim);
    double sum = 0.0;
    for (size_t k = 0; k < dim; k++) {
        sum += x[k] * y[k];
    }
    return sum;
}

/* Johnson's subalgorithm in three steps: all dot products (n * n), the table of Deltas (n * 2^(n-1)), the selection of
 * the subset. */
void ap_johnson_dots(unsigned n, size_t dim, const double *points, double *dots);
void ap_johnson_table(unsigned n, const double *dots, double *delta);
unsigned ap_johnson_select(unsigned n, const double *dots, const double *delta, double *lambda);

/* Also sets v, the closest point (dim). */
unsigned ap_least_squares(unsigned n, size_t dim, const double *points, double *lambda, double *v);

#endif
