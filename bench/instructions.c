/* bench_instructions: one kind of query, a given number of times, for counting instructions under callgrind
 * (tools/bench-instructions). The bodies and poses are those of the benchmark's rows, fewer of them; apart alone
 * answers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "api/level.h"

/* A kind of query is a row of the benchmark. */
static const struct {
    const char *name, *workload, *variant;
    unsigned n;
} kinds[] = {
    {"cold-hull-8", "W1", "cold", 8},
    {"cold-hull-20", "W1", "cold", 20},
    {"cold-hull-50", "W1", "cold", 50},
    {"cold-hull-500", "W1", "cold", 500},
    {"tracked-hull-8-0deg", "W2", "1 diameter 0 deg", 8},
    {"tracked-hull-50-0deg", "W2", "1 diameter 0 deg", 50},
    {"tracked-hull-500-0deg", "W2", "1 diameter 0 deg", 500},
    {"tracked-hull-8-6deg", "W2", "1 diameter 6 deg", 8},
    {"tracked-hull-50-6deg", "W2", "1 diameter 6 deg", 50},
    {"tracked-hull-500-6deg", "W2", "1 diameter 6 deg", 500},
    {"cold-box", "W3", "box cold", 0},
    {"tracked-box", "W3", "box tracked 6 deg", 0},
    {"batch-box", "W3", "box batch tracked 6 deg", 0},
    {"batch-hull-8", "W3", "hull batch tracked 6 deg", 8},
    {"depth-box", "W4", "box cold", 0},
    {"depth-hull-8", "W4", "cold", 8},
    {"depth-hull-50", "W4", "cold", 50},
    {"depth-hull-500", "W4", "cold", 500},
    {"depth-tracked-box", "W4", "box tracked", 0},
    {"depth-tracked-hull-8", "W4", "tracked", 8},
    {"depth-tracked-hull-50", "W4", "tracked", 50},
    {"depth-tracked-hull-500", "W4", "tracked", 500},
    {"sphere-box", "W5", "sphere-box", 0},
    {"capsule-capsule", "W5", "capsule-capsule", 0},
    {"capsule-hull-50", "W5", "capsule-hull", 50},
    {"cylinder-box", "W5", "cylinder-box", 0},
    {"cone-box", "W5", "cone-box", 0},
    {"overlap-hull-8", "W6", "hull", 8},
    {"overlap-hull-50", "W6", "hull", 50},
    {"overlap-box", "W6", "box", 0},
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

/* In each round all queries of the row are asked. The first step of a tracked row, which fills the caches, is asked
 * MAX_ROUNDS times whatever the number of rounds: the difference of two runs is then that of the tracked queries
 * alone. */
static void ask(const char *workload, const char *variant, unsigned n, unsigned long rounds)
{
    const unsigned lanes =
        n == 0 ? 16 : 64; /* of a batch: enough pairs to fill them; hulls wait for them in three queues */
    const bool batch = strstr(variant, "batch") != NULL;
    const bench_effort effort = {.seed = 1, .hulls = 6, .pairs = 100, .sequences = batch ? lanes : 6, .steps = 20};
    const bench_spec *specs;
    const size_t count = bench_specs(&specs);
    bench_case *c = bench_make_case(specs, bench_find_spec(specs, count, workload, variant, n), &effort);
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
            ask(kinds[i].workload, kinds[i].variant, kinds[i].n, rounds);
            return 0;
        }
    }
    return complain("unknown kind ", argv[1]);
}
