/* The solvers that enumerate the subsets of a simplex' vertices, in up to AP_ND_ENUMERATED_DIM dimensions: Johnson's
 * (../solvers/johnson.c) and least squares (../solvers/least_squares.c). They are kept to be studied and
 * compared; the query (distance.c) checks their claim that the origin is inside. */
#include "nd.h"

#define MAX_POINTS (AP_ND_ENUMERATED_DIM + 1)

static void load_vertices(const ap_nd_pair *pair, const ap_nd_simplex *simplex, double *points)
{
    for (size_t i = 0; i < simplex->count; i++) {
        ap_nd_vertex(pair, simplex, i, points + i * pair->dim);
    }
}

/* Sets the weights and drops the vertices whose bit in `keep` is 0; true when dim + 1 remain. */
static bool keep_vertices(const ap_nd_pair *pair, ap_nd_simplex *simplex, unsigned keep, const double *lambda)
{
    for (size_t i = 0; i < simplex->count; i++) {
        simplex->lambda[i] = lambda[i];
    }
    for (size_t i = simplex->count; i-- > 0;) {
        if (!(keep >> i & 1u)) {
            ap_nd_drop(simplex, i);
        }
    }
    return simplex->count == pair->dim + 1;
}

static void set_zero(size_t dim, double *v)
{
    for (size_t k = 0; k < dim; k++) {
        v[k] = 0.0;
    }
}

bool ap_nd_solve_johnson(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *factor, double *v)
{
    double points[MAX_POINTS * AP_ND_ENUMERATED_DIM] = {0.0}, lambda[MAX_POINTS];
    double dots[MAX_POINTS * MAX_POINTS], delta[MAX_POINTS << (MAX_POINTS - 1)];
    const unsigned n = (unsigned)simplex->count;
    (void)factor;
    load_vertices(pair, simplex, points);
    ap_johnson_dots(n, pair->dim, points, dots);
    ap_johnson_table(n, dots, delta);
    const unsigned keep = ap_johnson_select(n, dots, delta, lambda);
    const bool inside = keep_vertices(pair, simplex, keep, lambda);
    set_zero(pair->dim, v);
    for (unsigned i = 0; i < n && !inside; i++) {
        ap_count_mul((unsigned)pair->dim);
        for (size_t k = 0; k < pair->dim; k++) {
            v[k] += lambda[i] * points[i * pair->dim + k];
        }
    }
    return inside;
}

bool ap_nd_solve_least_squares(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *factor, double *v)
{
    double points[MAX_POINTS * AP_ND_ENUMERATED_DIM] = {0.0}, lambda[MAX_POINTS] = {0.0};
    (void)factor;
    load_vertices(pair, simplex, points);
    const unsigned keep = ap_least_squares((unsigned)simplex->count, pair->dim, points, lambda, v);
    const bool inside = keep_vertices(pair, simplex, keep, lambda);
    if (inside) {
        set_zero(pair->dim, v);
    }
    return inside;
}
