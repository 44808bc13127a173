/* What an experiment works with: its section of the report, plots, files, checks of answers, and the counting
 * program. */
#ifndef LAB_KIT_H
#define LAB_KIT_H

#include "lab.h"
#include "plot.h"
#include "scene.h"
#include "text.h"

/* ---- the section (section.c) ---- */

typedef enum lab_item_kind {
    LAB_ITEM_PAPER,
    LAB_ITEM_HERE,
    LAB_ITEM_TEXT,
    LAB_ITEM_TABLE,
    LAB_ITEM_FIGURE
} lab_item_kind;

typedef struct lab_item {
    lab_item_kind kind;
    char *text; /* a paragraph, or the caption of a figure; HTML for words, plain for captions */
    char *file; /* of a figure, without its ending; NULL when it could not be drawn */
    lab_table table;
} lab_item;

/* How the answers of an experiment were checked. */
typedef struct lab_answers {
    uint64_t proved, undecided, refuted;       /* by apart_verify */
    uint64_t exact, exact_wrong, exact_beyond; /* in whole numbers, on a sample */
    uint64_t compared, differing;              /* other algorithms' answers with the proved ones */
} lab_answers;

struct lab_section {
    const lab_experiment *experiment;
    const lab_settings *settings;
    struct lab_counter *counter;
    bool gnuplot;
    lab_item *items;
    size_t item_count;
    lab_check *checks;
    size_t check_count;
    char **files;
    size_t file_count;
    lab_answers answers;
    bool no_sample; /* no answer is decided in whole numbers: the bodies have no lists of faces */
    double seconds;
    double done;        /* share of the experiment, for the bar */
    double from, share; /* where the experiment lies in the whole run */
};

/* Words: what the paper did, what was run here, anything else. HTML. */
void lab_paper(lab_section *s, const char *format, ...) LAB_PRINTF(2, 3);
void lab_here(lab_section *s, const char *format, ...) LAB_PRINTF(2, 3);
void lab_words(lab_section *s, const char *format, ...) LAB_PRINTF(2, 3);
/* Takes the table. */
void lab_show_table(lab_section *s, lab_table *table);
/* A statement that must hold, or the experiment fails. */
void lab_must(lab_section *s, bool holds, const char *format, ...) LAB_PRINTF(3, 4);
/* A claim of a paper, judged on our numbers from `low` to `high`; the words say what they are. */
void lab_judge(lab_section *s, const lab_claim *claim, double low, double high, const char *format, ...)
    LAB_PRINTF(5, 6);
void lab_progress(lab_section *s, double done);

/* NAME.csv in the run's directory, with its header line. NULL never: the directory was checked, a failure ends the
 * program. */
FILE *lab_csv_open(lab_section *s, const char *name, const char *header);
void lab_csv_close(FILE *csv);

/* Numbers of a full and of a quick run. */
static inline uint32_t lab_size(const lab_section *s, uint32_t full, uint32_t quick)
{
    return s->settings->quick ? quick : full;
}
static inline double lab_duration(const lab_section *s, double full, double quick)
{
    return s->settings->quick ? quick : full;
}

/* One of two lists that end with LAB_END, and how many numbers it has. */
#define LAB_END UINT32_MAX
const uint32_t *lab_list(const lab_section *s, const uint32_t *full, const uint32_t *quick, size_t *count);

/* ---- figures (plot.c, plot.h) ---- */

/* A line in an algorithm's colour, dash and symbol. Points follow. legend NULL: none. */
void lab_plot_algorithm(lab_plot *p, lab_algorithm_id id, const char *legend);
/* Draws NAME.svg and NAME.png, leaves NAME.gnuplot, and puts the figure into the section. */
void lab_plot_end(lab_section *s, lab_plot *p);

/* ---- counted queries (counter.c) ---- */

typedef struct lab_counter lab_counter;

/* Starts the counting program; NULL after a message. */
lab_counter *lab_counter_start(const char *program, char *error, size_t size);
void lab_counter_stop(lab_counter *counter);
/* As lab_count_here: here for the printed routine, by the counting program for the library. */
void lab_count(lab_section *s, const lab_world *world, lab_algorithm_id id, bool tracked, lab_tally *first,
               lab_tally *later);
/* The counting program's side: answers requests until its input ends. */
int lab_counter_serve(FILE *in, FILE *out);

/* ---- checked answers (check.c) ---- */

/* An answer that differs from a proved one by more than this, relative to the bodies' sizes and distance, is wrong. */
#define LAB_WRONG 1e-9

/* Proves a result by apart_verify, and if `exactly` in whole numbers too; counts what came out. False: it is
 * refuted. */
bool lab_check_result(lab_section *s, const apart_hull *a, const apart_shape *shape_a, const apart_pose *pose_a,
                      const apart_hull *b, const apart_shape *shape_b, const apart_pose *pose_b,
                      const apart_result *result, bool exactly);

/* Every answer of a scene: the library's default is proved, the others are compared with it. wrong[i] counts answers of
 * ids[i] that differ; those of certified algorithms count as wrong answers of the experiment. At most `most` queries
 * are checked. */
void lab_check_world(lab_section *s, const lab_world *world, const lab_algorithm_id *ids, size_t count, bool tracked,
                     uint32_t most, uint64_t *wrong);

/* The same for a scene that is not needed otherwise. */
void lab_check_scene(lab_section *s, const lab_scene *scene, const lab_algorithm_id *ids, size_t count, bool tracked,
                     uint32_t most, uint64_t *wrong);

/* Says how the answers were checked, and that none is wrong. To be called last. */
void lab_conclude_answers(lab_section *s);

#endif
