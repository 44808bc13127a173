/* The brute force of mesh tests itself: against the exact distance of two triangles (GMP), and sets of triangles
 * against the least of their pairs. */
#include <check.h>
#include <math.h>
#include <stdbool.h>

#include "exact.h"
#include "random.h"
#include "run_suite.h"
#include "triangle_reference.h"

static void set_corners(const apart_vec3 t[3], long double out[3][3])
{
    for (int i = 0; i < 3; i++) {
        out[i][0] = t[i].x;
        out[i][1] = t[i].y;
        out[i][2] = t[i].z;
    }
}

/* 0: anywhere, 1: corners on a small grid, 2: nearly parallel, 3: a small gap over an edge, 4: slender. */
static void random_pair(random_source *r, int kind, apart_vec3 p[6])
{
    for (int i = 0; i < 6; i++) {
        p[i] = random_vector(r, 1.0);
        if (kind == 1) {
            p[i] = (apart_vec3){random_below(r, 3), random_below(r, 3), random_below(r, 3)};
        } else if (kind == 2) {
            p[i].z = 1e-9 * p[i].z + (i < 3 ? 0.0 : 1e-6);
        } else if (kind == 4) {
            p[i].y *= 1e-7;
        }
    }
    if (kind == 3) {
        p[3] = apart_vec3_lerp(p[0], p[1], random_unit(r));
        p[3] = apart_vec3_add(p[3], random_vector(r, 1e-9));
    }
}

START_TEST(pairs)
{
    random_source r = random_seed("pairs");
    for (int round = 0; round < 5000; round++) {
        apart_vec3 p[6];
        long double a[3][3], b[3][3];
        random_pair(&r, round % 5, p);
        set_corners(p, a);
        set_corners(p + 3, b);
        reference_answer answer;
        reference_triangles((const long double(*)[3])a, (const long double(*)[3])b, &answer);
        const exact_points first = {&p[0].x, 3, 3, NULL}, second = {&p[3].x, 3, 3, NULL};
        exact_answer exact;
        exact_distance(&first, &second, &exact);
        ck_assert_double_eq_tol((double)answer.distance, exact.distance, 1e-16);
        long double square = 0;
        for (int i = 0; i < 3; i++) {
            square += (answer.b[i] - answer.a[i]) * (answer.b[i] - answer.a[i]);
        }
        ck_assert_double_eq_tol((double)sqrtl(square), (double)answer.distance, 1e-18);
    }
}
END_TEST

START_TEST(sets)
{
    enum { COUNT = 20 };
    random_source r = random_seed("sets");
    for (int round = 0; round < 40; round++) {
        apart_vec3 vertices[2][3 * COUNT], placed[2][3 * COUNT];
        uint32_t triangles[COUNT][3];
        const apart_pose pose = apart_pose_translation(1.0 + 0.0625 * round, 0.25, -0.125);
        for (uint32_t i = 0; i < 3 * COUNT; i++) {
            triangles[i / 3][i % 3] = i;
            for (int k = 0; k < 2; k++) {
                const apart_vec3 v = random_vector(&r, 1.0);
                vertices[k][i] = (apart_vec3){(float)v.x, (float)v.y, (float)v.z};
                placed[k][i] = k == 0 ? vertices[k][i] : apart_vec3_add(vertices[k][i], pose.translation);
            }
        }
        const uint32_t(*indices)[3] = (const uint32_t(*)[3])triangles;
        const reference_mesh a = {vertices[0], 3 * COUNT, indices, COUNT, NULL};
        const reference_mesh b = {vertices[1], 3 * COUNT, indices, COUNT, &pose};
        reference_answer all, one;
        reference_distance(&a, &b, &all);
        long double least = HUGE_VALL;
        for (uint32_t i = 0; i < COUNT; i++) {
            for (uint32_t j = 0; j < COUNT; j++) {
                long double s[3][3], t[3][3];
                set_corners(&placed[0][3 * i], s);
                set_corners(&placed[1][3 * j], t);
                reference_triangles((const long double(*)[3])s, (const long double(*)[3])t, &one);
                least = fminl(least, one.distance);
                ck_assert(i != all.triangle_a || j != all.triangle_b || one.distance <= all.distance + 1e-18L);
            }
        }
        ck_assert_double_eq_tol((double)all.distance, (double)least, 1e-17);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("triangle_reference");
    TCase *tcase = tcase_create("triangle_reference");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, pairs);
    tcase_add_test(tcase, sets);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
