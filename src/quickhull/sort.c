/* Sorting by keys: by insertion if there are few, else by one byte after the other, from the lowest (radix sort; H. H.
 * Seward, 1954). Bytes that all keys share are skipped. */
#include "sort.h"

/* Up to so many items are sorted by insertion. */
static const size_t few = 24;

static void insert_each(ap_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const ap_keyed item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].key > item.key; at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

/* Copies the items, ordered by one byte of their keys. */
static void copy_by_byte(const ap_keyed *from, ap_keyed *to, size_t count, int shift)
{
    size_t place[256] = {0};
    for (size_t i = 0; i < count; i++) {
        place[from[i].key >> shift & 0xffu]++;
    }
    size_t start = 0;
    for (int b = 0; b < 256; b++) {
        const size_t next = start + place[b];
        place[b] = start;
        start = next;
    }
    for (size_t i = 0; i < count; i++) {
        to[place[from[i].key >> shift & 0xffu]++] = from[i];
    }
}

void ap_sort_keyed(ap_keyed *items, ap_keyed *scratch, size_t count)
{
    if (count <= few) {
        insert_each(items, count);
        return;
    }
    uint64_t differing = 0, descents = 0;
    for (size_t i = 1; i < count; i++) {
        differing |= items[i].key ^ items[0].key;
        descents += items[i].key < items[i - 1].key;
    }
    if (descents == 0) {
        return;
    }
    ap_keyed *from = items, *to = scratch;
    for (int shift = 0; shift < 64; shift += 8) {
        if ((differing >> shift & 0xffu) != 0) {
            copy_by_byte(from, to, count, shift);
            ap_keyed *const swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
}
