/* Everything that is measured of some algorithms on one scene: times, counters, wrong answers; and its line of CSV. */
#ifndef LAB_COSTS_H
#define LAB_COSTS_H

#include "kit.h"

typedef struct lab_cost {
    lab_times times;
    lab_counts all, first, later; /* later: the tracked queries */
    uint64_t wrong, checked;
} lab_cost;

#define LAB_COST_HEADER                                                                                               \
    "algorithm,ns_per_query,ns_per_tracked_query,loops,support_calls,vertices_visited,edges_climbed,vertices_"        \
    "transformed,multiplications,"                                                                                    \
    "divisions,of_these_transforms,tracked_loops,tracked_edges_climbed,tracked_operations,share_at_loop_limit,wrong," \
    "checked"

/* The rows of an experiment over the number of vertices, and one of its panels: a line for each algorithm, of what
 * `value` takes from its costs. */
enum { LAB_MOST_COSTS = 5 };
typedef struct lab_cost_row {
    uint32_t n;
    lab_cost cost[LAB_MOST_COSTS];
} lab_cost_row;
typedef double lab_cost_value(const lab_cost *cost);
double lab_cost_microseconds(const lab_cost *cost); /* of all queries */
double lab_cost_operations(const lab_cost *cost);   /* likewise */
void lab_plot_costs(lab_plot *p, const lab_algorithm_id *ids, int algorithms, const lab_cost_row *rows, size_t count,
                    lab_cost_value *value);

/* Which algorithms are measured, and how. */
typedef struct lab_trial {
    const lab_algorithm_id *ids;
    size_t count;
    bool tracked;
    double seconds; /* of measuring times, an algorithm */
    uint32_t most;  /* answers that are checked, at most */
} lab_trial;

/* Measures and checks the trial's algorithms on a world, one cost for each. */
void lab_costs(lab_section *s, const lab_world *world, const lab_trial *trial, lab_cost *costs);

/* A line for each algorithm: the columns that the format writes, which ends with a comma, and those of
 * LAB_COST_HEADER. */
void lab_costs_csv(FILE *csv, const lab_trial *trial, const lab_cost *costs, const char *format, ...) LAB_PRINTF(4, 5);

/* One scene for each number of vertices; NAME.csv has all costs. */
void lab_costs_over_sizes(lab_section *s, const char *name, const lab_scene *scene, const lab_trial *trial,
                          const uint32_t *sizes, size_t count, lab_cost_row *rows);

#endif
