/* Words for the enumerations: the same in C, on the command line and in files. */
#include <apart/distance.h>

static const char *pick(const char *const *names, int count, int value)
{
    return value >= 0 && value < count ? names[value] : "?";
}

const char *apart_relation_name(int relation)
{
    static const char *const names[] = {"disjoint", "touching", "overlapping", "beyond"};
    return pick(names, 4, relation);
}

const char *apart_stop_name(int stop)
{
    static const char *const names[] = {"converged", "rounding", "iterations", "cutoff", "workspace"};
    return pick(names, 5, stop);
}

const char *apart_solver_name(int solver)
{
    static const char *const names[] = {"default", "johnson", "voronoi", "geometric", "least-squares", "volumes"};
    return pick(names, APART_SOLVER_COUNT, solver);
}

const char *apart_support_name(int support)
{
    static const char *const names[] = {"auto", "scan", "climb", "table"};
    return pick(names, APART_SUPPORT_COUNT, support);
}

const char *apart_feature_name(int kind)
{
    static const char *const names[] = {"vertex", "edge", "face", "curved", "interior"};
    return pick(names, 5, kind);
}
