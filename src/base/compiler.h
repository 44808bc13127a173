/* What the compiler is asked for beyond C17, and what it is asked to be: the only home of attributes and builtins. Each
 * has a plain form for compilers that do not have it. */
#ifndef AP_BASE_COMPILER_H
#define AP_BASE_COMPILER_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what the arithmetic rests on ---- */

#if FLT_EVAL_METHOD == 1
#error "apart computes with floats, and this target with doubles in their place. Give -fexcess-precision=fast."
#elif FLT_EVAL_METHOD != 0
#error "apart computes in double precision, and this target in another (x87?). On 32-bit x86 give -msse2 -mfpmath=sse."
#endif
#ifdef __FAST_MATH__
#error "apart proves bounds of IEEE arithmetic: compile it without -ffast-math."
#endif

/* ---- the compiler's own vectors ---- */

/* Vector types and their shuffles, of which gcc 9 and clang 10 have enough (simd/lanes_vector.h). */
#if !defined(APART_NO_SIMD) && defined(__clang__) && __clang_major__ >= 10
#define AP_HAVE_VECTORS 1
#elif !defined(APART_NO_SIMD) && !defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 9
#define AP_HAVE_VECTORS 1
#else
#define AP_HAVE_VECTORS 0
#endif

#if AP_HAVE_VECTORS
#define AP_VECTOR_OF(bytes) __attribute__((vector_size(bytes)))
#define AP_VECTOR AP_VECTOR_OF(32)
#endif

#ifdef __has_builtin
#define AP_HAS_BUILTIN(name) __has_builtin(name)
#else
#define AP_HAS_BUILTIN(name) 0
#endif

/* C11's atomic operations (base/atomic.h). */
#if defined(__STDC_NO_ATOMICS__) || defined(__TINYC__)
#define AP_HAVE_ATOMICS 0
#else
#define AP_HAVE_ATOMICS 1
#endif

/* ---- what is inlined ---- */

/* AP_INLINE: for the short functions of the hot path, where a call would cost more than what it does, and for the
 * templates of the query code. In a level that only old processors run the compiler decides: a tenth of the code, a
 * twentieth of the time to compile.
 * AP_INLINE_ALWAYS: for single operations, in every level.
 * AP_NOINLINE: for what would otherwise be copied into every instance of a template.
 * AP_RARE: for what a hot function does rarely: never inlined, and placed out of its way. */
#if defined(__GNUC__) || defined(__clang__)
#define AP_MAYBE_INLINE static inline __attribute__((unused))
#define AP_FORCE_INLINE static inline __attribute__((always_inline))
#define AP_NOINLINE __attribute__((noinline))
#define AP_RARE __attribute__((noinline, cold))
#elif defined(_MSC_VER)
#define AP_MAYBE_INLINE static inline
#define AP_FORCE_INLINE static __forceinline
#define AP_NOINLINE __declspec(noinline)
#define AP_RARE __declspec(noinline)
#else
#define AP_MAYBE_INLINE static inline
#define AP_FORCE_INLINE static inline
#define AP_NOINLINE
#define AP_RARE
#endif

/* A build that is not optimised may define AP_INLINE as it likes. */
#ifdef AP_INLINE
#define AP_INLINE_ALWAYS AP_INLINE
#else
#define AP_INLINE_ALWAYS AP_FORCE_INLINE
#ifdef AP_FALLBACK_LEVEL
#define AP_INLINE AP_MAYBE_INLINE
#else
#define AP_INLINE AP_FORCE_INLINE
#endif
#endif

/* For branches that are taken so rarely that nothing is put off until after the test. */
#if (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9) || AP_HAS_BUILTIN(__builtin_expect_with_probability)
#define AP_UNLIKELY(x) __builtin_expect_with_probability((x), 0, 0.999)
#elif defined(__GNUC__) || defined(__clang__)
#define AP_UNLIKELY(x) __builtin_expect((x), 0)
#else
#define AP_UNLIKELY(x) (x)
#endif

/* Does the CPU at hand have AVX2 and FMA? Only for builds with that level. */
#ifdef AP_HAVE_AVX2_LEVEL
AP_MAYBE_INLINE bool ap_cpu_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

/* ---- bits ---- */

/* Is the byte of least weight the last one in memory? */
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define AP_BIG_ENDIAN 1
#else
#define AP_BIG_ENDIAN 0
#endif

/* The number of the lowest bit that is set; one must be. */
AP_INLINE_ALWAYS uint32_t ap_lowest_bit(uint32_t bits)
{
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
    return (uint32_t)__builtin_ctz(bits);
#else
    static const unsigned char number[32] = {0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
                                             31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9};
    return number[((bits & (0u - bits)) * 0x077cb531u & 0xffffffffu) >> 27]; /* a de Bruijn sequence */
#endif
}

/* The same of 64 bits. */
AP_INLINE_ALWAYS int ap_lowest_bit_64(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    return low != 0 ? (int)ap_lowest_bit(low) : 32 + (int)ap_lowest_bit((uint32_t)(bits >> 32));
}

/* How many bits are set. */
AP_INLINE_ALWAYS uint32_t ap_count_bits(uint32_t bits)
{
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
    return (uint32_t)__builtin_popcount(bits);
#else
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
#endif
}

/* A hint that these bytes will be read soon; does nothing without SIMD. */
AP_INLINE_ALWAYS void ap_prefetch(const void *address)
{
#if AP_HAVE_VECTORS
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

#endif
