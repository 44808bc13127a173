/* The list of experiments, and a run through some of them. */
#include <stdlib.h>
#include <string.h>

#include "experiments.h"
#include "report.h"

static const lab_experiment *const experiments[] = {
    &lab_cold,        &lab_tracked, &lab_traces,     &lab_boxes,       &lab_constancy, &lab_footnote,
    &lab_penetration, &lab_static,  &lab_path,       &lab_certificate, &lab_faces,     &lab_literal,
    &lab_solvers,     &lab_stops,   &lab_printed,    &lab_rivals,      &lab_profile,   &lab_starts,
    &lab_sequence,    &lab_shapes,  &lab_arithmetic, &lab_arm,         &lab_errata,
};

enum { EXPERIMENT_COUNT = sizeof experiments / sizeof experiments[0] };

struct lab_run {
    lab_section *sections;
    size_t count;
    bool gnuplot;
};

size_t lab_experiment_count(void) { return EXPERIMENT_COUNT; }

const lab_experiment *lab_experiment_at(size_t i) { return experiments[i]; }

/* Is the word one of the list's, which are separated by spaces? */
static bool is_in(const char *word, const char *list)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL && length > 0 && (at = strstr(at, word)) != NULL; at++) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

const lab_experiment *lab_find(const char *name)
{
    for (size_t i = 0; i < EXPERIMENT_COUNT; i++) {
        if (strcmp(experiments[i]->name, name) == 0 ||
            (strchr(name, ' ') == NULL && is_in(name, experiments[i]->figure))) {
            return experiments[i];
        }
    }
    return NULL;
}

lab_run *lab_run_all(const lab_settings *settings, const lab_experiment *const *list, size_t count, char *error,
                     size_t size)
{
    lab_counter *counter = lab_counter_start(settings->counter, error, size);
    if (counter == NULL) {
        return NULL;
    }
    lab_run *run = lab_allocate(1, sizeof *run);
    const double start = lab_seconds();
    run->gnuplot = lab_has_gnuplot();
    run->sections = lab_allocate(count, sizeof *run->sections);
    for (size_t i = 0; i < count; i++) {
        lab_section *s = &run->sections[i];
        const double begin = lab_seconds();
        *s = (lab_section){.experiment = list[i],
                           .settings = settings,
                           .counter = counter,
                           .gnuplot = run->gnuplot,
                           .from = (double)i / (double)count,
                           .share = 1.0 / (double)count};
        lab_progress(s, 0.0);
        list[i]->run(s);
        s->seconds = lab_seconds() - begin;
        run->count = i + 1;
    }
    if (settings->progress) {
        fprintf(stderr, "\r%70s\r", "");
    }
    lab_counter_stop(counter);
    if (!lab_report_write(settings, run->sections, run->count, lab_seconds() - start, error, size) ||
        !lab_results_write(settings, run->sections, run->count, lab_seconds() - start, error, size)) {
        lab_run_free(run);
        return NULL;
    }
    return run;
}

static void free_section(lab_section *s)
{
    for (size_t i = 0; i < s->item_count; i++) {
        free(s->items[i].text);
        free(s->items[i].file);
        lab_table_free(&s->items[i].table);
    }
    for (size_t i = 0; i < s->check_count; i++) {
        free(s->checks[i].text);
    }
    for (size_t i = 0; i < s->file_count; i++) {
        free(s->files[i]);
    }
    free(s->items);
    free(s->checks);
    free(s->files);
}

void lab_run_free(lab_run *run)
{
    for (size_t i = 0; run != NULL && i < run->count; i++) {
        free_section(&run->sections[i]);
    }
    if (run != NULL) {
        free(run->sections);
        free(run);
    }
}

bool lab_run_good(const lab_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        for (size_t k = 0; k < run->sections[i].check_count; k++) {
            if (run->sections[i].checks[k].must && !run->sections[i].checks[k].holds) {
                return false;
            }
        }
    }
    return true;
}

bool lab_run_has_figures(const lab_run *run) { return run->gnuplot; }

const lab_experiment *lab_run_experiment(const lab_run *run, size_t i, double *seconds)
{
    *seconds = run->sections[i].seconds;
    return run->sections[i].experiment;
}

size_t lab_run_checks(const lab_run *run, size_t i, const lab_check **checks)
{
    *checks = run->sections[i].checks;
    return run->sections[i].check_count;
}

size_t lab_run_files(const lab_run *run, size_t i, char *const **names)
{
    *names = run->sections[i].files;
    return run->sections[i].file_count;
}

void lab_run_print(const lab_run *run, size_t i, FILE *stream)
{
    const lab_section *s = &run->sections[i];
    fprintf(stream, "%s%s: %s\n%s\n", i > 0 ? "\n" : "", s->experiment->name, s->experiment->title,
            s->experiment->source);
    for (size_t k = 0; k < s->item_count; k++) {
        if (s->items[k].kind == LAB_ITEM_TABLE) {
            lab_table_print(&s->items[k].table, stream);
        }
    }
    fputc('\n', stream);
    for (size_t k = 0; k < s->check_count; k++) {
        const lab_check *c = &s->checks[k];
        fprintf(stream, "  %-8s ", lab_check_word(c));
        if (c->claim != NULL) {
            fprintf(stream, "%s, %s (%s): ", c->claim->where, c->claim->text, c->claim->paper);
        }
        fprintf(stream, "%s\n", c->text);
    }
}
