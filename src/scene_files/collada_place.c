/* Collada: from the document to the mesh. Nodes are followed from the scene, and geometry is placed where they name
 * it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/file.h"
#include "collada.h"
#include "../text/report.h"

typedef struct placer {
    ap_mesh_builder *b;
    const collada_document *d;
    ap_scene scene;
    uint64_t *corners; /* of one face */
    size_t corner_room;
} placer;

static apart_status misplaced(const placer *p, size_t line, const char *what, const char *found)
{
    char shown[80];
    ap_printable(found, strlen(found), shown, sizeof shown);
    return ap_report(p->b->error, APART_ERR_SYNTAX, p->b->name, line, 0, "expected %s, found '%s'", what, shown);
}

/* The place of a node: the map from its coordinates to the scene's, and how deep it lies. */
typedef struct node_place {
    ap_affine to_scene;
    int depth;
    const collada_node *unread; /* the node around it whose transformation is not read, or NULL */
} node_place;

/* ---- names ---- */

static int compare_ids(const void *p, const void *q)
{
    const collada_id *a = p, *b = q;
    const int order = strcmp(a->text, b->text);
    if (order != 0 || a->kind != b->kind) {
        return order != 0 ? order : a->kind < b->kind ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_ids(collada_document *d)
{
    for (size_t i = 0; i < d->id_count; i++) {
        d->ids[i].text = d->strings + d->ids[i].name;
    }
    if (d->id_count > 0) {
        qsort(d->ids, d->id_count, sizeof *d->ids, compare_ids);
    }
}

/* The index of what has this id, or SIZE_MAX. Of several the first in the file is taken. */
static size_t find_id(const collada_document *d, collada_id_kind kind, const char *text)
{
    const collada_id wanted = {.text = text, .kind = kind};
    size_t low = 0, high = d->id_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_ids(&d->ids[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const int found = low < d->id_count && d->ids[low].kind == kind && strcmp(d->ids[low].text, text) == 0;
    return found ? d->ids[low].index : SIZE_MAX;
}

/* The same for a reference "#id". */
static apart_status resolve(const placer *p, collada_id_kind kind, size_t reference, const char *what, size_t line,
                            size_t *index)
{
    const char *text = p->d->strings + reference;
    *index = *text == '#' ? find_id(p->d, kind, text + 1) : SIZE_MAX;
    return *index != SIZE_MAX ? APART_OK : misplaced(p, line, what, text);
}

/* ---- geometry ---- */

/* The source of the positions that a VERTEX input leads to. */
static apart_status find_positions(const placer *p, const collada_faces *f, size_t *source)
{
    size_t set;
    apart_status status =
        resolve(p, COLLADA_VERTICES, f->vertex_set, "the id of a <vertices> as the source of VERTEX", f->line, &set);
    if (status == APART_OK) {
        status = resolve(p, COLLADA_SOURCE, p->d->vertices[set].position, "the id of a <source> of POSITION", f->line,
                         source);
    }
    return status;
}

/* Adds the positions of a source. The accessor's count is checked against the numbers that are there. */
static apart_status place_source(placer *p, const collada_source *s)
{
    const size_t stride = s->stride > 0 ? s->stride : 3;
    const size_t available = s->numbers.count > s->offset ? s->numbers.count - s->offset : 0;
    const size_t count = s->stride > 0 ? s->count : available / stride;
    const size_t last_axis = s->axes[0] > s->axes[1] ? s->axes[0] : s->axes[1];
    const size_t reach = last_axis > s->axes[2] ? last_axis : s->axes[2];
    if (count > 0 && (reach >= stride || available <= reach || (count - 1) > (available - reach - 1) / stride)) {
        return ap_report(p->b->error, APART_ERR_SYNTAX, p->b->name, s->line, 0,
                         "expected numbers for %zu vertices, %zu each, found %zu", count, stride, available);
    }
    const size_t first = s->numbers.start + s->offset;
    apart_status status = APART_OK;
    for (size_t i = 0; i < count && status == APART_OK; i++) { /* an offset may point anywhere where there is nothing */
        const double *const numbers = p->d->numbers + first + i * stride;
        const double xyz[3] = {numbers[s->axes[0]], numbers[s->axes[1]], numbers[s->axes[2]]};
        status = ap_scene_add_vertex(&p->scene, xyz, s->line);
    }
    return status;
}

/* Adds a polygon, or the triangles of a fan or strip, of the corners first, ..., first + count - 1. */
static apart_status place_polygon(placer *p, const collada_faces *f, size_t first, size_t count)
{
    apart_status status = APART_OK;
    const uint64_t *c = p->corners + first;
    if (f->kind != COLLADA_FANS && f->kind != COLLADA_STRIPS) {
        return count >= 3 ? ap_scene_add_face(&p->scene, c, count) : APART_OK;
    }
    for (size_t k = 2; k < count && status == APART_OK; k++) {
        const size_t odd = k % 2;
        const uint64_t fan[3] = {c[0], c[k - 1], c[k]}, strip[3] = {c[k - 2 + odd], c[k - 1 - odd], c[k]};
        status = ap_scene_add_face(&p->scene, f->kind == COLLADA_FANS ? fan : strip, 3);
    }
    return status;
}

/* The vertex numbers of all corners, with the place of the source's first vertex added. */
static apart_status collect_corners(placer *p, const collada_faces *f, size_t base, size_t count)
{
    const size_t vertices = p->b->mesh.vertex_count - base;
    uint64_t *moved = ap_grow(p->corners, &p->corner_room, count + 1, sizeof *moved);
    if (!moved) {
        return ap_report_memory(p->b->error, p->b->name);
    }
    p->corners = moved;
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = p->d->indices[f->indices.start + f->vertex + i * f->stride];
        if (index >= vertices) {
            return ap_report(p->b->error, APART_ERR_SYNTAX, p->b->name, f->line, 0,
                             "expected a vertex number below %zu in <p>, found %lu", vertices, (unsigned long)index);
        }
        p->corners[i] = base + index;
    }
    return APART_OK;
}

static apart_status place_faces(placer *p, const collada_faces *f, size_t base)
{
    const size_t corners = f->indices.count / f->stride;
    apart_status status = collect_corners(p, f, base, corners);
    if (f->kind == COLLADA_TRIANGLES) {
        for (size_t i = 0; i + 3 <= corners && status == APART_OK; i += 3) {
            status = ap_scene_add_face(&p->scene, p->corners + i, 3);
        }
        return status;
    }
    size_t first = 0, size;
    for (size_t i = 0; i < f->sizes.count && status == APART_OK; i++, first += size) {
        size = p->d->sizes[f->sizes.start + i];
        if (size > corners - first) {
            return ap_report(p->b->error, APART_ERR_SYNTAX, p->b->name, f->line, 0,
                             "expected as many corners in <p> as <vcount> says, found %zu", corners);
        }
        status = ap_scene_charge(&p->scene, 1);
        status = status == APART_OK ? place_polygon(p, f, first, size) : status;
    }
    return status;
}

static apart_status place_geometry(placer *p, const collada_geometry *g, const char *name, const ap_affine *to_scene)
{
    const collada_document *d = p->d;
    size_t placed = SIZE_MAX, base = 0;
    ap_scene_begin_object(&p->scene, name, to_scene);
    apart_status status = APART_OK;
    for (size_t i = 0; i < g->faces.count && status == APART_OK; i++) {
        const collada_faces *f = &d->faces[g->faces.start + i];
        size_t source;
        status = f->indices.count > 0 ? find_positions(p, f, &source) : APART_OK;
        if (status != APART_OK || f->indices.count == 0) {
            continue;
        }
        if (source != placed) {
            base = p->b->mesh.vertex_count;
            status = place_source(p, &d->sources[source]);
            placed = source;
        }
        status = status == APART_OK ? place_faces(p, f, base) : status;
    }
    return status;
}

/* ---- nodes ---- */

static apart_status place_node(placer *p, size_t index, const node_place *parent);

static apart_status place_item(placer *p, const collada_node *node, const collada_item *item, const node_place *here)
{
    size_t target;
    apart_status status;
    switch (item->kind) {
    case COLLADA_CHILD: return place_node(p, item->target, here);
    case COLLADA_INSTANCE_NODE:
        status = resolve(p, COLLADA_NODE, item->target, "the id of a <node> of this file", item->line, &target);
        return status == APART_OK ? place_node(p, target, here) : status;
    case COLLADA_INSTANCE_CONTROLLER:
        return ap_report(p->b->error, APART_ERR_SYNTAX, p->b->name, item->line, 0,
                         "<instance_controller> (a skin or a morph) is not read: export the geometry itself");
    case COLLADA_INSTANCE_GEOMETRY: break;
    }
    if (here->unread) {
        return ap_report(p->b->error, APART_ERR_SYNTAX, p->b->name, here->unread->unread_line, 0,
                         "<%s> is not read: expected <matrix>, <translate>, <rotate> or <scale>", here->unread->unread);
    }
    status = resolve(p, COLLADA_GEOMETRY, item->target, "the id of a <geometry> of this file", item->line, &target);
    if (status != APART_OK) {
        return status;
    }
    const collada_geometry *g = &p->d->geometries[target];
    const char *strings = p->d->strings;
    const char *names[] = {strings + node->name, strings + node->id, strings + g->name, strings + g->id};
    size_t used = 0;
    while (used < 3 && *names[used] == '\0') {
        used++;
    }
    return place_geometry(p, g, names[used], &here->to_scene);
}

static apart_status place_node(placer *p, size_t index, const node_place *parent)
{
    const collada_node *node = &p->d->nodes[index];
    const node_place here = {ap_affine_compose(&parent->to_scene, &node->transform), parent->depth + 1,
                             node->unread ? node : parent->unread};
    if (here.depth > AP_SCENE_DEPTH) {
        char shown[80];
        const char *id = p->d->strings + node->id;
        ap_printable(id, strlen(id), shown, sizeof shown);
        return ap_report(p->b->error, APART_ERR_SYNTAX, p->b->name, 0, 0,
                         "expected nodes at most %d deep, found a deeper one or a cycle at '%s'", AP_SCENE_DEPTH,
                         shown);
    }
    apart_status status = ap_scene_charge(&p->scene, 1);
    for (size_t i = node->first; i != SIZE_MAX && status == APART_OK; i = p->d->items[i].next) {
        status = place_item(p, node, &p->d->items[i], &here);
    }
    return status;
}

static apart_status place_all(placer *p)
{
    const collada_document *d = p->d;
    const double unit = d->unit;
    const node_place root = {{{unit, 0, 0, 0, 0, unit, 0, 0, 0, 0, unit, 0}}, 0, NULL};
    if (d->scene != 0) {
        size_t scene;
        const apart_status status =
            resolve(p, COLLADA_NODE, d->scene, "the id of a <visual_scene> of this file", d->scene_line, &scene);
        return status == APART_OK ? place_node(p, scene, &root) : status;
    }
    if (d->first_scene != SIZE_MAX) {
        return place_node(p, d->first_scene, &root);
    }
    apart_status status = APART_OK;
    for (size_t i = 0; i < d->geometry_count && status == APART_OK; i++) {
        const collada_geometry *g = &d->geometries[i];
        const char *name = d->strings + g->name;
        status = place_geometry(p, g, *name ? name : d->strings + g->id, &root.to_scene);
    }
    return status;
}

apart_status ap_collada_place(ap_mesh_builder *b, collada_document *d, size_t bytes)
{
    placer p = {.b = b, .d = d};
    ap_scene_open(&p.scene, b, bytes);
    sort_ids(d);
    const apart_status status = place_all(&p);
    free(p.corners);
    if (status == APART_OK && b->mesh.face_count == 0) {
        return ap_report(b->error, APART_ERR_SYNTAX, b->name, 0, 0,
                         "expected triangles or polygons in the scene, found none");
    }
    b->mesh.unit = d->unit;
    b->mesh.up_axis = d->up_axis;
    return status;
}
