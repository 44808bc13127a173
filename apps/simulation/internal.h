/* What the files of the simulation share. */
#ifndef SIMULATION_INTERNAL_H
#define SIMULATION_INTERNAL_H

#include "simulation.h"
#include "matrix.h"

#define NO_MEMORY "there is not enough memory"

/* Four points carry a face; more cost time and add nothing. */
enum { POINTS = 4 };

/* Contacts aim at a distance of this share of the thinner body's half thickness (contacts.c). */
#define SKIN 1e-3

typedef struct body {
    apart_part *parts;
    size_t part_count;
    apart_compound *compound; /* NULL for one part at the body's origin, which is a plain shape */
    bool fixed;
    double mass, inverse_mass;
    apart_vec3 center;        /* of mass, in the body's frame */
    apart_mat3 start;         /* its rotation at the start */
    apart_mat3 start_inverse; /* of its inertia tensor then, world axes */
    double radius;            /* about the centre of mass; infinite for half-spaces */
    double width;             /* half of the thickness where it is thinnest */
    double friction, restitution;
    /* state */
    apart_vec3 position; /* of the centre of mass */
    quat turn;           /* since the start */
    apart_vec3 velocity, angular_momentum;
    /* derived from the state */
    apart_pose pose;            /* of the body's frame */
    apart_mat3 inverse_inertia; /* world axes */
    apart_vec3 angular_velocity;
    /* of a sub-step */
    double speed;               /* of any of its points, at most */
    bool touched;               /* a contact pushed it */
    apart_vec3 push, push_spin; /* out of overlaps: velocities that are forgotten afterwards */
    apart_body_id id;
} body;

/* One direction at a contact point: levers arm x direction, and the spin that an impulse of 1 gives (the inverse
 * inertia times those). */
typedef struct row {
    apart_vec3 lever_a, lever_b, spin_a, spin_b;
} row;

/* A contact point of a solver: impulses act at `at` on both bodies, so that they change no total. */
typedef struct point {
    uint64_t id;
    apart_vec3 arm_a, arm_b;             /* from the centres of mass */
    double distance, gap;                /* signed, and less the skin */
    row along[3];                        /* the normal, the tangents */
    double normal_mass, tangent_mass[3]; /* of the tangents: the inverse of a symmetric 2 x 2 matrix */
    double slide_mass;                   /* of the tangent that resists least */
    double target;                       /* the least relative velocity along the normal after the step */
    double bounce, round;                /* impulses along the normal of impacts: of all rounds, of this one */
    double impulse, tangent_impulse[2];
    double push_impulse;
    double total; /* impulses of the whole sub-step: where the next one starts */
    apart_vec3 total_tangent;
    apart_vec3 on_a, on_b;
} point;

typedef struct contact {
    uint32_t a, b, part_a, part_b;
    apart_vec3 normal, tangent[2]; /* from A to B */
    double friction, restitution;
    double skin;
    bool waits;   /* apart now, to meet at a time of impact */
    bool bounces; /* in this round */
    uint32_t count;
    point points[POINTS];
} contact;

/* In the order of a, b, part_a, part_b. */
typedef struct contact_list {
    contact *items;
    size_t count, room;
} contact_list;

struct sim {
    sim_options options;
    uint64_t steps;
    body *bodies;
    size_t count, room, moving;
    double thinnest, thinnest_moving; /* the least `width` of all bodies, and of those that move */
    apart_world *world;
    apart_world_pair *pairs;
    size_t pair_room;
    contact_list now, last;       /* of this moment, and of the one before */
    double length, length_before; /* of this sub-step, and of the one before */
    double kick_left; /* gravity has been given to the velocities for this much time that has not passed yet */
    double deepest, deepest_share, lost;
    uint64_t events;
};

/* What is wrong with a call of apart, or NULL. */
static inline const char *sim_wrong(apart_status status)
{
    return status == APART_OK ? NULL : apart_status_message(status);
}

/* mass.c */
double sim_width_of(const apart_shape *shape);

/* contacts.c: all contacts of the bodies as they are, for motions of at most `time`. `first`: of a sub-step; the
 * impulses of the one before are the start, later in it they are zero. */
const char *sim_find_contacts(sim *s, double time, bool first);

/* Sets all bodies' speeds; returns the largest. */
double sim_measure_speeds(sim *s);

/* solver.c: velocities that respect the contacts for `time`. `exact`: bodies that are apart wait for
 * their bounce, as fast ones always do. */
void sim_solve(sim *s, double time, bool exact);

/* simulation.c: the body as the world knows it; and an array with room for `needed` items, or NULL, which leaves it as
 * it was. */
apart_solid sim_solid(const body *b);
void *sim_grown(void *items, size_t *room, size_t needed, size_t size);

/* step.c: what follows from position, orientation and momenta; and whether times of impact are needed to keep two
 * apart. */
void sim_refresh(body *b);
bool sim_is_fast(const body *a, const body *b, double time);

#endif
