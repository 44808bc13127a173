/* The inner loops of the support search, in variants for the CPU at hand: same bits from each.
 * A dot product is (x*dx + y*dy) + z*dz in every variant; the first (lowest) index wins ties. */
#ifndef AP_SIMD_KERNELS_H
#define AP_SIMD_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "../math/vec.h"

#define AP_LANES 4u

/* Four edges that leave one vertex: coordinates of neighbour - vertex in lanes, and the neighbours' ids (ascending). */
typedef struct ap_neighbour_block {
    double dx[AP_LANES], dy[AP_LANES], dz[AP_LANES];
    uint32_t id[AP_LANES];
} ap_neighbour_block; /* 112 bytes */

typedef struct ap_kernels {
    const char *name; /* "scalar", "sse2", "avx2" */
    /* The index of the largest dot product with d among `padded` (a multiple of AP_LANES, > 0) points: x[i], y[i], z[i]. */
    uint32_t (*scan)(const double *x, const double *y, const double *z, uint32_t padded, apart_vec3 d);
    /* The neighbour with the largest dot product of its edge with d, if that is > 0, else `self`. */
    uint32_t (*climb)(const ap_neighbour_block *blocks, uint32_t count, uint32_t self, apart_vec3 d);
} ap_kernels;

/* A hint that these bytes will be read soon; nothing where the compiler has no word for it. */
static inline void ap_prefetch(const void *address)
{
#if defined(__GNUC__) && !defined(APART_NO_SIMD)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

/* The kernels for this CPU, chosen once (an idempotent atomic word). */
const ap_kernels *ap_kernels_get(void);

/* Forces a variant by name ("scalar", "sse2", "avx2"; NULL: the best again); false if the CPU or the build lacks it. For tests and
 * benchmarks. */
bool ap_kernels_force(const char *name);

#endif
