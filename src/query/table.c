/* The queries of one pair at this level. */
#include "query.h"

const ap_query_table ap_queries = {
    .distance = ap_query_distance,
    .overlap = ap_query_overlap,
    .penetration_bounds = ap_query_penetration_bounds,
};
