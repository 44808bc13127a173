/* Compounds and worlds to bytes and back: the same answers with the same bits, in memory of their own; damaged archives
 * are refused, or describe another world that is safe to query. */
#include <apart/archive.h>
#include <apart/world_query.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poses.h"
#include "run_suite.h"
#include "scenes.h"

static uint64_t seed = 1;

/* ---- everything there is ---- */

typedef struct things {
    solid_pool pool;
    apart_shape box, ball, tip, inner;
    double corners[12], flat[6];
    apart_shape shapes[40];
    unsigned count;
    apart_mesh *mesh;
} things;

static void make_things(things *t, random_source *r)
{
    const double corners[] = {0, 0, 0, 1, 0, 0.1, 0, 1, 0.2, 0.2, 0.1, 1};
    const apart_mat3 linear = {{1.2, 0.1, 0}, {0, 0.7, 0.2}, {0.3, 0, 0.9}};
    const apart_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t sides[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const apart_vertices vertices = {.data = points, .count = 4};
    solid_pool_make(&t->pool, r);
    memcpy(t->corners, corners, sizeof corners);
    t->box = apart_rounded(apart_box(vec(0.3, 0.4, 0.2)), 0.01);
    t->ball = apart_ellipsoid(vec(0.3, 0.2, 0.5));
    t->tip = apart_point(vec(0.2, 0.9, 0.1));
    t->inner = apart_sum(&t->box, &t->ball);
    t->count = 0;
    for (unsigned i = 0; i < t->pool.shape_count; i++) {
        t->shapes[t->count++] = t->pool.shapes[i];
    }
    const apart_shape more[] = {apart_point(vec(0.1, 0.2, 0.3)),
                                apart_segment(vec(0, 0, 0), vec(0.3, 0.5, 0.1)),
                                apart_triangle(vec(0, 0, 0), vec(0.5, 0.1, 0), vec(0, 0.6, 0.2)),
                                apart_sphere(0.4),
                                apart_capsule(0.2, 0.4),
                                apart_cylinder(0.3, 0.4),
                                apart_cone(0.4, 0.5),
                                t->ball,
                                t->box,
                                apart_points(t->corners, 4),
                                apart_rounded(apart_cone(0.4, 0.5), 0.1),
                                t->inner,
                                apart_rounded(t->inner, 0.3),
                                apart_hull_of_two(&t->box, &t->tip),
                                apart_affine(&t->inner, linear, vec(0.1, 0, 0))};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        t->shapes[t->count++] = more[i];
    }
    ck_assert_int_eq(apart_mesh_build(&vertices, sides, 4, NULL, &t->mesh), APART_OK);
}

static void free_things(things *t)
{
    apart_mesh_free(t->mesh);
    solid_pool_free(&t->pool);
}

static apart_compound *make_compound(const things *t, random_source *r)
{
    apart_part parts[40] = {0};
    apart_compound *compound;
    for (unsigned i = 0; i < t->count; i++) {
        parts[i].shape = t->shapes[i];
        parts[i].pose = scene_pose(r, 2.0);
    }
    ck_assert_int_eq(apart_compound_build(parts, t->count, NULL, &compound), APART_OK);
    for (unsigned i = 0; i < t->count; i++) {
        apart_compound_set_user(compound, i, random_bits(r));
    }
    return compound;
}

static unsigned char *write_compound(const apart_compound *c, size_t *size)
{
    ck_assert_int_eq(apart_compound_write(c, NULL, 0, size), APART_OK);
    unsigned char *memory = malloc(*size + 1);
    size_t again = 0;
    memory[*size] = 77;
    ck_assert_int_eq(apart_compound_write(c, memory, *size - 1, NULL), APART_ERR_SIZE);
    ck_assert_int_eq(apart_compound_write(c, memory, *size, &again), APART_OK);
    ck_assert(again == *size && memory[*size] == 77);
    return memory;
}

/* ---- compounds ---- */

START_TEST(compounds_answer_with_the_same_bits)
{
    things t;
    random_source r = seed;
    size_t size;
    make_things(&t, &r);
    apart_compound *c = make_compound(&t, &r), *copy = NULL;
    unsigned char *memory = write_compound(c, &size);
    ck_assert_int_eq(apart_compound_read(memory, size, NULL, &copy), APART_OK);
    memset(memory, 0, size);
    free(memory);
    ck_assert_uint_eq(apart_compound_count(copy), t.count);
    for (unsigned i = 0; i < t.count; i++) {
        ck_assert_uint_eq(apart_compound_user(copy, i), apart_compound_user(c, i));
        const apart_shape *x = &apart_compound_part(c, i)->shape, *y = &apart_compound_part(copy, i)->shape;
        ck_assert(x->kind == y->kind && x->flags == y->flags && x->radius == y->radius && x->bound == y->bound);
        ck_assert(x->error == y->error && x->nesting == y->nesting && x != y);
        ck_assert(apart_vec3_distance(x->center, y->center) == 0.0);
    }
    for (int n = 0; n < 300; n++) {
        const apart_shape *shape = &t.shapes[random_below(&r, t.count)];
        const apart_pose pose = scene_pose(&r, 4.0), here = scene_pose(&r, 1.0);
        apart_compound_result x, y;
        ck_assert_int_eq(apart_compound_distance(apart_solid_shape(shape), &pose, apart_solid_compound(c), &here, NULL,
                                                 NULL, &x),
                         APART_OK);
        ck_assert_int_eq(apart_compound_distance(apart_solid_shape(shape), &pose, apart_solid_compound(copy), &here,
                                                 NULL, NULL, &y),
                         APART_OK);
        ck_assert(x.result.distance == y.result.distance && x.result.lower == y.result.lower && x.part_b == y.part_b);
        ck_assert(x.result.a.x == y.result.a.x && x.result.normal.z == y.result.normal.z);
    }
    /* Written again, the bytes are the same. */
    size_t again;
    memory = write_compound(c, &size);
    unsigned char *other = write_compound(copy, &again);
    ck_assert(size == again && memcmp(memory, other, size) == 0);
    free(memory);
    free(other);
    apart_compound_free(c);
    apart_compound_free(copy);
    free_things(&t);
}
END_TEST

/* ---- worlds ---- */

enum { BODIES = 150 };

static apart_world *make_world(const things *t, apart_compound *const compounds[2], apart_body_id ids[BODIES],
                               random_source *r)
{
    apart_world *world;
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    const apart_shape floor = apart_half_space(vec(0.1, 0.2, 1), -4);
    for (unsigned i = 0; i < BODIES; i++) {
        const apart_solid solid = i == 0        ? apart_solid_shape(&floor)
                                  : i % 7 == 1  ? apart_solid_compound(compounds[i % 2])
                                  : i % 11 == 2 ? apart_solid_mesh(t->mesh)
                                  : i % 13 == 3 ? apart_solid_surface(t->mesh)
                                                : apart_solid_shape(&t->shapes[i % t->count]);
        const apart_body_def def = {.solid = solid,
                                    .pose = i == 0 ? apart_pose_identity() : scene_pose(r, 6.0),
                                    .groups = 1u << random_below(r, 8),
                                    .ignores = 1u << random_below(r, 8),
                                    .user = random_bits(r),
                                    .category = random_bits(r),
                                    .mask = random_bits(r)};
        ck_assert_int_eq(apart_world_add(world, &def, &ids[i]), APART_OK);
    }
    for (unsigned i = 5; i < BODIES; i += 10) {
        ck_assert_int_eq(apart_world_remove(world, ids[i]), APART_OK);
        ids[i] = (apart_body_id){0, 0};
    }
    for (unsigned i = 0; i + 3 < BODIES; i += 10) {
        ck_assert_int_eq(apart_world_disable_pair(world, ids[i], ids[i + 3], 1), APART_OK);
    }
    return world;
}

static void check_same_answers(apart_world *x, apart_world *y)
{
    static apart_world_pair in_x[4000], in_y[4000];
    apart_world_list a = {.pairs = in_x, .capacity = 4000}, b = {.pairs = in_y, .capacity = 4000};
    /* A third says what a world without a history answers. */
    ck_assert_int_eq(apart_world_overlaps(x, &a), APART_OK);
    ck_assert_int_eq(apart_world_overlaps(y, &b), APART_OK);
    ck_assert(a.total == b.total && a.count == b.count && a.count > 10);
    uint64_t sum_a = 0, sum_b = 0;
    for (size_t i = 0; i < a.count; i++) {
        sum_a += in_x[i].a.slot * 1009u + in_x[i].b.slot + in_x[i].user_a * 31u + in_x[i].user_b;
        sum_b += in_y[i].a.slot * 1009u + in_y[i].b.slot + in_y[i].user_a * 31u + in_y[i].user_b;
    }
    ck_assert_uint_eq(sum_a, sum_b);
}

START_TEST(worlds_go_on_elsewhere)
{
    things t;
    random_source r = seed;
    apart_body_id ids[BODIES];
    make_things(&t, &r);
    apart_compound *compounds[2] = {make_compound(&t, &r), make_compound(&t, &r)};
    apart_world *world = make_world(&t, compounds, ids, &r), *copy = NULL;
    static apart_world_touch begin[4000], end[4000];
    apart_world_event_list events = {.begin = begin, .begin_capacity = 4000, .end = end, .end_capacity = 4000};
    ck_assert_int_eq(apart_world_events(world, 0.0, &events), APART_OK);
    size_t size = 0, again = 0;
    ck_assert_int_eq(apart_world_write(world, NULL, 0, &size), APART_OK);
    unsigned char *memory = malloc(size);
    ck_assert_int_eq(apart_world_write(world, memory, size, &again), APART_OK);
    ck_assert_uint_eq(size, again);
    ck_assert_int_eq(apart_world_read(memory, size, &(apart_world_options){.max_bodies = 10}, &copy), APART_ERR_SIZE);
    ck_assert_int_eq(apart_world_read(memory, size, NULL, &copy), APART_OK);
    memset(memory, 0, size);
    for (unsigned i = 0; i < BODIES; i++) {
        apart_body_def x, y;
        const apart_status there = apart_world_get(world, ids[i], &x);
        ck_assert_int_eq(apart_world_get(copy, ids[i], &y), there);
        if (there == APART_OK) {
            ck_assert(x.user == y.user && x.category == y.category && x.mask == y.mask && x.groups == y.groups);
            ck_assert(x.ignores == y.ignores && memcmp(&x.pose, &y.pose, sizeof x.pose) == 0);
        }
    }
    check_same_answers(world, copy);
    /* Nothing has begun or ended since it was written. */
    ck_assert_int_eq(apart_world_events(copy, 0.0, &events), APART_OK);
    ck_assert(events.begin_count == 0 && events.end_count == 0);
    /* Old ids stay invalid, and new bodies have new ones. */
    apart_body_id first, second;
    const apart_body_def def = {.solid = apart_solid_shape(&t.box), .pose = apart_pose_identity()};
    ck_assert_int_eq(apart_world_add(copy, &def, &first), APART_OK);
    ck_assert_int_eq(apart_world_add(world, &def, &second), APART_OK);
    ck_assert(first.generation > 1 && second.generation > 1);
    /* The copy needs nothing of the first. */
    apart_world_free(world);
    apart_compound_free(compounds[0]);
    apart_compound_free(compounds[1]);
    free_things(&t);
    apart_world_list list = {.capacity = 0};
    ck_assert_int_eq(apart_world_below(copy, 0.5, &list), APART_OK);
    ck_assert_uint_gt(list.total, 10);
    apart_world_free(copy);
    free(memory);
}
END_TEST

START_TEST(in_the_plane)
{
    const double corners[] = {0, 0, 1, 0, 0, 1};
    const apart_shape shapes[] = {apart_circle(1), apart_polygon(corners, 3), apart_capsule_2d(0.2, 0.5),
                                  apart_half_space_2d(0.3, 1, -2), apart_rectangle(1, 0.5)};
    apart_world *world, *copy;
    apart_body_id ids[5];
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    for (int i = 0; i < 5; i++) {
        const apart_body_def def = {.solid = apart_solid_shape(&shapes[i]), .pose = at(0.4 * i, 0, 0)};
        ck_assert_int_eq(apart_world_add(world, &def, &ids[i]), APART_OK);
    }
    ck_assert_int_eq(apart_world_remove(world, ids[0]), APART_OK);
    ck_assert_int_eq(apart_world_update(world), APART_OK);
    size_t size;
    ck_assert_int_eq(apart_world_write(world, NULL, 0, &size), APART_OK);
    void *memory = malloc(size);
    ck_assert_int_eq(apart_world_write(world, memory, size, NULL), APART_OK);
    ck_assert_int_eq(apart_world_read(memory, size, NULL, &copy), APART_OK);
    apart_world_list x = {.capacity = 0}, y = {.capacity = 0};
    ck_assert_int_eq(apart_world_overlaps(world, &x), APART_OK);
    ck_assert_int_eq(apart_world_overlaps(copy, &y), APART_OK);
    ck_assert(x.total == y.total && x.total == 3);
    apart_world_free(world);
    apart_world_free(copy);
    free(memory);
}
END_TEST

/* ---- damage ---- */

/* The hash is no secret: a forger writes a good one. */
static void set_hash(unsigned char *memory, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 32; i < size; i++) {
        hash = (hash ^ memory[i]) * UINT64_C(1099511628211);
    }
    for (int i = 0; i < 8; i++) {
        memory[24 + i] = (unsigned char)(hash >> (8 * i));
    }
}

START_TEST(damage_is_refused_or_harmless)
{
    things t;
    random_source r = seed;
    apart_body_id ids[BODIES];
    make_things(&t, &r);
    apart_compound *compounds[2] = {make_compound(&t, &r), make_compound(&t, &r)};
    apart_world *world = make_world(&t, compounds, ids, &r), *copy;
    size_t size;
    unsigned refused = 0, accepted = 0;
    ck_assert_int_eq(apart_world_write(world, NULL, 0, &size), APART_OK);
    unsigned char *memory = malloc(size), *damaged = malloc(size);
    ck_assert_int_eq(apart_world_write(world, memory, size, NULL), APART_OK);
    for (size_t n = 0; n < 300; n++) { /* damage */
        memcpy(damaged, memory, size);
        damaged[random_bits(&r) % size] ^= (unsigned char)(1u << random_below(&r, 8));
        ck_assert_int_eq(apart_world_read(damaged, size, NULL, &copy), APART_ERR_BLOCK);
        ck_assert_int_eq(apart_world_read(memory, random_bits(&r) % size, NULL, &copy), APART_ERR_BLOCK);
    }
    for (size_t n = 0; n < 1500; n++) { /* forgery */
        memcpy(damaged, memory, size);
        /* Bodies come last: half of the forgeries are there. */
        const size_t tail = size < 40000 ? size : 40000;
        const size_t place = n % 2 == 0 ? 32 + random_bits(&r) % (size - 32) : size - 1 - random_bits(&r) % tail;
        damaged[place] = n % 3 == 0 ? 255 : (unsigned char)random_bits(&r);
        set_hash(damaged, size);
        const apart_status status = apart_world_read(damaged, size, NULL, &copy);
        if (status == APART_OK) {
            apart_world_list list = {.capacity = 0, .depth = APART_DEPTH_NONE};
            const apart_status asked = apart_world_below(copy, 0.1, &list);
            ck_assert(asked == APART_OK || asked == APART_ERR_OVERFLOW);
            apart_world_free(copy);
            accepted++;
        } else {
            ck_assert_msg(status == APART_ERR_BLOCK || status == APART_ERR_SIZE || status == APART_ERR_OVERFLOW, "%s",
                          apart_status_name(status));
            refused++;
        }
    }
    printf("%zu bytes; of 1500 forgeries %u refused, %u describe other worlds\n", size, refused, accepted);
    ck_assert_uint_gt(refused, 100);
    free(memory);
    free(damaged);
    apart_world_free(world);
    apart_compound_free(compounds[0]);
    apart_compound_free(compounds[1]);
    free_things(&t);
}
END_TEST

static int left;
static void *allocate(size_t size, void *user)
{
    (void)user;
    return left-- > 0 ? malloc(size) : NULL;
}
static void release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

static apart_vec3 support_nothing(const void *user, apart_vec3 direction)
{
    (void)user, (void)direction;
    return (apart_vec3){0, 0, 0};
}

START_TEST(bad_input_gets_a_status)
{
    things t;
    random_source r = seed;
    make_things(&t, &r);
    apart_compound *c = make_compound(&t, &r), *copy = NULL;
    size_t size;
    unsigned char *memory = write_compound(c, &size);
    apart_world *world = NULL;
    ck_assert_int_eq(apart_compound_write(NULL, memory, size, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_write(c, NULL, size, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_read(NULL, size, NULL, &copy), APART_ERR_NULL);
    ck_assert_int_eq(apart_compound_read(memory, size, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_world_read(memory, size, NULL, &world), APART_ERR_BLOCK); /* it is a compound */
    ck_assert_int_eq(apart_world_read(memory, size, &(apart_world_options){.threads = 999}, &world), APART_ERR_OPTION);
    const apart_callback callback = {.support = support_nothing, .radius = 1};
    const apart_part part = {apart_callback_shape(callback), apart_pose_identity()};
    apart_compound *odd;
    ck_assert_int_eq(apart_compound_build(&part, 1, NULL, &odd), APART_OK);
    ck_assert_int_eq(apart_compound_write(odd, NULL, 0, &size), APART_ERR_CALLBACK);
    apart_compound_free(odd);
    free(memory);
    memory = write_compound(c, &size);
    /* Every allocation may fail. */
    const apart_allocator counted = {allocate, release, NULL};
    apart_status status = APART_ERR_MEMORY;
    for (int enough = 0; status == APART_ERR_MEMORY; enough++) {
        left = enough;
        status = apart_compound_read(memory, size, &counted, &copy);
    }
    ck_assert_int_eq(status, APART_OK);
    apart_compound_free(copy);
    apart_compound_free(c);
    free(memory);
    free_things(&t);
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : random_seed_or("test_archive", 3);
    Suite *suite = suite_create("archive");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, compounds_answer_with_the_same_bits);
    tcase_add_test(all, worlds_go_on_elsewhere);
    tcase_add_test(all, in_the_plane);
    tcase_add_test(all, damage_is_refused_or_harmless);
    tcase_add_test(all, bad_input_gets_a_status);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
