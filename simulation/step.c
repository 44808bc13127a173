/* A step of the simulation.
 *
 * Each of its sub-steps
 *   1. gives gravity to the velocities,
 *   2. finds the contacts (contacts.c) and the velocities that respect them (solver.c),
 *   3. asks for the time of impact of bodies that would go too far for the contacts seen so far, and of bodies about to bounce,
 *   4. moves all bodies up to the first such time, or to the end, and goes back to 2 for what is left.
 * So nothing passes through anything, however fast and thin.
 *
 * In flight a body keeps its angular momentum by construction: it is the state, and the orientation follows it by Runge's and Kutta's
 * fourth-order step. The centre of mass follows its parabola exactly. */
#include "internal.h"

/* Sub-steps are cut at most this often; then the rest of the time is lost rather than a body passed. */
enum { MOST_EVENTS = 64 };

/* Up to this many moving bodies, bounces happen at their exact times; in larger crowds at the start of the sub-step that they fall into. */
enum { EXACT_BODIES = 16 };

/* A pair is fast when it can move, relative to each other, farther than this share of the thinner one's half thickness: contacts seen in
 * advance (contacts.c) do for all others. */
#define FAST 0.5

/* Where a body goes farther than this share of a half thickness in a sub-step, there are twice as many. */
#define LIVELY 0.1

/* Radians of a Runge-Kutta step: the relative error is below 1e-11 for each. */
#define SMALL_TURN 0.02

void sim_refresh(body *b)
{
    const apart_mat3 r = rotation_of(b->orientation);
    b->inverse_inertia = turned(&r, &b->local_inverse);
    b->angular_velocity = times(&b->inverse_inertia, b->angular_momentum);
    b->pose = (apart_pose){r, sub(b->position, times(&r, b->center))};
}

/* How far the two can come relative to each other. */
static double way_between(const body *a, const body *b, double time)
{
    const double turning = (a->speed - length(a->velocity)) + (b->speed - length(b->velocity));
    return time * (length(sub(a->velocity, b->velocity)) + turning);
}

/* Balls around the two must be able to meet; half-spaces have none. */
bool sim_is_fast(const body *a, const body *b, double time)
{
    const double far = FAST * smaller(a->width, b->width);
    if ((a->speed + b->speed) * time <= far) {
        return false;
    }
    const double way = way_between(a, b, time);
    return way > far && !(length(sub(a->position, b->position)) > a->radius + b->radius + way);
}

/* ---- moving ---- */

/* dq/dt for constant angular momentum. */
static quat rate_of(const body *b, quat q)
{
    const apart_mat3 r = rotation_of(q);
    return quat_rate(q, times(&r, times(&b->local_inverse, times_transposed(&r, b->angular_momentum))));
}

static quat turn_freely(const body *b, quat q, double t)
{
    const quat k1 = rate_of(b, q), k2 = rate_of(b, quat_plus(q, 0.5 * t, k1)), k3 = rate_of(b, quat_plus(q, 0.5 * t, k2)),
               k4 = rate_of(b, quat_plus(q, t, k3));
    const quat sum = quat_plus(quat_plus(quat_plus(k1, 2.0, k2), 2.0, k3), 1.0, k4);
    return unit_quat(quat_plus(q, t / 6.0, sum));
}

static void move(sim *s, body *b, double time)
{
    /* In flight the mean velocity of this part of the parabola; a body that was touched moves as the solver wants. */
    const double early = b->touched ? 0.0 : s->kick_left - 0.5 * time;
    b->position = add(b->position, mul(time, add(sub(b->velocity, mul(early, s->options.gravity)), b->push)));
    /* A push out of an overlap moves momentum sideways; the spin takes what the total would lose. */
    b->angular_momentum = sub(b->angular_momentum, cross(mul(time, b->push), mul(b->mass, b->velocity)));
    const double turns = ceil(length(b->angular_velocity) * time / SMALL_TURN), parts = turns < 1.0 ? 1.0 : turns;
    for (double i = 0.0; i < parts; i += 1.0) {
        b->orientation = turn_freely(b, b->orientation, time / parts);
    }
    b->orientation = unit_quat(quat_plus(b->orientation, time, quat_rate(b->orientation, b->turn)));
    sim_refresh(b);
}

/* ---- times of impact ---- */

/* How the body will move: the chord of its parabola, and its present turning. */
static apart_motion motion_of(const sim *s, const body *b, double time)
{
    const double early = b->touched || b->fixed ? 0.0 : s->kick_left - 0.5 * time;
    const apart_vec3 way = mul(time, sub(b->velocity, mul(early, s->options.gravity)));
    return apart_motion_velocity(&b->pose, b->fixed ? (apart_vec3){0, 0, 0} : way, mul(time, b->angular_velocity), b->center);
}

/* Shortens the time to when the two meet, that is when they are about a skin apart. Bodies nearer than that are a contact, whose points
 * hold for a short way. */
static const char *meet(const sim *s, const body *a, const body *b, double *time)
{
    const apart_motion motion_a = motion_of(s, a, *time), motion_b = motion_of(s, b, *time);
    const apart_motion_options options = {.tolerance = 2.0 * SKIN * smaller(a->width, b->width), .gap = APART_GAP_NONE};
    apart_compound_impact hit;
    const apart_status status = apart_compound_time_of_impact(sim_solid(a), &motion_a, sim_solid(b), &motion_b, &options, &hit);
    if (status == APART_OK && hit.impact.outcome != APART_OUTCOME_CLEAR) {
        *time *= hit.impact.t > 0.0 ? hit.impact.t : smaller(1.0, FAST * smaller(a->width, b->width) / way_between(a, b, *time));
    }
    return status == APART_OK ? NULL : apart_status_message(status);
}

static bool is_ignored(const sim *s, uint32_t i, uint32_t k)
{
    const body *a = &s->bodies[i], *b = &s->bodies[k];
    bool ignored = i == k || ((a->groups & b->ignores) | (b->groups & a->ignores)) != 0;
    for (size_t d = 0; d < s->disabled_count && !ignored; d++) {
        ignored = (s->disabled[d][0] == i && s->disabled[d][1] == k) || (s->disabled[d][0] == k && s->disabled[d][1] == i);
    }
    return ignored;
}

static const char *stop_fast(sim *s, double *time)
{
    const char *wrong = NULL;
    sim_measure_speeds(s);
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = i + 1; k < s->count && wrong == NULL; k++) {
            if (sim_is_fast(&s->bodies[i], &s->bodies[k], *time) && !is_ignored(s, i, k)) {
                wrong = meet(s, &s->bodies[i], &s->bodies[k], time);
            }
        }
    }
    return wrong;
}

/* Contacts that wait for their bounce; fast ones have been asked about. */
static const char *stop_bouncing(const sim *s, double *time)
{
    const char *wrong = NULL;
    for (size_t i = 0; i < s->now.count && wrong == NULL; i++) {
        const contact *c = &s->now.items[i];
        wrong = c->waits ? meet(s, &s->bodies[c->a], &s->bodies[c->b], time) : NULL;
    }
    return wrong;
}

/* ---- steps ---- */

/* Up to the first event, or to the end of the sub-step. */
static const char *advance(sim *s, double left, bool first, double *time)
{
    for (size_t i = 0; i < s->count; i++) {
        s->bodies[i].touched = false;
        s->bodies[i].push = s->bodies[i].turn = (apart_vec3){0, 0, 0};
    }
    const char *wrong = sim_find_contacts(s, left, first);
    if (wrong != NULL) {
        return wrong;
    }
    *time = left;
    sim_solve(s, left, s->moving <= EXACT_BODIES);
    wrong = stop_fast(s, time);
    wrong = wrong != NULL ? wrong : stop_bouncing(s, time);
    for (size_t i = 0; i < s->count && wrong == NULL; i++) {
        if (!s->bodies[i].fixed) {
            move(s, &s->bodies[i], *time);
        }
    }
    s->kick_left -= *time;
    return wrong;
}

static const char *substep(sim *s, double length_of_it)
{
    double left = length_of_it, time;
    for (size_t i = 0; i < s->count; i++) {
        const double share = s->bodies[i].fixed ? 0.0 : left;
        s->bodies[i].velocity = add(s->bodies[i].velocity, mul(share, s->options.gravity));
    }
    s->kick_left = left;
    for (int i = 0; i < MOST_EVENTS && left > 0.0; i++) {
        const char *wrong = advance(s, left, i == 0, &time);
        if (wrong != NULL) {
            return wrong;
        }
        s->events += time < left ? 1u : 0u;
        left = time < left ? left - time : 0.0;
    }
    return NULL;
}

const char *sim_step(sim *s)
{
    const char *wrong = NULL;
    double thinnest = INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        thinnest = smaller(thinnest, s->bodies[i].fixed ? INFINITY : s->bodies[i].width);
    }
    s->deepest = s->deepest_share = 0.0;
    const bool lively = sim_measure_speeds(s) * s->options.step / s->options.substeps > LIVELY * thinnest;
    const uint32_t parts = s->options.substeps * (lively ? 2u : 1u);
    for (uint32_t i = 0; i < parts && wrong == NULL; i++) {
        wrong = substep(s, s->options.step / parts);
    }
    s->steps++;
    return wrong;
}
