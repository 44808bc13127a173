/* How far apart are the convex hulls of two point sets in any dimension? Source: Lindemann 2009, section 1 (item L2 of
 * docs/papers.md); the vertices of the simplex are pairs of points, so that both witness points and both simplices are
 * known at the end (item D2).
 *
 * GJK's loop: find the point v of a simplex of the Minkowski difference closest to the origin, find the support point
 * in the direction -v, add it to the simplex, repeat. The solver is an active set with QR (active_set.h); Johnson's and
 * least squares can be chosen in up to AP_ND_ENUMERATED_DIM dimensions. How the loop relates to the one in 3D is said
 * in nd.h.
 *
 * We differ in: the loop ends when the bounds meet to rounding or the support pair is in the simplex already. That |v|
 * did not decrease is not a reason to stop; a few such steps are allowed, then the solver in double-double arithmetic
 * takes over. Whether bodies at distance 0 touch or overlap is decided by contact.c, the depth of an overlap by
 * depth.c.
 *
 * The certificate, in the query's frame, with u = 2^-53, n = dim, m = vertices of the simplex, R = radius and
 * gamma_k = k u / (1 - k u):
 *   lower. For any d, distance >= (min d.b - max d.a) / |d|. A computed d.x has n + 1 roundings in a row (x - centre,
 *     product, n - 1 sums), so it errs by gamma_{n+1} |d| R at most; two of them and their difference: |error| <= 2
 *     gamma_{n+2} |d| R + u |value|. d was divided by its computed length, whose error is gamma_{n/2+2}: | |d| - 1 | <=
 *     gamma_{n+4}. In all (2n + 6) u R + (n + 6) u |value|, and 2 more for gamma.
 *   upper. sum lambda w / sum lambda is a point of the Minkowski difference for any lambda >= 0. A component has m + 1
 *     roundings in a row (w, product, m - 1 sums): the vector errs by gamma_{m+1} sum lambda |w| <= gamma_{m+2} 2R; its
 *     length by a factor gamma_{n/2+2}; sum lambda is 1 to gamma_{m+1}. In all (2m + 6) u R + (n + m + 6) u |value|,
 *     and 2 more.
 *   overlap. The smallest m.w of a facet's vertices errs as the values above do: w has one rounding, then come the
 *     product and n - 1 sums.
 * The scale is a power of two; what scaling loses to underflow is below 2^-1074 per coordinate and covered by the terms
 * rounded up. */
#include <string.h>

#include "depth.h"

/* Steps that may fail to bring the simplex closer before the loop gives up. */
#define MAX_STALLS 6

/* The fallback solver takes over when the loop stalled and the gap |v| - value is larger than this
 * many eps M (M = 2 R, eps = 2 u). */
#define FALLBACK_GAP 16.0

typedef enum ending {
    ENDED_CONVERGED, /* the bounds meet */
    ENDED_STALLED,   /* rounding lets the simplex come no closer */
    ENDED_LIMIT,     /* of iterations */
    ENDED_CUTOFF,    /* the distance is at least the cut-off */
    ENDED_CONTACT,   /* the distance is 0 to rounding: touching or overlapping */
} ending;

typedef struct search {
    ap_nd_pair pair;
    const apart_options *options;
    ap_nd_simplex simplex; /* the current one */
    ap_nd_simplex nearest; /* the one whose point was closest to the origin so far */
    ap_nd_factor factor;
    double *v;
    ap_nd_separation best; /* the direction that gives the best lower bound so far */
    double length;         /* |sum lambda w| of `nearest` */
    uint32_t iterations, limit;
    ap_nd_depth depth;
} search;

/* The memory of a search whose size depends on the dimension; divide_memory() says what it is for. */
static size_t count_doubles(size_t dim) { return 3 * dim + 2 * (dim + 1) + 2 * (2 * dim * dim + 3 * dim + 1); }

static size_t count_indices(size_t dim) { return 4 * (dim + 1); }

typedef struct stack_room {
    double doubles[3 * APART_ND_STACK_DIM + 2 * (APART_ND_STACK_DIM + 1) +
                   2 * (2 * APART_ND_STACK_DIM * APART_ND_STACK_DIM + 3 * APART_ND_STACK_DIM + 1)];
    uint32_t indices[4 * (APART_ND_STACK_DIM + 1)];
} stack_room;

static double *take_doubles(double **memory, size_t count)
{
    double *taken = *memory;
    *memory += count;
    return taken;
}

static void divide_memory(search *s, size_t dim, double *doubles, uint32_t *indices)
{
    s->pair.centre = take_doubles(&doubles, dim);
    s->v = take_doubles(&doubles, dim);
    s->best.normal = take_doubles(&doubles, dim);
    s->simplex.lambda = take_doubles(&doubles, dim + 1);
    s->nearest.lambda = take_doubles(&doubles, dim + 1);
    s->factor.q = take_doubles(&doubles, 2 * dim * dim);
    s->factor.r = take_doubles(&doubles, 2 * dim * dim);
    s->factor.rhs = take_doubles(&doubles, 2 * dim);
    s->factor.alpha = take_doubles(&doubles, 2 * (dim + 1));
    s->factor.work = take_doubles(&doubles, 2 * dim);
    s->simplex.index_a = indices;
    s->simplex.index_b = indices + (dim + 1);
    s->nearest.index_a = indices + 2 * (dim + 1);
    s->nearest.index_b = indices + 3 * (dim + 1);
}

/* The largest error of a support value; see "lower" above. */
static double value_error(const search *s, double value)
{
    const double n = (double)s->pair.dim;
    ap_count_mul(4);
    return AP_ND_U * ((2.0 * n + 8.0) * s->pair.radius + (n + 8.0) * fabs(value));
}

static double lower_bound(const search *s) { return s->best.value - value_error(s, s->best.value); }

static double upper_bound(const search *s)
{
    const double n = (double)s->pair.dim, m = (double)s->nearest.count;
    ap_count_mul(4);
    return s->length + AP_ND_U * ((2.0 * m + 8.0) * s->pair.radius + (n + m + 8.0) * s->length);
}

/* From the query's frame to the caller's units. A bound that becomes subnormal is rounded outwards. */
static double in_units(const search *s, double length)
{
    ap_count_div(1);
    return length / s->pair.scale;
}

static double lower_in_units(const search *s)
{
    const double bound = lower_bound(s), x = in_units(s, bound);
    return x * s->pair.scale > bound ? nextafter(x, -INFINITY) : x;
}

static double round_up_in_units(const search *s, double bound)
{
    const double x = in_units(s, bound);
    return x * s->pair.scale < bound ? nextafter(x, INFINITY) : x;
}

static double upper_in_units(const search *s) { return round_up_in_units(s, upper_bound(s)); }

static void copy_simplex(ap_nd_simplex *to, const ap_nd_simplex *from)
{
    to->count = from->count;
    memcpy(to->index_a, from->index_a, from->count * sizeof *to->index_a);
    memcpy(to->index_b, from->index_b, from->count * sizeof *to->index_b);
    memcpy(to->lambda, from->lambda, from->count * sizeof *to->lambda);
}

/* |sum lambda w| */
static double weighted_length(const ap_nd_pair *pair, const ap_nd_simplex *simplex)
{
    double square = 0.0;
    for (size_t k = 0; k < pair->dim; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < simplex->count; i++) {
            ap_count_mul(1);
            sum += simplex->lambda[i] * ap_nd_w(pair, simplex->index_a[i], simplex->index_b[i], k);
        }
        ap_count_mul(1);
        square += sum * sum;
    }
    ap_count_div(1);
    return sqrt(square);
}

/* Keeps the simplex if its point is closer to the origin than any before. */
static bool keep_if_nearer(search *s)
{
    const double length = weighted_length(&s->pair, &s->simplex);
    if (!(length < s->length)) {
        return false;
    }
    s->length = length;
    copy_simplex(&s->nearest, &s->simplex);
    return true;
}

/* Finds the support pair for the unit vector v, and the lower bound that it gives. */
static void evaluate_support(search *s, uint32_t *index_a, uint32_t *index_b)
{
    const double value = ap_nd_support(&s->pair, s->v, index_a, index_b);
    if (value > s->best.value) {
        s->best.value = value;
        memcpy(s->best.normal, s->v, s->pair.dim * sizeof *s->v);
    }
}

static bool has_vertex(const ap_nd_simplex *simplex, uint32_t index_a, uint32_t index_b)
{
    for (size_t i = 0; i < simplex->count; i++) {
        if (simplex->index_a[i] == index_a && simplex->index_b[i] == index_b) {
            return true;
        }
    }
    return false;
}

/* Is the gap as small as rounding allows (a few u R, and more in many dimensions), or within the caller's tolerance? */
static bool bounds_meet(const search *s)
{
    const double gap = s->length - s->best.value;
    ap_count_mul(3);
    if (gap <= (8.0 + 0.25 * (double)s->pair.dim) * AP_ND_U * s->pair.radius) {
        return true;
    }
    return s->options->tolerance > 0.0 && upper_in_units(s) - lower_in_units(s) <= s->options->tolerance;
}

static bool is_past_cutoff(const search *s)
{
    return s->options->cutoff > 0.0 && lower_in_units(s) >= s->options->cutoff;
}

/* GJK's loop. */
static ending run_gjk(search *s, ap_nd_solver_fn *solve)
{
    const double noise = ap_nd_noise(&s->pair);
    int stalls = 0;
    while (s->iterations < s->limit) {
        uint32_t index_a, index_b;
        double length;
        s->iterations++;
        const bool inside = solve(&s->pair, &s->simplex, &s->factor, s->v);
        stalls = keep_if_nearer(s) ? 0 : stalls + 1;
        const bool direction = ap_nd_normalise(s->pair.dim, s->v, &length);
        if (s->length <= noise || (!inside && length <= noise)) {
            return ENDED_CONTACT;
        }
        if (inside || !direction) {
            return ENDED_STALLED;
        }
        evaluate_support(s, &index_a, &index_b);
        if (is_past_cutoff(s)) {
            return ENDED_CUTOFF;
        }
        if (bounds_meet(s)) {
            return ENDED_CONVERGED;
        }
        if (has_vertex(&s->simplex, index_a, index_b) || stalls > MAX_STALLS) {
            return ENDED_STALLED;
        }
        ap_nd_append(&s->simplex, index_a, index_b, 0.0);
    }
    return ENDED_LIMIT;
}

/* Is the gap small enough to make do without the fallback solver? */
static bool is_tight(const search *s)
{
    ap_count_mul(2);
    return s->length - s->best.value <= FALLBACK_GAP * 2.0 * AP_ND_U * 2.0 * s->pair.radius;
}

/* The first vertex: the support point for the direction between the centroids (item G3). */
static void set_first_vertex(search *s)
{
    uint32_t index_a, index_b;
    ap_nd_centroid_difference(&s->pair, s->v);
    if (!ap_nd_normalise(s->pair.dim, s->v, NULL)) {
        memset(s->v, 0, s->pair.dim * sizeof *s->v);
        s->v[0] = 1.0;
    }
    s->length = INFINITY;
    s->best.value = -INFINITY;
    evaluate_support(s, &index_a, &index_b);
    s->simplex.count = s->nearest.count = 0;
    ap_nd_append(&s->simplex, index_a, index_b, 1.0);
}

/* The solver that was asked for if it can work in this dimension, else the default; *runs says which. */
static ap_nd_solver_fn *choose_solver(size_t dim, uint8_t asked, uint8_t *runs)
{
    *runs = APART_SOLVER_DEFAULT;
    if (dim <= AP_ND_ENUMERATED_DIM && asked == APART_SOLVER_JOHNSON) {
        *runs = asked;
        return ap_nd_solve_johnson;
    }
    if (dim <= AP_ND_ENUMERATED_DIM && asked == APART_SOLVER_LEAST_SQUARES) {
        *runs = asked;
        return ap_nd_solve_least_squares;
    }
    return ap_nd_solve_active_set;
}

/* Runs GJK with the chosen solver and, if its bounds do not close, with the one in double-double arithmetic. */
static ending find_distance(search *s, apart_result_nd *result)
{
    ap_nd_solver_fn *solve = choose_solver(s->pair.dim, s->options->solver, &result->solver);
    result->fallback = 0;
    set_first_vertex(s);
    ending end = run_gjk(s, solve);
    if (end != ENDED_STALLED || is_tight(s) || s->options->no_fallback) {
        return end == ENDED_STALLED && is_tight(s) ? ENDED_CONVERGED : end;
    }
    result->fallback = 1;
    copy_simplex(&s->simplex, &s->nearest);
    s->factor.columns = 0;
    end = run_gjk(s, ap_nd_solve_double_double);
    return end == ENDED_STALLED && is_tight(s) ? ENDED_CONVERGED : end;
}

/* The witness point of one body: sum lambda x of its vertices. */
static void write_witness(const search *s, const apart_points_nd *points, const uint32_t *index, double *out)
{
    for (size_t k = 0; k < s->pair.dim && out != NULL; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < s->nearest.count; i++) {
            ap_count_mul(1);
            sum += s->nearest.lambda[i] * (points->coordinates[index[i] * s->pair.dim + k] - s->pair.centre[k]);
        }
        out[k] = s->pair.centre[k] + sum;
    }
}

static void write_arrays(const search *s, apart_result_nd *r)
{
    const ap_nd_simplex *f = &s->nearest;
    write_witness(s, &s->pair.a, f->index_a, r->a);
    write_witness(s, &s->pair.b, f->index_b, r->b);
    if (r->normal != NULL) {
        memcpy(r->normal, s->best.normal, s->pair.dim * sizeof *r->normal);
    }
    for (size_t i = 0; i < f->count; i++) {
        if (r->index_a != NULL) {
            r->index_a[i] = f->index_a[i];
        }
        if (r->index_b != NULL) {
            r->index_b[i] = f->index_b[i];
        }
        if (r->lambda != NULL) {
            r->lambda[i] = f->lambda[i];
        }
    }
    r->count = (uint32_t)f->count;
    r->iterations = s->iterations;
}

/* An overlap whose depth is not known: both witness points are the same common point. */
static void write_overlap(const search *s, double lower, apart_result_nd *r)
{
    write_arrays(s, r);
    r->relation = APART_OVERLAPPING;
    r->distance = r->upper = 0.0;
    r->lower = lower;
}

static void write_overlap_depth(const search *s, apart_result_nd *r)
{
    write_arrays(s, r);
    r->stop = (uint8_t)s->depth.stop;
    r->relation = APART_OVERLAPPING;
    r->lower = lower_in_units(s);
    r->upper = round_up_in_units(s, value_error(s, s->depth.least) - s->depth.least);
    r->distance = ap_min(ap_max(-in_units(s, s->depth.depth), r->lower), r->upper);
}

/* Distance, bounds, relation and stop reason of bodies that do not overlap. */
static void write_distance(const search *s, ending end, apart_result_nd *r)
{
    static const uint8_t reason[] = {[ENDED_CONVERGED] = APART_STOP_CONVERGED,
                                     [ENDED_STALLED] = APART_STOP_ROUNDING,
                                     [ENDED_LIMIT] = APART_STOP_ITERATIONS,
                                     [ENDED_CUTOFF] = APART_STOP_CUTOFF,
                                     [ENDED_CONTACT] = APART_STOP_CONVERGED};
    write_arrays(s, r);
    r->stop = reason[end];
    r->lower = lower_in_units(s);
    r->upper = upper_in_units(s);
    r->distance = ap_max(in_units(s, s->length), r->lower);
    r->relation = end == ENDED_CUTOFF ? APART_BEYOND : r->lower > 0.0 ? APART_DISJOINT : APART_TOUCHING;
}

static bool options_are_legal(const apart_options *o)
{
    return o->solver < APART_SOLVER_COUNT && o->support < APART_SUPPORT_COUNT && o->depth <= APART_DEPTH_NONE &&
           o->no_fallback <= 1 && o->cutoff >= 0.0 && o->tolerance >= 0.0;
}

static apart_status check_arguments(size_t dim, const apart_points_nd *a, const apart_points_nd *b,
                                    const apart_options *options, const void *workspace, size_t workspace_size)
{
    if (dim < 1 || dim > APART_ND_MAX_DIM) {
        return APART_ERR_DIMENSION;
    }
    if (a->count == 0 || b->count == 0) {
        return APART_ERR_EMPTY;
    }
    if (a->coordinates == NULL || b->coordinates == NULL || (workspace == NULL && dim > APART_ND_STACK_DIM)) {
        return APART_ERR_NULL;
    }
    if (a->count > UINT32_MAX || b->count > UINT32_MAX || workspace_size < apart_nd_workspace_size(dim)) {
        return APART_ERR_SIZE;
    }
    return options_are_legal(options) ? APART_OK : APART_ERR_OPTION;
}

static void count_query(const search *s, const apart_result_nd *r, apart_stats *stats)
{
    stats->queries++;
    stats->iterations += s->iterations;
    stats->solver_calls += s->iterations;
    stats->fallbacks += r->fallback;
}

/* The depth of bodies that overlap according to the contact test. */
static void answer_overlap(search *s, void *workspace, size_t workspace_size, apart_result_nd *r)
{
    const ap_nd_depth_task task = {.kind = s->options->depth,
                                   .tolerance = s->options->tolerance * s->pair.scale,
                                   .workspace = workspace,
                                   .workspace_size = workspace_size};
    s->depth = (ap_nd_depth){.stop = APART_STOP_WORKSPACE};
    if (s->options->depth == APART_DEPTH_NONE) {
        r->stop = APART_STOP_CONVERGED;
        write_overlap(s, -INFINITY, r);
        return;
    }
    if (s->pair.dim <= AP_ND_DEPTH_DIM) {
        ap_nd_depth_find(&s->pair, &task, &s->simplex, &s->best, &s->depth);
        s->iterations += s->depth.inserted;
    }
    if (s->depth.least > value_error(s, s->depth.least)) {
        copy_simplex(&s->nearest, &s->simplex);
        write_overlap_depth(s, r);
    } else if (s->depth.stop == APART_STOP_CONVERGED || -s->best.value <= 4.0 * ap_nd_noise(&s->pair)) {
        write_distance(s, ENDED_CONTACT, r);
    } else {
        r->stop = (uint8_t)s->depth.stop;
        write_overlap(s, lower_in_units(s), r);
    }
}

static apart_status answer_query(search *s, void *workspace, size_t workspace_size, apart_result_nd *result)
{
    const uint32_t default_limit = 256 + 16 * (uint32_t)s->pair.dim;
    const apart_status status = ap_nd_prepare(&s->pair);
    if (status != APART_OK) {
        return status;
    }
    s->limit = s->options->max_iterations > 0 ? s->options->max_iterations : default_limit;
    const ending end = find_distance(s, result);
    if (end == ENDED_CONTACT) {
        copy_simplex(&s->simplex, &s->nearest);
        if (ap_nd_overlaps(&s->pair, &s->simplex, &s->factor, s->v, default_limit, &s->best)) {
            answer_overlap(s, workspace, workspace_size, result);
            return APART_OK;
        }
    }
    write_distance(s, end, result);
    return APART_OK;
}

size_t apart_nd_workspace_size(size_t dim)
{
    if (dim <= APART_ND_STACK_DIM || dim > APART_ND_MAX_DIM) {
        return 0;
    }
    return count_doubles(dim) * sizeof(double) + count_indices(dim) * sizeof(uint32_t);
}

apart_status apart_distance_nd(size_t dim, const apart_points_nd *a, const apart_points_nd *b,
                               const apart_options *options, void *workspace, size_t workspace_size,
                               apart_result_nd *result)
{
    static const apart_options defaults = {0};
    stack_room room;
    if (a == NULL || b == NULL || result == NULL) {
        return APART_ERR_NULL;
    }
    search s = {.pair = {.dim = dim, .a = *a, .b = *b}, .options = options != NULL ? options : &defaults};
    const apart_status status = check_arguments(dim, a, b, s.options, workspace, workspace_size);
    if (status != APART_OK) {
        return status;
    }
    if (dim <= APART_ND_STACK_DIM) {
        divide_memory(&s, dim, room.doubles, room.indices);
    } else {
        double *doubles = workspace;
        divide_memory(&s, dim, doubles, (uint32_t *)(void *)(doubles + count_doubles(dim)));
    }
    s.pair.stats = s.options->stats;
#ifdef APART_INSTRUMENT
    const ap_operations before = ap_operation_count;
#endif
    const apart_status answer = answer_query(&s, workspace, workspace_size, result);
    if (answer == APART_OK && s.pair.stats != NULL) {
        count_query(&s, result, s.pair.stats);
#ifdef APART_INSTRUMENT
        s.pair.stats->multiplications += ap_operation_count.multiplications - before.multiplications;
        s.pair.stats->divisions += ap_operation_count.divisions - before.divisions;
#endif
    }
    return answer;
}
