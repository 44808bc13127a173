/* Bodies in and out of a simulation, and what is measured of it. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Fixed bodies are in this group, and ignore it. */
#define FIXED_GROUP 0x80000000u
/* The largest ratio of a body's moments of inertia: about that of a needle ten thousand times as long as it is
 * thick. */
#define THINNEST 1e8

sim *sim_create(const sim_options *options)
{
    sim *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->options = *options;
    s->thinnest = s->thinnest_moving = INFINITY;
    s->options.step = options->step == 0.0 ? 1.0 / 60.0 : options->step;
    s->options.substeps = options->substeps == 0 ? 8 : options->substeps;
    const apart_world_options world = {.threads = options->threads};
    const bool good = s->options.step > 0.0 && isfinite(s->options.step) && is_finite(options->gravity);
    if (!good || apart_world_create(&world, &s->world) != APART_OK) {
        sim_free(s);
        return NULL;
    }
    return s;
}

void sim_free(sim *s)
{
    if (s == NULL) {
        return;
    }
    apart_world_free(s->world);
    for (size_t i = 0; i < s->count; i++) {
        apart_compound_free(s->bodies[i].compound);
        free(s->bodies[i].parts);
    }
    free(s->bodies);
    free(s->pairs);
    free(s->now.items);
    free(s->last.items);
    free(s);
}

/* ---- adding ---- */

void *sim_grown(void *items, size_t *room, size_t needed, size_t size)
{
    void *more = needed > *room ? realloc(items, 2 * needed * size) : items;
    *room = needed > *room && more != NULL ? 2 * needed : *room;
    return more;
}

apart_solid sim_solid(const body *b)
{
    return b->compound != NULL ? apart_solid_compound(b->compound) : apart_solid_shape(&b->parts[0].shape);
}

static const char *check_def(const sim_body_def *def)
{
    if (!is_finite(def->velocity) || !is_finite(def->angular_velocity) || !isfinite(def->mass) ||
        !isfinite(def->density)) {
        return "a velocity, mass or density is no finite number";
    }
    if (!(def->friction >= 0.0) || !isfinite(def->friction) || !(def->restitution >= 0.0 && def->restitution <= 1.0)) {
        return "friction must be at least 0, restitution from 0 to 1";
    }
    if (!def->fixed && def->mass <= 0.0 && def->density <= 0.0) {
        return "a body that moves needs a mass or density above 0";
    }
    if (def->part_count == 0) {
        return "a body needs at least one part";
    }
    for (size_t i = 0; i < def->part_count; i++) {
        const char *wrong = sim_wrong(apart_shape_check(&def->parts[i].shape));
        if (wrong != NULL) {
            return wrong;
        }
        if (def->parts[i].shape.dim != 3) {
            return "the simulation is in space; this body is in the plane";
        }
        if (def->parts[i].shape.kind == APART_SHAPE_HALF_SPACE && (!def->fixed || def->part_count > 1)) {
            return "a half-space cannot move: it must be fixed, and a body of its own";
        }
    }
    return (def->groups & FIXED_GROUP) != 0 ? "there are more than 31 groups" : sim_wrong(apart_pose_check(&def->pose));
}

/* Inertia from second moments: trace(S) I - S. */
static const char *give_mass(const sim_body_def *def, body *b)
{
    sim_mass m;
    const char *wrong = sim_mass_of(def->parts, def->part_count, &m);
    if (wrong != NULL || def->fixed) {
        return wrong;
    }
    const double size = b->radius * b->radius * b->radius;
    if (!(m.volume > 1e-12 * size)) {
        return "a body that moves needs a volume: this one is flat";
    }
    b->mass = def->mass > 0.0 ? def->mass : def->density * m.volume;
    b->inverse_mass = 1.0 / b->mass;
    b->center = m.center;
    const double density = b->mass / m.volume, trace = m.second.x.x + m.second.y.y + m.second.z.z;
    apart_mat3 inertia = {apart_vec3_scale(-density, m.second.x), apart_vec3_scale(-density, m.second.y),
                          apart_vec3_scale(-density, m.second.z)};
    inertia.x.x += density * trace;
    inertia.y.y += density * trace;
    inertia.z.z += density * trace;
    inertia = turned(&def->pose.rotation, &inertia);
    b->start_inverse = inverse(&inertia);
    const apart_mat3 *i = &b->start_inverse;
    if (!(b->mass > 0.0) || !isfinite(b->inverse_mass) || !is_finite(i->x) || !is_finite(i->y) || !is_finite(i->z)) {
        return "its mass or inertia is beyond the range of numbers";
    }
    if (density * trace * (i->x.x + i->y.y + i->z.z) > THINNEST) {
        return "it is as thin as a needle: its spin would be lost in rounding";
    }
    b->angular_momentum = times(&inertia, def->angular_velocity);
    b->velocity = def->velocity;
    return NULL;
}

/* Thickness, and a bounding sphere about the centre of mass. */
static void measure_size(body *b)
{
    b->width = INFINITY;
    b->radius = 0.0;
    for (size_t i = 0; i < b->part_count; i++) {
        apart_vec3 center;
        double radius = INFINITY;
        if (apart_shape_ball(&b->parts[i].shape, &center, &radius) != APART_OK) {
            b->radius = INFINITY;
            return;
        }
        b->radius =
            larger(b->radius, apart_vec3_distance(apart_pose_apply(&b->parts[i].pose, center), b->center) + radius);
        b->width = smaller(b->width, sim_width_of(&b->parts[i].shape));
    }
}

static const char *make_body(const sim_body_def *def, body *b)
{
    const char *wrong = check_def(def);
    if (wrong != NULL) {
        return wrong;
    }
    const apart_pose identity = apart_pose_identity();
    *b = (body){.part_count = def->part_count,
                .fixed = def->fixed,
                .friction = def->friction,
                .restitution = def->restitution};
    b->parts = malloc(def->part_count * sizeof *b->parts);
    if (b->parts == NULL) {
        return NO_MEMORY;
    }
    memcpy(b->parts, def->parts, def->part_count * sizeof *b->parts);
    measure_size(b); /* about the origin, for the test of flatness */
    wrong = give_mass(def, b);
    if (wrong == NULL && (def->part_count > 1 || memcmp(&def->parts[0].pose, &identity, sizeof identity) != 0)) {
        wrong = sim_wrong(apart_compound_build(b->parts, b->part_count, NULL, &b->compound));
    }
    measure_size(b);
    b->position = apart_pose_apply(&def->pose, b->center);
    b->start = def->pose.rotation;
    b->turn = (quat){1.0, 0.0, 0.0, 0.0};
    sim_refresh(b);
    b->pose = def->pose; /* to the bit */
    return wrong;
}

const char *sim_add(sim *s, const sim_body_def *def, uint32_t *out)
{
    body b = {.parts = NULL};
    body *bodies = sim_grown(s->bodies, &s->room, s->count + 1, sizeof *bodies);
    s->bodies = bodies != NULL ? bodies : s->bodies;
    const char *wrong = bodies != NULL ? make_body(def, &b) : NO_MEMORY;
    if (wrong == NULL) {
        const uint32_t group = b.fixed ? FIXED_GROUP : 0u;
        const apart_body_def in_world = {.solid = sim_solid(&b),
                                         .pose = b.pose,
                                         .groups = def->groups | group,
                                         .ignores = def->ignores | group};
        wrong = sim_wrong(apart_world_add(s->world, &in_world, &b.id));
    }
    if (wrong != NULL) {
        apart_compound_free(b.compound);
        free(b.parts);
        return wrong;
    }
    if (out != NULL) {
        *out = (uint32_t)s->count;
    }
    s->moving += b.fixed ? 0u : 1u;
    s->thinnest = smaller(s->thinnest, b.width);
    s->thinnest_moving = smaller(s->thinnest_moving, b.fixed ? INFINITY : b.width);
    s->bodies[s->count++] = b;
    return NULL;
}

const char *sim_disable_pair(sim *s, uint32_t a, uint32_t b)
{
    return sim_wrong(apart_world_disable_pair(s->world, s->bodies[a].id, s->bodies[b].id, 1));
}

/* ---- reading ---- */

size_t sim_count(const sim *s) { return s->count; }
bool sim_is_fixed(const sim *s, uint32_t i) { return s->bodies[i].fixed; }
double sim_body_mass(const sim *s, uint32_t i) { return s->bodies[i].mass; }
void sim_pose(const sim *s, uint32_t i, apart_pose *pose) { *pose = s->bodies[i].pose; }

void sim_velocity(const sim *s, uint32_t i, apart_vec3 *velocity, apart_vec3 *angular_velocity)
{
    *velocity = s->bodies[i].velocity;
    *angular_velocity = s->bodies[i].angular_velocity;
}

void sim_measure(const sim *s, sim_measures *out)
{
    *out = (sim_measures){.time = (double)s->steps * s->options.step,
                          .deepest = s->deepest,
                          .deepest_share = s->deepest_share,
                          .contacts = s->now.count,
                          .events = s->events,
                          .lost = s->lost};
    for (size_t i = 0; i < s->count; i++) {
        const body *b = &s->bodies[i];
        if (b->fixed) {
            continue;
        }
        const apart_vec3 p = apart_vec3_scale(b->mass, b->velocity);
        out->kinetic +=
            0.5 * (apart_vec3_dot(p, b->velocity) + apart_vec3_dot(b->angular_momentum, b->angular_velocity));
        out->potential -= b->mass * apart_vec3_dot(s->options.gravity, b->position);
        out->momentum = apart_vec3_add(out->momentum, p);
        out->angular_momentum = apart_vec3_add(out->angular_momentum,
                                               apart_vec3_add(apart_vec3_cross(b->position, p), b->angular_momentum));
        out->fastest =
            larger(out->fastest, apart_vec3_norm(b->velocity) + apart_vec3_norm(b->angular_velocity) * b->radius);
    }
    for (size_t i = 0; i < s->now.count; i++) {
        out->points += s->now.items[i].count;
    }
}

void sim_contact(const sim *s, size_t i, sim_touch *out)
{
    const contact *c = &s->now.items[i];
    const point *deepest = &c->points[0];
    *out = (sim_touch){.a = c->a, .b = c->b, .part_a = c->part_a, .part_b = c->part_b, .normal = c->normal};
    for (uint32_t k = 0; k < c->count; k++) {
        out->impulse += c->points[k].total;
        deepest = c->points[k].distance < deepest->distance ? &c->points[k] : deepest;
    }
    out->point_a = deepest->on_a;
    out->point_b = deepest->on_b;
    out->distance = deepest->distance;
}
