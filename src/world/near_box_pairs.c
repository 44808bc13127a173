/* Visits all pairs of bodies whose boxes are nearer than a limit, by a traversal of the tree against itself; a visit
 * may lower the limit. It needs no memory but its stack: it serves worlds with more near pairs than can be listed,
 * and the search for the nearest pairs. */
#include "world.h"

/* Two nodes, or twice the same one for the pairs inside it, and a lower bound of their distance. */
typedef struct node_pair {
    uint32_t a, b;
    double bound;
} node_pair;

typedef struct node_pair_stack {
    /* Splitting a node against itself pushes three entries; while the top one is traversed, the two others wait: two
     * per level. Splitting two different nodes replaces one entry by two, one level deeper on one side: one per level
     * of either side. */
    node_pair pairs[4 * AP_TREE_HEIGHT + 4];
    size_t count;
} node_pair_stack;

static void push_nodes(const ap_tree *tree, node_pair_stack *s, uint32_t a, uint32_t b)
{
    const double bound = a == b ? 0.0 : ap_box_gap(&ap_tree_node(tree, a)->box, &ap_tree_node(tree, b)->box);
    s->pairs[s->count++] = (node_pair){a, b, bound};
}

/* Puts the nearer of the last two entries on top. */
static void nearer_on_top(node_pair_stack *s)
{
    node_pair *last = &s->pairs[s->count - 1], *before = last - 1;
    if (before->bound < last->bound) {
        const node_pair t = *last;
        *last = *before;
        *before = t;
    }
}

/* Replaces two nodes by the pairs of one and the other's children; the larger box is split. */
static void split_larger(const ap_tree *tree, node_pair_stack *s, const node_pair *t)
{
    const ap_node *a = ap_tree_node(tree, t->a), *b = ap_tree_node(tree, t->b);
    if (t->a == t->b) {
        push_nodes(tree, s, a->child[0], a->child[1]);
        push_nodes(tree, s, a->child[1], a->child[1]);
        push_nodes(tree, s, a->child[0], a->child[0]);
        return;
    }
    const bool first = ap_node_is_leaf(b) || (!ap_node_is_leaf(a) && ap_box_size(&a->box) >= ap_box_size(&b->box));
    if (first) {
        push_nodes(tree, s, a->child[0], t->b);
        push_nodes(tree, s, a->child[1], t->b);
    } else {
        push_nodes(tree, s, t->a, b->child[0]);
        push_nodes(tree, s, t->a, b->child[1]);
    }
    nearer_on_top(s);
}

static apart_status visit_tree(const ap_near_box_pairs *traversal, bool *stop)
{
    const ap_tree *tree = &traversal->world->tree;
    apart_status status = APART_OK;
    node_pair_stack s = {.count = 0};
    push_nodes(tree, &s, tree->root, tree->root);
    while (s.count > 0 && status == APART_OK && !*stop) {
        const node_pair t = s.pairs[--s.count];
        const ap_node *a = ap_tree_node(tree, t.a), *b = ap_tree_node(tree, t.b);
        if ((t.bound > 0.0 && t.bound >= *traversal->limit) || (t.a == t.b && ap_node_is_leaf(a))) {
            continue;
        }
        if (!ap_node_is_leaf(a) || !ap_node_is_leaf(b)) {
            split_larger(tree, &s, &t);
        } else if (ap_world_admits(traversal->world, ap_node_item(a), ap_node_item(b)) &&
                   ap_world_asks_slots(traversal->world, ap_node_item(a), ap_node_item(b))) {
            const uint32_t x = ap_node_item(a), y = ap_node_item(b);
            status = traversal->visit(traversal->context, x < y ? x : y, x < y ? y : x, stop);
        }
    }
    return status;
}

static apart_status visit_half_space(const ap_near_box_pairs *traversal, uint32_t slot, bool *stop)
{
    const apart_world *world = traversal->world;
    apart_status status = APART_OK;
    for (uint32_t other = 0; other < world->bodies.count && status == APART_OK && !*stop; other++) {
        const ap_body *body = ap_world_slot(world, other);
        if (body->leaf == AP_NO_NODE || !ap_world_admits(world, slot, other)) {
            continue;
        }
        const apart_aabb *box = &ap_tree_node(&world->tree, body->leaf)->box;
        const double bound = ap_half_space_gap(ap_world_slot(world, slot), box);
        if ((bound == 0.0 || bound < *traversal->limit) && ap_world_asks_slots(world, slot, other)) {
            const uint32_t a = slot < other ? slot : other, b = slot < other ? other : slot;
            status = traversal->visit(traversal->context, a, b, stop);
        }
    }
    return status;
}

apart_status ap_world_visit_near_boxes(const ap_near_box_pairs *traversal)
{
    const apart_world *world = traversal->world;
    const uint32_t *unbounded = world->unbounded.items;
    bool stop = false;
    apart_status status = world->tree.root != AP_NO_NODE ? visit_tree(traversal, &stop) : APART_OK;
    for (size_t i = 0; i < world->unbounded.count && status == APART_OK && !stop; i++) {
        status = visit_half_space(traversal, unbounded[i], &stop);
    }
    return status;
}
