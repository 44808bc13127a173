/* Where a ray enters a box: by slabs (Kay and Kajiya 1986), an axis to a lane.
 *
 * We differ in that every slab gives an earliest entry and a latest exit, rounding included: a miss is an entry that is
 * certainly after an exit, and the certificate of a hit is the plane of the face that was entered. */
#include "ray_frame.h"

/* Lanes 0 to 2 of a, and s in lane 3. */
AP_INLINE ap_lanes with_last(ap_lanes a, double s)
{
    return ap_lanes_select(a, ap_lanes_all(s), ap_mask_of(0, 0, 0, -1));
}

/* Does the point at t lie in the box, to rounding? */
AP_INLINE bool box_holds(const ap_ray_frame *r, ap_lanes half, double t)
{
    const ap_lanes over = ap_lanes_sub(ap_lanes_abs(ap_ray_point(r, t)), half);
    return (ap_mask_bits(ap_lanes_at_most(over, ap_lanes_all(ap_ray_on(r, t)))) & 7u) == 7u;
}

/* Where the ray leaves the box, as computed. */
static double leave_slabs(const ap_ray_frame *r, apart_vec3 half)
{
    const double h[3] = {half.x, half.y, half.z};
    double leaves = INFINITY;
    for (unsigned i = 0; i < 3; i++) {
        const double o = ap_lanes_at(r->origin, i), d = ap_lanes_at(r->direction, i);
        leaves = d != 0.0 ? ap_min(leaves, (h[i] - (d < 0.0 ? -o : o)) / fabs(d)) : leaves;
    }
    return leaves;
}

static void set_box_face(ap_ray_entry *entry, uint32_t axis, bool high)
{
    static const apart_feature faces[6] = {
        {.kind = APART_FEATURE_FACE, .count = 4, .number = 0, .index = {0, 2, 4, 6}},
        {.kind = APART_FEATURE_FACE, .count = 4, .number = 1, .index = {1, 3, 5, 7}},
        {.kind = APART_FEATURE_FACE, .count = 4, .number = 2, .index = {0, 1, 4, 5}},
        {.kind = APART_FEATURE_FACE, .count = 4, .number = 3, .index = {2, 3, 6, 7}},
        {.kind = APART_FEATURE_FACE, .count = 4, .number = 4, .index = {0, 1, 2, 3}},
        {.kind = APART_FEATURE_FACE, .count = 4, .number = 5, .index = {4, 5, 6, 7}},
    };
    const double side = high ? 1.0 : -1.0;
    entry->normal = ap_vec(axis == 0 ? side : 0.0, axis == 1 ? side : 0.0, axis == 2 ? side : 0.0);
    *entry->feature = faces[2u * axis + (high ? 1u : 0u)];
}

/* The axis whose value is the largest; the lowest of equals. */
AP_INLINE uint32_t largest_axis(ap_lanes v, double *largest)
{
    const double x = ap_lanes_at(v, 0), y = ap_lanes_at(v, 1);
    *largest = ap_max(ap_max(x, y), ap_lanes_at(v, 2));
    return x == *largest ? 0 : y == *largest ? 1 : 2;
}

/* When a ray enters the slabs at the earliest, and leaves them at the latest: an axis to a lane. */
typedef struct box_slabs {
    ap_lanes above, rate, enters, leaves;
} box_slabs;

AP_INLINE box_slabs meet_slabs(const ap_ray_frame *r, ap_lanes half)
{
    const ap_lanes zero = ap_lanes_all(0.0), error = ap_lanes_all(r->error), rate_error = ap_lanes_all(r->rate_error),
                   o = r->origin, d = r->direction;
    const ap_mask o_is_low = ap_lanes_less(o, zero), falls = ap_lanes_less(d, zero);
    box_slabs s = {.above = ap_lanes_sub(ap_lanes_abs(o), half), .rate = ap_lanes_abs(d)};
    /* The nearer face of a slab is entered if the ray runs towards it; the farther one is that in its direction. */
    const ap_lanes approach = ap_lanes_select(zero, s.rate, ap_mask_xor(o_is_low, falls));
    const ap_lanes beyond = ap_lanes_sub(ap_lanes_select(o, ap_lanes_sub(zero, o), falls), half);
    s.enters = ap_lanes_div(ap_lanes_sub(s.above, error), ap_lanes_add(approach, rate_error));
    s.leaves = ap_lanes_select(ap_lanes_all(INFINITY),
                               ap_lanes_div(ap_lanes_sub(error, beyond), ap_lanes_sub(s.rate, rate_error)),
                               ap_lanes_greater(s.rate, rate_error));
    return s;
}

ap_ray_verdict ap_ray_enter_box(const ap_ray_frame *ray, const apart_shape *box, ap_ray_entry *entry)
{
    const ap_lanes half = ap_lanes_from(box->u.half_extents);
    const box_slabs s = meet_slabs(ray, half);
    double earliest, unused;
    const uint32_t axis = largest_axis(s.enters, &earliest);
    if (!(earliest > 0.0)) {
        const uint32_t nearest = largest_axis(s.above, &unused);
        entry->lower = entry->at = 0.0;
        set_box_face(entry, nearest, ap_lanes_at(ray->origin, nearest) > 0.0);
        return AP_RAY_STARTS_INSIDE;
    }
    if (earliest > ap_min(ap_lanes_at(ap_lanes_smallest(with_last(s.leaves, INFINITY)), 0), ray->end)) {
        return AP_RAY_MISSES;
    }
    const double t = ap_lanes_at(s.above, axis) / ap_lanes_at(s.rate, axis);
    entry->lower = earliest;
    entry->at = box_holds(ray, half, t) ? t : leave_slabs(ray, box->u.half_extents);
    set_box_face(entry, axis, ap_lanes_at(ray->origin, axis) > 0.0);
    return entry->at >= 0.0 && box_holds(ray, half, entry->at) ? AP_RAY_ENTERS : AP_RAY_OPEN;
}
