/* Bodies of many parts for the tests of compounds, and the comparison with brute force. */
#ifndef TESTS_COMPOUND_BODIES_H
#define TESTS_COMPOUND_BODIES_H

#include "scenes.h"

/* Bounds of the tests' own joined poses and of the query's are both of this order, for scenes of size 10. */
#define ROUNDING 1e-13

/* Distance, bounds, parts, points and yes or no of two solids beside brute force over all pairs of parts. */
void check_against_brute_force(apart_solid a, const apart_pose *pa, apart_solid b, const apart_pose *pb,
                               apart_compound_cache *cache);

/* Rows of parts, side by side. */
apart_compound *make_row(size_t count, const apart_shape *shape, double spacing);

/* Parts at random in a sphere, in any orientation. */
apart_compound *make_cloud(random_source *r, size_t count, double radius);

/* Parts of all kinds at random in a sphere, or all with identity poses. */
apart_compound *make_crowd(const solid_pool *pool, random_source *r, size_t count, bool in_place);

/* Small parts near the points of a grid with spacing 1, so that gaps are several times their size. */
apart_compound *make_grid(random_source *r, size_t count);

/* A pose of B that brings one of its parts to a place `gap` from one of A's. */
apart_pose pose_at(random_source *r, const apart_compound *a, const apart_pose *pa, const apart_compound *b,
                   double gap);

#endif
