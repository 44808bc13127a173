/* Probes: preparation and filters, for all queries of a const world. */
#include "probe.h"

/* ---- preparation ---- */

apart_status ap_probe_prepare_filter(ap_probe *p, const apart_world *world, const apart_probe *probe)
{
    static const apart_probe everything;
    const apart_probe *of = probe != NULL ? probe : &everything;
    const bool outside = of->body.slot == 0 && of->body.generation == 0;
    const ap_body *body = ap_world_find(world, of->body);
    if (!outside && body == NULL) {
        return APART_ERR_ID;
    }
    *p = (ap_probe){.world = world, .slot = UINT32_MAX, .filter = of->filter, .filter_context = of->filter_context};
    const uint64_t category = of->category != 0 ? of->category : UINT64_MAX;
    p->bits = outside ? (ap_filter_bits){of->groups, of->ignores, category, of->mask} : ap_body_bits(body);
    p->user = outside ? of->user : body->user;
    p->slot = outside ? UINT32_MAX : of->body.slot;
    p->solid = outside ? of->solid : ap_body_solid(body);
    p->pose = outside ? of->pose : body->pose;
    p->within = of->within > 0.0 ? of->within : INFINITY;
    return APART_OK;
}

apart_status ap_probe_prepare(ap_probe *p, const apart_world *world, const apart_probe *probe)
{
    const apart_status found = ap_probe_prepare_filter(p, world, probe);
    if (found != APART_OK) {
        return found;
    }
    if (!ap_solid_is_valid(p->solid)) {
        return APART_ERR_NULL;
    }
    if (!(probe->within >= 0.0)) {
        return APART_ERR_OPTION;
    }
    p->unbounded = ap_solid_is_half_space(p->solid);
    if (!p->unbounded) {
        const apart_status status = apart_solid_aabb(p->solid, &p->pose, &p->box);
        const bool fits = world->alive == 0 || ap_solid_dim(p->solid) == world->dim;
        return status == APART_OK && !fits ? APART_ERR_DIMENSION : status;
    }
    p->half_space.shape = *p->solid.shape;
    p->half_space.pose = p->pose;
    p->half_space.defect = ap_rotation_defect(&p->pose.rotation);
    const apart_status status = apart_shape_check(p->solid.shape);
    return status == APART_OK ? apart_pose_check(&p->pose) : status;
}

apart_body_id ap_probe_id(const ap_probe *p)
{
    return p->slot != UINT32_MAX ? ap_world_id(p->world, p->slot) : (apart_body_id){0, 0};
}

/* ---- filters ---- */

static bool bits_admit(const ap_probe *p, uint32_t slot)
{
    const ap_body *body = ap_world_slot(p->world, slot);
    if (p->slot != UINT32_MAX) {
        return ap_world_admits(p->world, p->slot, slot);
    }
    const ap_filter_bits bits = ap_body_bits(body);
    return body->state == AP_BODY_ALIVE && ap_bits_admit(&p->bits, &bits) &&
           !(p->unbounded && ap_body_is_unbounded(body));
}

bool ap_probe_admits(const ap_probe *p, uint32_t slot)
{
    if (!bits_admit(p, slot)) {
        return false;
    }
    const uint64_t user = ap_world_slot(p->world, slot)->user;
    const bool asked = p->slot != UINT32_MAX
                           ? ap_world_asks_slots(p->world, p->slot, slot)
                           : ap_world_asks(p->world, ap_probe_id(p), p->user, ap_world_id(p->world, slot), user);
    if (!asked || p->filter == NULL) {
        return asked;
    }
    ap_world_enter_callback(p->world);
    const bool admitted = p->filter(p->filter_context, ap_world_id(p->world, slot), user) != 0;
    ap_world_leave_callback(p->world);
    return admitted;
}

/* ---- where bodies are ---- */

double ap_probe_gap(const ap_probe *p, const apart_aabb *box)
{
    return p->unbounded ? ap_half_space_gap(&p->half_space, box) : ap_box_gap(&p->box, box);
}

apart_status ap_world_visit_outside_tree(const apart_world *world, ap_slot_visit_fn *visit, void *context)
{
    const uint32_t *queue = world->queue.items, *unbounded = world->unbounded.items;
    apart_status status = APART_OK;
    for (size_t i = 0; i < world->queue.count && status == APART_OK; i++) {
        status = ap_body_is_unbounded(ap_world_slot(world, queue[i])) ? APART_OK : visit(context, queue[i]);
    }
    for (size_t i = 0; i < world->unbounded.count && status == APART_OK; i++) {
        status = visit(context, unbounded[i]);
    }
    return status;
}
