/* The triangles that the ray from a point along x passes through are found by the tree and counted by the rule of
 * crossing.h. Floats exclude subtrees and triangles, and count crossings that are far from every edge; all else is left
 * to the exact predicates. */
#include "contains.h"

#include "../simd/floats.h"
#include "../topology/crossing.h"

/* What the floats of a node can be wrong by, in local coordinates. A point's coordinates are at most 1 and err by 2^-25,
 * those in a frame by 2^-21 after three products and sums, their differences from a centre by 2^-20. A cross product
 * with the direction, whose components are at most 1, errs by twice that and its own rounding, 14 * 2^-24; the sums of
 * half edges by 2^-21. */
#define NODE_ERROR 0x1p-18f

/* A difference of two local coordinates errs by less than 2^-22. */
#define DIFFERENCE_ERROR 0x1p-22f

/* A cross product of two such differences errs by their errors, times the components, and by two roundings; together
 * less than 2^-21 times the sum of the components, which are at most 2, and the product of the errors. */
#define CROSS_ERROR 0x1p-21f
#define CROSS_ERROR_LEAST 0x1p-42f

typedef struct point_ray {
    const apart_mesh *mesh;
    apart_vec3 point;
    float local[3];
    int winding;
    unsigned crossings;
    bool is_on;
} point_ray;

static ap_float4 magnitude(ap_float4 a) { return ap_float4_max(a, ap_float4_neg(a)); }

/* u times a, minus v times b. */
static ap_float4 cross_with(ap_float4 u, float a, ap_float4 v, float b)
{
    return ap_float4_sub(ap_float4_scale(a, u), ap_float4_scale(b, v));
}

/* A node's frame: where the point is in it, and the ray's direction. */
typedef struct framed_ray {
    float at[3], d[3];
} framed_ray;

/* Four children that the ray may meet. The line passes a box if it does, seen along each of the box's axes. */
static unsigned four_met(const framed_ray *r, const ap_mesh_node *node, unsigned first)
{
    ap_float4 from[3], half[3];                    /* from the children's centres to the point */
    ap_float4 behind = ap_float4_all(-NODE_ERROR); /* how far the point is past the box */
    for (int i = 0; i < 3; i++) {
        from[i] = ap_float4_sub(ap_float4_all(r->at[i]), ap_float4_load(&node->center[i][first]));
        half[i] = ap_float4_load(&node->half[i][first]);
        behind = ap_float4_add(behind, cross_with(from[i], r->d[i], half[i], fabsf(r->d[i])));
    }
    ap_bits4 missed = ap_float4_greater(behind, ap_float4_all(0.0f));
    for (int i = 0; i < 3; i++) {
        const int j = i < 2 ? i + 1 : 0;
        const ap_float4 cross = magnitude(cross_with(from[i], r->d[j], from[j], r->d[i]));
        const ap_float4 shadow =
            ap_float4_add(ap_float4_scale(fabsf(r->d[j]), half[i]), ap_float4_scale(fabsf(r->d[i]), half[j]));
        missed = ap_bits4_or(missed, ap_float4_greater(cross, ap_float4_add(shadow, ap_float4_all(NODE_ERROR))));
    }
    return ap_bits4_mask(missed) ^ 0xfu;
}

/* The children of a node that the ray may meet. */
static unsigned children_met(const point_ray *r, const ap_mesh_node *node)
{
    framed_ray f;
    for (int i = 0; i < 3; i++) {
        const float *axis = node->volume.axis[i];
        f.at[i] = (axis[0] * r->local[0] + axis[1] * r->local[1]) + axis[2] * r->local[2];
        f.d[i] = axis[0];
    }
    return (four_met(&f, node, 0) | four_met(&f, node, 4) << 4) & ((1u << node->count) - 1u);
}

/* Lanes of a leaf's triangles: those that the ray crosses for sure, with the triangle's orientation, and those that
 * floats cannot decide. */
typedef struct leaf_lanes {
    unsigned out, in, unsure;
} leaf_lanes;

/* y[0] z[1] - z[0] y[1] of two corners seen from the point: left where it is above its error, right below. */
static void look_at_edge(ap_float4 y0, ap_float4 z0, ap_float4 y1, ap_float4 z1, ap_bits4 *left, ap_bits4 *right)
{
    const ap_float4 side = ap_float4_sub(ap_float4_mul(y0, z1), ap_float4_mul(z0, y1));
    const ap_float4 sizes =
        ap_float4_add(ap_float4_add(magnitude(y0), magnitude(y1)), ap_float4_add(magnitude(z0), magnitude(z1)));
    const ap_float4 error = ap_float4_add(ap_float4_scale(CROSS_ERROR, sizes), ap_float4_all(CROSS_ERROR_LEAST));
    *left = ap_float4_greater(side, error);
    *right = ap_float4_less(side, ap_float4_neg(error));
}

static leaf_lanes look_at_four(const point_ray *r, const ap_mesh_leaf *leaf, unsigned first)
{
    ap_float4 x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        x[i] = ap_float4_sub(ap_float4_load(&leaf->corner[i][0][first]), ap_float4_all(r->local[0]));
        y[i] = ap_float4_sub(ap_float4_load(&leaf->corner[i][1][first]), ap_float4_all(r->local[1]));
        z[i] = ap_float4_sub(ap_float4_load(&leaf->corner[i][2][first]), ap_float4_all(r->local[2]));
    }
    ap_bits4 left[3], right[3];
    look_at_edge(y[0], z[0], y[1], z[1], &left[0], &right[0]);
    look_at_edge(y[1], z[1], y[2], z[2], &left[1], &right[1]);
    look_at_edge(y[2], z[2], y[0], z[0], &left[2], &right[2]);
    const ap_bits4 any_left = ap_bits4_or(ap_bits4_or(left[0], left[1]), left[2]);
    const ap_bits4 any_right = ap_bits4_or(ap_bits4_or(right[0], right[1]), right[2]);
    const ap_bits4 all_left = ap_bits4_and(ap_bits4_and(left[0], left[1]), left[2]);
    const ap_bits4 all_right = ap_bits4_and(ap_bits4_and(right[0], right[1]), right[2]);
    const ap_float4 nearest = ap_float4_min(ap_float4_min(x[0], x[1]), x[2]);
    const ap_float4 farthest = ap_float4_max(ap_float4_max(x[0], x[1]), x[2]);
    const ap_bits4 ahead = ap_float4_greater(nearest, ap_float4_all(DIFFERENCE_ERROR));
    const ap_bits4 behind = ap_float4_less(farthest, ap_float4_all(-DIFFERENCE_ERROR));
    const ap_bits4 missed = ap_bits4_or(ap_bits4_and(any_left, any_right), behind);
    const unsigned out = ap_bits4_mask(ap_bits4_and(all_left, ahead)),
                   in = ap_bits4_mask(ap_bits4_and(all_right, ahead));
    return (leaf_lanes){out, in, ~(ap_bits4_mask(missed) | out | in) & 0xfu};
}

static leaf_lanes look_at_leaf(const point_ray *r, const ap_mesh_leaf *leaf)
{
    const unsigned used = (1u << leaf->count) - 1u;
    const leaf_lanes low = look_at_four(r, leaf, 0), high = look_at_four(r, leaf, 4);
    return (leaf_lanes){(low.out | high.out << 4) & used, (low.in | high.in << 4) & used,
                        (low.unsure | high.unsure << 4) & used};
}

static void count_triangle(point_ray *r, uint32_t triangle)
{
    const uint32_t *corners = ap_mesh_corners(r->mesh, triangle);
    const apart_vec3 t[3] = {ap_mesh_vertex(r->mesh, corners[0]), ap_mesh_vertex(r->mesh, corners[1]),
                             ap_mesh_vertex(r->mesh, corners[2])};
    const ap_crossing crossing = ap_ray_crossing(r->point, t);
    r->is_on = r->is_on || crossing == AP_CROSSING_ON;
    if (!r->is_on) {
        r->winding += (int)crossing;
        r->crossings += crossing != AP_CROSSING_NONE ? 1 : 0;
    }
}

/* Counts the crossings of a leaf's triangles. */
static void count_leaf(point_ray *r, const ap_mesh_leaf *leaf)
{
    const leaf_lanes lanes = look_at_leaf(r, leaf);
    const int out = (int)ap_count_bits(lanes.out), in = (int)ap_count_bits(lanes.in);
    r->winding += out - in;
    r->crossings += (unsigned)(out + in);
    for (unsigned left = lanes.unsure; left != 0 && !r->is_on; left &= left - 1) {
        count_triangle(r, ap_mesh_order(r->mesh)[leaf->first + ap_lowest_bit(left)]);
    }
}

static void count_all(point_ray *r)
{
    uint32_t stack[AP_MESH_LEVELS * AP_MESH_WIDTH], count = 0;
    const ap_mesh_node *nodes = ap_mesh_nodes(r->mesh);
    stack[count++] = 0;
    while (count > 0 && !r->is_on) {
        const uint32_t next = stack[--count];
        if (next >= AP_MESH_LEAF) {
            count_leaf(r, &ap_mesh_leaves(r->mesh)[next - AP_MESH_LEAF]);
            continue;
        }
        for (unsigned met = children_met(r, &nodes[next]); met != 0; met &= met - 1) {
            stack[count++] = nodes[next].child[ap_lowest_bit(met)];
        }
    }
    for (uint32_t i = r->mesh->tree_count; i < r->mesh->triangle_count && !r->is_on; i++) {
        count_triangle(r, ap_mesh_order(r->mesh)[i]); /* a surface that is there twice is crossed twice */
    }
}

int ap_mesh_side(const apart_mesh *mesh, apart_vec3 point)
{
    point_ray r = {.mesh = mesh, .point = point};
    /* Local coordinates of vertices are at most 1, up to the rounding of the difference. */
    const apart_vec3 local = ap_scale(mesh->scale, ap_sub(point, ap_mesh_center(mesh)));
    if (!(ap_max_abs(local) <= 1.0 + 0x1p-40)) {
        return -1;
    }
    r.local[0] = (float)local.x;
    r.local[1] = (float)local.y;
    r.local[2] = (float)local.z;
    count_all(&r);
    if (r.is_on) {
        return 0;
    }
    const bool inside = mesh->report.turned_edges == 0 ? r.winding != 0 : r.crossings % 2 != 0;
    return inside ? 1 : -1;
}

apart_status apart_mesh_contains(const apart_mesh *mesh, apart_vec3 point, int *side)
{
    if (mesh == NULL || side == NULL) {
        return APART_ERR_NULL;
    }
    if (!ap_finite(point)) {
        return APART_ERR_NONFINITE;
    }
    if (!mesh->report.watertight) {
        return APART_ERR_NOT_WATERTIGHT;
    }
    *side = ap_mesh_side(mesh, point);
    return APART_OK;
}
