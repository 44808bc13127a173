/* Reads a mesh, allocates its memory and frees it. */
#include <string.h>

#include "build.h"

/* Precedes a block made by the builder: where its memory came from. */
typedef struct owner_record {
    apart_allocator allocator;
    void *memory;
} owner_record;

enum { block_alignment = 64 };

apart_mesh *ap_mesh_allocate(const apart_allocator *allocator, size_t size)
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
    return (apart_mesh *)(void *)block;
}

void apart_mesh_free(apart_mesh *mesh)
{
    if (mesh == NULL || mesh->owner == 0) {
        return;
    }
    owner_record record;
    memcpy(&record, (const char *)mesh - sizeof record, sizeof record);
    mesh->magic = 0; /* so that a later use by mistake is refused */
    ap_release(&record.allocator, record.memory);
}

size_t apart_mesh_size(const apart_mesh *mesh) { return (size_t)mesh->size; }

const apart_mesh_report *apart_mesh_inspect(const apart_mesh *mesh) { return &mesh->report; }

apart_vec3 apart_mesh_vertex(const apart_mesh *mesh, uint32_t vertex) { return ap_mesh_vertex(mesh, vertex); }

void apart_mesh_triangle(const apart_mesh *mesh, uint32_t triangle, uint32_t corners[3])
{
    memcpy(corners, ap_mesh_corners(mesh, triangle), 3 * sizeof *corners);
}
