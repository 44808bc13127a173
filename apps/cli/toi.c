/* apart toi A B: when do two moving bodies meet, or how near do they come? */
#include <math.h>

#include "cli.h"

typedef struct query {
    cli_body bodies[2];
    apart_motion motions[2];
    apart_compound_impact found;
    apart_impact impact; /* found.impact */
    apart_stats stats;
    double until;
} query;

static int check_settings(const cli_settings *s)
{
    if (cli_is_stdout(s->svg) + cli_is_stdout(s->record) + s->given[CLI_JSON] > 1) {
        return cli_error("toi: only one of --svg -, --record - and --json can go to standard output");
    }
    if (s->given[CLI_UNTIL] && s->until > 1) {
        return cli_error("toi: --until T: %g is beyond the end of the motion, which is t = 1", s->until);
    }
    if (s->given[CLI_LIMIT] && s->given[CLI_CUTOFF] && s->cutoff < s->limit) {
        return cli_error("toi: --cutoff %g stops before --limit %g is decided; give a larger --cutoff", s->cutoff,
                         s->limit);
    }
    return CLI_YES;
}

/* Is the gap certified to be at least the limit, all the time? */
static bool is_kept(const apart_impact *impact, double limit)
{
    return impact->outcome == APART_OUTCOME_CLEAR && impact->lower >= limit;
}

/* "moves by (0, 0, -5) and turns by 3 about (0, 1, 0)" */
static void print_motion(const cli_body *body, const apart_motion *m)
{
    char way[CLI_POINT_SIZE], axis[CLI_POINT_SIZE], angle[CLI_NUMBER_SIZE];
    const apart_vec3 v = m->linear, w = m->angular;
    const double rate = sqrt(w.x * w.x + w.y * w.y + w.z * w.z);
    const bool moves = v.x != 0 || v.y != 0 || v.z != 0;
    cli_print_body(body);
    if (!moves && rate == 0) {
        printf("            at rest\n");
        return;
    }
    printf("            ");
    if (moves) {
        printf("%s %s", m->path == APART_PATH_SCREW ? "starts with velocity" : "moves by",
               cli_point(v, body->shape.dim, way));
    }
    if (rate > 0) {
        const apart_vec3 u = {w.x / rate, w.y / rate, w.z / rate};
        printf("%sturns by %s about %s%s", moves ? ", " : "", cli_number(rate, angle), cli_point(u, 3, axis),
               m->path == APART_PATH_SCREW ? ", on a screw" : "");
    }
    putchar('\n');
}

static void print_outcome(const query *q)
{
    const apart_impact *im = &q->impact;
    char t[CLI_NUMBER_SIZE], lower[CLI_NUMBER_SIZE], upper[CLI_NUMBER_SIZE], until[CLI_NUMBER_SIZE],
        tolerance[CLI_NUMBER_SIZE];
    cli_number(im->t, t);
    cli_number(im->lower, lower);
    cli_number(im->upper, upper);
    cli_number(q->until, until);
    cli_number(im->tolerance, tolerance);
    switch (im->outcome) {
    case APART_OUTCOME_HIT:
        printf("outcome     hit: they meet at t = %s, and not before\n", t);
        printf("gap         at most %s then, at least %s before (tolerance %s)\n", upper, lower, tolerance);
        break;
    case APART_OUTCOME_CLEAR:
        printf("outcome     clear: no contact from t = 0 to %s\n", until);
        printf("gap         always at least %s; at most %s at t = %s (tolerance %s)\n", lower, upper, t, tolerance);
        break;
    case APART_OUTCOME_START: printf("outcome     start: in contact from the beginning\n"); break;
    default:
        printf("outcome     limit: no contact before t = %s; later times were not examined\n", t);
        printf("gap         at least %s until then\n", lower);
        break;
    }
    printf("search      %u distance queries, stopped: %s\n\n", (unsigned)im->iterations, apart_stop_name(im->stop));
}

/* The result at the impact's time, with its parts. */
static apart_compound_result result_of(const query *q)
{
    return (apart_compound_result){.result = q->impact.at,
                                   .part_a = q->found.part_a,
                                   .part_b = q->found.part_b,
                                   .queries = q->found.queries};
}

static void print_text(const cli_settings *settings, const query *q)
{
    const apart_compound_result at = result_of(q);
    char number[CLI_NUMBER_SIZE];
    cli_body start[2] = {q->bodies[0], q->bodies[1]};
    for (int i = 0; i < 2; i++) {
        start[i].pose = q->motions[i].start;
        print_motion(&start[i], &q->motions[i]);
    }
    putchar('\n');
    print_outcome(q);
    printf("at t = %s\n", cli_number(q->impact.t, number));
    cli_print_result(q->bodies, &at, settings->frame);
    if (settings->given[CLI_LIMIT]) {
        printf("limit       %s: %s\n", cli_number(settings->limit, number),
               is_kept(&q->impact, settings->limit) ? "yes, kept all the time" : "NO, not certain at every moment");
    }
    if (settings->given[CLI_STATS]) {
        cli_print_stats(&q->stats);
    }
}

static json_t *motion_json(const apart_motion *m)
{
    return json_pack("{s:s, s:o, s:o, s:o}", "path", m->path == APART_PATH_SCREW ? "screw" : "straight", "pivot",
                     cli_json_vec(m->pivot, 3), "linear", cli_json_vec(m->linear, 3), "angular",
                     cli_json_vec(m->angular, 3));
}

static int print_json(const cli_settings *settings, const query *q)
{
    const apart_impact *im = &q->impact;
    const apart_compound_result at = result_of(q);
    json_t *root = json_pack("{s:s, s:s, s:f, s:f, s:o, s:o, s:f, s:i, s:i, s:s, s:o, s:o, s:o}", "apart",
                             apart_version(), "outcome", apart_outcome_name(im->outcome), "t", im->t, "until", q->until,
                             "lower", cli_json_number(im->lower), "upper", cli_json_number(im->upper), "tolerance",
                             im->tolerance, "iterations", (int)im->iterations, "separations", (int)im->separations,
                             "stop", apart_stop_name(im->stop), "motion_a", motion_json(&q->motions[0]), "motion_b",
                             motion_json(&q->motions[1]), "at", cli_json_result(q->bodies, &at, settings->frame));
    if (settings->given[CLI_STATS]) {
        json_object_set_new(root, "stats", cli_json_stats(&q->stats));
    }
    if (settings->given[CLI_LIMIT]) {
        json_object_set_new(root, "limit", json_real(settings->limit));
        json_object_set_new(root, "limit_kept", json_boolean(is_kept(im, settings->limit)));
    }
    return cli_json_print(root, stdout, false);
}

static int write_picture(const char *path, const query *q)
{
    cli_file file;
    if (cli_file_open(path, &file) != CLI_YES) {
        return CLI_BAD;
    }
    return cli_file_close(&file, cli_toi_picture_write(file.stream, q->bodies, q->motions, &q->impact, q->until));
}

static int report(const cli_settings *settings, const query *q)
{
    if ((settings->svg != NULL && write_picture(settings->svg, q) != CLI_YES) ||
        (settings->record != NULL &&
         cli_record_toi(settings->record, q->bodies, q->motions, &q->impact, q->until) != CLI_YES)) {
        return CLI_BAD;
    }
    if (settings->given[CLI_JSON]) {
        if (print_json(settings, q) != CLI_YES) {
            return CLI_BAD;
        }
    } else if (!cli_is_stdout(settings->svg) && !cli_is_stdout(settings->record)) {
        print_text(settings, q);
    }
    return settings->given[CLI_LIMIT] && !is_kept(&q->impact, settings->limit) ? CLI_NO : CLI_YES;
}

static int solve(const cli_settings *settings, query *q)
{
    for (int i = 0; i < 2; i++) {
        if (cli_motion_read(settings, i, &q->bodies[i], &q->motions[i]) != CLI_YES) {
            return CLI_BAD;
        }
    }
    const apart_motion_options options = {.tolerance = settings->tolerance,
                                          .until = settings->until,
                                          .cutoff = settings->cutoff,
                                          .max_iterations = settings->max_iterations,
                                          .gap = APART_GAP_TOLERANCE,
                                          .stats = &q->stats};
    const apart_status status =
        apart_compound_time_of_impact(cli_body_solid(&q->bodies[0]), &q->motions[0], cli_body_solid(&q->bodies[1]),
                                      &q->motions[1], &options, &q->found);
    q->impact = q->found.impact;
    if (status != APART_OK) {
        return cli_query_error(q->bodies, status);
    }
    q->until = settings->given[CLI_UNTIL] ? settings->until : 1;
    q->bodies[0].pose = q->impact.pose_a;
    q->bodies[1].pose = q->impact.pose_b;
    return report(settings, q);
}

static int run(const cli_settings *settings)
{
    query q = {.until = 1};
    if (check_settings(settings) != CLI_YES || cli_bodies_load(settings, q.bodies) != CLI_YES) {
        return CLI_BAD;
    }
    const int status =
        cli_need_convex(settings->svg != NULL ? "--svg" : NULL, q.bodies) == CLI_YES ? solve(settings, &q) : CLI_BAD;
    cli_bodies_free(q.bodies);
    return status;
}

static const cli_option_id options[] = {
    CLI_POSE_A, CLI_POSE_B, CLI_TO_A,    CLI_TO_B,    CLI_VELOCITY_A, CLI_VELOCITY_B, CLI_CENTER_A,       CLI_CENTER_B,
    CLI_SCREW,  CLI_UNTIL,  CLI_ROUND_A, CLI_ROUND_B, CLI_AS,         CLI_AS_A,       CLI_AS_B,           CLI_HULL,
    CLI_HULLS,  CLI_EXCESS, CLI_UNITS,   CLI_SCALE,   CLI_TOLERANCE,  CLI_CUTOFF,     CLI_MAX_ITERATIONS, CLI_LIMIT,
    CLI_FRAME,  CLI_STATS,  CLI_SVG,     CLI_RECORD,  CLI_JSON,       CLI_HELP,
};

const cli_command cli_toi_command = {
    .name = "toi",
    .operands = "A B",
    .min_operands = 2,
    .max_operands = 2,
    .summary = "when do two moving bodies meet, or how near do they come?",
    .description = "The time runs from 0 to 1. Before the time of impact the gap is certified positive at every\n"
                   "moment; at that time the gap is at most the tolerance (a length; 1e-6 of the bodies' radii by\n"
                   "default). If they never meet, their smallest gap comes with a certified lower bound.\n"
                   "\n"
                   "A body starts at --pose-a and moves to the pose --to-a, or with the velocity --velocity-a:\n"
                   "linear=X,Y,Z and angular=X,Y,Z (radians, world axes, any number of turns), in 2D\n"
                   "linear=X,Y and angular=W. The point --center-a, by default the origin of the body's frame,\n"
                   "moves straight while the body turns about a fixed direction; with --screw the velocity\n"
                   "turns too, and the body turns about one fixed line. Bodies and poses are given as for\n"
                   "'apart distance'. With --limit D the exit status is 1 unless the gap is certain to be at\n"
                   "least D all the time.\n",
    .examples =
        "  apart toi box:1,1,1 halfspace:0,0,1,0 --pose-a xyz=0,0,4 --velocity-a \"linear=0,0,-5 angular=1,2,0\"\n"
        "  apart toi gripper.stl table.stl --to-a \"xyz=0.2,0,0.1 rpy=0,1.2,0\" --limit 0.005 && echo clear\n",
    .options = options,
    .run = run,
};
