/* Overlaps in n dimensions, for the tests of their depths: one pair of point sets, its query, what must hold for any answer, and random
 * bodies. */
#ifndef APART_TESTS_ND_OVERLAPS_H
#define APART_TESTS_ND_OVERLAPS_H

#include <apart/apart.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_DIM 7
#define MAX_POINTS 300

/* One pair and room for the answer. */
typedef struct fixture {
    size_t dim, count_a, count_b;
    double a[MAX_POINTS * MAX_DIM], b[MAX_POINTS * MAX_DIM];
    double point_a[MAX_DIM], point_b[MAX_DIM], normal[MAX_DIM], lambda[MAX_DIM + 1];
    uint32_t index_a[MAX_DIM + 1], index_b[MAX_DIM + 1];
    apart_result_nd r;
} fixture;

/* The pair at hand, and the state of the random numbers: a random test sets it first. */
extern fixture f;
extern uint64_t random_state;

/* An empty pair; then a point at a time: its coordinates are written to where add_a or add_b points. */
void clear(size_t dim);
double *add_a(void);
double *add_b(void);

/* Asks for the pair's distance, into f.r; with the caller's room for the surface, or the query's own. */
void query_in(const apart_options *options, void *room, size_t size);
void query(const apart_options *options);

/* Of the box around both bodies. */
double largest_side(void);

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

/* Points of a cube of side 2 about the origin, shifted along the first axis; points on the unit sphere. */
void add_random(double *(*add)(void), size_t count, double shift);
void add_on_sphere(double *(*add)(void), size_t count);

/* Coordinates become whole numbers. */
void snap(double spacing);

/* Each coordinate is moved by up to `size`. */
void jitter(double size);

#endif
