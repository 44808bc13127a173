/* The distance of two bodies, and what the world keeps of it for a listed pair: the cache, the bounds and the
 * answer.
 *
 * The functions for listed pairs write only the pair's own memory, so that threads may query different pairs at
 * once. */
#include "world.h"

/* The query of a pair beyond the limit stops at a lower bound that lasts for this many steps of the bodies: a larger
 * bound would cost more iterations, a smaller one would be used up sooner. */
static const double steps_to_last = 12.0;

apart_status ap_world_query_pair(const apart_world *world, uint32_t a, uint32_t b, const apart_options *options,
                                 apart_compound_cache *cache, apart_compound_result *result)
{
    const ap_body *x = ap_world_slot(world, a), *y = ap_world_slot(world, b);
    return apart_compound_distance(ap_body_solid(x), &x->pose, ap_body_solid(y), &y->pose, options, cache, result);
}

/* ---- listed pairs ---- */

/* The step that a body is expected to make next: its last one, unless that was a jump. */
static double expected_step(const ap_body *body)
{
    return body->last_step <= body->radius && body->last_step < INFINITY ? body->last_step : 0.0;
}

static apart_options requery_options(const apart_world *world, const ap_pair_bounds *pair, const ap_pair_query *query)
{
    const double step = expected_step(ap_world_slot(world, pair->a)) + expected_step(ap_world_slot(world, pair->b));
    return (apart_options){.cutoff = ap_max(ap_max(query->limit, 0.0) + steps_to_last * step, DBL_MIN),
                           .tolerance = query->overlap_only ? step : query->tolerance,
                           .depth = (uint8_t)query->depth};
}

static void store_answer(const apart_world *world, ap_pair_bounds *pair, ap_pair_answer *answer,
                         const apart_compound_result *result, const ap_pair_query *query)
{
    const apart_result *r = &result->result;
    const double *motions = world->motions.items;
    pair->lower = r->lower;
    pair->upper = r->upper;
    pair->mark_a = motions[pair->a];
    pair->mark_b = motions[pair->b];
    answer->part_a = result->part_a;
    answer->part_b = result->part_b;
    answer->distance = r->distance;
    answer->point_a = r->a;
    answer->point_b = r->b;
    answer->normal = r->normal;
    answer->relation = r->relation;
    const bool no_depth = query->depth != APART_DEPTH_EXACT && r->relation == APART_OVERLAPPING;
    const bool exact = r->relation != APART_BEYOND && query->tolerance == 0.0 && !query->overlap_only && !no_depth;
    answer->known = exact ? AP_ANSWER_EXACT : AP_ANSWER_BOUNDS;
}

/* The overlap test, which costs less than a distance. An overlap is stored as an answer without a depth. */
static apart_status test_overlap(const apart_world *world, ap_pair_bounds *pair, ap_pair_answer *answer, int *overlap)
{
    const ap_body *a = ap_world_slot(world, pair->a), *b = ap_world_slot(world, pair->b);
    uint32_t parts[2] = {0, 0};
    const apart_status status = apart_compound_overlap(ap_body_solid(a), &a->pose, ap_body_solid(b), &b->pose, NULL,
                                                       &answer->cache, overlap, parts);
    if (status == APART_OK && *overlap) {
        apart_compound_result result = {.part_a = parts[0], .part_b = parts[1]};
        result.result = (apart_result){.lower = -INFINITY,
                                       .a = answer->point_a,
                                       .b = answer->point_b,
                                       .normal = answer->normal,
                                       .relation = APART_OVERLAPPING};
        store_answer(world, pair, answer, &result, &(ap_pair_query){.depth = APART_DEPTH_NONE});
    }
    return status;
}

apart_status ap_world_requery_pair(const apart_world *world, ap_pair_bounds *pair, ap_pair_answer *answer,
                                   const ap_pair_query *query, uint32_t *part_queries)
{
    int overlap;
    *part_queries = 1;
    /* Bodies that overlapped mostly still do, and without a depth the overlap test is enough. */
    const bool overlapped = answer->known != AP_ANSWER_NONE && answer->relation == APART_OVERLAPPING;
    if (query->depth == APART_DEPTH_NONE && overlapped) {
        const apart_status status = test_overlap(world, pair, answer, &overlap);
        if (status != APART_OK || overlap) {
            return status;
        }
    }
    const apart_options options = requery_options(world, pair, query);
    apart_compound_result result;
    apart_status status = ap_world_query_pair(world, pair->a, pair->b, &options, &answer->cache, &result);
    if (status != APART_OK) {
        return status;
    }
    store_answer(world, pair, answer, &result, query);
    *part_queries = result.queries;
    if (query->overlap_only && result.result.relation == APART_TOUCHING) {
        /* Nearer than the tolerance, which was a step: only the overlap test decides. A gap this small is not
         * measured. */
        status = test_overlap(world, pair, answer, &overlap);
        if (status == APART_OK && !overlap) {
            pair->lower = DBL_MIN;
            answer->relation = APART_DISJOINT;
        }
    }
    return status;
}

bool ap_pair_answer_holds(const ap_pair_bounds *pair, const ap_pair_answer *answer, double moved,
                          const ap_pair_query *query)
{
    if (moved != 0.0 || answer->known == AP_ANSWER_NONE) {
        return false;
    }
    const bool within = query->tolerance > 0.0 && pair->upper - pair->lower <= query->tolerance;
    /* Bounds that were good enough for a distance may leave open whether the bodies overlap. */
    const bool decided = query->overlap_only ? pair->lower > 0.0 || answer->relation == APART_OVERLAPPING : within;
    const bool enough = decided || (answer->relation == APART_OVERLAPPING && query->depth == APART_DEPTH_NONE);
    return answer->known == AP_ANSWER_EXACT || enough;
}

/* ---- answers for the caller ---- */

void ap_world_write_result(const apart_world *world, uint32_t a, uint32_t b, const apart_compound_result *result,
                           apart_world_pair *out)
{
    const apart_result *r = &result->result;
    *out = (apart_world_pair){.a = ap_world_id(world, a),
                              .b = ap_world_id(world, b),
                              .part_a = result->part_a,
                              .part_b = result->part_b,
                              .distance = r->distance,
                              .lower = r->lower,
                              .upper = r->upper,
                              .point_a = r->a,
                              .point_b = r->b,
                              .normal = r->normal,
                              .relation = r->relation,
                              .user_a = ap_world_slot(world, a)->user,
                              .user_b = ap_world_slot(world, b)->user};
}

void ap_world_write_answer(const apart_world *world, const ap_pair_bounds *pair, const ap_pair_answer *answer,
                           apart_world_pair *out)
{
    *out = (apart_world_pair){.a = ap_world_id(world, pair->a),
                              .b = ap_world_id(world, pair->b),
                              .part_a = answer->part_a,
                              .part_b = answer->part_b,
                              .distance = answer->distance,
                              .lower = pair->lower,
                              .upper = pair->upper,
                              .point_a = answer->point_a,
                              .point_b = answer->point_b,
                              .normal = answer->normal,
                              .relation = answer->relation,
                              .user_a = ap_world_slot(world, pair->a)->user,
                              .user_b = ap_world_slot(world, pair->b)->user};
}

void ap_world_drop_depth(apart_world_pair *pair)
{
    pair->distance = 0.0;
    pair->lower = -INFINITY;
    pair->upper = 0.0;
}
