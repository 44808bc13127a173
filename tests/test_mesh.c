/* Blocks of meshes: what is kept, what is refused, the same bits for any number of threads, and that no corrupted block
 * is accepted. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/block.h"
#include "mesh/build.h"
#include "mesh_bodies.h"
#include "poses.h"
#include "run_suite.h"

static uint64_t seed;

/* The allocator's records differ, the blocks may not. */
static void check_same_bits(const apart_mesh *a, const apart_mesh *b)
{
    ck_assert_uint_eq(apart_mesh_size(a), apart_mesh_size(b));
    ck_assert_int_eq(memcmp(a, b, apart_mesh_size(a)), 0);
}

/* Is a triangle in a volume above it, in long doubles? */
static bool is_in_volume(const ap_mesh_volume *v, const apart_mesh *m, const uint32_t *corners)
{
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        const double *p = (const double *)ap_at(m, m->vertices) + 3 * (size_t)corners[i];
        long double at[3];
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = -(long double)v->center[axis];
            for (int k = 0; k < 3; k++) {
                at[axis] += v->axis[axis][k] * (((long double)p[k] - m->center[k]) * m->scale);
            }
            inside = inside && fabsl(at[axis]) <= v->half[axis];
        }
        for (int s = 0; s < 4; s++) {
            const long double sum = (s % 2 ? -at[0] : at[0]) + (s / 2 ? -at[1] : at[1]);
            inside = inside && sum <= (long double)v->half[0] + v->half[1] - v->cut[s];
        }
    }
    return inside;
}

/* Counts the triangles that are in the volume as they should be. */
static void count_below(const apart_mesh *m, uint32_t child, const ap_mesh_volume *v, uint32_t *seen)
{
    if (child < AP_MESH_LEAF) {
        const ap_mesh_node *node = &ap_mesh_nodes(m)[child];
        for (uint32_t i = 0; i < node->count; i++) {
            count_below(m, node->child[i], v, seen);
        }
        return;
    }
    const ap_mesh_leaf *leaf = &ap_mesh_leaves(m)[child - AP_MESH_LEAF];
    for (uint32_t i = 0; i < leaf->count; i++) {
        *seen += is_in_volume(v, m, ap_mesh_corners(m, ap_mesh_order(m)[leaf->first + i]));
    }
}

static uint32_t triangles_below(const apart_mesh *m, uint32_t child)
{
    if (child >= AP_MESH_LEAF) {
        return ap_mesh_leaves(m)[child - AP_MESH_LEAF].count;
    }
    const ap_mesh_node *node = &ap_mesh_nodes(m)[child];
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        count += triangles_below(m, node->child[i]);
    }
    return count;
}

static void check_tree(const apart_mesh *m)
{
    for (uint32_t n = 0; n < m->node_count; n++) {
        const ap_mesh_node *node = &ap_mesh_nodes(m)[n];
        uint32_t seen = 0, all = 0;
        for (uint32_t i = 0; i < node->count; i++) {
            ap_mesh_volume child = node->volume;
            for (int k = 0; k < 4; k++) {
                child.center[k % 3] = node->center[k % 3][i];
                child.half[k % 3] = node->half[k % 3][i];
                child.cut[k] = node->cut[k][i];
            }
            count_below(m, node->child[i], &child, &seen);
            count_below(m, node->child[i], &node->volume, &all);
        }
        const uint32_t below = triangles_below(m, n);
        ck_assert_uint_eq(seen, below);
        ck_assert_uint_eq(all, below);
        ck_assert(n > 0 || below == m->tree_count);
    }
    for (uint32_t n = 0; n < m->leaf_count; n++) {
        uint32_t seen = 0;
        count_below(m, AP_MESH_LEAF + n, &ap_mesh_leaves(m)[n].volume, &seen);
        ck_assert_uint_eq(seen, ap_mesh_leaves(m)[n].count);
    }
}

static void check_kept(const apart_mesh *m, const triangle_list *list)
{
    bool same = true;
    for (uint32_t t = 0; t < list->triangle_count; t++) {
        uint32_t corners[3];
        apart_mesh_triangle(m, t, corners);
        for (int i = 0; i < 3; i++) {
            const apart_vec3 kept = apart_mesh_vertex(m, corners[i]), given = list->vertices[list->triangles[t][i]];
            same = same && kept.x == given.x && kept.y == given.y && kept.z == given.z;
        }
    }
    ck_assert(same);
}

static void check_round_trip(const apart_mesh *m)
{
    const size_t size = apart_mesh_size(m);
    char *memory = malloc(size + 64);
    const apart_mesh *view = NULL;
    memcpy(memory + 8, m, size);
    ck_assert_int_eq(apart_mesh_view(memory + 8, size, &view), APART_OK);
    ck_assert_ptr_eq(view, memory + 8);
    ck_assert_int_eq(apart_mesh_view(memory + 8, size - 1, &view), APART_ERR_BLOCK);
    free(memory);
}

static uint64_t read_backwards(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        const uint64_t byte = bytes[size - 1 - i];
        value |= byte << (8 * i);
    }
    return value;
}

/* A block turned round has every number in the other order: what another machine reads of it is what this one wrote. */
START_TEST(files_are_little_endian)
{
    random_source r = seed;
    apart_vec3 corners[90];
    uint32_t numbers[90];
    for (uint32_t i = 0; i < 90; i++) {
        corners[i] = random_vector(&r, 2.0);
        numbers[i] = i;
    }
    const apart_vertices vertices = {.data = corners, .count = 90};
    apart_mesh *m;
    ck_assert_int_eq(apart_mesh_build(&vertices, numbers, 30, NULL, &m), APART_OK);
    const size_t size = apart_mesh_size(m);
    unsigned char *copy = malloc(size);
    const apart_mesh *view;
    memcpy(copy, m, size);
    ck_assert(ap_mesh_turn_bytes(copy, size));
    ck_assert_int_eq(apart_mesh_view(copy, size, &view), APART_ERR_BLOCK);
    ck_assert_uint_eq(read_backwards(copy, 4), AP_MESH_MAGIC);
    ck_assert_uint_eq(read_backwards(copy + offsetof(apart_mesh, vertices), 8), m->vertices);
    ck_assert_uint_eq(read_backwards(copy + offsetof(apart_mesh, report.vertices), 4), m->report.vertices);
    /* Everything behind the header but the vertices is in words of four bytes. */
    for (size_t at = sizeof *m; at < size;) {
        const size_t word = at >= m->vertices && at < m->triangles ? 8 : 4;
        uint64_t bits = 0;
        memcpy(&bits, (const char *)m + at, word); /* on a machine that is little-endian */
        ck_assert_uint_eq(read_backwards(copy + at, word), bits);
        at += word;
    }
    uint64_t area;
    memcpy(&area, &m->report.area, sizeof area);
    ck_assert_uint_eq(read_backwards(copy + offsetof(apart_mesh, report.area), 8), area);
    ck_assert(ap_mesh_turn_bytes(copy, size));
    ck_assert_int_eq(memcmp(copy, m, size), 0);
    ck_assert_int_eq(apart_mesh_convert(copy, size), APART_OK);
    ck_assert_uint_eq(copy[0], AP_MESH_MAGIC & 0xffu);
    ck_assert_int_eq(apart_mesh_convert(copy, size), APART_OK);
    ck_assert_int_eq(apart_mesh_view(copy, size, &view), APART_OK);
    ck_assert_int_eq(apart_mesh_convert(NULL, size), APART_ERR_NULL);
    ck_assert_int_eq(apart_mesh_convert(copy, size - 1), APART_ERR_BLOCK);
    copy[1] ^= 1;
    ck_assert_int_eq(apart_mesh_convert(copy, size), APART_ERR_BLOCK);
    free(copy);
    apart_mesh_free(m);
}
END_TEST

START_TEST(trees_hold_their_triangles)
{
    random_source r = seed;
    static const double factors[] = {1.0, 1e-6, 1e6, 1e100, 1e-100};
    for (int i = 0; i < 20; i++) {
        triangle_list list = i % 4 == 0   ? loose_triangles(&r, 1 + random_below(&r, 400), 0.3)
                             : i % 4 == 1 ? bumpy_ring(&r, 3 + random_below(&r, 20), 3 + random_below(&r, 20))
                                          : bumpy_sphere(&r, 3 + random_below(&r, 20), 3 + random_below(&r, 20));
        triangle_list_place(&list, factors[i % 5], i % 3 == 0 ? vec(1e6 * factors[i % 5], 0, 0) : vec(0, 0, 0));
        apart_mesh *one, *two, *three;
        ck_assert_int_eq(triangle_list_build(&list, 1, &one), APART_OK);
        ck_assert_int_eq(triangle_list_build(&list, 2, &two), APART_OK);
        ck_assert_int_eq(triangle_list_build(&list, 3, &three), APART_OK);
        check_same_bits(one, two);
        check_same_bits(one, three);
        check_kept(one, &list);
        check_tree(one);
        check_round_trip(one);
        apart_mesh_free(one);
        apart_mesh_free(two);
        apart_mesh_free(three);
        triangle_list_free(&list);
    }
}
END_TEST

START_TEST(equal_positions_are_one_vertex)
{
    const apart_vec3 p[] = {{0.0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {9, 9, 9}};
    const uint32_t t[] = {0, 1, 2, 3, 5, 4};
    const apart_vertices vertices = {.data = p, .count = 7};
    apart_mesh *m;
    ck_assert_int_eq(apart_mesh_build(&vertices, t, 2, NULL, &m), APART_OK);
    uint32_t a[3], b[3];
    apart_mesh_triangle(m, 0, a);
    apart_mesh_triangle(m, 1, b);
    ck_assert_uint_eq(apart_mesh_inspect(m)->vertices, 4);
    ck_assert_uint_eq(apart_mesh_inspect(m)->triangles, 2);
    ck_assert(a[0] == b[0] && a[1] == b[2]);
    apart_mesh_free(m);
    float f[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t one[] = {2, 0, 1};
    const apart_vertices floats = {.data = f, .count = 3, .number = APART_FLOAT};
    ck_assert_int_eq(apart_mesh_build(&floats, one, 1, NULL, &m), APART_OK);
    apart_mesh_triangle(m, 0, a);
    ck_assert(apart_mesh_vertex(m, a[0]).y == 1.0 && apart_mesh_vertex(m, a[2]).x == 1.0);
    apart_mesh_free(m);
}
END_TEST

START_TEST(bad_input_gets_a_status)
{
    double p[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t t[3] = {0, 1, 2};
    apart_vertices v = {.data = p, .count = 3};
    apart_mesh_options options = {.threads = 0};
    apart_mesh *m = NULL;
    ck_assert_int_eq(apart_mesh_build(NULL, t, 1, NULL, &m), APART_ERR_NULL);
    ck_assert_int_eq(apart_mesh_build(&v, NULL, 1, NULL, &m), APART_ERR_NULL);
    ck_assert_int_eq(apart_mesh_build(&v, t, 1, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_mesh_build(&v, t, 0, NULL, &m), APART_ERR_EMPTY);
    ck_assert_int_eq(apart_mesh_build(&v, t, (size_t)1 << 28, NULL, &m), APART_ERR_SIZE);
    v.number = 2;
    ck_assert_int_eq(apart_mesh_build(&v, t, 1, NULL, &m), APART_ERR_OPTION);
    v.number = APART_DOUBLE;
    options.threads = 1u << 20;
    ck_assert_int_eq(apart_mesh_build(&v, t, 1, &options, &m), APART_ERR_OPTION);
    t[1] = 3;
    ck_assert_int_eq(apart_mesh_build(&v, t, 1, NULL, &m), APART_ERR_ID);
    t[1] = 1;
    p[4] = NAN;
    ck_assert_int_eq(apart_mesh_build(&v, t, 1, NULL, &m), APART_ERR_NONFINITE);
    p[4] = 0x1p1001;
    ck_assert_int_eq(apart_mesh_build(&v, t, 1, NULL, &m), APART_ERR_OVERFLOW);
    ck_assert_ptr_null(m);
}
END_TEST

/* An allocator that fails at the n-th call. */
static int calls_left;

static void *failing_allocate(size_t size, void *user)
{
    (void)user;
    return calls_left-- > 0 ? malloc(size) : NULL;
}

static void failing_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

START_TEST(allocations_may_fail)
{
    random_source r = seed;
    triangle_list list = bumpy_ring(&r, 9, 9);
    const apart_vertices vertices = {.data = list.vertices, .count = list.vertex_count};
    const apart_mesh_options options = {.allocator = {failing_allocate, failing_release, NULL}};
    apart_mesh *m = NULL;
    apart_status status = APART_ERR_MEMORY;
    for (int n = 0; n < 100 && status != APART_OK; n++) {
        calls_left = n;
        status = apart_mesh_build(&vertices, &list.triangles[0][0], list.triangle_count, &options, &m);
        ck_assert(status == APART_OK || status == APART_ERR_MEMORY);
        ck_assert(status == APART_OK || m == NULL);
    }
    ck_assert_int_eq(status, APART_OK);
    apart_mesh_free(m);
    triangle_list_free(&list);
}
END_TEST

/* A block with a flipped bit is refused, or it is an intact block of another mesh. */
START_TEST(corrupted_blocks_are_refused)
{
    random_source r = seed + 7;
    triangle_list list = bumpy_ring(&r, 12, 8);
    apart_mesh *m;
    ck_assert_int_eq(triangle_list_build(&list, 0, &m), APART_OK);
    const size_t size = apart_mesh_size(m);
    char *memory = malloc(size);
    const apart_mesh *view;
    int accepted = 0;
    for (int i = 0; i < 4000; i++) {
        const size_t at = random_below(&r, (unsigned)size);
        memcpy(memory, m, size);
        memory[at] ^= (char)(1u << random_below(&r, 8));
        if (apart_mesh_view(memory, size, &view) == APART_OK) {
            check_tree(view);
            accepted++;
        }
    }
    printf("%d of 4000 blocks accepted: they describe other meshes\n", accepted);
    ck_assert_int_lt(accepted, 1000);
    free(memory);
    apart_mesh_free(m);
    triangle_list_free(&list);
}
END_TEST

START_TEST(awkward_meshes_are_built)
{
    enum { many = 100000 };
    triangle_list list = {malloc(3 * sizeof(apart_vec3)), malloc(many * sizeof(uint32_t[3])), 3, many};
    const apart_vec3 flat[3][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                   {{5, 5, 5}, {5, 5, 5}, {5, 5, 5}},
                                   {{1e300, 0, 0}, {-1e300, 0, 0}, {0, 1e-300, 0}}};
    for (uint32_t i = 0; i < many; i++) {
        memcpy(list.triangles[i], (const uint32_t[3]){i % 3, (i + 1) % 3, (i + 2) % 3}, sizeof(uint32_t[3]));
    }
    for (int i = 0; i < 3; i++) {
        apart_mesh *m;
        memcpy(list.vertices, flat[i], sizeof flat[i]);
        ck_assert_int_eq(triangle_list_build(&list, 2, &m), APART_OK);
        check_round_trip(m);
        apart_mesh_free(m);
    }
    triangle_list_free(&list);
}
END_TEST

/* Each triangle is half as large and half as far as the one before it: splits by area alone would go down for ever. */
START_TEST(uneven_meshes_are_shallow)
{
    enum { many = 900 };
    triangle_list list = {malloc(3 * many * sizeof(apart_vec3)), malloc(many * sizeof(uint32_t[3])), 3 * many, many};
    for (uint32_t i = 0; i < many; i++) {
        const double x = ldexp(1.0, -(int)i);
        list.vertices[3 * i] = vec(x, 0, 0);
        list.vertices[3 * i + 1] = vec(x, x / 4, 0);
        list.vertices[3 * i + 2] = vec(x, 0, x / 4);
        memcpy(list.triangles[i], (const uint32_t[3]){3 * i, 3 * i + 1, 3 * i + 2}, sizeof(uint32_t[3]));
    }
    apart_mesh *m;
    ck_assert_int_eq(triangle_list_build(&list, 2, &m), APART_OK);
    check_tree(m);
    check_round_trip(m);
    apart_mesh_free(m);
    triangle_list_free(&list);
}
END_TEST

START_TEST(models_take_little_memory)
{
    static const char *const names[] = {"spot.obj", "cow.obj", "rocker-arm.obj", "fandisk.obj", "stanford-bunny.obj"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        triangle_list list;
        apart_mesh *one, *two;
        if (!shared_model(names[i], &list)) {
            return;
        }
        ck_assert_int_eq(triangle_list_build(&list, 1, &one), APART_OK);
        ck_assert_int_eq(triangle_list_build(&list, 2, &two), APART_OK);
        check_same_bits(one, two);
        check_round_trip(one);
        const double bytes = (double)apart_mesh_size(one) / list.triangle_count;
        printf("%s: %.1f bytes a triangle\n", names[i], bytes);
        ck_assert_double_le(bytes, 120.0);
        apart_mesh_free(one);
        apart_mesh_free(two);
        triangle_list_free(&list);
    }
}
END_TEST

int main(void)
{
    seed = random_seed("mesh");
    Suite *suite = suite_create("mesh");
    TCase *all = tcase_create("blocks");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, trees_hold_their_triangles);
    tcase_add_test(all, files_are_little_endian);
    tcase_add_test(all, equal_positions_are_one_vertex);
    tcase_add_test(all, bad_input_gets_a_status);
    tcase_add_test(all, allocations_may_fail);
    tcase_add_test(all, corrupted_blocks_are_refused);
    tcase_add_test(all, awkward_meshes_are_built);
    tcase_add_test(all, uneven_meshes_are_shallow);
    tcase_add_test(all, models_take_little_memory);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
