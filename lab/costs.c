/* Times, counters and checked answers of one scene. */
#include "costs.h"

#include <inttypes.h>

void lab_costs(lab_section *s, const lab_world *world, const lab_algorithm_id *ids, size_t count, bool tracked, double seconds,
               uint32_t most, lab_cost *costs)
{
    uint64_t wrong[LAB_ALGORITHM_COUNT] = {0};
    lab_times times[LAB_ALGORITHM_COUNT];
    const uint64_t before = s->answers.compared;
    lab_check_world(s, world, ids, count, tracked, most, wrong);
    lab_measure(world, ids, count, tracked, seconds, times);
    for (size_t i = 0; i < count; i++) {
        lab_tally first, later;
        lab_count(s, world, ids[i], tracked, &first, &later);
        costs[i] = (lab_cost){.times = times[i],
                              .first = lab_counts_of(&first),
                              .later = lab_counts_of(&later),
                              .wrong = wrong[i],
                              .checked = (s->answers.compared - before) / count};
        lab_tally_add(&first, &later);
        costs[i].all = lab_counts_of(&first);
    }
}

double lab_cost_microseconds(const lab_cost *cost) { return cost->times.all / 1e3; }

double lab_cost_operations(const lab_cost *cost) { return lab_operations_of(&cost->all); }

void lab_plot_costs(lab_plot *p, const lab_algorithm_id *ids, int algorithms, const lab_cost_row *rows, size_t count, lab_cost_value *value)
{
    for (int i = 0; i < algorithms; i++) {
        lab_plot_algorithm(p, ids[i], lab_algorithms[ids[i]].label);
        for (size_t k = 0; k < count; k++) {
            lab_plot_point(p, rows[k].n, value(&rows[k].cost[i]));
        }
    }
}

void lab_cost_csv(FILE *csv, lab_algorithm_id id, const lab_cost *c)
{
    fprintf(csv, "%s,%.2f,%.2f,%.4f,%.4f,%.3f,%.4f,%.4f,%.3f,%.4f,%.3f,%.4f,%.4f,%.3f,%.5f,%" PRIu64 ",%" PRIu64 "\n",
            lab_algorithms[id].name, c->times.all, c->times.later, c->all.loops, c->all.support_calls, c->all.visited, c->all.edges,
            c->all.transformed, c->all.multiplications, c->all.divisions, c->all.transforms, c->later.loops, c->later.edges,
            lab_operations_of(&c->later), c->all.limits, c->wrong, c->checked);
}
