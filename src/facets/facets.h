/* Queries of which at least one solid is a mesh, and all pairs of parts that are near, for one level of the CPU. */
#ifndef AP_FACETS_FACETS_H
#define AP_FACETS_FACETS_H

#include <stdbool.h>

#include "../parts/solids.h"

/* apart_compound_below, of solids of all kinds. */
typedef apart_status ap_facets_below_fn(apart_solid a, const apart_pose *pose_a, apart_solid b,
                                        const apart_pose *pose_b, double distance, apart_part_list *list);

/* Takes a pair of parts; it may lower the threshold. False ends the search. */
typedef bool ap_facets_take_fn(void *context, const uint32_t part[2], double *threshold);

/* Offers all pairs of parts that are not known to be farther apart than a threshold. */
typedef apart_status ap_facets_offer_fn(apart_solid a, const apart_pose *pose_a, apart_solid b,
                                        const apart_pose *pose_b, double threshold, ap_facets_take_fn *take,
                                        void *context);

ap_solids_distance_fn ap_facets_distance;
ap_solids_overlap_fn ap_facets_overlap;
ap_facets_below_fn ap_facets_below;
ap_facets_offer_fn ap_facets_offer;

#endif
