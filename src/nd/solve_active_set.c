/* The default solver in n dimensions: the active set of active_set.h, in doubles. */
#include "nd.h"

typedef double number;

static inline double number_from(double x) { return x; }

static inline double number_leading(double x) { return x; }

static inline double number_rounded(double x) { return x; }

static inline double number_negate(double x) { return -x; }

static inline double number_add(double x, double y) { return x + y; }

static inline double number_subtract(double x, double y) { return x - y; }

static inline double number_multiply(double x, double y)
{
    ap_count_mul(1);
    return x * y;
}

static inline double number_divide(double x, double y)
{
    ap_count_div(1);
    return x / y;
}

static inline double number_root(double x)
{
    ap_count_div(1);
    return sqrt(x);
}

static inline bool number_is_positive(double x) { return x > 0.0 && isfinite(x); }

static inline double number_coordinate(const ap_nd_pair *pair, const ap_nd_simplex *simplex, size_t i, size_t k)
{
    return ap_nd_w(pair, simplex->index_a[i], simplex->index_b[i], k);
}

#include "active_set.h"

void ap_nd_project_out(size_t dim, const double *q, size_t columns, double *x, double *c)
{
    project_out(dim, q, columns, x, c);
}

bool ap_nd_solve_active_set(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *factor, double *v)
{
    return solve_active_set(pair, simplex, factor, v);
}
