/* The proof that no pair of many parts is nearer than the threshold: sixteen pairs of nodes of both trees at a time, by their balls and by
 * how far they reach along the best pair's normal; and below pairs that may be nearer, sixteen more. Of parts that are small beside the
 * gaps between them the balls are enough; others are asked along the line through their middles. The rounding is in docs/numerics.md. */
#include "tile.h"

/* Tiles that wait, at most; where more have to, a walk is better. */
enum { MOST_TILES = 64 };

/* Along the best pair's normal, for trees of several groups. */
typedef struct normal_frame {
    ap_group_direction towards[2]; /* in either side's own frame */
    double level;                  /* nodes whose reaches sum up to no more are far apart; -INFINITY: nothing is known */
} normal_frame;

/* Of a shape one reach is known, that along the normal: it stands first in its group, to be taken once. */
static ap_group_direction direction_of(const ap_search_side *side, apart_vec3 direction, ap_part_group *own)
{
    const apart_vec3 d = ap_apply_transposed(&side->pose->rotation, direction);
    if (side->compound != NULL) {
        return ap_group_direction_of(d);
    }
    ap_lanes_store(own->reach[0], ap_lanes_all(ap_shape_reach(side->shape, d)));
    return (ap_group_direction){{0, 0, 0}, {ap_lanes_all(1.0), ap_lanes_all(0.0), ap_lanes_all(0.0)}};
}

static void set_normal(normal_frame *f, const ap_part_search *s, double threshold, ap_part_group own[2])
{
    const apart_vec3 n = s->best->result.normal;
    f->towards[0] = direction_of(&s->side[0], n, &own[0]);
    f->towards[1] = direction_of(&s->side[1], ap_neg(n), &own[1]);
    f->level = ap_search_has_normal(s) ? ap_dot(n, s->side[1].origin) - threshold : -INFINITY;
}

/* The pairs of lanes that are not known to be as far apart as the threshold along the normal. */
AP_INLINE unsigned near_along_normal(const normal_frame *f, const ap_part_group *a, const ap_part_group *b)
{
    const ap_lanes level = ap_lanes_all(f->level) - ap_group_reaches(b, &f->towards[1]), reach = ap_group_reaches(a, &f->towards[0]);
    return ap_lanes_above(ap_lanes_all(reach[0]), level) | ap_lanes_above(ap_lanes_all(reach[1]), level) << 4 |
           ap_lanes_above(ap_lanes_all(reach[2]), level) << 8 | ap_lanes_above(ap_lanes_all(reach[3]), level) << 12;
}

/* Those of `pairs` whose balls are not. Numbers that overflow prove nothing. */
AP_INLINE unsigned near_by_balls(const ap_part_balls *a, const ap_tile_balls *b, unsigned pairs)
{
    unsigned far = 0;
    for (unsigned lane = 0; pairs >> 4 * lane != 0; lane++) {
        const ap_lanes3 way = ap_tile_ways(a, lane, b);
        const ap_lanes reach = ap_tile_reach(b->reach, ap_lanes_all(a->radius[lane]));
        far |= ap_lanes_above(ap_lanes3_dot(way, way), reach * reach) << 4 * lane;
    }
    return pairs & ~far;
}

/* What waits to be looked at; the last comes first. */
typedef struct ball_stack {
    ap_tile tile[MOST_TILES];
    unsigned count;
} ball_stack;

/* Pairs of lanes that may be nearer than the threshold: groups go on the stack, parts are asked themselves. False: part[] may be nearer, or
 * is UINT32_MAX where too many wait. */
AP_INLINE bool take_pairs(const ap_part_search *s, ball_stack *stack, ap_tile t, const ap_part_group *a, const ap_part_group *b,
                          unsigned near, uint32_t part[2])
{
    for (; near != 0; near &= near - 1) {
        const unsigned bit = (unsigned)__builtin_ctz(near), i = bit / 4, j = bit % 4;
        if (ap_tile_is_pair(a, i, b, j)) {
            part[0] = a->child[i] - AP_PART_LEAF;
            part[1] = b->child[j] - AP_PART_LEAF;
            if (!ap_search_is_settled(s, part)) {
                return false;
            }
        } else if (stack->count < MOST_TILES) {
            stack->tile[stack->count++] = ap_tile_below(&t, a, i, b, j);
        } else {
            part[0] = part[1] = UINT32_MAX;
            return false;
        }
    }
    return true;
}

bool ap_search_many_prove(const ap_part_search *s, uint32_t part[2])
{
    const double threshold = ap_search_wanted(s);
    ap_part_group own[2];
    ap_tile_frame frame;
    normal_frame normal;
    ball_stack stack;
    const ap_part_group *groups_a = ap_tile_groups(&s->side[0], &own[0]), *groups_b = ap_tile_groups(&s->side[1], &own[1]);
    ap_tile_set_frame(&frame, s, threshold);
    set_normal(&normal, s, threshold, own);
    stack.count = 1;
    stack.tile[0] = (ap_tile){{0, 0}, AP_ALL_PAIRS};
    while (stack.count > 0) {
        const ap_tile t = stack.tile[--stack.count];
        const ap_part_group *a = &groups_a[t.group[0]], *b = &groups_b[t.group[1]];
        const unsigned pairs = t.pairs & a->used_rows * b->used & near_along_normal(&normal, a, b);
        if (pairs != 0) {
            const ap_tile_balls four = ap_tile_place(&frame, &b->balls);
            if (!take_pairs(s, &stack, t, a, b, near_by_balls(&a->balls, &four, pairs), part)) {
                return false;
            }
        }
    }
    return true;
}
