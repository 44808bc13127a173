/* Is a hull a box along the axes? Then its vertices are the eight corners, and queries may treat it as one. A box that
 * is turned, or whose middle or half extents are no doubles, is not recognised: its corners are rounded, and what is true
 * of the box is not exactly true of the hull. */
#include "build.h"

#include "../math/eft.h"

/* Is a + b = sum, exactly? */
static bool is_sum(double a, double b, double sum)
{
    const ap_dd s = ap_two_sum(a, b);
    return s.hi == sum && s.lo == 0.0;
}

/* Has each of eight coordinates one of two values, middle - half and middle + half? */
static bool find_interval(const double *x, double *middle, double *half)
{
    double low = x[0], high = x[0];
    for (int i = 1; i < 8; i++) {
        low = ap_min(low, x[i]);
        high = ap_max(high, x[i]);
    }
    for (int i = 0; i < 8; i++) {
        if (x[i] != low && x[i] != high) {
            return false;
        }
    }
    *middle = 0.5 * low + 0.5 * high;
    *half = 0.5 * high - 0.5 * low;
    return is_sum(*middle, *half, high) && is_sum(*middle, -*half, low);
}

bool ap_hull_find_box(const apart_hull *h, ap_hull_box *box)
{
    const ap_hull_box none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    bool is_box = h->dimension == 3 && h->vertex_count == 8;
    for (uint32_t k = 0; k < 3 && is_box; k++) {
        is_box = find_interval(ap_hull_x(h) + (size_t)k * h->padded_count, &box->middle[k], &box->half[k]);
    }
    if (!is_box) {
        *box = none;
    }
    return is_box;
}
