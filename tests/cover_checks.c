#include "cover_checks.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

typedef long double wide;

apart_status cover_build(const triangle_list *m, const apart_cover_options *options, apart_cover **out)
{
    const apart_vertices vertices = {.data = m->vertices, .count = m->vertex_count};
    return apart_cover_build(&vertices, &m->triangles[0][0], m->triangle_count, options, out);
}

apart_cover *cover_of(const triangle_list *m, uint32_t hulls, int solid)
{
    apart_cover *cover = NULL;
    const apart_cover_options options = {.hulls = hulls, .solid = (uint8_t)solid};
    ck_assert_int_eq(cover_build(m, &options, &cover), APART_OK);
    ck_assert_uint_ge(apart_cover_count(cover), 1);
    ck_assert_uint_le(apart_cover_count(cover), hulls > 0 ? hulls : 4096);
    return cover;
}

apart_cover_proof cover_proof_of(const triangle_list *m, const apart_cover_claim *claim)
{
    const apart_vertices vertices = {.data = m->vertices, .count = m->vertex_count};
    apart_cover_proof proof;
    ck_assert_int_eq(apart_cover_check(&vertices, &m->triangles[0][0], m->triangle_count, claim, NULL, &proof),
                     APART_OK);
    return proof;
}

/* ---- the independent check ---- */

static wide wide_dot(apart_vec3 n, apart_vec3 p) { return (wide)n.x * p.x + (wide)n.y * p.y + (wide)n.z * p.z; }

/* How far the point lies above the hull's highest plane; below zero inside. */
long double height_above(const apart_hull *hull, apart_vec3 p)
{
    wide highest = -INFINITY;
    const uint32_t *face;
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        apart_hull_face(hull, f, &face);
        const apart_vec3 n = apart_hull_face_normal(hull, f);
        const wide height = wide_dot(n, p) - wide_dot(n, apart_hull_vertex(hull, face[0]));
        highest = height > highest ? height : highest;
    }
    return highest;
}

bool some_hull_holds(const apart_cover *cover, apart_vec3 p, double slack)
{
    for (uint32_t h = 0; h < apart_cover_count(cover); h++) {
        if (height_above(apart_cover_hull(cover, h), p) <= slack) {
            return true;
        }
    }
    return false;
}

static apart_vec3 corner(const triangle_list *m, uint32_t t, int k) { return m->vertices[m->triangles[t][k]]; }

static apart_vec3 random_point_of(const triangle_list *m, uint32_t t, random_source *r)
{
    double v = random_unit(r), w = random_unit(r);
    if (v + w > 1) {
        v = 1 - v;
        w = 1 - w;
    }
    const apart_vec3 a = corner(m, t, 0);
    return apart_vec3_add_scaled(apart_vec3_add_scaled(a, v, apart_vec3_sub(corner(m, t, 1), a)), w,
                                 apart_vec3_sub(corner(m, t, 2), a));
}

static double largest_coordinate(const triangle_list *m)
{
    double largest = 0;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        const apart_vec3 p = m->vertices[i];
        largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    return largest;
}

/* Corners and points of triangles lie in the hulls, to the rounding of the points and of the hulls' normals. */
void cover_check_triangles(const triangle_list *m, const apart_cover *cover, uint32_t step)
{
    random_source r = 7;
    const double slack = 1e-14 * largest_coordinate(m);
    for (uint32_t t = 0; t < m->triangle_count; t += step) {
        ck_assert(some_hull_holds(cover, corner(m, t, (int)(t % 3)), slack));
        ck_assert(some_hull_holds(cover, random_point_of(m, t, &r), slack));
    }
}

/* Is the point inside the closed mesh? The parity of crossings along a skew ray. */
static bool is_inside(const triangle_list *m, apart_vec3 p)
{
    const apart_vec3 way = {0.5377, 0.8339, -0.2588};
    bool inside = false;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        const apart_vec3 a = apart_vec3_sub(corner(m, t, 0), p), b = apart_vec3_sub(corner(m, t, 1), p),
                         c = apart_vec3_sub(corner(m, t, 2), p);
        const wide u = wide_dot(way, apart_vec3_cross(b, c)), v = wide_dot(way, apart_vec3_cross(c, a)),
                   w = wide_dot(way, apart_vec3_cross(a, b));
        const bool through = (u > 0) == (v > 0) && (v > 0) == (w > 0);
        inside ^= through && (wide_dot(a, apart_vec3_cross(b, c)) > 0) == (u > 0);
    }
    return inside;
}

static double triangle_distance(apart_vec3 p, apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    const apart_shape point = apart_point(p), triangle = apart_triangle(a, b, c);
    const apart_pose pose = apart_pose_identity();
    apart_result result;
    ck_assert_int_eq(apart_distance(&point, &pose, &triangle, &pose, NULL, NULL, &result), APART_OK);
    return result.distance;
}

static double mesh_distance(const triangle_list *m, apart_vec3 p)
{
    double least = INFINITY;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        least = fmin(least, triangle_distance(p, corner(m, t, 0), corner(m, t, 1), corner(m, t, 2)));
    }
    return least;
}

/* A random point of the hull: vertices blended with random weights. */
static apart_vec3 random_point_in(const apart_hull *hull, random_source *r)
{
    apart_vec3 p = apart_hull_vertex(hull, (uint32_t)(random_bits(r) % apart_hull_vertex_count(hull)));
    for (int i = 0; i < 3; i++) {
        const apart_vec3 q = apart_hull_vertex(hull, (uint32_t)(random_bits(r) % apart_hull_vertex_count(hull)));
        p = apart_vec3_lerp(p, q, random_unit(r));
    }
    return p;
}

/* No point of a hull is farther from the mesh than the excess says. Returns the largest distance that was found. */
double cover_check_excess(const triangle_list *m, const apart_cover *cover, bool solid, int points)
{
    random_source r = 11;
    double farthest = 0;
    for (int i = 0; i < points; i++) {
        const apart_hull *hull = apart_cover_hull(cover, (uint32_t)i % apart_cover_count(cover));
        const apart_vec3 p = random_point_in(hull, &r);
        farthest = fmax(farthest, solid && is_inside(m, p) ? 0 : mesh_distance(m, p));
    }
    ck_assert_double_le(farthest, apart_cover_excess(cover));
    return farthest;
}

/* Points inside the mesh lie in the hulls. */
void cover_check_inside(const triangle_list *m, const apart_cover *cover, int points)
{
    random_source r = 13;
    const double size = largest_coordinate(m);
    for (int i = 0; i < points; i++) {
        const apart_vec3 p = {size * random_signed(&r), size * random_signed(&r), size * random_signed(&r)};
        ck_assert(!is_inside(m, p) || some_hull_holds(cover, p, 1e-14 * size));
    }
}

/* A hull whose vertices are moved towards its middle by a share of the way. */
apart_hull *hull_shrunk(const apart_hull *hull, double share)
{
    const uint32_t count = apart_hull_vertex_count(hull);
    apart_vec3 *points = malloc(count * sizeof *points), middle = {0, 0, 0};
    apart_hull *out = NULL;
    for (uint32_t i = 0; i < count; i++) {
        middle = apart_vec3_add_scaled(middle, 1.0 / count, apart_hull_vertex(hull, i));
    }
    for (uint32_t i = 0; i < count; i++) {
        points[i] = apart_vec3_lerp(apart_hull_vertex(hull, i), middle, share);
    }
    ck_assert_int_eq(apart_hull_build(&points[0].x, count, NULL, &out), APART_OK);
    free(points);
    return out;
}
