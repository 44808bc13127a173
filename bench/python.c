/* The C side of bench/python.py: the same batches on C arrays that are ready, and the same single call, timed here so that
 * nothing of Python is in the number. Loaded by ctypes. */
#define _POSIX_C_SOURCE 199309L
#include <apart/apart.h>

#include <stdlib.h>
#include <time.h>

/* Bodies of C arrays and pairs of them: what a C program has before the call. */
typedef struct case_batch {
    apart_shape *shapes;
    apart_pose *poses;
    apart_hull **hulls;
    const uint32_t *pairs; /* two body numbers a pair; NULL: pair i is body i and body count + i */
    apart_result *results;
    size_t bodies, count, hull_count;
} case_batch;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static case_batch *new_batch(size_t bodies, const double *matrices, size_t count, const uint32_t *pairs)
{
    case_batch *b = calloc(1, sizeof *b);
    b->bodies = bodies;
    b->count = count;
    b->pairs = pairs;
    b->results = calloc(count, sizeof *b->results);
    b->shapes = malloc(bodies * sizeof *b->shapes);
    b->poses = malloc(bodies * sizeof *b->poses);
    for (size_t i = 0; i < bodies; i++) {
        const double *m = matrices + 16 * i;
        b->poses[i] = (apart_pose){.rotation = {{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}},
                                   .translation = {m[3], m[7], m[11]}};
    }
    return b;
}

/* Boxes: 3 half extents and the 16 numbers of a matrix a body. The pairs stay the caller's. */
case_batch *bench_boxes(size_t bodies, const double *extents, const double *matrices, size_t count,
                        const uint32_t *pairs)
{
    case_batch *b = new_batch(bodies, matrices, count, pairs);
    for (size_t i = 0; i < bodies; i++) {
        b->shapes[i] = apart_box((apart_vec3){extents[3 * i], extents[3 * i + 1], extents[3 * i + 2]});
    }
    return b;
}

/* Hulls of so many points each. */
case_batch *bench_hulls(size_t bodies, size_t corners, const double *points, const double *matrices, size_t count,
                        const uint32_t *pairs)
{
    case_batch *b = new_batch(bodies, matrices, count, pairs);
    b->hulls = calloc(bodies, sizeof *b->hulls);
    b->hull_count = bodies;
    for (size_t i = 0; i < bodies; i++) {
        apart_hull_build(points + 3 * corners * i, corners, NULL, &b->hulls[i]);
        b->shapes[i] = apart_hull_shape(b->hulls[i]);
    }
    return b;
}

static apart_batch_bodies side_of(const case_batch *b, size_t side)
{
    if (b->pairs != NULL) {
        return (apart_batch_bodies){b->shapes,       sizeof *b->shapes,    b->poses, sizeof *b->poses,
                                    b->pairs + side, 2 * sizeof *b->pairs, b->bodies};
    }
    return (apart_batch_bodies){
        b->shapes + side * b->count, sizeof *b->shapes, b->poses + side * b->count, sizeof *b->poses, NULL, 0, 0};
}

/* Seconds of the batch. */
double bench_run(const case_batch *b, unsigned threads)
{
    const apart_batch batch = {.count = b->count,
                               .a = side_of(b, 0),
                               .b = side_of(b, 1),
                               .results = b->results,
                               .result_stride = sizeof *b->results,
                               .threads = threads};
    const double start = now();
    const apart_status status = apart_distance_batch(&batch, NULL, NULL);
    return status == APART_OK ? now() - start : -1.0;
}

/* The distances, for a comparison. */
void bench_distances(const case_batch *b, double *out)
{
    for (size_t i = 0; i < b->count; i++) {
        out[i] = b->results[i].distance;
    }
}

/* Seconds of `calls` single calls with bodies `first` and `second`. */
double bench_single(const case_batch *b, size_t first, size_t second, size_t calls)
{
    double sum = 0;
    const double start = now();
    for (size_t i = 0; i < calls; i++) {
        apart_result r;
        apart_distance(&b->shapes[first], &b->poses[first], &b->shapes[second], &b->poses[second], NULL, NULL, &r);
        sum += r.distance;
    }
    /* The sum is used, so that no call can be left out. */
    return sum == -1.0 ? -1.0 : now() - start;
}

void bench_free(case_batch *b)
{
    for (size_t i = 0; i < b->hull_count; i++) {
        apart_hull_free(b->hulls[i]);
    }
    free(b->shapes);
    free(b->poses);
    free(b->hulls);
    free(b->results);
    free(b);
}
