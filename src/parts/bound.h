/* Lower bounds of the distances of all pairs of a tile at once (tree.h): by bounding spheres, and by support values
 * along a direction. Both take a distance that is wanted, and return the pairs that may be nearer. Pairs are numbered
 * 4 i + j: lane i of A's node with lane j of B's. The rounding is in docs/numerics.md. */
#ifndef AP_PARTS_BOUND_H
#define AP_PARTS_BOUND_H

#include "frame.h"

/* Two nodes, and which pairs of their children count. */
typedef struct ap_tile {
    const ap_part_node *a, *b;
    uint32_t first_slot[2]; /* of the nodes' first children */
    unsigned pairs;         /* bit 4 i + j */
} ap_tile;

/* ---- nodes of a side ---- */

/* A shape's bounding sphere, in all lanes; that of a half-space is infinite. */
AP_INLINE void ap_set_shape_spheres(ap_part_spheres *s, const apart_shape *shape)
{
    const double radius = shape->bound + shape->radius + shape->error;
    ap_lanes_store(s->center[0], ap_lanes_all(shape->center.x));
    ap_lanes_store(s->center[1], ap_lanes_all(shape->center.y));
    ap_lanes_store(s->center[2], ap_lanes_all(shape->center.z));
    ap_lanes_store(s->radius, ap_lanes_all(shape->kind == APART_SHAPE_HALF_SPACE ? INFINITY : radius));
}

/* The nodes of a compound. A shape becomes one node in *own, whose only child is part 0; nothing else but the child's
 * sphere is set. */
AP_INLINE const ap_part_node *ap_side_nodes(const ap_part_side *side, ap_part_node *own)
{
    if (side->compound != NULL) {
        return side->compound->nodes;
    }
    ap_set_shape_spheres(&own->spheres, side->shape);
    own->used = own->used_rows = 1;
    own->child[0] = AP_PART_LEAF;
    return own;
}

/* ---- by bounding spheres ---- */

/* B's frame seen from A's own frame, a number in all lanes. */
typedef struct ap_tile_frame {
    ap_lanes3 b_in_a[3]; /* B's axes */
    ap_lanes3 offset;    /* B's origin */
} ap_tile_frame;

AP_INLINE ap_lanes3 ap_transposed_rotation(const apart_mat3 *m)
{
    return ap_lanes_transpose(ap_lanes_load(&m->x), ap_lanes_load(&m->y), ap_lanes_load(&m->z), ap_lanes_load(&m->z));
}

AP_INLINE void ap_tile_frame_set(ap_tile_frame *t, const ap_part_side *side)
{
    const apart_mat3 *b = &side[1].pose->rotation;
    const ap_lanes3 rows = ap_transposed_rotation(&side[0].pose->rotation);
    t->b_in_a[0] = ap_lanes3_spread(ap_lanes_apply(&rows, ap_lanes_load(&b->x)));
    t->b_in_a[1] = ap_lanes3_spread(ap_lanes_apply(&rows, ap_lanes_load(&b->y)));
    t->b_in_a[2] = ap_lanes3_spread(ap_lanes_apply(&rows, ap_lanes_load(&b->z)));
    t->offset = ap_lanes3_spread(ap_lanes_apply(&rows, ap_lanes_from(side[1].origin)));
}

/* Four points of B in A's frame. */
AP_INLINE ap_lanes3 ap_tile_points(const ap_tile_frame *t, ap_lanes3 p)
{
    const ap_lanes3 xy = ap_lanes3_add(ap_lanes3_scale(p.x, t->b_in_a[0]), ap_lanes3_scale(p.y, t->b_in_a[1]));
    return ap_lanes3_add(ap_lanes3_add(xy, ap_lanes3_scale(p.z, t->b_in_a[2])), t->offset);
}

AP_INLINE ap_lanes3 ap_sphere_centers(const ap_part_spheres *s)
{
    return (ap_lanes3){ap_lanes_load(s->center[0]), ap_lanes_load(s->center[1]), ap_lanes_load(s->center[2])};
}

/* The centre in one lane, in all lanes. */
AP_INLINE ap_lanes3 ap_sphere_center(const ap_part_spheres *s, unsigned lane)
{
    return (ap_lanes3){ap_lanes_all(s->center[0][lane]), ap_lanes_all(s->center[1][lane]),
                       ap_lanes_all(s->center[2][lane])};
}

/* A distance of centres that is compared with others by squares: not so small that the square underflows. Below zero,
 * which no distance of centres is, it is taken to be that small, too. */
#define AP_LEAST_COMPARED 1e-140

AP_INLINE ap_lanes ap_compared(ap_lanes distance) { return ap_lanes_max(distance, ap_lanes_all(AP_LEAST_COMPARED)); }

/* The root of a square, or 0 where the square underflowed or overflowed. */
AP_INLINE ap_lanes ap_certain_root(ap_lanes square)
{
    const ap_mask certain = ap_mask_and(ap_lanes_greater(square, ap_lanes_all(AP_SQUARE_MIN)),
                                        ap_lanes_less(square, ap_lanes_all(AP_SQUARE_MAX)));
    return ap_lanes_select(ap_lanes_all(0.0), ap_lanes_sqrt(square), certain);
}

/* Those of `pairs` whose spheres are not known to be more than `wanted` apart. gap, if not NULL, gets a lower bound of
 * each one's gap. Numbers that overflow prove nothing. */
AP_INLINE unsigned ap_near_by_spheres(const ap_tile_frame *f, const ap_tile *t, unsigned pairs, double wanted,
                                      double *gap)
{
    const ap_part_spheres *a = &t->a->spheres, *b = &t->b->spheres;
    const ap_lanes3 centers = ap_tile_points(f, ap_sphere_centers(b));
    const ap_lanes radii = ap_lanes_load(b->radius), outer = ap_lanes_add(radii, ap_lanes_all(wanted));
    unsigned far = 0;
    for (unsigned lane = 0; pairs >> 4 * lane != 0; lane++) {
        const ap_lanes3 d = ap_lanes3_sub(centers, ap_sphere_center(a, lane));
        const ap_lanes square = ap_lanes3_dot(d, d), radius = ap_lanes_all(a->radius[lane]);
        const ap_lanes least = ap_compared(ap_lanes_add(outer, radius));
        far |= ap_lanes_above(square, ap_lanes_mul(least, least)) << 4 * lane;
        if (gap != NULL) {
            ap_lanes_store(gap + 4 * lane, ap_lanes_sub(ap_certain_root(square), ap_lanes_add(radii, radius)));
        }
    }
    return pairs & ~far;
}

/* ---- along a direction ---- */

/* Two bodies are at least offset - h_A(d) - h_B(-d) apart, where h is the support value in the body's own frame, d
 * leads from A to B, and the offset is d . (B's origin). */
typedef struct ap_tile_direction {
    ap_node_direction towards[2]; /* d in A's own frame, -d in B's */
    double offset;                /* -INFINITY: there is no direction, and nothing is known */
} ap_tile_direction;

/* A shape's support value is computed here and stands in its own node, to be taken once. */
AP_INLINE ap_node_direction ap_side_towards(const ap_part_side *side, apart_vec3 direction, ap_part_node *own)
{
    const apart_vec3 d = ap_side_own_direction(side, direction);
    if (side->compound != NULL) {
        return ap_node_direction_of(d);
    }
    const double value = ap_side_is_half_space(side) ? side->shape->u.plane.offset + side->shape->radius
                                                     : ap_shape_support_value(side->shape, d);
    ap_lanes_store(own->support[0], ap_lanes_all(value));
    return (ap_node_direction){{0, 0, 0}, {ap_lanes_all(1.0), ap_lanes_all(0.0), ap_lanes_all(0.0)}};
}

/* direction: from A to B, |direction| <= 1 but for rounding, or NULL if none is known. A half-space is bounded along
 * its own normal only, which is taken instead. */
AP_INLINE void ap_tile_direction_set(ap_tile_direction *t, const ap_part_frame *f, const apart_vec3 *direction,
                                     ap_part_node own[2])
{
    const apart_vec3 any = {1.0, 0.0, 0.0};
    const apart_vec3 normal = f->plane >= 0 ? ap_frame_plane_normal(f) : direction != NULL ? *direction : any;
    const apart_vec3 d = f->plane == 1 ? ap_neg(normal) : normal;
    t->towards[0] = ap_side_towards(&f->side[0], d, &own[0]);
    t->towards[1] = ap_side_towards(&f->side[1], ap_neg(d), &own[1]);
    t->offset = direction != NULL || f->plane >= 0 ? ap_dot(d, f->side[1].origin) : -INFINITY;
}

/* The pairs that are not known to be at least `wanted` apart along the direction. */
AP_INLINE unsigned ap_near_along(const ap_tile_direction *d, const ap_tile *t, double wanted)
{
    const ap_lanes value = ap_node_support_values(t->a, &d->towards[0]);
    const ap_lanes level = ap_lanes_sub(ap_lanes_all(d->offset - wanted), ap_node_support_values(t->b, &d->towards[1]));
    return ap_lanes_above(ap_lanes_all(ap_lanes_at(value, 0)), level) |
           ap_lanes_above(ap_lanes_all(ap_lanes_at(value, 1)), level) << 4 |
           ap_lanes_above(ap_lanes_all(ap_lanes_at(value, 2)), level) << 8 |
           ap_lanes_above(ap_lanes_all(ap_lanes_at(value, 3)), level) << 12;
}

#endif
