/* The query in n dimensions: the pair of point sets, a simplex of the TCSO {b - a}, and the solvers that find its point
 * closest to the origin.
 *
 * Legend: w = (b - a) scale a point of the TCSO; v the closest point of the simplex; lambda its weights, v = sum lambda w.
 * The pair is seen recentred and scaled by a power of two to the size of 1; coordinates are read from the caller's arrays on the fly. */
#ifndef AP_ND_ND_H
#define AP_ND_ND_H

#include <apart/nd.h>

#include "../math/eft.h"
#include "../simplex/solve_by_subsets.h"


/* The depth of overlapping bodies: up to this dimension. */
#define AP_ND_DEPTH_DIM APART_ND_DEPTH_DIM

/* Half a unit in the last place of 1: the bound of a rounding error. */
#define AP_ND_U 0x1p-53

typedef struct ap_nd_pair {
    size_t dim;
    apart_points_nd a, b;
    double *centre;     /* dim: of the joint bounding box */
    double scale;
    double radius;      /* no less than |x - centre| * scale of any point */
    apart_stats *stats; /* may be NULL */
} ap_nd_pair;

/* Up to dim + 1 vertices. */
typedef struct ap_nd_simplex {
    size_t count;
    uint32_t *index_a, *index_b;
    double *lambda;
} ap_nd_simplex;

/* QR of the differences to vertex 0. The double-double solver sees pairs of doubles in the same memory.
 * The first `frozen` columns of q stay what they are: only what is orthogonal to them counts. */
typedef struct ap_nd_factor {
    double *q;      /* dim columns of dim */
    double *r;      /* the same; column j holds its coefficients in q_0 .. q_j */
    double *rhs;    /* dim */
    double *alpha;  /* dim + 1 */
    double *work;   /* dim */
    size_t frozen;
    size_t columns; /* valid columns of q and r, the frozen ones included */
} ap_nd_factor;

/* A direction and how much of the TCSO lies ahead of it. */
typedef struct ap_nd_separation {
    double *normal; /* dim, unit to rounding */
    double value;   /* the smallest normal.w, as computed */
} ap_nd_separation;

/* Finds the closest point of a simplex whose lambdas are legal (the newest, last vertex may have 0): drops vertices, sets lambdas and v
 * (dim). True when dim - frozen + 1 vertices remain: the origin is inside, v = 0. */
typedef bool ap_nd_solver_fn(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *factor, double *v);

ap_nd_solver_fn ap_nd_solve_active_set;
ap_nd_solver_fn ap_nd_solve_double_double; /* without frozen columns */
ap_nd_solver_fn ap_nd_solve_johnson;       /* dim <= AP_ND_ENUMERATED_DIM, without frozen columns; likewise: */
ap_nd_solver_fn ap_nd_solve_least_squares;

/* contact.c: is the origin, which `face` holds to rounding, strictly inside the TCSO? If not, `best` has become a direction that has the
 * whole TCSO ahead of it to rounding (unless `limit` support searches were too few). Works in `face`, `factor` and v (dim). */
bool ap_nd_overlaps(const ap_nd_pair *pair, ap_nd_simplex *face, ap_nd_factor *factor, double *v, uint32_t limit, ap_nd_separation *best);

/* pair.c: the pair in its frame. Checks the coordinates and fills centre, scale and radius. */
apart_status ap_nd_prepare(ap_nd_pair *pair);

/* The smallest d.w over the TCSO, as computed, and the lowest pair of indices that has it; every point is looked at. */
double ap_nd_support(const ap_nd_pair *pair, const double *d, uint32_t *index_a, uint32_t *index_b);

/* Centroid of B minus centroid of A. */
void ap_nd_centroid_difference(const ap_nd_pair *pair, double *d);

/* A length that rounding can make of 0: w, v and d.w err by less. */
double ap_nd_noise(const ap_nd_pair *pair);

void ap_nd_vertex(const ap_nd_pair *pair, const ap_nd_simplex *simplex, size_t i, double *w);

void ap_nd_append(ap_nd_simplex *simplex, uint32_t index_a, uint32_t index_b, double lambda);

/* Removes a vertex, keeping the order of the others. */
void ap_nd_drop(ap_nd_simplex *simplex, size_t k);

/* Takes the direction of x; false, and x as it was, if x is 0 to underflow. *length may be NULL. */
bool ap_nd_normalise(size_t dim, double *x, double *length);

/* solve_active_set.c: takes out of x what lies in the first columns of q, twice; adds the coefficients to c unless it is NULL. */
void ap_nd_project_out(size_t dim, const double *q, size_t columns, double *x, double *c);

/* One coordinate of a TCSO point. */
static inline double ap_nd_w(const ap_nd_pair *pair, uint32_t index_a, uint32_t index_b, size_t k)
{
    ap_count_mul(1);
    return (pair->b.coordinates[index_b * pair->dim + k] - pair->a.coordinates[index_a * pair->dim + k]) * pair->scale;
}

#endif
