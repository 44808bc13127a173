/* Folders of shards, and the record of what has been computed.
 *
 * DIR/shard-3-of-32         results of a shard that is complete
 * DIR/shard-3-of-32.work    of one that is not: for every process a file NAME.log of pieces, and, for a moment, the
 *                           folder that becomes the results
 *
 * A record is a header, its digest and the values. What a process that was killed left behind its last whole record
 * is ignored, so it loses the piece that it was computing. Records of all processes are read, and each writes only its
 * own, so that nothing has to be locked, on whatever file system. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"

static const uint64_t MAGIC = UINT64_C(0x626f6a7472617061); /* "apartjob" */

typedef struct job_header {
    uint64_t magic, piece, size; /* size: bytes of values */
    char digest[SHA256_TEXT_SIZE + 7];
} job_header;

/* ---- folders ---- */

const char *job_shard_path(const char *directory, job_shard shard, const char *ending, char path[JOB_PATH_SIZE])
{
    snprintf(path, JOB_PATH_SIZE, "%s/shard-%zu-of-%zu%s", directory, shard.number, shard.count, ending);
    return path;
}

size_t job_shard_begin(const job_study *s, job_shard shard)
{
    const size_t pieces = job_piece_count(s), even = pieces / shard.count, more = pieces % shard.count;
    const size_t before = shard.number - 1;
    return even * before + (before < more ? before : more);
}

size_t job_shard_end(const job_study *s, job_shard shard)
{
    return job_shard_begin(s, (job_shard){shard.number + 1, shard.count});
}

bool job_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

int job_make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0 && !(errno == EEXIST && job_is_folder(path))) {
        return cli_error("%s: cannot make this folder: %s", path, strerror(errno));
    }
    return CLI_YES;
}

void job_remove(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char inner[JOB_PATH_SIZE + 256];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && strlen(inner) < JOB_PATH_SIZE) {
            job_remove(inner);
        }
    }
    if (folder != NULL) {
        closedir(folder);
        rmdir(path);
    } else {
        unlink(path);
    }
}

/* ---- records ---- */

static void digest_record(const job_study *s, uint64_t piece, const job_value *values, size_t size,
                          char text[SHA256_TEXT_SIZE])
{
    sha256 digest;
    sha256_begin(&digest);
    sha256_add(&digest, s->digest, sizeof s->digest);
    sha256_add(&digest, &piece, sizeof piece);
    sha256_add(&digest, values, size);
    sha256_end(&digest, text);
}

static size_t piece_size(const job_study *s, size_t piece)
{
    return job_piece_items(s, piece) * s->width * sizeof(job_value);
}

/* One file of records, up to the first that is not whole. */
static void read_records(const job_study *s, const char *path, size_t begin, size_t end, bool *done, job_value *values)
{
    FILE *stream = fopen(path, "rb");
    job_header header;
    while (stream != NULL && fread(&header, sizeof header, 1, stream) == 1) {
        const size_t piece = header.piece;
        if (header.magic != MAGIC || piece < begin || piece >= end || header.size != piece_size(s, piece)) {
            break;
        }
        job_value *const at = values + (job_piece_first(s, piece) - job_piece_first(s, begin)) * s->width;
        job_value *const copy = done[piece - begin] ? NULL : malloc(header.size);
        char digest[SHA256_TEXT_SIZE];
        if (copy == NULL) { /* known already, or no memory: computed again */
            fseek(stream, (long)header.size, SEEK_CUR);
            continue;
        }
        const bool whole = fread(copy, 1, header.size, stream) == header.size;
        digest_record(s, piece, copy, whole ? header.size : 0, digest);
        if (whole && memcmp(digest, header.digest, sizeof digest) == 0) {
            memcpy(at, copy, header.size);
            done[piece - begin] = true;
        }
        free(copy);
        if (!whole) {
            break;
        }
    }
    if (stream != NULL) {
        fclose(stream);
    }
}

void job_log_read(const job_study *s, job_shard shard, const char *directory, bool *done, job_value *values)
{
    char path[JOB_PATH_SIZE];
    const size_t begin = job_shard_begin(s, shard), end = job_shard_end(s, shard);
    DIR *folder = opendir(job_shard_path(directory, shard, ".work", path));
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const size_t length = strlen(entry->d_name);
        char inner[JOB_PATH_SIZE + 256];
        if (length > 4 && strcmp(entry->d_name + length - 4, ".log") == 0) {
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
            read_records(s, inner, begin, end, done, values);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

int job_log_open(job_shard shard, const char *directory, job_log *log)
{
    char host[128] = "", name[CLI_TEXT_SIZE];
    *log = (job_log){.stream = NULL};
    gethostname(host, sizeof host - 1);
    job_shard_path(directory, shard, ".work", log->folder);
    if (job_make_folder(log->folder) != CLI_YES) {
        return CLI_BAD;
    }
    for (int number = 0; log->stream == NULL && number < 1000; number++) { /* a process number may come again */
        snprintf(name, sizeof name, "/%s-%ld-%d.log", host, (long)getpid(), number);
        if (strlen(log->folder) + strlen(name) >= sizeof log->path) {
            return cli_error("%s: the name is too long", log->folder);
        }
        strcpy(log->path, log->folder);
        strcat(log->path, name);
        log->stream = fopen(log->path, "wbx");
        if (log->stream == NULL && errno != EEXIST) {
            break;
        }
    }
    const int reason = errno;
    char folder[JOB_PATH_SIZE];
    if (log->stream == NULL && job_is_folder(job_shard_path(directory, shard, "", folder))) {
        return CLI_NO;
    }
    return log->stream != NULL ? CLI_YES : cli_error("%s: cannot be written: %s", log->path, strerror(reason));
}

int job_log_append(job_log *log, const job_study *s, size_t piece, const job_value *values)
{
    const size_t size = piece_size(s, piece);
    job_header header = {.magic = MAGIC, .piece = piece, .size = size};
    digest_record(s, piece, values, size, header.digest);
    if (fwrite(&header, sizeof header, 1, log->stream) != 1 || fwrite(values, 1, size, log->stream) != size ||
        fflush(log->stream) != 0) {
        return cli_error("%s: cannot be written: %s; what was complete is kept, run the shard again", log->path,
                         strerror(errno));
    }
    return CLI_YES;
}

void job_log_close(job_log *log)
{
    if (log->stream != NULL) {
        fclose(log->stream);
        log->stream = NULL;
    }
}
