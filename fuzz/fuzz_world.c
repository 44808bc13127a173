/* A world that changes as the bytes say: pairs below a distance and the nearest pairs, against asking all pairs. */
#include <float.h>

#include <apart/world.h>

#include "fuzz_bodies.h"

enum { MOST_BODIES = 10, MOST_STEPS = 40, MOST_PAIRS = MOST_BODIES * MOST_BODIES };

typedef struct body {
    apart_body_id id;
    apart_body_def def;
    apart_shape shape;
    int there;
} body;

typedef struct model {
    apart_world *world;
    body bodies[MOST_BODIES];
    uint8_t disabled[MOST_BODIES][MOST_BODIES];
} model;

static int is_a_pair(const model *m, size_t i, size_t k)
{
    const body *a = &m->bodies[i], *b = &m->bodies[k];
    return a->there && b->there && !m->disabled[i][k] &&
           ((a->def.groups & b->def.ignores) | (b->def.groups & a->def.ignores)) == 0;
}

static double size_of(const body *b)
{
    return b->shape.bound + b->shape.radius + length_of(b->shape.center) + length_of(b->def.pose.translation);
}

static const apart_world_pair *find(const apart_world_list *list, const body *a, const body *b)
{
    for (size_t i = 0; i < list->count; i++) {
        const apart_world_pair *p = &list->pairs[i];
        if ((p->user_a == a->def.user && p->user_b == b->def.user) ||
            (p->user_a == b->def.user && p->user_b == a->def.user))
            return p;
    }
    return NULL;
}

/* Every pair of the list is a pair as near as that, and none is missing. */
static void check_below(model *m, double distance)
{
    apart_world_pair pairs[MOST_PAIRS];
    apart_world_list list = {.pairs = pairs, .capacity = MOST_PAIRS};
    if (apart_world_below(m->world, distance, &list) != APART_OK)
        return;
    size_t seen = 0;
    check(list.complete == 1 && list.count == list.total, "there is room for all pairs");
    for (size_t i = 0; i < MOST_BODIES; i++) {
        for (size_t k = i + 1; k < MOST_BODIES; k++) {
            const body *a = &m->bodies[i], *b = &m->bodies[k];
            const apart_world_pair *found = a->there && b->there ? find(&list, a, b) : NULL;
            seen += found != NULL;
            check(found == NULL || is_a_pair(m, i, k), "what the list has is a pair");
            apart_result r;
            if (!is_a_pair(m, i, k) ||
                apart_distance(&a->shape, &a->def.pose, &b->shape, &b->def.pose, NULL, NULL, &r) != APART_OK)
                continue;
            const double noise = 1024.0 * DBL_EPSILON * (size_of(a) + size_of(b));
            check(found != NULL || r.upper >= distance - noise, "no pair is missing");
            check(found == NULL || r.lower <= distance + noise, "no pair is too far");
            check(found == NULL || (found->lower <= r.upper + noise && r.lower <= found->upper + noise),
                  "its bounds are those of the pair asked alone");
        }
    }
    check(seen == list.count, "every pair is there once");
}

/* The nearest pair of all: none is nearer. */
static void check_nearest(model *m)
{
    apart_world_pair nearest;
    apart_world_list list = {.pairs = &nearest, .capacity = 1};
    if (apart_world_nearest(m->world, 0, &list) != APART_OK)
        return;
    for (size_t i = 0; i < MOST_BODIES; i++) {
        for (size_t k = i + 1; k < MOST_BODIES; k++) {
            const body *a = &m->bodies[i], *b = &m->bodies[k];
            apart_result r;
            if (!is_a_pair(m, i, k) ||
                apart_distance(&a->shape, &a->def.pose, &b->shape, &b->def.pose, NULL, NULL, &r) != APART_OK)
                continue;
            check(list.count == 1, "where there are pairs one is the nearest");
            check(nearest.lower <= r.upper + 1024.0 * DBL_EPSILON * (size_of(a) + size_of(b)), "no pair is nearer");
        }
    }
}

static void add(model *m, bytes *in, uint64_t number)
{
    body *b = &m->bodies[number];
    if (b->there) {
        check(apart_world_remove(m->world, b->id) == APART_OK, "a body can be removed");
        check(apart_world_move(m->world, b->id, &b->def.pose) == APART_ERR_ID, "its handle is no longer valid");
        memset(m->disabled[number], 0, MOST_BODIES);
        for (size_t i = 0; i < MOST_BODIES; i++)
            m->disabled[i][number] = 0;
        b->there = 0;
        return;
    }
    b->shape = take_shape(in, 3);
    b->def = (apart_body_def){.solid = apart_solid_shape(&b->shape), .pose = take_pose(in, 3), .user = number + 1};
    b->there = apart_world_add(m->world, &b->def, &b->id) == APART_OK;
}

static void step(model *m, bytes *in)
{
    const uint8_t kind = take_byte(in) % 8, number = take_byte(in) % MOST_BODIES, other = take_byte(in) % MOST_BODIES;
    body *b = &m->bodies[number];
    if (kind < 2) {
        add(m, in, number);
    } else if (kind < 4 && b->there) {
        const apart_pose pose = take_pose(in, 3);
        if (apart_world_move(m->world, b->id, &pose) == APART_OK)
            b->def.pose = pose;
    } else if (kind == 4 && b->there) {
        const uint32_t groups = take_byte(in), ignores = take_byte(in) & take_byte(in) & take_byte(in);
        check(apart_world_set_filter(m->world, b->id, groups, ignores) == APART_OK, "a filter can be set");
        b->def.groups = groups;
        b->def.ignores = ignores;
    } else if (kind == 5 && b->there && m->bodies[other].there && number != other) {
        const int disabled = take_byte(in) % 2;
        check(apart_world_disable_pair(m->world, b->id, m->bodies[other].id, disabled) == APART_OK,
              "a pair can be disabled");
        m->disabled[number][other] = m->disabled[other][number] = (uint8_t)disabled;
    } else if (kind == 6) {
        check_below(m, take_number(in));
    } else if (kind == 7) {
        check_nearest(m);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, size};
    model m;
    memset(&m, 0, sizeof m);
    if (apart_world_create(NULL, &m.world) != APART_OK)
        return 0;
    for (int i = 0; i < MOST_STEPS && in.size > 0; i++)
        step(&m, &in);
    check_below(&m, 1.0);
    apart_world_free(m.world);
    return 0;
}
