/* The steps from any finite points to a hull: remove duplicates, bring coordinates to a size of 1, find the dimension,
 * build the surface, write the block (build.h says in which files). */
#include "../math/vertices.h"
#include "build.h"
#include "../quickhull/sort.h"

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

static bool is_same_point(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

static uint64_t hash_point(const double *p)
{
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        hash = (hash ^ ap_key_of_double(p[k])) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Lists each point in use once, with its lowest index, in the caller's order; returns how many there are. slot: scratch,
 * a hash table of mask + 1 places. */
static uint32_t list_distinct(const double *xyz, size_t n, const uint8_t *use, uint32_t *slot, size_t mask,
                              uint32_t *list)
{
    uint32_t kept = 0;
    memset(slot, 0xff, (mask + 1) * sizeof *slot);
    for (size_t i = 0; i < n; i++) {
        if (use != NULL && use[i] == 0) {
            continue;
        }
        size_t at = (size_t)hash_point(xyz + 3 * i) & mask;
        while (slot[at] != AP_NONE && !is_same_point(xyz + 3 * (size_t)slot[at], xyz + 3 * i)) {
            at = (at + 1) & mask;
        }
        if (slot[at] == AP_NONE) {
            slot[at] = list[kept++] = (uint32_t)i;
        }
    }
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

static apart_vec3 given_point(const double *xyz, const ap_cloud *cloud, uint32_t i)
{
    const double *p = xyz + 3 * (size_t)cloud->input[i];
    return ap_vec(p[0], p[1], p[2]);
}

/* Sets the centre, the scale and the working coordinates. */
static void fill_cloud(const double *xyz, ap_cloud *cloud)
{
    apart_vec3 low = given_point(xyz, cloud, 0), high = low;
    for (uint32_t i = 1; i < cloud->count; i++) {
        const apart_vec3 p = given_point(xyz, cloud, i);
        low = ap_vec(ap_min(low.x, p.x), ap_min(low.y, p.y), ap_min(low.z, p.z));
        high = ap_vec(ap_max(high.x, p.x), ap_max(high.y, p.y), ap_max(high.z, p.z));
    }
    const double radius =
        ap_norm(ap_vec(0.5 * high.x - 0.5 * low.x, 0.5 * high.y - 0.5 * low.y, 0.5 * high.z - 0.5 * low.z));
    cloud->center =
        ap_vec(far_center(low.x, high.x, radius), far_center(low.y, high.y, radius), far_center(low.z, high.z, radius));
    cloud->scale = ap_power_of_two_scale(radius);
    cloud->size = radius * cloud->scale;
    for (uint32_t i = 0; i < cloud->count; i++) {
        const apart_vec3 p = ap_scale(cloud->scale, ap_sub(given_point(xyz, cloud, i), cloud->center));
        cloud->point[i] = ap_vec(round_to_grid(p.x), round_to_grid(p.y), round_to_grid(p.z));
        cloud->moved = cloud->moved || p.x != cloud->point[i].x || p.y != cloud->point[i].y || p.z != cloud->point[i].z;
    }
}

static apart_status make_cloud(const double *xyz, size_t n, const uint8_t *use, const apart_allocator *allocator,
                               ap_cloud *cloud)
{
    size_t places = 16;
    while (places < 2 * n) {
        places *= 2;
    }
    *cloud = (ap_cloud){.allocator = allocator};
    uint32_t *slot = ap_allocate(allocator, places, sizeof *slot);
    cloud->input = ap_allocate(allocator, n, sizeof *cloud->input);
    apart_status status = slot != NULL && cloud->input != NULL ? APART_OK : APART_ERR_MEMORY;
    if (status == APART_OK) {
        cloud->count = list_distinct(xyz, n, use, slot, places - 1, cloud->input);
        status = cloud->count > 0 ? APART_OK : APART_ERR_EMPTY;
    }
    ap_release(allocator, slot);
    if (status == APART_OK) {
        cloud->point = ap_allocate(allocator, cloud->count, sizeof *cloud->point);
        status = cloud->point != NULL ? APART_OK : APART_ERR_MEMORY;
    }
    if (status == APART_OK) {
        fill_cloud(xyz, cloud);
    }
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
