/* Waypoints from a JointTrajectory, as ROS writes it in YAML or JSON: joint_names and points with positions,
 * velocities, accelerations and time_from_start. */
#include <stdlib.h>
#include <string.h>

#include "robot_load.h"
#include "yaml.h"

typedef struct points_reader {
    const char *name;
    const apart_robot *r;
    size_t *variable; /* of each joint name */
    size_t joints;
    trajectory *out;
} points_reader;

/* The first map, from the outside in, that has both joint_names and points. */
static const yaml_node *find_points(const yaml_node *node)
{
    if (yaml_member(node, "joint_names") != NULL && yaml_member(node, "points") != NULL) {
        return node;
    }
    for (const yaml_node *n = node->first; n != NULL; n = n->next) {
        const yaml_node *found = find_points(n);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

static int read_value(const points_reader *p, const yaml_node *node, const char *what, double *out)
{
    const char *end;
    const char *wrong = node->kind == YAML_SCALAR ? cli_read_number(node->text, &end, out) : "is not a number";
    if (wrong != NULL || *end != '\0') {
        return cli_error("%s:%zu: %s: '%s' %s", p->name, node->line, what,
                         node->kind == YAML_SCALAR ? node->text : "[...]", wrong != NULL ? wrong : "is not a number");
    }
    return CLI_YES;
}

static int read_names(points_reader *p, const yaml_node *names)
{
    p->variable = calloc(names->count + 1, sizeof *p->variable);
    if (p->variable == NULL) {
        return cli_error("out of memory");
    }
    if (names->kind != YAML_LIST || names->count == 0) {
        return cli_error("%s:%zu: joint_names: expected a list of joints", p->name, names->line);
    }
    for (const yaml_node *n = names->first; n != NULL; n = n->next, p->joints++) {
        char where[CLI_TEXT_SIZE];
        snprintf(where, sizeof where, "%.200s:%zu", p->name, n->line);
        p->variable[p->joints] = apart_robot_find_variable(p->r, n->text != NULL ? n->text : "");
        if (p->variable[p->joints] == APART_ROBOT_NONE) {
            return trajectory_unknown_joint(where, n->text != NULL ? n->text : "", p->r);
        }
        for (size_t i = 0; i < p->joints; i++) {
            if (p->variable[i] == p->variable[p->joints]) {
                return cli_error("%s: '%s' is named twice", where, n->text);
            }
        }
    }
    return CLI_YES;
}

/* positions, velocities or accelerations of a point; *given: they are there. */
static int read_row(const points_reader *p, const yaml_node *point, const char *key, double *row, bool *given)
{
    const yaml_node *list = yaml_member(point, key);
    size_t i = 0;
    *given = list != NULL && list->count > 0;
    if (!*given) {
        return CLI_YES;
    }
    if (list->kind != YAML_LIST || list->count != p->joints) {
        return cli_error("%s:%zu: %s: %zu numbers; expected one for each of %zu joints", p->name, list->line, key,
                         list->count, p->joints);
    }
    for (const yaml_node *n = list->first; n != NULL; n = n->next, i++) {
        if (read_value(p, n, key, &row[p->variable[i]]) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

/* Seconds, or a map of seconds and nanoseconds (ROS 2: sec, nanosec; ROS 1: secs, nsecs). */
static int read_time(const points_reader *p, const yaml_node *point, double *t, bool *given)
{
    static const char *const keys[2][2] = {{"sec", "nanosec"}, {"secs", "nsecs"}};
    const yaml_node *time = yaml_member(point, "time_from_start");
    *given = time != NULL;
    if (time == NULL) {
        return CLI_YES;
    }
    if (time->kind == YAML_SCALAR) {
        return read_value(p, time, "time_from_start", t);
    }
    for (int i = 0; i < 2; i++) {
        const yaml_node *whole = yaml_member(time, keys[i][0]), *rest = yaml_member(time, keys[i][1]);
        double part = 0;
        if (whole == NULL) {
            continue;
        }
        if (read_value(p, whole, keys[i][0], t) != CLI_YES ||
            (rest != NULL && read_value(p, rest, keys[i][1], &part) != CLI_YES)) {
            return CLI_BAD;
        }
        *t += part * 1e-9;
        return CLI_YES;
    }
    return cli_error("%s:%zu: time_from_start: expected seconds, or sec and nanosec", p->name, time->line);
}

static int read_point(const points_reader *p, const yaml_node *point)
{
    trajectory *t = p->out;
    double time = (double)t->count;
    bool positions, velocities, accelerations, timed;
    if (point->kind != YAML_MAP) {
        return cli_error("%s:%zu: expected a point with positions", p->name, point->line);
    }
    const size_t i = t->count;
    double *rows[3];
    if (trajectory_add(t) == NULL || trajectory_add_rates(t) != CLI_YES) {
        return CLI_BAD;
    }
    rows[0] = t->q + i * t->width;
    rows[1] = t->v + i * t->width;
    rows[2] = t->a + i * t->width;
    if (read_row(p, point, "positions", rows[0], &positions) != CLI_YES ||
        read_row(p, point, "velocities", rows[1], &velocities) != CLI_YES ||
        read_row(p, point, "accelerations", rows[2], &accelerations) != CLI_YES ||
        read_time(p, point, &time, &timed) != CLI_YES) {
        return CLI_BAD;
    }
    if (!positions) {
        return cli_error("%s:%zu: a point without positions", p->name, point->line);
    }
    t->degree[i] = velocities ? (accelerations ? 5 : 3) : 1;
    t->timed = t->timed || timed;
    if (i > 0 && (time < t->t[i - 1] || (time == t->t[i - 1] && t->degree[i] > 1 && t->degree[i - 1] > 1))) {
        return cli_error("%s:%zu: time_from_start goes from %g to %g; it must increase", p->name, point->line,
                         t->t[i - 1], time);
    }
    t->t[i] = time;
    return CLI_YES;
}

int trajectory_read_points(const char *name, char *text, const apart_robot *r, trajectory *out, size_t **variables,
                           size_t *count)
{
    points_reader p = {.name = name, .r = r, .out = out};
    yaml_node *root = yaml_parse(name, text);
    if (root == NULL) {
        return CLI_BAD;
    }
    const yaml_node *message = find_points(root);
    int status = message != NULL ? read_names(&p, yaml_member(message, "joint_names"))
                                 : cli_error("%s: no trajectory: expected 'joint_names' and 'points'", name);
    const yaml_node *points = message != NULL ? yaml_member(message, "points") : NULL;
    for (const yaml_node *n = points != NULL ? points->first : NULL; n != NULL && status == CLI_YES; n = n->next) {
        status = read_point(&p, n);
    }
    if (status == CLI_YES && out->count == 0) {
        status = cli_error("%s:%zu: no points", name, points->line);
    }
    yaml_free(root);
    *variables = p.variable;
    *count = p.joints;
    return status;
}
