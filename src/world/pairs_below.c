/* All pairs nearer than a distance, and all that overlap (Cameron 1997 section 6, item C10).
 *
 * From the list of near pairs: one pass over the bounds picks those that the bodies' motion does not decide, the threads look at these,
 * and a second pass collects. Where the list would be too long, the tree is walked and nothing is kept. */
#include "world.h"

enum { LOOK_GRAIN = 16 };

static void begin(apart_world_list *list)
{
    list->count = list->total = 0;
    list->complete = 0;
}

/* Stores a pair if there is room; counts it in any case. Returns where it goes, or NULL. */
static apart_world_pair *claim(apart_world_list *list)
{
    list->total++;
    return list->pairs != NULL && list->count < list->capacity ? &list->pairs[list->count++] : NULL;
}

/* An overlap without a depth has distance 0 and is near whatever is asked but depths. */
static bool is_near(const ap_question *q, double distance, double lower)
{
    return distance < q->limit || (lower == -INFINITY && q->limit == 0.0);
}

/* ---- from the list ---- */

typedef struct look_batch {
    const apart_world *world;
    ap_question question;
    ap_work *work;
} look_batch;

static void look_at_all(void *context, size_t first, size_t end)
{
    const look_batch *batch = context;
    for (size_t i = first; i < end; i++) {
        ap_work *work = &batch->work[i];
        if (work->looked) {
            work->status = (int32_t)ap_world_look_kept(batch->world, work->pair, &batch->question, &work->parts);
        }
    }
}

/* Those that bounds and motion do not put beyond the limit. For overlaps: nor in it, deep enough. */
static void pick_work(apart_world *world, const ap_question *q)
{
    ap_work *work = world->work.items;
    const size_t count = world->pairs.bounds.count;
    size_t picked = 0;
    for (size_t i = 0; i < count; i++) {
        const ap_pair_bounds *pair = ap_pair_at(&world->pairs, i);
        const double moved = ap_world_moved(world, pair), lower = ap_pair_lower_now(pair, moved);
        if (q->overlap ? lower > 0.0 : lower >= q->limit) {
            world->stats.saved++;
            continue;
        }
        const bool inside = q->overlap && ap_pair_upper_now(pair, moved) < 0.0;
        const bool looked = !inside && !ap_world_still_holds(world, (uint32_t)i, moved, q);
        world->stats.saved += inside;
        world->stats.reused += !inside && !looked;
        world->stats.queries += looked;
        work[picked++] = (ap_work){.pair = (uint32_t)i, .status = APART_OK, .parts = 0, .looked = looked};
    }
    world->work.count = picked;
}

/* The answers of the work, in the list's order. */
static apart_status collect(apart_world *world, const ap_question *q, apart_world_list *list)
{
    const ap_work *work = world->work.items;
    for (size_t i = 0; i < world->work.count; i++) {
        if (work[i].status != APART_OK) {
            return (apart_status)work[i].status;
        }
        world->stats.part_queries += work[i].parts;
        const ap_pair_bounds *bounds = ap_pair_at(&world->pairs, work[i].pair);
        const double distance = ap_pair_memory_at(&world->pairs, work[i].pair)->distance;
        if (q->overlap ? bounds->lower > 0.0 : !is_near(q, distance, bounds->lower)) {
            continue;
        }
        apart_world_pair *out = claim(list);
        if (out == NULL) {
            continue;
        }
        ap_world_write_kept(world, work[i].pair, out);
        if (q->overlap || (q->depth == APART_DEPTH_NONE && out->relation == APART_OVERLAPPING)) {
            ap_world_forget_depth(out);
        }
    }
    list->complete = 1;
    return APART_OK;
}

static apart_status answer_from_list(apart_world *world, const ap_question *q, apart_world_list *list)
{
    if (!ap_array_reserve(&world->work, &world->allocator, world->pairs.bounds.count)) {
        return APART_ERR_MEMORY;
    }
    pick_work(world, q);
    look_batch batch = {world, *q, world->work.items};
    ap_parallel_for(world->threads, world->work.count, LOOK_GRAIN, look_at_all, &batch);
    return collect(world, q, list);
}

/* ---- from the tree ---- */

typedef struct tree_query {
    apart_world *world;
    const ap_question *question;
    apart_world_list *list;
} tree_query;

static apart_status visit(void *context, uint32_t a, uint32_t b, double bound, bool *stop)
{
    const tree_query *query = context;
    const ap_question *q = query->question;
    const apart_options options = {.cutoff = ap_max(q->limit, DBL_MIN), .tolerance = q->tolerance, .depth = (uint8_t)q->depth};
    apart_compound_result result;
    (void)bound;
    const apart_status status = ap_world_look(query->world, a, b, &options, NULL, &result);
    if (status != APART_OK) {
        return status;
    }
    query->world->stats.queries++;
    query->world->stats.part_queries += result.queries;
    if (q->overlap ? result.result.lower > 0.0 : !is_near(q, result.result.distance, result.result.lower)) {
        return APART_OK;
    }
    const apart_world_list *list = query->list;
    const bool full = list->pairs != NULL ? list->count == list->capacity : list->total >= query->world->max_pairs;
    if (full) {
        *stop = true; /* there is one more, and nobody to take it */
        query->list->complete = 0;
        return APART_OK;
    }
    apart_world_pair *out = claim(query->list);
    if (out != NULL) {
        ap_world_write_pair(query->world, a, b, &result, out);
        if (q->overlap) {
            ap_world_forget_depth(out);
        }
    }
    return APART_OK;
}

static apart_status answer_from_tree(apart_world *world, const ap_question *q, apart_world_list *list)
{
    tree_query query = {world, q, list};
    double limit = q->overlap ? DBL_MIN : q->limit;
    const ap_join join = {world, &limit, visit, &query};
    list->complete = 1;
    const apart_status status = ap_world_join(&join);
    list->complete = status == APART_OK ? list->complete : 0;
    return status;
}

static apart_status answer(apart_world *world, const ap_question *q, apart_world_list *list)
{
    bool listed;
    begin(list);
    const apart_status status = ap_world_list_pairs(world, ap_max(q->limit, 0.0), &listed);
    if (status != APART_OK) {
        return status;
    }
    return listed ? answer_from_list(world, q, list) : answer_from_tree(world, q, list);
}

apart_status apart_world_below(apart_world *world, double distance, apart_world_list *list)
{
    if (world == NULL || list == NULL) {
        return APART_ERR_NULL;
    }
    if (isnan(distance) || !ap_list_is_valid(list)) {
        return APART_ERR_OPTION;
    }
    const ap_question q = {.limit = distance, .tolerance = list->tolerance, .depth = list->depth};
    return answer(world, &q, list);
}

apart_status apart_world_overlaps(apart_world *world, apart_world_list *list)
{
    if (world == NULL || list == NULL) {
        return APART_ERR_NULL;
    }
    const ap_question q = {.limit = 0.0, .depth = APART_DEPTH_NONE, .overlap = true};
    return answer(world, &q, list);
}
