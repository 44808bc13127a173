/* Which compilation of the query code runs: that for every CPU of the architecture, or that for AVX2 with FMA. Same
 * bits from both. */
#ifndef AP_API_LEVEL_H
#define AP_API_LEVEL_H

#include "../base/atomic.h"
#include "../level/kernels.h"

/* The library's only global: the pair kernels for this CPU. Until the first call it is a table of functions that choose
 * them; every thread would store the same pointer. */
extern AP_ATOMIC(const ap_pair_kernels *) ap_kernels_chosen;

static inline const ap_pair_kernels *ap_kernels_get(void) { return ap_atomic_load(&ap_kernels_chosen); }

/* The other tables of that level. */
typedef struct ap_level {
    const ap_batch_kernels *batches;
    const ap_solid_kernels *solids;
    const ap_facet_kernels *facets;
    const ap_ray_kernels *rays;
} ap_level;

const ap_level *ap_level_get(void);

/* Forces a level by name ("baseline", "avx2"; NULL: the best again); false if the CPU or the build lacks it. For tests
 * and benchmarks. */
bool ap_level_force(const char *name);

/* The name of the level in use. */
const char *ap_level_name(void);

#endif
