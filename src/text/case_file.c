/* Case files: pairs of bodies, as points of any dimension or as primitives with poses, and the expected answer.
 *
 * A case extends from its line "case NAME" to the next one; blank lines and '#' lines may be anywhere. */
#include <stdlib.h>
#include <string.h>

#include <apart/nd.h>

#include "file.h"
#include "report.h"
#include "text.h"

struct apart_case_file {
    char *data;
    char *name;
    ap_text text;
    double *coordinates[2]; /* of A and of B; the next case reuses them */
    size_t capacity[2];
    apart_status status; /* an error ends the file: every further call repeats it */
    apart_io_error error;
};

/* Reads point i of a body: a line of `dim` numbers. */
static apart_status read_case_point(apart_case_file *file, size_t dim, int which, size_t i)
{
    ap_text *text = &file->text;
    double *moved = ap_grow(file->coordinates[which], &file->capacity[which], (i + 1) * dim, sizeof(double));
    if (!moved) {
        return ap_report_memory(text->error, text->name);
    }
    file->coordinates[which] = moved;
    for (size_t k = 0; k < dim; k++) {
        const apart_status status = ap_text_number(text, "a coordinate", &moved[i * dim + k]);
        if (status != APART_OK) {
            return status;
        }
    }
    return ap_text_line_end(text, "the last coordinate");
}

/* Reads the `count` lines of points whose hull is the body. */
static apart_status read_case_points(apart_case_file *file, size_t dim, int which, uint64_t count,
                                     apart_case_body *body)
{
    ap_text *text = &file->text;
    apart_status status = ap_text_line_end(text, "the number of points");
    for (uint64_t i = 0; i < count && status == APART_OK; i++) {
        ap_text_skip_line(text);
        status = ap_text_record(text, "point", i + 1, count);
        if (status == APART_OK) {
            status = read_case_point(file, dim, which, (size_t)i);
        }
    }
    *body = (apart_case_body){.is_points = 1, .coordinates = file->coordinates[which], .count = (size_t)count};
    body->pose = apart_pose_identity();
    return status;
}

typedef struct primitive {
    const char *word;
    int parameters;
} primitive;

static const primitive primitives[] = {{"sphere", 1},   {"capsule", 2}, {"box", 3},
                                       {"cylinder", 2}, {"cone", 2},    {"ellipsoid", 3}};
enum { PRIMITIVES = sizeof primitives / sizeof primitives[0] };

static apart_shape make_primitive(size_t kind, const double p[3])
{
    switch (kind) {
    case 0: return apart_sphere(p[0]);
    case 1: return apart_capsule(p[0], p[1]);
    case 2: return apart_box((apart_vec3){p[0], p[1], p[2]});
    case 3: return apart_cylinder(p[0], p[1]);
    case 4: return apart_cone(p[0], p[1]);
    default: return apart_ellipsoid((apart_vec3){p[0], p[1], p[2]});
    }
}

static apart_status read_numbers(ap_text *text, const char *what, int count, double *out)
{
    apart_status status = APART_OK;
    for (int k = 0; k < count && status == APART_OK; k++) {
        status = ap_text_number(text, what, &out[k]);
    }
    return status;
}

/* Takes the word if it comes next on the line. */
static int take_optional_word(ap_text *text, const char *word)
{
    const ap_text before = *text;
    ap_token token;
    if (ap_text_token(text, &token) && ap_token_is(&token, word)) {
        return 1;
    }
    *text = before;
    return 0;
}

/* "quat w x y z at x y z", each part optional. */
static apart_status read_case_pose(ap_text *text, apart_pose *pose)
{
    double q[4] = {1, 0, 0, 0}, at[3] = {0, 0, 0};
    apart_status status = APART_OK;
    if (take_optional_word(text, "quat")) {
        status = read_numbers(text, "four numbers after 'quat'", 4, q);
    }
    const ap_token last = text->last;
    if (status == APART_OK && take_optional_word(text, "at")) {
        status = read_numbers(text, "three numbers after 'at'", 3, at);
    }
    if (status == APART_OK) {
        status = ap_text_line_end(text, "the body");
    }
    if (status != APART_OK) {
        return status;
    }
    status = apart_pose_from_quat_wxyz(q[0], q[1], q[2], q[3], (apart_vec3){at[0], at[1], at[2]}, pose);
    if (status != APART_OK) {
        return ap_report(text->error, APART_ERR_SYNTAX, text->name, last.line, last.column, "%s",
                         apart_status_message(status));
    }
    return APART_OK;
}

/* "SHAPE parameters quat w x y z at x y z"; `word` is the shape's name. */
static apart_status read_primitive(ap_text *text, const apart_case *c, const ap_token *word, apart_case_body *body)
{
    size_t kind = 0;
    while (kind < PRIMITIVES && !ap_token_is(word, primitives[kind].word)) {
        kind++;
    }
    if (kind == PRIMITIVES) {
        return ap_text_expected(text, word,
                                "a number of points >= 1 or sphere, capsule, box, cylinder, cone, ellipsoid");
    }
    if (c->dim != 3) {
        return ap_text_expected(text, word, "points in a case of dimension %zu", c->dim);
    }
    double p[3] = {0, 0, 0};
    apart_status status = read_numbers(text, "a size of the shape", primitives[kind].parameters, p);
    if (status != APART_OK) {
        return status;
    }
    *body = (apart_case_body){.shape = make_primitive(kind, p)};
    if (body->shape.status != APART_OK) {
        return ap_report(text->error, APART_ERR_SYNTAX, text->name, word->line, word->column, "%s",
                         apart_status_message((apart_status)body->shape.status));
    }
    return read_case_pose(text, &body->pose);
}

/* A line "A ..." or "B ..." after its first word. */
static apart_status read_case_body(apart_case_file *file, const apart_case *c, int which, apart_case_body *body)
{
    ap_text *text = &file->text;
    ap_token word;
    int64_t count;
    if (!ap_text_token(text, &word)) {
        return ap_text_expected(text, &word, "a number of points or a shape");
    }
    if (ap_parse_integer(word.start, word.length, &count) && count > 0) {
        return read_case_points(file, c->dim, which, (uint64_t)count, body);
    }
    return read_primitive(text, c, &word, body);
}

static apart_status read_relation(ap_text *text, apart_case *c)
{
    ap_token word;
    ap_text_token(text, &word);
    for (int relation = APART_DISJOINT; relation <= APART_OVERLAPPING; relation++) {
        if (ap_token_is(&word, apart_relation_name(relation))) {
            c->relation = relation;
            return ap_text_line_end(text, "the relation");
        }
    }
    return ap_text_expected(text, &word, "disjoint, touching or overlapping");
}

/* "expect distance D" or "expect relation R". */
static apart_status read_expect(ap_text *text, apart_case *c)
{
    ap_token word;
    ap_text_token(text, &word);
    if (ap_token_is(&word, "relation")) {
        return read_relation(text, c);
    }
    if (!ap_token_is(&word, "distance")) {
        return ap_text_expected(text, &word, "'distance' or 'relation' after 'expect'");
    }
    const apart_status status = ap_text_number(text, "the expected distance", &c->distance);
    c->has_distance = status == APART_OK;
    return status == APART_OK ? ap_text_line_end(text, "the distance") : status;
}

static apart_status read_case_dim(ap_text *text, apart_case *c)
{
    uint64_t dim;
    const apart_status status = ap_text_count(text, "a dimension from 1 to 1024", 1, &dim);
    if (status != APART_OK) {
        return status;
    }
    if (dim > APART_ND_MAX_DIM) {
        return ap_text_expected(text, &text->last, "a dimension from 1 to %d", APART_ND_MAX_DIM);
    }
    c->dim = (size_t)dim;
    return ap_text_line_end(text, "the dimension");
}

/* The line "case NAME" after its first word. */
static apart_status read_case_name(ap_text *text, apart_case *c)
{
    ap_token name;
    if (!ap_text_token(text, &name) || name.length >= sizeof c->name || !ap_is_printable(name.start, name.length)) {
        return ap_text_expected(text, &name, "a printable case name of at most %zu bytes", sizeof c->name - 1);
    }
    memcpy(c->name, name.start, name.length);
    return ap_text_line_end(text, "the name");
}

/* The lines of a case after its name, up to the next "case" or the end of the file. */
static apart_status read_case_lines(apart_case_file *file, apart_case *c)
{
    ap_text *text = &file->text;
    int has_body[2] = {0, 0};
    apart_status status = APART_OK;
    for (ap_text_skip_line(text); status == APART_OK && ap_text_content_line(text); ap_text_skip_line(text)) {
        const ap_text before = *text;
        ap_token word;
        ap_text_token(text, &word);
        const int which = ap_token_is(&word, "B");
        if (ap_token_is(&word, "case")) {
            *text = before;
            break;
        }
        if ((ap_token_is(&word, "A") || which) && !has_body[which]) {
            has_body[which] = 1;
            status = read_case_body(file, c, which, which ? &c->b : &c->a);
        } else if (ap_token_is(&word, "dim") && !has_body[0] && !has_body[1]) {
            status = read_case_dim(text, c);
        } else if (ap_token_is(&word, "expect")) {
            status = read_expect(text, c);
        } else {
            status = ap_text_expected(text, &word, "'dim', then 'A' and 'B' once each, 'expect' or the next 'case'");
        }
    }
    if (status == APART_OK && !(has_body[0] && has_body[1])) {
        ap_token next;
        ap_text_token(text, &next);
        return ap_text_expected(text, &next, "the body %s of the case '%s'", has_body[0] ? "B" : "A", c->name);
    }
    return status;
}

static apart_status read_case(apart_case_file *file, apart_case *c)
{
    ap_text *text = &file->text;
    ap_token word;
    ap_text_token(text, &word);
    if (!ap_token_is(&word, "case")) {
        return ap_text_expected(text, &word, "'case NAME'");
    }
    *c = (apart_case){.dim = 3, .relation = -1, .line = word.line};
    const apart_status status = read_case_name(text, c);
    return status == APART_OK ? read_case_lines(file, c) : status;
}

/* Makes a case file of `data` and takes ownership of it. */
static apart_status open_case_data(char *data, size_t size, const char *name, apart_case_file **out,
                                   apart_io_error *error)
{
    apart_case_file *file = calloc(1, sizeof *file);
    char *copy = malloc(strlen(name) + 1);
    if (!file || !copy) {
        free(file);
        free(copy);
        free(data);
        return ap_report_memory(error, name);
    }
    strcpy(copy, name);
    file->data = data;
    file->name = copy;
    ap_text_open(&file->text, data, size, '#', copy, &file->error);
    *out = file;
    return APART_OK;
}

apart_status apart_case_open(const char *path, apart_case_file **out, apart_io_error *error)
{
    if (!path || !out) {
        return ap_report(error, APART_ERR_NULL, path ? path : "cases", 0, 0, "no path or no place for the file given");
    }
    *out = NULL;
    char *data;
    size_t size;
    const apart_status status = ap_file_read(path, AP_FILE_LIMIT, &data, &size, error);
    return status == APART_OK ? open_case_data(data, size, path, out, error) : status;
}

apart_status apart_case_open_memory(const void *data, size_t size, const char *name, apart_case_file **out,
                                    apart_io_error *error)
{
    name = name ? name : "memory";
    if ((!data && size > 0) || !out) {
        return ap_report(error, APART_ERR_NULL, name, 0, 0, "no data or no place for the file given");
    }
    *out = NULL;
    char *copy = malloc(size > 0 ? size : 1);
    if (!copy) {
        return ap_report_memory(error, name);
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    return open_case_data(copy, size, name, out, error);
}

apart_status apart_case_next(apart_case_file *file, apart_case *out, int *found, apart_io_error *error)
{
    if (!file || !out || !found) {
        return ap_report(error, APART_ERR_NULL, file ? file->name : "cases", 0, 0,
                         "no file, no case or no place for the answer given");
    }
    *found = 0;
    if (file->status == APART_OK && !ap_text_content_line(&file->text)) {
        return APART_OK;
    }
    if (file->status == APART_OK) {
        file->status = read_case(file, out);
    }
    if (file->status != APART_OK) {
        if (error) {
            *error = file->error;
        }
        return file->status;
    }
    *found = 1;
    return APART_OK;
}

void apart_case_close(apart_case_file *file)
{
    if (!file) {
        return;
    }
    free(file->coordinates[0]);
    free(file->coordinates[1]);
    free(file->data);
    free(file->name);
    free(file);
}
