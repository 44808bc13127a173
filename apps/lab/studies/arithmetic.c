/* Cameron 1997, section 6: multiplications and divisions are not all that costs time; additions and index manipulation
 * are counted here too, and held against times with and without hill climbing. */
#include <math.h>
#include <stdlib.h>

#include "../experiments.h"
#include "../kit.h"

enum { SIZES = 6, WAYS = 2, KINDS = 2, MOST_POINTS = SIZES * WAYS * KINDS };
static const uint32_t sizes[SIZES] = {10, 20, 50, 100, 200, 500};
static const char *const kind_names[KINDS] = {"scan", "climbing"}, *const way_names[WAYS] = {"cold", "tracked"};

/* What the paper claims, and which numbers bear it out. */
enum { SIGNIFICANT, EXPLAINED, LINEAR };
static const lab_claim claims[] = {
    [SIGNIFICANT] = {"C8-index",
                     "Cameron §6",
                     "the algorithms do significant amounts of index manipulation and addition",
                     "significant",
                     "additions and look-ups over multiplications and divisions",
                     {0.5, INFINITY},
                     {0.2, INFINITY}},
    [EXPLAINED] = {"C8-index-climbing",
                   "Cameron §6",
                   "the additional operations do not differ much between the two searches; caches and pipelines make "
                   "the rest of the difference",
                   "tiny difference in code",
                   "look-ups and additions a multiplication, climbing over scans",
                   {0.67, 1.5},
                   {0.5, 2}},
    [LINEAR] = {"C8-linear-all",
                "Cameron §4, §6",
                "times are almost linear in the operations, climbing, all counted",
                "almost linear",
                "correlation over sizes, cold and tracked",
                {0.99, 1},
                {0.95, 1}},
};

typedef struct point {
    double products, all, ns; /* multiplications and divisions; with additions and look-ups */
} point;

static point measure(const lab_section *s, uint32_t n, int kind, int way)
{
    const lab_scene scene = {.kind = LAB_HULLS,
                             .n_a = n,
                             .n_b = n,
                             .pairs = lab_size(s, 60, 12),
                             .steps = 20,
                             .distance = 4,
                             .step = 0.02,
                             .turn = 3,
                             .seed = s->settings->seed + 53};
    const lab_algorithm_id id = kind == 0 ? LAB_PRINTED_SCAN : LAB_PRINTED_CLIMB;
    lab_world w;
    lab_tally first, later;
    lab_times times;
    lab_world_build(&w, &scene);
    lab_count_here(&w, id, way == 1, &first, &later);
    lab_tally_add(&first, &later);
    lab_measure(&w, &id, 1, way == 1, lab_duration(s, 0.2, 0.004), &times);
    lab_world_free(&w);
    const lab_operations *o = &first.operations;
    const double products = (double)(o->support + o->solver + o->test + o->divisions), n_queries = (double)o->queries;
    return (point){products / n_queries, (products + (double)(o->additions + o->indices)) / n_queries, times.all};
}

static double correlation(const point *p, int count, bool all)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        const double o = all ? p[i].all : p[i].products, t = p[i].ns;
        x += o, y += t, xx += o * o, yy += t * t, xy += o * t;
    }
    return (count * xy - x * y) / sqrt((count * xx - x * x) * (count * yy - y * y));
}

static void draw(lab_section *s, point (*p)[WAYS * SIZES])
{
    lab_plot plot;
    lab_plot_begin(&plot, "arithmetic",
                   "Time of a query of the routine as printed over its multiplications and divisions (left), and over "
                   "all that is counted, additions and look-ups too (right): 10 to 500 vertices, cold and tracked.",
                   2, 1, 1160, 440);
    for (int panel = 0; panel < 2; panel++) {
        lab_plot_panel(&plot, panel == 0 ? "Multiplications and divisions" : "All operations", "operations a query",
                       "time [ns]", "set logscale xy");
        for (int kind = 0; kind < KINDS; kind++) {
            lab_plot_series(&plot,
                            kind == 0 ? "with points lc rgb '#000000' pt 4" : "with points lc rgb '#0072B2' pt 7",
                            kind_names[kind]);
            for (int i = 0; i < WAYS * SIZES; i++) {
                lab_plot_point(&plot, panel == 0 ? p[kind][i].products : p[kind][i].all, p[kind][i].ns);
            }
        }
    }
    lab_plot_end(s, &plot);
}

static void run(lab_section *s)
{
    static point p[KINDS][WAYS * SIZES];
    double beside[KINDS] = {0, 0}, least = INFINITY, most = 0, ns[KINDS][2] = {{0}};
    lab_table t;
    lab_paper(s, "“The detailed analysis dealt only in terms of the number of multiplications and divisions. In fact "
                 "both algorithms do significant amounts of index manipulation and real-number addition.” 160 ns a "
                 "counted operation without hill climbing, 250-300 ns with it.");
    lab_here(s, "The routine as printed counts its additions, and its look-ups of vertices, neighbours and Deltas. "
                "Cold and tracked, scans and climbing, 10 to 500 vertices.");
    FILE *csv = lab_csv_open(s, "arithmetic", "search,way,vertices,products,all,ns");
    lab_table_init(&t, "A query", "search|way|vertices|multiplications, divisions|all|ns|ns a product|ns an operation");
    for (int kind = 0; kind < KINDS; kind++) {
        for (int way = 0; way < WAYS; way++) {
            for (int i = 0; i < SIZES; i++) {
                const point x = p[kind][way * SIZES + i] = measure(s, sizes[i], kind, way);
                const double ratio = (x.all - x.products) / x.products;
                least = fmin(least, ratio);
                most = fmax(most, ratio);
                beside[kind] += ratio / (WAYS * SIZES);
                ns[kind][0] += x.ns / x.products / (WAYS * SIZES);
                ns[kind][1] += x.ns / x.all / (WAYS * SIZES);
                fprintf(csv, "%s,%s,%u,%.3f,%.3f,%.2f\n", kind_names[kind], way_names[way], sizes[i], x.products, x.all,
                        x.ns);
                lab_table_row(&t, "%s|%s|%u|%.0f|%.0f|%.0f|%.2f|%.2f", kind_names[kind], way_names[way], sizes[i],
                              x.products, x.all, x.ns, x.ns / x.products, x.ns / x.all);
            }
            lab_progress(s, 0.5 * kind + 0.25 * (way + 1));
        }
    }
    lab_csv_close(csv);
    lab_show_table(s, &t);
    draw(s, p);
    const double r = correlation(p[1], WAYS * SIZES, true);
    lab_judge(s, &claims[SIGNIFICANT], least, most, "%.2f beside a scan's products on average, %.2f beside climbing's",
              beside[0], beside[1]);
    lab_judge(s, &claims[EXPLAINED], beside[1] / beside[0], beside[1] / beside[0],
              "so they do not explain the ratio of times: %.2f and %.2f ns a product, %.2f and %.2f ns an operation of "
              "any kind",
              ns[0][0], ns[1][0], ns[0][1], ns[1][1]);
    lab_judge(s, &claims[LINEAR], r, r, "with multiplications and divisions alone %.4f",
              correlation(p[1], WAYS * SIZES, false));
    const lab_scene scene = {.kind = LAB_HULLS,
                             .n_a = 50,
                             .n_b = 50,
                             .pairs = 12,
                             .steps = 5,
                             .distance = 4,
                             .step = 0.02,
                             .turn = 3,
                             .seed = s->settings->seed + 53};
    const lab_algorithm_id ids[2] = {LAB_PRINTED_SCAN, LAB_PRINTED_CLIMB};
    uint64_t wrong[2] = {0, 0};
    lab_check_scene(s, &scene, ids, 2, true, 60, wrong);
    lab_conclude_answers(s);
}

const lab_experiment lab_arithmetic = {"arithmetic", NULL, "Cameron 1997, section 6 (C8)",
                                       "Time against all operations", run};
