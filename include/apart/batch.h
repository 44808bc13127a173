/** @file
 * apart/batch.h: the distances of many pairs in one call, on as many threads as are asked for.
 *
 *     apart_batch batch = {
 *         .count = pair_count,
 *         .a = {.shapes = shapes, .shape_stride = sizeof *shapes, .poses = poses, .pose_stride = sizeof *poses,
 *               .indices = &pairs[0].first, .index_stride = sizeof *pairs, .count = body_count},
 *         .b = {.shapes = shapes, .shape_stride = sizeof *shapes, .poses = poses, .pose_stride = sizeof *poses,
 *               .indices = &pairs[0].second, .index_stride = sizeof *pairs, .count = body_count},
 *         .caches = caches, .cache_stride = sizeof *caches, .results = results, .result_stride = sizeof *results, .threads = 4};
 *     apart_status st = apart_distance_batch(&batch, NULL, NULL);
 *
 * Element i of an array is at its base + i * stride bytes, so arrays may lie inside the caller's own structures. Every pair gets the
 * same bits for any number of pairs, order and number of threads. They are those of apart_distance, unless both bodies are boxes or hulls of
 * at most eight vertices (3D, not rounded) and the options ask for nothing but the distance: such pairs are computed several at a time, with
 * bounds of their own that are as true and about as narrow. Caches go back and forth between batches and single calls.
 * Read next: apart/distance.h (what a pair's answer is), apart/world.h (which pairs to ask about).
 */
#ifndef APART_BATCH_H
#define APART_BATCH_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The bodies on one side of the pairs. Strides are in bytes; 0: the same element for all. */
typedef struct apart_batch_bodies {
    const apart_shape *shapes; /**< the first shape */
    size_t shape_stride;       /**< from one to the next */
    const apart_pose *poses;   /**< the first pose */
    size_t pose_stride;        /**< from one to the next */
    const uint32_t *indices;   /**< the first pair's body: its shape and pose have this number; NULL: pair i has shape i and pose i */
    size_t index_stride;       /**< from one pair's to the next */
    size_t count;              /**< bodies, when there are indices: an index that is not below it is APART_ERR_ID for its pair; else unused */
} apart_batch_bodies;

/** Many pairs. What is read may be shared between pairs; caches, results and statuses are each pair's own, and so their strides are at
 *  least their sizes. */
typedef struct apart_batch {
    size_t count;           /**< pairs */
    apart_batch_bodies a;   /**< the pairs' first bodies */
    apart_batch_bodies b;   /**< the second ones; often the same arrays with other indices */
    apart_cache *caches;    /**< the first pair's cache; NULL: cold starts */
    size_t cache_stride;    /**< from one to the next */
    apart_result *results;  /**< the first pair's result */
    size_t result_stride;   /**< from one to the next */
    apart_status *statuses; /**< the first pair's status; NULL: not wanted */
    size_t status_stride;   /**< from one to the next */
    uint32_t threads;       /**< 0 or 1: the caller's alone; at most 256. Needs a library built with OpenMP, otherwise the caller's does all */
} apart_batch;

/** The signed distance of each pair, as from apart_distance with the same options (NULL: defaults) and the pair's cache.
 *  A pair that fails leaves its result as it was and has no effect on the others; the call returns the status of the failed pair with
 *  the lowest number. *failed (may be NULL) is how many failed: 0 after an error says that the batch was refused and nothing written,
 *  with APART_ERR_NULL (no batch, or no shapes, poses or results for count > 0), APART_ERR_SIZE (a stride that is no multiple of its
 *  type's alignment, or smaller than the type, 0 for inputs excepted; arrays beyond the range of addresses) or APART_ERR_OPTION
 *  (threads; or options with a trace, statistics or depth cache, which pairs cannot share). Arrays are not looked at when count is 0.
 *  Allocates nothing itself; OpenMP starts its threads at the first call that asks for them. */
apart_status apart_distance_batch(const apart_batch *batch, const apart_options *options, size_t *failed);

#ifdef __cplusplus
}
#endif
#endif
