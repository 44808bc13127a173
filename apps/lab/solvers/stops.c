/* When to stop (item G5 against C4): the same loop and solver with four rules, on pairs that get worse. */
#include <math.h>
#include <stdlib.h>

#include "../exact.h"
#include "../experiments.h"
#include "../kit.h"
#include "../pair.h"

static const char *const names[LAB_STOP_COUNT] = {"gap of 1e-14", "recurrence (G5)", "gap ≤ 0, literally",
                                                  "no shorter v"};
static const char *const colors[LAB_STOP_COUNT] = {"#009E73", "#E69F00", "#0072B2", "#CC79A7"};

enum { FAMILIES = 2, POINTS = 9 };

static const struct {
    lab_trouble trouble;
    const char *name, *title, *axis;
    double amount[POINTS];
} families[FAMILIES] = {
    {LAB_TROUBLE_TILT,
     "tilt",
     "Parallel faces, tilted",
     "tilt [radians]",
     {1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 1e-16}},
    {LAB_TROUBLE_NEAR, "near", "Near contact", "gap / size", {1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}},
};

typedef struct measured {
    double worst, loops; /* largest error relative to the distance; average */
    uint64_t limits, wrong, pairs;
} measured;

static void judge_pair(lab_section *s, const lab_pair *p, measured out[LAB_STOP_COUNT])
{
    apart_result ours;
    lab_exact_answer exact;
    apart_distance(&p->shape_a, &p->pose_a, &p->shape_b, &p->pose_b, NULL, NULL, &ours);
    if (!lab_check_result(s, p->a, &p->shape_a, &p->pose_a, p->b, &p->shape_b, &p->pose_b, &ours, true) ||
        ours.lower <= 0.0 || lab_exact_check(p->a, &p->pose_a, p->b, &p->pose_b, &ours, &exact) != LAB_EXACT_HOLDS) {
        return;
    }
    for (int i = 0; i < LAB_STOP_COUNT; i++) {
        const lab_routine_options how = {.climb = false, .stop = (lab_stop)i};
        lab_routine_cache cold = {0};
        lab_operations ops = {0};
        lab_routine_answer answer;
        lab_routine(&p->polytope_a, &p->pose_a, &p->polytope_b, &p->pose_b, &how, &cold, &ops, &answer);
        const double error = fabs((answer.distance - ours.distance) + exact.error) / exact.distance;
        out[i].worst = fmax(out[i].worst, error);
        out[i].wrong += !(error <= 1e-6);
        out[i].limits += ops.limits;
        out[i].loops += answer.loops;
        out[i].pairs++;
    }
}

static void draw(lab_section *s, measured (*m)[POINTS][LAB_STOP_COUNT])
{
    lab_plot p;
    lab_plot_begin(&p, "stops",
                   "Four rules for the end of the same loop (Johnson's sub-algorithm as printed). Above: largest "
                   "relative error; middle: share of answers off by more than 1e-6, mostly false contact from a flat "
                   "tetrahedron after the optimum was passed; below: loops per query, at most 100.",
                   2, 3, 1160, 1080);
    p.same_y = true;
    static const char *const rows[3] = {"largest relative error", "wrong answers [%]", "loops per query"};
    static const char errors[] = "set logscale y\nset format y '10^{%L}'\nset mytics 1\nset ytics 1e-16, 1e4, 1";
    static const char *const ranges[3] = {errors, "set yrange [0:1<*]", "set logscale y"};
    for (int row = 0; row < 3; row++) {
        for (int f = 0; f < FAMILIES; f++) {
            char *settings =
                lab_format("set logscale x\nset format x '10^{%%L}'\nset mxtics 1\nset xrange [%s]\nset xtics %s\n%s",
                           f == 0 ? "0.3:3e-17" : "3:3e-9",
                           f == 0 ? "('10^{0}' 1, '10^{-4}' 1e-4, '10^{-8}' 1e-8, '10^{-12}' 1e-12, '10^{-16}' 1e-16)"
                                  : "('10^{0}' 1, '10^{-2}' 1e-2, '10^{-4}' 1e-4, '10^{-6}' 1e-6, '10^{-8}' 1e-8)",
                           ranges[row]);
            lab_plot_panel(&p, families[f].title, families[f].axis, rows[row], settings);
            for (int i = 0; i < LAB_STOP_COUNT; i++) {
                char *style =
                    lab_format("with linespoints lc rgb '%s' dt %d pt %d lw 1.8", colors[i], i + 1, 4 + 2 * i);
                lab_plot_series(&p, style, names[i]);
                for (int k = 0; k < POINTS; k++) {
                    const measured *x = &m[f][k][i];
                    lab_plot_point(&p, families[f].amount[k],
                                   row == 0   ? fmax(x->worst, 2e-17)
                                   : row == 1 ? 100.0 * (double)x->wrong / (double)x->pairs
                                              : x->loops);
                }
                free(style);
            }
            free(settings);
        }
    }
    lab_plot_end(s, &p);
}

/* What the paper claims, and which numbers bear it out. */
enum { ROBUST, ENDS };
static const lab_claim claims[] = {
    [ROBUST] = {"G5-robust",
                "Geometric §2.1",
                "the recurrence of support vertices is a more robust end than ν·ν + H = 0",
                "more robust",
                "queries at the limit of loops, over those of ν·ν + H = 0",
                {0, 0.5},
                {0, 1}},
    [ENDS] = {"G5-ends",
              "Geometric §2.1",
              "the recurrence ends the loop",
              "always",
              "queries at the limit of 100 loops [%]",
              {0, 0},
              {0, 0.5}},
};

static void conclude(lab_section *s, measured (*m)[POINTS][LAB_STOP_COUNT])
{
    measured sum[LAB_STOP_COUNT] = {{0}};
    lab_table t;
    lab_table_init(&t, "Over both families",
                   "rule|pairs|mean loops|ran into the limit of 100|largest relative error|off by more than 1e-6");
    for (int i = 0; i < LAB_STOP_COUNT; i++) {
        for (int f = 0; f < FAMILIES; f++) {
            for (int k = 0; k < POINTS; k++) {
                const measured *x = &m[f][k][i];
                sum[i].worst = fmax(sum[i].worst, x->worst);
                sum[i].loops += x->loops;
                sum[i].limits += x->limits;
                sum[i].wrong += x->wrong;
                sum[i].pairs += x->pairs;
            }
        }
        lab_table_row(&t, "%s|%llu|%.2f|%llu|%.2g|%llu", names[i], (unsigned long long)sum[i].pairs,
                      sum[i].loops / (double)sum[i].pairs, (unsigned long long)sum[i].limits, sum[i].worst,
                      (unsigned long long)sum[i].wrong);
    }
    lab_show_table(s, &t);
    lab_judge(s, &claims[ROBUST],
              (double)sum[LAB_STOP_RECURRENCE].limits /
                  (double)(sum[LAB_STOP_ZERO].limits > 0 ? sum[LAB_STOP_ZERO].limits : 1),
              (double)sum[LAB_STOP_RECURRENCE].limits /
                  (double)(sum[LAB_STOP_ZERO].limits > 0 ? sum[LAB_STOP_ZERO].limits : 1),
              "%llu queries run into the limit of "
              "loops against %llu (section 2.1)",
              (unsigned long long)sum[LAB_STOP_RECURRENCE].limits, (unsigned long long)sum[LAB_STOP_ZERO].limits);
    lab_judge(s, &claims[ENDS],
              100.0 * (double)sum[LAB_STOP_RECURRENCE].limits / (double)sum[LAB_STOP_RECURRENCE].pairs,
              100.0 * (double)sum[LAB_STOP_RECURRENCE].limits / (double)sum[LAB_STOP_RECURRENCE].pairs,
              "%llu of %llu queries run into the limit of 100 loops",
              (unsigned long long)sum[LAB_STOP_RECURRENCE].limits, (unsigned long long)sum[LAB_STOP_RECURRENCE].pairs);
    lab_words(s,
              "“|v| did not decrease”, the rule of many implementations, ends with the right answer: %llu of %llu are "
              "off by more than 1e-6, worst %.2g",
              (unsigned long long)sum[LAB_STOP_LENGTH].wrong, (unsigned long long)sum[LAB_STOP_LENGTH].pairs,
              sum[LAB_STOP_LENGTH].worst);
    lab_words(s,
              "the gap with recurrence as its companion: %llu of %llu are off by more than 1e-6, worst %.2g, %llu at "
              "the limit",
              (unsigned long long)sum[LAB_STOP_GAP].wrong, (unsigned long long)sum[LAB_STOP_GAP].pairs,
              sum[LAB_STOP_GAP].worst, (unsigned long long)sum[LAB_STOP_GAP].limits);
}

static void run(lab_section *s)
{
    static measured m[FAMILIES][POINTS][LAB_STOP_COUNT];
    const uint32_t pairs = lab_size(s, 200, 12);
    lab_paper(
        s,
        "The original ends when ν·ν + H = 0, that is when no point of the Minkowski difference lies before the plane through "
        "ν; rounding makes the zero unreachable. The geometric improvement ends when a support vertex recurs, "
        "which it calls more robust (section 2.1). Many implementations end when |ν| does not decrease.");
    lab_here(s,
             "The routine as printed with each rule, from scratch, with scans, at most 100 loops; %u pairs at each "
             "amount of tilt of two boxes face to face, and of the gap of two hulls of 20 vertices. Errors against the "
             "exact distance.",
             pairs);
    FILE *csv = lab_csv_open(s, "stops", "family,amount,rule,largest_relative_error,wrong,limits,pairs,loops");
    for (int f = 0; f < FAMILIES; f++) {
        for (int k = 0; k < POINTS; k++) {
            lab_random r = lab_random_stream(s->settings->seed, 7000 + 100 * (uint64_t)f + (uint64_t)k);
            for (uint32_t i = 0; i < pairs; i++) {
                lab_pair p = lab_pair_draw(&r, families[f].trouble, families[f].amount[k]);
                judge_pair(s, &p, m[f][k]);
                lab_pair_free(&p);
            }
            for (int i = 0; i < LAB_STOP_COUNT; i++) {
                measured *x = &m[f][k][i];
                fprintf(csv, "%s,%g,\"%s\",%.6g,%llu,%llu,%llu,%.4f\n", families[f].name, families[f].amount[k],
                        names[i], x->worst, (unsigned long long)x->wrong, (unsigned long long)x->limits,
                        (unsigned long long)x->pairs, x->loops / (double)x->pairs);
            }
            lab_progress(s, (f + (k + 1.0) / POINTS) / FAMILIES);
        }
    }
    lab_csv_close(csv);
    conclude(s, m);
    for (int f = 0; f < FAMILIES; f++) {
        for (int k = 0; k < POINTS; k++) {
            for (int i = 0; i < LAB_STOP_COUNT; i++) {
                m[f][k][i].loops /= m[f][k][i].pairs > 0 ? (double)m[f][k][i].pairs : 1.0;
            }
        }
    }
    draw(s, m);
    lab_conclude_answers(s);
}

const lab_experiment lab_stops = {"stops", NULL,
                                  "The geometric improvement, section 2.1 (G5); Cameron 1997, section 3.1 (C4)",
                                  "Rules for the end of the loop", run};
