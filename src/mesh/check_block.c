/* Is a block of memory a mesh that is safe to query? apart_mesh_view() accepts blocks from files and other processes,
 * whatever their bytes.
 *
 * It checks everything that the code relies on: offsets and lengths, every index, that the tree holds each triangle
 * once, or one with the same vertices, that frames are rotations; and it computes the volumes again, which gives the same bits. So a block that is
 * accepted answers for the vertices and triangles in it. The report and the list of islands are not computed again:
 * a forged one may lie about what is watertight, and what lies inside. */
#include <string.h>

#include "build.h"

typedef struct extent {
    uint64_t offset, count, bytes;
} extent;

bool ap_mesh_check_layout(const apart_mesh *m, size_t size)
{
    if (m->magic != AP_MESH_MAGIC || m->version != AP_MESH_VERSION || m->size > size || m->vertex_count == 0 ||
        m->triangle_count == 0 || m->triangle_count >= AP_MESH_LEAF >> 3 || m->tree_count == 0 ||
        m->tree_count > m->triangle_count || m->node_count == 0 || m->node_count > m->tree_count ||
        m->leaf_count > m->tree_count || m->island_count == 0 || m->island_count > m->vertex_count) {
        return false;
    }
    const extent parts[] = {{m->nodes, m->node_count, sizeof(ap_mesh_node)},
                            {m->leaves, m->leaf_count, sizeof(ap_mesh_leaf)},
                            {m->vertices, m->vertex_count, 3 * sizeof(double)},
                            {m->triangles, m->triangle_count, 3 * sizeof(uint32_t)},
                            {m->order, m->triangle_count, sizeof(uint32_t)},
                            {m->islands, m->island_count, sizeof(uint32_t)},
                            {m->twins, m->triangle_count - m->tree_count, sizeof(uint32_t)}};
    uint64_t end = sizeof *m;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        /* Counts are below 2^32 and sizes below 2^9: no product here overflows. */
        if (parts[i].offset < end || parts[i].offset > m->size || parts[i].offset % 8 != 0 ||
            parts[i].count * parts[i].bytes > m->size - parts[i].offset) {
            return false;
        }
        end = parts[i].offset + parts[i].count * parts[i].bytes;
    }
    return true;
}

static bool is_power_of_two(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x > 0.0 && isfinite(x) && (bits & ((UINT64_C(1) << 52) - 1)) == 0 && bits >> 52 != 0;
}

/* Vertices are finite, within the radius and extent, and of local size. */
static bool check_vertices(const apart_mesh *m)
{
    const apart_vec3 center = ap_mesh_center(m);
    if (!is_power_of_two(m->scale) || !ap_finite(center) || !isfinite(m->radius) || !isfinite(m->extent)) {
        return false;
    }
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        const apart_vec3 v = ap_mesh_vertex(m, i), p = ap_scale(m->scale, ap_sub(v, center));
        if (!(ap_max_abs(p) <= 1.0) || !(ap_norm(p) <= m->radius * m->scale) || !(ap_norm(v) <= m->extent)) {
            return false;
        }
    }
    return true;
}

static uint64_t mixed(uint64_t h)
{
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

/* The order is a permutation if sums of its numbers' hashes are those of 0 .. count - 1, but for a chance of 2^-64. */
static bool check_triangles(const apart_mesh *m)
{
    const uint32_t *corners = ap_mesh_corners(m, 0), *order = ap_mesh_order(m);
    uint64_t sum = 0;
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++) {
        if (corners[i] >= m->vertex_count) {
            return false;
        }
    }
    for (uint64_t i = 0; i < m->island_count; i++) {
        if (ap_mesh_island_vertices(m)[i] >= m->vertex_count) {
            return false;
        }
    }
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        if (order[i] >= m->triangle_count) {
            return false;
        }
        sum += mixed(order[i] + UINT64_C(1)) - mixed(i + UINT64_C(1));
    }
    return sum == 0;
}

/* Each repeated triangle has the vertices of an earlier one: the chain of these ends in the tree, since each triangle is
 * in the order once. */
static bool check_twins(const apart_mesh *m)
{
    const uint32_t *repeated = ap_mesh_order(m) + m->tree_count, *twins = ap_mesh_twin_numbers(m);
    for (uint32_t i = 0; i < m->triangle_count - m->tree_count; i++) {
        if (twins[i] >= repeated[i] || (i > 0 && twins[i] < twins[i - 1]) ||
            !ap_mesh_same_corners(ap_mesh_corners(m, twins[i]), ap_mesh_corners(m, repeated[i]))) {
            return false;
        }
    }
    return true;
}

/* Rows of length one that are perpendicular; false for what is not finite. */
static bool is_frame(const ap_mesh_volume *volume)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            const float *a = volume->axis[i], *b = volume->axis[j];
            const float dot = (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
            if (!(fabsf(dot - (i == j ? 1.0f : 0.0f)) <= AP_MESH_AXIS_ERROR)) {
                return false;
            }
        }
    }
    return true;
}

static bool check_leaves(const apart_mesh *m)
{
    const ap_mesh_leaf *leaves = ap_mesh_leaves(m);
    uint32_t next = 0;
    for (uint32_t i = 0; i < m->leaf_count; i++) {
        ap_mesh_leaf leaf = leaves[i];
        if (leaf.first != next || leaf.count == 0 || leaf.count > AP_MESH_WIDTH ||
            leaf.count > m->tree_count - leaf.first || !is_frame(&leaf.volume)) {
            return false;
        }
        ap_mesh_leaf_corners(m, &leaf);
        ap_mesh_leaf_volume(&leaf);
        if (memcmp(&leaf, &leaves[i], sizeof leaf) != 0) {
            return false;
        }
        next += leaf.count;
    }
    return next == m->tree_count;
}

/* The walk goes down the tree in the order of the leaves, so it meets each of them once. */
typedef struct node_walk {
    uint32_t node[AP_MESH_LEVELS], lane[AP_MESH_LEVELS], first[AP_MESH_LEVELS][AP_MESH_WIDTH + 1];
    uint32_t depth, leaves, nodes;
} node_walk;

static bool check_node(const apart_mesh *m, uint32_t number, const uint32_t first[AP_MESH_WIDTH + 1])
{
    const ap_mesh_node *stored = &ap_mesh_nodes(m)[number];
    ap_mesh_node node = *stored;
    if (!is_frame(&node.volume)) {
        return false;
    }
    ap_mesh_node_volume(&node, ap_mesh_leaves(m), first);
    return memcmp(&node, stored, sizeof node) == 0;
}

static bool enter_node(const apart_mesh *m, node_walk *w, uint32_t parent, uint32_t number)
{
    /* Children come after their parents, so no node is below itself. */
    if (w->depth == AP_MESH_LEVELS || number >= m->node_count || (w->depth > 0 && number <= parent) ||
        w->nodes == m->node_count) {
        return false;
    }
    const uint32_t count = ap_mesh_nodes(m)[number].count;
    if (count == 0 || count > AP_MESH_WIDTH) {
        return false;
    }
    w->node[w->depth] = number;
    w->lane[w->depth] = 0;
    w->first[w->depth][0] = w->leaves;
    w->depth++;
    w->nodes++;
    return true;
}

/* Goes one step: into a child, or up from the last. False: something is wrong. */
static bool step_walk(const apart_mesh *m, node_walk *w)
{
    const uint32_t level = w->depth - 1, number = w->node[level];
    const ap_mesh_node *node = &ap_mesh_nodes(m)[number];
    if (w->lane[level] > 0) {
        w->first[level][w->lane[level]] = w->leaves;
    }
    if (w->lane[level] == node->count) {
        w->depth--;
        return check_node(m, number, w->first[level]);
    }
    const uint32_t child = node->child[w->lane[level]++];
    if (child < AP_MESH_LEAF) {
        return enter_node(m, w, number, child);
    }
    return child - AP_MESH_LEAF == w->leaves && w->leaves++ < m->leaf_count;
}

static bool check_nodes(const apart_mesh *m)
{
    node_walk w = {.depth = 0};
    if (!enter_node(m, &w, 0, 0)) {
        return false;
    }
    while (w.depth > 0) {
        if (!step_walk(m, &w)) {
            return false;
        }
    }
    return w.leaves == m->leaf_count && w.nodes == m->node_count;
}

apart_status apart_mesh_view(const void *memory, size_t size, const apart_mesh **out)
{
    if (memory == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_mesh *m = memory;
    if ((uintptr_t)memory % 8 != 0 || size < sizeof *m || !ap_mesh_check_layout(m, size) || !check_vertices(m) ||
        !check_triangles(m) || !check_twins(m) || !check_leaves(m) || !check_nodes(m)) {
        return APART_ERR_BLOCK;
    }
    *out = m;
    return APART_OK;
}
