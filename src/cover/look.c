/* What would the hull of some points be like? A quick look, for choices: volume, and distance from the mesh, of a hull
 * that leaves out what hardly matters. */
#include "cover.h"

#include "../quickhull/quickhull.h"

/* Points within this share of the mesh's size of the hull of the others may be left out. */
static const double left_out = 1e-4;

/* What an area counts, beside a volume, where the mesh has a size of 1: flat hulls have no other. */
static const double area_weight = 0x1p-10;

static double facet_space(const ap_cloud *cloud, const ap_facet *facet)
{
    const apart_vec3 a = ap_sub(cloud->point[facet->vertex[0]], cloud->point[0]);
    const apart_vec3 b = ap_sub(cloud->point[facet->vertex[1]], cloud->point[0]);
    const apart_vec3 c = ap_sub(cloud->point[facet->vertex[2]], cloud->point[0]);
    return ap_dot(a, ap_cross(b, c)) / 6.0 + area_weight * ap_norm(ap_cross(ap_sub(b, a), ap_sub(c, a))) / 2.0;
}

static apart_vec3 listed_point(const ap_cover_work *work, uint32_t i)
{
    const double *p = work->xyz + 3 * (size_t)i;
    return ap_vec(p[0], p[1], p[2]);
}

/* The distance of a point from what is covered. */
static double distance_of(const ap_cover_work *work, apart_vec3 p)
{
    uint32_t triangle;
    return work->solid && ap_cover_side(&work->tree, p) > 0 ? 0.0 : ap_cover_nearest(&work->tree, p, &triangle);
}

/* The middles of a facet and of its edges; the corners are points of the mesh, so that a short edge's middle is near. */
static double facet_distance(const ap_cover_work *work, const ap_facet *facet, double known)
{
    apart_vec3 corner[3], middle = {0, 0, 0};
    double reach = 0.0;
    for (int k = 0; k < 3; k++) {
        corner[k] = listed_point(work, facet->vertex[k]);
        middle = ap_add(middle, ap_scale(1.0 / 3.0, corner[k]));
    }
    for (int k = 0; k < 3; k++) {
        const apart_vec3 a = corner[k], b = corner[(k + 1) % 3];
        const double half = 0.5 * ap_norm(ap_sub(b, a));
        reach = ap_max(reach, half);
        if (half > known && facet->vertex[k] < facet->vertex[(k + 1) % 3]) {
            known = ap_max(known, distance_of(work, ap_add(a, ap_scale(0.5, ap_sub(b, a)))));
        }
    }
    return reach > known ? ap_max(known, distance_of(work, middle)) : known;
}

/* Multiples of AP_GRID, as the builder wants them. */
static double round_to_grid(double x)
{
    const double shift = 1.5 * AP_GRID * 0x1p53;
    return fabs(x) < AP_GRID * 0x1p52 ? (x + shift) - shift : x;
}

static void fill_cloud(const ap_cover_work *work, ap_cloud *cloud, uint8_t *use)
{
    cloud->scale = ap_power_of_two_scale(ap_norm(ap_sub(work->mesh.box.max, work->mesh.box.min)));
    for (uint32_t i = 0; i < cloud->count; i++) {
        const apart_vec3 p = ap_scale(cloud->scale, ap_sub(listed_point(work, i), work->mesh.box.min));
        cloud->point[i] = ap_vec(round_to_grid(p.x), round_to_grid(p.y), round_to_grid(p.z));
        cloud->input[i] = i;
        use[i] = AP_POINT_USE;
    }
}

apart_status ap_cover_look(ap_cover_work *work, double *space, double *distance)
{
    const apart_allocator *allocator = work->allocator;
    ap_cloud cloud = {.allocator = allocator, .count = (uint32_t)work->xyz_count, .size = 1.0};
    ap_mesh surface = {.cloud = NULL};
    cloud.point = ap_allocate(allocator, cloud.count, sizeof *cloud.point);
    cloud.input = ap_allocate(allocator, cloud.count, sizeof *cloud.input);
    uint8_t *use = ap_allocate(allocator, cloud.count, 1);
    apart_status status = APART_ERR_MEMORY;
    if (cloud.point != NULL && cloud.input != NULL && use != NULL) {
        fill_cloud(work, &cloud, use);
        status = ap_mesh_build(&surface, &cloud, use, left_out);
        for (uint32_t f = 0; f < surface.facet_count && status == APART_OK; f++) {
            if (surface.facet[f].stamp != AP_NONE) {
                *space += facet_space(&cloud, &surface.facet[f]);
                if (distance != NULL) {
                    *distance = facet_distance(work, &surface.facet[f], *distance);
                }
            }
        }
        ap_mesh_free(&surface);
    }
    ap_release(allocator, cloud.point);
    ap_release(allocator, cloud.input);
    ap_release(allocator, use);
    return status == APART_ERR_HULL_BUILDER ? APART_OK : status;
}
