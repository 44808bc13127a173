/* Robots on top of the public headers: trees of links and joints, where they are at given joint positions, how far
 * their links are from each other and from obstacles, in which direction, and how near they come in motions between two
 * joint positions, with a proof.
 *
 *     robot *arm;
 *     apart_io_error error;
 *     if (robot_read_urdf("arm.urdf", NULL, &arm, &error) != APART_OK) { puts(error.message); ... }
 *     robot_cell *cell;
 *     robot_cell_create(arm, obstacles, count, &cell);
 *     robot_gap gap;
 *     robot_cell_motion(cell, q0, q1, 1e-4, &gap);       // gap.lower <= the smallest clearance from q0 to q1 <= gap.upper
 *
 * Lengths are the file's own (URDF: metres), angles radians. A robot and a cell are used by one thread at a time. Read
 * next: docs/robots.md; model.c, urdf.c, kinematics.c, cell.c, gradient.c, motion.c, propose.c, plan.c. */
#ifndef ROBOT_H
#define ROBOT_H

#include <stdbool.h>
#include <stdio.h>

#include <apart/apart.h>
#include <apart/io.h>

#define ROBOT_NONE ((size_t)-1)

/* ---- the model (model.c) ---- */

typedef enum robot_joint_kind { ROBOT_FIXED, ROBOT_ROTARY, ROBOT_CONTINUOUS, ROBOT_SLIDING } robot_joint_kind;

typedef struct robot_link {
    char *name;
    apart_part *parts; /* convex, in the link's frame */
    size_t part_count;
    size_t line; /* in the file, for messages; 0: unknown */
} robot_link;

/* Joint i leads to link i + 1. Its position is factor * q[variable] + offset. */
typedef struct robot_joint {
    char *name;
    int kind;              /* robot_joint_kind */
    size_t parent;         /* a link; it comes before the child */
    apart_pose origin;     /* the joint's frame in the parent link's */
    apart_vec3 axis;       /* unit, in the joint's frame */
    double lower, upper;   /* of the position; infinite where there is no limit */
    size_t variable;       /* ROBOT_NONE for a fixed joint */
    double factor, offset; /* 1 and 0 unless it mimics another joint */
    size_t line;
} robot_joint;

typedef enum robot_note_kind {
    ROBOT_NOTE_HULL,   /* a mesh that is not convex is taken by its hull */
    ROBOT_NOTE_WARNING /* something seems wrong */
} robot_note_kind;

typedef struct robot_note {
    int kind;
    char *text; /* with file and line */
    char *link; /* of a hull */
    double hull_volume, mesh_volume;
} robot_note;

typedef struct robot {
    char *name, *file;
    robot_link *links; /* the root first */
    size_t link_count;
    robot_joint *joints;
    size_t joint_count; /* link_count - 1 */
    size_t *variables;  /* the joint of each q; joints that move and mimic nothing, parents before children */
    size_t variable_count;
    char *(*disabled)[2]; /* names of links or obstacles whose pairs are left out */
    size_t disabled_count;
    robot_note *notes;
    size_t note_count;
    apart_hull **hulls; /* owned, of the parts */
    size_t hull_count;
    struct robot_draft *draft; /* while it is being built */
} robot;

/* A robot is built from links and joints by name, in any order; robot_finish makes the tree. `file` goes in front of
 * messages. */
robot *robot_new(const char *file);
void robot_free(robot *r);
apart_status robot_add_link(robot *r, const char *name, size_t line, apart_io_error *error);
/* The shape's hull, if it has one, becomes the robot's (also after an error). */
apart_status robot_add_part(robot *r, size_t link, const apart_part *part, apart_hull *hull);
/* `joint`: kind, origin, axis (any length), limits, factor, offset and line; name, parent and variable are set here.
 * mimics: a name or NULL. */
apart_status robot_add_joint(robot *r, const char *name, const char *parent, const char *child, const char *mimics,
                             const robot_joint *joint, apart_io_error *error);
apart_status robot_disable_pair(robot *r, const char *first, const char *second);
/* APART_ERR_SYNTAX with a message when the joints make no tree. */
apart_status robot_finish(robot *r, apart_io_error *error);

const char *robot_variable_name(const robot *r, size_t variable);
/* Numbers by name, or ROBOT_NONE. */
size_t robot_find_link(const robot *r, const char *name);
size_t robot_find_variable(const robot *r, const char *name);
const char *robot_joint_kind_name(int kind);

/* ---- files (urdf.c, srdf.c, mesh.c) ---- */

/* Where package://NAME/... may be: folders separated by ':', each the parent of packages, a package itself, or
 * NAME=FOLDER. NULL: none. The folders above the URDF are looked in anyway, and so is $ROS_PACKAGE_PATH if the caller
 * puts it in. */
apart_status robot_read_urdf(const char *path, const char *packages, robot **out, apart_io_error *error);
/* Adds the disabled pairs of an SRDF to a finished robot. Names that are neither a link nor in `others` (ends with
 * NULL) are errors. */
apart_status robot_read_srdf(const char *path, const char *const *others, robot *r, apart_io_error *error);
/* Adds a mesh file to a link: by its hull, or piece by piece where all its objects are convex; notes say so. */
apart_status robot_add_mesh(robot *r, size_t link, const char *path, apart_vec3 scale, const apart_pose *pose,
                            size_t line, apart_io_error *error);
apart_status robot_add_note(robot *r, const robot_note *note);

/* ---- where it is (kinematics.c) ---- */

/* Everything about one set of joint positions, in the frame of the root link. */
typedef struct robot_state {
    const robot *robot;
    apart_pose *links;          /* poses of the link frames */
    apart_vec3 *origins, *axes; /* of the joints */
} robot_state;

apart_status robot_state_init(const robot *r, robot_state *state);
void robot_state_free(robot_state *state);
/* q: one number a variable. */
void robot_state_set(robot_state *state, const double *q);

/* How the joint turns its frame into the child link's at joint position p. */
apart_pose robot_joint_pose(const robot_joint *joint, double position);
double robot_joint_position(const robot_joint *joint, const double *q);

/* The geometric Jacobian of a point of a link (root frame): linear[v] is the point's velocity for q[v] moving at rate
 * 1, angular[v] the link's angular velocity. Either may be NULL. */
void robot_jacobian(const robot_state *state, size_t link, apart_vec3 point, apart_vec3 *linear, apart_vec3 *angular);

/* ---- distances (cell.c, gradient.c) ---- */

/* A thing that stands still. The parts' hulls are borrowed. */
typedef struct robot_obstacle {
    const char *name;
    const apart_part *parts;
    size_t count;
    apart_pose pose;
} robot_obstacle;

/* A link with parts, or an obstacle. */
typedef struct robot_body {
    const char *name;
    size_t link; /* ROBOT_NONE: an obstacle */
    const apart_part *parts;
    size_t part_count;
    apart_shape shape;        /* of a single part */
    apart_compound *compound; /* owned; of several */
    apart_pose local;         /* from the solid's frame to the link's or, of an obstacle, to the root's */
    apart_vec3 center;        /* of a bounding sphere, in the solid's frame */
    double radius;            /* infinite for a half-space */
} robot_body;

/* Two bodies that can come nearer to each other, and the joints that move one against the other. */
typedef struct robot_pair {
    size_t bodies[2];
    size_t *chain[2]; /* joints from the last common link down to each body, owned */
    size_t chain_count[2];
    double *reach[2]; /* largest distance of its points from the axis of a joint of its chain, in any position */
    apart_compound_cache cache; /* of bodies with many parts */
    apart_cache *caches;        /* of every pair of parts, where they are few; owned */
    size_t nearest;             /* of them, lately */
} robot_pair;

typedef struct robot_cell {
    const robot *robot;
    robot_body *bodies; /* links first */
    size_t body_count;
    robot_pair *pairs;
    size_t pair_count;
    robot_state state;
    apart_pose *poses;           /* of the bodies' solids at the present positions */
    apart_options options;       /* of all queries; a solver or search to be compared, say */
    bool cold;                   /* forget the caches */
    struct robot_search *search; /* what robot_cell_motion keeps */
} robot_cell;

/* Pairs: links that a joint moves against each other, and links with obstacles; left out are links that only a joint
 * and links without parts lie between (adjacent), pairs that no joint moves, and disabled ones. Obstacles are copied
 * but for their parts. APART_ERR_MEMORY, APART_ERR_EMPTY (no pair), or the status of a shape. */
apart_status robot_cell_create(const robot *r, const robot_obstacle *obstacles, size_t count, robot_cell **out);
void robot_cell_free(robot_cell *cell);

/* Moves robot and bodies to the joint positions. */
void robot_cell_set(robot_cell *cell, const double *q);
/* The signed distance of a pair at the present positions. */
apart_status robot_cell_distance(robot_cell *cell, size_t pair, apart_compound_result *out);
/* The nearest pair at the present positions; pairs whose bounding spheres are farther are not evaluated. */
apart_status robot_cell_nearest(robot_cell *cell, size_t *pair, apart_compound_result *out);

/* The derivative of a pair's distance by each variable, from witness points and normal at the present positions.
 * Returns whether it is the gradient: false where the closest points are not unique (parallel edges and faces), and the
 * gradient is one of many. */
bool robot_cell_gradient(const robot_cell *cell, size_t pair, const apart_compound_result *result, double *gradient);

/* ---- motions (motion.c) ---- */

/* The smallest distance of all pairs along a motion, all joints moving evenly from q0 to q1. */
typedef struct robot_gap {
    double lower, upper;         /* certified: lower <= the smallest distance <= upper */
    double s;                    /* where, from 0 to 1, the distance is at most `upper` */
    size_t pair;                 /* of which pair */
    uint64_t queries, intervals; /* what it took */
} robot_gap;

/* upper - lower <= tolerance, unless rounding forbids it or a million intervals do not suffice. Leaves the cell at the
 * positions of s. */
apart_status robot_cell_motion(robot_cell *cell, const double *q0, const double *q1, double tolerance, robot_gap *out);

/* How fast, at most, points of the pair's bodies move against each other within `half` of the middle of the motion (per
 * unit of s): the bound behind robot_cell_motion, for tests. */
double robot_motion_bound(robot_cell *cell, size_t pair, const double *q0, const double *q1, double middle,
                          double half);

/* ---- proposals for an SRDF (propose.c) ---- */

typedef struct robot_proposal {
    uint64_t samples, overlaps; /* random positions, and how many of them with overlap */
    double least, most;         /* distances seen */
} robot_proposal;

/* Every pair at `samples` random joint positions within the limits; out has pair_count rows. */
apart_status robot_propose(robot_cell *cell, uint64_t samples, uint64_t seed, robot_proposal *out);
/* Random positions within the limits; joints without limits turn once, slides without limits stay at 0. */
void robot_random_positions(const robot *r, uint64_t *seed, double *q);

/* ---- planning (plan.c, arm.c) ---- */

/* A point of the robot shall follow a path. */
typedef struct robot_task {
    const double *start;    /* joint positions */
    size_t link;            /* that carries the point */
    apart_vec3 point;       /* in the link's frame */
    const apart_vec3 *path; /* corners of a polyline in the root's frame; it starts where the point is at the start */
    size_t path_count;
    double speed;        /* of the point along the path */
    double reach;        /* d0: pairs nearer than this push */
    double gain;         /* k: 0 leaves the plain pseudo-inverse, below 0 pushes bodies apart */
    double step;         /* of time */
    double most_error;   /* a larger distance from the path ends the plan */
    double (*now)(void); /* a clock in seconds, for the profile; NULL: none */
} robot_task;

typedef struct robot_plan {
    size_t count, width, pair_count; /* steps, joint positions in each, pairs in each */
    double *t, *error, *damping;     /* one a step */
    double *q;                       /* count * width */
    double *distances;               /* count * pair_count */
    apart_vec3 *tool, *wanted;       /* where the point is, and where it should be */
    double worst_error, most_damping;
    bool followed;      /* the path was followed to its end */
    uint64_t shortened; /* steps whose push was shortened, since all of it would have overshot */
    uint64_t queries;
    double seconds, distance_seconds; /* all, and the part of the distances */
} robot_plan;

/* APART_ERR_OPTION: a number of the task is out of range. */
apart_status robot_plan_make(robot_cell *cell, const robot_task *task, robot_plan *out);
void robot_plan_free(robot_plan *plan);

/* The scene of the paper (item G9): an arm of four rotary joints and two pyramids. The pyramids' hulls belong to the
 * robot, their parts to this, which stays where it is. */
typedef struct robot_arm {
    robot *robot;
    robot_obstacle obstacles[2];
    apart_part parts[2]; /* of the obstacles */
    double start[4];
    apart_vec3 path[3];
    size_t link;
    apart_vec3 point;
} robot_arm;

apart_status robot_arm_make(robot_arm *out);

#endif
