/* A step of the simulation.
 *
 * Each of its sub-steps
 *   1. gives gravity to the velocities,
 *   2. finds the contacts (contacts.c) and the velocities that respect them (solver.c),
 *   3. asks for the time of impact of bodies that would go too far for the contacts seen so far, and of bodies about to bounce,
 *   4. moves all bodies up to the first such time, or to the end, and goes back to 2 for what is left.
 * So nothing passes through anything, however fast and thin.
 *
 * In flight a body keeps its angular momentum by construction: it is the state, and the orientation follows it by
 * Runge's and Kutta's fourth-order step. The centre of mass follows its parabola exactly. */
#include "internal.h"

/* Sub-steps are cut at most this often; then the rest of the time is lost rather than a body passed. Up to so many
 * moving bodies bounce at their exact times; larger crowds at the start of the sub-step that the bounce falls into. */
enum { MOST_EVENTS = 64, EXACT_BODIES = 16 };

/* A pair is fast when it can move, relative to each other, farther than this share of the thinner one's half thickness:
 * contacts seen in advance (contacts.c) do for all others. */
#define FAST 0.5

/* Where a body goes farther than this share of a half thickness, there are up to four times as many sub-steps: normals
 * change. */
#define LIVELY 0.08

/* Radians of a Runge-Kutta step: the relative error is below 1e-11 for each. It is halved where the energy is not kept
 * to SPIN_KEPT, up to HALVINGS times; what spins so fast that it would take more than MOST_TURNS is followed
 * roughly. */
#define SMALL_TURN 0.02
#define SPIN_KEPT 1e-10
#define MOST_TURNS 1e3
enum { HALVINGS = 6 };
#define PIECE 0.3 /* of a flight, for times of impact */

void sim_refresh(body *b)
{
    const apart_mat3 r = rotation_of(b->turn);
    b->inverse_inertia = turned(&r, &b->start_inverse);
    b->angular_velocity = times(&b->inverse_inertia, b->angular_momentum);
    b->pose.rotation = product(&r, &b->start);
    b->pose.translation = apart_vec3_sub(b->position, times(&b->pose.rotation, b->center));
}

/* How far the two can come relative to each other. */
static double path_between(const body *a, const body *b, double time)
{
    const double turning = (a->speed - apart_vec3_norm(a->velocity)) + (b->speed - apart_vec3_norm(b->velocity));
    return time * (apart_vec3_distance(a->velocity, b->velocity) + turning);
}

bool sim_is_fast(const body *a, const body *b, double time)
{
    const double far = FAST * smaller(a->width, b->width);
    return (a->speed + b->speed) * time > far && path_between(a, b, time) > far;
}

/* ---- moving ---- */

/* The angular velocity that a body of this angular momentum has when it is turned by q since the start. */
static apart_vec3 spin_at(const body *b, quat q)
{
    const apart_mat3 r = rotation_of(q);
    return times(&r, times(&b->start_inverse, times_transposed(&r, b->angular_momentum)));
}

static quat rate_of(const body *b, quat q) { return quat_rate(q, spin_at(b, q)); }

/* Twice the energy of the spin. */
static double energy_of(const body *b, quat q) { return apart_vec3_dot(b->angular_momentum, spin_at(b, q)); }

static quat turn_once(const body *b, quat q, double t)
{
    const quat k1 = rate_of(b, q), k2 = rate_of(b, quat_plus(q, 0.5 * t, k1)),
               k3 = rate_of(b, quat_plus(q, 0.5 * t, k2)), k4 = rate_of(b, quat_plus(q, t, k3));
    const quat sum = quat_plus(quat_plus(quat_plus(k1, 2.0, k2), 2.0, k3), 1.0, k4);
    return unit_quat(quat_plus(q, t / 6.0, sum));
}

/* In halves where the energy is not kept: the spin of a needle about its own axis follows from a tiny part of its
 * momentum. */
static quat turn_freely(const body *b, quat q, double t, int halvings)
{
    const quat there = turn_once(b, q, t);
    const double energy = energy_of(b, q);
    if (halvings == 0 || fabs(energy_of(b, there) - energy) <= SPIN_KEPT * energy) {
        return there;
    }
    return turn_freely(b, turn_freely(b, q, 0.5 * t, halvings - 1), 0.5 * t, halvings - 1);
}

/* `kick_left` as in the simulation, when the motion begins. */
static void move(const sim *s, body *b, double time, double kick_left)
{
    /* In flight the mean velocity of this part of the parabola; a body that was touched moves as the solver wants. */
    const double early = b->touched ? 0.0 : kick_left - 0.5 * time;
    b->position =
        apart_vec3_add_scaled(b->position, time,
                              apart_vec3_add(apart_vec3_add_scaled(b->velocity, -early, s->options.gravity), b->push));
    /* A push moves momentum sideways; the spin takes what the total would lose. Out of deep overlaps it would take too
     * much. */
    const apart_vec3 path = apart_vec3_scale(time, b->push);
    if (apart_vec3_norm(path) <= SKIN * b->width) {
        b->angular_momentum =
            apart_vec3_sub(b->angular_momentum, apart_vec3_cross(path, apart_vec3_scale(b->mass, b->velocity)));
    }
    const double turns = ceil(apart_vec3_norm(b->angular_velocity) * time / SMALL_TURN),
                 parts = larger(1.0, smaller(turns, MOST_TURNS));
    for (double i = 0.0; i < parts; i += 1.0) {
        b->turn = turn_freely(b, b->turn, time / parts, turns <= MOST_TURNS ? HALVINGS : 0);
    }
    b->turn = unit_quat(quat_plus(b->turn, time, quat_rate(b->turn, b->push_spin)));
    sim_refresh(b);
}

/* ---- times of impact ---- */

/* The next piece of a body's flight, as move() makes it. */
static apart_motion fly(const sim *s, body *b, double time, double kick_left)
{
    const apart_pose from = b->pose;
    apart_motion motion = apart_motion_rest(&from);
    if (!b->fixed) {
        move(s, b, time, kick_left);
        apart_motion_between(&from, &b->pose, b->center, &motion);
    }
    return motion;
}

/* Shortens the time to when the two meet, that is when they are about a skin apart. Bodies nearer than that are a
 * contact, whose points hold for a short path. A spin is followed in pieces, in each of which the body turns evenly. */
static const char *meet(const sim *s, const body *a, const body *b, double *time)
{
    const double width = smaller(a->width, b->width),
                 spin = larger(apart_vec3_norm(a->angular_velocity), apart_vec3_norm(b->angular_velocity));
    const double pieces = larger(1.0, smaller(ceil(spin * *time / PIECE), MOST_TURNS)), span = *time / pieces;
    const apart_motion_options options = {.tolerance = 2.0 * SKIN * width, .gap = APART_GAP_NONE};
    body fly_a = *a, fly_b = *b;
    const char *wrong = NULL;
    bool met = false;
    for (double done = 0.0; done < pieces && wrong == NULL && !met; done += 1.0) {
        const double left = s->kick_left - done * span;
        const apart_motion motion_a = fly(s, &fly_a, span, left), motion_b = fly(s, &fly_b, span, left);
        apart_compound_impact hit;
        wrong =
            sim_wrong(apart_compound_time_of_impact(sim_solid(a), &motion_a, sim_solid(b), &motion_b, &options, &hit));
        met = wrong == NULL && hit.impact.outcome != APART_OUTCOME_CLEAR;
        if (met) {
            const double at = (done + hit.impact.t) * span;
            *time = at > 0.0 ? at : *time * smaller(1.0, FAST * width / path_between(a, b, *time));
        }
    }
    return wrong;
}

/* How far any point of the body can come: a spin takes it not farther than to the other side. */
static double path_of(const body *b, double time)
{
    return time * apart_vec3_norm(b->velocity) +
           smaller(time * (b->speed - apart_vec3_norm(b->velocity)), 2.0 * b->radius);
}

/* Of two fast bodies one moves half of the distance at least, so the world has the pair among its near ones. */
static const char *stop_fast(sim *s, double *time)
{
    const char *wrong = isfinite(sim_measure_speeds(s)) ? NULL : "a velocity is beyond the range of numbers";
    double farthest = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        farthest = larger(farthest, path_of(&s->bodies[i], *time));
    }
    for (size_t i = 0; i < s->count && wrong == NULL; i++) {
        const body *a = &s->bodies[i];
        const double reach = path_of(a, *time) + farthest, rough = 0.5 * reach; /* distances are good enough to this */
        const apart_probe probe = {.body = a->id, .within = reach + rough};
        apart_world_list near = {.pairs = s->pairs,
                                 .capacity = s->pair_room,
                                 .tolerance = rough,
                                 .depth = APART_DEPTH_NONE};
        if (2.0 * a->speed * *time <= FAST * s->thinnest) {
            continue;
        }
        wrong = sim_wrong(apart_world_near(s->world, &probe, &near));
        for (size_t k = 0; k < near.count && wrong == NULL; k++) {
            const body *b = &s->bodies[near.pairs[k].b.slot];
            wrong = sim_is_fast(a, b, *time) ? meet(s, b, a, time)
                                             : NULL; /* the search moves with the first, which is the slower mostly */
        }
    }
    return wrong;
}

/* ---- steps ---- */

/* Up to the first event, or to the end of the sub-step. */
static const char *advance(sim *s, double left, bool first, double *time)
{
    for (size_t i = 0; i < s->count; i++) {
        s->bodies[i].touched = false;
        s->bodies[i].push = s->bodies[i].push_spin = (apart_vec3){0, 0, 0};
    }
    const char *wrong = sim_find_contacts(s, left, first);
    if (wrong != NULL) {
        return wrong;
    }
    *time = left;
    sim_solve(s, left, s->moving <= EXACT_BODIES);
    wrong = stop_fast(s, time);
    for (size_t i = 0; i < s->now.count && wrong == NULL; i++) { /* contacts that wait for their bounce */
        const contact *c = &s->now.items[i];
        wrong = c->waits ? meet(s, &s->bodies[c->a], &s->bodies[c->b], time) : NULL;
    }
    for (size_t i = 0; i < s->count && wrong == NULL; i++) {
        if (!s->bodies[i].fixed) {
            move(s, &s->bodies[i], *time, s->kick_left);
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
        s->bodies[i].velocity = apart_vec3_add_scaled(s->bodies[i].velocity, share, s->options.gravity);
    }
    s->kick_left = left;
    s->length_before = s->length;
    s->length = left;
    for (int i = 0; i < MOST_EVENTS && left > 0.0; i++) {
        const char *wrong = advance(s, left, i == 0, &time);
        if (wrong != NULL) {
            return wrong;
        }
        s->events += time < left ? 1u : 0u;
        left = time < left ? left - time : 0.0;
    }
    /* Time that is lost gives no speed. */
    s->lost += left;
    for (size_t i = 0; i < s->count && left > 0.0; i++) {
        body *b = &s->bodies[i];
        b->velocity =
            b->fixed || b->touched ? b->velocity : apart_vec3_add_scaled(b->velocity, -left, s->options.gravity);
    }
    return NULL;
}

const char *sim_step(sim *s)
{
    const char *wrong = NULL;
    s->deepest = s->deepest_share = 0.0;
    const double path = sim_measure_speeds(s) * s->options.step / s->options.substeps,
                 lively = path / (LIVELY * s->thinnest_moving);
    const uint32_t parts = s->options.substeps * (lively > 3.0 ? 4u : lively > 2.0 ? 3u : lively > 1.0 ? 2u : 1u);
    for (uint32_t i = 0; i < parts && wrong == NULL; i++) {
        wrong = substep(s, s->options.step / parts);
    }
    s->steps++;
    return wrong;
}
