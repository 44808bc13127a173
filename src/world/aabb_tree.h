/* A tree of boxes that changes with its leaves: the broad phase of a world.
 *
 * Every node's box holds its children's. A leaf goes beside the node whose box it enlarges least; heights of siblings differ by one at
 * most, so the tree is never deeper than AP_TREE_HEIGHT and a walk needs no memory but a small stack. */
#ifndef AP_WORLD_AABB_TREE_H
#define AP_WORLD_AABB_TREE_H

#include "../parts/box.h"
#include "../base/array.h"

#define AP_NO_NODE UINT32_MAX

/* Balanced as it is, a tree of 2^32 nodes is at most 1.44 * 32 + 1 high. */
#define AP_TREE_HEIGHT 48

typedef struct ap_node {
    apart_aabb box;
    uint32_t parent;   /* of a free node: the next free one */
    uint32_t child[2]; /* of a leaf: AP_NO_NODE and the caller's number */
    uint32_t height;   /* 0: leaf */
} ap_node;

typedef struct ap_tree {
    ap_array nodes; /* of ap_node */
    uint32_t root, free;
    uint32_t leaves;
    uint32_t changes; /* since it was built anew */
} ap_tree;

/* A leaf on its way into a new tree. */
typedef struct ap_leaf {
    apart_aabb box;
    uint32_t item;
} ap_leaf;

static inline ap_node *ap_tree_node(const ap_tree *tree, uint32_t node) { return (ap_node *)tree->nodes.items + node; }

static inline bool ap_node_is_leaf(const ap_node *node) { return node->height == 0; }

static inline uint32_t ap_node_item(const ap_node *leaf) { return leaf->child[1]; }

void ap_tree_init(ap_tree *tree);

/* Room for one more leaf, so that the next insertion cannot fail. */
bool ap_tree_reserve(ap_tree *tree, const apart_allocator *allocator);

/* A leaf for `item`; needs room. Returns its node. */
uint32_t ap_tree_insert(ap_tree *tree, uint32_t item, const apart_aabb *box);

void ap_tree_remove(ap_tree *tree, uint32_t leaf);

/* Gives a leaf another box, in another place of the tree if it is far from the old one; its node stays the same. */
void ap_tree_change(ap_tree *tree, uint32_t leaf, const apart_aabb *box);

/* Builds the tree anew from its leaves, halving them along the longest side of their middles: walks become shorter than in a tree that
 * has grown. `leaves` is room for all of them. Nodes get other numbers: afterwards the leaf of each item is found by going over the
 * nodes. */
void ap_tree_rebuild(ap_tree *tree, ap_leaf *leaves);

#endif
