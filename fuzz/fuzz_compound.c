/* Two compounds, poses, options and cache bytes: a status, or the answer of the nearest pair of parts, each asked
 * alone; yes or no, an impact whose bound holds at moments looked at, and a ray that meets what its parts meet. */
#include <float.h>

#include "fuzz_bodies.h"

enum { MOST_PARTS = 20 };

/* NULL: one that cannot be built. */
static apart_compound *take_compound(bytes *in, int dim)
{
    apart_part parts[MOST_PARTS];
    const size_t count = 1 + take_byte(in) % MOST_PARTS;
    apart_compound *compound = NULL;
    for (size_t i = 0; i < count; i++) {
        parts[i].shape = take_shape(in, dim);
        parts[i].pose = take_pose(in, dim);
    }
    const apart_status status = apart_compound_build(parts, count, NULL, &compound);
    check((status == APART_OK) == (compound != NULL), "a compound, or a status");
    return compound;
}

/* Lengths of the poses and parts, the measure of rounding. */
static double size_of(const apart_compound *c, const apart_pose *pose)
{
    double size = 0.0;
    for (size_t i = 0; i < apart_compound_count(c); i++) {
        const apart_part *part = apart_compound_part(c, i);
        size = fmax(size, length_of(part->pose.translation) + length_of(part->shape.center) + part->shape.bound +
                              part->shape.radius);
    }
    return size + length_of(pose->translation);
}

/* What the parts say one by one; false: one of them fails. */
static int ask_parts(const apart_compound *a, const apart_pose *pa, const apart_compound *b, const apart_pose *pb,
                     apart_result *least)
{
    least->lower = least->upper = INFINITY;
    for (size_t i = 0; i < apart_compound_count(a); i++) {
        for (size_t k = 0; k < apart_compound_count(b); k++) {
            const apart_part *x = apart_compound_part(a, i), *y = apart_compound_part(b, k);
            const apart_pose qa = apart_pose_compose(pa, &x->pose), qb = apart_pose_compose(pb, &y->pose);
            apart_result r;
            if (apart_distance(&x->shape, &qa, &y->shape, &qb, NULL, NULL, &r) != APART_OK)
                return 0;
            least->lower = fmin(least->lower, r.lower);
            least->upper = fmin(least->upper, r.upper);
        }
    }
    return 1;
}

static void check_distance(const apart_compound *a, const apart_pose *pa, const apart_compound *b, const apart_pose *pb,
                           const apart_options *o, apart_compound_cache *cache)
{
    const apart_solid x = apart_solid_compound(a), y = apart_solid_compound(b);
    const double noise = 1024.0 * DBL_EPSILON * (size_of(a, pa) + size_of(b, pb));
    apart_compound_result r, untouched;
    apart_result truth;
    int overlap = -1;
    memset(&r, 0xa5, sizeof r);
    memset(&untouched, 0xa5, sizeof untouched);
    if (apart_compound_distance(x, pa, y, pb, o, cache, &r) != APART_OK) {
        check(memcmp(&r, &untouched, sizeof r) == 0, "the result is untouched after an error");
        return;
    }
    check(r.part_a < apart_compound_count(a) && r.part_b < apart_compound_count(b), "the parts exist");
    check(r.result.lower <= r.result.upper, "the bounds are in order");
    if (!ask_parts(a, pa, b, pb, &truth))
        return;
    check(r.result.lower <= truth.upper + noise, "no pair of parts is nearer than the lower bound");
    check(r.result.upper >= truth.lower - noise, "some pair of parts is as near as the upper bound");
    /* Depths of curved parts may stop with wide bounds, which another rounding of the pose changes. */
    check(o->cutoff > 0 || truth.lower < 0 ||
              r.result.upper - r.result.lower <= truth.upper - truth.lower + o->tolerance + noise,
          "the bounds are narrow");
    if (apart_compound_overlap(x, pa, y, pb, NULL, cache, &overlap, NULL) == APART_OK) {
        check(overlap == 1 || truth.upper >= -noise, "an overlap is seen");
        check(overlap == 0 || truth.lower <= noise, "bodies that are apart do not overlap");
    }
}

static void check_impact(const apart_compound *a, const apart_motion *ma, const apart_compound *b,
                         const apart_motion *mb)
{
    const apart_motion_options o = {.max_iterations = 200};
    apart_compound_impact found;
    if (apart_compound_time_of_impact(apart_solid_compound(a), ma, apart_solid_compound(b), mb, &o, &found) !=
            APART_OK ||
        found.impact.outcome == APART_OUTCOME_START)
        return;
    const apart_impact *im = &found.impact;
    const double far = length_of(ma->pivot) + length_of(mb->pivot) + length_of(ma->linear) + length_of(mb->linear);
    const double noise = 4096.0 * DBL_EPSILON * (size_of(a, &ma->start) + size_of(b, &mb->start) + far);
    const double end = im->outcome == APART_OUTCOME_CLEAR ? 1.0 : im->t;
    for (int i = 0; i <= 8 && end > 0; i++) {
        apart_pose pa, pb;
        apart_result truth;
        if (apart_motion_pose(ma, end * i / 9.0, &pa) == APART_OK &&
            apart_motion_pose(mb, end * i / 9.0, &pb) == APART_OK && ask_parts(a, &pa, b, &pb, &truth))
            check(truth.upper + noise >= im->lower, "the gap is never below the certified bound");
    }
}

static void check_ray(const apart_ray *ray, const apart_compound *c, const apart_pose *pose)
{
    apart_ray_hit hit, one;
    uint32_t part;
    if (apart_compound_raycast(ray, apart_solid_compound(c), pose, &hit, &part) != APART_OK || hit.hit)
        return;
    const double noise = 1024.0 * DBL_EPSILON * (size_of(c, pose) + length_of(ray->origin));
    for (size_t i = 0; i < apart_compound_count(c); i++) {
        const apart_part *p = apart_compound_part(c, i);
        const apart_pose at = apart_pose_compose(pose, &p->pose);
        apart_result r;
        const apart_shape thin = apart_point((apart_vec3){0, 0, 0});
        if (apart_raycast(ray, &p->shape, &at, NULL, &one) != APART_OK || !one.hit)
            continue;
        /* A grazing ray may count either way: the point it reports must then be on the very surface, and no other part
         * of it inside. */
        const apart_pose there = apart_pose_translation(one.point.x, one.point.y, one.point.z);
        if (apart_distance(&p->shape, &at, &thin, &there, NULL, NULL, &r) == APART_OK)
            check(r.upper >= -noise, "a ray that misses the compound enters none of its parts");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, size};
    const int dim = take_byte(&in) % 4 == 1 ? 2 : 3;
    apart_compound *a = take_compound(&in, dim), *b = take_compound(&in, dim);
    if (a != NULL && b != NULL) {
        const apart_motion ma = take_motion(&in, dim);
        const apart_motion mb = take_motion(&in, dim);
        apart_options o = {.cutoff = 0};
        const uint8_t extra = take_byte(&in);
        if (extra > 128) {
            o.cutoff = fabs(take_number(&in));
            o.tolerance = fabs(take_number(&in));
        }
        apart_compound_cache cache;
        uint8_t raw[sizeof cache];
        for (size_t i = 0; i < sizeof raw; i++)
            raw[i] = take_byte(&in);
        memcpy(&cache, raw, sizeof raw);
        check_distance(a, &ma.start, b, &mb.start, &o, NULL);
        check_distance(a, &ma.start, b, &mb.start, &o, &cache);
        check_impact(a, &ma, b, &mb);
        check_ray(&(apart_ray){ma.start.translation, ma.linear, INFINITY}, b, &mb.start);
    }
    apart_compound_free(a);
    apart_compound_free(b);
    return 0;
}
