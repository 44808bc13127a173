/* Which pair of parts to query first when nothing is known: time depends on it, the answer does not.
 *
 *   half-space       the part farthest against its normal
 *   small compounds  the pair whose bounding spheres are nearest (small.c)
 *   sparse parts     the same from both trees, together with the other pairs that may be nearest: a proof then mostly
 *                    needs nothing but that list
 *   else             the part nearest to the other side's last choice, in turn until nothing changes
 *
 * Measured in instructions of a whole cold query (W9 of bench/): for 50 and 200 sparse parts the choice in turn
 * takes 7 and 20 % more than the list; for 50 and 200 dense parts five radii apart the list takes 68 and 209 % more
 * than the choice in turn, since the spheres of too many pairs are about equally near. */
#include "search.h"
#include "traverse.h"

/* ---- the pairs that may be nearest ---- */

/* How much of the sum of their spheres' radii two parts fill between their centres, guessed low: the nearest pair then
 * is no farther apart than the spheres of some pair less this. A guess that is too high makes the list useless for a
 * proof, and a low one makes it longer. */
#define FILLED 0.5

typedef struct pair_list {
    ap_tile_frame frame;
    const ap_part_node *nodes[2];
    ap_near_pairs *near;
} pair_list;

AP_INLINE unsigned bound_by_spheres(void *search, const ap_tile *tile, ap_tile_bounds *bounds)
{
    const pair_list *l = search;
    return ap_near_by_spheres(&l->frame, tile, tile->pairs, l->near->beyond, bounds->gap);
}

static bool is_within_list(void *search, ap_waiting_pair *pair)
{
    const pair_list *l = search;
    return !(pair->bound.gap > l->near->beyond);
}

/* Lists a pair of parts that may be the nearest. It is about as far apart as its spheres are, and the nearest pair
 * is no farther. */
static bool list_pair(void *search, const ap_waiting_pair *pair, const uint32_t part[2])
{
    const pair_list *l = search;
    ap_near_pairs *near = l->near;
    const double gap = pair->bound.gap;
    const double radii = l->nodes[0][pair->slot[0] / 4].spheres.radius[pair->slot[0] % 4] +
                         l->nodes[1][pair->slot[1] / 4].spheres.radius[pair->slot[1] % 4];
    if (near->count == AP_NEAR_PAIRS) {
        near->complete = false;
        return false;
    }
    near->first = gap < near->least ? near->count : near->first;
    near->least = ap_min(gap, near->least);
    near->beyond = ap_min(gap + (1.0 - FILLED) * radii, near->beyond);
    near->pair[near->count++] = (ap_near_pair){{part[0], part[1]}, gap};
    return true;
}

static void list_near_pairs(const ap_part_frame *f, ap_near_pairs *near)
{
    static const ap_pair_search functions = {AP_NEAREST_FIRST, bound_by_spheres, is_within_list, list_pair};
    ap_part_node own[2];
    pair_list l = {.nodes = {ap_side_nodes(&f->side[0], &own[0]), ap_side_nodes(&f->side[1], &own[1])}, .near = near};
    ap_tile_frame_set(&l.frame, f->side);
    near->complete = true;
    near->beyond = near->least = INFINITY;
    ap_traverse(l.nodes, &functions, &l);
}

/* ---- parts in turn ---- */

/* Mostly two or three are enough. */
enum { MOST_TURNS = 6 };

static uint32_t nearest_part(const ap_part_side *side, apart_vec3 point)
{
    return ap_has_more_parts(side->compound) ? ap_compound_nearest_part(side->compound, ap_side_own_point(side, point))
                                             : 0;
}

/* The part whose box is nearest to the centre of the other side's last choice, in turn until nothing changes. */
static void choose_in_turn(const ap_part_side sides[2], uint32_t part[2])
{
    apart_vec3 point = ap_side_center(&sides[0]);
    for (int turn = 0, side = 1; turn < MOST_TURNS; turn++, side = 1 - side) {
        const uint32_t next = nearest_part(&sides[side], point);
        if (turn > 1 && next == part[side]) {
            return;
        }
        part[side] = next;
        point = ap_side_part_center(&sides[side], next);
    }
}

/* ---- the choice ---- */

static bool is_sparse(const ap_part_side *side) { return side->compound == NULL || side->compound->sparse; }

/* From farther apart than this, of the radii around both solids, all parts seem equally near. */
#define NEAR_SHARE 1.5

/* Is a list of near pairs worth while? Spheres of parts that are close together exclude few pairs. */
static bool is_worth_a_list(const ap_part_frame *f)
{
    const double distance = ap_norm(ap_sub(ap_side_center(&f->side[1]), ap_side_center(&f->side[0])));
    const double near = NEAR_SHARE * (ap_side_spread(&f->side[0]) + ap_side_spread(&f->side[1]));
    return distance < near && is_sparse(&f->side[0]) && is_sparse(&f->side[1]);
}

void ap_first_pair(const ap_part_frame *f, ap_near_pairs *near, uint32_t part[2])
{
    part[0] = part[1] = 0;
    near->complete = false;
    near->count = near->first = 0;
    if (f->plane >= 0) {
        const ap_part_side *other = &f->side[1 - f->plane];
        const apart_vec3 into = ap_neg(ap_frame_plane_normal(f));
        part[1 - f->plane] = ap_compound_farthest_part(other->compound, ap_side_own_direction(other, into));
    } else if (ap_sides_are_small(f->side)) {
        ap_small_nearest(f, part);
    } else if (is_worth_a_list(f)) {
        list_near_pairs(f, near);
        memcpy(part, near->pair[near->first].part, sizeof near->pair->part);
    } else {
        choose_in_turn(f->side, part);
    }
}
