/* Cameron 1997, Fig. 5 and the runs with boxes (item C8): nine kinds of motion, three turns at three distances. */
#include <math.h>
#include <stdlib.h>

#include "../costs.h"
#include "../experiments.h"

enum { DISTANCES = 3, TURNS = 3, MOST_SIZES = 10 };

/* Centres of unit-sized bodies: gaps of 3 diameters and of one; interfering most of the time. */
static const double distances[DISTANCES] = {8.0, 4.0, 1.4}, spreads[DISTANCES] = {0.0, 0.0, 0.5},
                    turns[TURNS] = {0.0, 6.0, 12.0};
static const char *const turn_names[TURNS] = {"no turn", "up to 6° a step", "up to 12° a step"};
static const char *const names[DISTANCES] = {"3 diameters apart", "1 diameter apart", "mostly interfering"};

/* What the paper claims, and which numbers bear it out. */
enum { NEAR, INTERFERING, LEVEL, RIGHT, BOXES_CHEAPER, BOXES_INTERFERING, BOXES_TIME };
static const lab_claim claims[] = {
    [NEAR] = {"C8-near",
              "Cameron §4, Fig. 5",
              "at one diameter the times increase slightly over those at three",
              "slightly",
              "ratio of times",
              {1.0, 1.5},
              {0.9, 2.0}},
    [INTERFERING] = {"C8-interfering",
                     "Cameron §4, Fig. 5",
                     "where bodies interfere much of the time the times rise towards those without tracking",
                     "rise",
                     "ratio of times to one diameter, as printed",
                     {1.2, INFINITY},
                     {1.0, INFINITY}},
    [LEVEL] = {"C8-level",
               "Cameron §4, Fig. 5",
               "the times level off",
               "level",
               "growth of operations from the smallest to the largest hulls, 3 diameters",
               {0, 1.5},
               {0, 2.5}},
    [RIGHT] = {"C8-right",
               "Cameron §4",
               "answers were checked independently",
               "right",
               "wrong answers as printed [%]",
               {0, 0},
               {0, 0.1}},
    [BOXES_CHEAPER] = {"C8-boxes",
                       "Cameron §4",
                       "boxes are cheaper still than hulls while they are apart",
                       "10–20 against 32–50 µs: 0.3–0.4",
                       "operations of boxes over those of hulls of 20",
                       {0, 0.75},
                       {0, 1}},
    [BOXES_INTERFERING] = {"C8-boxes-interfering",
                           "Cameron §4",
                           "the same where they interfere",
                           "20–30 against 50 µs: 0.4–0.6",
                           "operations of boxes over those of hulls of 20, any and aligned",
                           {0, 0.75},
                           {0, 1}},
    [BOXES_TIME] = {"C8-boxes-time",
                    "Cameron §4",
                    "boxes that interfere cost more than boxes that are apart",
                    "20–30 against 10–20 µs: 1.5–2",
                    "ratio of times",
                    {1.2, 3},
                    {1, INFINITY}},
};

static lab_scene scene_of(const lab_section *s, lab_kind kind, uint32_t n, int distance, int turn)
{
    return (lab_scene){.kind = kind,
                       .n_a = n,
                       .n_b = n,
                       .pairs = lab_size(s, 100, 12),
                       .steps = 20,
                       .distance = distances[distance],
                       .spread = spreads[distance],
                       .step = 0.05,
                       .turn = turns[turn],
                       .seed = s->settings->seed};
}

/* ---- Fig. 5 ---- */

static const lab_algorithm_id ids[] = {LAB_PRINTED_CLIMB, LAB_JOHNSON_CLIMB, LAB_OURS, LAB_OURS_DEPTH};
enum { COUNT = sizeof ids / sizeof ids[0], PRINTED = 0, OURS = 2 };

static const uint32_t full_sizes[] = {10, 20, 50, 100, 200, 300, 400, 500, LAB_END};
static const uint32_t quick_sizes[] = {10, 50, 200, LAB_END};

typedef struct trace {
    lab_cost cost[MOST_SIZES][COUNT];
} trace;

static void plot_trace(lab_plot *p, const trace *t, const uint32_t *sizes, size_t count, int algorithm, int turn,
                       bool time, const char *legend)
{
    static const int dashes[TURNS] = {1, 2, 3}, symbols[TURNS] = {7, 5, 9};
    const lab_algorithm *a = &lab_algorithms[ids[algorithm]];
    char *style =
        lab_format("using 1:2 with linespoints lc rgb '%s' dt %d pt %d lw 1.5", a->color, dashes[turn], symbols[turn]);
    lab_plot_series(p, style, legend);
    for (size_t k = 0; k < count; k++) {
        const lab_cost *c = &t->cost[k][algorithm];
        lab_plot_point(p, sizes[k], time ? c->times.all / 1e3 : lab_operations_of(&c->all));
    }
    free(style);
}

static void draw(lab_section *s, trace (*t)[TURNS], const uint32_t *sizes, size_t count)
{
    lab_plot p;
    lab_plot_begin(
        &p, "traces",
        "The nine traces of Fig. 5: turns of up to 0°, 6° and 12° a step (solid, dashed, dotted) at three distances "
        "(columns). Time above, counted operations below, averages over sequences of 20; both axes logarithmic.",
        3, 2, 1240, 860);
    p.same_y = true;
    for (int time = 1; time >= 0; time--) {
        for (int d = 0; d < DISTANCES; d++) {
            lab_plot_panel(&p, names[d], "vertices of each hull", time ? "time [µs]" : "multiplications and divisions",
                           "set logscale xy");
            for (int i = 0; i <= OURS; i++) {
                for (int k = 0; k < TURNS; k++) {
                    /* Colours are explained in the first column, dashes in the second. */
                    const char *legend = !time              ? NULL
                                         : d == 0 && k == 0 ? lab_algorithms[ids[i]].label
                                         : d == 1 && i == 0 ? turn_names[k]
                                                            : NULL;
                    plot_trace(&p, &t[d][k], sizes, count, i, k, time == 1, legend);
                }
            }
        }
    }
    lab_plot_end(s, &p);
}

/* Fig. 5 as the paper draws it: circles, crosses and boxes by distance, lines by turn. */
static void draw_as_printed(lab_section *s, trace (*t)[TURNS], const uint32_t *sizes, size_t count)
{
    static const int symbols[DISTANCES] = {6, 2, 4}, dashes[TURNS] = {1, 3, 2};
    static const char *const colors[DISTANCES] = {"#0072B2", "#000000", "#D55E00"};
    lab_plot p;
    lab_plot_begin(&p, "fig5",
                   "Fig. 5 with the paper's axes and symbols: circles three diameters apart, crosses one, boxes mostly "
                   "interfering; full lines without a turn, dotted up to 6° a step, dashed up to 12°. The routine as "
                   "printed, averages over sequences of 20.",
                   1, 1, 980, 480);
    p.title = lab_copy("Nine kinds of motion, as the paper draws them");
    lab_plot_panel(&p, "", "vertices of each hull", "time [µs]", "set xrange [0:*]\nset yrange [0:*]");
    for (int d = 0; d < DISTANCES; d++) {
        for (int k = 0; k < TURNS; k++) {
            char *style = lab_format("using 1:2 with linespoints lc rgb '%s' dt %d pt %d lw 1.5", colors[d], dashes[k],
                                     symbols[d]),
                 *legend = lab_format("%s, %s", names[d], turn_names[k]);
            lab_plot_series(&p, style, legend);
            for (size_t i = 0; i < count; i++) {
                lab_plot_point(&p, sizes[i], t[d][k].cost[i][PRINTED].times.all / 1e3);
            }
            free(style);
            free(legend);
        }
    }
    lab_plot_end(s, &p);
}

static void tabulate(lab_section *s, trace (*t)[TURNS], const uint32_t *sizes, size_t count)
{
    lab_table table;
    lab_table_init(&table, "The traces at the smallest and the largest size",
                   "motion|vertices|printed, climbing: ns|operations|loops|edges climbed|apart: ns|loops|edges "
                   "climbed|vertices transformed|with exact depth: ns");
    for (int d = 0; d < DISTANCES; d++) {
        for (int k = 0; k < TURNS; k++) {
            for (size_t i = 0; i < count; i += count - 1) {
                const lab_cost *c = t[d][k].cost[i];
                lab_table_row(&table, "%s, %g°|%u|%.0f|%.0f|%.2f|%.2f|%.0f|%.2f|%.2f|%.1f|%.0f", names[d], turns[k],
                              sizes[i], c[PRINTED].times.all, lab_operations_of(&c[PRINTED].all), c[PRINTED].all.loops,
                              c[PRINTED].all.edges, c[OURS].times.all, c[OURS].all.loops, c[OURS].all.edges,
                              c[OURS].all.transformed, c[COUNT - 1].times.all);
            }
        }
    }
    lab_show_table(s, &table);
}

static void judge(lab_section *s, trace (*t)[TURNS], size_t count, uint64_t wrong, uint64_t checked)
{
    const size_t last = count - 1;
    double growth = 0, near = 0, far = 0, interfering = 0, loops = 0;
    bool ordered = true;
    for (int k = 0; k < TURNS; k++) {
        for (size_t i = 0; i < count; i++) {
            near += t[1][k].cost[i][PRINTED].times.all;
            far += t[0][k].cost[i][PRINTED].times.all;
            interfering += t[2][k].cost[i][PRINTED].times.all;
            loops = fmax(loops, t[0][k].cost[i][PRINTED].later.loops);
        }
        growth = fmax(growth, lab_operations_of(&t[0][k].cost[last][PRINTED].all) /
                                  lab_operations_of(&t[0][k].cost[0][PRINTED].all));
        ordered = ordered && lab_operations_of(&t[0][k].cost[last][PRINTED].all) >=
                                 0.9 * lab_operations_of(&t[0][0].cost[last][PRINTED].all);
    }
    lab_must(s, loops <= 3.0,
             "at 3 diameters the tracked loop runs at most 3 times on average, whatever the turn: %.2f", loops);
    lab_must(s, ordered, "turning never makes a far pair cheaper");
    lab_judge(s, &claims[NEAR], near / far, near / far, "by a factor of %.2f", near / far);
    lab_judge(
        s, &claims[INTERFERING], interfering / near, interfering / near,
        "a factor of %.2f over one diameter. The routine as printed is done with an interfering pair when its tetrahedron still holds "
        "the origin, which costs one solve and no search",
        interfering / near);
    lab_judge(
        s, &claims[LEVEL], growth, growth,
        "at most a factor of %.2f. Turns of 6° and 12° are larger than a facet of 500 vertices: see the experiment 'constancy'",
        growth);
    lab_judge(s, &claims[RIGHT], 100.0 * (double)wrong / (double)checked, 100.0 * (double)wrong / (double)checked,
              "%llu of %llu are off by more than 1e-9 of the bodies' size", (unsigned long long)wrong,
              (unsigned long long)checked);
}

static void run_traces(lab_section *s)
{
    size_t count;
    const uint32_t *sizes = lab_list(s, full_sizes, quick_sizes, &count);
    static trace t[DISTANCES][TURNS];
    uint64_t wrong = 0, checked = 0;
    lab_paper(s, "Nine traces over the number of vertices: turns of up to 0°, 6° and 12° a step, at 3 object "
                 "diameters, at one, and with bodies that interfere much of the time. Times rise slightly towards one "
                 "diameter, still below 50 µs; where bodies interfere they rise towards those without tracking.");
    lab_here(
        s,
        "%u pairs a point, sequences of 20, 0.05 a step along a fixed direction and a turn about a new random axis "
        "every step. Gaps of 3 and 1 diameters are centres 8 and 4 apart; interfering ones are 0.9 to 1.9 apart. Times "
        "are averages over the sequence with its first, cold query. Where bodies interfere, the routine and the first "
        "two rows of the library stop at that; “with exact depth” goes on to the shortest way out.",
        lab_size(s, 100, 12));
    const lab_trial trial = {ids, COUNT, true, lab_duration(s, 0.12, 0.005), lab_size(s, 400, 60)};
    FILE *csv = lab_csv_open(s, "traces", "distance,turn_degrees,vertices," LAB_COST_HEADER);
    for (int d = 0; d < DISTANCES; d++) {
        for (int k = 0; k < TURNS; k++) {
            for (size_t i = 0; i < count; i++) {
                const lab_scene scene = scene_of(s, LAB_HULLS, sizes[i], d, k);
                lab_cost *c = t[d][k].cost[i];
                lab_world world;
                lab_world_build(&world, &scene);
                lab_costs(s, &world, &trial, c);
                lab_costs_csv(csv, &trial, c, "%s,%g,%u,", names[d], turns[k], sizes[i]);
                wrong += c[PRINTED].wrong;
                checked += c[PRINTED].checked;
                lab_world_free(&world);
                lab_progress(s, ((double)(d * TURNS + k) + (double)(i + 1) / (double)count) / (DISTANCES * TURNS));
            }
        }
    }
    lab_csv_close(csv);
    draw(s, t, sizes, count);
    draw_as_printed(s, t, sizes, count);
    tabulate(s, t, sizes, count);
    judge(s, t, count, wrong, checked);
    lab_conclude_answers(s);
}

/* ---- boxes ---- */

static const lab_algorithm_id box_ids[] = {LAB_PRINTED_CLIMB, LAB_OURS, LAB_OURS_BOX};
static const lab_algorithm_id hull_ids[] = {LAB_PRINTED_CLIMB, LAB_OURS};
enum { BOX_COUNT = sizeof box_ids / sizeof box_ids[0], HULL_COUNT = 2 };

typedef struct box_row {
    lab_cost random[BOX_COUNT], aligned[BOX_COUNT], hull[HULL_COUNT];
} box_row;

static void plot_box(lab_plot *p, const char *style, const char *legend, const double ns[TURNS])
{
    lab_plot_series(p, style, legend);
    for (int k = 0; k < TURNS; k++) {
        lab_plot_point(p, turns[k], ns[k] / 1e3);
    }
}

static void draw_boxes(lab_section *s, box_row (*rows)[TURNS])
{
    lab_plot p;
    lab_plot_begin(&p, "boxes",
                   "Boxes (filled symbols) beside random hulls of 20 vertices (open symbols): time of tracked queries "
                   "over the turn per step. That boxes are cheaper where they interfere does not reproduce.",
                   3, 1, 1240, 460);
    for (int d = 0; d < DISTANCES; d++) {
        double ns[6][TURNS];
        for (int k = 0; k < TURNS; k++) {
            const box_row *r = &rows[d][k];
            ns[0][k] = r->random[0].times.all;
            ns[1][k] = r->random[1].times.all;
            ns[2][k] = r->random[2].times.all;
            ns[3][k] = r->hull[0].times.all;
            ns[4][k] = r->hull[1].times.all;
            ns[5][k] = r->aligned[0].times.all;
        }
        lab_plot_panel(&p, names[d], "turn per step, up to [degrees]", "time [µs]",
                       "set yrange [0:*]\nset xrange [-0.5:12.5]\nset xtics 6");
        plot_box(&p, "with linespoints lc rgb '#000000' dt 1 pt 5 lw 1.5", "as printed, boxes", ns[0]);
        plot_box(&p, "with linespoints lc rgb '#000000' dt 3 pt 9 lw 1.5", "as printed, aligned boxes", ns[5]);
        plot_box(&p, "with linespoints lc rgb '#000000' dt 2 pt 4 lw 1.5", "as printed, hulls of 20", ns[3]);
        plot_box(&p, "with linespoints lc rgb '#009E73' dt 1 pt 7 lw 1.5", "apart, boxes as hulls of 8", ns[1]);
        plot_box(&p, "with linespoints lc rgb '#009E73' dt 2 pt 6 lw 1.5", "apart, hulls of 20", ns[4]);
        plot_box(&p, "with linespoints lc rgb '#009E73' dt 3 pt 13 lw 1.5", "apart, box shapes", ns[2]);
    }
    lab_plot_end(s, &p);
}

static void judge_boxes(lab_section *s, box_row (*rows)[TURNS])
{
    lab_table table;
    double boxes = 0, hulls = 0, far = 0, deep = 0;
    lab_table_init(&table, "Boxes, tracked",
                   "motion|orientation|printed: ns|operations|loops|edges climbed|apart, as hulls: ns|apart, box "
                   "shapes: ns|loops");
    for (int d = 0; d < DISTANCES; d++) {
        for (int k = 0; k < TURNS; k++) {
            for (int aligned = 0; aligned < 2; aligned++) {
                const lab_cost *c = aligned ? rows[d][k].aligned : rows[d][k].random;
                lab_table_row(&table, "%s, %g°|%s|%.0f|%.0f|%.2f|%.2f|%.0f|%.0f|%.2f", names[d], turns[k],
                              aligned ? "aligned" : "any", c[0].times.all, lab_operations_of(&c[0].all), c[0].all.loops,
                              c[0].all.edges, c[1].times.all, c[2].times.all, c[2].all.loops);
            }
            boxes += d < 2 ? lab_operations_of(&rows[d][k].random[0].later) : 0;
            hulls += d < 2 ? lab_operations_of(&rows[d][k].hull[0].later) : 0;
            *(d < 2 ? &far : &deep) += rows[d][k].random[0].times.all / (d < 2 ? 6 : 3);
        }
    }
    lab_show_table(s, &table);
    double ratio[2] = {INFINITY, 0.0};
    for (int k = 0; k < TURNS; k++) {
        const double hull = lab_operations_of(&rows[2][k].hull[0].all);
        for (int aligned = 0; aligned < 2; aligned++) {
            const double box = lab_operations_of(aligned ? &rows[2][k].aligned[0].all : &rows[2][k].random[0].all);
            ratio[0] = fmin(ratio[0], box / hull);
            ratio[1] = fmax(ratio[1], box / hull);
        }
    }
    lab_judge(s, &claims[BOXES_CHEAPER], boxes / hulls, boxes / hulls, "%.0f operations a tracked query against %.0f",
              boxes / 6, hulls / 6);
    lab_judge(s, &claims[BOXES_INTERFERING], ratio[0], ratio[1],
              "%.2f to %.2f times those of the hulls: it does not reproduce, a box takes as many loops to enclose the "
              "origin as any other body",
              ratio[0], ratio[1]);
    lab_must(s, boxes < hulls,
             "boxes are cheaper still than random hulls: %.0f operations a tracked query against %.0f with 20 vertices "
             "(as printed, disjoint motions)",
             boxes / 6, hulls / 6);
    lab_judge(s, &claims[BOXES_TIME], deep / far, deep / far, "%.3f µs against %.3f µs", deep / 1e3, far / 1e3);
}

static void run_boxes(lab_section *s)
{
    static box_row rows[DISTANCES][TURNS];
    static const lab_kind kinds[3] = {LAB_BOXES, LAB_ALIGNED_BOXES, LAB_HULLS};
    static const char *const bodies[3] = {"boxes", "aligned boxes", "hulls of 20"};
    lab_paper(
        s,
        "Manufactured objects are more regular than random hulls: with boxes, of various and of aligned orientations, "
        "10-20 µs for the lower six traces and 20-30 µs for the three with interference, against 32-50 µs for hulls.");
    lab_here(s,
             "%u pairs of boxes with half extents of 0.3 to 1 on the nine motions of <code>traces</code>, with random "
             "and with aligned orientations at the start; as hulls of 8 vertices for the routine and the library, and "
             "as box shapes, which the library knows.",
             lab_size(s, 100, 12));
    FILE *csv = lab_csv_open(s, "boxes", "bodies,distance,turn_degrees," LAB_COST_HEADER);
    for (int d = 0; d < DISTANCES; d++) {
        for (int k = 0; k < TURNS; k++) {
            for (int i = 0; i < 3; i++) {
                const lab_scene scene = scene_of(s, kinds[i], i < 2 ? 8 : 20, d, k);
                lab_cost *c = i == 0 ? rows[d][k].random : i == 1 ? rows[d][k].aligned : rows[d][k].hull;
                const lab_trial trial = {i < 2 ? box_ids : hull_ids, i < 2 ? BOX_COUNT : HULL_COUNT, true,
                                         lab_duration(s, 0.2, 0.01), lab_size(s, 1000, 100)};
                lab_world world;
                lab_world_build(&world, &scene);
                lab_costs(s, &world, &trial, c);
                lab_costs_csv(csv, &trial, c, "%s,%s,%g,", bodies[i], names[d], turns[k]);
                lab_world_free(&world);
            }
            lab_progress(s, (double)(d * TURNS + k + 1) / (DISTANCES * TURNS));
        }
    }
    lab_csv_close(csv);
    draw_boxes(s, rows);
    judge_boxes(s, rows);
    lab_conclude_answers(s);
}

const lab_experiment lab_traces = {"traces", "fig5", "Cameron 1997, Fig. 5 (C8)", "Nine kinds of motion", run_traces};
const lab_experiment lab_boxes = {"boxes", NULL, "Cameron 1997, section 4 (C8)", "Boxes on the nine motions",
                                  run_boxes};
