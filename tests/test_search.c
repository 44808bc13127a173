/* Support search: every method and every kernel against a naive search. */
#include <apart/apart.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hull/search.h"
#include "api/level.h"
#include "hull_sets.h"
#include "run_suite.h"
#include "math/eft.h"

static const double eps = 0x1p-52;

static double points[3 * 20000];

static apart_hull *build(size_t n)
{
    apart_hull *h = NULL;
    ck_assert_int_eq(apart_hull_build(points, n, NULL, &h), APART_OK);
    return h;
}

static double value(const apart_hull *h, uint32_t i, apart_vec3 d)
{
    const apart_vec3 v = ap_hull_local(h, i);
    return (v.x * d.x + v.y * d.y) + v.z * d.z;
}

static ap_dd exact_value(const apart_hull *h, uint32_t i, apart_vec3 d)
{
    return ap_dd3_dot(ap_dd3_from(ap_hull_local(h, i)), ap_dd3_from(d));
}

/* Directions of all kinds: random, along axes, face normals, and close to those. */
static apart_vec3 some_direction(const apart_hull *h, int t, uint64_t *seed)
{
    apart_vec3 d = {uniform(seed), uniform(seed), uniform(seed)};
    if (t % 7 == 0) {
        d = (apart_vec3){t % 3 == 0, t % 3 == 1, t % 3 == 2};
    } else if (t % 2 == 1 && h->face_count > 0) {
        const apart_vec3 n = apart_hull_face_normal(h, (uint32_t)t % h->face_count);
        const double s = t % 4 == 1 ? 0.0 : pow(10.0, -6.0 - t % 11);
        d = (apart_vec3){n.x + s * d.x, n.y + s * d.y, n.z + s * d.z};
    }
    return d;
}

/* All methods are within what they may miss of the best vertex; the scan is the naive search, bit for bit. */
static void check_hull(const apart_hull *h, int directions, uint64_t *seed)
{
    for (int t = 0; t < directions; t++) {
        const apart_vec3 d = some_direction(h, t, seed);
        uint32_t naive = 0;
        ap_dd best = exact_value(h, 0, d);
        for (uint32_t i = 1; i < h->vertex_count; i++) {
            naive = value(h, i, d) > value(h, naive, d) ? i : naive;
            best = ap_dd_less(best, exact_value(h, i, d)) ? exact_value(h, i, d) : best;
        }
        ck_assert_uint_eq(ap_hull_support(h, APART_SUPPORT_SCAN, APART_NO_INDEX, d, NULL), naive);
        const double length = apart_vec3_norm(d);
        for (int search = 0; search < APART_SUPPORT_COUNT && isfinite(h->climb_loss); search++) {
            const uint32_t start = t % 5 == 0 ? APART_NO_INDEX : (uint32_t)(*seed % h->vertex_count);
            const uint32_t found = ap_hull_support(h, search, start, d, NULL);
            const double missed = ap_dd_value(ap_dd_sub(best, exact_value(h, found, d)));
            const double allowed =
                (search == APART_SUPPORT_SCAN ? 4.0 : fmax(4.0, h->climb_loss)) * eps * h->bound * length;
            ck_assert_msg(missed <= allowed, "%d misses %g of %g, %u vertices", search, missed, allowed,
                          h->vertex_count);
        }
        ck_assert_uint_lt(ap_hull_support(h, APART_SUPPORT_AUTO, 0, d, NULL), h->vertex_count);
    }
}

START_TEST(test_methods_agree)
{
    uint64_t seed = 2718281;
    printf("search: seed %llu\n", (unsigned long long)seed);
    for (size_t n = 1; n <= 3000; n += 1 + n / 4) {
        apart_hull *h = build(sphere_points(points, n, &seed));
        ck_assert_double_le(h->climb_loss, 16.0);
        check_hull(h, 150, &seed);
        apart_hull_free(h);
    }
    for (size_t sides = 3; sides < 300; sides += 1 + sides / 3) {
        const size_t n = prism_points(points, sides);
        move_points(points, n, 1.0, 0.0);
        apart_hull *h = build(n);
        check_hull(h, 300, &seed);
        apart_hull_free(h);
    }
    for (int t = 0; t < 60; t++) {
        const size_t n = t % 2 ? sphere_points(points, 70, &seed) : ball_points(points, 300, &seed);
        scale_points(points, n, 1.0, pow(10.0, -t % 12), t % 4 == 0 ? 0.0 : pow(10.0, -t % 7));
        move_points(points, n, 1.0, t % 3 == 0 ? 1e4 : 0.0);
        apart_hull *h = build(n);
        check_hull(h, 200, &seed);
        apart_hull_free(h);
    }
}
END_TEST

START_TEST(test_nearly_flat_vertices)
{
    /* A shallow cap: vertices with ever flatter cones, where rounding could catch a climb. */
    uint64_t seed = 161803;
    for (int t = 0; t < 40; t++) {
        const double depth = pow(10.0, -0.4 * t);
        for (size_t i = 0; i < 300; i++) {
            const double x = uniform(&seed), y = uniform(&seed);
            put(points, i, x, y, depth * (x * x + y * y));
        }
        apart_hull *h = build(300);
        check_hull(h, 200, &seed);
        apart_hull_free(h);
    }
}
END_TEST

/* The scan and the climb in scalar code: the lanes must find the same vertex, ties included. */
static uint32_t scalar_scan(const double *x, uint32_t padded, apart_vec3 d)
{
    uint32_t best = 0;
    double best_value = -INFINITY;
    for (uint32_t i = 0; i < padded; i++) {
        const double value = (x[i] * d.x + x[padded + i] * d.y) + x[2 * padded + i] * d.z;
        if (value > best_value) {
            best_value = value;
            best = i;
        }
    }
    return best;
}

static uint32_t scalar_climb(const ap_hull_vertex *records, uint32_t count, uint32_t self, apart_vec3 d)
{
    uint32_t best = self;
    double best_value = 0.0;
    for (uint32_t i = 0; i < AP_RECORD_EDGES * count; i++) {
        const ap_hull_vertex *r = &records[i / AP_RECORD_EDGES];
        const uint32_t k = i % AP_RECORD_EDGES;
        const double value = (r->dx[k] * d.x + r->dy[k] * d.y) + r->dz[k] * d.z;
        if (value > best_value) {
            best_value = value;
            best = r->id[k];
        }
    }
    return best;
}

START_TEST(test_scan_in_lanes)
{
    uint64_t seed = 1414213;
    for (uint32_t padded = 4; padded <= 400; padded += 4) {
        for (int t = 0; t < 40; t++) {
            /* Coarse coordinates make ties. */
            for (uint32_t i = 0; i < 3 * padded; i++) {
                points[i] = t % 2 ? floor(3.0 * uniform(&seed)) : uniform(&seed);
            }
            const apart_vec3 d = {t % 4 == 1 ? 0.0 : uniform(&seed), t % 4 == 3 ? -1.0 : uniform(&seed),
                                  uniform(&seed)};
            ck_assert_uint_eq(ap_scan(points, padded, d), scalar_scan(points, padded, d));
        }
    }
}
END_TEST

START_TEST(test_climb_in_lanes)
{
    uint64_t seed = 57721;
    ap_hull_vertex record[3];
    for (int t = 0; t < 20000; t++) {
        const uint32_t count = 1 + (uint32_t)t % 3;
        for (uint32_t i = 0; i < AP_RECORD_EDGES * count; i++) {
            ap_hull_vertex *r = &record[i / AP_RECORD_EDGES];
            const uint32_t k = i % AP_RECORD_EDGES;
            const bool coarse = t % 3 == 0;
            r->dx[k] = coarse ? floor(2.0 * uniform(&seed)) : uniform(&seed);
            r->dy[k] = coarse ? floor(2.0 * uniform(&seed)) : uniform(&seed);
            r->dz[k] = coarse ? floor(2.0 * uniform(&seed)) : uniform(&seed);
            r->id[k] = 100 + 3 * i;
            r->more = i / AP_RECORD_EDGES + 1 < count ? i / AP_RECORD_EDGES + 1 : 0;
        }
        apart_vec3 d = {uniform(&seed), uniform(&seed), uniform(&seed)};
        if (t % 5 == 0) {
            d = (apart_vec3){0.0, 0.0, t % 2 ? 1.0 : 0.0};
        }
        const ap_lanes3 lanes = {ap_lanes_all(d.x), ap_lanes_all(d.y), ap_lanes_all(d.z)};
        /* The vertex itself is record 0: a climb that stays returns it. */
        ck_assert_uint_eq(ap_climb(record, 0, &lanes), scalar_climb(record, count, 0, d));
    }
}
END_TEST

START_TEST(test_levels)
{
    ck_assert(!ap_level_force("abacus"));
    ck_assert(ap_level_force("baseline"));
    ck_assert_str_eq(ap_level_name(), "baseline");
    ck_assert(ap_level_force(NULL));
    const char *best = ap_level_name();
    ck_assert_int_eq(ap_level_force("avx2"), strcmp(best, "avx2") == 0);
    ck_assert_str_eq(ap_level_name(), best);
}
END_TEST

/* A direction in a cell of the table: its middle for u = v = 0, its corners for u, v = -1 or 1. */
static apart_vec3 in_cell(uint32_t r, uint32_t cell, double u, double v)
{
    return ap_hull_table_direction(r, cell / r + 0.5 + 0.5 * u, cell % r + 0.5 + 0.5 * v);
}

START_TEST(test_table)
{
    uint64_t seed = 301029;
    for (uint32_t r = 1; r < 12; r++) {
        for (uint32_t cell = 0; cell < r * r; cell++) {
            ck_assert_uint_eq(ap_table_cell(r, in_cell(r, cell, 0.0, 0.0)), cell);
            ck_assert_uint_eq(ap_table_cell(r, in_cell(r, cell, 0.9, -0.9)), cell);
        }
        for (int t = 0; t < 1000; t++) {
            const apart_vec3 d = {uniform(&seed), t % 3 ? uniform(&seed) : 0.0, t % 5 ? uniform(&seed) : 0.0};
            ck_assert_uint_lt(ap_table_cell(r, d), r * r);
        }
        const apart_vec3 odd[] = {{0, 0, 0},          {1, 1, 1},   {-1, -1, -1},           {0, -1, 1},
                                  {1e300, -1e300, 0}, {NAN, 1, 0}, {INFINITY, INFINITY, 0}};
        for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
            ck_assert_uint_lt(ap_table_cell(r, odd[i]), r * r);
        }
    }
    /* The first vertex of a cell is the support vertex of its middle, and a guess elsewhere in it is nearly always
     * right. */
    apart_hull *h = build(sphere_points(points, 500, &seed));
    const uint32_t r = h->table_resolution, *table = ap_at(h, h->table);
    int right = 0;
    ck_assert_uint_ge(r * r, 500);
    for (uint32_t cell = 0; cell < r * r; cell++) {
        const apart_vec3 d = in_cell(r, cell, 0.0, 0.0);
        const uint32_t best = ap_hull_support(h, APART_SUPPORT_SCAN, 0, d, NULL);
        ck_assert_double_le(value(h, best, d) - value(h, table[AP_CELL_VERTICES * cell], d), 8.0 * eps);
        const apart_vec3 other = in_cell(r, cell, uniform(&seed), uniform(&seed));
        right += ap_hull_guess(h, other) == ap_hull_support(h, APART_SUPPORT_SCAN, 0, other, NULL);
    }
    ck_assert_int_ge(right, (int)(0.98 * (r * r)));
    apart_hull_free(h);
}
END_TEST

START_TEST(test_tracking_is_cheap)
{
    /* Item C5: a small turn of the direction costs 0 or 1 edges on most calls. */
    uint64_t seed = 477121;
    apart_hull *h = build(sphere_points(points, 500, &seed));
    ap_search_count count = {0};
    uint32_t vertex = 0;
    for (int t = 0; t < 1000; t++) {
        const double a = 0.01 * t;
        vertex = ap_hull_support(h, APART_SUPPORT_AUTO, vertex, (apart_vec3){cos(a), sin(a), 0.2}, &count);
    }
    ck_assert_uint_lt(count.climbed, 1000);
    ck_assert_uint_lt(count.visited, 20000);
    apart_hull_free(h);
}
END_TEST

START_TEST(test_circular_climb_ends)
{
    /* A forged ring that sends a climb in circles: the scan ends it. */
    apart_hull *h = build(cube_points(points));
    ap_hull_vertex *records = (ap_hull_vertex *)(void *)((char *)h + h->records);
    for (uint32_t v = 0; v < h->vertex_count; v++) {
        for (uint32_t i = 0; i < AP_RECORD_EDGES; i++) {
            records[v].dx[i] = records[v].id[i] != v ? 4.0 : 0.0;
        }
    }
    ap_search_count count = {0};
    ck_assert_uint_eq(ap_hull_support(h, APART_SUPPORT_CLIMB, 0, (apart_vec3){1.0, 0.5, 0.25}, &count), 7);
    ck_assert_uint_ge(count.climbed, 8);
    apart_hull_free(h);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("search");
    TCase *tc = tcase_create("search");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_methods_agree);
    tcase_add_test(tc, test_nearly_flat_vertices);
    tcase_add_test(tc, test_scan_in_lanes);
    tcase_add_test(tc, test_climb_in_lanes);
    tcase_add_test(tc, test_levels);
    tcase_add_test(tc, test_table);
    tcase_add_test(tc, test_tracking_is_cheap);
    tcase_add_test(tc, test_circular_climb_ends);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
