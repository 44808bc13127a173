/* Mass properties against exact integrals of polytopes with integer corners, closed forms, and two ways to say the same
 * body; triangles that enclose the right volume. */
#include <apart/measure.h>
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poses.h"
#include "random.h"
#include "run_suite.h"

#include <apart/hull.h>

static const double pi = 3.14159265358979323846;

/* ---- exact integrals ---- */

/* Six times the volume, 24 times the moment, 120 times the second moments xx yy zz xy xz yz: integers. */
typedef struct exact_sums {
    int64_t volume, moment[3], second[6];
} exact_sums;

static void add_exact(exact_sums *e, const int64_t a[3], const int64_t b[3], const int64_t c[3])
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const int64_t det =
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    int64_t s[3];
    e->volume += det;
    for (int i = 0; i < 3; i++) {
        s[i] = a[i] + b[i] + c[i];
        e->moment[i] += det * s[i];
    }
    for (int k = 0; k < 6; k++) {
        const int i = pairs[k][0], j = pairs[k][1];
        e->second[k] += det * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
    }
}

static void check_exact(const apart_mass *m, const exact_sums *e)
{
    const long double v = e->volume / 6.0L;
    long double c[3], s[6];
    ck_assert(fabsl(m->volume - v) <= m->volume_error);
    for (int i = 0; i < 3; i++) {
        c[i] = e->moment[i] / 24.0L / v;
        ck_assert(fabsl((&m->center.x)[i] - c[i]) <= m->center_error);
    }
    for (int k = 0; k < 6; k++) {
        static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
        s[k] = e->second[k] / 120.0L - v * c[pairs[k][0]] * c[pairs[k][1]];
    }
    const long double expected[3][3] = {{s[1] + s[2], -s[3], -s[4]},
                                        {-s[3], s[0] + s[2], -s[5]},
                                        {-s[4], -s[5], s[0] + s[1]}};
    for (int i = 0; i < 3; i++) {
        const double *column = i == 0 ? &m->inertia.x.x : i == 1 ? &m->inertia.y.x : &m->inertia.z.x;
        for (int k = 0; k < 3; k++) {
            ck_assert(fabsl(column[k] - expected[i][k]) <= m->inertia_error);
        }
    }
    ck_assert(m->volume_error <= 1e-12 * m->volume && m->inertia_error <= 1e-10 * (double)(s[0] + s[1] + s[2]));
}

static void read_corner(apart_vec3 p, int64_t out[3])
{
    out[0] = (int64_t)p.x;
    out[1] = (int64_t)p.y;
    out[2] = (int64_t)p.z;
}

START_TEST(hulls_and_meshes_are_exact_to_rounding)
{
    random_source r = random_seed("test_measure");
    for (int n = 0; n < 200; n++) {
        double xyz[60];
        for (int i = 0; i < 60; i++) {
            xyz[i] = (double)random_below(&r, 101) - 50.0 + (n % 2 == 0 ? 0.0 : 300.0);
        }
        apart_hull *hull;
        ck_assert_int_eq(apart_hull_build(xyz, 20, NULL, &hull), APART_OK);
        exact_sums e = {.volume = 0};
        uint32_t triangles[300], count = 0;
        for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
            const uint32_t *corner;
            const uint32_t corners = apart_hull_face(hull, f, &corner);
            for (uint32_t k = 2; k < corners; k++) {
                int64_t p[3][3];
                read_corner(apart_hull_vertex(hull, corner[0]), p[0]);
                read_corner(apart_hull_vertex(hull, corner[k - 1]), p[1]);
                read_corner(apart_hull_vertex(hull, corner[k]), p[2]);
                add_exact(&e, p[0], p[1], p[2]);
                triangles[count++] = corner[0];
                triangles[count++] = corner[k - 1];
                triangles[count++] = corner[k];
            }
        }
        const apart_shape shapes[] = {apart_hull_shape(hull), apart_points(xyz, 20)};
        apart_mass m;
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(apart_solid_mass(apart_solid_shape(&shapes[i]), NULL, &m), APART_OK);
            check_exact(&m, &e);
        }
        apart_vec3 corners[20];
        for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
            corners[i] = apart_hull_vertex(hull, i);
        }
        const apart_vertices vertices = {.data = corners, .count = apart_hull_vertex_count(hull)};
        apart_mesh *mesh;
        ck_assert_int_eq(apart_mesh_build(&vertices, triangles, count / 3, NULL, &mesh), APART_OK);
        ck_assert_int_eq(apart_solid_mass(apart_solid_mesh(mesh), NULL, &m), APART_OK);
        check_exact(&m, &e);
        apart_mesh_free(mesh);
        apart_hull_free(hull);
    }
}
END_TEST

/* ---- two ways to say the same body ---- */

static apart_mass mass_of(const apart_shape *shape, uint32_t grid)
{
    apart_mass m;
    const apart_measure_options options = {.grid = grid};
    ck_assert_int_eq(apart_solid_mass(apart_solid_shape(shape), &options, &m), APART_OK);
    return m;
}

static double inertia_difference(const apart_mat3 *x, const apart_mat3 *y)
{
    double most = 0.0;
    for (int i = 0; i < 9; i++) {
        most = fmax(most, fabs((&x->x.x)[i] - (&y->x.x)[i]));
    }
    return most;
}

static void check_same(const apart_shape *known, const apart_shape *other, double share)
{
    const apart_mass x = mass_of(known, 0), y = mass_of(other, 48);
    ck_assert_msg(fabs(x.volume - y.volume) <= x.volume_error + y.volume_error, "%s: %g %g +- %g",
                  apart_shape_name(other), x.volume, y.volume, y.volume_error);
    ck_assert(apart_vec3_distance(x.center, y.center) <= x.center_error + y.center_error);
    ck_assert(inertia_difference(&x.inertia, &y.inertia) <= x.inertia_error + y.inertia_error);
    /* And the errors are of use. */
    ck_assert_msg(y.volume_error <= share * y.volume, "%s: error %g of %g", apart_shape_name(other), y.volume_error,
                  y.volume);
    ck_assert(fabs(x.volume - y.volume) <= share * x.volume);
    ck_assert(inertia_difference(&x.inertia, &y.inertia) <= share * (x.inertia.x.x + x.inertia.y.y + x.inertia.z.z));
}

START_TEST(closed_forms_lie_between_the_polytopes)
{
    const apart_mat3 same = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, wide = {{3, 0, 0}, {0, 2, 0}, {0, 0, 1}};
    const apart_vec3 none = {0, 0, 0};
    const apart_shape ball = apart_sphere(1.0), small = apart_sphere(0.3), box = apart_box(vec(1, 2, 0.5)),
                      rounded = apart_rounded(box, 0.3), can = apart_cylinder(0.7, 1.5), hat = apart_cone(0.7, 1.5),
                      egg = apart_ellipsoid(vec(3, 2, 1)), pill = apart_capsule(0.3, 1.0),
                      p = apart_rounded(apart_point(vec(0, 0, 1)), 0.3),
                      q = apart_rounded(apart_point(vec(0, 0, -1)), 0.3),
                      bar = apart_rounded(apart_segment(vec(1, 2, 3), vec(2, 0, 4)), 0.3),
                      b1 = apart_rounded(apart_point(vec(1, 2, 3)), 0.3),
                      b2 = apart_rounded(apart_point(vec(2, 0, 4)), 0.3);
    const apart_shape sum = apart_sum(&box, &small), can_again = apart_affine(&can, same, none),
                      hat_again = apart_affine(&hat, same, none), stretched = apart_affine(&ball, wide, none),
                      two = apart_hull_of_two(&p, &q), bar_again = apart_hull_of_two(&b1, &b2),
                      box_again = apart_affine(&box, same, none);
    check_same(&rounded, &sum, 0.02);
    check_same(&can, &can_again, 0.02);
    check_same(&hat, &hat_again, 0.02);
    check_same(&egg, &stretched, 0.02);
    check_same(&pill, &two, 0.02);
    check_same(&bar, &bar_again, 0.02);
    check_same(&box, &box_again, 1e-12);
}
END_TEST

START_TEST(known_values)
{
    const apart_shape ball = apart_sphere(2.0), box = apart_box(vec(1, 2, 3)), pill = apart_capsule(1.0, 2.0);
    apart_mass m = mass_of(&ball, 0);
    ck_assert(fabs(m.volume - 32.0 / 3.0 * pi) < 1e-12);
    ck_assert(fabs(m.inertia.z.z - 0.4 * m.volume * 4.0) < 1e-12);
    m = mass_of(&box, 0);
    ck_assert(m.volume == 48.0 && fabs(m.inertia.x.x - 48.0 * (4 + 9) / 3.0) < 1e-11);
    m = mass_of(&pill, 0);
    ck_assert(fabs(m.volume - (4.0 * pi + 4.0 / 3.0 * pi)) < 1e-12);
    const apart_shape flat = apart_triangle(vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0));
    m = mass_of(&flat, 0);
    ck_assert(m.volume == 0.0 && m.inertia.x.x == 0.0);
}
END_TEST

START_TEST(compounds_are_the_sum_of_their_parts)
{
    apart_part parts[8] = {0};
    const apart_pose whole = turned_rpy(0.3, 0.7, -0.4, vec(2, -1, 4));
    for (int i = 0; i < 8; i++) {
        parts[i].shape = apart_box(vec(0.5, 1, 1.5));
        parts[i].pose = at(i & 1 ? 0.5 : -0.5, i & 2 ? 1 : -1, i & 4 ? 1.5 : -1.5);
        parts[i].pose = apart_pose_compose(&whole, &parts[i].pose);
    }
    apart_compound *c, *one;
    apart_mass m, n;
    const apart_part only = {apart_box(vec(1, 2, 3)), whole};
    ck_assert_int_eq(apart_compound_build(parts, 8, NULL, &c), APART_OK);
    ck_assert_int_eq(apart_compound_build(&only, 1, NULL, &one), APART_OK);
    ck_assert_int_eq(apart_solid_mass(apart_solid_compound(c), NULL, &m), APART_OK);
    ck_assert_int_eq(apart_solid_mass(apart_solid_compound(one), NULL, &n), APART_OK);
    ck_assert(fabs(m.volume - 48) <= m.volume_error && m.volume_error < 1e-10);
    ck_assert(apart_vec3_distance(m.center, whole.translation) <= m.center_error);
    ck_assert(inertia_difference(&m.inertia, &n.inertia) <= m.inertia_error + n.inertia_error);
    /* About the axes of the box the inertia is diagonal. */
    const apart_vec3 z = whole.rotation.z;
    const apart_vec3 turned_z = {apart_vec3_dot(m.inertia.x, z), apart_vec3_dot(m.inertia.y, z),
                                 apart_vec3_dot(m.inertia.z, z)};
    ck_assert(apart_vec3_distance(turned_z, apart_vec3_scale(48.0 * 5.0 / 3.0, z)) < 1e-9);
    apart_compound_free(c);
    apart_compound_free(one);
}
END_TEST

START_TEST(in_the_plane)
{
    const double corners[] = {0, 0, 4, 0, 4, 2, 0, 2, 1, 1, 2, 0};
    const apart_shape disc = apart_circle(2.0), rectangle = apart_rectangle(1, 2), polygon = apart_polygon(corners, 6),
                      pill = apart_capsule_2d(0.5, 1.0);
    apart_mass m = mass_of(&disc, 0);
    ck_assert(fabs(m.volume - 4 * pi) <= m.volume_error && m.volume_error < 1e-4);
    ck_assert(fabs(m.inertia.z.z - 8 * pi) <= m.inertia_error);
    m = mass_of(&rectangle, 0);
    ck_assert(fabs(m.volume - 8) <= m.volume_error && fabs(m.inertia.z.z - 8 * 5 / 3.0) <= m.inertia_error);
    ck_assert(m.volume_error < 1e-12 && m.inertia.x.x == 0.0);
    m = mass_of(&polygon, 0);
    ck_assert(fabs(m.volume - 8) <= m.volume_error && fabs(m.center.x - 2) <= m.center_error);
    ck_assert(m.volume_error < 1e-12);
    m = mass_of(&pill, 0);
    ck_assert_msg(fabs(m.volume - (2 + 0.25 * pi)) <= m.volume_error && m.volume_error < 1e-4, "%g +- %g", m.volume,
                  m.volume_error);
}
END_TEST

/* ---- triangles ---- */

START_TEST(triangles_enclose_the_volume)
{
    const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.1, 0.1};
    const apart_shape box = apart_box(vec(1, 2, 3)), ball = apart_sphere(1.0), set = apart_points(corners, 5),
                      can = apart_cylinder(1, 2), sum = apart_sum(&box, &ball), circle = apart_circle(1),
                      flat = apart_triangle(vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0)),
                      rod = apart_segment(vec(0, 0, 0), vec(1, 0, 0));
    const apart_shape *shapes[] = {&box, &ball, &set, &can, &sum};
    for (int i = 0; i < 5; i++) {
        apart_triangles t;
        apart_mesh *mesh;
        ck_assert_int_eq(apart_shape_triangles(shapes[i], NULL, &t), APART_OK);
        const apart_vertices vertices = {.data = t.vertices, .count = t.vertex_count};
        ck_assert_int_eq(apart_mesh_build(&vertices, t.triangles, t.triangle_count, NULL, &mesh), APART_OK);
        const apart_mesh_report *report = apart_mesh_inspect(mesh);
        const apart_mass m = mass_of(shapes[i], 0);
        ck_assert(report->watertight && report->oriented && report->components == 1);
        ck_assert_msg(report->volume <= m.volume + 1e-12 * m.volume && report->volume > 0.97 * m.volume, "%s: %g of %g",
                      apart_shape_name(shapes[i]), report->volume, m.volume);
        apart_mesh_free(mesh);
        apart_triangles_free(&t);
        ck_assert(t.vertices == NULL && t.triangle_count == 0);
    }
    apart_triangles t;
    ck_assert_int_eq(apart_shape_triangles(&box, NULL, &t), APART_OK);
    ck_assert(t.vertex_count == 8 && t.triangle_count == 12);
    apart_triangles_free(&t);
    ck_assert_int_eq(apart_shape_triangles(&circle, NULL, &t), APART_OK);
    double area = 0.0;
    for (size_t i = 0; i < t.triangle_count; i++) {
        const apart_vec3 *a = &t.vertices[t.triangles[3 * i]], *b = &t.vertices[t.triangles[3 * i + 1]],
                         *c = &t.vertices[t.triangles[3 * i + 2]];
        area += 0.5 * ((b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x));
    }
    ck_assert(fabs(area - pi) < 1e-4);
    apart_triangles_free(&t);
    ck_assert_int_eq(apart_shape_triangles(&flat, NULL, &t), APART_OK);
    ck_assert(t.vertex_count == 3 && t.triangle_count == 2);
    apart_triangles_free(&t);
    ck_assert_int_eq(apart_shape_triangles(&rod, NULL, &t), APART_OK);
    ck_assert(t.vertex_count == 2 && t.triangle_count == 0);
    apart_triangles_free(&t);
    apart_triangles_free(NULL);
}
END_TEST

/* ---- bad input ---- */

static int left;
static void *allocate(size_t size, void *user)
{
    (void)user;
    return left-- > 0 ? malloc(size) : NULL;
}
static void release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

START_TEST(bad_input_gets_a_status)
{
    const apart_shape plane = apart_half_space(vec(0, 0, 1), 0), bad = apart_sphere(-1), ball = apart_sphere(1),
                      box = apart_box(vec(1, 1, 1)), huge = apart_box(vec(1e200, 1e200, 1e200));
    const apart_shape sum = apart_sum(&ball, &box);
    apart_mass m = {.volume = 77};
    apart_triangles t;
    ck_assert_int_eq(apart_solid_mass((apart_solid){0}, NULL, &m), APART_ERR_NULL);
    ck_assert_int_eq(apart_solid_mass(apart_solid_shape(&box), NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_solid_mass(apart_solid_shape(&plane), NULL, &m), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_solid_mass(apart_solid_shape(&bad), NULL, &m), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_solid_mass(apart_solid_shape(&box), &(apart_measure_options){.grid = 1}, &m),
                     APART_ERR_OPTION);
    ck_assert_int_eq(apart_solid_mass(apart_solid_shape(&box), &(apart_measure_options){.grid = 257}, &m),
                     APART_ERR_OPTION);
    ck_assert_int_eq(apart_solid_mass(apart_solid_shape(&huge), NULL, &m), APART_ERR_OVERFLOW);
    ck_assert_int_eq(apart_shape_triangles(&plane, NULL, &t), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_shape_triangles(NULL, NULL, &t), APART_ERR_NULL);
    ck_assert_int_eq(apart_shape_triangles(&bad, NULL, &t), APART_ERR_NEGATIVE_SIZE);
    const apart_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t open[] = {0, 1, 2}, inside_out[] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    const apart_vertices vertices = {.data = corners, .count = 4};
    for (int i = 0; i < 2; i++) {
        apart_mesh *mesh;
        ck_assert_int_eq(apart_mesh_build(&vertices, i == 0 ? open : inside_out, i == 0 ? 1 : 4, NULL, &mesh),
                         APART_OK);
        ck_assert_int_eq(apart_solid_mass(apart_solid_mesh(mesh), NULL, &m), APART_ERR_NOT_WATERTIGHT);
        ck_assert_int_eq(apart_solid_mass(apart_solid_surface(mesh), NULL, &m), APART_ERR_NOT_WATERTIGHT);
        apart_mesh_free(mesh);
    }
    ck_assert(m.volume == 77);
    /* Every allocation may fail. */
    const apart_measure_options options = {.allocator = {allocate, release, NULL}, .grid = 3};
    for (int enough = 0, done = 0; done < 2; enough++) {
        ck_assert_int_lt(enough, 1000);
        left = enough;
        const apart_status mass = apart_solid_mass(apart_solid_shape(&sum), &options, &m);
        left = enough;
        const apart_status triangles = apart_shape_triangles(&sum, &options, &t);
        ck_assert(mass == APART_OK || mass == APART_ERR_MEMORY);
        ck_assert(triangles == APART_OK || triangles == APART_ERR_MEMORY);
        if (triangles == APART_OK) {
            apart_triangles_free(&t);
        }
        done = (mass == APART_OK) + (triangles == APART_OK);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("measure");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, hulls_and_meshes_are_exact_to_rounding);
    tcase_add_test(all, closed_forms_lie_between_the_polytopes);
    tcase_add_test(all, known_values);
    tcase_add_test(all, compounds_are_the_sum_of_their_parts);
    tcase_add_test(all, in_the_plane);
    tcase_add_test(all, triangles_enclose_the_volume);
    tcase_add_test(all, bad_input_gets_a_status);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
