/* Blocks are files in little-endian order. A machine that begins a number with its highest byte turns all numbers round
 * before it writes a block, and after it has read one. */
#include "../base/byte_order.h"
#include "build.h"

static void turn_header(apart_mesh *m)
{
    /* Runs of fields of the same size, as struct apart_mesh has them; the report's bytes and their padding stay. */
    static const struct {
        uint32_t count, word;
    } runs[] = {{2, 4}, {2, 8}, {6, 4}, {8, 8}, {6, 8}, {7, 4}, {4, 1}, {2, 8}};
    _Static_assert(sizeof(apart_mesh) == 15 * 4 + 18 * 8 + 4, "the runs are those of struct apart_mesh");
    unsigned char *at = (unsigned char *)m;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        ap_turn_numbers(at, runs[i].count, runs[i].word);
        at += (size_t)runs[i].count * runs[i].word;
    }
}

bool ap_mesh_turn_bytes(void *memory, size_t size)
{
    apart_mesh *m = memory, native = *m;
    if (native.magic != AP_MESH_MAGIC) {
        turn_header(&native);
    }
    if (!ap_mesh_check_layout(&native, size)) {
        return false;
    }
    const struct {
        uint64_t offset, numbers;
        uint32_t word;
    } parts[] = {{native.nodes, native.node_count * (sizeof(ap_mesh_node) / 4), 4},
                 {native.leaves, native.leaf_count * (sizeof(ap_mesh_leaf) / 4), 4},
                 {native.vertices, UINT64_C(3) * native.vertex_count, 8},
                 {native.triangles, UINT64_C(3) * native.triangle_count, 4},
                 {native.order, native.triangle_count, 4},
                 {native.islands, native.island_count, 4},
                 {native.twins, native.triangle_count - native.tree_count, 4}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        ap_turn_numbers((unsigned char *)memory + parts[i].offset, parts[i].numbers, parts[i].word);
    }
    turn_header(m);
    return true;
}

apart_status apart_mesh_convert(void *memory, size_t size)
{
    if (memory == NULL) {
        return APART_ERR_NULL;
    }
    if ((uintptr_t)memory % 8 != 0 || size < sizeof(apart_mesh)) {
        return APART_ERR_BLOCK;
    }
    if (ap_is_little_endian()) {
        return ap_mesh_check_layout(memory, size) ? APART_OK : APART_ERR_BLOCK;
    }
    return ap_mesh_turn_bytes(memory, size) ? APART_OK : APART_ERR_BLOCK;
}
