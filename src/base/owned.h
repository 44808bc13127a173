/* Memory that a long-lived object owns beside its own block: what was read from an archive, and is borrowed inside. */
#ifndef AP_BASE_OWNED_H
#define AP_BASE_OWNED_H

#include <stdbool.h>

#include "memory.h"

/* Precedes a piece of memory. */
typedef struct ap_owned {
    struct ap_owned *next;
    void (*destroy)(void *object); /* NULL: plain memory; else *the memory* is a pointer that is given to it first */
} ap_owned;

enum { AP_OWNED_HEADER = 16 };

/* `size` bytes at a multiple of 16, in the list; NULL: the allocation failed. */
static inline void *ap_owned_add(ap_owned **list, const apart_allocator *allocator, size_t size)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    ap_owned *piece = ap_allocate(allocator, size + AP_OWNED_HEADER, 1);
    if (piece == NULL) {
        return NULL;
    }
    piece->next = *list;
    piece->destroy = NULL;
    *list = piece;
    return (char *)piece + AP_OWNED_HEADER;
}

/* Takes over an object that has a function to free it. False: the allocation failed, and the object is not taken. */
static inline bool ap_owned_take(ap_owned **list, const apart_allocator *allocator, void *object,
                                 void (*destroy)(void *object))
{
    void **at = ap_owned_add(list, allocator, sizeof *at);
    if (at == NULL) {
        return false;
    }
    *at = object;
    (*list)->destroy = destroy;
    return true;
}

/* The last that was added is freed first. */
static inline void ap_owned_free(ap_owned *list, const apart_allocator *allocator)
{
    while (list != NULL) {
        ap_owned *next = list->next;
        if (list->destroy != NULL) {
            list->destroy(*(void **)((char *)list + AP_OWNED_HEADER));
        }
        ap_release(allocator, list);
        list = next;
    }
}

#endif
