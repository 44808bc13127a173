/* Do two translating bodies meet? Decided by the swept body (Lindemann 2009 section 5, item L7 of docs/papers.md):
 * A + segment against B at rest. */
#include <apart/motion.h>

#include "../math/eft.h"

/* Relative to the sweep's length, in units of u: the rounded relative motion 1, its image in the body's frame 5,
 * and back 4. */
static const double sweep_error = 16.0 * 1.1102230246251565e-16;

/* Solves R d = v, also for a matrix that is a rotation only to 1e-6: each correction multiplies the error by that
 * defect. */
static apart_vec3 in_body_frame(const apart_mat3 *r, apart_vec3 v)
{
    apart_vec3 d = ap_apply_transposed(r, v);
    for (int i = 0; i < 3; i++) {
        d = ap_add(d, ap_apply_transposed(r, ap_sub(v, ap_apply(r, d))));
    }
    return d;
}

/* The moving body swept along v, enlarged by what rounding may have taken away. */
static apart_shape sweep_body(const apart_shape *body, const apart_pose *pose, apart_vec3 v, apart_shape *segment)
{
    const apart_vec3 zero = {0.0, 0.0, 0.0};
    const apart_vec3 d = in_body_frame(&pose->rotation, v);
    *segment = body->dim == 2 ? apart_segment_2d(0.0, 0.0, d.x, d.y) : apart_segment(zero, d);
    return apart_rounded(apart_sum(body, segment), sweep_error * ap_norm(v));
}

apart_status apart_swept_overlap(const apart_shape *a, const apart_pose *pose_a, apart_vec3 displacement_a,
                                 const apart_shape *b, const apart_pose *pose_b, apart_vec3 displacement_b,
                                 const apart_options *options, apart_cache *cache, int *overlap)
{
    if (a == NULL || b == NULL || overlap == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = apart_pose_check(pose_a);
    if (status == APART_OK) {
        status = apart_pose_check(pose_b);
    }
    if (status != APART_OK) {
        return status;
    }
    const apart_vec3 v = ap_sub(displacement_a, displacement_b);
    if (!ap_finite(v)) {
        return APART_ERR_NONFINITE;
    }
    if (a->dim == 2 && v.z != 0.0) {
        return APART_ERR_DIMENSION;
    }
    apart_shape segment;
    /* A half-space cannot be summed: the other body is swept in the opposite direction. */
    if (a->kind == APART_SHAPE_HALF_SPACE) {
        const apart_shape body = sweep_body(b, pose_b, ap_neg(v), &segment);
        return apart_overlap(a, pose_a, &body, pose_b, options, cache, overlap);
    }
    const apart_shape body = sweep_body(a, pose_a, v, &segment);
    return apart_overlap(&body, pose_a, b, pose_b, options, cache, overlap);
}
