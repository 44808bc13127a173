/* Compounds: distance, overlap and depth equal brute force over all pairs of parts, whatever the cache, the options and
 * the size. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compound_bodies.h"
#include "run_suite.h"
#include "api/level.h"

static uint64_t seed = 1;

START_TEST(equal_brute_force)
{
    random_source r = seed;
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
    random_source r = seed + 1;
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

/* Motions of bodies of many parts, from overlapping to far apart, with caches that are tracked, exchanged and
 * spoilt. */
START_TEST(tracked_crowds_equal_brute_force)
{
    static const size_t sizes[] = {1, 2, 3, 5, 16, 17, 64};
    enum { CROWDS = sizeof sizes / sizeof *sizes, STEPS = 16 };
    random_source r = seed + 4;
    solid_pool pool;
    apart_compound *crowds[CROWDS];
    apart_compound_cache caches[2] = {{.part_a = 0}};
    solid_pool_make(&pool, &r);
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < CROWDS; i++) {
            crowds[i] = make_crowd(&pool, &r, sizes[i], round == 5);
        }
        for (int i = 0; i < CROWDS * CROWDS; i++) {
            const apart_solid a = apart_solid_compound(crowds[i % CROWDS]),
                              b = apart_solid_compound(crowds[i / CROWDS]);
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

/* Parts that are small beside the gaps between them, from one body inside the other to far away; caches that are
 * tracked and spoilt. */
START_TEST(sparse_parts_equal_brute_force)
{
    static const size_t sizes[] = {1, 2, 4, 5, 10, 16, 17, 70};
    enum { GRIDS = sizeof sizes / sizeof *sizes, STEPS = 6 };
    random_source r = seed + 8;
    const apart_shape ball = apart_sphere(0.1);
    apart_compound_cache caches[2] = {{.part_a = 0}};
    for (int round = 0; round < 4; round++) {
        apart_compound *grids[GRIDS];
        for (int i = 0; i < GRIDS; i++) {
            grids[i] = make_grid(&r, sizes[i]);
        }
        for (int i = 0; i < 2 * GRIDS * GRIDS; i++) {
            const apart_compound *x = grids[i % GRIDS], *y = grids[i / GRIDS % GRIDS];
            const apart_solid a = apart_solid_compound(x),
                              b = i % 5 == 0 ? apart_solid_shape(&ball) : apart_solid_compound(y);
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
    random_source r = seed + 13;
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
                                                          random_between(&r, -1.0, 1.0), &parts[k].pose),
                                 APART_OK);
            }
            ck_assert_int_eq(apart_compound_build(parts, sizes[i], NULL, &bodies[i]), APART_OK);
        }
        for (int i = 0; i < 5 * BODIES * BODIES; i++) {
            const apart_solid a = apart_solid_compound(bodies[i % BODIES]),
                              b = apart_solid_compound(bodies[i / BODIES % BODIES]);
            apart_pose pa, pb;
            ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, 0.0, 6.3), 0.0, 0.0, &pa), APART_OK);
            ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, 0.0, 6.3), random_between(&r, 0.0, 3.0), 0.1,
                                                      &pb),
                             APART_OK);
            check_against_brute_force(a, &pa, b, &pb, NULL);
        }
        for (int i = 0; i < BODIES; i++) {
            apart_compound_free(bodies[i]);
        }
    }
}
END_TEST

/* Tiny and huge bodies, from overlapping to apart; small and large compounds, sparse and dense. */
START_TEST(bodies_of_any_size)
{
    static const double scales[] = {1e-163, 1e-100, 1e-3, 1e100, 1e155};
    random_source r = seed + 19;
    for (int i = 0; i < 400; i++) {
        const double scale = scales[i % 5], spacing = i % 3 == 0 ? 0.15 : 1.0;
        const apart_shape ball = apart_sphere(0.1 * scale),
                          box = apart_box((apart_vec3){0.1 * scale, 0.2 * scale, 0.1 * scale});
        apart_compound *x = make_row(i % 2 == 0 ? 24 : 3, &ball, spacing * scale),
                       *y = make_row(i % 4 < 2 ? 20 : 2, &box, 1.1 * spacing * scale);
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
                          fabs(found.result.distance - truth.distance) <= error,
                      "%d: %g in [%g, %g], brute force %g in [%g, %g]", i, found.result.distance, found.result.lower,
                      found.result.upper, truth.distance, truth.lower, truth.upper);
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
    random_source r = seed + 10;
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

static bool same_vector(apart_vec3 a, apart_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void check_same_bits(const apart_compound_result *x, const apart_compound_result *y)
{
    const apart_result *p = &x->result, *q = &y->result;
    ck_assert_msg(p->distance == q->distance && p->lower == q->lower && p->upper == q->upper,
                  "[%.17g, %.17g] and [%.17g, %.17g]", p->lower, p->upper, q->lower, q->upper);
    ck_assert(same_vector(p->a, q->a) && same_vector(p->b, q->b) && same_vector(p->normal, q->normal) &&
              p->relation == q->relation);
    ck_assert(x->part_a == y->part_a && x->part_b == y->part_b && x->queries == y->queries && x->boxes == y->boxes);
}

/* The baseline and this CPU's level of the query code, cold and tracked. */
START_TEST(levels_give_the_same_bits)
{
    random_source r = seed + 5;
    solid_pool pool;
    solid_pool_make(&pool, &r);
    apart_compound *bodies[] = {make_crowd(&pool, &r, 40, false), make_grid(&r, 40), make_crowd(&pool, &r, 10, false),
                                make_grid(&r, 10), make_crowd(&pool, &r, 2, false)};
    for (int i = 0; i < 1000; i++) {
        const apart_solid a = apart_solid_compound(bodies[i % 5]),
                          b = i % 3 == 0 ? solid_pool_draw(&pool, &r, true) : a;
        const apart_pose pa = scene_pose(&r, 2.0);
        apart_pose pb = scene_pose(&r, i % 2 == 0 ? 2.0 : 10.0);
        apart_compound_cache caches[2] = {{.part_a = 0}};
        for (int step = 0; step < 3; step++) {
            apart_compound_result results[2];
            for (int level = 0; level < 2; level++) {
                ck_assert(ap_level_force(level == 0 ? "baseline" : NULL));
                ck_assert_int_eq(apart_compound_distance(a, &pa, b, &pb, NULL, &caches[level], &results[level]),
                                 APART_OK);
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
    random_source r = seed + 6;
    solid_pool pool;
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 200; i++) {
        const apart_shape shape = apart_hull_shape(pool.hulls[i % SCENE_HULLS]), ball = apart_sphere(0.4);
        const apart_part plain = {shape, apart_pose_identity()}, moved = {shape, scene_pose(&r, 1.0)};
        const apart_pose pa = scene_pose(&r, 100.0), pb = scene_nudged(&pa, &r, 3.0, 1.0),
                         at = apart_pose_compose(&pa, &moved.pose);
        const apart_solid alone = apart_solid_shape(&shape), other = apart_solid_shape(&ball);
        apart_compound *same = NULL, *elsewhere = NULL;
        apart_compound_result x, y;
        ck_assert_int_eq(apart_compound_build(&plain, 1, NULL, &same), APART_OK);
        ck_assert_int_eq(apart_compound_build(&moved, 1, NULL, &elsewhere), APART_OK);
        ck_assert_int_eq(apart_compound_distance(apart_solid_compound(same), &pa, other, &pb, NULL, NULL, &x),
                         APART_OK);
        ck_assert_int_eq(apart_compound_distance(alone, &pa, other, &pb, NULL, NULL, &y), APART_OK);
        check_same_bits(&x, &y);
        ck_assert_int_eq(apart_compound_distance(apart_solid_compound(elsewhere), &pa, other, &pb, NULL, NULL, &x),
                         APART_OK);
        ck_assert_int_eq(apart_compound_distance(alone, &at, other, &pb, NULL, NULL, &y), APART_OK);
        ck_assert_msg(fabs(x.result.distance - y.result.distance) < 1e-12 && x.queries == 1, "%.17g and %.17g",
                      x.result.distance, y.result.distance);
        apart_compound_free(same);
        apart_compound_free(elsewhere);
    }
    solid_pool_free(&pool);
}
END_TEST

/* Cut-offs below and above the distance, and wide tolerances, from any first pair: no part that is nearer is missed. */
START_TEST(bounds_hold_with_cutoffs_and_tolerances)
{
    static const size_t sizes[] = {2, 3, 4, 8, 20, 70};
    random_source r = seed + 12;
    for (int i = 0; i < 6; i++) {
        apart_compound *x = make_grid(&r, sizes[i]), *y = make_grid(&r, sizes[5 - i]);
        const apart_solid a = apart_solid_compound(x), b = apart_solid_compound(y);
        for (int k = 0; k < 400; k++) {
            const apart_pose pa = scene_pose(&r, 2.0),
                             pb = pose_at(&r, x, &pa, y, random_between(&r, 0.2, k % 2 == 0 ? 1.0 : 12.0));
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
            ck_assert_msg(least <= truth.upper + ROUNDING && most >= truth.lower - ROUNDING,
                          "[%.17g, %.17g], brute force [%.17g, %.17g]", least, most, truth.lower, truth.upper);
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
    const apart_shape box = apart_box((apart_vec3){0.5, 0.5, 0.5}), ball = apart_sphere(0.5),
                      floor = apart_half_space((apart_vec3){0, 0, 1}, 0.0);
    apart_compound *row = make_row(5, &box, 2.0);
    const apart_solid a = apart_solid_compound(row), b = apart_solid_shape(&ball), f = apart_solid_shape(&floor);
    const apart_pose here = apart_pose_identity(), far = apart_pose_translation(6.0, 4.0, 0.0),
                     in = apart_pose_translation(4.0, 0.1, 0.0);
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
    const apart_pose pa = apart_pose_translation(134217728.0, 134217728.0, 0),
                     pb = apart_pose_translation(134217728.0, 134217728.0 + 1.25, 0);
    apart_compound_result r;
    ck_assert_int_eq(apart_compound_distance(a, &pa, a, &pb, NULL, NULL, &r), APART_OK);
    ck_assert_msg(fabs(r.result.distance - 0.25) < 1e-13 && r.result.upper - r.result.lower < 1e-13, "%.17g",
                  r.result.distance);
    apart_compound_free(row);
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
    tcase_add_test(test_case, levels_give_the_same_bits);
    tcase_add_test(test_case, one_part_is_its_shape);
    tcase_add_test(test_case, bounds_hold_with_cutoffs_and_tolerances);
    tcase_add_test(test_case, cutoffs_and_depths);
    tcase_add_test(test_case, large_offsets_cost_nothing);
    suite_add_tcase(suite, test_case);
    return run_suite(suite);
}
