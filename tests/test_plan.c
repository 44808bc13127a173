/* Planned paths: dense samples keep the limit, claims are checked by code that shares nothing with the planner, and the
 * bits do not depend on threads.      test_plan [PROBLEMS] */
#include <apart/plan.h>
#include <check.h>
#include <string.h>

#include "robots.h"
#include "run_suite.h"

static const uint64_t SEED = 5;
static size_t problems = 12;

typedef struct bench {
    apart_robot *r;
    apart_robot_cell *cell;
    apart_robot_work *work;
    size_t n;
} bench;

static apart_robot_joint joint_of(int kind, apart_vec3 axis, apart_vec3 at, double limit)
{
    return (apart_robot_joint){.kind = kind,
                               .axis = axis,
                               .origin = apart_pose_translation(at.x, at.y, at.z),
                               .lower = -limit,
                               .upper = limit,
                               .factor = 1};
}

static void add(apart_robot *r, const char *name, const char *parent, apart_robot_joint joint, apart_part part)
{
    apart_io_error error;
    char joint_name[64];
    const size_t link = apart_robot_link_count(r);
    ck_assert_int_eq(apart_robot_add_link(r, name, 0, &error), APART_OK);
    ck_assert_int_eq(apart_robot_add_part(r, link, &part, NULL), APART_OK);
    if (parent != NULL) {
        snprintf(joint_name, sizeof joint_name, "%s_joint", name);
        ck_assert_int_eq(apart_robot_add_joint(r, joint_name, parent, name, NULL, &joint, &error), APART_OK);
    }
}

/* Six joints: shoulder, upper arm, forearm with wrist, and a tool. */
static apart_robot *make_arm(void)
{
    apart_robot *r = apart_robot_new("arm");
    apart_io_error error;
    const apart_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const apart_part column = {apart_cylinder(0.08, 0.1), apart_pose_translation(0, 0, 0.1)},
                     knob = {apart_sphere(0.06), apart_pose_identity()},
                     upper = {apart_capsule(0.05, 0.15), apart_pose_translation(0, 0, 0.2)},
                     fore = {apart_box((apart_vec3){0.04, 0.03, 0.14}), apart_pose_translation(0, 0, 0.19)},
                     hand = {apart_box((apart_vec3){0.05, 0.02, 0.04}), apart_pose_translation(0, 0, 0.1)};
    add(r, "base", NULL, (apart_robot_joint){.kind = 0}, column);
    add(r, "shoulder", "base", joint_of(APART_JOINT_ROTARY, z, (apart_vec3){0, 0, 0.3}, 3), knob);
    add(r, "upper", "shoulder", joint_of(APART_JOINT_ROTARY, y, (apart_vec3){0, 0, 0.05}, 2), upper);
    add(r, "elbow", "upper", joint_of(APART_JOINT_ROTARY, y, (apart_vec3){0, 0, 0.4}, 2.5), knob);
    add(r, "fore", "elbow", joint_of(APART_JOINT_ROTARY, z, (apart_vec3){0, 0, 0}, 3), fore);
    add(r, "wrist", "fore", joint_of(APART_JOINT_ROTARY, y, (apart_vec3){0, 0, 0.38}, 2), knob);
    add(r, "hand", "wrist", joint_of(APART_JOINT_ROTARY, x, (apart_vec3){0, 0, 0}, 2), hand);
    ck_assert_msg(apart_robot_finish(r, &error) == APART_OK, "%s", error.message);
    return r;
}

/* A floor, a shelf of two boards, and a post. */
static bench set_up(void)
{
    apart_part parts[4] = {
        {apart_half_space((apart_vec3){0, 0, 1}, -0.05), apart_pose_identity()},
        {apart_box((apart_vec3){0.25, 0.4, 0.01}), apart_pose_identity()},
        {apart_box((apart_vec3){0.25, 0.4, 0.01}), apart_pose_identity()},
        {apart_cylinder(0.04, 0.6), apart_pose_identity()},
    };
    const apart_robot_obstacle obstacles[4] =
        {{.name = "floor", .parts = &parts[0], .count = 1, .pose = apart_pose_identity()},
         {.name = "low board", .parts = &parts[1], .count = 1, .pose = apart_pose_translation(0.6, 0.1, 0.3)},
         {.name = "high board", .parts = &parts[2], .count = 1, .pose = apart_pose_translation(0.6, 0.1, 0.75)},
         {.name = "post", .parts = &parts[3], .count = 1, .pose = apart_pose_translation(0.1, -0.5, 0.6)}};
    const apart_robot_cell_options options = {.obstacles = obstacles, .obstacle_count = 4};
    bench b = {.r = make_arm()};
    ck_assert_int_eq(apart_robot_cell_create(b.r, &options, &b.cell), APART_OK);
    ck_assert_int_eq(apart_robot_work_create(b.cell, &b.work), APART_OK);
    b.n = apart_robot_variable_count(b.r);
    return b;
}

static void take_down(bench *b)
{
    apart_robot_work_free(b->work);
    apart_robot_cell_free(b->cell);
    apart_robot_free(b->r);
}

/* A random position that keeps the limit. */
static void free_position(const bench *b, uint64_t *seed, double limit, double *q)
{
    apart_robot_near near;
    do {
        apart_robot_random(b->r, seed, q);
        ck_assert_int_eq(apart_robot_set(b->work, q), APART_OK);
        ck_assert_int_eq(apart_robot_nearest(b->work, &near), APART_OK);
    } while (near.at.result.lower < limit + 0.01);
}

/* ---- paths ---- */

/* Samples of the path, at least a hundred an edge: all within [lower, ...]; the edge's upper bound is met at s. */
static void check_samples(const bench *b, const apart_plan *plan, double limit)
{
    double q[16];
    for (size_t i = 0; i + 1 < plan->count; i++) {
        const apart_plan_edge *e = &plan->edges[i];
        double least = INFINITY;
        ck_assert_double_ge(e->lower, limit);
        for (int k = 0; k <= 200; k++) {
            const double s = k < 200 ? k / 199.0 : e->s;
            apart_robot_near near;
            for (size_t v = 0; v < b->n; v++) {
                q[v] = plan->q[i * b->n + v] + s * (plan->q[(i + 1) * b->n + v] - plan->q[i * b->n + v]);
            }
            ck_assert_int_eq(apart_robot_set(b->work, q), APART_OK);
            ck_assert_int_eq(apart_robot_nearest(b->work, &near), APART_OK);
            ck_assert_double_ge(near.at.result.upper, e->lower);
            least = fmin(least, near.at.result.upper);
        }
        ck_assert_double_le(least, e->upper + 1e-12);
        ck_assert_double_le(e->upper - e->lower, 3e-4 * apart_robot_reach(b->r) + fmax(limit - e->upper, 0.0));
    }
}

START_TEST(paths_keep_the_limit)
{
    bench b = set_up();
    uint64_t seed = SEED;
    size_t straight = 0;
    for (size_t i = 0; i < problems; i++) {
        double start[16], goal[16];
        const double limit = i % 2 ? 0.01 : 0.0;
        const apart_plan_options options = {.seed = i};
        apart_plan_proof proof;
        apart_plan plan;
        free_position(&b, &seed, limit, start);
        free_position(&b, &seed, limit, goal);
        const apart_plan_task task = {.start = start, .goals = goal, .goal_count = 1, .limit = limit};
        ck_assert_int_eq(apart_plan_make(b.cell, &task, &options, &plan), APART_OK);
        ck_assert_msg(plan.outcome == APART_PLAN_FOUND, "problem %zu: %s", i, apart_plan_outcome_name(plan.outcome));
        ck_assert_int_eq(memcmp(plan.q, start, b.n * sizeof *start), 0);
        ck_assert_int_eq(memcmp(plan.q + (plan.count - 1) * b.n, goal, b.n * sizeof *goal), 0);
        ck_assert_double_le(plan.length, plan.found_length + 1e-12);
        check_samples(&b, &plan, limit);
        ck_assert_int_eq(apart_plan_verify(b.cell, plan.q, plan.count, plan.edges, limit, 0, &proof), APART_OK);
        ck_assert_msg(proof.verdict == APART_PROVED, "problem %zu: %s", i, proof.reason);
        straight += plan.count == 2;
        apart_plan_free(&plan);
    }
    ck_assert_uint_lt(straight, problems); /* some of them had to go around something */
    take_down(&b);
}
END_TEST

START_TEST(threads_and_repeats_have_the_same_bits)
{
    bench b = set_up();
    uint64_t seed = SEED + 1;
    for (size_t i = 0; i < 4; i++) {
        double start[16], goal[16];
        apart_plan plans[4];
        free_position(&b, &seed, 0.0, start);
        free_position(&b, &seed, 0.0, goal);
        const apart_plan_task task = {.start = start, .goals = goal, .goal_count = 1};
        for (unsigned k = 0; k < 4; k++) {
            const apart_plan_options options = {.seed = 7, .threads = k};
            ck_assert_int_eq(apart_plan_make(b.cell, &task, &options, &plans[k]), APART_OK);
            ck_assert_uint_eq(plans[k].count, plans[0].count);
            ck_assert_int_eq(memcmp(plans[k].q, plans[0].q, plans[0].count * b.n * sizeof *plans[0].q), 0);
            ck_assert_int_eq(memcmp(plans[k].edges, plans[0].edges, (plans[0].count - 1) * sizeof *plans[0].edges), 0);
            ck_assert_uint_eq(plans[k].work.edges, plans[0].work.edges);
        }
        for (unsigned k = 0; k < 4; k++) {
            apart_plan_free(&plans[k]);
        }
    }
    take_down(&b);
}
END_TEST

/* ---- claims that are false ---- */

START_TEST(false_claims_are_refuted)
{
    bench b = set_up();
    double start[6] = {-1.2, 0.8, 0.6, 0, 0.3, 0}, goal[6] = {1.4, 0.8, 0.6, 0, 0.3, 0};
    const apart_plan_task task = {.start = start, .goals = goal, .goal_count = 1};
    apart_plan plan;
    apart_plan_proof proof;
    ck_assert_int_eq(apart_plan_make(b.cell, &task, NULL, &plan), APART_OK);
    ck_assert_int_eq(plan.outcome, APART_PLAN_FOUND);
    const size_t edges = plan.count - 1;
    for (size_t i = 0; i < edges; i++) {
        apart_plan_edge *e = &plan.edges[i];
        const apart_plan_edge kept = *e;
        for (int kind = 0; kind < 5; kind++) {
            *e = kept;
            switch (kind) {
            case 0: e->lower = kept.upper + 1e-6; break;            /* more than there is */
            case 1: e->lower = e->upper = kept.lower - 0.01; break; /* the pair is not that near */
            case 2:
                e->pair = (kept.pair + 1) % apart_robot_pair_count(b.cell);
                e->upper = kept.lower;
                break;
            case 3: e->s = 1.5; break;
            default: e->lower = NAN; break;
            }
            const double limit = kind == 1 ? -1.0 : 0.0;
            ck_assert_int_eq(apart_plan_verify(b.cell, plan.q, plan.count, plan.edges, limit, 0, &proof), APART_OK);
            ck_assert_msg(proof.verdict == APART_REFUTED, "edge %zu, kind %d: %d", i, kind, proof.verdict);
            ck_assert_uint_eq(proof.edge, i);
        }
        *e = kept;
    }
    /* Waypoints elsewhere: the straight line goes through an obstacle; a joint leaves its limits. */
    ck_assert_uint_gt(plan.count, 2);
    memcpy(plan.q + b.n, plan.q + (plan.count - 1) * b.n, b.n * sizeof *plan.q);
    ck_assert_int_eq(apart_plan_verify(b.cell, plan.q, plan.count, plan.edges, 0.0, 0, &proof), APART_OK);
    ck_assert_int_eq(proof.verdict, APART_REFUTED);
    plan.q[b.n] = 3.5;
    ck_assert_int_eq(apart_plan_verify(b.cell, plan.q, plan.count, plan.edges, 0.0, 0, &proof), APART_OK);
    ck_assert_int_eq(proof.verdict, APART_REFUTED);
    ck_assert_uint_eq(proof.variable, 0);
    apart_plan_free(&plan);
    take_down(&b);
}
END_TEST

/* Of robots with every kind of joint: certified motions and the check agree. */
START_TEST(checks_agree_with_certified_motions)
{
    apart_robot *r = mixed_robot();
    apart_robot_cell *cell;
    apart_robot_work *work;
    uint64_t seed = SEED + 2;
    ck_assert_int_eq(apart_robot_cell_create(r, NULL, &cell), APART_OK);
    ck_assert_int_eq(apart_robot_work_create(cell, &work), APART_OK);
    size_t proved = 0;
    for (int i = 0; i < 40; i++) {
        double q[2][16];
        double rows[32];
        apart_robot_gap gap;
        apart_plan_proof proof;
        const size_t n = apart_robot_variable_count(r);
        apart_robot_random(r, &seed, q[0]);
        apart_robot_random(r, &seed, q[1]);
        ck_assert_int_eq(apart_robot_motion(work, q[0], q[1], NULL, &gap), APART_OK);
        if (gap.lower < 0.001) { /* overlaps have no proof of the same kind */
            continue;
        }
        memcpy(rows, q[0], n * sizeof *rows);
        memcpy(rows + n, q[1], n * sizeof *rows);
        apart_plan_edge claim = {.lower = gap.lower - 1e-5, .upper = gap.upper, .s = gap.s, .pair = gap.pair};
        ck_assert_int_eq(apart_plan_verify(cell, rows, 2, &claim, 0.0, 0, &proof), APART_OK);
        ck_assert_msg(proof.verdict == APART_PROVED, "%d: %s", i, proof.reason);
        claim.lower = gap.upper + 1e-5;
        claim.upper = claim.lower;
        ck_assert_int_eq(apart_plan_verify(cell, rows, 2, &claim, 0.0, 0, &proof), APART_OK);
        ck_assert_int_eq(proof.verdict, APART_REFUTED);
        proved++;
    }
    ck_assert_uint_gt(proved, 3);
    apart_robot_work_free(work);
    apart_robot_cell_free(cell);
    apart_robot_free(r);
}
END_TEST

/* ---- what ends without a path ---- */

static int stop_at_once(const apart_plan_progress *progress, void *user)
{
    ++*(int *)user;
    return progress->samples < 3;
}

static int outcome_of(const bench *b, const double *start, const double *goals, size_t count, apart_plan *plan)
{
    const apart_plan_task task = {.start = start, .goals = goals, .goal_count = count};
    const apart_plan_options options = {.most_samples = 50};
    ck_assert_int_eq(apart_plan_make(b->cell, &task, &options, plan), APART_OK);
    const int outcome = plan->outcome;
    apart_plan_free(plan);
    return outcome;
}

START_TEST(ends_that_cannot_be)
{
    bench b = set_up();
    apart_plan plan;
    const double up[6] = {0}, outside[6] = {3.5, 0, 0, 0, 0, 0}, low[6] = {0.1, 2.0, 1.0, 0, 0, 0};
    double goals[12] = {9, 0, 0, 0, 0, 0, 0.2, 0, 0, 0, 0, 0};
    ck_assert_int_eq(outcome_of(&b, up, outside, 1, &plan), APART_PLAN_GOAL_LIMITS);
    ck_assert_int_eq(outcome_of(&b, outside, up, 1, &plan), APART_PLAN_START_LIMITS);
    ck_assert_int_eq(outcome_of(&b, up, low, 1, &plan), APART_PLAN_GOAL_NEAR);
    ck_assert_int_eq(outcome_of(&b, low, up, 1, &plan), APART_PLAN_START_NEAR);
    ck_assert_int_eq(outcome_of(&b, up, goals, 2, &plan), APART_PLAN_FOUND); /* the second one will do */
    const double nan_goal[6] = {NAN, 0, 0, 0, 0, 0};
    apart_plan_task task = {.start = up, .goals = nan_goal, .goal_count = 1};
    ck_assert_int_eq(apart_plan_make(b.cell, &task, NULL, &plan), APART_ERR_NONFINITE);
    const size_t wrong[2] = {1, 1};
    task = (apart_plan_task){.start = up, .goals = goals + 6, .goal_count = 1, .variables = wrong, .variable_count = 2};
    ck_assert_int_eq(apart_plan_make(b.cell, &task, NULL, &plan), APART_ERR_ID);
    task.goal_count = 0;
    ck_assert_int_eq(apart_plan_make(b.cell, &task, NULL, &plan), APART_ERR_OPTION);
    ck_assert_int_eq(apart_plan_make(NULL, &task, NULL, &plan), APART_ERR_NULL);
    take_down(&b);
}
END_TEST

/* A goal between the boards that only a long search finds: stopped by the caller, and by the number of samples. */
START_TEST(searches_can_be_stopped)
{
    bench b = set_up();
    double start[6] = {-1.2, 0.8, 0.6, 0, 0.3, 0}, goal[6] = {1.4, 0.8, 0.6, 0, 0.3, 0};
    const apart_plan_task task = {.start = start, .goals = goal, .goal_count = 1, .limit = 0.002};
    int calls = 0;
    apart_plan_options options = {.go_on = stop_at_once, .user = &calls};
    apart_plan plan;
    ck_assert_int_eq(apart_plan_make(b.cell, &task, &options, &plan), APART_OK);
    ck_assert_int_eq(plan.outcome, APART_PLAN_STOPPED);
    ck_assert_uint_eq(plan.count, 0);
    ck_assert_int_gt(calls, 2);
    apart_plan_free(&plan);
    options = (apart_plan_options){.most_samples = 2};
    ck_assert_int_eq(apart_plan_make(b.cell, &task, &options, &plan), APART_OK);
    ck_assert_int_eq(plan.outcome, APART_PLAN_GAVE_UP);
    apart_plan_free(&plan);
    take_down(&b);
}
END_TEST

/* Only the group moves; the others stay where the start has them. */
START_TEST(groups_move_alone)
{
    bench b = set_up();
    double start[6] = {-1.2, 0.3, 0.6, 0.5, 0.3, 0.2}, goal[6] = {1.4, 0.5, 0.7, 9, 9, 9};
    const size_t variables[3] = {0, 1, 2};
    const apart_plan_task task = {.start = start,
                                  .goals = goal,
                                  .goal_count = 1,
                                  .variables = variables,
                                  .variable_count = 3};
    apart_plan plan;
    ck_assert_int_eq(apart_plan_make(b.cell, &task, NULL, &plan), APART_OK);
    ck_assert_int_eq(plan.outcome, APART_PLAN_FOUND);
    for (size_t i = 0; i < plan.count; i++) {
        ck_assert_int_eq(memcmp(plan.q + i * b.n + 3, start + 3, 3 * sizeof *start), 0);
    }
    ck_assert_double_eq(plan.q[(plan.count - 1) * b.n], 1.4);
    apart_plan_free(&plan);
    take_down(&b);
}
END_TEST

/* ---- memory ---- */

typedef struct budget {
    long left, live;
} budget;

static void *take(size_t size, void *user)
{
    budget *b = user;
    if (b->left-- <= 0) {
        return NULL;
    }
    b->live++;
    return malloc(size);
}

static void give_back(void *memory, void *user)
{
    ((budget *)user)->live--;
    free(memory);
}

START_TEST(every_allocation_may_fail)
{
    bench b = set_up();
    double start[6] = {-1.2, 0.8, 0.6, 0, 0.3, 0}, goal[6] = {1.4, 0.8, 0.6, 0, 0.3, 0};
    const apart_plan_task task = {.start = start, .goals = goal, .goal_count = 1};
    bool done = false;
    for (long most = 0; !done; most++) {
        budget memory = {.left = most};
        const apart_plan_options options = {.allocator = {take, give_back, &memory}};
        apart_plan plan;
        const apart_status status = apart_plan_make(b.cell, &task, &options, &plan);
        done = status == APART_OK;
        ck_assert(done || status == APART_ERR_MEMORY);
        if (done) {
            apart_plan_free(&plan);
        }
        ck_assert_int_eq(memory.live, 0);
        ck_assert_int_lt(most, 200);
    }
    take_down(&b);
}
END_TEST

/* ---- inverse kinematics ---- */

START_TEST(inverse_kinematics_reach_what_can_be_reached)
{
    bench b = set_up();
    uint64_t seed = SEED + 3;
    apart_pose links[16];
    double q[16], rows[8 * 16];
    apart_plan_inverse_result found;
    size_t reached = 0;
    const size_t hand = apart_robot_find_link(b.r, "hand");
    for (int i = 0; i < 30; i++) {
        apart_robot_random(b.r, &seed, q);
        apart_robot_forward(b.r, q, links);
        apart_plan_pose wanted = {.link = hand, .point = {0.01, 0.02, 0.14}, .position_only = i % 3 == 0};
        wanted.pose = links[hand];
        wanted.pose.translation = apart_pose_apply(&links[hand], wanted.point);
        double start[16] = {0};
        ck_assert_int_eq(apart_plan_inverse(b.r, &wanted, start, NULL, rows, 8, &found), APART_OK);
        reached += found.count > 0;
        for (size_t k = 0; k < found.count; k++) {
            const double *solution = rows + k * b.n;
            apart_robot_forward(b.r, solution, links);
            ck_assert_double_lt(apart_vec3_distance(apart_pose_apply(&links[hand], wanted.point),
                                                    wanted.pose.translation),
                                1e-9);
            if (!wanted.position_only) {
                ck_assert_double_lt(apart_vec3_distance(links[hand].rotation.x, wanted.pose.rotation.x), 1e-9);
                ck_assert_double_lt(apart_vec3_distance(links[hand].rotation.y, wanted.pose.rotation.y), 1e-9);
            }
            for (size_t v = 0; v < b.n; v++) {
                const apart_robot_joint *joint = apart_robot_variable(b.r, v);
                ck_assert(solution[v] >= joint->lower && solution[v] <= joint->upper);
            }
        }
    }
    ck_assert_uint_ge(reached, 29);
    const apart_plan_pose far = {.link = hand, .pose = apart_pose_translation(5, 0, 0), .position_only = 1};
    ck_assert_int_eq(apart_plan_inverse(b.r, &far, q, NULL, rows, 8, &found), APART_OK);
    ck_assert_uint_eq(found.count, 0);
    ck_assert_double_gt(found.away_distance, 4.0);
    ck_assert_double_lt(found.away_distance, 4.6);
    take_down(&b);
}
END_TEST

int main(int argc, char **argv)
{
    problems = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : problems;
    Suite *suite = suite_create("plan");
    TCase *tests = tcase_create("plan");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, paths_keep_the_limit);
    tcase_add_test(tests, threads_and_repeats_have_the_same_bits);
    tcase_add_test(tests, false_claims_are_refuted);
    tcase_add_test(tests, checks_agree_with_certified_motions);
    tcase_add_test(tests, ends_that_cannot_be);
    tcase_add_test(tests, searches_can_be_stopped);
    tcase_add_test(tests, groups_move_alone);
    tcase_add_test(tests, every_allocation_may_fail);
    tcase_add_test(tests, inverse_kinematics_reach_what_can_be_reached);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
