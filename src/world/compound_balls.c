/* The proof that no pair of many parts is nearer than the threshold: sixteen pairs of nodes of both trees at a time, by their balls and by
 * how far they reach along the best pair's normal; and below pairs that may be nearer, sixteen more. Of parts that are small beside the
 * gaps between them the balls are enough; others are asked along the line through their middles. The rounding is in docs/numerics.md. */
#include "compound_frame.h"
#include "compound_group.h"

/* Pairs of groups that wait, at most; where more have to, a walk is better. */
enum { MOST_TASKS = 64 };

#define ALL_PAIRS 0xffffu

/* What nodes are measured by. */
typedef struct ball_frame {
    ap_lanes3 b_in_a[3]; /* B's axes in A's frame, a number in all lanes */
    ap_lanes3 offset;    /* B's origin there */
    ap_lanes threshold;
} ball_frame;

/* Along the best pair's normal, for trees of several groups. */
typedef struct normal_frame {
    ap_group_direction towards[2]; /* in either side's own frame */
    double level;                  /* nodes whose reaches sum up to no more are far apart */
} normal_frame;

/* Two groups, of which the pairs of lanes with bits 4 i + j count: lane i of A's with lane j of B's. */
typedef struct ball_task {
    uint32_t group[2];
    unsigned pairs;
} ball_task;

AP_INLINE ap_lanes3 spread(ap_lanes v) { return (ap_lanes3){ap_lanes_all(v[0]), ap_lanes_all(v[1]), ap_lanes_all(v[2])}; }

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
    f->level = ap_dot(n, s->side[1].origin) - threshold;
}

AP_INLINE void set_frame(ball_frame *f, const ap_part_search *s, double threshold)
{
    const apart_mat3 *a = &s->side[0].pose->rotation, *b = &s->side[1].pose->rotation;
    const ap_lanes3 rows = ap_lanes_transpose(ap_lanes_load(&a->x), ap_lanes_load(&a->y), ap_lanes_load(&a->z), ap_lanes_load(&a->z));
    f->b_in_a[0] = spread(ap_lanes_apply(&rows, ap_lanes_load(&b->x)));
    f->b_in_a[1] = spread(ap_lanes_apply(&rows, ap_lanes_load(&b->y)));
    f->b_in_a[2] = spread(ap_lanes_apply(&rows, ap_lanes_load(&b->z)));
    f->offset = spread(ap_lanes_apply(&rows, ap_lanes_from(s->side[1].origin)));
    f->threshold = ap_lanes_all(threshold);
}

/* The pairs of lanes that are not known to be as far apart as the threshold along the normal. */
AP_INLINE unsigned near_along_normal(const normal_frame *f, const ap_part_group *a, const ap_part_group *b)
{
    const ap_lanes level = ap_lanes_all(f->level) - ap_group_reaches(b, &f->towards[1]), reach = ap_group_reaches(a, &f->towards[0]);
    return ap_lanes_above(ap_lanes_all(reach[0]), level) | ap_lanes_above(ap_lanes_all(reach[1]), level) << 4 |
           ap_lanes_above(ap_lanes_all(reach[2]), level) << 8 | ap_lanes_above(ap_lanes_all(reach[3]), level) << 12;
}

/* Four balls of B in A's frame, with radii that the threshold is part of. */
typedef struct placed_balls {
    ap_lanes3 center;
    ap_lanes reach;
} placed_balls;

AP_INLINE placed_balls place_balls(const ball_frame *f, const ap_part_balls *b)
{
    const ap_lanes x = ap_lanes_load(b->center[0]), y = ap_lanes_load(b->center[1]), z = ap_lanes_load(b->center[2]);
    const ap_lanes3 xy = ap_lanes3_add(ap_lanes3_scale(x, f->b_in_a[0]), ap_lanes3_scale(y, f->b_in_a[1]));
    return (placed_balls){ap_lanes3_add(ap_lanes3_add(xy, ap_lanes3_scale(z, f->b_in_a[2])), f->offset),
                          ap_lanes_load(b->radius) + f->threshold};
}

/* Those of `pairs` whose balls are not. Numbers that overflow prove nothing. */
AP_INLINE unsigned near_by_balls(const ap_part_balls *a, const placed_balls *b, unsigned pairs)
{
    unsigned far = 0;
    for (unsigned lane = 0; pairs >> 4 * lane != 0; lane++) {
        const ap_lanes3 center = {ap_lanes_all(a->center[0][lane]), ap_lanes_all(a->center[1][lane]), ap_lanes_all(a->center[2][lane])};
        const ap_lanes3 way = ap_lanes3_sub(b->center, center);
        const ap_lanes reach = b->reach + ap_lanes_all(a->radius[lane]);
        far |= ap_lanes_above(ap_lanes3_dot(way, way), reach * reach) << 4 * lane;
    }
    return pairs & ~far;
}

/* What is below two lanes: groups as they are, a part in the lane where it is. */
AP_INLINE ball_task task_below(const ball_task *t, const ap_part_group *a, unsigned i, const ap_part_group *b, unsigned j)
{
    ball_task below = {{a->child[i], b->child[j]}, ALL_PAIRS};
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
static const ap_part_group *groups_of(const ap_search_side *side, ap_part_group *own)
{
    if (side->compound != NULL) {
        return side->compound->groups;
    }
    ap_set_shape_balls(&own->balls, side->shape);
    own->used = own->used_rows = 1;
    own->child[0] = AP_PART_LEAF;
    return own;
}

/* What waits to be looked at; the last comes first. */
typedef struct ball_stack {
    ball_task task[MOST_TASKS];
    unsigned count;
} ball_stack;

/* Pairs of lanes that may be nearer than the threshold: groups go on the stack, parts are asked themselves. False: part[] may be nearer, or
 * is UINT32_MAX where too many wait. */
AP_INLINE bool take_pairs(const ap_part_search *s, ball_stack *stack, ball_task t, const ap_part_group *a, const ap_part_group *b,
                          unsigned near, uint32_t part[2])
{
    for (; near != 0; near &= near - 1) {
        const unsigned bit = (unsigned)__builtin_ctz(near), i = bit / 4, j = bit % 4;
        if ((a->child[i] & b->child[j]) >= AP_PART_LEAF) {
            part[0] = a->child[i] - AP_PART_LEAF;
            part[1] = b->child[j] - AP_PART_LEAF;
            if (!ap_search_is_settled(s, part)) {
                return false;
            }
        } else if (stack->count < MOST_TASKS) {
            stack->task[stack->count++] = task_below(&t, a, i, b, j);
        } else {
            part[0] = part[1] = UINT32_MAX;
            return false;
        }
    }
    return true;
}

bool ap_search_many_prove(const ap_part_search *s, uint32_t part[2])
{
    const double threshold = ap_search_threshold(s) + 2.0 * s->slack;
    ap_part_group own[2];
    ball_frame frame;
    normal_frame normal;
    ball_stack stack;
    const ap_part_group *groups_a = groups_of(&s->side[0], &own[0]), *groups_b = groups_of(&s->side[1], &own[1]);
    set_frame(&frame, s, threshold);
    set_normal(&normal, s, threshold, own);
    stack.count = 1;
    stack.task[0] = (ball_task){{0, 0}, ALL_PAIRS};
    while (stack.count > 0) {
        const ball_task t = stack.task[--stack.count];
        const ap_part_group *a = &groups_a[t.group[0]], *b = &groups_b[t.group[1]];
        const unsigned pairs = t.pairs & a->used_rows * b->used & near_along_normal(&normal, a, b);
        if (pairs != 0) {
            const placed_balls four = place_balls(&frame, &b->balls);
            if (!take_pairs(s, &stack, t, a, b, near_by_balls(&a->balls, &four, pairs), part)) {
                return false;
            }
        }
    }
    return true;
}
