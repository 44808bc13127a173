/* Looking at pairs of bodies: one query of two solids, and what the world keeps of it. */
#include "world.h"

/* Beyond what is asked, a bound is worth getting that lasts for this many steps; a closer one would cost more iterations each time. */
static const double steps_to_last = 12.0;

/* What was found out about a pair at its marks. */
enum { KNOWN_NOTHING = 0, KNOWN_BOUNDS = 1, KNOWN_EXACTLY = 2 };

apart_status ap_world_look(const apart_world *world, uint32_t a, uint32_t b, const apart_options *options, apart_compound_cache *cache,
                           apart_compound_result *result)
{
    const ap_body *x = ap_world_slot(world, a), *y = ap_world_slot(world, b);
    return apart_compound_distance(ap_body_solid(x), &x->pose, ap_body_solid(y), &y->pose, options, cache, result);
}

void ap_world_write_pair(const apart_world *world, uint32_t a, uint32_t b, const apart_compound_result *result, apart_world_pair *out)
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
                              .relation = r->relation};
}

void ap_world_write_kept(const apart_world *world, uint32_t pair, apart_world_pair *out)
{
    const ap_pair_bounds *bounds = ap_pair_at(&world->pairs, pair);
    const ap_pair_memory *memory = ap_pair_memory_at(&world->pairs, pair);
    *out = (apart_world_pair){.a = ap_world_id(world, bounds->a),
                              .b = ap_world_id(world, bounds->b),
                              .part_a = memory->part_a,
                              .part_b = memory->part_b,
                              .distance = memory->distance,
                              .lower = bounds->lower,
                              .upper = bounds->upper,
                              .point_a = memory->point_a,
                              .point_b = memory->point_b,
                              .normal = memory->normal,
                              .relation = memory->relation};
}

/* The distance from which on it need not be known exactly: 0, no such distance, only when nothing moves and nothing is asked. */
static double cutoff_of(const apart_world *world, const ap_pair_bounds *pair, double limit)
{
    const double step = ap_world_slot(world, pair->a)->last_step + ap_world_slot(world, pair->b)->last_step;
    const double ahead = isfinite(step) ? steps_to_last * step : 0.0;
    return ap_max(ap_max(limit, 0.0) + ahead, DBL_MIN);
}

static void keep(const apart_world *world, uint32_t pair, const apart_compound_result *result, const ap_question *question)
{
    const apart_result *r = &result->result;
    ap_pair_bounds *bounds = ap_pair_at(&world->pairs, pair);
    ap_pair_memory *memory = ap_pair_memory_at(&world->pairs, pair);
    bounds->lower = r->lower;
    bounds->upper = r->upper;
    bounds->mark_a = *ap_world_motion(world, bounds->a);
    bounds->mark_b = *ap_world_motion(world, bounds->b);
    memory->part_a = result->part_a;
    memory->part_b = result->part_b;
    memory->distance = r->distance;
    memory->point_a = r->a;
    memory->point_b = r->b;
    memory->normal = r->normal;
    memory->relation = r->relation;
    const bool exact = r->relation != APART_BEYOND && !(question->overlap && r->relation == APART_OVERLAPPING);
    memory->known = exact ? KNOWN_EXACTLY : KNOWN_BOUNDS;
}

apart_status ap_world_look_kept(const apart_world *world, uint32_t pair, const ap_question *question, uint32_t *parts)
{
    const ap_pair_bounds *bounds = ap_pair_at(&world->pairs, pair);
    ap_pair_memory *memory = ap_pair_memory_at(&world->pairs, pair);
    const apart_options options = {.cutoff = cutoff_of(world, bounds, question->limit),
                                   .depth = question->overlap ? APART_DEPTH_BOUNDS : APART_DEPTH_EXACT};
    apart_compound_result result;
    const apart_status status = ap_world_look(world, bounds->a, bounds->b, &options, &memory->cache, &result);
    if (status == APART_OK) {
        keep(world, pair, &result, question);
        *parts = result.queries;
    }
    return status;
}

bool ap_world_still_holds(const apart_world *world, uint32_t pair, double moved, bool overlap)
{
    const uint32_t known = ap_pair_memory_at(&world->pairs, pair)->known;
    return moved == 0.0 && known >= (overlap ? KNOWN_BOUNDS : KNOWN_EXACTLY);
}
