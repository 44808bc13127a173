/* Cameron 1997, Fig. 4 and the operation counts of section 4 (items C3, C5, C8): tracked queries, sequences of 20, constant translation. */
#include <math.h>

#include "../costs.h"
#include "../experiments.h"

static const lab_algorithm_id ids[] = {LAB_PRINTED_SCAN, LAB_PRINTED_CLIMB, LAB_JOHNSON_SCAN, LAB_JOHNSON_CLIMB, LAB_OURS};
enum { COUNT = sizeof ids / sizeof ids[0], SCAN = 0, CLIMB = 1, JOHNSON_CLIMB = 3, OURS = 4, MOST_SIZES = 16 };

static const uint32_t full_sizes[] = {8, 10, 20, 50, 100, 200, 300, 400, 500, 1000, 2000, 5000};
static const uint32_t quick_sizes[] = {8, 10, 20, 100, 500};

typedef struct row {
    uint32_t n;
    lab_cost cost[COUNT];
} row;

static void draw(lab_section *s, const row *rows, size_t count)
{
    lab_plot p;
    lab_plot_begin(&p, "tracked",
                   "Tracked queries along sequences of 20 positions. Time is the average over all 20, the first, cold one included, as in "
                   "the paper's Fig. 4; operations are those of the 19 tracked ones. The grey band of the right panel is the paper's claim "
                   "of 93 to 135 operations.",
                   2, 1, 1160, 480);
    lab_plot_panel(&p, "Time per query", "vertices of each hull", "time [µs]", "set logscale xy\nset xrange [6:7000]\nset yrange [0.1:50]");
    for (int i = 0; i < COUNT; i++) {
        lab_plot_algorithm(&p, ids[i], lab_algorithms[ids[i]].label);
        for (size_t k = 0; k < count; k++) {
            lab_plot_point(&p, rows[k].n, rows[k].cost[i].times.all / 1e3);
        }
    }
    lab_plot_panel(&p, "Counted operations per tracked query", "vertices of each hull", "multiplications and divisions",
                   "set logscale xy\nset xrange [6:7000]\nset yrange [50:1e5]\nset format y '10^{%L}'");
    lab_plot_series(&p, "using 1:2:3 with filledcurves lc rgb '#e4e4e4'", "claimed: 93 to 135");
    lab_plot_point3(&p, 6, 93, 135);
    lab_plot_point3(&p, 7000, 93, 135);
    for (int i = 0; i < COUNT; i++) {
        lab_plot_algorithm(&p, ids[i], lab_algorithms[ids[i]].label);
        for (size_t k = 0; k < count; k++) {
            lab_plot_point(&p, rows[k].n, lab_operations_of(&rows[k].cost[i].later));
        }
    }
    lab_plot_end(s, &p);
}

static void tabulate(lab_section *s, const row *rows, size_t count)
{
    lab_table t;
    lab_table_init(&t, "Tracked queries (the 19 after the first of each sequence)",
                   "vertices|printed, scan: operations|printed, climbing: operations|transforms beside them|loops|edges climbed|ns|ns an "
                   "operation|apart, johnson + climbing: operations|loops|edges climbed|apart: ns|loops");
    for (size_t k = 0; k < count; k++) {
        const lab_cost *c = rows[k].cost;
        lab_table_row(&t, "%u|%.0f|%.1f|%.0f|%.3f|%.2f|%.0f|%.2f|%.0f|%.3f|%.2f|%.0f|%.3f", rows[k].n, lab_operations_of(&c[SCAN].later),
                      lab_operations_of(&c[CLIMB].later), c[CLIMB].later.transforms, c[CLIMB].later.loops, c[CLIMB].later.edges,
                      c[CLIMB].times.later, c[CLIMB].times.later / lab_operations_of(&c[CLIMB].later),
                      lab_operations_of(&c[JOHNSON_CLIMB].later), c[JOHNSON_CLIMB].later.loops, c[JOHNSON_CLIMB].later.edges,
                      c[OURS].times.later, c[OURS].later.loops);
    }
    lab_show_table(s, &t);
}

/* The least and the largest number of something over sizes from `low` to `high`. */
typedef double measure_fn(const lab_cost *cost);

static double operations(const lab_cost *c) { return lab_operations_of(&c->later); }
static double loops(const lab_cost *c) { return c->later.loops; }
static double edges(const lab_cost *c) { return c->later.edges; }
static double time_all(const lab_cost *c) { return c->times.all; }
static double time_later(const lab_cost *c) { return c->times.later; }

static void range(const row *rows, size_t count, uint32_t low, uint32_t high, int algorithm, measure_fn *measure, double out[2])
{
    out[0] = INFINITY;
    out[1] = 0.0;
    for (size_t k = 0; k < count; k++) {
        if (rows[k].n >= low && rows[k].n <= high) {
            out[0] = fmin(out[0], measure(&rows[k].cost[algorithm]));
            out[1] = fmax(out[1], measure(&rows[k].cost[algorithm]));
        }
    }
}

static void judge_counts(lab_section *s, const row *rows, size_t count)
{
    double small[2], flat[2], l[2], e[2], library[2], library_edges[2];
    range(rows, count, 8, 20, CLIMB, operations, small);
    range(rows, count, 10, 500, CLIMB, operations, flat);
    range(rows, count, 8, 500, CLIMB, loops, l);
    range(rows, count, 8, 500, CLIMB, edges, e);
    range(rows, count, 10, 500, JOHNSON_CLIMB, operations, library);
    range(rows, count, 8, 500, JOHNSON_CLIMB, edges, library_edges);
    lab_must(s, small[0] >= 70 && small[1] <= 140,
             "between 70 and 140 operations a tracked query for johnson + climbing at 8-20 vertices: as printed %.1f to %.1f", small[0],
             small[1]);
    lab_claim(s, flat[0] >= 93 && flat[1] <= 135,
              "93-135 operations a tracked query: here %.0f to %.0f from 10 to 500 vertices. The lower end is below the theory's because "
              "most queries need one loop, and many end at a vertex or an edge; Cameron's own code counts 77-115 at 8-20 vertices",
              flat[0], flat[1]);
    lab_must(s, flat[1] <= 1.5 * flat[0], "tracked cost is flat from 10 to 500 vertices: operations grow by a factor of %.2f at most",
             flat[1] / flat[0]);
    lab_must(s, l[0] >= 1.0 && l[1] <= 2.0, "the loop runs once or twice when tracking: %.2f to %.2f times", l[0], l[1]);
    lab_must(s, e[1] <= 1.0, "0 or 1 edges are climbed a query: %.2f to %.2f (both bodies)", e[0], e[1]);
    lab_claim(s, library[1] <= 140,
              "the library's whole query with the same solver and search: %.0f to %.0f operations, because it checks the poses, proves its "
              "bounds and keeps error-free products beside the routine's own work",
              library[0], library[1]);
    lab_claim(s, library[1] <= 1.5 * library[0], "the same, flat from 10 to 500 vertices: a factor of %.2f; %.1f to %.1f edges climbed",
              library[1] / library[0], library_edges[0], library_edges[1]);
}

static void judge_growth(lab_section *s, const row *rows, size_t count)
{
    double times[2], later[2], ours[2], worst = 0, library = 0;
    for (size_t k = 0; k < count; k++) {
        const lab_counts *c = &rows[k].cost[SCAN].later, *j = &rows[k].cost[2].later;
        worst = fmax(worst, fabs(3.0 * c->visited / (0.5 * c->support_calls) / (6.0 * rows[k].n) - 1.0));
        library = fmax(library, fabs(j->visited / j->support_calls / rows[k].n - 1.0));
    }
    range(rows, count, 10, 500, CLIMB, time_all, times);
    range(rows, count, 10, 500, CLIMB, time_later, later);
    range(rows, count, 10, 500, OURS, time_all, ours);
    lab_must(s, worst < 1e-9, "without hill climbing a query costs 6n multiplications a loop: worst deviation %.1g (as printed)", worst);
    lab_claim(s, library < 0.01, "the library's scan looks at n vertices a search: worst deviation %.1g", library);
    lab_claim(s, times[1] <= 42.0 / 32.0 * 1.25 * times[0],
              "the time with hill climbing is very close to constant from 10 to 500 vertices, 32-42 µs then (a factor of 1.3): here %.3f "
              "to %.3f µs, a factor of %.2f, over all 20 queries of a sequence, and %.3f to %.3f µs, a factor of %.2f, over the 19 tracked "
              "ones: the first query's climb from an arbitrary vertex makes the difference",
              times[0] / 1e3, times[1] / 1e3, times[1] / times[0], later[0] / 1e3, later[1] / 1e3, later[1] / later[0]);
    lab_claim(s, ours[1] <= 1.5 * ours[0], "apart's own time over the same range: %.3f to %.3f µs, a factor of %.2f", ours[0] / 1e3,
              ours[1] / 1e3, ours[1] / ours[0]);
    const lab_cost *c = rows[2].cost;
    const double scan_ns = rows[count - 1].cost[SCAN].times.later / operations(&rows[count - 1].cost[SCAN]),
                 climb_ns = c[CLIMB].times.later / operations(&c[CLIMB]);
    lab_claim(s, climb_ns > scan_ns,
              "time per counted operation, 160 ns for scans and 250-300 ns for climbing then (section 6): here %.2f ns and %.2f ns, a "
              "ratio of %.1f (1.6-1.9 then)",
              scan_ns, climb_ns, climb_ns / scan_ns);
}

/* How far the counts depend on what the paper leaves open: distance and step. */
static void vary(lab_section *s)
{
    static const double distances[] = {8, 4, 2.5}, steps[] = {0.05, 0.01};
    static const uint32_t counts[] = {8, 20, 100, 500};
    lab_table t;
    FILE *csv = lab_csv_open(s, "tracked-varied", "centres,step,vertices,tracked_operations,loops,edges_climbed");
    lab_table_init(&t, "Operations of a tracked query as printed, with hill climbing, over distance and step [radii]",
                   "centres, step|8 vertices|20|100|500|loops at 500|edges climbed at 500");
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < 2; k++) {
            double o[4];
            lab_counts c = {0};
            for (int i = 0; i < 4; i++) {
                const lab_scene scene = {.kind = LAB_HULLS,
                                         .n_a = counts[i],
                                         .n_b = counts[i],
                                         .pairs = lab_size(s, 100, 20),
                                         .steps = 20,
                                         .distance = distances[d],
                                         .step = steps[k],
                                         .seed = s->settings->seed};
                lab_world world;
                lab_tally first, later;
                lab_world_build(&world, &scene);
                lab_count(s, &world, LAB_PRINTED_CLIMB, true, &first, &later);
                c = lab_counts_of(&later);
                o[i] = lab_operations_of(&c);
                fprintf(csv, "%g,%g,%u,%.3f,%.4f,%.4f\n", distances[d], steps[k], counts[i], o[i], c.loops, c.edges);
                lab_world_free(&world);
            }
            lab_table_row(&t, "%g, %g|%.0f|%.0f|%.0f|%.0f|%.2f|%.2f", distances[d], steps[k], o[0], o[1], o[2], o[3], c.loops, c.edges);
        }
    }
    lab_csv_close(csv);
    lab_show_table(s, &t);
    lab_words(s, "Far bodies are closest at vertices, whose simplex is one point; near ones at edges and faces, whose simplex has two or "
                 "three and costs more. A longer step moves the closest feature more often.");
}

static void run(lab_section *s)
{
    const uint32_t *sizes = s->settings->quick ? quick_sizes : full_sizes;
    const size_t count = s->settings->quick ? sizeof quick_sizes / sizeof *sizes : sizeof full_sizes / sizeof *sizes;
    static row rows[MOST_SIZES];
    lab_paper(s, "The same with tracking, sequences of 20 with constant translation: the first query from scratch, then 19 that start from "
                 "the last simplex. Without hill climbing the time is linear, 6n operations a loop, and shows that the loop runs about "
                 "once; with it the time is almost constant, 32-42 µs from 10 to 500 vertices. The theory expects 93-135 multiplications "
                 "and divisions a tracked query.");
    lab_here(s,
             "%u pairs, centres 2.5 radii apart in the middle of the way, 0.01 a step along a fixed direction, no turn: the paper does not "
             "give its parameters, so a table below varies them. The operations of the routine as printed leave out the transforms of "
             "vertices and directions, which the paper takes as given; these are in a column of their own. Of the library's operations "
             "only its 9 a transformed vertex are left out.",
             lab_size(s, 100, 40));
    FILE *csv = lab_csv_open(s, "tracked", "vertices," LAB_COST_HEADER);
    for (size_t k = 0; k < count; k++) {
        const lab_scene scene = {.kind = LAB_HULLS,
                                 .n_a = sizes[k],
                                 .n_b = sizes[k],
                                 .pairs = lab_size(s, 100, 40),
                                 .steps = 20,
                                 .distance = 2.5,
                                 .step = 0.01,
                                 .seed = s->settings->seed};
        lab_world world;
        lab_world_build(&world, &scene);
        rows[k].n = sizes[k];
        lab_costs(s, &world, ids, COUNT, true, s->settings->quick ? 0.02 : 0.5, s->settings->quick ? 200 : 2000, rows[k].cost);
        for (int i = 0; i < COUNT; i++) {
            fprintf(csv, "%u,", sizes[k]);
            lab_cost_csv(csv, ids[i], &rows[k].cost[i]);
        }
        lab_world_free(&world);
        lab_progress(s, (double)(k + 1) / (double)count);
    }
    lab_csv_close(csv);
    draw(s, rows, count);
    tabulate(s, rows, count);
    vary(s);
    judge_counts(s, rows, count);
    judge_growth(s, rows, count);
    lab_conclude_answers(s);
}

const lab_experiment lab_tracked = {"tracked", "fig4", "Cameron 1997, Fig. 4 (C3, C5, C8)", "Tracked queries and their operations", run};
