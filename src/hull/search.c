/* The direction table of the support search, and the search as a function. */
#include "search.h"

apart_vec3 ap_hull_table_direction(uint32_t resolution, uint32_t cell, double in_u, double in_v)
{
    const double u = (2.0 * (double)(cell / resolution) + 1.0 + in_u) / (double)resolution - 1.0;
    const double v = (2.0 * (double)(cell % resolution) + 1.0 + in_v) / (double)resolution - 1.0;
    const double z = (1.0 - fabs(u)) - fabs(v);
    return z < 0.0 ? ap_vec(copysign(1.0 - fabs(v), u), copysign(1.0 - fabs(u), v), z) : ap_vec(u, v, z);
}

uint32_t ap_hull_scan_by_call(const apart_hull *h, apart_vec3 d, ap_search_count *count)
{
    return ap_hull_scan(h, d, count);
}

uint32_t ap_hull_support(const apart_hull *h, int search, uint32_t start, apart_vec3 d, ap_search_count *count)
{
    return ap_hull_search(h, search, start, d, count);
}
