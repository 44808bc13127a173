/* Hulls of points whose faces are known.
 *
 * First the faces are checked to form a closed surface. Then the hull of the vertices they use is built with exact
 * predicates, and each face is checked to lie in its boundary. This proves convexity and orientation, and the hull has
 * coplanar neighbours merged and vertices that are not extreme removed. */
#include <string.h>

#include "build.h"
#include "search.h"
#include "../quickhull/sort.h"

/* A vertex above a face by more than this fraction of the size makes the body not convex. */
static const double convexity_tolerance = 1e-12;

typedef struct face_list {
    const double *xyz;
    const uint32_t *sizes, *indices;
    size_t points, faces, corners;
} face_list;

/* Checks that sizes and indices are in range, and counts the corners. */
static apart_status check_indices(face_list *list)
{
    list->corners = 0;
    for (size_t f = 0; f < list->faces; f++) {
        if (list->sizes[f] < 3 || list->sizes[f] > list->points) {
            return APART_ERR_TOPOLOGY;
        }
        list->corners += list->sizes[f];
        if (list->corners > UINT32_MAX) {
            return APART_ERR_SIZE;
        }
    }
    for (size_t i = 0; i < list->corners; i++) {
        if (list->indices[i] >= list->points) {
            return APART_ERR_TOPOLOGY;
        }
    }
    return APART_OK;
}

/* Lists the directed edges, from << 32 | to, or the other way round, sorted. */
static void list_edges(const face_list *list, bool backwards, ap_keyed *edge, ap_keyed *scratch)
{
    size_t at = 0;
    for (size_t f = 0; f < list->faces; f++) {
        const uint32_t *face = list->indices + at;
        for (uint32_t i = 0; i < list->sizes[f]; i++) {
            const uint64_t from = face[i], to = face[i + 1 < list->sizes[f] ? i + 1 : 0];
            edge[at++].key = backwards ? to << 32 | from : from << 32 | to;
        }
    }
    ap_sort_keyed(edge, scratch, list->corners);
}

/* Does each directed edge occur once, and its opposite too? */
static bool edges_are_paired(const ap_keyed *edge, const ap_keyed *opposite, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (edge[i].key != opposite[i].key || edge[i].key >> 32 == (edge[i].key & UINT32_MAX) ||
            (i > 0 && edge[i].key == edge[i - 1].key)) {
            return false;
        }
    }
    return true;
}

static apart_status check_closed(const face_list *list, const apart_allocator *allocator)
{
    const size_t n = list->corners;
    ap_keyed *edge = ap_allocate(allocator, 3 * n, sizeof *edge);
    if (edge == NULL) {
        return APART_ERR_MEMORY;
    }
    memset(edge, 0, 3 * n * sizeof *edge);
    list_edges(list, false, edge, edge + 2 * n);
    list_edges(list, true, edge + n, edge + 2 * n);
    const bool closed = list->faces > 0 && edges_are_paired(edge, edge + n, n);
    ap_release(allocator, edge);
    return closed ? APART_OK : APART_ERR_TOPOLOGY;
}

/* A corner relative to the hull's centre, scaled to a size of about 1. */
static apart_vec3 corner_in_frame(const face_list *list, const apart_hull *h, double scale, uint32_t index)
{
    const double *p = list->xyz + 3 * (size_t)index;
    return ap_scale(scale, ap_vec(p[0] - h->center[0], p[1] - h->center[1], p[2] - h->center[2]));
}

/* Is no vertex of the hull above the face? Also true for a face without area. */
static bool is_supporting_face(const face_list *list, const apart_hull *h, const uint32_t *face, uint32_t corners)
{
    const double scale = ap_power_of_two_scale(h->bound), size = scale * h->bound;
    const apart_vec3 a = corner_in_frame(list, h, scale, face[0]);
    apart_vec3 sum = {0.0, 0.0, 0.0};
    for (uint32_t i = 1; i + 1 < corners; i++) {
        const apart_vec3 b = corner_in_frame(list, h, scale, face[i]), c = corner_in_frame(list, h, scale, face[i + 1]);
        sum = ap_add(sum, ap_cross_accurate(ap_sub(b, a), ap_sub(c, a)));
    }
    double longest = 0.0, lowest = INFINITY;
    const apart_vec3 n = ap_normalised(sum);
    for (uint32_t i = 0; i < corners; i++) {
        const apart_vec3 p = corner_in_frame(list, h, scale, face[i]);
        longest = ap_max(longest, ap_norm(ap_sub(p, a)));
        lowest = ap_min(lowest, ap_dot(n, ap_sub(p, a)));
    }
    const double doubled_area = ap_norm(sum);
    if (doubled_area == 0.0) {
        return true;
    }
    /* Corners rounded to eps * size tilt the plane by eps * size divided by the face's width, which is its area divided
     * by its length. */
    const double tilt = 4.0 * AP_EPS * size * longest / doubled_area;
    const uint32_t top = ap_hull_support(h, APART_SUPPORT_AUTO, APART_NO_INDEX, n, NULL);
    return ap_dot(n, ap_sub(ap_scale(scale, ap_hull_local(h, top)), a)) - lowest <= (convexity_tolerance + tilt) * size;
}

static apart_status check_convex(const face_list *list, const apart_hull *h)
{
    size_t at = 0;
    for (size_t f = 0; f < list->faces; f++) {
        if (!is_supporting_face(list, h, list->indices + at, list->sizes[f])) {
            return APART_ERR_NOT_CONVEX;
        }
        at += list->sizes[f];
    }
    return APART_OK;
}

static apart_status build_from_corners(const face_list *list, const apart_allocator *allocator, apart_hull **out)
{
    uint8_t *use = ap_allocate(allocator, list->points, sizeof *use);
    if (use == NULL) {
        return APART_ERR_MEMORY;
    }
    memset(use, 0, list->points);
    for (size_t i = 0; i < list->corners; i++) {
        use[list->indices[i]] = 1;
    }
    const apart_status status = ap_hull_from_points(list->xyz, list->points, use, allocator, out);
    ap_release(allocator, use);
    return status;
}

apart_status apart_hull_from_faces(const double *xyz, size_t n, const uint32_t *face_sizes, size_t face_count,
                                   const uint32_t *face_indices, const apart_hull_options *options, apart_hull **out)
{
    static const apart_hull_options defaults = {0};
    if (xyz == NULL || face_sizes == NULL || face_indices == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_allocator *allocator = options != NULL ? &options->allocator : &defaults.allocator;
    face_list list = {.xyz = xyz, .sizes = face_sizes, .indices = face_indices, .points = n, .faces = face_count};
    apart_status status = n > 0 ? check_indices(&list) : APART_ERR_EMPTY;
    if (status == APART_OK) {
        status = check_closed(&list, allocator);
    }
    apart_hull *hull = NULL;
    if (status == APART_OK) {
        status = build_from_corners(&list, allocator, &hull);
    }
    if (status == APART_OK) {
        status = check_convex(&list, hull);
    }
    if (status != APART_OK) {
        apart_hull_free(hull);
        return status;
    }
    *out = hull;
    return APART_OK;
}
