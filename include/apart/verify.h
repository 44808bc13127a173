/** @file
 * apart/verify.h: an independent check of a result.
 *
 *     apart_proof proof;
 *     apart_verify(&a, &pose_a, &b, &pose_b, &r, &proof);
 *     if (proof.verdict == APART_REFUTED) puts(proof.reason);
 *
 * The check shares no support, simplex or adjacency code with the solver: it computes supports over all
 * vertices in double-double arithmetic and finds bounds of its own. A claim lower <= d <= upper is proved only if
 * these bounds lie inside it, with all their errors counted against it; a claim that excludes them is refuted. Nothing
 * is allowed for, however loose the claim is.
 * The depth of overlapping polytopes, rounded or not, is proved by an exhaustive search over all normals that
 * a facet of the Minkowski difference {b - a} can have (Cameron and Culley 1986): face normals and cross
 * products of edges. The depth of all other bodies is proved by a search over all directions, which covers them with
 * cones and bounds each from both sides; for bodies of revolution about parallel axes, whose ways out tie all around, over
 * those of the plane of the axes. It gives up after a fixed amount of work; this happens where many other directions are
 * nearly as good, as for near-spheres about one centre, whose depth stays undecided between bounds that are shown.
 *
 * What a result claims of its points: each lies in its body up to rounding (20 eps of the pair's size, 4 eps of the
 * largest world coordinate, and a half-space's and a matrix's own part: docs/numerics.md), also where the bounds are
 * wide. b - a = distance * normal holds as closely; where a depth's points do not fit it, the result widens its bounds
 * by what is missing, and the verdict is undecided.
 * Read next: apart/distance.h (the result), docs/numerics.md (why its bounds hold).
 */
#ifndef APART_VERIFY_H
#define APART_VERIFY_H

#include "compound.h"
#include "nd.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The verdict about a result. */
typedef enum apart_verdict {
    APART_PROVED = 0,   /**< the points lie in the bodies; normal, distance and both bounds hold */
    APART_REFUTED = 1,  /**< something is false: `reason` says what */
    APART_UNDECIDED = 2 /**< neither could be shown: `reason` says what is missing; lower and upper are true */
} apart_verdict;

/** What the check found. */
typedef struct apart_proof {
    uint8_t verdict;    /**< apart_verdict */
    double lower;       /**< the lower bound that the check itself proved, -infinity if none */
    double upper;       /**< the upper bound, infinity if none */
    const char *reason; /**< static text, e.g. "the lower bound exceeds the separation along the normal" */
} apart_proof;

/** Checks a result of apart_distance for the same bodies and poses. Allocates nothing; needs 30 kB of stack. Cost:
 *  O(vertices) for each step; for overlapping polytopes O(edges of A * edges of B * vertices), at most about 2e7 dot
 *  products; for other overlapping bodies some thousand supports, at most 1.5e6 dot products in double-double
 *  arithmetic. Statuses as apart_distance. */
APART_API apart_status apart_verify(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                    const apart_pose *pose_b, const apart_result *result, apart_proof *proof);

/** Checks a result of apart_compound_distance for the same solids and poses: compounds, meshes, shapes. The
 *  deciding parts are checked as apart_verify does; that no other pair is nearer than the lower bound, by looking at all
 *  pairs. That two surfaces meet is proved where they cross, and undecided where they only touch; the depth of compounds
 *  and half-spaces beside many parts stay undecided. The bounds of the depth of two meshes are proved by the claimed
 *  translation, after which they are apart, and by a ball about a corner of one inside the other; where no corner is deep
 *  enough they stay undecided. That solids which are apart do not
 *  contain each other is shown by a plane or by rays, and undecided for a mesh of many components beside one of many
 *  triangles (their product above 2e7). The poses of a compound's parts are those that
 *  apart_pose_compose gives. Allocates nothing; needs 40 kB of stack. Cost: all pairs of parts, some nanoseconds each, and
 *  microseconds for pairs nearer than their bounding spheres tell. Statuses as apart_compound_distance. */
APART_API apart_status apart_verify_solids(apart_solid a, const apart_pose *pose_a, apart_solid b,
                                           const apart_pose *pose_b, const apart_compound_result *result,
                                           apart_proof *proof);

/** Checks a result of apart_distance_nd for the same point sets. Arrays that the result does not have (NULL) claim
 *  nothing. Allocates nothing. Up to APART_ND_STACK_DIM dimensions the check searches by itself; above, it tries the
 *  result's normal and simplex, and without these the result stays undecided. Depths are searched in up to
 *  APART_ND_DEPTH_DIM dimensions (90 kB of stack, only then), at most 1.5e6 dot products in double-double arithmetic;
 *  in six dimensions that is often not enough, and the depth stays undecided. Above, an overlap without a depth
 *  is proved by an enclosing simplex. Status: APART_ERR_NULL, APART_ERR_DIMENSION, APART_ERR_EMPTY,
 *  APART_ERR_NONFINITE, APART_ERR_OVERFLOW. */
APART_API apart_status apart_verify_nd(size_t dim, const apart_points_nd *a, const apart_points_nd *b,
                                       const apart_result_nd *result, apart_proof *proof);

/** "proved", "refuted", "undecided"; static storage. */
APART_API const char *apart_verdict_name(int verdict);

#ifdef __cplusplus
}
#endif
#endif
