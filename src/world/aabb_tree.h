/* A tree of boxes that changes with its leaves: the broad phase of a world.
 *
 * Every node's box holds its children's. A leaf becomes the sibling of the leaf to which the descent with the least
 * growth leads; heights of siblings differ by one at most, so the tree is never higher than AP_TREE_HEIGHT and a
 * traversal needs no memory but a small stack. */
#ifndef AP_WORLD_AABB_TREE_H
#define AP_WORLD_AABB_TREE_H

#include "../parts/box.h"
#include "../base/array.h"

#define AP_NO_NODE UINT32_MAX

/* A balanced tree of 2^32 nodes is at most 1.44 * 32 + 1 high. */
#define AP_TREE_HEIGHT 48

typedef struct ap_node {
    apart_aabb box;
    uint32_t parent;   /* of a free node: the next free one */
    uint32_t child[2]; /* of a leaf: AP_NO_NODE and the caller's item */
    uint32_t height;   /* 0: leaf */
} ap_node;

typedef struct ap_tree {
    ap_array nodes; /* of ap_node */
    uint32_t root, free;
    uint32_t leaves;
    uint32_t changes; /* since the last rebuild */
} ap_tree;

/* A leaf while the tree is rebuilt. */
typedef struct ap_leaf {
    apart_aabb box;
    uint32_t item;
} ap_leaf;

static inline ap_node *ap_tree_node(const ap_tree *tree, uint32_t node) { return (ap_node *)tree->nodes.items + node; }

static inline bool ap_node_is_leaf(const ap_node *node) { return node->height == 0; }

static inline uint32_t ap_node_item(const ap_node *leaf) { return leaf->child[1]; }

void ap_tree_init(ap_tree *tree);

/* Makes room for one more leaf, so that the next insertion cannot fail; false: the allocation failed. */
bool ap_tree_reserve(ap_tree *tree, const apart_allocator *allocator);

/* Inserts a leaf for `item`, after ap_tree_reserve(). Returns its node. */
uint32_t ap_tree_insert(ap_tree *tree, uint32_t item, const apart_aabb *box);

void ap_tree_remove(ap_tree *tree, uint32_t leaf);

/* Gives a leaf another box, and moves it in the tree if the boxes do not overlap. Its node stays the same. */
void ap_tree_change(ap_tree *tree, uint32_t leaf, const apart_aabb *box);

/* Builds a new tree from the leaves, halving them along the longest side of the box of their centers; traversals of
 * it are shorter than of a tree that has grown. `leaves` is scratch memory for all of them. Nodes get other numbers:
 * afterwards the caller goes over the nodes to find the leaf of each item. */
void ap_tree_rebuild(ap_tree *tree, ap_leaf *leaves);

#endif
