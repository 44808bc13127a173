/* The level of the query code: asked of the CPU once; every thread would store the same value. */
#include "level.h"

#include <stdatomic.h>
#include <string.h>

static _Atomic(int) chosen;

static ap_level best_level(void)
{
#ifdef AP_HAVE_AVX2_LEVEL
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return AP_LEVEL_AVX2;
    }
#endif
    return AP_LEVEL_BASELINE;
}

ap_level ap_level_get(void)
{
    int level = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (level == AP_LEVEL_UNKNOWN) {
        level = (int)best_level();
        atomic_store_explicit(&chosen, level, memory_order_relaxed);
    }
    return (ap_level)level;
}

bool ap_level_force(const char *name)
{
    ap_level level = best_level();
    if (name != NULL && strcmp(name, "baseline") == 0) {
        level = AP_LEVEL_BASELINE;
    } else if (name != NULL && (strcmp(name, "avx2") != 0 || level != AP_LEVEL_AVX2)) {
        return false;
    }
    atomic_store_explicit(&chosen, (int)level, memory_order_relaxed);
    return true;
}
