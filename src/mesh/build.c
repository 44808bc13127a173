/* The steps from vertices and triangles to a block (build.h says in which files). */
#include "build.h"

#include <float.h>
#include <string.h>

#include "../base/parallel.h"
#include "../topology/report.h"

#define MOST_TRIANGLES ((size_t)1 << 28)

/* Nodes and leaves that a thread takes at a time. */
enum { volume_grain = 64 };

typedef struct builder {
    const apart_allocator *allocator;
    unsigned threads;
    ap_mesh_points points;
    ap_mesh_item *items;
    ap_array drafts;
    uint32_t *twin;      /* of a triangle: the first with its vertices */
    uint32_t tree_count; /* triangles that are their own twins: the items */
    uint32_t *leaf_at;   /* of an item: leaves that begin before it */
    uint32_t leaf_count;
    uint32_t *islands;        /* room for as many as there are vertices */
    ap_mesh_moments *moments; /* of the leaves */
    apart_mesh head, *mesh;
} builder;

/* ---- local coordinates ---- */

/* Lengths are rounded up by this. */
static const double up = 1.0 + 16.0 * DBL_EPSILON;

/* The box's middle, and the power of two that brings coordinates relative to it to less than one. */
static void set_frame(builder *b)
{
    const apart_vec3 *v = b->points.vertices;
    apart_vec3 low = v[0], high = v[0];
    double square = 0.0, extent = 0.0;
    for (uint32_t i = 0; i < b->points.vertex_count; i++) {
        low = ap_vec(ap_min(low.x, v[i].x), ap_min(low.y, v[i].y), ap_min(low.z, v[i].z));
        high = ap_vec(ap_max(high.x, v[i].x), ap_max(high.y, v[i].y), ap_max(high.z, v[i].z));
        extent = ap_max(extent, ap_max_abs(v[i]));
    }
    const apart_vec3 c = ap_add(ap_scale(0.5, low), ap_scale(0.5, high));
    const double half = ap_max(ap_max_abs(ap_sub(high, c)), ap_max_abs(ap_sub(low, c)));
    b->head.center[0] = c.x;
    b->head.center[1] = c.y;
    b->head.center[2] = c.z;
    b->head.scale = half > 0x1p-1000 ? 0.5 * ap_power_of_two_scale(half) : 0x1p999;
    for (uint32_t i = 0; i < b->points.vertex_count; i++) {
        const apart_vec3 p = ap_scale(b->head.scale, ap_sub(v[i], c));
        square = ap_max(square, ap_dot(p, p));
    }
    b->head.radius = sqrt(square) * up / b->head.scale + 0x1p-1074; /* the quotient may be subnormal */
    b->head.extent = ap_norm(ap_vec(extent, extent, extent)) * up;
}

static void set_item(const builder *b, ap_mesh_item *item)
{
    const uint32_t triangle = ap_mesh_item_number(item);
    const uint32_t *corners = b->points.triangles[triangle], tagged = triangle + AP_MESH_ITEM_TAG;
    for (int axis = 0; axis < 3; axis++) {
        float x[3];
        for (int i = 0; i < 3; i++) {
            const double *p = &b->points.vertices[corners[i]].x;
            x[i] = ap_mesh_local(p[axis], b->head.center[axis], b->head.scale);
        }
        const float low = x[0] < x[1] ? x[0] : x[1], high = x[0] < x[1] ? x[1] : x[0];
        item->low[axis] = low < x[2] ? low : x[2];
        item->high[axis] = high > x[2] ? high : x[2];
    }
    memcpy(&item->low[3], &tagged, sizeof tagged);
    item->high[3] = 1.0f;
}

static void set_items(void *context, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        set_item(context, &((builder *)context)->items[i]);
    }
}

/* ---- leaves and nodes ---- */

/* Numbers the leaves by their first items. */
static void number_leaves(builder *b)
{
    const ap_mesh_draft *drafts = b->drafts.items;
    memset(b->leaf_at, 0, ((size_t)b->tree_count + 1) * sizeof *b->leaf_at);
    for (size_t n = 0; n < b->drafts.count; n++) {
        for (uint32_t i = 0; i < drafts[n].count; i++) {
            if (drafts[n].child[i] == AP_MESH_LEAF) {
                b->leaf_at[drafts[n].item[i] + 1]++;
            }
        }
    }
    for (uint32_t i = 0; i < b->tree_count; i++) {
        b->leaf_at[i + 1] += b->leaf_at[i];
    }
    b->leaf_count = b->leaf_at[b->tree_count];
}

static void *part_of(const builder *b, uint64_t offset) { return (char *)b->mesh + offset; }

static void set_leaves(void *context, size_t first, size_t end)
{
    const builder *b = context;
    ap_mesh_leaf *leaves = part_of(b, b->mesh->leaves);
    for (size_t i = first; i < end; i++) {
        ap_mesh_leaf_corners(b->mesh, &leaves[i]);
        ap_mesh_leaf_moments(&leaves[i], &b->moments[i]);
        ap_mesh_frame(&b->moments[i], leaves[i].volume.axis);
        ap_mesh_leaf_volume(&leaves[i]);
    }
}

static void add_moments(ap_mesh_moments *sum, const ap_mesh_moments *m)
{
    sum->weight += m->weight;
    for (int i = 0; i < 3; i++) {
        sum->first[i] += m->first[i];
        sum->second[i] += m->second[i];
        sum->second[3 + i] += m->second[3 + i];
    }
}

static void set_nodes(void *context, size_t first, size_t end)
{
    const builder *b = context;
    ap_mesh_node *nodes = part_of(b, b->mesh->nodes);
    const ap_mesh_leaf *leaves = part_of(b, b->mesh->leaves);
    for (size_t n = first; n < end; n++) {
        const ap_mesh_draft *draft = (const ap_mesh_draft *)b->drafts.items + n;
        uint32_t leaf[AP_MESH_WIDTH + 1];
        ap_mesh_moments sum = {.weight = 0.0};
        nodes[n].count = draft->count;
        for (uint32_t i = 0; i <= draft->count; i++) {
            leaf[i] = b->leaf_at[draft->item[i]];
        }
        for (uint32_t i = 0; i < draft->count; i++) {
            nodes[n].child[i] = draft->child[i] == AP_MESH_LEAF ? AP_MESH_LEAF + leaf[i] : draft->child[i];
        }
        for (uint32_t i = leaf[0]; i < leaf[draft->count]; i++) {
            add_moments(&sum, &b->moments[i]);
        }
        ap_mesh_frame(&sum, nodes[n].volume.axis);
        ap_mesh_node_volume(&nodes[n], leaves, leaf);
    }
}

/* The leaves' ranges of items, and the order. */
static void set_order(const builder *b)
{
    ap_mesh_leaf *leaves = part_of(b, b->mesh->leaves);
    uint32_t *order = part_of(b, b->mesh->order);
    for (uint32_t i = 0; i < b->tree_count; i++) {
        order[i] = ap_mesh_item_number(&b->items[i]);
        if (b->leaf_at[i + 1] > b->leaf_at[i]) {
            leaves[b->leaf_at[i]].first = i;
        }
        leaves[b->leaf_at[i + 1] - 1].count++;
    }
}

/* The triangles that are not in the tree, by their twins: a counting sort. leaf_at is free by now; it has one number more
 * than there are triangles. */
static void set_repeated(const builder *b)
{
    const uint32_t count = b->points.triangle_count;
    uint32_t *order = part_of(b, b->mesh->order), *twins = part_of(b, b->mesh->twins), *next = b->leaf_at, sum = 0;
    memset(next, 0, ((size_t)count + 1) * sizeof *next);
    for (uint32_t i = 0; i < count; i++) {
        next[b->twin[i]] += b->twin[i] != i;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t own = next[i];
        next[i] = sum;
        sum += own;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (b->twin[i] != i) {
            const uint32_t at = next[b->twin[i]]++;
            order[b->tree_count + at] = i;
            twins[at] = b->twin[i];
        }
    }
}

/* ---- the block ---- */

static apart_status write_block(builder *b)
{
    apart_mesh *h = &b->head;
    const ap_mesh_points *p = &b->points;
    h->magic = AP_MESH_MAGIC;
    h->version = AP_MESH_VERSION;
    h->owner = 1;
    h->vertex_count = p->vertex_count;
    h->triangle_count = p->triangle_count;
    h->node_count = (uint32_t)b->drafts.count;
    h->leaf_count = b->leaf_count;
    h->tree_count = b->tree_count;
    h->nodes = (sizeof *h + 63) / 64 * 64;
    h->leaves = h->nodes + (uint64_t)h->node_count * sizeof(ap_mesh_node);
    h->vertices = h->leaves + (uint64_t)h->leaf_count * sizeof(ap_mesh_leaf);
    h->triangles = h->vertices + (uint64_t)h->vertex_count * sizeof *p->vertices;
    h->order = (h->triangles + (uint64_t)h->triangle_count * sizeof *p->triangles + 7) / 8 * 8;
    h->islands = (h->order + (uint64_t)h->triangle_count * sizeof(uint32_t) + 7) / 8 * 8;
    h->island_count = ap_mesh_islands(p, b->islands);
    h->twins = (h->islands + h->island_count * sizeof(uint32_t) + 7) / 8 * 8;
    h->size = (h->twins + (uint64_t)(h->triangle_count - h->tree_count) * sizeof(uint32_t) + 7) / 8 * 8;
    b->moments = ap_allocate(b->allocator, h->leaf_count, sizeof *b->moments);
    b->mesh = b->moments != NULL && (size_t)h->size == h->size ? ap_mesh_allocate(b->allocator, (size_t)h->size) : NULL;
    if (b->mesh == NULL) {
        return APART_ERR_MEMORY;
    }
    *b->mesh = *h;
    memcpy(part_of(b, h->vertices), p->vertices, (size_t)p->vertex_count * sizeof *p->vertices);
    memcpy(part_of(b, h->triangles), p->triangles, (size_t)p->triangle_count * sizeof *p->triangles);
    memcpy(part_of(b, h->islands), b->islands, (size_t)h->island_count * sizeof *b->islands);
    set_order(b);
    ap_parallel_for(b->threads, h->leaf_count, volume_grain, set_leaves, b);
    ap_parallel_for(b->threads, h->node_count, volume_grain, set_nodes, b);
    set_repeated(b); /* writes over leaf_at */
    return ap_mesh_report_make(p->vertices, p->vertex_count, (const uint32_t(*)[3])p->triangles, p->triangle_count,
                               b->allocator, &b->mesh->report);
}

/* An item for each triangle that is the first with its vertices. */
static apart_status number_items(builder *b)
{
    const apart_status status = ap_mesh_twins(&b->points, b->allocator, b->twin);
    b->tree_count = 0;
    for (uint32_t i = 0; status == APART_OK && i < b->points.triangle_count; i++) {
        if (b->twin[i] == i) {
            const uint32_t tagged = i + AP_MESH_ITEM_TAG;
            memcpy(&b->items[b->tree_count++].low[3], &tagged, sizeof tagged);
        }
    }
    return status;
}

static apart_status build(builder *b, const apart_vertices *vertices, const uint32_t *triangles, uint32_t count)
{
    apart_status status = ap_mesh_points_make(vertices, triangles, count, b->allocator, &b->points);
    if (status != APART_OK) {
        return status;
    }
    set_frame(b);
    b->items = ap_allocate(b->allocator, count, sizeof *b->items);
    b->leaf_at = ap_allocate(b->allocator, (size_t)count + 1, sizeof *b->leaf_at);
    b->islands = ap_allocate(b->allocator, b->points.vertex_count, sizeof *b->islands);
    b->twin = ap_allocate(b->allocator, count, sizeof *b->twin);
    if (b->items == NULL || b->leaf_at == NULL || b->islands == NULL || b->twin == NULL) {
        return APART_ERR_MEMORY;
    }
    status = number_items(b);
    if (status != APART_OK) {
        return status;
    }
    ap_parallel_for(b->threads, b->tree_count, 4096, set_items, b);
    status = ap_mesh_split(b->items, b->tree_count, b->threads, b->allocator, &b->drafts);
    if (status != APART_OK) {
        return status;
    }
    number_leaves(b);
    return write_block(b);
}

apart_status apart_mesh_build(const apart_vertices *vertices, const uint32_t *triangles, size_t triangle_count,
                              const apart_mesh_options *options, apart_mesh **out)
{
    const apart_mesh_options standard = {.threads = 0}, *used = options != NULL ? options : &standard;
    if (vertices == NULL || out == NULL || (vertices->data == NULL && vertices->count > 0) ||
        (triangles == NULL && triangle_count > 0)) {
        return APART_ERR_NULL;
    }
    if (vertices->number > APART_FLOAT || used->threads > 1024) {
        return APART_ERR_OPTION;
    }
    if (triangle_count == 0 || triangle_count >= MOST_TRIANGLES) {
        return triangle_count == 0 ? APART_ERR_EMPTY : APART_ERR_SIZE;
    }
    builder b = {.allocator = &used->allocator, .threads = used->threads, .drafts = {.size = sizeof(ap_mesh_draft)}};
    const apart_status status = build(&b, vertices, triangles, (uint32_t)triangle_count);
    ap_release(b.allocator, b.points.vertices);
    ap_release(b.allocator, b.points.triangles);
    ap_release(b.allocator, b.items);
    ap_release(b.allocator, b.leaf_at);
    ap_release(b.allocator, b.islands);
    ap_release(b.allocator, b.twin);
    ap_release(b.allocator, b.moments);
    ap_array_free(&b.drafts, b.allocator);
    if (status != APART_OK) {
        apart_mesh_free(b.mesh);
        return status;
    }
    *out = b.mesh;
    return APART_OK;
}
