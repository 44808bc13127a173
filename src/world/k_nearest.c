/* The k nearest pairs of a world, by branch and bound over the tree against itself. The list of near pairs gives the first limit for
 * nothing: no answer is farther than the k-th smallest upper bound in it; and where a pair is listed, its bounds and its cache are used. */
#include "world.h"

typedef struct nearest_search {
    apart_world *world;
    apart_world_list *list;
    double limit;  /* pairs known to be at least this far are not wanted */
    double first;  /* what the list's bounds said */
    uint64_t left; /* looks that are allowed */
} nearest_search;

/* Replaces the largest of a heap's numbers by a smaller one. */
static void replace_top(double *heap, size_t count, double value)
{
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && heap[child + 1] > heap[child] ? 1 : 0;
        if (heap[child] <= value) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

/* The k-th smallest upper bound of the listed pairs, INFINITY if there are fewer. A heap of k numbers, infinite at first. */
static apart_status first_limit(apart_world *world, size_t k, double *limit)
{
    *limit = INFINITY;
    if (k > world->pairs.bounds.count) {
        return APART_OK;
    }
    if (!ap_array_reserve(&world->numbers, &world->allocator, k)) {
        return APART_ERR_MEMORY;
    }
    double *heap = world->numbers.items;
    for (size_t i = 0; i < k; i++) {
        heap[i] = INFINITY;
    }
    for (size_t i = 0; i < world->pairs.bounds.count; i++) {
        const ap_pair_bounds *pair = ap_pair_at(&world->pairs, i);
        const double upper = ap_pair_upper_now(pair, ap_world_moved(world, pair));
        if (upper < heap[0]) {
            replace_top(heap, k, upper);
        }
    }
    *limit = heap[0];
    return APART_OK;
}

static void take(nearest_search *s, const apart_world_pair *pair)
{
    ap_best_add(s->list, pair);
    s->limit = ap_min(s->first, ap_best_limit(s->list));
}

/* A listed pair: its bounds may settle it, or its last answer. */
static apart_status visit_listed(nearest_search *s, uint32_t pair)
{
    apart_world *world = s->world;
    const ap_pair_bounds *bounds = ap_pair_at(&world->pairs, pair);
    const double moved = ap_world_moved(world, bounds), lower = ap_pair_lower_now(bounds, moved);
    if (lower > 0.0 && lower >= s->limit) {
        world->stats.saved++;
        return APART_OK;
    }
    const ap_question q = {.limit = s->limit, .tolerance = s->list->tolerance, .depth = s->list->depth};
    if (ap_world_still_holds(world, pair, moved, &q)) {
        world->stats.reused++;
    } else {
        uint32_t parts = 0;
        const apart_status status = ap_world_look_kept(world, pair, &q, &parts);
        if (status != APART_OK) {
            return status;
        }
        s->left--;
        world->stats.queries++;
        world->stats.part_queries += parts;
    }
    apart_world_pair found;
    ap_world_write_kept(world, pair, &found);
    if (q.depth == APART_DEPTH_NONE && found.relation == APART_OVERLAPPING) {
        ap_world_forget_depth(&found);
    }
    if (found.relation != APART_BEYOND) {
        take(s, &found);
    }
    return APART_OK;
}

static apart_status visit_other(nearest_search *s, uint32_t a, uint32_t b)
{
    const apart_options options = {.cutoff = s->limit == INFINITY ? 0.0 : ap_max(s->limit, DBL_MIN),
                                   .tolerance = s->list->tolerance,
                                   .depth = (uint8_t)s->list->depth};
    apart_compound_result result;
    const apart_status status = ap_world_look(s->world, a, b, &options, NULL, &result);
    if (status != APART_OK) {
        return status;
    }
    s->left--;
    s->world->stats.queries++;
    s->world->stats.part_queries += result.queries;
    if (result.result.relation != APART_BEYOND) {
        apart_world_pair found;
        ap_world_write_pair(s->world, a, b, &result, &found);
        take(s, &found);
    }
    return APART_OK;
}

static apart_status visit(void *context, uint32_t a, uint32_t b, double bound, bool *stop)
{
    nearest_search *s = context;
    (void)bound;
    if (s->left == 0) {
        *stop = true;
        s->list->complete = 0;
        return APART_OK;
    }
    const uint32_t pair = ap_pairs_find(&s->world->pairs, a, b);
    return pair != AP_NO_PAIR ? visit_listed(s, pair) : visit_other(s, a, b);
}

apart_status apart_world_nearest(apart_world *world, uint64_t max_queries, apart_world_list *list)
{
    if (world == NULL || list == NULL || (list->pairs == NULL && list->capacity > 0)) {
        return APART_ERR_NULL;
    }
    if (list->capacity == 0 || !ap_list_is_valid(list)) {
        return APART_ERR_OPTION;
    }
    nearest_search s = {.world = world, .list = list, .left = max_queries > 0 ? max_queries : UINT64_MAX};
    list->count = list->total = 0;
    list->complete = 1;
    apart_status status = apart_world_update(world);
    if (status == APART_OK) {
        status = first_limit(world, list->capacity, &s.first);
    }
    if (status == APART_OK) {
        /* The limit itself must not cut off the pair that gave it. */
        s.first = ap_up(ap_up(s.first));
        s.limit = s.first;
        const ap_join join = {world, &s.limit, visit, &s};
        status = ap_world_join(&join);
    }
    ap_best_sort(list);
    list->total = list->count;
    return status;
}
