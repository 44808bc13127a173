/* The solvers that know no dimension, for simplices in the plane, in space and beyond: Johnson's subalgorithm (solve_johnson.c) and least
 * squares (solve_least_squares.c), on n points of `dim` doubles. They give the weights of all points (0: not in the answer) and the set of
 * those that remain, by its bits. */
#ifndef AP_SIMPLEX_SOLVE_BY_SUBSETS_H
#define AP_SIMPLEX_SOLVE_BY_SUBSETS_H

#include <stddef.h>

#include "../math/op_count.h"

/* Johnson and least squares enumerate subsets: up to this dimension. */
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

void ap_johnson_dots(unsigned n, size_t dim, const double *points, double *dots);         /* dots: n * n */
void ap_johnson_table(unsigned n, const double *dots, double *delta);                     /* delta: n * 2^(n-1) */
unsigned ap_johnson_select(unsigned n, const double *dots, const double *delta, double *lambda);
unsigned ap_least_squares(unsigned n, size_t dim, const double *points, double *lambda, double *v);

#endif
