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

#include "solve_default.h"

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

AP_INLINE bool track(ap_gjk *g, ap_pair *pair, ap_known known, const apart_cache *cache)
{
    const bool polytopes = ap_known_polytopes(known);
    if (cache == NULL || !(polytopes || pair->vertices) || cache->tag != (polytopes ? tag_of(pair->a, pair->b, known) : ap_pair_tag(pair)) ||
        cache->count - 1u > (unsigned)ap_known_dim(known, pair->dim) ||
        !indices_fit(cache, polytopes ? count_vertices(pair->a, known.kind_a) : pair->count_a, polytopes ? count_vertices(pair->b, known.kind_b) : pair->count_b)) {
        return false;
    }
    reset(g, true);
    g->simplex.count = cache->count;
    for (int i = 0; i < cache->count; i++) {
        ap_pair_vertex_lanes(pair, known, cache->index_a[i], cache->index_b[i], &g->simplex.vertex[i]);
    }
    return true;
}

bool ap_gjk_track(ap_gjk *g, ap_pair *pair, const apart_cache *cache) { return track(g, pair, AP_NOTHING_KNOWN, cache); }

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

AP_INLINE void start(ap_gjk *g, ap_pair *pair, ap_known known, apart_vec3 v)
{
    ap_simplex_vertex *first = &g->simplex.vertex[0];
    reset(g, false);
    g->simplex.count = 1;
    g->direction = v;
    if (ap_known_valued(known)) {
        ap_look look;
        look_along(pair, known, ap_lanes_from(v), NULL, first, &look);
        ap_look_take(pair, known, &look, first);
        return;
    }
    const uint32_t hint = known.plain ? AP_GUESS : APART_NO_INDEX;
    ap_pair_support_lanes(pair, known, ap_lanes_from(v), hint, hint, first);
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

/* The usual end of the default query, with nothing to tell or to decide on the way: the gap is shut and the points agree with v. */
AP_INLINE bool is_finished(ap_gjk *g, const ap_pair *pair, ap_known known, const progress *p)
{
    if (!(g->length - g->reach <= p->closed)) {
        return false;
    }
    g->blend = ap_simplex_points(&g->simplex);
    const ap_lanes apart = (g->blend.b - g->blend.a) - ap_lanes_load(&g->v);
    g->blended = ap_lanes_dot(apart, apart) <= p->agreed * p->agreed && is_believed(g, pair, known);
    return g->blended;
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

/* Solves the simplex by the default solver, without the length of v: that wants a square root, which a step on the way does not.
 * False: contact is near, or the numbers are out of the ordinary. */
AP_INLINE bool solve_plain(ap_gjk *g, const ap_pair *pair, ap_known known, double *square, bool *inside)
{
    const double contact = CONTACT_LENGTH * (AP_UNIT_ROUNDOFF * pair->magnitude);
    ap_lanes v;
    *inside = ap_solve_lanes(&g->simplex, ap_known_dim(known, pair->dim), &v);
    ap_lanes_store(&g->v, v);
    *square = ap_lanes_dot(v, v);
    return !*inside && *square > 2.0 * (contact * contact);
}

/* Do the weights meet in one point, as the general loop would ask? */
AP_INLINE bool is_common_point(const ap_gjk *g, const progress *p)
{
    const ap_blend points = ap_simplex_points(&g->simplex);
    return norm(points.b - points.a) <= p->agreed;
}

/* The usual step of the default query: the gap is open, the support pair is new and v has become shorter. False: look closer.
 * No v is longer than M < 2, so a gap above accepted has |v|^2 - v.w > 2 accepted, or is looked at closer in vain. */
AP_INLINE bool goes_on(ap_gjk *g, ap_pair *pair, ap_known known, progress *p, double square, const ap_look *look, ap_simplex_vertex *next)
{
    if (!(square - look->product > p->open) || !(square < p->shortest_square) || g->iterations + 1 >= AP_DEFAULT_ITERATIONS) {
        return false;
    }
    if (ap_known_valued(known)) {
        ap_look_take(pair, known, look, next);
    }
    if (!ap_known_polytopes(known) && contains_point(&g->simplex, ap_lanes_load(&next->w))) {
        return false; /* where supports err by more than rounding; else a pair that is there already leaves no gap, or v as it is */
    }
    p->shortest_square = square;
    g->simplex.count++; /* refine_simplex: the pair is in its place already */
    return true;
}

/* Does the plane across v prove that the cores are farther apart than this? The squares err by a few u of themselves: hence the factor. */
AP_INLINE bool proves(const ap_pair *pair, ap_known known, double distance, double square, double product)
{
    const double needed = distance + ap_known_lower_error(pair, known);
    return product > 0.0 && product * product > (1.0 + 0x1p-40) * (needed * needed) * square;
}

/* Is the answer known already? For yes or no, the plane separates the bodies, or v is shorter than their radii. */
AP_INLINE bool decides(const ap_pair *pair, ap_known known, double cutoff, double square, double product)
{
    if (known.yes_no) {
        const double radius = ap_known_scale(known, pair->scale) * pair->radius;
        return proves(pair, known, radius, square, product) || (radius > 2.0 * pair->upper_error && square < 0.25 * (radius * radius));
    }
    return cutoff < INFINITY && proves(pair, known, cutoff, square, product);
}

/* How the default loop ends: with an answer about bodies that are apart; with a common point; or not: the general loop goes on. */
typedef enum plain_end { PLAIN_APART, PLAIN_ENCLOSED, PLAIN_UNFINISHED } plain_end;

/* The default loop. It leaves everything out of the ordinary to the general one; *unused is the support pair that did not fit in, if that
 * is why. */
AP_INLINE plain_end loop_plain(ap_gjk *g, ap_pair *pair, ap_known known, double cutoff, progress *p, bool tracked, ap_simplex_vertex **unused)
{
    *unused = NULL;
    for (;; g->iterations++) {
        double square;
        bool inside;
        if (!solve_plain(g, pair, known, &square, &inside)) {
            g->outcome = AP_ENCLOSED;
            return inside && (known.yes_no || is_common_point(g, p)) ? PLAIN_ENCLOSED : PLAIN_UNFINISHED;
        }
        ap_simplex_vertex *next = &g->simplex.vertex[g->simplex.count];
        const ap_lanes v = ap_lanes_load(&g->v);
        const bool guess = !ap_known_scanned(known) && pair->guesses && !(tracked && g->iterations == 0);
        ap_look look;
        look_along(pair, known, v, guess ? NULL : next - 1, next, &look);
        if (guess) {
            if (!decides(pair, known, cutoff, square, look.product) && goes_on(g, pair, known, p, square, &look, next)) {
                continue;
            }
            look_along(pair, known, v, next, next, &look); /* what ends the loop must be certain */
        }
        const double product = look.product;
        if (decides(pair, known, cutoff, square, product)) {
            g->outcome = AP_DECIDED;
            g->stop = APART_STOP_CUTOFF;
            g->length = sqrt(square);
            g->reach = product / g->length;
            return PLAIN_APART;
        }
        if (goes_on(g, pair, known, p, square, &look, next)) {
            continue;
        }
        g->outcome = AP_SEPARATED;
        g->length = sqrt(square); /* solve_plain has seen to its range */
        g->reach = product / g->length;
        ap_count_div(2);
        if (is_finished(g, pair, known, p)) {
            return PLAIN_APART;
        }
        ap_lanes_store(&g->direction, v);
        if (ap_known_valued(known)) {
            ap_look_take(pair, known, &look, next);
        }
        *unused = next;
        return PLAIN_UNFINISHED;
    }
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

double ap_gjk_leave_plain(ap_gjk *g, ap_pair *pair, bool scanned)
{
    ap_pair_complete(pair, scanned ? APART_SUPPORT_SCAN : APART_SUPPORT_AUTO);
    const double s = ap_power_of_two_scale(pair->magnitude);
    const ap_lanes all = ap_lanes_all(s);
    pair->scale = s;
    pair->inverse_scale = 1.0 / s;
    pair->context.scale = s;
    pair->magnitude *= s;
    pair->support_error *= s;
    pair->climb_error *= s;
    pair->upper_error *= s;
    ap_lanes_store(&pair->offset, all * ap_lanes_load(&pair->offset));
    for (int i = 0; i < 4; i++) {
        ap_simplex_vertex *p = &g->simplex.vertex[i];
        ap_lanes_store(&p->w, all * ap_lanes_load(&p->w));
        ap_lanes_store(&p->a, all * ap_lanes_load(&p->a));
        ap_lanes_store(&p->b, all * ap_lanes_load(&p->b));
    }
    ap_lanes_store(&g->v, all * ap_lanes_load(&g->v));
    ap_lanes_store(&g->direction, all * ap_lanes_load(&g->direction));
    g->length *= s;
    g->reach *= s;
    return s;
}

/* What remains when a plain loop has met something out of the ordinary. quick: the pair was prepared quickly. */
static AP_RARE void run_on(ap_gjk *g, ap_pair *pair, bool quick, bool scanned, const ap_plain *asked, double shortest_square, ap_simplex_vertex *unused)
{
    progress p;
    g->solver_calls = g->iterations + 1;
    const double s = quick ? ap_gjk_leave_plain(g, pair, scanned) : 1.0;
    const ap_gjk_options o = {.fallback = true, .yes_no = asked->yes_no, .max_iterations = AP_DEFAULT_ITERATIONS, .cutoff = s * asked->cutoff,
                              .tolerance = s * asked->tolerance};
    begin(&p, pair, &o);
    p.shortest = s * sqrt(shortest_square);
    if (unused != NULL) {
        if (advance(g, pair, &o, &p, unused)) {
            return;
        }
        g->iterations++;
    }
    loop_general(g, pair, &o, &p, true);
}

/* The default loop on shapes of known kinds. True: the cores are apart, and nothing out of the ordinary was met. Else the pair is complete,
 * and has the size of 1. */
AP_INLINE bool run_plain(ap_gjk *g, ap_pair *pair, ap_known known, ap_plain asked)
{
    progress p;
    ap_simplex_vertex *unused;
    begin_plain(&p, pair, asked.tolerance);
    g->stop = APART_STOP_CONVERGED;
    const plain_end end = loop_plain(g, pair, known, asked.cutoff, &p, g->simplex.count > 1, &unused);
    if (end == PLAIN_UNFINISHED) {
        run_on(g, pair, ap_known_polytopes(known), known.laid > 0, &asked, p.shortest_square, unused);
    } else if (end == PLAIN_ENCLOSED && !known.yes_no && ap_known_polytopes(known)) {
        ap_gjk_leave_plain(g, pair, known.laid > 0);
    }
    return end == PLAIN_APART && (ap_known_polytopes(known) || !pair->broken);
}

void ap_gjk_run(ap_gjk *g, ap_pair *pair, const ap_gjk_options *o)
{
    progress p;
    begin(&p, pair, o);
    g->stop = APART_STOP_CONVERGED;
    loop_general(g, pair, o, &p, g->simplex.count > 1);
}
