/* The level of the query code: asked of the CPU once. */
#include "level.h"

#include <string.h>

_Atomic(const ap_kernels *) ap_kernels_chosen;

#ifdef AP_HAVE_AVX2_LEVEL
extern const ap_kernels ap_level_kernels_avx2;

static const ap_kernels *best_kernels(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &ap_level_kernels_avx2 : &ap_level_kernels;
}
#else
static const ap_kernels *best_kernels(void) { return &ap_level_kernels; }
#endif

static const ap_kernels *use(const ap_kernels *kernels)
{
    atomic_store_explicit(&ap_kernels_chosen, kernels, memory_order_relaxed);
    return kernels;
}

const ap_kernels *ap_kernels_choose(void) { return use(best_kernels()); }

bool ap_level_force(const char *name)
{
    const ap_kernels *best = best_kernels();
    if (name == NULL) {
        use(best);
        return true;
    }
    if (strcmp(name, "baseline") == 0) {
        use(&ap_level_kernels);
        return true;
    }
    if (strcmp(name, "avx2") == 0 && best != &ap_level_kernels) {
        use(best);
        return true;
    }
    return false;
}

const char *ap_level_name(void) { return ap_kernels_get() == &ap_level_kernels ? "baseline" : "avx2"; }
