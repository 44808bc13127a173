/* The level of the query code: asked of the CPU once. */
#include "level.h"

#include <string.h>

#ifdef AP_HAVE_AVX2_LEVEL
extern const ap_pair_kernels ap_level_pairs_avx2;
extern const ap_batch_kernels ap_level_batches_avx2;
extern const ap_solid_kernels ap_level_solids_avx2;
extern const ap_facet_kernels ap_level_facets_avx2;
extern const ap_ray_kernels ap_level_rays_avx2;
static const ap_level avx2 = {&ap_level_batches_avx2, &ap_level_solids_avx2, &ap_level_facets_avx2,
                              &ap_level_rays_avx2};
#endif
static const ap_level baseline = {&ap_level_batches, &ap_level_solids, &ap_level_facets, &ap_level_rays};

static const ap_pair_kernels *best_kernels(void)
{
#ifdef AP_HAVE_AVX2_LEVEL
    if (ap_cpu_has_avx2()) {
        return &ap_level_pairs_avx2;
    }
#endif
    return &ap_level_pairs;
}

static const ap_pair_kernels *use(const ap_pair_kernels *kernels)
{
    ap_atomic_store(&ap_kernels_chosen, kernels);
    return kernels;
}

/* ---- the first call: chooses, then goes on ---- */

static apart_status first_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                   const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                   apart_result *result)
{
    return use(best_kernels())->distance(a, pose_a, b, pose_b, options, cache, result);
}

static apart_status first_overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                  const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                  int *overlap)
{
    return use(best_kernels())->overlap(a, pose_a, b, pose_b, options, cache, overlap);
}

static apart_status first_penetration_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                             const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                             apart_penetration *out)
{
    return use(best_kernels())->penetration_bounds(a, pose_a, b, pose_b, options, cache, out);
}

static const ap_pair_kernels first_call = {first_distance, first_overlap, first_penetration_bounds};

AP_ATOMIC(const ap_pair_kernels *) ap_kernels_chosen = &first_call;

const ap_level *ap_level_get(void)
{
    const ap_pair_kernels *kernels = ap_atomic_load(&ap_kernels_chosen);
    if (kernels == &first_call) {
        kernels = use(best_kernels());
    }
#ifdef AP_HAVE_AVX2_LEVEL
    return kernels == &ap_level_pairs ? &baseline : &avx2;
#else
    return &baseline;
#endif
}

/* ---- for tests and benchmarks ---- */

bool ap_level_force(const char *name)
{
    const ap_pair_kernels *best = best_kernels();
    if (name == NULL) {
        use(best);
        return true;
    }
    if (strcmp(name, "baseline") == 0) {
        use(&ap_level_pairs);
        return true;
    }
    if (strcmp(name, "avx2") == 0 && best != &ap_level_pairs) {
        use(best);
        return true;
    }
    return false;
}

const char *ap_level_name(void) { return ap_level_get() == &baseline ? "baseline" : "avx2"; }
