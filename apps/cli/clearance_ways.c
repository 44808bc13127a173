/* --pairs: the certified clearance of every pair along the whole motion. */
#include <math.h>
#include <stdlib.h>

#include "clearance.h"

typedef struct way_row {
    apart_robot_gap gap;
    size_t segment;
} way_row;

static int compare_rows(const void *a, const void *b)
{
    const way_row *x = a, *y = b;
    if (x->gap.lower != y->gap.lower) {
        return x->gap.lower < y->gap.lower ? -1 : 1;
    }
    return x->gap.pair < y->gap.pair ? -1 : x->gap.pair > y->gap.pair;
}

/* A pair along all segments; a single waypoint is a segment that stands still. */
static apart_status follow(clearance *c, const apart_robot_segment *segments, size_t count, size_t pair, way_row *out)
{
    const apart_robot_motion_options options = {.tolerance = c->tolerance, .pairs = &pair, .pair_count = 1};
    return apart_robot_path_motion(c->cell.work, segments, count, &options, &out->gap, &out->segment);
}

static json_t *row_json(const clearance *c, const way_row *row, double t)
{
    return json_pack("{s:o, s:o, s:f, s:f, s:f, s:I, s:f, s:f}", "a",
                     cli_json_text(cli_pair_name(&c->cell, row->gap.pair, 0)), "b",
                     cli_json_text(cli_pair_name(&c->cell, row->gap.pair, 1)), "lower", row->gap.lower, "upper",
                     row->gap.upper, "margin", clearance_margin(c, row->gap.pair), "waypoint", (json_int_t)row->segment,
                     "s", row->gap.s, "t", t);
}

static int print_row(const clearance *c, const way_row *row)
{
    const size_t next = row->segment + 1 < c->way.count ? row->segment + 1 : row->segment;
    const double from = c->way.t[row->segment], t = from + row->gap.s * (c->way.t[next] - from);
    char lower[CLI_NUMBER_SIZE], upper[CLI_NUMBER_SIZE], moment[CLI_NUMBER_SIZE], s[CLI_NUMBER_SIZE];
    const char *a = cli_pair_name(&c->cell, row->gap.pair, 0), *b = cli_pair_name(&c->cell, row->gap.pair, 1);
    if (c->settings->given[CLI_JSON]) {
        return cli_json_print(row_json(c, row, t), stdout, true);
    }
    if (c->settings->given[CLI_CSV]) {
        cli_print_field(stdout, a);
        putchar(',');
        cli_print_field(stdout, b);
        printf(",%s,%s,%zu,%s,%s\n", cli_number(row->gap.lower, lower), cli_number(row->gap.upper, upper), row->segment,
               cli_number(row->gap.s, s), cli_number(t, moment));
        return CLI_YES;
    }
    printf("%-12s  %-12s  %8s  %s  %s\n", cli_brief(row->gap.lower, -1, lower), cli_brief(row->gap.upper, 1, upper),
           cli_brief(t, 0, moment), a, b);
    return CLI_YES;
}

static int print_rows(clearance *c, way_row *rows, size_t count)
{
    const cli_settings *s = c->settings;
    int status = CLI_YES;
    bool kept = true;
    qsort(rows, count, sizeof *rows, compare_rows);
    if (s->given[CLI_CSV]) {
        puts("a,b,lower,upper,waypoint,s,t");
    } else if (!s->given[CLI_JSON]) {
        printf("%-12s  %-12s  %8s  pair\n", "at least", "at most", c->way.timed ? "time" : "waypoint");
    }
    for (size_t i = 0; i < count && status == CLI_YES; i++) {
        kept = kept && rows[i].gap.lower >= (s->given[CLI_LIMIT] ? s->limit : 0);
        if ((!s->given[CLI_NEAREST] || i < s->nearest) && (!s->given[CLI_BELOW] || rows[i].gap.lower < s->below)) {
            status = print_row(c, &rows[i]);
        }
    }
    const bool is_within = c->way.beyond == 0 || s->given[CLI_ALLOW_LIMITS];
    const bool asked = s->given[CLI_LIMIT] || s->given[CLI_LIMITS];
    return status != CLI_YES ? status : (is_within && (!asked || kept) ? CLI_YES : CLI_NO);
}

int clearance_print_ways(clearance *c)
{
    const size_t pairs = apart_robot_pair_count(c->cell.cell), ways = c->way.count > 1 ? c->way.count - 1 : 1;
    way_row *rows = calloc(pairs, sizeof *rows);
    apart_robot_segment *segments = calloc(ways, sizeof *segments);
    apart_status status = rows != NULL && segments != NULL ? APART_OK : APART_ERR_MEMORY;
    for (size_t i = 0; i < ways && status == APART_OK; i++) {
        segments[i] = trajectory_segment(&c->way, i);
    }
    for (size_t p = 0; p < pairs && status == APART_OK; p++) {
        status = follow(c, segments, ways, p, &rows[p]);
    }
    char reason[CLI_TEXT_SIZE];
    const int printed = status == APART_OK
                            ? print_rows(c, rows, pairs)
                            : cli_error("%s: %s", apart_robot_file(c->cell.robot), cli_reason(status, reason));
    free(rows);
    free(segments);
    return printed;
}
