/* A shape between two polytopes. The outer one by duality: with a point inside as the origin, the half-spaces
 * u . x <= h become the points u / h, and the faces of their hull, n . y = d, are its vertices n / d. */
#include "polytope.h"

#include <stdlib.h>

#include "../base/memory.h"
#include "../math/vec.h"
#include "../shape/support.h"

/* More vertices than this are not listed. */
#define MOST_VERTICES ((size_t)1 << 20)

enum { DEFAULT_GRID = 24, MOST_GRID = 256 };

/* The outer polytope is enlarged by this: far more than the rounding of support values, reciprocals and planes. */
#define ENLARGED (1.0 + 1e-9)

/* ---- vertices ---- */

size_t ap_listed_count(const apart_shape *shape)
{
    const size_t count = shape->radius > 0.0 ? 0 : ap_vertex_count(shape);
    return count <= MOST_VERTICES ? count : 0;
}

apart_vec3 ap_listed_vertex(const apart_shape *shape, size_t i)
{
    return ap_add(ap_vertex(shape, 1.0, (uint32_t)i), shape->center);
}

/* ---- directions ---- */

size_t ap_direction_count(int dim, uint32_t grid)
{
    return dim == 2 ? (size_t)4 * grid * grid : (size_t)6 * grid * grid;
}

/* In the plane counter-clockwise, in space on a grid whose lines are evenly spaced on the cube. */
apart_vec3 ap_direction_at(int dim, uint32_t grid, size_t i)
{
    const size_t side = (size_t)grid * grid, face = i / side, rest = i % side;
    if (dim == 2) {
        const double p = (2.0 * (double)rest + 1.0) / (double)side - 1.0;
        return face == 0   ? ap_vec(1, p, 0)
               : face == 1 ? ap_vec(-p, 1, 0)
               : face == 2 ? ap_vec(-1, -p, 0)
                           : ap_vec(p, -1, 0);
    }
    const double s = face % 2 == 0 ? 1.0 : -1.0, p = (2.0 * (double)(rest / grid) + 1.0) / grid - 1.0,
                 q = (2.0 * (double)(rest % grid) + 1.0) / grid - 1.0;
    return face / 2 == 0 ? ap_vec(s, p, q) : face / 2 == 1 ? ap_vec(p, s, q) : ap_vec(p, q, s);
}

/* ---- hulls ---- */

static apart_status build_and_free(apart_vec3 *points, size_t count, const apart_allocator *allocator,
                                   apart_status status, apart_hull **out)
{
    const apart_hull_options options = {.allocator = *allocator};
    status = status == APART_OK ? apart_hull_build(&points[0].x, count, &options, out) : status;
    ap_release(allocator, points);
    return status;
}

apart_status ap_inner_hull(const apart_shape *shape, uint32_t grid, const apart_allocator *allocator, apart_hull **out)
{
    const size_t listed = ap_listed_count(shape), count = listed > 0 ? listed : ap_direction_count(shape->dim, grid);
    apart_vec3 *points = ap_allocate(allocator, count, sizeof *points);
    apart_status status = APART_OK;
    if (points == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < count && status == APART_OK; i++) {
        if (listed > 0) {
            points[i] = ap_listed_vertex(shape, i);
        } else {
            status = apart_support(shape, ap_direction_at(shape->dim, grid, i), &points[i]);
        }
    }
    return build_and_free(points, count, allocator, status, out);
}

static apart_status build_dual(const apart_shape *shape, uint32_t grid, apart_vec3 inner,
                               const apart_allocator *allocator, apart_hull **out)
{
    const size_t count = ap_direction_count(3, grid);
    apart_vec3 *points = ap_allocate(allocator, count, sizeof *points);
    apart_status status = APART_OK;
    if (points == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < count && status == APART_OK; i++) {
        const apart_vec3 u = ap_direction_at(3, grid, i);
        apart_vec3 p;
        status = apart_support(shape, u, &p);
        const double height = status == APART_OK ? ap_dot(u, ap_sub(p, inner)) + ap_norm(u) * shape->error : 1.0;
        status = status == APART_OK && !(height > 0.0) ? APART_ERR_CALLBACK : status; /* it has an inside */
        points[i] = ap_scale(1.0 / height, u);
    }
    return build_and_free(points, count, allocator, status, out);
}

apart_status ap_outer_hull(const apart_shape *shape, uint32_t grid, apart_vec3 inner, const apart_allocator *allocator,
                           apart_hull **out)
{
    apart_hull *dual = NULL;
    apart_status status = build_dual(shape, grid, inner, allocator, &dual);
    if (status != APART_OK) {
        return status;
    }
    const uint32_t faces = apart_hull_face_count(dual);
    apart_vec3 *points = ap_allocate(allocator, faces, sizeof *points);
    if (points == NULL) {
        apart_hull_free(dual);
        return APART_ERR_MEMORY;
    }
    for (uint32_t f = 0; f < faces; f++) {
        const uint32_t *corners;
        apart_hull_face(dual, f, &corners);
        const apart_vec3 n = apart_hull_face_normal(dual, f);
        points[f] = ap_add(inner, ap_scale(ENLARGED / ap_dot(n, apart_hull_vertex(dual, corners[0])), n));
    }
    apart_hull_free(dual);
    return build_and_free(points, faces, allocator, APART_OK, out);
}

/* ---- in the plane ---- */

static int compare_points(const void *x, const void *y)
{
    const apart_vec3 *p = x, *q = y;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return p->y != q->y ? (p->y < q->y ? -1 : 1) : 0;
}

double ap_turn_of_corner(apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Andrew's monotone chain; `chain` has room for count + 1 points. */
static size_t order_polygon(apart_vec3 *points, size_t count, apart_vec3 *chain)
{
    size_t used = 0;
    qsort(points, count, sizeof *points, compare_points);
    for (int side = 0; side < 2; side++) {
        const size_t base = used;
        for (size_t n = 0; n < count; n++) {
            const apart_vec3 p = points[side == 0 ? n : count - 1 - n];
            while (used >= base + 2 && ap_turn_of_corner(chain[used - 2], chain[used - 1], p) <= 0.0) {
                used--;
            }
            chain[used++] = p;
        }
        used -= used > base + 1 || side == 1; /* the last point begins the other side */
    }
    return used;
}

apart_status ap_polygon(const apart_shape *shape, uint32_t grid, const apart_allocator *allocator, apart_vec3 **out,
                        size_t *count)
{
    const size_t listed = ap_listed_count(shape), most = listed > 0 ? listed : ap_direction_count(2, grid);
    apart_vec3 *points = ap_allocate(allocator, 3 * most + 4, sizeof *points);
    apart_status status = points != NULL ? APART_OK : APART_ERR_MEMORY;
    for (size_t i = 0; i < most && status == APART_OK; i++) {
        if (listed > 0) {
            points[i] = ap_listed_vertex(shape, i);
        } else {
            status = apart_support(shape, ap_direction_at(2, grid, i), &points[i]);
        }
    }
    if (status != APART_OK) {
        ap_release(allocator, points);
        return status;
    }
    *count = order_polygon(points, most, points + most);
    memmove(points, points + most, *count * sizeof *points);
    *out = points;
    return APART_OK;
}

/* ---- options ---- */

apart_status ap_take_measure(const apart_measure_options *options, ap_measure *with)
{
    *with = (ap_measure){.grid = DEFAULT_GRID | 1u};
    if (options != NULL) {
        with->allocator = options->allocator;
        with->grid = options->grid > 0 ? options->grid : DEFAULT_GRID;
    }
    if (with->grid < 2 || with->grid > MOST_GRID) {
        return APART_ERR_OPTION;
    }
    with->grid |= 1u; /* so that the axes are among the directions: many bodies have faces across them */
    return APART_OK;
}
