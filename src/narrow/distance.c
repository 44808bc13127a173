/* The public queries: from two shapes and poses to a result with its bounds.
 *
 * A query prepares the pair (pair.c), runs the loop on the cores (gjk.c), asks for the depth where they meet (depth.c) and
 * turns the scaled answer into world points, subtracting the rounding radii: signed distance = that of the cores - radii. */
#include "box_box.h"
#include "depth.h"
#include "half_space.h"
#include "query.h"

/* The answer of the cores, scaled, whichever way it was found. */
typedef struct core_answer {
    const ap_simplex *simplex;
    apart_vec3 normal;
    double distance, lower, upper; /* signed */
} core_answer;

static apart_vec3 blend_a(const ap_simplex *s)
{
    apart_vec3 p = ap_scale(s->vertex[0].lambda, s->vertex[0].a);
    for (int i = 1; i < s->count; i++) {
        p = ap_add(p, ap_scale(s->vertex[i].lambda, s->vertex[i].a));
    }
    return p;
}

static apart_vec3 blend_b(const ap_simplex *s)
{
    apart_vec3 p = ap_scale(s->vertex[0].lambda, s->vertex[0].b);
    for (int i = 1; i < s->count; i++) {
        p = ap_add(p, ap_scale(s->vertex[i].lambda, s->vertex[i].b));
    }
    return p;
}

static void write_simplex(apart_result *r, const ap_pair *pair, const ap_simplex *s)
{
    r->count = (uint8_t)s->count;
    for (int i = 0; i < 4; i++) {
        const bool used = i < s->count;
        r->index_a[i] = used ? ap_input_index(pair->a, s->vertex[i].index_a) : APART_NO_INDEX;
        r->index_b[i] = used ? ap_input_index(pair->b, s->vertex[i].index_b) : APART_NO_INDEX;
        r->lambda[i] = used ? s->vertex[i].lambda : 0.0;
    }
}

/* Unscales, subtracts the radii and rounds the bounds outwards. */
static void write_numbers(apart_result *r, const ap_pair *pair, const core_answer *core)
{
    const double inverse = pair->inverse_scale;
    const double slack = 4.0 * AP_UNIT_ROUNDOFF * (pair->radius + inverse * fabs(core->distance)) + pair->widening;
    r->distance = inverse * core->distance - pair->radius;
    r->lower = (inverse * core->lower - pair->radius) - slack;
    r->upper = (inverse * core->upper - pair->radius) + slack;
    r->distance = ap_min(ap_max(r->distance, r->lower), r->upper);
    r->normal = core->normal;
    r->a = ap_add(ap_pair_world(pair, blend_a(core->simplex)), ap_scale(pair->a->radius, core->normal));
    r->b = ap_sub(ap_pair_world(pair, blend_b(core->simplex)), ap_scale(pair->b->radius, core->normal));
}

static uint8_t relation_of(const apart_result *r) { return r->lower > 0.0 ? APART_DISJOINT : r->upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING; }

static void write_separated(apart_result *r, const ap_pair *pair, const ap_gjk *g)
{
    const core_answer core = {.simplex = &g->simplex,
                              .normal = ap_scale(1.0 / g->length, g->v),
                              .distance = g->length,
                              .lower = g->reach - ap_pair_lower_error(pair),
                              .upper = ap_norm(ap_simplex_point(&g->simplex)) + pair->upper_error};
    write_simplex(r, pair, &g->simplex);
    write_numbers(r, pair, &core);
    r->stop = (uint8_t)g->stop;
    r->relation = relation_of(r);
}

/* Overlap without a depth: distance 0, upper 0, lower -infinity (design, rules of the numbers). */
static void forget_depth(apart_result *r)
{
    r->distance = 0.0;
    r->lower = -INFINITY;
    r->upper = 0.0;
    r->relation = APART_OVERLAPPING;
}

static void write_common_point(apart_result *r, const ap_pair *pair, const ap_gjk *g, const ap_depth *d)
{
    const core_answer core = {.simplex = &g->simplex, .normal = d->normal};
    write_simplex(r, pair, &g->simplex);
    write_numbers(r, pair, &core);
    r->stop = APART_STOP_CONVERGED;
    forget_depth(r);
}

static void write_depth(apart_result *r, const ap_pair *pair, const ap_depth *d)
{
    const core_answer core = {.simplex = &d->simplex,
                              .normal = d->normal,
                              .distance = -d->depth,
                              .lower = -(d->most + ap_pair_lower_error(pair)),
                              .upper = d->enclosed ? -(d->least - pair->upper_error)
                                                   : ap_norm(ap_simplex_point(&d->simplex)) + pair->upper_error};
    write_simplex(r, pair, &d->simplex);
    write_numbers(r, pair, &core);
    r->stop = (uint8_t)d->stop;
    r->relation = relation_of(r);
}

/* Cold default queries of two boxes look at the fifteen axes first; a trace and the papers' solvers want the loop itself. */
static bool takes_box_path(const ap_pair *pair, const apart_options *o)
{
    return pair->a->kind == APART_SHAPE_BOX && pair->b->kind == APART_SHAPE_BOX && pair->dim == 3 && o->solver == APART_SOLVER_DEFAULT &&
           o->depth == APART_DEPTH_EXACT && o->trace == NULL;
}

/* The loop, unless something quicker gives the depth. True: the depth is known already. */
static bool run(ap_gjk *g, ap_pair *pair, const apart_options *o, const apart_cache *cache, ap_depth *d)
{
    const bool boxes = takes_box_path(pair, o);
    if (o->depth_cache != NULL && !boxes && ap_depth_track(d, pair, o->depth_cache, o->depth, o->trace)) {
        ap_gjk_skip(g);
        return true;
    }
    if (!ap_gjk_track(g, pair, cache)) {
        apart_vec3 v = {0.0, 0.0, 0.0};
        if (boxes && ap_box_box_depth(d, pair, &v)) {
            ap_gjk_skip(g);
            return true;
        }
        ap_gjk_start(g, pair, ap_max_abs(v) > 0.0 ? v : ap_gjk_first_direction(pair, cache));
    }
    const ap_gjk_options loop = ap_query_loop(o, pair, false);
    ap_gjk_run(g, pair, &loop);
    return false;
}

static void write_result(apart_result *r, const ap_pair *pair, const apart_options *o, const ap_gjk *g, const ap_depth *d)
{
    r->solver = o->solver;
    r->dim = (uint8_t)pair->dim;
    r->iterations = (uint16_t)(g->iterations + 1);
    r->fallback = g->fell_back;
    if (g->outcome == AP_SEPARATED || g->outcome == AP_DECIDED) {
        write_separated(r, pair, g);
        if (g->outcome == AP_DECIDED) {
            r->relation = APART_BEYOND;
        } else if (r->relation == APART_OVERLAPPING && o->depth == APART_DEPTH_NONE) {
            forget_depth(r);
        }
    } else if (o->depth == APART_DEPTH_NONE && d->enclosed) {
        write_common_point(r, pair, g, d);
    } else {
        write_depth(r, pair, d);
    }
}

/* The loop and what follows it. The result is written only when the query could run. */
static apart_status answer(ap_pair *pair, const apart_options *o, apart_cache *cache, apart_result *result)
{
    ap_gjk g;
    ap_depth d;
    ap_query_trace(o, pair);
    const bool known = run(&g, pair, o, cache, &d);
    const bool meet = g.outcome == AP_ENCLOSED || g.outcome == AP_CONTACT;
    if (meet && !known) {
        ap_depth_find(&d, pair, &g, o->depth_cache, o->depth, o->trace);
    }
    if (pair->broken) {
        return ap_pair_status(pair);
    }
    write_result(result, pair, o, &g, &d);
    if (meet) {
        g.length = 1.0; /* the cache keeps the way out as its direction */
        g.v = d.normal;
    }
    return ap_query_end(&g, pair, o, cache);
}

apart_status apart_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                            const apart_options *options, apart_cache *cache, apart_result *result)
{
    const apart_options *o;
    apart_status status = ap_query_begin(a, pose_a, b, pose_b, options, result, &o);
    if (status != APART_OK) {
        return status;
    }
    if (ap_query_has_half_space(a, b)) {
        return ap_half_space_distance(a, pose_a, b, pose_b, o, result);
    }
    ap_pair pair;
    ap_gjk_expect(a, b, cache);
    status = ap_pair_prepare(&pair, a, pose_a, b, pose_b, o->support);
    return status == APART_OK ? answer(&pair, o, cache, result) : status;
}

/* The loop's own answer to yes or no; contact within rounding is yes. */
static int meets(const ap_gjk *g, const ap_pair *pair)
{
    if (g->outcome == AP_ENCLOSED || g->outcome == AP_CONTACT) {
        return 1;
    }
    return g->reach - ap_pair_lower_error(pair) > pair->scale * pair->radius ? 0 : 1;
}

apart_status apart_overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                           const apart_options *options, apart_cache *cache, int *overlap)
{
    const apart_options *o;
    apart_status status = ap_query_begin(a, pose_a, b, pose_b, options, overlap, &o);
    if (status != APART_OK) {
        return status;
    }
    if (ap_query_has_half_space(a, b)) {
        apart_result r;
        status = ap_half_space_distance(a, pose_a, b, pose_b, o, &r);
        if (status == APART_OK) {
            *overlap = r.lower > 0.0 ? 0 : 1;
        }
        return status;
    }
    ap_pair pair;
    ap_gjk_expect(a, b, cache);
    status = ap_pair_prepare(&pair, a, pose_a, b, pose_b, o->support);
    if (status != APART_OK) {
        return status;
    }
    ap_gjk g;
    ap_query_trace(o, &pair);
    ap_query_run(&g, &pair, o, cache, true);
    status = ap_query_end(&g, &pair, o, cache);
    if (status == APART_OK) {
        *overlap = meets(&g, &pair);
    }
    return status;
}

apart_status apart_point_distance(apart_vec3 point, const apart_shape *b, const apart_pose *pose_b, const apart_options *options,
                                  apart_cache *cache, apart_result *result)
{
    if (b == NULL || pose_b == NULL || result == NULL) {
        return APART_ERR_NULL;
    }
    const apart_vec3 origin = {0.0, 0.0, 0.0};
    const apart_shape a = b->dim == 2 ? apart_point_2d(0.0, 0.0) : apart_point(origin);
    const apart_pose pose_a = apart_pose_translation(point.x, point.y, point.z);
    return apart_distance(&a, &pose_a, b, pose_b, options, cache, result);
}

void apart_result_in_frame(const apart_result *result, const apart_pose *pose, apart_result *out)
{
    if (result == NULL || pose == NULL || out == NULL) {
        return;
    }
    const apart_result r = *result;
    *out = r;
    out->a = apart_pose_apply_inverse(pose, r.a);
    out->b = apart_pose_apply_inverse(pose, r.b);
    out->normal = apart_pose_rotate_inverse(pose, r.normal);
}
