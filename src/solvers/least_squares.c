/* The solver by least squares: the blog post "A divide-and-conquer implementation of the GJK algorithm" (item D1 of
 * docs/papers.md).
 *
 * Legend: H the differences w_i - w_0 as columns; t minimises |H t + w_0|. If all t_i > 0 and their sum is < 1, w_0 + H
 * t is the closest point of the simplex; otherwise it is the closest of those of its faces, found in the same way.
 *
 * We differ in: the sign of w_0 (the text has H t - w_0); the normal equations H'H t = -H'w_0 are solved by Cholesky's
 * method without roots in place of an inverse by determinants; each face is solved once, although several simplices
 * share it: faces are numbered by the bits of their vertices and taken in descending order, so that every one comes
 * after all it is a face of; a face whose points are affinely dependent to rounding (a pivot that is not positive) is
 * handed down to its own faces. Known weakness, kept: the normal equations square the condition number of the
 * differences. */
#include <string.h>

#include "by_subsets.h"
#include "shared.h"

#define MAX_POINTS (AP_ND_ENUMERATED_DIM + 1)

/* The matrix H'H, which becomes its factors L and D in place, and -H'w_0, which becomes the solution t. */
typedef struct normal_equations {
    unsigned size;
    double matrix[MAX_POINTS - 1][MAX_POINTS - 1];
    double t[MAX_POINTS - 1];
} normal_equations;

/* The vertices of a face, ascending. */
static unsigned list_vertices(unsigned n, unsigned set, unsigned *id)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) {
        if (set >> i & 1u) {
            id[count++] = i;
        }
    }
    return count;
}

static void set_equations(const double *points, size_t dim, const unsigned *id, unsigned count, normal_equations *e)
{
    double h[MAX_POINTS - 1][AP_ND_ENUMERATED_DIM];
    const double *base = points + id[0] * dim;
    e->size = count - 1u;
    for (unsigned i = 0; i < e->size; i++) {
        const double *w = points + id[i + 1] * dim;
        for (size_t k = 0; k < dim; k++) {
            h[i][k] = w[k] - base[k];
        }
        for (unsigned j = 0; j <= i; j++) {
            e->matrix[i][j] = ap_nd_dot(dim, h[i], h[j]);
        }
        e->t[i] = -ap_nd_dot(dim, h[i], base);
    }
}

/* matrix = L D L'; false if a pivot is not positive. */
static bool factor_matrix(normal_equations *e)
{
    for (unsigned j = 0; j < e->size; j++) {
        for (unsigned k = 0; k < j; k++) {
            ap_count_mul(2);
            e->matrix[j][j] -= e->matrix[j][k] * e->matrix[j][k] * e->matrix[k][k];
        }
        if (!(e->matrix[j][j] > 0.0)) {
            return false;
        }
        for (unsigned i = j + 1u; i < e->size; i++) {
            for (unsigned k = 0; k < j; k++) {
                ap_count_mul(2);
                e->matrix[i][j] -= e->matrix[i][k] * e->matrix[j][k] * e->matrix[k][k];
            }
            ap_count_div(1);
            e->matrix[i][j] /= e->matrix[j][j];
        }
    }
    return true;
}

static void solve_factored(normal_equations *e)
{
    for (unsigned i = 0; i < e->size; i++) {
        for (unsigned k = 0; k < i; k++) {
            ap_count_mul(1);
            e->t[i] -= e->matrix[i][k] * e->t[k];
        }
    }
    for (unsigned i = e->size; i-- > 0;) {
        ap_count_div(1);
        e->t[i] /= e->matrix[i][i];
        for (unsigned k = i + 1u; k < e->size; k++) {
            ap_count_mul(1);
            e->t[i] -= e->matrix[k][i] * e->t[k];
        }
    }
}

/* Is the closest point of the face's affine hull inside the face? If so, sets its weights. */
static bool find_face_weights(const double *points, size_t dim, const unsigned *id, unsigned count, double *weight)
{
    normal_equations e;
    set_equations(points, dim, id, count, &e);
    if (!factor_matrix(&e)) {
        return false;
    }
    solve_factored(&e);
    double sum = 0.0;
    for (unsigned i = 0; i < e.size; i++) {
        if (!(e.t[i] > 0.0)) {
            return false;
        }
        weight[i + 1] = e.t[i];
        sum += e.t[i];
    }
    weight[0] = 1.0 - sum;
    return weight[0] > 0.0;
}

/* w_0 + H t; returns its squared length. */
static double face_point(const double *points, size_t dim, const unsigned *id, unsigned count, const double *weight,
                         double *v)
{
    const double *base = points + id[0] * dim;
    for (size_t k = 0; k < dim; k++) {
        double sum = base[k];
        for (unsigned i = 1; i < count; i++) {
            ap_count_mul(1);
            sum += weight[i] * (points[id[i] * dim + k] - base[k]);
        }
        v[k] = sum;
    }
    return ap_nd_dot(dim, v, v);
}

/* Spreads the weights of a face's vertices over all points. */
static void scatter_weights(unsigned n, const unsigned *id, unsigned count, const double *weight, double *lambda)
{
    for (unsigned i = 0; i < n; i++) {
        lambda[i] = 0.0;
    }
    for (unsigned i = 0; i < count; i++) {
        lambda[id[i]] = weight[i];
    }
}

unsigned ap_least_squares(unsigned n, size_t dim, const double *points, double *lambda, double *v)
{
    bool open[1u << MAX_POINTS] = {false};
    unsigned best = 0u;
    double best_norm = 0.0;
    open[(1u << n) - 1u] = true;
    for (unsigned set = (1u << n) - 1u; set > 0u; set--) {
        unsigned id[MAX_POINTS] = {0u};
        double weight[MAX_POINTS], point[AP_ND_ENUMERATED_DIM];
        if (!open[set]) {
            continue;
        }
        const unsigned count = list_vertices(n, set, id);
        if (!find_face_weights(points, dim, id, count, weight)) {
            for (unsigned i = 0; i < count; i++) {
                open[set & ~(1u << id[i])] = true;
            }
            continue;
        }
        const double norm = face_point(points, dim, id, count, weight, point);
        if (best == 0u || norm < best_norm) {
            best = set;
            best_norm = norm;
            scatter_weights(n, id, count, weight, lambda);
            memcpy(v, point, dim * sizeof *v);
        }
    }
    return best;
}

bool ap_solve_least_squares(ap_simplex *simplex, int dim, apart_vec3 *v)
{
    double points[4 * 3] = {0.0}, lambda[4] = {0.0}, point[3] = {0.0};
    ap_simplex_coordinates(simplex, points);
    const unsigned keep = ap_least_squares((unsigned)simplex->count, 3, points, lambda, point);
    const bool inside = ap_simplex_take(simplex, dim, keep, lambda);
    *v = inside ? ap_vec(0.0, 0.0, 0.0) : ap_vec(point[0], point[1], point[2]);
    return inside;
}
