/* results.md and claims.csv: every claim of the papers that was judged, with the limits that were written down before the
 * number was measured. docs/results.md is the page of a full run. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"

/* A limit as words: infinite ones are open. */
static void add_limits(lab_text *md, const double limits[2])
{
    if (limits[0] == limits[1]) {
        lab_text_add(md, "%g", limits[0]);
    } else if (limits[0] == -INFINITY) {
        lab_text_add(md, "≤ %g", limits[1]);
    } else if (limits[1] == INFINITY) {
        lab_text_add(md, "≥ %g", limits[0]);
    } else {
        lab_text_add(md, "%g–%g", limits[0], limits[1]);
    }
}

/* Text inside a table. */
static void add_cell(lab_text *md, const char *text)
{
    for (; *text != '\0'; text++) {
        lab_text_append(md, *text == '|' ? "\\" : "", *text == '|' ? 1 : 0);
        lab_text_append(md, text, 1);
    }
}

static void add_claim(lab_text *md, lab_text *csv, const lab_section *s, const lab_check *c)
{
    const lab_claim *claim = c->claim;
    lab_text_add(md, "| %s | ", claim->id);
    add_cell(md, claim->text);
    lab_text_add(md, " | %s | %s | ", claim->where, claim->paper);
    add_cell(md, claim->of);
    lab_text_add(md, " | ");
    add_limits(md, claim->agrees);
    lab_text_add(md, " | ");
    add_limits(md, claim->part);
    if (c->range[0] == c->range[1]) {
        lab_text_add(md, " | %.4g | **%s** | ", c->range[0], lab_verdict_name(c->verdict));
    } else {
        lab_text_add(md, " | %.4g–%.4g | **%s** | ", c->range[0], c->range[1], lab_verdict_name(c->verdict));
    }
    add_cell(md, c->text);
    lab_text_add(md, " |\n");
    lab_text_add(csv, "%s,%s,\"%s\",%.17g,%.17g,%g,%g,%g,%g,%s\n", claim->id, s->experiment->name, claim->where,
                 c->range[0], c->range[1], claim->agrees[0], claim->agrees[1], claim->part[0], claim->part[1],
                 lab_verdict_name(c->verdict));
}

static void add_section(lab_text *md, lab_text *csv, const lab_section *s)
{
    bool judged = false;
    lab_text_add(md, "\n## `%s`: %s\n\n%s.\n", s->experiment->name, s->experiment->title, s->experiment->source);
    for (size_t i = 0; i < s->check_count; i++) {
        if (s->checks[i].claim != NULL) {
            lab_text_add(md, "%s",
                         judged
                             ? ""
                             : "\n| id | the claim | where | the paper's number | measured here | agrees if | in part "
                               "if | here | verdict | what it is |\n|---|---|---|---|---|---|---|---|---|---|\n");
            add_claim(md, csv, s, &s->checks[i]);
            judged = true;
        }
    }
    for (size_t i = 0; i < s->item_count; i++) {
        if (s->items[i].kind == LAB_ITEM_FIGURE && s->items[i].file != NULL) {
            lab_text_add(md, "\n![%s](figures/lab/%s.svg)\n\n*%s*\n", s->experiment->title, s->items[i].file,
                         s->items[i].text);
        }
    }
}

static void add_head(lab_text *md, const lab_settings *settings, double seconds)
{
    char processor[128], date[32] = "";
    const time_t now = time(NULL);
    const struct tm *utc = gmtime(&now);
    lab_processor_name(processor);
    if (utc != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d", utc);
    }
    lab_text_add(
        md,
        "# What the papers claim, and what comes out here\n\nWritten by `%s`%s; not by hand. Machine: %s. Date: "
        "%s. Seed: %" PRIu64 ". Library: apart %s, compiled by %s. It took %.0f s.\n\n",
        settings->command, settings->quick ? " (a quick run: fewer pairs, sizes and repeats)" : "", processor, date,
        settings->seed, apart_version(), __VERSION__, seconds);
    lab_text_add(
        md, "A verdict is *agrees* if our whole range of numbers lies within the limits of the column “agrees if”, "
            "*in part* if within those of “in part if”, else *differs*. The limits stand in the source beside the "
            "claim and were written before the number was measured. Times are of one machine of today; where a "
            "claim is about time, only ratios are judged. What the letters mean is in [papers.md](papers.md); how "
            "it is measured, in [apps/lab/README.md](../apps/lab/README.md).\n");
}

static void add_summary(lab_text *md, const lab_section *sections, size_t count)
{
    unsigned tally[3] = {0, 0, 0}, must = 0, failed = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sections[i].check_count; k++) {
            const lab_check *c = &sections[i].checks[k];
            must += c->must;
            failed += c->must && !c->holds;
            if (c->claim != NULL) {
                tally[c->verdict]++;
            }
        }
    }
    lab_text_add(
        md,
        "\n| claims | agree | in part | differ | statements that must hold | failed |\n|---|---|---|---|---|---|"
        "\n| %u | %u | %u | %u | %u | %u |\n",
        tally[0] + tally[1] + tally[2], tally[0], tally[1], tally[2], must, failed);
}

static bool save(const lab_settings *settings, const char *name, const lab_text *text, char *error, size_t size)
{
    char *path = lab_format("%s/%s", settings->directory, name);
    FILE *file = fopen(path, "w");
    bool good = file != NULL && fwrite(text->data, 1, text->length, file) == text->length;
    good = file != NULL && fclose(file) == 0 && good;
    if (!good) {
        snprintf(error, size, "cannot write %s: %s", path, strerror(errno));
    }
    free(path);
    return good;
}

bool lab_results_write(const lab_settings *settings, const lab_section *sections, size_t count, double seconds,
                       char *error, size_t size)
{
    lab_text md = {NULL, 0, 0}, csv = {NULL, 0, 0};
    add_head(&md, settings, seconds);
    add_summary(&md, sections, count);
    lab_text_add(&csv, "id,experiment,where,low,high,agrees_from,agrees_to,part_from,part_to,verdict\n");
    for (size_t i = 0; i < count; i++) {
        add_section(&md, &csv, &sections[i]);
    }
    const bool good = save(settings, "results.md", &md, error, size) && save(settings, "claims.csv", &csv, error, size);
    lab_text_free(&md);
    lab_text_free(&csv);
    return good;
}
