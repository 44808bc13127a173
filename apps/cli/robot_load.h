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
    scene source;       /* owner of the shapes of a robot in JSON */
    scene obstacles;    /* of --scene */
    scene surroundings; /* of --cell: owner of attached shapes */
    apart_pose base;
    apart_robot_mesh *meshes;    /* of the obstacles */
    apart_part *points;          /* of --points */
    apart_robot_margin *margins; /* of --limits */
    size_t margin_count;
    char *limits; /* owner of the margins' names */
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

/* One robot from URDF, MJCF, xacro or JSON. `source` owns the shapes of JSON. */
int cli_robot_read(const cli_settings *settings, const char *path, scene *source, apart_robot **out);
/* --base and --cell: other robots and attached bodies become a part of the robot; bodies of --scene that move, too, on
 * joints that follow the clock (robot_cell.c). */
int cli_cell_combine(const cli_settings *settings, cli_cell *cell);
/* What a scene takes as a surface or solid. */
apart_robot_mesh cli_robot_mesh(const scene_solid *solid, const apart_pose *pose);
/* --points: an obstacle behind the others of the list, which has room for it (robot_points.c). */
int cli_cell_add_points(const cli_settings *settings, cli_cell *cell);
/* --limits (clearance_limits.c). */
int cli_cell_read_limits(const cli_settings *settings, cli_cell *cell);

/* A robot from JSON (docs/robots.md); its shapes live in `source`. */
int cli_robot_read_json(const char *path, scene *source, apart_robot **out);

const char *cli_pair_name(const cli_cell *cell, size_t pair, int side);

/* ---- joint positions (trajectory.c) ---- */

/* The variable of a cell that is the time: bodies that move by themselves follow it. */
#define CLI_CLOCK "time"

typedef struct trajectory {
    size_t count, width, room; /* waypoints, joint positions in each, waypoints that there is room for */
    double *q;                 /* count * width */
    double *t;                 /* the time of each waypoint, or its number */
    bool timed;
    double *v, *a; /* velocities and accelerations, like q; NULL: of no waypoint */
    int *degree;   /* of each waypoint: 1 positions, 3 velocities too, 5 accelerations too; NULL with v */
    double *rest;  /* where joints are that are not given */
    bool *given;   /* of each variable */
    bool chosen;   /* by --state or --fix */
    size_t clock;  /* the variable that is the time; APART_ROBOT_NONE: none */
    size_t beyond; /* positions outside the joints' limits */
} trajectory;

/* From --traj or --joints; without both the one waypoint 0. */
int trajectory_read(const cli_settings *settings, const char *command, const apart_robot *r, trajectory *out);
/* Before trajectory_parse: joints that are not given stand where --state and --fix say, or at rest. Free it also after
 * an error. */
int trajectory_begin(const cli_settings *settings, const apart_robot *r, trajectory *out);
/* "a=0.5,b=1; a=1": waypoints separated by ';'. `option` names it in messages. */
int trajectory_parse(const char *option, const char *text, const apart_robot *r, trajectory *out);
void trajectory_free(trajectory *t);
/* The motion from a waypoint to the next: a line, or a cubic or quintic piece where both have velocities. */
apart_robot_segment trajectory_segment(const trajectory *t, size_t waypoint);
/* Room for one more waypoint, at rest; NULL after a message. */
double *trajectory_add(trajectory *t);
/* Room for velocities and accelerations of all waypoints. */
int trajectory_add_rates(trajectory *t);
int trajectory_unknown_joint(const char *where, const char *name, const apart_robot *r);
/* A JointTrajectory in YAML or JSON (trajectory_points.c). *variables, of *count joints, is to be freed, also after an
 * error. */
int trajectory_read_points(const char *name, char *text, const apart_robot *r, trajectory *out, size_t **variables,
                           size_t *count);
const double *trajectory_at(const trajectory *t, size_t waypoint);

/* ---- recordings and figures (robot_record.c, figure.c) ---- */

/* The bodies of the cell, links before obstacles, and the robot. robot_file: NULL where there is none. */
int cli_cell_record(const cli_settings *settings, const char *robot_file, const cli_cell *cell, recording *r);
/* The cell at its current joint positions. */
int cli_cell_record_frame(const cli_cell *cell, recording *r, double t, const apart_robot_near *near, const char *label,
                          const char *const *names, const double *values, size_t value_count);

#endif
