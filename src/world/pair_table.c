/* A hash table of pairs by their slots: open addressing with linear probing, where a removal closes the gap it
 * leaves (Knuth, The Art of Computer Programming 3, section 6.4, algorithm R), so that no marks of removed entries
 * pile up. */
#include "pair_table.h"

#include <math.h>

/* Mixes all bits of the key into all bits (the finisher of SplitMix64: Steele, Lea, Flood 2014). */
static uint64_t hash_key(uint64_t key)
{
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
    key = (key ^ key >> 27) * 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

/* ---- the table ---- */

static uint64_t entry_key(const ap_pair_table *table, uint32_t entry)
{
    const ap_pair_bounds *pair = ap_pair_at(table, entry - 1);
    return (uint64_t)pair->a << 32 | pair->b;
}

/* The place of the key, or the empty place where it would go. */
static size_t find_entry_place(const ap_pair_table *table, uint64_t key)
{
    const uint32_t *entries = table->entries.items;
    const size_t mask = table->entries.count - 1;
    size_t place = (size_t)hash_key(key) & mask;
    while (entries[place] != 0 && entry_key(table, entries[place]) != key) {
        place = (place + 1) & mask;
    }
    return place;
}

static bool grow_table(ap_pair_table *table, const apart_allocator *allocator)
{
    ap_array larger = {.size = sizeof(uint32_t)};
    const size_t count = table->entries.count > 0 ? 2 * table->entries.count : 64;
    if (!ap_array_reserve(&larger, allocator, count)) {
        return false;
    }
    memset(larger.items, 0, count * larger.size);
    larger.count = count;
    ap_array_free(&table->entries, allocator);
    table->entries = larger;
    for (size_t i = 0; i < table->bounds.count; i++) {
        ((uint32_t *)larger.items)[find_entry_place(table, entry_key(table, (uint32_t)i + 1))] = (uint32_t)i + 1;
    }
    return true;
}

/* Empties a place and moves up the entries that linear probing had put behind it. */
static void close_table_gap(ap_pair_table *table, size_t gap)
{
    uint32_t *entries = table->entries.items;
    const size_t mask = table->entries.count - 1;
    for (size_t place = (gap + 1) & mask; entries[place] != 0; place = (place + 1) & mask) {
        const size_t home = (size_t)hash_key(entry_key(table, entries[place])) & mask;
        if (((place - home) & mask) >= ((place - gap) & mask)) {
            entries[gap] = entries[place];
            gap = place;
        }
    }
    entries[gap] = 0;
}

void ap_pair_table_init(ap_pair_table *table)
{
    table->bounds = (ap_array){.size = sizeof(ap_pair_bounds)};
    table->answers = (ap_array){.size = sizeof(ap_pair_answer)};
    table->entries = (ap_array){.size = sizeof(uint32_t)};
}

void ap_pair_table_free(ap_pair_table *table, const apart_allocator *allocator)
{
    ap_array_free(&table->bounds, allocator);
    ap_array_free(&table->answers, allocator);
    ap_array_free(&table->entries, allocator);
}

uint32_t ap_pair_table_find(const ap_pair_table *table, uint32_t a, uint32_t b)
{
    if (table->entries.count == 0) {
        return AP_NO_PAIR;
    }
    const uint32_t entry = ((const uint32_t *)table->entries.items)[find_entry_place(table, ap_pair_key(a, b))];
    return entry != 0 ? entry - 1 : AP_NO_PAIR;
}

bool ap_pair_table_add(ap_pair_table *table, const apart_allocator *allocator, uint32_t a, uint32_t b, double lower)
{
    const size_t count = table->bounds.count;
    if (!ap_array_reserve(&table->bounds, allocator, count + 1) ||
        !ap_array_reserve(&table->answers, allocator, count + 1) ||
        (2 * (count + 1) > table->entries.count && !grow_table(table, allocator))) {
        return false;
    }
    const uint64_t key = ap_pair_key(a, b);
    *ap_pair_at(table, count) =
        (ap_pair_bounds){.a = (uint32_t)(key >> 32), .b = (uint32_t)key, .lower = lower, .upper = INFINITY};
    *ap_pair_answer_at(table, count) = (ap_pair_answer){.known = AP_ANSWER_NONE};
    ((uint32_t *)table->entries.items)[find_entry_place(table, key)] = (uint32_t)count + 1;
    table->bounds.count = table->answers.count = count + 1;
    return true;
}

void ap_pair_table_remove(ap_pair_table *table, size_t i)
{
    const size_t last = table->bounds.count - 1;
    close_table_gap(table, find_entry_place(table, entry_key(table, (uint32_t)i + 1)));
    if (i != last) {
        const size_t place = find_entry_place(table, entry_key(table, (uint32_t)last + 1));
        ((uint32_t *)table->entries.items)[place] = (uint32_t)i + 1;
        *ap_pair_at(table, i) = *ap_pair_at(table, last);
        *ap_pair_answer_at(table, i) = *ap_pair_answer_at(table, last);
    }
    table->bounds.count = table->answers.count = last;
}

void ap_pair_table_clear(ap_pair_table *table)
{
    table->bounds.count = table->answers.count = 0;
    if (table->entries.count > 0) {
        memset(table->entries.items, 0, table->entries.count * table->entries.size);
    }
}

/* ---- the set ---- */

static size_t find_key_place(const ap_pair_set *set, uint64_t key)
{
    const uint64_t *keys = set->keys.items;
    const size_t mask = set->keys.count - 1;
    size_t place = (size_t)hash_key(key) & mask;
    while (keys[place] != 0 && keys[place] != key) {
        place = (place + 1) & mask;
    }
    return place;
}

static bool grow_set(ap_pair_set *set, const apart_allocator *allocator)
{
    ap_pair_set larger = {.keys = {.size = sizeof(uint64_t)}, .used = set->used};
    const size_t count = set->keys.count > 0 ? 2 * set->keys.count : 16;
    if (!ap_array_reserve(&larger.keys, allocator, count)) {
        return false;
    }
    memset(larger.keys.items, 0, count * larger.keys.size);
    larger.keys.count = count;
    for (size_t i = 0; i < set->keys.count; i++) {
        const uint64_t key = ((const uint64_t *)set->keys.items)[i];
        if (key != 0) {
            ((uint64_t *)larger.keys.items)[find_key_place(&larger, key)] = key;
        }
    }
    ap_array_free(&set->keys, allocator);
    *set = larger;
    return true;
}

void ap_pair_set_init(ap_pair_set *set) { *set = (ap_pair_set){.keys = {.size = sizeof(uint64_t)}}; }

void ap_pair_set_free(ap_pair_set *set, const apart_allocator *allocator)
{
    ap_array_free(&set->keys, allocator);
    set->used = 0;
}

bool ap_pair_set_has(const ap_pair_set *set, uint32_t a, uint32_t b)
{
    return set->used > 0 && ((const uint64_t *)set->keys.items)[find_key_place(set, ap_pair_key(a, b))] != 0;
}

bool ap_pair_set_add(ap_pair_set *set, const apart_allocator *allocator, uint32_t a, uint32_t b)
{
    const uint64_t key = ap_pair_key(a, b);
    if (2 * (set->used + 1) > set->keys.count && !grow_set(set, allocator)) {
        return false;
    }
    uint64_t *place = (uint64_t *)set->keys.items + find_key_place(set, key);
    set->used += *place == 0;
    *place = key;
    return true;
}

void ap_pair_set_remove(ap_pair_set *set, uint32_t a, uint32_t b)
{
    if (!ap_pair_set_has(set, a, b)) {
        return;
    }
    uint64_t *keys = set->keys.items;
    const size_t mask = set->keys.count - 1;
    size_t gap = find_key_place(set, ap_pair_key(a, b));
    for (size_t place = (gap + 1) & mask; keys[place] != 0; place = (place + 1) & mask) {
        const size_t home = (size_t)hash_key(keys[place]) & mask;
        if (((place - home) & mask) >= ((place - gap) & mask)) {
            keys[gap] = keys[place];
            gap = place;
        }
    }
    keys[gap] = 0;
    set->used--;
}
