/* The depth of two overlapping cores: the expanding polytope, closed by a certificate.
 *
 * Source: Cameron 1997 section 5 (item C9) for the bounds: the surface's nearest face from below, any support value from above;
 * van den Bergen 2001 for expanding it at that face. We differ in the surface (polytope.c): it need not be convex for its bound
 * to hold, and where both bounds meet the depth is the global minimum although the problem is not convex. */
#include "depth_probe.h"
#include "depth_surface.h"

/* Of M: a guessed support point this far beyond a face is good enough to expand there. */
#define GUESSED_RISE 0x1p-20
/* How often the loop is run again when its simplex cannot be built on. */
#define START_ATTEMPTS 4
/* In units of u * M: what axes of revolution that are parallel to rounding only can do to the depth. */
#define REVOLUTION_ERROR 32.0
#define RESTART_ITERATIONS 256
/* In units of u * M: bounds farther apart are worth another start, and how many of those. */
#define LOOSE_GAP 4096.0
#define FURTHER_STARTS 3
/* How often bodies in contact are moved apart to find the plane between them, and by what share of the last move. */
#define CONTACT_MOVES 12
#define CONTACT_STEP 0x1p-4

static const ap_gjk_options loop_again = {
    .fallback = true, .max_iterations = RESTART_ITERATIONS, .cutoff = INFINITY};

/* A vertex of the surface as one of a simplex. placed: hulls of few vertices, else NULL. */
static void take_vertex(const ap_polytope *p, ap_pair *pair, const ap_vertex_sets *placed, int vertex, double lambda, ap_simplex_vertex *out)
{
    if (placed == NULL) {
        ap_polytope_vertex(p, pair, vertex, lambda, out);
        return;
    }
    const uint32_t *index = &p->index[2 * vertex];
    const ap_lanes a = ap_vertices_get(&placed->a, index[0]), b = ap_vertices_get(&placed->b, index[1]);
    ap_lanes_store(&out->a, a);
    ap_lanes_store(&out->b, b);
    ap_lanes_store(&out->w, b - a);
    out->index_a = index[0];
    out->index_b = index[1];
    out->lambda = lambda;
}

/* The witness: where the ray along the face's normal leaves the surface. */
static void set_witness(ap_depth *d, const ap_polytope *p, ap_pair *pair, const ap_vertex_sets *placed, int face)
{
    double weight[3];
    const int f = ap_polytope_locate(p, face, ap_neg(d->normal), weight);
    d->simplex.count = 0;
    for (int i = 0; i < 3; i++) {
        if (weight[i] > 0.0) {
            take_vertex(p, pair, placed, ap_polytope_corner(p, f, i), weight[i], &d->simplex.vertex[d->simplex.count++]);
        }
    }
}

bool ap_depth_build_surface(ap_polytope *p, const ap_enclosure *e)
{
    if (e->count == 0) {
        return false;
    }
    return e->tetrahedron ? ap_polytope_tetrahedron(p, e->point) : ap_polytope_bipyramid(p, e->point, &e->point[2], e->count - 2);
}

/* What a face says: its unit normal, its distance, which bounds the depth from below, and the support value along the normal, which bounds
 * it from above. */
typedef struct face_bounds {
    apart_vec3 m;
    double least, most;
} face_bounds;

/* A guess said nothing about the upper bound: that is searched for here, for the reader's sake. */
static AP_RARE void record_face(const ap_polytope *p, int face, const face_bounds *bounds, ap_pair *pair, apart_trace *trace)
{
    ap_simplex_vertex farthest = {.index_a = APART_NO_INDEX, .index_b = APART_NO_INDEX};
    ap_depth now = {.normal = ap_neg(bounds->m), .least = bounds->least, .most = bounds->most};
    if (now.most == INFINITY) {
        ap_pair_support(pair, now.normal, &farthest);
        now.most = ap_max(ap_dot(bounds->m, farthest.w), now.least);
    }
    apart_trace_step *step = ap_depth_step(&now, pair, 3, trace);
    if (step == NULL) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        ap_simplex_vertex v;
        ap_polytope_vertex(p, pair, ap_polytope_corner(p, face, i), 0.0, &v);
        ap_depth_step_corner(step, i, &v, pair);
    }
    for (int k = 0; k < 3 * p->face_count; k++) {
        ap_depth_step_surface(step, ap_polytope_point(p, ap_polytope_corner(p, k / 3, k % 3)), pair, trace);
    }
}

/* How exactly a face is asked: with a guess that rises beyond the face, or only with the farthest point. */
enum { GUESS, SEARCH };

/* The bounds that a face gives, and a point beyond it to expand at. placed: hulls of few vertices, else NULL. After a guess the upper bound
 * is infinite. */
AP_INLINE face_bounds ask_face(ap_enclosure *e, const ap_polytope *p, int face, ap_pair *pair, const ap_vertex_sets *placed, int how, ap_simplex_vertex *found)
{
    const apart_vec3 n = ap_polytope_direction(p, face);
    face_bounds bounds = {.most = INFINITY};
    bounds.m = ap_polytope_normal(p, face, &bounds.least);
    if (placed != NULL) {
        ap_placed_support(placed, pair, n, found);
    } else {
        const int newest = ap_polytope_corner(p, face, 0);
        const bool guesses = pair->guesses && pair->context.search == APART_SUPPORT_AUTO;
        found->index_a = guesses ? APART_NO_INDEX : p->index[2 * newest];
        found->index_b = guesses ? APART_NO_INDEX : p->index[2 * newest + 1];
        if (guesses && how == GUESS) {
            found->index_a = AP_GUESS;
            found->index_b = AP_GUESS;
            ap_pair_support(pair, ap_neg(n), found);
            if (ap_dot(bounds.m, found->w) - bounds.least > GUESSED_RISE * pair->magnitude) {
                return bounds;
            }
        }
        ap_pair_support(pair, ap_neg(n), found);
    }
    const double value = ap_dot(bounds.m, found->w);
    ap_enclosure_remember(e, bounds.m, value);
    bounds.most = ap_max(value, bounds.least);
    return bounds;
}

/* Expands the surface at its nearest face until the bounds meet. A face at which rounding forbids that is set aside: growth beside
 * it may flip it away; if not, it is the answer's lower bound in the end. */
static void expand(ap_depth *d, ap_enclosure *e, ap_polytope *p, ap_pair *pair, const ap_vertex_sets *placed, int how, int kind, apart_trace *trace)
{
    ap_simplex_vertex found;
    face_bounds bounds = {.least = 0.0};
    int face = ap_polytope_nearest(p);
    bool done = false;
    while (face >= 0 && p->vertex_count < p->capacity) {
        bounds = ask_face(e, p, face, pair, placed, how, &found);
        if (trace != NULL) {
            record_face(p, face, &bounds, pair, trace);
        }
        done = ap_depth_is_enough(bounds.least, bounds.most, pair, kind);
        if (done) {
            break;
        }
        if (!(bounds.most > bounds.least) || !ap_polytope_insert(p, face, &found, bounds.least)) {
            ap_polytope_set_aside(p, face);
        }
        face = ap_polytope_nearest(p);
    }
    int nearest = face;
    if (p->aside || !done) {
        ap_polytope_take_back(p);
        nearest = ap_polytope_nearest(p);
    }
    if (nearest != face || !done) {
        bounds = ask_face(e, p, nearest, pair, placed, SEARCH, &found);
        done = ap_depth_is_enough(bounds.least, bounds.most, pair, kind);
    }
    d->least = bounds.least;
    d->most = bounds.most;
    d->depth = bounds.least;
    d->normal = ap_neg(bounds.m);
    d->stop = done ? APART_STOP_CONVERGED : p->vertex_count == p->capacity ? APART_STOP_WORKSPACE : APART_STOP_ROUNDING;
    set_witness(d, p, pair, placed, nearest);
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

/* The plane between the bodies once they are moved apart along `away`: its support value at the true place is remembered. */
static void probe_moved_apart(ap_enclosure *e, ap_pair *pair, apart_vec3 away, double step)
{
    ap_gjk g;
    ap_pair moved = *pair;
    moved.offset = ap_add(pair->offset, ap_scale(step, away));
    ap_gjk_start(&g, &moved, away);
    ap_gjk_run(&g, &moved, &loop_again);
    pair->support_calls = moved.support_calls;
    if (g.outcome == AP_SEPARATED) {
        ap_simplex_vertex found;
        ap_enclosure_probe(e, pair, ap_scale(-1.0 / g.length, g.v), &found);
    }
}

/* The origin is near the TCSO's boundary and no plane close to it is known. Away from the TCSO's centre a small move leaves it, and
 * the nearest plane is then one of those that meet at the origin; further moves along the best way out so far descend from there. */
static void find_contact_plane(ap_enclosure *e, ap_pair *pair)
{
    const apart_vec3 from_center = ap_max_abs(pair->offset) > 0.0 ? ap_unit(pair->offset) : ap_neg(e->out);
    double step = pair->magnitude;
    for (int i = 0; i < CONTACT_MOVES && !ap_enclosure_separates(e, pair); i++) {
        step *= CONTACT_STEP;
        probe_moved_apart(e, pair, from_center, step);
    }
    for (int i = 0; i < CONTACT_MOVES && e->support < INFINITY && !ap_enclosure_separates(e, pair); i++) {
        probe_moved_apart(e, pair, ap_neg(e->out), 2.0 * e->support);
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

/* Builds on the simplex; on a triangle whose edge the origin is on, to rounding, by that edge. */
static bool build_on(ap_enclosure *e, ap_polytope *p, ap_pair *pair, const ap_gjk *g)
{
    ap_enclose(e, pair, g);
    if (pair->dim == 2 || ap_depth_build_surface(p, e)) {
        return e->count > 0;
    }
    if (g->simplex.count != 3 || ap_enclosure_separates(e, pair)) {
        return false;
    }
    ap_gjk edge = *g;
    int least = 0;
    double share[3];
    for (int i = 0; i < 3; i++) {
        share[i] = g->simplex.vertex[i].lambda * ap_norm(g->simplex.vertex[i].w);
        least = share[i] < share[least] ? i : least;
    }
    ap_simplex_keep(&edge.simplex, 7u & ~(1u << least));
    ap_enclose(e, pair, &edge);
    return ap_depth_build_surface(p, e);
}

/* The usual case: four points of a cold loop that clearly have the origin between them. */
static bool build_on_tetrahedron(ap_enclosure *e, ap_polytope *p, const ap_pair *pair, const ap_gjk *g)
{
    if (pair->dim != 3 || g->warm || g->simplex.count != 4 || !ap_polytope_tetrahedron(p, g->simplex.vertex)) {
        return false;
    }
    const double reach = ap_enclosure_noise(pair);
    ap_enclosure_clear(e);
    return p->key[ap_polytope_nearest(p)] > reach * reach;
}

/* A surface around the origin, or the certainty that there is none. p is for 3D; a ring is left in the enclosure. */
static bool find_start(ap_enclosure *e, ap_polytope *p, ap_pair *pair, ap_gjk *g)
{
    if (build_on_tetrahedron(e, p, pair, g)) {
        return true;
    }
    if (g->warm) {
        e->out = ap_max_abs(g->direction) > 0.0 ? ap_neg(g->direction) : ap_vec(1.0, 0.0, 0.0);
        restart(g, pair, e); /* the surface's vertices must be extreme */
    }
    for (int attempt = 0; attempt < START_ATTEMPTS; attempt++) {
        if (build_on(e, p, pair, g)) {
            return true;
        }
        if (ap_enclosure_separates(e, pair)) {
            return false;
        }
        restart(g, pair, e);
        if (g->outcome == AP_SEPARATED) {
            e->out = ap_scale(-1.0 / g->length, g->v);
            e->support = -g->lower;
            return false;
        }
    }
    return false;
}

/* A fresh surface from the loop's simplex, expanded; or contact. */
static void find_from_simplex(ap_depth *d, ap_polytope *p, ap_pair *pair, ap_gjk *g, int how, int kind, apart_trace *trace)
{
    ap_enclosure e;
    ap_plane plane = {.f = {1.0, 0.0, 0.0}, .g = {0.0, 1.0, 0.0}};
    p->face_count = 0;
    p->aside = false;
    const bool revolved = ap_revolution_plane(pair, &plane);
    if (revolved) {
        ap_enclose_in_plane(&e, pair, &plane);
    }
    bool started = revolved ? e.count > 0 : find_start(&e, p, pair, g);
    if (!started && !ap_enclosure_separates(&e, pair)) {
        find_contact_plane(&e, pair);
        if (!revolved && !ap_enclosure_separates(&e, pair)) {
            const ap_enclosure known = e;
            restart(g, pair, &e);
            started = g->outcome != AP_SEPARATED && find_start(&e, p, pair, g);
            e = started || e.support < known.support ? e : known;
        }
    }
    if (!started) {
        set_contact(d, &e, g);
        return;
    }
    if (revolved || pair->dim == 2) {
        ap_depth_in_plane(d, &e, pair, &plane, kind, trace);
    } else {
        ap_vertex_sets placed;
        const bool few = ap_pair_is_small(pair, AP_PLACED_VERTICES);
        if (few) {
            ap_pair_transform(pair, &placed);
        }
        expand(d, &e, p, pair, few ? pair->sets : NULL, how, kind, trace);
        pair->sets = pair->sets == &placed ? NULL : pair->sets; /* its memory ends here */
    }
    if (revolved) {
        ap_revolution_flatten(pair, &plane, &d->simplex);
        d->least -= REVOLUTION_ERROR * AP_UNIT_ROUNDOFF * pair->magnitude; /* axes parallel to rounding only move the surface by as much */
    }
    d->enclosed = d->least > pair->upper_error;
    if (!d->enclosed && d->stop != APART_STOP_CONVERGED) {
        find_contact_plane(&e, pair);
        set_contact(d, &e, g);
    }
}

/* Bounds that stayed apart: a surface from another start need not have the same dent. A workspace that guesses filled may do for farthest
 * points. */
static bool is_loose(const ap_depth *d, const ap_pair *pair, bool guessed)
{
    return (d->stop != APART_STOP_WORKSPACE || guessed) && d->most - d->least > LOOSE_GAP * AP_UNIT_ROUNDOFF * pair->magnitude;
}

/* The best of a few starts; nearly always the first one closes. The others take farthest points alone: guesses need not be extreme, and
 * such points dent the surface. */
static void find_afresh(ap_depth *d, ap_polytope *p, ap_pair *pair, ap_gjk *g, int kind, apart_trace *trace)
{
    find_from_simplex(d, p, pair, g, GUESS, kind, trace);
    for (int i = 0; i < FURTHER_STARTS && kind == APART_DEPTH_EXACT && is_loose(d, pair, i == 0 && pair->guesses); i++) {
        const apart_vec3 across = ap_perpendicular(d->normal);
        const ap_enclosure start = {.out = i == 0 ? ap_neg(d->normal) : i == 1 ? across : ap_cross(across, d->normal)};
        ap_depth again;
        restart(g, pair, &start);
        if (g->outcome == AP_SEPARATED) {
            return;
        }
        find_from_simplex(&again, p, pair, g, SEARCH, kind, trace);
        if (again.most - again.least < d->most - d->least) {
            *d = again;
        }
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
    ap_vertex_sets space;
    const ap_vertex_sets *placed = NULL;
    prove_probes(pair);
    if (pair->dim != 3 || !pair->vertices || kind != APART_DEPTH_EXACT || !ap_depth_cache_fits(cache, pair)) {
        return false;
    }
    if (ap_pair_is_small(pair, AP_ALWAYS_PLACED)) {
        ap_pair_transform(pair, &space);
        placed = pair->sets;
    }
    const bool loaded = ap_depth_cache_load(cache, pair, placed, &p);
    pair->sets = NULL; /* its memory ends here */
    if (!loaded) {
        return false;
    }
    ap_enclosure e = {.support = INFINITY};
    expand(d, &e, &p, pair, placed, SEARCH, kind, trace);
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
    ap_polytope p;
    if (cache == NULL || pair->dim == 2 || (!pair->vertices && ap_depth_cache_room(cache, pair) < AP_POLYTOPE_VERTICES)) {
        ap_polytope_storage storage;
        ap_polytope_init(&p, &storage, AP_POLYTOPE_VERTICES, pair);
        find_afresh(d, &p, pair, g, kind, trace);
        return;
    }
    ap_depth_cache_open(cache, pair, &p);
    find_afresh(d, &p, pair, g, kind, trace);
    ap_depth_cache_store(cache, pair, &p, true);
}
