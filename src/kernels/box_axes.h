/* The fifteen separating axes of two boxes, three at a time, from the nine cosines between the boxes' own axes.
 *
 * Source: Gottschalk, Lin, Manocha, OBBTree (1996), for the axes and their tests without normalisation. The yes/no test
 * and the depth of boxes use the same gaps: the first with a margin, the second to rank the axes.
 *
 * Legend: lanes k: the three axes of A; l: an axis of B; the fourth lane repeats the third and is never used.
 * Everything is relative to A's centre. A gap is negative where the boxes overlap along the axis. */
#ifndef AP_KERNELS_BOX_AXES_H
#define AP_KERNELS_BOX_AXES_H

#include "../pair/pair.h"

typedef struct ap_box_axes {
    ap_lanes half_a, half_b;     /* half extents */
    ap_lanes to_b, to_b_in_b;    /* from A's centre to B's, in A's axes and in B's */
    ap_lanes cosine[3], size[3]; /* of B's axis l with A's axes, and without their signs */
} ap_box_axes;

/* Cyclic shifts of the lanes 0 to 2: lane i becomes lane i + 1, or i + 2, modulo 3. */
AP_INLINE ap_lanes ap_box_next(ap_lanes v) { return AP_SHUFFLE(v, 1, 2, 0, 3); }

AP_INLINE ap_lanes ap_box_after_next(ap_lanes v) { return AP_SHUFFLE(v, 2, 0, 1, 3); }

AP_INLINE ap_lanes ap_box_clamp(ap_lanes a, ap_lanes half)
{
    return ap_lanes_min(ap_lanes_max(a, ap_lanes_neg(half)), half);
}

/* Sets the cosines from the rows of A's matrix and from B's matrix. */
AP_INLINE void ap_box_set_cosines(ap_box_axes *x, const ap_lanes3 *rows_a, const apart_mat3 *m_b)
{
    x->cosine[0] = ap_lanes_apply(rows_a, ap_lanes_load(&m_b->x));
    x->cosine[1] = ap_lanes_apply(rows_a, ap_lanes_load(&m_b->y));
    x->cosine[2] = ap_lanes_apply(rows_a, ap_lanes_load(&m_b->z));
    for (unsigned l = 0; l < 3; l++) {
        x->size[l] = ap_lanes_abs(x->cosine[l]);
    }
}

/* The gaps along the axes of A. */
AP_INLINE ap_lanes ap_box_gap_a(const ap_box_axes *x)
{
    const ap_lanes h = x->half_b;
    const ap_lanes extent =
        ap_lanes_sum3(ap_lanes_scale(ap_lanes_at(h, 0), x->size[0]), ap_lanes_scale(ap_lanes_at(h, 1), x->size[1]),
                      ap_lanes_scale(ap_lanes_at(h, 2), x->size[2]));
    return ap_lanes_sub(ap_lanes_abs(x->to_b), ap_lanes_add(x->half_a, extent));
}

/* The gaps along the axes of B. */
AP_INLINE ap_lanes ap_box_gap_b(const ap_box_axes *x)
{
    const ap_lanes h = x->half_a;
    const ap_lanes3 t = ap_lanes_transpose(ap_lanes_mul(h, x->size[0]), ap_lanes_mul(h, x->size[1]),
                                           ap_lanes_mul(h, x->size[2]), ap_lanes_mul(h, x->size[2]));
    return ap_lanes_sub(ap_lanes_abs(x->to_b_in_b), ap_lanes_add(x->half_b, ap_lanes_sum3(t.x, t.y, t.z)));
}

/* The gaps along the cross products of A's axes with B's axis l, times the length of the product. */
AP_INLINE ap_lanes ap_box_gap_edges(const ap_box_axes *x, unsigned l)
{
    const unsigned next = (l + 1) % 3, last = (l + 2) % 3;
    const ap_lanes c1 = ap_box_next(x->cosine[l]), c2 = ap_box_after_next(x->cosine[l]);
    const ap_lanes extent_a = ap_lanes_add(ap_lanes_mul(ap_box_next(x->half_a), ap_lanes_abs(c2)),
                                           ap_lanes_mul(ap_box_after_next(x->half_a), ap_lanes_abs(c1)));
    const ap_lanes extent_b = ap_lanes_add(ap_lanes_scale(ap_lanes_at(x->half_b, next), x->size[last]),
                                           ap_lanes_scale(ap_lanes_at(x->half_b, last), x->size[next]));
    return ap_lanes_sub(ap_lanes_abs(ap_lanes_sub(ap_lanes_mul(ap_box_after_next(x->to_b), c1),
                                                  ap_lanes_mul(ap_box_next(x->to_b), c2))),
                        ap_lanes_add(extent_a, extent_b));
}

#endif
