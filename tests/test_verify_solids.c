/* The check of results of meshes and compounds: answers of the library are proved or stay undecided, never refuted, and
 * false ones are never proved: bounds that are moved, pairs of triangles that are not the nearest, points that leave
 * their triangles, meetings that do not happen. */
#include <apart/verify.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "mesh_bodies.h"
#include "random.h"
#include "run_suite.h"

typedef struct scene {
    apart_solid a, b;
    apart_pose pose_a, pose_b;
    apart_compound_result r;
    double size;
} scene;

static apart_pose random_pose(random_source *r, double far)
{
    apart_pose pose;
    const double w = random_signed(r), x = random_signed(r), y = random_signed(r), z = random_signed(r);
    ck_assert_int_eq(apart_pose_from_quat_wxyz(w, x, y, z, random_vector(r, far), &pose), APART_OK);
    return pose;
}

static void query(scene *s)
{
    ck_assert_int_eq(apart_compound_distance(s->a, &s->pose_a, s->b, &s->pose_b, NULL, NULL, &s->r), APART_OK);
}

static apart_proof verify(const scene *s, const apart_compound_result *r)
{
    apart_proof proof;
    ck_assert_int_eq(apart_verify_solids(s->a, &s->pose_a, s->b, &s->pose_b, r, &proof), APART_OK);
    return proof;
}

static apart_mesh *build(const triangle_list *list)
{
    apart_mesh *mesh = NULL;
    ck_assert_int_eq(triangle_list_build(list, 1, &mesh), APART_OK);
    return mesh;
}

typedef struct tally {
    int answers, proved, lies, refuted;
} tally;

static void expect_false(const scene *s, const apart_compound_result *lie, tally *t, const char *what)
{
    const apart_proof proof = verify(s, lie);
    ck_assert_msg(proof.verdict != APART_PROVED, "%s: [%.17g, %.17g] is proved; true: [%.17g, %.17g]", what,
                  lie->result.lower, lie->result.upper, s->r.result.lower, s->r.result.upper);
    t->lies++;
    t->refuted += proof.verdict == APART_REFUTED;
}

/* The answer of two parts alone in place of the nearest ones: its lower bound is too large. */
static void try_other_parts(const scene *s, uint32_t count_a, uint32_t count_b, random_source *r, tally *t)
{
    apart_compound_result lie = s->r;
    lie.part_a = random_below(r, count_a);
    lie.part_b = random_below(r, count_b);
    apart_shape part[2];
    const apart_solid solid[2] = {s->a, s->b};
    const uint32_t number[2] = {lie.part_a, lie.part_b};
    for (int i = 0; i < 2; i++) {
        if (solid[i].mesh == NULL) {
            part[i] = *solid[i].shape;
            continue;
        }
        uint32_t ids[3];
        apart_mesh_triangle(solid[i].mesh, number[i], ids);
        part[i] = apart_triangle(apart_mesh_vertex(solid[i].mesh, ids[0]), apart_mesh_vertex(solid[i].mesh, ids[1]),
                                 apart_mesh_vertex(solid[i].mesh, ids[2]));
    }
    ck_assert_int_eq(apart_distance(&part[0], &s->pose_a, &part[1], &s->pose_b, NULL, NULL, &lie.result), APART_OK);
    if (lie.result.lower > s->r.result.upper) {
        expect_false(s, &lie, t, "other parts");
    }
}

static void try_separated(const scene *s, uint32_t count_a, uint32_t count_b, random_source *r, tally *t)
{
    const apart_proof proof = verify(s, &s->r);
    t->answers++;
    ck_assert_msg(proof.verdict != APART_REFUTED, "%s", proof.reason);
    if (proof.verdict != APART_PROVED) {
        return;
    }
    t->proved++;
    ck_assert(proof.lower <= s->r.result.distance && s->r.result.distance <= proof.upper + s->size * DBL_EPSILON * 64);
    const double by = s->size * ldexp(1.0, -(int)random_below(r, 30) - 10);
    apart_compound_result lie = s->r;
    lie.result.lower = s->r.result.upper + by;
    lie.result.upper = lie.result.distance = lie.result.lower + by;
    expect_false(s, &lie, t, "too far");
    lie = s->r;
    lie.result.upper = s->r.result.lower - by;
    lie.result.lower = lie.result.distance = lie.result.upper - by;
    lie.result.relation = lie.result.lower > 0.0 ? APART_DISJOINT : APART_OVERLAPPING;
    expect_false(s, &lie, t, "too near");
    lie = s->r;
    lie.result.a = apart_vec3_add_scaled(lie.result.a, by, lie.result.normal);
    expect_false(s, &lie, t, "point of A");
    lie = s->r;
    lie.part_b = (lie.part_b + 1 + random_below(r, count_b)) % (count_b + 1);
    if (lie.part_b == count_b) {
        expect_false(s, &lie, t, "no such part");
    }
    lie = s->r;
    lie.result = (apart_result){.distance = 0.0,
                                .relation = APART_OVERLAPPING,
                                .normal = s->r.result.normal,
                                .a = s->r.result.a,
                                .b = s->r.result.b,
                                .count = 1,
                                .dim = 3};
    expect_false(s, &lie, t, "meeting");
    for (int i = 0; i < 4; i++) {
        try_other_parts(s, count_a, count_b, r, t);
    }
}

static void print_tally(const char *name, const tally *t)
{
    printf("%s: %d of %d answers proved; %d of %d false claims refuted, none proved\n", name, t->proved, t->answers,
           t->refuted, t->lies);
}

START_TEST(two_meshes)
{
    random_source r = random_seed("two_meshes");
    tally t = {0, 0, 0, 0};
    for (int round = 0; round < 16; round++) {
        triangle_list first = bumpy_sphere(&r, 10, 13), second = bumpy_ring(&r, 16, 9);
        const double size = round % 4 == 2 ? 1e-6 : 1.0;
        triangle_list_place(&first, size, (apart_vec3){0.0, 0.0, 0.0});
        triangle_list_place(&second, size, (apart_vec3){0.0, 0.0, 0.0});
        apart_mesh *a = build(&first), *b = build(&second);
        for (int i = 0; i < 4; i++) {
            scene s = {apart_solid_surface(a), apart_solid_surface(b), random_pose(&r, size), random_pose(&r, size),
                       .size = 4.0 * size};
            const double gap = i % 2 == 0 ? 2.5 : 2.1;
            const apart_vec3 away = random_vector(&r, 1.0);
            s.pose_b.translation =
                apart_vec3_add_scaled(s.pose_a.translation, gap * size / apart_vec3_norm(away), away);
            query(&s);
            if (s.r.result.lower > 0.0) {
                /* Towards each other, to a gap of 1e-7 of the size. */
                if (i % 2 == 1) {
                    const double step = s.r.result.distance - 1e-7 * size;
                    s.pose_b.translation = apart_vec3_add_scaled(s.pose_b.translation, -step, s.r.result.normal);
                    query(&s);
                }
                try_separated(&s, first.triangle_count, second.triangle_count, &r, &t);
            }
        }
        apart_mesh_free(a);
        apart_mesh_free(b);
        triangle_list_free(&first);
        triangle_list_free(&second);
    }
    print_tally("two meshes", &t);
    ck_assert(t.answers > 30 && t.proved > t.answers * 9 / 10 && t.refuted > t.lies / 2);
}
END_TEST

START_TEST(mesh_and_shape)
{
    random_source r = random_seed("mesh_and_shape");
    tally t = {0, 0, 0, 0};
    const apart_shape shapes[] = {apart_sphere(0.5), apart_box((apart_vec3){0.5, 0.25, 0.125}),
                                  apart_capsule(0.25, 0.5), apart_cylinder(0.5, 0.25)};
    triangle_list list = bumpy_ring(&r, 20, 12);
    apart_mesh *mesh = build(&list);
    for (int i = 0; i < 40; i++) {
        scene s = {apart_solid_surface(mesh), apart_solid_shape(&shapes[i % 4]), random_pose(&r, 1.0),
                   random_pose(&r, 2.0), .size = 4.0};
        query(&s);
        if (s.r.result.lower > 0.0) {
            try_separated(&s, list.triangle_count, 1, &r, &t);
        }
    }
    apart_mesh_free(mesh);
    triangle_list_free(&list);
    print_tally("mesh and shape", &t);
    ck_assert(t.answers > 10 && t.proved > t.answers * 3 / 4);
}
END_TEST

/* Surfaces that cross: proved; a claim that they are apart: not. */
START_TEST(meetings)
{
    random_source r = random_seed("meetings");
    triangle_list list = bumpy_sphere(&r, 12, 15);
    apart_mesh *mesh = build(&list);
    int met = 0, proved = 0;
    for (int i = 0; i < 40; i++) {
        scene s = {apart_solid_surface(mesh), apart_solid_surface(mesh), random_pose(&r, 0.5), random_pose(&r, 0.5),
                   .size = 4.0};
        query(&s);
        if (s.r.result.relation == APART_OVERLAPPING) {
            const apart_proof proof = verify(&s, &s.r);
            ck_assert(proof.verdict != APART_REFUTED);
            met++;
            proved += proof.verdict == APART_PROVED;
            apart_compound_result lie = s.r;
            lie.result.relation = APART_DISJOINT;
            lie.result.lower = 1e-9;
            lie.result.distance = lie.result.upper = 2e-9;
            ck_assert(verify(&s, &lie).verdict == APART_REFUTED);
        }
    }
    printf("meetings: %d of %d proved\n", proved, met);
    ck_assert(met > 20 && proved > met * 3 / 4);
    apart_mesh_free(mesh);
    triangle_list_free(&list);
}
END_TEST

/* Compounds of spheres, whose distance is known: proved; a claim for all but the nearest pair is refuted. */
START_TEST(compounds)
{
    enum { COUNT = 30 };
    random_source r = random_seed("compounds");
    for (int round = 0; round < 20; round++) {
        apart_part parts[2][COUNT];
        apart_compound *compound[2];
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < COUNT; i++) {
                parts[k][i].shape = apart_sphere(random_between(&r, 0.01, 0.2));
                parts[k][i].pose = apart_pose_identity();
                parts[k][i].pose.translation = random_vector(&r, 1.0);
            }
            ck_assert_int_eq(apart_compound_build(parts[k], COUNT, NULL, &compound[k]), APART_OK);
        }
        scene s = {apart_solid_compound(compound[0]), apart_solid_compound(compound[1]), apart_pose_identity(),
                   apart_pose_translation(3.0, 0.5, 0.25), .size = 6.0};
        query(&s);
        ck_assert_int_eq(verify(&s, &s.r).verdict, APART_PROVED);
        apart_compound_result lie = s.r;
        lie.part_a = (lie.part_a + 1) % COUNT;
        const apart_pose pose_a = parts[0][lie.part_a].pose;
        const apart_pose pose_b = apart_pose_compose(&s.pose_b, &parts[1][lie.part_b].pose);
        ck_assert_int_eq(apart_distance(&parts[0][lie.part_a].shape, &pose_a, &parts[1][lie.part_b].shape, &pose_b,
                                        NULL, NULL, &lie.result),
                         APART_OK);
        ck_assert_int_eq(verify(&s, &lie).verdict, APART_REFUTED);
        apart_compound_free(compound[0]);
        apart_compound_free(compound[1]);
    }
}
END_TEST

/* Meshes as solids: apart they are proved; inside, the claim that their surfaces' distance is theirs is not. */
START_TEST(solids_of_triangles)
{
    random_source r = random_seed("solids_of_triangles");
    triangle_list first = bumpy_sphere(&r, 12, 15), second = bumpy_ring(&r, 16, 9);
    triangle_list_place(&second, 0.125, (apart_vec3){0.0, 0.0, 0.0});
    apart_mesh *a = build(&first), *b = build(&second);
    int proved = 0, inside = 0;
    for (int i = 0; i < 20; i++) {
        scene s = {apart_solid_mesh(a), apart_solid_mesh(b), random_pose(&r, 1.0), random_pose(&r, 1.0), .size = 4.0};
        s.pose_b.translation = s.pose_a.translation;
        s.pose_b.translation.x += i % 2 == 0 ? 0.0 : 1.5;
        query(&s);
        ck_assert(verify(&s, &s.r).verdict != APART_REFUTED);
        proved += verify(&s, &s.r).verdict == APART_PROVED;
        scene surfaces = s;
        surfaces.a = apart_solid_surface(a);
        surfaces.b = apart_solid_surface(b);
        query(&surfaces);
        if (s.r.result.relation == APART_OVERLAPPING && surfaces.r.result.lower > 0.0) {
            ck_assert_int_eq(verify(&surfaces, &surfaces.r).verdict, APART_PROVED);
            ck_assert(verify(&s, &surfaces.r).verdict == APART_REFUTED);
            inside++;
        }
    }
    ck_assert(proved >= 8 && inside >= 5);
    int around = 0; /* the ring about the middle of the other: no plane separates them, and both are apart */
    triangle_list_place(&second, 16.0, (apart_vec3){0.0, 0.0, 0.0});
    triangle_list_place(&first, 0.3, (apart_vec3){0.0, 0.0, 0.0});
    apart_mesh *ring = build(&second), *ball = build(&first);
    for (int i = 0; i < 10; i++) {
        scene s = {apart_solid_mesh(ring), apart_solid_mesh(ball), random_pose(&r, 1.0), random_pose(&r, 1.0),
                   .size = 4.0};
        s.pose_b.translation = s.pose_a.translation;
        query(&s);
        ck_assert(s.r.result.lower > 0.0);
        around += verify(&s, &s.r).verdict == APART_PROVED;
    }
    ck_assert_int_eq(around, 10);
    int depths = 0; /* bounds of depths; narrower ones are not proved */
    for (int i = 0; i < 12; i++) {
        scene s = {apart_solid_mesh(ring), apart_solid_mesh(ball), random_pose(&r, 0.2), random_pose(&r, 0.2),
                   .size = 4.0};
        s.pose_b.translation = apart_vec3_add(s.pose_a.translation, random_vector(&r, 0.8));
        query(&s);
        if (s.r.result.upper < 0.0) {
            const int verdict = verify(&s, &s.r).verdict;
            ck_assert_int_ne(verdict, APART_REFUTED);
            depths += verdict == APART_PROVED;
            apart_compound_result claim = s.r;
            claim.result.lower = claim.result.distance = 0.5 * claim.result.upper;
            claim.result.upper = claim.result.lower;
            ck_assert_int_ne(verify(&s, &claim).verdict, APART_PROVED);
            claim = s.r;
            claim.result.upper = claim.result.lower * 1.001;
            claim.result.lower = claim.result.distance = claim.result.upper;
            ck_assert_int_ne(verify(&s, &claim).verdict, APART_PROVED);
        }
    }
    printf("%d depths proved\n", depths);
    ck_assert_int_ge(depths, 3);
    apart_mesh_free(ring);
    apart_mesh_free(ball);
    apart_mesh_free(a);
    apart_mesh_free(b);
    triangle_list_free(&first);
    triangle_list_free(&second);
}
END_TEST

START_TEST(refusals)
{
    random_source r = random_seed("refusals");
    triangle_list list = loose_triangles(&r, 2, 1.0);
    apart_mesh *mesh = build(&list);
    const apart_solid solid = apart_solid_surface(mesh), none = {NULL, NULL, NULL, 0};
    const apart_pose pose = apart_pose_identity();
    apart_pose bad = pose;
    bad.rotation.x.x = 2.0;
    apart_compound_result result = {.part_a = 0};
    apart_proof proof;
    ck_assert_int_eq(apart_verify_solids(solid, &pose, solid, &pose, NULL, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify_solids(solid, NULL, solid, &pose, &result, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify_solids(none, &pose, solid, &pose, &result, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify_solids(solid, &bad, solid, &pose, &result, &proof), APART_ERR_ROTATION);
    ck_assert_int_eq(apart_verify_solids(apart_solid_mesh(mesh), &pose, solid, &pose, &result, &proof),
                     APART_ERR_NOT_WATERTIGHT);
    result.part_b = 2;
    ck_assert_int_eq(apart_verify_solids(solid, &pose, solid, &pose, &result, &proof), APART_OK);
    ck_assert_int_eq(proof.verdict, APART_REFUTED);
    apart_mesh_free(mesh);
    triangle_list_free(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify_solids");
    TCase *tcase = tcase_create("verify_solids");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, two_meshes);
    tcase_add_test(tcase, mesh_and_shape);
    tcase_add_test(tcase, meetings);
    tcase_add_test(tcase, compounds);
    tcase_add_test(tcase, solids_of_triangles);
    tcase_add_test(tcase, refusals);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
