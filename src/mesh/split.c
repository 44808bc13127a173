/* Which triangles are below which node: top down, splits that make the sum of areas times leaves smallest (surface area
 * heuristic; MacDonald and Booth 1990, with the bins of Wald 2007). A node takes splits until it has eight children,
 * always of the range with the largest area. We differ in the cost of a range: its leaves, not its triangles.
 *
 * Nodes of a level are independent, so threads may share them: the result does not depend on who does what. */
#include "../base/parallel.h"
#include "../simd/floats.h"
#include "build.h"

enum { bin_count = 16 };

/* Ranges of centres below this, of a mesh of size one, have no order that floats could tell. */
static const float least_extent = 0x1p-30f;

/* Items first .. end - 1. */
typedef struct range {
    uint32_t first, end;
    ap_float4 low, high;               /* their box */
    ap_float4 center_low, center_high; /* the box of low + high */
    float area;
} range;

typedef struct bin {
    ap_float4 low, high;
    uint32_t count;
} bin;

typedef struct best_split {
    float cost;
    int axis; /* -1: none */
    int bin;  /* the first one on the right */
} best_split;

static float area_of(ap_float4 low, ap_float4 high)
{
    const ap_float4 size = ap_float4_sub(high, low);
    return (ap_float4_at(size, 0) * ap_float4_at(size, 1) + ap_float4_at(size, 1) * ap_float4_at(size, 2)) +
           ap_float4_at(size, 2) * ap_float4_at(size, 0);
}

static void clear_box(ap_float4 *low, ap_float4 *high)
{
    *low = ap_float4_all(INFINITY);
    *high = ap_float4_all(-INFINITY);
}

static void measure(range *r, const ap_mesh_item *items)
{
    clear_box(&r->low, &r->high);
    clear_box(&r->center_low, &r->center_high);
    for (uint32_t i = r->first; i < r->end; i++) {
        const ap_float4 low = ap_float4_load(items[i].low), high = ap_float4_load(items[i].high),
                        center = ap_float4_add(low, high);
        r->low = ap_float4_min(r->low, low);
        r->high = ap_float4_max(r->high, high);
        r->center_low = ap_float4_min(r->center_low, center);
        r->center_high = ap_float4_max(r->center_high, center);
    }
    r->area = area_of(r->low, r->high);
}

/* Factors that bring the centres' extents to just below the number of bins; 0 for an axis without extent. */
static ap_float4 bin_factors(const range *r)
{
    const ap_float4 extent = ap_float4_sub(r->center_high, r->center_low);
    float factor[4] = {0.0f};
    for (unsigned axis = 0; axis < 3; axis++) {
        factor[axis] = ap_float4_at(extent, axis) > least_extent ? 15.9999f / ap_float4_at(extent, axis) : 0.0f;
    }
    return ap_float4_load(factor);
}

static ap_bits4 bins_of(const ap_mesh_item *item, ap_float4 low, ap_float4 factor)
{
    const ap_float4 center = ap_float4_add(ap_float4_load(item->low), ap_float4_load(item->high));
    return ap_bits4_truncated(ap_float4_mul(ap_float4_sub(center, low), factor));
}

static void fill_bins(const range *r, const ap_mesh_item *items, ap_float4 factor, bin bins[3][bin_count])
{
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < bin_count; i++) {
            clear_box(&bins[axis][i].low, &bins[axis][i].high);
            bins[axis][i].count = 0;
        }
    }
    for (uint32_t i = r->first; i < r->end; i++) {
        const ap_float4 low = ap_float4_load(items[i].low), high = ap_float4_load(items[i].high);
        const ap_bits4 at = bins_of(&items[i], r->center_low, factor);
        for (int axis = 0; axis < 3; axis++) {
            bin *b = &bins[axis][ap_bits4_at(at, (unsigned)axis)];
            b->low = ap_float4_min(b->low, low);
            b->high = ap_float4_max(b->high, high);
            b->count++;
        }
    }
}

static float cost_of(ap_float4 low, ap_float4 high, uint32_t count)
{
    return count > 0 ? area_of(low, high) * (float)((count + AP_MESH_WIDTH - 1) / AP_MESH_WIDTH) : 0.0f;
}

static void compare_splits(const bin *bins, int axis, best_split *best)
{
    float right[bin_count];
    ap_float4 low, high;
    uint32_t count = 0;
    clear_box(&low, &high);
    for (int i = bin_count - 1; i > 0; i--) {
        low = ap_float4_min(low, bins[i].low);
        high = ap_float4_max(high, bins[i].high);
        count += bins[i].count;
        right[i] = cost_of(low, high, count);
    }
    clear_box(&low, &high);
    count = 0;
    for (int i = 1; i < bin_count; i++) {
        low = ap_float4_min(low, bins[i - 1].low);
        high = ap_float4_max(high, bins[i - 1].high);
        count += bins[i - 1].count;
        const float cost = cost_of(low, high, count) + right[i];
        if (cost < best->cost) {
            *best = (best_split){cost, axis, i};
        }
    }
}

/* Moves the items of the bins on the left to the front; returns where the others begin. */
static uint32_t partition(const range *r, ap_mesh_item *items, ap_float4 factor, const best_split *best)
{
    uint32_t left = r->first, right = r->end;
    while (left < right) {
        if (ap_bits4_at(bins_of(&items[left], r->center_low, factor), (unsigned)best->axis) < best->bin) {
            left++;
        } else {
            const ap_mesh_item item = items[left];
            items[left] = items[--right];
            items[right] = item;
        }
    }
    return left;
}

/* Where the right half begins, by the surface area heuristic. */
static uint32_t split_by_area(const range *r, ap_mesh_item *items)
{
    bin bins[3][bin_count];
    const ap_float4 factor = bin_factors(r);
    best_split best = {INFINITY, -1, 0};
    fill_bins(r, items, factor, bins);
    for (int axis = 0; axis < 3; axis++) {
        if (ap_float4_at(factor, (unsigned)axis) > 0.0f) {
            compare_splits(bins[axis], axis, &best);
        }
    }
    return best.axis < 0 ? r->first + (r->end - r->first) / 2 : partition(r, items, factor, &best);
}

static int by_center(const ap_mesh_item *a, const ap_mesh_item *b, int axis)
{
    const float x = a->low[axis] + a->high[axis], y = b->low[axis] + b->high[axis];
    const uint32_t i = ap_mesh_item_number(a), j = ap_mesh_item_number(b);
    return x != y ? (x < y ? -1 : 1) : (i > j) - (i < j);
}

static int by_x(const void *a, const void *b) { return by_center(a, b, 0); }

static int by_y(const void *a, const void *b) { return by_center(a, b, 1); }

static int by_z(const void *a, const void *b) { return by_center(a, b, 2); }

/* Where the right half begins: at the median of the longest axis. */
static uint32_t split_in_halves(const range *r, ap_mesh_item *items)
{
    static int (*const order[3])(const void *, const void *) = {by_x, by_y, by_z};
    const ap_float4 extent = ap_float4_sub(r->center_high, r->center_low);
    int axis = ap_float4_at(extent, 1) > ap_float4_at(extent, 0) ? 1 : 0;
    axis = ap_float4_at(extent, 2) > ap_float4_at(extent, (unsigned)axis) ? 2 : axis;
    qsort(items + r->first, r->end - r->first, sizeof *items, order[axis]);
    return r->first + (r->end - r->first) / 2;
}

/* The range to split next: the largest by area, or by items; -1: none has more items than a leaf. */
static int largest_range(const range *ranges, uint32_t count, bool halves)
{
    int largest = -1;
    for (int i = 0; i < (int)count; i++) {
        if (ranges[i].end - ranges[i].first <= AP_MESH_WIDTH) {
            continue;
        }
        const bool larger =
            largest < 0 || (halves ? ranges[i].end - ranges[i].first > ranges[largest].end - ranges[largest].first
                                   : ranges[i].area > ranges[largest].area);
        largest = larger ? i : largest;
    }
    return largest;
}

/* Splits ranges[at]; its right part moves in behind it. */
static void split_range(range *ranges, uint32_t *count, int at, ap_mesh_item *items, bool halves)
{
    const uint32_t middle = halves ? split_in_halves(&ranges[at], items) : split_by_area(&ranges[at], items);
    memmove(&ranges[at + 2], &ranges[at + 1], (*count - (uint32_t)at - 1) * sizeof *ranges);
    ranges[at + 1] = (range){.first = middle, .end = ranges[at].end};
    ranges[at].end = middle;
    measure(&ranges[at], items);
    measure(&ranges[at + 1], items);
    ++*count;
}

/* A level of the tree, whose nodes are shared out to threads. */
typedef struct level {
    ap_mesh_item *items;
    ap_mesh_draft *drafts; /* item[0] and item[1] are set: the whole range */
    bool halves;
} level;

static void split_nodes(void *context, size_t first, size_t end)
{
    const level *l = context;
    for (size_t n = first; n < end; n++) {
        ap_mesh_draft *draft = &l->drafts[n];
        range ranges[AP_MESH_WIDTH] = {{.first = draft->item[0], .end = draft->item[1]}};
        uint32_t count = 1;
        measure(&ranges[0], l->items);
        for (int at = 0; count < AP_MESH_WIDTH && at >= 0;) {
            at = largest_range(ranges, count, l->halves);
            if (at >= 0) {
                split_range(ranges, &count, at, l->items, l->halves);
            }
        }
        draft->count = count;
        for (uint32_t i = 0; i < count; i++) {
            draft->item[i + 1] = ranges[i].end;
        }
    }
}

/* Adds the children that are nodes behind the last draft. */
static apart_status add_level(ap_array *drafts, size_t first, const apart_allocator *allocator)
{
    const size_t end = drafts->count;
    for (size_t n = first; n < end; n++) {
        if (!ap_array_reserve(drafts, allocator, drafts->count + AP_MESH_WIDTH)) {
            return APART_ERR_MEMORY;
        }
        ap_mesh_draft *all = drafts->items, *draft = &all[n];
        for (uint32_t i = 0; i < draft->count; i++) {
            const bool is_leaf = draft->item[i + 1] - draft->item[i] <= AP_MESH_WIDTH;
            draft->child[i] = is_leaf ? AP_MESH_LEAF : (uint32_t)drafts->count;
            if (!is_leaf) {
                all[drafts->count++] = (ap_mesh_draft){.item = {draft->item[i], draft->item[i + 1]}};
            }
        }
    }
    return APART_OK;
}

apart_status ap_mesh_split(ap_mesh_item *items, uint32_t count, unsigned threads, const apart_allocator *allocator,
                           ap_array *drafts)
{
    if (!ap_array_reserve(drafts, allocator, 1 + count / (2 * AP_MESH_WIDTH))) {
        return APART_ERR_MEMORY;
    }
    *(ap_mesh_draft *)drafts->items = (ap_mesh_draft){.item = {0, count}};
    drafts->count = 1;
    apart_status status = APART_OK;
    size_t first = 0;
    for (int depth = 0; status == APART_OK && first < drafts->count; depth++) {
        const size_t end = drafts->count;
        level l = {items, (ap_mesh_draft *)drafts->items + first, depth >= AP_MESH_SAH_LEVELS};
        ap_parallel_for(threads, end - first, 1, split_nodes, &l);
        status = add_level(drafts, first, allocator);
        first = end;
    }
    return status;
}
