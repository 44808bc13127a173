/* apart as installed: default options, world poses, certificate and witness points. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

typedef struct state {
    const bench_case *c;
    apart_cache *caches; /* one per pair of a tracked case, else NULL */
} state;

static void *prepare(const bench_case *c)
{
    state *s = bench_allocate(1, sizeof *s);
    s->c = c;
    s->caches = c->tracked ? bench_allocate(c->pair_count, sizeof *s->caches) : NULL;
    return s;
}

static void forget(void *opaque)
{
    const state *s = opaque;
    for (size_t i = 0; s->caches != NULL && i < s->c->pair_count; i++) {
        s->caches[i] = (apart_cache){0};
    }
}

static double ask_distance(const state *s, size_t first_step, size_t end_step, double *answers)
{
    const bench_case *c = s->c;
    double sum = 0.0;
    for (size_t step = first_step; step < end_step; step++) {
        for (size_t i = 0; i < c->pair_count; i++) {
            const size_t query = step * c->pair_count + i;
            apart_result r;
            const apart_status status = apart_distance(&c->bodies[c->pairs[i].a], &c->poses_a[query], &c->bodies[c->pairs[i].b],
                                                       &c->poses_b[query], NULL, s->caches != NULL ? &s->caches[i] : NULL, &r);
            answers[query] = status == APART_OK ? r.distance : (double)NAN;
            sum += r.lower + r.upper + r.a.x + r.b.x + r.normal.x;
        }
    }
    return sum;
}

static double ask_overlap(const state *s, size_t first_step, size_t end_step, double *answers)
{
    const bench_case *c = s->c;
    double sum = 0.0;
    for (size_t step = first_step; step < end_step; step++) {
        for (size_t i = 0; i < c->pair_count; i++) {
            const size_t query = step * c->pair_count + i;
            int yes = 0;
            const apart_status status = apart_overlap(&c->bodies[c->pairs[i].a], &c->poses_a[query], &c->bodies[c->pairs[i].b],
                                                      &c->poses_b[query], NULL, s->caches != NULL ? &s->caches[i] : NULL, &yes);
            answers[query] = status == APART_OK ? (double)yes : (double)NAN;
            sum += yes;
        }
    }
    return sum;
}

static void run(void *opaque, size_t first_step, size_t end_step, double *answers)
{
    const state *s = opaque;
    bench_sink += s->c->question == BENCH_OVERLAP ? ask_overlap(s, first_step, end_step, answers)
                                                  : ask_distance(s, first_step, end_step, answers);
}

static void release(void *opaque)
{
    state *s = opaque;
    free(s->caches);
    free(s);
}

const bench_library bench_apart = {"apart", BENCH_DISTANCE | BENCH_DEPTH | BENCH_OVERLAP, prepare, forget, run, release};
