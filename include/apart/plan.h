/** @file
 * apart/plan.h: motions of a robot among obstacles from one position to another, every piece of them proved.
 *
 *     const apart_plan_task task = {.start = start, .goals = goal, .goal_count = 1, .limit = 0.01};
 *     apart_plan plan;
 *     apart_plan_make(cell, &task, NULL, &plan);                     // cell: apart/robot.h
 *     if (plan.outcome == APART_PLAN_FOUND)
 *         use(plan.q, plan.count);                                   // waypoints; between them joints move evenly
 *     apart_plan_free(&plan);
 *
 * RRT-Connect (Kuffner and LaValle 2000), whose every edge is a certified motion (apart_robot_motion with a limit): not
 * samples of it but all of it keeps the limit. The path found is shortened by shortcuts that are certified too, and each
 * of its edges gets bounds of the smallest distance and the pair that has it. The same task, seed and options give the
 * same bits on every machine and for any number of threads.
 * Read next: docs/planning.md, apart/robot.h.
 */
#ifndef APART_PLAN_H
#define APART_PLAN_H

#include "robot.h"
#include "verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is wanted. Positions are rows of one number for each variable of the robot. */
typedef struct apart_plan_task {
    const double *start; /**< where the motion begins */
    const double *goals; /**< goal_count rows; reaching any of them is enough */
    size_t goal_count;   /**< at least 1 */
    const size_t
        *variables;        /**< those that may move, ascending; goals differ from the start in these alone. NULL: all */
    size_t variable_count; /**< of variables */
    double limit;          /**< every pair keeps at least this distance, its margin added, all the way */
} apart_plan_task;

/** How far a planner has come. */
typedef struct apart_plan_progress {
    uint64_t samples; /**< random positions so far */
    uint64_t edges;   /**< edges that were looked at */
    size_t nodes;     /**< positions in both trees */
    int shortening;   /**< 1: a path is found and is being shortened */
} apart_plan_progress;

/** How to plan. All bytes zero: the defaults. */
typedef struct apart_plan_options {
    uint64_t seed;    /**< another one: another path */
    unsigned threads; /**< 0: one. The result is the same for any number */
    double step;      /**< the longest edge of the trees, as a distance of positions; 0: a share of their range */
    double tolerance; /**< edges keep limit + tolerance, certificates say limit or more; 0: 1e-5 of the robot's reach */
    uint64_t most_samples; /**< gives up after so many random positions; 0: 1e6 */
    uint64_t shortcuts;    /**< tries in a row without success that end the shortening; 0: 60 */
    int keep_path;         /**< 1: the path as it was found, not shortened */
    int (*go_on)(const apart_plan_progress *progress, void *user); /**< NULL, or called now and then, in the calling
                                                                    *   thread; 0: stop. A path that has been found is
                                                                    *   then returned less shortened */
    void *user;                                                    /**< passed to go_on */
    apart_allocator allocator;                                     /**< of the trees and of the plan */
} apart_plan_options;

/** How a planner ended. */
typedef enum apart_plan_outcome {
    APART_PLAN_FOUND = 0,        /**< a path, proved */
    APART_PLAN_GAVE_UP = 1,      /**< most_samples random positions did not suffice; there may be a path */
    APART_PLAN_STOPPED = 2,      /**< go_on returned 0 before a path was found */
    APART_PLAN_START_LIMITS = 3, /**< `variable` of the start is outside its limits */
    APART_PLAN_START_NEAR = 4,   /**< the start does not keep the limit: `pair` is nearer */
    APART_PLAN_GOAL_LIMITS = 5,  /**< `variable` of every goal is outside its limits (that of the first one is told) */
    APART_PLAN_GOAL_NEAR = 6     /**< no goal within the limits keeps the limit (the pair of the first one is told) */
} apart_plan_outcome;

/** What is proved of the motion between two waypoints. */
typedef struct apart_plan_edge {
    double lower; /**< no pair comes nearer than this, its margin taken off; at least the task's limit */
    double upper; /**< the distance of `pair` at s, less its margin, is at most this */
    double s;     /**< where, from 0 to 1 */
    size_t pair;  /**< the nearest one */
} apart_plan_edge;

/** A path, or why there is none. Free it with apart_plan_free. */
typedef struct apart_plan {
    int outcome;               /**< apart_plan_outcome */
    size_t count;              /**< waypoints, at least 2; 0 without a path */
    size_t width;              /**< numbers in a row: the robot's variables */
    double *q;                 /**< count rows: the start, ..., a goal */
    apart_plan_edge *edges;    /**< count - 1 */
    size_t goal;               /**< which one was reached, or refused */
    size_t variable;           /**< of an end outside the limits */
    size_t pair;               /**< of an end that is too near */
    double distance;           /**< an upper bound of that pair's distance there, less its margin */
    double length;             /**< of the path: the sum of Euclidean distances of waypoints */
    double found_length;       /**< the same before shortening */
    apart_plan_progress work;  /**< what it took */
    apart_allocator allocator; /**< that made it */
} apart_plan;

/** Plans. options may be NULL. Whole turns of joints without limits do not matter: of the goals' equal positions the
 *  one nearest to the start is taken. Whatever the outcome, APART_OK; else APART_ERR_NULL, APART_ERR_NONFINITE,
 *  APART_ERR_OPTION, APART_ERR_ID (a variable), APART_ERR_MEMORY, or a status of a query. */
APART_API apart_status apart_plan_make(const apart_robot_cell *cell, const apart_plan_task *task,
                                       const apart_plan_options *options, apart_plan *out);
/** Frees what apart_plan_make returned; all bytes zero afterwards. */
APART_API void apart_plan_free(apart_plan *plan);
/** "found", "gave up", ...; static storage. */
APART_API const char *apart_plan_outcome_name(int outcome);

/* ---- checking ---- */

/** What a check of a path found. */
typedef struct apart_plan_proof {
    uint8_t verdict;    /**< apart_verdict (apart/verify.h) */
    const char *reason; /**< static text; empty if proved */
    size_t edge;        /**< which one is refuted or undecided; count - 1 for what concerns no edge */
    size_t pair;        /**< of it, or APART_ROBOT_NONE */
    size_t variable;    /**< of a position outside the limits, or APART_ROBOT_NONE */
    double s;           /**< where, from 0 to 1 */
    double distance;    /**< what the check itself knows of the pair's distance there: at most (refuted) or at least
                          *   (undecided) this, the margin taken off */
    uint64_t intervals; /**< pairs times intervals that were looked at */
} apart_plan_proof;

/** Checks what is claimed of a path: `count` rows of positions, and for each edge that no pair comes nearer than
 *  edges[i].lower, which is at least `limit`, that the pair named comes as near as edges[i].upper at edges[i].s, and that
 *  all positions are within the joints' limits. The check shares nothing with the planner and certified motions: its own
 *  kinematics, its own sines, a bound of motions that follows from the lengths of the chain alone, and distances that
 *  apart_verify proves. Only which pairs count, and their margins, are taken from the cell. A path whose claims hold with
 *  no room at all may stay undecided. most_intervals 0: 1e7 for each edge. APART_ERR_NULL, APART_ERR_NONFINITE,
 *  APART_ERR_SIZE (count below 2), APART_ERR_MEMORY, or a status of a query. Cost: seconds. */
APART_API apart_status apart_plan_verify(const apart_robot_cell *cell, const double *q, size_t count,
                                         const apart_plan_edge *edges, double limit, uint64_t most_intervals,
                                         apart_plan_proof *out);

/* ---- inverse kinematics ---- */

/** Where a tool shall be. */
typedef struct apart_plan_pose {
    size_t link;       /**< that carries the tool */
    apart_vec3 point;  /**< the tool's point, in the link's frame */
    apart_pose pose;   /**< of the tool in the frame of the root link: its point, and the link's axes */
    int position_only; /**< 1: the point alone; the axes do not matter */
} apart_plan_pose;

/** How to look for positions. All bytes zero: the defaults. */
typedef struct apart_plan_inverse_options {
    const size_t *variables;   /**< that may move, ascending; NULL: all */
    size_t variable_count;     /**< of variables */
    uint64_t seed;             /**< of the random positions that follow the start */
    uint64_t tries;            /**< positions to begin from; 0: 100 */
    apart_allocator allocator; /**< of what is needed meanwhile */
} apart_plan_inverse_options;

/** What was found. */
typedef struct apart_plan_inverse_result {
    size_t count;         /**< solutions */
    uint64_t tries;       /**< positions that were begun from */
    double away;          /**< of the best one: distance as a share of the reach, or of the axes, whichever is larger */
    double away_distance; /**< of the best one: how far the point stays from where it shall be */
} apart_plan_inverse_result;

/** Joint positions within the limits that bring a tool to a pose: at most `room` rows of all variables, the first from
 *  the start if that leads to one. Those that do not move stay as in the start. They are within 1e-10 of the reach;
 *  none being found is no proof that there is none. options may be NULL. The same bits on every machine.
 *  APART_ERR_NULL, APART_ERR_ID (the link), APART_ERR_MEMORY, or the status of a pose. */
APART_API apart_status apart_plan_inverse(const apart_robot *robot, const apart_plan_pose *wanted, const double *start,
                                          const apart_plan_inverse_options *options, double *solutions, size_t room,
                                          apart_plan_inverse_result *out);

#ifdef __cplusplus
}
#endif
#endif
