/* Seeded scenes of many bodies, and brute force over their pairs. */
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(apart_status status, const char *what)
{
    if (status != APART_OK) {
        fprintf(stderr, "scene: %s: %s\n", what, apart_status_message(status));
        abort();
    }
}

static apart_hull *random_hull(random_source *r, int points)
{
    double xyz[3 * 40];
    apart_hull *hull = NULL;
    for (int i = 0; i < points; i++) {
        const apart_vec3 p = random_in_ball(r);
        xyz[3 * i] = 0.5 * p.x;
        xyz[3 * i + 1] = 0.5 * p.y;
        xyz[3 * i + 2] = 0.5 * p.z;
    }
    must(apart_hull_build(xyz, (size_t)points, NULL, &hull), "hull");
    return hull;
}

apart_pose scene_pose(random_source *r, double spread)
{
    /* One after the other: the order within an initializer is the compiler's. */
    const double x = random_between(r, -spread, spread);
    const double y = random_between(r, -spread, spread);
    const double z = random_between(r, -spread, spread);
    return (apart_pose){random_rotation(r), {x, y, z}};
}

apart_pose scene_nudged(const apart_pose *pose, random_source *r, double length, double angle)
{
    const apart_vec3 axis = random_in_ball(r), step = random_in_ball(r);
    apart_pose turn, out;
    must(apart_pose_from_quat_wxyz(1.0, 0.5 * angle * axis.x, 0.5 * angle * axis.y, 0.5 * angle * axis.z,
                                   (apart_vec3){0, 0, 0}, &turn),
         "turn");
    out = apart_pose_compose(&turn, pose);
    out.translation = (apart_vec3){pose->translation.x + length * step.x, pose->translation.y + length * step.y,
                                   pose->translation.z + length * step.z};
    return out;
}

void solid_pool_make(solid_pool *pool, random_source *r)
{
    unsigned n = 0;
    for (int i = 0; i < SCENE_HULLS; i++) {
        pool->hulls[i] = random_hull(r, 8 + 6 * i);
        pool->shapes[n++] = apart_hull_shape(pool->hulls[i]);
    }
    pool->shapes[n++] = apart_sphere(0.4);
    pool->shapes[n++] = apart_box((apart_vec3){0.5, 0.3, 0.2});
    pool->shapes[n++] = apart_box((apart_vec3){0.3, 0.3, 0.3});
    pool->shapes[n++] = apart_capsule(0.15, 0.4);
    pool->shapes[n++] = apart_cylinder(0.25, 0.4);
    pool->shapes[n++] = apart_cone(0.3, 0.4);
    pool->shapes[n++] = apart_ellipsoid((apart_vec3){0.5, 0.3, 0.2});
    pool->shapes[n++] = apart_rounded(apart_box((apart_vec3){0.3, 0.2, 0.1}), 0.05);
    pool->shapes[n++] =
        apart_segment((apart_vec3){2.0, 0.1, 0.0}, (apart_vec3){2.6, -0.1, 0.3}); /* far from its own origin */
    pool->shape_count = n;
    for (int i = 0; i < SCENE_COMPOUNDS; i++) {
        apart_part parts[16];
        const size_t count = 2 + (size_t)i * 2;
        for (size_t k = 0; k < count; k++) {
            const unsigned which = random_below(r, n);
            parts[k] = (apart_part){pool->shapes[which], scene_pose(r, 0.6)};
        }
        must(apart_compound_build(parts, count, NULL, &pool->compounds[i]), "compound");
    }
}

void solid_pool_free(solid_pool *pool)
{
    for (int i = 0; i < SCENE_COMPOUNDS; i++) {
        apart_compound_free(pool->compounds[i]);
    }
    for (int i = 0; i < SCENE_HULLS; i++) {
        apart_hull_free(pool->hulls[i]);
    }
}

apart_solid solid_pool_draw(const solid_pool *pool, random_source *r, bool compounds)
{
    if (compounds && random_below(r, 4) == 0) {
        return apart_solid_compound(pool->compounds[random_below(r, SCENE_COMPOUNDS)]);
    }
    return apart_solid_shape(&pool->shapes[random_below(r, pool->shape_count)]);
}

size_t solid_parts(apart_solid solid) { return solid.compound != NULL ? apart_compound_count(solid.compound) : 1; }

const apart_shape *solid_part(apart_solid solid, size_t i, const apart_pose *pose, apart_pose *out)
{
    if (solid.compound == NULL) {
        *out = *pose;
        return solid.shape;
    }
    const apart_part *part = apart_compound_part(solid.compound, i);
    *out = apart_pose_compose(pose, &part->pose);
    return &part->shape;
}

static double ball_gap(const apart_shape *x, const apart_pose *pa, const apart_shape *y, const apart_pose *pb)
{
    apart_vec3 ca, cb;
    double ra, rb;
    if (apart_shape_ball(x, &ca, &ra) != APART_OK || apart_shape_ball(y, &cb, &rb) != APART_OK) {
        return -INFINITY; /* a half-space */
    }
    const apart_vec3 p = apart_pose_apply(pa, ca), q = apart_pose_apply(pb, cb);
    return hypot(hypot(p.x - q.x, p.y - q.y), p.z - q.z) * (1.0 - 1e-9) - ra - rb - 1e-9;
}

brute_answer brute_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b)
{
    brute_answer best = {INFINITY, INFINITY, INFINITY, 0, 0};
    for (size_t i = 0; i < solid_parts(a); i++) {
        for (size_t k = 0; k < solid_parts(b); k++) {
            apart_pose pa, pb;
            apart_result r;
            const apart_shape *x = solid_part(a, i, pose_a, &pa), *y = solid_part(b, k, pose_b, &pb);
            if (ball_gap(x, &pa, y, &pb) > best.upper) {
                continue;
            }
            must(apart_distance(x, &pa, y, &pb, NULL, NULL, &r), "brute force");
            best.lower = fmin(best.lower, r.lower);
            best.upper = fmin(best.upper, r.upper);
            if (r.distance < best.distance) {
                best.distance = r.distance;
                best.part_a = i;
                best.part_b = k;
            }
        }
    }
    return best;
}
