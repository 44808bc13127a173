/* One pair of point sets in n dimensions, its query, and random points: for the tests of distances and depths there. */
#ifndef APART_TESTS_ND_PAIR_H
#define APART_TESTS_ND_PAIR_H

#include <apart/apart.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

#define MAX_DIM 64
#define MAX_POINTS 600

/* One pair and room for the answer. */
typedef struct fixture {
    size_t dim, count_a, count_b;
    double point_a[MAX_DIM], point_b[MAX_DIM], normal[MAX_DIM], lambda[MAX_DIM + 1];
    uint32_t index_a[MAX_DIM + 1], index_b[MAX_DIM + 1];
    apart_result_nd r;
    double a[MAX_POINTS * MAX_DIM], b[MAX_POINTS * MAX_DIM];
} fixture;

/* The pair at hand, and the state of the random numbers: a random test sets it first. */
extern fixture f;
extern random_source random_state;

/* An empty pair; then a point at a time: its coordinates, zero at first, are written to where add_a or add_b points. */
void clear(size_t dim);
double *add_a(void);
double *add_b(void);

/* Asks for the pair's distance, into f.r, with the caller's workspace. */
apart_status query_in(const apart_options *options, void *room, size_t size);

/* Of the box around both bodies. */
double largest_side(void);

/* Points of a cube of side 2 * size about the origin, shifted along the first axis. */
void add_random(double *(*add)(void), size_t count, double size, double shift);

#endif
