/* Boxes that are given as hulls are queried as boxes: the answers are those of the boxes within their bounds, and name
 * the caller's vertices. */
#include <apart/apart.h>
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "run_suite.h"
#include "shape/family.h"

enum { POINTS = 11, BOXES = 6 };

/* A box about a middle, by its corners in any order between points inside. */
typedef struct some_box {
    double xyz[3 * POINTS];
    apart_hull *hull;
    apart_shape as_hull, as_box;
    apart_vec3 middle;
} some_box;

static double eighths(uint64_t *seed, int most)
{
    return 0.125 * (double)(1 + (int)(random_unit(seed) * (double)most));
}

static some_box make_box(uint64_t *seed, apart_vec3 middle)
{
    some_box b = {.middle = middle};
    const double h[3] = {eighths(seed, 8), eighths(seed, 8), eighths(seed, 8)}, m[3] = {middle.x, middle.y, middle.z};
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++) {
            b.xyz[3 * i + k] = m[k] + (i < 8 ? ((i >> k & 1) != 0 ? h[k] : -h[k]) : 0.25 * h[k] * (i - 9));
        }
    }
    for (int i = POINTS - 1; i > 0; i--) {
        const int other = (int)(random_unit(seed) * i);
        double kept[3];
        memcpy(kept, &b.xyz[3 * i], sizeof kept);
        memcpy(&b.xyz[3 * i], &b.xyz[3 * other], sizeof kept);
        memcpy(&b.xyz[3 * other], kept, sizeof kept);
    }
    ck_assert_int_eq(apart_hull_build(b.xyz, POINTS, NULL, &b.hull), APART_OK);
    b.as_hull = apart_hull_shape(b.hull);
    ck_assert_uint_ne(b.as_hull.flags & AP_BOX_HULL, 0);
    b.as_box = apart_box((apart_vec3){h[0], h[1], h[2]});
    return b;
}

static apart_pose pose_near(uint64_t *seed, double far)
{
    apart_pose pose;
    const apart_vec3 at = random_vector(seed, far), q = random_vector(seed, 1.0);
    ck_assert_int_eq(apart_pose_from_quat_wxyz(random_unit(seed) + 0.1, q.x, q.y, q.z, at, &pose), APART_OK);
    return pose;
}

/* The point that the result's vertices and weights give, in the world. */
static apart_vec3 blend(const some_box *b, const apart_pose *pose, const uint32_t *index, const apart_result *r)
{
    apart_vec3 sum = {0, 0, 0};
    for (int i = 0; i < r->count; i++) {
        ck_assert_uint_lt(index[i], POINTS);
        const double *p = &b->xyz[3 * index[i]];
        sum = apart_vec3_add_scaled(sum, r->lambda[i], (apart_vec3){p[0], p[1], p[2]});
    }
    return apart_pose_apply(pose, sum);
}

static void check_numbers(const some_box *b, const apart_pose *pose, const uint32_t *index, const apart_result *r,
                          apart_vec3 point, const char *what)
{
    ck_assert_msg(apart_vec3_distance(blend(b, pose, index, r), point) < 1e-9 * (1.0 + apart_vec3_norm(b->middle)),
                  "%s: the vertices are not those of the point", what);
    for (int i = r->count; i < 4; i++) {
        ck_assert_uint_eq(index[i], APART_NO_INDEX);
    }
}

static void check_answer(const some_box *a, const apart_pose *pose_a, const some_box *b, const apart_pose *pose_b,
                         const apart_result *r, const char *what)
{
    apart_pose box_a = *pose_a, box_b = *pose_b;
    box_a.translation = apart_pose_apply(pose_a, a->middle);
    box_b.translation = apart_pose_apply(pose_b, b->middle);
    apart_result boxes;
    ck_assert_int_eq(apart_distance(&a->as_box, &box_a, &b->as_box, &box_b, NULL, NULL, &boxes), APART_OK);
    const double slack = 1e-14 * (1.0 + apart_vec3_norm(a->middle) + apart_vec3_norm(b->middle));
    ck_assert_msg(r->lower <= boxes.upper + slack && boxes.lower <= r->upper + slack, "%s: %.17g, as boxes %.17g", what,
                  r->distance, boxes.distance);
    ck_assert_double_le(r->upper - r->lower, 1e-13 * (1.0 + apart_vec3_norm(a->middle)));
    check_numbers(a, pose_a, r->index_a, r, r->a, what);
    check_numbers(b, pose_b, r->index_b, r, r->b, what);
}

/* Hull and hull, cold and with a cache, near and overlapping; the middles at the origin, beside it, and far from it. */
START_TEST(answers_are_those_of_boxes)
{
    uint64_t seed = random_seed("answers are those of boxes");
    for (int kind = 0; kind < 3; kind++) {
        some_box box[BOXES];
        const double off = kind == 0 ? 0.0 : kind == 1 ? 1.0 : 1000.0;
        for (int i = 0; i < BOXES; i++) {
            box[i] = make_box(&seed, (apart_vec3){off, -2.0 * off, 0.5 * off});
        }
        for (int i = 0; i < 2000; i++) {
            const some_box *a = &box[i % BOXES], *b = &box[(i / BOXES + i) % BOXES];
            apart_pose pose_a = pose_near(&seed, 1.0), pose_b = pose_near(&seed, 1.0 + 0.002 * i);
            pose_b.translation =
                apart_vec3_add(pose_b.translation, apart_vec3_sub(apart_pose_apply(&pose_a, a->middle),
                                                                  apart_pose_apply(&pose_b, b->middle)));
            apart_cache cache = {0};
            for (int step = 0; step < 3; step++) {
                apart_result r;
                pose_b.translation.x += 0.001;
                ck_assert_int_eq(apart_distance(&a->as_hull, &pose_a, &b->as_hull, &pose_b, NULL,
                                                step > 0 ? &cache : NULL, &r),
                                 APART_OK);
                check_answer(a, &pose_a, b, &pose_b, &r, step > 0 ? "tracked" : "cold");
                int overlap = 2;
                ck_assert_int_eq(apart_overlap(&a->as_hull, &pose_a, &b->as_hull, &pose_b, NULL, NULL, &overlap),
                                 APART_OK);
                ck_assert(r.lower <= 0.0 || overlap == 0);
                ck_assert(r.upper >= 0.0 || overlap == 1);
            }
        }
        for (int i = 0; i < BOXES; i++) {
            apart_hull_free(box[i].hull);
        }
    }
}
END_TEST

/* One as a hull, the other as a box. */
START_TEST(hull_and_box)
{
    uint64_t seed = random_seed("hull and box");
    some_box a = make_box(&seed, (apart_vec3){0, 0, 0}), b = make_box(&seed, (apart_vec3){0, 0, 0});
    for (int i = 0; i < 1000; i++) {
        const apart_pose pose_a = pose_near(&seed, 1.0), pose_b = pose_near(&seed, 2.0);
        apart_result r, s;
        ck_assert_int_eq(apart_distance(&a.as_hull, &pose_a, &b.as_box, &pose_b, NULL, NULL, &r), APART_OK);
        ck_assert_int_eq(apart_distance(&a.as_box, &pose_a, &b.as_box, &pose_b, NULL, NULL, &s), APART_OK);
        ck_assert(r.lower <= s.upper && s.lower <= r.upper);
        check_numbers(&a, &pose_a, r.index_a, &r, r.a, "hull and box");
        ck_assert_mem_eq(r.index_b, s.index_b, sizeof r.index_b);
        ck_assert_int_eq(apart_distance(&b.as_box, &pose_b, &a.as_hull, &pose_a, NULL, NULL, &r), APART_OK);
        check_numbers(&a, &pose_a, r.index_b, &r, r.b, "box and hull");
    }
    apart_hull_free(a.hull);
    apart_hull_free(b.hull);
}
END_TEST

/* Many hulls in a batch, in the lanes of boxes. */
START_TEST(batches)
{
    enum { PAIRS = 300 };
    uint64_t seed = random_seed("batches");
    some_box box[BOXES];
    for (int i = 0; i < BOXES; i++) {
        box[i] = make_box(&seed, (apart_vec3){0, 0, i == 0 ? 1.0 : 0.0});
    }
    apart_shape *a = malloc(PAIRS * sizeof *a), *b = malloc(PAIRS * sizeof *b);
    apart_pose *pose_a = malloc(PAIRS * sizeof *pose_a), *pose_b = malloc(PAIRS * sizeof *pose_b);
    apart_result *results = malloc(PAIRS * sizeof *results);
    apart_cache *caches = calloc(PAIRS, sizeof *caches);
    ck_assert(a != NULL && b != NULL && pose_a != NULL && pose_b != NULL && results != NULL && caches != NULL);
    for (int i = 0; i < PAIRS; i++) {
        a[i] = i % 4 == 3 ? box[i % BOXES].as_box : box[i % BOXES].as_hull;
        b[i] = box[(i + 1) % BOXES].as_hull;
        pose_a[i] = pose_near(&seed, 1.0);
        pose_b[i] = pose_near(&seed, 3.0);
    }
    const apart_batch batch = {.count = PAIRS,
                               .a = {a, sizeof *a, pose_a, sizeof *pose_a, NULL, 0, 0},
                               .b = {b, sizeof *b, pose_b, sizeof *pose_b, NULL, 0, 0},
                               .caches = caches,
                               .cache_stride = sizeof *caches,
                               .results = results,
                               .result_stride = sizeof *results};
    for (int step = 0; step < 4; step++) {
        ck_assert_int_eq(apart_distance_batch(&batch, NULL, NULL), APART_OK);
        for (int i = 0; i < PAIRS; i++) {
            apart_result r;
            ck_assert_int_eq(apart_distance(&a[i], &pose_a[i], &b[i], &pose_b[i], NULL, NULL, &r), APART_OK);
            ck_assert(r.lower <= results[i].upper && results[i].lower <= r.upper);
            if (i % 4 != 3) {
                check_numbers(&box[i % BOXES], &pose_a[i], results[i].index_a, &results[i], results[i].a, "batch");
            }
            check_numbers(&box[(i + 1) % BOXES], &pose_b[i], results[i].index_b, &results[i], results[i].b, "batch");
            pose_b[i].translation.y += 0.01;
        }
    }
    free(a);
    free(b);
    free(pose_a);
    free(pose_b);
    free(results);
    free(caches);
    for (int i = 0; i < BOXES; i++) {
        apart_hull_free(box[i].hull);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("box_hulls");
    TCase *t = tcase_create("box_hulls");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, answers_are_those_of_boxes);
    tcase_add_test(t, hull_and_box);
    tcase_add_test(t, batches);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
