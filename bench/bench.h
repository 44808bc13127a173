/* The benchmark's own small interfaces: a case (what is asked), a library (who answers), a record (what came out).
 *
 *   workloads.c   makes cases from seeds            lib_*.c, lib_*.cpp   one file per library, all behind bench_library
 *   measure.c     times all libraries, interleaved  check.c              says which answers are wrong
 *   report.c      CSV, Markdown and plots           main.c               arguments and progress
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apart/apart.h>
#include <apart/hull.h>
#include <apart/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What every query of a case asks. An answer is one double: signed distance, minus the depth, or 1/0 for yes/no; NaN is
 * a failure. */
typedef enum bench_question { BENCH_DISTANCE = 1, BENCH_DEPTH = 2, BENCH_OVERLAP = 4 } bench_question;

typedef struct bench_pair {
    uint32_t a, b; /* bodies */
} bench_pair;

/* One row of the result table: `steps` times `pair_count` queries, query = step * pair_count + pair. */
typedef struct bench_case {
    char workload[8]; /* "W1" ... */
    char variant[40];
    unsigned n; /* points of a hull, 0 for native shapes */
    bench_question question;
    bool tracked; /* steps of one motion: caches are kept, the first step is not timed */
    bool batch;   /* apart answers a step in one call, on one thread */
    size_t body_count;
    apart_shape *bodies;
    size_t pair_count;
    bench_pair *pairs;
    size_t steps;
    apart_pose *poses_a; /* world poses by query */
    apart_pose *poses_b;
    apart_hull **own_hulls; /* hulls that only this case uses, or NULL */
} bench_case;

/* A library under test. `prepare` converts bodies and poses to the library's own types, outside all timing. */
typedef struct bench_library {
    const char *name;
    unsigned questions; /* bench_question flags it can answer */
    void *(*prepare)(const bench_case *c);
    void (*forget)(void *state);                                                   /* empties the caches */
    void (*run)(void *state, size_t first_step, size_t end_step, double *answers); /* answers[query] */
    void (*release)(void *state);
} bench_library;

extern const bench_library bench_apart, bench_bullet, bench_fcl, bench_fcl_indep, bench_ccd_gjk, bench_ccd_mpr;

/* Every library adds something of each result (distance, witness points, normal), so that no result can be optimised
 * away. */
extern volatile double bench_sink;

/* How much to measure. */
typedef struct bench_effort {
    bool quick;
    uint64_t seed;
    unsigned hulls;     /* bodies of each kind */
    unsigned pairs;     /* of a cold case */
    unsigned sequences; /* of a tracked case */
    unsigned steps;
    unsigned many_pairs; /* of W7 */
    unsigned many_steps;
    unsigned min_repeats, max_repeats;
    double seconds;       /* keep repeating a case this long, between the two numbers above */
    double proof_seconds; /* how long apart_verify may take per case */
} bench_effort;

typedef struct bench_spec bench_spec;

/* All rows in order; returns how many. With specs NULL it only counts. */
size_t bench_specs(const bench_spec **specs);
const char *bench_spec_workload(const bench_spec *specs, size_t row);
/* Makes the bodies and poses of a row; exits with a message when memory or the hull builder fails. */
bench_case *bench_make_case(const bench_spec *specs, size_t row, const bench_effort *effort);
void bench_free_case(bench_case *c);
/* A row by workload, variant and n; SIZE_MAX when there is none. */
size_t bench_find_spec(const bench_spec *specs, size_t count, const char *workload, const char *variant, unsigned n);
void bench_free_hulls(void);

/* Between which values the truth lies, by query, and what counts as off. */
typedef struct bench_reference {
    double *lower, *upper;
    double *allowed;   /* 1e-6 of the bodies' size */
    size_t first, end; /* the timed queries */
    size_t proved;     /* by apart_verify */
    double wrong;      /* apart's own share */
    double loops;      /* apart's average iterations */
} bench_reference;

/* Asks apart again, has every answer proved or its bounds checked, and keeps the bounds as reference for all. */
bench_reference *bench_check_apart(const bench_case *c, const double *answers, const bench_effort *effort);
/* The share of wrong answers: off, NaN, or contact where there is none. */
double bench_wrong_share(const bench_case *c, const bench_reference *reference, const double *answers);
void bench_free_reference(bench_reference *reference);

typedef struct bench_record {
    char workload[8];
    char variant[40];
    unsigned n;
    const char *library;
    double ns, ratio, wrong;
    double loops;  /* apart only */
    double proved; /* apart only: share of the answers */
    bool tracked;
} bench_record;

/* Times one case with every library that can answer it; appends to records (room for library_count) and returns how
 * many. */
size_t bench_measure(const bench_case *c, const bench_library *const *libraries, size_t library_count,
                     const bench_effort *effort, bench_record *records);

/* Writes results.csv, results.md and, when gnuplot is there, the plots; false after saying what failed. */
bool bench_report(const char *directory, const bench_record *records, size_t count,
                  const bench_library *const *libraries, size_t library_count, const bench_effort *effort);

double bench_seconds(void);
void *bench_allocate(size_t count, size_t size);

#ifdef __cplusplus
}
#endif
#endif
