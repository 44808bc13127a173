/* The variants of the support kernels that this build holds. */
#ifndef AP_SIMD_VARIANTS_H
#define AP_SIMD_VARIANTS_H

#include "kernels.h"

extern const ap_kernels ap_kernels_scalar;

#if defined(__x86_64__) && !defined(APART_NO_SIMD)
#define AP_HAVE_X86_KERNELS 1
extern const ap_kernels ap_kernels_sse2;
extern const ap_kernels ap_kernels_avx2; /* name is NULL when the compiler was not told to use AVX2 */
#endif

#endif
