/* Pairs of boxes in SIMD lanes, for batches: one pair per lane, one step at a time.
 *
 * The caller keeps a queue: ap_box_lanes_step takes pairs from it, and those that need another step go back to it. So
 * the lanes are always full, and the result of a pair depends on the pair only. */
#ifndef AP_LANES_ROOM_BOX_LANES_H
#define AP_LANES_ROOM_BOX_LANES_H

#include <stdbool.h>

#include "../shape/family.h"
#include "lane_job.h"

/* The number of pairs in a step. */
#define AP_BOX_LANES 8u

/* The pairs that have their result, and those that need another step, as bits. All others fall back to the scalar
 * query, with results and caches untouched: their boxes may touch, overlap or be invalid, or their size or rotation is
 * out of range. */
typedef struct ap_lane_verdict {
    unsigned answered, again;
} ap_lane_verdict;

/* The half extents of a 3D box without a rounding radius, also of one that is given as a hull about its origin; NULL: it
 * is none. */
AP_INLINE const apart_vec3 *ap_sharp_box_extents(const apart_shape *shape)
{
    if (ap_shape_is(shape, APART_SHAPE_BOX, 0)) {
        return ap_word_at(shape, offsetof(apart_shape, radius)) == 0 ? &shape->u.half_extents : NULL;
    }
    const apart_vec3 *middle = &shape->u.box_hull.middle;
    return ap_shape_is(shape, APART_SHAPE_HULL, AP_SMALL_HULL | AP_BOX_HULL) && shape->radius + shape->error == 0.0 &&
                   middle->x == 0.0 && middle->y == 0.0 && middle->z == 0.0
               ? &shape->u.box_hull.half_extents
               : NULL;
}

/* Sets the feature of the first step, from the cache or from the centres. Returns false if the boxes overlapped last
 * time or most likely overlap now: these are faster in the scalar query. */
bool ap_box_job_start(ap_lane_job *job);

/* One step of the default query for AP_BOX_LANES pairs of sharp boxes. Only the first `count` pairs matter; the others
 * may be copies of them. */
typedef ap_lane_verdict ap_box_step_fn(ap_lane_job *jobs, unsigned count);
ap_box_step_fn ap_box_lanes_step;

#endif
