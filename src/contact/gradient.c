/* The derivative of the signed distance by two poses: the normal, and its moments about the poses' origins. */
#include <apart/gradient.h>

#include "../math/vec.h"
#include "unique.h"

/* Bodies that overlap are moved by this share of their size to see whether another normal has the same depth. */
#define PROBE_STEP 1e-6
/* The slopes on both sides of a kink differ by at least this. Along a surface of curvature k they differ by k times the
 * step, and by 1e-9 by rounding. */
#define KINK 1e-3

static double size_of(const apart_shape *s)
{
    return s->kind == APART_SHAPE_HALF_SPACE ? s->radius : s->bound + s->radius;
}

/* The distance with B moved; a failure counts as a distance that makes a kink. */
static double distance_at(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, apart_pose pose_b,
                          apart_vec3 by, apart_depth_cache *cache)
{
    const apart_options options = {.depth_cache = cache};
    apart_result r;
    pose_b.translation = ap_add(pose_b.translation, by);
    return apart_distance(a, pose_a, b, &pose_b, &options, NULL, &r) == APART_OK ? r.distance : INFINITY;
}

/* Does the distance have another slope on the other side, along the normal or across it? Every other normal with the
 * same depth differs from this one along one of three axes. */
static bool has_kink(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                     const apart_result *r, apart_depth_cache *cache)
{
    const apart_vec3 n = r->normal, origin = {0.0, 0.0, 0.0};
    const apart_vec3 t = a->dim == 2 ? ap_vec(-n.y, n.x, 0.0) : ap_perpendicular(n);
    const apart_vec3 axes[3] = {n, t, ap_cross(n, t)};
    const apart_pose local_a = {pose_a->rotation, origin},
                     local_b = {pose_b->rotation, ap_sub(pose_b->translation, pose_a->translation)};
    const double step = PROBE_STEP * (size_of(a) + size_of(b));
    bool kink = !(step > 0.0); /* two points */
    for (int i = 0; i < (a->dim == 2 ? 2 : 3) && !kink; i++) {
        const double after = distance_at(a, &local_a, b, local_b, ap_scale(step, axes[i]), cache),
                     before = distance_at(a, &local_a, b, local_b, ap_scale(-step, axes[i]), cache);
        kink = !(fabs((after - r->distance) + (before - r->distance)) <= KINK * step);
    }
    return kink;
}

apart_status apart_distance_gradient(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                     const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                     apart_gradient *gradient)
{
    apart_gradient g = {.unique = 0};
    if (gradient == NULL) {
        return APART_ERR_NULL;
    }
    if (options != NULL && options->depth != APART_DEPTH_EXACT) {
        return APART_ERR_OPTION;
    }
    const apart_status status = apart_distance(a, pose_a, b, pose_b, options, cache, &g.result);
    if (status != APART_OK) {
        return status;
    }
    const apart_result *r = &g.result;
    apart_depth_cache *const depth_cache = options != NULL ? options->depth_cache : NULL;
    if (r->relation != APART_BEYOND) {
        const apart_vec3 n = r->normal;
        const ap_witness on_a = {a, pose_a, r->a, n}, on_b = {b, pose_b, r->b, ap_neg(n)};
        g.translation_a = ap_neg(n);
        g.rotation_a = ap_cross(n, ap_sub(r->a, pose_a->translation));
        g.translation_b = n;
        g.rotation_b = ap_cross(ap_sub(r->b, pose_b->translation), n);
        const bool apart = r->relation == APART_DISJOINT;
        g.unique = ap_witnesses_are_unique(&on_a, &on_b) && (apart || !has_kink(a, pose_a, b, pose_b, r, depth_cache));
    }
    *gradient = g;
    return APART_OK;
}
