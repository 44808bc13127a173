/* Which of its two compilations the query code runs in: for every CPU of the architecture, or for AVX2 with FMA. Same bits from both. */
#ifndef AP_SIMD_LEVEL_H
#define AP_SIMD_LEVEL_H

#include <stdbool.h>

typedef enum ap_level { AP_LEVEL_UNKNOWN, AP_LEVEL_BASELINE, AP_LEVEL_AVX2 } ap_level;

/* The level for this CPU and build, asked once (an idempotent atomic word, the library's only global). */
ap_level ap_level_get(void);

/* Forces a level by name ("baseline", "avx2"; NULL: the best again); false if the CPU or the build lacks it. For tests and benchmarks. */
bool ap_level_force(const char *name);

#endif
