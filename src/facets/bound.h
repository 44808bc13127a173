/* Lower bounds of the distances between the eight children of a node and another item's volume, in floats. Each child
 * is bounded three times, and the largest number counts:
 *   the gap of the boxes in the node's frame, and in the other volume's frame (as a vector: its length);
 *   the gap along the line between the centres, with the supports of the boxes whose edges are cut.
 * Where the bodies are far apart beside their size, or one is a half-space, all bounds are along one direction, since a
 * float that holds the distance would leave nothing of the bodies. docs/numerics.md derives the errors. */
#ifndef AP_FACETS_BOUND_H
#define AP_FACETS_BOUND_H

#include "side.h"

/* What bounds of volumes and of triangles err by, in units of AP_FACET_UNIT * (distance of centres + both radii). */
#define AP_FACET_UNIT 0x1p-24
#define AP_FACET_NODE_ERROR 128.0
#define AP_FACET_LEAF_ERROR 32.0

/* The other side's local frame seen from a side's own: point = axis[0] x + axis[1] y + axis[2] z + offset, in query
 * units. */
typedef struct ap_facet_view {
    ap_float4 axis[3], offset;
} ap_facet_view;

/* Both sides in query units. */
typedef struct ap_facet_frame {
    ap_facet_side side[2];
    ap_facet_view view[2];         /* view[i]: side 1 - i in the frame of side i */
    double inverse_unit;           /* query units in a unit of the caller */
    double base;                   /* bounds are this much larger, in the caller's units */
    bool along;                    /* bounds are along one direction */
    float direction[2][3];         /* that direction in the sides' local frames, towards the other side */
    double node_slack, leaf_slack; /* errors of bounds, in query units */
    double reach;                  /* no length and no coordinate is larger, in the caller's units */
    double scope;       /* no length between points of the bodies is: the measure of what is rounded in doubles */
    apart_vec3 between; /* from the first side's centre to the second's, in the world */
} ap_facet_frame;

typedef struct ap_facet_bounds {
    ap_float8 lower, order; /* order: what tells overlapping volumes apart, small for near ones */
} ap_facet_bounds;

AP_INLINE ap_float4 ap_float4_from(const float v[3]) { return ap_float4_of(v[0], v[1], v[2]); }

/* axis[0] x + axis[1] y + axis[2] z */
AP_INLINE ap_float4 ap_facet_turn(const ap_float4 axis[3], ap_float4 v)
{
    return ap_float4_sum3(ap_float4_scale(ap_float4_at(v, 0), axis[0]), ap_float4_scale(ap_float4_at(v, 1), axis[1]),
                          ap_float4_scale(ap_float4_at(v, 2), axis[2]));
}

/* x + y + z */
AP_INLINE float ap_facet_sum(ap_float4 v) { return (ap_float4_at(v, 0) + ap_float4_at(v, 1)) + ap_float4_at(v, 2); }

AP_INLINE ap_float4 ap_float4_abs(ap_float4 v) { return ap_float4_max(v, ap_float4_neg(v)); }

/* The columns of the matrix from local coordinates to a volume's frame. */
AP_INLINE void ap_facet_columns(const ap_mesh_volume *v, ap_float4 column[3])
{
    for (int i = 0; i < 3; i++) {
        column[i] = ap_float4_of(v->axis[0][i], v->axis[1][i], v->axis[2][i]);
    }
}

/* min(|x|, |y|) times the cut at the corner where x and y point. */
AP_INLINE ap_float8 ap_facet_cut_off(ap_float8 x, ap_float8 y, const ap_float8 cut[4])
{
    const ap_float8 zero = ap_float8_all(0.0f);
    const ap_bits8 left = ap_float8_less(x, zero), below = ap_float8_less(y, zero);
    const ap_float8 upper = ap_float8_select(cut[0], cut[1], left), lower = ap_float8_select(cut[2], cut[3], left);
    return ap_float8_mul(ap_float8_min(ap_float8_abs(x), ap_float8_abs(y)), ap_float8_select(upper, lower, below));
}

/* What both kinds of bounds compute from: the other volume seen from the node, number by number, since each is wanted in
 * all lanes. The fourth of four is not used. */
typedef struct ap_facet_step {
    float m[3][4], abs_m[3][4]; /* columns of the matrix from the other volume's frame to the node's */
    float offset[4];            /* of the other volume's centre, in the node's frame */
    float reach[4];             /* of the other volume along the node's axes */
    float half[4], cut[4];      /* of the other volume, in its own frame */
} ap_facet_step;

/* axis[0] x + axis[1] y + axis[2] z of numbers in memory. */
AP_INLINE ap_float4 ap_facet_turn_from(const ap_float4 axis[3], const float v[3])
{
    return ap_float4_sum3(ap_float4_scale(v[0], axis[0]), ap_float4_scale(v[1], axis[1]),
                          ap_float4_scale(v[2], axis[2]));
}

AP_INLINE void ap_facet_step_set(ap_facet_step *s, const ap_facet_view *view, float scale, const ap_mesh_volume *node,
                                 const ap_mesh_volume *other)
{
    ap_float4 column[3], m[3], abs_m[3];
    ap_facet_columns(node, column);
    for (int j = 0; j < 3; j++) {
        m[j] = ap_facet_turn(column, ap_facet_turn_from(view->axis, other->axis[j]));
        abs_m[j] = ap_float4_abs(m[j]);
        ap_float4_store(s->m[j], m[j]);
        ap_float4_store(s->abs_m[j], abs_m[j]);
    }
    const ap_float4 center = ap_float4_scale(scale, ap_facet_turn_from(m, other->center));
    const ap_float4 reach = ap_float4_scale(scale, ap_facet_turn_from(abs_m, other->half));
    ap_float4_store(s->offset, ap_float4_add(ap_facet_turn(column, view->offset), center));
    ap_float4_store(s->reach, reach);
    ap_float4_store(s->half, ap_float4_scale(scale, ap_float4_load(other->half))); /* cut[0] follows half */
    ap_float4_store(s->cut, ap_float4_scale(scale, ap_float4_load(other->cut)));
}

AP_INLINE ap_float8 ap_facet_positive(ap_float8 x) { return ap_float8_max(x, ap_float8_all(0.0f)); }

/* The products' sum. */
AP_INLINE ap_float8 ap_facet_dot(const ap_float8 a[3], const ap_float8 b[3])
{
    return ap_float8_sum3(ap_float8_mul(a[0], b[0]), ap_float8_mul(a[1], b[1]), ap_float8_mul(a[2], b[2]));
}

/* The gap along the line t between centres: |t| less both supports over |t|. Where the centres coincide nothing is
 * known. */
AP_INLINE ap_float8 ap_facet_line_gap(ap_float8 square, ap_float8 supports)
{
    const ap_float8 length = ap_float8_sqrt(square);
    const ap_bits8 known = ap_float8_greater(square, ap_float8_all(0x1p-60f));
    return ap_float8_select(ap_float8_all(-INFINITY), ap_float8_div(ap_float8_sub(square, supports), length), known);
}

/* A vector in the other volume's frame. */
AP_INLINE void ap_facet_back(const ap_facet_step *s, const ap_float8 t[3], ap_float8 back[3])
{
    for (int j = 0; j < 3; j++) {
        const ap_float8 column[3] = {ap_float8_all(s->m[j][0]), ap_float8_all(s->m[j][1]), ap_float8_all(s->m[j][2])};
        back[j] = ap_facet_dot(column, t);
    }
}

/* The other volume's support along -t, seen in its own frame, times |t|. */
AP_INLINE ap_float8 ap_facet_other_support(const ap_facet_step *s, const ap_float8 back[3])
{
    const ap_float8 size[3] = {ap_float8_abs(back[0]), ap_float8_abs(back[1]), ap_float8_abs(back[2])};
    const ap_float8 half[3] = {ap_float8_all(s->half[0]), ap_float8_all(s->half[1]), ap_float8_all(s->half[2])};
    const ap_float8 cut[4] = {ap_float8_all(s->cut[0]), ap_float8_all(s->cut[1]), ap_float8_all(s->cut[2]),
                              ap_float8_all(s->cut[3])};
    return ap_float8_sub(ap_facet_dot(size, half),
                         ap_facet_cut_off(ap_float8_neg(back[0]), ap_float8_neg(back[1]), cut));
}

/* ---- along a direction ---- */

/* The support value of a volume along a direction of local coordinates, in query units. */
AP_INLINE float ap_facet_support(const ap_mesh_volume *v, const float direction[3], float scale)
{
    ap_float4 column[3];
    ap_facet_columns(v, column);
    const ap_float4 d = ap_facet_turn(column, ap_float4_from(direction)), size = ap_float4_abs(d);
    const ap_float4 value =
        ap_float4_add(ap_float4_mul(d, ap_float4_from(v->center)), ap_float4_mul(size, ap_float4_from(v->half)));
    const float x = ap_float4_at(size, 0), y = ap_float4_at(size, 1), least = x < y ? x : y;
    return scale * (ap_facet_sum(value) - least * v->cut[ap_mesh_cut_number(ap_float4_at(d, 0), ap_float4_at(d, 1))]);
}

/* The negative sum of the supports: with the base of the frame it bounds the distance. */
AP_INLINE unsigned ap_facet_near_along(const ap_facet_frame *f, int opened, const ap_mesh_node *node,
                                       const ap_mesh_volume *other, float limit, ap_facet_bounds *out)
{
    ap_float4 column[3];
    ap_facet_columns(&node->volume, column);
    const ap_float4 d = ap_facet_turn(column, ap_float4_from(f->direction[opened]));
    const float rest = ap_facet_support(other, f->direction[1 - opened], f->side[1 - opened].scale);
    ap_float8 axis[3], size[3], center[3], half[3], cut[4];
    for (unsigned i = 0; i < 3; i++) {
        axis[i] = ap_float8_all(ap_float4_at(d, i));
        size[i] = ap_float8_abs(axis[i]);
        center[i] = ap_float8_load(node->center[i]);
        half[i] = ap_float8_load(node->half[i]);
    }
    for (int i = 0; i < 4; i++) {
        cut[i] = ap_float8_load(node->cut[i]);
    }
    const ap_float8 value = ap_float8_sub(ap_float8_add(ap_facet_dot(axis, center), ap_facet_dot(size, half)),
                                          ap_facet_cut_off(axis[0], axis[1], cut));
    const ap_float8 scaled = ap_float8_scale(f->side[opened].scale, value);
    out->lower = ap_float8_neg(ap_float8_add(scaled, ap_float8_all(rest)));
    out->order = ap_float8_all(0.0f);
    return ap_bits8_mask(ap_float8_at_most(out->lower, ap_float8_all(limit)));
}

#endif
