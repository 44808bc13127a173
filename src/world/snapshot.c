/* A world as one block of memory: a header with the scalar fields, then every array, padded to a multiple of
 * eight bytes. */
#include "world.h"

#define SNAPSHOT_MAGIC 0x31646c726f777061u /* "apworld1" */

enum { ARRAY_COUNT = 12 };

typedef struct snapshot_header {
    uint64_t magic, size, checksum; /* the checksum covers all that follows it */
    uint64_t counts[ARRAY_COUNT];   /* items, in the order of list_arrays */
    uint64_t item_sizes[ARRAY_COUNT];
    int64_t dim;
    uint64_t alive, root, free_node, leaves, changes, disabled, refits_at_overflow, listed, dirty, rebase, asked_count;
    double list_distance, overflow_distance, largest_asked;
    apart_world_stats stats;
} snapshot_header;

static void list_arrays(const apart_world *of, ap_array *arrays[ARRAY_COUNT])
{
    apart_world *world = (apart_world *)of; /* who asks for a snapshot only reads them */
    arrays[0] = &world->bodies;
    arrays[1] = &world->motions;
    arrays[2] = &world->free_slots;
    arrays[3] = &world->leaving;
    arrays[4] = &world->queue;
    arrays[5] = &world->unbounded;
    arrays[6] = &world->tree.nodes;
    arrays[7] = &world->pairs.bounds;
    arrays[8] = &world->pairs.answers;
    arrays[9] = &world->pairs.entries;
    arrays[10] = &world->disabled.keys;
    arrays[11] = &world->together;
}

static size_t padded_size(size_t bytes) { return (bytes + 7u) & ~(size_t)7u; }

static size_t array_bytes(const ap_array *array) { return padded_size(array->count * array->size); }

/* FNV-1a over words of eight bytes. */
static uint64_t checksum(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t snapshot_checksum(const void *memory, size_t size)
{
    const size_t skipped = offsetof(snapshot_header, counts);
    return checksum((const unsigned char *)memory + skipped, size - skipped);
}

size_t apart_world_snapshot_size(const apart_world *world)
{
    if (world == NULL) {
        return 0;
    }
    ap_array *arrays[ARRAY_COUNT];
    size_t size = sizeof(snapshot_header);
    list_arrays(world, arrays);
    for (int i = 0; i < ARRAY_COUNT; i++) {
        size += array_bytes(arrays[i]);
    }
    return size;
}

static snapshot_header make_header(const apart_world *world)
{
    return (snapshot_header){.magic = SNAPSHOT_MAGIC,
                             .dim = world->dim,
                             .alive = world->alive,
                             .root = world->tree.root,
                             .free_node = world->tree.free,
                             .leaves = world->tree.leaves,
                             .changes = world->tree.changes,
                             .disabled = world->disabled.used,
                             .refits_at_overflow = world->refits_at_overflow,
                             .listed = world->listed,
                             .dirty = world->dirty,
                             .rebase = world->rebase,
                             .asked_count = world->asked_count,
                             .list_distance = world->list_distance,
                             .overflow_distance = world->overflow_distance,
                             .largest_asked = world->largest_asked,
                             .stats = world->stats};
}

apart_status apart_world_snapshot(const apart_world *world, void *memory, size_t size)
{
    if (world == NULL || memory == NULL) {
        return APART_ERR_NULL;
    }
    const size_t needed = apart_world_snapshot_size(world);
    if (size < needed) {
        return APART_ERR_SIZE;
    }
    ap_array *arrays[ARRAY_COUNT];
    snapshot_header h = make_header(world);
    unsigned char *at = (unsigned char *)memory + sizeof h;
    list_arrays(world, arrays);
    for (int i = 0; i < ARRAY_COUNT; i++) {
        const size_t bytes = arrays[i]->count * arrays[i]->size;
        h.counts[i] = arrays[i]->count;
        h.item_sizes[i] = arrays[i]->size;
        if (bytes > 0) {
            memcpy(at, arrays[i]->items, bytes);
        }
        memset(at + bytes, 0, padded_size(bytes) - bytes);
        at += padded_size(bytes);
    }
    h.size = needed;
    memcpy(memory, &h, sizeof h);
    h.checksum = snapshot_checksum(memory, needed);
    memcpy(memory, &h, sizeof h);
    return APART_OK;
}

/* Is it a complete snapshot that this version of the library made? */
static bool is_intact(const snapshot_header *h, const void *memory, size_t size, ap_array *const arrays[ARRAY_COUNT])
{
    size_t needed = sizeof *h;
    if (h->magic != SNAPSHOT_MAGIC || h->size > size) {
        return false;
    }
    for (int i = 0; i < ARRAY_COUNT; i++) {
        if (h->item_sizes[i] != arrays[i]->size || h->counts[i] > h->size / arrays[i]->size) {
            return false;
        }
        needed += padded_size((size_t)h->counts[i] * arrays[i]->size);
    }
    return needed == h->size && snapshot_checksum(memory, needed) == h->checksum;
}

/* The capacity of a restored array. Arrays by body get room for all bodies, which moving and removing rely on. */
static size_t restored_capacity(const snapshot_header *h, int array)
{
    return (size_t)(array <= 4 ? h->counts[0] : h->counts[array]);
}

static void restore_scalars(apart_world *world, const snapshot_header *h)
{
    world->dim = (int)h->dim;
    world->alive = (uint32_t)h->alive;
    world->tree.root = (uint32_t)h->root;
    world->tree.free = (uint32_t)h->free_node;
    world->tree.leaves = (uint32_t)h->leaves;
    world->tree.changes = (uint32_t)h->changes;
    world->disabled.used = (size_t)h->disabled;
    world->refits_at_overflow = h->refits_at_overflow;
    world->listed = (uint8_t)h->listed;
    world->dirty = (uint8_t)h->dirty;
    world->rebase = (uint8_t)h->rebase;
    world->asked_count = (uint32_t)h->asked_count;
    world->list_distance = h->list_distance;
    world->overflow_distance = h->overflow_distance;
    world->largest_asked = h->largest_asked;
    world->stats = h->stats;
}

apart_status apart_world_restore(apart_world *world, const void *memory, size_t size)
{
    snapshot_header h;
    ap_array *arrays[ARRAY_COUNT];
    if (world == NULL || memory == NULL) {
        return APART_ERR_NULL;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    list_arrays(world, arrays);
    if (size < sizeof h) {
        return APART_ERR_BLOCK;
    }
    memcpy(&h, memory, sizeof h);
    if (!is_intact(&h, memory, size, arrays)) {
        return APART_ERR_BLOCK;
    }
    if (h.alive > world->max_bodies || h.counts[7] > world->max_pairs) {
        return APART_ERR_SIZE;
    }
    for (int i = 0; i < ARRAY_COUNT; i++) {
        if (!ap_array_reserve(arrays[i], &world->allocator, restored_capacity(&h, i))) {
            return APART_ERR_MEMORY;
        }
    }
    const unsigned char *at = (const unsigned char *)memory + sizeof h;
    for (int i = 0; i < ARRAY_COUNT; i++) {
        arrays[i]->count = (size_t)h.counts[i];
        if (arrays[i]->count > 0) {
            memcpy(arrays[i]->items, at, arrays[i]->count * arrays[i]->size);
        }
        at += array_bytes(arrays[i]);
    }
    restore_scalars(world, &h);
    return APART_OK;
}
