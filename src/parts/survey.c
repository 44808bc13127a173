/* Many parts, and nothing is known: one look over both trees finds the pairs of parts that may be the nearest, and how far all others are
 * from each other at least. Branch and bound over tiles, by balls. The rounding is that of balls.c. */
#include "tile.h"

/* Tiles that wait, at most: sixteen for each of many levels. */
enum { MOST_WAITING = 256 };

/* How much of the sum of their balls' radii two parts fill between their middles, guessed low: the nearest pair then is no farther apart
 * than the balls of some pair less this. A survey that guessed too high proves nothing, one that guessed low takes longer. */
#define FILLED 0.5

typedef struct waiting_tile {
    ap_tile tile;
    double square, reach; /* of the balls of the nodes above it: squared distance of their middles, sum of their radii */
} waiting_tile;

typedef struct survey {
    ap_tile_frame frame;
    const ap_part_group *groups[2];
    waiting_tile waiting[MOST_WAITING];
    unsigned count;
    ap_near_pairs *near;
} survey;

AP_INLINE bool is_beyond(const survey *v, double square, double reach)
{
    const double sum = ap_max(v->near->beyond + reach, AP_LEAST_REACH);
    return square > sum * sum;
}

/* A pair of parts that may be the nearest. It is about as far apart as its balls are, and no nearest pair is farther. */
AP_INLINE void note_pair(survey *v, uint32_t part_a, uint32_t part_b, double square, double reach)
{
    ap_near_pairs *near = v->near;
    const double length = sqrt(square);
    if (near->count == AP_NEAR_PAIRS) {
        near->complete = false;
        return;
    }
    near->first = length - reach < near->least ? near->count : near->first;
    near->least = ap_min(length - reach, near->least);
    near->beyond = ap_min(length - FILLED * reach, near->beyond);
    near->pair[near->count++] = (ap_near_pair){{part_a, part_b}, square, reach};
}

AP_INLINE unsigned measure(const survey *v, const ap_part_group *a, const ap_part_group *b, double squares[16], double reaches[16])
{
    const ap_tile_balls four = ap_tile_place(&v->frame, &b->balls);
    const ap_lanes beyond = ap_lanes_all(v->near->beyond);
    unsigned far = 0;
    for (unsigned lane = 0; lane < 4; lane++) {
        const ap_lanes3 way = ap_tile_ways(&a->balls, lane, &four);
        const ap_lanes square = ap_lanes3_dot(way, way), reach = four.reach + ap_lanes_all(a->balls.radius[lane]);
        const ap_lanes sum = ap_tile_reach(beyond, reach);
        ap_lanes_store(squares + 4 * lane, square);
        ap_lanes_store(reaches + 4 * lane, reach);
        far |= ap_lanes_above(square, sum * sum) << 4 * lane;
    }
    return ~far;
}

/* Pairs of parts are noted, tiles wait, and the nearest of them comes next. */
AP_INLINE void look_at_tile(survey *v, const ap_tile *t)
{
    const ap_part_group *a = &v->groups[0][t->group[0]], *b = &v->groups[1][t->group[1]];
    double squares[16], reaches[16], least = INFINITY;
    unsigned near = measure(v, a, b, squares, reaches) & t->pairs & a->used_rows * b->used, next = 0;
    for (; near != 0; near &= near - 1) {
        const unsigned bit = (unsigned)__builtin_ctz(near), i = bit / 4, j = bit % 4;
        const double square = squares[bit], reach = reaches[bit], power = square - reach * reach;
        if (ap_tile_is_pair(a, i, b, j)) {
            if (!is_beyond(v, square, reach)) {
                note_pair(v, a->child[i] - AP_PART_LEAF, b->child[j] - AP_PART_LEAF, square, reach);
            }
        } else if (v->count < MOST_WAITING) {
            next = power < least ? v->count : next;
            least = ap_min(power, least);
            v->waiting[v->count++] = (waiting_tile){ap_tile_below(t, a, i, b, j), square, reach};
        } else {
            v->near->complete = false;
        }
    }
    if (least < INFINITY) {
        const waiting_tile top = v->waiting[next];
        v->waiting[next] = v->waiting[v->count - 1];
        v->waiting[v->count - 1] = top;
    }
}

void ap_search_survey(const ap_part_search *s, ap_near_pairs *near)
{
    ap_part_group own[2];
    survey v;
    ap_tile_set_frame(&v.frame, s, 0.0);
    v.groups[0] = ap_tile_groups(&s->side[0], &own[0]);
    v.groups[1] = ap_tile_groups(&s->side[1], &own[1]);
    v.near = near;
    near->count = near->first = 0;
    near->complete = true;
    near->least = near->beyond = INFINITY;
    v.count = 1;
    v.waiting[0] = (waiting_tile){{{0, 0}, AP_ALL_PAIRS}, 0.0, 0.0};
    while (v.count > 0 && (near->complete || near->count == 0)) {
        const waiting_tile next = v.waiting[--v.count];
        if (!is_beyond(&v, next.square, next.reach)) {
            look_at_tile(&v, &next.tile);
        }
    }
}

bool ap_search_near_prove(const ap_part_search *s, uint32_t part[2])
{
    const ap_near_pairs *near = s->near;
    const double threshold = ap_search_wanted(s);
    for (uint32_t i = 0; i < near->count; i++) {
        const ap_near_pair *p = &near->pair[i];
        const double sum = ap_max(threshold + p->reach, AP_LEAST_REACH);
        part[0] = p->part[0];
        part[1] = p->part[1];
        if (!(p->square > sum * sum) && !ap_search_is_settled(s, part)) {
            return false;
        }
    }
    return true;
}
