/* The proof that no pair of parts is nearer than the best pair so far, or a pair that may be. There are four:
 *
 *   list     the pairs that a first traversal listed are tested again; all others are farther (first_pair.c)
 *   small    compounds of few parts, without their trees (small.c)
 *   fronts   solids farther apart than they are large: each tree is searched for parts in front of the witness points
 *   trees    all others: tiles by bounding spheres and by support values along the best pair's normal (traverse.h)
 *
 * The trees alone would do. Measured in instructions of a whole query (W9 of bench/), they take 32 to 42 % more than
 * the list (cold, 50 and 200 sparse or touching parts), and 12 and 46 % more than the fronts (tracked, 50 and 200
 * dense parts; cold 5 and 11 %); small.c has its own numbers. */
#include "search.h"
#include "traverse.h"

/* ---- two parts ---- */

/* The support value of a part along a direction of the query's frame. */
static double support_value_of(const ap_part_side *side, uint32_t part, apart_vec3 direction)
{
    const apart_vec3 own = ap_side_own_direction(side, direction);
    const double value = side->compound != NULL ? ap_part_support_value(&side->compound->parts[part], own)
                                                : ap_shape_support_value(side->shape, own);
    return value + ap_dot(direction, side->origin);
}

static double sphere_radius(const ap_part_side *side, uint32_t part)
{
    const apart_shape *shape = side->compound != NULL ? &side->compound->parts[part].shape : side->shape;
    return (shape->bound + shape->radius) * AP_ROTATION_STRETCH + shape->error;
}

static bool is_far_from_plane(const ap_part_frame *f, uint32_t part, double wanted)
{
    const ap_part_side *plane = &f->side[f->plane];
    const apart_vec3 into = ap_neg(ap_frame_plane_normal(f));
    const double level = ap_dot(into, plane->origin) - (plane->shape->u.plane.offset + plane->shape->radius);
    return support_value_of(&f->side[1 - f->plane], part, into) <= level - wanted;
}

/* The parts' spheres are tested first, since that costs little beside their support values. */
bool ap_pair_is_far(const ap_part_frame *f, const uint32_t part[2], double wanted)
{
    const ap_part_side *a = &f->side[0], *b = &f->side[1];
    if (f->plane >= 0) {
        return is_far_from_plane(f, part[1 - f->plane], wanted);
    }
    const apart_vec3 between = ap_sub(ap_side_part_center(b, part[1]), ap_side_part_center(a, part[0]));
    const double length = ap_norm(between);
    if (length >= wanted + sphere_radius(a, part[0]) + sphere_radius(b, part[1])) {
        return true;
    }
    if (!(length > 0.0)) {
        return false;
    }
    const apart_vec3 to = ap_unit(between);
    return support_value_of(a, part[0], to) + support_value_of(b, part[1], ap_neg(to)) <= -wanted;
}

/* ---- by the list ---- */

/* Where wanted <= near->beyond. */
static bool prove_by_list(const ap_part_frame *f, const ap_queried_pairs *queried, const ap_near_pairs *near,
                          double wanted, uint32_t part[2])
{
    for (uint32_t i = 0; i < near->count; i++) {
        part[0] = near->pair[i].part[0];
        part[1] = near->pair[i].part[1];
        if (!(near->pair[i].gap > wanted) && !ap_pair_is_settled(f, queried, part, wanted)) {
            return false;
        }
    }
    return true;
}

/* ---- by both trees ---- */

typedef struct tree_proof {
    const ap_part_frame *frame;
    const ap_queried_pairs *queried;
    double wanted;
    ap_tile_frame tile;
    ap_tile_direction along;
    uint32_t *part;
} tree_proof;

AP_INLINE unsigned bound_for_proof(void *search, const ap_tile *tile, ap_tile_bounds *bounds)
{
    const tree_proof *p = search;
    const unsigned near = tile->pairs & ap_near_along(&p->along, tile, p->wanted);
    (void)bounds;
    return near != 0 ? ap_near_by_spheres(&p->tile, tile, near, p->wanted, NULL) : 0;
}

/* The threshold is fixed. */
static bool is_always_near(void *search, ap_waiting_pair *pair)
{
    (void)search;
    (void)pair;
    return true;
}

static bool settle_pair(void *search, const ap_waiting_pair *pair, const uint32_t part[2])
{
    const tree_proof *p = search;
    (void)pair;
    p->part[0] = part[0];
    p->part[1] = part[1];
    return ap_pair_is_settled(p->frame, p->queried, part, p->wanted);
}

static bool prove_by_trees(const ap_part_frame *f, const ap_part_best *best, const ap_queried_pairs *queried,
                           double wanted, uint32_t part[2])
{
    static const ap_pair_search functions = {AP_IN_ANY_ORDER, bound_for_proof, is_always_near, settle_pair};
    ap_part_node own[2];
    tree_proof p = {.frame = f, .queried = queried, .wanted = wanted, .part = part};
    const ap_part_node *const nodes[2] = {ap_side_nodes(&f->side[0], &own[0]), ap_side_nodes(&f->side[1], &own[1])};
    ap_tile_frame_set(&p.tile, f->side);
    ap_tile_direction_set(&p.along, f, ap_best_normal(best), own);
    return ap_traverse(nodes, &functions, &p);
}

/* ---- by fronts ----
 * Let n be the normal of the best pair, from A to B. Parts of A that do not extend beyond the witness point of A along
 * n, and parts of B that do not extend beyond B's against it, are far enough from each other. The others, the front,
 * mostly lie off to the side: each is tested against the other tree along its own direction to the other witness
 * point. */

/* Parts that are tested one by one, at most; where more are in front, the trees are better. */
enum { MOST_IN_FRONT = 16 };

/* The parts of one compound whose support value along a direction is above a level. */
typedef struct front {
    const apart_compound *compound;
    apart_vec3 direction; /* |direction| <= 1, in the compound's own frame */
    double level;         /* in that frame, too */
    uint32_t except;      /* a part that is left out; UINT32_MAX: none */
    uint32_t count;       /* of the list, or MOST_IN_FRONT + 1: too many */
    uint32_t list[MOST_IN_FRONT];
} front;

/* The nodes that wait in the search of one tree. */
typedef struct node_stack {
    uint32_t node[AP_NODE_STACK];
    uint32_t count;
} node_stack;

/* Children whose bound is above the level: parts go to the list if their own value is, too, and nodes on the stack. */
static void take_children(front *f, const ap_part_node *node, unsigned lanes, node_stack *stack)
{
    for (unsigned lane = 0; lanes != 0; lanes >>= 1, lane++) {
        const uint32_t child = node->child[lane], part = child - AP_PART_LEAF;
        if (!(lanes & 1u)) {
            continue;
        }
        if (child < AP_PART_LEAF) {
            stack->node[stack->count++] = child;
        } else if (ap_part_support_value(&f->compound->parts[part], f->direction) > f->level &&
                   f->count++ < MOST_IN_FRONT) {
            f->list[f->count - 1] = part;
        }
    }
}

AP_INLINE unsigned children_above(const ap_part_node *node, const ap_node_direction *d, double level)
{
    return ap_lanes_above(ap_node_support_values(node, d), ap_lanes_all(level)) & node->used;
}

/* Lists the parts above the level: up from the part that is left out, so that every node knows which lane holds it, and
 * down into what else is in front. */
static void list_front(front *f)
{
    const ap_node_direction d = ap_node_direction_of(f->direction);
    node_stack stack;
    f->count = 0;
    stack.count = f->except == UINT32_MAX;
    stack.node[0] = 0;
    for (uint32_t slot = stack.count ? AP_NO_SLOT : f->compound->slots[f->except]; slot != AP_NO_SLOT;) {
        const ap_part_node *node = &f->compound->nodes[slot / 4];
        take_children(f, node, children_above(node, &d, f->level) & ~(1u << slot % 4), &stack);
        slot = node->parent;
    }
    while (stack.count > 0 && f->count <= MOST_IN_FRONT) {
        const ap_part_node *node = &f->compound->nodes[stack.node[--stack.count]];
        take_children(f, node, children_above(node, &d, f->level), &stack);
    }
}

/* The front of a side along a direction of the query's frame; a shape has none. */
static void find_front(front *f, const ap_part_side *side, apart_vec3 direction, double level, uint32_t except)
{
    f->count = 0;
    if (ap_has_more_parts(side->compound)) {
        f->compound = side->compound;
        f->direction = ap_side_own_direction(side, direction);
        f->level = level - ap_dot(direction, side->origin);
        f->except = except;
        list_front(f);
    }
}

/* Both fronts. Whoever stays behind the witness points, on both sides, by as much as the rest may be uncertain, is far
 * enough. False: there are too many parts to test. */
static bool find_fronts(const ap_part_frame *f, const ap_part_best *best, double wanted, front fronts[2])
{
    const apart_result *r = &best->pair->result;
    const apart_vec3 n = r->normal, back = ap_neg(n);
    const ap_rise up = ap_best_rise(f, best);
    const double rest = wanted - ap_dot(n, ap_sub(r->b, r->a));
    const double level_a = ap_dot(n, r->a) - (ap_rise_by(up, f->side[1].size) + rest);
    const double level_b = ap_dot(back, r->b) - (ap_rise_by(up, f->side[0].size) + rest);
    find_front(&fronts[0], &f->side[0], n, level_a, best->pair->part_a);
    find_front(&fronts[1], &f->side[1], back, level_b, best->pair->part_b);
    return fronts[0].count <= MOST_IN_FRONT && fronts[1].count <= MOST_IN_FRONT;
}

/* Part `own` of one side against all of the other side, along the direction from its centre to a point of the other. */
static bool prove_of_part(const ap_part_frame *f, const ap_queried_pairs *queried, double wanted, int side,
                          uint32_t own, apart_vec3 point, uint32_t part[2])
{
    const ap_part_side *this = &f->side[side], *other = &f->side[1 - side];
    const apart_vec3 to = ap_unit(ap_sub(point, ap_side_part_center(this, own)));
    front others = {.count = 1, .list = {0}};
    if (ap_has_more_parts(other->compound)) {
        find_front(&others, other, ap_neg(to), -(support_value_of(this, own, to) + wanted), UINT32_MAX);
    }
    if (others.count > MOST_IN_FRONT) {
        part[0] = part[1] = UINT32_MAX;
        return false;
    }
    for (uint32_t i = 0; i < others.count; i++) {
        part[side] = own;
        part[1 - side] = others.list[i];
        if (!ap_pair_is_settled(f, queried, part, wanted)) {
            return false;
        }
    }
    return true;
}

static bool prove_by_fronts(const ap_part_frame *f, const ap_part_best *best, const ap_queried_pairs *queried,
                            double wanted, uint32_t part[2])
{
    front fronts[2];
    part[0] = part[1] = UINT32_MAX;
    if (!ap_best_normal_joins(f, best) || !find_fronts(f, best, wanted, fronts)) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        const apart_vec3 point = side == 0 ? best->pair->result.b : best->pair->result.a;
        for (uint32_t i = 0; i < fronts[side].count; i++) {
            if (!prove_of_part(f, queried, wanted, side, fronts[side].list[i], point, part)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- which proof ---- */

/* A pair that the fronts name is worth a query; if they name none, the trees are tried. */
bool ap_prove(const ap_part_frame *f, const ap_part_best *best, const ap_queried_pairs *queried,
              const ap_near_pairs *near, uint32_t part[2])
{
    const double wanted = ap_best_wanted(f, best);
    if (f->plane < 0) {
        if (near->complete && wanted <= near->beyond) {
            return prove_by_list(f, queried, near, wanted, part);
        }
        if (ap_sides_are_small(f->side)) {
            return ap_small_prove(f, best, queried, part);
        }
        if (ap_best_is_far(f, best)) {
            const bool proved = prove_by_fronts(f, best, queried, wanted, part);
            if (proved || (part[0] != UINT32_MAX && !ap_was_queried(queried, part))) {
                return proved;
            }
        }
    }
    return prove_by_trees(f, best, queried, wanted, part);
}
