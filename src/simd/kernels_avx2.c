/* The support kernels four lanes at a time. This file alone is compiled for AVX2; nothing in it runs before the CPU was asked. Indices
 * travel as doubles (exact below 2^53), so that one minimum settles ties. */
#include "variants.h"

#ifdef AP_HAVE_X86_KERNELS
#ifdef __AVX2__

#include <immintrin.h>

/* An index above all others. */
static const double no_index = 0x1p40;

static inline __m256d dot(const double *x, const double *y, const double *z, __m256d dx, __m256d dy, __m256d dz)
{
    const __m256d xy = _mm256_add_pd(_mm256_mul_pd(_mm256_loadu_pd(x), dx), _mm256_mul_pd(_mm256_loadu_pd(y), dy));
    return _mm256_add_pd(xy, _mm256_mul_pd(_mm256_loadu_pd(z), dz));
}

static inline __m256d greater(__m256d a, __m256d b)
{
    return _mm256_cmp_pd(a, b, _CMP_GT_OQ);
}

/* The largest (smallest) of four lanes, in every lane of the lower half. */
static inline __m128d largest_lane(__m256d v)
{
    const __m128d pair = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_max_pd(pair, _mm_permute_pd(pair, 1));
}

static inline double smallest_lane(__m256d v)
{
    const __m128d pair = _mm_min_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_min_pd(pair, _mm_permute_pd(pair, 1)));
}

/* The lowest index among the lanes with the largest value, at most `limit`, else `otherwise` (after an overflow). */
static inline uint32_t lowest_of_largest(__m256d value, __m256d index, double limit, uint32_t otherwise)
{
    const __m256d largest = _mm256_broadcastsd_pd(largest_lane(value));
    const __m256d is_largest = _mm256_cmp_pd(value, largest, _CMP_EQ_OQ);
    const double lowest = smallest_lane(_mm256_blendv_pd(_mm256_set1_pd(no_index), index, is_largest));
    return lowest <= limit ? (uint32_t)lowest : otherwise;
}

static uint32_t scan(const double *x, const double *y, const double *z, uint32_t padded, apart_vec3 d)
{
    const __m256d dx = _mm256_set1_pd(d.x), dy = _mm256_set1_pd(d.y), dz = _mm256_set1_pd(d.z);
    const __m256d eight = _mm256_set1_pd(8.0);
    __m256d now0 = _mm256_set_pd(3.0, 2.0, 1.0, 0.0), now1 = _mm256_set_pd(7.0, 6.0, 5.0, 4.0);
    __m256d best0 = dot(x, y, z, dx, dy, dz), best1 = best0, index0 = now0, index1 = now0;
    /* Two chains of comparisons, for blocks of even and of odd number, hide each other's latency. */
    uint32_t i = AP_LANES;
    for (; i + AP_LANES < padded; i += 2 * AP_LANES) {
        const __m256d v1 = dot(x + i, y + i, z + i, dx, dy, dz);
        const __m256d v0 = dot(x + i + 4, y + i + 4, z + i + 4, dx, dy, dz);
        const __m256d m1 = greater(v1, best1), m0 = greater(v0, best0);
        now0 = _mm256_add_pd(now0, eight);
        best1 = _mm256_blendv_pd(best1, v1, m1);
        best0 = _mm256_blendv_pd(best0, v0, m0);
        index1 = _mm256_blendv_pd(index1, now1, m1);
        index0 = _mm256_blendv_pd(index0, now0, m0);
        now1 = _mm256_add_pd(now1, eight);
    }
    if (i < padded) {
        const __m256d v1 = dot(x + i, y + i, z + i, dx, dy, dz);
        const __m256d m1 = greater(v1, best1);
        best1 = _mm256_blendv_pd(best1, v1, m1);
        index1 = _mm256_blendv_pd(index1, now1, m1);
    }
    const __m256d same = _mm256_cmp_pd(best1, best0, _CMP_EQ_OQ);
    const __m256d take1 = _mm256_or_pd(greater(best1, best0), _mm256_and_pd(same, greater(index0, index1)));
    return lowest_of_largest(_mm256_blendv_pd(best0, best1, take1), _mm256_blendv_pd(index0, index1, take1), (double)padded - 1.0, 0);
}

static uint32_t climb(const ap_neighbour_block *blocks, uint32_t count, uint32_t self, apart_vec3 d)
{
    const __m256d dx = _mm256_set1_pd(d.x), dy = _mm256_set1_pd(d.y), dz = _mm256_set1_pd(d.z);
    const __m256d zero = _mm256_setzero_pd();
    __m256d best = zero, id = zero;
    for (uint32_t i = 0; i < count; i++) {
        const ap_neighbour_block *b = &blocks[i];
        const __m256d v = dot(b->dx, b->dy, b->dz, dx, dy, dz);
        const __m256d m = greater(v, best);
        const __m128i ids = _mm_loadu_si128((const __m128i *)(const void *)b->id);
        best = _mm256_blendv_pd(best, v, m);
        id = _mm256_blendv_pd(id, _mm256_cvtepi32_pd(ids), m);
    }
    if (_mm256_movemask_pd(greater(best, zero)) == 0) {
        return self;
    }
    return lowest_of_largest(best, id, 0x1p31, self);
}

const ap_kernels ap_kernels_avx2 = {"avx2", scan, climb};

#else
const ap_kernels ap_kernels_avx2 = {NULL, NULL, NULL};
#endif
#else
typedef int ap_kernels_avx2_absent; /* ISO C wants a declaration in every file */
#endif
