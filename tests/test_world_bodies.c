/* Worlds at their edges: jumps, tiny steps, tolerances, sizes, ids, bad input, crowds, scarce memory, worlds in the
 * plane. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "scenes.h"

static uint64_t seed = 1;

START_TEST(jumps_of_any_size)
{
    const apart_shape box = apart_box((apart_vec3){1, 1, 1});
    apart_world *world = NULL;
    apart_body_id ids[2];
    apart_world_pair pair;
    apart_world_list list = {.pairs = &pair, .capacity = 1};
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    for (int i = 0; i < 2; i++) {
        const apart_body_def def = {.solid = apart_solid_shape(&box), .pose = apart_pose_translation(3.0 * i, 0, 0)};
        ck_assert_int_eq(apart_world_add(world, &def, &ids[i]), APART_OK);
    }
    const double far[] = {1e3, 1e9, 1e18, 1e100, 1e150};
    for (int i = 0; i < 5; i++) {
        const apart_pose away = apart_pose_translation(far[i], 0, 0);
        ck_assert_int_eq(apart_world_move(world, ids[1], &away), APART_OK);
        ck_assert_int_eq(apart_world_below(world, 2.0, &list), APART_OK);
        ck_assert_uint_eq(list.total, 0);
        ck_assert_int_eq(apart_world_nearest(world, 0, &list), APART_OK);
        ck_assert(fabs(pair.distance - (far[i] - 2.0)) <= 1e-15 * far[i]);
        for (int step = 0; step < 20; step++) {
            const apart_pose near = apart_pose_translation(2.5 + 1e-3 * step, 0, 0);
            ck_assert_int_eq(apart_world_move(world, ids[1], &near), APART_OK);
            ck_assert_int_eq(apart_world_below(world, 2.0, &list), APART_OK);
            ck_assert_uint_eq(list.total, 1);
            ck_assert(fabs(pair.distance - (0.5 + 1e-3 * step)) < 1e-14);
        }
    }
    apart_world_free(world);
}
END_TEST

/* A coarse distance of bodies that stand still must not be taken for an overlap. */
/* Steps far smaller than the path so far make the world count motion from zero again, which must not affect a
 * half-space that never moved. */
START_TEST(tiny_steps_beside_a_half_space)
{
    const apart_shape ground = apart_half_space((apart_vec3){0, 0, 1}, 0.0),
                      box = apart_box((apart_vec3){0.3, 0.2, 0.1});
    const apart_body_def below = {.solid = apart_solid_shape(&ground), .pose = apart_pose_identity()},
                         above = {.solid = apart_solid_shape(&box), .pose = apart_pose_translation(0, 0, 0.1001)};
    apart_world *world = NULL;
    apart_body_id id;
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    ck_assert_int_eq(apart_world_add(world, &below, NULL), APART_OK);
    ck_assert_int_eq(apart_world_add(world, &above, &id), APART_OK);
    for (int step = 0; step < 300; step++) {
        const apart_pose pose = apart_pose_translation(step < 100 ? 0.02 * step : 2.0, 0.0,
                                                       step < 100 ? 0.1001 : 0.1001 + 1e-15 * (step % 2));
        apart_world_pair pair;
        apart_world_list list = {.pairs = &pair, .capacity = 1};
        ck_assert_int_eq(apart_world_move(world, id, &pose), APART_OK);
        ck_assert_int_eq(apart_world_below(world, step < 100 ? 0.1 : 0.0005, &list), APART_OK);
        ck_assert_msg(list.count == 1, "step %d: the pair is lost", step);
    }
    apart_world_free(world);
}
END_TEST

START_TEST(tolerances)
{
    const apart_shape ball = apart_sphere(1.0), cone = apart_cone(0.7, 1.0);
    apart_world *world = NULL;
    apart_world_pair pairs[4];
    apart_world_list list = {.pairs = pairs, .capacity = 4, .tolerance = 0.05};
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    const apart_body_def a = {.solid = apart_solid_shape(&ball), .pose = apart_pose_translation(0, 0, 2.01)};
    const apart_body_def b = {.solid = apart_solid_shape(&cone), .pose = apart_pose_identity()};
    ck_assert_int_eq(apart_world_add(world, &a, NULL), APART_OK);
    ck_assert_int_eq(apart_world_add(world, &b, NULL), APART_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(apart_world_below(world, 0.5, &list), APART_OK);
        ck_assert_uint_eq(list.total, 1);
        ck_assert(pairs[0].lower <= 0.01 && 0.01 <= pairs[0].upper && pairs[0].upper - pairs[0].lower <= 0.05);
        ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
        ck_assert_uint_eq(list.total, 0);
    }
    list.tolerance = 0.0;
    ck_assert_int_eq(apart_world_below(world, 0.5, &list), APART_OK);
    ck_assert(fabs(pairs[0].distance - 0.01) < 1e-14 && pairs[0].upper - pairs[0].lower < 1e-13);
    list.tolerance = -1.0;
    ck_assert_int_eq(apart_world_below(world, 0.5, &list), APART_ERR_OPTION);
    apart_world_free(world);
}
END_TEST

/* A gap that is too small to be rounded up is the smallest. */
START_TEST(subnormal_gaps)
{
    const apart_shape point = apart_point((apart_vec3){0, 0, 0});
    const double at[3] = {0.0, 5.3685664606815544e-312, 1.0};
    apart_world *world = NULL;
    apart_world_pair nearest;
    apart_world_list list = {.pairs = &nearest, .capacity = 1};
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    for (int i = 0; i < 3; i++) {
        apart_body_id id;
        const apart_body_def def = {.solid = apart_solid_shape(&point), .pose = apart_pose_translation(at[i], 0, 0)};
        ck_assert_int_eq(apart_world_add(world, &def, &id), APART_OK);
    }
    for (int again = 0; again < 3; again++) { /* the listed pairs too */
        ck_assert_int_eq(apart_world_nearest(world, 0, &list), APART_OK);
        ck_assert_uint_eq(list.count, 1);
        ck_assert(nearest.lower <= at[1] && at[1] <= nearest.upper && nearest.upper < 1e-300);
    }
    apart_world_free(world);
}
END_TEST

START_TEST(tiny_and_huge_worlds)
{
    for (int k = 0; k < 3; k++) {
        const double unit = k == 0 ? 1e-120 : k == 1 ? 1.0 : 1e110;
        random_source r = seed + 50;
        apart_world *world = NULL;
        apart_world_pair pairs[400];
        apart_world_list list = {.pairs = pairs, .capacity = 400};
        apart_body_id ids[40];
        apart_pose poses[40];
        const apart_shape box = apart_box((apart_vec3){0.3 * unit, 0.2 * unit, 0.1 * unit});
        size_t total[10], expected = 0;
        ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
        for (int i = 0; i < 40; i++) {
            poses[i] = scene_pose(&r, 1.0);
            poses[i].translation = (apart_vec3){unit * poses[i].translation.x, unit * poses[i].translation.y,
                                                unit * poses[i].translation.z};
            const apart_body_def def = {.solid = apart_solid_shape(&box), .pose = poses[i]};
            ck_assert_int_eq(apart_world_add(world, &def, &ids[i]), APART_OK);
        }
        for (int step = 0; step < 10; step++) {
            for (int i = 0; i < 40; i++) {
                poses[i].translation.x += 0.01 * unit * (i % 3 - 1);
                ck_assert_int_eq(apart_world_move(world, ids[i], &poses[i]), APART_OK);
            }
            ck_assert_int_eq(apart_world_below(world, 0.1 * unit, &list), APART_OK);
            total[step] = list.total;
            expected = 0;
            for (int i = 0; i < 40; i++) {
                for (int j = i + 1; j < 40; j++) {
                    apart_result result;
                    ck_assert_int_eq(apart_distance(&box, &poses[i], &box, &poses[j], NULL, NULL, &result), APART_OK);
                    expected += result.distance < 0.1 * unit;
                }
            }
            ck_assert_uint_eq(total[step], expected);
        }
        ck_assert(expected > 5);
        apart_world_free(world);
    }
}
END_TEST

/* ---- limits and errors ---- */

START_TEST(ids_do_not_go_stale_in_silence)
{
    const apart_shape ball = apart_sphere(1.0);
    const apart_pose here = apart_pose_identity();
    const apart_body_def def = {.solid = apart_solid_shape(&ball), .pose = here, .user = 42};
    apart_world *world = NULL;
    apart_body_id first, second, third;
    apart_body_def got;
    apart_world_pair pair;
    apart_world_list list = {.pairs = &pair, .capacity = 1};
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    ck_assert_int_eq(apart_world_add(world, &def, &first), APART_OK);
    ck_assert_int_eq(apart_world_add(world, &def, &second), APART_OK);
    ck_assert_int_eq(apart_world_disable_pair(world, first, second, 1), APART_OK);
    ck_assert_int_eq(apart_world_disable_pair(world, first, second, 1), APART_OK);
    ck_assert_int_eq(apart_world_disable_pair(world, first, first, 1), APART_ERR_OPTION);
    ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
    ck_assert_uint_eq(list.total, 0);
    ck_assert_int_eq(apart_world_remove(world, first), APART_OK);
    ck_assert_int_eq(apart_world_update(world), APART_OK);
    ck_assert_int_eq(apart_world_add(world, &def, &third), APART_OK);
    ck_assert_uint_eq(third.slot, first.slot);
    ck_assert_uint_ne(third.generation, first.generation);
    ck_assert_int_eq(apart_world_move(world, first, &here), APART_ERR_ID);
    ck_assert_int_eq(apart_world_get(world, first, &got), APART_ERR_ID);
    ck_assert_int_eq(apart_world_set_filter(world, first, 1, 1), APART_ERR_ID);
    ck_assert_int_eq(apart_world_disable_pair(world, first, second, 0), APART_ERR_ID);
    ck_assert_int_eq(apart_world_near(world, &(apart_probe){.body = first}, &list), APART_ERR_ID);
    ck_assert_int_eq(apart_world_move_many(world, (apart_body_id[]){second, first}, (apart_pose[]){here, here}, 2),
                     APART_ERR_ID);
    ck_assert_int_eq(apart_world_get(world, third, &got), APART_OK);
    ck_assert_uint_eq(got.user, 42);
    /* The disabled pair went with its body. */
    ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
    ck_assert_uint_eq(list.total, 1);
    const apart_body_id zero = {0, 0};
    ck_assert_int_eq(apart_world_remove(world, zero), APART_ERR_ID);
    ck_assert_uint_eq(apart_world_body(world, second.slot).generation, second.generation);
    ck_assert_uint_eq(apart_world_body(world, 99).generation, 0);
    ck_assert_uint_eq(apart_world_slots(world), 2);
    apart_world_free(world);
}
END_TEST

START_TEST(bad_input_gets_a_status)
{
    const apart_shape ball = apart_sphere(1.0), circle = apart_circle(1.0), bad = apart_sphere(-1.0);
    apart_pose wrong = apart_pose_identity(), here = wrong;
    apart_world *world = NULL;
    apart_body_id id;
    apart_world_list list = {.capacity = 0};
    wrong.rotation.x.x = 2.0;
    ck_assert_int_eq(apart_world_create(&(apart_world_options){.threads = 1000}, &world), APART_ERR_OPTION);
    ck_assert_int_eq(apart_world_create(NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_world_create(&(apart_world_options){.max_bodies = 2}, &world), APART_OK);
    ck_assert_int_eq(apart_world_add(world, &(apart_body_def){.pose = here}, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_world_add(world, &(apart_body_def){.solid = apart_solid_shape(&bad), .pose = here}, NULL),
                     APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_world_add(world, &(apart_body_def){.solid = apart_solid_shape(&ball), .pose = wrong}, NULL),
                     APART_ERR_ROTATION);
    ck_assert_int_eq(apart_world_add(world, &(apart_body_def){.solid = apart_solid_shape(&ball), .pose = here}, &id),
                     APART_OK);
    ck_assert_int_eq(apart_world_add(world, &(apart_body_def){.solid = apart_solid_shape(&circle), .pose = here}, NULL),
                     APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_world_move(world, id, &wrong), APART_ERR_ROTATION);
    wrong = here;
    wrong.translation.y = NAN;
    ck_assert_int_eq(apart_world_move(world, id, &wrong), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_world_move(world, id, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_world_add(world, &(apart_body_def){.solid = apart_solid_shape(&ball), .pose = here}, NULL),
                     APART_OK);
    ck_assert_int_eq(apart_world_add(world, &(apart_body_def){.solid = apart_solid_shape(&ball), .pose = here}, NULL),
                     APART_ERR_SIZE);
    ck_assert_int_eq(apart_world_below(world, NAN, &list), APART_ERR_OPTION);
    ck_assert_int_eq(apart_world_below(world, 1.0, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_world_nearest(world, 0, &list), APART_ERR_OPTION);
    ck_assert_int_eq(apart_world_near(world, &(apart_probe){.body = id}, &list), APART_ERR_OPTION);
    ck_assert_int_eq(apart_world_below(world, 1.0, &list), APART_OK);
    ck_assert_uint_eq(list.total, 1);
    ck_assert_uint_eq(list.count, 0);
    apart_world_free(world);
    apart_world_free(NULL);
}
END_TEST

/* More near pairs than the world may keep: it answers without keeping them, and says when the room was used up. */
START_TEST(crowds)
{
    const apart_shape ball = apart_sphere(1.0);
    const apart_body_def def = {.solid = apart_solid_shape(&ball), .pose = apart_pose_identity()};
    apart_world *world = NULL;
    apart_world_pair pairs[100];
    apart_world_list list = {.pairs = pairs, .capacity = 100};
    apart_world_stats stats;
    ck_assert_int_eq(apart_world_create(&(apart_world_options){.max_pairs = 1000}, &world), APART_OK);
    for (int i = 0; i < 20000; i++) {
        ck_assert_int_eq(apart_world_add(world, &def, NULL), APART_OK);
    }
    ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
    ck_assert_uint_eq(list.count, 100);
    ck_assert_int_eq(list.complete, 0);
    ck_assert_int_eq(apart_world_below(world, 0.5, &list), APART_OK);
    ck_assert_uint_eq(list.count, 100);
    ck_assert_int_eq(list.complete, 0);
    list.capacity = 3;
    ck_assert_int_eq(apart_world_nearest(world, 1000, &list), APART_OK);
    ck_assert_uint_eq(list.count, 3);
    ck_assert_int_eq(list.complete, 0);
    ck_assert(pairs[0].distance == -2.0);
    ck_assert_int_eq(apart_world_get_stats(world, &stats), APART_OK);
    ck_assert_uint_eq(stats.pairs, 0);
    ck_assert(stats.memory < (uint64_t)20000 * 2000);
    /* Apart again, and the world keeps pairs again. */
    for (uint32_t i = 0; i < 20000; i++) {
        const apart_pose pose = apart_pose_translation(2.2 * (double)(i % 100), 2.2 * (double)(i / 100), 0);
        ck_assert_int_eq(apart_world_move(world, apart_world_body(world, i), &pose), APART_OK);
    }
    ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
    ck_assert_uint_eq(list.total, 0);
    ck_assert_int_eq(list.complete, 1);
    apart_world_free(world);
}
END_TEST

static unsigned supports_asked;

static apart_vec3 counted_cube(const void *user, apart_vec3 d)
{
    (void)user;
    supports_asked++;
    return (apart_vec3){copysign(0.1, d.x), copysign(0.1, d.y), copysign(0.1, d.z)};
}

/* A ray asks only bodies that it comes near, also one without an end that meets nothing. */
START_TEST(rays_ask_few_bodies)
{
    const apart_shape cube = apart_callback_shape((apart_callback){.support = counted_cube, .radius = 0.18});
    apart_world *world = NULL;
    apart_world_ray_hit hit;
    apart_world_list list = {.capacity = 0};
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    for (int i = 0; i < 8000; i++) {
        const apart_body_def def = {.solid = apart_solid_shape(&cube),
                                    .pose = apart_pose_translation(i % 20, i / 20 % 20, i / 400)};
        ck_assert_int_eq(apart_world_add(world, &def, NULL), APART_OK);
    }
    ck_assert_int_eq(apart_world_below(world, 0.01, &list), APART_OK); /* puts all bodies into the tree */
    supports_asked = 0;
    const apart_ray between = {{-5.0, 3.5, 7.5}, {1, 0, 0}, INFINITY}, at_one = {{-5.0, 3.0, 7.0}, {1, 0, 0}, INFINITY};
    ck_assert_int_eq(apart_world_raycast(world, &between, 0, &hit), APART_OK);
    ck_assert_int_eq(hit.hit.hit, 0);
    ck_assert_int_eq(apart_world_raycast(world, &at_one, 0, &hit), APART_OK);
    ck_assert(hit.hit.hit == 1 && fabs(hit.hit.distance - 4.9) < 1e-9);
    ck_assert_msg(supports_asked < 1000, "%u supports", supports_asked);
    apart_world_free(world);
}
END_TEST

static void *scarce(size_t size, void *user)
{
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void give_back(void *memory, void *user)
{
    (void)user;
    free(memory);
}

/* Whatever allocation fails, the world stays whole, and works when there is memory again. */
START_TEST(without_memory)
{
    const apart_shape ball = apart_sphere(1.0);
    for (int allowed = 0; allowed < 60; allowed++) {
        int left = allowed;
        const apart_world_options options = {.allocator = {scarce, give_back, &left}};
        apart_world *world = NULL;
        apart_world_list list = {.capacity = 0};
        if (apart_world_create(&options, &world) != APART_OK) {
            continue;
        }
        uint32_t added = 0;
        for (int i = 0; i < 100; i++) {
            const apart_body_def def = {.solid = apart_solid_shape(&ball),
                                        .pose = apart_pose_translation(1.5 * i, 0, 0)};
            const apart_status status = apart_world_add(world, &def, NULL);
            ck_assert(status == APART_OK || status == APART_ERR_MEMORY);
            added += status == APART_OK;
            if (status == APART_ERR_MEMORY) {
                left = 1000;
                ck_assert_int_eq(apart_world_add(world, &def, NULL), APART_OK);
                added++;
                left = allowed % 7;
            }
        }
        ck_assert_uint_eq(added, 100);
        const apart_status status = apart_world_overlaps(world, &list);
        ck_assert(status == APART_OK || status == APART_ERR_MEMORY);
        left = 1000;
        ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
        ck_assert_uint_eq(list.total, 99);
        apart_world_free(world);
    }
}
END_TEST

START_TEST(the_plane)
{
    random_source r = seed + 60;
    const apart_shape disc = apart_circle(0.5), bar = apart_rectangle(0.7, 0.2);
    apart_world *world = NULL;
    apart_body_id ids[30];
    apart_pose poses[30];
    apart_world_list list = {.capacity = 0};
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    for (int i = 0; i < 30; i++) {
        ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, 0, 6), random_between(&r, -3, 3),
                                                  random_between(&r, -3, 3), &poses[i]),
                         APART_OK);
        const apart_body_def def = {.solid = apart_solid_shape(i % 2 == 0 ? &disc : &bar), .pose = poses[i]};
        ck_assert_int_eq(apart_world_add(world, &def, &ids[i]), APART_OK);
    }
    for (int step = 0; step < 50; step++) {
        size_t expected = 0;
        ck_assert_int_eq(apart_world_below(world, 0.3, &list), APART_OK);
        for (int i = 0; i < 30; i++) {
            for (int j = i + 1; j < 30; j++) {
                apart_result result;
                ck_assert_int_eq(apart_distance(i % 2 == 0 ? &disc : &bar, &poses[i], j % 2 == 0 ? &disc : &bar,
                                                &poses[j], NULL, NULL, &result),
                                 APART_OK);
                expected += result.distance < 0.3;
            }
        }
        ck_assert_uint_eq(list.total, expected);
        for (int i = 0; i < 30; i++) {
            poses[i].translation.x += random_between(&r, -0.05, 0.05);
            ck_assert_int_eq(apart_world_move(world, ids[i], &poses[i]), APART_OK);
        }
    }
    const apart_pose out = apart_pose_translation(0, 0, 1);
    ck_assert_int_eq(apart_world_move(world, ids[0], &out), APART_ERR_DIMENSION);
    apart_world_free(world);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *suite = suite_create("world_bodies");
    TCase *test_case = tcase_create("world_bodies");
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    suite_add_tcase(suite, test_case);
    tcase_set_timeout(test_case, 600);
    tcase_add_test(test_case, jumps_of_any_size);
    tcase_add_test(test_case, tiny_steps_beside_a_half_space);
    tcase_add_test(test_case, tolerances);
    tcase_add_test(test_case, subnormal_gaps);
    tcase_add_test(test_case, tiny_and_huge_worlds);
    tcase_add_test(test_case, ids_do_not_go_stale_in_silence);
    tcase_add_test(test_case, bad_input_gets_a_status);
    tcase_add_test(test_case, crowds);
    tcase_add_test(test_case, rays_ask_few_bodies);
    tcase_add_test(test_case, without_memory);
    tcase_add_test(test_case, the_plane);
    return run_suite(suite);
}
