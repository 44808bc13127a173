/* Reads a hull (its vertices, edges, faces and sizes), allocates its memory and frees it. */
#include <string.h>

#include "build.h"

/* Precedes a block made by a builder: where its memory came from. */
typedef struct owner_record {
    apart_allocator allocator;
    void *memory;
} owner_record;

enum { block_alignment = 64 };

apart_hull *ap_hull_allocate(const apart_allocator *allocator, size_t size)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    char *memory = ap_allocate(allocator, size + sizeof(owner_record) + block_alignment, 1);
    if (memory == NULL) {
        return NULL;
    }
    const size_t past = ((uintptr_t)memory + sizeof(owner_record)) % block_alignment;
    char *block = memory + sizeof(owner_record) + (past > 0 ? block_alignment - past : 0);
    const owner_record record = {*allocator, memory};
    memcpy(block - sizeof record, &record, sizeof record);
    memset(block, 0, size);
    return (apart_hull *)(void *)block;
}

void apart_hull_free(apart_hull *hull)
{
    if (hull == NULL || hull->owner == 0) {
        return;
    }
    owner_record record;
    memcpy(&record, (const char *)hull - sizeof record, sizeof record);
    hull->magic = 0; /* so that a later use by mistake is refused */
    ap_release(&record.allocator, record.memory);
}

size_t apart_hull_size(const apart_hull *hull) { return (size_t)hull->size; }

int apart_hull_dimension(const apart_hull *hull) { return (int)hull->dimension; }

uint32_t apart_hull_vertex_count(const apart_hull *hull) { return hull->vertex_count; }

uint32_t apart_hull_edge_count(const apart_hull *hull) { return hull->edge_count; }

uint32_t apart_hull_face_count(const apart_hull *hull) { return hull->face_count; }

/* The caller's coordinate: stored + centre is exact (build.c), and where the centre is 0 the sign of a zero is kept
 * too. */
static double input_coordinate(double stored, double center) { return center != 0.0 ? stored + center : stored; }

apart_vec3 apart_hull_vertex(const apart_hull *hull, uint32_t vertex)
{
    const apart_vec3 v = ap_hull_local(hull, vertex);
    return ap_vec(input_coordinate(v.x, hull->center[0]), input_coordinate(v.y, hull->center[1]),
                  input_coordinate(v.z, hull->center[2]));
}

uint32_t apart_hull_input_index(const apart_hull *hull, uint32_t vertex) { return ap_hull_records(hull)[vertex].input; }

void apart_hull_edge(const apart_hull *hull, uint32_t edge, uint32_t ends[2])
{
    const uint32_t *e = (const uint32_t *)ap_at(hull, hull->edges) + 2 * (size_t)edge;
    ends[0] = e[0];
    ends[1] = e[1];
}

uint32_t apart_hull_face(const apart_hull *hull, uint32_t face, const uint32_t **vertices)
{
    const uint32_t *start = (const uint32_t *)ap_at(hull, hull->face_start);
    *vertices = (const uint32_t *)ap_at(hull, hull->face_vertices) + start[face];
    return start[face + 1] - start[face];
}

apart_vec3 apart_hull_face_normal(const apart_hull *hull, uint32_t face)
{
    const ap_face_planes *p = ap_hull_planes(hull) + face / AP_LANES;
    const uint32_t lane = face % AP_LANES;
    return ap_vec(p->x[lane], p->y[lane], p->z[lane]);
}

uint32_t apart_hull_neighbours(const apart_hull *hull, uint32_t vertex, const uint32_t **neighbours)
{
    const uint32_t *start = (const uint32_t *)ap_at(hull, hull->ring_start);
    *neighbours = (const uint32_t *)ap_at(hull, hull->ring) + start[vertex];
    return start[vertex + 1] - start[vertex];
}

double apart_hull_volume(const apart_hull *hull) { return hull->volume; }

double apart_hull_area(const apart_hull *hull) { return hull->area; }
