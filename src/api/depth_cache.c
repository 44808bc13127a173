/* The caller's workspace of depth searches: made and cleared. */
#include "../depth/depth_search.h"

apart_status apart_depth_cache_init(void *memory, size_t size, apart_depth_cache **out)
{
    if (memory == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    if (size < APART_DEPTH_CACHE_BYTES(8) || (uintptr_t)memory % sizeof(double) != 0) {
        return APART_ERR_SIZE;
    }
    const size_t vertices =
        (size - sizeof(apart_depth_cache)) / (APART_DEPTH_CACHE_BYTES(1) - sizeof(apart_depth_cache));
    apart_depth_cache *cache = memory;
    *cache = (apart_depth_cache){
        .capacity = (uint32_t)(vertices < AP_POLYTOPE_MOST_VERTICES ? vertices : AP_POLYTOPE_MOST_VERTICES)};
    *out = cache;
    return APART_OK;
}

void apart_depth_cache_clear(apart_depth_cache *cache)
{
    if (cache != NULL) {
        cache->tag = 0;
    }
}
