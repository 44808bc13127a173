/* What the tests of penetration share: a query whose form is checked, and the separation of two bodies along a
 * direction by scans over all vertices. */
#ifndef APART_TESTS_DEPTH_CHECKS_H
#define APART_TESTS_DEPTH_CHECKS_H

#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "pairs.h"
#include "poses.h"

#define EPS DBL_EPSILON

typedef struct vertex_list {
    double xyz[3 * PAIR_VERTICES_MAX];
    size_t count;
} vertex_list;

static inline apart_vec3 vertex_of(const vertex_list *v, size_t i)
{
    return vec(v->xyz[3 * i], v->xyz[3 * i + 1], v->xyz[3 * i + 2]);
}

/* p + q - r - s with the roundings carried along: the parts may be large and the sum small. */
static inline double sum_of_four(double p, double q, double r, double s)
{
    const double terms[3] = {q, -r, -s};
    double sum = p, lost = 0.0;
    for (int i = 0; i < 3; i++) {
        const double next = sum + terms[i], back = next - sum;
        lost += (sum - (next - back)) + (terms[i] - back);
        sum = next;
    }
    return sum + lost;
}

/* The vertices of a pair in one frame: relative to the bodies' centres, turned, times `unit`; `between` is B's centre
 * minus A's. */
typedef struct scene {
    vertex_list a, b;
    apart_vec3 between;
    double unit; /* a power of two near 1 / M */
} scene;

static inline void scene_turn(const apart_shape *shape, const apart_pose *pose, double unit, vertex_list *v)
{
    v->count = shape_vertices(shape, v->xyz);
    for (size_t i = 0; i < v->count; i++) {
        const apart_vec3 p =
            apart_pose_rotate(pose, apart_vec3_scale(unit, apart_vec3_sub(vertex_of(v, i), shape->center)));
        v->xyz[3 * i] = p.x;
        v->xyz[3 * i + 1] = p.y;
        v->xyz[3 * i + 2] = p.z;
    }
}

static inline void scene_make(scene *s, const test_pair *p)
{
    const double m = pair_magnitude(p);
    const apart_vec3 a = apart_pose_rotate(&p->pose_a, p->a.center), b = apart_pose_rotate(&p->pose_b, p->b.center);
    const apart_vec3 ta = p->pose_a.translation, tb = p->pose_b.translation;
    s->unit = m > 0.0 ? ldexp(1.0, -ilogb(m)) : 1.0;
    scene_turn(&p->a, &p->pose_a, s->unit, &s->a);
    scene_turn(&p->b, &p->pose_b, s->unit, &s->b);
    s->between = apart_vec3_scale(s->unit, vec(sum_of_four(b.x, tb.x, a.x, ta.x), sum_of_four(b.y, tb.y, a.y, ta.y),
                                               sum_of_four(b.z, tb.z, a.z, ta.z)));
}

/* min over B - max over A of n.x, times unit: the signed distance is at least this for every unit n. */
static inline double scene_separation(const scene *s, apart_vec3 n)
{
    double most = -INFINITY, least = INFINITY;
    for (size_t i = 0; i < s->a.count; i++) {
        most = fmax(most, apart_vec3_dot(n, vertex_of(&s->a, i)));
    }
    for (size_t i = 0; i < s->b.count; i++) {
        least = fmin(least, apart_vec3_dot(n, vertex_of(&s->b, i)));
    }
    return (least - most) + apart_vec3_dot(n, s->between);
}

/* A query that must run, with an answer of the right form. */
static inline apart_result query(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                 const apart_pose *pose_b, const apart_options *options, apart_cache *cache)
{
    apart_result r;
    ck_assert_int_eq(apart_distance(a, pose_a, b, pose_b, options, cache, &r), APART_OK);
    ck_assert(isfinite(r.distance) && isfinite(r.upper) && !isnan(r.lower));
    ck_assert(is_finite(r.a) && is_finite(r.b) && is_finite(r.normal));
    ck_assert_msg(r.lower <= r.distance && r.distance <= r.upper, "%.17g is not in [%.17g, %.17g]", r.distance, r.lower,
                  r.upper);
    ck_assert_msg(fabs(apart_vec3_norm(r.normal) - 1.0) <= 4.0 * EPS, "the normal has the length %.17g",
                  apart_vec3_norm(r.normal));
    ck_assert_int_ge(r.count, 1);
    ck_assert_int_le(r.count, 4);
    return r;
}

#endif
