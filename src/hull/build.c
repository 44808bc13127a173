/* The steps from any finite points to a hull: remove duplicates, bring coordinates to a size of 1, find the dimension,
 * build the surface, write the block (build.h says in which files). */
#include "../math/vertices.h"
#include "build.h"

#include <string.h>

/* Sets thinner than this (in eps * size) are flat, unless a point would be farther than that from the flat hull. */
static const double flat_tolerance = 4.0;

/* In eps * size: points nearer to the body than the first need not become vertices; vertices nearer to the hull of the
 * others than the second are removed. Their sum stays below the 4 eps * size that docs/numerics.md allows the
 * builder. */
static const double near_tolerance = 1.0, vertex_tolerance = 2.0;

/* Larger coordinates could make differences and lengths overflow. */
static const double largest_coordinate = 0x1p1020;

/* A centre farther than this many radii from the origin is subtracted. */
static const double far_radii = 4.0;

/* Numbers of points stay below AP_NONE. */
#define AP_HULL_MOST_POINTS 0x80000000u

typedef struct sortable {
    double x, y, z;
    uint32_t index;
} sortable;

static int by_coordinates(const void *pa, const void *pb)
{
    const sortable *a = pa, *b = pb;
    if (a->x != b->x) {
        return a->x < b->x ? -1 : 1;
    }
    if (a->y != b->y) {
        return a->y < b->y ? -1 : 1;
    }
    if (a->z != b->z) {
        return a->z < b->z ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static int by_index(const void *pa, const void *pb)
{
    const sortable *a = pa, *b = pb;
    return (a->index > b->index) - (a->index < b->index);
}

static apart_status check_input(const double *xyz, size_t n)
{
    if (n == 0) {
        return APART_ERR_EMPTY;
    }
    if (n > AP_HULL_MOST_POINTS) {
        return APART_ERR_SIZE;
    }
    apart_status status = APART_OK;
    for (size_t i = 0; i < 3 * n; i++) {
        if (!isfinite(xyz[i])) {
            return APART_ERR_NONFINITE;
        }
        if (fabs(xyz[i]) > largest_coordinate) {
            status = APART_ERR_OVERFLOW;
        }
    }
    return status;
}

/* Lists each point once, with its lowest index, in the caller's order. Returns how many there are. */
static uint32_t list_distinct(const double *xyz, size_t n, const uint8_t *use, sortable *list)
{
    uint32_t m = 0, kept = 0;
    for (uint32_t i = 0; i < (uint32_t)n; i++) {
        if (use == NULL || use[i] != 0) {
            list[m++] = (sortable){xyz[3 * (size_t)i], xyz[3 * (size_t)i + 1], xyz[3 * (size_t)i + 2], i};
        }
    }
    qsort(list, m, sizeof *list, by_coordinates);
    for (uint32_t i = 0; i < m; i++) {
        if (kept == 0 || list[kept - 1].x != list[i].x || list[kept - 1].y != list[i].y ||
            list[kept - 1].z != list[i].z) {
            list[kept++] = list[i];
        }
    }
    qsort(list, kept, sizeof *list, by_index);
    return kept;
}

/* A coordinate of the centre: 0 unless the set is far from 0 along this axis. In that case all x lie within a factor of
 * two of it, so that x - centre is exact (Sterbenz 1974): stored + centre is the caller's double, and the hull is that
 * of the given points. */
static double far_center(double low, double high, double radius)
{
    const double middle = 0.5 * low + 0.5 * high;
    return fabs(middle) > far_radii * radius ? middle : 0.0;
}

/* Rounds to a multiple of AP_GRID. Only small coordinates have bits below it. */
static double round_to_grid(double x)
{
    const double shift = 1.5 * AP_GRID * 0x1p53;
    return fabs(x) < AP_GRID * 0x1p52 ? (x + shift) - shift : x;
}

/* Sets the centre, the scale and the working coordinates. */
static void fill_cloud(const sortable *list, ap_cloud *cloud)
{
    apart_vec3 low = {list[0].x, list[0].y, list[0].z}, high = low;
    for (uint32_t i = 1; i < cloud->count; i++) {
        low = ap_vec(ap_min(low.x, list[i].x), ap_min(low.y, list[i].y), ap_min(low.z, list[i].z));
        high = ap_vec(ap_max(high.x, list[i].x), ap_max(high.y, list[i].y), ap_max(high.z, list[i].z));
    }
    const double radius =
        ap_norm(ap_vec(0.5 * high.x - 0.5 * low.x, 0.5 * high.y - 0.5 * low.y, 0.5 * high.z - 0.5 * low.z));
    cloud->center =
        ap_vec(far_center(low.x, high.x, radius), far_center(low.y, high.y, radius), far_center(low.z, high.z, radius));
    cloud->scale = ap_power_of_two_scale(radius);
    cloud->size = radius * cloud->scale;
    for (uint32_t i = 0; i < cloud->count; i++) {
        const apart_vec3 p = ap_scale(cloud->scale, ap_sub(ap_vec(list[i].x, list[i].y, list[i].z), cloud->center));
        cloud->point[i] = ap_vec(round_to_grid(p.x), round_to_grid(p.y), round_to_grid(p.z));
        cloud->moved = cloud->moved || p.x != cloud->point[i].x || p.y != cloud->point[i].y || p.z != cloud->point[i].z;
        cloud->input[i] = list[i].index;
    }
}

static apart_status make_cloud(const double *xyz, size_t n, const uint8_t *use, const apart_allocator *allocator,
                               ap_cloud *cloud)
{
    *cloud = (ap_cloud){.allocator = allocator};
    sortable *list = ap_allocate(allocator, n, sizeof *list);
    if (list == NULL) {
        return APART_ERR_MEMORY;
    }
    cloud->count = list_distinct(xyz, n, use, list);
    apart_status status = cloud->count > 0 ? APART_OK : APART_ERR_EMPTY;
    if (status == APART_OK) {
        cloud->point = ap_allocate(allocator, cloud->count, sizeof *cloud->point);
        cloud->input = ap_allocate(allocator, cloud->count, sizeof *cloud->input);
        status = cloud->point != NULL && cloud->input != NULL ? APART_OK : APART_ERR_MEMORY;
    }
    if (status == APART_OK) {
        fill_cloud(list, cloud);
    }
    ap_release(allocator, list);
    return status;
}

static apart_status solid_surface(const ap_cloud *cloud, uint8_t *use, ap_surface *surface)
{
    const double unit = AP_EPS * cloud->size;
    ap_mesh mesh;
    double removed = 0.0, near = 0.0;
    apart_status status = ap_mesh_build(&mesh, cloud, use, near_tolerance * unit);
    if (status == APART_OK) {
        near = mesh.near;
        status = ap_mesh_remove_flat_vertices(&mesh, use, vertex_tolerance * unit, &removed);
    }
    if (status == APART_OK) {
        status = ap_mesh_merge_faces(&mesh, surface);
    }
    /* Distance from a convex set is a convex function, so all of the first body is within `removed` of the final one,
     * and the points near it are within the sum. */
    surface->dropped = near + removed;
    ap_mesh_free(&mesh);
    return status;
}

/* The surface in the lowest dimension that has all points within the tolerance. */
static apart_status make_surface(const ap_cloud *cloud, uint8_t *use, ap_surface *surface)
{
    const double limit = flat_tolerance * AP_EPS * cloud->size;
    uint32_t basis[4];
    memset(use, AP_POINT_USE, cloud->count);
    int dimension = ap_affine_basis(cloud, use, limit, basis);
    for (; dimension < 3; dimension++) {
        const apart_status status = ap_low_dimension_surface(cloud, dimension, basis, limit, surface);
        if (status != APART_ERR_HULL_BUILDER) {
            return status;
        }
        ap_surface_free(surface);
    }
    const apart_status status = solid_surface(cloud, use, surface);
    if (status != APART_ERR_HULL_BUILDER) {
        return status;
    }
    /* All points lie exactly in one plane, so there is no solid; the polygon is taken whatever it leaves out. */
    ap_surface_free(surface);
    return ap_low_dimension_surface(cloud, 2, basis, INFINITY, surface);
}

apart_status ap_hull_from_points(const double *xyz, size_t n, const uint8_t *use, const apart_allocator *allocator,
                                 apart_hull **out)
{
    ap_cloud cloud = {.allocator = allocator};
    ap_surface surface = {0};
    apart_status status = check_input(xyz, n);
    if (status != APART_OK) {
        return status;
    }
    status = make_cloud(xyz, n, use, allocator, &cloud);
    uint8_t *scratch = status == APART_OK ? ap_allocate(allocator, cloud.count, sizeof *scratch) : NULL;
    if (status == APART_OK) {
        status = scratch != NULL ? make_surface(&cloud, scratch, &surface) : APART_ERR_MEMORY;
    }
    if (status == APART_OK) {
        surface.dropped += cloud.moved ? 4.0 * AP_GRID : 0.0;
        status = ap_hull_write_block(&surface, xyz, out);
    }
    ap_surface_free(&surface);
    ap_release(allocator, scratch);
    ap_release(allocator, cloud.point);
    ap_release(allocator, cloud.input);
    return status;
}

apart_status apart_hull_build(const double *xyz, size_t n, const apart_hull_options *options, apart_hull **out)
{
    static const apart_hull_options defaults = {0};
    if (out == NULL || (xyz == NULL && n > 0)) {
        return APART_ERR_NULL;
    }
    return ap_hull_from_points(xyz, n, NULL, options != NULL ? &options->allocator : &defaults.allocator, out);
}

apart_status apart_hull_build_vertices(const apart_vertices *vertices, const apart_hull_options *options,
                                       apart_hull **out)
{
    static const apart_hull_options defaults = {0};
    if (out == NULL || vertices == NULL || (vertices->data == NULL && vertices->count > 0)) {
        return APART_ERR_NULL;
    }
    if (vertices->number > APART_FLOAT) {
        return APART_ERR_OPTION;
    }
    if (vertices->count > AP_HULL_MOST_POINTS) {
        return APART_ERR_SIZE;
    }
    const apart_allocator *allocator = options != NULL ? &options->allocator : &defaults.allocator;
    double *xyz = ap_allocate(allocator, vertices->count, 3 * sizeof *xyz);
    if (xyz == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < vertices->count; i++) {
        const apart_vec3 v = ap_vertices_read(vertices, i);
        memcpy(xyz + 3 * i, &v, sizeof v);
    }
    const apart_status status = ap_hull_from_points(xyz, vertices->count, NULL, allocator, out);
    ap_release(allocator, xyz);
    return status;
}
