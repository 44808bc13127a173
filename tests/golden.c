#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_mesh.h"
#include "golden_motion.h"
#include "pairs.h"

#define COLD_QUERIES 50000
#define TRACKED_PAIRS 2500
#define TRACKED_STEPS 20
#define BATCH_PAIRS 1000

/* Ends the program: this also runs outside of Check. */
static void require(apart_status status, const char *what)
{
    if (status != APART_OK) {
        fprintf(stderr, "%s: %s\n", what, apart_status_message(status));
        exit(EXIT_FAILURE);
    }
}

/* ------------------------------------------------ hashing (Fowler, Noll, Vo 1a, 64 bits) */

static uint64_t hash_word(uint64_t hash, uint64_t word)
{
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ (word >> 8 * i & 0xffu)) * UINT64_C(1099511628211);
    }
    return hash;
}

/* The sign of zero does not count. */
static uint64_t hash_double(uint64_t hash, double x)
{
    uint64_t bits;
    const double y = x == 0.0 ? 0.0 : x;
    memcpy(&bits, &y, sizeof bits);
    return hash_word(hash, bits);
}

static uint64_t hash_result(uint64_t hash, const apart_result *r)
{
    const double numbers[] = {r->distance,  r->lower,     r->upper,     r->a.x,      r->a.y,      r->a.z,
                              r->b.x,       r->b.y,       r->b.z,       r->normal.x, r->normal.y, r->normal.z,
                              r->lambda[0], r->lambda[1], r->lambda[2], r->lambda[3]};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        hash = hash_double(hash, numbers[i]);
    }
    for (int i = 0; i < r->count && i < 4; i++) {
        hash = hash_word(hash, (uint64_t)r->index_a[i] << 32 | r->index_b[i]);
    }
    return hash_word(hash,
                     (uint64_t)r->iterations << 32 | (uint64_t)r->count << 16 | (uint64_t)r->relation << 8 | r->stop);
}

/* ------------------------------------------------ hulls from known faces: no hull builder, no sine */

#define MAX_SIDES 64

/* Point i of `sides` on the unit circle at height z, counter-clockwise: at angle 2 atan t in its quarter, by rational
 * formulas. */
static void put_on_circle(double *p, unsigned i, unsigned sides, double z)
{
    const unsigned quarter = 4 * i / sides;
    const double t = (4.0 * i - (double)quarter * sides) / sides * 0.41421356237309503; /* up to tan(45 degrees) / 2 */
    const double c = (1.0 - t * t) / (1.0 + t * t), s = 2.0 * t / (1.0 + t * t);
    const double x[4] = {c, -s, -c, s}, y[4] = {s, c, -s, -c};
    p[0] = x[quarter];
    p[1] = y[quarter];
    p[2] = z;
}

static apart_hull *make_hull(const double *xyz, size_t n, const uint32_t *sizes, size_t face_count,
                             const uint32_t *faces)
{
    apart_hull *hull = NULL;
    require(apart_hull_from_faces(xyz, n, sizes, face_count, faces, NULL, &hull), "hull");
    return hull;
}

static apart_hull *make_prism(unsigned sides, double height)
{
    double xyz[3 * 2 * MAX_SIDES];
    uint32_t sizes[MAX_SIDES + 2] = {sides, sides}, faces[6 * MAX_SIDES];
    for (unsigned i = 0; i < sides; i++) {
        const unsigned next = (i + 1) % sides;
        const uint32_t side[4] = {i, next, sides + next, sides + i};
        put_on_circle(&xyz[3 * i], i, sides, -height);
        put_on_circle(&xyz[3 * (sides + i)], i, sides, height);
        faces[i] = sides - 1 - i; /* the bottom, seen from below */
        faces[sides + i] = sides + i;
        memcpy(&faces[2 * sides + 4 * i], side, sizeof side);
        sizes[2 + i] = 4;
    }
    return make_hull(xyz, 2 * sides, sizes, 2 + sides, faces);
}

/* Two pyramids on the same circle. */
static apart_hull *make_double_pyramid(unsigned sides, double up, double down)
{
    double xyz[3 * (MAX_SIDES + 2)];
    uint32_t sizes[2 * MAX_SIDES], faces[6 * MAX_SIDES];
    const double tips[6] = {0.125, 0.0625, up, -0.125, 0.0, -down};
    for (unsigned i = 0; i < sides; i++) {
        const unsigned next = (i + 1) % sides;
        const uint32_t both[6] = {i, next, sides, next, i, sides + 1};
        put_on_circle(&xyz[3 * i], i, sides, 0.0);
        memcpy(&faces[6 * i], both, sizeof both);
        sizes[2 * i] = sizes[2 * i + 1] = 3;
    }
    memcpy(&xyz[3 * sides], tips, sizeof tips);
    return make_hull(xyz, sides + 2, sizes, 2 * sides, faces);
}

static void build_hulls(hull_pool *pool)
{
    for (unsigned i = 0; i < HULL_POOL_SIZE; i++) {
        const unsigned sides = 3 + 61 * (i % 32) / 32;
        pool->hulls[i] =
            i < 32 ? make_prism(sides, 0.125 + 0.0625 * i) : make_double_pyramid(sides, 0.25 + 0.03125 * i, 0.5);
    }
}

/* ------------------------------------------------ the queries */

/* A pair as the stress test has them, or of round primitives. */
static void next_pair(test_pair *p, random_source *r, const hull_pool *pool)
{
    pair_generate(p, r, pool);
    if (random_below(r, 3) != 0) {
        return;
    }
    const double s = random_between(r, 0.25, 1.0), h = random_between(r, 0.25, 1.0);
    const apart_shape round[5] = {apart_sphere(s), apart_capsule(s, h), apart_cylinder(s, h), apart_cone(s, h),
                                  apart_ellipsoid((apart_vec3){s, h, 0.5 * s})};
    p->a = round[random_below(r, 5)];
    p->b = random_below(r, 2) == 0 ? round[random_below(r, 5)] : apart_box((apart_vec3){s, h, 0.25});
    const apart_vec3 away = random_in_ball(r);
    p->pose_a = (apart_pose){random_rotation(r), {0, 0, 0}};
    p->pose_b = (apart_pose){random_rotation(r), {4.0 * away.x, 4.0 * away.y, 4.0 * away.z}};
}

static uint64_t run_query(uint64_t hash, const test_pair *p, const apart_options *options, apart_cache *cache)
{
    apart_result result;
    require(apart_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, options, cache, &result), p->family);
    return hash_result(hash, &result);
}

static uint64_t run_cold(uint64_t hash, const hull_pool *pool)
{
    random_source r = UINT64_C(20250101);
    for (int i = 0; i < COLD_QUERIES; i++) {
        test_pair p;
        next_pair(&p, &r, pool);
        const apart_options options = {.solver = (uint8_t)(i % 4 == 0 ? i / 4 % APART_SOLVER_COUNT : 0),
                                       .support = (uint8_t)(i % 3 == 0 ? i / 3 % APART_SUPPORT_COUNT : 0)};
        hash = run_query(hash, &p, &options, NULL);
    }
    return hash;
}

/* Small steps of B with the cache of the pair. */
static uint64_t run_tracked(uint64_t hash, const hull_pool *pool)
{
    random_source r = UINT64_C(20250202);
    const apart_vec3 zero = {0, 0, 0};
    apart_pose turn;
    require(apart_pose_from_quat_wxyz(1.0, 0.03125, 0.015625, 0.0625, zero, &turn), "pose");
    for (int i = 0; i < TRACKED_PAIRS; i++) {
        test_pair p;
        apart_cache cache = {0};
        next_pair(&p, &r, pool);
        for (int k = 0; k < TRACKED_STEPS; k++) {
            p.pose_b.rotation = apart_pose_compose(&turn, &p.pose_b).rotation;
            p.pose_b.translation.x += 0.015625 * p.b.bound;
            hash = run_query(hash, &p, NULL, &cache);
        }
    }
    return hash;
}

/* Boxes of all sizes, near and far, turning with their caches. */
static uint64_t run_batches(uint64_t hash)
{
    static apart_shape shapes[2 * BATCH_PAIRS];
    static apart_pose poses[2 * BATCH_PAIRS];
    static apart_cache caches[BATCH_PAIRS];
    static apart_result results[BATCH_PAIRS];
    random_source r = UINT64_C(20250303);
    apart_pose turn;
    require(apart_pose_from_quat_wxyz(1.0, 0.03125, 0.015625, -0.0625, (apart_vec3){0, 0, 0}, &turn), "pose");
    for (int i = 0; i < 2 * BATCH_PAIRS; i++) {
        const double x = random_magnitude(&r, i % 16 == 0 ? -9 : -1, 0), y = random_unit(&r), z = random_unit(&r);
        const apart_vec3 at = random_in_ball(&r);
        shapes[i] = apart_box((apart_vec3){x, y, i % 8 == 3 ? 0.0 : z});
        poses[i] = (apart_pose){random_rotation(&r), {2.5 * at.x, 2.5 * at.y, 2.5 * at.z}};
    }
    memset(caches, 0, sizeof caches);
    const apart_batch batch =
        {.count = BATCH_PAIRS,
         .a = {.shapes = shapes, .shape_stride = 2 * sizeof *shapes, .poses = poses, .pose_stride = 2 * sizeof *poses},
         .b = {.shapes = shapes + 1,
               .shape_stride = 2 * sizeof *shapes,
               .poses = poses + 1,
               .pose_stride = 2 * sizeof *poses},
         .caches = caches,
         .cache_stride = sizeof *caches,
         .results = results,
         .result_stride = sizeof *results};
    for (int k = 0; k < TRACKED_STEPS; k++) {
        require(apart_distance_batch(&batch, NULL, NULL), "batch");
        for (int i = 0; i < BATCH_PAIRS; i++) {
            hash = hash_result(hash, &results[i]);
            poses[2 * i + 1].rotation = apart_pose_compose(&turn, &poses[2 * i + 1]).rotation;
            poses[2 * i + 1].translation.x += 0.015625;
        }
    }
    return hash;
}

uint64_t golden_hash(bool motions)
{
    hull_pool pool;
    build_hulls(&pool);
    uint64_t hash = UINT64_C(14695981039346656037);
    hash = run_cold(hash, &pool);
    hash = run_tracked(hash, &pool);
    hash = motions ? golden_meshes(run_batches(golden_motions(hash, &pool))) : hash;
    hull_pool_free(&pool);
    return hash;
}
