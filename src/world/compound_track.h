/* Where the balls around nodes of two moving solids are at some moments, and how near they can come to each other at any time: between two
 * moments a point is near the straight line from one place to the other. */
#ifndef AP_WORLD_COMPOUND_TRACK_H
#define AP_WORLD_COMPOUND_TRACK_H

#include "compound_frame.h"

/* Turns of about this angle between moments: what an arc leaves the line by then is a fiftieth of the arm. */
#define AP_TRACK_ANGLE 0.4

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
    const double steps = ceil(until * ap_max(k->rate[0], k->rate[1]) / AP_TRACK_ANGLE);
    k->count = steps < 1.0 ? 1 : steps > AP_TRACK_STEPS ? AP_TRACK_STEPS : (uint32_t)steps;
    k->step = until / k->count;
    k->until = until;
    for (uint32_t i = 0; i <= k->count && status == APART_OK; i++) {
        status = apart_motion_pose(motion[0], i * k->step, &k->pose[i][0]);
        status = status == APART_OK ? apart_motion_pose(motion[1], i * k->step, &k->pose[i][1]) : status;
    }
    return status;
}

/* How far a point gets from the straight line between two moments, at the same time: with an acceleration a by a step^2/8; and no farther
 * than it gets by turning, there and back. */
AP_INLINE double ap_track_bulge(const ap_track *k, int side, apart_vec3 own)
{
    const double arm = ap_norm(ap_sub(own, k->pivot[side])) * AP_STRETCH, turning = k->drift[side] + k->rate[side] * arm;
    const double angle = k->rate[side] * k->step, bulge = 0.125 * angle * turning * k->step;
    return ap_min(bulge, k->drift[side] > 0.0 ? turning * k->step : 2.0 * arm);
}

/* The distance of the origin from the first part of a segment. */
AP_INLINE double ap_track_line(apart_vec3 from, apart_vec3 to, double part)
{
    const apart_vec3 way = ap_sub(to, from);
    const double square = ap_dot(way, way), at = square > 0.0 ? ap_min(ap_max(-ap_dot(from, way) / square, 0.0), part) : 0.0;
    return ap_norm(ap_add(from, ap_scale(at, way)));
}

/* A lower bound of the gap of two nodes at all times, and the start of the step in which they may meet first; INFINITY: never. */
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
    const double off = a->radius + b->radius + ap_track_bulge(k, 0, a->center) + ap_track_bulge(k, 1, b->center) + k->slack;
    ap_track_gap gap = {INFINITY, INFINITY};
    if (s->plane >= 0 && k->rate[s->plane] > 0.0) {
        return (ap_track_gap){-INFINITY, 0.0};
    }
    apart_vec3 from = ap_sub(apart_pose_apply(&k->pose[0][1], b->center), apart_pose_apply(&k->pose[0][0], a->center));
    for (uint32_t i = 0; i < k->count && i * k->step < k->until; i++) {
        const apart_vec3 to = ap_sub(apart_pose_apply(&k->pose[i + 1][1], b->center), apart_pose_apply(&k->pose[i + 1][0], a->center));
        const double least = ap_track_step(s, from, to, ap_min((k->until - i * k->step) / k->step, 1.0)) - off;
        gap.when = least <= 0.0 ? ap_min(gap.when, i * k->step) : gap.when;
        gap.least = ap_min(gap.least, least);
        from = to;
    }
    return gap;
}

#endif
