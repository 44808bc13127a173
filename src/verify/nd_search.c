/* The distance of two point sets in n dimensions: the check's own search for the point of the Minkowski difference
 * closest to the origin (Wolfe 1976), in double-double arithmetic, with every point visited. As in core_distance.c no
 * proof relies on a solution being accurate: any direction bounds the distance from below, any weights from above. */
#include "nd_points.h"

#define N AP_VERIFY_ND_DIM
#define MAX_STEPS 1000
/* Pivots below this are 0: the points are affinely dependent. */
#define LEAST_PIVOT 0x1p-95
/* An enclosing simplex must contain a ball of this radius, and its inverse must be right to LARGEST_RESIDUAL. */
#define LEAST_BALL 0x1p-20
#define LARGEST_RESIDUAL 0x1p-40

/* Points b - a and the weights of the point closest to the origin. */
typedef struct {
    size_t count;
    ap_dd w[N + 1][N];
    ap_dd lambda[N + 1];
} nd_simplex;

/* A square matrix with right-hand sides. */
typedef struct {
    size_t size, columns;
    ap_dd cell[N + 2][2 * (N + 2)];
} linear_system;

static ap_dd dd_dot_n(size_t n, const ap_dd *a, const ap_dd *b)
{
    ap_dd sum = ap_dd_from(0.0);
    for (size_t k = 0; k < n; k++) {
        sum = ap_dd_add(sum, ap_dd_mul(a[k], b[k]));
    }
    return sum;
}

static ap_dd point_value(const ap_verify_nd *v, const double *x, const ap_dd *d)
{
    ap_dd sum = ap_dd_from(0.0);
    for (size_t k = 0; k < v->dim; k++) {
        sum = ap_dd_add(sum, ap_dd_mul(d[k], ap_verify_nd_coordinate(v, x, k)));
    }
    return sum;
}

/* The point of a set that is farthest against d. */
static ap_dd least_value(const ap_verify_nd *v, const apart_points_nd *set, const ap_dd *d, double sign, size_t *index)
{
    ap_dd least = ap_dd_from(0.0);
    for (size_t i = 0; i < set->count; i++) {
        const ap_dd plain = point_value(v, set->coordinates + i * v->dim, d);
        const ap_dd value = sign < 0.0 ? ap_dd_neg(plain) : plain;
        if (i == 0 || ap_dd_less(value, least)) {
            least = value;
            *index = i;
        }
    }
    return least;
}

double ap_verify_nd_separation(const ap_verify_nd *v, const ap_dd *d, size_t *index_a, size_t *index_b)
{
    const ap_dd a = least_value(v, v->a, d, -1.0, index_a), b = least_value(v, v->b, d, 1.0, index_b);
    const ap_dd length = ap_dd_sqrt(dd_dot_n(v->dim, d, d));
    if (!(length.hi > 0.0)) {
        return -INFINITY;
    }
    return ap_dd_below(ap_dd_sub(ap_dd_div(ap_dd_add(a, b), length), ap_dd_from(v->slack)));
}

/* Gauss-Jordan elimination with row pivoting; false: a pivot is 0 to rounding. */
static bool solve_system(linear_system *m)
{
    for (size_t k = 0; k < m->size; k++) {
        size_t row = k;
        for (size_t i = k + 1; i < m->size; i++) {
            row = fabs(m->cell[i][k].hi) > fabs(m->cell[row][k].hi) ? i : row;
        }
        if (!(fabs(m->cell[row][k].hi) > LEAST_PIVOT)) {
            return false;
        }
        for (size_t j = 0; j < m->columns; j++) {
            const ap_dd swapped = m->cell[row][j];
            m->cell[row][j] = m->cell[k][j];
            m->cell[k][j] = swapped;
        }
        for (size_t i = 0; i < m->size; i++) {
            const ap_dd factor = ap_dd_div(m->cell[i][k], m->cell[k][k]);
            for (size_t j = k; j < m->columns && i != k; j++) {
                m->cell[i][j] = ap_dd_sub(m->cell[i][j], ap_dd_mul(factor, m->cell[k][j]));
            }
        }
    }
    return true;
}

/* Weights of the point of the affine hull closest to the origin: G alpha + nu = 0, sum alpha = 1. */
static bool affine_weights(const nd_simplex *s, size_t dim, ap_dd *alpha)
{
    linear_system m = {.size = s->count + 1, .columns = s->count + 2};
    for (size_t i = 0; i <= s->count; i++) {
        for (size_t j = 0; j <= s->count; j++) {
            const bool inner = i < s->count && j < s->count;
            m.cell[i][j] = inner ? dd_dot_n(dim, s->w[i], s->w[j]) : ap_dd_from(i == j ? 0.0 : 1.0);
        }
        m.cell[i][s->count + 1] = ap_dd_from(i == s->count ? 1.0 : 0.0);
    }
    if (!solve_system(&m)) {
        return false;
    }
    for (size_t i = 0; i < s->count; i++) {
        alpha[i] = ap_dd_div(m.cell[i][s->count + 1], m.cell[i][i]);
    }
    return true;
}

static void drop_vertex(nd_simplex *s, size_t i)
{
    s->count--;
    for (; i < s->count; i++) {
        memcpy(s->w[i], s->w[i + 1], sizeof s->w[i]);
        s->lambda[i] = s->lambda[i + 1];
    }
}

/* Moves lambda towards alpha until a weight becomes 0, and drops that vertex. False: alpha is reached. */
static bool step_to_boundary(nd_simplex *s, const ap_dd *alpha)
{
    ap_dd step = ap_dd_from(1.0);
    size_t leaving = s->count;
    for (size_t i = 0; i < s->count; i++) {
        if (alpha[i].hi <= 0.0) {
            const ap_dd way = ap_dd_sub(s->lambda[i], alpha[i]);
            const ap_dd ratio = ap_dd_positive(way) ? ap_dd_div(s->lambda[i], way) : ap_dd_from(0.0);
            if (leaving == s->count || ap_dd_less(ratio, step)) {
                step = ratio;
                leaving = i;
            }
        }
    }
    for (size_t i = 0; i < s->count; i++) {
        const ap_dd moved = ap_dd_mul(step, ap_dd_sub(alpha[i], s->lambda[i]));
        s->lambda[i] = leaving == s->count ? alpha[i] : ap_dd_add(s->lambda[i], moved);
    }
    if (leaving == s->count) {
        return false;
    }
    drop_vertex(s, leaving);
    return true;
}

/* The closest point of the simplex; its weights. False: the points are affinely dependent. */
static bool reduce_nd_simplex(nd_simplex *s, size_t dim)
{
    ap_dd alpha[N + 1];
    do {
        if (!affine_weights(s, dim, alpha)) {
            return false;
        }
    } while (step_to_boundary(s, alpha));
    return true;
}

/* v = sum lambda w / sum lambda, with all weights non-negative; its length. */
static ap_dd blend_simplex(const nd_simplex *s, size_t dim, ap_dd *v)
{
    ap_dd sum = ap_dd_from(0.0);
    for (size_t k = 0; k < dim; k++) {
        v[k] = ap_dd_from(0.0);
    }
    for (size_t i = 0; i < s->count; i++) {
        if (ap_dd_positive(s->lambda[i])) {
            sum = ap_dd_add(sum, s->lambda[i]);
            for (size_t k = 0; k < dim; k++) {
                v[k] = ap_dd_add(v[k], ap_dd_mul(s->lambda[i], s->w[i][k]));
            }
        }
    }
    for (size_t k = 0; k < dim; k++) {
        v[k] = ap_dd_div(v[k], sum);
    }
    return ap_dd_sqrt(dd_dot_n(dim, v, v));
}

/* The largest entry of T X - I, where T has the columns (w_i, 1) and X is the solution in m. */
static double inverse_residual(const nd_simplex *s, size_t dim, ap_dd x[N + 1][N + 1])
{
    double most = 0.0;
    for (size_t row = 0; row <= dim; row++) {
        for (size_t column = 0; column <= dim; column++) {
            ap_dd sum = ap_dd_from(row == column ? -1.0 : 0.0);
            for (size_t i = 0; i <= dim; i++) {
                const ap_dd t = row < dim ? s->w[i][row] : ap_dd_from(1.0);
                sum = ap_dd_add(sum, ap_dd_mul(t, x[i][column]));
            }
            most = ap_max(most, fabs(ap_dd_value(sum)));
        }
    }
    return most;
}

/* The radius of a ball about the origin inside a simplex of dim + 1 points, 0 if that is not sure. The weight of vertex i
 * at x is g_i.x + lambda_i, the i-th row of the inverse of T; the facet opposite is lambda_i / |g_i| from the origin. With
 * residual e, a row is wrong by (dim + 1) e of its length, and the quotient by less than 2^-30. */
static double enclosed_ball(const nd_simplex *s, size_t dim)
{
    linear_system m = {.size = dim + 1, .columns = 2 * (dim + 1)};
    ap_dd x[N + 1][N + 1];
    for (size_t i = 0; i <= dim; i++) {
        for (size_t j = 0; j <= dim; j++) {
            m.cell[i][j] = i < dim ? s->w[j][i] : ap_dd_from(1.0);
            m.cell[i][dim + 1 + j] = ap_dd_from(i == j ? 1.0 : 0.0);
        }
    }
    if (!solve_system(&m)) {
        return 0.0;
    }
    double radius = INFINITY;
    for (size_t i = 0; i <= dim; i++) {
        for (size_t j = 0; j <= dim; j++) {
            x[i][j] = ap_dd_div(m.cell[i][dim + 1 + j], m.cell[i][i]);
        }
        const double gradient = ap_dd_value(ap_dd_sqrt(dd_dot_n(dim, x[i], x[i])));
        radius = ap_min(radius, ap_dd_value(x[i][dim]) / gradient);
    }
    const bool sure = inverse_residual(s, dim, x) <= LARGEST_RESIDUAL && radius > LEAST_BALL && radius < INFINITY;
    return sure ? radius - 0x1p-25 : 0.0;
}

static bool add_difference(const ap_verify_nd *v, nd_simplex *s, size_t index_a, size_t index_b)
{
    const double *a = v->a->coordinates + index_a * v->dim, *b = v->b->coordinates + index_b * v->dim;
    ap_dd *w = s->w[s->count];
    for (size_t k = 0; k < v->dim; k++) {
        w[k] = ap_dd_sub(ap_verify_nd_coordinate(v, b, k), ap_verify_nd_coordinate(v, a, k));
    }
    for (size_t i = 0; i < s->count; i++) {
        if (memcmp(s->w[i], w, v->dim * sizeof *w) == 0) {
            return false;
        }
    }
    s->lambda[s->count] = ap_dd_from(s->count == 0 ? 1.0 : 0.0);
    s->count++;
    return true;
}

/* The first direction: `start`, or from A's first point to B's. */
static void first_direction(const ap_verify_nd *v, const double *start, ap_dd *d)
{
    double most = 0.0;
    for (size_t k = 0; k < v->dim; k++) {
        d[k] = start != NULL ? ap_dd_from(start[k]) : ap_verify_nd_coordinate(v, v->b->coordinates, k);
        most = ap_max(most, fabs(d[k].hi));
    }
    d[0] = most > 0.0 ? d[0] : ap_dd_from(1.0);
}

ap_verify_bounds ap_verify_nd_nearest(const ap_verify_nd *v, const double *start, ap_verify_goal goal)
{
    ap_verify_bounds bounds = {.lower = -INFINITY, .upper = INFINITY};
    nd_simplex s = {.count = 0};
    ap_dd d[N];
    first_direction(v, start, d);
    for (int step = 0; step < MAX_STEPS; step++) {
        size_t index_a = 0, index_b = 0;
        bounds.lower = ap_max(bounds.lower, ap_verify_nd_separation(v, d, &index_a, &index_b));
        if (!add_difference(v, &s, index_a, index_b) || !reduce_nd_simplex(&s, v->dim)) {
            return bounds;
        }
        const ap_dd length = blend_simplex(&s, v->dim, d);
        bounds.upper = ap_min(bounds.upper, ap_dd_above(ap_dd_add(length, ap_dd_from(v->slack))));
        if (s.count > v->dim) {
            const double ball = enclosed_ball(&s, v->dim);
            bounds.upper = ball > 0.0 ? -ball : bounds.upper;
            return bounds;
        }
        if (ap_verify_goal_reached(goal, bounds) || !(length.hi > 0.0)) {
            return bounds;
        }
    }
    return bounds;
}
