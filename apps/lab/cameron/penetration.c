/* Cameron 1997 section 5 and Fig. 6 (item C9): how tight the bounds of the GJK simplex are against the exact depth, how
 * often a tracked shallow answer is exact, and the jump of the witness point in a deep pass. */
#include <math.h>
#include <stdlib.h>

#include "../experiments.h"
#include "../kit.h"
#include "../pair.h"

enum { BINS = 12, MOST_SAMPLES = 20000 };
/* Depths from 1e-3 to 2 body radii, in logarithmic bins. */
#define SHALLOWEST 1e-3
#define DEEPEST 2.0
/* Bounds and depth are both rounded; relative to the bodies' size of 2. */
#define SLACK 1e-13
/* Every so many answers one is checked in whole numbers. */
#define SAMPLE 25u

/* What the paper claims, and which numbers bear it out. */
enum { SHALLOW, DEEP, JUMP };
static const lab_claim claims[] = {
    [SHALLOW] = {"C9-shallow",
                 "Cameron §5",
                 "a tracked pair that has just begun to overlap gets the exact depth in most cases",
                 "most",
                 "exact answers at a thousandth of the radius [%]",
                 {90, 100},
                 {50, 100}},
    [DEEP] = {"C9-deep",
              "Cameron §5",
              "for deep penetration the simple analysis may not give the true answer",
              "may not",
              "exact answers at a depth of a radius [%]",
              {0, 50},
              {0, 90}},
    [JUMP] = {"C9-jump",
              "Cameron §5, Fig. 6(b)",
              "the TC-witness point suddenly moves to the other side",
              "sudden",
              "turn of the normal in one step [degrees]",
              {60, 180},
              {30, 180}},
};

/* What one placement gave. */
typedef struct sample {
    double depth, least, most;
    bool exact;
} sample;

/* All samples of a kind, and what went wrong among them. */
typedef struct samples {
    sample *list;
    size_t count;
    uint64_t outside, wrong_exact;
} samples;

static void add(samples *all, const apart_result *r, const apart_penetration *p)
{
    const double depth = -r->distance;
    if (p->relation == APART_OVERLAPPING && r->upper < 0.0 && all->count < MOST_SAMPLES) {
        all->list[all->count++] = (sample){depth, p->least, p->most, p->exact};
        all->outside += p->least > -r->lower + SLACK || p->most < -r->upper - SLACK;
        all->wrong_exact += p->exact && fabs(p->depth - depth) > SLACK;
    }
}

/* The exact answer, proved; and the bounds of the simplex. */
static void evaluate(lab_section *s, const lab_pair *p, apart_cache *cache, samples *all, uint64_t *number)
{
    apart_result r;
    apart_penetration bounds;
    apart_distance(&p->shape_a, &p->pose_a, &p->shape_b, &p->pose_b, NULL, NULL, &r);
    apart_penetration_bounds(&p->shape_a, &p->pose_a, &p->shape_b, &p->pose_b, NULL, cache, &bounds);
    if (r.upper < 0.0) {
        lab_check_result(s, p->a, &p->shape_a, &p->pose_a, p->b, &p->shape_b, &p->pose_b, &r,
                         (*number)++ % SAMPLE == 0);
        add(all, &r, &bounds);
    }
}

/* ---- tightness ---- */

static int bin_of(double depth)
{
    const double place = log(depth / SHALLOWEST) / log(DEEPEST / SHALLOWEST) * BINS;
    return place < 0 ? -1 : place >= BINS ? BINS : (int)place;
}

static double bin_middle(int bin) { return SHALLOWEST * exp((bin + 0.5) / BINS * log(DEEPEST / SHALLOWEST)); }

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Of the samples of a bin: 10, 50 and 90 % quantiles of a bound / depth; returns how many there are. */
static size_t quantiles(const samples *all, int bin, bool most, double q[3], double *exact)
{
    double *ratio = lab_allocate(all->count, sizeof *ratio);
    size_t count = 0, exactly = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (bin_of(all->list[i].depth) == bin) {
            ratio[count++] = (most ? all->list[i].most : all->list[i].least) / all->list[i].depth;
            exactly += all->list[i].exact;
        }
    }
    qsort(ratio, count, sizeof *ratio, compare_doubles);
    for (int k = 0; k < 3 && count > 0; k++) {
        q[k] = ratio[(size_t)((0.1 + 0.4 * k) * (double)(count - 1) + 0.5)];
    }
    *exact = count > 0 ? (double)exactly / (double)count : NAN;
    free(ratio);
    return count;
}

/* Cold: pairs at all distances. Tracked: pairs that approach from outside in small steps. */
static void collect_cold(lab_section *s, uint32_t n, samples *all, uint64_t *number)
{
    lab_random r = lab_random_stream(s->settings->seed, 900 + n);
    const uint32_t pairs = lab_size(s, n > 50 ? 20 : 60, 12), places = lab_size(s, 30, 10);
    for (uint32_t i = 0; i < pairs; i++) {
        lab_pair p = lab_pair_hulls(&r, n);
        for (uint32_t k = 0; k < places; k++) {
            /* From a gap along its normal through contact, and in by a length that is even on a logarithmic scale. */
            apart_result gap;
            p.pose_b.translation = apart_vec3_scale(4.0, lab_random_direction(&r));
            apart_distance(&p.shape_a, &p.pose_a, &p.shape_b, &p.pose_b, NULL, NULL, &gap);
            const double in = SHALLOWEST * pow(1.8 / SHALLOWEST, lab_random_between(&r, 0, 1));
            p.pose_b.translation = apart_vec3_add_scaled(p.pose_b.translation, -(gap.distance + in), gap.normal);
            evaluate(s, &p, NULL, all, number);
        }
        lab_pair_free(&p);
    }
}

static void collect_tracked(lab_section *s, uint32_t n, samples *all, uint64_t *number)
{
    lab_random r = lab_random_stream(s->settings->seed, 950 + n);
    const uint32_t pairs = lab_size(s, n > 50 ? 20 : 60, 12), steps = lab_size(s, 40, 16);
    for (uint32_t i = 0; i < pairs; i++) {
        lab_pair p = lab_pair_hulls(&r, n);
        const apart_vec3 from = lab_random_direction(&r);
        apart_result gap;
        apart_cache cache = {0};
        p.pose_b.translation = apart_vec3_scale(4.0, from);
        apart_distance(&p.shape_a, &p.pose_a, &p.shape_b, &p.pose_b, NULL, NULL, &gap);
        /* The length of the path to contact, then steps that grow from 1e-3 to deep. */
        double path = 4.0 - gap.distance / fmax(apart_vec3_dot(gap.normal, from), 0.3);
        while (path > 0.05) {
            p.pose_b.translation = apart_vec3_scale(path, from);
            apart_distance(&p.shape_a, &p.pose_a, &p.shape_b, &p.pose_b, NULL, &cache, &gap);
            if (gap.upper < 1e-4) {
                break;
            }
            path -= 0.9 * gap.distance;
        }
        double step = 1e-3;
        for (uint32_t k = 0; k < steps && path - step > 0.05; k++) {
            path -= step;
            step *= s->settings->quick ? 1.45 : 1.15;
            p.pose_b.translation = apart_vec3_scale(path, from);
            evaluate(s, &p, &cache, all, number);
        }
        lab_pair_free(&p);
    }
}

static void plot_bounds(lab_plot *p, const samples *all, const char *title)
{
    static const char *const names[2] = {"least: the simplex's surface", "most: nearest vertex"},
                             *const colors[2] = {"#0072B2", "#D55E00"};
    lab_plot_panel(p, title, "exact depth [radii of the bodies]", "bound / exact depth",
                   "set logscale xy\nset format y '10^{%L}'");
    for (int most = 0; most < 2; most++) {
        char *band =
            lab_format("using 1:2:3 with filledcurves fs transparent solid 0.2 noborder lc rgb '%s'", colors[most]);
        char *line = lab_format("using 1:2 with linespoints lc rgb '%s' dt 1 pt %d lw 1.8", colors[most], 5 + 2 * most);
        for (int pass = 0; pass < 2; pass++) {
            lab_plot_series(p, pass == 0 ? band : line, pass == 0 ? NULL : names[most]);
            for (int bin = 0; bin < BINS; bin++) {
                double q[3], exact;
                if (quantiles(all, bin, most == 1, q, &exact) >= 5) {
                    lab_plot_point3(p, bin_middle(bin), pass == 0 ? q[0] : q[1], q[2]);
                }
            }
        }
        free(band);
        free(line);
    }
    lab_plot_formula(p, "1", NULL);
}

static void plot_exact(lab_plot *p, const samples *cold, const samples *tracked)
{
    lab_plot_panel(p, "Share of exact answers", "exact depth [radii of the bodies]", "share [%]",
                   "set logscale x\nset yrange [0:100]\nset ytics 0, 20, 100");
    for (int k = 0; k < 2; k++) {
        lab_plot_series(p,
                        k == 0 ? "with linespoints lc rgb '#009E73' dt 1 pt 7 lw 1.8"
                               : "with linespoints lc rgb '#009E73' dt 2 pt 6 lw 1.8",
                        k == 0 ? "tracked from outside" : "from scratch");
        for (int bin = 0; bin < BINS; bin++) {
            double q[3], exact;
            if (quantiles(k == 0 ? tracked : cold, bin, false, q, &exact) >= 5) {
                lab_plot_point(p, bin_middle(bin), 100 * exact);
            }
        }
    }
}

static void tabulate(lab_section *s, const samples *cold, const samples *tracked)
{
    lab_table t;
    lab_table_init(
        &t, "Bounds over the exact depth (medians), all sizes together",
        "depth|cold: pairs|least / depth|most / depth|exact|tracked: pairs|least / depth|most / depth|exact");
    for (int bin = 0; bin < BINS; bin++) {
        double q[4][3] = {{0}}, exact[2];
        const size_t n = quantiles(cold, bin, false, q[0], &exact[0]),
                     m = quantiles(tracked, bin, false, q[2], &exact[1]);
        quantiles(cold, bin, true, q[1], &exact[0]);
        quantiles(tracked, bin, true, q[3], &exact[1]);
        if (n > 0 && m > 0) {
            lab_table_row(&t, "%.3g|%zu|%.3f|%.3g|%.0f %%|%zu|%.3f|%.3g|%.0f %%", bin_middle(bin), n, q[0][1], q[1][1],
                          100 * exact[0], m, q[2][1], q[3][1], 100 * exact[1]);
        }
    }
    lab_show_table(s, &t);
}

static void write_samples(FILE *csv, const char *kind, const samples *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const sample *x = &all->list[i];
        fprintf(csv, "%s,%.17g,%.17g,%.17g,%d\n", kind, x->depth, x->least, x->most, x->exact);
    }
}

static void study_bounds(lab_section *s)
{
    static const uint32_t sizes[] = {8, 20, 100};
    samples cold = {.list = lab_allocate(MOST_SAMPLES, sizeof *cold.list)},
            tracked = {.list = lab_allocate(MOST_SAMPLES, sizeof *tracked.list)};
    uint64_t number = 0;
    lab_plot p;
    for (int i = 0; i < (s->settings->quick ? 2 : 3); i++) {
        collect_cold(s, sizes[i], &cold, &number);
        collect_tracked(s, sizes[i], &tracked, &number);
        lab_progress(s, 0.25 * (i + 1));
    }
    FILE *csv = lab_csv_open(s, "penetration", "kind,depth,least,most,exact");
    write_samples(csv, "cold", &cold);
    write_samples(csv, "tracked", &tracked);
    lab_csv_close(csv);
    lab_plot_begin(&p, "penetration",
                   "Cameron's bounds of the depth relative to the exact depth, from scratch (left) and tracked from "
                   "outside (middle): medians, and bands from the 10 % to the 90 % quantile. Right: how often the "
                   "simplex's nearest face is a face of the TCSO, which makes the answer exact.",
                   3, 1, 1240, 460);
    p.same_y = true;
    plot_bounds(&p, &cold, "From scratch");
    plot_bounds(&p, &tracked, "Tracked from outside");
    plot_exact(&p, &cold, &tracked);
    lab_plot_end(s, &p);
    tabulate(s, &cold, &tracked);
    double q[3], shallow, deep;
    quantiles(&tracked, 0, false, q, &shallow);
    quantiles(&tracked, BINS - 2, false, q, &deep);
    const size_t all = cold.count + tracked.count;
    lab_must(s, cold.outside + tracked.outside == 0 && all > 0,
             "MTD⁺(O, S) ≤ depth ≤ min |x| always: %llu of %zu exact depths lie outside",
             (unsigned long long)(cold.outside + tracked.outside), all);
    lab_must(s, cold.wrong_exact + tracked.wrong_exact == 0, "an answer that is called exact is exact: %llu are not",
             (unsigned long long)(cold.wrong_exact + tracked.wrong_exact));
    lab_judge(s, &claims[SHALLOW], 100 * shallow, 100 * shallow, "%.0f %% at depths of a thousandth of the radius",
              100 * shallow);
    lab_judge(s, &claims[DEEP], 100 * deep, 100 * deep, "%.0f %% are exact at a depth of %.2g", 100 * deep,
              bin_middle(BINS - 2));
    free(cold.list);
    free(tracked.list);
}

/* ---- the jump of Fig. 6(b) ---- */

typedef struct pass {
    uint32_t steps, jump; /* the step before which the normal turned most */
    double turned;        /* by so many degrees */
    double worst;         /* largest change of the distance / step */
} pass;

static pass draw_pass(lab_section *s, FILE *csv, lab_plot *p)
{
    lab_random r = lab_random_stream(s->settings->seed, 77);
    lab_pair bodies = lab_pair_hulls(&r, 20);
    pass out = {.steps = lab_size(s, 401, 121)};
    const double step = 5.0 / (out.steps - 1);
    double *x = lab_allocate(3 * (size_t)out.steps, sizeof *x);
    apart_cache cache = {0};
    apart_vec3 last = {0, 0, 0};
    double before = 0;
    for (uint32_t i = 0; i < out.steps; i++) {
        apart_result result;
        apart_penetration bounds;
        bodies.pose_b.translation = (apart_vec3){-2.5 + step * i, 0.05, 0.02};
        apart_distance(&bodies.shape_a, &bodies.pose_a, &bodies.shape_b, &bodies.pose_b, NULL, NULL, &result);
        apart_penetration_bounds(&bodies.shape_a, &bodies.pose_a, &bodies.shape_b, &bodies.pose_b, NULL, &cache,
                                 &bounds);
        lab_check_result(s, bodies.a, &bodies.shape_a, &bodies.pose_a, bodies.b, &bodies.shape_b, &bodies.pose_b,
                         &result, i % 20 == 0);
        const double turned = 180 / LAB_PI * acos(fmin(1, fmax(-1, apart_vec3_dot(last, result.normal))));
        if (i > 0 && turned > out.turned && result.upper < 0.0) {
            out.turned = turned;
            out.jump = i;
        }
        out.worst = i > 0 ? fmax(out.worst, fabs(result.distance - before) / step) : 0.0;
        fprintf(csv, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", bodies.pose_b.translation.x, result.distance,
                -bounds.least, -bounds.most, result.normal.x, result.normal.y, result.normal.z);
        x[3 * i] = result.distance;
        x[3 * i + 1] = bounds.relation == APART_OVERLAPPING ? -bounds.least : NAN;
        x[3 * i + 2] = result.normal.x;
        last = result.normal;
        before = result.distance;
    }
    lab_plot_panel(p, "Signed distance", "position of B [radii]", "signed distance [radii]",
                   "set xrange [-2.6:2.6]\nset yrange [-1.5:1.2]");
    lab_plot_series(p, "with lines lc rgb '#009E73' dt 1 lw 2", "exact (apart)");
    for (uint32_t i = 0; i < out.steps; i++) {
        lab_plot_point(p, -2.5 + step * i, x[3 * i]);
    }
    lab_plot_series(p, "with lines lc rgb '#0072B2' dt 2 lw 1.5", "−MTD⁺(O, S), tracked");
    for (uint32_t i = 0; i < out.steps; i++) {
        lab_plot_point(p, -2.5 + step * i, x[3 * i + 1]);
    }
    lab_plot_formula(p, "0", NULL);
    lab_plot_panel(p, "Normal from A to B", "position of B [radii]", "component along the way",
                   "set yrange [-1.1:1.1]\nset xrange [-2.6:2.6]");
    lab_plot_series(p, "with points lc rgb '#009E73' pt 7 ps 0.4", NULL);
    for (uint32_t i = 0; i < out.steps; i++) {
        lab_plot_point(p, -2.5 + step * i, x[3 * i + 2]);
    }
    free(x);
    lab_pair_free(&bodies);
    return out;
}

static void study_jump(lab_section *s)
{
    lab_plot p;
    FILE *csv = lab_csv_open(s, "jump", "x,distance,minus_least,minus_most,normal_x,normal_y,normal_z");
    lab_plot_begin(&p, "jump",
                   "A body passes through another (Fig. 6(b)): the exact signed distance is continuous, but the "
                   "witness point, and with it the normal, jumps from one side to the other in the middle. The "
                   "simplex's bound, tracked, is exact just after contact and soon far from the depth.",
                   2, 1, 1160, 440);
    p.title = lab_copy("The witness point jumps when a body passes through another");
    const pass out = draw_pass(s, csv, &p);
    lab_csv_close(csv);
    lab_plot_end(s, &p);
    lab_judge(s, &claims[JUMP], out.turned, out.turned,
              "the normal turns by %.0f° in one "
              "step, number %u of %u",
              out.turned, out.jump, out.steps);
    lab_must(s, out.worst <= 1.0 + 1e-9,
             "the exact signed distance has no jump: it changes by at most %.3f times the step", out.worst);
}

static void run(lab_section *s)
{
    lab_paper(s, "When bodies interpenetrate, GJK ends with a tetrahedron S around the origin whose vertices "
                 "x<sub>i</sub> are on the surface of the TCSO, so MTD⁺(O, S) ≤ depth ≤ min |x<sub>i</sub>|. When a "
                 "tracked pair has just begun to overlap, the nearest face of S is mostly a face of the TCSO, and the "
                 "first bound exact. Deep penetration is not convex: the witness point jumps (Fig. 6(b)), and a search "
                 "over all faces is needed. The paper gives no numbers.");
    lab_here(s, "Pairs of hulls of 8, 20 and 100 vertices, overlapping at all depths, from scratch and tracked along a "
                "way that comes in from outside with steps that grow from a thousandth of the radius. Bounds by "
                "<code>apart_penetration_bounds</code>, exact depths by <code>apart_distance</code>, which searches "
                "globally and proves its bounds.");
    study_bounds(s);
    study_jump(s);
    lab_conclude_answers(s);
    lab_progress(s, 1.0);
}

const lab_experiment lab_penetration = {"penetration", "fig6", "Cameron 1997, section 5 and Fig. 6 (C9)",
                                        "How tight the simplex's bounds of the depth are", run};
