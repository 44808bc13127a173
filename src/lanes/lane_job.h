/* A pair of a batch while the SIMD kernels (box_lanes.h, hull_lanes.h) work on it. */
#ifndef AP_LANES_ROOM_LANE_JOB_H
#define AP_LANES_ROOM_LANE_JOB_H

#include <apart/distance.h>

typedef struct ap_lane_job {
    const apart_shape *a;
    const apart_pose *pose_a;
    const apart_shape *b;
    const apart_pose *pose_b;
    apart_cache *cache; /* may be NULL */
    apart_result *result;
    size_t number;                     /* the caller's */
    const apart_vec3 *half_a, *half_b; /* for boxes only, as what follows: their half extents */
    /* Low half: the ap_box_feature (box_feature.h) that the next step evaluates. High half: the number
     * of steps, including that one. */
    int64_t state;
} ap_lane_job;

#endif
