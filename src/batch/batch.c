/* The distances of many pairs in one call, shared out between threads.
 *
 * Pairs of boxes (lanes/box_lanes.h) and tracked pairs of tiny hulls (lanes/hull_lanes.h) wait in queues until
 * a SIMD kernel can take a step with all lanes filled. All other pairs, and those that the kernels reject, get the
 * scalar query.
 *
 * A pair reads what all share and writes only its own cache, result and status, so that neither the order nor the
 * threads can change a bit of an answer. */
#include <apart/batch.h>

#include <stdalign.h>

#include "../api/level.h"
#include "../base/executor.h"
#include "../kernels/box_hull.h"
#include "../lanes/box_feature.h"
#include "../lanes/box_lanes.h"
#include "../lanes/hull_lanes.h"
#include "batch_prefetch.h"

#define MOST_THREADS 256u

/* Pairs a thread takes at a time: some microseconds of work even if all are boxes, against about 0.1 to take them. */
#define PAIR_GRAIN 64u

/* The value of first_failure as long as no pair has failed. Otherwise it is the failed pair's number and status in
 * one word, so that the least word is the first pair's. */
#define NO_FAILURE UINT64_MAX
#define STATUS_BITS 8

typedef struct batch_run {
    const apart_batch *batch;
    const apart_options *options;
    bool simd;     /* the options ask for nothing that the SIMD kernels lack */
    bool prefetch; /* so many bodies that their data are worth fetching in advance */
    AP_ATOMIC(uint64_t) first_failure;
    AP_ATOMIC(size_t) failed;
} batch_run;

/* ---- checks ---- */

/* Can `count` > 0 elements of this size be at this stride? The product is formed only when it cannot overflow or, which
 * is rare, a division has shown so: six divisions took as long as a pair of boxes. */
static bool stride_fits(size_t count, size_t stride, size_t size, size_t alignment)
{
    const size_t half = (size_t)1 << (sizeof(size_t) * 4 - 1);
    const bool small = count <= half && stride <= half;
    return stride >= size && stride % alignment == 0 && (small || count - 1 <= PTRDIFF_MAX / stride) &&
           (count - 1) * stride <= PTRDIFF_MAX - size;
}

/* The same for inputs, where stride 0 means one element for all pairs. */
static bool shared_stride_fits(size_t count, size_t stride, size_t size, size_t alignment)
{
    return stride == 0 || count == 0 || stride_fits(count, stride, size, alignment);
}

static apart_status check_bodies(const apart_batch_bodies *side, size_t pairs)
{
    if (side->shapes == NULL || side->poses == NULL) {
        return APART_ERR_NULL;
    }
    const size_t bodies = side->indices != NULL ? side->count : pairs;
    const bool fit =
        shared_stride_fits(bodies, side->shape_stride, sizeof(apart_shape), alignof(apart_shape)) &&
        shared_stride_fits(bodies, side->pose_stride, sizeof(apart_pose), alignof(apart_pose)) &&
        (side->indices == NULL || shared_stride_fits(pairs, side->index_stride, sizeof(uint32_t), alignof(uint32_t)));
    return fit ? APART_OK : APART_ERR_SIZE;
}

static apart_status check_outputs(const apart_batch *batch)
{
    if (batch->results == NULL) {
        return APART_ERR_NULL;
    }
    const size_t count = batch->count;
    const bool fit =
        stride_fits(count, batch->result_stride, sizeof(apart_result), alignof(apart_result)) &&
        (batch->caches == NULL || stride_fits(count, batch->cache_stride, sizeof(apart_cache), alignof(apart_cache))) &&
        (batch->statuses == NULL ||
         stride_fits(count, batch->status_stride, sizeof(apart_status), alignof(apart_status)));
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

/* Are all options zero but `depth`, and is that valid? The SIMD kernels know no others. */
static bool suits_simd_kernels(const apart_options *options)
{
    const apart_options *o = options;
    return o == NULL || (o->solver == 0 && o->support == 0 && o->depth <= APART_DEPTH_NONE && o->no_fallback == 0 &&
                         o->max_iterations == 0 && o->cutoff == 0.0 && o->tolerance == 0.0);
}

/* ---- statuses ---- */

static void record_failure(batch_run *run, size_t pair, apart_status status)
{
    const uint64_t word = (uint64_t)pair << STATUS_BITS | (uint64_t)status;
    uint64_t known = ap_atomic_load(&run->first_failure);
    while (word < known && !ap_atomic_exchange_known(&run->first_failure, &known, word)) {}
    ap_atomic_add(&run->failed, 1);
}

static void finish_pair(batch_run *run, size_t pair, apart_status status)
{
    const apart_batch *batch = run->batch;
    if (batch->statuses != NULL) {
        *(apart_status *)ap_batch_output(batch->statuses, batch->status_stride, pair) = status;
    }
    if (status != APART_OK) {
        record_failure(run, pair, status);
    }
}

/* ---- queues of the SIMD kernels ---- */

/* Pairs that wait for a step of a SIMD kernel. */
typedef struct lane_queue {
    ap_lane_job job[AP_BOX_LANES];
    unsigned count;
    bool hulls; /* boxes: some of them may be given as hulls */
} lane_queue;

/* One queue per kernel: boxes, and tiny hulls by the number of vertex pairs in their caches. */
typedef struct lane_queues {
    lane_queue boxes, hulls[AP_HULL_SIMPLICES];
} lane_queues;

static apart_status query_alone(const batch_run *run, const ap_lane_job *p)
{
    return apart_distance(p->a, p->pose_a, p->b, p->pose_b, run->options, p->cache, p->result);
}

/* A step needs all lanes: those without a pair of their own get a copy of the first. */
static void fill_empty_lanes(lane_queue *queue, unsigned lanes)
{
    for (unsigned i = queue->count; i < lanes; i++) {
        queue->job[i] = queue->job[0];
    }
}

/* Boxes that are given as hulls get the caller's numbers of their vertices. */
static AP_NOINLINE void rename_corners(const lane_queue *queue, unsigned answered)
{
    for (unsigned rest = answered; rest != 0; rest &= rest - 1) {
        const ap_lane_job *job = &queue->job[ap_lowest_bit(rest)];
        ap_box_hull_rename(job->a, job->result->index_a);
        ap_box_hull_rename(job->b, job->result->index_b);
    }
}

/* Writes the status of the pairs that a kernel has answered (bit i: pair i of the queue). */
static void finish_answered(batch_run *run, const lane_queue *queue, unsigned answered)
{
    for (unsigned rest = run->batch->statuses != NULL ? answered : 0; rest != 0; rest &= rest - 1) {
        finish_pair(run, queue->job[ap_lowest_bit(rest)].number, APART_OK);
    }
}

/* Takes one step with the pairs in the queue; those that need another step stay there. */
static void step_boxes(batch_run *run, lane_queue *queue)
{
    const unsigned all = (1u << queue->count) - 1u;
    fill_empty_lanes(queue, AP_BOX_LANES);
    const ap_lane_verdict verdict = ap_level_get()->batches->step_boxes(queue->job, queue->count);
    queue->count = 0;
    if (AP_UNLIKELY(queue->hulls)) {
        rename_corners(queue, verdict.answered);
    }
    finish_answered(run, queue, verdict.answered);
    for (unsigned rest = all & ~verdict.answered; rest != 0; rest &= rest - 1) {
        const unsigned i = ap_lowest_bit(rest);
        const ap_lane_job *job = &queue->job[i];
        if (verdict.again >> i & 1u) {
            queue->job[queue->count++] = *job;
        } else {
            finish_pair(run, job->number, query_alone(run, job));
        }
    }
}

/* Takes the only step with the pairs in the queue, whose caches name so many vertex pairs each. */
static void step_hulls(batch_run *run, lane_queue *queue, unsigned vertices)
{
    const unsigned all = (1u << queue->count) - 1u;
    fill_empty_lanes(queue, AP_HULL_LANES);
    const unsigned answered = ap_level_get()->batches->step_hulls(queue->job, vertices) & all;
    queue->count = 0;
    finish_answered(run, queue, answered);
    for (unsigned rest = all & ~answered; rest != 0; rest &= rest - 1) {
        const ap_lane_job *job = &queue->job[ap_lowest_bit(rest)];
        finish_pair(run, job->number, query_alone(run, job));
    }
}

/* Queues a pair of boxes, or queries it now. It is copied once, directly to its place in the queue: a second copy would
 * have to wait for the first to be written. */
AP_INLINE void submit_boxes(batch_run *run, lane_queue *queue, const ap_lane_job *pair, const apart_vec3 *half_a,
                            const apart_vec3 *half_b)
{
    ap_lane_job *job = &queue->job[queue->count];
    *job = *pair;
    job->half_a = half_a;
    job->half_b = half_b;
    queue->hulls = queue->hulls || (pair->a->flags | pair->b->flags) != 0;
    if (!ap_box_start(job)) {
        finish_pair(run, job->number, query_alone(run, job));
        return;
    }
    queue->count++;
    while (queue->count == AP_BOX_LANES) {
        step_boxes(run, queue);
    }
}

AP_INLINE void submit_pair(batch_run *run, lane_queues *queues, const ap_lane_job *pair)
{
    const apart_vec3 *half_a = ap_sharp_box_extents(pair->a), *half_b = ap_sharp_box_extents(pair->b);
    const unsigned vertices = pair->cache != NULL ? pair->cache->count : 0;
    if (run->simd && half_a != NULL && half_b != NULL) {
        submit_boxes(run, &queues->boxes, pair, half_a, half_b);
    } else if (run->simd && vertices - 1u < AP_HULL_SIMPLICES && ap_hull_job_fits(pair)) {
        lane_queue *queue = &queues->hulls[vertices - 1u];
        queue->job[queue->count++] = *pair;
        if (queue->count == AP_HULL_LANES) {
            step_hulls(run, queue, vertices);
        }
    } else {
        finish_pair(run, pair->number, query_alone(run, pair));
    }
}

/* ---- the loop over the pairs ---- */

/* Bodies without indices: the addresses of a pair grow by constant strides from pair to pair. */
static void run_strided(batch_run *run, lane_queues *queues, size_t first, size_t end)
{
    const apart_batch *batch = run->batch;
    const size_t a = batch->a.shape_stride, pose_a = batch->a.pose_stride;
    const size_t b = batch->b.shape_stride, pose_b = batch->b.pose_stride;
    const size_t cache = batch->caches != NULL ? batch->cache_stride : 0, result = batch->result_stride;
    ap_lane_job pair;
    ap_batch_set_pair(batch, first, first, first, &pair);
    for (size_t i = first;;) {
        submit_pair(run, queues, &pair);
        if (++i == end) {
            break;
        }
        pair.a = ap_batch_input(pair.a, a, 1);
        pair.pose_a = ap_batch_input(pair.pose_a, pose_a, 1);
        pair.b = ap_batch_input(pair.b, b, 1);
        pair.pose_b = ap_batch_input(pair.pose_b, pose_b, 1);
        pair.cache = ap_batch_output(pair.cache, cache, 1);
        pair.result = ap_batch_output(pair.result, result, 1);
        pair.number = i;
    }
}

/* Bodies with indices, or so many pairs that prefetching pays. */
static void run_indexed(batch_run *run, lane_queues *queues, size_t first, size_t end)
{
    const apart_batch *batch = run->batch;
    for (size_t i = first; i < end; i++) {
        if (run->prefetch) {
            ap_prefetch_pairs(batch, i, end);
        }
        ap_lane_job pair;
        if (ap_batch_find_pair(batch, i, &pair)) {
            submit_pair(run, queues, &pair);
        } else {
            finish_pair(run, i, APART_ERR_ID);
        }
    }
}

/* Runs on a thread: the pairs first .. end - 1. */
static void run_range(void *context, size_t first, size_t end)
{
    batch_run *run = context;
    const apart_batch *batch = run->batch;
    lane_queues queues;
    queues.boxes.count = 0;
    queues.boxes.hulls = false;
    for (unsigned i = 0; i < AP_HULL_SIMPLICES; i++) {
        queues.hulls[i].count = 0;
        queues.hulls[i].hulls = false;
    }
    if (!run->prefetch && batch->a.indices == NULL && batch->b.indices == NULL) {
        run_strided(run, &queues, first, end);
    } else {
        run_indexed(run, &queues, first, end);
    }
    while (queues.boxes.count > 0) {
        step_boxes(run, &queues.boxes);
    }
    for (unsigned i = 0; i < AP_HULL_SIMPLICES; i++) {
        if (queues.hulls[i].count > 0) {
            step_hulls(run, &queues.hulls[i], i + 1);
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
    const bool indexed = batch->a.indices != NULL || batch->b.indices != NULL;
    batch_run run = {.batch = batch,
                     .options = options,
                     .simd = suits_simd_kernels(options),
                     .prefetch = batch->count >= AP_PREFETCH_FROM && (indexed || ap_batch_has_many_hulls(batch))};
    ap_atomic_store(&run.first_failure, NO_FAILURE);
    ap_atomic_store(&run.failed, 0);
    const apart_status shared =
        ap_executor_for(&batch->executor, batch->threads, batch->count, PAIR_GRAIN, run_range, &run);
    if (shared != APART_OK) {
        return shared;
    }
    if (failed != NULL) {
        *failed = ap_atomic_load(&run.failed);
    }
    const uint64_t first = ap_atomic_load(&run.first_failure);
    return first == NO_FAILURE ? APART_OK : (apart_status)(first & ((1u << STATUS_BITS) - 1u));
}
