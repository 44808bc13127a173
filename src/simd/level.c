/* The level of the query code: asked of the CPU once. */
#include "level.h"

#include <string.h>

_Atomic(int) ap_level_chosen;

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

ap_level ap_level_find(void)
{
    const ap_level level = best_level();
    atomic_store_explicit(&ap_level_chosen, (int)level, memory_order_relaxed);
    return level;
}

bool ap_level_force(const char *name)
{
    ap_level level = best_level();
    if (name != NULL && strcmp(name, "baseline") == 0) {
        level = AP_LEVEL_BASELINE;
    } else if (name != NULL && (strcmp(name, "avx2") != 0 || level != AP_LEVEL_AVX2)) {
        return false;
    }
    atomic_store_explicit(&ap_level_chosen, (int)level, memory_order_relaxed);
    return true;
}
