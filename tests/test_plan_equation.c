/* The equation of the redundant arm (docs/papers.md: G9, eqs. 6 and 7), by what it means: the push moves the joints and
 * not the tool, it is the null-space part of the potential's gradient, and it never raises the potential. Jacobian and
 * gradient are taken by differences of positions and distances here. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <robot/arm.h>

#include "run_suite.h"

enum { WIDTH = 4 };
static const double REACH = 0.5;

typedef struct scene {
    robot_arm arm;
    apart_robot_cell *cell;
    apart_robot_work *work;
} scene;

static scene set_up(void)
{
    scene s;
    ck_assert_int_eq(robot_arm_make(&s.arm), APART_OK);
    const apart_robot_cell_options options = {.obstacles = s.arm.obstacles, .obstacle_count = 2};
    ck_assert_int_eq(apart_robot_cell_create(s.arm.robot, &options, &s.cell), APART_OK);
    ck_assert_int_eq(apart_robot_work_create(s.cell, &s.work), APART_OK);
    return s;
}

static void take_down(scene *s)
{
    apart_robot_work_free(s->work);
    apart_robot_cell_free(s->cell);
    apart_robot_free(s->arm.robot);
}

static apart_vec3 tool(scene *s, const double *q)
{
    ck_assert_int_eq(apart_robot_set(s->work, q), APART_OK);
    const apart_pose pose = apart_robot_link_pose(s->work, s->arm.link);
    return apart_pose_apply(&pose, s->arm.point);
}

/* H = sum of (1/d - 1/d0)^2 / 2 over the pairs nearer than d0. */
static double potential(scene *s, const double *q)
{
    double sum = 0.0;
    ck_assert_int_eq(apart_robot_set(s->work, q), APART_OK);
    for (size_t i = 0; i < apart_robot_pair_count(s->cell); i++) {
        apart_compound_result r;
        ck_assert_int_eq(apart_robot_distance(s->work, i, &r), APART_OK);
        const double d = r.result.distance;
        ck_assert_double_gt(d, 0.02 * REACH); /* nearer, the potential is continued by its tangent */
        sum += d < REACH ? 0.5 * (1.0 / d - 1.0 / REACH) * (1.0 / d - 1.0 / REACH) : 0.0;
    }
    return sum;
}

/* Columns of the tool's Jacobian and the gradient of H, by central differences. */
static void differentiate(scene *s, const double *q, apart_vec3 *jacobian, double *gradient)
{
    const double h = 1e-5;
    for (int v = 0; v < WIDTH; v++) {
        double more[WIDTH], less[WIDTH];
        memcpy(more, q, sizeof more);
        memcpy(less, q, sizeof less);
        more[v] += h;
        less[v] -= h;
        jacobian[v] = apart_vec3_scale(0.5 / h, apart_vec3_sub(tool(s, more), tool(s, less)));
        gradient[v] = (potential(s, more) - potential(s, less)) / (2.0 * h);
    }
}

/* What is left of x without its parts along the rows of J: the rows made orthogonal one after the other, twice. */
static void project_on_null_space(const apart_vec3 *jacobian, double *x)
{
    double row[3][WIDTH];
    for (int v = 0; v < WIDTH; v++) {
        row[0][v] = jacobian[v].x;
        row[1][v] = jacobian[v].y;
        row[2][v] = jacobian[v].z;
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2 * i; k++) {
            double along = 0.0;
            for (int v = 0; v < WIDTH; v++) {
                along += row[i][v] * row[k % i][v];
            }
            for (int v = 0; v < WIDTH; v++) {
                row[i][v] -= along * row[k % i][v];
            }
        }
        double square = 0.0;
        for (int v = 0; v < WIDTH; v++) {
            square += row[i][v] * row[i][v];
        }
        if (square < 1e-16) {
            continue; /* the arm moves in a plane: this row is the sum of the others */
        }
        for (int v = 0; v < WIDTH; v++) {
            row[i][v] /= sqrt(square);
        }
        double along = 0.0;
        for (int v = 0; v < WIDTH; v++) {
            along += x[v] * row[i][v];
        }
        for (int v = 0; v < WIDTH; v++) {
            x[v] -= along * row[i][v];
        }
    }
}

static robot_task task_of(const scene *s, double gain, double step)
{
    return (robot_task){.start = s->arm.start,
                        .link = s->arm.link,
                        .point = s->arm.point,
                        .path = s->arm.path,
                        .path_count = 3,
                        .speed = 0.1,
                        .reach = REACH,
                        .gain = gain,
                        .step = step,
                        .most_error = 1e-3};
}

static double norm(const double *x)
{
    double sum = 0.0;
    for (int v = 0; v < WIDTH; v++) {
        sum += x[v] * x[v];
    }
    return sqrt(sum);
}

/* Equation (6): J times the push is zero, and the push is k times the gradient's part that the tool does not feel. */
START_TEST(the_push_is_the_null_space_part_of_the_gradient)
{
    scene s = set_up();
    const double step = 1e-3, gain = -0.05;
    const robot_task task = task_of(&s, gain, step);
    robot_plan plan;
    ck_assert_int_eq(robot_plan_make(s.work, &task, &plan), APART_OK);
    ck_assert(plan.followed && plan.width == WIDTH);
    int pushes = 0;
    /* Not at the start, where the arm is aligned with the pyramids and H has a kink. */
    for (size_t k = 50; k < plan.count; k += 97) {
        const double *before = plan.q + WIDTH * (k - 1), *push = plan.push + WIDTH * k;
        apart_vec3 jacobian[WIDTH], moved = {0, 0, 0};
        double gradient[WIDTH], expected[WIDTH];
        differentiate(&s, before, jacobian, gradient);
        memcpy(expected, gradient, sizeof expected);
        project_on_null_space(jacobian, expected);
        const double size = norm(push);
        ck_assert_double_lt(size, 0.04); /* else it is cut to 0.05 for the largest joint */
        if (norm(expected) <= 1e-3 * norm(gradient)) {
            continue; /* hardly anything to push along */
        }
        for (int v = 0; v < WIDTH; v++) {
            moved = apart_vec3_add_scaled(moved, push[v], jacobian[v]);
            ck_assert_double_eq_tol(push[v], step * gain * expected[v], 1e-5 * step * fabs(gain) * norm(gradient));
        }
        ck_assert_double_lt(apart_vec3_norm(moved), 1e-8 * size);
        pushes += size > 0.0;
    }
    ck_assert_int_gt(pushes, 20);
    robot_plan_free(&plan);
    take_down(&s);
}
END_TEST

/* A push that would overshoot is halved: while the tool stands nearly still, H never rises, however large the gain. */
START_TEST(the_potential_never_rises)
{
    scene s = set_up();
    robot_task task = task_of(&s, -40.0, 0.05);
    const apart_vec3 path[2] = {s.arm.path[0], {s.arm.path[0].x, s.arm.path[0].y - 1e-9, s.arm.path[0].z}};
    task.path = path;
    task.path_count = 2;
    task.speed = 1e-9 / 2.0;
    robot_plan plan;
    ck_assert_int_eq(robot_plan_make(s.work, &task, &plan), APART_OK);
    ck_assert(plan.followed && plan.count > 20);
    ck_assert_uint_gt(plan.shortened, 0);
    double last = potential(&s, plan.q);
    const double first = last;
    for (size_t k = 1; k < plan.count; k++) {
        const double now = potential(&s, plan.q + WIDTH * k);
        ck_assert_double_le(now, last + 1e-6 * first);
        last = now;
    }
    ck_assert_double_lt(last, 0.9 * first);
    robot_plan_free(&plan);
    take_down(&s);
}
END_TEST

/* Digits of the trajectory: halving the step halves the distance from where it leads. */
START_TEST(the_trajectory_converges)
{
    scene s = set_up();
    double end[3][WIDTH];
    for (int i = 0; i < 3; i++) {
        const robot_task task = task_of(&s, -0.05, 0.02 / (1 << i));
        robot_plan plan;
        ck_assert_int_eq(robot_plan_make(s.work, &task, &plan), APART_OK);
        ck_assert(plan.followed);
        memcpy(end[i], plan.q + WIDTH * (plan.count - 1), sizeof end[i]);
        robot_plan_free(&plan);
    }
    double first[WIDTH], second[WIDTH];
    for (int v = 0; v < WIDTH; v++) {
        first[v] = end[1][v] - end[0][v];
        second[v] = end[2][v] - end[1][v];
    }
    ck_assert_double_gt(norm(first), 1e-9);
    ck_assert_double_lt(norm(second), 0.7 * norm(first));
    ck_assert_double_lt(norm(second), 1e-3);
    take_down(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan_equation");
    TCase *tc = tcase_create("equation");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_push_is_the_null_space_part_of_the_gradient);
    tcase_add_test(tc, the_potential_never_rises);
    tcase_add_test(tc, the_trajectory_converges);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
