/* All libraries answer the same case in turn, again and again; of each the best repeat counts. A disturbance of the
 * machine then hits whoever happens to run, and the best repeat of each saw none. */
#define _POSIX_C_SOURCE 200112L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { MAX_LIBRARIES = 16 };

/* A turn takes at least this long. */
#define TURN_SECONDS 2e-3

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The time this thread ran, without the time it waited for the processor. */
static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What it costs to read that clock twice, the least of many: half a microsecond where the kernel is asked, 2 ns for
 * each of 200 queries. */
static double clock_seconds(void)
{
    double least = INFINITY;
    for (int i = 0; i < 1000; i++) {
        const double start = thread_seconds();
        least = fmin(least, thread_seconds() - start);
    }
    return least;
}

/* Nanoseconds per query of one run. The first step of a tracked case fills the libraries' caches. */
static double time_once(const bench_case *c, const bench_library *library, void *state, double *answers, double clock)
{
    const size_t first = c->tracked ? 1 : 0;
    library->forget(state);
    library->run(state, 0, first, answers);
    const double start = thread_seconds();
    library->run(state, first, c->steps, answers);
    return 1e9 * (thread_seconds() - start - clock) / (double)((c->steps - first) * c->pair_count);
}

/* A library's turn. The library before has left the processor full of its own data and branches, and what it costs to
 * get these back depends on the order of the libraries (a cold data cache is the matter of W7, whose data exceed it):
 * the first run is not timed, and the best of the others counts, of which there are more than one where a run is
 * short. */
static double take_turn(const bench_case *c, const bench_library *library, void *state, double *answers, double clock)
{
    const double end = bench_seconds() + TURN_SECONDS;
    double best = INFINITY;
    time_once(c, library, state, answers, clock);
    do {
        best = fmin(best, time_once(c, library, state, answers, clock));
    } while (bench_seconds() < end);
    return best;
}

static void repeat_all(const bench_case *c, const bench_library *const *libraries, void *const *states,
                       double *const *answers, size_t count, const bench_effort *effort, double *best)
{
    const double clock = clock_seconds();
    const double deadline = bench_seconds() + effort->seconds;
    for (unsigned repeat = 0; repeat < effort->max_repeats; repeat++) {
        if (repeat >= effort->min_repeats && bench_seconds() > deadline) {
            break;
        }
        for (size_t i = 0; i < count; i++) {
            best[i] = fmin(best[i], take_turn(c, libraries[i], states[i], answers[i], clock));
        }
    }
}

static void fill_records(const bench_case *c, const bench_library *const *libraries, double *const *answers,
                         size_t count, const bench_effort *effort, const double *best, bench_record *records)
{
    bench_reference *ref = bench_check_apart(c, answers[0], effort);
    for (size_t i = 0; i < count; i++) {
        bench_record *r = &records[i];
        *r = (bench_record){.n = c->n,
                            .library = libraries[i]->name,
                            .ns = best[i],
                            .ratio = best[i] / best[0],
                            .tracked = c->tracked};
        memcpy(r->workload, c->workload, sizeof r->workload);
        memcpy(r->variant, c->variant, sizeof r->variant);
        r->wrong = i == 0 ? ref->wrong : bench_wrong_share(c, ref, answers[i]);
    }
    records[0].loops = ref->loops;
    records[0].proved = (double)ref->proved / (double)(ref->end - ref->first);
    bench_free_reference(ref);
}

size_t bench_measure(const bench_case *c, const bench_library *const *libraries, size_t library_count,
                     const bench_effort *effort, bench_record *records)
{
    const bench_library *able[MAX_LIBRARIES];
    void *states[MAX_LIBRARIES];
    double *answers[MAX_LIBRARIES];
    double best[MAX_LIBRARIES];
    size_t count = 0;
    for (size_t i = 0; i < library_count && count < MAX_LIBRARIES; i++) {
        if ((libraries[i]->questions & (unsigned)c->question) != 0) {
            able[count] = libraries[i];
            states[count] = libraries[i]->prepare(c);
            answers[count] = bench_allocate(c->steps * c->pair_count, sizeof **answers);
            best[count++] = INFINITY;
        }
    }
    repeat_all(c, able, states, answers, count, effort, best);
    fill_records(c, able, answers, count, effort, best, records);
    for (size_t i = 0; i < count; i++) {
        able[i]->release(states[i]);
        free(answers[i]);
    }
    return count;
}
