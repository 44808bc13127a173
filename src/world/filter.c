/* Which bodies may form a pair: groups, masks and disabled pairs, then the caller's own filter. */
#include "world.h"

/* ---- by bits ---- */

/* 0 stands for the lowest bit of a category, and for all bits of a mask. */
static bool masks_admit(uint64_t category_a, uint64_t mask_a, uint64_t category_b, uint64_t mask_b)
{
    const uint64_t a = category_a != 0 ? category_a : 1, b = category_b != 0 ? category_b : 1;
    return (mask_a == 0 || (mask_a & b) != 0) && (mask_b == 0 || (mask_b & a) != 0);
}

bool ap_bits_admit(const ap_filter_bits *a, const ap_filter_bits *b)
{
    return ((a->groups & b->ignores) | (b->groups & a->ignores)) == 0 &&
           masks_admit(a->category, a->mask, b->category, b->mask);
}

ap_filter_bits ap_body_bits(const ap_body *body)
{
    return (ap_filter_bits){body->groups, body->ignores, body->category, body->mask};
}

bool ap_world_admits(const apart_world *world, uint32_t a, uint32_t b)
{
    const ap_body *x = ap_world_slot(world, a), *y = ap_world_slot(world, b);
    const ap_filter_bits bits_x = ap_body_bits(x), bits_y = ap_body_bits(y);
    return a != b && x->state == AP_BODY_ALIVE && y->state == AP_BODY_ALIVE && ap_bits_admit(&bits_x, &bits_y) &&
           !(ap_body_is_unbounded(x) && ap_body_is_unbounded(y)) && !ap_pair_set_has(&world->disabled, a, b);
}

/* ---- by the caller ---- */

bool ap_world_asks(const apart_world *world, apart_body_id a, uint64_t user_a, apart_body_id b, uint64_t user_b)
{
    if (world->filter == NULL) {
        return true;
    }
    ap_world_enter_callback(world);
    const bool admitted = world->filter(world->filter_context, a, user_a, b, user_b) != 0;
    ap_world_leave_callback(world);
    return admitted;
}

bool ap_world_asks_slots(const apart_world *world, uint32_t a, uint32_t b)
{
    if (world->filter == NULL) {
        return true;
    }
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return ap_world_asks(world, ap_world_id(world, low), ap_world_slot(world, low)->user, ap_world_id(world, high),
                         ap_world_slot(world, high)->user);
}

/* ---- changes ---- */

/* The next update checks the body's pairs and searches for new ones. */
static void requeue_body(apart_world *world, uint32_t slot)
{
    ap_world_slot(world, slot)->changed = 1;
    world->dirty = 1;
    ap_world_queue(world, slot);
}

apart_status apart_world_set_filter(apart_world *world, apart_body_id id, uint32_t groups, uint32_t ignores)
{
    ap_body *body = ap_world_find(world, id);
    if (body == NULL) {
        return world == NULL ? APART_ERR_NULL : APART_ERR_ID;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    if (body->groups != groups || body->ignores != ignores) {
        body->groups = groups;
        body->ignores = ignores;
        requeue_body(world, id.slot);
    }
    return APART_OK;
}

apart_status apart_world_set_mask(apart_world *world, apart_body_id id, uint64_t category, uint64_t mask)
{
    ap_body *body = ap_world_find(world, id);
    if (body == NULL) {
        return world == NULL ? APART_ERR_NULL : APART_ERR_ID;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    if (body->category != category || body->mask != mask) {
        body->category = category;
        body->mask = mask;
        requeue_body(world, id.slot);
    }
    return APART_OK;
}

apart_status apart_world_refilter(apart_world *world, apart_body_id id)
{
    if (ap_world_find(world, id) == NULL) {
        return world == NULL ? APART_ERR_NULL : APART_ERR_ID;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    requeue_body(world, id.slot);
    return APART_OK;
}

apart_status apart_world_disable_pair(apart_world *world, apart_body_id a, apart_body_id b, int disabled)
{
    if (world == NULL) {
        return APART_ERR_NULL;
    }
    if (ap_world_find(world, a) == NULL || ap_world_find(world, b) == NULL) {
        return APART_ERR_ID;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    if (a.slot == b.slot) {
        return APART_ERR_OPTION;
    }
    if (ap_pair_set_has(&world->disabled, a.slot, b.slot) == (disabled != 0)) {
        return APART_OK;
    }
    if (!disabled) {
        ap_pair_set_remove(&world->disabled, a.slot, b.slot);
    } else if (!ap_pair_set_add(&world->disabled, &world->allocator, a.slot, b.slot)) {
        return APART_ERR_MEMORY;
    }
    requeue_body(world, a.slot);
    return APART_OK;
}
