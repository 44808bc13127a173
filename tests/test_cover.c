/* Convex covers: the hulls contain the mesh, by a check of its own in long double; the excess is an upper bound; the
 * proof refuses what is not covered; bad input has a status. */
#include <apart/cover.h>
#include <stdlib.h>
#include <string.h>

#include "cover_checks.h"
#include "mesh_bodies.h"
#include "run_suite.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- known bodies ---- */

/* A prism over a polygon in the plane, from z = 0 to 1; `caps` are its triangles. */
static triangle_list make_prism(const double (*outline)[2], uint32_t count, const uint32_t (*caps)[3],
                                uint32_t cap_count)
{
    triangle_list m = {malloc(2 * count * sizeof(apart_vec3)), malloc(2 * (count + cap_count) * sizeof(uint32_t[3])),
                       2 * count, 0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t next = (i + 1) % count, side[2][3] = {{i, next, count + next}, {i, count + next, count + i}};
        m.vertices[i] = (apart_vec3){outline[i][0], outline[i][1], 0};
        m.vertices[count + i] = (apart_vec3){outline[i][0], outline[i][1], 1};
        memcpy(m.triangles[m.triangle_count], side, sizeof side);
        m.triangle_count += 2;
    }
    for (uint32_t i = 0; i < cap_count; i++) {
        const uint32_t *c = caps[i], pair[2][3] = {{c[0], c[2], c[1]}, {count + c[0], count + c[1], count + c[2]}};
        memcpy(m.triangles[m.triangle_count], pair, sizeof pair);
        m.triangle_count += 2;
    }
    return m;
}

static triangle_list make_cube(void)
{
    static const double outline[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const uint32_t caps[][3] = {{0, 1, 2}, {0, 2, 3}};
    return make_prism(outline, 4, caps, 2);
}

static triangle_list make_angle(void)
{
    static const double outline[][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
    static const uint32_t caps[][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
    return make_prism(outline, 6, caps, 4);
}

static double volume_of(const apart_cover *cover)
{
    double sum = 0;
    for (uint32_t h = 0; h < apart_cover_count(cover); h++) {
        sum += apart_hull_volume(apart_cover_hull(cover, h));
    }
    return sum;
}

START_TEST(convex_bodies_are_their_own_cover)
{
    triangle_list cube = make_cube();
    for (uint32_t hulls = 1; hulls <= 16; hulls *= 4) {
        apart_cover *cover = cover_of(&cube, hulls, 1);
        const apart_hull *hull = apart_cover_hull(cover, 0);
        ck_assert_uint_eq(apart_cover_count(cover), 1);
        ck_assert_uint_eq(apart_hull_vertex_count(hull), 8);
        ck_assert(apart_hull_volume(hull) == 1);
        ck_assert_double_le(apart_cover_excess(cover), 1e-7);
        ck_assert_ptr_null(apart_cover_hull(cover, 1));
        apart_cover_free(cover);
    }
    /* The surface alone: the middle of the cube is half its width away. */
    apart_cover *cover = cover_of(&cube, 1, 0);
    ck_assert_double_ge(apart_cover_excess(cover), 0.5);
    ck_assert_double_le(apart_cover_excess(cover), 0.5 * 1.06);
    apart_cover_free(cover);
    triangle_list_free(&cube);
}
END_TEST

/* Two boxes are an angle; one hull adds the triangle between its ends, whose farthest point from the angle is in the
 * middle of the long edge: half a unit from either leg. */
START_TEST(an_angle_is_two_boxes)
{
    triangle_list angle = make_angle();
    apart_cover *cover = cover_of(&angle, 1, 1);
    ck_assert_double_eq_tol(volume_of(cover), 7, 1e-12);
    ck_assert_double_ge(apart_cover_excess(cover), 1);
    ck_assert_double_le(apart_cover_excess(cover), 1.06);
    apart_cover_free(cover);
    cover = cover_of(&angle, 2, 1);
    ck_assert_uint_eq(apart_cover_count(cover), 2);
    ck_assert_double_eq_tol(volume_of(cover), 5, 1e-11);
    ck_assert_double_le(apart_cover_excess(cover), 1e-6);
    cover_check_triangles(&angle, cover, 1);
    cover_check_inside(&angle, cover, 1000);
    apart_cover_free(cover);
    apart_cover *fine = NULL;
    const apart_cover_options options = {.excess = 1e-3, .solid = 1};
    ck_assert_int_eq(cover_build(&angle, &options, &fine), APART_OK);
    ck_assert_uint_eq(apart_cover_count(fine), 2);
    apart_cover_free(fine);
    triangle_list_free(&angle);
}
END_TEST

/* A body far from its origin, very small, very large. */
START_TEST(covers_of_bodies_anywhere)
{
    static const struct {
        double factor;
        apart_vec3 offset;
    } places[] = {{1, {1e6, -1e6, 3e5}}, {1e-6, {0, 0, 0}}, {1e6, {0, 0, 0}}, {1e-80, {0, 0, 0}}, {1e80, {0, 0, 0}}};
    random_source r = 5;
    triangle_list ring = bumpy_ring(&r, 8, 16);
    triangle_list_place(&ring, places[_i].factor, places[_i].offset);
    apart_cover *cover = cover_of(&ring, 8, 1);
    const double size = apart_cover_excess(cover) / places[_i].factor;
    ck_assert_double_gt(size, 1e-3);
    ck_assert_double_lt(size, 0.5);
    cover_check_triangles(&ring, cover, 1);
    cover_check_excess(&ring, cover, true, 50);
    apart_cover_free(cover);
    triangle_list_free(&ring);
}
END_TEST

/* ---- real meshes ---- */

static const struct {
    const char *name;
    bool solid;
    uint32_t hulls, step;
} models[] = {
    {"suzanne.obj", false, 8, 1},
    {"iiwa14-link4.stl", true, 8, 1},
    {"differential-carrier.stl", true, 8, 11},
    {"robotiq-inner-finger.stl", false, 4, 11},
    {"env.obj", false, 16, 3}, /* from here on: if the program has an argument */
    {"rob.obj", false, 4, 1},
    {"teapot.obj", false, 4, 7},
    {"cow.obj", true, 8, 37},
    {"spot.obj", true, 16, 37},
    {"fandisk.obj", true, 4, 67},
    {"homer.obj", true, 4, 67},
    {"rocker-arm.obj", true, 8, 131},
    {"differential-gear.stl", true, 4, 131},
    {"stanford-bunny.obj", false, 32, 499},
};

enum { FEW_MODELS = 4 };

START_TEST(covers_of_models)
{
    triangle_list m;
    if (!shared_model(models[_i].name, &m)) {
        return;
    }
    apart_cover *one = cover_of(&m, 1, models[_i].solid), *cover = cover_of(&m, models[_i].hulls, models[_i].solid);
    const apart_cover_claim claim = apart_cover_claim_of(cover);
    ck_assert(cover_proof_of(&m, &claim).covered);
    cover_check_triangles(&m, cover, models[_i].step);
    cover_check_excess(&m, cover, models[_i].solid, (int)(100000 / m.triangle_count) + 1);
    ck_assert_double_le(apart_cover_excess(cover), 1.01 * apart_cover_excess(one));
    ck_assert_double_le(volume_of(one) * 0.9, apart_hull_volume(apart_cover_hull(one, 0)));
    if (models[_i].solid) {
        cover_check_inside(&m, cover, (int)(500000 / m.triangle_count));
    }
    printf("%s: %u hulls, excess %.3g (one hull: %.3g)\n", models[_i].name, apart_cover_count(cover),
           apart_cover_excess(cover), apart_cover_excess(one));
    apart_cover_free(one);
    apart_cover_free(cover);
    triangle_list_free(&m);
}
END_TEST

START_TEST(more_hulls_are_nearer)
{
    random_source r = 3;
    triangle_list ring = bumpy_ring(&r, 10, 20);
    double last = INFINITY;
    for (uint32_t hulls = 1; hulls <= 32; hulls *= 4) {
        apart_cover *cover = cover_of(&ring, hulls, 1);
        const double seen = cover_check_excess(&ring, cover, true, 100), excess = apart_cover_excess(cover);
        printf("ring: %u hulls, excess %.3g, seen %.3g\n", apart_cover_count(cover), excess, seen);
        ck_assert_double_lt(excess, last);
        cover_check_triangles(&ring, cover, 1);
        cover_check_inside(&ring, cover, 500);
        last = excess;
        apart_cover_free(cover);
    }
    ck_assert_double_lt(last, 0.1);
    triangle_list_free(&ring);
}
END_TEST

/* ---- the proof ---- */

/* Every single hull that is made smaller by a millionth is missed, in each cover. */
START_TEST(shrunken_hulls_are_refused)
{
    random_source r = 17;
    triangle_list bodies[] = {make_cube(), make_angle(), bumpy_ring(&r, 10, 20), bumpy_sphere(&r, 10, 20)};
    for (size_t b = 0; b < COUNT(bodies); b++) {
        for (int solid = 0; solid < 2; solid++) {
            apart_cover *cover = cover_of(&bodies[b], 6, solid);
            apart_cover_claim claim = apart_cover_claim_of(cover);
            const uint32_t count = apart_cover_count(cover);
            const apart_hull **hulls = malloc(count * sizeof *hulls);
            memcpy(hulls, claim.hulls, count * sizeof *hulls);
            claim.hulls = hulls;
            ck_assert(cover_proof_of(&bodies[b], &claim).covered);
            for (uint32_t h = 0; h < count; h++) {
                apart_hull *smaller = hull_shrunk(apart_cover_hull(cover, h), 1e-6);
                hulls[h] = smaller;
                const apart_cover_proof proof = cover_proof_of(&bodies[b], &claim);
                ck_assert(!proof.covered);
                ck_assert_uint_eq(proof.hull, h);
                ck_assert(height_above(smaller, proof.point) > -1e-9);
                hulls[h] = apart_cover_hull(cover, h);
                apart_hull_free(smaller);
            }
            free(hulls);
            apart_cover_free(cover);
        }
        triangle_list_free(&bodies[b]);
    }
}
END_TEST

/* Cuts that were moved, leaves that were exchanged or lost their hull, corners of the solid that no hull has. */
START_TEST(other_claims_are_refused)
{
    triangle_list angle = make_angle();
    apart_cover *cover = cover_of(&angle, 2, 1);
    apart_cover_claim claim = apart_cover_claim_of(cover);
    apart_cover_node nodes[64];
    ck_assert_uint_le(claim.node_count, 64);
    memcpy(nodes, claim.nodes, claim.node_count * sizeof *nodes);
    claim.nodes = nodes;
    ck_assert(cover_proof_of(&angle, &claim).covered);
    for (uint32_t i = 0; i < claim.node_count; i++) {
        const apart_cover_node kept = nodes[i];
        if (kept.axis == APART_COVER_LEAF && kept.below != APART_COVER_NOTHING) {
            nodes[i].below = 1 - kept.below;
            ck_assert(!cover_proof_of(&angle, &claim).covered);
            nodes[i].below = APART_COVER_NOTHING;
            ck_assert_uint_eq(cover_proof_of(&angle, &claim).hull, APART_COVER_NOTHING);
            nodes[i] = kept;
        }
    }
    /* The wrong hull for all: NULL nodes mean one leaf with hull 0. */
    claim.nodes = NULL;
    ck_assert(!cover_proof_of(&angle, &claim).covered);
    /* The cut between two boxes, right, and by a thousandth off. */
    static const double tall[] = {-1, -1, -1, 1 + 1e-9, -1, -1, -1, 4, -1, 1 + 1e-9, 4, -1,
                                  -1, -1, 2,  1 + 1e-9, -1, 2,  -1, 4, 2,  1 + 1e-9, 4, 2},
                        wide_box[] = {1 - 1e-9, -1, -1, 4, -1, -1, 1 - 1e-9, 1.1, -1, 4, 1.1, -1,
                                      1 - 1e-9, -1, 2,  4, -1, 2,  1 - 1e-9, 1.1, 2,  4, 1.1, 2};
    apart_hull *boxes[2];
    ck_assert_int_eq(apart_hull_build(tall, 8, NULL, &boxes[0]), APART_OK);
    ck_assert_int_eq(apart_hull_build(wide_box, 8, NULL, &boxes[1]), APART_OK);
    apart_cover_node cut[] = {{1, 0, 1, 2}, {0, 3, 0, 0}, {0, 3, 1, 0}};
    claim = (apart_cover_claim){(const apart_hull *const *)boxes, 2, cut, 3, 1};
    ck_assert(cover_proof_of(&angle, &claim).covered);
    cut[0].at = 1.001;
    ck_assert(!cover_proof_of(&angle, &claim).covered);
    cut[0].at = 0.999;
    ck_assert(!cover_proof_of(&angle, &claim).covered);
    apart_hull_free(boxes[0]);
    apart_hull_free(boxes[1]);
    apart_cover_free(cover);
    triangle_list_free(&angle);
}
END_TEST

/* The eight corners of the middle cell of a cube are inside; the middle has no surface at all. */
START_TEST(the_inside_is_proved_too)
{
    triangle_list cube = make_cube();
    const double low = 0.25, high = 0.75;
    const apart_cover_node nodes[] = {{low, 0, 1, 2},
                                      {0, 3, 0, 0},
                                      {high, 0, 4, 3},
                                      {0, 3, 0, 0},
                                      {low, 1, 5, 6},
                                      {0, 3, 0, 0},
                                      {high, 1, 8, 7},
                                      {0, 3, 0, 0},
                                      {low, 2, 9, 10},
                                      {0, 3, 0, 0},
                                      {high, 2, 12, 11},
                                      {0, 3, 0, 0},
                                      {0, 3, APART_COVER_NOTHING, 0}};
    apart_cover *cover = cover_of(&cube, 1, 0);
    const apart_hull *larger = hull_shrunk(apart_cover_hull(cover, 0), -1e-6);
    apart_cover_claim claim = {&larger, 1, nodes, COUNT(nodes), 0};
    ck_assert(cover_proof_of(&cube, &claim).covered);
    claim.solid = 1;
    const apart_cover_proof proof = cover_proof_of(&cube, &claim);
    ck_assert(!proof.covered && proof.triangle == UINT32_MAX && proof.hull == APART_COVER_NOTHING);
    ck_assert(proof.point.x == low && proof.point.y == low && proof.point.z == low);
    apart_hull_free((apart_hull *)larger);
    apart_cover_free(cover);
    triangle_list_free(&cube);
}
END_TEST

START_TEST(broken_trees_have_a_status)
{
    triangle_list cube = make_cube();
    apart_cover *cover = cover_of(&cube, 1, 0);
    const apart_vertices vertices = {.data = cube.vertices, .count = cube.vertex_count};
    const struct {
        apart_cover_node nodes[3];
        uint32_t count;
        apart_status status;
    } trees[] = {
        {{{0.5, 0, 1, 1}, {0, 3, 0, 0}}, 2, APART_ERR_ID},               /* one part twice */
        {{{0.5, 0, 0, 1}, {0, 3, 0, 0}}, 2, APART_ERR_ID},               /* a circle */
        {{{0.5, 0, 1, 7}, {0, 3, 0, 0}}, 2, APART_ERR_ID},               /* no such node */
        {{{0.5, 4, 1, 2}, {0, 3, 0, 0}, {0, 3, 0, 0}}, 3, APART_ERR_ID}, /* no such axis */
        {{{0, 3, 1, 0}}, 1, APART_ERR_ID},                               /* no such hull */
        {{{0, 3, 0, 0}, {0, 3, 0, 0}}, 2, APART_ERR_ID},                 /* not reached */
        {{{NAN, 0, 1, 2}, {0, 3, 0, 0}, {0, 3, 0, 0}}, 3, APART_ERR_NONFINITE},
        {{{0, 0, 0, 0}}, 0, APART_ERR_EMPTY},
    };
    for (size_t i = 0; i < COUNT(trees); i++) {
        apart_cover_claim claim = apart_cover_claim_of(cover);
        apart_cover_proof proof;
        claim.nodes = trees[i].nodes;
        claim.node_count = trees[i].count;
        ck_assert_int_eq(apart_cover_check(&vertices, &cube.triangles[0][0], cube.triangle_count, &claim, NULL, &proof),
                         trees[i].status);
    }
    apart_cover_free(cover);
    triangle_list_free(&cube);
}
END_TEST

/* ---- bad and odd input ---- */

START_TEST(bad_input_has_a_status)
{
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, nan[] = {0, 0, 0, 1, 0, 0, 0, NAN, 0},
                        huge[] = {0, 0, 0, 1e300, 0, 0, 0, 1, 0};
    static const uint32_t triangle[] = {0, 1, 2}, beyond[] = {0, 1, 3};
    const apart_vertices good = {.data = xyz, .count = 3}, bad = {.data = nan, .count = 3},
                         large = {.data = huge, .count = 3};
    const apart_cover_options negative = {.excess = -1}, many = {.hulls = 5000}, solid = {.solid = 1};
    apart_cover *cover = NULL;
    apart_cover_proof proof;
    ck_assert_int_eq(apart_cover_build(NULL, triangle, 1, NULL, &cover), APART_ERR_NULL);
    ck_assert_int_eq(apart_cover_build(&good, NULL, 1, NULL, &cover), APART_ERR_NULL);
    ck_assert_int_eq(apart_cover_build(&good, triangle, 1, NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_cover_build(&good, triangle, 0, NULL, &cover), APART_ERR_EMPTY);
    ck_assert_int_eq(apart_cover_build(&good, beyond, 1, NULL, &cover), APART_ERR_ID);
    ck_assert_int_eq(apart_cover_build(&bad, triangle, 1, NULL, &cover), APART_ERR_NONFINITE);
    ck_assert_int_eq(apart_cover_build(&large, triangle, 1, NULL, &cover), APART_ERR_OVERFLOW);
    ck_assert_int_eq(apart_cover_build(&good, triangle, 1, &negative, &cover), APART_ERR_OPTION);
    ck_assert_int_eq(apart_cover_build(&good, triangle, 1, &many, &cover), APART_ERR_OPTION);
    ck_assert_int_eq(apart_cover_build(&good, triangle, 1, &solid, &cover), APART_ERR_NOT_WATERTIGHT);
    ck_assert_int_eq(apart_cover_build(&good, triangle, (size_t)1 << 28, NULL, &cover), APART_ERR_SIZE);
    ck_assert_ptr_null(cover);
    ck_assert_int_eq(apart_cover_check(&good, triangle, 1, NULL, NULL, &proof), APART_ERR_NULL);
    apart_cover_free(NULL);
}
END_TEST

/* Points, lines and planes as meshes; and very many triangles in one place. */
START_TEST(meshes_without_volume)
{
    enum { MANY = 5000 };
    static const apart_vec3 sets[][4] = {{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}},
                                         {{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {3, 6, 9}},
                                         {{0, 0, 0}, {0.1, 0.2, 0.3}, {1.1, 2.1, 3.7}, {1.2, 2.3, 4}},
                                         {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    triangle_list m = {malloc(4 * sizeof(apart_vec3)), malloc(MANY * sizeof(uint32_t[3])), 4, MANY};
    for (uint32_t t = 0; t < MANY; t++) {
        for (uint32_t k = 0; k < 3; k++) {
            m.triangles[t][k] = (t + k) % 4;
        }
    }
    for (size_t i = 0; i < COUNT(sets); i++) {
        memcpy(m.vertices, sets[i], sizeof sets[i]);
        apart_cover *cover = cover_of(&m, 8, 0);
        const apart_cover_claim claim = apart_cover_claim_of(cover);
        ck_assert(cover_proof_of(&m, &claim).covered);
        ck_assert_double_le(apart_cover_excess(cover), 2e-3); /* an upper bound: several triangles make one plane */
        apart_cover_free(cover);
    }
    triangle_list_free(&m);
}
END_TEST

START_TEST(loose_triangles_are_covered)
{
    random_source r = 23;
    triangle_list m = loose_triangles(&r, 300, 0.2);
    apart_cover *cover = cover_of(&m, 20, 0);
    cover_check_triangles(&m, cover, 1);
    cover_check_excess(&m, cover, false, 200);
    apart_cover_free(cover);
    triangle_list_free(&m);
}
END_TEST

/* ---- memory, progress, bits ---- */

typedef struct memory_log {
    size_t live, calls, fail_at; /* 0: never */
} memory_log;

static void *log_allocate(size_t size, void *user)
{
    memory_log *log = user;
    if (++log->calls == log->fail_at) {
        return NULL;
    }
    log->live++;
    return malloc(size);
}

static void log_release(void *memory, void *user)
{
    ((memory_log *)user)->live--;
    free(memory);
}

START_TEST(all_memory_is_the_callers)
{
    memory_log log = {0, 0, 0};
    triangle_list angle = make_angle();
    apart_cover_options options = {.allocator = {log_allocate, log_release, &log}, .hulls = 2, .solid = 1};
    apart_cover *cover = NULL;
    ck_assert_int_eq(cover_build(&angle, &options, &cover), APART_OK);
    const size_t calls = log.calls;
    ck_assert_uint_gt(log.live, 0);
    apart_cover_free(cover);
    ck_assert_uint_eq(log.live, 0);
    for (size_t fail = 1; fail <= calls; fail += 1 + fail / 20) {
        log = (memory_log){.fail_at = fail};
        cover = NULL;
        ck_assert_int_eq(cover_build(&angle, &options, &cover), APART_ERR_MEMORY);
        ck_assert_ptr_null(cover);
        ck_assert_uint_eq(log.live, 0);
    }
    triangle_list_free(&angle);
}
END_TEST

typedef struct watch {
    double last;
    int calls, stop_at;
} watch;

static int watch_progress(double share, void *user)
{
    watch *w = user;
    ck_assert(share >= w->last && share <= 1);
    w->last = share;
    return ++w->calls == w->stop_at;
}

START_TEST(progress_rises_and_may_stop)
{
    random_source r = 29;
    triangle_list ring = bumpy_ring(&r, 10, 20);
    watch w = {0, 0, 0};
    apart_cover_options options = {.hulls = 8, .solid = 1, .progress = watch_progress, .user = &w};
    apart_cover *cover = NULL;
    ck_assert_int_eq(cover_build(&ring, &options, &cover), APART_OK);
    ck_assert_int_gt(w.calls, 10);
    ck_assert(w.last == 1);
    apart_cover_free(cover);
    for (int stop = 1; stop < 40; stop += 6) {
        w = (watch){0, 0, stop};
        ck_assert_int_eq(cover_build(&ring, &options, &cover), APART_OK);
        const apart_cover_claim claim = apart_cover_claim_of(cover);
        ck_assert(cover_proof_of(&ring, &claim).covered);
        ck_assert_uint_le(apart_cover_count(cover), 8);
        apart_cover_free(cover);
    }
    triangle_list_free(&ring);
}
END_TEST

/* A cover of more hulls lies in that of fewer: neither its excess nor the space it takes grows (but for hulls that
 * are joined as they are near enough: 6e-8 of the size). */
START_TEST(every_hull_more_helps_or_does_no_harm)
{
    random_source r = 31;
    triangle_list bodies[3] = {bumpy_ring(&r, 10, 20), make_angle(), loose_triangles(&r, 60, 0.3)};
    for (int i = 0; i < 3; i++) {
        double last = INFINITY;
        apart_vec3 points[200];
        for (int k = 0; k < 200; k++) {
            points[k] = random_vector(&r, 1.0);
        }
        bool was_out[200] = {false};
        for (uint32_t hulls = 1; hulls <= 8; hulls++) {
            apart_cover *cover = cover_of(&bodies[i], hulls, i < 2);
            ck_assert_double_le(apart_cover_excess(cover), last * (1 + 1e-9) + 1e-6);
            last = apart_cover_excess(cover);
            for (int k = 0; k < 200; k++) {
                ck_assert(!was_out[k] || !some_hull_holds(cover, points[k], -1e-6));
                was_out[k] = was_out[k] || !some_hull_holds(cover, points[k], 1e-6);
            }
            apart_cover_free(cover);
        }
        triangle_list_free(&bodies[i]);
    }
}
END_TEST

/* Floats with a stride give the same cover as doubles; a cover is a compound; the same input has the same bits. */
START_TEST(the_same_cover_again)
{
    struct {
        float x, y, z, other;
    } strided[12];
    triangle_list angle = make_angle();
    for (uint32_t i = 0; i < angle.vertex_count; i++) {
        const apart_vec3 p = angle.vertices[i];
        strided[i].x = (float)p.x;
        strided[i].y = (float)p.y;
        strided[i].z = (float)p.z;
    }
    const apart_vertices vertices = {strided, angle.vertex_count, sizeof strided[0], APART_FLOAT};
    const apart_cover_options options = {.hulls = 2, .solid = 1};
    apart_cover *one = cover_of(&angle, 2, 1), *two = NULL;
    ck_assert_int_eq(apart_cover_build(&vertices, &angle.triangles[0][0], angle.triangle_count, &options, &two),
                     APART_OK);
    ck_assert(apart_cover_excess(one) == apart_cover_excess(two));
    for (uint32_t h = 0; h < 2; h++) {
        const apart_hull *a = apart_cover_hull(one, h), *b = apart_cover_hull(two, h);
        ck_assert_uint_eq(apart_hull_vertex_count(a), apart_hull_vertex_count(b));
        for (uint32_t v = 0; v < apart_hull_vertex_count(a); v++) {
            const apart_vec3 p = apart_hull_vertex(a, v), q = apart_hull_vertex(b, v);
            ck_assert(memcmp(&p, &q, sizeof p) == 0);
        }
    }
    apart_compound *body = NULL;
    apart_compound_result result;
    const apart_shape ball = apart_sphere(0.25);
    const apart_pose here = apart_pose_identity(), notch = apart_pose_translation(2, 2, 0.5);
    ck_assert_int_eq(apart_cover_compound(one, NULL, &body), APART_OK);
    ck_assert_uint_eq(apart_compound_count(body), 2);
    ck_assert_int_eq(apart_compound_distance(apart_solid_compound(body), &here, apart_solid_shape(&ball), &notch, NULL,
                                             NULL, &result),
                     APART_OK);
    ck_assert_double_eq_tol(result.result.distance, 0.75, 1e-12);
    apart_compound_free(body);
    apart_cover_free(one);
    apart_cover_free(two);
    triangle_list_free(&angle);
}
END_TEST

/* An argument: all models. */
int main(int argc, char **argv)
{
    (void)argv;
    Suite *suite = suite_create("cover");
    TCase *known = tcase_create("known");
    tcase_set_timeout(known, 300);
    tcase_add_test(known, convex_bodies_are_their_own_cover);
    tcase_add_test(known, an_angle_is_two_boxes);
    tcase_add_loop_test(known, covers_of_bodies_anywhere, 0, 5);
    tcase_add_test(known, more_hulls_are_nearer);
    suite_add_tcase(suite, known);
    TCase *real = tcase_create("models");
    tcase_set_timeout(real, 300);
    tcase_add_loop_test(real, covers_of_models, 0, argc > 1 ? (int)COUNT(models) : FEW_MODELS);
    suite_add_tcase(suite, real);
    TCase *proofs = tcase_create("proofs");
    tcase_set_timeout(proofs, 300);
    tcase_add_test(proofs, shrunken_hulls_are_refused);
    tcase_add_test(proofs, other_claims_are_refused);
    tcase_add_test(proofs, the_inside_is_proved_too);
    tcase_add_test(proofs, broken_trees_have_a_status);
    suite_add_tcase(suite, proofs);
    TCase *odd = tcase_create("odd");
    tcase_set_timeout(odd, 300);
    tcase_add_test(odd, bad_input_has_a_status);
    tcase_add_test(odd, meshes_without_volume);
    tcase_add_test(odd, loose_triangles_are_covered);
    tcase_add_test(odd, all_memory_is_the_callers);
    tcase_add_test(odd, progress_rises_and_may_stop);
    tcase_add_test(odd, every_hull_more_helps_or_does_no_harm);
    tcase_add_test(odd, the_same_cover_again);
    suite_add_tcase(suite, odd);
    return run_suite(suite);
}
