/* Recordings of a single pair: the steps of a query, and two moving bodies. */
#include <stdlib.h>
#include <string.h>

#include "recording.h"

/* Moments of a motion between its start and its end. */
enum { MOMENTS = 120 };

/* "cow.obj and spot.obj": files without their folders. */
static void name_pair(const cli_body bodies[2], char title[CLI_TEXT_SIZE])
{
    const char *name[2];
    for (int i = 0; i < 2; i++) {
        const char *slash = bodies[i].mesh != NULL ? strrchr(bodies[i].text, '/') : NULL;
        name[i] = slash != NULL ? slash + 1 : bodies[i].text;
    }
    snprintf(title, CLI_TEXT_SIZE, "%.100s and %.100s", name[0], name[1]);
}

static int open_pair(const char *path, const char *kind, bool exact, const cli_body bodies[2], const bool fixed[2],
                     recording *r)
{
    char title[CLI_TEXT_SIZE];
    name_pair(bodies, title);
    if (recording_open(path, &(recording_head){.kind = kind, .title = title, .exact = exact}, r) != CLI_YES) {
        return CLI_BAD;
    }
    int status = CLI_YES;
    for (int i = 0; i < 2 && status == CLI_YES; i++) {
        status = recording_add_own(r, fixed[i] ? "fixed" : "moving", &bodies[i]);
    }
    return status;
}

static recording_pair pair_of(const cli_body bodies[2], const apart_compound_result *found)
{
    recording_pair pair = recording_pair_of(0, 1, &found->result);
    if (cli_has_parts(bodies)) {
        pair.part_a = found->part_a;
        pair.part_b = found->part_b;
    }
    return pair;
}

/* Bodies with parts have no iterations: they are shown as a scene that stands still. */
static int write_answer(recording *r, const cli_body bodies[2], const apart_compound_result *found)
{
    const apart_pose poses[2] = {bodies[0].pose, bodies[1].pose};
    const recording_pair pair = pair_of(bodies, found);
    return recording_write(r, &(recording_frame){.poses = poses, .pairs = &pair, .pair_count = 1});
}

int cli_record_pair(char **text, size_t *size, const cli_body bodies[2], const apart_compound_result *found)
{
    char title[CLI_TEXT_SIZE];
    recording r;
    name_pair(bodies, title);
    int status =
        recording_open_memory(text, size, &(recording_head){.kind = "scene", .title = title, .exact = true}, &r);
    for (int i = 0; i < 2 && status == CLI_YES; i++) {
        status = recording_add_own(&r, "moving", &bodies[i]);
    }
    status = status == CLI_YES ? write_answer(&r, bodies, found) : status;
    return recording_close(&r, status);
}

int cli_record_query(const char *path, const cli_body bodies[2], const apart_trace *trace,
                     const apart_compound_result *found)
{
    if (cli_has_parts(bodies)) {
        recording scene = {.frames = 0};
        const int opened = open_pair(path, "scene", true, bodies, (const bool[]){false, false}, &scene);
        return recording_close(&scene, opened == CLI_YES ? write_answer(&scene, bodies, found) : opened);
    }
    const apart_result *result = &found->result;
    const uint32_t stored = trace->count < trace->capacity ? trace->count : trace->capacity;
    const recording_pair pair = recording_pair_of(0, 1, result);
    const apart_pose poses[2] = {bodies[0].pose, bodies[1].pose};
    recording r = {.frames = 0};
    int status = open_pair(path, "query", true, bodies, (const bool[]){false, false}, &r);
    for (uint32_t i = 0; i < stored && status == CLI_YES; i++) {
        const bool last = i + 1 == stored;
        json_t *step = cli_json_step(&trace->steps[i], result->dim);
        json_object_set_new(step, "origin", cli_json_vec(trace->origin, result->dim));
        status = recording_write(
            &r, &(recording_frame){.t = i, .poses = poses, .pairs = &pair, .pair_count = last, .step = step});
        json_decref(step);
    }
    if (stored == 0 && status == CLI_YES) { /* a closed form has no iterations */
        status = recording_write(&r, &(recording_frame){.poses = poses, .pairs = &pair, .pair_count = 1});
    }
    return recording_close(&r, status);
}

typedef struct trip {
    recording r;
    const cli_body *bodies;
    const apart_motion *motions;
    apart_compound_cache cache;
} trip;

static int write_moment(trip *way, double t, const char *label)
{
    apart_pose poses[2];
    apart_compound_result found;
    for (int i = 0; i < 2; i++) {
        const apart_status status = apart_motion_pose(&way->motions[i], t, &poses[i]);
        if (status != APART_OK) {
            return cli_query_error(way->bodies, status);
        }
    }
    const apart_status status =
        apart_compound_distance(cli_body_solid(&way->bodies[0]), &poses[0], cli_body_solid(&way->bodies[1]), &poses[1],
                                NULL, &way->cache, &found);
    if (status != APART_OK) {
        return cli_query_error(way->bodies, status);
    }
    const recording_pair pair = pair_of(way->bodies, &found);
    return recording_write(&way->r,
                           &(recording_frame){.t = t, .poses = poses, .pairs = &pair, .pair_count = 1, .label = label});
}

static bool is_at_rest(const apart_motion *m)
{
    return m->linear.x == 0 && m->linear.y == 0 && m->linear.z == 0 && m->angular.x == 0 && m->angular.y == 0 &&
           m->angular.z == 0;
}

int cli_record_toi(const char *path, const cli_body bodies[2], const apart_motion motions[2],
                   const apart_impact *impact, double until)
{
    trip way = {.bodies = bodies, .motions = motions};
    const bool clear = impact->outcome == APART_OUTCOME_CLEAR;
    const double end = clear ? until : impact->t;
    const char *label =
        clear ? "the smallest gap" : (impact->outcome == APART_OUTCOME_LIMIT ? "the search ended here" : "contact");
    bool told = false;
    int status =
        open_pair(path, "toi", false, bodies, (const bool[]){is_at_rest(&motions[0]), is_at_rest(&motions[1])}, &way.r);
    for (int i = 0; i <= MOMENTS && status == CLI_YES; i++) {
        const double t = end * i / MOMENTS;
        if (!told && impact->t < t) {
            status = write_moment(&way, impact->t, label);
            told = true;
        }
        const bool here = !told && impact->t == t;
        told = told || here;
        status = status == CLI_YES ? write_moment(&way, t, here ? label : NULL) : status;
        if (end == 0) {
            break;
        }
    }
    return recording_close(&way.r, status);
}
