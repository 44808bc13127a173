/* Sixteen pairs of nodes at once, a tile: four of A's tree with four of B's, by their balls. */
#ifndef AP_PARTS_TILE_H
#define AP_PARTS_TILE_H

#include "frame.h"
#include "group.h"

/* What nodes are measured by. */
typedef struct ap_tile_frame {
    ap_lanes3 b_in_a[3]; /* B's axes in A's frame, a number in all lanes */
    ap_lanes3 offset;    /* B's origin there */
    ap_lanes margin;     /* is part of B's radii */
} ap_tile_frame;

/* Its groups, of which the pairs of lanes with bits 4 i + j count: lane i of A's with lane j of B's. */
typedef struct ap_tile {
    uint32_t group[2];
    unsigned pairs;
} ap_tile;

#define AP_ALL_PAIRS 0xffffu

AP_INLINE ap_lanes3 ap_tile_transposed(const apart_mat3 *m)
{
    return ap_lanes_transpose(ap_lanes_load(&m->x), ap_lanes_load(&m->y), ap_lanes_load(&m->z), ap_lanes_load(&m->z));
}

AP_INLINE void ap_tile_set_frame(ap_tile_frame *f, const ap_part_search *s, double margin)
{
    const apart_mat3 *b = &s->side[1].pose->rotation;
    const ap_lanes3 rows = ap_tile_transposed(&s->side[0].pose->rotation);
    f->b_in_a[0] = ap_lanes3_spread(ap_lanes_apply(&rows, ap_lanes_load(&b->x)));
    f->b_in_a[1] = ap_lanes3_spread(ap_lanes_apply(&rows, ap_lanes_load(&b->y)));
    f->b_in_a[2] = ap_lanes3_spread(ap_lanes_apply(&rows, ap_lanes_load(&b->z)));
    f->offset = ap_lanes3_spread(ap_lanes_apply(&rows, ap_lanes_from(s->side[1].origin)));
    f->margin = ap_lanes_all(margin);
}

/* Four balls of B in A's frame, with radii that the margin is part of. */
typedef struct ap_tile_balls {
    ap_lanes3 center;
    ap_lanes reach;
} ap_tile_balls;

AP_INLINE ap_tile_balls ap_tile_place(const ap_tile_frame *f, const ap_part_balls *b)
{
    const ap_lanes x = ap_lanes_load(b->center[0]), y = ap_lanes_load(b->center[1]), z = ap_lanes_load(b->center[2]);
    const ap_lanes3 xy = ap_lanes3_add(ap_lanes3_scale(x, f->b_in_a[0]), ap_lanes3_scale(y, f->b_in_a[1]));
    return (ap_tile_balls){ap_lanes3_add(ap_lanes3_add(xy, ap_lanes3_scale(z, f->b_in_a[2])), f->offset),
                           ap_lanes_load(b->radius) + f->margin};
}

/* Sums of radii and what is wanted; not so small that their squares underflow. Below zero, which no distance of middles is, they are
 * taken for that small, too. */
#define AP_LEAST_REACH 1e-140

AP_INLINE ap_lanes ap_tile_reach(ap_lanes a, ap_lanes b) { return ap_lanes_max(a + b, ap_lanes_all(AP_LEAST_REACH)); }

/* The way from the ball in a lane of A to those of B. */
AP_INLINE ap_lanes3 ap_tile_ways(const ap_part_balls *a, unsigned lane, const ap_tile_balls *b)
{
    const ap_lanes3 center = {ap_lanes_all(a->center[0][lane]), ap_lanes_all(a->center[1][lane]), ap_lanes_all(a->center[2][lane])};
    return ap_lanes3_sub(b->center, center);
}

/* Do both lanes hold a part? Their numbers then are the children's less AP_PART_LEAF. */
AP_INLINE bool ap_tile_is_pair(const ap_part_group *a, unsigned i, const ap_part_group *b, unsigned j)
{
    return (a->child[i] & b->child[j]) >= AP_PART_LEAF;
}

/* What is below two lanes: groups as they are, a part in the lane where it is. */
AP_INLINE ap_tile ap_tile_below(const ap_tile *t, const ap_part_group *a, unsigned i, const ap_part_group *b, unsigned j)
{
    ap_tile below = {{a->child[i], b->child[j]}, AP_ALL_PAIRS};
    if (below.group[0] >= AP_PART_LEAF) {
        below.group[0] = t->group[0];
        below.pairs = 0xfu << 4 * i;
    }
    if (below.group[1] >= AP_PART_LEAF) {
        below.group[1] = t->group[1];
        below.pairs = 0x1111u << j;
    }
    return below;
}

/* A shape as a group of one part. */
AP_INLINE const ap_part_group *ap_tile_groups(const ap_search_side *side, ap_part_group *own)
{
    if (side->compound != NULL) {
        return side->compound->groups;
    }
    ap_set_shape_balls(&own->balls, side->shape);
    own->used = own->used_rows = 1;
    own->child[0] = AP_PART_LEAF;
    return own;
}

#endif
