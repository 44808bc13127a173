/* A folder of results: a .npy file for each column, and manifest.json with the digests. It is written under another
 * name and renamed, so that it is there in whole or not at all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"

enum { NPY_HEADER = 128 };

/* Where a column begins in the values of an item. */
static size_t column_offset(const job_study *s, size_t column)
{
    size_t offset = 0;
    for (size_t i = 0; i < column; i++) {
        offset += s->columns[i].width;
    }
    return offset;
}

/* Eight bytes, the lowest first, on every machine. */
static void put_little(uint8_t out[8], job_value value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++) {
        out[i] = (uint8_t)(bits >> 8 * i);
    }
}

static job_value get_little(const uint8_t in[8])
{
    uint64_t bits = 0;
    job_value value;
    for (int i = 0; i < 8; i++) {
        bits |= (uint64_t)in[i] << 8 * i;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The header of a .npy file, version 1.0, of NPY_HEADER bytes. */
static void npy_header(const job_column *column, size_t count, char out[NPY_HEADER])
{
    char shape[CLI_TEXT_SIZE], text[NPY_HEADER];
    snprintf(shape, sizeof shape, column->width > 1 ? "(%zu, %zu)" : "(%zu,)", count, column->width);
    const int length = snprintf(text, sizeof text, "{'descr': '<%s8', 'fortran_order': False, 'shape': %s, }",
                                column->real ? "f" : "i", shape);
    memset(out, ' ', NPY_HEADER);
    memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10); /* 118 bytes follow */
    memcpy(out + 10, text, (size_t)length);
    out[NPY_HEADER - 1] = '\n';
}

static const char *column_path(const job_study *s, const char *folder, size_t column, char path[JOB_PATH_SIZE])
{
    snprintf(path, JOB_PATH_SIZE, "%s/%s.npy", folder, s->columns[column].name);
    return path;
}

/* Why a file could not be written. CLI_NO: because the folder of results is there by now, and whoever made it has removed
 * what was beside it. */
static int cannot_write(const char *folder, const char *path, int reason)
{
    return job_is_folder(folder) ? CLI_NO : cli_error("%s: cannot be written: %s", path, strerror(reason));
}

/* Its bytes on the disk, then the file closed. */
static int finish(FILE *stream, const char *folder, const char *path, bool written)
{
    const bool kept = written && fflush(stream) == 0 && fsync(fileno(stream)) == 0;
    const int reason = errno;
    return fclose(stream) == 0 && kept ? CLI_YES : cannot_write(folder, path, reason);
}

static int write_column(const job_study *s, const char *folder, const char *scratch, size_t column, size_t count,
                        const job_value *values, sha256 *all, char text[SHA256_TEXT_SIZE])
{
    const job_column *c = &s->columns[column];
    char path[JOB_PATH_SIZE], header[NPY_HEADER];
    sha256 digest;
    FILE *stream = fopen(column_path(s, scratch, column, path), "wb");
    if (stream == NULL) {
        return cannot_write(folder, path, errno);
    }
    npy_header(c, count, header);
    sha256_begin(&digest);
    sha256_add(&digest, header, sizeof header);
    bool written = fwrite(header, sizeof header, 1, stream) == 1;
    const job_value *row = values + column_offset(s, column);
    for (size_t i = 0; i < count && written; i++, row += s->width) {
        for (size_t k = 0; k < c->width && written; k++) {
            uint8_t bytes[8];
            put_little(bytes, row[k]);
            sha256_add(&digest, bytes, sizeof bytes);
            sha256_add(all, bytes, sizeof bytes);
            written = fwrite(bytes, sizeof bytes, 1, stream) == 1;
        }
    }
    sha256_end(&digest, text);
    return finish(stream, folder, path, written);
}

/* ---- the manifest ---- */

/* What a number in the column "pair", "a" or "b" stands for. */
static json_t *names_json(const job_study *s)
{
    json_t *list = json_array();
    if (s->kind == JOB_CLEARANCE) {
        for (size_t i = 0; i < apart_robot_pair_count(s->cell.cell); i++) {
            json_array_append_new(list, json_pack("[o,o]", cli_json_text(cli_pair_name(&s->cell, i, 0)),
                                                  cli_json_text(cli_pair_name(&s->cell, i, 1))));
        }
    } else if (s->kind == JOB_TOLERANCE) {
        for (size_t i = 0; i < s->pair_count; i++) {
            json_array_append_new(list, json_pack("[o,o]", cli_json_text(s->assembly.bodies[s->pairs[i][0]].name),
                                                  cli_json_text(s->assembly.bodies[s->pairs[i][1]].name)));
        }
    } else if (s->kind == JOB_PAIRS) {
        for (size_t i = 0; i < s->assembly.body_count; i++) {
            json_array_append_new(list, cli_json_text(s->assembly.bodies[i].name));
        }
    }
    return list;
}

static int write_manifest(const job_study *s, const char *folder, const char *scratch, const job_manifest *m)
{
    char path[JOB_PATH_SIZE];
    json_t *columns = json_object();
    for (size_t i = 0; i < s->column_count; i++) {
        json_object_set_new(columns, s->columns[i].name, json_string(m->digests[i]));
    }
    json_t *all = json_pack("{s:i, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:s, s:o}", "apart_job", 1, "version",
                            apart_version(), "study", job_kind_name((int)s->kind), "study_digest", m->study, "items",
                            (json_int_t)s->count, "first", (json_int_t)m->first, "count", (json_int_t)m->count,
                            "columns", columns, "digest", m->digest, "names", names_json(s));
    snprintf(path, sizeof path, "%s/manifest.json", scratch);
    FILE *stream = all != NULL ? fopen(path, "wb") : NULL;
    if (stream == NULL) {
        const int reason = errno;
        json_decref(all);
        return cannot_write(folder, path, reason);
    }
    const bool written = json_dumpf(all, stream, JSON_INDENT(1)) == 0 && fputc('\n', stream) != EOF;
    json_decref(all);
    return finish(stream, folder, path, written);
}

int job_result_write(const job_study *s, const char *folder, const char *scratch, size_t first, size_t count,
                     const job_value *values, job_manifest *out)
{
    sha256 all;
    *out = (job_manifest){.first = first, .count = count};
    memcpy(out->study, s->digest, sizeof out->study);
    job_remove(scratch);
    int status = mkdir(scratch, 0777) == 0 ? CLI_YES : cannot_write(folder, scratch, errno);
    for (size_t i = 0; i < s->column_count && status == CLI_YES; i++) {
        sha256_begin(&all);
        status = write_column(s, folder, scratch, i, count, values, &all, out->digests[i]);
        char text[SHA256_TEXT_SIZE];
        sha256_end(&all, text);
        if (status == CLI_YES) {
            sha256 both;
            sha256_begin(&both);
            sha256_add(&both, out->digest, sizeof out->digest);
            sha256_add(&both, text, sizeof text);
            sha256_end(&both, out->digest);
        }
    }
    status = status == CLI_YES ? write_manifest(s, folder, scratch, out) : status;
    if (status == CLI_YES && rename(scratch, folder) != 0) {
        status = cannot_write(folder, folder, errno);
    }
    if (status != CLI_YES) {
        job_remove(scratch);
    }
    return status;
}

/* ---- reading back ---- */

static int wrong(const char *path, const char *what)
{
    cli_error("%s: %s", path, what);
    return CLI_NO;
}

static bool read_digest(const json_t *object, const char *key, char out[SHA256_TEXT_SIZE])
{
    const char *text = json_string_value(json_object_get(object, key));
    if (text == NULL || strlen(text) != SHA256_TEXT_SIZE - 1) {
        return false;
    }
    memcpy(out, text, SHA256_TEXT_SIZE);
    return true;
}

static int read_manifest(const job_study *s, const char *folder, job_manifest *out)
{
    char path[JOB_PATH_SIZE];
    json_error_t error;
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    json_t *all = json_load_file(path, 0, &error);
    if (all == NULL) {
        return wrong(path, error.text);
    }
    out->first = (size_t)json_integer_value(json_object_get(all, "first"));
    out->count = (size_t)json_integer_value(json_object_get(all, "count"));
    bool whole = read_digest(all, "study_digest", out->study) && read_digest(all, "digest", out->digest);
    for (size_t i = 0; i < s->column_count; i++) {
        whole = whole && read_digest(json_object_get(all, "columns"), s->columns[i].name, out->digests[i]);
    }
    json_decref(all);
    return whole ? CLI_YES : wrong(path, "this is no manifest of such results");
}

static int read_column(const job_study *s, const char *folder, size_t column, const job_manifest *m, job_value *values)
{
    const job_column *c = &s->columns[column];
    char path[JOB_PATH_SIZE], header[NPY_HEADER], expected[NPY_HEADER], text[SHA256_TEXT_SIZE];
    uint8_t bytes[8];
    sha256 digest;
    FILE *stream = fopen(column_path(s, folder, column, path), "rb");
    if (stream == NULL) {
        return wrong(path, strerror(errno));
    }
    npy_header(c, m->count, expected);
    bool whole = fread(header, sizeof header, 1, stream) == 1 && memcmp(header, expected, sizeof header) == 0;
    sha256_begin(&digest);
    sha256_add(&digest, header, sizeof header);
    job_value *row = values + column_offset(s, column);
    for (size_t i = 0; i < m->count && whole; i++, row += s->width) {
        for (size_t k = 0; k < c->width && whole; k++) {
            whole = fread(bytes, sizeof bytes, 1, stream) == 1;
            sha256_add(&digest, bytes, sizeof bytes);
            row[k] = get_little(bytes);
        }
    }
    whole = whole && fgetc(stream) == EOF;
    fclose(stream);
    sha256_end(&digest, text);
    if (!whole) {
        return wrong(path, "the file does not have the size that the manifest says");
    }
    return strcmp(text, m->digests[column]) == 0
               ? CLI_YES
               : wrong(path, "its digest is not that of the manifest: the file was changed");
}

int job_result_read(const job_study *s, const char *folder, size_t first, size_t count, job_manifest *out,
                    job_value *values)
{
    int status = read_manifest(s, folder, out);
    if (status == CLI_YES && strcmp(out->study, s->digest) != 0) {
        return wrong(folder, "these are results of another study, or its files have changed since");
    }
    if (status == CLI_YES && (out->first != first || out->count != count)) {
        return wrong(folder, "these are other items than the shard's");
    }
    for (size_t i = 0; i < s->column_count && status == CLI_YES && values != NULL; i++) {
        status = read_column(s, folder, i, out, values);
    }
    return status;
}
