/* Times, counters and checked answers of one scene. */
#include "costs.h"

#include <inttypes.h>
#include <stdarg.h>

void lab_costs(lab_section *s, const lab_world *world, const lab_trial *trial, lab_cost *costs)
{
    const lab_algorithm_id *ids = trial->ids;
    const size_t count = trial->count;
    uint64_t wrong[LAB_ALGORITHM_COUNT] = {0};
    lab_times times[LAB_ALGORITHM_COUNT];
    const uint64_t before = s->answers.compared;
    lab_check_world(s, world, ids, count, trial->tracked, trial->most, wrong);
    lab_measure(world, ids, count, trial->tracked, trial->seconds, times);
    for (size_t i = 0; i < count; i++) {
        lab_tally first, later;
        lab_count(s, world, ids[i], trial->tracked, &first, &later);
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

void lab_plot_costs(lab_plot *p, const lab_algorithm_id *ids, int algorithms, const lab_cost_row *rows, size_t count,
                    lab_cost_value *value)
{
    for (int i = 0; i < algorithms; i++) {
        lab_plot_algorithm(p, ids[i], lab_algorithms[ids[i]].label);
        for (size_t k = 0; k < count; k++) {
            lab_plot_point(p, rows[k].n, value(&rows[k].cost[i]));
        }
    }
}

static void write_cost(FILE *csv, lab_algorithm_id id, const lab_cost *c)
{
    fprintf(csv, "%s,%.2f,%.2f,%.4f,%.4f,%.3f,%.4f,%.4f,%.3f,%.4f,%.3f,%.4f,%.4f,%.3f,%.5f,%" PRIu64 ",%" PRIu64 "\n",
            lab_algorithms[id].name, c->times.all, c->times.later, c->all.loops, c->all.support_calls, c->all.visited,
            c->all.edges, c->all.transformed, c->all.multiplications, c->all.divisions, c->all.transforms,
            c->later.loops, c->later.edges, lab_operations_of(&c->later), c->all.limits, c->wrong, c->checked);
}

void lab_costs_csv(FILE *csv, const lab_trial *trial, const lab_cost *costs, const char *format, ...)
{
    for (size_t i = 0; i < trial->count; i++) {
        va_list list;
        va_start(list, format);
        vfprintf(csv, format, list);
        va_end(list);
        write_cost(csv, trial->ids[i], &costs[i]);
    }
}

void lab_costs_over_sizes(lab_section *s, const char *name, const lab_scene *scene, const lab_trial *trial,
                          const uint32_t *sizes, size_t count, lab_cost_row *rows)
{
    FILE *csv = lab_csv_open(s, name, "vertices," LAB_COST_HEADER);
    for (size_t k = 0; k < count; k++) {
        lab_scene sized = *scene;
        lab_world world;
        sized.n_a = sized.n_b = rows[k].n = sizes[k];
        lab_world_build(&world, &sized);
        lab_costs(s, &world, trial, rows[k].cost);
        lab_costs_csv(csv, trial, rows[k].cost, "%u,", sizes[k]);
        lab_world_free(&world);
        lab_progress(s, (double)(k + 1) / (double)count);
    }
    lab_csv_close(csv);
}
