/* Overlaps in n dimensions, for the tests of their depths: what must hold for any answer, and random bodies. */
#ifndef APART_TESTS_ND_OVERLAPS_H
#define APART_TESTS_ND_OVERLAPS_H

#include "nd_pair.h"

/* Asks for the pair's distance, which must succeed, with the query's own workspace. */
void query(const apart_options *options);

/* How deep the bodies are in each other along the normal: no less than the depth. */
long double depth_along_normal(void);

/* The lambdas make the witness points, and b - a = distance * normal. */
void check_witness(double tolerance);

/* Converged, tight, and consistent. */
void check_overlap(void);

/* An overlap of this depth. want: rounded a few times. */
void check_depth(double want);

/* In least .. most. */
size_t random_count(size_t least, size_t most);

/* Points on the unit sphere. */
void add_on_sphere(double *(*add)(void), size_t count);

/* Coordinates become whole numbers. */
void snap(double spacing);

/* Each coordinate is moved by up to `size`. */
void jitter(double size);

#endif
