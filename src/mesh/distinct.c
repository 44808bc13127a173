/* The caller's vertices and triangles, checked, with equal positions merged: a hash table by the coordinates' bits. */
#include "build.h"

/* Larger coordinates could make differences and lengths overflow. */
static const double largest_coordinate = 0x1p1000;

static const uint32_t unused = UINT32_MAX;

static apart_vec3 given_vertex(const apart_vertices *vertices, size_t i)
{
    const bool is_float = vertices->number == APART_FLOAT;
    const size_t packed = 3 * (is_float ? sizeof(float) : sizeof(double));
    const char *at = (const char *)vertices->data + i * (vertices->stride != 0 ? vertices->stride : packed);
    float f[3];
    apart_vec3 p;
    if (is_float) {
        memcpy(f, at, sizeof f);
        return (apart_vec3){f[0], f[1], f[2]};
    }
    memcpy(&p, at, sizeof p);
    return p;
}

static uint64_t mixed(uint64_t h)
{
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Adding zero makes both zeros one. */
static uint64_t hash(apart_vec3 p)
{
    const double c[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
    uint64_t bits[3];
    memcpy(bits, c, sizeof bits);
    return mixed(mixed(mixed(bits[0]) + bits[1]) + bits[2]);
}

static bool are_equal(apart_vec3 p, apart_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

static apart_status check_vertex(apart_vec3 p)
{
    if (!ap_finite(p)) {
        return APART_ERR_NONFINITE;
    }
    return ap_max_abs(p) <= largest_coordinate ? APART_OK : APART_ERR_OVERFLOW;
}

/* number[i] becomes 0 for a vertex that a triangle uses. */
static apart_status mark_used(const uint32_t *triangles, uint32_t triangle_count, uint32_t *number, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        number[i] = unused;
    }
    for (size_t i = 0; i < 3 * (size_t)triangle_count; i++) {
        if (triangles[i] >= count) {
            return APART_ERR_ID;
        }
        number[triangles[i]] = 0;
    }
    return APART_OK;
}

/* Gives each distinct position its number; table has `mask` + 1 entries, all unused. */
static apart_status number_positions(const apart_vertices *vertices, uint32_t *number, uint32_t *table, size_t mask,
                                     ap_mesh_points *points)
{
    for (size_t i = 0; i < vertices->count; i++) {
        const apart_vec3 p = given_vertex(vertices, i);
        const apart_status status = check_vertex(p);
        if (status != APART_OK) {
            return status;
        }
        if (number[i] == unused) {
            continue;
        }
        size_t at = (size_t)hash(p) & mask;
        while (table[at] != unused && !are_equal(points->vertices[table[at]], p)) {
            at = (at + 1) & mask;
        }
        if (table[at] == unused) {
            points->vertices[points->vertex_count] = p;
            table[at] = points->vertex_count++;
        }
        number[i] = table[at];
    }
    return APART_OK;
}

apart_status ap_mesh_points_make(const apart_vertices *vertices, const uint32_t *triangles, uint32_t triangle_count,
                                 const apart_allocator *allocator, ap_mesh_points *points)
{
    const size_t count = vertices->count;
    if (count > unused) {
        return APART_ERR_SIZE;
    }
    size_t room = 16;
    while (room < 2 * count) {
        room *= 2;
    }
    uint32_t *number = ap_allocate(allocator, count, sizeof *number), *table = NULL;
    apart_status status = number == NULL ? APART_ERR_MEMORY : mark_used(triangles, triangle_count, number, count);
    if (status == APART_OK) {
        table = ap_allocate(allocator, room, sizeof *table);
        points->vertices = ap_allocate(allocator, count, sizeof *points->vertices);
        points->triangles = ap_allocate(allocator, triangle_count, sizeof *points->triangles);
        status = table == NULL || points->vertices == NULL || points->triangles == NULL ? APART_ERR_MEMORY : APART_OK;
    }
    if (status == APART_OK) {
        memset(table, 0xff, room * sizeof *table);
        points->vertex_count = 0;
        points->triangle_count = triangle_count;
        status = number_positions(vertices, number, table, room - 1, points);
    }
    for (uint32_t i = 0; status == APART_OK && i < triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            points->triangles[i][k] = number[triangles[3 * (size_t)i + (size_t)k]];
        }
    }
    ap_release(allocator, table);
    ap_release(allocator, number);
    return status;
}
