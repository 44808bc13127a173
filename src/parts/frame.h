/* Both solids of a query in one frame: the world's axes with A's origin, so that an offset that both bodies share costs
 * no accuracy; the rounding of everything that is computed there; and the poses of parts in it. All of it is inline,
 * since for two solids of one part each it is all that a query adds to the query of the two parts. */
#ifndef AP_PARTS_FRAME_H
#define AP_PARTS_FRAME_H

#include "../simd/rotation.h"
#include "tree.h"

/* Joined poses: an entry of a product of rotations is off by 3 u, so a point by 9 u of its distance from the part's
 * origin; a translation by 7 u of what is added, of which u is the difference of the bodies' origins. 16 u of all
 * covers it, on either side. */
#define AP_JOINING_ERROR (16.0 * 0.5 * DBL_EPSILON)

/* Of a gap of boxes: products of three terms, twice, and a few sums. Where |RtR - I| <= d, three axes are d from square
 * and unit: 3 d of either extent and 3/2 d of the distance. */
#define AP_BOUND_ROUNDING (32.0 * DBL_EPSILON)
#define AP_DEFECT_SHARE 8.0

/* One solid in the query's frame, by ap_sides_set. */
typedef struct ap_part_side {
    const apart_compound *compound; /* NULL: a shape */
    const apart_shape *shape;       /* NULL: a compound */
    const apart_pose *pose;         /* the caller's; its translation is not that of the query's frame */
    apart_vec3 origin;              /* of the body, in the query's frame */
    double size;                    /* no point of the solid is farther from its origin */
} ap_part_side;

/* Both of them, with their rounding, by ap_frame_measure. */
typedef struct ap_part_frame {
    ap_part_side side[2];
    double scope;    /* no length of the query is larger: the measure of rounding */
    double widening; /* what the joining of poses can do to a distance */
    double defect;   /* of the rotations: the largest entry of |RRt - I| of both sides */
    double slack;    /* what rounding and that defect can do to a bound */
    int plane;       /* which side is a half-space: 0, 1, or -1 */
} ap_part_frame;

/* ---- the frame ---- */

AP_INLINE bool ap_side_is_half_space(const ap_part_side *side)
{
    return side->shape != NULL && side->shape->kind == APART_SHAPE_HALF_SPACE;
}

AP_INLINE void ap_side_set(ap_part_side *side, apart_solid solid, const apart_pose *pose, apart_vec3 origin)
{
    const apart_shape *shape = solid.shape;
    side->compound = solid.compound;
    side->shape = shape;
    side->pose = pose;
    side->origin = origin;
    if (solid.compound != NULL) {
        side->size = solid.compound->extent;
    } else {
        side->size = shape->kind == APART_SHAPE_HALF_SPACE ? fabs(shape->u.plane.offset)
                                                           : ap_norm(shape->center) + shape->bound + shape->radius;
    }
}

AP_INLINE void ap_sides_set(ap_part_side side[2], apart_solid a, const apart_pose *pose_a, apart_solid b,
                            const apart_pose *pose_b)
{
    ap_side_set(&side[0], a, pose_a, ap_vec(0.0, 0.0, 0.0));
    ap_side_set(&side[1], b, pose_b, ap_sub(pose_b->translation, pose_a->translation));
}

/* Why a frame is refused: a pose that is not valid, or a distance that overflows. It takes no frame, so that one that
 * no other function sees stays in registers. */
static AP_RARE apart_status ap_frame_status(const apart_pose *pose_a, const apart_pose *pose_b, double scope)
{
    apart_status status = apart_pose_check(pose_a);
    status = status == APART_OK ? apart_pose_check(pose_b) : status;
    return status == APART_OK && !(scope <= DBL_MAX) ? APART_ERR_OVERFLOW : status;
}

/* After ap_sides_set: checks the poses and sets everything else. An entry of RtR - I is at most the largest eigenvalue,
 * and that at most three times the largest entry of RRt - I: a matrix below a third of the limit is certainly
 * accepted. */
AP_INLINE apart_status ap_frame_measure(ap_part_frame *f)
{
    const ap_lanes defect_a = ap_rotation_row_defect(&f->side[0].pose->rotation),
                   defect_b = ap_rotation_row_defect(&f->side[1].pose->rotation);
    const ap_lanes limit = ap_lanes_all(AP_ROTATION_LIMIT_OF_TWO), larger = ap_lanes_max(defect_a, defect_b);
    f->scope = f->side[0].size + f->side[1].size + ap_norm(f->side[1].origin);
    f->widening = AP_JOINING_ERROR * f->scope;
    f->defect = ap_max(ap_max(ap_lanes_at(larger, 0), ap_lanes_at(larger, 1)), ap_lanes_at(larger, 2));
    f->slack = (AP_BOUND_ROUNDING + AP_DEFECT_SHARE * f->defect) * f->scope;
    f->plane = ap_side_is_half_space(&f->side[0]) ? 0 : ap_side_is_half_space(&f->side[1]) ? 1 : -1;
    const bool certain =
        (ap_mask_bits(ap_mask_and(ap_lanes_at_most(defect_a, limit), ap_lanes_at_most(defect_b, limit))) & 7u) == 7u &&
        f->scope <= DBL_MAX;
    return certain ? APART_OK : ap_frame_status(f->side[0].pose, f->side[1].pose, f->scope);
}

/* ---- parts ---- */

/* Four numbers are stored at a time; those of z and of the translation end where the pose ends. */
AP_INLINE void ap_store_pose(apart_pose *pose, ap_lanes x, ap_lanes y, ap_lanes z, ap_lanes translation)
{
    const ap_lanes end = AP_SHUFFLE_TWO(z, translation, 2, 4, 5, 6);
    ap_lanes_store(&pose->rotation.x, x);
    ap_lanes_store(&pose->rotation.y, y);
    memcpy(&pose->rotation.z, &z, 2 * sizeof(double));
    ap_lanes_store(&pose->rotation.z.z, end);
}

/* A part's shape, and its pose in the query's frame. */
AP_INLINE const apart_shape *ap_side_part(const ap_part_side *side, uint32_t part, apart_pose *pose)
{
    const apart_mat3 *r = &side->pose->rotation;
    const ap_lanes3 turn = {ap_lanes_load(&r->x), ap_lanes_load(&r->y), ap_lanes_load(&r->z)};
    const ap_lanes origin = ap_lanes_from(side->origin);
    if (side->compound == NULL || side->compound->identity_poses) {
        ap_store_pose(pose, turn.x, turn.y, turn.z, origin);
        return side->compound == NULL ? side->shape : &side->compound->parts[part].shape;
    }
    /* As apart_pose_compose. */
    const apart_part *p = &side->compound->parts[part];
    const apart_pose *own = &p->pose;
    const ap_lanes x = ap_lanes_apply(&turn, ap_lanes_from(own->rotation.x));
    const ap_lanes y = ap_lanes_apply(&turn, ap_lanes_from(own->rotation.y));
    const ap_lanes z = ap_lanes_apply(&turn, ap_lanes_from(own->rotation.z));
    ap_store_pose(pose, x, y, z, ap_lanes_add(ap_lanes_apply(&turn, ap_lanes_from(own->translation)), origin));
    return &p->shape;
}

/* ---- points and directions ---- */

/* To the query's frame, and to the side's own. */
AP_INLINE apart_vec3 ap_side_to_frame(const ap_part_side *side, apart_vec3 own)
{
    return ap_add(ap_apply(&side->pose->rotation, own), side->origin);
}

AP_INLINE apart_vec3 ap_side_own_direction(const ap_part_side *side, apart_vec3 direction)
{
    return ap_apply_transposed(&side->pose->rotation, direction);
}

AP_INLINE apart_vec3 ap_side_own_point(const ap_part_side *side, apart_vec3 point)
{
    return ap_side_own_direction(side, ap_sub(point, side->origin));
}

/* The centre of a solid's bounding sphere, and of a part's. */
AP_INLINE apart_vec3 ap_side_center(const ap_part_side *side)
{
    return ap_side_to_frame(side, side->compound != NULL ? side->compound->center : side->shape->center);
}

AP_INLINE apart_vec3 ap_side_part_center(const ap_part_side *side, uint32_t part)
{
    if (side->compound == NULL) {
        return ap_side_center(side);
    }
    const apart_part *p = &side->compound->parts[part];
    return ap_side_to_frame(side, ap_add(ap_apply(&p->pose.rotation, p->shape.center), p->pose.translation));
}

/* How far parts can be from that centre; 0 for a shape, which has no parts to choose from. */
AP_INLINE double ap_side_spread(const ap_part_side *side)
{
    return side->compound != NULL ? side->compound->radius : 0.0;
}

/* The outward normal of the half-space. */
AP_INLINE apart_vec3 ap_frame_plane_normal(const ap_part_frame *f)
{
    return ap_apply(&f->side[f->plane].pose->rotation, f->side[f->plane].shape->u.plane.normal);
}

#endif
