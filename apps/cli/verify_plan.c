/* apart verify-plan ROBOT CERTIFICATE: what is claimed of a path, checked by code that shares nothing with the planner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

/* A certificate as it was read. */
typedef struct certificate {
    scene_text text;
    json_t *root;
    double limit;
    double *q; /* rows of all variables */
    size_t count, width;
    apart_plan_edge *edges;
    bool *moves; /* by variable */
    const char *problem;
} certificate;

/* ---- reading ---- */

static int read_row(const scene_place *place, const size_t *variable, size_t columns, double *row)
{
    if (json_array_size(place->value) != columns) {
        return scene_error(place, "expected %zu positions, one for each of \"joints\"", columns);
    }
    for (size_t i = 0; i < columns; i++) {
        const scene_place element = scene_element(place, i);
        if (scene_read_number(&element, &row[variable[i]]) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

/* The variables that an array of joint names names. */
static int read_joints(const scene_place *array, const apart_robot *r, size_t *out)
{
    for (size_t i = 0; i < json_array_size(array->value); i++) {
        const scene_place name = scene_element(array, i);
        if (scene_read_text(&name, "a joint") != CLI_YES) {
            return CLI_BAD;
        }
        out[i] = apart_robot_find_variable(r, json_string_value(name.value));
        for (size_t k = 0; k < i; k++) {
            if (out[k] == out[i]) {
                return scene_error(&name, "the joint is there twice");
            }
        }
        if (out[i] == APART_ROBOT_NONE) {
            return scene_error(&name, "%s has no such joint that moves", apart_robot_file(r));
        }
    }
    return CLI_YES;
}

static int find_pair(const scene_place *place, const apart_robot_cell *cell, size_t *out)
{
    const char *names[2] = {NULL, NULL};
    for (size_t i = 0; i < 2 && json_array_size(place->value) == 2; i++) {
        names[i] = json_string_value(json_array_get(place->value, i));
    }
    if (names[0] == NULL || names[1] == NULL) {
        return scene_error(place, "expected the names of two bodies");
    }
    for (*out = 0; *out < apart_robot_pair_count(cell); ++*out) {
        const apart_robot_pair *p = apart_robot_pair_at(cell, *out);
        if (strcmp(apart_robot_body_at(cell, p->bodies[0])->name, names[0]) == 0 &&
            strcmp(apart_robot_body_at(cell, p->bodies[1])->name, names[1]) == 0) {
            return CLI_YES;
        }
    }
    return scene_error(place, "%s and %s are not a pair of this robot and scene", names[0], names[1]);
}

static int read_edge(const scene_place *place, const apart_robot_cell *cell, size_t number, apart_plan_edge *out)
{
    const scene_place lower = scene_member(place, "lower"), upper = scene_member(place, "upper"),
                      s = scene_member(place, "s"), pair = scene_member(place, "pair"),
                      from = scene_member(place, "from"), to = scene_member(place, "to");
    if (!json_is_object(place->value) || lower.value == NULL || upper.value == NULL || s.value == NULL ||
        pair.value == NULL || from.value == NULL || to.value == NULL) {
        return scene_error(place, "expected an edge {\"from\", \"to\", \"lower\", \"upper\", \"s\", \"pair\"}");
    }
    if (json_integer_value(from.value) != (json_int_t)number ||
        json_integer_value(to.value) != (json_int_t)number + 1) {
        return scene_error(place, "expected the edge from waypoint %zu to the next one", number);
    }
    return scene_read_number(&lower, &out->lower) == CLI_YES && scene_read_number(&upper, &out->upper) == CLI_YES &&
                   scene_read_number(&s, &out->s) == CLI_YES
               ? find_pair(&pair, cell, &out->pair)
               : CLI_BAD;
}

static int read_waypoints(const scene_place *root, const scene_place *rows, const apart_robot *r, certificate *out)
{
    const scene_place joints = scene_member(root, "joints"), moving = scene_member(root, "moving");
    const size_t columns = json_array_size(joints.value), movers = json_array_size(moving.value);
    if (columns != out->width || movers == 0 || movers > out->width) {
        return columns != out->width
                   ? scene_error(columns > 0 ? &joints : root, "expected \"joints\": the %zu joints that move of %s",
                                 out->width, apart_robot_file(r))
                   : scene_error(root, "expected \"moving\": the joints that the path moves");
    }
    size_t *variable = calloc(2 * out->width + 1, sizeof *variable);
    int status = variable != NULL ? CLI_YES : cli_error("out of memory");
    status = status == CLI_YES ? read_joints(&joints, r, variable) : status;
    status = status == CLI_YES ? read_joints(&moving, r, variable + out->width) : status;
    for (size_t i = 0; i < movers && status == CLI_YES; i++) {
        out->moves[variable[out->width + i]] = true;
    }
    for (size_t i = 0; i < out->count && status == CLI_YES; i++) {
        const scene_place row = scene_element(rows, i);
        status = read_row(&row, variable, columns, out->q + i * out->width);
    }
    free(variable);
    return status;
}

static int read_path(const apart_robot_cell *cell, certificate *out)
{
    const scene_place root = {NULL, &out->text, 0, NULL, out->root, false};
    const scene_place path = scene_member(&root, "path"), limit = scene_member(&root, "limit"),
                      format = scene_member(&root, "format");
    const char *version = json_string_value(format.value);
    if (version == NULL || strcmp(version, "apart plan 1") != 0) {
        return scene_error(&root, "expected a certificate of 'apart plan': \"format\": \"apart plan 1\"");
    }
    if (path.value == NULL || limit.value == NULL) {
        return scene_error(&root, "expected \"limit\" and \"path\": without a path there is nothing to check");
    }
    const scene_place rows = scene_member(&path, "waypoints"), edges = scene_member(&path, "edges");
    const apart_robot *r = apart_robot_cell_robot(cell);
    out->width = apart_robot_variable_count(r);
    out->count = json_array_size(rows.value);
    if (out->count < 2 || json_array_size(edges.value) != out->count - 1) {
        return scene_error(&path, "expected \"waypoints\", at least two, and \"edges\", one less");
    }
    out->q = calloc(out->count * out->width + 1, sizeof *out->q);
    out->edges = calloc(out->count, sizeof *out->edges);
    out->moves = calloc(out->width + 1, sizeof *out->moves);
    if (out->q == NULL || out->edges == NULL || out->moves == NULL) {
        return cli_error("out of memory");
    }
    int status = scene_read_number(&limit, &out->limit);
    status = status == CLI_YES ? read_waypoints(&root, &rows, r, out) : status;
    for (size_t i = 0; i + 1 < out->count && status == CLI_YES; i++) {
        const scene_place edge = scene_element(&edges, i);
        status = read_edge(&edge, cell, i, &out->edges[i]);
    }
    return status;
}

static void free_certificate(certificate *c)
{
    json_decref(c->root);
    free((char *)c->text.data);
    free(c->q);
    free(c->edges);
    free(c->moves);
}

/* ---- what the library does not know: start, goal, the joints that stand, the summary ---- */

static int refute(const char *format, const char *what)
{
    fputs("REFUTED     ", stdout);
    printf(format, what);
    putchar('\n');
    return CLI_NO;
}

static bool is_row(const certificate *c, const char *key, size_t row)
{
    const json_t *array = json_object_get(c->root, key), *joints = json_object_get(c->root, "joints");
    bool same = json_array_size(array) == c->width;
    const json_t *waypoint = json_array_get(json_object_get(json_object_get(c->root, "path"), "waypoints"), row);
    for (size_t i = 0; i < json_array_size(joints) && same; i++) {
        same = json_number_value(json_array_get(array, i)) == json_number_value(json_array_get(waypoint, i));
    }
    return same;
}

static int check_frame(const cli_settings *s, const certificate *c, const apart_robot *r)
{
    const json_t *path = json_object_get(c->root, "path");
    double lower = INFINITY;
    for (size_t i = 0; i + 1 < c->count; i++) {
        lower = fmin(lower, c->edges[i].lower);
        for (size_t v = 0; v < c->width; v++) {
            if (!c->moves[v] && c->q[i * c->width + v] != c->q[(i + 1) * c->width + v]) {
                return refute("the joint '%s' moves, which is not one of \"moving\"", apart_robot_variable(r, v)->name);
            }
        }
    }
    if (!is_row(c, "start", 0) || !is_row(c, "goal", c->count - 1)) {
        return refute("the path does not lead from %s", "\"start\" to \"goal\"");
    }
    if (json_number_value(json_object_get(path, "lower")) > lower) {
        return refute("%s is more than an edge claims", "\"lower\"");
    }
    if (s->given[CLI_LIMIT] && c->limit < s->limit) {
        return refute("the certificate is for %s limit than --limit", "a lower");
    }
    return CLI_YES;
}

/* ---- the check ---- */

static int print_proof(const cli_settings *s, const certificate *c, const apart_robot_cell *cell,
                       const apart_plan_proof *proof)
{
    const apart_robot *r = apart_robot_cell_robot(cell);
    char n[CLI_NUMBER_SIZE];
    double lower = INFINITY;
    for (size_t i = 0; i + 1 < c->count; i++) {
        lower = fmin(lower, c->edges[i].lower);
    }
    if (s->given[CLI_JSON]) {
        json_t *root =
            json_pack("{s:s, s:s, s:I, s:o}", "verdict", apart_verdict_name(proof->verdict), "reason", proof->reason,
                      "intervals", (json_int_t)proof->intervals, "lower", cli_json_number(lower));
        if (proof->verdict != APART_PROVED) {
            json_object_set_new(root, "edge", json_integer((json_int_t)proof->edge));
            json_object_set_new(root, "s", cli_json_number(proof->s));
        }
        if (cli_json_print(root, stdout, false) != CLI_YES) {
            return CLI_BAD;
        }
    } else if (proof->verdict == APART_PROVED) {
        printf("proved      %zu edges: all pairs keep at least %s all the way, within the joints' limits\n",
               c->count - 1, cli_brief(lower, -1, n));
        printf("checked     %llu intervals of pairs\n", (unsigned long long)proof->intervals);
    } else {
        printf("%-11s edge %zu, at %.6g of it: %s", proof->verdict == APART_REFUTED ? "REFUTED" : "undecided",
               proof->edge, proof->s, proof->reason);
        if (proof->pair != APART_ROBOT_NONE) {
            const size_t *bodies = apart_robot_pair_at(cell, proof->pair)->bodies;
            printf(" (%s and %s", apart_robot_body_at(cell, bodies[0])->name,
                   apart_robot_body_at(cell, bodies[1])->name);
            if (isfinite(proof->distance)) {
                printf(": %s %s", proof->verdict == APART_REFUTED ? "at most" : "at least",
                       cli_brief(proof->distance, proof->verdict == APART_REFUTED ? 1 : -1, n));
            }
            putchar(')');
        }
        if (proof->variable != APART_ROBOT_NONE) {
            printf(" (%s)", apart_robot_variable(r, proof->variable)->name);
        }
        putchar('\n');
    }
    return proof->verdict == APART_PROVED ? CLI_YES : (proof->verdict == APART_REFUTED ? CLI_NO : CLI_UNDECIDED);
}

static int check(const cli_settings *s, certificate *c, const apart_robot_cell *cell)
{
    char reason[CLI_TEXT_SIZE];
    apart_plan_proof proof;
    int status = read_path(cell, c);
    status = status == CLI_YES ? check_frame(s, c, apart_robot_cell_robot(cell)) : status;
    if (status != CLI_YES) {
        return status;
    }
    const apart_status checked = apart_plan_verify(cell, c->q, c->count, c->edges, c->limit, 0, &proof);
    return checked == APART_OK ? print_proof(s, c, cell, &proof)
                               : cli_error("%s: %s", c->text.name, cli_reason(checked, reason));
}

typedef struct problem_check {
    const cli_settings *settings;
    certificate *c;
    bool found;
} problem_check;

static int check_problem(const path_problem *problem, void *context)
{
    problem_check *p = context;
    const char *name = json_string_value(json_object_get(p->c->root, "problem"));
    if (name == NULL || strcmp(name, problem->name) != 0) {
        return CLI_YES;
    }
    p->found = true;
    return check(p->settings, p->c, problem->cell);
}

static int run(const cli_settings *s)
{
    certificate c = {.limit = 0};
    cli_cell cell;
    c.root = scene_load(s->operands[1], &c.text);
    if (c.root == NULL) {
        return CLI_BAD;
    }
    int status =
        s->problems != NULL ? cli_robot_load(s, s->operands[0], &cell) : cli_cell_load(s, s->operands[0], &cell);
    if (status == CLI_YES) {
        problem_check p = {.settings = s, .c = &c};
        status = s->problems != NULL ? path_each_problem(s, cell.robot, check_problem, &p) : check(s, &c, cell.cell);
        if (s->problems != NULL && !p.found && status == CLI_YES) {
            status = cli_error("%s: its problem is not in %s", c.text.name, s->problems);
        }
        cli_cell_free(&cell);
    }
    free_certificate(&c);
    return status;
}

static const cli_option_id options[] = {
    CLI_SCENE,  CLI_SRDF,   CLI_PACKAGES, CLI_AS,    CLI_CELL,  CLI_BASE, CLI_POINTS, CLI_CLOUD_SIZE,
    CLI_VOXELS, CLI_LIMITS, CLI_PROBLEMS, CLI_LIMIT, CLI_NOTES, CLI_JSON, CLI_HELP,
};

const cli_command cli_verify_plan_command = {
    .name = "verify-plan",
    .operands = "ROBOT CERTIFICATE",
    .min_operands = 2,
    .max_operands = 2,
    .summary = "check a planned path independently: proved (exit 0), refuted (1) or undecided (3)",
    .description =
        "The certificate is what 'apart plan --to' writes (certificate.json) or prints with --json. ROBOT,\n"
        "--scene and --srdf are those of the plan, or --problems the file that the problem comes from. The\n"
        "check shares nothing with the planner: its own kinematics, its own bound of motions, distances that\n"
        "are proved in double-double arithmetic. It covers every edge, every pair, the joints' limits, and\n"
        "that the path leads from the start to the goal with the joints that may move.\n",
    .examples = "  apart verify-plan arm.urdf plan/certificate.json --scene cell.json\n"
                "  apart verify-plan panda.urdf box_panda_0001.json --srdf panda.srdf --problems panda.json\n",
    .options = options,
    .run = run,
};
