/* Compounds: few pairs of parts are queried beside the one that decides, whether bodies are apart, overlap or move, or
 * a ray is cast. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compound_bodies.h"
#include "run_suite.h"

static uint64_t seed = 1;

typedef struct counts {
    double queries, boxes; /* a call */
} counts;

/* Counts the pairs of parts that are queried and the boxes that are compared for two clouds whose centres are `away`
 * radii apart: cold, and with a cache after a small step. */
static void count_far_apart(size_t parts, double away, counts *cold, counts *warm)
{
    random_source r = seed + 2;
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

/* Of up to 40000 pairs of parts one is queried, and hardly ever a second; the trees are not walked. */
START_TEST(far_apart_costs_one_pair)
{
    static const size_t parts[] = {2, 10, 50, 200};
    static const double aways[] = {5.0, 50.0};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            counts cold, warm;
            count_far_apart(parts[i], aways[k], &cold, &warm);
            ck_assert_msg(warm.queries <= 1.02 && warm.boxes == 0.0,
                          "%zu parts, %g radii: %g queries and %g boxes with a cache", parts[i], aways[k], warm.queries,
                          warm.boxes);
            ck_assert_msg(cold.queries <= 1.06 && cold.boxes <= 0.1, "%zu parts, %g radii: %g queries and %g boxes",
                          parts[i], aways[k], cold.queries, cold.boxes);
        }
    }
}
END_TEST

/* If two parts overlap, few others are queried: these are apart, and their bounds show it. */
START_TEST(overlap_costs_few_pairs)
{
    static const size_t sizes[] = {2, 10, 50, 200};
    random_source r = seed + 11;
    for (int i = 0; i < 4; i++) {
        apart_compound *x = make_grid(&r, sizes[i]), *y = make_grid(&r, sizes[i]);
        int overlaps = 0;
        double queries = 0.0;
        for (int k = 0; k < 100; k++) {
            const apart_pose pa = scene_pose(&r, 2.0), pb = pose_at(&r, x, &pa, y, 0.02);
            apart_compound_result result;
            ck_assert_int_eq(apart_compound_distance(apart_solid_compound(x), &pa, apart_solid_compound(y), &pb, NULL,
                                                     NULL, &result),
                             APART_OK);
            if (result.result.relation == APART_OVERLAPPING) {
                overlaps++;
                queries += result.queries;
            }
        }
        ck_assert_msg(overlaps >= 50 && queries <= 4.0 * overlaps, "%zu parts: %g queries for %d overlaps", sizes[i],
                      queries, overlaps);
        apart_compound_free(x);
        apart_compound_free(y);
    }
}
END_TEST

/* Even if parts of one body are between those of the other, a pair is proved to decide without a walk: the one with the
 * nearest bounding spheres, and a tracked one. */
START_TEST(sparse_parts_cost_one_pair)
{
    static const size_t sizes[] = {2, 10, 50, 200};
    enum { TRIALS = 200 };
    random_source r = seed + 9;
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
        ck_assert_msg(warm.queries <= 0.05 && warm.boxes == 0.0, "%zu parts: %g more queries and %g boxes with a cache",
                      sizes[i], warm.queries, warm.boxes);
        ck_assert_msg(cold.queries <= 0.2 && cold.boxes <= 20.0, "%zu parts: %g more queries and %g boxes", sizes[i],
                      cold.queries, cold.boxes);
        apart_compound_free(x);
        apart_compound_free(y);
    }
}
END_TEST

/* Of 10000 pairs of parts that could meet if they moved straight towards each other, few are queried. */
START_TEST(long_paths_cost_few_pairs)
{
    random_source r = seed + 15;
    apart_compound *x = make_grid(&r, 100), *y = make_grid(&r, 100);
    enum { TRIALS = 40 };
    double queries = 0.0;
    int hits = 0;
    for (int i = 0; i < TRIALS; i++) {
        const apart_pose pa = scene_pose(&r, 0.0);
        apart_pose pb = scene_pose(&r, 0.0);
        pb.translation.x += 15.0;
        const apart_motion ma = apart_motion_rest(&pa);
        const apart_motion mb =
            apart_motion_velocity(&pb, (apart_vec3){-15.0, 0.0, 0.0}, (apart_vec3){0.0, i % 2, 0.5}, pb.translation);
        apart_compound_impact found;
        ck_assert_int_eq(apart_compound_time_of_impact(apart_solid_compound(x), &ma, apart_solid_compound(y), &mb, NULL,
                                                       &found),
                         APART_OK);
        queries += found.queries;
        hits += found.impact.outcome == APART_OUTCOME_HIT;
    }
    ck_assert_msg(hits > 0 && queries <= 16.0 * TRIALS, "%d hits, %g pairs of parts", hits, queries / TRIALS);
    apart_compound_free(x);
    apart_compound_free(y);
}
END_TEST

/* A ray without an end, too, is cast only at parts that it comes near. */
START_TEST(rays_ask_few_parts)
{
    random_source r = seed + 17;
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
    Suite *suite = suite_create("compound_cost");
    TCase *test_case = tcase_create("compound_cost");
    tcase_set_timeout(test_case, 120);
    tcase_add_test(test_case, overlap_costs_few_pairs);
    tcase_add_test(test_case, sparse_parts_cost_one_pair);
    tcase_add_test(test_case, far_apart_costs_one_pair);
    tcase_add_test(test_case, long_paths_cost_few_pairs);
    tcase_add_test(test_case, rays_ask_few_parts);
    suite_add_tcase(suite, test_case);
    return run_suite(suite);
}
