/* How much stack the queries need. Where a depth is asked of two bodies in 3D, less than 60 kB, and of compounds, meshes
 * and worlds less than 74 kB; with a depth cache of the caller at most 32 kB, so that they run on the small stacks of
 * fibers. In n dimensions less than a thread of 128 kB has, or 32 kB with a workspace. Each query runs on a thread whose
 * stack was painted before; what is no longer painted was used. */
#define _GNU_SOURCE
#include <apart/apart.h>
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "random.h"
#include "run_suite.h"

enum {
    STACK = 1 << 20,
    PAINT = 0xA5,
    MOST_PAIR = 60 * 1024,
    MOST_MANY = 74 * 1024,
    MOST_CACHED = 32 * 1024,
    MOST_ND = 114 * 1024,
    KINDS = 14,
    PLACES = 40
};

/* ---- measuring ---- */

static size_t used_by(void *query(void *), void *argument)
{
    unsigned char *const stack =
        mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    ck_assert(stack != MAP_FAILED);
    memset(stack, PAINT, STACK);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstack(&attributes, stack, STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, query, argument), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    size_t left = 0;
    while (left < STACK && stack[left] == PAINT) {
        left++;
    }
    munmap(stack, STACK);
    return STACK - left;
}

static void *do_nothing(void *argument) { return argument; }

/* The stack of a query. It runs once before, so that the dynamic linker's own work is not counted. */
static size_t stack_of(void *query(void *), void *argument)
{
    query(argument);
    const size_t thread = used_by(do_nothing, NULL), used = used_by(query, argument);
    return used > thread ? used - thread : 0;
}

static void assert_stack(const char *name, void *query(void *), void *argument, size_t most)
{
    const size_t used = stack_of(query, argument);
    if (getenv("STACK_VERBOSE") != NULL) {
        printf("%-24s %6zu\n", name, used);
        return;
    }
    ck_assert_msg(used <= most, "%s uses %zu bytes of stack, more than %zu", name, used, most);
}

/* ---- bodies ---- */

static apart_hull *hulls[5];
static const size_t hull_sizes[5] = {8, 30, 60, 200, 1000};
static apart_shape children[3];
static apart_shape shapes[KINDS];
static apart_compound *compounds[2];
static apart_mesh *mesh;
static apart_world *world;
static apart_pose poses[PLACES];

static void make_shapes(random_source *r)
{
    static double xyz[3 * 1000];
    for (int i = 0; i < 5; i++) {
        for (size_t k = 0; k < hull_sizes[i]; k++) {
            apart_vec3 p = {random_between(r, -1.0, 1.0), random_between(r, -1.0, 1.0), random_between(r, -1.0, 1.0)};
            const double length = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
            xyz[3 * k] = p.x / length;
            xyz[3 * k + 1] = p.y / length;
            xyz[3 * k + 2] = p.z / length;
        }
        ck_assert_int_eq(apart_hull_build(xyz, hull_sizes[i], NULL, &hulls[i]), APART_OK);
        shapes[i] = apart_hull_shape(hulls[i]);
    }
    children[0] = apart_cylinder(0.5, 0.5);
    children[1] = apart_ellipsoid((apart_vec3){0.5, 0.3, 0.2});
    children[2] = apart_cone(0.5, 1.0);
    shapes[5] = apart_box((apart_vec3){1.0, 0.7, 0.5});
    shapes[6] = apart_cylinder(0.6, 0.8);
    shapes[7] = apart_ellipsoid((apart_vec3){1.0, 0.7, 0.5});
    shapes[8] = apart_cone(0.7, 1.4);
    shapes[9] = apart_sum(&children[0], &children[1]);
    shapes[10] = apart_rounded(children[0], 0.1);
    shapes[11] = apart_hull_of_two(&children[1], &children[2]);
    shapes[12] = apart_capsule(0.4, 0.6);
    shapes[13] = apart_sphere(0.9);
}

/* A bumpy ring, closed and not convex. */
static void make_mesh(void)
{
    enum { ROWS = 40, COLUMNS = 20 };
    static apart_vec3 vertices[ROWS * COLUMNS];
    static uint32_t triangles[2 * ROWS * COLUMNS][3];
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t k = 0; k < COLUMNS; k++) {
            const double u = 6.283185307179586 * i / ROWS, v = 6.283185307179586 * k / COLUMNS;
            const double tube = 0.3 + 0.05 * sin(5.0 * u) * cos(3.0 * v), from_axis = 1.0 + tube * cos(v);
            const uint32_t at = i * COLUMNS + k, up = i * COLUMNS + (k + 1) % COLUMNS;
            const uint32_t on = (i + 1) % ROWS * COLUMNS + k, both = (i + 1) % ROWS * COLUMNS + (k + 1) % COLUMNS;
            vertices[at] = (apart_vec3){from_axis * cos(u), from_axis * sin(u), tube * sin(v)};
            memcpy(triangles[2 * at], (uint32_t[3]){at, on, both}, sizeof *triangles);
            memcpy(triangles[2 * at + 1], (uint32_t[3]){at, both, up}, sizeof *triangles);
        }
    }
    const apart_vertices list = {.data = vertices, .count = ROWS * COLUMNS};
    ck_assert_int_eq(apart_mesh_build(&list, triangles[0], 2 * ROWS * COLUMNS, NULL, &mesh), APART_OK);
    ck_assert_int_eq(apart_mesh_inspect(mesh)->watertight, 1);
}

static apart_pose random_pose(random_source *r, double size)
{
    apart_pose pose;
    const apart_vec3 place = random_vector(r, size);
    ck_assert_int_eq(apart_pose_from_quat_wxyz(random_signed(r), random_signed(r), random_signed(r), random_signed(r),
                                               place, &pose),
                     APART_OK);
    return pose;
}

/* Two clouds of all shapes, and a world of shapes, the clouds and the mesh. */
static void make_many(random_source *r)
{
    enum { PARTS = 60 };
    apart_part parts[PARTS];
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < PARTS; i++) {
            parts[i] = (apart_part){.shape = shapes[i % KINDS], .pose = random_pose(r, 4.0)};
        }
        ck_assert_int_eq(apart_compound_build(parts, PARTS, NULL, &compounds[c]), APART_OK);
    }
    ck_assert_int_eq(apart_world_create(NULL, &world), APART_OK);
    for (int i = 0; i < 60; i++) {
        const apart_solid solid = i % 20 == 7   ? apart_solid_compound(compounds[0])
                                  : i % 20 == 9 ? apart_solid_mesh(mesh)
                                                : apart_solid_shape(&shapes[i % KINDS]);
        const apart_body_def def = {.solid = solid, .pose = random_pose(r, 6.0)};
        apart_body_id id;
        ck_assert_int_eq(apart_world_add(world, &def, &id), APART_OK);
    }
}

static void make_all(void)
{
    random_source r = random_seed("stack");
    make_shapes(&r);
    make_mesh();
    make_many(&r);
    for (int i = 0; i < PLACES; i++) {
        poses[i] = random_pose(&r, 0.06 * i);
    }
}

static void free_all(void)
{
    apart_world_free(world);
    apart_mesh_free(mesh);
    for (int i = 0; i < 2; i++) {
        apart_compound_free(compounds[i]);
    }
    for (int i = 0; i < 5; i++) {
        apart_hull_free(hulls[i]);
    }
}

/* ---- queries of two shapes ---- */

/* The caller's depth cache; NULL: none. */
static apart_depth_cache *surface;

static void use_depth_cache(void)
{
    static double memory[APART_DEPTH_CACHE_BYTES(300) / sizeof(double)];
    ck_assert_int_eq(apart_depth_cache_init(memory, sizeof memory, &surface), APART_OK);
}

typedef void pair_query(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b);

static void distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    const apart_options options = {.depth_cache = surface};
    apart_result result;
    ck_assert_int_eq(apart_distance(a, pose_a, b, pose_b, &options, NULL, &result), APART_OK);
}

static void distance_by_solver(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                               const apart_pose *pose_b)
{
    apart_result result;
    for (int solver = 0; solver < APART_SOLVER_COUNT; solver++) {
        const apart_options options = {.solver = (uint8_t)solver, .support = solver % 2 ? APART_SUPPORT_SCAN : 0};
        ck_assert_int_eq(apart_distance(a, pose_a, b, pose_b, &options, NULL, &result), APART_OK);
    }
}

static void overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    int yes;
    ck_assert_int_eq(apart_overlap(a, pose_a, b, pose_b, NULL, NULL, &yes), APART_OK);
}

static void penetration(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    apart_penetration bounds;
    ck_assert_int_eq(apart_penetration_bounds(a, pose_a, b, pose_b, NULL, NULL, &bounds), APART_OK);
}

static void contact(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    const apart_contact_options options = {.depth_cache = surface};
    apart_manifold manifold;
    ck_assert_int_eq(apart_contact(a, pose_a, b, pose_b, &options, NULL, &manifold), APART_OK);
}

static void gradient(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    const apart_options options = {.depth_cache = surface};
    apart_gradient answer;
    ck_assert_int_eq(apart_distance_gradient(a, pose_a, b, pose_b, &options, NULL, &answer), APART_OK);
}

static void features(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    apart_result result;
    apart_feature on_a, on_b;
    ck_assert_int_eq(apart_distance(a, pose_a, b, pose_b, NULL, NULL, &result), APART_OK);
    ck_assert_int_eq(apart_features(a, pose_a, b, pose_b, &result, &on_a, &on_b), APART_OK);
}

static void verify(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    apart_result result;
    apart_proof proof;
    ck_assert_int_eq(apart_distance(a, pose_a, b, pose_b, NULL, NULL, &result), APART_OK);
    ck_assert_int_eq(apart_verify(a, pose_a, b, pose_b, &result, &proof), APART_OK);
}

static void sweep(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    apart_pose away = *pose_b;
    apart_impact impact;
    int yes;
    away.translation.x += 5.0;
    const apart_vec3 back = {-5.0, 0.0, 0.0}, still = {0.0, 0.0, 0.0};
    ck_assert_int_eq(apart_sweep(a, pose_a, still, b, &away, back, NULL, NULL, &impact), APART_OK);
    ck_assert_int_eq(apart_swept_overlap(a, pose_a, still, b, &away, back, NULL, NULL, &yes), APART_OK);
}

static void time_of_impact(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                           const apart_pose *pose_b)
{
    apart_pose away = *pose_b;
    apart_impact impact;
    away.translation.y -= 5.0;
    const apart_motion rest = apart_motion_rest(pose_a);
    const apart_motion move =
        apart_motion_velocity(&away, (apart_vec3){0.0, 5.0, 0.0}, (apart_vec3){1.0, 2.0, 3.0}, away.translation);
    const apart_motion_options options = {.gap = APART_GAP_TOLERANCE, .tolerance = 1e-3};
    ck_assert_int_eq(apart_time_of_impact(a, &rest, b, &move, &options, NULL, &impact), APART_OK);
}

static void raycast(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    const apart_ray ray = {{5.0, 0.1, 0.2}, {-1.0, 0.0, 0.0}, INFINITY};
    apart_ray_hit hit;
    ck_assert_int_eq(apart_raycast(&ray, a, pose_a, NULL, &hit), APART_OK);
    ck_assert_int_eq(apart_raycast(&ray, b, pose_b, NULL, &hit), APART_OK);
}

typedef struct pair_task {
    const char *name;
    pair_query *ask;
    int places;  /* how many of the poses are tried */
    bool cached; /* with a depth cache */
    size_t most;
    int kind; /* of body A */
} pair_task;

static const pair_task pair_tasks[] = {
    {"distance", distance, PLACES, false, MOST_PAIR, 0},
    {"distance by solver", distance_by_solver, 6, false, MOST_PAIR, 0},
    {"distance, cached", distance, PLACES, true, MOST_CACHED, 0},
    {"overlap", overlap, PLACES, false, MOST_CACHED, 0},
    {"penetration bounds", penetration, 8, false, MOST_PAIR, 0},
    {"contact", contact, 10, false, MOST_PAIR, 0},
    {"contact, cached", contact, 10, true, MOST_CACHED, 0},
    {"gradient", gradient, 4, false, MOST_PAIR, 0},
    {"gradient, cached", gradient, 4, true, MOST_CACHED, 0},
    {"features", features, 4, false, MOST_PAIR, 0},
    {"verify", verify, 3, false, MOST_PAIR, 0},
    {"sweep", sweep, 4, false, MOST_CACHED, 0},
    {"time of impact", time_of_impact, 3, false, MOST_CACHED, 0},
    {"ray", raycast, 4, false, MOST_PAIR, 0},
};
enum { PAIR_TASKS = sizeof pair_tasks / sizeof *pair_tasks };

static void *run_pair_task(void *argument)
{
    const pair_task *const task = argument;
    for (int other = task->kind; other < KINDS; other++) {
        for (int place = 1; place < task->places; place++) {
            const apart_pose *at = &poses[place * (PLACES / task->places)];
            task->ask(&shapes[task->kind], &poses[0], &shapes[other], at);
        }
    }
    return argument;
}

START_TEST(queries_of_shapes)
{
    pair_task task = pair_tasks[_i];
    make_all();
    if (task.cached) {
        use_depth_cache();
    }
    for (; task.kind < KINDS; task.kind++) {
        assert_stack(task.name, run_pair_task, &task, task.most);
    }
    surface = NULL;
    free_all();
}
END_TEST

/* ---- compounds, meshes, worlds ---- */

static apart_solid solids[4];

static void *ask_solids(void *unused)
{
    const apart_options options = {.depth_cache = surface};
    apart_compound_result result;
    apart_part_pair pairs[4];
    int yes;
    for (int i = 0; i < 16; i++) {
        const apart_solid a = solids[i / 4], b = solids[i % 4];
        if (surface != NULL && (a.mesh != NULL || b.mesh != NULL)) {
            continue; /* depths of triangles do not use it */
        }
        for (int place = 1; place < PLACES; place += 5) {
            apart_pose away = poses[place];
            away.translation.z += place % 2 ? 6.0 : 0.0;
            apart_part_list list = {.pairs = pairs, .capacity = 4};
            ck_assert_int_eq(apart_compound_distance(a, &poses[0], b, &away, &options, NULL, &result), APART_OK);
            ck_assert_int_eq(apart_compound_overlap(a, &poses[0], b, &away, NULL, NULL, &yes, NULL), APART_OK);
            if (surface == NULL) {
                ck_assert_int_eq(apart_compound_below(a, &poses[0], b, &away, 0.02, &list), APART_OK);
            }
        }
    }
    return unused;
}

static void *move_solids(void *unused)
{
    apart_compound_impact impact;
    for (int i = 0; i < 16; i++) {
        apart_pose away = poses[i + 2];
        away.translation.z += 12.0;
        const apart_vec3 back = {0.0, 0.0, -12.0}, still = {0.0, 0.0, 0.0};
        ck_assert_int_eq(apart_compound_sweep(solids[i / 4], &poses[0], still, solids[i % 4], &away, back, NULL,
                                              &impact),
                         APART_OK);
        const apart_motion rest = apart_motion_rest(&poses[0]);
        const apart_motion move = apart_motion_velocity(&away, back, (apart_vec3){0.1, 0.2, 0.3}, away.translation);
        ck_assert_int_eq(apart_compound_time_of_impact(solids[i / 4], &rest, solids[i % 4], &move, NULL, &impact),
                         APART_OK);
    }
    return unused;
}

static void *verify_solids(void *unused)
{
    apart_compound_result result;
    apart_proof proof;
    for (int i = 0; i < 16; i++) {
        apart_pose away = poses[i + 2];
        away.translation.z += i % 2 ? 6.0 : 2.0;
        ck_assert_int_eq(apart_compound_distance(solids[i / 4], &poses[0], solids[i % 4], &away, NULL, NULL, &result),
                         APART_OK);
        ck_assert_int_eq(apart_verify_solids(solids[i / 4], &poses[0], solids[i % 4], &away, &result, &proof),
                         APART_OK);
    }
    return unused;
}

static void *ask_mesh(void *unused)
{
    apart_ray_hit hit;
    int yes;
    uint32_t pair[2];
    for (int i = 0; i < PLACES; i++) {
        const apart_ray ray = {poses[i].translation, {1.0, 0.1 * i - 2.0, 0.3}, INFINITY};
        ck_assert_int_eq(apart_mesh_contains(mesh, poses[i].translation, &yes), APART_OK);
        for (int k = 0; k < 4; k++) {
            ck_assert_int_eq(apart_compound_raycast(&ray, solids[k], &poses[0], &hit, NULL), APART_OK);
        }
    }
    ck_assert_int_eq(apart_mesh_self_intersection(mesh, &yes, pair), APART_OK);
    return unused;
}

static double go_on(void *context, const apart_world_cast_hit *hit)
{
    (void)hit;
    (void)context;
    return 1.0;
}

static int see_body(void *context, apart_body_id body, uint64_t user, uint32_t part)
{
    (void)context;
    (void)body;
    (void)user;
    return part != UINT32_MAX;
}

static void *ask_world(void *unused)
{
    static apart_world_pair pairs[8];
    static apart_world_contact contacts[8];
    static apart_world_ray_hit ray_hits[8];
    apart_world_list list = {.pairs = pairs, .capacity = 8};
    apart_world_contact_list contact_list = {.contacts = contacts, .capacity = 8};
    apart_world_event_list events = {0};
    apart_world_cast_hit hit;
    ck_assert_int_eq(apart_world_below(world, 0.1, &list), APART_OK);
    ck_assert_int_eq(apart_world_overlaps(world, &list), APART_OK);
    ck_assert_int_eq(apart_world_nearest(world, 0, &list), APART_OK);
    ck_assert_int_eq(apart_world_contacts(world, NULL, &contact_list), APART_OK);
    (void)apart_world_events(world, 0.0, &events);
    for (int i = 0; i < KINDS; i++) {
        const apart_probe probe = {.solid = apart_solid_shape(&shapes[i]), .pose = poses[i]};
        const apart_ray ray = {{9.0, 0.0, 0.2 * i}, {-1.0, 0.0, 0.0}, INFINITY};
        apart_world_ray_list rays = {.hits = ray_hits, .capacity = 8};
        ck_assert_int_eq(apart_world_near(world, &probe, &list), APART_OK);
        ck_assert_int_eq(apart_world_overlap(world, &probe, see_body, NULL), APART_OK);
        ck_assert_int_eq(apart_world_cast(world, &probe, (apart_vec3){5.0, 1.0, 0.0}, NULL, &hit), APART_OK);
        ck_assert_int_eq(apart_world_cast_visit(world, &probe, (apart_vec3){5.0, 1.0, 0.0}, NULL, go_on, NULL),
                         APART_OK);
        ck_assert_int_eq(apart_world_raycast_all(world, &ray, NULL, &rays), APART_OK);
    }
    return unused;
}

static void *ask_batch(void *unused)
{
    static apart_result results[KINDS];
    const apart_batch batch = {.count = KINDS,
                               .a = {.shapes = shapes, .shape_stride = sizeof *shapes, .poses = &poses[0]},
                               .b = {.shapes = &shapes[1], .poses = poses, .pose_stride = sizeof *poses},
                               .results = results,
                               .result_stride = sizeof *results};
    size_t failed;
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, &failed), APART_OK);
    return unused;
}

START_TEST(queries_of_many)
{
    make_all();
    solids[0] = apart_solid_compound(compounds[0]);
    solids[1] = apart_solid_mesh(mesh);
    solids[2] = apart_solid_compound(compounds[1]);
    solids[3] = apart_solid_shape(&shapes[4]);
    assert_stack("solids", ask_solids, NULL, MOST_MANY);
    use_depth_cache();
    assert_stack("solids, cached", ask_solids, NULL, MOST_CACHED);
    surface = NULL;
    assert_stack("moving solids", move_solids, NULL, MOST_MANY);
    assert_stack("mesh", ask_mesh, NULL, MOST_MANY);
    assert_stack("world", ask_world, NULL, MOST_MANY);
    assert_stack("batch", ask_batch, NULL, MOST_MANY);
    assert_stack("verify solids", verify_solids, NULL, MOST_MANY);
    free_all();
}
END_TEST

/* ---- n dimensions ---- */

typedef struct nd_task {
    size_t dim;
    const double *points;
    void *workspace;
    size_t size;
    apart_result_nd result;
} nd_task;

static void *ask_nd(void *argument)
{
    enum { POINTS = 40 };
    nd_task *const task = argument;
    const apart_points_nd a = {task->points, POINTS}, b = {task->points + task->dim * POINTS, POINTS};
    ck_assert_int_eq(apart_distance_nd(task->dim, &a, &b, NULL, task->workspace, task->size, &task->result), APART_OK);
    return argument;
}

static void *verify_nd(void *argument)
{
    enum { POINTS = 40 };
    nd_task *const task = argument;
    const apart_points_nd a = {task->points, POINTS}, b = {task->points + task->dim * POINTS, POINTS};
    apart_proof proof;
    ck_assert_int_eq(apart_verify_nd(task->dim, &a, &b, &task->result, &proof), APART_OK);
    return argument;
}

/* Two overlapping clouds, on the thread's stack and in a workspace; the workspace is large enough for the answer. */
START_TEST(depths_in_n_dimensions)
{
    static double points[2 * 40 * APART_ND_DEPTH_DIM], workspace[APART_ND_DEPTH_BYTES(9000) / sizeof(double)];
    const size_t dim = (size_t)_i;
    random_source r = random_seed("stack");
    for (size_t i = 0; i < 2 * 40 * dim; i++) {
        points[i] = random_unit(&r);
    }
    nd_task task = {.dim = dim, .points = points};
    assert_stack("n-D depth", ask_nd, &task, MOST_ND);
    assert_stack("n-D verify", verify_nd, &task, MOST_ND);
    task.workspace = workspace;
    task.size = sizeof workspace;
    assert_stack("n-D depth, workspace", ask_nd, &task, MOST_CACHED);
    ck_assert_int_eq(task.result.stop, APART_STOP_CONVERGED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stack");
    TCase *tests = tcase_create("stack");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, queries_of_shapes, 0, PAIR_TASKS);
    tcase_add_test(tests, queries_of_many);
    tcase_add_loop_test(tests, depths_in_n_dimensions, 2, APART_ND_DEPTH_DIM + 1);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
