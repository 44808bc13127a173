/** @file
 * apart/batch.h: the distances of many pairs in one call, optionally on several threads.
 *
 *     apart_batch batch = {
 *         .count = pair_count,
 *         .a = {.shapes = shapes, .shape_stride = sizeof *shapes, .poses = poses, .pose_stride = sizeof *poses,
 *               .indices = &pairs[0].first, .index_stride = sizeof *pairs, .count = body_count},
 *         .b = {.shapes = shapes, .shape_stride = sizeof *shapes, .poses = poses, .pose_stride = sizeof *poses,
 *               .indices = &pairs[0].second, .index_stride = sizeof *pairs, .count = body_count},
 *         .caches = caches, .cache_stride = sizeof *caches,
 *         .results = results, .result_stride = sizeof *results, .threads = 4};
 *     apart_status st = apart_distance_batch(&batch, NULL, NULL);
 *
 * Element i of an array is at its base + i * stride bytes, so arrays may lie inside the caller's own structures.
 * The result of a pair has the same bits for any number of pairs, any order and any number of threads. These are the
 * bits of apart_distance with one exception: where both bodies are boxes, or both are hulls of at most eight vertices
 * (3D, not rounded), and the options ask for nothing but the distance, several pairs are computed at a time; their
 * bounds are certified too and about as narrow. A cache may be used by batches and by single calls in turn.
 * Read next: apart/distance.h (the result of a pair), apart/world.h (finding the pairs worth a query).
 */
#ifndef APART_BATCH_H
#define APART_BATCH_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The bodies on one side of the pairs. Strides are in bytes; a stride of 0 uses the same element for all pairs. */
typedef struct apart_batch_bodies {
    const apart_shape *shapes; /**< the first shape */
    size_t shape_stride;       /**< from one to the next */
    const apart_pose *poses;   /**< the first pose */
    size_t pose_stride;        /**< from one to the next */
    const uint32_t *indices;   /**< the first pair's index into shapes and poses; NULL: pair i has shape i and pose i */
    size_t index_stride;       /**< from one index to the next */
    size_t count;              /**< number of bodies; used with indices only: a pair with an index that is not below it
                                *   gets APART_ERR_ID */
} apart_batch_bodies;

/** Many pairs. Pairs may share what is only read; each has its own cache, result and status, so those strides are at
 *  least the sizes of the types. */
typedef struct apart_batch {
    size_t count;           /**< number of pairs */
    apart_batch_bodies a;   /**< the pairs' first bodies */
    apart_batch_bodies b;   /**< their second bodies; often the same arrays with other indices */
    apart_cache *caches;    /**< the first pair's cache; NULL: cold starts */
    size_t cache_stride;    /**< from one to the next */
    apart_result *results;  /**< the first pair's result */
    size_t result_stride;   /**< from one to the next */
    apart_status *statuses; /**< the first pair's status; NULL: not wanted */
    size_t status_stride;   /**< from one to the next */
    uint32_t threads;       /**< at most 256; 0 or 1: the caller's thread only, and so for any number if the library was
                             *   built without OpenMP, or in a child by fork() of a process that has used threads */
    apart_executor executor; /**< the caller's threads, used in place of the library's whatever `threads` says */
} apart_batch;

/** The signed distance of each pair, as from apart_distance with the same options (NULL: defaults) and the pair's
 *  cache. A pair that fails leaves its result untouched and does not affect the others; the call returns the status
 *  of the failed pair with the lowest number, and *failed (may be NULL) gets the number of failed pairs. An error
 *  with *failed = 0 means that the whole batch was refused and nothing was written:
 *    - APART_ERR_NULL: no batch, or no shapes, poses or results although count > 0;
 *    - APART_ERR_SIZE: a stride that is not a multiple of its type's alignment or is smaller than the type (except 0
 *      for inputs), or array extents that overflow size_t;
 *    - APART_ERR_EXECUTOR: the caller's executor left pairs out; others may have been written;
 *    - APART_ERR_OPTION: too many threads, or options with a trace, statistics or a depth cache, which pairs cannot
 *      share.
 *  The arrays are not read when count is 0. The call itself allocates nothing; OpenMP starts its threads at the first
 *  call that asks for several. */
APART_API apart_status apart_distance_batch(const apart_batch *batch, const apart_options *options, size_t *failed);

#ifdef __cplusplus
}
#endif
#endif
