/* Many pairs in one call: the single query for each, shared out between threads.
 *
 * A pair reads what all share and writes what is its own, so that neither the order nor the threads can change a bit. */
#include <apart/batch.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "parallel.h"

#define MOST_THREADS 256u

/* Pairs a thread takes at a time: a few microseconds of work even if all are boxes, against about 0.1 to take them. */
#define PAIR_GRAIN 32u

/* No pair has failed. Else: the failed pair's number and status in one word, so that the least word is the first pair's. */
#define NO_FAILURE UINT64_MAX
#define STATUS_BITS 8

typedef struct batch_run {
    const apart_batch *batch;
    const apart_options *options;
    atomic_uint_least64_t first_failure;
    atomic_size_t failed;
} batch_run;

/* ---- checks ---- */

/* Could `count` > 0 elements of this size lie at such a stride? */
static bool fits(size_t count, size_t stride, size_t size, size_t alignment)
{
    return stride >= size && stride % alignment == 0 && count - 1 <= (PTRDIFF_MAX - size) / stride;
}

static bool fits_shared(size_t count, size_t stride, size_t size, size_t alignment)
{
    return stride == 0 || count == 0 || fits(count, stride, size, alignment);
}

static apart_status check_bodies(const apart_batch_bodies *side, size_t pairs)
{
    if (side->shapes == NULL || side->poses == NULL) {
        return APART_ERR_NULL;
    }
    const size_t bodies = side->indices != NULL ? side->count : pairs;
    const bool fit = fits_shared(bodies, side->shape_stride, sizeof(apart_shape), alignof(apart_shape)) &&
                     fits_shared(bodies, side->pose_stride, sizeof(apart_pose), alignof(apart_pose)) &&
                     (side->indices == NULL || fits_shared(pairs, side->index_stride, sizeof(uint32_t), alignof(uint32_t)));
    return fit ? APART_OK : APART_ERR_SIZE;
}

static apart_status check_outputs(const apart_batch *batch)
{
    if (batch->results == NULL) {
        return APART_ERR_NULL;
    }
    const size_t count = batch->count;
    const bool fit = fits(count, batch->result_stride, sizeof(apart_result), alignof(apart_result)) &&
                     (batch->caches == NULL || fits(count, batch->cache_stride, sizeof(apart_cache), alignof(apart_cache))) &&
                     (batch->statuses == NULL || fits(count, batch->status_stride, sizeof(apart_status), alignof(apart_status)));
    return fit ? APART_OK : APART_ERR_SIZE;
}

static apart_status check_batch(const apart_batch *batch, const apart_options *options)
{
    if (batch->threads > MOST_THREADS ||
        (options != NULL && (options->trace != NULL || options->stats != NULL || options->depth_cache != NULL))) {
        return APART_ERR_OPTION;
    }
    if (batch->count == 0) {
        return APART_OK;
    }
    const apart_status a = check_bodies(&batch->a, batch->count), b = check_bodies(&batch->b, batch->count);
    return a != APART_OK ? a : b != APART_OK ? b : check_outputs(batch);
}

/* ---- elements ---- */

static inline const void *input_at(const void *base, size_t stride, size_t i) { return (const char *)base + i * stride; }
static inline void *output_at(void *base, size_t stride, size_t i) { return (char *)base + i * stride; }

/* The number of the pair's body; false when there is no such body. */
static inline bool find_body(const apart_batch_bodies *side, size_t pair, size_t *body)
{
    *body = pair;
    if (side->indices == NULL) {
        return true;
    }
    *body = *(const uint32_t *)input_at(side->indices, side->index_stride, pair);
    return *body < side->count;
}

static inline apart_status ask_pair(const apart_batch *batch, const apart_options *options, size_t i)
{
    size_t a, b;
    if (!find_body(&batch->a, i, &a) || !find_body(&batch->b, i, &b)) {
        return APART_ERR_ID;
    }
    return apart_distance(input_at(batch->a.shapes, batch->a.shape_stride, a), input_at(batch->a.poses, batch->a.pose_stride, a),
                          input_at(batch->b.shapes, batch->b.shape_stride, b), input_at(batch->b.poses, batch->b.pose_stride, b), options,
                          batch->caches != NULL ? output_at(batch->caches, batch->cache_stride, i) : NULL,
                          output_at(batch->results, batch->result_stride, i));
}

/* ---- the loop ---- */

static void note_failure(batch_run *run, size_t pair, apart_status status)
{
    const uint_least64_t word = (uint_least64_t)pair << STATUS_BITS | (uint_least64_t)status;
    uint_least64_t known = atomic_load_explicit(&run->first_failure, memory_order_relaxed);
    while (word < known && !atomic_compare_exchange_weak_explicit(&run->first_failure, &known, word, memory_order_relaxed, memory_order_relaxed)) {
    }
    atomic_fetch_add_explicit(&run->failed, 1, memory_order_relaxed);
}

static void ask_pairs(void *context, size_t first, size_t end)
{
    batch_run *run = context;
    const apart_batch *batch = run->batch;
    for (size_t i = first; i < end; i++) {
        const apart_status status = ask_pair(batch, run->options, i);
        if (batch->statuses != NULL) {
            *(apart_status *)output_at(batch->statuses, batch->status_stride, i) = status;
        }
        if (status != APART_OK) {
            note_failure(run, i, status);
        }
    }
}

apart_status apart_distance_batch(const apart_batch *batch, const apart_options *options, size_t *failed)
{
    if (failed != NULL) {
        *failed = 0;
    }
    const apart_status status = batch != NULL ? check_batch(batch, options) : APART_ERR_NULL;
    if (status != APART_OK || batch->count == 0) {
        return status;
    }
    batch_run run = {.batch = batch, .options = options};
    atomic_init(&run.first_failure, NO_FAILURE);
    atomic_init(&run.failed, 0);
    ap_parallel_for(batch->threads, batch->count, PAIR_GRAIN, ask_pairs, &run);
    if (failed != NULL) {
        *failed = atomic_load(&run.failed);
    }
    const uint_least64_t first = atomic_load(&run.first_failure);
    return first == NO_FAILURE ? APART_OK : (apart_status)(first & ((1u << STATUS_BITS) - 1u));
}
