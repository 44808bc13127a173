/* The distance in n dimensions: analytic pairs, certificates checked in long double by code of its own, scale and
 * offset, contact, options. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apart/nd.h>

#include "nd_pair.h"
#include "run_suite.h"

static const size_t dims[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 64};
enum { dim_count = sizeof dims / sizeof dims[0] };

static double workspace[120000];

static double uniform(void) { return random_signed(&random_state); } /* [-1, 1) */

static apart_status query(const apart_options *options)
{
    ck_assert_uint_le(apart_nd_workspace_size(f.dim), sizeof workspace);
    return query_in(options, workspace, sizeof workspace);
}

/* ---- the certificate, checked without the solver's code ---- */

/* n.(x - a_0) / |n| */
static long double height(const double *x)
{
    long double sum = 0.0L, square = 0.0L;
    for (size_t k = 0; k < f.dim; k++) {
        sum += (long double)f.normal[k] * ((long double)x[k] - (long double)f.a[k]);
        square += (long double)f.normal[k] * (long double)f.normal[k];
    }
    return sum / sqrtl(square);
}

/* What the normal proves: the distance is at least this. */
static long double proved_lower(void)
{
    long double of_a = -INFINITY, of_b = INFINITY;
    for (size_t i = 0; i < f.count_a; i++) {
        const long double h = height(f.a + i * f.dim);
        of_a = h > of_a ? h : of_a;
    }
    for (size_t i = 0; i < f.count_b; i++) {
        const long double h = height(f.b + i * f.dim);
        of_b = h < of_b ? h : of_b;
    }
    return of_b - of_a;
}

/* What the weights prove: the distance is at most this. */
static long double proved_upper(void)
{
    long double square = 0.0L, weight = 0.0L;
    for (uint32_t i = 0; i < f.r.count; i++) {
        weight += (long double)f.lambda[i];
    }
    for (size_t k = 0; k < f.dim; k++) {
        long double sum = 0.0L;
        for (uint32_t i = 0; i < f.r.count; i++) {
            sum += (long double)f.lambda[i] *
                   ((long double)f.b[f.index_b[i] * f.dim + k] - (long double)f.a[f.index_a[i] * f.dim + k]);
        }
        square += sum * sum;
    }
    return sqrtl(square) / weight;
}

/* Everything a result that is not an overlap must satisfy. */
static void check_certificate(void)
{
    const double side = largest_side();
    const long double slack = 1e-17L * (long double)side * sqrtl((long double)f.dim);
    const long double lower = proved_lower(), upper = proved_upper();
    ck_assert_msg(f.r.lower <= f.r.distance && f.r.distance <= f.r.upper, "%g not in %g .. %g", f.r.distance, f.r.lower,
                  f.r.upper);
    ck_assert_msg((long double)f.r.lower <= lower + slack, "dim %zu: lower %.17g, proved %.17Lg", f.dim, f.r.lower,
                  lower);
    ck_assert_msg((long double)f.r.upper >= upper - slack, "dim %zu: upper %.17g, proved %.17Lg", f.dim, f.r.upper,
                  upper);
    ck_assert_msg((long double)f.r.lower <= upper, "dim %zu: lower %.17g above a point at %.17Lg", f.dim, f.r.lower,
                  upper);
    ck_assert_uint_ge(f.r.count, 1);
    ck_assert_uint_le(f.r.count, f.dim + 1);
    double sum = 0.0, norm = 0.0;
    for (uint32_t i = 0; i < f.r.count; i++) {
        ck_assert(f.lambda[i] >= 0.0 && f.lambda[i] <= 1.0 + 1e-15 && f.index_a[i] < f.count_a &&
                  f.index_b[i] < f.count_b);
        sum += f.lambda[i];
    }
    for (size_t k = 0; k < f.dim; k++) {
        norm += f.normal[k] * f.normal[k];
    }
    ck_assert_double_eq_tol(sum, 1.0, 1e-15 * (double)(f.dim + 4));
    ck_assert_double_eq_tol(norm, 1.0, 1e-14);
}

static void check_tight(void)
{
    check_certificate();
    const double side = largest_side();
    ck_assert_msg(f.r.upper - f.r.lower <= 1e-11 * side, "dim %zu: width %g of %g", f.dim, f.r.upper - f.r.lower, side);
    ck_assert_int_eq(f.r.stop, APART_STOP_CONVERGED);
}

static void check_distance(double want)
{
    const double side = largest_side();
    check_tight();
    ck_assert_msg(fabs(f.r.distance - want) <= 1e-12 * side, "dim %zu: distance %.17g, not %.17g", f.dim, f.r.distance,
                  want);
    ck_assert(f.r.lower <= want + DBL_EPSILON * want && want - DBL_EPSILON * want <= f.r.upper);
    ck_assert_int_eq(f.r.relation, want > 0.0 ? APART_DISJOINT : APART_TOUCHING);
    double square = 0.0;
    for (size_t k = 0; k < f.dim; k++) {
        square += (f.point_b[k] - f.point_a[k]) * (f.point_b[k] - f.point_a[k]);
    }
    ck_assert_msg(fabs(sqrt(square) - want) <= 1e-12 * side, "dim %zu: witness points %.17g apart, not %.17g", f.dim,
                  sqrt(square), want);
}

/* ---- bodies ---- */

/* The corners 0/1, scaled and moved: 2^dim points. */
static void add_cube(double *(*add)(void), double size, const double *offset)
{
    for (size_t i = 0; i < (size_t)1 << f.dim; i++) {
        double *x = add();
        for (size_t k = 0; k < f.dim; k++) {
            x[k] = offset[k] + (i >> k & 1u ? size : 0.0);
        }
    }
}

/* +-radius on each axis around a centre. */
static void add_cross_polytope(double *(*add)(void), double radius, const double *centre)
{
    for (size_t i = 0; i < 2 * f.dim; i++) {
        double *x = add();
        memcpy(x, centre, f.dim * sizeof *x);
        x[i / 2] += i % 2 == 0 ? radius : -radius;
    }
}

static void fill(double *x, double value)
{
    for (size_t k = 0; k < f.dim; k++) {
        x[k] = value;
    }
}

/* ---- analytic answers ---- */

START_TEST(test_point_and_standard_simplex)
{
    clear(dims[_i]);
    fill(add_a(), 0.0);
    for (size_t i = 0; i < f.dim; i++) {
        double *x = add_b();
        fill(x, 0.0);
        x[i] = 1.0;
    }
    ck_assert_int_eq(query(NULL), APART_OK);
    check_distance(1.0 / sqrt((double)f.dim));
    ck_assert_uint_eq(f.r.count, f.dim);
}
END_TEST

START_TEST(test_cross_polytopes)
{
    double centre[MAX_DIM];
    clear(dims[_i]);
    fill(centre, 0.0);
    add_cross_polytope(add_a, 1.0, centre);
    /* Along the diagonal, facets face each other at 1/sqrt(n) from the centres. */
    const double t = 3.0 / sqrt((double)f.dim);
    fill(centre, t);
    add_cross_polytope(add_b, 1.0, centre);
    ck_assert_int_eq(query(NULL), APART_OK);
    check_distance(t * sqrt((double)f.dim) - 2.0 / sqrt((double)f.dim));
    /* Along an axis, vertex to vertex. */
    fill(centre, 0.0);
    centre[f.dim - 1] = 2.5;
    f.count_b = 0;
    add_cross_polytope(add_b, 1.0, centre);
    ck_assert_int_eq(query(NULL), APART_OK);
    check_distance(0.5);
    /* Vertex on vertex, then a little into each other, then concentric. */
    static const double along[] = {2.0, 1.999, 0.0};
    for (size_t i = 0; i < 3; i++) {
        fill(centre, 0.0);
        centre[f.dim - 1] = along[i];
        f.count_b = 0;
        add_cross_polytope(add_b, 1.0, centre);
        ck_assert_int_eq(query(NULL), APART_OK);
        ck_assert_int_eq(f.r.relation, i == 0 ? APART_TOUCHING : APART_OVERLAPPING);
    }
}
END_TEST

START_TEST(test_cubes)
{
    double offset[MAX_DIM];
    for (size_t dim = 1; dim <= 9; dim++) {
        for (size_t apart = 1; apart <= dim; apart++) {
            clear(dim);
            fill(offset, 0.0);
            add_cube(add_a, 1.0, offset);
            double square = 0.0;
            for (size_t k = 0; k < apart; k++) {
                offset[k] = 1.0 + 0.25 * (double)(k + 1);
                square += (offset[k] - 1.0) * (offset[k] - 1.0);
            }
            add_cube(add_b, 1.0, offset);
            ck_assert_int_eq(query(NULL), APART_OK);
            check_distance(sqrt(square));
        }
    }
}
END_TEST

START_TEST(test_single_points)
{
    clear(dims[_i]);
    fill(add_a(), 1.0);
    fill(add_b(), 3.0);
    ck_assert_int_eq(query(NULL), APART_OK);
    check_distance(2.0 * sqrt((double)f.dim));
    fill(f.b, 1.0);
    ck_assert_int_eq(query(NULL), APART_OK);
    check_distance(0.0);
}
END_TEST

/* ---- random pairs: the certificate is the judge ---- */

START_TEST(test_random_pairs)
{
    random_state = random_seed_or("test_random_pairs", 20240311u + (uint64_t)_i);
    for (int round = 0; round < (dims[_i] > 16 ? 4 : 40); round++) {
        clear(dims[_i]);
        add_random(add_a, 1 + (size_t)(60.0 * fabs(uniform())), 1.0, 0.0);
        add_random(add_b, 1 + (size_t)(60.0 * fabs(uniform())), 1.0, 0.5 + 2.0 * fabs(uniform()));
        ck_assert_int_eq(query(NULL), APART_OK);
        if (f.r.relation != APART_OVERLAPPING) {
            check_tight();
        }
    }
}
END_TEST

/* Flat, repeated and needle-shaped sets: coordinates from a small grid, some of them squeezed. */
START_TEST(test_degenerate_pairs)
{
    static const double squeeze[] = {1.0, 0.0, 1e-8, 1e-13, 1e-16};
    random_state = random_seed_or("test_degenerate_pairs", 20240312u + (uint64_t)_i);
    for (int round = 0; round < 300; round++) {
        const size_t dim = 2 + (size_t)round % 5;
        clear(dim);
        add_random(add_a, 1 + (size_t)(14.0 * fabs(uniform())), 2.5, 0.0);
        add_random(add_b, 1 + (size_t)(14.0 * fabs(uniform())), 2.5, 3.0);
        for (size_t i = 0; i < f.count_a * dim; i++) {
            f.a[i] = floor(f.a[i]) + (i % dim > 0 ? 0.0 : squeeze[round / 7 % 5] * uniform());
        }
        for (size_t i = 0; i < f.count_b * dim; i++) {
            f.b[i] = i % dim == dim - 1 ? f.b[i] * squeeze[round % 5] : floor(f.b[i]);
        }
        const apart_options options = {.solver = (uint8_t)_i};
        ck_assert_int_eq(query(&options), APART_OK);
        if (f.r.relation != APART_OVERLAPPING) {
            check_tight();
        }
        ck_assert_msg(_i != APART_SOLVER_DEFAULT || f.r.fallback == 0, "round %d: the default needed its fallback",
                      round);
        ck_assert_int_eq(f.r.solver,
                         _i == APART_SOLVER_JOHNSON || _i == APART_SOLVER_LEAST_SQUARES ? _i : APART_SOLVER_DEFAULT);
    }
}
END_TEST

START_TEST(test_scale_and_offset)
{
    static const double scale[] = {0x1p-498, 0x1p-1000, 0x1p398, 0x1p990};
    static double a[MAX_POINTS * MAX_DIM], b[MAX_POINTS * MAX_DIM];
    random_state = random_seed_or("test_scale_and_offset", 20240313u);
    for (size_t dim = 2; dim <= 6; dim++) {
        clear(dim);
        add_random(add_a, 20, 1.0, 0.0);
        add_random(add_b, 20, 1.0, 2.5);
        memcpy(a, f.a, sizeof a);
        memcpy(b, f.b, sizeof b);
        ck_assert_int_eq(query(NULL), APART_OK);
        const apart_result_nd unit = f.r;
        ck_assert_int_eq(unit.relation, APART_DISJOINT);
        for (size_t k = 0; k < sizeof scale / sizeof scale[0]; k++) {
            for (size_t i = 0; i < 20 * dim; i++) {
                f.a[i] = a[i] * scale[k];
                f.b[i] = b[i] * scale[k];
            }
            ck_assert_int_eq(query(NULL), APART_OK);
            ck_assert_double_eq(f.r.distance, unit.distance * scale[k]);
            ck_assert_double_eq(f.r.lower, unit.lower * scale[k]);
            ck_assert_double_eq(f.r.upper, unit.upper * scale[k]);
        }
        /* With a common offset the doubles given are other ones, but the certificate is as tight. */
        for (size_t i = 0; i < 20 * dim; i++) {
            f.a[i] = a[i] + 1e8;
            f.b[i] = b[i] + 1e8;
        }
        ck_assert_int_eq(query(NULL), APART_OK);
        check_tight();
        ck_assert_double_eq_tol(f.r.distance, unit.distance, 1e-7);
    }
}
END_TEST

START_TEST(test_subnormal_numbers)
{
    clear(3);
    for (size_t i = 0; i < 4; i++) {
        double *x = add_a(), *y = add_b();
        for (size_t k = 0; k < 3; k++) {
            x[k] = i == k + 1 ? 5.0 * DBL_TRUE_MIN : 0.0;
            y[k] = x[k] + 7.0 * DBL_TRUE_MIN;
        }
    }
    ck_assert_int_eq(query(NULL), APART_OK);
    ck_assert_int_eq(f.r.relation, APART_DISJOINT);
    /* From the facet x + y + z = 5 to the point (7, 7, 7): 16 / sqrt 3 = 9.24 of the smallest steps. */
    ck_assert(f.r.lower >= 9.0 * DBL_TRUE_MIN && f.r.lower <= 9.0 * DBL_TRUE_MIN);
    ck_assert(f.r.upper >= 10.0 * DBL_TRUE_MIN && f.r.upper <= 10.0 * DBL_TRUE_MIN);
}
END_TEST

START_TEST(test_swap)
{
    static double saved[MAX_POINTS * MAX_DIM];
    random_state = random_seed_or("test_swap", 20240314u);
    for (size_t dim = 1; dim <= 8; dim++) {
        clear(dim);
        add_random(add_a, 15, 1.0, 0.0);
        add_random(add_b, 15, 1.0, 2.0);
        ck_assert_int_eq(query(NULL), APART_OK);
        const apart_result_nd r = f.r;
        memcpy(saved, f.a, sizeof saved);
        memcpy(f.a, f.b, sizeof f.a);
        memcpy(f.b, saved, sizeof f.b);
        ck_assert_int_eq(query(NULL), APART_OK);
        ck_assert_int_eq(f.r.relation, r.relation);
        ck_assert(f.r.relation == APART_OVERLAPPING || (f.r.lower <= r.upper && r.lower <= f.r.upper));
    }
}
END_TEST

/* ---- contact ---- */

/* Two unit cubes; the second is moved by 1 along `touching` axes and by `overlap` along the rest. */
static void touch_cubes(size_t dim, size_t touching, double overlap, uint8_t solver, int want)
{
    double offset[MAX_DIM];
    const apart_options options = {.solver = solver};
    clear(dim);
    fill(offset, 0.0);
    add_cube(add_a, 1.0, offset);
    for (size_t k = 0; k < dim; k++) {
        offset[k] = k < touching ? 1.0 : overlap;
    }
    add_cube(add_b, 1.0, offset);
    ck_assert_int_eq(query(&options), APART_OK);
    ck_assert_msg(f.r.relation == want, "dim %zu, %zu touching, overlap %g, solver %d: relation %d, lower %g, upper %g",
                  dim, touching, overlap, solver, f.r.relation, f.r.lower, f.r.upper);
    if (want == APART_TOUCHING) {
        check_tight();
        ck_assert(f.r.distance <= 1e-14);
    } else if (dim <= APART_ND_DEPTH_DIM) {
        ck_assert_double_eq_tol(f.r.distance, overlap - 1.0, 1e-14);
        ck_assert(f.r.lower <= overlap - 1.0 && overlap - 1.0 <= f.r.upper && f.r.upper - f.r.lower <= 1e-13);
    } else {
        ck_assert(f.r.distance == 0.0 && f.r.upper == 0.0 && f.r.lower <= overlap - 1.0 && f.r.lower > -INFINITY);
    }
}

START_TEST(test_touching_and_overlapping_cubes)
{
    static const uint8_t solver[] = {APART_SOLVER_DEFAULT, APART_SOLVER_JOHNSON, APART_SOLVER_LEAST_SQUARES};
    static const double overlap[] = {0.0, 0.5, 0.3, 1e-3, 1e-9, 1e-12};
    for (size_t s = 0; s < 3; s++) {
        for (size_t dim = 1; dim <= 7; dim++) {
            for (size_t k = 0; k < sizeof overlap / sizeof overlap[0]; k++) {
                for (size_t touching = 1; touching <= dim; touching++) {
                    touch_cubes(dim, touching, overlap[k], solver[s], APART_TOUCHING);
                }
                touch_cubes(dim, 0, overlap[k], solver[s], APART_OVERLAPPING);
                touch_cubes(dim, 0, 1.0 - overlap[k], solver[s], overlap[k] > 0.0 ? APART_OVERLAPPING : APART_TOUCHING);
            }
        }
    }
}
END_TEST

START_TEST(test_flat_bodies_touch)
{
    for (size_t dim = 2; dim <= 6; dim++) {
        /* Crossing segments: the Minkowski difference has an interior in the plane only. */
        clear(dim);
        for (int sign = -1; sign <= 1; sign += 2) {
            double *x = add_a(), *y = add_b();
            fill(x, 0.25);
            fill(y, 0.25);
            x[0] += sign;
            y[1] += sign;
        }
        ck_assert_int_eq(query(NULL), APART_OK);
        ck_assert_int_eq(f.r.relation, dim == 2 ? APART_OVERLAPPING : APART_TOUCHING);
        /* A segment through a cube overlaps. */
        double offset[MAX_DIM];
        fill(offset, -0.5);
        f.count_b = 0;
        add_cube(add_b, 1.0, offset);
        ck_assert_int_eq(query(NULL), APART_OK);
        ck_assert_int_eq(f.r.relation, APART_OVERLAPPING);
        /* A point on the boundary, one inside, the same set twice in a hyperplane. */
        f.count_a = 0;
        fill(add_a(), 0.5);
        ck_assert_int_eq(query(NULL), APART_OK);
        ck_assert_int_eq(f.r.relation, APART_TOUCHING);
        check_tight();
        fill(f.a, 0.4375);
        ck_assert_int_eq(query(NULL), APART_OK);
        ck_assert_int_eq(f.r.relation, APART_OVERLAPPING);
        for (size_t i = 0; i < f.count_b; i++) {
            f.b[i * dim + dim - 1] = 3.0;
        }
        memcpy(f.a, f.b, sizeof f.a);
        f.count_a = f.count_b;
        ck_assert_int_eq(query(NULL), APART_OK);
        ck_assert_int_eq(f.r.relation, APART_TOUCHING);
        check_tight();
    }
}
END_TEST

/* Grid points in contact: a touching pair's normal proves it (checked by the certificate); an overlapping one stays in
 * contact when moved a little along any axis. */
START_TEST(test_contact_of_grid_points)
{
    int seen[3] = {0, 0, 0};
    random_state = random_seed_or("test_contact_of_grid_points", 20240315u);
    for (int round = 0; round < 400; round++) {
        const size_t dim = 2 + (size_t)round % 4;
        clear(dim);
        add_random(add_a, 2 + (size_t)(9.0 * fabs(uniform())), 2.0, 0.0);
        add_random(add_b, 2 + (size_t)(9.0 * fabs(uniform())), 2.0, 1.0);
        for (size_t i = 0; i < (f.count_a > f.count_b ? f.count_a : f.count_b) * dim; i++) {
            f.a[i] = floor(f.a[i]);
            f.b[i] = floor(f.b[i]);
        }
        ck_assert_int_eq(query(NULL), APART_OK);
        const int relation = f.r.relation;
        seen[relation]++;
        if (relation != APART_OVERLAPPING) {
            check_tight();
            continue;
        }
        for (size_t k = 0; k < 2 * dim; k++) {
            const double step = k % 2 == 0 ? 0x1p-20 : -0x1p-20;
            for (size_t i = 0; i < f.count_a; i++) {
                f.a[i * dim + k / 2] += step;
            }
            ck_assert_int_eq(query(NULL), APART_OK);
            ck_assert_msg(f.r.relation == APART_OVERLAPPING, "round %d: after a small step, relation %d", round,
                          f.r.relation);
            for (size_t i = 0; i < f.count_a; i++) {
                f.a[i * dim + k / 2] -= step;
            }
        }
    }
    ck_assert_msg(seen[APART_DISJOINT] > 20 && seen[APART_TOUCHING] > 20 && seen[APART_OVERLAPPING] > 20,
                  "%d disjoint, %d touching, %d overlapping", seen[0], seen[1], seen[2]);
}
END_TEST

/* ---- solvers, options, statuses ---- */

/* On well-shaped pairs the papers' solvers find the answer by themselves. */
START_TEST(test_papers_solvers)
{
    static const uint8_t solver[] = {APART_SOLVER_JOHNSON, APART_SOLVER_LEAST_SQUARES};
    random_state = random_seed_or("test_papers_solvers", 20240318u);
    for (int round = 0; round < 60; round++) {
        clear(1 + (size_t)round % 8);
        add_random(add_a, 20, 1.0, 0.0);
        add_random(add_b, 20, 1.0, 3.0);
        ck_assert_int_eq(query(NULL), APART_OK);
        const double distance = f.r.distance;
        const apart_options options = {.solver = solver[round % 2], .no_fallback = 1};
        ck_assert_int_eq(query(&options), APART_OK);
        check_certificate();
        ck_assert_int_eq(f.r.solver, solver[round % 2]);
        ck_assert_msg(f.r.upper - f.r.lower <= 1e-10 * largest_side(), "dim %zu: width %g", f.dim,
                      f.r.upper - f.r.lower);
        ck_assert_double_eq_tol(f.r.distance, distance, 1e-10);
    }
}
END_TEST

/* Long thin sets close to each other: Johnson's own answer has an open gap, which the fallback closes. */
START_TEST(test_fallback)
{
    apart_stats stats = {0};
    apart_options options = {.solver = APART_SOLVER_JOHNSON, .stats = &stats};
    unsigned fallbacks = 0, open = 0;
    random_state = random_seed_or("test_fallback", 20240316u);
    for (int round = 0; round < 100; round++) {
        clear(4);
        add_random(add_a, 20, 1.0, 0.0);
        add_random(add_b, 20, 1.0, 0.0);
        for (size_t i = 0; i < 20; i++) {
            f.a[4 * i + 1] = -1e-7 * fabs(f.a[4 * i + 1]);
            f.b[4 * i + 1] = 1e-9 + 1e-7 * fabs(f.b[4 * i + 1]);
        }
        ck_assert_int_eq(query(NULL), APART_OK);
        check_tight();
        ck_assert_msg(f.r.fallback == 0, "round %d: the default needed its fallback", round);
        options.no_fallback = 0;
        ck_assert_int_eq(query(&options), APART_OK);
        check_tight();
        ck_assert_int_eq(f.r.solver, APART_SOLVER_JOHNSON);
        fallbacks += f.r.fallback;
        options.no_fallback = 1;
        ck_assert_int_eq(query(&options), APART_OK);
        check_certificate();
        ck_assert_int_eq(f.r.fallback, 0);
        open += f.r.stop == APART_STOP_ROUNDING;
    }
    ck_assert_msg(fallbacks > 5 && open > 5, "%u fallbacks, %u open gaps", fallbacks, open);
    ck_assert_uint_eq(stats.fallbacks, fallbacks);
    ck_assert_uint_eq(stats.queries, 200);
}
END_TEST

START_TEST(test_limits)
{
    apart_options options = {.max_iterations = 1};
    random_state = random_seed_or("test_limits", 20240317u);
    clear(6);
    add_random(add_a, 50, 1.0, 0.0);
    add_random(add_b, 50, 1.0, 3.0);
    ck_assert_int_eq(query(&options), APART_OK);
    check_certificate();
    ck_assert_int_eq(f.r.stop, APART_STOP_ITERATIONS);
    ck_assert_uint_eq(f.r.iterations, 1);
    ck_assert_int_eq(query(NULL), APART_OK);
    const double distance = f.r.distance;
    options = (apart_options){.cutoff = 0.5 * distance};
    ck_assert_int_eq(query(&options), APART_OK);
    check_certificate();
    ck_assert(f.r.relation == APART_BEYOND && f.r.stop == APART_STOP_CUTOFF && f.r.lower >= 0.5 * distance);
    options = (apart_options){.cutoff = 2.0 * distance};
    ck_assert_int_eq(query(&options), APART_OK);
    check_distance(distance);
    options = (apart_options){.tolerance = 0.5};
    ck_assert_int_eq(query(&options), APART_OK);
    check_certificate();
    ck_assert(f.r.stop == APART_STOP_CONVERGED && f.r.upper - f.r.lower <= 0.5);
}
END_TEST

START_TEST(test_statuses)
{
    double x[2] = {0.0, 1.0};
    const apart_points_nd p = {x, 1}, none = {x, 0}, null = {NULL, 1};
    apart_result_nd r = {.distance = 42.0};
    ck_assert_int_eq(apart_distance_nd(2, NULL, &p, NULL, NULL, 0, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance_nd(2, &p, NULL, NULL, NULL, 0, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance_nd(2, &p, &p, NULL, NULL, 0, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance_nd(2, &null, &p, NULL, NULL, 0, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance_nd(2, &none, &p, NULL, NULL, 0, &r), APART_ERR_EMPTY);
    ck_assert_int_eq(apart_distance_nd(0, &p, &p, NULL, NULL, 0, &r), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_distance_nd(APART_ND_MAX_DIM + 1, &p, &p, NULL, NULL, 0, &r), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_distance_nd(17, &p, &p, NULL, NULL, 0, &r), APART_ERR_NULL);
    ck_assert_int_eq(apart_distance_nd(17, &p, &p, NULL, workspace, apart_nd_workspace_size(17) - 1, &r),
                     APART_ERR_SIZE);
    static const apart_options bad[] = {{.solver = APART_SOLVER_COUNT},
                                        {.support = APART_SUPPORT_COUNT},
                                        {.depth = 3},
                                        {.no_fallback = 2},
                                        {.cutoff = -1.0},
                                        {.cutoff = NAN},
                                        {.tolerance = -1.0},
                                        {.tolerance = NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_int_eq(apart_distance_nd(2, &p, &p, &bad[i], NULL, 0, &r), APART_ERR_OPTION);
    }
    double y[2] = {0.0, NAN};
    const apart_points_nd q = {y, 1};
    ck_assert_int_eq(apart_distance_nd(2, &p, &q, NULL, NULL, 0, &r), APART_ERR_NONFINITE);
    y[1] = INFINITY;
    ck_assert_int_eq(apart_distance_nd(2, &q, &p, NULL, NULL, 0, &r), APART_ERR_NONFINITE);
    y[1] = -DBL_MAX;
    x[1] = DBL_MAX;
    ck_assert_int_eq(apart_distance_nd(2, &q, &p, NULL, NULL, 0, &r), APART_ERR_OVERFLOW);
    ck_assert_double_eq(r.distance, 42.0);
    ck_assert_uint_eq(apart_nd_workspace_size(16), 0);
    ck_assert_uint_gt(apart_nd_workspace_size(17), 0);
    ck_assert_uint_eq(apart_nd_workspace_size(APART_ND_MAX_DIM + 1), 0);
    x[1] = y[1] = 1.0;
    ck_assert_int_eq(apart_distance_nd(2, &q, &p, NULL, NULL, 0, &r), APART_OK);
    ck_assert_double_eq(r.distance, 0.0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nd");
    TCase *analytic = tcase_create("analytic"), *random = tcase_create("random");
    TCase *contact = tcase_create("contact"), *api = tcase_create("api");
    tcase_add_loop_test(analytic, test_point_and_standard_simplex, 0, dim_count);
    tcase_add_loop_test(analytic, test_cross_polytopes, 0, dim_count);
    tcase_add_test(analytic, test_cubes);
    tcase_add_loop_test(analytic, test_single_points, 0, dim_count);
    tcase_add_loop_test(random, test_random_pairs, 0, dim_count);
    tcase_add_loop_test(random, test_degenerate_pairs, 0, APART_SOLVER_COUNT);
    tcase_add_test(random, test_scale_and_offset);
    tcase_add_test(random, test_subnormal_numbers);
    tcase_add_test(random, test_swap);
    tcase_add_test(contact, test_touching_and_overlapping_cubes);
    tcase_add_test(contact, test_flat_bodies_touch);
    tcase_add_test(contact, test_contact_of_grid_points);
    tcase_add_test(api, test_papers_solvers);
    tcase_add_test(api, test_fallback);
    tcase_add_test(api, test_limits);
    tcase_add_test(api, test_statuses);
    tcase_set_timeout(analytic, 60.0);
    tcase_set_timeout(random, 60.0);
    tcase_set_timeout(contact, 60.0);
    suite_add_tcase(suite, analytic);
    suite_add_tcase(suite, random);
    suite_add_tcase(suite, contact);
    suite_add_tcase(suite, api);
    return run_suite(suite);
}
