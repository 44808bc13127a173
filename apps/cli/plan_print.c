/* The answers of `apart plan` as text, JSON and CSV. */
#include <math.h>

#include "figure.h"
#include "plan.h"

static const char *pair_text(const plan_run *run, size_t pair, char text[CLI_TEXT_SIZE])
{
    snprintf(text, CLI_TEXT_SIZE, "%.100s and %.100s", cli_pair_name(&run->cell, pair, 0),
             cli_pair_name(&run->cell, pair, 1));
    return text;
}

static double path_length(const robot_task *task)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < task->path_count; i++) {
        const apart_vec3 a = task->path[i], b = task->path[i + 1];
        sum += sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z));
    }
    return sum;
}

/* ---- text ---- */

static void print_task(const plan_run *run)
{
    const apart_robot *r = run->cell.robot;
    const robot_task *task = &run->task;
    char from[CLI_POINT_SIZE], to[CLI_POINT_SIZE];
    fputs("robot       ", stdout);
    cli_print_safely(stdout, apart_robot_name(r));
    printf(": %zu links, %zu joints that move; %zu obstacles, %zu pairs\n", apart_robot_link_count(r),
           apart_robot_variable_count(r), run->cell.count, apart_robot_pair_count(run->cell.cell));
    printf("path        of the tool at '%s', from %s to %s\n", apart_robot_link_at(r, task->link)->name,
           cli_brief_point(task->path[0], from), cli_brief_point(task->path[task->path_count - 1], to));
    printf("            length %.4g at speed %.4g: %.4g s, step %.4g s\n", path_length(task), task->speed,
           path_length(task) / task->speed, task->step);
    printf("push        k = %g, pairs nearer than d0 = %g\n\n", task->gain, task->reach);
}

static void print_followed(const plan_run *run)
{
    const robot_plan *plan = &run->pushed.plan;
    const size_t last = plan->count - 1;
    char at[CLI_POINT_SIZE], wanted[CLI_POINT_SIZE];
    if (plan->followed) {
        printf("followed    yes, to the end: %zu steps, the tool is never more than %.3g off its path\n", plan->count,
               plan->worst_error);
    } else {
        printf("followed    NO: at t = %.4g the tool cannot be at %s; it stays %.4g away at %s\n", plan->t[last],
               cli_brief_point(plan->wanted[last], wanted), plan->error[last], cli_brief_point(plan->tool[last], at));
    }
    if (plan->most_damping > 0) {
        printf("damping     up to %.3g near singular positions\n", plan->most_damping);
    } else {
        printf("damping     none: no position is near a singular one\n");
    }
    if (run->beyond != APART_ROBOT_NONE) {
        const apart_robot_joint *joint = apart_robot_variable(run->cell.robot, run->beyond);
        printf("limits      NO: joint '%s' leaves [%g, %g] at t = %.4g\n", joint->name, joint->lower, joint->upper,
               run->beyond_t);
    }
}

static void print_motion(const plan_run *run, const char *name, const plan_motion *motion)
{
    char pair[CLI_TEXT_SIZE], lower[CLI_NUMBER_SIZE], upper[CLI_NUMBER_SIZE];
    pair_text(run, motion->pair, pair);
    if (motion->lower > 0) {
        printf(
            "%-11s no contact at any moment: the clearance is certain to be at least %s;\n            it is at most %s (%s, t = %.4g)\n",
            name, cli_brief(motion->lower, -1, lower), cli_brief(motion->upper, 1, upper), pair, motion->t);
    } else if (motion->upper < 0) {
        printf("%-11s COLLIDES: %s overlap by %s at t = %.4g\n", name, pair, cli_brief(-motion->upper, -1, upper),
               motion->t);
    } else {
        printf("%-11s TOUCHES: %s come as near as %s at t = %.4g, which is too near to decide\n", name, pair,
               cli_brief(motion->upper, 1, upper), motion->t);
    }
}

static void print_profile(const plan_run *run)
{
    const plan_profile *before = &run->profiles[PLAN_ORIGINAL], *after = &run->profiles[PLAN_ENHANCED];
    printf("\nprofile     %-32s %10s %10s %7s %9s\n", "algorithm", "total", "distances", "share", "queries");
    for (int i = 0; i < PLAN_ALGORITHMS; i++) {
        const plan_profile *p = &run->profiles[i];
        char name[CLI_TEXT_SIZE];
        snprintf(name, sizeof name, "%s (%s)", p->name, p->description);
        printf("            %-32s %7.2f ms %7.2f ms %5.0f %% %9llu\n", name, 1e3 * p->total, 1e3 * p->distances,
               100 * p->distances / p->total, (unsigned long long)p->queries);
    }
    printf("            distances %.1f times as fast, the whole %.1f times; joint positions differ by at most %.2g\n",
           before->distances / after->distances, before->total / after->total, run->difference);
}

void plan_print_text(const plan_run *run)
{
    print_task(run);
    print_followed(run);
    print_motion(run, "clearance", &run->pushed);
    print_motion(run, "with k = 0", &run->plain);
    const bool profiled = run->settings->given[CLI_PROFILE];
    if (profiled) {
        print_profile(run);
    }
    if (run->settings->directory != NULL) {
        fputs("\nwritten to ", stdout);
        cli_print_safely(stdout, run->settings->directory);
        printf(": trajectory.csv tool.csv clearance.csv%s recording.json frames.svg%s%s\n",
               profiled ? " profile.csv" : "", lab_has_gnuplot() ? " clearance.svg" : "",
               lab_has_gnuplot() && profiled ? " profile.svg" : "");
    }
}

/* ---- JSON ---- */

static json_t *motion_json(const plan_run *run, const plan_motion *motion)
{
    return json_pack("{s:b, s:I, s:f, s:f, s:f, s:f, s:f, s:o, s:o}", "followed", (int)motion->plan.followed, "steps",
                     (json_int_t)motion->plan.count, "error", motion->plan.worst_error, "damping",
                     motion->plan.most_damping, "lower", motion->lower, "upper", motion->upper, "t", motion->t, "a",
                     cli_json_text(cli_pair_name(&run->cell, motion->pair, 0)), "b",
                     cli_json_text(cli_pair_name(&run->cell, motion->pair, 1)));
}

int plan_print_json(const plan_run *run)
{
    json_t *profile = json_array();
    for (int i = 0; i < PLAN_ALGORITHMS && run->settings->given[CLI_PROFILE]; i++) {
        const plan_profile *p = &run->profiles[i];
        json_array_append_new(profile, json_pack("{s:s, s:s, s:f, s:f, s:I}", "algorithm", p->name, "description",
                                                 p->description, "seconds", p->total, "distance_seconds", p->distances,
                                                 "queries", (json_int_t)p->queries));
    }
    return cli_json_print(json_pack("{s:o, s:b, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o}", "robot",
                                    cli_json_text(apart_robot_name(run->cell.robot)), "good", (int)plan_is_good(run),
                                    "gain", run->task.gain, "reach", run->task.reach, "speed", run->task.speed, "step",
                                    run->task.step, "joint_beyond_limits",
                                    run->beyond != APART_ROBOT_NONE
                                        ? cli_json_text(apart_robot_variable(run->cell.robot, run->beyond)->name)
                                        : json_null(),
                                    "plan", motion_json(run, &run->pushed), "without_push",
                                    motion_json(run, &run->plain), "profile", profile),
                          stdout, false);
}

/* ---- CSV ---- */

void plan_print_csv(const plan_run *run, FILE *stream)
{
    const robot_plan *plan = &run->pushed.plan;
    char number[CLI_NUMBER_SIZE];
    fputs("t", stream);
    for (size_t v = 0; v < plan->width; v++) {
        fputc(',', stream);
        cli_print_field(stream, apart_robot_variable(run->cell.robot, v)->name);
    }
    fputc('\n', stream);
    for (size_t i = 0; i < plan->count; i++) {
        fputs(cli_number(plan->t[i], number), stream);
        for (size_t v = 0; v < plan->width; v++) {
            fprintf(stream, ",%s", cli_number(plan->q[i * plan->width + v], number));
        }
        fputc('\n', stream);
    }
}
