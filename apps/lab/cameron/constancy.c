/* Where "almost constant" ends (Cameron 1997 sections 2 and 4, item C8): the assumption is that the closest feature
 * after a step is near the last one, so the cost must rise when a step moves the witness points by more than a
 * facet. */
#include <math.h>
#include <stdlib.h>

#include "../costs.h"
#include "../experiments.h"
#include "../random.h"

enum { MOST_SIZES = 5, MOST_TURNS = 12 };

static const uint32_t sizes[MOST_SIZES] = {20, 100, 500, 2000, 5000};
static const char *const shades[MOST_SIZES] = {"#b3b3b3", "#8c8c8c", "#666666", "#404040", "#000000"};
static const double turns[MOST_TURNS] = {0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 45, 90};
static const lab_algorithm_id ids[] = {LAB_PRINTED_CLIMB, LAB_OURS};

/* The angle under which an edge is seen when 2n - 4 equal triangles cover the sphere, in degrees. */
static double facet_degrees(uint32_t n)
{
    return 180 / LAB_PI * sqrt(4.0 / sqrt(3.0) * 4.0 * LAB_PI / (2.0 * n - 4.0));
}

typedef struct curve {
    lab_cost still[2], cost[MOST_TURNS][2];
} curve;

static double relative(const curve *c, int turn)
{
    return lab_operations_of(&c->cost[turn][0].later) / lab_operations_of(&c->still[0].later);
}

/* The turn, in facets, at which the operations are half more than without a turn; interpolated. */
static double threshold(const curve *c, uint32_t n)
{
    for (int k = 1; k < MOST_TURNS; k++) {
        const double low = relative(c, k - 1), high = relative(c, k);
        if (low < 1.5 && high >= 1.5) {
            const double share = (1.5 - low) / (high - low);
            return exp(log(turns[k - 1]) + share * log(turns[k] / turns[k - 1])) / facet_degrees(n);
        }
    }
    return NAN;
}

/* Operations at a turn of one facet relative to those without a turn; interpolated. */
static double at_one_facet(const curve *c, uint32_t n)
{
    const double degrees = facet_degrees(n);
    for (int k = 1; k < MOST_TURNS; k++) {
        if (turns[k - 1] < degrees && turns[k] >= degrees) {
            const double share = log(degrees / turns[k - 1]) / log(turns[k] / turns[k - 1]);
            return relative(c, k - 1) + share * (relative(c, k) - relative(c, k - 1));
        }
    }
    return NAN;
}

static void draw(lab_section *s, const curve *c, int count)
{
    lab_plot p;
    lab_plot_begin(&p, "constancy",
                   "Counted operations per tracked query of the routine as printed over the turn per step (left), and "
                   "relative to those without a turn over the turn in units of a facet (right): one curve for all "
                   "sizes, until the walk over many facets dominates.",
                   2, 1, 1160, 460);
    for (int panel = 0; panel < 2; panel++) {
        lab_plot_panel(&p, panel == 0 ? "Operations over the turn" : "The same in units of a facet",
                       panel == 0 ? "turn per step [degrees]" : "turn per step / angle of a facet",
                       panel == 0 ? "multiplications and divisions" : "operations / operations without a turn",
                       panel == 0 ? "set logscale xy\nset format x '%g'"
                                  : "set logscale xy\nset format x '%g'\nset "
                                    "arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb '#777777' dt 3");
        for (int i = 0; i < count; i++) {
            char *style = lab_format("with linespoints lc rgb '%s' dt 1 pt %d lw 1.6", shades[i], 5 + 2 * i),
                 *title = lab_format("%u vertices", sizes[i]);
            lab_plot_series(&p, style, title);
            for (int k = 0; k < MOST_TURNS; k++) {
                lab_plot_point(&p, panel == 0 ? turns[k] : turns[k] / facet_degrees(sizes[i]),
                               panel == 0 ? lab_operations_of(&c[i].cost[k][0].later) : relative(&c[i], k));
            }
            free(style);
            free(title);
        }
    }
    lab_plot_end(s, &p);
}

/* What the paper claims, and which numbers bear it out. */
enum { FACET };
static const lab_claim claims[] = {
    [FACET] =
        {"C8-facet",
         "Cameron §2",
         "the time is almost constant while the new witness points are close to the last ones; taken here as: within a facet",
         "not said",
         "turn at which operations have risen by half, in facets",
         {0.5, 2},
         {0.25, 4}},
};

static void conclude(lab_section *s, const curve *c, int count)
{
    lab_table t;
    double least = INFINITY, most = 0;
    lab_table_init(&t, "Where the cost has risen by half",
                   "vertices|angle of a facet|half more at, in facets|factor at one facet|operations without a turn|at "
                   "0.1°|at 1°|at 10°|edges climbed at 10°|apart: ns without a turn|at 10°|at 90°");
    for (int i = 0; i < count; i++) {
        const double at = threshold(&c[i], sizes[i]);
        least = isnan(at) ? least : fmin(least, at);
        most = isnan(at) ? most : fmax(most, at);
        lab_table_row(&t, "%u|%.2f°|%.2f|%.2f|%.0f|%.0f|%.0f|%.0f|%.1f|%.0f|%.0f|%.0f", sizes[i],
                      facet_degrees(sizes[i]), at, at_one_facet(&c[i], sizes[i]),
                      lab_operations_of(&c[i].still[0].later), lab_operations_of(&c[i].cost[2][0].later),
                      lab_operations_of(&c[i].cost[5][0].later), lab_operations_of(&c[i].cost[8][0].later),
                      c[i].cost[8][0].later.edges, c[i].still[1].times.later, c[i].cost[8][1].times.later,
                      c[i].cost[11][1].times.later);
    }
    lab_show_table(s, &t);
    const double still_ratio =
        lab_operations_of(&c[count - 1].still[0].later) / lab_operations_of(&c[0].still[0].later);
    lab_must(s, still_ratio <= 1.5, "without a turn the cost is constant: a factor of %.2f from %u to %u vertices",
             still_ratio, sizes[0], sizes[count - 1]);
    lab_judge(s, &claims[FACET], least, most,
              "operations have risen by half at %.2f to %.2f facets, and by a factor of %.1f to %.1f at one", least,
              most, fmin(at_one_facet(&c[0], sizes[0]), at_one_facet(&c[count - 1], sizes[count - 1])),
              fmax(at_one_facet(&c[0], sizes[0]), at_one_facet(&c[count - 1], sizes[count - 1])));
    lab_must(s, relative(&c[count - 1], MOST_TURNS - 1) > relative(&c[count - 1], 0),
             "beyond it the cost grows with the turn: a factor of %.1f at 90° and %u vertices",
             relative(&c[count - 1], MOST_TURNS - 1), sizes[count - 1]);
}

static void run(lab_section *s)
{
    static curve c[MOST_SIZES];
    const int count = s->settings->quick ? 3 : MOST_SIZES;
    lab_paper(s,
              "The almost constant time rests on the assumption that the witness points after a step are close to the "
              "last ones, that is that the bodies move little between two queries. The paper does not say how little.");
    lab_here(s,
             "Sequences of 20 queries with centres 8 apart, no translation, and a turn by exactly the given angle "
             "about a new random axis every step: 0.02° to 90°, for %u to %u vertices. A facet's angle is that of an "
             "edge when 2n − 4 equal triangles cover the sphere.",
             sizes[0], sizes[count - 1]);
    const lab_trial trial = {ids, 2, true, lab_duration(s, 0.1, 0.004), lab_size(s, 200, 20)};
    FILE *csv = lab_csv_open(s, "constancy", "vertices,facet_degrees,turn_degrees," LAB_COST_HEADER);
    for (int i = 0; i < count; i++) {
        for (int k = -1; k < MOST_TURNS; k++) {
            const lab_scene scene = {.kind = LAB_HULLS,
                                     .n_a = sizes[i],
                                     .n_b = sizes[i],
                                     .pairs = lab_size(s, sizes[i] > 1000 ? 20 : 50, 10),
                                     .steps = 20,
                                     .wander = 1,
                                     .distance = 8,
                                     .turn = k < 0 ? 0.0 : turns[k],
                                     .seed = s->settings->seed};
            lab_cost *cost = k < 0 ? c[i].still : c[i].cost[k];
            lab_world world;
            lab_world_build(&world, &scene);
            lab_costs(s, &world, &trial, cost);
            lab_costs_csv(csv, &trial, cost, "%u,%.4f,%g,", sizes[i], facet_degrees(sizes[i]), scene.turn);
            lab_world_free(&world);
            lab_progress(s, (i + (k + 2.0) / (MOST_TURNS + 1)) / count);
        }
    }
    lab_csv_close(csv);
    draw(s, c, count);
    conclude(s, c, count);
    lab_conclude_answers(s);
}

const lab_experiment lab_constancy = {"constancy", NULL, "Cameron 1997, sections 2 and 4 (C8)",
                                      "Where “almost constant” ends", run};
