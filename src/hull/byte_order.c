/* Blocks are files in little-endian order. A machine that begins a number with its highest byte turns all numbers round
 * before it writes a block, and after it has read one. */
#include "../base/byte_order.h"
#include "build.h"

static void turn_header(apart_hull *h)
{
    /* Runs of fields of the same size, as struct apart_hull has them. */
    static const struct {
        uint32_t count, word;
    } runs[] = {{4, 4}, {5, 8}, {2, 4}, {2, 8}, {4, 4}, {8, 8}, {8, 8}, {1, 8}, {6, 8}};
    _Static_assert(sizeof(apart_hull) == 10 * 4 + 30 * 8, "the runs are those of struct apart_hull");
    unsigned char *at = (unsigned char *)h;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        ap_turn_numbers(at, runs[i].count, runs[i].word);
        at += (size_t)runs[i].count * runs[i].word;
    }
}

static void turn_record(unsigned char *at)
{
    ap_turn_numbers(at, 3, 8);
    ap_turn_numbers(at + offsetof(ap_hull_vertex, more), 2 + AP_RECORD_EDGES, 4);
    ap_turn_numbers(at + offsetof(ap_hull_vertex, dx), 3 * AP_RECORD_EDGES, 8);
}

bool ap_hull_turn_bytes(void *memory, size_t size)
{
    apart_hull *h = memory, native = *h;
    if (native.magic != AP_HULL_MAGIC) {
        turn_header(&native);
    }
    if (!ap_hull_check_layout(&native, size)) {
        return false;
    }
    ap_hull_part parts[AP_HULL_PARTS];
    ap_hull_list_parts(&native, parts);
    for (int i = 0; i < AP_HULL_PARTS; i++) {
        unsigned char *at = (unsigned char *)memory + parts[i].offset;
        if (parts[i].word != 0) {
            ap_turn_numbers(at, parts[i].count * (parts[i].bytes / parts[i].word), parts[i].word);
            continue;
        }
        for (uint64_t k = 0; k < parts[i].count; k++) {
            turn_record(at + k * parts[i].bytes);
        }
    }
    turn_header(h);
    return true;
}

apart_status apart_hull_convert(void *memory, size_t size)
{
    if (memory == NULL) {
        return APART_ERR_NULL;
    }
    if ((uintptr_t)memory % 8 != 0 || size < sizeof(apart_hull)) {
        return APART_ERR_BLOCK;
    }
    if (ap_is_little_endian()) {
        return ap_hull_check_layout(memory, size) ? APART_OK : APART_ERR_BLOCK;
    }
    return ap_hull_turn_bytes(memory, size) ? APART_OK : APART_ERR_BLOCK;
}
