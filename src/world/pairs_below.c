/* All pairs of bodies nearer than a distance, and all that overlap (Cameron 1997 section 6, item C10 of
 * docs/papers.md).
 *
 * From the list of near pairs, in three passes: select the pairs that bounds and motion do not exclude, query again
 * those whose stored answer is stale (on the world's threads), and collect the answers in the order of the list. If
 * the list would be too long, a traversal of the tree queries every near pair and nothing is kept. */
#include "world.h"

enum { TASK_GRAIN = 16 };

/* Counts a pair. Returns where to store it, or NULL if the list is full. */
static apart_world_pair *append_pair(apart_world_list *list)
{
    list->total++;
    return list->pairs != NULL && list->count < list->capacity ? &list->pairs[list->count++] : NULL;
}

/* Does a pair with this distance and lower bound belong to the answer? An overlap without a depth has distance 0 and
 * lower = -infinity; it belongs to the answer unless the limit is negative, which asks for depths. */
static bool is_below(const ap_pair_query *q, double distance, double lower)
{
    return q->overlap_only ? !(lower > 0.0) : distance < q->limit || (lower == -INFINITY && q->limit == 0.0);
}

/* ---- from the list ---- */

/* Selects the pairs that bounds and motion do not put beyond the limit. Of an overlap query, those that certainly
 * overlap are selected, too, but their answer is not stale. */
static void select_tasks(apart_world *world, const ap_pair_query *q)
{
    const ap_pair_bounds *pairs = world->pairs.bounds.items;
    const ap_pair_answer *answers = world->pairs.answers.items;
    const size_t count = world->pairs.bounds.count;
    ap_pair_task *tasks = world->tasks.items;
    size_t selected = 0;
    for (size_t i = 0; i < count; i++) {
        const double moved = ap_pair_motion(world, &pairs[i]), lower = ap_pair_lower_now(&pairs[i], moved);
        if (q->overlap_only ? lower > 0.0 : lower >= q->limit) {
            world->stats.saved++;
            continue;
        }
        const bool inside = q->overlap_only && ap_pair_upper_now(&pairs[i], moved) < 0.0;
        const bool stale = !inside && !ap_pair_answer_holds(&pairs[i], &answers[i], moved, q);
        world->stats.saved += inside;
        world->stats.reused += !inside && !stale;
        world->stats.queries += stale;
        tasks[selected++] = (ap_pair_task){.pair = (uint32_t)i, .status = APART_OK, .part_queries = 0, .stale = stale};
    }
    world->tasks.count = selected;
}

typedef struct task_batch {
    const apart_world *world;
    const ap_pair_query *query;
    ap_pair_task *tasks;
} task_batch;

/* Runs on a thread: a task is its own, and so is the memory of its pair. */
static void run_tasks(void *context, size_t first, size_t end)
{
    const task_batch *batch = context;
    const apart_world *world = batch->world;
    ap_pair_bounds *pairs = world->pairs.bounds.items;
    ap_pair_answer *answers = world->pairs.answers.items;
    for (size_t i = first; i < end; i++) {
        ap_pair_task *t = &batch->tasks[i];
        if (t->stale) {
            t->status = (int32_t)ap_world_requery_pair(world, &pairs[t->pair], &answers[t->pair], batch->query,
                                                       &t->part_queries);
        }
    }
}

static apart_status collect_answers(apart_world *world, const ap_pair_query *q, apart_world_list *list)
{
    const ap_pair_bounds *pairs = world->pairs.bounds.items;
    const ap_pair_answer *answers = world->pairs.answers.items;
    const ap_pair_task *tasks = world->tasks.items;
    for (size_t i = 0; i < world->tasks.count; i++) {
        const ap_pair_bounds *pair = &pairs[tasks[i].pair];
        const ap_pair_answer *answer = &answers[tasks[i].pair];
        if (tasks[i].status != APART_OK) {
            return (apart_status)tasks[i].status;
        }
        world->stats.part_queries += tasks[i].part_queries;
        if (!is_below(q, answer->distance, pair->lower)) {
            continue;
        }
        apart_world_pair *out = append_pair(list);
        if (out == NULL) {
            continue;
        }
        ap_world_write_answer(world, pair, answer, out);
        if (q->overlap_only || (q->depth == APART_DEPTH_NONE && out->relation == APART_OVERLAPPING)) {
            ap_world_drop_depth(out);
        }
    }
    list->complete = 1;
    return APART_OK;
}

/* ---- from the tree ---- */

typedef struct tree_query {
    apart_world *world;
    const ap_pair_query *query;
    apart_world_list *list;
} tree_query;

static apart_status query_near_boxes(void *context, uint32_t a, uint32_t b, bool *stop)
{
    const tree_query *t = context;
    const ap_pair_query *q = t->query;
    apart_world_list *list = t->list;
    const apart_options options = {.cutoff = ap_max(q->limit, DBL_MIN),
                                   .tolerance = q->tolerance,
                                   .depth = (uint8_t)q->depth};
    apart_compound_result result;
    const apart_status status = ap_world_query_pair(t->world, a, b, &options, NULL, &result);
    if (status != APART_OK) {
        return status;
    }
    t->world->stats.queries++;
    t->world->stats.part_queries += result.queries;
    if (!is_below(q, result.result.distance, result.result.lower)) {
        return APART_OK;
    }
    const bool full = list->pairs != NULL ? list->count == list->capacity : list->total >= t->world->max_pairs;
    if (full) {
        *stop = true; /* one more pair exists, and the list has no place for it */
        list->complete = 0;
        return APART_OK;
    }
    apart_world_pair *out = append_pair(list);
    if (out != NULL) {
        ap_world_write_result(t->world, a, b, &result, out);
        if (q->overlap_only) {
            ap_world_drop_depth(out);
        }
    }
    return APART_OK;
}

static apart_status find_in_tree(apart_world *world, const ap_pair_query *q, apart_world_list *list)
{
    tree_query context = {world, q, list};
    double limit = q->overlap_only ? DBL_MIN : q->limit;
    const ap_near_box_pairs traversal = {world, &limit, query_near_boxes, &context};
    list->complete = 1;
    const apart_status status = ap_world_visit_near_boxes(&traversal);
    list->complete = status == APART_OK ? list->complete : 0;
    return status;
}

/* ---- the query ---- */

/* Both public calls: the three passes over the list of near pairs, or the tree if that list would be too long. */
static apart_status find_pairs_below(apart_world *world, const ap_pair_query *q, apart_world_list *list)
{
    bool listed;
    list->count = list->total = 0;
    list->complete = 0;
    const apart_status status = ap_world_list_near_pairs(world, ap_max(q->limit, 0.0), &listed);
    if (status != APART_OK) {
        return status;
    }
    if (!listed) {
        return find_in_tree(world, q, list);
    }
    if (!ap_array_reserve(&world->tasks, &world->allocator, world->pairs.bounds.count)) {
        return APART_ERR_MEMORY;
    }
    select_tasks(world, q);
    task_batch batch = {world, q, world->tasks.items};
    const apart_status run =
        ap_executor_for(&world->executor, world->threads, world->tasks.count, TASK_GRAIN, run_tasks, &batch);
    return run == APART_OK ? collect_answers(world, q, list) : run;
}

apart_status apart_world_below(apart_world *world, double distance, apart_world_list *list)
{
    if (world == NULL || list == NULL) {
        return APART_ERR_NULL;
    }
    if (isnan(distance) || !ap_list_is_valid(list)) {
        return APART_ERR_OPTION;
    }
    const ap_pair_query q = {.limit = distance, .tolerance = list->tolerance, .depth = list->depth};
    return find_pairs_below(world, &q, list);
}

apart_status apart_world_overlaps(apart_world *world, apart_world_list *list)
{
    if (world == NULL || list == NULL) {
        return APART_ERR_NULL;
    }
    const ap_pair_query q = {.limit = 0.0, .depth = APART_DEPTH_NONE, .overlap_only = true};
    return find_pairs_below(world, &q, list);
}
