/* One shape of every kind for the tests of apart_verify, and pairs of them with a result. */
#ifndef APART_TESTS_VERIFY_ZOO_H
#define APART_TESTS_VERIFY_ZOO_H

#include "pairs.h"

#include <check.h>
#include <math.h>
#include <string.h>

#define SHAPES 20

static inline apart_vec3 vec(double x, double y, double z) { return (apart_vec3){x, y, z}; }

static inline apart_vec3 unit(random_source *r)
{
    for (;;) {
        const apart_vec3 p = random_in_ball(r);
        if (apart_vec3_norm(p) > 0.1) {
            return apart_vec3_scale(1.0 / apart_vec3_norm(p), p);
        }
    }
}

/* A user's own shape: an ellipsoid with semi-axes 1, 0.5, 0.25. */
static inline apart_vec3 user_support(const void *user, apart_vec3 d)
{
    const double *s = user;
    const double n = sqrt(s[0] * s[0] * d.x * d.x + s[1] * s[1] * d.y * d.y + s[2] * s[2] * d.z * d.z);
    return n > 0.0 ? vec(s[0] * s[0] * d.x / n, s[1] * s[1] * d.y / n, s[2] * s[2] * d.z / n) : vec(0, 0, 0);
}

static const double user_axes[3] = {1.0, 0.5, 0.25};

/* One of every kind, about the size of 1. The children of composites live beside them. */
typedef struct zoo {
    apart_shape shape[SHAPES], child[8];
    double points[3 * 24];
    apart_hull *hull;
} zoo;

static inline void zoo_init(zoo *z, random_source *r)
{
    for (int i = 0; i < 24; i++) {
        const apart_vec3 p = random_in_ball(r);
        memcpy(&z->points[3 * i], &p, sizeof p);
    }
    ck_assert_int_eq(apart_hull_build(z->points, 24, NULL, &z->hull), APART_OK);
    apart_shape *c = z->child;
    c[0] = apart_box(vec(0.5, 0.25, 0.75));
    c[1] = apart_segment(vec(-0.25, 0, 0.5), vec(0.25, 0.5, 0));
    c[2] = apart_sphere(0.25);
    c[3] = apart_capsule(0.2, 0.4);
    c[4] = apart_cone(0.5, 0.25);
    c[5] = apart_rounded(apart_box(vec(0.25, 0.25, 0.5)), 0.125);
    const apart_mat3 skew = {{1, 0.25, 0}, {0, 0.5, 0}, {0.125, 0, 1.5}};
    const apart_callback user = {user_support, user_axes, {0, 0, 0}, 1.0, 0.0};
    int n = 0;
    z->shape[n++] = apart_point(vec(0.1, 0.2, 0.3));
    z->shape[n++] = apart_segment(vec(-0.5, 0, 0.25), vec(0.5, 0.5, 0));
    z->shape[n++] = apart_triangle(vec(-0.5, 0, 0), vec(0.5, 0.25, 0), vec(0, 0.5, 0.5));
    z->shape[n++] = apart_sphere(0.75);
    z->shape[n++] = apart_box(vec(0.5, 0.75, 0.25));
    z->shape[n++] = apart_capsule(0.25, 0.5);
    z->shape[n++] = apart_cylinder(0.5, 0.375);
    z->shape[n++] = apart_cone(0.5, 0.5);
    z->shape[n++] = apart_ellipsoid(vec(0.75, 0.5, 0.25));
    z->shape[n++] = apart_hull_shape(z->hull);
    z->shape[n++] = apart_points(z->points, 12);
    z->shape[n++] = apart_rounded(apart_hull_shape(z->hull), 0.125);
    z->shape[n++] = apart_rounded(apart_ellipsoid(vec(0.5, 0.25, 0.0)), 0.25);
    z->shape[n++] = apart_sum(&c[0], &c[1]);
    z->shape[n++] = apart_sum(&c[4], &c[5]);
    z->shape[n++] = apart_hull_of_two(&c[0], &c[1]);
    z->shape[n++] = apart_hull_of_two(&c[2], &c[3]);
    z->shape[n++] = apart_affine(&c[0], skew, vec(0.25, 0, 0.125));
    z->shape[n++] = apart_affine(&c[3], skew, vec(0, 0.25, 0));
    z->shape[n++] = apart_callback_shape(user);
    ck_assert_int_eq(n, SHAPES);
}

static inline apart_pose random_pose(random_source *r, double far_away)
{
    const apart_mat3 rotation = random_rotation(r);
    return (apart_pose){rotation, apart_vec3_scale(far_away, unit(r))};
}

typedef struct pair {
    const apart_shape *a, *b;
    apart_pose pose_a, pose_b;
    apart_result result;
} pair;

/* A near the origin, B farther away. */
static inline pair place(const apart_shape *a, const apart_shape *b, random_source *r)
{
    pair p = {.a = a, .b = b};
    p.pose_a = random_pose(r, 0.5);
    p.pose_b = random_pose(r, 5.0);
    return p;
}

static inline void query(pair *p, const apart_options *options)
{
    ck_assert_int_eq(apart_distance(p->a, &p->pose_a, p->b, &p->pose_b, options, NULL, &p->result), APART_OK);
}

static inline apart_proof verify(const pair *p, const apart_result *r)
{
    apart_proof proof;
    ck_assert_int_eq(apart_verify(p->a, &p->pose_a, p->b, &p->pose_b, r, &proof), APART_OK);
    ck_assert(!isnan(proof.lower) && !isnan(proof.upper));
    ck_assert_ptr_nonnull(proof.reason);
    return proof;
}

/* Moves B along the normal until the gap is about `gap`. */
static inline void approach(pair *p, double gap)
{
    for (int i = 0; i < 4; i++) {
        query(p, NULL);
        p->pose_b.translation =
            apart_vec3_add_scaled(p->pose_b.translation, gap - p->result.distance, p->result.normal);
    }
    query(p, NULL);
}

/* Kinds of the zoo whose cores are polytopes. */
static inline int is_polytope(int i) { return i <= 5 || (i >= 9 && i <= 11) || i == 13 || i == 15 || i == 17; }

#endif
