/* Archives of a world: its bodies by slots, then what is kept about pairs. */
#include "../world/world.h"
#include "archive.h"

enum { SOLID_SHAPE = 0, SOLID_COMPOUND = 1, SOLID_MESH = 2, SOLID_SURFACE = 3 };

/* ---- writing ---- */

static void note_body(ap_archive_writer *w, const ap_body *body)
{
    if (body->state != AP_BODY_ALIVE) {
        return;
    }
    if (body->compound != NULL) {
        ap_writer_note_compound(w, body->compound);
    } else if (body->mesh != NULL) {
        ap_writer_note_mesh(w, body->mesh);
    } else {
        ap_writer_note_shape(w, &body->shape);
    }
}

static void put_body(ap_archive_writer *w, const ap_body *body)
{
    const bool alive = body->state == AP_BODY_ALIVE;
    ap_put_u32(w, body->generation);
    ap_put_u32(w, alive);
    if (!alive) {
        return;
    }
    if (body->compound != NULL) {
        ap_put_u32(w, SOLID_COMPOUND);
        ap_put_u32(w, ap_pointer_number(&w->compounds, body->compound));
    } else if (body->mesh != NULL) {
        ap_put_u32(w, body->surface ? SOLID_SURFACE : SOLID_MESH);
        ap_put_u32(w, ap_pointer_number(&w->meshes, body->mesh));
    } else {
        ap_put_u32(w, SOLID_SHAPE);
        ap_put_shape(w, &body->shape);
    }
    ap_put_pose(w, &body->pose);
    ap_put_u32(w, body->groups);
    ap_put_u32(w, body->ignores);
    ap_put_u64(w, body->user);
    ap_put_u64(w, body->category);
    ap_put_u64(w, body->mask);
}

/* The disabled pairs of bodies that are there, in the order of the keys' places. */
static void put_disabled(ap_archive_writer *w, const apart_world *world)
{
    const uint64_t *keys = world->disabled.keys.items;
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < world->disabled.keys.count; i++) {
            const uint32_t a = (uint32_t)(keys[i] >> 32), b = (uint32_t)keys[i];
            if (keys[i] == 0 || ap_world_slot(world, a)->state != AP_BODY_ALIVE ||
                ap_world_slot(world, b)->state != AP_BODY_ALIVE) {
                continue;
            }
            if (pass == 0) {
                count++;
            } else {
                ap_put_u64(w, keys[i]);
            }
        }
        if (pass == 0) {
            ap_put_u32(w, count);
        }
    }
}

static void put_together(ap_archive_writer *w, const apart_world *world)
{
    const apart_world_touch *touch = world->together.items;
    ap_put_u32(w, (uint32_t)world->together.count);
    for (size_t i = 0; i < world->together.count; i++) {
        ap_put_u32(w, touch[i].a.slot);
        ap_put_u32(w, touch[i].a.generation);
        ap_put_u32(w, touch[i].b.slot);
        ap_put_u32(w, touch[i].b.generation);
        ap_put_u64(w, touch[i].user_a);
        ap_put_u64(w, touch[i].user_b);
    }
}

apart_status apart_world_write(const apart_world *world, void *memory, size_t size, size_t *needed)
{
    ap_archive_writer w;
    if (world == NULL || (memory == NULL && size > 0)) {
        return APART_ERR_NULL;
    }
    ap_writer_begin(&w, &world->allocator, memory, size);
    for (size_t slot = 0; slot < world->bodies.count; slot++) {
        note_body(&w, ap_world_slot(world, slot));
    }
    if (w.status == APART_OK) {
        ap_writer_put_library(&w, AP_ARCHIVE_WORLD);
        ap_put_u32(&w, (uint32_t)(world->alive > 0 ? world->dim : 3));
        ap_put_u32(&w, (uint32_t)world->bodies.count);
        for (size_t slot = 0; slot < world->bodies.count; slot++) {
            put_body(&w, ap_world_slot(world, slot));
        }
        put_disabled(&w, world);
        put_together(&w, world);
    }
    return ap_writer_end(&w, needed);
}

/* ---- reading ---- */

static apart_solid get_solid(ap_archive_reader *r, apart_shape *shape)
{
    const uint32_t kind = ap_get_u32(r);
    if (kind == SOLID_SHAPE) {
        *shape = ap_get_shape(r, 0);
        return apart_solid_shape(shape);
    }
    const uint32_t number = ap_get_u32(r);
    if (kind == SOLID_COMPOUND && number < r->compound_count) {
        return apart_solid_compound(r->compounds[number]);
    }
    if ((kind == SOLID_MESH || kind == SOLID_SURFACE) && number < r->mesh_count) {
        return kind == SOLID_MESH ? apart_solid_mesh(r->meshes[number]) : apart_solid_surface(r->meshes[number]);
    }
    ap_reader_fail(r, APART_ERR_BLOCK);
    return apart_solid_shape(shape);
}

/* Every slot gets a body; those that were free get one that is removed again. */
static void get_body(ap_archive_reader *r, apart_world *world, uint32_t slot, uint32_t dim, ap_array *gone)
{
    apart_shape shape = dim == 2 ? apart_point_2d(0.0, 0.0) : apart_point((apart_vec3){0.0, 0.0, 0.0});
    const uint32_t generation = ap_get_u32(r), alive = ap_get_u32(r);
    apart_body_def def = {.solid = apart_solid_shape(&shape), .pose = apart_pose_identity()};
    apart_body_id id;
    if (alive == 1) {
        def.solid = get_solid(r, &shape);
        def.pose = ap_get_pose(r);
        def.groups = ap_get_u32(r);
        def.ignores = ap_get_u32(r);
        def.user = ap_get_u64(r);
        def.category = ap_get_u64(r);
        def.mask = ap_get_u64(r);
    } else {
        ((uint32_t *)gone->items)[gone->count++] = slot;
    }
    if (r->status != APART_OK || alive > 1 || (alive == 1 && generation == 0)) {
        ap_reader_fail(r, APART_ERR_BLOCK);
        return;
    }
    const apart_status status = apart_world_add(world, &def, &id);
    if (status != APART_OK) {
        const bool own_fault = status == APART_ERR_MEMORY || status == APART_ERR_SIZE;
        ap_reader_fail(r, own_fault ? status : APART_ERR_BLOCK);
        return;
    }
    ap_world_slot(world, slot)->generation = generation;
}

static void get_bodies(ap_archive_reader *r, apart_world *world)
{
    ap_array gone = {.size = sizeof(uint32_t)};
    const uint32_t dim = ap_get_u32(r), count = ap_get_count(r, 8);
    if (dim != 2 && dim != 3) {
        ap_reader_fail(r, APART_ERR_BLOCK);
    }
    if (!ap_array_reserve(&gone, &r->allocator, count)) {
        ap_reader_fail(r, APART_ERR_MEMORY);
    }
    for (uint32_t slot = 0; slot < count && r->status == APART_OK; slot++) {
        get_body(r, world, slot, dim, &gone);
    }
    for (size_t i = 0; i < gone.count && r->status == APART_OK; i++) {
        const uint32_t slot = ((const uint32_t *)gone.items)[i];
        const apart_status status = apart_world_remove(world, ap_world_id(world, slot));
        if (status != APART_OK) {
            ap_reader_fail(r, APART_ERR_BLOCK);
        }
    }
    ap_array_free(&gone, &r->allocator);
}

static void get_disabled(ap_archive_reader *r, apart_world *world)
{
    const uint32_t count = ap_get_count(r, 8);
    for (uint32_t i = 0; i < count && r->status == APART_OK; i++) {
        const uint64_t key = ap_get_u64(r);
        const uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
        const bool known = a < world->bodies.count && b < world->bodies.count;
        const apart_status status =
            known ? apart_world_disable_pair(world, ap_world_id(world, a), ap_world_id(world, b), 1) : APART_ERR_ID;
        if (status != APART_OK) {
            ap_reader_fail(r, status == APART_ERR_MEMORY ? status : APART_ERR_BLOCK);
        }
    }
}

static apart_body_id get_id(ap_archive_reader *r)
{
    const uint32_t slot = ap_get_u32(r);
    return (apart_body_id){slot, ap_get_u32(r)};
}

static bool id_follows(apart_body_id x, apart_body_id y)
{
    return y.slot != x.slot ? y.slot > x.slot : y.generation > x.generation;
}

static void get_together(ap_archive_reader *r, apart_world *world)
{
    const uint32_t count = ap_get_count(r, 32);
    if (!ap_array_reserve(&world->together, &world->allocator, count)) {
        ap_reader_fail(r, APART_ERR_MEMORY);
    }
    apart_world_touch *touch = world->together.items;
    for (uint32_t i = 0; i < count && r->status == APART_OK; i++) {
        touch[i].a = get_id(r);
        touch[i].b = get_id(r);
        touch[i].user_a = ap_get_u64(r);
        touch[i].user_b = ap_get_u64(r);
        /* They are sorted, and the comparison relies on that. */
        const bool same_a =
            i > 0 && touch[i].a.slot == touch[i - 1].a.slot && touch[i].a.generation == touch[i - 1].a.generation;
        if (i > 0 && !(same_a ? id_follows(touch[i - 1].b, touch[i].b) : id_follows(touch[i - 1].a, touch[i].a))) {
            ap_reader_fail(r, APART_ERR_BLOCK);
        }
    }
    world->together.count = r->status == APART_OK ? count : 0;
}

apart_status apart_world_read(const void *memory, size_t size, const apart_world_options *options, apart_world **out)
{
    ap_archive_reader r;
    apart_world *world = NULL;
    if (memory == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = apart_world_create(options, &world);
    if (status != APART_OK) {
        return status;
    }
    ap_reader_begin(&r, &world->allocator, memory, size, AP_ARCHIVE_WORLD);
    world->owned = r.owned;
    if (r.status == APART_OK) {
        get_bodies(&r, world);
    }
    if (r.status == APART_OK) {
        get_disabled(&r, world);
    }
    if (r.status == APART_OK) {
        get_together(&r, world);
    }
    world->owned = r.owned;
    if (r.status == APART_OK && r.at != r.end) {
        ap_reader_fail(&r, APART_ERR_BLOCK);
    }
    status = r.status == APART_OK ? apart_world_update(world) : r.status;
    if (status != APART_OK) {
        apart_world_free(world);
        return status;
    }
    apart_world_reset_stats(world);
    *out = world;
    return APART_OK;
}
