/* The links of a robot for the benchmark W10. */
#include "robot_links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <apart/robot_io.h>

struct bench_links {
    apart_robot *r;
    apart_robot_cell *cell;
    apart_robot_work *work;
    apart_cache *caches; /* of each pair */
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
    if (apart_robot_read(urdf, NULL, &l->r, &error) != APART_OK ||
        apart_robot_cell_create(l->r, NULL, &l->cell) != APART_OK ||
        apart_robot_work_create(l->cell, &l->work) != APART_OK) {
        *reason = error.message;
        bench_links_close(l);
        return NULL;
    }
    l->seed = 1;
    l->caches = calloc(apart_robot_pair_count(l->cell), sizeof *l->caches);
    l->q = calloc(apart_robot_variable_count(l->r), sizeof *l->q);
    l->goal = calloc(apart_robot_variable_count(l->r), sizeof *l->goal);
    if (l->caches == NULL || l->q == NULL || l->goal == NULL) {
        bench_links_close(l);
        return NULL;
    }
    return l;
}

void bench_links_close(bench_links *l)
{
    apart_robot_work_free(l->work);
    apart_robot_cell_free(l->cell);
    apart_robot_free(l->r);
    free(l->caches);
    free(l->q);
    free(l->goal);
    free(l);
}

size_t bench_links_bodies(const bench_links *l) { return apart_robot_body_count(l->cell); }
size_t bench_links_pairs(const bench_links *l) { return apart_robot_pair_count(l->cell); }

void bench_links_pair(const bench_links *l, size_t pair, size_t bodies[2])
{
    bodies[0] = apart_robot_pair_at(l->cell, pair)->bodies[0];
    bodies[1] = apart_robot_pair_at(l->cell, pair)->bodies[1];
}

const apart_hull *bench_links_hull(const bench_links *l, size_t body)
{
    return apart_robot_body_at(l->cell, body)->parts[0].shape.u.hull;
}

void bench_links_move(bench_links *l, int small_step, apart_pose *out)
{
    const size_t n = apart_robot_variable_count(l->r);
    if (!small_step) {
        apart_robot_random(l->r, &l->seed, l->q);
        memcpy(l->goal, l->q, n * sizeof *l->q);
    } else {
        double farthest = 0.0;
        for (size_t v = 0; v < n; v++) {
            farthest = fmax(farthest, fabs(l->goal[v] - l->q[v]));
        }
        if (farthest < MOST_TURN) {
            apart_robot_random(l->r, &l->seed, l->goal);
            for (size_t v = 0; v < n; v++) {
                farthest = fmax(farthest, fabs(l->goal[v] - l->q[v]));
            }
        }
        for (size_t v = 0; v < n; v++) {
            l->q[v] += MOST_TURN / farthest * (l->goal[v] - l->q[v]);
        }
    }
    (void)apart_robot_set(l->work, l->q);
    for (size_t i = 0; i < apart_robot_body_count(l->cell); i++) {
        const apart_pose link = apart_robot_body_pose(l->work, i);
        out[i] = apart_pose_compose(&link, &apart_robot_body_at(l->cell, i)->parts[0].pose);
    }
}

/* The links' hulls, a pair at a time with a cache for each, as a robot's work space does it. */
void bench_links_distances(bench_links *l, const apart_pose *poses, double *out)
{
    const apart_options options = {.depth = APART_DEPTH_NONE, .tolerance = 1e-6}; /* the others': no depth, FCL's */
    for (size_t p = 0; p < apart_robot_pair_count(l->cell); p++) {
        const size_t *bodies = apart_robot_pair_at(l->cell, p)->bodies;
        const apart_shape *a = &apart_robot_body_at(l->cell, bodies[0])->parts[0].shape,
                          *b = &apart_robot_body_at(l->cell, bodies[1])->parts[0].shape;
        apart_result r;
        out[p] = apart_distance(a, &poses[bodies[0]], b, &poses[bodies[1]], &options, &l->caches[p], &r) == APART_OK
                     ? r.distance
                     : NAN;
    }
}
