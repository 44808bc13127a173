/* Which of its two compilations the query code runs in: for every CPU of the architecture, or for AVX2 with FMA. Same bits from both. */
#ifndef AP_SIMD_LEVEL_H
#define AP_SIMD_LEVEL_H

#include <stdatomic.h>
#include <stdbool.h>

typedef enum ap_level { AP_LEVEL_UNKNOWN, AP_LEVEL_BASELINE, AP_LEVEL_AVX2 } ap_level;

/* The library's only global: an idempotent atomic word, to which every thread would store the same value. */
extern _Atomic(int) ap_level_chosen;

/* Asks the CPU. */
ap_level ap_level_find(void);

/* The level if it has been asked for before. */
static inline ap_level ap_level_known(void) { return (ap_level)atomic_load_explicit(&ap_level_chosen, memory_order_relaxed); }

/* The level for this CPU and build. */
static inline ap_level ap_level_get(void)
{
    const ap_level level = ap_level_known();
    return level != AP_LEVEL_UNKNOWN ? level : ap_level_find();
}

/* A table of functions of the query code: declares it and, where the build has one, its twin of the AVX2 level. */
#ifdef AP_HAVE_AVX2_LEVEL
#define AP_LEVELED_TABLE(type, name) extern const type name, name##_avx2
#define AP_LEVEL_OF(name) (ap_level_get() == AP_LEVEL_AVX2 ? &name##_avx2 : &name)
#else
#define AP_LEVELED_TABLE(type, name) extern const type name
#define AP_LEVEL_OF(name) (&name)
#endif

/* Forces a level by name ("baseline", "avx2"; NULL: the best again); false if the CPU or the build lacks it. For tests and benchmarks. */
bool ap_level_force(const char *name);

#endif
