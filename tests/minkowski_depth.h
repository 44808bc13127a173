/* The exact depth of two overlapping point sets' hulls by the exhaustive search over all faces of their Minkowski
 * difference (Cameron and Culley 1986, who call it TCSO; item C9 of docs/papers.md), in rational arithmetic (GMP), for
 * tests only. It shares nothing with the library. */
#ifndef TESTS_MINKOWSKI_DEPTH_H
#define TESTS_MINKOWSKI_DEPTH_H

#include "exact.h"

typedef struct minkowski_answer {
    bool inside; /* the origin is strictly inside the difference: the bodies overlap. The rest is 0 if it is not. */
    double least, most; /* the doubles around the depth: least <= depth <= most, equal when it is a double itself */
    double normal[3];   /* from A to B, unit to rounding: moving B along it by the depth separates */
    size_t candidates;  /* directions tried */
    size_t evaluated;   /* those that doubles could not rule out */
} minkowski_answer;

/* Every direction perpendicular to three points of A, three of B, or a pair of points of each (in the plane: two points
 * of one) is tried; all faces of the Minkowski difference are among them, so no topology is needed. dim of both sets
 * must agree. O(|A|^2 |B|^2) for small sets. */
void minkowski_depth(const exact_points *a, const exact_points *b, minkowski_answer *out);

#endif
