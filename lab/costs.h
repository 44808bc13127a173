/* Everything that is measured of some algorithms on one scene: times, counters, wrong answers; and its line of CSV. */
#ifndef LAB_COSTS_H
#define LAB_COSTS_H

#include "kit.h"

typedef struct lab_cost {
    lab_times times;
    lab_counts all, first, later; /* later: the tracked queries */
    uint64_t wrong, checked;
} lab_cost;

#define LAB_COST_HEADER                                                                                                                    \
    "algorithm,ns_per_query,ns_per_tracked_query,loops,support_calls,vertices_visited,edges_climbed,vertices_transformed,multiplications," \
    "divisions,of_these_transforms,tracked_loops,tracked_edges_climbed,tracked_operations,share_at_loop_limit,wrong,checked"

/* Times take about `seconds` an algorithm; at most `most` answers are checked. */
void lab_costs(lab_section *s, const lab_world *world, const lab_algorithm_id *ids, size_t count, bool tracked, double seconds,
               uint32_t most, lab_cost *costs);
/* The columns of LAB_COST_HEADER and the end of the line. */
void lab_cost_csv(FILE *csv, lab_algorithm_id id, const lab_cost *cost);

#endif
