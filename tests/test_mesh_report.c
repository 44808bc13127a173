/* What is reported of a mesh: known solids, random triangles against a count by pairs, orientation, volume and area. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "topology/report.h"
#include "random.h"
#include "run_suite.h"

enum { MAX_VERTICES = 400, MAX_TRIANGLES = 1200 };

typedef struct soup {
    apart_vec3 vertices[MAX_VERTICES];
    uint32_t triangles[MAX_TRIANGLES][3];
    uint32_t vertex_count, triangle_count;
} soup;

static apart_mesh_report report_of(const soup *s)
{
    const apart_allocator allocator = {NULL, NULL, NULL};
    apart_mesh_report report;
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])s->triangles;
    ck_assert_int_eq(ap_mesh_report_make(s->vertices, s->vertex_count, triangles, s->triangle_count, &allocator,
                                         &report),
                     APART_OK);
    return report;
}

static void add_triangle(soup *s, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {a, b, c};
    memcpy(s->triangles[s->triangle_count++], corners, sizeof corners);
}

static const uint32_t box_faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                          {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

/* A box of these vertices; inward: with all triangles turned. */
static void add_box_of(soup *s, const uint32_t vertex[8], bool inward)
{
    for (int i = 0; i < 12; i++) {
        const uint32_t *f = box_faces[i];
        add_triangle(s, vertex[f[0]], vertex[f[inward ? 2 : 1]], vertex[f[inward ? 1 : 2]]);
    }
}

static uint32_t add_vertex(soup *s, double x, double y, double z)
{
    s->vertices[s->vertex_count] = (apart_vec3){x, y, z};
    return s->vertex_count++;
}

static void add_box(soup *s, apart_vec3 center, double half, bool inward)
{
    uint32_t vertex[8];
    for (uint32_t i = 0; i < 8; i++) {
        vertex[i] = add_vertex(s, center.x + (i & 1 ? half : -half), center.y + (i & 2 ? half : -half),
                               center.z + (i & 4 ? half : -half));
    }
    add_box_of(s, vertex, inward);
}

START_TEST(one_box)
{
    static soup s;
    add_box(&s, (apart_vec3){5.0, -3.0, 0.25}, 0.5, false);
    add_vertex(&s, 100.0, 0.0, 0.0); /* of no triangle */
    const apart_mesh_report r = report_of(&s);
    ck_assert_uint_eq(r.triangles, 12);
    ck_assert_uint_eq(r.vertices, 8);
    ck_assert_uint_eq(r.components, 1);
    ck_assert_uint_eq(r.degenerate + r.open_edges + r.crowded_edges + r.turned_edges, 0);
    ck_assert(r.watertight == 1 && r.oriented == 1);
    ck_assert_double_eq(r.volume, 1.0);
    ck_assert_double_eq(r.area, 6.0);
}
END_TEST

START_TEST(inside_out)
{
    static soup s;
    add_box(&s, (apart_vec3){0.0, 0.0, 0.0}, 1.0, true);
    const apart_mesh_report r = report_of(&s);
    ck_assert(r.watertight == 1 && r.oriented == 0);
    ck_assert_double_eq(r.volume, -8.0);
}
END_TEST

START_TEST(a_missing_triangle)
{
    static soup s;
    add_box(&s, (apart_vec3){0.0, 0.0, 0.0}, 1.0, false);
    s.triangle_count--;
    const apart_mesh_report r = report_of(&s);
    ck_assert_uint_eq(r.open_edges, 3);
    ck_assert(r.watertight == 0 && r.oriented == 0 && r.components == 1);
    ck_assert_double_eq(r.volume, 0.0);
    ck_assert_double_eq(r.area, 22.0);
}
END_TEST

START_TEST(a_turned_triangle)
{
    static soup s;
    add_box(&s, (apart_vec3){0.0, 0.0, 0.0}, 1.0, false);
    const uint32_t corner = s.triangles[3][1];
    s.triangles[3][1] = s.triangles[3][2];
    s.triangles[3][2] = corner;
    const apart_mesh_report r = report_of(&s);
    ck_assert_uint_eq(r.turned_edges, 3);
    ck_assert(r.watertight == 1 && r.oriented == 0);
    ck_assert_double_eq(r.volume, 0.0);
}
END_TEST

/* Two boxes that have an edge in common: four triangles at it, and still a solid. A fifth one opens it. */
START_TEST(a_crowded_edge)
{
    static soup s;
    add_box(&s, (apart_vec3){0.0, 0.0, 0.0}, 1.0, false);
    uint32_t second[8] = {3, 0, 0, 0, 7, 0, 0, 0};
    for (uint32_t i = 1; i < 8; i++) {
        if (i != 4) {
            second[i] = add_vertex(&s, i & 1 ? 3.0 : 1.0, i & 2 ? 3.0 : 1.0, i & 4 ? 1.0 : -1.0);
        }
    }
    add_box_of(&s, second, false);
    apart_mesh_report r = report_of(&s);
    ck_assert_uint_eq(r.vertices, 14);
    ck_assert_uint_eq(r.crowded_edges, 1);
    ck_assert_uint_eq(r.components, 1);
    ck_assert(r.watertight == 1 && r.oriented == 1 && r.turned_edges == 0);
    ck_assert_double_eq(r.volume, 16.0);
    add_triangle(&s, 3, 7, add_vertex(&s, 5.0, -5.0, 0.0));
    r = report_of(&s);
    ck_assert(r.watertight == 0 && r.open_edges == 2 && r.crowded_edges == 1);
}
END_TEST

/* Boxes in boxes: a cavity's normals point into it, and so on inwards. */
START_TEST(nested_boxes)
{
    static const struct {
        int count;
        double half[4], x[4];
        bool inward[4];
        int oriented;
    } rows[] = {
        {2, {3, 1}, {0, 0}, {false, true}, 1},                           /* a cavity */
        {2, {1, 3}, {0, 0}, {true, false}, 1},                           /* the same, listed the other way round */
        {2, {3, 1}, {0, 0}, {false, false}, 1},                          /* a box in a box: nothing is inside out */
        {2, {3, 1}, {0, 0}, {true, false}, 0},                           /* the outer one is inside out */
        {2, {3, 1}, {0, 9}, {false, true}, 0},                           /* an inside-out box beside it */
        {2, {3, 1}, {0, -9}, {false, true}, 0},                          /* on the other side */
        {3, {4, 3, 2}, {0, 0, 0}, {false, true, false}, 1},              /* a box in a cavity */
        {3, {4, 3, 2}, {0, 0, 0}, {false, true, true}, 0},               /* a cavity in a cavity */
        {4, {4, 3, 2, 1}, {0, 0, 0, 0}, {false, true, false, true}, 1},  /* four shells */
        {4, {9, 2, 2, 1}, {0, -5, 5, 5}, {false, true, true, false}, 1}, /* two cavities, something in one */
        {4, {9, 2, 2, 1}, {0, -5, 5, 50}, {false, true, true, true}, 0}, /* and one outside */
        {2, {3, 1}, {0, 2}, {false, true}, 1},                           /* a cavity that touches the wall */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static soup s;
        double volume = 0.0;
        s.vertex_count = s.triangle_count = 0;
        for (int k = 0; k < rows[i].count; k++) {
            const double half = rows[i].half[k], own = 8.0 * half * half * half;
            add_box(&s, (apart_vec3){rows[i].x[k], 0.0, 0.0}, half, rows[i].inward[k]);
            volume += rows[i].inward[k] ? -own : own;
        }
        const apart_mesh_report r = report_of(&s);
        ck_assert_msg(r.oriented == rows[i].oriented, "row %zu", i);
        ck_assert_uint_eq(r.components, (uint32_t)rows[i].count);
        ck_assert_double_eq_tol(r.volume, volume, 1e-12 * fabs(volume));
    }
}
END_TEST

/* Ten cavities, then one that is outside the box. */
START_TEST(many_cavities)
{
    static soup s;
    add_box(&s, (apart_vec3){0.0, 0.0, 0.0}, 100.0, false);
    for (int i = 0; i < 20; i++) {
        add_box(&s, (apart_vec3){8.0 * i - 80.0, 3.0 * i - 10.0, 80.0 - 7.0 * i}, 1.0, true);
    }
    ck_assert_int_eq(report_of(&s).oriented, 1);
    add_box(&s, (apart_vec3){-120.0, 3.0, 4.0}, 1.0, true);
    ck_assert_int_eq(report_of(&s).oriented, 0);
}
END_TEST

/* Sheets of two coincident triangles enclose nothing: the volume's sign is exactly zero, far from the origin too. */
START_TEST(without_volume)
{
    static soup s;
    const uint32_t a = add_vertex(&s, 1e6, 0.1, 0.7), b = add_vertex(&s, 1e6 + 0.3, 0.2, 0.11);
    const uint32_t c = add_vertex(&s, 1e6 + 0.7, 0.9, 0.5);
    add_triangle(&s, a, b, c);
    add_triangle(&s, a, c, b);
    const apart_mesh_report r = report_of(&s);
    ck_assert(r.watertight == 1 && r.oriented == 0 && r.turned_edges == 0);
    ck_assert_double_eq_tol(r.volume, 0.0, 1e-15);
}
END_TEST

/* The least tetrahedron that doubles can make at 1: its volume is far below the rounding errors of its corners'. */
START_TEST(a_sliver_of_a_solid)
{
    for (int inward = 0; inward < 2; inward++) {
        static soup s;
        s.vertex_count = s.triangle_count = 0;
        const uint32_t a = add_vertex(&s, 1.0, 1.0, 1.0), b = add_vertex(&s, 2.0, 2.0, 2.0);
        const uint32_t c = add_vertex(&s, 4.0, 4.0, 4.0 + 0x1p-50), d = add_vertex(&s, 3.0, 3.0 + 0x1p-51, 3.0);
        const uint32_t face[4][3] = {{a, b, c}, {a, d, b}, {b, d, c}, {c, d, a}};
        for (int i = 0; i < 4; i++) {
            add_triangle(&s, face[i][0], face[i][inward ? 2 : 1], face[i][inward ? 1 : 2]);
        }
        const apart_mesh_report r = report_of(&s);
        /* (b - a) x (c - a) = (2^-50, -2^-50, 0), times d - a = (2, 2 + 2^-51, 2): -2^-101; so the faces as listed
         * point inwards where d is above abc, and it is below. */
        ck_assert_int_eq(r.oriented, inward ? 0 : 1);
        ck_assert(r.watertight == 1 && r.degenerate == 0);
    }
}
END_TEST

START_TEST(without_area)
{
    static soup s;
    add_box(&s, (apart_vec3){0.0, 0.0, 0.0}, 1.0, false);
    add_triangle(&s, 0, 0, 5);
    add_triangle(&s, 2, 2, 2);
    add_vertex(&s, 0.0, -1.0, -1.0);
    add_triangle(&s, 0, 1, 8); /* on one line */
    const apart_mesh_report r = report_of(&s);
    ck_assert_uint_eq(r.degenerate, 3);
    ck_assert(r.watertight == 1 && r.oriented == 1 && r.components == 1 && r.vertices == 9);
    ck_assert_double_eq(r.volume, 8.0);
    static soup flat;
    add_vertex(&flat, 0.1, 0.2, 0.3);
    add_triangle(&flat, 0, 0, 0);
    const apart_mesh_report none = report_of(&flat);
    ck_assert(none.degenerate == 1 && none.components == 0 && none.watertight == 0 && none.area == 0.0);
}
END_TEST

/* Three points that are nearly on a line: exact arithmetic finds the area that doubles do not. */
START_TEST(nearly_without_area)
{
    static soup s;
    add_vertex(&s, 0.5, 0.5, 0.0);
    add_vertex(&s, 12.0, 12.0, 0.0);
    add_vertex(&s, 24.0, 24.0, 0.0);
    add_triangle(&s, 0, 1, 2);
    ck_assert_uint_eq(report_of(&s).degenerate, 1);
    s.vertices[0].x = nextafter(0.5, 1.0);
    ck_assert_uint_eq(report_of(&s).degenerate, 0);
    s.vertices[0] = (apart_vec3){0.0, 0x1p-1074, 0.0};
    ck_assert_uint_eq(report_of(&s).degenerate, 0);
}
END_TEST

START_TEST(sizes)
{
    static const int exponents[] = {-340, -1000, -20, 20, 300, 999};
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++) {
        static soup s;
        s.vertex_count = s.triangle_count = 0;
        const double half = ldexp(1.0, exponents[i]), edge = 2.0 * half;
        add_box(&s, (apart_vec3){0.0, half, 0.0}, half, false);
        const apart_mesh_report r = report_of(&s);
        ck_assert(r.oriented == 1 && r.open_edges == 0);
        ck_assert_double_eq(r.volume, edge * edge * edge); /* also where it overflows or underflows */
        ck_assert_double_eq(r.area, 6.0 * edge * edge);
    }
}
END_TEST

static bool has_directed(const soup *s, uint32_t t, uint32_t from, uint32_t to)
{
    for (int k = 0; k < 3; k++) {
        if (s->triangles[t][k] == from && s->triangles[t][(k + 1) % 3] == to) {
            return true;
        }
    }
    return false;
}

static void spread(const soup *s, bool (*edge)[MAX_TRIANGLES], uint32_t t, bool *seen)
{
    seen[t] = true;
    for (uint32_t u = 0; u < s->triangle_count; u++) {
        if (edge[t][u] && !seen[u]) {
            spread(s, edge, u, seen);
        }
    }
}

/* Random triangles of few vertices in general position: every pair of vertices and of triangles is looked at. */
START_TEST(random_triangles)
{
    random_source r = random_seed("random_triangles");
    for (int round = 0; round < 200; round++) {
        static soup s;
        static bool joined[MAX_TRIANGLES][MAX_TRIANGLES], seen[MAX_TRIANGLES];
        s.vertex_count = s.triangle_count = 0;
        const uint32_t vertices = 4 + random_below(&r, 12), triangles = 1 + random_below(&r, 60);
        for (uint32_t v = 0; v < vertices; v++) {
            const apart_vec3 p = random_vector(&r, 1.0);
            add_vertex(&s, p.x, p.y, p.z);
        }
        while (s.triangle_count < triangles) {
            const uint32_t a = random_below(&r, vertices), b = random_below(&r, vertices),
                           c = random_below(&r, vertices);
            if (a != b && b != c && c != a) {
                add_triangle(&s, a, b, c);
            }
        }
        uint32_t open = 0, crowded = 0, turned = 0, components = 0;
        bool balanced = true;
        memset(joined, 0, sizeof joined);
        memset(seen, 0, sizeof seen);
        for (uint32_t a = 0; a < vertices; a++) {
            for (uint32_t b = a + 1; b < vertices; b++) {
                uint32_t up = 0, down = 0, first = UINT32_MAX;
                for (uint32_t t = 0; t < triangles; t++) {
                    const bool is_up = has_directed(&s, t, a, b), is_down = has_directed(&s, t, b, a);
                    up += is_up;
                    down += is_down;
                    if (is_up || is_down) {
                        first = first == UINT32_MAX ? t : first;
                        joined[t][first] = joined[first][t] = true;
                    }
                }
                open += up + down == 1;
                crowded += up + down > 2;
                turned += up + down == 2 && up != 1;
                balanced = balanced && up + down != 1 && (up + down <= 2 || up == down);
            }
        }
        for (uint32_t t = 0; t < triangles; t++) {
            if (!seen[t]) {
                components++;
                spread(&s, joined, t, seen);
            }
        }
        const apart_mesh_report report = report_of(&s);
        ck_assert_uint_eq(report.open_edges, open);
        ck_assert_uint_eq(report.crowded_edges, crowded);
        ck_assert_uint_eq(report.turned_edges, turned);
        ck_assert_uint_eq(report.components, components);
        ck_assert_uint_eq(report.watertight, balanced);
    }
}
END_TEST

/* A torus of revolution has a volume and an area that are known, up to its facets; translation does not matter. */
START_TEST(a_torus)
{
    enum { U = 24, V = 16 };
    const double pi = 3.14159265358979323846;
    for (int round = 0; round < 2; round++) {
        static soup s;
        s.vertex_count = s.triangle_count = 0;
        for (int i = 0; i < U * V; i++) {
            const double u = 2.0 * pi * (i / V) / U, v = 2.0 * pi * (i % V) / V, rho = 2.0 + 0.5 * cos(v);
            add_vertex(&s, rho * cos(u) + 1024.0 * round, rho * sin(u) - 4096.0 * round, 0.5 * sin(v));
        }
        for (uint32_t i = 0; i < U * V; i++) {
            const uint32_t u = i / V, v = i % V, next = (u + 1) % U, up = (v + 1) % V;
            add_triangle(&s, i, next * V + v, next * V + up);
            add_triangle(&s, i, next * V + up, u * V + up);
        }
        const apart_mesh_report r = report_of(&s);
        ck_assert(r.watertight == 1 && r.oriented == 1 && r.components == 1 && r.vertices == U * V);
        ck_assert_double_eq_tol(r.volume, 2.0 * pi * pi * 2.0 * 0.25, 0.05 * r.volume);
        ck_assert_double_lt(r.volume, 2.0 * pi * pi * 2.0 * 0.25);
        ck_assert_double_eq_tol(r.area, 4.0 * pi * pi * 2.0 * 0.5, 0.02 * r.area);
    }
}
END_TEST

static void *refuse(size_t size, void *user)
{
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

START_TEST(without_memory)
{
    static soup s;
    add_box(&s, (apart_vec3){0.0, 0.0, 0.0}, 1.0, false);
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])s.triangles;
    for (int allowed = 0; allowed <= 5; allowed++) {
        int left = allowed;
        const apart_allocator allocator = {refuse, release, &left};
        apart_mesh_report report;
        const apart_status status = ap_mesh_report_make(s.vertices, 8, triangles, 12, &allocator, &report);
        ck_assert_int_eq(status, allowed < 5 ? APART_ERR_MEMORY : APART_OK);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mesh_report");
    TCase *tcase = tcase_create("mesh_report");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, one_box);
    tcase_add_test(tcase, inside_out);
    tcase_add_test(tcase, a_missing_triangle);
    tcase_add_test(tcase, a_turned_triangle);
    tcase_add_test(tcase, a_crowded_edge);
    tcase_add_test(tcase, nested_boxes);
    tcase_add_test(tcase, many_cavities);
    tcase_add_test(tcase, without_volume);
    tcase_add_test(tcase, a_sliver_of_a_solid);
    tcase_add_test(tcase, without_area);
    tcase_add_test(tcase, nearly_without_area);
    tcase_add_test(tcase, sizes);
    tcase_add_test(tcase, random_triangles);
    tcase_add_test(tcase, a_torus);
    tcase_add_test(tcase, without_memory);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
