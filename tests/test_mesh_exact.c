/* Exact predicates of meshes against rational arithmetic (GMP): signs of determinants for doubles of every size,
 * triangles that meet in every way, and the crossings of a ray. */
#include <check.h>
#include <gmp.h>
#include <math.h>
#include <string.h>

#include "exact.h"
#include "topology/crossing.h"
#include "exact/predicates.h"
#include "random.h"
#include "run_suite.h"

/* A finite double with any bits. */
static double any_double(random_source *r)
{
    double x;
    do {
        const uint64_t bits = random_bits(r);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

/* Kinds of coordinates: any bits, one size, small integers at one size, integers near an offset, subnormal. */
static double coordinate(random_source *r, unsigned kind, int exponent)
{
    switch (kind) {
    case 0: return any_double(r);
    case 1: return ldexp(random_signed(r), exponent);
    case 2: return ldexp((double)random_below(r, 4) - 1.0, exponent);
    case 3: return 1e6 + 0x1p-30 * random_below(r, 3);
    case 4: return ldexp((double)random_below(r, 5) - 2.0, -1074);
    default: return (double)random_below(r, 3) + (random_below(r, 4) == 0 ? 0x1p-1074 : 0.0);
    }
}

static apart_vec3 point(random_source *r, unsigned kind, int exponent)
{
    const double x = coordinate(r, kind, exponent), y = coordinate(r, kind, exponent);
    return (apart_vec3){x, y, coordinate(r, kind, exponent)};
}

typedef struct rational_vector {
    mpq_t c[3];
} rational_vector;

static void set_difference(rational_vector *out, apart_vec3 a, apart_vec3 b)
{
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    mpq_t q;
    mpq_init(q);
    for (int i = 0; i < 3; i++) {
        mpq_init(out->c[i]);
        mpq_set_d(out->c[i], x[i]);
        mpq_set_d(q, y[i]);
        mpq_sub(out->c[i], out->c[i], q);
    }
    mpq_clear(q);
}

static void clear_vector(rational_vector *v) { mpq_clears(v->c[0], v->c[1], v->c[2], NULL); }

/* out = a[i] b[j] - a[j] b[i] */
static void minor_of(mpq_t out, rational_vector *a, rational_vector *b, int i, int j)
{
    mpq_t q;
    mpq_init(q);
    mpq_mul(out, a->c[i], b->c[j]);
    mpq_mul(q, a->c[j], b->c[i]);
    mpq_sub(out, out, q);
    mpq_clear(q);
}

static int sign_in_space(apart_vec3 a, apart_vec3 b, apart_vec3 c, apart_vec3 d)
{
    rational_vector u, v, w;
    mpq_t sum, minor;
    mpq_inits(sum, minor, NULL);
    set_difference(&u, b, a);
    set_difference(&v, c, a);
    set_difference(&w, d, a);
    for (int i = 0; i < 3; i++) {
        minor_of(minor, &u, &v, (i + 1) % 3, (i + 2) % 3);
        mpq_mul(minor, minor, w.c[i]);
        mpq_add(sum, sum, minor);
    }
    const int sign = mpq_sgn(sum);
    mpq_clears(sum, minor, NULL);
    clear_vector(&u);
    clear_vector(&v);
    clear_vector(&w);
    return sign;
}

static int sign_without(int axis, apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    rational_vector u, v;
    mpq_t minor;
    mpq_init(minor);
    set_difference(&u, b, a);
    set_difference(&v, c, a);
    minor_of(minor, &u, &v, (axis + 1) % 3, (axis + 2) % 3);
    const int sign = mpq_sgn(minor);
    mpq_clear(minor);
    clear_vector(&u);
    clear_vector(&v);
    return sign;
}

START_TEST(signs_of_determinants)
{
    random_source r = random_seed("signs_of_determinants");
    int zero = 0;
    for (int round = 0; round < 12000; round++) {
        const unsigned kind = (unsigned)round % 6;
        const int exponent = (int)random_below(&r, 2060) - 1060;
        const apart_vec3 a = point(&r, kind, exponent), b = point(&r, kind, exponent), c = point(&r, kind, exponent);
        const apart_vec3 d = point(&r, kind, exponent);
        const int sign = ap_exact_orient3d(a, b, c, d);
        ck_assert_int_eq(sign, sign_in_space(a, b, c, d));
        zero += sign == 0 ? 1 : 0;
        for (int axis = 0; axis < 3; axis++) {
            ck_assert_int_eq(ap_exact_orient_without(axis, a, b, c), sign_without(axis, a, b, c));
        }
    }
    ck_assert_int_gt(zero, 300);
}
END_TEST

/* Points that are within rounding of a plane through the origin, where a filter must not decide. */
START_TEST(signs_near_zero)
{
    random_source r = random_seed("signs_near_zero");
    int decided[3] = {0, 0, 0};
    for (int round = 0; round < 4000; round++) {
        const apart_vec3 o = random_vector(&r, 1.0), u = random_vector(&r, 1.0), v = random_vector(&r, 1.0);
        const double s = random_signed(&r), t = random_signed(&r);
        const apart_vec3 a = ap_add(o, u), b = ap_add(o, v), c = ap_add(o, ap_add(ap_scale(s, u), ap_scale(t, v)));
        const int sign = ap_exact_orient3d(o, a, b, c);
        ck_assert_int_eq(sign, sign_in_space(o, a, b, c));
        decided[sign + 1]++;
    }
    ck_assert_int_gt(decided[0], 1000);
    ck_assert_int_gt(decided[2], 1000);
}
END_TEST

/* Have the hulls of the points a common point, in rational numbers? */
static bool hulls_meet(const apart_vec3 *a, size_t count_a, const apart_vec3 *b, size_t count_b)
{
    const exact_points first = {&a->x, count_a, 3, NULL}, second = {&b->x, count_b, 3, NULL};
    exact_answer answer;
    exact_distance(&first, &second, &answer);
    return answer.relation != EXACT_DISJOINT;
}

/* Corners on a small grid: triangles that share corners, lie in one plane, or have no area, are frequent. */
START_TEST(triangles_on_a_grid)
{
    random_source r = random_seed("triangles_on_a_grid");
    int met = 0, flat = 0, rounds = 6000;
    for (int round = 0; round < rounds; round++) {
        const double size = ldexp(1.0, (int)random_below(&r, 400) - 200);
        const unsigned side = 2 + random_below(&r, 3);
        apart_vec3 p[6];
        for (int i = 0; i < 6; i++) {
            const double x = random_below(&r, side), y = random_below(&r, side),
                         z = random_below(&r, 1 + (unsigned)round % 3);
            p[i] = (apart_vec3){size * x, size * y, size * z};
        }
        const bool meet = ap_triangles_meet(p, p + 3);
        ck_assert_int_eq(meet, hulls_meet(p, 3, p + 3, 3));
        ck_assert_int_eq(ap_triangles_meet(p + 3, p), meet);
        ck_assert_int_eq(ap_segment_meets_triangle(p, p + 3), hulls_meet(p, 2, p + 3, 3));
        ck_assert_int_eq(ap_point_in_triangle(p[0], p + 3), hulls_meet(p, 1, p + 3, 3));
        met += meet ? 1 : 0;
        flat += ap_triangle_axis(p) < 0 ? 1 : 0;
    }
    ck_assert_int_gt(met, rounds / 10);
    ck_assert_int_lt(met, rounds - rounds / 20);
    ck_assert_int_gt(flat, rounds / 20);
}
END_TEST

/* A corner of one triangle is computed to lie in the other: rounding decides whether it does. */
START_TEST(triangles_that_nearly_touch)
{
    random_source r = random_seed("triangles_that_nearly_touch");
    int met = 0;
    for (int round = 0; round < 2000; round++) {
        apart_vec3 a[3], b[3];
        for (int i = 0; i < 3; i++) {
            a[i] = random_vector(&r, 1.0);
            b[i] = random_vector(&r, 1.0);
        }
        const double s = random_unit(&r), t = (1.0 - s) * (round % 2 == 0 ? random_unit(&r) : 1.0);
        const apart_vec3 u = ap_sub(b[1], b[0]), v = ap_sub(b[2], b[0]), n = ap_cross(u, v);
        a[0] = ap_add(b[0], ap_add(ap_scale(s, u), ap_scale(t, v)));
        for (int i = 1; i < 3; i++) { /* both other corners on the same side */
            const double side = ap_dot(n, ap_sub(a[i], b[0])) > 0.0 ? 1.0 : -1.0;
            a[i] = ap_scale(side, ap_sub(a[i], b[0]));
            a[i] = ap_add(b[0], a[i]);
        }
        const bool meet = ap_triangles_meet(a, b);
        ck_assert_int_eq(meet, hulls_meet(a, 3, b, 3));
        met += meet ? 1 : 0;
    }
    ck_assert_int_gt(met, 200);
    ck_assert_int_lt(met, 1800);
}
END_TEST

/* The surface of the cube from 0 to `side`, each face of side * side squares of two triangles; corners ccw from
 * outside, some squares divided by the other diagonal. Returns the number of triangles. */
static unsigned cube(unsigned side, apart_vec3 (*triangles)[3])
{
    unsigned count = 0;
    for (unsigned face = 0; face < 6; face++) {
        for (unsigned i = 0; i < side * side; i++) {
            const double u = i % side, v = (double)(i / side), w = face % 2 == 0 ? 0.0 : side;
            const double corner[4][2] = {{u, v}, {u + 1, v}, {u + 1, v + 1}, {u, v + 1}};
            const unsigned first = (i + face) % 3 == 0 ? 1 : 0;
            for (unsigned half = 0; half < 2; half++) {
                for (unsigned k = 0; k < 3; k++) {
                    const unsigned turn = face % 2 == 1 ? k : 2 - k, at = (first + (half == 0 ? turn : (turn + 2))) % 4;
                    const double p = corner[at][0], q = corner[at][1];
                    const unsigned axis = face / 2;
                    triangles[count][k] = axis == 0   ? (apart_vec3){w, p, q}
                                          : axis == 1 ? (apart_vec3){q, w, p}
                                                      : (apart_vec3){p, q, w};
                }
                count++;
            }
        }
    }
    return count;
}

/* Every point of a grid of half steps in and about a subdivided cube: the rays meet vertices and edges and run along
 * faces. */
START_TEST(crossings_of_a_cube)
{
    enum { SIDE = 3 };
    apart_vec3 triangles[6 * 2 * SIDE * SIDE][3];
    const unsigned count = cube(SIDE, triangles);
    ck_assert_uint_eq(count, 6 * 2 * SIDE * SIDE);
    for (int i = 0; i < 9 * 9 * 9; i++) {
        const apart_vec3 p = {0.5 * (i % 9) - 0.5, 0.5 * (i / 9 % 9) - 0.5, 0.5 * (double)(i / 81) - 0.5};
        const double low = ap_min(ap_min(p.x, p.y), p.z), high = ap_max(ap_max(p.x, p.y), p.z);
        const bool is_in = low > 0.0 && high < SIDE, is_on = !is_in && low >= 0.0 && high <= SIDE;
        int winding = 0, crossings = 0, on = 0;
        for (unsigned t = 0; t < count; t++) {
            const ap_crossing crossing = ap_ray_crossing(p, triangles[t]);
            on += crossing == AP_CROSSING_ON ? 1 : 0;
            winding += crossing != AP_CROSSING_ON ? (int)crossing : 0;
            crossings += crossing != AP_CROSSING_NONE ? 1 : 0;
        }
        ck_assert_int_eq(on > 0, is_on);
        if (!is_on) {
            ck_assert_int_eq(winding, is_in ? 1 : 0);
            ck_assert_int_eq(crossings % 2, is_in ? 1 : 0);
        }
    }
}
END_TEST

/* Tetrahedra with corners on a small grid, and points of the grid: inside by the signs of four determinants. */
START_TEST(crossings_of_tetrahedra)
{
    random_source r = random_seed("crossings_of_tetrahedra");
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    int seen[3] = {0, 0, 0};
    for (int round = 0; round < 20000; round++) {
        apart_vec3 corner[4];
        for (int i = 0; i < 4; i++) {
            corner[i] = (apart_vec3){random_below(&r, 5), random_below(&r, 5), random_below(&r, 5)};
        }
        const int orientation = sign_in_space(corner[0], corner[1], corner[2], corner[3]);
        if (orientation == 0) {
            continue;
        }
        const apart_vec3 p = {random_below(&r, 5), random_below(&r, 5), random_below(&r, 5)};
        int side = 1, winding = 0;
        bool on = false;
        for (int f = 0; f < 4; f++) {
            const apart_vec3 t[3] = {corner[face[f][0]], corner[face[f][1]], corner[face[f][2]]};
            const int below = -orientation * ap_exact_orient3d(t[0], t[1], t[2], p);
            side = below < side ? below : side;
            const ap_crossing crossing = ap_ray_crossing(p, t);
            on = on || crossing == AP_CROSSING_ON;
            winding += on ? 0 : (int)crossing;
        }
        seen[side + 1]++;
        ck_assert_int_eq(on, side == 0);
        ck_assert(on || winding == (side > 0 ? orientation : 0));
    }
    ck_assert(seen[0] > 1000 && seen[1] > 200 && seen[2] > 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mesh_exact");
    TCase *tcase = tcase_create("mesh_exact");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, signs_of_determinants);
    tcase_add_test(tcase, signs_near_zero);
    tcase_add_test(tcase, triangles_on_a_grid);
    tcase_add_test(tcase, triangles_that_nearly_touch);
    tcase_add_test(tcase, crossings_of_a_cube);
    tcase_add_test(tcase, crossings_of_tetrahedra);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
