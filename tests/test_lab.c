/* The lab's own tools: whole numbers against GMP, exact answers against the rational oracle, the routine as printed
 * against the library, and hull data by enumeration. `test_lab SEED` repeats the random ones with another seed. */
#include <check.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lab/exact.h>
#include <lab/geometric/enumerate.h>
#include <lab/integer.h>
#include <lab/lab.h>
#include <lab/pair.h>
#include <lab/scene.h>

#include "random.h"
#include "run_suite.h"
#include "minkowski_depth.h"

/* ---- whole numbers ---- */

static void to_gmp(mpz_t out, const lab_integer *a)
{
    mpz_import(out, (size_t)a->count, -1, sizeof a->limb[0], 0, 0, a->limb);
    if (a->sign < 0) {
        mpz_neg(out, out);
    }
}

static void assert_same(const lab_integer *a, const mpz_t expected)
{
    mpz_t value;
    mpz_init(value);
    to_gmp(value, a);
    ck_assert_int_eq(mpz_cmp(value, expected), 0);
    ck_assert_int_eq(a->sign, mpz_sgn(expected));
    mpz_clear(value);
}

/* A double with a random number of significant bits, also zero and powers of two. */
static double random_double(uint64_t *seed)
{
    const uint64_t bits = random_bits(seed);
    const double mantissa = (double)(int64_t)(random_bits(seed) >> (11 + bits % 50));
    return ldexp(bits >> 32 & 1 ? -mantissa : mantissa, (int)(bits >> 40 & 63) - 80);
}

START_TEST(integers_are_those_of_gmp)
{
    uint64_t seed = random_seed("integers_are_those_of_gmp");
    mpz_t x, y, z;
    mpz_inits(x, y, z, NULL);
    for (int round = 0; round < 20000; round++) {
        lab_integer a, b, c, d;
        const double p = random_double(&seed), q = round % 7 == 0 ? p : random_double(&seed), r = random_double(&seed);
        const int shift = 200;
        ck_assert_int_le(lab_integer_shift(p), shift);
        lab_integer_set(&a, p, shift);
        lab_integer_set(&b, q, shift);
        lab_integer_set(&c, r, lab_integer_shift(r));
        to_gmp(x, &a);
        to_gmp(y, &b);
        mpf_t f;
        mpf_init2(f, 400);
        mpf_set_d(f, p);
        mpf_mul_2exp(f, f, (mp_bitcnt_t)shift);
        mpz_set_f(z, f);
        mpf_clear(f);
        ck_assert_int_eq(mpz_cmp(x, z), 0);
        lab_integer_add(&d, &a, &b);
        mpz_add(z, x, y);
        assert_same(&d, z);
        lab_integer_sub(&d, &a, &b);
        mpz_sub(z, x, y);
        assert_same(&d, z);
        lab_integer_mul(&d, &a, &b);
        mpz_mul(z, x, y);
        assert_same(&d, z);
        lab_integer_mul(&d, &d, &c);
        to_gmp(y, &c);
        mpz_mul(z, z, y);
        assert_same(&d, z);
        to_gmp(y, &b);
        ck_assert_int_eq(lab_integer_compare(&a, &b), (mpz_cmp(x, y) > 0) - (mpz_cmp(x, y) < 0));
        if (b.sign != 0) {
            const double ratio = lab_integer_ratio(&a, &b);
            ck_assert_double_le(fabs(ratio - p / q), 4e-16 * fabs(p / q));
        }
    }
    mpz_clears(x, y, z, NULL);
}
END_TEST

/* ---- exact answers ---- */

static void copy_vertices(const apart_hull *hull, double *xyz)
{
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        const apart_vec3 v = apart_hull_vertex(hull, i);
        memcpy(xyz + 3 * i, &v, sizeof v);
    }
}

static lab_exact_outcome check(const lab_pair *p, const apart_result *r, lab_exact_answer *answer)
{
    return lab_exact_check(p->a, &p->pose_a, p->b, &p->pose_b, r, answer);
}

static const struct {
    lab_trouble trouble;
    double amount;
} troubles[] = {{LAB_TROUBLE_NONE, 0},     {LAB_TROUBLE_TILT, 1e-3},   {LAB_TROUBLE_TILT, 1e-12},
                {LAB_TROUBLE_TILT, 1e-16}, {LAB_TROUBLE_NEEDLE, 1e-8}, {LAB_TROUBLE_OFFSET, 1e7},
                {LAB_TROUBLE_NEAR, 1e-6},  {LAB_TROUBLE_PLATE, 1e-9},  {LAB_TROUBLE_SCALE, 1e-5},
                {LAB_TROUBLE_LATTICE, 0}};

/* Distance and error of a disjoint pair; and a claim that is moved by an ulp beyond the truth must be seen through. */
START_TEST(exact_distances_are_the_oracles)
{
    lab_random r = {random_seed("exact_distances_are_the_oracles")};
    for (int round = 0; round < 20; round++) {
        lab_pair p = lab_pair_draw(&r, troubles[_i].trouble, troubles[_i].amount);
        double a[3 * 32], b[3 * 32];
        apart_result result;
        lab_exact_answer answer;
        exact_answer oracle;
        copy_vertices(p.a, a);
        copy_vertices(p.b, b);
        const exact_points pa = {a, apart_hull_vertex_count(p.a), 3, &p.pose_a},
                           pb = {b, apart_hull_vertex_count(p.b), 3, &p.pose_b};
        ck_assert_int_eq(apart_distance(&p.shape_a, &p.pose_a, &p.shape_b, &p.pose_b, NULL, NULL, &result), APART_OK);
        exact_distance(&pa, &pb, &oracle);
        const lab_exact_outcome outcome = check(&p, &result, &answer);
        ck_assert_int_eq(outcome, LAB_EXACT_HOLDS);
        if (oracle.relation == EXACT_DISJOINT) {
            ck_assert_double_le(fabs(answer.distance - oracle.distance), 4e-16 * oracle.distance);
            ck_assert_double_le(fabs(answer.error - (result.distance - oracle.distance)), 2.3e-16 * oracle.distance);
            apart_result lie = result;
            lie.lower = nextafter(oracle.above, INFINITY);
            lie.upper = lie.lower + 1.0;
            ck_assert_int_eq(check(&p, &lie, &answer), LAB_EXACT_FAILS);
            lie = result;
            lie.upper = nextafter(oracle.below, 0.0);
            lie.lower = 0.5 * lie.upper;
            ck_assert_int_eq(check(&p, &lie, &answer), LAB_EXACT_FAILS);
            lie.upper = oracle.above;
            lie.lower = oracle.below;
            ck_assert_int_eq(check(&p, &lie, &answer), LAB_EXACT_HOLDS);
        } else {
            apart_result lie = result;
            lie.lower = 1e-9;
            lie.upper = 1.0;
            ck_assert_int_eq(check(&p, &lie, &answer), LAB_EXACT_FAILS);
        }
        lab_pair_free(&p);
    }
}
END_TEST

START_TEST(exact_depths_are_the_oracles)
{
    lab_random r = {random_seed("exact_depths_are_the_oracles")};
    int overlapping = 0;
    for (int round = 0; round < 12; round++) {
        lab_pair p = lab_pair_hulls(&r, 8);
        const apart_vec3 d = lab_random_direction(&r);
        double a[3 * 8], b[3 * 8];
        apart_result result;
        lab_exact_answer answer;
        minkowski_answer oracle;
        p.pose_b.translation = (apart_vec3){0.4 * d.x, 0.4 * d.y, 0.4 * d.z};
        copy_vertices(p.a, a);
        copy_vertices(p.b, b);
        const exact_points pa = {a, 8, 3, &p.pose_a}, pb = {b, 8, 3, &p.pose_b};
        apart_distance(&p.shape_a, &p.pose_a, &p.shape_b, &p.pose_b, NULL, NULL, &result);
        minkowski_depth(&pa, &pb, &oracle);
        if (oracle.inside && result.upper < 0.0) {
            overlapping++;
            ck_assert_int_eq(check(&p, &result, &answer), LAB_EXACT_HOLDS);
            ck_assert_double_le(fabs(answer.distance + oracle.least), 4e-16);
            apart_result lie = result;
            lie.upper = -nextafter(oracle.most, INFINITY); /* claims to be deeper */
            lie.lower = lie.upper - 1.0;
            ck_assert_int_eq(check(&p, &lie, &answer), LAB_EXACT_FAILS);
            lie.lower = -nextafter(oracle.least, 0.0); /* claims to be shallower */
            lie.upper = 0.5 * lie.lower;
            ck_assert_int_eq(check(&p, &lie, &answer), LAB_EXACT_FAILS);
        }
        lab_pair_free(&p);
    }
    ck_assert_int_gt(overlapping, 5);
}
END_TEST

/* ---- the routine as printed ---- */

START_TEST(the_routine_finds_the_distance)
{
    const lab_scene scene = {.kind = LAB_HULLS,
                             .n_a = 12,
                             .n_b = 30,
                             .pairs = 40,
                             .steps = 20,
                             .distance = 3.0,
                             .step = 0.02,
                             .turn = 3,
                             .seed = random_seed("the_routine_finds_the_distance")};
    lab_world w;
    lab_world_build(&w, &scene);
    for (uint32_t pair = 0; pair < scene.pairs; pair++) {
        lab_memory scan = {0}, climb = {0};
        for (uint32_t step = 0; step < scene.steps; step++) {
            apart_result expected, r;
            lab_query(&w, LAB_OURS, pair, step, NULL, NULL, &expected);
            ck_assert_double_gt(expected.lower, 0.0);
            lab_query(&w, LAB_PRINTED_SCAN, pair, step, NULL, &scan, &r);
            ck_assert_double_le(fabs(r.distance - expected.distance), 1e-12);
            lab_query(&w, LAB_PRINTED_CLIMB, pair, step, NULL, &climb, &r);
            ck_assert_double_le(fabs(r.distance - expected.distance), 1e-12);
        }
    }
    lab_world_free(&w);
}
END_TEST

/* Without a count of its own a climb would seem free: known bodies, counted by hand. */
START_TEST(the_routine_counts_its_operations)
{
    const double cube[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1};
    apart_hull *hull = NULL;
    ck_assert_int_eq(apart_hull_build(cube, 8, NULL, &hull), APART_OK);
    lab_polytope p = lab_polytope_of(hull);
    /* Corner to corner: the closest feature is a vertex pair. */
    const apart_pose a = apart_pose_identity(), b = apart_pose_translation(5, 6, 7);
    lab_routine_cache cache = {.count = 1, .index_a = {7}, .index_b = {0}, .last_a = 7, .last_b = 0};
    lab_routine_answer answer;
    for (int climbs = 0; climbs < 2; climbs++) {
        lab_operations ops = {0};
        const lab_routine_options how = {.climb = climbs == 1};
        lab_routine(&p, &a, &p, &b, &how, &cache, &ops, &answer);
        ck_assert_double_eq_tol(answer.distance, sqrt(9.0 + 16.0 + 25.0), 1e-14);
        ck_assert_uint_eq(ops.loops, 1);
        ck_assert_uint_eq(ops.edges, 0);
        ck_assert_uint_eq(ops.visited, climbs ? 2 * 4 : 2 * 8); /* a corner and its three neighbours, or all */
        ck_assert_uint_eq(ops.support, 3 * ops.visited);
        ck_assert_uint_eq(ops.solver, 3 + 6); /* one dot product; two witness points */
        ck_assert_uint_eq(ops.divisions, 1);
        ck_assert_uint_eq(ops.test, 6);
        ck_assert_uint_eq(ops.transformed, 4);
        ck_assert_uint_eq(ops.transforms, 4 * 9 + 2 * 9); /* four vertices, two directions */
    }
    /* From the far corners the first query walks; the second begins where that one ended, and does not. */
    lab_routine_cache far = {.count = 1, .index_a = {0}, .index_b = {7}, .last_a = 0, .last_b = 7};
    lab_operations first = {0}, second = {0};
    const lab_routine_options how = {.climb = true};
    lab_routine(&p, &a, &p, &b, &how, &far, &first, &answer);
    ck_assert_uint_eq(first.edges, 6); /* three from corner to corner on each cube */
    ck_assert(first.loops > 1);
    ck_assert(far.count == 1 && far.last_a == 7 && far.last_b == 0);
    lab_routine(&p, &a, &p, &b, &how, &far, &second, &answer);
    ck_assert(second.loops == 1 && second.edges == 0 && second.visited == 8);
    lab_polytope_free(&p);
    apart_hull_free(hull);
}
END_TEST

/* ---- hull data by enumeration ---- */

START_TEST(enumeration_of_a_prism)
{
    apart_vec3 v[10];
    for (int i = 0; i < 10; i++) {
        v[i] = (apart_vec3){cos(2 * LAB_PI * (i % 5) / 5), sin(2 * LAB_PI * (i % 5) / 5), i < 5 ? -0.5 : 0.5};
    }
    lab_enumeration e;
    lab_enumerate(v, 10, 1e-10, true, &e);
    ck_assert_uint_eq(e.face_count, 7);
    ck_assert_uint_eq(e.edge_count, 15);
    ck_assert_uint_eq(e.planes_tested, 120);
    int pentagons = 0;
    for (uint32_t f = 0; f < e.face_count; f++) {
        pentagons += e.faces[f].count == 5;
        ck_assert(e.faces[f].count == 5 || e.faces[f].count == 4);
    }
    ck_assert_int_eq(pentagons, 2);
    for (uint32_t i = 0; i < e.edge_count; i++) {
        const uint32_t p = e.edges[i][0], q = e.edges[i][1];
        ck_assert((q == p + 5) || (p / 5 == q / 5 && (q == p + 1 || q == p + 4)));
    }
    lab_enumeration_free(&e);
}
END_TEST

START_TEST(experiments_have_names_of_their_own)
{
    for (size_t i = 0; i < lab_experiment_count(); i++) {
        const lab_experiment *e = lab_experiment_at(i);
        ck_assert_ptr_eq(lab_find(e->name), e);
        ck_assert_str_ne(e->name, "all");
        ck_assert_str_ne(e->name, "list");
    }
    ck_assert_str_eq(lab_find("fig3")->name, "cold");
    ck_assert_str_eq(lab_find("fig12")->name, "static");
    ck_assert_str_eq(lab_find("table2")->name, "static");
    static const char *const others[] = {"nothing", "", " ", "fig", "fig1", "12", "fig12 table2", "table"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ck_assert_ptr_null(lab_find(others[i]));
    }
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1) {
        setenv("APART_TEST_SEED", argv[1], 1);
    }
    Suite *suite = suite_create("lab");
    TCase *tc = tcase_create("lab");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, integers_are_those_of_gmp);
    tcase_add_loop_test(tc, exact_distances_are_the_oracles, 0, (int)(sizeof troubles / sizeof troubles[0]));
    tcase_add_test(tc, exact_depths_are_the_oracles);
    tcase_add_test(tc, the_routine_finds_the_distance);
    tcase_add_test(tc, the_routine_counts_its_operations);
    tcase_add_test(tc, enumeration_of_a_prism);
    tcase_add_test(tc, experiments_have_names_of_their_own);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
