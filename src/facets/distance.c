/* Distance and overlap where a solid is a mesh. The search (search.c) proposes pairs that floats cannot exclude. What of
 * them the normal of the nearest pair so far excludes in doubles is not queried either: neighbours that share the
 * nearest vertex or edge, mostly. The rest are queries of two convex shapes, whose bounds are the answer's. */
#include "facets.h"

#include "../query/query.h"
#include "inside.h"
#include "seed.h"

/* Of a projection on a normal, in units of u * scope: products with the normal in the bodies' frames 10, the centres'
 * difference 16, the rest 4; and how far below the upper bound a pair may end that is not queried. */
static const double projection_error = 32.0 * AP_UNIT_ROUNDOFF, tie_width = 96.0 * AP_UNIT_ROUNDOFF;

typedef struct distance_search {
    ap_facet_frame frame;
    ap_facet_poses poses;
    ap_facet_search search;
    apart_options options; /* of queries of parts */
    double cutoff, tolerance;
    apart_compound_cache *cache; /* NULL: none */
    apart_compound_result best;
    double lower, upper;
    bool overlapping; /* for certain */
    bool unknown;     /* whether one body lies in the other */
    uint8_t depth;    /* apart_depth, as asked */
    apart_status status;
    apart_vec3 normal[2]; /* the best pair's, in the sides' own frames, both from A to B */
    double along;         /* of the vector between the centres along it */
} distance_search;

/* ---- in doubles ---- */

static void note_normal(distance_search *s)
{
    const ap_facet_frame *f = &s->frame;
    const apart_vec3 n = s->best.result.normal;
    s->normal[0] = ap_apply_transposed(&f->side[0].pose->rotation, n);
    s->normal[1] = ap_apply_transposed(&f->side[1].pose->rotation, n);
    s->along = ap_dot(n, f->between);
    s->search.normal[0] = (float)s->normal[0].x;
    s->search.normal[1] = (float)s->normal[0].y;
    s->search.normal[2] = (float)s->normal[0].z;
    s->search.has_normal = !f->along && s->best.result.distance > 0.0;
}

/* The largest product of a direction with a triangle, relative to the centre. */
static double most_along(const ap_facet_side *side, uint32_t triangle, apart_vec3 direction)
{
    const uint32_t *corners = ap_mesh_corners(side->mesh, triangle);
    double most = -INFINITY;
    for (int i = 0; i < 3; i++) {
        most = ap_max(most, ap_dot(direction, ap_sub(ap_mesh_vertex(side->mesh, corners[i]), side->center)));
    }
    return most;
}

/* A lower bound of the distance of two triangles; -INFINITY of others. */
static double projected_gap(const distance_search *s, const uint32_t part[2])
{
    const ap_facet_side *side = s->frame.side;
    if (side[0].mesh == NULL || side[1].mesh == NULL || !(s->best.result.distance > 0.0)) {
        return -INFINITY;
    }
    const double a = most_along(&side[0], part[0], s->normal[0]),
                 b = most_along(&side[1], part[1], ap_neg(s->normal[1]));
    return (s->along - b - a) - projection_error * s->frame.scope;
}

static apart_status query_parts(distance_search *s, const uint32_t part[2], apart_cache *cache, apart_result *r)
{
    ap_facet_part a, b;
    ap_facet_part_get(&s->frame, &s->poses, 0, part[0], &a);
    ap_facet_part_get(&s->frame, &s->poses, 1, part[1], &b);
    return ap_query_distance(a.shape, a.pose, b.shape, b.pose, &s->options, cache, r);
}

/* What the search needs to know of the best pair. */
static void narrow_search(distance_search *s)
{
    const double nearest = ap_min(s->upper, s->cutoff);
    const double threshold = ap_max(nearest - s->tolerance, 0.0);
    s->options.cutoff = ap_max(threshold, DBL_MIN);
    ap_facet_set_threshold(&s->search, threshold);
}

/* False: the answer is known. */
static bool take_result(distance_search *s, const uint32_t part[2], const apart_result *r, const apart_cache *cache)
{
    const bool first = s->best.queries == 0;
    s->best.queries++;
    s->lower = ap_min(s->lower, r->lower - s->poses.widening);
    s->upper = ap_min(s->upper, r->upper + s->poses.widening);
    s->overlapping = r->relation == APART_OVERLAPPING && r->upper + s->poses.widening <= 0.0;
    if (first || s->overlapping || r->upper < s->best.result.upper) { /* its points are that near for certain */
        s->best.result = *r;
        s->best.part_a = part[0];
        s->best.part_b = part[1];
        note_normal(s);
        if (s->cache != NULL && cache != &s->cache->cache) {
            s->cache->cache = *cache;
        }
    }
    narrow_search(s);
    return !s->overlapping;
}

static bool visit_pair(ap_facet_search *search, const uint32_t part[2])
{
    distance_search *s = search->context;
    const double gap = projected_gap(s, part);
    apart_result r;
    apart_cache cache = {.count = 0};
    if (search->any && gap >= ap_min(search->threshold, s->upper - tie_width * s->frame.scope)) {
        s->lower = ap_min(s->lower, gap);
        return true;
    }
    if (s->best.queries > 0 && part[0] == s->best.part_a && part[1] == s->best.part_b) {
        return true;
    }
    s->status = query_parts(s, part, &cache, &r);
    return s->status == APART_OK && take_result(s, part, &r, &cache);
}

/* ---- the query ---- */

static apart_status begin(distance_search *s, apart_solid a, const apart_pose *pose_a, apart_solid b,
                          const apart_pose *pose_b, const apart_options *options, apart_compound_cache *cache)
{
    if (pose_a == NULL || pose_b == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = ap_solid_check(a);
    status = status == APART_OK ? ap_solid_check(b) : status;
    status = status == APART_OK ? ap_facet_frame_set(&s->frame, a, pose_a, b, pose_b) : status;
    if (status != APART_OK) {
        return status;
    }
    s->options = options != NULL ? *options : (apart_options){.trace = NULL};
    if (!(s->options.cutoff >= 0.0) || !(s->options.tolerance >= 0.0 && s->options.tolerance <= DBL_MAX) ||
        s->options.depth > APART_DEPTH_NONE) {
        return APART_ERR_OPTION;
    }
    ap_facet_poses_set(&s->poses, &s->frame);
    s->cutoff = s->options.cutoff > 0.0 ? s->options.cutoff : INFINITY;
    s->tolerance = s->options.tolerance;
    s->depth = s->options.depth;
    s->options.depth = APART_DEPTH_NONE;
    s->options.trace = NULL;
    s->options.depth_cache = NULL;
    s->cache = cache;
    s->best.queries = 0;
    s->best.result.distance = INFINITY;
    s->lower = s->upper = INFINITY;
    s->overlapping = s->unknown = false;
    s->status = APART_OK;
    s->search.visit = visit_pair;
    s->search.context = s;
    ap_facet_search_set(&s->search, &s->frame, s->cutoff);
    return APART_OK;
}

/* The pair of the last query, if the cache can be of these solids. False: the answer is known, or an error. */
static bool query_cached(distance_search *s, apart_solid a, apart_solid b)
{
    apart_compound_cache *cache = s->cache;
    if (cache == NULL || cache->cache.tag == 0) {
        return true;
    }
    const uint32_t part[2] = {cache->part_a, cache->part_b};
    if (part[0] >= ap_facet_part_count(a) || part[1] >= ap_facet_part_count(b)) {
        cache->cache = (apart_cache){.count = 0};
        return true;
    }
    apart_result r;
    s->status = query_parts(s, part, &cache->cache, &r);
    s->search.any = s->status == APART_OK;
    return s->status == APART_OK && take_result(s, part, &r, &cache->cache);
}

/* Without a pair to begin with, all pairs would be compared. False: the answer is known, or an error. */
static bool query_seed(distance_search *s)
{
    uint32_t part[2];
    apart_cache cache = {.count = 0};
    apart_result r;
    if (!ap_facet_seed(&s->frame, part)) {
        return true;
    }
    s->status = query_parts(s, part, &cache, &r);
    s->search.any = s->status == APART_OK;
    return s->status == APART_OK && take_result(s, part, &r, &cache);
}

static apart_status search_nearest(distance_search *s, apart_solid a, apart_solid b)
{
    if (query_cached(s, a, b) && (s->search.any || query_seed(s))) {
        ap_facet_search_run(&s->search);
    }
    if (s->status == APART_OK && s->cache != NULL) {
        s->cache->part_a = s->best.part_a;
        s->cache->part_b = s->best.part_b;
    }
    return s->status;
}

/* The best pair's answer, from the query's frame to the world, with the bounds of all pairs. */
static void write_result(const distance_search *s, const apart_pose *pose_a, apart_compound_result *out)
{
    apart_compound_result found = s->best;
    apart_result *r = &found.result;
    if (s->poses.joined) {
        r->a = ap_add(r->a, pose_a->translation);
        r->b = ap_add(r->b, pose_a->translation);
    }
    r->upper = s->overlapping ? 0.0 : s->upper;
    r->lower = s->overlapping ? 0.0 : ap_max(ap_min(s->lower, s->search.threshold), 0.0);
    r->lower = ap_min(r->lower, r->upper);
    r->distance = ap_min(ap_max(r->distance, r->lower), r->upper);
    r->relation = (uint8_t)(s->overlapping          ? APART_OVERLAPPING
                            : r->lower >= s->cutoff ? APART_BEYOND
                            : r->lower > 0.0        ? APART_DISJOINT
                                                    : APART_TOUCHING);
    found.boxes = s->search.boxes;
    *out = found;
}

/* After the search: a body whose surface is apart may lie inside the other. */
static void look_inside(distance_search *s, const ap_facet_solids *solids, const apart_pose *pose_a)
{
    apart_vec3 point;
    if (s->overlapping || !(ap_facet_is_filled(solids->solid[0]) || ap_facet_is_filled(solids->solid[1]))) {
        return;
    }
    const double gap = ap_min(s->lower, s->search.threshold);
    const ap_facet_inside found = ap_facet_lies_inside(solids, gap, &point);
    s->unknown = found == AP_FACET_UNKNOWN;
    if (found == AP_FACET_INSIDE) {
        s->overlapping = true;
        s->best.result.a = s->best.result.b = s->poses.joined ? ap_sub(point, pose_a->translation) : point;
    }
}

/* Bodies that overlap, or may: the depth, if there is one and it is asked for. */
static void write_depth(const distance_search *s, const ap_facet_solids *solids, apart_result *r)
{
    const uint32_t part[2] = {s->best.part_a, s->best.part_b};
    ap_facet_depth depth;
    if (!(s->overlapping || s->unknown) || !ap_facet_has_inside(solids->solid[0]) ||
        !ap_facet_has_inside(solids->solid[1])) {
        return;
    }
    if (s->depth == APART_DEPTH_NONE) {
        r->lower = -INFINITY;
        r->distance = 0.0;
        r->upper = s->overlapping ? 0.0 : r->upper;
        return;
    }
    ap_facet_depth_bounds(solids, part, s->depth == APART_DEPTH_EXACT, &depth);
    r->lower = -depth.upper;
    if (s->overlapping || depth.lower > 0.0) {
        r->relation = APART_OVERLAPPING;
        r->upper = 0.0 - depth.lower;
        r->distance = -depth.upper;
        r->normal = depth.normal;
    }
}

apart_status ap_facets_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                const apart_options *options, apart_compound_cache *cache,
                                apart_compound_result *result)
{
    distance_search s;
    if (result == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = begin(&s, a, pose_a, b, pose_b, options, cache);
    status = status == APART_OK ? search_nearest(&s, a, b) : status;
    if (status == APART_OK) {
        const ap_facet_solids solids = {&s.frame, {a, b}, {pose_a, pose_b}};
        look_inside(&s, &solids, pose_a);
        write_result(&s, pose_a, result);
        write_depth(&s, &solids, &result->result);
    }
    return status;
}

/* ---- overlap ---- */

/* Do two parts meet? */
static int parts_meet(distance_search *s, const uint32_t part[2], apart_cache *cache)
{
    ap_facet_part a, b;
    int overlap = 0;
    ap_facet_part_get(&s->frame, &s->poses, 0, part[0], &a);
    ap_facet_part_get(&s->frame, &s->poses, 1, part[1], &b);
    s->status = ap_query_overlap(a.shape, a.pose, b.shape, b.pose, &s->options, cache, &overlap);
    return overlap;
}

/* Ends with the first pair of parts that meet. */
static bool visit_overlap(ap_facet_search *search, const uint32_t part[2])
{
    distance_search *s = search->context;
    apart_cache cache = {.tag = search->certain ? 1 : 0};
    const int overlap = search->certain ? 1 : parts_meet(s, part, &cache);
    if (s->status == APART_OK && (overlap || s->best.queries == 0)) {
        s->best.part_a = part[0];
        s->best.part_b = part[1];
        s->overlapping = overlap != 0;
        if (s->cache != NULL) {
            *s->cache = (apart_compound_cache){cache, part[0], part[1]};
        }
    }
    s->best.queries++;
    return s->status == APART_OK && !s->overlapping;
}

/* The surfaces do not meet: does one body lie in the other? Where rounding leaves that open, the distance is asked. */
static apart_status overlap_inside(distance_search *s, apart_solid a, const apart_pose *pose_a, apart_solid b,
                                   const apart_pose *pose_b, int *overlap, uint32_t parts[2])
{
    const apart_options options = {.depth = APART_DEPTH_NONE};
    apart_compound_result r;
    s->status = ap_facets_distance(a, pose_a, b, pose_b, &options, NULL, &r);
    if (s->status == APART_OK) {
        *overlap = r.result.lower <= 0.0 ? 1 : 0;
        if (*overlap && parts != NULL) {
            parts[0] = r.part_a;
            parts[1] = r.part_b;
        }
    }
    return s->status;
}

apart_status ap_facets_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                               const apart_options *options, apart_compound_cache *cache, int *overlap,
                               uint32_t parts[2])
{
    distance_search s;
    if (overlap == NULL) {
        return APART_ERR_NULL;
    }
    const apart_status status = begin(&s, a, pose_a, b, pose_b, options, cache);
    if (status != APART_OK) {
        return status;
    }
    s.search.visit = visit_overlap;
    s.search.any = s.search.pierce = true;
    ap_facet_set_threshold(&s.search, 0.0);
    bool open = true;
    if (cache != NULL && cache->cache.tag != 0 && cache->part_a < ap_facet_part_count(a) &&
        cache->part_b < ap_facet_part_count(b)) {
        const uint32_t part[2] = {cache->part_a, cache->part_b};
        open = visit_overlap(&s.search, part);
    }
    if (open) {
        ap_facet_search_run(&s.search);
    }
    if (s.status != APART_OK) {
        return s.status;
    }
    if (!s.overlapping && (ap_facet_is_filled(a) || ap_facet_is_filled(b))) {
        return overlap_inside(&s, a, pose_a, b, pose_b, overlap, parts);
    }
    *overlap = s.overlapping ? 1 : 0;
    if (s.overlapping && parts != NULL) {
        parts[0] = s.best.part_a;
        parts[1] = s.best.part_b;
    }
    return APART_OK;
}
