/* The depth of two overlapping cores: the expanding polytope, closed by a certificate.
 *
 * Source: Cameron 1997 section 5 (item C9) for the bounds: the surface's nearest face from below, any support value from above;
 * van den Bergen 2001 for expanding it at that face. We differ in the surface (polytope.c): it need not be convex for its bound
 * to hold, and where both bounds meet the depth is the global minimum although the problem is not convex. */
#include "depth.h"

#include "enclose.h"
#include "polytope.h"

/* In units of u * M: bounds this close have met. */
#define CLOSED_GAP 4.0
/* How often the loop is run again when its simplex cannot be built on. */
#define START_ATTEMPTS 4
#define RESTART_ITERATIONS 256

static void take_vertex(ap_simplex_vertex *out, const ap_polytope_vertex *v, double lambda)
{
    *out = (ap_simplex_vertex){.w = v->w, .a = v->a, .b = ap_add(v->a, v->w), .index_a = v->index_a, .index_b = v->index_b, .lambda = lambda};
}

/* The witness: where the ray along the face's normal leaves the surface. */
static void set_witness(ap_depth *d, const ap_polytope *p, int face)
{
    double weight[3];
    const int f = ap_polytope_locate(p, face, p->face[face].normal, weight);
    d->simplex.count = 0;
    for (int i = 0; i < 3; i++) {
        if (weight[i] > 0.0) {
            take_vertex(&d->simplex.vertex[d->simplex.count++], &p->vertex[p->face[f].vertex[i]], weight[i]);
        }
    }
}

static bool build_surface(ap_polytope *p, const ap_enclosure *e)
{
    if (e->count == 0) {
        return false;
    }
    return e->tetrahedron ? ap_polytope_tetrahedron(p, e->point) : ap_polytope_bipyramid(p, e->point, &e->point[2], e->count - 2);
}

/* Is the bound good enough for what was asked? */
static bool enough(const ap_depth *d, const ap_pair *pair, int kind)
{
    if (kind == APART_DEPTH_EXACT) {
        return d->most - d->least <= CLOSED_GAP * AP_UNIT_ROUNDOFF * pair->magnitude;
    }
    return d->least > pair->upper_error;
}

static void record_face(const ap_polytope *p, int face, const ap_depth *d, const ap_pair *pair, apart_trace *trace)
{
    if (trace == NULL) {
        return;
    }
    if (trace->count < trace->capacity && trace->steps != NULL) {
        apart_trace_step *step = &trace->steps[trace->count];
        const double inverse = pair->inverse_scale;
        *step = (apart_trace_step){.count = 3, .support_index_a = APART_NO_INDEX, .support_index_b = APART_NO_INDEX};
        for (int i = 0; i < 3; i++) {
            const ap_polytope_vertex *v = &p->vertex[p->face[face].vertex[i]];
            step->index_a[i] = ap_input_index(pair->a, v->index_a);
            step->index_b[i] = ap_input_index(pair->b, v->index_b);
            step->point_a[i] = ap_scale(inverse, v->a);
            step->point_b[i] = ap_scale(inverse, ap_add(v->a, v->w));
        }
        step->v = ap_scale(inverse * p->face[face].distance, p->face[face].normal);
        step->lower = -inverse * d->most;
        step->upper = -inverse * d->least;
    }
    trace->count++;
}

/* Expands the surface at its nearest face until the bounds meet. */
static void expand(ap_depth *d, ap_enclosure *e, ap_polytope *p, ap_pair *pair, int kind, apart_trace *trace)
{
    for (;;) {
        ap_simplex_vertex found;
        const int face = ap_polytope_nearest(p);
        const apart_vec3 m = p->face[face].normal;
        const double value = ap_enclosure_probe(e, pair, m, &found);
        d->least = p->face[face].distance;
        d->most = value;
        record_face(p, face, d, pair, trace);
        d->depth = d->least;
        d->normal = ap_neg(m);
        const bool done = enough(d, pair, kind);
        if (done || !(value > d->least) || !ap_polytope_insert(p, face, &found)) {
            const bool full = p->vertex_count == AP_POLYTOPE_VERTICES;
            d->stop = done ? APART_STOP_CONVERGED : full ? APART_STOP_WORKSPACE : APART_STOP_ROUNDING;
            d->most = ap_max(ap_min(value, e->support), d->least);
            set_witness(d, p, face);
            return;
        }
    }
}

/* 2D: a ring of edges instead of a surface of triangles; the vertices are kept in angular order. */
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
        take_vertex(&d->simplex.vertex[d->simplex.count++], p, 1.0 - at_q);
    }
    if (at_q > 0.0) {
        take_vertex(&d->simplex.vertex[d->simplex.count++], q, at_q);
    }
}

static void expand_ring(ap_depth *d, ap_enclosure *e, ap_pair *pair, int kind)
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
        const bool done = enough(d, pair, kind);
        if (done || !(value > d->least) || !insert_after(&r, edge, &found, noise)) {
            d->stop = done ? APART_STOP_CONVERGED : r.count == AP_POLYTOPE_VERTICES ? APART_STOP_WORKSPACE : APART_STOP_ROUNDING;
            d->most = ap_max(ap_min(value, e->support), d->least);
            set_edge_witness(d, &r, edge, m);
            return;
        }
    }
}

/* No surface around the origin can be certified: contact. The loop's simplex holds the common point. */
static void set_contact(ap_depth *d, const ap_enclosure *e, const ap_gjk *g)
{
    d->simplex = g->simplex;
    d->normal = ap_neg(e->out);
    d->depth = 0.0;
    d->least = 0.0;
    d->most = ap_max(e->support, 0.0);
    d->enclosed = false;
    d->stop = APART_STOP_CONVERGED;
}

/* The loop again, from the direction in which least of the TCSO lies beyond the origin. */
static void restart(ap_gjk *g, ap_pair *pair, const ap_enclosure *e)
{
    const ap_gjk_options options = {.solver = ap_solve_default, .fallback = true, .max_iterations = RESTART_ITERATIONS, .cutoff = INFINITY};
    const ap_gjk before = *g;
    ap_gjk_start(g, pair, ap_neg(e->out));
    ap_gjk_run(g, pair, &options);
    g->iterations += before.iterations;
    g->solver_calls += before.solver_calls;
    g->fell_back = g->fell_back || before.fell_back;
}

/* A surface around the origin, or the certainty that there is none. p is for 3D; a ring is left in the enclosure. */
static bool find_start(ap_enclosure *e, ap_polytope *p, ap_pair *pair, ap_gjk *g)
{
    if (g->warm) {
        e->out = ap_max_abs(g->direction) > 0.0 ? ap_neg(g->direction) : ap_vec(1.0, 0.0, 0.0);
        restart(g, pair, e); /* the surface's vertices must be extreme */
    }
    for (int attempt = 0; attempt < START_ATTEMPTS; attempt++) {
        ap_enclose(e, pair, g);
        if (pair->dim == 2 ? e->count > 0 : build_surface(p, e)) {
            return true;
        }
        if (ap_enclosure_separates(e, pair)) {
            return false;
        }
        restart(g, pair, e);
        if (g->outcome == AP_SEPARATED) {
            e->out = ap_scale(-1.0 / g->length, g->v);
            e->support = -g->reach;
            return false;
        }
    }
    return false;
}

void ap_depth_find(ap_depth *d, ap_pair *pair, ap_gjk *g, int kind, apart_trace *trace)
{
    ap_enclosure e;
    ap_polytope p;
    if (pair->confirm) {
        pair->context.search = APART_SUPPORT_SCAN;
    }
    if (!find_start(&e, &p, pair, g)) {
        set_contact(d, &e, g);
        return;
    }
    if (pair->dim == 2) {
        expand_ring(d, &e, pair, kind);
    } else {
        expand(d, &e, &p, pair, kind, trace);
    }
    d->enclosed = d->least > pair->upper_error;
}
