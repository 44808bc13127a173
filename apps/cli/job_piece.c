/* The answers to a piece of a study. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

static int failed(const job_study *s, size_t item, apart_status status)
{
    char reason[CLI_TEXT_SIZE];
    return cli_error("%s: in the piece of item %zu: %s", s->file.text.name, item, cli_reason(status, reason));
}

/* ---- random numbers by number ---- */

/* The finaliser of splitmix64 (Steele, Lea and Flood 2014), twice: a number for each seed and place. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t random_at(const job_study *s, size_t item, uint64_t place)
{
    return mix(mix(s->seed ^ mix(item)) + place);
}

/* Evenly from -1 to 1. */
static double symmetric_at(const job_study *s, size_t item, uint64_t place)
{
    return (double)(random_at(s, item, place) >> 11) * 0x1p-52 - 1.0;
}

/* ---- robots ---- */

void job_positions(const job_study *s, size_t item, double *q)
{
    const size_t width = apart_robot_variable_count(s->cell.robot);
    if (s->rows.count > 0) {
        memcpy(q, trajectory_at(&s->rows, item), width * sizeof *q);
    } else if (s->axis_count > 0) {
        apart_robot_rest(s->cell.robot, q);
        for (size_t i = s->axis_count, rest = item; i-- > 0; rest /= s->axes[i].count) {
            const job_axis *axis = &s->axes[i];
            const double share = axis->count > 1 ? (double)(rest % axis->count) / (double)(axis->count - 1) : 0.0;
            q[axis->variable] = axis->from + share * (axis->to - axis->from);
        }
    } else {
        uint64_t state = random_at(s, item, 0);
        apart_robot_random(s->cell.robot, &state, q);
    }
}

static void put_distance(job_value *row, double distance, double lower, double upper)
{
    row[0].real = distance;
    row[1].real = lower;
    row[2].real = upper;
}

/* Positions, distance, lower, upper, pair. */
static int compute_clearance(const job_study *s, size_t first, size_t count, job_value *values)
{
    const size_t width = apart_robot_variable_count(s->cell.robot);
    double *q = calloc(count * width, sizeof *q);
    apart_robot_near *near = calloc(count, sizeof *near);
    apart_status status = q != NULL && near != NULL ? APART_OK : APART_ERR_MEMORY;
    for (size_t i = 0; status == APART_OK && i < count; i++) {
        job_positions(s, first + i, q + i * width);
    }
    status = status == APART_OK ? apart_robot_nearest_batch(s->cell.cell, q, count, s->threads, near) : status;
    for (size_t i = 0; status == APART_OK && i < count; i++) {
        job_value *row = values + i * s->width;
        for (size_t k = 0; k < width; k++) {
            row[k].real = q[i * width + k];
        }
        const apart_result *r = &near[i].at.result;
        put_distance(row + width, r->distance, r->lower, r->upper);
        row[width + 3].whole = (int64_t)near[i].pair;
    }
    free(q);
    free(near);
    return status == APART_OK ? CLI_YES : failed(s, first, status);
}

/* The nodes before `node` that are nearest to it, nearest first; those of the lowest number first where they tie. */
static size_t find_neighbours(const job_study *s, size_t node, size_t width, size_t *found)
{
    double *const distance = calloc(s->neighbours, sizeof *distance);
    size_t count = 0;
    for (size_t other = 0; distance != NULL && other < node; other++) {
        double square = 0.0;
        for (size_t k = 0; k < width; k++) {
            const double d = s->nodes[other * width + k] - s->nodes[node * width + k];
            square += d * d;
        }
        size_t place = count < s->neighbours ? count++ : count;
        for (; place > 0 && square < distance[place - 1]; place--) {
            if (place < s->neighbours) {
                distance[place] = distance[place - 1];
                found[place] = found[place - 1];
            }
        }
        if (place < s->neighbours) {
            distance[place] = square;
            found[place] = other;
        }
    }
    free(distance);
    return count;
}

/* The edges of some nodes: from rows of q0 to rows of q1; owner[e] is the place of its answer. */
typedef struct job_edges {
    double *q0, *q1;
    size_t *owner, *found;
    apart_robot_gap *gaps;
    size_t count;
} job_edges;

static apart_status certify_edges(const job_study *s, job_edges *e, size_t first, size_t count, job_value *values)
{
    const size_t width = apart_robot_variable_count(s->cell.robot);
    const apart_robot_motion_options options = {.has_limit = 1, .limit = s->limit};
    for (size_t i = 0; i < count; i++) {
        const size_t near = find_neighbours(s, first + i, width, e->found);
        job_value *row = values + i * s->width + width;
        for (size_t k = 0; k < s->neighbours; k++) {
            row[k].whole = k < near ? (int64_t)e->found[k] : -1;
            row[s->neighbours + k].real = row[2 * s->neighbours + k].real = (double)-INFINITY;
        }
        for (size_t k = 0; k < near; k++, e->count++) {
            memcpy(e->q0 + e->count * width, s->nodes + (first + i) * width, width * sizeof(double));
            memcpy(e->q1 + e->count * width, s->nodes + e->found[k] * width, width * sizeof(double));
            e->owner[e->count] = i * s->width + width + s->neighbours + k;
        }
    }
    if (e->count == 0) {
        return APART_OK;
    }
    const apart_status status =
        apart_robot_motion_batch(s->cell.cell, e->q0, e->q1, e->count, &options, s->threads, e->gaps);
    for (size_t i = 0; status == APART_OK && i < e->count; i++) {
        values[e->owner[i]].real = e->gaps[i].lower;
        values[e->owner[i] + s->neighbours].real = e->gaps[i].upper;
    }
    return status;
}

/* Positions, then for each neighbour its number, lower and upper of the least distance on the way. */
static int compute_roadmap(const job_study *s, size_t first, size_t count, job_value *values)
{
    const size_t width = apart_robot_variable_count(s->cell.robot), most = count * s->neighbours;
    job_edges e = {calloc(most * width, sizeof *e.q0), calloc(most * width, sizeof *e.q1),
                   calloc(most, sizeof *e.owner),      calloc(s->neighbours, sizeof *e.found),
                   calloc(most, sizeof *e.gaps),       0};
    const bool room = e.q0 != NULL && e.q1 != NULL && e.owner != NULL && e.found != NULL && e.gaps != NULL;
    for (size_t i = 0; room && i < count; i++) {
        for (size_t k = 0; k < width; k++) {
            values[i * s->width + k].real = s->nodes[(first + i) * width + k];
        }
    }
    const apart_status status = room ? certify_edges(s, &e, first, count, values) : APART_ERR_MEMORY;
    free(e.q0);
    free(e.q1);
    free(e.owner);
    free(e.found);
    free(e.gaps);
    return status == APART_OK ? CLI_YES : failed(s, first, status);
}

/* ---- assemblies ---- */

static apart_solid solid_of_body(const job_study *s, size_t body)
{
    return scene_solid_of(s->assembly.solids[s->assembly.bodies[body].solid]);
}

/* Where a body is in sample `item`. */
static apart_status place_body(const job_study *s, size_t item, size_t number, apart_pose *out)
{
    const job_tolerance *t = &s->tolerances[number];
    double d[6];
    for (uint64_t k = 0; k < 6; k++) {
        d[k] = symmetric_at(s, item, 6 * number + k) * (k < 3 ? t->xyz[k] : t->rpy[k - 3]);
    }
    apart_pose turn;
    const apart_pose *start = &s->assembly.bodies[t->body].motion.start;
    const apart_status status = apart_pose_from_rpy(d[3], d[4], d[5], (apart_vec3){0, 0, 0}, &turn);
    *out = apart_pose_compose(start, &turn);
    out->translation.x += d[0];
    out->translation.y += d[1];
    out->translation.z += d[2];
    return status;
}

static apart_status pair_distance(const job_study *s, size_t pair, const apart_pose *poses, apart_compound_result *r)
{
    const size_t a = s->pairs[pair][0], b = s->pairs[pair][1];
    return apart_compound_distance(solid_of_body(s, a), &poses[a], solid_of_body(s, b), &poses[b], NULL, NULL, r);
}

/* Distance, lower, upper of the nearest pair, and the pair. */
static int compute_tolerance(const job_study *s, size_t first, size_t count, job_value *values)
{
    apart_pose *poses = calloc(s->assembly.body_count, sizeof *poses);
    apart_status status = poses != NULL ? APART_OK : APART_ERR_MEMORY;
    for (size_t i = 0; status == APART_OK && i < s->assembly.body_count; i++) {
        poses[i] = s->assembly.bodies[i].motion.start;
    }
    for (size_t i = 0; status == APART_OK && i < count; i++) {
        job_value *row = values + i * s->width;
        for (size_t k = 0; k < s->tolerance_count && status == APART_OK; k++) {
            status = place_body(s, first + i, k, &poses[s->tolerances[k].body]);
        }
        for (size_t k = 0; k < s->pair_count && status == APART_OK; k++) {
            apart_compound_result r;
            status = pair_distance(s, k, poses, &r);
            if (status == APART_OK && (k == 0 || r.result.distance < row[0].real)) {
                put_distance(row, r.result.distance, r.result.lower, r.result.upper);
                row[3].whole = (int64_t)k;
            }
        }
    }
    free(poses);
    return status == APART_OK ? CLI_YES : failed(s, first, status);
}

/* Both bodies, distance, lower, upper. */
static int compute_pairs(const job_study *s, size_t first, size_t count, job_value *values)
{
    for (size_t i = 0; i < count; i++) {
        job_value *row = values + i * s->width;
        const size_t a = s->pairs[first + i][0], b = s->pairs[first + i][1];
        apart_compound_result r;
        const apart_status status =
            apart_compound_distance(solid_of_body(s, a), &s->assembly.bodies[a].motion.start, solid_of_body(s, b),
                                    &s->assembly.bodies[b].motion.start, NULL, NULL, &r);
        if (status != APART_OK) {
            return failed(s, first + i, status);
        }
        row[0].whole = (int64_t)a;
        row[1].whole = (int64_t)b;
        put_distance(row + 2, r.result.distance, r.result.lower, r.result.upper);
    }
    return CLI_YES;
}

int job_compute(const job_study *s, size_t piece, job_value *values)
{
    static int (*const compute[JOB_KIND_COUNT])(const job_study *, size_t, size_t,
                                                job_value *) = {[JOB_CLEARANCE] = compute_clearance,
                                                                [JOB_ROADMAP] = compute_roadmap,
                                                                [JOB_TOLERANCE] = compute_tolerance,
                                                                [JOB_PAIRS] = compute_pairs};
    return compute[s->kind](s, job_piece_first(s, piece), job_piece_items(s, piece), values);
}
