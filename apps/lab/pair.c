/* Pairs in trouble: parallel faces, needles, plates, offsets, near contact, lattices. */
#include "pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "text.h"

static apart_hull *build(const apart_vec3 *p, uint32_t n)
{
    double *xyz = lab_allocate(3 * (size_t)n, sizeof *xyz);
    apart_hull *hull = NULL;
    for (uint32_t i = 0; i < n; i++) {
        xyz[3 * i] = p[i].x;
        xyz[3 * i + 1] = p[i].y;
        xyz[3 * i + 2] = p[i].z;
    }
    const apart_status status = apart_hull_build(xyz, n, NULL, &hull);
    free(xyz);
    if (status != APART_OK) {
        fprintf(stderr, "apart: lab: a hull of %u points: %s\n", n, apart_status_message(status));
        exit(2);
    }
    return hull;
}

/* n points on the unit sphere, stretched along the axes. */
static apart_hull *draw_hull(lab_random *r, uint32_t n, apart_vec3 stretch)
{
    apart_vec3 *p = lab_allocate(n, sizeof *p);
    for (uint32_t i = 0; i < n; i++) {
        const apart_vec3 d = lab_random_direction(r);
        p[i] = (apart_vec3){stretch.x * d.x, stretch.y * d.y, stretch.z * d.z};
    }
    apart_hull *hull = build(p, n);
    free(p);
    return hull;
}

static apart_hull *box(apart_vec3 h)
{
    apart_vec3 p[8];
    for (int i = 0; i < 8; i++) {
        p[i] = (apart_vec3){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
    }
    return build(p, 8);
}

static lab_pair complete(lab_pair pair)
{
    pair.shape_a = apart_hull_shape(pair.a);
    pair.shape_b = apart_hull_shape(pair.b);
    pair.polytope_a = lab_polytope_of(pair.a);
    pair.polytope_b = lab_polytope_of(pair.b);
    return pair;
}

static lab_pair stretched(lab_random *r, uint32_t n, apart_vec3 stretch_a, apart_vec3 stretch_b, double distance)
{
    lab_pair p = {.a = draw_hull(r, n, stretch_a), .b = draw_hull(r, n, stretch_b)};
    p.pose_a = lab_random_pose(r, (apart_vec3){0, 0, 0});
    p.pose_b = lab_random_pose(r, apart_vec3_scale(distance, lab_random_direction(r)));
    return complete(p);
}

lab_pair lab_pair_hulls(lab_random *r, uint32_t n)
{
    return stretched(r, n, (apart_vec3){1, 1, 1}, (apart_vec3){1, 1, 1}, 0.0);
}

/* B lies on A's upper face with a gap of 0.5, turned about the vertical by any angle, then tilted. */
static lab_pair tilted(lab_random *r, double tilt)
{
    const apart_vec3 a = {lab_random_between(r, 0.3, 1), lab_random_between(r, 0.3, 1), lab_random_between(r, 0.3, 1)};
    const apart_vec3 b = {lab_random_between(r, 0.3, 1), lab_random_between(r, 0.3, 1), lab_random_between(r, 0.3, 1)};
    const double angle = lab_random_between(r, 0, 2 * LAB_PI), heading = lab_random_between(r, 0, 2 * LAB_PI);
    lab_pair p = {.a = box(a), .b = box(b), .pose_a = apart_pose_identity()};
    apart_pose turn, lean;
    apart_pose_from_axis_angle((apart_vec3){0, 0, 1}, angle, (apart_vec3){0, 0, 0}, &turn);
    apart_pose_from_axis_angle((apart_vec3){cos(heading), sin(heading), 0}, tilt, (apart_vec3){0, 0, 0}, &lean);
    p.pose_b = apart_pose_compose(&lean, &turn);
    p.pose_b.translation =
        (apart_vec3){lab_random_between(r, -0.5, 0.5), lab_random_between(r, -0.5, 0.5), a.z + b.z + 0.5 + tilt};
    return complete(p);
}

static double whole(lab_random *r, int low, int high) { return floor(lab_random_between(r, low, high + 1)); }

static lab_pair lattice(lab_random *r)
{
    const apart_vec3 a = {whole(r, 1, 3), whole(r, 1, 3), whole(r, 1, 3)},
                     b = {whole(r, 1, 3), whole(r, 1, 3), whole(r, 1, 3)};
    lab_pair p = {.a = box(a), .b = box(b), .pose_a = apart_pose_identity()};
    p.pose_b = apart_pose_translation(whole(r, -8, 8), whole(r, -8, 8), whole(r, -8, 8));
    return complete(p);
}

/* Moved along the normal until the gap is the wanted one. */
static lab_pair near_contact(lab_random *r, double gap)
{
    lab_pair p = stretched(r, 20, (apart_vec3){1, 1, 1}, (apart_vec3){1, 1, 1}, 3.0);
    apart_result result;
    apart_distance(&p.shape_a, &p.pose_a, &p.shape_b, &p.pose_b, NULL, NULL, &result);
    p.pose_b.translation = apart_vec3_add_scaled(p.pose_b.translation, gap - result.distance, result.normal);
    return p;
}

static lab_pair far_away(lab_random *r, double offset)
{
    lab_pair p = stretched(r, 20, (apart_vec3){1, 1, 1}, (apart_vec3){1, 1, 1}, 3.0);
    const apart_vec3 shift = apart_vec3_scale(offset, lab_random_direction(r));
    p.pose_a.translation = apart_vec3_add(p.pose_a.translation, shift);
    p.pose_b.translation = apart_vec3_add(p.pose_b.translation, shift);
    return p;
}

lab_pair lab_pair_draw(lab_random *r, lab_trouble trouble, double amount)
{
    const apart_vec3 round = {1, 1, 1}, thin = {1, amount, amount}, flat = {1, 1, amount},
                     small = {amount, amount, amount};
    switch (trouble) {
    case LAB_TROUBLE_TILT: return tilted(r, amount);
    case LAB_TROUBLE_NEEDLE: return stretched(r, 8, thin, thin, lab_random_between(r, 0.3, 1.5));
    case LAB_TROUBLE_PLATE: return stretched(r, 12, flat, flat, lab_random_between(r, 0.8, 2.5));
    case LAB_TROUBLE_OFFSET: return far_away(r, amount);
    case LAB_TROUBLE_NEAR: return near_contact(r, amount);
    case LAB_TROUBLE_LATTICE: return lattice(r);
    case LAB_TROUBLE_SCALE: return stretched(r, 20, round, small, 1.1 + amount);
    default: return stretched(r, 20, round, round, 3.0);
    }
}

void lab_pair_free(lab_pair *p)
{
    apart_hull_free(p->a);
    apart_hull_free(p->b);
    lab_polytope_free(&p->polytope_a);
    lab_polytope_free(&p->polytope_b);
}

double lab_pair_size(const lab_pair *p)
{
    apart_vec3 center_a = {0, 0, 0}, center_b = {0, 0, 0};
    double radius_a = 0, radius_b = 0;
    apart_shape_ball(&p->shape_a, &center_a, &radius_a);
    apart_shape_ball(&p->shape_b, &center_b, &radius_b);
    return radius_a + radius_b +
           apart_vec3_distance(apart_pose_apply(&p->pose_b, center_b), apart_pose_apply(&p->pose_a, center_a));
}
