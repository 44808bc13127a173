/* What the files of `apart job` share: a study, its pieces, and where results are kept.
 *
 * A study is a list of items that do not depend on each other: joint positions, edges, samples, pairs. They are cut into
 * pieces of a fixed size; a piece begins with empty caches, so its answers have the same bits wherever and beside
 * whatever it is computed. A shard K/N is a range of whole pieces. */
#ifndef JOB_H
#define JOB_H

#include "robot_load.h"
#include "sha256.h"

/* ---- the study (job_study.c) ---- */

typedef enum job_kind { JOB_CLEARANCE, JOB_ROADMAP, JOB_TOLERANCE, JOB_PAIRS, JOB_KIND_COUNT } job_kind;
const char *job_kind_name(int kind);

/* A column of results: numbers or whole numbers of eight bytes, `width` of them for an item. */
typedef struct job_column {
    const char *name;
    bool real;
    size_t width;
} job_column;

enum { JOB_COLUMNS = 8 };

/* One variable of a grid. */
typedef struct job_axis {
    size_t variable; /* of the robot */
    double from, to;
    size_t count;
} job_axis;

/* How far a body may be from where the scene says: each number by at most so much, evenly distributed. */
typedef struct job_tolerance {
    size_t body;
    double xyz[3], rpy[3];
} job_tolerance;

typedef struct job_study {
    job_kind kind;
    scene file; /* the study's own JSON */
    char digest[SHA256_TEXT_SIZE];
    size_t count, piece; /* items, and items in a piece */
    job_column columns[JOB_COLUMNS];
    size_t column_count, width; /* width: values of an item in all columns */
    uint64_t seed;
    unsigned threads;
    cli_cell cell; /* clearance, roadmap */
    bool has_cell;
    job_axis *axes; /* of a grid */
    size_t axis_count;
    trajectory rows; /* of a file */
    double *nodes;   /* of a roadmap */
    size_t neighbours;
    double limit;
    scene assembly; /* tolerance, pairs */
    bool has_assembly;
    size_t (*pairs)[2]; /* of its bodies */
    size_t pair_count;
    job_tolerance *tolerances;
    size_t tolerance_count;
} job_study;

/* On CLI_BAD nothing needs to be freed. */
int job_study_open(const char *path, unsigned threads, job_study *out);
void job_study_free(job_study *s);
size_t job_piece_count(const job_study *s);
/* The items of a piece. */
size_t job_piece_first(const job_study *s, size_t piece);
size_t job_piece_items(const job_study *s, size_t piece);

/* ---- computing (job_piece.c) ---- */

/* A value of a column as it is kept. */
typedef union job_value {
    double real;
    int64_t whole;
} job_value;

/* All values of a piece, `width` for each item. */
int job_compute(const job_study *s, size_t piece, job_value *values);
/* The positions of the robot in item `item` of a clearance study; node `item` of a roadmap. */
void job_positions(const job_study *s, size_t item, double *q);

/* ---- folders and files (job_store.c) ---- */

/* Shard `number` of `count`, from 1. */
typedef struct job_shard {
    size_t number, count;
} job_shard;

enum { JOB_PATH_SIZE = 4096 };
const char *job_shard_path(const char *directory, job_shard shard, const char *ending, char path[JOB_PATH_SIZE]);
size_t job_shard_begin(const job_study *s, job_shard shard);
size_t job_shard_end(const job_study *s, job_shard shard);
int job_make_folder(const char *path);
/* Removes a folder with everything in it. */
void job_remove(const char *path);
bool job_is_folder(const char *path);

/* What was computed so far of a shard: records, each with its digest, in files of which each belongs to one process. */
typedef struct job_log {
    FILE *stream;
    char folder[JOB_PATH_SIZE], path[JOB_PATH_SIZE];
} job_log;

/* Reads the pieces of a shard that are complete: done[i] and values for piece begin + i. */
void job_log_read(const job_study *s, job_shard shard, const char *directory, bool *done, job_value *values);
/* CLI_NO: the shard is complete by now, by another process. */
int job_log_open(job_shard shard, const char *directory, job_log *log);
int job_log_append(job_log *log, const job_study *s, size_t piece, const job_value *values);
void job_log_close(job_log *log);

/* ---- results (job_result.c) ---- */

/* What a folder of results says of itself. */
typedef struct job_manifest {
    char study[SHA256_TEXT_SIZE];
    size_t first, count; /* items */
    char digests[JOB_COLUMNS][SHA256_TEXT_SIZE];
    char digest[SHA256_TEXT_SIZE]; /* of the values of all columns, which does not depend on shards */
} job_manifest;

/* Writes columns and manifest for items from `first` on into the folder `scratch`, which is renamed to `folder` when it
 * is complete. CLI_NO: there is a folder of that name. */
int job_result_write(const job_study *s, const char *folder, const char *scratch, size_t first, size_t count,
                     const job_value *values, job_manifest *out);
/* Reads them back and compares the digests. CLI_NO after a message that says what is wrong with which file. values may
 * be NULL: the manifest alone. */
int job_result_read(const job_study *s, const char *folder, size_t first, size_t count, job_manifest *out,
                    job_value *values);

/* ---- commands (job_check.c) ---- */

int job_status(const cli_settings *settings, const job_study *s);
int job_merge(const cli_settings *settings, const job_study *s);
int job_audit(const cli_settings *settings, const job_study *s);

#endif
