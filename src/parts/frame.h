/* Both solids of a compound query in one frame, with the world's axes and A's origin, so that a common offset of both bodies costs no
 * accuracy; their rounding; and the parts' joined poses. Inline: for two solids of a part each this is all that a query adds to that of the
 * parts. */
#ifndef AP_PARTS_FRAME_H
#define AP_PARTS_FRAME_H

#include "../simd/lanes.h"
#include "search.h"

/* Joined poses: an entry of a product of rotations is off by 3 u, so a point by 9 u of its distance from the part's origin; a
 * translation by 7 u of what is added, of which u is the difference of the bodies' origins. 16 u of all covers it, on either side. */
#define AP_JOINING_ERROR (16.0 * 0.5 * DBL_EPSILON)

/* Of a gap of boxes: products of three terms, twice, and a few sums. Where |RtR - I| <= d, three axes are d from square and unit: 3 d of
 * either extent and 3/2 d of the distance. */
#define AP_BOUND_ROUNDING (32.0 * DBL_EPSILON)
#define AP_DEFECT_SHARE 8.0

AP_INLINE void ap_search_set_side(ap_search_side *s, apart_solid solid, const apart_pose *pose, apart_vec3 origin)
{
    const apart_shape *shape = solid.shape;
    s->compound = solid.compound;
    s->shape = shape;
    s->pose = pose;
    s->origin = origin;
    if (solid.compound != NULL) {
        s->parts = solid.compound->parts;
        s->size = solid.compound->reach;
    } else {
        s->parts = NULL;
        s->size = shape->kind == APART_SHAPE_HALF_SPACE ? fabs(shape->u.plane.offset)
                                                        : ap_norm(shape->center) + shape->bound + shape->radius;
    }
}

/* The |RRt - I| of a matrix, the squares and the products of its rows; not finite if the matrix is not. RtR - I has the same eigenvalues.
 * The determinant's sign is left to the query of the first parts: those of the parts' own rotations are known to be positive. */
AP_INLINE ap_lanes ap_search_defect(const apart_pose *pose)
{
    const apart_mat3 *m = &pose->rotation;
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z);
    const ap_lanes squares = (x * x + y * y) + z * z;
    const ap_lanes mixed = (x * AP_SHUFFLE(x, 1, 2, 0, 3) + y * AP_SHUFFLE(y, 1, 2, 0, 3)) + z * AP_SHUFFLE(z, 1, 2, 0, 3);
    return ap_lanes_max(ap_lanes_abs(squares - ap_lanes_all(1.0)), ap_lanes_abs(mixed));
}

/* Poses that are none, or a distance beyond all numbers. */
static AP_RARE apart_status ap_search_pose_status(const apart_pose *pose_a, const apart_pose *pose_b, double scope)
{
    apart_status status = apart_pose_check(pose_a);
    status = status == APART_OK ? apart_pose_check(pose_b) : status;
    return status == APART_OK && !(scope <= DBL_MAX) ? APART_ERR_OVERFLOW : status;
}

/* An entry of RtR - I is at most the largest eigenvalue, and that at most three times the largest entry of RRt - I: below a third of the
 * limit there is no doubt. */
AP_INLINE apart_status ap_search_set_rounding(ap_part_search *s)
{
    const ap_lanes defect_a = ap_search_defect(s->side[0].pose), defect_b = ap_search_defect(s->side[1].pose);
    const ap_lanes limit = ap_lanes_all(AP_ROTATION_LIMIT / 3.0);
    s->scope = s->side[0].size + s->side[1].size + ap_norm(s->side[1].origin);
    s->widening = AP_JOINING_ERROR * s->scope;
    ap_lanes_store(s->defects, ap_lanes_max(defect_a, defect_b));
    const bool clear = (ap_mask_bits((defect_a <= limit) & (defect_b <= limit)) & 7u) == 7u && s->scope <= DBL_MAX;
    return clear ? APART_OK : ap_search_pose_status(s->side[0].pose, s->side[1].pose, s->scope);
}

AP_INLINE void ap_search_place(ap_part_search *s, apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b)
{
    ap_search_set_side(&s->side[0], a, pose_a, ap_vec(0.0, 0.0, 0.0));
    ap_search_set_side(&s->side[1], b, pose_b, ap_sub(pose_b->translation, pose_a->translation));
}

AP_INLINE bool ap_search_is_plane(const ap_search_side *side) { return side->shape != NULL && side->shape->kind == APART_SHAPE_HALF_SPACE; }

/* After ap_search_place: checks the poses and the cut-off, and sets what a query of two parts wants; *space is for options without their
 * trace. */
AP_INLINE apart_status ap_search_prepare(ap_part_search *s, const apart_options *options, apart_options *space)
{
    const double cutoff = options != NULL ? options->cutoff : 0.0;
    s->asked = options;
    if (options != NULL && options->trace != NULL) {
        *space = *options;
        space->trace = NULL;
        s->asked = space;
    }
    s->cutoff = cutoff > 0.0 ? cutoff : INFINITY;
    return cutoff >= 0.0 ? ap_search_set_rounding(s) : APART_ERR_OPTION;
}

/* After ap_search_prepare: what a search among all parts wants. */
AP_INLINE void ap_search_prepare_others(ap_part_search *s)
{
    const double defect = ap_max(ap_max(s->defects[0], s->defects[1]), s->defects[2]);
    s->slack = (AP_BOUND_ROUNDING + AP_DEFECT_SHARE * defect) * s->scope;
    s->plane = ap_search_is_plane(&s->side[0]) ? 0 : ap_search_is_plane(&s->side[1]) ? 1 : -1;
    s->looked_count = 0;
    s->near = NULL;
    s->track = NULL;
}

/* Nothing has been looked at. */
AP_INLINE void ap_search_clear(ap_part_search *s)
{
    s->pruned = s->any = s->settled = false;
    s->open = true;
    s->least = s->most = INFINITY;
    s->boxes = 0;
}

/* Neither side moves. */
AP_INLINE void ap_search_stand_still(ap_part_search *s) { s->linear[0] = s->linear[1] = s->turn[0] = s->turn[1] = 0.0; }

/* Pairs of boxes at least this far apart need no look. */
AP_INLINE double ap_search_threshold(const ap_part_search *s) { return ap_min(s->most, s->cutoff); }

/* How far apart other pairs have to be shown to be along some direction, so that with all rounding none is nearer than the threshold. Of
 * solids that overlap it is below zero: a pair that overlaps by less along any direction is not as deep. */
AP_INLINE double ap_search_wanted(const ap_part_search *s) { return ap_search_threshold(s) + 2.0 * s->slack; }

/* Four numbers at a time; of z and the translation they end where the pose ends. */
AP_INLINE void ap_search_store_pose(apart_pose *pose, ap_lanes x, ap_lanes y, ap_lanes z, ap_lanes translation)
{
    const ap_lanes end = __builtin_shufflevector(z, translation, 2, 4, 5, 6);
    ap_lanes_store(&pose->rotation.x, x);
    ap_lanes_store(&pose->rotation.y, y);
    memcpy(&pose->rotation.z, &z, 2 * sizeof(double));
    ap_lanes_store(&pose->rotation.z.z, end);
}

/* A part's shape, and its pose in the query's frame. */
AP_INLINE const apart_shape *ap_search_part(const ap_search_side *s, uint32_t part, apart_pose *pose)
{
    const apart_mat3 *r = &s->pose->rotation;
    const ap_lanes3 turn = {ap_lanes_load(&r->x), ap_lanes_load(&r->y), ap_lanes_load(&r->z)};
    const ap_lanes origin = ap_lanes_from(s->origin);
    if (s->compound == NULL || s->compound->in_place) {
        ap_search_store_pose(pose, turn.x, turn.y, turn.z, origin);
        return s->compound == NULL ? s->shape : &s->parts[part].shape;
    }
    /* As apart_pose_compose. */
    const apart_pose *own = &s->parts[part].pose;
    const ap_lanes x = ap_lanes_apply(&turn, ap_lanes_from(own->rotation.x)), y = ap_lanes_apply(&turn, ap_lanes_from(own->rotation.y));
    const ap_lanes z = ap_lanes_apply(&turn, ap_lanes_from(own->rotation.z));
    ap_search_store_pose(pose, x, y, z, ap_lanes_apply(&turn, ap_lanes_from(own->translation)) + origin);
    return &s->parts[part].shape;
}

/* ---- places ---- */

/* To the query's frame, and to the side's own. */
AP_INLINE apart_vec3 ap_search_placed(const ap_search_side *side, apart_vec3 own)
{
    return ap_add(ap_apply(&side->pose->rotation, own), side->origin);
}

AP_INLINE apart_vec3 ap_search_own_direction(const ap_search_side *side, apart_vec3 direction)
{
    return ap_apply_transposed(&side->pose->rotation, direction);
}

AP_INLINE apart_vec3 ap_search_own_point(const ap_search_side *side, apart_vec3 point)
{
    return ap_search_own_direction(side, ap_sub(point, side->origin));
}

AP_INLINE apart_vec3 ap_search_middle(const ap_search_side *side)
{
    return ap_search_placed(side, side->compound != NULL ? side->compound->center : side->shape->center);
}

AP_INLINE apart_vec3 ap_search_middle_of_part(const ap_search_side *side, uint32_t part)
{
    if (side->compound == NULL) {
        return ap_search_middle(side);
    }
    const apart_part *p = &side->parts[part];
    return ap_search_placed(side, ap_add(ap_apply(&p->pose.rotation, p->shape.center), p->pose.translation));
}

/* Of the half-space. */
AP_INLINE apart_vec3 ap_search_plane_normal(const ap_part_search *s)
{
    return ap_apply(&s->side[s->plane].pose->rotation, s->side[s->plane].shape->u.plane.normal);
}

/* ---- what is known of pairs ---- */

AP_INLINE bool ap_search_has_few(const ap_search_side *side) { return side->compound == NULL || side->compound->few != NULL; }

/* Was this pair looked at before the walk? */
AP_INLINE bool ap_search_was_looked_at(const ap_part_search *s, const uint32_t part[2])
{
    for (uint32_t i = 0; i < s->looked_count; i++) {
        if (s->looked[i][0] == part[0] && s->looked[i][1] == part[1]) {
            return true;
        }
    }
    return false;
}

/* Is a pair of parts known to be no nearer than the threshold? */
AP_INLINE bool ap_search_is_settled(const ap_part_search *s, const uint32_t part[2])
{
    return ap_search_was_looked_at(s, part) || ap_search_is_clear_pair(s, part);
}

AP_INLINE void ap_search_note_look(ap_part_search *s, const uint32_t part[2])
{
    s->looked[s->looked_count][0] = part[0];
    s->looked[s->looked_count++][1] = part[1];
}

/* How far the parts are from the middle, at most; of a shape nothing is in the way. */
AP_INLINE double ap_search_spread(const ap_search_side *side) { return side->compound != NULL ? side->compound->radius : 0.0; }

/* Are the solids, of which none is a half-space, farther from each other than they are large? */
AP_INLINE bool ap_search_is_far(const ap_part_search *s)
{
    return ap_search_threshold(s) > ap_search_spread(&s->side[0]) + ap_search_spread(&s->side[1]);
}

/* Is there a direction to measure along? Yes or no knows none. */
AP_INLINE bool ap_search_has_normal(const ap_part_search *s)
{
    return s->plane < 0 && ap_dot(s->best->result.normal, s->best->result.normal) > 0.5;
}

/* Does the best pair's normal lead from one witness point to the other? Beyond a cut-off it is that of some plane in between. */
AP_INLINE bool ap_search_normal_joins(const ap_part_search *s)
{
    return s->best->result.relation == APART_DISJOINT && s->best->result.lower > s->slack;
}

/* How far a part of the best pair can reach beyond its witness point along the normal: with |b - a| <= u and a distance >= l, a point a + c
 * of the convex part is l or more from b all the way from a, so that n.c <= |c| sqrt(u^2 - l^2)/u or n.c <= (u^2 - l^2)/u, where
 * u^2 - l^2 <= 2 u (u - l); and |c| is at most twice the size. */
typedef struct ap_rise {
    double share, rest;
} ap_rise;

AP_INLINE ap_rise ap_search_rise(const ap_part_search *s)
{
    const double u = s->best->result.upper + s->slack, l = s->best->result.lower - s->slack;
    return ap_search_normal_joins(s) ? (ap_rise){3.0 * sqrt((u - l) / l), 2.0 * (u - l)} : (ap_rise){INFINITY, INFINITY};
}

AP_INLINE double ap_rise_by(ap_rise r, double size) { return r.share * size + r.rest; }

#endif
