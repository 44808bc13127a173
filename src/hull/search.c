/* The start table of the support search, and the search as a function. */
#include "search.h"

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

uint32_t ap_hull_table_start(const apart_hull *h, apart_vec3 d)
{
    if (h->table_resolution == 0) {
        return 0;
    }
    return ((const uint32_t *)ap_hull_at(h, h->table))[ap_hull_table_cell(h->table_resolution, d)];
}

uint32_t ap_hull_support(const apart_hull *h, int search, uint32_t start, apart_vec3 d, ap_search_count *count)
{
    return ap_hull_search(h, search, start, d, count);
}
