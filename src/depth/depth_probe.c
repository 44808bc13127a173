/* Places the vertices of two hulls in the query frame, four at a time. */
#include "depth_probe.h"

static void place(ap_placed_hull *out, const apart_hull *h, const apart_mat3 *m, double scale, apart_vec3 offset)
{
    const size_t padded = h->padded_count;
    const double *x = ap_hull_x(h), *y = x + padded, *z = y + padded;
    const ap_lanes3 c0 = ap_lanes3_all(m->x), c1 = ap_lanes3_all(m->y), c2 = ap_lanes3_all(m->z), t = ap_lanes3_all(offset);
    const ap_lanes s = ap_lanes_all(scale);
    for (size_t i = 0; i < padded; i += AP_LANES) {
        const ap_lanes px = s * ap_lanes_load(x + i), py = s * ap_lanes_load(y + i), pz = s * ap_lanes_load(z + i);
        ap_lanes_store(&out->x[i], ((c0.x * px + c1.x * py) + c2.x * pz) + t.x);
        ap_lanes_store(&out->y[i], ((c0.y * px + c1.y * py) + c2.y * pz) + t.y);
        ap_lanes_store(&out->z[i], ((c0.z * px + c1.z * py) + c2.z * pz) + t.z);
    }
    if (padded % 8 != 0) {
        ap_lanes_store(&out->x[padded], ap_lanes_load(out->x));
        ap_lanes_store(&out->y[padded], ap_lanes_load(out->y));
        ap_lanes_store(&out->z[padded], ap_lanes_load(out->z));
    }
    out->padded = (h->padded_count + 7u) & ~7u;
}

void ap_place(ap_placed *placed, ap_pair *pair)
{
    place(&placed->a, pair->a->u.hull, pair->rotation_a, pair->scale, ap_vec(-0.0, -0.0, -0.0)); /* changes no bit of a sum */
    place(&placed->b, pair->b->u.hull, pair->rotation_b, pair->scale, pair->offset);
    pair->transformed += pair->count_a + pair->count_b;
}
