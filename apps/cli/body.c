/* Bodies on the command line: shapes by parameters ("box:1,1,1+0.1") and mesh files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct shape_row {
    const char *name;
    const char *form;  /* for messages */
    size_t parameters; /* 0: pairs, as many as are given */
    apart_shape (*make)(const double *p);
} shape_row;

static apart_vec3 vec(const double *p) { return (apart_vec3){p[0], p[1], p[2]}; }

static apart_shape make_box(const double *p) { return apart_box(vec(p)); }

static apart_shape make_sphere(const double *p) { return apart_sphere(p[0]); }

static apart_shape make_capsule(const double *p) { return apart_capsule(p[0], p[1]); }

static apart_shape make_cylinder(const double *p) { return apart_cylinder(p[0], p[1]); }

static apart_shape make_cone(const double *p) { return apart_cone(p[0], p[1]); }

static apart_shape make_ellipsoid(const double *p) { return apart_ellipsoid(vec(p)); }

static apart_shape make_point(const double *p) { return apart_point(vec(p)); }

static apart_shape make_segment(const double *p) { return apart_segment(vec(p), vec(p + 3)); }

static apart_shape make_triangle(const double *p) { return apart_triangle(vec(p), vec(p + 3), vec(p + 6)); }

static apart_shape make_half_space(const double *p) { return apart_half_space(vec(p), p[3]); }

static apart_shape make_circle(const double *p) { return apart_circle(p[0]); }

static apart_shape make_rectangle(const double *p) { return apart_rectangle(p[0], p[1]); }

static apart_shape make_point_2d(const double *p) { return apart_point_2d(p[0], p[1]); }

static apart_shape make_segment_2d(const double *p) { return apart_segment_2d(p[0], p[1], p[2], p[3]); }

static const shape_row shapes[] = {
    {"box", "box:HX,HY,HZ (half extents)", 3, make_box},
    {"sphere", "sphere:R", 1, make_sphere},
    {"capsule", "capsule:R,H (radius, half height)", 2, make_capsule},
    {"cylinder", "cylinder:R,H (radius, half height)", 2, make_cylinder},
    {"cone", "cone:R,H (radius, half height)", 2, make_cone},
    {"ellipsoid", "ellipsoid:A,B,C (semi-axes)", 3, make_ellipsoid},
    {"point", "point:X,Y,Z", 3, make_point},
    {"segment", "segment:X,Y,Z,X,Y,Z", 6, make_segment},
    {"triangle", "triangle:X,Y,Z,X,Y,Z,X,Y,Z", 9, make_triangle},
    {"halfspace", "halfspace:NX,NY,NZ,OFFSET", 4, make_half_space},
    {"circle", "circle:R", 1, make_circle},
    {"rectangle", "rectangle:HX,HY (half extents)", 2, make_rectangle},
    {"point2", "point2:X,Y", 2, make_point_2d},
    {"segment2", "segment2:X,Y,X,Y", 4, make_segment_2d},
    {"polygon", "polygon:X,Y,X,Y,... (any order, the hull is taken)", 0, NULL},
};

enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

static const shape_row *find_shape(const char *text)
{
    const char *colon = strchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    for (size_t i = 0; colon != NULL && i < SHAPE_COUNT; i++) {
        if (strlen(shapes[i].name) == length && strncmp(shapes[i].name, text, length) == 0) {
            return &shapes[i];
        }
    }
    return NULL;
}

/* What follows the colon: the parameters, then perhaps "+radius". `numbers` has room for as many as there are commas,
 * plus one. */
static int read_parameters(const shape_row *row, const cli_body *body, double *numbers, size_t room, size_t *count,
                           double *round)
{
    char what[CLI_TEXT_SIZE];
    const char *end;
    size_t one;
    snprintf(what, sizeof what, "%s: %.100s", body->name, body->text);
    if (cli_read_numbers(what, body->text + strlen(row->name) + 1, &end, numbers, room, count) != CLI_YES) {
        return CLI_BAD;
    }
    if (*end == '+' && cli_read_numbers(what, end + 1, &end, round, 1, &one) != CLI_YES) {
        return CLI_BAD;
    }
    if (*end != '\0') {
        return cli_error("%s: '%s' is not expected after a number", what, end);
    }
    const bool right = row->parameters != 0 ? *count == row->parameters : *count % 2 == 0;
    if (!right) {
        return cli_error("%s: expected %s, got %zu number%s", what, row->form, *count, *count == 1 ? "" : "s");
    }
    return CLI_YES;
}

static int make_shape(const shape_row *row, cli_body *body)
{
    size_t room = 1, count = 0;
    double round = 0;
    for (const char *c = body->text; *c != '\0'; c++) {
        room += *c == ',';
    }
    body->coordinates = calloc(room, sizeof *body->coordinates);
    if (body->coordinates == NULL) {
        return cli_error("out of memory");
    }
    if (read_parameters(row, body, body->coordinates, room, &count, &round) != CLI_YES) {
        return CLI_BAD;
    }
    body->shape = row->make != NULL ? row->make(body->coordinates) : apart_polygon(body->coordinates, count / 2);
    body->shape = round != 0 ? apart_rounded(body->shape, round) : body->shape;
    const apart_status status = apart_shape_check(&body->shape);
    if (status != APART_OK) {
        char reason[CLI_TEXT_SIZE];
        return cli_error("%s: %s: %s; expected %s", body->name, body->text, cli_reason(status, reason), row->form);
    }
    return CLI_YES;
}

char *cli_read_all(FILE *stream, const char *name, size_t *size)
{
    size_t room = 1 << 16;
    char *data = malloc(room);
    *size = 0;
    while (data != NULL) {
        *size += fread(data + *size, 1, room - *size, stream);
        if (*size < room) {
            break;
        }
        room *= 2;
        char *larger = realloc(data, room);
        if (larger == NULL) {
            free(data);
        }
        data = larger;
    }
    if (data == NULL) {
        cli_error("%s: out of memory", name);
    } else if (ferror(stream)) {
        cli_error("%s: cannot read: %s", name, strerror(errno));
        free(data);
        data = NULL;
    }
    return data;
}

const char *cli_input_name(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

char *cli_read_text(const char *path, size_t *size)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, as Excel and Windows editors write it */
    const char *name = cli_input_name(path);
    FILE *stream = name != path ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        cli_error("%s: cannot open: %s", name, strerror(errno));
        return NULL;
    }
    char *data = cli_read_all(stream, name, size);
    if (stream != stdin) {
        fclose(stream);
    }
    if (data != NULL && memchr(data, '\0', *size) != NULL) {
        cli_error("%s: not a text file", name);
        free(data);
        return NULL;
    }
    const size_t skipped = data != NULL && *size >= 3 && memcmp(data, mark, 3) == 0 ? 3 : 0;
    char *text = data != NULL ? malloc(*size - skipped + 1) : NULL;
    if (text != NULL) {
        *size -= skipped;
        memcpy(text, data + skipped, *size);
        text[*size] = '\0';
    } else if (data != NULL) {
        cli_error("%s: out of memory", name);
    }
    free(data);
    return text;
}

/* "bx:1,1,1": a misspelt shape rather than a missing file. */
static int unknown_shape(const cli_body *body)
{
    const char *names[SHAPE_COUNT + 1] = {NULL};
    char word[CLI_TEXT_SIZE], suggestion[CLI_TEXT_SIZE];
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        names[i] = shapes[i].name;
    }
    snprintf(word, sizeof word, "%.*s", (int)(strcspn(body->text, ":") % 64), body->text);
    return cli_error("%s: %s: unknown shape '%s'%s, and no such file; see 'apart help distance'", body->name,
                     body->text, word, cli_suggestion(word, names, suggestion));
}

static int round_body(cli_body *body, const cli_meshes *meshes, double round)
{
    char reason[CLI_TEXT_SIZE];
    if (cli_body_has_parts(body)) {
        return cli_error("%s: %s is taken as a %s, which cannot be rounded; use %s hull", body->name, body->text,
                         apart_mesh_as_name(body->mesh->as), meshes->as_option != NULL ? meshes->as_option : "--as");
    }
    body->shape = apart_rounded(body->shape, round);
    const apart_status check = apart_shape_check(&body->shape);
    return check == APART_OK ? CLI_YES
                             : cli_error("%s: rounded by %g: %s", body->name, round, cli_reason(check, reason));
}

int cli_body_load(cli_body *body, const cli_meshes *meshes, double round)
{
    const shape_row *row = find_shape(body->text);
    if (body->text[0] == '\0') {
        return cli_error("%s: the body is empty; expected a file or a shape such as box:1,1,1", body->name);
    }
    if (row == NULL && strchr(body->text, ':') != NULL && !cli_file_exists(body->text)) {
        return unknown_shape(body);
    }
    const int status = row != NULL ? make_shape(row, body) : cli_mesh_body_load(body, meshes);
    return status == CLI_YES && round > 0 ? round_body(body, meshes, round) : status;
}

void cli_body_free(cli_body *body)
{
    apart_mesh_body_free(body->mesh);
    free(body->coordinates);
    body->mesh = NULL;
    body->coordinates = NULL;
}

int cli_bodies_load(const cli_settings *settings, cli_body bodies[2])
{
    cli_meshes meshes[2];
    bodies[0] = (cli_body){.name = "A", .text = settings->operands[0]};
    bodies[1] = (cli_body){.name = "B", .text = settings->operands[1]};
    if (strcmp(bodies[0].text, "-") == 0 && strcmp(bodies[1].text, "-") == 0) {
        return cli_error("only one of A and B can be read from standard input");
    }
    if (cli_meshes_of(settings, 0, &meshes[0]) != CLI_YES || cli_meshes_of(settings, 1, &meshes[1]) != CLI_YES ||
        cli_pose_read("--pose-a", settings->pose_a, &bodies[0].pose) != CLI_YES ||
        cli_pose_read("--pose-b", settings->pose_b, &bodies[1].pose) != CLI_YES ||
        cli_body_load(&bodies[0], &meshes[0], settings->round_a) != CLI_YES ||
        cli_body_load(&bodies[1], &meshes[1], settings->round_b) != CLI_YES) {
        cli_bodies_free(bodies);
        return CLI_BAD;
    }
    return CLI_YES;
}

void cli_bodies_free(cli_body bodies[2])
{
    cli_body_free(&bodies[0]);
    cli_body_free(&bodies[1]);
}

int cli_query_error(const cli_body bodies[2], apart_status status)
{
    char reason[CLI_TEXT_SIZE];
    cli_reason(status, reason);
    if (status == APART_ERR_DIMENSION) {
        return cli_error("%s (A: %s is %dD, B: %s is %dD)", reason, bodies[0].text, bodies[0].shape.dim, bodies[1].text,
                         bodies[1].shape.dim);
    }
    if (status == APART_ERR_NULL) { /* of the library: a query that takes no meshes */
        return cli_error("%s and %s: this cannot be asked of meshes yet; use --as cover or hull", bodies[0].text,
                         bodies[1].text);
    }
    return cli_error("%s and %s: %s", bodies[0].text, bodies[1].text, reason);
}
