/* The inner loops of the support search, four points at a time; inlined, so that each level of the query code has its own.
 * A dot product is (x*dx + y*dy) + z*dz everywhere; the lowest index wins ties. */
#ifndef AP_HULL_SEARCH_LANES_H
#define AP_HULL_SEARCH_LANES_H

#include "../simd/lanes.h"
#include "block.h"

/* Indices travel as doubles, exact below 2^53; this is above all of them. */
#define AP_NO_LANE_INDEX 0x1p40

AP_INLINE ap_lanes ap_dots(const double *x, const double *y, const double *z, const ap_lanes3 *d)
{
    return (ap_lanes_load(x) * d->x + ap_lanes_load(y) * d->y) + ap_lanes_load(z) * d->z;
}

/* The largest value of all lanes, in each. */
AP_INLINE ap_lanes ap_largest_lane(ap_lanes v)
{
    const ap_lanes pair = ap_lanes_max(v, AP_SHUFFLE(v, 2, 3, 0, 1));
    return ap_lanes_max(pair, AP_SHUFFLE(pair, 1, 0, 3, 2));
}

/* The lowest index among the lanes with the largest value, at most `limit`, else `otherwise` (after an overflow). */
AP_INLINE uint32_t ap_lowest_of_largest(ap_lanes value, ap_lanes index, double limit, uint32_t otherwise)
{
    const ap_lanes i = ap_lanes_select(ap_lanes_all(AP_NO_LANE_INDEX), index, value == ap_largest_lane(value));
    const double low = i[1] < i[0] ? i[1] : i[0], high = i[3] < i[2] ? i[3] : i[2];
    const double lowest = high < low ? high : low;
    return lowest <= limit ? (uint32_t)lowest : otherwise;
}

/* Two blocks of four: what a box as a hull or a tetrahedron has. The bits of the largest lanes are in the order of the indices. */
AP_INLINE uint32_t ap_scan_two_blocks(const double *x, uint32_t padded, const ap_lanes3 *d)
{
    const ap_lanes v0 = ap_dots(x, x + padded, x + 2 * (size_t)padded, d);
    const uint32_t second = padded - AP_LANES; /* the same block again if there is only one */
    const ap_lanes v1 = ap_dots(x + second, x + second + padded, x + second + 2 * (size_t)padded, d);
    const ap_lanes largest = ap_largest_lane(ap_lanes_max(v0, v1));
    const unsigned bits = ap_mask_bits(v0 == largest) | ap_mask_bits(v1 == largest) << second;
    return bits != 0 ? (uint32_t)__builtin_ctz(bits) : 0;
}

/* The index of the largest dot product with d among `padded` (a multiple of AP_LANES, > 0) points: all x, all y, all z. */
AP_INLINE uint32_t ap_scan(const double *x, uint32_t padded, apart_vec3 direction)
{
    const ap_lanes3 d = {ap_lanes_all(direction.x), ap_lanes_all(direction.y), ap_lanes_all(direction.z)};
    if (padded <= 2 * AP_LANES) {
        return ap_scan_two_blocks(x, padded, &d);
    }
    const double *y = x + padded, *z = y + padded;
    const ap_lanes eight = ap_lanes_all(8.0);
    ap_lanes now0 = {0.0, 1.0, 2.0, 3.0}, now1 = {4.0, 5.0, 6.0, 7.0};
    ap_lanes best0 = ap_dots(x, y, z, &d), best1 = ap_dots(x + 4, y + 4, z + 4, &d), index0 = now0, index1 = now1;
    /* Two chains of comparisons, for blocks of even and of odd number, hide each other's latency. */
    for (uint32_t i = 2 * AP_LANES; i < padded; i += 2 * AP_LANES) {
        const uint32_t j = i + AP_LANES < padded ? i + AP_LANES : i; /* the last block twice if their number is odd */
        const ap_lanes v0 = ap_dots(x + i, y + i, z + i, &d), v1 = ap_dots(x + j, y + j, z + j, &d);
        const ap_mask m0 = v0 > best0, m1 = v1 > best1;
        now0 += eight;
        now1 = now0 + ap_lanes_all((double)(j - i));
        best0 = ap_lanes_select(best0, v0, m0);
        best1 = ap_lanes_select(best1, v1, m1);
        index0 = ap_lanes_select(index0, now0, m0);
        index1 = ap_lanes_select(index1, now1, m1);
    }
    const ap_mask take1 = (best1 > best0) | ((best1 == best0) & (index0 > index1));
    return ap_lowest_of_largest(ap_lanes_select(best0, best1, take1), ap_lanes_select(index0, index1, take1), (double)padded - 1.0, 0);
}

/* Where u in [-1, 1] lies among r cells. */
AP_INLINE uint32_t ap_cell_of(double u, double half_resolution, uint32_t last)
{
    const uint32_t cell = (uint32_t)((u + 1.0) * half_resolution);
    return cell < last ? cell : last;
}

/* The cell of a direction: the octahedron |x| + |y| + |z| = 1 seen from above, its lower half folded outwards. No branch depends on d,
 * because no two directions of a cold query are alike. Cell 0 for zero and what is not finite. */
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
    return (const uint32_t *)ap_hull_at(h, h->table) + (size_t)AP_CELL_VERTICES * ap_table_cell(h->table_resolution, d);
}

/* Four corners' dot products with d. */
AP_INLINE ap_lanes ap_corner_dots(const ap_hull_corner *corners, const uint32_t *vertex, const ap_lanes3 *d)
{
    const ap_lanes3 p = ap_lanes_transpose(ap_lanes_load(&corners[vertex[0]]), ap_lanes_load(&corners[vertex[1]]),
                                           ap_lanes_load(&corners[vertex[2]]), ap_lanes_load(&corners[vertex[3]]));
    return (p.x * d->x + p.y * d->y) + p.z * d->z;
}

/* The vertex farthest in direction d, or one nearly as far, from the direction table of a hull that has one. */
AP_INLINE uint32_t ap_hull_guess(const apart_hull *h, apart_vec3 direction)
{
    const ap_lanes3 d = {ap_lanes_all(direction.x), ap_lanes_all(direction.y), ap_lanes_all(direction.z)};
    const uint32_t *cell = ap_hull_cell(h, direction);
    const ap_hull_corner *corners = ap_hull_corners(h);
    const ap_lanes value = ap_corner_dots(corners, cell, &d);
    const unsigned bits = ap_mask_bits(value == ap_largest_lane(value));
    ap_count_mul(3u * AP_CELL_VERTICES);
    return cell[bits != 0 ? __builtin_ctz(bits) : 0];
}

/* The largest of a record's eight slopes, and the lowest neighbour that has it. */
AP_INLINE double ap_steepest(const ap_hull_vertex *record, ap_lanes v0, ap_lanes v1, uint32_t *id)
{
    const ap_lanes largest = ap_largest_lane(ap_lanes_max(v0, v1));
    const unsigned bits = ap_mask_bits(v0 == largest) | ap_mask_bits(v1 == largest) << AP_LANES;
    *id = record->id[bits != 0 ? __builtin_ctz(bits) : 0];
    return largest[0];
}

/* The neighbour with the largest dot product of its edge with d, if that is > 0, else `self`. */
AP_INLINE uint32_t ap_climb(const ap_hull_vertex *records, uint32_t self, const ap_lanes3 *d)
{
    const ap_hull_vertex *record = &records[self];
    const ap_lanes zero = ap_lanes_all(0.0);
    double best = 0.0;
    uint32_t vertex = self;
    for (;;) {
        const ap_lanes v0 = ap_dots(record->dx, record->dy, record->dz, d), v1 = ap_dots(record->dx + 4, record->dy + 4, record->dz + 4, d);
        if (ap_mask_bits((v0 > zero) | (v1 > zero)) != 0) {
            uint32_t id;
            const double value = ap_steepest(record, v0, v1, &id);
            vertex = value > best ? id : vertex;
            best = value > best ? value : best;
        }
        if (record->more == 0) {
            return vertex;
        }
        record = &records[record->more];
    }
}

#endif
