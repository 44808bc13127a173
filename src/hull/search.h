/* Support search over a hull's vertices: scan, hill climbing (Cameron 1997 section 3.2, item C5), start table.
 *
 * We differ in three points: a climb compares the slopes of whole edge differences, four neighbours at a time, and goes to the best of the
 * ring instead of the first better one; a hull without a vertex to start from is scanned, or started from a table of directions, which
 * names all the vertices that may be farthest; and a climb that rounding sends in circles is ended by a scan. */
#ifndef AP_HULL_SEARCH_H
#define AP_HULL_SEARCH_H

#include <apart/distance.h>

#include "search_lanes.h"

/* Hulls up to this size are scanned when there is no vertex to start from. */
#define AP_SCAN_LIMIT 64u

/* And hulls up to this size always: they have no more vertices than a ring. */
#define AP_ALWAYS_SCANNED (2u * AP_LANES)

typedef struct ap_search_count {
    uint32_t visited; /* dot products taken */
    uint32_t climbed; /* edges traversed */
} ap_search_count;

/* Starts loading a vertex that will be asked for, and the neighbours that a climb from it compares. Any number is legal. */
AP_INLINE void ap_hull_expect(const apart_hull *h, uint32_t vertex)
{
    if (vertex < h->vertex_count && h->vertex_count > AP_ALWAYS_SCANNED) {
        const char *record = (const char *)&ap_hull_records(h)[vertex];
        for (int line = 0; line < 4; line++) {
            ap_prefetch(record + 64 * line);
        }
    }
}

/* Adds to the counters, if there are any. */
AP_INLINE void ap_search_add(ap_search_count *count, uint32_t visited, uint32_t climbed)
{
    if (count != NULL) {
        count->visited += visited;
        count->climbed += climbed;
    }
}

AP_INLINE uint32_t ap_hull_scan(const apart_hull *h, apart_vec3 d, ap_search_count *count)
{
    ap_search_add(count, h->vertex_count, 0);
    ap_count_mul(3u * h->vertex_count);
    return ap_scan(ap_hull_x(h), h->padded_count, d);
}

AP_INLINE uint32_t ap_hull_climb(const apart_hull *h, uint32_t vertex, apart_vec3 direction, ap_search_count *count)
{
    const ap_lanes3 d = {ap_lanes_all(direction.x), ap_lanes_all(direction.y), ap_lanes_all(direction.z)};
    const ap_hull_vertex *records = ap_hull_records(h);
    for (uint32_t step = 0; step <= h->vertex_count; step++) {
        ap_search_add(count, AP_RECORD_EDGES, 0);
        ap_count_mul(3u * AP_RECORD_EDGES);
        const uint32_t next = ap_climb(records, vertex, &d);
        if (next == vertex) {
            return vertex;
        }
        ap_search_add(count, 0, 1);
        vertex = next;
    }
    return ap_hull_scan(h, direction, count);
}

/* Where to begin a climb: what the table says; vertex 0 if the hull is too small for one. */
AP_INLINE uint32_t ap_hull_start(const apart_hull *h, apart_vec3 d, ap_search_count *count)
{
    if (h->table_resolution == 0) {
        return 0;
    }
    ap_search_add(count, AP_CELL_VERTICES, 0);
    return ap_hull_guess(h, d);
}

/* As a start: the answer may be a guess of the direction table, where there is one. */
#define AP_GUESS (APART_NO_INDEX - 1u)

/* The vertex of h farthest in direction d (hull frame). start: a vertex to climb from, APART_NO_INDEX or AP_GUESS. search: apart_support_search.
 * AUTO: climb from start if given; else scan up to AP_SCAN_LIMIT vertices, else table + climb; hulls of at most 8 vertices, and those
 * whose climb_loss is infinite, are always scanned. CLIMB without a start begins at vertex 0, TABLE without a table likewise.
 * A climb that does not end within vertex_count steps (rounding) is finished by a scan. count may be NULL. */
AP_INLINE uint32_t ap_hull_search(const apart_hull *h, int search, uint32_t start, apart_vec3 d, ap_search_count *count)
{
    const bool given = start < h->vertex_count;
    switch (search) {
    case APART_SUPPORT_SCAN:
        return ap_hull_scan(h, d, count);
    case APART_SUPPORT_CLIMB:
        return ap_hull_climb(h, given ? start : 0, d, count);
    case APART_SUPPORT_TABLE:
        return ap_hull_climb(h, ap_hull_start(h, d, count), d, count);
    default:
        break;
    }
    /* A hull with a vertex so flat that climbing may be caught there, or one with no more points than a ring has, is scanned. */
    if (h->vertex_count <= AP_ALWAYS_SCANNED || isinf(h->climb_loss) || (!given && h->table_resolution == 0)) {
        return ap_hull_scan(h, d, count);
    }
    const uint32_t from = given ? start : ap_hull_start(h, d, count);
    return start == AP_GUESS ? from : ap_hull_climb(h, from, d, count);
}

/* The same as a function of its own. */
uint32_t ap_hull_support(const apart_hull *h, int search, uint32_t start, apart_vec3 d, ap_search_count *count);

#endif
