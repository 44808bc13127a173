/* On which vertex, edge or face of each body do the witness points of a result lie? (Items G4 and D2 of docs/papers.md;
 * Cameron 1997 section 2.)
 *
 * The feature of a polytope follows from the distinct vertices of that body in the result's simplex: one vertex is a
 * vertex, two that are joined by an edge are an edge, anything else is a face. The feature of a curved body follows
 * from the direction of the normal in the body's frame. Feature numbers of primitives are listed in
 * docs/features.md. */
#include <apart/distance.h>

#include "../hull/block.h"

/* A normal at a smaller angle than this (as a sine) to that of a flat part belongs to the flat part. */
#define FLAT_SINE 1e-9

/* Up to four vertices of one body, by the caller's numbers unless said otherwise. */
typedef struct vertex_set {
    uint32_t count;
    uint32_t index[4];
} vertex_set;

/* The distinct vertices with positive weights. */
static vertex_set distinct_vertices(const uint32_t *index, const double *lambda, int count)
{
    vertex_set set = {0, {0, 0, 0, 0}};
    for (int i = 0; i < count; i++) {
        bool seen = !(lambda[i] > 0.0) || index[i] == APART_NO_INDEX;
        for (uint32_t k = 0; k < set.count && !seen; k++) {
            seen = set.index[k] == index[i];
        }
        if (!seen) {
            set.index[set.count++] = index[i];
        }
    }
    return set;
}

static void set_feature(apart_feature *f, int kind, uint32_t number, const vertex_set *set)
{
    f->kind = (uint8_t)kind;
    f->number = number;
    f->count = (uint8_t)set->count;
    for (uint32_t i = 0; i < 4; i++) {
        f->index[i] = i < set->count ? set->index[i] : APART_NO_INDEX;
    }
}

/* A body whose adjacency is not known: the number of vertices decides. */
static void set_by_count(apart_feature *f, const vertex_set *set)
{
    const int kind = set->count <= 1 ? APART_FEATURE_VERTEX : set->count == 2 ? APART_FEATURE_EDGE : APART_FEATURE_FACE;
    set_feature(f, kind, set->count == 1 ? set->index[0] : APART_NO_INDEX, set);
}

/* The number of a box corner has a bit for each axis. The axes on which all corners have the same bit determine a face,
 * an edge or a vertex. */
static void set_box_feature(apart_feature *f, const vertex_set *set)
{
    uint32_t same = 7u;
    for (uint32_t i = 1; i < set->count; i++) {
        same &= ~(set->index[i] ^ set->index[0]);
    }
    const uint32_t corner = set->index[0];
    const uint32_t free_axes = 3u - ((same & 1u) + (same >> 1 & 1u) + (same >> 2 & 1u));
    if (free_axes == 0) {
        set_feature(f, APART_FEATURE_VERTEX, corner, set);
    } else if (free_axes == 1) {
        const uint32_t axis = (same & 1u) == 0 ? 0u : (same & 2u) == 0 ? 1u : 2u;
        const uint32_t low = axis == 0 ? corner >> 1 & 1u : corner & 1u,
                       high = axis == 2 ? corner >> 1 & 1u : corner >> 2 & 1u;
        set_feature(f, APART_FEATURE_EDGE, 4u * axis + 2u * high + low, set);
    } else {
        const uint32_t axis = (same & 1u) != 0 ? 0u : (same & 2u) != 0 ? 1u : 2u;
        const uint32_t side = corner & 1u << axis;
        vertex_set corners = {0, {0, 0, 0, 0}};
        for (uint32_t i = 0; i < 8; i++) {
            if ((i & 1u << axis) == side) {
                corners.index[corners.count++] = i;
            }
        }
        set_feature(f, APART_FEATURE_FACE, 2u * axis + (side != 0 ? 1u : 0u), &corners);
    }
}

/* The hull's vertex with the caller's number `input`. */
static uint32_t find_vertex(const apart_hull *h, uint32_t input)
{
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        if (apart_hull_input_index(h, i) == input) {
            return i;
        }
    }
    return APART_NO_INDEX;
}

static uint32_t find_edge(const apart_hull *h, uint32_t p, uint32_t q)
{
    for (uint32_t e = 0; e < h->edge_count; e++) {
        uint32_t ends[2];
        apart_hull_edge(h, e, ends);
        if ((ends[0] == p && ends[1] == q) || (ends[0] == q && ends[1] == p)) {
            return e;
        }
    }
    return APART_NO_INDEX;
}

static bool has_vertex_number(const uint32_t *vertices, uint32_t count, uint32_t vertex)
{
    for (uint32_t i = 0; i < count; i++) {
        if (vertices[i] == vertex) {
            return true;
        }
    }
    return false;
}

/* The face that has all given vertices (by the hull's numbers). */
static uint32_t find_face(const apart_hull *h, const vertex_set *set)
{
    for (uint32_t f = 0; f < h->face_count; f++) {
        const uint32_t *vertices;
        const uint32_t count = apart_hull_face(h, f, &vertices);
        uint32_t hits = 0;
        for (uint32_t i = 0; i < set->count; i++) {
            hits += has_vertex_number(vertices, count, set->index[i]) ? 1u : 0u;
        }
        if (hits == set->count) {
            return f;
        }
    }
    return APART_NO_INDEX;
}

/* A face is reported with at least three of its vertices, those of the simplex first. own: by the hull's numbers;
 * input: the caller's. */
static void set_hull_face(apart_feature *f, const apart_hull *h, uint32_t face, const vertex_set *own,
                          const vertex_set *input)
{
    vertex_set named = *input;
    if (face != APART_NO_INDEX) {
        const uint32_t *vertices;
        const uint32_t count = apart_hull_face(h, face, &vertices);
        for (uint32_t i = 0; i < count && named.count < 3; i++) {
            if (!has_vertex_number(own->index, own->count, vertices[i])) {
                named.index[named.count++] = apart_hull_input_index(h, vertices[i]);
            }
        }
    }
    set_feature(f, APART_FEATURE_FACE, face, &named);
}

static void set_hull_feature(apart_feature *f, const apart_hull *h, const vertex_set *input)
{
    vertex_set own = *input;
    for (uint32_t i = 0; i < own.count; i++) {
        own.index[i] = find_vertex(h, input->index[i]);
    }
    if (own.count == 1) {
        set_feature(f, APART_FEATURE_VERTEX, own.index[0], input);
        return;
    }
    const uint32_t edge = own.count == 2 ? find_edge(h, own.index[0], own.index[1]) : APART_NO_INDEX;
    if (edge != APART_NO_INDEX) {
        set_feature(f, APART_FEATURE_EDGE, edge, input);
        return;
    }
    set_hull_face(f, h, find_face(h, &own), &own, input);
}

/* n: the outward normal at the witness point, in the body's frame. */
static void set_cylinder_feature(apart_feature *f, apart_vec3 n)
{
    static const vertex_set none;
    const double across = sqrt(n.x * n.x + n.y * n.y);
    if (across <= FLAT_SINE) {
        set_feature(f, APART_FEATURE_FACE, n.z > 0.0 ? 2u : 1u, &none);
    } else if (fabs(n.z) <= FLAT_SINE) {
        set_feature(f, APART_FEATURE_CURVED, 0u, &none);
    } else {
        set_feature(f, APART_FEATURE_EDGE, n.z > 0.0 ? 4u : 3u, &none);
    }
}

static void set_cone_feature(apart_feature *f, const apart_shape *s, apart_vec3 n)
{
    static const vertex_set none;
    const double r = s->u.round.radius, h = 2.0 * s->u.round.half_height;
    const double size = ap_max(r, h);
    const double across = sqrt(n.x * n.x + n.y * n.y);
    /* The normal of the side has the slope r : h. A steeper normal belongs to the apex, a flatter one to the rim. */
    const double over = size > 0.0 ? (n.z * (h / size) - across * (r / size)) : n.z;
    if (across <= FLAT_SINE && n.z < 0.0) {
        set_feature(f, APART_FEATURE_FACE, 1u, &none);
    } else if (fabs(over) <= FLAT_SINE) {
        set_feature(f, APART_FEATURE_CURVED, 0u, &none);
    } else {
        set_feature(f, over > 0.0 ? APART_FEATURE_VERTEX : APART_FEATURE_EDGE, over > 0.0 ? 3u : 2u, &none);
    }
}

/* The feature of a shape without its rounding radius. */
static void set_core_feature(apart_feature *f, const apart_shape *s, const vertex_set *set, apart_vec3 normal)
{
    switch ((apart_shape_kind)s->kind) {
    case APART_SHAPE_SEGMENT:
    case APART_SHAPE_TRIANGLE:
        set_by_count(f, set);
        f->number = set->count == 1 ? set->index[0] : 0u;
        return;
    case APART_SHAPE_BOX: set_box_feature(f, set); return;
    case APART_SHAPE_CYLINDER: set_cylinder_feature(f, normal); return;
    case APART_SHAPE_CONE: set_cone_feature(f, s, normal); return;
    case APART_SHAPE_HULL: set_hull_feature(f, s->u.hull, set); return;
    case APART_SHAPE_HALF_SPACE: set_feature(f, APART_FEATURE_FACE, 0u, set); return;
    case APART_SHAPE_AFFINE:
        if (set->count > 0) {
            set_core_feature(f, s->u.affine.child, set, normal);
            return;
        }
        break;
    default: break;
    }
    if (set->count > 0) {
        set_by_count(f, set);
    } else {
        set_feature(f, APART_FEATURE_CURVED, 0u, set);
    }
}

/* The feature of one body. index: its vertices in the result's simplex; normal: outward, in the body's frame. */
static void find_feature(const apart_shape *s, const apart_result *result, const uint32_t *index, apart_vec3 normal,
                         apart_feature *f)
{
    static const vertex_set none;
    if (result->relation == APART_OVERLAPPING && !(result->lower > -INFINITY)) { /* the witness point is a common one */
        set_feature(f, APART_FEATURE_INTERIOR, APART_NO_INDEX, &none);
        return;
    }
    const vertex_set set = distinct_vertices(index, result->lambda, result->count <= 4 ? result->count : 4);
    set_core_feature(f, s, &set, normal);
    /* A rounded vertex or edge is a curved surface; a rounded face stays flat. */
    if (s->radius > 0.0 && f->kind != APART_FEATURE_FACE) {
        f->kind = APART_FEATURE_CURVED;
    }
}

apart_status apart_features(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                            const apart_pose *pose_b, const apart_result *result, apart_feature *on_a,
                            apart_feature *on_b)
{
    if (a == NULL || pose_a == NULL || b == NULL || pose_b == NULL || result == NULL) {
        return APART_ERR_NULL;
    }
    const apart_status status = apart_shape_check(a) != APART_OK ? apart_shape_check(a) : apart_shape_check(b);
    if (status != APART_OK) {
        return status;
    }
    if (on_a != NULL) {
        find_feature(a, result, result->index_a, ap_apply_transposed(&pose_a->rotation, result->normal), on_a);
    }
    if (on_b != NULL) {
        find_feature(b, result, result->index_b, ap_neg(ap_apply_transposed(&pose_b->rotation, result->normal)), on_b);
    }
    return APART_OK;
}
