/* Hulls: builders, topology against an independent enumeration (item G6), flat and extreme input, blocks,
 * allocators. */
#include <apart/apart.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "g6_enumeration.h"
#include "hull/build.h"
#include "hull/search.h"
#include "quickhull/sort.h"
#include "hull_sets.h"
#include "run_suite.h"
#include "math/eft.h"

static const double eps = 0x1p-52;

static double points[3 * 20000];

static apart_hull *build(const double *xyz, size_t n)
{
    apart_hull *h = NULL;
    const apart_status st = apart_hull_build(xyz, n, NULL, &h);
    ck_assert_msg(st == APART_OK, "status %d for %zu points", (int)st, n);
    ck_assert_ptr_nonnull(h);
    const apart_hull *view = NULL;
    ck_assert_int_eq(apart_hull_view(h, apart_hull_size(h), &view), APART_OK);
    ck_assert_ptr_eq(view, h);
    return h;
}

static void expect_counts(const apart_hull *h, int dimension, uint32_t vertices, uint32_t edges, uint32_t faces)
{
    ck_assert_int_eq(apart_hull_dimension(h), dimension);
    ck_assert_uint_eq(apart_hull_vertex_count(h), vertices);
    ck_assert_uint_eq(apart_hull_edge_count(h), edges);
    ck_assert_uint_eq(apart_hull_face_count(h), faces);
}

/* Half the diagonal of the bounding box, without overflow. */
static double half_diagonal(const double *xyz, size_t n)
{
    double half[3];
    for (size_t k = 0; k < 3; k++) {
        double low = xyz[k], high = xyz[k];
        for (size_t i = 1; i < n; i++) {
            low = fmin(low, xyz[3 * i + k]);
            high = fmax(high, xyz[3 * i + k]);
        }
        half[k] = 0.5 * high - 0.5 * low;
    }
    return ap_norm((apart_vec3){half[0], half[1], half[2]});
}

/* scale * d.(p - the hull's centre) in double-double arithmetic; the differences are exact. */
static ap_dd dot_scaled(const apart_hull *h, const double *p, apart_vec3 d, double scale)
{
    const apart_vec3 q = {scale * (p[0] - h->center[0]), scale * (p[1] - h->center[1]), scale * (p[2] - h->center[2])};
    return ap_dd3_dot(ap_dd3_from(q), ap_dd3_from(d));
}

static ap_dd larger(ap_dd a, ap_dd b) { return ap_dd_less(a, b) ? b : a; }

/* The support function of the hull is that of the points, the vertices are the caller's doubles, and `dropped` is
 * right. */
static void expect_same_support(const apart_hull *h, const double *xyz, size_t n, uint64_t seed)
{
    const double size = half_diagonal(xyz, n);
    const double scale = ap_power_of_two_scale(size);
    ck_assert_msg(h->dropped <= 4.0 * eps * size, "dropped %g of %g", h->dropped, size);
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        const apart_vec3 v = apart_hull_vertex(h, i);
        ck_assert_int_eq(memcmp(&v, xyz + 3 * (size_t)apart_hull_input_index(h, i), sizeof v), 0);
    }
    for (int t = 0; t < 200; t++) {
        apart_vec3 d = {uniform(&seed), uniform(&seed), uniform(&seed)};
        if (t % 2 == 1 && h->face_count > 0) {
            d = apart_hull_face_normal(h, (uint32_t)t / 2 % h->face_count);
        }
        const double length = apart_vec3_norm(d);
        d = (apart_vec3){d.x / length, d.y / length, d.z / length};
        ap_dd all = dot_scaled(h, xyz, d, scale),
              kept = dot_scaled(h, xyz + 3 * (size_t)apart_hull_input_index(h, 0), d, scale);
        for (size_t i = 1; i < n; i++) {
            all = larger(all, dot_scaled(h, xyz + 3 * i, d, scale));
        }
        for (uint32_t i = 1; i < h->vertex_count; i++) {
            kept = larger(kept, dot_scaled(h, xyz + 3 * (size_t)apart_hull_input_index(h, i), d, scale));
        }
        const double off = ap_dd_value(ap_dd_sub(all, kept));
        ck_assert_msg(off <= scale * h->dropped * (1.0 + 16.0 * eps) + 1e-6 * eps, "support off by %g eps, dropped %g",
                      off / eps, scale * h->dropped / eps);
        ck_assert_msg(h->inner == 0.0 || ap_dd_value(kept) >= scale * h->inner, "a ball of %g reaches beyond the hull",
                      h->inner);
    }
    ck_assert(h->inner >= 0.0 && (h->dimension == 3 || h->inner == 0.0));
}

/* Builds, checks everything that holds for any input, and frees. */
static void check_any(const double *xyz, size_t n, int dimension, uint32_t vertices)
{
    apart_hull *h = build(xyz, n);
    expect_same_support(h, xyz, n, 77);
    if (dimension >= 0) {
        ck_assert_int_eq(apart_hull_dimension(h), dimension);
    }
    if (vertices > 0) {
        ck_assert_uint_eq(apart_hull_vertex_count(h), vertices);
    }
    apart_hull_free(h);
}

/* ---- known bodies ---- */

START_TEST(test_cube)
{
    apart_hull *h = build(points, cube_points(points));
    expect_counts(h, 3, 8, 12, 6);
    ck_assert_double_eq(apart_hull_volume(h), 8.0);
    ck_assert_double_eq(apart_hull_area(h), 24.0);
    ck_assert_double_ge(h->inner, 0.999);
    for (uint32_t f = 0; f < 6; f++) {
        const uint32_t *face;
        ck_assert_uint_eq(apart_hull_face(h, f, &face), 4);
        const apart_vec3 n = apart_hull_face_normal(h, f), v = apart_hull_vertex(h, face[0]);
        ck_assert_double_eq(apart_vec3_dot(n, v), 1.0);
        for (uint32_t k = 0; k < 4; k++) {
            ck_assert_uint_ge(face[k], face[0]);
        }
    }
    const uint32_t *ring;
    ck_assert_uint_eq(apart_hull_neighbours(h, 0, &ring), 3);
    ck_assert(ring[0] == 1 && ring[1] == 2 && ring[2] == 4);
    uint32_t ends[2];
    apart_hull_edge(h, 0, ends);
    ck_assert(ends[0] == 0 && ends[1] == 1);
    apart_hull_free(h);
}
END_TEST

START_TEST(test_regular_bodies)
{
    apart_hull *h = build(points, octahedron_points(points));
    expect_counts(h, 3, 6, 12, 8);
    ck_assert_double_eq_tol(apart_hull_volume(h), 4.0 / 3.0, 1e-15);
    apart_hull_free(h);
    const double turns[] = {0.0, 1.0, 100.0, 1e-150, 1e120};
    for (size_t t = 0; t < sizeof turns / sizeof turns[0]; t++) {
        const size_t n = dodecahedron_points(points);
        if (t > 0) {
            move_points(points, n, turns[t], 0.0);
        }
        h = build(points, n);
        expect_counts(h, 3, 20, 30, 12);
        expect_same_support(h, points, n, 5);
        ck_assert_double_le(h->climb_loss, 100.0);
        apart_hull_free(h);
    }
}
END_TEST

START_TEST(test_prisms)
{
    for (size_t sides = 3; sides <= 200; sides += sides < 20 ? 1 : 45) {
        for (int moved = 0; moved < 2; moved++) {
            const size_t n = prism_points(points, sides);
            if (moved) {
                move_points(points, n, 1.0, 0.0);
            }
            apart_hull *h = build(points, n);
            expect_counts(h, 3, (uint32_t)n, (uint32_t)(3 * sides), (uint32_t)sides + 2);
            expect_same_support(h, points, n, sides);
            ck_assert_msg(h->climb_loss <= 100.0, "%zu sides, moved %d: loss %g", sides, moved, h->climb_loss);
            apart_hull_free(h);
        }
    }
}
END_TEST

START_TEST(test_random_spheres)
{
    uint64_t seed = 20240611;
    printf("random spheres: seed %llu\n", (unsigned long long)seed);
    for (size_t n = 4; n <= 2000; n += 1 + n / 3) {
        sphere_points(points, n, &seed);
        apart_hull *h = build(points, n);
        expect_counts(h, 3, (uint32_t)n, (uint32_t)(3 * n - 6), (uint32_t)(2 * n - 4));
        expect_same_support(h, points, n, seed);
        apart_hull_free(h);
    }
}
END_TEST

START_TEST(test_lattices)
{
    for (int side = 2; side <= 9; side++) {
        for (int kind = 0; kind < 4; kind++) {
            const size_t n = lattice_points(points, side);
            if (kind == 1) {
                move_points(points, n, 1.0, 0.0);
            } else if (kind == 2) {
                scale_points(points, n, 1e-10, 1.0, 1.0);
            } else if (kind == 3) {
                move_points(points, n, 0.25, 1e8);
            }
            apart_hull *h = build(points, n);
            expect_same_support(h, points, n, 3);
            if (kind == 0 || kind == 2) {
                expect_counts(h, 3, 8, 12, 6);
            }
            if (kind == 1) {
                /* Rounding may leave a point a few eps above its face; nearly all must be gone. */
                ck_assert_uint_ge(apart_hull_vertex_count(h), 8);
                ck_assert_uint_le(apart_hull_vertex_count(h), 8 + (uint32_t)side);
            }
            apart_hull_free(h);
        }
    }
}
END_TEST

/* ---- flat, tiny, huge, thin ---- */

START_TEST(test_low_dimensions)
{
    const double same[9] = {3, 4, 5, 3, 4, 5, 3, 4, 5};
    apart_hull *h = build(same, 3);
    expect_counts(h, 0, 1, 0, 0);
    ck_assert_uint_eq(apart_hull_input_index(h, 0), 0);
    apart_hull_free(h);

    const double line[15] = {1, 1, 1, 0, 0, 0, 3, 3, 3, 2, 2, 2, 3, 3, 3};
    h = build(line, 5);
    expect_counts(h, 1, 2, 1, 0);
    ck_assert_uint_eq(apart_hull_input_index(h, 0), 1);
    ck_assert_uint_eq(apart_hull_input_index(h, 1), 2);
    apart_hull_free(h);

    /* A square with points on its sides and inside. */
    size_t n = 0;
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            put(points, n++, i, 7, j);
        }
    }
    h = build(points, n);
    expect_counts(h, 2, 4, 4, 2);
    ck_assert_double_eq(apart_hull_area(h), 32.0);
    ck_assert_double_eq(apart_hull_volume(h), 0.0);
    apart_hull_free(h);
    move_points(points, n, 1.0, 0.0);
    check_any(points, n, 2, 4);
}
END_TEST

START_TEST(test_extreme_scales)
{
    const double scales[] = {1e-300, 1e-290, 1e-150, 1e-20, 1e20, 1e120, 1e300};
    uint64_t seed = 99;
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
        size_t n = sphere_points(points, 60, &seed);
        scale_points(points, n, scales[s], scales[s], scales[s]);
        check_any(points, n, 3, 60);
        n = lattice_points(points, 4);
        scale_points(points, n, scales[s], scales[s], scales[s]);
        check_any(points, n, 3, 8);
        n = prism_points(points, 7);
        scale_points(points, n, scales[s], scales[s], 0.0);
        check_any(points, n, 2, 7);
    }
    /* Subnormal coordinates. */
    size_t n = lattice_points(points, 3);
    scale_points(points, n, 5e-324, 5e-324, 5e-324);
    check_any(points, n, 3, 8);
    /* Coordinates that would overflow in a dot product. */
    const double far[6] = {1.7e308, 0, 0, -1.7e308, 0, 0};
    apart_hull *h = NULL;
    ck_assert_int_eq(apart_hull_build(far, 2, NULL, &h), APART_ERR_OVERFLOW);
    ck_assert_ptr_null(h);
}
END_TEST

START_TEST(test_offsets)
{
    uint64_t seed = 4711;
    for (double offset = 1e2; offset <= 1e16; offset *= 10.0) {
        const size_t n = sphere_points(points, 40, &seed);
        move_points(points, n, 1.0, offset);
        check_any(points, n, -1, 0);
    }
    const size_t n = cube_points(points);
    move_points(points, n, 0.0, 1e8);
    check_any(points, n, 0, 1);
}
END_TEST

START_TEST(test_thin_sets)
{
    uint64_t seed = 31337;
    printf("thin sets: seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 60; t++) {
        const double thickness = pow(10.0, -1.0 - t % 20);
        size_t n = t % 3 == 0   ? sphere_points(points, 50, &seed)
                   : t % 3 == 1 ? ball_points(points, 200, &seed)
                                : lattice_points(points, 5);
        scale_points(points, n, 1.0, t % 2 ? thickness : 1.0, thickness);
        check_any(points, n, -1, 0);
        move_points(points, n, 1.0, 0.0);
        check_any(points, n, -1, 0);
    }
    /* A plane with noise of a few eps: flat or not, it must work. */
    for (int t = 0; t < 40; t++) {
        const size_t n = ball_points(points, 300, &seed);
        scale_points(points, n, 1.0, 1.0, pow(2.0, -40.0 - t % 20));
        move_points(points, n, 1.0, 0.0);
        check_any(points, n, -1, 0);
    }
    /* Few distinct values, many exact ties. */
    for (int t = 0; t < 60; t++) {
        const size_t n = ball_points(points, 400, &seed);
        for (size_t i = 0; i < 3 * n; i++) {
            points[i] = floor(points[i] * (1 + t % 5)) * (t % 2 ? 0.1 : 1.0);
        }
        check_any(points, n, -1, 0);
    }
}
END_TEST

START_TEST(test_shallow_caps)
{
    /* Qhull 2020.2 merges facets of the first of these for ever; the builder must not wait for it. */
    uint64_t seed = 4868223424923295015u;
    uniform(&seed);
    uniform(&seed);
    for (int t = 0; t < 100; t++) {
        const size_t n = t == 0 ? 147 : 300;
        const double depth = pow(10.0, t == 0 ? -14.0 : -10.0 - t % 7);
        for (size_t i = 0; i < n; i++) {
            const double x = uniform(&seed), y = uniform(&seed);
            put(points, i, x, y, depth * (x * x + y * y));
        }
        check_any(points, n, -1, 0);
    }
}
END_TEST

/* ---- the independent enumeration ---- */

static void compare_with_g6(const apart_hull *h, double scale, double tolerance)
{
    static g6_body body;
    apart_vec3 v[g6_max];
    const uint32_t n = apart_hull_vertex_count(h);
    ck_assert_uint_le(n, g6_max);
    for (uint32_t i = 0; i < n; i++) {
        const apart_vec3 p = apart_hull_vertex(h, i);
        v[i] = (apart_vec3){scale * p.x, scale * p.y, scale * p.z};
    }
    g6_enumerate(v, n, tolerance, &body);
    ck_assert_uint_eq(body.face_count, apart_hull_face_count(h));
    ck_assert_uint_eq(body.edge_count, apart_hull_edge_count(h));
    for (uint32_t f = 0; f < body.face_count; f++) {
        const uint32_t *face;
        const uint32_t size = apart_hull_face(h, f, &face);
        uint32_t g = 0;
        while (g < body.face_count &&
               (body.face_size[g] != size || memcmp(body.face[g], face, size * sizeof *face) != 0)) {
            g++;
        }
        ck_assert_msg(g < body.face_count, "face %u is not among the enumerated ones", f);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *ring;
        const uint32_t degree = apart_hull_neighbours(h, i, &ring);
        uint32_t k = 0;
        for (uint32_t j = 0; j < n; j++) {
            if (body.vicinity[i][j]) {
                ck_assert(k < degree && ring[k] == j);
                k++;
            }
        }
        ck_assert_uint_eq(k, degree);
    }
}

START_TEST(test_g6_regular)
{
    for (int moved = 0; moved < 2; moved++) {
        for (size_t kind = 0; kind < 12; kind++) {
            const size_t n = kind == 0   ? cube_points(points)
                             : kind == 1 ? octahedron_points(points)
                             : kind == 2 ? dodecahedron_points(points)
                             : kind == 3 ? lattice_points(points, 4)
                                         : prism_points(points, kind);
            if (moved) {
                move_points(points, n, 1.0, 0.25);
            }
            apart_hull *h = build(points, n);
            if (kind != 3 || !moved) {
                compare_with_g6(h, 1.0, 1e-12);
            }
            apart_hull_free(h);
        }
    }
}
END_TEST

START_TEST(test_g6_random)
{
    uint64_t seed = 1234567;
    printf("enumeration: seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < 60; t++) {
        const size_t n =
            t % 2 ? sphere_points(points, 4 + (size_t)t % 30, &seed) : ball_points(points, 10 + (size_t)t, &seed);
        const double scale = t % 3 == 0 ? 1.0 : t % 3 == 1 ? 0x1p-500 : 0x1p+300;
        scale_points(points, n, scale, scale, scale);
        apart_hull *h = build(points, n);
        compare_with_g6(h, 1.0 / scale, 1e-13);
        apart_hull_free(h);
    }
    /* Points of a coarse lattice: many coplanar and collinear ones. */
    for (int t = 0; t < 60; t++) {
        const size_t n = ball_points(points, 30, &seed);
        for (size_t i = 0; i < 3 * n; i++) {
            points[i] = floor(points[i] * 3.0);
        }
        apart_hull *h = build(points, n);
        compare_with_g6(h, 1.0, 1e-9);
        apart_hull_free(h);
    }
}
END_TEST

/* ---- from faces ---- */

static apart_status from_faces(const apart_hull *h, apart_hull **out)
{
    static uint32_t sizes[5000], indices[20000];
    static double xyz[3 * 3000];
    size_t corners = 0;
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        const apart_vec3 v = apart_hull_vertex(h, i);
        put(xyz, i, v.x, v.y, v.z);
    }
    for (uint32_t f = 0; f < h->face_count; f++) {
        const uint32_t *face;
        sizes[f] = apart_hull_face(h, f, &face);
        memcpy(indices + corners, face, sizes[f] * sizeof *face);
        corners += sizes[f];
    }
    return apart_hull_from_faces(xyz, h->vertex_count, sizes, h->face_count, indices, NULL, out);
}

static void expect_round_trip(size_t n)
{
    apart_hull *h = build(points, n), *again = NULL;
    ck_assert_int_eq(from_faces(h, &again), APART_OK);
    ck_assert_uint_eq(apart_hull_vertex_count(again), apart_hull_vertex_count(h));
    ck_assert_uint_eq(apart_hull_face_count(again), apart_hull_face_count(h));
    ck_assert_uint_eq(apart_hull_edge_count(again), apart_hull_edge_count(h));
    apart_hull_free(h);
    apart_hull_free(again);
}

START_TEST(test_from_faces)
{
    uint64_t seed = 5;
    expect_round_trip(cube_points(points));
    expect_round_trip(dodecahedron_points(points));
    expect_round_trip(sphere_points(points, 300, &seed));
    size_t n = sphere_points(points, 60, &seed);
    scale_points(points, n, 1e120, 1e118, 1e119);
    expect_round_trip(n);
    n = prism_points(points, 16);
    move_points(points, n, 1.0, 1e5);
    expect_round_trip(n);
    n = prism_points(points, 9);
    scale_points(points, n, 1.0, 1.0, 0.0);
    expect_round_trip(n); /* a polygon's two sides */
}
END_TEST

START_TEST(test_from_faces_triangles)
{
    /* A cube in twelve triangles, with a vertex that no face uses and one in the middle of an edge. */
    size_t n = cube_points(points);
    put(points, n++, 5, 5, 5);
    put(points, n++, 0, -1, -1); /* on the edge from 0 to 1 */
    const uint32_t faces[][3] = {{0, 2, 9}, {9, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 9, 4}, {9, 5, 4},
                                 {9, 1, 5}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    uint32_t sizes[14];
    for (int i = 0; i < 14; i++) {
        sizes[i] = 3;
    }
    apart_hull *h = NULL;
    ck_assert_int_eq(apart_hull_from_faces(points, n, sizes, 14, faces[0], NULL, &h), APART_OK);
    expect_counts(h, 3, 8, 12, 6);
    apart_hull_free(h);
    h = NULL;
    /* One face missing; one face twice; all faces inside out; a dent. */
    ck_assert_int_eq(apart_hull_from_faces(points, n, sizes, 13, faces[0], NULL, &h), APART_ERR_TOPOLOGY);
    ck_assert_int_eq(apart_hull_from_faces(points, n, sizes, 0, faces[0], NULL, &h), APART_ERR_TOPOLOGY);
    uint32_t turned[14][3];
    for (int i = 0; i < 14; i++) {
        turned[i][0] = faces[i][0], turned[i][1] = faces[i][2], turned[i][2] = faces[i][1];
    }
    ck_assert_int_eq(apart_hull_from_faces(points, n, sizes, 14, turned[0], NULL, &h), APART_ERR_NOT_CONVEX);
    memcpy(turned, faces, sizeof turned);
    turned[3][0] = 99;
    ck_assert_int_eq(apart_hull_from_faces(points, n, sizes, 14, turned[0], NULL, &h), APART_ERR_TOPOLOGY);
    put(points, 9, 0, -1 + 1e-9, -1 + 1e-9);
    ck_assert_int_eq(apart_hull_from_faces(points, n, sizes, 14, faces[0], NULL, &h), APART_ERR_NOT_CONVEX);
    put(points, 9, 0, -1 + 1e-14, -1 + 1e-14);
    ck_assert_int_eq(apart_hull_from_faces(points, n, sizes, 14, faces[0], NULL, &h), APART_OK);
    ck_assert_uint_eq(apart_hull_vertex_count(h), 8);
    apart_hull_free(h);
    ck_assert_int_eq(apart_hull_from_faces(NULL, n, sizes, 14, faces[0], NULL, &h), APART_ERR_NULL);
    ck_assert_int_eq(apart_hull_from_faces(points, 0, sizes, 14, faces[0], NULL, &h), APART_ERR_EMPTY);
    points[4] = NAN;
    ck_assert_int_eq(apart_hull_from_faces(points, n, sizes, 14, faces[0], NULL, &h), APART_ERR_NONFINITE);
}
END_TEST

/* ---- statuses, blocks, memory ---- */

START_TEST(test_bad_input)
{
    apart_hull *h = NULL;
    double xyz[6] = {0, 0, 0, 1, 1, 1};
    ck_assert_int_eq(apart_hull_build(NULL, 2, NULL, &h), APART_ERR_NULL);
    ck_assert_int_eq(apart_hull_build(xyz, 2, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_hull_build(xyz, 0, NULL, &h), APART_ERR_EMPTY);
    ck_assert_int_eq(apart_hull_build(xyz, (size_t)0x80000001u, NULL, &h), APART_ERR_SIZE);
    xyz[4] = NAN;
    ck_assert_int_eq(apart_hull_build(xyz, 2, NULL, &h), APART_ERR_NONFINITE);
    xyz[4] = -INFINITY;
    ck_assert_int_eq(apart_hull_build(xyz, 2, NULL, &h), APART_ERR_NONFINITE);
    ck_assert_ptr_null(h);
    apart_hull_free(NULL);
}
END_TEST

/* A vertex of somebody's buffer, whose numbers are nowhere aligned to their size. */
#define STRIDE 29

static size_t fill_buffer(unsigned char *buffer, const double *xyz, size_t n, bool is_float)
{
    memset(buffer, 0x7f, 3 + STRIDE * n);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            const float f = (float)xyz[3 * i + k];
            if (is_float) {
                memcpy(buffer + 3 + STRIDE * i + 4 * k, &f, sizeof f);
            } else {
                memcpy(buffer + 3 + STRIDE * i + 8 * k, &xyz[3 * i + k], sizeof(double));
            }
        }
    }
    return n;
}

/* The hull of the same numbers, packed, has the same bytes. */
static void expect_same_hull(const apart_vertices *v, const double *xyz, size_t n)
{
    apart_hull *packed = build(xyz, n), *read = NULL;
    ck_assert_int_eq(apart_hull_build_vertices(v, NULL, &read), APART_OK);
    ck_assert_uint_eq(apart_hull_size(read), apart_hull_size(packed));
    ck_assert_int_eq(memcmp(read, packed, apart_hull_size(packed)), 0);
    apart_hull_free(read);
    apart_hull_free(packed);
}

START_TEST(test_vertices)
{
    static unsigned char buffer[3 + STRIDE * 200];
    static float floats[3 * 200];
    static double as_doubles[3 * 200];
    uint64_t seed = 71;
    const size_t n = sphere_points(points, 200, &seed);
    for (size_t i = 0; i < 3 * n; i++) {
        floats[i] = (float)points[i];
        as_doubles[i] = (double)floats[i];
    }
    fill_buffer(buffer, points, n, false);
    expect_same_hull(&(apart_vertices){.data = buffer + 3, .count = n, .stride = STRIDE}, points, n);
    expect_same_hull(&(apart_vertices){.data = points, .count = n}, points, n);
    fill_buffer(buffer, points, n, true);
    expect_same_hull(&(apart_vertices){.data = buffer + 3, .count = n, .stride = STRIDE, .number = APART_FLOAT},
                     as_doubles, n);
    expect_same_hull(&(apart_vertices){.data = floats, .count = n, .number = APART_FLOAT}, as_doubles, n);
}
END_TEST

START_TEST(test_bad_vertices)
{
    apart_hull *h = NULL;
    float xyz[6] = {0, 0, 0, 1, 1, 1};
    apart_vertices v = {.data = xyz, .count = 2, .number = APART_FLOAT};
    ck_assert_int_eq(apart_hull_build_vertices(NULL, NULL, &h), APART_ERR_NULL);
    ck_assert_int_eq(apart_hull_build_vertices(&v, NULL, NULL), APART_ERR_NULL);
    v.number = 2;
    ck_assert_int_eq(apart_hull_build_vertices(&v, NULL, &h), APART_ERR_OPTION);
    v.number = APART_FLOAT;
    v.count = (size_t)0x80000001u;
    ck_assert_int_eq(apart_hull_build_vertices(&v, NULL, &h), APART_ERR_SIZE);
    v.count = 0;
    ck_assert_int_eq(apart_hull_build_vertices(&v, NULL, &h), APART_ERR_EMPTY);
    v = (apart_vertices){.count = 2};
    ck_assert_int_eq(apart_hull_build_vertices(&v, NULL, &h), APART_ERR_NULL);
    xyz[4] = NAN;
    v = (apart_vertices){.data = xyz, .count = 2, .number = APART_FLOAT};
    ck_assert_int_eq(apart_hull_build_vertices(&v, NULL, &h), APART_ERR_NONFINITE);
    ck_assert_ptr_null(h);
}
END_TEST

START_TEST(test_relocation)
{
    uint64_t seed = 8;
    apart_hull *h = build(points, sphere_points(points, 200, &seed));
    const size_t size = apart_hull_size(h);
    char *memory = malloc(size + 8);
    memcpy(memory + 8, h, size);
    const apart_hull *copy = NULL;
    ck_assert_int_eq(apart_hull_view(memory + 8, size, &copy), APART_OK);
    for (int t = 0; t < 100; t++) {
        const apart_vec3 d = {uniform(&seed), uniform(&seed), uniform(&seed)};
        ck_assert_uint_eq(ap_hull_support(h, APART_SUPPORT_AUTO, APART_NO_INDEX, d, NULL),
                          ap_hull_support(copy, APART_SUPPORT_AUTO, APART_NO_INDEX, d, NULL));
    }
    ck_assert_int_eq(apart_hull_view(memory + 8, size - 1, &copy), APART_ERR_BLOCK);
    ck_assert_int_eq(apart_hull_view(memory + 8, 100, &copy), APART_ERR_BLOCK);
    ck_assert_int_eq(apart_hull_view(memory + 7, size, &copy), APART_ERR_BLOCK);
    ck_assert_int_eq(apart_hull_view(NULL, size, &copy), APART_ERR_NULL);
    ck_assert_int_eq(apart_hull_view(memory, size, NULL), APART_ERR_NULL);
    /* The same points give the same bytes. */
    seed = 8;
    apart_hull *twin = build(points, sphere_points(points, 200, &seed));
    ck_assert_int_eq(memcmp(memory + 8, twin, size), 0);
    apart_hull_free(twin);
    apart_hull_free(h);
    free(memory);
}
END_TEST

/* ---- boxes ---- */

static const ap_hull_box *box_of(const apart_hull *h, apart_vec3 middle, apart_vec3 half)
{
    const ap_hull_box *box = ap_hull_as_box(h);
    ck_assert_ptr_nonnull(box);
    const double m[3] = {middle.x, middle.y, middle.z}, e[3] = {half.x, half.y, half.z};
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq(box->middle[k] + h->center[k], m[k]);
        ck_assert_double_eq(box->half[k], e[k]);
    }
    return box;
}

START_TEST(test_box)
{
    apart_hull *h = build(points, cube_points(points));
    box_of(h, (apart_vec3){0, 0, 0}, (apart_vec3){1, 1, 1});
    apart_hull_free(h);
    /* Points inside and on its faces; off the origin; far from it, so that the centre is subtracted. */
    size_t n = lattice_points(points, 5);
    double low[3], high[3];
    for (size_t k = 0; k < 3; k++) {
        low[k] = high[k] = points[k];
        for (size_t i = 0; i < n; i++) {
            low[k] = fmin(low[k], points[3 * i + k]);
            high[k] = fmax(high[k], points[3 * i + k]);
        }
    }
    h = build(points, n);
    box_of(h, (apart_vec3){0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])},
           (apart_vec3){0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]), 0.5 * (high[2] - low[2])});
    /* A view that says another box, or none, is refused. */
    const size_t size = apart_hull_size(h);
    apart_hull *copy = malloc(size);
    const apart_hull *view = NULL;
    memcpy(copy, h, size);
    ck_assert_int_eq(apart_hull_view(copy, size, &view), APART_OK);
    copy->box.half[1] *= 2.0;
    ck_assert_int_eq(apart_hull_view(copy, size, &view), APART_ERR_BLOCK);
    memcpy(copy, h, size);
    copy->is_box = 0;
    ck_assert_int_eq(apart_hull_view(copy, size, &view), APART_ERR_BLOCK);
    free(copy);
    apart_hull_free(h);
    n = cube_points(points);
    for (size_t i = 0; i < 3 * n; i++) {
        points[i] = 100.0 + 0.5 * points[i] * (double)(1 + i % 3);
    }
    h = build(points, n);
    ck_assert_double_eq(h->center[0], 100.0);
    box_of(h, (apart_vec3){100, 100, 100}, (apart_vec3){0.5, 1.0, 1.5});
    apart_hull_free(h);
}
END_TEST

START_TEST(test_no_box)
{
    /* A turned cube; one with a corner off by a bit; a middle that is no double; other bodies of eight vertices. */
    for (int kind = 0; kind < 5; kind++) {
        uint64_t seed = 7;
        const size_t n = kind < 3    ? cube_points(points)
                         : kind == 3 ? prism_points(points, 4)
                                     : sphere_points(points, 8, &seed);
        if (kind == 0) {
            move_points(points, n, 1.0, 0.0);
        } else if (kind == 1) {
            points[4] = nextafter(points[4], 2.0);
        }
        for (size_t i = 0; kind == 2 && i < n; i++) {
            points[3 * i] = points[3 * i] < 0.0 ? -1.0 : 0x1p-60;
        }
        apart_hull *h = build(points, n);
        ck_assert_uint_eq(apart_hull_vertex_count(h), 8);
        ck_assert_msg(kind == 3 || ap_hull_as_box(h) == NULL, "kind %d is taken for a box", kind);
        apart_hull_free(h);
    }
}
END_TEST

/* ---- byte order ---- */

static uint64_t read_backwards(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

/* A block turned round has every number in the other order: what another machine reads of it is what this one wrote. */
START_TEST(test_byte_order)
{
    uint64_t seed = 17;
    apart_hull *h = build(points, sphere_points(points, 100, &seed));
    const size_t size = apart_hull_size(h);
    unsigned char *copy = malloc(size);
    const apart_hull *view = NULL;
    memcpy(copy, h, size);
    ck_assert(ap_hull_turn_bytes(copy, size));
    ck_assert_int_eq(apart_hull_view(copy, size, &view), APART_ERR_BLOCK);
    ck_assert_uint_eq(read_backwards(copy, 4), AP_HULL_MAGIC);
    ck_assert_uint_eq(read_backwards(copy + offsetof(apart_hull, vertex_count), 4), 100);
    ck_assert_uint_eq(read_backwards(copy + offsetof(apart_hull, face_planes), 8), h->face_planes);
    for (uint32_t i = 0; i < 300; i++) {
        uint64_t bits;
        memcpy(&bits, ap_hull_x(h) + i, sizeof bits);
        ck_assert_uint_eq(read_backwards(copy + h->vertices + 8 * (size_t)i, 8), bits);
    }
    for (uint32_t i = 0; i < h->record_count; i++) {
        const ap_hull_vertex *record = ap_hull_records(h) + i;
        const unsigned char *turned = copy + h->records + i * sizeof *record;
        uint64_t bits;
        memcpy(&bits, &record->dz[7], sizeof bits);
        ck_assert_uint_eq(read_backwards(turned + offsetof(ap_hull_vertex, input), 4), record->input);
        ck_assert_uint_eq(read_backwards(turned + offsetof(ap_hull_vertex, id) + 4, 4), record->id[1]);
        ck_assert_uint_eq(read_backwards(turned + sizeof *record - 8, 8), bits);
    }
    for (uint32_t e = 0; e < h->edge_count; e++) {
        uint32_t ends[2];
        apart_hull_edge(h, e, ends);
        ck_assert_uint_eq(read_backwards(copy + h->edges + 8 * (size_t)e + 4, 4), ends[1]);
    }
    ck_assert(ap_hull_turn_bytes(copy, size));
    ck_assert_int_eq(memcmp(copy, h, size), 0);
    /* Here, as on nearly all machines, or on the other ones: a file begins with the lowest byte. */
    ck_assert_int_eq(apart_hull_convert(copy, size), APART_OK);
    ck_assert_uint_eq(copy[0], AP_HULL_MAGIC & 0xffu);
    ck_assert_int_eq(apart_hull_convert(copy, size), APART_OK);
    ck_assert_int_eq(memcmp(copy, h, size), 0);
    ck_assert_int_eq(apart_hull_convert(NULL, size), APART_ERR_NULL);
    ck_assert_int_eq(apart_hull_convert(copy, size - 1), APART_ERR_BLOCK);
    ck_assert_int_eq(apart_hull_convert(copy, 16), APART_ERR_BLOCK);
    copy[1] ^= 1;
    ck_assert_int_eq(apart_hull_convert(copy, size), APART_ERR_BLOCK);
    free(copy);
    apart_hull_free(h);
}
END_TEST

/* Reads everything a query or a caller may read. */
static void use_everything(const apart_hull *h, uint64_t *seed)
{
    double sum = 0.0;
    const uint32_t *list;
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        sum += apart_hull_vertex(h, i).x + apart_hull_input_index(h, i) + apart_hull_neighbours(h, i, &list);
    }
    for (uint32_t f = 0; f < h->face_count; f++) {
        for (uint32_t n = apart_hull_face(h, f, &list); n > 0; n--) {
            sum += apart_hull_vertex(h, list[n - 1]).y;
        }
    }
    for (uint32_t e = 0; e < h->edge_count; e++) {
        uint32_t ends[2];
        apart_hull_edge(h, e, ends);
        sum += apart_hull_vertex(h, ends[1]).z;
    }
    for (int t = 0; t < 12; t++) {
        const apart_vec3 d = {uniform(seed), t == 0 ? 0.0 : uniform(seed), t < 2 ? 0.0 : uniform(seed)};
        const uint32_t v = ap_hull_support(h, t % APART_SUPPORT_COUNT, (uint32_t)*seed, d, NULL);
        ck_assert_uint_lt(v, h->vertex_count);
    }
    ck_assert(!isnan(sum));
}

static void mutate(const apart_hull *h, int times, uint64_t *seed, int *accepted)
{
    const size_t size = apart_hull_size(h);
    unsigned char *copy = malloc(size);
    for (int t = 0; t < times; t++) {
        memcpy(copy, h, size);
        for (int k = 0; k < 1 + t % 3; k++) {
            uniform(seed);
            const size_t where = *seed % (t % 2 ? size : sizeof(apart_hull));
            uniform(seed);
            copy[where] = (unsigned char)(t % 4 == 0 ? copy[where] ^ 1u << *seed % 8 : *seed >> 17);
        }
        const apart_hull *view = NULL;
        if (apart_hull_view(copy, size - (t % 5 == 0 ? *seed % 64 : 0), &view) == APART_OK) {
            (*accepted)++;
            use_everything(view, seed);
        }
    }
    free(copy);
}

START_TEST(test_mutated_blocks)
{
    uint64_t seed = 424242;
    int accepted = 0;
    printf("mutations: seed %llu\n", (unsigned long long)seed);
    for (int kind = 0; kind < 6; kind++) {
        size_t n = kind == 0   ? cube_points(points)
                   : kind == 1 ? sphere_points(points, 100, &seed)
                   : kind == 2 ? dodecahedron_points(points)
                   : kind == 3 ? prism_points(points, 8)
                   : kind == 4 ? sphere_points(points, 4, &seed)
                               : sphere_points(points, 2, &seed);
        if (kind == 3) {
            scale_points(points, n, 1.0, 1.0, 0.0);
        }
        apart_hull *h = build(points, n);
        mutate(h, 20000, &seed, &accepted);
        apart_hull_free(h);
    }
    printf("mutations accepted: %d of 120000\n", accepted);
}
END_TEST

typedef struct counting {
    long allowed, live, made;
} counting;

static void *count_allocate(size_t size, void *user)
{
    counting *c = user;
    if (c->allowed-- <= 0) {
        return NULL;
    }
    c->live++;
    c->made++;
    return malloc(size);
}

static void count_release(void *memory, void *user)
{
    ck_assert_ptr_nonnull(memory);
    ((counting *)user)->live--;
    free(memory);
}

/* Sorting: by insertion and byte by byte, stable, any bytes. */
START_TEST(test_sort)
{
    static ap_keyed items[3000], scratch[3000];
    uint64_t seed = 4;
    for (size_t n = 0; n <= 3000; n += 1 + n / 3) {
        for (int kind = 0; kind < 4; kind++) {
            for (size_t i = 0; i < n; i++) {
                uniform(&seed);
                const uint64_t key = kind == 0 ? seed : kind == 1 ? seed >> 60 : kind == 2 ? seed & 0xff00ff00ffu : 7;
                items[i] = (ap_keyed){key, (uint32_t)i};
            }
            ap_sort_keyed(items, scratch, n);
            for (size_t i = 1; i < n; i++) {
                ck_assert(items[i - 1].key < items[i].key ||
                          (items[i - 1].key == items[i].key && items[i - 1].value < items[i].value));
            }
        }
    }
    const double ascending[] = {-INFINITY, -1e300, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e300, INFINITY};
    for (size_t i = 1; i < sizeof ascending / sizeof ascending[0]; i++) {
        ck_assert_uint_lt(ap_key_of_double(ascending[i - 1]), ap_key_of_double(ascending[i]));
    }
    ck_assert_uint_eq(ap_key_of_double(-0.0), ap_key_of_double(0.0));
}
END_TEST

START_TEST(test_allocator)
{
    uint64_t seed = 12;
    for (int kind = 0; kind < 6; kind++) {
        const size_t n = kind == 4   ? lattice_points(points, 5)
                         : kind == 5 ? prism_points(points, 12)
                                     : sphere_points(points, kind < 3 ? (size_t)kind + 1 : 120, &seed);
        if (kind == 4) {
            move_points(points, n, 1.0, 0.0);
        }
        apart_status st = APART_ERR_MEMORY;
        for (long allowed = 0; st != APART_OK; allowed++) {
            counting c = {.allowed = allowed};
            const apart_hull_options options = {.allocator = {count_allocate, count_release, &c}};
            apart_hull *h = NULL;
            st = apart_hull_build(points, n, &options, &h);
            ck_assert_msg(st == APART_OK || st == APART_ERR_MEMORY, "status %d", (int)st);
            ck_assert_int_eq(c.live, st == APART_OK ? 1 : 0);
            ck_assert_int_lt(allowed, 10000);
            apart_hull_free(h);
            ck_assert_int_eq(c.live, 0);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hull");
    TCase *tc = tcase_create("hull");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_cube);
    tcase_add_test(tc, test_regular_bodies);
    tcase_add_test(tc, test_prisms);
    tcase_add_test(tc, test_random_spheres);
    tcase_add_test(tc, test_lattices);
    tcase_add_test(tc, test_low_dimensions);
    tcase_add_test(tc, test_extreme_scales);
    tcase_add_test(tc, test_offsets);
    tcase_add_test(tc, test_thin_sets);
    tcase_add_test(tc, test_shallow_caps);
    tcase_add_test(tc, test_g6_regular);
    tcase_add_test(tc, test_g6_random);
    tcase_add_test(tc, test_from_faces);
    tcase_add_test(tc, test_from_faces_triangles);
    tcase_add_test(tc, test_bad_input);
    tcase_add_test(tc, test_vertices);
    tcase_add_test(tc, test_bad_vertices);
    tcase_add_test(tc, test_relocation);
    tcase_add_test(tc, test_box);
    tcase_add_test(tc, test_no_box);
    tcase_add_test(tc, test_byte_order);
    tcase_add_test(tc, test_mutated_blocks);
    tcase_add_test(tc, test_sort);
    tcase_add_test(tc, test_allocator);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
