/* The files of `apart plan -o DIR`: CSV, figures and the recording. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "figure.h"
#include "plan.h"

enum { MOST_CURVES = 8 };

/* ---- CSV ---- */

/* One line per step: the tool's position, its target, and the damping. */
static int write_tool(const plan_run *run, FILE *stream)
{
    const robot_plan *plan = &run->pushed.plan;
    char n[CLI_NUMBER_SIZE];
    fputs("t,x,y,z,wanted_x,wanted_y,wanted_z,error,damping\n", stream);
    for (size_t i = 0; i < plan->count; i++) {
        const double row[] = {plan->tool[i].x,   plan->tool[i].y,   plan->tool[i].z, plan->wanted[i].x,
                              plan->wanted[i].y, plan->wanted[i].z, plan->error[i],  plan->damping[i]};
        fputs(cli_number(plan->t[i], n), stream);
        for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
            fprintf(stream, ",%s", cli_number(row[k], n));
        }
        fputc('\n', stream);
    }
    return CLI_YES;
}

static int write_trajectory(const plan_run *run, FILE *stream)
{
    plan_print_csv(run, stream);
    return CLI_YES;
}

/* One column per pair: "upper - pyramid 1". */
static int write_clearance(const plan_run *run, FILE *stream)
{
    const robot_plan *plan = &run->pushed.plan;
    char n[CLI_NUMBER_SIZE], name[CLI_TEXT_SIZE];
    fputs("t", stream);
    for (size_t p = 0; p < plan->pair_count; p++) {
        snprintf(name, sizeof name, "%.100s - %.100s", cli_pair_name(&run->cell, p, 0),
                 cli_pair_name(&run->cell, p, 1));
        fputc(',', stream);
        cli_print_field(stream, name);
    }
    fputc('\n', stream);
    for (size_t i = 0; i < plan->count; i++) {
        fputs(cli_number(plan->t[i], n), stream);
        for (size_t p = 0; p < plan->pair_count; p++) {
            fprintf(stream, ",%s", cli_number(plan->distances[i * plan->pair_count + p], n));
        }
        fputc('\n', stream);
    }
    return CLI_YES;
}

static int write_profile(const plan_run *run, FILE *stream)
{
    fputs("algorithm,description,steps,queries,seconds,distance_seconds\n", stream);
    for (int i = 0; i < PLAN_ALGORITHMS; i++) {
        const plan_profile *p = &run->profiles[i];
        fprintf(stream, "%s,\"%s\",%zu,%llu,%.9g,%.9g\n", p->name, p->description, p->steps,
                (unsigned long long)p->queries, p->total, p->distances);
    }
    return CLI_YES;
}

/* ---- figures ---- */

/* The nearest distance of a pair in a plan. */
static double least_of(const robot_plan *plan, size_t pair)
{
    double least = INFINITY;
    for (size_t i = 0; i < plan->count; i++) {
        least = fmin(least, plan->distances[i * plan->pair_count + pair]);
    }
    return least;
}

/* The pairs that come nearest in either plan, at most MOST_CURVES. */
static size_t choose_pairs(const plan_run *run, size_t out[MOST_CURVES])
{
    const size_t pairs = run->pushed.plan.pair_count;
    size_t count = 0;
    for (; count < MOST_CURVES && count < pairs; count++) {
        double best = INFINITY;
        for (size_t p = 0; p < pairs; p++) {
            bool taken = false;
            for (size_t k = 0; k < count; k++) {
                taken = taken || out[k] == p;
            }
            const double least = fmin(least_of(&run->pushed.plan, p), least_of(&run->plain.plan, p));
            if (!taken && least < best) {
                best = least;
                out[count] = p;
            }
        }
        if (!(best < run->task.reach)) {
            break;
        }
    }
    return count;
}

static void add_panel(lab_plot *plot, const plan_run *run, const plan_motion *motion, const char *title,
                      const size_t *pairs, size_t count, bool legends)
{
    static const char *const colors[MOST_CURVES] = {"#d55e00", "#0072b2", "#009e73", "#cc79a7",
                                                    "#e69f00", "#56b4e9", "#444444", "#999933"};
    const robot_plan *plan = &motion->plan;
    char *settings = lab_format(
        "set key %s\nset xrange [0:%.9g]\nset yrange [*<-0.2:%.9g]\nset xzeroaxis lt 1 lc rgb '#333333' lw 1.2",
        legends ? "outside right top Left reverse" : "off", plan->t[plan->count - 1], 1.4 * run->task.reach);
    lab_plot_panel(plot, title, "time (s)", "distance", settings);
    free(settings);
    for (size_t k = 0; k < count; k++) {
        char *a = figure_text(cli_pair_name(&run->cell, pairs[k], 0)),
             *b = figure_text(cli_pair_name(&run->cell, pairs[k], 1));
        char *legend = lab_format("%s - %s", a, b),
             *style = lab_format("using 1:2 with lines lc rgb '%s' lw 1.8", colors[k]);
        lab_plot_series(plot, style, legend);
        for (size_t i = 0; i < plan->count; i++) {
            lab_plot_point(plot, plan->t[i], plan->distances[i * plan->pair_count + pairs[k]]);
        }
        free(a);
        free(b);
        free(legend);
        free(style);
    }
    char *reach = lab_format("%.17g", run->task.reach);
    lab_plot_formula(plot, reach, "d0");
    free(reach);
}

static int draw_clearance(const plan_run *run, const char *path)
{
    size_t pairs[MOST_CURVES];
    const size_t count = choose_pairs(run, pairs);
    lab_plot plot;
    char *title = lab_format("with the push, k = %g", run->task.gain);
    lab_plot_begin(&plot, "clearance", "", 1, 2, 900, 760);
    add_panel(&plot, run, &run->plain, "the plain pseudo-inverse, k = 0", pairs, count, true);
    add_panel(&plot, run, &run->pushed, title, pairs, count, true);
    free(title);
    return figure_write(&plot, path);
}

/* Fig. 15: two bars, each of distances and the rest. */
static int draw_profile(const plan_run *run, const char *path)
{
    lab_plot plot;
    lab_plot_begin(&plot, "profile", "", 1, 1, 640, 460);
    const double top = 1e3 * fmax(run->profiles[0].total, run->profiles[1].total);
    char *settings = lab_format(
        "set xrange [-0.6:1.6]\nset yrange [0:%.9g]\nset xtics (\"original\\n(johnson, scan, cold)\" 0, \"enhanced\\n(default, "
        "tracked)\" 1) scale 0\nset boxwidth 0.5\nset style fill solid 1 noborder\nset key outside top center horizontal\nset bmargin 3.6",
        1.2 * top);
    lab_plot_panel(&plot, "time of the whole plan", "", "ms", settings);
    free(settings);
    lab_plot_series(&plot, "using 1:2 with boxes lc rgb '#bbbbbb'", "all else");
    for (int i = 0; i < PLAN_ALGORITHMS; i++) {
        lab_plot_point(&plot, i, 1e3 * run->profiles[i].total);
    }
    lab_plot_series(&plot, "using 1:2 with boxes lc rgb '#0072b2'", "distances");
    for (int i = 0; i < PLAN_ALGORITHMS; i++) {
        lab_plot_point(&plot, i, 1e3 * run->profiles[i].distances);
    }
    lab_plot_series(&plot, "using 1:2:3 with labels offset 0,0.8", NULL);
    for (int i = 0; i < PLAN_ALGORITHMS; i++) {
        const plan_profile *p = &run->profiles[i];
        char *text = lab_format("%.1f ms, distances %.0f %%", 1e3 * p->total, 100 * p->distances / p->total);
        lab_plot_label(&plot, i, 1e3 * p->total, text);
        free(text);
    }
    return figure_write(&plot, path);
}

/* ---- the recording ---- */

static int record_steps(plan_run *run, recording *film)
{
    static const char *const names[] = {"clearance", "error"};
    const robot_plan *plan = &run->pushed.plan;
    int status = CLI_YES;
    for (size_t i = 0; i < plan->count && status == CLI_YES; i++) {
        apart_robot_near at;
        if (apart_robot_set(run->cell.work, plan->q + i * plan->width) != APART_OK ||
            apart_robot_nearest(run->cell.work, &at) != APART_OK) {
            return CLI_BAD;
        }
        const double values[] = {at.at.result.distance, plan->error[i]};
        const char *label = i + 1 == plan->count
                                ? (plan->followed ? "the end of the path" : "the path cannot be followed further")
                                : NULL;
        status = cli_cell_record_frame(&run->cell, film, plan->t[i], &at, label, names, values, 2);
    }
    return status;
}

int plan_write_recording(plan_run *run, const char *path)
{
    recording film;
    if (recording_open(path,
                       &(recording_head){.kind = "plan",
                                         .title = apart_robot_name(run->cell.robot),
                                         .time_unit = "s",
                                         .exact_parts = true},
                       &film) != CLI_YES) {
        return CLI_BAD;
    }
    const robot_plan *plan = &run->pushed.plan;
    int status = cli_cell_record(run->settings, NULL, &run->cell, &film);
    for (size_t i = 0; i < plan->count && status == CLI_YES; i++) { /* straight from step to step */
        status =
            recording_add_waypoint(&film,
                                   &(recording_waypoint){.t = plan->t[i], .lower = NAN, .q = plan->q + i * plan->width},
                                   plan->width);
    }
    if (status == CLI_YES) {
        status = recording_add_path(&film, "path", run->task.path, run->task.path_count);
    }
    if (status == CLI_YES) {
        status = record_steps(run, &film);
    }
    return recording_close(&film, status);
}

/* ---- all ---- */

static int write_one(plan_run *run, const char *directory, const char *name,
                     int (*write)(const plan_run *run, FILE *stream))
{
    char *path = lab_format("%s/%s", directory, name);
    cli_file file;
    int status = cli_file_open(path, &file);
    if (status == CLI_YES) {
        status = cli_file_close(&file, write(run, file.stream));
    }
    free(path);
    return status;
}

static int write_frames(const plan_run *run, FILE *stream) { return plan_write_frames((plan_run *)run, stream); }

static int draw_one(plan_run *run, const char *directory, const char *name,
                    int (*draw)(const plan_run *run, const char *path))
{
    char *path = lab_format("%s/%s", directory, name);
    const int status = draw(run, path);
    free(path);
    return status;
}

int plan_check_files(const char *directory, const char *record)
{
    static const char *const names[] = {"trajectory.csv", "tool.csv",       "clearance.csv", "profile.csv",
                                        "frames.svg",     "recording.json", "clearance.svg", "profile.svg"};
    bool same = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && directory != NULL && record != NULL; i++) {
        char *path = lab_format("%s/%s", directory, names[i]);
        same = same || cli_same_file(path, record);
        free(path);
    }
    return same ? cli_error("plan: --record %s is a file that -o %s writes", record, directory) : CLI_YES;
}

int plan_write_files(plan_run *run, const char *directory)
{
    const bool profiled = run->settings->given[CLI_PROFILE];
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        return cli_error("cannot make %s: %s", directory, strerror(errno));
    }
    if (write_one(run, directory, "trajectory.csv", write_trajectory) != CLI_YES ||
        write_one(run, directory, "tool.csv", write_tool) != CLI_YES ||
        write_one(run, directory, "clearance.csv", write_clearance) != CLI_YES ||
        (profiled && write_one(run, directory, "profile.csv", write_profile) != CLI_YES) ||
        write_one(run, directory, "frames.svg", write_frames) != CLI_YES) {
        return CLI_BAD;
    }
    char *path = lab_format("%s/recording.json", directory);
    const int status = plan_write_recording(run, path);
    free(path);
    if (status != CLI_YES) {
        return CLI_BAD;
    }
    if (!lab_has_gnuplot()) {
        cli_note("gnuplot is not installed: clearance.svg%s left out; the data are in the CSV files",
                 profiled ? " and profile.svg are" : " is");
        return CLI_YES;
    }
    return draw_one(run, directory, "clearance.svg", draw_clearance) == CLI_YES
               ? !profiled ? CLI_YES : draw_one(run, directory, "profile.svg", draw_profile)
               : CLI_BAD;
}
