/* The surface of a hull of dimension 0, 1 or 2: a point, a segment, or a polygon by the monotone chain (A. M. Andrew,
 * 1979).
 *
 * We differ in two points. Orientations are exact; they are taken in the coordinate plane in which the polygon's
 * projection is largest. A second pass removes corners that lie within rounding of the chord between their neighbours.
 * The distance of the points left out is measured in space. */
#include "sort.h"
#include "surface.h"

#include <string.h>

/* Corners nearer than this to a chord (in eps * size) are removed. */
static const double chord_tolerance = 2.0;

typedef struct planar {
    double u, v;
    uint32_t point;
} planar;

bool ap_surface_allocate(ap_surface *surface, const ap_cloud *cloud, uint32_t vertices, uint32_t polygons,
                         uint32_t corners)
{
    const apart_allocator *a = cloud->allocator;
    *surface = (ap_surface){.cloud = cloud};
    surface->vertex = ap_allocate(a, vertices, sizeof(uint32_t));
    ap_polygons *const both[2] = {&surface->faces, &surface->climb};
    bool ready = surface->vertex != NULL;
    for (int i = 0; i < 2; i++) {
        both[i]->start = ap_allocate(a, polygons + 1u, sizeof(uint32_t));
        both[i]->vertex = ap_allocate(a, corners, sizeof(uint32_t));
        ready = ready && both[i]->start != NULL && both[i]->vertex != NULL;
    }
    return ready;
}

void ap_surface_free(ap_surface *surface)
{
    if (surface->cloud == NULL) {
        return;
    }
    void *const parts[] = {surface->vertex, surface->faces.start, surface->faces.vertex, surface->climb.start,
                           surface->climb.vertex};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        ap_release(surface->cloud->allocator, parts[i]);
    }
    *surface = (ap_surface){0};
}

/* ---- dimension 0 and 1 ---- */

static apart_status build_point(const ap_cloud *cloud, ap_surface *s)
{
    if (!ap_surface_allocate(s, cloud, 1, 0, 0)) {
        return APART_ERR_MEMORY;
    }
    s->vertex_count = 1;
    s->vertex[0] = 0;
    s->faces.start[0] = s->climb.start[0] = 0;
    return APART_OK;
}

static apart_status build_segment(const ap_cloud *cloud, const uint32_t basis[4], ap_surface *s)
{
    if (!ap_surface_allocate(s, cloud, 2, 0, 0)) {
        return APART_ERR_MEMORY;
    }
    const apart_vec3 *p = cloud->point;
    const ap_dd3 along = ap_dd3_difference(p[basis[1]], p[basis[0]]);
    uint32_t low = basis[0], high = basis[1];
    ap_dd lowest = {0.0, 0.0}, highest = ap_dd3_dot(along, along);
    for (uint32_t i = 0; i < cloud->count; i++) {
        const ap_dd t = ap_dd3_dot(ap_dd3_difference(p[i], p[basis[0]]), along);
        if (ap_dd_less(t, lowest)) {
            lowest = t;
            low = i;
        }
        if (ap_dd_less(highest, t)) {
            highest = t;
            high = i;
        }
    }
    s->dimension = 1;
    s->vertex_count = 2;
    s->vertex[0] = low < high ? low : high;
    s->vertex[1] = low < high ? high : low;
    s->faces.start[0] = s->climb.start[0] = 0;
    for (uint32_t i = 0; i < cloud->count; i++) {
        s->dropped = ap_max(s->dropped, ap_point_segment(p[i], p[low], p[high]));
    }
    return APART_OK;
}

/* ---- dimension 2 ---- */

/* Sorts by u, then by v, then by point. flat is in the order of points; sorted has room for n. */
static void sort_planar(const planar *flat, uint32_t n, ap_keyed *item, planar *sorted)
{
    for (uint32_t i = 0; i < n; i++) {
        item[i] = (ap_keyed){ap_key_of_double(flat[i].v), i};
    }
    ap_sort_keyed(item, item + n, n);
    for (uint32_t i = 0; i < n; i++) {
        item[i].key = ap_key_of_double(flat[item[i].value].u);
    }
    ap_sort_keyed(item, item + n, n);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = flat[item[i].value];
    }
}

/* Projects the points along the coordinate axis in which the plane's normal is longest. */
static void project_points(const ap_cloud *cloud, const uint32_t basis[4], planar *flat)
{
    const apart_vec3 *p = cloud->point;
    const apart_vec3 n = ap_triangle_normal(p[basis[0]], p[basis[1]], p[basis[2]]);
    const double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
    for (uint32_t i = 0; i < cloud->count; i++) {
        if (ax >= ay && ax >= az) {
            flat[i] = (planar){p[i].y, p[i].z, i};
        } else if (ay >= az) {
            flat[i] = (planar){p[i].z, p[i].x, i};
        } else {
            flat[i] = (planar){p[i].x, p[i].y, i};
        }
    }
}

/* +1 if the path from a over b to c turns left, -1 if it turns right, 0 if it is straight. */
static int turn_sign(const planar *a, const planar *b, const planar *c)
{
    return ap_orient2d(a->u, a->v, b->u, b->v, c->u, c->v);
}

/* The chain's strict corners in counter-clockwise order; flat is sorted, chain has room for n + 1. */
static uint32_t convex_chain(const planar *flat, uint32_t n, planar *chain)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
        while (m >= 2 && turn_sign(&chain[m - 2], &chain[m - 1], &flat[i]) <= 0) {
            m--;
        }
        if (m == 0 || chain[m - 1].u != flat[i].u || chain[m - 1].v != flat[i].v) {
            chain[m++] = flat[i];
        }
    }
    const uint32_t lower = m + 1;
    for (uint32_t i = n - 1; i-- > 0;) {
        while (m >= lower && turn_sign(&chain[m - 2], &chain[m - 1], &flat[i]) <= 0) {
            m--;
        }
        if (chain[m - 1].u != flat[i].u || chain[m - 1].v != flat[i].v) {
            chain[m++] = flat[i];
        }
    }
    return m - 1; /* the last is the first again */
}

/* Are the corners strictly between i and j (cyclic) within the tolerance of the chord from i to j? */
static bool chord_holds(const ap_cloud *cloud, const planar *chain, uint32_t m, uint32_t i, uint32_t j,
                        double tolerance)
{
    const apart_vec3 a = cloud->point[chain[i % m].point], b = cloud->point[chain[j % m].point];
    for (uint32_t k = i + 1; k < j; k++) {
        if (ap_point_segment(cloud->point[chain[k % m].point], a, b) > tolerance) {
            return false;
        }
    }
    return true;
}

/* Skips corners that are within rounding of a chord, beginning at the corner farthest from corner 0. Returns how many
 * are left. */
static uint32_t skip_flat_corners(const ap_cloud *cloud, const planar *chain, uint32_t m, planar *kept)
{
    const double tolerance = chord_tolerance * AP_EPS * cloud->size;
    uint32_t first = 0, n = 0;
    double far = 0.0;
    for (uint32_t i = 1; i < m; i++) {
        const double d = ap_norm(ap_sub(cloud->point[chain[i].point], cloud->point[chain[0].point]));
        if (d > far) {
            far = d;
            first = i;
        }
    }
    for (uint32_t i = first; i < first + m;) {
        kept[n++] = chain[i % m];
        uint32_t j = i + 1;
        while (j < first + m && chord_holds(cloud, chain, m, i, j + 1, tolerance)) {
            j++;
        }
        i = j;
    }
    if (n < 3) {
        memcpy(kept, chain, m * sizeof *kept);
        n = m;
    }
    return n;
}

/* The distance of a point from the polygon: that from the triangle of the fan around corner 0 that it lies in or next
 * to. */
static double fan_distance(const ap_cloud *cloud, const planar *polygon, uint32_t m, const planar *p)
{
    uint32_t low = 1, high = m - 1;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (turn_sign(&polygon[0], &polygon[middle], p) >= 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const apart_vec3 *q = cloud->point;
    return ap_point_triangle(q[p->point], q[polygon[0].point], q[polygon[low].point], q[polygon[high].point]);
}

/* Numbers the corners by their points, ascending. number: scratch, per point. */
static void number_corners(const ap_cloud *cloud, const planar *polygon, uint32_t m, uint32_t *number, ap_surface *s)
{
    memset(number, 0xff, cloud->count * sizeof *number);
    for (uint32_t i = 0; i < m; i++) {
        number[polygon[i].point] = 0;
    }
    for (uint32_t i = 0; i < cloud->count; i++) {
        if (number[i] != AP_NONE) {
            number[i] = s->vertex_count;
            s->vertex[s->vertex_count++] = i;
        }
    }
}

/* Makes the surface: both sides of the polygon are faces. */
static apart_status make_sides(const ap_cloud *cloud, const planar *polygon, uint32_t m, uint32_t *number,
                               ap_surface *s)
{
    if (!ap_surface_allocate(s, cloud, m, 2, 2 * m)) {
        return APART_ERR_MEMORY;
    }
    number_corners(cloud, polygon, m, number, s);
    s->dimension = 2;
    ap_polygons *const both[2] = {&s->faces, &s->climb};
    for (int b = 0; b < 2; b++) {
        both[b]->count = 2;
        for (uint32_t k = 0; k < 3; k++) {
            both[b]->start[k] = k * m;
        }
        for (uint32_t i = 0; i < m; i++) {
            both[b]->vertex[i] = number[polygon[i].point];
            both[b]->vertex[2 * m - 1 - i] = number[polygon[i].point];
        }
    }
    return APART_OK;
}

static apart_status build_polygon(const ap_cloud *cloud, const uint32_t basis[4], ap_surface *s)
{
    const apart_allocator *a = cloud->allocator;
    planar *flat = ap_allocate(a, cloud->count, sizeof *flat);
    planar *chain = ap_allocate(a, cloud->count + 2u, sizeof *chain);
    planar *kept = ap_allocate(a, cloud->count + 2u, sizeof *kept);
    uint32_t *number = ap_allocate(a, cloud->count, sizeof *number);
    ap_keyed *item = ap_allocate(a, 2 * (size_t)cloud->count, sizeof *item);
    apart_status status = APART_ERR_MEMORY;
    if (flat != NULL && chain != NULL && kept != NULL && number != NULL && item != NULL) {
        project_points(cloud, basis, chain);
        sort_planar(chain, cloud->count, item, flat);
        const uint32_t m = skip_flat_corners(cloud, chain, convex_chain(flat, cloud->count, chain), kept);
        status = make_sides(cloud, kept, m, number, s);
        for (uint32_t i = 0; status == APART_OK && i < cloud->count; i++) {
            s->dropped = ap_max(s->dropped, fan_distance(cloud, kept, m, &flat[i]));
        }
    }
    ap_release(a, flat);
    ap_release(a, chain);
    ap_release(a, kept);
    ap_release(a, number);
    ap_release(a, item);
    return status;
}

apart_status ap_low_dimension_surface(const ap_cloud *cloud, int dimension, const uint32_t basis[4], double limit,
                                      ap_surface *surface)
{
    apart_status status;
    if (dimension == 0) {
        status = build_point(cloud, surface);
    } else if (dimension == 1) {
        status = build_segment(cloud, basis, surface);
    } else {
        status = build_polygon(cloud, basis, surface);
    }
    return status == APART_OK && surface->dropped > limit ? APART_ERR_HULL_BUILDER : status;
}
