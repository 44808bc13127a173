/* Depths in n dimensions that are known by formula: cubes, cross-polytopes, simplices, and motion through contact. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "nd_overlaps.h"
#include "run_suite.h"

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
        /* All axes have the same depth. */
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

/* Concentric: the least of (half j + radius) / sqrt j over the facet normals, which have j entries +-1. In 6
 * dimensions, 768 pairs, the workspace gets full. */
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
        /* Two alike, one moved by t along all axes: (2 +- j t) / sqrt j for facet normals with j entries 1, least for j
         * = dim. */
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

/* Two cubes and two simplices pushed into each other along the last axis and along the diagonal: the distance is the
 * step. */
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
                ck_assert_int_eq(f.r.relation, sign > 0   ? APART_DISJOINT
                                               : sign < 0 ? APART_OVERLAPPING
                                                          : APART_TOUCHING);
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
                ck_assert_msg(fabs(f.r.distance - step / sqrt((double)dim)) <= 2e-14, "dim %zu: %g, not %g", dim,
                              f.r.distance, step);
                ck_assert(exponent < -40 || f.r.relation == (sign > 0   ? APART_DISJOINT
                                                             : sign < 0 ? APART_OVERLAPPING
                                                                        : APART_TOUCHING));
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nd_depth_known");
    TCase *tests = tcase_create("known");
    tcase_set_timeout(tests, 60.0);
    tcase_add_test(tests, test_cube_and_cube);
    tcase_add_test(tests, test_cross_polytopes);
    tcase_add_test(tests, test_cube_and_cross_polytope);
    tcase_add_test(tests, test_simplices);
    tcase_add_test(tests, test_through_contact);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
