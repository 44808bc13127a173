/* Does a hull contain a point, for certain?
 *
 * The surface of the hull's vertices is made of triangles once more, as the faces of a hull are flat only up to rounding.
 * If the triangles form a closed surface, and a point lies properly below the planes of all of them, then all the solid
 * angles under which it sees them have the same sign. So the surface winds about the point, and the point lies in the
 * convex hull of the vertices, whoever made the triangles, and how well. If there is such a point, the same holds for
 * all that lie in some of the planes and below the others. */
#include "cover.h"

#include "../math/eft.h"
#include "../exact/predicates.h"

static const double u = 0x1p-53;

/* For products that underflow; volumes are above 2^-900 * u. */
static const double tiny = 0x1p-1000;

/* ---- planes ---- */

static apart_vec3 magnitudes(apart_vec3 a) { return ap_vec(fabs(a.x), fabs(a.y), fabs(a.z)); }

/* The errors of a difference, a product and a sum: components of the normal err by 4.1 u of the sum P of the absolute
 * products, and products with the difference to a point, and their sum, by 4.2 u |normal| more, at most 9 u P. */
static ap_cover_plane make_plane(apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    const apart_vec3 v = ap_sub(b, a), w = ap_sub(c, a), p = magnitudes(v), q = magnitudes(w);
    ap_cover_plane plane = {.a = a, .b = b, .c = c, .normal = ap_cross(v, w)};
    const apart_vec3 products = ap_vec(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x);
    plane.error = ap_scale(9.0 * u * (1.0 + 8.0 * u), products);
    plane.length = (ap_norm(plane.normal) + ap_norm(plane.error)) * (1.0 + 8.0 * u);
    return plane;
}

/* The same as the test below with twice the bits: the error of a sum of products of three numbers is below 2^-98 of the
 * sum of their absolute values. */
static bool holds_accurately(const ap_cover_plane *plane, apart_vec3 point, double margin)
{
    const ap_dd3 v = ap_dd3_difference(plane->b, plane->a), w = ap_dd3_difference(plane->c, plane->a);
    const ap_dd3 normal = ap_dd3_cross(v, w), below = ap_dd3_difference(plane->a, point);
    const double error = ap_dot(plane->error, magnitudes(ap_dd3_value(below))) * (0x1p-98 / u) + tiny;
    const double depth = ap_dd_value(ap_dd3_dot(normal, below)), length = ap_norm(ap_dd3_value(normal));
    return depth * (1.0 - 4.0 * u) - error >= margin * (length * (1.0 + 16.0 * u) + plane->length * 0x1p-45);
}

/* Does the ball of radius `margin` about the point lie below the plane? */
static bool plane_holds(const ap_cover_plane *plane, apart_vec3 point, double margin)
{
    const apart_vec3 below = ap_sub(plane->a, point);
    const double depth = ap_dot(plane->normal, below), error = ap_dot(plane->error, magnitudes(below)) + tiny;
    if (depth - error > margin * plane->length * (1.0 + 4.0 * u)) {
        return true;
    }
    if (depth + error < 0.0) {
        return false;
    }
    return margin > 0.0 ? holds_accurately(plane, point, margin)
                        : ap_exact_orient3d(plane->a, plane->b, plane->c, point) <= 0;
}

static bool is_properly_below(const ap_cover_planes *planes, apart_vec3 point)
{
    for (uint32_t i = 0; i < planes->count; i++) {
        const ap_cover_plane *plane = &planes->plane[i];
        if (ap_exact_orient3d(plane->a, plane->b, plane->c, point) >= 0) {
            return false;
        }
    }
    return true;
}

static apart_vec3 vertex_mean(const apart_hull *hull)
{
    const uint32_t count = apart_hull_vertex_count(hull);
    const apart_vec3 base = apart_hull_vertex(hull, 0);
    apart_vec3 sum = {0, 0, 0};
    for (uint32_t i = 1; i < count; i++) {
        sum = ap_add(sum, ap_scale(1.0 / count, ap_sub(apart_hull_vertex(hull, i), base)));
    }
    return ap_add(base, sum);
}

static void add_plane(const apart_hull *hull, ap_cover_planes *out, uint32_t a, uint32_t b, uint32_t c)
{
    out->plane[out->count++] =
        make_plane(apart_hull_vertex(hull, a), apart_hull_vertex(hull, b), apart_hull_vertex(hull, c));
}

static apart_status solid_planes(const apart_hull *hull, const ap_cover_surface *s, const apart_allocator *allocator,
                                 ap_cover_planes *out)
{
    out->plane = ap_allocate(allocator, s->count, sizeof *out->plane);
    if (out->plane == NULL) {
        return APART_ERR_MEMORY;
    }
    for (uint32_t t = 0; t < s->count; t++) {
        add_plane(hull, out, s->triangle[t][0], s->triangle[t][1], s->triangle[t][2]);
    }
    out->solid = s->closed && is_properly_below(out, vertex_mean(hull));
    return APART_OK;
}

/* A polygon's triangles; a point or a segment is a triangle without area. */
static apart_status flat_planes(const apart_hull *hull, const apart_allocator *allocator, ap_cover_planes *out)
{
    const uint32_t *vertex, last = apart_hull_vertex_count(hull) - 1;
    const uint32_t corners = apart_hull_dimension(hull) == 2 ? apart_hull_face(hull, 0, &vertex) : 0;
    out->plane = ap_allocate(allocator, (size_t)corners + 1, sizeof *out->plane);
    if (out->plane == NULL) {
        return APART_ERR_MEMORY;
    }
    for (uint32_t i = 2; i < corners; i++) {
        add_plane(hull, out, vertex[0], vertex[i - 1], vertex[i]);
    }
    if (corners == 0) {
        add_plane(hull, out, 0, last, last);
    }
    return APART_OK;
}

apart_status ap_cover_planes_open(const apart_hull *hull, const apart_allocator *allocator, ap_cover_planes *out)
{
    *out = (ap_cover_planes){.plane = NULL};
    if (apart_hull_dimension(hull) < 3) {
        return flat_planes(hull, allocator, out);
    }
    ap_cover_surface s;
    apart_status status = ap_cover_surface_open(hull, 0.0, allocator, &s);
    status = status == APART_OK ? solid_planes(hull, &s, allocator, out) : status;
    ap_release(allocator, s.triangle);
    return status;
}

void ap_cover_planes_close(ap_cover_planes *planes, const apart_allocator *allocator)
{
    ap_release(allocator, planes->plane);
    planes->plane = NULL;
}

/* A hull without volume holds what lies exactly in one of its triangles. */
static bool some_triangle_holds(const ap_cover_planes *planes, apart_vec3 point)
{
    for (uint32_t i = 0; i < planes->count; i++) {
        const apart_vec3 triangle[3] = {planes->plane[i].a, planes->plane[i].b, planes->plane[i].c};
        if (ap_point_in_triangle(point, triangle)) {
            return true;
        }
    }
    return false;
}

bool ap_cover_planes_hold(const ap_cover_planes *planes, apart_vec3 point, double margin)
{
    if (!planes->solid) {
        return margin == 0.0 && some_triangle_holds(planes, point);
    }
    for (uint32_t i = 0; i < planes->count; i++) {
        if (!plane_holds(&planes->plane[i], point, margin)) {
            return false;
        }
    }
    return true;
}
