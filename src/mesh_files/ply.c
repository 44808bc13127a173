/* PLY (Stanford): text, or binary of either byte order. The element "vertex" gives x, y, z, the element "face" its
 * list "vertex_indices" or "vertex_index"; all other elements and properties are skipped.
 *
 * Every scalar is read as a double, which holds all types exactly, so one row reader serves the three encodings. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/file.h"
#include "builder.h"
#include "../text/report.h"
#include "../text/text.h"

typedef enum scalar_kind { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT } scalar_kind;

typedef struct scalar_type {
    const char *names[2];
    uint8_t size;
    uint8_t kind;
} scalar_type;

static const scalar_type types[] = {
    {{"char", "int8"}, 1, KIND_SIGNED},    {{"uchar", "uint8"}, 1, KIND_UNSIGNED},
    {{"short", "int16"}, 2, KIND_SIGNED},  {{"ushort", "uint16"}, 2, KIND_UNSIGNED},
    {{"int", "int32"}, 4, KIND_SIGNED},    {{"uint", "uint32"}, 4, KIND_UNSIGNED},
    {{"float", "float32"}, 4, KIND_FLOAT}, {{"double", "float64"}, 8, KIND_FLOAT},
};
enum { TYPES = sizeof types / sizeof types[0] };

typedef enum property_role { ROLE_X, ROLE_Y, ROLE_Z, ROLE_INDICES, ROLE_NONE } property_role;

typedef struct property {
    const scalar_type *type;
    const scalar_type *count_type; /* NULL unless it is a list */
    property_role role;
} property;

typedef enum element_role { ELEMENT_VERTEX, ELEMENT_FACE, ELEMENT_OTHER } element_role;

typedef struct element {
    uint64_t count;
    size_t first, property_count;
    element_role role;
    size_t line;
} element;

typedef enum encoding { ENCODING_TEXT, ENCODING_LITTLE, ENCODING_BIG } encoding;

typedef struct ply_reader {
    ap_mesh_builder *b;
    ap_text text; /* the header; and the rows of a text file, the bytes of a binary one */
    encoding encoding;
    element *elements;
    size_t element_count, element_capacity;
    property *properties;
    size_t property_count, property_capacity;
    uint64_t row, row_count; /* the present row, for messages */
    const char *row_name;
} ply_reader;

/* ---- header ---- */

static apart_status read_scalar_type(ap_text *text, int whole, const scalar_type **out)
{
    ap_token token;
    ap_text_token(text, &token);
    for (size_t i = 0; i < TYPES; i++) {
        if ((ap_token_is(&token, types[i].names[0]) || ap_token_is(&token, types[i].names[1])) &&
            !(whole && types[i].kind == KIND_FLOAT)) {
            *out = &types[i];
            return APART_OK;
        }
    }
    return ap_text_expected(text, &token,
                            whole ? "a whole-number type for the length of a list"
                                  : "a property type such as float or int");
}

static property_role property_role_of(const element *e, const property *p, const ap_token *name)
{
    static const char *const axes[3] = {"x", "y", "z"};
    if (e->role == ELEMENT_FACE && p->count_type &&
        (ap_token_is(name, "vertex_indices") || ap_token_is(name, "vertex_index"))) {
        return ROLE_INDICES;
    }
    for (int k = 0; k < 3; k++) {
        if (e->role == ELEMENT_VERTEX && !p->count_type && ap_token_is(name, axes[k])) {
            return (property_role)(ROLE_X + k);
        }
    }
    return ROLE_NONE;
}

/* "property TYPE NAME" or "property list COUNT_TYPE TYPE NAME". */
static apart_status read_property(ply_reader *r)
{
    ap_text *text = &r->text;
    ap_token token;
    property p = {0};
    if (r->element_count == 0) {
        return ap_text_expected(text, &text->last, "'element' before the first property");
    }
    const ap_text before = *text;
    apart_status status = APART_OK;
    if (ap_text_token(text, &token) && ap_token_is(&token, "list")) {
        status = read_scalar_type(text, 1, &p.count_type);
    } else {
        *text = before;
    }
    if (status == APART_OK) {
        status = read_scalar_type(text, 0, &p.type);
    }
    if (status != APART_OK) {
        return status;
    }
    if (!ap_text_token(text, &token)) {
        return ap_text_expected(text, &token, "the name of a property");
    }
    property *moved = ap_grow(r->properties, &r->property_capacity, r->property_count + 1, sizeof *moved);
    if (!moved) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    r->properties = moved;
    element *e = &r->elements[r->element_count - 1];
    p.role = property_role_of(e, &p, &token);
    for (size_t i = e->first; i < r->property_count && p.role != ROLE_NONE; i++) {
        if (r->properties[i].role == p.role) {
            return ap_text_expected(text, &token, "each property once");
        }
    }
    r->properties[r->property_count++] = p;
    e->property_count++;
    return APART_OK;
}

/* "element NAME COUNT" */
static apart_status read_element(ply_reader *r)
{
    ap_token name;
    element e = {.first = r->property_count, .role = ELEMENT_OTHER, .line = r->text.line};
    if (!ap_text_token(&r->text, &name)) {
        return ap_text_expected(&r->text, &name, "the name of an element");
    }
    if (ap_token_is(&name, "vertex")) {
        e.role = ELEMENT_VERTEX;
    } else if (ap_token_is(&name, "face")) {
        e.role = ELEMENT_FACE;
    }
    for (size_t i = 0; i < r->element_count && e.role != ELEMENT_OTHER; i++) {
        if (r->elements[i].role == e.role) {
            return ap_text_expected(&r->text, &name, "each element once");
        }
    }
    const apart_status status = ap_text_count(&r->text, "the number of elements", 0, &e.count);
    if (status != APART_OK) {
        return status;
    }
    element *moved = ap_grow(r->elements, &r->element_capacity, r->element_count + 1, sizeof *moved);
    if (!moved) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    r->elements = moved;
    r->elements[r->element_count++] = e;
    return APART_OK;
}

/* "format ascii 1.0" and its like */
static apart_status read_ply_format(ply_reader *r)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    ap_token token;
    ap_text_token(&r->text, &token);
    for (int i = 0; i < 3; i++) {
        if (ap_token_is(&token, names[i])) {
            r->encoding = (encoding)i;
            return APART_OK;
        }
    }
    return ap_text_expected(&r->text, &token, "ascii, binary_little_endian or binary_big_endian");
}

/* Lines up to "end_header"; the text is then at the first byte after it. */
static apart_status read_ply_header(ply_reader *r)
{
    ap_text *text = &r->text;
    ap_token word;
    int has_format = 0;
    if (!ap_text_token(text, &word) || !ap_token_is(&word, "ply")) {
        return ap_text_expected(text, &word, "'ply'");
    }
    for (ap_text_skip_line(text); ap_text_content_line(text); ap_text_skip_line(text)) {
        apart_status status = APART_OK;
        ap_text_token(text, &word);
        if (ap_token_is(&word, "end_header")) {
            break;
        }
        if (ap_token_is(&word, "format")) {
            status = read_ply_format(r);
            has_format = 1;
        } else if (ap_token_is(&word, "element")) {
            status = read_element(r);
        } else if (ap_token_is(&word, "property")) {
            status = read_property(r);
        } else if (!ap_token_is(&word, "comment") && !ap_token_is(&word, "obj_info")) {
            status = ap_text_expected(text, &word, "a PLY header line or 'end_header'");
        }
        if (status != APART_OK) {
            return status;
        }
    }
    if (!ap_token_is(&word, "end_header")) {
        ap_text_token(text, &word);
        return ap_text_expected(text, &word, "'end_header'");
    }
    if (!has_format) {
        return ap_text_expected(text, &word, "a line 'format ...' in the header");
    }
    ap_text_skip_line(text);
    return APART_OK;
}

/* ---- values ---- */

/* `size` bytes as an unsigned number. */
static uint64_t load_bytes(const unsigned char *p, size_t size, int big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits |= (uint64_t)p[big_endian ? size - 1 - i : i] << (8 * i);
    }
    return bits;
}

static double scalar_value(uint64_t bits, const scalar_type *type)
{
    if (type->kind == KIND_UNSIGNED) {
        return (double)bits;
    }
    if (type->kind == KIND_SIGNED) {
        const uint64_t sign = (uint64_t)1 << (8 * type->size - 1);
        return (double)bits - (bits & sign ? 2.0 * (double)sign : 0.0);
    }
    double wide;
    float narrow;
    const uint32_t low = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return type->size == 8 ? wide : (double)narrow;
}

/* Reports a wrong value at its position: the line in a text, the row in a binary file. */
static apart_status fail_value(const ply_reader *r, const char *expected)
{
    const ap_text *text = &r->text;
    if (r->encoding == ENCODING_TEXT) {
        return ap_text_expected(text, &text->last, "%s", expected);
    }
    return ap_report(r->b->error, APART_ERR_SYNTAX, r->b->name, 0, 0, "%s %" PRIu64 " of %" PRIu64 ": expected %s",
                     r->row_name, r->row, r->row_count, expected);
}

/* APART_OK if at least `size` bytes are left. */
static apart_status need_bytes(const ply_reader *r, uint64_t size)
{
    if (size <= r->text.size - r->text.position) {
        return APART_OK;
    }
    return ap_report(r->b->error, APART_ERR_SYNTAX, r->b->name, 0, 0,
                     "%s %" PRIu64 " of %" PRIu64 ": expected %" PRIu64 " more bytes, found %zu", r->row_name, r->row,
                     r->row_count, size, r->text.size - r->text.position);
}

/* The next value, finite or not. */
static apart_status read_value(ply_reader *r, const scalar_type *type, double *out)
{
    ap_text *text = &r->text;
    ap_token token;
    if (r->encoding == ENCODING_TEXT) {
        if (ap_text_token(text, &token) && ap_parse_number(token.start, token.length, out)) {
            return APART_OK;
        }
        return fail_value(r, "a finite number");
    }
    const apart_status status = need_bytes(r, type->size);
    if (status != APART_OK) {
        return status;
    }
    *out = scalar_value(load_bytes((const unsigned char *)text->data + text->position, type->size,
                                   r->encoding == ENCODING_BIG),
                        type);
    text->position += type->size;
    return APART_OK;
}

/* Skips `count` values. Those of a text need not be finite. */
static apart_status skip_values(ply_reader *r, const scalar_type *type, uint64_t count)
{
    ap_token token;
    if (r->encoding == ENCODING_TEXT) {
        for (uint64_t i = 0; i < count; i++) {
            if (!ap_text_token(&r->text, &token)) {
                return fail_value(r, "another value");
            }
        }
        return APART_OK;
    }
    const uint64_t left = r->text.size - r->text.position;
    const apart_status status = need_bytes(r, count <= left ? count * type->size : count);
    if (status == APART_OK) {
        r->text.position += (size_t)(count * type->size);
    }
    return status;
}

/* ---- rows ---- */

/* A list's length or a vertex number: whole and not negative. */
static apart_status read_whole(ply_reader *r, const scalar_type *type, const char *what, uint64_t *out)
{
    double value;
    const apart_status status = read_value(r, type, &value);
    if (status != APART_OK) {
        return status;
    }
    if (!(value >= 0 && value <= 9007199254740992.0 && value == floor(value))) {
        return fail_value(r, what);
    }
    *out = (uint64_t)value;
    return APART_OK;
}

static apart_status read_ply_list(ply_reader *r, const property *p)
{
    uint64_t size = 0, index = 0;
    apart_status status = read_whole(r, p->count_type, "the length of a list", &size);
    if (status != APART_OK) {
        return status;
    }
    if (p->role != ROLE_INDICES) {
        return skip_values(r, p->type, size);
    }
    if (size < 3) {
        return fail_value(r, "a face of at least three vertices");
    }
    for (uint64_t i = 0; i < size && status == APART_OK; i++) {
        status = read_whole(r, p->type, "a vertex number", &index);
        const int text = r->encoding == ENCODING_TEXT;
        if (status == APART_OK) {
            status = ap_mesh_add_index(r->b, index, text ? r->text.last.line : 0, text ? r->text.last.column : 0);
        }
    }
    return status == APART_OK ? ap_mesh_end_face(r->b, (size_t)size) : status;
}

static apart_status read_coordinate(ply_reader *r, const property *p, double xyz[3])
{
    double *value = &xyz[p->role - ROLE_X];
    const apart_status status = read_value(r, p->type, value);
    if (status != APART_OK) {
        return status;
    }
    return isfinite(*value) ? APART_OK : fail_value(r, "a finite coordinate");
}

/* One row of an element. */
static apart_status read_ply_row(ply_reader *r, const element *e)
{
    double xyz[3] = {0, 0, 0};
    apart_status status = APART_OK;
    if (r->encoding == ENCODING_TEXT) {
        status = ap_text_record(&r->text, r->row_name, r->row, r->row_count);
    }
    for (size_t i = e->first; i < e->first + e->property_count && status == APART_OK; i++) {
        const property *p = &r->properties[i];
        if (p->count_type) {
            status = read_ply_list(r, p);
        } else if (p->role == ROLE_NONE) {
            status = skip_values(r, p->type, 1);
        } else {
            status = read_coordinate(r, p, xyz);
        }
    }
    if (status == APART_OK && r->encoding == ENCODING_TEXT) {
        status = ap_text_line_end(&r->text, "the last property");
        ap_text_skip_line(&r->text);
    }
    if (status == APART_OK && e->role == ELEMENT_VERTEX) {
        status = ap_mesh_add_vertex(r->b, xyz);
    }
    return status;
}

static apart_status read_ply_rows(ply_reader *r, const element *e)
{
    static const char *const names[] = {"vertex", "face", "element"};
    r->row_name = names[e->role];
    r->row_count = e->count;
    /* Rows without properties take no bytes, so any number of them is valid. */
    const uint64_t count = e->property_count > 0 ? e->count : 0;
    apart_status status = APART_OK;
    for (r->row = 1; r->row <= count && status == APART_OK; r->row++) {
        status = read_ply_row(r, e);
    }
    return status;
}

/* A vertex needs its three coordinates. */
static apart_status check_element(const ply_reader *r, const element *e)
{
    int roles = 0;
    for (size_t i = e->first; i < e->first + e->property_count; i++) {
        roles |= 1 << r->properties[i].role;
    }
    const int needed = 1 << ROLE_X | 1 << ROLE_Y | 1 << ROLE_Z;
    if (e->role != ELEMENT_VERTEX || (roles & needed) == needed) {
        return APART_OK;
    }
    return ap_report(r->b->error, APART_ERR_SYNTAX, r->b->name, e->line, 1,
                     "expected properties x, y and z of the element 'vertex', found not all");
}

apart_status ap_mesh_read_ply(ap_mesh_builder *b, const void *data, size_t size)
{
    ply_reader r = {.b = b};
    ap_text_open(&r.text, data, size, 0, b->name, b->error);
    apart_status status = read_ply_header(&r);
    for (size_t i = 0; i < r.element_count && status == APART_OK; i++) {
        status = check_element(&r, &r.elements[i]);
    }
    for (size_t i = 0; i < r.element_count && status == APART_OK; i++) {
        status = read_ply_rows(&r, &r.elements[i]);
    }
    free(r.elements);
    free(r.properties);
    return status;
}
