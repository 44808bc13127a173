/* A work space: positions, caches and the order of pairs, for one thread. */
#include <math.h>

#include "report.h"

/* ---- memory: one block, cut into arrays ---- */

typedef struct cutter {
    char *at; /* NULL: only measuring */
    size_t used;
} cutter;

static void *cut(cutter *c, size_t count, size_t size)
{
    void *piece = c->at != NULL ? c->at + c->used : NULL;
    c->used += (count * size + 63) / 64 * 64;
    return piece;
}

static void cut_moment(cutter *c, const apart_robot_cell *cell, ap_robot_moment *m, bool bounds)
{
    const size_t n = cell->robot->variable_count, frames = cell->robot->frame_count, bodies = cell->body_count;
    double *numbers = cut(c, 6 * n, sizeof *numbers);
    if (numbers != NULL) {
        m->q = numbers;
        m->rate = numbers + n;
        m->change = numbers + 2 * n;
        m->rate_most = numbers + 3 * n;
        m->bend_most = numbers + 4 * n;
        m->jolt_most = numbers + 5 * n;
    }
    m->frames = cut(c, frames, sizeof *m->frames);
    m->origins = cut(c, frames, sizeof *m->origins);
    m->axes = cut(c, frames, sizeof *m->axes);
    m->angular = cut(c, frames, sizeof *m->angular);
    m->linear = cut(c, frames, sizeof *m->linear);
    m->angular_change = cut(c, frames, sizeof *m->angular_change);
    m->linear_change = cut(c, frames, sizeof *m->linear_change);
    m->frame_stamps = cut(c, frames, sizeof *m->frame_stamps);
    m->poses = cut(c, bodies, sizeof *m->poses);
    m->centers = cut(c, bodies, sizeof *m->centers);
    m->body_stamps = cut(c, bodies, sizeof *m->body_stamps);
    m->part_stamps = cut(c, bodies, sizeof *m->part_stamps);
    m->part_centers = cut(c, cell->part_count, sizeof *m->part_centers);
    m->row_stamps = cut(c, bounds ? bodies : 0, sizeof *m->row_stamps);
    m->speed = cut(c, bounds ? cell->row_count : 0, sizeof *m->speed);
    m->bend = cut(c, bounds ? cell->row_count : 0, sizeof *m->bend);
    m->jolt = cut(c, bounds ? cell->row_count : 0, sizeof *m->jolt);
}

static size_t cut_work(char *memory, apart_robot_work *w)
{
    cutter c = {.at = memory};
    const apart_robot_cell *cell = w->cell;
    for (int i = 0; i < AP_MOMENTS; i++) {
        cut_moment(&c, cell, &w->moments[i], i != AP_MOMENT_USER);
    }
    w->caches = cut(&c, cell->table_size, sizeof *w->caches);
    w->order = cut(&c, cell->pair_count, sizeof *w->order);
    w->nearest = cut(&c, cell->pair_count, sizeof *w->nearest);
    w->extents = cut(&c, cell->pair_count, sizeof *w->extents);
    w->coefficients = cut(&c, 6 * cell->robot->variable_count, sizeof *w->coefficients);
    w->magnitudes = cut(&c, cell->robot->variable_count, sizeof *w->magnitudes);
    return c.used;
}

apart_status apart_robot_work_create(const apart_robot_cell *cell, apart_robot_work **out)
{
    if (cell == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    *out = NULL;
    apart_robot_work *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return APART_ERR_MEMORY;
    }
    w->cell = cell;
    w->memory = calloc(cut_work(NULL, w) + 64, 1);
    if (w->memory == NULL) {
        free(w);
        return APART_ERR_MEMORY;
    }
    cut_work(w->memory, w);
    apart_robot_work_reset(w);
    apart_robot_rest(cell->robot, w->moments[AP_MOMENT_USER].q);
    (void)apart_robot_set(w, w->moments[AP_MOMENT_USER].q);
    *out = w;
    return APART_OK;
}

void apart_robot_work_free(apart_robot_work *w)
{
    if (w != NULL) {
        free(w->memory);
        free(w);
    }
}

const apart_robot_cell *apart_robot_work_cell(const apart_robot_work *w) { return w->cell; }

void apart_robot_work_reset(apart_robot_work *w)
{
    for (size_t i = 0; i < w->cell->table_size; i++) {
        w->caches[i].owner = 0;
    }
    for (size_t i = 0; i < w->cell->pair_count; i++) {
        w->order[i] = (uint32_t)i;
        w->nearest[i] = 0;
        w->extents[i] = 0.0;
    }
}

void apart_robot_work_options(apart_robot_work *w, const apart_options *options, int cold)
{
    w->options = options != NULL ? *options : (apart_options){.solver = 0};
    w->cold = cold != 0;
}

apart_status apart_robot_set(apart_robot_work *w, const double *q)
{
    const apart_robot *r = w->cell->robot;
    for (size_t v = 0; v < r->variable_count; v++) {
        if (!isfinite(q[v])) {
            return APART_ERR_NONFINITE;
        }
    }
    ap_robot_moment *m = &w->moments[AP_MOMENT_USER];
    memmove(m->q, q, r->variable_count * sizeof *q);
    ap_robot_moment_begin(r, m, 0.0);
    for (size_t i = 0; i < w->cell->body_count; i++) {
        ap_robot_place_body(w->cell, m, i);
    }
    for (size_t f = 0; f < r->frame_count; f++) {
        ap_robot_place_frame(w->cell, m, f);
    }
    return APART_OK;
}

apart_pose apart_robot_link_pose(const apart_robot_work *w, size_t link)
{
    const apart_robot *r = w->cell->robot;
    return apart_pose_compose(&w->moments[AP_MOMENT_USER].frames[r->frame_of[link]], &r->local[link]);
}

apart_pose apart_robot_body_pose(const apart_robot_work *w, size_t body)
{
    const ap_robot_body *b = &w->cell->bodies[body];
    return b->moves_with_base ? apart_robot_link_pose(w, b->public.link) : b->link_local;
}
