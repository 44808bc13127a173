/* Bounds of up to 64 pairs of triangles, eight at a time, in stages of growing cost: all of them along the line between
 * the leaves and along the normal of the best pair so far; each along the line between the triangles' centres; then
 * their distance, of which only the direction is used: along it both triangles are projected. So nothing but
 * projections excludes a pair, and a pair that pierces needs no case of its own.
 *
 * The distance of two triangles is that of nine pairs of edges (Ericson 2005, 5.1.9) and of six vertices from faces. */
#include "leaf.h"

#include "pierce.h"

/* Numbers so small that they are divided by this instead. */
static const float least_divisor = 0x1p-100f;

static ap_floats3 broadcast(ap_float4 v)
{
    return (ap_floats3){ap_float8_all(ap_float4_at(v, 0)), ap_float8_all(ap_float4_at(v, 1)),
                        ap_float8_all(ap_float4_at(v, 2))};
}

/* A leaf's corners in its own frame, in query units. */
static void load_corners(const ap_mesh_leaf *leaf, float scale, ap_facet_corners *out)
{
    for (int i = 0; i < 3; i++) {
        out->p[i].x = ap_float8_scale(scale, ap_float8_load(leaf->corner[i][0]));
        out->p[i].y = ap_float8_scale(scale, ap_float8_load(leaf->corner[i][1]));
        out->p[i].z = ap_float8_scale(scale, ap_float8_load(leaf->corner[i][2]));
    }
}

static void view_corners(ap_facet_corners *c, const ap_facet_view *view)
{
    const ap_floats3 x = broadcast(view->axis[0]), y = broadcast(view->axis[1]), z = broadcast(view->axis[2]),
                     offset = broadcast(view->offset);
    for (int i = 0; i < 3; i++) {
        const ap_floats3 xy = ap_floats3_add(ap_floats3_scale(c->p[i].x, x), ap_floats3_scale(c->p[i].y, y));
        c->p[i] = ap_floats3_add(ap_floats3_add(xy, ap_floats3_scale(c->p[i].z, z)), offset);
    }
}

/* The largest and the smallest product of a direction with a triangle. */
AP_INLINE ap_float8 most_along(const ap_facet_corners *c, ap_floats3 d)
{
    return ap_float8_max(ap_float8_max(ap_floats3_dot(d, c->p[0]), ap_floats3_dot(d, c->p[1])),
                         ap_floats3_dot(d, c->p[2]));
}

AP_INLINE ap_float8 least_along(const ap_facet_corners *c, ap_floats3 d)
{
    return ap_float8_min(ap_float8_min(ap_floats3_dot(d, c->p[0]), ap_floats3_dot(d, c->p[1])),
                         ap_floats3_dot(d, c->p[2]));
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

/* What is computed of a triangle once. */
typedef struct face {
    ap_facet_corners c;
    edge e[3];            /* from corner i to the next */
    ap_floats3 inward[3]; /* normals of the edges in the plane */
    ap_floats3 n;
    ap_float8 inverse; /* of the normal's square */
} face;

static void set_face(face *f, const ap_facet_corners *c)
{
    f->c = *c;
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

/* Eight pairs of triangles: the bounds, and the distances that the bounds are along. */
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

static ap_floats3 center_of(const ap_facet_corners *c)
{
    return ap_floats3_scale(ap_float8_all(0x1.555556p-2f), ap_floats3_add(ap_floats3_add(c->p[0], c->p[1]), c->p[2]));
}

/* Lanes that are nearer than the threshold along the lines t between centres. */
static unsigned near_along_lines(const ap_facet_corners *a, const ap_facet_corners *b, ap_floats3 t, float threshold)
{
    const ap_float8 gap = ap_float8_sub(least_along(b, t), most_along(a, t)),
                    length = ap_float8_sqrt(ap_floats3_dot(t, t));
    const ap_bits8 near = ap_float8_at_most(gap, ap_float8_scale(threshold, length));
    return ap_bits8_mask(ap_bits8_or(near, ap_float8_at_most(length, ap_float8_all(0x1p-30f))));
}

static unsigned used_lanes(const ap_mesh_leaf *leaf) { return (1u << leaf->count) - 1u; }

/* Adds the pairs of these triangles of A with triangle j of B. */
AP_INLINE void add_pairs(ap_facet_candidates *out, unsigned lanes, unsigned j)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        out->lane[out->count][0] = (uint8_t)ap_lowest_bit(lanes);
        out->lane[out->count][1] = (uint8_t)j;
        out->count++;
    }
}

/* The same with the bounds of a row, which are the distances, too. */
AP_INLINE void add_bounds(ap_facet_candidates *out, unsigned lanes, unsigned j, const float *lower,
                          const float *nearest)
{
    const unsigned first = out->count;
    add_pairs(out, lanes, j);
    for (unsigned k = first; k < out->count; k++) {
        out->lower[k] = lower[out->lane[k][0]];
        out->nearest[k] = nearest[out->lane[k][0]];
    }
}

/* A volume's centre in its local frame, in query units. */
static ap_float4 local_center(const ap_mesh_volume *v, float scale)
{
    const ap_float4 rows[3] = {ap_float4_from(v->axis[0]), ap_float4_from(v->axis[1]), ap_float4_from(v->axis[2])};
    return ap_float4_scale(scale, ap_facet_turn(rows, ap_float4_from(v->center)));
}

/* The largest product of a direction with a leaf's triangles in its own frame; of the negative direction, minus the
 * smallest. */
AP_INLINE ap_float8 leaf_most_along(const ap_mesh_leaf *leaf, ap_float4 direction)
{
    const ap_floats3 d = broadcast(direction);
    ap_float8 corner[3];
    for (int i = 0; i < 3; i++) {
        const ap_floats3 p = {ap_float8_load(leaf->corner[i][0]), ap_float8_load(leaf->corner[i][1]),
                              ap_float8_load(leaf->corner[i][2])};
        corner[i] = ap_floats3_dot(d, p);
    }
    return ap_float8_max(ap_float8_max(corner[0], corner[1]), corner[2]);
}

/* The pairs along a direction d of A's frame, of the length given: lanes[j] keeps the triangles of A that may be near
 * triangle j of B. B's corners are not turned: the direction is. False: there are none. */
static AP_NOINLINE bool narrow_along(const ap_facet_frame *f, const ap_mesh_leaf *a, const ap_mesh_leaf *b, ap_float4 d,
                                     float length, float threshold, unsigned lanes[AP_MESH_WIDTH])
{
    if (!(length > 0x1p-30f)) {
        return true;
    }
    const ap_float4 back = ap_float4_neg(ap_facet_turn(f->view[1].axis, d));
    const float least_sum = ap_facet_sum(ap_float4_mul(d, f->view[0].offset)) - threshold * length;
    const ap_float8 most_a = ap_float8_scale(f->side[0].scale, leaf_most_along(a, d)),
                    most_b = ap_float8_scale(f->side[1].scale, leaf_most_along(b, back));
    if (ap_float8_largest(most_a) + ap_float8_largest(most_b) < least_sum) {
        return false;
    }
    float least[AP_MESH_WIDTH];
    ap_float8_store(least, ap_float8_sub(ap_float8_all(least_sum), most_b));
    for (unsigned j = 0; j < AP_MESH_WIDTH; j++) {
        lanes[j] &= ap_bits8_mask(ap_float8_at_least(most_a, ap_float8_all(least[j])));
    }
    return true;
}

/* The lanes whose bound is not above the threshold. */
static unsigned lanes_within(const float *lower, float threshold)
{
    return ap_bits8_mask(ap_float8_at_most(ap_float8_load(lower), ap_float8_all(threshold)));
}

/* Far apart, all bounds are along one direction. */
static void bound_pairs_along(const ap_facet_frame *f, const ap_facet_corners *a, const ap_facet_corners *b,
                              unsigned lanes, unsigned count, float threshold, ap_facet_candidates *out)
{
    float lower[AP_MESH_WIDTH], rest[AP_MESH_WIDTH];
    const ap_float8 near_a = most_along(a, broadcast(ap_float4_from(f->direction[0])));
    ap_float8_store(rest, most_along(b, broadcast(ap_float4_from(f->direction[1]))));
    for (unsigned j = 0; j < count; j++) {
        ap_float8_store(lower, ap_float8_neg(ap_float8_add(near_a, ap_float8_all(rest[j]))));
        add_bounds(out, lanes & lanes_within(lower, threshold), j, lower, lower);
    }
}

/* The pairs that the best normal and the line between the leaves' centres leave. The normal excludes most. */
AP_INLINE bool narrow_leaves(const ap_facet_frame *f, const ap_mesh_leaf *a, const ap_mesh_leaf *b, const float *normal,
                             float threshold, unsigned lanes[AP_MESH_WIDTH])
{
    if (normal != NULL && !narrow_along(f, a, b, ap_float4_from(normal), 1.0f, threshold, lanes)) {
        return false;
    }
    const ap_float4 at_b = ap_facet_turn(f->view[0].axis, local_center(&b->volume, f->side[1].scale));
    const ap_float4 at_a = local_center(&a->volume, f->side[0].scale);
    const ap_float4 d = ap_float4_sub(ap_float4_add(at_b, f->view[0].offset), at_a);
    return narrow_along(f, a, b, d, sqrtf(ap_facet_sum(ap_float4_mul(d, d))), threshold, lanes);
}

/* A leaf's corners by number and lane: what is asked for lane by lane must not be in registers. */
typedef struct stored_corners {
    float number[9][AP_MESH_WIDTH];
} stored_corners;

static void store_corners(const ap_facet_corners *c, stored_corners *out)
{
    for (int i = 0; i < 3; i++) {
        ap_float8_store(out->number[3 * i], c->p[i].x);
        ap_float8_store(out->number[3 * i + 1], c->p[i].y);
        ap_float8_store(out->number[3 * i + 2], c->p[i].z);
    }
}

static void load_stored(const stored_corners *from, ap_facet_corners *out)
{
    for (int i = 0; i < 3; i++) {
        out->p[i] = (ap_floats3){ap_float8_load(from->number[3 * i]), ap_float8_load(from->number[3 * i + 1]),
                                 ap_float8_load(from->number[3 * i + 2])};
    }
}

/* One triangle in all lanes. */
AP_INLINE void spread_triangle(const stored_corners *from, unsigned lane, ap_facet_corners *out)
{
    for (int i = 0; i < 3; i++) {
        out->p[i] = (ap_floats3){ap_float8_all(from->number[3 * i][lane]), ap_float8_all(from->number[3 * i + 1][lane]),
                                 ap_float8_all(from->number[3 * i + 2][lane])};
    }
}

/* The pairs that the lines between the triangles' centres leave, too. */
static void list_pairs(const ap_facet_corners *a, const ap_facet_corners *b, const stored_corners *stored_b,
                       unsigned count, const unsigned lanes[AP_MESH_WIDTH], float threshold, ap_facet_candidates *out)
{
    float middle_b[3][AP_MESH_WIDTH];
    const ap_floats3 middle_a = center_of(a), c = center_of(b);
    ap_float8_store(middle_b[0], c.x);
    ap_float8_store(middle_b[1], c.y);
    ap_float8_store(middle_b[2], c.z);
    for (unsigned j = 0; j < count; j++) {
        if (lanes[j] != 0) {
            ap_facet_corners one;
            spread_triangle(stored_b, j, &one);
            const ap_floats3 middle = {ap_float8_all(middle_b[0][j]), ap_float8_all(middle_b[1][j]),
                                       ap_float8_all(middle_b[2][j])};
            add_pairs(out, lanes[j] & near_along_lines(a, &one, ap_floats3_sub(middle, middle_a), threshold), j);
        }
    }
}

/* The corners of the leaves of two meshes, in the first one's frame and query units. */
typedef struct stored_leaves {
    stored_corners side[2];
} stored_leaves;

/* Up to eight of the pairs listed, from `first`; further lanes repeat the last. Returns how many. */
static unsigned gather_pairs(const stored_leaves *leaves, const ap_facet_candidates *list, unsigned first,
                             ap_facet_corners out[2])
{
    stored_corners gathered[2];
    const unsigned count = list->count - first < AP_MESH_WIDTH ? list->count - first : AP_MESH_WIDTH;
    for (unsigned k = 0; k < AP_MESH_WIDTH; k++) {
        const uint8_t *lane = list->lane[first + (k < count ? k : count - 1)];
        for (int n = 0; n < 9; n++) {
            gathered[0].number[n][k] = leaves->side[0].number[n][lane[0]];
            gathered[1].number[n][k] = leaves->side[1].number[n][lane[1]];
        }
    }
    load_stored(&gathered[0], &out[0]);
    load_stored(&gathered[1], &out[1]);
    return count;
}

/* Bounds of the pairs listed, eight at a time; those above the threshold are dropped. */
static void bound_pairs(const stored_leaves *leaves, float threshold, ap_facet_candidates *out)
{
    unsigned kept = 0;
    for (unsigned first = 0; first < out->count; first += AP_MESH_WIDTH) {
        ap_facet_corners c[2];
        face fa, fb;
        float lower[AP_MESH_WIDTH], nearest[AP_MESH_WIDTH];
        const unsigned count = gather_pairs(leaves, out, first, c);
        set_face(&fa, &c[0]);
        set_face(&fb, &c[1]);
        bound_triangles(&fa, &fb, lower, nearest);
        for (unsigned k = 0; k < count; k++) {
            out->lane[kept][0] = out->lane[first + k][0];
            out->lane[kept][1] = out->lane[first + k][1];
            out->lower[kept] = lower[k];
            out->nearest[kept] = nearest[k];
            kept += lower[k] <= threshold;
        }
    }
    out->count = kept;
}

/* Looks for a pair that pierces for certain, and drops those that a face's plane separates. True: it is the only pair
 * that is left. */
static bool pierce_pairs(const stored_leaves *leaves, float error, ap_facet_candidates *out)
{
    unsigned kept = 0;
    for (unsigned first = 0; first < out->count; first += AP_MESH_WIDTH) {
        ap_facet_corners c[2];
        const unsigned used = (1u << gather_pairs(leaves, out, first, c)) - 1u;
        const ap_facet_pierced found = ap_facet_pierce(&c[0], &c[1], error);
        if ((found.certain & used) != 0) {
            const unsigned k = first + ap_lowest_bit(found.certain & used);
            memcpy(out->lane[0], out->lane[k], sizeof out->lane[0]);
            out->count = 1;
            return true;
        }
        for (unsigned open = used & ~found.separated; open != 0; open &= open - 1) {
            const unsigned k = first + ap_lowest_bit(open);
            out->lane[kept][0] = out->lane[k][0];
            out->lane[kept][1] = out->lane[k][1];
            kept++;
        }
    }
    out->count = kept;
    return false;
}

/* Lists the pairs of two leaves that directions leave. False: bounds are along one direction, and written. */
static bool list_leaves(const ap_facet_frame *f, const ap_mesh_leaf *a, const ap_mesh_leaf *b, const float *normal,
                        float threshold, stored_leaves *leaves, ap_facet_candidates *out)
{
    unsigned lanes[AP_MESH_WIDTH];
    ap_facet_corners ca, cb;
    out->count = 0;
    for (unsigned j = 0; j < AP_MESH_WIDTH; j++) {
        lanes[j] = used_lanes(a);
    }
    if (!f->along && !narrow_leaves(f, a, b, normal, threshold, lanes)) {
        return true;
    }
    load_corners(a, f->side[0].scale, &ca);
    load_corners(b, f->side[1].scale, &cb);
    if (f->along) {
        bound_pairs_along(f, &ca, &cb, used_lanes(a), b->count, threshold, out);
        return false;
    }
    view_corners(&cb, &f->view[0]);
    store_corners(&cb, &leaves->side[1]);
    list_pairs(&ca, &cb, &leaves->side[1], b->count, lanes, threshold, out);
    if (out->count > 0) {
        store_corners(&ca, &leaves->side[0]);
    }
    return true;
}

void ap_facet_leaf_pair(const ap_facet_frame *f, const ap_mesh_leaf *a, const ap_mesh_leaf *b, const float *normal,
                        float threshold, ap_facet_candidates *out)
{
    stored_leaves leaves;
    if (list_leaves(f, a, b, normal, threshold, &leaves, out)) {
        bound_pairs(&leaves, threshold, out);
    }
}

bool ap_facet_leaf_pierce(const ap_facet_frame *f, const ap_mesh_leaf *a, const ap_mesh_leaf *b, float threshold,
                          ap_facet_candidates *out)
{
    stored_leaves leaves;
    if (!list_leaves(f, a, b, NULL, threshold, &leaves, out)) {
        return false;
    }
    if (pierce_pairs(&leaves, threshold, out)) {
        return true;
    }
    bound_pairs(&leaves, threshold, out);
    return false;
}

/* ---- a leaf and a part ---- */

/* The triangles with a volume, along the lines between centres. */
static void bound_with_part(const ap_facet_frame *f, int leaf_side, const ap_facet_corners *c,
                            const ap_mesh_volume *part, float *lower, float *nearest)
{
    ap_facet_step s;
    ap_mesh_volume local = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    ap_facet_step_set(&s, &f->view[leaf_side], f->side[1 - leaf_side].scale, &local, part);
    const ap_floats3 center = center_of(c);
    const ap_floats3 t = ap_floats3_sub(broadcast(ap_float4_load(s.offset)), center);
    const ap_float8 line[3] = {t.x, t.y, t.z};
    ap_float8 back[3];
    ap_facet_back(&s, line, back);
    const ap_float8 square = ap_floats3_dot(t, t);
    const ap_float8 own = ap_float8_sub(most_along(c, t), ap_floats3_dot(center, t));
    const ap_float8 support = ap_float8_add(own, ap_facet_other_support(&s, back));
    ap_float8_store(lower, ap_facet_line_gap(square, support));
    ap_float8_store(nearest, ap_float8_sqrt(square));
}

void ap_facet_leaf_part(const ap_facet_frame *f, int leaf_side, const ap_mesh_leaf *leaf, const ap_mesh_volume *part,
                        float threshold, ap_facet_candidates *out)
{
    ap_facet_corners c;
    float lower[AP_MESH_WIDTH], nearest[AP_MESH_WIDTH];
    load_corners(leaf, f->side[leaf_side].scale, &c);
    if (f->along) {
        const float rest = ap_facet_support(part, f->direction[1 - leaf_side], f->side[1 - leaf_side].scale);
        const ap_float8 own = most_along(&c, broadcast(ap_float4_from(f->direction[leaf_side])));
        ap_float8_store(lower, ap_float8_neg(ap_float8_add(own, ap_float8_all(rest))));
        memcpy(nearest, lower, sizeof nearest);
    } else {
        bound_with_part(f, leaf_side, &c, part, lower, nearest);
    }
    out->count = 0;
    add_bounds(out, used_lanes(leaf) & lanes_within(lower, threshold), 0, lower, nearest);
    for (unsigned k = 0; k < out->count && leaf_side == 1; k++) { /* the leaf is the second side's */
        out->lane[k][1] = out->lane[k][0];
        out->lane[k][0] = 0;
    }
}
