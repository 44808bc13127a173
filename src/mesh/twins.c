/* Triangles that have the same three vertices as one before them. The tree holds only the first of each, since a query
 * could not tell them apart: a million triangles in one place would all be nearest. */
#include "build.h"

typedef struct corner_set {
    uint32_t vertex[3]; /* ascending */
} corner_set;

static corner_set set_of(const uint32_t corners[3])
{
    const uint32_t a = corners[0], b = corners[1], c = corners[2];
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return (corner_set){{low < c ? low : c, low < c ? (high < c ? high : c) : low, high < c ? c : high}};
}

bool ap_mesh_same_corners(const uint32_t a[3], const uint32_t b[3])
{
    const corner_set x = set_of(a), y = set_of(b);
    return x.vertex[0] == y.vertex[0] && x.vertex[1] == y.vertex[1] && x.vertex[2] == y.vertex[2];
}

static uint64_t hash(const corner_set *s)
{
    uint64_t h = s->vertex[0] + (uint64_t)s->vertex[1] * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u + s->vertex[2];
    h = (h ^ h >> 32) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

apart_status ap_mesh_twins(const ap_mesh_points *points, const apart_allocator *allocator, uint32_t *twin)
{
    static const uint32_t unused = UINT32_MAX;
    size_t size = 16;
    while (size < 2 * (size_t)points->triangle_count) {
        size *= 2;
    }
    uint32_t *table = ap_allocate(allocator, size, sizeof *table);
    if (table == NULL) {
        return APART_ERR_MEMORY;
    }
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t i = 0; i < points->triangle_count; i++) {
        const corner_set own = set_of(points->triangles[i]);
        size_t at = (size_t)hash(&own) & (size - 1);
        while (table[at] != unused && !ap_mesh_same_corners(points->triangles[table[at]], points->triangles[i])) {
            at = (at + 1) & (size - 1);
        }
        table[at] = table[at] == unused ? i : table[at];
        twin[i] = table[at];
    }
    ap_release(allocator, table);
    return APART_OK;
}
