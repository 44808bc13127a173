/* From features of the TCSO of two boxes to the next ones, four lanes at once: the primal active-set method for least
 * squares within bounds. A free axis that leads out of the face stays at the end it passes; else the axis whose end is
 * the worst becomes free, and of three free axes the first to reach an end stays there. |v| falls from step to step, so
 * no feature recurs but by rounding. */
#include "box_feature.h"

AP_INLINE ap_mask select_bits(ap_mask a, ap_mask b, ap_mask m)
{
    return (ap_mask)ap_lanes_select((ap_lanes)a, (ap_lanes)b, m);
}

/* Features from their away bits and free axes, which are in any order, none or not. */
AP_INLINE ap_mask join(ap_mask away, ap_mask one, ap_mask other)
{
    const ap_mask swapped = one > other, first = select_bits(one, other, swapped),
                  second = select_bits(other, one, swapped);
    const ap_mask bits = ap_mask_all(1) << first | ap_mask_all(1) << second;
    return (away & ~bits & ap_mask_all(63)) | first << AP_BOX_FIRST_BIT | second << AP_BOX_SECOND_BIT;
}

/* A free axis that leads out of the face, the one that leads farthest: *leaving are the lanes that have one. */
AP_INLINE ap_mask let_leave(const ap_box_step *s, ap_mask *leaving)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    const ap_lanes beyond[2] = {ap_lanes_max(-s->way[0], s->way[0] - s->length[0]),
                                ap_lanes_max(-s->way[1], s->way[1] - s->length[1])};
    const ap_mask is_second = beyond[1] > beyond[0];
    const ap_mask axis = select_bits(s->first, s->second, is_second),
                  other = select_bits(s->second, s->first, is_second);
    const ap_mask away = ap_lanes_select(s->way[0], s->way[1], is_second) > zero;
    *leaving = ap_lanes_max(beyond[0], beyond[1]) > zero;
    return join(s->feature | (away & (ap_mask_all(1) << axis)), other, ap_mask_all(AP_NO_AXIS));
}

/* The axis that gains most when it leaves its end, or none; *gain: |slope| h. */
AP_INLINE ap_mask find_entering(const ap_box_lanes *box, const ap_box_step *s, ap_lanes *gain)
{
    ap_mask entering = ap_mask_all(AP_NO_AXIS);
    *gain = ap_lanes_all(0.0);
    for (unsigned k = 0; k < AP_BOX_AXES; k++) {
        const ap_mask is_free = (s->first == ap_mask_all((int)k)) | (s->second == ap_mask_all((int)k));
        const ap_lanes here = ap_box_end(box, s->feature, k) * s->slope[k];
        const ap_mask better = (here > *gain) & ~is_free;
        *gain = ap_lanes_select(*gain, here, better);
        entering = select_bits(entering, ap_mask_all((int)k), better);
    }
    return entering;
}

/* How far an axis may go that goes `rate` backwards from `way`. */
AP_INLINE ap_lanes room_of(ap_lanes way, ap_lanes length, ap_lanes rate)
{
    return ap_lanes_select(length - way, way, rate > ap_lanes_all(0.0)) / ap_lanes_abs(rate);
}

/* As an axis leaves its end, the ways of those that are free already change. The first of all to reach an end stays
 * there. Two free axes leave v nothing but to shrink towards the origin: *passes, it would pass it before that.
 * *parallel: the first free axis and the new one cannot both be free. */
AP_INLINE ap_mask exchange(const ap_box_lanes *box, const ap_box_step *s, ap_mask entering, ap_lanes gain,
                           ap_mask *passes, ap_mask *parallel)
{
    const ap_mask none = {0}, bit = ap_mask_all(1) << entering, back = (s->feature & bit) != none;
    ap_lanes length;
    const ap_lanes3 axis = ap_box_select_axis(box, entering, 0, 5, &length);
    const ap_lanes x = ap_lanes3_dot(s->free[0], axis), y = ap_lanes3_dot(s->free[1], axis);
    const ap_lanes sign = ap_lanes_select(s->inverse_determinant, -s->inverse_determinant, back);
    const ap_lanes rate[2] = {(x - y * s->cosine) * sign, (y - x * s->cosine) * sign};
    const ap_lanes room[2] = {room_of(s->way[0], s->length[0], rate[0]), room_of(s->way[1], s->length[1], rate[1])};
    const ap_mask is_second = room[1] < room[0];
    const ap_lanes least = ap_lanes_select(room[0], room[1], is_second);
    const ap_mask blocks = least < length;
    const ap_mask blocking = select_bits(s->first, s->second, is_second),
                  kept = select_bits(s->second, s->first, is_second);
    const ap_mask away = ap_lanes_select(rate[0], rate[1], is_second) < ap_lanes_all(0.0);
    *parallel = ~(ap_lanes_all(1.0) - x * x > ap_lanes_all(AP_BOX_LEAST_DETERMINANT));
    *passes = ~(ap_lanes_select(length, least, blocks) * gain < s->square * (ap_lanes_all(0.5) * length));
    return select_bits(s->feature ^ bit, join(s->feature | (away & (ap_mask_all(1) << blocking)), kept, entering),
                       blocks);
}

/* Lanes without a leaving axis: one enters, beside or in place of another. */
AP_INLINE ap_mask let_enter(const ap_box_lanes *box, const ap_box_step *s, ap_mask *found)
{
    const ap_mask none = ap_mask_all(AP_NO_AXIS);
    ap_mask passes, parallel;
    ap_lanes gain;
    const ap_mask entering = find_entering(box, s, &gain);
    const ap_mask full = s->second != none, exchanged = exchange(box, s, entering, gain, &passes, &parallel);
    *found = (entering != none) & ~(full & passes);
    return select_bits(join(s->feature, s->first, entering), exchanged, full | parallel);
}

ap_mask ap_box_next_features(const ap_box_lanes *box, const ap_box_step *s, unsigned lanes, ap_mask *found)
{
    ap_mask leaving, can_enter;
    const ap_mask left = let_leave(s, &leaving);
    *found = leaving;
    if ((lanes & ~ap_mask_bits(leaving)) == 0) {
        return left;
    }
    const ap_mask entered = let_enter(box, s, &can_enter);
    *found = leaving | can_enter;
    return select_bits(entered, left, leaving);
}
