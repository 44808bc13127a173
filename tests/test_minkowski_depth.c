/* The exhaustive search over the faces of the Minkowski difference, with which the tests of depth compare: known
 * depths, and the exact distance after the bodies are separated. */
#include "depth_answers.h"
#include "depth_checks.h"
#include "minkowski_depth.h"
#include "run_suite.h"

START_TEST(reference_on_known_depths)
{
    double big[24], small[24];
    const double point[3] = {0.25, 0, 0}, edge[6] = {0.0, 0.0, -0.25, 0.0, 0.0, 0.25};
    cube_points(big, vec(1, 2, 3));
    cube_points(small, vec(0.5, 0.5, 0.5));
    const apart_pose inside = at(0.25, 0.5, -0.125), apart = at(1.5, 0, 0), far = at(2, 0, 0);
    minkowski_answer d;
    minkowski_depth(&(exact_points){big, 8, 3, NULL}, &(exact_points){small, 8, 3, &inside}, &d);
    ck_assert(d.inside && d.least == 1.25 && d.most == 1.25 && d.normal[0] == 1.0);
    minkowski_depth(&(exact_points){big, 8, 3, NULL}, &(exact_points){small, 8, 3, &apart}, &d);
    ck_assert(!d.inside);
    minkowski_depth(&(exact_points){big, 8, 3, NULL}, &(exact_points){small, 8, 3, &far}, &d);
    ck_assert(!d.inside);
    minkowski_depth(&(exact_points){big, 8, 3, NULL}, &(exact_points){point, 1, 3, NULL}, &d);
    ck_assert(d.inside && d.least == 0.75 && d.most == 0.75);
    minkowski_depth(&(exact_points){edge, 2, 3, NULL}, &(exact_points){big, 8, 3, NULL}, &d);
    ck_assert(d.inside && d.least == 1.0);
    minkowski_depth(&(exact_points){edge, 2, 3, NULL}, &(exact_points){edge, 2, 3, NULL}, &d);
    ck_assert(!d.inside);
    /* A tetrahedron in itself turned over: the depth is the distance of two opposite edges, 1/sqrt(3) of the face
     * direction. */
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0.125, 0.125, 0.125};
    minkowski_depth(&(exact_points){corner, 4, 3, NULL}, &(exact_points){origin, 1, 3, NULL}, &d);
    ck_assert(d.inside && d.least == 0.125);
    const double square[8] = {-1, -1, 1, -1, 1, 1, -1, 1}, diamond[8] = {2, 0, 0, 2, -2, 0, 0, -2};
    minkowski_depth(&(exact_points){square, 4, 2, NULL}, &(exact_points){diamond, 4, 2, NULL}, &d);
    ck_assert(d.inside && fabs(d.least - 2.0 * ROOT_2) <= 4 * EPS && d.least <= d.most &&
              d.most <= nextafter(d.least, 9));
}
END_TEST

/* After a displacement by the depth the bodies touch, after a little less they overlap: by the other exact oracle. */
START_TEST(reference_against_the_exact_distance)
{
    random_source r = 11;
    for (int i = 0; i < 40; i++) {
        double a[36], b[36];
        for (int k = 0; k < 36; k++) {
            a[k] = random_between(&r, -1, 1);
            b[k] = random_between(&r, -1, 1);
        }
        const size_t na = 4 + random_below(&r, 9), nb = 1 + random_below(&r, 12);
        minkowski_answer d;
        exact_answer e;
        minkowski_depth(&(exact_points){a, na, 3, NULL}, &(exact_points){b, nb, 3, NULL}, &d);
        exact_distance(&(exact_points){a, na, 3, NULL}, &(exact_points){b, nb, 3, NULL}, &e);
        ck_assert_int_eq(d.inside, e.relation == EXACT_OVERLAPPING);
        if (d.inside) {
            const double far = d.most + 1e-12, near = d.least - 1e-12;
            const apart_pose out = at(far * d.normal[0], far * d.normal[1], far * d.normal[2]);
            const apart_pose in = at(near * d.normal[0], near * d.normal[1], near * d.normal[2]);
            exact_distance(&(exact_points){a, na, 3, NULL}, &(exact_points){b, nb, 3, &out}, &e);
            ck_assert(e.relation == EXACT_DISJOINT && e.distance <= 2e-12);
            exact_distance(&(exact_points){a, na, 3, NULL}, &(exact_points){b, nb, 3, &in}, &e);
            ck_assert_int_eq(e.relation, EXACT_OVERLAPPING);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("minkowski depth");
    TCase *tests = tcase_create("reference");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, reference_on_known_depths);
    tcase_add_test(tests, reference_against_the_exact_distance);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
