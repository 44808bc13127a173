/* What the files of `apart plan --to`, `--problems` and `apart verify-plan` share: planning problems and their answers. */
#ifndef PATH_H
#define PATH_H

#include <apart/plan.h>

#include "robot_load.h"

/* A problem in a cell. */
typedef struct path_problem {
    const char *name;
    const apart_robot_cell *cell;
    double *start, *goals; /* owned; goals: rows */
    size_t goal_count;
    size_t *variables; /* owned */
    size_t variable_count;
    double seconds; /* the time that the planner may take; 0: as long as it wants */
    double limit;
} path_problem;

void path_problem_free(path_problem *p);

/* A problem and its answer. */
typedef struct path_answer {
    const cli_settings *settings;
    const path_problem *problem;
    apart_plan plan;
    double seconds; /* that it took */
} path_answer;

/* Plans. */
int path_solve(const cli_settings *settings, const path_problem *problem, path_answer *out);
/* Only a path that was found is a good answer. */
bool path_is_good(const path_answer *a);

/* ---- tasks (path_goal.c) ---- */

/* Start, group and goals of --joints, --group and --to. `base`: of the robot in the world. CLI_NO: no
 * positions reach the goal's pose. */
int path_read_task(const cli_settings *settings, const apart_robot *r, const apart_pose *base, path_problem *out);

/* ---- problem files (path_problems.c) ---- */

typedef struct path_file {
    scene_text text;
    json_t *root;
    const apart_robot *robot;
} path_file;

/* Calls `use` for every problem whose name has `only` in it (NULL: all), each in a cell of its own. Returns the largest
 * of its values, or CLI_BAD. */
int path_each_problem(const cli_settings *settings, const apart_robot *robot,
                      int (*use)(const path_problem *problem, void *context), void *context);

/* ---- answers (path_print.c) ---- */

void path_print_text(const path_answer *a);
/* One line for a table. */
void path_print_row(const path_answer *a);
void path_print_csv(const path_answer *a, FILE *stream);
/* The certificate: all there is to know of the answer. */
json_t *path_json(const path_answer *a);
/* path.csv and certificate.json into a directory, or NAME.csv and NAME.json. */
int path_write_files(const path_answer *a, const char *directory, const char *name);

#endif
