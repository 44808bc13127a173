/* The support kernels two lanes at a time. Indices travel as doubles (exact below 2^53), so that one minimum settles ties. */
#include "variants.h"

#ifdef AP_HAVE_X86_KERNELS

#include <emmintrin.h>

/* An index above all others. */
static const double no_index = 0x1p40;

static inline __m128d dot(const double *x, const double *y, const double *z, __m128d dx, __m128d dy, __m128d dz)
{
    const __m128d xy = _mm_add_pd(_mm_mul_pd(_mm_loadu_pd(x), dx), _mm_mul_pd(_mm_loadu_pd(y), dy));
    return _mm_add_pd(xy, _mm_mul_pd(_mm_loadu_pd(z), dz));
}

/* b where the mask is set, else a. */
static inline __m128d choose(__m128d a, __m128d b, __m128d mask)
{
    return _mm_or_pd(_mm_andnot_pd(mask, a), _mm_and_pd(mask, b));
}

/* The lowest index among the lanes with the largest value, at most `limit`, else `otherwise` (after an overflow). */
static inline uint32_t lowest_of_largest(__m128d value0, __m128d index0, __m128d value1, __m128d index1, double limit, uint32_t otherwise)
{
    const __m128d pair = _mm_max_pd(value0, value1);
    const __m128d largest = _mm_max_pd(pair, _mm_shuffle_pd(pair, pair, 1));
    const __m128d none = _mm_set1_pd(no_index);
    const __m128d i0 = choose(none, index0, _mm_cmpeq_pd(value0, largest));
    const __m128d i1 = choose(none, index1, _mm_cmpeq_pd(value1, largest));
    const __m128d lower = _mm_min_pd(i0, i1);
    const double index = _mm_cvtsd_f64(_mm_min_pd(lower, _mm_shuffle_pd(lower, lower, 1)));
    return index <= limit ? (uint32_t)index : otherwise;
}

static uint32_t scan(const double *x, const double *y, const double *z, uint32_t padded, apart_vec3 d)
{
    const __m128d dx = _mm_set1_pd(d.x), dy = _mm_set1_pd(d.y), dz = _mm_set1_pd(d.z);
    const __m128d four = _mm_set1_pd(4.0);
    __m128d now0 = _mm_set_pd(1.0, 0.0), now1 = _mm_set_pd(3.0, 2.0);
    __m128d best0 = dot(x, y, z, dx, dy, dz), best1 = dot(x + 2, y + 2, z + 2, dx, dy, dz);
    __m128d index0 = now0, index1 = now1;
    for (uint32_t i = AP_LANES; i < padded; i += AP_LANES) {
        now0 = _mm_add_pd(now0, four);
        now1 = _mm_add_pd(now1, four);
        const __m128d v0 = dot(x + i, y + i, z + i, dx, dy, dz);
        const __m128d v1 = dot(x + i + 2, y + i + 2, z + i + 2, dx, dy, dz);
        const __m128d m0 = _mm_cmpgt_pd(v0, best0), m1 = _mm_cmpgt_pd(v1, best1);
        best0 = choose(best0, v0, m0);
        best1 = choose(best1, v1, m1);
        index0 = choose(index0, now0, m0);
        index1 = choose(index1, now1, m1);
    }
    return lowest_of_largest(best0, index0, best1, index1, (double)padded - 1.0, 0);
}

static uint32_t climb(const ap_neighbour_block *blocks, uint32_t count, uint32_t self, apart_vec3 d)
{
    const __m128d dx = _mm_set1_pd(d.x), dy = _mm_set1_pd(d.y), dz = _mm_set1_pd(d.z);
    const __m128d zero = _mm_setzero_pd();
    __m128d best0 = zero, best1 = zero, id0 = zero, id1 = zero;
    for (uint32_t i = 0; i < count; i++) {
        const ap_neighbour_block *b = &blocks[i];
        const __m128d v0 = dot(b->dx, b->dy, b->dz, dx, dy, dz);
        const __m128d v1 = dot(b->dx + 2, b->dy + 2, b->dz + 2, dx, dy, dz);
        const __m128i ids = _mm_loadu_si128((const __m128i *)(const void *)b->id);
        const __m128d m0 = _mm_cmpgt_pd(v0, best0), m1 = _mm_cmpgt_pd(v1, best1);
        best0 = choose(best0, v0, m0);
        best1 = choose(best1, v1, m1);
        id0 = choose(id0, _mm_cvtepi32_pd(ids), m0);
        id1 = choose(id1, _mm_cvtepi32_pd(_mm_shuffle_epi32(ids, 0xee)), m1);
    }
    if (_mm_movemask_pd(_mm_or_pd(_mm_cmpgt_pd(best0, zero), _mm_cmpgt_pd(best1, zero))) == 0) {
        return self;
    }
    return lowest_of_largest(best0, id0, best1, id1, 0x1p31, self);
}

const ap_kernels ap_kernels_sse2 = {"sse2", scan, climb};

#else
typedef int ap_kernels_sse2_absent; /* ISO C wants a declaration in every file */
#endif
