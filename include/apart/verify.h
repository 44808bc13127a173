/** @file
 * apart/verify.h: an independent check of a result, for those who doubt.
 *
 *     apart_proof proof;
 *     apart_verify(&a, &pose_a, &b, &pose_b, &r, &proof);
 *     if (proof.verdict == APART_REFUTED) puts(proof.reason);
 *
 * It shares no support, simplex or adjacency code with the solver: supports are computed anew over
 * all vertices in double-double arithmetic, membership of the witness points is decided by itself.
 * The depth of overlapping bodies is proved for polytopes, rounded or not, by an exhaustive search over
 * all normals that a facet of the set of differences {b - a} can have (Cameron and Culley 1986): face normals
 * and cross products of edges. Overlapping curved cores, and pairs with too many normals, stay undecided
 * unless a claim is false.
 */
#ifndef APART_VERIFY_H
#define APART_VERIFY_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Is the result true? */
typedef enum apart_verdict {
    APART_PROVED = 0,   /**< points in the bodies, normal, distance and both bounds hold */
    APART_REFUTED = 1,  /**< something is false: `reason` says what */
    APART_UNDECIDED = 2 /**< neither could be shown (e.g. a callback with a large error, or a depth that was not searched) */
} apart_verdict;

/** What the check found out by itself. */
typedef struct apart_proof {
    uint8_t verdict;     /**< apart_verdict */
    double lower;        /**< the best lower bound that the check itself can prove */
    double upper;        /**< the best upper bound */
    const char *reason;  /**< static text, e.g. "the lower bound exceeds the separation along the normal" */
} apart_proof;

/** Checks a result of apart_distance for the same bodies and poses. Allocates nothing. Cost: O(vertices) a step;
 *  for overlapping polytopes O(edges of A * edges of B * vertices), at most about 2e7 dot products. Same statuses as apart_distance. */
apart_status apart_verify(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                          const apart_result *result, apart_proof *proof);

/** "proved", "refuted", "undecided"; static storage. */
const char *apart_verdict_name(int verdict);

#ifdef __cplusplus
}
#endif
#endif
