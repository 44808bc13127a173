/* Motions of the joints as polynomials in s: straight lines, and the cubic and quintic pieces of a JointTrajectory. */
#include <float.h>
#include <math.h>

#include "robot.h"

enum { ROW = 6 }; /* coefficients of a variable */
/* Of a derivative's coefficients (factors up to 60) and their sum, as a share of the magnitudes. */
static const double RANGE_TOLERANCE = 1e-9;
enum { RANGE_HALVINGS = 40 };
static const double DERIVATIVE_ROUNDING = 1024.0 * DBL_EPSILON;

/* Hermite interpolation in s = t / duration. */
static void make_row(const apart_robot_segment *g, size_t v, double *c)
{
    const double d = g->duration, q0 = g->q0[v], q1 = g->q1[v], way = q1 - q0;
    for (int k = 0; k < ROW; k++) {
        c[k] = 0.0;
    }
    c[0] = q0;
    if (g->degree == 1) {
        c[1] = way;
        return;
    }
    const double v0 = g->v0[v] * d, v1 = g->v1[v] * d;
    c[1] = v0;
    if (g->degree == 3) {
        c[2] = 3.0 * way - 2.0 * v0 - v1;
        c[3] = v0 + v1 - 2.0 * way;
        return;
    }
    const double a0 = g->a0[v] * d * d, a1 = g->a1[v] * d * d;
    c[2] = 0.5 * a0;
    c[3] = 10.0 * way - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1;
    c[4] = -15.0 * way + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1;
    c[5] = 6.0 * way - 3.0 * (v0 + v1) - 0.5 * (a0 - a1);
}

/* The derivative of order k at s. */
static double derivative(const double *c, int degree, int k, double s)
{
    double sum = 0.0;
    for (int i = degree; i >= k; i--) {
        double factor = 1.0;
        for (int j = 0; j < k; j++) {
            factor *= (double)(i - j);
        }
        sum = sum * s + factor * c[i];
    }
    return sum;
}

/* The largest derivative of order k within `half` of s: Taylor's series about s, which ends. */
static double most_derivative(const double *c, int degree, int k, double s, double half)
{
    double sum = 0.0, power = 1.0;
    for (int i = k; i <= degree; i++) {
        sum += fabs(derivative(c, degree, i, s)) * power;
        power *= half / (double)(i - k + 1);
    }
    return sum * (1.0 + 1e-14);
}

/* The sizes of all terms that a position is the sum of: the coefficients cancel, their rounding does not. */
static double magnitude_of(const apart_robot_segment *g, size_t v)
{
    const double d = g->duration, way = fabs(g->q1[v] - g->q0[v]);
    double sum = fabs(g->q0[v]) + (g->degree == 1 ? way : 32.0 * way);
    if (g->degree >= 3) {
        sum += 20.0 * d * (fabs(g->v0[v]) + fabs(g->v1[v]));
    }
    if (g->degree == 5) {
        sum += 4.0 * d * d * (fabs(g->a0[v]) + fabs(g->a1[v]));
    }
    return sum;
}

static bool has_data(const apart_robot_segment *g)
{
    const bool positions = g->q0 != NULL && g->q1 != NULL, speeds = g->v0 != NULL && g->v1 != NULL;
    return g->degree == 1 ? positions : positions && speeds && (g->degree == 3 || (g->a0 != NULL && g->a1 != NULL));
}

apart_status ap_robot_curve(apart_robot_work *w, const apart_robot_segment *g)
{
    if ((g->degree != 1 && g->degree != 3 && g->degree != 5) || (g->degree > 1 && !(g->duration > 0.0))) {
        return APART_ERR_OPTION;
    }
    if (!has_data(g)) {
        return APART_ERR_NULL;
    }
    w->degree = g->degree;
    for (size_t v = 0; v < w->cell->robot->variable_count; v++) {
        double *c = w->coefficients + ROW * v, sum = 0.0;
        make_row(g, v, c);
        for (int k = 0; k < ROW; k++) {
            sum += fabs(c[k]);
        }
        w->magnitudes[v] = magnitude_of(g, v);
        sum += w->magnitudes[v];
        if (!isfinite(sum)) {
            return APART_ERR_NONFINITE;
        }
    }
    return APART_OK;
}

void ap_robot_curve_at(const apart_robot_work *w, ap_robot_moment *m, double s)
{
    for (size_t v = 0; v < w->cell->robot->variable_count; v++) {
        const double *c = w->coefficients + ROW * v;
        m->q[v] = w->degree == 1 ? c[0] + s * c[1] : derivative(c, w->degree, 0, s);
        m->rate[v] = w->degree == 1 ? c[1] : derivative(c, w->degree, 1, s);
        m->change[v] = w->degree == 1 ? 0.0 : derivative(c, w->degree, 2, s);
    }
    m->magnitudes = w->magnitudes;
    ap_robot_moment_begin(w->cell->robot, m, s);
}

void ap_robot_curve_widen(const apart_robot_work *w, ap_robot_moment *m, double half)
{
    if (m->half == half) {
        return;
    }
    m->half = half;
    m->row_stamp++;
    for (size_t v = 0; v < w->cell->robot->variable_count; v++) {
        const double *c = w->coefficients + ROW * v;
        const double rounding = DERIVATIVE_ROUNDING * w->magnitudes[v];
        m->rate_most[v] = w->degree == 1 ? fabs(c[1]) : most_derivative(c, w->degree, 1, m->s, half) + rounding;
        m->bend_most[v] = w->degree == 1 ? 0.0 : most_derivative(c, w->degree, 2, m->s, half) + rounding;
        m->jolt_most[v] = w->degree == 1 ? 0.0 : most_derivative(c, w->degree, 3, m->s, half) + rounding;
    }
}

/* Bernstein's coefficients of a polynomial: it stays between the least and the largest of them (e.g. Farouki 2012). */
static void to_bernstein(const double *c, int degree, double *b)
{
    static const double binomial[ROW][ROW] = {{1, 0, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0}, {1, 2, 1, 0, 0, 0},
                                              {1, 3, 3, 1, 0, 0}, {1, 4, 6, 4, 1, 0}, {1, 5, 10, 10, 5, 1}};
    for (int i = 0; i <= degree; i++) {
        b[i] = 0.0;
        for (int k = 0; k <= i; k++) {
            b[i] += binomial[i][k] / binomial[degree][k] * c[k];
        }
    }
}

/* De Casteljau: the first half in place, the second into `late`. */
static void halve(double *b, int degree, double *late)
{
    for (int k = 0; k <= degree; k++) {
        late[degree - k] = b[degree];
        for (int i = degree; i > k; i--) {
            b[i] = 0.5 * (b[i] + b[i - 1]);
        }
    }
}

/* The largest value to within `slack`: halves that cannot exceed their ends by more are left out. */
static double largest_of(const double *b, int degree, double slack, int halvings)
{
    double late[ROW] = {0}, early[ROW], bound = b[0];
    const double seen = b[0] > b[degree] ? b[0] : b[degree];
    for (int i = 1; i <= degree; i++) {
        bound = b[i] > bound ? b[i] : bound;
    }
    if (bound <= seen + slack || halvings == 0) {
        return seen;
    }
    for (int i = 0; i <= degree; i++) {
        early[i] = b[i];
    }
    halve(early, degree, late);
    const double one = largest_of(early, degree, slack, halvings - 1),
                 two = largest_of(late, degree, slack, halvings - 1);
    return one > two ? one : two;
}

void apart_robot_segment_range(const apart_robot_segment *g, size_t v, double *least, double *most)
{
    double c[ROW], b[ROW] = {0};
    const double rounding = g->degree > 1 ? DERIVATIVE_ROUNDING * magnitude_of(g, v) : 0.0;
    if (g->degree == 1) {
        *least = fmin(g->q0[v], g->q1[v]);
        *most = fmax(g->q0[v], g->q1[v]);
        return;
    }
    make_row(g, v, c);
    to_bernstein(c, g->degree, b);
    const double slack = RANGE_TOLERANCE * magnitude_of(g, v) + rounding;
    *most = fmax(largest_of(b, g->degree, slack, RANGE_HALVINGS), fmax(g->q0[v], g->q1[v]));
    for (int i = 0; i <= g->degree; i++) {
        b[i] = -b[i];
    }
    *least = fmin(-largest_of(b, g->degree, slack, RANGE_HALVINGS), fmin(g->q0[v], g->q1[v]));
}

void apart_robot_segment_at(const apart_robot *r, const apart_robot_segment *g, double s, double *q)
{
    for (size_t v = 0; v < r->variable_count; v++) {
        double c[ROW];
        make_row(g, v, c);
        q[v] = g->degree == 1 ? c[0] + s * c[1] : derivative(c, g->degree, 0, s);
    }
}
