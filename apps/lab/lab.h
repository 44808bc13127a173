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

/* A claim of a paper, and what number would bear it out: written down before it is measured. */
typedef struct lab_claim {
    const char *id, *where; /* "C8-loops"; "Cameron §3" */
    const char *text;       /* what the paper says */
    const char *paper;      /* its number */
    const char *of;         /* what is measured here */
    double agrees[2];       /* our whole range within this: agrees */
    double part[2];         /* within this: in part; else it differs */
} lab_claim;

typedef enum lab_verdict { LAB_AGREES, LAB_IN_PART, LAB_DIFFERS } lab_verdict;

/* A statement that was tested. A `must` that does not hold fails its experiment; a claim of a paper gets a verdict. */
typedef struct lab_check {
    char *text;
    bool must, holds;
    const lab_claim *claim; /* NULL: a statement of ours */
    double range[2];        /* the claim's number here */
    lab_verdict verdict;
} lab_check;

const char *lab_verdict_name(lab_verdict verdict);
/* "holds", "FAILED" or the verdict. */
const char *lab_check_word(const lab_check *check);

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
