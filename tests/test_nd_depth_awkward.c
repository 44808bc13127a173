/* Depths in n dimensions where the answer's own bounds and certificate are the judge: bodies in awkward positions,
 * swapped, many pairs, other scales and offsets. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "nd_overlaps.h"
#include "random.h"
#include "run_suite.h"

/* Turns a plane of two axes by an angle with cosine 0.6 or so, a few times. */
static void turn(void)
{
    for (int step = 0; step < 12; step++) {
        const size_t p = random_count(0, f.dim - 1), q = (p + random_count(1, f.dim - 1)) % f.dim;
        const double t = random_signed(&random_state), c = (1.0 - t * t) / (1.0 + t * t), s = 2.0 * t / (1.0 + t * t);
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

static void make_awkward(int kind)
{
    const size_t count_a = random_count(1, 16);
    clear(2 + random_count(0, 4));
    if (kind == 0) {
        add_on_sphere(add_a, count_a);
        add_on_sphere(add_b, 256 / count_a > 24 ? 24 : 256 / count_a);
        return;
    }
    add_random(add_a, count_a, 1.0, 0.0);
    add_random(add_b, random_count(1, 16), 1.0, 0.0);
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
                f.b[i * f.dim + k] = f.b[(i - 1) * f.dim + k] + size * random_signed(&random_state);
            }
        }
    }
}

START_TEST(test_awkward_bodies)
{
    int overlaps = 0;
    random_state = random_seed("awkward bodies") + (uint64_t)_i;
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
        ck_assert_msg(f.r.lower <= r.upper && r.lower <= f.r.upper, "dim %zu: %.17g .. %.17g, swapped %.17g .. %.17g",
                      f.dim, r.lower, r.upper, f.r.lower, f.r.upper);
    }
    ck_assert_int_gt(overlaps, 40);
}
END_TEST

/* More than 256 pairs are no different as long as the surface has room. */
START_TEST(test_many_pairs)
{
    random_state = random_seed("many pairs");
    for (size_t dim = 2; dim <= 5; dim++) {
        clear(dim);
        add_random(add_a, 60, 1.0, 0.0);
        add_random(add_b, 60, 1.0, 0.5);
        query(NULL);
        check_overlap();
    }
}
END_TEST

START_TEST(test_scale_and_offset)
{
    static const double scale[] = {0x1p-498, 0x1p-1000, 0x1p398, 0x1p990};
    static double a[MAX_POINTS * MAX_DIM], b[MAX_POINTS * MAX_DIM];
    random_state = random_seed("scale and offset");
    for (size_t dim = 1; dim <= 6; dim++) {
        clear(dim);
        add_random(add_a, 12, 1.0, 0.0);
        add_random(add_b, 12, 1.0, 0.25);
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

int main(void)
{
    Suite *suite = suite_create("nd_depth_awkward");
    TCase *bodies = tcase_create("bodies"), *scale = tcase_create("scale");
    tcase_add_loop_test(bodies, test_awkward_bodies, 0, 6);
    tcase_add_test(bodies, test_many_pairs);
    tcase_add_test(scale, test_scale_and_offset);
    tcase_set_timeout(bodies, 120.0);
    tcase_set_timeout(scale, 60.0);
    suite_add_tcase(suite, bodies);
    suite_add_tcase(suite, scale);
    return run_suite(suite);
}
