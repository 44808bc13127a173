/* apart plan ROBOT --to GOAL: a motion whose every edge is proved; --problems FILE: many of them. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "path.h"
#include "plan.h"

static const double DEFAULT_SECONDS = 10;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int goes_on(const apart_plan_progress *progress, void *user)
{
    (void)progress;
    return seconds_now() < *(const double *)user;
}

int path_solve(const cli_settings *s, const path_problem *p, path_answer *out)
{
    char reason[CLI_TEXT_SIZE];
    const double started = seconds_now(), limit = s->given[CLI_SECONDS] ? s->seconds : DEFAULT_SECONDS;
    double end = started + limit;
    const apart_plan_task task = {.start = p->start,
                                  .goals = p->goals,
                                  .goal_count = p->goal_count,
                                  .variables = p->variables,
                                  .variable_count = p->variable_count,
                                  .limit = p->limit};
    const apart_plan_options options = {.seed = s->given[CLI_SEED] ? s->seed : 1,
                                        .threads = s->given[CLI_THREADS] ? s->threads : 1,
                                        .keep_path = s->given[CLI_KEEP],
                                        .go_on = goes_on,
                                        .user = &end};
    *out = (path_answer){.settings = s, .problem = p};
    const apart_status status = apart_plan_make(p->cell, &task, &options, &out->plan);
    out->seconds = seconds_now() - started;
    return status == APART_OK
               ? CLI_YES
               : cli_error("%s: %s", apart_robot_file(apart_robot_cell_robot(p->cell)), cli_reason(status, reason));
}

bool path_is_good(const path_answer *a) { return a->plan.outcome == APART_PLAN_FOUND && a->plan.count > 0; }

/* ---- one ---- */

static int report(const path_answer *a)
{
    const cli_settings *s = a->settings;
    if (s->directory != NULL && path_is_good(a) && path_write_files(a, s->directory, NULL) != CLI_YES) {
        return CLI_BAD;
    }
    if (s->given[CLI_JSON]) {
        return cli_json_print(path_json(a), stdout, false);
    }
    if (s->given[CLI_CSV] && path_is_good(a)) {
        path_print_csv(a, stdout);
        return CLI_YES;
    }
    path_print_text(a);
    return CLI_YES;
}

static int plan_one(const cli_settings *s)
{
    cli_cell cell;
    path_problem problem = {.name = NULL};
    path_answer answer = {.settings = s};
    if (cli_cell_load(s, s->operands[0], &cell) != CLI_YES) {
        return CLI_BAD;
    }
    problem.cell = cell.cell;
    problem.limit = s->given[CLI_LIMIT] ? s->limit : 0.0;
    int status = path_read_task(s, cell.robot, &cell.base, &problem);
    status = status == CLI_YES ? path_solve(s, &problem, &answer) : status;
    if (status == CLI_YES) {
        status = report(&answer);
        status = status == CLI_YES && !path_is_good(&answer) ? CLI_NO : status;
        apart_plan_free(&answer.plan);
    }
    path_problem_free(&problem);
    cli_cell_free(&cell);
    return status;
}

/* ---- many ---- */

typedef struct tally {
    const cli_settings *settings;
    size_t count, good;
} tally;

static int use_problem(const path_problem *p, void *context)
{
    tally *t = context;
    path_answer a;
    int status = path_solve(t->settings, p, &a);
    if (status != CLI_YES) {
        return status;
    }
    t->count++;
    t->good += path_is_good(&a);
    if (t->settings->directory != NULL && path_is_good(&a)) {
        status = path_write_files(&a, t->settings->directory, p->name);
    }
    if (status == CLI_YES && t->settings->given[CLI_JSON]) {
        status = cli_json_print(path_json(&a), stdout, true);
    } else if (status == CLI_YES) {
        path_print_row(&a);
    }
    status = status == CLI_YES && !path_is_good(&a) ? CLI_NO : status;
    apart_plan_free(&a.plan);
    return status;
}

static int plan_many(const cli_settings *s)
{
    cli_cell cell;
    tally t = {.settings = s};
    if (cli_robot_load(s, s->operands[0], &cell) != CLI_YES) {
        return CLI_BAD;
    }
    const int status = path_each_problem(s, cell.robot, use_problem, &t);
    if (status != CLI_BAD && !s->given[CLI_JSON]) {
        printf("solved %zu of %zu\n", t.good, t.count);
    }
    cli_cell_free(&cell);
    return status;
}

int plan_run_path(const cli_settings *s)
{
    if (s->operand_count == 0) {
        return cli_error("plan: %s needs a robot: apart plan ROBOT ...", s->to != NULL ? "--to" : "--problems");
    }
    if (s->to != NULL && s->problems != NULL) {
        return cli_error("plan: --to and --problems exclude each other");
    }
    if (s->given[CLI_FOLLOW] || s->path != NULL) {
        return cli_error("plan: %s follows a path; --to and --problems plan one",
                         s->path != NULL ? "--path" : "--follow");
    }
    if (s->given[CLI_JSON] && s->given[CLI_CSV]) {
        return cli_error("plan: --json and --csv exclude each other");
    }
    return s->to != NULL ? plan_one(s) : plan_many(s);
}
