/* The bodies in the way of a translating solid, by a descent of the tree, earlier boxes first: the middle of the probe's
 * box moves along a ray, and the boxes are grown by its half extents. The world is only read. */
#include "../compound/ray_box.h"
#include "probe.h"

typedef struct cast_search {
    ap_probe probe;
    apart_vec3 displacement, direction; /* direction: unit */
    double length;                      /* of the displacement */
    apart_vec3 center, half;            /* of the probe's box */
    apart_motion_options options;
    double until; /* later hits do not matter */
    bool ended;
    apart_world_cast_fn *visit;
    void *context;
} cast_search;

/* ---- one body ---- */

static apart_status cast_at_body(void *context, uint32_t slot)
{
    cast_search *s = context;
    const ap_body *body = ap_world_slot(s->probe.world, slot);
    const apart_vec3 rest = {0.0, 0.0, 0.0};
    apart_world_cast_hit found = {.body = ap_world_id(s->probe.world, slot), .user = body->user};
    if (s->ended || !ap_probe_admits(&s->probe, slot)) {
        return APART_OK;
    }
    s->options.until = ap_max(s->until, DBL_MIN);
    const apart_status status =
        apart_compound_sweep(s->probe.solid, &s->probe.pose, s->displacement, ap_body_solid(body), &body->pose, rest,
                             &s->options, &found.impact);
    if (status != APART_OK || found.impact.impact.outcome == APART_OUTCOME_CLEAR) {
        return status;
    }
    ap_world_enter_callback(s->probe.world);
    const double until = s->visit(s->context, &found);
    ap_world_leave_callback(s->probe.world);
    s->ended = !(until >= 0.0);
    s->until = until < s->until ? until : s->until;
    return APART_OK;
}

/* ---- the tree ---- */

/* The share of the way at which the probe's box may first be near a node's box, never too late. */
static double box_entry(const cast_search *s, uint32_t node)
{
    const apart_aabb *box = &ap_tree_node(&s->probe.world->tree, node)->box;
    const apart_aabb grown = {ap_sub(box->min, s->half), ap_add(box->max, s->half)};
    const double size = ap_max(ap_max_abs(grown.min), ap_max_abs(grown.max)) + ap_max_abs(s->center);
    const double slack = s->options.tolerance + 64.0 * DBL_EPSILON * (size + s->length);
    return ap_ray_box(s->center, s->direction, s->until * s->length, &grown, slack);
}

static apart_status cast_at_tree(cast_search *s)
{
    const ap_tree *tree = &s->probe.world->tree;
    uint32_t stack[AP_TREE_HEIGHT + 2];
    size_t count = 0;
    apart_status status = APART_OK;
    if (tree->root != AP_NO_NODE) {
        stack[count++] = tree->root;
    }
    while (count > 0 && status == APART_OK && !s->ended) {
        const uint32_t number = stack[--count];
        const ap_node *node = ap_tree_node(tree, number);
        if (ap_ray_misses(box_entry(s, number))) {
            continue;
        }
        if (ap_node_is_leaf(node)) {
            const uint32_t slot = ap_node_item(node);
            status = ap_world_slot(s->probe.world, slot)->queued ? APART_OK : cast_at_body(s, slot);
            continue;
        }
        const bool second_first = box_entry(s, node->child[1]) < box_entry(s, node->child[0]);
        stack[count++] = node->child[second_first ? 0 : 1];
        stack[count++] = node->child[second_first ? 1 : 0];
    }
    return status;
}

static apart_status prepare_cast(cast_search *s, const apart_world *world, const apart_probe *probe,
                                 apart_vec3 displacement, const apart_motion_options *options)
{
    const apart_motion_options defaults = {.tolerance = 0.0}, *o = options != NULL ? options : &defaults;
    apart_probe any_distance = *probe;
    any_distance.within = 0.0;
    apart_status status = ap_probe_prepare(&s->probe, world, &any_distance);
    if (status != APART_OK) {
        return status;
    }
    if (!ap_finite(displacement)) {
        return APART_ERR_NONFINITE;
    }
    if (s->probe.unbounded) {
        return APART_ERR_HALF_SPACE;
    }
    /* The sweeps check the rest; in an empty world no one would. */
    if (!(o->tolerance >= 0.0 && o->tolerance < INFINITY && o->until >= 0.0 && o->until <= 1.0)) {
        return APART_ERR_OPTION;
    }
    s->options = *o;
    s->until = o->until > 0.0 ? o->until : 1.0;
    s->displacement = displacement;
    s->length = ap_norm(displacement);
    s->direction = s->length > 0.0 ? ap_unit(displacement) : displacement;
    s->center = ap_add(ap_scale(0.5, s->probe.box.min), ap_scale(0.5, s->probe.box.max));
    s->half = ap_sub(s->probe.box.max, s->center);
    return s->length <= DBL_MAX ? APART_OK : APART_ERR_OVERFLOW;
}

apart_status apart_world_cast_visit(const apart_world *world, const apart_probe *probe, apart_vec3 displacement,
                                    const apart_motion_options *options, apart_world_cast_fn *visit, void *context)
{
    cast_search s = {.visit = visit, .context = context};
    if (world == NULL || probe == NULL || visit == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = prepare_cast(&s, world, probe, displacement, options);
    if (status == APART_OK) {
        status = cast_at_tree(&s);
    }
    return status == APART_OK ? ap_world_visit_outside_tree(world, cast_at_body, &s) : status;
}

/* ---- the first, and all ---- */

static bool comes_first(const apart_world_cast_hit *x, const apart_world_cast_hit *y)
{
    const double s = x->impact.impact.t, t = y->impact.impact.t;
    return s < t || (s == t && x->body.slot < y->body.slot);
}

static double keep_first(void *context, const apart_world_cast_hit *found)
{
    apart_world_cast_hit *best = context;
    if (best->impact.impact.outcome == APART_OUTCOME_CLEAR || comes_first(found, best)) {
        *best = *found;
    }
    return best->impact.impact.t;
}

apart_status apart_world_cast(const apart_world *world, const apart_probe *probe, apart_vec3 displacement,
                              const apart_motion_options *options, apart_world_cast_hit *hit)
{
    apart_world_cast_hit best = {.user = 0};
    if (hit == NULL) {
        return APART_ERR_NULL;
    }
    best.impact.impact.t = 1.0;
    const apart_status status = apart_world_cast_visit(world, probe, displacement, options, keep_first, &best);
    if (status == APART_OK) {
        *hit = best;
    }
    return status;
}

/* Insertion: few bodies are in the way. A list that is full makes later hits irrelevant only if they are not counted. */
static double keep_all(void *context, const apart_world_cast_hit *found)
{
    apart_world_cast_list *list = context;
    list->total++;
    size_t at = list->count;
    while (at > 0 && comes_first(found, &list->hits[at - 1])) {
        at--;
    }
    if (at < list->capacity) {
        list->count += list->count < list->capacity;
        for (size_t i = list->count - 1; i > at; i--) {
            list->hits[i] = list->hits[i - 1];
        }
        list->hits[at] = *found;
    }
    return 1.0;
}

apart_status apart_world_cast_all(const apart_world *world, const apart_probe *probe, apart_vec3 displacement,
                                  const apart_motion_options *options, apart_world_cast_list *list)
{
    if (list == NULL || (list->hits == NULL && list->capacity > 0)) {
        return APART_ERR_NULL;
    }
    list->count = list->total = 0;
    return apart_world_cast_visit(world, probe, displacement, options, keep_all, list);
}
