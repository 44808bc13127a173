/* The classic comparison: Lin and Canny's algorithm (as V-Clip) beside GJK when tracking, EPA and MPR for depths,
 * Nesterov's momentum beside plain GJK. Plain code in one frame, and apart beside it. */
#include <math.h>
#include <stdlib.h>

#include "../experiments.h"
#include "../kit.h"
#include "../random.h"
#include "solids.h"

enum { TURNS = 6, SIZES = 3, DEPTHS = 5, GAPS = 5, MOST_PAIRS = 100 };

static const double turns[TURNS] = {0, 1, 3, 6, 12, 30}, depths[DEPTHS] = {1.8, 1.5, 1.2, 0.8, 0.4},
                    gaps[GAPS] = {8, 4, 3, 2.5, 2.1};
static const uint32_t sizes[SIZES] = {8, 50, 500};
static const char *const colors[SIZES] = {"#009E73", "#E69F00", "#0072B2"};

/* What the texts claim, and which numbers bear it out. */
enum { ALMOST_CONSTANT, SAME, EPA_LEAST, MPR_MORE, FEWER };
static const lab_claim claims[] = {
    [ALMOST_CONSTANT] = {"C8-lin-canny",
                         "Cameron §1",
                         "Lin and Canny's algorithm tracks in almost constant time",
                         "almost constant",
                         "features walked at 500 vertices over those at 8, no turn",
                         {0, 1.5},
                         {0, 3}},
    [SAME] = {"C8-both",
              "Cameron §2",
              "GJK with climbing has the same almost constant cost",
              "same",
              "growth of GJK's operations over growth of V-Clip's steps, 8 to 500 vertices, up to 12°",
              {0.67, 1.5},
              {0.33, 3}},
    [EPA_LEAST] = {"R-epa",
                   "van den Bergen 2001",
                   "EPA finds the penetration depth",
                   "exact",
                   "overlaps on which it differs from the proved depth [%]",
                   {0, 0},
                   {0, 1}},
    [MPR_MORE] = {"R-mpr",
                  "Snethen 2008",
                  "MPR's depth is near the least one",
                  "near",
                  "mean of its depth over the proved one, centres 1.8 to 0.4 apart",
                  {1, 1.1},
                  {1, 1.5}},
    [FEWER] = {"R-nesterov",
               "Montaut and others 2022",
               "momentum saves iterations",
               "fewer",
               "loops with momentum over loops without, mean over the scenes",
               {0, 0.9},
               {0, 1}},
};

typedef struct tracking {
    double steps, loops, operations, printed_ns, apart_ns; /* V-Clip; Cameron's routine; the library */
    uint64_t wrong, unfinished, queries;
} tracking;

/* ---- tracking ---- */

static void track_pair(lab_section *s, const lab_world *w, lab_solids *solids, uint32_t pair, tracking *t)
{
    lab_printed_memory memory = {0};
    const lab_printed_options how = {.memory = &memory};
    const uint32_t body = pair % w->bodies;
    for (uint32_t step = 0; step < w->scene.steps; step++) {
        lab_solid a, b;
        lab_printed_answer x;
        apart_result proved;
        lab_solids_place(solids, pair, step, &a, &b);
        lab_vclip(&a, &b, &how, &x);
        lab_query(w, LAB_OURS, pair, step, NULL, NULL, &proved);
        if (step > 0) {
            t->steps += x.work.loops;
            t->queries++;
        }
        t->unfinished += x.end == LAB_END_LOOPS;
        t->wrong += x.end != LAB_END_LOOPS && !(fabs(x.distance - fmax(proved.distance, 0.0)) <= 1e-9 * 8.0);
        lab_check_result(s, w->hull_a[body], &w->shape_a[body], &w->pose_a[pair], w->hull_b[body], &w->shape_b[body],
                         lab_pose_b(w, pair, step), &proved, step == 0 && w->scene.n_a <= 50);
    }
}

static tracking track(lab_section *s, uint32_t n, double turn)
{
    const lab_scene scene = {.kind = LAB_HULLS,
                             .n_a = n,
                             .n_b = n,
                             .pairs = lab_size(s, 60, 10),
                             .steps = 20,
                             .wander = 1,
                             .distance = 4,
                             .step = 0.02,
                             .turn = turn,
                             .seed = s->settings->seed};
    tracking t = {0};
    lab_world w;
    lab_tally first, later;
    lab_world_build(&w, &scene);
    lab_solids solids = lab_solids_of(&w);
    for (uint32_t pair = 0; pair < scene.pairs; pair++) {
        track_pair(s, &w, &solids, pair, &t);
    }
    t.steps /= (double)t.queries;
    lab_count_here(&w, LAB_PRINTED_CLIMB, true, &first, &later);
    const lab_counts counts = lab_counts_of(&later);
    t.loops = counts.loops;
    t.operations = lab_operations_of(&counts);
    const lab_algorithm_id ids[2] = {LAB_PRINTED_CLIMB, LAB_OURS};
    lab_times times[2];
    lab_measure(&w, ids, 2, true, lab_duration(s, 0.05, 0.002), times);
    t.printed_ns = times[0].later;
    t.apart_ns = times[1].later;
    lab_solids_free(&solids);
    lab_world_free(&w);
    return t;
}

static void compare_tracking(lab_section *s, lab_plot *p)
{
    static tracking t[SIZES][TURNS];
    uint64_t wrong = 0, unfinished = 0, queries = 0;
    lab_table table;
    FILE *csv =
        lab_csv_open(s, "rivals-tracking",
                     "vertices,turn_degrees,vclip_steps,gjk_loops,gjk_operations,gjk_ns,apart_ns,wrong,unfinished");
    lab_table_init(&table, "Tracking, centres 4 apart: V-Clip beside Cameron's routine and apart",
                   "vertices|turn|V-Clip: steps|wrong|never ends|GJK, as printed: loops|operations|ns|apart: ns");
    for (int i = 0; i < SIZES; i++) {
        for (int k = 0; k < TURNS; k++) {
            const tracking x = t[i][k] = track(s, sizes[i], turns[k]);
            wrong += x.wrong;
            unfinished += x.unfinished;
            queries += x.queries;
            fprintf(csv, "%u,%g,%.4f,%.4f,%.3f,%.2f,%.2f,%llu,%llu\n", sizes[i], turns[k], x.steps, x.loops,
                    x.operations, x.printed_ns, x.apart_ns, (unsigned long long)x.wrong,
                    (unsigned long long)x.unfinished);
            lab_table_row(&table, "%u|%g°|%.2f|%llu|%llu|%.2f|%.0f|%.0f|%.0f", sizes[i], turns[k], x.steps,
                          (unsigned long long)x.wrong, (unsigned long long)x.unfinished, x.loops, x.operations,
                          x.printed_ns, x.apart_ns);
        }
        lab_progress(s, 0.5 * (i + 1) / SIZES);
    }
    lab_csv_close(csv);
    lab_show_table(s, &table);
    for (int panel = 0; panel < 2; panel++) {
        lab_plot_panel(p, panel == 0 ? "Tracking: V-Clip" : "Tracking: GJK with climbing, as printed",
                       "turn a step [degrees]", panel == 0 ? "features walked a query" : "operations a query",
                       "set logscale y");
        for (int i = 0; i < SIZES; i++) {
            char *style = lab_format("with linespoints lc rgb '%s' pt %d lw 1.6", colors[i], 5 + 2 * i),
                 *legend = lab_format("%u vertices", sizes[i]);
            lab_plot_series(p, style, legend);
            for (int k = 0; k < TURNS; k++) {
                lab_plot_point(p, turns[k], panel == 0 ? t[i][k].steps : t[i][k].operations);
            }
            free(style);
            free(legend);
        }
    }
    const double constant = t[SIZES - 1][0].steps / t[0][0].steps;
    double ratio[2] = {INFINITY, 0.0};
    for (int k = 0; k < 5; k++) {
        const double x = t[SIZES - 1][k].operations / t[0][k].operations / (t[SIZES - 1][k].steps / t[0][k].steps);
        ratio[0] = fmin(ratio[0], x);
        ratio[1] = fmax(ratio[1], x);
    }
    lab_judge(s, &claims[ALMOST_CONSTANT], constant, constant, "%.2f steps at 500 vertices, %.2f at 8",
              t[SIZES - 1][0].steps, t[0][0].steps);
    lab_judge(s, &claims[SAME], ratio[0], ratio[1], "V-Clip walks feature by feature, GJK climbs vertex by vertex");
    lab_must(s, wrong * 1000 <= queries && unfinished * 100 <= queries,
             "V-Clip is right where it ends: %llu of %llu differ from the proved distance, %llu do not end",
             (unsigned long long)wrong, (unsigned long long)queries, (unsigned long long)unfinished);
}

/* ---- depths ---- */

static void compare_depths(lab_section *s, lab_plot *p)
{
    double ratio[2][DEPTHS], loops[2] = {0, 0}, all = 0;
    uint64_t differ = 0, pairs = 0;
    FILE *csv = lab_csv_open(s, "rivals-depth", "centres,depth,epa,mpr,epa_loops,mpr_loops");
    lab_printed_run *const runs[2] = {lab_epa, lab_mpr};
    for (int k = 0; k < DEPTHS; k++) {
        const lab_scene scene = {.kind = LAB_HULLS,
                                 .n_a = 20,
                                 .n_b = 20,
                                 .pairs = lab_size(s, MOST_PAIRS, 25),
                                 .steps = 1,
                                 .distance = depths[k],
                                 .seed = s->settings->seed + 41};
        lab_world w;
        double sum[2] = {0, 0};
        uint32_t count = 0;
        lab_world_build(&w, &scene);
        lab_solids solids = lab_solids_of(&w);
        for (uint32_t pair = 0; pair < scene.pairs; pair++) {
            const uint32_t body = pair % w.bodies;
            lab_solid a, b;
            lab_printed_answer x[2];
            apart_result r;
            apart_distance(&w.shape_a[body], &w.pose_a[pair], &w.shape_b[body], lab_pose_b(&w, pair, 0), NULL, NULL,
                           &r);
            if (r.upper >= -1e-6) {
                continue;
            }
            lab_check_result(s, w.hull_a[body], &w.shape_a[body], &w.pose_a[pair], w.hull_b[body], &w.shape_b[body],
                             lab_pose_b(&w, pair, 0), &r, pair % 10 == 0);
            lab_solids_place(&solids, pair, 0, &a, &b);
            for (int i = 0; i < 2; i++) {
                const lab_printed_options how = {.printed = false};
                runs[i](&a, &b, &how, &x[i]);
                sum[i] += x[i].distance / r.distance;
                loops[i] += x[i].work.loops;
            }
            differ += !(fabs(x[0].distance - r.distance) <= 1e-9);
            pairs++;
            count++;
            fprintf(csv, "%g,%.17g,%.17g,%.17g,%u,%u\n", depths[k], -r.distance, -x[0].distance, -x[1].distance,
                    x[0].work.loops, x[1].work.loops);
        }
        ratio[0][k] = sum[0] / count;
        ratio[1][k] = sum[1] / count;
        all += ratio[1][k] / DEPTHS;
        lab_solids_free(&solids);
        lab_world_free(&w);
    }
    lab_csv_close(csv);
    lab_plot_panel(p, "Depths, hulls of 20 vertices", "distance of the centres", "depth / proved depth",
                   "set xrange [1.9:0.3]\nset yrange [0.99:*]");
    for (int i = 0; i < 2; i++) {
        lab_plot_series(p,
                        i == 0 ? "with linespoints lc rgb '#CC79A7' pt 7 lw 1.6"
                               : "with linespoints lc rgb '#D55E00' pt 9 lw 1.6",
                        i == 0 ? "EPA" : "MPR");
        for (int k = 0; k < DEPTHS; k++) {
            lab_plot_point(p, depths[k], ratio[i][k]);
        }
    }
    lab_judge(s, &claims[EPA_LEAST], 100.0 * (double)differ / (double)pairs, 100.0 * (double)differ / (double)pairs,
              "%llu of %llu; %.1f loops a query", (unsigned long long)differ, (unsigned long long)pairs,
              loops[0] / (double)pairs);
    lab_judge(s, &claims[MPR_MORE], all, all, "%.2f at %g, %.2f at %g; %.1f loops a query", ratio[1][0], depths[0],
              ratio[1][DEPTHS - 1], depths[DEPTHS - 1], loops[1] / (double)pairs);
}

/* ---- momentum ---- */

static void compare_momentum(lab_section *s, lab_plot *p)
{
    static double loops[2][SIZES][GAPS];
    double mean = 0;
    lab_table table;
    FILE *csv =
        lab_csv_open(s, "rivals-momentum", "vertices,centres,gjk_loops,nesterov_loops,gjk_supports,nesterov_supports");
    lab_table_init(&table, "Loops from scratch, without and with momentum", "vertices|centres|GJK|with momentum|ratio");
    for (int i = 0; i < SIZES; i++) {
        for (int k = 0; k < GAPS; k++) {
            const lab_scene scene = {.kind = LAB_HULLS,
                                     .n_a = sizes[i],
                                     .n_b = sizes[i],
                                     .pairs = lab_size(s, 100, 25),
                                     .steps = 1,
                                     .distance = gaps[k],
                                     .seed = s->settings->seed + 42};
            lab_world w;
            uint64_t count[2] = {0, 0}, supports[2] = {0, 0};
            lab_world_build(&w, &scene);
            lab_solids solids = lab_solids_of(&w);
            for (uint32_t pair = 0; pair < scene.pairs; pair++) {
                const lab_printed_options how = {.printed = false};
                lab_solid a, b;
                lab_printed_answer x[2];
                lab_solids_place(&solids, pair, 0, &a, &b);
                lab_lindemann(&a, &b, &how, &x[0]);
                lab_nesterov(&a, &b, &how, &x[1]);
                for (int j = 0; j < 2; j++) {
                    count[j] += x[j].work.loops;
                    supports[j] += x[j].work.supports;
                }
            }
            for (int j = 0; j < 2; j++) {
                loops[j][i][k] = (double)count[j] / scene.pairs;
            }
            mean += loops[1][i][k] / loops[0][i][k] / (SIZES * GAPS);
            fprintf(csv, "%u,%g,%.4f,%.4f,%.4f,%.4f\n", sizes[i], gaps[k], loops[0][i][k], loops[1][i][k],
                    (double)supports[0] / scene.pairs, (double)supports[1] / scene.pairs);
            lab_table_row(&table, "%u|%g|%.2f|%.2f|%.2f", sizes[i], gaps[k], loops[0][i][k], loops[1][i][k],
                          loops[1][i][k] / loops[0][i][k]);
            lab_solids_free(&solids);
            lab_world_free(&w);
        }
    }
    lab_csv_close(csv);
    lab_show_table(s, &table);
    lab_plot_panel(p, "Nesterov's momentum, from scratch", "distance of the centres", "loops a query",
                   "set xrange [8.3:1.9]\nset logscale x\nset xtics (8, 6, 4, 3, 2)\nset yrange [0:*]");
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < SIZES; i++) {
            char *style =
                     lab_format("with linespoints lc rgb '%s' dt %d pt %d lw 1.6", colors[i], 1 + j, 5 + 2 * i - j),
                 *legend = lab_format("%u, %s", sizes[i], j == 0 ? "plain" : "momentum");
            lab_plot_series(p, style, legend);
            for (int k = 0; k < GAPS; k++) {
                lab_plot_point(p, gaps[k], loops[j][i][k]);
            }
            free(style);
            free(legend);
        }
    }
    lab_judge(s, &claims[FEWER], mean, mean,
              "%.2f at 8 vertices and centres 8 apart, %.2f at 500 and 2.1: few loops leave no room for momentum",
              loops[1][0][0] / loops[0][0][0], loops[1][SIZES - 1][GAPS - 1] / loops[0][SIZES - 1][GAPS - 1]);
}

static void run(lab_section *s)
{
    lab_plot p;
    lab_paper(s,
              "Cameron compares GJK with Lin and Canny's algorithm, in words and in another paper; of depths he says "
              "that the deep ones need another search. Others have answered since: V-Clip, EPA, MPR, momentum.");
    lab_here(s,
             "Each rival as its paper describes it, in plain code (<code>apps/lab/printed</code>), on the same hulls "
             "of points of the unit sphere. V-Clip is given the features' adjacency and vertices in the world; its "
             "steps are features walked, and no times are compared with it, because it asks for other data.");
    lab_plot_begin(&p, "rivals",
                   "Rivals of GJK. Above: tracked queries, centres 4 apart, the features that V-Clip walks and the "
                   "operations of GJK with climbing over the turn a step. Below: depths of EPA and MPR over the proved "
                   "depth, and loops of GJK with and without Nesterov's momentum.",
                   2, 2, 1240, 860);
    p.legends_by_panel = true;
    compare_tracking(s, &p);
    compare_depths(s, &p);
    lab_progress(s, 0.8);
    compare_momentum(s, &p);
    lab_plot_end(s, &p);
    lab_conclude_answers(s);
    lab_progress(s, 1.0);
}

const lab_experiment lab_rivals = {"rivals", NULL, "Cameron 1997, sections 1, 2 and 5; later papers",
                                   "V-Clip, EPA, MPR and momentum beside GJK", run};
