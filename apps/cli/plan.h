/* What the files of `apart plan` share: a task, its plans, and their clearances and times. */
#ifndef PLAN_H
#define PLAN_H

#include "robot_load.h"

/* A plan and its certified clearance. */
typedef struct plan_motion {
    robot_plan plan;
    double lower, upper; /* of the smallest distance, at every step and between them */
    double t;            /* when it is at most `upper` */
    size_t pair;
} plan_motion;

/* The time of one algorithm, in seconds. */
typedef struct plan_profile {
    const char *name, *description;
    double total, distances;
    uint64_t queries;
    size_t steps;
} plan_profile;

enum { PLAN_ORIGINAL, PLAN_ENHANCED, PLAN_ALGORITHMS };

typedef struct plan_run {
    const cli_settings *settings;
    robot_arm arm; /* of the built-in scene */
    cli_cell cell;
    trajectory start;
    apart_vec3 *path; /* owned */
    robot_task task;
    plan_motion pushed, plain; /* with the push, and with k = 0 */
    plan_profile profiles[PLAN_ALGORITHMS];
    double difference; /* of joint positions between the two algorithms */
    size_t beyond;     /* a joint that leaves its limits, or APART_ROBOT_NONE */
    double beyond_t;
} plan_run;

/* apart plan --to and --problems (path_plan.c). */
int plan_run_path(const cli_settings *settings);

bool plan_is_good(const plan_run *run);

void plan_print_text(const plan_run *run);
int plan_print_json(const plan_run *run);
void plan_print_csv(const plan_run *run, FILE *stream);

/* All files into the directory. */
/* Refuses a recording that is one of the files that go into the directory. Both may be NULL. */
int plan_check_files(const char *directory, const char *record);
int plan_write_files(plan_run *run, const char *directory);
int plan_write_recording(plan_run *run, const char *path);
/* The frames of the motion in one picture. */
int plan_write_frames(plan_run *run, FILE *stream);

#endif
