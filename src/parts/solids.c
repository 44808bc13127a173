/* Distance and overlap of two solids. Two shapes go straight to their query. Of compounds a first pair of parts is
 * queried, the one in the cache or a guess (first_pair.c). Mostly it is proved to decide (prove.c); else pairs that may
 * be nearer are queried one by one, and after a few of them the trees are walked (walk.c). */
#include "solids.h"

#include "../query/query.h"
#include "walk.h"

/* ---- parts and caches ---- */

/* The shape that a solid is, or that a compound is equal to; NULL: none. */
AP_INLINE const apart_shape *shape_of(apart_solid solid)
{
    return solid.compound == NULL ? solid.shape : solid.compound->only_shape;
}

/* That shape instead of its compound. */
AP_INLINE apart_solid simplest(apart_solid solid)
{
    return shape_of(solid) != NULL ? (apart_solid){.shape = shape_of(solid)} : solid;
}

/* Two parts in the query's frame. */
typedef struct posed_pair {
    const apart_shape *a, *b;
    apart_pose pose_a, pose_b;
} posed_pair;

AP_INLINE void pose_parts(const ap_part_side side[2], const uint32_t part[2], posed_pair *pair)
{
    pair->a = ap_side_part(&side[0], part[0], &pair->pose_a);
    pair->b = ap_side_part(&side[1], part[1], &pair->pose_b);
}

AP_INLINE uint32_t part_count(apart_solid solid) { return solid.compound != NULL ? solid.compound->count : 1u; }

/* The cache's pair of parts, if it can be of these solids. Else false, and the cache is as good as new. */
AP_INLINE bool recall_parts(apart_compound_cache *cache, apart_solid a, apart_solid b, uint32_t part[2])
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

AP_INLINE void remember_parts(apart_compound_cache *cache, const apart_compound_result *pair)
{
    if (cache != NULL) {
        cache->part_a = pair->part_a;
        cache->part_b = pair->part_b;
    }
}

/* Checks the cut-off. The trace is of two shapes only: *own is for options without it. */
AP_INLINE apart_status take_options(const apart_options *options, apart_options *own, const apart_options **used,
                                    double *cutoff)
{
    const double asked = options != NULL ? options->cutoff : 0.0;
    *used = options;
    if (options != NULL && options->trace != NULL) {
        *own = *options;
        own->trace = NULL;
        *used = own;
    }
    *cutoff = asked > 0.0 ? asked : INFINITY;
    return asked >= 0.0 ? APART_OK : APART_ERR_OPTION;
}

/* ---- the search for the pair that decides ---- */

/* What one query of solids carries from one pair of parts to the next. */
typedef struct part_search {
    ap_part_frame frame;
    ap_part_best best;
    ap_queried_pairs queried;
    ap_near_pairs near;           /* incomplete unless the first pair was chosen from it */
    const apart_options *options; /* without a trace; NULL: the defaults */
    apart_compound_cache *cache;  /* NULL: none; else what it holds is the best pair's */
} part_search;

/* Queries two parts and notes what it finds in s->best. */
typedef apart_status query_parts_fn(part_search *s, const uint32_t part[2]);

/* The best pair changed on a walk, or the threshold did. */
static void update_walk(ap_part_walk *w, const part_search *s)
{
    w->threshold = ap_best_threshold(&s->best);
    w->decided = s->best.decided;
}

static bool may_be_queried(const ap_queried_pairs *queried, const uint32_t part[2])
{
    return part[0] != UINT32_MAX && queried->count < AP_MOST_QUERIED && !ap_was_queried(queried, part);
}

/* Queries parts that may be nearer than the best pair, one after the other, until it is proved to decide; else
 * walks. */
static AP_NOINLINE apart_status search_others(part_search *s, uint32_t part[2], query_parts_fn *query,
                                              ap_walk_query_fn *walk_query)
{
    ap_part_walk walk;
    while (may_be_queried(&s->queried, part)) {
        ap_note_queried(&s->queried, part);
        const apart_status status = query(s, part);
        if (status != APART_OK || s->best.decided) {
            return status;
        }
        s->best.pruned = ap_prove(&s->frame, &s->best, &s->queried, &s->near, part);
        if (s->best.pruned) {
            return APART_OK;
        }
    }
    ap_walk_set(&walk, &s->frame);
    ap_walk_set_normal(&walk, ap_best_normal(&s->best));
    walk.query = walk_query;
    walk.context = s;
    walk.queried = &s->queried;
    update_walk(&walk, s);
    const apart_status status = ap_walk_run(&walk);
    s->best.pruned = true;
    s->best.pair->boxes += walk.boxes;
    return status;
}

/* ---- distance ---- */

AP_INLINE void note_best(ap_part_best *best, const uint32_t part[2])
{
    best->pair->part_a = part[0];
    best->pair->part_b = part[1];
    best->decided = best->pair->result.lower == -INFINITY; /* without a depth, the first overlap is the answer */
}

/* The first pair of parts: it is asked what the solids were asked, and nothing is copied. */
AP_INLINE apart_status query_first(const ap_part_frame *f, const posed_pair *pair, const uint32_t part[2],
                                   const apart_options *options, apart_compound_cache *cache, ap_part_best *best)
{
    apart_cache *own = cache != NULL ? &cache->cache : NULL;
    apart_result *r = &best->pair->result;
    const apart_status status = ap_query_distance(pair->a, &pair->pose_a, pair->b, &pair->pose_b, options, own, r);
    if (status == APART_OK) {
        best->pair->queries = 1;
        best->pair->boxes = 0;
        best->lower = r->lower - f->widening;
        best->upper = r->upper + f->widening;
        best->pruned = false;
        note_best(best, part);
    }
    return status;
}

/* Any other pair: nearer than the best or not is all that is asked; below zero, apart or not. */
static apart_status query_other(part_search *s, const uint32_t part[2])
{
    ap_part_best *best = &s->best;
    posed_pair pair;
    apart_result r;
    apart_cache cache = {.count = 0};
    apart_options options = s->options != NULL ? *s->options : (apart_options){.trace = NULL};
    pose_parts(s->frame.side, part, &pair);
    options.cutoff = ap_max(ap_best_threshold(best), DBL_MIN);
    const apart_status status = ap_query_distance(pair.a, &pair.pose_a, pair.b, &pair.pose_b, &options, &cache, &r);
    if (status != APART_OK) {
        return status;
    }
    best->pair->queries++;
    best->lower = ap_min(best->lower, r.lower - s->frame.widening);
    best->upper = ap_min(best->upper, r.upper + s->frame.widening);
    if (r.upper < best->pair->result.upper) { /* its points are that near for certain */
        best->pair->result = r;
        note_best(best, part);
        if (s->cache != NULL) {
            s->cache->cache = cache;
        }
    }
    return APART_OK;
}

/* A pair that the walk comes to: mostly its support values show that it is not the nearest. */
static apart_status query_on_walk(ap_part_walk *w, const uint32_t part[2])
{
    part_search *s = w->context;
    if (ap_pair_is_far(&s->frame, part, ap_best_wanted(&s->frame, &s->best))) {
        return APART_OK;
    }
    const apart_status status = query_other(s, part);
    if (s->best.pair->part_a == part[0] && s->best.pair->part_b == part[1]) {
        ap_walk_set_normal(w, ap_best_normal(&s->best));
    }
    update_walk(w, s);
    return status;
}

/* The best pair's answer from the query's frame to the world, with the bounds of all pairs. The result may be where it
 * is already. What is changed is read from where the query wrote it, since a copy of several numbers at once is read
 * slowly right after. */
AP_INLINE void write_result(const ap_part_best *best, const apart_pose *pose_a, apart_compound_cache *cache,
                            apart_compound_result *result)
{
    const apart_result *r = &best->pair->result;
    const apart_vec3 a = ap_add(r->a, pose_a->translation), b = ap_add(r->b, pose_a->translation);
    const double lower = best->pruned ? ap_min(best->lower, ap_best_threshold(best)) : best->lower, upper = best->upper;
    const double distance = lower != -INFINITY ? ap_min(ap_max(r->distance, lower), upper) : r->distance;
    const apart_relation relation = lower == -INFINITY      ? (apart_relation)r->relation
                                    : lower >= best->cutoff ? APART_BEYOND
                                    : lower > 0.0           ? APART_DISJOINT
                                    : upper < 0.0           ? APART_OVERLAPPING
                                                            : APART_TOUCHING;
    remember_parts(cache, best->pair);
    *result = *best->pair;
    result->result.distance = distance;
    result->result.lower = lower;
    result->result.upper = upper;
    result->result.a = a;
    result->result.b = b;
    result->result.relation = (uint8_t)relation;
}

/* Both take what the query was asked, in its order, so that going there is a jump. */
static AP_NOINLINE ap_solids_distance_fn lone_parts_distance, compounds_distance;

/* Solids of one part each. Everything stays in registers, since no other function sees it. */
static apart_status lone_parts_distance(apart_solid a, const apart_pose *pose_a, apart_solid b,
                                        const apart_pose *pose_b, const apart_options *options,
                                        apart_compound_cache *cache, apart_compound_result *result)
{
    ap_part_frame frame;
    ap_part_best best = {.pair = result};
    posed_pair pair;
    apart_options own;
    uint32_t part[2] = {0, 0};
    a = simplest(a);
    b = simplest(b);
    ap_sides_set(frame.side, a, pose_a, b, pose_b);
    pose_parts(frame.side, part, &pair);
    recall_parts(cache, a, b, part);
    apart_status status = take_options(options, &own, &options, &best.cutoff);
    status = status == APART_OK ? ap_frame_measure(&frame) : status;
    status = status == APART_OK ? query_first(&frame, &pair, part, options, cache, &best) : status;
    if (status == APART_OK) {
        write_result(&best, pose_a, cache, result);
    }
    return status;
}

/* Solids of which one has more parts. The first two are posed before anything else is done, since the query reads their
 * poses in larger pieces than they were written in, and would wait for them. */
static apart_status compounds_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                       const apart_options *options, apart_compound_cache *cache,
                                       apart_compound_result *result)
{
    part_search s;
    posed_pair pair;
    apart_options own;
    apart_compound_result found; /* parts that come later can fail, and then the result must be untouched */
    uint32_t part[2];
    a = simplest(a);
    b = simplest(b);
    ap_sides_set(s.frame.side, a, pose_a, b, pose_b);
    const bool known = recall_parts(cache, a, b, part);
    if (known) {
        pose_parts(s.frame.side, part, &pair);
    }
    apart_status status = take_options(options, &own, &s.options, &s.best.cutoff);
    status = status == APART_OK ? ap_frame_measure(&s.frame) : status;
    if (status != APART_OK) {
        return status;
    }
    s.near.complete = false;
    if (!known) {
        ap_first_pair(&s.frame, &s.near, part);
        pose_parts(s.frame.side, part, &pair);
    }
    s.best.pair = &found;
    s.cache = cache;
    s.queried.count = 0;
    ap_note_queried(&s.queried, part);
    status = query_first(&s.frame, &pair, part, s.options, cache, &s.best);
    if (status == APART_OK && !s.best.decided) {
        s.best.pruned = ap_prove(&s.frame, &s.best, &s.queried, &s.near, part);
        status = s.best.pruned ? APART_OK : search_others(&s, part, query_other, query_on_walk);
    }
    if (status == APART_OK) {
        write_result(&s.best, pose_a, cache, result);
    }
    return status;
}

apart_status ap_solids_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                const apart_options *options, apart_compound_cache *cache,
                                apart_compound_result *result)
{
    /* exactly one of shape and compound is there */
    if ((a.shape == NULL) == (a.compound == NULL) || (b.shape == NULL) == (b.compound == NULL) || pose_a == NULL ||
        pose_b == NULL || result == NULL) {
        return APART_ERR_NULL;
    }
    const apart_shape *shape_a = shape_of(a), *shape_b = shape_of(b);
    if (shape_a == NULL || shape_b == NULL) {
        const bool more = ap_has_more_parts(a.compound) || ap_has_more_parts(b.compound);
        return more ? compounds_distance(a, pose_a, b, pose_b, options, cache, result)
                    : lone_parts_distance(a, pose_a, b, pose_b, options, cache, result);
    }
    apart_cache *own = cache != NULL ? &cache->cache : NULL;
    const apart_status status = ap_query_distance(shape_a, pose_a, shape_b, pose_b, options, own, &result->result);
    if (status == APART_OK) {
        result->part_a = result->part_b = result->boxes = 0;
        result->queries = 1;
    }
    return status;
}

/* ---- overlap ---- */

/* The nearest pair is the first one that overlaps. */
static apart_status query_overlap(part_search *s, const uint32_t part[2])
{
    apart_compound_result *found = s->best.pair;
    posed_pair pair;
    apart_cache cold = {.count = 0};
    pose_parts(s->frame.side, part, &pair);
    const bool first = found->queries == 0, tracked = first && s->cache != NULL;
    apart_cache *cache = tracked ? &s->cache->cache : &cold;
    int overlap;
    const apart_status status =
        ap_query_overlap(pair.a, &pair.pose_a, pair.b, &pair.pose_b, s->options, cache, &overlap);
    if (status != APART_OK) {
        return status;
    }
    found->queries++;
    if (overlap || first) {
        s->best.decided = overlap != 0;
        found->part_a = part[0];
        found->part_b = part[1];
        if (!tracked && s->cache != NULL) {
            s->cache->cache = cold;
        }
    }
    return APART_OK;
}

static apart_status query_overlap_on_walk(ap_part_walk *w, const uint32_t part[2])
{
    const apart_status status = query_overlap(w->context, part);
    update_walk(w, w->context);
    return status;
}

static apart_status compounds_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                      const apart_options *options, apart_compound_cache *cache, int *overlap,
                                      uint32_t parts[2])
{
    part_search s;
    apart_options own;
    apart_compound_result found = {.queries = 0}; /* only its parts are used: no normal is known */
    uint32_t part[2];
    ap_sides_set(s.frame.side, a, pose_a, b, pose_b);
    apart_status status = take_options(options, &own, &s.options, &s.best.cutoff);
    status = status == APART_OK ? ap_frame_measure(&s.frame) : status;
    if (status != APART_OK) {
        return status;
    }
    s.best =
        (ap_part_best){.pair = &found, .lower = INFINITY, .upper = INFINITY, .cutoff = DBL_MIN}; /* any gap is far */
    s.cache = cache;
    s.queried.count = 0;
    s.near.complete = false;
    if (!recall_parts(cache, a, b, part)) {
        ap_first_pair(&s.frame, &s.near, part);
    }
    ap_note_queried(&s.queried, part);
    status = query_overlap(&s, part);
    if (status == APART_OK && !s.best.decided && !ap_prove(&s.frame, &s.best, &s.queried, &s.near, part)) {
        status = search_others(&s, part, query_overlap, query_overlap_on_walk);
    }
    if (status != APART_OK) {
        return status;
    }
    remember_parts(cache, &found);
    *overlap = s.best.decided;
    if (parts != NULL && *overlap) {
        parts[0] = found.part_a;
        parts[1] = found.part_b;
    }
    return APART_OK;
}

apart_status ap_solids_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                               const apart_options *options, apart_compound_cache *cache, int *overlap,
                               uint32_t parts[2])
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
    return ap_query_overlap(shape_of(a), pose_a, shape_of(b), pose_b, options, cache != NULL ? &cache->cache : NULL,
                            overlap);
}
