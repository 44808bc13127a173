/* The task of `apart plan --to`: joint positions, a named state, or a pose of the tool. */
#include <stdlib.h>
#include <string.h>

#include "path.h"

/* Solutions of the inverse kinematics that become goals. */
enum { MOST_GOALS = 8 };

void path_problem_free(path_problem *p)
{
    free(p->start);
    free(p->goals);
    free(p->variables);
    *p = (path_problem){.name = NULL};
}

/* ---- start and group ---- */

static int read_start(const cli_settings *s, const apart_robot *r, path_problem *out)
{
    trajectory start;
    if (apart_robot_find_variable(r, CLI_CLOCK) != APART_ROBOT_NONE) {
        return cli_error("plan: %s: obstacles must stand still, and some move", s->scene);
    }
    int status = trajectory_begin(s, r, &start);
    status = status == CLI_YES ? trajectory_parse("--joints", s->joints != NULL ? s->joints : "", r, &start) : status;
    if (status == CLI_YES && start.count != 1) {
        status = cli_error("plan: --joints: expected one set of positions, the start");
    }
    if (status == CLI_YES) {
        out->start = start.q;
        start.q = NULL;
    }
    trajectory_free(&start);
    return status;
}

/* "a,b,c" */
static int read_joint_list(const char *text, const apart_robot *r, path_problem *out)
{
    const size_t count = apart_robot_variable_count(r);
    bool *chosen = calloc(count + 1, sizeof *chosen);
    int status = chosen != NULL ? CLI_YES : cli_error("out of memory");
    while (status == CLI_YES && *text != '\0') {
        char name[CLI_TEXT_SIZE], suggestion[CLI_TEXT_SIZE];
        const size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
        const size_t variable = apart_robot_find_variable(r, name);
        if (variable == APART_ROBOT_NONE) {
            const char **names = calloc(count + 1, sizeof *names);
            for (size_t v = 0; names != NULL && v < count; v++) {
                names[v] = apart_robot_variable(r, v)->name;
            }
            status = cli_error("--group: %s has no joint '%s' that moves%s; a group of an SRDF needs --srdf",
                               apart_robot_file(r), name, names != NULL ? cli_suggestion(name, names, suggestion) : "");
            free(names);
        } else {
            chosen[variable] = true;
        }
        text += length + (text[length] == ',');
    }
    for (size_t v = 0; status == CLI_YES && v < count; v++) {
        if (chosen[v]) {
            out->variables[out->variable_count++] = v;
        }
    }
    free(chosen);
    return status;
}

/* A group of the SRDF by its name, or a list of joints; without --group all joints. */
static int read_group(const cli_settings *s, const apart_robot *r, path_problem *out)
{
    apart_io_error error;
    const size_t count = apart_robot_variable_count(r);
    out->variables = calloc(count + 1, sizeof *out->variables);
    if (out->variables == NULL) {
        return cli_error("out of memory");
    }
    if (s->group == NULL) {
        for (size_t v = 0; v < count; v++) {
            out->variables[out->variable_count++] = v;
        }
        return CLI_YES;
    }
    if (s->srdf != NULL && strchr(s->group, ',') == NULL &&
        apart_robot_find_variable(r, s->group) == APART_ROBOT_NONE) {
        return apart_robot_read_group(s->srdf, s->group, r, out->variables, &out->variable_count, &error) == APART_OK
                   ? CLI_YES
                   : cli_error("--group: %s", error.message);
    }
    return read_joint_list(s->group, r, out);
}

/* ---- goals ---- */

static double *new_goals(const apart_robot *r, path_problem *out, size_t most)
{
    const size_t width = apart_robot_variable_count(r);
    out->goals = calloc(most * width + 1, sizeof *out->goals);
    if (out->goals == NULL) {
        cli_error("out of memory");
    }
    return out->goals;
}

/* A state of the SRDF; joints that it does not name stay at the start. */
static int goal_of_state(const char *name, const apart_robot *r, path_problem *out)
{
    bool found = false;
    double *goal = new_goals(r, out, 1);
    if (goal == NULL) {
        return CLI_BAD;
    }
    memcpy(goal, out->start, apart_robot_variable_count(r) * sizeof *goal);
    for (size_t i = 0; i < apart_robot_state_count(r); i++) {
        const apart_robot_state_value *value = apart_robot_state_at(r, i);
        const size_t v = apart_robot_find_variable(r, value->joint);
        if (strcmp(value->state, name) == 0) {
            found = true;
            if (v != APART_ROBOT_NONE) {
                goal[v] = value->position;
            }
        }
    }
    out->goal_count = 1;
    return found ? CLI_YES
                 : cli_error("--to: '%s' is neither JOINT=POSITION,..., a pose (xyz=...) nor a state of %s; "
                             "'apart robot' lists states",
                             name, apart_robot_file(r));
}

/* Joints that a goal names and the group lacks would silently stay where they are. */
static int check_moves(const apart_robot *r, const path_problem *p, const double *goal)
{
    for (size_t v = 0, i = 0; v < apart_robot_variable_count(r); v++) {
        const bool moves = i < p->variable_count && p->variables[i] == v;
        i += moves;
        if (!moves && goal[v] != p->start[v]) {
            return cli_error("--to: joint '%s' does not belong to --group: it stays at %g",
                             apart_robot_variable(r, v)->name, p->start[v]);
        }
    }
    return CLI_YES;
}

/* "a=1,b=2; a=3": several goals, any of which will do. */
static int goals_of_joints(const char *text, const apart_robot *r, path_problem *out)
{
    const size_t width = apart_robot_variable_count(r);
    size_t most = 1;
    for (const char *at = text; *at != '\0'; at++) {
        most += *at == ';';
    }
    double *goals = new_goals(r, out, most);
    int status = goals != NULL ? CLI_YES : CLI_BAD;
    for (size_t i = 0; i < most && status == CLI_YES; i++) {
        const size_t length = strcspn(text, ";");
        char *one = calloc(length + 1, 1);
        trajectory goal = {.width = width, .rest = out->start, .given = calloc(width + 1, sizeof *goal.given)};
        status = one != NULL && goal.given != NULL ? CLI_YES : cli_error("out of memory");
        if (status == CLI_YES) {
            memcpy(one, text, length);
            status = trajectory_parse("--to", one, r, &goal);
        }
        if (status == CLI_YES) {
            memcpy(goals + i * width, goal.q, width * sizeof *goals);
            status = check_moves(r, out, goals + i * width);
        }
        goal.rest = NULL;
        trajectory_free(&goal);
        free(one);
        text += length + (text[length] == ';');
    }
    out->goal_count = most;
    return status;
}

static int read_tool(const cli_settings *s, const apart_robot *r, apart_plan_pose *out)
{
    double v[3] = {0};
    size_t count;
    const char *end;
    out->link = s->tool != NULL ? apart_robot_find_link(r, s->tool) : apart_robot_link_count(r) - 1;
    if (out->link == APART_ROBOT_NONE) {
        return cli_error("--tool: %s has no link '%s'", apart_robot_file(r), s->tool);
    }
    if (s->point == NULL) {
        return CLI_YES;
    }
    if (cli_read_numbers("--point", s->point, &end, v, 3, &count) != CLI_YES) {
        return CLI_BAD;
    }
    out->point = (apart_vec3){v[0], v[1], v[2]};
    return count == 3 && *end == '\0' ? CLI_YES : cli_error("--point: expected X,Y,Z, found '%s'", s->point);
}

/* A pose of the tool in the world: positions of the joints from inverse kinematics. A position without a rotation leaves the
 * rotation open. */
static int goals_of_pose(const cli_settings *s, const apart_robot *r, const apart_pose *base, path_problem *out)
{
    apart_plan_pose wanted = {.link = 0};
    const apart_plan_inverse_options options = {.variables = out->variables,
                                                .variable_count = out->variable_count,
                                                .seed = s->given[CLI_SEED] ? s->seed : 1};
    apart_plan_inverse_result found;
    char reason[CLI_TEXT_SIZE];
    if (read_tool(s, r, &wanted) != CLI_YES || cli_pose_read("--to", s->to, &wanted.pose) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_pose world_in_base = apart_pose_inverse(base);
    wanted.pose = apart_pose_compose(&world_in_base, &wanted.pose);
    wanted.position_only = strpbrk(s->to, " ") == NULL && strncmp(s->to, "xyz=", 4) == 0;
    double *goals = new_goals(r, out, MOST_GOALS);
    if (goals == NULL) {
        return CLI_BAD;
    }
    const apart_status status = apart_plan_inverse(r, &wanted, out->start, &options, goals, MOST_GOALS, &found);
    if (status != APART_OK) {
        return cli_error("--to: %s", cli_reason(status, reason));
    }
    out->goal_count = found.count;
    if (found.count == 0) {
        char at[CLI_POINT_SIZE];
        cli_error("plan: no joint positions found that bring '%s' to %s%s: of %llu tries the best stays %.4g away",
                  apart_robot_link_at(r, wanted.link)->name, cli_brief_point(wanted.pose.translation, at),
                  wanted.position_only ? "" : " with that rotation", (unsigned long long)found.tries,
                  found.away_distance);
        return CLI_NO;
    }
    return CLI_YES;
}

static bool is_pose(const char *text)
{
    static const char *const keys[] = {"xyz=", "rpy=", "quat_xyzw=", "quat_wxyz=", "axis_angle=", "matrix="};
    text += strspn(text, " ");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strncmp(text, keys[i], strlen(keys[i])) == 0) {
            return true;
        }
    }
    return false;
}

int path_read_task(const cli_settings *s, const apart_robot *r, const apart_pose *base, path_problem *out)
{
    if (read_start(s, r, out) != CLI_YES || read_group(s, r, out) != CLI_YES) {
        return CLI_BAD;
    }
    if (is_pose(s->to)) {
        return goals_of_pose(s, r, base, out);
    }
    if (strchr(s->to, '=') == NULL) {
        const int status = goal_of_state(s->to, r, out);
        return status == CLI_YES ? check_moves(r, out, out->goals) : status;
    }
    return goals_of_joints(s->to, r, out);
}
