/* Do two triangles of one mesh meet where they should not? Each leaf's box is sought in the tree, boxes of triangles are
 * compared in floats, and what they leave is decided by the exact predicates. */
#include "../simd/floats.h"
#include "block.h"
#include "../exact/predicates.h"

/* Boxes in local coordinates are this much larger than their triangles' floats, whose coordinates err by at most
 * AP_MESH_FLOAT_ERROR. */
#define BOX_ERROR (2.0f * (float)AP_MESH_FLOAT_ERROR)

/* What a comparison of two boxes in floats can be wrong by: centres and sums of half edges are below 8, and a dot
 * product of three terms below 2 errs by 2^-21. */
#define COMPARISON_ERROR 0x1p-18f

typedef struct local_box {
    float center[3], half[3];
} local_box;

typedef struct search {
    const apart_mesh *mesh;
    uint32_t pair[2];
    bool found;
} search;

/* ---- two triangles ---- */

static void corners_of(const apart_mesh *m, const uint32_t ids[3], apart_vec3 t[3])
{
    for (int i = 0; i < 3; i++) {
        t[i] = ap_mesh_vertex(m, ids[i]);
    }
}

/* Turns both so that their common vertices come first, in the same order; returns how many there are. */
static int common_first(uint32_t a[3], uint32_t b[3])
{
    int common = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = common; j < 3; j++) {
            if (a[i] == b[j]) {
                const uint32_t id = a[i];
                a[i] = a[common];
                a[common] = id;
                b[j] = b[common];
                b[common] = id;
                common++;
                break;
            }
        }
    }
    return common;
}

/* Two triangles with areas and a common edge: they meet elsewhere if one lies over the other in one plane. */
static bool fold_over(const apart_vec3 a[3], const apart_vec3 b[3])
{
    if (ap_exact_orient3d(a[0], a[1], a[2], b[2]) != 0) {
        return false;
    }
    const int axis = ap_triangle_axis(a);
    return ap_exact_orient_without(axis, a[0], a[1], a[2]) == ap_exact_orient_without(axis, b[0], b[1], b[2]);
}

/* Two triangles with areas and a common vertex. If they have another common point, all between it and the vertex is
 * common, and beyond it up to the edge of one of them that lies opposite the vertex: so that edge meets the other. */
static bool meet_beyond_vertex(const apart_vec3 a[3], const apart_vec3 b[3])
{
    return ap_segment_meets_triangle(a + 1, b) || ap_segment_meets_triangle(b + 1, a);
}

static bool triangles_intersect(const apart_mesh *m, uint32_t first, uint32_t second)
{
    uint32_t ids_a[3], ids_b[3];
    memcpy(ids_a, ap_mesh_corners(m, first), sizeof ids_a);
    memcpy(ids_b, ap_mesh_corners(m, second), sizeof ids_b);
    const int common = common_first(ids_a, ids_b);
    apart_vec3 a[3], b[3];
    corners_of(m, ids_a, a);
    corners_of(m, ids_b, b);
    if (ap_triangle_axis(a) < 0 || ap_triangle_axis(b) < 0) {
        return false;
    }
    switch (common) {
    case 0: return ap_triangles_meet(a, b);
    case 1: return meet_beyond_vertex(a, b);
    case 2: return fold_over(a, b);
    default: return true;
    }
}

/* ---- boxes ---- */

/* The box of a lane, or of all lanes that are used. */
static local_box box_of_lanes(const ap_mesh_leaf *leaf, uint32_t first, uint32_t end)
{
    local_box box;
    for (int i = 0; i < 3; i++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t lane = first; lane < end; lane++) {
            for (int corner = 0; corner < 3; corner++) {
                const float x = leaf->corner[corner][i][lane];
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
        }
        box.center[i] = 0.5f * (low + high);
        box.half[i] = 0.5f * (high - low) + 2.0f * BOX_ERROR; /* once for the rounding of these two */
    }
    return box;
}

static ap_float4 magnitude(ap_float4 a) { return ap_float4_max(a, ap_float4_neg(a)); }

/* Lanes of four where the distance is larger than the reach. */
static ap_bits4 beyond(ap_float4 distance, ap_float4 reach)
{
    return ap_float4_greater(magnitude(distance), ap_float4_add(reach, ap_float4_all(COMPARISON_ERROR)));
}

/* Four children whose boxes may meet the box, by the axes of both. */
static unsigned four_met(const local_box *box, const ap_mesh_node *node, unsigned first)
{
    ap_float4 center[3], half[3];
    for (int i = 0; i < 3; i++) {
        center[i] = ap_float4_load(&node->center[i][first]);
        half[i] = ap_float4_load(&node->half[i][first]);
    }
    const float(*axis)[3] = node->volume.axis;
    ap_bits4 apart = ap_float4_greater(ap_float4_all(0.0f), ap_float4_all(0.0f));
    for (int i = 0; i < 3; i++) {
        float at = 0.0f, reach = 0.0f;
        ap_float4 local = ap_float4_all(0.0f), local_reach = local;
        for (int k = 0; k < 3; k++) {
            at += axis[i][k] * box->center[k];
            reach += fabsf(axis[i][k]) * box->half[k];
            local = ap_float4_add(local, ap_float4_scale(axis[k][i], center[k]));
            local_reach = ap_float4_add(local_reach, ap_float4_scale(fabsf(axis[k][i]), half[k]));
        }
        apart = ap_bits4_or(apart, beyond(ap_float4_sub(center[i], ap_float4_all(at)),
                                          ap_float4_add(half[i], ap_float4_all(reach))));
        apart = ap_bits4_or(apart, beyond(ap_float4_sub(local, ap_float4_all(box->center[i])),
                                          ap_float4_add(local_reach, ap_float4_all(box->half[i]))));
    }
    return ap_bits4_mask(apart) ^ 0xfu;
}

static bool boxes_meet(const local_box *a, const local_box *b)
{
    for (int i = 0; i < 3; i++) {
        if (fabsf(a->center[i] - b->center[i]) > a->half[i] + b->half[i] + COMPARISON_ERROR) {
            return false;
        }
    }
    return true;
}

/* ---- the search ---- */

typedef struct leaf_boxes {
    uint32_t number;
    const ap_mesh_leaf *leaf;
    local_box all, lane[AP_MESH_WIDTH];
} leaf_boxes;

static void set_boxes(leaf_boxes *boxes, const apart_mesh *m, uint32_t number)
{
    boxes->number = number;
    boxes->leaf = &ap_mesh_leaves(m)[number];
    boxes->all = box_of_lanes(boxes->leaf, 0, boxes->leaf->count);
    for (uint32_t lane = 0; lane < boxes->leaf->count; lane++) {
        boxes->lane[lane] = box_of_lanes(boxes->leaf, lane, lane + 1);
    }
}

static void compare_triangles(search *s, const leaf_boxes *a, uint32_t lane_a, const leaf_boxes *b, uint32_t first_b)
{
    const uint32_t *order = ap_mesh_order(s->mesh);
    for (uint32_t lane = first_b; lane < b->leaf->count && !s->found; lane++) {
        const uint32_t first = order[a->leaf->first + lane_a], second = order[b->leaf->first + lane];
        if (boxes_meet(&a->lane[lane_a], &b->lane[lane]) && triangles_intersect(s->mesh, first, second)) {
            s->pair[0] = first < second ? first : second;
            s->pair[1] = first < second ? second : first;
            s->found = true;
        }
    }
}

/* The triangles of a leaf among each other, or with those of a later one. */
static void compare_leaves(search *s, const leaf_boxes *a, uint32_t number)
{
    leaf_boxes b;
    set_boxes(&b, s->mesh, number);
    for (uint32_t lane = 0; lane < a->leaf->count && !s->found; lane++) {
        if (boxes_meet(&a->lane[lane], &b.all)) {
            compare_triangles(s, a, lane, &b, number == a->number ? lane + 1 : 0);
        }
    }
}

static void search_for_leaf(search *s, uint32_t number)
{
    uint32_t stack[AP_MESH_LEVELS * AP_MESH_WIDTH], count = 0;
    const ap_mesh_node *nodes = ap_mesh_nodes(s->mesh);
    leaf_boxes boxes;
    set_boxes(&boxes, s->mesh, number);
    stack[count++] = 0;
    while (count > 0 && !s->found) {
        const uint32_t next = stack[--count];
        if (next >= AP_MESH_LEAF) {
            if (next - AP_MESH_LEAF >= number) {
                compare_leaves(s, &boxes, next - AP_MESH_LEAF);
            }
            continue;
        }
        const ap_mesh_node *node = &nodes[next];
        const unsigned used = (1u << node->count) - 1u;
        unsigned met = (four_met(&boxes.all, node, 0) | four_met(&boxes.all, node, 4) << 4) & used;
        for (; met != 0; met &= met - 1) {
            stack[count++] = node->child[ap_lowest_bit(met)];
        }
    }
}

apart_status apart_mesh_self_intersection(const apart_mesh *mesh, int *intersecting, uint32_t pair[2])
{
    if (mesh == NULL || intersecting == NULL) {
        return APART_ERR_NULL;
    }
    search s = {.mesh = mesh};
    for (uint32_t i = 0; i < mesh->triangle_count - mesh->tree_count && !s.found; i++) { /* these are not in the tree */
        s.pair[0] = ap_mesh_twin_numbers(mesh)[i];
        s.pair[1] = ap_mesh_order(mesh)[mesh->tree_count + i];
        s.found = triangles_intersect(mesh, s.pair[0], s.pair[1]);
    }
    for (uint32_t leaf = 0; leaf < mesh->leaf_count && !s.found; leaf++) {
        search_for_leaf(&s, leaf);
    }
    *intersecting = s.found ? 1 : 0;
    if (s.found && pair != NULL) {
        memcpy(pair, s.pair, sizeof s.pair);
    }
    return APART_OK;
}
