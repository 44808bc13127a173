/* The public queries: each goes to the query code compiled for this CPU (level.h). */
#include "level.h"

#include <float.h>

#include "../parts/tree.h"

apart_status apart_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                            const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                            apart_result *result)
{
    return ap_kernels_get()->distance(a, pose_a, b, pose_b, options, cache, result);
}

apart_status apart_overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                           const apart_pose *pose_b, const apart_options *options, apart_cache *cache, int *overlap)
{
    return ap_kernels_get()->overlap(a, pose_a, b, pose_b, options, cache, overlap);
}

apart_status apart_penetration_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                      const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                      apart_penetration *out)
{
    return ap_kernels_get()->penetration_bounds(a, pose_a, b, pose_b, options, cache, out);
}

apart_status apart_compound_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                     const apart_options *options, apart_compound_cache *cache,
                                     apart_compound_result *result)
{
    if (a.mesh != NULL || b.mesh != NULL) {
        return ap_level_get()->facets->distance(a, pose_a, b, pose_b, options, cache, result);
    }
    return ap_level_get()->solids->distance(a, pose_a, b, pose_b, options, cache, result);
}

apart_status apart_compound_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                    const apart_options *options, apart_compound_cache *cache, int *overlap,
                                    uint32_t parts[2])
{
    if (a.mesh != NULL || b.mesh != NULL) {
        return ap_level_get()->facets->overlap(a, pose_a, b, pose_b, options, cache, overlap, parts);
    }
    return ap_level_get()->solids->overlap(a, pose_a, b, pose_b, options, cache, overlap, parts);
}

apart_status apart_point_distance(apart_vec3 point, const apart_shape *b, const apart_pose *pose_b,
                                  const apart_options *options, apart_cache *cache, apart_result *result)
{
    if (b == NULL || pose_b == NULL || result == NULL) {
        return APART_ERR_NULL;
    }
    const apart_vec3 origin = {0.0, 0.0, 0.0};
    const apart_shape a = b->dim == 2 ? apart_point_2d(0.0, 0.0) : apart_point(origin);
    const apart_pose pose_a = apart_pose_translation(point.x, point.y, point.z);
    return apart_distance(&a, &pose_a, b, pose_b, options, cache, result);
}

void apart_result_in_frame(const apart_result *result, const apart_pose *pose, apart_result *out)
{
    if (result == NULL || pose == NULL || out == NULL) {
        return;
    }
    const apart_result r = *result;
    *out = r;
    out->a = apart_pose_apply_inverse(pose, r.a);
    out->b = apart_pose_apply_inverse(pose, r.b);
    out->normal = apart_pose_rotate_inverse(pose, r.normal);
}
