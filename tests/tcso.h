/* The exact depth of two overlapping point sets' hulls by the exhaustive search over all faces of their TCSO (Cameron and Culley 1986,
 * item C9), in rational arithmetic (GMP), for tests only. Shares nothing with the library. */
#ifndef TESTS_TCSO_H
#define TESTS_TCSO_H

#include "exact.h"

typedef struct tcso_answer {
    bool inside;        /* the origin is strictly inside the TCSO: the bodies overlap. The rest is 0 if it is not. */
    double least, most; /* the doubles around the depth: least <= depth <= most, equal when it is a double itself */
    double normal[3];   /* from A to B, unit to rounding: moving B along it by the depth separates */
    size_t candidates;  /* directions looked at */
    size_t evaluated;   /* those that doubles could not rule out */
} tcso_answer;

/* Every direction perpendicular to three points of A, three of B, or a pair of points of each (in the plane: two points of one) is tried;
 * all faces of the TCSO are among them, so no topology is needed. dim of both sets must agree. O(|A|^2 |B|^2) for small sets. */
void tcso_depth(const exact_points *a, const exact_points *b, tcso_answer *out);

#endif
