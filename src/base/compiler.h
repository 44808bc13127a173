/* What the compiler is asked for beyond C17: the only home of attributes. */
#ifndef AP_BASE_COMPILER_H
#define AP_BASE_COMPILER_H

/* For the short functions of the hot path, where a call would cost more than what it does, and for the templates of the
 * query code. In a level that only old processors run the compiler decides: a tenth of the code, a twentieth of the
 * time to compile. */
#ifndef AP_INLINE
#ifdef AP_FALLBACK_LEVEL
#define AP_INLINE static inline __attribute__((unused))
#else
#define AP_INLINE static inline __attribute__((always_inline))
#endif
#endif

/* For branches that are taken so rarely that nothing is put off until after the test. */
#define AP_UNLIKELY(x) __builtin_expect_with_probability((x), 0, 0.999)

/* Never inlined: for what would otherwise be copied into every instance of a template. */
#define AP_NOINLINE __attribute__((noinline))

/* For what a hot function does rarely: never inlined, and placed out of its way. */
#define AP_RARE __attribute__((noinline, cold))

#endif
