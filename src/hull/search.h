/* Support search over a hull's vertices: scan, hill climbing (Cameron 1997 section 3.2, item C5), start table. */
#ifndef AP_HULL_SEARCH_H
#define AP_HULL_SEARCH_H

#include <apart/distance.h>

#include "block.h"

/* Hulls up to this size are scanned when there is no vertex to start from. */
#define AP_SCAN_LIMIT 64u

typedef struct ap_search_count {
    uint32_t visited; /* dot products taken */
    uint32_t climbed; /* edges traversed */
} ap_search_count;

/* Starts loading a vertex that will be asked for, and the neighbours that a climb from it compares. Any number is legal. */
static inline void ap_hull_expect(const apart_hull *h, uint32_t vertex)
{
    if (vertex >= h->vertex_count) {
        return;
    }
    ap_prefetch((const double *)ap_hull_at(h, h->points) + 3 * (size_t)vertex);
    const uint32_t first = ((const uint32_t *)ap_hull_at(h, h->block_start))[vertex];
    const char *block = (const char *)ap_hull_at(h, h->blocks) + first * sizeof(ap_neighbour_block);
    for (int line = 0; line < 4; line++) {
        ap_prefetch(block + 64 * line);
    }
}

/* The vertex of h farthest in direction d (hull frame). start: a vertex to climb from, or APART_NO_INDEX. search: apart_support_search.
 * AUTO: climb from start if given; else scan up to AP_SCAN_LIMIT vertices, else table + climb; hulls of at most 8 vertices, and those
 * whose climb_loss is infinite, are always scanned. CLIMB without a start begins at vertex 0, TABLE without a table likewise.
 * A climb that does not end within vertex_count steps (rounding) is finished by a scan. count may be NULL. */
uint32_t ap_hull_support(const apart_hull *h, int search, uint32_t start, apart_vec3 d, ap_search_count *count);

#endif
