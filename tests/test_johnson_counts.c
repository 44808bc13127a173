/* Johnson's sub-algorithm costs exactly what Cameron's footnote says (1997, section 3.3, item C6). The solver is
 * compiled into this program with the counters switched on, whatever the library was built with. */
#ifndef APART_INSTRUMENT
#define APART_INSTRUMENT
#endif
#include <check.h>
#include <stdlib.h>

#include "solvers/johnson.c"
#include "run_suite.h"

_Thread_local ap_operations ap_operation_count;

#define MAX_N 9u

static uint64_t multiplications(void) { return ap_operation_count.multiplications; }

START_TEST(test_table_costs_the_footnotes_counts)
{
    static double points[MAX_N * 3], dots[MAX_N * MAX_N], delta[MAX_N << (MAX_N - 1)];
    const unsigned n = (unsigned)_i;
    for (unsigned i = 0; i < 3 * n; i++) {
        points[i] = (double)(i * i % 17u) - 5.0;
    }
    uint64_t before = multiplications();
    ap_johnson_dots(n, 3, points, dots);
    ck_assert_uint_eq(multiplications() - before, 3u * (n * (n + 1u) / 2u));
    before = multiplications();
    ap_johnson_table(n, dots, delta);
    ck_assert_uint_eq(multiplications() - before, n < 2u ? 0u : n * (n - 1u) * ((1u << (n - 2u)) - 1u));
    ck_assert_uint_eq(ap_operation_count.divisions, 0u);
}
END_TEST

START_TEST(test_weights_cost_one_division_each)
{
    /* The closest point is inside the triangle of the first three. */
    const apart_vec3 w[4] = {{1.0, 0.0, 1.0}, {-1.0, 1.0, 1.0}, {-1.0, -1.0, 1.0}, {0.0, 0.0, 3.0}};
    ap_simplex s = {.count = 4};
    for (int i = 0; i < 4; i++) {
        s.vertex[i].w = w[i];
    }
    apart_vec3 v;
    ck_assert(!ap_solve_johnson(&s, 3, &v));
    ck_assert_int_eq(s.count, 3);
    ck_assert_uint_eq(ap_operation_count.divisions, 3u);
    /* 10 dot products, 36 for the table, 3 vectors scaled. */
    ck_assert_uint_eq(multiplications(), 30u + 36u + 9u);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("johnson_counts");
    TCase *tc = tcase_create("counts");
    tcase_add_loop_test(tc, test_table_costs_the_footnotes_counts, 1, (int)MAX_N + 1);
    tcase_add_test(tc, test_weights_cost_one_division_each);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
