/* Results as JSON. The keys are documented in apart(1) and stay as they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

json_t *cli_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL) {
        return string;
    }
    /* Not UTF-8: a file name, which JSON cannot hold as it is. */
    char *plain = malloc(strlen(text) + 1);
    for (size_t i = 0; plain != NULL && (i == 0 || text[i - 1] != '\0'); i++) {
        plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    }
    string = plain != NULL ? json_string(plain) : NULL;
    free(plain);
    return string;
}

json_t *cli_json_numbers(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array, cli_json_number(values[i]));
    }
    return array;
}

json_t *cli_json_vec(apart_vec3 v, int dim)
{
    const double values[3] = {v.x, v.y, v.z};
    return cli_json_numbers(values, dim == 2 ? 2 : 3);
}

static json_t *index_json(uint32_t index) { return index == APART_NO_INDEX ? json_null() : json_integer(index); }

static json_t *pose_json(const apart_pose *pose)
{
    const apart_mat3 *r = &pose->rotation;
    return json_pack("{s:[[fff][fff][fff]], s:o}", "matrix", r->x.x, r->y.x, r->z.x, r->x.y, r->y.y, r->z.y, r->x.z,
                     r->y.z, r->z.z, "xyz", cli_json_vec(pose->translation, 3));
}

static json_t *feature_json(const apart_feature *feature)
{
    json_t *vertices = json_array();
    for (int i = 0; i < feature->count; i++) {
        json_array_append_new(vertices, index_json(feature->index[i]));
    }
    return json_pack("{s:s, s:o, s:o}", "kind", apart_feature_name(feature->kind), "number",
                     index_json(feature->number), "vertices", vertices);
}

static json_t *triple_json(const uint32_t *corners)
{
    return json_pack("[I, I, I]", (json_int_t)corners[0], (json_int_t)corners[1], (json_int_t)corners[2]);
}

/* What is said of a body from a file: how it is taken, and the part that decides. */
static void add_mesh(json_t *object, const cli_body *body, uint32_t part)
{
    const apart_mesh_body *mesh = body->mesh;
    json_object_set_new(object, "as", json_string(apart_mesh_as_name(mesh->as)));
    json_object_set_new(object, "scale", cli_json_number(body->scale));
    if (mesh->as == APART_AS_HULL) {
        json_object_set_new(object, "deviation", cli_json_number(mesh->deviation));
    } else if (mesh->as == APART_AS_COVER) {
        json_object_set_new(object, "excess", cli_json_number(apart_cover_excess(mesh->cover)));
        json_object_set_new(object, "hulls", json_integer(apart_cover_count(mesh->cover)));
        json_object_set_new(object, "hull", json_integer(part));
    } else {
        const uint32_t face = mesh->faces != NULL ? mesh->faces[part] : part;
        json_object_set_new(object, "watertight", json_boolean(apart_mesh_inspect(mesh->mesh)->watertight));
        json_object_set_new(object, "triangles", json_integer((json_int_t)mesh->triangle_count));
        json_object_set_new(object, "triangle", json_integer(part));
        json_object_set_new(object, "corners", triple_json(mesh->triangles + 3 * (size_t)part));
        json_object_set_new(object, "face", json_integer(face));
    }
}

static const char *shape_word(const cli_body *body)
{
    return !cli_body_has_parts(body)          ? apart_shape_name(&body->shape)
           : body->mesh->as == APART_AS_COVER ? "cover"
                                              : "mesh";
}

static json_t *body_json(const cli_body *body, apart_vec3 point, int dim, uint32_t part, const apart_feature *feature)
{
    json_t *object = json_pack("{s:o, s:s, s:o, s:o}", "body", cli_json_text(body->text), "shape", shape_word(body),
                               "pose", pose_json(&body->pose), "point", cli_json_vec(point, dim));
    if (feature != NULL) {
        json_object_set_new(object, "feature", feature_json(feature));
    }
    if (body->mesh != NULL) {
        add_mesh(object, body, part);
    }
    return object;
}

static json_t *simplex_json(const apart_result *result)
{
    json_t *simplex = json_array();
    for (int i = 0; i < result->count; i++) {
        json_array_append_new(simplex,
                              json_pack("{s:o, s:o, s:f}", "index_a", index_json(result->index_a[i]), "index_b",
                                        index_json(result->index_b[i]), "lambda", result->lambda[i]));
    }
    return simplex;
}

json_t *cli_json_result(const cli_body bodies[2], const apart_compound_result *found, int frame)
{
    const apart_result *result = &found->result;
    apart_result shown = *result;
    apart_feature feature[2];
    if (frame != CLI_FRAME_WORLD) {
        apart_result_in_frame(result, &bodies[frame == CLI_FRAME_A ? 0 : 1].pose, &shown);
    }
    const bool known = cli_features(bodies, found, feature);
    const int dim = result->dim;
    json_t *root =
        json_pack("{s:s, s:i, s:f, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:i, s:s, s:s, s:b}", "apart",
                  apart_version(), "dim", dim, "distance", shown.distance, "lower", cli_json_number(shown.lower),
                  "upper", cli_json_number(shown.upper), "relation", apart_relation_name(shown.relation), "frame",
                  cli_frame_name(frame), "normal", cli_json_vec(shown.normal, dim), "a",
                  body_json(&bodies[0], shown.a, dim, found->part_a, known ? &feature[0] : NULL), "b",
                  body_json(&bodies[1], shown.b, dim, found->part_b, known ? &feature[1] : NULL), "simplex",
                  simplex_json(result), "iterations", (int)shown.iterations, "stop", apart_stop_name(shown.stop),
                  "solver", apart_solver_name(shown.solver), "fallback", (int)shown.fallback);
    if (root != NULL && cli_has_parts(bodies)) {
        json_object_set_new(root, "queries", json_integer(found->queries));
        json_object_set_new(root, "boxes", json_integer(found->boxes));
    }
    return root;
}

json_t *cli_json_stats(const apart_stats *stats)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "queries", (json_int_t)stats->queries,
                     "iterations", (json_int_t)stats->iterations, "support_calls", (json_int_t)stats->support_calls,
                     "vertices_visited", (json_int_t)stats->vertices_visited, "edges_climbed",
                     (json_int_t)stats->edges_climbed, "vertices_transformed", (json_int_t)stats->vertices_transformed,
                     "solver_calls", (json_int_t)stats->solver_calls, "fallbacks", (json_int_t)stats->fallbacks,
                     "multiplications", (json_int_t)stats->multiplications, "divisions", (json_int_t)stats->divisions);
}

json_t *cli_json_step(const apart_trace_step *step, int dim)
{
    json_t *simplex = json_array();
    for (uint32_t i = 0; i < step->count; i++) {
        json_array_append_new(simplex,
                              json_pack("{s:o, s:o, s:o, s:o, s:f}", "index_a", index_json(step->index_a[i]), "index_b",
                                        index_json(step->index_b[i]), "a", cli_json_vec(step->point_a[i], dim), "b",
                                        cli_json_vec(step->point_b[i], dim), "lambda", step->lambda[i]));
    }
    return json_pack("{s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:o, s:o, s:b}", "simplex", simplex, "v",
                     cli_json_vec(step->v, dim), "support", "index_a", index_json(step->support_index_a), "index_b",
                     index_json(step->support_index_b), "a", cli_json_vec(step->support_a, dim), "b",
                     cli_json_vec(step->support_b, dim), "lower", cli_json_number(step->lower), "upper",
                     cli_json_number(step->upper), "fallback", (int)step->fallback);
}

json_t *cli_json_trace(const cli_body bodies[2], const apart_trace *trace, const apart_compound_result *found)
{
    const uint32_t stored = trace->count < trace->capacity ? trace->count : trace->capacity;
    json_t *steps = json_array();
    for (uint32_t i = 0; i < stored; i++) {
        json_array_append_new(steps, cli_json_step(&trace->steps[i], found->result.dim));
    }
    return json_pack("{s:o, s:f, s:f, s:o, s:o}", "origin", cli_json_vec(trace->origin, found->result.dim), "radius_a",
                     trace->radius_a, "radius_b", trace->radius_b, "steps", steps, "result",
                     cli_json_result(bodies, found, CLI_FRAME_WORLD));
}

/* A point or normal of `dim` numbers. */
static bool read_vec(const json_t *array, int dim, apart_vec3 *out)
{
    double values[3] = {0};
    if (!json_is_array(array) || json_array_size(array) != (size_t)dim) {
        return false;
    }
    for (size_t i = 0; i < (size_t)dim; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_number(value)) {
            return false;
        }
        values[i] = json_number_value(value);
    }
    *out = (apart_vec3){values[0], values[1], values[2]};
    return true;
}

static bool read_name(const json_t *root, const char *key, const char *(*name)(int), int count, uint8_t *out)
{
    const char *text = json_string_value(json_object_get(root, key));
    for (int i = 0; text != NULL && i < count; i++) {
        if (strcmp(text, name(i)) == 0) {
            *out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool read_simplex(const json_t *array, apart_result *out)
{
    const size_t count = json_array_size(array);
    if (!json_is_array(array) || count > 4) {
        return false;
    }
    out->count = (uint8_t)count;
    for (size_t i = 0; i < count; i++) {
        const json_t *point = json_array_get(array, i);
        const json_t *a = json_object_get(point, "index_a"), *b = json_object_get(point, "index_b");
        const json_t *lambda = json_object_get(point, "lambda");
        if (!json_is_number(lambda)) {
            return false;
        }
        out->index_a[i] = json_is_integer(a) ? (uint32_t)json_integer_value(a) : APART_NO_INDEX;
        out->index_b[i] = json_is_integer(b) ? (uint32_t)json_integer_value(b) : APART_NO_INDEX;
        out->lambda[i] = json_number_value(lambda);
    }
    return true;
}

/* A number, or for a bound the null that stands for minus infinity. */
static bool read_number(const json_t *root, const char *key, bool null_allowed, double *out)
{
    const json_t *value = json_object_get(root, key);
    *out = json_is_number(value) ? json_number_value(value) : -INFINITY;
    return json_is_number(value) || (null_allowed && json_is_null(value));
}

/* The name of the first key that is missing or wrong, or NULL. */
static const char *read_result(const json_t *root, apart_result *out)
{
    const json_t *dim = json_object_get(root, "dim");
    if (!json_is_integer(dim) || json_integer_value(dim) < 2 || json_integer_value(dim) > 3) {
        return "\"dim\" (2 or 3)";
    }
    out->dim = (uint8_t)json_integer_value(dim);
    const char *frame = json_string_value(json_object_get(root, "frame"));
    if (frame == NULL || strcmp(frame, "world") != 0) {
        return "\"frame\": \"world\"";
    }
    if (!read_number(root, "distance", false, &out->distance)) {
        return "\"distance\" (a number)";
    }
    if (!read_number(root, "lower", true, &out->lower)) {
        return "\"lower\" (a number)";
    }
    if (!read_number(root, "upper", false, &out->upper)) {
        return "\"upper\" (a number)";
    }
    if (!read_vec(json_object_get(root, "normal"), out->dim, &out->normal)) {
        return "\"normal\" (an array of dim numbers)";
    }
    if (!read_vec(json_object_get(json_object_get(root, "a"), "point"), out->dim, &out->a)) {
        return "\"a\": {\"point\": an array of dim numbers}";
    }
    if (!read_vec(json_object_get(json_object_get(root, "b"), "point"), out->dim, &out->b)) {
        return "\"b\": {\"point\": an array of dim numbers}";
    }
    if (!read_simplex(json_object_get(root, "simplex"), out)) {
        return "\"simplex\" (an array of at most 4)";
    }
    if (!read_name(root, "relation", apart_relation_name, APART_BEYOND + 1, &out->relation)) {
        return "\"relation\" (disjoint, touching, overlapping or beyond)";
    }
    if (!read_name(root, "stop", apart_stop_name, APART_STOP_WORKSPACE + 1, &out->stop)) {
        return "\"stop\" (converged, ...)";
    }
    return read_name(root, "solver", apart_solver_name, APART_SOLVER_COUNT, &out->solver) ? NULL
                                                                                          : "\"solver\" (default, ...)";
}

/* The number of the triangle or hull that decides; 0 where there is none. False: it is wrong. */
static bool read_part(const json_t *body, uint32_t *out)
{
    const json_t *triangle = json_object_get(body, "triangle"), *hull = json_object_get(body, "hull"),
                 *part = triangle != NULL ? triangle : hull;
    const json_int_t number = json_is_integer(part) ? json_integer_value(part) : part == NULL ? 0 : -1;
    *out = number >= 0 && number < UINT32_MAX ? (uint32_t)number : 0;
    return number >= 0 && number < UINT32_MAX;
}

static const char *read_found(const json_t *root, apart_compound_result *out)
{
    if (!read_part(json_object_get(root, "a"), &out->part_a) || !read_part(json_object_get(root, "b"), &out->part_b)) {
        return "\"a\" and \"b\": {\"triangle\" or \"hull\": a number from 0}";
    }
    return read_result(root, &out->result);
}

int cli_json_read_result(const char *path, apart_compound_result *out)
{
    json_error_t error;
    *out = (apart_compound_result){.part_a = 0};
    const char *name = cli_input_name(path);
    size_t size;
    char *text = cli_read_text(path, &size);
    if (text == NULL) {
        return CLI_BAD;
    }
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (root == NULL) {
        return cli_error("%s:%d:%d: %s; expected the output of 'apart distance --json'", name, error.line, error.column,
                         error.text);
    }
    const char *missing = read_found(root, out);
    const int status =
        missing == NULL ? CLI_YES : cli_error("%s: expected %s, as 'apart distance --json' prints it", name, missing);
    json_decref(root);
    return status;
}

int cli_json_print(json_t *value, FILE *stream, bool compact)
{
    const size_t style = compact ? JSON_COMPACT : JSON_INDENT(2);
    if (value == NULL) {
        return cli_error("out of memory");
    }
    const int failed = json_dumpf(value, stream, style | JSON_REAL_PRECISION(17));
    fputc('\n', stream);
    json_decref(value);
    /* A write that failed is reported when the stream is closed. */
    return failed != 0 && !ferror(stream) ? cli_error("cannot print JSON") : CLI_YES;
}
