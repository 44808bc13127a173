/* Writes the frames of a recording as they come; the head is collected until the first frame. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording.h"

/* ---- values ---- */

/* Unit quaternion x, y, z, w of a rotation; the component with the largest square is the one divided by. */
static void quaternion_of(const apart_mat3 *m, double q[4])
{
    const double xx = m->x.x, yy = m->y.y, zz = m->z.z;
    const double squares[4] = {1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz};
    const double wx = m->y.z - m->z.y, wy = m->z.x - m->x.z, wz = m->x.y - m->y.x;
    const double xy = m->x.y + m->y.x, xz = m->x.z + m->z.x, yz = m->y.z + m->z.y;
    const double rows[4][4] = {{squares[0], xy, xz, wx},
                               {xy, squares[1], yz, wy},
                               {xz, yz, squares[2], wz},
                               {wx, wy, wz, squares[3]}};
    int best = 3;
    for (int i = 0; i < 3; i++) {
        best = squares[i] > squares[best] ? i : best;
    }
    const double *row = rows[best];
    const double length = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3]);
    for (int i = 0; i < 4; i++) {
        q[i] = row[i] / length;
    }
}

/* Turns -0 into 0. */
static double plain(double value) { return value == 0 ? 0.0 : value; }

static void print_numbers(FILE *stream, const double *values, size_t count, int digits)
{
    fputc('[', stream);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "%s%.*g", i == 0 ? "" : ",", digits, plain(values[i]));
    }
    fputc(']', stream);
}

static void print_vec(FILE *stream, apart_vec3 v, int digits)
{
    print_numbers(stream, (const double[]){v.x, v.y, v.z}, 3, digits);
}

void recording_pose_rows(const apart_pose *pose, double rows[12])
{
    const apart_mat3 *r = &pose->rotation;
    const apart_vec3 t = pose->translation;
    const double all[12] = {r->x.x, r->y.x, r->z.x, t.x, r->x.y, r->y.y, r->z.y, t.y, r->x.z, r->y.z, r->z.z, t.z};
    memcpy(rows, all, sizeof all);
}

/* Rounded to the nine digits that are written, and without a turn of less than that: what stands still does not
 * tremble. */
static double round_number(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", fabs(value) < 1e-12 ? 0.0 : value);
    return strtod(text, NULL);
}

static size_t pose_numbers(const apart_pose *pose, bool exact, double out[12])
{
    const apart_mat3 *r = &pose->rotation;
    const apart_vec3 t = pose->translation;
    if (exact) {
        recording_pose_rows(pose, out);
        return 12;
    }
    out[0] = t.x;
    out[1] = t.y;
    out[2] = t.z;
    quaternion_of(r, out + 3);
    for (int i = 0; i < 7; i++) {
        out[i] = round_number(out[i]);
    }
    return 7;
}

static void print_text(FILE *stream, const char *text)
{
    json_t *value = cli_json_text(text);
    json_dumpf(value, stream, JSON_ENCODE_ANY);
    json_decref(value);
}

static bool same_pose(const apart_pose *a, const apart_pose *b) { return memcmp(a, b, sizeof *a) == 0; }

/* ---- the head ---- */

static void print_array(FILE *stream, const char *key, const json_t *array)
{
    const size_t count = json_array_size(array);
    fprintf(stream, "  \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "%s\n    ", i == 0 ? "" : ",");
        json_dumpf(json_array_get(array, i), stream, JSON_COMPACT | JSON_REAL_PRECISION(17));
    }
    fprintf(stream, "%s],\n", count > 0 ? "\n  " : "");
}

static void print_object(FILE *stream, const char *key, const json_t *value)
{
    if (value != NULL) {
        fprintf(stream, "  \"%s\": ", key);
        json_dumpf(value, stream, JSON_COMPACT | JSON_REAL_PRECISION(17));
        fputs(",\n", stream);
    }
}

static void print_head(FILE *stream, const recording_head *head)
{
    fprintf(stream, "{\n  \"apart_recording\": 1,\n  \"kind\": \"%s\",\n", head->kind);
    if (head->title != NULL) {
        fputs("  \"title\": ", stream);
        print_text(stream, head->title);
        fputs(",\n", stream);
    }
    if (head->length_unit != NULL || head->time_unit != NULL) {
        const bool both = head->length_unit != NULL && head->time_unit != NULL;
        fputs("  \"units\": {", stream);
        if (head->length_unit != NULL) {
            fprintf(stream, "\"length\": \"%s\"%s", head->length_unit, both ? ", " : "");
        }
        if (head->time_unit != NULL) {
            fprintf(stream, "\"time\": \"%s\"", head->time_unit);
        }
        fputs("},\n", stream);
    }
    if (head->up != NULL) {
        fprintf(stream, "  \"up\": \"%s\",\n", head->up);
    }
    if (head->limit != NULL) {
        char number[CLI_NUMBER_SIZE];
        fprintf(stream, "  \"limit\": %s,\n", cli_number(*head->limit, number));
    }
}

/* The identity of a shape: the hull it borrows, or all its numbers. */
static char *shape_key(const apart_shape *shape, const json_t *value)
{
    char key[64];
    if (shape->kind != APART_SHAPE_HULL) {
        return json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
    }
    const int length = snprintf(key, sizeof key, "%p %a", (const void *)shape->u.hull, shape->radius);
    char *copy = malloc((size_t)length + 1);
    if (copy != NULL) {
        memcpy(copy, key, (size_t)length + 1);
    }
    return copy;
}

/* The number of a shape in the file, which is written once; value and key are taken over. */
static json_int_t place_shape(recording *r, json_t *value, char *key)
{
    const json_t *known = json_object_get(r->shape_of, key);
    json_int_t number = (json_int_t)json_array_size(r->shapes);
    if (known != NULL) {
        number = json_integer_value(known);
        json_decref(value);
    } else {
        json_array_append_new(r->shapes, value);
        json_object_set_new(r->shape_of, key, json_integer(number));
    }
    free(key);
    return number;
}

/* The number of a shape in the file, or -1 after a message. */
static json_int_t add_shape(recording *r, const apart_shape *shape)
{
    json_t *value = recording_shape(shape);
    char *key = value != NULL ? shape_key(shape, value) : NULL;
    if (key == NULL) {
        json_decref(value);
        return -1;
    }
    return place_shape(r, value, key);
}

static json_int_t add_mesh_shape(recording *r, const apart_mesh *mesh)
{
    json_t *value = recording_mesh_shape(mesh);
    char *key = malloc(64);
    if (value == NULL || key == NULL) {
        json_decref(value);
        free(key);
        (void)cli_error("out of memory");
        return -1;
    }
    snprintf(key, 64, "mesh %p", (const void *)mesh);
    return place_shape(r, value, key);
}

json_t *recording_part_json(recording *r, const apart_part *part)
{
    const apart_pose here = apart_pose_identity();
    const json_int_t number = add_shape(r, &part->shape);
    double numbers[12];
    if (number < 0) {
        return NULL;
    }
    json_t *object = json_pack("{s:I}", "shape", number);
    if (!same_pose(&part->pose, &here)) {
        const size_t count = pose_numbers(&part->pose, r->exact || r->exact_parts, numbers);
        json_object_set_new(object, "pose", cli_json_numbers(numbers, count));
    }
    return object;
}

json_t *recording_mesh_json(recording *r, const apart_robot_mesh *mesh)
{
    const apart_pose here = apart_pose_identity();
    const json_int_t number = add_mesh_shape(r, mesh->mesh);
    if (number < 0) {
        return NULL;
    }
    json_t *object = json_pack("{s:I}", "shape", number);
    if (mesh->surface) {
        json_object_set_new(object, "surface", json_true());
    }
    if (!same_pose(&mesh->pose, &here)) {
        double rows[12];
        recording_pose_rows(&mesh->pose, rows);
        json_object_set_new(object, "pose", cli_json_numbers(rows, 12));
    }
    return object;
}

/* ---- frames ---- */

static void print_poses(recording *r, const apart_pose *poses)
{
    FILE *stream = r->file.stream;
    double numbers[12];
    fputs("\"poses\":[", stream);
    for (size_t i = 0; i < r->body_count; i++) {
        fputs(i == 0 ? "" : ",", stream);
        const size_t count = pose_numbers(&poses[i], r->exact, numbers);
        double *last = r->last + 12 * i;
        if (memcmp(last, numbers, count * sizeof *numbers) == 0) {
            fputs("null", stream);
            continue;
        }
        print_numbers(stream, numbers, count, r->exact ? 17 : 9);
        memcpy(last, numbers, count * sizeof *numbers);
    }
    fputc(']', stream);
}

static void print_pair(FILE *stream, const recording_pair *p)
{
    char number[CLI_NUMBER_SIZE];
    fprintf(stream, "{\"a\":%zu,\"b\":%zu", p->a, p->b);
    if (p->part_a != APART_NO_INDEX && p->part_b != APART_NO_INDEX) {
        fprintf(stream, ",\"part_a\":%u,\"part_b\":%u", (unsigned)p->part_a, (unsigned)p->part_b);
    }
    fprintf(stream, ",\"distance\":%s", cli_number(p->distance, number));
    if (isfinite(p->lower)) {
        fprintf(stream, ",\"lower\":%s", cli_number(p->lower, number));
    }
    if (isfinite(p->upper)) {
        fprintf(stream, ",\"upper\":%s", cli_number(p->upper, number));
    }
    fputs(",\"point_a\":", stream);
    print_vec(stream, p->point_a, 9);
    fputs(",\"point_b\":", stream);
    print_vec(stream, p->point_b, 9);
    fputs(",\"normal\":", stream);
    print_vec(stream, p->normal, 9);
    fputc('}', stream);
}

static void print_frame(recording *r, const recording_frame *frame)
{
    FILE *stream = r->file.stream;
    char number[CLI_NUMBER_SIZE];
    fprintf(stream, "%s    {\"t\":%s,", r->frames == 0 ? "" : ",\n", cli_number(frame->t, number));
    print_poses(r, frame->poses);
    fputs(",\"pairs\":[", stream);
    for (size_t i = 0; i < frame->pair_count; i++) {
        fputs(i == 0 ? "" : ",", stream);
        print_pair(stream, &frame->pairs[i]);
    }
    fputc(']', stream);
    if (frame->label != NULL) {
        fputs(",\"label\":", stream);
        print_text(stream, frame->label);
    }
    for (size_t i = 0; i < frame->value_count; i++) {
        fputs(i == 0 ? ",\"values\":{" : ",", stream);
        print_text(stream, frame->value_names[i]);
        fprintf(stream, ":%s%s", cli_number(frame->values[i], number), i + 1 == frame->value_count ? "}" : "");
    }
    if (frame->step != NULL) {
        fputs(",\"step\":", stream);
        json_dumpf(frame->step, stream, JSON_COMPACT | JSON_REAL_PRECISION(17));
    }
    fputc('}', stream);
}

static bool is_open(const recording *r) { return r->file.stream != NULL; }

static int begin_frames(recording *r)
{
    const apart_pose here = apart_pose_identity(); /* what null means in the first frame */
    r->last = calloc(12 * (r->body_count + 1), sizeof *r->last);
    if (r->last == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < r->body_count; i++) {
        (void)pose_numbers(&here, r->exact, r->last + 12 * i);
    }
    print_array(r->file.stream, "shapes", r->shapes);
    print_array(r->file.stream, "bodies", r->bodies);
    if (json_array_size(r->paths) > 0) {
        print_array(r->file.stream, "paths", r->paths);
    }
    print_object(r->file.stream, "robot", r->robot);
    print_object(r->file.stream, "motion", r->motion);
    fputs("  \"frames\": [\n", r->file.stream);
    return CLI_YES;
}

/* ---- the interface ---- */

static int begin(const recording_head *head, recording *out)
{
    out->exact = head->exact;
    out->exact_parts = head->exact_parts;
    out->shapes = json_array();
    out->bodies = json_array();
    out->paths = json_array();
    out->shape_of = json_object();
    print_head(out->file.stream, head);
    return CLI_YES;
}

int recording_open(const char *path, const recording_head *head, recording *out)
{
    *out = (recording){.frames = 0};
    return cli_file_open(path, &out->file) == CLI_YES ? begin(head, out) : CLI_BAD;
}

int recording_open_memory(char **text, size_t *size, const recording_head *head, recording *out)
{
    *out = (recording){.file = {.stream = open_memstream(text, size), .path = "memory"}};
    return out->file.stream != NULL ? begin(head, out) : cli_error("out of memory");
}

int recording_append_body(recording *r, const char *name, const char *role, const char *colour, json_t *parts)
{
    json_t *body = json_pack("{s:o, s:s, s:o}", "name", cli_json_text(name), "role", role, "parts", parts);
    if (colour != NULL) {
        json_object_set_new(body, "colour", json_string(colour));
    }
    r->body_count++;
    return json_array_append_new(r->bodies, body) == 0 ? CLI_YES : cli_error("out of memory");
}

int recording_add_body(recording *r, const char *name, const char *role, const char *colour, const apart_part *parts,
                       size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *part = recording_part_json(r, &parts[i]);
        if (part == NULL) {
            json_decref(list);
            return CLI_BAD;
        }
        json_array_append_new(list, part);
    }
    return recording_append_body(r, name, role, colour, list);
}

int recording_add_mesh(recording *r, const char *name, const char *role, const apart_mesh_body *body)
{
    if (body->mesh != NULL) {
        const json_int_t number = add_mesh_shape(r, body->mesh);
        return number >= 0 ? recording_append_body(r, name, role, NULL, json_pack("[{s:I}]", "shape", number))
                           : CLI_BAD;
    }
    const size_t count = body->compound != NULL ? apart_compound_count(body->compound) : 1;
    apart_part *parts = calloc(count, sizeof *parts);
    if (parts == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        (void)apart_mesh_body_part(body, (uint32_t)i, &parts[i]);
    }
    const int status = recording_add_body(r, name, role, NULL, parts, count);
    free(parts);
    return status;
}

int recording_add_own(recording *r, const char *role, const cli_body *body)
{
    const apart_part part = {body->shape, apart_pose_identity()}; /* a hull may be rounded */
    return cli_body_has_parts(body) ? recording_add_mesh(r, body->name, role, body->mesh)
                                    : recording_add_body(r, body->name, role, NULL, &part, 1);
}

int recording_add_path(recording *r, const char *name, const apart_vec3 *points, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, cli_json_vec(points[i], 3));
    }
    return json_array_append_new(r->paths, json_pack("{s:o, s:o}", "name", cli_json_text(name), "points", list)) == 0
               ? CLI_YES
               : cli_error("out of memory");
}

int recording_write(recording *r, const recording_frame *frame)
{
    if (r->frames == 0 && begin_frames(r) != CLI_YES) {
        return CLI_BAD;
    }
    print_frame(r, frame);
    r->frames++;
    return CLI_YES; /* what could not be written is reported when the file is closed */
}

int recording_close(recording *r, int status)
{
    if (!is_open(r)) {
        return status;
    }
    if (r->frames > 0) {
        fputs("\n  ]\n}\n", r->file.stream);
    }
    const int closed = cli_file_close(&r->file, status == CLI_BAD || r->frames == 0 ? CLI_BAD : CLI_YES);
    json_decref(r->shapes);
    json_decref(r->bodies);
    json_decref(r->paths);
    json_decref(r->robot);
    json_decref(r->motion);
    json_decref(r->shape_of);
    free(r->last);
    *r = (recording){.frames = 0};
    return closed == CLI_BAD ? CLI_BAD : status;
}

recording_pair recording_pair_of(size_t a, size_t b, const apart_result *result)
{
    return (recording_pair){.a = a,
                            .b = b,
                            .part_a = APART_NO_INDEX,
                            .part_b = APART_NO_INDEX,
                            .distance = result->distance,
                            .lower = result->lower,
                            .upper = result->upper,
                            .point_a = result->a,
                            .point_b = result->b,
                            .normal = result->normal};
}
