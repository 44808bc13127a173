/* The exact distance of two point sets' hulls in rational arithmetic (GMP), for tests only. Shares nothing with the
 * library. */
#ifndef TESTS_EXACT_H
#define TESTS_EXACT_H

#include <apart/math.h>
#include <stdbool.h>
#include <stddef.h>

/* The convex hull of count points of dim (2 or 3) doubles, moved by the matrix and translation exactly as they are
 * (NULL: not moved). */
typedef struct exact_points {
    const double *coordinates;
    size_t count;
    int dim;
    const apart_pose *pose;
} exact_points;

typedef enum exact_relation {
    EXACT_DISJOINT,
    EXACT_TOUCHING,   /* the origin is on the boundary of the Minkowski difference, or that has no interior */
    EXACT_OVERLAPPING /* the origin is strictly inside */
} exact_relation;

typedef struct exact_answer {
    double distance;     /* correctly rounded; 0 for touching and overlapping */
    double below, above; /* the doubles around the exact value; equal when it is a double itself */
    double a[3], b[3];   /* witness points, rounded (any common point when not disjoint) */
    exact_relation relation;
} exact_answer;

/* dim of both sets must agree. Aborts when memory is short. */
void exact_distance(const exact_points *a, const exact_points *b, exact_answer *out);

/* Are the bodies still meeting after B was moved by every one of +-step along the axes? Then the depth is at least step
 * / sqrt(dim). */
bool exact_meets_within(const exact_points *a, const exact_points *b, double step);

#endif
