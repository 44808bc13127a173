/* Support search over a hull's vertices (Cameron 1997 section 3.2, item C5).
 *
 * We differ in three points: a climb compares the slopes of whole edge differences, four neighbours at a time, and goes to the best of the
 * ring instead of the first better one; a hull without a vertex to start from is scanned, or started from a table of directions; and a
 * climb that rounding sends in circles is ended by a scan. */
#include "search.h"

static uint32_t scan(const apart_hull *h, apart_vec3 d, ap_search_count *count)
{
    const double *x = ap_hull_x(h);
    const uint32_t padded = h->padded_count;
    count->visited += h->vertex_count;
    ap_count_mul(3u * h->vertex_count);
    return ap_kernels_get()->scan(x, x + padded, x + 2 * (size_t)padded, padded, d);
}

static uint32_t climb(const apart_hull *h, uint32_t vertex, apart_vec3 d, ap_search_count *count)
{
    const ap_kernels *kernels = ap_kernels_get();
    const ap_neighbour_block *blocks = (const ap_neighbour_block *)ap_hull_at(h, h->blocks);
    const uint32_t *start = (const uint32_t *)ap_hull_at(h, h->block_start);
    for (uint32_t step = 0; step <= h->vertex_count; step++) {
        const uint32_t visited = AP_LANES * (start[vertex + 1] - start[vertex]);
        count->visited += visited;
        ap_count_mul(3u * visited);
        const uint32_t next = kernels->climb(blocks + start[vertex], start[vertex + 1] - start[vertex], vertex, d);
        if (next == vertex) {
            return vertex;
        }
        count->climbed++;
        vertex = next;
    }
    return scan(h, d, count);
}

/* Where the table says to begin; vertex 0 if the hull is too small for a table. */
static uint32_t table_start(const apart_hull *h, apart_vec3 d)
{
    if (h->table_resolution == 0) {
        return 0;
    }
    return ((const uint32_t *)ap_hull_at(h, h->table))[ap_hull_table_cell(h->table_resolution, d)];
}

/* The cell of u / major in [-1, 1] among r cells. */
static uint32_t cell_of(double u, double major, uint32_t r)
{
    const double t = 0.5 * (u / major + 1.0) * (double)r;
    if (!(t > 0.0)) {
        return 0;
    }
    return t < (double)r ? (uint32_t)t : r - 1;
}

uint32_t ap_hull_table_cell(uint32_t resolution, apart_vec3 d)
{
    const double ax = fabs(d.x), ay = fabs(d.y), az = fabs(d.z);
    uint32_t face;
    double major, u, v;
    if (ax >= ay && ax >= az) {
        face = d.x < 0.0;
        major = ax, u = d.y, v = d.z;
    } else if (ay >= az) {
        face = 2u + (d.y < 0.0);
        major = ay, u = d.z, v = d.x;
    } else {
        face = 4u + (d.z < 0.0);
        major = az, u = d.x, v = d.y;
    }
    return (face * resolution + cell_of(u, major, resolution)) * resolution + cell_of(v, major, resolution);
}

apart_vec3 ap_hull_table_direction(uint32_t resolution, uint32_t cell)
{
    const uint32_t v_cell = cell % resolution, u_cell = cell / resolution % resolution, face = cell / resolution / resolution;
    const double u = (2.0 * (double)u_cell + 1.0) / (double)resolution - 1.0;
    const double v = (2.0 * (double)v_cell + 1.0) / (double)resolution - 1.0;
    const double major = face % 2u == 0 ? 1.0 : -1.0;
    switch (face / 2u) {
    case 0:
        return ap_vec(major, u, v);
    case 1:
        return ap_vec(v, major, u);
    default:
        return ap_vec(u, v, major);
    }
}

uint32_t ap_hull_support(const apart_hull *h, int search, uint32_t start, apart_vec3 d, ap_search_count *count)
{
    ap_search_count unused = {0};
    ap_search_count *c = count != NULL ? count : &unused;
    const bool given = start < h->vertex_count;
    switch (search) {
    case APART_SUPPORT_SCAN:
        return scan(h, d, c);
    case APART_SUPPORT_CLIMB:
        return climb(h, given ? start : 0, d, c);
    case APART_SUPPORT_TABLE:
        return climb(h, table_start(h, d), d, c);
    default:
        break;
    }
    /* A hull with a vertex so flat that climbing may be caught there, or one with no more points than a ring has, is scanned. */
    if (isinf(h->climb_loss) || h->vertex_count <= AP_LANES * 2u || (!given && h->vertex_count <= AP_SCAN_LIMIT)) {
        return scan(h, d, c);
    }
    return climb(h, given ? start : table_start(h, d), d, c);
}
