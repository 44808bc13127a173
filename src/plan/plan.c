/* The planner's outside: the task is checked, its ends are brought within the limits, and the phases run. */
#include <math.h>
#include <string.h>

#include "plan.h"

static const double STEP_SHARE = 0.055; /* of the diagonal of all positions */
static const double TOLERANCE_SHARE = 1e-5;
static const uint64_t MOST_SAMPLES = 1000000;
enum { MOST_SHORTCUTS = 60, MOST_THREADS = 256 };

/* ---- the task ---- */

static double turn(void) { return 2.0 * acos(-1.0); }

/* May whole turns be added to the variable without moving anything? */
static bool turns_freely(const apart_robot *r, size_t variable)
{
    for (size_t i = 0; i < apart_robot_joint_count(r); i++) {
        const apart_robot_joint *joint = apart_robot_joint_at(r, i);
        if (joint->variable == variable &&
            (joint->kind == APART_JOINT_SLIDING || fabs(joint->factor) != 1.0 || joint->offset != 0.0)) {
            return false;
        }
    }
    return true;
}

/* The position among those that differ by whole turns that is nearest to the start. */
static double unwind(const apart_robot *r, size_t variable, double position, double start)
{
    const apart_robot_joint *joint = apart_robot_variable(r, variable);
    if (isfinite(joint->lower) || isfinite(joint->upper) || !turns_freely(r, variable)) {
        return position;
    }
    return position + turn() * floor((start - position) / turn() + 0.5);
}

static bool is_within(const apart_robot *r, size_t variable, double position)
{
    const apart_robot_joint *joint = apart_robot_variable(r, variable);
    return position >= joint->lower && position <= joint->upper;
}

static apart_status check_task(const apart_robot_cell *cell, const apart_plan_task *task)
{
    if (cell == NULL || task == NULL || task->start == NULL || task->goals == NULL) {
        return APART_ERR_NULL;
    }
    const size_t all = apart_robot_variable_count(apart_robot_cell_robot(cell));
    if (task->goal_count == 0 || !isfinite(task->limit) || (task->variables != NULL && task->variable_count == 0)) {
        return APART_ERR_OPTION;
    }
    for (size_t i = 0; task->variables != NULL && i < task->variable_count; i++) {
        if (task->variables[i] >= all || (i > 0 && task->variables[i] <= task->variables[i - 1])) {
            return APART_ERR_ID;
        }
    }
    for (size_t i = 0; i < all * (1 + task->goal_count); i++) {
        if (!isfinite(i < all ? task->start[i] : task->goals[i - all])) {
            return APART_ERR_NONFINITE;
        }
    }
    return APART_OK;
}

static apart_status check_options(const apart_plan_options *o)
{
    const bool good = o->step >= 0.0 && isfinite(o->step) && o->tolerance >= 0.0 && isfinite(o->tolerance);
    return good ? APART_OK : APART_ERR_OPTION;
}

/* ---- memory ---- */

static double *rows(ap_planner *p, size_t count) { return ap_allocate(&p->options.allocator, count, sizeof(double)); }

static bool choose_moving(ap_planner *p)
{
    p->moving = p->task->variables;
    p->width = p->task->variables != NULL ? p->task->variable_count : p->all;
    if (p->moving == NULL) {
        p->own_moving = ap_allocate(&p->options.allocator, p->all, sizeof *p->own_moving);
        for (size_t i = 0; p->own_moving != NULL && i < p->all; i++) {
            p->own_moving[i] = i;
        }
        p->moving = p->own_moving;
    }
    return p->moving != NULL;
}

static bool make_attempts(ap_planner *p)
{
    const size_t rows_of_one = 2 + AP_PLAN_MOST_CHAIN;
    p->attempt_rows = rows(p, AP_PLAN_BATCH * rows_of_one * p->width);
    for (size_t i = 0; p->attempt_rows != NULL && i < AP_PLAN_BATCH; i++) {
        double *own = p->attempt_rows + i * rows_of_one * p->width;
        p->attempts[i] = (ap_plan_attempt){.target = own, .node = own + p->width, .chain = own + 2 * p->width};
    }
    return p->attempt_rows != NULL;
}

static apart_status make_lanes(ap_planner *p)
{
    const unsigned threads = p->options.threads;
    const size_t wanted = threads < 1 ? 1 : (threads > MOST_THREADS ? MOST_THREADS : threads);
    p->lane_count = wanted < AP_PLAN_BATCH ? wanted : AP_PLAN_BATCH;
    p->lanes = ap_allocate(&p->options.allocator, p->lane_count, sizeof *p->lanes);
    if (p->lanes == NULL) {
        p->lane_count = 0;
        return APART_ERR_MEMORY;
    }
    memset(p->lanes, 0, p->lane_count * sizeof *p->lanes);
    apart_status status = APART_OK;
    for (size_t i = 0; i < p->lane_count && status == APART_OK; i++) {
        ap_plan_lane *lane = &p->lanes[i];
        lane->q0 = rows(p, 2 * p->all);
        status = lane->q0 != NULL ? apart_robot_work_create(p->cell, &lane->work) : APART_ERR_MEMORY;
        if (status == APART_OK) {
            lane->q1 = lane->q0 + p->all;
            memcpy(lane->q0, p->task->start, p->all * sizeof *lane->q0);
            memcpy(lane->q1, p->task->start, p->all * sizeof *lane->q1);
        }
    }
    return status;
}

static apart_status allocate(ap_planner *p)
{
    if (!choose_moving(p)) {
        return APART_ERR_MEMORY;
    }
    p->trees[0].width = p->trees[1].width = p->width;
    p->start = rows(p, p->width);
    p->lower = rows(p, p->width);
    p->upper = rows(p, p->width);
    p->goals = rows(p, p->task->goal_count * p->width);
    p->goal_numbers = ap_allocate(&p->options.allocator, p->task->goal_count, sizeof *p->goal_numbers);
    const bool good = p->start != NULL && p->lower != NULL && p->upper != NULL && p->goals != NULL &&
                      p->goal_numbers != NULL && make_attempts(p);
    return good ? make_lanes(p) : APART_ERR_MEMORY;
}

static void release(ap_planner *p)
{
    const apart_allocator *allocator = &p->options.allocator;
    for (size_t i = 0; i < p->lane_count; i++) {
        apart_robot_work_free(p->lanes[i].work);
        ap_release(allocator, p->lanes[i].q0);
    }
    void *owned[] = {p->lanes, p->own_moving,   p->start,        p->lower, p->upper,
                     p->goals, p->goal_numbers, p->attempt_rows, p->path};
    ap_plan_tree_free(&p->trees[0], allocator);
    ap_plan_tree_free(&p->trees[1], allocator);
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
        ap_release(allocator, owned[i]);
    }
}

/* ---- the ends ---- */

/* An upper bound of the distance of the pair that refused an end. */
static apart_status tell_near(ap_planner *p, int outcome, size_t goal, const double *at)
{
    apart_robot_near near;
    ap_plan_fill(p, at, p->lanes[0].q0);
    apart_status status = apart_robot_set(p->lanes[0].work, p->lanes[0].q0);
    if (status == APART_OK) {
        status = apart_robot_nearest(p->lanes[0].work, &near);
    }
    if (status == APART_OK) {
        p->out->outcome = outcome;
        p->out->goal = goal;
        p->out->pair = near.pair;
        p->out->distance = near.at.result.upper - apart_robot_pair_at(p->cell, near.pair)->margin;
    }
    return status;
}

static apart_status take_start(ap_planner *p)
{
    const double *start = p->task->start;
    for (size_t v = 0; v < p->all; v++) {
        if (!is_within(p->robot, v, start[v])) {
            p->out->outcome = APART_PLAN_START_LIMITS;
            p->out->variable = v;
            return APART_OK;
        }
    }
    for (size_t i = 0; i < p->width; i++) {
        p->start[i] = start[p->moving[i]];
    }
    bool is_free;
    size_t refused_by;
    ap_plan_begin(p, &p->lanes[0]);
    const apart_status status = ap_plan_is_free_at(p, &p->lanes[0], p->start, &is_free, &refused_by);
    return status == APART_OK && !is_free ? tell_near(p, APART_PLAN_START_NEAR, 0, p->start) : status;
}

/* The first variable outside its limits, or APART_ROBOT_NONE. */
static size_t unwind_goal(const ap_planner *p, const double *goal, double *out)
{
    size_t outside = APART_ROBOT_NONE;
    for (size_t i = 0; i < p->width; i++) {
        const size_t v = p->moving[i];
        out[i] = unwind(p->robot, v, goal[v], p->start[i]);
        if (outside == APART_ROBOT_NONE && !is_within(p->robot, v, out[i])) {
            outside = v;
        }
    }
    return outside;
}

/* Keeps the goals that are within the limits and free; tells of the first one if there are none. */
static apart_status take_goals(ap_planner *p)
{
    apart_plan *out = p->out;
    bool told_near = false, told_limits = false;
    for (size_t g = 0; g < p->task->goal_count; g++) {
        double *at = p->goals + p->goal_count * p->width;
        const size_t outside = unwind_goal(p, p->task->goals + g * p->all, at);
        bool is_free = false;
        size_t refused_by;
        apart_status status = APART_OK;
        if (outside == APART_ROBOT_NONE) {
            ap_plan_begin(p, &p->lanes[0]);
            status = ap_plan_is_free_at(p, &p->lanes[0], at, &is_free, &refused_by);
        } else if (!told_limits && !told_near) {
            told_limits = true;
            out->outcome = APART_PLAN_GOAL_LIMITS;
            out->goal = g;
            out->variable = outside;
        }
        if (status == APART_OK && outside == APART_ROBOT_NONE && !is_free && !told_near) {
            told_near = true;
            status = tell_near(p, APART_PLAN_GOAL_NEAR, g, at);
        }
        if (status != APART_OK) {
            return status;
        }
        if (is_free) {
            p->goal_numbers[p->goal_count++] = g;
        }
    }
    if (p->goal_count > 0) {
        out->outcome = APART_PLAN_FOUND;
    }
    return APART_OK;
}

/* Random positions are within the limits; joints without limits go half a turn, slides the robot's reach, beyond the
 * start and the goals. */
static void choose_range(ap_planner *p)
{
    double square = 0.0;
    for (size_t i = 0; i < p->width; i++) {
        const apart_robot_joint *joint = apart_robot_variable(p->robot, p->moving[i]);
        const double beyond = joint->kind == APART_JOINT_SLIDING ? apart_robot_reach(p->robot) : 0.5 * turn();
        double least = p->start[i], most = p->start[i];
        for (size_t g = 0; g < p->goal_count; g++) {
            least = fmin(least, p->goals[g * p->width + i]);
            most = fmax(most, p->goals[g * p->width + i]);
        }
        p->lower[i] = isfinite(joint->lower) ? joint->lower : least - beyond;
        p->upper[i] = isfinite(joint->upper) ? joint->upper : most + beyond;
        square += (p->upper[i] - p->lower[i]) * (p->upper[i] - p->lower[i]);
    }
    if (p->options.step == 0.0) {
        p->options.step = STEP_SHARE * sqrt(square);
    }
}

/* ---- the phases ---- */

bool ap_plan_goes_on(ap_planner *p)
{
    return p->options.go_on == NULL || p->options.go_on(&p->out->work, p->options.user) != 0;
}

static apart_status give_path(ap_planner *p)
{
    apart_plan *out = p->out;
    out->q = rows(p, p->path_count * p->all);
    out->edges = ap_allocate(&p->options.allocator, p->path_count, sizeof *out->edges);
    if (out->q == NULL || out->edges == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < p->path_count; i++) {
        memcpy(out->q + i * p->all, p->task->start, p->all * sizeof *out->q);
        ap_plan_fill(p, p->path + i * p->width, out->q + i * p->all);
        out->length += i > 0 ? ap_plan_distance(p->path + (i - 1) * p->width, p->path + i * p->width, p->width) : 0.0;
    }
    out->count = p->path_count;
    return ap_plan_prove(p);
}

static apart_status run(ap_planner *p)
{
    apart_status status = take_start(p);
    if (status == APART_OK && p->out->outcome == APART_PLAN_FOUND) {
        status = take_goals(p);
    }
    if (status != APART_OK || p->out->outcome != APART_PLAN_FOUND) {
        return status;
    }
    choose_range(p);
    status = ap_plan_search(p);
    if (status == APART_OK && p->path != NULL) {
        status = ap_plan_shorten(p);
    }
    return status == APART_OK && p->path != NULL ? give_path(p) : status;
}

apart_status apart_plan_make(const apart_robot_cell *cell, const apart_plan_task *task,
                             const apart_plan_options *options, apart_plan *out)
{
    apart_status status = out != NULL ? check_task(cell, task) : APART_ERR_NULL;
    if (status != APART_OK) {
        return status;
    }
    ap_planner p = {.cell = cell, .robot = apart_robot_cell_robot(cell), .task = task, .out = out};
    p.options = options != NULL ? *options : (apart_plan_options){.seed = 0};
    status = check_options(&p.options);
    if (status != APART_OK) {
        return status;
    }
    p.all = apart_robot_variable_count(p.robot);
    p.options.tolerance =
        p.options.tolerance > 0.0 ? p.options.tolerance : TOLERANCE_SHARE * apart_robot_reach(p.robot);
    p.options.most_samples = p.options.most_samples > 0 ? p.options.most_samples : MOST_SAMPLES;
    p.options.shortcuts = p.options.shortcuts > 0 ? p.options.shortcuts : MOST_SHORTCUTS;
    p.keep = task->limit + p.options.tolerance;
    *out = (apart_plan){.width = p.all,
                        .variable = APART_ROBOT_NONE,
                        .pair = APART_ROBOT_NONE,
                        .allocator = p.options.allocator};
    status = allocate(&p);
    if (status == APART_OK) {
        status = run(&p);
    }
    release(&p);
    if (status != APART_OK) {
        apart_plan_free(out);
    }
    return status;
}

void apart_plan_free(apart_plan *plan)
{
    const apart_allocator allocator = plan->allocator;
    ap_release(&allocator, plan->q);
    ap_release(&allocator, plan->edges);
    *plan = (apart_plan){.outcome = 0};
}

const char *apart_plan_outcome_name(int outcome)
{
    static const char *const names[] = {"found",          "gave up",
                                        "stopped",        "start outside its limits",
                                        "start too near", "goal outside its limits",
                                        "goal too near"};
    const size_t count = sizeof names / sizeof names[0];
    return outcome >= 0 && (size_t)outcome < count ? names[outcome] : "unknown";
}
