/** @file
 * apart/robot.h: robots among obstacles: where their links are, how far from each other and from obstacles, in which
 * direction, and how near they come on a motion between two joint positions, with a proof.
 *
 *     apart_robot *arm = NULL;                                       // a model: apart/robot_io.h reads URDF and MJCF
 *     apart_robot_read("arm.urdf", NULL, &arm, &error);
 *     apart_robot_cell *cell = NULL;                                 // the robot and what stands around it
 *     apart_robot_cell_create(arm, NULL, &cell);
 *     apart_robot_work *work = NULL;                                 // one for each thread
 *     apart_robot_work_create(cell, &work);
 *     apart_robot_gap gap;
 *     apart_robot_motion(work, q0, q1, NULL, &gap);                  // gap.lower <= smallest distance <= gap.upper
 *
 * A finished robot and a cell are immutable and may be shared between threads; a work space belongs to one thread at a
 * time. Queries allocate nothing. Joint positions are arrays of one number for each variable (a joint that moves and
 * mimics no other): radians or the file's unit of length. Points and normals are in the world frame, which is that of
 * the root link unless the cell places the robot elsewhere. Needs libm alone.
 * Read next: apart/robot_io.h (files), docs/robots.md.
 */
#ifndef APART_ROBOT_H
#define APART_ROBOT_H

#include "compound.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The number of a link, joint or variable that does not exist. */
#define APART_ROBOT_NONE ((size_t)-1)

/* ---- the model ---- */

/** A tree of links and joints with geometry: opaque, immutable once it is finished. */
typedef struct apart_robot apart_robot;

/** How a joint moves. */
typedef enum apart_joint_kind {
    APART_JOINT_FIXED = 0,
    APART_JOINT_ROTARY = 1,     /**< turns about its axis */
    APART_JOINT_CONTINUOUS = 2, /**< the same without limits */
    APART_JOINT_SLIDING = 3     /**< slides along its axis */
} apart_joint_kind;

/** A triangle mesh as it is, convex or not. */
typedef struct apart_robot_mesh {
    const apart_mesh *mesh; /**< apart/mesh.h */
    apart_pose pose;        /**< from the mesh's frame to the link's or obstacle's */
    uint8_t surface;        /**< 1: its triangles alone; 0: what they enclose, too (a watertight mesh) */
} apart_robot_mesh;

/** A link; link 0 is the root. */
typedef struct apart_robot_link {
    const char *name;               /**< unique */
    const apart_part *parts;        /**< convex collision geometry, in the link's frame */
    size_t part_count;              /**< may be 0 */
    const apart_robot_mesh *meshes; /**< collision geometry that need not be convex */
    size_t mesh_count;              /**< may be 0 */
    size_t group;                   /**< see apart_robot_begin_group */
    size_t line;                    /**< in the file, for messages; 0: unknown */
} apart_robot_link;

/** A joint; joint i leads to link i + 1. Its position is factor * q[variable] + offset. */
typedef struct apart_robot_joint {
    const char *name;  /**< unique */
    int kind;          /**< apart_joint_kind */
    size_t parent;     /**< a link; it comes before the child */
    apart_pose origin; /**< the joint's frame in the parent link's */
    apart_vec3 axis;   /**< unit, in the joint's frame */
    double lower;      /**< of the position; -infinity where there is no limit */
    double upper;      /**< of the position */
    size_t variable;   /**< APART_ROBOT_NONE for a fixed joint */
    double factor;     /**< 1 unless it mimics another joint */
    double offset;     /**< 0 unless it mimics another joint */
    size_t line;       /**< in the file, 0: unknown */
} apart_robot_joint;

/** What a reader found unusual. */
typedef enum apart_robot_note_kind {
    APART_ROBOT_NOTE_WARNING = 0, /**< something seems wrong, or was left out */
    APART_ROBOT_NOTE_HULL = 1     /**< a mesh that is not convex is taken by its hull */
} apart_robot_note_kind;

/** A note of a reader. */
typedef struct apart_robot_note {
    int kind;           /**< apart_robot_note_kind */
    const char *text;   /**< with file and line */
    const char *cause;  /**< the same for notes of the same cause, in words without file and line */
    const char *link;   /**< of a hull, else "" */
    double hull_volume; /**< of a hull */
    double mesh_volume; /**< of a hull: what the faces of the mesh enclose */
} apart_robot_note;

/** The position of a joint in a named state ("home", "ready") of a group of joints. */
typedef struct apart_robot_state_value {
    const char *group; /**< name of the group */
    const char *state; /**< name of the state */
    const char *joint; /**< name of the joint */
    double position;   /**< of the joint */
} apart_robot_state_value;

/** An empty robot, to which links and joints are added by name in any order until apart_robot_finish makes the tree.
 *  `file` goes in front of messages. NULL: no memory. Free it with apart_robot_free. */
APART_API apart_robot *apart_robot_new(const char *file);
/** Frees a robot; NULL is allowed. Its cells must be freed before. */
APART_API void apart_robot_free(apart_robot *robot);
/** Sets the name of the robot, which is "robot" at first. APART_ERR_NULL, APART_ERR_MEMORY. */
APART_API apart_status apart_robot_set_name(apart_robot *robot, const char *name);
/** Adds a link. APART_ERR_SYNTAX with a message where the name is taken, APART_ERR_NULL where the robot is finished,
 *  APART_ERR_MEMORY. */
APART_API apart_status apart_robot_add_link(apart_robot *robot, const char *name, size_t line, apart_io_error *error);
/** Adds a convex part to a link (by its number in the order of adding, or of the finished robot). The shape's hull, if
 *  it is given, becomes the robot's, also after an error. Statuses of the shape, APART_ERR_ID, APART_ERR_MEMORY. */
APART_API apart_status apart_robot_add_part(apart_robot *robot, size_t link, const apart_part *part, apart_hull *hull);
/** Adds a mesh to a link. If `owned` is given, it becomes the robot's, also after an error. APART_ERR_ID,
 *  APART_ERR_NULL, APART_ERR_NOT_WATERTIGHT, APART_ERR_MEMORY, or the status of a pose. */
APART_API apart_status apart_robot_add_mesh_part(apart_robot *robot, size_t link, const apart_robot_mesh *mesh,
                                                 apart_mesh *owned);
/** Gives a hull to the robot, which frees it in the end (also after an error). APART_ERR_MEMORY. */
APART_API apart_status apart_robot_keep_hull(apart_robot *robot, apart_hull *hull);
/** Adds a joint between two links by name. Of `joint` kind, origin, axis (any length above zero), limits, factor,
 *  offset and line are read. mimics: the name of the joint whose position it follows, or NULL. APART_ERR_SYNTAX with a
 *  message, APART_ERR_NULL where the robot is finished, APART_ERR_MEMORY. */
APART_API apart_status apart_robot_add_joint(apart_robot *robot, const char *name, const char *parent,
                                             const char *child, const char *mimics, const apart_robot_joint *joint,
                                             apart_io_error *error);
/** Leaves a pair of links, or of a link and an obstacle, out of all cells made later. APART_ERR_MEMORY. */
APART_API apart_status apart_robot_disable_pair(apart_robot *robot, const char *first, const char *second);
/** Leaves all pairs of a link out that apart_robot_enable_pair does not name. APART_ERR_MEMORY. */
APART_API apart_status apart_robot_disable_link(apart_robot *robot, const char *link);
/** Takes a pair back in that apart_robot_disable_link left out. APART_ERR_MEMORY. */
APART_API apart_status apart_robot_enable_pair(apart_robot *robot, const char *first, const char *second);
/** Adds a joint to a named state. APART_ERR_MEMORY. */
APART_API apart_status apart_robot_add_state(apart_robot *robot, const apart_robot_state_value *value);
/** Adds a note; its texts are copied. cause NULL: the text itself. APART_ERR_MEMORY. */
APART_API apart_status apart_robot_add_note(apart_robot *robot, const apart_robot_note *note);
/** Links that are added from here on form a new group, until the next group begins: links of different groups are
 *  never adjacent, so that all pairs between two groups count. For bodies that move by themselves. APART_ERR_NULL. */
APART_API apart_status apart_robot_begin_group(apart_robot *robot);
/** Adds all links and joints of a finished robot, with `prefix` in front of their names, what it leaves out and its
 *  named states; its root hangs on the link `parent` by a fixed joint (named after the root, with "_mount" behind it)
 *  at `origin`: two robots in a cell, a tool with joints of its own. Its links, and what is added next, form a new
 *  group. The added robot is taken: it is freed with this one, also
 *  after an error. APART_ERR_SYNTAX with a message where a name is taken, APART_ERR_MEMORY. */
APART_API apart_status apart_robot_add_robot(apart_robot *robot, apart_robot *added, const char *prefix,
                                             const char *parent, const apart_pose *origin, apart_io_error *error);
/** Sorts links and joints into a tree, root first, parents before children. APART_ERR_SYNTAX with a message when they
 *  make no tree, or when a joint mimics itself; APART_ERR_NULL when it has been finished before, also in vain. A joint
 *  that mimics one that does not exist or does not move stays at its offset, with a note. */
APART_API apart_status apart_robot_finish(apart_robot *robot, apart_io_error *error);

/** The robot's name. */
APART_API const char *apart_robot_name(const apart_robot *robot);
/** The file it was read from. */
APART_API const char *apart_robot_file(const apart_robot *robot);
/** Number of links. */
APART_API size_t apart_robot_link_count(const apart_robot *robot);
/** A link of a finished robot; it lives as long as the robot. */
APART_API const apart_robot_link *apart_robot_link_at(const apart_robot *robot, size_t link);
/** Number of joints: one less than links. */
APART_API size_t apart_robot_joint_count(const apart_robot *robot);
/** A joint of a finished robot. */
APART_API const apart_robot_joint *apart_robot_joint_at(const apart_robot *robot, size_t joint);
/** Number of variables: the length of an array of joint positions. */
APART_API size_t apart_robot_variable_count(const apart_robot *robot);
/** The joint of a variable. Variables are in the order of joints: parents before children. */
APART_API const apart_robot_joint *apart_robot_variable(const apart_robot *robot, size_t variable);
/** A link by name, or APART_ROBOT_NONE. */
APART_API size_t apart_robot_find_link(const apart_robot *robot, const char *name);
/** A variable by the name of its joint, or APART_ROBOT_NONE. */
APART_API size_t apart_robot_find_variable(const apart_robot *robot, const char *name);
/** Number of notes. */
APART_API size_t apart_robot_note_count(const apart_robot *robot);
/** A note. */
APART_API const apart_robot_note *apart_robot_note_at(const apart_robot *robot, size_t note);
/** Number of positions of named states. */
APART_API size_t apart_robot_state_count(const apart_robot *robot);
/** A position of a named state. */
APART_API const apart_robot_state_value *apart_robot_state_at(const apart_robot *robot, size_t value);
/** The length of the longest chain of joints: an upper bound of how far the origin of a link is from the root's, with
 *  slides at their farthest limit; at least 1e-300. */
APART_API double apart_robot_reach(const apart_robot *robot);
/** "fixed", "rotary", "continuous" or "sliding". */
APART_API const char *apart_joint_kind_name(int kind);
/** Positions without a better choice: 0, or the limit nearest to it. */
APART_API void apart_robot_rest(const apart_robot *robot, double *q);
/** Random positions within the limits from a seed, which moves on; joints without limits turn once, slides without
 *  limits stay at 0. */
APART_API void apart_robot_random(const apart_robot *robot, uint64_t *seed, double *q);

/* ---- where it is ---- */

/** The poses of all links, an array of link_count, in the root link's frame. */
APART_API void apart_robot_forward(const apart_robot *robot, const double *q, apart_pose *links);
/** The position of a joint, whether it mimics another or not; 0 for a fixed one. */
APART_API double apart_robot_joint_position(const apart_robot_joint *joint, const double *q);
/** The geometric Jacobian of a point that a link carries, from the poses of the links (of apart_robot_forward, or moved
 *  elsewhere together): linear[v] is the point's velocity for q[v] moving at rate 1, angular[v] the link's angular
 *  velocity, both in the frame of the poses. Either may be NULL. */
APART_API void apart_robot_jacobian(const apart_robot *robot, const apart_pose *links, size_t link, apart_vec3 point,
                                    apart_vec3 *linear, apart_vec3 *angular);

/* ---- the cell ---- */

/** A thing that stands still. */
typedef struct apart_robot_obstacle {
    const char *name;               /**< copied */
    const apart_part *parts;        /**< copied; the parts' hulls are borrowed */
    size_t count;                   /**< number of parts */
    apart_pose pose;                /**< in the world */
    const apart_robot_mesh *meshes; /**< copied; the meshes are borrowed */
    size_t mesh_count;              /**< number of meshes */
} apart_robot_obstacle;

/** How far a pair of bodies must be apart at least. */
typedef struct apart_robot_margin {
    const char *first;  /**< a link or obstacle */
    const char *second; /**< another one; NULL: every other body */
    double margin;      /**< subtracted from the distances that motions report */
} apart_robot_margin;

/** What a cell is made of besides the robot. All bytes zero: nothing else, robot at the origin. */
typedef struct apart_robot_cell_options {
    const apart_robot_obstacle *obstacles; /**< what stands around */
    size_t obstacle_count;                 /**< number of obstacles */
    const apart_pose *base;                /**< the root link in the world; NULL: the identity */
    const apart_robot_margin *margins;     /**< of pairs; the last that fits a pair holds */
    size_t margin_count;                   /**< number of margins */
} apart_robot_cell_options;

/** A robot among obstacles, and the pairs that are looked at: opaque, immutable. */
typedef struct apart_robot_cell apart_robot_cell;

/** A link with parts, or an obstacle. */
typedef struct apart_robot_body {
    const char *name;               /**< of the link or obstacle */
    size_t link;                    /**< APART_ROBOT_NONE: an obstacle */
    const apart_part *parts;        /**< in the link's or obstacle's own frame */
    size_t part_count;              /**< number of parts */
    const apart_robot_mesh *meshes; /**< the same; a result's numbers of parts go on with the meshes' triangles */
    size_t mesh_count;              /**< parts and meshes: at least 1 */
} apart_robot_body;

/** Two bodies that can come nearer to each other. */
typedef struct apart_robot_pair {
    size_t bodies[2]; /**< the lower number first, an obstacle second */
    double margin;    /**< see apart_robot_margin */
} apart_robot_pair;

/** Makes a cell. Links that are welded by fixed joints are one rigid body. Pairs are links that a joint moves against
 *  each other, and links with obstacles; left out are links of rigid bodies that only a joint and links without parts
 *  lie between (adjacent), pairs that no joint moves, and disabled ones. The robot is borrowed. APART_ERR_NULL,
 *  APART_ERR_MEMORY, APART_ERR_EMPTY (no pair), APART_ERR_ID (a margin of an unknown body), or the status of a shape.
 */
APART_API apart_status apart_robot_cell_create(const apart_robot *robot, const apart_robot_cell_options *options,
                                               apart_robot_cell **out);
/** Frees a cell; NULL is allowed. Its work spaces must be freed before. */
APART_API void apart_robot_cell_free(apart_robot_cell *cell);
/** The robot of the cell. */
APART_API const apart_robot *apart_robot_cell_robot(const apart_robot_cell *cell);
/** Number of bodies: links with parts, then obstacles. */
APART_API size_t apart_robot_body_count(const apart_robot_cell *cell);
/** A body; it lives as long as the cell. */
APART_API const apart_robot_body *apart_robot_body_at(const apart_robot_cell *cell, size_t body);
/** Number of pairs. */
APART_API size_t apart_robot_pair_count(const apart_robot_cell *cell);
/** A pair; it lives as long as the cell. */
APART_API const apart_robot_pair *apart_robot_pair_at(const apart_robot_cell *cell, size_t pair);

/* ---- distances ---- */

/** What one thread needs for queries: positions, caches, order of pairs. */
typedef struct apart_robot_work apart_robot_work;

/** Makes a work space. The cell is borrowed. APART_ERR_NULL, APART_ERR_MEMORY. */
APART_API apart_status apart_robot_work_create(const apart_robot_cell *cell, apart_robot_work **out);
/** Frees a work space; NULL is allowed. */
APART_API void apart_robot_work_free(apart_robot_work *work);
/** The cell of the work space. */
APART_API const apart_robot_cell *apart_robot_work_cell(const apart_robot_work *work);
/** Forgets all caches: what follows has the same bits as in a new work space. */
APART_API void apart_robot_work_reset(apart_robot_work *work);
/** Options of all later queries of the work space (a solver, depth NONE, a tolerance); NULL: the defaults. `cold`: 1
 *  forgets the caches before every query. The cut-off is ignored. */
APART_API void apart_robot_work_options(apart_robot_work *work, const apart_options *options, int cold);

/** Moves the robot to joint positions. APART_ERR_NONFINITE: nothing has moved. */
APART_API apart_status apart_robot_set(apart_robot_work *work, const double *q);
/** The world pose of a link at the present positions. */
APART_API apart_pose apart_robot_link_pose(const apart_robot_work *work, size_t link);
/** The world pose of a body at the present positions: that of its link, or an obstacle's own. */
APART_API apart_pose apart_robot_body_pose(const apart_robot_work *work, size_t body);

/** The signed distance of a pair at the present positions (without its margin). The bounds hold for these positions:
 *  the rounding of the kinematics is within them. APART_ERR_ID, or a status of apart_compound_distance. */
APART_API apart_status apart_robot_distance(apart_robot_work *work, size_t pair, apart_compound_result *out);

/** A pair and its distance. */
typedef struct apart_robot_near {
    size_t pair;              /**< number of the pair */
    apart_compound_result at; /**< the answer, without the margin */
} apart_robot_near;

/** The nearest pair at the present positions, margins subtracted. */
APART_API apart_status apart_robot_nearest(apart_robot_work *work, apart_robot_near *out);
/** The `k` nearest pairs, nearest first; *count gets how many there are. */
APART_API apart_status apart_robot_k_nearest(apart_robot_work *work, size_t k, apart_robot_near *out, size_t *count);
/** All pairs nearer than `distance` plus their margin, nearest first. At most `room` are written; *count may be
 *  larger, then those with the lowest pair numbers were kept. */
APART_API apart_status apart_robot_below(apart_robot_work *work, double distance, apart_robot_near *out, size_t room,
                                         size_t *count);

/** The derivative of a pair's distance by each variable, from a result at the present positions. unique, if not NULL,
 *  gets 0 where the distance has a kink: other points of the bodies are as near (parallel edges and faces, a second
 *  part), and the derivative there would differ by more than 1e-6 of its lever. Then the gradient is one of many. Of
 *  meshes only the nearest triangles are looked at. */
APART_API apart_status apart_robot_gradient(const apart_robot_work *work, const apart_robot_near *near,
                                            double *gradient, int *unique);

/* ---- motions ---- */

/** How a motion is certified. All bytes zero: the smallest distance, to 1e-4 of the robot's reach. */
typedef struct apart_robot_motion_options {
    double tolerance; /**< upper - lower at the end; 0: 1e-4 of the robot's reach */
    int has_limit;    /**< 1: only whether the distance stays at or above the limit; the search stops when that is
                       *   certain */
    double limit;     /**< of has_limit */
    uint64_t most_intervals; /**< ends the search with bounds that are true but wider; 0: 2^20 */
    const size_t *pairs;     /**< only these pairs; NULL: all */
    size_t pair_count;       /**< number of them */
} apart_robot_motion_options;

/** The smallest distance of all pairs along a motion, less their margins. */
typedef struct apart_robot_gap {
    double lower;       /**< certified: lower <= the smallest distance */
    double upper;       /**< certified: the distance at s is at most this */
    double s;           /**< where, from 0 to 1 */
    size_t pair;        /**< of which pair */
    uint64_t queries;   /**< distances that were computed */
    uint64_t intervals; /**< pairs times intervals that were looked at */
} apart_robot_gap;

/** A motion from q0 to q1 with s from 0 to 1: all joints moving evenly (degree 1), or a cubic or quintic polynomial for
 *  each joint, as the points of a JointTrajectory with velocities, or velocities and accelerations, mean it. */
typedef struct apart_robot_segment {
    int degree;       /**< 1, 3 or 5 */
    double duration;  /**< in time units, of degree 3 and 5 */
    const double *q0; /**< positions at the start */
    const double *q1; /**< positions at the end */
    const double *v0; /**< velocities at the start; degree 3 and 5 */
    const double *v1; /**< velocities at the end */
    const double *a0; /**< accelerations at the start; degree 5 */
    const double *a1; /**< accelerations at the end */
} apart_robot_segment;

/** The smallest distance while all joints move evenly from q0 to q1. Without a limit upper - lower <= tolerance, unless
 *  rounding forbids it, the intervals do not suffice, or meshes overlap whose depth is not known that accurately. With a limit the search ends as soon as lower >= limit or upper
 *  < limit is certain. options may be NULL. Leaves the work space at the positions of s. APART_ERR_NONFINITE,
 *  APART_ERR_OPTION, or a status of a query. */
APART_API apart_status apart_robot_motion(apart_robot_work *work, const double *q0, const double *q1,
                                          const apart_robot_motion_options *options, apart_robot_gap *out);
/** The same along a segment. */
APART_API apart_status apart_robot_segment_motion(apart_robot_work *work, const apart_robot_segment *segment,
                                                  const apart_robot_motion_options *options, apart_robot_gap *out);
/** The positions at s of a segment. */
APART_API void apart_robot_segment_at(const apart_robot *robot, const apart_robot_segment *segment, double s,
                                      double *q);
/** The smallest distance along `count` segments, one after the other: less work than one by one, because a segment
 *  need only be looked at as far as it may be below what has been found. *segment gets the one of out->s. With a limit
 *  the search ends at the first segment that does not keep it. Leaves the work space at the positions of s. Statuses
 *  as apart_robot_segment_motion; APART_ERR_EMPTY. */
APART_API apart_status apart_robot_path_motion(apart_robot_work *work, const apart_robot_segment *segments,
                                               size_t count, const apart_robot_motion_options *options,
                                               apart_robot_gap *out, size_t *segment);
/** The least and the largest position of a variable along a segment, within 1e-9 of the way: cubic and quintic
 *  pieces go beyond their ends. */
APART_API void apart_robot_segment_range(const apart_robot_segment *segment, size_t variable, double *least,
                                         double *most);
/** An upper bound of how fast points of the pair's bodies move against each other within `half` of the middle of a
 *  segment, for a unit of s: what motions are certified with. */
APART_API double apart_robot_speed_bound(apart_robot_work *work, size_t pair, const apart_robot_segment *segment,
                                         double middle, double half);

/* ---- batches ---- */

/** The nearest pair for each of `count` rows of joint positions. The same bits for any number of threads (0: one).
 *  Allocates a work space for each thread. The first error in the order of rows is returned. */
APART_API apart_status apart_robot_nearest_batch(const apart_robot_cell *cell, const double *q, size_t count,
                                                 unsigned threads, apart_robot_near *out);
/** The motions between `count` pairs of rows: from row i of q0 to row i of q1. For a polyline pass the same array
 * twice, q and q + variable_count. The same bits for any number of threads. */
APART_API apart_status apart_robot_motion_batch(const apart_robot_cell *cell, const double *q0, const double *q1,
                                                size_t count, const apart_robot_motion_options *options,
                                                unsigned threads, apart_robot_gap *out);

/** The motions along `count` segments, each by itself. The same bits for any number of threads. */
APART_API apart_status apart_robot_segment_batch(const apart_robot_cell *cell, const apart_robot_segment *segments,
                                                 size_t count, const apart_robot_motion_options *options,
                                                 unsigned threads, apart_robot_gap *out);

/* ---- proposals: which pairs do not matter ---- */

/** What random positions say about a pair. */
typedef struct apart_robot_proposal {
    uint64_t samples;  /**< random positions */
    uint64_t overlaps; /**< how many of them with overlap */
    double least;      /**< smallest distance seen */
    double most;       /**< largest distance seen */
    double at_rest;    /**< distance at the resting positions */
    int proved;        /**< 1: the pair stays farther apart than `far` in every position within the limits */
} apart_robot_proposal;

/** Every pair at the resting positions and at `samples` random positions within the limits; out has one row for each
 *  pair. far > 0: pairs that were never seen nearer are proved to stay farther apart by branch and bound over the
 *  joints between them, where 2^14 boxes of positions suffice; 0: no proofs. */
APART_API apart_status apart_robot_propose(apart_robot_work *work, uint64_t samples, uint64_t seed, double far,
                                           apart_robot_proposal *out);

#ifdef __cplusplus
}
#endif
#endif
