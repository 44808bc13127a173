/* The exact distance or depth of two polytopes in whole numbers, with nothing taken from the library but the hull's
 * lists of vertices, edges and faces. */
#ifndef LAB_EXACT_H
#define LAB_EXACT_H

#include <apart/apart.h>

typedef enum lab_exact_outcome {
    LAB_EXACT_HOLDS, /* the exact value lies between the bounds */
    LAB_EXACT_FAILS,
    LAB_EXACT_BEYOND /* not checked: coordinates too fine, or too many faces for the exhaustive depth */
} lab_exact_outcome;

typedef struct lab_exact_answer {
    double distance; /* signed, to about 1e-15 of itself */
    double error;    /* of the result's distance: result - exact, accurate however small it is */
} lab_exact_answer;

/* Is the result's claim true for the bodies, poses and vertices as given, bit by bit? Disjoint: GJK's iteration in
 * whole numbers from the result's simplex. Overlapping: every normal that a face of the set of differences can have. */
lab_exact_outcome lab_exact_check(const apart_hull *a, const apart_pose *pose_a, const apart_hull *b,
                                  const apart_pose *pose_b, const apart_result *result, lab_exact_answer *answer);

#endif
