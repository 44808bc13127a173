/* Distances of meshes against an independent brute force over all pairs of triangles in long doubles: apart, near,
 * nearly parallel, scaled, offset, intersecting; and that witness points, bounds and triangle numbers fit each other. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apart/compound.h>

#include "mesh_bodies.h"
#include "poses.h"
#include "run_suite.h"
#include "scenes.h"
#include "triangle_reference.h"

static uint64_t seed;

typedef struct body {
    triangle_list list;
    apart_mesh *mesh;
} body;

static body body_of(triangle_list list)
{
    body b = {.list = list};
    ck_assert_int_eq(triangle_list_build(&b.list, 0, &b.mesh), APART_OK);
    return b;
}

static void body_free(body *b)
{
    apart_mesh_free(b->mesh);
    triangle_list_free(&b->list);
}

static reference_mesh reference_of(const body *b, const apart_pose *pose)
{
    return (reference_mesh){b->list.vertices, b->list.vertex_count, (const uint32_t(*)[3])b->list.triangles,
                            b->list.triangle_count, pose};
}

/* How far a point is from a triangle of the body. */
static double off_triangle(const body *b, const apart_pose *pose, uint32_t triangle, apart_vec3 point)
{
    const apart_pose identity = apart_pose_identity();
    const uint32_t own[3] = {0, 1, 2}, dot[3] = {0, 0, 0};
    apart_vec3 v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = b->list.vertices[b->list.triangles[triangle][i]];
    }
    const reference_mesh one = {v, 3, &own, 1, pose}, other = {&point, 1, &dot, 1, &identity};
    reference_answer answer;
    reference_distance(&one, &other, &answer);
    return (double)answer.distance;
}

/* size: no coordinate of the world is larger. */
static apart_compound_result check_pair(const body *a, const apart_pose *pa, const body *b, const apart_pose *pb,
                                        double size, apart_compound_cache *cache)
{
    const reference_mesh ra = reference_of(a, pa), rb = reference_of(b, pb);
    reference_answer expected;
    apart_compound_result r;
    reference_distance(&ra, &rb, &expected);
    ck_assert_int_eq(apart_compound_distance(apart_solid_surface(a->mesh), pa, apart_solid_surface(b->mesh), pb, NULL,
                                             cache, &r),
                     APART_OK);
    const double distance = (double)expected.distance, slack = 1e-18 * size;
    const apart_result *q = &r.result;
    ck_assert_msg(q->lower <= distance + slack && distance <= q->upper + slack, "%.17g <= %.17g <= %.17g", q->lower,
                  distance, q->upper);
    ck_assert_msg(q->upper - q->lower <= 1e-13 * size, "%g wide", (q->upper - q->lower) / size);
    ck_assert(q->distance >= q->lower && q->distance <= q->upper);
    ck_assert(!expected.meets || q->lower == 0.0);
    ck_assert_double_le(off_triangle(a, pa, r.part_a, q->a), 1e-13 * size);
    ck_assert_double_le(off_triangle(b, pb, r.part_b, q->b), 1e-13 * size);
    if (!expected.meets) {
        const apart_vec3 gap = apart_vec3_sub(q->b, q->a);
        ck_assert_double_le(apart_vec3_norm(apart_vec3_sub(gap, apart_vec3_scale(q->distance, q->normal))),
                            1e-13 * size);
    }
    int overlap;
    ck_assert_int_eq(apart_compound_overlap(apart_solid_surface(a->mesh), pa, apart_solid_surface(b->mesh), pb, NULL,
                                            NULL, &overlap, NULL),
                     APART_OK);
    ck_assert(overlap == 1 || q->lower > 0.0 || !expected.meets);
    ck_assert(overlap == 0 || q->lower == 0.0);
    return r;
}

static body any_body(random_source *r)
{
    switch (random_below(r, 3)) {
    case 0: return body_of(loose_triangles(r, 1 + random_below(r, 200), random_between(r, 0.01, 0.5)));
    case 1: return body_of(bumpy_ring(r, 3 + random_below(r, 16), 3 + random_below(r, 12)));
    default: return body_of(bumpy_sphere(r, 3 + random_below(r, 12), 3 + random_below(r, 12)));
    }
}

START_TEST(equal_brute_force)
{
    random_source r = seed;
    for (int i = 0; i < 30; i++) {
        body a = any_body(&r), b = any_body(&r);
        for (int k = 0; k < 6; k++) {
            const double spread = k % 3 == 0 ? 0.6 : k % 3 == 1 ? 2.0 : 20.0;
            const apart_pose pa = scene_pose(&r, spread), pb = scene_pose(&r, spread);
            check_pair(&a, &pa, &b, &pb, 4.0 + 4.0 * spread, NULL);
        }
        body_free(&a);
        body_free(&b);
    }
}
END_TEST

/* Moved along the normal until the gap is as small as asked. */
START_TEST(near_bodies_equal_brute_force)
{
    random_source r = seed + 1;
    for (int i = 0; i < 50; i++) {
        body a = any_body(&r), b = any_body(&r);
        const apart_pose pa = scene_pose(&r, 0.1);
        apart_pose pb = scene_pose(&r, 4.0);
        for (int step = 0; step < 3; step++) {
            const double gap = pow(10.0, -3.0 * (step + 1));
            const apart_compound_result found = check_pair(&a, &pa, &b, &pb, 20.0, NULL);
            if (found.result.lower <= gap) {
                break;
            }
            pb.translation = apart_vec3_add_scaled(pb.translation, gap - found.result.distance, found.result.normal);
        }
        check_pair(&a, &pa, &b, &pb, 20.0, NULL);
        body_free(&a);
        body_free(&b);
    }
}
END_TEST

/* The same mesh above itself, turned by next to nothing: all vertices are nearest. */
START_TEST(parallel_bodies_equal_brute_force)
{
    random_source r = seed + 2;
    for (int i = 0; i < 20; i++) {
        body a = body_of(i % 2 == 0 ? bumpy_ring(&r, 12, 8) : bumpy_sphere(&r, 6, 4));
        const double angle = i % 4 == 0 ? 0.0 : pow(10.0, -random_between(&r, 3.0, 16.0));
        const apart_pose pa = at(0, 0, 0), pb = turned(random_vector(&r, 1.0), angle * 57.0, vec(0, 0, 1.9));
        check_pair(&a, &pa, &a, &pb, 5.0, NULL);
        const apart_pose pc = turned(vec(0, 0, 1), angle * 57.0, vec(2.3, 0, 0));
        check_pair(&a, &pa, &a, &pc, 5.0, NULL);
        body_free(&a);
    }
}
END_TEST

START_TEST(scale_and_offset_do_not_matter)
{
    static const double factors[] = {1e-6, 1e6, 1e100, 1e-100};
    random_source r = seed + 3;
    for (int i = 0; i < 32; i++) {
        const double factor = factors[i % 4], other = i % 8 < 4 ? factor : factor * 1e-3;
        triangle_list la = bumpy_ring(&r, 12, 8), lb = bumpy_sphere(&r, 8, 8);
        const bool offset = i % 3 == 0;
        const apart_vec3 off = offset ? vec(1e6 * factor, -2e6 * factor, 1e5 * factor) : vec(0, 0, 0);
        triangle_list_place(&la, factor, off);
        triangle_list_place(&lb, other, vec(0, 0, 0));
        body a = body_of(la), b = body_of(lb);
        apart_pose pa = scene_pose(&r, 0.1), pb = scene_pose(&r, 3.0);
        pa.translation = apart_vec3_scale(factor, pa.translation);
        pb.translation = apart_vec3_scale(factor, pb.translation);
        if (offset) {
            pa.translation = apart_vec3_sub(pa.translation, apart_pose_rotate(&pa, off));
        }
        apart_compound_result near = check_pair(&a, &pa, &b, &pb, (offset ? 1e7 : 20.0) * factor, NULL);
        ck_assert_double_le(near.result.upper - near.result.lower, 2e-13 * factor); /* offset or not */
        const apart_vec3 away = vec(1e6 * factor, 0, 0);
        pa.translation = apart_vec3_add(pa.translation, away);
        pb.translation = apart_vec3_add(pb.translation, away);
        near = check_pair(&a, &pa, &b, &pb, 1e7 * factor, NULL);
        ck_assert_double_le(near.result.upper - near.result.lower, 2e-13 * factor);
        pb.translation = apart_vec3_add(pb.translation, away);
        check_pair(&a, &pa, &b, &pb, 1e7 * factor, NULL);
        body_free(&a);
        body_free(&b);
    }
}
END_TEST

/* The direction between points this near has no length that could be inverted. */
START_TEST(subnormal_gaps)
{
    const uint32_t corners[3] = {0, 0, 0};
    for (double gap = 1e-300; gap > 0.0; gap *= 1e-3) {
        const double xyz[2][3] = {{gap, -gap, 0}, {0, 0, 0}};
        apart_mesh *mesh[2];
        for (int i = 0; i < 2; i++) {
            const apart_vertices list = {.data = xyz[i], .count = 1};
            ck_assert_int_eq(apart_mesh_build(&list, corners, 1, NULL, &mesh[i]), APART_OK);
        }
        const apart_pose pose = apart_pose_identity();
        const apart_shape points[2] = {apart_point(vec(gap, -gap, 0)), apart_point(vec(0, 0, 0))};
        apart_compound_result found;
        apart_result expected;
        ck_assert_int_eq(apart_distance(&points[0], &pose, &points[1], &pose, NULL, NULL, &expected), APART_OK);
        ck_assert_int_eq(apart_compound_distance(apart_solid_surface(mesh[0]), &pose, apart_solid_surface(mesh[1]),
                                                 &pose, NULL, NULL, &found),
                         APART_OK);
        ck_assert_msg(found.result.lower <= expected.upper && expected.lower <= found.result.upper,
                      "[%g, %g], but the points are %g apart", found.result.lower, found.result.upper,
                      expected.distance);
        apart_mesh_free(mesh[0]);
        apart_mesh_free(mesh[1]);
    }
}
END_TEST

/* The bounds of a huge triangle hold 0; the points that are shown are those of the one that is near for certain. */
START_TEST(points_are_as_near_as_the_upper_bound)
{
    static const double xyz[] = {9.5, 2.5, 1, 8, 0, 0, 8, 2.1914674314899108e24, 16.5, 7, -1.5, 0, 6.75, 1.75, 2.75};
    static const uint32_t corners[] = {0, 1, 2, 3, 4, 3};
    const apart_vertices list = {.data = xyz, .count = 5};
    const apart_shape parts[] = {apart_triangle(vec(9.5, 2.5, 1), vec(8, 0, 0), vec(8, 2.1914674314899108e24, 16.5)),
                                 apart_segment(vec(7, -1.5, 0), vec(6.75, 1.75, 2.75))};
    const apart_shape point = apart_point(vec(1, 0, 0));
    const apart_part placed[] = {{parts[0], apart_pose_identity()}, {parts[1], apart_pose_identity()}};
    const apart_pose pose = apart_pose_identity();
    apart_mesh *mesh;
    apart_compound *compound;
    ck_assert_int_eq(apart_mesh_build(&list, corners, 2, NULL, &mesh), APART_OK);
    ck_assert_int_eq(apart_compound_build(placed, 2, NULL, &compound), APART_OK);
    for (int i = 0; i < 2; i++) {
        const apart_solid solid = i == 0 ? apart_solid_surface(mesh) : apart_solid_compound(compound);
        apart_compound_result r;
        ck_assert_int_eq(apart_compound_distance(solid, &pose, apart_solid_shape(&point), &pose, NULL, NULL, &r),
                         APART_OK);
        const double between = apart_vec3_norm(apart_vec3_sub(r.result.b, r.result.a));
        ck_assert_msg(between <= r.result.upper * (1.0 + 1e-12), "%d: the points are %g apart, the upper bound is %g",
                      i, between, r.result.upper);
    }
    apart_mesh_free(mesh);
    apart_compound_free(compound);
}
END_TEST

START_TEST(caches_never_change_the_answer)
{
    random_source r = seed + 4;
    apart_compound_cache cache = {.part_a = 0};
    for (int i = 0; i < 20; i++) {
        body a = any_body(&r), b = any_body(&r);
        apart_pose pa = scene_pose(&r, 1.0), pb = scene_pose(&r, 2.0);
        for (int step = 0; step < 10; step++) {
            check_pair(&a, &pa, &b, &pb, 20.0, &cache);
            pa = scene_nudged(&pa, &r, 0.05, 0.1);
            pb = scene_nudged(&pb, &r, 0.05, 0.1);
        }
        if (i % 3 == 0) {
            unsigned char *bytes = (unsigned char *)&cache;
            for (size_t k = 0; k < sizeof cache; k++) {
                bytes[k] = (unsigned char)random_bits(&r);
            }
        }
        body_free(&a);
        body_free(&b);
    }
}
END_TEST

/* A hundred thousand triangles in one place: what is asked of them costs what is asked of one. */
START_TEST(coincident_triangles_are_one)
{
    enum { many = 100000 };
    triangle_list list = {malloc(3 * sizeof(apart_vec3)), malloc(many * sizeof(uint32_t[3])), 3, many};
    const apart_vec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    memcpy(list.vertices, corner, sizeof corner);
    for (uint32_t i = 0; i < many; i++) {
        memcpy(list.triangles[i], (const uint32_t[3]){i % 3, (i + 1 + i % 2) % 3, (i + 2 - i % 2) % 3},
               sizeof(uint32_t[3]));
    }
    body b = body_of(list);
    const apart_solid solid = apart_solid_surface(b.mesh);
    const apart_pose origin = at(0, 0, 0), above = at(0.125, 0.125, 2);
    apart_compound_result r;
    ck_assert_int_eq(apart_compound_distance(solid, &origin, solid, &above, NULL, NULL, &r), APART_OK);
    ck_assert(r.result.lower <= 2.0 && r.result.upper >= 2.0 && r.result.upper - r.result.lower <= 1e-13);
    ck_assert(r.queries < 10 && r.part_a == 0 && r.part_b == 0);
    int met;
    uint32_t pair[2];
    ck_assert_int_eq(apart_mesh_self_intersection(b.mesh, &met, pair), APART_OK);
    ck_assert(met == 1 && pair[0] == 0 && pair[1] == 1);
    ck_assert_uint_eq(apart_mesh_inspect(b.mesh)->triangles, many);
    apart_part_list near = {.depth = APART_DEPTH_NONE};
    ck_assert_int_eq(apart_compound_below(solid, &origin, solid, &above, 2.5, &near), APART_OK);
    ck_assert_uint_eq(near.total, (size_t)many * many);
    body_free(&b);
}
END_TEST

START_TEST(models_equal_brute_force)
{
    random_source r = seed + 5;
    triangle_list la, lb;
    if (!shared_model("suzanne.obj", &la) || !shared_model("iiwa14-link4.stl", &lb)) {
        return;
    }
    body a = body_of(la), b = body_of(lb);
    for (int i = 0; i < 40; i++) {
        const apart_pose pa = scene_pose(&r, 0.5), pb = scene_pose(&r, i % 2 == 0 ? 1.5 : 4.0);
        check_pair(&a, &pa, &b, &pb, 10.0, NULL);
    }
    body_free(&a);
    body_free(&b);
}
END_TEST

int main(void)
{
    seed = random_seed("mesh_distance");
    Suite *suite = suite_create("mesh_distance");
    TCase *all = tcase_create("distances");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, equal_brute_force);
    tcase_add_test(all, near_bodies_equal_brute_force);
    tcase_add_test(all, parallel_bodies_equal_brute_force);
    tcase_add_test(all, scale_and_offset_do_not_matter);
    tcase_add_test(all, subnormal_gaps);
    tcase_add_test(all, points_are_as_near_as_the_upper_bound);
    tcase_add_test(all, caches_never_change_the_answer);
    tcase_add_test(all, coincident_triangles_are_one);
    tcase_add_test(all, models_equal_brute_force);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
