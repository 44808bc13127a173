/* Two moving shapes, options and cache bytes: a status, or an impact whose promises hold at moments looked at; then a
 * sweep, and a ray. */
#include <float.h>

#include "fuzz_bodies.h"

/* What the rounded poses of a motion may be off by, generously: they are in world coordinates, the certificate is
 * not. */
static double noise_of(const apart_shape *s, const apart_motion *m)
{
    const double size = s->kind == APART_SHAPE_HALF_SPACE ? fabs(s->u.plane.offset) : s->bound + length_of(s->center);
    const double far = length_of(m->start.translation) + length_of(m->pivot) + length_of(m->linear);
    return 512.0 * DBL_EPSILON * (size + s->radius + far);
}

/* No moment looked at before the impact is nearer than the certified bound. */
static void check_moments(const apart_shape *a, const apart_motion *ma, const apart_shape *b, const apart_motion *mb,
                          const apart_impact *im, double until)
{
    const double end = im->outcome == APART_OUTCOME_CLEAR ? until : im->t;
    const double noise = noise_of(a, ma) + noise_of(b, mb) + (a->error + b->error);
    for (int i = 0; i <= 24; i++) {
        apart_pose pose_a, pose_b;
        apart_result r;
        const double t = end * i / 25.0;
        if (apart_motion_pose(ma, t, &pose_a) == APART_OK && apart_motion_pose(mb, t, &pose_b) == APART_OK &&
            apart_distance(a, &pose_a, b, &pose_b, NULL, NULL, &r) == APART_OK)
            check(r.upper + noise >= im->lower, "the gap is never below the certified bound");
    }
}

static void check_impact(const apart_shape *a, const apart_motion *ma, const apart_shape *b, const apart_motion *mb,
                         const apart_motion_options *o, apart_cache *cache)
{
    apart_impact im, untouched;
    memset(&im, 0xa5, sizeof im);
    memset(&untouched, 0xa5, sizeof untouched);
    if (apart_time_of_impact(a, ma, b, mb, o, cache, &im) != APART_OK) {
        check(memcmp(&im, &untouched, sizeof im) == 0, "the impact is untouched after an error");
        return;
    }
    const double until = o->until > 0 ? o->until : 1.0;
    check(im.t >= 0 && im.t <= until, "the time is in the motion");
    check(im.lower <= im.upper && im.tolerance >= o->tolerance, "the bounds are in order");
    check(im.outcome == APART_OUTCOME_START || im.lower >= 0, "the gap is not negative");
    check(im.outcome != APART_OUTCOME_HIT || im.upper <= im.tolerance, "a hit is within the tolerance");
    check(im.outcome != APART_OUTCOME_CLEAR || im.stop != APART_STOP_CONVERGED || o->gap != APART_GAP_TOLERANCE ||
              im.upper - im.lower <= im.tolerance,
          "the smallest gap is known to the tolerance");
    check(im.outcome != APART_OUTCOME_CLEAR || im.stop != APART_STOP_CUTOFF || im.lower >= o->cutoff,
          "the cut-off is kept");
    if (im.outcome != APART_OUTCOME_START)
        check_moments(a, ma, b, mb, &im, until);
}

static void check_ray(const apart_ray *ray, const apart_shape *body, const apart_pose *pose)
{
    apart_ray_hit hit;
    if (apart_raycast(ray, body, pose, NULL, &hit) != APART_OK)
        return;
    check(hit.hit == 0 || (hit.distance >= 0 && hit.distance <= ray->length && hit.lower <= hit.distance),
          "a hit lies on the ray");
    check(hit.hit == 0 || fabs(length_of(hit.normal) - 1.0) < 1e-6, "the normal is unit");
    check(hit.iterations < 220, "a ray ends");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, size};
    const uint8_t dims = take_byte(&in);
    const int dim = dims % 4 == 1 ? 2 : 3;
    const apart_shape a = take_shape(&in, dim);
    const apart_shape b = take_shape(&in, dims % 32 == 7 ? 2 : dim);
    const apart_motion ma = take_motion(&in, dim);
    const apart_motion mb = take_motion(&in, dim);
    apart_motion_options o = {.max_iterations = 400};
    const uint8_t extra = take_byte(&in);
    if (extra > 128) {
        o.tolerance = take_number(&in);
        o.until = take_byte(&in) / 255.0;
        o.cutoff = fabs(take_number(&in));
        o.gap = extra % 2;
    }
    apart_cache cache;
    uint8_t raw[sizeof cache];
    for (size_t i = 0; i < sizeof raw; i++)
        raw[i] = take_byte(&in);
    memcpy(&cache, raw, sizeof raw);
    check_impact(&a, &ma, &b, &mb, &o, &cache);
    check_impact(&a, &ma, &b, &mb, &o, NULL);
    int overlap = 0;
    apart_swept_overlap(&a, &ma.start, ma.linear, &b, &mb.start, mb.linear, NULL, NULL, &overlap);
    check(overlap == 0 || overlap == 1, "yes or no");
    const apart_ray ray = {ma.start.translation, ma.linear, o.cutoff > 0 ? o.cutoff : INFINITY};
    check_ray(&ray, &b, &mb.start);
    return 0;
}
