/* Moving compounds: times of impact equal brute force over all pairs of parts; and rays. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compound_bodies.h"
#include "run_suite.h"

/* With the smallest gaps of what does not meet. */
static const apart_motion_options narrow = {.gap = APART_GAP_TOLERANCE};

static uint64_t seed = 1;

/* Roughly towards the origin, around which everything is. */
static apart_motion random_motion(random_source *r, const apart_pose *start, bool turns)
{
    const apart_vec3 path = random_in_ball(r), axis = random_in_ball(r), none = {0, 0, 0}, from = start->translation;
    const apart_vec3 linear = {path.x - from.x, path.y - from.y, path.z - from.z},
                     angular = {2.0 * axis.x, 2.0 * axis.y, 2.0 * axis.z};
    return apart_motion_velocity(start, linear, turns ? angular : none, none);
}

/* The first contact of all pairs of parts, each queried alone; contacts after an earlier one are not searched for. */
static apart_impact brute_impact(apart_solid a, const apart_motion *ma, apart_solid b, const apart_motion *mb)
{
    apart_impact best = {.t = INFINITY, .upper = INFINITY};
    for (size_t i = 0; i < solid_parts(a); i++) {
        for (size_t k = 0; k < solid_parts(b); k++) {
            apart_pose pose;
            apart_impact found;
            const apart_shape *x = solid_part(a, i, &ma->start, &pose), *y = solid_part(b, k, &mb->start, &pose);
            const apart_motion pa =
                a.compound != NULL ? apart_motion_of_part(ma, &apart_compound_part(a.compound, i)->pose) : *ma;
            const apart_motion pb =
                b.compound != NULL ? apart_motion_of_part(mb, &apart_compound_part(b.compound, k)->pose) : *mb;
            ck_assert_int_eq(apart_time_of_impact(x, &pa, y, &pb, &narrow, NULL, &found), APART_OK);
            const bool ends = found.outcome != APART_OUTCOME_CLEAR, best_ends = best.outcome != APART_OUTCOME_CLEAR;
            if ((ends && (!best_ends || found.t < best.t)) || (!ends && !best_ends && found.upper < best.upper)) {
                best = found;
            }
        }
    }
    return best;
}

/* Contact within the tolerance may be noticed or not, and not at the same moment: times differ by what the tolerance
 * takes at the slowest approach, so the gap at the reported time is checked and not the time alone. */
static void check_impact(int i, apart_solid a, apart_solid b, const apart_compound_impact *found,
                         const apart_impact *truth)
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
    random_source r = seed + 4;
    solid_pool pool;
    int outcomes[4] = {0};
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 300; i++) {
        const apart_solid a = solid_pool_draw(&pool, &r, true),
                          b = apart_solid_compound(pool.compounds[i % SCENE_COMPOUNDS]);
        const apart_pose pa = scene_pose(&r, 2.0), pb = scene_pose(&r, 2.0);
        const bool turns = i % 2 == 0;
        const apart_motion ma = random_motion(&r, &pa, turns), mb = random_motion(&r, &pb, turns);
        apart_compound_impact found;
        const apart_impact truth = brute_impact(a, &ma, b, &mb);
        if (turns) {
            ck_assert_int_eq(apart_compound_time_of_impact(a, &ma, b, &mb, &narrow, &found), APART_OK);
        } else {
            ck_assert_int_eq(apart_compound_sweep(a, &pa, ma.linear, b, &pb, mb.linear, &narrow, &found), APART_OK);
        }
        check_impact(i, a, b, &found, &truth);
        outcomes[found.impact.outcome]++;
    }
    ck_assert_msg(outcomes[APART_OUTCOME_HIT] > 20 && outcomes[APART_OUTCOME_CLEAR] > 20, "%d hits, %d clear",
                  outcomes[APART_OUTCOME_HIT], outcomes[APART_OUTCOME_CLEAR]);
    solid_pool_free(&pool);
}
END_TEST

/* Bodies of many parts on long paths past and into each other, turning a little or many times, straight and on
 * screws. */
START_TEST(long_ways_equal_brute_force)
{
    static const double angles[] = {0.0, 0.5, 3.0, 40.0};
    random_source r = seed + 14;
    solid_pool pool;
    int outcomes[4] = {0};
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 80; i++) {
        apart_compound *x = make_crowd(&pool, &r, 12, false),
                       *y = i % 2 == 0 ? make_grid(&r, 12) : make_crowd(&pool, &r, 5, false);
        const apart_solid a = apart_solid_compound(x), b = apart_solid_compound(y);
        const apart_pose pa = scene_pose(&r, 0.0);
        apart_pose pb = scene_pose(&r, 0.0);
        const apart_vec3 from = random_in_ball(&r), to = random_in_ball(&r);
        pb.translation = (apart_vec3){4.0 + from.x, 3.0 * from.y, 3.0 * from.z};
        const double angle = angles[i % 4];
        const apart_vec3 turn = random_in_ball(&r), path = {-8.0 * (1.0 + to.x), 4.0 * to.y, 4.0 * to.z};
        apart_motion ma = apart_motion_rest(&pa),
                     mb = apart_motion_velocity(&pb, path, (apart_vec3){angle * turn.x, angle * turn.y, angle * turn.z},
                                                pb.translation);
        if (i % 3 == 0) {
            mb.path = APART_PATH_SCREW;
        } else if (i % 3 == 1) {
            ma = apart_motion_velocity(&pa, to, (apart_vec3){angle * to.x, 0.0, angle * to.z}, from);
        }
        apart_compound_impact found;
        const apart_impact truth = brute_impact(a, &ma, b, &mb);
        ck_assert_int_eq(apart_compound_time_of_impact(a, &ma, b, &mb, &narrow, &found), APART_OK);
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
    random_source r = seed + 18;
    int outcomes[4] = {0};
    for (int i = 0; i < 100; i++) {
        const double scale = scales[i % 5];
        const apart_shape ball = apart_sphere(0.1 * scale),
                          box = apart_box((apart_vec3){0.1 * scale, 0.2 * scale, 0.1 * scale});
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
        ck_assert_int_eq(apart_compound_time_of_impact(a, &ma, b, &mb, &narrow, &found), APART_OK);
        const apart_impact *f = &found.impact;
        ck_assert_msg(f->outcome == truth.outcome, "%d: %s, truly %s", i, apart_outcome_name(f->outcome),
                      apart_outcome_name(truth.outcome));
        ck_assert(f->outcome == APART_OUTCOME_CLEAR
                      ? f->lower <= truth.upper + f->tolerance && truth.lower <= f->upper + f->tolerance
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
    random_source r = seed + 16;
    const apart_shape floor = apart_half_space((apart_vec3){0, 0.6, 0.8}, -1.5);
    int outcomes[4] = {0};
    for (int i = 0; i < 300; i++) {
        apart_compound *body = make_grid(&r, 27);
        const apart_solid a = apart_solid_shape(&floor), b = apart_solid_compound(body);
        const apart_pose pa = apart_pose_identity();
        apart_pose pb = scene_pose(&r, 0.0);
        const apart_vec3 turn = random_in_ball(&r), path = random_in_ball(&r), lift = random_in_ball(&r);
        const double angle = angles[i % 4], high = random_between(&r, 0.0, 8.0), far = i % 3 == 0 ? 0.3 : 9.0;
        pb.translation = (apart_vec3){0.0, 0.6 * high, 0.8 * high};
        const apart_motion ma = apart_motion_velocity(&pa, i % 5 == 0 ? lift : (apart_vec3){0, 0, 0},
                                                      i % 10 == 0 ? turn : (apart_vec3){0, 0, 0}, path);
        apart_motion mb =
            apart_motion_velocity(&pb, (apart_vec3){far * path.x, far * path.y, far * path.z},
                                  (apart_vec3){angle * turn.x, angle * turn.y, angle * turn.z}, pb.translation);
        mb.path = i % 7 == 0 ? APART_PATH_SCREW : APART_PATH_STRAIGHT;
        const bool swap = i % 2 == 0;
        const apart_impact truth = brute_impact(a, &ma, b, &mb);
        apart_compound_impact found;
        ck_assert_int_eq(swap ? apart_compound_time_of_impact(b, &mb, a, &ma, &narrow, &found)
                              : apart_compound_time_of_impact(a, &ma, b, &mb, &narrow, &found),
                         APART_OK);
        check_impact(i, swap ? b : a, swap ? a : b, &found, &truth);
        outcomes[found.impact.outcome]++;
        apart_compound_free(body);
    }
    ck_assert_msg(outcomes[APART_OUTCOME_HIT] > 20 && outcomes[APART_OUTCOME_CLEAR] > 20, "%d hits, %d clear",
                  outcomes[APART_OUTCOME_HIT], outcomes[APART_OUTCOME_CLEAR]);
}
END_TEST

START_TEST(rays)
{
    random_source r = seed + 5;
    solid_pool pool;
    int hits = 0;
    solid_pool_make(&pool, &r);
    for (int i = 0; i < 2000; i++) {
        const apart_solid s = apart_solid_compound(pool.compounds[i % SCENE_COMPOUNDS]);
        const apart_pose pose = scene_pose(&r, 3.0);
        const apart_vec3 o = random_in_ball(&r), side = random_in_ball(&r),
                         d = {0.5 * side.x - o.x, 0.5 * side.y - o.y, 0.5 * side.z - o.z};
        const apart_ray ray = {{pose.translation.x + 2.0 * o.x, pose.translation.y + 2.0 * o.y,
                                pose.translation.z + 2.0 * o.z},
                               d,
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
            ck_assert_msg(fabs(hit.distance - best.distance) < 1e-12, "%.17g, truly %.17g", hit.distance,
                          best.distance);
            ck_assert(fabs(hit.point.x - best.point.x) + fabs(hit.point.y - best.point.y) +
                          fabs(hit.point.z - best.point.z) <
                      1e-12);
            ck_assert(part < solid_parts(s) && hit.lower <= best.distance + 1e-12);
        }
    }
    ck_assert(hits > 200 && hits < 1800);
    const apart_solid s = apart_solid_compound(pool.compounds[0]);
    const apart_pose here = apart_pose_identity();
    apart_ray_hit hit;
    ck_assert_int_eq(apart_compound_raycast(&(apart_ray){{0, 0, 0}, {0, 0, 0}, 1}, s, &here, &hit, NULL),
                     APART_ERR_NORMAL);
    ck_assert_int_eq(apart_compound_raycast(&(apart_ray){{NAN, 0, 0}, {1, 0, 0}, 1}, s, &here, &hit, NULL),
                     APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_compound_raycast(&(apart_ray){{0, 0, 0}, {1, 0, 0}, -1}, s, &here, &hit, NULL),
                     APART_ERR_OPTION);
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
        const apart_ray slant = {{3.0, -1.0, -1.0}, {lengths[i], lengths[i], lengths[i]}, INFINITY},
                        off = {{-3.0, 1.0, 0.0}, along.direction, INFINITY};
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

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    printf("seed %llu\n", (unsigned long long)seed);
    Suite *suite = suite_create("compound_motion");
    TCase *test_case = tcase_create("compound_motion");
    tcase_set_timeout(test_case, 120);
    tcase_add_test(test_case, moving_compounds);
    tcase_add_test(test_case, long_ways_equal_brute_force);
    tcase_add_test(test_case, ways_of_any_size);
    tcase_add_test(test_case, ways_over_a_floor_equal_brute_force);
    tcase_add_test(test_case, rays);
    tcase_add_test(test_case, rays_of_any_length);
    suite_add_tcase(suite, test_case);
    return run_suite(suite);
}
