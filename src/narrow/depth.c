/* The depth of two overlapping cores: the expanding polytope, closed by a certificate.
 *
 * Source: Cameron 1997 section 5 (item C9) for the bounds: the surface's nearest face from below, any support value from above;
 * van den Bergen 2001 for expanding it at that face. We differ in the surface (polytope.c): it need not be convex for its bound
 * to hold, and where both bounds meet the depth is the global minimum although the problem is not convex. */
#include "depth_surface.h"

/* In units of u * M: bounds this close have met. */
#define CLOSED_GAP 4.0
/* How often the loop is run again when its simplex cannot be built on. */
#define START_ATTEMPTS 4
/* In units of u * M: what axes of revolution that are parallel to rounding only can do to the depth. */
#define REVOLUTION_ERROR 32.0
#define RESTART_ITERATIONS 256
/* Bodies in contact are moved apart by this share of M, then by its powers, to find the plane between them. */
#define CONTACT_STEP 0x1p-6
#define CONTACT_MOVES 6

static const ap_gjk_options loop_again = {
    .solver = ap_solve_default, .fallback = true, .max_iterations = RESTART_ITERATIONS, .cutoff = INFINITY};

void ap_depth_take_vertex(ap_simplex_vertex *out, const ap_polytope_vertex *v, double lambda)
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
            ap_depth_take_vertex(&d->simplex.vertex[d->simplex.count++], &p->vertex[p->face[f].vertex[i]], weight[i]);
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

bool ap_depth_is_enough(const ap_depth *d, const ap_pair *pair, int kind)
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
        const bool done = ap_depth_is_enough(d, pair, kind);
        if (done || !(value > d->least) || !ap_polytope_insert(p, face, &found)) {
            const bool full = p->vertex_count == p->capacity;
            d->stop = done ? APART_STOP_CONVERGED : full ? APART_STOP_WORKSPACE : APART_STOP_ROUNDING;
            d->most = ap_max(value, d->least);
            set_witness(d, p, face);
            return;
        }
    }
}

/* The loop again, from the direction in which least of the TCSO lies beyond the origin. */
static void restart(ap_gjk *g, ap_pair *pair, const ap_enclosure *e)
{
    const int iterations = g->iterations, solver_calls = g->solver_calls;
    const bool fell_back = g->fell_back;
    ap_gjk_start(g, pair, ap_neg(e->out));
    ap_gjk_run(g, pair, &loop_again);
    g->iterations += iterations;
    g->solver_calls += solver_calls;
    g->fell_back = g->fell_back || fell_back;
}

/* The origin is on the TCSO's boundary, to rounding, and no plane through it is known. Moved apart a little, the bodies are
 * disjoint, and the loop's plane for them passes through the origin too unless the move was larger than the face. */
static void find_contact_plane(ap_enclosure *e, ap_pair *pair)
{
    apart_vec3 away = ap_max_abs(pair->offset) > 0.0 ? ap_unit(pair->offset) : ap_neg(e->out);
    double step = CONTACT_STEP * pair->magnitude;
    for (int i = 0; i < CONTACT_MOVES && !ap_enclosure_separates(e, pair); i++, step *= CONTACT_STEP) {
        ap_gjk g;
        ap_pair moved = *pair;
        moved.offset = ap_add(pair->offset, ap_scale(step, away));
        ap_gjk_start(&g, &moved, away);
        ap_gjk_run(&g, &moved, &loop_again);
        pair->support_calls = moved.support_calls;
        if (g.outcome == AP_SEPARATED) {
            ap_simplex_vertex found;
            ap_enclosure_probe(e, pair, ap_scale(-1.0 / g.length, g.v), &found);
            away = ap_neg(e->out);
        }
    }
}

/* No surface around the origin can be certified: contact. The loop's simplex holds the common point. */
static void set_contact(ap_depth *d, ap_enclosure *e, ap_pair *pair, const ap_gjk *g)
{
    find_contact_plane(e, pair);
    d->simplex = g->simplex;
    d->normal = ap_neg(e->out);
    d->depth = 0.0;
    d->least = 0.0;
    d->most = ap_max(e->support, 0.0);
    d->enclosed = false;
    d->stop = APART_STOP_CONVERGED;
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

/* A fresh surface, expanded; or contact. */
static void find_afresh(ap_depth *d, ap_polytope *p, ap_pair *pair, ap_gjk *g, int kind, apart_trace *trace)
{
    ap_enclosure e;
    ap_plane plane = {.f = {1.0, 0.0, 0.0}, .g = {0.0, 1.0, 0.0}};
    p->face_count = 0;
    const bool revolved = ap_revolution_plane(pair, &plane);
    if (revolved) {
        ap_enclose_in_plane(&e, pair, &plane);
    }
    if (revolved ? e.count == 0 : !find_start(&e, p, pair, g)) {
        set_contact(d, &e, pair, g);
        return;
    }
    if (revolved || pair->dim == 2) {
        ap_depth_in_plane(d, &e, pair, &plane, kind);
    } else {
        expand(d, &e, p, pair, kind, trace);
    }
    /* Axes that are parallel to rounding only move the surface by as much. */
    d->least -= revolved ? REVOLUTION_ERROR * AP_UNIT_ROUNDOFF * pair->magnitude : 0.0;
    d->enclosed = d->least > pair->upper_error;
    if (!d->enclosed && d->stop != APART_STOP_CONVERGED) {
        set_contact(d, &e, pair, g);
    }
}

/* A probe's value is a proof only if the search cannot have missed. */
static void prove_probes(ap_pair *pair)
{
    if (pair->confirm) {
        pair->context.search = APART_SUPPORT_SCAN;
    }
}

bool ap_depth_track(ap_depth *d, ap_pair *pair, apart_depth_cache *cache, int kind, apart_trace *trace)
{
    ap_polytope p;
    prove_probes(pair);
    if (pair->dim != 3 || kind != APART_DEPTH_EXACT || !ap_depth_cache_load(cache, pair, &p)) {
        return false;
    }
    ap_enclosure e = {.support = INFINITY};
    expand(d, &e, &p, pair, kind, trace);
    d->enclosed = d->least > pair->upper_error;
    if (d->stop != APART_STOP_CONVERGED || !d->enclosed) {
        return false; /* vertices that are not extreme any more dent the surface: build it anew */
    }
    ap_depth_cache_store(cache, pair, &p, false);
    return true;
}

void ap_depth_find(ap_depth *d, ap_pair *pair, ap_gjk *g, apart_depth_cache *cache, int kind, apart_trace *trace)
{
    prove_probes(pair);
    if (cache == NULL || pair->dim == 2) {
        ap_polytope_storage storage;
        ap_polytope p = {.capacity = AP_POLYTOPE_VERTICES, .vertex = storage.vertex, .face = storage.face};
        find_afresh(d, &p, pair, g, kind, trace);
        return;
    }
    ap_polytope p;
    ap_depth_cache_load(cache, pair, &p);
    find_afresh(d, &p, pair, g, kind, trace);
    ap_depth_cache_store(cache, pair, &p, true);
}
