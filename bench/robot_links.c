/* The links of a robot for the benchmark W10. */
#include "robot_links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <robot/robot.h>

struct bench_links {
    robot *r;
    robot_cell *cell;
    double *q, *goal;
    uint64_t seed;
};

/* Of the way to the goal in one step, and how near counts as there. */
static const double MOST_TURN = 0.02;

bench_links *bench_links_open(const char *urdf, const char **reason)
{
    static apart_io_error error;
    bench_links *l = calloc(1, sizeof *l);
    *reason = "out of memory";
    if (l == NULL) {
        return NULL;
    }
    if (robot_read_urdf(urdf, NULL, &l->r, &error) != APART_OK ||
        robot_cell_create(l->r, NULL, 0, &l->cell) != APART_OK) {
        *reason = error.message;
        bench_links_close(l);
        return NULL;
    }
    l->seed = 1;
    l->cell->options.depth = APART_DEPTH_NONE; /* the others give none */
    l->cell->options.tolerance = 1e-6;         /* FCL's */
    l->q = calloc(l->r->variable_count, sizeof *l->q);
    l->goal = calloc(l->r->variable_count, sizeof *l->goal);
    if (l->q == NULL || l->goal == NULL) {
        bench_links_close(l);
        return NULL;
    }
    return l;
}

void bench_links_close(bench_links *l)
{
    robot_cell_free(l->cell);
    robot_free(l->r);
    free(l->q);
    free(l->goal);
    free(l);
}

size_t bench_links_bodies(const bench_links *l) { return l->cell->body_count; }
size_t bench_links_pairs(const bench_links *l) { return l->cell->pair_count; }

void bench_links_pair(const bench_links *l, size_t pair, size_t bodies[2])
{
    bodies[0] = l->cell->pairs[pair].bodies[0];
    bodies[1] = l->cell->pairs[pair].bodies[1];
}

const apart_hull *bench_links_hull(const bench_links *l, size_t body) { return l->cell->bodies[body].shape.u.hull; }

void bench_links_move(bench_links *l, int small_step, apart_pose *out)
{
    const size_t n = l->r->variable_count;
    if (!small_step) {
        robot_random_positions(l->r, &l->seed, l->q);
        memcpy(l->goal, l->q, n * sizeof *l->q);
    } else {
        double farthest = 0.0;
        for (size_t v = 0; v < n; v++) {
            farthest = fmax(farthest, fabs(l->goal[v] - l->q[v]));
        }
        if (farthest < MOST_TURN) {
            robot_random_positions(l->r, &l->seed, l->goal);
            for (size_t v = 0; v < n; v++) {
                farthest = fmax(farthest, fabs(l->goal[v] - l->q[v]));
            }
        }
        for (size_t v = 0; v < n; v++) {
            l->q[v] += MOST_TURN / farthest * (l->goal[v] - l->q[v]);
        }
    }
    robot_cell_set(l->cell, l->q);
    memcpy(out, l->cell->poses, l->cell->body_count * sizeof *out);
}

void bench_links_distances(bench_links *l, const apart_pose *poses, double *out)
{
    memcpy(l->cell->poses, poses, l->cell->body_count * sizeof *poses);
    for (size_t p = 0; p < l->cell->pair_count; p++) {
        apart_compound_result r;
        out[p] = robot_cell_distance(l->cell, p, &r) == APART_OK ? r.result.distance : NAN;
    }
}
