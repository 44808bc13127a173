/* The bodies that a ray hits, by a descent of the tree, nearer boxes first: the first one, or each for the caller's
 * function. The world is only read. */
#include "../compound/ray_box.h"
#include "../motion/ray.h"
#include "probe.h"

enum { RAY_GRAIN = 4 };

typedef struct ray_search {
    ap_probe filter;
    apart_ray ray;        /* its length shrinks to what still matters */
    apart_vec3 direction; /* unit */
    bool ended;
    apart_world_ray_fn *visit;
    void *context;
} ray_search;

static apart_status cast_at_body(void *context, uint32_t slot)
{
    ray_search *s = context;
    const ap_body *body = ap_world_slot(s->filter.world, slot);
    apart_world_ray_hit found = {.body = ap_world_id(s->filter.world, slot), .user = body->user};
    if (s->ended || !ap_probe_admits(&s->filter, slot)) {
        return APART_OK;
    }
    const apart_status status =
        apart_compound_raycast(&s->ray, ap_body_solid(body), &body->pose, &found.hit, &found.part);
    if (status != APART_OK || !found.hit.hit) {
        return status;
    }
    ap_world_enter_callback(s->filter.world);
    const double length = s->visit(s->context, &found);
    ap_world_leave_callback(s->filter.world);
    s->ended = !(length >= 0.0);
    s->ray.length = length < s->ray.length ? length : s->ray.length;
    return APART_OK;
}

/* Where the ray enters a node's box, never too late. */
static double box_entry(const ray_search *s, uint32_t node)
{
    const apart_aabb *box = &ap_tree_node(&s->filter.world->tree, node)->box;
    const double size = ap_max(ap_max_abs(box->min), ap_max_abs(box->max)) + ap_max_abs(s->ray.origin);
    return ap_ray_box(s->ray.origin, s->direction, s->ray.length, box, 64.0 * DBL_EPSILON * size);
}

static apart_status cast_at_tree(ray_search *s)
{
    const ap_tree *tree = &s->filter.world->tree;
    uint32_t stack[AP_TREE_HEIGHT + 2];
    size_t count = 0;
    apart_status status = APART_OK;
    if (tree->root != AP_NO_NODE) {
        stack[count++] = tree->root;
    }
    while (count > 0 && status == APART_OK && !s->ended) {
        const uint32_t number = stack[--count];
        const ap_node *node = ap_tree_node(tree, number);
        if (ap_ray_misses(box_entry(s, number))) {
            continue;
        }
        if (ap_node_is_leaf(node)) {
            const uint32_t slot = ap_node_item(node);
            status = ap_world_slot(s->filter.world, slot)->queued ? APART_OK : cast_at_body(s, slot);
            continue;
        }
        const bool second_first = box_entry(s, node->child[1]) < box_entry(s, node->child[0]);
        stack[count++] = node->child[second_first ? 0 : 1];
        stack[count++] = node->child[second_first ? 1 : 0];
    }
    return status;
}

apart_status apart_world_raycast_visit(const apart_world *world, const apart_ray *ray, const apart_probe *filter,
                                       apart_world_ray_fn *visit, void *context)
{
    if (world == NULL || ray == NULL || visit == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = ap_ray_check(ray);
    if (status != APART_OK) {
        return status;
    }
    ray_search s = {.ray = *ray, .direction = ap_unit(ray->direction), .visit = visit, .context = context};
    status = ap_probe_prepare_filter(&s.filter, world, filter);
    if (status == APART_OK) {
        status = cast_at_tree(&s);
    }
    return status == APART_OK ? ap_world_visit_outside_tree(world, cast_at_body, &s) : status;
}

/* ---- the first body ---- */

static double keep_first(void *context, const apart_world_ray_hit *found)
{
    apart_world_ray_hit *best = context;
    const bool tie = best->hit.hit && found->hit.distance == best->hit.distance;
    if (!best->hit.hit || found->hit.distance < best->hit.distance || (tie && found->body.slot < best->body.slot)) {
        *best = *found;
    }
    return best->hit.distance;
}

apart_status apart_world_raycast(const apart_world *world, const apart_ray *ray, uint32_t ignores,
                                 apart_world_ray_hit *hit)
{
    apart_world_ray_hit best = {.part = 0};
    if (world == NULL || ray == NULL || hit == NULL) {
        return APART_ERR_NULL;
    }
    best.hit.lower = ray->length;
    const apart_probe filter = {.ignores = ignores};
    const apart_status status = apart_world_raycast_visit(world, ray, &filter, keep_first, &best);
    if (status == APART_OK) {
        *hit = best;
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
    apart_status first = ap_executor_for(&world->executor, world->threads, count, RAY_GRAIN, cast_rays, &batch);
    if (first != APART_OK) {
        return first;
    }
    for (size_t i = 0; i < count; i++) {
        if (!hits[i].hit.hit && hits[i].part != 0) {
            first = first == APART_OK ? (apart_status)hits[i].part : first;
            hits[i].part = 0;
        }
    }
    return first;
}

/* ---- all bodies ---- */

static bool ray_comes_first(const apart_world_ray_hit *x, const apart_world_ray_hit *y)
{
    return x->hit.distance < y->hit.distance || (x->hit.distance == y->hit.distance && x->body.slot < y->body.slot);
}

/* Insertion: a ray rarely hits more than a few bodies. */
static double keep_all(void *context, const apart_world_ray_hit *found)
{
    apart_world_ray_list *list = context;
    list->total++;
    size_t at = list->count;
    while (at > 0 && ray_comes_first(found, &list->hits[at - 1])) {
        at--;
    }
    if (at < list->capacity) {
        list->count += list->count < list->capacity;
        for (size_t i = list->count - 1; i > at; i--) {
            list->hits[i] = list->hits[i - 1];
        }
        list->hits[at] = *found;
    }
    return INFINITY;
}

apart_status apart_world_raycast_all(const apart_world *world, const apart_ray *ray, const apart_probe *filter,
                                     apart_world_ray_list *list)
{
    if (list == NULL || (list->hits == NULL && list->capacity > 0)) {
        return APART_ERR_NULL;
    }
    list->count = list->total = 0;
    return apart_world_raycast_visit(world, ray, filter, keep_all, list);
}
