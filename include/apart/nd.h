/** @file
 * apart/nd.h: the signed distance of the convex hulls of two point sets in any dimension.
 *
 *     apart_points_nd a = {coords_a, na}, b = {coords_b, nb};
 *     double pa[5], pb[5], normal[5];
 *     apart_result_nd r = {.a = pa, .b = pb, .normal = normal};
 *     apart_status st = apart_distance_nd(5, &a, &b, NULL, NULL, 0, &r);
 *
 * A point has dim coordinates. Up to APART_ND_STACK_DIM dimensions no workspace is needed; above that the
 * caller provides apart_nd_workspace_size(dim) bytes. Nothing is allocated.
 * For overlapping bodies the depth is exact in up to APART_ND_DEPTH_DIM dimensions; its search uses a surface on
 * the stack (112 kB, only then) or in a larger workspace of the caller's. Above that dimension only a bound is given.
 * Read next: apart/distance.h (options, relation, stop), examples/06_any_dimension.c, docs/papers.md (Lindemann 2009).
 */
#ifndef APART_ND_H
#define APART_ND_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

#define APART_ND_STACK_DIM 16 /**< up to here no workspace is needed */
#define APART_ND_MAX_DIM 1024 /**< the largest dimension */
#define APART_ND_DEPTH_DIM 6  /**< up to here overlapping bodies get their exact depth */

#define APART_ND_DEPTH_FACETS 1280 /**< facets of the depth surface on the stack: 92 kB of it */

/** Bytes of a workspace for a depth surface of `facets` facets. In 6 dimensions, 16 against 16 points take about
 *  1000; 9000 were enough in all trials with up to 256 pairs of points. */
#define APART_ND_DEPTH_BYTES(facets) ((facets) * (size_t)72)

/** A point set, borrowed: count points of dim doubles. */
typedef struct apart_points_nd {
    const double *coordinates; /**< point after point */
    size_t count;              /**< number of points */
} apart_points_nd;

/** The answer in n dimensions. The caller sets the pointers: a, b, normal (dim doubles each) and the simplex arrays
 *  (dim + 1 elements each); NULL where one is not wanted. */
typedef struct apart_result_nd {
    double *a;           /**< witness point on A */
    double *b;           /**< witness point on B */
    double *normal;      /**< unit, from A to B */
    uint32_t *index_a;   /**< the simplex: points of A */
    uint32_t *index_b;   /**< points of B */
    double *lambda;      /**< weights: a = sum lambda_i a_i */
    double distance;     /**< signed: the gap, or minus the depth when the hulls overlap */
    double lower;        /**< certified: lower <= true value */
    double upper;        /**< certified: true value <= upper */
    uint32_t count;      /**< simplex points, 1..dim+1 */
    uint32_t iterations; /**< iterations of the loop */
    uint8_t relation;    /**< apart_relation */
    uint8_t stop;        /**< apart_stop */
    uint8_t solver;      /**< apart_solver that ran: Johnson and least squares for dim <= 8, otherwise the default */
    uint8_t fallback;    /**< 1: the double-double fallback finished the query */
} apart_result_nd;

/** Bytes of workspace that a dimension needs; 0 for dim <= APART_ND_STACK_DIM. */
APART_API size_t apart_nd_workspace_size(size_t dim);

/** Signed distance of conv(A) and conv(B) in `dim` dimensions (1..APART_ND_MAX_DIM). workspace: 8-byte aligned, may
 *  be NULL when its size is 0. The options solver, no_fallback, max_iterations (0: 256 + 16 dim), tolerance, cutoff,
 *  depth and stats are used.
 *  Overlapping bodies: the distance is minus the penetration depth, moving B by a - b separates them, and the simplex
 *  has at most dim points.
 *  Stack: a depth needs less than 112 kB, on a thread of 128 kB it works. A workspace for at least 16 facets (see
 *  APART_ND_DEPTH_BYTES) replaces the memory of the surface on the stack, and 32 kB are enough then. When the surface is
 *  full, on the stack or in a workspace, the bounds found so far are returned with stop APART_STOP_WORKSPACE: give a
 *  larger workspace. Depth `bounds` stops as soon as the
 *  overlap is certain.
 *  Above APART_ND_DEPTH_DIM dimensions an overlap has distance 0, upper 0, a finite lower (the best support value
 *  found), a common point as a and b, and stop APART_STOP_WORKSPACE. With depth `none` it has distance 0, upper 0,
 *  lower -infinity and a common point.
 *  Status: APART_ERR_NULL, APART_ERR_DIMENSION, APART_ERR_EMPTY, APART_ERR_SIZE (workspace), APART_ERR_OPTION,
 *  APART_ERR_NONFINITE, APART_ERR_OVERFLOW; the result is then untouched. */
APART_API apart_status apart_distance_nd(size_t dim, const apart_points_nd *a, const apart_points_nd *b,
                                         const apart_options *options, void *workspace, size_t workspace_size,
                                         apart_result_nd *result);

#ifdef __cplusplus
}
#endif
#endif
