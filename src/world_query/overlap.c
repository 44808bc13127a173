/* The bodies in a place: those that overlap a probe, exactly, and those whose boxes meet a box. The world is only read. */
#include "probe.h"

typedef struct place_search {
    ap_probe probe;
    const apart_aabb *box; /* NULL: the probe's solid is asked about */
    bool ended;
    apart_world_body_fn *visit;
    void *context;
} place_search;

/* ---- one body ---- */

/* Does the body touch or overlap the probe, or is it nearer than `within`? */
static apart_status is_at_probe(const ap_probe *p, const ap_body *body, int *near, uint32_t *part)
{
    if (p->within == INFINITY) {
        uint32_t parts[2] = {0, 0};
        const apart_status status =
            apart_compound_overlap(p->solid, &p->pose, ap_body_solid(body), &body->pose, NULL, NULL, near, parts);
        *part = parts[1];
        return status;
    }
    const apart_options options = {.cutoff = p->within, .depth = APART_DEPTH_NONE};
    apart_compound_result result;
    const apart_status status =
        apart_compound_distance(p->solid, &p->pose, ap_body_solid(body), &body->pose, &options, NULL, &result);
    if (status == APART_OK) {
        *near = result.result.relation != APART_BEYOND && result.result.distance < p->within;
        *part = result.part_b;
    }
    return status;
}

/* Does the body's own box meet the box? A body whose box overflows is everywhere. */
static bool is_in_box(const ap_body *body, const apart_aabb *box)
{
    apart_aabb own;
    if (ap_body_is_unbounded(body)) {
        return ap_half_space_gap(body, box) <= 0.0;
    }
    return apart_solid_aabb(ap_body_solid(body), &body->pose, &own) != APART_OK || ap_box_overlap(&own, box);
}

static apart_status visit_body(void *context, uint32_t slot)
{
    place_search *s = context;
    const ap_body *body = ap_world_slot(s->probe.world, slot);
    int near = 0;
    uint32_t part = 0;
    if (s->ended || !ap_probe_admits(&s->probe, slot)) {
        return APART_OK;
    }
    if (s->box != NULL) {
        near = is_in_box(body, s->box);
    } else {
        const apart_status status = is_at_probe(&s->probe, body, &near, &part);
        if (status != APART_OK) {
            return status;
        }
    }
    if (near) {
        ap_world_enter_callback(s->probe.world);
        s->ended = s->visit(s->context, ap_world_id(s->probe.world, slot), body->user, part) == 0;
        ap_world_leave_callback(s->probe.world);
    }
    return APART_OK;
}

/* ---- the tree ---- */

static bool is_near_node(const place_search *s, const apart_aabb *box)
{
    if (s->box != NULL) {
        return ap_box_overlap(s->box, box);
    }
    const double gap = ap_probe_gap(&s->probe, box);
    return gap == 0.0 || (s->probe.within < INFINITY && gap < s->probe.within);
}

static apart_status search_places(place_search *s)
{
    const ap_tree *tree = &s->probe.world->tree;
    uint32_t stack[AP_TREE_HEIGHT + 2];
    size_t count = 0;
    apart_status status = APART_OK;
    if (tree->root != AP_NO_NODE) {
        stack[count++] = tree->root;
    }
    while (count > 0 && status == APART_OK && !s->ended) {
        const ap_node *node = ap_tree_node(tree, stack[--count]);
        if (!is_near_node(s, &node->box)) {
            continue;
        }
        if (ap_node_is_leaf(node)) {
            const uint32_t slot = ap_node_item(node);
            status = ap_world_slot(s->probe.world, slot)->queued ? APART_OK : visit_body(s, slot);
        } else {
            stack[count++] = node->child[1];
            stack[count++] = node->child[0];
        }
    }
    return status == APART_OK ? ap_world_visit_outside_tree(s->probe.world, visit_body, s) : status;
}

apart_status apart_world_overlap(const apart_world *world, const apart_probe *probe, apart_world_body_fn *visit,
                                 void *context)
{
    place_search s = {.visit = visit, .context = context};
    if (world == NULL || probe == NULL || visit == NULL) {
        return APART_ERR_NULL;
    }
    const apart_status status = ap_probe_prepare(&s.probe, world, probe);
    return status == APART_OK ? search_places(&s) : status;
}

apart_status apart_world_in_box(const apart_world *world, const apart_aabb *box, const apart_probe *filter,
                                apart_world_body_fn *visit, void *context)
{
    place_search s = {.box = box, .visit = visit, .context = context};
    if (world == NULL || box == NULL || visit == NULL) {
        return APART_ERR_NULL;
    }
    if (!ap_finite(box->min) || !ap_finite(box->max)) {
        return APART_ERR_NONFINITE;
    }
    if (!(box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z)) {
        return APART_ERR_NEGATIVE_SIZE;
    }
    const apart_status status = ap_probe_prepare_filter(&s.probe, world, filter);
    return status == APART_OK ? search_places(&s) : status;
}
