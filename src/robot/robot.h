/* The inside of robots, cells and work spaces. */
#ifndef AP_ROBOT_ROBOT_H
#define AP_ROBOT_ROBOT_H

#include <apart/robot.h>
#include <stdbool.h>

/* A rigid body: links that fixed joints weld together, and the joint that moves them against the frame above. Frame 0
 * is the root. */
typedef struct ap_robot_frame {
    size_t parent, joint, depth; /* depth: frames above it; joint: APART_ROBOT_NONE for the root */
    apart_pose origin;           /* of the joint in the parent frame */
    apart_vec3 axis;
    size_t variable;
    double factor, offset;
    bool slides;
    double farthest; /* a slide: how far it goes at most; infinite without limits */
} ap_robot_frame;

struct apart_robot {
    char *name, *file;
    apart_robot_link *links; /* names and parts are owned */
    size_t link_count;
    apart_robot_joint *joints; /* names are owned */
    size_t joint_count;
    size_t *variables; /* the joint of each */
    size_t variable_count;
    ap_robot_frame *frames;
    size_t frame_count;
    size_t *frame_of;     /* of each link */
    apart_pose *local;    /* of each link in its frame */
    char *(*disabled)[2]; /* names; the second NULL: all pairs of the first */
    size_t disabled_count;
    char *(*enabled)[2];
    size_t enabled_count;
    apart_robot_state_value *states; /* texts are owned */
    size_t state_count;
    apart_robot_note *notes; /* texts are owned */
    size_t note_count;
    apart_hull **hulls; /* owned, of the parts */
    size_t hull_count;
    apart_mesh **meshes; /* owned, of the links */
    size_t mesh_count;
    size_t group_count;  /* of links */
    apart_robot **added; /* owned: robots that became a part of this one */
    size_t added_count;
    struct ap_robot_draft *draft; /* while it is being built */
};

/* A bounding sphere. */
typedef struct ap_robot_ball {
    apart_vec3 center;
    double radius;
} ap_robot_ball;

/* A body as queries see it. */
typedef struct ap_robot_body {
    apart_robot_body public;
    size_t frame;             /* 0 for obstacles */
    bool moves_with_base;     /* false: an obstacle, which the base does not move */
    apart_shape shape;        /* of a single part */
    apart_compound *compound; /* owned; of several */
    apart_pose local;         /* from the solid's frame to the body's frame or, of an obstacle, to the world */
    apart_pose link_local;    /* from the link's frame to the body's frame; an obstacle's pose */
    apart_vec3 center;        /* of a bounding sphere, in the solid's frame */
    double radius;            /* infinite for a half-space */
    double chain;             /* lengths along the chain to its farthest point, for rounding */
    size_t steps;             /* roundings along the chain */
    size_t part_row;          /* where the centres of its spheres begin */
    size_t row;               /* where its rows of bounds begin: one for each frame from its own up to the root */
    bool spheres;             /* all parts are spheres about the centres of their poses */
    bool placed;              /* parts have poses in the solid's frame; else the solid is the only part */
    ap_robot_ball *balls;     /* owned: of each mesh, in its frame */
    ap_robot_ball parts_ball; /* of the compound */
} ap_robot_body;

/* How a pair is looked at. */
typedef enum ap_robot_way {
    AP_ROBOT_SPHERES, /* every sphere against every sphere */
    AP_ROBOT_PIECES,  /* every piece against every piece: parts and meshes; very many parts are one piece */
    AP_ROBOT_TREES    /* trees of parts */
} ap_robot_way;

/* A pair, and where its caches begin in the table. */
typedef struct ap_robot_pair {
    apart_robot_pair public;
    uint32_t top;   /* the last common frame */
    int way;        /* ap_robot_way */
    uint64_t cache; /* the first of its numbers */
} ap_robot_pair;

struct apart_robot_cell {
    const apart_robot *robot;
    ap_robot_body *bodies;
    size_t body_count;
    ap_robot_pair *pairs;
    size_t pair_count;
    apart_part *parts; /* of the obstacles */
    apart_robot_mesh *meshes;
    apart_pose base;
    size_t row_count, part_count;
    unsigned char *has_parts; /* for each frame */
    double tolerance;         /* of motions, by default */
    double *reach;            /* for each row: how far the body's points are at most from that frame's axis */
    uint64_t cache_count;
    size_t table_size; /* of a work space's caches: a power of two */
};

/* Where everything is at some moment of a motion, as far as it was asked for: what bears the moment's stamp is valid.
 */
typedef struct ap_robot_moment {
    double s, half;         /* half: of the interval around s that the bounds are for */
    double slides, largest; /* of the positions: sum of all slides, largest of all, for rounding */
    double rates, changes;  /* sums of all joints' velocities and accelerations, likewise */
    uint64_t stamp, row_stamp;
    double *q, *rate, *change;                 /* of the variables: positions, velocities, accelerations */
    double *rate_most, *bend_most, *jolt_most; /* most velocity, acceleration and its derivative within `half` */
    const double *magnitudes;                  /* of the terms that a position is the sum of; NULL: of the positions */
    apart_pose *frames;
    apart_vec3 *origins, *axes;                 /* of the frames' joints */
    apart_vec3 *angular, *linear;               /* the velocity of a frame's point x is linear + angular cross x */
    apart_vec3 *angular_change, *linear_change; /* their derivatives */
    uint64_t *frame_stamps;
    apart_pose *poses; /* of the bodies' solids */
    apart_vec3 *centers;
    uint64_t *body_stamps;
    /* of each row: most velocity, acceleration and derivative of that of the body against the frame above */
    double *speed, *bend, *jolt;
    uint64_t *row_stamps;     /* of each body */
    apart_vec3 *part_centers; /* of the parts of sphere bodies */
    uint64_t *part_stamps;    /* of each body */
} ap_robot_moment;

/* A slot of the table of caches: of a pair of parts, or of trees. */
typedef struct ap_robot_cache {
    uint64_t owner; /* number + 1; 0: nobody */
    apart_compound_cache cache;
} ap_robot_cache;

typedef struct ap_robot_interval {
    double middle, half;
    int halvings;
    uint32_t active; /* the first so many pairs of the list are open */
} ap_robot_interval;

enum {
    AP_ROBOT_MOST_PIECES = 256,
    AP_MOST_HALVINGS = 40, /* of a motion: below it, s itself is not resolved */
    AP_MOMENTS = 4         /* see below */
};

struct apart_robot_work {
    const apart_robot_cell *cell;
    apart_options options;
    bool cold;
    ap_robot_moment moments[AP_MOMENTS];
    void *memory;
    ap_robot_cache *caches;
    uint32_t *order;   /* of pairs: the nearest lately first */
    uint32_t *nearest; /* of each pair by parts: the nearest parts lately */
    double *extents;   /* of each pair: the distance of the bodies' centres less their own, lately; 0: unknown */
    ap_robot_interval stack[2 * AP_MOST_HALVINGS + 2];
    uint64_t queries, intervals;
    /* the motion: a polynomial for each variable, coefficients of s^0 .. s^degree */
    double *coefficients;
    double *magnitudes; /* of each variable: its rounding errors are a few eps of this */
    int degree;
};

/* The middle of an interval, both ends of the motion, and what the user set. */
enum { AP_MOMENT_MIDDLE, AP_MOMENT_START, AP_MOMENT_END, AP_MOMENT_USER };

/* ---- frames and moments (kinematics.c, moment.c) ---- */

/* The rotation of a joint's motion, or its shift. */
apart_pose ap_robot_joint_pose(bool slides, apart_vec3 axis, double position);

/* The moment is at other positions from now on: its q, and rate for velocities, are set by the caller before. */
void ap_robot_moment_begin(const apart_robot *r, ap_robot_moment *m, double s);
void ap_robot_place_frame(const apart_robot_cell *cell, ap_robot_moment *m, size_t frame);
void ap_robot_place_body(const apart_robot_cell *cell, ap_robot_moment *m, size_t body);
/* The centres of the body's spheres. */
const apart_vec3 *ap_robot_place_spheres(const apart_robot_cell *cell, ap_robot_moment *m, size_t body);
void ap_robot_bound_body(const apart_robot_cell *cell, ap_robot_moment *m, size_t body);
/* The error of a pair's distance by rounding of the kinematics. */
double ap_robot_rounding(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair);
/* The bounds of a pair, from its bodies' rows. */
void ap_robot_pair_bounds(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair,
                          double *speed, double *bend, double *jolt);
/* The same bounds of one body's motion as the other one, on `side`, sees it. */
void ap_robot_bounds_seen_from(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair,
                               int side, double *bend, double *jolt);
/* Between the centres of the bodies' bounding spheres. */
double ap_robot_center_distance(const ap_robot_moment *m, const ap_robot_pair *pair);
/* Bounding spheres of the bodies are at least this far apart. */
double ap_robot_ball_gap(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair);

/* ---- distances (distance.c) ---- */

struct ap_robot_parts;

apart_solid ap_robot_solid(const ap_robot_body *body);
/* The cache of a number: emptied if it was somebody else's. */
apart_compound_cache *ap_robot_cache_of(apart_robot_work *work, uint64_t number);
const apart_shape *ap_robot_part(const ap_robot_body *body, const apart_pose *pose, size_t part, apart_pose *out);
/* How many pieces a body has: parts and meshes, or, of more than AP_ROBOT_MOST_PIECES parts, the tree of these and the
 * meshes. */
size_t ap_robot_piece_count(const ap_robot_body *body);
/* Fills one side of `out`. */
void ap_robot_take_piece(const ap_robot_body *body, const apart_pose *pose, size_t piece, int side,
                         struct ap_robot_parts *out);
/* The distance of two pieces; the numbers of the result are those of parts and triangles. */
apart_status ap_robot_piece_distance(const struct ap_robot_parts *parts, const apart_options *options,
                                     apart_compound_cache *cache, apart_compound_result *out);
/* Widened by the rounding of the kinematics. */
apart_status ap_robot_sound_distance(apart_robot_work *work, ap_robot_moment *m, size_t pair,
                                     const apart_options *options, apart_compound_result *out);
apart_status ap_robot_pair_distance(apart_robot_work *work, ap_robot_moment *m, size_t pair,
                                    const apart_options *options, apart_compound_result *out);
void ap_robot_to_front(apart_robot_work *work, size_t pair);

/* ---- bounds along a motion (separation.c, curve.c) ---- */

/* What a direction n makes of a body's motion: n . x(t) = (n + t slope + t^2/2 curve) . x + t speed + t^2/2 change for
 * a point that is at x now. */
typedef struct ap_robot_course {
    apart_vec3 n, center, slope, curve; /* center: of the body */
    double speed, change;
    double turns[3], shifts[3]; /* sizes of the terms of t^0, t^1 and t^2/2, against which their rounding is small */
} ap_robot_course;

/* Two parts or meshes at a moment, and how their frames move against the last common frame. */
typedef struct ap_robot_parts {
    const apart_shape *shapes[2];  /* NULL: a mesh */
    apart_solid solids[2];         /* a compound or mesh where there is no shape */
    const ap_robot_ball *balls[2]; /* of the meshes */
    size_t numbers[2];             /* of the part, or of the mesh's first triangle */
    apart_pose poses[2];
    apart_vec3 angular[2], linear[2];
    apart_vec3 angular_change[2], linear_change[2];
    ap_robot_course courses[2]; /* with n, and of the second with -n */
    uint32_t vertices[2];       /* where searches of the farthest point begin; APART_NO_INDEX: anywhere */
} ap_robot_parts;

/* At least this far apart, by bounding spheres; -infinity for a half-space. */
double ap_robot_part_gap(const ap_robot_parts *parts);
/* Fills the velocities and accelerations against a frame. */
void ap_robot_move_parts(const apart_robot_cell *cell, const ap_robot_moment *m, const ap_robot_pair *pair,
                         size_t observer, ap_robot_parts *parts);
/* Takes n, from the first to the second, as the direction of the following two. */
void ap_robot_follow(ap_robot_parts *parts, apart_vec3 n);
/* A lower bound of what the parts' distance would be `time` after the moment if every point kept its velocity (order
 * 1) or its acceleration (order 2): how far they are separated along n. */
double ap_robot_separation(ap_robot_parts *parts, double time, int order);
/* At most this fast does the velocity grow with which points of the two parts move apart along n. */
double ap_robot_parting(const ap_robot_parts *parts);
/* The acceleration of a point, of one side. */
apart_vec3 ap_robot_acceleration(const ap_robot_parts *parts, int side, apart_vec3 point);

/* Takes the segment as the work space's motion. APART_ERR_OPTION, APART_ERR_NONFINITE. */
apart_status ap_robot_curve(apart_robot_work *work, const apart_robot_segment *segment);
/* Moves a moment to s of the motion. */
void ap_robot_curve_at(const apart_robot_work *work, ap_robot_moment *m, double s);
/* Bounds velocities and accelerations of the joints within `half` of the moment. */
void ap_robot_curve_widen(const apart_robot_work *work, ap_robot_moment *m, double half);

#endif
