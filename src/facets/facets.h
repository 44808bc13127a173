/* Queries of which at least one solid is a mesh: apart_compound_distance and its like for one level of the CPU. */
#ifndef AP_FACETS_FACETS_H
#define AP_FACETS_FACETS_H

#include "../parts/solids.h"

ap_solids_distance_fn ap_facets_distance;
ap_solids_overlap_fn ap_facets_overlap;

#endif
