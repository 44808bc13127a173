/* What one level of the query code exports. The rooms below this one are compiled once for every CPU of the
 * architecture and, on x86-64, once more for AVX2 with FMA; both give the same bits. Everything else reaches them
 * through the tables of a level: one for pairs, and one each for batches, compounds and rays, which a program that
 * uses none of them does not link. */
#ifndef AP_LEVEL_KERNELS_H
#define AP_LEVEL_KERNELS_H

#include "../facets/facets.h"
#include "../lanes/hull_lanes.h"
#include "../parts/solids.h"
#include "../query/query.h"
#include "../rays/ray_frame.h"

typedef struct ap_pair_kernels {
    ap_distance_fn *distance;
    ap_overlap_fn *overlap;
    ap_penetration_bounds_fn *penetration_bounds;
} ap_pair_kernels;

typedef struct ap_batch_kernels {
    ap_box_step_fn *step_boxes;
    ap_hull_step_fn *step_hulls;
} ap_batch_kernels;

typedef struct ap_solid_kernels {
    ap_solids_distance_fn *distance;
    ap_solids_overlap_fn *overlap;
} ap_solid_kernels; /* of compounds and shapes */

typedef struct ap_facet_kernels {
    ap_solids_distance_fn *distance; /* with a mesh, as the overlap */
    ap_solids_overlap_fn *overlap;
    ap_facets_below_fn *below; /* of solids of all kinds, as the offer */
    ap_facets_offer_fn *offer;
} ap_facet_kernels;

typedef struct ap_ray_kernels {
    ap_ray_cast_fn *cast;
} ap_ray_kernels;

extern const ap_pair_kernels ap_level_pairs;
extern const ap_batch_kernels ap_level_batches;
extern const ap_solid_kernels ap_level_solids;
extern const ap_facet_kernels ap_level_facets;
extern const ap_ray_kernels ap_level_rays;

#endif
