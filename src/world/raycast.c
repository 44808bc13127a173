/* The first body that a ray hits, by a descent of the tree, nearer boxes first. The world is only read. */
#include "../compound/ray_box.h"
#include "../motion/ray.h"
#include "world.h"

enum { RAY_GRAIN = 4 };

typedef struct ray_search {
    const apart_world *world;
    apart_ray ray;        /* its length shrinks to the nearest hit */
    apart_vec3 direction; /* unit */
    uint32_t ignores;
    apart_world_ray_hit best;
} ray_search;

static apart_status cast_at_body(ray_search *s, uint32_t slot)
{
    const ap_body *body = ap_world_slot(s->world, slot);
    apart_ray_hit found;
    uint32_t part;
    if (body->state != AP_BODY_ALIVE || (body->groups & s->ignores) != 0) {
        return APART_OK;
    }
    const apart_status status = apart_compound_raycast(&s->ray, ap_body_solid(body), &body->pose, &found, &part);
    if (status != APART_OK || !found.hit) {
        return status;
    }
    const bool tie = s->best.hit.hit && found.distance == s->best.hit.distance;
    if (!s->best.hit.hit || found.distance < s->best.hit.distance || (tie && slot < s->best.body.slot)) {
        s->best = (apart_world_ray_hit){found, ap_world_id(s->world, slot), part};
        s->ray.length = found.distance;
    }
    return APART_OK;
}

/* Where the ray enters a node's box, never too late. */
static double box_entry(const ray_search *s, uint32_t node)
{
    const apart_aabb *box = &ap_tree_node(&s->world->tree, node)->box;
    const double size = ap_max(ap_max_abs(box->min), ap_max_abs(box->max)) + ap_max_abs(s->ray.origin);
    return ap_ray_box(s->ray.origin, s->direction, s->ray.length, box, 64.0 * DBL_EPSILON * size);
}

static apart_status cast_at_tree(ray_search *s)
{
    const ap_tree *tree = &s->world->tree;
    uint32_t stack[AP_TREE_HEIGHT + 2];
    size_t count = 0;
    apart_status status = APART_OK;
    if (tree->root != AP_NO_NODE) {
        stack[count++] = tree->root;
    }
    while (count > 0 && status == APART_OK) {
        const uint32_t number = stack[--count];
        const ap_node *node = ap_tree_node(tree, number);
        if (ap_ray_misses(box_entry(s, number))) {
            continue;
        }
        if (ap_node_is_leaf(node)) {
            const uint32_t slot = ap_node_item(node);
            status = ap_world_slot(s->world, slot)->queued ? APART_OK : cast_at_body(s, slot);
            continue;
        }
        const bool second_first = box_entry(s, node->child[1]) < box_entry(s, node->child[0]);
        stack[count++] = node->child[second_first ? 0 : 1];
        stack[count++] = node->child[second_first ? 1 : 0];
    }
    return status;
}

/* Bodies that have left their boxes, and half-spaces, which have none. */
static apart_status cast_outside_tree(ray_search *s)
{
    const uint32_t *queue = s->world->queue.items, *unbounded = s->world->unbounded.items;
    apart_status status = APART_OK;
    for (size_t i = 0; i < s->world->queue.count && status == APART_OK; i++) {
        status = ap_body_is_unbounded(ap_world_slot(s->world, queue[i])) ? APART_OK : cast_at_body(s, queue[i]);
    }
    for (size_t i = 0; i < s->world->unbounded.count && status == APART_OK; i++) {
        status = cast_at_body(s, unbounded[i]);
    }
    return status;
}

apart_status apart_world_raycast(const apart_world *world, const apart_ray *ray, uint32_t ignores,
                                 apart_world_ray_hit *hit)
{
    if (world == NULL || ray == NULL || hit == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = ap_ray_check(ray);
    if (status != APART_OK) {
        return status;
    }
    ray_search s = {.world = world, .ray = *ray, .direction = ap_unit(ray->direction), .ignores = ignores};
    s.best.hit.lower = ray->length;
    status = cast_at_tree(&s);
    if (status == APART_OK) {
        status = cast_outside_tree(&s);
    }
    if (status == APART_OK) {
        *hit = s.best;
    }
    return status;
}

typedef struct ray_batch {
    const apart_world *world;
    const apart_ray *rays;
    uint32_t ignores;
    apart_world_ray_hit *hits;
} ray_batch;

/* Runs on a thread. A ray that fails leaves its status in `part`, which a miss does not use. */
static void cast_rays(void *context, size_t first, size_t end)
{
    const ray_batch *batch = context;
    for (size_t i = first; i < end; i++) {
        apart_world_ray_hit *hit = &batch->hits[i];
        const apart_status status = apart_world_raycast(batch->world, &batch->rays[i], batch->ignores, hit);
        if (status != APART_OK) {
            *hit = (apart_world_ray_hit){.part = (uint32_t)status};
        }
    }
}

apart_status apart_world_raycast_many(const apart_world *world, const apart_ray *rays, size_t count, uint32_t ignores,
                                      apart_world_ray_hit *hits)
{
    if (world == NULL || (count > 0 && (rays == NULL || hits == NULL))) {
        return APART_ERR_NULL;
    }
    ray_batch batch = {world, rays, ignores, hits};
    ap_parallel_for(world->threads, count, RAY_GRAIN, cast_rays, &batch);
    apart_status first = APART_OK;
    for (size_t i = 0; i < count; i++) {
        if (!hits[i].hit.hit && hits[i].part != 0) {
            first = first == APART_OK ? (apart_status)hits[i].part : first;
            hits[i].part = 0;
        }
    }
    return first;
}
