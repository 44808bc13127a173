/* The next feature of the Minkowski difference of two boxes, for four pairs at once: the primal active-set method for
 * bounded least squares. A free axis that leads out of the face is fixed at the end it passes. If there is none, the
 * axis with the steepest descent becomes free; of three free axes, the first to arrive at an end is fixed there. |v|
 * decreases from step to step, so a feature can recur only by rounding. */
#include "box_feature.h"

AP_INLINE ap_mask select_bits(ap_mask a, ap_mask b, ap_mask m)
{
    return ap_mask_of_lanes(ap_lanes_select(ap_lanes_of_mask(a), ap_lanes_of_mask(b), m));
}

/* Features from their away bits and two free axes, in any order; each may be AP_NO_AXIS. */
AP_INLINE ap_mask make_features(ap_mask away, ap_mask one, ap_mask other)
{
    const ap_mask swapped = ap_mask_greater(one, other), first = select_bits(one, other, swapped),
                  second = select_bits(other, one, swapped);
    const ap_mask bits =
        ap_mask_or(ap_mask_shift_left_by(ap_mask_all(1), first), ap_mask_shift_left_by(ap_mask_all(1), second));
    return ap_mask_or(ap_mask_or(ap_mask_and(ap_mask_and(away, ap_mask_not(bits)), ap_mask_all(63)),
                                 ap_mask_shift_left(first, AP_BOX_FIRST_BIT)),
                      ap_mask_shift_left(second, AP_BOX_SECOND_BIT));
}

/* Fixes the free axis that leads farthest out of the face. *leaving: the lanes that have such an axis. */
AP_INLINE ap_mask fix_outermost_axis(const ap_box_step *s, ap_mask *leaving)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    const ap_lanes beyond[2] = {ap_lanes_max(ap_lanes_neg(s->position[0]), ap_lanes_sub(s->position[0], s->length[0])),
                                ap_lanes_max(ap_lanes_neg(s->position[1]), ap_lanes_sub(s->position[1], s->length[1]))};
    const ap_mask is_second = ap_lanes_greater(beyond[1], beyond[0]);
    const ap_mask axis = select_bits(s->first, s->second, is_second),
                  other = select_bits(s->second, s->first, is_second);
    const ap_mask away = ap_lanes_greater(ap_lanes_select(s->position[0], s->position[1], is_second), zero);
    *leaving = ap_lanes_greater(ap_lanes_max(beyond[0], beyond[1]), zero);
    return make_features(ap_mask_or(s->feature, ap_mask_and(away, ap_mask_shift_left_by(ap_mask_all(1), axis))), other,
                         ap_mask_all(AP_NO_AXIS));
}

/* The fixed axis with the steepest descent from its end, or AP_NO_AXIS. *gain: |slope| h. */
AP_INLINE ap_mask find_axis_to_free(const ap_box_lanes *box, const ap_box_step *s, ap_lanes *gain)
{
    ap_mask entering = ap_mask_all(AP_NO_AXIS);
    *gain = ap_lanes_all(0.0);
    for (unsigned k = 0; k < AP_BOX_AXES; k++) {
        const ap_mask is_free =
            ap_mask_or(ap_mask_equal(s->first, ap_mask_all((int)k)), ap_mask_equal(s->second, ap_mask_all((int)k)));
        const ap_lanes here = ap_lanes_mul(ap_box_end(box, s->feature, k), s->slope[k]);
        const ap_mask better = ap_mask_and(ap_lanes_greater(here, *gain), ap_mask_not(is_free));
        *gain = ap_lanes_select(*gain, here, better);
        entering = select_bits(entering, ap_mask_all((int)k), better);
    }
    return entering;
}

/* The step after which an axis that moves from `position` at `-rate` arrives at an end. */
AP_INLINE ap_lanes distance_to_end(ap_lanes position, ap_lanes length, ap_lanes rate)
{
    return ap_lanes_div(ap_lanes_select(ap_lanes_sub(length, position), position,
                                        ap_lanes_greater(rate, ap_lanes_all(0.0))),
                        ap_lanes_abs(rate));
}

/* Frees `entering` while two axes are free already: their positions change with it, and the first of the three to
 * arrive at an end is fixed there. With three free axes v can only shrink towards the origin. *passes: v would pass the
 * origin first. *parallel: the first free axis and the new one are too parallel to be free together. */
AP_INLINE ap_mask exchange_axes(const ap_box_lanes *box, const ap_box_step *s, ap_mask entering, ap_lanes gain,
                                ap_mask *passes, ap_mask *parallel)
{
    const ap_mask none = ap_mask_all(0), bit = ap_mask_shift_left_by(ap_mask_all(1), entering),
                  back = ap_mask_differ(ap_mask_and(s->feature, bit), none);
    ap_lanes length;
    const ap_lanes3 axis = ap_box_select_axis(box, entering, 0, 5, &length);
    const ap_lanes x = ap_lanes3_dot(s->free[0], axis), y = ap_lanes3_dot(s->free[1], axis);
    const ap_lanes sign = ap_lanes_select(s->inverse_determinant, ap_lanes_neg(s->inverse_determinant), back);
    const ap_lanes rate[2] = {ap_lanes_mul(ap_lanes_sub(x, ap_lanes_mul(y, s->cosine)), sign),
                              ap_lanes_mul(ap_lanes_sub(y, ap_lanes_mul(x, s->cosine)), sign)};
    const ap_lanes travel[2] = {distance_to_end(s->position[0], s->length[0], rate[0]),
                                distance_to_end(s->position[1], s->length[1], rate[1])};
    const ap_mask is_second = ap_lanes_less(travel[1], travel[0]);
    const ap_lanes least = ap_lanes_select(travel[0], travel[1], is_second);
    const ap_mask blocks = ap_lanes_less(least, length);
    const ap_mask blocking = select_bits(s->first, s->second, is_second),
                  kept = select_bits(s->second, s->first, is_second);
    const ap_mask away = ap_lanes_less(ap_lanes_select(rate[0], rate[1], is_second), ap_lanes_all(0.0));
    *parallel = ap_mask_not(
        ap_lanes_greater(ap_lanes_sub(ap_lanes_all(1.0), ap_lanes_mul(x, x)), ap_lanes_all(AP_BOX_LEAST_DETERMINANT)));
    *passes = ap_mask_not(ap_lanes_less(ap_lanes_mul(ap_lanes_select(length, least, blocks), gain),
                                        ap_lanes_mul(s->square, ap_lanes_scale(0.5, length))));
    return select_bits(ap_mask_xor(s->feature, bit),
                       make_features(ap_mask_or(s->feature,
                                                ap_mask_and(away, ap_mask_shift_left_by(ap_mask_all(1), blocking))),
                                     kept, entering),
                       blocks);
}

/* Frees an axis, in addition to or in place of another. *found: the lanes that gain by it. */
AP_INLINE ap_mask free_steepest_axis(const ap_box_lanes *box, const ap_box_step *s, ap_mask *found)
{
    const ap_mask none = ap_mask_all(AP_NO_AXIS);
    ap_mask passes, parallel;
    ap_lanes gain;
    const ap_mask entering = find_axis_to_free(box, s, &gain);
    const ap_mask full = ap_mask_differ(s->second, none),
                  exchanged = exchange_axes(box, s, entering, gain, &passes, &parallel);
    *found = ap_mask_and(ap_mask_differ(entering, none), ap_mask_not(ap_mask_and(full, passes)));
    return select_bits(make_features(s->feature, s->first, entering), exchanged, ap_mask_or(full, parallel));
}

ap_mask ap_box_next_features(const ap_box_lanes *box, const ap_box_step *s, unsigned lanes, ap_mask *found)
{
    ap_mask leaving, can_enter;
    const ap_mask left = fix_outermost_axis(s, &leaving);
    *found = leaving;
    if ((lanes & ~ap_mask_bits(leaving)) == 0) {
        return left;
    }
    const ap_mask entered = free_steepest_axis(box, s, &can_enter);
    *found = ap_mask_or(leaving, can_enter);
    return select_bits(entered, left, leaving);
}
