/* Prefetching for a batch. A batch knows which pairs come next, and a single query does not: their data are fetched
 * into the CPU's cache while the present pair is computed, in three stages, because each stage's addresses are in
 * what the stage before has fetched.
 *
 * All functions are inlined by force: gcc takes a function that only prefetches for one without effect, and drops
 * its calls. */
#ifndef AP_BATCH_BATCH_PREFETCH_H
#define AP_BATCH_BATCH_PREFETCH_H

#include "../hull/search.h"
#include "../simd/lanes.h"
#include "batch_elements.h"

/* How many pairs ahead: shapes, poses and caches; the hulls' headers; their vertices. Two queries take longer than a
 * memory access. */
#define AP_BODIES_AHEAD 6u
#define AP_HULLS_AHEAD 4u
#define AP_VERTICES_AHEAD 2u

/* A pair's shapes, poses and cache are about 600 bytes. The data of a batch with fewer pairs stay in a core's cache
 * from call to call, and prefetching them would only cost time (5 % for boxes). */
#define AP_PREFETCH_FROM 256u

/* Vertices of the last simplex to fetch: a third one is often absent, and was measured no better. */
#define AP_PREFETCHED_VERTICES 2u

/* The size of a line of the CPU's cache, in bytes. */
#define AP_CACHE_LINE 64u

AP_INLINE void ap_prefetch_bytes(const void *memory, size_t size)
{
    const char *bytes = memory;
    for (size_t at = 0; at < size; at += AP_CACHE_LINE) {
        ap_prefetch(bytes + at);
    }
    ap_prefetch(bytes + size - 1);
}

AP_INLINE void ap_prefetch_body(const apart_batch_bodies *side, size_t pair)
{
    size_t body;
    if (ap_batch_find_body(side, pair, &body)) {
        const size_t shape_bytes = offsetof(apart_shape, u) + sizeof(apart_vec3);
        ap_prefetch_bytes(ap_batch_input(side->shapes, side->shape_stride, body), shape_bytes);
        ap_prefetch_bytes(ap_batch_input(side->poses, side->pose_stride, body), sizeof(apart_pose));
    }
}

AP_INLINE const apart_hull *ap_batch_hull(const apart_batch_bodies *side, size_t pair)
{
    size_t body;
    if (!ap_batch_find_body(side, pair, &body)) {
        return NULL;
    }
    const apart_shape *shape = ap_batch_input(side->shapes, side->shape_stride, body);
    return shape->kind == APART_SHAPE_HULL && shape->status == APART_OK ? shape->u.hull : NULL;
}

AP_INLINE void ap_prefetch_hull(const apart_batch_bodies *side, size_t pair)
{
    const apart_hull *hull = ap_batch_hull(side, pair);
    if (hull != NULL) {
        ap_prefetch(hull);
    }
}

/* The data with which the query of a hull begins: the cached vertices, or all of them for a scan; a tiny hull needs
 * both. */
AP_INLINE void ap_prefetch_vertices(const apart_batch_bodies *side, size_t pair, const uint32_t *cached, unsigned count)
{
    const apart_hull *hull = ap_batch_hull(side, pair);
    if (hull == NULL) {
        return;
    }
    const bool tiny = hull->vertex_count <= AP_ALWAYS_SCANNED;
    if (tiny || (count == 0 && hull->vertex_count <= AP_SCAN_LIMIT)) {
        ap_prefetch_bytes(ap_hull_x(hull), 3 * sizeof(double) * hull->padded_count);
    }
    for (unsigned i = 0; i < count && i < AP_PREFETCHED_VERTICES; i++) {
        if (cached[i] < hull->vertex_count && tiny) {
            ap_prefetch(&ap_hull_corners(hull)[cached[i]]);
        } else if (cached[i] < hull->vertex_count) {
            ap_prefetch_bytes(&ap_hull_records(hull)[cached[i]], sizeof(ap_hull_vertex));
        }
    }
}

/* How many of these pairs, spread over the batch, are looked at, and the size of the set that counts their hulls. */
#define AP_SAMPLED_PAIRS 64u
#define AP_SAMPLE_BITS 256u
/* Does nearly every pair have a hull of its own? Then a hull is not in a near cache yet when its pair comes. A few hulls
 * that many pairs share are, and the processor itself fetches bodies that lie in rows: prefetching cost 5 to 40 % there. */
AP_INLINE bool ap_batch_has_many_hulls(const apart_batch *batch)
{
    uint64_t seen[AP_SAMPLE_BITS / 64] = {0};
    const size_t step = batch->count / AP_SAMPLED_PAIRS + 1;
    unsigned many = 0, pairs = 0;
    for (size_t i = 0; i < batch->count; i += step, pairs++) {
        const apart_hull *hull = ap_batch_hull(&batch->a, i);
        const uint64_t bit = ((uint64_t)(uintptr_t)hull >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 56;
        const uint64_t mask = (uint64_t)1 << (bit & 63u);
        many += hull != NULL && (seen[bit / 64] & mask) == 0 ? 1u : 0u;
        seen[bit / 64] |= mask;
    }
    return 4 * many >= 3 * pairs; /* of 64 different hulls 57 are counted, of 50 that are drawn at random 33 */
}

/* Prefetches for the pairs after pair i, but not at or beyond `end`: another thread may write the caches there. */
AP_INLINE void ap_prefetch_pairs(const apart_batch *batch, size_t i, size_t end)
{
    const apart_cache no_cache = {.count = 0};
    const size_t cache_stride = batch->cache_stride;
    if (end - i > AP_BODIES_AHEAD) {
        ap_prefetch_body(&batch->a, i + AP_BODIES_AHEAD);
        ap_prefetch_body(&batch->b, i + AP_BODIES_AHEAD);
        if (batch->caches != NULL) {
            ap_prefetch_bytes(ap_batch_input(batch->caches, cache_stride, i + AP_BODIES_AHEAD), sizeof(apart_cache));
        }
    }
    if (end - i > AP_HULLS_AHEAD) {
        ap_prefetch_hull(&batch->a, i + AP_HULLS_AHEAD);
        ap_prefetch_hull(&batch->b, i + AP_HULLS_AHEAD);
    }
    if (end - i > AP_VERTICES_AHEAD) {
        const apart_cache *cache =
            batch->caches != NULL ? ap_batch_input(batch->caches, cache_stride, i + AP_VERTICES_AHEAD) : &no_cache;
        ap_prefetch_vertices(&batch->a, i + AP_VERTICES_AHEAD, cache->index_a, cache->count);
        ap_prefetch_vertices(&batch->b, i + AP_VERTICES_AHEAD, cache->index_b, cache->count);
    }
}

#endif
