/* The bodies of a world: added, moved and removed. The next query or update brings boxes and pairs up to
 * date (broad_phase.c). */
#include "world.h"

/* Poses per part of a loop on several threads. */
enum { POSE_GRAIN = 256 };

/* ---- checks ---- */

static apart_status check_body_pose(const apart_pose *pose, int dim, double *defect)
{
    *defect = ap_rotation_defect(&pose->rotation);
    if (!(*defect <= AP_ROTATION_LIMIT) || !ap_finite(pose->translation)) {
        const apart_status status = apart_pose_check(pose);
        return status != APART_OK ? status : APART_ERR_ROTATION;
    }
    return dim == 2 && !ap_pose_is_planar(pose) ? APART_ERR_DIMENSION : APART_OK;
}

static apart_status check_def(const apart_world *world, const apart_body_def *def, ap_body *body)
{
    apart_status status = ap_solid_check(def->solid);
    if (status == APART_OK && def->solid.shape != NULL) {
        status = apart_shape_check(def->solid.shape);
    }
    if (status != APART_OK) {
        return status;
    }
    const int dim = ap_solid_dim(def->solid);
    if (world->alive > 0 && dim != world->dim) {
        return APART_ERR_DIMENSION;
    }
    status = check_body_pose(&def->pose, dim, &body->defect);
    if (status != APART_OK || ap_solid_is_half_space(def->solid)) {
        body->center = ap_vec(0.0, 0.0, 0.0);
        body->radius = INFINITY;
        return status;
    }
    return apart_solid_ball(def->solid, &body->center, &body->radius);
}

ap_body *ap_world_find(const apart_world *world, apart_body_id id)
{
    if (world == NULL || id.slot >= world->bodies.count) {
        return NULL;
    }
    ap_body *body = ap_world_slot(world, id.slot);
    return body->state == AP_BODY_ALIVE && body->generation == id.generation ? body : NULL;
}

/* ---- adding ---- */

/* Makes room for one more body in every array by body, so that moving and removing cannot fail. */
static bool reserve_body(apart_world *world)
{
    const size_t room = world->bodies.count + 1;
    const apart_allocator *allocator = &world->allocator;
    return ap_array_reserve(&world->bodies, allocator, room) && ap_array_reserve(&world->motions, allocator, room) &&
           ap_array_reserve(&world->free_slots, allocator, room) &&
           ap_array_reserve(&world->leaving, allocator, room) && ap_array_reserve(&world->queue, allocator, room) &&
           ap_tree_reserve(&world->tree, allocator);
}

static uint32_t take_slot(apart_world *world)
{
    if (world->free_slots.count > 0) {
        return ((const uint32_t *)world->free_slots.items)[--world->free_slots.count];
    }
    const size_t slot = world->bodies.count++;
    world->motions.count = world->bodies.count;
    *ap_world_slot(world, slot) = (ap_body){.generation = 0};
    return (uint32_t)slot;
}

/* Puts the body into the tree with its bare box; the next update gives the box a margin and finds the pairs. */
static void enter_tree(apart_world *world, uint32_t slot, const apart_aabb *box)
{
    ap_body *body = ap_world_slot(world, slot);
    *ap_world_motion(world, slot) = 0.0;
    body->mark = 0.0;
    body->margin = 0.0;
    body->leaf = AP_NO_NODE;
    if (ap_body_is_unbounded(body)) {
        ((uint32_t *)world->unbounded.items)[world->unbounded.count++] = slot;
    } else {
        body->leaf = ap_tree_insert(&world->tree, slot, box);
    }
    ap_world_queue(world, slot);
    world->alive++;
}

apart_status apart_world_add(apart_world *world, const apart_body_def *def, apart_body_id *id)
{
    ap_body body = {.state = AP_BODY_ALIVE};
    apart_aabb box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (world == NULL || def == NULL) {
        return APART_ERR_NULL;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    apart_status status = check_def(world, def, &body);
    const bool unbounded = status == APART_OK && ap_solid_is_half_space(def->solid);
    if (status == APART_OK && !unbounded) {
        status = apart_solid_aabb(def->solid, &def->pose, &box);
    }
    if (status != APART_OK) {
        return status;
    }
    if (world->alive >= world->max_bodies) {
        return APART_ERR_SIZE;
    }
    if (!reserve_body(world) ||
        (unbounded && !ap_array_reserve(&world->unbounded, &world->allocator, world->unbounded.count + 1))) {
        return APART_ERR_MEMORY;
    }
    const uint32_t slot = take_slot(world);
    body.shape = def->solid.shape != NULL ? *def->solid.shape : (apart_shape){.kind = APART_SHAPE_NONE};
    body.compound = def->solid.compound;
    body.mesh = def->solid.mesh;
    body.surface = def->solid.surface != 0;
    body.pose = def->pose;
    body.groups = def->groups;
    body.ignores = def->ignores;
    body.user = def->user;
    body.category = def->category;
    body.mask = def->mask;
    body.generation = ap_world_slot(world, slot)->generation + 1u;
    body.generation += body.generation == 0;
    *ap_world_slot(world, slot) = body;
    world->dim = ap_solid_dim(def->solid);
    enter_tree(world, slot, &box);
    if (id != NULL) {
        *id = ap_world_id(world, slot);
    }
    return APART_OK;
}

/* ---- removing ---- */

static void remove_value(ap_array *array, uint32_t value)
{
    uint32_t *items = array->items;
    size_t kept = 0;
    for (size_t i = 0; i < array->count; i++) {
        if (items[i] != value) {
            items[kept++] = items[i];
        }
    }
    array->count = kept;
}

apart_status apart_world_remove(apart_world *world, apart_body_id id)
{
    ap_body *body = ap_world_find(world, id);
    if (body == NULL) {
        return world == NULL ? APART_ERR_NULL : APART_ERR_ID;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    if (body->leaf != AP_NO_NODE) {
        ap_tree_remove(&world->tree, body->leaf);
        body->leaf = AP_NO_NODE;
    } else {
        remove_value(&world->unbounded, id.slot);
    }
    body->state = AP_BODY_LEAVING;
    body->changed = 1;
    world->dirty = 1;
    ((uint32_t *)world->leaving.items)[world->leaving.count++] = id.slot;
    world->alive--;
    return APART_OK;
}

/* ---- moving ---- */

static void apply_pose(apart_world *world, uint32_t slot, const apart_pose *pose, double defect, double step)
{
    ap_body *body = ap_world_slot(world, slot);
    body->pose = *pose;
    body->defect = defect;
    ap_motion_add(world, slot, step);
    world->stats.moves++;
}

apart_status apart_world_move(apart_world *world, apart_body_id id, const apart_pose *pose)
{
    ap_body *body = ap_world_find(world, id);
    double defect;
    if (world == NULL || pose == NULL) {
        return APART_ERR_NULL;
    }
    if (body == NULL) {
        return APART_ERR_ID;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    const apart_status status = check_body_pose(pose, world->dim, &defect);
    if (status == APART_OK) {
        apply_pose(world, id.slot, pose, defect, ap_motion_bound(body, pose, defect));
    }
    return status;
}

/* The result of checking one of many poses. */
typedef struct pose_check {
    double step, defect;
    apart_status status;
} pose_check;

typedef struct pose_batch {
    const apart_world *world;
    const apart_body_id *ids;
    const apart_pose *poses;
    pose_check *checks;
} pose_batch;

static void check_poses(void *context, size_t first, size_t end)
{
    const pose_batch *batch = context;
    for (size_t i = first; i < end; i++) {
        pose_check *check = &batch->checks[i];
        const ap_body *body = ap_world_find(batch->world, batch->ids[i]);
        check->status =
            body == NULL ? APART_ERR_ID : check_body_pose(&batch->poses[i], batch->world->dim, &check->defect);
        if (check->status == APART_OK) {
            check->step = ap_motion_bound(body, &batch->poses[i], check->defect);
        }
    }
}

apart_status apart_world_move_many(apart_world *world, const apart_body_id *ids, const apart_pose *poses, size_t count)
{
    if (world == NULL || (count > 0 && (ids == NULL || poses == NULL))) {
        return APART_ERR_NULL;
    }
    if (ap_world_is_busy(world)) {
        return APART_ERR_BUSY;
    }
    const size_t doubles = sizeof(pose_check) / sizeof(double);
    if (count > SIZE_MAX / 2 / sizeof(pose_check) ||
        !ap_array_reserve(&world->numbers, &world->allocator, count * doubles)) {
        return APART_ERR_MEMORY;
    }
    pose_batch batch = {world, ids, poses, world->numbers.items};
    const apart_status status =
        ap_executor_for(&world->executor, world->threads, count, POSE_GRAIN, check_poses, &batch);
    if (status != APART_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        if (batch.checks[i].status != APART_OK) {
            return batch.checks[i].status;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ap_body *body = ap_world_slot(world, ids[i].slot);
        /* The steps were computed from the poses before the call; for a body that occurs twice, the second step
         * starts elsewhere. */
        const pose_check *check = &batch.checks[i];
        const double step = body->seen ? ap_motion_bound(body, &poses[i], check->defect) : check->step;
        body->seen = 1;
        apply_pose(world, ids[i].slot, &poses[i], check->defect, step);
    }
    for (size_t i = 0; i < count; i++) {
        ap_world_slot(world, ids[i].slot)->seen = 0;
    }
    return APART_OK;
}
