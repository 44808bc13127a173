/* What Cameron 1997, section 4, says in passing: how long a sequence must be, and that the distributions of the shapes
 * were varied (item C8). */
#include <math.h>
#include <stdlib.h>

#include "../costs.h"
#include "../experiments.h"

/* What the paper claims, and which numbers bear it out. */
enum { LENGTH, SHAPES, BALL };
static const lab_claim claims[] = {
    [LENGTH] = {"C8-length",
                "Cameron §4",
                "any sequence longer than about 5 shows a similar reduction",
                "about 5",
                "saving at 5 queries over that at 20, 10–500 vertices",
                {0.8, 1.25},
                {0.6, 1.67}},
    [SHAPES] = {"C8-shapes",
                "Cameron §4",
                "the results are not sensitive to the distribution of the random shapes",
                "varied",
                "operations a tracked query over those of points on the sphere",
                {0.67, 1.5},
                {0.5, 2}},
    [BALL] = {"C8-shapes-interfering",
              "Cameron §4",
              "the same where bodies interfere",
              "varied",
              "operations a tracked query over those of points on the sphere",
              {0.67, 1.5},
              {0.5, 2}},
};

/* ---- the length of a sequence ---- */

enum { LENGTHS = 8, SIZES = 4 };
static const uint32_t lengths[LENGTHS] = {1, 2, 3, 5, 10, 20, 50, 100}, sizes[SIZES] = {10, 50, 200, 500};

static lab_scene sequence_of(const lab_section *s, uint32_t n, uint32_t length)
{
    return (lab_scene){.kind = LAB_HULLS,
                       .n_a = n,
                       .n_b = n,
                       .pairs = lab_size(s, 100, 20),
                       .steps = length,
                       .distance = 4,
                       .step = 0.01,
                       .seed = s->settings->seed + 51};
}

static double operations_of(const lab_scene *scene)
{
    lab_world w;
    lab_tally first, later;
    lab_world_build(&w, scene);
    lab_count_here(&w, LAB_PRINTED_CLIMB, true, &first, &later);
    lab_tally_add(&first, &later);
    lab_world_free(&w);
    const lab_counts c = lab_counts_of(&first);
    return lab_operations_of(&c);
}

static void run_sequence(lab_section *s)
{
    static double x[SIZES][LENGTHS];
    static const char *const colors[SIZES] = {"#009E73", "#E69F00", "#0072B2", "#000000"};
    double low = INFINITY, high = 0;
    lab_plot p;
    lab_table t;
    lab_paper(s, "Sequences of 20; “any sequence of length greater than about 5 shows a similar reduction in time, as "
                 "the cost of the first distance calculation is amortised”.");
    lab_here(s,
             "The routine as printed with hill climbing on the scenes of Fig. 4, with sequences of 1 to 100 queries. "
             "The saving is what a query costs less than one from scratch.");
    FILE *csv = lab_csv_open(s, "sequence", "vertices,length,operations");
    lab_table_init(&t, "Operations a query, the first one included",
                   "vertices|1|2|3|5|10|20|50|100|saving at 5 / at 20");
    for (int i = 0; i < SIZES; i++) {
        lab_text row = {NULL, 0, 0};
        for (int k = 0; k < LENGTHS; k++) {
            const lab_scene scene = sequence_of(s, sizes[i], lengths[k]);
            x[i][k] = operations_of(&scene);
            fprintf(csv, "%u,%u,%.3f\n", sizes[i], lengths[k], x[i][k]);
            lab_text_add(&row, "|%.0f", x[i][k]);
        }
        const double similar = (x[i][0] - x[i][3]) / (x[i][0] - x[i][5]);
        low = fmin(low, similar);
        high = fmax(high, similar);
        lab_table_row(&t, "%u%s|%.2f", sizes[i], row.data, similar);
        lab_text_free(&row);
        lab_progress(s, (i + 1.0) / SIZES);
    }
    lab_csv_close(csv);
    lab_show_table(s, &t);
    lab_plot_begin(&p, "sequence",
                   "Operations a query over the length of a tracked sequence, the first, cold query included (as "
                   "printed, hill climbing, centres 4 apart, 0.01 a step).",
                   1, 1, 860, 440);
    lab_plot_panel(&p, "How long a sequence must be", "queries of a sequence", "operations a query",
                   "set logscale xy\nset xrange [0.9:120]\nset xtics (1, 2, 3, 5, 10, 20, 50, 100)");
    for (int i = 0; i < SIZES; i++) {
        char *style = lab_format("with linespoints lc rgb '%s' pt %d lw 1.8", colors[i], 5 + 2 * i),
             *legend = lab_format("%u vertices", sizes[i]);
        lab_plot_series(&p, style, legend);
        for (int k = 0; k < LENGTHS; k++) {
            lab_plot_point(&p, lengths[k], x[i][k]);
        }
        free(style);
        free(legend);
    }
    lab_plot_end(s, &p);
    lab_judge(s, &claims[LENGTH], low, high, "of what 20 queries save, 5 save %.0f %% to %.0f %%", 100 * low,
              100 * high);
    const lab_scene scene = sequence_of(s, 50, 5);
    const lab_algorithm_id ids[1] = {LAB_PRINTED_CLIMB};
    uint64_t wrong[1] = {0};
    lab_check_scene(s, &scene, ids, 1, true, 100, wrong);
    lab_conclude_answers(s);
}

/* ---- distributions ---- */

enum { KINDS = 6, DISTANCES = 2, ALGORITHMS = 2 };
static const lab_kind kinds[KINDS] = {LAB_HULLS, LAB_BALLS, LAB_FLAT, LAB_LONG, LAB_BOXES, LAB_ALIGNED_BOXES};
static const char *const kind_names[KINDS] = {"on the sphere", "in the ball", "flat", "long", "boxes", "aligned boxes"};
static const double centres[DISTANCES] = {4.0, 1.2};

static void plot_shapes(lab_section *s, lab_cost (*c)[DISTANCES][ALGORITHMS])
{
    lab_plot p;
    lab_plot_begin(&p, "shapes",
                   "Tracked queries of hulls of 50 points from several distributions, and of boxes: operations of the "
                   "routine as printed, apart and where bodies interfere. Turns up to 3° a step.",
                   2, 1, 1160, 440);
    p.foot = 36;
    for (int d = 0; d < DISTANCES; d++) {
        lab_text tics = {NULL, 0, 0};
        for (int i = 0; i < KINDS; i++) {
            lab_text_add(&tics, "%s'%s' %d", i > 0 ? ", " : "", kind_names[i], i);
        }
        char *settings = lab_format("set yrange [0:*]\nset xrange [-0.6:%g]\nset boxwidth 0.6\nset xtics "
                                    "rotate by 30 right (%s)",
                                    KINDS - 0.4, tics.data);
        lab_plot_panel(&p, d == 0 ? "centres 4 apart" : "centres 1.2 apart, mostly interfering", "",
                       "operations a tracked query", settings);
        lab_plot_series(&p, "using 1:2 with boxes fs solid 0.8 noborder lc rgb '#0072B2'", NULL);
        for (int i = 0; i < KINDS; i++) {
            lab_plot_point(&p, i, lab_operations_of(&c[i][d][0].later));
        }
        free(settings);
        lab_text_free(&tics);
    }
    lab_plot_end(s, &p);
}

static void run_shapes(lab_section *s)
{
    static lab_cost c[KINDS][DISTANCES][ALGORITHMS];
    const lab_algorithm_id ids[ALGORITHMS] = {LAB_PRINTED_CLIMB, LAB_OURS};
    double range[DISTANCES][2] = {{INFINITY, 0}, {INFINITY, 0}};
    lab_table t;
    lab_paper(s, "“The distributions for the random shapes, starting positions, and incremental motions were varied to "
                 "check for sensitivity of the results.” No numbers are given.");
    lab_here(s, "Hulls of 50 points on the unit sphere, in the unit ball (of which some 20 are vertices), on a sphere "
                "shrunk to a tenth along one axis and along two, and boxes, any and aligned; sequences of 20, turns up "
                "to 3° a step.");
    FILE *csv = lab_csv_open(s, "shapes", "shape,centres," LAB_COST_HEADER);
    lab_table_init(&t, "Tracked queries",
                   "shape|centres|operations|loops|edges climbed|cold: loops|ns|apart: ns|wrong as printed");
    const lab_trial trial = {ids, ALGORITHMS, true, lab_duration(s, 0.1, 0.005), lab_size(s, 400, 60)};
    for (int i = 0; i < KINDS; i++) {
        for (int d = 0; d < DISTANCES; d++) {
            const bool box = kinds[i] == LAB_BOXES || kinds[i] == LAB_ALIGNED_BOXES;
            const lab_scene scene = {.kind = kinds[i],
                                     .n_a = box ? 8 : 50,
                                     .n_b = box ? 8 : 50,
                                     .pairs = lab_size(s, 100, 15),
                                     .steps = 20,
                                     .distance = centres[d],
                                     .spread = d == 0 ? 0.0 : 0.4,
                                     .step = 0.02,
                                     .turn = 3,
                                     .seed = s->settings->seed + 52};
            lab_world w;
            lab_world_build(&w, &scene);
            lab_costs(s, &w, &trial, c[i][d]);
            lab_costs_csv(csv, &trial, c[i][d], "%s,%g,", kind_names[i], centres[d]);
            lab_world_free(&w);
            const lab_cost *x = c[i][d];
            lab_table_row(&t, "%s|%g|%.0f|%.2f|%.2f|%.2f|%.0f|%.0f|%llu of %llu", kind_names[i], centres[d],
                          lab_operations_of(&x[0].later), x[0].later.loops, x[0].later.edges, x[0].first.loops,
                          x[0].times.later, x[1].times.later, (unsigned long long)x[0].wrong,
                          (unsigned long long)x[0].checked);
            const double ratio = lab_operations_of(&x[0].later) / lab_operations_of(&c[0][d][0].later);
            range[d][0] = fmin(range[d][0], ratio);
            range[d][1] = fmax(range[d][1], ratio);
        }
        lab_progress(s, (i + 1.0) / KINDS);
    }
    lab_csv_close(csv);
    lab_show_table(s, &t);
    plot_shapes(s, c);
    lab_judge(s, &claims[SHAPES], range[0][0], range[0][1], "centres 4 apart");
    lab_judge(s, &claims[BALL], range[1][0], range[1][1], "centres 0.8 to 1.6 apart");
    lab_conclude_answers(s);
}

const lab_experiment lab_sequence = {"sequence", NULL, "Cameron 1997, section 4 (C8)", "How long a sequence must be",
                                     run_sequence};
const lab_experiment lab_shapes = {"shapes", NULL, "Cameron 1997, section 4 (C8)", "Other distributions of shapes",
                                   run_shapes};
