/* The first pair by alternating projections: the point of A nearest to B's centre, the point of B nearest to that, and
 * back. Nothing is proved here: floats need no error bounds, and any pair will do. */
#include "seed.h"

typedef struct waiting_item {
    uint32_t item;
    float square; /* of the distance of its volume from the point */
} waiting_item;

typedef struct nearest_search {
    const apart_mesh *mesh;
    float point[3]; /* local */
    float square;   /* of the nearest so far */
    uint32_t part;
    float found[3]; /* the nearest point, local */
} nearest_search;

/* Squares of the distances of a node's children from the point. */
static void square_to_children(const nearest_search *s, const ap_mesh_node *node, float out[AP_MESH_WIDTH])
{
    ap_float8 sum = ap_float8_all(0.0f);
    for (int i = 0; i < 3; i++) {
        const float *axis = node->volume.axis[i];
        const float at = (axis[0] * s->point[0] + axis[1] * s->point[1]) + axis[2] * s->point[2];
        const ap_float8 off = ap_float8_abs(ap_float8_sub(ap_float8_load(node->center[i]), ap_float8_all(at)));
        const ap_float8 gap = ap_facet_positive(ap_float8_sub(off, ap_float8_load(node->half[i])));
        sum = ap_float8_add(sum, ap_float8_mul(gap, gap));
    }
    ap_float8_store(out, sum);
}

/* The shortest vector from the point to eight triangles so far. */
typedef struct shortest_to {
    ap_floats3 w;
    ap_float8 square;
} shortest_to;

AP_INLINE void offer_point(shortest_to *best, ap_floats3 w, ap_bits8 valid)
{
    const ap_float8 square = ap_floats3_dot(w, w);
    const ap_bits8 shorter = ap_bits8_and(ap_float8_less(square, best->square), valid);
    best->square = ap_float8_select(best->square, square, shorter);
    best->w.x = ap_float8_select(best->w.x, w.x, shorter);
    best->w.y = ap_float8_select(best->w.y, w.y, shorter);
    best->w.z = ap_float8_select(best->w.z, w.z, shorter);
}

static shortest_to point_to_triangles(const ap_floats3 corner[3])
{
    shortest_to best = {corner[0], ap_float8_all(INFINITY)};
    const ap_float8 zero = ap_float8_all(0.0f), one = ap_float8_all(1.0f), least = ap_float8_all(0x1p-100f);
    const ap_floats3 n = ap_floats3_cross(ap_floats3_sub(corner[1], corner[0]), ap_floats3_sub(corner[2], corner[0]));
    ap_bits8 inside = ap_bits8_all(-1);
    for (int i = 0; i < 3; i++) {
        const ap_floats3 p = corner[i], u = ap_floats3_sub(corner[i < 2 ? i + 1 : 0], p);
        const ap_float8 along =
            ap_float8_div(ap_float8_neg(ap_floats3_dot(p, u)), ap_float8_max(ap_floats3_dot(u, u), least));
        const ap_float8 t = ap_float8_min(ap_float8_max(along, zero), one);
        offer_point(&best, ap_floats3_add(p, ap_floats3_scale(t, u)), ap_bits8_all(-1));
        inside = ap_bits8_and(inside, ap_float8_at_most(ap_floats3_dot(ap_floats3_cross(n, u), p), zero));
    }
    const ap_float8 height = ap_float8_div(ap_floats3_dot(corner[0], n), ap_float8_max(ap_floats3_dot(n, n), least));
    offer_point(&best, ap_floats3_scale(height, n), inside);
    return best;
}

static void look_at_leaf(nearest_search *s, const ap_mesh_leaf *leaf)
{
    ap_floats3 corner[3];
    float square[AP_MESH_WIDTH], w[3][AP_MESH_WIDTH];
    for (int i = 0; i < 3; i++) {
        corner[i].x = ap_float8_sub(ap_float8_load(leaf->corner[i][0]), ap_float8_all(s->point[0]));
        corner[i].y = ap_float8_sub(ap_float8_load(leaf->corner[i][1]), ap_float8_all(s->point[1]));
        corner[i].z = ap_float8_sub(ap_float8_load(leaf->corner[i][2]), ap_float8_all(s->point[2]));
    }
    const shortest_to best = point_to_triangles(corner);
    ap_float8_store(square, best.square);
    ap_float8_store(w[0], best.w.x);
    ap_float8_store(w[1], best.w.y);
    ap_float8_store(w[2], best.w.z);
    for (unsigned lane = 0; lane < leaf->count; lane++) {
        if (square[lane] < s->square) {
            s->square = square[lane];
            s->part = ap_mesh_order(s->mesh)[leaf->first + lane];
            for (int i = 0; i < 3; i++) {
                s->found[i] = s->point[i] + w[i][lane];
            }
        }
    }
}

/* The triangle nearest to a point. */
static void find_nearest(nearest_search *s)
{
    waiting_item stack[AP_MESH_LEVELS * AP_MESH_WIDTH + 1];
    unsigned count = 1;
    stack[0] = (waiting_item){0, 0.0f};
    while (count > 0) {
        const waiting_item next = stack[--count];
        if (!(next.square < s->square)) {
            continue;
        }
        if (next.item >= AP_MESH_LEAF) {
            look_at_leaf(s, &ap_mesh_leaves(s->mesh)[next.item - AP_MESH_LEAF]);
            continue;
        }
        const ap_mesh_node *node = &ap_mesh_nodes(s->mesh)[next.item];
        float square[AP_MESH_WIDTH];
        square_to_children(s, node, square);
        const unsigned base = count;
        for (unsigned lane = 0; lane < node->count; lane++) {
            if (square[lane] < s->square) {
                unsigned at = count++;
                for (; at > base && stack[at - 1].square < square[lane]; at--) {
                    stack[at] = stack[at - 1];
                }
                stack[at] = (waiting_item){node->child[lane], square[lane]};
            }
        }
    }
}

/* The part of a side nearest to a point of its frame in query units, which becomes the nearest point. */
static uint32_t nearest_part(const ap_facet_side *side, float point[3])
{
    if (side->shape != NULL) {
        point[0] = point[1] = point[2] = 0.0f; /* its centre */
        return 0;
    }
    const float to_local = 1.0f / side->scale;
    if (side->compound != NULL) {
        const double own = to_local / side->local_scale;
        const apart_vec3 at = ap_vec(point[0] * own, point[1] * own, point[2] * own);
        return ap_compound_nearest_part(side->compound, ap_add(at, side->center));
    }
    nearest_search s = {.mesh = side->mesh, .square = INFINITY};
    for (int i = 0; i < 3; i++) {
        s.point[i] = point[i] * to_local;
    }
    find_nearest(&s);
    for (int i = 0; i < 3; i++) {
        point[i] = s.found[i] * side->scale;
    }
    return s.part;
}

bool ap_facet_seed(const ap_facet_frame *f, uint32_t part[2])
{
    float point[4];
    if (f->along) {
        return false;
    }
    ap_float4_store(point, f->view[0].offset);
    part[0] = nearest_part(&f->side[0], point);
    for (int to = 1; to >= 0; to--) {
        const ap_facet_view *view = &f->view[to]; /* of the side that the point is of */
        ap_float4_store(point, ap_float4_add(ap_facet_turn(view->axis, ap_float4_load(point)), view->offset));
        part[to] = nearest_part(&f->side[to], point);
    }
    return true;
}
