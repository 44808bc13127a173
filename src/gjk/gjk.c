/* The general GJK loop: any solver, trace, yes or no, and everything that the inlined loop (loop.h) does not handle.
 *
 * Source: Gilbert, Johnson, Keerthi 1988 in the form of Cameron 1997 section 3: `best_simplex` is the test of the gap
 * at the new support pair (docs/papers.md, C4), `refine_simplex` adds that pair (C7), the solver is a parameter. We
 * differ in the stopping rule. "|v| did not decrease" is wrong near parallel faces (|v| is second order in the
 * direction's error, the gap first order); here the gap |v| - v.w/|v| itself must close to rounding, or the support
 * pair must recur with the gap at rounding; anything else goes to the double-double solver.
 *
 * Legend: v closest point of the simplex to the origin, w = b - a support point of the Minkowski difference against
 * v. */
#include "gjk.h"

#include "../solvers/solvers.h"
#include "loop.h"

/* Steps that do not shorten v before the fallback, and before giving up within it. */
#define STALLS_ALLOWED 3
#define STALLS_IN_FALLBACK 8

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

void ap_gjk_skip(ap_gjk *g)
{
    ap_gjk_reset(g, false);
    g->simplex.count = 0;
    g->outcome = AP_ENCLOSED;
    g->stop = APART_STOP_CONVERGED;
}

bool ap_gjk_track(ap_gjk *g, ap_pair *pair, const apart_cache *cache)
{
    ap_lanes newest;
    return ap_gjk_warm_start(g, pair, AP_ANY_PAIR, cache, &newest);
}

apart_vec3 ap_gjk_first_direction(const ap_pair *pair, const apart_cache *cache)
{
    apart_vec3 v;
    if (cache != NULL && cache->tag == ap_pair_tag(pair) && cached_direction(cache, pair, &v)) {
        return v;
    }
    return ap_gjk_center_direction(pair);
}

void ap_gjk_start(ap_gjk *g, ap_pair *pair, apart_vec3 v) { ap_gjk_cold_start(g, pair, AP_ANY_PAIR, v); }

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
        step->lower = next != NULL ? inverse * (g->lower - pair->lower_error) : -INFINITY;
        step->upper = inverse * (g->length + pair->upper_error);
    }
    trace->count++;
}

/* The support pair against v. A cold query's first searches start from the table or a scan, later ones from the
 * simplex. */
static void find_support(ap_gjk *g, ap_pair *pair, bool hinted, ap_simplex_vertex *next)
{
    const ap_lanes v = ap_lanes_load(&g->v);
    const ap_simplex_vertex *newest = &g->simplex.vertex[g->simplex.count - 1];
    ap_pair_support_lanes(pair, AP_ANY_PAIR, v, hinted ? newest->index_a : APART_NO_INDEX,
                          hinted ? newest->index_b : APART_NO_INDEX, next);
    ap_lanes_store(&g->direction, v);
    g->lower = ap_pair_product(v, next) / g->length;
    ap_count_div(1);
}

/* How far the weights' blend, the difference of the witness points, is from v. */
static double witness_error(const ap_gjk *g) { return ap_norm(ap_sub(ap_simplex_point(&g->simplex), g->v)); }

/* Has the early question of the caller been answered? */
static bool decided(const ap_gjk *g, const ap_pair *pair, const ap_gjk_options *o)
{
    if (g->lower - pair->lower_error >= o->cutoff) {
        return true;
    }
    if (!o->yes_no) {
        return false;
    }
    const double radius = pair->scale * pair->radius;
    return g->lower - pair->lower_error > radius || g->length + pair->upper_error <= radius;
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
    if (o->fallback && !g->fell_back && ap_norm(ap_simplex_point(&g->simplex)) > AP_WITNESS_AGREEMENT * unit) {
        g->fell_back = true;
        g->solver_calls++;
        const bool inside = solve_otherwise(g, pair, o);
        g->outcome = inside ? AP_ENCLOSED : g->length <= AP_CONTACT_LENGTH * unit ? AP_CONTACT : AP_SEPARATED;
    }
}

/* Solves the simplex; a claim that the origin is inside or near is checked, because flat tetrahedra fool plain
 * solvers. */
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
    g->outcome = inside                                                                  ? AP_ENCLOSED
                 : g->length <= AP_CONTACT_LENGTH * (AP_UNIT_ROUNDOFF * pair->magnitude) ? AP_CONTACT
                                                                                         : AP_SEPARATED;
    if (g->outcome != AP_SEPARATED) {
        confirm_contact(g, pair, o);
    }
}

/* The best separated state seen in the fallback, where rounding may still make a later one worse. */
typedef struct best_state {
    ap_simplex simplex;
    apart_vec3 v;
    double length, lower, gap;
} best_state;

static void keep_best(best_state *best, const ap_gjk *g, double gap)
{
    if (gap < best->gap) {
        *best = (best_state){g->simplex, g->v, g->length, g->lower, gap};
    }
}

static void restore_best(ap_gjk *g, const best_state *best)
{
    g->simplex = best->simplex;
    g->v = best->v;
    g->length = best->length;
    g->lower = best->lower;
}

/* What the loop knows of its own progress. */
typedef struct progress {
    ap_gjk_limits limits;
    double shortest; /* least |v| so far */
    int stalls;      /* steps that did not shorten it */
    bool by_recurrence;
    best_state best; /* in the fallback only */
} progress;

static void begin(progress *p, const ap_pair *pair, const ap_gjk_options *o)
{
    ap_gjk_set_limits(&p->limits, pair, o->tolerance);
    p->shortest = INFINITY;
    p->stalls = 0;
    p->by_recurrence = o->recurrence && pair->vertices;
    p->best.gap = INFINITY;
    p->best.length = 0.0;
    p->best.lower = 0.0;
}

typedef enum verdict { GO_ON, FINISHED, STUCK } verdict;

/* Is the answer proved, is there anything left to gain, or is this solver at its end? (docs/papers.md, C4 and G5) */
static verdict judge(const ap_gjk *g, progress *p, const ap_gjk_options *o, bool recurs)
{
    const double gap = g->length - g->lower;
    const double best_gap = p->best.gap;
    const bool shut =
        (gap <= p->limits.closed && (!p->by_recurrence || g->fell_back)) || (recurs && gap <= p->limits.accepted);
    if (g->fell_back) {
        keep_best(&p->best, g, gap + witness_error(g));
    }
    if (shut && (g->fell_back || !o->fallback || witness_error(g) <= p->limits.agreed)) {
        return FINISHED;
    }
    /* v may turn by what decides the gap while its length changes by less than its rounding: the fallback goes by the
     * gap. */
    p->stalls += g->length < p->shortest || (g->fell_back && p->best.gap < best_gap) ? 0 : 1;
    p->shortest = ap_min(p->shortest, g->length);
    return recurs || shut || p->stalls > (g->fell_back ? STALLS_IN_FALLBACK : STALLS_ALLOWED) ? STUCK : GO_ON;
}

/* From here on in double-double, with supports over all vertices. */
static void fall_back(ap_gjk *g, ap_pair *pair, progress *p)
{
    g->fell_back = true;
    ap_pair_scan(pair);
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

/* On curved bodies the last simplex is tiny and its plane tilted by rounding, which moves v along the surface; the
 * blend of the weights is as good a v there, because the gap is second order in the tilt. True: the gap stays shut with
 * it. */
static bool take_blend(ap_gjk *g, ap_pair *pair, const progress *p)
{
    const ap_gjk before = *g;
    move_to_blend(g, pair);
    if (g->length - g->lower <= p->limits.accepted) {
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
    } else if (o->fallback && witness_error(g) > p->limits.agreed) {
        move_to_blend(g, pair); /* stopped in the middle: the points at least fit the normal */
    }
}

/* After a support query: records the step, stops early, detects stalls, falls back, or extends the simplex. True: the
 * loop is over. */
static AP_NOINLINE bool advance(ap_gjk *g, ap_pair *pair, const ap_gjk_options *o, progress *p,
                                const ap_simplex_vertex *next)
{
    if (o->trace != NULL) {
        record(g, pair, next, o->trace);
    }
    if (decided(g, pair, o)) {
        g->outcome = AP_DECIDED;
        g->stop = APART_STOP_CUTOFF;
        return true;
    }
    const bool recurs = ap_gjk_contains(&g->simplex, ap_lanes_load(&next->w));
    verdict v = judge(g, p, o, recurs);
    if (v == STUCK && !pair->vertices && !g->fell_back && g->length - g->lower <= p->limits.accepted &&
        take_blend(g, pair, p)) {
        v = FINISHED;
    }
    if (v == FINISHED) {
        const bool done = ap_gjk_is_believed(g, pair, AP_ANY_PAIR);
        if (!done) {
            ap_pair_scan(pair);
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
    if (!recurs && g->simplex.count <= pair->dim) { /* Cameron's refine_simplex */
        if (next != &g->simplex.vertex[g->simplex.count]) {
            ap_simplex_copy(&g->simplex.vertex[g->simplex.count], next);
        }
        g->simplex.count++;
    }
    return false;
}

/* The loop with everything that may be asked of it. */
static void run_loop(ap_gjk *g, ap_pair *pair, const ap_gjk_options *o, progress *p, bool tracked)
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
    run_loop(g, pair, o, &p, g->warm);
}

AP_RARE void ap_gjk_continue(ap_gjk *g, ap_pair *pair, ap_gjk_options o, const ap_gjk_limits *limits,
                             ap_simplex_vertex *unused)
{
    progress p;
    g->solver_calls = g->iterations + 1;
    const double s = pair->scale == 1.0 ? ap_gjk_rescale(g, pair) : 1.0;
    o.fallback = true;
    o.max_iterations = AP_DEFAULT_ITERATIONS;
    o.cutoff *= s;
    o.tolerance *= s;
    begin(&p, pair, &o);
    p.shortest = s * sqrt(limits->shortest_square);
    if (unused != NULL) {
        if (advance(g, pair, &o, &p, unused)) {
            return;
        }
        g->iterations++;
    }
    run_loop(g, pair, &o, &p, true);
}
