/* The mesh of a cover: copied, checked, and looked at for open edges. */
#include "cover.h"

static const double largest_magnitude = 0x1p300;

static const uint32_t most_triangles = 1u << 28;

static apart_vec3 read_point(const apart_vertices *vertices, size_t i)
{
    const size_t number = vertices->number == APART_FLOAT ? sizeof(float) : sizeof(double);
    const size_t stride = vertices->stride != 0 ? vertices->stride : 3 * number;
    const char *from = (const char *)vertices->data + i * stride;
    double p[3];
    for (int k = 0; k < 3; k++) {
        if (vertices->number == APART_FLOAT) {
            float single;
            memcpy(&single, from + (size_t)k * number, number);
            p[k] = (double)single;
        } else {
            memcpy(&p[k], from + (size_t)k * number, number);
        }
    }
    return ap_vec(p[0], p[1], p[2]);
}

static apart_status check_arguments(const apart_vertices *vertices, const uint32_t *triangles, size_t triangle_count)
{
    if (vertices == NULL || (triangles == NULL && triangle_count > 0) ||
        (vertices->data == NULL && vertices->count > 0)) {
        return APART_ERR_NULL;
    }
    if (vertices->number > APART_FLOAT) {
        return APART_ERR_OPTION;
    }
    if (triangle_count == 0) {
        return APART_ERR_EMPTY;
    }
    return triangle_count >= most_triangles || vertices->count >= UINT32_MAX / 2 ? APART_ERR_SIZE : APART_OK;
}

static apart_status copy_triangles(const uint32_t *triangles, size_t vertex_count, ap_cover_mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            mesh->triangle[t][k] = triangles[3 * (size_t)t + (size_t)k];
            if (mesh->triangle[t][k] >= vertex_count) {
                return APART_ERR_ID;
            }
        }
    }
    return APART_OK;
}

static void widen(ap_cover_mesh *mesh, apart_vec3 p)
{
    apart_aabb *box = &mesh->box;
    box->min = ap_vec(ap_min(box->min.x, p.x), ap_min(box->min.y, p.y), ap_min(box->min.z, p.z));
    box->max = ap_vec(ap_max(box->max.x, p.x), ap_max(box->max.y, p.y), ap_max(box->max.z, p.z));
    mesh->magnitude = ap_max(mesh->magnitude, ap_max_abs(p));
}

static apart_status copy_points(const apart_vertices *vertices, ap_cover_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        mesh->point[i] = read_point(vertices, i);
        if (!ap_finite(mesh->point[i])) {
            return APART_ERR_NONFINITE;
        }
    }
    mesh->box.min = mesh->box.max = mesh->point[mesh->triangle[0][0]];
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            widen(mesh, mesh->point[mesh->triangle[t][k]]);
        }
    }
    const bool tiny = mesh->magnitude > 0 && mesh->magnitude < 1 / largest_magnitude;
    return tiny || mesh->magnitude > largest_magnitude ? APART_ERR_OVERFLOW : APART_OK;
}

apart_status ap_cover_mesh_open(const apart_vertices *vertices, const uint32_t *triangles, size_t triangle_count,
                                const apart_allocator *allocator, ap_cover_mesh *mesh)
{
    *mesh = (ap_cover_mesh){.allocator = allocator};
    apart_status status = check_arguments(vertices, triangles, triangle_count);
    if (status != APART_OK) {
        return status;
    }
    mesh->triangle_count = (uint32_t)triangle_count;
    mesh->point_count = (uint32_t)vertices->count;
    mesh->triangle = ap_allocate(allocator, triangle_count, sizeof *mesh->triangle);
    mesh->point = ap_allocate(allocator, vertices->count, sizeof *mesh->point);
    status = mesh->triangle == NULL || mesh->point == NULL ? APART_ERR_MEMORY : APART_OK;
    if (status == APART_OK) {
        status = copy_triangles(triangles, vertices->count, mesh);
    }
    if (status == APART_OK) {
        status = copy_points(vertices, mesh);
    }
    if (status != APART_OK) {
        ap_cover_mesh_close(mesh);
    }
    return status;
}

void ap_cover_mesh_close(ap_cover_mesh *mesh)
{
    ap_release(mesh->allocator, mesh->triangle);
    ap_release(mesh->allocator, mesh->point);
    mesh->triangle = NULL;
    mesh->point = NULL;
}

/* ---- edges ---- */

/* An edge of a triangle between two places: the lesser one first. */
typedef struct edge {
    apart_vec3 low, high;
    int turn; /* 1: the triangle runs from low to high; -1: the other way */
} edge;

int ap_cover_compare_points(apart_vec3 a, apart_vec3 b)
{
    if (a.x != b.x) {
        return a.x < b.x ? -1 : 1;
    }
    if (a.y != b.y) {
        return a.y < b.y ? -1 : 1;
    }
    return a.z < b.z ? -1 : a.z > b.z;
}

static int compare_edges(const void *pa, const void *pb)
{
    const edge *a = pa, *b = pb;
    const int low = ap_cover_compare_points(a->low, b->low);
    return low != 0 ? low : ap_cover_compare_points(a->high, b->high);
}

/* The edges of all triangles; those between equal places bound nothing. */
static size_t list_edges(const ap_cover_mesh *mesh, edge *edges)
{
    size_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            const apart_vec3 from = mesh->point[mesh->triangle[t][k]], to = mesh->point[mesh->triangle[t][(k + 1) % 3]];
            const int order = ap_cover_compare_points(from, to);
            if (order != 0) {
                edges[count++] = order < 0 ? (edge){from, to, 1} : (edge){to, from, -1};
            }
        }
    }
    return count;
}

apart_status ap_cover_mesh_closed(const ap_cover_mesh *mesh, int *closed)
{
    edge *edges = ap_allocate(mesh->allocator, 3 * (size_t)mesh->triangle_count, sizeof *edges);
    if (edges == NULL) {
        return APART_ERR_MEMORY;
    }
    const size_t count = list_edges(mesh, edges);
    qsort(edges, count, sizeof *edges, compare_edges);
    *closed = AP_COVER_BALANCED;
    for (size_t i = 0, next; i < count; i = next) {
        int sum = 0;
        for (next = i; next < count && compare_edges(&edges[i], &edges[next]) == 0; next++) {
            sum += edges[next].turn;
        }
        if ((next - i) % 2 != 0) {
            *closed = AP_COVER_OPEN;
            break;
        }
        *closed = sum == 0 ? *closed : AP_COVER_EVEN;
    }
    ap_release(mesh->allocator, edges);
    return APART_OK;
}
