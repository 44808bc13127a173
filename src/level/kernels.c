/* The functions of this level. */
#include "kernels.h"

const ap_pair_kernels ap_level_pairs = {
    .distance = ap_query_distance,
    .overlap = ap_query_overlap,
    .penetration_bounds = ap_query_penetration_bounds,
};

const ap_batch_kernels ap_level_batches = {.step_boxes = ap_box_lanes_step, .step_hulls = ap_hull_lanes_step};

const ap_ray_kernels ap_level_rays = {.cast = ap_ray_cast};

const ap_solid_kernels ap_level_solids = {.distance = ap_solids_distance, .overlap = ap_solids_overlap};

const ap_facet_kernels ap_level_facets = {
    .distance = ap_facets_distance,
    .overlap = ap_facets_overlap,
    .below = ap_facets_below,
    .offer = ap_facets_offer,
};
