/* Sorting by 64-bit keys in memory that the caller brings; C's qsort may allocate. */
#ifndef AP_QUICKHULL_SORT_H
#define AP_QUICKHULL_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Something with a number, to be sorted by a key. */
typedef struct ap_keyed {
    uint64_t key;
    uint32_t value;
} ap_keyed;

/* Sorts ascending by key; equal keys keep their order. scratch has room for `count` items. */
void ap_sort_keyed(ap_keyed *items, ap_keyed *scratch, size_t count);

/* A key that orders doubles as < does; 0 and -0 have the same. */
static inline uint64_t ap_key_of_double(double x)
{
    const double no_minus_zero = x + 0.0;
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;
    memcpy(&bits, &no_minus_zero, sizeof bits);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

#endif
