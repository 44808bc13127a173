/* Contact manifolds of all near pairs, part by part, and which pairs have come together or parted. */
#include "../base/executor.h"
#include "world.h"

/* A margin of 0 stands for this share of the largest body. */
#define DEFAULT_MARGIN 1e-6

/* ---- the near pairs ---- */

apart_status ap_world_near_pairs(apart_world *world, double distance, double tolerance)
{
    apart_world_list list = {.tolerance = ap_max(tolerance, 0.0)};
    do {
        if (!ap_array_reserve(&world->near, &world->allocator, list.total)) {
            return APART_ERR_MEMORY;
        }
        list.pairs = world->near.room > 0 ? world->near.items : NULL;
        list.capacity = world->near.room;
        /* Not complete, as without a list of near pairs when the room was used up: how many more there are is unknown. */
        const apart_status status =
            tolerance < 0.0 ? apart_world_overlaps(world, &list) : apart_world_below(world, distance, &list);
        if (status != APART_OK) {
            return status;
        }
        list.total = list.complete ? list.total : 2 * list.total + 64;
    } while (list.total > list.count);
    world->near.count = list.count;
    return APART_OK;
}

/* ---- contacts ---- */

typedef struct contact_search {
    apart_world *world;
    const apart_contact_options *options;
    apart_world_contact_list *list;
    const apart_world_pair *pair; /* of bodies */
} contact_search;

/* A part of a body, where it is in the world, and its user data. */
typedef struct body_part {
    apart_shape shape;
    apart_pose pose;
    uint64_t user;
} body_part;

static void get_part(const ap_body *body, uint32_t number, body_part *out)
{
    out->pose = body->pose;
    out->user = 0;
    if (body->mesh != NULL) {
        uint32_t corners[3];
        apart_mesh_triangle(body->mesh, number, corners);
        out->shape =
            apart_triangle(apart_mesh_vertex(body->mesh, corners[0]), apart_mesh_vertex(body->mesh, corners[1]),
                           apart_mesh_vertex(body->mesh, corners[2]));
    } else if (body->compound != NULL) {
        const apart_part *part = &body->compound->parts[number];
        out->shape = part->shape;
        out->pose = apart_pose_compose(&body->pose, &part->pose);
        out->user = body->compound->users[number];
    } else {
        out->shape = body->shape;
    }
}

/* The manifold of two parts of a pair of bodies; its count is 0 where they are as far apart as the margin, to rounding. */
static apart_status write_contact(const contact_search *s, const apart_world_pair *pair, const apart_part_pair *parts,
                                  apart_world_contact *out)
{
    const apart_result result = {.distance = parts->distance,
                                 .lower = parts->lower,
                                 .upper = parts->upper,
                                 .a = parts->point_a,
                                 .b = parts->point_b,
                                 .normal = parts->normal,
                                 .relation = (uint8_t)parts->relation};
    body_part a, b;
    *out = (apart_world_contact){.a = pair->a,
                                 .b = pair->b,
                                 .user_a = pair->user_a,
                                 .user_b = pair->user_b,
                                 .part_a = parts->part_a,
                                 .part_b = parts->part_b};
    get_part(ap_world_slot(s->world, pair->a.slot), parts->part_a, &a);
    get_part(ap_world_slot(s->world, pair->b.slot), parts->part_b, &b);
    out->part_user_a = a.user;
    out->part_user_b = b.user;
    return apart_contact_from_result(&a.shape, &a.pose, &b.shape, &b.pose, &result, s->options, &out->manifold);
}

static apart_status add_contact(contact_search *s, const apart_part_pair *parts)
{
    apart_world_contact contact;
    const apart_status status = write_contact(s, s->pair, parts, &contact);
    if (status != APART_OK || contact.manifold.count == 0) {
        return status;
    }
    s->list->total++;
    if (s->list->contacts != NULL && s->list->count < s->list->capacity) {
        s->list->contacts[s->list->count++] = contact;
    }
    return APART_OK;
}

/* Two bodies without further parts, as a pair of parts. */
static apart_part_pair only_parts(const apart_world_pair *p)
{
    return (apart_part_pair){.distance = p->distance,
                             .lower = p->lower,
                             .upper = p->upper,
                             .point_a = p->point_a,
                             .point_b = p->point_b,
                             .normal = p->normal,
                             .relation = p->relation};
}

/* All near pairs of parts of two bodies, in world->parts. */
static apart_status list_parts(contact_search *s, const ap_body *x, const ap_body *y)
{
    apart_world *world = s->world;
    apart_part_list list = {.tolerance = s->options->tolerance};
    do {
        if (!ap_array_reserve(&world->parts, &world->allocator, list.total)) {
            return APART_ERR_MEMORY;
        }
        list.pairs = world->parts.items;
        list.capacity = world->parts.room;
        const apart_status status =
            apart_compound_below(ap_body_solid(x), &x->pose, ap_body_solid(y), &y->pose, s->options->margin, &list);
        if (status != APART_OK) {
            return status;
        }
    } while (list.total > list.count);
    world->parts.count = list.count;
    return APART_OK;
}

static bool is_of_one_part(const ap_body *body) { return !ap_has_more_parts(body->compound) && body->mesh == NULL; }

static bool is_simple(const contact_search *s, const apart_world_pair *p)
{
    return is_of_one_part(ap_world_slot(s->world, p->a.slot)) && is_of_one_part(ap_world_slot(s->world, p->b.slot));
}

static apart_status add_contacts_of_pair(contact_search *s)
{
    const apart_world_pair *p = s->pair;
    if (is_simple(s, p)) {
        const apart_part_pair only = only_parts(p);
        return add_contact(s, &only);
    }
    apart_status status = list_parts(s, ap_world_slot(s->world, p->a.slot), ap_world_slot(s->world, p->b.slot));
    const apart_part_pair *parts = s->world->parts.items;
    for (size_t i = 0; i < s->world->parts.count && status == APART_OK; i++) {
        status = add_contact(s, &parts[i]);
    }
    return status;
}

/* ---- pairs of bodies without parts, on the world's threads ---- */

#define CONTACT_GRAIN 8
#define FAILED UINT32_MAX /* in place of the number of points */

/* Consecutive pairs, each with its own place in the list. */
typedef struct contact_run {
    const contact_search *search;
    const apart_world_pair *pairs;
    apart_world_contact *contacts;
} contact_run;

static void write_contacts(void *context, size_t first, size_t end)
{
    const contact_run *run = context;
    for (size_t i = first; i < end; i++) {
        const apart_part_pair only = only_parts(&run->pairs[i]);
        if (write_contact(run->search, &run->pairs[i], &only, &run->contacts[i]) != APART_OK) {
            run->contacts[i].manifold.count = FAILED;
        }
    }
}

/* How many of the next pairs have no parts and a place in the list, whether or not they turn out to be contacts. */
static size_t count_run(const contact_search *s, const apart_world_pair *pairs, size_t count)
{
    const size_t room = s->list->contacts != NULL ? s->list->capacity - s->list->count : 0;
    size_t n = 0;
    while (n < count && n < room && is_simple(s, &pairs[n])) {
        n++;
    }
    return n;
}

/* Writes the contacts of a run, and closes up the places of those that are none. One that failed is asked again for its
 * status. */
static apart_status add_run(contact_search *s, const apart_world_pair *pairs, size_t count)
{
    apart_world_contact *const contacts = s->list->contacts + s->list->count;
    contact_run run = {s, pairs, contacts};
    const apart_world *world = s->world;
    apart_status status = ap_executor_for(&world->executor, world->threads, count, CONTACT_GRAIN, write_contacts, &run);
    size_t kept = 0;
    for (size_t i = 0; i < count && status == APART_OK; i++) {
        if (contacts[i].manifold.count == FAILED) {
            const apart_part_pair only = only_parts(&pairs[i]);
            status = write_contact(s, &pairs[i], &only, &contacts[i]);
        } else if (contacts[i].manifold.count > 0) {
            if (kept != i) {
                contacts[kept] = contacts[i];
            }
            kept++;
        }
    }
    s->list->count += kept;
    s->list->total += kept;
    return status;
}

static apart_status add_all_contacts(contact_search *s, const apart_world_pair *pairs, size_t count)
{
    apart_status status = APART_OK;
    for (size_t i = 0; i < count && status == APART_OK;) {
        const size_t n = count_run(s, pairs + i, count - i);
        s->pair = &pairs[i];
        status = n > 1 ? add_run(s, pairs + i, n) : add_contacts_of_pair(s);
        i += n > 1 ? n : 1;
    }
    return status;
}

static double default_margin(const apart_world *world)
{
    double largest = 0.0;
    for (size_t slot = 0; slot < world->bodies.count; slot++) {
        const ap_body *body = ap_world_slot(world, slot);
        const bool counts = body->state == AP_BODY_ALIVE && body->radius < INFINITY;
        largest = counts ? ap_max(largest, body->radius) : largest;
    }
    return ap_max(DEFAULT_MARGIN * largest, DBL_MIN);
}

apart_status apart_world_contacts(apart_world *world, const apart_contact_options *options,
                                  apart_world_contact_list *list)
{
    apart_contact_options used = options != NULL ? *options : (apart_contact_options){.margin = 0.0};
    if (world == NULL || list == NULL) {
        return APART_ERR_NULL;
    }
    list->count = list->total = 0;
    if (!(used.margin >= 0.0 && used.margin < INFINITY && used.tolerance >= 0.0 && used.tolerance < INFINITY) ||
        used.max_points > APART_MAX_CONTACTS || used.depth_cache != NULL) {
        return APART_ERR_OPTION;
    }
    used.margin = used.margin > 0.0 ? used.margin : default_margin(world);
    apart_status status = ap_world_near_pairs(world, used.margin, used.tolerance);
    contact_search s = {.world = world, .options = &used, .list = list};
    status = status == APART_OK ? add_all_contacts(&s, world->near.items, world->near.count) : status;
    if (status != APART_OK) {
        list->count = list->total = 0;
    }
    return status;
}

/* ---- events ---- */

static int compare_ids(apart_body_id x, apart_body_id y)
{
    if (x.slot != y.slot) {
        return x.slot < y.slot ? -1 : 1;
    }
    return x.generation != y.generation ? (x.generation < y.generation ? -1 : 1) : 0;
}

static int compare_touches(const void *x, const void *y)
{
    const apart_world_touch *a = x, *b = y;
    const int first = compare_ids(a->a, b->a);
    return first != 0 ? first : compare_ids(a->b, b->b);
}

/* The pairs of bodies that are together now, sorted. */
static apart_status list_touching(apart_world *world, double margin)
{
    const apart_status status = ap_world_near_pairs(world, margin, margin > 0.0 ? 0.0 : -1.0);
    if (status != APART_OK) {
        return status;
    }
    const size_t count = world->near.count;
    if (!ap_array_reserve(&world->touching, &world->allocator, count)) {
        return APART_ERR_MEMORY;
    }
    const apart_world_pair *pairs = world->near.items;
    apart_world_touch *touching = world->touching.items;
    for (size_t i = 0; i < count; i++) {
        touching[i] = (apart_world_touch){pairs[i].a, pairs[i].b, pairs[i].user_a, pairs[i].user_b};
    }
    world->touching.count = count;
    if (count > 1) {
        qsort(touching, count, sizeof *touching, compare_touches);
    }
    return APART_OK;
}

/* The pairs of the first list that are not in the second, as many as there is room for; how many there are. */
static size_t list_missing(const ap_array *first, const ap_array *second, apart_world_touch *out, size_t capacity)
{
    const apart_world_touch *x = first->items, *y = second->items;
    size_t count = 0, k = 0;
    for (size_t i = 0; i < first->count; i++) {
        while (k < second->count && compare_touches(&y[k], &x[i]) < 0) {
            k++;
        }
        if (k < second->count && compare_touches(&y[k], &x[i]) == 0) {
            continue;
        }
        if (count < capacity) {
            out[count] = x[i];
        }
        count++;
    }
    return count;
}

apart_status apart_world_events(apart_world *world, double margin, apart_world_event_list *events)
{
    if (world == NULL || events == NULL || (events->begin == NULL && events->begin_capacity > 0) ||
        (events->end == NULL && events->end_capacity > 0)) {
        return APART_ERR_NULL;
    }
    events->begin_count = events->end_count = 0;
    if (!(margin >= 0.0 && margin < INFINITY)) {
        return APART_ERR_OPTION;
    }
    const apart_status status = list_touching(world, margin);
    if (status != APART_OK) {
        return status;
    }
    events->begin_count = list_missing(&world->touching, &world->together, events->begin, events->begin_capacity);
    events->end_count = list_missing(&world->together, &world->touching, events->end, events->end_capacity);
    if (events->begin_count > events->begin_capacity || events->end_count > events->end_capacity) {
        return APART_ERR_SIZE;
    }
    const ap_array before = world->together;
    world->together = world->touching;
    world->touching = before;
    return APART_OK;
}
