/* STL (3D Systems), text or binary. Corners with exactly equal coordinates become one vertex.
 *
 * Binary files may start with "solid" too, so their size decides: 84 + 50 * triangles. No text has that size, since
 * four text characters read as a count stand for more than 7 GB. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/file.h"
#include "builder.h"
#include "../text/report.h"
#include "../text/text.h"

enum { BINARY_HEADER = 84, BINARY_TRIANGLE = 50, EMPTY_SLOT = -1 };

/* Vertex numbers by coordinates: open addressing, at most half full. */
typedef struct vertex_table {
    int64_t *slots;
    size_t slot_count; /* a power of two */
} vertex_table;

static uint64_t hash_coordinate(uint64_t h, double value)
{
    uint64_t bits;
    value += 0.0; /* -0 equals +0 */
    memcpy(&bits, &value, sizeof bits);
    h = (h ^ bits) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

/* The slot that holds the vertex, or the empty one where it belongs. */
static size_t find_vertex_slot(const vertex_table *t, const double *xyz, const double v[3])
{
    const uint64_t hash = hash_coordinate(hash_coordinate(hash_coordinate(0, v[0]), v[1]), v[2]);
    size_t slot = (size_t)(hash ^ (hash >> 32)) & (t->slot_count - 1);
    while (t->slots[slot] != EMPTY_SLOT) {
        const double *w = xyz + 3 * (size_t)t->slots[slot];
        if (w[0] == v[0] && w[1] == v[1] && w[2] == v[2]) {
            break;
        }
        slot = (slot + 1) & (t->slot_count - 1);
    }
    return slot;
}

/* Doubles the slots; 0: no memory. */
static int grow_vertex_table(vertex_table *t, const apart_mesh_data *mesh)
{
    vertex_table larger = {NULL, t->slot_count ? 2 * t->slot_count : 64};
    larger.slots = malloc(larger.slot_count * sizeof *larger.slots);
    if (!larger.slots) {
        return 0;
    }
    for (size_t i = 0; i < larger.slot_count; i++) {
        larger.slots[i] = EMPTY_SLOT;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        larger.slots[find_vertex_slot(&larger, mesh->xyz, mesh->xyz + 3 * i)] = (int64_t)i;
    }
    free(t->slots);
    *t = larger;
    return 1;
}

/* Adds a corner of a triangle, as a new vertex or as one that is already there. */
static apart_status add_stl_corner(ap_mesh_builder *b, vertex_table *t, const double v[3])
{
    if (2 * (b->mesh.vertex_count + 1) > t->slot_count && !grow_vertex_table(t, &b->mesh)) {
        return ap_report_memory(b->error, b->name);
    }
    const size_t slot = find_vertex_slot(t, b->mesh.xyz, v);
    if (t->slots[slot] == EMPTY_SLOT) {
        const apart_status status = ap_mesh_add_vertex(b, v);
        if (status != APART_OK) {
            return status;
        }
        t->slots[slot] = (int64_t)b->mesh.vertex_count - 1;
    }
    return ap_mesh_add_index(b, (uint64_t)t->slots[slot], 0, 0);
}

static uint32_t load_u32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double load_float(const unsigned char *p)
{
    const uint32_t bits = load_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int ap_stl_is_binary(const void *data, size_t size)
{
    return size >= BINARY_HEADER &&
           size ==
               BINARY_HEADER + BINARY_TRIANGLE * (uint64_t)load_u32((const unsigned char *)data + BINARY_HEADER - 4);
}

static apart_status read_stl_binary(ap_mesh_builder *b, vertex_table *t, const unsigned char *data, size_t size)
{
    const size_t count = (size - BINARY_HEADER) / BINARY_TRIANGLE;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *corner = data + BINARY_HEADER + BINARY_TRIANGLE * i + 12;
        for (int c = 0; c < 3; c++, corner += 12) {
            const double v[3] = {load_float(corner), load_float(corner + 4), load_float(corner + 8)};
            if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2])) {
                return ap_report(b->error, APART_ERR_SYNTAX, b->name, 0, 0,
                                 "triangle %zu of %zu: expected finite coordinates, found a NaN or an infinity", i + 1,
                                 count);
            }
            const apart_status status = add_stl_corner(b, t, v);
            if (status != APART_OK) {
                return status;
            }
        }
        const apart_status status = ap_mesh_end_face(b, 3);
        if (status != APART_OK) {
            return status;
        }
    }
    return APART_OK;
}

/* The next word, on this line or a later one. */
static apart_status take_stl_word(ap_text *text, const char *word)
{
    ap_token token;
    if (ap_text_token_across(text, &token) && ap_token_is_nocase(&token, word)) {
        return APART_OK;
    }
    return ap_text_expected(text, &token, "'%s'", word);
}

/* A facet after its first word: "normal x y z outer loop vertex x y z (three times) endloop endfacet". The normal
 * is not used. */
static apart_status read_stl_facet(ap_mesh_builder *b, vertex_table *t, ap_text *text)
{
    ap_token skipped;
    apart_status status = take_stl_word(text, "normal");
    for (int k = 0; k < 3 && status == APART_OK; k++) {
        if (!ap_text_token(text, &skipped)) {
            status = ap_text_expected(text, &skipped, "three numbers after 'normal'");
        }
    }
    if (status == APART_OK) {
        status = take_stl_word(text, "outer");
    }
    if (status == APART_OK) {
        status = take_stl_word(text, "loop");
    }
    for (int c = 0; c < 3 && status == APART_OK; c++) {
        double v[3];
        status = take_stl_word(text, "vertex");
        for (int k = 0; k < 3 && status == APART_OK; k++) {
            status = ap_text_number(text, "three numbers after 'vertex'", &v[k]);
        }
        if (status == APART_OK) {
            status = add_stl_corner(b, t, v);
        }
    }
    if (status == APART_OK) {
        status = take_stl_word(text, "endloop");
    }
    if (status == APART_OK) {
        status = take_stl_word(text, "endfacet");
    }
    return status == APART_OK ? ap_mesh_end_face(b, 3) : status;
}

/* One solid after another: "solid NAME", facets, "endsolid NAME". */
static apart_status read_stl_text(ap_mesh_builder *b, vertex_table *t, ap_text *text)
{
    ap_token token;
    while (ap_text_token_across(text, &token)) {
        if (!ap_token_is_nocase(&token, "solid")) {
            return ap_text_expected(text, &token, "'solid'");
        }
        ap_text_skip_line(text);
        while (ap_text_token_across(text, &token) && ap_token_is_nocase(&token, "facet")) {
            const apart_status status = read_stl_facet(b, t, text);
            if (status != APART_OK) {
                return status;
            }
        }
        if (!ap_token_is_nocase(&token, "endsolid")) {
            return ap_text_expected(text, &token, "'facet' or 'endsolid'");
        }
        ap_text_skip_line(text);
    }
    return APART_OK;
}

/* A text file starts with "solid" and has no NUL where a binary file has its header and count. */
static int is_stl_text(const char *data, size_t size)
{
    ap_text text;
    ap_token word;
    ap_text_open(&text, data, size, 0, "", NULL);
    const size_t head = size < BINARY_HEADER ? size : BINARY_HEADER;
    return ap_text_token_across(&text, &word) && ap_token_is_nocase(&word, "solid") &&
           (head == 0 || !memchr(data, 0, head));
}

apart_status ap_mesh_read_stl(ap_mesh_builder *b, const void *data, size_t size)
{
    vertex_table table = {0};
    apart_status status;
    if (ap_stl_is_binary(data, size)) {
        status = read_stl_binary(b, &table, data, size);
    } else if (is_stl_text(data, size)) {
        ap_text text;
        ap_text_open(&text, data, size, 0, b->name, b->error);
        status = read_stl_text(b, &table, &text);
    } else if (size < BINARY_HEADER) {
        status = ap_report(b->error, APART_ERR_SYNTAX, b->name, 0, 0,
                           "expected 'solid' or a binary STL header of 84 bytes, found %zu other bytes", size);
    } else {
        const unsigned long count = load_u32((const unsigned char *)data + BINARY_HEADER - 4);
        status = ap_report(b->error, APART_ERR_SYNTAX, b->name, 0, 0,
                           "expected 84 + 50 * %lu bytes for the %lu triangles of a binary STL file, found %zu", count,
                           count, size);
    }
    free(table.slots);
    return status;
}
