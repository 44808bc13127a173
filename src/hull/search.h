/* Support search over a hull's vertices: scan, hill climbing (Cameron 1997 section 3.2, item C5), start table.
 *
 * We differ in three points: a climb compares the slopes of whole edge differences, four neighbours at a time, and goes
 * to the best of the ring instead of the first better one; a hull without a vertex to start from is scanned, or started
 * from a table of directions, which names all the vertices that may be farthest; and a climb that rounding sends in
 * circles is ended by a scan. */
#ifndef AP_HULL_SEARCH_H
#define AP_HULL_SEARCH_H

#include <apart/distance.h>

#include "../simd/lanes.h"
#include "block.h"

/* Hulls up to this size are scanned when there is no vertex to start from. */
#define AP_SCAN_LIMIT 64u

/* And hulls up to this size always: they have no more vertices than a ring. */
#define AP_ALWAYS_SCANNED (2u * AP_LANES)

typedef struct ap_search_count {
    uint32_t visited; /* dot products taken */
    uint32_t climbed; /* edges traversed */
} ap_search_count;

/* ---- the inner loops, four points at a time; a dot product is (x*dx + y*dy) + z*dz everywhere, and the lowest index wins ties ---- */

/* Indices travel as doubles, exact below 2^53; this is above all of them. */
#define AP_NO_LANE_INDEX 0x1p40

/* Two blocks of four: what a box as a hull or a tetrahedron has. The bits of the largest lanes are in the order of the
 * indices. */
AP_INLINE uint32_t ap_scan_two_blocks(const double *x, uint32_t padded, const ap_lanes3 *d)
{
    const ap_lanes v0 = ap_lanes_dots(x, x + padded, x + 2 * (size_t)padded, d);
    const uint32_t second = padded - AP_LANES; /* the same block again if there is only one */
    const ap_lanes v1 = ap_lanes_dots(x + second, x + second + padded, x + second + 2 * (size_t)padded, d);
    const ap_lanes largest = ap_lanes_largest(ap_lanes_max(v0, v1));
    const unsigned bits = ap_mask_bits(ap_lanes_equal(v0, largest)) | ap_mask_bits(ap_lanes_equal(v1, largest))
                                                                          << second;
    return bits != 0 ? ap_lowest_bit(bits) : 0;
}

/* The index of the largest dot product with d among `padded` (a multiple of AP_LANES, > 0) points: all x, all y, all
 * z. */
AP_INLINE uint32_t ap_scan(const double *x, uint32_t padded, apart_vec3 direction)
{
    const ap_lanes3 d = {ap_lanes_all(direction.x), ap_lanes_all(direction.y), ap_lanes_all(direction.z)};
    if (padded <= 2 * AP_LANES) {
        return ap_scan_two_blocks(x, padded, &d);
    }
    const double *y = x + padded, *z = y + padded;
    const ap_lanes eight = ap_lanes_all(8.0);
    ap_lanes now0 = AP_FOUR(0.0, 1.0, 2.0, 3.0), now1 = AP_FOUR(4.0, 5.0, 6.0, 7.0);
    ap_lanes best0 = ap_lanes_dots(x, y, z, &d), best1 = ap_lanes_dots(x + 4, y + 4, z + 4, &d), index0 = now0,
             index1 = now1;
    /* Two chains of comparisons, for blocks of even and of odd number, hide each other's latency. */
    for (uint32_t i = 2 * AP_LANES; i < padded; i += 2 * AP_LANES) {
        const uint32_t j = i + AP_LANES < padded ? i + AP_LANES : i; /* the last block twice if their number is odd */
        const ap_lanes v0 = ap_lanes_dots(x + i, y + i, z + i, &d), v1 = ap_lanes_dots(x + j, y + j, z + j, &d);
        const ap_mask m0 = ap_lanes_greater(v0, best0), m1 = ap_lanes_greater(v1, best1);
        now0 = ap_lanes_add(now0, eight);
        now1 = ap_lanes_add(now0, ap_lanes_all((double)(j - i)));
        best0 = ap_lanes_select(best0, v0, m0);
        best1 = ap_lanes_select(best1, v1, m1);
        index0 = ap_lanes_select(index0, now0, m0);
        index1 = ap_lanes_select(index1, now1, m1);
    }
    const ap_mask take1 = ap_mask_or(ap_lanes_greater(best1, best0),
                                     ap_mask_and(ap_lanes_equal(best1, best0), ap_lanes_greater(index0, index1)));
    const ap_lanes best = ap_lanes_select(best0, best1, take1), index = ap_lanes_select(index0, index1, take1);
    const ap_lanes i =
        ap_lanes_select(ap_lanes_all(AP_NO_LANE_INDEX), index, ap_lanes_equal(best, ap_lanes_largest(best)));
    const double low = ap_lanes_at(i, 1) < ap_lanes_at(i, 0) ? ap_lanes_at(i, 1) : ap_lanes_at(i, 0),
                 high = ap_lanes_at(i, 3) < ap_lanes_at(i, 2) ? ap_lanes_at(i, 3) : ap_lanes_at(i, 2),
                 lowest = high < low ? high : low;
    return lowest <= (double)padded - 1.0 ? (uint32_t)lowest : 0; /* no lane is the largest after an overflow */
}

/* Where u in [-1, 1] lies among r cells. */
AP_INLINE uint32_t ap_cell_of(double u, double half_resolution, uint32_t last)
{
    const uint32_t cell = (uint32_t)((u + 1.0) * half_resolution);
    return cell < last ? cell : last;
}

/* The cell of a direction: the octahedron |x| + |y| + |z| = 1 seen from above, its lower half folded outwards. No
 * branch depends on d, because no two directions of a cold query are alike. Cell 0 for zero and what is not finite. */
AP_INLINE uint32_t ap_table_cell(uint32_t resolution, apart_vec3 d)
{
    const double size = (fabs(d.x) + fabs(d.y)) + fabs(d.z);
    if (!(size > 0x1p-1000 && size < 0x1p1000)) {
        return 0;
    }
    const double x = d.x * (1.0 / size), y = d.y * (1.0 / size);
    const double folded_x = copysign(1.0 - fabs(y), x), folded_y = copysign(1.0 - fabs(x), y);
    const double u = d.z < 0.0 ? folded_x : x, v = d.z < 0.0 ? folded_y : y;
    const double half = 0.5 * (double)resolution;
    return ap_cell_of(u, half, resolution - 1) * resolution + ap_cell_of(v, half, resolution - 1);
}

/* The vertices that the direction table of a hull that has one names for d. */
AP_INLINE const uint32_t *ap_hull_cell(const apart_hull *h, apart_vec3 d)
{
    return (const uint32_t *)ap_at(h, h->table) + (size_t)AP_CELL_VERTICES * ap_table_cell(h->table_resolution, d);
}

/* Four corners' dot products with d. */
AP_INLINE ap_lanes ap_corner_dots(const ap_hull_corner *corners, const uint32_t *vertex, const ap_lanes3 *d)
{
    const ap_lanes3 p = ap_lanes_transpose(ap_lanes_load(&corners[vertex[0]]), ap_lanes_load(&corners[vertex[1]]),
                                           ap_lanes_load(&corners[vertex[2]]), ap_lanes_load(&corners[vertex[3]]));
    return ap_lanes_sum3(ap_lanes_mul(p.x, d->x), ap_lanes_mul(p.y, d->y), ap_lanes_mul(p.z, d->z));
}

/* The vertex farthest in direction d, or one nearly as far, from the direction table of a hull that has one. */
AP_INLINE uint32_t ap_hull_guess(const apart_hull *h, apart_vec3 direction)
{
    const ap_lanes3 d = {ap_lanes_all(direction.x), ap_lanes_all(direction.y), ap_lanes_all(direction.z)};
    const uint32_t *cell = ap_hull_cell(h, direction);
    const ap_hull_corner *corners = ap_at(h, h->corners);
    const ap_lanes value = ap_corner_dots(corners, cell, &d);
    const unsigned bits = ap_mask_bits(ap_lanes_equal(value, ap_lanes_largest(value)));
    ap_count_mul(3u * AP_CELL_VERTICES);
    return cell[bits != 0 ? ap_lowest_bit(bits) : 0];
}

/* The neighbour with the largest dot product of its edge with d, if that is > 0, else `self`. */
AP_INLINE uint32_t ap_climb(const ap_hull_vertex *records, uint32_t self, const ap_lanes3 *d)
{
    const ap_hull_vertex *record = &records[self];
    const ap_lanes zero = ap_lanes_all(0.0);
    double best = 0.0;
    uint32_t vertex = self;
    for (;;) {
        const ap_lanes v0 = ap_lanes_dots(record->dx, record->dy, record->dz, d),
                       v1 = ap_lanes_dots(record->dx + 4, record->dy + 4, record->dz + 4, d);
        if (ap_mask_bits(ap_mask_or(ap_lanes_greater(v0, zero), ap_lanes_greater(v1, zero))) != 0) {
            const ap_lanes largest = ap_lanes_largest(ap_lanes_max(v0, v1));
            const unsigned bits = ap_mask_bits(ap_lanes_equal(v0, largest)) | ap_mask_bits(ap_lanes_equal(v1, largest))
                                                                                  << AP_LANES;
            const double slope = ap_lanes_at(largest, 0); /* of the lowest neighbour that has it */
            vertex = slope > best ? record->id[bits != 0 ? ap_lowest_bit(bits) : 0] : vertex;
            best = slope > best ? slope : best;
        }
        if (record->more == 0) {
            return vertex;
        }
        record = &records[record->more];
    }
}

/* ---- the search ---- */

/* Starts loading a vertex that will be asked for, and the neighbours that a climb from it compares. Any number is
 * legal. */
AP_INLINE void ap_hull_prefetch(const apart_hull *h, uint32_t vertex)
{
    if (vertex < h->vertex_count && h->vertex_count > AP_ALWAYS_SCANNED) {
        const char *record = (const char *)((const ap_hull_vertex *)ap_at(h, h->records) + vertex);
        for (int line = 0; line < 4; line++) {
            ap_prefetch(record + 64 * line);
        }
    }
}

AP_INLINE uint32_t ap_hull_scan(const apart_hull *h, apart_vec3 d, ap_search_count *count)
{
    if (count != NULL) {
        count->visited += h->vertex_count;
    }
    ap_count_mul(3u * h->vertex_count);
    return ap_scan(ap_at(h, h->vertices), h->padded_count, d);
}

/* The same as a function of its own. */
uint32_t ap_hull_scan_by_call(const apart_hull *h, apart_vec3 d, ap_search_count *count);

AP_INLINE uint32_t ap_hull_climb(const apart_hull *h, uint32_t vertex, apart_vec3 direction, ap_search_count *count)
{
    const ap_lanes3 d = {ap_lanes_all(direction.x), ap_lanes_all(direction.y), ap_lanes_all(direction.z)};
    const ap_hull_vertex *records = ap_at(h, h->records);
    for (uint32_t step = 0; step <= h->vertex_count; step++) {
        const uint32_t next = ap_climb(records, vertex, &d);
        ap_count_mul(3u * AP_RECORD_EDGES);
        if (count != NULL) {
            count->visited += AP_RECORD_EDGES;
            count->climbed += next != vertex;
        }
        if (next == vertex) {
            return vertex;
        }
        vertex = next;
    }
    return ap_hull_scan_by_call(h, direction, count); /* rounding sent the climb in circles */
}

/* Where to begin a climb: what the table says; vertex 0 if the hull is too small for one. */
AP_INLINE uint32_t ap_hull_start(const apart_hull *h, apart_vec3 d, ap_search_count *count)
{
    if (h->table_resolution == 0) {
        return 0;
    }
    if (count != NULL) {
        count->visited += AP_CELL_VERTICES;
    }
    return ap_hull_guess(h, d);
}

/* As a start: the answer may be a guess of the direction table, where there is one. */
#define AP_GUESS (APART_NO_INDEX - 1u)

/* The vertex of h farthest in direction d (hull frame). start: a vertex to climb from, APART_NO_INDEX or AP_GUESS.
 * search: apart_support_search. AUTO: climb from start if given; else scan up to AP_SCAN_LIMIT vertices, else table +
 * climb; hulls of at most 8 vertices, and those whose climb_loss is infinite, are always scanned. CLIMB without a start
 * begins at vertex 0, TABLE without a table likewise. A climb that does not end within vertex_count steps (rounding) is
 * finished by a scan. count may be NULL. */
AP_INLINE uint32_t ap_hull_search(const apart_hull *h, int search, uint32_t start, apart_vec3 d, ap_search_count *count)
{
    const bool given = start < h->vertex_count;
    switch (search) {
    case APART_SUPPORT_SCAN: return ap_hull_scan(h, d, count);
    case APART_SUPPORT_CLIMB: return ap_hull_climb(h, given ? start : 0, d, count);
    case APART_SUPPORT_TABLE: return ap_hull_climb(h, ap_hull_start(h, d, count), d, count);
    default: break;
    }
    /* A hull with a vertex so flat that climbing may be caught there, or one with no more points than a ring has, is
     * scanned. */
    if (h->vertex_count <= AP_ALWAYS_SCANNED || isinf(h->climb_loss) || (!given && h->table_resolution == 0)) {
        return ap_hull_scan(h, d, count);
    }
    const uint32_t from = given ? start : ap_hull_start(h, d, count);
    return start == AP_GUESS ? from : ap_hull_climb(h, from, d, count);
}

/* The same as a function of its own. */
uint32_t ap_hull_support(const apart_hull *h, int search, uint32_t start, apart_vec3 d, ap_search_count *count);

/* As the query code calls it: inlined, but for the level that only old processors run, where the copies would be 24 kB
 * of a small program. */
#ifdef AP_FALLBACK_LEVEL
#define AP_HULL_SEARCH ap_hull_support
#else
#define AP_HULL_SEARCH ap_hull_search
#endif

#endif
