/* Where the time of plain GJK goes (the geometric improvement's Fig. 9), and what the choice of the first point is worth
 * (its section 3.1(b), item G3). */
#include <math.h>
#include <stdlib.h>

#include "../experiments.h"
#include "../kit.h"

enum { MOST_SIZES = 8, ROUNDS = 15 };

static const uint32_t full_sizes[] = {8, 20, 50, 100, 200, 500, LAB_END}, quick_sizes[] = {8, 50, 200, LAB_END};

/* What the paper claims, and which numbers bear it out. */
enum { SUPPORTS, SUPPORT_TIME, GOOD_START, PRINTED_START };
static const lab_claim claims[] = {
    [SUPPORTS] = {"G-fig9-operations",
                  "Geometric §5, Fig. 9",
                  "the support function is the most time-consuming part of GJK",
                  "most",
                  "share of the operations, 50 vertices and more [%]",
                  {50, 100},
                  {33, 100}},
    [SUPPORT_TIME] = {"G-fig9",
                      "Geometric §5, Fig. 9",
                      "the same in time",
                      "most",
                      "share of the time, 50 vertices and more [%]",
                      {50, 100},
                      {33, 100}},
    [GOOD_START] = {"G3-start",
                    "Geometric §3.1(b)",
                    "a first point along the centres is one of the most important ways to reduce the time",
                    "less",
                    "operations over those from an arbitrary vertex, scans",
                    {0, 0.8},
                    {0, 1}},
    [PRINTED_START] = {"G3-printed",
                       "Geometric §3.1(b)",
                       "the same with the printed direction, centroid of K₁ minus that of K₂",
                       "less",
                       "operations over those from an arbitrary vertex, scans",
                       {0, 0.8},
                       {0, 1}},
};

static lab_scene scene_of(const lab_section *s, uint32_t n, double distance)
{
    return (lab_scene){.kind = LAB_HULLS,
                       .n_a = n,
                       .n_b = n,
                       .pairs = lab_size(s, 60, 12),
                       .steps = 5,
                       .wander = 1,
                       .distance = distance,
                       .step = 0.1,
                       .turn = 90,
                       .seed = s->settings->seed + 50};
}

/* ---- Fig. 9 ---- */

/* Nanoseconds of a round of plain GJK, cold. */
static double round_of(const lab_world *w, bool twice, double *sum)
{
    const lab_routine_options how = {.stop = LAB_STOP_GAP, .supports_twice = twice};
    const double start = lab_processor_seconds();
    for (uint32_t pair = 0; pair < w->scene.pairs; pair++) {
        for (uint32_t step = 0; step < w->scene.steps; step++) {
            lab_routine_cache cache = {0};
            lab_routine_answer answer;
            const uint32_t body = pair % w->bodies;
            lab_routine(&w->polytope_a[body], &w->pose_a[pair], &w->polytope_b[body], lab_pose_b(w, pair, step), &how,
                        &cache, NULL, &answer);
            *sum += answer.distance;
        }
    }
    return 1e9 * (lab_processor_seconds() - start) / (w->scene.pairs * w->scene.steps);
}

/* A query with every search once and twice, in turns; of each the best round. */
static void time_searches(const lab_world *w, double *once, double *twice)
{
    double sum = 0.0;
    *once = *twice = INFINITY;
    for (int round = 0; round < ROUNDS && sum >= 0.0; round++) {
        *once = fmin(*once, round_of(w, false, &sum));
        *twice = fmin(*twice, round_of(w, true, &sum));
    }
}

typedef struct shares {
    double support, solver, rest, support_time, ns; /* of operations; of time */
} shares;

static shares profile_of(const lab_section *s, uint32_t n)
{
    const lab_scene scene = scene_of(s, n, 4.0);
    lab_world w;
    lab_tally first, later;
    lab_world_build(&w, &scene);
    lab_count_here(&w, LAB_PRINTED_SCAN, false, &first, &later);
    lab_tally_add(&first, &later);
    const lab_counts c = lab_counts_of(&first);
    const double all = c.multiplications + c.divisions;
    double once, twice;
    time_searches(&w, &once, &twice);
    lab_world_free(&w);
    return (shares){100.0 * c.support / all, 100.0 * (c.solver + c.divisions) / all,
                    100.0 * (all - c.support - c.solver - c.divisions) / all, 100.0 * fmax(0.0, twice - once) / once,
                    once};
}

static void run_profile(lab_section *s)
{
    size_t count;
    const uint32_t *sizes = lab_list(s, full_sizes, quick_sizes, &count);
    shares x[MOST_SIZES];
    lab_plot p;
    lab_table t;
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    lab_paper(s, "Fig. 9 profiles a typical run of GJK: the support functions take most of the time.");
    lab_here(s,
             "Plain GJK (the routine as printed, with scans and Johnson's sub-algorithm), cold, centres 4 apart. The "
             "share of the operations is counted; that of the time is what a run costs more when every search is "
             "done twice.");
    FILE *csv = lab_csv_open(s, "profile", "vertices,support_share,solver_share,rest_share,support_time_share,ns");
    lab_table_init(&t, "Shares of a query [%]",
                   "vertices|supports|sub-algorithm|test and transforms|supports, by time|ns");
    for (size_t k = 0; k < count; k++) {
        x[k] = profile_of(s, sizes[k]);
        fprintf(csv, "%u,%.3f,%.3f,%.3f,%.3f,%.2f\n", sizes[k], x[k].support, x[k].solver, x[k].rest, x[k].support_time,
                x[k].ns);
        lab_table_row(&t, "%u|%.0f|%.0f|%.0f|%.0f|%.0f", sizes[k], x[k].support, x[k].solver, x[k].rest,
                      x[k].support_time, x[k].ns);
        if (sizes[k] >= 50) {
            least[0] = fmin(least[0], x[k].support);
            most[0] = fmax(most[0], x[k].support);
            least[1] = fmin(least[1], x[k].support_time);
            most[1] = fmax(most[1], x[k].support_time);
        }
        lab_progress(s, (double)(k + 1) / (double)count);
    }
    lab_csv_close(csv);
    lab_show_table(s, &t);
    lab_plot_begin(&p, "profile",
                   "Where plain GJK spends its work (Fig. 9 of the geometric improvement): shares of the counted "
                   "operations, and the share of the time that searching takes.",
                   1, 1, 860, 440);
    lab_plot_panel(&p, "Plain GJK, cold", "vertices of each hull", "share [%]", "set logscale x\nset yrange [0:100]");
    static const char *const styles[4] = {"with linespoints lc rgb '#0072B2' pt 7 lw 1.8",
                                          "with linespoints lc rgb '#E69F00' pt 5 lw 1.8",
                                          "with linespoints lc rgb '#777777' pt 9 lw 1.8",
                                          "with linespoints lc rgb '#0072B2' dt 2 pt 6 lw 1.8"};
    static const char *const legends[4] = {"supports", "sub-algorithm", "test and transforms", "supports, by time"};
    for (int i = 0; i < 4; i++) {
        lab_plot_series(&p, styles[i], legends[i]);
        for (size_t k = 0; k < count; k++) {
            lab_plot_point(&p, sizes[k],
                           i == 0   ? x[k].support
                           : i == 1 ? x[k].solver
                           : i == 2 ? x[k].rest
                                    : x[k].support_time);
        }
    }
    lab_plot_end(s, &p);
    lab_judge(s, &claims[SUPPORTS], least[0], most[0], "%.0f %% at %u vertices, %.0f %% at %u", x[0].support, sizes[0],
              x[count - 1].support, sizes[count - 1]);
    lab_judge(s, &claims[SUPPORT_TIME], least[1], most[1], "%.0f %% at %u vertices, %.0f %% at %u", x[0].support_time,
              sizes[0], x[count - 1].support_time, sizes[count - 1]);
    const lab_scene scene = scene_of(s, 50, 4.0);
    const lab_algorithm_id ids[1] = {LAB_PRINTED_SCAN};
    uint64_t wrong[1] = {0};
    lab_check_scene(s, &scene, ids, 1, false, 60, wrong);
    lab_must(s, wrong[0] == 0, "plain GJK is right on these bodies: %llu wrong", (unsigned long long)wrong[0]);
    lab_conclude_answers(s);
}

/* ---- starts ---- */

enum { ARBITRARY, CENTRES, PRINTED_CENTRES, STARTS, GAPS = 5 };
static const char *const start_names[STARTS] = {"arbitrary vertices", "along the centres", "the printed direction"};
static const double gaps[GAPS] = {8, 5, 4, 3, 2.3};

static uint32_t farthest(const lab_polytope *body, const apart_pose *pose, apart_vec3 d)
{
    const apart_vec3 local = apart_pose_rotate_inverse(pose, d);
    uint32_t best = 0;
    for (uint32_t i = 1; i < body->count; i++) {
        best = apart_vec3_dot(local, body->vertex[i]) > apart_vec3_dot(local, body->vertex[best]) ? i : best;
    }
    return best;
}

typedef struct start_cost {
    double loops, operations;
} start_cost;

/* A search for the first point is counted as one more. */
static start_cost cost_of(const lab_world *w, int start, bool climb)
{
    lab_operations ops = {0};
    const lab_routine_options how = {.climb = climb, .stop = LAB_STOP_GAP};
    for (uint32_t pair = 0; pair < w->scene.pairs; pair++) {
        for (uint32_t step = 0; step < w->scene.steps; step++) {
            const uint32_t body = pair % w->bodies;
            const lab_polytope *a = &w->polytope_a[body], *b = &w->polytope_b[body];
            const apart_pose *pose_b = lab_pose_b(w, pair, step);
            lab_routine_cache cache = {0};
            lab_routine_answer answer;
            apart_vec3 d = apart_vec3_sub(pose_b->translation, w->pose_a[pair].translation);
            d = start == PRINTED_CENTRES ? apart_vec3_neg(d) : d;
            if (start != ARBITRARY) {
                cache.index_a[0] = cache.last_a = farthest(a, &w->pose_a[pair], d);
                cache.index_b[0] = cache.last_b = farthest(b, pose_b, apart_vec3_neg(d));
                ops.support += 3 * (uint64_t)(a->count + b->count);
            }
            lab_routine(a, &w->pose_a[pair], b, pose_b, &how, &cache, &ops, &answer);
        }
    }
    const double queries = (double)ops.queries;
    return (start_cost){(double)ops.loops / queries,
                        (double)(ops.support + ops.solver + ops.test + ops.divisions) / queries};
}

static void run_starts(lab_section *s)
{
    static const uint32_t sizes[3] = {10, 50, 200};
    static start_cost x[2][3][GAPS][STARTS];
    double ratio[2][2] = {{INFINITY, 0}, {INFINITY, 0}};
    lab_plot p;
    lab_table t;
    lab_paper(s, "“One of the most important ways to reduce the computation time is to make a good choice of initial "
                 "points”: the support point towards the origin by the difference of the centroids.");
    lab_here(s,
             "The routine as printed from three first points: vertices 0 of both bodies; the support points along the "
             "line of the centres; and against it, as the text's sign has it. The search for the first point is "
             "counted.");
    FILE *csv = lab_csv_open(s, "starts", "search,vertices,centres,start,loops,operations");
    lab_table_init(&t, "Loops (operations) a query, cold",
                   "search|vertices|centres|arbitrary|along the centres|printed direction");
    for (int climb = 0; climb < 2; climb++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < GAPS; k++) {
                const lab_scene scene = scene_of(s, sizes[i], gaps[k]);
                lab_world w;
                lab_world_build(&w, &scene);
                start_cost *c = x[climb][i][k];
                for (int j = 0; j < STARTS; j++) {
                    c[j] = cost_of(&w, j, climb == 1);
                    fprintf(csv, "%s,%u,%g,%s,%.4f,%.3f\n", climb ? "climb" : "scan", sizes[i], gaps[k], start_names[j],
                            c[j].loops, c[j].operations);
                }
                lab_table_row(&t, "%s|%u|%g|%.2f (%.0f)|%.2f (%.0f)|%.2f (%.0f)", climb ? "climbing" : "scan", sizes[i],
                              gaps[k], c[0].loops, c[0].operations, c[1].loops, c[1].operations, c[2].loops,
                              c[2].operations);
                for (int j = 0; j < 2 && climb == 0; j++) {
                    const double r = c[j + 1].operations / c[0].operations;
                    ratio[j][0] = fmin(ratio[j][0], r);
                    ratio[j][1] = fmax(ratio[j][1], r);
                }
                lab_world_free(&w);
            }
        }
        lab_progress(s, 0.5 * (climb + 1));
    }
    lab_csv_close(csv);
    lab_show_table(s, &t);
    lab_plot_begin(
        &p, "starts",
        "Operations of GJK (as printed, hulls of 50 vertices) from three first points, over the distance of the "
        "centres: with scans, and with hill climbing.",
        2, 1, 1160, 440);
    static const char *const colors[STARTS] = {"#000000", "#009E73", "#D55E00"};
    for (int climb = 0; climb < 2; climb++) {
        lab_plot_panel(&p, climb ? "Operations, hill climbing" : "Operations, scans", "distance of the centres",
                       "operations a query", "set xrange [8.4:2]\nset yrange [0:*]");
        for (int j = 0; j < STARTS; j++) {
            char *style = lab_format("with linespoints lc rgb '%s' pt %d lw 1.8", colors[j], 5 + 2 * j);
            lab_plot_series(&p, style, start_names[j]);
            for (int k = 0; k < GAPS; k++) {
                lab_plot_point(&p, gaps[k], x[climb][1][k][j].operations);
            }
            free(style);
        }
    }
    lab_plot_end(s, &p);
    lab_judge(s, &claims[GOOD_START], ratio[0][0], ratio[0][1], "over 10 to 200 vertices and centres 8 to 2.3 apart");
    lab_judge(s, &claims[PRINTED_START], ratio[1][0], ratio[1][1], "the printed sign begins on the far side");
    const lab_scene scene = scene_of(s, 50, 4.0);
    const lab_algorithm_id ids[1] = {LAB_PRINTED_CLIMB};
    uint64_t wrong[1] = {0};
    lab_check_scene(s, &scene, ids, 1, false, 60, wrong);
    lab_conclude_answers(s);
}

const lab_experiment lab_profile = {"profile", "fig9", "The geometric improvement, section 5 and Fig. 9",
                                    "Where the time of plain GJK goes", run_profile};
const lab_experiment lab_starts = {"starts", NULL, "The geometric improvement, section 3.1(b) (G3)",
                                   "What a good first point is worth", run_starts};
