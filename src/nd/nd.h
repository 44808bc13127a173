/* Distance and penetration in n dimensions: what the files of this room share.
 *
 * The bodies are the convex hulls of two point sets of any dimension up to APART_ND_MAX_DIM. Which file answers which
 * question:
 *   distance.c                how far apart are they? The entry apart_distance_nd(), GJK's loop, the certificate
 *   pair.c                    where are the points in the query's frame; which is the support point of a direction?
 *   solve_*.c, active_set.h   which point of a simplex is closest to the origin?
 *   contact.c                 do bodies at distance 0 touch or overlap?
 *   depth.c, depth_surface.c  how deep is the overlap? The expanding polytope algorithm (EPA)
 *
 * How the room relates to the query in 2D and 3D (src/query, src/gjk): the algorithm is the same, GJK with a
 * certificate, but no code is shared except two solvers (../solvers/by_subsets.h). The points have no poses, no
 * radii and no adjacency, so a support point is found by a scan and there is nothing to start warm from. A simplex has
 * up to n + 1 vertices in memory whose size depends on n, so the cases of a tetrahedron cannot be listed: the solver is
 * an iteration. For the same reason the contact test and the surface of the depth search have methods of their own.
 *
 * Legend: w = (b - a) scale a point of the Minkowski difference {b - a}; v the closest point of the simplex to the
 * origin; lambda its weights, v = sum lambda w. "To rounding" always means to ap_nd_noise(). */
#ifndef AP_ND_ND_H
#define AP_ND_ND_H

#include <apart/nd.h>

#include "../math/eft.h"
#include "../solvers/by_subsets.h"

/* Depths are computed up to this dimension. */
#define AP_ND_DEPTH_DIM APART_ND_DEPTH_DIM

/* The unit roundoff u: half a unit in the last place of 1. */
#define AP_ND_U 0x1p-53

/* Vectors whose squared length is not above this count as 0: squares of components that matter would underflow. Lengths
 * in use are about 1. */
#define AP_ND_LEAST_SQUARE 0x1p-900

/* Both point sets in the query's frame: its origin is `centre`, and lengths are multiplied by `scale`. Coordinates are
 * not copied: they are transformed whenever they are read. */
typedef struct ap_nd_pair {
    size_t dim;
    apart_points_nd a, b;
    double *centre;     /* dim: of the joint bounding box */
    double scale;       /* a power of two that brings the box to a size of about 1 */
    double radius;      /* at least |x - centre| * scale of every point */
    apart_stats *stats; /* may be NULL */
} ap_nd_pair;

/* A simplex of the Minkowski difference: up to dim + 1 vertices, each given by the indices of its two points. */
typedef struct ap_nd_simplex {
    size_t count;
    uint32_t *index_a, *index_b;
    double *lambda;
} ap_nd_simplex;

/* The QR factors of the differences of the vertices to vertex 0, with room for numbers of two doubles each
 * (solve_double_double.c). The first `frozen` columns of q are not changed: the solver works in the space orthogonal to
 * them. */
typedef struct ap_nd_factor {
    double *q;     /* dim columns of dim */
    double *r;     /* dim columns of dim; column j holds its coefficients in q_0 .. q_j */
    double *rhs;   /* dim */
    double *alpha; /* dim + 1 */
    double *work;  /* dim */
    size_t frozen;
    size_t columns; /* valid columns of q and r, the frozen ones included */
} ap_nd_factor;

/* A separating direction, or the best one so far: the larger the value, the better. */
typedef struct ap_nd_separation {
    double *normal; /* dim, unit to rounding */
    double value;   /* the smallest normal.w over the Minkowski difference, as computed */
} ap_nd_separation;

/* ---- solve_*.c ---- */

/* Finds the closest point of a simplex whose lambdas are legal (the newest, last vertex may have 0): drops vertices,
 * sets lambdas and v (dim). True when dim - frozen + 1 vertices remain: the origin is inside, v = 0. */
typedef bool ap_nd_solver_fn(const ap_nd_pair *pair, ap_nd_simplex *simplex, ap_nd_factor *factor, double *v);

ap_nd_solver_fn ap_nd_solve_active_set;
ap_nd_solver_fn ap_nd_solve_double_double; /* the fallback */
ap_nd_solver_fn ap_nd_solve_johnson;       /* this and the next: dim <= AP_ND_ENUMERATED_DIM, no frozen columns */
ap_nd_solver_fn ap_nd_solve_least_squares;

/* Subtracts from x its parts along the first columns of q, twice; adds the coefficients to c unless it is NULL. */
void ap_nd_project_out(size_t dim, const double *q, size_t columns, double *x, double *c);

/* ---- contact.c ---- */

/* Is the origin, which lies on `face` to rounding, strictly inside the Minkowski difference? If not, `best` becomes a
 * direction d with d.w >= 0 for all its points to rounding, unless `limit` support searches were too few. Overwrites
 * `face`, `factor` and v (dim). */
bool ap_nd_overlaps(const ap_nd_pair *pair, ap_nd_simplex *face, ap_nd_factor *factor, double *v, uint32_t limit,
                    ap_nd_separation *best);

/* ---- pair.c ---- */

/* Checks the coordinates and sets centre, scale and radius. */
apart_status ap_nd_prepare(ap_nd_pair *pair);

/* The smallest d.w over the Minkowski difference, as computed, and the lowest pair of indices that has it. Every point
 * is evaluated. */
double ap_nd_support(const ap_nd_pair *pair, const double *d, uint32_t *index_a, uint32_t *index_b);

/* Centroid of B minus centroid of A. */
void ap_nd_centroid_difference(const ap_nd_pair *pair, double *d);

/* The largest length that rounding can make out of 0: w, v and d.w have smaller errors. */
double ap_nd_noise(const ap_nd_pair *pair);

/* Writes the point w of vertex i. */
void ap_nd_vertex(const ap_nd_pair *pair, const ap_nd_simplex *simplex, size_t i, double *w);

void ap_nd_append(ap_nd_simplex *simplex, uint32_t index_a, uint32_t index_b, double lambda);

/* Removes a vertex, keeping the order of the others. */
void ap_nd_drop(ap_nd_simplex *simplex, size_t k);

/* Divides x by its length; false, and x unchanged, if x is 0 up to underflow. *length may be NULL. */
bool ap_nd_normalise(size_t dim, double *x, double *length);

/* Coordinate k of a point w of the Minkowski difference, with one rounding (the scale is a power of two). */
static inline double ap_nd_w(const ap_nd_pair *pair, uint32_t index_a, uint32_t index_b, size_t k)
{
    ap_count_mul(1);
    return (pair->b.coordinates[index_b * pair->dim + k] - pair->a.coordinates[index_a * pair->dim + k]) * pair->scale;
}

/* The same without rounding. */
static inline ap_dd ap_nd_w_exact(const ap_nd_pair *pair, uint32_t index_a, uint32_t index_b, size_t k)
{
    const double a = pair->a.coordinates[index_a * pair->dim + k], b = pair->b.coordinates[index_b * pair->dim + k];
    const ap_dd w = ap_two_sum(b, -a);
    ap_count_mul(2);
    return (ap_dd){w.hi * pair->scale, w.lo * pair->scale};
}

#endif
