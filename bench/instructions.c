/* bench_instructions: one kind of query, a given number of times, for counting instructions under callgrind
 * (tools/bench-instructions). The bodies and poses are those of the benchmark's rows, fewer of them; apart alone
 * answers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "api/level.h"

/* What is asked of a pair: what the row asks, or a ray from A's origin to B's, or when B meets A on its way through A
 * or past it, by the straight way and with a turn of a radian. */
typedef enum pair_question { ASK_ROW, ASK_RAY, ASK_HIT, ASK_MISS } pair_question;

/* A kind of query: a row of the benchmark, or another question about its bodies. */
static const struct {
    const char *name, *workload, *variant;
    unsigned n;
    pair_question question;
} kinds[] = {
    {"cold-hull-8", "W1", "cold", 8, ASK_ROW},
    {"cold-hull-20", "W1", "cold", 20, ASK_ROW},
    {"cold-hull-50", "W1", "cold", 50, ASK_ROW},
    {"cold-hull-500", "W1", "cold", 500, ASK_ROW},
    {"tracked-hull-8-0deg", "W2", "1 diameter 0 deg", 8, ASK_ROW},
    {"tracked-hull-50-0deg", "W2", "1 diameter 0 deg", 50, ASK_ROW},
    {"tracked-hull-500-0deg", "W2", "1 diameter 0 deg", 500, ASK_ROW},
    {"tracked-hull-8-6deg", "W2", "1 diameter 6 deg", 8, ASK_ROW},
    {"tracked-hull-50-6deg", "W2", "1 diameter 6 deg", 50, ASK_ROW},
    {"tracked-hull-500-6deg", "W2", "1 diameter 6 deg", 500, ASK_ROW},
    {"cold-box", "W3", "box cold", 0, ASK_ROW},
    {"tracked-box", "W3", "box tracked 6 deg", 0, ASK_ROW},
    {"batch-box", "W3", "box batch tracked 6 deg", 0, ASK_ROW},
    {"batch-hull-8", "W3", "hull batch tracked 6 deg", 8, ASK_ROW},
    {"depth-box", "W4", "box cold", 0, ASK_ROW},
    {"depth-hull-8", "W4", "cold", 8, ASK_ROW},
    {"depth-hull-50", "W4", "cold", 50, ASK_ROW},
    {"depth-hull-500", "W4", "cold", 500, ASK_ROW},
    {"depth-tracked-box", "W4", "box tracked", 0, ASK_ROW},
    {"depth-tracked-hull-8", "W4", "tracked", 8, ASK_ROW},
    {"depth-tracked-hull-50", "W4", "tracked", 50, ASK_ROW},
    {"depth-tracked-hull-500", "W4", "tracked", 500, ASK_ROW},
    {"sphere-box", "W5", "sphere-box", 0, ASK_ROW},
    {"capsule-capsule", "W5", "capsule-capsule", 0, ASK_ROW},
    {"capsule-hull-50", "W5", "capsule-hull", 50, ASK_ROW},
    {"cylinder-box", "W5", "cylinder-box", 0, ASK_ROW},
    {"cone-box", "W5", "cone-box", 0, ASK_ROW},
    {"overlap-hull-8", "W6", "hull", 8, ASK_ROW},
    {"overlap-hull-50", "W6", "hull", 50, ASK_ROW},
    {"overlap-box", "W6", "box", 0, ASK_ROW},
    {"ray-box", "W3", "box cold", 0, ASK_RAY},
    {"ray-hull-8", "W1", "cold", 8, ASK_RAY},
    {"ray-hull-50", "W1", "cold", 50, ASK_RAY},
    {"ray-hull-500", "W1", "cold", 500, ASK_RAY},
    {"ray-hull-2000", "W1", "cold", 2000, ASK_RAY},
    {"impact-hit-box", "W3", "box cold", 0, ASK_HIT},
    {"impact-miss-box", "W3", "box cold", 0, ASK_MISS},
    {"impact-hit-hull-100", "W1", "cold", 100, ASK_HIT},
    {"impact-miss-hull-100", "W1", "cold", 100, ASK_MISS},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds, MAX_ROUNDS = 3 };

static const char usage[] = "usage: bench_instructions KIND ROUNDS LEVEL\n"
                            "  ROUNDS: 0 to 3; LEVEL: baseline or avx2. Prints the number of queries of a round.\n"
                            "       bench_instructions --list | --compiler\n";

static int complain(const char *what, const char *about)
{
    fprintf(stderr, "bench_instructions: %s%s\n%s", what, about, usage);
    return 2;
}

/* A query that is about the bodies of a row, not the row's own. */
static void ask_pair(const bench_case *c, size_t query, pair_question question)
{
    const apart_shape *a = &c->bodies[c->pairs[query].a], *b = &c->bodies[c->pairs[query].b];
    const apart_pose *pose_a = &c->poses_a[query], *pose_b = &c->poses_b[query];
    const apart_vec3 way = apart_vec3_add_scaled(pose_b->translation, -1.0, pose_a->translation), zero = {0, 0, 0};
    if (question == ASK_RAY) {
        const apart_ray ray = {pose_a->translation, way, INFINITY};
        apart_ray_hit hit;
        bench_sink += apart_raycast(&ray, b, pose_b, NULL, &hit) == APART_OK ? hit.distance : 0.0;
        return;
    }
    const apart_vec3 aside = {way.y - way.z, way.z - way.x, way.x - way.y}; /* perpendicular to it */
    const apart_vec3 through = {-1.5 * way.x, -1.5 * way.y, -1.5 * way.z}, spin = {0.6, 0.64, 0.48};
    const apart_motion rest = apart_motion_rest(pose_a),
                       fly = apart_motion_velocity(pose_b, question == ASK_HIT ? through : aside, spin, zero);
    apart_impact impact;
    bench_sink += apart_time_of_impact(a, &rest, b, &fly, NULL, NULL, &impact) == APART_OK ? impact.t : 0.0;
}

/* The same in all rounds: the pairs of a cold row. */
static void ask_pairs(const bench_case *c, pair_question question, unsigned long rounds)
{
    for (unsigned long round = 0; round < rounds; round++) {
        for (size_t i = 0; i < c->pair_count; i++) {
            ask_pair(c, i, question);
        }
    }
    printf("%zu\n", c->pair_count);
}

/* In each round all queries of the row are asked. The first step of a tracked row, which fills the caches, is asked
 * MAX_ROUNDS times whatever the number of rounds: the difference of two runs is then that of the tracked queries
 * alone. */
static void ask(const char *workload, const char *variant, unsigned n, pair_question question, unsigned long rounds)
{
    const unsigned lanes =
        n == 0 ? 16 : 64; /* of a batch: enough pairs to fill them; hulls wait for them in three queues */
    const bool batch = strstr(variant, "batch") != NULL;
    const bench_effort effort = {.seed = 1, .hulls = 6, .pairs = 100, .sequences = batch ? lanes : 6, .steps = 20};
    const bench_spec *specs;
    const size_t count = bench_specs(&specs);
    bench_case *c = bench_make_case(specs, bench_find_spec(specs, count, workload, variant, n), &effort);
    if (question != ASK_ROW) {
        ask_pairs(c, question, rounds);
        bench_free_case(c);
        bench_free_hulls();
        return;
    }
    double *answers = bench_allocate(c->steps * c->pair_count, sizeof *answers);
    void *state = bench_apart.prepare(c);
    const size_t first = c->tracked ? 1 : 0;
    for (unsigned long round = 0; round < MAX_ROUNDS; round++) {
        bench_apart.forget(state);
        bench_apart.run(state, 0, first, answers);
        if (round < rounds) {
            bench_apart.run(state, first, c->steps, answers);
        }
    }
    printf("%zu\n", (c->steps - first) * c->pair_count);
    bench_apart.release(state);
    free(answers);
    bench_free_case(c);
    bench_free_hulls();
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < KIND_COUNT; i++) {
            puts(kinds[i].name);
        }
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--compiler") == 0) {
#ifdef __clang__
        puts(__VERSION__);
#else
        puts("gcc " __VERSION__);
#endif
        return 0;
    }
    if (argc != 4) {
        return complain("three arguments are wanted", "");
    }
    char *end = NULL;
    errno = 0;
    const unsigned long rounds = strtoul(argv[2], &end, 10);
    if (errno != 0 || end == argv[2] || *end != '\0' || rounds > MAX_ROUNDS) {
        return complain("ROUNDS wants a number from 0 to 3, not ", argv[2]);
    }
    if (!ap_level_force(argv[3])) {
        fprintf(stderr, "bench_instructions: this processor or build has no level %s\n", argv[3]);
        return 3;
    }
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, argv[1]) == 0) {
            ask(kinds[i].workload, kinds[i].variant, kinds[i].n, kinds[i].question, rounds);
            return 0;
        }
    }
    return complain("unknown kind ", argv[1]);
}
