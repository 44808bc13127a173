/* The world itself: creation, options, inspection and statistics. Bodies are in bodies.c. */
#include "world.h"

#define MOST_THREADS 256u
#define MOST_ITEMS (1u << 30)
#define DEFAULT_BODIES (1u << 24)
#define DEFAULT_PAIRS (1u << 20)

static apart_status check_threads(uint32_t threads) { return threads <= MOST_THREADS ? APART_OK : APART_ERR_OPTION; }

static void init_arrays(apart_world *world)
{
    world->bodies.size = sizeof(ap_body);
    world->motions.size = sizeof(double);
    world->free_slots.size = world->leaving.size = world->queue.size = world->unbounded.size = sizeof(uint32_t);
    world->boxes.size = sizeof(apart_aabb);
    world->leaves.size = sizeof(ap_leaf);
    world->tasks.size = sizeof(ap_pair_task);
    world->numbers.size = sizeof(double);
    world->near.size = sizeof(apart_world_pair);
    world->parts.size = sizeof(apart_part_pair);
    world->together.size = world->touching.size = sizeof(apart_world_touch);
    ap_tree_init(&world->tree);
    ap_pair_table_init(&world->pairs);
    ap_pair_set_init(&world->disabled);
}

apart_status apart_world_create(const apart_world_options *options, apart_world **out)
{
    static const apart_world_options defaults;
    const apart_world_options *o = options != NULL ? options : &defaults;
    if (out == NULL) {
        return APART_ERR_NULL;
    }
    if (check_threads(o->threads) != APART_OK || o->max_bodies > MOST_ITEMS || o->max_pairs > MOST_ITEMS) {
        return APART_ERR_OPTION;
    }
    apart_world *world = ap_allocate(&o->allocator, 1, sizeof *world);
    if (world == NULL) {
        return APART_ERR_MEMORY;
    }
    memset(world, 0, sizeof *world);
    world->allocator = o->allocator;
    world->threads = o->threads;
    world->max_bodies = o->max_bodies > 0 ? o->max_bodies : DEFAULT_BODIES;
    world->max_pairs = o->max_pairs > 0 ? o->max_pairs : DEFAULT_PAIRS;
    world->executor = o->executor;
    world->filter = o->filter;
    world->filter_context = o->filter_context;
    world->overflow_distance = INFINITY;
    world->listed = 1;
    init_arrays(world);
    *out = world;
    return APART_OK;
}

void apart_world_free(apart_world *world)
{
    if (world == NULL || ap_world_is_busy(world)) {
        return;
    }
    const apart_allocator allocator = world->allocator;
    ap_array *arrays[] = {&world->bodies, &world->motions, &world->free_slots, &world->leaving,   &world->queue,
                          &world->boxes,  &world->leaves,  &world->tasks,      &world->unbounded, &world->numbers,
                          &world->near,   &world->parts,   &world->together,   &world->touching,  &world->tree.nodes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        ap_array_free(arrays[i], &allocator);
    }
    ap_pair_table_free(&world->pairs, &allocator);
    ap_pair_set_free(&world->disabled, &allocator);
    ap_owned *owned = world->owned;
    ap_release(&allocator, world);
    ap_owned_free(owned, &allocator);
}

apart_status apart_world_set_threads(apart_world *world, uint32_t threads)
{
    if (world == NULL) {
        return APART_ERR_NULL;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    const apart_status status = check_threads(threads);
    world->threads = status == APART_OK ? threads : world->threads;
    return status;
}

apart_status apart_world_get(const apart_world *world, apart_body_id id, apart_body_def *def)
{
    const ap_body *body = ap_world_find(world, id);
    if (world == NULL || def == NULL) {
        return APART_ERR_NULL;
    }
    if (body == NULL) {
        return APART_ERR_ID;
    }
    *def = (apart_body_def){.solid = ap_body_solid(body),
                            .pose = body->pose,
                            .groups = body->groups,
                            .ignores = body->ignores,
                            .user = body->user,
                            .category = body->category,
                            .mask = body->mask};
    return APART_OK;
}

size_t apart_world_count(const apart_world *world) { return world != NULL ? world->alive : 0; }

size_t apart_world_slots(const apart_world *world) { return world != NULL ? world->bodies.count : 0; }

apart_body_id apart_world_body(const apart_world *world, size_t slot)
{
    const apart_body_id none = {0, 0};
    if (world == NULL || slot >= world->bodies.count || ap_world_slot(world, slot)->state != AP_BODY_ALIVE) {
        return none;
    }
    return ap_world_id(world, (uint32_t)slot);
}

apart_status apart_world_get_stats(const apart_world *world, apart_world_stats *stats)
{
    if (world == NULL || stats == NULL) {
        return APART_ERR_NULL;
    }
    *stats = world->stats;
    stats->bodies = world->alive;
    stats->pairs = world->pairs.bounds.count;
    stats->height = world->tree.root == AP_NO_NODE ? 0 : ap_tree_node(&world->tree, world->tree.root)->height + 1u;
    const ap_array *arrays[] = {&world->bodies,        &world->motions,      &world->free_slots,
                                &world->leaving,       &world->queue,        &world->boxes,
                                &world->leaves,        &world->tasks,        &world->unbounded,
                                &world->numbers,       &world->near,         &world->parts,
                                &world->together,      &world->touching,     &world->tree.nodes,
                                &world->disabled.keys, &world->pairs.bounds, &world->pairs.answers,
                                &world->pairs.entries};
    stats->memory = sizeof *world;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        stats->memory += (uint64_t)arrays[i]->room * arrays[i]->size;
    }
    return APART_OK;
}

void apart_world_reset_stats(apart_world *world)
{
    if (world != NULL && !ap_world_is_busy(world)) {
        world->stats = (apart_world_stats){0};
        world->refits_at_overflow = 0;
    }
}
