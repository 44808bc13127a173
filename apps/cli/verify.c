/* apart verify A B: a distance, checked by code that shares nothing with the solver. */
#include "cli.h"

static int read_result(const char *path, const cli_body *a, apart_compound_result *found)
{
    if (cli_json_read_result(path, found) != CLI_YES) {
        return CLI_BAD;
    }
    if (found->result.dim != a->shape.dim) {
        return cli_error("%s is a result in %dD, but A, %s, is %dD", path, found->result.dim, a->text, a->shape.dim);
    }
    return CLI_YES;
}

/* The result to check: from a file, or computed now. */
static int get_result(const cli_settings *settings, const cli_body bodies[2], apart_compound_result *found)
{
    if (settings->result != NULL) {
        return read_result(settings->result, &bodies[0], found);
    }
    const apart_options options = cli_query_options(settings, NULL, NULL);
    const apart_status status =
        apart_compound_distance(cli_body_solid(&bodies[0]), &bodies[0].pose, cli_body_solid(&bodies[1]),
                                &bodies[1].pose, &options, NULL, found);
    return status == APART_OK ? CLI_YES : cli_query_error(bodies, status);
}

static void print_text(const cli_body bodies[2], const apart_result *result, const apart_proof *proof)
{
    static const char *const meaning[] = {
        "the points lie in the bodies; normal, distance and both bounds hold",
        "the result is wrong",
        "the check could neither prove nor refute the result",
    };
    char distance[CLI_NUMBER_SIZE], lower[CLI_NUMBER_SIZE], upper[CLI_NUMBER_SIZE];
    cli_print_body(&bodies[0]);
    cli_print_body(&bodies[1]);
    printf("\nclaimed     %s, between ", cli_number(result->distance, distance));
    printf("%s and %s\n", cli_number(result->lower, lower), cli_number(result->upper, upper));
    printf("shown       between %s and %s, by the check alone\n", cli_number(proof->lower, lower),
           cli_number(proof->upper, upper));
    printf("verdict     %s: %s\n", apart_verdict_name(proof->verdict), meaning[proof->verdict]);
    if (proof->verdict != APART_PROVED && proof->reason != NULL) {
        printf("reason      %s\n", proof->reason);
    }
}

static json_t *proof_json(const apart_result *result, const apart_proof *proof)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "apart", apart_version(), "verdict",
                     apart_verdict_name(proof->verdict), "reason", proof->reason != NULL ? proof->reason : "",
                     "distance", cli_json_number(result->distance), "lower", cli_json_number(proof->lower), "upper",
                     cli_json_number(proof->upper));
}

static int check(const cli_settings *settings, const cli_body bodies[2])
{
    apart_compound_result found;
    apart_proof proof = {0};
    if (get_result(settings, bodies, &found) != CLI_YES) {
        return CLI_BAD;
    }
    const bool has_parts = cli_has_parts(bodies);
    const apart_solid a = cli_body_solid(&bodies[0]), b = cli_body_solid(&bodies[1]);
    const apart_status status =
        has_parts ? apart_verify_solids(a, &bodies[0].pose, b, &bodies[1].pose, &found, &proof)
                  : apart_verify(a.shape, &bodies[0].pose, b.shape, &bodies[1].pose, &found.result, &proof);
    if (status != APART_OK) {
        return cli_query_error(bodies, status);
    }
    if (settings->given[CLI_JSON]) {
        if (cli_json_print(proof_json(&found.result, &proof), stdout, false) != CLI_YES) {
            return CLI_BAD;
        }
    } else {
        print_text(bodies, &found.result, &proof);
    }
    switch (proof.verdict) {
    case APART_PROVED: return CLI_YES;
    case APART_REFUTED: return CLI_NO;
    default: return CLI_UNDECIDED;
    }
}

static int run(const cli_settings *settings)
{
    cli_body bodies[2];
    if (cli_bodies_load(settings, bodies) != CLI_YES) {
        return CLI_BAD;
    }
    const int status = check(settings, bodies);
    cli_bodies_free(bodies);
    return status;
}

static const cli_option_id options[] = {
    CLI_POSE_A,    CLI_POSE_B,         CLI_ROUND_A,     CLI_ROUND_B, CLI_AS,     CLI_AS_A,    CLI_AS_B,  CLI_HULL,
    CLI_HULLS,     CLI_EXCESS,         CLI_UNITS,       CLI_SCALE,   CLI_SOLVER, CLI_SUPPORT, CLI_DEPTH, CLI_CUTOFF,
    CLI_TOLERANCE, CLI_MAX_ITERATIONS, CLI_NO_FALLBACK, CLI_RESULT,  CLI_JSON,   CLI_HELP,
};

const cli_command cli_verify_command = {
    .name = "verify",
    .operands = "A B",
    .min_operands = 2,
    .max_operands = 2,
    .summary = "check a distance independently: proved (exit 0), refuted (1) or undecided (3)",
    .description = "Computes the distance, or takes it from --result, and checks it with code that shares\n"
                   "nothing with the solver. The check finds bounds of its own ('shown'). The verdict is\n"
                   "  proved     (exit 0) the points lie in the bodies; the claimed bounds enclose those shown\n"
                   "  refuted    (exit 1) a claim is false: the reason says which\n"
                   "  undecided  (exit 3) neither could be shown, e.g. the depth of near-spheres about one centre\n"
                   "Bodies and poses are given as for 'apart distance', and must be those of the result.\n",
    .examples = "  apart verify cone:1,1 ellipsoid:1,2,3 --pose-b xyz=5,0,0\n"
                "  apart distance a.obj b.obj --json > r.json && apart verify a.obj b.obj --result r.json\n",
    .options = options,
    .run = run,
};
