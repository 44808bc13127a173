/* Where are the points of both sets in the query's frame, and which is the support point of a direction? Also the basic
 * operations on simplices and vectors of n dimensions.
 *
 * The origin of the frame is the centre of the joint bounding box, and lengths are multiplied by a power of two that
 * brings the largest side of the box into [1, 2), so that an offset common to both bodies and the choice of units do
 * not matter. Nothing is copied: x - centre and b - a are computed from the caller's doubles whenever they are needed,
 * with one rounding each. */
#include <float.h>
#include <string.h>

#include "nd.h"

static apart_status check_points(const apart_points_nd *p, size_t dim)
{
    for (size_t i = 0; i < p->count * dim; i++) {
        if (!isfinite(p->coordinates[i])) {
            return APART_ERR_NONFINITE;
        }
    }
    return APART_OK;
}

static void widen_interval(const apart_points_nd *p, size_t dim, size_t k, double *low, double *high)
{
    for (size_t i = 0; i < p->count; i++) {
        const double x = p->coordinates[i * dim + k];
        *low = ap_min(*low, x);
        *high = ap_max(*high, x);
    }
}

static double recentred(const ap_nd_pair *pair, const double *x, size_t k)
{
    ap_count_mul(1);
    return (x[k] - pair->centre[k]) * pair->scale;
}

static double largest_square(const ap_nd_pair *pair, const apart_points_nd *p)
{
    double largest = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < pair->dim; k++) {
            const double x = recentred(pair, p->coordinates + i * pair->dim, k);
            ap_count_mul(1);
            sum += x * x;
        }
        largest = ap_max(largest, sum);
    }
    return largest;
}

/* d.x in the query's frame. */
static double dot_with_point(const ap_nd_pair *pair, const double *x, const double *d)
{
    double sum = 0.0;
    for (size_t k = 0; k < pair->dim; k++) {
        ap_count_mul(1);
        sum += d[k] * recentred(pair, x, k);
    }
    return sum;
}

apart_status ap_nd_prepare(ap_nd_pair *pair)
{
    const size_t dim = pair->dim;
    if (check_points(&pair->a, dim) != APART_OK || check_points(&pair->b, dim) != APART_OK) {
        return APART_ERR_NONFINITE;
    }
    double side = 0.0;
    for (size_t k = 0; k < dim; k++) {
        double low = pair->a.coordinates[k], high = low;
        widen_interval(&pair->a, dim, k, &low, &high);
        widen_interval(&pair->b, dim, k, &low, &high);
        side = ap_max(side, high - low);
        pair->centre[k] = low + 0.5 * (high - low);
    }
    /* Lengths are up to 32 sides (the diagonal in 1024 dimensions), and bounds a little more. */
    if (side > DBL_MAX / 64.0) {
        return APART_ERR_OVERFLOW;
    }
    pair->scale = ap_power_of_two_scale(side);
    const double square = ap_max(largest_square(pair, &pair->a), largest_square(pair, &pair->b));
    ap_count_div(1);
    ap_count_mul(2);
    pair->radius = sqrt(square) * (1.0 + ((double)dim + 8.0) * AP_ND_U);
    return APART_OK;
}

double ap_nd_support(const ap_nd_pair *pair, const double *d, uint32_t *index_a, uint32_t *index_b)
{
    const size_t dim = pair->dim;
    double largest = dot_with_point(pair, pair->a.coordinates, d);
    double smallest = dot_with_point(pair, pair->b.coordinates, d);
    *index_a = *index_b = 0;
    for (size_t i = 1; i < pair->a.count; i++) {
        const double x = dot_with_point(pair, pair->a.coordinates + i * dim, d);
        if (x > largest) {
            largest = x;
            *index_a = (uint32_t)i;
        }
    }
    for (size_t i = 1; i < pair->b.count; i++) {
        const double x = dot_with_point(pair, pair->b.coordinates + i * dim, d);
        if (x < smallest) {
            smallest = x;
            *index_b = (uint32_t)i;
        }
    }
    if (pair->stats != NULL) {
        pair->stats->support_calls += 2;
        pair->stats->vertices_visited += pair->a.count + pair->b.count;
    }
    return smallest - largest;
}

static void add_mean(const ap_nd_pair *pair, const apart_points_nd *p, double sign, double *d)
{
    for (size_t k = 0; k < pair->dim; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < p->count; i++) {
            sum += recentred(pair, p->coordinates + i * pair->dim, k);
        }
        ap_count_div(1);
        d[k] += sign * (sum / (double)p->count);
    }
}

void ap_nd_centroid_difference(const ap_nd_pair *pair, double *d)
{
    memset(d, 0, pair->dim * sizeof *d);
    add_mean(pair, &pair->b, 1.0, d);
    add_mean(pair, &pair->a, -1.0, d);
}

/* A support value errs by less than (2 dim + 2) u radius (distance.c). v is w_0 (length at most 2 radius, error u)
 * minus its parts along at most dim unit columns: each of those dot products has dim terms, but the second pass removes
 * the errors of the first except for its last few roundings; about 2u radius remains for each column. The constant is
 * twice the sum and a little more. */
double ap_nd_noise(const ap_nd_pair *pair)
{
    ap_count_mul(3);
    return (4.0 * (double)pair->dim + 32.0) * AP_ND_U * pair->radius;
}

void ap_nd_vertex(const ap_nd_pair *pair, const ap_nd_simplex *simplex, size_t i, double *w)
{
    for (size_t k = 0; k < pair->dim; k++) {
        w[k] = ap_nd_w(pair, simplex->index_a[i], simplex->index_b[i], k);
    }
}

void ap_nd_append(ap_nd_simplex *simplex, uint32_t index_a, uint32_t index_b, double lambda)
{
    const size_t i = simplex->count++;
    simplex->index_a[i] = index_a;
    simplex->index_b[i] = index_b;
    simplex->lambda[i] = lambda;
}

void ap_nd_drop(ap_nd_simplex *simplex, size_t k)
{
    simplex->count--;
    for (size_t i = k; i < simplex->count; i++) {
        simplex->index_a[i] = simplex->index_a[i + 1];
        simplex->index_b[i] = simplex->index_b[i + 1];
        simplex->lambda[i] = simplex->lambda[i + 1];
    }
}

bool ap_nd_normalise(size_t dim, double *x, double *length)
{
    const double square = ap_nd_dot(dim, x, x), norm = sqrt(square);
    ap_count_div(1);
    if (length != NULL) {
        *length = square > AP_ND_LEAST_SQUARE ? norm : 0.0;
    }
    if (!(square > AP_ND_LEAST_SQUARE)) {
        return false;
    }
    for (size_t k = 0; k < dim; k++) {
        ap_count_div(1);
        x[k] /= norm;
    }
    return true;
}
