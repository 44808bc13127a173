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
AP_LANE_INLINE ap_v4 scan4(const apart_hull *h, ap_points4 d)
{
    const double *x = ap_hull_x(h), *y = x + h->padded_count, *z = y + h->padded_count;
    ap_v4 number = ap_v4_all(0.0), at = number, one = ap_v4_all(1.0);
    ap_v4 best = (ap_v4_all(x[0]) * d.x + ap_v4_all(y[0]) * d.y) + ap_v4_all(z[0]) * d.z;
    for (uint32_t i = 1; i < h->vertex_count; i++) {
        const ap_v4 value = (ap_v4_all(x[i]) * d.x + ap_v4_all(y[i]) * d.y) + ap_v4_all(z[i]) * d.z;
        const ap_v4_mask better = value > best;
        number += one;
        best = ap_v4_select(better, value, best);
        at = ap_v4_select(better, number, at);
    }
    return at;
}

/* transpose(M) v for four v. */
AP_LANE_INLINE ap_points4 to_body(const apart_mat3 *m, ap_points4 v)
{
    return (ap_points4){ap_points4_dot(ap_points4_all(m->x), v), ap_points4_dot(ap_points4_all(m->y), v), ap_points4_dot(ap_points4_all(m->z), v)};
}

static void ask_four(ap_pair *pair, ap_polytope *p, const int face[4])
{
    ap_v4 x = ap_v4_load(&p->plane[4 * face[0]]), y = ap_v4_load(&p->plane[4 * face[1]]);
    ap_v4 z = ap_v4_load(&p->plane[4 * face[2]]), d = ap_v4_load(&p->plane[4 * face[3]]);
    ap_v4_transpose(&x, &y, &z, &d);
    const ap_v4 a = scan4(pair->a->u.hull, to_body(pair->rotation_a, (ap_points4){-x, -y, -z}));
    const ap_v4 b = scan4(pair->b->u.hull, to_body(pair->rotation_b, (ap_points4){x, y, z}));
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
    const ap_v4 w = ap_hull_frame_vertex(frame, found->index_a, found->index_b);
    found->w = ap_vec(w[0], w[1], w[2]);
}
