/* What cells are made of: meshes, several robots, bodies that move by themselves; and motions along paths, of some
 * pairs, of splines.      test_robot_cell */
#include <check.h>
#include <string.h>

#include "robots.h"
#include "run_suite.h"

static const uint64_t SEED = 11;

typedef struct bench {
    apart_robot_cell *cell;
    apart_robot_work *work;
} bench;

static bench set_up(const apart_robot *r, const apart_robot_obstacle *obstacles, size_t count)
{
    const apart_robot_cell_options options = {.obstacles = obstacles, .obstacle_count = count};
    bench b;
    ck_assert_int_eq(apart_robot_cell_create(r, &options, &b.cell), APART_OK);
    ck_assert_int_eq(apart_robot_work_create(b.cell, &b.work), APART_OK);
    return b;
}

static void take_down(bench *b)
{
    apart_robot_work_free(b->work);
    apart_robot_cell_free(b->cell);
}

static apart_robot_joint joint_of(int kind, apart_vec3 axis, apart_vec3 at)
{
    return (apart_robot_joint){.kind = kind,
                               .axis = axis,
                               .origin = apart_pose_translation(at.x, at.y, at.z),
                               .lower = -3,
                               .upper = 3,
                               .factor = 1};
}

static void add(apart_robot *r, const char *name, const char *parent, const char *mimics, apart_robot_joint joint,
                const apart_part *part)
{
    apart_io_error error;
    char joint_name[64];
    const size_t link = apart_robot_link_count(r);
    ck_assert_int_eq(apart_robot_add_link(r, name, 0, &error), APART_OK);
    ck_assert(part == NULL || apart_robot_add_part(r, link, part, NULL) == APART_OK);
    if (parent != NULL) {
        snprintf(joint_name, sizeof joint_name, "%s_joint", name);
        ck_assert_msg(apart_robot_add_joint(r, joint_name, parent, name, mimics, &joint, &error) == APART_OK, "%s",
                      error.message);
    }
}

static apart_robot *finish(apart_robot *r)
{
    apart_io_error error;
    ck_assert_msg(apart_robot_finish(r, &error) == APART_OK, "%s", error.message);
    return r;
}

/* A base without geometry and one turning arm with a ball of radius 0.1 at its end, 1 from the axis. */
static apart_robot *ball_arm(void)
{
    apart_robot *r = apart_robot_new("arm");
    const apart_part ball = {apart_sphere(0.1), apart_pose_translation(1, 0, 0)};
    add(r, "base", NULL, NULL, joint_of(0, (apart_vec3){0, 0, 1}, (apart_vec3){0, 0, 0}), NULL);
    add(r, "tip", "base", NULL, joint_of(APART_JOINT_ROTARY, (apart_vec3){0, 0, 1}, (apart_vec3){0, 0, 0}), &ball);
    return finish(r);
}

/* ---- several robots ---- */

/* Two arms 3 apart, the second turned by half a turn: their balls are 3 - cos a - cos b apart, less radii. */
START_TEST(two_robots_meet_in_a_cell)
{
    apart_robot *r = apart_robot_new("cell");
    apart_io_error error;
    apart_pose far;
    apart_robot_near near;
    add(r, "world", NULL, NULL, joint_of(0, (apart_vec3){0, 0, 1}, (apart_vec3){0, 0, 0}), NULL);
    apart_pose_from_rpy(0, 0, acos(-1.0), (apart_vec3){3, 0, 0}, &far);
    ck_assert_int_eq(apart_robot_add_robot(r, ball_arm(), "left/", "world", NULL, &error), APART_OK);
    ck_assert_int_eq(apart_robot_add_robot(r, ball_arm(), "right/", "world", &far, &error), APART_OK);
    ck_assert_int_eq(apart_robot_add_robot(r, ball_arm(), "left/", "world", &far, &error), APART_ERR_SYNTAX);
    apart_robot_free(r);

    r = apart_robot_new("cell");
    add(r, "world", NULL, NULL, joint_of(0, (apart_vec3){0, 0, 1}, (apart_vec3){0, 0, 0}), NULL);
    ck_assert_int_eq(apart_robot_add_robot(r, ball_arm(), "left/", "world", NULL, &error), APART_OK);
    ck_assert_int_eq(apart_robot_add_robot(r, ball_arm(), "right/", "world", &far, &error), APART_OK);
    finish(r);
    ck_assert_uint_eq(apart_robot_variable_count(r), 2);
    ck_assert_uint_ne(apart_robot_find_variable(r, "right/tip_joint"), APART_ROBOT_NONE);
    bench b = set_up(r, NULL, 0);
    ck_assert_uint_eq(apart_robot_pair_count(b.cell), 1);
    const double q[] = {0.3, -0.2};
    ck_assert_int_eq(apart_robot_set(b.work, q), APART_OK);
    ck_assert_int_eq(apart_robot_nearest(b.work, &near), APART_OK);
    const double x = 3 - cos(q[0]) - cos(q[1]), y = -sin(q[0]) - sin(q[1]);
    ck_assert_double_eq_tol(near.at.result.distance, sqrt(x * x + y * y) - 0.2, 1e-12);
    ck_assert_double_le(near.at.result.lower, sqrt(x * x + y * y) - 0.2);
    take_down(&b);
    apart_robot_free(r);
}
END_TEST

/* A mimic in an added robot keeps following its own leader. */
START_TEST(added_robots_keep_their_mimics)
{
    apart_robot *r = apart_robot_new("cell"), *alone = mixed_robot();
    apart_io_error error;
    apart_pose one[16], both[32];
    double q[16], twice[32];
    uint64_t seed = SEED;
    add(r, "world", NULL, NULL, joint_of(0, (apart_vec3){0, 0, 1}, (apart_vec3){0, 0, 0}), NULL);
    ck_assert_int_eq(apart_robot_add_robot(r, mixed_robot(), "a/", "world", NULL, &error), APART_OK);
    ck_assert_int_eq(apart_robot_add_robot(r, mixed_robot(), "b/", "world", NULL, &error), APART_OK);
    finish(r);
    ck_assert_uint_eq(apart_robot_variable_count(r), 2 * apart_robot_variable_count(alone));
    apart_robot_random(alone, &seed, q);
    for (size_t v = 0; v < apart_robot_variable_count(alone); v++) {
        char name[64];
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "%c/%s", "ab"[k], apart_robot_variable(alone, v) -> name);
            twice[apart_robot_find_variable(r, name)] = q[v];
        }
    }
    apart_robot_forward(alone, q, one);
    apart_robot_forward(r, twice, both);
    for (size_t i = 0; i < apart_robot_link_count(alone); i++) {
        char name[64];
        snprintf(name, sizeof name, "b/%s", apart_robot_link_at(alone, i)->name);
        const apart_vec3 p = one[i].translation, o = both[apart_robot_find_link(r, name)].translation;
        ck_assert_double_le(apart_vec3_norm(apart_vec3_sub(p, o)), 1e-14);
    }
    apart_robot_free(alone);
    apart_robot_free(r);
}
END_TEST

/* ---- bodies that move by themselves ---- */

/* A ball that flies past along y with its own clock: at time t it is at (1.3, -1 + t). */
START_TEST(a_moving_body_follows_its_clock)
{
    apart_robot *r = apart_robot_new("cell");
    apart_io_error error;
    const apart_part ball = {apart_sphere(0.1), apart_pose_identity()};
    apart_robot_gap gap;
    add(r, "world", NULL, NULL, joint_of(0, (apart_vec3){0, 0, 1}, (apart_vec3){0, 0, 0}), NULL);
    ck_assert_int_eq(apart_robot_add_robot(r, ball_arm(), "", "world", NULL, &error), APART_OK);
    ck_assert_int_eq(apart_robot_begin_group(r), APART_OK);
    add(r, "ball", "world", NULL, joint_of(APART_JOINT_SLIDING, (apart_vec3){0, 1, 0}, (apart_vec3){1.3, -1, 0}),
        &ball);
    finish(r);
    bench b = set_up(r, NULL, 0);
    ck_assert_uint_eq(apart_robot_pair_count(b.cell), 1);
    const size_t clock = apart_robot_find_variable(r, "ball_joint"), turn = apart_robot_find_variable(r, "tip_joint");
    double q0[2], q1[2];
    q0[clock] = 0;
    q1[clock] = 2;
    q0[turn] = -0.5;
    q1[turn] = 0.5;
    const apart_robot_motion_options options = {.tolerance = 1e-7};
    ck_assert_int_eq(apart_robot_motion(b.work, q0, q1, &options, &gap), APART_OK);
    ck_assert_double_le(gap.lower, 0.1);
    ck_assert_double_ge(gap.upper, 0.1); /* at s = 1/2 they are 0.3 apart, less radii */
    ck_assert_double_eq_tol(gap.s, 0.5, 1e-2);
    ck_assert_double_le(gap.upper - gap.lower, 1e-7);
    take_down(&b);
    apart_robot_free(r);
}
END_TEST

/* ---- meshes ---- */

/* An L of two boxes as one closed mesh: not convex. Corners of its outline, extruded by 0.1 to both sides. */
static apart_mesh *make_mesh(void)
{
    static const double outline[6][2] = {{0, 0}, {0.6, 0}, {0.6, 0.2}, {0.2, 0.2}, {0.2, 0.6}, {0, 0.6}};
    static const uint32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}};
    double xyz[36];
    uint32_t triangles[20][3];
    size_t count = 0;
    apart_mesh *mesh = NULL;
    for (int i = 0; i < 12; i++) {
        xyz[3 * i] = outline[i % 6][0];
        xyz[3 * i + 1] = outline[i % 6][1];
        xyz[3 * i + 2] = i < 6 ? -0.1 : 0.1;
    }
    for (int i = 0; i < 4; i++, count += 2) {
        memcpy(triangles[count], (uint32_t[]){cap[i][0], cap[i][2], cap[i][1]}, sizeof triangles[0]);
        memcpy(triangles[count + 1], (uint32_t[]){6 + cap[i][0], 6 + cap[i][1], 6 + cap[i][2]}, sizeof triangles[0]);
    }
    for (uint32_t i = 0; i < 6; i++, count += 2) {
        const uint32_t k = (i + 1) % 6;
        memcpy(triangles[count], (uint32_t[]){i, k, 6 + k}, sizeof triangles[0]);
        memcpy(triangles[count + 1], (uint32_t[]){i, 6 + k, 6 + i}, sizeof triangles[0]);
    }
    const apart_vertices vertices = {.data = xyz, .count = 12};
    ck_assert_int_eq(apart_mesh_build(&vertices, triangles[0], count, NULL, &mesh), APART_OK);
    ck_assert(apart_mesh_inspect(mesh)->oriented);
    return mesh;
}

/* The same L as two boxes. */
static const apart_part *make_boxes(void)
{
    static apart_part parts[2];
    parts[0] = (apart_part){apart_box((apart_vec3){0.3, 0.1, 0.1}), apart_pose_translation(0.3, 0.1, 0)};
    parts[1] = (apart_part){apart_box((apart_vec3){0.1, 0.3, 0.1}), apart_pose_translation(0.1, 0.3, 0)};
    return parts;
}

static double sampled(apart_robot_work *work, const apart_robot_segment *g, uint64_t count)
{
    double least = INFINITY, q[64];
    for (uint64_t i = 0; i <= count; i++) {
        apart_robot_near near;
        apart_robot_segment_at(apart_robot_cell_robot(apart_robot_work_cell(work)), g, (double)i / (double)count, q);
        ck_assert_int_eq(apart_robot_set(work, q), APART_OK);
        ck_assert_int_eq(apart_robot_nearest(work, &near), APART_OK);
        least = fmin(least, near.at.result.lower);
    }
    return least;
}

/* Links and an obstacle by boxes, as a surface and as a solid: the same distances where they are apart, and minima of
 * motions that sampling does not undercut. */
START_TEST(meshes_are_as_far_as_the_boxes_they_are_made_of)
{
    apart_robot *by_parts = mixed_robot(), *by_mesh = mixed_robot();
    apart_mesh *mesh = make_mesh();
    const size_t tip = apart_robot_find_link(by_parts, "tip");
    const apart_part *boxes = make_boxes();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(apart_robot_add_part(by_parts, tip, &boxes[i], NULL), APART_OK);
    }
    const apart_robot_mesh as_solid = {mesh, apart_pose_identity(), 0}, as_surface = {mesh, apart_pose_identity(), 1};
    ck_assert_int_eq(apart_robot_add_mesh_part(by_mesh, tip, &as_solid, mesh), APART_OK);
    ck_assert_int_eq(apart_robot_add_mesh_part(by_mesh, 100, &as_solid, NULL), APART_ERR_ID);
    apart_robot_obstacle o[2] = {{.name = "corner", .parts = boxes, .count = 2},
                                 {.name = "corner", .meshes = &as_surface, .mesh_count = 1}};
    o[0].pose = o[1].pose = apart_pose_translation(1.1, 0.2, 0.4);
    bench b[2] = {set_up(by_parts, &o[0], 1), set_up(by_mesh, &o[1], 1)};
    const size_t pairs = apart_robot_pair_count(b[0].cell), n = apart_robot_variable_count(by_parts);
    ck_assert_uint_eq(apart_robot_pair_count(b[1].cell), pairs);
    uint64_t seed = SEED;
    size_t apart = 0, clear = 0;
    double q[6][64];
    for (int i = 0; i < 200; i++) {
        apart_robot_random(by_parts, &seed, q[0]);
        for (size_t p = 0; p < pairs; p++) {
            apart_robot_near near[2] = {{.pair = p}, {.pair = p}};
            for (int k = 0; k < 2; k++) {
                ck_assert_int_eq(apart_robot_set(b[k].work, q[0]), APART_OK);
                ck_assert_int_eq(apart_robot_distance(b[k].work, p, &near[k].at), APART_OK);
            }
            const double d = near[0].at.result.distance;
            apart += d > 1e-6;
            ck_assert(d <= 1e-6 || fabs(near[1].at.result.distance - d) < 1e-9);
            ck_assert(d > 1e-6 || near[1].at.result.distance <= 1e-6);
            double one[64], two[64];
            int unique[2];
            ck_assert_int_eq(apart_robot_gradient(b[0].work, &near[0], one, &unique[0]), APART_OK);
            ck_assert_int_eq(apart_robot_gradient(b[1].work, &near[1], two, &unique[1]), APART_OK);
            for (size_t v = 0; v < n && d > 1e-6 && unique[0]; v++) {
                ck_assert_double_eq_tol(one[v], two[v], 1e-6);
            }
        }
    }
    ck_assert_uint_gt(apart, 500);
    for (int i = 0; i < 12; i++) {
        static const int degrees[] = {1, 3, 5};
        apart_robot_gap gap;
        for (int k = 0; k < 6; k++) {
            apart_robot_random(by_parts, &seed, q[k]);
        }
        for (size_t v = 0; v < n && i % 2 == 0; v++) {
            q[1][v] = q[0][v] + 0.05 * (q[1][v] - q[0][v]);
        }
        const apart_robot_segment g = {degrees[i % 3], 0.5, q[0], q[1], q[2], q[3], q[4], q[5]};
        const apart_robot_motion_options options = {.tolerance = 2e-3};
        ck_assert_int_eq(apart_robot_segment_motion(b[1].work, &g, &options, &gap), APART_OK);
        const double least = sampled(b[1].work, &g, 300);
        ck_assert_msg(gap.lower <= least, "certified %.17g, sampled %.17g", gap.lower, least);
        ck_assert(gap.upper < 0 || gap.upper - gap.lower <= 2e-3 * (1 + 1e-9));
        clear += gap.lower > 0;
    }
    ck_assert_uint_gt(clear, 0);
    take_down(&b[0]);
    take_down(&b[1]);
    apart_robot_free(by_parts);
    apart_robot_free(by_mesh);
}
END_TEST

/* ---- paths, pairs, splines ---- */

enum { SEGMENTS = 5 };

/* Random segments one after the other. */
static void make_path(const apart_robot *r, uint64_t *seed, double rows[2 * SEGMENTS + 2][64],
                      apart_robot_segment segments[SEGMENTS])
{
    for (int i = 0; i < 2 * SEGMENTS + 2; i++) {
        apart_robot_random(r, seed, rows[i]);
    }
    for (int i = 0; i < SEGMENTS; i++) {
        segments[i] = (apart_robot_segment){.degree = i % 2 == 0 ? 1 : 3,
                                            .duration = 0.5,
                                            .q0 = rows[i],
                                            .q1 = rows[i + 1],
                                            .v0 = rows[SEGMENTS + 1 + i],
                                            .v1 = rows[SEGMENTS + 2 + i]};
    }
}

START_TEST(a_path_is_as_near_as_its_nearest_segment)
{
    apart_robot *r = mixed_robot();
    bench b = set_up(r, NULL, 0);
    uint64_t seed = SEED;
    static double rows[2 * SEGMENTS + 2][64];
    for (int round = 0; round < 10; round++) {
        apart_robot_segment segments[SEGMENTS];
        apart_robot_gap gap, one[SEGMENTS], threads[SEGMENTS];
        size_t at, least = 0;
        uint64_t queries = 0;
        const apart_robot_motion_options options = {.tolerance = 1e-5};
        make_path(r, &seed, rows, segments);
        ck_assert_int_eq(apart_robot_segment_batch(b.cell, segments, SEGMENTS, &options, 1, one), APART_OK);
        ck_assert_int_eq(apart_robot_segment_batch(b.cell, segments, SEGMENTS, &options, 2, threads), APART_OK);
        ck_assert_int_eq(memcmp(one, threads, sizeof one), 0);
        ck_assert_int_eq(apart_robot_path_motion(b.work, segments, SEGMENTS, &options, &gap, &at), APART_OK);
        for (size_t i = 0; i < SEGMENTS; i++) {
            queries += one[i].queries;
            least = one[i].upper < one[least].upper ? i : least;
        }
        ck_assert_double_le(gap.lower, one[least].upper);
        ck_assert_double_ge(gap.upper, one[least].lower);
        ck_assert_double_le(gap.upper - gap.lower, 1e-5 * (1 + 1e-9));
        ck_assert(at == least || fabs(one[at].upper - one[least].upper) <= 2e-5);
        ck_assert_uint_lt(gap.queries, queries);
        /* With a limit above the smallest distance it is refuted, whichever segment breaks it. */
        const apart_robot_motion_options above = {.has_limit = 1, .limit = one[least].upper + 1e-3};
        ck_assert_int_eq(apart_robot_path_motion(b.work, segments, SEGMENTS, &above, &gap, &at), APART_OK);
        ck_assert_double_lt(gap.upper, above.limit);
        const apart_robot_motion_options below = {.has_limit = 1, .limit = one[least].lower - 1e-3};
        ck_assert_int_eq(apart_robot_path_motion(b.work, segments, SEGMENTS, &below, &gap, NULL), APART_OK);
        ck_assert_double_ge(gap.lower, below.limit);
    }
    take_down(&b);
    apart_robot_free(r);
}
END_TEST

START_TEST(motions_of_some_pairs_look_at_these_alone)
{
    apart_robot *r = mixed_robot();
    bench b = set_up(r, NULL, 0);
    uint64_t seed = SEED;
    double q0[64], q1[64], least = INFINITY;
    apart_robot_gap all, one;
    const size_t pairs = apart_robot_pair_count(b.cell), wrong = pairs;
    apart_robot_random(r, &seed, q0);
    apart_robot_random(r, &seed, q1);
    apart_robot_motion_options options = {.tolerance = 1e-6};
    ck_assert_int_eq(apart_robot_motion(b.work, q0, q1, &options, &all), APART_OK);
    for (size_t p = 0; p < pairs; p++) {
        const size_t twice[2] = {p, p};
        options.pairs = twice;
        options.pair_count = 2;
        ck_assert_int_eq(apart_robot_motion(b.work, q0, q1, &options, &one), APART_OK);
        ck_assert_uint_eq(one.pair, p);
        least = fmin(least, one.lower);
    }
    ck_assert_double_eq_tol(least, all.lower, 2e-6);
    options.pairs = &wrong;
    options.pair_count = 1;
    ck_assert_int_eq(apart_robot_motion(b.work, q0, q1, &options, &one), APART_ERR_ID);
    options.pair_count = 0;
    ck_assert_int_eq(apart_robot_motion(b.work, q0, q1, &options, &one), APART_ERR_EMPTY);
    take_down(&b);
    apart_robot_free(r);
}
END_TEST

/* The largest position of splines: against samples, and the cubic with equal ends and opposite speeds in closed form.
 */
START_TEST(splines_go_beyond_their_ends_and_no_farther)
{
    apart_robot *r = ball_arm();
    uint64_t seed = SEED;
    for (int i = 0; i < 300; i++) {
        double row[6], least, most, seen[2] = {INFINITY, -INFINITY};
        for (int k = 0; k < 6; k++) {
            apart_robot_random(r, &seed, &row[k]);
            row[k] *= k < 2 ? 1 : 10;
        }
        const apart_robot_segment g = {i % 2 ? 3 : 5, 0.5, row, row + 1, row + 2, row + 3, row + 4, row + 5};
        apart_robot_segment_range(&g, 0, &least, &most);
        for (int k = 0; k <= 1000; k++) {
            double q;
            apart_robot_segment_at(r, &g, k / 1000.0, &q);
            seen[0] = fmin(seen[0], q);
            seen[1] = fmax(seen[1], q);
        }
        ck_assert_double_le(least, seen[0] + 1e-6);
        ck_assert_double_ge(most, seen[1] - 1e-6);
        ck_assert_double_le(fabs(least - seen[0]) + fabs(most - seen[1]), 2e-4);
    }
    const double zero = 0, fast = 8, back = -8;
    const apart_robot_segment hop = {3, 0.5, &zero, &zero, &fast, &back, NULL, NULL}; /* 4 s (1 - s) */
    double least, most;
    apart_robot_segment_range(&hop, 0, &least, &most);
    ck_assert_double_eq_tol(most, 1, 1e-7);
    ck_assert_double_eq(least, 0);
    apart_robot_free(r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("robot_cell");
    TCase *all = tcase_create("robot_cell");
    tcase_set_timeout(all, 0);
    tcase_add_test(all, two_robots_meet_in_a_cell);
    tcase_add_test(all, added_robots_keep_their_mimics);
    tcase_add_test(all, a_moving_body_follows_its_clock);
    tcase_add_test(all, meshes_are_as_far_as_the_boxes_they_are_made_of);
    tcase_add_test(all, a_path_is_as_near_as_its_nearest_segment);
    tcase_add_test(all, motions_of_some_pairs_look_at_these_alone);
    tcase_add_test(all, splines_go_beyond_their_ends_and_no_farther);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
