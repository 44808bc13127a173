/* Distance and overlap of compounds: what the search (compound_search.c) looks at, and what comes of it. */
#include "compound_search.h"

/* ---- looking at parts ---- */

/* Keeps the better of the best and this pair; both count for the bounds. */
static void note(ap_part_search *s, const apart_result *r, const uint32_t part[2], const apart_cache *cache)
{
    s->least = ap_min(s->least, r->lower - s->widening);
    s->most = ap_min(s->most, r->upper + s->widening);
    if (s->any && !(r->distance < s->best.result.distance)) {
        return;
    }
    s->any = true;
    s->open = false;
    s->best.result = *r;
    s->best.part_a = part[0];
    s->best.part_b = part[1];
    s->best_cache = *cache;
    if (s->plane < 0 && r->lower > 0.0) {
        s->has_normal = true;
        s->normal = ap_apply_transposed(&s->side[0].pose.rotation, r->normal);
        s->normal_in_b = ap_apply_transposed(&s->side[1].pose.rotation, r->normal);
    }
}

static apart_status look_at_distance(ap_part_search *s, const uint32_t part[2], apart_cache cache)
{
    apart_pose pose_a, pose_b;
    apart_result r;
    const apart_shape *a = ap_search_part(&s->side[0], part[0], &pose_a), *b = ap_search_part(&s->side[1], part[1], &pose_b);
    /* Nearer than the best or not is all that is asked; below zero, apart or not. */
    const double limit = ap_search_threshold(s);
    s->options.cutoff = limit == INFINITY ? 0.0 : ap_max(limit, DBL_MIN);
    const apart_status status = apart_distance(a, &pose_a, b, &pose_b, &s->options, &cache, &r);
    if (status == APART_OK) {
        s->best.queries++;
        note(s, &r, part, &cache);
        s->settled = s->best.result.lower == -INFINITY; /* without a depth, the first overlap is the answer */
    }
    return status;
}

static apart_status look_at_overlap(ap_part_search *s, const uint32_t part[2], apart_cache cache)
{
    apart_pose pose_a, pose_b;
    const apart_shape *a = ap_search_part(&s->side[0], part[0], &pose_a), *b = ap_search_part(&s->side[1], part[1], &pose_b);
    int overlap;
    const apart_status status = apart_overlap(a, &pose_a, b, &pose_b, &s->options, &cache, &overlap);
    if (status != APART_OK) {
        return status;
    }
    s->best.queries++;
    if (overlap || !s->any) {
        s->any = true;
        s->settled = overlap != 0;
        s->best.part_a = part[0];
        s->best.part_b = part[1];
        s->best_cache = cache;
    }
    return APART_OK;
}

static uint32_t part_count(apart_solid solid) { return solid.compound != NULL ? solid.compound->count : 1u; }

static bool fits(const apart_compound_cache *cache, apart_solid a, apart_solid b)
{
    return cache != NULL && cache->cache.tag != 0 && cache->part_a < part_count(a) && cache->part_b < part_count(b);
}

static void remember(const ap_part_search *s, apart_compound_cache *cache)
{
    if (cache != NULL) {
        *cache = (apart_compound_cache){s->best_cache, s->best.part_a, s->best.part_b};
    }
}

/* The cache's pair first, or parts that face each other; then parts that reach beyond the best pair along its normal. Mostly there are
 * none, and the first pair is proved to decide; else the trees are walked. */
static apart_status find_distance(ap_part_search *s, bool known, const apart_compound_cache *cache)
{
    uint32_t part[2];
    apart_cache start = {.count = 0};
    if (known) {
        part[0] = cache->part_a;
        part[1] = cache->part_b;
        start = cache->cache;
    } else {
        ap_search_facing(s, part);
    }
    while (part[0] != UINT32_MAX && ap_search_note_first(s, part)) {
        const apart_status status = look_at_distance(s, part, start);
        if (status != APART_OK || s->settled) {
            return status;
        }
        if (s->best.result.relation != APART_DISJOINT) {
            break;
        }
        if (ap_search_proves(s, part)) {
            s->pruned = true;
            return APART_OK;
        }
        start = (apart_cache){.count = 0};
    }
    ap_search_open(s);
    return ap_search_walk(s, look_at_distance);
}

static apart_status find_overlap(ap_part_search *s, bool known, const apart_compound_cache *cache)
{
    uint32_t part[2] = {0, 0};
    ap_search_open(s);
    if (known) {
        part[0] = cache->part_a;
        part[1] = cache->part_b;
    } else {
        ap_search_guess(s, part);
    }
    ap_search_note_first(s, part);
    const apart_status status = look_at_overlap(s, part, known ? cache->cache : (apart_cache){.count = 0});
    return status == APART_OK ? ap_search_walk(s, look_at_overlap) : status;
}

/* From the query's frame to the world; the bounds are those of all pairs. */
static void finish(ap_part_search *s, const apart_pose *pose_a, apart_compound_result *result)
{
    apart_result *r = &s->best.result;
    r->a = ap_add(r->a, pose_a->translation);
    r->b = ap_add(r->b, pose_a->translation);
    r->lower = s->pruned ? ap_min(s->least, ap_search_threshold(s)) : s->least;
    r->upper = s->most;
    if (r->lower != -INFINITY) {
        r->distance = ap_min(ap_max(r->distance, r->lower), r->upper);
        r->relation = r->lower >= s->cutoff ? APART_BEYOND
                      : r->lower > 0.0      ? APART_DISJOINT
                      : r->upper < 0.0      ? APART_OVERLAPPING
                                            : APART_TOUCHING;
    }
    *result = s->best;
}

apart_status apart_compound_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                     const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    if (!ap_solid_is_valid(a) || !ap_solid_is_valid(b) || pose_a == NULL || pose_b == NULL || result == NULL) {
        return APART_ERR_NULL;
    }
    if (a.shape != NULL && b.shape != NULL) {
        const apart_status status =
            apart_distance(a.shape, pose_a, b.shape, pose_b, options, cache != NULL ? &cache->cache : NULL, &result->result);
        if (status == APART_OK) {
            result->part_a = result->part_b = result->boxes = 0;
            result->queries = 1;
        }
        return status;
    }
    ap_part_search s;
    apart_status status = ap_search_prepare(&s, a, pose_a, b, pose_b, options);
    if (status == APART_OK) {
        status = find_distance(&s, fits(cache, a, b), cache);
    }
    if (status == APART_OK) {
        remember(&s, cache);
        finish(&s, pose_a, result);
    }
    return status;
}

apart_status apart_compound_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                    const apart_options *options, apart_compound_cache *cache, int *overlap, uint32_t parts[2])
{
    if (!ap_solid_is_valid(a) || !ap_solid_is_valid(b) || pose_a == NULL || pose_b == NULL || overlap == NULL) {
        return APART_ERR_NULL;
    }
    if (a.shape != NULL && b.shape != NULL) {
        if (parts != NULL) {
            parts[0] = parts[1] = 0;
        }
        return apart_overlap(a.shape, pose_a, b.shape, pose_b, options, cache != NULL ? &cache->cache : NULL, overlap);
    }
    ap_part_search s;
    apart_status status = ap_search_prepare(&s, a, pose_a, b, pose_b, options);
    if (status == APART_OK) {
        s.most = DBL_MIN; /* boxes with any gap are far */
        s.open = false;
        s.best_cache = (apart_cache){.count = 0};
        s.best.part_a = s.best.part_b = 0;
        status = find_overlap(&s, fits(cache, a, b), cache);
    }
    if (status != APART_OK) {
        return status;
    }
    remember(&s, cache);
    *overlap = s.settled;
    if (parts != NULL && *overlap) {
        parts[0] = s.best.part_a;
        parts[1] = s.best.part_b;
    }
    return APART_OK;
}
