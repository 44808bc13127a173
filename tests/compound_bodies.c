/* See compound_bodies.h. */
#include "compound_bodies.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

/* How far points of a solid are from its own origin, at most; 0 for a half-space. */
static double extent_of(apart_solid solid)
{
    apart_vec3 c;
    double radius;
    return apart_solid_ball(solid, &c, &radius) == APART_OK ? sqrt(c.x * c.x + c.y * c.y + c.z * c.z) + radius : 0.0;
}

/* What joined poses add to the bounds, 16 u of sizes and distance on either side (docs/numerics.md). */
static double joining_error(apart_solid a, const apart_pose *pa, apart_solid b, const apart_pose *pb)
{
    const apart_vec3 p = pa->translation, q = pb->translation;
    return 16.0 * 0x1p-52 * (extent_of(a) + extent_of(b) + fabs(q.x - p.x) + fabs(q.y - p.y) + fabs(q.z - p.z));
}

void check_against_brute_force(apart_solid a, const apart_pose *pa, apart_solid b, const apart_pose *pb,
                               apart_compound_cache *cache)
{
    const brute_answer truth = brute_distance(a, pa, b, pb);
    apart_compound_result r;
    ck_assert_int_eq(apart_compound_distance(a, pa, b, pb, NULL, cache, &r), APART_OK);
    const double width = r.result.upper - r.result.lower;
    ck_assert_msg(r.result.lower <= truth.upper + ROUNDING && truth.lower <= r.result.upper + ROUNDING,
                  "[%.17g, %.17g], brute force [%.17g, %.17g]", r.result.lower, r.result.upper, truth.lower,
                  truth.upper);
    ck_assert_msg(fabs(r.result.distance - truth.distance) <= ROUNDING + width, "%.17g, brute force %.17g",
                  r.result.distance, truth.distance);
    ck_assert_msg(width <= truth.upper - truth.lower + joining_error(a, pa, b, pb) + ROUNDING, "bounds %g apart",
                  width);
    /* The parts that decide really are that near. */
    apart_pose qa, qb;
    apart_result own;
    const apart_shape *x = solid_part(a, r.part_a, pa, &qa), *y = solid_part(b, r.part_b, pb, &qb);
    ck_assert_int_eq(apart_distance(x, &qa, y, &qb, NULL, NULL, &own), APART_OK);
    ck_assert_msg(fabs(own.distance - truth.distance) <= ROUNDING + width, "parts %u %u at %.17g, nearest %.17g",
                  r.part_a, r.part_b, own.distance, truth.distance);
    for (int i = 0; i < 3; i++) {
        const double *p = &r.result.a.x + i, *q = &r.result.b.x + i, *n = &r.result.normal.x + i;
        ck_assert(fabs(*q - *p - r.result.distance * *n) <= 1e-12);
    }
    int overlap = -1;
    uint32_t parts[2] = {99, 99};
    ck_assert_int_eq(apart_compound_overlap(a, pa, b, pb, NULL, cache, &overlap, parts), APART_OK);
    if (truth.lower > ROUNDING || truth.upper < -ROUNDING) {
        ck_assert_int_eq(overlap, truth.upper < 0.0);
        if (overlap) {
            x = solid_part(a, parts[0], pa, &qa);
            y = solid_part(b, parts[1], pb, &qb);
            ck_assert_int_eq(apart_overlap(x, &qa, y, &qb, NULL, NULL, &overlap), APART_OK);
            ck_assert_int_eq(overlap, 1);
        }
    }
}

apart_compound *make_row(size_t count, const apart_shape *shape, double spacing)
{
    apart_part *parts = calloc(count, sizeof *parts);
    apart_compound *row = NULL;
    for (size_t i = 0; i < count; i++) {
        parts[i] = (apart_part){*shape, apart_pose_translation(spacing * (double)i, 0, 0)};
    }
    ck_assert_int_eq(apart_compound_build(parts, count, NULL, &row), APART_OK);
    free(parts);
    return row;
}

apart_compound *make_cloud(random_source *r, size_t count, double radius)
{
    apart_part *parts = calloc(count, sizeof *parts);
    apart_compound *cloud = NULL;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 at = random_in_ball(r);
        parts[i] = (apart_part){apart_box((apart_vec3){0.3, 0.2, 0.25}), scene_pose(r, 0.0)};
        parts[i].pose.translation = (apart_vec3){radius * at.x, radius * at.y, radius * at.z};
    }
    ck_assert_int_eq(apart_compound_build(parts, count, NULL, &cloud), APART_OK);
    free(parts);
    return cloud;
}

apart_compound *make_crowd(const solid_pool *pool, random_source *r, size_t count, bool in_place)
{
    apart_part *parts = calloc(count, sizeof *parts);
    apart_compound *crowd = NULL;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 at = random_in_ball(r);
        const double size = random_between(r, 0.05, 0.3);
        const apart_shape kinds[] = {apart_hull_shape(pool->hulls[random_below(r, SCENE_HULLS)]),
                                     apart_box((apart_vec3){size, 0.1, 0.2}),
                                     apart_sphere(size),
                                     apart_capsule(0.1, size),
                                     apart_cylinder(size, 0.1),
                                     apart_cone(0.1, size)};
        parts[i] = (apart_part){kinds[random_below(r, 6)], in_place ? apart_pose_identity() : scene_pose(r, 0.0)};
        if (!in_place) {
            parts[i].pose.translation = at;
        }
    }
    ck_assert_int_eq(apart_compound_build(parts, count, NULL, &crowd), APART_OK);
    free(parts);
    return crowd;
}

apart_compound *make_grid(random_source *r, size_t count)
{
    const size_t side = (size_t)ceil(cbrt((double)count) - 1e-9);
    apart_part *parts = calloc(count, sizeof *parts);
    apart_compound *grid = NULL;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 off = random_in_ball(r),
                         at = {(double)(i % side), (double)(i / side % side), (double)(i / (side * side))};
        const apart_shape shape = i % 2 == 0 ? apart_box((apart_vec3){0.05, 0.04, 0.06}) : apart_capsule(0.03, 0.05);
        parts[i] = (apart_part){shape, scene_pose(r, 0.0)};
        parts[i].pose.translation = (apart_vec3){at.x + 0.15 * off.x, at.y + 0.15 * off.y, at.z + 0.15 * off.z};
    }
    ck_assert_int_eq(apart_compound_build(parts, count, NULL, &grid), APART_OK);
    free(parts);
    return grid;
}

apart_pose pose_at(random_source *r, const apart_compound *a, const apart_pose *pa, const apart_compound *b, double gap)
{
    const size_t part_a = random_below(r, (uint32_t)apart_compound_count(a)),
                 part_b = random_below(r, (uint32_t)apart_compound_count(b));
    const apart_vec3 d = random_in_ball(r);
    const double scale = gap / sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    apart_pose pose = scene_pose(r, 0.0);
    const apart_vec3 to = apart_pose_apply(pa, apart_compound_part(a, part_a)->pose.translation);
    const apart_vec3 from = apart_pose_apply(&pose, apart_compound_part(b, part_b)->pose.translation);
    pose.translation.x += to.x - from.x + scale * d.x;
    pose.translation.y += to.y - from.y + scale * d.y;
    pose.translation.z += to.z - from.z + scale * d.z;
    return pose;
}
