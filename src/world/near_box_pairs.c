/* All pairs of bodies whose boxes are nearer than a limit, by walking the tree against itself; the limit may shrink on the way. Needs no
 * memory but its stack: for worlds with more near pairs than can be listed, and for the search for the nearest pairs. */
#include "world.h"

/* Two nodes, the same one for the pairs inside it, and a lower bound of their distance. */
typedef struct task {
    uint32_t a, b;
    double bound;
} task;

typedef struct stack {
    /* One task becomes at most three, of which the pairs inside a child come last and are as many as there are levels; between different
     * nodes two tasks replace one, each a level deeper on one side. */
    task tasks[4 * AP_TREE_HEIGHT + 4];
    size_t count;
} stack;

static void push(const ap_tree *tree, stack *s, uint32_t a, uint32_t b)
{
    const double bound = a == b ? 0.0 : ap_box_gap(&ap_tree_node(tree, a)->box, &ap_tree_node(tree, b)->box);
    s->tasks[s->count++] = (task){a, b, bound};
}

/* The nearer one of the last two on top. */
static void order(stack *s)
{
    task *last = &s->tasks[s->count - 1], *before = last - 1;
    if (before->bound < last->bound) {
        const task t = *last;
        *last = *before;
        *before = t;
    }
}

static void split(const ap_tree *tree, stack *s, const task *t)
{
    const ap_node *a = ap_tree_node(tree, t->a), *b = ap_tree_node(tree, t->b);
    if (t->a == t->b) {
        push(tree, s, a->child[0], a->child[1]);
        push(tree, s, a->child[1], a->child[1]);
        push(tree, s, a->child[0], a->child[0]);
        return;
    }
    const bool first = ap_node_is_leaf(b) || (!ap_node_is_leaf(a) && ap_box_size(&a->box) >= ap_box_size(&b->box));
    if (first) {
        push(tree, s, a->child[0], t->b);
        push(tree, s, a->child[1], t->b);
    } else {
        push(tree, s, t->a, b->child[0]);
        push(tree, s, t->a, b->child[1]);
    }
    order(s);
}

static apart_status join_tree(const ap_join *join, bool *stop)
{
    const ap_tree *tree = &join->world->tree;
    apart_status status = APART_OK;
    stack s = {.count = 0};
    push(tree, &s, tree->root, tree->root);
    while (s.count > 0 && status == APART_OK && !*stop) {
        const task t = s.tasks[--s.count];
        const ap_node *a = ap_tree_node(tree, t.a), *b = ap_tree_node(tree, t.b);
        if ((t.bound > 0.0 && t.bound >= *join->limit) || (t.a == t.b && ap_node_is_leaf(a))) {
            continue;
        }
        if (!ap_node_is_leaf(a) || !ap_node_is_leaf(b)) {
            split(tree, &s, &t);
        } else if (ap_world_admits(join->world, ap_node_item(a), ap_node_item(b))) {
            const uint32_t x = ap_node_item(a), y = ap_node_item(b);
            status = join->visit(join->context, x < y ? x : y, x < y ? y : x, t.bound, stop);
        }
    }
    return status;
}

static apart_status join_half_space(const ap_join *join, uint32_t slot, bool *stop)
{
    const apart_world *world = join->world;
    apart_status status = APART_OK;
    for (uint32_t other = 0; other < world->bodies.count && status == APART_OK && !*stop; other++) {
        const ap_body *body = ap_world_slot(world, other);
        if (body->leaf == AP_NO_NODE || !ap_world_admits(world, slot, other)) {
            continue;
        }
        const double bound = ap_half_space_gap(ap_world_slot(world, slot), &ap_tree_node(&world->tree, body->leaf)->box);
        if (bound == 0.0 || bound < *join->limit) {
            status = join->visit(join->context, slot < other ? slot : other, slot < other ? other : slot, bound, stop);
        }
    }
    return status;
}

apart_status ap_world_join(const ap_join *join)
{
    const apart_world *world = join->world;
    const uint32_t *unbounded = world->unbounded.items;
    bool stop = false;
    apart_status status = world->tree.root != AP_NO_NODE ? join_tree(join, &stop) : APART_OK;
    for (size_t i = 0; i < world->unbounded.count && status == APART_OK && !stop; i++) {
        status = join_half_space(join, unbounded[i], &stop);
    }
    return status;
}
