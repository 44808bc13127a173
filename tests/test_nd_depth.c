/* Penetration in n dimensions: depths known by formula, depths found by exhaustive search in rational numbers, what normal and witness
 * points prove by themselves, the 2D and 3D queries, degenerate bodies, scale, contact, the cheaper kinds of depth, a full workspace. */
#include <check.h>
#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <apart/apart.h>

#include "random.h"
#include "run_suite.h"

#define MAX_DIM 7
#define MAX_POINTS 300

typedef struct fixture {
    size_t dim, count_a, count_b;
    double a[MAX_POINTS * MAX_DIM], b[MAX_POINTS * MAX_DIM];
    double point_a[MAX_DIM], point_b[MAX_DIM], normal[MAX_DIM], lambda[MAX_DIM + 1];
    uint32_t index_a[MAX_DIM + 1], index_b[MAX_DIM + 1];
    apart_result_nd r;
} fixture;

static fixture f;
static uint64_t seed;
static double workspace[APART_ND_DEPTH_BYTES(9000) / sizeof(double)];

static void clear(size_t dim)
{
    memset(&f, 0, sizeof f);
    f.dim = dim;
}

static double *add_a(void) { return f.a + f.dim * f.count_a++; }

static double *add_b(void) { return f.b + f.dim * f.count_b++; }

static void query_in(const apart_options *options, void *room, size_t size)
{
    const apart_points_nd a = {f.a, f.count_a}, b = {f.b, f.count_b};
    f.r = (apart_result_nd){.a = f.point_a, .b = f.point_b, .normal = f.normal};
    f.r.index_a = f.index_a;
    f.r.index_b = f.index_b;
    f.r.lambda = f.lambda;
    ck_assert_int_eq(apart_distance_nd(f.dim, &a, &b, options, room, size, &f.r), APART_OK);
}

static void query(const apart_options *options) { query_in(options, NULL, 0); }

/* ---- what must hold for any overlap, checked in long double ---- */

static double largest_side(void)
{
    double side = 0.0;
    for (size_t k = 0; k < f.dim; k++) {
        double low = f.a[k], high = f.a[k];
        for (size_t i = 0; i < f.count_a + f.count_b; i++) {
            const double x = i < f.count_a ? f.a[i * f.dim + k] : f.b[(i - f.count_a) * f.dim + k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        side = high - low > side ? high - low : side;
    }
    return side;
}

/* How deep the bodies are in each other along the normal: no less than the depth. */
static long double depth_along_normal(void)
{
    long double most = -INFINITY, square = 0.0L;
    for (size_t k = 0; k < f.dim; k++) {
        square += (long double)f.normal[k] * (long double)f.normal[k];
    }
    for (size_t i = 0; i < f.count_a; i++) {
        for (size_t j = 0; j < f.count_b; j++) {
            long double sum = 0.0L;
            for (size_t k = 0; k < f.dim; k++) {
                sum += (long double)f.normal[k] * ((long double)f.a[i * f.dim + k] - (long double)f.b[j * f.dim + k]);
            }
            most = sum > most ? sum : most;
        }
    }
    return most / sqrtl(square);
}

/* The lambdas make the witness points, and b - a = distance * normal. */
static void check_witness(double tolerance)
{
    double sum = 0.0;
    ck_assert_uint_ge(f.r.count, 1);
    ck_assert_uint_le(f.r.count, f.dim);
    for (uint32_t i = 0; i < f.r.count; i++) {
        ck_assert(f.lambda[i] > 0.0 && f.index_a[i] < f.count_a && f.index_b[i] < f.count_b);
        sum += f.lambda[i];
    }
    ck_assert_double_eq_tol(sum, 1.0, 1e-15);
    for (size_t k = 0; k < f.dim; k++) {
        long double a = 0.0L, b = 0.0L;
        for (uint32_t i = 0; i < f.r.count; i++) {
            a += (long double)f.lambda[i] * (long double)f.a[f.index_a[i] * f.dim + k];
            b += (long double)f.lambda[i] * (long double)f.b[f.index_b[i] * f.dim + k];
        }
        ck_assert_double_eq_tol((double)a, f.point_a[k], tolerance + 4.0 * DBL_EPSILON * fabs(f.point_a[k]));
        ck_assert_double_eq_tol((double)b, f.point_b[k], tolerance + 4.0 * DBL_EPSILON * fabs(f.point_b[k]));
        const double off = (double)(b - a) - f.r.distance * f.normal[k];
        ck_assert_msg(fabs(off) <= tolerance, "dim %zu: b - a misses distance * normal by %g of %g", f.dim, off, tolerance);
    }
}

/* Converged, tight, and consistent. */
static void check_overlap(void)
{
    const double side = largest_side();
    const long double along = depth_along_normal();
    ck_assert_int_eq(f.r.relation, APART_OVERLAPPING);
    ck_assert_msg(f.r.stop == APART_STOP_CONVERGED, "dim %zu, %zu against %zu: stop %d, %.17g .. %.17g, %u iterations", f.dim, f.count_a,
                  f.count_b, f.r.stop, f.r.lower, f.r.upper, f.r.iterations);
    ck_assert_msg(f.r.lower <= f.r.distance && f.r.distance <= f.r.upper && f.r.upper < 0.0, "dim %zu: %g not in %g .. %g", f.dim,
                  f.r.distance, f.r.lower, f.r.upper);
    ck_assert_msg(f.r.upper - f.r.lower <= 200.0 * DBL_EPSILON * side, "dim %zu: width %g of %g", f.dim, f.r.upper - f.r.lower, side);
    ck_assert_msg((long double)f.r.lower <= -along && -along <= (long double)f.r.upper,
                  "dim %zu: along the normal %.17Lg, not in %.17g .. %.17g", f.dim, -along, f.r.lower, f.r.upper);
    check_witness(60.0 * DBL_EPSILON * side);
}

/* want: rounded a few times. */
static void check_depth(double want)
{
    const double slack = 4.0 * DBL_EPSILON * want, side = largest_side();
    check_overlap();
    ck_assert_msg(f.r.lower <= slack - want && -want - slack <= f.r.upper, "dim %zu: %.17g not in %.17g .. %.17g", f.dim, -want, f.r.lower,
                  f.r.upper);
    ck_assert_msg(fabs(f.r.distance + want) <= 40.0 * DBL_EPSILON * side, "dim %zu: %.17g, not %.17g", f.dim, f.r.distance, -want);
}

/* ---- bodies ---- */

/* The corners of a cube, from its middle. */
static void add_cube(double *(*add)(void), double half, const double *middle)
{
    for (size_t i = 0; i < (size_t)1 << f.dim; i++) {
        double *x = add();
        for (size_t k = 0; k < f.dim; k++) {
            x[k] = middle[k] + (i >> k & 1u ? half : -half);
        }
    }
}

static void add_cross_polytope(double *(*add)(void), double radius, const double *middle)
{
    for (size_t i = 0; i < 2 * f.dim; i++) {
        double *x = add();
        memcpy(x, middle, f.dim * sizeof *x);
        x[i / 2] += i % 2 == 0 ? radius : -radius;
    }
}

/* The origin and the axes' ends at `size`. */
static void add_simplex(double *(*add)(void), double size, const double *corner)
{
    for (size_t i = 0; i <= f.dim; i++) {
        double *x = add();
        memcpy(x, corner, f.dim * sizeof *x);
        if (i < f.dim) {
            x[i] += size;
        }
    }
}

static void add_random(double *(*add)(void), size_t count, double shift)
{
    for (size_t i = 0; i < count; i++) {
        double *x = add();
        for (size_t k = 0; k < f.dim; k++) {
            x[k] = random_signed(&seed) + (k == 0 ? shift : 0.0);
        }
    }
}

static void add_on_sphere(double *(*add)(void), size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double *x = add(), square = 2.0;
        while (square > 1.0 || square < 0.01) {
            square = 0.0;
            for (size_t k = 0; k < f.dim; k++) {
                x[k] = random_signed(&seed);
                square += x[k] * x[k];
            }
        }
        for (size_t k = 0; k < f.dim; k++) {
            x[k] /= sqrt(square);
        }
    }
}

static size_t random_count(size_t least, size_t most) { return least + (size_t)(random_unit(&seed) * (double)(most - least + 1)); }

/* Coordinates become whole numbers. */
static void snap(double spacing)
{
    for (size_t i = 0; i < f.count_a * f.dim; i++) {
        f.a[i] = floor(f.a[i] * spacing + 0.5);
    }
    for (size_t i = 0; i < f.count_b * f.dim; i++) {
        f.b[i] = floor(f.b[i] * spacing + 0.5);
    }
}

static void jitter(double size)
{
    for (size_t i = 0; i < f.count_a * f.dim; i++) {
        f.a[i] += size * random_signed(&seed);
    }
    for (size_t i = 0; i < f.count_b * f.dim; i++) {
        f.b[i] += size * random_signed(&seed);
    }
}

/* Turns a plane of two axes by an angle with cosine 0.6 or so, a few times. */
static void turn(void)
{
    for (int step = 0; step < 12; step++) {
        const size_t p = random_count(0, f.dim - 1), q = (p + random_count(1, f.dim - 1)) % f.dim;
        const double t = random_signed(&seed), c = (1.0 - t * t) / (1.0 + t * t), s = 2.0 * t / (1.0 + t * t);
        for (size_t i = 0; i < f.count_a + f.count_b; i++) {
            double *x = i < f.count_a ? f.a + i * f.dim : f.b + (i - f.count_a) * f.dim;
            const double xp = c * x[p] - s * x[q], xq = s * x[p] + c * x[q];
            x[p] = xp;
            x[q] = xq;
        }
    }
}

static void squeeze(size_t axis, double factor)
{
    for (size_t i = 0; i < f.count_a; i++) {
        f.a[i * f.dim + axis] *= factor;
    }
    for (size_t i = 0; i < f.count_b; i++) {
        f.b[i * f.dim + axis] *= factor;
    }
}

static void swap_bodies(void)
{
    static double kept[MAX_POINTS * MAX_DIM];
    const size_t count = f.count_a;
    memcpy(kept, f.a, sizeof kept);
    memcpy(f.a, f.b, sizeof f.a);
    memcpy(f.b, kept, sizeof f.b);
    f.count_a = f.count_b;
    f.count_b = count;
}

/* ---- depths by formula ---- */

START_TEST(test_cube_and_cube)
{
    double middle[MAX_DIM] = {0.0};
    for (size_t dim = 1; dim <= 6; dim++) {
        for (size_t axis = 0; axis < dim; axis++) {
            clear(dim);
            memset(middle, 0, sizeof middle);
            add_cube(add_a, 1.0, middle);
            for (size_t k = 0; k < dim; k++) {
                middle[k] = k == axis ? -0.75 : 0.125 * (double)k;
            }
            add_cube(add_b, dim > 4 ? 0.0 : 1.0, middle);
            f.count_b = dim > 4 ? 1 : f.count_b;
            query(NULL);
            check_depth(dim > 4 ? 0.25 : 1.25);
            ck_assert_double_eq_tol(f.normal[axis], -1.0, 1e-14);
        }
        /* All ways out alike. */
        clear(dim);
        memset(middle, 0, sizeof middle);
        add_cube(add_a, 1.0, middle);
        add_cube(add_b, 0.5, middle);
        query(NULL);
        check_depth(1.5);
    }
}
END_TEST

START_TEST(test_cross_polytopes)
{
    double middle[MAX_DIM] = {0.0};
    for (size_t dim = 1; dim <= 6; dim++) {
        for (int against = 0; against < 2; against++) {
            double off = 0.0;
            clear(dim);
            memset(middle, 0, sizeof middle);
            add_cross_polytope(add_a, 1.0, middle);
            for (size_t k = 0; k < dim; k++) {
                middle[k] = (k % 2 == 0 ? 0.0625 : -0.0625) * (double)k;
                off += fabs(middle[k]);
            }
            if (against == 0) {
                memcpy(add_b(), middle, dim * sizeof(double));
            } else {
                add_cross_polytope(add_b, 0.5, middle);
            }
            query(NULL);
            check_depth((1.0 + 0.5 * against - off) / sqrt((double)dim));
        }
        clear(dim);
        memset(middle, 0, sizeof middle);
        add_cross_polytope(add_a, 1.0, middle);
        add_cross_polytope(add_b, 1.0, middle);
        query(NULL);
        check_depth(2.0 / sqrt((double)dim));
    }
}
END_TEST

/* Concentric: the least of (half j + radius) / sqrt j over the facet normals, which have j entries +-1. In 6 dimensions,
 * 768 pairs, the workspace gets full. */
START_TEST(test_cube_and_cross_polytope)
{
    const double middle[MAX_DIM] = {0.0};
    for (size_t dim = 1; dim <= 6; dim++) {
        for (double radius = 0.25; radius <= 4.0; radius *= 2.0) {
            double want = INFINITY;
            clear(dim);
            add_cube(add_a, 0.5, middle);
            add_cross_polytope(add_b, radius, middle);
            for (size_t j = 1; j <= dim; j++) {
                const double along = (0.5 * (double)j + radius) / sqrt((double)j);
                want = along < want ? along : want;
            }
            query(NULL);
            if (dim <= 5) {
                check_depth(want);
            }
            ck_assert(f.r.relation == APART_OVERLAPPING && f.r.lower <= 1e-15 - want && -want - 1e-15 <= f.r.upper);
        }
    }
}
END_TEST

START_TEST(test_simplices)
{
    for (size_t dim = 1; dim <= 6; dim++) {
        /* A point in a simplex: the nearest of its dim + 1 sides. */
        double corner[MAX_DIM] = {0.0}, *x;
        clear(dim);
        add_simplex(add_a, 2.0, corner);
        x = add_b();
        for (size_t k = 0; k < dim; k++) {
            x[k] = 0.25;
        }
        const double slope = (2.0 - 0.25 * (double)dim) / sqrt((double)dim);
        query(NULL);
        check_depth(slope < 0.25 ? slope : 0.25);
        /* Two alike, one moved by t along all axes: (2 +- j t) / sqrt j for facet normals with j entries 1, least for j = dim. */
        clear(dim);
        add_simplex(add_a, 2.0, corner);
        for (size_t k = 0; k < dim; k++) {
            corner[k] = 0.125;
        }
        add_simplex(add_b, 2.0, corner);
        query(NULL);
        const double over = (2.0 - 0.125 * (double)dim) / sqrt((double)dim);
        check_depth(over);
    }
}
END_TEST

/* ---- depths by exhaustive search (Cameron and Culley 1986): the planes through any dim points of the TCSO ---- */

typedef struct exhaustive {
    size_t dim, count;
    mpq_t w[64][6], m[6][7], y[6], best, value, part;
} exhaustive;

static void start_exhaustive(exhaustive *e)
{
    mpq_t a;
    mpq_init(a);
    e->dim = f.dim;
    e->count = f.count_a * f.count_b;
    ck_assert_uint_le(e->count, 64);
    for (size_t i = 0; i < e->count; i++) {
        for (size_t k = 0; k < e->dim; k++) {
            mpq_init(e->w[i][k]);
            mpq_set_d(e->w[i][k], f.b[i % f.count_b * f.dim + k]);
            mpq_set_d(a, f.a[i / f.count_b * f.dim + k]);
            mpq_sub(e->w[i][k], e->w[i][k], a);
        }
    }
    for (size_t j = 0; j < 6; j++) {
        mpq_init(e->y[j]);
        for (size_t k = 0; k < 7; k++) {
            mpq_init(e->m[j][k]);
        }
    }
    mpq_inits(e->best, e->value, e->part, NULL);
    mpq_clear(a);
}

static void end_exhaustive(exhaustive *e)
{
    for (size_t i = 0; i < e->count; i++) {
        for (size_t k = 0; k < e->dim; k++) {
            mpq_clear(e->w[i][k]);
        }
    }
    for (size_t j = 0; j < 6; j++) {
        mpq_clear(e->y[j]);
        for (size_t k = 0; k < 7; k++) {
            mpq_clear(e->m[j][k]);
        }
    }
    mpq_clears(e->best, e->value, e->part, NULL);
}

/* y with w.y = 1 for the chosen points; false if there is none. */
static bool solve_plane(exhaustive *e, const size_t *chosen)
{
    for (size_t j = 0; j < e->dim; j++) {
        for (size_t k = 0; k < e->dim; k++) {
            mpq_set(e->m[j][k], e->w[chosen[j]][k]);
        }
        mpq_set_ui(e->m[j][e->dim], 1, 1);
    }
    for (size_t c = 0; c < e->dim; c++) {
        size_t p = c;
        while (p < e->dim && mpq_sgn(e->m[p][c]) == 0) {
            p++;
        }
        if (p == e->dim) {
            return false;
        }
        for (size_t k = c; k <= e->dim; k++) {
            mpq_swap(e->m[p][k], e->m[c][k]);
        }
        for (size_t j = 0; j < e->dim; j++) {
            if (j == c || mpq_sgn(e->m[j][c]) == 0) {
                continue;
            }
            mpq_div(e->value, e->m[j][c], e->m[c][c]);
            for (size_t k = c; k <= e->dim; k++) {
                mpq_mul(e->part, e->value, e->m[c][k]);
                mpq_sub(e->m[j][k], e->m[j][k], e->part);
            }
        }
    }
    for (size_t k = 0; k < e->dim; k++) {
        mpq_div(e->y[k], e->m[k][e->dim], e->m[k][k]);
    }
    return true;
}

static void dot_exact(exhaustive *e, mpq_t *x)
{
    mpq_set_ui(e->value, 0, 1);
    for (size_t k = 0; k < e->dim; k++) {
        mpq_mul(e->part, e->y[k], x[k]);
        mpq_add(e->value, e->value, e->part);
    }
}

/* A plane y.w = 1 with all of the TCSO behind it is 1 / |y| away: the largest y.y counts. */
static void try_plane(exhaustive *e, const size_t *chosen)
{
    if (!solve_plane(e, chosen)) {
        return;
    }
    for (size_t i = 0; i < e->count; i++) {
        dot_exact(e, e->w[i]);
        if (mpq_cmp_ui(e->value, 1, 1) > 0) {
            return;
        }
    }
    dot_exact(e, e->y);
    if (mpq_cmp(e->value, e->best) > 0) {
        mpq_set(e->best, e->value);
    }
}

static double exhaustive_depth(void)
{
    static exhaustive e;
    size_t chosen[6];
    start_exhaustive(&e);
    for (size_t j = 0; j < e.dim; j++) {
        chosen[j] = j;
    }
    for (;;) {
        try_plane(&e, chosen);
        size_t j = e.dim;
        while (j > 0 && chosen[j - 1] == e.count - e.dim + j - 1) {
            j--;
        }
        if (j == 0) {
            break;
        }
        chosen[j - 1]++;
        for (; j < e.dim; j++) {
            chosen[j] = chosen[j - 1] + 1;
        }
    }
    const double square = mpq_get_d(e.best);
    end_exhaustive(&e);
    return square > 0.0 ? 1.0 / sqrt(square) : 0.0;
}

/* Sizes that keep the number of planes below a few thousand. */
static const size_t exhaustive_points[7][2] = {{0, 0}, {5, 5}, {5, 6}, {4, 5}, {3, 5}, {3, 4}, {2, 6}};

START_TEST(test_exhaustive)
{
    int overlaps = 0;
    seed = random_seed("exhaustive") + (uint64_t)_i;
    for (int round = 0; round < 400 && overlaps < 30; round++) {
        clear(1 + (size_t)round % 6);
        add_random(add_a, exhaustive_points[f.dim][0], 0.0);
        add_random(add_b, exhaustive_points[f.dim][1], 0.0);
        if (f.dim >= 5 || _i == 3) {
            /* Few points overlap by chance: the first body holds part of the second one's edge. */
            for (size_t k = 0; k < f.dim; k++) {
                f.a[k] = 0.4 * f.b[k] + 0.3 * f.b[f.dim + k] + 0.3 * f.b[2 * f.dim + k];
                f.a[f.dim + k] = 0.2 * f.b[3 * f.dim + k] + 0.4 * f.b[f.dim + k] + 0.4 * f.b[2 * f.dim + k];
            }
        }
        if (_i == 1) {
            snap(2.0);
        } else if (_i == 2) {
            snap(2.0);
            jitter(0x1p-30);
        }
        query(NULL);
        if (f.r.relation != APART_OVERLAPPING) {
            continue;
        }
        overlaps++;
        check_depth(exhaustive_depth());
    }
    ck_assert_int_ge(overlaps, 20);
}
END_TEST

/* ---- against the queries in the plane and in space ---- */

static void compare(const apart_shape *a, const apart_shape *b)
{
    const apart_pose here = apart_pose_identity();
    apart_result r;
    ck_assert_int_eq(apart_distance(a, &here, b, &here, NULL, NULL, &r), APART_OK);
    if (r.relation != APART_OVERLAPPING || f.r.relation != APART_OVERLAPPING) {
        ck_assert(r.lower <= f.r.upper && f.r.lower <= r.upper);
        return;
    }
    check_overlap();
    ck_assert_msg(r.lower <= f.r.upper && f.r.lower <= r.upper, "dim %zu: %.17g .. %.17g and %.17g .. %.17g", f.dim, f.r.lower, f.r.upper,
                  r.lower, r.upper);
}

START_TEST(test_plane_and_space)
{
    int overlaps = 0;
    seed = random_seed("plane and space");
    for (int round = 0; round < 1200; round++) {
        static const double size[] = {0x1p-30, 0x1p-44, 0x1p-50};
        clear(2 + (size_t)round % 2);
        add_random(add_a, random_count(1, 16), 0.0);
        add_random(add_b, random_count(1, 16), random_signed(&seed));
        if (round % 4 >= 2) {
            snap(2.0);
        }
        if (round % 4 == 3) {
            jitter(size[round % 3]);
        }
        query(NULL);
        overlaps += f.r.relation == APART_OVERLAPPING;
        apart_shape a, b;
        if (f.dim == 2) {
            a = apart_polygon(f.a, f.count_a);
            b = apart_polygon(f.b, f.count_b);
        } else {
            a = apart_points(f.a, f.count_a);
            b = apart_points(f.b, f.count_b);
        }
        compare(&a, &b);
    }
    ck_assert_int_gt(overlaps, 600);
}
END_TEST

/* ---- bodies in awkward positions: the bounds are the judge ---- */

static void make_awkward(int kind)
{
    const size_t count_a = random_count(1, 16);
    clear(2 + random_count(0, 4));
    if (kind == 0) {
        add_on_sphere(add_a, count_a);
        add_on_sphere(add_b, 256 / count_a > 24 ? 24 : 256 / count_a);
        return;
    }
    add_random(add_a, count_a, 0.0);
    add_random(add_b, random_count(1, 16), 0.0);
    if (kind <= 3) {
        snap((double)random_count(1, 3));
    }
    if (kind == 2 || kind == 4) {
        squeeze(0, kind == 4 ? ldexp(1.0, -(int)random_count(1, 50)) : 1.0);
        turn();
    }
    if (kind == 3) {
        jitter(ldexp(1.0, -(int)random_count(20, 53)));
    }
    if (kind == 5) {
        /* Points that almost coincide. */
        for (size_t i = 1; i < f.count_b; i += 2) {
            const double size = ldexp(1.0, -(int)random_count(5, 53));
            for (size_t k = 0; k < f.dim; k++) {
                f.b[i * f.dim + k] = f.b[(i - 1) * f.dim + k] + size * random_signed(&seed);
            }
        }
    }
}

START_TEST(test_awkward_bodies)
{
    int overlaps = 0;
    seed = random_seed("awkward bodies") + (uint64_t)_i;
    for (int round = 0; round < 150; round++) {
        make_awkward(_i);
        query(NULL);
        if (f.r.relation != APART_OVERLAPPING) {
            ck_assert(f.r.stop == APART_STOP_CONVERGED && f.r.upper - f.r.lower <= 1e-13 * largest_side());
            continue;
        }
        overlaps++;
        check_overlap();
        const apart_result_nd r = f.r;
        swap_bodies();
        query(NULL);
        ck_assert_msg(f.r.lower <= r.upper && r.lower <= f.r.upper, "dim %zu: %.17g .. %.17g, swapped %.17g .. %.17g", f.dim, r.lower,
                      r.upper, f.r.lower, f.r.upper);
    }
    ck_assert_int_gt(overlaps, 40);
}
END_TEST

/* More than 256 pairs are no different as long as the surface has room. */
START_TEST(test_many_pairs)
{
    seed = random_seed("many pairs");
    for (size_t dim = 2; dim <= 5; dim++) {
        clear(dim);
        add_random(add_a, 60, 0.0);
        add_random(add_b, 60, 0.5);
        query(NULL);
        check_overlap();
    }
}
END_TEST

/* ---- scale, offset, order ---- */

START_TEST(test_scale_and_offset)
{
    static const double scale[] = {0x1p-498, 0x1p-1000, 0x1p398, 0x1p990};
    static double a[MAX_POINTS * MAX_DIM], b[MAX_POINTS * MAX_DIM];
    seed = random_seed("scale and offset");
    for (size_t dim = 1; dim <= 6; dim++) {
        clear(dim);
        add_random(add_a, 12, 0.0);
        add_random(add_b, 12, 0.25);
        memcpy(a, f.a, sizeof a);
        memcpy(b, f.b, sizeof b);
        query(NULL);
        check_overlap();
        const apart_result_nd unit = f.r;
        for (size_t s = 0; s < sizeof scale / sizeof scale[0]; s++) {
            for (size_t i = 0; i < 12 * dim; i++) {
                f.a[i] = a[i] * scale[s];
                f.b[i] = b[i] * scale[s];
            }
            query(NULL);
            ck_assert_int_eq(f.r.relation, APART_OVERLAPPING);
            ck_assert_double_eq(f.r.distance, unit.distance * scale[s]);
            ck_assert_double_eq(f.r.lower, unit.lower * scale[s]);
            ck_assert_double_eq(f.r.upper, unit.upper * scale[s]);
        }
        for (size_t i = 0; i < 12 * dim; i++) {
            f.a[i] = a[i] * 1e-150;
            f.b[i] = b[i] * 1e-150;
        }
        query(NULL);
        check_overlap();
        ck_assert_double_eq_tol(f.r.distance * 1e150, unit.distance, 1e-14);
        for (size_t i = 0; i < 12 * dim; i++) {
            f.a[i] = a[i] + 1e8;
            f.b[i] = b[i] + 1e8;
        }
        /* Other doubles, with bounds as tight. The witness points are rounded to the offset's grid. */
        query(NULL);
        ck_assert_int_eq(f.r.relation, APART_OVERLAPPING);
        ck_assert_double_le(f.r.upper - f.r.lower, 200.0 * DBL_EPSILON * largest_side());
        ck_assert_double_eq_tol(f.r.distance, unit.distance, 1e-6);
    }
}
END_TEST

/* ---- through contact ---- */

/* Two cubes and two simplices pushed into each other along the last axis and along the diagonal: the distance is the step. */
START_TEST(test_through_contact)
{
    double middle[MAX_DIM] = {0.0};
    for (size_t dim = 1; dim <= 6; dim++) {
        for (int exponent = -1; exponent >= -42; exponent--) {
            for (int sign = -1; sign <= 1; sign++) {
                const double step = sign * ldexp(1.0, exponent);
                clear(dim);
                memset(middle, 0, sizeof middle);
                add_cube(add_a, 1.0, middle);
                middle[dim - 1] = 1.5 + step;
                add_cube(add_b, 0.5, middle);
                query(NULL);
                ck_assert_int_eq(f.r.relation, sign > 0 ? APART_DISJOINT : sign < 0 ? APART_OVERLAPPING : APART_TOUCHING);
                ck_assert_msg(fabs(f.r.distance - step) <= 1e-14, "dim %zu: %g, not %g", dim, f.r.distance, step);
                ck_assert_double_eq_tol(f.normal[dim - 1], 1.0, 1e-12);
                ck_assert(f.r.lower <= step && step <= f.r.upper);
                clear(dim);
                memset(middle, 0, sizeof middle);
                add_simplex(add_a, 1.0, middle);
                add_simplex(add_b, -1.0, middle);
                for (size_t i = 0; i < f.count_b * dim; i++) {
                    f.b[i] += (2.0 + step) / (double)dim;
                }
                query(NULL);
                ck_assert_msg(fabs(f.r.distance - step / sqrt((double)dim)) <= 2e-14, "dim %zu: %g, not %g", dim, f.r.distance, step);
                ck_assert(exponent < -40 || f.r.relation == (sign > 0 ? APART_DISJOINT : sign < 0 ? APART_OVERLAPPING : APART_TOUCHING));
            }
        }
    }
}
END_TEST

/* ---- options and workspace ---- */

START_TEST(test_kinds_of_depth)
{
    static const apart_options exact = {0}, loose = {.tolerance = 0.25};
    static const apart_options bounds = {.depth = APART_DEPTH_BOUNDS}, none = {.depth = APART_DEPTH_NONE};
    seed = random_seed("kinds of depth");
    for (size_t dim = 1; dim <= 7; dim++) {
        clear(dim);
        add_random(add_a, 12, 0.0);
        add_random(add_b, 20, 0.1);
        memcpy(f.a, f.b, dim * sizeof(double));
        query(&exact);
        const apart_result_nd r = f.r;
        if (dim <= APART_ND_DEPTH_DIM) {
            check_overlap();
            query(&loose);
            ck_assert(f.r.relation == APART_OVERLAPPING && f.r.stop == APART_STOP_CONVERGED && f.r.upper - f.r.lower <= 0.25);
            ck_assert(f.r.lower <= r.lower + 1e-14 && r.upper - 1e-14 <= f.r.upper);
            query(&bounds);
            ck_assert(f.r.relation == APART_OVERLAPPING && f.r.stop == APART_STOP_CONVERGED && f.r.upper < 0.0);
            ck_assert(f.r.lower <= r.lower + 1e-14 && r.upper - 1e-14 <= f.r.upper && f.r.iterations <= r.iterations);
            ck_assert(f.r.lower <= f.r.distance && f.r.distance <= f.r.upper);
            check_witness(1e-14);
        } else {
            ck_assert(r.relation == APART_OVERLAPPING && r.stop == APART_STOP_WORKSPACE && r.distance == 0.0 && r.upper == 0.0);
            ck_assert(isfinite(r.lower) && (long double)r.lower <= -depth_along_normal() && r.lower < 0.0);
        }
        query(&none);
        ck_assert(f.r.relation == APART_OVERLAPPING && f.r.distance == 0.0 && f.r.upper == 0.0 && f.r.lower == -INFINITY);
    }
}
END_TEST

/* A point among many on a sphere in 6 dimensions: the surface has thousands of facets. */
START_TEST(test_full_workspace)
{
    seed = random_seed("full workspace");
    clear(6);
    add_a();
    add_on_sphere(add_b, 200);
    query(NULL);
    const apart_result_nd r = f.r;
    ck_assert(r.relation == APART_OVERLAPPING && r.stop == APART_STOP_WORKSPACE);
    ck_assert(r.lower <= r.distance && r.distance <= r.upper && r.upper < -0.3 && r.lower > -0.9);
    check_witness(1e-14);
    query_in(NULL, workspace, sizeof workspace);
    check_overlap();
    ck_assert(r.lower <= f.r.lower && f.r.upper <= r.upper);
    /* A workspace that is too small to be of use is not touched. */
    workspace[0] = 42.0;
    query_in(NULL, workspace, sizeof(double));
    ck_assert(f.r.stop == APART_STOP_WORKSPACE && workspace[0] == 42.0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nd depth");
    TCase *formula = tcase_create("formula"), *search = tcase_create("search"), *api = tcase_create("api");
    tcase_add_test(formula, test_cube_and_cube);
    tcase_add_test(formula, test_cross_polytopes);
    tcase_add_test(formula, test_cube_and_cross_polytope);
    tcase_add_test(formula, test_simplices);
    tcase_add_test(formula, test_through_contact);
    tcase_add_loop_test(search, test_exhaustive, 0, 4);
    tcase_add_test(search, test_plane_and_space);
    tcase_add_loop_test(search, test_awkward_bodies, 0, 6);
    tcase_add_test(search, test_many_pairs);
    tcase_add_test(api, test_scale_and_offset);
    tcase_add_test(api, test_kinds_of_depth);
    tcase_add_test(api, test_full_workspace);
    tcase_set_timeout(formula, 60.0);
    tcase_set_timeout(search, 120.0);
    tcase_set_timeout(api, 60.0);
    suite_add_tcase(suite, formula);
    suite_add_tcase(suite, search);
    suite_add_tcase(suite, api);
    return run_suite(suite);
}
