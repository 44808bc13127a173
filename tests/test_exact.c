/* The exact oracle against hand-made cases and against the suite's case files. */
#include "exact.h"
#include "run_suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <apart/apart.h>
#include <apart/io.h>

static exact_answer solve(const double *a, size_t na, const double *b, size_t nb, int dim)
{
    const exact_points pa = {.coordinates = a, .count = na, .dim = dim},
                       pb = {.coordinates = b, .count = nb, .dim = dim};
    exact_answer out;
    exact_distance(&pa, &pb, &out);
    return out;
}

static void corners(double *out, double x, double y, double z, double half)
{
    for (int i = 0; i < 8; i++) {
        out[3 * i] = x + (i & 1 ? half : -half);
        out[3 * i + 1] = y + (i & 2 ? half : -half);
        out[3 * i + 2] = z + (i & 4 ? half : -half);
    }
}

START_TEST(points_of_two_bodies)
{
    const double a[3] = {0, 0, 0}, b[3] = {3, 4, 12};
    const exact_answer r = solve(a, 1, b, 1, 3);
    ck_assert_int_eq(r.relation, EXACT_DISJOINT);
    ck_assert_double_eq(r.distance, 13.0);
    ck_assert_double_eq(r.below, 13.0);
    ck_assert_double_eq(r.above, 13.0);
    ck_assert_double_eq(r.b[2], 12.0);
}
END_TEST

START_TEST(irrational_distance_is_rounded)
{
    const double a[3] = {0, 0, 0}, b[3] = {1, 1, 0};
    const exact_answer r = solve(a, 1, b, 1, 3);
    ck_assert_double_eq(r.distance, 0x1.6a09e667f3bcdp+0); /* sqrt(2), correctly rounded */
    ck_assert_double_lt(r.below, r.above);
    ck_assert_double_eq(nextafter(r.below, 2.0), r.above);
}
END_TEST

START_TEST(vertex_edge_and_face)
{
    const double triangle[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    const double above[3] = {1, 1, 0.5}, beside[3] = {2, -3, 0}, corner[3] = {-3, -4, 0};
    ck_assert_double_eq(solve(triangle, 3, above, 1, 3).distance, 0.5);
    ck_assert_double_eq(solve(triangle, 3, beside, 1, 3).distance, 3.0);
    ck_assert_double_eq(solve(triangle, 3, corner, 1, 3).distance, 5.0);
    const exact_answer r = solve(triangle, 3, above, 1, 3);
    ck_assert_double_eq(r.a[0], 1.0);
    ck_assert_double_eq(r.a[1], 1.0);
    ck_assert_double_eq(r.a[2], 0.0);
}
END_TEST

START_TEST(edges_that_cross)
{
    const double a[6] = {-1, 0, 0, 1, 0, 0}, b[6] = {0, -1, 0.25, 0, 1, 0.25};
    ck_assert_double_eq(solve(a, 2, b, 2, 3).distance, 0.25);
}
END_TEST

START_TEST(cubes_in_every_relation)
{
    double a[24], b[24];
    corners(a, 0, 0, 0, 1);
    const struct {
        double x, y, z;
        exact_relation relation;
    } rows[] = {{3, 0, 0, EXACT_DISJOINT},
                {2, 0, 0, EXACT_TOUCHING},
                {2, 2, 0, EXACT_TOUCHING},
                {2, 2, 2, EXACT_TOUCHING},
                {2, 1, 0.5, EXACT_TOUCHING},
                {1.75, 0, 0, EXACT_OVERLAPPING},
                {0, 0, 0, EXACT_OVERLAPPING},
                {1, 1, 1, EXACT_OVERLAPPING},
                {0x1.fffffffffffffp0, 0, 0, EXACT_OVERLAPPING},
                {0x1.0000000000001p1, 0, 0, EXACT_DISJOINT}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        corners(b, rows[i].x, rows[i].y, rows[i].z, 1);
        ck_assert_int_eq(solve(a, 8, b, 8, 3).relation, rows[i].relation);
    }
}
END_TEST

START_TEST(flat_bodies_have_no_interior)
{
    const double a[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0}, b[9] = {0, 0, 0, 5, 0, 0, 0, 5, 0};
    ck_assert_int_eq(solve(a, 4, b, 3, 3).relation, EXACT_TOUCHING);
    const double through[6] = {0, 0, -1, 0, 0, 1}; /* pierces the square: the difference has an interior */
    ck_assert_int_eq(solve(a, 4, through, 2, 3).relation, EXACT_OVERLAPPING);
    const double s[6] = {-1, 0, 0, 1, 0, 0}, t[6] = {0, -1, 0, 0, 1, 0};
    ck_assert_int_eq(solve(s, 2, t, 2, 3).relation, EXACT_TOUCHING);
}
END_TEST

START_TEST(the_plane_has_its_own_interior)
{
    const double s[4] = {-1, 0, 1, 0}, t[4] = {0, -1, 0, 1}, u[4] = {1, -1, 1, 1}, v[4] = {1.5, -1, 1.5, 1};
    ck_assert_int_eq(solve(s, 2, t, 2, 2).relation, EXACT_OVERLAPPING);
    ck_assert_int_eq(solve(s, 2, u, 2, 2).relation, EXACT_TOUCHING);
    ck_assert_double_eq(solve(s, 2, v, 2, 2).distance, 0.5);
}
END_TEST

START_TEST(poses_are_taken_as_they_are)
{
    /* A matrix that is only nearly a rotation: the oracle must not correct it. */
    const apart_pose pose = {{{1.0 + 0x1p-30, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {10, 0, 0}};
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0};
    const exact_points pa = {.coordinates = a, .count = 1, .dim = 3},
                       pb = {.coordinates = b, .count = 1, .dim = 3, .pose = &pose};
    exact_answer r;
    exact_distance(&pa, &pb, &r);
    ck_assert_double_eq(r.distance, 11.0 + 0x1p-30);
}
END_TEST

START_TEST(extreme_scales)
{
    const double a[6] = {0, 0, 0, 1e-150, 0, 0}, b[3] = {4e-150, 4e-150, 0}, far_away[3] = {0, 3e120, 0};
    const exact_answer r = solve(a, 2, b, 1, 3);
    ck_assert_double_eq_tol(r.distance / 5e-150, 1.0, 1e-15);
    ck_assert_double_eq(solve(a, 2, far_away, 1, 3).distance, 3e120);
}
END_TEST

START_TEST(depth_by_shifting)
{
    double a[24], b[24];
    corners(a, 0, 0, 0, 1);
    corners(b, 1.5, 0, 0, 1);
    const exact_points pa = {.coordinates = a, .count = 8, .dim = 3}, pb = {.coordinates = b, .count = 8, .dim = 3};
    ck_assert(exact_meets_within(&pa, &pb, 0.5));
    ck_assert(!exact_meets_within(&pa, &pb, 0.5625));
}
END_TEST

/* Every `stride`-th case of a file: exact value and relation. */
static void compare_with_cases(const char *path, int stride)
{
    apart_case_file *file = NULL;
    apart_io_error error;
    ck_assert_msg(apart_case_open(path, &file, &error) == APART_OK, "%s", error.message);
    apart_case c;
    int found = 0, compared = 0;
    for (int i = 0; apart_case_next(file, &c, &found, &error) == APART_OK && found; i++) {
        if (i % stride != 0 || !c.a.is_points || c.dim > 3 || c.a.count * c.b.count > 1600) {
            continue;
        }
        const exact_answer r = solve(c.a.coordinates, c.a.count, c.b.coordinates, c.b.count, (int)c.dim);
        const int meeting = r.relation == EXACT_TOUCHING ? APART_TOUCHING : APART_OVERLAPPING;
        const int relation = r.relation == EXACT_DISJOINT ? APART_DISJOINT : meeting;
        ck_assert_msg(relation == c.relation, "%s: relation %d, expected %d", c.name, relation, c.relation);
        ck_assert_msg(relation != APART_DISJOINT || r.distance == c.distance, "%s: %.17g, expected %.17g", c.name,
                      r.distance, c.distance);
        compared++;
    }
    ck_assert_int_eq(found, 0);
    ck_assert_int_gt(compared, 20);
    apart_case_close(file);
}

START_TEST(case_files) { compare_with_cases(APART_TEST_CASES "/polytopes.txt", 5); }
END_TEST

int main(void)
{
    Suite *suite = suite_create("exact");
    TCase *t = tcase_create("exact");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, points_of_two_bodies);
    tcase_add_test(t, irrational_distance_is_rounded);
    tcase_add_test(t, vertex_edge_and_face);
    tcase_add_test(t, edges_that_cross);
    tcase_add_test(t, cubes_in_every_relation);
    tcase_add_test(t, flat_bodies_have_no_interior);
    tcase_add_test(t, the_plane_has_its_own_interior);
    tcase_add_test(t, poses_are_taken_as_they_are);
    tcase_add_test(t, extreme_scales);
    tcase_add_test(t, depth_by_shifting);
    tcase_add_test(t, case_files);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
