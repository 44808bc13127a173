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

/* The step to expect of a body; the last one, unless it was a jump. */
static double expected_step(const ap_body *body)
{
    return body->last_step <= body->radius && body->last_step < INFINITY ? body->last_step : 0.0;
}

static apart_options options_of(const apart_world *world, const ap_pair_bounds *pair, const ap_question *question)
{
    const double step = expected_step(ap_world_slot(world, pair->a)) + expected_step(ap_world_slot(world, pair->b));
    return (apart_options){.cutoff = ap_max(ap_max(question->limit, 0.0) + steps_to_last * step, DBL_MIN),
                           .tolerance = question->overlap ? step : question->tolerance,
                           .depth = (uint8_t)question->depth};
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
    const bool shallow = question->depth != APART_DEPTH_EXACT && r->relation == APART_OVERLAPPING;
    const bool exact = r->relation != APART_BEYOND && question->tolerance == 0.0 && !question->overlap && !shallow;
    memory->known = exact ? KNOWN_EXACTLY : KNOWN_BOUNDS;
}

/* Of bodies that overlapped, yes or no is asked first: mostly it is yes, and without a depth that is all. */
static apart_status still_overlap(const apart_world *world, uint32_t pair, int *overlap)
{
    const ap_pair_bounds *bounds = ap_pair_at(&world->pairs, pair);
    ap_pair_memory *memory = ap_pair_memory_at(&world->pairs, pair);
    const ap_body *a = ap_world_slot(world, bounds->a), *b = ap_world_slot(world, bounds->b);
    uint32_t parts[2] = {0, 0};
    const apart_status status = apart_compound_overlap(ap_body_solid(a), &a->pose, ap_body_solid(b), &b->pose, NULL, &memory->cache,
                                                       overlap, parts);
    if (status == APART_OK && *overlap) {
        apart_compound_result result = {.part_a = parts[0], .part_b = parts[1]};
        result.result = (apart_result){.lower = -INFINITY, .a = memory->point_a, .b = memory->point_b, .normal = memory->normal,
                                       .relation = APART_OVERLAPPING};
        keep(world, pair, &result, &(ap_question){.depth = APART_DEPTH_NONE});
    }
    return status;
}

/* A gap that is there but too small to be worth measuring. */
static void bounds_of_gap(const apart_world *world, uint32_t pair, int overlap)
{
    if (!overlap) {
        ap_pair_at(&world->pairs, pair)->lower = DBL_MIN;
        ap_pair_memory_at(&world->pairs, pair)->relation = APART_DISJOINT;
    }
}

apart_status ap_world_look_kept(const apart_world *world, uint32_t pair, const ap_question *question, uint32_t *parts)
{
    const ap_pair_bounds *bounds = ap_pair_at(&world->pairs, pair);
    ap_pair_memory *memory = ap_pair_memory_at(&world->pairs, pair);
    *parts = 1;
    if (question->depth == APART_DEPTH_NONE && memory->known != KNOWN_NOTHING && memory->relation == APART_OVERLAPPING) {
        int overlap;
        const apart_status status = still_overlap(world, pair, &overlap);
        if (status != APART_OK || overlap) {
            return status;
        }
    }
    const apart_options options = options_of(world, bounds, question);
    apart_compound_result result;
    apart_status status = ap_world_look(world, bounds->a, bounds->b, &options, &memory->cache, &result);
    if (status != APART_OK) {
        return status;
    }
    keep(world, pair, &result, question);
    *parts = result.queries;
    if (question->overlap && result.result.relation == APART_TOUCHING) {
        /* Nearer than the step that was tolerated: now it must be decided. */
        int overlap;
        status = still_overlap(world, pair, &overlap);
        if (status == APART_OK) {
            bounds_of_gap(world, pair, overlap);
        }
    }
    return status;
}

bool ap_world_still_holds(const apart_world *world, uint32_t pair, double moved, const ap_question *question)
{
    const ap_pair_memory *memory = ap_pair_memory_at(&world->pairs, pair);
    if (moved != 0.0 || memory->known == KNOWN_NOTHING) {
        return false;
    }
    const ap_pair_bounds *bounds = ap_pair_at(&world->pairs, pair);
    const bool fine = question->tolerance > 0.0 && bounds->upper - bounds->lower <= question->tolerance;
    /* Bounds that were good enough for a distance may leave open whether the bodies meet. */
    const bool decided = question->overlap ? bounds->lower > 0.0 || memory->relation == APART_OVERLAPPING : fine;
    const bool enough = decided || (memory->relation == APART_OVERLAPPING && question->depth == APART_DEPTH_NONE);
    return memory->known == KNOWN_EXACTLY || enough;
}

void ap_world_forget_depth(apart_world_pair *pair)
{
    pair->distance = 0.0;
    pair->lower = -INFINITY;
    pair->upper = 0.0;
}
