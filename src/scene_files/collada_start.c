/* Collada: the beginnings of elements, with their attributes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/file.h"
#include "collada_reader.h"
#include "../text/report.h"
#include "../text/text.h"

/* ---- attributes ---- */

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

/* Copies the attribute's value to the strings; 0, the empty string, when it is missing. */
static size_t keep_attribute(collada_reader *r, const XML_Char **attributes, const char *name)
{
    collada_document *d = &r->d;
    const char *value = attribute(attributes, name);
    const size_t length = value ? strlen(value) : 0;
    char *moved = length > 0 ? ap_grow(d->strings, &d->string_room, d->string_count + length + 1, 1) : NULL;
    if (!moved) {
        if (length > 0 && r->status == APART_OK) {
            r->status = ap_report_memory(r->b->error, r->b->name);
        }
        return 0;
    }
    d->strings = moved;
    const size_t start = d->string_count;
    memcpy(d->strings + start, value, length + 1);
    d->string_count += length + 1;
    return start;
}

static void quote(const char *value, char out[64]) { ap_printable(value, strlen(value), out, 64); }

static size_t need_reference(collada_reader *r, const XML_Char **attributes, const char *element, const char *name)
{
    const char *value = attribute(attributes, name);
    char shown[64];
    if (!value || *value != '#') {
        quote(value ? value : "", shown);
        ap_collada_fail(r, "expected %s=\"#...\" of an element of this file in <%s>, found '%s'", name, element, shown);
        return 0;
    }
    return keep_attribute(r, attributes, name);
}

static size_t whole_attribute(collada_reader *r, const XML_Char **attributes, const char *name, size_t missing)
{
    const char *value = attribute(attributes, name);
    int64_t number;
    char shown[64];
    if (!value) {
        return missing;
    }
    if (!ap_parse_integer(value, strlen(value), &number) || number < 0 || number > UINT32_MAX) {
        quote(value, shown);
        ap_collada_fail(r, "expected a whole number from 0 as %s, found '%s'", name, shown);
        return missing;
    }
    return (size_t)number;
}

static void register_id(collada_reader *r, size_t name, collada_id_kind kind, size_t index)
{
    collada_id *id = name != 0 ? ap_collada_append(r, &r->d.ids, &r->d.id_count, &r->d.id_room, sizeof *id) : NULL;
    if (id) {
        *id = (collada_id){.name = name, .kind = kind, .index = index};
    }
}

/* ---- the beginnings of elements ---- */

static void start_unit(collada_reader *r, const XML_Char **attributes)
{
    const char *value = attribute(attributes, "meter");
    double meter = 1;
    char shown[64];
    if (value && (!ap_parse_number(value, strlen(value), &meter) || !(meter > 0) || !isfinite(meter))) {
        quote(value, shown);
        ap_collada_fail(r, "expected the unit's length in metres, meter=\"...\", found '%s'", shown);
        return;
    }
    r->d.unit = meter;
}

static void start_geometry(collada_reader *r, const XML_Char **attributes)
{
    collada_document *d = &r->d;
    collada_geometry *g = ap_collada_append(r, &d->geometries, &d->geometry_count, &d->geometry_room, sizeof *g);
    if (g) {
        g->id = keep_attribute(r, attributes, "id");
        g->name = keep_attribute(r, attributes, "name");
        g->faces.start = d->faces_count;
        register_id(r, g->id, COLLADA_GEOMETRY, d->geometry_count - 1);
    }
}

static void start_source(collada_reader *r, const XML_Char **attributes)
{
    collada_document *d = &r->d;
    collada_source *s = ap_collada_append(r, &d->sources, &d->source_count, &d->source_room, sizeof *s);
    if (s) {
        *s = (collada_source){.id = keep_attribute(r, attributes, "id"),
                              .numbers.start = d->number_count,
                              .axes = {0, 1, 2},
                              .line = ap_collada_line(r)};
        register_id(r, s->id, COLLADA_SOURCE, d->source_count - 1);
    }
}

static void start_accessor(collada_reader *r, const XML_Char **attributes)
{
    collada_source *s = &r->d.sources[r->d.source_count - 1];
    const char *array = attribute(attributes, "source");
    char shown[64];
    if (!array || *array != '#' || strcmp(array + 1, r->d.strings + s->array_id) != 0) {
        quote(array ? array : "", shown);
        ap_collada_fail(r, "expected the id of the <float_array> before it as the source of <accessor>, found '%s'",
                        shown);
    }
    s->count = whole_attribute(r, attributes, "count", 0);
    s->offset = whole_attribute(r, attributes, "offset", 0);
    s->stride = whole_attribute(r, attributes, "stride", 1);
    if (s->stride == 0) {
        ap_collada_fail(r, "expected a stride of at least 1, found 0");
    }
}

/* The first three named parameters are x, y and z; what has no name is skipped. */
static void start_param(collada_reader *r, const XML_Char **attributes)
{
    collada_source *s = &r->d.sources[r->d.source_count - 1];
    const char *name = attribute(attributes, "name");
    if (name && *name && s->axis_count < 3) {
        s->axes[s->axis_count++] = s->param_count;
    }
    s->param_count++;
}

static void start_vertices(collada_reader *r, const XML_Char **attributes)
{
    collada_document *d = &r->d;
    collada_vertices *v = ap_collada_append(r, &d->vertices, &d->vertices_count, &d->vertices_room, sizeof *v);
    if (v) {
        v->id = keep_attribute(r, attributes, "id");
        register_id(r, v->id, COLLADA_VERTICES, d->vertices_count - 1);
    }
}

static void start_vertices_input(collada_reader *r, const XML_Char **attributes)
{
    const char *semantic = attribute(attributes, "semantic");
    if (semantic && strcmp(semantic, "POSITION") == 0) {
        r->d.vertices[r->d.vertices_count - 1].position = need_reference(r, attributes, "input", "source");
    }
}

static void start_faces(collada_reader *r, int kind)
{
    collada_document *d = &r->d;
    collada_faces *f = ap_collada_append(r, &d->faces, &d->faces_count, &d->faces_room, sizeof *f);
    if (f) {
        *f = (collada_faces){.kind = (collada_kind)kind,
                             .sizes.start = d->size_count,
                             .indices.start = d->index_count,
                             .line = ap_collada_line(r)};
        d->geometries[d->geometry_count - 1].faces.count++;
    }
}

static void start_faces_input(collada_reader *r, const XML_Char **attributes)
{
    collada_faces *f = &r->d.faces[r->d.faces_count - 1];
    const char *semantic = attribute(attributes, "semantic");
    const size_t offset = whole_attribute(r, attributes, "offset", 0);
    if (offset >= INPUT_OFFSETS) {
        ap_collada_fail(r, "expected an offset below %d in <input>, found %zu", INPUT_OFFSETS, offset);
    }
    f->stride = f->stride > offset + 1 ? f->stride : offset + 1;
    if (semantic && strcmp(semantic, "VERTEX") == 0) {
        f->vertex = offset;
        f->vertex_set = need_reference(r, attributes, "input", "source");
    }
}

/* Appends an item to the innermost node. */
static void add_item(collada_reader *r, collada_item_kind kind, size_t target)
{
    collada_document *d = &r->d;
    collada_item *item = ap_collada_append(r, &d->items, &d->item_count, &d->item_room, sizeof *item);
    if (!item) {
        return;
    }
    *item = (collada_item){kind, target, SIZE_MAX, ap_collada_line(r)};
    collada_node *node = &d->nodes[r->nodes[r->node_depth - 1]];
    if (node->first == SIZE_MAX) {
        node->first = d->item_count - 1;
    } else {
        d->items[node->last].next = d->item_count - 1;
    }
    node->last = d->item_count - 1;
}

static void start_node(collada_reader *r, const XML_Char **attributes, int is_scene)
{
    collada_document *d = &r->d;
    collada_node *node = ap_collada_append(r, &d->nodes, &d->node_count, &d->node_room, sizeof *node);
    if (!node) {
        return;
    }
    const size_t index = d->node_count - 1;
    *node = (collada_node){.transform = ap_affine_identity, .first = SIZE_MAX, .last = SIZE_MAX};
    node->id = keep_attribute(r, attributes, "id");
    node->name = keep_attribute(r, attributes, "name");
    register_id(r, node->id, COLLADA_NODE, index);
    if (r->node_depth > 0) {
        add_item(r, COLLADA_CHILD, index);
    }
    if (is_scene && d->first_scene == SIZE_MAX) {
        d->first_scene = index;
    }
    r->nodes[r->node_depth++] = index;
}

static void start_unread_transform(collada_reader *r, const element_row *row)
{
    collada_node *node = &r->d.nodes[r->nodes[r->node_depth - 1]];
    node->unread = row->name;
    node->unread_line = ap_collada_line(r);
}

static void start_p(collada_reader *r)
{
    const collada_faces *f = &r->d.faces[r->d.faces_count - 1];
    if (f->vertex_set == 0) {
        ap_collada_fail(r, "expected an <input> with semantic=\"VERTEX\" before <p>");
    }
    r->polygon_start = r->d.index_count;
}

void ap_collada_start(collada_reader *r, const element_row *row, const XML_Char **attributes)
{
    switch (row->kind) {
    case UNIT: start_unit(r, attributes); break;
    case GEOMETRY: start_geometry(r, attributes); break;
    case SOURCE: start_source(r, attributes); break;
    case FLOAT_ARRAY: {
        const size_t id = keep_attribute(r, attributes, "id");
        r->d.sources[r->d.source_count - 1].array_id = id;
        break;
    }
    case ACCESSOR: start_accessor(r, attributes); break;
    case PARAM: start_param(r, attributes); break;
    case VERTICES: start_vertices(r, attributes); break;
    case VERTICES_INPUT: start_vertices_input(r, attributes); break;
    case FACES: start_faces(r, row->detail); break;
    case FACES_INPUT: start_faces_input(r, attributes); break;
    case P: start_p(r); break;
    case PH: ap_collada_fail(r, "<ph> (a polygon with holes) is not read: export triangles"); break;
    case NODE: start_node(r, attributes, row->detail); break;
    case UNREAD_TRANSFORM: start_unread_transform(r, row); break;
    case INSTANCE: add_item(r, (collada_item_kind)row->detail, need_reference(r, attributes, row->name, "url")); break;
    case SCENE_INSTANCE:
        r->d.scene = need_reference(r, attributes, row->name, "url");
        r->d.scene_line = ap_collada_line(r);
        break;
    default: break;
    }
}
