/* Compounds: poses, parts and options that are not valid, memory that runs out, and boxes and bounding spheres of
 * solids. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compound_bodies.h"
#include "run_suite.h"

static uint64_t seed = 1;

static apart_pose stretched_along_x(const apart_pose *pose, double by)
{
    apart_pose out = *pose;
    out.rotation.x = (apart_vec3){by * out.rotation.x.x, by * out.rotation.x.y, by * out.rotation.x.z};
    return out;
}

/* The solids' own poses are held to the same limits as those of shapes, whatever their parts' poses make of them. */
START_TEST(bad_poses_are_refused)
{
    random_source r = seed + 7;
    const apart_shape box = apart_box((apart_vec3){0.5, 0.5, 0.5});
    apart_compound *cloud = make_cloud(&r, 8, 2.0), *row = make_row(1, &box, 1.0), *one = make_cloud(&r, 1, 2.0);
    const apart_solid solids[] = {apart_solid_compound(cloud), apart_solid_compound(row), apart_solid_compound(one)};
    const apart_pose good = scene_pose(&r, 20.0);
    apart_pose mirrored = scene_pose(&r, 1.0), huge = mirrored;
    /* Just too much: turned by a part's own rotation it would be spread over all columns. And almost. */
    const apart_pose stretched = stretched_along_x(&mirrored, 1.0 + 0.6e-6),
                     almost = stretched_along_x(&mirrored, 1.0 + 0.49e-6);
    mirrored.rotation.z = (apart_vec3){-mirrored.rotation.z.x, -mirrored.rotation.z.y, -mirrored.rotation.z.z};
    huge.translation.y = 1e308;
    const apart_pose far = {good.rotation, {0.0, -1e308, 0.0}};
    for (int i = 0; i < 3; i++) {
        apart_compound_result result = {.part_a = 77};
        ck_assert_int_eq(apart_compound_distance(solids[i], &stretched, solids[0], &good, NULL, NULL, &result),
                         APART_ERR_ROTATION);
        ck_assert_int_eq(apart_compound_distance(solids[0], &good, solids[i], &stretched, NULL, NULL, &result),
                         APART_ERR_ROTATION);
        ck_assert_int_eq(apart_compound_distance(solids[i], &mirrored, solids[0], &good, NULL, NULL, &result),
                         APART_ERR_ROTATION);
        ck_assert_int_eq(apart_compound_distance(solids[0], &far, solids[i], &huge, NULL, NULL, &result),
                         APART_ERR_OVERFLOW);
        ck_assert_int_eq(apart_compound_distance(solids[i], &good, solids[0], &good, &(apart_options){.cutoff = -1.0},
                                                 NULL, &result),
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
    const apart_shape ball = apart_sphere(1.0), floor = apart_half_space((apart_vec3){0, 0, 1}, 0),
                      flat = apart_circle(1.0), bad = apart_sphere(-1.0);
    const apart_pose here = apart_pose_identity();
    apart_pose wrong = here;
    apart_compound *c = NULL;
    const apart_part good = {ball, here};
    wrong.translation.x = NAN;
    ck_assert_int_eq(apart_compound_build(NULL, 1, NULL, &c), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_build(&good, 1, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_build(&good, 0, NULL, &c), APART_ERR_EMPTY);
    const apart_part parts[][2] = {{good, {floor, here}},
                                   {good, {flat, here}},
                                   {good, {bad, here}},
                                   {good, {ball, wrong}}};
    const apart_status expected[] = {APART_ERR_HALF_SPACE, APART_ERR_DIMENSION, APART_ERR_NEGATIVE_SIZE,
                                     APART_ERR_NONFINITE};
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
    const apart_solid s = apart_solid_compound(c), neither = {.shape = NULL}, both = {.shape = &ball, .compound = c};
    apart_compound_result r;
    int overlap = 7;
    ck_assert_int_eq(apart_compound_distance(s, &here, neither, &here, NULL, NULL, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_distance(both, &here, s, &here, NULL, NULL, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_distance(s, &here, s, &wrong, NULL, NULL, &r), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_compound_distance(s, &here, apart_solid_shape(&flat), &here, NULL, NULL, &r),
                     APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_compound_overlap(s, &here, apart_solid_shape(&bad), &here, NULL, NULL, &overlap, NULL),
                     APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(overlap, 7);
    ck_assert_uint_eq(apart_compound_count(c), 1);
    ck_assert_ptr_null(apart_compound_part(c, 1));
    ck_assert_uint_eq(apart_compound_count(NULL), 0);
    apart_compound_free(NULL);
    apart_compound_free(c);
}
END_TEST

START_TEST(bad_options_of_motions)
{
    const apart_shape ball = apart_sphere(0.5);
    apart_compound *row = make_row(5, &ball, 2.0);
    const apart_solid solid = apart_solid_compound(row);
    const apart_pose here = apart_pose_identity(), there = apart_pose_translation(0.0, 5.0, 0.0);
    const apart_motion rest = apart_motion_rest(&here),
                       falling = apart_motion_translation(&there, (apart_vec3){0.0, -5.0, 0.0});
    const apart_motion_options bad[] = {{.cutoff = -1.0}, {.cutoff = NAN}, {.gap = 9},
                                        {.until = 2.0},   {.until = NAN},  {.tolerance = -1.0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        apart_compound_impact found = {.queries = 77};
        ck_assert_int_eq(apart_compound_time_of_impact(solid, &rest, solid, &falling, &bad[i], &found),
                         APART_ERR_OPTION);
        ck_assert_uint_eq(found.queries, 77);
    }
    apart_compound_free(row);
}
END_TEST

START_TEST(boxes_and_balls_hold_the_parts)
{
    random_source r = seed + 3;
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
            const apart_vec3 p = apart_pose_apply(&at, local),
                             q = apart_pose_apply(&apart_compound_part(s.compound, k)->pose, local);
            ck_assert(box.min.x <= p.x && p.x <= box.max.x && box.min.y <= p.y && p.y <= box.max.y &&
                      box.min.z <= p.z && p.z <= box.max.z);
            ck_assert(sqrt((q.x - center.x) * (q.x - center.x) + (q.y - center.y) * (q.y - center.y) +
                           (q.z - center.z) * (q.z - center.z)) <= radius);
        }
    }
    solid_pool_free(&pool);
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    printf("seed %llu\n", (unsigned long long)seed);
    Suite *suite = suite_create("compound_input");
    TCase *test_case = tcase_create("compound_input");
    tcase_set_timeout(test_case, 120);
    tcase_add_test(test_case, bad_poses_are_refused);
    tcase_add_test(test_case, bad_input_gets_a_status);
    tcase_add_test(test_case, bad_options_of_motions);
    tcase_add_test(test_case, boxes_and_balls_hold_the_parts);
    suite_add_tcase(suite, test_case);
    return run_suite(suite);
}
