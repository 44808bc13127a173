/* Cameron 1997, Fig. 3 (item C8): the time of a query without tracking, with and without hill climbing, over the number
 * of vertices. */
#include <math.h>
#include <stdlib.h>

#include "../costs.h"
#include "../experiments.h"

static const lab_algorithm_id ids[] = {LAB_PRINTED_SCAN, LAB_PRINTED_CLIMB, LAB_JOHNSON_SCAN, LAB_JOHNSON_CLIMB,
                                       LAB_OURS};
enum { COUNT = sizeof ids / sizeof ids[0], SCAN = 0, CLIMB = 1, OURS = 4, MOST_SIZES = 16 };

static const uint32_t full_sizes[] = {10, 20, 50, 100, 200, 300, 400, 500, 1000, 2000, 5000, LAB_END};
static const uint32_t quick_sizes[] = {10, 50, 200, 500, 1000, LAB_END};

/* Fig. 3: hulls of up to 500 points on linear axes. */
static void draw_as_printed(lab_plot *p, const lab_cost_row *rows, size_t count)
{
    lab_plot_panel(p, "The axes of Fig. 3", "vertices of each hull", "time [µs]",
                   "set xrange [0:550]\nset yrange [0:*]\nset offsets 0, 0, graph 0.08, 0");
    while (count > 0 && rows[count - 1].n > 500) {
        count--;
    }
    lab_plot_costs(p, ids, CLIMB + 1, rows, count, lab_cost_microseconds);
    lab_plot_series(p, "using 1:2:3 with labels font ',10' offset 0,0.8 center", NULL);
    for (size_t k = 0; k < count; k++) {
        for (int i = SCAN; i <= CLIMB && rows[k].n >= 100; i++) {
            char *text = lab_format("%.0f", lab_operations_of(&rows[k].cost[i].all));
            lab_plot_label(p, rows[k].n - (i == SCAN ? 20 : 0), rows[k].cost[i].times.all / 1e3, text);
            free(text);
        }
    }
}

static void draw(lab_section *s, const lab_cost_row *rows, size_t count)
{
    lab_plot p;
    lab_plot_begin(
        &p, "cold",
        "Queries without tracking. Left: the axes of the paper's Fig. 3, the routine as printed; the numbers "
        "at the points are counted multiplications and divisions, as there; transforms are not in them. "
        "Middle and right: all algorithms, up to larger hulls, both axes logarithmic.",
        3, 1, 1400, 460);
    draw_as_printed(&p, rows, count);
    lab_plot_panel(&p, "Time per query", "vertices of each hull", "time [µs]", "set logscale xy");
    lab_plot_costs(&p, ids, COUNT, rows, count, lab_cost_microseconds);
    lab_plot_panel(&p, "Counted operations per query", "vertices of each hull", "multiplications and divisions",
                   "set logscale xy\nset format y '10^{%L}'");
    lab_plot_costs(&p, ids, COUNT, rows, count, lab_cost_operations);
    lab_plot_end(s, &p);
}

static void tabulate(lab_section *s, const lab_cost_row *rows, size_t count)
{
    lab_table t;
    lab_table_init(&t, "Cold queries",
                   "vertices|printed, scan: ns|operations|printed, climbing: ns|operations|loops|edges climbed|apart: "
                   "ns|loops|vertices transformed");
    for (size_t k = 0; k < count; k++) {
        const lab_cost *c = rows[k].cost;
        lab_table_row(&t, "%u|%.0f|%.0f|%.0f|%.0f|%.2f|%.1f|%.0f|%.2f|%.1f", rows[k].n, c[SCAN].times.all,
                      lab_operations_of(&c[SCAN].all), c[CLIMB].times.all, lab_operations_of(&c[CLIMB].all),
                      c[CLIMB].all.loops, c[CLIMB].all.edges, c[OURS].times.all, c[OURS].all.loops,
                      c[OURS].all.transformed);
    }
    lab_show_table(s, &t);
}

/* What the paper claims, and which numbers bear it out. */
enum { LOOPS, LINEAR, LINEAR_CLIMBING, PER_OPERATION };
static const lab_claim claims[] = {
    [LOOPS] = {"C3-cold",
               "Cameron §3",
               "the loop runs 3-6 times a query from scratch, also for hundreds of vertices",
               "3–6",
               "mean loops, 10–500 vertices",
               {3, 6},
               {2, 7}},
    [LINEAR] = {"C8-linear",
                "Cameron §4",
                "times are almost linear in the counted operations",
                "almost linear",
                "correlation over the sizes, without climbing",
                {0.99, 1},
                {0.95, 1}},
    [LINEAR_CLIMBING] = {"C8-linear-climbing",
                         "Cameron §4",
                         "the same with hill climbing",
                         "almost linear",
                         "correlation over the sizes, with climbing",
                         {0.99, 1},
                         {0.95, 1}},
    [PER_OPERATION] = {"C8-ns",
                       "Cameron §6",
                       "an operation takes longer with hill climbing",
                       "250–300 against 160 ns: 1.6–1.9",
                       "ratio of ns an operation",
                       {1.4, 2.2},
                       {1, 5}},
};

/* Correlation of time and operations over the sizes. */
static double correlation(const lab_cost_row *rows, size_t count, int algorithm)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t k = 0; k < count; k++) {
        const double o = lab_operations_of(&rows[k].cost[algorithm].all), t = rows[k].cost[algorithm].times.all;
        x += o, y += t, xx += o * o, yy += t * t, xy += o * t;
    }
    const double n = (double)count;
    return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

static void judge(lab_section *s, const lab_cost_row *rows, size_t count)
{
    double least = INFINITY, most = 0, worst_scan = 0, scan_ns = 0, climb_ns = 0;
    for (size_t k = 0; k < count; k++) {
        const lab_cost *c = rows[k].cost;
        if (rows[k].n <= 500) {
            least = fmin(least, c[CLIMB].all.loops);
            most = fmax(most, c[CLIMB].all.loops);
        }
        const double per_loop = 3.0 * c[SCAN].all.visited / (0.5 * c[SCAN].all.support_calls);
        worst_scan = fmax(worst_scan, fabs(per_loop / (6.0 * rows[k].n) - 1.0));
        scan_ns += c[SCAN].times.all / lab_operations_of(&c[SCAN].all) / (double)count;
        climb_ns += c[CLIMB].times.all / lab_operations_of(&c[CLIMB].all) / (double)count;
    }
    const lab_cost *last = rows[count - 1].cost;
    lab_judge(s, &claims[LOOPS], least, most,
              "%.1f to %.1f times from 10 to "
              "500 vertices and %.1f times at %u (as printed, from an arbitrary first vertex); apart starts along the "
              "centres and needs %.1f",
              least, most, last[CLIMB].all.loops, rows[count - 1].n, last[OURS].all.loops);
    lab_must(s, least >= 1.0 && most <= 10.0,
             "the average number of loops from scratch stays between 1 and 10: %.1f to %.1f", least, most);
    lab_must(s, worst_scan < 1e-9,
             "without hill climbing a search costs 6n multiplications a loop: worst deviation %.1g", worst_scan);
    lab_must(s, lab_operations_of(&last[CLIMB].all) < 0.5 * lab_operations_of(&last[SCAN].all),
             "hill climbing saves most of the operations of large hulls: %.0f against %.0f at %u vertices",
             lab_operations_of(&last[CLIMB].all), lab_operations_of(&last[SCAN].all), rows[count - 1].n);
    const double r = correlation(rows, count, SCAN);
    lab_judge(s, &claims[LINEAR], r, r, "correlation %.4f", r);
    const double with_climbing = correlation(rows, count, CLIMB);
    lab_judge(s, &claims[LINEAR_CLIMBING], with_climbing, with_climbing, "correlation %.4f", with_climbing);
    lab_judge(s, &claims[PER_OPERATION], climb_ns / scan_ns, climb_ns / scan_ns, "%.2f ns against %.2f ns on average",
              climb_ns, scan_ns);
}

static void run(lab_section *s)
{
    size_t count;
    const uint32_t *sizes = lab_list(s, full_sizes, quick_sizes, &count);
    static lab_cost_row rows[MOST_SIZES];
    lab_paper(s, "Average times of a complete distance query of two random hulls (points by a random generator, "
                 "topology by Qhull) without tracking, on a 120 MHz Pentium: without hill climbing the time grows with "
                 "the number of vertices, with it far less. Some points carry the number of multiplications and "
                 "divisions, to which the times are almost proportional.");
    lab_here(s,
             "%u pairs of hulls of points random on the unit sphere, so that every point is a vertex, centres 4 apart "
             "(a gap of one diameter), each pair in 10 random positions, every query from scratch; from 10 to %u "
             "vertices. “As printed” is Cameron's routine written after section 3, without any safeguard; “apart, "
             "johnson + …” is the library's query with the same solver and search, which also proves its bounds; "
             "“apart” is the library's default. Operations of the library come from its instrumented build.",
             lab_size(s, 100, 20), sizes[count - 1]);
    const lab_scene scene = {.kind = LAB_HULLS,
                             .pairs = lab_size(s, 100, 20),
                             .steps = 10,
                             .wander = 1,
                             .distance = 4,
                             .step = 0.2,
                             .turn = 90,
                             .seed = s->settings->seed};
    const lab_trial trial = {ids, COUNT, false, lab_duration(s, 0.5, 0.02), lab_size(s, 1000, 200)};
    lab_costs_over_sizes(s, "cold", &scene, &trial, sizes, count, rows);
    draw(s, rows, count);
    tabulate(s, rows, count);
    judge(s, rows, count);
    lab_conclude_answers(s);
}

const lab_experiment lab_cold = {"cold", "fig3", "Cameron 1997, Fig. 3 (C8)",
                                 "Cold queries, with and without hill climbing", run};
