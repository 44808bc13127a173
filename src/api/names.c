/* The names of enumeration values, which are the same in C, on the command line and in files. */
#include <apart/distance.h>

/* The name of a value, or "?" if it has none. */
static const char *name_of(const char *const *names, int count, int value)
{
    return value >= 0 && value < count ? names[value] : "?";
}

const char *apart_relation_name(int relation)
{
    static const char *const names[] = {"disjoint", "touching", "overlapping", "beyond"};
    return name_of(names, 4, relation);
}

const char *apart_stop_name(int stop)
{
    static const char *const names[] = {"converged", "rounding", "iterations", "cutoff", "workspace"};
    return name_of(names, 5, stop);
}

const char *apart_solver_name(int solver)
{
    static const char *const names[] = {"default", "johnson", "voronoi", "geometric", "least-squares", "volumes"};
    return name_of(names, APART_SOLVER_COUNT, solver);
}

const char *apart_support_name(int support)
{
    static const char *const names[] = {"auto", "scan", "climb", "table"};
    return name_of(names, APART_SUPPORT_COUNT, support);
}

const char *apart_feature_name(int kind)
{
    static const char *const names[] = {"vertex", "edge", "face", "curved", "interior"};
    return name_of(names, 5, kind);
}
