/* The surface of a depth search in the caller's memory: a larger workspace, and the start of the next search.
 *
 * Source: the warm start with a certificate of this project's design: if every triangle of the cached closed surface still has the
 * origin strictly inside, rays from the origin still meet it all around, so its nearest face bounds the depth from below again.
 * Only the combinatorics are kept and believed, and even those are checked: coordinates are evaluated anew from vertex numbers. */
#include <string.h>

#include "depth_surface.h"

/* A surface that has outgrown its fresh size by this factor is rebuilt: old vertices cost time and dent it. */
#define GROWTH 2

struct apart_depth_cache {
    uint32_t tag;          /* of the pair; 0: empty */
    uint32_t capacity;     /* vertices */
    int32_t vertex_count, face_count;
    int32_t fresh_count;   /* vertices after the last fresh build */
    uint32_t reserved[11];
}; /* 64 bytes, then vertices, then faces */

apart_status apart_depth_cache_init(void *memory, size_t size, apart_depth_cache **out)
{
    if (memory == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    if (size < APART_DEPTH_CACHE_BYTES(8) || (uintptr_t)memory % sizeof(double) != 0) {
        return APART_ERR_SIZE;
    }
    const size_t vertices = (size - sizeof(apart_depth_cache)) / (APART_DEPTH_CACHE_BYTES(1) - sizeof(apart_depth_cache));
    apart_depth_cache *cache = memory;
    *cache = (apart_depth_cache){.capacity = (uint32_t)(vertices < 32768u ? vertices : 32768u)};
    *out = cache;
    return APART_OK;
}

void apart_depth_cache_clear(apart_depth_cache *cache)
{
    if (cache != NULL) {
        cache->tag = 0;
    }
}

static ap_polytope view(apart_depth_cache *cache)
{
    ap_polytope_vertex *vertices = (ap_polytope_vertex *)(void *)((char *)cache + sizeof(apart_depth_cache));
    return (ap_polytope){.vertex_count = cache->vertex_count,
                         .face_count = cache->face_count,
                         .capacity = (int)cache->capacity,
                         .vertex = vertices,
                         .face = (ap_polytope_face *)(void *)(vertices + cache->capacity)};
}

/* Vertices at the new poses; false if a number is out of range. */
static bool evaluate(ap_polytope *p, ap_pair *pair)
{
    for (int i = 0; i < p->vertex_count; i++) {
        ap_polytope_vertex *v = &p->vertex[i];
        if (v->index_a >= pair->count_a || v->index_b >= pair->count_b) {
            return false;
        }
        ap_simplex_vertex now;
        ap_pair_vertex(pair, v->index_a, v->index_b, &now);
        v->w = now.w;
        v->a = now.a;
    }
    return true;
}

bool ap_depth_cache_load(apart_depth_cache *cache, ap_pair *pair, ap_polytope *p)
{
    *p = view(cache);
    if (cache->tag != ap_pair_tag(pair) || !pair->vertices || cache->vertex_count > GROWTH * cache->fresh_count) {
        return false;
    }
    return ap_polytope_is_closed(p) && evaluate(p, pair) && ap_polytope_refresh(p);
}

void ap_depth_cache_store(apart_depth_cache *cache, const ap_pair *pair, const ap_polytope *p, bool fresh)
{
    cache->tag = pair->vertices && p->face_count > 0 ? ap_pair_tag(pair) : 0;
    cache->vertex_count = p->vertex_count;
    cache->face_count = p->face_count;
    if (fresh) {
        cache->fresh_count = p->vertex_count + 4;
    }
}
