/* Robots: the tree, forward kinematics, Jacobians and gradients against central differences, the certified clearance
 * along motions against
 * dense sampling.      test_robot [CONFIGURATIONS [MOTIONS [SAMPLES]]]     (10000 1000 10000: the full campaign) */
#include <check.h>
#include <string.h>

#include "robots.h"
#include "run_suite.h"

static uint64_t configurations = 10000, motions = 40, samples = 1000;
static const uint64_t SEED = 20;

/* ---- the tree ---- */

static robot_joint simple_joint(size_t line)
{
    return (robot_joint){.kind = ROBOT_ROTARY,
                         .origin = apart_pose_identity(),
                         .axis = {0, 0, 1},
                         .lower = -1,
                         .upper = 1,
                         .factor = 1,
                         .line = line};
}

/* Links a, b, c ... and joints "ab" from a to b; a joint "xy>m" mimics m. */
static apart_status build(const char *links, const char *const *joints, robot **out, apart_io_error *error)
{
    robot *r = robot_new("t.urdf");
    apart_status status = APART_OK;
    for (size_t i = 0; links[i] != '\0' && status == APART_OK; i++) {
        status = robot_add_link(r, (const char[]){links[i], '\0'}, i + 1, error);
    }
    for (size_t i = 0; joints[i] != NULL && status == APART_OK; i++) {
        const robot_joint joint = simple_joint(i + 10);
        const char parent[] = {joints[i][0], '\0'}, child[] = {joints[i][1], '\0'},
                   name[] = {joints[i][0], joints[i][1], '\0'};
        status = robot_add_joint(r, name, parent, child, joints[i][2] == '>' ? joints[i] + 3 : NULL, &joint, error);
    }
    if (status == APART_OK) {
        status = robot_finish(r, error);
    }
    if (status != APART_OK) {
        robot_free(r);
        r = NULL;
    }
    *out = r;
    return status;
}

START_TEST(parents_come_before_children)
{
    robot *r;
    apart_io_error error;
    ck_assert_int_eq(build("dcba", (const char *const[]){"bd", "ab", "ac", NULL}, &r, &error), APART_OK);
    ck_assert_str_eq(r->links[0].name, "a");
    for (size_t i = 0; i < r->joint_count; i++) {
        ck_assert_uint_le(r->joints[i].parent, i);
        ck_assert_int_eq(r->joints[i].name[1], r->links[i + 1].name[0]);
        ck_assert_int_eq(r->joints[i].name[0], r->links[r->joints[i].parent].name[0]);
    }
    ck_assert_uint_eq(r->variable_count, 3);
    robot_free(r);
}
END_TEST

START_TEST(what_is_no_tree_is_told_with_its_line)
{
    static const struct {
        const char *links, *joints[5], *message;
    } rows[] = {
        {"ab", {"ab", "bc"}, "t.urdf:11: joint 'bc': the child link 'c' does not exist"},
        {"ab", {"xb"}, "t.urdf:10: joint 'xb': the parent link 'x' does not exist"},
        {"abc", {"ac", "bc"}, "t.urdf:11: joint 'bc': the link 'c' is already the child of joint 'ac' (line 10)"},
        {"abc", {"ab"}, "t.urdf:3: the links 'a' (line 1) and 'c' both hang on no joint: a robot has one root"},
        {"abcd", {"bc", "cd", "db"}, "t.urdf:11: the joints 'cd', 'bc', 'db' form a cycle"},
        {"ab", {"ab", "ba"}, "t.urdf:11: the joints 'ba', 'ab' form a cycle"},
        {"aba", {NULL}, "t.urdf:3: a second link 'a' (line 1)"},
        {"ab", {"ab", "ab"}, "t.urdf:11: a second joint 'ab' (line 10)"},
        {"abc", {"ab>bc", "bc>ab"}, "t.urdf:10: joint 'ab' mimics itself"},
        {"ab", {"ab>xx"}, "t.urdf:10: joint 'ab' mimics 'xx', which is no joint that moves"},
        {"", {NULL}, "t.urdf: no link"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        robot *r;
        apart_io_error error;
        ck_assert_int_eq(build(rows[i].links, rows[i].joints, &r, &error), APART_ERR_SYNTAX);
        ck_assert_str_eq(error.message, rows[i].message);
    }
}
END_TEST

START_TEST(mimics_are_followed_to_the_joint_that_moves)
{
    robot *r = mixed_robot();
    const double q[] = {0.1, 0.05, 0.4, 0.02}; /* yaw, lift, pitch, left */
    ck_assert_uint_eq(r->variable_count, 4);
    ck_assert_str_eq(robot_variable_name(r, 3), "left");
    for (size_t i = 0; i < r->joint_count; i++) {
        const double position = robot_joint_position(&r->joints[i], q);
        if (strcmp(r->joints[i].name, "right") == 0) {
            ck_assert_double_eq_tol(position, -0.02 + 0.01, 1e-15);
        } else if (strcmp(r->joints[i].name, "curl") == 0) {
            ck_assert_double_eq_tol(position, 0.5 * 0.4 + 0.3, 1e-15);
        }
    }
    robot_free(r);
}
END_TEST

/* ---- kinematics ---- */

START_TEST(an_arm_in_the_plane_is_where_trigonometry_says)
{
    robot *r = robot_new("planar");
    apart_io_error error;
    robot_state state;
    const double lengths[] = {0.7, 0.5, 0.3}, q[] = {0.3, -0.9, 1.4};
    ck_assert_int_eq(robot_add_link(r, "0", 1, &error), APART_OK);
    for (size_t i = 0; i < 3; i++) {
        robot_joint joint = simple_joint(1);
        joint.origin = apart_pose_translation(i > 0 ? lengths[i - 1] : 0, 0, 0);
        ck_assert_int_eq(robot_add_link(r, (const char *const[]){"1", "2", "3"}[i], 1, &error), APART_OK);
        ck_assert_int_eq(robot_add_joint(r, (const char *const[]){"a", "b", "c"}[i],
                                         (const char *const[]){"0", "1", "2"}[i],
                                         (const char *const[]){"1", "2", "3"}[i], NULL, &joint, &error),
                         APART_OK);
    }
    ck_assert_int_eq(robot_finish(r, &error), APART_OK);
    ck_assert_int_eq(robot_state_init(r, &state), APART_OK);
    robot_state_set(&state, q);
    const apart_vec3 tip = apart_pose_apply(&state.links[3], (apart_vec3){lengths[2], 0, 0});
    double x = 0, y = 0, angle = 0;
    for (int i = 0; i < 3; i++) {
        angle += q[i];
        x += lengths[i] * cos(angle);
        y += lengths[i] * sin(angle);
    }
    ck_assert_double_eq_tol(tip.x, x, 1e-15);
    ck_assert_double_eq_tol(tip.y, y, 1e-15);
    robot_state_free(&state);
    robot_free(r);
}
END_TEST

static double difference(apart_vec3 a, apart_vec3 b)
{
    return fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
}

/* The largest difference between the Jacobian of the last link's points and central differences. */
static double worst_jacobian(const robot *r, uint64_t count)
{
    robot_state state, moved;
    apart_vec3 linear[64], angular[64];
    double q[64], worst = 0;
    uint64_t seed = SEED;
    const double step = 1e-5;
    ck_assert_int_eq(robot_state_init(r, &state), APART_OK);
    ck_assert_int_eq(robot_state_init(r, &moved), APART_OK);
    for (uint64_t i = 0; i < count; i++) {
        const size_t link = i % r->link_count, v = i % r->variable_count;
        const apart_vec3 local = {0.2, -0.1, 0.3};
        robot_random_positions(r, &seed, q);
        robot_state_set(&state, q);
        robot_jacobian(&state, link, apart_pose_apply(&state.links[link], local), linear, angular);
        apart_pose ends[2];
        for (int k = 0; k < 2; k++) {
            const double kept = q[v];
            q[v] += k == 0 ? -step : step;
            robot_state_set(&moved, q);
            ends[k] = moved.links[link];
            q[v] = kept;
        }
        const apart_vec3 a = apart_pose_apply(&ends[0], local), b = apart_pose_apply(&ends[1], local);
        const apart_vec3 velocity = {(b.x - a.x) / (2 * step), (b.y - a.y) / (2 * step), (b.z - a.z) / (2 * step)};
        worst = fmax(worst, difference(velocity, linear[v]));
        /* omega x (the image of an axis) is that axis' velocity. */
        const apart_vec3 w = angular[v], e = state.links[link].rotation.y, from = ends[0].rotation.y,
                         to = ends[1].rotation.y;
        const apart_vec3 turned = {w.y * e.z - w.z * e.y, w.z * e.x - w.x * e.z, w.x * e.y - w.y * e.x};
        const apart_vec3 seen = {(to.x - from.x) / (2 * step), (to.y - from.y) / (2 * step),
                                 (to.z - from.z) / (2 * step)};
        worst = fmax(worst, difference(seen, turned));
    }
    robot_state_free(&state);
    robot_state_free(&moved);
    return worst;
}

START_TEST(jacobians_agree_with_central_differences)
{
    robot *robots[] = {mixed_robot(), load_robot(KR5_URDF), load_robot(WAM_URDF), load_robot(HUBO_URDF)};
    for (size_t i = 0; i < 4; i++) {
        if (robots[i] != NULL) {
            const double worst = worst_jacobian(robots[i], configurations);
            printf("Jacobian of %s: %llu configurations, largest difference %.2g\n", robots[i]->name,
                   (unsigned long long)configurations, worst);
            ck_assert_double_lt(worst, 1e-6);
        }
        robot_free(robots[i]);
    }
}
END_TEST

/* ---- gradients ---- */

typedef struct gradient_count {
    uint64_t compared, near, not_unique, changed;
    double worst;
} gradient_count;

static bool same_simplex(const apart_result *a, const apart_result *b)
{
    bool same = a->count == b->count;
    for (int i = 0; i < a->count && same; i++) {
        bool found = false;
        for (int k = 0; k < b->count; k++) {
            found = found || (a->index_a[i] == b->index_a[k] && a->index_b[i] == b->index_b[k]);
        }
        same = found;
    }
    return same;
}

/* One pair of one configuration: the derivative by one variable. */
static void compare_gradient(robot_cell *cell, size_t pair, double *q, size_t v, gradient_count *count)
{
    apart_compound_result here, ends[2];
    double gradient[64];
    const double step = 1e-6, kept = q[v];
    robot_cell_set(cell, q);
    ck_assert_int_eq(robot_cell_distance(cell, pair, &here), APART_OK);
    if (here.result.distance <= 0.01) {
        count->near++;
        return;
    }
    const bool unique = robot_cell_gradient(cell, pair, &here, gradient);
    for (int k = 0; k < 2; k++) {
        q[v] = kept + (k == 0 ? -step : step);
        robot_cell_set(cell, q);
        ck_assert_int_eq(robot_cell_distance(cell, pair, &ends[k]), APART_OK);
    }
    q[v] = kept;
    if (!unique) {
        count->not_unique++;
        return;
    }
    if (!same_simplex(&here.result, &ends[0].result) || !same_simplex(&here.result, &ends[1].result)) {
        count->changed++;
        return;
    }
    count->compared++;
    const double seen = (ends[1].result.distance - ends[0].result.distance) / (2 * step);
    count->worst = fmax(count->worst, fabs(seen - gradient[v]));
}

START_TEST(gradients_agree_with_central_differences)
{
    robot *robots[] = {mixed_robot(), load_robot(KR5_URDF), load_robot(WAM_URDF)};
    const apart_part post = {apart_cylinder(0.1, 0.5), apart_pose_identity()},
                     crate = {apart_box((apart_vec3){0.3, 0.2, 0.1}), apart_pose_identity()};
    robot_obstacle obstacles[] = {{"post", &post, 1, apart_pose_translation(0.9, 0.3, 0.5)},
                                  {"crate", &crate, 1, apart_pose_identity()}};
    apart_pose_from_rpy(0.3, 0.2, 0.1, (apart_vec3){-0.8, 0.1, 0.3}, &obstacles[1].pose);
    for (size_t i = 0; i < 3; i++) {
        robot_cell *cell;
        gradient_count count = {.compared = 0};
        uint64_t seed = SEED;
        double q[64];
        if (robots[i] == NULL) {
            continue;
        }
        ck_assert_int_eq(robot_cell_create(robots[i], obstacles, 2, &cell), APART_OK);
        for (uint64_t k = 0; k < configurations; k++) {
            robot_random_positions(robots[i], &seed, q);
            compare_gradient(cell, k % cell->pair_count, q, (k / cell->pair_count) % robots[i]->variable_count, &count);
        }
        printf(
            "gradients of %s: %llu compared, largest difference %.2g; %llu nearer than 0.01, flagged %.2f %% (not unique %llu, features "
            "change "
            "%llu)\n",
            robots[i]->name, (unsigned long long)count.compared, count.worst, (unsigned long long)count.near,
            100.0 * (double)(count.not_unique + count.changed) / (double)configurations,
            (unsigned long long)count.not_unique, (unsigned long long)count.changed);
        ck_assert_double_lt(count.worst, 1e-6);
        ck_assert_uint_gt(count.compared, configurations / 2);
        robot_cell_free(cell);
        robot_free(robots[i]);
    }
}
END_TEST

/* Two boxes face to face have many closest points; tilted, or vertex to face, one. */
START_TEST(parallel_faces_and_edges_are_flagged)
{
    static const struct {
        double rpy[3];
        bool unique;
    } rows[] = {{{0, 0, 0}, false},
                {{0, 0.3, 0}, false},
                {{0.2, 0.3, 0}, true},
                {{0, 0, 0.7}, false},
                {{1e-3, 1e-3, 0}, true}};
    robot *r = robot_new("boxes");
    apart_io_error error;
    robot_joint slide = simple_joint(1);
    slide.kind = ROBOT_SLIDING;
    const apart_part box = {apart_box((apart_vec3){0.5, 0.4, 0.3}), apart_pose_identity()};
    ck_assert_int_eq(robot_add_link(r, "a", 1, &error), APART_OK);
    ck_assert_int_eq(robot_add_link(r, "b", 1, &error), APART_OK);
    ck_assert_int_eq(robot_add_part(r, 1, &box, NULL), APART_OK);
    ck_assert_int_eq(robot_add_joint(r, "slide", "a", "b", NULL, &slide, &error), APART_OK);
    ck_assert_int_eq(robot_finish(r, &error), APART_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        robot_obstacle o = {"o", &box, 1, apart_pose_identity()};
        robot_cell *cell;
        apart_compound_result result;
        double gradient[1];
        apart_pose_from_rpy(rows[i].rpy[0], rows[i].rpy[1], rows[i].rpy[2], (apart_vec3){0, 0, -2}, &o.pose);
        ck_assert_int_eq(robot_cell_create(r, &o, 1, &cell), APART_OK);
        robot_cell_set(cell, (const double[]){0.1});
        ck_assert_int_eq(robot_cell_distance(cell, 0, &result), APART_OK);
        ck_assert_int_eq(robot_cell_gradient(cell, 0, &result, gradient), rows[i].unique);
        ck_assert_double_eq_tol(gradient[0], 1, 1e-9);
        robot_cell_free(cell);
    }
    robot_free(r);
}
END_TEST

/* ---- motions ---- */

/* Dense sampling of the nearest distance. */
static double sampled_minimum(robot_cell *cell, const double *q0, const double *q1, uint64_t count)
{
    double least = INFINITY, q[64];
    for (uint64_t i = 0; i <= count; i++) {
        apart_compound_result r;
        size_t pair;
        for (size_t v = 0; v < cell->robot->variable_count; v++) {
            q[v] = q0[v] + (double)i / (double)count * (q1[v] - q0[v]);
        }
        robot_cell_set(cell, q);
        ck_assert_int_eq(robot_cell_nearest(cell, &pair, &r), APART_OK);
        least = fmin(least, r.result.lower);
    }
    return least;
}

/* Pairs whose hulls overlap in most positions would hide all others. */
static void disable_overlapping(robot *r)
{
    enum { TRIES = 200 };
    robot_cell *cell;
    robot_proposal proposals[2000];
    ck_assert_int_eq(robot_cell_create(r, NULL, 0, &cell), APART_OK);
    ck_assert_uint_le(cell->pair_count, 2000);
    ck_assert_int_eq(robot_propose(cell, TRIES, SEED, proposals), APART_OK);
    for (size_t p = 0; p < cell->pair_count; p++) {
        ck_assert_uint_eq(proposals[p].samples, TRIES);
        ck_assert_int_eq(proposals[p].least<0, proposals[p].overlaps> 0);
        ck_assert_double_le(proposals[p].least, proposals[p].most);
        if (proposals[p].overlaps > TRIES / 4) {
            const robot_pair *pair = &cell->pairs[p];
            ck_assert_int_eq(robot_disable_pair(r, cell->bodies[pair->bodies[1]].name,
                                                cell->bodies[pair->bodies[0]].name),
                             APART_OK);
        }
    }
    const size_t before = cell->pair_count, disabled = r->disabled_count;
    robot_cell_free(cell);
    ck_assert_int_eq(robot_cell_create(r, NULL, 0, &cell), APART_OK);
    ck_assert_uint_eq(cell->pair_count, before - disabled);
    robot_cell_free(cell);
}

static void check_motions(robot *r, double tolerance)
{
    const apart_part post = {apart_cylinder(0.05, 0.3), apart_pose_identity()};
    const robot_obstacle obstacle = {"post", &post, 1, apart_pose_translation(0.45, 0.2, 0.4)};
    robot_cell *cell;
    disable_overlapping(r);
    uint64_t seed = SEED, queries = 0, apart_count = 0;
    double q0[64], q1[64], closest = INFINITY, widest = 0, farthest = 0;
    ck_assert_int_eq(robot_cell_create(r, &obstacle, 1, &cell), APART_OK);
    for (uint64_t i = 0; i < motions; i++) {
        robot_gap gap;
        robot_random_positions(r, &seed, q0);
        robot_random_positions(r, &seed, q1);
        for (size_t v = 0; i % 2 == 1 && v < r->variable_count; v++) {
            q1[v] = q0[v] + 0.1 * (q1[v] - q0[v]); /* a short one */
        }
        ck_assert_int_eq(robot_cell_motion(cell, q0, q1, tolerance, &gap), APART_OK);
        const double sampled = sampled_minimum(cell, q0, q1, samples);
        ck_assert_msg(gap.lower <= sampled, "motion %llu of %s: certified %.17g, sampled %.17g", (unsigned long long)i,
                      r->name, gap.lower, sampled);
        ck_assert_double_le(gap.lower, gap.upper);
        ck_assert_double_le(gap.upper - gap.lower, tolerance * (1 + 1e-9));
        closest = fmin(closest, sampled - gap.lower);
        farthest = fmax(farthest, sampled - gap.lower);
        widest = fmax(widest, gap.upper - gap.lower);
        queries += gap.queries;
        apart_count += gap.lower > 0;
    }
    printf(
        "motions of %s: %llu against %llu samples each; %llu without contact; the sampled minimum is above the certified one by %.3g to "
        "%.3g; "
        "bounds at most %.3g apart; %.0f queries a motion\n",
        r->name, (unsigned long long)motions, (unsigned long long)samples, (unsigned long long)apart_count, closest,
        farthest, widest, (double)queries / (double)motions);
    robot_cell_free(cell);
}

START_TEST(the_certified_minimum_is_never_above_the_sampled_one)
{
    robot *robots[] = {mixed_robot(), load_robot(KR5_URDF), load_robot(WAM_URDF)};
    for (size_t i = 0; i < 3; i++) {
        if (robots[i] != NULL) {
            check_motions(robots[i], 1e-3);
        }
        robot_free(robots[i]);
    }
}
END_TEST

/* Points of one body, seen from the other, never move faster than the bound says. */
START_TEST(no_point_moves_faster_than_the_bound)
{
    robot *r = mixed_robot();
    robot_cell *cell;
    uint64_t seed = SEED;
    double q0[8], q1[8], q[8], tightest = INFINITY;
    ck_assert_int_eq(robot_cell_create(r, NULL, 0, &cell), APART_OK);
    for (int i = 0; i < 300; i++) {
        robot_random_positions(r, &seed, q0);
        robot_random_positions(r, &seed, q1);
        const size_t pair = (size_t)i % cell->pair_count;
        const double half = i % 3 == 0 ? 0.5 : 0.05;
        const double bound = robot_motion_bound(cell, pair, q0, q1, 0.5, half);
        double before = 0;
        for (int k = 0; k <= 100; k++) {
            apart_compound_result result;
            for (size_t v = 0; v < r->variable_count; v++) {
                q[v] = q0[v] + (0.5 + half * (k / 50.0 - 1)) * (q1[v] - q0[v]);
            }
            robot_cell_set(cell, q);
            ck_assert_int_eq(robot_cell_distance(cell, pair, &result), APART_OK);
            if (k > 0) {
                const double speed = fabs(result.result.distance - before) / (half / 50);
                ck_assert_double_le(speed, bound * (1 + 1e-9));
                tightest = fmin(tightest, bound / speed);
            }
            before = result.result.distance;
        }
    }
    printf("the motion bound is at least %.3g times the speed seen\n", tightest);
    ck_assert_double_lt(tightest, 2); /* a bound that says nothing would be larger */
    robot_cell_free(cell);
    robot_free(r);
}
END_TEST

/* ---- plans ---- */

/* The paper's arm: the hand calculation of its start, the goal reached on the path, the push away from the pyramids,
 * and none without it. */
START_TEST(the_arm_of_the_paper_passes_its_pyramids)
{
    robot_arm arm;
    robot_cell *cell;
    robot_plan plans[2];
    ck_assert_int_eq(robot_arm_make(&arm), APART_OK);
    ck_assert_double_eq_tol(arm.path[0].y, -(1 - 0.6 * sqrt(0.75) - 0.4), 1e-15);
    ck_assert_double_eq_tol(arm.path[0].z, 2.3, 1e-15);
    ck_assert_int_eq(robot_cell_create(arm.robot, arm.obstacles, 2, &cell), APART_OK);
    ck_assert_uint_eq(cell->pair_count, 3 + 8);
    for (int i = 0; i < 2; i++) {
        const robot_task task = {.start = arm.start,
                                 .link = arm.link,
                                 .point = arm.point,
                                 .path = arm.path,
                                 .path_count = 3,
                                 .speed = 0.1,
                                 .reach = 0.5,
                                 .gain = i == 0 ? -1 : 0,
                                 .step = 0.02,
                                 .most_error = 1e-3};
        double least = INFINITY, lower = INFINITY;
        ck_assert_int_eq(robot_plan_make(cell, &task, &plans[i]), APART_OK);
        const robot_plan *plan = &plans[i];
        ck_assert(plan->followed);
        ck_assert_double_lt(plan->worst_error, 1e-9);
        ck_assert_double_eq_tol(plan->tool[plan->count - 1].y, -0.7877, 1e-9);
        ck_assert_double_eq_tol(plan->tool[plan->count - 1].z, 3.1918, 1e-9);
        ck_assert_double_eq_tol(plan->t[plan->count - 1], (0.7877 + arm.path[0].y + 0.8918) / 0.1, 1e-9);
        for (size_t k = 0; k < plan->count; k++) {
            robot_gap gap;
            for (size_t p = 0; p < plan->pair_count; p++) {
                least = fmin(least, plan->distances[k * plan->pair_count + p]);
            }
            const size_t next = k + 1 < plan->count ? k + 1 : k;
            ck_assert_int_eq(robot_cell_motion(cell, plan->q + k * plan->width, plan->q + next * plan->width, 1e-3,
                                               &gap),
                             APART_OK);
            lower = fmin(lower, gap.lower);
        }
        ck_assert_double_le(lower, least);
        if (i == 0) {
            ck_assert_double_gt(lower, 0.15);
        } else {
            ck_assert_double_lt(least, -0.05);
        }
    }
    /* No jumps: a step is a step. */
    for (size_t k = 1; k < plans[0].count; k++) {
        double moved = 0;
        for (size_t v = 0; v < 4; v++) {
            moved = fmax(moved, fabs(plans[0].q[4 * k + v] - plans[0].q[4 * (k - 1) + v]));
        }
        ck_assert_double_lt(moved, 0.2);
    }
    robot_plan_free(&plans[0]);
    robot_plan_free(&plans[1]);
    robot_cell_free(cell);
    robot_free(arm.robot);
}
END_TEST

/* ---- real robots ---- */

START_TEST(real_robots_are_read)
{
    static const struct {
        const char *path;
        size_t links, variables;
    } rows[] = {{KR5_URDF, 8, 6}, {WAM_URDF, 9, 7}, {HUBO_URDF, 52, 51}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        robot *r = load_robot(rows[i].path);
        if (r != NULL) {
            printf("%s: %zu links, %zu variables, %zu notes\n", r->name, r->link_count, r->variable_count,
                   r->note_count);
            for (size_t k = 0; k < r->note_count && k < 3; k++) {
                printf("  %s\n", r->notes[k].text);
            }
            ck_assert_uint_eq(r->link_count, rows[i].links);
            ck_assert_uint_eq(r->variable_count, rows[i].variables);
        }
        robot_free(r);
    }
}
END_TEST

START_TEST(a_missing_link_is_reported)
{
    robot *r = NULL;
    apart_io_error error;
    FILE *file = fopen(ATLAS_URDF, "rb");
    if (file == NULL) {
        printf("skipped: %s is missing\n", ATLAS_URDF);
        return;
    }
    fclose(file);
    ck_assert_int_eq(robot_read_urdf(ATLAS_URDF, "atlas_description=" DART_DATA "sdf/atlas", &r, &error),
                     APART_ERR_SYNTAX);
    printf("%s\n", error.message);
    ck_assert_ptr_nonnull(strstr(error.message, "does not exist"));
    ck_assert_uint_gt(error.line, 0);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *suite = suite_create("robot");
    TCase *all = tcase_create("robot");
    configurations = argc > 1 ? strtoull(argv[1], NULL, 10) : configurations;
    motions = argc > 2 ? strtoull(argv[2], NULL, 10) : motions;
    samples = argc > 3 ? strtoull(argv[3], NULL, 10) : samples;
    tcase_set_timeout(all, 0);
    tcase_add_test(all, parents_come_before_children);
    tcase_add_test(all, what_is_no_tree_is_told_with_its_line);
    tcase_add_test(all, mimics_are_followed_to_the_joint_that_moves);
    tcase_add_test(all, an_arm_in_the_plane_is_where_trigonometry_says);
    tcase_add_test(all, jacobians_agree_with_central_differences);
    tcase_add_test(all, gradients_agree_with_central_differences);
    tcase_add_test(all, parallel_faces_and_edges_are_flagged);
    tcase_add_test(all, the_certified_minimum_is_never_above_the_sampled_one);
    tcase_add_test(all, no_point_moves_faster_than_the_bound);
    tcase_add_test(all, the_arm_of_the_paper_passes_its_pyramids);
    tcase_add_test(all, real_robots_are_read);
    tcase_add_test(all, a_missing_link_is_reported);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
