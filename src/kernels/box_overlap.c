/* Yes or no for two boxes, where a glance tells: a point that is in both, or their fifteen axes.
 *
 * Source: Gottschalk, Lin, Manocha, OBBTree (1996), for the axes and their tests without normalisation. We differ in asking for a margin
 * far above rounding: boxes are apart if one axis separates them by more, and meet if none comes near to that. What is in between, and
 * boxes with parallel edges, whose product is no axis, goes to the loop unless a common point is found first.
 *
 * Legend: h half extents; d from A's centre to B's; c[j] B's axis j in A's frame. Everything is relative to A's centre and not scaled. */
#include "../pair/pair.h"

/* In units of M: above what rounding and clean rotations (CLEAR_ROTATION) can do to any of the numbers compared. */
#define GLANCE_MARGIN 0x1p-40

typedef enum box_glance { BOXES_APART = 0, BOXES_MEET = 1, BOXES_UNCLEAR = 2 } box_glance;

typedef struct box_pair {
    ordinary_pair known;
    const apart_mat3 *rotation_a, *rotation_b;
    ap_lanes h_a, h_b, to_b; /* to_b: d in A's frame */
    ap_lanes margin;
} box_pair;

AP_INLINE bool any_above(ap_lanes a, ap_lanes limit) { return (ap_mask_bits(a > limit) & 7u) != 0; }

AP_INLINE ap_lanes clamp_to(ap_lanes a, ap_lanes h) { return ap_lanes_min(ap_lanes_max(a, -h), h); }

/* The point of A nearest to B's centre, then that of B nearest to it: is one of them clearly inside the other box? */
AP_INLINE bool share_a_point(const box_pair *p)
{
    const ap_lanes on_a = ap_lanes_turn(p->rotation_a, clamp_to(p->to_b, p->h_a));
    const ap_lanes in_b = ap_lanes_apply(&p->known.rows_b, on_a - p->known.offset);
    if (!any_above(ap_lanes_abs(in_b), p->h_b - p->margin)) {
        return true;
    }
    const ap_lanes on_b = ap_lanes_turn(p->rotation_b, clamp_to(in_b, p->h_b)) + p->known.offset;
    return !any_above(ap_lanes_abs(ap_lanes_apply(&p->known.rows_a, on_b)), p->h_a - p->margin);
}

/* How far the boxes are apart along the axes of A, and of B. size: the cosines without their signs. */
AP_INLINE ap_lanes gap_along_a(const box_pair *p, const ap_lanes3 *size)
{
    const ap_lanes h = p->h_b, reach = (size->x * ap_lanes_all(h[0]) + size->y * ap_lanes_all(h[1])) + size->z * ap_lanes_all(h[2]);
    return ap_lanes_abs(p->to_b) - (p->h_a + reach);
}

AP_INLINE ap_lanes gap_along_b(const box_pair *p, const ap_lanes3 *size)
{
    const ap_lanes3 t = ap_lanes_transpose(size->x, size->y, size->z, size->z);
    const ap_lanes h = p->h_a, reach = (t.x * ap_lanes_all(h[0]) + t.y * ap_lanes_all(h[1])) + t.z * ap_lanes_all(h[2]);
    return ap_lanes_abs(ap_lanes_apply(&p->known.rows_b, p->known.offset)) - (p->h_b + reach);
}

/* The same, times their lengths, along the products of A's axes, a lane each, with one of B's: c, whose cosines' sizes are `own`; the other
 * two have `next` and `last`, and the half extents h_next and h_last. */
AP_INLINE ap_lanes gap_along_product(const box_pair *p, ap_lanes c, ap_lanes own, ap_lanes next, ap_lanes last, double h_next,
                                     double h_last)
{
    const ap_lanes d1 = AP_SHUFFLE(p->to_b, 1, 2, 0, 3), d2 = AP_SHUFFLE(p->to_b, 2, 0, 1, 3);
    const ap_lanes h1 = AP_SHUFFLE(p->h_a, 1, 2, 0, 3), h2 = AP_SHUFFLE(p->h_a, 2, 0, 1, 3);
    const ap_lanes c1 = AP_SHUFFLE(c, 1, 2, 0, 3), c2 = AP_SHUFFLE(c, 2, 0, 1, 3);
    const ap_lanes own1 = AP_SHUFFLE(own, 1, 2, 0, 3), own2 = AP_SHUFFLE(own, 2, 0, 1, 3);
    const ap_lanes reach_a = h1 * own2 + h2 * own1, reach_b = ap_lanes_all(h_next) * last + ap_lanes_all(h_last) * next;
    return ap_lanes_abs(d2 * c1 - d1 * c2) - (reach_a + reach_b);
}

/* By the axes. Of disjoint boxes one of them separates by 0 or more, times its length; the numbers err by less than the margin. */
AP_INLINE box_glance ask_axes(const box_pair *p)
{
    const ap_lanes3 *rows = &p->known.rows_a;
    const apart_mat3 *m = p->rotation_b;
    const ap_lanes3 c = {ap_lanes_apply(rows, ap_lanes_load(&m->x)), ap_lanes_apply(rows, ap_lanes_load(&m->y)),
                         ap_lanes_apply(rows, ap_lanes_load(&m->z))};
    const ap_lanes3 size = {ap_lanes_abs(c.x), ap_lanes_abs(c.y), ap_lanes_abs(c.z)};
    const ap_lanes h = p->h_b;
    ap_lanes gap = ap_lanes_max(gap_along_a(p, &size), gap_along_b(p, &size));
    if (any_above(gap, p->margin)) {
        return BOXES_APART;
    }
    gap = ap_lanes_max(gap, gap_along_product(p, c.x, size.x, size.y, size.z, h[1], h[2]));
    gap = ap_lanes_max(gap, gap_along_product(p, c.y, size.y, size.z, size.x, h[2], h[0]));
    gap = ap_lanes_max(gap, gap_along_product(p, c.z, size.z, size.x, size.y, h[0], h[1]));
    return any_above(gap, p->margin) ? BOXES_APART : any_above(gap, -p->margin) ? BOXES_UNCLEAR : BOXES_MEET;
}

/* A and B are boxes in space. */
AP_INLINE box_glance glance_at_boxes(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    box_pair p = {.rotation_a = &pose_a->rotation, .rotation_b = &pose_b->rotation};
    if (!is_ordinary(&p.known, a, pose_a, b, pose_b) || !p.known.clear || p.known.radius != 0.0) {
        return BOXES_UNCLEAR;
    }
    p.h_a = ap_lanes_load(&a->u.half_extents);
    p.h_b = ap_lanes_load(&b->u.half_extents);
    p.to_b = ap_lanes_apply(&p.known.rows_a, p.known.offset);
    p.margin = ap_lanes_all(GLANCE_MARGIN * p.known.size);
    return share_a_point(&p) ? BOXES_MEET : ask_axes(&p);
}
