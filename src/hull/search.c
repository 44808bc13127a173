/* The support search as functions. */
#include "search.h"

uint32_t ap_hull_scan_by_call(const apart_hull *h, apart_vec3 d, ap_search_count *count)
{
    return ap_hull_scan(h, d, count);
}

uint32_t ap_hull_support(const apart_hull *h, int search, uint32_t start, apart_vec3 d, ap_search_count *count)
{
    return ap_hull_search(h, search, start, d, count);
}
