/* Where the shapes, poses, caches and results of a batch's pairs are in the caller's arrays. */
#ifndef AP_BATCH_BATCH_ELEMENTS_H
#define AP_BATCH_BATCH_ELEMENTS_H

#include <apart/batch.h>
#include <stdbool.h>

#include "../base/compiler.h"
#include "../lanes/lane_job.h"

/* Element i of an input or output array. */
AP_INLINE const void *ap_batch_input(const void *base, size_t stride, size_t i)
{
    return (const char *)base + i * stride;
}

AP_INLINE void *ap_batch_output(void *base, size_t stride, size_t i) { return (char *)base + i * stride; }

/* Finds the number of a pair's body; false: the index names no body. */
AP_INLINE bool ap_batch_find_body(const apart_batch_bodies *side, size_t pair, size_t *body)
{
    *body = pair;
    if (side->indices == NULL) {
        return true;
    }
    *body = *(const uint32_t *)ap_batch_input(side->indices, side->index_stride, pair);
    return *body < side->count;
}

/* Sets up pair i of the bodies a and b. */
AP_INLINE void ap_batch_set_pair(const apart_batch *batch, size_t i, size_t a, size_t b, ap_lane_job *pair)
{
    pair->a = ap_batch_input(batch->a.shapes, batch->a.shape_stride, a);
    pair->pose_a = ap_batch_input(batch->a.poses, batch->a.pose_stride, a);
    pair->b = ap_batch_input(batch->b.shapes, batch->b.shape_stride, b);
    pair->pose_b = ap_batch_input(batch->b.poses, batch->b.pose_stride, b);
    pair->cache = batch->caches != NULL ? ap_batch_output(batch->caches, batch->cache_stride, i) : NULL;
    pair->result = ap_batch_output(batch->results, batch->result_stride, i);
    pair->number = i;
}

/* Sets up pair i; false: an index names no body. */
AP_INLINE bool ap_batch_find_pair(const apart_batch *batch, size_t i, ap_lane_job *pair)
{
    size_t a, b;
    if (!ap_batch_find_body(&batch->a, i, &a) || !ap_batch_find_body(&batch->b, i, &b)) {
        return false;
    }
    ap_batch_set_pair(batch, i, a, b, pair);
    return true;
}

#endif
