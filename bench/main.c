/* bench: times apart and its peers on the workloads of README.md, checks every answer, writes results.csv, results.md
 * and plots. */
#define _POSIX_C_SOURCE 200112L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

/* apart comes first: the ratios and the reference are taken from it. */
static const bench_library *const libraries[] = {
    &bench_apart,
#ifdef BENCH_BULLET
    &bench_bullet,
#endif
#ifdef BENCH_FCL
    &bench_fcl,     &bench_fcl_indep,
#endif
#ifdef BENCH_CCD
    &bench_ccd_gjk, &bench_ccd_mpr,
#endif
};
enum { LIBRARY_COUNT = sizeof libraries / sizeof *libraries };

static const char usage[] =
    "usage: bench [--quick] [--only W1,W4] [--seed N] [--out DIRECTORY]\n"
    "  --quick   fewer repeats, and a fifth of the pairs of hulls with 500 and more vertices: under a minute\n"
    "  --only    these workloads (W1 to W7)\n"
    "  --seed    another draw of bodies and poses (default 1)\n"
    "  --out     where results.csv, results.md and the plots go (default: where the program was built)\n";

typedef struct arguments {
    bool quick;
    uint64_t seed;
    const char *only, *directory;
} arguments;

static const bench_effort full_effort = {.hulls = 50,
                                         .pairs = 1000,
                                         .sequences = 50,
                                         .steps = 20,
                                         .many_pairs = 4096,
                                         .many_steps = 10,
                                         .min_repeats = 7,
                                         .max_repeats = 300,
                                         .seconds = 1.0,
                                         .proof_seconds = 20.0};
static const bench_effort quick_effort = {.quick = true,
                                          .hulls = 50,
                                          .pairs = 1000,
                                          .sequences = 50,
                                          .steps = 20,
                                          .many_pairs = 4096,
                                          .many_steps = 3,
                                          .min_repeats = 3,
                                          .max_repeats = 200,
                                          .seconds = 0.1,
                                          .proof_seconds = 0.1};

static void complain(const char *what, const char *about)
{
    fprintf(stderr, "bench: %s%s\n%s", what, about, usage);
    exit(2);
}

static uint64_t parse_seed(const char *text)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || *text == '-') {
        complain("--seed wants a whole number, not ", text);
    }
    return value;
}

/* Every name of the list must be a workload. */
static void check_only(const char *list)
{
    const bench_spec *specs;
    const size_t count = bench_specs(&specs);
    for (const char *p = list; *p != '\0'; p += *p == ',') {
        const size_t length = strcspn(p, ",");
        bool known = false;
        for (size_t i = 0; i < count; i++) {
            const char *name = bench_spec_workload(specs, i);
            known = known || (strlen(name) == length && strncmp(name, p, length) == 0);
        }
        if (!known) {
            complain("--only wants workloads of W1 to W7, with commas, not ", list);
        }
        p += length;
    }
}

static arguments parse(int argc, char **argv)
{
    arguments a = {.seed = 1, .directory = BENCH_DIRECTORY};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (strcmp(name, "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        }
        if (strcmp(name, "--quick") == 0) {
            a.quick = true;
            continue;
        }
        const bool only = strcmp(name, "--only") == 0, seed = strcmp(name, "--seed") == 0,
                   out = strcmp(name, "--out") == 0;
        if (!only && !seed && !out) {
            complain("unknown argument ", name);
        }
        if (++i == argc) {
            complain("no value after ", name);
        }
        if (only) {
            check_only(a.only = argv[i]);
        } else if (seed) {
            a.seed = parse_seed(argv[i]);
        } else {
            a.directory = argv[i];
        }
    }
    return a;
}

static bool wanted(const char *only, const char *workload) { return only == NULL || strstr(only, workload) != NULL; }

/* Finds out before the long work whether the results can be written. */
static void check_directory(const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/results.csv", directory);
    FILE *f = fopen(path, "a");
    if (f == NULL) {
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
        exit(2);
    }
    fclose(f);
}

static void show_progress(size_t row, size_t count, const bench_case *c)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%zu/%zu  %s %s %u", row + 1, count, c->workload, c->variant, c->n);
    }
}

static void print_file(const char *directory, const char *name)
{
    char path[4096], line[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        fputs(line, stdout);
    }
    if (f != NULL) {
        fclose(f);
    }
    printf("\nWritten to %s: results.csv, results.md, plots.\n", directory);
}

int main(int argc, char **argv)
{
    const arguments a = parse(argc, argv);
    check_directory(a.directory);
    bench_effort effort = a.quick ? quick_effort : full_effort;
    effort.seed = a.seed;
    const bench_spec *specs;
    const size_t count = bench_specs(&specs);
    bench_record *records = bench_allocate(count * LIBRARY_COUNT, sizeof *records);
    size_t record_count = 0;
    for (size_t row = 0; row < count; row++) {
        if (!wanted(a.only, bench_spec_workload(specs, row))) {
            continue;
        }
        bench_case *c = bench_make_case(specs, row, &effort);
        show_progress(row, count, c);
        record_count += bench_measure(c, libraries, LIBRARY_COUNT, &effort, &records[record_count]);
        bench_free_case(c);
    }
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K");
    }
    const bool fine = bench_report(a.directory, records, record_count, libraries, LIBRARY_COUNT, &effort);
    if (fine) {
        print_file(a.directory, "results.md");
    }
    free(records);
    bench_free_hulls();
    return fine ? 0 : 1;
}
