/* Bounds of up to 64 pairs of triangles, eight at a time, in stages of growing cost: all of them along the line between
 * the leaves and along the normal of the best pair so far; each along the line between the triangles' centres; then
 * their distance, of which only the direction is used: along it both triangles are projected. So nothing but
 * projections excludes a pair, and a pair that pierces needs no case of its own.
 *
 * The distance of two triangles is that of nine pairs of edges (Ericson 2005, 5.1.9) and of six vertices from faces. */
#include "leaf.h"

typedef struct corners {
    ap_floats3 p[3];
} corners;

/* Numbers so small that they are divided by this instead. */
static const float least_divisor = 0x1p-100f;

static ap_floats3 broadcast(ap_float4 v)
{
    return (ap_floats3){ap_float8_all(ap_float4_at(v, 0)), ap_float8_all(ap_float4_at(v, 1)),
                        ap_float8_all(ap_float4_at(v, 2))};
}

static ap_floats3 lane_of(ap_floats3 v, unsigned lane)
{
    return (ap_floats3){ap_float8_all(ap_float8_at(v.x, lane)), ap_float8_all(ap_float8_at(v.y, lane)),
                        ap_float8_all(ap_float8_at(v.z, lane))};
}

/* A leaf's corners in its own frame, in query units. */
static void load_corners(const ap_mesh_leaf *leaf, float scale, corners *out)
{
    for (int i = 0; i < 3; i++) {
        out->p[i].x = ap_float8_scale(scale, ap_float8_load(leaf->corner[i][0]));
        out->p[i].y = ap_float8_scale(scale, ap_float8_load(leaf->corner[i][1]));
        out->p[i].z = ap_float8_scale(scale, ap_float8_load(leaf->corner[i][2]));
    }
}

static void view_corners(corners *c, const ap_facet_view *view)
{
    const ap_floats3 x = broadcast(view->axis[0]), y = broadcast(view->axis[1]), z = broadcast(view->axis[2]),
                     offset = broadcast(view->offset);
    for (int i = 0; i < 3; i++) {
        const ap_floats3 xy = ap_floats3_add(ap_floats3_scale(c->p[i].x, x), ap_floats3_scale(c->p[i].y, y));
        c->p[i] = ap_floats3_add(ap_floats3_add(xy, ap_floats3_scale(c->p[i].z, z)), offset);
    }
}

/* The largest and the smallest product of a direction with a triangle. */
AP_INLINE ap_float8 most_along(const corners *c, ap_floats3 d)
{
    return ap_float8_max(ap_float8_max(ap_floats3_dot(d, c->p[0]), ap_floats3_dot(d, c->p[1])),
                         ap_floats3_dot(d, c->p[2]));
}

AP_INLINE ap_float8 least_along(const corners *c, ap_floats3 d)
{
    return ap_float8_min(ap_float8_min(ap_floats3_dot(d, c->p[0]), ap_floats3_dot(d, c->p[1])),
                         ap_floats3_dot(d, c->p[2]));
}

static float largest_of(ap_float8 v)
{
    float lane[AP_MESH_WIDTH], most = -INFINITY;
    ap_float8_store(lane, v);
    for (unsigned i = 0; i < AP_MESH_WIDTH; i++) {
        most = lane[i] > most ? lane[i] : most;
    }
    return most;
}

/* ---- the distance of triangles ---- */

/* The shortest vector from A to B found so far, and its square. */
typedef struct shortest {
    ap_floats3 w;
    ap_float8 square;
} shortest;

AP_INLINE void take_shorter(shortest *best, ap_floats3 w, ap_float8 square, ap_bits8 valid)
{
    const ap_bits8 shorter = ap_bits8_and(ap_float8_less(square, best->square), valid);
    best->square = ap_float8_select(best->square, square, shorter);
    best->w.x = ap_float8_select(best->w.x, w.x, shorter);
    best->w.y = ap_float8_select(best->w.y, w.y, shorter);
    best->w.z = ap_float8_select(best->w.z, w.z, shorter);
}

static ap_float8 clamped(ap_float8 x)
{
    return ap_float8_min(ap_float8_max(x, ap_float8_all(0.0f)), ap_float8_all(1.0f));
}

static ap_float8 divisor(ap_float8 x) { return ap_float8_max(x, ap_float8_all(least_divisor)); }

/* An edge, and its square's reciprocal. */
typedef struct edge {
    ap_floats3 u;
    ap_float8 square, inverse;
} edge;

/* What of one triangle all its pairs have in common. */
typedef struct face {
    corners c;
    edge e[3];            /* from corner i to the next */
    ap_floats3 inward[3]; /* normals of the edges in the plane */
    ap_floats3 n;
    ap_float8 inverse; /* of the normal's square */
} face;

static void set_face(face *f)
{
    for (int i = 0; i < 3; i++) {
        f->e[i].u = ap_floats3_sub(f->c.p[(i + 1) % 3], f->c.p[i]);
        f->e[i].square = ap_floats3_dot(f->e[i].u, f->e[i].u);
        f->e[i].inverse = ap_float8_div(ap_float8_all(1.0f), divisor(f->e[i].square));
    }
    f->n = ap_floats3_cross(f->e[0].u, f->e[1].u);
    f->inverse = ap_float8_div(ap_float8_all(1.0f), divisor(ap_floats3_dot(f->n, f->n)));
    for (int i = 0; i < 3; i++) {
        f->inward[i] = ap_floats3_cross(f->n, f->e[i].u);
    }
}

/* One triangle in all lanes. */
static void spread_face(const face *from, unsigned lane, face *out)
{
    for (int i = 0; i < 3; i++) {
        out->c.p[i] = lane_of(from->c.p[i], lane);
        out->e[i].u = lane_of(from->e[i].u, lane);
        out->e[i].square = ap_float8_all(ap_float8_at(from->e[i].square, lane));
        out->e[i].inverse = ap_float8_all(ap_float8_at(from->e[i].inverse, lane));
        out->inward[i] = lane_of(from->inward[i], lane);
    }
    out->n = lane_of(from->n, lane);
    out->inverse = ap_float8_all(ap_float8_at(from->inverse, lane));
}

AP_INLINE void compare_edges(const face *a, int i, const face *b, int j, shortest *best)
{
    const edge *ea = &a->e[i], *eb = &b->e[j];
    const ap_floats3 r = ap_floats3_sub(a->c.p[i], b->c.p[j]);
    const ap_float8 uv = ap_floats3_dot(ea->u, eb->u), ur = ap_floats3_dot(ea->u, r), vr = ap_floats3_dot(eb->u, r);
    const ap_float8 determinant = ap_float8_sub(ap_float8_mul(ea->square, eb->square), ap_float8_mul(uv, uv));
    const ap_float8 numerator = ap_float8_sub(ap_float8_mul(uv, vr), ap_float8_mul(ur, eb->square));
    const ap_float8 free_s = clamped(ap_float8_div(numerator, divisor(determinant)));
    const ap_float8 t = clamped(ap_float8_mul(ap_float8_add(ap_float8_mul(uv, free_s), vr), eb->inverse));
    const ap_float8 s = clamped(ap_float8_mul(ap_float8_sub(ap_float8_mul(uv, t), ur), ea->inverse));
    const ap_floats3 w = ap_floats3_sub(ap_floats3_sub(ap_floats3_scale(t, eb->u), ap_floats3_scale(s, ea->u)), r);
    take_shorter(best, w, ap_floats3_dot(w, w), ap_bits8_all(-1));
}

/* A vertex and a face, with the sign that leads from A to B. */
AP_INLINE void compare_vertex(const face *f, ap_floats3 vertex, float sign, shortest *best)
{
    ap_bits8 inside = ap_bits8_all(-1);
    for (int i = 0; i < 3; i++) {
        const ap_float8 depth = ap_floats3_dot(ap_floats3_sub(vertex, f->c.p[i]), f->inward[i]);
        inside = ap_bits8_and(inside, ap_float8_at_least(depth, ap_float8_all(0.0f)));
    }
    const ap_float8 height = ap_floats3_dot(ap_floats3_sub(vertex, f->c.p[0]), f->n);
    const ap_float8 factor = ap_float8_scale(sign, ap_float8_mul(height, f->inverse));
    take_shorter(best, ap_floats3_scale(factor, f->n), ap_float8_mul(ap_float8_mul(height, height), f->inverse),
                 inside);
}

/* Eight triangles and one: the bound, and the distance that the bound is along. */
static void bound_triangles(const face *a, const face *b, float *lower, float *nearest)
{
    shortest best = {broadcast(ap_float4_of(1.0f, 0.0f, 0.0f)), ap_float8_all(INFINITY)};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            compare_edges(a, i, b, j, &best);
        }
    }
    for (int i = 0; i < 3; i++) {
        compare_vertex(a, b->c.p[i], 1.0f, &best);
        compare_vertex(b, a->c.p[i], -1.0f, &best);
    }
    const ap_float8 length = ap_float8_sqrt(best.square);
    const ap_float8 gap = ap_float8_sub(least_along(&b->c, best.w), most_along(&a->c, best.w));
    const ap_bits8 known = ap_float8_greater(best.square, ap_float8_all(0x1p-60f));
    ap_float8_store(lower, ap_float8_select(ap_float8_all(-INFINITY), ap_float8_div(gap, length), known));
    ap_float8_store(nearest, length);
}

/* ---- pairs of leaves ---- */

static ap_floats3 center_of(const corners *c)
{
    return ap_floats3_scale(ap_float8_all(0x1.555556p-2f), ap_floats3_add(ap_floats3_add(c->p[0], c->p[1]), c->p[2]));
}

/* Lanes that are nearer than the threshold along the lines between centres. */
static unsigned near_along_lines(const corners *a, const corners *b, float threshold)
{
    const ap_floats3 t = ap_floats3_sub(center_of(b), center_of(a));
    const ap_float8 gap = ap_float8_sub(least_along(b, t), most_along(a, t)),
                    length = ap_float8_sqrt(ap_floats3_dot(t, t));
    const ap_bits8 near = ap_float8_at_most(gap, ap_float8_scale(threshold, length));
    return ap_bits8_mask(ap_bits8_or(near, ap_float8_at_most(length, ap_float8_all(0x1p-30f))));
}

static unsigned used_lanes(const ap_mesh_leaf *leaf) { return (1u << leaf->count) - 1u; }

/* A volume's centre in its local frame, in query units. */
static ap_float4 local_center(const ap_mesh_volume *v, float scale)
{
    const ap_float4 rows[3] = {ap_float4_from(v->axis[0]), ap_float4_from(v->axis[1]), ap_float4_from(v->axis[2])};
    return ap_float4_scale(scale, ap_facet_turn(rows, ap_float4_from(v->center)));
}

/* The pairs' masks along a direction of the length given. */
AP_INLINE void narrow_along(const corners *a, const corners *b, ap_floats3 d, float length, float threshold,
                            unsigned lanes[2])
{
    if (!(length > 0x1p-30f)) {
        return;
    }
    const ap_float8 most = most_along(a, d), least = least_along(b, d);
    const float limit = threshold * length;
    const float nearest_b = -largest_of(ap_float8_neg(least)), nearest_a = largest_of(most);
    lanes[0] &= ap_bits8_mask(ap_float8_at_least(ap_float8_add(most, ap_float8_all(limit)), ap_float8_all(nearest_b)));
    lanes[1] &= ap_bits8_mask(ap_float8_at_most(least, ap_float8_all(nearest_a + limit)));
}

/* Far apart, all bounds are along one direction. */
static void bound_pairs_along(const ap_facet_frame *f, const corners *a, const corners *b, const unsigned lanes[2],
                              float threshold, ap_facet_candidates *out)
{
    const ap_float8 near_a = most_along(a, broadcast(ap_float4_from(f->direction[0])));
    const ap_float8 near_b = most_along(b, broadcast(ap_float4_from(f->direction[1])));
    for (unsigned rows = lanes[1]; rows != 0; rows &= rows - 1) {
        const unsigned j = ap_lowest_bit(rows);
        const ap_float8 lower = ap_float8_neg(ap_float8_add(near_a, ap_float8_all(ap_float8_at(near_b, j))));
        out->lanes[j] = lanes[0] & ap_bits8_mask(ap_float8_at_most(lower, ap_float8_all(threshold)));
        out->rows |= out->lanes[j] != 0 ? 1u << j : 0u;
        ap_float8_store(out->lower[j], lower);
        ap_float8_store(out->nearest[j], lower);
    }
}

/* The lanes whose bound is not above the threshold. */
static unsigned lanes_within(const float *lower, float threshold)
{
    return ap_bits8_mask(ap_float8_at_most(ap_float8_load(lower), ap_float8_all(threshold)));
}

void ap_facet_leaf_pair(const ap_facet_frame *f, const ap_mesh_leaf *a, const ap_mesh_leaf *b, const float *normal,
                        float threshold, ap_facet_candidates *out)
{
    unsigned lanes[2] = {used_lanes(a), used_lanes(b)};
    face fa, fb, one;
    out->rows = 0;
    load_corners(a, f->side[0].scale, &fa.c);
    load_corners(b, f->side[1].scale, &fb.c);
    if (f->along) {
        bound_pairs_along(f, &fa.c, &fb.c, lanes, threshold, out);
        return;
    }
    const ap_float4 at_b = ap_facet_turn(f->view[0].axis, local_center(&b->volume, f->side[1].scale));
    const ap_float4 at_a = local_center(&a->volume, f->side[0].scale);
    const ap_float4 d = ap_float4_sub(ap_float4_add(at_b, f->view[0].offset), at_a), squares = ap_float4_mul(d, d);
    const float square = (ap_float4_at(squares, 0) + ap_float4_at(squares, 1)) + ap_float4_at(squares, 2);
    view_corners(&fb.c, &f->view[0]);
    narrow_along(&fa.c, &fb.c, broadcast(d), sqrtf(square), threshold, lanes);
    if (normal != NULL && lanes[0] != 0 && lanes[1] != 0) {
        narrow_along(&fa.c, &fb.c, broadcast(ap_float4_from(normal)), 1.0f, threshold, lanes);
    }
    if (lanes[0] == 0 || lanes[1] == 0) {
        return;
    }
    bool set = false;
    for (unsigned rows = lanes[1]; rows != 0; rows &= rows - 1) {
        const unsigned j = ap_lowest_bit(rows);
        for (int i = 0; i < 3; i++) {
            one.c.p[i] = lane_of(fb.c.p[i], j);
        }
        unsigned near = lanes[0] & near_along_lines(&fa.c, &one.c, threshold);
        if (near == 0) {
            continue;
        }
        if (!set) {
            set_face(&fa);
            set_face(&fb);
            set = true;
        }
        spread_face(&fb, j, &one);
        bound_triangles(&fa, &one, out->lower[j], out->nearest[j]);
        out->lanes[j] = near & lanes_within(out->lower[j], threshold);
        out->rows |= out->lanes[j] != 0 ? 1u << j : 0u;
    }
}

/* ---- a leaf and a part ---- */

/* The triangles with a volume, along the lines between centres. */
static void bound_with_part(const ap_facet_frame *f, int leaf_side, const corners *c, const ap_mesh_volume *part,
                            ap_facet_candidates *out)
{
    ap_facet_step s;
    ap_mesh_volume local = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    ap_facet_step_set(&s, &f->view[leaf_side], f->side[1 - leaf_side].scale, &local, part);
    const ap_floats3 center = center_of(c);
    const ap_floats3 t = ap_floats3_sub((ap_floats3){s.offset[0], s.offset[1], s.offset[2]}, center);
    const ap_float8 line[3] = {t.x, t.y, t.z};
    ap_float8 back[3];
    for (int j = 0; j < 3; j++) {
        const ap_float8 column[3] = {s.m[0][j], s.m[1][j], s.m[2][j]};
        back[j] = ap_facet_dot(column, line);
    }
    const ap_float8 square = ap_floats3_dot(t, t);
    const ap_float8 own = ap_float8_sub(most_along(c, t), ap_floats3_dot(center, t));
    const ap_float8 support = ap_float8_add(own, ap_facet_other_support(&s, back));
    ap_float8_store(out->lower[0], ap_facet_line_gap(square, support));
    ap_float8_store(out->nearest[0], ap_float8_sqrt(square));
}

/* Moves the row of lanes 0 .. 7 with one part to where it belongs if the leaf is the second side's. */
static void turn_row(ap_facet_candidates *out)
{
    const unsigned lanes = out->lanes[0];
    for (unsigned i = AP_MESH_WIDTH; i-- > 0;) {
        out->lower[i][0] = out->lower[0][i];
        out->nearest[i][0] = out->nearest[0][i];
        out->lanes[i] = lanes >> i & 1u;
    }
    out->rows = lanes;
}

void ap_facet_leaf_part(const ap_facet_frame *f, int leaf_side, const ap_mesh_leaf *leaf, const ap_mesh_volume *part,
                        float threshold, ap_facet_candidates *out)
{
    corners c;
    load_corners(leaf, f->side[leaf_side].scale, &c);
    if (f->along) {
        const float rest = ap_facet_support(part, f->direction[1 - leaf_side], f->side[1 - leaf_side].scale);
        const ap_float8 own = most_along(&c, broadcast(ap_float4_from(f->direction[leaf_side])));
        const ap_float8 lower = ap_float8_neg(ap_float8_add(own, ap_float8_all(rest)));
        ap_float8_store(out->lower[0], lower);
        ap_float8_store(out->nearest[0], lower);
    } else {
        bound_with_part(f, leaf_side, &c, part, out);
    }
    out->lanes[0] = used_lanes(leaf) & lanes_within(out->lower[0], threshold);
    out->rows = out->lanes[0] != 0 ? 1u : 0u;
    if (leaf_side == 1) {
        turn_row(out);
    }
}
