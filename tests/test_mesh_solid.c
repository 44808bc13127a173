/* Meshes as solids: bodies inside others, and bounds of the depth. The upper bound of a depth must separate; no shorter
 * translation than the lower bound may. Both are checked by the brute force and exact point tests. */
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

static apart_mesh *box_mesh_at(apart_vec3 center, double half, bool inside_out)
{
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    apart_vec3 v[8];
    uint32_t t[12][3];
    for (uint32_t i = 0; i < 8; i++) {
        v[i] = apart_vec3_add(center, vec(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half));
    }
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t *f = faces[i / 2], second = i % 2 ? 3 : 2, third = i % 2 ? 2 : 1;
        memcpy(t[i], (const uint32_t[3]){f[0], f[inside_out ? third : second], f[inside_out ? second : third]},
               sizeof t[i]);
    }
    const apart_vertices vertices = {.data = v, .count = 8};
    apart_mesh *m;
    ck_assert_int_eq(apart_mesh_build(&vertices, &t[0][0], 12, NULL, &m), APART_OK);
    return m;
}

static apart_mesh *box_mesh(double half, bool inside_out) { return box_mesh_at(vec(0, 0, 0), half, inside_out); }

static apart_result distance_of(apart_solid a, const apart_pose *pa, apart_solid b, const apart_pose *pb)
{
    apart_compound_result r;
    ck_assert_int_eq(apart_compound_distance(a, pa, b, pb, NULL, NULL, &r), APART_OK);
    int overlap;
    ck_assert_int_eq(apart_compound_overlap(a, pa, b, pb, NULL, NULL, &overlap, NULL), APART_OK);
    ck_assert_int_eq(overlap, r.result.lower <= 0.0);
    ck_assert(r.result.lower <= r.result.distance && r.result.distance <= r.result.upper);
    return r.result;
}

START_TEST(boxes_have_known_depths)
{
    apart_mesh *big = box_mesh(1.0, false), *small = box_mesh(0.25, true);
    const apart_pose origin = at(0, 0, 0);
    const apart_shape ball = apart_sphere(0.25), box = apart_box(vec(0.25, 0.25, 0.25));
    const apart_solid shapes[] = {apart_solid_mesh(small), apart_solid_shape(&ball), apart_solid_shape(&box)};
    for (int i = 0; i < 3; i++) {
        for (double x = 0.0; x < 1.2; x += 0.125) {
            const apart_pose pose = at(x, 0.0625, 0);
            const apart_result r = distance_of(apart_solid_mesh(big), &origin, shapes[i], &pose);
            const double depth = 1.25 - fmax(x, 0.0625); /* out of the nearest side */
            ck_assert(r.relation == APART_OVERLAPPING);
            ck_assert_double_le(r.lower, -depth + 1e-12);
            ck_assert_double_ge(r.upper, -depth - 1e-12);
            ck_assert_double_ge(r.lower, -depth - (i == 1 ? 1e-9 : 1e-12)); /* the box's way out is tried */
            ck_assert(i != 1 || x >= 1.0 || r.upper < -depth + 1e-12);      /* the centre's distance, and the radius */
            const apart_result s = distance_of(shapes[i], &pose, apart_solid_mesh(big), &origin);
            ck_assert_double_ge(s.lower, -depth - (i == 1 ? 1e-9 : 1e-12));
            ck_assert_double_le(s.lower, -depth + 1e-12);
        }
        const apart_pose inside = at(0.25, 0.125, -0.125), outside = at(0, 1.5, 0);
        const apart_result r = distance_of(apart_solid_surface(big), &origin, shapes[i], &inside);
        ck_assert(fabs(r.distance - 0.5) < 1e-12);
        ck_assert(r.upper - r.lower < 1e-12);
        const apart_result s = distance_of(apart_solid_mesh(big), &origin, shapes[i], &outside);
        ck_assert(fabs(s.distance - 0.25) < 1e-12);
    }
    apart_mesh_free(big);
    apart_mesh_free(small);
}
END_TEST

/* A body inside, beside the wall, where all coordinates are large: the places of points are measured from the centres. */
START_TEST(inside_by_little_and_far_from_the_origin)
{
    random_source r = seed + 9;
    const apart_vec3 off = vec(0x1p20, -0x1p19, 0x1p20);
    for (int i = 0; i < 40; i++) {
        const double gap = i % 2 == 0 ? 0x1p-28 : -0x1p-28;
        apart_mesh *big = box_mesh_at(off, 1.0, false),
                   *small = box_mesh_at(apart_vec3_add(off, vec(0.75 - gap, 0, 0)), 0.25, false);
        apart_pose pose = at(0, 0, 0);
        pose.rotation = random_rotation(&r);
        const apart_result q = distance_of(apart_solid_mesh(big), &pose, apart_solid_mesh(small), &pose);
        ck_assert_msg(q.relation == APART_OVERLAPPING, "%d: [%g, %g]", i, q.lower, q.upper);
        if (i % 2 == 0) { /* inside: the depth is that of the boxes */
            ck_assert_msg(q.upper <= -0.4 && fabs(q.lower + 0.5 + gap) < 1e-8, "%d: [%.17g, %.17g]", i, q.lower,
                          q.upper);
        }
        apart_mesh_free(big);
        apart_mesh_free(small);
    }
}
END_TEST

/* A prism over an outline of eight corners in the plane of y and z, from x = 0 to `length`. */
static apart_mesh *prism(const double (*outline)[2], const uint32_t (*caps)[3], double length)
{
    apart_vec3 v[16];
    uint32_t t[28][3], count = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t j = (i + 1) % 8;
        v[i] = vec(0, outline[i][0], outline[i][1]);
        v[8 + i] = vec(length, outline[i][0], outline[i][1]);
        memcpy(t[count++], (const uint32_t[3]){i, j, 8 + j}, sizeof t[0]);
        memcpy(t[count++], (const uint32_t[3]){i, 8 + j, 8 + i}, sizeof t[0]);
    }
    for (uint32_t i = 0; i < 6; i++) {
        memcpy(t[count++], (const uint32_t[3]){caps[i][0], caps[i][2], caps[i][1]}, sizeof t[0]);
        memcpy(t[count++], (const uint32_t[3]){8 + caps[i][0], 8 + caps[i][1], 8 + caps[i][2]}, sizeof t[0]);
    }
    const apart_vertices vertices = {.data = v, .count = 16};
    apart_mesh *m;
    ck_assert_int_eq(apart_mesh_build(&vertices, &t[0][0], 28, NULL, &m), APART_OK);
    ck_assert(apart_mesh_inspect(m)->oriented);
    return m;
}

/* A slider of the shape of a T in a channel of the shape of a U: their hulls overlap by far more than they do. The
 * slider may sink by 0.5 and go sideways by 1. */
START_TEST(interlocking_bodies_have_tight_depths)
{
    static const double channel[][2] = {{0, 0}, {40, 0}, {40, 30}, {30, 30}, {30, 10}, {10, 10}, {10, 30}, {0, 30}};
    static const uint32_t channel_caps[][3] = {{1, 2, 3}, {1, 3, 4}, {0, 1, 4}, {0, 4, 5}, {7, 0, 5}, {5, 6, 7}};
    static const double slider[][2] = {{11, 11.5}, {29, 11.5}, {29, 30.5}, {38, 30.5},
                                       {38, 36},   {2, 36},    {2, 30.5},  {11, 30.5}};
    static const uint32_t slider_caps[][3] = {{7, 0, 1}, {7, 1, 2}, {2, 3, 4}, {7, 2, 4}, {7, 4, 5}, {5, 6, 7}};
    apart_mesh *u = prism(channel, channel_caps, 60), *t = prism(slider, slider_caps, 40);
    random_source r = seed + 11;
    for (int i = 0; i < 60; i++) {
        const double sunk = i % 4 == 0 ? 0.0 : random_between(&r, -0.4, 1.9), aside = i % 4 == 1 ? 2.0 : 0.0;
        const apart_pose whole = scene_pose(&r, i % 2 ? 1.0 : 1e4), shift = at(10, aside, -0.5 - sunk);
        const apart_pose where = apart_pose_compose(&whole, &shift);
        const apart_result q = distance_of(apart_solid_mesh(u), &whole, apart_solid_mesh(t), &where);
        const double rounding = 1e-13 * (i % 2 ? 1e2 : 1e4);
        if (aside > 0.0) { /* by one too far to the side: back and up. The hulls would have to go up by 18.5 */
            const double depth = hypot(1.0, fmax(sunk, 0.0));
            ck_assert(q.relation == APART_OVERLAPPING && q.upper < -0.9);
            ck_assert_msg(q.lower <= -depth + rounding && q.lower > -2.0 * depth, "%g: %g of %g", sunk, q.lower, depth);
        } else {
            ck_assert_msg(q.lower <= -sunk + rounding && -sunk - rounding <= q.upper, "%g: [%.17g, %.17g]", sunk,
                          q.lower, q.upper);
            ck_assert_msg(fabs(q.lower + sunk) < 1e-9 * (i % 2 ? 1.0 : 10.0), "%d: %.17g: %.17g", i, sunk, q.lower);
            ck_assert_msg(fabs(q.upper + sunk) < 1e-9 * (i % 2 ? 1.0 : 10.0), "%g: %.17g", sunk, q.upper);
        }
    }
    apart_mesh_free(u);
    apart_mesh_free(t);
}
END_TEST

START_TEST(half_spaces_have_exact_depths)
{
    apart_mesh *big = box_mesh(1.0, false);
    const apart_shape plane = apart_half_space(vec(0, 0, 1), 0.5);
    const apart_pose origin = at(0, 0, 0);
    for (int i = 0; i < 2; i++) {
        for (double z = -4.0; z < 5.0; z += 0.25) {
            const apart_pose pose = at(3, 4, z);
            const apart_solid solids[2] = {apart_solid_mesh(big), apart_solid_shape(&plane)};
            const apart_pose *poses[2] = {&pose, &origin};
            const apart_result r = distance_of(solids[i], poses[i], solids[1 - i], poses[1 - i]);
            ck_assert(r.lower <= z - 1.5 && z - 1.5 <= r.upper && r.upper - r.lower < 1e-12);
        }
    }
    apart_mesh_free(big);
}
END_TEST

START_TEST(open_meshes_are_no_solids)
{
    random_source r = seed;
    triangle_list list = bumpy_ring(&r, 8, 8);
    list.triangle_count--;
    apart_mesh *m;
    ck_assert_int_eq(triangle_list_build(&list, 0, &m), APART_OK);
    const apart_pose origin = at(0, 0, 0);
    apart_compound_result result;
    int overlap;
    ck_assert_int_eq(apart_compound_distance(apart_solid_mesh(m), &origin, apart_solid_surface(m), &origin, NULL, NULL,
                                             &result),
                     APART_ERR_NOT_WATERTIGHT);
    ck_assert_int_eq(apart_compound_overlap(apart_solid_surface(m), &origin, apart_solid_mesh(m), &origin, NULL, NULL,
                                            &overlap, NULL),
                     APART_ERR_NOT_WATERTIGHT);
    apart_mesh_free(m);
    triangle_list_free(&list);
}
END_TEST

/* Do two closed bodies share a point? By the brute force, and one vertex of each in the other. */
static bool share_a_point(const triangle_list *a, const apart_mesh *ma, const apart_pose *pa, const triangle_list *b,
                          const apart_mesh *mb, const apart_pose *pb)
{
    const reference_mesh ra = {a->vertices, a->vertex_count, (const uint32_t(*)[3])a->triangles, a->triangle_count, pa};
    const reference_mesh rb = {b->vertices, b->vertex_count, (const uint32_t(*)[3])b->triangles, b->triangle_count, pb};
    reference_answer answer;
    int b_in_a, a_in_b;
    reference_distance(&ra, &rb, &answer);
    const apart_vec3 in_a = apart_pose_apply_inverse(pa, apart_pose_apply(pb, b->vertices[0]));
    const apart_vec3 in_b = apart_pose_apply_inverse(pb, apart_pose_apply(pa, a->vertices[0]));
    ck_assert_int_eq(apart_mesh_contains(ma, in_a, &b_in_a), APART_OK);
    ck_assert_int_eq(apart_mesh_contains(mb, in_b, &a_in_b), APART_OK);
    return answer.meets || answer.distance < 1e-13L || b_in_a > 0 || a_in_b > 0;
}

START_TEST(depths_of_random_bodies_hold)
{
    random_source r = seed + 1;
    int inside = 0;
    for (int i = 0; i < 60; i++) {
        triangle_list la = bumpy_sphere(&r, 8, 9), lb = i % 2 ? bumpy_ring(&r, 9, 6) : bumpy_sphere(&r, 6, 7);
        triangle_list_place(&lb, i % 3 == 0 ? 0.2 : 1.0, vec(0, 0, 0));
        apart_mesh *ma, *mb;
        ck_assert_int_eq(triangle_list_build(&la, 0, &ma), APART_OK);
        ck_assert_int_eq(triangle_list_build(&lb, 0, &mb), APART_OK);
        const apart_pose pa = scene_pose(&r, 0.2), pb = scene_pose(&r, i % 3 == 0 ? 0.3 : 1.0);
        const apart_result q = distance_of(apart_solid_mesh(ma), &pa, apart_solid_mesh(mb), &pb);
        const apart_result s = distance_of(apart_solid_surface(ma), &pa, apart_solid_surface(mb), &pb);
        const bool meet = share_a_point(&la, ma, &pa, &lb, mb, &pb);
        ck_assert(meet == (q.lower <= 0.0));
        inside += q.lower < 0.0 && s.lower > 0.0;
        if (meet) {
            apart_pose moved = pb;
            moved.translation = apart_vec3_add_scaled(pb.translation, 1e-9 - q.lower, q.normal);
            ck_assert(!share_a_point(&la, ma, &pa, &lb, mb, &moved));
            for (int k = 0; k < 4; k++) {
                const apart_vec3 v = random_vector(&r, 1.0);
                const double length = -q.upper * random_unit(&r) / apart_vec3_norm(v);
                moved.translation = apart_vec3_add_scaled(pb.translation, length, v);
                ck_assert(share_a_point(&la, ma, &pa, &lb, mb, &moved));
            }
        }
        apart_mesh_free(ma);
        apart_mesh_free(mb);
        triangle_list_free(&la);
        triangle_list_free(&lb);
    }
    printf("%d of 60 pairs have one body inside the other\n", inside);
    ck_assert_int_gt(inside, 5);
}
END_TEST

/* Two bodies in one mesh: that the first is outside says nothing of the second. */
START_TEST(each_island_counts)
{
    apart_mesh *big = box_mesh(1.0, false);
    const apart_pose origin = at(0, 0, 0), identity = apart_pose_identity();
    const apart_shape ball = apart_sphere(0.1);
    const apart_part parts[2] = {{ball, at(5, 0, 0)}, {ball, at(0.2, 0, 0)}};
    apart_compound *two;
    ck_assert_int_eq(apart_compound_build(parts, 2, NULL, &two), APART_OK);
    ck_assert(distance_of(apart_solid_mesh(big), &origin, apart_solid_compound(two), &identity).lower < 0.0);
    ck_assert(distance_of(apart_solid_surface(big), &origin, apart_solid_compound(two), &identity).lower > 0.6);
    apart_compound_free(two);
    triangle_list one, far;
    random_source r = seed;
    one = bumpy_sphere(&r, 4, 4);
    far = bumpy_sphere(&r, 4, 4);
    triangle_list_place(&one, 0.1, vec(9, 9, 9));
    triangle_list_place(&far, 0.1, vec(0.3, 0, 0));
    triangle_list both = {malloc(2 * one.vertex_count * sizeof(apart_vec3)),
                          malloc(2 * one.triangle_count * sizeof(uint32_t[3])), 2 * one.vertex_count,
                          2 * one.triangle_count};
    memcpy(both.vertices, one.vertices, one.vertex_count * sizeof(apart_vec3));
    memcpy(both.vertices + one.vertex_count, far.vertices, one.vertex_count * sizeof(apart_vec3));
    for (uint32_t t = 0; t < both.triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            both.triangles[t][k] =
                one.triangles[t % one.triangle_count][k] + (t < one.triangle_count ? 0 : one.vertex_count);
        }
    }
    apart_mesh *m;
    ck_assert_int_eq(triangle_list_build(&both, 0, &m), APART_OK);
    ck_assert(distance_of(apart_solid_surface(m), &origin, apart_solid_mesh(big), &origin).upper == 0.0);
    ck_assert(distance_of(apart_solid_mesh(m), &origin, apart_solid_mesh(big), &origin).upper < 0.0);
    apart_mesh_free(m);
    apart_mesh_free(big);
    triangle_list_free(&one);
    triangle_list_free(&far);
    triangle_list_free(&both);
}
END_TEST

int main(void)
{
    seed = random_seed("mesh_solid");
    Suite *suite = suite_create("mesh_solid");
    TCase *all = tcase_create("solids");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, boxes_have_known_depths);
    tcase_add_test(all, inside_by_little_and_far_from_the_origin);
    tcase_add_test(all, interlocking_bodies_have_tight_depths);
    tcase_add_test(all, half_spaces_have_exact_depths);
    tcase_add_test(all, open_meshes_are_no_solids);
    tcase_add_test(all, depths_of_random_bodies_hold);
    tcase_add_test(all, each_island_counts);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
