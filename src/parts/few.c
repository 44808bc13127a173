/* Few parts, without their trees: the proof that no pair of them is nearer than the threshold, and the first pair to look at.
 *
 * The proof: of very few, all balls at once. Else first, which parts of A are left: of solids that are near each other those that come near
 * the ball around B; of solids farther apart than they are large those whose balls reach far along the best pair's normal. These are asked
 * for their distance from the balls of B's parts, four at a time, and what then is left, along the line through the middles of two parts.
 * The rounding is in docs/numerics.md. */
#include "tile.h"

/* The parts of a side, in its own frame. */
typedef struct few_parts {
    const ap_part_balls *balls;
    uint32_t count;
    unsigned all; /* bit i: there is a part i */
} few_parts;

AP_INLINE few_parts few_parts_of(const ap_search_side *side, ap_part_balls *own)
{
    if (side->compound != NULL) {
        return (few_parts){side->compound->few, side->compound->count, (1u << side->compound->count) - 1u};
    }
    ap_set_shape_balls(own, side->shape);
    return (few_parts){own, 1, 1u};
}

/* What the proofs want. */
typedef struct few_frame {
    const ap_part_search *search;
    few_parts a, b;
    ap_lanes3 to_a, to_b; /* the transposed rotations */
    ap_lanes origin;      /* of B */
    double threshold;
} few_frame;

AP_INLINE ap_lanes3 centers_of(const ap_part_balls *four)
{
    return (ap_lanes3){ap_lanes_load(four->center[0]), ap_lanes_load(four->center[1]), ap_lanes_load(four->center[2])};
}

/* ---- all balls at once ---- */

/* The balls of B's parts in A's frame, with radii that a margin is part of; in lanes behind the last one infinitely far away. */
typedef struct few_columns {
    ap_tile_balls four[AP_FEW_PARTS / 4];
    uint32_t count;
} few_columns;

AP_INLINE void set_columns(few_columns *c, const ap_part_search *s, const few_parts *b, double margin)
{
    const ap_mask numbers = {0, 1, 2, 3};
    ap_tile_frame frame;
    ap_tile_set_frame(&frame, s, margin);
    c->count = (b->count + 3) / 4;
    for (uint32_t k = 0; k < c->count; k++) {
        c->four[k] = ap_tile_place(&frame, &b->balls[k]);
    }
    ap_lanes *last = &c->four[c->count - 1].center.x;
    *last = ap_lanes_select(ap_lanes_all(INFINITY), *last, numbers < ap_mask_all((int64_t)(b->count - 4 * (c->count - 1))));
}

AP_INLINE ap_lanes3 center_of(const few_parts *p, uint32_t i)
{
    const ap_part_balls *four = &p->balls[i / 4];
    return (ap_lanes3){ap_lanes_all(four->center[0][i % 4]), ap_lanes_all(four->center[1][i % 4]), ap_lanes_all(four->center[2][i % 4])};
}

AP_INLINE ap_lanes radius_of(const few_parts *p, uint32_t i) { return ap_lanes_all(p->balls[i / 4].radius[i % 4]); }

/* Fours of pairs that are measured all at once, at most: of more it is better to see which rows are near. */
enum { MOST_AT_ONCE = 8 };

/* Are the balls of all pairs but one farther apart than the threshold? That one then is the pair whose upper bound the threshold is: no
 * balls are farther apart than what they hold. There are no branches, which for rows one by one would often be guessed wrong. False, too,
 * where there are too many, and for a threshold that is the cut-off, which may be nobody's bound. */
static bool one_pair_is_near(const few_frame *f)
{
    const uint32_t fours = (f->b.count + 3) / 4 * f->a.count;
    few_columns columns;
    ap_mask far = ap_mask_all(0); /* less the number of pairs, lane by lane */
    if (fours > MOST_AT_ONCE || f->search->cutoff < f->search->most) {
        return false;
    }
    set_columns(&columns, f->search, &f->b, f->threshold);
    for (uint32_t i = 0; i < f->a.count; i++) {
        const ap_lanes3 center = center_of(&f->a, i);
        const ap_lanes radius = radius_of(&f->a, i);
        for (uint32_t k = 0; k < columns.count; k++) {
            const ap_lanes3 way = ap_lanes3_sub(center, columns.four[k].center);
            const ap_lanes reach = ap_tile_reach(radius, columns.four[k].reach);
            far += ap_lanes3_dot(way, way) > reach * reach;
        }
    }
    return -((far[0] + far[1]) + (far[2] + far[3])) == (int64_t)(4 * fours) - 1;
}

/* ---- by balls ---- */

/* The parts whose balls may have a point within `reach` of a point of their frame. Numbers that overflow prove nothing. */
AP_INLINE unsigned parts_near(const few_parts *p, ap_lanes point, double reach)
{
    const ap_lanes3 at = ap_lanes3_spread(point);
    const ap_part_balls *four = p->balls;
    unsigned far = 0;
    uint32_t i = 0;
    do {
        const ap_lanes3 way = ap_lanes3_sub(centers_of(four), at);
        const ap_lanes sum = ap_tile_reach(ap_lanes_load(four->radius), ap_lanes_all(reach));
        far |= ap_lanes_above(ap_lanes3_dot(way, way), sum * sum) << i;
        four++;
        i += 4;
    } while (i < p->count);
    return ~far & p->all;
}

/* The parts of A that may be near some part of B. */
AP_INLINE unsigned parts_near_solid(const few_frame *f)
{
    const ap_search_side *b = &f->search->side[1];
    const apart_vec3 center = b->compound != NULL ? b->compound->center : b->shape->center;
    const double radius = b->compound != NULL ? b->compound->radius : f->b.balls->radius[0];
    const ap_lanes placed = ap_lanes_turn(&b->pose->rotation, ap_lanes_from(center)) + f->origin;
    return parts_near(&f->a, ap_lanes_apply(&f->to_a, placed), radius + f->threshold);
}

/* The parts of B that may be near the i-th of A. */
AP_INLINE unsigned parts_near_part(const few_frame *f, unsigned i)
{
    const ap_part_balls *four = &f->a.balls[i / 4];
    const unsigned lane = i % 4;
    const ap_lanes center = ap_lanes_from(ap_vec(four->center[0][lane], four->center[1][lane], four->center[2][lane]));
    const ap_lanes placed = ap_lanes_turn(&f->search->side[0].pose->rotation, center) - f->origin;
    return parts_near(&f->b, ap_lanes_apply(&f->to_b, placed), four->radius[lane] + f->threshold);
}

/* Is no pair of the i-th part of A with `others` of B nearer than the threshold? Else part[] is one that may be. */
AP_INLINE bool are_settled(const few_frame *f, unsigned i, unsigned others, uint32_t part[2])
{
    const apart_compound_result *best = f->search->best;
    others &= ~((i == best->part_a ? 1u : 0u) << best->part_b);
    others = others != 0 ? others & parts_near_part(f, i) : 0;
    for (; others != 0; others &= others - 1) {
        part[0] = i;
        part[1] = (uint32_t)__builtin_ctz(others);
        if (!ap_search_is_settled(f->search, part)) {
            return false;
        }
    }
    return true;
}

static bool balls_prove(const few_frame *f, uint32_t part[2])
{
    for (unsigned rest = parts_near_solid(f); rest != 0; rest &= rest - 1) {
        if (!are_settled(f, (unsigned)__builtin_ctz(rest), f->b.all, part)) {
            return false;
        }
    }
    return true;
}

/* ---- along the normal ---- */

/* How far the balls of a side's parts reach along a direction from its origin. */
typedef struct reaches {
    ap_lanes of[AP_FEW_PARTS / 4];
    double most;
} reaches;

AP_INLINE ap_mask only_lane(uint32_t lane)
{
    const ap_mask numbers = {0, 1, 2, 3};
    return numbers == ap_mask_all((int64_t)lane);
}

/* direction: in the side's own frame. Of the best part it is known better, by `best_reach`. */
AP_INLINE void set_reaches(reaches *r, const few_parts *p, ap_lanes direction, uint32_t best, double best_reach)
{
    const ap_lanes3 d = ap_lanes3_spread(direction);
    ap_lanes most = ap_lanes_all(-INFINITY);
    for (uint32_t i = 0; 4 * i < p->count; i++) {
        const ap_part_balls *four = &p->balls[i];
        ap_lanes reach = ap_lanes3_dot(d, centers_of(four)) + ap_lanes_load(four->radius);
        if (i == best / 4) {
            reach = ap_lanes_select(reach, ap_lanes_min(ap_lanes_all(best_reach), reach), only_lane(best % 4));
        }
        r->of[i] = reach;
        most = ap_lanes_max(reach, most);
    }
    r->most = ap_max(ap_max(most[0], most[1]), ap_max(most[2], most[3]));
}

AP_INLINE unsigned parts_beyond(const few_parts *p, const reaches *r, double level)
{
    unsigned beyond = 0;
    for (uint32_t i = 0; i < p->count; i += 4) {
        beyond |= ap_lanes_above(r->of[i / 4], ap_lanes_all(level)) << i;
    }
    return beyond & p->all;
}

static bool normal_proves(const few_frame *f, uint32_t part[2])
{
    const ap_search_side *side = f->search->side;
    const apart_compound_result *best = f->search->best;
    const apart_vec3 n = best->result.normal, o = side[1].origin;
    const ap_rise rise = ap_search_rise(f->search);
    const double reach_a = ap_dot(n, best->result.a) + ap_rise_by(rise, side[0].size);
    const double reach_b = ap_dot(n, ap_sub(o, best->result.b)) + ap_rise_by(rise, side[1].size);
    const double level = ap_dot(n, o) - f->threshold; /* parts whose reaches sum up to no more are far apart */
    reaches a, b;
    set_reaches(&a, &f->a, ap_lanes_apply(&f->to_a, ap_lanes_from(n)), best->part_a, reach_a);
    set_reaches(&b, &f->b, -ap_lanes_apply(&f->to_b, ap_lanes_from(n)), best->part_b, reach_b);
    for (unsigned rest = parts_beyond(&f->a, &a, level - b.most); rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        if (!are_settled(f, i, parts_beyond(&f->b, &b, level - ((const double *)a.of)[i]), part)) {
            return false;
        }
    }
    return true;
}

bool ap_search_few_prove(const ap_part_search *s, uint32_t part[2])
{
    ap_part_balls own[2];
    const few_frame f = {.search = s, .a = few_parts_of(&s->side[0], &own[0]), .b = few_parts_of(&s->side[1], &own[1]),
                         .to_a = ap_tile_transposed(&s->side[0].pose->rotation), .to_b = ap_tile_transposed(&s->side[1].pose->rotation),
                         .origin = ap_lanes_from(s->side[1].origin), .threshold = ap_search_wanted(s)};
    return one_pair_is_near(&f) || (ap_search_is_far(s) ? normal_proves(&f, part) : balls_prove(&f, part));
}

/* ---- the first pair ---- */

/* The lane with the smallest number. */
AP_INLINE unsigned least_lane(ap_lanes v)
{
    const unsigned low = v[1] < v[0] ? 1u : 0u, high = v[3] < v[2] ? 3u : 2u;
    return v[high] < v[low] ? high : low;
}

/* About how far the middles of the nearest parts are from each other: halfway from those of the solids to where their balls end. */
static double expected_distance(const ap_part_search *s)
{
    const double apart = ap_norm(ap_sub(ap_search_middle(&s->side[1]), ap_search_middle(&s->side[0])));
    return ap_max(apart - 0.5 * (ap_search_spread(&s->side[0]) + ap_search_spread(&s->side[1])), 0.0);
}

/* The nearest balls, by their squared distances less 2 D (r + r'): for distances about D that is the order of the gaps, and no root is
 * taken. */
void ap_search_few_nearest(const ap_part_search *s, uint32_t part[2])
{
    ap_part_balls own[2];
    const few_parts a = few_parts_of(&s->side[0], &own[0]), b = few_parts_of(&s->side[1], &own[1]);
    const ap_lanes weight = ap_lanes_all(2.0 * expected_distance(s));
    few_columns columns;
    ap_lanes least = ap_lanes_all(INFINITY), at = ap_lanes_all(0.0), here = at;
    set_columns(&columns, s, &b, 0.0);
    for (uint32_t i = 0; i < a.count; i++) {
        const ap_lanes3 center = center_of(&a, i);
        const ap_lanes radius = radius_of(&a, i);
        for (uint32_t k = 0; k < columns.count; k++) {
            const ap_lanes3 way = ap_lanes3_sub(columns.four[k].center, center);
            const ap_lanes gap = ap_lanes3_dot(way, way) - weight * (columns.four[k].reach + radius);
            at = ap_lanes_select(at, here, gap < least);
            least = ap_lanes_min(gap, least);
            here += ap_lanes_all(1.0);
        }
    }
    const unsigned lane = least_lane(least);
    const uint32_t number = (uint32_t)at[lane];
    part[0] = number / columns.count;
    part[1] = number % columns.count * 4 + lane;
}
