/* Depths in n dimensions against other code: the exhaustive search in rational numbers, and the queries in the plane
 * and in space. */
#include <check.h>
#include <gmp.h>
#include <math.h>
#include <stdbool.h>

#include "nd_overlaps.h"
#include "random.h"
#include "run_suite.h"

/* ---- depths by exhaustive search (Cameron and Culley 1986): the planes through any dim points of the Minkowski
 * difference ---- */

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

/* A plane y.w = 1 with all of the Minkowski difference behind it is 1 / |y| away: the largest y.y counts. */
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
    random_state = random_seed("exhaustive") + (uint64_t)_i;
    for (int round = 0; round < 400 && overlaps < 30; round++) {
        clear(1 + (size_t)round % 6);
        add_random(add_a, exhaustive_points[f.dim][0], 1.0, 0.0);
        add_random(add_b, exhaustive_points[f.dim][1], 1.0, 0.0);
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
    ck_assert_msg(r.lower <= f.r.upper && f.r.lower <= r.upper, "dim %zu: %.17g .. %.17g and %.17g .. %.17g", f.dim,
                  f.r.lower, f.r.upper, r.lower, r.upper);
}

START_TEST(test_plane_and_space)
{
    int overlaps = 0;
    random_state = random_seed("plane and space");
    for (int round = 0; round < 1200; round++) {
        static const double size[] = {0x1p-30, 0x1p-44, 0x1p-50};
        clear(2 + (size_t)round % 2);
        add_random(add_a, random_count(1, 16), 1.0, 0.0);
        add_random(add_b, random_count(1, 16), 1.0, random_signed(&random_state));
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

int main(void)
{
    Suite *suite = suite_create("nd_depth_reference");
    TCase *tests = tcase_create("reference");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, test_exhaustive, 0, 4);
    tcase_add_test(tests, test_plane_and_space);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
