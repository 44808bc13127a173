/* What engines ask of a world, against the same asked of every body alone: casts, rays through everything, overlaps,
 * boxes, contacts, events; filters, callbacks that try to change the world, executors that do not run.
 *
 * usage: test_world_query [SEED [CASTS]] */
#include <apart/world_query.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#include <string.h>

#include "run_suite.h"
#include "scenes.h"

static uint64_t seed = 1;
static unsigned cast_count = 2000;

/* ---- a scene ---- */

enum { BODIES = 300, ROOM = 4096 };

typedef struct scene {
    random_source r;
    solid_pool pool;
    apart_world *world;
    apart_shape floor;
    apart_body_id ids[BODIES];
    double spread;
} scene;

static void make_scene(scene *s, const apart_world_options *options)
{
    s->r = seed;
    s->spread = 0.75 * cbrt(BODIES);
    solid_pool_make(&s->pool, &s->r);
    ck_assert_int_eq(apart_world_create(options, &s->world), APART_OK);
    s->floor = apart_half_space((apart_vec3){0.1, 0.2, 1.0}, -0.5 * s->spread);
    for (int i = 0; i < BODIES; i++) {
        const apart_solid solid = i == 0 ? apart_solid_shape(&s->floor) : solid_pool_draw(&s->pool, &s->r, true);
        const apart_pose pose = i == 0 ? apart_pose_identity() : scene_pose(&s->r, s->spread);
        const apart_body_def def = {.solid = solid,
                                    .pose = pose,
                                    .user = 1000u + (unsigned)i,
                                    .category = UINT64_C(1) << random_below(&s->r, 64),
                                    .mask = random_below(&s->r, 4) == 0 ? random_bits(&s->r) : 0};
        ck_assert_int_eq(apart_world_add(s->world, &def, &s->ids[i]), APART_OK);
    }
}

/* Half of the bodies move a little, so that some are not where the tree has them. */
static void move_some(scene *s)
{
    for (int i = 1; i < BODIES; i += 2) {
        apart_body_def def;
        ck_assert_int_eq(apart_world_get(s->world, s->ids[i], &def), APART_OK);
        const apart_pose pose = scene_nudged(&def.pose, &s->r, random_below(&s->r, 8) == 0 ? s->spread : 0.05, 0.3);
        ck_assert_int_eq(apart_world_move(s->world, s->ids[i], &pose), APART_OK);
    }
}

static void free_scene(scene *s)
{
    apart_world_free(s->world);
    solid_pool_free(&s->pool);
}

static bool masks_admit(const apart_probe *p, const apart_body_def *body)
{
    const uint64_t category = p->category != 0 ? p->category : UINT64_MAX;
    return (p->mask == 0 || (p->mask & body->category) != 0) && (body->mask == 0 || (body->mask & category) != 0);
}

static apart_probe random_probe(scene *s)
{
    apart_probe p = {.solid = solid_pool_draw(&s->pool, &s->r, random_below(&s->r, 4) == 0),
                     .pose = scene_pose(&s->r, s->spread)};
    if (random_below(&s->r, 3) == 0) {
        p.category = random_bits(&s->r);
        p.mask = random_bits(&s->r);
    }
    return p;
}

/* ---- casts ---- */

START_TEST(casts_find_what_every_body_alone_would_say)
{
    scene s;
    make_scene(&s, NULL);
    unsigned hits = 0, starts = 0, listed = 0;
    for (unsigned n = 0; n < cast_count; n++) {
        if (n % 64 == 0) {
            ck_assert_int_eq(n % 128 == 0 ? apart_world_update(s.world) : APART_OK, APART_OK);
            move_some(&s);
        }
        const apart_probe probe = random_probe(&s);
        const apart_vec3 way = random_vector(&s.r, random_below(&s.r, 2) == 0 ? 1.0 : s.spread);
        const apart_motion_options options = {.tolerance = n % 3 == 0 ? 0.0 : 1e-7, .until = n % 5 == 0 ? 0.5 : 0.0};
        apart_world_cast_hit first, room[BODIES];
        apart_world_cast_list list = {.hits = room, .capacity = BODIES};
        ck_assert_int_eq(apart_world_cast(s.world, &probe, way, &options, &first), APART_OK);
        ck_assert_int_eq(apart_world_cast_all(s.world, &probe, way, &options, &list), APART_OK);
        ck_assert_uint_eq(list.count, list.total);
        size_t expected = 0;
        double earliest = INFINITY;
        apart_body_id earliest_body = {0, 0};
        for (int i = 0; i < BODIES; i++) {
            apart_body_def def;
            apart_compound_impact alone;
            ck_assert_int_eq(apart_world_get(s.world, s.ids[i], &def), APART_OK);
            if (!masks_admit(&probe, &def)) {
                continue;
            }
            ck_assert_int_eq(apart_compound_sweep(probe.solid, &probe.pose, way, def.solid, &def.pose,
                                                  (apart_vec3){0, 0, 0}, &options, &alone),
                             APART_OK);
            if (alone.impact.outcome == APART_OUTCOME_CLEAR) {
                continue;
            }
            expected++;
            if (alone.impact.t < earliest) {
                earliest = alone.impact.t;
                earliest_body = s.ids[i];
            }
            bool found = false;
            for (size_t k = 0; k < list.count; k++) {
                if (room[k].body.slot == s.ids[i].slot) {
                    found = true;
                    ck_assert(room[k].user == 1000u + (unsigned)i);
                    ck_assert(room[k].impact.impact.t == alone.impact.t);
                    ck_assert(room[k].impact.impact.at.distance == alone.impact.at.distance);
                    ck_assert_uint_eq(room[k].impact.part_b, alone.part_b);
                }
            }
            ck_assert_msg(found, "cast %u: body %d is missing", n, i);
        }
        ck_assert_uint_eq(list.count, expected);
        for (size_t k = 1; k < list.count; k++) {
            ck_assert(room[k - 1].impact.impact.t <= room[k].impact.impact.t);
        }
        if (expected == 0) {
            ck_assert_int_eq(first.impact.impact.outcome, APART_OUTCOME_CLEAR);
            continue;
        }
        /* A search that ends earlier may stop a step earlier, within the tolerance. */
        ck_assert(fabs(first.impact.impact.t - earliest) * apart_vec3_norm(way) <= 1e-6);
        ck_assert(first.body.slot == earliest_body.slot || room[1].impact.impact.t - earliest < 1e-6);
        hits++;
        starts += first.impact.impact.outcome == APART_OUTCOME_START;
        listed += list.count > 1;
    }
    printf("%u casts: %u hits, %u of them at the start, %u in a list of several\n", cast_count, hits, starts, listed);
    ck_assert_uint_gt(hits, cast_count / 4);
    ck_assert_uint_gt(hits - starts, cast_count / 8);
    free_scene(&s);
}
END_TEST

/* Lists that are too short hold the first hits. */
START_TEST(short_lists_hold_the_first)
{
    const apart_shape ball = apart_sphere(0.25);
    apart_world *world;
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    for (int i = 0; i < 20; i++) {
        const apart_body_def def = {.solid = apart_solid_shape(&ball),
                                    .pose = apart_pose_translation(1 + (i * 7) % 20, 0, 0),
                                    .user = (uint64_t)((i * 7) % 20)};
        ck_assert_int_eq(apart_world_add(world, &def, NULL), APART_OK);
    }
    const apart_probe probe = {.solid = apart_solid_shape(&ball), .pose = apart_pose_identity()};
    const apart_ray ray = {.origin = {0, 0, 0}, .direction = {1, 0, 0}, .length = 15.5};
    apart_world_cast_hit casts[3];
    apart_world_ray_hit rays[4];
    apart_world_cast_list cast_list = {.hits = casts, .capacity = 3};
    apart_world_ray_list ray_list = {.hits = rays, .capacity = 4};
    ck_assert_int_eq(apart_world_cast_all(world, &probe, (apart_vec3){10, 0, 0}, NULL, &cast_list), APART_OK);
    ck_assert_uint_eq(cast_list.count, 3);
    ck_assert_uint_eq(cast_list.total, 10);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(casts[i].user, i);
        ck_assert(fabs(casts[i].impact.impact.t - 0.1 * (i + 0.5)) < 1e-6);
    }
    ck_assert_int_eq(apart_world_raycast_all(world, &ray, NULL, &ray_list), APART_OK);
    ck_assert_uint_eq(ray_list.count, 4);
    ck_assert_uint_eq(ray_list.total, 15);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(rays[i].user, i);
        ck_assert(fabs(rays[i].hit.distance - (i + 0.75)) < 1e-12);
    }
    apart_world_free(world);
}
END_TEST

/* ---- rays, overlaps, boxes ---- */

typedef struct seen {
    unsigned count;
    uint8_t slots[BODIES];
    uint32_t parts[BODIES];
    unsigned most;
} seen;

static int see_body(void *context, apart_body_id body, uint64_t user, uint32_t part)
{
    seen *s = context;
    ck_assert_uint_eq(user, 1000u + body.slot);
    ck_assert_uint_eq(s->slots[body.slot], 0);
    s->slots[body.slot] = 1;
    s->parts[body.slot] = part;
    return ++s->count < s->most;
}

START_TEST(places_hold_what_every_body_alone_would_say)
{
    scene s;
    make_scene(&s, NULL);
    unsigned found = 0;
    for (unsigned n = 0; n < 1000; n++) {
        if (n % 50 == 0) {
            move_some(&s);
        }
        apart_probe probe = random_probe(&s);
        probe.within = n % 2 == 0 ? 0.0 : 0.2;
        const apart_aabb box = {apart_vec3_sub(probe.pose.translation, (apart_vec3){1, 0.5, 0.7}),
                                apart_vec3_add(probe.pose.translation, (apart_vec3){1, 0.5, 0.7})};
        seen overlap = {.most = BODIES}, in_box = {.most = BODIES}, some = {.most = 1};
        ck_assert_int_eq(apart_world_overlap(s.world, &probe, see_body, &overlap), APART_OK);
        ck_assert_int_eq(apart_world_in_box(s.world, &box, &probe, see_body, &in_box), APART_OK);
        ck_assert_int_eq(apart_world_overlap(s.world, &probe, see_body, &some), APART_OK);
        ck_assert_uint_eq(some.count, overlap.count > 0 ? 1 : 0);
        for (int i = 0; i < BODIES; i++) {
            apart_body_def def;
            apart_aabb own;
            ck_assert_int_eq(apart_world_get(s.world, s.ids[i], &def), APART_OK);
            if (!masks_admit(&probe, &def)) {
                ck_assert(!overlap.slots[i] && !in_box.slots[i]);
                continue;
            }
            const brute_answer alone = brute_distance(probe.solid, &probe.pose, def.solid, &def.pose);
            const double limit = probe.within;
            ck_assert(!overlap.slots[i] || alone.lower < limit + 1e-12);
            ck_assert(overlap.slots[i] || alone.upper > limit - 1e-12);
            if (i > 0) {
                ck_assert_int_eq(apart_solid_aabb(def.solid, &def.pose, &own), APART_OK);
                const bool meets = own.min.x <= box.max.x && box.min.x <= own.max.x && own.min.y <= box.max.y &&
                                   box.min.y <= own.max.y && own.min.z <= box.max.z && box.min.z <= own.max.z;
                ck_assert_int_eq(in_box.slots[i], meets);
            }
        }
        found += overlap.count;
    }
    ck_assert_uint_gt(found, 400);
    free_scene(&s);
}
END_TEST

START_TEST(rays_find_what_every_body_alone_would_say)
{
    scene s;
    make_scene(&s, NULL);
    unsigned found = 0;
    for (unsigned n = 0; n < 3000; n++) {
        if (n % 64 == 0) {
            move_some(&s);
        }
        const apart_probe filter = random_probe(&s);
        const apart_ray ray = {.origin = random_vector(&s.r, s.spread),
                               .direction = random_vector(&s.r, 1.0),
                               .length = n % 2 == 0 ? INFINITY : s.spread};
        apart_world_ray_hit room[BODIES];
        apart_world_ray_list list = {.hits = room, .capacity = BODIES};
        ck_assert_int_eq(apart_world_raycast_all(s.world, &ray, &filter, &list), APART_OK);
        size_t expected = 0;
        for (int i = 0; i < BODIES; i++) {
            apart_body_def def;
            apart_ray_hit alone;
            uint32_t part;
            ck_assert_int_eq(apart_world_get(s.world, s.ids[i], &def), APART_OK);
            ck_assert_int_eq(apart_compound_raycast(&ray, def.solid, &def.pose, &alone, &part), APART_OK);
            if (!alone.hit || !masks_admit(&filter, &def)) {
                continue;
            }
            size_t k = 0;
            while (k < list.count && room[k].body.slot != s.ids[i].slot) {
                k++;
            }
            ck_assert(k < list.count);
            ck_assert(room[k].hit.distance == alone.distance && room[k].part == part);
            expected++;
        }
        ck_assert_uint_eq(list.total, expected);
        for (size_t k = 1; k < list.count; k++) {
            ck_assert(room[k - 1].hit.distance <= room[k].hit.distance);
        }
        found += (unsigned)expected;
    }
    ck_assert_uint_gt(found, 1000);
    free_scene(&s);
}
END_TEST

/* ---- filters and callbacks ---- */

/* Refuses pairs whose user data have an odd sum, and tries to change the world. */
typedef struct meddler {
    apart_world *world;
    apart_body_id victim;
    unsigned asked, busy;
} meddler;

static void meddle(meddler *m)
{
    const apart_shape ball = apart_sphere(1.0);
    const apart_body_def def = {.solid = apart_solid_shape(&ball), .pose = apart_pose_identity()};
    const apart_pose pose = apart_pose_identity();
    apart_world_list list = {.capacity = 0};
    apart_world_stats stats;
    const apart_status tried[] = {apart_world_remove(m->world, m->victim),
                                  apart_world_add(m->world, &def, NULL),
                                  apart_world_move(m->world, m->victim, &pose),
                                  apart_world_move_many(m->world, &m->victim, &pose, 1),
                                  apart_world_set_filter(m->world, m->victim, 1, 1),
                                  apart_world_set_mask(m->world, m->victim, 1, 1),
                                  apart_world_refilter(m->world, m->victim),
                                  apart_world_set_threads(m->world, 2),
                                  apart_world_update(m->world),
                                  apart_world_below(m->world, 1.0, &list),
                                  apart_world_overlaps(m->world, &list)};
    m->asked++;
    m->busy++;
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        m->busy -= tried[i] != APART_ERR_BUSY;
    }
    apart_world_free(m->world);
    /* Reading goes on. */
    ck_assert_int_eq(apart_world_get_stats(m->world, &stats), APART_OK);
}

static int admit_even(void *context, apart_body_id a, uint64_t user_a, apart_body_id b, uint64_t user_b)
{
    meddle(context);
    ck_assert(a.slot != b.slot || a.generation == 0);
    return (user_a + user_b) % 2 == 0;
}

static int admit_multiples(void *context, apart_body_id body, uint64_t user)
{
    (void)body;
    meddle(context);
    return user % 3 == 0;
}

static double meddle_with_ray(void *context, const apart_world_ray_hit *hit)
{
    (void)hit;
    meddle(context);
    return INFINITY;
}

static int meddle_with_body(void *context, apart_body_id body, uint64_t user, uint32_t part)
{
    (void)body, (void)user, (void)part;
    meddle(context);
    return 1;
}

START_TEST(callbacks_filter_and_change_nothing)
{
    scene s;
    meddler m = {.asked = 0};
    static apart_world_pair room[ROOM];
    const apart_world_options options = {.filter = admit_even, .filter_context = &m};
    make_scene(&s, &options);
    m.world = s.world;
    m.victim = s.ids[5];
    unsigned expected = 0;
    for (int i = 0; i < BODIES; i++) {
        apart_body_def a, b;
        ck_assert_int_eq(apart_world_get(s.world, s.ids[i], &a), APART_OK);
        for (int k = i + 1; k < BODIES; k++) {
            ck_assert_int_eq(apart_world_get(s.world, s.ids[k], &b), APART_OK);
            const uint64_t mask_a = a.mask != 0 ? a.mask : UINT64_MAX, mask_b = b.mask != 0 ? b.mask : UINT64_MAX;
            if ((mask_a & b.category) != 0 && (mask_b & a.category) != 0 && (a.user + b.user) % 2 == 0 &&
                brute_distance(a.solid, &a.pose, b.solid, &b.pose).distance < 0.1) {
                expected++;
            }
        }
    }
    apart_world_list list = {.pairs = room, .capacity = ROOM};
    ck_assert_int_eq(apart_world_below(s.world, 0.1, &list), APART_OK);
    ck_assert_uint_eq(list.total, expected);
    for (size_t i = 0; i < list.count; i++) {
        ck_assert_uint_eq(room[i].user_a, 1000u + room[i].a.slot);
        ck_assert_uint_eq(room[i].user_b, 1000u + room[i].b.slot);
    }
    const apart_probe probe = {.solid = apart_solid_shape(&s.pool.shapes[0]),
                               .pose = apart_pose_identity(),
                               .filter = admit_multiples,
                               .filter_context = &m};
    apart_world_cast_hit casts[BODIES];
    apart_world_cast_list cast_list = {.hits = casts, .capacity = BODIES};
    ck_assert_int_eq(apart_world_cast_all(s.world, &probe, (apart_vec3){5, 1, 1}, NULL, &cast_list), APART_OK);
    ck_assert_uint_gt(cast_list.count, 0);
    for (size_t i = 0; i < cast_list.count; i++) {
        ck_assert(casts[i].user % 6 == 0); /* the world's filter: the probe's user data is 0 */
    }
    const apart_ray ray = {.direction = {1, 2, 0.5}, .length = INFINITY};
    ck_assert_int_eq(apart_world_raycast_visit(s.world, &ray, NULL, meddle_with_ray, &m), APART_OK);
    ck_assert_int_eq(apart_world_overlap(s.world, &probe, meddle_with_body, &m), APART_OK);
    ck_assert_uint_gt(m.asked, 100);
    ck_assert_uint_eq(m.asked, m.busy);
    ck_assert_uint_eq(apart_world_count(s.world), BODIES);
    ck_assert_int_eq(apart_world_remove(s.world, m.victim), APART_OK);
    free_scene(&s);
}
END_TEST

static int admit_all_or_none(void *context, apart_body_id a, uint64_t user_a, apart_body_id b, uint64_t user_b)
{
    (void)a, (void)user_a, (void)b, (void)user_b;
    return *(int *)context;
}

START_TEST(filters_may_change)
{
    int open = 0;
    const apart_world_options options = {.filter = admit_all_or_none, .filter_context = &open};
    const apart_shape ball = apart_sphere(1.0);
    apart_world *world;
    apart_body_id ids[2];
    ck_assert_int_eq(apart_world_create(&options, &world), APART_OK);
    for (int i = 0; i < 2; i++) {
        const apart_body_def def = {.solid = apart_solid_shape(&ball), .pose = apart_pose_translation(i, 0, 0)};
        ck_assert_int_eq(apart_world_add(world, &def, &ids[i]), APART_OK);
    }
    apart_world_list list = {.capacity = 0};
    ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
    ck_assert_uint_eq(list.total, 0);
    open = 1;
    ck_assert_int_eq(apart_world_refilter(world, ids[0]), APART_OK);
    ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
    ck_assert_uint_eq(list.total, 1);
    ck_assert_int_eq(apart_world_set_mask(world, ids[0], UINT64_C(1) << 63, 0), APART_OK);
    ck_assert_int_eq(apart_world_set_mask(world, ids[1], 2, UINT64_MAX >> 1), APART_OK);
    ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
    ck_assert_uint_eq(list.total, 0);
    ck_assert_int_eq(apart_world_set_mask(world, ids[1], 2, 0), APART_OK);
    ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
    ck_assert_uint_eq(list.total, 1);
    apart_world_free(world);
}
END_TEST

/* ---- executors ---- */

typedef struct executor_log {
    unsigned runs, modes;
} executor_log;

static void run_backwards(void *user, size_t count, apart_task *task, void *context)
{
    ((executor_log *)user)->runs++;
    for (size_t i = count; i-- > 0;) {
        task(context, i);
    }
}

static void run_same_number(void *user, size_t count, apart_task *task, void *context)
{
    ((executor_log *)user)->runs++;
    for (size_t i = 0; i < 2 * count; i++) {
        task(context, 0);
    }
}

static void run_nothing(void *user, size_t count, apart_task *task, void *context)
{
    (void)user, (void)count, (void)task, (void)context;
}

static void leave_one_out(void *user, size_t count, apart_task *task, void *context)
{
    (void)user;
    for (size_t i = 1; i < count; i++) {
        task(context, i);
    }
}

START_TEST(executors_run_the_loops)
{
    static apart_world_pair with[ROOM], without[ROOM];
    executor_log log = {0, 0};
    void (*const good[])(void *, size_t, apart_task *, void *) = {run_backwards, run_same_number};
    void (*const bad[])(void *, size_t, apart_task *, void *) = {run_nothing, leave_one_out};
    scene plain;
    make_scene(&plain, NULL);
    apart_world_list expected = {.pairs = without, .capacity = ROOM};
    ck_assert_int_eq(apart_world_below(plain.world, 0.2, &expected), APART_OK);
    for (int i = 0; i < 2; i++) {
        const apart_world_options options = {.executor = {good[i], &log}};
        scene s;
        make_scene(&s, &options);
        apart_world_list list = {.pairs = with, .capacity = ROOM};
        ck_assert_int_eq(apart_world_below(s.world, 0.2, &list), APART_OK);
        ck_assert_uint_eq(list.count, expected.count);
        ck_assert_int_eq(memcmp(with, without, list.count * sizeof *with), 0);
        free_scene(&s);
    }
    ck_assert_uint_ge(log.runs, 4);
    for (int i = 0; i < 2; i++) {
        const apart_world_options options = {.executor = {bad[i], &log}};
        scene s;
        make_scene(&s, &options);
        apart_world_list list = {.pairs = with, .capacity = ROOM};
        ck_assert_int_eq(apart_world_below(s.world, 0.2, &list), APART_ERR_EXECUTOR);
        ck_assert_uint_eq(list.count, 0);
        apart_ray rays[32];
        apart_world_ray_hit hits[32];
        for (int k = 0; k < 32; k++) {
            rays[k] = (apart_ray){.direction = {1, 0, 0}, .length = 1.0};
        }
        ck_assert_int_eq(apart_world_raycast_many(s.world, rays, 32, 0, hits), APART_ERR_EXECUTOR);
        free_scene(&s);
    }
    free_scene(&plain);
}
END_TEST

START_TEST(executors_run_batches)
{
    enum { COUNT = 1000 };
    static apart_result with[COUNT], without[COUNT];
    static apart_pose poses[COUNT];
    random_source r = seed;
    executor_log log = {0, 0};
    size_t failed = 7;
    const apart_shape box = apart_box((apart_vec3){1, 2, 3});
    const apart_pose here = apart_pose_identity();
    for (int i = 0; i < COUNT; i++) {
        poses[i] = scene_pose(&r, 9.0);
    }
    apart_batch batch = {.count = COUNT,
                         .a = {.shapes = &box, .poses = &here},
                         .b = {.shapes = &box, .poses = poses, .pose_stride = sizeof *poses},
                         .results = without,
                         .result_stride = sizeof *without};
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, &failed), APART_OK);
    batch.results = with;
    batch.executor = (apart_executor){run_backwards, &log};
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, &failed), APART_OK);
    ck_assert_uint_eq(log.runs, 1);
    ck_assert_int_eq(memcmp(with, without, sizeof with), 0);
    batch.executor.run = run_nothing;
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, &failed), APART_ERR_EXECUTOR);
    ck_assert_uint_eq(failed, 0);
}
END_TEST

/* ---- parts ---- */

enum { PARTS = 60 };

typedef struct level {
    random_source r;
    solid_pool pool;
    apart_part parts[PARTS];
    apart_compound *compound;
} level;

static void make_level(level *l)
{
    l->r = seed + 1;
    solid_pool_make(&l->pool, &l->r);
    for (unsigned i = 0; i < PARTS; i++) {
        l->parts[i].shape = *solid_pool_draw(&l->pool, &l->r, false).shape;
        l->parts[i].pose = scene_pose(&l->r, 3.0);
    }
    ck_assert_int_eq(apart_compound_build(l->parts, PARTS, NULL, &l->compound), APART_OK);
    for (unsigned i = 0; i < PARTS; i++) {
        ck_assert_uint_eq(apart_compound_user(l->compound, i), 0);
        ck_assert_int_eq(apart_compound_set_user(l->compound, i, 7 * i + 3), APART_OK);
    }
    ck_assert_int_eq(apart_compound_set_user(l->compound, PARTS, 1), APART_ERR_ID);
    ck_assert_int_eq(apart_compound_set_user(NULL, 0, 1), APART_ERR_NULL);
}

static void free_level(level *l)
{
    apart_compound_free(l->compound);
    solid_pool_free(&l->pool);
}

START_TEST(casts_at_a_compound_meet_its_first_part)
{
    level l;
    make_level(&l);
    const apart_vec3 still = {0, 0, 0};
    unsigned hits = 0;
    for (unsigned n = 0; n < cast_count; n++) {
        const apart_solid solid = solid_pool_draw(&l.pool, &l.r, false);
        const apart_pose pose = scene_pose(&l.r, 4.0), at = scene_pose(&l.r, 1.0);
        const apart_vec3 way = random_vector(&l.r, 4.0);
        const apart_motion_options options = {.tolerance = 1e-7};
        apart_compound_impact found;
        ck_assert_int_eq(apart_compound_sweep(solid, &pose, way, apart_solid_compound(l.compound), &at, still, &options,
                                              &found),
                         APART_OK);
        double first = INFINITY;
        for (unsigned i = 0; i < PARTS; i++) {
            const apart_pose part = apart_pose_compose(&at, &l.parts[i].pose);
            apart_impact alone;
            ck_assert_int_eq(apart_sweep(solid.shape, &pose, way, &l.parts[i].shape, &part, still, &options, NULL,
                                         &alone),
                             APART_OK);
            first = alone.outcome != APART_OUTCOME_CLEAR && alone.t < first ? alone.t : first;
        }
        const bool hit = found.impact.outcome != APART_OUTCOME_CLEAR;
        ck_assert_int_eq(hit, first < INFINITY);
        ck_assert(!hit || fabs(found.impact.t - first) * apart_vec3_norm(way) <= 2e-7);
        hits += hit && first > 0.0;
    }
    ck_assert_uint_gt(hits, cast_count / 10);
    free_level(&l);
}
END_TEST

typedef struct part_filter {
    unsigned asked, modulus;
} part_filter;

static int admit_part(void *context, uint32_t part_a, uint64_t user_a, uint32_t part_b, uint64_t user_b)
{
    part_filter *f = context;
    f->asked++;
    ck_assert(part_a == 0 && user_a == 0);
    ck_assert_uint_eq(user_b, 7 * part_b + 3);
    return user_b % f->modulus == 0;
}

START_TEST(below_lists_all_pairs_of_parts)
{
    level l;
    make_level(&l);
    unsigned found = 0, below_zero = 0;
    for (unsigned n = 0; n < 2000; n++) {
        const apart_solid solid = solid_pool_draw(&l.pool, &l.r, false);
        const apart_pose pose = scene_pose(&l.r, 3.0), at = scene_pose(&l.r, 1.0);
        const double distance = n % 3 == 0 ? 0.0 : n % 3 == 1 ? 0.2 : -0.1;
        part_filter filter = {.modulus = n % 2 == 0 ? 1 : 2};
        apart_part_pair room[PARTS], few[2];
        apart_part_list list = {.pairs = room, .capacity = PARTS, .filter = admit_part, .filter_context = &filter},
                        shorter = list;
        shorter.pairs = few;
        shorter.capacity = 2;
        ck_assert_int_eq(apart_compound_below(solid, &pose, apart_solid_compound(l.compound), &at, distance, &list),
                         APART_OK);
        ck_assert_uint_le(filter.asked, PARTS);
        ck_assert_int_eq(apart_compound_below(solid, &pose, apart_solid_compound(l.compound), &at, distance, &shorter),
                         APART_OK);
        ck_assert_uint_eq(list.total, shorter.total);
        ck_assert_int_eq(memcmp(room, few, shorter.count * sizeof *few), 0);
        size_t expected = 0;
        for (unsigned i = 0; i < PARTS; i++) {
            const apart_pose part = apart_pose_compose(&at, &l.parts[i].pose);
            apart_result alone;
            ck_assert_int_eq(apart_distance(solid.shape, &pose, &l.parts[i].shape, &part, NULL, NULL, &alone),
                             APART_OK);
            size_t k = 0;
            while (k < list.count && room[k].part_b != i) {
                k++;
            }
            const bool wanted = (7 * i + 3) % filter.modulus == 0 && alone.distance < distance;
            ck_assert_msg((k < list.count) == wanted || fabs(alone.distance - distance) < 1e-12, "%g", alone.distance);
            if (k < list.count) {
                expected++;
                ck_assert_uint_eq(room[k].user_b, 7 * i + 3);
                ck_assert(room[k].lower <= alone.upper && alone.lower <= room[k].upper);
                ck_assert(fabs(room[k].distance - alone.distance) < 1e-9);
                below_zero += alone.distance < 0.0;
            }
        }
        ck_assert_uint_eq(list.total, expected);
        found += (unsigned)expected;
    }
    ck_assert_uint_gt(found, 300);
    ck_assert_uint_gt(below_zero, 100);
    free_level(&l);
}
END_TEST

START_TEST(bad_input_about_parts_gets_a_status)
{
    const apart_shape ball = apart_sphere(1.0), plane = apart_half_space((apart_vec3){0, 0, 1}, 0),
                      circle = apart_circle(1.0), bad = apart_sphere(-1.0);
    const apart_pose here = apart_pose_identity();
    const apart_solid a = apart_solid_shape(&ball);
    const apart_solid plane_solid = apart_solid_shape(&plane);
    apart_part_list list = {.capacity = 0}, wrong = {.depth = 9}, no_room = {.capacity = 1};
    ck_assert_int_eq(apart_compound_below(a, &here, a, &here, 1.0, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_below(a, &here, a, &here, 1.0, &no_room), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_below(a, NULL, a, &here, 1.0, &list), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_below(a, &here, a, &here, NAN, &list), APART_ERR_OPTION);
    ck_assert_int_eq(apart_compound_below(a, &here, a, &here, 1.0, &wrong), APART_ERR_OPTION);
    ck_assert_int_eq(apart_compound_below(a, &here, apart_solid_shape(&circle), &here, 1.0, &list),
                     APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_compound_below(a, &here, apart_solid_shape(&bad), &here, 1.0, &list),
                     APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_compound_below(plane_solid, &here, plane_solid, &here, 1.0, &list), APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_compound_below(a, &here, plane_solid, &here, 1.0, &list), APART_OK);
    ck_assert_uint_eq(list.total, 1);
}
END_TEST

/* ---- contacts ---- */

START_TEST(contacts_are_those_of_every_pair_of_parts)
{
    scene s;
    make_scene(&s, NULL);
    static apart_world_contact room[ROOM];
    const apart_contact_options options = {.margin = 0.05, .max_points = 4};
    for (int step = 0; step < 3; step++) {
        apart_world_contact_list list = {.contacts = room, .capacity = ROOM}, counted = {.capacity = 5};
        ck_assert_int_eq(apart_world_contacts(s.world, &options, &list), APART_OK);
        ck_assert_int_eq(apart_world_contacts(s.world, &options, &counted), APART_OK);
        ck_assert_uint_eq(counted.total, list.total);
        size_t expected = 0;
        for (int i = 0; i < BODIES; i++) {
            apart_body_def a, b;
            ck_assert_int_eq(apart_world_get(s.world, s.ids[i], &a), APART_OK);
            for (int k = i + 1; k < BODIES; k++) {
                ck_assert_int_eq(apart_world_get(s.world, s.ids[k], &b), APART_OK);
                const uint64_t mask_a = a.mask != 0 ? a.mask : UINT64_MAX, mask_b = b.mask != 0 ? b.mask : UINT64_MAX;
                if ((mask_a & b.category) == 0 || (mask_b & a.category) == 0) {
                    continue;
                }
                for (size_t m = 0; m < solid_parts(a.solid); m++) {
                    for (size_t n = 0; n < solid_parts(b.solid); n++) {
                        apart_pose pose_a, pose_b;
                        const apart_shape *x = solid_part(a.solid, m, &a.pose, &pose_a),
                                          *y = solid_part(b.solid, n, &b.pose, &pose_b);
                        apart_manifold alone;
                        ck_assert_int_eq(apart_contact(x, &pose_a, y, &pose_b, &options, NULL, &alone), APART_OK);
                        expected += alone.count > 0 && alone.result.distance < options.margin;
                    }
                }
            }
        }
        ck_assert_uint_eq(list.total, expected);
        ck_assert_uint_eq(list.count, expected);
        for (size_t i = 0; i < list.count; i++) {
            const apart_world_contact *c = &room[i];
            apart_body_def a, b;
            apart_pose pose_a, pose_b;
            apart_manifold alone;
            ck_assert_int_eq(apart_world_get(s.world, c->a, &a), APART_OK);
            ck_assert_int_eq(apart_world_get(s.world, c->b, &b), APART_OK);
            ck_assert(c->user_a == a.user && c->user_b == b.user && c->a.slot < c->b.slot);
            const apart_shape *x = solid_part(a.solid, c->part_a, &a.pose, &pose_a),
                              *y = solid_part(b.solid, c->part_b, &b.pose, &pose_b);
            ck_assert_int_eq(apart_contact(x, &pose_a, y, &pose_b, &options, NULL, &alone), APART_OK);
            ck_assert(fabs(alone.result.distance - c->manifold.result.distance) < 1e-9);
            ck_assert_uint_gt(c->manifold.count, 0);
            ck_assert(fabs(c->manifold.points[0].distance - alone.points[0].distance) < 1e-7);
        }
        ck_assert_uint_gt(list.count, 100);
        move_some(&s);
    }
    apart_world_contact_list list = {.capacity = 0};
    ck_assert_int_eq(apart_world_contacts(s.world, NULL, &list), APART_OK);
    ck_assert_uint_gt(list.total, 0);
    ck_assert_int_eq(apart_world_contacts(s.world, &(apart_contact_options){.margin = -1.0}, &list), APART_ERR_OPTION);
    ck_assert_int_eq(apart_world_contacts(s.world, &(apart_contact_options){.max_points = 9}, &list), APART_ERR_OPTION);
    ck_assert_int_eq(apart_world_contacts(NULL, NULL, &list), APART_ERR_NULL);
    free_scene(&s);
}
END_TEST

/* A heap of spheres and boxes, with a compound in every tenth place, in a world on so many threads. */
static apart_world *make_heap(uint32_t threads, const apart_compound *pair)
{
    random_source r = random_seed("heap");
    apart_world *world = NULL;
    ck_assert_int_eq(apart_world_create(&(apart_world_options){.threads = threads}, &world), APART_OK);
    for (int i = 0; i < 300; i++) {
        const apart_shape shape = i % 2 == 0 ? apart_sphere(0.4) : apart_box((apart_vec3){0.3, 0.4, 0.5});
        const apart_body_def def = {.solid = i % 10 == 9 ? apart_solid_compound(pair) : apart_solid_shape(&shape),
                                    .pose = apart_pose_translation(random_between(&r, 0.0, 5.0),
                                                                   random_between(&r, 0.0, 5.0),
                                                                   random_between(&r, 0.0, 5.0)),
                                    .user = (uint64_t)i};
        apart_body_id id;
        ck_assert_int_eq(apart_world_add(world, &def, &id), APART_OK);
    }
    return world;
}

/* Contacts that are made on several threads have the same bytes and the same order, whatever the room for them. */
START_TEST(contacts_do_not_depend_on_threads)
{
    enum { MOST = 4000 };
    static apart_world_contact one[MOST], several[MOST];
    const apart_part parts[2] = {{.shape = apart_sphere(0.3), .pose = apart_pose_translation(-0.3, 0.0, 0.0)},
                                 {.shape = apart_sphere(0.3), .pose = apart_pose_translation(0.3, 0.0, 0.0)}};
    apart_compound *pair = NULL;
    ck_assert_int_eq(apart_compound_build(parts, 2, NULL, &pair), APART_OK);
    apart_world *alone = make_heap(1, pair), *shared = make_heap(3, pair);
    const apart_contact_options options = {.margin = 0.02};
    apart_world_contact_list all = {.contacts = one, .capacity = MOST};
    memset(one, 0, sizeof one);
    ck_assert_int_eq(apart_world_contacts(alone, &options, &all), APART_OK);
    ck_assert_uint_gt(all.count, 200);
    ck_assert_uint_eq(all.count, all.total);
    const size_t room[5] = {MOST, all.count, all.count - 1, 7, 0};
    for (int i = 0; i < 5; i++) {
        apart_world_contact_list list = {.contacts = several, .capacity = room[i]};
        memset(several, 0, sizeof several);
        ck_assert_int_eq(apart_world_contacts(shared, &options, &list), APART_OK);
        ck_assert_uint_eq(list.total, all.total);
        ck_assert_uint_eq(list.count, room[i] < all.count ? room[i] : all.count);
        for (size_t k = 0; k < list.count; k++) {
            const apart_manifold *a = &one[k].manifold, *b = &several[k].manifold;
            ck_assert(one[k].user_a == several[k].user_a && one[k].user_b == several[k].user_b);
            ck_assert(one[k].part_a == several[k].part_a && one[k].part_b == several[k].part_b);
            ck_assert(a->count > 0 && a->count == b->count);
            for (uint32_t m = 0; m < a->count; m++) { /* points, distance, id */
                ck_assert_mem_eq(&a->points[m], &b->points[m], offsetof(apart_contact_point, number_a));
            }
        }
    }
    apart_world_free(alone);
    apart_world_free(shared);
    apart_compound_free(pair);
}
END_TEST

/* ---- events ---- */

/* What the events add up to is what is together. */
static void follow_events(scene *s, uint8_t *together, double margin)
{
    static apart_world_touch begin[ROOM], end[ROOM];
    static apart_world_pair room[ROOM];
    apart_world_event_list events = {.begin = begin, .end = end}, again;
    apart_status status = apart_world_events(s->world, margin, &events);
    ck_assert(status == APART_OK || status == APART_ERR_SIZE);
    const size_t begun = events.begin_count, ended = events.end_count;
    events.begin_capacity = events.end_capacity = ROOM;
    again = events;
    if (status == APART_ERR_SIZE) {
        ck_assert_int_eq(apart_world_events(s->world, margin, &events), APART_OK);
    }
    ck_assert(events.begin_count == begun && events.end_count == ended);
    ck_assert_int_eq(apart_world_events(s->world, margin, &again), APART_OK);
    ck_assert(again.begin_count == 0 && again.end_count == 0);
    for (size_t i = 0; i < ended; i++) {
        uint8_t *was = &together[end[i].a.slot * ROOM + end[i].b.slot];
        ck_assert(*was == 1 && end[i].user_a == 1000u + end[i].a.slot);
        *was = 0;
    }
    for (size_t i = 0; i < begun; i++) {
        uint8_t *was = &together[begin[i].a.slot * ROOM + begin[i].b.slot];
        ck_assert(*was == 0 && begin[i].user_b == 1000u + begin[i].b.slot);
        *was = 1;
    }
    apart_world_list list = {.pairs = room, .capacity = ROOM};
    ck_assert_int_eq(margin > 0.0 ? apart_world_below(s->world, margin, &list) : apart_world_overlaps(s->world, &list),
                     APART_OK);
    size_t sum = 0;
    for (size_t i = 0; i < (size_t)BODIES * ROOM; i++) {
        sum += together[i];
    }
    ck_assert_uint_eq(sum, list.total);
    for (size_t i = 0; i < list.count; i++) {
        ck_assert_uint_eq(together[room[i].a.slot * ROOM + room[i].b.slot], 1);
    }
}

START_TEST(events_say_what_begins_and_ends)
{
    for (int kind = 0; kind < 2; kind++) {
        scene s;
        make_scene(&s, NULL);
        uint8_t *together = calloc((size_t)BODIES * ROOM, 1);
        for (int step = 0; step < 10; step++) {
            follow_events(&s, together, kind == 0 ? 0.0 : 0.03);
            move_some(&s);
        }
        /* A snapshot remembers. */
        apart_world_event_list none = {.begin_capacity = 0};
        follow_events(&s, together, kind == 0 ? 0.0 : 0.03);
        void *memory = malloc(apart_world_snapshot_size(s.world));
        ck_assert_int_eq(apart_world_snapshot(s.world, memory, apart_world_snapshot_size(s.world)), APART_OK);
        apart_world *copy;
        ck_assert_int_eq(apart_world_create(NULL, &copy), APART_OK);
        ck_assert_int_eq(apart_world_restore(copy, memory, apart_world_snapshot_size(s.world)), APART_OK);
        ck_assert_int_eq(apart_world_events(copy, kind == 0 ? 0.0 : 0.03, &none), APART_OK);
        apart_world_free(copy);
        free(memory);
        ck_assert_int_eq(apart_world_events(s.world, -1.0, &none), APART_ERR_OPTION);
        ck_assert_int_eq(apart_world_events(s.world, 0.0, NULL), APART_ERR_NULL);
        free(together);
        free_scene(&s);
    }
}
END_TEST

/* ---- bad input ---- */

static double end_casts(void *context, const apart_world_cast_hit *hit)
{
    (void)hit;
    ++*(unsigned *)context;
    return -1.0;
}

START_TEST(bad_input_gets_a_status)
{
    const apart_shape ball = apart_sphere(1.0), plane = apart_half_space((apart_vec3){0, 0, 1}, 0),
                      circle = apart_circle(1.0), bad = apart_sphere(-1.0);
    const apart_body_def def = {.solid = apart_solid_shape(&ball), .pose = apart_pose_identity()};
    const apart_vec3 way = {1, 0, 0}, nowhere = {0, 0, 0}, wrong = {NAN, 0, 0};
    apart_world *world;
    apart_body_id id;
    apart_world_cast_hit hit = {.user = 77};
    apart_probe probe = {.solid = apart_solid_shape(&ball), .pose = apart_pose_translation(3, 0, 0)};
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    ck_assert_int_eq(apart_world_cast(world, &probe, way, NULL, &hit), APART_OK);
    ck_assert_int_eq(hit.impact.impact.outcome, APART_OUTCOME_CLEAR);
    ck_assert_int_eq(apart_world_add(world, &def, &id), APART_OK);
    ck_assert_int_eq(apart_world_cast(NULL, &probe, way, NULL, &hit), APART_ERR_NULL);
    ck_assert_int_eq(apart_world_cast(world, NULL, way, NULL, &hit), APART_ERR_NULL);
    ck_assert_int_eq(apart_world_cast(world, &probe, way, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_world_cast(world, &probe, wrong, NULL, &hit), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_world_cast(world, &probe, way, &(apart_motion_options){.tolerance = -1.0}, &hit),
                     APART_ERR_OPTION);
    ck_assert_int_eq(apart_world_cast(world, &probe, way, &(apart_motion_options){.until = NAN}, &hit),
                     APART_ERR_OPTION);
    ck_assert_int_eq(apart_world_cast(world, &(apart_probe){.solid = apart_solid_shape(&plane), .pose = def.pose}, way,
                                      NULL, &hit),
                     APART_ERR_HALF_SPACE);
    ck_assert_int_eq(apart_world_cast(world, &(apart_probe){.solid = apart_solid_shape(&circle), .pose = def.pose}, way,
                                      NULL, &hit),
                     APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_world_cast(world, &(apart_probe){.solid = apart_solid_shape(&bad), .pose = def.pose}, way,
                                      NULL, &hit),
                     APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_world_cast(world, &(apart_probe){.solid = apart_solid_shape(&ball)}, way, NULL, &hit),
                     APART_ERR_ROTATION);
    ck_assert_int_eq(apart_world_cast(world, &(apart_probe){.body = {7, 1}}, way, NULL, &hit), APART_ERR_ID);
    /* Without a way, only what overlaps already is met. */
    ck_assert_int_eq(apart_world_cast(world, &probe, nowhere, NULL, &hit), APART_OK);
    ck_assert_int_eq(hit.impact.impact.outcome, APART_OUTCOME_CLEAR);
    probe.pose = apart_pose_translation(1.5, 0, 0);
    ck_assert_int_eq(apart_world_cast(world, &probe, nowhere, NULL, &hit), APART_OK);
    ck_assert_int_eq(hit.impact.impact.outcome, APART_OUTCOME_START);
    /* A body does not meet itself, and a callback may end the query. */
    ck_assert_int_eq(apart_world_cast(world, &(apart_probe){.body = id}, way, NULL, &hit), APART_OK);
    ck_assert_int_eq(hit.impact.impact.outcome, APART_OUTCOME_CLEAR);
    ck_assert_int_eq(apart_world_add(world, &def, NULL), APART_OK);
    unsigned calls = 0;
    ck_assert_int_eq(apart_world_cast_visit(world, &probe, way, NULL, end_casts, &calls), APART_OK);
    ck_assert_uint_eq(calls, 1);
    const apart_aabb inverted = {{1, 0, 0}, {0, 1, 1}}, endless = {{0, 0, 0}, {INFINITY, 1, 1}};
    seen none = {.most = 1};
    ck_assert_int_eq(apart_world_in_box(world, &inverted, NULL, see_body, &none), APART_ERR_NEGATIVE_SIZE);
    ck_assert_int_eq(apart_world_in_box(world, &endless, NULL, see_body, &none), APART_ERR_NONFINITE);
    apart_world_free(world);
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : random_seed_or("test_world_query", 21);
    cast_count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : cast_count;
    Suite *suite = suite_create("world_query");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_test(all, casts_find_what_every_body_alone_would_say);
    tcase_add_test(all, short_lists_hold_the_first);
    tcase_add_test(all, places_hold_what_every_body_alone_would_say);
    tcase_add_test(all, rays_find_what_every_body_alone_would_say);
    tcase_add_test(all, callbacks_filter_and_change_nothing);
    tcase_add_test(all, filters_may_change);
    tcase_add_test(all, executors_run_the_loops);
    tcase_add_test(all, executors_run_batches);
    tcase_add_test(all, casts_at_a_compound_meet_its_first_part);
    tcase_add_test(all, below_lists_all_pairs_of_parts);
    tcase_add_test(all, bad_input_about_parts_gets_a_status);
    tcase_add_test(all, contacts_are_those_of_every_pair_of_parts);
    tcase_add_test(all, contacts_do_not_depend_on_threads);
    tcase_add_test(all, events_say_what_begins_and_ends);
    tcase_add_test(all, bad_input_gets_a_status);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
