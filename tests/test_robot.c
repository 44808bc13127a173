/* Robots: the tree, forward kinematics, Jacobians and gradients against central differences, the certified clearance
 * along motions against
 * dense sampling.      test_robot [CONFIGURATIONS [MOTIONS [SAMPLES]]]     (10000 1000 10000: the full campaign) */
#include <check.h>
#include <string.h>

#include <robot/arm.h>

#include "robots.h"
#include "run_suite.h"

static uint64_t configurations = 10000, motions = 40, samples = 1000;
static const uint64_t SEED = 20;

/* ---- the tree ---- */

static apart_robot_joint simple_joint(size_t line)
{
    return (apart_robot_joint){.kind = APART_JOINT_ROTARY,
                               .origin = apart_pose_identity(),
                               .axis = {0, 0, 1},
                               .lower = -1,
                               .upper = 1,
                               .factor = 1,
                               .line = line};
}

/* Links a, b, c ... and joints "ab" from a to b; a joint "xy>m" mimics m. */
static apart_status build(const char *links, const char *const *joints, apart_robot **out, apart_io_error *error)
{
    apart_robot *r = apart_robot_new("t.urdf");
    apart_status status = APART_OK;
    for (size_t i = 0; links[i] != '\0' && status == APART_OK; i++) {
        status = apart_robot_add_link(r, (const char[]){links[i], '\0'}, i + 1, error);
    }
    for (size_t i = 0; joints[i] != NULL && status == APART_OK; i++) {
        const apart_robot_joint joint = simple_joint(i + 10);
        const char parent[] = {joints[i][0], '\0'}, child[] = {joints[i][1], '\0'},
                   name[] = {joints[i][0], joints[i][1], '\0'};
        status =
            apart_robot_add_joint(r, name, parent, child, joints[i][2] == '>' ? joints[i] + 3 : NULL, &joint, error);
    }
    if (status == APART_OK) {
        status = apart_robot_finish(r, error);
    }
    if (status != APART_OK) {
        apart_robot_free(r);
        r = NULL;
    }
    *out = r;
    return status;
}

START_TEST(parents_come_before_children)
{
    apart_robot *r;
    apart_io_error error;
    ck_assert_int_eq(build("dcba", (const char *const[]){"bd", "ab", "ac", NULL}, &r, &error), APART_OK);
    ck_assert_str_eq(apart_robot_link_at(r, 0)->name, "a");
    for (size_t i = 0; i < apart_robot_joint_count(r); i++) {
        ck_assert_uint_le(apart_robot_joint_at(r, i)->parent, i);
        ck_assert_int_eq(apart_robot_joint_at(r, i)->name[1], apart_robot_link_at(r, i + 1)->name[0]);
        ck_assert_int_eq(apart_robot_joint_at(r, i)->name[0],
                         apart_robot_link_at(r, apart_robot_joint_at(r, i)->parent)->name[0]);
    }
    ck_assert_uint_eq(apart_robot_variable_count(r), 3);
    apart_robot_free(r);
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
        {"", {NULL}, "t.urdf: no link"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        apart_robot *r;
        apart_io_error error;
        ck_assert_int_eq(build(rows[i].links, rows[i].joints, &r, &error), APART_ERR_SYNTAX);
        ck_assert_str_eq(error.message, rows[i].message);
    }
}
END_TEST

START_TEST(mimics_are_followed_to_the_joint_that_moves)
{
    apart_robot *r = mixed_robot();
    const double q[] = {0.1, 0.05, 0.4, 0.02}; /* yaw, lift, pitch, left */
    ck_assert_uint_eq(apart_robot_variable_count(r), 4);
    ck_assert_str_eq(apart_robot_variable(r, 3)->name, "left");
    for (size_t i = 0; i < apart_robot_joint_count(r); i++) {
        const double position = apart_robot_joint_position(apart_robot_joint_at(r, i), q);
        if (strcmp(apart_robot_joint_at(r, i)->name, "right") == 0) {
            ck_assert_double_eq_tol(position, -0.02 + 0.01, 1e-15);
        } else if (strcmp(apart_robot_joint_at(r, i)->name, "curl") == 0) {
            ck_assert_double_eq_tol(position, 0.5 * 0.4 + 0.3, 1e-15);
        }
    }
    apart_robot_free(r);
}
END_TEST

/* ---- kinematics ---- */

START_TEST(an_arm_in_the_plane_is_where_trigonometry_says)
{
    apart_robot *r = apart_robot_new("planar");
    apart_io_error error;
    apart_pose links[4];
    const double lengths[] = {0.7, 0.5, 0.3}, q[] = {0.3, -0.9, 1.4};
    ck_assert_int_eq(apart_robot_add_link(r, "0", 1, &error), APART_OK);
    for (size_t i = 0; i < 3; i++) {
        apart_robot_joint joint = simple_joint(1);
        joint.origin = apart_pose_translation(i > 0 ? lengths[i - 1] : 0, 0, 0);
        ck_assert_int_eq(apart_robot_add_link(r, (const char *const[]){"1", "2", "3"}[i], 1, &error), APART_OK);
        ck_assert_int_eq(apart_robot_add_joint(r, (const char *const[]){"a", "b", "c"}[i],
                                               (const char *const[]){"0", "1", "2"}[i],
                                               (const char *const[]){"1", "2", "3"}[i], NULL, &joint, &error),
                         APART_OK);
    }
    ck_assert_int_eq(apart_robot_finish(r, &error), APART_OK);
    apart_robot_forward(r, q, links);
    const apart_vec3 tip = apart_pose_apply(&links[3], (apart_vec3){lengths[2], 0, 0});
    double x = 0, y = 0, angle = 0;
    for (int i = 0; i < 3; i++) {
        angle += q[i];
        x += lengths[i] * cos(angle);
        y += lengths[i] * sin(angle);
    }
    ck_assert_double_eq_tol(tip.x, x, 1e-15);
    ck_assert_double_eq_tol(tip.y, y, 1e-15);
    apart_robot_free(r);
}
END_TEST

static double difference(apart_vec3 a, apart_vec3 b)
{
    return fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
}

/* The largest difference between the Jacobian of the last link's points and central differences. */
static double worst_jacobian(const apart_robot *r, uint64_t count)
{
    apart_pose links[128], moved[128];
    apart_vec3 linear[64], angular[64];
    double q[64], worst = 0;
    uint64_t seed = SEED;
    const double step = 1e-5;
    ck_assert_uint_le(apart_robot_link_count(r), 128);
    for (uint64_t i = 0; i < count; i++) {
        const size_t link = i % apart_robot_link_count(r), v = i % apart_robot_variable_count(r);
        const apart_vec3 local = {0.2, -0.1, 0.3};
        apart_robot_random(r, &seed, q);
        apart_robot_forward(r, q, links);
        apart_robot_jacobian(r, links, link, apart_pose_apply(&links[link], local), linear, angular);
        apart_pose ends[2];
        for (int k = 0; k < 2; k++) {
            const double kept = q[v];
            q[v] += k == 0 ? -step : step;
            apart_robot_forward(r, q, moved);
            ends[k] = moved[link];
            q[v] = kept;
        }
        const apart_vec3 a = apart_pose_apply(&ends[0], local), b = apart_pose_apply(&ends[1], local);
        const apart_vec3 velocity = {(b.x - a.x) / (2 * step), (b.y - a.y) / (2 * step), (b.z - a.z) / (2 * step)};
        worst = fmax(worst, difference(velocity, linear[v]));
        /* omega x (the image of an axis) is that axis' velocity. */
        const apart_vec3 w = angular[v], e = links[link].rotation.y, from = ends[0].rotation.y, to = ends[1].rotation.y;
        const apart_vec3 turned = {w.y * e.z - w.z * e.y, w.z * e.x - w.x * e.z, w.x * e.y - w.y * e.x};
        const apart_vec3 seen = {(to.x - from.x) / (2 * step), (to.y - from.y) / (2 * step),
                                 (to.z - from.z) / (2 * step)};
        worst = fmax(worst, difference(seen, turned));
    }
    return worst;
}

/* What is finished takes no more links and joints; what is not makes no cell. */
START_TEST(finished_robots_are_closed)
{
    for (int in_vain = 0; in_vain < 2; in_vain++) {
        apart_robot *r = apart_robot_new("test");
        apart_robot_cell *cell;
        apart_io_error error;
        const apart_robot_joint joint = simple_joint(1);
        ck_assert_int_eq(apart_robot_cell_create(r, NULL, &cell), APART_ERR_NULL);
        ck_assert_int_eq(apart_robot_add_link(r, "a", 1, &error), APART_OK);
        ck_assert_int_eq(apart_robot_add_link(r, "b", 1, &error), APART_OK);
        if (!in_vain) {
            ck_assert_int_eq(apart_robot_add_joint(r, "j", "a", "b", NULL, &joint, &error), APART_OK);
        }
        ck_assert_int_eq(apart_robot_finish(r, &error), in_vain ? APART_ERR_SYNTAX : APART_OK);
        ck_assert_int_eq(apart_robot_finish(r, &error), APART_ERR_NULL);
        ck_assert_int_eq(apart_robot_add_link(r, "c", 1, &error), APART_ERR_NULL);
        ck_assert_int_eq(apart_robot_add_joint(r, "k", "a", "b", NULL, &joint, &error), APART_ERR_NULL);
        ck_assert_ptr_nonnull(strstr(error.message, "not finished"));
        apart_robot_free(r);
    }
}
END_TEST

START_TEST(jacobians_agree_with_central_differences)
{
    apart_robot *robots[] = {mixed_robot(), load_robot(KR5_URDF), load_robot(WAM_URDF), load_robot(HUBO_URDF)};
    for (size_t i = 0; i < 4; i++) {
        if (robots[i] != NULL) {
            const double worst = worst_jacobian(robots[i], configurations);
            printf("Jacobian of %s: %llu configurations, largest difference %.2g\n", apart_robot_name(robots[i]),
                   (unsigned long long)configurations, worst);
            ck_assert_double_lt(worst, 1e-6);
        }
        apart_robot_free(robots[i]);
    }
}
END_TEST

/* A cell with a work space. */
typedef struct bench {
    apart_robot_cell *cell;
    apart_robot_work *work;
    size_t pair_count;
} bench;

static bench set_up(const apart_robot *r, const apart_robot_obstacle *obstacles, size_t count)
{
    const apart_robot_cell_options options = {.obstacles = obstacles, .obstacle_count = count};
    bench b;
    ck_assert_int_eq(apart_robot_cell_create(r, &options, &b.cell), APART_OK);
    ck_assert_int_eq(apart_robot_work_create(b.cell, &b.work), APART_OK);
    b.pair_count = apart_robot_pair_count(b.cell);
    return b;
}

static void take_down(bench *b)
{
    apart_robot_work_free(b->work);
    apart_robot_cell_free(b->cell);
}

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
static void compare_gradient(apart_robot_work *work, size_t pair, double *q, size_t v, gradient_count *count)
{
    apart_robot_near here = {.pair = pair};
    apart_compound_result ends[2];
    double gradient[64];
    const double step = 1e-6, kept = q[v];
    int unique;
    ck_assert_int_eq(apart_robot_set(work, q), APART_OK);
    ck_assert_int_eq(apart_robot_distance(work, pair, &here.at), APART_OK);
    if (here.at.result.distance <= 0.01) {
        count->near++;
        return;
    }
    ck_assert_int_eq(apart_robot_gradient(work, &here, gradient, &unique), APART_OK);
    for (int k = 0; k < 2; k++) {
        q[v] = kept + (k == 0 ? -step : step);
        ck_assert_int_eq(apart_robot_set(work, q), APART_OK);
        ck_assert_int_eq(apart_robot_distance(work, pair, &ends[k]), APART_OK);
    }
    q[v] = kept;
    if (!unique) {
        count->not_unique++;
        return;
    }
    if (!same_simplex(&here.at.result, &ends[0].result) || !same_simplex(&here.at.result, &ends[1].result)) {
        count->changed++;
        return;
    }
    count->compared++;
    const double seen = (ends[1].result.distance - ends[0].result.distance) / (2 * step);
    count->worst = fmax(count->worst, fabs(seen - gradient[v]));
}

START_TEST(gradients_agree_with_central_differences)
{
    apart_robot *robots[] = {mixed_robot(), load_robot(KR5_URDF), load_robot(WAM_URDF)};
    const apart_part post = {apart_cylinder(0.1, 0.5), apart_pose_identity()},
                     crate = {apart_box((apart_vec3){0.3, 0.2, 0.1}), apart_pose_identity()};
    apart_robot_obstacle obstacles[] =
        {{.name = "post", .parts = &post, .count = 1, .pose = apart_pose_translation(0.9, 0.3, 0.5)},
         {.name = "crate", .parts = &crate, .count = 1}};
    apart_pose_from_rpy(0.3, 0.2, 0.1, (apart_vec3){-0.8, 0.1, 0.3}, &obstacles[1].pose);
    for (size_t i = 0; i < 3; i++) {
        gradient_count count = {.compared = 0};
        uint64_t seed = SEED;
        double q[64];
        if (robots[i] == NULL) {
            continue;
        }
        bench b = set_up(robots[i], obstacles, 2);
        for (uint64_t k = 0; k < configurations; k++) {
            apart_robot_random(robots[i], &seed, q);
            compare_gradient(b.work, k % b.pair_count, q, (k / b.pair_count) % apart_robot_variable_count(robots[i]),
                             &count);
        }
        printf(
            "gradients of %s: %llu compared, largest difference %.2g; %llu nearer than 0.01, flagged %.2f %% (not unique %llu, features "
            "change "
            "%llu)\n",
            apart_robot_name(robots[i]), (unsigned long long)count.compared, count.worst,
            (unsigned long long)count.near, 100.0 * (double)(count.not_unique + count.changed) / (double)configurations,
            (unsigned long long)count.not_unique, (unsigned long long)count.changed);
        ck_assert_double_lt(count.worst, 1e-6);
        ck_assert_uint_gt(count.compared, configurations / 2);
        take_down(&b);
        apart_robot_free(robots[i]);
    }
}
END_TEST

/* A box that slides up and down, on a turning link or not. */
static apart_robot *sliding_box(const apart_part *box, bool turns)
{
    apart_robot *r = apart_robot_new("boxes");
    apart_io_error error;
    apart_robot_joint slide = simple_joint(1), turn = simple_joint(1);
    slide.kind = APART_JOINT_SLIDING;
    turn.axis = (apart_vec3){1, 0, 0};
    ck_assert_int_eq(apart_robot_add_link(r, "a", 1, &error), APART_OK);
    ck_assert_int_eq(apart_robot_add_link(r, "b", 1, &error), APART_OK);
    ck_assert_int_eq(apart_robot_add_link(r, "c", 1, &error), APART_OK);
    ck_assert_int_eq(apart_robot_add_part(r, 2, box, NULL), APART_OK);
    turn.kind = turns ? APART_JOINT_ROTARY : APART_JOINT_FIXED;
    ck_assert_int_eq(apart_robot_add_joint(r, "turn", "a", "b", NULL, &turn, &error), APART_OK);
    ck_assert_int_eq(apart_robot_add_joint(r, "slide", "b", "c", NULL, &slide, &error), APART_OK);
    ck_assert_int_eq(apart_robot_finish(r, &error), APART_OK);
    return r;
}

/* Two boxes face to face have many closest points, and turning one has a kink; tilted, or vertex to face, there is one.
 * Sliding along the normal has no kink in any case. */
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
    const apart_part box = {apart_box((apart_vec3){0.5, 0.4, 0.3}), apart_pose_identity()};
    const double q[] = {0, 0.1};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const bool turns = i % 2 == 0;
        apart_robot *r = sliding_box(&box, turns);
        apart_robot_obstacle o = {.name = "o", .parts = &box, .count = 1};
        apart_robot_near near = {.pair = 0};
        double gradient[2];
        int unique;
        const double *rpy = rows[i / 2].rpy;
        apart_pose_from_rpy(rpy[0], rpy[1], rpy[2], (apart_vec3){0, 0, -2}, &o.pose);
        bench b = set_up(r, &o, 1);
        ck_assert_int_eq(apart_robot_set(b.work, turns ? q : q + 1), APART_OK);
        ck_assert_int_eq(apart_robot_nearest(b.work, &near), APART_OK);
        ck_assert_int_eq(apart_robot_gradient(b.work, &near, gradient, &unique), APART_OK);
        ck_assert_int_eq(unique, rows[i / 2].unique || !turns);
        ck_assert_double_eq_tol(gradient[turns ? 1 : 0], 1, 1e-9);
        take_down(&b);
        apart_robot_free(r);
    }
}
END_TEST

/* ---- motions ---- */

/* Dense sampling of the nearest distance. */
static double sampled_minimum(const bench *b, const apart_robot_segment *g, uint64_t count)
{
    double least = INFINITY, q[64];
    for (uint64_t i = 0; i <= count; i++) {
        apart_robot_near near;
        apart_robot_segment_at(apart_robot_cell_robot(b->cell), g, (double)i / (double)count, q);
        ck_assert_int_eq(apart_robot_set(b->work, q), APART_OK);
        ck_assert_int_eq(apart_robot_nearest(b->work, &near), APART_OK);
        least = fmin(least, near.at.result.lower);
    }
    return least;
}

/* Pairs whose hulls overlap in most positions would hide all others. */
static void disable_overlapping(apart_robot *r)
{
    enum { TRIES = 200 };
    apart_robot_proposal proposals[2000];
    size_t disabled = 0;
    bench b = set_up(r, NULL, 0);
    ck_assert_uint_le(b.pair_count, 2000);
    ck_assert_int_eq(apart_robot_propose(b.work, TRIES, SEED, 0, proposals), APART_OK);
    for (size_t p = 0; p < b.pair_count; p++) {
        ck_assert_uint_eq(proposals[p].samples, TRIES);
        ck_assert_int_eq(proposals[p].least<0, proposals[p].overlaps> 0);
        ck_assert_double_le(proposals[p].least, proposals[p].most);
        if (proposals[p].overlaps > TRIES / 4) {
            const size_t *bodies = apart_robot_pair_at(b.cell, p)->bodies;
            disabled++;
            ck_assert_int_eq(apart_robot_disable_pair(r, apart_robot_body_at(b.cell, bodies[1])->name,
                                                      apart_robot_body_at(b.cell, bodies[0])->name),
                             APART_OK);
        }
    }
    const size_t before = b.pair_count;
    take_down(&b);
    b = set_up(r, NULL, 0);
    ck_assert_uint_eq(b.pair_count, before - disabled);
    take_down(&b);
}

typedef struct motion_count {
    uint64_t queries, intervals, without_contact;
    double closest, farthest, widest;
} motion_count;

/* The certified minimum against the sampled one, and the same question against limits on both sides of it. */
static void check_motion(const bench *b, const apart_robot_segment *g, double tolerance, motion_count *count)
{
    const apart_robot_motion_options exact = {.tolerance = tolerance};
    apart_robot_gap gap, kept, broken;
    ck_assert_int_eq(apart_robot_segment_motion(b->work, g, &exact, &gap), APART_OK);
    const double sampled = sampled_minimum(b, g, samples);
    ck_assert_msg(gap.lower <= sampled, "certified %.17g, sampled %.17g", gap.lower, sampled);
    ck_assert_double_le(gap.lower, gap.upper);
    ck_assert_double_le(gap.upper - gap.lower, tolerance * (1 + 1e-9));
    const apart_robot_motion_options below = {.has_limit = 1, .limit = gap.lower - tolerance},
                                     above = {.has_limit = 1, .limit = gap.upper + tolerance};
    ck_assert_int_eq(apart_robot_segment_motion(b->work, g, &below, &kept), APART_OK);
    ck_assert_int_eq(apart_robot_segment_motion(b->work, g, &above, &broken), APART_OK);
    ck_assert_double_ge(kept.lower, below.limit);
    ck_assert_double_le(kept.lower, sampled);
    ck_assert_double_lt(broken.upper, above.limit);
    count->closest = fmin(count->closest, sampled - gap.lower);
    count->farthest = fmax(count->farthest, sampled - gap.lower);
    count->widest = fmax(count->widest, gap.upper - gap.lower);
    count->queries += gap.queries;
    count->intervals += gap.intervals;
    count->without_contact += gap.lower > 0;
}

static void check_motions(apart_robot *r, double tolerance)
{
    const apart_part post = {apart_cylinder(0.05, 0.3), apart_pose_identity()};
    const apart_robot_obstacle obstacle = {.name = "post",
                                           .parts = &post,
                                           .count = 1,
                                           .pose = apart_pose_translation(0.45, 0.2, 0.4)};
    disable_overlapping(r);
    uint64_t seed = SEED;
    double rows[6][64];
    motion_count count = {.closest = INFINITY};
    bench b = set_up(r, &obstacle, 1);
    for (uint64_t i = 0; i < motions; i++) {
        for (int k = 0; k < 6; k++) {
            apart_robot_random(r, &seed, rows[k]);
        }
        for (size_t v = 0; i % 2 == 1 && v < apart_robot_variable_count(r); v++) {
            rows[1][v] = rows[0][v] + 0.1 * (rows[1][v] - rows[0][v]); /* a short one */
        }
        static const int degrees[] = {1, 1, 1, 1, 3, 5};
        const apart_robot_segment g = {degrees[i % 6], 0.7, rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]};
        check_motion(&b, &g, tolerance, &count);
    }
    printf("motions of %s: %llu against %llu samples each; %llu without contact; the sampled minimum is above the "
           "certified one by %.3g to %.3g; bounds at most %.3g apart; %.0f queries and %.0f looks a motion\n",
           apart_robot_name(r), (unsigned long long)motions, (unsigned long long)samples,
           (unsigned long long)count.without_contact, count.closest, count.farthest, count.widest,
           (double)count.queries / (double)motions, (double)count.intervals / (double)motions);
    take_down(&b);
}

START_TEST(the_certified_minimum_is_never_above_the_sampled_one)
{
    apart_robot *robots[] = {mixed_robot(), load_robot(KR5_URDF), load_robot(WAM_URDF)};
    for (size_t i = 0; i < 3; i++) {
        if (robots[i] != NULL) {
            check_motions(robots[i], 1e-3);
        }
        apart_robot_free(robots[i]);
    }
}
END_TEST

/* Points of one body, seen from the other, never move faster than the bound says. */
START_TEST(no_point_moves_faster_than_the_bound)
{
    apart_robot *r = mixed_robot();
    uint64_t seed = SEED;
    double q0[8], q1[8], q[8], tightest = INFINITY;
    bench b = set_up(r, NULL, 0);
    const apart_robot_segment g = {.degree = 1, .q0 = q0, .q1 = q1};
    for (int i = 0; i < 300; i++) {
        apart_robot_random(r, &seed, q0);
        apart_robot_random(r, &seed, q1);
        const size_t pair = (size_t)i % b.pair_count;
        const double half = i % 3 == 0 ? 0.5 : 0.05;
        const double bound = apart_robot_speed_bound(b.work, pair, &g, 0.5, half);
        double before = 0;
        for (int k = 0; k <= 100; k++) {
            apart_compound_result result;
            for (size_t v = 0; v < apart_robot_variable_count(r); v++) {
                q[v] = q0[v] + (0.5 + half * (k / 50.0 - 1)) * (q1[v] - q0[v]);
            }
            ck_assert_int_eq(apart_robot_set(b.work, q), APART_OK);
            ck_assert_int_eq(apart_robot_distance(b.work, pair, &result), APART_OK);
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
    take_down(&b);
    apart_robot_free(r);
}
END_TEST

/* The same bits for any number of threads; a broken edge does not stop the others before it. */
START_TEST(batches_have_the_same_bits_for_any_number_of_threads)
{
    enum { COUNT = 500 };
    apart_robot *r = mixed_robot();
    bench b = set_up(r, NULL, 0);
    const size_t n = apart_robot_variable_count(r);
    uint64_t seed = SEED;
    static double q[COUNT + 1][8];
    static apart_robot_gap gaps[2][COUNT];
    static apart_robot_near nears[2][COUNT];
    double *packed = &q[0][0];
    for (size_t i = 0; i <= COUNT; i++) {
        apart_robot_random(r, &seed, packed + i * n);
    }
    memset(gaps, 0, sizeof gaps);
    memset(nears, 0, sizeof nears);
    for (unsigned k = 0; k < 2; k++) {
        ck_assert_int_eq(apart_robot_motion_batch(b.cell, packed, packed + n, COUNT, NULL, 1 + 2 * k, gaps[k]),
                         APART_OK);
        ck_assert_int_eq(apart_robot_nearest_batch(b.cell, packed, COUNT, 1 + 2 * k, nears[k]), APART_OK);
    }
    for (size_t i = 0; i < COUNT; i++) {
        apart_robot_gap gap;
        ck_assert_mem_eq(&gaps[0][i], &gaps[1][i], sizeof gaps[0][i]);
        ck_assert_uint_eq(nears[0][i].pair, nears[1][i].pair);
        ck_assert_mem_eq(&nears[0][i].at.result.distance, &nears[1][i].at.result.distance, sizeof(double));
        ck_assert_int_eq(apart_robot_motion(b.work, packed + i * n, packed + (i + 1) * n, NULL, &gap), APART_OK);
        ck_assert_double_le(gap.lower, gaps[0][i].upper);
        ck_assert_double_le(gaps[0][i].lower, gap.upper);
    }
    packed[3 * n] = NAN;
    ck_assert_int_eq(apart_robot_motion_batch(b.cell, packed, packed + n, COUNT, NULL, 2, gaps[0]),
                     APART_ERR_NONFINITE);
    take_down(&b);
    apart_robot_free(r);
}
END_TEST

/* The lists against every pair by itself. */
START_TEST(lists_of_near_pairs_are_those_of_all_distances)
{
    apart_robot *r = mixed_robot();
    bench b = set_up(r, NULL, 0);
    uint64_t seed = SEED;
    double q[8];
    apart_robot_near list[32];
    ck_assert_uint_le(b.pair_count, 32);
    for (int i = 0; i < 200; i++) {
        size_t count, expected = 0;
        const double limit = 0.1 + 0.002 * i;
        apart_robot_random(r, &seed, q);
        ck_assert_int_eq(apart_robot_set(b.work, q), APART_OK);
        for (size_t p = 0; p < b.pair_count; p++) {
            apart_compound_result one;
            ck_assert_int_eq(apart_robot_distance(b.work, p, &one), APART_OK);
            expected += one.result.distance < limit;
        }
        ck_assert_int_eq(apart_robot_below(b.work, limit, list, 32, &count), APART_OK);
        ck_assert_uint_eq(count, expected);
        for (size_t k = 0; k < count; k++) {
            ck_assert_double_lt(list[k].at.result.distance, limit);
            ck_assert(k == 0 || list[k - 1].at.result.distance <= list[k].at.result.distance);
        }
        const double nearest = count > 0 ? list[0].at.result.distance : limit;
        ck_assert_int_eq(apart_robot_k_nearest(b.work, 3, list, &count), APART_OK);
        ck_assert_uint_eq(count, b.pair_count < 3 ? b.pair_count : 3);
        ck_assert(expected == 0 || fabs(list[0].at.result.distance - nearest) < 1e-12);
    }
    take_down(&b);
    apart_robot_free(r);
}
END_TEST

/* ---- plans ---- */

/* The paper's arm: the hand calculation of its start, the goal reached on the path, the push away from the pyramids,
 * and none without it. */
START_TEST(the_arm_of_the_paper_passes_its_pyramids)
{
    robot_arm arm;
    robot_plan plans[2];
    ck_assert_int_eq(robot_arm_make(&arm), APART_OK);
    ck_assert_double_eq_tol(arm.path[0].y, -(1 - 0.6 * sqrt(0.75) - 0.4), 1e-15);
    ck_assert_double_eq_tol(arm.path[0].z, 2.3, 1e-15);
    bench b = set_up(arm.robot, arm.obstacles, 2);
    const apart_robot_motion_options options = {.tolerance = 1e-3};
    ck_assert_uint_eq(b.pair_count, 3 + 8);
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
        ck_assert_int_eq(robot_plan_make(b.work, &task, &plans[i]), APART_OK);
        const robot_plan *plan = &plans[i];
        ck_assert(plan->followed);
        ck_assert_double_lt(plan->worst_error, 1e-9);
        ck_assert_double_eq_tol(plan->tool[plan->count - 1].y, -0.7877, 1e-9);
        ck_assert_double_eq_tol(plan->tool[plan->count - 1].z, 3.1918, 1e-9);
        ck_assert_double_eq_tol(plan->t[plan->count - 1], (0.7877 + arm.path[0].y + 0.8918) / 0.1, 1e-9);
        for (size_t k = 0; k < plan->count; k++) {
            apart_robot_gap gap;
            for (size_t p = 0; p < plan->pair_count; p++) {
                least = fmin(least, plan->distances[k * plan->pair_count + p]);
            }
            const size_t next = k + 1 < plan->count ? k + 1 : k;
            ck_assert_int_eq(apart_robot_motion(b.work, plan->q + k * plan->width, plan->q + next * plan->width,
                                                &options, &gap),
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
    take_down(&b);
    apart_robot_free(arm.robot);
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
        apart_robot *r = load_robot(rows[i].path);
        if (r != NULL) {
            printf("%s: %zu links, %zu variables, %zu notes\n", apart_robot_name(r), apart_robot_link_count(r),
                   apart_robot_variable_count(r), apart_robot_note_count(r));
            for (size_t k = 0; k < apart_robot_note_count(r) && k < 3; k++) {
                printf("  %s\n", apart_robot_note_at(r, k)->text);
            }
            ck_assert_uint_eq(apart_robot_link_count(r), rows[i].links);
            ck_assert_uint_eq(apart_robot_variable_count(r), rows[i].variables);
        }
        apart_robot_free(r);
    }
}
END_TEST

START_TEST(a_missing_link_is_reported)
{
    apart_robot *r = NULL;
    apart_io_error error;
    FILE *file = fopen(ATLAS_URDF, "rb");
    if (file == NULL) {
        printf("skipped: %s is missing\n", ATLAS_URDF);
        return;
    }
    fclose(file);
    const apart_robot_read_options options = {.packages = "atlas_description=" DART_DATA "sdf/atlas"};
    ck_assert_int_eq(apart_robot_read(ATLAS_URDF, &options, &r, &error), APART_ERR_SYNTAX);
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
    tcase_add_test(all, finished_robots_are_closed);
    tcase_add_test(all, parents_come_before_children);
    tcase_add_test(all, what_is_no_tree_is_told_with_its_line);
    tcase_add_test(all, mimics_are_followed_to_the_joint_that_moves);
    tcase_add_test(all, an_arm_in_the_plane_is_where_trigonometry_says);
    tcase_add_test(all, jacobians_agree_with_central_differences);
    tcase_add_test(all, gradients_agree_with_central_differences);
    tcase_add_test(all, parallel_faces_and_edges_are_flagged);
    tcase_add_test(all, the_certified_minimum_is_never_above_the_sampled_one);
    tcase_add_test(all, no_point_moves_faster_than_the_bound);
    tcase_add_test(all, batches_have_the_same_bits_for_any_number_of_threads);
    tcase_add_test(all, lists_of_near_pairs_are_those_of_all_distances);
    tcase_add_test(all, the_arm_of_the_paper_passes_its_pyramids);
    tcase_add_test(all, real_robots_are_read);
    tcase_add_test(all, a_missing_link_is_reported);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
