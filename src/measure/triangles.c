/* The surface of a convex shape as triangles: the faces of a hull as fans. */
#include "../base/memory.h"
#include "polytope.h"

/* Of the faces of a hull, as fans. */
static void fan_faces(const apart_hull *hull, apart_triangles *t)
{
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        const uint32_t *corner;
        const uint32_t corners = apart_hull_face(hull, f, &corner);
        for (uint32_t k = 2; k < corners; k++) {
            uint32_t *out = t->triangles + 3 * t->triangle_count++;
            out[0] = corner[0];
            out[1] = corner[k - 1];
            out[2] = corner[k];
        }
    }
}

static size_t count_fans(const apart_hull *hull)
{
    size_t count = 0;
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        const uint32_t *corner;
        const uint32_t corners = apart_hull_face(hull, f, &corner);
        count += corners > 2 ? corners - 2 : 0;
    }
    return count;
}

static apart_status triangulate_space(const apart_shape *shape, const ap_measure *with, apart_triangles *t)
{
    apart_hull *hull = NULL;
    apart_status status = ap_inner_hull(shape, with->grid, &with->allocator, &hull);
    if (status != APART_OK) {
        return status;
    }
    const uint32_t vertices = apart_hull_vertex_count(hull);
    t->vertices = ap_allocate(&with->allocator, vertices, sizeof *t->vertices);
    t->triangles = ap_allocate(&with->allocator, 3 * count_fans(hull), sizeof *t->triangles);
    if (t->vertices == NULL || t->triangles == NULL) {
        status = APART_ERR_MEMORY;
    } else {
        for (uint32_t i = 0; i < vertices; i++) {
            t->vertices[i] = apart_hull_vertex(hull, i);
        }
        t->vertex_count = vertices;
        fan_faces(hull, t);
    }
    apart_hull_free(hull);
    return status;
}

static apart_status triangulate_plane(const apart_shape *shape, const ap_measure *with, apart_triangles *t)
{
    const apart_status status = ap_polygon(shape, with->grid, &with->allocator, &t->vertices, &t->vertex_count);
    if (status != APART_OK) {
        return status;
    }
    t->triangles = ap_allocate(&with->allocator, 3 * t->vertex_count, sizeof *t->triangles);
    for (size_t k = 2; t->triangles != NULL && k < t->vertex_count; k++) {
        uint32_t *out = t->triangles + 3 * t->triangle_count++;
        out[0] = 0;
        out[1] = (uint32_t)(k - 1);
        out[2] = (uint32_t)k;
    }
    return t->triangles != NULL ? APART_OK : APART_ERR_MEMORY;
}

apart_status apart_shape_triangles(const apart_shape *shape, const apart_measure_options *options, apart_triangles *out)
{
    ap_measure with;
    if (shape == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = ap_take_measure(options, &with);
    status = status == APART_OK ? apart_shape_check(shape) : status;
    if (status != APART_OK || shape->kind == APART_SHAPE_HALF_SPACE) {
        return status != APART_OK ? status : APART_ERR_HALF_SPACE;
    }
    apart_triangles t = {.allocator = with.allocator};
    status = shape->dim == 2 ? triangulate_plane(shape, &with, &t) : triangulate_space(shape, &with, &t);
    if (status == APART_OK) {
        *out = t;
    } else {
        apart_triangles_free(&t);
    }
    return status;
}

void apart_triangles_free(apart_triangles *triangles)
{
    if (triangles != NULL) {
        const apart_allocator allocator = triangles->allocator;
        ap_release(&allocator, triangles->vertices);
        ap_release(&allocator, triangles->triangles);
        *triangles = (apart_triangles){.vertex_count = 0};
    }
}
