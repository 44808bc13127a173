/* Motions of the joints as polynomials in s: straight lines, and the cubic and quintic pieces of a JointTrajectory. */
#include <math.h>

#include "robot.h"

enum { ROW = 6 }; /* coefficients of a variable */

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
    }
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
        m->rate_most[v] = w->degree == 1 ? fabs(c[1]) : most_derivative(c, w->degree, 1, m->s, half);
        m->bend_most[v] = w->degree == 1 ? 0.0 : most_derivative(c, w->degree, 2, m->s, half);
    }
}

void apart_robot_segment_at(const apart_robot *r, const apart_robot_segment *g, double s, double *q)
{
    for (size_t v = 0; v < r->variable_count; v++) {
        double c[ROW];
        make_row(g, v, c);
        q[v] = g->degree == 1 ? c[0] + s * c[1] : derivative(c, g->degree, 0, s);
    }
}
