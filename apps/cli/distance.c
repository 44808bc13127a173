/* apart distance A B: the signed distance of two bodies, as text, JSON, words, a trace and a picture. */
#include <stdlib.h>

#include "cli.h"

enum { TRACE_CAPACITY = 4096 };

/* One query with its trace and statistics, if these are asked for. */
typedef struct query {
    cli_body bodies[2];
    apart_compound_result found;
    apart_stats stats;
    apart_trace trace;
} query;

/* Options that contradict each other. */
static int check_settings(const cli_settings *s)
{
    if (cli_is_stdout(s->trace) + cli_is_stdout(s->svg) + cli_is_stdout(s->record) + s->given[CLI_JSON] > 1) {
        return cli_error("distance: only one of --trace -, --svg -, --record - and --json can go to standard output");
    }
    if (s->given[CLI_EXPLAIN] && s->given[CLI_JSON]) {
        return cli_error("distance: --explain is text; with --json, use --trace FILE");
    }
    if (s->given[CLI_LIMIT] && s->given[CLI_CUTOFF] && s->cutoff < s->limit) {
        return cli_error("distance: --cutoff %g stops before --limit %g is decided; give a larger --cutoff", s->cutoff,
                         s->limit);
    }
    return cli_check_limit_depth("distance", s);
}

static bool is_below(const apart_result *result, double limit)
{
    return cli_is_below(result->distance, (uint32_t)result->relation, limit);
}

static int write_trace(const char *path, const query *q)
{
    cli_file file;
    if (cli_file_open(path, &file) != CLI_YES) {
        return CLI_BAD;
    }
    return cli_file_close(&file, cli_json_print(cli_json_trace(q->bodies, &q->trace, &q->found), file.stream, false));
}

static int write_picture(const char *path, const query *q)
{
    cli_file file;
    if (cli_file_open(path, &file) != CLI_YES) {
        return CLI_BAD;
    }
    return cli_file_close(&file, cli_picture_write(file.stream, q->bodies, &q->found.result));
}

static int print_json(const cli_settings *settings, const query *q)
{
    json_t *root = cli_json_result(q->bodies, &q->found, settings->frame);
    if (settings->given[CLI_STATS]) {
        json_object_set_new(root, "stats", cli_json_stats(&q->stats));
    }
    if (settings->given[CLI_LIMIT]) {
        json_object_set_new(root, "limit", json_real(settings->limit));
        json_object_set_new(root, "below_limit", json_boolean(is_below(&q->found.result, settings->limit)));
    }
    return cli_json_print(root, stdout, false);
}

static void print_limit(const apart_result *result, double limit)
{
    char number[CLI_NUMBER_SIZE];
    const bool overlap_decides = result->relation == APART_OVERLAPPING && limit >= 0;
    const bool open = result->lower < limit && limit <= result->upper && !overlap_decides;
    printf("limit       %s: %s%s\n", cli_number(limit, number),
           is_below(result, limit) ? "NO, the distance is below it" : "yes, kept",
           open ? " (the limit lies between the bounds: too close to decide)" : "");
}

static void print_text(const cli_settings *settings, const query *q)
{
    cli_print_body(&q->bodies[0]);
    cli_print_body(&q->bodies[1]);
    putchar('\n');
    if (settings->given[CLI_EXPLAIN]) {
        cli_print_explanation(q->bodies, &q->trace, &q->found.result);
    }
    cli_print_result(q->bodies, &q->found, settings->frame);
    if (settings->given[CLI_LIMIT]) {
        print_limit(&q->found.result, settings->limit);
    }
    if (settings->given[CLI_STATS]) {
        cli_print_stats(&q->stats);
    }
}

static int report(const cli_settings *settings, const query *q)
{
    const bool replaced =
        cli_is_stdout(settings->trace) || cli_is_stdout(settings->svg) || cli_is_stdout(settings->record);
    if ((settings->trace != NULL && write_trace(settings->trace, q) != CLI_YES) ||
        (settings->svg != NULL && write_picture(settings->svg, q) != CLI_YES) ||
        (settings->record != NULL && cli_record_query(settings->record, q->bodies, &q->trace, &q->found) != CLI_YES)) {
        return CLI_BAD;
    }
    if (settings->given[CLI_JSON]) {
        if (print_json(settings, q) != CLI_YES) {
            return CLI_BAD;
        }
    } else if (!replaced) {
        print_text(settings, q);
    }
    return settings->given[CLI_LIMIT] && is_below(&q->found.result, settings->limit) ? CLI_NO : CLI_YES;
}

/* What is asked for that only two convex bodies have, or NULL. */
static const char *convex_option(const cli_settings *s)
{
    return s->given[CLI_EXPLAIN]   ? "--explain"
           : s->trace != NULL      ? "--trace"
           : s->svg != NULL        ? "--svg"
           : s->given[CLI_SOLVER]  ? "--solver"
           : s->given[CLI_SUPPORT] ? "--support"
                                   : NULL;
}

static int run(const cli_settings *settings)
{
    query q = {0};
    if (check_settings(settings) != CLI_YES || cli_bodies_load(settings, q.bodies) != CLI_YES) {
        return CLI_BAD;
    }
    if (cli_need_convex(convex_option(settings), q.bodies) != CLI_YES) {
        cli_bodies_free(q.bodies);
        return CLI_BAD;
    }
    const bool traced = settings->trace != NULL || settings->record != NULL || settings->given[CLI_EXPLAIN];
    q.trace.steps = traced ? calloc(TRACE_CAPACITY, sizeof *q.trace.steps) : NULL;
    q.trace.capacity = q.trace.steps != NULL ? TRACE_CAPACITY : 0;
    int status;
    if (traced && q.trace.steps == NULL) {
        status = cli_error("out of memory");
    } else {
        const apart_options options = cli_query_options(settings, traced ? &q.trace : NULL, &q.stats);
        const apart_status answer =
            apart_compound_distance(cli_body_solid(&q.bodies[0]), &q.bodies[0].pose, cli_body_solid(&q.bodies[1]),
                                    &q.bodies[1].pose, &options, NULL, &q.found);
        status = answer == APART_OK ? report(settings, &q) : cli_query_error(q.bodies, answer);
    }
    free(q.trace.steps);
    cli_bodies_free(q.bodies);
    return status;
}

static const cli_option_id options[] = {
    CLI_POSE_A,    CLI_POSE_B,         CLI_ROUND_A,     CLI_ROUND_B, CLI_AS,     CLI_AS_A,    CLI_AS_B,  CLI_HULL,
    CLI_HULLS,     CLI_EXCESS,         CLI_UNITS,       CLI_SCALE,   CLI_SOLVER, CLI_SUPPORT, CLI_DEPTH, CLI_CUTOFF,
    CLI_TOLERANCE, CLI_MAX_ITERATIONS, CLI_NO_FALLBACK, CLI_LIMIT,   CLI_FRAME,  CLI_EXPLAIN, CLI_STATS, CLI_TRACE,
    CLI_SVG,       CLI_RECORD,         CLI_JSON,        CLI_HELP,
};

const cli_command cli_distance_command = {
    .name = "distance",
    .operands = "A B",
    .min_operands = 2,
    .max_operands = 2,
    .summary = "signed distance of two bodies, with witness points and bounds",
    .description = "A distance above zero is a gap; below zero it is minus the penetration depth: the length of the\n"
                   "shortest translation that separates the bodies. The true value lies between the bounds.\n"
                   "\n"
                   "A body is a mesh file (OBJ, STL, PLY, OFF, Collada, glTF, or text with one 'x y z' on each line;\n"
                   "- is standard input; part.stl*0.001 and part.stl*mm scale it) or a shape by its parameters.\n"
                   "A mesh stands for its hull if it is convex, else for what its triangles enclose if they are\n"
                   "watertight, else for the triangles alone; --as says otherwise.\n"
                   "\n"
                   "Lengths of shapes are radii, half extents and half heights:\n"
                   "  box:HX,HY,HZ  sphere:R  capsule:R,H  cylinder:R,H  cone:R,H  ellipsoid:A,B,C\n"
                   "  point:X,Y,Z  segment:X,Y,Z,X,Y,Z  triangle:X,Y,Z,X,Y,Z,X,Y,Z  halfspace:NX,NY,NZ,OFFSET\n"
                   "and in 2D\n"
                   "  circle:R  rectangle:HX,HY  point2:X,Y  segment2:X,Y,X,Y  polygon:X,Y,X,Y,...\n"
                   "'+R' after a shape rounds it: box:1,1,1+0.1 is the box grown by 0.1 on all sides.\n"
                   "\n"
                   "A POSE is a position (xyz=X,Y,Z or xy=X,Y) and a rotation, separated by spaces or ';':\n"
                   "rpy=ROLL,PITCH,YAW, quat_xyzw=X,Y,Z,W, quat_wxyz=W,X,Y,Z, axis_angle=X,Y,Z,ANGLE,\n"
                   "matrix=(9 numbers, row by row) or angle=A (about z). Angles are in radians.\n",
    .examples = "  apart distance box:1,1,1 sphere:0.5 --pose-b xyz=3,0,0\n"
                "  apart distance rock.obj box:1,2,0.5 --pose-b \"xyz=0,0,4 rpy=0.5,0,0\" --svg rock.svg\n"
                "  apart distance gripper.stl part.stl --limit 0.005 && echo clear\n",
    .options = options,
    .run = run,
};
