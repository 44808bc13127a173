/* The fallback solver in n dimensions: the active set of active_set.h with every number a double-double. It runs only
 * when the bounds of the chosen solver do not close.
 *
 * Points b - a are exact and products carry 106 bits, so the normal of a simplex whose thickness is 1e-15 of its size
 * has 15 correct digits. v and the weights are rounded to double at the end. */
#include "nd.h"

typedef ap_dd number;

static inline ap_dd number_from(double x) { return ap_dd_from(x); }

static inline double number_leading(ap_dd x) { return x.hi; }

static inline double number_rounded(ap_dd x) { return ap_dd_value(x); }

static inline ap_dd number_negate(ap_dd x) { return ap_dd_neg(x); }

static inline ap_dd number_add(ap_dd x, ap_dd y) { return ap_dd_add(x, y); }

static inline ap_dd number_subtract(ap_dd x, ap_dd y) { return ap_dd_sub(x, y); }

static inline ap_dd number_multiply(ap_dd x, ap_dd y) { return ap_dd_mul(x, y); }

static inline ap_dd number_divide(ap_dd x, ap_dd y) { return ap_dd_div(x, y); }

/* One Newton step on the root in double. */
static inline ap_dd number_root(ap_dd x)
{
    const double s = sqrt(x.hi);
    ap_count_div(2);
    const ap_dd error = ap_dd_sub(x, ap_two_product(s, s));
    return ap_quick_two_sum(s, error.hi / (2.0 * s));
}

static inline bool number_is_positive(ap_dd x) { return ap_dd_positive(x) && isfinite(x.hi); }

/* Exact: the difference of two doubles, times a power of two. */
static inline ap_dd number_coordinate(const ap_nd_pair *pair, const ap_nd_simplex *simplex, size_t i, size_t k)
{
    return ap_nd_w_exact(pair, simplex->index_a[i], simplex->index_b[i], k);
}

#include "active_set.h"

bool ap_nd_solve_double_double(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *factor, double *v)
{
    return solve_active_set(pair, simplex, factor, v);
}
