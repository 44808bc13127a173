/* The depth of two planar cores: the ring of edges around the origin, expanded at its nearest edge.
 *
 * Source: as depth.c (item C9), one dimension lower. A support point beyond an edge lies between its ends in angular order, because
 * all three are on the boundary of the TCSO: inserting it there keeps the ring around the origin. */
#include "depth_surface.h"

/* The vertices are kept in angular order. */
typedef struct ring {
    int count;
    ap_polytope_vertex vertex[AP_POLYTOPE_VERTICES];
} ring;

static apart_vec3 edge_normal(const ring *r, int i, double *distance)
{
    const apart_vec3 p = r->vertex[i].w, q = r->vertex[(i + 1) % r->count].w;
    const apart_vec3 m = ap_vec(q.y - p.y, p.x - q.x, 0.0);
    const apart_vec3 n = ap_scale(1.0 / ap_norm(m), m);
    *distance = ap_min(ap_dot(n, p), ap_dot(n, q));
    return n;
}

static int nearest_edge(const ring *r, apart_vec3 *normal, double *distance)
{
    int nearest = 0;
    *distance = INFINITY;
    for (int i = 0; i < r->count; i++) {
        double away;
        const apart_vec3 n = edge_normal(r, i, &away);
        if (away < *distance) {
            *distance = away;
            *normal = n;
            nearest = i;
        }
    }
    return nearest;
}

/* A new vertex between i and i+1 keeps the origin clearly inside. */
static bool insert_after(ring *r, int i, const ap_simplex_vertex *s, double noise)
{
    const apart_vec3 p = r->vertex[i].w, q = r->vertex[(i + 1) % r->count].w;
    const bool fits = ap_diff_of_products(p.x, s->w.y, p.y, s->w.x) > noise && ap_diff_of_products(s->w.x, q.y, s->w.y, q.x) > noise;
    if (r->count == AP_POLYTOPE_VERTICES || !fits) {
        return false;
    }
    for (int k = r->count; k > i + 1; k--) {
        r->vertex[k] = r->vertex[k - 1];
    }
    r->vertex[i + 1] = (ap_polytope_vertex){.w = s->w, .a = s->a, .index_a = s->index_a, .index_b = s->index_b};
    r->count++;
    return true;
}

static void set_edge_witness(ap_depth *d, const ring *r, int i, apart_vec3 m)
{
    const ap_polytope_vertex *p = &r->vertex[i], *q = &r->vertex[(i + 1) % r->count];
    const double to_p = ap_dot(ap_vec(-m.y, m.x, 0.0), p->w), to_q = ap_dot(ap_vec(-m.y, m.x, 0.0), q->w);
    const double t = to_q > to_p ? -to_p / (to_q - to_p) : 0.0;
    const double at_q = ap_min(ap_max(t, 0.0), 1.0);
    d->simplex.count = 0;
    if (at_q < 1.0) {
        ap_depth_take_vertex(&d->simplex.vertex[d->simplex.count++], p, 1.0 - at_q);
    }
    if (at_q > 0.0) {
        ap_depth_take_vertex(&d->simplex.vertex[d->simplex.count++], q, at_q);
    }
}

void ap_depth_in_plane(ap_depth *d, ap_enclosure *e, ap_pair *pair, int kind)
{
    ring r = {.count = e->count};
    const double noise = 0x1p-98 * pair->magnitude * pair->magnitude; /* a difference of products carries 106 bits */
    for (int i = 0; i < e->count; i++) {
        r.vertex[i] = (ap_polytope_vertex){.w = e->point[i].w, .a = e->point[i].a, .index_a = e->point[i].index_a, .index_b = e->point[i].index_b};
    }
    for (;;) {
        ap_simplex_vertex found;
        apart_vec3 m = e->out;
        const int edge = nearest_edge(&r, &m, &d->least);
        const double value = ap_enclosure_probe(e, pair, m, &found);
        d->most = value;
        d->depth = d->least;
        d->normal = ap_neg(m);
        const bool done = ap_depth_is_enough(d, pair, kind);
        if (done || !(value > d->least) || !insert_after(&r, edge, &found, noise)) {
            d->stop = done ? APART_STOP_CONVERGED : r.count == AP_POLYTOPE_VERTICES ? APART_STOP_WORKSPACE : APART_STOP_ROUNDING;
            d->most = ap_max(value, d->least);
            set_edge_witness(d, &r, edge, m);
            return;
        }
    }
}
