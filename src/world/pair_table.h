/* The pairs of bodies that a world keeps: what every query reads (bounds and motion marks) in one array, caches and
 * last answers in another, and a hash table that finds a pair by its two slots. Also sets of pairs, for those that
 * are disabled. */
#ifndef AP_WORLD_PAIR_TABLE_H
#define AP_WORLD_PAIR_TABLE_H

#include <apart/compound.h>

#include "../base/array.h"

#define AP_NO_PAIR UINT32_MAX

/* What every query reads: 40 bytes. The signed distance was in [lower, upper] when the bodies' motions were the
 * marks. */
typedef struct ap_pair_bounds {
    uint32_t a, b; /* slots, a < b */
    double lower, upper;
    double mark_a, mark_b;
} ap_pair_bounds;

/* How much of the stored answer of a pair holds for the poses at its marks. */
enum { AP_ANSWER_NONE = 0, AP_ANSWER_BOUNDS = 1, AP_ANSWER_EXACT = 2 };

/* What a repeated query of the pair needs: the cache, and the last answer. */
typedef struct ap_pair_answer {
    apart_compound_cache cache;
    uint32_t part_a, part_b;
    double distance;
    apart_vec3 point_a, point_b, normal;
    uint32_t relation;
    uint32_t known; /* AP_ANSWER_...; exact: the depth of an overlap included */
} ap_pair_answer;

/* Open addressing with linear probing, at most half full. An entry is a pair's number plus one; 0 is empty. */
typedef struct ap_pair_table {
    ap_array bounds;  /* of ap_pair_bounds */
    ap_array answers; /* of ap_pair_answer */
    ap_array entries; /* of uint32_t; count is 0 or a power of two */
} ap_pair_table;

/* A set of 64-bit keys; 0 is empty (no pair has two slots 0). */
typedef struct ap_pair_set {
    ap_array keys; /* of uint64_t; count is 0 or a power of two */
    size_t used;
} ap_pair_set;

static inline uint64_t ap_pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static inline ap_pair_bounds *ap_pair_at(const ap_pair_table *table, size_t i)
{
    return (ap_pair_bounds *)table->bounds.items + i;
}

static inline ap_pair_answer *ap_pair_answer_at(const ap_pair_table *table, size_t i)
{
    return (ap_pair_answer *)table->answers.items + i;
}

void ap_pair_table_init(ap_pair_table *table);
void ap_pair_table_free(ap_pair_table *table, const apart_allocator *allocator);

/* The number of the pair, or AP_NO_PAIR. */
uint32_t ap_pair_table_find(const ap_pair_table *table, uint32_t a, uint32_t b);

/* Adds a pair that is not there, without an answer; false: the allocation failed. */
bool ap_pair_table_add(ap_pair_table *table, const apart_allocator *allocator, uint32_t a, uint32_t b, double lower);

/* Removes pair i; the last pair takes its number. */
void ap_pair_table_remove(ap_pair_table *table, size_t i);

/* Removes all pairs and keeps the arrays. */
void ap_pair_table_clear(ap_pair_table *table);

void ap_pair_set_init(ap_pair_set *set);
void ap_pair_set_free(ap_pair_set *set, const apart_allocator *allocator);
bool ap_pair_set_has(const ap_pair_set *set, uint32_t a, uint32_t b);
bool ap_pair_set_add(ap_pair_set *set, const apart_allocator *allocator, uint32_t a, uint32_t b);
void ap_pair_set_remove(ap_pair_set *set, uint32_t a, uint32_t b);

#endif
