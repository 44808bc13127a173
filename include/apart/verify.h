/** @file
 * apart/verify.h: an independent check of a result.
 *
 *     apart_proof proof;
 *     apart_verify(&a, &pose_a, &b, &pose_b, &r, &proof);
 *     if (proof.verdict == APART_REFUTED) puts(proof.reason);
 *
 * The check shares no support, simplex or adjacency code with the solver: it computes supports over all
 * vertices in double-double arithmetic and decides by itself whether the witness points lie in the bodies.
 * The depth of overlapping polytopes, rounded or not, is proved by an exhaustive search over all normals that
 * a facet of the Minkowski difference {b - a} can have (Cameron and Culley 1986): face normals and cross
 * products of edges. Overlapping curved cores, and pairs with too many normals, stay undecided unless a
 * claim is false.
 * Read next: apart/distance.h (the result), docs/numerics.md (why its bounds hold).
 */
#ifndef APART_VERIFY_H
#define APART_VERIFY_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The verdict about a result. */
typedef enum apart_verdict {
    APART_PROVED = 0,   /**< the points lie in the bodies; normal, distance and both bounds hold */
    APART_REFUTED = 1,  /**< something is false: `reason` says what */
    APART_UNDECIDED = 2 /**< neither could be shown (e.g. a callback with a large error, or a depth that was not
                         *   searched for) */
} apart_verdict;

/** What the check found. */
typedef struct apart_proof {
    uint8_t verdict;    /**< apart_verdict */
    double lower;       /**< the best lower bound that the check itself can prove */
    double upper;       /**< the best upper bound */
    const char *reason; /**< static text, e.g. "the lower bound exceeds the separation along the normal" */
} apart_proof;

/** Checks a result of apart_distance for the same bodies and poses. Allocates nothing. Cost: O(vertices) for each
 *  step; for overlapping polytopes O(edges of A * edges of B * vertices), at most about 2e7 dot products. Statuses as
 *  apart_distance. */
apart_status apart_verify(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                          const apart_pose *pose_b, const apart_result *result, apart_proof *proof);

/** "proved", "refuted", "undecided"; static storage. */
const char *apart_verdict_name(int verdict);

#ifdef __cplusplus
}
#endif
#endif
