/* Planning problems by the program's own reader. */
#include "plan_problems.h"

#include <cli/path.h>

typedef struct user {
    void (*use)(const bench_problem *problem, void *context);
    void *context;
} user;

static int hand_on(const path_problem *p, void *context)
{
    const user *u = context;
    const bench_problem problem = {p->name,       p->cell,      p->start,         p->goals,
                                   p->goal_count, p->variables, p->variable_count};
    u->use(&problem, u->context);
    return CLI_YES;
}

int bench_each_problem(const char *file, const apart_robot *robot,
                       void (*use)(const bench_problem *problem, void *context), void *context)
{
    const cli_settings settings = {.problems = file};
    user u = {use, context};
    return path_each_problem(&settings, robot, hand_on, &u) == CLI_YES ? 0 : 1;
}
