/* apart job: a study too long for one machine, in shards that any engine may run in any order, as often as it likes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

/* ---- run ---- */

static int read_shard(const cli_settings *settings, const job_study *s, job_shard *out)
{
    char rest;
    long long number = 1, count = 1;
    if (settings->given[CLI_SHARD] && (sscanf(settings->shard, "%lld/%lld%c", &number, &count, &rest) != 2 ||
                                       number < 1 || count < number || count > 1000000)) {
        return cli_error("--shard: expected K/N with 1 <= K <= N, e.g. 3/32, found '%s'", settings->shard);
    }
    *out = (job_shard){(size_t)number, (size_t)count};
    if (out->count > job_piece_count(s)) {
        return cli_error(
            "--shard: the study has %zu pieces of %zu items, fewer than %zu shards; a smaller \"piece\" makes more",
            job_piece_count(s), s->piece, out->count);
    }
    return CLI_YES;
}

/* The pieces that are in no log yet. */
static int compute_pieces(const job_study *s, job_shard shard, job_log *log, const bool *done, job_value *values)
{
    const size_t begin = job_shard_begin(s, shard), count = job_shard_end(s, shard) - begin;
    cli_progress progress = cli_progress_begin(s->file.text.name);
    int status = CLI_YES;
    for (size_t i = 0; i < count && status == CLI_YES; i++) {
        job_value *const at = values + (job_piece_first(s, begin + i) - job_piece_first(s, begin)) * s->width;
        cli_progress_show(&progress, "piece", i, count);
        if (!done[i]) {
            status = job_compute(s, begin + i, at);
            status = status == CLI_YES ? job_log_append(log, s, begin + i, at) : status;
        }
    }
    cli_progress_show(&progress, "piece", count + 1, count);
    return status;
}

/* Another run has completed the shard meanwhile: it must have found the same bits. */
static int compare_with_other(const job_study *s, const char *folder, size_t first, size_t count,
                              const job_value *values)
{
    job_manifest other;
    job_value *read = calloc(count * s->width + 1, sizeof *read);
    int status = read != NULL ? job_result_read(s, folder, first, count, &other, read) : cli_error("out of memory");
    if (status == CLI_YES && memcmp(read, values, count * s->width * sizeof *read) != 0) {
        status =
            cli_error("%s: another run of this shard found other bits; 'apart job audit' tells which are right here",
                      folder);
    }
    free(read);
    return status == CLI_YES ? CLI_YES : CLI_BAD;
}

/* The items of a shard. */
static size_t shard_items(const job_study *s, job_shard shard, size_t *first)
{
    const size_t after = job_piece_first(s, job_shard_end(s, shard));
    *first = job_piece_first(s, job_shard_begin(s, shard));
    return (after < s->count ? after : s->count) - *first;
}

static int write_shard(const cli_settings *settings, const job_study *s, job_shard shard, const job_log *log,
                       const job_value *values)
{
    char folder[JOB_PATH_SIZE], scratch[2 * JOB_PATH_SIZE];
    job_manifest manifest;
    size_t first;
    const size_t count = shard_items(s, shard, &first);
    snprintf(scratch, sizeof scratch, "%s.results", log->path);
    if (strlen(scratch) >= JOB_PATH_SIZE) {
        return cli_error("%s: the name is too long", scratch);
    }
    job_shard_path(settings->directory, shard, "", folder);
    const int status = job_result_write(s, folder, scratch, first, count, values, &manifest);
    return status == CLI_NO ? compare_with_other(s, folder, first, count, values) : status;
}

/* What a shard that is complete does not need. */
static void remove_logs(const cli_settings *settings, job_shard shard)
{
    char path[JOB_PATH_SIZE];
    if (job_is_folder(job_shard_path(settings->directory, shard, "", path))) {
        job_remove(job_shard_path(settings->directory, shard, ".work", path));
    }
}

/* Computes what is missing of a shard, and makes its results of it. */
static int complete_shard(const cli_settings *settings, const job_study *s, job_shard shard)
{
    const size_t begin = job_shard_begin(s, shard), end = job_shard_end(s, shard);
    job_value *values = calloc((end - begin) * s->piece * s->width + 1, sizeof *values);
    bool *done = calloc(end - begin + 1, sizeof *done);
    job_log log = {.stream = NULL};
    int status = values != NULL && done != NULL ? CLI_YES : cli_error("out of memory for shard %zu", shard.number);
    status = status == CLI_YES ? job_log_open(shard, settings->directory, &log) : status;
    if (status == CLI_YES) {
        job_log_read(s, shard, settings->directory, done, values);
        status = compute_pieces(s, shard, &log, done, values);
        status = status == CLI_YES ? write_shard(settings, s, shard, &log, values) : status;
    }
    job_log_close(&log);
    free(values);
    free(done);
    remove_logs(settings, shard);
    return status == CLI_BAD ? CLI_BAD : CLI_YES;
}

static int report_shard(const cli_settings *settings, const job_study *s, job_shard shard, const char *how)
{
    char folder[JOB_PATH_SIZE];
    job_manifest m;
    size_t first;
    const size_t count = shard_items(s, shard, &first);
    const int status =
        job_result_read(s, job_shard_path(settings->directory, shard, "", folder), first, count, &m, NULL);
    if (status != CLI_YES) {
        return CLI_BAD;
    }
    if (settings->given[CLI_JSON]) {
        return cli_json_print(json_pack("{s:I, s:I, s:I, s:I, s:s, s:s}", "shard", (json_int_t)shard.number, "of",
                                        (json_int_t)shard.count, "first", (json_int_t)m.first, "count",
                                        (json_int_t)m.count, "digest", m.digest, "was", how),
                              stdout, false);
    }
    printf("shard %zu of %zu: items %zu to %zu %s\n", shard.number, shard.count, m.first, m.first + m.count - 1, how);
    return CLI_YES;
}

static int job_run(const cli_settings *settings, const job_study *s)
{
    char folder[JOB_PATH_SIZE];
    job_shard shard;
    if (read_shard(settings, s, &shard) != CLI_YES || job_make_folder(settings->directory) != CLI_YES) {
        return CLI_BAD;
    }
    if (job_is_folder(job_shard_path(settings->directory, shard, "", folder))) {
        remove_logs(settings, shard);
        return report_shard(settings, s, shard, "were complete");
    }
    return complete_shard(settings, s, shard) == CLI_YES ? report_shard(settings, s, shard, "are complete") : CLI_BAD;
}

/* ---- the command ---- */

typedef struct job_verb {
    const char *name;
    int (*run)(const cli_settings *settings, const job_study *s);
} job_verb;

static const job_verb verbs[] = {{"run", job_run}, {"status", job_status}, {"merge", job_merge}, {"audit", job_audit}};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static int run(const cli_settings *settings)
{
    const char *names[VERB_COUNT + 1] = {NULL};
    char suggestion[CLI_TEXT_SIZE];
    const job_verb *verb = NULL;
    for (size_t i = 0; i < VERB_COUNT; i++) {
        names[i] = verbs[i].name;
        verb = strcmp(settings->operands[0], verbs[i].name) == 0 ? &verbs[i] : verb;
    }
    if (verb == NULL) {
        return cli_error("job: expected run, status, merge or audit, found '%s'%s", settings->operands[0],
                         cli_suggestion(settings->operands[0], names, suggestion));
    }
    if (!settings->given[CLI_RESULTS]) {
        return cli_error("job: -o DIR is missing: the folder of the results");
    }
    if (strlen(settings->directory) > JOB_PATH_SIZE / 2) {
        return cli_error("-o: the name is too long");
    }
    if (settings->given[CLI_SAMPLE] && settings->sample > 1.0) {
        return cli_error("--sample: expected a share from 0 to 1, e.g. 0.01");
    }
    job_study study;
    if (job_study_open(settings->operands[1], settings->given[CLI_THREADS] ? settings->threads : 1, &study) !=
        CLI_YES) {
        return CLI_BAD;
    }
    const int status = verb->run(settings, &study);
    job_study_free(&study);
    return status;
}

static const cli_option_id options[] = {CLI_RESULTS, CLI_SHARD,   CLI_SHARDS, CLI_SAMPLE,
                                        CLI_SEED,    CLI_THREADS, CLI_JSON,   CLI_HELP};

const cli_command cli_job_command = {
    .name = "job",
    .operands = "run|status|merge|audit STUDY",
    .min_operands = 2,
    .max_operands = 2,
    .summary = "a long study in shards, on as many machines as there are",
    .description =
        "STUDY is a JSON file: what to vary and what to ask (docs/scaling.md).\n\n"
        "  run      compute one shard; what is there is kept, so a run that was killed goes on where it was\n"
        "  status   how many shards are complete\n"
        "  merge    check the digests of all shards and put them together in DIR/merged\n"
        "  audit    compute a share of every shard again and compare the bits\n\n"
        "Results are columns for NumPy (.npy) and a manifest. They have the same bits however many shards there\n"
        "are. The exit status is 1 if shards are missing, damaged or wrong.\n",
    .examples = "  apart job run map.json -o results --shard 3/32\n"
                "  apart job merge map.json -o results\n"
                "  apart job audit map.json -o results --sample 0.02\n",
    .options = options,
    .run = run,
};
