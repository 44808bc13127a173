/* The functions of this level. */
#include "kernels.h"

const ap_kernels ap_level_kernels = {
    .distance = ap_query_distance,
    .overlap = ap_query_overlap,
    .penetration_bounds = ap_query_penetration_bounds,
    .step_boxes = ap_box_lanes_step,
    .step_hulls = ap_hull_lanes_step,
    .solids_distance = ap_solids_distance,
    .solids_overlap = ap_solids_overlap,
};
