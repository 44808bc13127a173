/* Composite shapes and callbacks: vertices, hand-made equals, far children, scale, extreme maps, bad input. */
#include "run_suite.h"
#include "shapes.h"

#include "math/eft.h"

static apart_vec3 nan_support(const void *user, apart_vec3 d)
{
    (void)user;
    return ap_vec(d.x, NAN, 0.0);
}

/* A unit sphere whose support function does not guard against overflow. */
static apart_vec3 naive_ball_support(const void *user, apart_vec3 d)
{
    (void)user;
    return ap_scale(1.0 / sqrt(ap_dot(d, d)), d);
}

static void assert_vertices_match(const apart_shape *s, uint64_t *seed)
{
    const uint32_t count = ap_vertex_count(s);
    ck_assert_uint_gt(count, 0);
    const apart_vec3 d = random_direction(seed, s->dim);
    for (int e = -3; e <= 3; e += 3) {
        const double scale = ldexp(1.0, e);
        uint32_t vertex, again = (uint32_t)(random_unit(seed) * count);
        const apart_vec3 p = core_support(s, scale, d, &vertex);
        ck_assert_uint_lt(vertex, count);
        const apart_vec3 q = ap_vertex(s, scale, vertex);
        ck_assert_mem_eq(&p, &q, sizeof p);
        /* Any start, and garbage, give the same height. */
        ap_support_context context = context_of(scale);
        const apart_vec3 warm = ap_support(s, &context, d, &again);
        ck_assert_double_le(fabs(ap_dot(warm, d) - ap_dot(p, d)),
                            (scale * s->error + 8 * eps * scale * s->bound) * ap_norm(d));
        again = (uint32_t)random_bits(seed);
        const apart_vec3 garbage = ap_support(s, &context, d, &again);
        ck_assert_double_le(fabs(ap_dot(garbage, d) - ap_dot(p, d)),
                            (scale * s->error + 8 * eps * scale * s->bound) * ap_norm(d));
        /* No vertex is higher. */
        for (uint32_t i = 0; i < count && i < 300; i++) {
            ck_assert_double_le(ap_dot(ap_vertex(s, scale, i), d),
                                ap_dot(p, d) + (scale * s->error + 8 * eps * scale * s->bound) * ap_norm(d));
        }
    }
}

/* Both shapes have the same support function, to rounding. */
static void assert_same_body(const apart_shape *a, const apart_shape *b, uint64_t *seed)
{
    ck_assert_int_eq(a->status, APART_OK);
    ck_assert_int_eq(b->status, APART_OK);
    const double size = ap_max(a->bound + a->radius + ap_norm(a->center), b->bound + b->radius + ap_norm(b->center));
    for (int i = 0; i < 100; i++) {
        const apart_vec3 d = random_direction(seed, a->dim);
        ck_assert_double_le(fabs(height_of(a, d) - height_of(b, d)), 24 * eps * size);
    }
}

START_TEST(vertices_equal_supports)
{
    uint64_t seed = random_seed("vertices_equal_supports");
    const int polytopes[] = {0, 1, 2, 3, 4, 5, 9};
    const int planar[] = {10, 11, 12};
    const uint32_t counts[] = {1, 2, 3, 8, 1, 2, 8}, planar_counts[] = {2, 4, 7};
    apart_hull *hull = cube_hull();
    const apart_mat3 linear = {{1, 0.5, 0}, {0, -2, 0.25}, {0.1, 0, 3}},
                     planar_linear = {{1, 0.5, 0}, {-1, 2, 0}, {0, 0, 1}};
    for (int i = 0; i < 300; i++) {
        const int k = i % 7, m = i % 3;
        const apart_shape a = random_primitive(&seed, polytopes[k]),
                          b = random_primitive(&seed, polytopes[(i / 7) % 7]);
        const apart_shape c = random_primitive(&seed, planar[m]), e = random_primitive(&seed, planar[(i / 3) % 3]);
        const apart_shape h = apart_hull_shape(hull);
        ck_assert_uint_eq(ap_vertex_count(&a), counts[k]);
        ck_assert_uint_eq(ap_vertex_count(&c), planar_counts[m]);
        const apart_shape sum = apart_sum(&a, &b), flat_sum = apart_sum(&c, &e), hull_sum = apart_sum(&h, &a);
        ck_assert_uint_eq(ap_vertex_count(&sum), ap_vertex_count(&a) * ap_vertex_count(&b));
        const apart_shape core_a = apart_rounded(random_primitive(&seed, 3), 0.25),
                          core_b = apart_rounded(random_primitive(&seed, 1), 0.25);
        const apart_shape both = apart_hull_of_two(&core_a, &core_b), hull_both = apart_hull_of_two(&h, &c);
        ck_assert_int_eq(hull_both.status, APART_ERR_DIMENSION);
        ck_assert_uint_eq(ap_vertex_count(&both), 10);
        ck_assert_double_eq(both.radius, 0.25);
        const apart_shape image = apart_affine(&sum, linear, random_vector(&seed, 2.0));
        const apart_shape flat_image = apart_affine(&flat_sum, planar_linear, ap_vec(1, 2, 0));
        const apart_shape *all[] = {&a, &c, &h, &sum, &flat_sum, &hull_sum, &both, &flat_image};
        for (size_t j = 0; j < sizeof all / sizeof all[0]; j++) {
            ck_assert_int_eq(apart_shape_check(all[j]), APART_OK);
            assert_vertices_match(all[j], &seed);
        }
        if (sum.radius > 0.0) {
            ck_assert_uint_eq(ap_vertex_count(&image), 0);
        } else {
            assert_vertices_match(&image, &seed);
        }
    }
    apart_hull_free(hull);
}
END_TEST

START_TEST(curved_shapes_have_no_vertices)
{
    uint64_t seed = random_seed("curved_shapes_have_no_vertices");
    apart_shape box = apart_box(ap_vec(1, 1, 1)), ball = apart_sphere(1);
    const apart_shape curved[] = {apart_cylinder(1, 1),
                                  apart_cone(1, 1),
                                  apart_ellipsoid(ap_vec(1, 2, 3)),
                                  apart_callback_shape(ball_callback()),
                                  apart_hull_of_two(&box, &ball),
                                  apart_sum(&box, &curved[0]),
                                  apart_affine(&ball, (apart_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, ap_vec(0, 0, 0))};
    for (size_t i = 0; i < sizeof curved / sizeof curved[0]; i++) {
        uint32_t vertex = 3;
        ap_support_context context = context_of(1.0);
        ap_support(&curved[i], &context, random_direction(&seed, 3), &vertex);
        ck_assert_uint_eq(vertex, APART_NO_INDEX);
        ck_assert_uint_eq(ap_vertex_count(&curved[i]), 0);
        ck_assert_uint_eq(ap_input_index(&curved[i], 0), APART_NO_INDEX);
    }
    /* A sum with too many vertices to number. */
    static double many[3 * 70000];
    const apart_shape points = apart_points(many, 70000), sum = apart_sum(&points, &points);
    uint32_t vertex = 5;
    ap_support_context context = context_of(1.0);
    ap_support(&sum, &context, ap_vec(1, 0, 0), &vertex);
    ck_assert_uint_eq(vertex, APART_NO_INDEX);
    ck_assert_uint_eq(ap_vertex_count(&sum), 0);
    ck_assert_uint_eq(context.count.visited, 140000);
}
END_TEST

START_TEST(input_indices)
{
    apart_hull *hull = cube_hull();
    const apart_shape h = apart_hull_shape(hull), point = apart_point(ap_vec(1, 0, 0)),
                      segment = apart_segment(ap_vec(0, 0, 0), ap_vec(1, 0, 0));
    ck_assert_int_eq(h.status, APART_OK);
    const apart_shape first = apart_sum(&h, &segment), second = apart_sum(&segment, &h),
                      plain = apart_sum(&segment, &segment);
    const apart_shape tail = apart_hull_of_two(&segment, &h), head = apart_hull_of_two(&h, &segment);
    const apart_shape image = apart_affine(&h, (apart_mat3){{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, ap_vec(0, 0, 0));
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t input = apart_hull_input_index(hull, i);
        ck_assert_uint_eq(ap_input_index(&h, i), input);
        ck_assert_uint_eq(ap_input_index(&image, i), input);
        for (uint32_t j = 0; j < 2; j++) {
            ck_assert_uint_eq(ap_input_index(&first, 2 * i + j), 2 * input + j);
            ck_assert_uint_eq(ap_input_index(&second, 8 * j + i), 8 * j + i);
        }
        ck_assert_uint_eq(ap_input_index(&tail, 2 + i), 2 + input);
        ck_assert_uint_eq(ap_input_index(&head, i), i);
    }
    ck_assert_uint_eq(ap_input_index(&tail, 1), 1);
    ck_assert_uint_eq(ap_input_index(&head, 9), 9);
    ck_assert_uint_eq(ap_input_index(&plain, 3), 3);
    ck_assert_uint_eq(ap_input_index(&point, 0), 0);
    ck_assert_uint_eq(ap_input_index(&point, 1), APART_NO_INDEX);
    ck_assert_uint_eq(ap_input_index(&h, 8), APART_NO_INDEX);
    apart_hull_free(hull);
}
END_TEST

START_TEST(composites_equal_hand_made_bodies)
{
    uint64_t seed = random_seed("composites_equal_hand_made_bodies");
    const apart_mat3 unit = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    apart_hull *hull = cube_hull();
    for (int i = 0; i < 100; i++) {
        const apart_vec3 p = random_vector(&seed, 1.0), q = random_vector(&seed, 1.0),
                         h = {fabs(p.x), fabs(p.y), fabs(p.z)};
        const apart_vec3 k = {fabs(q.x), fabs(q.y), fabs(q.z)};
        const double r = random_unit(&seed);
        const apart_shape box = apart_box(h), other_box = apart_box(k), ball = apart_sphere(r),
                          point_p = apart_point(p), point_q = apart_point(q);
        /* Sums. */
        apart_shape made = apart_sum(&box, &ball), known = apart_rounded(box, r);
        ck_assert_double_eq(made.radius, r);
        assert_same_body(&made, &known, &seed);
        made = apart_sum(&box, &other_box), known = apart_box(ap_add(h, k));
        assert_same_body(&made, &known, &seed);
        made = apart_sum(&point_p, &point_q), known = apart_point(ap_add(p, q));
        assert_same_body(&made, &known, &seed);
        /* Hulls of two. */
        made = apart_hull_of_two(&point_p, &point_q), known = apart_segment(p, q);
        assert_same_body(&made, &known, &seed);
        const apart_shape p_ball = apart_rounded(point_p, r), q_ball = apart_rounded(point_q, r);
        made = apart_hull_of_two(&p_ball, &q_ball), known = apart_rounded(known, r);
        ck_assert_double_eq(made.radius, r);
        assert_same_body(&made, &known, &seed);
        const apart_shape small = apart_sphere(0.5 * r);
        made = apart_hull_of_two(&small, &ball); /* unequal radii: the larger sphere */
        ck_assert_double_eq(made.radius, 0.0);
        assert_same_body(&made, &ball, &seed);
        /* A cone is the hull of its apex and its base. */
        const apart_shape disc = apart_cylinder(r, 0.0), apex = apart_point(ap_vec(0, 0, 2)), cone = apart_cone(r, 1.0);
        made = apart_hull_of_two(&disc, &apex), known = apart_affine(&cone, unit, ap_vec(0, 0, 1));
        assert_same_body(&made, &known, &seed);
        /* Affine images. */
        const apart_shape unit_ball = apart_sphere(1.0);
        made = apart_affine(&unit_ball, (apart_mat3){{h.x, 0, 0}, {0, h.y, 0}, {0, 0, h.z}}, ap_vec(0, 0, 0)),
        known = apart_ellipsoid(h);
        assert_same_body(&made, &known, &seed);
        const apart_shape segment = apart_segment(p, q);
        const apart_mat3 mirror = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        made = apart_affine(&segment, mirror, ap_vec(0, 0, 0)),
        known = apart_segment(ap_vec(-p.x, p.y, p.z), ap_vec(-q.x, q.y, q.z));
        assert_same_body(&made, &known, &seed);
        const apart_mat3 projection = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
        made = apart_affine(&box, projection, ap_vec(0, 0, 0)), known = apart_box(ap_vec(h.x, h.y, 0));
        assert_same_body(&made, &known, &seed);
        const apart_mat3 nothing = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        made = apart_affine(&box, nothing, p), known = apart_point(p);
        assert_same_body(&made, &known, &seed);
        apart_pose turn;
        ck_assert_int_eq(apart_pose_from_quat_wxyz(r, p.x, p.y, p.z, q, &turn), APART_OK);
        made = apart_affine(&segment, turn.rotation, turn.translation);
        known = apart_segment(apart_pose_apply(&turn, p), apart_pose_apply(&turn, q));
        assert_same_body(&made, &known, &seed);
        ck_assert_double_le(made.bound, (known.bound + ap_norm(known.center)) * 5.0);
        /* Hulls, in the plane, and callbacks. */
        const apart_shape cube = apart_hull_shape(hull), cube_box = apart_box(ap_vec(1, 1, 1));
        assert_same_body(&cube, &cube_box, &seed);
        made = apart_sum(&cube, &segment), known = apart_sum(&cube_box, &segment);
        assert_same_body(&made, &known, &seed);
        const apart_shape square = apart_polygon(square_xy, 7), rectangle = apart_rectangle(1, 1),
                          circle = apart_circle(r);
        assert_same_body(&square, &rectangle, &seed);
        made = apart_sum(&square, &circle), known = apart_rounded(rectangle, r);
        assert_same_body(&made, &known, &seed);
        ck_assert_uint_eq(made.dim, 2);
        const apart_shape user = apart_callback_shape(ball_callback()), center = apart_point(ball_center);
        known = apart_rounded(center, 1.0);
        assert_same_body(&user, &known, &seed);
        made = apart_affine(&user, (apart_mat3){{0, 2, 0}, {-2, 0, 0}, {0, 0, 2}}, ap_vec(0, 0, 0));
        known = apart_rounded(apart_point(ap_vec(-2 * ball_center.y, 2 * ball_center.x, 2 * ball_center.z)), 2.0);
        assert_same_body(&made, &known, &seed);
    }
    apart_hull_free(hull);
}
END_TEST

/* Children far away that cancel leave no trace of their offset. */
START_TEST(composites_of_far_children)
{
    uint64_t seed = random_seed("composites_of_far_children");
    for (int i = 0; i < 200; i++) {
        const double far = ldexp(1.0, 20 + i % 20);
        const apart_vec3 p = {far, 3 * far, -far}, q = ap_neg(p), a = {1, 2, 3}, b = {1.5, 2, 2.5};
        const apart_shape first = apart_segment(ap_add(p, a), ap_add(p, b)), box = apart_box(ap_vec(0.5, 0.25, 1)),
                          second = apart_point(q);
        const apart_shape inner = apart_sum(&box, &second), made = apart_sum(&first, &inner);
        const apart_shape near_segment = apart_segment(a, b), known = apart_sum(&near_segment, &box);
        assert_same_body(&made, &known, &seed);
        ck_assert_double_le(made.bound, 10.0);
        ck_assert_double_le(made.error, 200 * eps);
        const apart_shape both = apart_hull_of_two(&first, &second), same = apart_hull_of_two(&second, &first);
        assert_same_body(&both, &same, &seed);
        const apart_shape near_p = apart_segment(ap_add(p, a), ap_add(p, b)),
                          next_p = apart_point(ap_add(p, ap_vec(2, 2, 2)));
        const apart_shape far_hull = apart_hull_of_two(&near_p, &next_p),
                          triangle = apart_triangle(a, b, ap_vec(2, 2, 2));
        const apart_shape back = apart_sum(&far_hull, &second);
        ck_assert_double_le(far_hull.bound, 4.0);
        assert_same_body(&back, &triangle, &seed);
        /* A quarter turn about z and back to the origin: (x, y, z) -> (-y, x, z). */
        const apart_mat3 turn = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
        const apart_shape image = apart_affine(&first, turn, ap_vec(3 * far, -far, far));
        const apart_shape turned = apart_segment(ap_vec(-2, 1, 3), ap_vec(-2, 1.5, 2.5));
        assert_same_body(&image, &turned, &seed);
        ck_assert_double_le(image.bound, 5.0);
        ck_assert_double_le(image.error, 200 * eps);
        /* A map with entries that are not short numbers still cancels: its shift is rounded once. */
        const apart_mat3 odd = {{0.1, 0.3, 0}, {-0.7, 0.1, 0}, {0, 0, 1.0 / 3}};
        const apart_vec3 moved = ap_neg(ap_apply(&odd, p)); /* rounded here, and that rounding is real */
        const apart_shape odd_image = apart_affine(&first, odd, moved);
        const ap_dd exact =
            ap_dd_add(ap_dd_add(ap_two_product(odd.x.x, p.x), ap_two_product(odd.y.x, p.y)), ap_dd_from(moved.x));
        const double rest = ap_dd_value(exact);
        const double expected = rest + fmax(odd.x.x * a.x + odd.y.x * a.y, odd.x.x * b.x + odd.y.x * b.y);
        ck_assert_double_le(fabs(support_of(&odd_image, ap_vec(1, 0, 0)).x - expected),
                            odd_image.error + 16 * eps * odd_image.bound);
        ck_assert_double_le(odd_image.error, 200 * eps);
    }
}
END_TEST

/* Centres whose sum cannot be represented: what is lost in the centre comes back in the support. */
START_TEST(centres_that_round)
{
    const apart_shape small = apart_point(ap_vec(0.7, -0.3, 0.1)), huge = apart_point(ap_vec(1e16, 1e17, -3e16));
    const apart_shape one = apart_sum(&small, &huge), two = apart_sum(&huge, &small);
    uint32_t v;
    assert_near(one.center, huge.center, 0);
    assert_near(core_support(&one, 1.0, ap_vec(1, 0, 0), &v), ap_vec(0.7, -0.3, 0.1), 2 * eps);
    assert_near(core_support(&two, 1.0, ap_vec(1, 0, 0), &v), ap_vec(0.7, -0.3, 0.1), 2 * eps);
    ck_assert_double_ge(one.bound, ap_norm(small.center));
    const apart_shape image = apart_affine(&small, (apart_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, huge.center);
    assert_near(core_support(&image, 1.0, ap_vec(1, 0, 0), &v), ap_vec(0.7, -0.3, 0.1), 2 * eps);
    ck_assert_double_ge(image.bound, ap_norm(small.center));
}
END_TEST

/* A hull in a composite is climbed only where that can miss little, and what it can miss is stated. */
START_TEST(hulls_that_climb_badly)
{
    apart_hull *hull = cube_hull();
    const apart_shape point = apart_point(ap_vec(0, 0, 0));
    const double losses[] = {0.0, 8.0, 1000.0, INFINITY};
    for (int i = 0; i < 4; i++) {
        hull->climb_loss = losses[i];
        const apart_shape shape = apart_hull_shape(hull), sum = apart_sum(&shape, &point);
        const double stated = losses[i] < 64.0 ? losses[i] * eps * shape.bound : 0.0;
        ck_assert_double_eq_tol(sum.error, stated + 2 * eps * sum.bound, 1e-3 * eps);
        ap_support_context context = {.scale = 1.0, .search = APART_SUPPORT_CLIMB};
        uint32_t vertex = 0;
        const apart_vec3 d = ap_neg(ap_vertex(&sum, 1.0, 0)); /* the opposite corner: three edges away */
        assert_near(ap_support(&sum, &context, d, &vertex), d, 0);
        ck_assert_uint_eq(context.count.climbed, losses[i] < 64.0 ? 3 : 0);
    }
    apart_hull_free(hull);
}
END_TEST

/* The radius, bounding sphere and bounding box of composites contain their support points. */
START_TEST(composite_bounds)
{
    uint64_t seed = random_seed("composite_bounds");
    for (int i = 0; i < 400; i++) {
        const apart_shape a = random_primitive(&seed, i % 9),
                          b = apart_rounded(random_primitive(&seed, i / 9 % 9), 0.5);
        const apart_mat3 linear = {random_vector(&seed, 1.0), random_vector(&seed, 1.0), random_vector(&seed, 1.0)};
        const apart_shape sum = apart_sum(&a, &b), both = apart_hull_of_two(&a, &b);
        const apart_shape image = apart_affine(&both, linear, random_vector(&seed, 20.0)),
                          round = apart_affine(&sum, linear, ap_vec(0, 0, 0));
        const apart_shape *all[] = {&sum, &both, &image, &round};
        const apart_pose identity = apart_pose_identity();
        for (int k = 0; k < 4; k++) {
            apart_aabb box;
            apart_vec3 center;
            double radius;
            ck_assert_int_eq(apart_shape_aabb(all[k], &identity, &box), APART_OK);
            ck_assert_int_eq(apart_shape_ball(all[k], &center, &radius), APART_OK);
            for (int j = 0; j < 30; j++) {
                const apart_vec3 d = random_direction(&seed, 3), p = support_of(all[k], d);
                uint32_t v;
                ck_assert_double_le(ap_norm(core_support(all[k], 1.0, d, &v)),
                                    all[k]->bound * (1 + 4 * eps) + all[k]->error);
                ck_assert_double_le(ap_norm(ap_sub(p, center)), radius * (1 + 4 * eps) + 4 * eps * ap_norm(center));
                ck_assert(box.min.x <= p.x && p.x <= box.max.x && box.min.y <= p.y && p.y <= box.max.y &&
                          box.min.z <= p.z && p.z <= box.max.z);
            }
        }
    }
    /* What a planar map does to z is no part of its size. */
    const apart_shape flat = apart_rectangle(1, 1);
    const apart_shape shrunk =
        apart_affine(&flat, (apart_mat3){{1e-3, 0, 0}, {0, 1e-3, 0}, {0, 0, 1}}, ap_vec(0, 0, 0));
    ck_assert_double_le(shrunk.bound, 1.5e-3);
}
END_TEST

/* The same composite at another scale: bit for bit. */
START_TEST(composites_change_no_bit_with_scale)
{
    uint64_t seed = random_seed("composites_change_no_bit_with_scale");
    const apart_mat3 linear = {{1, 0.5, 0}, {0, -2, 0.25}, {0.1, 0, 3}};
    for (int i = 0; i < 500; i++) {
        const apart_shape a = random_primitive(&seed, i % 9), b = random_primitive(&seed, i / 9 % 9);
        const apart_vec3 o = random_vector(&seed, 30.0), d = random_direction(&seed, 3);
        const apart_shape sum = apart_sum(&a, &b), both = apart_hull_of_two(&sum, &a),
                          image = apart_affine(&both, linear, o);
        ck_assert_int_eq(image.status, APART_OK);
        uint32_t v;
        const apart_vec3 p = core_support(&image, 1.0, d, &v);
        for (int e = -400; e <= 400; e += 200) {
            const double f = ldexp(1.0, e);
            const apart_shape a2 = scaled_primitive(&a, f), b2 = scaled_primitive(&b, f);
            const apart_shape sum2 = apart_sum(&a2, &b2), both2 = apart_hull_of_two(&sum2, &a2),
                              image2 = apart_affine(&both2, linear, ap_scale(f, o));
            ck_assert_double_eq(image2.bound, f * image.bound);
            const apart_vec3 q = core_support(&image2, 1.0 / f, d, &v);
            ck_assert_mem_eq(&p, &q, sizeof p);
        }
    }
}
END_TEST

/* Maps that shrink or grow by many orders of magnitude. */
START_TEST(extreme_maps)
{
    uint64_t seed = random_seed("extreme_maps");
    const double factors[] = {1e-200, 1e200, 1e-300, 1e-150, 1e120};
    for (int i = 0; i < 5; i++) {
        const double f = factors[i];
        const apart_mat3 m = {{f, 0, 0}, {0, f, 0}, {0, 0, f}};
        for (int kind = 0; kind < 9; kind++) {
            const apart_shape one = random_primitive(&seed, kind), image = apart_affine(&one, m, ap_vec(0, 0, 0)),
                              known = scaled_primitive(&one, f);
            assert_same_body(&image, &known, &seed);
        }
    }
    /* A callback that squares its direction, under a map that makes short ones. */
    const apart_shape naive = apart_callback_shape((apart_callback){naive_ball_support, NULL, {0, 0, 0}, 1.0, 0.0}),
                      unit_ball = apart_sphere(1);
    const apart_mat3 shrink = {{1e-200, 0, 0}, {0, 1e-200, 0}, {0, 0, 1e-200}};
    const apart_shape naive_image = apart_affine(&naive, shrink, ap_vec(0, 0, 0)),
                      ball_image = apart_affine(&unit_ball, shrink, ap_vec(0, 0, 0));
    assert_same_body(&naive_image, &ball_image, &seed);
    /* A child whose dot products overflow in its own unit. */
    const apart_shape vast =
        apart_triangle(ap_vec(1e308, 1e308, 0), ap_vec(1.1e308, 1.1e308, 0), ap_vec(-1.1e308, -1.1e308, 0));
    const apart_mat3 tame = {{0x1p-1000, 0, 0}, {0, 0x1p-1000, 0}, {0, 0, 0x1p-1000}};
    const apart_shape tamed = apart_affine(&vast, tame, ap_vec(0, 0, 0));
    assert_near(support_of(&tamed, ap_vec(1, 1, 0)), ap_scale(0x1p-1000, vast.u.point[1]), 0);
    /* A body that is mapped to a point, next to one so small that the pair's scale is huge. */
    const apart_shape box = apart_box(ap_vec(1e300, 1e300, 1e300)),
                      dot = apart_affine(&box, (apart_mat3){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, ap_vec(0, 0, 0));
    uint32_t v;
    assert_near(core_support(&dot, 0x1p+900, ap_vec(1, 2, 3), &v), ap_vec(0, 0, 0), 0);
    const apart_shape point = apart_point(ap_vec(0, 0, 0)),
                      still = apart_affine(&point, (apart_mat3){{1e200, 0, 0}, {0, 1, 0}, {0, 0, 1}}, ap_vec(0, 0, 0));
    assert_near(core_support(&still, 0x1p+900, ap_vec(1, 2, 3), &v), ap_vec(0, 0, 0), 0);
}
END_TEST

START_TEST(bad_composites)
{
    const apart_mat3 unit = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const apart_vec3 o = {0, 0, 0};
    const apart_shape box = apart_box(ap_vec(1, 1, 1)), flat = apart_rectangle(1, 1), bad = apart_sphere(-1),
                      none = {0};
    const apart_shape half = apart_half_space(ap_vec(0, 0, 1), 0);
    const apart_shape *const refused[] = {NULL, &bad, &none, &half, &flat};
    const apart_status status[] = {APART_ERR_NULL, APART_ERR_NEGATIVE_SIZE, APART_ERR_SHAPE, APART_ERR_HALF_SPACE,
                                   APART_ERR_DIMENSION};
    for (int i = 0; i < 5; i++) {
        ASSERT_STATUS(apart_sum(refused[i], &box), status[i]);
        ASSERT_STATUS(apart_sum(&box, refused[i]), status[i]);
        ASSERT_STATUS(apart_hull_of_two(refused[i], &box), status[i]);
        ASSERT_STATUS(apart_hull_of_two(&box, refused[i]), status[i]);
        if (refused[i] != &flat) {
            ASSERT_STATUS(apart_affine(refused[i], unit, o), status[i]);
        }
    }
    /* Maps of the plane. */
    ASSERT_STATUS(apart_affine(&flat, unit, o), APART_OK);
    ASSERT_STATUS(apart_affine(&flat, (apart_mat3){{1, 2, 0}, {3, 4, 0}, {0, 0, 7}}, ap_vec(1, 2, 0)), APART_OK);
    ASSERT_STATUS(apart_affine(&flat, (apart_mat3){{1, 0, 1e-9}, {0, 1, 0}, {0, 0, 1}}, o), APART_ERR_DIMENSION);
    ASSERT_STATUS(apart_affine(&flat, (apart_mat3){{1, 0, 0}, {0, 1, 1}, {0, 0, 1}}, o), APART_ERR_DIMENSION);
    ASSERT_STATUS(apart_affine(&flat, (apart_mat3){{1, 0, 0}, {0, 1, 0}, {1, 0, 1}}, o), APART_ERR_DIMENSION);
    ASSERT_STATUS(apart_affine(&flat, unit, ap_vec(0, 0, 1)), APART_ERR_DIMENSION);
    ASSERT_STATUS(apart_affine(&box, (apart_mat3){{1, NAN, 0}, {0, 1, 0}, {0, 0, 1}}, o), APART_ERR_NONFINITE);
    ASSERT_STATUS(apart_affine(&box, unit, ap_vec(INFINITY, 0, 0)), APART_ERR_NONFINITE);
    const apart_shape huge = apart_box(ap_vec(1e300, 0, 0));
    ASSERT_STATUS(apart_affine(&huge, (apart_mat3){{1e300, 0, 0}, {0, 1, 0}, {0, 0, 1}}, o), APART_ERR_OVERFLOW);
    /* Nesting. */
    apart_shape chain[APART_MAX_NESTING + 2];
    chain[0] = box;
    for (int i = 1; i <= APART_MAX_NESTING; i++) {
        chain[i] = i % 2 ? apart_sum(&chain[i - 1], &box) : apart_affine(&chain[i - 1], unit, o);
        ck_assert_int_eq(apart_shape_check(&chain[i]), APART_OK);
        ck_assert_uint_eq(chain[i].nesting, (unsigned)i);
    }
    ASSERT_STATUS(apart_sum(&box, &chain[APART_MAX_NESTING]), APART_ERR_NESTING);
    ASSERT_STATUS(apart_hull_of_two(&chain[APART_MAX_NESTING], &box), APART_ERR_NESTING);
    ASSERT_STATUS(apart_affine(&chain[APART_MAX_NESTING], unit, o), APART_ERR_NESTING);
    chain[APART_MAX_NESTING + 1] = apart_sum(&box, &chain[APART_MAX_NESTING]);
    ASSERT_STATUS(apart_sum(&box, &chain[APART_MAX_NESTING + 1]), APART_ERR_NESTING);
    /* A child that goes bad later, and a shape that contains itself. */
    apart_shape child = box;
    apart_shape parent = apart_sum(&child, &box);
    child = bad;
    ck_assert_int_eq(apart_shape_check(&parent), APART_ERR_NEGATIVE_SIZE);
    parent.u.pair.first = &parent;
    ck_assert_int_eq(apart_shape_check(&parent), APART_ERR_SHAPE);
}
END_TEST

START_TEST(bad_callbacks)
{
    apart_callback c = ball_callback();
    c.support = NULL;
    ASSERT_STATUS(apart_callback_shape(c), APART_ERR_NULL);
    c = ball_callback(), c.radius = -1;
    ASSERT_STATUS(apart_callback_shape(c), APART_ERR_NEGATIVE_SIZE);
    c = ball_callback(), c.error = -1;
    ASSERT_STATUS(apart_callback_shape(c), APART_ERR_NEGATIVE_SIZE);
    c = ball_callback(), c.radius = NAN;
    ASSERT_STATUS(apart_callback_shape(c), APART_ERR_NONFINITE);
    c = ball_callback(), c.error = INFINITY;
    ASSERT_STATUS(apart_callback_shape(c), APART_ERR_NONFINITE);
    c = ball_callback(), c.center.x = NAN;
    ASSERT_STATUS(apart_callback_shape(c), APART_ERR_NONFINITE);
    ASSERT_STATUS(apart_callback_shape_2d(ball_callback()), APART_ERR_DIMENSION); /* its centre has a z */
    c = ball_callback(), c.error = 0.125;
    const apart_shape fuzzy = apart_callback_shape(c), box = apart_box(ap_vec(1, 1, 1));
    ck_assert_double_eq(fuzzy.error, 0.125);
    const apart_shape sum = apart_sum(&fuzzy, &fuzzy), both = apart_hull_of_two(&fuzzy, &box);
    const apart_shape image = apart_affine(&fuzzy, (apart_mat3){{2, 0, 0}, {0, -3, 0}, {0, 0, 1}}, ap_vec(0, 0, 0));
    ck_assert_double_eq_tol(sum.error, 0.25, 1e-14);
    ck_assert_double_eq_tol(both.error, 0.125, 1e-14);
    ck_assert_double_eq_tol(image.error, 0.375, 1e-13);
    c = ball_callback(), c.support = nan_support;
    const apart_shape broken = apart_callback_shape(c);
    ck_assert_int_eq(broken.status, APART_OK);
    apart_vec3 p = {1, 2, 3};
    ck_assert_int_eq(apart_support(&broken, ap_vec(1, 0, 0), &p), APART_ERR_CALLBACK);
    assert_near(p, ap_vec(1, 2, 3), 0);
    const apart_pose pose = apart_pose_identity();
    apart_aabb b;
    ck_assert_int_eq(apart_shape_aabb(&broken, &pose, &b), APART_ERR_CALLBACK);
    /* Far callbacks are seen from their centre, and no callback gets a zero direction. */
    static const apart_vec3 far_center = {1e8, 0, 0};
    const apart_shape far = apart_callback_shape((apart_callback){ball_support, &far_center, far_center, 1.0, 1e-8});
    assert_near(far.center, far_center, 0);
    uint32_t v;
    assert_near(core_support(&far, 1.0, ap_vec(1, 0, 0), &v), ap_vec(1, 0, 0), 1e-7);
    const apart_shape flattened = apart_affine(&far, (apart_mat3){{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}, ap_vec(0, 0, 0));
    ck_assert(ap_finite(support_of(&flattened, ap_vec(0, 1, 0))));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("composites");
    TCase *tcase = tcase_create("composites");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, vertices_equal_supports);
    tcase_add_test(tcase, curved_shapes_have_no_vertices);
    tcase_add_test(tcase, input_indices);
    tcase_add_test(tcase, composites_equal_hand_made_bodies);
    tcase_add_test(tcase, composites_of_far_children);
    tcase_add_test(tcase, centres_that_round);
    tcase_add_test(tcase, hulls_that_climb_badly);
    tcase_add_test(tcase, composite_bounds);
    tcase_add_test(tcase, composites_change_no_bit_with_scale);
    tcase_add_test(tcase, extreme_maps);
    tcase_add_test(tcase, bad_composites);
    tcase_add_test(tcase, bad_callbacks);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
