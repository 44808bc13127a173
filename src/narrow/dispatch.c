/* The public queries: each goes to the query code compiled for this CPU (level.h). */
#include <apart/penetration.h>

#include "../math/vec.h"
#include "../simd/level.h"
#include "box_lanes.h"
#include "hull_lanes.h"
#include "query.h"

#ifdef AP_HAVE_AVX2_LEVEL
ap_distance_fn ap_query_distance_avx2;
ap_overlap_fn ap_query_overlap_avx2;
ap_penetration_bounds_fn ap_query_penetration_bounds_avx2;
ap_box_step_fn ap_box_lanes_step_avx2;
ap_hull_step_fn ap_hull_lanes_step_avx2;
#else
#define ap_query_distance_avx2 ap_query_distance
#define ap_query_overlap_avx2 ap_query_overlap
#define ap_query_penetration_bounds_avx2 ap_query_penetration_bounds
#define ap_box_lanes_step_avx2 ap_box_lanes_step
#define ap_hull_lanes_step_avx2 ap_hull_lanes_step
#endif

static inline bool use_avx2(void) { return ap_level_get() == AP_LEVEL_AVX2; }

/* The very first queries. Not part of the others, so that those are two jumps and save no registers. */
static AP_RARE apart_status first_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                           const apart_options *options, apart_cache *cache, apart_result *result)
{
    ap_level_find();
    return apart_distance(a, pose_a, b, pose_b, options, cache, result);
}

static AP_RARE apart_status first_overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                          const apart_options *options, apart_cache *cache, int *overlap)
{
    ap_level_find();
    return apart_overlap(a, pose_a, b, pose_b, options, cache, overlap);
}

apart_status apart_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                            const apart_options *options, apart_cache *cache, apart_result *result)
{
    const ap_level level = ap_level_known();
    if (level == AP_LEVEL_AVX2) {
        return ap_query_distance_avx2(a, pose_a, b, pose_b, options, cache, result);
    }
    return level == AP_LEVEL_UNKNOWN ? first_distance(a, pose_a, b, pose_b, options, cache, result)
                                     : ap_query_distance(a, pose_a, b, pose_b, options, cache, result);
}

apart_status apart_overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                           const apart_options *options, apart_cache *cache, int *overlap)
{
    const ap_level level = ap_level_known();
    if (level == AP_LEVEL_AVX2) {
        return ap_query_overlap_avx2(a, pose_a, b, pose_b, options, cache, overlap);
    }
    return level == AP_LEVEL_UNKNOWN ? first_overlap(a, pose_a, b, pose_b, options, cache, overlap)
                                     : ap_query_overlap(a, pose_a, b, pose_b, options, cache, overlap);
}

apart_status apart_penetration_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                      const apart_options *options, apart_cache *cache, apart_penetration *out)
{
    return use_avx2() ? ap_query_penetration_bounds_avx2(a, pose_a, b, pose_b, options, cache, out)
                      : ap_query_penetration_bounds(a, pose_a, b, pose_b, options, cache, out);
}

ap_box_verdict ap_box_step_jobs(ap_lane_job *jobs, unsigned count)
{
    return use_avx2() ? ap_box_lanes_step_avx2(jobs, count) : ap_box_lanes_step(jobs, count);
}

unsigned ap_hull_step_jobs(const ap_lane_job *jobs, unsigned vertices)
{
    return use_avx2() ? ap_hull_lanes_step_avx2(jobs, vertices) : ap_hull_lanes_step(jobs, vertices);
}

apart_status apart_point_distance(apart_vec3 point, const apart_shape *b, const apart_pose *pose_b, const apart_options *options,
                                  apart_cache *cache, apart_result *result)
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
