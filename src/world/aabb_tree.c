/* The tree of boxes: insertion next to the leaf that a greedy descent finds, and rotations that keep the tree
 * balanced (Adelson-Velsky and Landis 1962; trees of boxes that change: Goldsmith and Salmon 1987).
 *
 * We differ in the measure of a box, which is the sum of its extents and so neither overflows nor vanishes for flat
 * boxes; and every choice has a fixed answer, the first child on a tie, so that the same calls make the same tree. */
#include "aabb_tree.h"

static uint32_t take_node(ap_tree *tree)
{
    const uint32_t free = tree->free;
    if (free != AP_NO_NODE) {
        tree->free = ap_tree_node(tree, free)->parent;
        return free;
    }
    return (uint32_t)tree->nodes.count++;
}

static void free_node(ap_tree *tree, uint32_t node)
{
    ap_node *n = ap_tree_node(tree, node);
    n->parent = tree->free;
    n->height = 0;
    n->child[0] = n->child[1] = AP_NO_NODE;
    tree->free = node;
}

/* Sets box and height of a branch from its children. */
static void update_node(ap_tree *tree, ap_node *node)
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

/* The taller child of `node` takes its place; of the grandchildren the taller stays above, the lower one becomes a
 * child of `node`. Returns the new top. */
static uint32_t rotate_up(ap_tree *tree, uint32_t node, int taller)
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
    update_node(tree, n);
    update_node(tree, u);
    return up;
}

/* Rebalances and updates the nodes from `node` to the root. */
static void rebalance(ap_tree *tree, uint32_t node)
{
    while (node != AP_NO_NODE) {
        ap_node *n = ap_tree_node(tree, node);
        const uint32_t first = ap_tree_node(tree, n->child[0])->height;
        const uint32_t second = ap_tree_node(tree, n->child[1])->height;
        if (first > second + 1) {
            node = rotate_up(tree, node, 0);
        } else if (second > first + 1) {
            node = rotate_up(tree, node, 1);
        } else {
            update_node(tree, n);
        }
        node = ap_tree_node(tree, node)->parent;
    }
}

/* The cost of inserting a box below `node`: how much the node grows. A leaf becomes a branch, which is all growth. */
static double insertion_cost(const ap_node *node, const apart_aabb *box)
{
    const apart_aabb both = ap_box_union(&node->box, box);
    return ap_node_is_leaf(node) ? ap_box_size(&both) : ap_box_size(&both) - ap_box_size(&node->box);
}

/* The leaf that becomes the sibling of the new one. Only a leaf is replaced by a branch: then no height changes by
 * more than one, and a rotation restores the balance. */
static uint32_t find_sibling(const ap_tree *tree, const apart_aabb *box)
{
    uint32_t node = tree->root;
    while (!ap_node_is_leaf(ap_tree_node(tree, node))) {
        const ap_node *n = ap_tree_node(tree, node);
        const double first = insertion_cost(ap_tree_node(tree, n->child[0]), box);
        const double second = insertion_cost(ap_tree_node(tree, n->child[1]), box);
        node = second < first ? n->child[1] : n->child[0];
    }
    return node;
}

static void attach_leaf(ap_tree *tree, uint32_t leaf)
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
    rebalance(tree, branch);
}

static void detach_leaf(ap_tree *tree, uint32_t leaf)
{
    const uint32_t branch = ap_tree_node(tree, leaf)->parent;
    if (branch == AP_NO_NODE) {
        tree->root = AP_NO_NODE;
        return;
    }
    const ap_node *b = ap_tree_node(tree, branch);
    const uint32_t sibling = b->child[b->child[0] == leaf ? 1 : 0], above = b->parent;
    replace_child(tree, above, branch, sibling);
    free_node(tree, branch);
    rebalance(tree, above);
}

/* ---- rebuilding ---- */

static double center_along(const ap_leaf *leaf, int axis)
{
    const apart_aabb *b = &leaf->box;
    const double min = axis == 0 ? b->min.x : axis == 1 ? b->min.y : b->min.z;
    const double max = axis == 0 ? b->max.x : axis == 1 ? b->max.y : b->max.z;
    return 0.5 * min + 0.5 * max;
}

static int widest_axis(const ap_leaf *leaves, size_t count)
{
    double low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = center_along(&leaves[0], axis);
        for (size_t i = 1; i < count; i++) {
            const double m = center_along(&leaves[i], axis);
            low[axis] = ap_min(low[axis], m);
            high[axis] = ap_max(high[axis], m);
        }
    }
    const double x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static bool is_before(const ap_leaf *x, const ap_leaf *y, int axis)
{
    const double a = center_along(x, axis), b = center_along(y, axis);
    return a < b || (a == b && x->item < y->item);
}

static void swap_leaves(ap_leaf *x, ap_leaf *y)
{
    const ap_leaf t = *x;
    *x = *y;
    *y = t;
}

/* Quickselect: puts the `half` leaves that are first along the axis before the others (Hoare 1961). Since the items
 * differ, no two leaves are equal. */
static void select_half(ap_leaf *leaves, size_t count, size_t half, int axis)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        const ap_leaf pivot = leaves[low + (high - low) / 2];
        size_t i = low, end = high - 1;
        swap_leaves(&leaves[low + (high - low) / 2], &leaves[end]);
        for (size_t k = low; k < end; k++) {
            if (is_before(&leaves[k], &pivot, axis)) {
                swap_leaves(&leaves[i++], &leaves[k]);
            }
        }
        swap_leaves(&leaves[i], &leaves[end]);
        if (i == half) {
            return;
        }
        if (half < i) {
            high = i;
        } else {
            low = i + 1;
        }
    }
}

/* Makes the nodes at .. at + 2 count - 2 for the leaves, a node before its children. Halving bounds the recursion. */
static void build_subtree(ap_tree *tree, uint32_t at, uint32_t parent, ap_leaf *leaves, size_t count)
{
    ap_node *node = ap_tree_node(tree, at);
    node->parent = parent;
    if (count == 1) {
        *node = (ap_node){leaves[0].box, parent, {AP_NO_NODE, leaves[0].item}, 0};
        return;
    }
    const size_t half = count / 2;
    select_half(leaves, count, half, widest_axis(leaves, count));
    node->child[0] = at + 1;
    node->child[1] = at + 2 * (uint32_t)half;
    build_subtree(tree, node->child[0], at, leaves, half);
    build_subtree(tree, node->child[1], at, leaves + half, count - half);
    update_node(tree, node);
}

void ap_tree_rebuild(ap_tree *tree, ap_leaf *leaves)
{
    size_t count = 0;
    uint32_t stack[AP_TREE_HEIGHT + 2];
    size_t left = 0;
    tree->changes = 0;
    if (tree->root == AP_NO_NODE) {
        return;
    }
    stack[left++] = tree->root;
    while (left > 0) {
        const ap_node *node = ap_tree_node(tree, stack[--left]);
        if (ap_node_is_leaf(node)) {
            leaves[count++] = (ap_leaf){node->box, ap_node_item(node)};
        } else {
            stack[left++] = node->child[1];
            stack[left++] = node->child[0];
        }
    }
    tree->nodes.count = 2 * count - 1;
    tree->free = AP_NO_NODE;
    tree->root = 0;
    build_subtree(tree, 0, AP_NO_NODE, leaves, count);
}

/* ---- the functions of aabb_tree.h ---- */

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
    attach_leaf(tree, leaf);
    tree->leaves++;
    tree->changes++;
    return leaf;
}

void ap_tree_remove(ap_tree *tree, uint32_t leaf)
{
    detach_leaf(tree, leaf);
    free_node(tree, leaf);
    tree->leaves--;
}

/* Updates the boxes from a node towards the root, up to the first that does not change. */
static void update_ancestors(ap_tree *tree, uint32_t node)
{
    while (node != AP_NO_NODE) {
        ap_node *n = ap_tree_node(tree, node);
        const apart_aabb before = n->box;
        update_node(tree, n);
        const apart_vec3 *low = &before.min, *high = &before.max;
        if (low->x == n->box.min.x && low->y == n->box.min.y && low->z == n->box.min.z && high->x == n->box.max.x &&
            high->y == n->box.max.y && high->z == n->box.max.z) {
            return;
        }
        node = n->parent;
    }
}

void ap_tree_change(ap_tree *tree, uint32_t leaf, const apart_aabb *box)
{
    ap_node *node = ap_tree_node(tree, leaf);
    tree->changes++;
    if (ap_box_overlap(&node->box, box)) {
        node->box = *box; /* a small step: the leaf stays where it is */
        update_ancestors(tree, node->parent);
        return;
    }
    detach_leaf(tree, leaf);
    ap_tree_node(tree, leaf)->box = *box;
    attach_leaf(tree, leaf);
}
