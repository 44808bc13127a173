/* Compounds: distance, overlap and depth equal brute force over all pairs of parts, and cost little more than the nearest pair. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "scenes.h"
#include "simd/level.h"

/* Bounds of the tests' own joined poses and of the query's are both of this order, for scenes of size 10. */
#define ROUNDING 1e-13

static uint64_t seed = 1;

/* How far a solid reaches from its own origin; 0 for a half-space. */
static double reach_of(apart_solid solid)
{
    apart_vec3 c;
    double radius;
    return apart_solid_ball(solid, &c, &radius) == APART_OK ? sqrt(c.x * c.x + c.y * c.y + c.z * c.z) + radius : 0.0;
}

/* What joined poses add to the bounds, 16 u of sizes and distance either way (docs/numerics.md). */
static double joining_error(apart_solid a, const apart_pose *pa, apart_solid b, const apart_pose *pb)
{
    const apart_vec3 p = pa->translation, q = pb->translation;
    return 16.0 * 0x1p-52 * (reach_of(a) + reach_of(b) + fabs(q.x - p.x) + fabs(q.y - p.y) + fabs(q.z - p.z));
}

static void check_against_brute_force(apart_solid a, const apart_pose *pa, apart_solid b, const apart_pose *pb, apart_compound_cache *cache)
{
    const brute_answer truth = brute_distance(a, pa, b, pb);
    apart_compound_result r;
    ck_assert_int_eq(apart_compound_distance(a, pa, b, pb, NULL, cache, &r), APART_OK);
    const double width = r.result.upper - r.result.lower;
    ck_assert_msg(r.result.lower <= truth.upper + ROUNDING && truth.lower <= r.result.upper + ROUNDING,
                  "[%.17g, %.17g], brute force [%.17g, %.17g]",
                  r.result.lower, r.result.upper, truth.lower, truth.upper);
    ck_assert_msg(fabs(r.result.distance - truth.distance) <= ROUNDING + width, "%.17g, brute force %.17g", r.result.distance,
                  truth.distance);
    ck_assert_msg(width <= truth.upper - truth.lower + joining_error(a, pa, b, pb) + ROUNDING, "bounds %g apart", width);
    /* The parts that decide really are that near. */
    apart_pose qa, qb;
    apart_result own;
    const apart_shape *x = solid_part(a, r.part_a, pa, &qa), *y = solid_part(b, r.part_b, pb, &qb);
    ck_assert_int_eq(apart_distance(x, &qa, y, &qb, NULL, NULL, &own), APART_OK);
    ck_assert_msg(fabs(own.distance - truth.distance) <= ROUNDING + width, "parts %u %u at %.17g, nearest %.17g", r.part_a, r.part_b,
                  own.distance,
                  truth.distance);
    for (int i = 0; i < 3; i++) {
        const double *p = &r.result.a.x + i, *q = &r.result.b.x + i, *n = &r.result.normal.x + i;
        ck_assert(fabs(*q - *p - r.result.distance * *n) <= 1e-12);
    }
    int overlap = -1;
    uint32_t parts[2] = {99, 99};
    ck_assert_int_eq(apart_compound_overlap(a, pa, b, pb, NULL, cache, &overlap, parts), APART_OK);
    if (truth.lower > ROUNDING || truth.upper < -ROUNDING) {
        ck_assert_int_eq(overlap, truth.upper < 0.0);
        if (overlap) {
            x = solid_part(a, parts[0], pa, &qa);
            y = solid_part(b, parts[1], pb, &qb);
            ck_assert_int_eq(apart_overlap(x, &qa, y, &qb, NULL, NULL, &overlap), APART_OK);
            ck_assert_int_eq(overlap, 1);
        }
    }
}

START_TEST(equal_brute_force)
{
    random_source r = {seed};
    solid_pool pool;
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 3000; i++) {
        const apart_solid a = solid_pool_draw(&pool, &r, true), b = solid_pool_draw(&pool, &r, true);
        const double spread = i % 3 == 0 ? 0.3 : i % 3 == 1 ? 1.5 : 6.0;
        const apart_pose pa = scene_pose(&r, spread), pb = scene_pose(&r, spread);
        check_against_brute_force(a, &pa, b, &pb, NULL);
    }
    solid_pool_free(&pool);
}
END_TEST

START_TEST(caches_never_change_the_answer)
{
    random_source r = {seed + 1};
    solid_pool pool;
    apart_compound_cache cache = {.part_a = 0}; /* one for all: mostly a foreign one */
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 300; i++) {
        const apart_solid a = solid_pool_draw(&pool, &r, true), b = solid_pool_draw(&pool, &r, true);
        apart_pose pa = scene_pose(&r, 1.0), pb = scene_pose(&r, 1.0);
        for (int step = 0; step < 6; step++) {
            check_against_brute_force(a, &pa, b, &pb, &cache);
            pa = scene_nudged(&pa, &r, 0.05, 0.1);
            pb = scene_nudged(&pb, &r, 0.05, 0.1);
        }
        if (i % 7 == 0) {
            random_bytes(&r, &cache, sizeof cache);
        }
    }
    solid_pool_free(&pool);
}
END_TEST

/* Rows of parts, side by side. */
static apart_compound *make_row(size_t count, const apart_shape *shape, double spacing)
{
    apart_part *parts = calloc(count, sizeof *parts);
    apart_compound *row = NULL;
    for (size_t i = 0; i < count; i++) {
        parts[i] = (apart_part){*shape, apart_pose_translation(spacing * (double)i, 0, 0)};
    }
    ck_assert_int_eq(apart_compound_build(parts, count, NULL, &row), APART_OK);
    free(parts);
    return row;
}

/* Parts strewn over a ball, in any orientation. */
static apart_compound *make_cloud(random_source *r, size_t count, double radius)
{
    apart_part *parts = calloc(count, sizeof *parts);
    apart_compound *cloud = NULL;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 at = random_in_ball(r);
        parts[i] = (apart_part){apart_box((apart_vec3){0.3, 0.2, 0.25}), scene_pose(r, 0.0)};
        parts[i].pose.translation = (apart_vec3){radius * at.x, radius * at.y, radius * at.z};
    }
    ck_assert_int_eq(apart_compound_build(parts, count, NULL, &cloud), APART_OK);
    free(parts);
    return cloud;
}

typedef struct counts {
    double queries, boxes; /* a call */
} counts;

/* Pairs of parts looked at and boxes compared by two clouds whose centres are `away` radii apart: cold, and with a cache after a small
 * step. */
static void count_far_apart(size_t parts, double away, counts *cold, counts *warm)
{
    random_source r = {seed + 2};
    enum { TRIALS = 300 };
    apart_compound *cloud = make_cloud(&r, parts, 100.0);
    const apart_solid solid = apart_solid_compound(cloud);
    *cold = *warm = (counts){0, 0};
    for (int i = 0; i < TRIALS; i++) {
        const apart_pose pa = scene_pose(&r, 10.0);
        apart_pose pb = scene_pose(&r, 10.0);
        apart_compound_cache cache = {.part_a = 0};
        apart_compound_result result;
        pb.translation.z += 100.0 * away;
        ck_assert_int_eq(apart_compound_distance(solid, &pa, solid, &pb, NULL, &cache, &result), APART_OK);
        cold->queries += (double)result.queries / TRIALS;
        cold->boxes += (double)result.boxes / TRIALS;
        pb = scene_nudged(&pb, &r, 0.1, 0.001);
        ck_assert_int_eq(apart_compound_distance(solid, &pa, solid, &pb, NULL, &cache, &result), APART_OK);
        warm->queries += (double)result.queries / TRIALS;
        warm->boxes += (double)result.boxes / TRIALS;
    }
    apart_compound_free(cloud);
}

/* Of up to 40000 pairs of parts one is looked at, and hardly ever a second; the trees are not walked. */
START_TEST(far_apart_costs_one_pair)
{
    static const size_t parts[] = {2, 10, 50, 200};
    static const double aways[] = {5.0, 50.0};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            counts cold, warm;
            count_far_apart(parts[i], aways[k], &cold, &warm);
            ck_assert_msg(warm.queries <= 1.02 && warm.boxes == 0.0, "%zu parts, %g radii: %g queries and %g boxes with a cache", parts[i],
                          aways[k], warm.queries, warm.boxes);
            ck_assert_msg(cold.queries <= 1.06 && cold.boxes <= 0.1, "%zu parts, %g radii: %g queries and %g boxes", parts[i], aways[k],
                          cold.queries, cold.boxes);
        }
    }
}
END_TEST

/* Parts of all kinds, strewn over a ball, or all where the shapes themselves are. */
static apart_compound *make_crowd(const solid_pool *pool, random_source *r, size_t count, bool in_place)
{
    apart_part *parts = calloc(count, sizeof *parts);
    apart_compound *crowd = NULL;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 at = random_in_ball(r);
        const double size = random_between(r, 0.05, 0.3);
        const apart_shape kinds[] = {apart_hull_shape(pool->hulls[random_below(r, SCENE_HULLS)]), apart_box((apart_vec3){size, 0.1, 0.2}),
                                     apart_sphere(size), apart_capsule(0.1, size), apart_cylinder(size, 0.1), apart_cone(0.1, size)};
        parts[i] = (apart_part){kinds[random_below(r, 6)], in_place ? apart_pose_identity() : scene_pose(r, 0.0)};
        if (!in_place) {
            parts[i].pose.translation = at;
        }
    }
    ck_assert_int_eq(apart_compound_build(parts, count, NULL, &crowd), APART_OK);
    free(parts);
    return crowd;
}

/* Small parts near the points of a grid with spacing 1, so that gaps are several times their size. */
static apart_compound *make_grid(random_source *r, size_t count)
{
    const size_t side = (size_t)ceil(cbrt((double)count) - 1e-9);
    apart_part *parts = calloc(count, sizeof *parts);
    apart_compound *grid = NULL;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 off = random_in_ball(r), at = {(double)(i % side), (double)(i / side % side), (double)(i / (side * side))};
        const apart_shape shape = i % 2 == 0 ? apart_box((apart_vec3){0.05, 0.04, 0.06}) : apart_capsule(0.03, 0.05);
        parts[i] = (apart_part){shape, scene_pose(r, 0.0)};
        parts[i].pose.translation = (apart_vec3){at.x + 0.15 * off.x, at.y + 0.15 * off.y, at.z + 0.15 * off.z};
    }
    ck_assert_int_eq(apart_compound_build(parts, count, NULL, &grid), APART_OK);
    free(parts);
    return grid;
}

/* A pose of B that brings one of its parts to a place `gap` from one of A's. */
static apart_pose pose_at(random_source *r, const apart_compound *a, const apart_pose *pa, const apart_compound *b, double gap)
{
    const size_t part_a = random_below(r, (uint32_t)apart_compound_count(a)), part_b = random_below(r, (uint32_t)apart_compound_count(b));
    const apart_vec3 d = random_in_ball(r);
    const double scale = gap / sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    apart_pose pose = scene_pose(r, 0.0);
    const apart_vec3 to = apart_pose_apply(pa, apart_compound_part(a, part_a)->pose.translation);
    const apart_vec3 from = apart_pose_apply(&pose, apart_compound_part(b, part_b)->pose.translation);
    pose.translation.x += to.x - from.x + scale * d.x;
    pose.translation.y += to.y - from.y + scale * d.y;
    pose.translation.z += to.z - from.z + scale * d.z;
    return pose;
}

/* What a cache may become: another pair's, with other parts of this one, or anything. */
static void spoil(apart_compound_cache *cache, const apart_compound_cache *other, random_source *r)
{
    unsigned char *bytes = (unsigned char *)cache;
    switch (random_below(r, 6)) {
    case 0: *cache = *other; break;
    case 1: cache->part_a = random_below(r, 64); break;
    case 2: cache->part_b = random_below(r, 64); break;
    case 3: bytes[random_below(r, sizeof *cache)] ^= (unsigned char)(1u << random_below(r, 8)); break;
    default: break;
    }
}

/* Motions of bodies of many parts, from overlapping to far apart, with caches that are tracked, exchanged and spoilt. */
START_TEST(tracked_crowds_equal_brute_force)
{
    static const size_t sizes[] = {1, 2, 3, 5, 16, 17, 64};
    enum { CROWDS = sizeof sizes / sizeof *sizes, STEPS = 16 };
    random_source r = {seed + 4};
    solid_pool pool;
    apart_compound *crowds[CROWDS];
    apart_compound_cache caches[2] = {{.part_a = 0}};
    solid_pool_make(&pool, &r);
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < CROWDS; i++) {
            crowds[i] = make_crowd(&pool, &r, sizes[i], round == 5);
        }
        for (int i = 0; i < CROWDS * CROWDS; i++) {
            const apart_solid a = apart_solid_compound(crowds[i % CROWDS]), b = apart_solid_compound(crowds[i / CROWDS]);
            apart_pose pa = scene_pose(&r, 0.5), pb = scene_pose(&r, 0.5);
            pb.translation.x += random_between(&r, 0.0, round % 2 == 0 ? 4.0 : 12.0);
            for (int step = 0; step < STEPS; step++) {
                check_against_brute_force(a, &pa, b, &pb, &caches[i % 2]);
                pb = scene_nudged(&pb, &r, 0.05, 0.05);
                spoil(&caches[i % 2], &caches[1 - i % 2], &r);
            }
        }
        for (int i = 0; i < CROWDS; i++) {
            apart_compound_free(crowds[i]);
        }
    }
    solid_pool_free(&pool);
}
END_TEST

/* Parts that are small beside the gaps between them, from one body inside the other to far away; caches that are tracked and spoilt. */
START_TEST(sparse_parts_equal_brute_force)
{
    static const size_t sizes[] = {1, 2, 4, 5, 10, 16, 17, 70};
    enum { GRIDS = sizeof sizes / sizeof *sizes, STEPS = 6 };
    random_source r = {seed + 8};
    const apart_shape ball = apart_sphere(0.1);
    apart_compound_cache caches[2] = {{.part_a = 0}};
    for (int round = 0; round < 4; round++) {
        apart_compound *grids[GRIDS];
        for (int i = 0; i < GRIDS; i++) {
            grids[i] = make_grid(&r, sizes[i]);
        }
        for (int i = 0; i < 2 * GRIDS * GRIDS; i++) {
            const apart_compound *x = grids[i % GRIDS], *y = grids[i / GRIDS % GRIDS];
            const apart_solid a = apart_solid_compound(x), b = i % 5 == 0 ? apart_solid_shape(&ball) : apart_solid_compound(y);
            const apart_pose pa = scene_pose(&r, 2.0);
            apart_pose pb = pose_at(&r, x, &pa, y, random_between(&r, 0.2, i % 3 == 0 ? 1.0 : 12.0));
            check_against_brute_force(a, &pa, b, &pb, NULL);
            for (int step = 0; step < STEPS; step++) {
                check_against_brute_force(a, &pa, b, &pb, &caches[i % 2]);
                pb = scene_nudged(&pb, &r, 0.05, 0.05);
                if (i % 4 == 0) {
                    spoil(&caches[i % 2], &caches[1 - i % 2], &r);
                }
            }
        }
        for (int i = 0; i < GRIDS; i++) {
            apart_compound_free(grids[i]);
        }
    }
}
END_TEST

/* In the plane, from deep overlap to apart. */
START_TEST(bodies_in_the_plane_equal_brute_force)
{
    static const size_t sizes[] = {1, 2, 5, 16, 17, 60};
    static const double polygon[] = {0.2, 0.0, 0.1, 0.15, -0.1, 0.1, -0.15, -0.1, 0.05, -0.2};
    enum { BODIES = sizeof sizes / sizeof *sizes, MOST = 60 };
    random_source r = {seed + 13};
    for (int round = 0; round < 4; round++) {
        apart_compound *bodies[BODIES];
        for (int i = 0; i < BODIES; i++) {
            apart_part parts[MOST];
            for (size_t k = 0; k < sizes[i]; k++) {
                const double size = random_between(&r, 0.02, round % 2 == 0 ? 0.3 : 0.05);
                const apart_shape kinds[] = {apart_rectangle(size, 0.1), apart_circle(size), apart_polygon(polygon, 5),
                                             apart_segment_2d(-size, 0.1, size, 0.0), apart_point_2d(0.1, size)};
                parts[k].shape = kinds[random_below(&r, 5)];
                ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, 0.0, 6.3), random_between(&r, -1.0, 1.0),
                                                          random_between(&r, -1.0, 1.0), &parts[k].pose), APART_OK);
            }
            ck_assert_int_eq(apart_compound_build(parts, sizes[i], NULL, &bodies[i]), APART_OK);
        }
        for (int i = 0; i < 5 * BODIES * BODIES; i++) {
            const apart_solid a = apart_solid_compound(bodies[i % BODIES]), b = apart_solid_compound(bodies[i / BODIES % BODIES]);
            apart_pose pa, pb;
            ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, 0.0, 6.3), 0.0, 0.0, &pa), APART_OK);
            ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, 0.0, 6.3), random_between(&r, 0.0, 3.0), 0.1, &pb), APART_OK);
            check_against_brute_force(a, &pa, b, &pb, NULL);
        }
        for (int i = 0; i < BODIES; i++) {
            apart_compound_free(bodies[i]);
        }
    }
}
END_TEST

/* Tiny and huge bodies, from overlapping to apart; of few and of many parts, sparse and not. */
START_TEST(bodies_of_any_size)
{
    static const double scales[] = {1e-163, 1e-100, 1e-3, 1e100, 1e155};
    random_source r = {seed + 19};
    for (int i = 0; i < 400; i++) {
        const double scale = scales[i % 5], spacing = i % 3 == 0 ? 0.15 : 1.0;
        const apart_shape ball = apart_sphere(0.1 * scale), box = apart_box((apart_vec3){0.1 * scale, 0.2 * scale, 0.1 * scale});
        apart_compound *x = make_row(i % 2 == 0 ? 24 : 3, &ball, spacing * scale), *y = make_row(i % 4 < 2 ? 20 : 2, &box, 1.1 * spacing * scale);
        const apart_solid a = apart_solid_compound(x), b = apart_solid_compound(y);
        const apart_vec3 to = random_in_ball(&r);
        const apart_pose pa = scene_pose(&r, 0.0);
        apart_pose pb = scene_pose(&r, 0.0);
        const double away = scale * random_between(&r, 0.0, i % 7 == 0 ? 30.0 : 3.0);
        pb.translation = (apart_vec3){away * to.x, away * to.y, away * to.z};
        const brute_answer truth = brute_distance(a, &pa, b, &pb);
        apart_compound_result found;
        ck_assert_int_eq(apart_compound_distance(a, &pa, b, &pb, NULL, NULL, &found), APART_OK);
        const double error = 1e-12 * (fabs(truth.distance) + 60.0 * scale);
        ck_assert_msg(found.result.lower <= truth.upper + error && truth.lower <= found.result.upper + error &&
                      fabs(found.result.distance - truth.distance) <= error, "%d: %g in [%g, %g], brute force %g in [%g, %g]", i,
                      found.result.distance, found.result.lower, found.result.upper, truth.distance, truth.lower, truth.upper);
        apart_compound_free(x);
        apart_compound_free(y);
    }
}
END_TEST

/* Rows of many parts side by side: each pair of neighbours is as near as the next, but for a slant. */
START_TEST(many_nearest_pairs_equal_brute_force)
{
    const apart_shape ball = apart_sphere(0.05), box = apart_box((apart_vec3){0.04, 0.05, 0.03});
    apart_compound *x = make_row(40, &ball, 1.0), *y = make_row(30, &box, 1.0);
    const apart_solid a = apart_solid_compound(x), b = apart_solid_compound(y);
    random_source r = {seed + 10};
    for (int i = 0; i < 200; i++) {
        const double slant = i % 4 == 0 ? 0.0 : pow(10.0, random_between(&r, -17.0, -1.0));
        const apart_pose pa = apart_pose_identity();
        apart_pose pb;
        const apart_vec3 to = {random_between(&r, 0.0, 10.0), random_between(&r, 0.1, 3.0), 0.0};
        ck_assert_int_eq(apart_pose_from_axis_angle((apart_vec3){0, 0, 1}, slant, to, &pb), APART_OK);
        check_against_brute_force(a, &pa, b, &pb, NULL);
    }
    apart_compound_free(x);
    apart_compound_free(y);
}
END_TEST

/* Two parts that overlap do not make the others worth a look: these are apart, and that is seen from their boxes. */
START_TEST(overlap_costs_few_pairs)
{
    static const size_t sizes[] = {2, 10, 50, 200};
    random_source r = {seed + 11};
    for (int i = 0; i < 4; i++) {
        apart_compound *x = make_grid(&r, sizes[i]), *y = make_grid(&r, sizes[i]);
        int overlaps = 0;
        double queries = 0.0;
        for (int k = 0; k < 100; k++) {
            const apart_pose pa = scene_pose(&r, 2.0), pb = pose_at(&r, x, &pa, y, 0.02);
            apart_compound_result result;
            ck_assert_int_eq(apart_compound_distance(apart_solid_compound(x), &pa, apart_solid_compound(y), &pb, NULL, NULL, &result),
                             APART_OK);
            if (result.result.relation == APART_OVERLAPPING) {
                overlaps++;
                queries += result.queries;
            }
        }
        ck_assert_msg(overlaps >= 50 && queries <= 4.0 * overlaps, "%zu parts: %g queries for %d overlaps", sizes[i], queries, overlaps);
        apart_compound_free(x);
        apart_compound_free(y);
    }
}
END_TEST

/* Even so near that parts of one body are between those of the other, a pair is proved to decide without a walk: that of the nearest balls,
 * and a tracked one. */
START_TEST(sparse_parts_cost_one_pair)
{
    static const size_t sizes[] = {2, 10, 50, 200};
    enum { TRIALS = 200 };
    random_source r = {seed + 9};
    for (int i = 0; i < 4; i++) {
        apart_compound *x = make_grid(&r, sizes[i]), *y = make_grid(&r, sizes[i]);
        const apart_solid a = apart_solid_compound(x), b = apart_solid_compound(y);
        counts cold = {0, 0}, warm = {0, 0};
        for (int k = 0; k < TRIALS; k++) {
            const apart_pose pa = scene_pose(&r, 2.0);
            apart_pose pb = pose_at(&r, x, &pa, y, 0.5);
            apart_compound_cache cache = {.part_a = 0};
            apart_compound_result result;
            ck_assert_int_eq(apart_compound_distance(a, &pa, b, &pb, NULL, &cache, &result), APART_OK);
            if (result.result.distance > 0.2) {
                cold.queries += (double)(result.queries - 1) / TRIALS;
                cold.boxes += (double)result.boxes / TRIALS;
                pb = scene_nudged(&pb, &r, 0.002, 0.0005);
                ck_assert_int_eq(apart_compound_distance(a, &pa, b, &pb, NULL, &cache, &result), APART_OK);
                warm.queries += (double)(result.queries - 1) / TRIALS;
                warm.boxes += (double)result.boxes / TRIALS;
            }
        }
        ck_assert_msg(warm.queries <= 0.05 && warm.boxes == 0.0, "%zu parts: %g more queries and %g boxes with a cache", sizes[i],
                      warm.queries, warm.boxes);
        ck_assert_msg(cold.queries <= 0.2 && cold.boxes <= 20.0, "%zu parts: %g more queries and %g boxes", sizes[i], cold.queries,
                      cold.boxes);
        apart_compound_free(x);
        apart_compound_free(y);
    }
}
END_TEST

static bool same_vector(apart_vec3 a, apart_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void check_same_bits(const apart_compound_result *x, const apart_compound_result *y)
{
    const apart_result *p = &x->result, *q = &y->result;
    ck_assert_msg(p->distance == q->distance && p->lower == q->lower && p->upper == q->upper, "[%.17g, %.17g] and [%.17g, %.17g]", p->lower,
                  p->upper, q->lower, q->upper);
    ck_assert(same_vector(p->a, q->a) && same_vector(p->b, q->b) && same_vector(p->normal, q->normal) && p->relation == q->relation);
    ck_assert(x->part_a == y->part_a && x->part_b == y->part_b && x->queries == y->queries && x->boxes == y->boxes);
}

/* The baseline and this CPU's level of the query code, cold and tracked. */
START_TEST(levels_give_the_same_bits)
{
    random_source r = {seed + 5};
    solid_pool pool;
    solid_pool_make(&pool, &r);
    apart_compound *bodies[] = {make_crowd(&pool, &r, 40, false), make_grid(&r, 40), make_crowd(&pool, &r, 10, false), make_grid(&r, 10),
                                make_crowd(&pool, &r, 2, false)};
    for (int i = 0; i < 1000; i++) {
        const apart_solid a = apart_solid_compound(bodies[i % 5]), b = i % 3 == 0 ? solid_pool_draw(&pool, &r, true) : a;
        const apart_pose pa = scene_pose(&r, 2.0);
        apart_pose pb = scene_pose(&r, i % 2 == 0 ? 2.0 : 10.0);
        apart_compound_cache caches[2] = {{.part_a = 0}};
        for (int step = 0; step < 3; step++) {
            apart_compound_result results[2];
            for (int level = 0; level < 2; level++) {
                ck_assert(ap_level_force(level == 0 ? "baseline" : NULL));
                ck_assert_int_eq(apart_compound_distance(a, &pa, b, &pb, NULL, &caches[level], &results[level]), APART_OK);
            }
            check_same_bits(&results[0], &results[1]);
            pb = scene_nudged(&pb, &r, 0.05, 0.05);
        }
    }
    for (int i = 0; i < 5; i++) {
        apart_compound_free(bodies[i]);
    }
    solid_pool_free(&pool);
}
END_TEST

/* One part in its own frame is its shape, to the bit; moved by a pose of its own it is that shape elsewhere. */
START_TEST(one_part_is_its_shape)
{
    random_source r = {seed + 6};
    solid_pool pool;
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 200; i++) {
        const apart_shape shape = apart_hull_shape(pool.hulls[i % SCENE_HULLS]), ball = apart_sphere(0.4);
        const apart_part plain = {shape, apart_pose_identity()}, moved = {shape, scene_pose(&r, 1.0)};
        const apart_pose pa = scene_pose(&r, 100.0), pb = scene_nudged(&pa, &r, 3.0, 1.0), at = apart_pose_compose(&pa, &moved.pose);
        const apart_solid alone = apart_solid_shape(&shape), other = apart_solid_shape(&ball);
        apart_compound *same = NULL, *elsewhere = NULL;
        apart_compound_result x, y;
        ck_assert_int_eq(apart_compound_build(&plain, 1, NULL, &same), APART_OK);
        ck_assert_int_eq(apart_compound_build(&moved, 1, NULL, &elsewhere), APART_OK);
        ck_assert_int_eq(apart_compound_distance(apart_solid_compound(same), &pa, other, &pb, NULL, NULL, &x), APART_OK);
        ck_assert_int_eq(apart_compound_distance(alone, &pa, other, &pb, NULL, NULL, &y), APART_OK);
        check_same_bits(&x, &y);
        ck_assert_int_eq(apart_compound_distance(apart_solid_compound(elsewhere), &pa, other, &pb, NULL, NULL, &x), APART_OK);
        ck_assert_int_eq(apart_compound_distance(alone, &at, other, &pb, NULL, NULL, &y), APART_OK);
        ck_assert_msg(fabs(x.result.distance - y.result.distance) < 1e-12 && x.queries == 1, "%.17g and %.17g", x.result.distance,
                      y.result.distance);
        apart_compound_free(same);
        apart_compound_free(elsewhere);
    }
    solid_pool_free(&pool);
}
END_TEST

static apart_pose stretched_along_x(const apart_pose *pose, double by)
{
    apart_pose out = *pose;
    out.rotation.x = (apart_vec3){by * out.rotation.x.x, by * out.rotation.x.y, by * out.rotation.x.z};
    return out;
}

/* The solids' own poses are held to the same limits as those of shapes, whatever their parts' poses make of them. */
START_TEST(bad_poses_are_refused)
{
    random_source r = {seed + 7};
    const apart_shape box = apart_box((apart_vec3){0.5, 0.5, 0.5});
    apart_compound *cloud = make_cloud(&r, 8, 2.0), *row = make_row(1, &box, 1.0), *one = make_cloud(&r, 1, 2.0);
    const apart_solid solids[] = {apart_solid_compound(cloud), apart_solid_compound(row), apart_solid_compound(one)};
    const apart_pose good = scene_pose(&r, 20.0);
    apart_pose mirrored = scene_pose(&r, 1.0), huge = mirrored;
    /* Just too much: turned by a part's own rotation it would be spread over all columns. And almost. */
    const apart_pose stretched = stretched_along_x(&mirrored, 1.0 + 0.6e-6), almost = stretched_along_x(&mirrored, 1.0 + 0.49e-6);
    mirrored.rotation.z = (apart_vec3){-mirrored.rotation.z.x, -mirrored.rotation.z.y, -mirrored.rotation.z.z};
    huge.translation.y = 1e308;
    const apart_pose far = {good.rotation, {0.0, -1e308, 0.0}};
    for (int i = 0; i < 3; i++) {
        apart_compound_result result = {.part_a = 77};
        ck_assert_int_eq(apart_compound_distance(solids[i], &stretched, solids[0], &good, NULL, NULL, &result), APART_ERR_ROTATION);
        ck_assert_int_eq(apart_compound_distance(solids[0], &good, solids[i], &stretched, NULL, NULL, &result), APART_ERR_ROTATION);
        ck_assert_int_eq(apart_compound_distance(solids[i], &mirrored, solids[0], &good, NULL, NULL, &result), APART_ERR_ROTATION);
        ck_assert_int_eq(apart_compound_distance(solids[0], &far, solids[i], &huge, NULL, NULL, &result), APART_ERR_OVERFLOW);
        ck_assert_int_eq(apart_compound_distance(solids[i], &good, solids[0], &good, &(apart_options){.cutoff = -1.0}, NULL, &result),
                         APART_ERR_OPTION);
        ck_assert_uint_eq(result.part_a, 77);
        ck_assert_int_eq(apart_compound_distance(solids[i], &almost, solids[0], &good, NULL, NULL, &result), APART_OK);
        ck_assert_int_eq(apart_compound_distance(solids[0], &good, solids[i], &almost, NULL, NULL, &result), APART_OK);
    }
    apart_compound_free(cloud);
    apart_compound_free(row);
    apart_compound_free(one);
}
END_TEST

/* Cut-offs below and above the distance, and wide tolerances, from any first pair: no part that is nearer is missed. */
START_TEST(bounds_hold_with_cutoffs_and_tolerances)
{
    static const size_t sizes[] = {2, 3, 4, 8, 20, 70};
    random_source r = {seed + 12};
    for (int i = 0; i < 6; i++) {
        apart_compound *x = make_grid(&r, sizes[i]), *y = make_grid(&r, sizes[5 - i]);
        const apart_solid a = apart_solid_compound(x), b = apart_solid_compound(y);
        for (int k = 0; k < 400; k++) {
            const apart_pose pa = scene_pose(&r, 2.0), pb = pose_at(&r, x, &pa, y, random_between(&r, 0.2, k % 2 == 0 ? 1.0 : 12.0));
            const brute_answer truth = brute_distance(a, &pa, b, &pb);
            const double cutoff = fabs(truth.distance) * (k % 3 == 0 ? 0.0 : random_between(&r, 0.1, 2.0));
            const apart_options options = {.cutoff = cutoff, .tolerance = k % 4 == 0 ? 0.1 : 0.0};
            apart_compound_cache cache = {.part_a = 0};
            apart_compound_result result;
            ck_assert_int_eq(apart_compound_distance(a, &pa, b, &pb, NULL, &cache, &result), APART_OK);
            cache.part_a = random_below(&r, (uint32_t)apart_compound_count(x));
            cache.part_b = random_below(&r, (uint32_t)apart_compound_count(y));
            ck_assert_int_eq(apart_compound_distance(a, &pa, b, &pb, &options, &cache, &result), APART_OK);
            const double least = result.result.lower, most = result.result.upper;
            ck_assert_msg(least <= truth.upper + ROUNDING && most >= truth.lower - ROUNDING, "[%.17g, %.17g], brute force [%.17g, %.17g]",
                          least, most, truth.lower, truth.upper);
            ck_assert(cutoff == 0.0 || most < cutoff || (result.result.relation == APART_BEYOND) == (least >= cutoff));
            ck_assert(least >= truth.lower - 0.1 - ROUNDING || (cutoff > 0.0 && least >= cutoff));
        }
        apart_compound_free(x);
        apart_compound_free(y);
    }
}
END_TEST

START_TEST(cutoffs_and_depths)
{
    const apart_shape box = apart_box((apart_vec3){0.5, 0.5, 0.5}), ball = apart_sphere(0.5), floor = apart_half_space((apart_vec3){0, 0,
        1}, 0.0);
    apart_compound *row = make_row(5, &box, 2.0);
    const apart_solid a = apart_solid_compound(row), b = apart_solid_shape(&ball), f = apart_solid_shape(&floor);
    const apart_pose here = apart_pose_identity(), far = apart_pose_translation(6.0, 4.0, 0.0), in = apart_pose_translation(4.0, 0.1, 0.0);
    apart_compound_result r;
    apart_options o = {.cutoff = 1.0};
    ck_assert_int_eq(apart_compound_distance(a, &here, b, &far, &o, NULL, &r), APART_OK);
    ck_assert_int_eq(r.result.relation, APART_BEYOND);
    ck_assert(r.result.lower >= 1.0 && r.result.lower <= 3.0);
    o = (apart_options){.cutoff = 5.0};
    ck_assert_int_eq(apart_compound_distance(a, &here, b, &far, &o, NULL, &r), APART_OK);
    ck_assert_int_eq(r.result.relation, APART_DISJOINT);
    ck_assert_uint_eq(r.part_a, 3);
    ck_assert(fabs(r.result.distance - 3.0) < ROUNDING);
    ck_assert_int_eq(apart_compound_distance(b, &in, a, &here, NULL, NULL, &r), APART_OK);
    ck_assert_int_eq(r.result.relation, APART_OVERLAPPING);
    ck_assert_uint_eq(r.part_b, 2);
    ck_assert(fabs(r.result.distance + 0.9) < ROUNDING);
    o = (apart_options){.depth = APART_DEPTH_NONE};
    ck_assert_int_eq(apart_compound_distance(b, &in, a, &here, &o, NULL, &r), APART_OK);
    ck_assert_int_eq(r.result.relation, APART_OVERLAPPING);
    ck_assert(isinf(r.result.lower));
    /* A half-space against the row, lifted and turned. */
    apart_pose up;
    ck_assert_int_eq(apart_pose_from_rpy(0.0, -0.3, 0.0, (apart_vec3){0, 0, 2.0}, &up), APART_OK);
    ck_assert_int_eq(apart_compound_distance(a, &up, f, &here, NULL, NULL, &r), APART_OK);
    ck_assert_uint_eq(r.part_a, 0);
    ck_assert(fabs(r.result.distance - (2.0 - 0.5 * (cos(0.3) + sin(0.3)))) < ROUNDING);
    ck_assert_int_eq(apart_compound_distance(f, &here, a, &up, NULL, NULL, &r), APART_OK);
    ck_assert(fabs(r.result.distance - (2.0 - 0.5 * (cos(0.3) + sin(0.3)))) < ROUNDING);
    apart_compound_free(row);
}
END_TEST

/* A common offset of 1e8 must not spoil the distance: it is removed before poses are joined. */
START_TEST(large_offsets_cost_nothing)
{
    const apart_shape box = apart_box((apart_vec3){0.5, 0.5, 0.5});
    apart_compound *row = make_row(3, &box, 2.0);
    const apart_solid a = apart_solid_compound(row);
    const apart_pose pa = apart_pose_translation(134217728.0, 134217728.0, 0), pb = apart_pose_translation(134217728.0, 134217728.0 + 1.25,
        0);
    apart_compound_result r;
    ck_assert_int_eq(apart_compound_distance(a, &pa, a, &pb, NULL, NULL, &r), APART_OK);
    ck_assert_msg(fabs(r.result.distance - 0.25) < 1e-13 && r.result.upper - r.result.lower < 1e-13, "%.17g", r.result.distance);
    apart_compound_free(row);
}
END_TEST

static void *no_memory(size_t size, void *user)
{
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void give_back(void *memory, void *user)
{
    (void)user;
    free(memory);
}

START_TEST(bad_input_gets_a_status)
{
    const apart_shape ball = apart_sphere(1.0), floor = apart_half_space((apart_vec3){0, 0, 1}, 0), flat = apart_circle(1.0),
        bad = apart_sphere(-1.0);
    const apart_pose here = apart_pose_identity();
    apart_pose wrong = here;
    apart_compound *c = NULL;
    const apart_part good = {ball, here};
    wrong.translation.x = NAN;
    ck_assert_int_eq(apart_compound_build(NULL, 1, NULL, &c), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_build(&good, 1, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_build(&good, 0, NULL, &c), APART_ERR_EMPTY);
    const apart_part parts[][2] = {{good, {floor, here}}, {good, {flat, here}}, {good, {bad, here}}, {good, {ball, wrong}}};
    const apart_status expected[] = {APART_ERR_HALF_SPACE, APART_ERR_DIMENSION, APART_ERR_NEGATIVE_SIZE, APART_ERR_NONFINITE};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(apart_compound_build(parts[i], 2, NULL, &c), expected[i]);
    }
    ck_assert_ptr_null(c);
    for (int left = 0; left < 3; left++) {
        int count = left;
        const apart_allocator allocator = {no_memory, give_back, &count};
        ck_assert_int_eq(apart_compound_build(&good, 1, &allocator, &c), APART_ERR_MEMORY);
    }
    ck_assert_int_eq(apart_compound_build(&good, 1, NULL, &c), APART_OK);
    const apart_solid s = apart_solid_compound(c), neither = {NULL, NULL}, both = {&ball, c};
    apart_compound_result r;
    int overlap = 7;
    ck_assert_int_eq(apart_compound_distance(s, &here, neither, &here, NULL, NULL, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_distance(both, &here, s, &here, NULL, NULL, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_distance(s, &here, s, &wrong, NULL, NULL, &r), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_compound_distance(s, &here, apart_solid_shape(&flat), &here, NULL, NULL, &r), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_compound_overlap(s, &here, apart_solid_shape(&bad), &here, NULL, NULL, &overlap, NULL), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(overlap, 7);
    ck_assert_uint_eq(apart_compound_count(c), 1);
    ck_assert_ptr_null(apart_compound_part(c, 1));
    ck_assert_uint_eq(apart_compound_count(NULL), 0);
    apart_compound_free(NULL);
    apart_compound_free(c);
}
END_TEST

START_TEST(boxes_and_balls_hold_the_parts)
{
    random_source r = {seed + 3};
    solid_pool pool;
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 400; i++) {
        const apart_solid s = apart_solid_compound(pool.compounds[i % SCENE_COMPOUNDS]);
        const apart_pose pose = scene_pose(&r, 100.0);
        apart_aabb box;
        apart_vec3 center;
        double radius;
        ck_assert_int_eq(apart_solid_aabb(s, &pose, &box), APART_OK);
        ck_assert_int_eq(apart_solid_ball(s, &center, &radius), APART_OK);
        for (size_t k = 0; k < solid_parts(s); k++) {
            apart_pose at;
            apart_vec3 local, d = random_in_ball(&r);
            const apart_shape *shape = solid_part(s, k, &pose, &at);
            ck_assert_int_eq(apart_support(shape, d, &local), APART_OK);
            const apart_vec3 p = apart_pose_apply(&at, local), q = apart_pose_apply(&apart_compound_part(s.compound, k)->pose, local);
            ck_assert(box.min.x <= p.x && p.x <= box.max.x && box.min.y <= p.y && p.y <= box.max.y && box.min.z <= p.z && p.z <= box.max.z);
            ck_assert(sqrt((q.x - center.x) * (q.x - center.x) + (q.y - center.y) * (q.y - center.y) + (q.z - center.z) * (q.z - center.z)) <= radius);
        }
    }
    solid_pool_free(&pool);
}
END_TEST

/* Roughly towards the origin, around which everything is. */
static apart_motion random_motion(random_source *r, const apart_pose *start, bool turns)
{
    const apart_vec3 way = random_in_ball(r), axis = random_in_ball(r), none = {0, 0, 0}, from = start->translation;
    const apart_vec3 linear = {way.x - from.x, way.y - from.y, way.z - from.z}, angular = {2.0 * axis.x, 2.0 * axis.y, 2.0 * axis.z};
    return apart_motion_velocity(start, linear, turns ? angular : none, none);
}

/* The first contact of all pairs of parts, each asked alone; what follows an earlier one is not looked at. */
static apart_impact brute_impact(apart_solid a, const apart_motion *ma, apart_solid b, const apart_motion *mb)
{
    apart_impact best = {.t = INFINITY, .upper = INFINITY};
    for (size_t i = 0; i < solid_parts(a); i++) {
        for (size_t k = 0; k < solid_parts(b); k++) {
            apart_pose pose;
            apart_impact found;
            const apart_shape *x = solid_part(a, i, &ma->start, &pose), *y = solid_part(b, k, &mb->start, &pose);
            const apart_motion pa = a.compound != NULL ? apart_motion_of_part(ma, &apart_compound_part(a.compound, i)->pose) : *ma;
            const apart_motion pb = b.compound != NULL ? apart_motion_of_part(mb, &apart_compound_part(b.compound, k)->pose) : *mb;
            ck_assert_int_eq(apart_time_of_impact(x, &pa, y, &pb, NULL, NULL, &found), APART_OK);
            const bool ends = found.outcome != APART_OUTCOME_CLEAR, best_ends = best.outcome != APART_OUTCOME_CLEAR;
            if ((ends && (!best_ends || found.t < best.t)) || (!ends && !best_ends && found.upper < best.upper)) {
                best = found;
            }
        }
    }
    return best;
}

/* Contact within the tolerance may be noticed or not, and not at the same moment: times differ by what the tolerance takes at the
 * slowest approach, so the gap at the reported time is checked and not the time alone. */
static void check_impact(int i, apart_solid a, apart_solid b, const apart_compound_impact *found, const apart_impact *truth)
{
    const apart_impact *f = &found->impact;
    ck_assert_msg((f->outcome == truth->outcome) || (truth->upper <= 1e-5 && f->upper <= 1e-5), "%d: %s, truly %s", i,
                  apart_outcome_name(f->outcome), apart_outcome_name(truth->outcome));
    ck_assert(found->part_a < solid_parts(a) && found->part_b < solid_parts(b));
    if (f->outcome == APART_OUTCOME_CLEAR) {
        ck_assert_msg(f->lower <= truth->upper + ROUNDING && truth->lower <= f->upper + ROUNDING,
                      "%d: [%.17g, %.17g], truly [%.17g, %.17g]", i, f->lower, f->upper, truth->lower, truth->upper);
        return;
    }
    const brute_answer gap = brute_distance(a, &f->pose_a, b, &f->pose_b);
    ck_assert_msg(f->outcome == APART_OUTCOME_START || (gap.lower <= f->tolerance + 1e-12 && gap.upper > -1e-12),
                  "%d: gap %g at the impact", i, gap.upper);
    ck_assert_msg(fabs(f->t - truth->t) <= 1e-3, "%d: t %.17g, truly %.17g", i, f->t, truth->t);
}

START_TEST(moving_compounds)
{
    random_source r = {seed + 4};
    solid_pool pool;
    int outcomes[4] = {0};
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 300; i++) {
        const apart_solid a = solid_pool_draw(&pool, &r, true), b = apart_solid_compound(pool.compounds[i % SCENE_COMPOUNDS]);
        const apart_pose pa = scene_pose(&r, 2.0), pb = scene_pose(&r, 2.0);
        const bool turns = i % 2 == 0;
        const apart_motion ma = random_motion(&r, &pa, turns), mb = random_motion(&r, &pb, turns);
        apart_compound_impact found;
        const apart_impact truth = brute_impact(a, &ma, b, &mb);
        if (turns) {
            ck_assert_int_eq(apart_compound_time_of_impact(a, &ma, b, &mb, NULL, &found), APART_OK);
        } else {
            ck_assert_int_eq(apart_compound_sweep(a, &pa, ma.linear, b, &pb, mb.linear, NULL, &found), APART_OK);
        }
        check_impact(i, a, b, &found, &truth);
        outcomes[found.impact.outcome]++;
    }
    ck_assert_msg(outcomes[APART_OUTCOME_HIT] > 20 && outcomes[APART_OUTCOME_CLEAR] > 20, "%d hits, %d clear",
                  outcomes[APART_OUTCOME_HIT], outcomes[APART_OUTCOME_CLEAR]);
    solid_pool_free(&pool);
}
END_TEST

/* Bodies of many parts on long ways past and into each other, with turns from a little to many, straight and on screws. */
START_TEST(long_ways_equal_brute_force)
{
    static const double angles[] = {0.0, 0.5, 3.0, 40.0};
    random_source r = {seed + 14};
    solid_pool pool;
    int outcomes[4] = {0};
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 80; i++) {
        apart_compound *x = make_crowd(&pool, &r, 12, false), *y = i % 2 == 0 ? make_grid(&r, 12) : make_crowd(&pool, &r, 5, false);
        const apart_solid a = apart_solid_compound(x), b = apart_solid_compound(y);
        const apart_pose pa = scene_pose(&r, 0.0);
        apart_pose pb = scene_pose(&r, 0.0);
        const apart_vec3 from = random_in_ball(&r), to = random_in_ball(&r);
        pb.translation = (apart_vec3){4.0 + from.x, 3.0 * from.y, 3.0 * from.z};
        const double angle = angles[i % 4];
        const apart_vec3 turn = random_in_ball(&r), way = {-8.0 * (1.0 + to.x), 4.0 * to.y, 4.0 * to.z};
        apart_motion ma = apart_motion_rest(&pa), mb = apart_motion_velocity(&pb, way, (apart_vec3){angle * turn.x, angle * turn.y,
            angle * turn.z}, pb.translation);
        if (i % 3 == 0) {
            mb.path = APART_PATH_SCREW;
        } else if (i % 3 == 1) {
            ma = apart_motion_velocity(&pa, to, (apart_vec3){angle * to.x, 0.0, angle * to.z}, from);
        }
        apart_compound_impact found;
        const apart_impact truth = brute_impact(a, &ma, b, &mb);
        ck_assert_int_eq(apart_compound_time_of_impact(a, &ma, b, &mb, NULL, &found), APART_OK);
        check_impact(i, a, b, &found, &truth);
        outcomes[found.impact.outcome]++;
        apart_compound_free(x);
        apart_compound_free(y);
    }
    ck_assert_msg(outcomes[APART_OUTCOME_HIT] > 10 && outcomes[APART_OUTCOME_CLEAR] > 10, "%d hits, %d clear",
                  outcomes[APART_OUTCOME_HIT], outcomes[APART_OUTCOME_CLEAR]);
    solid_pool_free(&pool);
}
END_TEST

/* The same in worlds of any size. */
START_TEST(ways_of_any_size)
{
    static const double scales[] = {1e-163, 1e-100, 1e-3, 1e100, 1e155};
    random_source r = {seed + 18};
    int outcomes[4] = {0};
    for (int i = 0; i < 100; i++) {
        const double scale = scales[i % 5];
        const apart_shape ball = apart_sphere(0.1 * scale), box = apart_box((apart_vec3){0.1 * scale, 0.2 * scale, 0.1 * scale});
        apart_compound *x = make_row(9, &ball, 0.7 * scale), *y = make_row(6, &box, 0.5 * scale);
        const apart_solid a = apart_solid_compound(x), b = apart_solid_compound(y);
        const apart_vec3 turn = random_in_ball(&r), to = random_in_ball(&r);
        const apart_pose pa = scene_pose(&r, 0.0);
        apart_pose pb = scene_pose(&r, 0.0);
        pb.translation = (apart_vec3){8.0 * scale, to.y * scale, to.z * scale};
        const apart_motion ma = apart_motion_rest(&pa);
        const apart_motion mb = apart_motion_velocity(&pb, (apart_vec3){-12.0 * scale, to.x * scale, 0.0},
                                                      i % 2 == 0 ? turn : (apart_vec3){0, 0, 0}, pb.translation);
        const apart_impact truth = brute_impact(a, &ma, b, &mb);
        apart_compound_impact found;
        ck_assert_int_eq(apart_compound_time_of_impact(a, &ma, b, &mb, NULL, &found), APART_OK);
        const apart_impact *f = &found.impact;
        ck_assert_msg(f->outcome == truth.outcome, "%d: %s, truly %s", i, apart_outcome_name(f->outcome),
                      apart_outcome_name(truth.outcome));
        ck_assert(f->outcome == APART_OUTCOME_CLEAR ? f->lower <= truth.upper + f->tolerance && truth.lower <= f->upper + f->tolerance
                                                    : fabs(f->t - truth.t) <= 1e-3);
        outcomes[f->outcome]++;
        apart_compound_free(x);
        apart_compound_free(y);
    }
    ck_assert_msg(outcomes[APART_OUTCOME_HIT] > 5 && outcomes[APART_OUTCOME_CLEAR] > 5, "%d hits, %d clear",
                  outcomes[APART_OUTCOME_HIT], outcomes[APART_OUTCOME_CLEAR]);
}
END_TEST

/* Falling, rising or sliding over a half-space, which moves along in some cases. */
START_TEST(ways_over_a_floor_equal_brute_force)
{
    static const double angles[] = {0.0, 0.5, 3.0, 40.0};
    random_source r = {seed + 16};
    const apart_shape floor = apart_half_space((apart_vec3){0, 0.6, 0.8}, -1.5);
    int outcomes[4] = {0};
    for (int i = 0; i < 300; i++) {
        apart_compound *body = make_grid(&r, 27);
        const apart_solid a = apart_solid_shape(&floor), b = apart_solid_compound(body);
        const apart_pose pa = apart_pose_identity();
        apart_pose pb = scene_pose(&r, 0.0);
        const apart_vec3 turn = random_in_ball(&r), way = random_in_ball(&r), lift = random_in_ball(&r);
        const double angle = angles[i % 4], high = random_between(&r, 0.0, 8.0), far = i % 3 == 0 ? 0.3 : 9.0;
        pb.translation = (apart_vec3){0.0, 0.6 * high, 0.8 * high};
        const apart_motion ma = apart_motion_velocity(&pa, i % 5 == 0 ? lift : (apart_vec3){0, 0, 0},
                                                      i % 10 == 0 ? turn : (apart_vec3){0, 0, 0}, way);
        apart_motion mb = apart_motion_velocity(&pb, (apart_vec3){far * way.x, far * way.y, far * way.z},
                                                (apart_vec3){angle * turn.x, angle * turn.y, angle * turn.z}, pb.translation);
        mb.path = i % 7 == 0 ? APART_PATH_SCREW : APART_PATH_STRAIGHT;
        const bool swap = i % 2 == 0;
        const apart_impact truth = brute_impact(a, &ma, b, &mb);
        apart_compound_impact found;
        ck_assert_int_eq(swap ? apart_compound_time_of_impact(b, &mb, a, &ma, NULL, &found)
                              : apart_compound_time_of_impact(a, &ma, b, &mb, NULL, &found), APART_OK);
        check_impact(i, swap ? b : a, swap ? a : b, &found, &truth);
        outcomes[found.impact.outcome]++;
        apart_compound_free(body);
    }
    ck_assert_msg(outcomes[APART_OUTCOME_HIT] > 20 && outcomes[APART_OUTCOME_CLEAR] > 20, "%d hits, %d clear",
                  outcomes[APART_OUTCOME_HIT], outcomes[APART_OUTCOME_CLEAR]);
}
END_TEST

/* Of 10000 pairs of parts that could meet if they went straight to each other, few are looked at. */
START_TEST(long_ways_cost_few_pairs)
{
    random_source r = {seed + 15};
    apart_compound *x = make_grid(&r, 100), *y = make_grid(&r, 100);
    enum { TRIALS = 40 };
    double queries = 0.0;
    int hits = 0;
    for (int i = 0; i < TRIALS; i++) {
        const apart_pose pa = scene_pose(&r, 0.0);
        apart_pose pb = scene_pose(&r, 0.0);
        pb.translation.x += 15.0;
        const apart_motion ma = apart_motion_rest(&pa);
        const apart_motion mb = apart_motion_velocity(&pb, (apart_vec3){-15.0, 0.0, 0.0}, (apart_vec3){0.0, i % 2, 0.5}, pb.translation);
        apart_compound_impact found;
        ck_assert_int_eq(apart_compound_time_of_impact(apart_solid_compound(x), &ma, apart_solid_compound(y), &mb, NULL, &found), APART_OK);
        queries += found.queries;
        hits += found.impact.outcome == APART_OUTCOME_HIT;
    }
    ck_assert_msg(hits > 0 && queries <= 16.0 * TRIALS, "%d hits, %g pairs of parts", hits, queries / TRIALS);
    apart_compound_free(x);
    apart_compound_free(y);
}
END_TEST

START_TEST(bad_options_of_motions)
{
    const apart_shape ball = apart_sphere(0.5);
    apart_compound *row = make_row(5, &ball, 2.0);
    const apart_solid solid = apart_solid_compound(row);
    const apart_pose here = apart_pose_identity(), there = apart_pose_translation(0.0, 5.0, 0.0);
    const apart_motion rest = apart_motion_rest(&here), falling = apart_motion_translation(&there, (apart_vec3){0.0, -5.0, 0.0});
    const apart_motion_options bad[] = {{.cutoff = -1.0}, {.cutoff = NAN}, {.gap = 9}, {.until = 2.0}, {.until = NAN}, {.tolerance = -1.0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        apart_compound_impact found = {.queries = 77};
        ck_assert_int_eq(apart_compound_time_of_impact(solid, &rest, solid, &falling, &bad[i], &found), APART_ERR_OPTION);
        ck_assert_uint_eq(found.queries, 77);
    }
    apart_compound_free(row);
}
END_TEST

START_TEST(rays)
{
    random_source r = {seed + 5};
    solid_pool pool;
    int hits = 0;
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 2000; i++) {
        const apart_solid s = apart_solid_compound(pool.compounds[i % SCENE_COMPOUNDS]);
        const apart_pose pose = scene_pose(&r, 3.0);
        const apart_vec3 o = random_in_ball(&r), side = random_in_ball(&r), d = {0.5 * side.x - o.x, 0.5 * side.y - o.y,
                                                                                 0.5 * side.z - o.z};
        const apart_ray ray = {{pose.translation.x + 2.0 * o.x, pose.translation.y + 2.0 * o.y, pose.translation.z + 2.0 * o.z}, d,
                               i % 3 == 0 ? 1.0 : INFINITY};
        apart_ray_hit hit, best = {.hit = 0};
        uint32_t part = 99;
        ck_assert_int_eq(apart_compound_raycast(&ray, s, &pose, &hit, &part), APART_OK);
        for (size_t k = 0; k < solid_parts(s); k++) {
            apart_pose at;
            apart_ray_hit one;
            const apart_shape *shape = solid_part(s, k, &pose, &at);
            ck_assert_int_eq(apart_raycast(&ray, shape, &at, NULL, &one), APART_OK);
            best = one.hit && (!best.hit || one.distance < best.distance) ? one : best;
        }
        ck_assert_int_eq(hit.hit, best.hit);
        hits += hit.hit;
        if (hit.hit) {
            ck_assert_msg(fabs(hit.distance - best.distance) < 1e-12, "%.17g, truly %.17g", hit.distance, best.distance);
            ck_assert(fabs(hit.point.x - best.point.x) + fabs(hit.point.y - best.point.y) + fabs(hit.point.z - best.point.z) < 1e-12);
            ck_assert(part < solid_parts(s) && hit.lower <= best.distance + 1e-12);
        }
    }
    ck_assert(hits > 200 && hits < 1800);
    const apart_solid s = apart_solid_compound(pool.compounds[0]);
    const apart_pose here = apart_pose_identity();
    apart_ray_hit hit;
    ck_assert_int_eq(apart_compound_raycast(&(apart_ray){{0, 0, 0}, {0, 0, 0}, 1}, s, &here, &hit, NULL), APART_ERR_NORMAL);
    ck_assert_int_eq(apart_compound_raycast(&(apart_ray){{NAN, 0, 0}, {1, 0, 0}, 1}, s, &here, &hit, NULL), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_compound_raycast(&(apart_ray){{0, 0, 0}, {1, 0, 0}, -1}, s, &here, &hit, NULL), APART_ERR_OPTION);
    ck_assert_int_eq(apart_compound_raycast(NULL, s, &here, &hit, NULL), APART_ERR_NULL);
    solid_pool_free(&pool);
}
END_TEST

/* A direction counts, not its length. */
START_TEST(rays_of_any_length)
{
    static const double lengths[] = {5e-324, 1e-310, 1e-300, 1.0, 1e300, 1.79e308};
    const apart_shape ball = apart_sphere(0.5);
    apart_compound *row = make_row(5, &ball, 2.0);
    const apart_pose here = apart_pose_identity();
    for (int i = 0; i < 6; i++) {
        const apart_ray along = {{-3.0, 0.0, 0.0}, {lengths[i], 0.0, 0.0}, INFINITY};
        const apart_ray slant = {{3.0, -1.0, -1.0}, {lengths[i], lengths[i], lengths[i]}, INFINITY}, off = {{-3.0, 1.0, 0.0}, along.direction, INFINITY};
        apart_ray_hit hit;
        uint32_t part;
        ck_assert_int_eq(apart_compound_raycast(&along, apart_solid_compound(row), &here, &hit, &part), APART_OK);
        ck_assert(hit.hit == 1 && part == 0 && fabs(hit.distance - 2.5) < ROUNDING);
        ck_assert_int_eq(apart_compound_raycast(&slant, apart_solid_compound(row), &here, &hit, &part), APART_OK);
        ck_assert(hit.hit == 1 && part == 2 && fabs(hit.distance - (sqrt(3.0) - 0.5)) < ROUNDING);
        ck_assert_int_eq(apart_compound_raycast(&off, apart_solid_compound(row), &here, &hit, &part), APART_OK);
        ck_assert_int_eq(hit.hit, 0);
    }
    apart_compound_free(row);
}
END_TEST

/* Also a ray without an end is asked only of parts that it comes near. */
START_TEST(rays_ask_few_parts)
{
    random_source r = {seed + 17};
    apart_compound *grid = make_grid(&r, 1000);
    enum { RAYS = 200 };
    double queries = 0.0;
    for (int i = 0; i < RAYS; i++) {
        const apart_pose pose = scene_pose(&r, 1.0);
        const apart_vec3 to = random_in_ball(&r);
        const apart_ray ray = {{40.0, 0.0, 0.0}, {-40.0, 10.0 * to.y, 10.0 * to.z}, INFINITY};
        apart_ray_hit hit;
        ck_assert_int_eq(apart_compound_raycast(&ray, apart_solid_compound(grid), &pose, &hit, NULL), APART_OK);
        queries += hit.iterations;
    }
    ck_assert_msg(queries <= 20.0 * RAYS, "%g queries for a ray", queries / RAYS);
    apart_compound_free(grid);
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    printf("seed %llu\n", (unsigned long long)seed);
    Suite *suite = suite_create("compound");
    TCase *test_case = tcase_create("compound");
    tcase_set_timeout(test_case, 120);
    tcase_add_test(test_case, equal_brute_force);
    tcase_add_test(test_case, caches_never_change_the_answer);
    tcase_add_test(test_case, tracked_crowds_equal_brute_force);
    tcase_add_test(test_case, sparse_parts_equal_brute_force);
    tcase_add_test(test_case, bodies_in_the_plane_equal_brute_force);
    tcase_add_test(test_case, bodies_of_any_size);
    tcase_add_test(test_case, many_nearest_pairs_equal_brute_force);
    tcase_add_test(test_case, overlap_costs_few_pairs);
    tcase_add_test(test_case, sparse_parts_cost_one_pair);
    tcase_add_test(test_case, levels_give_the_same_bits);
    tcase_add_test(test_case, one_part_is_its_shape);
    tcase_add_test(test_case, bad_poses_are_refused);
    tcase_add_test(test_case, far_apart_costs_one_pair);
    tcase_add_test(test_case, bounds_hold_with_cutoffs_and_tolerances);
    tcase_add_test(test_case, cutoffs_and_depths);
    tcase_add_test(test_case, large_offsets_cost_nothing);
    tcase_add_test(test_case, bad_input_gets_a_status);
    tcase_add_test(test_case, moving_compounds);
    tcase_add_test(test_case, long_ways_equal_brute_force);
    tcase_add_test(test_case, ways_of_any_size);
    tcase_add_test(test_case, ways_over_a_floor_equal_brute_force);
    tcase_add_test(test_case, long_ways_cost_few_pairs);
    tcase_add_test(test_case, bad_options_of_motions);
    tcase_add_test(test_case, rays);
    tcase_add_test(test_case, rays_of_any_length);
    tcase_add_test(test_case, rays_ask_few_parts);
    tcase_add_test(test_case, boxes_and_balls_hold_the_parts);
    suite_add_tcase(suite, test_case);
    return run_suite(suite);
}
