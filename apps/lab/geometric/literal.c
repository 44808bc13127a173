/* The algorithm of the geometric improvement as printed (items G1, G2), in the plane and in space: how often it is
 * wrong, and how often it never ends; and the same with the nearest of several separating faces. */
#include <math.h>
#include <stdlib.h>

#include "../experiments.h"
#include "../kit.h"
#include "../random.h"
#include "routine.h"

enum { DIMENSIONS = 2, RULES = 2, DISTANCES = 6, SIZES = 3, MOST_POINTS = 60 };

static const double distances[DISTANCES] = {8.660254037844386, 6.0, 4.0, 3.0, 2.5, 2.2};
static const uint32_t sizes[SIZES] = {8, 20, 60};
static const char *const rules[RULES] = {"as printed: discard the farthest", "repaired: keep the nearest face"};

typedef struct tally {
    uint64_t pairs, wrong, loops, inside, iterations; /* wrong: an answer that is given and is false */
} tally;

/* n points on the unit sphere or circle, at a place. */
static void draw_points(lab_random *r, int dim, uint32_t n, apart_vec3 at, apart_vec3 *out)
{
    for (uint32_t i = 0; i < n; i++) {
        apart_vec3 d = lab_random_direction(r);
        if (dim == 2) {
            const double length = hypot(d.x, d.y);
            d = length > 0.01 ? (apart_vec3){d.x / length, d.y / length, 0.0} : (apart_vec3){1.0, 0.0, 0.0};
        }
        out[i] = apart_vec3_add(at, d);
    }
}

/* The distance, proved by the check; below zero where the pair is of no use here. */
static double proved_distance(lab_section *s, int dim, const lab_points *a, const lab_points *b)
{
    const apart_pose here = apart_pose_identity();
    double xy[2][2 * MOST_POINTS];
    apart_shape shape[2];
    const lab_points *points[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < points[side]->count && dim == 2; i++) {
            xy[side][2 * i] = points[side]->point[i].x;
            xy[side][2 * i + 1] = points[side]->point[i].y;
        }
        shape[side] = dim == 2 ? apart_polygon(xy[side], points[side]->count)
                               : apart_points(&points[side]->point[0].x, points[side]->count);
    }
    apart_result r;
    apart_proof proof;
    if (apart_distance(&shape[0], &here, &shape[1], &here, NULL, NULL, &r) != APART_OK || r.lower <= 0.0 ||
        apart_verify(&shape[0], &here, &shape[1], &here, &r, &proof) != APART_OK) {
        return -1.0;
    }
    s->answers.proved += proof.verdict == APART_PROVED;
    s->answers.undecided += proof.verdict == APART_UNDECIDED;
    s->answers.refuted += proof.verdict == APART_REFUTED;
    return r.distance;
}

static void judge_pair(lab_section *s, int dim, double distance, uint32_t n, lab_random *r, tally out[RULES])
{
    apart_vec3 xyz[2][MOST_POINTS];
    apart_vec3 direction = lab_random_direction(r);
    if (dim == 2) {
        direction = (apart_vec3){1.0, 0.0, 0.0};
    }
    draw_points(r, dim, n, (apart_vec3){0, 0, 0}, xyz[0]);
    draw_points(r, dim, n, apart_vec3_scale(distance, direction), xyz[1]);
    const lab_points a = {xyz[0], n}, b = {xyz[1], n};
    const double expected = proved_distance(s, dim, &a, &b);
    for (int rule = 0; rule < RULES && expected > 0.0; rule++) {
        const lab_geometric_options how = {.dim = dim, .nearest = rule == 1, .seed = 1};
        lab_geometric_answer answer;
        lab_geometric(&a, &b, &how, &answer);
        out[rule].pairs++;
        out[rule].loops += answer.end == LAB_GEOMETRIC_LOOPS;
        out[rule].inside += answer.end == LAB_GEOMETRIC_INSIDE;
        out[rule].wrong += answer.end != LAB_GEOMETRIC_LOOPS && !(fabs(answer.distance - expected) <= 1e-6 * expected);
        out[rule].iterations += answer.loops;
    }
}

static double share(const tally *t, uint64_t number)
{
    return t->pairs > 0 ? 100.0 * (double)number / (double)t->pairs : 0.0;
}

static void draw(lab_section *s, tally (*t)[RULES][DISTANCES][SIZES])
{
    static const char *const colors[SIZES] = {"#009E73", "#E69F00", "#0072B2"};
    lab_plot p;
    lab_plot_begin(&p, "literal",
                   "The geometric improvement's loop (its Figs. 3 and 7) on pairs of random bodies whose centres come "
                   "nearer: share of pairs on which it never ends, because the sets of vertices repeat. Full lines: as "
                   "printed; dashed: with the nearest of several separating faces kept.",
                   2, 1, 1160, 460);
    p.same_y = true;
    for (int d = 0; d < DIMENSIONS; d++) {
        lab_plot_panel(&p, d == 0 ? "in the plane (Fig. 3)" : "in space (Fig. 7)", "distance of the centres",
                       "never ends [% of pairs]", "set xrange [9:2]\nset yrange [0:1<*]");
        for (int k = 0; k < SIZES; k++) {
            for (int rule = 0; rule < RULES; rule++) {
                char *style =
                    lab_format("with linespoints lc rgb '%s' dt %d pt %d lw 1.8", colors[k], 1 + rule, 5 + 2 * k);
                char *legend = lab_format("%u points, %s", sizes[k], rule == 0 ? "as printed" : "repaired");
                lab_plot_series(&p, style, legend);
                for (int i = 0; i < DISTANCES; i++) {
                    lab_plot_point(&p, distances[i], share(&t[d][rule][i][k], t[d][rule][i][k].loops));
                }
                free(style);
                free(legend);
            }
        }
    }
    lab_plot_end(s, &p);
}

/* What the paper claims, and which numbers bear it out. */
enum { ENDS, FAR };
static const lab_claim claims[] = {
    [ENDS] = {"G2-ends",
              "Geometric §3.2, Fig. 7",
              "the loop finds the distance",
              "always",
              "pairs on which it never ends or is wrong, all distances [%]",
              {0, 0},
              {0, 1}},
    [FAR] = {"G2-far",
             "Geometric §4.1",
             "the same at the distance of the experiment, 5√3",
             "always",
             "pairs on which it never ends or is wrong [%]",
             {0, 0},
             {0, 1}},
};

static void conclude(lab_section *s, tally (*t)[RULES][DISTANCES][SIZES])
{
    tally all[DIMENSIONS][RULES] = {{{0}}}, far = {0};
    lab_table table;
    lab_table_init(&table, "Over all distances and sizes",
                   "dimension|rule|pairs|never ends|wrong answers|false “inside”|mean loops");
    for (int d = 0; d < DIMENSIONS; d++) {
        for (int rule = 0; rule < RULES; rule++) {
            tally *sum = &all[d][rule];
            for (int i = 0; i < DISTANCES; i++) {
                for (int k = 0; k < SIZES; k++) {
                    const tally *x = &t[d][rule][i][k];
                    sum->pairs += x->pairs;
                    sum->loops += x->loops;
                    sum->wrong += x->wrong;
                    sum->inside += x->inside;
                    sum->iterations += x->iterations;
                    if (i == 0 && rule == 0 && d == 1) {
                        far.pairs += x->pairs;
                        far.loops += x->loops + x->wrong;
                    }
                }
            }
            lab_table_row(&table, "%d|%s|%llu|%llu (%.1f %%)|%llu|%llu|%.2f", d + 2, rules[rule],
                          (unsigned long long)sum->pairs, (unsigned long long)sum->loops, share(sum, sum->loops),
                          (unsigned long long)sum->wrong, (unsigned long long)sum->inside,
                          (double)sum->iterations / (double)sum->pairs);
        }
    }
    lab_show_table(s, &table);
    lab_judge(s, &claims[ENDS], share(&all[1][0], all[1][0].loops + all[1][0].wrong),
              share(&all[1][0], all[1][0].loops + all[1][0].wrong),
              "of %llu pairs it never ends on %llu and is wrong on %llu", (unsigned long long)all[1][0].pairs,
              (unsigned long long)all[1][0].loops, (unsigned long long)all[1][0].wrong);
    lab_judge(s, &claims[FAR], share(&far, far.loops), share(&far, far.loops), "%llu of %llu pairs",
              (unsigned long long)far.loops, (unsigned long long)far.pairs);
    lab_must(s, (all[1][1].loops + all[1][1].wrong) * 4 <= all[1][0].loops + all[1][0].wrong,
             "keeping the nearest separating face leaves at most a quarter of the failures in space: %llu of %llu",
             (unsigned long long)(all[1][1].loops + all[1][1].wrong),
             (unsigned long long)(all[1][0].loops + all[1][0].wrong));
}

static void run(lab_section *s)
{
    static tally t[DIMENSIONS][RULES][DISTANCES][SIZES];
    const uint32_t pairs = lab_size(s, 2000, 150);
    lab_paper(
        s, "A set of two (in the plane) or three points (in space) is kept; the support vertex is added, and the point "
           "that a face through the others separates from the origin is discarded. “The simplest way is to discard the "
           "farthest point once the non-unique situation happens.”");
    lab_here(
        s,
        "The text's own loops, symbol by symbol (<code>apps/lab/geometric/routine.c</code>), from scratch, on %u "
        "pairs of bodies of points on the unit circle or sphere for each distance of the centres and number of "
        "points. A loop that meets a set of vertex pairs again would repeat it for ever. Once more with a repair: of "
        "several separating faces the one is kept whose nearest point is nearest.",
        pairs);
    FILE *csv = lab_csv_open(s, "literal", "dimension,rule,distance,points,pairs,never_ends,wrong,inside,loops");
    for (int d = 0; d < DIMENSIONS; d++) {
        for (int i = 0; i < DISTANCES; i++) {
            for (int k = 0; k < SIZES; k++) {
                tally out[RULES] = {{0}};
                lab_random r =
                    lab_random_stream(s->settings->seed, 9000 + 100 * (uint64_t)d + 10 * (uint64_t)i + (uint64_t)k);
                for (uint32_t pair = 0; pair < pairs; pair++) {
                    judge_pair(s, d + 2, distances[i], sizes[k], &r, out);
                }
                for (int rule = 0; rule < RULES; rule++) {
                    t[d][rule][i][k] = out[rule];
                    fprintf(csv, "%d,\"%s\",%g,%u,%llu,%llu,%llu,%llu,%llu\n", d + 2, rules[rule], distances[i],
                            sizes[k], (unsigned long long)out[rule].pairs, (unsigned long long)out[rule].loops,
                            (unsigned long long)out[rule].wrong, (unsigned long long)out[rule].inside,
                            (unsigned long long)out[rule].iterations);
                }
            }
            lab_progress(s, (d + (i + 1.0) / DISTANCES) / DIMENSIONS);
        }
    }
    lab_csv_close(csv);
    s->no_sample = true;
    conclude(s, t);
    draw(s, t);
    lab_conclude_answers(s);
}

const lab_experiment lab_literal = {"literal", "fig3g fig7g",
                                    "The geometric improvement, sections 3.1 and 3.2, Figs. 3 and 7 (G1, G2)",
                                    "The geometric algorithm as printed", run};
