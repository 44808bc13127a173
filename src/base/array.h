/* Arrays that grow, in memory of the allocator of a long-lived container. Queries of pairs never grow one. */
#ifndef AP_BASE_ARRAY_H
#define AP_BASE_ARRAY_H

#include <stdbool.h>
#include <string.h>

#include "memory.h"

/* An array of items of one size. */
typedef struct ap_array {
    void *items;
    size_t count, room, size; /* size: of one item */
} ap_array;

/* Makes room for at least `room` items; false: the allocation failed, and the array is as it was. */
static inline bool ap_array_reserve(ap_array *array, const apart_allocator *allocator, size_t room)
{
    if (room <= array->room) {
        return true;
    }
    const size_t larger = room > array->room + array->room / 2 ? room : array->room + array->room / 2;
    void *items = ap_allocate(allocator, larger, array->size);
    if (items == NULL) {
        return false;
    }
    if (array->count > 0) {
        memcpy(items, array->items, array->count * array->size);
    }
    ap_release(allocator, array->items);
    array->items = items;
    array->room = larger;
    return true;
}

static inline void ap_array_free(ap_array *array, const apart_allocator *allocator)
{
    ap_release(allocator, array->items);
    array->items = NULL;
    array->count = array->room = 0;
}

#endif
