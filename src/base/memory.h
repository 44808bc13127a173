/* Memory of hull builders and long-lived containers: the caller's allocator, or malloc and free. Queries never come
 * here. */
#ifndef AP_BASE_MEMORY_H
#define AP_BASE_MEMORY_H

#include <apart/base.h>
#include <stdlib.h>

/* count * size bytes (at least one), or NULL. */
static inline void *ap_allocate(const apart_allocator *allocator, size_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    const size_t bytes = count * size > 0 ? count * size : 1;
    return allocator->allocate != NULL ? allocator->allocate(bytes, allocator->user) : malloc(bytes);
}

static inline void ap_release(const apart_allocator *allocator, void *memory)
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

#endif
