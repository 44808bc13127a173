/* Distance and overlap of solids: each goes to the code compiled for this CPU (simd/level.h). */
#include "../parts/search.h"

apart_status apart_compound_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                     const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    return AP_LEVEL_OF(ap_solids)->distance(a, pose_a, b, pose_b, options, cache, result);
}

apart_status apart_compound_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                    const apart_options *options, apart_compound_cache *cache, int *overlap, uint32_t parts[2])
{
    return AP_LEVEL_OF(ap_solids)->overlap(a, pose_a, b, pose_b, options, cache, overlap, parts);
}
