/* Bodies that pass through each other, as in Cameron's Fig. 6(b): the signed distance and the side at every step; cold,
 * tracked, and with a surface kept. */
#include "depth_answers.h"
#include "depth_checks.h"
#include "run_suite.h"
#include "minkowski_depth.h"

static double memory[APART_DEPTH_CACHE_BYTES(256) / sizeof(double)];

/* B moves along x from one side of A to the other. The signed distance is |x| - width as long as x is the direction of
 * least depth. */
static void pass_through(const apart_shape *a, const apart_shape *b, double width, double tolerance)
{
    const apart_pose here = at(0, 0, 0);
    apart_depth_cache *surface = NULL;
    ck_assert_int_eq(apart_depth_cache_init(memory, sizeof memory, &surface), APART_OK);
    const apart_options tracked = {.depth_cache = surface};
    apart_cache plain = {.count = 0}, both = {.count = 0};
    for (int step = -160; step <= 160; step++) {
        const double x = step / 64.0 + (step % 2 == 0 ? 0.0 : 1e-9);
        const apart_pose pose = at(x, 0.0625, 0);
        const apart_result r[3] = {query(a, &here, b, &pose, NULL, NULL), query(a, &here, b, &pose, NULL, &plain),
                                   query(a, &here, b, &pose, &tracked, &both)};
        for (int k = 0; k < 3; k++) {
            ck_assert_msg(fabs(r[k].distance - (fabs(x) - width)) <= tolerance,
                          "%s in %s at %g, query %d: %.17g instead of %.17g", apart_shape_name(b), apart_shape_name(a),
                          x, k, r[k].distance, fabs(x) - width);
            if (x != 0.0) {
                ck_assert_msg(r[k].normal.x * x > 0.0 && fabs(fabs(r[k].normal.x) - 1.0) <= 1e-6,
                              "x = %g, query %d: the normal is %g %g %g", x, k, r[k].normal.x, r[k].normal.y,
                              r[k].normal.z);
            }
        }
    }
}

START_TEST(passing_through)
{
    box_forms a, b;
    make_forms(&a, vec(1, 4, 4));
    make_forms(&b, vec(0.5, 3, 3));
    for (int i = 0; i < 9; i++) {
        pass_through(&a.shape[i / 3], &b.shape[i % 3], 1.5, TIGHT * 4);
    }
    const apart_shape ball = apart_sphere(0.5), disc = apart_rounded(apart_box(vec(0.25, 3, 3)), 0.25),
                      flat = apart_box(vec(0, 3, 3)), egg = apart_ellipsoid(vec(0.5, 1, 1));
    pass_through(&a.shape[0], &ball, 1.5, TIGHT * 4);
    pass_through(&a.shape[1], &disc, 1.5, TIGHT * 4);
    pass_through(&a.shape[0], &flat, 1.0, TIGHT * 4);
    pass_through(&a.shape[0], &egg, 1.5, CURVED);
    const apart_shape wide = apart_rectangle(1, 4), narrow = apart_rectangle(0.5, 3), circle = apart_circle(0.5);
    pass_through(&wide, &narrow, 1.5, TIGHT * 4);
    pass_through(&wide, &circle, 1.5, TIGHT * 4);
    apart_hull_free(a.hull);
    apart_hull_free(b.hull);
}
END_TEST

/* The same for bodies of no symmetry: at each step the side is the exhaustive search's. */
START_TEST(hulls_passing_through)
{
    random_source r = 51;
    for (int i = 0; i < 12; i++) {
        double xyz[2][30];
        for (int k = 0; k < 30; k++) {
            xyz[0][k] = random_between(&r, -1, 1);
            xyz[1][k] = random_between(&r, -0.5, 0.5);
        }
        const apart_shape a = apart_points(xyz[0], 10), b = apart_points(xyz[1], 10);
        const apart_pose here = at(0, 0, 0);
        apart_depth_cache *surface = NULL;
        ck_assert_int_eq(apart_depth_cache_init(memory, sizeof memory, &surface), APART_OK);
        const apart_options tracked = {.depth_cache = surface};
        apart_cache plain = {.count = 0}, both = {.count = 0};
        for (int step = -20; step <= 20; step++) {
            const apart_pose pose = at(0.06 * step, 0.03 * step, 0.01);
            minkowski_answer d;
            minkowski_depth(&(exact_points){xyz[0], 10, 3, NULL}, &(exact_points){xyz[1], 10, 3, &pose}, &d);
            const apart_result cold = query(&a, &here, &b, &pose, NULL, NULL),
                               warm = query(&a, &here, &b, &pose, NULL, &plain),
                               kept = query(&a, &here, &b, &pose, &tracked, &both);
            const apart_result *all[3] = {&cold, &warm, &kept};
            for (int k = 0; d.inside && k < 3; k++) {
                ck_assert_msg(fabs(all[k]->distance + d.least) <= TIGHT * 4, "query %d: %.17g instead of %.17g", k,
                              all[k]->distance, -d.least);
                ck_assert(all[k]->upper - all[k]->lower <= 8 * TIGHT);
                ck_assert(separation(&a, &here, &b, &pose, all[k]->normal) >= -d.most - TIGHT);
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("depth_passing");
    TCase *tests = tcase_create("passing");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, passing_through);
    tcase_add_test(tests, hulls_passing_through);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
