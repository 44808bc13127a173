/* Distance and overlap of solids: each goes to the code compiled for this CPU (level.h). */
#include "../math/count.h"
#include "../simd/level.h"
#include "search.h"

#ifdef AP_HAVE_AVX2_LEVEL
ap_solids_distance_fn ap_solids_distance_avx2;
ap_solids_overlap_fn ap_solids_overlap_avx2;
#else
#define ap_solids_distance_avx2 ap_solids_distance
#define ap_solids_overlap_avx2 ap_solids_overlap
#endif

/* The very first query. Not part of the others, so that those are two jumps and save no registers. */
static AP_RARE apart_status first_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                           const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    ap_level_find();
    return apart_compound_distance(a, pose_a, b, pose_b, options, cache, result);
}

apart_status apart_compound_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                     const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    const ap_level level = ap_level_known();
    if (level == AP_LEVEL_AVX2) {
        return ap_solids_distance_avx2(a, pose_a, b, pose_b, options, cache, result);
    }
    return level == AP_LEVEL_UNKNOWN ? first_distance(a, pose_a, b, pose_b, options, cache, result)
                                     : ap_solids_distance(a, pose_a, b, pose_b, options, cache, result);
}

apart_status apart_compound_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                    const apart_options *options, apart_compound_cache *cache, int *overlap, uint32_t parts[2])
{
    return ap_level_get() == AP_LEVEL_AVX2 ? ap_solids_overlap_avx2(a, pose_a, b, pose_b, options, cache, overlap, parts)
                                           : ap_solids_overlap(a, pose_a, b, pose_b, options, cache, overlap, parts);
}
