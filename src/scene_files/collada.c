/* Collada (.dae), versions 1.4 and 1.5: the XML, by expat, into a document (mesh_collada.h). Elements are known by
 * their name and the element around them; others are skipped with all that is in them. */
#include <apart/motion.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../text/file.h"
#include "collada_reader.h"
#include "../text/report.h"
#include "../text/text.h"

static const element_row elements[] = {
    {"COLLADA", NOTHING, COLLADA, 0},
    {"asset", COLLADA, ASSET, 0},
    {"unit", ASSET, UNIT, 0},
    {"up_axis", ASSET, UP_AXIS, 0},
    {"library_geometries", COLLADA, LIBRARY_GEOMETRIES, 0},
    {"geometry", LIBRARY_GEOMETRIES, GEOMETRY, 0},
    {"mesh", GEOMETRY, MESH, 0},
    {"source", MESH, SOURCE, 0},
    {"float_array", SOURCE, FLOAT_ARRAY, 0},
    {"technique_common", SOURCE, TECHNIQUE, 0},
    {"accessor", TECHNIQUE, ACCESSOR, 0},
    {"param", ACCESSOR, PARAM, 0},
    {"vertices", MESH, VERTICES, 0},
    {"input", VERTICES, VERTICES_INPUT, 0},
    {"triangles", MESH, FACES, COLLADA_TRIANGLES},
    {"polygons", MESH, FACES, COLLADA_POLYGONS},
    {"polylist", MESH, FACES, COLLADA_POLYLIST},
    {"trifans", MESH, FACES, COLLADA_FANS},
    {"tristrips", MESH, FACES, COLLADA_STRIPS},
    {"input", FACES, FACES_INPUT, 0},
    {"p", FACES, P, 0},
    {"ph", FACES, PH, 0},
    {"vcount", FACES, VCOUNT, 0},
    {"library_visual_scenes", COLLADA, LIBRARY_SCENES, 0},
    {"visual_scene", LIBRARY_SCENES, NODE, 1},
    {"library_nodes", COLLADA, LIBRARY_NODES, 0},
    {"node", LIBRARY_NODES, NODE, 0},
    {"node", NODE, NODE, 0},
    {"matrix", NODE, MATRIX, 0},
    {"translate", NODE, TRANSLATE, 0},
    {"rotate", NODE, ROTATE, 0},
    {"scale", NODE, SCALE, 0},
    {"lookat", NODE, UNREAD_TRANSFORM, 0},
    {"skew", NODE, UNREAD_TRANSFORM, 0},
    {"instance_geometry", NODE, INSTANCE, COLLADA_INSTANCE_GEOMETRY},
    {"instance_node", NODE, INSTANCE, COLLADA_INSTANCE_NODE},
    {"instance_controller", NODE, INSTANCE, COLLADA_INSTANCE_CONTROLLER},
    {"scene", COLLADA, SCENE, 0},
    {"instance_visual_scene", SCENE, SCENE_INSTANCE, 0},
};
enum { ELEMENTS = sizeof elements / sizeof elements[0] };

size_t ap_collada_line(const collada_reader *r) { return XML_GetCurrentLineNumber(r->parser); }

void ap_collada_fail(collada_reader *r, const char *format, ...)
{
    char text[300];
    va_list arguments;
    if (r->status != APART_OK) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    r->status = ap_report(r->b->error, APART_ERR_SYNTAX, r->b->name, ap_collada_line(r), 0, "%s", text);
}

void *ap_collada_append(collada_reader *r, void *array_pointer, size_t *count, size_t *room, size_t size)
{
    void *array;
    memcpy(&array, array_pointer, sizeof array);
    char *moved = ap_grow(array, room, *count + 1, size);
    if (!moved) {
        if (r->status == APART_OK) {
            r->status = ap_report_memory(r->b->error, r->b->name);
        }
        return NULL;
    }
    memcpy(array_pointer, &moved, sizeof moved);
    return memset(moved + (*count)++ * size, 0, size);
}

/* ---- character data ---- */

static void take_number(collada_reader *r, double *out)
{
    char shown[64];
    if (!ap_parse_number(r->token, r->token_length, out) || !isfinite(*out)) {
        ap_printable(r->token, r->token_length, shown, sizeof shown);
        ap_collada_fail(r, "expected a finite number in <%s>, found '%s'", r->stack[r->depth - 1]->name, shown);
        *out = 0;
    }
}

static void take_float(collada_reader *r)
{
    collada_document *d = &r->d;
    double value;
    take_number(r, &value);
    double *number = ap_collada_append(r, &d->numbers, &d->number_count, &d->number_room, sizeof *number);
    if (number) {
        *number = value;
        d->sources[d->source_count - 1].numbers.count++;
    }
}

/* A whole number of <p> or <vcount>. */
static void take_whole(collada_reader *r, int is_size)
{
    collada_document *d = &r->d;
    collada_faces *f = &d->faces[d->faces_count - 1];
    int64_t value;
    char shown[64];
    if (!ap_parse_integer(r->token, r->token_length, &value) || value < 0 || value >= UINT32_MAX) {
        ap_printable(r->token, r->token_length, shown, sizeof shown);
        ap_collada_fail(r, "expected a whole number from 0 in <%s>, found '%s'", is_size ? "vcount" : "p", shown);
        return;
    }
    uint32_t *whole = is_size ? ap_collada_append(r, &d->sizes, &d->size_count, &d->size_room, sizeof *whole)
                              : ap_collada_append(r, &d->indices, &d->index_count, &d->index_room, sizeof *whole);
    if (whole) {
        *whole = (uint32_t)value;
        (is_size ? &f->sizes : &f->indices)->count++;
    }
}

static void take_up_axis(collada_reader *r)
{
    const ap_token token = {.start = r->token, .length = r->token_length};
    char shown[64];
    for (const char *axis = "XYZ"; *axis; axis++) {
        const char name[] = {*axis, '_', 'U', 'P', '\0'};
        if (ap_token_is(&token, name)) {
            r->d.up_axis = *axis;
            return;
        }
    }
    ap_printable(r->token, r->token_length, shown, sizeof shown);
    ap_collada_fail(r, "expected X_UP, Y_UP or Z_UP, found '%s'", shown);
}

static void take_transform(collada_reader *r)
{
    double value;
    take_number(r, &value);
    if (r->transform_count == TRANSFORM_NUMBERS) {
        ap_collada_fail(r, "expected at most %d numbers in <%s>", TRANSFORM_NUMBERS, r->stack[r->depth - 1]->name);
        return;
    }
    r->transform[r->transform_count++] = value;
}

static void end_token(collada_reader *r)
{
    if (r->token_length == 0 || r->status != APART_OK) {
        return;
    }
    switch (r->stack[r->depth - 1]->kind) {
    case FLOAT_ARRAY: take_float(r); break;
    case P: take_whole(r, 0); break;
    case VCOUNT: take_whole(r, 1); break;
    case UP_AXIS: take_up_axis(r); break;
    default: take_transform(r); break;
    }
    r->token_length = 0;
}

static int holds_tokens(element_kind kind)
{
    return kind == FLOAT_ARRAY || kind == P || kind == VCOUNT || kind == UP_AXIS || kind == MATRIX ||
           kind == TRANSLATE || kind == ROTATE || kind == SCALE;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
    collada_reader *r = user;
    if (r->skipped > 0 || r->depth == 0 || !holds_tokens(r->stack[r->depth - 1]->kind)) {
        return;
    }
    for (int i = 0; i < length && r->status == APART_OK; i++) {
        if (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
            end_token(r);
        } else if (r->token_length == TOKEN_SIZE) {
            ap_collada_fail(r, "expected a number in <%s>, found one of more than %d characters",
                            r->stack[r->depth - 1]->name, TOKEN_SIZE);
        } else {
            r->token[r->token_length++] = text[i];
        }
    }
    if (r->status != APART_OK) {
        XML_StopParser(r->parser, XML_FALSE);
    }
}

/* ---- the ends of elements ---- */

/* The cosine and sine of an angle in degrees; exact for quarter turns. */
static void turn_in_degrees(double degrees, double *cosine, double *sine)
{
    int quarters;
    const double rest = remquo(degrees, 90.0, &quarters);
    double s, c;
    apart_sincos(rest * (3.141592653589793 / 180.0), &s, &c);
    switch ((unsigned)quarters % 4U) {
    case 0: *cosine = c, *sine = s; break;
    case 1: *cosine = -s, *sine = c; break;
    case 2: *cosine = -c, *sine = -s; break;
    default: *cosine = s, *sine = -c; break;
    }
}

/* Rodrigues' formula; an axis of length 0 turns nothing. */
static ap_affine rotation_of(const double axis[3], double degrees)
{
    const double norm = hypot(hypot(axis[0], axis[1]), axis[2]);
    if (!(norm > 0)) {
        return ap_affine_identity;
    }
    double c, s;
    turn_in_degrees(degrees, &c, &s);
    const double x = axis[0] / norm, y = axis[1] / norm, z = axis[2] / norm, t = 1 - c;
    return (ap_affine){{t * x * x + c, t * x * y - s * z, t * x * z + s * y, 0, t * x * y + s * z, t * y * y + c,
                        t * y * z - s * x, 0, t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0}};
}

static void end_transform(collada_reader *r, const element_row *row)
{
    const size_t wanted = row->kind == MATRIX ? 16 : row->kind == ROTATE ? 4 : 3;
    const double *n = r->transform;
    ap_affine step = ap_affine_identity;
    if (r->transform_count != wanted) {
        ap_collada_fail(r, "expected %zu numbers in <%s>, found %zu", wanted, row->name, r->transform_count);
    } else if (row->kind == MATRIX) {
        memcpy(step.m, n, sizeof step.m);
        if (n[12] != 0 || n[13] != 0 || n[14] != 0 || n[15] != 1) {
            ap_collada_fail(r, "expected 0 0 0 1 as the last row of <matrix>, found %g %g %g %g", n[12], n[13], n[14],
                            n[15]);
        }
    } else if (row->kind == ROTATE) {
        step = rotation_of(n, n[3]);
    } else if (row->kind == TRANSLATE) {
        step.m[3] = n[0], step.m[7] = n[1], step.m[11] = n[2];
    } else {
        step.m[0] = n[0], step.m[5] = n[1], step.m[10] = n[2];
    }
    collada_node *node = &r->d.nodes[r->nodes[r->node_depth - 1]];
    node->transform = ap_affine_compose(&node->transform, &step);
    r->transform_count = 0;
}

/* Each <p> of polygons, fans and strips is one of them. */
static void end_p(collada_reader *r)
{
    collada_document *d = &r->d;
    collada_faces *f = &d->faces[d->faces_count - 1];
    const size_t count = d->index_count - r->polygon_start;
    if (count % f->stride != 0) {
        ap_collada_fail(r, "expected a multiple of %zu numbers in <p>, found %zu", f->stride, count);
    }
    if (f->kind == COLLADA_TRIANGLES && count / f->stride % 3 != 0) {
        ap_collada_fail(r, "expected three corners for each triangle in <p>, found %zu corners", count / f->stride);
    }
    if (f->kind != COLLADA_TRIANGLES && f->kind != COLLADA_POLYLIST) {
        uint32_t *size = ap_collada_append(r, &d->sizes, &d->size_count, &d->size_room, sizeof *size);
        if (size) {
            *size = (uint32_t)(count / f->stride);
            f->sizes.count++;
        }
    }
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    collada_reader *r = user;
    const element_kind parent = r->depth > 0 ? r->stack[r->depth - 1]->kind : NOTHING;
    const element_row *row = NULL;
    for (size_t i = 0; i < ELEMENTS && r->skipped == 0 && !row; i++) {
        row = elements[i].parent == parent && strcmp(elements[i].name, name) == 0 ? &elements[i] : NULL;
    }
    char shown[64];
    if (r->status != APART_OK) {
        return;
    }
    if (!row) {
        r->skipped++;
        if (parent == NOTHING && r->skipped == 1) {
            ap_printable(name, strlen(name), shown, sizeof shown);
            ap_collada_fail(r, "expected <COLLADA> as the root element, found <%s>", shown);
        }
    } else if (r->depth == ELEMENT_DEPTH) {
        ap_collada_fail(r, "expected elements at most %d deep", ELEMENT_DEPTH);
    } else {
        ap_collada_start(r, row, attributes);
        r->stack[r->depth++] = row;
    }
    if (r->status != APART_OK) {
        XML_StopParser(r->parser, XML_FALSE);
    }
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    collada_reader *r = user;
    (void)name;
    if (r->skipped > 0 || r->status != APART_OK) {
        r->skipped -= r->skipped > 0;
        return;
    }
    end_token(r);
    const element_row *row = r->stack[--r->depth];
    switch (row->kind) {
    case MATRIX:
    case TRANSLATE:
    case ROTATE:
    case SCALE: end_transform(r, row); break;
    case P: end_p(r); break;
    case NODE: r->node_depth--; break;
    default: break;
    }
    if (r->status != APART_OK) {
        XML_StopParser(r->parser, XML_FALSE);
    }
}

/* Entities could repeat text without limit, and no exporter writes them. */
static void XMLCALL on_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                              const XML_Char *base, const XML_Char *system_id, const XML_Char *public_id,
                              const XML_Char *notation)
{
    collada_reader *r = user;
    char shown[64];
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system_id, (void)public_id, (void)notation;
    ap_printable(name, strlen(name), shown, sizeof shown);
    ap_collada_fail(r, "expected no entity declarations, found '%s'", shown);
    XML_StopParser(r->parser, XML_FALSE);
}

static void free_document(collada_document *d)
{
    free(d->strings);
    free(d->numbers);
    free(d->sizes);
    free(d->indices);
    free(d->sources);
    free(d->vertices);
    free(d->faces);
    free(d->geometries);
    free(d->items);
    free(d->nodes);
    free(d->ids);
}

static void parse_document(collada_reader *r, const void *data, size_t size)
{
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetEntityDeclHandler(r->parser, on_entity);
    if (XML_Parse(r->parser, data, (int)size, XML_TRUE) != XML_STATUS_OK && r->status == APART_OK) {
        const enum XML_Error code = XML_GetErrorCode(r->parser);
        r->status = code == XML_ERROR_NO_MEMORY
                        ? ap_report_memory(r->b->error, r->b->name)
                        : ap_report(r->b->error, APART_ERR_SYNTAX, r->b->name, ap_collada_line(r),
                                    XML_GetCurrentColumnNumber(r->parser) + 1, "expected XML, found an error: %s",
                                    XML_ErrorString(code));
    }
}

apart_status ap_mesh_read_collada(ap_mesh_builder *b, const void *data, size_t size)
{
    collada_reader *r = calloc(1, sizeof *r);
    XML_Parser parser = r ? XML_ParserCreate(NULL) : NULL;
    if (!parser) {
        free(r);
        return ap_report_memory(b->error, b->name);
    }
    r->b = b;
    r->parser = parser;
    r->d.unit = 1;
    r->d.up_axis = 'Y'; /* what Collada means where it says nothing */
    r->d.first_scene = SIZE_MAX;
    char *empty = ap_collada_append(r, &r->d.strings, &r->d.string_count, &r->d.string_room, 1);
    if (empty) {
        parse_document(r, data, size);
    }
    const apart_status status = r->status == APART_OK ? ap_collada_place(b, &r->d, size) : r->status;
    XML_ParserFree(parser);
    free_document(&r->d);
    free(r);
    return status;
}
