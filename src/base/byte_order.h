/* The byte order of files, which is little-endian. */
#ifndef AP_BASE_BYTE_ORDER_H
#define AP_BASE_BYTE_ORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool ap_is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Turns `count` numbers of `word` bytes round. */
static inline void ap_turn_numbers(unsigned char *at, uint64_t count, uint32_t word)
{
    for (uint64_t i = 0; i < count; i++, at += word) {
        for (uint32_t low = 0, high = word - 1; low < high; low++, high--) {
            const unsigned char byte = at[low];
            at[low] = at[high];
            at[high] = byte;
        }
    }
}

#endif
