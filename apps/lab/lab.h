/* The papers' experiments, as the program `apart lab` sees them (docs/decisions/0006-lab.md).
 *
 * A run is a list of experiments and a directory. Each experiment draws its bodies from the seed, runs the algorithms
 * side by side, checks the answers, and leaves tables, figures, checks and words in its section of the report. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct lab_section lab_section;

typedef struct lab_experiment {
    const char *name;   /* apart lab NAME */
    const char *figure; /* the paper's figures and tables, which are names too: "fig12 table2"; NULL: none */
    const char *source; /* "Cameron 1997, Fig. 3 (C8)" */
    const char *title;
    void (*run)(lab_section *section);
} lab_experiment;

typedef struct lab_settings {
    bool quick;
    bool progress; /* draw a bar on standard error */
    uint64_t seed;
    const char *directory; /* exists and can be written */
    const char *counter;   /* path of apart-lab-count */
    const char *command;   /* as the report shows it */
} lab_settings;

/* A statement that was tested. A `must` that does not hold fails its experiment, a `claim` of a paper may disagree. */
typedef struct lab_check {
    char *text;
    bool must, holds;
} lab_check;

typedef struct lab_run lab_run;

size_t lab_experiment_count(void);
const lab_experiment *lab_experiment_at(size_t i);
/* By name or by the paper's figure; NULL if there is none. */
const lab_experiment *lab_find(const char *name);

/* Runs the experiments and writes their files and report.html. NULL after a message in `error` (of `size` bytes). */
lab_run *lab_run_all(const lab_settings *settings, const lab_experiment *const *list, size_t count, char *error,
                     size_t size);
void lab_run_free(lab_run *run);

/* What came out: of the i-th experiment of the list. */
bool lab_run_good(const lab_run *run);
bool lab_run_has_figures(const lab_run *run); /* false: gnuplot is missing */
const lab_experiment *lab_run_experiment(const lab_run *run, size_t i, double *seconds);
size_t lab_run_checks(const lab_run *run, size_t i, const lab_check **checks);
size_t lab_run_files(const lab_run *run, size_t i, char *const **names);
/* Its tables and checks as text. */
void lab_run_print(const lab_run *run, size_t i, FILE *stream);

#endif
