/* The redundant arm of the papers: a point of a robot follows a path while its links keep away from each other and from
 * obstacles. On top of apart/robot.h. Read next: docs/robots.md; plan.c, arm.c. */
#ifndef ROBOT_ARM_H
#define ROBOT_ARM_H

#include <stdbool.h>

#include <apart/apart.h>

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
    double *push; /* count * width: the push k (I - J+ J) grad H of the step that ended there, before it is shortened */
    double *distances;         /* count * pair_count */
    apart_vec3 *tool, *wanted; /* where the point is, and where it should be */
    double worst_error, most_damping;
    bool followed;      /* the path was followed to its end */
    uint64_t shortened; /* steps whose push was shortened, since all of it would have overshot */
    uint64_t queries;
    double seconds, distance_seconds; /* all, and the part of the distances */
} robot_plan;

/* APART_ERR_OPTION: a number of the task is out of range. */
apart_status robot_plan_make(apart_robot_work *work, const robot_task *task, robot_plan *out);
void robot_plan_free(robot_plan *plan);

/* The scene of the paper (item G9): an arm of four rotary joints and two pyramids. The pyramids' hulls belong to the
 * robot, their parts to this, which stays where it is. */
typedef struct robot_arm {
    apart_robot *robot;
    apart_robot_obstacle obstacles[2];
    apart_part parts[2]; /* of the obstacles */
    double start[4];
    apart_vec3 path[3];
    size_t link;
    apart_vec3 point;
} robot_arm;

apart_status robot_arm_make(robot_arm *out);

#endif
