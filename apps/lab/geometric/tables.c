/* Tables 2 and 3 and Fig. 12 of the geometric improvement (items G7, G8): four algorithms, static and along a path of
 * ten positions. */
#include <math.h>
#include <stdlib.h>

#include "../costs.h"
#include "../experiments.h"

/* The paper's four algorithms in the library, ours, and two of the four as plain code, whose scans use no SIMD
 * instructions. */
static const lab_algorithm_id ids[] = {LAB_JOHNSON_SCAN, LAB_GEOMETRIC_SCAN, LAB_JOHNSON_CLIMB, LAB_GEOMETRIC_CLIMB,
                                       LAB_OURS,         LAB_PRINTED_SCAN,   LAB_PRINTED_CLIMB};
enum {
    COUNT = sizeof ids / sizeof ids[0],
    ORIGINAL = 0,
    GEOMETRIC = 1,
    CAMERON = 2,
    COMBINED = 3,
    OURS = 4,
    PLAIN_SCAN = 5,
    PLAIN_CLIMB = 6,
    SIZES = 10,
    PATHS = 8,
    READINGS = 2
};
static const char *const names[COUNT] = {"The original GJK",        "Geometric", "Cameron's",
                                         "Geometric and Cameron's", "apart",     "The original, as printed",
                                         "Cameron's, as printed"};

static const uint32_t sizes[SIZES][2] = {{8, 8},   {10, 20},   {20, 30},   {30, 40},   {40, 50},
                                         {50, 60}, {100, 120}, {150, 180}, {200, 240}, {250, 300}};
/* Table 2 in milliseconds: MATLAB 5.2 on a 266 MHz Pentium II. */
static const double table_2[4][SIZES] = {{16, 30, 80, 105, 210, 95, 445, 440, 380, 480},
                                         {17, 30, 70, 100, 205, 100, 480, 430, 385, 480},
                                         {30, 55, 80, 110, 175, 85, 250, 145, 250, 220},
                                         {31, 60, 75, 105, 150, 90, 220, 130, 255, 220}};
/* Table 3: the original and the combined algorithm along a path. Its sizes are those above from 10/20 to 200/240. */
static const double table_3[2][PATHS] = {{666, 1726, 946, 2096, 1250, 2650, 6074, 5250},
                                         {358, 424, 462, 522, 458, 582, 668, 800}};

/* sqrt(75): "35" with the root sign put back. */
#define FIVE_ROOT_THREE 8.660254037844386

/* What the paper claims, and which numbers bear it out. */
enum { RIGHT_STATIC, COMBINED_GAIN, PRINTED_GAIN, FEW, COMPETITIVE, PATH_GAIN, PATH_GAIN_NEAR, RIGHT_PATH };
static const lab_claim claims[] = {
    [RIGHT_STATIC] = {"G7-right",
                      "Geometric §4.3, Table 2",
                      "the four algorithms compute the distance",
                      "right",
                      "wrong answers",
                      {0, 0},
                      {0, 1}},
    [COMBINED_GAIN] = {"G7-combined",
                       "Geometric §4.3, Table 2",
                       "the combined algorithm is more efficient for many vertices",
                       "480 / 220 = 2.2",
                       "ratio of times in the library, 250/300 vertices",
                       {1.5, 3.3},
                       {1, INFINITY}},
    [PRINTED_GAIN] = {"G7-combined-printed",
                      "Geometric §4.3, Table 2",
                      "the same in plain code",
                      "2.2",
                      "ratio of times as printed, 250/300 vertices",
                      {1.5, 3.3},
                      {1, INFINITY}},
    [FEW] = {"G7-few",
             "Geometric §4.3, Table 2",
             "for few vertices scanning is faster",
             "30 / 16 = 1.9",
             "ratio of times in the library, 8/8 vertices",
             {1.2, 3},
             {1, INFINITY}},
    [COMPETITIVE] = {"G7-competitive",
                     "Geometric §4.3, Table 2",
                     "the geometric algorithm is competitive with the original",
                     "0.88–1.08",
                     "ratio of times, mean over the sizes",
                     {0.8, 1.2},
                     {0.5, 1.5}},
    [PATH_GAIN] = {"G8-tracking",
                   "Geometric §4.3, Table 3",
                   "with the last support vertices stored the efficiency improves significantly",
                   "5250 / 800 = 6.6",
                   "ratio of times as printed, 200/240 vertices, 35 apart",
                   {4.4, 10},
                   {2, INFINITY}},
    [PATH_GAIN_NEAR] = {"G8-tracking-near",
                        "Geometric §4.3, Table 3",
                        "with the last support vertices stored the efficiency improves significantly",
                        "5250 / 800 = 6.6",
                        "the same at 5√3",
                        {4.4, 10},
                        {2, INFINITY}},
    [RIGHT_PATH] = {"G8-right",
                    "Geometric §4.3, Table 3",
                    "the algorithms compute the distance along a path",
                    "right",
                    "wrong answers",
                    {0, 0},
                    {0, 1}},
};

/* Without the certificate: how many answers of each of the four are wrong. */
static void count_wrong(const lab_world *w, bool tracked, uint64_t wrong[COUNT])
{
    for (int i = 0; i < COUNT; i++) {
        for (uint32_t pair = 0; pair < w->scene.pairs; pair++) {
            lab_memory memory = {0};
            for (uint32_t step = 0; step < w->scene.steps; step++) {
                const lab_query_options bare = {.no_fallback = true};
                apart_result proved, other;
                lab_query(w, LAB_OURS, pair, step, NULL, NULL, &proved);
                lab_query(w, ids[i], pair, step, &bare, tracked ? &memory : NULL, &other);
                const double size = 2.0 + w->scene.distance;
                wrong[i] += !(fabs(fmax(other.distance, 0.0) - fmax(proved.distance, 0.0)) <= LAB_WRONG * size);
            }
        }
    }
}

/* ---- Table 2 ---- */

static void show_table_2(lab_section *s, lab_cost (*cost)[COUNT], const uint64_t *wrong, const uint32_t *which,
                         size_t count)
{
    for (size_t from = 0; from < count; from += 5) {
        lab_table t;
        lab_text heading = {NULL, 0, 0};
        const size_t end = from + 5 < count ? from + 5 : count;
        lab_text_add(&heading, "vertices");
        for (size_t k = from; k < end; k++) {
            lab_text_add(&heading, "|%u/%u", sizes[which[k]][0], sizes[which[k]][1]);
        }
        lab_table_init(&t,
                       from == 0
                           ? "Table 2 anew: µs per query; in brackets the paper's ms; * marks the fastest of the four"
                           : "Table 2 anew, continued",
                       heading.data);
        for (int i = 0; i < COUNT; i++) {
            lab_text row = {NULL, 0, 0};
            lab_text_add(&row, "%s", names[i]);
            for (size_t k = from; k < end; k++) {
                double best = INFINITY;
                for (int j = 0; j < 4; j++) {
                    best = fmin(best, cost[k][j].times.all);
                }
                lab_text_add(&row, "|%.3f%s", cost[k][i].times.all / 1e3,
                             i < 4 && cost[k][i].times.all <= best ? "*" : "");
                if (i < 4) {
                    lab_text_add(&row, " (%.0f)", table_2[i][which[k]]);
                }
            }
            lab_table_row(&t, "%s", row.data);
            lab_text_free(&row);
        }
        lab_show_table(s, &t);
        lab_text_free(&heading);
    }
    lab_judge(s, &claims[RIGHT_STATIC], (double)(wrong[0] + wrong[1] + wrong[2] + wrong[3]),
              (double)(wrong[0] + wrong[1] + wrong[2] + wrong[3]),
              "without the certificate wrong are %llu, %llu, %llu and %llu", (unsigned long long)wrong[0],
              (unsigned long long)wrong[1], (unsigned long long)wrong[2], (unsigned long long)wrong[3]);
}

/* What does not depend on the machine: the same table in operations. */
static void show_operations(lab_section *s, lab_cost (*cost)[COUNT], const uint32_t *which, size_t count)
{
    lab_table t;
    lab_table_init(&t, "The same in counted operations (and loops)",
                   "vertices|The original GJK|Geometric|Cameron's|Geometric and Cameron's|apart|original, as "
                   "printed|Cameron's, as printed");
    for (size_t k = 0; k < count; k++) {
        lab_text row = {NULL, 0, 0};
        lab_text_add(&row, "%u/%u", sizes[which[k]][0], sizes[which[k]][1]);
        for (int i = 0; i < COUNT; i++) {
            lab_text_add(&row, "|%.0f (%.2f)", lab_operations_of(&cost[k][i].all), cost[k][i].all.loops);
        }
        lab_table_row(&t, "%s", row.data);
        lab_text_free(&row);
    }
    lab_show_table(s, &t);
}

static void draw_static(lab_section *s, lab_cost (*cost)[COUNT], const uint32_t *which, size_t count)
{
    lab_plot p;
    lab_plot_begin(&p, "static",
                   "Fig. 12 anew: time of a query without tracking over the vertices of both bodies together, here "
                   "(left) and as printed in Table 2 (right; one pair a point, hence the ups and downs).",
                   2, 1, 1160, 480);
    for (int panel = 0; panel < 2; panel++) {
        lab_plot_panel(&p, panel == 0 ? "Here" : "The paper's Table 2", "vertices of both bodies",
                       panel == 0 ? "time per query [µs]" : "time [ms]",
                       panel == 0 ? "set logscale xy\nset xtics (16, 30, 50, 90, 220, 550)"
                                  : "set logscale xy\nset xtics (16, 30, 50, 90, 220, 550)");
        for (int i = 0; i < (panel == 0 ? COUNT : 4); i++) {
            lab_plot_algorithm(&p, ids[i], names[i]);
            for (size_t k = 0; k < count; k++) {
                lab_plot_point(&p, sizes[which[k]][0] + sizes[which[k]][1],
                               panel == 0 ? cost[k][i].times.all / 1e3 : table_2[i][which[k]]);
            }
        }
    }
    lab_plot_end(s, &p);
}

static void judge_static(lab_section *s, lab_cost (*cost)[COUNT], size_t count)
{
    const lab_cost *first = cost[0], *last = cost[count - 1];
    double geometric = 0;
    for (size_t k = 0; k < count; k++) {
        geometric += cost[k][GEOMETRIC].times.all / cost[k][ORIGINAL].times.all / (double)count;
    }
    const double gain = last[ORIGINAL].times.all / last[COMBINED].times.all,
                 saved = lab_operations_of(&last[ORIGINAL].all) / lab_operations_of(&last[COMBINED].all);
    lab_must(s, saved > 1.5, "hill climbing saves operations at the largest size: %.0f against %.0f",
             lab_operations_of(&last[COMBINED].all), lab_operations_of(&last[ORIGINAL].all));
    lab_judge(s, &claims[COMBINED_GAIN], gain, gain,
              "by %.2f in the library, whose scans use SIMD instructions, and by %.2f for hill "
              "climbing in plain code",
              gain, last[PLAIN_SCAN].times.all / last[PLAIN_CLIMB].times.all);
    const double plain = last[PLAIN_SCAN].times.all / last[PLAIN_CLIMB].times.all;
    lab_judge(s, &claims[PRINTED_GAIN], plain, plain, "original over Cameron's, as printed");
    lab_judge(s, &claims[FEW], first[CAMERON].times.all / first[ORIGINAL].times.all,
              first[CAMERON].times.all / first[ORIGINAL].times.all, "%.3f against %.3f µs",
              first[ORIGINAL].times.all / 1e3, first[CAMERON].times.all / 1e3);
    lab_judge(s, &claims[COMPETITIVE], geometric, geometric, "it takes %.2f times as long on average, with scans",
              geometric);
    lab_words(s, "apart beside the combined algorithm at the largest size: %.3f against %.3f µs",
              last[OURS].times.all / 1e3, last[COMBINED].times.all / 1e3);
}

static void run_static(lab_section *s)
{
    static const uint32_t full[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, LAB_END}, quick[] = {0, 2, 4, 9, LAB_END};
    static lab_cost cost[SIZES][COUNT];
    size_t count;
    const uint32_t *which = lab_list(s, full, quick, &count);
    uint64_t wrong[COUNT] = {0};
    lab_paper(s, "Four algorithms on pairs of static bodies whose vertices are random points of the unit sphere, 8/8 "
                 "to 250/300 of them: the original GJK, the geometric solver, Cameron's hill climbing, and both; "
                 "MATLAB 5.2 on a 266 MHz Pentium II, one pair for each size.");
    lab_here(s,
             "The library with Johnson's or the geometric solver and with scans or climbing; %u pairs for each size in "
             "10 positions, centres 5√3 apart, every query from scratch. “apart” is the library's default; “as "
             "printed” is plain code after Cameron's paper, with scans that use no SIMD instructions.",
             lab_size(s, 100, 15));
    const lab_trial trial = {ids, COUNT, false, lab_duration(s, 0.4, 0.01), lab_size(s, 1000, 150)};
    FILE *csv = lab_csv_open(s, "static", "vertices_a,vertices_b," LAB_COST_HEADER);
    for (size_t k = 0; k < count; k++) {
        const lab_scene scene = {.kind = LAB_HULLS,
                                 .n_a = sizes[which[k]][0],
                                 .n_b = sizes[which[k]][1],
                                 .pairs = lab_size(s, 100, 15),
                                 .steps = 10,
                                 .wander = 1,
                                 .distance = FIVE_ROOT_THREE,
                                 .step = 0.2,
                                 .turn = 90,
                                 .seed = s->settings->seed};
        lab_world world;
        lab_world_build(&world, &scene);
        lab_costs(s, &world, &trial, cost[k]);
        lab_costs_csv(csv, &trial, cost[k], "%u,%u,", scene.n_a, scene.n_b);
        count_wrong(&world, false, wrong);
        lab_world_free(&world);
        lab_progress(s, (double)(k + 1) / (double)count);
    }
    lab_csv_close(csv);
    draw_static(s, cost, which, count);
    show_table_2(s, cost, wrong, which, count);
    show_operations(s, cost, which, count);
    judge_static(s, cost, count);
    lab_conclude_answers(s);
}

/* ---- Table 3 ---- */

static const lab_algorithm_id cold_ids[2] = {LAB_JOHNSON_SCAN, LAB_PRINTED_SCAN};
static const double readings[READINGS] = {35.0, FIVE_ROOT_THREE};
static const char *const reading_names[READINGS] = {"35 apart", "5√3 apart"};

typedef struct path_row {
    lab_cost tracked[READINGS][COUNT], cold[READINGS][2]; /* cold: the original, and as printed */
} path_row;

/* Time of a path of ten positions. */
static double path_time(const lab_cost *c) { return 10.0 * c->times.all / 1e3; }

static void show_table_3(lab_section *s, const path_row *rows, const uint32_t *which, size_t count)
{
    lab_table t;
    lab_table_init(&t, "Table 3 anew: µs for a path of ten positions; in brackets the paper's ms",
                   "vertices|distance|original, cold|original, tracked|geometric, tracked|Cameron's, tracked|combined, "
                   "tracked|apart, tracked|original cold / combined|as printed: original, cold|Cameron's, "
                   "tracked|ratio|ratio by the paper");
    for (size_t k = 0; k < count; k++) {
        for (int d = 0; d < READINGS; d++) {
            const lab_cost *c = rows[k].tracked[d];
            const double cold = path_time(&rows[k].cold[d][0]), combined = path_time(&c[COMBINED]);
            lab_table_row(&t, "%u/%u|%s|%.2f (%.0f)|%.2f|%.2f|%.2f|%.2f (%.0f)|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f",
                          sizes[which[k]][0], sizes[which[k]][1], reading_names[d], cold, table_3[0][which[k] - 1],
                          path_time(&c[ORIGINAL]), path_time(&c[GEOMETRIC]), path_time(&c[CAMERON]), combined,
                          table_3[1][which[k] - 1], path_time(&c[OURS]), cold / combined,
                          path_time(&rows[k].cold[d][1]), path_time(&c[PLAIN_CLIMB]),
                          path_time(&rows[k].cold[d][1]) / path_time(&c[PLAIN_CLIMB]),
                          table_3[0][which[k] - 1] / table_3[1][which[k] - 1]);
        }
    }
    lab_show_table(s, &t);
}

static void draw_path(lab_section *s, const path_row *rows, const uint32_t *which, size_t count)
{
    lab_plot p;
    lab_plot_begin(
        &p, "path",
        "Table 3 as figures: time along a path of ten positions, 1 unit and 10° a step, for both readings of the "
        "distance, and as printed. The original algorithm starts each position from scratch, the others are tracked.",
        3, 1, 1240, 460);
    for (int d = 0; d <= READINGS; d++) {
        const bool paper = d == READINGS;
        lab_plot_panel(&p, paper ? "The paper's Table 3" : reading_names[d], "vertices of both bodies",
                       paper ? "time of a path [ms]" : "time of a path [µs]",
                       "set logscale xy\nset xtics (30, 50, 90, 220, 440)");
        lab_plot_algorithm(&p, LAB_JOHNSON_SCAN, "original, cold");
        for (size_t k = 0; k < count; k++) {
            lab_plot_point(&p, sizes[which[k]][0] + sizes[which[k]][1],
                           paper ? table_3[0][which[k] - 1] : path_time(&rows[k].cold[d][0]));
        }
        for (int i = GEOMETRIC; i < COUNT; i++) {
            if (i == PLAIN_SCAN && !paper) {
                lab_plot_algorithm(&p, LAB_PRINTED_SCAN, "as printed, original, cold");
                for (size_t k = 0; k < count; k++) {
                    lab_plot_point(&p, sizes[which[k]][0] + sizes[which[k]][1], path_time(&rows[k].cold[d][1]));
                }
            } else if (!paper || i == COMBINED) {
                lab_plot_algorithm(&p, ids[i], names[i]);
                for (size_t k = 0; k < count; k++) {
                    lab_plot_point(&p, sizes[which[k]][0] + sizes[which[k]][1],
                                   paper ? table_3[1][which[k] - 1] : path_time(&rows[k].tracked[d][i]));
                }
            }
        }
    }
    lab_plot_end(s, &p);
}

static void judge_path(lab_section *s, const path_row *rows, size_t count, const uint64_t *wrong)
{
    const path_row *last = &rows[count - 1];
    for (int d = 0; d < READINGS; d++) {
        const double cold = lab_operations_of(&last->cold[d][0].all),
                     combined = lab_operations_of(&last->tracked[d][COMBINED].all);
        lab_must(s, combined < 0.5 * cold,
                 "%s: tracking with hill climbing saves more than half of the operations at the largest size: %.0f "
                 "against %.0f",
                 reading_names[d], combined, cold);
        const double plain = path_time(&last->cold[d][1]) / path_time(&last->tracked[d][PLAIN_CLIMB]);
        lab_judge(s, &claims[d == 0 ? PATH_GAIN : PATH_GAIN_NEAR], plain, plain,
                  "%s: by %.1f for plain "
                  "code with hill climbing; by %.1f in the library, whose scans use SIMD instructions; by %.1f with "
                  "apart's default",
                  reading_names[d], plain, path_time(&last->cold[d][0]) / path_time(&last->tracked[d][COMBINED]),
                  path_time(&last->cold[d][0]) / path_time(&last->tracked[d][OURS]));
    }
    lab_judge(s, &claims[RIGHT_PATH], (double)(wrong[0] + wrong[1] + wrong[2] + wrong[3]),
              (double)(wrong[0] + wrong[1] + wrong[2] + wrong[3]),
              "without the certificate wrong are %llu, %llu, %llu "
              "and %llu",
              (unsigned long long)wrong[0], (unsigned long long)wrong[1], (unsigned long long)wrong[2],
              (unsigned long long)wrong[3]);
}

static void run_path(lab_section *s)
{
    static const uint32_t full[] = {1, 2, 3, 4, 5, 6, 7, 8, LAB_END}, quick[] = {1, 4, 8, LAB_END};
    static path_row rows[PATHS];
    size_t count;
    const uint32_t *which = lab_list(s, full, quick, &count);
    uint64_t wrong[COUNT] = {0};
    lab_paper(s, "One of two bodies as before moves along a path of 10 random positions, 1 unit of length in a random "
                 "direction and 10° about a random axis each step. The original GJK against the combined algorithm, "
                 "which starts from the last support vertices. The bodies are “35” apart, where a root sign may have "
                 "been lost; the second half of the table labels its rows differently, but they are again these two.");
    lab_here(s,
             "%u paths for each size and for both readings of the distance, 35 and 5√3. All four algorithms tracked, "
             "and the original also from scratch at each position.",
             lab_size(s, 100, 15));
    const lab_trial tracked = {ids, COUNT, true, lab_duration(s, 0.25, 0.01), lab_size(s, 1000, 150)};
    const lab_trial cold = {cold_ids, 2, false, lab_duration(s, 0.25, 0.01), 50};
    FILE *csv = lab_csv_open(s, "path", "vertices_a,vertices_b,distance,tracked," LAB_COST_HEADER);
    for (size_t k = 0; k < count; k++) {
        for (int d = 0; d < READINGS; d++) {
            const lab_scene scene = {.kind = LAB_HULLS,
                                     .n_a = sizes[which[k]][0],
                                     .n_b = sizes[which[k]][1],
                                     .pairs = lab_size(s, 100, 15),
                                     .steps = 10,
                                     .wander = 1,
                                     .distance = readings[d],
                                     .step = 1,
                                     .turn = 10,
                                     .seed = s->settings->seed};
            lab_world world;
            lab_world_build(&world, &scene);
            lab_costs(s, &world, &tracked, rows[k].tracked[d]);
            lab_costs(s, &world, &cold, rows[k].cold[d]);
            count_wrong(&world, true, wrong);
            lab_costs_csv(csv, &tracked, rows[k].tracked[d], "%u,%u,%.4f,1,", scene.n_a, scene.n_b, readings[d]);
            lab_costs_csv(csv, &cold, rows[k].cold[d], "%u,%u,%.4f,0,", scene.n_a, scene.n_b, readings[d]);
            lab_world_free(&world);
        }
        lab_progress(s, (double)(k + 1) / (double)count);
    }
    lab_csv_close(csv);
    draw_path(s, rows, which, count);
    show_table_3(s, rows, which, count);
    judge_path(s, rows, count, wrong);
    lab_conclude_answers(s);
}

const lab_experiment lab_static = {"static", "fig12 table2", "The geometric improvement, Table 2 and Fig. 12 (G7)",
                                   "Four algorithms on static bodies", run_static};
const lab_experiment lab_path = {"path", "table3", "The geometric improvement, Table 3 (G8)", "The same along a path",
                                 run_path};
