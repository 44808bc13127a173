/* The quick overlap test of two boxes: a common point proves overlap, one of the fifteen axes proves separation.
 *
 * Both proofs need a margin far above rounding: boxes are disjoint if one axis separates them by more, and overlap if
 * all axes overlap by more. Everything in between goes to GJK, and so do boxes with parallel edges, whose cross product
 * is not an axis, unless a common point is found first. */
#ifndef AP_KERNELS_BOX_OVERLAP_H
#define AP_KERNELS_BOX_OVERLAP_H

#include "box_axes.h"

/* In units of M: larger than the error of any of the numbers compared. Columns within AP_EXACT_ROTATION have products of
 * up to 2.9e-7, and the transposed matrix is not quite the inverse then: docs/numerics.md. */
#define AP_BOX_MARGIN 0x1p-18

typedef enum ap_box_verdict { AP_BOXES_APART = 0, AP_BOXES_OVERLAP = 1, AP_BOXES_UNDECIDED = 2 } ap_box_verdict;

AP_INLINE bool ap_box_any_above(ap_lanes a, ap_lanes limit)
{
    return (ap_mask_bits(ap_lanes_greater(a, limit)) & 7u) != 0;
}

/* Tests the axes. If the boxes are disjoint, the gap along one axis is at least 0; the computed gaps err by less than
 * the margin. */
AP_INLINE ap_box_verdict ap_box_test_axes(const ap_box_axes *x, ap_lanes margin)
{
    ap_lanes gap = ap_lanes_max(ap_box_gap_a(x), ap_box_gap_b(x));
    if (ap_box_any_above(gap, margin)) {
        return AP_BOXES_APART;
    }
    gap = ap_lanes_max(gap, ap_box_gap_edges(x, 0));
    gap = ap_lanes_max(gap, ap_box_gap_edges(x, 1));
    gap = ap_lanes_max(gap, ap_box_gap_edges(x, 2));
    return ap_box_any_above(gap, margin)                 ? AP_BOXES_APART
           : ap_box_any_above(gap, ap_lanes_neg(margin)) ? AP_BOXES_UNDECIDED
                                                         : AP_BOXES_OVERLAP;
}

/* A and B are boxes, A of dimension 3; unscaled. First tests whether the point of A nearest to B's centre, or the point
 * of B nearest to that one, is inside the other box by the margin. If not, the axes decide. */
AP_INLINE ap_box_verdict ap_box_test(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                     const apart_pose *pose_b)
{
    const apart_mat3 *m_a = &pose_a->rotation, *m_b = &pose_b->rotation;
    ap_lanes3 rows_a, rows_b;
    const ap_lanes error = ap_lanes_add(ap_rotation_error(m_a, &rows_a), ap_rotation_error(m_b, &rows_b));
    const ap_mask centred = ap_mask_and(ap_lanes_equal(ap_lanes_load(&a->center), ap_lanes_all(0.0)),
                                        ap_lanes_equal(ap_lanes_load(&b->center), ap_lanes_all(0.0)));
    /* The translation is loaded into the lanes 1 to 3, so that nothing after the pose is read. */
    const ap_lanes between = ap_lanes_sub(ap_lanes_load(&m_b->z.z), ap_lanes_load(&m_a->z.z)),
                   distance = ap_lanes_abs(between);
    const ap_lanes offset = AP_SHUFFLE(between, 1, 2, 3, 3);
    const double size =
        (a->bound + b->bound) + ((ap_lanes_at(distance, 1) + ap_lanes_at(distance, 2)) + ap_lanes_at(distance, 3));
    const bool exact =
        (ap_mask_bits(ap_mask_and(ap_lanes_at_most(error, ap_lanes_all(AP_EXACT_ROTATION)), centred)) & 7u) == 7u;
    if (!(size > AP_LEAST_UNSCALED && size < AP_MOST_UNSCALED) || !exact || a->radius + b->radius != 0.0 ||
        (a->status | b->status) != APART_OK || b->dim != 3) {
        return AP_BOXES_UNDECIDED;
    }
    ap_box_axes x = {.half_a = ap_lanes_load(&a->u.half_extents), .half_b = ap_lanes_load(&b->u.half_extents)};
    const ap_lanes margin = ap_lanes_all(AP_BOX_MARGIN * size);
    x.to_b = ap_lanes_apply(&rows_a, offset);
    const ap_lanes on_a = ap_lanes_turn(m_a, ap_box_clamp(x.to_b, x.half_a)),
                   in_b = ap_lanes_apply(&rows_b, ap_lanes_sub(on_a, offset));
    if (!ap_box_any_above(ap_lanes_abs(in_b), ap_lanes_sub(x.half_b, margin))) {
        return AP_BOXES_OVERLAP;
    }
    const ap_lanes on_b = ap_lanes_add(ap_lanes_turn(m_b, ap_box_clamp(in_b, x.half_b)), offset);
    if (!ap_box_any_above(ap_lanes_abs(ap_lanes_apply(&rows_a, on_b)), ap_lanes_sub(x.half_a, margin))) {
        return AP_BOXES_OVERLAP;
    }
    x.to_b_in_b = ap_lanes_apply(&rows_b, offset);
    ap_box_set_cosines(&x, &rows_a, m_b);
    return ap_box_test_axes(&x, margin);
}

#endif
