/* Many pairs in one call, shared out between threads: steps in lanes for pairs of boxes (narrow/box_lanes.h) and
 * of tiny hulls (narrow/hull_lanes.h), the single query for all others and for what lanes leave.
 *
 * A pair reads what all share and writes what is its own, so that neither the order nor the threads can change a bit. What a batch knows
 * and a single call does not is which pairs come next: their data are fetched while the present one is computed, in three stages, because
 * each address is in what the stage before has fetched. */
#include <apart/batch.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../hull/search.h"
#include "../lanes/box_feature.h"
#include "../lanes/box_lanes.h"
#include "../lanes/hull_lanes.h"
#include "../simd/lanes.h"
#include "../api/level.h"
#include "../base/parallel.h"

#define MOST_THREADS 256u

/* Pairs a thread takes at a time: a few microseconds of work even if all are boxes, against about 0.1 to take them. */
#define PAIR_GRAIN 64u

/* How many pairs ahead: shapes, poses and caches; the hulls' headers; their vertices. Two queries take longer than the memory. */
#define BODIES_AHEAD 6u
#define HULLS_AHEAD 4u
#define VERTICES_AHEAD 2u

/* A pair's shapes, poses and cache are about 600 bytes: what fewer pairs need stays in a core's cache from call to call, and fetching
 * it again only costs (5 % for boxes). */
#define LOOK_AHEAD_FROM 256u

/* Of the last simplex: a third vertex is often enough not there, and measured no better. */
#define CACHED_VERTICES 2u

/* No pair has failed. Else: the failed pair's number and status in one word, so that the least word is the first pair's. */
#define NO_FAILURE UINT64_MAX
#define STATUS_BITS 8

typedef struct batch_run {
    const apart_batch *batch;
    const apart_options *options;
    bool plain; /* the options ask for nothing but distances and depths */
    atomic_uint_least64_t first_failure;
    atomic_size_t failed;
} batch_run;

/* ---- checks ---- */

/* Could `count` > 0 elements of this size lie at such a stride? A product that overflows wants no division to be seen: six of them took as
 * long as a pair of boxes. */
static bool fits(size_t count, size_t stride, size_t size, size_t alignment)
{
    size_t last;
    return stride >= size && stride % alignment == 0 && !__builtin_mul_overflow(count - 1, stride, &last) && last <= PTRDIFF_MAX - size;
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

/* All bytes zero but `depth`, if it is a legal one. */
static bool is_plain(const apart_options *options)
{
    const apart_options *o = options;
    return o == NULL || (o->solver == 0 && o->support == 0 && o->depth <= APART_DEPTH_NONE && o->no_fallback == 0 &&
                         o->max_iterations == 0 && o->cutoff == 0.0 && o->tolerance == 0.0);
}

/* ---- elements ---- */

AP_INLINE const void *input_at(const void *base, size_t stride, size_t i) { return (const char *)base + i * stride; }
AP_INLINE void *output_at(void *base, size_t stride, size_t i) { return (char *)base + i * stride; }

/* The number of the pair's body; false when there is no such body. */
AP_INLINE bool find_body(const apart_batch_bodies *side, size_t pair, size_t *body)
{
    *body = pair;
    if (side->indices == NULL) {
        return true;
    }
    *body = *(const uint32_t *)input_at(side->indices, side->index_stride, pair);
    return *body < side->count;
}

/* Pair i of the bodies a and b. */
AP_INLINE void set_pair(const apart_batch *batch, size_t i, size_t a, size_t b, ap_lane_job *pair)
{
    pair->a = input_at(batch->a.shapes, batch->a.shape_stride, a);
    pair->pose_a = input_at(batch->a.poses, batch->a.pose_stride, a);
    pair->b = input_at(batch->b.shapes, batch->b.shape_stride, b);
    pair->pose_b = input_at(batch->b.poses, batch->b.pose_stride, b);
    pair->cache = batch->caches != NULL ? output_at(batch->caches, batch->cache_stride, i) : NULL;
    pair->result = output_at(batch->results, batch->result_stride, i);
    pair->number = i;
}

/* False: it names a body that there is not. */
AP_INLINE bool find_pair(const apart_batch *batch, size_t i, ap_lane_job *pair)
{
    size_t a, b;
    if (!find_body(&batch->a, i, &a) || !find_body(&batch->b, i, &b)) {
        return false;
    }
    set_pair(batch, i, a, b, pair);
    return true;
}

/* ---- looking ahead ----
 *
 * All of it is inlined by force: gcc takes a function that only prefetches for one without effect, and drops its calls. */

#define CACHE_LINE 64u

AP_INLINE void fetch(const void *memory, size_t size)
{
    const char *bytes = memory;
    for (size_t at = 0; at < size; at += CACHE_LINE) {
        ap_prefetch(bytes + at);
    }
    ap_prefetch(bytes + size - 1);
}

AP_INLINE void fetch_body(const apart_batch_bodies *side, size_t pair)
{
    size_t body;
    if (find_body(side, pair, &body)) {
        fetch(input_at(side->shapes, side->shape_stride, body), offsetof(apart_shape, u) + sizeof(apart_vec3));
        fetch(input_at(side->poses, side->pose_stride, body), sizeof(apart_pose));
    }
}

AP_INLINE const apart_hull *hull_of(const apart_batch_bodies *side, size_t pair)
{
    size_t body;
    if (!find_body(side, pair, &body)) {
        return NULL;
    }
    const apart_shape *shape = input_at(side->shapes, side->shape_stride, body);
    return shape->kind == APART_SHAPE_HULL && shape->status == APART_OK ? shape->u.hull : NULL;
}

AP_INLINE void fetch_hull(const apart_batch_bodies *side, size_t pair)
{
    const apart_hull *hull = hull_of(side, pair);
    if (hull != NULL) {
        ap_prefetch(hull);
    }
}

/* Where the query of a hull begins: at the cached vertices, or with a scan; tiny hulls want both. */
AP_INLINE void fetch_vertices(const apart_batch_bodies *side, size_t pair, const uint32_t *cached, unsigned count)
{
    const apart_hull *hull = hull_of(side, pair);
    if (hull == NULL) {
        return;
    }
    const bool tiny = hull->vertex_count <= AP_ALWAYS_SCANNED;
    if (tiny || (count == 0 && hull->vertex_count <= AP_SCAN_LIMIT)) {
        fetch(ap_hull_x(hull), 3 * sizeof(double) * hull->padded_count);
    }
    for (unsigned i = 0; i < count && i < CACHED_VERTICES; i++) {
        if (cached[i] < hull->vertex_count && tiny) {
            ap_prefetch(&ap_hull_corners(hull)[cached[i]]);
        } else if (cached[i] < hull->vertex_count) {
            fetch(&ap_hull_records(hull)[cached[i]], sizeof(ap_hull_vertex));
        }
    }
}

/* Never beyond `end`: the caches there may be another thread's to write. */
AP_INLINE void look_ahead(const apart_batch *batch, size_t i, size_t end)
{
    const apart_cache none = {.count = 0};
    if (end - i > BODIES_AHEAD) {
        fetch_body(&batch->a, i + BODIES_AHEAD);
        fetch_body(&batch->b, i + BODIES_AHEAD);
        if (batch->caches != NULL) {
            fetch(input_at(batch->caches, batch->cache_stride, i + BODIES_AHEAD), sizeof(apart_cache));
        }
    }
    if (end - i > HULLS_AHEAD) {
        fetch_hull(&batch->a, i + HULLS_AHEAD);
        fetch_hull(&batch->b, i + HULLS_AHEAD);
    }
    if (end - i > VERTICES_AHEAD) {
        const apart_cache *cache = batch->caches != NULL ? input_at(batch->caches, batch->cache_stride, i + VERTICES_AHEAD) : &none;
        fetch_vertices(&batch->a, i + VERTICES_AHEAD, cache->index_a, cache->count);
        fetch_vertices(&batch->b, i + VERTICES_AHEAD, cache->index_b, cache->count);
    }
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

static void finish_pair(batch_run *run, size_t pair, apart_status status)
{
    const apart_batch *batch = run->batch;
    if (batch->statuses != NULL) {
        *(apart_status *)output_at(batch->statuses, batch->status_stride, pair) = status;
    }
    if (status != APART_OK) {
        note_failure(run, pair, status);
    }
}

/* Pairs that wait for a lane. */
typedef struct lane_queue {
    ap_lane_job job[AP_BOX_LANES];
    unsigned count;
} lane_queue;

/* By what lanes have in common: boxes, and tiny hulls by the vertices of their cached simplices. */
typedef struct lane_queues {
    lane_queue boxes, hulls[AP_HULL_SIMPLICES];
} lane_queues;

static apart_status ask_alone(const batch_run *run, const ap_lane_job *p)
{
    return apart_distance(p->a, p->pose_a, p->b, p->pose_b, run->options, p->cache, p->result);
}

/* A step takes all lanes: those without a pair of their own get a copy. */
static void fill_lanes(lane_queue *queue, unsigned lanes)
{
    for (unsigned i = queue->count; i < lanes; i++) {
        queue->job[i] = queue->job[0];
    }
}

/* The pairs that lanes have answered, by bits. */
static void finish_answered(batch_run *run, const lane_queue *queue, unsigned answered)
{
    for (unsigned rest = run->batch->statuses != NULL ? answered : 0; rest != 0; rest &= rest - 1) {
        finish_pair(run, queue->job[__builtin_ctz(rest)].number, APART_OK);
    }
}

/* One step of the pairs in the queue; those that need another stay there. */
static void step_boxes(batch_run *run, lane_queue *queue)
{
    const unsigned all = (1u << queue->count) - 1u;
    fill_lanes(queue, AP_BOX_LANES);
    const ap_lane_verdict verdict = ap_kernels_get()->step_boxes(queue->job, queue->count);
    queue->count = 0;
    finish_answered(run, queue, verdict.answered);
    for (unsigned rest = all & ~verdict.answered; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        const ap_lane_job *job = &queue->job[i];
        if (verdict.again >> i & 1u) {
            queue->job[queue->count++] = *job;
        } else {
            finish_pair(run, job->number, ask_alone(run, job));
        }
    }
}

/* The only step of the pairs in the queue, with so many vertices each. */
static void step_hulls(batch_run *run, lane_queue *queue, unsigned vertices)
{
    const unsigned all = (1u << queue->count) - 1u;
    fill_lanes(queue, AP_HULL_LANES);
    const unsigned answered = ap_kernels_get()->step_hulls(queue->job, vertices) & all;
    queue->count = 0;
    finish_answered(run, queue, answered);
    for (unsigned rest = all & ~answered; rest != 0; rest &= rest - 1) {
        const ap_lane_job *job = &queue->job[__builtin_ctz(rest)];
        finish_pair(run, job->number, ask_alone(run, job));
    }
}

/* The pair goes to a lane, or is answered. It is written once, where it may have to wait: a copy would wait for what was just written. */
AP_INLINE void ask_pair(batch_run *run, lane_queues *queues, const ap_lane_job *pair)
{
    const bool boxes = ap_is_plain_box(pair->a) && ap_is_plain_box(pair->b);
    const unsigned vertices = !boxes && pair->cache != NULL ? pair->cache->count : 0;
    const bool tracked = vertices - 1u < AP_HULL_SIMPLICES;
    lane_queue *queue = tracked ? &queues->hulls[vertices - 1u] : &queues->boxes;
    ap_lane_job *job = &queue->job[queue->count];
    *job = *pair;
    if (boxes && run->plain && ap_box_start(job)) {
        queue->count++;
        while (queue->count == AP_BOX_LANES) {
            step_boxes(run, queue);
        }
    } else if (tracked && run->plain && ap_hull_job_fits(job)) {
        if (++queue->count == AP_HULL_LANES) {
            step_hulls(run, queue, vertices);
        }
    } else {
        finish_pair(run, job->number, ask_alone(run, job));
    }
}

/* Bodies that stand in rows: the addresses of a pair grow by these strides from pair to pair. */
static void ask_rows(batch_run *run, lane_queues *queues, size_t first, size_t end)
{
    const apart_batch *batch = run->batch;
    const size_t a = batch->a.shape_stride, pose_a = batch->a.pose_stride, b = batch->b.shape_stride, pose_b = batch->b.pose_stride;
    const size_t cache = batch->caches != NULL ? batch->cache_stride : 0, result = batch->result_stride;
    ap_lane_job pair;
    set_pair(batch, first, first, first, &pair);
    for (size_t i = first;;) {
        ask_pair(run, queues, &pair);
        if (++i == end) {
            break;
        }
        pair.a = input_at(pair.a, a, 1);
        pair.pose_a = input_at(pair.pose_a, pose_a, 1);
        pair.b = input_at(pair.b, b, 1);
        pair.pose_b = input_at(pair.pose_b, pose_b, 1);
        pair.cache = output_at(pair.cache, cache, 1);
        pair.result = output_at(pair.result, result, 1);
        pair.number = i;
    }
}

/* Bodies that are listed, or so many that looking ahead pays. */
static void ask_listed(batch_run *run, lane_queues *queues, size_t first, size_t end)
{
    const apart_batch *batch = run->batch;
    const bool ahead = batch->count >= LOOK_AHEAD_FROM;
    for (size_t i = first; i < end; i++) {
        if (ahead) {
            look_ahead(batch, i, end);
        }
        ap_lane_job pair;
        if (find_pair(batch, i, &pair)) {
            ask_pair(run, queues, &pair);
        } else {
            finish_pair(run, i, APART_ERR_ID);
        }
    }
}

static void ask_pairs(void *context, size_t first, size_t end)
{
    batch_run *run = context;
    const apart_batch *batch = run->batch;
    lane_queues queues;
    queues.boxes.count = 0;
    for (unsigned i = 0; i < AP_HULL_SIMPLICES; i++) {
        queues.hulls[i].count = 0;
    }
    if (batch->count < LOOK_AHEAD_FROM && batch->a.indices == NULL && batch->b.indices == NULL) {
        ask_rows(run, &queues, first, end);
    } else {
        ask_listed(run, &queues, first, end);
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
    batch_run run = {.batch = batch, .options = options, .plain = is_plain(options)};
    atomic_init(&run.first_failure, NO_FAILURE);
    atomic_init(&run.failed, 0);
    ap_parallel_for(batch->threads, batch->count, PAIR_GRAIN, ask_pairs, &run);
    if (failed != NULL) {
        *failed = atomic_load(&run.failed);
    }
    const uint_least64_t first = atomic_load(&run.first_failure);
    return first == NO_FAILURE ? APART_OK : (apart_status)(first & ((1u << STATUS_BITS) - 1u));
}
