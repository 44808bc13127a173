/* apart clearance ROBOT: how near do the links come to each other and to obstacles along a motion, where and when, and
 * which joint motions increase the distance? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clearance.h"
#include "figure.h"

/* The default tolerance of minima between waypoints, as a share of the robot's reach. */
static const double TOLERANCE_SHARE = 1e-4;
/* Waypoints between two signs of progress: a multiple of the blocks that batches are made of. */
enum { CHUNK = 1024 };

/* ---- computing ---- */

static int failed(const clearance *c, size_t waypoint, apart_status status)
{
    char reason[CLI_TEXT_SIZE];
    return cli_error("%s: waypoint %zu: %s", apart_robot_file(c->cell.robot), waypoint, cli_reason(status, reason));
}

/* The motions from some waypoints to the next. */
static apart_status compute_ways(const clearance *c, size_t first, size_t count, unsigned threads,
                                 apart_robot_gap *gaps)
{
    const apart_robot_motion_options options = {.tolerance = c->tolerance};
    apart_robot_segment *segments = calloc(count + 1, sizeof *segments);
    for (size_t i = 0; segments != NULL && i < count; i++) {
        segments[i] = trajectory_segment(&c->way, first + i);
    }
    const apart_status status = segments != NULL
                                    ? apart_robot_segment_batch(c->cell.cell, segments, count, &options, threads, gaps)
                                    : APART_ERR_MEMORY;
    free(segments);
    return status;
}

/* The rows of some waypoints, the motions from each to the next included. */
static int compute_rows(clearance *c, size_t first, size_t count)
{
    const unsigned threads = c->settings->given[CLI_THREADS] ? c->settings->threads : 1;
    const size_t ways = c->settings->given[CLI_WAYPOINTS_ONLY] ? 0 : (first + count < c->way.count ? count : count - 1);
    apart_robot_near *nears = calloc(count, sizeof *nears);
    apart_robot_gap *gaps = calloc(count, sizeof *gaps);
    apart_status status = nears != NULL && gaps != NULL ? APART_OK : APART_ERR_MEMORY;
    if (status == APART_OK) {
        status = apart_robot_nearest_batch(c->cell.cell, trajectory_at(&c->way, first), count, threads, nears);
    }
    if (status == APART_OK && ways > 0) {
        status = compute_ways(c, first, ways, threads, gaps);
    }
    for (size_t i = 0; i < count && status == APART_OK; i++) {
        c->rows[first + i] =
            (clearance_row){nears[i], i < ways ? gaps[i] : (apart_robot_gap){.lower = INFINITY, .upper = INFINITY}};
    }
    free(nears);
    free(gaps);
    return status == APART_OK ? CLI_YES : failed(c, first, status);
}

/* Where the smallest of all is: a moment between waypoints only if it is certainly nearer than every waypoint. */
static void choose_worst(clearance *c)
{
    size_t at = 0, before = 0;
    c->lower = c->upper = INFINITY;
    for (size_t i = 0; i < c->way.count; i++) {
        const clearance_row *row = &c->rows[i];
        const double margin = clearance_margin(c, row->at.pair), upper = row->at.at.result.upper - margin;
        c->lower = fmin(c->lower, fmin(row->at.at.result.lower - margin, row->next.lower));
        c->upper = fmin(c->upper, fmin(upper, row->next.upper));
        c->queries += row->next.queries;
        at = upper < c->rows[at].at.at.result.upper - clearance_margin(c, c->rows[at].at.pair) ? i : at;
        before = row->next.upper < c->rows[before].next.upper ? i : before;
    }
    const apart_robot_gap *next = &c->rows[before].next;
    const bool on_the_way = next->upper < c->rows[at].at.at.result.lower - clearance_margin(c, c->rows[at].at.pair) &&
                            next->s > 0 && next->s < 1;
    c->worst = on_the_way ? before : at;
    c->worst_s = on_the_way ? next->s : 0;
    c->worst_at.pair = on_the_way ? next->pair : c->rows[at].at.pair;
}

/* The smallest of all, and the cell there. */
static int find_worst(clearance *c)
{
    apart_robot_work *work = c->cell.work;
    choose_worst(c);
    const size_t width = c->way.width, next = c->worst_s > 0 ? c->worst + 1 : c->worst;
    double *q = calloc(width + 1, sizeof *q);
    c->gradient = calloc(width + 1, sizeof *c->gradient);
    if (q == NULL || c->gradient == NULL) {
        free(q);
        return cli_error("out of memory");
    }
    const apart_robot_segment way = trajectory_segment(&c->way, c->worst);
    apart_robot_segment_at(c->cell.robot, &way, c->worst_s, q);
    c->worst_t = c->way.t[c->worst] + c->worst_s * (c->way.t[next] - c->way.t[c->worst]);
    apart_status status = apart_robot_set(work, q);
    free(q);
    status = status == APART_OK ? apart_robot_distance(work, c->worst_at.pair, &c->worst_at.at) : status;
    status = status == APART_OK ? apart_robot_gradient(work, &c->worst_at, c->gradient, &c->unique) : status;
    if (status != APART_OK) {
        return failed(c, c->worst, status);
    }
    return CLI_YES;
}

/* Reports motions so long, or tolerances so small, that the search ended before the bounds met, because the table shows
 * only the lower bounds. */
static void note_wide(const clearance *c)
{
    size_t count = 0, first = 0;
    for (size_t i = 0; i + 1 < c->way.count; i++) {
        const apart_robot_gap *next = &c->rows[i].next;
        if (isfinite(next->lower) && next->upper - next->lower > c->tolerance * (1.0 + 1e-9)) {
            first = count++ == 0 ? i : first;
        }
    }
    if (count > 0) {
        cli_note(
            "the tolerance %.3g is not attained on %zu of %zu segments between waypoints, first after waypoint "
            "%zu: there the clearance is only known to lie between %.6g and %.6g; give more waypoints or a larger --tolerance",
            c->tolerance, count, c->way.count - 1, first, c->rows[first].next.lower, c->rows[first].next.upper);
    }
}

static int compute(clearance *c)
{
    cli_progress progress = cli_progress_begin(apart_robot_file(c->cell.robot));
    c->rows = calloc(c->way.count, sizeof *c->rows);
    if (c->rows == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < c->way.count; i += CHUNK) {
        if (compute_rows(c, i, c->way.count - i < CHUNK ? c->way.count - i : CHUNK) != CLI_YES) {
            return CLI_BAD;
        }
        cli_progress_show(&progress, "waypoint", i, c->way.count);
    }
    cli_progress_show(&progress, "waypoint", c->way.count + 1, c->way.count);
    note_wide(c);
    return find_worst(c);
}

bool clearance_is_kept(const clearance *c)
{
    return c->lower >= (c->settings->given[CLI_LIMIT] ? c->settings->limit : 0);
}

/* ---- the command ---- */

static int report(clearance *c)
{
    const cli_settings *s = c->settings;
    if ((s->figure != NULL && clearance_write_figure(c, s->figure) != CLI_YES)) {
        return CLI_BAD;
    }
    if (s->given[CLI_JSON]) {
        if (clearance_print_json(c) != CLI_YES) {
            return CLI_BAD;
        }
    } else if (s->given[CLI_CSV]) {
        clearance_print_csv(c);
    } else if (!cli_is_stdout(s->record)) {
        clearance_print_text(c);
    }
    if (s->record != NULL && clearance_write_recording(c, s->record) != CLI_YES) {
        return CLI_BAD;
    }
    const bool is_within = c->way.beyond == 0 || s->given[CLI_ALLOW_LIMITS];
    const bool asked = s->given[CLI_LIMIT] || s->given[CLI_LIMITS];
    return is_within && (!asked || clearance_is_kept(c)) ? CLI_YES : CLI_NO;
}

static int check_settings(const cli_settings *s)
{
    if (s->given[CLI_JSON] + s->given[CLI_CSV] + cli_is_stdout(s->record) > 1) {
        return cli_error("clearance: --json, --csv and --record - exclude each other");
    }
    if (s->given[CLI_PROPOSE] && (s->traj != NULL || s->joints != NULL || s->figure != NULL || s->record != NULL ||
                                  s->given[CLI_LIMIT] || s->given[CLI_JSON] || s->given[CLI_CSV])) {
        return cli_error(
            "clearance: --propose prints an SRDF and nothing else: it goes with --srdf, --scene, --packages and --notes alone");
    }
    if ((s->given[CLI_PAIRS] || s->given[CLI_NEAREST] || s->given[CLI_BELOW]) &&
        (s->figure != NULL || s->record != NULL)) {
        return cli_error("clearance: --figure and --record do not go with --pairs, --nearest or --below");
    }
    if (s->given[CLI_PAIRS] && s->given[CLI_WAYPOINTS_ONLY]) {
        return cli_error(
            "clearance: --pairs and --waypoints-only exclude each other; --below lists pairs at waypoints");
    }
    return s->figure != NULL ? figure_check(s->figure) : CLI_YES;
}

static int run(const cli_settings *settings)
{
    clearance c = {.settings = settings};
    if (check_settings(settings) != CLI_YES || cli_cell_load(settings, settings->operands[0], &c.cell) != CLI_YES) {
        return CLI_BAD;
    }
    int status;
    if (settings->given[CLI_PROPOSE]) {
        status = clearance_propose(settings, &c.cell);
    } else {
        c.tolerance =
            settings->given[CLI_TOLERANCE] ? settings->tolerance : TOLERANCE_SHARE * apart_robot_reach(c.cell.robot);
        status = trajectory_read(settings, "clearance", c.cell.robot, &c.way);
        if (settings->given[CLI_PAIRS]) {
            status = status == CLI_YES ? clearance_print_ways(&c) : status;
        } else if (settings->given[CLI_NEAREST] || settings->given[CLI_BELOW]) {
            status = status == CLI_YES ? clearance_print_pairs(&c) : status;
        } else {
            status = status == CLI_YES ? compute(&c) : status;
            status = status == CLI_YES ? report(&c) : status;
        }
    }
    free(c.rows);
    free(c.gradient);
    trajectory_free(&c.way);
    cli_cell_free(&c.cell);
    return status;
}

static const cli_option_id options[] = {
    CLI_TRAJ,    CLI_JOINTS,    CLI_SCENE,          CLI_SRDF,       CLI_PACKAGES, CLI_AS,
    CLI_CELL,    CLI_BASE,      CLI_POINTS,         CLI_CLOUD_SIZE, CLI_VOXELS,   CLI_LIMIT,
    CLI_LIMITS,  CLI_TOLERANCE, CLI_ALLOW_LIMITS,   CLI_STATE,      CLI_FIX,      CLI_PAIRS,
    CLI_NEAREST, CLI_BELOW,     CLI_WAYPOINTS_ONLY, CLI_GRADIENTS,  CLI_THREADS,  CLI_PROPOSE,
    CLI_NOTES,   CLI_FIGURE,    CLI_RECORD,         CLI_CSV,        CLI_JSON,     CLI_HELP,
};

const cli_command cli_clearance_command = {
    .name = "clearance",
    .operands = "ROBOT",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "how near a robot's links come to each other and to obstacles along a motion",
    .description =
        "ROBOT is a URDF or MJCF file, a xacro file (if xacro is installed), or JSON (docs/robots.md) if its\n"
        "name ends in .json. The motion goes from\n"
        "waypoint to waypoint, all joints moving evenly. For every waypoint the report has the nearest pair of\n"
        "links, or of a link and an obstacle, and a lower bound of the clearance until the next waypoint. It is\n"
        "certified, and within the tolerance (1e-4 of the robot's reach by default) of the true minimum. Below\n"
        "zero: minus the depth of an overlap. Adjacent links and pairs that an SRDF disables are left out.\n"
        "\n"
        "The summary shows the worst moment: when, which links, where, and how each joint changes the\n"
        "distance there. With --limit D the exit status is 1 unless the clearance is certain to be at least\n"
        "D all the time. It is 1 too if a joint leaves its limits, unless --allow-limits is given.\n"
        "\n"
        "With --nearest N or --below D the report lists pairs at every waypoint, with the gradient of each in\n"
        "--csv and --json; with --pairs every pair's clearance along the whole motion, certified. Waypoints of a\n"
        "JointTrajectory that have velocities (and accelerations) are joined by cubic (quintic) pieces. --limits\n"
        "has limits and paddings by link or pair, --cell a base pose, more robots and attached bodies; bodies of\n"
        "--scene that move follow the trajectory's time.\n",
    .examples = "  apart clearance arm.urdf --joints \"shoulder=0.5,elbow=1.2\"\n"
                "  apart clearance arm.urdf --srdf arm.srdf --scene cell.json --traj move.csv --limit 0.02\n"
                "  apart clearance arm.urdf --traj move.csv --figure clearance.svg --record move.json\n"
                "  apart clearance arm.urdf --propose 1000 > arm.srdf\n",
    .options = options,
    .run = run,
};
