/* What is nearest to one body, or to a solid that is not in the world. The world is only read, so many threads may ask at once: bodies
 * whose boxes in the tree no longer hold are asked about one by one. */
#include "world.h"

enum { PROBE_GRAIN = 1 };

typedef struct near_search {
    const apart_world *world;
    apart_world_list *list;
    apart_solid solid;
    apart_pose pose;
    apart_aabb box;       /* of the solid; not of a half-space */
    ap_body half_space;   /* the solid as one */
    bool unbounded;
    uint32_t slot;        /* of the body asked about, UINT32_MAX if it is none of the world's */
    uint32_t groups, ignores;
    double within;        /* INFINITY: any distance */
} near_search;

static double limit_of(const near_search *s) { return ap_min(s->within, ap_best_limit(s->list)); }

static bool admits(const near_search *s, uint32_t slot)
{
    const ap_body *body = ap_world_slot(s->world, slot);
    if (s->slot != UINT32_MAX) {
        return ap_world_admits(s->world, s->slot, slot);
    }
    return body->state == AP_BODY_ALIVE && ((s->groups & body->ignores) | (body->groups & s->ignores)) == 0 &&
           !(s->unbounded && ap_body_is_unbounded(body));
}

static apart_status ask(near_search *s, uint32_t slot)
{
    if (!admits(s, slot)) {
        return APART_OK;
    }
    const ap_body *body = ap_world_slot(s->world, slot);
    const double limit = limit_of(s);
    const apart_options options = {.cutoff = limit == INFINITY ? 0.0 : ap_max(limit, DBL_MIN),
                                   .tolerance = s->list->tolerance,
                                   .depth = (uint8_t)s->list->depth};
    apart_compound_result result;
    const apart_status status = apart_compound_distance(s->solid, &s->pose, ap_body_solid(body), &body->pose, &options, NULL, &result);
    if (status != APART_OK || !(result.result.distance < s->within) || result.result.relation == APART_BEYOND) {
        return status;
    }
    apart_world_pair found;
    ap_world_write_pair(s->world, slot, slot, &result, &found);
    found.a = s->slot != UINT32_MAX ? ap_world_id(s->world, s->slot) : (apart_body_id){0, 0};
    ap_best_add(s->list, &found);
    return APART_OK;
}

static double bound_of(const near_search *s, const apart_aabb *box)
{
    return s->unbounded ? ap_half_space_gap(&s->half_space, box) : ap_box_gap(&s->box, box);
}

static apart_status ask_tree(near_search *s)
{
    const ap_tree *tree = &s->world->tree;
    struct { uint32_t node; double bound; } stack[AP_TREE_HEIGHT + 2];
    size_t count = 0;
    apart_status status = APART_OK;
    if (tree->root != AP_NO_NODE) {
        stack[count].node = tree->root;
        stack[count++].bound = 0.0;
    }
    while (count > 0 && status == APART_OK) {
        const ap_node *node = ap_tree_node(tree, stack[--count].node);
        if (stack[count].bound > 0.0 && stack[count].bound >= limit_of(s)) {
            continue;
        }
        if (ap_node_is_leaf(node)) {
            status = ap_world_slot(s->world, ap_node_item(node))->queued ? APART_OK : ask(s, ap_node_item(node));
            continue;
        }
        const double first = bound_of(s, &ap_tree_node(tree, node->child[0])->box);
        const double second = bound_of(s, &ap_tree_node(tree, node->child[1])->box);
        const int nearer = second < first ? 1 : 0;
        stack[count].node = node->child[1 - nearer];
        stack[count++].bound = nearer == 1 ? first : second;
        stack[count].node = node->child[nearer];
        stack[count++].bound = nearer == 1 ? second : first;
    }
    return status;
}

/* Bodies that have left their boxes, and half-spaces, which have none. */
static apart_status ask_others(near_search *s)
{
    const uint32_t *queue = s->world->queue.items, *unbounded = s->world->unbounded.items;
    apart_status status = APART_OK;
    for (size_t i = 0; i < s->world->queue.count && status == APART_OK; i++) {
        status = ap_body_is_unbounded(ap_world_slot(s->world, queue[i])) ? APART_OK : ask(s, queue[i]);
    }
    for (size_t i = 0; i < s->world->unbounded.count && status == APART_OK; i++) {
        status = ask(s, unbounded[i]);
    }
    return status;
}

static apart_status prepare(near_search *s, const apart_probe *probe)
{
    const bool outside = probe->body.slot == 0 && probe->body.generation == 0;
    const ap_body *body = ap_world_find(s->world, probe->body);
    if (!outside && body == NULL) {
        return APART_ERR_ID;
    }
    s->solid = outside ? probe->solid : ap_body_solid(body);
    s->pose = outside ? probe->pose : body->pose;
    s->slot = outside ? UINT32_MAX : probe->body.slot;
    s->groups = probe->groups;
    s->ignores = probe->ignores;
    s->within = probe->within > 0.0 ? probe->within : INFINITY;
    if (!ap_solid_is_valid(s->solid)) {
        return APART_ERR_NULL;
    }
    if (!(probe->within >= 0.0)) {
        return APART_ERR_OPTION;
    }
    s->unbounded = ap_solid_is_half_space(s->solid);
    if (!s->unbounded) {
        return apart_solid_aabb(s->solid, &s->pose, &s->box);
    }
    bool proper;
    s->half_space.shape = *s->solid.shape;
    s->half_space.pose = s->pose;
    s->half_space.defect = ap_rotation_defect(&s->pose.rotation, &proper);
    const apart_status status = apart_shape_check(s->solid.shape);
    return status == APART_OK ? apart_pose_check(&s->pose) : status;
}

apart_status apart_world_near(const apart_world *world, const apart_probe *probe, apart_world_list *list)
{
    if (world == NULL || probe == NULL || list == NULL || (list->pairs == NULL && list->capacity > 0)) {
        return APART_ERR_NULL;
    }
    if (list->capacity == 0 || !ap_list_is_valid(list)) {
        return APART_ERR_OPTION;
    }
    near_search s = {.world = world, .list = list};
    list->count = list->total = 0;
    list->complete = 0;
    apart_status status = prepare(&s, probe);
    if (status == APART_OK) {
        status = ask_tree(&s);
    }
    if (status == APART_OK) {
        status = ask_others(&s);
    }
    ap_best_sort(list);
    list->total = list->count;
    list->complete = status == APART_OK;
    return status;
}

typedef struct probe_batch {
    const apart_world *world;
    const apart_probe *probes;
    apart_world_list *lists;
} probe_batch;

/* complete = 0 afterwards means that the probe failed. */
static void ask_probes(void *context, size_t first, size_t end)
{
    const probe_batch *batch = context;
    for (size_t i = first; i < end; i++) {
        const apart_status status = apart_world_near(batch->world, &batch->probes[i], &batch->lists[i]);
        batch->lists[i].complete = status == APART_OK ? 1 : -(int)status;
    }
}

apart_status apart_world_near_many(const apart_world *world, const apart_probe *probes, size_t count, apart_world_list *lists)
{
    if (world == NULL || (count > 0 && (probes == NULL || lists == NULL))) {
        return APART_ERR_NULL;
    }
    probe_batch batch = {world, probes, lists};
    ap_parallel_for(world->threads, count, PROBE_GRAIN, ask_probes, &batch);
    apart_status first = APART_OK;
    for (size_t i = 0; i < count; i++) {
        if (lists[i].complete < 0) {
            first = first == APART_OK ? (apart_status)-lists[i].complete : first;
            lists[i].complete = 0;
        }
    }
    return first;
}
