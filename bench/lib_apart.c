/* apart as installed: default options, world poses, certificate and witness points; tracked depth keeps its surface. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

/* Vertices of the surface that tracked depth keeps for each pair. */
#define SURFACE_VERTICES 512u

typedef struct state {
    const bench_case *c;
    apart_cache *caches;      /* one per pair of a tracked case, else NULL */
    char *surfaces;           /* memory of the depth caches, one per pair of a tracked depth case, else NULL */
    apart_depth_cache **kept; /* in that memory */
    apart_shape *shapes;      /* of a batch: A's and B's shapes by pair, else NULL */
    apart_result *results;    /* of a batch */
} state;

static void make_depth_caches(state *s)
{
    const size_t bytes = APART_DEPTH_CACHE_BYTES(SURFACE_VERTICES);
    s->surfaces = bench_allocate(s->c->pair_count, bytes);
    s->kept = bench_allocate(s->c->pair_count, sizeof(apart_depth_cache *));
    for (size_t i = 0; i < s->c->pair_count; i++) {
        if (apart_depth_cache_init(s->surfaces + i * bytes, bytes, &s->kept[i]) != APART_OK) {
            s->kept[i] = NULL;
        }
    }
}

/* The pairs as a caller of the batch has them: every pair with its shapes and poses. */
static void make_batch(state *s)
{
    const bench_case *c = s->c;
    s->shapes = bench_allocate(2 * c->pair_count, sizeof *s->shapes);
    s->results = bench_allocate(c->pair_count, sizeof *s->results);
    for (size_t i = 0; i < c->pair_count; i++) {
        s->shapes[i] = c->bodies[c->pairs[i].a];
        s->shapes[c->pair_count + i] = c->bodies[c->pairs[i].b];
    }
}

static void *prepare(const bench_case *c)
{
    state *s = bench_allocate(1, sizeof *s);
    s->c = c;
    s->caches = c->tracked ? bench_allocate(c->pair_count, sizeof *s->caches) : NULL;
    s->surfaces = NULL;
    s->kept = NULL;
    s->shapes = NULL;
    s->results = NULL;
    if (c->batch) {
        make_batch(s);
    }
    if (c->tracked && c->question == BENCH_DEPTH) {
        make_depth_caches(s);
    }
    return s;
}

static void forget(void *opaque)
{
    const state *s = opaque;
    for (size_t i = 0; s->caches != NULL && i < s->c->pair_count; i++) {
        s->caches[i] = (apart_cache){0};
        if (s->kept != NULL) {
            apart_depth_cache_clear(s->kept[i]);
        }
    }
}

static double ask_distance(const state *s, size_t first_step, size_t end_step, double *answers)
{
    const bench_case *c = s->c;
    double sum = 0.0;
    apart_options keeping = {0};
    for (size_t step = first_step; step < end_step; step++) {
        for (size_t i = 0; i < c->pair_count; i++) {
            const size_t query = step * c->pair_count + i;
            apart_result r;
            if (s->kept != NULL) {
                keeping.depth_cache = s->kept[i];
            }
            const apart_status status =
                apart_distance(&c->bodies[c->pairs[i].a], &c->poses_a[query], &c->bodies[c->pairs[i].b],
                               &c->poses_b[query], s->kept != NULL ? &keeping : NULL,
                               s->caches != NULL ? &s->caches[i] : NULL, &r);
            answers[query] = status == APART_OK ? r.distance : (double)NAN;
            sum += r.lower + r.upper + r.a.x + r.b.x + r.normal.x;
        }
    }
    return sum;
}

static double ask_batch(const state *s, size_t first_step, size_t end_step, double *answers)
{
    const bench_case *c = s->c;
    const size_t count = c->pair_count;
    double sum = 0.0;
    for (size_t step = first_step; step < end_step; step++) {
        const apart_batch batch = {.count = count,
                                   .a = {.shapes = s->shapes,
                                         .shape_stride = sizeof *s->shapes,
                                         .poses = &c->poses_a[step * count],
                                         .pose_stride = sizeof *c->poses_a},
                                   .b = {.shapes = s->shapes + count,
                                         .shape_stride = sizeof *s->shapes,
                                         .poses = &c->poses_b[step * count],
                                         .pose_stride = sizeof *c->poses_b},
                                   .caches = s->caches,
                                   .cache_stride = sizeof *s->caches,
                                   .results = s->results,
                                   .result_stride = sizeof *s->results};
        const apart_status status = apart_distance_batch(&batch, NULL, NULL);
        for (size_t i = 0; i < count; i++) {
            const apart_result *r = &s->results[i];
            answers[step * count + i] = status == APART_OK ? r->distance : (double)NAN;
            sum += r->lower + r->upper + r->a.x + r->b.x + r->normal.x;
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
            const apart_status status =
                apart_overlap(&c->bodies[c->pairs[i].a], &c->poses_a[query], &c->bodies[c->pairs[i].b],
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
    bench_sink += s->c->batch                       ? ask_batch(s, first_step, end_step, answers)
                  : s->c->question == BENCH_OVERLAP ? ask_overlap(s, first_step, end_step, answers)
                                                    : ask_distance(s, first_step, end_step, answers);
}

static void release(void *opaque)
{
    state *s = opaque;
    free(s->caches);
    free(s->surfaces);
    free(s->kept);
    free(s->shapes);
    free(s->results);
    free(s);
}

const bench_library bench_apart = {"apart", BENCH_DISTANCE | BENCH_DEPTH | BENCH_OVERLAP, prepare, forget, run,
                                   release};
