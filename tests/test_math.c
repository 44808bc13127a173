/* Poses against hand-computed values, bad input, and error-free arithmetic against exact rationals. */
#include <apart/math.h>
#include <apart/motion.h>
#include <check.h>
#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/eft.h"
#include "random.h"
#include "run_suite.h"

static const double pi = 3.14159265358979323846;

static void assert_near(apart_vec3 a, double x, double y, double z, double tolerance)
{
    ck_assert_double_le(fabs(a.x - x), tolerance);
    ck_assert_double_le(fabs(a.y - y), tolerance);
    ck_assert_double_le(fabs(a.z - z), tolerance);
}

static void assert_rotation_near(const apart_pose *a, const apart_pose *b, double tolerance)
{
    assert_near(a->rotation.x, b->rotation.x.x, b->rotation.x.y, b->rotation.x.z, tolerance);
    assert_near(a->rotation.y, b->rotation.y.x, b->rotation.y.y, b->rotation.y.z, tolerance);
    assert_near(a->rotation.z, b->rotation.z.x, b->rotation.z.y, b->rotation.z.z, tolerance);
}

static apart_pose random_pose(uint64_t *seed)
{
    apart_pose pose;
    const apart_vec3 t = random_vector(seed, 10.0);
    const double w = random_signed(seed), x = random_signed(seed), y = random_signed(seed), z = random_signed(seed);
    ck_assert_int_eq(apart_pose_from_quat_wxyz(w, x, y, z, t, &pose), APART_OK);
    return pose;
}

START_TEST(status_texts)
{
    for (int i = APART_OK; i <= APART_ERR_SYNTAX; i++) {
        const char *name = apart_status_name((apart_status)i), *message = apart_status_message((apart_status)i);
        ck_assert_int_eq(strncmp(name, "APART_", 6), 0);
        ck_assert_int_eq(message[strlen(message) - 1], '.');
        for (int j = 0; j < i; j++) {
            ck_assert_str_ne(name, apart_status_name((apart_status)j));
            ck_assert_str_ne(message, apart_status_message((apart_status)j));
        }
    }
    ck_assert_str_eq(apart_status_name(APART_ERR_NULL), "APART_ERR_NULL");
    ck_assert_str_eq(apart_status_name((apart_status)1000), "?");
    ck_assert_str_eq(apart_status_name((apart_status)-1), "?");
    ck_assert_ptr_nonnull(apart_status_message((apart_status)1000));
    ck_assert_str_eq(apart_version(), APART_VERSION_STRING);
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", APART_VERSION_MAJOR, APART_VERSION_MINOR, APART_VERSION_PATCH);
    ck_assert_str_eq(apart_version(), expected);
}
END_TEST

START_TEST(power_of_two_scale)
{
    ck_assert_double_eq(ap_power_of_two_scale(0.0), 1.0);
    ck_assert_double_eq(ap_power_of_two_scale(1.0), 1.0);
    ck_assert_double_eq(ap_power_of_two_scale(3.9), 0.5);
    ck_assert_double_eq(ap_power_of_two_scale(0.25), 4.0);
    for (int e = -1023; e <= 1022; e++) {
        const double x = ldexp(1.0, e), s = ap_power_of_two_scale(x);
        ck_assert_double_eq(s * x, 1.0);
        if (e >= -1022) {
            const double top = nextafter(2.0 * x, 0.0);
            ck_assert_double_eq(ap_power_of_two_scale(top), s);
        }
    }
    /* Beyond the ends the scale stays a normal number. */
    ck_assert_double_eq(ap_power_of_two_scale(DBL_MAX), DBL_MIN);
    ck_assert_double_eq(ap_power_of_two_scale(DBL_TRUE_MIN), ldexp(1.0, 1023));
}
END_TEST

START_TEST(norm)
{
    ck_assert_double_eq(ap_norm(ap_vec(0, 0, 0)), 0.0);
    ck_assert_double_eq(ap_norm(ap_vec(3, 4, 12)), 13.0);
    ck_assert_double_eq(ap_norm(ap_vec(-3, 4, -12)), 13.0);
    /* Bit for bit the same at every scale. */
    uint64_t seed = random_seed("norm");
    for (int i = 0; i < 2000; i++) {
        const apart_vec3 a = random_vector(&seed, 1.0);
        const double n = ap_norm(a);
        for (int e = -900; e <= 900; e += 150) {
            ck_assert_double_eq(ap_norm(ap_scale(ldexp(1.0, e), a)), ldexp(n, e));
        }
    }
    ck_assert_double_eq(ap_norm(ap_vec(0, DBL_TRUE_MIN, 0)), DBL_TRUE_MIN);
    ck_assert_double_eq(ap_norm(ap_vec(0, 0, -DBL_MAX)), DBL_MAX);
    ck_assert(isinf(ap_norm(ap_vec(DBL_MAX, DBL_MAX, 0))));
}
END_TEST

static void assert_vector(apart_vec3 v, double x, double y, double z)
{
    ck_assert_double_eq(v.x, x);
    ck_assert_double_eq(v.y, y);
    ck_assert_double_eq(v.z, z);
}

START_TEST(public_vectors)
{
    const apart_vec3 a = {1, 2, 3}, b = {-4, 5, 6};
    assert_vector(apart_vec3_add(a, b), -3, 7, 9);
    assert_vector(apart_vec3_sub(a, b), 5, -3, -3);
    assert_vector(apart_vec3_neg(b), 4, -5, -6);
    assert_vector(apart_vec3_scale(-2, a), -2, -4, -6);
    assert_vector(apart_vec3_add_scaled(a, 3, b), -11, 17, 21);
    ck_assert_double_eq(apart_vec3_dot(a, b), 24.0);
    assert_vector(apart_vec3_cross(a, b), -3, -18, 13);
    assert_vector(apart_vec3_cross(b, a), 3, 18, -13);
    ck_assert_double_eq(apart_vec3_norm((apart_vec3){-3, 4, -12}), 13.0);
    ck_assert_double_eq(apart_vec3_distance((apart_vec3){1, 2, 3}, (apart_vec3){-2, 6, -9}), 13.0);
    assert_vector(apart_vec3_lerp(a, b, 0.25), -0.25, 2.75, 3.75);
    assert_vector(apart_vec3_lerp(a, b, 2), -9, 8, 9);
    /* The ends are met exactly, which a + t (b - a) does not do. */
    const apart_vec3 p = {0.1, 1e17, -3e-9}, q = {0.7, -1.3, 1e5};
    assert_vector(apart_vec3_lerp(p, q, 0), p.x, p.y, p.z);
    assert_vector(apart_vec3_lerp(p, q, 1), q.x, q.y, q.z);
}
END_TEST

START_TEST(public_norm_at_every_scale)
{
    ck_assert_double_eq(apart_vec3_norm((apart_vec3){0, 0, 0}), 0.0);
    uint64_t seed = random_seed("public_norm_at_every_scale");
    for (int i = 0; i < 2000; i++) {
        const apart_vec3 v = random_vector(&seed, 1.0);
        const double length = apart_vec3_norm(v);
        ck_assert_double_eq(length, sqrt(apart_vec3_dot(v, v)));
        for (int e = -960; e <= 960; e += 30) {
            ck_assert_double_eq(apart_vec3_norm(apart_vec3_scale(ldexp(1.0, e), v)), ldexp(length, e));
        }
    }
    ck_assert_double_eq(apart_vec3_norm((apart_vec3){0, DBL_TRUE_MIN, 0}), DBL_TRUE_MIN);
    ck_assert_double_eq(apart_vec3_norm((apart_vec3){0, 0, -DBL_MAX}), DBL_MAX);
    ck_assert(isinf(apart_vec3_norm((apart_vec3){DBL_MAX, DBL_MAX, 0})));
    ck_assert(isinf(apart_vec3_norm((apart_vec3){0, -INFINITY, 1})));
    ck_assert(isnan(apart_vec3_norm((apart_vec3){1, NAN, 1})));
    ck_assert_double_eq(apart_vec3_distance((apart_vec3){1e200, 0, 0}, (apart_vec3){-1e200, 0, 0}), 2e200);
}
END_TEST

START_TEST(rotation_defect)
{
    apart_mat3 m = apart_pose_identity().rotation;
    ck_assert_double_eq(ap_rotation_defect(&m), 0.0);
    m.x.x = -1.0; /* mirror */
    ck_assert(isinf(ap_rotation_defect(&m)));
    m = (apart_mat3){{1, 0.25, 0}, {0, 1, 0}, {0, 0, 1}}; /* shear: xx = 1 + 1/16, xy = 1/4 */
    ck_assert_double_eq(ap_rotation_defect(&m), 0.25);
    m = (apart_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 2}};
    ck_assert_double_eq(ap_rotation_defect(&m), 3.0);
    /* A matrix with an entry that is not finite has an infinite defect. */
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 27; i++) {
        m = apart_pose_identity().rotation;
        double *entries[] = {&m.x.x, &m.x.y, &m.x.z, &m.y.x, &m.y.y, &m.y.z, &m.z.x, &m.z.y, &m.z.z};
        *entries[i / 3] = bad[i % 3];
        ck_assert(isinf(ap_rotation_defect(&m)));
    }
    m = (apart_mat3){{INFINITY, INFINITY, 0.1}, {0.5, -0.5, 0.3}, {0.1, -0.1, -1}};
    ck_assert(isinf(ap_rotation_defect(&m)));
}
END_TEST

START_TEST(pose_constructors)
{
    const apart_vec3 t = {1, 2, 3};
    apart_pose a = apart_pose_identity(), b;
    assert_near(apart_pose_apply(&a, ap_vec(4, 5, 6)), 4, 5, 6, 0);
    a = apart_pose_translation(1, 2, 3);
    assert_near(apart_pose_apply(&a, ap_vec(4, 5, 6)), 5, 7, 9, 0);

    /* A quarter turn about z is exact from an unnormalised quaternion: x -> y, y -> -x. */
    ck_assert_int_eq(apart_pose_from_quat_wxyz(1, 0, 0, 1, t, &a), APART_OK);
    assert_near(apart_pose_rotate(&a, ap_vec(1, 0, 0)), 0, 1, 0, 0);
    assert_near(apart_pose_rotate(&a, ap_vec(0, 1, 0)), -1, 0, 0, 0);
    assert_near(apart_pose_apply(&a, ap_vec(1, 0, 5)), 1, 3, 8, 0);
    /* The order of the arguments. */
    ck_assert_int_eq(apart_pose_from_quat_xyzw(0, 0, 1, 1, t, &b), APART_OK);
    ck_assert_mem_eq(&a, &b, sizeof a);

    /* q = (1, 2, 3, 4)/sqrt(30), by hand. */
    ck_assert_int_eq(apart_pose_from_quat_wxyz(1, 2, 3, 4, t, &a), APART_OK);
    assert_near(a.rotation.x, -20 / 30.0, 20 / 30.0, 10 / 30.0, 1e-15);
    assert_near(a.rotation.y, 4 / 30.0, -10 / 30.0, 28 / 30.0, 1e-15);
    assert_near(a.rotation.z, 22 / 30.0, 20 / 30.0, 4 / 30.0, 1e-15);
    const double lengths[] = {1e-200, 1e200, 1e-320, 0x1p-1074, 0x1p+1020};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const double s = lengths[i];
        ck_assert_int_eq(apart_pose_from_quat_wxyz(s, 2 * s, 3 * s, 4 * s, t, &b), APART_OK);
        assert_rotation_near(&a, &b, s == 1e-320 ? 1e-3 : 4e-15);
    }

    /* rpy, one angle at a time, then URDF's order Rz Ry Rx. */
    ck_assert_int_eq(apart_pose_from_rpy(pi / 2, 0, 0, t, &a), APART_OK);
    assert_near(apart_pose_rotate(&a, ap_vec(0, 1, 0)), 0, 0, 1, 1e-15);
    ck_assert_int_eq(apart_pose_from_rpy(0, pi / 2, 0, t, &a), APART_OK);
    assert_near(apart_pose_rotate(&a, ap_vec(0, 0, 1)), 1, 0, 0, 1e-15);
    ck_assert_int_eq(apart_pose_from_rpy(0, 0, pi / 2, t, &a), APART_OK);
    assert_near(apart_pose_rotate(&a, ap_vec(1, 0, 0)), 0, 1, 0, 1e-15);
    apart_pose x, y, z;
    ck_assert_int_eq(apart_pose_from_axis_angle(ap_vec(7, 0, 0), 0.3, t, &x), APART_OK);
    ck_assert_int_eq(apart_pose_from_axis_angle(ap_vec(0, 1e-300, 0), -0.5, t, &y), APART_OK);
    ck_assert_int_eq(apart_pose_from_axis_angle(ap_vec(0, 0, 1e300), 2.1, t, &z), APART_OK);
    ck_assert_int_eq(apart_pose_from_rpy(0.3, -0.5, 2.1, t, &a), APART_OK);
    b = apart_pose_compose(&y, &x);
    b = apart_pose_compose(&z, &b);
    assert_rotation_near(&a, &b, 1e-15);

    /* A third of a turn about the diagonal permutes the axes. */
    ck_assert_int_eq(apart_pose_from_axis_angle(ap_vec(2, 2, 2), 2 * pi / 3, t, &a), APART_OK);
    assert_near(apart_pose_rotate(&a, ap_vec(1, 2, 3)), 3, 1, 2, 2e-15);
    const double rows[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    ck_assert_int_eq(apart_pose_from_matrix_rows(rows, t, &b), APART_OK);
    assert_rotation_near(&a, &b, 1e-15);
    assert_near(apart_pose_apply(&b, ap_vec(1, 2, 3)), 4, 3, 5, 0);

    ck_assert_int_eq(apart_pose_from_angle_2d(0.7, 4, 5, &a), APART_OK);
    ck_assert_int_eq(apart_pose_from_rpy(0, 0, 0.7, ap_vec(4, 5, 0), &b), APART_OK);
    assert_rotation_near(&a, &b, 1e-16);
    assert_near(a.translation, 4, 5, 0, 0);
}
END_TEST

START_TEST(pose_algebra)
{
    uint64_t seed = random_seed("pose_algebra");
    for (int i = 0; i < 1000; i++) {
        const apart_pose a = random_pose(&seed), b = random_pose(&seed);
        ck_assert_int_eq(apart_pose_check(&a), APART_OK);
        ck_assert_double_lt(ap_rotation_defect(&a.rotation), 8 * DBL_EPSILON);
        const apart_pose ab = apart_pose_compose(&a, &b), inverse = apart_pose_inverse(&a);
        const apart_vec3 p = random_vector(&seed, 5.0);
        const apart_vec3 once = apart_pose_apply(&ab, p), bp = apart_pose_apply(&b, p),
                         twice = apart_pose_apply(&a, bp);
        assert_near(once, twice.x, twice.y, twice.z, 1e-13);
        const apart_vec3 world = apart_pose_apply(&a, p), back = apart_pose_apply(&inverse, world);
        assert_near(back, p.x, p.y, p.z, 1e-13);
        assert_near(apart_pose_apply_inverse(&a, world), p.x, p.y, p.z, 1e-13);
        assert_near(apart_pose_rotate_inverse(&a, apart_pose_rotate(&a, p)), p.x, p.y, p.z, 1e-14);
    }
}
END_TEST

/* A random rotation as an engine makes it: a quaternion normalised in single precision, its matrix row by row. */
static void random_float_rotation(random_source *r, float m[9])
{
    float q[4], square = 0.0f;
    for (int i = 0; i < 4; i++) {
        q[i] = (float)random_signed(r);
        square += q[i] * q[i];
    }
    const float length = sqrtf(square), w = q[0] / length, x = q[1] / length, y = q[2] / length, z = q[3] / length;
    const float rows[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                           2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                           2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(m, rows, sizeof rows);
}

/* The rotation nearest to M is the R for which RtM is symmetric and positive definite; here it is near I. */
static void assert_nearest_rotation(const apart_pose *pose, const float m[9], double drift)
{
    const apart_mat3 *r = &pose->rotation;
    ck_assert_double_le(ap_rotation_defect(r), 8.0 * DBL_EPSILON);
    double s[3][3];
    const apart_vec3 column[3] = {r->x, r->y, r->z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s[i][j] = column[i].x * (double)m[j] + column[i].y * (double)m[3 + j] + column[i].z * (double)m[6 + j];
        }
        ck_assert_double_le(fabs(s[i][i] - 1.0), drift);
    }
    ck_assert_double_le(fabs(s[0][1] - s[1][0]), 8.0 * DBL_EPSILON);
    ck_assert_double_le(fabs(s[1][2] - s[2][1]), 8.0 * DBL_EPSILON);
    ck_assert_double_le(fabs(s[2][0] - s[0][2]), 8.0 * DBL_EPSILON);
}

static void transpose_floats(const float m[9], float t[9])
{
    for (int i = 0; i < 9; i++) {
        t[i] = m[3 * (i % 3) + i / 3];
    }
}

START_TEST(float_rotations_are_never_refused)
{
    random_source seed = random_seed("float_rotations_are_never_refused");
    int refused_as_given = 0;
    for (int i = 0; i < 1000000; i++) {
        float m[9];
        random_float_rotation(&seed, m);
        double same[9];
        for (int k = 0; k < 9; k++) {
            same[k] = (double)m[k];
        }
        apart_pose pose, given;
        if (apart_pose_from_float_matrix_rows(m, (apart_vec3){1, 2, 3}, &pose) != APART_OK) {
            ck_abort_msg("matrix %d refused", i);
        }
        refused_as_given += apart_pose_from_matrix_rows(same, (apart_vec3){1, 2, 3}, &given) != APART_OK;
        if (i % 100 == 0) { /* the assertions of Check are slow */
            float turned[9];
            transpose_floats(m, turned);
            apart_pose by_columns;
            ck_assert_int_eq(apart_pose_from_float_matrix_columns(turned, (apart_vec3){1, 2, 3}, &by_columns),
                             APART_OK);
            ck_assert_mem_eq(&pose, &by_columns, sizeof pose);
            assert_nearest_rotation(&pose, m, 1e-5);
        }
    }
    ck_assert_int_gt(refused_as_given, 0); /* what these constructors are for */
}
END_TEST

START_TEST(accumulated_float_rotations_are_never_refused)
{
    float m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const float c = cosf(0.01f), s = sinf(0.01f), c2 = cosf(0.017f), s2 = sinf(0.017f);
    const float z[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, x[9] = {1, 0, 0, 0, c2, -s2, 0, s2, c2};
    for (int step = 0; step < 10000; step++) {
        float product[9];
        const float *turn = step % 2 == 0 ? z : x;
        for (int i = 0; i < 9; i++) {
            const float *row = &m[i / 3 * 3];
            product[i] = row[0] * turn[i % 3] + row[1] * turn[3 + i % 3] + row[2] * turn[6 + i % 3];
        }
        memcpy(m, product, sizeof m);
        apart_pose pose;
        ck_assert_int_eq(apart_pose_from_float_matrix_rows(m, (apart_vec3){0, 0, 0}, &pose), APART_OK);
        if (step % 100 == 99) {
            assert_nearest_rotation(&pose, m, 0.01);
        }
    }
}
END_TEST

START_TEST(float_input_that_is_no_rotation)
{
    const apart_vec3 t = {0, 0, 0};
    const float zero[9] = {0}, mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1},
                scaled[9] = {1.01f, 0, 0, 0, 1.01f, 0, 0, 0, 1.01f};
    const float sheared[9] = {1, 0.02f, 0, 0, 1, 0, 0, 0, 1}, drifted[9] = {1.004f, 0.003f, 0, 0, 1, 0, 0, 0, 0.997f};
    const float nan[9] = {1, 0, 0, 0, NAN, 0, 0, 0, 1}, infinite[9] = {1, 0, 0, 0, 1, 0, 0, INFINITY, 1};
    const float quat[4] = {1, 2, 3, 4}, turned[4] = {2, 3, 4, 1}, none[4] = {0};
    apart_pose p = apart_pose_identity(), q;
    ck_assert_int_eq(apart_pose_from_float_matrix_rows(zero, t, &p), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_pose_from_float_matrix_columns(mirror, t, &p), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_pose_from_float_matrix_rows(scaled, t, &p), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_pose_from_float_matrix_rows(sheared, t, &p), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_pose_from_float_matrix_rows(nan, t, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_float_matrix_columns(infinite, t, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_float_matrix_rows(mirror, (apart_vec3){NAN, 0, 0}, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_float_matrix_rows(NULL, t, &p), APART_ERR_NULL);
    ck_assert_int_eq(apart_pose_from_float_matrix_columns(scaled, t, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_pose_from_float_quat_wxyz(none, t, &p), APART_ERR_QUATERNION);
    ck_assert_int_eq(apart_pose_from_float_quat_xyzw(NULL, t, &p), APART_ERR_NULL);
    ck_assert(p.rotation.x.x == 1.0 && p.rotation.z.z == 1.0); /* nothing was written */
    ck_assert_int_eq(apart_pose_from_float_matrix_rows(drifted, t, &p), APART_OK);
    assert_nearest_rotation(&p, drifted, 0.01);
    ck_assert_int_eq(apart_pose_from_float_quat_wxyz(quat, t, &p), APART_OK);
    ck_assert_int_eq(apart_pose_from_float_quat_xyzw(turned, t, &q), APART_OK);
    ck_assert_mem_eq(&p, &q, sizeof p);
}
END_TEST

/* The planar pose takes the library's own sine and cosine, whose bits are the same everywhere. */
START_TEST(planar_pose_has_the_same_bits_everywhere)
{
    for (double angle = -40.0; angle < 40.0; angle += 0.37) {
        apart_pose pose;
        double s, c;
        apart_sincos(angle, &s, &c);
        ck_assert_int_eq(apart_pose_from_angle_2d(angle, 1.0, 2.0, &pose), APART_OK);
        ck_assert(pose.rotation.x.x == c && pose.rotation.x.y == s && pose.rotation.y.x == -s);
        ck_assert_double_le(fabs(s - sin(angle)) + fabs(c - cos(angle)), 2.0 * DBL_EPSILON);
    }
}
END_TEST

START_TEST(pose_bad_input)
{
    const apart_vec3 t = {0, 0, 0}, bad = {0, NAN, 0};
    apart_pose p = apart_pose_identity();
    ck_assert_int_eq(apart_pose_from_quat_wxyz(0, 0, 0, 0, t, &p), APART_ERR_QUATERNION);
    ck_assert_int_eq(apart_pose_from_quat_xyzw(0, 0, 0, -0.0, t, &p), APART_ERR_QUATERNION);
    ck_assert_int_eq(apart_pose_from_quat_wxyz(1, NAN, 0, 0, t, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_quat_wxyz(INFINITY, 0, 0, 0, t, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_quat_wxyz(1, 0, 0, 0, bad, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_quat_wxyz(1, 0, 0, 0, t, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_pose_from_rpy(0, INFINITY, 0, t, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_rpy(0, 0, 0, bad, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_rpy(0, 0, 0, t, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_pose_from_axis_angle(t, 1, t, &p), APART_ERR_NORMAL);
    ck_assert_int_eq(apart_pose_from_axis_angle(bad, 1, t, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_axis_angle(ap_vec(1, 0, 0), NAN, t, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_angle_2d(NAN, 0, 0, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_angle_2d(0, 0, INFINITY, &p), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_pose_from_angle_2d(0, 0, 0, NULL), APART_ERR_NULL);
    double rows[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ck_assert_int_eq(apart_pose_from_matrix_rows(NULL, t, &p), APART_ERR_NULL);
    ck_assert_int_eq(apart_pose_from_matrix_rows(rows, t, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_pose_from_matrix_rows(rows, bad, &p), APART_ERR_NONFINITE);
    rows[8] = -1; /* a mirror */
    ck_assert_int_eq(apart_pose_from_matrix_rows(rows, t, &p), APART_ERR_ROTATION);
    rows[8] = NAN;
    ck_assert_int_eq(apart_pose_from_matrix_rows(rows, t, &p), APART_ERR_NONFINITE);
    /* The limit: max|RtR - I| <= 1e-6. */
    rows[8] = 1;
    rows[1] = 0.9e-6;
    ck_assert_int_eq(apart_pose_from_matrix_rows(rows, t, &p), APART_OK);
    rows[1] = 1.1e-6;
    ck_assert_int_eq(apart_pose_from_matrix_rows(rows, t, &p), APART_ERR_ROTATION);
    memset(rows, 0, sizeof rows);
    ck_assert_int_eq(apart_pose_from_matrix_rows(rows, t, &p), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_pose_check(NULL), APART_ERR_NULL);
    /* A failed call leaves its output alone. */
    const apart_pose before = p;
    ck_assert_int_eq(apart_pose_from_quat_wxyz(0, 0, 0, 0, t, &p), APART_ERR_QUATERNION);
    ck_assert_mem_eq(&p, &before, sizeof p);
    /* A float32 rotation is legal. */
    const apart_pose exact = {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, t};
    ck_assert_int_eq(apart_pose_check(&exact), APART_OK);
    const apart_pose single = {{{0.36f, 0.48f, -0.8f}, {-0.8f, 0.6f, 0}, {0.48f, 0.64f, 0.6f}}, t};
    ck_assert_int_eq(apart_pose_check(&single), APART_OK);
}
END_TEST

/* mpq value of a double-double. */
static void set_dd(mpq_t out, ap_dd a)
{
    mpq_t lo;
    mpq_init(lo);
    mpq_set_d(out, a.hi);
    mpq_set_d(lo, a.lo);
    mpq_add(out, out, lo);
    mpq_clear(lo);
}

/* |got - exact| <= 2^-bits |size| */
static void assert_close(const mpq_t exact, ap_dd got, const mpq_t size, unsigned bits)
{
    mpq_t error, limit;
    mpq_inits(error, limit, NULL);
    set_dd(error, got);
    mpq_sub(error, error, exact);
    mpq_abs(error, error);
    mpq_abs(limit, size);
    mpq_div_2exp(limit, limit, bits);
    ck_assert_int_le(mpq_cmp(error, limit), 0);
    mpq_clears(error, limit, NULL);
}

START_TEST(error_free_transformations)
{
    uint64_t seed = random_seed("error_free_transformations");
    mpq_t x, y, exact, got;
    mpq_inits(x, y, exact, got, NULL);
    for (int i = 0; i < 20000; i++) {
        const double a = ldexp(random_signed(&seed), (int)(random_unit(&seed) * 80) - 40);
        const double b = ldexp(random_signed(&seed), (int)(random_unit(&seed) * 80) - 40);
        mpq_set_d(x, a);
        mpq_set_d(y, b);
        const ap_dd product = ap_two_product(a, b), sum = ap_two_sum(a, b);
        /* Both computations of the product's error, and the sum, are exact. */
        ck_assert_double_eq(product.lo, ap_product_error_dekker(a, b, product.hi));
        ck_assert_double_eq(product.lo, fma(a, b, -product.hi));
        mpq_mul(exact, x, y);
        set_dd(got, product);
        ck_assert_int_eq(mpq_cmp(exact, got), 0);
        mpq_add(exact, x, y);
        set_dd(got, sum);
        ck_assert_int_eq(mpq_cmp(exact, got), 0);
        const ap_dd quick = fabs(a) >= fabs(b) ? ap_quick_two_sum(a, b) : ap_quick_two_sum(b, a);
        ck_assert_double_eq(quick.hi, sum.hi);
        ck_assert_double_eq(quick.lo, sum.lo);
    }
    mpq_clears(x, y, exact, got, NULL);
}
END_TEST

static ap_dd random_dd(uint64_t *seed)
{
    const double hi = ldexp(random_signed(seed), (int)(random_unit(seed) * 20) - 10);
    return ap_quick_two_sum(hi, hi * random_signed(seed) * 0x1p-53);
}

START_TEST(double_double_arithmetic)
{
    uint64_t seed = random_seed("double_double_arithmetic");
    mpq_t x, y, exact, size;
    mpq_inits(x, y, exact, size, NULL);
    for (int i = 0; i < 20000; i++) {
        const ap_dd a = random_dd(&seed), b = random_dd(&seed);
        set_dd(x, a);
        set_dd(y, b);
        mpq_add(exact, x, y);
        assert_close(exact, ap_dd_add(a, b), exact, 104);
        mpq_sub(exact, x, y);
        assert_close(exact, ap_dd_sub(a, b), exact, 104);
        mpq_mul(exact, x, y);
        assert_close(exact, ap_dd_mul(a, b), exact, 102);
        mpq_div(exact, x, y);
        assert_close(exact, ap_dd_div(a, b), exact, 100);
        ck_assert_int_eq(ap_dd_less(a, b), mpq_cmp(x, y) < 0);
        ck_assert_int_eq(ap_dd_positive(a), mpq_sgn(x) > 0);
    }
    ck_assert(!ap_dd_positive(ap_dd_from(0.0)));
    ck_assert(ap_dd_positive((ap_dd){0.0, 1e-300}));
    mpq_clears(x, y, exact, size, NULL);
}
END_TEST

/* exact = a b - c d, size = max(|a b|, |c d|) */
static void exact_difference(mpq_t exact, mpq_t size, double a, double b, double c, double d)
{
    mpq_t p, q;
    mpq_inits(p, q, NULL);
    mpq_set_d(p, a);
    mpq_set_d(q, b);
    mpq_mul(exact, p, q);
    mpq_set_d(p, c);
    mpq_set_d(q, d);
    mpq_mul(q, p, q);
    mpq_abs(size, exact);
    mpq_sub(exact, exact, q);
    mpq_abs(q, q);
    if (mpq_cmp(q, size) > 0) {
        mpq_set(size, q);
    }
    mpq_clears(p, q, NULL);
}

START_TEST(cross_product_of_near_parallel_vectors)
{
    uint64_t seed = random_seed("cross_product_of_near_parallel_vectors");
    mpq_t exact, size, term;
    mpq_inits(exact, size, term, NULL);
    for (int i = 0; i < 5000; i++) {
        const apart_vec3 a = random_vector(&seed, 1.0);
        const apart_vec3 b =
            ap_add(ap_scale(1.5, a), random_vector(&seed, ldexp(1.0, -(int)(random_unit(&seed) * 52))));
        const double z = ap_cross_accurate(a, b).z;
        exact_difference(exact, size, a.x, b.y, a.y, b.x);
        /* within eps of the result plus 2 eps^2 of the larger product */
        mpq_div_2exp(size, size, 103);
        mpq_abs(term, exact);
        mpq_div_2exp(term, term, 52);
        mpq_add(size, size, term);
        assert_close(exact, ap_dd_from(z), size, 0);
    }
    const apart_vec3 a = {0.1, 0.7, -0.3}, zero = ap_cross_accurate(a, a);
    ck_assert(zero.x == 0.0 && zero.y == 0.0 && zero.z == 0.0);
    mpq_clears(exact, size, term, NULL);
}
END_TEST

START_TEST(vectors)
{
    const apart_vec3 a = {1, 2, 3}, b = {-4, 5, 6};
    ck_assert_double_eq(ap_dot(a, b), 24.0);
    assert_near(ap_cross(a, b), -3, -18, 13, 0);
    assert_near(ap_cross_accurate(a, b), -3, -18, 13, 0);
    const apart_mat3 m = {{1, 2, 3}, {4, 5, 6}, {7, 8, 10}};
    assert_near(ap_apply(&m, a), 30, 36, 45, 0);
    assert_near(ap_apply_transposed(&m, a), 14, 32, 53, 0);
    ck_assert_double_eq(ap_max_abs(b), 6.0);
    ck_assert_double_eq(ap_max_abs(ap_vec(-7, 5, 6)), 7.0);
    ck_assert(!ap_finite(ap_vec(0, 0, NAN)));
    ck_assert(ap_finite(b));
    const ap_dd3 c = ap_dd3_cross(ap_dd3_from(a), ap_dd3_from(b));
    assert_near(ap_dd3_value(c), -3, -18, 13, 0);
    ck_assert_double_eq(ap_dd_value(ap_dd3_dot(ap_dd3_from(a), ap_dd3_from(b))), 24.0);
    assert_near(ap_dd3_value(ap_dd3_scale(ap_dd_from(2.0), ap_dd3_difference(a, b))), 10, -6, -6, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("math");
    TCase *tcase = tcase_create("math");
    tcase_set_timeout(tcase, 30);
    tcase_add_test(tcase, status_texts);
    tcase_add_test(tcase, power_of_two_scale);
    tcase_add_test(tcase, norm);
    tcase_add_test(tcase, public_vectors);
    tcase_add_test(tcase, public_norm_at_every_scale);
    tcase_add_test(tcase, rotation_defect);
    tcase_add_test(tcase, pose_constructors);
    tcase_add_test(tcase, pose_algebra);
    tcase_add_test(tcase, pose_bad_input);
    tcase_add_test(tcase, float_rotations_are_never_refused);
    tcase_add_test(tcase, accumulated_float_rotations_are_never_refused);
    tcase_add_test(tcase, float_input_that_is_no_rotation);
    tcase_add_test(tcase, planar_pose_has_the_same_bits_everywhere);
    tcase_add_test(tcase, error_free_transformations);
    tcase_add_test(tcase, double_double_arithmetic);
    tcase_add_test(tcase, cross_product_of_near_parallel_vectors);
    tcase_add_test(tcase, vectors);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
