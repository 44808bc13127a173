/* Memory of the long-lived containers: the caller's allocator, or malloc and free; and arrays that grow. */
#ifndef AP_WORLD_MEMORY_H
#define AP_WORLD_MEMORY_H

#include <apart/base.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* count * size bytes (at least one), or NULL. */
static inline void *ap_memory_get(const apart_allocator *allocator, size_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    const size_t bytes = count * size > 0 ? count * size : 1;
    return allocator->allocate != NULL ? allocator->allocate(bytes, allocator->user) : malloc(bytes);
}

static inline void ap_memory_put(const apart_allocator *allocator, void *memory)
{
    if (memory == NULL) {
        return;
    }
    if (allocator->allocate == NULL) {
        free(memory);
    } else if (allocator->release != NULL) {
        allocator->release(memory, allocator->user);
    }
}

/* An array of items of one size. */
typedef struct ap_array {
    void *items;
    size_t count, room, size; /* size: of one item */
} ap_array;

/* Room for at least `room` items; false leaves the array as it is. */
static inline bool ap_array_reserve(ap_array *array, const apart_allocator *allocator, size_t room)
{
    if (room <= array->room) {
        return true;
    }
    const size_t larger = room > array->room + array->room / 2 ? room : array->room + array->room / 2;
    void *items = ap_memory_get(allocator, larger, array->size);
    if (items == NULL) {
        return false;
    }
    if (array->count > 0) {
        memcpy(items, array->items, array->count * array->size);
    }
    ap_memory_put(allocator, array->items);
    array->items = items;
    array->room = larger;
    return true;
}

static inline void ap_array_free(ap_array *array, const apart_allocator *allocator)
{
    ap_memory_put(allocator, array->items);
    array->items = NULL;
    array->count = array->room = 0;
}

/* Appends one 32-bit number. */
static inline bool ap_array_push_u32(ap_array *array, const apart_allocator *allocator, uint32_t value)
{
    if (array->count == array->room && !ap_array_reserve(array, allocator, array->count + 16)) {
        return false;
    }
    ((uint32_t *)array->items)[array->count++] = value;
    return true;
}

#endif
