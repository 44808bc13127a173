/* Distance and overlap of compounds: what the search (search.c) looks at, and what comes of it. */
#include "../query/query.h"
#include "frame.h"

/* ---- looking at parts ---- */

AP_INLINE void note_best(ap_part_search *s, const uint32_t part[2])
{
    s->any = true;
    s->open = false;
    s->best->part_a = part[0];
    s->best->part_b = part[1];
    s->settled = s->best->result.lower == -INFINITY; /* without a depth, the first overlap is the answer */
}

static void note_bounds(ap_part_search *s, const apart_result *r)
{
    s->best->queries++;
    s->least = ap_min(s->least, r->lower - s->widening);
    s->most = ap_min(s->most, r->upper + s->widening);
}

/* Two parts in the query's frame. */
typedef struct placed_pair {
    const apart_shape *a, *b;
    apart_pose pose_a, pose_b;
} placed_pair;

AP_INLINE void place(const ap_part_search *s, const uint32_t part[2], placed_pair *pair)
{
    pair->a = ap_search_part(&s->side[0], part[0], &pair->pose_a);
    pair->b = ap_search_part(&s->side[1], part[1], &pair->pose_b);
}

/* The first pair of parts: it is asked what the solids were asked, and nothing is copied. */
AP_INLINE apart_status look_first(ap_part_search *s, const uint32_t part[2], const placed_pair *pair)
{
    apart_cache *cache = s->cache != NULL ? &s->cache->cache : NULL;
    const apart_status status = ap_query_distance(pair->a, &pair->pose_a, pair->b, &pair->pose_b, s->asked, cache, &s->best->result);
    if (status == APART_OK) {
        s->best->queries = 1;
        s->least = s->best->result.lower - s->widening;
        s->most = s->best->result.upper + s->widening;
        s->boxes = 0;
        s->pruned = false;
        note_best(s, part);
    }
    return status;
}

/* Any other pair. Nearer than the best or not is all that is asked; below zero, apart or not. */
static apart_status look_at_distance(ap_part_search *s, const uint32_t part[2])
{
    placed_pair pair;
    apart_result r;
    apart_cache cache = {.count = 0};
    place(s, part, &pair);
    s->options = s->asked != NULL ? *s->asked : (apart_options){.trace = NULL};
    s->options.cutoff = ap_max(ap_search_threshold(s), DBL_MIN);
    const apart_status status = ap_query_distance(pair.a, &pair.pose_a, pair.b, &pair.pose_b, &s->options, &cache, &r);
    if (status != APART_OK) {
        return status;
    }
    note_bounds(s, &r);
    if (r.distance < s->best->result.distance) {
        s->best->result = r;
        note_best(s, part);
        ap_search_use_normal(s);
        if (s->cache != NULL) {
            s->cache->cache = cache;
        }
    }
    return APART_OK;
}

static apart_status look_at_overlap(ap_part_search *s, const uint32_t part[2])
{
    placed_pair pair;
    apart_cache cold = {.count = 0};
    place(s, part, &pair);
    const bool tracked = !s->any && s->cache != NULL;
    apart_cache *cache = tracked ? &s->cache->cache : &cold;
    int overlap;
    const apart_status status = ap_query_overlap(pair.a, &pair.pose_a, pair.b, &pair.pose_b, s->asked, cache, &overlap);
    if (status != APART_OK) {
        return status;
    }
    s->best->queries++;
    if (overlap || !s->any) {
        s->any = true;
        s->settled = overlap != 0;
        s->best->part_a = part[0];
        s->best->part_b = part[1];
        if (!tracked && s->cache != NULL) {
            s->cache->cache = cold;
        }
    }
    return APART_OK;
}

AP_INLINE uint32_t part_count(apart_solid solid) { return solid.compound != NULL ? solid.compound->count : 1u; }

/* The cache's pair of parts, if it can be of these solids. Else false, and the cache is as good as new. */
AP_INLINE bool recall(apart_compound_cache *cache, apart_solid a, apart_solid b, uint32_t part[2])
{
    if (cache == NULL) {
        return false;
    }
    if (cache->cache.tag == 0 || cache->part_a >= part_count(a) || cache->part_b >= part_count(b)) {
        cache->cache = (apart_cache){.count = 0};
        return false;
    }
    part[0] = cache->part_a;
    part[1] = cache->part_b;
    return true;
}

AP_INLINE void remember(const ap_part_search *s)
{
    if (s->cache != NULL) {
        s->cache->part_a = s->best->part_a;
        s->cache->part_b = s->best->part_b;
    }
}

static bool may_be_looked_at(const ap_part_search *s, const uint32_t part[2])
{
    return part[0] != UINT32_MAX && s->looked_count < AP_SEARCH_FIRST && !ap_search_was_looked_at(s, part);
}

/* Where it is not settled, part[] may be a nearer pair. Of many parts far away the normal alone tells more than balls do. */
AP_INLINE bool proves(const ap_part_search *s, uint32_t part[2])
{
    if (s->plane >= 0) {
        return ap_search_proves(s, part);
    }
    if (s->near != NULL && ap_search_wanted(s) <= s->near->beyond) {
        return ap_search_near_prove(s, part);
    }
    if (ap_search_has_few(&s->side[0]) && ap_search_has_few(&s->side[1])) {
        return ap_search_few_prove(s, part);
    }
    if (ap_search_is_far(s)) {
        const bool proved = ap_search_proves(s, part);
        if (proved || may_be_looked_at(s, part)) {
            return proved;
        }
    }
    return ap_search_many_prove(s, part);
}

/* A pair that the walk comes to: mostly it can be seen that it is not the nearest. */
static apart_status look_unless_clear(ap_part_search *s, const uint32_t part[2])
{
    if (s->plane < 0 && ap_search_is_clear_pair(s, part)) {
        s->pruned = true;
        return APART_OK;
    }
    return look_at_distance(s, part);
}

/* Parts that may be nearer than the best pair, one after the other, until it is proved to decide; else the trees are walked. */
static __attribute__((noinline)) apart_status find_others(ap_part_search *s, uint32_t part[2], ap_look_fn *look, ap_look_fn *look_on_walk)
{
    while (may_be_looked_at(s, part)) {
        ap_search_note_look(s, part);
        const apart_status status = look(s, part);
        if (status != APART_OK || s->settled) {
            return status;
        }
        s->pruned = proves(s, part);
        if (s->pruned) {
            return APART_OK;
        }
    }
    ap_search_stand_still(s);
    ap_search_open(s);
    ap_search_use_normal(s);
    return ap_search_walk(s, look_on_walk);
}

/* The best pair's answer from the query's frame to the world, with the bounds of all pairs. The result may be where it is already. What is
 * changed is read from where the query wrote it, since a copy of several numbers at once is read slowly right after. */
AP_INLINE void finish(const ap_part_search *s, const apart_pose *pose_a, apart_compound_result *result)
{
    const apart_result *r = &s->best->result;
    const apart_vec3 a = ap_add(r->a, pose_a->translation), b = ap_add(r->b, pose_a->translation);
    const double lower = s->pruned ? ap_min(s->least, ap_search_threshold(s)) : s->least, upper = s->most;
    const double distance = lower != -INFINITY ? ap_min(ap_max(r->distance, lower), upper) : r->distance;
    const apart_relation relation = lower == -INFINITY ? (apart_relation)r->relation
                                    : lower >= s->cutoff ? APART_BEYOND
                                    : lower > 0.0        ? APART_DISJOINT
                                    : upper < 0.0        ? APART_OVERLAPPING
                                                         : APART_TOUCHING;
    remember(s);
    *result = *s->best;
    result->boxes = s->boxes;
    result->result.distance = distance;
    result->result.lower = lower;
    result->result.upper = upper;
    result->result.a = a;
    result->result.b = b;
    result->result.relation = (uint8_t)relation;
}

/* The shape that a solid is, or that a compound comes to; NULL: none. */
AP_INLINE const apart_shape *shape_of(apart_solid solid) { return solid.compound == NULL ? solid.shape : solid.compound->lone; }

/* That shape instead of its compound. */
AP_INLINE apart_solid simplest(apart_solid solid)
{
    return solid.compound != NULL && solid.compound->lone != NULL ? (apart_solid){solid.compound->lone, NULL} : solid;
}

/* The ways of a query. They take what it was asked, in its order, so that going there is a jump. */
static __attribute__((noinline)) ap_solids_distance_fn shapes_distance, lone_parts_distance, compounds_distance;

static apart_status shapes_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                    const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    apart_cache *own = cache != NULL ? &cache->cache : NULL;
    const apart_status status = ap_query_distance(shape_of(a), pose_a, shape_of(b), pose_b, options, own, &result->result);
    if (status == APART_OK) {
        result->part_a = result->part_b = result->boxes = 0;
        result->queries = 1;
    }
    return status;
}

/* Solids of a part each. The search stays in registers, since nobody else sees it. */
static apart_status lone_parts_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                        const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    ap_part_search s;
    placed_pair pair;
    apart_options space;
    uint32_t part[2] = {0, 0};
    a = simplest(a);
    b = simplest(b);
    ap_search_place(&s, a, pose_a, b, pose_b);
    place(&s, part, &pair);
    recall(cache, a, b, part);
    apart_status status = ap_search_prepare(&s, options, &space);
    if (status == APART_OK) {
        s.best = result;
        s.cache = cache;
        status = look_first(&s, part, &pair);
    }
    if (status == APART_OK) {
        finish(&s, pose_a, result);
    }
    return status;
}

/* Solids of which one has more parts. A first pair of parts mostly is proved to decide. They are placed before anything else is done, since
 * the query reads their poses in larger pieces than they were written in, and would wait for them. */
static apart_status compounds_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                       const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    ap_part_search s;
    placed_pair pair;
    apart_compound_result found; /* parts that come later can fail, and then the result must be untouched */
    ap_near_pairs near;
    uint32_t part[2];
    a = simplest(a);
    b = simplest(b);
    ap_search_place(&s, a, pose_a, b, pose_b);
    const bool known = recall(cache, a, b, part);
    if (known) {
        place(&s, part, &pair);
    }
    apart_status status = ap_search_prepare(&s, options, &s.options);
    if (status != APART_OK) {
        return status;
    }
    ap_search_prepare_others(&s);
    if (!known) {
        ap_search_first(&s, &near, part);
        place(&s, part, &pair);
    }
    s.best = &found;
    s.cache = cache;
    ap_search_note_look(&s, part);
    status = look_first(&s, part, &pair);
    if (status == APART_OK && !s.settled) {
        s.pruned = proves(&s, part);
        status = s.pruned ? APART_OK : find_others(&s, part, look_at_distance, look_unless_clear);
    }
    if (status == APART_OK) {
        finish(&s, pose_a, result);
    }
    return status;
}

apart_status ap_solids_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    if (!ap_solid_is_valid(a) || !ap_solid_is_valid(b) || pose_a == NULL || pose_b == NULL || result == NULL) {
        return APART_ERR_NULL;
    }
    if (ap_solid_has_others(a.compound) || ap_solid_has_others(b.compound)) {
        return compounds_distance(a, pose_a, b, pose_b, options, cache, result);
    }
    return shape_of(a) == NULL || shape_of(b) == NULL ? lone_parts_distance(a, pose_a, b, pose_b, options, cache, result)
                                                      : shapes_distance(a, pose_a, b, pose_b, options, cache, result);
}

static apart_status compounds_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                      const apart_options *options, apart_compound_cache *cache, int *overlap, uint32_t parts[2])
{
    ap_part_search s;
    apart_compound_result found = {.queries = 0}; /* of which only the parts are used: no normal is known */
    ap_near_pairs near;
    uint32_t part[2];
    ap_search_place(&s, a, pose_a, b, pose_b);
    apart_status status = ap_search_prepare(&s, options, &s.options);
    if (status != APART_OK) {
        return status;
    }
    ap_search_prepare_others(&s);
    ap_search_clear(&s);
    s.best = &found;
    s.cutoff = DBL_MIN; /* pairs with any gap are far */
    s.open = false;
    s.cache = cache;
    if (!recall(cache, a, b, part)) {
        ap_search_first(&s, &near, part);
    }
    ap_search_note_look(&s, part);
    status = look_at_overlap(&s, part);
    if (status == APART_OK && !s.settled && !proves(&s, part)) {
        status = find_others(&s, part, look_at_overlap, look_at_overlap);
    }
    if (status != APART_OK) {
        return status;
    }
    remember(&s);
    *overlap = s.settled;
    if (parts != NULL && *overlap) {
        parts[0] = found.part_a;
        parts[1] = found.part_b;
    }
    return APART_OK;
}

apart_status ap_solids_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                               const apart_options *options, apart_compound_cache *cache, int *overlap, uint32_t parts[2])
{
    if (!ap_solid_is_valid(a) || !ap_solid_is_valid(b) || pose_a == NULL || pose_b == NULL || overlap == NULL) {
        return APART_ERR_NULL;
    }
    if (shape_of(a) == NULL || shape_of(b) == NULL) {
        return compounds_overlap(simplest(a), pose_a, simplest(b), pose_b, options, cache, overlap, parts);
    }
    if (parts != NULL) {
        parts[0] = parts[1] = 0;
    }
    return ap_query_overlap(shape_of(a), pose_a, shape_of(b), pose_b, options, cache != NULL ? &cache->cache : NULL, overlap);
}
