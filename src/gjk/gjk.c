/* The GJK loop.
 *
 * Source: Gilbert, Johnson, Keerthi 1988 in the form of Cameron 1997 section 3: `best_simplex` is the test of the gap at the new
 * support pair (item C4), `refine_simplex` adds that pair (item C7), the solver is a parameter.
 * We differ in the stopping rule. "|v| did not decrease" is wrong near parallel faces (|v| is second order in the direction's
 * error, the gap first order); here the gap |v| - v.w/|v| itself must close to rounding, or the support pair must recur with
 * the gap at rounding; anything else goes to the double-double solver.
 *
 * Legend: v closest point of the simplex to the origin, w = b - a support point of the TCSO against v. */
#include "gjk.h"

#include <string.h>

#include "../simplex/solve_default.h"

/* In units of u * M: the gap that counts as closed at once; the gap that is accepted when no better support exists. */
#define CLOSED_GAP 4.0
#define ACCEPTED_GAP 32.0
/* How far v may be from the difference of the witness points. */
#define AGREEMENT 8.0
/* |v| below this is contact: its direction means nothing any more. */
#define CONTACT_LENGTH 4.0
/* Steps that do not shorten v before the fallback, and before giving up within it. */
#define STALLS_ALLOWED 3
#define STALLS_IN_FALLBACK 8

/* The first direction without a cache: from centre to centre (item G3 with the sign put right). */
static apart_vec3 center_direction(const ap_pair *pair)
{
    return ap_max_abs(pair->offset) > 0.0 ? pair->offset : ap_vec(1.0, 0.0, 0.0);
}

AP_INLINE bool indices_fit(const apart_cache *cache, uint32_t count_a, uint32_t count_b)
{
    for (int i = 0; i < cache->count; i++) {
        if (cache->index_a[i] >= count_a || cache->index_b[i] >= count_b) {
            return false;
        }
    }
    return true;
}

/* The cached direction, if it is one: finite, of ordinary length, in the plane for 2D. */
static bool cached_direction(const apart_cache *cache, const ap_pair *pair, apart_vec3 *v)
{
    const apart_vec3 d = ap_vec(cache->direction[0], cache->direction[1], pair->dim == 2 ? 0.0 : cache->direction[2]);
    const double size = ap_max_abs(d);
    if (!(size > 0.25 && size < 4.0) || !ap_finite(d)) {
        return false;
    }
    *v = ap_apply(pair->rotation_a, d);
    return true;
}

AP_INLINE void reset(ap_gjk *g, bool warm)
{
    g->length = 0.0;
    g->reach = 0.0;
    g->iterations = 0;
    g->solver_calls = 0;
    g->fell_back = false;
    g->blended = false;
    g->warm = warm;
    ap_lanes_store(&g->direction, ap_lanes_all(0.0));
}

void ap_gjk_skip(ap_gjk *g)
{
    reset(g, false);
    g->simplex.count = 0;
    g->outcome = AP_ENCLOSED;
    g->stop = APART_STOP_CONVERGED;
}

/* Inlined by force: a function that only prefetches has no effect in the compiler's eyes, and its calls are dropped. */
AP_INLINE void expect_vertex(const apart_shape *shape, uint32_t vertex)
{
    if (shape->kind == APART_SHAPE_HULL && shape->status == APART_OK) {
        ap_hull_expect(shape->u.hull, vertex);
    }
}

/* Before anything else: starts loading what the cache says will be needed, because large hulls are not in the nearest cache. */
AP_INLINE void expect(const apart_shape *a, const apart_shape *b, const apart_cache *cache)
{
    if (cache != NULL && cache->tag != 0) {
        const unsigned newest = (cache->count - 1u) & 3u;
        expect_vertex(a, cache->index_a[newest]);
        expect_vertex(b, cache->index_b[newest]);
    }
}

/* newest: where the simplex's last vertex is, also below. */
AP_INLINE bool track(ap_gjk *g, ap_pair *pair, ap_known known, const apart_cache *cache, ap_lanes *newest)
{
    const bool polytopes = ap_known_polytopes(known);
    if (cache == NULL || !(polytopes || pair->vertices) || cache->tag != (polytopes ? tag_of(pair->a, pair->b, known) : ap_pair_tag(pair)) ||
        cache->count - 1u > (unsigned)ap_known_dim(known, pair->dim) ||
        !indices_fit(cache, polytopes ? count_vertices(pair->a, known.kind_a) : pair->count_a, polytopes ? count_vertices(pair->b, known.kind_b) : pair->count_b)) {
        return false;
    }
    reset(g, true);
    g->simplex.count = cache->count;
    int i = 0;
    do {
        *newest = ap_pair_vertex_lanes(pair, known, cache->index_a[i], cache->index_b[i], &g->simplex.vertex[i]);
    } while (++i < cache->count);
    return true;
}

bool ap_gjk_track(ap_gjk *g, ap_pair *pair, const apart_cache *cache)
{
    ap_lanes newest;
    return track(g, pair, AP_NOTHING_KNOWN, cache, &newest);
}

apart_vec3 ap_gjk_first_direction(const ap_pair *pair, const apart_cache *cache)
{
    apart_vec3 v;
    if (cache != NULL && cache->tag == ap_pair_tag(pair) && cached_direction(cache, pair, &v)) {
        return v;
    }
    return center_direction(pair);
}

/* The support pair against v, found from another vertex of the TCSO; NULL: a guess is good enough. */
AP_INLINE void look_along(ap_pair *pair, ap_known known, ap_lanes v, const ap_simplex_vertex *from, ap_simplex_vertex *next, ap_look *look)
{
    if (known.laid > 0) {
        ap_look_at_laid(pair, known, v, look);
    } else if (ap_known_boxes(known)) {
        ap_look_at_boxes(pair, v, look);
    } else {
        const uint32_t start_a = from != NULL ? from->index_a : AP_GUESS, start_b = from != NULL ? from->index_b : AP_GUESS;
        ap_pair_support_lanes(pair, known, v, start_a, start_b, next);
        look->product = ap_pair_product(v, next);
    }
}

AP_INLINE ap_lanes start(ap_gjk *g, ap_pair *pair, ap_known known, apart_vec3 direction)
{
    const ap_lanes v = ap_lanes_from(direction);
    ap_simplex_vertex *first = &g->simplex.vertex[0];
    reset(g, false);
    g->simplex.count = 1;
    ap_lanes_store(&g->direction, v);
    if (ap_known_valued(known)) {
        ap_look look;
        look_along(pair, known, v, NULL, first, &look);
        return ap_look_take(pair, known, &look, first);
    }
    const uint32_t hint = known.plain ? AP_GUESS : APART_NO_INDEX;
    return ap_pair_support_lanes(pair, known, v, hint, hint, first);
}

void ap_gjk_start(ap_gjk *g, ap_pair *pair, apart_vec3 v) { start(g, pair, AP_NOTHING_KNOWN, v); }

AP_INLINE void store(const ap_gjk *g, const ap_pair *pair, ap_known known, bool tracked, apart_cache *cache)
{
    const bool polytopes = ap_known_polytopes(known);
    const int count = polytopes || pair->vertices ? g->simplex.count : 0;
    if (!tracked) {
        cache->tag = polytopes ? tag_of(pair->a, pair->b, known) : ap_pair_tag(pair);
    }
    cache->flags = 0;
    cache->count = (uint16_t)count;
    ap_lanes_store(cache->index_a, ap_lanes_all(0.0)); /* both rows of them */
    for (int i = 0; i < count; i++) {
        cache->index_a[i] = g->simplex.vertex[i].index_a;
        cache->index_b[i] = g->simplex.vertex[i].index_b;
    }
    if (g->length > 0.0 && !polytopes) { /* those go on from their vertices */
        const ap_lanes d = ap_lanes_apply(&pair->rows_a, ap_lanes_all(1.0 / g->length) * ap_lanes_load(&g->v));
        cache->direction[0] = d[0];
        cache->direction[1] = d[1];
        cache->direction[2] = d[2];
    }
}

void ap_gjk_store(const ap_gjk *g, const ap_pair *pair, apart_cache *cache) { store(g, pair, AP_NOTHING_KNOWN, false, cache); }

AP_INLINE bool contains_point(const ap_simplex *s, ap_lanes w)
{
    for (int i = 0; i < s->count; i++) {
        if ((ap_mask_bits(ap_lanes_load(&s->vertex[i].w) == w) & 7u) == 7u) {
            return true;
        }
    }
    return false;
}

/* One step into the caller's trace, unscaled. */
static void record(const ap_gjk *g, const ap_pair *pair, const ap_simplex_vertex *next, apart_trace *trace)
{
    if (trace->count < trace->capacity && trace->steps != NULL) {
        apart_trace_step *step = &trace->steps[trace->count];
        const double inverse = pair->inverse_scale;
        *step = (apart_trace_step){.count = (uint32_t)g->simplex.count, .fallback = g->fell_back};
        for (int i = 0; i < g->simplex.count; i++) {
            const ap_simplex_vertex *p = &g->simplex.vertex[i];
            step->index_a[i] = ap_input_index(pair->a, p->index_a);
            step->index_b[i] = ap_input_index(pair->b, p->index_b);
            step->point_a[i] = ap_scale(inverse, p->a);
            step->point_b[i] = ap_scale(inverse, p->b);
            step->lambda[i] = p->lambda;
        }
        step->v = ap_scale(inverse, g->v);
        step->support_index_a = next != NULL ? ap_input_index(pair->a, next->index_a) : APART_NO_INDEX;
        step->support_index_b = next != NULL ? ap_input_index(pair->b, next->index_b) : APART_NO_INDEX;
        step->support_a = next != NULL ? ap_scale(inverse, next->a) : ap_vec(0, 0, 0);
        step->support_b = next != NULL ? ap_scale(inverse, next->b) : ap_vec(0, 0, 0);
        step->lower = next != NULL ? inverse * (g->reach - ap_pair_lower_error(pair)) : -INFINITY;
        step->upper = inverse * (g->length + pair->upper_error);
    }
    trace->count++;
}

/* The support pair against v. A cold query's first searches start from the table or a scan, later ones from the simplex. */
static void find_support(ap_gjk *g, ap_pair *pair, bool hinted, ap_simplex_vertex *next)
{
    const ap_lanes v = ap_lanes_load(&g->v);
    const ap_simplex_vertex *newest = &g->simplex.vertex[g->simplex.count - 1];
    ap_pair_support_lanes(pair, AP_NOTHING_KNOWN, v, hinted ? newest->index_a : APART_NO_INDEX, hinted ? newest->index_b : APART_NO_INDEX, next);
    ap_lanes_store(&g->direction, v);
    g->reach = ap_pair_product(v, next) / g->length;
    ap_count_div(1);
}

/* How far the weights' blend, the difference of the witness points, is from v. */
static double witness_error(const ap_gjk *g) { return ap_norm(ap_sub(ap_simplex_point(&g->simplex), g->v)); }

/* Has the early question of the caller been answered? */
static bool decided(const ap_gjk *g, const ap_pair *pair, const ap_gjk_options *o)
{
    if (g->reach - ap_pair_lower_error(pair) >= o->cutoff) {
        return true;
    }
    if (!o->yes_no) {
        return false;
    }
    const double radius = pair->scale * pair->radius;
    return g->reach - ap_pair_lower_error(pair) > radius || g->length + pair->upper_error <= radius;
}

static void take_nearest_vertex(ap_gjk *g)
{
    int nearest = 0;
    for (int i = 1; i < g->simplex.count; i++) {
        nearest = ap_max_abs(g->simplex.vertex[i].w) < ap_max_abs(g->simplex.vertex[nearest].w) ? i : nearest;
    }
    ap_simplex_keep(&g->simplex, 1u << nearest);
    g->simplex.vertex[0].lambda = 1.0;
    g->v = g->simplex.vertex[0].w;
    g->length = ap_norm(g->v);
}

AP_INLINE double norm(ap_lanes v)
{
    const double square = ap_lanes_dot(v, v);
    ap_count_div(1);
    return square > AP_SQUARE_MIN && square < AP_SQUARE_MAX ? sqrt(square) : ap_norm_scaled(ap_lanes_vec(v));
}

/* A paper's solver, or the fallback. */
static bool solve_otherwise(ap_gjk *g, const ap_pair *pair, const ap_gjk_options *o)
{
    ap_solver_fn *solver = g->fell_back ? ap_solve_double_double : o->solver;
    bool inside = solver(&g->simplex, pair->dim, &g->v);
    if (inside && o->fallback && solver != ap_solve_double_double) { /* the simplex was left whole */
        inside = ap_solve_double_double(&g->simplex, pair->dim, &g->v);
        g->solver_calls++;
    }
    g->length = ap_norm(g->v);
    if (!isfinite(g->length)) {
        take_nearest_vertex(g); /* a paper's solver may divide by a number that underflowed */
        inside = false;
    }
    return inside;
}

/* Contact needs weights that meet in one point: on a needle those of a plain solver may not. */
static AP_RARE void confirm_contact(ap_gjk *g, const ap_pair *pair, const ap_gjk_options *o)
{
    const double unit = AP_UNIT_ROUNDOFF * pair->magnitude;
    if (o->fallback && !g->fell_back && ap_norm(ap_simplex_point(&g->simplex)) > AGREEMENT * unit) {
        g->fell_back = true;
        g->solver_calls++;
        const bool inside = solve_otherwise(g, pair, o);
        g->outcome = inside ? AP_ENCLOSED : g->length <= CONTACT_LENGTH * unit ? AP_CONTACT : AP_SEPARATED;
    }
}

/* Solves the simplex; a claim that the origin is inside or near is checked, because flat tetrahedra fool plain solvers. */
static void solve(ap_gjk *g, const ap_pair *pair, const ap_gjk_options *o)
{
    bool inside;
    g->solver_calls++;
    if (o->solver == NULL && !g->fell_back) {
        inside = ap_solve_default(&g->simplex, pair->dim, &g->v);
        g->length = ap_norm(g->v);
    } else {
        inside = solve_otherwise(g, pair, o);
    }
    g->outcome = inside ? AP_ENCLOSED : g->length <= CONTACT_LENGTH * (AP_UNIT_ROUNDOFF * pair->magnitude) ? AP_CONTACT : AP_SEPARATED;
    if (g->outcome != AP_SEPARATED) {
        confirm_contact(g, pair, o);
    }
}

/* The best separated state seen in the fallback, where rounding may still make a later one worse. */
typedef struct best_state {
    ap_simplex simplex;
    apart_vec3 v;
    double length, reach, gap;
} best_state;

static void keep_best(best_state *best, const ap_gjk *g, double gap)
{
    if (gap < best->gap) {
        *best = (best_state){g->simplex, g->v, g->length, g->reach, gap};
    }
}

static void restore_best(ap_gjk *g, const best_state *best)
{
    g->simplex = best->simplex;
    g->v = best->v;
    g->length = best->length;
    g->reach = best->reach;
}

/* What the loop knows of its own progress. */
typedef struct progress {
    double closed, accepted; /* gaps that end the loop: at once, and when no better support exists */
    double open;             /* |v|^2 - v.w above this leaves a gap above accepted: no v is longer than M */
    double agreed;           /* how well v and the witness points must agree */
    double shortest;         /* least |v| so far */
    double shortest_square;  /* the same squared, in the plain loop */
    int stalls;              /* steps that did not shorten it */
    bool by_recurrence;
    best_state best;         /* in the fallback only */
} progress;

/* What the plain loop wants of it. */
AP_INLINE void begin_plain(progress *p, const ap_pair *pair, double tolerance)
{
    const double unit = AP_UNIT_ROUNDOFF * pair->magnitude;
    p->closed = ap_max(CLOSED_GAP * unit, tolerance);
    p->accepted = ap_max(ACCEPTED_GAP * unit, tolerance);
    p->open = 2.0 * p->accepted * pair->magnitude;
    p->agreed = AGREEMENT * unit;
    p->shortest_square = INFINITY;
}

static void begin(progress *p, const ap_pair *pair, const ap_gjk_options *o)
{
    begin_plain(p, pair, o->tolerance);
    p->shortest = INFINITY;
    p->stalls = 0;
    p->by_recurrence = o->recurrence && pair->vertices;
    p->best.gap = INFINITY;
    p->best.length = 0.0;
    p->best.reach = 0.0;
}

typedef enum verdict { GO_ON, FINISHED, STUCK } verdict;

/* Is the answer proved, is there anything left to gain, or is this solver at its end? (items C4, G5) */
static verdict judge(const ap_gjk *g, progress *p, const ap_gjk_options *o, bool recurs)
{
    const double gap = g->length - g->reach;
    const double best_gap = p->best.gap;
    const bool shut = (gap <= p->closed && (!p->by_recurrence || g->fell_back)) || (recurs && gap <= p->accepted);
    if (g->fell_back) {
        keep_best(&p->best, g, gap + witness_error(g));
    }
    if (shut && (g->fell_back || !o->fallback || witness_error(g) <= p->agreed)) {
        return FINISHED;
    }
    /* v may turn by what decides the gap while its length changes by less than its rounding: the fallback goes by the gap. */
    p->stalls += g->length < p->shortest || (g->fell_back && p->best.gap < best_gap) ? 0 : 1;
    p->shortest = ap_min(p->shortest, g->length);
    return recurs || shut || p->stalls > (g->fell_back ? STALLS_IN_FALLBACK : STALLS_ALLOWED) ? STUCK : GO_ON;
}

/* From here on in double-double, with supports over all vertices. */
static void fall_back(ap_gjk *g, ap_pair *pair, progress *p)
{
    g->fell_back = true;
    pair->context.search = APART_SUPPORT_SCAN;
    p->stalls = 0;
    p->shortest = INFINITY;
}

/* Moves v to the blend of the weights, the difference of the witness points, and asks for the support there. */
static void move_to_blend(ap_gjk *g, ap_pair *pair)
{
    ap_simplex_vertex next;
    g->v = ap_simplex_point(&g->simplex);
    g->length = ap_norm(g->v);
    find_support(g, pair, false, &next);
}

/* On curved bodies the last simplex is tiny and its plane tilted by rounding, which moves v along the surface; the blend of the
 * weights is as good a v there, because the gap is second order in the tilt. True: the gap stays shut with it. */
static bool take_blend(ap_gjk *g, ap_pair *pair, const progress *p)
{
    const ap_gjk before = *g;
    move_to_blend(g, pair);
    if (g->length - g->reach <= p->accepted) {
        return true;
    }
    *g = before;
    return false;
}

/* No further: the best state so far is the answer, with its bounds. */
static void give_up(ap_gjk *g, ap_pair *pair, const ap_gjk_options *o, const progress *p, apart_stop stop)
{
    g->stop = stop;
    if (g->fell_back && p->best.gap < INFINITY) {
        restore_best(g, &p->best);
    } else if (o->fallback && witness_error(g) > p->agreed) {
        move_to_blend(g, pair); /* stopped in the middle: the points at least fit the normal */
    }
}

/* A climb is believed unless it can miss too much, or so much that the relation hangs on it: then every vertex is looked at. */
AP_INLINE bool is_believed(const ap_gjk *g, const ap_pair *pair, ap_known known)
{
    const bool scans = ap_known_scanned(known) || (!ap_known_polytopes(known) && pair->context.search == APART_SUPPORT_SCAN);
    if (scans || (!pair->confirm && !(pair->climb_error > 0.0))) {
        return true;
    }
    const double beyond = g->reach - ap_known_scale(known, pair->scale) * pair->radius;
    return !pair->confirm && fabs(beyond) > ap_known_lower_error(pair, known);
}

/* What the new support pair tells when it is not the usual end. True: the loop is over. */
static __attribute__((noinline)) bool advance(ap_gjk *g, ap_pair *pair, const ap_gjk_options *o, progress *p, const ap_simplex_vertex *next)
{
    if (o->trace != NULL) {
        record(g, pair, next, o->trace);
    }
    if (decided(g, pair, o)) {
        g->outcome = AP_DECIDED;
        g->stop = APART_STOP_CUTOFF;
        return true;
    }
    const bool recurs = contains_point(&g->simplex, ap_lanes_load(&next->w));
    verdict v = judge(g, p, o, recurs);
    if (v == STUCK && !pair->vertices && !g->fell_back && g->length - g->reach <= p->accepted && take_blend(g, pair, p)) {
        v = FINISHED;
    }
    if (v == FINISHED) {
        const bool done = is_believed(g, pair, AP_NOTHING_KNOWN);
        if (!done) {
            pair->context.search = APART_SUPPORT_SCAN;
        }
        return done;
    }
    if (v == STUCK && (g->fell_back || !o->fallback)) {
        give_up(g, pair, o, p, APART_STOP_ROUNDING);
        return true;
    }
    if (g->iterations + 1 >= o->max_iterations) {
        give_up(g, pair, o, p, APART_STOP_ITERATIONS);
        return true;
    }
    if (v == STUCK) {
        fall_back(g, pair, p);
    }
    if (!recurs && g->simplex.count <= pair->dim) { /* refine_simplex */
        if (next != &g->simplex.vertex[g->simplex.count]) {
            ap_simplex_copy(&g->simplex.vertex[g->simplex.count], next);
        }
        g->simplex.count++;
    }
    return false;
}

/* The loop with everything that may be asked of it. */
static void loop_general(ap_gjk *g, ap_pair *pair, const ap_gjk_options *o, progress *p, bool tracked)
{
    ap_simplex_vertex spare;
    for (;; g->iterations++) {
        solve(g, pair, o);
        if (g->outcome != AP_SEPARATED) {
            if (o->trace != NULL) {
                record(g, pair, NULL, o->trace);
            }
            return;
        }
        ap_simplex_vertex *next = g->simplex.count < 4 ? &g->simplex.vertex[g->simplex.count] : &spare;
        find_support(g, pair, tracked || g->iterations > 0, next);
        if (advance(g, pair, o, p, next)) {
            return;
        }
    }
}

void ap_gjk_run(ap_gjk *g, ap_pair *pair, const ap_gjk_options *o)
{
    progress p;
    begin(&p, pair, o);
    g->stop = APART_STOP_CONVERGED;
    loop_general(g, pair, o, &p, g->simplex.count > 1);
}
