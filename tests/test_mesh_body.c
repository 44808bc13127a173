/* Bodies from mesh files: what a mesh becomes, and that queries of it answer what that word means. */
#include <apart/apart.h>
#include <apart/mesh_body.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"

static apart_mesh_body *read_body(const char *text, int as)
{
    apart_mesh_data data;
    apart_io_error error = {.message = ""};
    apart_mesh_body *body = NULL;
    const apart_mesh_body_options options = {.as = (uint8_t)as};
    ck_assert_msg(apart_mesh_read_memory(text, strlen(text), "t", APART_MESH_OBJ, &data, &error) == APART_OK, "%s",
                  error.message);
    ck_assert_int_eq(apart_mesh_body_build(&data, as == APART_AS_AUTO ? NULL : &options, &body), APART_OK);
    apart_mesh_data_free(&data); /* the body keeps nothing of it */
    return body;
}

static apart_status refused(const char *text, int as)
{
    apart_mesh_data data;
    apart_mesh_body *body = NULL;
    const apart_mesh_body_options options = {.as = (uint8_t)as};
    ck_assert_int_eq(apart_mesh_read_memory(text, strlen(text), "t", APART_MESH_AUTO, &data, NULL), APART_OK);
    const apart_status status = apart_mesh_body_build(&data, &options, &body);
    ck_assert_ptr_null(body);
    apart_mesh_data_free(&data);
    return status;
}

#define CUBE_VERTICES "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
#define CUBE_SIDES "f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"

static const char closed_cube[] = CUBE_VERTICES CUBE_SIDES "f 5 6 7 8\n";
static const char open_cube[] = CUBE_VERTICES CUBE_SIDES;
/* A prism over an L: six units of area of the hull's seven. */
static const char angle[] = "v 0 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\n"
                            "v 0 0 1\nv 3 0 1\nv 3 1 1\nv 1 1 1\nv 1 3 1\nv 0 3 1\n"
                            "f 4 3 2 1\nf 6 5 4 1\nf 7 8 9 10\nf 7 10 11 12\n"
                            "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

static double distance_from(const apart_mesh_body *body, double x, double y, double z)
{
    const apart_shape ball = apart_sphere(0.125);
    const apart_pose here = apart_pose_identity(), there = apart_pose_translation(x, y, z);
    apart_compound_result r;
    ck_assert_int_eq(apart_compound_distance(body->solid, &here, apart_solid_shape(&ball), &there, NULL, NULL, &r),
                     APART_OK);
    ck_assert_double_le(r.result.lower, r.result.distance);
    ck_assert_double_le(r.result.distance, r.result.upper);
    return r.result.distance;
}

START_TEST(a_mesh_becomes_what_loses_nothing)
{
    apart_mesh_body *cube = read_body(closed_cube, APART_AS_AUTO), *box = read_body(open_cube, APART_AS_AUTO),
                    *part = read_body(angle, APART_AS_AUTO);
    ck_assert_int_eq(cube->as, APART_AS_HULL);
    ck_assert_int_eq(cube->convex, 1);
    ck_assert_ptr_null(cube->mesh);
    ck_assert_int_eq(box->as, APART_AS_SURFACE); /* all of it lies in its hull's surface, but it is open */
    ck_assert_int_eq(part->as, APART_AS_SOLID);
    ck_assert_int_eq(part->convex, 0);
    ck_assert(fabs(distance_from(cube, 0, 0, 3) - 1.875) < 1e-14);
    ck_assert(fabs(distance_from(box, 0, 0, 0.5) - 0.875) < 1e-14);  /* within the open box */
    ck_assert(fabs(distance_from(part, 2, 2, 0.5) - 0.875) < 1e-14); /* in the notch */
    ck_assert(distance_from(part, 0.5, 0.5, 0.5) < 0);
    apart_mesh_body_free(cube);
    apart_mesh_body_free(box);
    apart_mesh_body_free(part);
}
END_TEST

START_TEST(a_wish_is_followed)
{
    static const double at_center[APART_AS_COUNT] = {0, 0.875, -1.125, -1.125, -1.125};
    for (int as = APART_AS_SURFACE; as < APART_AS_COUNT; as++) {
        apart_mesh_body *cube = read_body(closed_cube, as), *part = read_body(angle, as);
        ck_assert_int_eq(cube->as, as);
        ck_assert_int_eq(part->as, as);
        ck_assert_double_eq_tol(distance_from(cube, 0, 0, 0), at_center[as], as == APART_AS_SOLID ? 1e-6 : 1e-14);
        /* Only the hull fills the notch. */
        ck_assert_int_eq(distance_from(part, 1.3, 1.3, 0.5) < 0, as == APART_AS_HULL);
        apart_mesh_body_free(cube);
        apart_mesh_body_free(part);
    }
}
END_TEST

START_TEST(parts_are_triangles_hulls_of_a_cover_or_the_hull)
{
    apart_mesh_body *part = read_body(angle, APART_AS_SURFACE), *cover = read_body(angle, APART_AS_COVER),
                    *hull = read_body(angle, APART_AS_HULL);
    apart_part found;
    ck_assert_uint_eq(part->triangle_count, 20);
    ck_assert_ptr_nonnull(part->faces);
    ck_assert_uint_eq(part->faces[3], 1); /* two triangles a face */
    ck_assert_int_eq(apart_mesh_body_part(part, 3, &found), APART_OK);
    ck_assert_int_eq(found.shape.kind, APART_SHAPE_TRIANGLE);
    static const uint32_t corners[3] = {5, 3, 0}; /* the second half of "6 5 4 1" */
    static const double x[3] = {0, 1, 0}, y[3] = {3, 1, 0};
    for (int k = 0; k < 3; k++) {
        const apart_vec3 p = found.shape.u.point[k];
        ck_assert_uint_eq(part->triangles[9 + k], corners[k]);
        ck_assert(p.x == x[k] && p.y == y[k] && p.z == 0);
    }
    ck_assert_int_eq(apart_mesh_body_part(part, 20, &found), APART_ERR_ID);
    ck_assert_uint_ge(apart_cover_count(cover->cover), 2);
    ck_assert_int_eq(apart_mesh_body_part(cover, 1, &found), APART_OK);
    ck_assert_ptr_eq(found.shape.u.hull, apart_cover_hull(cover->cover, 1));
    ck_assert_int_eq(apart_mesh_body_part(cover, 4096, &found), APART_ERR_ID);
    ck_assert_int_eq(apart_mesh_body_part(hull, 0, &found), APART_OK);
    ck_assert_ptr_eq(found.shape.u.hull, hull->hull);
    ck_assert_int_eq(apart_mesh_body_part(hull, 1, &found), APART_ERR_ID);
    apart_mesh_body_free(part);
    apart_mesh_body_free(cover);
    apart_mesh_body_free(hull);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    static const char points[] = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
    ck_assert_int_eq(refused(open_cube, APART_AS_SOLID), APART_ERR_NOT_WATERTIGHT);
    ck_assert_int_eq(refused(points, APART_AS_SURFACE), APART_ERR_EMPTY);
    ck_assert_int_eq(refused(points, APART_AS_SOLID), APART_ERR_EMPTY);
    ck_assert_int_eq(refused(points, APART_AS_COVER), APART_ERR_EMPTY);
    ck_assert_int_eq(refused(closed_cube, APART_AS_COUNT), APART_ERR_OPTION);
    ck_assert_int_eq(apart_mesh_body_build(NULL, NULL, NULL), APART_ERR_NULL);
    ck_assert_str_eq(apart_mesh_as_name(APART_AS_COVER), "cover");
    ck_assert_str_eq(apart_mesh_as_name(APART_AS_COUNT), "unknown");
}
END_TEST

/* Near their hull's surface, but not convex: thinner than what counts as near. */
START_TEST(thin_bodies_are_measured_by_volume)
{
    char text[2 * sizeof angle] = "";
    apart_mesh_data data;
    apart_mesh_body *body = NULL;
    ck_assert_int_eq(apart_mesh_read_memory(angle, sizeof angle - 1, "t", APART_MESH_OBJ, &data, NULL), APART_OK);
    for (size_t i = 0; i < data.vertex_count; i++) {
        data.xyz[3 * i + 2] *= 1e-6;
    }
    ck_assert_int_eq(apart_mesh_body_build(&data, NULL, &body), APART_OK);
    ck_assert_int_eq(body->as, APART_AS_SOLID);
    apart_mesh_body_free(body);
    apart_mesh_data_free(&data);
    /* A cube that is wound the other way round is convex all the same. */
    snprintf(text, sizeof text, "%s",
             CUBE_VERTICES "f 1 2 3 4\nf 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\nf 8 7 6 5\n");
    body = read_body(text, APART_AS_AUTO);
    ck_assert_int_eq(body->as, APART_AS_HULL);
    apart_mesh_body_free(body);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mesh_body");
    TCase *tc = tcase_create("mesh_body");
    tcase_add_test(tc, a_mesh_becomes_what_loses_nothing);
    tcase_add_test(tc, a_wish_is_followed);
    tcase_add_test(tc, parts_are_triangles_hulls_of_a_cover_or_the_hull);
    tcase_add_test(tc, what_cannot_be_is_refused);
    tcase_add_test(tc, thin_bodies_are_measured_by_volume);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
