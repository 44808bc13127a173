/* Seeded scenes of many bodies for the tests of compounds and worlds, and the brute force that they are compared with:
 * every pair, asked cold by itself, with nothing of src/world but compounds' parts. */
#ifndef TESTS_SCENES_H
#define TESTS_SCENES_H

#include <stdbool.h>

#include "pairs.h"

#define SCENE_HULLS 6
#define SCENE_COMPOUNDS 4

/* What bodies are made of. Shapes may point into the pool: do not copy it. */
typedef struct solid_pool {
    apart_hull *hulls[SCENE_HULLS];
    apart_compound *compounds[SCENE_COMPOUNDS];
    apart_shape shapes[16];
    unsigned shape_count;
} solid_pool;

void solid_pool_make(solid_pool *pool, random_source *r);
void solid_pool_free(solid_pool *pool);
/* A shape of the pool, or with compounds one in four times one of those. */
apart_solid solid_pool_draw(const solid_pool *pool, random_source *r, bool compounds);

apart_pose scene_pose(random_source *r, double spread);
/* The pose turned by up to `angle` about its own origin and moved by up to `length`. */
apart_pose scene_nudged(const apart_pose *pose, random_source *r, double length, double angle);

/* The parts of a solid: 1 for a shape. Part i and its world pose. */
size_t solid_parts(apart_solid solid);
const apart_shape *solid_part(apart_solid solid, size_t i, const apart_pose *pose, apart_pose *out);

/* The smallest bounds over all pairs of parts, each queried cold, and which pair has them. Only pairs whose bounding
 * spheres are farther apart than the nearest pair are left out. */
typedef struct brute_answer {
    double lower, upper, distance;
    size_t part_a, part_b;
} brute_answer;
brute_answer brute_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b);

#endif
