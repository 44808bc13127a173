/* The level of the query code: asked of the CPU once. */
#include "level.h"

#include <string.h>

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

/* ---- the first call: chooses, then goes on ---- */

static apart_status first_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                   const apart_options *options, apart_cache *cache, apart_result *result)
{
    return use(best_kernels())->distance(a, pose_a, b, pose_b, options, cache, result);
}

static apart_status first_overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                  const apart_options *options, apart_cache *cache, int *overlap)
{
    return use(best_kernels())->overlap(a, pose_a, b, pose_b, options, cache, overlap);
}

static apart_status first_penetration_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                             const apart_options *options, apart_cache *cache, apart_penetration *out)
{
    return use(best_kernels())->penetration_bounds(a, pose_a, b, pose_b, options, cache, out);
}

static ap_lane_verdict first_step_boxes(ap_lane_job *jobs, unsigned count) { return use(best_kernels())->step_boxes(jobs, count); }

static unsigned first_step_hulls(const ap_lane_job *jobs, unsigned vertices) { return use(best_kernels())->step_hulls(jobs, vertices); }

static apart_status first_solids_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                          const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    return use(best_kernels())->solids_distance(a, pose_a, b, pose_b, options, cache, result);
}

static apart_status first_solids_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                         const apart_options *options, apart_compound_cache *cache, int *overlap, uint32_t parts[2])
{
    return use(best_kernels())->solids_overlap(a, pose_a, b, pose_b, options, cache, overlap, parts);
}

static const ap_kernels first_call = {
    .distance = first_distance,
    .overlap = first_overlap,
    .penetration_bounds = first_penetration_bounds,
    .step_boxes = first_step_boxes,
    .step_hulls = first_step_hulls,
    .solids_distance = first_solids_distance,
    .solids_overlap = first_solids_overlap,
};

_Atomic(const ap_kernels *) ap_kernels_chosen = &first_call;

/* ---- for tests and benchmarks ---- */

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

const char *ap_level_name(void)
{
    const ap_kernels *kernels = ap_kernels_get();
    return (kernels == &first_call ? best_kernels() : kernels) == &ap_level_kernels ? "baseline" : "avx2";
}
