/* Hulls against exact arithmetic (GMP) and against Qhull.
 *
 * Small sets: the signs of all orientations are computed with integers, from the doubles as they are. If no four points
 * lie in one plane (to rounding, within which the builder merges faces) the hull is unique: its faces must be exactly the triples that have all points on one side. For any
 * set no point may be farther outside a face than the hull declares. Larger random sets must have Qhull's vertices. */
#include <apart/apart.h>
#include <check.h>
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hull/block.h"
#include "hull_sets.h"
#include "run_suite.h"

#ifdef TEST_QHULL
#include <libqhull_r/qhull_ra.h>
#endif

enum { MOST = 14 };

/* The coordinates of a set as integers, in units of 2^exponent. */
typedef struct integers {
    size_t count;
    int exponent;
    mpz_t x[3 * MOST];
} integers;

static integers exact;
static mpz_t determinant, minors[3], edges[9], product;

static void set_up(void)
{
    for (size_t i = 0; i < sizeof exact.x / sizeof exact.x[0]; i++) {
        mpz_init(exact.x[i]);
    }
    mpz_inits(determinant, minors[0], minors[1], minors[2], product, NULL);
    for (int i = 0; i < 9; i++) {
        mpz_init(edges[i]);
    }
}

/* The exponent of the lowest bit of a double that may be set. */
static int lowest_bit(double x)
{
    int exponent;
    frexp(x, &exponent);
    return exponent - 53;
}

static void take_points(const double *xyz, size_t n)
{
    exact.count = n;
    exact.exponent = INT32_MAX;
    for (size_t i = 0; i < 3 * n; i++) {
        if (xyz[i] != 0.0 && lowest_bit(xyz[i]) < exact.exponent) {
            exact.exponent = lowest_bit(xyz[i]);
        }
    }
    for (size_t i = 0; i < 3 * n; i++) {
        const int own = xyz[i] != 0.0 ? lowest_bit(xyz[i]) : exact.exponent;
        int unused;
        mpz_set_d(exact.x[i], ldexp(frexp(xyz[i], &unused), 53));
        mpz_mul_2exp(exact.x[i], exact.x[i], (mp_bitcnt_t)(own - exact.exponent));
    }
}

/* Sets minors to the normal (b - a) x (c - a), and edges to these differences. */
static void take_triple(const uint32_t t[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        mpz_sub(edges[k], exact.x[3 * t[1] + k], exact.x[3 * t[0] + k]);
        mpz_sub(edges[3 + k], exact.x[3 * t[2] + k], exact.x[3 * t[0] + k]);
    }
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
        mpz_mul(minors[k], edges[i], edges[3 + j]);
        mpz_submul(minors[k], edges[j], edges[3 + i]);
    }
}

/* On which side of the triple's plane is point p? Leaves the value in `determinant`. */
static int side_of(const uint32_t t[3], uint32_t p)
{
    mpz_set_ui(determinant, 0);
    for (uint32_t k = 0; k < 3; k++) {
        mpz_sub(product, exact.x[3 * p + k], exact.x[3 * t[0] + k]);
        mpz_addmul(determinant, product, minors[k]);
    }
    return mpz_sgn(determinant);
}

/* Is point p, whose determinant is positive, at most `distance` above the triple's plane? */
static bool is_within(double distance)
{
    mpq_t square, limit, units;
    mpq_inits(square, limit, units, NULL);
    mpz_set_ui(product, 0);
    for (uint32_t k = 0; k < 3; k++) {
        mpz_addmul(product, minors[k], minors[k]);
    }
    mpz_mul(mpq_numref(square), determinant, determinant);
    mpz_set(mpq_denref(square), product);
    mpq_canonicalize(square);
    mpq_set_d(limit, distance);
    mpq_set_ui(units, 1, 1);
    if (exact.exponent < 0) {
        mpq_mul_2exp(limit, limit, (mp_bitcnt_t)-exact.exponent);
    } else {
        mpq_div_2exp(limit, limit, (mp_bitcnt_t)exact.exponent);
    }
    mpq_mul(limit, limit, limit);
    const bool within = mpq_cmp(square, limit) <= 0;
    mpq_clears(square, limit, units, NULL);
    return within;
}

/* The largest coordinate, in units. */
static double largest_coordinate(void)
{
    double largest = 0.0;
    for (size_t i = 0; i < 3 * exact.count; i++) {
        largest = fmax(largest, fabs(mpz_get_d(exact.x[i])));
    }
    return largest;
}

/* Is the point of the last determinant farther from the plane than the builder merges faces or drops points? */
static bool is_off_plane(double largest)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        square += mpz_get_d(minors[k]) * mpz_get_d(minors[k]);
    }
    return fabs(mpz_get_d(determinant)) > 64.0 * 0x1p-52 * largest * sqrt(square);
}

/* Are no four points in one plane, to rounding? If so, counts the triples that have all others on one side. */
static bool count_faces(uint32_t *faces)
{
    const uint32_t n = (uint32_t)exact.count;
    const double largest = largest_coordinate();
    *faces = 0;
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            for (uint32_t c = b + 1; c < n; c++) {
                const uint32_t t[3] = {a, b, c};
                int above = 0, below = 0;
                take_triple(t);
                for (uint32_t p = 0; p < n; p++) {
                    const int side = p == a || p == b || p == c ? 0 : side_of(t, p);
                    if (p != a && p != b && p != c && !is_off_plane(largest)) {
                        return false;
                    }
                    above += side > 0;
                    below += side < 0;
                }
                *faces += above == 0 || below == 0;
            }
        }
    }
    return true;
}

/* A face with three corners has no point farther above it than the hull says; with `unique` all faces have three. */
static void check_face(const apart_hull *h, uint32_t face, bool unique)
{
    const uint32_t *vertex;
    const uint32_t corners = apart_hull_face(h, face, &vertex);
    ck_assert(corners == 3 || !unique);
    if (corners != 3) {
        return; /* merged to rounding: no triple of its corners has its plane */
    }
    uint32_t t[3];
    for (uint32_t k = 0; k < 3; k++) {
        t[k] = apart_hull_input_index(h, vertex[k]);
    }
    take_triple(t);
    for (uint32_t p = 0; p < exact.count; p++) {
        const int side = side_of(t, p);
        ck_assert_msg(side <= 0 || is_within(h->dropped), "a point is above a face, dropped %g", h->dropped);
    }
}

/* Returns 1 if the hull is unique. */
static int check_set(const double *xyz, size_t n)
{
    apart_hull *h = NULL;
    uint32_t faces = 0;
    ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &h), APART_OK);
    take_points(xyz, n);
    const bool unique = count_faces(&faces);
    if (unique) {
        ck_assert_double_le(h->dropped, 0x1p-90 * h->bound); /* the working coordinates' grid */
        ck_assert_uint_eq(apart_hull_face_count(h), faces);
    }
    for (uint32_t f = 0; h->dimension == 3 && f < apart_hull_face_count(h); f++) {
        check_face(h, f, unique);
    }
    apart_hull_free(h);
    return unique ? 1 : 0;
}

START_TEST(test_exact_random)
{
    static double xyz[3 * MOST];
    static const double scales[] = {1.0, 0x1p-900, 0x1p900, 1e-9, 1e-14};
    uint64_t seed = 909;
    int unique = 0, sets = 0;
    for (int t = 0; t < 400; t++) {
        const size_t n =
            t % 2 ? sphere_points(xyz, 4 + (size_t)t % 9, &seed) : ball_points(xyz, 5 + (size_t)t % 10, &seed);
        const double s = scales[t % 5];
        /* The last two are thin. */
        scale_points(xyz, n, t % 5 < 3 ? s : 1.0, t % 5 < 3 ? s : 1.0, s);
        unique += check_set(xyz, n);
        sets++;
    }
    printf("%d of %d random sets have a unique hull\n", unique, sets);
    ck_assert_int_ge(unique, sets / 2);
}
END_TEST

START_TEST(test_exact_degenerate)
{
    static double xyz[3 * MOST];
    uint64_t seed = 911;
    for (int t = 0; t < 400; t++) {
        const size_t n = ball_points(xyz, 6 + (size_t)t % 9, &seed);
        for (size_t i = 0; i < 3 * n; i++) {
            xyz[i] = floor(xyz[i] * (1 + t % 4)) * (t % 3 == 0 ? 1.0 : t % 3 == 1 ? 0.1 : 1e-30);
        }
        if (t % 7 == 0) { /* the same with a little noise */
            for (size_t i = 0; i < 3 * n; i++) {
                xyz[i] += 1e-16 * uniform(&seed);
            }
        }
        check_set(xyz, n);
    }
}
END_TEST

#ifdef TEST_QHULL
static uint8_t is_vertex[2000];

static void mark_qhull_vertices(double *xyz, size_t n)
{
    qhT context;
    char command[] = "qhull Qt";
    int count, size;
    qh_zero(&context, stderr);
    memset(is_vertex, 0, sizeof is_vertex);
    ck_assert_int_eq(qh_new_qhull(&context, 3, (int)n, xyz, False, command, NULL, stderr), 0);
    for (const vertexT *v = context.vertex_list; v != NULL && v->next != NULL; v = v->next) {
        is_vertex[qh_pointid(&context, v->point)] = 1;
    }
    qh_freeqhull(&context, !qh_ALL);
    qh_memfreeshort(&context, &count, &size);
}

START_TEST(test_beside_qhull)
{
    static double xyz[3 * 2000];
    uint64_t seed = 912;
    uint32_t vertices = 0;
    for (int t = 0; t < 2000; t++) {
        const size_t most = t % 100 == 0 ? 1900 : 90, n = 8 + (size_t)t % most;
        apart_hull *h = NULL;
        (void)(t % 2 ? sphere_points(xyz, n, &seed) : ball_points(xyz, n, &seed));
        scale_points(xyz, n, 1.0, t % 3 == 0 ? 1e-3 : 1.0, t % 5 == 0 ? 30.0 : 1.0);
        mark_qhull_vertices(xyz, n);
        ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &h), APART_OK);
        uint32_t same = 0, expected = 0;
        for (uint32_t i = 0; i < apart_hull_vertex_count(h); i++) {
            same += is_vertex[apart_hull_input_index(h, i)];
        }
        for (size_t i = 0; i < n; i++) {
            expected += is_vertex[i];
        }
        ck_assert_msg(same == expected && same == apart_hull_vertex_count(h),
                      "set %d: %u vertices, Qhull has %u, both %u", t, apart_hull_vertex_count(h), expected, same);
        vertices += same;
        apart_hull_free(h);
    }
    printf("2000 sets, %u vertices, the same as Qhull's\n", vertices);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("hull_exact");
    TCase *tc = tcase_create("hull_exact");
    set_up();
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_exact_random);
    tcase_add_test(tc, test_exact_degenerate);
#ifdef TEST_QHULL
    tcase_add_test(tc, test_beside_qhull);
#endif
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
