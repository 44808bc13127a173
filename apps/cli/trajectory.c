/* Joint positions: rows of a CSV file whose header names the joints, or given on the command line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_load.h"

/* Columns that are not joints. */
static const char *const time_names[] = {"t", "time"};

typedef struct csv_reader {
    const char *name; /* of the file */
    size_t line;
    const apart_robot *r;
    size_t *variable; /* of each column; APART_ROBOT_NONE: the time */
    size_t columns;
    trajectory *out;
} csv_reader;

/* ---- shared ---- */

int trajectory_unknown_joint(const char *where, const char *name, const apart_robot *r)
{
    char suggestion[CLI_TEXT_SIZE];
    const char **names = calloc(apart_robot_variable_count(r) + 1, sizeof *names);
    for (size_t i = 0; i < apart_robot_joint_count(r); i++) {
        if (strcmp(apart_robot_joint_at(r, i)->name, name) == 0) {
            free(names);
            return apart_robot_joint_at(r, i)->kind == APART_JOINT_FIXED
                       ? cli_error("%s: the joint '%s' is fixed", where, name)
                       : cli_error("%s: the joint '%s' mimics '%s': give that one", where, name,
                                   apart_robot_variable(r, apart_robot_joint_at(r, i)->variable)->name);
        }
    }
    for (size_t i = 0; names != NULL && i < apart_robot_variable_count(r); i++) {
        names[i] = apart_robot_variable(r, i)->name;
    }
    cli_error("%s: %s has no joint '%s'%s", where, apart_robot_file(r), name,
              names != NULL ? cli_suggestion(name, names, suggestion) : "");
    free(names);
    return CLI_BAD;
}

static bool grow(double **array, size_t count)
{
    double *larger = realloc(*array, count * sizeof *larger);
    *array = larger != NULL ? larger : *array;
    return larger != NULL;
}

double *trajectory_add(trajectory *t)
{
    if (t->count == t->room) {
        const size_t room = 2 * t->room + 16;
        if (!grow(&t->q, room * t->width + 1) || !grow(&t->t, room)) {
            cli_error("out of memory");
            return NULL;
        }
        t->room = room;
    }
    double *row = t->q + t->count * t->width;
    for (size_t v = 0; v < t->width; v++) {
        row[v] = t->rest[v];
    }
    t->t[t->count] = (double)t->count;
    t->count++;
    return row;
}

int trajectory_add_rates(trajectory *t)
{
    int *degree = realloc(t->degree, t->room * sizeof *degree);
    t->degree = degree != NULL ? degree : t->degree;
    if (degree == NULL || !grow(&t->v, t->room * t->width + 1) || !grow(&t->a, t->room * t->width + 1)) {
        return cli_error("out of memory");
    }
    for (size_t v = 0; v < t->width; v++) {
        t->v[(t->count - 1) * t->width + v] = t->a[(t->count - 1) * t->width + v] = 0;
    }
    t->degree[t->count - 1] = 1;
    return CLI_YES;
}

apart_robot_segment trajectory_segment(const trajectory *t, size_t i)
{
    const size_t at = i * t->width, next = at + t->width;
    apart_robot_segment g = {.degree = 1, .q0 = t->q + at, .q1 = t->q + next};
    if (i + 1 >= t->count) {
        g.q1 = g.q0;
    } else if (t->degree != NULL && t->degree[i] > 1 && t->degree[i + 1] > 1) {
        g.degree = t->degree[i] < t->degree[i + 1] ? t->degree[i] : t->degree[i + 1];
        g.duration = t->t[i + 1] - t->t[i];
        g.v0 = t->v + at;
        g.v1 = t->v + next;
        g.a0 = t->a + at;
        g.a1 = t->a + next;
    }
    return g;
}

/* ---- the command line ---- */

/* "a=0.5" at *text; moves behind it. */
static int parse_joint(const char *option, const char **text, const apart_robot *r, double *row, bool *given)
{
    char name[CLI_TEXT_SIZE], what[2 * CLI_TEXT_SIZE];
    const size_t length = strcspn(*text, "=,;");
    if ((*text)[length] != '=' || length >= sizeof name) {
        return cli_error("%s: expected JOINT=POSITION,JOINT=POSITION..., found '%s'", option, *text);
    }
    memcpy(name, *text, length);
    name[length] = '\0';
    const size_t variable = apart_robot_find_variable(r, name);
    if (variable == APART_ROBOT_NONE) {
        return trajectory_unknown_joint(option, name, r);
    }
    given[variable] = true;
    const char *wrong = cli_read_number(*text + length + 1, text, &row[variable]);
    snprintf(what, sizeof what, "%s: %s", option, name);
    return wrong == NULL ? CLI_YES : cli_error("%s: the position %s", what, wrong);
}

int trajectory_parse(const char *option, const char *text, const apart_robot *r, trajectory *out)
{
    for (bool more = true; more;) {
        double *row = trajectory_add(out);
        if (row == NULL) {
            return CLI_BAD;
        }
        if (out->count > 1) {
            memcpy(row, row - out->width,
                   out->width * sizeof *row); /* joints that are not named keep their positions */
        }
        for (;;) {
            text += strspn(text, " \t");
            if (*text == '\0' || *text == ';') {
                break;
            }
            if (parse_joint(option, &text, r, row, out->given) != CLI_YES) {
                return CLI_BAD;
            }
            text += strspn(text, " \t");
            if (*text != '\0' && *text != ',' && *text != ';') {
                return cli_error("%s: '%s' is not expected after a position", option, text);
            }
            text += *text == ',';
        }
        more = *text == ';';
        text += more;
    }
    return CLI_YES;
}

/* ---- CSV ---- */

/* The next field of a line; white space and quotes around it are taken away in place. NULL at the end of the line. */
static char *next_field(char **line)
{
    char *start = *line;
    if (start == NULL) {
        return NULL;
    }
    char *comma = strchr(start, ',');
    *line = comma != NULL ? comma + 1 : NULL;
    char *end = comma != NULL ? comma : start + strlen(start);
    start += strspn(start, " \t");
    while (end > start && strchr(" \t\r", end[-1]) != NULL) {
        end--;
    }
    if (end - start >= 2 && *start == '"' && end[-1] == '"') {
        start++;
        end--;
    }
    *end = '\0';
    return start;
}

static bool is_time(const char *name) { return strcmp(name, time_names[0]) == 0 || strcmp(name, time_names[1]) == 0; }

static int read_header(csv_reader *c, char *line)
{
    char where[CLI_TEXT_SIZE];
    snprintf(where, sizeof where, "%.200s:%zu", c->name, c->line);
    for (char *field = next_field(&line); field != NULL; field = next_field(&line)) {
        const size_t variable = is_time(field) ? APART_ROBOT_NONE : apart_robot_find_variable(c->r, field);
        if (variable == APART_ROBOT_NONE && !is_time(field)) {
            return trajectory_unknown_joint(where, field, c->r);
        }
        for (size_t i = 0; i < c->columns; i++) {
            if (c->variable[i] == variable) {
                return cli_error("%s: a second column '%s'", where, field);
            }
        }
        size_t *larger = realloc(c->variable, (c->columns + 1) * sizeof *larger);
        if (larger == NULL) {
            return cli_error("out of memory");
        }
        c->variable = larger;
        c->variable[c->columns++] = variable;
        c->out->timed = c->out->timed || variable == APART_ROBOT_NONE;
    }
    return CLI_YES;
}

static int read_row(csv_reader *c, char *line)
{
    double *row = trajectory_add(c->out);
    size_t column = 0;
    if (row == NULL) {
        return CLI_BAD;
    }
    for (char *field = next_field(&line); field != NULL; field = next_field(&line), column++) {
        double value = 0;
        const char *end;
        if (column == c->columns) {
            return cli_error("%s:%zu: more than %zu columns", c->name, c->line, c->columns);
        }
        const size_t variable = c->variable[column];
        const char *what = variable == APART_ROBOT_NONE ? "the time" : apart_robot_variable(c->r, variable)->name;
        const char *wrong = cli_read_number(field, &end, &value);
        if (wrong != NULL || *end != '\0') {
            return cli_error("%s:%zu: column %zu (%s): '%s' %s", c->name, c->line, column + 1, what, field,
                             wrong != NULL ? wrong : "is not a number");
        }
        if (variable != APART_ROBOT_NONE) {
            row[variable] = value;
        } else if (c->out->count > 1 && value < c->out->t[c->out->count - 2]) {
            return cli_error("%s:%zu: the time goes back from %g to %g", c->name, c->line, c->out->t[c->out->count - 2],
                             value);
        } else {
            c->out->t[c->out->count - 1] = value;
        }
    }
    return column == c->columns ? CLI_YES
                                : cli_error("%s:%zu: %zu columns; expected %zu", c->name, c->line, column, c->columns);
}

static int read_lines(csv_reader *c, char *data)
{
    int status = CLI_YES;
    bool header = false;
    for (char *line = data; line != NULL && status == CLI_YES;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end++ = '\0';
        }
        c->line++;
        const size_t blank = strspn(line, " \t\r");
        if (line[blank] != '\0' && line[blank] != '#') {
            status = header ? read_row(c, line) : read_header(c, line);
            header = true;
        }
        line = end;
    }
    if (status == CLI_YES && c->out->count == 0) {
        status =
            cli_error("%s: no waypoint; expected a line of joint names, then a line of positions for each waypoint",
                      c->name);
    }
    return status;
}

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

/* YAML and JSON by the name, or by what the text begins with. */
static bool is_message(const char *path, const char *text)
{
    const char first = text[strspn(text, " \t\r\n")];
    return ends_with(path, ".yaml") || ends_with(path, ".yml") || ends_with(path, ".json") || first == '{' ||
           strncmp(text, "---", 3) == 0 || strncmp(text, "joint_names:", 12) == 0 || strncmp(text, "header:", 7) == 0;
}

static int read_file(const char *path, const apart_robot *r, trajectory *out)
{
    csv_reader c = {.name = cli_input_name(path), .r = r, .out = out};
    size_t size;
    char *text = cli_read_text(path, &size);
    if (text == NULL) {
        return CLI_BAD;
    }
    const bool has_mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    char *start = text + (has_mark ? 3 : 0);
    const int status = is_message(path, start) ? trajectory_read_points(c.name, start, r, out, &c.variable, &c.columns)
                                               : read_lines(&c, start);
    for (size_t i = 0; i < c.columns && status == CLI_YES; i++) {
        if (c.variable[i] != APART_ROBOT_NONE) {
            out->given[c.variable[i]] = true;
        }
    }
    free(text);
    free(c.variable);
    return status;
}

/* Joints that no column or point names stay where they are: one note says where. */
static void note_missing(const char *name, const apart_robot *r, const trajectory *t)
{
    char list[CLI_TEXT_SIZE] = "", number[CLI_NUMBER_SIZE];
    size_t missing = 0, used = 0;
    for (size_t v = 0; v < t->width; v++) {
        if (t->given[v] || v == t->clock) {
            continue;
        }
        if (missing++ < 6) {
            const int length = snprintf(list + used, sizeof list - used, "%s%.60s=%s", missing > 1 ? "," : "",
                                        apart_robot_variable(r, v)->name, cli_brief(t->rest[v], 0, number));
            used += length > 0 && used + (size_t)length < sizeof list ? (size_t)length : 0;
        }
    }
    if (missing > 0) {
        cli_note("%s: %zu of %zu joints are not given: they stay at %s%s%s", name, missing, t->width, list,
                 missing > 6 ? ",..." : "",
                 t->chosen ? "" : " (--state or --fix \"JOINT=POSITION,...\" put them elsewhere)");
    }
}

/* ---- the interface ---- */

/* Cubic and quintic pieces may leave the limits between waypoints that keep them. Returns on how many pieces. */
static size_t note_between(const apart_robot_joint *joint, const trajectory *t, size_t v)
{
    size_t count = 0, first = 0;
    double worst = 0;
    for (size_t i = t->count - 1; i-- > 0;) {
        const apart_robot_segment g = trajectory_segment(t, i);
        double least, most;
        apart_robot_segment_range(&g, v, &least, &most);
        if (least < joint->lower || most > joint->upper) {
            count++;
            first = i;
            worst = most > joint->upper ? most : least;
        }
    }
    if (count > 0) {
        cli_note("joint '%s' leaves its limits [%g, %g] between waypoints, first between %zu and %zu: it reaches %g",
                 joint->name, joint->lower, joint->upper, first, first + 1, worst);
    }
    return count;
}

/* Positions beyond the limits are computed anyway, with a note. */
static void note_limits(const apart_robot *r, trajectory *t)
{
    const double turn = 2.0 * acos(-1.0);
    for (size_t v = 0; v < apart_robot_variable_count(r); v++) {
        const apart_robot_joint *joint = apart_robot_variable(r, v);
        size_t count = 0, first = 0;
        for (size_t i = t->count; i-- > 0;) {
            const double q = t->q[i * t->width + v];
            if (q < joint->lower || q > joint->upper) {
                count++;
                first = i;
            }
        }
        const double q = t->q[first * t->width + v];
        if (count > 0) {
            cli_note("joint '%s' is outside its limits [%g, %g] at %zu of %zu waypoints, first at waypoint %zu: %g%s",
                     joint->name, joint->lower, joint->upper, count, t->count, first, q,
                     joint->kind != APART_JOINT_SLIDING && fabs(q) > turn
                         ? " (radians are expected: are these degrees?)"
                         : "");
        }
        t->beyond += count;
        t->beyond += count == 0 ? note_between(joint, t, v) : 0;
    }
}

/* Positions of a state by name; all groups that have it. */
static int take_state(const char *name, const apart_robot *r, trajectory *out)
{
    const char *names[64];
    size_t known = 0;
    bool found = false;
    for (size_t i = 0; i < apart_robot_state_count(r); i++) {
        const apart_robot_state_value *value = apart_robot_state_at(r, i);
        const size_t v = apart_robot_find_variable(r, value->joint);
        const bool is_new = known == 0 || strcmp(names[known - 1], value->state) != 0;
        if (is_new && known < 63) {
            names[known++] = value->state;
        }
        if (strcmp(value->state, name) == 0) {
            found = true;
            if (v != APART_ROBOT_NONE) {
                out->rest[v] = value->position;
            }
        }
    }
    char suggestion[CLI_TEXT_SIZE];
    names[known] = NULL;
    return found ? CLI_YES
                 : cli_error("--state: %s has no state '%s'%s; 'apart robot' lists them", apart_robot_file(r), name,
                             cli_suggestion(name, names, suggestion));
}

int trajectory_begin(const cli_settings *settings, const apart_robot *r, trajectory *out)
{
    const size_t width = apart_robot_variable_count(r);
    *out = (trajectory){.width = width,
                        .rest = calloc(width + 1, sizeof *out->rest),
                        .given = calloc(2 * width + 1, sizeof *out->given),
                        .clock = apart_robot_find_variable(r, CLI_CLOCK)};
    if (out->rest == NULL || out->given == NULL) {
        return cli_error("out of memory");
    }
    bool *fixed = out->given + width; /* only for the shared reader */
    apart_robot_rest(r, out->rest);
    out->chosen = settings->state != NULL || settings->fix != NULL;
    if (settings->state != NULL && take_state(settings->state, r, out) != CLI_YES) {
        return CLI_BAD;
    }
    for (const char *text = settings->fix; text != NULL && *text != '\0';) {
        if (parse_joint("--fix", &text, r, out->rest, fixed) != CLI_YES) {
            return CLI_BAD;
        }
        text += *text == ',';
    }
    return CLI_YES;
}

int trajectory_read(const cli_settings *settings, const char *command, const apart_robot *r, trajectory *out)
{
    if (trajectory_begin(settings, r, out) != CLI_YES) {
        trajectory_free(out);
        return CLI_BAD;
    }
    if (settings->traj != NULL && settings->joints != NULL) {
        trajectory_free(out);
        return cli_error("%s: --traj and --joints exclude each other", command);
    }
    const int status = settings->traj != NULL
                           ? read_file(settings->traj, r, out)
                           : trajectory_parse("--joints", settings->joints != NULL ? settings->joints : "", r, out);
    if (status != CLI_YES) {
        trajectory_free(out);
        return CLI_BAD;
    }
    if (settings->traj != NULL) {
        note_missing(cli_input_name(settings->traj), r, out);
    }
    for (size_t i = 0; out->clock != APART_ROBOT_NONE && i < out->count; i++) {
        out->q[i * out->width + out->clock] = out->t[i];
        if (out->v != NULL) {
            out->v[i * out->width + out->clock] = 1;
        }
    }
    note_limits(r, out);
    return CLI_YES;
}

void trajectory_free(trajectory *t)
{
    free(t->q);
    free(t->t);
    free(t->v);
    free(t->a);
    free(t->degree);
    free(t->rest);
    free(t->given);
    *t = (trajectory){.count = 0};
}

const double *trajectory_at(const trajectory *t, size_t waypoint) { return t->q + waypoint * t->width; }
