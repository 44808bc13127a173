/* The simplex solvers compared as the geometry degrades (items C6, L5, G2, D1 and signed volumes): time, loops and
 * accuracy against exact answers. */
#include <math.h>
#include <stdlib.h>

#include "../exact.h"
#include "../experiments.h"
#include "../kit.h"
#include "../pair.h"

/* Each solver alone, without the certificate's fallback; the routine as printed; and the library as it is used. */
static const lab_algorithm_id ids[] = {LAB_PRINTED_SCAN,       LAB_JOHNSON_SCAN, LAB_VORONOI_SCAN, LAB_GEOMETRIC_SCAN,
                                       LAB_LEAST_SQUARES_SCAN, LAB_VOLUMES_SCAN, LAB_OURS};
static const char *const names[] = {"as printed",    "johnson", "voronoi",         "geometric",
                                    "least squares", "volumes", "apart, certified"};
enum { COUNT = sizeof ids / sizeof ids[0], OURS = COUNT - 1, FAMILIES = 3, POINTS = 9 };

typedef struct family {
    lab_trouble trouble;
    const char *name, *title, *axis;
    double amount[POINTS];
} family;

static const family families[FAMILIES] = {
    {LAB_TROUBLE_TILT,
     "tilt",
     "Parallel faces, tilted",
     "tilt [radians]",
     {1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 1e-16}},
    {LAB_TROUBLE_NEEDLE, "needle", "Needles", "width / length", {1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12}},
    {LAB_TROUBLE_OFFSET, "offset", "Common offset", "offset / size", {1, 1e1, 1e2, 1e3, 1e4, 1e6, 1e8, 1e10, 1e12}},
};

/* Of all pairs at one amount. */
typedef struct measured {
    double worst, loops, ns; /* largest error in units of eps times size; averages */
    uint64_t wrong, pairs;
} measured;

static void ask(const lab_pair *p, int i, apart_result *r)
{
    const lab_algorithm *a = &lab_algorithms[ids[i]];
    if (a->printed) {
        const lab_routine_options how = {.climb = false, .stop = LAB_STOP_GAP};
        lab_routine_cache cold = {0};
        lab_routine_answer answer;
        lab_routine(&p->polytope_a, &p->pose_a, &p->polytope_b, &p->pose_b, &how, &cold, NULL, &answer);
        *r = (apart_result){.distance = answer.distance, .iterations = (uint16_t)answer.loops};
        return;
    }
    const apart_options o = {.solver = a->solver,
                             .support = a->support,
                             .depth = APART_DEPTH_NONE,
                             .no_fallback = i != OURS};
    apart_distance(&p->shape_a, &p->pose_a, &p->shape_b, &p->pose_b, &o, NULL, r);
}

static double time_of(const lab_pair *pairs, uint32_t count, int i, double seconds)
{
    double best = INFINITY;
    const double end = lab_processor_seconds() + seconds;
    for (int round = 0; round < 3 || lab_processor_seconds() < end; round++) {
        apart_result r;
        const double start = lab_processor_seconds();
        for (uint32_t k = 0; k < count; k++) {
            ask(&pairs[k], i, &r);
        }
        best = fmin(best, 1e9 * (lab_processor_seconds() - start) / count);
    }
    return best;
}

/* The exact distance is the certified answer minus its exact error; all disjoint pairs are checked in whole numbers. */
static void judge_pair(lab_section *s, const lab_pair *p, measured out[COUNT])
{
    apart_result ours, r;
    lab_exact_answer exact;
    ask(p, OURS, &ours);
    if (!lab_check_result(s, p->a, &p->shape_a, &p->pose_a, p->b, &p->shape_b, &p->pose_b, &ours, true) ||
        ours.lower <= 0.0 || lab_exact_check(p->a, &p->pose_a, p->b, &p->pose_b, &ours, &exact) != LAB_EXACT_HOLDS) {
        return;
    }
    const double size = lab_pair_size(p);
    for (int i = 0; i < COUNT; i++) {
        ask(p, i, &r);
        const double error = fabs((r.distance - ours.distance) + exact.error);
        out[i].worst = isfinite(error) ? fmax(out[i].worst, error / (0x1p-52 * size)) : 1e15;
        out[i].wrong += !(error <= LAB_WRONG * size);
        out[i].loops += r.iterations;
        out[i].pairs++;
    }
}

static void measure(lab_section *s, const family *f, int point, measured out[COUNT])
{
    const uint32_t count = lab_size(s, 200, 12);
    lab_pair *pairs = lab_allocate(count, sizeof *pairs);
    lab_random r = lab_random_stream(s->settings->seed, 5000 + 100 * (uint64_t)f->trouble + (uint64_t)point);
    for (uint32_t k = 0; k < count; k++) {
        pairs[k] = lab_pair_draw(&r, f->trouble, f->amount[point]);
        judge_pair(s, &pairs[k], out);
    }
    for (int i = 0; i < COUNT; i++) {
        out[i].ns = time_of(pairs, count, i, s->settings->quick ? 0.002 : 0.05);
        out[i].loops /= out[i].pairs > 0 ? (double)out[i].pairs : 1.0;
    }
    for (uint32_t k = 0; k < count; k++) {
        lab_pair_free(&pairs[k]);
    }
    free(pairs);
}

static void draw(lab_section *s, measured (*m)[POINTS][COUNT])
{
    lab_plot p;
    lab_plot_begin(&p, "solvers",
                   "Solvers on pairs that get worse from left to right in each column (tilt and width shrink, the "
                   "offset grows). Above: the largest error against the exact distance, in units of 2⁻⁵² times the "
                   "size of the pair; middle: loops; below: time. Solvers run alone, without the certificate; “apart, "
                   "certified” is the library as it is used.",
                   3, 3, 1240, 1080);
    p.same_y = true;
    static const char *const rows[3] = {"largest error [2^{−52} · size]", "loops per query", "time [µs]"};
    for (int row = 0; row < 3; row++) {
        for (int f = 0; f < FAMILIES; f++) {
            char *settings =
                lab_format("set logscale x\nset format x '10^{%%L}'\nset mxtics 1\nset xtics %s\nset xrange [%s]\n%s",
                           f < 2 ? "('10^{0}' 1, '10^{-4}' 1e-4, '10^{-8}' 1e-8, '10^{-12}' 1e-12, '10^{-16}' 1e-16)"
                                 : "1, 1e4, 1e12",
                           f == 0   ? "0.3:3e-17"
                           : f == 1 ? "3:3e-13"
                                    : "0.3:3e12",
                           row == 0 ? "set logscale y\nset format y '10^{%L}'\nset mytics 1\nset ytics 1e-4, 1e4, 1e16"
                           : row == 1 ? "set yrange [0:*]"
                                      : "set logscale y");
            lab_plot_panel(&p, families[f].title, families[f].axis, rows[row], settings);
            for (int i = 0; i < COUNT; i++) {
                lab_plot_algorithm(&p, ids[i], names[i]);
                for (int k = 0; k < POINTS; k++) {
                    const measured *x = &m[f][k][i];
                    lab_plot_point(&p, families[f].amount[k],
                                   row == 0   ? fmax(x->worst, 0.02)
                                   : row == 1 ? x->loops
                                              : x->ns / 1e3);
                }
            }
            free(settings);
        }
    }
    lab_plot_end(s, &p);
}

static void tabulate(lab_section *s, measured (*m)[POINTS][COUNT])
{
    lab_table t;
    lab_table_init(&t, "Over each family: largest error [2⁻⁵² · size], and answers off by more than 1e-9 of the size",
                   "solver|tilt: error|wrong|needle: error|wrong|offset: error|wrong|mean loops|mean ns");
    for (int i = 0; i < COUNT; i++) {
        lab_text row = {NULL, 0, 0};
        double loops = 0, ns = 0;
        lab_text_add(&row, "%s", names[i]);
        for (int f = 0; f < FAMILIES; f++) {
            double worst = 0;
            uint64_t wrong = 0, pairs = 0;
            for (int k = 0; k < POINTS; k++) {
                worst = fmax(worst, m[f][k][i].worst);
                wrong += m[f][k][i].wrong;
                pairs += m[f][k][i].pairs;
                loops += m[f][k][i].loops / (FAMILIES * POINTS);
                ns += m[f][k][i].ns / (FAMILIES * POINTS);
            }
            lab_text_add(&row, "|%.2g|%llu of %llu", worst, (unsigned long long)wrong, (unsigned long long)pairs);
        }
        lab_table_row(&t, "%s|%.2f|%.0f", row.data, loops, ns);
        lab_text_free(&row);
    }
    lab_show_table(s, &t);
}

static void conclude(lab_section *s, measured (*m)[POINTS][COUNT])
{
    double ours = 0, printed_far = 0, others = 0;
    for (int f = 0; f < FAMILIES; f++) {
        for (int k = 0; k < POINTS; k++) {
            ours = fmax(ours, m[f][k][OURS].worst);
            for (int i = 1; i < OURS; i++) {
                others = fmax(others, m[f][k][i].worst);
            }
        }
    }
    printed_far = m[2][POINTS - 1][0].worst;
    lab_must(s, ours < 64,
             "the certified answer is within 64 roundings of the exact one everywhere: worst %.1f · 2⁻⁵² · size", ours);
    lab_words(s, "solvers alone, without the certificate, stay within a million roundings: worst %.2g", others);
    lab_words(s,
              "the routine as printed is insensitive to a common offset of both bodies: error %.2g at an offset of "
              "1e12. It works in world coordinates; the library removes the offset first",
              printed_far);
}

static void run(lab_section *s)
{
    static measured m[FAMILIES][POINTS][COUNT];
    lab_paper(s, "Johnson's sub-algorithm by determinants (Cameron, section 3.3), Ericson's Voronoi regions "
                 "(Lindemann, section 5), the separating plane with discard-and-add (the geometric improvement, "
                 "section 3), least squares with recursion into faces (the blog post), and signed volumes (Montanari, "
                 "Petrinic, Barbieri 2017). Each text calls its own robust or simple; none measures accuracy.");
    lab_here(s,
             "%u pairs at each of %d amounts of three kinds of trouble: two boxes face to face, tilted by 1e-1 to "
             "1e-16; bodies of 8 vertices that thin out to needles; hulls of 20 vertices with a common offset of up to "
             "1e12. Every exact distance is computed in whole numbers. All solvers run in the library's loop with "
             "scans; their answer is taken as it is (<code>no_fallback</code>).",
             lab_size(s, 200, 12), POINTS);
    FILE *csv = lab_csv_open(s, "solvers", "family,amount,solver,largest_error_in_eps_size,wrong,pairs,loops,ns");
    for (int f = 0; f < FAMILIES; f++) {
        for (int k = 0; k < POINTS; k++) {
            measure(s, &families[f], k, m[f][k]);
            for (int i = 0; i < COUNT; i++) {
                const measured *x = &m[f][k][i];
                fprintf(csv, "%s,%g,\"%s\",%.6g,%llu,%llu,%.4f,%.2f\n", families[f].name, families[f].amount[k],
                        names[i], x->worst, (unsigned long long)x->wrong, (unsigned long long)x->pairs, x->loops,
                        x->ns);
            }
            lab_progress(s, (f + (k + 1.0) / POINTS) / FAMILIES);
        }
    }
    lab_csv_close(csv);
    draw(s, m);
    tabulate(s, m);
    conclude(s, m);
    lab_conclude_answers(s);
}

const lab_experiment lab_solvers = {"solvers", NULL, "All papers: C6, L5, G2, D1, volumes",
                                    "Solvers as the geometry degrades", run};
