/* Pairs of boxes in lanes, for batches: a pair to a lane, one step at a time.
 *
 * The caller keeps a queue: ap_box_lanes_step takes pairs from it, and those that need another step go back to it. So
 * the lanes are always full, and what a pair gets depends on nothing but the pair. */
#ifndef AP_LANES_ROOM_BOX_LANES_H
#define AP_LANES_ROOM_BOX_LANES_H

#include <stdbool.h>

#include "../shape/family.h"
#include "lane_job.h"

/* Pairs of a step. */
#define AP_BOX_LANES 8u

/* Pairs by bits: those that have their result, and those that need another step. The rest are left to the query for one
 * pair, with results and caches as they were: their boxes may touch, overlap or be invalid, or are not usual. */
typedef struct ap_lane_verdict {
    unsigned answered, again;
} ap_lane_verdict;

/* Is the shape a box in space without rounding, for lanes? */
AP_INLINE bool ap_is_plain_box(const apart_shape *shape)
{
    return AP_HAVE_PAIR_LANES && ap_shape_is(shape, APART_SHAPE_BOX, 0) &&
           ap_word_at(shape, offsetof(apart_shape, radius)) == 0;
}

/* Sets where the first step looks: from the cache, or afresh. False: the boxes overlapped last time or most likely do
 * now, and had better be asked one by one. */
bool ap_box_job_start(ap_lane_job *job);

/* A step of AP_BOX_LANES pairs of plain boxes, of which the first `count` matter (the others may be copies of them), as
 * the default query answers them. */
typedef ap_lane_verdict ap_box_step_fn(ap_lane_job *jobs, unsigned count);
ap_box_step_fn ap_box_lanes_step;

#endif
