/* Contact impulses by sweeps over all points (projected Gauss-Seidel, "sequential impulses": Catto 2005), started from
 * the last step's.
 *
 * Along the normal a point must not approach faster than its gap allows, or must part with the bounce's speed; the
 * impulse never pulls. Across it, Coulomb's law: as much impulse as stops the sliding, at most friction times the
 * normal one, in any direction of the plane. With restitution 1 and no friction the solution keeps the energy exactly:
 * each impulse does the work impulse * (speed before + speed after) / 2, and the two are opposite wherever there is an
 * impulse. Overlaps are undone by a second, separate system whose velocities move the bodies once and are forgotten: no
 * energy comes of it. */
#include "internal.h"

/* Few points are solved to rounding, many roughly: a step may cost this many updates of points, but every point gets
 * its share. */
enum { BUDGET = 8000, LEAST_SWEEPS = 6, MOST_SWEEPS = 500, PUSH_SWEEPS = 6, MOST_ROUNDS = 8 };

/* A sweep that changes no velocity by more than this share of the largest speed that matters is the last one. */
#define SETTLED 1e-14

/* Overlaps shrink by this share in a sub-step, and not by more than a share of the smaller radius; those below a share
 * of the skin stay. */
#define PUSH_RATE 0.25
#define MOST_PUSH 0.01
#define SLOP 0.1

static row make_row(const body *a, const body *b, const point *p, apart_vec3 d)
{
    const apart_vec3 lever_a = apart_vec3_cross(p->arm_a, d), lever_b = apart_vec3_cross(p->arm_b, d);
    return (row){lever_a, lever_b, times(&a->inverse_inertia, lever_a), times(&b->inverse_inertia, lever_b)};
}

/* The relative velocity along d. */
static double speed_of(const body *a, const body *b, const row *r, apart_vec3 d)
{
    return apart_vec3_dot(apart_vec3_sub(b->velocity, a->velocity), d) +
           apart_vec3_dot(b->angular_velocity, r->lever_b) - apart_vec3_dot(a->angular_velocity, r->lever_a);
}

/* An impulse along d. */
static void apply(body *a, body *b, const row *r, apart_vec3 d, double impulse)
{
    a->velocity = apart_vec3_add_scaled(a->velocity, -impulse * a->inverse_mass, d);
    b->velocity = apart_vec3_add_scaled(b->velocity, impulse * b->inverse_mass, d);
    a->angular_velocity = apart_vec3_add_scaled(a->angular_velocity, -impulse, r->spin_a);
    b->angular_velocity = apart_vec3_add_scaled(b->angular_velocity, impulse, r->spin_b);
}

/* What an impulse along one direction does to the velocity along another, or the same. */
static double response(const body *a, const body *b, const row *r, apart_vec3 d, const row *to, apart_vec3 e)
{
    return (a->inverse_mass + b->inverse_mass) * apart_vec3_dot(d, e) + apart_vec3_dot(r->spin_a, to->lever_a) +
           apart_vec3_dot(r->spin_b, to->lever_b);
}

typedef struct timing {
    double time;  /* the rest of the sub-step */
    double early; /* what gravity has given to the speed already for that rest, which comes after an impact now */
    double slow;  /* what arrives more slowly than this rests: what gravity gives in two sub-steps */
} timing;

static bool bounces(const point *p, double speed, const timing *t)
{
    return speed - t->early < -t->slow && speed * t->time < -p->gap;
}

static void find_masses(const body *a, const body *b, const contact *c, point *p)
{
    const apart_vec3 *t = c->tangent;
    row *r = p->along;
    r[0] = make_row(a, b, p, c->normal);
    r[1] = make_row(a, b, p, t[0]);
    r[2] = make_row(a, b, p, t[1]);
    const double k00 = response(a, b, &r[1], t[0], &r[1], t[0]), k01 = response(a, b, &r[1], t[0], &r[2], t[1]),
                 k11 = response(a, b, &r[2], t[1], &r[2], t[1]), d = 1.0 / (k00 * k11 - k01 * k01);
    p->normal_mass = 1.0 / response(a, b, &r[0], c->normal, &r[0], c->normal);
    p->tangent_mass[0] = d * k11;
    p->tangent_mass[1] = -d * k01;
    p->tangent_mass[2] = d * k00;
    p->slide_mass = 1.0 / (0.5 * (k00 + k11) + sqrt(0.25 * (k00 - k11) * (k00 - k11) + k01 * k01));
}

static timing timing_of(const sim *s, const contact *c, double time)
{
    const apart_vec3 g = s->options.gravity;
    const double kick_a = s->bodies[c->a].fixed ? 0.0 : s->kick_left,
                 kick_b = s->bodies[c->b].fixed ? 0.0 : s->kick_left;
    return (timing){time, (kick_b - kick_a) * apart_vec3_dot(g, c->normal),
                    2.0 * apart_vec3_norm(g) * (s->options.step / s->options.substeps)};
}

/* Returns the largest speed along the normal. Contacts that wait for a time of impact are open until then. */
static double prepare(const sim *s, contact *c, double time, bool exact)
{
    const body *a = &s->bodies[c->a], *b = &s->bodies[c->b];
    const timing t = timing_of(s, c, time);
    double fastest = 0.0;
    bool apart = true, any = sim_is_fast(a, b, time);
    for (uint32_t i = 0; i < c->count; i++) {
        point *p = &c->points[i];
        find_masses(a, b, c, p);
        const double speed = speed_of(a, b, &p->along[0], c->normal);
        fastest = larger(fastest, fabs(speed));
        apart = apart && p->gap > c->skin;
        any = any || (exact && c->restitution > 0.0 && bounces(p, speed, &t));
    }
    c->waits = apart && any;
    return fastest;
}

/* The speed that each point has to part with: restitution times that of its arrival; points that part already may turn
 * round, which is another impact then. Points that are not near are open. False: none arrives. */
static bool aim_bounce(const sim *s, contact *c, double time)
{
    const timing t = timing_of(s, c, time);
    bool any = false;
    for (uint32_t i = 0; i < c->count; i++) {
        point *p = &c->points[i];
        const double speed = speed_of(&s->bodies[c->a], &s->bodies[c->b], &p->along[0], c->normal);
        const bool arrives = bounces(p, speed, &t);
        const double keep = speed > t.early ? 1.0 : c->restitution;
        p->target = arrives || p->gap <= c->skin ? t.early - keep * (speed - t.early) : -INFINITY;
        p->round = 0.0;
        any = any || arrives;
    }
    return any;
}

/* As much as stops the sliding, if friction gives it; else what it gives, against the sliding. The step towards that is
 * the same in all directions (by the largest response), since only then the impulse ends up opposite to the
 * velocity. */
static double solve_tangent(body *a, body *b, const contact *c, point *p)
{
    if (p->bounce + p->impulse == 0.0 && p->tangent_impulse[0] == 0.0 && p->tangent_impulse[1] == 0.0) {
        return 0.0;
    }
    const double v0 = speed_of(a, b, &p->along[1], c->tangent[0]), v1 = speed_of(a, b, &p->along[2], c->tangent[1]);
    const double *m = p->tangent_mass, most = c->friction * (p->bounce + p->impulse);
    double i0 = p->tangent_impulse[0] - (m[0] * v0 + m[1] * v1), i1 = p->tangent_impulse[1] - (m[1] * v0 + m[2] * v1);
    if (i0 * i0 + i1 * i1 > most * most) {
        i0 = p->tangent_impulse[0] - p->slide_mass * v0;
        i1 = p->tangent_impulse[1] - p->slide_mass * v1;
        const double shrink = most / larger(most, sqrt(i0 * i0 + i1 * i1));
        i0 *= most > 0.0 ? shrink : 0.0;
        i1 *= most > 0.0 ? shrink : 0.0;
    }
    const double change0 = i0 - p->tangent_impulse[0], change1 = i1 - p->tangent_impulse[1];
    p->tangent_impulse[0] = i0;
    p->tangent_impulse[1] = i1;
    apply(a, b, &p->along[1], c->tangent[0], change0);
    apply(a, b, &p->along[2], c->tangent[1], change1);
    return larger(fabs(change0), fabs(change1));
}

static double solve_normal(body *a, body *b, const contact *c, const point *p, double *sum)
{
    const double speed = speed_of(a, b, &p->along[0], c->normal);
    const double impulse = larger(0.0, *sum + p->normal_mass * (p->target - speed)), change = impulse - *sum;
    if (change != 0.0) {
        *sum = impulse;
        apply(a, b, &p->along[0], c->normal, change);
    }
    return fabs(change);
}

/* There and back: the contacts of the first bodies, which are mostly the ground, have the first word and the last.
 * Returns the largest change of a velocity. */
static double sweep(sim *s, bool bouncing)
{
    double most = 0.0;
    const size_t n = s->now.count;
    for (size_t i = 0; i < 2 * n; i++) {
        contact *c = &s->now.items[i < n ? i : 2 * n - 1 - i];
        body *a = &s->bodies[c->a], *b = &s->bodies[c->b];
        for (uint32_t k = 0; k < c->count && (!bouncing || c->bounces); k++) {
            point *p = &c->points[k];
            const double across = !bouncing && c->friction > 0.0 ? solve_tangent(a, b, c, p) : 0.0;
            const double before = p->round, along = solve_normal(a, b, c, p, bouncing ? &p->round : &p->impulse);
            p->bounce += p->round - before;
            most = larger(most, larger(across, along) / p->normal_mass);
        }
    }
    return most;
}

static void sweep_often(sim *s, bool bouncing, size_t points, double settled)
{
    const size_t share = BUDGET / (2 * points + 1), most = share < LEAST_SWEEPS  ? LEAST_SWEEPS
                                                           : share > MOST_SWEEPS ? MOST_SWEEPS
                                                                                 : share;
    for (size_t i = 0; i < most && sweep(s, bouncing) > settled; i++) {}
}

/* Impacts first, by normal impulses alone: friction would make them gain energy (Newton's law of restitution and
 * Coulomb's do not go together). In rounds, since an impact may send other points against each other; what is left
 * after them is not elastic. */
static void bounce(sim *s, double time, double settled)
{
    for (int round = 0; round < MOST_ROUNDS; round++) {
        size_t points = 0;
        for (size_t i = 0; i < s->now.count; i++) {
            contact *c = &s->now.items[i];
            c->bounces = c->restitution > 0.0 && !c->waits && aim_bounce(s, c, time);
            points += c->bounces ? c->count : 0;
        }
        if (points == 0) {
            return;
        }
        sweep_often(s, true, points, settled);
    }
}

/* The impulses as they came out, given to the momenta; velocities follow from these. */
static void settle(sim *s)
{
    for (size_t i = 0; i < s->now.count; i++) {
        contact *c = &s->now.items[i];
        body *a = &s->bodies[c->a], *b = &s->bodies[c->b];
        for (uint32_t k = 0; k < c->count; k++) {
            point *p = &c->points[k];
            const apart_vec3 across = apart_vec3_add_scaled(apart_vec3_scale(p->tangent_impulse[0], c->tangent[0]),
                                                            p->tangent_impulse[1], c->tangent[1]);
            const apart_vec3 impulse = apart_vec3_add(apart_vec3_scale(p->bounce + p->impulse, c->normal), across);
            a->angular_momentum = a->fixed ? a->angular_momentum
                                           : apart_vec3_sub(a->angular_momentum, apart_vec3_cross(p->arm_a, impulse));
            b->angular_momentum = b->fixed ? b->angular_momentum
                                           : apart_vec3_add(b->angular_momentum, apart_vec3_cross(p->arm_b, impulse));
            a->touched = a->touched || p->bounce + p->impulse > 0.0;
            b->touched = b->touched || p->bounce + p->impulse > 0.0;
            p->total += p->impulse;
            p->total_tangent = apart_vec3_add(p->total_tangent, across);
        }
    }
    for (size_t i = 0; i < s->count; i++) {
        s->bodies[i].angular_velocity = times(&s->bodies[i].inverse_inertia, s->bodies[i].angular_momentum);
    }
}

/* ---- out of overlaps ---- */

static void push_point(body *a, body *b, const contact *c, point *p, double time)
{
    const row *r = &p->along[0];
    const double speed = apart_vec3_dot(apart_vec3_sub(b->push, a->push), c->normal) +
                         apart_vec3_dot(b->push_spin, r->lever_b) - apart_vec3_dot(a->push_spin, r->lever_a);
    const double wanted = smaller(-PUSH_RATE * p->gap, MOST_PUSH * smaller(a->radius, b->radius)) / time;
    const double impulse = larger(0.0, p->push_impulse + p->normal_mass * (wanted - speed)),
                 change = impulse - p->push_impulse;
    p->push_impulse = impulse;
    a->push = apart_vec3_add_scaled(a->push, -change * a->inverse_mass, c->normal);
    b->push = apart_vec3_add_scaled(b->push, change * b->inverse_mass, c->normal);
    a->push_spin = apart_vec3_add_scaled(a->push_spin, -change, r->spin_a);
    b->push_spin = apart_vec3_add_scaled(b->push_spin, change, r->spin_b);
}

static void push_apart(sim *s, double time)
{
    bool any = true;
    for (int sweeps = 0; sweeps < PUSH_SWEEPS && any; sweeps++) {
        any = false;
        for (size_t i = 0; i < s->now.count; i++) {
            contact *c = &s->now.items[i];
            for (uint32_t k = 0; k < c->count; k++) {
                if (c->points[k].gap < -SLOP * c->skin &&
                    c->points[k].bounce == 0.0) { /* what parts by itself needs no push */
                    push_point(&s->bodies[c->a], &s->bodies[c->b], c, &c->points[k], time);
                    any = true;
                }
            }
        }
    }
}

/* A gap may close, and no more; the impulses of the last step are the first guess. */
static void start(sim *s, contact *c, double time)
{
    body *a = &s->bodies[c->a], *b = &s->bodies[c->b];
    for (uint32_t k = 0; k < c->count; k++) {
        point *p = &c->points[k];
        p->target = c->waits ? -INFINITY : p->gap > 0.0 ? -p->gap / time : 0.0;
        if (p->impulse > 0.0) {
            apply(a, b, &p->along[0], c->normal, p->impulse);
            apply(a, b, &p->along[1], c->tangent[0], p->tangent_impulse[0]);
            apply(a, b, &p->along[2], c->tangent[1], p->tangent_impulse[1]);
        } else {
            p->tangent_impulse[0] = p->tangent_impulse[1] = 0.0;
        }
    }
}

void sim_solve(sim *s, double time, bool exact)
{
    double fastest = apart_vec3_norm(s->options.gravity) * time;
    size_t points = 0;
    for (size_t i = 0; i < s->now.count; i++) {
        fastest = larger(fastest, prepare(s, &s->now.items[i], time, exact));
        points += s->now.items[i].count;
    }
    bounce(s, time, SETTLED * fastest);
    for (size_t i = 0; i < s->now.count; i++) {
        start(s, &s->now.items[i], time);
    }
    sweep_often(s, false, points, SETTLED * fastest);
    settle(s);
    push_apart(s, time);
}
