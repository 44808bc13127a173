/* apart lab: the experiments of the papers, run anew (lab/). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lab/lab.h>

#include "cli.h"

enum { PATH_SIZE = CLI_PATH_SIZE, MOST_EXPERIMENTS = 64 };

/* ---- where things are ---- */

/* The directory exists afterwards, and files can be made in it. */
static int make_directory(const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return cli_error("lab: cannot make the directory %s: %s", path, strerror(errno));
    }
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return cli_error("lab: -o %s: not a directory", path);
    }
    char probe[PATH_SIZE];
    snprintf(probe, sizeof probe, "%s/.apart-lab.%ld", path, (long)getpid());
    FILE *file = fopen(probe, "wx");
    if (file == NULL) {
        return cli_error("lab: cannot write in %s: %s", path, strerror(errno));
    }
    fclose(file);
    remove(probe);
    return CLI_YES;
}

/* ---- output ---- */

static int print_list(bool as_json)
{
    json_t *array = as_json ? json_array() : NULL;
    if (!as_json) {
        printf("%-12s %-13s %s\n", "name", "or", "what");
    }
    for (size_t i = 0; i < lab_experiment_count(); i++) {
        const lab_experiment *e = lab_experiment_at(i);
        if (as_json) {
            json_array_append_new(array, json_pack("{s:s, s:s?, s:s, s:s}", "name", e->name, "figure", e->figure,
                                                   "title", e->title, "source", e->source));
        } else {
            printf("%-12s %-13s %s\n%-26s %s\n", e->name, e->figure != NULL ? e->figure : "", e->title, "", e->source);
        }
    }
    return as_json
               ? cli_json_print(json_pack("{s:s, s:o}", "apart", apart_version(), "experiments", array), stdout, false)
               : CLI_YES;
}

static json_t *checks_json(const lab_run *run, size_t i)
{
    const lab_check *checks;
    const size_t count = lab_run_checks(run, i, &checks);
    json_t *array = json_array();
    for (size_t k = 0; k < count; k++) {
        const lab_claim *claim = checks[k].claim;
        json_array_append_new(array, json_pack("{s:s, s:b, s:s, s:s, s:s?}", "kind", claim == NULL ? "must" : "claim",
                                               "holds", checks[k].holds, "text", checks[k].text, "verdict",
                                               lab_check_word(&checks[k]), "id", claim != NULL ? claim->id : NULL));
    }
    return array;
}

static int print_json(const lab_run *run, size_t count, const lab_settings *settings)
{
    json_t *experiments = json_array();
    for (size_t i = 0; i < count; i++) {
        double seconds;
        char *const *names;
        const lab_experiment *e = lab_run_experiment(run, i, &seconds);
        const size_t files = lab_run_files(run, i, &names);
        json_t *list = json_array();
        for (size_t k = 0; k < files; k++) {
            json_array_append_new(list, cli_json_text(names[k]));
        }
        json_array_append_new(experiments, json_pack("{s:s, s:f, s:o, s:o}", "name", e->name, "seconds", seconds,
                                                     "checks", checks_json(run, i), "files", list));
    }
    return cli_json_print(json_pack("{s:s, s:I, s:b, s:b, s:o, s:b, s:o}", "apart", apart_version(), "seed",
                                    (json_int_t)settings->seed, "quick", settings->quick, "good", lab_run_good(run),
                                    "directory", cli_json_text(settings->directory), "figures",
                                    lab_run_has_figures(run), "experiments", experiments),
                          stdout, false);
}

static void print_text(const lab_run *run, size_t count, const lab_settings *settings)
{
    for (size_t i = 0; i < count; i++) {
        lab_run_print(run, i, stdout);
    }
    printf("\nreport     %s/report.html\n", settings->directory);
    if (!lab_run_has_figures(run)) {
        printf("figures    none: gnuplot was not found; the data are in the CSV files\n");
    }
    printf("outcome    %s\n", lab_run_good(run)
                                  ? "good: every answer that was checked is right, and what must hold holds"
                                  : "FAILED: see the lines above");
}

/* ---- the command ---- */

static int choose(const char *name, const lab_experiment **list, size_t *count)
{
    const char *names[MOST_EXPERIMENTS] = {"all", "list"};
    char suggestion[CLI_TEXT_SIZE];
    *count = 0;
    for (size_t i = 0; i < lab_experiment_count(); i++) {
        names[i + 2] = lab_experiment_at(i)->name;
        if (strcmp(name, "all") == 0) {
            list[(*count)++] = lab_experiment_at(i);
        }
    }
    if (*count == 0 && (list[0] = lab_find(name)) != NULL) {
        *count = 1;
    }
    return *count > 0 ? CLI_YES
                      : cli_error("lab: unknown experiment '%s'%s; see 'apart lab list'", name,
                                  cli_suggestion(name, names, suggestion));
}

static int run(const cli_settings *settings)
{
    const char *name = settings->operands[0];
    const lab_experiment *list[MOST_EXPERIMENTS];
    size_t count;
    char counter[PATH_SIZE], command[PATH_SIZE], error[PATH_SIZE];
    if (strcmp(name, "list") == 0) {
        return print_list(settings->given[CLI_JSON]);
    }
    lab_settings lab = {.quick = settings->given[CLI_QUICK],
                        .seed = settings->given[CLI_SEED] ? settings->seed : 1,
                        .counter = counter,
                        .command = command,
                        .directory = settings->directory != NULL ? settings->directory : "apart-lab",
                        .progress = isatty(2) && !settings->given[CLI_JSON]};
    if (choose(name, list, &count) != CLI_YES || make_directory(lab.directory) != CLI_YES) {
        return CLI_BAD;
    }
    static const char *const places[2] = {"apart-lab-count", CLI_LIBEXEC "/apart-lab-count"};
    if (!cli_find_part(places, counter)) {
        return cli_error("lab: the counting program is missing: expected it at %s, or beside this program", counter);
    }
    snprintf(command, sizeof command, "apart lab %s%s --seed %lu", name, lab.quick ? " --quick" : "",
             (unsigned long)lab.seed);
    lab_run *result = lab_run_all(&lab, list, count, error, sizeof error);
    if (result == NULL) {
        return cli_error("lab: %s", error);
    }
    if (!lab_run_has_figures(result) && !settings->given[CLI_JSON]) {
        fprintf(
            stderr,
            "apart: lab: gnuplot was not found, so there are no figures; CSV files, tables and the report are complete\n");
    }
    int status = lab_run_good(result) ? CLI_YES : CLI_NO;
    if (settings->given[CLI_JSON]) {
        const int printed = print_json(result, count, &lab);
        status = printed != CLI_YES ? printed : status;
    } else {
        print_text(result, count, &lab);
    }
    lab_run_free(result);
    return status;
}

static const cli_option_id options[] = {CLI_QUICK, CLI_SEED, CLI_DIRECTORY, CLI_JSON, CLI_HELP};

const cli_command cli_lab_command = {
    .name = "lab",
    .operands = "EXPERIMENT",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "the papers' experiments, reproduced: tables, figures, a report",
    .description = "EXPERIMENT is a name or a figure from 'apart lab list', or 'all'. Writes report.html, CSV\n"
                   "files, and figures as SVG and PNG (with gnuplot) to DIR. Answers are checked by other\n"
                   "code and on a sample in exact arithmetic. The exit status is 1 if one is wrong, or if\n"
                   "a statement fails that must hold.\n",
    .examples = "  apart lab list\n"
                "  apart lab fig4 --quick\n"
                "  apart lab all -o results\n",
    .options = options,
    .run = run,
};
