/* Shortcuts (Geraerts and Overmars 2007): two places of the path are joined by a straight motion where that is proved to
 * keep the limit. Places are corners and points between corners in turns: corners remove detours fast, points round off
 * what is left. Candidates are tried in batches against the path as it is, and the first that holds is taken, so that
 * the result does not depend on the number of threads. */
#include <math.h>
#include <string.h>

#include "../base/parallel.h"
#include "plan.h"

/* A shortcut that saves less than this share of the path is not worth a corner. */
static const double LEAST_GAIN = 1e-3;
/* Random numbers of the shortening are a stream that no sample has. */
static const uint64_t STREAM = UINT64_MAX;

/* A place on the path: on the edge that begins at a corner. */
typedef struct place {
    size_t corner;
    double share;
} place;

typedef struct candidate {
    place from, to;
    bool is_free;
} candidate;

typedef struct shortener {
    ap_planner *p;
    double *length_to; /* of each corner */
    double *spare;     /* the new path */
    uint64_t tried;
    candidate candidates[AP_PLAN_BATCH];
    size_t count;
} shortener;

static double *corner(const ap_planner *p, size_t i) { return p->path + i * p->width; }

static void measure(shortener *s)
{
    const ap_planner *p = s->p;
    s->length_to[0] = 0.0;
    for (size_t i = 1; i < p->path_count; i++) {
        s->length_to[i] = s->length_to[i - 1] + ap_plan_distance(corner(p, i - 1), corner(p, i), p->width);
    }
}

static double total(const shortener *s) { return s->length_to[s->p->path_count - 1]; }

static place place_at(const shortener *s, double length)
{
    place at = {0, 0.0};
    while (at.corner + 2 < s->p->path_count && s->length_to[at.corner + 1] <= length) {
        at.corner++;
    }
    const double edge = s->length_to[at.corner + 1] - s->length_to[at.corner];
    at.share = edge > 0.0 ? (length - s->length_to[at.corner]) / edge : 0.0;
    return at;
}

static void position_of(const ap_planner *p, place at, double *out)
{
    const double *a = corner(p, at.corner), *b = at.share > 0.0 ? corner(p, at.corner + 1) : a;
    for (size_t i = 0; i < p->width; i++) {
        out[i] = at.share < 1.0 ? a[i] + at.share * (b[i] - a[i]) : b[i];
    }
}

static double length_at(const shortener *s, place at)
{
    const double edge = at.share > 0.0 ? s->length_to[at.corner + 1] - s->length_to[at.corner] : 0.0;
    return s->length_to[at.corner] + at.share * edge;
}

/* Corners for even numbers, points for odd ones; from < to. */
static candidate draw(const shortener *s, uint64_t number)
{
    const uint64_t seed = s->p->options.seed;
    double a = ap_plan_random(seed, STREAM, 2 * number), b = ap_plan_random(seed, STREAM, 2 * number + 1);
    const double low = a < b ? a : b, high = a < b ? b : a;
    if (number % 2 == 0) {
        const size_t count = s->p->path_count;
        return (candidate){.from = {(size_t)(low * (double)count), 0.0}, .to = {(size_t)(high * (double)count), 0.0}};
    }
    return (candidate){.from = place_at(s, low * total(s)), .to = place_at(s, high * total(s))};
}

/* Would it be worth it? Leaves both ends in the attempt's rows. */
static bool is_shorter(const shortener *s, const candidate *c, ap_plan_attempt *a)
{
    const ap_planner *p = s->p;
    if (c->from.corner == c->to.corner || (c->to.share == 0.0 && c->from.corner + 1 >= c->to.corner)) {
        return false; /* one edge */
    }
    position_of(p, c->from, a->target);
    position_of(p, c->to, a->node);
    const double now = length_at(s, c->to) - length_at(s, c->from);
    return now - ap_plan_distance(a->target, a->node, p->width) > LEAST_GAIN * total(s);
}

static void try_candidate(const shortener *s, ap_plan_lane *lane, size_t number)
{
    const ap_planner *p = s->p;
    ap_plan_attempt *a = &s->p->attempts[number];
    candidate *c = (candidate *)&s->candidates[number];
    c->is_free = false;
    a->edges = 0;
    a->status = APART_OK;
    a->refused_by = APART_ROBOT_NONE;
    if (is_shorter(s, c, a)) {
        ap_plan_begin(p, lane);
        a->edges = 1;
        a->status = ap_plan_is_free(p, lane, a->target, a->node, &c->is_free, &a->refused_by);
    }
}

static void run_lanes(void *context, size_t first, size_t end)
{
    const shortener *s = context;
    for (size_t lane = first; lane < end; lane++) {
        for (size_t i = lane; i < s->count; i += s->p->lane_count) {
            try_candidate(s, &s->p->lanes[lane], i);
        }
    }
}

/* Replaces what lies between the places by their two positions. */
static void take(shortener *s, size_t number)
{
    ap_planner *p = s->p;
    const candidate *c = &s->candidates[number];
    const size_t row = p->width * sizeof *p->path, before = c->from.corner + 1, after = c->to.corner + 1;
    size_t count = before;
    memcpy(s->spare, p->path, before * row);
    if (c->from.share > 0.0) {
        memcpy(s->spare + count++ * p->width, p->attempts[number].target, row);
    }
    memcpy(s->spare + count++ * p->width, p->attempts[number].node, row);
    memcpy(s->spare + count * p->width, corner(p, after), (p->path_count - after) * row);
    count += p->path_count - after;
    double *old = p->path;
    p->path = s->spare;
    p->path_count = count;
    s->spare = old;
    measure(s);
}

/* Tries a batch; returns whether one of them was taken, and how many were without success before it. */
static apart_status try_batch(shortener *s, size_t count, size_t *failures)
{
    ap_planner *p = s->p;
    s->count = count;
    for (size_t i = 0; i < count; i++) {
        s->candidates[i] = draw(s, s->tried + i);
    }
    ap_parallel_for((unsigned)p->lane_count, p->lane_count, 1, run_lanes, s);
    for (size_t i = 0; i < count; i++) {
        const ap_plan_attempt *a = &p->attempts[i];
        p->out->work.edges += a->edges;
        s->tried++;
        if (a->status != APART_OK) {
            return a->status;
        }
        if (s->candidates[i].is_free) {
            take(s, i);
            *failures = 0;
            return APART_OK;
        }
        if (a->refused_by != APART_ROBOT_NONE) {
            ap_plan_note_hot(p, a->refused_by);
        }
        ++*failures;
    }
    return APART_OK;
}

static apart_status run(shortener *s)
{
    ap_planner *p = s->p;
    size_t failures = 0;
    apart_status status = APART_OK;
    p->out->work.shortening = 1;
    while (status == APART_OK && p->path_count > 2 && failures < p->options.shortcuts && ap_plan_goes_on(p)) {
        const size_t left = p->options.shortcuts - failures;
        size_t size = failures < 2 ? 1 : (failures < 6 ? 2 : (failures < 14 ? 4 : AP_PLAN_BATCH));
        status = try_batch(s, size < left ? size : left, &failures);
    }
    return status;
}

apart_status ap_plan_shorten(ap_planner *p)
{
    const apart_allocator *allocator = &p->options.allocator;
    /* A shortcut between points adds at most one corner, and needs an edge between them: 2 for every corner there was. */
    const size_t room = 4 * p->path_count + 2 * (size_t)p->options.shortcuts + 16;
    shortener s = {.p = p,
                   .length_to = ap_allocate(allocator, room, sizeof *s.length_to),
                   .spare = ap_allocate(allocator, room * p->width, sizeof *s.spare)};
    double *path = ap_allocate(allocator, room * p->width, sizeof *path);
    apart_status status = APART_ERR_MEMORY;
    if (s.length_to != NULL && s.spare != NULL && path != NULL) {
        memcpy(path, p->path, p->path_count * p->width * sizeof *path);
        ap_release(allocator, p->path);
        p->path = path;
        path = NULL;
        measure(&s);
        p->out->found_length = total(&s);
        status = p->options.keep_path ? APART_OK : run(&s);
    }
    ap_release(allocator, path);
    ap_release(allocator, s.spare);
    ap_release(allocator, s.length_to);
    return status;
}
