/* From bodies to contacts: near pairs by apart_world, their points by apart_contact, last step's impulses by the
 * points' ids.
 *
 * Bodies rest a hair's breadth apart: a contact aims at a distance of `skin`, a thousandth of the thinner body's half
 * thickness, not at 0. There the distance query is at its cheapest, since no penetration depth is needed, and rounding
 * does not decide between gap and overlap. Points that are apart but may meet within the step are contacts too: the
 * solver lets them close their gap and no more. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Points of one feature that moved by less than this share of a body's radius are the same point under another name. */
#define SAME_POINT 0.02

/* A body that goes farther than this share of its thickness is stopped by times of impact (step.c), not by points seen
 * in advance. */
#define FAR 0.5

static double pair_skin(const body *a, const body *b) { return SKIN * smaller(a->width, b->width); }

/* ---- near pairs ---- */

/* Infinite if the square overflows, and with it the kinetic energy. */
static double speed_of(apart_vec3 velocity) { return sqrt(apart_vec3_dot(velocity, velocity)); }

double sim_measure_speeds(sim *s)
{
    double most = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        body *b = &s->bodies[i];
        b->speed = b->fixed ? 0.0 : speed_of(b->velocity) + speed_of(b->angular_velocity) * b->radius;
        most = larger(most, b->speed);
    }
    return most;
}

/* How far a body can come. An impact makes any body as fast as the fastest one, and its corners faster still; but what
 * goes far compared with its thickness is stopped by times of impact. */
static double farthest_of(const body *b, double path) { return b->fixed ? 0.0 : smaller(2.0 * path, FAR * b->width); }

/* A distance below which all contacts lie: a power of two, since the world searches near pairs anew when the distance
 * grows. */
static double find_margin(const sim *s, double path)
{
    double reach = 0.0, skin = 0.0;
    int exponent;
    for (size_t i = 0; i < s->count; i++) {
        const body *b = &s->bodies[i];
        reach = larger(reach, farthest_of(b, path));
        skin = larger(skin, b->fixed ? 0.0 : SKIN * b->width);
    }
    frexp(2.0 * (reach + skin), &exponent);
    return ldexp(1.0, exponent);
}

static apart_status move_bodies(sim *s)
{
    apart_status status = APART_OK;
    for (size_t i = 0; i < s->count && status == APART_OK; i++) {
        status = s->bodies[i].fixed ? APART_OK : apart_world_move(s->world, s->bodies[i].id, &s->bodies[i].pose);
    }
    return status;
}

/* All pairs below the distance; the room for them grows as needed, and is always enough for all bodies (step.c). */
static apart_status ask_world(sim *s, double distance, apart_world_list *list)
{
    size_t needed = s->count + 1;
    for (;;) {
        apart_world_pair *pairs = sim_grown(s->pairs, &s->pair_room, needed, sizeof *pairs);
        if (pairs == NULL) {
            return APART_ERR_MEMORY;
        }
        s->pairs = pairs;
        *list =
            (apart_world_list){.pairs = pairs, .capacity = s->pair_room, .tolerance = 0.0, .depth = APART_DEPTH_EXACT};
        const apart_status status = apart_world_below(s->world, distance, list);
        needed = list->total;
        if (status != APART_OK || needed <= s->pair_room) {
            return status;
        }
    }
}

static int by_bodies(const void *x, const void *y)
{
    const apart_world_pair *p = x, *q = y;
    const uint64_t a = (uint64_t)p->a.slot << 32 | p->b.slot, b = (uint64_t)q->a.slot << 32 | q->b.slot;
    return a < b ? -1 : a > b ? 1 : 0;
}

/* ---- points ---- */

/* Two directions across the normal. */
static void find_tangents(contact *c)
{
    const apart_vec3 n = c->normal;
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const apart_vec3 other = x <= y && x <= z ? (apart_vec3){1, 0, 0}
                             : y <= z         ? (apart_vec3){0, 1, 0}
                                              : (apart_vec3){0, 0, 1};
    const apart_vec3 t = apart_vec3_cross(n, other);
    c->tangent[0] = apart_vec3_scale(1.0 / apart_vec3_norm(t), t);
    c->tangent[1] = apart_vec3_cross(n, c->tangent[0]);
}

static const char *add_manifold(sim *s, uint32_t ia, uint32_t ib, uint32_t part_a, uint32_t part_b,
                                const apart_manifold *m)
{
    const body *a = &s->bodies[ia], *b = &s->bodies[ib];
    contact *items = sim_grown(s->now.items, &s->now.room, s->now.count + 1, sizeof *items);
    if (items == NULL) {
        return NO_MEMORY;
    }
    s->now.items = items;
    contact *c = &items[s->now.count++];
    *c = (contact){.a = ia,
                   .b = ib,
                   .part_a = part_a,
                   .part_b = part_b,
                   .normal = m->normal,
                   .count = m->count,
                   .skin = pair_skin(a, b)};
    c->friction = sqrt(a->friction * b->friction);
    c->restitution = larger(a->restitution, b->restitution);
    find_tangents(c);
    for (uint32_t i = 0; i < m->count; i++) {
        const apart_contact_point *from = &m->points[i];
        const apart_vec3 at = apart_vec3_scale(0.5, apart_vec3_add(from->a, from->b));
        c->points[i] = (point){.id = from->id,
                               .distance = from->distance,
                               .gap = from->distance - c->skin,
                               .on_a = from->a,
                               .on_b = from->b};
        c->points[i].arm_a = apart_vec3_sub(at, a->position);
        c->points[i].arm_b = apart_vec3_sub(at, b->position);
        const double depth = -from->distance, size = 2.0 * smaller(a->radius, b->radius);
        s->deepest = larger(s->deepest, depth);
        s->deepest_share = larger(s->deepest_share, depth / size);
    }
    return NULL;
}

/* The pairs of parts of two bodies. */
static const char *add_parts(sim *s, uint32_t ia, uint32_t ib, const apart_contact_options *options)
{
    const body *a = &s->bodies[ia], *b = &s->bodies[ib];
    const char *wrong = NULL;
    for (size_t i = 0; i < a->part_count; i++) {
        const apart_pose pose_a = apart_pose_compose(&a->pose, &a->parts[i].pose);
        for (size_t k = 0; k < b->part_count && wrong == NULL; k++) {
            const apart_pose pose_b = apart_pose_compose(&b->pose, &b->parts[k].pose);
            apart_manifold m;
            wrong =
                sim_wrong(apart_contact(&a->parts[i].shape, &pose_a, &b->parts[k].shape, &pose_b, options, NULL, &m));
            if (wrong == NULL && m.count > 0) {
                wrong = add_manifold(s, ia, ib, (uint32_t)i, (uint32_t)k, &m);
            }
        }
    }
    return wrong;
}

static const char *add_pair(sim *s, const apart_world_pair *pair, double path)
{
    const uint32_t ia = pair->a.slot, ib = pair->b.slot;
    const body *a = &s->bodies[ia], *b = &s->bodies[ib];
    const apart_contact_options options = {.margin =
                                               farthest_of(a, path) + farthest_of(b, path) + 2.0 * pair_skin(a, b),
                                           .max_points = POINTS};
    if (pair->distance > options.margin) {
        return NULL;
    }
    if (a->compound != NULL || b->compound != NULL) {
        return add_parts(s, ia, ib, &options);
    }
    const apart_result result = {.distance = pair->distance,
                                 .a = pair->point_a,
                                 .b = pair->point_b,
                                 .normal = pair->normal};
    apart_manifold m;
    const char *wrong = sim_wrong(
        apart_contact_from_result(&a->parts[0].shape, &a->pose, &b->parts[0].shape, &b->pose, &result, &options, &m));
    return wrong == NULL && m.count > 0 ? add_manifold(s, ia, ib, 0, 0, &m) : wrong;
}

/* ---- impulses of the last step ---- */

static bool comes_before(const contact *x, const contact *y)
{
    const uint64_t p = (uint64_t)x->a << 32 | x->b, q = (uint64_t)y->a << 32 | y->b;
    return p != q ? p < q : x->part_a != y->part_a ? x->part_a < y->part_a : x->part_b < y->part_b;
}

/* The old point with the same id, or else the nearest one, if it is near. */
static const point *find_point(const contact *old, const point *p, double size)
{
    const point *best = NULL;
    double nearest = SAME_POINT * size;
    for (uint32_t i = 0; i < old->count; i++) {
        const double path = apart_vec3_distance(old->points[i].arm_a, p->arm_a);
        if (old->points[i].id == p->id) {
            return &old->points[i];
        }
        if (path < nearest) {
            nearest = path;
            best = &old->points[i];
        }
    }
    return best;
}

static void take_impulses(const contact *old, contact *c, double size, bool first, double longer)
{
    for (uint32_t i = 0; i < c->count; i++) {
        point *p = &c->points[i];
        const point *from = find_point(old, p, size);
        if (from == NULL) {
            continue;
        }
        if (first) {
            p->impulse = longer * from->total;
            p->tangent_impulse[0] = longer * apart_vec3_dot(from->total_tangent, c->tangent[0]);
            p->tangent_impulse[1] = longer * apart_vec3_dot(from->total_tangent, c->tangent[1]);
        } else {
            p->total = from->total;
            p->total_tangent = from->total_tangent;
        }
    }
}

/* Both lists are in the same order. */
static void carry_over(sim *s, bool first)
{
    size_t old = 0;
    const double longer = s->length_before > 0.0 ? s->length / s->length_before : 1.0; /* impulses are as the time */
    for (size_t i = 0; i < s->now.count; i++) {
        contact *c = &s->now.items[i];
        while (old < s->last.count && comes_before(&s->last.items[old], c)) {
            old++;
        }
        if (old < s->last.count && !comes_before(c, &s->last.items[old])) {
            take_impulses(&s->last.items[old], c, smaller(s->bodies[c->a].radius, s->bodies[c->b].radius), first,
                          longer);
        }
    }
}

const char *sim_find_contacts(sim *s, double time, bool first)
{
    const double path = time * sim_measure_speeds(s);
    apart_world_list list;
    apart_status status = move_bodies(s);
    status = status == APART_OK ? ask_world(s, find_margin(s, path), &list) : status;
    if (status != APART_OK) {
        return apart_status_message(status);
    }
    qsort(s->pairs, list.count, sizeof *s->pairs, by_bodies);
    const contact_list before = s->now;
    s->now = s->last;
    s->now.count = 0;
    s->last = before;
    for (size_t i = 0; i < list.count; i++) {
        const char *wrong = add_pair(s, &s->pairs[i], path);
        if (wrong != NULL) {
            return wrong;
        }
    }
    carry_over(s, first);
    return NULL;
}
