/* The answers of `apart plan --to` as text, CSV and JSON. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "path.h"

static const apart_robot *robot_of(const path_answer *a) { return apart_robot_cell_robot(a->problem->cell); }

static const char *body_name(const path_answer *a, size_t pair, int side)
{
    const apart_robot_pair *p = apart_robot_pair_at(a->problem->cell, pair);
    return apart_robot_body_at(a->problem->cell, p->bodies[side])->name;
}

static double least(const path_answer *a, size_t *edge)
{
    double lower = INFINITY;
    for (size_t i = 0; i + 1 < a->plan.count; i++) {
        if (a->plan.edges[i].lower < lower) {
            lower = a->plan.edges[i].lower;
            *edge = i;
        }
    }
    return lower;
}

/* ---- why there is none ---- */

static void explain(const path_answer *a, char *text, size_t size)
{
    const apart_plan *plan = &a->plan;
    const bool at_start = plan->outcome == APART_PLAN_START_LIMITS || plan->outcome == APART_PLAN_START_NEAR;
    const char *end = at_start ? "the start" : "the goal";
    const double *q = at_start ? a->problem->start : a->problem->goals + plan->goal * plan->width;
    if (plan->outcome == APART_PLAN_START_LIMITS || plan->outcome == APART_PLAN_GOAL_LIMITS) {
        const apart_robot_joint *joint = apart_robot_variable(robot_of(a), plan->variable);
        const double at = q[plan->variable];
        const bool degrees = joint->kind != APART_JOINT_SLIDING && fabs(at) > 2.0 * acos(-1.0);
        snprintf(text, size, "%s is outside the limits: joint '%.60s' at %.9g, allowed %.9g to %.9g%s", end,
                 joint->name, at, joint->lower, joint->upper,
                 degrees ? " (radians are expected: are these degrees?)" : "");
    } else if (plan->outcome == APART_PLAN_START_NEAR || plan->outcome == APART_PLAN_GOAL_NEAR) {
        const char *first = body_name(a, plan->pair, 0), *second = body_name(a, plan->pair, 1);
        if (plan->distance < 0) {
            snprintf(text, size, "%s is in collision: %.60s and %.60s overlap by %.4g", end, first, second,
                     -plan->distance);
        } else {
            snprintf(text, size, "%s does not keep the limit %.6g: %.60s and %.60s are %.6g apart", end,
                     a->problem->limit, first, second, plan->distance);
        }
    } else {
        snprintf(text, size, "no path found in %.3g s, %llu random positions (which does not mean that there is none)",
                 a->seconds, (unsigned long long)plan->work.samples);
    }
}

/* ---- text ---- */

void path_print_text(const path_answer *a)
{
    const apart_plan *plan = &a->plan;
    char n[CLI_NUMBER_SIZE], text[2 * CLI_TEXT_SIZE];
    if (!path_is_good(a)) {
        explain(a, text, sizeof text);
        fputs("no path     ", stdout);
        cli_print_safely(stdout, text);
        putchar('\n');
        return;
    }
    size_t edge = 0;
    const double lower = least(a, &edge);
    printf("path        %zu waypoints, length %.4g (%.4g before shortening)\n", plan->count, plan->length,
           plan->found_length);
    printf("found in    %.3g s: %llu random positions, %llu edges\n", a->seconds,
           (unsigned long long)plan->work.samples, (unsigned long long)plan->work.edges);
    printf("proved      all pairs keep at least %s all the way\n\n", cli_brief(lower, -1, n));
    printf("%4s  %12s  %-12s  %-12s  %s\n", "edge", "at least", "A", "B", "nearest at");
    for (size_t i = 0; i + 1 < plan->count; i++) {
        const apart_plan_edge *e = &plan->edges[i];
        printf("%4zu  %12s  %-12s  %-12s  %.4g of it\n", i, cli_brief(e->lower, -1, n), body_name(a, e->pair, 0),
               body_name(a, e->pair, 1), e->s);
    }
}

void path_print_row(const path_answer *a)
{
    const apart_plan *plan = &a->plan;
    char text[2 * CLI_TEXT_SIZE], n[CLI_NUMBER_SIZE];
    size_t edge = 0;
    cli_print_safely(stdout, a->problem->name);
    if (path_is_good(a)) {
        printf("  found  %.4f s  length %.4f  %zu waypoints  at least %s\n", a->seconds, plan->length, plan->count,
               cli_brief(least(a, &edge), -1, n));
    } else {
        explain(a, text, sizeof text);
        fputs("  no path  ", stdout);
        cli_print_safely(stdout, text);
        putchar('\n');
    }
}

/* ---- CSV ---- */

void path_print_csv(const path_answer *a, FILE *stream)
{
    const apart_plan *plan = &a->plan;
    char n[CLI_NUMBER_SIZE];
    for (size_t v = 0; v < plan->width; v++) {
        fputs(v > 0 ? "," : "", stream);
        cli_print_field(stream, apart_robot_variable(robot_of(a), v)->name);
    }
    fputc('\n', stream);
    for (size_t i = 0; i < plan->count; i++) {
        for (size_t v = 0; v < plan->width; v++) {
            fprintf(stream, "%s%s", v > 0 ? "," : "", cli_number(plan->q[i * plan->width + v], n));
        }
        fputc('\n', stream);
    }
}

/* ---- JSON ---- */

static json_t *edges_json(const path_answer *a)
{
    json_t *edges = json_array();
    for (size_t i = 0; i + 1 < a->plan.count; i++) {
        const apart_plan_edge *e = &a->plan.edges[i];
        json_array_append_new(edges, json_pack("{s:I, s:I, s:o, s:o, s:o, s:[o, o]}", "from", (json_int_t)i, "to",
                                               (json_int_t)(i + 1), "lower", cli_json_number(e->lower), "upper",
                                               cli_json_number(e->upper), "s", cli_json_number(e->s), "pair",
                                               cli_json_text(body_name(a, e->pair, 0)),
                                               cli_json_text(body_name(a, e->pair, 1))));
    }
    return edges;
}

static json_t *path_part(const path_answer *a)
{
    const apart_plan *plan = &a->plan;
    size_t edge = 0;
    json_t *waypoints = json_array();
    for (size_t i = 0; i < plan->count; i++) {
        json_array_append_new(waypoints, cli_json_numbers(plan->q + i * plan->width, plan->width));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "lower", cli_json_number(least(a, &edge)), "length",
                     cli_json_number(plan->length), "found_length", cli_json_number(plan->found_length), "waypoints",
                     waypoints, "edges", edges_json(a));
}

json_t *path_json(const path_answer *a)
{
    const apart_plan *plan = &a->plan;
    const apart_robot *r = robot_of(a);
    char text[2 * CLI_TEXT_SIZE];
    json_t *joints = json_array(), *moving = json_array();
    for (size_t v = 0; v < plan->width; v++) {
        json_array_append_new(joints, cli_json_text(apart_robot_variable(r, v)->name));
    }
    for (size_t i = 0; i < a->problem->variable_count; i++) {
        json_array_append_new(moving, cli_json_text(apart_robot_variable(r, a->problem->variables[i])->name));
    }
    json_t *root = json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:I, s:I, s:o, s:o, s:o}", "format", "apart plan 1",
                             "robot", cli_json_text(apart_robot_name(r)), "file", cli_json_text(apart_robot_file(r)),
                             "outcome", apart_plan_outcome_name(plan->outcome), "limit",
                             cli_json_number(a->problem->limit), "seconds", cli_json_number(a->seconds), "samples",
                             (json_int_t)plan->work.samples, "edges_tried", (json_int_t)plan->work.edges, "joints",
                             joints, "moving", moving, "start", cli_json_numbers(a->problem->start, plan->width));
    if (a->problem->name != NULL) {
        json_object_set_new(root, "problem", cli_json_text(a->problem->name));
    }
    if (path_is_good(a)) {
        json_object_set_new(root, "goal", cli_json_numbers(plan->q + (plan->count - 1) * plan->width, plan->width));
        json_object_set_new(root, "path", path_part(a));
    } else {
        explain(a, text, sizeof text);
        json_object_set_new(root, "reason", cli_json_text(text));
    }
    return root;
}

/* ---- files ---- */

/* DIR/NAME.ENDING, slashes of the name becoming underscores. */
static int write_file(const path_answer *a, const char *directory, const char *name, const char *ending)
{
    char path[CLI_PATH_SIZE];
    cli_file file;
    const size_t length = (size_t)snprintf(path, sizeof path, "%s/%s%s", directory, name, ending);
    if (length >= sizeof path) {
        return cli_error("%s: the name is too long", directory);
    }
    for (char *c = path + strlen(directory) + 1; *c != '\0'; c++) {
        *c = (char)(*c == '/' ? '_' : *c);
    }
    int status = cli_file_open(path, &file);
    if (status != CLI_YES) {
        return status;
    }
    if (strcmp(ending, ".csv") == 0) {
        path_print_csv(a, file.stream);
    } else {
        status = cli_json_print(path_json(a), file.stream, false);
    }
    return cli_file_close(&file, status);
}

int path_write_files(const path_answer *a, const char *directory, const char *name)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        return cli_error("%s: %s", directory, strerror(errno));
    }
    const int status = write_file(a, directory, name != NULL ? name : "path", ".csv");
    return status == CLI_YES ? write_file(a, directory, name != NULL ? name : "certificate", ".json") : status;
}
