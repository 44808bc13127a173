/* Seeded pairs of bodies that are hard on distance code: parallel and nearly parallel faces, needles, plates,
 * coincident and repeated vertices, lattices, tiny gaps, extreme and mixed scales, large common offsets. For tests;
 * only public headers are used. */
#ifndef TESTS_PAIRS_H
#define TESTS_PAIRS_H

#include <apart/apart.h>

#include "random.h"

void random_bytes(random_source *r, void *bytes, size_t count);
/* 10^u with u evenly in [low, high); from a table and products only, so that every platform agrees. */
double random_magnitude(random_source *r, double low, double high);
apart_vec3 random_in_ball(random_source *r);
/* A rotation from a random quaternion, or one of the exact ones (axes permuted, 3-4-5 triangles). */
apart_mat3 random_rotation(random_source *r);

#define PAIR_POINTS_MAX 32
#define PAIR_VERTICES_MAX 128

/* Hulls that pairs draw from; a test builds them once. */
#define HULL_POOL_SIZE 64

typedef struct hull_pool {
    apart_hull *hulls[HULL_POOL_SIZE];
} hull_pool;

void hull_pool_free(hull_pool *pool);

/* Up to PAIR_POINTS_MAX points of a body of size about 1: needle, plate, lattice, prism ...; returns how many. */
size_t random_body(random_source *r, double *xyz);

/* One pair. Shapes may point into the pair: do not copy it. */
typedef struct test_pair {
    apart_shape a, b;
    apart_pose pose_a, pose_b;
    double points_a[3 * PAIR_POINTS_MAX], points_b[3 * PAIR_POINTS_MAX];
    const char *family; /* what is hard about it */
} test_pair;

/* pool: may be NULL (then no hulls are used). */
void pair_generate(test_pair *pair, random_source *r, const hull_pool *pool);

/* The vertices of a point, segment, triangle, box, point set or hull (at most PAIR_VERTICES_MAX) in its own frame;
 * returns how many. */
size_t shape_vertices(const apart_shape *shape, double *xyz);

/* M of the numerical rules: radii of both bodies about their centres, and the distance of the centres. A body that is
 * rotated and far from its own origin adds that distance. */
double pair_magnitude(const test_pair *pair);

#endif
