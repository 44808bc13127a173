/* The upkeep of a world (Cameron 1997 section 6, item C10: organising which pairs are tracked): boxes in the tree, and the list of near
 * pairs.
 *
 * A box in the tree is a body's box grown by a margin, and is made anew only when the body may have left it. The list holds the pairs
 * whose boxes come nearer than the reach to each other, so all pairs nearer than the reach: only bodies with new boxes can change it. */
#include "world.h"

/* The margin of a box: a share of the body's radius and a few of its steps, unless the last one was a jump. Larger margins make boxes
 * last longer and the list longer. */
static const double radius_share = 0.1;
static const double steps_ahead = 4.0;

/* A list that was made for a distance also serves one that is a little larger. */
static const double reach_share = 1.0 + 1.0 / 16.0;

enum { BOX_GRAIN = 32, ASKED_BEFORE_SHRINKING = 64 };

/* ---- boxes ---- */

double ap_half_space_gap(const ap_body *half_space, const apart_aabb *box)
{
    const apart_shape *plane = &half_space->shape;
    const apart_vec3 n = ap_apply(&half_space->pose.rotation, plane->u.plane.normal);
    /* The corner of the box farthest into the half-space. */
    const apart_vec3 corner = {n.x > 0.0 ? box->min.x : box->max.x, n.y > 0.0 ? box->min.y : box->max.y,
                               n.z > 0.0 ? box->min.z : box->max.z};
    const apart_vec3 x = ap_sub(corner, half_space->pose.translation);
    const double size = ap_max_abs(x) + ap_max_abs(corner) + fabs(plane->u.plane.offset) + plane->radius;
    /* A unit normal under a rotation with defect d has length within d of one; products and sums: 16 eps of all. */
    const double slack = (16.0 * DBL_EPSILON + 4.0 * half_space->defect) * size;
    const double gap = ap_dot(n, x) - (plane->u.plane.offset + plane->radius) - slack;
    return gap > 0.0 ? gap : 0.0;
}

typedef struct box_batch {
    apart_world *world;
    apart_aabb *boxes;
} box_batch;

/* The new boxes of queued bodies. A box whose numbers overflow becomes all of space, so that the query itself can complain. */
static void make_boxes(void *context, size_t first, size_t end)
{
    const box_batch *batch = context;
    const uint32_t *queue = batch->world->queue.items;
    for (size_t i = first; i < end; i++) {
        ap_body *body = ap_world_slot(batch->world, queue[i]);
        if (body->state != AP_BODY_ALIVE) {
            continue;
        }
        const bool jumped = !isfinite(body->last_step) || body->last_step > body->radius;
        body->mark = *ap_world_motion(batch->world, queue[i]);
        body->margin = jumped ? 0.0 : steps_ahead * body->last_step;
        if (ap_body_is_unbounded(body)) {
            continue;
        }
        body->margin = ap_min(radius_share * body->radius + body->margin, body->radius);
        apart_aabb box;
        if (apart_solid_aabb(ap_body_solid(body), &body->pose, &box) != APART_OK) {
            box = (apart_aabb){{-DBL_MAX, -DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX, DBL_MAX}};
            body->margin = 0.0;
        }
        batch->boxes[i] = ap_box_grow(&box, body->margin);
    }
}

/* After as many changes as there are leaves, the tree is built anew; that costs less than they did. */
static bool rebuild_tree(apart_world *world)
{
    if (world->tree.changes < world->tree.leaves || world->tree.leaves < 2) {
        return true;
    }
    if (!ap_array_reserve(&world->leaves, &world->allocator, world->tree.leaves)) {
        return false;
    }
    ap_tree_rebuild(&world->tree, world->leaves.items);
    for (uint32_t i = 0; i < world->tree.nodes.count; i++) {
        const ap_node *node = ap_tree_node(&world->tree, i);
        if (ap_node_is_leaf(node)) {
            ap_world_slot(world, ap_node_item(node))->leaf = i;
        }
    }
    return true;
}

static apart_status refit(apart_world *world)
{
    const uint32_t *queue = world->queue.items;
    if (!ap_array_reserve(&world->boxes, &world->allocator, world->queue.count)) {
        return APART_ERR_MEMORY;
    }
    box_batch batch = {world, world->boxes.items};
    ap_parallel_for(world->threads, world->queue.count, BOX_GRAIN, make_boxes, &batch);
    for (size_t i = 0; i < world->queue.count; i++) {
        ap_body *body = ap_world_slot(world, queue[i]);
        if (body->state == AP_BODY_ALIVE) {
            body->changed = 1;
            world->stats.refits++;
            if (body->leaf != AP_NO_NODE) {
                ap_tree_change(&world->tree, body->leaf, &batch.boxes[i]);
            }
        }
    }
    world->dirty = world->dirty || world->queue.count > 0;
    return rebuild_tree(world) ? APART_OK : APART_ERR_MEMORY;
}

/* ---- the list ---- */

/* A lower bound of the distance of two bodies, as long as their boxes in the tree hold. */
static double box_gap(const apart_world *world, uint32_t a, uint32_t b)
{
    const ap_body *x = ap_world_slot(world, a), *y = ap_world_slot(world, b);
    if (ap_body_is_unbounded(x)) {
        return ap_half_space_gap(x, &ap_tree_node(&world->tree, y->leaf)->box) - x->margin;
    }
    if (ap_body_is_unbounded(y)) {
        return ap_half_space_gap(y, &ap_tree_node(&world->tree, x->leaf)->box) - y->margin;
    }
    return ap_box_gap(&ap_tree_node(&world->tree, x->leaf)->box, &ap_tree_node(&world->tree, y->leaf)->box);
}

/* Pairs that have gone: a body has left, they are forbidden, or their boxes are too far apart. `all`: not only those of changed bodies. */
static void drop_pairs(apart_world *world, bool all)
{
    for (size_t i = 0; i < world->pairs.bounds.count;) {
        const ap_pair_bounds *pair = ap_pair_at(&world->pairs, i);
        const bool changed = all || ap_world_slot(world, pair->a)->changed || ap_world_slot(world, pair->b)->changed;
        if (changed && (!ap_world_admits(world, pair->a, pair->b) || box_gap(world, pair->a, pair->b) > world->reach)) {
            ap_pairs_remove(&world->pairs, i);
            world->stats.dropped++;
        } else {
            i++;
        }
    }
}

/* The list would be too long: queries do without, and its memory goes back. */
static void give_up_list(apart_world *world)
{
    ap_pairs_free(&world->pairs, &world->allocator);
    world->listed = 0;
    world->refits_then = world->stats.refits;
}

static apart_status add_pair(apart_world *world, uint32_t a, uint32_t b)
{
    if (!ap_world_admits(world, a, b) || ap_pairs_find(&world->pairs, a, b) != AP_NO_PAIR) {
        return APART_OK;
    }
    const double gap = box_gap(world, a, b);
    if (gap > world->reach) {
        return APART_OK;
    }
    if (world->pairs.bounds.count >= world->max_pairs) {
        give_up_list(world);
        return APART_OK;
    }
    if (!ap_pairs_add(&world->pairs, &world->allocator, a, b, gap > 0.0 ? gap : -INFINITY)) {
        return APART_ERR_MEMORY;
    }
    ap_pair_bounds *pair = ap_pair_at(&world->pairs, world->pairs.bounds.count - 1);
    pair->mark_a = *ap_world_motion(world, pair->a);
    pair->mark_b = *ap_world_motion(world, pair->b);
    world->stats.found++;
    return APART_OK;
}

/* A half-space against every body: there are few of them, and they seldom move. */
static apart_status add_pairs_of_half_space(apart_world *world, uint32_t slot)
{
    apart_status status = APART_OK;
    for (uint32_t other = 0; other < world->bodies.count && status == APART_OK && world->listed; other++) {
        status = add_pair(world, slot, other);
    }
    return status;
}

/* All pairs of a body; `above`: only with bodies in higher slots, when every body is asked. */
static apart_status add_pairs_of(apart_world *world, uint32_t slot, bool above)
{
    const ap_body *body = ap_world_slot(world, slot);
    if (ap_body_is_unbounded(body)) {
        return add_pairs_of_half_space(world, slot);
    }
    const uint32_t *unbounded = world->unbounded.items;
    apart_status status = APART_OK;
    for (size_t i = 0; i < world->unbounded.count && status == APART_OK && world->listed; i++) {
        status = add_pair(world, slot, unbounded[i]);
    }
    const apart_aabb box = ap_box_grow(&ap_tree_node(&world->tree, body->leaf)->box, world->reach);
    uint32_t stack[AP_TREE_HEIGHT + 2];
    size_t count = 0;
    stack[count++] = world->tree.root;
    while (count > 0 && status == APART_OK && world->listed) {
        const ap_node *node = ap_tree_node(&world->tree, stack[--count]);
        if (!ap_box_overlap(&node->box, &box)) {
            continue;
        }
        if (!ap_node_is_leaf(node)) {
            stack[count++] = node->child[1];
            stack[count++] = node->child[0];
        } else if (!above || ap_node_item(node) > slot) {
            status = add_pair(world, slot, ap_node_item(node));
        }
    }
    return status;
}

/* The list from nothing, for the reach as it is. */
static apart_status list_all(apart_world *world)
{
    apart_status status = APART_OK;
    ap_pairs_clear(&world->pairs);
    world->listed = 1;
    for (uint32_t slot = 0; slot < world->bodies.count && status == APART_OK && world->listed; slot++) {
        if (ap_world_slot(world, slot)->state == AP_BODY_ALIVE) {
            status = add_pairs_of(world, slot, true);
        }
    }
    if (status != APART_OK) {
        give_up_list(world); /* half a list is none */
    }
    return status;
}

/* Once as many boxes have been made anew as there are bodies, a list that was too long is tried again. */
static apart_status retry_list(apart_world *world)
{
    if ((world->listed && world->too_far == INFINITY) || world->stats.refits - world->refits_then <= world->alive) {
        return APART_OK;
    }
    world->too_far = INFINITY;
    world->refits_then = world->stats.refits;
    return world->listed ? APART_OK : list_all(world);
}

/* ---- bodies that left ---- */

/* The disabled pairs of bodies that leave. A removal fills its place with a later key, so the place is looked at again. */
static void forget_disabled(apart_world *world)
{
    for (size_t i = 0; world->disabled.used > 0 && i < world->disabled.keys.count;) {
        const uint64_t key = ((const uint64_t *)world->disabled.keys.items)[i];
        const uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
        if (key != 0 && (ap_world_slot(world, a)->state == AP_BODY_LEAVING || ap_world_slot(world, b)->state == AP_BODY_LEAVING)) {
            ap_set_remove(&world->disabled, a, b);
        } else {
            i++;
        }
    }
}

static void free_slots(apart_world *world)
{
    const uint32_t *leaving = world->leaving.items;
    if (world->leaving.count > 0) {
        forget_disabled(world);
    }
    for (size_t i = 0; i < world->leaving.count; i++) {
        ap_body *body = ap_world_slot(world, leaving[i]);
        const uint32_t generation = body->generation;
        *body = (ap_body){.generation = generation, .leaf = AP_NO_NODE};
        ((uint32_t *)world->free_slots.items)[world->free_slots.count++] = leaving[i];
    }
    world->leaving.count = 0;
}

/* ---- the update ---- */

static apart_status find_pairs(apart_world *world)
{
    const uint32_t *queue = world->queue.items;
    apart_status status = APART_OK;
    for (size_t i = 0; i < world->queue.count && status == APART_OK && world->listed; i++) {
        if (ap_world_slot(world, queue[i])->state == AP_BODY_ALIVE) {
            status = add_pairs_of(world, queue[i], false);
        }
    }
    return status;
}

static void clear_marks(apart_world *world)
{
    const uint32_t *queue = world->queue.items;
    for (size_t i = 0; i < world->queue.count; i++) {
        ap_world_slot(world, queue[i])->queued = ap_world_slot(world, queue[i])->changed = 0;
    }
    world->queue.count = 0;
    world->dirty = 0;
}

apart_status apart_world_update(apart_world *world)
{
    if (world == NULL) {
        return APART_ERR_NULL;
    }
    if (world->rebase) {
        ap_motion_rebase(world);
    }
    if (world->queue.count == 0 && !world->dirty) {
        return APART_OK;
    }
    apart_status status = refit(world);
    if (status != APART_OK) {
        return status;
    }
    if (world->listed) {
        drop_pairs(world, false);
        status = find_pairs(world);
    }
    if (status == APART_OK) {
        status = retry_list(world);
    }
    if (status == APART_OK) {
        clear_marks(world);
        free_slots(world);
    }
    return status;
}

/* A reach that was wanted once, long ago, makes the list longer than it need be. */
static void shrink_reach(apart_world *world, double distance)
{
    world->asked_most = ap_max(world->asked_most, distance);
    if (++world->asked < ASKED_BEFORE_SHRINKING) {
        return;
    }
    if (world->listed && reach_share * world->asked_most < world->reach / 2.0) {
        world->reach = reach_share * world->asked_most;
        drop_pairs(world, true);
    }
    world->asked = 0;
    world->asked_most = 0.0;
}

/* Enlarges the reach, or finds out that it would be too much. */
static apart_status extend_reach(apart_world *world, double distance)
{
    const double before = world->reach;
    world->reach = reach_share * distance;
    apart_status status = list_all(world);
    if (status == APART_OK && !world->listed) {
        world->too_far = distance;
        world->reach = before;
        status = list_all(world);
    }
    return status;
}

apart_status ap_world_list_pairs(apart_world *world, double distance, bool *listed)
{
    apart_status status = apart_world_update(world);
    if (status == APART_OK) {
        shrink_reach(world, distance);
    }
    if (status == APART_OK && world->listed && distance > world->reach && distance < world->too_far) {
        status = extend_reach(world, distance);
    }
    *listed = status == APART_OK && world->listed && distance <= world->reach;
    return status;
}
