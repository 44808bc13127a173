/* Support points of four faces' normals at once, for two hulls of few vertices.
 *
 * A face beside the nearest one is often the next to be asked for, and four directions cost as much as one where a scan of all vertices
 * takes a few instructions: each vertex is compared in four lanes. The answers wait in the fourth twin of a face, which no edge uses:
 * bit 0 the growth's mark, bit 1 asked, then four bits for each body's vertex. A face made anew starts with 0. */
#include "depth_probe.h"

#define ASKED 2u
#define AT_A 2
#define AT_B 6

/* The number of the farthest vertex for each of four directions; the lowest wins ties. */
AP_INLINE ap_lanes scan4(const apart_hull *h, ap_lanes3 d)
{
    const double *x = ap_hull_x(h), *y = x + h->padded_count, *z = y + h->padded_count;
    ap_lanes number = ap_lanes_all(0.0), at = number, one = ap_lanes_all(1.0);
    ap_lanes best = (ap_lanes_all(x[0]) * d.x + ap_lanes_all(y[0]) * d.y) + ap_lanes_all(z[0]) * d.z;
    for (uint32_t i = 1; i < h->vertex_count; i++) {
        const ap_lanes value = (ap_lanes_all(x[i]) * d.x + ap_lanes_all(y[i]) * d.y) + ap_lanes_all(z[i]) * d.z;
        const ap_mask better = value > best;
        number += one;
        best = ap_lanes_select(best, value, better);
        at = ap_lanes_select(at, number, better);
    }
    return at;
}

/* transpose(M) v for four v. */
AP_INLINE ap_lanes3 to_body(const apart_mat3 *m, ap_lanes3 v)
{
    return (ap_lanes3){ap_lanes3_dot(ap_lanes3_all(m->x), v), ap_lanes3_dot(ap_lanes3_all(m->y), v), ap_lanes3_dot(ap_lanes3_all(m->z), v)};
}

static void ask_four(ap_pair *pair, ap_polytope *p, const int face[4])
{
    ap_lanes x = ap_lanes_load(&p->plane[4 * face[0]]), y = ap_lanes_load(&p->plane[4 * face[1]]);
    ap_lanes z = ap_lanes_load(&p->plane[4 * face[2]]), d = ap_lanes_load(&p->plane[4 * face[3]]);
    ap_lanes_transpose4(&x, &y, &z, &d);
    const ap_lanes a = scan4(pair->a->u.hull, to_body(pair->rotation_a, (ap_lanes3){-x, -y, -z}));
    const ap_lanes b = scan4(pair->b->u.hull, to_body(pair->rotation_b, (ap_lanes3){x, y, z}));
    for (int i = 0; i < 4; i++) {
        p->twin[4 * face[i] + 3] = (uint16_t)(ASKED | (uint32_t)a[i] << AT_A | (uint32_t)b[i] << AT_B);
    }
    pair->context.count.visited += 4 * (pair->count_a + pair->count_b);
    pair->support_calls += 8;
}

void ap_probe_face(ap_pair *pair, const ap_hull_frame *frame, ap_polytope *p, int face, ap_simplex_vertex *found)
{
    if (p->twin[4 * face + 3] == 0) {
        /* around its first corner, where the newest point is */
        const int second = p->twin[4 * face + 2] >> 2, third = p->twin[4 * second + 2] >> 2, fourth = p->twin[4 * third + 2] >> 2;
        const int group[4] = {face, second, third, fourth};
        ask_four(pair, p, group);
    }
    const uint32_t answer = p->twin[4 * face + 3];
    found->index_a = answer >> AT_A & 15u;
    found->index_b = answer >> AT_B & 15u;
    const ap_lanes w = ap_hull_frame_vertex(frame, found->index_a, found->index_b);
    found->w = ap_vec(w[0], w[1], w[2]);
}
