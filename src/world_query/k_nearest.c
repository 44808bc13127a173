/* What is nearest: the k nearest pairs of a world, and the k bodies nearest to one body or to a solid outside the
 * world.
 *
 * Both are branch and bound with a heap of the best k so far, whose worst entry limits the search. The search for
 * pairs traverses the tree against itself and starts from the list of near pairs: no answer is farther than the k-th
 * smallest upper bound in it, and a listed pair is decided by its bounds or queried with its cache. The search for a
 * probe descends the tree, nearer boxes first; it only reads the world, so many threads may search at once, and
 * bodies whose boxes in the tree are out of date are tested one by one. */
#include "probe.h"

enum { PROBE_GRAIN = 1 };

/* ---- the best k so far: a heap in the caller's list with the farthest on top, which a nearer one replaces ---- */

/* Ties go to the lower slots, so that the answer does not depend on the order of the search. */
static bool is_nearer(const apart_world_pair *x, const apart_world_pair *y)
{
    if (x->distance != y->distance) {
        return x->distance < y->distance;
    }
    return x->a.slot != y->a.slot ? x->a.slot < y->a.slot : x->b.slot < y->b.slot;
}

static void swap_pairs(apart_world_pair *x, apart_world_pair *y)
{
    const apart_world_pair t = *x;
    *x = *y;
    *y = t;
}

static void sift_down(apart_world_pair *heap, size_t at, size_t count)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_nearer(&heap[child], &heap[child + 1])) {
            child++;
        }
        if (!is_nearer(&heap[at], &heap[child])) {
            return;
        }
        swap_pairs(&heap[at], &heap[child]);
        at = child;
    }
}

static void sift_up(apart_world_pair *heap, size_t at)
{
    while (at > 0 && is_nearer(&heap[(at - 1) / 2], &heap[at])) {
        swap_pairs(&heap[(at - 1) / 2], &heap[at]);
        at = (at - 1) / 2;
    }
}

static void heap_add(apart_world_list *list, const apart_world_pair *pair)
{
    list->total++;
    if (list->count < list->capacity) {
        list->pairs[list->count++] = *pair;
        sift_up(list->pairs, list->count - 1);
    } else if (is_nearer(pair, &list->pairs[0])) {
        list->pairs[0] = *pair;
        sift_down(list->pairs, 0, list->count);
    }
}

/* A pair whose lower bound is at least this is not among the best. */
static double heap_limit(const apart_world_list *list)
{
    return list->count < list->capacity ? INFINITY : list->pairs[0].upper;
}

/* Turns the heap into a list, nearest first. */
static void heap_sort(apart_world_list *list)
{
    for (size_t end = list->count; end > 1; end--) {
        swap_pairs(&list->pairs[0], &list->pairs[end - 1]);
        sift_down(list->pairs, 0, end - 1);
    }
    list->total = list->count;
}

static apart_status check_list(const apart_world_list *list)
{
    if (list->pairs == NULL && list->capacity > 0) {
        return APART_ERR_NULL;
    }
    return list->capacity == 0 || !ap_list_is_valid(list) ? APART_ERR_OPTION : APART_OK;
}

/* ---- the k nearest pairs ---- */

typedef struct pair_search {
    apart_world *world;
    apart_world_list *list;
    double limit;       /* pairs that are at least this far are not wanted */
    double first_limit; /* by the bounds of the listed pairs */
    uint64_t queries_left;
} pair_search;

/* Replaces the largest number of a heap by a smaller one. */
static void replace_largest(double *heap, size_t count, double value)
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

/* The k-th smallest upper bound of the listed pairs, INFINITY if there are fewer, by a heap of k numbers. */
static apart_status find_first_limit(apart_world *world, size_t k, double *limit)
{
    const ap_pair_bounds *pairs = world->pairs.bounds.items;
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
        const double upper = ap_pair_upper_now(&pairs[i], ap_pair_motion(world, &pairs[i]));
        if (upper < heap[0]) {
            replace_largest(heap, k, upper);
        }
    }
    *limit = heap[0];
    return APART_OK;
}

static void count_query(pair_search *s, uint32_t part_queries)
{
    s->queries_left--;
    s->world->stats.queries++;
    s->world->stats.part_queries += part_queries;
}

static void add_found(pair_search *s, const apart_world_pair *pair)
{
    heap_add(s->list, pair);
    s->limit = ap_min(s->first_limit, heap_limit(s->list));
}

/* A listed pair: its bounds or its stored answer may decide it. */
static apart_status visit_listed(pair_search *s, ap_pair_bounds *pair, ap_pair_answer *answer)
{
    apart_world *world = s->world;
    const double moved = ap_pair_motion(world, pair), lower = ap_pair_lower_now(pair, moved);
    if (lower > 0.0 && lower >= s->limit) {
        world->stats.saved++;
        return APART_OK;
    }
    const ap_pair_query query = {.limit = s->limit, .tolerance = s->list->tolerance, .depth = s->list->depth};
    if (ap_pair_answer_holds(pair, answer, moved, &query)) {
        world->stats.reused++;
    } else {
        uint32_t part_queries = 0;
        const apart_status status = ap_world_requery_pair(world, pair, answer, &query, &part_queries);
        if (status != APART_OK) {
            return status;
        }
        count_query(s, part_queries);
    }
    apart_world_pair found;
    ap_world_write_answer(world, pair, answer, &found);
    if (query.depth == APART_DEPTH_NONE && found.relation == APART_OVERLAPPING) {
        ap_world_drop_depth(&found);
    }
    if (found.relation != APART_BEYOND) {
        add_found(s, &found);
    }
    return APART_OK;
}

/* The options of a query that need not be exact beyond a limit. */
static apart_options options_within(double limit, const apart_world_list *list)
{
    return (apart_options){.cutoff = limit == INFINITY ? 0.0 : ap_max(limit, DBL_MIN),
                           .tolerance = list->tolerance,
                           .depth = (uint8_t)list->depth};
}

static apart_status visit_unlisted(pair_search *s, uint32_t a, uint32_t b)
{
    const apart_options options = options_within(s->limit, s->list);
    apart_compound_result result;
    const apart_status status = ap_world_query_pair(s->world, a, b, &options, NULL, &result);
    if (status != APART_OK) {
        return status;
    }
    count_query(s, result.queries);
    if (result.result.relation != APART_BEYOND) {
        apart_world_pair found;
        ap_world_write_result(s->world, a, b, &result, &found);
        add_found(s, &found);
    }
    return APART_OK;
}

static apart_status visit_pair(void *context, uint32_t a, uint32_t b, bool *stop)
{
    pair_search *s = context;
    ap_pair_table *pairs = &s->world->pairs;
    if (s->queries_left == 0) {
        *stop = true;
        s->list->complete = 0;
        return APART_OK;
    }
    const uint32_t i = ap_pair_table_find(pairs, a, b);
    if (i == AP_NO_PAIR) {
        return visit_unlisted(s, a, b);
    }
    return visit_listed(s, ap_pair_at(pairs, i), ap_pair_answer_at(pairs, i));
}

apart_status apart_world_nearest(apart_world *world, uint64_t max_queries, apart_world_list *list)
{
    apart_status status = world != NULL && list != NULL ? check_list(list) : APART_ERR_NULL;
    if (status != APART_OK) {
        return status;
    }
    pair_search s = {.world = world, .list = list, .queries_left = max_queries > 0 ? max_queries : UINT64_MAX};
    list->count = list->total = 0;
    list->complete = 1;
    status = apart_world_update(world);
    if (status == APART_OK) {
        status = find_first_limit(world, list->capacity, &s.first_limit);
    }
    if (status == APART_OK) {
        /* The limit itself must not cut off the pair that gave it, also where a number is too small to be rounded up. */
        s.first_limit = ap_max(ap_up(ap_up(s.first_limit)), DBL_MIN);
        s.limit = s.first_limit;
        const ap_near_box_pairs traversal = {world, &s.limit, visit_pair, &s};
        status = ap_world_visit_near_boxes(&traversal);
    }
    heap_sort(list);
    return status;
}

/* ---- the k bodies nearest to a probe ---- */

typedef struct probe_search {
    ap_probe probe;
    apart_world_list *list;
} probe_search;

static double probe_limit(const probe_search *s) { return ap_min(s->probe.within, heap_limit(s->list)); }

static apart_status query_body(void *context, uint32_t slot)
{
    probe_search *s = context;
    const ap_probe *p = &s->probe;
    if (!ap_probe_admits(p, slot)) {
        return APART_OK;
    }
    const ap_body *body = ap_world_slot(p->world, slot);
    const apart_options options = options_within(probe_limit(s), s->list);
    apart_compound_result result;
    const apart_status status =
        apart_compound_distance(p->solid, &p->pose, ap_body_solid(body), &body->pose, &options, NULL, &result);
    if (status != APART_OK || !(result.result.distance < p->within) || result.result.relation == APART_BEYOND) {
        return status;
    }
    apart_world_pair found;
    ap_world_write_result(p->world, slot, slot, &result, &found);
    found.a = ap_probe_id(p);
    found.user_a = p->user;
    heap_add(s->list, &found);
    return APART_OK;
}

static apart_status search_tree(probe_search *s)
{
    const ap_tree *tree = &s->probe.world->tree;
    struct {
        uint32_t node;
        double bound;
    } stack[AP_TREE_HEIGHT + 2];
    size_t count = 0;
    apart_status status = APART_OK;
    if (tree->root != AP_NO_NODE) {
        stack[count].node = tree->root;
        stack[count++].bound = 0.0;
    }
    while (count > 0 && status == APART_OK) {
        const ap_node *node = ap_tree_node(tree, stack[--count].node);
        if (stack[count].bound > 0.0 && stack[count].bound >= probe_limit(s)) {
            continue;
        }
        if (ap_node_is_leaf(node)) {
            const uint32_t slot = ap_node_item(node);
            status = ap_world_slot(s->probe.world, slot)->queued ? APART_OK : query_body(s, slot);
            continue;
        }
        const double gap[2] = {ap_probe_gap(&s->probe, &ap_tree_node(tree, node->child[0])->box),
                               ap_probe_gap(&s->probe, &ap_tree_node(tree, node->child[1])->box)};
        const int nearer = gap[1] < gap[0] ? 1 : 0;
        stack[count].node = node->child[1 - nearer];
        stack[count++].bound = gap[1 - nearer];
        stack[count].node = node->child[nearer];
        stack[count++].bound = gap[nearer];
    }
    return status;
}

apart_status apart_world_near(const apart_world *world, const apart_probe *probe, apart_world_list *list)
{
    apart_status status = world != NULL && probe != NULL && list != NULL ? check_list(list) : APART_ERR_NULL;
    if (status != APART_OK) {
        return status;
    }
    probe_search s = {.list = list};
    list->count = list->total = 0;
    list->complete = 0;
    status = ap_probe_prepare(&s.probe, world, probe);
    if (status == APART_OK) {
        status = search_tree(&s);
    }
    if (status == APART_OK) {
        status = ap_world_visit_outside_tree(world, query_body, &s);
    }
    heap_sort(list);
    list->complete = status == APART_OK;
    return status;
}

typedef struct probe_batch {
    const apart_world *world;
    const apart_probe *probes;
    apart_world_list *lists;
} probe_batch;

/* Runs on a thread. A probe that fails leaves minus its status in `complete`. */
static void search_probes(void *context, size_t first, size_t end)
{
    const probe_batch *batch = context;
    for (size_t i = first; i < end; i++) {
        const apart_status status = apart_world_near(batch->world, &batch->probes[i], &batch->lists[i]);
        batch->lists[i].complete = status == APART_OK ? 1 : -(int)status;
    }
}

apart_status apart_world_near_many(const apart_world *world, const apart_probe *probes, size_t count,
                                   apart_world_list *lists)
{
    if (world == NULL || (count > 0 && (probes == NULL || lists == NULL))) {
        return APART_ERR_NULL;
    }
    probe_batch batch = {world, probes, lists};
    apart_status first = ap_executor_for(&world->executor, world->threads, count, PROBE_GRAIN, search_probes, &batch);
    if (first != APART_OK) {
        return first;
    }
    for (size_t i = 0; i < count; i++) {
        if (lists[i].complete < 0) {
            first = first == APART_OK ? (apart_status)-lists[i].complete : first;
            lists[i].complete = 0;
        }
    }
    return first;
}
