/* Rays against meshes: the first triangle by brute force in long double arithmetic, rays at vertices and edges that must
 * not slip through, starts inside solids, poses far away, and sizes. */
#include <apart/compound.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "compound/mesh_ray.h"
#include "mesh_bodies.h"
#include "random.h"
#include "run_suite.h"

typedef long double real;

static apart_pose random_pose(random_source *r, double far)
{
    apart_pose pose;
    const double w = random_signed(r), x = random_signed(r), y = random_signed(r), z = random_signed(r);
    ck_assert_int_eq(apart_pose_from_quat_wxyz(w, x, y, z, random_vector(r, far), &pose), APART_OK);
    return pose;
}

typedef struct reference_hit {
    real distance; /* HUGE_VALL: none */
    bool unsure;   /* some triangle is met or missed by less than rounding */
} reference_hit;

static void placed(const apart_pose *pose, apart_vec3 p, const apart_ray *ray, real out[3])
{
    const apart_mat3 *m = &pose->rotation;
    out[0] = (real)m->x.x * p.x + (real)m->y.x * p.y + (real)m->z.x * p.z + pose->translation.x - ray->origin.x;
    out[1] = (real)m->x.y * p.x + (real)m->y.y * p.y + (real)m->z.y * p.z + pose->translation.y - ray->origin.y;
    out[2] = (real)m->x.z * p.x + (real)m->y.z * p.y + (real)m->z.z * p.z + pose->translation.z - ray->origin.z;
}

static real det(const real a[3], const real b[3], const real c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static real length_of(const real a[3]) { return sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/* The nearest triangle on the ray: signs of the volumes that the direction spans with the edges. */
static reference_hit cast_by_force(const apart_ray *ray, const triangle_list *list, const apart_pose *pose)
{
    reference_hit hit = {HUGE_VALL, false};
    real d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    const real length = length_of(d);
    for (int i = 0; i < 3; i++) {
        d[i] /= length;
    }
    for (uint32_t t = 0; t < list->triangle_count; t++) {
        real v[3][3], side[3], size = 0, e[2][3];
        for (int k = 0; k < 3; k++) {
            placed(pose, list->vertices[list->triangles[t][k]], ray, v[k]);
            size = fmaxl(size, length_of(v[k]));
        }
        bool left = true, right = true, near = false;
        for (int k = 0; k < 3; k++) {
            side[k] = det(d, v[k], v[(k + 1) % 3]);
            left = left && side[k] > 0;
            right = right && side[k] < 0;
            near = near || fabsl(side[k]) < 1e-14L * size * size;
        }
        for (int k = 0; k < 3; k++) {
            e[0][k] = v[1][k] - v[0][k];
            e[1][k] = v[2][k] - v[0][k];
        }
        const real slope = det(d, e[0], e[1]), at = det(v[0], e[0], e[1]) / slope;
        if (near && side[0] * side[1] >= -1e-13L && at > -1e-9L * size) {
            hit.unsure = hit.unsure || !(left || right);
        }
        if ((left || right) && at >= 0 && at <= ray->length && at < hit.distance) {
            hit.distance = at;
        }
    }
    return hit;
}

/* Casts at the surface and compares; returns whether it was a hit. */
static bool check_ray(const apart_ray *ray, const apart_mesh *mesh, const triangle_list *list, const apart_pose *pose,
                      double magnitude)
{
    apart_ray_hit hit;
    uint32_t part = UINT32_MAX;
    ck_assert_int_eq(apart_compound_raycast(ray, apart_solid_surface(mesh), pose, &hit, &part), APART_OK);
    const reference_hit expected = cast_by_force(ray, list, pose);
    if (!expected.unsure) {
        ck_assert_int_eq(hit.hit, expected.distance < HUGE_VALL);
    }
    if (!hit.hit) {
        ck_assert(hit.lower == ray->length);
        return false;
    }
    ck_assert(hit.lower <= hit.distance && hit.lower >= 0.0 && part < list->triangle_count);
    if (!expected.unsure) {
        ck_assert((real)hit.lower <= expected.distance);
        /* The ray's slope against the triangle magnifies errors of position. */
        const double slope = fabs(apart_vec3_dot(hit.normal, ray->direction)) / apart_vec3_norm(ray->direction);
        const double error = fabs((double)(expected.distance - (real)hit.distance));
        ck_assert_double_le(error * slope, 64.0 * DBL_EPSILON * magnitude);
    }
    ck_assert_double_le(apart_vec3_dot(hit.normal, ray->direction), 1e-12 * apart_vec3_norm(ray->direction));
    ck_assert_double_eq_tol(apart_vec3_norm(hit.normal), 1.0, 1e-14);
    return true;
}

static apart_mesh *build(const triangle_list *list)
{
    apart_mesh *mesh = NULL;
    ck_assert_int_eq(triangle_list_build(list, 1, &mesh), APART_OK);
    return mesh;
}

/* From anywhere near, towards anywhere near; at offsets, sizes and turned poses. */
START_TEST(random_rays)
{
    random_source r = random_seed("random_rays");
    int hits = 0;
    for (int round = 0; round < 12; round++) {
        triangle_list list = round % 3 == 0   ? bumpy_sphere(&r, 12, 17)
                             : round % 3 == 1 ? bumpy_ring(&r, 20, 11)
                                              : loose_triangles(&r, 300, 0.3);
        const double size = round < 6 ? 1.0 : ldexp(1.0, round % 2 == 0 ? -60 : 40);
        const double far = size * (round % 4 == 3 ? 1e6 : 2.0);
        triangle_list_place(&list, size, (apart_vec3){0.0, 0.0, 0.0});
        apart_mesh *mesh = build(&list);
        apart_pose pose = random_pose(&r, 0.0);
        pose.translation = random_vector(&r, far);
        for (int i = 0; i < 200; i++) {
            apart_ray ray = {random_vector(&r, 2.0 * size), random_vector(&r, size), INFINITY};
            ray.direction = apart_vec3_sub(ray.direction, ray.origin);
            ray.origin = apart_vec3_add(ray.origin, pose.translation);
            ray.length = i % 4 == 0 ? random_between(&r, 0.0, 4.0) * size : INFINITY;
            hits += check_ray(&ray, mesh, &list, &pose, 8.0 * size + 2.0 * apart_vec3_norm(pose.translation));
        }
        apart_mesh_free(mesh);
        triangle_list_free(&list);
    }
    ck_assert_int_gt(hits, 500);
    ck_assert_int_lt(hits, 2200);
}
END_TEST

/* From inside a closed surface every ray hits, at vertices and edges too, however it is aimed and placed. */
START_TEST(nothing_slips_through)
{
    random_source r = random_seed("nothing_slips_through");
    for (int round = 0; round < 6; round++) {
        triangle_list list = bumpy_sphere(&r, 8, 9);
        triangle_list_place(&list, 1.0, (apart_vec3){round % 2 == 0 ? 0.0 : 1e4, 0.0, 0.0});
        apart_mesh *mesh = build(&list);
        apart_pose pose = round < 2 ? apart_pose_identity() : random_pose(&r, 100.0);
        const apart_vec3 center = apart_pose_apply(&pose, (apart_vec3){round % 2 == 0 ? 0.0 : 1e4, 0.0, 0.0});
        for (uint32_t i = 0; i < 3 * list.triangle_count; i++) {
            const uint32_t *t = list.triangles[i / 3];
            const apart_vec3 a = apart_pose_apply(&pose, list.vertices[t[i % 3]]);
            const apart_vec3 b = apart_pose_apply(&pose, list.vertices[t[(i + 1) % 3]]);
            const double along[4] = {0.0, 0.5, random_unit(&r), 0x1p-50};
            for (int k = 0; k < 4; k++) {
                const apart_vec3 aim = apart_vec3_lerp(a, b, along[k]);
                const apart_ray ray = {center, apart_vec3_sub(aim, center), INFINITY};
                apart_ray_hit hit;
                ck_assert_int_eq(apart_compound_raycast(&ray, apart_solid_surface(mesh), &pose, &hit, NULL), APART_OK);
                ck_assert_int_eq(hit.hit, 1);
                ck_assert_double_le(hit.distance, apart_vec3_norm(ray.direction) * (1.0 + 1e-9) + 1e-9);
            }
        }
        apart_mesh_free(mesh);
        triangle_list_free(&list);
    }
}
END_TEST

/* A cube: along faces, edges and the diagonal, from its surface, short rays, and a ray that looks away. */
START_TEST(known_rays)
{
    static const double xyz[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                     {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    static const uint32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                          {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    static const struct {
        apart_ray ray;
        int surface_hit, surface_inside;
        double surface;
        int solid_hit, solid_inside;
        double solid;
    } rows[] = {
        {{{-3, 0.25, 0.5}, {2, 0, 0}, INFINITY}, 1, 0, 2.0, 1, 0, 2.0},
        {{{-3, 0, 0}, {1, 0, 0}, INFINITY}, 1, 0, 2.0, 1, 0, 2.0}, /* at a diagonal */
        {{{-3, -3, -3}, {1, 1, 1}, INFINITY}, 1, 0, 3.4641016151377544, 1, 0, 3.4641016151377544},
        {{{0.25, 0.5, 0}, {1, 0, 0}, INFINITY}, 1, 0, 0.75, 1, 1, 0.0}, /* from inside */
        {{{0, 0, 0}, {0, 0, -7}, 0.5}, 0, 0, 0.0, 1, 1, 0.0},           /* too short to leave */
        {{{1, 0.25, 0.5}, {1, 0, 0}, INFINITY}, 1, 1, 0.0, 1, 1, 0.0},  /* from the surface */
        {{{-3, 0.25, 0.5}, {2, 0, 0}, 1.5}, 0, 0, 0.0, 0, 0, 0.0},
        {{{-3, 0.25, 0.5}, {-2, 0, 0}, INFINITY}, 0, 0, 0.0, 0, 0, 0.0},
        {{{-3, 1.5, 0.5}, {1, 0, 0}, INFINITY}, 0, 0, 0.0, 0, 0, 0.0},
        {{{-3, 0.25, 1}, {1, 0, 0}, INFINITY}, 1, 0, 2.0, 1, 0, 2.0}, /* along a face */
    };
    const apart_vertices vertices = {.data = xyz, .count = 8};
    const apart_pose pose = apart_pose_identity();
    apart_mesh *mesh = NULL;
    ck_assert_int_eq(apart_mesh_build(&vertices, faces[0], 12, NULL, &mesh), APART_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int surface = 0; surface < 2; surface++) {
            apart_ray_hit hit;
            uint32_t part;
            ck_assert_int_eq(ap_mesh_raycast(&rows[i].ray, mesh, surface, &pose, &hit, &part), APART_OK);
            ck_assert_msg(hit.hit == (surface ? rows[i].surface_hit : rows[i].solid_hit), "row %zu %d", i, surface);
            ck_assert_int_eq(hit.inside, surface ? rows[i].surface_inside : rows[i].solid_inside);
            const double distance = surface ? rows[i].surface : rows[i].solid;
            if (hit.hit) {
                ck_assert_double_eq_tol(hit.distance, distance, 1e-14);
                ck_assert_double_le(hit.lower, distance);
                ck_assert_double_ge(hit.lower,
                                    distance - 256.0 * DBL_EPSILON * 8.0); /* sizes and distances are up to 8 */
            }
        }
    }
    apart_mesh_free(mesh);
}
END_TEST

/* A start inside a solid is a hit at 0 with the direction of the nearest way out. */
START_TEST(starts_inside)
{
    random_source r = random_seed("starts_inside");
    triangle_list list = bumpy_ring(&r, 24, 16);
    apart_mesh *mesh = build(&list);
    const apart_pose pose = random_pose(&r, 3.0);
    const apart_vec3 zero = {0.0, 0.0, 0.0};
    const apart_shape point = apart_point(zero);
    int inside = 0;
    for (int i = 0; i < 300; i++) {
        const apart_vec3 local = random_vector(&r, 1.0);
        const apart_ray ray = {apart_pose_apply(&pose, local), random_vector(&r, 1.0), 0.01};
        apart_ray_hit hit;
        uint32_t part;
        int side;
        ck_assert_int_eq(apart_mesh_contains(mesh, local, &side), APART_OK);
        ck_assert_int_eq(ap_mesh_raycast(&ray, mesh, false, &pose, &hit, &part), APART_OK);
        ck_assert_int_eq(hit.inside, side > 0);
        if (side > 0) {
            apart_compound_result nearest;
            const apart_pose at = apart_pose_translation(ray.origin.x, ray.origin.y, ray.origin.z);
            ck_assert_int_eq(apart_compound_distance(apart_solid_shape(&point), &at, apart_solid_surface(mesh), &pose,
                                                     NULL, NULL, &nearest),
                             APART_OK);
            ck_assert(hit.hit == 1 && hit.distance == 0.0 && hit.lower == 0.0);
            ck_assert_double_ge(apart_vec3_dot(hit.normal, nearest.result.normal), 1.0 - 1e-9);
            inside++;
        }
    }
    ck_assert_int_gt(inside, 20);
    apart_mesh_free(mesh);
    triangle_list_free(&list);
}
END_TEST

START_TEST(refusals)
{
    random_source r = random_seed("refusals");
    triangle_list list = loose_triangles(&r, 3, 1.0);
    apart_mesh *mesh = build(&list);
    const apart_pose pose = apart_pose_identity();
    const apart_solid solid = apart_solid_surface(mesh);
    apart_ray_hit hit;
    const apart_ray rays[] = {{{NAN, 0, 0}, {1, 0, 0}, 1.0}, {{0, 0, 0}, {0, 0, 0}, 1.0}, {{0, 0, 0}, {1, 0, 0}, -1.0}};
    const apart_status statuses[] = {APART_ERR_NONFINITE, APART_ERR_NORMAL, APART_ERR_OPTION};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(apart_compound_raycast(&rays[i], solid, &pose, &hit, NULL), statuses[i]);
    }
    ck_assert_int_eq(apart_compound_raycast(NULL, solid, &pose, &hit, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_raycast(&rays[0], solid, NULL, &hit, NULL), APART_ERR_NULL);
    apart_mesh_free(mesh);
    triangle_list_free(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mesh_raycast");
    TCase *tcase = tcase_create("mesh_raycast");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, random_rays);
    tcase_add_test(tcase, nothing_slips_through);
    tcase_add_test(tcase, known_rays);
    tcase_add_test(tcase, starts_inside);
    tcase_add_test(tcase, refusals);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
