/* The depth within a plane: the ring of edges around the origin, expanded at its nearest edge.
 *
 * Source: as depth.c (item C9), one dimension lower. A support point beyond an edge lies between its ends in angular order, because
 * all three are on the boundary of the TCSO's section: inserting it there keeps the ring around the origin.
 * Used for planar bodies, and for bodies of revolution about parallel axes (revolution.c). */
#include "depth_surface.h"

/* The vertices are kept in angular order. */
typedef struct ring {
    int count;
    const ap_plane *plane;
    ap_simplex_vertex vertex[AP_POLYTOPE_VERTICES];
} ring;

/* A vertex in the plane's coordinates. */
static apart_vec3 at(const ring *r, int i)
{
    const apart_vec3 w = r->vertex[i % r->count].w;
    return ap_vec(ap_dot(r->plane->f, w), ap_dot(r->plane->g, w), 0.0);
}

static apart_vec3 edge_normal(const ring *r, int i, double *distance)
{
    const apart_vec3 p = at(r, i), q = at(r, i + 1);
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

/* A new vertex between i and i+1, if that keeps the origin clearly inside. */
static bool insert_after(ring *r, int i, const ap_simplex_vertex *s, double noise)
{
    const apart_vec3 p = at(r, i), q = at(r, i + 1), w = ap_vec(ap_dot(r->plane->f, s->w), ap_dot(r->plane->g, s->w), 0.0);
    const bool fits = ap_diff_of_products(p.x, w.y, p.y, w.x) > noise && ap_diff_of_products(w.x, q.y, w.y, q.x) > noise;
    if (r->count == AP_POLYTOPE_VERTICES || !fits) {
        return false;
    }
    for (int k = r->count; k > i + 1; k--) {
        r->vertex[k] = r->vertex[k - 1];
    }
    r->vertex[i + 1] = *s;
    r->count++;
    return true;
}

/* The edge that the ray along m leaves through: edges in one line with the nearest one are as near. */
static int edge_at(const ring *r, int i, apart_vec3 along)
{
    for (int step = 0; step < r->count; step++) {
        if (ap_dot(along, at(r, i)) > 0.0) {
            i = (i + r->count - 1) % r->count;
        } else if (ap_dot(along, at(r, i + 1)) < 0.0) {
            i = (i + 1) % r->count;
        } else {
            break;
        }
    }
    return i;
}

static void take_vertex(ap_depth *d, const ap_simplex_vertex *v, double lambda)
{
    d->simplex.vertex[d->simplex.count] = *v;
    d->simplex.vertex[d->simplex.count++].lambda = lambda;
}

/* Where the nearest edge's normal m meets the ring. */
static void set_witness(ap_depth *d, const ring *r, int nearest, apart_vec3 m)
{
    const apart_vec3 along = ap_vec(-m.y, m.x, 0.0);
    const int i = edge_at(r, nearest, along);
    const double to_p = ap_dot(along, at(r, i)), to_q = ap_dot(along, at(r, i + 1));
    const double t = to_q > to_p ? -to_p / (to_q - to_p) : 0.0;
    const double at_q = ap_min(ap_max(t, 0.0), 1.0);
    d->simplex.count = 0;
    if (at_q < 1.0) {
        take_vertex(d, &r->vertex[i], 1.0 - at_q);
    }
    if (at_q > 0.0) {
        take_vertex(d, &r->vertex[(i + 1) % r->count], at_q);
    }
}

static void record_edge(const ring *r, int edge, const ap_depth *d, const ap_pair *pair, apart_trace *trace)
{
    apart_trace_step *step = ap_depth_step(d, pair, 2, trace);
    if (step == NULL) {
        return;
    }
    ap_depth_step_corner(step, 0, &r->vertex[edge], pair);
    ap_depth_step_corner(step, 1, &r->vertex[(edge + 1) % r->count], pair);
    for (int i = 0; i < r->count; i++) {
        ap_depth_step_surface(step, r->vertex[i].w, pair, trace);
    }
}

void ap_depth_in_plane(ap_depth *d, ap_enclosure *e, ap_pair *pair, const ap_plane *plane, int kind, apart_trace *trace)
{
    ring r;
    r.count = e->count;
    r.plane = plane;
    const double noise = 0x1p-98 * pair->magnitude * pair->magnitude; /* a difference of products carries 106 bits */
    for (int i = 0; i < e->count; i++) {
        r.vertex[i] = e->point[i];
    }
    for (;;) {
        ap_simplex_vertex found;
        apart_vec3 in_plane = ap_vec(1.0, 0.0, 0.0);
        const int edge = nearest_edge(&r, &in_plane, &d->least);
        const apart_vec3 m = ap_add(ap_scale(in_plane.x, plane->f), ap_scale(in_plane.y, plane->g));
        const double value = ap_enclosure_probe(e, pair, m, &found);
        d->most = value;
        d->depth = d->least;
        d->normal = ap_neg(m);
        record_edge(&r, edge, d, pair, trace);
        const bool done = ap_depth_is_enough(d->least, d->most, pair, kind);
        if (done || !(value > d->least) || !insert_after(&r, edge, &found, noise)) {
            d->stop = done ? APART_STOP_CONVERGED : r.count == AP_POLYTOPE_VERTICES ? APART_STOP_WORKSPACE : APART_STOP_ROUNDING;
            d->most = ap_max(value, d->least);
            set_witness(d, &r, edge, in_plane);
            return;
        }
    }
}
