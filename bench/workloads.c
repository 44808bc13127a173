/* The workloads W1 to W7: README.md describes them. Every row draws from its own seed, so that a row is the same
 * whichever others run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "../apps/lab/random.h"

typedef enum family {
    HULL,       /* n points on the unit sphere */
    HULL_20_50, /* the same with 20 to 50 points, every body its own */
    BOX,
    BOX_HULL, /* a box given as its eight corners */
    SPHERE,
    CAPSULE,
    CYLINDER,
    CONE
} family;

/* How the bodies must lie in every step of a pair; else the pair is drawn again. */
typedef enum situation {
    DISJOINT,
    OVERLAPPING,
    SHALLOW, /* a depth from 0.005 to 0.1 */
    HALF     /* a coin says which */
} situation;

struct bench_spec {
    char workload[8];
    char variant[40];
    unsigned n;
    bench_question question;
    family a, b;
    situation lie;
    double near, far; /* the centres' distance */
    bool tracked;
    bool batch;                   /* one call a step where a library has one */
    double move;                  /* per step */
    double least_turn, most_turn; /* degrees per step */
};

enum { MAX_SPECS = 128, MAX_POOLS = 16, MAX_DRAWS = 1000000 };

static struct {
    bench_spec spec[MAX_SPECS];
    size_t count;
} table;

/* Hulls that several rows use, by size. */
static struct {
    unsigned n, count;
    apart_hull **hulls;
} pools[MAX_POOLS];

static const unsigned sizes[] = {8, 20, 50, 100, 500, 2000};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

/* --- the rows --- */

static bench_spec *add(const char *workload, const char *variant, unsigned n, family both, situation lie, double near,
                       double far)
{
    bench_spec *s = &table.spec[table.count++];
    *s = (bench_spec){.n = n,
                      .question = lie == DISJOINT ? BENCH_DISTANCE
                                  : lie == HALF   ? BENCH_OVERLAP
                                                  : BENCH_DEPTH,
                      .a = both,
                      .b = both,
                      .lie = lie,
                      .near = near,
                      .far = far};
    snprintf(s->workload, sizeof s->workload, "%s", workload);
    snprintf(s->variant, sizeof s->variant, "%s", variant);
    return s;
}

static void track(bench_spec *s, double move, double least_turn, double most_turn)
{
    s->tracked = true;
    s->move = move;
    s->least_turn = least_turn;
    s->most_turn = most_turn;
}

static void add_w2(void)
{
    static const struct {
        double centers;
        const char *gap;
    } gaps[] = {{8, "3 diameters"}, {4, "1 diameter"}};
    static const unsigned turns[] = {0, 1, 6, 12};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
            char variant[40];
            snprintf(variant, sizeof variant, "%s %u deg", gaps[g].gap, turns[t]);
            for (size_t i = 0; i < SIZE_COUNT; i++) {
                track(add("W2", variant, sizes[i], HULL, DISJOINT, gaps[g].centers, gaps[g].centers), 0.05, 0,
                      turns[t]);
            }
        }
        /* For the flatness from 10 to 2000 vertices: a step is well below the size of a facet of the largest hull
         * (about 0.07). */
        char slow[40];
        snprintf(slow, sizeof slow, "%s slow", gaps[g].gap);
        track(add("W2", slow, 10, HULL, DISJOINT, gaps[g].centers, gaps[g].centers), 0.01, 0, 0);
        track(add("W2", slow, 2000, HULL, DISJOINT, gaps[g].centers, gaps[g].centers), 0.01, 0, 0);
    }
}

static void add_w3(void)
{
    add("W3", "box cold", 0, BOX, DISJOINT, 3, 3);
    track(add("W3", "box tracked 6 deg", 0, BOX, DISJOINT, 4, 4), 0.05, 0, 6);
    bench_spec *boxes = add("W3", "box batch tracked 6 deg", 0, BOX, DISJOINT, 4, 4);
    track(boxes, 0.05, 0, 6);
    boxes->batch = true;
    add("W3", "hull cold", 8, BOX_HULL, DISJOINT, 3, 3);
    track(add("W3", "hull tracked 6 deg", 8, BOX_HULL, DISJOINT, 4, 4), 0.05, 0, 6);
    bench_spec *hulls = add("W3", "hull batch tracked 6 deg", 8, BOX_HULL, DISJOINT, 4, 4);
    track(hulls, 0.05, 0, 6);
    hulls->batch = true;
}

static void add_w4(void)
{
    static const struct {
        const char *name;
        situation lie;
        double near, far;
    } kinds[] = {{"", OVERLAPPING, 0.3, 1.5}, {"shallow ", SHALLOW, 0.6, 2.0}, {"deep ", OVERLAPPING, 0.05, 0.3}};
    static const unsigned depth_sizes[] = {8, 50, 500, 0};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int tracked = 0; tracked < 2; tracked++) {
            for (size_t i = 0; i < sizeof depth_sizes / sizeof *depth_sizes; i++) {
                const unsigned n = depth_sizes[i];
                char variant[40];
                snprintf(variant, sizeof variant, "%s%s%s", kinds[k].name, n == 0 ? "box " : "",
                         tracked ? "tracked" : "cold");
                bench_spec *s = add("W4", variant, n, n == 0 ? BOX : HULL, kinds[k].lie, kinds[k].near, kinds[k].far);
                if (tracked) {
                    track(s, 0.002, 1, 1);
                }
            }
        }
    }
}

static void add_w5(void)
{
    static const struct {
        const char *name;
        family a, b;
        unsigned n;
    } pairs[] = {{"sphere-box", SPHERE, BOX, 0},
                 {"capsule-capsule", CAPSULE, CAPSULE, 0},
                 {"capsule-hull", CAPSULE, HULL, 50},
                 {"cylinder-box", CYLINDER, BOX, 0},
                 {"cone-box", CONE, BOX, 0}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        bench_spec *s = add("W5", pairs[i].name, pairs[i].n, pairs[i].a, DISJOINT, 2.5, 3.5);
        s->b = pairs[i].b;
    }
}

static void fill_table(void)
{
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        add("W1", "cold", sizes[i], HULL, DISJOINT, 3, 3);
    }
    add_w2();
    add_w3();
    add_w4();
    add_w5();
    add("W6", "hull", 8, HULL, HALF, 0.5, 2.5);
    add("W6", "hull", 50, HULL, HALF, 0.5, 2.5);
    add("W6", "hull", 500, HULL, HALF, 0.5, 2.5);
    add("W6", "box", 0, BOX, HALF, 0.5, 2.5);
    track(add("W7", "many pairs tracked 6 deg", 50, HULL_20_50, DISJOINT, 4, 4), 0.05, 0, 6);
}

/* --- bodies --- */

static void die(const char *what, apart_status status)
{
    fprintf(stderr, "bench: %s: %s\n", what, apart_status_message(status));
    exit(1);
}

/* FNV-1a over the names, so that a row's seed depends on nothing but the row. */
static lab_random seed_for(uint64_t seed, const char *workload, const char *variant, unsigned n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (seed * UINT64_C(0x9e3779b97f4a7c15)) ^ n;
    const char *texts[] = {workload, variant};
    for (int t = 0; t < 2; t++) {
        for (const char *p = texts[t]; *p != '\0'; p++) {
            hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
        }
    }
    return (lab_random){hash};
}

static apart_hull *sphere_hull(lab_random *r, unsigned n)
{
    double *xyz = bench_allocate(3 * (size_t)n, sizeof *xyz);
    for (unsigned i = 0; i < n; i++) {
        const apart_vec3 p = lab_random_direction(r);
        xyz[3 * i] = p.x;
        xyz[3 * i + 1] = p.y;
        xyz[3 * i + 2] = p.z;
    }
    apart_hull *hull = NULL;
    const apart_status status = apart_hull_build(xyz, n, NULL, &hull);
    if (status != APART_OK) {
        die("building a hull", status);
    }
    free(xyz);
    return hull;
}

static apart_hull *box_hull(apart_vec3 h)
{
    double xyz[24];
    for (int i = 0; i < 8; i++) {
        xyz[3 * i] = (i & 1) != 0 ? h.x : -h.x;
        xyz[3 * i + 1] = (i & 2) != 0 ? h.y : -h.y;
        xyz[3 * i + 2] = (i & 4) != 0 ? h.z : -h.z;
    }
    apart_hull *hull = NULL;
    const apart_status status = apart_hull_build(xyz, 8, NULL, &hull);
    if (status != APART_OK) {
        die("building a box as a hull", status);
    }
    return hull;
}

/* `count` hulls of n points, built once for all rows of that size. */
static apart_hull **pool(unsigned n, unsigned count, uint64_t seed)
{
    int i = 0;
    while (i < MAX_POOLS && pools[i].n != 0 && !(pools[i].n == n && pools[i].count == count)) {
        i++;
    }
    if (i == MAX_POOLS) {
        fprintf(stderr, "bench: too many sizes of hulls\n");
        exit(1);
    }
    if (pools[i].n == 0) {
        lab_random r = seed_for(seed, "hulls", "", n);
        pools[i].n = n;
        pools[i].count = count;
        pools[i].hulls = bench_allocate(count, sizeof *pools[i].hulls);
        for (unsigned k = 0; k < count; k++) {
            pools[i].hulls[k] = sphere_hull(&r, n);
        }
    }
    return pools[i].hulls;
}

static apart_vec3 random_extents(lab_random *r)
{
    const double x = lab_random_between(r, 0.3, 1.0), y = lab_random_between(r, 0.3, 1.0),
                 z = lab_random_between(r, 0.3, 1.0);
    return (apart_vec3){x, y, z};
}

/* Body i of a family. */
static apart_shape make_body(bench_case *c, family f, unsigned i, size_t slot, const bench_effort *effort,
                             lab_random *r)
{
    switch (f) {
    case HULL: return apart_hull_shape(pool(c->n, effort->hulls, effort->seed)[i]);
    case HULL_20_50: return apart_hull_shape(c->own_hulls[slot] = sphere_hull(r, 20 + lab_random_below(r, 31)));
    case BOX_HULL: return apart_hull_shape(c->own_hulls[slot] = box_hull(random_extents(r)));
    case BOX: return apart_box(random_extents(r));
    case SPHERE: return apart_sphere(lab_random_between(r, 0.3, 1.0));
    case CAPSULE: {
        const double radius = lab_random_between(r, 0.2, 0.5);
        return apart_capsule(radius, lab_random_between(r, 0.3, 1.0));
    }
    case CYLINDER: {
        const double radius = lab_random_between(r, 0.3, 1.0);
        return apart_cylinder(radius, lab_random_between(r, 0.3, 1.0));
    }
    default: {
        const double radius = lab_random_between(r, 0.3, 1.0);
        return apart_cone(radius, lab_random_between(r, 0.3, 1.0));
    }
    }
}

static void make_bodies(bench_case *c, const bench_spec *s, const bench_effort *effort, lab_random *r)
{
    const bool own = s->a == HULL_20_50;
    const unsigned each = own ? 2 * effort->many_pairs : effort->hulls;
    const bool two_kinds = s->a != s->b;
    c->body_count = two_kinds ? 2 * (size_t)each : each;
    c->bodies = bench_allocate(c->body_count, sizeof *c->bodies);
    if (own || s->a == BOX_HULL) {
        c->own_hulls = bench_allocate(c->body_count, sizeof *c->own_hulls);
    }
    for (size_t i = 0; i < c->body_count; i++) {
        c->bodies[i] = make_body(c, i < each ? s->a : s->b, (unsigned)(i % each), i, effort, r);
    }
}

/* Random pairs of different bodies; in W7 every body is in one pair, in an order that memory does not follow. */
static void make_pairs(bench_case *c, const bench_spec *s, const bench_effort *effort, lab_random *r)
{
    const uint32_t each = (uint32_t)(s->a != s->b ? c->body_count / 2 : c->body_count);
    for (uint32_t i = 0; i < c->pair_count; i++) {
        const uint32_t a = lab_random_below(r, each);
        const uint32_t b =
            s->a != s->b ? each + lab_random_below(r, each) : (a + 1 + lab_random_below(r, each - 1)) % each;
        c->pairs[i] = s->a == HULL_20_50 ? (bench_pair){2 * i, 2 * i + 1} : (bench_pair){a, b};
    }
    for (uint32_t i = effort->many_pairs; s->a == HULL_20_50 && i > 1; i--) {
        const uint32_t k = lab_random_below(r, i);
        const bench_pair swapped = c->pairs[i - 1];
        c->pairs[i - 1] = c->pairs[k];
        c->pairs[k] = swapped;
    }
}

/* --- motions --- */

static bool lies(const bench_case *c, size_t pair, size_t query, situation wanted)
{
    apart_result r;
    const apart_status status = apart_distance(&c->bodies[c->pairs[pair].a], &c->poses_a[query],
                                               &c->bodies[c->pairs[pair].b], &c->poses_b[query], NULL, NULL, &r);
    if (status != APART_OK) {
        die("placing two bodies", status);
    }
    switch (wanted) {
    case DISJOINT: return r.distance > 0.001;
    case SHALLOW: return r.distance <= -0.005 && r.distance >= -0.1;
    default: return r.distance < -0.001;
    }
}

/* The poses of one pair in all steps: A rests, B moves along a line and turns about an axis. False when they do not lie
 * as wanted. */
static bool draw_motion(bench_case *c, const bench_spec *s, size_t pair, situation wanted, lab_random *r)
{
    const apart_vec3 center_a = {lab_random_between(r, -10, 10), lab_random_between(r, -10, 10),
                                 lab_random_between(r, -10, 10)};
    const apart_pose pose_a = lab_random_pose(r, center_a), start = lab_random_pose(r, (apart_vec3){0, 0, 0});
    const apart_vec3 to_b = lab_random_direction(r), way = lab_random_direction(r), axis = lab_random_direction(r);
    const double centers = lab_random_between(r, s->near, s->far);
    const double turn = lab_random_between(r, s->least_turn, s->most_turn) * (acos(-1.0) / 180.0);
    for (size_t step = 0; step < c->steps; step++) {
        const size_t query = step * c->pair_count + pair;
        const double moved = s->move * (double)step;
        const apart_vec3 center_b = {center_a.x + to_b.x * centers + way.x * moved,
                                     center_a.y + to_b.y * centers + way.y * moved,
                                     center_a.z + to_b.z * centers + way.z * moved};
        apart_pose turned;
        apart_pose_from_axis_angle(axis, turn * (double)step, center_b, &turned);
        c->poses_a[query] = pose_a;
        c->poses_b[query] = apart_pose_compose(&turned, &start);
        if (!lies(c, pair, query, wanted)) {
            return false;
        }
    }
    return true;
}

static void make_motions(bench_case *c, const bench_spec *s, lab_random *r)
{
    for (size_t pair = 0; pair < c->pair_count; pair++) {
        situation wanted = s->lie;
        if (wanted == HALF) {
            wanted = lab_random_below(r, 2) == 0 ? DISJOINT : OVERLAPPING;
        }
        int draws = 0;
        while (!draw_motion(c, s, pair, wanted, r)) {
            if (++draws == MAX_DRAWS) {
                fprintf(stderr, "bench: %s %s n = %u: no pair lies as wanted\n", s->workload, s->variant, s->n);
                exit(1);
            }
        }
    }
}

/* --- for the other files --- */

size_t bench_specs(const bench_spec **specs)
{
    if (table.count == 0) {
        fill_table();
    }
    if (specs != NULL) {
        *specs = table.spec;
    }
    return table.count;
}

const char *bench_spec_workload(const bench_spec *specs, size_t row) { return specs[row].workload; }

size_t bench_find_spec(const bench_spec *specs, size_t count, const char *workload, const char *variant, unsigned n)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(specs[i].workload, workload) == 0 && strcmp(specs[i].variant, variant) == 0 && specs[i].n == n) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* A quick run asks for fewer pairs of the hulls whose peers are slow; the others are as many as ever, since a processor
 * learns the branches of a few hundred cold queries by heart. */
static unsigned pairs_of(const bench_effort *effort, const bench_spec *s)
{
    const unsigned share = effort->quick && s->n >= 500 ? 5 : 1;
    return (s->tracked ? effort->sequences : effort->pairs) / share;
}

bench_case *bench_make_case(const bench_spec *specs, size_t row, const bench_effort *effort)
{
    const bench_spec *s = &specs[row];
    lab_random r = seed_for(effort->seed, s->workload, s->variant, s->n);
    const bool many = s->a == HULL_20_50;
    bench_case *c = bench_allocate(1, sizeof *c);
    memcpy(c->workload, s->workload, sizeof c->workload);
    memcpy(c->variant, s->variant, sizeof c->variant);
    c->n = s->n;
    c->question = s->question;
    c->tracked = s->tracked;
    c->batch = s->batch;
    c->pair_count = many ? effort->many_pairs : pairs_of(effort, s);
    c->steps = many ? effort->many_steps : s->tracked ? effort->steps : 1;
    c->pairs = bench_allocate(c->pair_count, sizeof *c->pairs);
    c->poses_a = bench_allocate(c->steps * c->pair_count, sizeof *c->poses_a);
    c->poses_b = bench_allocate(c->steps * c->pair_count, sizeof *c->poses_b);
    make_bodies(c, s, effort, &r);
    make_pairs(c, s, effort, &r);
    make_motions(c, s, &r);
    return c;
}

void bench_free_case(bench_case *c)
{
    for (size_t i = 0; c->own_hulls != NULL && i < c->body_count; i++) {
        apart_hull_free(c->own_hulls[i]);
    }
    free(c->own_hulls);
    free(c->bodies);
    free(c->pairs);
    free(c->poses_a);
    free(c->poses_b);
    free(c);
}

void bench_free_hulls(void)
{
    for (int i = 0; i < MAX_POOLS && pools[i].n != 0; i++) {
        for (unsigned k = 0; k < pools[i].count; k++) {
            apart_hull_free(pools[i].hulls[k]);
        }
        free(pools[i].hulls);
        pools[i].n = 0;
    }
}
