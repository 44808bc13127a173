/* Which kernels to use: asked of the CPU once. The pointer is the library's only global; every thread would store the same value. */
#include <stdatomic.h>
#include <string.h>

#include "variants.h"

static _Atomic(const ap_kernels *) chosen;

/* The variants this CPU can run, best first; returns how many. */
static int usable(const ap_kernels *list[3])
{
    int n = 0;
#if defined(AP_HAVE_X86_KERNELS)
#if defined(__GNUC__)
    __builtin_cpu_init();
    if (ap_kernels_avx2.name != NULL && __builtin_cpu_supports("avx2")) {
        list[n++] = &ap_kernels_avx2;
    }
#endif
    list[n++] = &ap_kernels_sse2; /* part of every x86-64 */
#endif
    list[n++] = &ap_kernels_scalar;
    return n;
}

const ap_kernels *ap_kernels_get(void)
{
    const ap_kernels *kernels = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (kernels == NULL) {
        const ap_kernels *list[3];
        usable(list);
        kernels = list[0];
        atomic_store_explicit(&chosen, kernels, memory_order_relaxed);
    }
    return kernels;
}

bool ap_kernels_force(const char *name)
{
    const ap_kernels *list[3];
    const int n = usable(list);
    for (int i = 0; i < n; i++) {
        if (name == NULL || strcmp(list[i]->name, name) == 0) {
            atomic_store_explicit(&chosen, list[i], memory_order_relaxed);
            return true;
        }
    }
    return false;
}
