/* Do two bodies at distance 0 touch or overlap? A face of the Minkowski difference M has been found that contains the
 * origin to rounding.
 *
 * The origin is strictly inside M if and only if there is no direction d with d.w >= 0 for all points w of M (a
 * separating plane through the origin). If a simplex with vertices in M has the origin in its relative interior, such a
 * d is orthogonal to the simplex. So the directions of the simplex are frozen, and d is searched in the space
 * orthogonal to them: start with any d there; while M has a point with d.w < 0, add it to a new simplex and take its
 * point closest to the origin (Wolfe's method) as the next d. Either this finds a d as wanted, and the bodies touch, or
 * the new simplex contains the origin, and its directions are frozen as well. When no direction is left, the bodies
 * overlap.
 *
 * The method is ours. */
#include <string.h>

#include "nd.h"

/* The distance of the origin from the facet opposite vertex i, within the space of the simplex: lambda_i over the
 * length of its gradient. The gradient is y with transpose(r) y = the i-th unit vector; that of vertex 0 is the
 * negative sum of the others. */
static double origin_to_facet(const ap_nd_pair *pair, const ap_nd_simplex *simplex, const ap_nd_factor *f, size_t i)
{
    const size_t dim = pair->dim, size = simplex->count - 1;
    for (size_t j = 0; j < size; j++) {
        const double *column = f->r + (f->frozen + j) * dim + f->frozen;
        double sum = i == 0 || j == i - 1 ? 1.0 : 0.0;
        for (size_t l = 0; l < j; l++) {
            ap_count_mul(1);
            sum -= column[l] * f->work[l];
        }
        ap_count_div(1);
        f->work[j] = sum / column[j];
    }
    ap_count_div(2);
    return simplex->lambda[i] / sqrt(ap_nd_dot(size, f->work, f->work));
}

/* Drops vertices while the origin is on a facet to rounding, which is also the case if the simplex has no thickness. */
static void drop_to_interior(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *f, double *v)
{
    const double noise = ap_nd_noise(pair);
    while (simplex->count > 1) {
        size_t nearest = 0;
        double least = INFINITY;
        for (size_t i = 0; i < simplex->count; i++) {
            const double distance = origin_to_facet(pair, simplex, f, i);
            if (!(distance >= least)) {
                nearest = i;
                least = distance > 0.0 ? distance : 0.0;
            }
        }
        if (least > noise) {
            return;
        }
        ap_nd_drop(simplex, nearest);
        f->columns = f->frozen;
        ap_nd_solve_active_set(pair, simplex, f, v);
    }
}

/* A unit direction orthogonal to the frozen columns: the part of the direction between the centroids if that is not 0
 * to rounding, else that of the coordinate axis of which the frozen columns cover least. */
static void free_direction(const ap_nd_pair *pair, const ap_nd_factor *f, double *d)
{
    const size_t dim = pair->dim;
    double length;
    ap_nd_centroid_difference(pair, d);
    ap_nd_project_out(dim, f->q, f->frozen, d, NULL);
    if (ap_nd_normalise(dim, d, &length) && length > ap_nd_noise(pair)) {
        return;
    }
    size_t axis = 0;
    double least = INFINITY;
    for (size_t k = 0; k < dim; k++) {
        double covered = 0.0;
        for (size_t j = 0; j < f->frozen; j++) {
            ap_count_mul(1);
            covered += f->q[j * dim + k] * f->q[j * dim + k];
        }
        if (covered < least) {
            least = covered;
            axis = k;
        }
    }
    memset(d, 0, dim * sizeof *d);
    d[axis] = 1.0;
    ap_nd_project_out(dim, f->q, f->frozen, d, NULL);
    ap_nd_normalise(dim, d, NULL);
}

/* Searches the space orthogonal to the frozen columns. False if `best` has become a direction d with d.w >= 0 for all
 * w, or the limit was reached; true if `simplex` contains the origin of this space. */
static bool enclose_origin(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *f, double *v, uint32_t *limit,
                           ap_nd_separation *best)
{
    const double noise = ap_nd_noise(pair);
    free_direction(pair, f, v);
    simplex->count = 0;
    while (*limit > 0) {
        uint32_t index_a, index_b;
        double length;
        --*limit;
        const double value = ap_nd_support(pair, v, &index_a, &index_b);
        if (value > best->value) {
            best->value = value;
            memcpy(best->normal, v, pair->dim * sizeof *v);
        }
        if (value >= -noise) {
            return false;
        }
        ap_nd_append(simplex, index_a, index_b, simplex->count == 0 ? 1.0 : 0.0);
        if (ap_nd_solve_active_set(pair, simplex, f, v) || !ap_nd_normalise(pair->dim, v, &length) || length <= noise) {
            return true;
        }
    }
    return false;
}

bool ap_nd_overlaps(const ap_nd_pair *pair, ap_nd_simplex *face, ap_nd_factor *factor, double *v, uint32_t limit,
                    ap_nd_separation *best)
{
    factor->frozen = factor->columns = 0;
    ap_nd_solve_active_set(pair, face, factor, v);
    for (size_t round = 0; round <= pair->dim; round++) {
        drop_to_interior(pair, face, factor, v);
        factor->frozen += face->count - 1;
        factor->columns = factor->frozen;
        if (factor->frozen == pair->dim) {
            return true;
        }
        if (!enclose_origin(pair, face, factor, v, &limit, best)) {
            return false;
        }
    }
    return false;
}
