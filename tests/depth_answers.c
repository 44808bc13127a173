#include "depth_answers.h"

#include "depth_checks.h"

static double support_value(const apart_shape *s, const apart_pose *pose, apart_vec3 n)
{
    apart_vec3 p;
    ck_assert_int_eq(apart_support(s, apart_pose_rotate_inverse(pose, n), &p), APART_OK);
    return apart_vec3_dot(n, apart_pose_apply(pose, p));
}

double separation(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                  apart_vec3 n)
{
    return -support_value(b, pose_b, apart_vec3_neg(n)) - support_value(a, pose_a, n);
}

apart_pose moved(const apart_pose *pose, apart_vec3 by)
{
    apart_pose out = *pose;
    out.translation = apart_vec3_add(out.translation, by);
    return out;
}

/* ------------------------------------------------ what an answer means */

void check_way_out(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                   const apart_result *r, double tolerance)
{
    const double off = apart_vec3_norm(apart_vec3_add_scaled(apart_vec3_sub(r->b, r->a), -r->distance, r->normal));
    ck_assert_msg(off <= tolerance, "%s in %s: b - a misses distance * normal by %g", apart_shape_name(b),
                  apart_shape_name(a), off);
    if (a->kind != APART_SHAPE_HALF_SPACE && b->kind != APART_SHAPE_HALF_SPACE) {
        const double on_a = apart_vec3_dot(r->normal, r->a) - support_value(a, pose_a, r->normal);
        const double on_b = apart_vec3_dot(r->normal, r->b) + support_value(b, pose_b, apart_vec3_neg(r->normal));
        ck_assert_msg(fabs(on_a) <= tolerance, "a is %g from A's support plane", on_a);
        ck_assert_msg(fabs(on_b) <= tolerance, "b is %g from B's support plane", on_b);
    }
    const apart_pose out = moved(pose_b, apart_vec3_sub(r->a, r->b));
    const apart_result after = query(a, pose_a, b, &out, NULL, NULL);
    ck_assert_msg(fabs(after.distance) <= tolerance, "moving B by a - b leaves %g", after.distance);
}

void check_members(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                   const apart_result *r, double tolerance)
{
    apart_result in_a, in_b;
    ck_assert_int_eq(apart_point_distance(r->a, a, pose_a, NULL, NULL, &in_a), APART_OK);
    ck_assert_int_eq(apart_point_distance(r->b, b, pose_b, NULL, NULL, &in_b), APART_OK);
    ck_assert_msg(in_a.distance <= tolerance, "a is outside A by %g", in_a.distance);
    ck_assert_msg(in_b.distance <= tolerance, "b is outside B by %g", in_b.distance);
}

double magnitude(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    apart_vec3 center_a, center_b;
    double radius_a, radius_b;
    ck_assert_int_eq(apart_shape_ball(a, &center_a, &radius_a), APART_OK);
    ck_assert_int_eq(apart_shape_ball(b, &center_b, &radius_b), APART_OK);
    const apart_vec3 between = apart_vec3_sub(apart_pose_apply(pose_b, center_b), apart_pose_apply(pose_a, center_a));
    return radius_a + radius_b + fabs(between.x) + fabs(between.y) + fabs(between.z);
}

bool is_curved(const apart_shape *s)
{
    return s->kind == APART_SHAPE_CYLINDER || s->kind == APART_SHAPE_CONE || s->kind == APART_SHAPE_ELLIPSOID;
}

apart_result check_depth(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b,
                         double expected, double tolerance)
{
    const apart_result r = query(a, &pose_a, b, &pose_b, NULL, NULL);
    ck_assert_msg(fabs(r.distance - expected) <= tolerance, "%s in %s: %.17g instead of %.17g", apart_shape_name(b),
                  apart_shape_name(a), r.distance, expected);
    ck_assert_msg(r.lower <= expected + 2 * EPS && expected - 2 * EPS <= r.upper, "%.17g is not in [%.17g, %.17g]",
                  expected, r.lower, r.upper);
    ck_assert_msg(r.upper - r.lower <= tolerance * magnitude(a, &pose_a, b, &pose_b), "%s in %s: bounds are %g apart",
                  apart_shape_name(b), apart_shape_name(a), r.upper - r.lower);
    ck_assert_int_eq(r.relation, APART_OVERLAPPING);
    ck_assert_int_eq(r.stop, is_curved(a) || is_curved(b) ? r.stop : APART_STOP_CONVERGED);
    check_way_out(a, &pose_a, b, &pose_b, &r, 4.0 * tolerance);
    check_members(a, &pose_a, b, &pose_b, &r, 4.0 * tolerance);
    const apart_result swapped = query(b, &pose_b, a, &pose_a, NULL, NULL);
    ck_assert_msg(fabs(swapped.distance - expected) <= tolerance, "swapped: %.17g instead of %.17g", swapped.distance,
                  expected);
    return r;
}

void check_normal(const apart_result *r, double x, double y, double z, double tolerance)
{
    ck_assert_msg(apart_vec3_distance(r->normal, vec(x, y, z)) <= tolerance, "the normal is %g %g %g", r->normal.x,
                  r->normal.y, r->normal.z);
}

/* ------------------------------------------------ bodies */

void cube_points(double *xyz, apart_vec3 h)
{
    for (int i = 0; i < 8; i++) {
        xyz[3 * i] = i & 1 ? h.x : -h.x;
        xyz[3 * i + 1] = i & 2 ? h.y : -h.y;
        xyz[3 * i + 2] = i & 4 ? h.z : -h.z;
    }
}

void make_forms(box_forms *f, apart_vec3 h)
{
    cube_points(f->xyz, h);
    f->hull = NULL;
    ck_assert_int_eq(apart_hull_build(f->xyz, 8, NULL, &f->hull), APART_OK);
    f->shape[0] = apart_box(h);
    f->shape[1] = apart_points(f->xyz, 8);
    f->shape[2] = apart_hull_shape(f->hull);
}

apart_shape curved_body(random_source *r, int kind)
{
    const double x = random_between(r, 0.3, 1), y = random_between(r, 0.3, 1), z = random_between(r, 0.3, 1);
    switch (kind) {
    case 0: return apart_cylinder(x, y);
    case 1: return apart_cone(x, y);
    case 2: return apart_ellipsoid(vec(x, y, z));
    case 3: return apart_capsule(x, y);
    case 4: return apart_rounded(apart_box(vec(x, y, z)), 0.2);
    case 5: return apart_sphere(x);
    case 6: return apart_rounded(apart_cone(x, y), 0.1);
    default: return apart_box(vec(x, y, z));
    }
}
