/* Leaf shapes: supports against closed forms and dense samples, scale, offsets, bounds, bad input, names. */
#include "run_suite.h"
#include "shapes.h"

/* Points of the body, made without its support mapping. */
static apart_vec3 random_member(const apart_shape *s, uint64_t *seed)
{
    const double u = random_unit(seed), v = random_unit(seed), w = random_unit(seed),
                 angle = 6.283185307179586 * random_unit(seed);
    apart_vec3 p = {0, 0, 0};
    switch (s->kind) {
    case APART_SHAPE_POINT: p = s->u.point[0]; break;
    case APART_SHAPE_SEGMENT: p = ap_add(ap_scale(u, s->u.point[0]), ap_scale(1 - u, s->u.point[1])); break;
    case APART_SHAPE_TRIANGLE:
        p = ap_add(ap_scale(v, ap_add(ap_scale(u, s->u.point[0]), ap_scale(1 - u, s->u.point[1]))),
                   ap_scale(1 - v, s->u.point[2]));
        break;
    case APART_SHAPE_BOX:
        p = ap_vec((2 * u - 1) * s->u.half_extents.x, (2 * v - 1) * s->u.half_extents.y,
                   (2 * w - 1) * s->u.half_extents.z);
        break;
    case APART_SHAPE_CYLINDER:
        p = ap_vec(u * s->u.round.radius * cos(angle), u * s->u.round.radius * sin(angle),
                   (2 * v - 1) * s->u.round.half_height);
        break;
    case APART_SHAPE_CONE: {
        const double r = (1 - v) * u * s->u.round.radius;
        p = ap_vec(r * cos(angle), r * sin(angle), (2 * v - 1) * s->u.round.half_height);
        break;
    }
    case APART_SHAPE_ELLIPSOID: {
        const apart_vec3 ball = ap_scale(u, ap_vec(sqrt(1 - (2 * v - 1) * (2 * v - 1)) * cos(angle),
                                                   sqrt(1 - (2 * v - 1) * (2 * v - 1)) * sin(angle), 2 * v - 1));
        p = ap_vec(ball.x * s->u.semi_axes.x, ball.y * s->u.semi_axes.y, ball.z * s->u.semi_axes.z);
        break;
    }
    default: {
        const size_t n = s->u.points.count, i = (size_t)(u * (double)n), j = (size_t)(v * (double)n), dim = s->dim;
        const double *x = s->u.points.coordinates + i * dim, *y = s->u.points.coordinates + j * dim;
        p = ap_vec(w * x[0] + (1 - w) * y[0], w * x[1] + (1 - w) * y[1], dim == 3 ? w * x[2] + (1 - w) * y[2] : 0.0);
    }
    }
    if (s->radius > 0.0) {
        const apart_vec3 d = random_direction(seed, s->dim);
        p = ap_add(p, ap_scale(s->radius * random_unit(seed) / ap_norm(d), d));
    }
    return p;
}

START_TEST(closed_forms)
{
    const apart_vec3 d = {2, -1, 0.5};
    const double n = sqrt(5.25), flat = sqrt(5.0);
    apart_shape s = apart_sphere(3);
    assert_near(support_of(&s, d), ap_vec(6 / n, -3 / n, 1.5 / n), 4 * eps);
    s = apart_capsule(0.5, 2);
    assert_near(support_of(&s, d), ap_vec(1 / n, -0.5 / n, 2 + 0.25 / n), 4 * eps);
    assert_near(support_of(&s, ap_neg(d)), ap_vec(-1 / n, 0.5 / n, -2 - 0.25 / n), 4 * eps);
    s = apart_box(ap_vec(1, 2, 3));
    assert_near(support_of(&s, d), ap_vec(1, -2, 3), 0);
    s = apart_cylinder(2, 3);
    assert_near(support_of(&s, d), ap_vec(4 / flat, -2 / flat, 3), 4 * eps);
    assert_near(support_of(&s, ap_vec(0, 0, -1)), ap_vec(0, 0, -3), 0);
    s = apart_cone(2, 3);
    assert_near(support_of(&s, d), ap_vec(4 / flat, -2 / flat, -3), 4 * eps); /* 6 * 0.5 < 2 sqrt(5) */
    assert_near(support_of(&s, ap_vec(1, 0, 0.34)), ap_vec(0, 0, 3), 0);      /* 6 * 0.34 > 2 */
    assert_near(support_of(&s, ap_vec(1, 0, 0.33)), ap_vec(2, 0, -3), 0);     /* 6 * 0.33 < 2 */
    assert_near(support_of(&s, ap_vec(0, 0, -1)), ap_vec(0, 0, -3), 0);
    assert_near(support_of(&s, ap_vec(0, 0, 1)), ap_vec(0, 0, 3), 0);
    s = apart_ellipsoid(ap_vec(1, 2, 3));
    const double m = sqrt(4 + 4 + 2.25);
    assert_near(support_of(&s, d), ap_vec(2 / m, -4 / m, 4.5 / m), 8 * eps);
    s = apart_triangle(ap_vec(1, 0, 0), ap_vec(0, 1, 0), ap_vec(0, 0, 1));
    assert_near(support_of(&s, ap_vec(1, 2, 1.5)), ap_vec(0, 1, 0), 0);
    assert_near(support_of(&s, ap_vec(1, 1, 1.5)), ap_vec(0, 0, 1), 0);
    assert_near(support_of(&s, ap_vec(1, 1, 1)), ap_vec(1, 0, 0), 0); /* the first wins ties */
    s = apart_points(cube_xyz, 8);
    assert_near(support_of(&s, d), ap_vec(1, -1, 1), 0);
    s = apart_polygon(square_xy, 7);
    assert_near(support_of(&s, ap_vec(-1, 0.1, 0)), ap_vec(-1, 1, 0), 0);
    assert_near(support_of(&s, ap_vec(-1, -0.1, 100)), ap_vec(-1, -1, 0), 0); /* z does not count in the plane */
    s = apart_circle(2);
    assert_near(support_of(&s, ap_vec(3, 4, 100)), ap_vec(1.2, 1.6, 0), 4 * eps);
    s = apart_rectangle(1, 2);
    assert_near(support_of(&s, ap_vec(-3, 4, 5)), ap_vec(-1, 2, 0), 0);
}
END_TEST

START_TEST(spheres_are_exact_along_axes)
{
    for (int i = 1; i < 200; i++) {
        const apart_shape s = apart_sphere(0.1 * i);
        assert_near(support_of(&s, ap_vec(0, -0.3 * i, 0)), ap_vec(0, -0.1 * i, 0), 0);
        const apart_shape e = apart_ellipsoid(ap_vec(0.1 * i, 0.7, 3));
        assert_near(support_of(&e, ap_vec(0.3 * i, 0, 0)), ap_vec(0.1 * i, 0, 0), 0);
    }
}
END_TEST

/* No point of the body lies above the support plane, and the support point is in the body: it is nowhere above another
 * one. */
START_TEST(support_planes)
{
    uint64_t seed = random_seed("support_planes");
    for (int i = 0; i < 4000; i++) {
        const apart_shape s = random_primitive(&seed, i % LEAF_KINDS);
        ck_assert_int_eq(apart_shape_check(&s), APART_OK);
        const double limit = 8 * eps * (s.bound + s.radius + ap_norm(s.center));
        const apart_vec3 d = random_direction(&seed, s.dim);
        const double height = height_of(&s, d);
        for (int k = 0; k < 50; k++) {
            const apart_vec3 p = random_member(&s, &seed);
            ck_assert_double_le(ap_dot(p, d) / ap_norm(d), height + limit);
        }
        const apart_vec3 support = support_of(&s, d);
        for (int k = 0; k < 20; k++) {
            const apart_vec3 other = random_direction(&seed, s.dim);
            ck_assert_double_le(ap_dot(support, other) / ap_norm(other), height_of(&s, other) + limit);
        }
    }
}
END_TEST

/* A dense sample of the surface comes close to the plane: the support is not too far out. */
START_TEST(dense_samples)
{
    uint64_t seed = random_seed("dense_samples");
    for (int i = 0; i < 60; i++) {
        const int kind = 6 + i % 3; /* cylinder, cone, ellipsoid */
        const apart_shape s = random_primitive(&seed, kind);
        const apart_vec3 d = random_direction(&seed, 3);
        double best = -INFINITY;
        const int n = 720;
        for (int k = 0; k < n; k++) {
            const double angle = 6.283185307179586 * k / n;
            for (int j = 0; j <= (kind == 8 ? n : 1); j++) {
                const double c = cos(angle), w = sin(angle), r = s.u.round.radius, h = s.u.round.half_height;
                apart_vec3 p = ap_vec(r * c, r * w, j == 0 ? -h : h);
                if (kind == 7 && j == 1) {
                    p = ap_vec(0, 0, h);
                } else if (kind == 8) {
                    const double polar = 3.141592653589793 * j / n;
                    p = ap_vec(s.u.semi_axes.x * c * sin(polar), s.u.semi_axes.y * w * sin(polar),
                               s.u.semi_axes.z * cos(polar));
                }
                best = fmax(best, ap_dot(p, d) / ap_norm(d));
            }
        }
        ck_assert_double_le(best, height_of(&s, d) + 8 * eps * s.bound);
        ck_assert_double_ge(best, height_of(&s, d) - 1e-4 * s.bound);
    }
}
END_TEST

START_TEST(short_directions_and_needles)
{
    /* The radial part of a direction decides where on the rim, however short it is. */
    apart_shape s = apart_cylinder(1, 2);
    assert_near(support_of(&s, ap_vec(3e-200, -4e-200, 1)), ap_vec(0.6, -0.8, 2), 4 * eps);
    uint32_t vertex;
    assert_near(core_support(&s, 1.0, ap_vec(3e-30, -4e-30, -1), &vertex), ap_vec(0.6, -0.8, -2), 4 * eps);
    s = apart_cone(1, 2);
    assert_near(support_of(&s, ap_vec(3e-200, -4e-200, -1)), ap_vec(0.6, -0.8, -2), 4 * eps);
    /* An ellipsoid of very different axes: its own coordinates are right to a few eps each. */
    s = apart_ellipsoid(ap_vec(1, 1e-12, 1e-200));
    const apart_vec3 p = support_of(&s, ap_vec(3e-12, 4, 0));
    ck_assert_double_le(fabs(p.x - 0.6), 4 * eps);
    ck_assert_double_le(fabs(p.y - 0.8e-12), 4 * eps * 1e-12);
    assert_near(support_of(&s, ap_vec(0, 0, -1)), ap_vec(0, 0, -1e-200), 0);
    /* Flat bodies and zero sizes. */
    s = apart_ellipsoid(ap_vec(1, 2, 0));
    assert_near(support_of(&s, ap_vec(0, 0, 1)), ap_vec(0, 0, 0), 0);
    s = apart_ellipsoid(ap_vec(0, 0, 0));
    assert_near(support_of(&s, ap_vec(1, 2, 3)), ap_vec(0, 0, 0), 0);
    s = apart_cone(1, 0);
    assert_near(support_of(&s, ap_vec(1e-300, 0, 1)), ap_vec(1, 0, 0), 0);
    s = apart_cone(0, 1);
    assert_near(support_of(&s, ap_vec(1, 0, -1e-300)), ap_vec(0, 0, -1), 0);
    s = apart_cylinder(0, 0);
    assert_near(support_of(&s, ap_vec(1, 2, 3)), ap_vec(0, 0, 0), 0);
    s = apart_box(ap_vec(0, 0, 0));
    assert_near(support_of(&s, ap_vec(1, 2, 3)), ap_vec(0, 0, 0), 0);
    /* Some point for no direction. */
    uint64_t seed = random_seed("short_directions_and_needles");
    for (int kind = 0; kind < LEAF_KINDS; kind++) {
        s = random_primitive(&seed, kind);
        const apart_vec3 some = support_of(&s, ap_vec(0, 0, 0)), d = random_direction(&seed, s.dim);
        ck_assert(ap_finite(some));
        ck_assert_double_le(ap_dot(some, d) / ap_norm(d), height_of(&s, d) + 8 * eps * (1.0 + s.radius));
    }
}
END_TEST

START_TEST(scale_changes_no_bit)
{
    uint64_t seed = random_seed("scale_changes_no_bit");
    for (int i = 0; i < 2000; i++) {
        const int kind = i % 9 == 8 ? 10 : i % 9;
        const apart_shape one = random_primitive(&seed, kind);
        const apart_vec3 d = random_direction(&seed, one.dim);
        uint32_t vertex, other_vertex;
        const apart_vec3 p = core_support(&one, 1.0, d, &vertex);
        for (int e = -500; e <= 400; e += 100) {
            const double f = ldexp(1.0, e);
            const apart_shape other = scaled_primitive(&one, f);
            const apart_vec3 q = core_support(&other, 1.0 / f, d, &other_vertex);
            ck_assert_mem_eq(&p, &q, sizeof p);
            ck_assert_uint_eq(vertex, other_vertex);
            ck_assert_double_eq(other.bound, f * one.bound);
            /* The public support keeps the caller's unit. */
            const apart_vec3 full = support_of(&other, d), unit = ap_scale(f, support_of(&one, d));
            ck_assert_mem_eq(&full, &unit, sizeof full);
        }
    }
}
END_TEST

START_TEST(extreme_sizes)
{
    const double sizes[] = {1e-150, 1e120, 1e-300, 1e300};
    for (int i = 0; i < 4; i++) {
        const double f = sizes[i];
        uint64_t seed = random_seed("extreme_sizes");
        for (int k = 0; k < 500; k++) {
            const apart_shape one = random_primitive(&seed, k % 9), s = scaled_primitive(&one, f);
            const apart_vec3 d = random_direction(&seed, 3);
            ck_assert_int_eq(s.status, APART_OK);
            const double size = s.bound + s.radius + ap_norm(s.center);
            const double height = height_of(&s, d);
            ck_assert(isfinite(height) && height <= size * (1 + 4 * eps));
            ck_assert_double_le(fabs(height - f * height_of(&one, d)), 16 * eps * size);
        }
    }
}
END_TEST

START_TEST(centres)
{
    /* Exactly the origin, unless the shape is farther away than four times its bound. */
    apart_shape s = apart_segment(ap_vec(3, 0, 0), ap_vec(5, 0, 0)); /* middle 4, bound 1: not yet */
    assert_near(s.center, ap_vec(0, 0, 0), 0);
    ck_assert_double_ge(s.bound, 5);
    s = apart_segment(ap_vec(3.01, 0, 0), ap_vec(5.01, 0, 0));
    assert_near(s.center, ap_vec(4.01, 0, 0), 4 * eps);
    ck_assert_double_ge(s.bound, 1);
    ck_assert_double_le(s.bound, 1 + 8 * eps);
    s = apart_point(ap_vec(1, 2, 3));
    assert_near(s.center, ap_vec(1, 2, 3), 0);
    ck_assert_double_eq(s.bound, 0);
    s = apart_point(ap_vec(0, 0, 0));
    assert_near(s.center, ap_vec(0, 0, 0), 0);
    s = apart_capsule(1, 2);
    assert_near(s.center, ap_vec(0, 0, 0), 0);
    ck_assert_double_ge(s.bound, 2);
    ck_assert_double_eq(s.radius, 1);
}
END_TEST

START_TEST(offset_point_sets)
{
    uint64_t seed = random_seed("offset_point_sets");
    enum { n = 40 };
    double near[3 * n], far[3 * n], flat[2 * n];
    const double offset[3] = {1e8, -2e8, 5e7};
    for (int i = 0; i < 3 * n; i++) {
        far[i] = offset[i % 3] + random_signed(&seed); /* what is rounded here is given */
        near[i] = far[i] - offset[i % 3];              /* exact */
    }
    for (int i = 0; i < n; i++) {
        flat[2 * i] = far[3 * i];
        flat[2 * i + 1] = far[3 * i + 1];
    }
    const apart_shape a = apart_points(near, n), b = apart_points(far, n), c = apart_polygon(flat, n);
    ck_assert_double_le(b.bound, 2.0);
    assert_near(b.center, ap_vec(1e8, -2e8, 5e7), 2.0);
    for (int i = 0; i < 2000; i++) {
        apart_vec3 d = random_direction(&seed, 3);
        uint32_t va, vb, vc;
        const apart_vec3 pa = core_support(&a, 1.0, d, &va), pb = core_support(&b, 1.0, d, &vb);
        const apart_vec3 given = {far[3 * vb], far[3 * vb + 1], far[3 * vb + 2]};
        assert_near(pb, ap_sub(given, b.center), 0);
        uint32_t scaled_vertex;
        assert_near(core_support(&b, 0.125, d, &scaled_vertex), ap_scale(0.125, pb), 0);
        ck_assert_double_ge(ap_dot(d, ap_vec(near[3 * vb], near[3 * vb + 1], near[3 * vb + 2])),
                            ap_dot(d, pa) - 8 * eps);
        d.z = 0.0;
        if (ap_max_abs(d) == 0.0) {
            continue;
        }
        core_support(&c, 1.0, d, &vc);
        core_support(&a, 1.0, d, &va);
        ck_assert_double_ge(d.x * near[3 * vc] + d.y * near[3 * vc + 1],
                            d.x * near[3 * va] + d.y * near[3 * va + 1] - 8 * eps);
        const apart_vec3 full = support_of(&c, d);
        ck_assert(full.x == flat[2 * vc] && full.y == flat[2 * vc + 1] && full.z == 0.0);
    }
    /* The lowest index wins ties, also among repeated points. */
    const double twice[12] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0};
    const apart_shape t = apart_points(twice, 4);
    uint32_t v;
    core_support(&t, 1.0, ap_vec(1, 0, 0), &v);
    ck_assert_uint_eq(v, 1);
    core_support(&t, 1.0, ap_vec(1, 1e-3, 0), &v);
    ck_assert_uint_eq(v, 3);
}
END_TEST

START_TEST(box_vertex_numbers)
{
    const apart_shape box = apart_box(ap_vec(1, 2, 3));
    uint32_t v;
    core_support(&box, 1.0, ap_vec(-1, 1, -1), &v);
    ck_assert_uint_eq(v, 2);
    core_support(&box, 1.0, ap_vec(1, -1, 1), &v);
    ck_assert_uint_eq(v, 5);
    const apart_vec3 top = core_support(&box, 1.0, ap_vec(0.0, -0.0, -1), &v); /* zero chooses + */
    ck_assert_uint_eq(v, 3);
    assert_near(top, ap_vec(1, 2, -3), 0);
    assert_near(ap_vertex(&box, 2.0, 3), ap_vec(2, 4, -6), 0);
    const apart_shape flat = apart_rectangle(1, 2);
    core_support(&flat, 1.0, ap_vec(-1, 0, 0), &v);
    ck_assert_uint_eq(v, 2);
    ck_assert_uint_eq(ap_vertex_count(&flat), 4);
}
END_TEST

START_TEST(bounds_hold_the_body)
{
    uint64_t seed = random_seed("bounds_hold_the_body");
    for (int i = 0; i < 1000; i++) {
        const apart_shape leaf = random_primitive(&seed, i % LEAF_KINDS),
                          s = i % 3 == 0 ? apart_rounded(leaf, random_unit(&seed)) : leaf;
        apart_pose pose;
        const apart_vec3 t = random_vector(&seed, 3.0);
        if (s.dim == 2) {
            ck_assert_int_eq(apart_pose_from_angle_2d(random_signed(&seed), t.x, t.y, &pose), APART_OK);
        } else {
            ck_assert_int_eq(apart_pose_from_quat_wxyz(random_signed(&seed), t.x, t.y, t.z, t, &pose), APART_OK);
        }
        apart_aabb box;
        apart_vec3 center;
        double radius;
        ck_assert_int_eq(apart_shape_aabb(&s, &pose, &box), APART_OK);
        ck_assert_int_eq(apart_shape_ball(&s, &center, &radius), APART_OK);
        for (int k = 0; k < 40; k++) {
            const apart_vec3 local =
                k % 2 == 0 ? random_member(&s, &seed) : support_of(&s, random_direction(&seed, s.dim));
            const apart_vec3 p = apart_pose_apply(&pose, local);
            ck_assert(box.min.x <= p.x && p.x <= box.max.x && box.min.y <= p.y && p.y <= box.max.y &&
                      box.min.z <= p.z && p.z <= box.max.z);
            ck_assert_double_le(ap_norm(ap_sub(local, center)), radius * (1 + 8 * eps) + 4 * eps * ap_norm(center));
            ck_assert_double_le(ap_norm(ap_sub(local, s.center)),
                                (s.bound + s.radius) * (1 + 8 * eps) + 4 * eps * ap_norm(s.center));
        }
        /* No larger than needed. */
        const double size = s.bound + s.radius + ap_norm(s.center) + ap_norm(t);
        const apart_vec3 x = support_of(&s, apart_pose_rotate_inverse(&pose, ap_vec(1, 0, 0)));
        ck_assert_double_le(box.max.x, apart_pose_apply(&pose, x).x + 32 * eps * size);
        ck_assert_double_ge(box.max.x, apart_pose_apply(&pose, x).x);
    }
}
END_TEST

/* A ball of radius 1 whose support function knows its middle alone, and says so by its error. */
static apart_vec3 support_in_origin(const void *user, apart_vec3 direction)
{
    (void)user, (void)direction;
    return ap_vec(0, 0, 0);
}

/* A matrix whose entries of |RtR - I| are all 1e-6 makes an ellipsoid of a ball, with one axis 1.5e-6 longer than 1: a
 * row of the matrix where that is a coordinate axis. */
START_TEST(boxes_hold_what_a_matrix_stretches)
{
    const double defect = 0.999e-6, longest = sqrt(1 + 3 * defect), c = 1 / sqrt(3), h = 1 / sqrt(2), g = 1 / sqrt(6);
    const apart_shape s = apart_callback_shape((apart_callback){.support = support_in_origin, .radius = 1, .error = 1});
    apart_pose pose = apart_pose_identity();
    pose.rotation = (apart_mat3){{longest * c, h, g}, {longest * c, -h, g}, {longest * c, 0, -2 * g}};
    apart_aabb box;
    ck_assert_int_eq(apart_shape_aabb(&s, &pose, &box), APART_OK);
    ck_assert_double_ge(box.max.x, longest);
    ck_assert_double_le(box.min.x, -longest);
    ck_assert_double_ge(box.max.y, 1);
    ck_assert_double_le(box.max.x, 1 + 2.1e-6);
}
END_TEST

START_TEST(bounds_by_hand)
{
    const apart_shape box = apart_box(ap_vec(1, 2, 3)), ball = apart_sphere(2), point = apart_point(ap_vec(1, 2, 3));
    const apart_pose pose = apart_pose_translation(10, 20, 30);
    apart_aabb b;
    ck_assert_int_eq(apart_shape_aabb(&box, &pose, &b), APART_OK);
    assert_near(b.min, ap_vec(9, 18, 27), 1e-12);
    assert_near(b.max, ap_vec(11, 22, 33), 1e-12);
    apart_pose turn; /* an eighth of a turn about z */
    ck_assert_int_eq(apart_pose_from_axis_angle(ap_vec(0, 0, 1), 0.78539816339744831, ap_vec(0, 0, 0), &turn),
                     APART_OK);
    ck_assert_int_eq(apart_shape_aabb(&box, &turn, &b), APART_OK);
    assert_near(b.max, ap_vec(3 / sqrt(2), 3 / sqrt(2), 3), 4e-14);
    ck_assert_int_eq(apart_shape_aabb(&ball, &pose, &b), APART_OK);
    assert_near(b.min, ap_vec(8, 18, 28), 1e-12);
    const apart_pose identity = apart_pose_identity();
    ck_assert_int_eq(apart_shape_aabb(&point, &identity, &b), APART_OK);
    assert_near(b.max, ap_vec(1, 2, 3), 4e-14);
    apart_vec3 c;
    double r;
    ck_assert_int_eq(apart_shape_ball(&ball, &c, &r), APART_OK);
    assert_near(c, ap_vec(0, 0, 0), 0);
    ck_assert(r >= 2 && r <= 2 + 16 * eps);
    ck_assert_int_eq(apart_shape_ball(&point, &c, &r), APART_OK);
    assert_near(c, ap_vec(1, 2, 3), 0);
    ck_assert_double_eq(r, 0);
}
END_TEST

START_TEST(bad_leaves)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    const apart_vec3 o = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        const double x = bad[i];
        const apart_vec3 vectors[] = {{x, 0, 0}, {0, x, 0}, {0, 0, x}};
        for (int k = 0; k < 3; k++) {
            const apart_vec3 v = vectors[k];
            ASSERT_STATUS(apart_point(v), APART_ERR_NONFINITE);
            ASSERT_STATUS(apart_segment(v, o), APART_ERR_NONFINITE);
            ASSERT_STATUS(apart_segment(o, v), APART_ERR_NONFINITE);
            ASSERT_STATUS(apart_triangle(v, o, o), APART_ERR_NONFINITE);
            ASSERT_STATUS(apart_triangle(o, o, v), APART_ERR_NONFINITE);
            ASSERT_STATUS(apart_box(v), APART_ERR_NONFINITE);
            ASSERT_STATUS(apart_ellipsoid(v), APART_ERR_NONFINITE);
            ASSERT_STATUS(apart_half_space(v, 0), APART_ERR_NONFINITE);
            const double xyz[6] = {1, 2, 3, v.x, v.y, v.z};
            ASSERT_STATUS(apart_points(xyz, 2), APART_ERR_NONFINITE);
            ASSERT_STATUS(apart_points(xyz, 1), APART_OK);
        }
        ASSERT_STATUS(apart_sphere(x), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_circle(x), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_capsule(x, 1), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_capsule(1, x), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_cylinder(x, 1), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_cylinder(1, x), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_cone(x, 1), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_cone(1, x), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_half_space(ap_vec(1, 0, 0), x), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_point_2d(x, 0), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_segment_2d(0, 0, 0, x), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_rectangle(x, 0), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_polygon((const double[]){0, x}, 1), APART_ERR_NONFINITE);
        ASSERT_STATUS(apart_rounded(apart_sphere(1), x), APART_ERR_NONFINITE);
    }
    ASSERT_STATUS(apart_sphere(-1), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_circle(-1e-300), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_box(ap_vec(1, 1, -1)), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_capsule(-1, 1), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_capsule(1, -1), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_cylinder(-1, 1), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_cylinder(1, -1), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_cone(-1, 1), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_ellipsoid(ap_vec(1, -1, 1)), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_rectangle(1, -1), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_rounded(apart_sphere(1), -0.5), APART_ERR_NEGATIVE_SIZE);
    ASSERT_STATUS(apart_half_space(o, 1), APART_ERR_NORMAL);
    ASSERT_STATUS(apart_points(NULL, 3), APART_ERR_NULL);
    ASSERT_STATUS(apart_points((const double[]){1, 2, 3}, 0), APART_ERR_EMPTY);
    ASSERT_STATUS(apart_polygon(NULL, 3), APART_ERR_NULL);
    ASSERT_STATUS(apart_polygon((const double[]){1, 2}, 0), APART_ERR_EMPTY);
    ASSERT_STATUS(apart_hull_shape(NULL), APART_ERR_NULL);
    ASSERT_STATUS(apart_sphere(0), APART_OK);
    ASSERT_STATUS(apart_box(ap_vec(DBL_MAX, DBL_MAX, DBL_MAX)), APART_ERR_OVERFLOW);
    ASSERT_STATUS(apart_segment(ap_vec(DBL_MAX, DBL_MAX, 0), ap_vec(-DBL_MAX, 0, 0)), APART_ERR_OVERFLOW);
    ASSERT_STATUS(apart_rounded(apart_sphere(DBL_MAX), DBL_MAX), APART_ERR_OVERFLOW);
    ck_assert_int_eq(apart_shape_check(NULL), APART_ERR_NULL);
    const apart_shape zero = {0};
    ck_assert_int_eq(apart_shape_check(&zero), APART_ERR_SHAPE);
    apart_shape odd = apart_sphere(1);
    odd.dim = 4;
    ck_assert_int_eq(apart_shape_check(&odd), APART_ERR_SHAPE);
    odd.dim = 3;
    odd.kind = 200;
    ck_assert_int_eq(apart_shape_check(&odd), APART_ERR_SHAPE);
    ck_assert_int_eq(apart_rounded(zero, 1).status, APART_ERR_SHAPE);
    const uint32_t no_hull[64] = {0};
    ASSERT_STATUS(apart_hull_shape((const apart_hull *)(const void *)no_hull), APART_ERR_BLOCK);
}
END_TEST

START_TEST(bad_questions)
{
    const apart_shape box = apart_box(ap_vec(1, 1, 1)), half = apart_half_space(ap_vec(0, 0, 2), 3),
                      bad = apart_sphere(-1), flat = apart_circle(1);
    apart_vec3 p;
    apart_aabb b;
    double r;
    const apart_pose pose = apart_pose_identity();
    ck_assert_int_eq(apart_support(NULL, ap_vec(1, 0, 0), &p), APART_ERR_NULL);
    ck_assert_int_eq(apart_support(&box, ap_vec(1, 0, 0), NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_support(&box, ap_vec(1, NAN, 0), &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_support(&half, ap_vec(1, 0, 0), &p), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_support(&bad, ap_vec(1, 0, 0), &p), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_shape_aabb(&box, NULL, &b), APART_ERR_NULL);
    ck_assert_int_eq(apart_shape_aabb(&box, &pose, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_shape_aabb(NULL, &pose, &b), APART_ERR_NULL);
    ck_assert_int_eq(apart_shape_aabb(&half, &pose, &b), APART_ERR_HALF_SPACE);
    apart_pose turned;
    ck_assert_int_eq(apart_pose_from_rpy(0.1, 0, 0, ap_vec(0, 0, 0), &turned), APART_OK);
    ck_assert_int_eq(apart_shape_aabb(&flat, &turned, &b), APART_ERR_DIMENSION);
    turned = apart_pose_translation(0, 0, 1);
    ck_assert_int_eq(apart_shape_aabb(&flat, &turned, &b), APART_ERR_DIMENSION);
    turned.rotation.x.x = 2;
    ck_assert_int_eq(apart_shape_aabb(&box, &turned, &b), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_shape_ball(&half, &p, &r), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_shape_ball(&box, NULL, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_shape_ball(&box, &p, NULL), APART_ERR_NULL);
    /* The half-space itself. */
    ck_assert_int_eq(half.status, APART_OK);
    ck_assert(isinf(half.bound));
    ck_assert_uint_eq(half.dim, 3);
    assert_near(half.u.plane.normal, ap_vec(0, 0, 1), 0);
    ck_assert_double_eq(half.u.plane.offset, 3);
    const apart_shape tiny = apart_half_space(ap_vec(3e-310, 0, 4e-310), 1),
                      large = apart_half_space(ap_vec(3e307, 0, -4e307), 1);
    assert_near(tiny.u.plane.normal, ap_vec(0.6, 0, 0.8), 1e-13);
    assert_near(large.u.plane.normal, ap_vec(0.6, 0, -0.8), 2 * eps);
}
END_TEST

START_TEST(names)
{
    const apart_shape box = apart_box(ap_vec(1, 1, 1));
    const struct {
        apart_shape shape;
        const char *name;
    } rows[] = {
        {apart_point(ap_vec(0, 0, 0)), "point"},
        {apart_sphere(1), "sphere"},
        {apart_sphere(0), "point"},
        {apart_capsule(1, 1), "capsule"},
        {apart_capsule(0, 1), "segment"},
        {box, "box"},
        {apart_rounded(box, 1), "rounded box"},
        {apart_cylinder(1, 1), "cylinder"},
        {apart_cone(1, 1), "cone"},
        {apart_ellipsoid(ap_vec(1, 1, 2)), "ellipsoid"},
        {apart_ellipsoid(ap_vec(1, 1, 1)), "sphere"},
        {apart_half_space(ap_vec(1, 0, 0), 0), "half-space"},
        {apart_points(cube_xyz, 8), "point set"},
        {apart_polygon(square_xy, 7), "polygon"},
        {apart_circle(1), "circle"},
        {apart_rectangle(1, 1), "rectangle"},
        {apart_sum(&box, &box), "sum"},
        {apart_hull_of_two(&box, &box), "hull of two"},
        {apart_affine(&box, (apart_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, ap_vec(0, 0, 0)), "affine image"},
        {apart_callback_shape(ball_callback()), "callback"},
        {apart_hull_shape(NULL), "hull"},
        {{0}, "?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_str_eq(apart_shape_name(&rows[i].shape), rows[i].name);
    }
    ck_assert_str_eq(apart_shape_name(NULL), "?");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shapes");
    TCase *tcase = tcase_create("shapes");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, closed_forms);
    tcase_add_test(tcase, spheres_are_exact_along_axes);
    tcase_add_test(tcase, support_planes);
    tcase_add_test(tcase, dense_samples);
    tcase_add_test(tcase, short_directions_and_needles);
    tcase_add_test(tcase, scale_changes_no_bit);
    tcase_add_test(tcase, extreme_sizes);
    tcase_add_test(tcase, centres);
    tcase_add_test(tcase, offset_point_sets);
    tcase_add_test(tcase, box_vertex_numbers);
    tcase_add_test(tcase, bounds_hold_the_body);
    tcase_add_test(tcase, bounds_by_hand);
    tcase_add_test(tcase, boxes_hold_what_a_matrix_stretches);
    tcase_add_test(tcase, bad_leaves);
    tcase_add_test(tcase, bad_questions);
    tcase_add_test(tcase, names);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
