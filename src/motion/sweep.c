/* Bodies that only translate. */
#include <apart/motion.h>

apart_status apart_sweep(const apart_shape *a, const apart_pose *pose_a, apart_vec3 displacement_a,
                         const apart_shape *b, const apart_pose *pose_b, apart_vec3 displacement_b,
                         const apart_motion_options *options, apart_cache *cache, apart_impact *impact)
{
    if (pose_a == NULL || pose_b == NULL) {
        return APART_ERR_NULL;
    }
    const apart_motion motion_a = apart_motion_translation(pose_a, displacement_a);
    const apart_motion motion_b = apart_motion_translation(pose_b, displacement_b);
    return apart_time_of_impact(a, &motion_a, b, &motion_b, options, cache, impact);
}
