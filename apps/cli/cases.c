/* apart cases FILE...: every case of case files, one line each, or a summary against the expected values. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* The answer of one case in any dimension; the arrays hold `dim` doubles each. */
typedef struct case_answer {
    double distance, lower, upper;
    double *a, *b;
    int relation;
} case_answer;

/* How the cases compare with what was expected. */
typedef struct case_summary {
    size_t cases, expected, right, wrong_distance, wrong_bounds, wrong_relation;
    double worst; /* largest error as a multiple of eps * size */
    char worst_name[128];
} case_summary;

typedef struct case_run {
    const cli_settings *settings;
    const char *path;
    apart_options options;
    apart_stats stats;
    apart_cache shared;
    double *room; /* for a, b and the workspace of large dimensions */
    size_t room_dim;
    bool progress;
    clock_t last_shown;
    size_t refused; /* cases that could not be computed */
    case_summary summary;
} case_run;

/* ---- computing ---- */

/* A body of a case as shape and pose; *hull is to be freed. */
static apart_shape body_shape(const case_run *run, const apart_case *c, const apart_case_body *body, apart_hull **hull)
{
    *hull = NULL;
    if (!body->is_points) {
        return body->shape;
    }
    if (c->dim == 2) {
        return apart_polygon(body->coordinates, body->count);
    }
    /* A scan needs no topology, so it also works where no hull can be built. */
    if (run->options.support == APART_SUPPORT_SCAN ||
        apart_hull_build(body->coordinates, body->count, NULL, hull) != APART_OK) {
        return apart_points(body->coordinates, body->count);
    }
    return apart_hull_shape(*hull);
}

static void store_point(double *out, apart_vec3 p, size_t dim)
{
    out[0] = p.x;
    out[1] = p.y;
    if (dim == 3) {
        out[2] = p.z;
    }
}

static apart_status solve_shapes(case_run *run, const apart_case *c, case_answer *answer)
{
    apart_hull *hull_a, *hull_b;
    apart_result r;
    const apart_pose identity = apart_pose_identity();
    const apart_shape a = body_shape(run, c, &c->a, &hull_a);
    const apart_shape b = body_shape(run, c, &c->b, &hull_b);
    const apart_status status =
        apart_distance(&a, c->a.is_points ? &identity : &c->a.pose, &b, c->b.is_points ? &identity : &c->b.pose,
                       &run->options, run->settings->cache ? &run->shared : NULL, &r);
    if (status == APART_OK) {
        answer->distance = r.distance;
        answer->lower = r.lower;
        answer->upper = r.upper;
        answer->relation = r.relation;
        store_point(answer->a, r.a, c->dim);
        store_point(answer->b, r.b, c->dim);
    }
    apart_hull_free(hull_a);
    apart_hull_free(hull_b);
    return status;
}
/* The workspace of a dimension, large enough for the depth of a point deep inside hundreds of points in six
 * dimensions. */
static size_t nd_workspace(size_t dim)
{
    const size_t least = apart_nd_workspace_size(dim),
                 depth = dim <= APART_ND_DEPTH_DIM ? APART_ND_DEPTH_BYTES(9000) : 0;
    return least > depth ? least : depth;
}

static apart_status solve_nd(case_run *run, const apart_case *c, case_answer *answer)
{
    const apart_points_nd a = {c->a.coordinates, c->a.count}, b = {c->b.coordinates, c->b.count};
    apart_result_nd r = {.a = answer->a, .b = answer->b};
    const apart_status status =
        apart_distance_nd(c->dim, &a, &b, &run->options, run->room + 2 * c->dim, nd_workspace(c->dim), &r);
    answer->distance = r.distance;
    answer->lower = r.lower;
    answer->upper = r.upper;
    answer->relation = r.relation;
    return status;
}

/* Room for the points and the workspace of a dimension; kept from case to case. */
static bool reserve(case_run *run, size_t dim)
{
    if (run->room != NULL && run->room_dim >= dim) {
        return true;
    }
    free(run->room);
    run->room = malloc(2 * dim * sizeof(double) + nd_workspace(dim));
    run->room_dim = dim;
    return run->room != NULL;
}

static apart_status solve(case_run *run, const apart_case *c, case_answer *answer)
{
    if (!reserve(run, c->dim)) {
        return APART_ERR_MEMORY;
    }
    answer->a = run->room;
    answer->b = run->room + c->dim;
    return c->dim == 2 || c->dim == 3 ? solve_shapes(run, c, answer) : solve_nd(run, c, answer);
}

/* ---- printing ---- */

static void print_line(const apart_case *c, const case_answer *answer)
{
    printf("%s %.17g", c->name, answer->distance);
    for (size_t i = 0; i < c->dim; i++) {
        printf(" %.17g", answer->a[i]);
    }
    for (size_t i = 0; i < c->dim; i++) {
        printf(" %.17g", answer->b[i]);
    }
    printf(" bounds %.17g %.17g\n", answer->lower, answer->upper);
}

static int print_json(const apart_case *c, const case_answer *answer)
{
    json_t *root = json_pack("{s:o, s:I, s:f, s:o, s:o, s:s, s:o, s:o}", "case", cli_json_text(c->name), "dim",
                             (json_int_t)c->dim, "distance", answer->distance, "lower", cli_json_number(answer->lower),
                             "upper", cli_json_number(answer->upper), "relation", apart_relation_name(answer->relation),
                             "a", cli_json_numbers(answer->a, c->dim), "b", cli_json_numbers(answer->b, c->dim));
    if (c->has_distance) {
        json_object_set_new(root, "expected", cli_json_number(c->distance));
    }
    return cli_json_print(root, stdout, true);
}

/* ---- comparing ---- */

static void stretch(double range[2], double low, double high)
{
    range[0] = low < range[0] ? low : range[0];
    range[1] = high > range[1] ? high : range[1];
}

/* The extent of one body along axis k. */
static void body_range(const apart_case *c, const apart_case_body *body, size_t k, double range[2])
{
    apart_aabb box;
    if (body->is_points) {
        for (size_t i = 0; i < body->count; i++) {
            const double x = body->coordinates[i * c->dim + k];
            stretch(range, x, x);
        }
    } else if (apart_shape_aabb(&body->shape, &body->pose, &box) == APART_OK) {
        const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
        stretch(range, low[k], high[k]);
    }
}

/* The largest side of the joint bounding box, and the largest |coordinate|. */
static void case_size(const apart_case *c, double *side, double *largest)
{
    *side = *largest = 0;
    for (size_t k = 0; k < c->dim; k++) {
        double range[2] = {DBL_MAX, -DBL_MAX};
        body_range(c, &c->a, k, range);
        body_range(c, &c->b, k, range);
        const double far = fabs(range[0]) > fabs(range[1]) ? fabs(range[0]) : fabs(range[1]);
        *side = range[1] - range[0] > *side ? range[1] - range[0] : *side;
        *largest = far > *largest ? far : *largest;
    }
}

/* The tolerances are those of the case files' own checker: 1e-12 of the size and 1e-10 of the distance, 1e-9 each for
 * curved bodies. The expected value is rounded (and, for curved bodies, the pose as well), so the bounds owe it that
 * much slack; they must be tight as well. */
static void compare(case_summary *summary, const apart_case *c, const case_answer *answer)
{
    const bool curved = !c->a.is_points || !c->b.is_points;
    double side, largest;
    summary->cases++;
    if (!c->has_distance) {
        return;
    }
    case_size(c, &side, &largest);
    const double error = fabs(answer->distance - c->distance);
    const double tolerance = curved ? 1e-9 * (side + fabs(c->distance)) : 1e-12 * side + 1e-10 * fabs(c->distance);
    const double slack = fabs(c->distance) * DBL_EPSILON + (curved ? 16 * DBL_EPSILON * (side + largest) : 0);
    const bool distance_right = error <= tolerance;
    const double width = answer->upper - answer->lower,
                 allowed = 10 * tolerance + (curved ? 64 * DBL_EPSILON * largest : 0);
    const bool bounds_right = answer->lower <= c->distance + slack && answer->upper >= c->distance - slack &&
                              answer->lower <= answer->distance && answer->distance <= answer->upper &&
                              width <= allowed;
    /* Touching is within rounding of both neighbours. */
    const bool relation_right = c->relation < 0 || answer->relation == c->relation || fabs(c->distance) <= tolerance;
    summary->expected++;
    summary->wrong_distance += !distance_right;
    summary->wrong_bounds += !bounds_right;
    summary->wrong_relation += !relation_right;
    summary->right += distance_right && bounds_right && relation_right;
    const double multiple = side > 0 ? error / (DBL_EPSILON * side) : 0;
    if (multiple > summary->worst || summary->worst_name[0] == '\0') {
        summary->worst = multiple;
        snprintf(summary->worst_name, sizeof summary->worst_name, "%s", c->name);
    }
}

static int print_summary(const case_run *run)
{
    const case_summary *s = &run->summary;
    if (run->settings->given[CLI_JSON]) {
        json_t *root = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:I}", "apart", apart_version(),
                                 "cases", (json_int_t)s->cases, "expected", (json_int_t)s->expected, "right",
                                 (json_int_t)s->right, "wrong_distance", (json_int_t)s->wrong_distance, "wrong_bounds",
                                 (json_int_t)s->wrong_bounds, "wrong_relation", (json_int_t)s->wrong_relation,
                                 "refused", (json_int_t)run->refused, "worst_error_eps_size", s->worst, "worst_case",
                                 cli_json_text(s->worst_name), "iterations", (json_int_t)run->stats.iterations);
        return cli_json_print(root, stdout, false);
    }
    printf("cases           %zu, %zu with an expected distance\n", s->cases + run->refused, s->expected);
    printf("right           %zu\n", s->right);
    printf("wrong distance  %zu\n", s->wrong_distance);
    printf("wrong bounds    %zu\n", s->wrong_bounds);
    printf("wrong relation  %zu\n", s->wrong_relation);
    printf("refused         %zu\n", run->refused);
    if (s->expected > 0) {
        printf("worst error     %.3g eps of the size, %s\n", s->worst, s->worst_name);
    }
    return CLI_YES;
}

/* ---- reading ---- */

/* A counter on the terminal while the lines go elsewhere; at most ten times a second. */
static void show_progress(case_run *run, bool finished)
{
    const clock_t now = clock();
    if (!run->progress) {
        return;
    }
    if (finished) {
        fputs("\r\033[K", stderr);
    } else if (now - run->last_shown >= CLOCKS_PER_SEC / 10) {
        run->last_shown = now;
        fputc('\r', stderr);
        cli_print_safely(stderr, run->path);
        fprintf(stderr, ": %zu cases\033[K", run->summary.cases);
    }
}

static int run_case(case_run *run, const apart_case *c)
{
    case_answer answer = {0};
    const apart_status status = solve(run, c, &answer);
    if (status != APART_OK) {
        char reason[CLI_TEXT_SIZE];
        show_progress(run, true);
        run->refused++;
        cli_error("%s:%zu: case %s: %s", run->path, c->line, c->name, cli_reason(status, reason));
        return CLI_YES;
    }
    compare(&run->summary, c, &answer);
    show_progress(run, false);
    if (run->settings->given[CLI_SUMMARY]) {
        return CLI_YES;
    }
    if (run->settings->given[CLI_JSON]) {
        return print_json(c, &answer);
    }
    print_line(c, &answer);
    return CLI_YES;
}

static int open_cases(const char *path, char **data, apart_case_file **file)
{
    apart_io_error error;
    apart_status status;
    *data = NULL;
    if (strcmp(path, "-") == 0) {
        size_t size;
        *data = cli_read_all(stdin, "standard input", &size);
        if (*data == NULL) {
            return CLI_BAD;
        }
        status = apart_case_open_memory(*data, size, "standard input", file, &error);
    } else {
        status = apart_case_open(path, file, &error);
    }
    if (status == APART_OK) {
        return CLI_YES;
    }
    free(*data);
    return cli_error("%s", error.message);
}

static int run_file(case_run *run, const char *path)
{
    apart_case_file *file;
    apart_io_error error;
    char *data;
    int found = 1, status = CLI_YES;
    run->path = strcmp(path, "-") == 0 ? "standard input" : path;
    if (open_cases(path, &data, &file) != CLI_YES) {
        return CLI_BAD;
    }
    while (status == CLI_YES) {
        apart_case c;
        if (apart_case_next(file, &c, &found, &error) != APART_OK) {
            show_progress(run, true);
            status = cli_error("%s", error.message);
        } else if (!found) {
            break;
        } else {
            status = run_case(run, &c);
        }
    }
    show_progress(run, true);
    apart_case_close(file);
    free(data);
    return status;
}

static int run(const cli_settings *settings)
{
    case_run state = {.settings = settings, .progress = isatty(2) && (!isatty(1) || settings->given[CLI_SUMMARY])};
    int status = CLI_YES;
    state.options = cli_query_options(settings, NULL, &state.stats);
    for (size_t i = 0; i < settings->operand_count && status == CLI_YES; i++) {
        status = run_file(&state, settings->operands[i]);
    }
    free(state.room);
    if (status == CLI_YES && settings->given[CLI_SUMMARY]) {
        status = print_summary(&state);
        status = status == CLI_YES && state.summary.right != state.summary.expected ? CLI_NO : status;
    }
    return state.refused > 0 ? CLI_BAD : status;
}

static const cli_option_id options[] = {
    CLI_SOLVER,      CLI_SUPPORT, CLI_DEPTH,   CLI_TOLERANCE, CLI_MAX_ITERATIONS,
    CLI_NO_FALLBACK, CLI_CACHE,   CLI_SUMMARY, CLI_JSON,      CLI_HELP,
};

const cli_command cli_cases_command = {
    .name = "cases",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = (size_t)-1,
    .summary = "the distances of all pairs in case files, one line each",
    .description = "A line has the name, the distance, a point on A, a point on B and the bounds:\n"
                   "  NAME distance ax ay az bx by bz bounds LOWER UPPER\n"
                   "with as many coordinates as the case has dimensions, and 17 digits each. With --json, one\n"
                   "object on each line. 3D point sets become hulls first, except with --support scan.\n"
                   "- is standard input. --cache shared gives all cases one cache; no answer may change.\n",
    .examples = "  apart cases polytopes.txt > results.txt\n"
                "  apart cases --summary --solver johnson polytopes.txt nd.txt\n",
    .options = options,
    .run = run,
};
