/* Times. All algorithms answer the same scene in turn, again and again, and of each the best round counts: a
 * disturbance of the machine hits whoever runs, and the best round saw none. The clock is the thread's processor time.
 * Cameron repeated each calculation 10^3 to 10^4 times, which shows the processor's caches at their best; here each
 * pair's path is repeated, and a round goes through the scene. */
#include <stdlib.h>
#include <time.h>

#include "scene.h"
#include "text.h"

double lab_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double lab_processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* How often a pair's path is repeated before the next pair's turn. */
#define REPEATS 8

/* Sums of results, so that no query can be left out. */
static volatile double sink;

/* Nanoseconds of a round: `steps` queries of every pair. */
static double round_of(const lab_world *w, lab_algorithm_id id, bool tracked, uint32_t steps)
{
    double sum = 0.0;
    const double start = lab_processor_seconds();
    for (uint32_t turn = 0; turn < REPEATS * w->scene.pairs; turn++) {
        lab_memory memory = {0};
        for (uint32_t step = 0; step < steps; step++) {
            apart_result result;
            lab_query(w, id, turn / REPEATS, step, NULL, tracked ? &memory : NULL, &result);
            sum += result.distance;
        }
    }
    const double end = lab_processor_seconds();
    sink = sum;
    return 1e9 * (end - start) / REPEATS;
}

static double lesser(double a, double b) { return a < b ? a : b; }

void lab_measure(const lab_world *w, const lab_algorithm_id *ids, size_t count, bool tracked, double seconds,
                 lab_times *times)
{
    double all[LAB_ALGORITHM_COUNT], first[LAB_ALGORITHM_COUNT];
    const double end = lab_seconds() + seconds * (double)count;
    const double pairs = w->scene.pairs, steps = w->scene.steps;
    for (size_t i = 0; i < count; i++) {
        all[i] = first[i] = 1e300;
    }
    for (int round = 0; round < 3 || lab_seconds() < end; round++) {
        for (size_t i = 0; i < count; i++) {
            all[i] = lesser(all[i], round_of(w, ids[i], tracked, w->scene.steps));
            first[i] = lesser(first[i], round_of(w, ids[i], tracked, 1));
        }
    }
    for (size_t i = 0; i < count; i++) {
        times[i].all = all[i] / (pairs * steps);
        times[i].later = steps > 1 ? (all[i] - first[i]) / (pairs * (steps - 1)) : times[i].all;
    }
}
