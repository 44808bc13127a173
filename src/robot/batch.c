/* Many positions and many motions on several threads. Work is cut into blocks of a fixed size, each of which begins
 * with empty caches, so that the answers do not depend on who computes them. */
#include <stdlib.h>

#include "../base/parallel.h"
#include "robot.h"

enum { BLOCK = 64, MOST_THREADS = 256 };

typedef struct batch {
    const apart_robot_cell *cell;
    const double *q0, *q1;
    const apart_robot_segment *segments;
    size_t count, width;
    const apart_robot_motion_options *options;
    apart_robot_near *nears;
    apart_robot_gap *gaps;
    apart_robot_work **spaces; /* a block takes the one of its number, modulo their count */
    size_t space_count, blocks;
    apart_status *statuses; /* of each block */
} batch;

static apart_status answer(const batch *b, apart_robot_work *w, size_t i)
{
    if (b->segments != NULL) {
        return apart_robot_segment_motion(w, &b->segments[i], b->options, &b->gaps[i]);
    }
    const double *q0 = b->q0 + i * b->width;
    if (b->gaps != NULL) {
        return apart_robot_motion(w, q0, b->q1 + i * b->width, b->options, &b->gaps[i]);
    }
    const apart_status status = apart_robot_set(w, q0);
    return status == APART_OK ? apart_robot_nearest(w, &b->nears[i]) : status;
}

static void run_block(const batch *b, apart_robot_work *w, size_t block)
{
    const size_t first = block * BLOCK, end = b->count - first < BLOCK ? b->count : first + BLOCK;
    apart_robot_work_reset(w);
    for (size_t i = first; i < end && b->statuses[block] == APART_OK; i++) {
        b->statuses[block] = answer(b, w, i);
    }
}

/* Every space runs the blocks whose number has its own remainder: no two threads share one. */
static void run_spaces(void *context, size_t first, size_t end)
{
    const batch *b = context;
    for (size_t space = first; space < end; space++) {
        for (size_t block = space; block < b->blocks; block += b->space_count) {
            run_block(b, b->spaces[space], block);
        }
    }
}

static apart_status run(batch *b, unsigned threads)
{
    b->width = b->cell->robot->variable_count;
    b->blocks = (b->count + BLOCK - 1) / BLOCK;
    b->space_count = threads < 1 ? 1 : (threads > MOST_THREADS ? MOST_THREADS : threads);
    b->space_count = b->space_count < b->blocks ? b->space_count : (b->blocks > 0 ? b->blocks : 1);
    b->spaces = calloc(b->space_count, sizeof *b->spaces);
    b->statuses = calloc(b->blocks + 1, sizeof *b->statuses);
    apart_status status = b->spaces != NULL && b->statuses != NULL ? APART_OK : APART_ERR_MEMORY;
    for (size_t i = 0; i < b->space_count && status == APART_OK; i++) {
        status = apart_robot_work_create(b->cell, &b->spaces[i]);
    }
    if (status == APART_OK) {
        ap_parallel_for(threads, b->space_count, 1, run_spaces, b);
    }
    for (size_t i = 0; i < b->blocks && status == APART_OK; i++) {
        status = b->statuses[i];
    }
    for (size_t i = 0; b->spaces != NULL && i < b->space_count; i++) {
        apart_robot_work_free(b->spaces[i]);
    }
    free(b->spaces);
    free(b->statuses);
    return status;
}

apart_status apart_robot_nearest_batch(const apart_robot_cell *cell, const double *q, size_t count, unsigned threads,
                                       apart_robot_near *out)
{
    if (cell == NULL || q == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    batch b = {.cell = cell, .q0 = q, .count = count, .nears = out};
    return run(&b, threads);
}

apart_status apart_robot_motion_batch(const apart_robot_cell *cell, const double *q0, const double *q1, size_t count,
                                      const apart_robot_motion_options *options, unsigned threads, apart_robot_gap *out)
{
    if (cell == NULL || q0 == NULL || q1 == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    batch b = {.cell = cell, .q0 = q0, .q1 = q1, .count = count, .options = options, .gaps = out};
    return run(&b, threads);
}

apart_status apart_robot_segment_batch(const apart_robot_cell *cell, const apart_robot_segment *segments, size_t count,
                                       const apart_robot_motion_options *options, unsigned threads,
                                       apart_robot_gap *out)
{
    if (cell == NULL || segments == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    batch b = {.cell = cell, .segments = segments, .count = count, .options = options, .gaps = out};
    return run(&b, threads);
}
