/* The answers of `apart clearance` as text, CSV, JSON lines, figure and recording. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clearance.h"
#include "figure.h"

/* ---- text ---- */

static int name_width(const clearance *c)
{
    size_t width = 1;
    for (size_t i = 0; i < apart_robot_body_count(c->cell.cell); i++) {
        const size_t length = strlen(apart_robot_body_at(c->cell.cell, i)->name);
        width = length > width ? length : width;
    }
    return width < 32 ? (int)width : 32;
}

static void print_heading(const clearance *c)
{
    const apart_robot *r = c->cell.robot;
    size_t with_obstacles = 0;
    for (size_t i = 0; i < apart_robot_pair_count(c->cell.cell); i++) {
        const apart_robot_pair *pair = apart_robot_pair_at(c->cell.cell, i);
        with_obstacles += apart_robot_body_at(c->cell.cell, pair->bodies[1])->link == APART_ROBOT_NONE;
    }
    fputs("robot       ", stdout);
    cli_print_safely(stdout, apart_robot_name(r));
    printf(": %zu links, %zu joint%s that move%s\n", apart_robot_link_count(r), apart_robot_variable_count(r),
           apart_robot_variable_count(r) == 1 ? "" : "s", apart_robot_variable_count(r) == 1 ? "s" : "");
    printf("pairs       %zu of links, %zu of links with obstacles\n",
           apart_robot_pair_count(c->cell.cell) - with_obstacles, with_obstacles);
    printf("motion      %zu waypoint%s, tolerance %.3g\n\n", c->way.count, c->way.count == 1 ? "" : "s", c->tolerance);
}

static void print_row(const char *moment, const char *distance, int width, const char *a, const char *b,
                      const char *until)
{
    printf("%8s  %-12s  %-*s  %-*s%s%s\n", moment, distance, width, a, *until != '\0' ? width : 0, b,
           *until != '\0' ? "  " : "", until);
}

static void print_rows(const clearance *c)
{
    const int width = name_width(c);
    char moment[CLI_NUMBER_SIZE], distance[CLI_NUMBER_SIZE], until[CLI_NUMBER_SIZE];
    print_row(c->way.timed ? "time" : "waypoint", "clearance", width, "A", "B",
              c->way.count > 1 && !c->settings->given[CLI_WAYPOINTS_ONLY] ? "until the next at least" : "");
    for (size_t i = 0; i < c->way.count; i++) {
        const clearance_row *row = &c->rows[i];
        print_row(cli_number(c->way.t[i], moment), cli_brief(row->at.at.result.distance, 0, distance), width,
                  cli_pair_name(&c->cell, row->at.pair, 0), cli_pair_name(&c->cell, row->at.pair, 1),
                  isfinite(row->next.lower) ? cli_brief(row->next.lower, -1, until) : "");
    }
    putchar('\n');
}

/* "shoulder +0.31, elbow -0.2": how much the distance grows for a joint moving by 1. */
static void print_way_out(const clearance *c)
{
    bool first = true;
    printf("gradient    ");
    for (size_t v = 0; v < c->way.width; v++) {
        if (fabs(c->gradient[v]) > 1e-6) {
            printf("%s%s %+.3g", first ? "" : ", ", apart_robot_variable(c->cell.robot, v)->name, c->gradient[v]);
            first = false;
        }
    }
    printf("%s%s\n", first ? "no joint changes it" : " (change of the distance by joint)",
           c->unique ? "" : "; one of many: the closest points are not unique");
}

static void print_worst(const clearance *c)
{
    const apart_result *at = &c->worst_at.at.result;
    char a[CLI_POINT_SIZE], b[CLI_POINT_SIZE], n[CLI_POINT_SIZE], x[CLI_NUMBER_SIZE], y[CLI_NUMBER_SIZE];
    printf("worst       ");
    if (c->worst_s > 0) {
        printf("between waypoints %zu and %zu, at %.4g of the segment", c->worst, c->worst + 1, c->worst_s);
    } else {
        printf("at waypoint %zu", c->worst);
    }
    if (c->way.timed) {
        printf(", t = %s", cli_number(c->worst_t, x));
    }
    printf("\ndistance    %s, %s\n", cli_brief(at->distance, 0, x), apart_relation_name(at->relation));
    printf("certified   the clearance %s%s lies between %s and %s\n",
           c->settings->given[CLI_WAYPOINTS_ONLY] ? "at the waypoints" : "of the whole motion",
           c->settings->given[CLI_LIMITS] ? ", less the margins of --limits," : "", cli_brief(c->lower, -1, x),
           cli_brief(c->upper, 1, y));
    printf("A           %s, nearest point %s\n", cli_pair_name(&c->cell, c->worst_at.pair, 0),
           cli_brief_point(at->a, a));
    printf("B           %s, nearest point %s\n", cli_pair_name(&c->cell, c->worst_at.pair, 1),
           cli_brief_point(at->b, b));
    printf("normal      %s, from A to B\n", cli_brief_point(at->normal, n));
    print_way_out(c);
}

static void print_limit(const clearance *c)
{
    char number[CLI_NUMBER_SIZE];
    const double limit = c->settings->given[CLI_LIMIT] ? c->settings->limit : 0;
    const char *answer =
        clearance_is_kept(c)
            ? "yes, kept all the time"
            : (c->upper < limit ? "NO, the clearance is below it"
                                : "NO, not for certain (the limit lies between the bounds; try a smaller --tolerance)");
    printf("limit       %s%s: %s\n", cli_number(limit, number),
           c->settings->given[CLI_LIMITS] ? " beyond the margins of --limits" : "", answer);
}

void clearance_print_text(const clearance *c)
{
    print_heading(c);
    print_rows(c);
    print_worst(c);
    if (c->settings->given[CLI_LIMIT] || c->settings->given[CLI_LIMITS]) {
        print_limit(c);
    }
}

/* ---- CSV ---- */

static void print_number(double value)
{
    char number[CLI_NUMBER_SIZE];
    printf(",%s", isfinite(value) ? cli_number(value, number) : "");
}

/* The gradient at a waypoint, from a work space that is moved there. */
static int gradient_at(const clearance *c, size_t i, double *gradient, int *unique)
{
    apart_status status = apart_robot_set(c->cell.work, trajectory_at(&c->way, i));
    status = status == APART_OK ? apart_robot_gradient(c->cell.work, &c->rows[i].at, gradient, unique) : status;
    char reason[CLI_TEXT_SIZE];
    return status == APART_OK ? CLI_YES : cli_error("waypoint %zu: %s", i, cli_reason(status, reason));
}

static void print_csv_heading(const clearance *c)
{
    printf("waypoint,t,a,part_a,b,part_b,relation,distance,lower,upper,ax,ay,az,bx,by,bz,nx,ny,nz,next_lower,"
           "next_upper,next_s,next_a,next_b");
    for (size_t v = 0; v < c->way.width && c->settings->given[CLI_GRADIENTS]; v++) {
        fputs(v == 0 ? ",unique,d_" : ",d_", stdout);
        cli_print_field(stdout, apart_robot_variable(c->cell.robot, v)->name);
    }
    putchar('\n');
}

static void print_csv_gradient(const clearance *c, size_t i, double *gradient)
{
    int unique = 0;
    if (!c->settings->given[CLI_GRADIENTS] || gradient == NULL || gradient_at(c, i, gradient, &unique) != CLI_YES) {
        return;
    }
    printf(",%d", unique);
    for (size_t v = 0; v < c->way.width; v++) {
        print_number(gradient[v]);
    }
}

void clearance_print_csv(const clearance *c)
{
    double *gradient = calloc(c->way.width + 1, sizeof *gradient);
    print_csv_heading(c);
    for (size_t i = 0; i < c->way.count; i++) {
        const clearance_row *row = &c->rows[i];
        const apart_result *r = &row->at.at.result;
        const bool last = !isfinite(row->next.lower);
        const double numbers[] = {r->distance, r->lower, r->upper, r->a.x,      r->a.y,      r->a.z,
                                  r->b.x,      r->b.y,   r->b.z,   r->normal.x, r->normal.y, r->normal.z};
        printf("%zu", i);
        print_number(c->way.t[i]);
        putchar(',');
        cli_print_field(stdout, cli_pair_name(&c->cell, row->at.pair, 0));
        printf(",%u,", (unsigned)row->at.at.part_a);
        cli_print_field(stdout, cli_pair_name(&c->cell, row->at.pair, 1));
        printf(",%u,%s", (unsigned)row->at.at.part_b, apart_relation_name(r->relation));
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            print_number(numbers[k]);
        }
        print_number(row->next.lower);
        print_number(row->next.upper);
        print_number(last ? INFINITY : row->next.s);
        for (int side = 0; side < 2; side++) {
            putchar(',');
            cli_print_field(stdout, last ? "" : cli_pair_name(&c->cell, row->next.pair, side));
        }
        print_csv_gradient(c, i, gradient);
        putchar('\n');
    }
    free(gradient);
}

/* ---- JSON lines ---- */

json_t *clearance_gradient_json(const clearance *c, const double *gradient)
{
    json_t *object = json_object();
    for (size_t v = 0; v < c->way.width; v++) {
        json_object_set_new(object, apart_robot_variable(c->cell.robot, v)->name, cli_json_number(gradient[v]));
    }
    return object;
}

json_t *clearance_pair_json(const clearance *c, const apart_robot_near *near)
{
    const size_t pair = near->pair;
    const apart_compound_result *at = &near->at;
    const apart_result *r = &at->result;
    json_t *object = json_pack("{s:o, s:i, s:o, s:i, s:s, s:f, s:f, s:f, s:o, s:o, s:o}", "a",
                               cli_json_text(cli_pair_name(&c->cell, pair, 0)), "part_a", (int)at->part_a, "b",
                               cli_json_text(cli_pair_name(&c->cell, pair, 1)), "part_b", (int)at->part_b, "relation",
                               apart_relation_name(r->relation), "distance", r->distance, "lower", r->lower, "upper",
                               r->upper, "point_a", cli_json_vec(r->a, 3), "point_b", cli_json_vec(r->b, 3), "normal",
                               cli_json_vec(r->normal, 3));
    if (c->settings->given[CLI_LIMITS]) {
        json_object_set_new(object, "margin", cli_json_number(clearance_margin(c, pair)));
    }
    return object;
}

/* Joints that were not given, and where they stand. */
static void add_rest(const clearance *c, json_t *summary)
{
    json_t *rest = json_object();
    for (size_t v = 0; v < c->way.width; v++) {
        if (!c->way.given[v] && v != c->way.clock) {
            json_object_set_new(rest, apart_robot_variable(c->cell.robot, v)->name, cli_json_number(c->way.rest[v]));
        }
    }
    json_object_set_new(summary, "not_given", rest);
}

static json_t *summary_json(const clearance *c)
{
    json_t *worst = clearance_pair_json(c, &c->worst_at);
    json_object_set_new(worst, "waypoint", json_integer((json_int_t)c->worst));
    json_object_set_new(worst, "s", cli_json_number(c->worst_s));
    json_object_set_new(worst, "t", cli_json_number(c->worst_t));
    json_object_set_new(worst, "gradient", clearance_gradient_json(c, c->gradient));
    json_object_set_new(worst, "unique", json_boolean(c->unique));
    json_t *summary =
        json_pack("{s:o, s:I, s:I, s:f, s:f, s:f, s:o}", "robot", cli_json_text(apart_robot_name(c->cell.robot)),
                  "waypoints", (json_int_t)c->way.count, "pairs", (json_int_t)apart_robot_pair_count(c->cell.cell),
                  "tolerance", c->tolerance, "lower", c->lower, "upper", c->upper, "worst", worst);
    json_object_set_new(summary, "within_joint_limits", json_boolean(c->way.beyond == 0));
    add_rest(c, summary);
    if (c->settings->given[CLI_WAYPOINTS_ONLY]) {
        json_object_set_new(summary, "waypoints_only", json_true());
    }
    if (c->settings->given[CLI_LIMIT] || c->settings->given[CLI_LIMITS]) {
        json_object_set_new(summary, "limit", json_real(c->settings->given[CLI_LIMIT] ? c->settings->limit : 0));
        json_object_set_new(summary, "limit_kept", json_boolean(clearance_is_kept(c)));
    }
    return json_pack("{s:o}", "summary", summary);
}

static int add_gradient(const clearance *c, size_t i, json_t *line)
{
    double *gradient = calloc(c->way.width + 1, sizeof *gradient);
    int unique = 0;
    const int status = gradient != NULL ? gradient_at(c, i, gradient, &unique) : cli_error("out of memory");
    if (status == CLI_YES) {
        json_object_set_new(line, "gradient", clearance_gradient_json(c, gradient));
        json_object_set_new(line, "unique", json_boolean(unique));
    }
    free(gradient);
    return status;
}

int clearance_print_json(const clearance *c)
{
    for (size_t i = 0; i < c->way.count; i++) {
        const clearance_row *row = &c->rows[i];
        json_t *line = clearance_pair_json(c, &row->at);
        json_object_set_new(line, "waypoint", json_integer((json_int_t)i));
        json_object_set_new(line, "t", cli_json_number(c->way.t[i]));
        if (c->settings->given[CLI_GRADIENTS] && add_gradient(c, i, line) != CLI_YES) {
            json_decref(line);
            return CLI_BAD;
        }
        if (isfinite(row->next.lower)) {
            json_object_set_new(line, "next",
                                json_pack("{s:f, s:f, s:f, s:o, s:o}", "lower", row->next.lower, "upper",
                                          row->next.upper, "s", row->next.s, "a",
                                          cli_json_text(cli_pair_name(&c->cell, row->next.pair, 0)), "b",
                                          cli_json_text(cli_pair_name(&c->cell, row->next.pair, 1))));
        }
        if (cli_json_print(line, stdout, true) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return cli_json_print(summary_json(c), stdout, true);
}

/* ---- figure ---- */

int clearance_write_figure(const clearance *c, const char *path)
{
    lab_plot plot;
    char *name = figure_text(apart_robot_name(c->cell.robot)),
         *a = figure_text(cli_pair_name(&c->cell, c->worst_at.pair, 0)),
         *b = figure_text(cli_pair_name(&c->cell, c->worst_at.pair, 1));
    char *title = lab_format("%s: clearance along the motion", name),
         *worst = lab_format("worst: %s and %s, %.4g", a, b, c->upper);
    /* Zero is always in the picture: it is what the distance is from. */
    char *range = lab_format(
        "set key above horizontal Left reverse\nset xrange [%.9g:%.9g]\nset yrange [*<0:*]\nset xzeroaxis lt 1 lc rgb '#999999'",
        c->way.t[0], c->way.count > 1 ? c->way.t[c->way.count - 1] : c->way.t[0] + 1);
    lab_plot_begin(&plot, "clearance", "", 1, 1, 900, 460);
    lab_plot_panel(&plot, title, c->way.timed ? "time (s)" : "waypoint", "distance of the nearest pair", range);
    free(range);
    lab_plot_series(&plot, "using 1:2 with lines lc rgb '#9ecae1' lw 3",
                    c->way.count > 1 && !c->settings->given[CLI_WAYPOINTS_ONLY] ? "certain until the next waypoint"
                                                                                : NULL);
    for (size_t i = 0; i + 1 < c->way.count && !c->settings->given[CLI_WAYPOINTS_ONLY]; i++) {
        lab_plot_point(&plot, c->way.t[i], c->rows[i].next.lower);
        lab_plot_point(&plot, c->way.t[i + 1], c->rows[i].next.lower);
    }
    lab_plot_series(&plot,
                    c->way.count > 100 ? "using 1:2 with lines lc rgb '#08519c' lw 1.6"
                                       : "using 1:2 with linespoints lc rgb '#08519c' pt 7 lw 1.6",
                    "at the waypoints");
    for (size_t i = 0; i < c->way.count; i++) {
        lab_plot_point(&plot, c->way.t[i], c->rows[i].at.at.result.distance);
    }
    lab_plot_series(&plot, "using 1:2 with points lc rgb '#d94801' pt 7 ps 1.4", worst);
    lab_plot_point(&plot, c->worst_t, c->upper);
    if (c->settings->given[CLI_LIMIT]) {
        char *formula = lab_format("%.17g", c->settings->limit), *legend = lab_format("limit %g", c->settings->limit);
        lab_plot_formula(&plot, formula, legend);
        free(formula);
        free(legend);
    }
    free(name);
    free(a);
    free(b);
    free(title);
    free(worst);
    return figure_write(&plot, path);
}

/* ---- recording ---- */

static int record_at(clearance *c, recording *film, double t, const apart_robot_near *at, double lower,
                     const char *label)
{
    static const char *const names[] = {"clearance", "certified"};
    const double values[] = {at->at.result.distance, isfinite(lower) ? lower : at->at.result.lower};
    return cli_cell_record_frame(&c->cell, film, t, at, label, names, values, 2);
}

static int record_motion(const clearance *c, recording *film)
{
    const trajectory *way = &c->way;
    int status = CLI_YES;
    for (size_t i = 0; i < way->count && status == CLI_YES; i++) {
        const int degree = way->degree != NULL ? way->degree[i] : 1;
        const recording_waypoint point = {.t = way->t[i],
                                          .lower = c->rows[i].next.lower,
                                          .q = trajectory_at(way, i),
                                          .v = degree > 1 ? way->v + i * way->width : NULL,
                                          .a = degree > 3 ? way->a + i * way->width : NULL};
        status = recording_add_waypoint(film, &point, way->width);
    }
    return status;
}

int clearance_write_recording(clearance *c, const char *path)
{
    const recording_head head = {.kind = "clearance",
                                 .exact_parts = true,
                                 .title = apart_robot_name(c->cell.robot),
                                 .length_unit = "m",
                                 .time_unit = c->way.timed ? "s" : NULL,
                                 .limit = c->settings->given[CLI_LIMIT] ? &c->settings->limit : NULL};
    recording film;
    double *q = calloc(c->way.width + 1, sizeof *q);
    if (q == NULL || recording_open(path, &head, &film) != CLI_YES) {
        free(q);
        return CLI_BAD;
    }
    int status = cli_cell_record(c->settings, c->settings->operands[0], &c->cell, &film);
    status = status == CLI_YES ? record_motion(c, &film) : status;
    for (size_t i = 0; i < c->way.count && status == CLI_YES; i++) {
        const clearance_row *row = &c->rows[i];
        const bool here = c->worst == i;
        (void)apart_robot_set(c->cell.work, trajectory_at(&c->way, i));
        status = record_at(c, &film, c->way.t[i], &row->at, row->next.lower,
                           here && c->worst_s == 0 ? "the worst moment" : NULL);
        if (here && c->worst_s > 0 && status == CLI_YES) {
            const apart_robot_segment way = trajectory_segment(&c->way, i);
            apart_robot_segment_at(c->cell.robot, &way, c->worst_s, q);
            (void)apart_robot_set(c->cell.work, q);
            status = record_at(c, &film, c->worst_t, &c->worst_at, row->next.lower, "the worst moment");
        }
    }
    free(q);
    return recording_close(&film, status);
}
