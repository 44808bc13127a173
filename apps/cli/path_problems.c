/* Files of planning problems (docs/planning.md): start, goals and obstacles by joint names, boxes and cylinders. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

/* Positions outside a limit by less than this are taken for the limit: files round pi in their own way. */
static const double LIMIT_ROUNDING = 1e-4;

typedef struct problem_cell {
    apart_robot_obstacle *obstacles;
    apart_part *parts;
    size_t count;
    apart_robot_cell *cell;
    path_problem problem;
} problem_cell;

/* ---- obstacles ---- */

static int read_size(const scene_place *place, const char *key, double *out)
{
    const scene_place number = scene_member(place, key);
    if (number.value == NULL) {
        return scene_error(place, "expected \"%s\"", key);
    }
    if (scene_read_number(&number, out) != CLI_YES) {
        return CLI_BAD;
    }
    return *out > 0.0 ? CLI_YES : scene_error(&number, "expected a number above 0");
}

static int read_shape(const scene_place *place, apart_shape *out)
{
    const scene_place type = scene_member(place, "type"), size = scene_member(place, "size");
    const char *name = json_string_value(type.value);
    double v[3] = {0};
    if (name != NULL && strcmp(name, "box") == 0) {
        if (size.value == NULL) {
            return scene_error(place, "expected \"size\"");
        }
        if (scene_read_numbers(&size, 3, v) != CLI_YES) {
            return CLI_BAD;
        }
        *out = apart_box((apart_vec3){0.5 * v[0], 0.5 * v[1], 0.5 * v[2]});
        return v[0] > 0.0 && v[1] > 0.0 && v[2] > 0.0 ? CLI_YES : scene_error(&size, "expected sizes above 0");
    }
    if (name != NULL && strcmp(name, "cylinder") == 0) {
        const bool good = read_size(place, "radius", &v[0]) == CLI_YES && read_size(place, "height", &v[1]) == CLI_YES;
        *out = apart_cylinder(v[0], 0.5 * v[1]);
        return good ? CLI_YES : CLI_BAD;
    }
    if (name != NULL && strcmp(name, "sphere") == 0) {
        const int status = read_size(place, "radius", &v[0]);
        *out = apart_sphere(v[0]);
        return status;
    }
    return scene_error(place, "expected \"type\": \"box\", \"cylinder\" or \"sphere\"");
}

static int read_place(const scene_place *place, apart_pose *out)
{
    double q[4] = {0, 0, 0, 1}, t[3] = {0};
    const scene_place position = scene_member(place, "position"), turn = scene_member(place, "quat_xyzw");
    if ((position.value != NULL && scene_read_numbers(&position, 3, t) != CLI_YES) ||
        (turn.value != NULL && scene_read_numbers(&turn, 4, q) != CLI_YES)) {
        return CLI_BAD;
    }
    char reason[CLI_TEXT_SIZE];
    const apart_status status = apart_pose_from_quat_xyzw(q[0], q[1], q[2], q[3], (apart_vec3){t[0], t[1], t[2]}, out);
    return status == APART_OK ? CLI_YES : scene_error(&turn, "%s", cli_reason(status, reason));
}

static int read_obstacles(const scene_place *array, problem_cell *out)
{
    if (array->value == NULL) {
        return CLI_YES;
    }
    if (!json_is_array(array->value)) {
        return scene_error(array, "expected an array of obstacles");
    }
    const size_t count = json_array_size(array->value);
    out->obstacles = calloc(count + 1, sizeof *out->obstacles);
    out->parts = calloc(count + 1, sizeof *out->parts);
    if (out->obstacles == NULL || out->parts == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        const scene_place place = scene_element(array, i);
        const scene_place name = scene_member(&place, "name");
        apart_robot_obstacle *o = &out->obstacles[i];
        out->parts[i].pose = apart_pose_identity();
        if (!json_is_object(place.value)) {
            return scene_error(&place, "expected an obstacle as an object {...}");
        }
        if (scene_read_text(&name, "a name") != CLI_YES || read_shape(&place, &out->parts[i].shape) != CLI_YES ||
            read_place(&place, &o->pose) != CLI_YES) {
            return CLI_BAD;
        }
        o->name = json_string_value(name.value);
        o->parts = &out->parts[i];
        o->count = 1;
        out->count++;
    }
    return CLI_YES;
}

/* ---- positions ---- */

/* Positions by joint name; `moves`, if given, is set for those that are named. Joints that the robot lacks or that do
 * not move are passed over: problems are written for more than one form of a robot. */
static int read_positions(const scene_place *object, const apart_robot *r, double *q, unsigned char *moves)
{
    const char *name;
    json_t *value;
    if (!json_is_object(object->value)) {
        return scene_error(object, "expected positions as an object {\"JOINT\": POSITION, ...}");
    }
    json_object_foreach(object->value, name, value)
    {
        const scene_place place = scene_member(object, name);
        const size_t v = apart_robot_find_variable(r, name);
        double position;
        if (scene_read_number(&place, &position) != CLI_YES) {
            return CLI_BAD;
        }
        if (v == APART_ROBOT_NONE) {
            continue;
        }
        const apart_robot_joint *joint = apart_robot_variable(r, v);
        q[v] = position;
        if (position > joint->upper && position < joint->upper + LIMIT_ROUNDING) {
            q[v] = joint->upper;
        }
        if (position < joint->lower && position > joint->lower - LIMIT_ROUNDING) {
            q[v] = joint->lower;
        }
        if (moves != NULL) {
            moves[v] = 1;
        }
    }
    return CLI_YES;
}

static int read_goals(const scene_place *array, const apart_robot *r, path_problem *p, unsigned char *moves)
{
    const size_t width = apart_robot_variable_count(r), count = json_array_size(array->value);
    if (!json_is_array(array->value) || count == 0) {
        return scene_error(array, "expected an array of goals");
    }
    p->goals = calloc(count * width + 1, sizeof *p->goals);
    if (p->goals == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        const scene_place goal = scene_element(array, i);
        memcpy(p->goals + i * width, p->start, width * sizeof *p->goals);
        if (read_positions(&goal, r, p->goals + i * width, moves) != CLI_YES) {
            return CLI_BAD;
        }
    }
    p->goal_count = count;
    return CLI_YES;
}

/* The joints that goals name are those that move. */
static int read_task(const scene_place *place, const apart_robot *r, path_problem *p)
{
    const size_t width = apart_robot_variable_count(r);
    const scene_place start = scene_member(place, "start"), goals = scene_member(place, "goals");
    unsigned char *moves = calloc(width + 1, 1);
    p->start = calloc(width + 1, sizeof *p->start);
    p->variables = calloc(width + 1, sizeof *p->variables);
    int status = CLI_BAD;
    if (moves == NULL || p->start == NULL || p->variables == NULL) {
        cli_error("out of memory");
    } else if (start.value == NULL || goals.value == NULL) {
        scene_error(place, "expected \"start\" and \"goals\"");
    } else {
        apart_robot_rest(r, p->start);
        status = read_positions(&start, r, p->start, NULL);
        status = status == CLI_YES ? read_goals(&goals, r, p, moves) : status;
    }
    for (size_t v = 0; status == CLI_YES && v < width; v++) {
        if (moves[v]) {
            p->variables[p->variable_count++] = v;
        }
    }
    free(moves);
    return status == CLI_YES && p->variable_count == 0
               ? scene_error(&goals, "no joint of %s is named", apart_robot_file(r))
               : status;
}

/* ---- problems ---- */

static int make_cell(const scene_place *place, const apart_robot *r, problem_cell *out)
{
    char reason[CLI_TEXT_SIZE];
    const apart_robot_cell_options options = {.obstacles = out->obstacles, .obstacle_count = out->count};
    const apart_status status = apart_robot_cell_create(r, &options, &out->cell);
    out->problem.cell = out->cell;
    return status == APART_OK ? CLI_YES : scene_error(place, "%s", cli_reason(status, reason));
}

static int use_one(const cli_settings *s, const scene_place *place, const apart_robot *r,
                   int (*use)(const path_problem *, void *), void *context)
{
    problem_cell p = {.problem = {.limit = s->given[CLI_LIMIT] ? s->limit : 0.0}};
    const scene_place name = scene_member(place, "name"), obstacles = scene_member(place, "obstacles");
    int status = json_is_object(place->value) ? scene_read_text(&name, "a name")
                                              : scene_error(place, "expected a problem as an object {...}");
    if (status == CLI_YES && (s->only == NULL || strstr(json_string_value(name.value), s->only) != NULL)) {
        p.problem.name = json_string_value(name.value);
        status = read_task(place, r, &p.problem);
        status = status == CLI_YES ? read_obstacles(&obstacles, &p) : status;
        status = status == CLI_YES ? make_cell(place, r, &p) : status;
        status = status == CLI_YES ? use(&p.problem, context) : status;
    }
    apart_robot_cell_free(p.cell);
    path_problem_free(&p.problem);
    free(p.obstacles);
    free(p.parts);
    return status;
}

static int use_family(const cli_settings *s, const scene_place *array, const apart_robot *r,
                      int (*use)(const path_problem *, void *), void *context)
{
    int worst = CLI_YES;
    if (!json_is_array(array->value)) {
        return scene_error(array, "expected an array of problems");
    }
    for (size_t i = 0; i < json_array_size(array->value) && worst != CLI_BAD; i++) {
        const scene_place place = scene_element(array, i);
        const int status = use_one(s, &place, r, use, context);
        worst = status == CLI_YES ? worst : (status == CLI_NO && worst == CLI_YES ? CLI_NO : status);
    }
    return worst;
}

int path_each_problem(const cli_settings *s, const apart_robot *robot,
                      int (*use)(const path_problem *problem, void *context), void *context)
{
    scene_text text;
    json_t *root = scene_load(s->problems, &text);
    if (root == NULL) {
        return CLI_BAD;
    }
    const scene_place place = {NULL, &text, 0, NULL, root, false};
    const scene_place families = scene_member(&place, "families"), problems = scene_member(&place, "problems");
    int worst = CLI_YES;
    if (problems.value != NULL) {
        worst = use_family(s, &problems, robot, use, context);
    } else if (json_is_object(families.value)) {
        const char *name;
        json_t *family;
        json_object_foreach(families.value, name, family)
        {
            const scene_place array = scene_member(&families, name);
            const int status = worst != CLI_BAD ? use_family(s, &array, robot, use, context) : CLI_BAD;
            worst = status == CLI_YES ? worst : (status == CLI_NO && worst == CLI_YES ? CLI_NO : status);
        }
    } else {
        worst = scene_error(&place, "expected \"problems\": [...] or \"families\": {NAME: [...], ...}");
    }
    json_decref(root);
    free((char *)text.data);
    return worst;
}
