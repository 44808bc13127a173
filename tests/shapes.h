/* What the tests of shapes share: random directions, one shape of each kind, and the same at another scale. */
#ifndef APART_TESTS_SHAPES_H
#define APART_TESTS_SHAPES_H

#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "shape/support.h"

static const double eps = DBL_EPSILON;

/* A context for one scaled support. */
static inline ap_support_context context_of(double scale)
{
    return (ap_support_context){.scale = scale, .search = APART_SUPPORT_AUTO};
}

static inline apart_vec3 core_support(const apart_shape *shape, double scale, apart_vec3 d, uint32_t *vertex)
{
    ap_support_context context = context_of(scale);
    *vertex = APART_NO_INDEX;
    return ap_support(shape, &context, d, vertex);
}

static inline apart_vec3 support_of(const apart_shape *shape, apart_vec3 d)
{
    apart_vec3 p = {NAN, NAN, NAN};
    ck_assert_int_eq(apart_support(shape, d, &p), APART_OK);
    return p;
}

/* The support function h(d) = max d . x over the body, for d made unit. */
static inline double height_of(const apart_shape *shape, apart_vec3 d)
{
    return ap_dot(support_of(shape, d), ap_scale(1.0 / ap_norm(d), d));
}

static inline void assert_near(apart_vec3 a, apart_vec3 b, double tolerance)
{
    ck_assert_msg(ap_norm(ap_sub(a, b)) <= tolerance, "(%.17g %.17g %.17g) is not (%.17g %.17g %.17g) to %g", a.x, a.y,
                  a.z, b.x, b.y, b.z, tolerance);
}

/* Directions of a random test: general ones, axes, planes, and ones with components of very different size. */
static inline apart_vec3 random_direction(uint64_t *seed, int dim)
{
    for (;;) {
        apart_vec3 d = random_vector(seed, 1.0);
        const uint64_t way = random_bits(seed);
        double *const component[] = {&d.x, &d.y, &d.z};
        for (int k = 0; k < 3; k++) {
            const uint64_t choice = way >> (8 * k) & 15u;
            *component[k] *= choice == 0 ? 0.0 : choice == 1 ? 1e-30 : choice == 2 ? 1e-8 : 1.0;
        }
        d.z = dim == 2 ? 0.0 : d.z;
        if (ap_max_abs(d) > 0.0) {
            return d;
        }
    }
}

/* A unit sphere as a custom shape: the library does not know what it is. */
static inline apart_vec3 ball_support(const void *user, apart_vec3 d)
{
    const apart_vec3 c = *(const apart_vec3 *)user;
    return ap_add(c, ap_scale(1.0 / ap_norm(d), d));
}

static const apart_vec3 ball_center = {0.25, -0.5, 1.0};

static inline apart_callback ball_callback(void)
{
    return (apart_callback){.support = ball_support,
                            .user = &ball_center,
                            .center = ball_center,
                            .radius = 1.0,
                            .error = 0.0};
}

/* One cube with corners in another order than a box has, as points and as a hull. */
static const double cube_xyz[24] = {1, 1, 1, -1, -1, -1, 1, -1, 1, -1, 1, 1, 1, 1, -1, -1, -1, 1, 1, -1, -1, -1, 1, -1};
/* The corners of a square with points inside and a repetition. */
static const double square_xy[14] = {0, 0, 1, 1, -1, 1, 0.5, 0.25, -1, -1, 1, -1, 1, 1};

static inline apart_hull *cube_hull(void)
{
    /* x, y, z of a unit cube; faces counter-clockwise from outside. An extra input point that no face uses shifts the
     * input indices. */
    static const double xyz[27] = {0,  0,  0,  -1, -1, -1, 1, -1, -1, 1, 1,  -1, -1, 1,
                                   -1, -1, -1, 1,  1,  -1, 1, 1,  1,  1, -1, 1,  1};
    static const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    static const uint32_t indices[24] = {4, 3, 2, 1, 5, 6, 7, 8, 1, 2, 6, 5, 2, 3, 7, 6, 3, 4, 8, 7, 4, 1, 5, 8};
    apart_hull *hull = NULL;
    ck_assert_int_eq(apart_hull_from_faces(xyz, 9, sizes, 6, indices, NULL, &hull), APART_OK);
    return hull;
}

#define LEAF_KINDS 13

/* One of each leaf, 3D first, then 2D; sizes of about 1. */
static inline apart_shape random_primitive(uint64_t *seed, int kind)
{
    const apart_vec3 p = random_vector(seed, 1.0), q = random_vector(seed, 1.0), r = random_vector(seed, 1.0);
    const apart_vec3 size = {fabs(p.x), fabs(p.y), fabs(p.z)};
    switch (kind) {
    case 0: return apart_point(p);
    case 1: return apart_segment(p, q);
    case 2: return apart_triangle(p, q, r);
    case 3: return apart_box(size);
    case 4: return apart_sphere(size.x);
    case 5: return apart_capsule(size.x, size.y);
    case 6: return apart_cylinder(size.x, size.y);
    case 7: return apart_cone(size.x, size.y);
    case 8: return apart_ellipsoid(size);
    case 9: return apart_points(cube_xyz, 8);
    case 10: return apart_segment_2d(p.x, p.y, q.x, q.y);
    case 11: return apart_rectangle(size.x, size.y);
    default: return apart_polygon(square_xy, 7);
    }
}

static inline apart_shape scaled_primitive(const apart_shape *s, double f)
{
    const apart_vec3 *p = s->u.point;
    switch (s->kind) {
    case APART_SHAPE_POINT: return s->radius > 0.0 ? apart_sphere(f * s->radius) : apart_point(ap_scale(f, p[0]));
    case APART_SHAPE_SEGMENT:
        return apart_rounded(s->dim == 3 ? apart_segment(ap_scale(f, p[0]), ap_scale(f, p[1]))
                                         : apart_segment_2d(f * p[0].x, f * p[0].y, f * p[1].x, f * p[1].y),
                             f * s->radius);
    case APART_SHAPE_TRIANGLE: return apart_triangle(ap_scale(f, p[0]), ap_scale(f, p[1]), ap_scale(f, p[2]));
    case APART_SHAPE_BOX:
        return s->dim == 3 ? apart_box(ap_scale(f, s->u.half_extents))
                           : apart_rectangle(f * s->u.half_extents.x, f * s->u.half_extents.y);
    case APART_SHAPE_CYLINDER: return apart_cylinder(f * s->u.round.radius, f * s->u.round.half_height);
    case APART_SHAPE_CONE: return apart_cone(f * s->u.round.radius, f * s->u.round.half_height);
    default: return apart_ellipsoid(ap_scale(f, s->u.semi_axes));
    }
}

#define ASSERT_STATUS(expression, expected)                      \
    do {                                                         \
        const apart_shape made_ = (expression);                  \
        ck_assert_int_eq(made_.status, (expected));              \
        ck_assert_int_eq(apart_shape_check(&made_), (expected)); \
    } while (0)

#endif
