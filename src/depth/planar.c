/* EPA within a plane: the ring of edges around the origin is expanded at its nearest edge until the bounds of the depth
 * meet.
 *
 * Source: as expand.c, one dimension lower. A support point beyond an edge lies between its ends in angular order,
 * because all three are on the boundary of the section of the Minkowski difference: inserting it there keeps the ring
 * around the origin. Used for planar bodies, and for bodies of revolution about parallel axes (revolution.c). */
#include "depth_search.h"

/* Vertices in angular order, in the memory of the polytope, which a planar search has no use for. */
typedef struct ring {
    int count, capacity;
    const ap_plane *plane;
    ap_simplex_vertex *vertex;
} ring;

_Static_assert(AP_POLYTOPE_BYTES >= sizeof(ap_simplex_vertex) + 4, "a ring of 8 vertices and more fits, aligned");

/* A vertex in the coordinates of the plane. */
static apart_vec3 ring_point(const ring *r, int i)
{
    const apart_vec3 w = r->vertex[i % r->count].w;
    return ap_vec(ap_dot(r->plane->f, w), ap_dot(r->plane->g, w), 0.0);
}

/* A unit vector n with n.x >= *distance for all x of the edge from vertex i to the next one: across the edge, or to an
 * end that is the point nearest to the origin. Ends that coincide to rounding are such: what is across them is
 * noise. An edge that does not run around the origin has a distance below 0. */
static apart_vec3 edge_normal(const ring *r, int i, double *distance)
{
    const apart_vec3 p = ring_point(r, i), q = ring_point(r, i + 1), e = ap_vec(q.x - p.x, q.y - p.y, 0.0);
    const bool around = ap_diff_of_products(p.x, q.y, p.y, q.x) > 0.0; /* the origin is on the inner side of the edge */
    const apart_vec3 across = ap_vec(e.y, -e.x, 0.0);
    const apart_vec3 m = around && ap_dot(p, e) >= 0.0 ? p : around && ap_dot(q, e) <= 0.0 ? q : across;
    const apart_vec3 n = ap_scale(1.0 / ap_norm(m), m);
    *distance = ap_min(ap_dot(n, p), ap_dot(n, q));
    return n;
}

/* The edge nearest to the origin, with its unit normal in the coordinates of the plane and its distance. */
static int nearest_ring_edge(const ring *r, apart_vec3 *normal, double *distance)
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

/* Inserts a vertex between i and i + 1 if that keeps the origin clearly inside. */
static bool insert_after(ring *r, int i, const ap_simplex_vertex *s, double noise)
{
    const apart_vec3 p = ring_point(r, i), q = ring_point(r, i + 1);
    const apart_vec3 w = ap_vec(ap_dot(r->plane->f, s->w), ap_dot(r->plane->g, s->w), 0.0);
    const double after_p = ap_diff_of_products(p.x, w.y, p.y, w.x), before_q = ap_diff_of_products(w.x, q.y, w.y, q.x);
    if (!(after_p > noise && before_q > noise)) {
        return false;
    }
    for (int k = r->count; k > i + 1; k--) {
        r->vertex[k] = r->vertex[k - 1];
    }
    r->vertex[i + 1] = *s;
    r->count++;
    return true;
}

/* Inserts a vertex at edge i, or at one of its neighbours where an end of the edge is nearest to the origin. */
static bool insert_near(ring *r, int i, const ap_simplex_vertex *s, double noise)
{
    return r->count < r->capacity && (insert_after(r, i, s, noise) || insert_after(r, (i + 1) % r->count, s, noise) ||
                                      insert_after(r, (i + r->count - 1) % r->count, s, noise));
}

/* The edge that the ray along the normal of edge i leaves the ring through: edges in one line with the nearest one are
 * as near. along: the direction of the edge. */
static int edge_at(const ring *r, int i, apart_vec3 along)
{
    for (int step = 0; step < r->count; step++) {
        if (ap_dot(along, ring_point(r, i)) > 0.0) {
            i = (i + r->count - 1) % r->count;
        } else if (ap_dot(along, ring_point(r, i + 1)) < 0.0) {
            i = (i + 1) % r->count;
        } else {
            break;
        }
    }
    return i;
}

/* The witness point: where the ray along m (in the coordinates of the plane) leaves the ring, near an edge. */
static void set_edge_witness(ap_depth *d, const ring *r, int near, apart_vec3 m)
{
    const apart_vec3 along = ap_vec(-m.y, m.x, 0.0);
    const int i = edge_at(r, near, along);
    const double to_p = ap_dot(along, ring_point(r, i)), to_q = ap_dot(along, ring_point(r, i + 1));
    const double t = to_q > to_p ? -to_p / (to_q - to_p) : 0.0;
    const double at_q = ap_min(ap_max(t, 0.0), 1.0);
    const double lambda[2] = {1.0 - at_q, at_q};
    d->simplex.count = 0;
    for (int k = 0; k < 2; k++) {
        if (lambda[k] > 0.0) {
            ap_simplex_vertex *out = &d->simplex.vertex[d->simplex.count++];
            *out = r->vertex[(i + k) % r->count];
            out->lambda = lambda[k];
        }
    }
}

static void begin_ring(ring *r, const ap_enclosure *e, const ap_polytope *p, const ap_plane *plane)
{
    r->count = e->count;
    r->vertex = (ap_simplex_vertex *)(((uintptr_t)p->w + 31u) & ~(uintptr_t)31u);
    r->capacity = p->capacity;
    r->plane = plane;
    for (int i = 0; i < e->count; i++) {
        r->vertex[i] = e->point[i];
    }
}

/* Is the direction with the least support value near enough to the plane for witness points in it? It may come from
 * another search, and then lead any way around an axis. */
static bool least_is_in_plane(const ap_depth *d, const ap_enclosure *e, const ap_plane *plane, double size)
{
    const double away = fabs(ap_dot(ap_cross(plane->f, plane->g), e->least_direction));
    return away * size <= d->most - d->least;
}

AP_RARE void ap_depth_expand_ring(ap_depth *d, ap_enclosure *e, ap_polytope *p, const ap_plane *plane,
                                  const ap_depth_search *s)
{
    ap_pair *const pair = s->pair;
    ring r;
    const double noise = 0x1p-98 * pair->magnitude * pair->magnitude; /* a difference of products carries 106 bits */
    apart_vec3 in_plane = ap_vec(1.0, 0.0, 0.0);
    bool done, grown;
    int edge;
    begin_ring(&r, e, p, plane);
    do {
        ap_simplex_vertex found;
        edge = nearest_ring_edge(&r, &in_plane, &d->least);
        const apart_vec3 m = ap_add(ap_scale(in_plane.x, plane->f), ap_scale(in_plane.y, plane->g));
        const double value = ap_depth_support(e, pair, m, &found);
        d->most = value;
        d->normal = ap_neg(m);
        if (s->trace != NULL) {
            ap_depth_trace_edge(s, r.vertex, r.count, edge, d);
        }
        d->most = ap_max(value, d->least);
        done = d->most - d->least <= s->close || d->least > s->deep;
        grown = !done && value > d->least && insert_near(&r, edge, &found, noise);
    } while (grown);
    const bool full = r.count == r.capacity;
    d->stop = done ? APART_STOP_CONVERGED : full ? APART_STOP_WORKSPACE : APART_STOP_ROUNDING;
    d->depth = d->least;
    if (!done && least_is_in_plane(d, e, plane, pair->magnitude) && ap_depth_take_least(d, e)) {
        in_plane = ap_vec(-ap_dot(plane->f, d->normal), -ap_dot(plane->g, d->normal), 0.0);
    }
    set_edge_witness(d, &r, edge, in_plane);
    if (!done) {
        ap_depth_measure(d);
    }
}
