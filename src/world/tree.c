/* The tree of boxes: insertion beside the node that grows least, and rotations that keep it balanced (Adelson-Velsky and Landis 1962;
 * trees of boxes that change: Goldsmith and Salmon 1987).
 *
 * We differ in the measure, which is half the circumference and so neither overflows nor vanishes for flat boxes; and every choice has a fixed
 * answer, the first child on a tie, so that the same calls make the same tree. */
#include "tree.h"

static uint32_t take_node(ap_tree *tree)
{
    const uint32_t free = tree->free;
    if (free != AP_NO_NODE) {
        tree->free = ap_tree_node(tree, free)->parent;
        return free;
    }
    return (uint32_t)tree->nodes.count++;
}

static void give_node(ap_tree *tree, uint32_t node)
{
    ap_node *n = ap_tree_node(tree, node);
    n->parent = tree->free;
    n->height = 0;
    n->child[0] = n->child[1] = AP_NO_NODE;
    tree->free = node;
}

/* Box and height from the children. */
static void gather(ap_tree *tree, ap_node *node)
{
    const ap_node *first = ap_tree_node(tree, node->child[0]), *second = ap_tree_node(tree, node->child[1]);
    node->box = ap_box_union(&first->box, &second->box);
    node->height = 1u + (first->height > second->height ? first->height : second->height);
}

static void replace_child(ap_tree *tree, uint32_t parent, uint32_t old, uint32_t new)
{
    if (parent == AP_NO_NODE) {
        tree->root = new;
    } else {
        ap_node *p = ap_tree_node(tree, parent);
        p->child[p->child[0] == old ? 0 : 1] = new;
    }
    ap_tree_node(tree, new)->parent = parent;
}

/* The taller child of `node` takes its place; the taller grandchild stays above, the lower one goes down. Returns the new top. */
static uint32_t rotate(ap_tree *tree, uint32_t node, int taller)
{
    ap_node *n = ap_tree_node(tree, node);
    const uint32_t up = n->child[taller];
    ap_node *u = ap_tree_node(tree, up);
    const int stays = ap_tree_node(tree, u->child[1])->height > ap_tree_node(tree, u->child[0])->height ? 1 : 0;
    const uint32_t down = u->child[1 - stays];
    replace_child(tree, n->parent, node, up);
    n->child[taller] = down;
    ap_tree_node(tree, down)->parent = node;
    u->child[1 - stays] = node;
    n->parent = up;
    gather(tree, n);
    gather(tree, u);
    return up;
}

/* Balances and gathers from `node` to the root. */
static void mend(ap_tree *tree, uint32_t node)
{
    while (node != AP_NO_NODE) {
        ap_node *n = ap_tree_node(tree, node);
        const uint32_t first = ap_tree_node(tree, n->child[0])->height, second = ap_tree_node(tree, n->child[1])->height;
        if (first > second + 1) {
            node = rotate(tree, node, 0);
        } else if (second > first + 1) {
            node = rotate(tree, node, 1);
        } else {
            gather(tree, n);
        }
        node = ap_tree_node(tree, node)->parent;
    }
}

/* What having the box below `node` costs: how much the node grows; a leaf becomes a branch of that size. */
static double cost_below(const ap_node *node, const apart_aabb *box)
{
    const apart_aabb both = ap_box_union(&node->box, box);
    return ap_node_is_leaf(node) ? ap_box_size(&both) : ap_box_size(&both) - ap_box_size(&node->box);
}

/* The leaf beside which the new one goes. Only a leaf becomes a branch: then no height changes by more than one, and a rotation mends it. */
static uint32_t find_sibling(const ap_tree *tree, const apart_aabb *box)
{
    uint32_t node = tree->root;
    while (!ap_node_is_leaf(ap_tree_node(tree, node))) {
        const ap_node *n = ap_tree_node(tree, node);
        const double first = cost_below(ap_tree_node(tree, n->child[0]), box), second = cost_below(ap_tree_node(tree, n->child[1]), box);
        node = second < first ? n->child[1] : n->child[0];
    }
    return node;
}

static void attach(ap_tree *tree, uint32_t leaf)
{
    if (tree->root == AP_NO_NODE) {
        tree->root = leaf;
        ap_tree_node(tree, leaf)->parent = AP_NO_NODE;
        return;
    }
    const uint32_t sibling = find_sibling(tree, &ap_tree_node(tree, leaf)->box), branch = take_node(tree);
    ap_node *b = ap_tree_node(tree, branch);
    replace_child(tree, ap_tree_node(tree, sibling)->parent, sibling, branch);
    b->child[0] = sibling;
    b->child[1] = leaf;
    ap_tree_node(tree, sibling)->parent = branch;
    ap_tree_node(tree, leaf)->parent = branch;
    mend(tree, branch);
}

static void detach(ap_tree *tree, uint32_t leaf)
{
    const uint32_t branch = ap_tree_node(tree, leaf)->parent;
    if (branch == AP_NO_NODE) {
        tree->root = AP_NO_NODE;
        return;
    }
    const ap_node *b = ap_tree_node(tree, branch);
    const uint32_t sibling = b->child[b->child[0] == leaf ? 1 : 0], above = b->parent;
    replace_child(tree, above, branch, sibling);
    give_node(tree, branch);
    mend(tree, above);
}

void ap_tree_init(ap_tree *tree)
{
    *tree = (ap_tree){.nodes = {.size = sizeof(ap_node)}, .root = AP_NO_NODE, .free = AP_NO_NODE};
}

bool ap_tree_reserve(ap_tree *tree, const apart_allocator *allocator)
{
    return ap_array_reserve(&tree->nodes, allocator, 2 * (size_t)tree->leaves + 2);
}

uint32_t ap_tree_insert(ap_tree *tree, uint32_t item, const apart_aabb *box)
{
    const uint32_t leaf = take_node(tree);
    *ap_tree_node(tree, leaf) = (ap_node){.box = *box, .parent = AP_NO_NODE, .child = {AP_NO_NODE, item}, .height = 0};
    attach(tree, leaf);
    tree->leaves++;
    return leaf;
}

void ap_tree_remove(ap_tree *tree, uint32_t leaf)
{
    detach(tree, leaf);
    give_node(tree, leaf);
    tree->leaves--;
}

void ap_tree_change(ap_tree *tree, uint32_t leaf, const apart_aabb *box)
{
    detach(tree, leaf);
    ap_tree_node(tree, leaf)->box = *box;
    attach(tree, leaf);
}
