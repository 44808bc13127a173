/* The queries of solids at this level. */
#include "search.h"

const ap_solids_table ap_solids = {.distance = ap_solids_distance, .overlap = ap_solids_overlap};
