/* The default solver as a function, and its 2D part. */
#include "solve_default.h"

void ap_closest_in_plane(const ap_simplex *s, ap_closest *c, bool *inside)
{
    static const int id[3] = {0, 1, 2};
    double area[3], size = 0.0;
    const ap_lanes last = ap_lanes_load(&s->vertex[2].w);
    const double whole = ap_lanes_at(ap_lanes_cross_accurate(ap_lanes_sub(ap_lanes_load(&s->vertex[0].w), last),
                                                             ap_lanes_sub(ap_lanes_load(&s->vertex[1].w), last)),
                                     2);
    for (int t = 0; t < 3; t++) {
        const apart_vec3 p = s->vertex[(t + 1) % 3].w, q = s->vertex[(t + 2) % 3].w;
        const double twice = ap_diff_of_products(p.x, q.y, p.y, q.x);
        area[t] = whole > 0.0 ? twice : -twice;
        size = ap_max(size, ap_max_abs(p));
    }
    const double noise = 0x1p-98 * size * size; /* a difference of products carries 106 bits */
    ap_count_mul(2);
    unsigned inner = 0;
    for (int t = 0; t < 3; t++) {
        inner |= area[t] > noise ? 1u << t : 0u;
    }
    *inside = inner == 7u;
    if (*inside) {
        const double inverse = 1.0 / ((area[0] + area[1]) + area[2]);
        *c = (ap_closest){.lambda = ap_lanes_of(area[0] * inverse, area[1] * inverse, area[2] * inverse, 0.0),
                          .keep = 7u};
    } else {
        *c = ap_closest_on_edges(s, id, inner);
    }
}

bool ap_solve_lanes_by_call(ap_simplex *s, int dim, ap_lanes newest, ap_lanes *v)
{
    return ap_solve_lanes(s, dim, newest, v);
}

bool ap_solve_default(ap_simplex *s, int dim, apart_vec3 *v)
{
    ap_lanes lanes;
    const bool inside = ap_solve_lanes_by_call(s, dim, ap_simplex_newest(s), &lanes);
    *v = ap_lanes_vec(lanes);
    return inside;
}
