/* OBJ (Wavefront): "v" and "f" statements with names from "o" or "g"; texture, normal, material and curve
 * statements are skipped, and so is a first line of counts. */
#include <stdlib.h>
#include <string.h>

#include "../text/file.h"
#include "builder.h"
#include "../text/report.h"
#include "../text/text.h"

enum { NAME_LIMIT = 256, VERTEX_NUMBERS = 8 };

typedef struct object_name {
    char *name;
    size_t order;
    int is_group; /* from "g", which counts only in files without "o" */
} object_name;

/* The names in force at a face, by number: of an object, of a group. */
typedef struct face_name {
    uint32_t of[2];
} face_name;

typedef struct obj_reader {
    ap_mesh_builder *b;
    ap_text text;
    object_name *names; /* of every object and group that has faces */
    size_t name_count, name_capacity;
    face_name *faces; /* one per face */
    face_name now;
    size_t face_capacity;
    ap_token object, group;            /* in force */
    int object_pending, group_pending; /* no face yet */
    int has_objects, has_names, has_statements;
} obj_reader;

/* Is it a statement that does not matter for a polygon mesh? */
static int is_skipped_statement(const ap_token *word)
{
    static const char *const words[] = {"vt",       "vn",         "vp",        "l",      "p",     "s",     "mg",
                                        "usemtl",   "mtllib",     "usemap",    "maplib", "lod",   "bevel", "c_interp",
                                        "d_interp", "shadow_obj", "trace_obj", "cstype", "deg",   "bmat",  "step",
                                        "curv",     "curv2",      "surf",      "parm",   "trim",  "hole",  "scrv",
                                        "sp",       "end",        "con",       "ctech",  "stech", "bsp",   "bzp",
                                        "cdc",      "cdp",        "res"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ap_token_is(word, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* "v x y z", perhaps followed by a weight or a colour. */
static apart_status read_obj_vertex(obj_reader *r)
{
    double xyz[3], skipped;
    ap_token token;
    apart_status status = APART_OK;
    for (int k = 0; k < 3 && status == APART_OK; k++) {
        status = ap_text_number(&r->text, "three numbers after 'v'", &xyz[k]);
    }
    if (status != APART_OK) {
        return status;
    }
    for (int k = 3; ap_text_token(&r->text, &token); k++) {
        if (k == VERTEX_NUMBERS || !ap_parse_number(token.start, token.length, &skipped)) {
            return ap_text_expected(&r->text, &token, "the end of the line or a weight or colour after 'v x y z'");
        }
    }
    return ap_mesh_add_vertex(r->b, xyz);
}

/* The vertex number of "7", "7/1", "7/1/3" or "7//3", counted from 0. */
static apart_status read_obj_corner(obj_reader *r, const ap_token *token)
{
    const char *slash = memchr(token->start, '/', token->length);
    const size_t length = slash ? (size_t)(slash - token->start) : token->length;
    const int64_t count = (int64_t)r->b->mesh.vertex_count;
    int64_t number;
    if (!ap_parse_integer(token->start, length, &number) || number == 0) {
        return ap_text_expected(&r->text, token, "a vertex number in a face");
    }
    if (number < -count) {
        return ap_text_expected(&r->text, token, "a vertex number not below %lld", (long long)-count);
    }
    const int64_t index = number > 0 ? number - 1 : count + number;
    return ap_mesh_add_index(r->b, (uint64_t)index, token->line, token->column);
}

static apart_status keep_name(obj_reader *r, const ap_token *token, int is_group)
{
    object_name *moved = ap_grow(r->names, &r->name_capacity, r->name_count + 1, sizeof *moved);
    if (!moved) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    r->names = moved;
    char printable[NAME_LIMIT];
    ap_printable(token->length > 0 ? token->start : "default", token->length > 0 ? token->length : 7, printable,
                 sizeof printable);
    char *copy = malloc(strlen(printable) + 1);
    if (!copy) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    strcpy(copy, printable);
    r->names[r->name_count] = (object_name){copy, r->name_count, is_group};
    r->now.of[is_group] = (uint32_t)r->name_count;
    r->name_count++;
    return APART_OK;
}

/* The name of an object or group counts from its first face. */
static apart_status keep_pending_names(obj_reader *r)
{
    apart_status status = APART_OK;
    if (r->object_pending) {
        status = keep_name(r, &r->object, 0);
    }
    if (status == APART_OK && r->group_pending) {
        status = keep_name(r, &r->group, 1);
    }
    r->object_pending = r->group_pending = 0;
    return status;
}

static apart_status read_obj_face(obj_reader *r)
{
    ap_token token;
    size_t size = 0;
    for (; ap_text_token(&r->text, &token); size++) {
        const apart_status status = read_obj_corner(r, &token);
        if (status != APART_OK) {
            return status;
        }
    }
    if (size < 3) {
        return ap_text_expected(&r->text, &token, "at least three vertex numbers after 'f'");
    }
    const apart_status status = keep_pending_names(r);
    face_name *moved =
        status == APART_OK ? ap_grow(r->faces, &r->face_capacity, r->b->mesh.face_count + 1, sizeof *moved) : NULL;
    if (!moved) {
        return status == APART_OK ? ap_report_memory(r->b->error, r->b->name) : status;
    }
    r->faces = moved;
    r->faces[r->b->mesh.face_count] = r->now;
    return ap_mesh_end_face(r->b, size);
}

static void read_obj_name(obj_reader *r, int is_group)
{
    if (is_group) {
        r->group = ap_text_rest(&r->text);
        r->group_pending = 1;
    } else {
        r->object = ap_text_rest(&r->text);
        r->object_pending = 1;
        r->has_objects = 1;
    }
    r->has_names = 1;
}

/* Some programs write the numbers of vertices and faces before the first statement. They are not trusted. */
static int are_counts(obj_reader *r, const ap_token *first)
{
    ap_token token = *first;
    int64_t number;
    int are = 1, count = 0;
    do {
        are = are && ++count <= 3 && ap_parse_integer(token.start, token.length, &number) && number >= 0;
    } while (are && ap_text_token(&r->text, &token));
    return are;
}

static apart_status read_obj_statement(obj_reader *r)
{
    ap_token word;
    ap_text_token(&r->text, &word);
    const int is_first = !r->has_statements;
    r->has_statements = 1;
    if (ap_token_is(&word, "v")) {
        return read_obj_vertex(r);
    }
    if (ap_token_is(&word, "f") || ap_token_is(&word, "fo")) {
        return read_obj_face(r);
    }
    if (ap_token_is(&word, "o") || ap_token_is(&word, "g")) {
        read_obj_name(r, *word.start == 'g');
    } else if (!is_skipped_statement(&word) && !(is_first && are_counts(r, &word))) {
        return ap_text_expected(&r->text, &word, "an OBJ statement such as 'v' or 'f'");
    }
    return APART_OK;
}

static int compare_names(const void *p, const void *q)
{
    const object_name *a = p, *b = q;
    const int order = strcmp(a->name, b->name);
    return order ? order : a->order < b->order ? -1 : 1;
}

static int compare_orders(const void *p, const void *q)
{
    const object_name *a = p, *b = q;
    return a->order < b->order ? -1 : 1;
}

/* Keeps each name once, in the order of the file: objects if there are any, else groups. same[i] is the number of
 * the name kept for i. */
static void keep_distinct_names(obj_reader *r, size_t *same)
{
    size_t kept = 0;
    if (r->name_count > 0) {
        qsort(r->names, r->name_count, sizeof *r->names, compare_names);
    }
    for (size_t i = 0; i < r->name_count; i++) {
        const size_t order = r->names[i].order;
        const int wanted = r->has_names && r->names[i].is_group == !r->has_objects;
        if (wanted && (kept == 0 || strcmp(r->names[kept - 1].name, r->names[i].name) != 0)) {
            r->names[kept++] = r->names[i];
        } else {
            free(r->names[i].name);
        }
        same[order] = wanted ? r->names[kept - 1].order : SIZE_MAX;
    }
    r->name_count = kept;
    if (kept > 0) {
        qsort(r->names, kept, sizeof *r->names, compare_orders);
    }
}

/* The object of each face: the name in force, then the one kept for it, then its place among the kept ones. */
static apart_status finish_faces(obj_reader *r, const size_t *same, size_t *place)
{
    apart_mesh_data *m = &r->b->mesh;
    m->face_objects = malloc((m->face_count + 1) * sizeof *m->face_objects);
    if (!m->face_objects) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    for (size_t k = 0; k < r->name_count; k++) {
        place[r->names[k].order] = k;
    }
    for (size_t f = 0; f < m->face_count; f++) {
        m->face_objects[f] = (uint32_t)place[same[r->faces[f].of[!r->has_objects]]];
    }
    return APART_OK;
}

/* Moves the names to the mesh. */
static apart_status finish_names(obj_reader *r)
{
    const size_t all = r->name_count;
    size_t *same = calloc(2 * all + 1, sizeof *same);
    if (!same) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    keep_distinct_names(r, same);
    const apart_status status = r->name_count > 0 ? finish_faces(r, same, same + all) : APART_OK;
    free(same);
    if (r->name_count == 0 || status != APART_OK) {
        return status;
    }
    char **names = malloc(r->name_count * sizeof *names);
    if (!names) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    for (size_t i = 0; i < r->name_count; i++) {
        names[i] = r->names[i].name;
    }
    r->b->mesh.object_names = names;
    r->b->mesh.object_count = r->name_count;
    r->name_count = 0;
    return APART_OK;
}

apart_status ap_mesh_read_obj(ap_mesh_builder *b, const void *data, size_t size)
{
    obj_reader r = {.b = b, .object_pending = 1, .group_pending = 1};
    b->index_base = 1;
    ap_text_open(&r.text, data, size, '#', b->name, b->error);
    r.text.continues = 1;
    apart_status status = APART_OK;
    for (; status == APART_OK && ap_text_content_line(&r.text); ap_text_skip_line(&r.text)) {
        status = read_obj_statement(&r);
    }
    if (status == APART_OK) {
        status = finish_names(&r);
    }
    for (size_t i = 0; i < r.name_count; i++) {
        free(r.names[i].name);
    }
    free(r.names);
    free(r.faces);
    return status;
}
