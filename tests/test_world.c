/* Worlds against brute force over all pairs, step by step, with bodies that come, go, move and jump; the same bits on
 * any number of threads; snapshots. What else a world promises: test_world_bodies.c.
 *
 * usage: test_world [SEED [BODIES STEPS | threads]]: with BODIES only the comparison, on a scene of that size; with
 * threads only their test. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "scenes.h"

/* Rounding of joined poses in scenes of size 100: pairs this near to a threshold may or may not count. */
#define ROUNDING 1e-12

/* The largest distance that is asked about. */
#define FAR 0.3

static uint64_t seed = 1;

/* ---- a world and what it should be ---- */

typedef struct body {
    bool alive;
    apart_body_id id;
    apart_solid solid;
    apart_pose pose;
    uint32_t groups, ignores;
    apart_vec3 center; /* of its bounding sphere, in the world */
    double radius;
} body;

enum { DISABLED_MAX = 64 };

typedef struct scene {
    random_source r;
    solid_pool pool;
    apart_world *world;
    body *bodies; /* by slot */
    size_t room, count;
    apart_shape floor;
    unsigned disabled[DISABLED_MAX][2]; /* slots */
    int disabled_count;
    double spread;
    apart_world_pair *found;
    size_t found_room;
} scene;

static void place(body *b, const apart_pose *pose)
{
    apart_vec3 center = {0, 0, 0};
    b->pose = *pose;
    b->radius = INFINITY;
    if (b->solid.compound != NULL || b->solid.shape->kind != APART_SHAPE_HALF_SPACE) {
        ck_assert_int_eq(apart_solid_ball(b->solid, &center, &b->radius), APART_OK);
    }
    b->center = apart_pose_apply(pose, center);
}

static void add_body(scene *s, apart_solid solid, const apart_pose *pose, uint32_t groups, uint32_t ignores)
{
    apart_body_id id;
    const apart_body_def def = {.solid = solid, .pose = *pose, .groups = groups, .ignores = ignores, .user = 7};
    ck_assert_int_eq(apart_world_add(s->world, &def, &id), APART_OK);
    ck_assert(id.slot < s->room && !s->bodies[id.slot].alive);
    s->bodies[id.slot] = (body){.alive = true, .id = id, .solid = solid, .groups = groups, .ignores = ignores};
    place(&s->bodies[id.slot], pose);
    s->count++;
}

static void add_random(scene *s)
{
    const apart_pose pose = scene_pose(&s->r, s->spread);
    const apart_solid solid = solid_pool_draw(&s->pool, &s->r, true);
    const bool special = random_below(&s->r, 5) == 0;
    const uint32_t groups = 1u << random_below(&s->r, 3), ignores = 1u << random_below(&s->r, 3);
    add_body(s, solid, &pose, special ? groups : 0, special ? ignores : 0);
}

static body *random_alive(scene *s)
{
    for (;;) {
        body *b = &s->bodies[random_below(&s->r, (unsigned)s->room)];
        if (b->alive) {
            return b;
        }
    }
}

static void forget_disabled(scene *s, unsigned slot)
{
    int kept = 0;
    for (int i = 0; i < s->disabled_count; i++) {
        if (s->disabled[i][0] != slot && s->disabled[i][1] != slot) {
            memcpy(s->disabled[kept++], s->disabled[i], sizeof s->disabled[i]);
        }
    }
    s->disabled_count = kept;
}

static void remove_random(scene *s)
{
    body *b = random_alive(s);
    const apart_body_id id = b->id;
    ck_assert_int_eq(apart_world_remove(s->world, id), APART_OK);
    ck_assert_int_eq(apart_world_remove(s->world, id), APART_ERR_ID);
    forget_disabled(s, id.slot);
    b->alive = false;
    s->count--;
}

static void toggle_random_pair(scene *s)
{
    body *a = random_alive(s), *b = random_alive(s);
    if (a == b || s->disabled_count == DISABLED_MAX) {
        return;
    }
    for (int i = 0; i < s->disabled_count; i++) {
        const unsigned *d = s->disabled[i];
        if ((d[0] == a->id.slot && d[1] == b->id.slot) || (d[1] == a->id.slot && d[0] == b->id.slot)) {
            return;
        }
    }
    ck_assert_int_eq(apart_world_disable_pair(s->world, a->id, b->id, 1), APART_OK);
    s->disabled[s->disabled_count][0] = a->id.slot;
    s->disabled[s->disabled_count++][1] = b->id.slot;
    if (s->disabled_count > 8) {
        const unsigned *d = s->disabled[0];
        ck_assert_int_eq(apart_world_disable_pair(s->world, s->bodies[d[1]].id, s->bodies[d[0]].id, 0), APART_OK);
        memmove(s->disabled[0], s->disabled[1], (size_t)--s->disabled_count * sizeof s->disabled[0]);
    }
}

static void make_scene(scene *s, uint64_t from, size_t count, uint32_t threads, bool with_floor)
{
    const apart_world_options options = {.threads = threads};
    *s = (scene){.r = from, .room = 2 * count + 16};
    /* About four bodies in a cube of side 2.4: some overlap, most are near somebody. */
    s->spread = 0.75 * cbrt((double)count);
    solid_pool_make(&s->pool, &s->r);
    s->bodies = calloc(s->room, sizeof *s->bodies);
    s->found_room = 64 * s->room + 1000;
    s->found = calloc(s->found_room, sizeof *s->found);
    ck_assert_int_eq(apart_world_create(&options, &s->world), APART_OK);
    if (with_floor) {
        const apart_pose here = apart_pose_identity();
        s->floor = apart_half_space((apart_vec3){0.1, 0.2, 1.0}, -0.5 * s->spread);
        add_body(s, apart_solid_shape(&s->floor), &here, 0, 0);
    }
    for (size_t i = s->count; i < count; i++) {
        add_random(s);
    }
}

static void free_scene(scene *s)
{
    apart_world_free(s->world);
    solid_pool_free(&s->pool);
    free(s->bodies);
    free(s->found);
}

/* Small steps for most, now and then a jump, an arrival, a departure, another filter. */
static void step_scene(scene *s)
{
    for (size_t i = 0; i < s->room; i++) {
        body *b = &s->bodies[i];
        if (!b->alive || random_below(&s->r, 10) < 3) {
            continue;
        }
        apart_pose pose = scene_nudged(&b->pose, &s->r, 0.01, 0.02);
        if (b->radius == INFINITY) {
            pose = b->pose;
            pose.translation.z += random_between(&s->r, -0.01, 0.01);
        } else if (random_below(&s->r, 100) == 0) {
            pose = scene_pose(&s->r, s->spread);
        }
        ck_assert_int_eq(apart_world_move(s->world, b->id, &pose), APART_OK);
        place(b, &pose);
    }
    if (random_below(&s->r, 3) == 0 && s->count + 1 < s->room) {
        add_random(s);
    }
    if (random_below(&s->r, 3) == 0 && s->count > 4) {
        remove_random(s);
    }
    toggle_random_pair(s);
    if (random_below(&s->r, 4) == 0) {
        body *b = random_alive(s);
        b->groups = random_below(&s->r, 4);
        b->ignores = random_below(&s->r, 4);
        ck_assert_int_eq(apart_world_set_filter(s->world, b->id, b->groups, b->ignores), APART_OK);
    }
}

/* ---- brute force ---- */

static bool may_meet(const scene *s, size_t i, size_t k)
{
    const body *a = &s->bodies[i], *b = &s->bodies[k];
    if (!a->alive || !b->alive || (a->groups & b->ignores) != 0 || (b->groups & a->ignores) != 0) {
        return false;
    }
    for (int d = 0; d < s->disabled_count; d++) {
        const unsigned *pair = s->disabled[d];
        if ((pair[0] == i && pair[1] == k) || (pair[0] == k && pair[1] == i)) {
            return false;
        }
    }
    return true;
}

static double ball_gap(const body *a, const body *b)
{
    if (a->radius == INFINITY || b->radius == INFINITY) {
        return -INFINITY;
    }
    const double x = a->center.x - b->center.x, y = a->center.y - b->center.y, z = a->center.z - b->center.z;
    return sqrt(x * x + y * y + z * z) - a->radius - b->radius - 1e-9;
}

typedef struct near_pair {
    uint32_t a, b;
    double lower, upper;
} near_pair;

typedef struct truth {
    near_pair *pairs;
    size_t count, room;
} truth;

/* All pairs that may meet and are nearer than the limit, as far as bounding spheres and bounds decide. */
static void ask_all(const scene *s, double limit, truth *t)
{
    t->count = 0;
    for (size_t i = 0; i < s->room; i++) {
        for (size_t k = i + 1; k < s->room; k++) {
            const body *a = &s->bodies[i], *b = &s->bodies[k];
            if (!a->alive || !b->alive || ball_gap(a, b) >= limit || !may_meet(s, i, k)) {
                continue;
            }
            const brute_answer answer = brute_distance(a->solid, &a->pose, b->solid, &b->pose);
            if (answer.lower < limit) {
                if (t->count == t->room) {
                    t->room = 2 * t->room + 64;
                    t->pairs = realloc(t->pairs, t->room * sizeof *t->pairs);
                }
                t->pairs[t->count++] = (near_pair){(uint32_t)i, (uint32_t)k, answer.lower, answer.upper};
            }
        }
    }
}

static int by_slots(const void *x, const void *y)
{
    const apart_world_pair *a = x, *b = y;
    const uint64_t p = (uint64_t)a->a.slot << 32 | a->b.slot, q = (uint64_t)b->a.slot << 32 | b->b.slot;
    return (p > q) - (p < q);
}

static int by_upper(const void *x, const void *y)
{
    const near_pair *a = x, *b = y;
    return (a->upper > b->upper) - (a->upper < b->upper);
}

/* The found pairs are those of the truth, but for those at the limit. */
static void compare(const scene *s, const truth *t, apart_world_list *list, double limit, bool exact, int step,
                    const char *what)
{
    ck_assert_int_eq(list->complete, 1);
    ck_assert_uint_eq(list->total, list->count);
    qsort(list->pairs, list->count, sizeof *list->pairs, by_slots);
    size_t k = 0;
    for (size_t i = 0; i < t->count; i++) {
        const near_pair *p = &t->pairs[i];
        if (p->lower >= limit + ROUNDING) {
            continue;
        }
        while (k < list->count &&
               (list->pairs[k].a.slot < p->a || (list->pairs[k].a.slot == p->a && list->pairs[k].b.slot < p->b))) {
            ck_abort_msg("step %d: %s: %u and %u are not near", step, what, list->pairs[k].a.slot,
                         list->pairs[k].b.slot);
        }
        const bool found = k < list->count && list->pairs[k].a.slot == p->a && list->pairs[k].b.slot == p->b;
        if (!found) {
            ck_assert_msg(p->upper >= limit - ROUNDING, "step %d: %s: %u and %u at %.17g are missing", step, what, p->a,
                          p->b, p->upper);
            continue;
        }
        const apart_world_pair *f = &list->pairs[k++];
        ck_assert_msg(p->lower < limit + ROUNDING, "step %d: %s: %u and %u at %.17g", step, what, p->a, p->b, p->lower);
        ck_assert_uint_eq(f->a.generation, s->bodies[p->a].id.generation);
        ck_assert_uint_eq(f->b.generation, s->bodies[p->b].id.generation);
        ck_assert_msg(f->lower <= p->upper + ROUNDING && p->lower <= f->upper + ROUNDING,
                      "step %d: %s: %u and %u: [%.17g, %.17g], truly [%.17g, %.17g]", step, what, p->a, p->b, f->lower,
                      f->upper, p->lower, p->upper);
        ck_assert(!exact || f->upper - f->lower <= p->upper - p->lower + ROUNDING);
    }
    ck_assert_msg(k == list->count, "step %d: %s: %u and %u are not near", step, what, list->pairs[k].a.slot,
                  list->pairs[k].b.slot);
}

static void check_below(scene *s, const truth *t, double limit, int step)
{
    apart_world_list list = {.pairs = s->found, .capacity = s->found_room};
    ck_assert_int_eq(apart_world_below(s->world, limit, &list), APART_OK);
    compare(s, t, &list, limit, true, step, "below");
}

static void check_overlaps(scene *s, const truth *t, int step)
{
    apart_world_list list = {.pairs = s->found, .capacity = s->found_room};
    ck_assert_int_eq(apart_world_overlaps(s->world, &list), APART_OK);
    compare(s, t, &list, 0.0, false, step, "overlaps");
}

/* The i-th nearest of brute force and of the world have the same distance. */
static void check_sorted(const apart_world_list *list, near_pair *pairs, size_t count, int step, const char *what)
{
    qsort(pairs, count, sizeof *pairs, by_upper);
    ck_assert_msg(list->count == (count < list->capacity ? count : list->capacity), "step %d: %s: %zu of %zu", step,
                  what, list->count, count);
    for (size_t i = 0; i < list->count; i++) {
        ck_assert_msg(list->pairs[i].lower <= pairs[i].upper + ROUNDING &&
                          pairs[i].lower <= list->pairs[i].upper + ROUNDING,
                      "step %d: %s: number %zu at %.17g, truly %.17g", step, what, i, list->pairs[i].distance,
                      pairs[i].upper);
        ck_assert(i == 0 || list->pairs[i - 1].distance <= list->pairs[i].distance);
    }
}

static void check_nearest(scene *s, truth *t, size_t k, int step)
{
    apart_world_list list = {.pairs = s->found, .capacity = k};
    ck_assert_int_eq(apart_world_nearest(s->world, 0, &list), APART_OK);
    ck_assert_int_eq(list.complete, 1);
    /* Far enough to hold k pairs, whatever the world says. */
    for (double limit = 2.0 * FAR; t->count < k && limit < 100.0 * s->spread; limit *= 2.0) {
        ask_all(s, limit, t);
    }
    check_sorted(&list, t->pairs, t->count, step, "nearest");
}

static void check_near(scene *s, truth *t, size_t k, int step)
{
    const bool inside = random_below(&s->r, 2) == 0;
    body *me = random_alive(s),
         outside = {.alive = true, .solid = solid_pool_draw(&s->pool, &s->r, true), .groups = 1, .ignores = 2};
    const apart_pose pose = scene_pose(&s->r, s->spread);
    const double within = random_below(&s->r, 2) == 0 ? 0.0 : 0.7;
    apart_probe probe = {.solid = outside.solid, .pose = pose, .groups = 1, .ignores = 2, .within = within};
    place(&outside, &pose);
    if (inside) {
        probe.body = me->id;
    } else {
        me = &outside;
    }
    apart_world_list list = {.pairs = s->found, .capacity = k};
    ck_assert_int_eq(apart_world_near(s->world, &probe, &list), APART_OK);
    t->count = 0;
    for (size_t i = 0; i < s->room; i++) {
        body *b = &s->bodies[i];
        const bool admitted = inside ? b != me && may_meet(s, (size_t)(me - s->bodies), i) &&
                                           !(b->radius == INFINITY && me->radius == INFINITY)
                                     : b->alive && (me->groups & b->ignores) == 0 && (b->groups & me->ignores) == 0;
        if (!admitted) {
            continue;
        }
        const brute_answer answer = brute_distance(me->solid, &me->pose, b->solid, &b->pose);
        if (within == 0.0 || answer.distance < within) {
            if (t->count == t->room) {
                t->room = 2 * t->room + 64;
                t->pairs = realloc(t->pairs, t->room * sizeof *t->pairs);
            }
            t->pairs[t->count++] = (near_pair){0, (uint32_t)i, answer.lower, answer.upper};
        }
    }
    check_sorted(&list, t->pairs, t->count, step, inside ? "near a body" : "near a solid");
}

/* The first body on a ray, whoever it is. */
static void check_ray(scene *s, int step)
{
    const apart_vec3 d = random_in_ball(&s->r);
    const apart_ray ray = {scene_pose(&s->r, s->spread).translation, d, random_below(&s->r, 3) == 0 ? 2.0 : INFINITY};
    const uint32_t ignores = random_below(&s->r, 4);
    apart_world_ray_hit hit;
    double nearest = INFINITY;
    ck_assert_int_eq(apart_world_raycast(s->world, &ray, ignores, &hit), APART_OK);
    for (size_t i = 0; i < s->room; i++) {
        const body *b = &s->bodies[i];
        for (size_t k = 0; b->alive && (b->groups & ignores) == 0 && k < solid_parts(b->solid); k++) {
            apart_pose at;
            apart_ray_hit one;
            const apart_shape *shape = solid_part(b->solid, k, &b->pose, &at);
            ck_assert_int_eq(apart_raycast(&ray, shape, &at, NULL, &one), APART_OK);
            nearest = one.hit && one.distance < nearest ? one.distance : nearest;
        }
    }
    ck_assert_msg(hit.hit.hit == (nearest < INFINITY), "step %d: a ray hits %d, truly at %g", step, hit.hit.hit,
                  nearest);
    ck_assert_msg(!hit.hit.hit || fabs(hit.hit.distance - nearest) < 1e-11, "step %d: a ray at %.17g, truly %.17g",
                  step, hit.hit.distance, nearest);
    ck_assert(!hit.hit.hit ||
              (s->bodies[hit.body.slot].alive && hit.body.generation == s->bodies[hit.body.slot].id.generation));
}

static void run_comparison(uint64_t from, size_t bodies, int steps, bool with_floor)
{
    scene s;
    truth t = {NULL, 0, 0};
    apart_world_stats stats;
    make_scene(&s, from, bodies, 0, with_floor);
    for (int step = 0; step < steps; step++) {
        ask_all(&s, FAR, &t);
        check_below(&s, &t, step % 20 == 19 ? FAR : 0.1, step);
        check_overlaps(&s, &t, step);
        if (step % 3 == 0) {
            check_nearest(&s, &t, step % 2 == 0 ? 1 : 5, step);
        }
        if (step % 2 == 0) {
            check_near(&s, &t, 4, step);
        }
        check_ray(&s, step);
        step_scene(&s);
        check_ray(&s, step);
        if (step % 2 == 1) {
            check_near(&s, &t, 4, step); /* before the update */
        }
    }
    ck_assert_int_eq(apart_world_get_stats(s.world, &stats), APART_OK);
    printf("%zu bodies, %d steps: %llu pairs, %llu queries, %llu saved, %llu reused, %llu refits, height %llu\n",
           bodies, steps, (unsigned long long)stats.pairs, (unsigned long long)stats.queries,
           (unsigned long long)stats.saved, (unsigned long long)stats.reused, (unsigned long long)stats.refits,
           (unsigned long long)stats.height);
    fflush(stdout);
    ck_assert(stats.saved > 0 && stats.bodies == s.count);
    free(t.pairs);
    free_scene(&s);
}

START_TEST(ten_bodies)
{
    for (uint64_t k = 0; k < 10; k++) {
        run_comparison(seed + k, 10, 200, k % 2 == 0);
    }
}
END_TEST

START_TEST(hundred_bodies)
{
    run_comparison(seed + 20, 100, 200, true);
    run_comparison(seed + 21, 100, 200, false);
}
END_TEST

/* ---- the same bits ---- */

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

static uint64_t hash_list(uint64_t hash, const apart_world_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const apart_world_pair *p = &list->pairs[i];
        const double numbers[] = {p->distance,  p->lower,     p->upper,     p->point_a.x, p->point_a.y, p->point_a.z,
                                  p->point_b.x, p->point_b.y, p->point_b.z, p->normal.x,  p->normal.y,  p->normal.z};
        const uint32_t ids[] = {p->a.slot, p->a.generation, p->b.slot,  p->b.generation,
                                p->part_a, p->part_b,       p->relation};
        hash = hash_bytes(hash_bytes(hash, numbers, sizeof numbers), ids, sizeof ids);
    }
    return hash;
}

/* Everything a world answers in one step. */
static uint64_t hash_answers(scene *s, uint64_t hash)
{
    apart_world_list list = {.pairs = s->found, .capacity = s->found_room};
    ck_assert_int_eq(apart_world_below(s->world, 0.1, &list), APART_OK);
    hash = hash_list(hash, &list);
    ck_assert_int_eq(apart_world_overlaps(s->world, &list), APART_OK);
    hash = hash_list(hash, &list);
    list.capacity = 7;
    ck_assert_int_eq(apart_world_nearest(s->world, 0, &list), APART_OK);
    hash = hash_list(hash, &list);
    enum { PROBES = 20, K = 3 };
    apart_probe probes[PROBES] = {{.within = 0.0}};
    apart_world_list lists[PROBES];
    for (int i = 0; i < PROBES; i++) {
        probes[i].body = random_alive(s)->id;
        lists[i] = (apart_world_list){.pairs = s->found + K * i, .capacity = K};
    }
    ck_assert_int_eq(apart_world_near_many(s->world, probes, PROBES, lists), APART_OK);
    for (int i = 0; i < PROBES; i++) {
        hash = hash_list(hash, &lists[i]);
    }
    apart_ray rays[PROBES];
    apart_world_ray_hit hits[PROBES];
    for (int i = 0; i < PROBES; i++) {
        const apart_vec3 from = scene_pose(&s->r, s->spread).translation;
        rays[i] = (apart_ray){from, random_in_ball(&s->r), INFINITY};
    }
    ck_assert_int_eq(apart_world_raycast_many(s->world, rays, PROBES, 0, hits), APART_OK);
    for (int i = 0; i < PROBES; i++) {
        hash = hash_bytes(hash, &hits[i].hit.distance, sizeof hits[i].hit.distance);
        hash = hash_bytes(hash, &hits[i].body, sizeof hits[i].body);
    }
    return hash;
}

static void move_many(scene *s)
{
    apart_body_id *ids = calloc(s->room, sizeof *ids);
    apart_pose *poses = calloc(s->room, sizeof *poses);
    size_t count = 0;
    for (size_t i = 0; i < s->room; i++) {
        if (s->bodies[i].alive && s->bodies[i].radius < INFINITY) {
            ids[count] = s->bodies[i].id;
            poses[count] = scene_nudged(&s->bodies[i].pose, &s->r, 0.02, 0.03);
            place(&s->bodies[i], &poses[count++]);
        }
    }
    ck_assert_int_eq(apart_world_move_many(s->world, ids, poses, count), APART_OK);
    free(ids);
    free(poses);
}

static uint64_t run_threads(uint32_t threads)
{
    scene s;
    uint64_t hash = 14695981039346656037u;
    make_scene(&s, seed + 30, 400, threads, true);
    for (int step = 0; step < 15; step++) {
        hash = hash_answers(&s, hash);
        step_scene(&s);
        move_many(&s);
    }
    free_scene(&s);
    return hash;
}

START_TEST(threads_do_not_matter)
{
    const uint64_t one = run_threads(1);
    printf("hash %016llx\n", (unsigned long long)one); /* the same from every compiler */
    fflush(stdout);
    const uint32_t counts[] = {0, 2, 3, 8};
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(run_threads(counts[i]) == one, "%u threads", counts[i]);
    }
}
END_TEST

START_TEST(snapshots_bring_everything_back)
{
    scene s;
    make_scene(&s, seed + 31, 120, 0, true);
    for (int step = 0; step < 5; step++) {
        hash_answers(&s, 0);
        step_scene(&s);
    }
    const size_t size = apart_world_snapshot_size(s.world);
    unsigned char *block = malloc(size), *copy = malloc(size);
    ck_assert_int_eq(apart_world_snapshot(s.world, block, size - 1), APART_ERR_SIZE);
    ck_assert_int_eq(apart_world_snapshot(s.world, block, size), APART_OK);
    memcpy(copy, block, size);
    free(block);
    scene then = s; /* the model as it is now; the pool and the arrays are shared */
    then.bodies = malloc(s.room * sizeof *s.bodies);
    memcpy(then.bodies, s.bodies, s.room * sizeof *s.bodies);
    uint64_t first = 1, second = 1;
    for (int step = 0; step < 10; step++) {
        step_scene(&s);
        first = hash_answers(&s, first);
    }
    /* Into the same world, and into a new one. */
    for (int other = 0; other < 2; other++) {
        scene again = then;
        again.bodies = malloc(s.room * sizeof *s.bodies);
        memcpy(again.bodies, then.bodies, s.room * sizeof *s.bodies);
        if (other) {
            ck_assert_int_eq(apart_world_create(NULL, &again.world), APART_OK);
        }
        ck_assert_int_eq(apart_world_restore(again.world, copy, size), APART_OK);
        second = 1;
        for (int step = 0; step < 10; step++) {
            step_scene(&again);
            second = hash_answers(&again, second);
        }
        ck_assert_msg(first == second, "restored world %d answers something else", other);
        free(again.bodies);
        if (other) {
            apart_world_free(again.world);
        }
    }
    /* Anything else is refused, and the world stays as it is. */
    apart_world *small = NULL;
    const apart_world_options options = {.max_bodies = 10};
    ck_assert_int_eq(apart_world_create(&options, &small), APART_OK);
    ck_assert_int_eq(apart_world_restore(small, copy, size), APART_ERR_SIZE);
    for (int i = 0; i < 200; i++) {
        const size_t at = random_below(&s.r, (unsigned)size), bit = random_below(&s.r, 8);
        copy[at] ^= (unsigned char)(1u << bit);
        ck_assert_int_eq(apart_world_restore(small, copy, size), APART_ERR_BLOCK);
        copy[at] ^= (unsigned char)(1u << bit);
    }
    ck_assert_int_eq(apart_world_restore(small, copy, size / 2), APART_ERR_BLOCK);
    ck_assert_int_eq(apart_world_restore(small, copy, 3), APART_ERR_BLOCK);
    ck_assert_uint_eq(apart_world_count(small), 0);
    apart_world_free(small);
    free(copy);
    free(then.bodies);
    free_scene(&s);
}
END_TEST

/* ---- motion bounds ---- */

/* Bodies that spin and shake: the path of a point is never longer than the world's bound, so no pair is missed although
 * none is queried often. */
START_TEST(what_does_not_move_is_not_queried)
{
    scene s;
    apart_world_stats before, after;
    make_scene(&s, seed + 40, 200, 0, false);
    apart_world_list list = {.pairs = s.found, .capacity = s.found_room};
    ck_assert_int_eq(apart_world_below(s.world, 0.2, &list), APART_OK);
    const size_t count = list.total;
    ck_assert_int_eq(apart_world_get_stats(s.world, &before), APART_OK);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(apart_world_below(s.world, 0.2, &list), APART_OK);
        ck_assert_uint_eq(list.total, count);
    }
    ck_assert_int_eq(apart_world_get_stats(s.world, &after), APART_OK);
    ck_assert_uint_eq(after.queries, before.queries);
    ck_assert(after.reused > before.reused && after.saved > before.saved);
    apart_world_reset_stats(s.world);
    ck_assert_int_eq(apart_world_get_stats(s.world, &after), APART_OK);
    ck_assert_uint_eq(after.queries, 0);
    free_scene(&s);
}
END_TEST

static size_t big_bodies = 0;
static int big_steps = 0;

START_TEST(big_comparison) { run_comparison(seed, big_bodies, big_steps, true); }
END_TEST

static int run(Suite *suite) { return run_suite(suite); }

int main(int argc, char **argv)
{
    Suite *suite = suite_create("world");
    TCase *test_case = tcase_create("world");
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    suite_add_tcase(suite, test_case);
    tcase_set_timeout(test_case, 600);
    if (argc > 3) {
        big_bodies = strtoull(argv[2], NULL, 10);
        big_steps = (int)strtol(argv[3], NULL, 10);
        tcase_add_test(test_case, big_comparison);
        return run(suite);
    }
    if (argc > 2) {
        tcase_add_test(test_case, threads_do_not_matter);
        return run(suite);
    }
    tcase_add_test(test_case, ten_bodies);
    tcase_add_test(test_case, hundred_bodies);
    tcase_add_test(test_case, threads_do_not_matter);
    tcase_add_test(test_case, snapshots_bring_everything_back);
    tcase_add_test(test_case, what_does_not_move_is_not_queried);
    return run(suite);
}
