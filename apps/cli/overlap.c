/* apart overlap A B: do the bodies touch or overlap? Exit 0 for yes, 1 for no. */
#include "cli.h"

static int run(const cli_settings *settings)
{
    cli_body bodies[2];
    int overlap = 0, status;
    if (cli_bodies_load(settings, bodies) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_options options = cli_query_options(settings, NULL, NULL);
    const apart_status answer =
        apart_compound_overlap(cli_body_solid(&bodies[0]), &bodies[0].pose, cli_body_solid(&bodies[1]), &bodies[1].pose,
                               &options, NULL, &overlap, NULL);
    if (answer != APART_OK) {
        status = cli_query_error(bodies, answer);
    } else {
        status = overlap ? CLI_YES : CLI_NO;
        if (settings->given[CLI_JSON]) {
            json_t *root = json_pack("{s:s, s:b}", "apart", apart_version(), "overlap", overlap);
            status = cli_json_print(root, stdout, false) == CLI_YES ? status : CLI_BAD;
        } else {
            puts(overlap ? "yes" : "no");
        }
    }
    cli_bodies_free(bodies);
    return status;
}

static const cli_option_id options[] = {
    CLI_POSE_A, CLI_POSE_B, CLI_ROUND_A, CLI_ROUND_B, CLI_AS,     CLI_AS_A,    CLI_AS_B, CLI_HULL,
    CLI_HULLS,  CLI_EXCESS, CLI_UNITS,   CLI_SCALE,   CLI_SOLVER, CLI_SUPPORT, CLI_JSON, CLI_HELP,
};

const cli_command cli_overlap_command = {
    .name = "overlap",
    .operands = "A B",
    .min_operands = 2,
    .max_operands = 2,
    .summary = "do two bodies touch or overlap? yes (exit 0) or no (exit 1)",
    .description = "Stops as soon as the answer is known, and is cheaper than the distance. Contact within\n"
                   "rounding counts as yes. Bodies and poses are given as for 'apart distance'.\n",
    .examples = "  apart overlap box:1,1,1 sphere:0.5 --pose-b xyz=1.2,0,0\n"
                "  if apart overlap arm.obj table.obj; then echo collision; fi\n",
    .options = options,
    .run = run,
};
