/* The broad phase (Cameron 1997 section 6, item C10 of docs/papers.md: organising which pairs are tracked): the boxes
 * in the tree, and the list of near pairs.
 *
 * A box in the tree is a body's box grown by a margin, and is computed again only when the body may have left it. The
 * list holds the pairs whose boxes are nearer than the list's distance, so all pairs of bodies that are: only bodies
 * with new boxes can change it. */
#include "world.h"

/* The margin of a box: a share of the body's radius and some of its steps, unless the last one was a jump. With
 * larger margins boxes last longer and the list is longer. */
static const double radius_share = 0.1;
static const double steps_ahead = 4.0;

/* A list is made for a distance a little larger than the one that was asked for. */
static const double list_distance_share = 1.0 + 1.0 / 16.0;

enum { BOX_GRAIN = 32, ASKED_BEFORE_SHRINKING = 64 };

/* ---- boxes ---- */

double ap_half_space_gap(const ap_body *half_space, const apart_aabb *box)
{
    const apart_shape *plane = &half_space->shape;
    const apart_vec3 n = ap_apply(&half_space->pose.rotation, plane->u.plane.normal);
    /* The corner of the box that is deepest in the half-space. */
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

/* Runs on a thread: the new boxes of queued bodies. A box whose numbers overflow becomes all of space, so that the
 * query of the pair reports the error. */
static void compute_boxes(void *context, size_t first, size_t end)
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

/* Rebuilds the tree after as many changes as it has leaves; that costs less than the changes did. */
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

static apart_status refit_boxes(apart_world *world)
{
    const uint32_t *queue = world->queue.items;
    if (!ap_array_reserve(&world->boxes, &world->allocator, world->queue.count)) {
        return APART_ERR_MEMORY;
    }
    box_batch batch = {world, world->boxes.items};
    const apart_status status =
        ap_executor_for(&world->executor, world->threads, world->queue.count, BOX_GRAIN, compute_boxes, &batch);
    if (status != APART_OK) {
        return status;
    }
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

/* A lower bound of the distance between two bodies, as long as their boxes in the tree hold. */
static double body_box_gap(const apart_world *world, uint32_t a, uint32_t b)
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

/* Drops the pairs of changed bodies, or of all, that are no longer admitted or whose boxes are too far apart. */
static void drop_pairs(apart_world *world, bool all)
{
    for (size_t i = 0; i < world->pairs.bounds.count;) {
        const ap_pair_bounds *pair = ap_pair_at(&world->pairs, i);
        const bool changed = all || ap_world_slot(world, pair->a)->changed || ap_world_slot(world, pair->b)->changed;
        if (changed && (!ap_world_admits(world, pair->a, pair->b) ||
                        body_box_gap(world, pair->a, pair->b) > world->list_distance ||
                        !ap_world_asks_slots(world, pair->a, pair->b))) {
            ap_pair_table_remove(&world->pairs, i);
            world->stats.dropped++;
        } else {
            i++;
        }
    }
}

/* The list would be too long: its memory is released, and queries do without it. */
static void abandon_list(apart_world *world)
{
    ap_pair_table_free(&world->pairs, &world->allocator);
    world->listed = 0;
    world->refits_at_overflow = world->stats.refits;
}

static apart_status add_pair(apart_world *world, uint32_t a, uint32_t b)
{
    if (!ap_world_admits(world, a, b) || ap_pair_table_find(&world->pairs, a, b) != AP_NO_PAIR) {
        return APART_OK;
    }
    const double gap = body_box_gap(world, a, b);
    if (gap > world->list_distance || !ap_world_asks_slots(world, a, b)) {
        return APART_OK;
    }
    if (world->pairs.bounds.count >= world->max_pairs) {
        abandon_list(world);
        return APART_OK;
    }
    if (!ap_pair_table_add(&world->pairs, &world->allocator, a, b, gap > 0.0 ? gap : -INFINITY)) {
        return APART_ERR_MEMORY;
    }
    ap_pair_bounds *pair = ap_pair_at(&world->pairs, world->pairs.bounds.count - 1);
    pair->mark_a = *ap_world_motion(world, pair->a);
    pair->mark_b = *ap_world_motion(world, pair->b);
    world->stats.found++;
    return APART_OK;
}

/* A half-space against every body: half-spaces are rare and seldom move. */
static apart_status add_pairs_of_half_space(apart_world *world, uint32_t slot)
{
    apart_status status = APART_OK;
    for (uint32_t other = 0; other < world->bodies.count && status == APART_OK && world->listed; other++) {
        status = add_pair(world, slot, other);
    }
    return status;
}

/* Adds the pairs of a body; `above`: only with bodies in higher slots, when the pairs of all bodies are added. */
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
    const apart_aabb box = ap_box_grow(&ap_tree_node(&world->tree, body->leaf)->box, world->list_distance);
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

/* Makes the list for its present distance from scratch. */
static apart_status list_from_scratch(apart_world *world)
{
    apart_status status = APART_OK;
    ap_pair_table_clear(&world->pairs);
    world->listed = 1;
    for (uint32_t slot = 0; slot < world->bodies.count && status == APART_OK && world->listed; slot++) {
        if (ap_world_slot(world, slot)->state == AP_BODY_ALIVE) {
            status = add_pairs_of(world, slot, true);
        }
    }
    if (status != APART_OK) {
        abandon_list(world); /* an incomplete list is of no use */
    }
    return status;
}

/* Tries a list that was too long again, once as many boxes have been refitted as there are bodies. */
static apart_status retry_list(apart_world *world)
{
    const bool overflowed = !world->listed || world->overflow_distance != INFINITY;
    if (!overflowed || world->stats.refits - world->refits_at_overflow <= world->alive) {
        return APART_OK;
    }
    world->overflow_distance = INFINITY;
    world->refits_at_overflow = world->stats.refits;
    return world->listed ? APART_OK : list_from_scratch(world);
}

/* ---- bodies that left ---- */

/* Removes the disabled pairs of leaving bodies. A removal may fill the place with a later key, so the same place is
 * tested again. */
static void remove_disabled_pairs(apart_world *world)
{
    for (size_t i = 0; world->disabled.used > 0 && i < world->disabled.keys.count;) {
        const uint64_t key = ((const uint64_t *)world->disabled.keys.items)[i];
        const uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
        if (key != 0 &&
            (ap_world_slot(world, a)->state == AP_BODY_LEAVING || ap_world_slot(world, b)->state == AP_BODY_LEAVING)) {
            ap_pair_set_remove(&world->disabled, a, b);
        } else {
            i++;
        }
    }
}

static void free_slots(apart_world *world)
{
    const uint32_t *leaving = world->leaving.items;
    if (world->leaving.count > 0) {
        remove_disabled_pairs(world);
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

static apart_status add_new_pairs(apart_world *world)
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

static void clear_queue(apart_world *world)
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
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    if (world->rebase) {
        ap_motion_rebase(world);
    }
    if (world->queue.count == 0 && !world->dirty) {
        return APART_OK;
    }
    apart_status status = refit_boxes(world);
    if (status != APART_OK) {
        return status;
    }
    if (world->listed) {
        drop_pairs(world, false);
        status = add_new_pairs(world);
    }
    if (status == APART_OK) {
        status = retry_list(world);
    }
    if (status == APART_OK) {
        clear_queue(world);
        free_slots(world);
    }
    return status;
}

/* After many queries with much smaller distances, the list is cut to the largest of these: a list for more is longer
 * than necessary. */
static void shrink_list_distance(apart_world *world, double distance)
{
    world->largest_asked = ap_max(world->largest_asked, distance);
    if (++world->asked_count < ASKED_BEFORE_SHRINKING) {
        return;
    }
    if (world->listed && list_distance_share * world->largest_asked < world->list_distance / 2.0) {
        world->list_distance = list_distance_share * world->largest_asked;
        drop_pairs(world, true);
    }
    world->asked_count = 0;
    world->largest_asked = 0.0;
}

/* Makes the list for a larger distance, or notes that it would be too long. */
static apart_status extend_list_distance(apart_world *world, double distance)
{
    const double before = world->list_distance;
    world->list_distance = list_distance_share * distance;
    apart_status status = list_from_scratch(world);
    if (status == APART_OK && !world->listed) {
        world->overflow_distance = distance;
        world->list_distance = before;
        status = list_from_scratch(world);
    }
    return status;
}

apart_status ap_world_list_near_pairs(apart_world *world, double distance, bool *listed)
{
    apart_status status = apart_world_update(world);
    if (status == APART_OK) {
        shrink_list_distance(world, distance);
    }
    if (status == APART_OK && world->listed && distance > world->list_distance && distance < world->overflow_distance) {
        status = extend_list_distance(world, distance);
    }
    *listed = status == APART_OK && world->listed && distance <= world->list_distance;
    return status;
}
