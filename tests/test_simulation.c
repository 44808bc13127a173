/* The simulation against theory: conservation, impacts, friction, rest, stacks, dominoes, fast bodies, bad input.
 * `test_simulation bits THREADS` prints a hash of all states of a small pile instead (simulation_bits.sh compares it
 * over compilers). */
#include <apart/apart.h>
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <simulation/simulation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "run_suite.h"

static const double pi = 3.14159265358979323846, gravity = 9.81;
static const apart_vec3 zero = {0, 0, 0};

static apart_vec3 vec(double x, double y, double z) { return (apart_vec3){x, y, z}; }

static apart_pose at(double x, double y, double z) { return apart_pose_translation(x, y, z); }

static apart_pose turned(double x, double y, double z, double w, double i, double j, double k)
{
    apart_pose pose;
    ck_assert_int_eq(apart_pose_from_quat_wxyz(w, i, j, k, vec(x, y, z), &pose), APART_OK);
    return pose;
}

/* Ends the program with a message; outside of tests too. */
static void require(const char *wrong)
{
    if (wrong != NULL) {
        fprintf(stderr, "%s\n", wrong);
        abort();
    }
}

/* A body of one shape; what is not said is a density of 1000. */
static uint32_t put(sim *s, apart_shape shape, sim_body_def def)
{
    const apart_part part = {shape, apart_pose_identity()};
    uint32_t body = 0;
    def.parts = &part;
    def.part_count = 1;
    def.density = def.density > 0.0 ? def.density : 1000.0;
    require(sim_add(s, &def, &body));
    return body;
}

static void pass(sim *s, double seconds)
{
    const int steps = (int)floor(seconds * 60.0 + 0.5);
    for (int i = 0; i < steps; i++) {
        const char *wrong = sim_step(s);
        ck_assert_msg(wrong == NULL, "%s", wrong);
    }
}

static sim_measures measure(const sim *s)
{
    sim_measures m;
    sim_measure(s, &m);
    return m;
}

static apart_vec3 place(const sim *s, uint32_t body)
{
    apart_pose pose;
    sim_pose(s, body, &pose);
    return pose.translation;
}

static sim *on_the_ground(double friction, double restitution)
{
    sim *s = sim_create(&(sim_options){.gravity = {0, 0, -gravity}});
    ck_assert_ptr_nonnull(s);
    put(s, apart_half_space(vec(0, 0, 1), 0.0),
        (sim_body_def){.pose = at(0, 0, 0), .fixed = true, .friction = friction, .restitution = restitution});
    return s;
}

/* ------------------------------------------------ mass */

static void expect_mass(const char *name, const apart_shape *shape, double volume, apart_vec3 center, apart_vec3 second,
                        double tolerance)
{
    const apart_part part = {*shape, apart_pose_identity()};
    sim_mass m;
    ck_assert_ptr_null(sim_mass_of(&part, 1, &m));
    ck_assert_msg(fabs(m.volume - volume) <= tolerance * volume, "%s: volume %.17g, expected %.17g", name, m.volume,
                  volume);
    ck_assert_msg(apart_vec3_distance(m.center, center) <= tolerance, "%s: centre (%g %g %g)", name, m.center.x,
                  m.center.y, m.center.z);
    const apart_vec3 diagonal = {m.second.x.x, m.second.y.y, m.second.z.z},
                     off = {m.second.x.y, m.second.y.z, m.second.z.x};
    ck_assert_msg(apart_vec3_distance(diagonal, second) <= tolerance * apart_vec3_norm(second),
                  "%s: second moments (%.12g %.12g %.12g), expected (%.12g %.12g %.12g)", name, diagonal.x, diagonal.y,
                  diagonal.z, second.x, second.y, second.z);
    ck_assert_msg(apart_vec3_norm(off) <= tolerance * apart_vec3_norm(second), "%s: products (%g %g %g)", name, off.x,
                  off.y, off.z);
}

START_TEST(masses)
{
    /* A box as a box, as a hull, and shifted; a tetrahedron by hand: volume 1/6, centre 1/4, second moments 1/60 -
     * 1/96. */
    static const double box[24] = {-1, -2, -3, 1, -2, -3, -1, 2, -3, 1, 2, -3, -1, -2, 3, 1, -2, 3, -1, 2, 3, 1, 2, 3};
    static const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    double moved[24];
    apart_hull *hull = NULL, *far = NULL, *tetrahedron = NULL;
    for (int i = 0; i < 24; i++) {
        moved[i] = box[i] + 5.0 * (i % 3);
    }
    ck_assert_int_eq(apart_hull_build(box, 8, NULL, &hull), APART_OK);
    ck_assert_int_eq(apart_hull_build(moved, 8, NULL, &far), APART_OK);
    ck_assert_int_eq(apart_hull_build(corner, 4, NULL, &tetrahedron), APART_OK);
    const apart_shape as_box = apart_box(vec(1, 2, 3)), as_hull = apart_hull_shape(hull),
                      as_far = apart_hull_shape(far);
    const apart_vec3 of_box = vec(16, 64, 144);
    expect_mass("box", &as_box, 48, zero, of_box, 1e-15);
    expect_mass("hull", &as_hull, 48, zero, of_box, 1e-14);
    expect_mass("moved hull", &as_far, 48, vec(0, 5, 10), of_box, 1e-13);
    const apart_shape as_tetrahedron = apart_hull_shape(tetrahedron);
    const apart_part part = {as_tetrahedron, apart_pose_identity()};
    sim_mass m;
    ck_assert_ptr_null(sim_mass_of(&part, 1, &m));
    ck_assert_double_eq_tol(m.volume, 1.0 / 6.0, 1e-16);
    ck_assert_double_eq_tol(m.center.x, 0.25, 1e-15);
    ck_assert_double_eq_tol(m.second.x.x, 1.0 / 60.0 - 1.0 / 96.0, 1e-16);
    ck_assert_double_eq_tol(m.second.x.y, 1.0 / 120.0 - 1.0 / 96.0, 1e-16);
    /* Round bodies: closed forms against the hull of many points, which is a little smaller. */
    const apart_shape sphere = apart_sphere(2), capsule = apart_capsule(1, 2), cylinder = apart_cylinder(1, 2),
                      cone = apart_cone(1, 2), egg = apart_ellipsoid(vec(1, 2, 3));
    const apart_shape shapes[] = {sphere, capsule, cylinder, cone, egg};
    for (size_t i = 0; i < 5; i++) {
        const apart_shape zero_sum = apart_point(zero),
                          sum = apart_sum(&shapes[i], &zero_sum); /* no closed form is known for sums */
        const apart_part known = {shapes[i], apart_pose_identity()}, sampled = {sum, apart_pose_identity()};
        sim_mass a, b;
        ck_assert_ptr_null(sim_mass_of(&known, 1, &a));
        ck_assert_ptr_null(sim_mass_of(&sampled, 1, &b));
        ck_assert_msg(b.volume < a.volume && b.volume > 0.985 * a.volume, "shape %zu: %g and %g", i, a.volume,
                      b.volume);
        ck_assert_double_le(apart_vec3_distance(a.center, b.center), 0.01);
        ck_assert_msg(b.second.x.x < a.second.x.x && b.second.x.x > 0.97 * a.second.x.x, "shape %zu: %g and %g", i,
                      a.second.x.x, b.second.x.x);
        ck_assert_msg(b.second.z.z < a.second.z.z && b.second.z.z > 0.97 * a.second.z.z, "shape %zu: %g and %g", i,
                      a.second.z.z, b.second.z.z);
    }
    /* Two half boxes are the box. */
    const apart_part halves[] = {{apart_box(vec(1, 2, 1.5)), at(0, 0, 1.5)},
                                 {apart_box(vec(1, 2, 1.5)), at(0, 0, -1.5)}};
    ck_assert_ptr_null(sim_mass_of(halves, 2, &m));
    ck_assert_double_eq_tol(m.volume, 48, 1e-13);
    ck_assert_double_eq_tol(m.second.z.z, 144, 1e-12);
    apart_hull_free(hull);
    apart_hull_free(far);
    apart_hull_free(tetrahedron);
}
END_TEST

/* ------------------------------------------------ free flight */

/* Two cuboids from random sides. Returns how far momentum, angular momentum and energy moved, relative to their
 * sizes. */
static void collide(uint64_t seed, double friction, double restitution, double drift[3], uint64_t *events)
{
    sim *s = sim_create(&(sim_options){.gravity = {0, 0, 0}});
    for (int k = 0; k < 2; k++) {
        const double side = k == 0 ? -1.0 : 1.0;
        const apart_vec3 e = random_vector(&seed, 0.2), w = random_vector(&seed, 3.0), v = random_vector(&seed, 0.2),
                         q = random_vector(&seed, 1.0);
        put(s, apart_box(vec(0.4 + e.x, 0.4 + e.y, 0.4 + e.z)),
            (sim_body_def){.pose = turned(1.2 * side, 0.3 * e.x, 0.3 * e.y, 1.1, q.x, q.y, q.z),
                           .velocity = vec(v.x - side, v.y, v.z),
                           .angular_velocity = w,
                           .friction = friction,
                           .restitution = restitution});
    }
    const sim_measures before = measure(s);
    const double momentum = 2.0 * sqrt(2.0 * before.kinetic * (sim_body_mass(s, 0) + sim_body_mass(s, 1)));
    drift[0] = drift[1] = drift[2] = 0.0;
    for (int i = 0; i < 180; i++) {
        ck_assert_ptr_null(sim_step(s));
        const sim_measures m = measure(s);
        drift[0] = fmax(drift[0], apart_vec3_distance(m.momentum, before.momentum) / momentum);
        drift[1] = fmax(drift[1], apart_vec3_distance(m.angular_momentum, before.angular_momentum) / momentum);
        drift[2] = fmax(drift[2], fabs(m.kinetic - before.kinetic) / before.kinetic);
        ck_assert_msg(m.kinetic <= before.kinetic * (1.0 + 1e-6), "friction %g, restitution %g: energy grew by %g",
                      friction, restitution, m.kinetic / before.kinetic - 1.0);
    }
    *events += measure(s).events;
    sim_free(s);
}

START_TEST(free_collisions)
{
    double worst[3] = {0, 0, 0};
    uint64_t events = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const double friction = seed % 3 == 0 ? 0.5 : 0.0, restitution = seed % 3 == 1 ? 0.3 : 1.0;
        double drift[3];
        collide(seed, friction, restitution, drift, &events);
        worst[0] = fmax(worst[0], drift[0]);
        worst[1] = fmax(worst[1], drift[1]);
        if (seed % 3 == 2) { /* elastic, without friction */
            worst[2] = fmax(worst[2], drift[2]);
        }
    }
    printf("free collisions: momentum %.1e, angular momentum %.1e, energy of elastic ones %.1e, %" PRIu64 " impacts\n",
           worst[0], worst[1], worst[2], events);
    ck_assert_uint_ge(events, 60);
    ck_assert_double_le(worst[0], 1e-12);
    ck_assert_double_le(worst[1], 1e-12);
    ck_assert_double_le(worst[2], 1e-6);
}
END_TEST

/* Inertia against closed forms: a box of a given mass, turned, and two cubes as one body. */
START_TEST(moments_of_inertia)
{
    const apart_pose pose = turned(1, 2, 3, 0.9, 0.1, -0.3, 0.2);
    for (int axis = 0; axis < 3; axis++) {
        const apart_vec3 own = vec(axis == 0, axis == 1, axis == 2), e = vec(0.5, 0.2, 0.3);
        const double expected[] = {10.0 / 3.0 * (e.y * e.y + e.z * e.z), 10.0 / 3.0 * (e.x * e.x + e.z * e.z),
                                   10.0 / 3.0 * (e.x * e.x + e.y * e.y)};
        sim *s = sim_create(&(sim_options){.gravity = {0, 0, 0}});
        put(s, apart_box(e),
            (sim_body_def){.pose = pose, .mass = 10.0, .angular_velocity = apart_pose_rotate(&pose, own)});
        const sim_measures m = measure(s);
        ck_assert_double_eq_tol(m.kinetic, 0.5 * expected[axis], 1e-14);
        const apart_vec3 spin = apart_pose_rotate_inverse(&pose, m.angular_momentum);
        ck_assert_double_le(apart_vec3_distance(spin,
                                                vec(own.x * expected[0], own.y * expected[1], own.z * expected[2])),
                            1e-14);
        sim_free(s);
    }
    /* Two cubes of 1000 kg at x = -1 and 1: parallel axes. */
    const apart_part cubes[] = {{apart_box(vec(0.5, 0.5, 0.5)), at(-1, 0, 0)},
                                {apart_box(vec(0.5, 0.5, 0.5)), at(1, 0, 0)}};
    sim *s = sim_create(&(sim_options){.gravity = {0, 0, 0}});
    const sim_body_def def = {.parts = cubes,
                              .part_count = 2,
                              .pose = at(0, 0, 0),
                              .density = 1000,
                              .angular_velocity = vec(0, 0, 1)};
    ck_assert_ptr_null(sim_add(s, &def, NULL));
    ck_assert_double_eq_tol(measure(s).angular_momentum.z, 2.0 * (1000.0 / 6.0 + 1000.0), 1e-10);
    sim_free(s);
}
END_TEST

/* The tennis-racket effect: a spin about the middle axis turns over again and again, and keeps energy and angular
 * momentum. */
START_TEST(free_rotation)
{
    sim *s = sim_create(&(sim_options){.gravity = {0, 0, 0}});
    const uint32_t body = put(s, apart_box(vec(0.5, 0.2, 0.3)),
                              (sim_body_def){.pose = at(0, 0, 0), .angular_velocity = vec(0.01, 0.01, 6.0)});
    const sim_measures before = measure(s);
    double lowest = 1.0;
    for (int i = 0; i < 1200; i++) {
        apart_pose pose;
        ck_assert_ptr_null(sim_step(s));
        sim_pose(s, body, &pose);
        lowest = fmin(lowest, pose.rotation.z.z);
    }
    const sim_measures after = measure(s);
    ck_assert_double_lt(lowest, -0.9);
    ck_assert_double_eq_tol(after.kinetic / before.kinetic, 1.0, 1e-8);
    ck_assert_double_le(apart_vec3_distance(after.angular_momentum, before.angular_momentum),
                        1e-12 * apart_vec3_norm(before.angular_momentum));
    sim_free(s);
}
END_TEST

/* The spin of a needle about its own axis follows from a tiny part of its angular momentum: the hardest case for a free
 * flight. */
START_TEST(needles_keep_their_energy)
{
    static const struct {
        double thickness, speed;
    } cases[] = {{1e-1, 1000.0}, {1e-2, 300.0}, {1e-3, 100.0}, {3e-4, 10.0}, {2e-4, 1.0}};
    for (int i = 0; i < 5; i++) {
        const double r = cases[i].thickness, w = cases[i].speed;
        sim *s = sim_create(&(sim_options){.gravity = {0, 0, 0}});
        put(s, apart_box(vec(r, 1.3 * r, 1.0)),
            (sim_body_def){.pose = turned(0, 0, 0, 0.5, 0.2, -0.3, 0.9), .angular_velocity = vec(w, 0.3 * w, 0.1 * w)});
        const sim_measures before = measure(s);
        pass(s, 0.1);
        const sim_measures after = measure(s);
        ck_assert_msg(fabs(after.kinetic / before.kinetic - 1.0) <= 1e-6,
                      "thickness %g, %g rad/s: energy changed by %g", r, w, after.kinetic / before.kinetic - 1.0);
        sim_free(s);
    }
}
END_TEST

/* Two long rods fall on each other. They need more times of impact than a sub-step may have: what is lost must give no
 * energy. */
START_TEST(no_energy_from_nothing)
{
    sim *s = on_the_ground(0.5, 0.0);
    put(s, apart_box(vec(5, 0.001, 0.001)),
        (sim_body_def){.pose = at(0, 0, 1.0), .angular_velocity = vec(0, 1, 0), .friction = 0.5});
    put(s, apart_box(vec(5, 0.001, 0.001)),
        (sim_body_def){.pose = at(0, 0, 1.5), .angular_velocity = vec(100, 0, 1), .friction = 0.5});
    const double before = measure(s).kinetic + measure(s).potential;
    for (int i = 0; i < 80; i++) {
        pass(s, 1.0 / 60.0);
        const sim_measures m = measure(s);
        ck_assert_msg(m.kinetic + m.potential <= before * (1.0 + 1e-6), "step %d: the energy grew from %g to %g", i,
                      before, m.kinetic + m.potential);
    }
    ck_assert_double_gt(measure(s).lost, 0.0);
    sim_free(s);
}
END_TEST

/* ------------------------------------------------ impacts and friction against theory */

START_TEST(plastic_and_bouncing)
{
    /* Head on without bounce: one common velocity, and the energy that theory leaves. */
    sim *s = sim_create(&(sim_options){.gravity = {0, 0, 0}});
    const uint32_t a = put(s, apart_box(vec(0.5, 0.5, 0.5)),
                           (sim_body_def){.pose = at(-1.5, 0, 0), .velocity = vec(3, 0, 0)}),
                   b = put(s, apart_box(vec(0.5, 0.5, 1.0)),
                           (sim_body_def){.pose = at(1.5, 0, 0), .velocity = vec(-1, 0, 0)});
    pass(s, 2.0);
    apart_vec3 va, vb, w;
    sim_velocity(s, a, &va, &w);
    sim_velocity(s, b, &vb, &w);
    ck_assert_double_eq_tol(va.x, (1000.0 * 3.0 - 2000.0 * 1.0) / 3000.0, 1e-9);
    ck_assert_double_eq_tol(vb.x, va.x, 1e-9);
    sim_free(s);
    /* A ball falls by 1 and rises by e^2. */
    static const double restitution[] = {1.0, 0.8, 0.5, 0.0};
    for (int i = 0; i < 4; i++) {
        s = on_the_ground(0.0, 0.0);
        const uint32_t ball =
            put(s, apart_sphere(0.1), (sim_body_def){.pose = at(0, 0, 1.1), .restitution = restitution[i]});
        double highest = 0.0, before = 1.1;
        bool up = false;
        for (int k = 0; k < 120; k++) {
            pass(s, 1.0 / 60.0);
            const double z = place(s, ball).z;
            up = up || z > before + 1e-9;
            highest = up ? fmax(highest, z - 0.1) : highest;
            before = z;
        }
        const double expected = restitution[i] * restitution[i];
        ck_assert_msg(fabs(highest - expected) <= 0.01 * expected + 2e-4, "restitution %g: rises to %g", restitution[i],
                      highest);
        sim_free(s);
    }
}
END_TEST

START_TEST(sliding)
{
    static const struct {
        double friction, speed;
    } cases[] = {{0.3, 4.0}, {0.5, 3.0}, {0.1, 2.0}, {0.8, 5.0}};
    for (int i = 0; i < 4; i++) {
        sim *s = on_the_ground(cases[i].friction, 0.0);
        const uint32_t block = put(s, apart_box(vec(0.3, 0.3, 0.1)),
                                   (sim_body_def){.pose = at(0, 0, 0.1001),
                                                  .velocity = vec(cases[i].speed, 0, 0),
                                                  .friction = cases[i].friction});
        pass(s, 1.2 * cases[i].speed / (cases[i].friction * gravity) + 0.5);
        const double path = cases[i].speed * cases[i].speed / (2.0 * cases[i].friction * gravity);
        const apart_vec3 p = place(s, block);
        ck_assert_msg(fabs(p.x - path) <= 0.01 * path, "friction %g: slides %g, expected %g", cases[i].friction, p.x,
                      path);
        ck_assert_double_le(fabs(p.y), 1e-6);
        ck_assert_double_le(measure(s).fastest, 1e-6);
        sim_free(s);
    }
}
END_TEST

/* A slope is a half-space with a tilted normal. Below the friction angle nothing moves, above it theory gives the
 * speed. */
START_TEST(slopes)
{
    for (int degrees = 10; degrees <= 40; degrees += 10) {
        const double angle = degrees * pi / 180.0, friction = 0.5;
        sim *s = sim_create(&(sim_options){.gravity = {0, 0, -gravity}});
        put(s, apart_half_space(vec(sin(angle), 0, cos(angle)), 0.0),
            (sim_body_def){.pose = at(0, 0, 0), .fixed = true, .friction = friction});
        apart_pose pose;
        apart_pose_from_quat_wxyz(cos(angle / 2), 0, sin(angle / 2), 0, zero, &pose);
        pose.translation = vec(0.1001 * sin(angle), 0, 0.1001 * cos(angle));
        const uint32_t block =
            put(s, apart_box(vec(0.3, 0.2, 0.1)), (sim_body_def){.pose = pose, .friction = friction});
        pass(s, 2.0);
        const double went = apart_vec3_distance(place(s, block), pose.translation),
                     a = gravity * (sin(angle) - friction * cos(angle));
        if (a < 0.0) {
            ck_assert_msg(went <= 1e-5, "%d degrees: slides by %g", degrees, went);
            ck_assert_double_le(measure(s).fastest, 1e-6);
        } else {
            ck_assert_msg(fabs(went - 2.0 * a) <= 0.01 * 2.0 * a, "%d degrees: slides by %g, expected %g", degrees,
                          went, 2.0 * a);
        }
        sim_free(s);
    }
}
END_TEST

/* A ball pushed along the floor slides first and then rolls with 5/7 of its speed, whatever the friction. */
START_TEST(rolling)
{
    sim *s = on_the_ground(0.4, 0.0);
    const uint32_t ball = put(s, apart_sphere(0.2),
                              (sim_body_def){.pose = at(0, 0, 0.2002), .velocity = vec(3.5, 0, 0), .friction = 0.4});
    pass(s, 2.0);
    apart_vec3 v, w;
    sim_velocity(s, ball, &v, &w);
    ck_assert_double_eq_tol(v.x, 2.5, 0.01);
    ck_assert_double_eq_tol(w.y * 0.2, v.x, 0.01);
    sim_free(s);
}
END_TEST

/* ------------------------------------------------ rest */

static void assert_rest(const sim *s, const char *name)
{
    const sim_measures m = measure(s);
    ck_assert_msg(m.fastest < 1e-6, "%s: moves with %g", name, m.fastest);
}

START_TEST(bodies_at_rest)
{
    const apart_shape shapes[] = {apart_box(vec(0.3, 0.2, 0.1)), apart_cylinder(0.2, 0.1), apart_cone(0.2, 0.2),
                                  apart_sphere(0.1), apart_rounded(apart_box(vec(0.2, 0.2, 0.05)), 0.05)};
    const double height[] = {0.1, 0.1, 0.2, 0.1, 0.1};
    for (int i = 0; i < 5; i++) {
        sim *s = on_the_ground(0.5, 0.3);
        const uint32_t body =
            put(s, shapes[i], (sim_body_def){.pose = at(0, 0, height[i] + 0.01), .friction = 0.5, .restitution = 0.3});
        pass(s, 3.0);
        const apart_vec3 first = place(s, body);
        assert_rest(s, apart_shape_name(&shapes[i]));
        double fastest = 0.0;
        for (int k = 0; k < 600; k++) {
            pass(s, 1.0 / 60.0);
            fastest = fmax(fastest, measure(s).fastest);
        }
        const apart_vec3 last = place(s, body);
        ck_assert_msg(fastest < 1e-6, "%s: trembles with %g", apart_shape_name(&shapes[i]), fastest);
        ck_assert_msg(apart_vec3_distance(last, first) < 1e-9, "%s: drifts by %g in 10 s", apart_shape_name(&shapes[i]),
                      apart_vec3_distance(last, first));
        ck_assert_double_ge(last.z, height[i]); /* on its skin */
        ck_assert_double_le(last.z, 1.0011 * height[i]);
        sim_free(s);
    }
}
END_TEST

START_TEST(a_stack_of_ten_stands)
{
    sim *s = on_the_ground(0.5, 0.0);
    uint32_t box[10];
    for (int i = 0; i < 10; i++) {
        box[i] = put(s, apart_box(vec(0.25, 0.25, 0.25)),
                     (sim_body_def){.pose = at(0, 0, 0.251 + 0.501 * i), .friction = 0.5});
    }
    pass(s, 20.0);
    for (int i = 0; i < 10; i++) {
        const apart_vec3 p = place(s, box[i]);
        ck_assert_msg(hypot(p.x, p.y) < 1e-3 && fabs(p.z - 0.25 - 0.5 * i) < 5e-3, "box %d is at (%g %g %g)", i, p.x,
                      p.y, p.z);
    }
    assert_rest(s, "stack");
    sim_free(s);
}
END_TEST

/* Steps of 10 s, and more sub-steps in one than in the next: the impulses of a longer sub-step are larger, and must not
 * lift anything. */
START_TEST(long_steps)
{
    sim *s = sim_create(&(sim_options){.gravity = {0, 0, -gravity}, .step = 10.0, .substeps = 1});
    put(s, apart_half_space(vec(0, 0, 1), 0.0), (sim_body_def){.pose = at(0, 0, 0), .fixed = true, .friction = 0.5});
    for (int i = 0; i < 3; i++) {
        put(s, apart_box(vec(0.2, 0.2, 0.2)), (sim_body_def){.pose = at(0, 0, 0.2002 + 0.4004 * i), .friction = 0.5});
    }
    const double before = measure(s).potential;
    for (int i = 0; i < 100; i++) {
        ck_assert_ptr_null(sim_step(s));
        const sim_measures m = measure(s);
        ck_assert_msg(m.kinetic + m.potential <= 1.01 * before, "step %d: the energy grew from %g to %g", i, before,
                      m.kinetic + m.potential);
    }
    ck_assert_double_ge(measure(s).potential, 0.99 * before);
    sim_free(s);
}
END_TEST

/* A thousand times its own weight on a box. */
START_TEST(heavy_on_light)
{
    sim *s = on_the_ground(0.5, 0.0);
    put(s, apart_box(vec(0.2, 0.2, 0.2)), (sim_body_def){.pose = at(0, 0, 0.2002), .mass = 1.0, .friction = 0.5});
    put(s, apart_box(vec(0.2, 0.2, 0.2)), (sim_body_def){.pose = at(0, 0, 0.6006), .mass = 1000.0, .friction = 0.5});
    pass(s, 3.0);
    assert_rest(s, "heavy on light");
    ck_assert_double_le(measure(s).deepest, 0.0);
    sim_free(s);
}
END_TEST

START_TEST(dominoes_fall_in_order)
{
    enum { DOMINOES = 12 };
    sim *s = on_the_ground(0.5, 0.0);
    uint32_t domino[DOMINOES];
    int fallen[DOMINOES], next = 0;
    for (int i = 0; i < DOMINOES; i++) {
        domino[i] = put(s, apart_box(vec(0.02, 0.1, 0.2)),
                        (sim_body_def){.pose = at(0.18 * i, 0, 0.2001),
                                       .friction = 0.5,
                                       .velocity = i == 0 ? vec(0.3, 0, 0) : zero,
                                       .angular_velocity = i == 0 ? vec(0, 1.5, 0) : zero});
        fallen[i] = 0;
    }
    for (int step = 1; step <= 240; step++) {
        pass(s, 1.0 / 60.0);
        for (int i = 0; i < DOMINOES; i++) {
            apart_pose pose;
            sim_pose(s, domino[i], &pose);
            if (fallen[i] == 0 && pose.rotation.z.z < 0.9) { /* leans by more than 25 degrees */
                ck_assert_msg(i == next, "domino %d falls before domino %d", i, next);
                fallen[i] = step;
                next++;
            }
        }
    }
    ck_assert_int_eq(next, DOMINOES);
    assert_rest(s, "dominoes");
    sim_free(s);
}
END_TEST

/* ------------------------------------------------ fast bodies */

/* 1000 m/s against a plate of 1 mm that is fixed, in steps of 1/60 s and at many angles: never behind it. */
START_TEST(nothing_tunnels)
{
    uint64_t seed = random_seed("nothing tunnels");
    for (int i = 0; i < 40; i++) {
        const apart_shape bullets[] = {apart_sphere(0.005), apart_box(vec(0.004, 0.003, 0.002)),
                                       apart_capsule(0.003, 0.005)};
        sim *s = sim_create(&(sim_options){.gravity = {0, 0, -gravity}});
        const apart_vec3 q = random_vector(&seed, 0.3), aim = random_vector(&seed, 0.2),
                         spin = random_vector(&seed, 500.0);
        const apart_pose pose = turned(0, 0, 0, 1.0, q.x, q.y, q.z);
        put(s, apart_box(vec(0.0005, 1.0, 1.0)), (sim_body_def){.pose = pose, .fixed = true, .friction = 0.2});
        const double start = 3.0 + 2.0 * random_unit(&seed);
        const uint32_t bullet = put(s, bullets[i % 3],
                                    (sim_body_def){.pose = at(-start, aim.y, aim.z),
                                                   .velocity = vec(1000, 0, 0),
                                                   .angular_velocity = spin,
                                                   .density = 8000,
                                                   .friction = 0.2,
                                                   .restitution = 0.25 * (i % 4)});
        for (int k = 0; k < 10; k++) {
            pass(s, 1.0 / 60.0);
            const apart_vec3 p = apart_pose_apply_inverse(&pose, place(s, bullet));
            ck_assert_msg(p.x < 0.0 || fabs(p.y) > 1.0 || fabs(p.z) > 1.0, "bullet %d is behind the plate: (%g %g %g)",
                          i, p.x, p.y, p.z);
            ck_assert_double_le(measure(s).deepest, 4e-4);
        }
        ck_assert_uint_ge(measure(s).events, 1);
        sim_free(s);
    }
}
END_TEST

/* ------------------------------------------------ bad input */

START_TEST(bad_bodies)
{
    sim *s = sim_create(&(sim_options){.gravity = {0, 0, -gravity}});
    const apart_part box = {apart_box(vec(1, 1, 1)), apart_pose_identity()},
                     plate = {apart_box(vec(1, 1, 0)), apart_pose_identity()},
                     plane = {apart_half_space(vec(0, 0, 1), 0), apart_pose_identity()},
                     bad = {apart_sphere(-1), apart_pose_identity()},
                     planar = {apart_rectangle(1, 1), apart_pose_identity()};
    const sim_body_def good = {.parts = &box, .part_count = 1, .pose = apart_pose_identity(), .density = 1.0};
    sim_body_def def = good;
    def.density = 0.0;
    ck_assert_str_eq(sim_add(s, &def, NULL), "a body that moves needs a mass or density above 0");
    def.mass = -1.0;
    ck_assert_ptr_nonnull(sim_add(s, &def, NULL));
    def = good;
    def.parts = &plate;
    ck_assert_str_eq(sim_add(s, &def, NULL), "a body that moves needs a volume: this one is flat");
    def.mass = 1.0;
    ck_assert_ptr_nonnull(sim_add(s, &def, NULL));
    def = good;
    def.velocity.x = NAN;
    ck_assert_ptr_nonnull(sim_add(s, &def, NULL));
    def = good;
    def.angular_velocity.z = INFINITY;
    ck_assert_ptr_nonnull(sim_add(s, &def, NULL));
    def = good;
    def.restitution = 1.5;
    ck_assert_ptr_nonnull(sim_add(s, &def, NULL));
    def = good;
    def.parts = &plane;
    ck_assert_ptr_nonnull(sim_add(s, &def, NULL));
    def.parts = &bad;
    ck_assert_ptr_nonnull(sim_add(s, &def, NULL));
    def.parts = &planar;
    ck_assert_ptr_nonnull(sim_add(s, &def, NULL));
    def = good;
    def.pose.rotation.x.x = 2.0;
    ck_assert_ptr_nonnull(sim_add(s, &def, NULL));
    const apart_part needle = {apart_box(vec(1, 1e-5, 1e-5)), apart_pose_identity()};
    def = good;
    def.parts = &needle;
    ck_assert_str_eq(sim_add(s, &def, NULL), "it is as thin as a needle: its spin would be lost in rounding");
    ck_assert_uint_eq(sim_count(s), 0);
    ck_assert_ptr_null(sim_step(s)); /* an empty world is fine */
    def = good;
    def.velocity.x = 1e200; /* its square is infinite */
    ck_assert_ptr_null(sim_add(s, &def, NULL));
    ck_assert_str_eq(sim_step(s), "a velocity is beyond the range of numbers");
    sim_free(s);
}
END_TEST

/* Boxes in one spot part without an explosion, and come to rest. */
START_TEST(deep_overlap_parts_gently)
{
    sim *s = on_the_ground(0.5, 0.0);
    for (int i = 0; i < 4; i++) {
        put(s, apart_box(vec(0.2, 0.2, 0.2)),
            (sim_body_def){.pose = at(0.05 * i, 0.03 * i, 0.1 + 0.01 * i), .friction = 0.5});
    }
    double fastest = 0.0;
    for (int i = 0; i < 300; i++) {
        pass(s, 1.0 / 60.0);
        const sim_measures m = measure(s);
        ck_assert(isfinite(m.kinetic) && isfinite(m.potential));
        fastest = fmax(fastest, m.fastest);
    }
    ck_assert_double_lt(fastest, 8.0);
    ck_assert_double_lt(measure(s).deepest, 1e-3);
    sim_free(s);
    /* Spheres with one centre: every direction out is as short. */
    s = on_the_ground(0.5, 0.0);
    for (int i = 0; i < 30; i++) {
        put(s, apart_sphere(0.1), (sim_body_def){.pose = at(0, 0, 1), .friction = 0.5});
    }
    const double before = measure(s).potential;
    double most = 0.0;
    for (int i = 0; i < 60; i++) {
        pass(s, 1.0 / 60.0);
        const sim_measures m = measure(s);
        most = fmax(most, m.kinetic + m.potential);
    }
    ck_assert_msg(most <= 1.01 * before, "the energy grew from %g to %g", before, most);
    sim_free(s);
}
END_TEST

/* Bodies of several parts, filters and disabled pairs. */
START_TEST(compounds_and_filters)
{
    sim *s = on_the_ground(0.5, 0.0);
    const apart_part stool[] = {{apart_box(vec(0.3, 0.3, 0.03)), at(0, 0, 0.4)},
                                {apart_cylinder(0.03, 0.2), at(0.2, 0.2, 0.2)},
                                {apart_cylinder(0.03, 0.2), at(-0.2, 0.2, 0.2)},
                                {apart_cylinder(0.03, 0.2), at(0.0, -0.2, 0.2)}};
    uint32_t body, ghost;
    const sim_body_def def = {.parts = stool, .part_count = 4, .pose = at(0, 0, 0.01), .density = 500, .friction = 0.5};
    ck_assert_ptr_null(sim_add(s, &def, &body));
    ghost = put(s, apart_box(vec(0.1, 0.1, 0.1)), (sim_body_def){.pose = at(0, 0, 2), .friction = 0.5});
    ck_assert_ptr_null(sim_disable_pair(s, body, ghost));
    pass(s, 3.0);
    ck_assert_double_eq_tol(place(s, body).z, 0.0, 1e-3);
    ck_assert_double_eq_tol(place(s, ghost).z, 0.1, 1e-3); /* fell through the seat, not through the floor */
    assert_rest(s, "stool");
    sim_free(s);
    /* A fast ball flies through a plate that it has nothing to do with. */
    s = sim_create(&(sim_options){.gravity = {0, 0, 0}});
    const uint32_t plate = put(s, apart_box(vec(0.001, 1, 1)), (sim_body_def){.pose = at(1, 0, 0), .fixed = true}),
                   ball = put(s, apart_sphere(0.01), (sim_body_def){.pose = at(0, 0, 0), .velocity = vec(500, 0, 0)});
    ck_assert_ptr_null(sim_disable_pair(s, plate, ball));
    pass(s, 1.0 / 60.0);
    ck_assert_double_eq_tol(place(s, ball).x, 500.0 / 60.0, 1e-9);
    sim_free(s);
}
END_TEST

/* ------------------------------------------------ bits */

/* A pile of hulls, round bodies and a bouncing ball; the hash of every state. */
static uint64_t bits_of_a_pile(uint32_t threads)
{
    uint64_t seed = 5, hash = 1469598103934665603u;
    apart_hull *hulls[8];
    sim *s = sim_create(&(sim_options){.gravity = {0, 0, -gravity}, .threads = threads});
    put(s, apart_half_space(vec(0, 0, 1), 0.0), (sim_body_def){.pose = at(0, 0, 0), .fixed = true, .friction = 0.5});
    for (int i = 0; i < 8; i++) {
        double xyz[36];
        for (int k = 0; k < 36; k++) {
            xyz[k] = 0.2 * random_signed(&seed);
        }
        hulls[i] = NULL;
        require(apart_hull_build(xyz, 12, NULL, &hulls[i]) == APART_OK ? NULL : "no hull");
    }
    for (int i = 0; i < 40; i++) {
        const apart_shape shape = i % 5 == 0   ? apart_cylinder(0.1, 0.15)
                                  : i % 5 == 1 ? apart_capsule(0.08, 0.1)
                                               : apart_hull_shape(hulls[i % 8]);
        const apart_vec3 w = random_vector(&seed, 2.0);
        put(s, shape,
            (sim_body_def){.pose = at(0.4 * (i % 3), 0.4 * (i / 3 % 3), 0.5 + 0.45 * (i / 9)),
                           .angular_velocity = w,
                           .friction = 0.5,
                           .restitution = i % 7 == 0 ? 0.5 : 0.0});
    }
    for (int step = 0; step < 90; step++) {
        require(sim_step(s));
        for (uint32_t i = 0; i < sim_count(s); i++) {
            apart_vec3 state[6];
            apart_pose pose;
            sim_pose(s, i, &pose);
            memcpy(state, &pose, sizeof pose);
            sim_velocity(s, i, &state[4], &state[5]);
            unsigned char bytes[sizeof state];
            for (int k = 0; k < 6; k++) { /* the sign of zero does not count */
                state[k] = vec(state[k].x + 0.0, state[k].y + 0.0, state[k].z + 0.0);
            }
            memcpy(bytes, state, sizeof bytes);
            for (size_t k = 0; k < sizeof bytes; k++) {
                hash = (hash ^ bytes[k]) * 1099511628211u;
            }
        }
    }
    sim_free(s);
    for (int i = 0; i < 8; i++) {
        apart_hull_free(hulls[i]);
    }
    return hash;
}

START_TEST(threads_do_not_matter)
{
    const uint64_t alone = bits_of_a_pile(1);
    ck_assert_uint_eq(bits_of_a_pile(2), alone);
    ck_assert_uint_eq(bits_of_a_pile(5), alone);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "bits") == 0) {
        printf("%016" PRIx64 "\n", bits_of_a_pile((uint32_t)strtoul(argv[2], NULL, 10)));
        return EXIT_SUCCESS;
    }
    Suite *suite = suite_create("simulation");
    TCase *t = tcase_create("simulation");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, masses);
    tcase_add_test(t, free_collisions);
    tcase_add_test(t, moments_of_inertia);
    tcase_add_test(t, free_rotation);
    tcase_add_test(t, needles_keep_their_energy);
    tcase_add_test(t, no_energy_from_nothing);
    tcase_add_test(t, plastic_and_bouncing);
    tcase_add_test(t, sliding);
    tcase_add_test(t, slopes);
    tcase_add_test(t, rolling);
    tcase_add_test(t, bodies_at_rest);
    tcase_add_test(t, a_stack_of_ten_stands);
    tcase_add_test(t, long_steps);
    tcase_add_test(t, heavy_on_light);
    tcase_add_test(t, dominoes_fall_in_order);
    tcase_add_test(t, nothing_tunnels);
    tcase_add_test(t, bad_bodies);
    tcase_add_test(t, deep_overlap_parts_gently);
    tcase_add_test(t, compounds_and_filters);
    tcase_add_test(t, threads_do_not_matter);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
