/* Cameron 1997, Fig. 4 and the operation counts of section 4 (items C3, C5, C8): tracked queries, sequences of 20,
 * constant translation. */
#include <math.h>

#include "../costs.h"
#include "../experiments.h"

static const lab_algorithm_id ids[] = {LAB_PRINTED_SCAN, LAB_PRINTED_CLIMB, LAB_JOHNSON_SCAN, LAB_JOHNSON_CLIMB,
                                       LAB_OURS};
enum { COUNT = sizeof ids / sizeof ids[0], SCAN = 0, CLIMB = 1, JOHNSON_CLIMB = 3, OURS = 4, MOST_SIZES = 16 };

static const uint32_t full_sizes[] = {8, 10, 20, 50, 100, 200, 300, 400, 500, 1000, 2000, 5000, LAB_END};
static const uint32_t quick_sizes[] = {8, 10, 20, 100, 500, LAB_END};

/* What the paper claims, and which numbers bear it out. */
enum { OPERATIONS, LOOPS, EDGES, SIX_N, FLAT, TIME, TIME_TRACKED, PER_OPERATION, OWN, OWN_500 };
static const lab_claim claims[] = {
    [OPERATIONS] = {"C8-operations",
                    "Cameron §4",
                    "93-135 multiplications and divisions a tracked query",
                    "93–135",
                    "operations a tracked query, 10–500 vertices",
                    {93, 135},
                    {70, 150}},
    [LOOPS] = {"C3-tracked",
               "Cameron §3",
               "the loop runs once or twice when tracking",
               "1–2",
               "mean loops, 8–500 vertices",
               {1, 2},
               {1, 3}},
    [EDGES] = {"C5-edges",
               "Cameron §3.2",
               "0 or 1 edges are traversed most times",
               "0–1",
               "edges climbed a query, both bodies",
               {0, 1},
               {0, 2}},
    [SIX_N] = {"C8-6n",
               "Cameron §4",
               "without hill climbing a loop costs 6n multiplications for the supports",
               "6n",
               "largest deviation from 6n",
               {0, 1e-09},
               {0, 0.01}},
    [FLAT] = {"C8-flat",
              "Cameron §4",
              "the number of operations is constant from 10 to 500 vertices",
              "constant",
              "largest over smallest number",
              {1, 1.3},
              {1, 1.5}},
    [TIME] = {"C8-time",
              "Cameron §4, Fig. 4",
              "the time is very close to constant from 10 to 500 vertices",
              "32–42 µs: 1.3",
              "largest over smallest time, all 20 queries of a sequence",
              {1, 1.3},
              {1, 2}},
    [TIME_TRACKED] = {"C8-time-tracked",
                      "Cameron §4, Fig. 4",
                      "the same without the first query of a sequence",
                      "1.3",
                      "largest over smallest time, 19 queries",
                      {1, 1.3},
                      {1, 2}},
    [PER_OPERATION] = {"C8-ns-tracked",
                       "Cameron §6",
                       "an operation takes longer with hill climbing, when tracked",
                       "1.6–1.9",
                       "ratio of ns an operation",
                       {1.4, 2.2},
                       {1, 5}},
    [OWN] = {"C8-own-code",
             "Cameron's own code",
             "77-115 operations from 0° to 6° at 8-20 vertices",
             "77–115",
             "operations a query of a sequence, one diameter apart",
             {73, 121},
             {62, 138}},
    [OWN_500] = {"C8-own-code-500",
                 "Cameron's own code",
                 "345 operations at 500 vertices and 6°",
                 "345",
                 "operations a query of a sequence, one diameter apart",
                 {328, 362},
                 {276, 414}},
};

static size_t count_up_to(const lab_cost_row *rows, size_t count, uint32_t most)
{
    while (count > 0 && rows[count - 1].n > most) {
        count--;
    }
    return count;
}

static void draw(lab_section *s, const lab_cost_row *rows, size_t count)
{
    lab_plot p;
    lab_plot_begin(&p, "tracked",
                   "Tracked queries along sequences of 20 positions. Time is the average over all 20, the first, cold "
                   "one included, as in the paper's Fig. 4, and so are the operations. Left: the axes of that figure, "
                   "the routine as printed. The grey band of the right panel is the theory's 93 to 135 operations.",
                   3, 1, 1400, 460);
    lab_plot_panel(&p, "The axes of Fig. 4", "vertices of each hull", "time [µs]",
                   "set xrange [0:550]\nset yrange [0:*]");
    lab_plot_costs(&p, ids, CLIMB + 1, rows, count_up_to(rows, count, 500), lab_cost_microseconds);
    lab_plot_panel(&p, "Time per query", "vertices of each hull", "time [µs]", "set logscale xy");
    lab_plot_costs(&p, ids, COUNT, rows, count, lab_cost_microseconds);
    lab_plot_panel(&p, "Counted operations per query", "vertices of each hull", "multiplications and divisions",
                   "set logscale xy\nset format y '10^{%L}'");
    lab_plot_series(&p, "using 1:2:3 with filledcurves lc rgb '#e4e4e4'", "claimed: 93 to 135");
    lab_plot_point3(&p, rows[0].n, 93, 135);
    lab_plot_point3(&p, rows[count - 1].n, 93, 135);
    lab_plot_costs(&p, ids, COUNT, rows, count, lab_cost_operations);
    lab_plot_end(s, &p);
}

static void tabulate(lab_section *s, const lab_cost_row *rows, size_t count)
{
    lab_table t, apart;
    lab_table_init(&t,
                   "The routine as printed, with hill climbing: operations over the whole sequences, and of the 19 "
                   "tracked queries",
                   "vertices|scan, sequence|climbing, sequence|climbing, tracked|of these supports|sub-algorithm|test, "
                   "divisions|transforms beside them|loops|edges climbed|ns|ns an operation");
    lab_table_init(&apart, "The library with the same solver and search, tracked queries",
                   "vertices|operations|of these supports|sub-algorithm|poses, bounds, the rest|loops|edges "
                   "climbed|default: ns|loops");
    for (size_t k = 0; k < count; k++) {
        const lab_cost *c = rows[k].cost;
        const lab_counts *l = &c[CLIMB].later, *j = &c[JOHNSON_CLIMB].later;
        const double all = lab_operations_of(l), library = lab_operations_of(j);
        lab_table_row(&t, "%u|%.0f|%.1f|%.1f|%.1f|%.1f|%.1f|%.0f|%.3f|%.2f|%.0f|%.2f", rows[k].n,
                      lab_operations_of(&c[SCAN].all), lab_operations_of(&c[CLIMB].all), all, l->support, l->solver,
                      all - l->support - l->solver, l->transforms, l->loops, l->edges, c[CLIMB].times.later,
                      c[CLIMB].times.later / all);
        lab_table_row(&apart, "%u|%.0f|%.1f|%.1f|%.1f|%.3f|%.2f|%.0f|%.3f", rows[k].n, library, j->support, j->solver,
                      library - j->support - j->solver, j->loops, j->edges, c[OURS].times.later, c[OURS].later.loops);
    }
    lab_show_table(s, &t);
    lab_show_table(s, &apart);
}

/* The least and the largest number of something over sizes from `low` to `high`. */
typedef double measure_fn(const lab_cost *cost);

static double operations(const lab_cost *c) { return lab_operations_of(&c->later); }

/* Of a query of the library, what the paper's routine does too: supports, the sub-algorithm, and two dot products for
 * the test. */
static double papers_work(const lab_counts *c) { return c->support + c->solver + 6.0; }
static double papers_share(const lab_cost *c) { return papers_work(&c->later); }
static double loops(const lab_cost *c) { return c->later.loops; }
static double edges(const lab_cost *c) { return c->later.edges; }
static double time_all(const lab_cost *c) { return c->times.all; }
static double time_later(const lab_cost *c) { return c->times.later; }

static void range(const lab_cost_row *rows, size_t count, uint32_t low, uint32_t high, int algorithm,
                  measure_fn *measure, double out[2])
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

static void judge_counts(lab_section *s, const lab_cost_row *rows, size_t count)
{
    double small[2], flat[2], l[2], e[2], library[2], library_share[2], library_edges[2];
    range(rows, count, 8, 20, CLIMB, lab_cost_operations, small);
    range(rows, count, 10, 500, CLIMB, operations, flat);
    range(rows, count, 8, 500, CLIMB, loops, l);
    range(rows, count, 8, 500, CLIMB, edges, e);
    range(rows, count, 10, 500, JOHNSON_CLIMB, operations, library);
    range(rows, count, 8, 20, JOHNSON_CLIMB, papers_share, library_share);
    range(rows, count, 8, 500, JOHNSON_CLIMB, edges, library_edges);
    lab_must(s, small[0] >= 70 && small[1] <= 140,
             "between 70 and 140 operations a query of a tracked sequence for johnson + climbing at 8-20 vertices: as "
             "printed %.1f to %.1f",
             small[0], small[1]);
    lab_judge(s, &claims[OPERATIONS], flat[0], flat[1],
              "%.0f to %.0f. The theory's numbers are "
              "those of one loop on simplices of three and four points; many queries here end at a vertex or an edge",
              flat[0], flat[1]);
    lab_must(s, flat[1] <= 1.5 * flat[0],
             "tracked cost is flat from 10 to 500 vertices: operations grow by a factor of %.2f at most",
             flat[1] / flat[0]);
    lab_judge(s, &claims[LOOPS], l[0], l[1], "%.2f to %.2f times", l[0], l[1]);
    lab_judge(s, &claims[EDGES], e[0], e[1], "%.2f to %.2f", e[0], e[1]);
    lab_judge(s, &claims[FLAT], flat[1] / flat[0], flat[1] / flat[0], "%.0f to %.0f operations", flat[0], flat[1]);
    lab_must(s, l[0] >= 1.0 && l[1] <= 2.0, "the loop runs once or twice when tracking: %.2f to %.2f times", l[0],
             l[1]);
    lab_must(s, e[1] <= 1.0, "0 or 1 edges are climbed a query: %.2f to %.2f (both bodies)", e[0], e[1]);
    lab_must(s, library_share[0] >= 60 && library_share[1] <= 140,
             "the same of the library's query: its supports, its sub-algorithm and 6 for the test are %.1f to %.1f a "
             "tracked query",
             library_share[0], library_share[1]);
    lab_words(s,
              "the library's whole query with the same solver and search: %.0f to %.0f operations, because it checks "
              "the poses, proves its bounds and keeps error-free products beside the routine's own work",
              library[0], library[1]);
    lab_words(s, "the same, flat from 10 to 500 vertices: a factor of %.2f; %.1f to %.1f edges climbed",
              library[1] / library[0], library_edges[0], library_edges[1]);
}

static void judge_growth(lab_section *s, const lab_cost_row *rows, size_t count)
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
    lab_must(s, worst < 1e-9,
             "without hill climbing a query costs 6n multiplications a loop: worst deviation %.1g (as printed)", worst);
    lab_words(s, "the library's scan looks at n vertices a search: worst deviation %.1g", library);
    lab_judge(s, &claims[SIX_N], worst, worst, "as printed, all sizes");
    lab_judge(s, &claims[TIME_TRACKED], later[1] / later[0], later[1] / later[0], "%.3f to %.3f µs", later[0] / 1e3,
              later[1] / 1e3);
    lab_judge(s, &claims[TIME], times[1] / times[0], times[1] / times[0],
              "%.3f to %.3f µs, a factor of %.2f, over all 20 queries of a sequence, and %.3f to %.3f "
              "µs, a factor of %.2f, over the 19 tracked ones: the first query's climb from an arbitrary vertex makes "
              "the difference",
              times[0] / 1e3, times[1] / 1e3, times[1] / times[0], later[0] / 1e3, later[1] / 1e3, later[1] / later[0]);
    lab_words(s, "apart's own time over the same range: %.3f to %.3f µs, a factor of %.2f", ours[0] / 1e3,
              ours[1] / 1e3, ours[1] / ours[0]);
    const lab_cost *c = rows[2].cost;
    const double scan_ns = rows[count - 1].cost[SCAN].times.later / operations(&rows[count - 1].cost[SCAN]),
                 climb_ns = c[CLIMB].times.later / operations(&c[CLIMB]);
    lab_judge(s, &claims[PER_OPERATION], climb_ns / scan_ns, climb_ns / scan_ns,
              "%.2f ns for scans and %.2f ns for climbing, a ratio of %.1f", scan_ns, climb_ns, climb_ns / scan_ns);
}

/* ---- what the paper leaves open ---- */

static const uint32_t varied_sizes[] = {8, 10, 14, 20, 100, 500};
enum { VARIED_SIZES = sizeof varied_sizes / sizeof *varied_sizes, SMALL_SIZES = 4 };

typedef struct varied {
    double centres, step, turn;
} varied;

/* The routine's averages over sequences, and what the library spends on the same work in a tracked query, for all
 * sizes. */
static void count_varied(lab_section *s, const varied *v, FILE *csv, double out[VARIED_SIZES],
                         double library[VARIED_SIZES])
{
    for (int i = 0; i < VARIED_SIZES; i++) {
        const lab_scene scene = {.kind = LAB_HULLS,
                                 .n_a = varied_sizes[i],
                                 .n_b = varied_sizes[i],
                                 .pairs = lab_size(s, 100, 40),
                                 .steps = 20,
                                 .wander = v->turn > 0.0,
                                 .distance = v->centres,
                                 .step = v->step,
                                 .turn = v->turn,
                                 .seed = s->settings->seed};
        lab_world world;
        lab_tally first, later;
        lab_world_build(&world, &scene);
        lab_count(s, &world, LAB_JOHNSON_CLIMB, true, &first, &later);
        const lab_counts apart = lab_counts_of(&later);
        lab_count(s, &world, LAB_PRINTED_CLIMB, true, &first, &later);
        const lab_counts tracked = lab_counts_of(&later);
        lab_tally_add(&first, &later);
        const lab_counts all = lab_counts_of(&first);
        out[i] = lab_operations_of(&all);
        library[i] = papers_work(&apart);
        fprintf(csv, "%g,%g,%g,%u,%.3f,%.3f,%.3f,%.3f,%.3f,", v->centres, v->step, v->turn, varied_sizes[i], out[i],
                lab_operations_of(&tracked), tracked.support, tracked.solver,
                lab_operations_of(&tracked) - tracked.support - tracked.solver);
        fprintf(csv, "%.3f,%.4f,%.4f,%.3f,%.3f,%.3f,%.3f\n", tracked.transforms, tracked.loops, tracked.edges,
                lab_operations_of(&apart), apart.support, apart.solver, apart.transforms);
        lab_world_free(&world);
    }
}

static void include(double range[2], const double *values)
{
    for (int i = 0; i < SMALL_SIZES; i++) {
        range[0] = fmin(range[0], values[i]);
        range[1] = fmax(range[1], values[i]);
    }
}

static void vary(lab_section *s)
{
    static const varied scenes[] = {{8, 0.05, 0}, {8, 0.01, 0},   {4, 0.05, 0},  {4, 0.01, 0},
                                    {4, 0.05, 6}, {2.5, 0.05, 0}, {2.5, 0.01, 0}};
    lab_table t;
    double far[2] = {INFINITY, 0}, near[2] = {INFINITY, 0}, turning[2] = {INFINITY, 0}, library[2] = {INFINITY, 0},
           at_500 = 0.0;
    FILE *csv = lab_csv_open(s, "tracked-varied",
                             "centres,step,turn,vertices,sequence_operations,tracked_operations,of_these_supports,sub_"
                             "algorithm,test_and_divisions,transforms_beside_them,loops,edges_climbed,apart_tracked_"
                             "operations,of_these_supports_apart,sub_algorithm_apart,transforms_beside_them_apart");
    lab_table_init(&t,
                   "Operations by distance and step [radii] and turn: the routine as printed, averages over sequences "
                   "of 20; and the library's supports, sub-algorithm and test in a tracked query",
                   "centres, step, turn|8 vertices|10|14|20|100|500|apart: 8|10|14|20");
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        double o[VARIED_SIZES], a[VARIED_SIZES];
        const varied *v = &scenes[k];
        count_varied(s, v, csv, o, a);
        if (v->turn > 0.0) {
            include(turning, o);
            at_500 = o[VARIED_SIZES - 1];
        } else {
            const double mean = (a[0] + a[1] + a[2] + a[3]) / SMALL_SIZES;
            library[0] = fmin(library[0], mean);
            library[1] = fmax(library[1], mean);
            if (v->centres >= 4) {
                include(v->centres == 8 ? far : near, o);
            }
        }
        lab_table_row(&t, "%g, %g, %g°|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f|%.0f", v->centres, v->step, v->turn,
                      o[0], o[1], o[2], o[3], o[4], o[5], a[0], a[1], a[2], a[3]);
    }
    lab_csv_close(csv);
    lab_show_table(s, &t);
    lab_words(s, "Far bodies are closest at vertices, whose simplex is one point; near ones at edges and faces, whose "
                 "simplex has two or three and costs more. A longer step moves the closest feature more often.");
    lab_must(s, library[0] >= 60 && library[1] <= 140,
             "between 60 and 140 operations a tracked query for the library's johnson + climbing at 8-20 vertices "
             "(average of four sizes) without a turn, in each of six scenes: its supports, its sub-algorithm and 6 for "
             "the test are %.1f to %.1f",
             library[0], library[1]);
    lab_must(
        s, near[0] >= 70 && near[1] <= 140,
        "the routine as printed, averages over sequences, one diameter apart with either step: %.1f to %.1f operations",
        near[0], near[1]);
    lab_words(s, "the same three diameters apart: %.1f to %.1f", far[0], far[1]);
    lab_judge(s, &claims[OWN], near[0], turning[1], "as printed, averages over sequences of 20: %.0f to %.0f", near[0],
              turning[1]);
    lab_judge(s, &claims[OWN_500], at_500, at_500, "as printed: %.0f", at_500);
}

static void run(lab_section *s)
{
    size_t count;
    const uint32_t *sizes = lab_list(s, full_sizes, quick_sizes, &count);
    static lab_cost_row rows[MOST_SIZES];
    lab_paper(s, "The same with tracking, sequences of 20 with constant translation: the first query from scratch, "
                 "then 19 that start from the last simplex. Without hill climbing the time is linear, 6n operations a "
                 "loop, and shows that the loop runs about once; with it the time is almost constant, 32-42 µs from 10 "
                 "to 500 vertices. The theory expects 93-135 multiplications and divisions a tracked query.");
    lab_here(
        s,
        "%u pairs, one diameter apart (centres 4 radii) in the middle of the way, 0.01 a step along a fixed direction, "
        "no turn: the paper does not give its parameters, so a table below varies them. As in its figures, operations "
        "are averages over all 20 queries of a sequence, the first from scratch included; those of the 19 tracked ones "
        "stand beside them. Counted are multiplications and divisions of the supports, the sub-algorithm and the test; "
        "transforms of vertices and directions, which the paper takes as given, are in a column of their own. With "
        "this the theory's numbers come out: supports at vertices with six neighbours on both bodies are 2 × 7 × 3 = "
        "42, a loop on three points is 18 (dot products) + 6 (table) + 3 (divisions) + 18 (witness points) + 6 (test), "
        "together 93; on four points, of which three stay, 30 + 36 + 3 + 18 + 6, together 135. Of the library's "
        "operations 9 a transformed vertex are left out.",
        lab_size(s, 100, 40));
    const lab_scene scene = {.kind = LAB_HULLS,
                             .pairs = lab_size(s, 100, 40),
                             .steps = 20,
                             .distance = 4,
                             .step = 0.01,
                             .seed = s->settings->seed};
    const lab_trial trial = {ids, COUNT, true, lab_duration(s, 0.5, 0.02), lab_size(s, 2000, 200)};
    lab_costs_over_sizes(s, "tracked", &scene, &trial, sizes, count, rows);
    draw(s, rows, count);
    tabulate(s, rows, count);
    vary(s);
    judge_counts(s, rows, count);
    judge_growth(s, rows, count);
    lab_conclude_answers(s);
}

const lab_experiment lab_tracked = {"tracked", "fig4", "Cameron 1997, Fig. 4 (C3, C5, C8)",
                                    "Tracked queries and their operations", run};
