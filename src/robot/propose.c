/* Which pairs always overlap, which only at rest, and which never come near? Random joint positions decide; that a pair
 * never comes near is proved where that is possible: the positions within the limits are a box, and in a box whose half
 * widths are w_i no point moves by more than what joints moving at the rates w_i do in a unit of time (moment.c). So
 * the distance at the middle, less that, bounds the distance in the box; boxes are halved until it suffices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot.h"

enum { MOST_BOXES = 1 << 14, MOST_DEPTH = 64 };

/* splitmix64 (Steele, Lea, Flood 2014). */
static double random_unit(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* The limits, or a whole turn, or nowhere. Returns whether these are all positions there are. */
static bool range_of(const apart_robot_joint *joint, double *lower, double *upper)
{
    const bool limited = isfinite(joint->lower) && isfinite(joint->upper);
    const double turn = acos(-1.0);
    *lower = limited ? joint->lower : (joint->kind == APART_JOINT_SLIDING ? 0.0 : -turn);
    *upper = limited ? joint->upper : (joint->kind == APART_JOINT_SLIDING ? 0.0 : turn);
    return limited || joint->kind != APART_JOINT_SLIDING;
}

void apart_robot_random(const apart_robot *r, uint64_t *seed, double *q)
{
    for (size_t v = 0; v < r->variable_count; v++) {
        double lower, upper;
        (void)range_of(apart_robot_variable(r, v), &lower, &upper);
        q[v] = lower + random_unit(seed) * (upper - lower);
    }
}

/* ---- proofs ---- */

/* Boxes by their middles and half widths, one after the other on a stack. */
typedef struct prover {
    apart_robot_work *w;
    size_t n;
    double far;
    double *stack; /* 2 n numbers a box */
    bool *moves;   /* the variables that move the pair */
} prover;

static void find_moving(const prover *p, const ap_robot_pair *pair)
{
    const apart_robot_cell *cell = p->w->cell;
    memset(p->moves, 0, p->n * sizeof *p->moves);
    for (int i = 0; i < 2; i++) {
        for (size_t f = cell->bodies[pair->public.bodies[i]].frame; f != pair->top; f = cell->robot->frames[f].parent) {
            p->moves[cell->robot->frames[f].variable] = true;
        }
    }
}

/* How far the joint alone moves the pair in its box: which side to halve. */
static double effect_of(const prover *p, const ap_robot_pair *pair, size_t variable, double half)
{
    const apart_robot_cell *cell = p->w->cell;
    const ap_robot_frame *frames = cell->robot->frames;
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        const ap_robot_body *body = &cell->bodies[pair->public.bodies[i]];
        size_t row = body->row;
        for (size_t f = body->frame; f != pair->top; f = frames[f].parent, row++) {
            if (frames[f].variable == variable) {
                const double reach = frames[f].slides || !isfinite(cell->reach[row]) ? 1.0 : cell->reach[row];
                sum += fabs(frames[f].factor) * half * reach;
            }
        }
    }
    return sum;
}

/* The distance in the box around the moment's positions is at least this. */
static apart_status bound_box(const prover *p, size_t number, const double *box, double *bound)
{
    apart_robot_work *w = p->w;
    const ap_robot_pair *pair = &w->cell->pairs[number];
    ap_robot_moment *m = &w->moments[AP_MOMENT_MIDDLE];
    double speed, bend, jolt;
    memcpy(m->q, box, p->n * sizeof *box);
    for (size_t v = 0; v < p->n; v++) {
        m->rate[v] = m->change[v] = 0.0;
        m->rate_most[v] = p->moves[v] ? box[p->n + v] : 0.0;
        m->bend_most[v] = m->jolt_most[v] = 0.0;
    }
    m->magnitudes = NULL;
    ap_robot_moment_begin(w->cell->robot, m, 0.0);
    m->half = 1.0;
    for (int i = 0; i < 2; i++) {
        ap_robot_place_body(w->cell, m, pair->public.bodies[i]);
        ap_robot_bound_body(w->cell, m, pair->public.bodies[i]);
    }
    ap_robot_pair_bounds(w->cell, m, pair, &speed, &bend, &jolt);
    const double slack = speed + ap_robot_rounding(w->cell, m, pair);
    *bound = ap_robot_ball_gap(w->cell, m, pair) - slack;
    if (*bound >= p->far) {
        return APART_OK;
    }
    apart_options options = w->options;
    apart_compound_result r;
    options.cutoff = p->far + slack;
    options.depth = APART_DEPTH_NONE;
    const apart_status status = ap_robot_pair_distance(w, m, number, &options, &r);
    *bound = r.result.relation == APART_BEYOND ? p->far : (r.result.distance > 0.0 ? r.result.lower : 0.0) - slack;
    return status;
}

/* Halves the box at `top` of the stack along its most effective side. */
static void split_box(const prover *p, const ap_robot_pair *pair, size_t top)
{
    double *box = p->stack + 2 * p->n * top, *other = box + 2 * p->n, most = -1.0;
    size_t side = 0;
    for (size_t v = 0; v < p->n; v++) {
        const double effect = p->moves[v] ? effect_of(p, pair, v, box[p->n + v]) : -1.0;
        if (effect > most) {
            most = effect;
            side = v;
        }
    }
    box[p->n + side] *= 0.5;
    memcpy(other, box, 2 * p->n * sizeof *box);
    box[side] -= box[p->n + side];
    other[side] += box[p->n + side];
}

static apart_status prove(const prover *p, size_t number, int *proved)
{
    const apart_robot *r = p->w->cell->robot;
    const ap_robot_pair *pair = &p->w->cell->pairs[number];
    size_t height = 1;
    bool bounded = true;
    *proved = 0;
    find_moving(p, pair);
    for (size_t v = 0; v < p->n; v++) {
        double lower, upper;
        bounded = (range_of(apart_robot_variable(r, v), &lower, &upper) || !p->moves[v]) && bounded;
        p->stack[v] = 0.5 * (lower + upper);
        p->stack[p->n + v] = 0.5 * (upper - lower) * (1.0 + 1e-12); /* the middle is rounded */
    }
    for (int boxes = 0; bounded && height > 0; boxes++) {
        double bound;
        const apart_status status = bound_box(p, number, p->stack + 2 * p->n * (height - 1), &bound);
        if (status != APART_OK) {
            return status;
        }
        if (bound >= p->far) {
            height--;
        } else if (boxes == MOST_BOXES || height == MOST_DEPTH) {
            return APART_OK;
        } else {
            split_box(p, pair, height - 1);
            height++;
        }
    }
    *proved = bounded;
    return APART_OK;
}

static apart_status prove_all(apart_robot_work *w, double far, apart_robot_proposal *out)
{
    const size_t n = w->cell->robot->variable_count;
    prover p = {.w = w, .n = n, .far = far};
    p.stack = calloc(2 * n * (MOST_DEPTH + 1), sizeof *p.stack);
    p.moves = calloc(n, sizeof *p.moves);
    apart_status status = p.stack != NULL && p.moves != NULL ? APART_OK : APART_ERR_MEMORY;
    for (size_t i = 0; i < w->cell->pair_count && status == APART_OK; i++) {
        if (out[i].least >= far) {
            status = prove(&p, i, &out[i].proved);
        }
    }
    free(p.stack);
    free(p.moves);
    return status;
}

/* ---- samples ---- */

static apart_status sample(apart_robot_work *w, const double *q, bool at_rest, apart_robot_proposal *out)
{
    apart_status status = apart_robot_set(w, q);
    for (size_t p = 0; p < w->cell->pair_count && status == APART_OK; p++) {
        apart_compound_result r;
        status = apart_robot_distance(w, p, &r);
        if (status != APART_OK) {
            break;
        }
        const double d = r.result.distance;
        if (at_rest) {
            out[p].at_rest = d;
            continue;
        }
        out[p].samples++;
        out[p].overlaps += d < 0.0;
        out[p].least = d < out[p].least ? d : out[p].least;
        out[p].most = d > out[p].most ? d : out[p].most;
    }
    return status;
}

apart_status apart_robot_propose(apart_robot_work *w, uint64_t samples, uint64_t seed, double far,
                                 apart_robot_proposal *out)
{
    if (w == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    double *q = calloc(w->cell->robot->variable_count + 1, sizeof *q);
    if (q == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t p = 0; p < w->cell->pair_count; p++) {
        out[p] = (apart_robot_proposal){.least = INFINITY, .most = -INFINITY};
    }
    apart_robot_rest(w->cell->robot, q);
    apart_status status = sample(w, q, true, out);
    for (uint64_t i = 0; i < samples && status == APART_OK; i++) {
        apart_robot_random(w->cell->robot, &seed, q);
        status = sample(w, q, false, out);
    }
    free(q);
    return status == APART_OK && far > 0.0 ? prove_all(w, far, out) : status;
}
