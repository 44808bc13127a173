/* What has been computed, put together, and computed again. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

enum { MOST_NAMED = 12 }; /* missing shards in a message */

/* ---- which shards are there ---- */

/* How many shards the folders in a directory are of; 0: none, or (after a message) more than one number. */
static size_t find_shard_count(const char *directory)
{
    DIR *folder = opendir(directory);
    const struct dirent *entry;
    size_t found = 0;
    bool one = true;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        size_t number, count;
        if (sscanf(entry->d_name, "shard-%zu-of-%zu", &number, &count) == 2 && count > 0) {
            one = one && (found == 0 || found == count);
            found = count;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    if (!one) {
        cli_error("%s: there are shards of studies cut in different ways; say which with --shards N", directory);
        return 0;
    }
    if (found == 0) {
        cli_error("%s: there are no shards here; 'apart job run STUDY -o %s' makes them", directory, directory);
    }
    return found;
}

static size_t shard_count(const cli_settings *settings)
{
    return settings->given[CLI_SHARDS] ? settings->shards : find_shard_count(settings->directory);
}

static bool is_complete(const char *directory, job_shard shard)
{
    char path[JOB_PATH_SIZE];
    return job_is_folder(job_shard_path(directory, shard, "", path));
}

static size_t shard_first(const job_study *s, job_shard shard) { return job_piece_first(s, job_shard_begin(s, shard)); }

static size_t shard_items(const job_study *s, job_shard shard)
{
    const size_t first = shard_first(s, shard), end = job_piece_first(s, job_shard_end(s, shard));
    return (end < s->count ? end : s->count) - (first < s->count ? first : s->count);
}

/* The pieces of a shard that are in its log. */
static size_t count_pieces(const job_study *s, const char *directory, job_shard shard)
{
    const size_t pieces = job_shard_end(s, shard) - job_shard_begin(s, shard);
    bool *done = calloc(pieces + 1, sizeof *done);
    job_value *values = calloc(shard_items(s, shard) * s->width + 1, sizeof *values);
    size_t count = 0;
    if (done != NULL && values != NULL) {
        job_log_read(s, shard, directory, done, values);
        for (size_t i = 0; i < pieces; i++) {
            count += done[i];
        }
    }
    free(done);
    free(values);
    return count;
}

int job_status(const cli_settings *settings, const job_study *s)
{
    const size_t count = shard_count(settings);
    size_t complete = 0, pieces = 0;
    if (count == 0) {
        return CLI_BAD;
    }
    json_t *list = json_array();
    for (size_t i = 1; i <= count; i++) {
        const job_shard shard = {i, count};
        const size_t all = job_shard_end(s, shard) - job_shard_begin(s, shard);
        const bool whole = is_complete(settings->directory, shard);
        const size_t done = whole ? all : count_pieces(s, settings->directory, shard);
        complete += whole;
        pieces += done;
        json_array_append_new(list, json_pack("{s:I, s:b, s:I, s:I}", "shard", (json_int_t)i, "complete", (int)whole,
                                              "pieces", (json_int_t)done, "of", (json_int_t)all));
        if (!settings->given[CLI_JSON] && !whole) {
            printf("shard %zu of %zu: %zu of %zu pieces\n", i, count, done, all);
        }
    }
    if (settings->given[CLI_JSON]) {
        const int status = cli_json_print(list, stdout, false);
        return status != CLI_YES || complete == count ? status : CLI_NO;
    }
    json_decref(list);
    printf("%zu of %zu shards are complete, %zu of %zu pieces\n", complete, count, pieces, job_piece_count(s));
    return complete == count ? CLI_YES : CLI_NO;
}

/* ---- merge ---- */

/* Names the shards that are missing. */
static int check_complete(const cli_settings *settings, size_t count)
{
    size_t missing = 0;
    for (size_t i = 1; i <= count; i++) {
        if (!is_complete(settings->directory, (job_shard){i, count})) {
            missing++;
            if (missing <= MOST_NAMED) {
                cli_error("%s: shard %zu of %zu is missing", settings->directory, i, count);
            }
        }
    }
    if (missing > MOST_NAMED) {
        cli_error("%s: %zu shards are missing in all ('apart job status' lists them)", settings->directory, missing);
    }
    return missing == 0 ? CLI_YES : CLI_NO;
}

/* Replaces DIR/merged. */
static int write_merged(const cli_settings *settings, const job_study *s, const job_value *values, job_manifest *out)
{
    char merged[JOB_PATH_SIZE], scratch[JOB_PATH_SIZE];
    snprintf(merged, sizeof merged, "%s/merged", settings->directory);
    snprintf(scratch, sizeof scratch, "%s/merged.%ld.tmp", settings->directory, (long)getpid());
    int status = job_result_write(s, merged, scratch, 0, s->count, values, out);
    if (status == CLI_NO) {
        job_remove(merged);
        status = job_result_write(s, merged, scratch, 0, s->count, values, out);
    }
    return status;
}

int job_merge(const cli_settings *settings, const job_study *s)
{
    const size_t count = shard_count(settings);
    job_manifest manifest;
    char path[JOB_PATH_SIZE];
    int status = count > 0 ? check_complete(settings, count) : CLI_BAD;
    job_value *values = status == CLI_YES ? calloc(s->count * s->width + 1, sizeof *values) : NULL;
    if (status == CLI_YES && values == NULL) {
        return cli_error("out of memory for %zu items", s->count);
    }
    for (size_t i = 1, bad = 0; status == CLI_YES && i <= count; i++) {
        const job_shard shard = {i, count};
        const size_t first = shard_first(s, shard);
        bad += job_result_read(s, job_shard_path(settings->directory, shard, "", path), first, shard_items(s, shard),
                               &manifest, values + first * s->width) != CLI_YES;
        status = i == count && bad > 0 ? CLI_NO : CLI_YES; /* every bad one is named */
    }
    status = status == CLI_YES ? write_merged(settings, s, values, &manifest) : status;
    free(values);
    if (status != CLI_YES) {
        return status;
    }
    if (settings->given[CLI_JSON]) {
        return cli_json_print(json_pack("{s:I, s:I, s:s}", "items", (json_int_t)s->count, "shards", (json_int_t)count,
                                        "digest", manifest.digest),
                              stdout, false);
    }
    printf("%zu items of %zu shards are in %s/merged\ndigest      %s\n", s->count, count, settings->directory,
           manifest.digest);
    return CLI_YES;
}

/* ---- audit ---- */

typedef struct job_count {
    size_t pieces, items, wrong; /* of items */
} job_count;

/* Computes a piece again and compares bits. */
static int audit_piece(const job_study *s, job_shard shard, size_t piece, const job_value *kept, job_value *again,
                       job_count *count)
{
    const size_t items = job_piece_items(s, piece);
    size_t wrong = 0, first = 0;
    if (job_compute(s, piece, again) != CLI_YES) {
        return CLI_BAD;
    }
    for (size_t i = items; i-- > 0;) {
        if (memcmp(kept + i * s->width, again + i * s->width, s->width * sizeof *kept) != 0) {
            wrong++;
            first = i;
        }
    }
    if (wrong > 0) {
        cli_error("shard %zu of %zu: %zu of the %zu items from %zu on have other bits here, first item %zu",
                  shard.number, shard.count, wrong, items, job_piece_first(s, piece),
                  job_piece_first(s, piece) + first);
    }
    count->pieces++;
    count->items += items;
    count->wrong += wrong;
    return CLI_YES;
}

/* The pieces that the seed chooses: a share of them, at least one. */
static int audit_shard(const cli_settings *settings, const job_study *s, job_shard shard, job_value *again,
                       job_count *count)
{
    const size_t begin = job_shard_begin(s, shard), end = job_shard_end(s, shard), first = shard_first(s, shard);
    const double share = settings->given[CLI_SAMPLE] ? settings->sample : 0.01;
    size_t wanted = (size_t)((double)(end - begin) * share) + 1;
    uint64_t random = (settings->given[CLI_SEED] ? settings->seed : 1) * UINT64_C(0x9e3779b97f4a7c15) + shard.number;
    job_value *values = calloc(shard_items(s, shard) * s->width + 1, sizeof *values);
    job_manifest manifest;
    char path[JOB_PATH_SIZE];
    int status = values != NULL ? job_result_read(s, job_shard_path(settings->directory, shard, "", path), first,
                                                  shard_items(s, shard), &manifest, values)
                                : cli_error("out of memory");
    for (size_t left = end - begin, i = 0; i < end - begin && wanted > 0 && status == CLI_YES; i++, left--) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if ((random >> 33) % left < wanted) { /* each of those left is as likely */
            wanted--;
            const size_t offset = (job_piece_first(s, begin + i) - first) * s->width;
            status = audit_piece(s, shard, begin + i, values + offset, again, count);
        }
    }
    free(values);
    return status;
}

int job_audit(const cli_settings *settings, const job_study *s)
{
    const size_t shards = shard_count(settings);
    job_count count = {0};
    cli_progress progress = cli_progress_begin(s->file.text.name);
    job_value *again = calloc(s->piece * s->width, sizeof *again);
    int status = shards > 0 ? CLI_YES : CLI_BAD;
    size_t seen = 0, unreadable = 0;
    if (again == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 1; i <= shards && status != CLI_BAD; i++) {
        if (is_complete(settings->directory, (job_shard){i, shards})) {
            cli_progress_show(&progress, "shard", i, shards);
            status = audit_shard(settings, s, (job_shard){i, shards}, again, &count);
            unreadable += status == CLI_NO;
            seen++;
        }
    }
    cli_progress_show(&progress, "shard", shards + 1, shards);
    free(again);
    if (status == CLI_BAD) {
        return CLI_BAD;
    }
    printf("%zu items of %zu pieces of %zu shards were computed again: %zu %s other bits\n", count.items, count.pieces,
           seen, count.wrong, count.wrong == 1 ? "has" : "have");
    return count.wrong == 0 && unreadable == 0 ? CLI_YES : CLI_NO;
}
