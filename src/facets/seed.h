/* A pair of parts to begin a search with. */
#ifndef AP_FACETS_SEED_H
#define AP_FACETS_SEED_H

#include "bound.h"

/* Two parts that are near each other, mostly. False: the floats of this frame say nothing. */
bool ap_facet_seed(const ap_facet_frame *f, uint32_t part[2]);

#endif
