/* A small rigid-body simulation on the public headers of apart: the distance of convex bodies at work.
 *
 *     sim *s = sim_create(&(sim_options){.gravity = {0, 0, -9.81}});
 *     sim_add(s, &(sim_body_def){.parts = &part, .part_count = 1, .pose = pose, .density = 1000, .friction = 0.5}, &body);
 *     while (...) {
 *         sim_step(s);
 *         sim_pose(s, body, &pose);
 *     }
 *     sim_free(s);
 *
 * The top of step.c says how a step goes; read matrix.h, mass.c, contacts.c, solver.c and step.c in this order
 * (docs/simulation.md has pictures). Lengths, masses and times are in the caller's units. The same calls give the same
 * bits with any compiler and any number of threads. Functions that return a text return NULL when all is well, and
 * otherwise what is wrong, as the end of a sentence. */
#ifndef SIMULATION_H
#define SIMULATION_H

#include <apart/apart.h>
#include <stdbool.h>

typedef struct sim sim;

/* All bytes zero: no gravity, 60 steps a second in eight sub-steps each, one thread. */
typedef struct sim_options {
    apart_vec3 gravity;
    double step;       /* how much time sim_step passes; 0: 1/60 */
    uint32_t substeps; /* in so many equal parts; 0: 8 */
    uint32_t threads;  /* of the search for near pairs */
} sim_options;

typedef struct sim_body_def {
    const apart_part *parts; /* convex shapes in the body's frame, copied; what they borrow stays the caller's */
    size_t part_count;
    apart_pose pose;
    apart_vec3 velocity;         /* of the centre of mass */
    apart_vec3 angular_velocity; /* world axes */
    double density;              /* above 0, unless a mass is given */
    double mass;                 /* above 0: in place of the density */
    bool fixed;                  /* never moves, has no mass; half-spaces must be */
    double friction;             /* a pair has the square root of the product */
    double restitution;          /* 0 .. 1; a pair has the larger one */
    uint32_t groups, ignores;    /* as in apart_body_def; bit 31 is the simulation's own */
} sim_body_def;

/* What mass a set of parts has; parts that overlap count twice. */
typedef struct sim_mass {
    double volume;
    apart_vec3 center; /* of mass, in the body's frame */
    apart_mat3 second; /* integral of x transpose(x) about the centre over the volume, body's axes */
} sim_mass;

/* The whole of a simulation at a moment. */
typedef struct sim_measures {
    double time;
    double kinetic, potential; /* energies; the potential one is 0 at the origin */
    apart_vec3 momentum;
    apart_vec3 angular_momentum; /* about the origin */
    double deepest;              /* the largest penetration in the last step, >= 0 */
    double deepest_share;        /* the largest ratio of a penetration to the diameter of the smaller of its bodies */
    double fastest;              /* the largest speed of any point of a moving body, at most */
    size_t contacts, points;     /* pairs of parts in contact, and their points */
    uint64_t events;             /* times of impact that the steps were cut at, so far */
    double lost;                 /* time in which nothing moved, so far: a sub-step had too many of them */
} sim_measures;

/* One pair of bodies in contact, for drawings. */
typedef struct sim_touch {
    uint32_t a, b, part_a, part_b;
    apart_vec3 point_a, point_b, normal; /* of the deepest point */
    double distance;
    double impulse; /* of all points along the normal in the last sub-step */
} sim_touch;

/* NULL: out of memory, or an option out of range. */
sim *sim_create(const sim_options *options);
void sim_free(sim *s);

const char *sim_add(sim *s, const sim_body_def *def, uint32_t *body);
/* These two never touch. */
const char *sim_disable_pair(sim *s, uint32_t a, uint32_t b);

/* Exact integrals of hulls, closed forms of boxes, spheres, capsules, cylinders, cones and ellipsoids; other shapes by
 * the hull of 3456 of their support points. Half-spaces have no volume. */
const char *sim_mass_of(const apart_part *parts, size_t count, sim_mass *out);

/* Passes options.step of time. */
const char *sim_step(sim *s);

size_t sim_count(const sim *s);
bool sim_is_fixed(const sim *s, uint32_t body);
double sim_body_mass(const sim *s, uint32_t body);
void sim_pose(const sim *s, uint32_t body, apart_pose *pose);
void sim_velocity(const sim *s, uint32_t body, apart_vec3 *velocity, apart_vec3 *angular_velocity);
void sim_measure(const sim *s, sim_measures *out);
/* The contacts of the last sub-step; i below measures.contacts. */
void sim_contact(const sim *s, size_t i, sim_touch *out);

#endif
