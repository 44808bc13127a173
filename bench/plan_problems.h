/* The planning problems of a file, one after the other, for the benchmark W13. */
#ifndef BENCH_PLAN_PROBLEMS_H
#define BENCH_PLAN_PROBLEMS_H

#include <apart/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_problem {
    const char *name;
    const apart_robot_cell *cell;
    const double *start, *goals; /* goals: rows */
    size_t goal_count;
    const size_t *variables; /* those that move */
    size_t variable_count;
} bench_problem;

/* Calls `use` for every problem; 0: the file was read. */
int bench_each_problem(const char *file, const apart_robot *robot,
                       void (*use)(const bench_problem *problem, void *context), void *context);

#ifdef __cplusplus
}
#endif
#endif
