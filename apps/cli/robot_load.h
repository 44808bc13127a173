/* What the commands about robots share: a robot from a URDF or JSON file among the obstacles of a scene, and joint
 * positions. */
#ifndef ROBOT_LOAD_H
#define ROBOT_LOAD_H

#include <apart/robot_io.h>
#include <robot/arm.h>

#include "recording.h"
#include "scene.h"

/* ---- the robot and its surroundings (robot_load.c, robot_json.c) ---- */

typedef struct cli_cell {
    apart_robot *robot;
    scene source;    /* owner of the shapes of a robot in JSON */
    scene obstacles; /* of --scene */
    apart_robot_obstacle *list;
    size_t count;
    apart_robot_cell *cell;
    apart_robot_work *work;
} cli_cell;

/* From ROBOT, --packages, --scene and --srdf; notes go to standard error. On CLI_BAD nothing needs to be freed. */
int cli_cell_load(const cli_settings *settings, const char *robot_file, cli_cell *out);
/* The robot alone, with what --srdf says about it. */
int cli_robot_load(const cli_settings *settings, const char *robot_file, cli_cell *out);
/* For a robot in memory, with obstacles that --scene replaces. Takes ownership of the robot, also on failure. */
int cli_cell_make(const cli_settings *settings, apart_robot *taken, const apart_robot_obstacle *own, size_t count,
                  cli_cell *out);
void cli_cell_free(cli_cell *cell);

/* A robot from JSON (docs/robots.md); its shapes live in `source`. */
int cli_robot_read_json(const char *path, scene *source, apart_robot **out);

const char *cli_pair_name(const cli_cell *cell, size_t pair, int side);

/* ---- joint positions (trajectory.c) ---- */

typedef struct trajectory {
    size_t count, width; /* waypoints, and joint positions in each */
    double *q;           /* count * width */
    double *t;           /* the time of each waypoint, or its number */
    bool timed;
    double *rest;          /* where joints are that are not given */
    const char *rest_from; /* what says so */
    size_t beyond;         /* positions outside the joints' limits */
} trajectory;

/* From --traj or --joints; without both the one waypoint 0. */
int trajectory_read(const cli_settings *settings, const char *command, const apart_robot *r, trajectory *out);
/* Before trajectory_parse: joints that are not given stand where --state and --fix say, or at rest. Free it also after
 * an error. */
int trajectory_begin(const cli_settings *settings, const apart_robot *r, trajectory *out);
/* "a=0.5,b=1; a=1": waypoints separated by ';'. `option` names it in messages. */
int trajectory_parse(const char *option, const char *text, const apart_robot *r, trajectory *out);
void trajectory_free(trajectory *t);
const double *trajectory_at(const trajectory *t, size_t waypoint);

/* ---- recordings and figures (robot_record.c, figure.c) ---- */

/* Bodies of the cell: links, then obstacles, in the order of the cell. */
int cli_cell_record_bodies(const cli_cell *cell, recording *r);
/* The cell at its current joint positions. */
int cli_cell_record_frame(const cli_cell *cell, recording *r, double t, const apart_robot_near *near, const char *label,
                          const char *const *names, const double *values, size_t value_count);

#endif
