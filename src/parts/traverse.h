/* The traversal of pairs of nodes of two trees, with the lower bound plugged in (branch and bound; Lindemann 2009
 * section 3.3, item L6): every search among pairs of parts that uses both trees runs through ap_traverse.
 *
 *   search                                        bound                                              threshold
 *   first_pair.c  list the pairs that may be      spheres                                            shrinks
 *                 nearest
 *   prove.c       no other pair is nearer         spheres, support values along the best normal      fixed
 *   walk.c        query every pair that may       spheres, support values, boxes; of moving solids   shrinks
 *                 be nearer                       the displacement and the path
 *
 * A pair of children that may be nearer than the threshold waits on a stack, the nearest of a tile on top. If it is
 * taken from there and still may be nearer, a pair of parts is visited, and of any other pair the tile below it is
 * tested. ap_traverse is a template: inlined where it is used, with the search's own functions. */
#ifndef AP_PARTS_TRAVERSE_H
#define AP_PARTS_TRAVERSE_H

#include "bound.h"

/* A tile's pair is replaced by at most 16, a level deeper. */
enum { AP_MOST_WAITING = 15 * AP_TREE_LEVELS + 1 };

/* What is known of a pair of children. */
typedef struct ap_pair_bound {
    double gap;  /* a lower bound of their distance */
    double when; /* the first time at which moving children may meet: INFINITY if never, 0 if they do not move */
} ap_pair_bound;

/* The same of the pairs of a tile. */
typedef struct ap_tile_bounds {
    double gap[16], when[16];
} ap_tile_bounds;

typedef struct ap_waiting_pair {
    uint32_t slot[2];
    ap_pair_bound bound;
} ap_waiting_pair;

/* Which pairs of a tile come first, and which of their bounds are needed for that. */
typedef enum ap_pair_order { AP_IN_ANY_ORDER, AP_NEAREST_FIRST, AP_EARLIEST_FIRST } ap_pair_order;

/* Is pair a to be visited before b? Bounds that the order does not need may be unset. */
AP_INLINE bool ap_comes_before(const ap_pair_bound *a, const ap_pair_bound *b, ap_pair_order order)
{
    const bool nearer = order != AP_IN_ANY_ORDER && a->gap < b->gap;
    return order == AP_EARLIEST_FIRST ? a->when < b->when || (a->when == b->when && nearer) : nearer;
}

/* The functions of a search. */
typedef struct ap_pair_search {
    ap_pair_order order;
    /* Those of the tile's pairs that may be nearer than the threshold, and their bounds. */
    unsigned (*bound)(void *search, const ap_tile *tile, ap_tile_bounds *bounds);
    /* May a pair that has waited still be nearer than the threshold? */
    bool (*is_near)(void *search, ap_waiting_pair *pair);
    /* Takes a pair of parts. False ends the traversal. */
    bool (*visit)(void *search, const ap_waiting_pair *pair, const uint32_t part[2]);
} ap_pair_search;

/* The tile below a pair of which at least one is a node: its children with those of the other node, or with the part,
 * which stays in its lane. */
AP_INLINE ap_tile ap_tile_below(const ap_part_node *const nodes[2], const uint32_t slot[2], const uint32_t child[2])
{
    const bool is_node_a = child[0] < AP_PART_LEAF, is_node_b = child[1] < AP_PART_LEAF;
    const uint32_t a = is_node_a ? child[0] : slot[0] / 4, b = is_node_b ? child[1] : slot[1] / 4;
    const unsigned rows = is_node_a ? nodes[0][a].used_rows : 1u << slot[0] % 4 * 4;
    const unsigned columns = is_node_b ? nodes[1][b].used : 1u << slot[1] % 4;
    return (ap_tile){&nodes[0][a], &nodes[1][b], {4 * a, 4 * b}, rows * columns};
}

/* Lets the last pair sink below those of the stack, above `base`, that are to be visited before it. */
AP_INLINE void ap_sink_last(ap_waiting_pair *stack, unsigned base, unsigned last, ap_pair_order order)
{
    const ap_waiting_pair pair = stack[last];
    for (; last > base && ap_comes_before(&stack[last - 1].bound, &pair.bound, order); last--) {
        stack[last] = stack[last - 1];
    }
    stack[last] = pair;
}

/* Puts those pairs of a tile on the stack, above `base`, the one to visit first on top. Only where a visit or a
 * bound is expensive are the others sorted, too. */
AP_INLINE unsigned ap_push_pairs(ap_waiting_pair *stack, unsigned base, const ap_tile *tile, unsigned near,
                                 const ap_tile_bounds *bounds, ap_pair_order order)
{
    unsigned count = base, first = base;
    for (; near != 0; near &= near - 1, count++) {
        const unsigned bit = ap_lowest_bit(near);
        ap_waiting_pair *pair = &stack[count];
        pair->slot[0] = tile->first_slot[0] + bit / 4;
        pair->slot[1] = tile->first_slot[1] + bit % 4;
        if (order != AP_IN_ANY_ORDER) {
            pair->bound.gap = bounds->gap[bit];
        }
        if (order == AP_EARLIEST_FIRST) {
            pair->bound.when = bounds->when[bit];
            ap_sink_last(stack, base, count, order);
        } else {
            first = ap_comes_before(&pair->bound, &stack[first].bound, order) ? count : first;
        }
    }
    if (order == AP_NEAREST_FIRST && count > base) {
        const ap_waiting_pair top = stack[first];
        stack[first] = stack[count - 1];
        stack[count - 1] = top;
    }
    return count;
}

/* Visits all pairs of parts that may be nearer than the threshold. False: a visit ended it. */
AP_INLINE bool ap_traverse(const ap_part_node *const nodes[2], const ap_pair_search *functions, void *search)
{
    ap_waiting_pair stack[AP_MOST_WAITING];
    ap_tile_bounds bounds;
    ap_tile tile = {nodes[0], nodes[1], {0, 0}, nodes[0]->used_rows * nodes[1]->used};
    unsigned count = 0;
    bool tested = false; /* the tile */
    do {
        if (!tested) {
            const unsigned near = functions->bound(search, &tile, &bounds);
            count = ap_push_pairs(stack, count, &tile, near, &bounds, functions->order);
            tested = true;
            continue;
        }
        ap_waiting_pair pair = stack[--count];
        if (!functions->is_near(search, &pair)) {
            continue;
        }
        const uint32_t child[2] = {nodes[0][pair.slot[0] / 4].child[pair.slot[0] % 4],
                                   nodes[1][pair.slot[1] / 4].child[pair.slot[1] % 4]};
        tested = (child[0] & child[1]) >= AP_PART_LEAF;
        if (!tested) {
            tile = ap_tile_below(nodes, pair.slot, child);
        } else if (!functions->visit(search, &pair,
                                     (const uint32_t[2]){child[0] - AP_PART_LEAF, child[1] - AP_PART_LEAF})) {
            return false;
        }
    } while (count > 0 || !tested);
    return true;
}

#endif
