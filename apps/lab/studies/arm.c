/* The redundant arm of the geometric improvement (item G9, Figs. 14 and 15): the same motion with five distance
 * algorithms, in processor time; and what the gain k, the number of obstacles and the reach d0 do. */
#include <math.h>
#include <stdlib.h>

#include <robot/arm.h>

#include "../experiments.h"
#include "../kit.h"
#include "../random.h"

enum { ALGORITHMS = 5, GAINS = 7, MOST_OBSTACLES = 16, COUNTS = 5, REACHES = 4 };

/* What the paper claims, and which numbers bear it out. */
enum { SHARE, BEST, GAIN, OBSTACLES, PROXIMITY };
static const lab_claim claims[] = {
    [SHARE] = {"G9-share",
               "Geometric §4.4, Fig. 15",
               "distances take about 70 % of the planning time",
               "70",
               "share with the original algorithm [%]",
               {60, 80},
               {50, 95}},
    [BEST] = {"G9-both",
              "Geometric §4.4, Fig. 15",
              "Cameron's and the geometric enhancement together are the most efficient",
              "best",
              "time of distances with both over the best of the other three",
              {0, 1},
              {0, 1.1}},
    [GAIN] = {"G9-gain",
              "Geometric §4.4",
              "a larger |k| makes the avoidance more visible",
              "more visible",
              "steps of |k| that raise the mean over time of the smallest distance [%]",
              {100, 100},
              {60, 100}},
    [OBSTACLES] = {"G9-obstacles",
                   "Geometric §4.4",
                   "the cost depends on the number of obstacles",
                   "depends",
                   "time of distances with 16 obstacles over that with 2",
                   {4, 16},
                   {1.2, 16}},
    [PROXIMITY] = {"G9-proximity",
                   "Geometric §4.4",
                   "and on the proximity of obstacles and links",
                   "depends",
                   "time with d0 = 1 over that with d0 = 0.25",
                   {1.2, 8},
                   {1.05, 8}},
};

typedef struct algorithm {
    const char *name;
    apart_options options;
    int cold;
} algorithm;
static const algorithm algorithms[ALGORITHMS] = {
    {"original", {.solver = APART_SOLVER_JOHNSON, .support = APART_SUPPORT_SCAN}, 1},
    {"geometric", {.solver = APART_SOLVER_GEOMETRIC, .support = APART_SUPPORT_SCAN}, 1},
    {"Cameron's", {.solver = APART_SOLVER_JOHNSON, .support = APART_SUPPORT_CLIMB}, 0},
    {"both", {.solver = APART_SOLVER_GEOMETRIC, .support = APART_SUPPORT_CLIMB}, 0},
    {"apart", {.solver = 0}, 0},
};

typedef struct scene {
    robot_arm arm;
    apart_robot_obstacle obstacles[MOST_OBSTACLES];
    apart_robot_cell *cell;
    apart_robot_work *work;
} scene;

/* The paper's scene with more pyramids in a circle around it, out of the arm's way. */
static void set_up(scene *s, size_t obstacles)
{
    static const char *const names[MOST_OBSTACLES] = {"1", "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                                      "9", "10", "11", "12", "13", "14", "15", "16"};
    bool good = robot_arm_make(&s->arm) == APART_OK;
    for (size_t i = 0; i < obstacles && good; i++) {
        s->obstacles[i] = s->arm.obstacles[i % 2];
        s->obstacles[i].name = names[i];
        if (i >= 2) {
            const double angle = 2.0 * LAB_PI * (double)(i - 2) / (MOST_OBSTACLES - 2);
            s->obstacles[i].pose = apart_pose_translation(4.0 * cos(angle), 4.0 * sin(angle), 0.0);
        }
    }
    const apart_robot_cell_options options = {.obstacles = s->obstacles, .obstacle_count = obstacles};
    good = good && apart_robot_cell_create(s->arm.robot, &options, &s->cell) == APART_OK &&
           apart_robot_work_create(s->cell, &s->work) == APART_OK;
    if (!good) {
        fputs("apart: lab: no arm\n", stderr);
        exit(2);
    }
}

static void take_down(scene *s)
{
    apart_robot_work_free(s->work);
    apart_robot_cell_free(s->cell);
    apart_robot_free(s->arm.robot);
}

static robot_plan plan_of(scene *s, double gain, double reach)
{
    const robot_task task = {.start = s->arm.start,
                             .link = s->arm.link,
                             .point = s->arm.point,
                             .path = s->arm.path,
                             .path_count = 3,
                             .speed = 0.1,
                             .reach = reach,
                             .gain = gain,
                             .step = 0.02,
                             .most_error = 1e-3,
                             .now = lab_processor_seconds};
    robot_plan plan;
    if (robot_plan_make(s->work, &task, &plan) != APART_OK) {
        fputs("apart: lab: no plan\n", stderr);
        exit(2);
    }
    return plan;
}

/* The smallest distance after the start of pairs that move; and its mean over time. */
static double smallest_distance(const robot_plan *plan, double *mean)
{
    double smallest = INFINITY, *at = lab_allocate(plan->count, sizeof *at);
    for (size_t i = 1; i < plan->count; i++) {
        at[i] = INFINITY;
    }
    for (size_t pair = 0; pair < plan->pair_count; pair++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 1; i < plan->count; i++) {
            low = fmin(low, plan->distances[i * plan->pair_count + pair]);
            high = fmax(high, plan->distances[i * plan->pair_count + pair]);
        }
        smallest = high - low > 1e-6 ? fmin(smallest, low) : smallest;
        for (size_t i = 1; i < plan->count && high - low > 1e-6; i++) {
            at[i] = fmin(at[i], plan->distances[i * plan->pair_count + pair]);
        }
    }
    *mean = 0;
    for (size_t i = 1; i < plan->count; i++) {
        *mean += at[i] / (double)(plan->count - 1);
    }
    free(at);
    return smallest;
}

typedef struct profile {
    double total, distances; /* seconds, of the best run */
    uint64_t queries;
} profile;

static profile time_of(const lab_section *s, scene *arm, const algorithm *how, double reach, double *difference,
                       const robot_plan *reference)
{
    profile best = {INFINITY, 0, 0};
    for (uint32_t i = 0; i < lab_size(s, 9, 2); i++) {
        apart_robot_work_options(arm->work, &how->options, how->cold);
        robot_plan plan = plan_of(arm, -1.0, reach);
        if (plan.seconds < best.total) {
            best = (profile){plan.seconds, plan.distance_seconds, plan.queries};
        }
        for (size_t k = 0; reference != NULL && k < plan.count * plan.width && k < reference->count * reference->width;
             k++) {
            *difference = fmax(*difference, fabs(plan.q[k] - reference->q[k]));
        }
        robot_plan_free(&plan);
    }
    apart_robot_work_options(arm->work, NULL, 0);
    return best;
}

/* ---- Fig. 15 ---- */

static void profile_algorithms(lab_section *s, lab_plot *p)
{
    profile x[ALGORITHMS];
    double difference = 0;
    lab_table t;
    scene arm = {.cell = NULL};
    set_up(&arm, 2);
    robot_plan reference = plan_of(&arm, -1.0, 0.5);
    FILE *csv = lab_csv_open(s, "arm-profile", "algorithm,total_seconds,distance_seconds,queries");
    lab_table_init(&t, "Fig. 15 anew: processor time of the whole motion, best of several",
                   "algorithm|all [ms]|distances [ms]|share of distances|queries|µs a query");
    for (int i = 0; i < ALGORITHMS; i++) {
        x[i] = time_of(s, &arm, &algorithms[i], 0.5, &difference, &reference);
        fprintf(csv, "%s,%.9g,%.9g,%llu\n", algorithms[i].name, x[i].total, x[i].distances,
                (unsigned long long)x[i].queries);
        lab_table_row(&t, "%s|%.2f|%.2f|%.0f %%|%llu|%.3f", algorithms[i].name, 1e3 * x[i].total, 1e3 * x[i].distances,
                      100 * x[i].distances / x[i].total, (unsigned long long)x[i].queries,
                      1e6 * x[i].distances / (double)x[i].queries);
    }
    lab_csv_close(csv);
    lab_show_table(s, &t);
    lab_plot_panel(p, "Time of the motion (Fig. 15)", "", "processor time [ms]",
                   "set yrange [0:*]\nset xrange [-0.6:4.6]\nset boxwidth 0.6\nset xtics ('original' 0, 'geometric' 1, "
                   "'Cameron' 2, 'both' 3, 'apart' 4) font ',11' scale 0");
    for (int part = 0; part < 2; part++) {
        lab_plot_series(p,
                        part == 0 ? "with boxes fs solid 0.35 noborder lc rgb '#777777'"
                                  : "with boxes fs solid 0.9 noborder lc rgb '#0072B2'",
                        part == 0 ? "all" : "distances");
        for (int i = 0; i < ALGORITHMS; i++) {
            lab_plot_point(p, i, 1e3 * (part == 0 ? x[i].total : x[i].distances));
        }
    }
    const double share = 100 * x[0].distances / x[0].total,
                 both = x[3].distances / fmin(x[0].distances, fmin(x[1].distances, x[2].distances));
    lab_judge(s, &claims[SHARE], share, share, "original %.0f %%, both %.0f %%, apart %.0f %%", share,
              100 * x[3].distances / x[3].total, 100 * x[4].distances / x[4].total);
    lab_judge(s, &claims[BEST], both, both, "apart's default takes %.2f of the original's time",
              x[4].distances / x[0].distances);
    lab_must(s, difference < 1e-6, "all five algorithms move the arm alike: joints differ by at most %.1g", difference);
    robot_plan_free(&reference);
    take_down(&arm);
}

/* ---- sweeps ---- */

static void sweep_gain(lab_section *s, lab_plot *p)
{
    static const double gains[GAINS] = {0, -0.125, -0.25, -0.5, -1, -2, -4};
    double d[GAINS], mean[GAINS];
    int kept = 0;
    scene arm = {.cell = NULL};
    set_up(&arm, 2);
    FILE *csv = lab_csv_open(s, "arm-gain", "k,smallest_distance,mean_smallest_distance,followed,shortened");
    for (int i = 0; i < GAINS; i++) {
        robot_plan plan = plan_of(&arm, gains[i], 0.5);
        d[i] = smallest_distance(&plan, &mean[i]);
        kept += i > 0 && mean[i] > mean[i - 1];
        fprintf(csv, "%g,%.9g,%.9g,%d,%llu\n", gains[i], d[i], mean[i], plan.followed,
                (unsigned long long)plan.shortened);
        robot_plan_free(&plan);
    }
    lab_csv_close(csv);
    lab_plot_panel(p, "What the gain does", "−k", "smallest distance on the way", "set xrange [-0.1:4.2]");
    for (int k = 0; k < 2; k++) {
        lab_plot_series(p,
                        k == 0 ? "with linespoints lc rgb '#009E73' pt 7 lw 1.8"
                               : "with linespoints lc rgb '#E69F00' pt 5 lw 1.8",
                        k == 0 ? "smallest" : "mean over time");
        for (int i = 0; i < GAINS; i++) {
            lab_plot_point(p, -gains[i], k == 0 ? d[i] : mean[i]);
        }
    }
    lab_plot_formula(p, "0", NULL);
    lab_judge(s, &claims[GAIN], 100.0 * kept / (GAINS - 1), 100.0 * kept / (GAINS - 1),
              "the smallest distance of moving pairs is on average over time %.4f without the push, %.4f at k = −1, "
              "%.4f at k = −4; the smallest of all is %.4f, then %.4f, that of the start",
              mean[0], mean[4], mean[GAINS - 1], d[0], d[4]);
    lab_must(s, d[0] < 0.0 && d[4] > 0.0, "without the push the arm collides (%.4f), with k = −1 it does not (%.4f)",
             d[0], d[4]);
    take_down(&arm);
}

static void sweep_cost(lab_section *s, lab_plot *p)
{
    static const size_t counts[COUNTS] = {2, 4, 8, 12, 16};
    static const double reaches[REACHES] = {0.25, 0.5, 0.75, 1.0};
    double of_count[COUNTS], of_reach[REACHES], ignored = 0;
    FILE *csv = lab_csv_open(s, "arm-cost", "what,value,total_seconds,distance_seconds");
    for (int i = 0; i < COUNTS + REACHES; i++) {
        scene arm = {.cell = NULL};
        const bool obstacles = i < COUNTS;
        set_up(&arm, obstacles ? counts[i] : 2);
        const profile x = time_of(s, &arm, &algorithms[0], obstacles ? 0.5 : reaches[i - COUNTS], &ignored, NULL);
        if (obstacles) {
            of_count[i] = x.distances;
        } else {
            of_reach[i - COUNTS] = x.total;
        }
        fprintf(csv, "%s,%g,%.9g,%.9g\n", obstacles ? "obstacles" : "reach",
                obstacles ? (double)counts[i] : reaches[i - COUNTS], x.total, x.distances);
        take_down(&arm);
    }
    lab_csv_close(csv);
    lab_plot_panel(p, "What obstacles cost", "obstacles", "time of distances [ms]",
                   "set yrange [0:*]\nset xrange [0:17]");
    lab_plot_series(p, "with linespoints lc rgb '#000000' pt 5 lw 1.8", NULL);
    for (int i = 0; i < COUNTS; i++) {
        lab_plot_point(p, (double)counts[i], 1e3 * of_count[i]);
    }
    lab_judge(s, &claims[OBSTACLES], of_count[COUNTS - 1] / of_count[0], of_count[COUNTS - 1] / of_count[0],
              "%.1f ms against %.1f ms, original algorithm", 1e3 * of_count[COUNTS - 1], 1e3 * of_count[0]);
    lab_judge(
        s, &claims[PROXIMITY], of_reach[REACHES - 1] / of_reach[0], of_reach[REACHES - 1] / of_reach[0],
        "%.1f ms against %.1f ms: every pair is asked at every step, near or far; a larger d0 adds gradients and steps, not "
        "distances",
        1e3 * of_reach[REACHES - 1], 1e3 * of_reach[0]);
}

static void run(lab_section *s)
{
    lab_plot p;
    lab_paper(s,
              "Fig. 15 profiles the planning of a collision-free motion of a redundant arm with the original GJK and "
              "with the enhancements of both papers: about 70 %% of the time is spent on distances, and both together "
              "are best. A larger |k| makes the avoidance more visible; the cost depends on obstacles, links and "
              "their proximity.");
    lab_here(s,
             "The motion of <code>apart plan --follow</code> (its frames are Fig. 14: docs/robots.md) with five "
             "distance algorithms of the library, in processor time, the best of %u runs. The pyramids' size and "
             "place and the links' radii are ours: the paper does not give them.",
             lab_size(s, 9, 2));
    lab_plot_begin(&p, "arm",
                   "The redundant arm: time of its motion with five distance algorithms (Fig. 15 of the geometric "
                   "improvement), the smallest distance on its way over the gain k, and the time of the distances over "
                   "the number of obstacles.",
                   3, 1, 1240, 440);
    p.legends_by_panel = true;
    profile_algorithms(s, &p);
    lab_progress(s, 0.4);
    sweep_gain(s, &p);
    lab_progress(s, 0.6);
    sweep_cost(s, &p);
    lab_plot_end(s, &p);
    lab_progress(s, 1.0);
}

const lab_experiment lab_arm = {"arm", "fig14 fig15", "The geometric improvement, section 4.4, Figs. 14 and 15 (G9)",
                                "The redundant arm with five distance algorithms", run};
