/* Of which triangles is the surface of a hull made? The faces of a hull are flat only up to rounding; these triangles
 * are those of the exact hull of its vertices, or of most of them. */
#include "cover.h"

#include "../quickhull/quickhull.h"

static int compare_keys(const void *pa, const void *pb)
{
    const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return a < b ? -1 : a > b;
}

/* Does every edge of a triangle have its partner? */
static apart_status check_closed(ap_cover_surface *s, const apart_allocator *allocator)
{
    const size_t count = 3 * (size_t)s->count;
    uint64_t *ways = ap_allocate(allocator, 2 * count, sizeof *ways);
    if (ways == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = s->triangle[i / 3][i % 3], to = s->triangle[i / 3][(i + 1) % 3];
        ways[i] = from << 32 | to;
        ways[count + i] = to << 32 | from;
    }
    qsort(ways, count, sizeof *ways, compare_keys);
    qsort(ways + count, count, sizeof *ways, compare_keys);
    s->closed = memcmp(ways, ways + count, count * sizeof *ways) == 0;
    ap_release(allocator, ways);
    return APART_OK;
}

/* A multiple of AP_GRID, as the builder wants it. Only small coordinates have bits below it. */
static double round_to_grid(double x)
{
    const double shift = 1.5 * AP_GRID * 0x1p53;
    return fabs(x) < AP_GRID * 0x1p52 ? (x + shift) - shift : x;
}

static void fill_cloud(const apart_hull *hull, ap_cloud *cloud)
{
    double largest = 0.0;
    for (uint32_t v = 0; v < cloud->count; v++) {
        largest = ap_max(largest, ap_max_abs(apart_hull_vertex(hull, v)));
    }
    cloud->scale = ap_power_of_two_scale(largest);
    for (uint32_t v = 0; v < cloud->count; v++) {
        const apart_vec3 p = ap_scale(cloud->scale, apart_hull_vertex(hull, v));
        cloud->point[v] = ap_vec(round_to_grid(p.x), round_to_grid(p.y), round_to_grid(p.z));
        cloud->input[v] = v;
    }
    cloud->size = 1.0;
}

static apart_status copy_facets(const ap_mesh *mesh, const apart_allocator *allocator, ap_cover_surface *s)
{
    s->triangle = ap_allocate(allocator, mesh->facet_count, sizeof *s->triangle);
    if (s->triangle == NULL) {
        return APART_ERR_MEMORY;
    }
    for (uint32_t f = 0; f < mesh->facet_count; f++) {
        if (mesh->facet[f].stamp != AP_NONE) {
            memcpy(s->triangle[s->count++], mesh->facet[f].vertex, sizeof *s->triangle);
        }
    }
    return check_closed(s, allocator);
}

/* Builds the surface of the vertices in the cloud. */
static apart_status build_surface(const ap_cloud *cloud, double tolerance, ap_cover_surface *s)
{
    ap_mesh mesh = {.cloud = NULL};
    uint8_t *use = ap_allocate(cloud->allocator, cloud->count, 1);
    if (use == NULL) {
        return APART_ERR_MEMORY;
    }
    memset(use, AP_POINT_USE, cloud->count);
    apart_status status = ap_mesh_build(&mesh, cloud, use, tolerance * cloud->scale);
    if (status == APART_OK) {
        s->near = mesh.near / cloud->scale;
        status = copy_facets(&mesh, cloud->allocator, s);
    }
    ap_mesh_free(&mesh);
    ap_release(cloud->allocator, use);
    return status == APART_ERR_HULL_BUILDER ? APART_OK : status;
}

apart_status ap_cover_surface_open(const apart_hull *hull, double tolerance, const apart_allocator *allocator,
                                   ap_cover_surface *s)
{
    ap_cloud cloud = {.allocator = allocator, .count = apart_hull_vertex_count(hull)};
    *s = (ap_cover_surface){.triangle = NULL};
    cloud.point = ap_allocate(allocator, cloud.count, sizeof *cloud.point);
    cloud.input = ap_allocate(allocator, cloud.count, sizeof *cloud.input);
    apart_status status = APART_ERR_MEMORY;
    if (cloud.point != NULL && cloud.input != NULL) {
        fill_cloud(hull, &cloud);
        status = build_surface(&cloud, tolerance, s);
    }
    ap_release(allocator, cloud.point);
    ap_release(allocator, cloud.input);
    return status;
}
