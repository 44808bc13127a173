/* Where the balls around nodes of two moving solids are at some moments, and how near they can come to each other at any time: between two
 * moments a point is near the straight line from one place to the other. */
#ifndef AP_PARTS_TRACK_H
#define AP_PARTS_TRACK_H

#include "frame.h"

/* Turns of about this angle between moments: what an arc leaves the line by then is an eight hundredth of the arm, mostly less than a part. */
#define AP_TRACK_ANGLE 0.1

/* What the line of several steps may leave the way by, of the nodes' radii. */
#define AP_TRACK_LITTLE 0.1

/* Of a step: far more than what rounding does to a time. */
#define AP_TRACK_EARLY 1e-9

/* Entries of poses on the way are off by 32 eps (apart_motion_pose), places by less than 256 eps of all lengths in them. */
#define AP_TRACK_ROUNDING (256.0 * DBL_EPSILON)

AP_INLINE void ap_track_set_side(ap_track *k, int side, const apart_motion *motion, const ap_search_side *solid)
{
    const apart_vec3 pivot = ap_sub(motion->pivot, motion->start.translation);
    k->rate[side] = ap_norm(motion->angular);
    k->drift[side] = motion->path == APART_PATH_SCREW ? ap_norm(motion->linear) : 0.0;
    k->pivot[side] = ap_apply_transposed(&motion->start.rotation, pivot);
    k->scope += ap_norm(motion->linear) + 2.0 * (ap_norm(pivot) + solid->size);
}

/* The moments from 0 to `until`, after ap_search_prepare_others; motions in the query's frame, which have been checked. */
AP_INLINE apart_status ap_track_set(ap_track *k, const ap_part_search *s, const apart_motion *const motion[2], double until)
{
    apart_status status = APART_OK;
    k->scope = s->scope;
    ap_track_set_side(k, 0, motion[0], &s->side[0]);
    ap_track_set_side(k, 1, motion[1], &s->side[1]);
    k->slack = (AP_TRACK_ROUNDING + AP_DEFECT_SHARE * ap_max(ap_max(s->defects[0], s->defects[1]), s->defects[2])) * k->scope;
    const double strides = ceil(until * ap_max(k->rate[0], k->rate[1]) / (AP_TRACK_STRIDE * AP_TRACK_ANGLE));
    const uint32_t most = AP_TRACK_STEPS / AP_TRACK_STRIDE;
    k->count = strides < 1.0 ? 1 : AP_TRACK_STRIDE * (strides > most ? most : (uint32_t)strides);
    k->step = until / k->count;
    k->until = until;
    for (uint32_t i = 0; i <= k->count && status == APART_OK; i++) {
        status = apart_motion_pose(motion[0], i * k->step, &k->pose[i][0]);
        status = status == APART_OK ? apart_motion_pose(motion[1], i * k->step, &k->pose[i][1]) : status;
    }
    return status;
}

/* How far a point gets from the straight line between two moments, at the same time: with an acceleration a by a time^2/8; and no farther
 * than it gets by turning, there and back. */
AP_INLINE double ap_track_bulge(const ap_track *k, int side, double arm, double time)
{
    const double turning = k->drift[side] + k->rate[side] * arm, bulge = 0.125 * (k->rate[side] * time) * (turning * time);
    return ap_min(bulge, k->drift[side] > 0.0 ? turning * time : 2.0 * arm);
}

AP_INLINE double ap_track_arm(const ap_track *k, int side, apart_vec3 own) { return ap_norm(ap_sub(own, k->pivot[side])) * AP_STRETCH; }

/* Some steps at a time, as long as that makes little of a difference to balls of this size; of two parts, one at a time. */
typedef struct ap_track_pace {
    uint32_t stride;
    double bulge; /* of both sides */
} ap_track_pace;

AP_INLINE ap_track_pace ap_track_pace_of(const ap_track *k, const ap_part_node *a, const ap_part_node *b)
{
    const double arm_a = ap_track_arm(k, 0, a->center), arm_b = ap_track_arm(k, 1, b->center);
    const double little = (a->first_child | b->first_child) != 0 ? AP_TRACK_LITTLE * (a->radius + b->radius) : 0.0;
    ap_track_pace pace = {k->count > 1 ? 2 * AP_TRACK_STRIDE : 2, 0.0};
    do {
        pace.stride /= 2;
        const double time = pace.stride * k->step;
        pace.bulge = ap_track_bulge(k, 0, arm_a, time) + ap_track_bulge(k, 1, arm_b, time);
    } while (pace.stride > 1 && pace.bulge > little);
    return pace;
}

/* The distance of the origin from the first part of a segment, or less where squares do not tell. */
AP_INLINE double ap_track_line(apart_vec3 from, apart_vec3 to, double part)
{
    const apart_vec3 way = ap_sub(to, from);
    const double square = ap_dot(way, way), along = -ap_dot(from, way);
    if (!(square > AP_SQUARE_MIN && square < AP_SQUARE_MAX && fabs(along) < AP_SQUARE_MAX)) {
        return ap_norm(from) - ap_norm(way);
    }
    return ap_norm(ap_add(from, ap_scale(ap_min(ap_max(along / square, 0.0), part), way)));
}

/* Where on a segment a point first is as near to the origin as `reach`, a little before; INFINITY: nowhere. */
AP_INLINE double ap_track_entry(apart_vec3 from, apart_vec3 to, double reach)
{
    const apart_vec3 way = ap_sub(to, from);
    const double a = ap_dot(way, way), b = -ap_dot(from, way), c = ap_dot(from, from) - reach * reach, square = b * b - a * c;
    if (!(c > 0.0)) {
        return 0.0;
    }
    return b > 0.0 && square >= 0.0 ? ap_max(c / (b + sqrt(square)) - AP_TRACK_EARLY, 0.0) : INFINITY;
}

/* A lower bound of the gap of two nodes at all times, and when they may meet first; INFINITY: never. */
typedef struct ap_track_gap {
    double least, when;
} ap_track_gap;

/* Of a half-space, which does not turn: n . p on the line is the smaller at one of its ends. */
AP_INLINE double ap_track_step(const ap_part_search *s, apart_vec3 from, apart_vec3 to, double part)
{
    if (s->plane < 0) {
        return ap_track_line(from, to, part);
    }
    const apart_vec3 n = s->plane == 0 ? ap_search_plane_normal(s) : ap_neg(ap_search_plane_normal(s));
    const double first = ap_dot(n, from), last = first + part * ap_dot(n, ap_sub(to, from));
    const apart_shape *plane = s->side[s->plane].shape;
    return ap_min(first, last) - (plane->u.plane.offset + plane->radius);
}

AP_INLINE ap_track_gap ap_track_measure(const ap_part_search *s, const ap_part_node *a, const ap_part_node *b)
{
    const ap_track *k = s->track;
    const ap_track_pace pace = ap_track_pace_of(k, a, b);
    const double off = a->radius + b->radius + pace.bulge + k->slack, time = pace.stride * k->step;
    ap_track_gap gap = {INFINITY, INFINITY};
    if (s->plane >= 0 && k->rate[s->plane] > 0.0) {
        return (ap_track_gap){-INFINITY, 0.0};
    }
    apart_vec3 from = ap_sub(apart_pose_apply(&k->pose[0][1], b->center), apart_pose_apply(&k->pose[0][0], a->center));
    for (uint32_t i = 0; i < k->count && i * k->step < k->until; i += pace.stride) {
        const apart_pose *pose = k->pose[i + pace.stride];
        const apart_vec3 to = ap_sub(apart_pose_apply(&pose[1], b->center), apart_pose_apply(&pose[0], a->center));
        const double least = ap_track_step(s, from, to, ap_min((k->until - i * k->step) / time, 1.0)) - off;
        if (least <= 0.0 && gap.when == INFINITY) {
            const double entry = s->plane < 0 ? ap_track_entry(from, to, off) : 0.0;
            gap.when = i * k->step + ap_min(entry, 1.0) * time;
        }
        gap.least = ap_min(gap.least, least);
        from = to;
    }
    return gap;
}

#endif
