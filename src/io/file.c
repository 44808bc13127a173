/* Reading a whole file into memory, and replacing a file: the new content is written beside the target and renamed
 * over it, so that an error leaves the old content. */
#define _XOPEN_SOURCE 700 /* stat, realpath, fsync: a target may be a link, a device or a pipe */

#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

enum { READ_CHUNK = 1 << 16, TEMPORARY_NAMES = 1000 };

static apart_status fail_with_errno(apart_io_error *error, const char *path, const char *what)
{
    return ap_report(error, APART_ERR_FILE, path, 0, 0, "cannot %s: %s", what, strerror(errno));
}

/* Appends the stream's content to *data until it ends. */
static apart_status read_all(FILE *stream, const char *path, size_t limit, char **data, size_t *size,
                             apart_io_error *error)
{
    size_t capacity = 0;
    for (;;) {
        char *larger = ap_grow(*data, &capacity, *size + READ_CHUNK, 1);
        if (!larger) {
            return ap_report_memory(error, path);
        }
        *data = larger;
        errno = 0;
        const size_t got = fread(*data + *size, 1, capacity - *size, stream);
        *size += got;
        if (*size > limit) {
            return ap_report(error, APART_ERR_FILE, path, 0, 0, "larger than %zu bytes, the limit for a file", limit);
        }
        if (ferror(stream)) {
            return fail_with_errno(error, path, "read");
        }
        if (got == 0) {
            return APART_OK;
        }
    }
}

apart_status ap_file_read(const char *path, size_t limit, char **data, size_t *size, apart_io_error *error)
{
    *data = NULL;
    *size = 0;
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        return fail_with_errno(error, path, "open");
    }
    const apart_status status = read_all(stream, path, limit, data, size, error);
    fclose(stream);
    if (status != APART_OK) {
        free(*data);
        *data = NULL;
        *size = 0;
    }
    return status;
}

/* Opens a file "TARGET.tmpN" that did not exist. */
static apart_status open_temporary(ap_replacement *r)
{
    const size_t size = strlen(r->target) + 16;
    r->temporary = malloc(size);
    if (!r->temporary) {
        return ap_report_memory(r->error, r->name);
    }
    for (int i = 0; i < TEMPORARY_NAMES; i++) {
        snprintf(r->temporary, size, "%s.tmp%d", r->target, i);
        errno = 0;
        r->stream = fopen(r->temporary, "wbx");
        if (r->stream || errno != EEXIST) {
            break;
        }
    }
    return r->stream ? APART_OK : fail_with_errno(r->error, r->name, "create a file beside it");
}

static apart_status open_direct(ap_replacement *r)
{
    r->stream = fopen(r->target, "wb");
    return r->stream ? APART_OK : fail_with_errno(r->error, r->name, "write");
}

static void release_replacement(ap_replacement *r)
{
    free(r->temporary);
    free(r->target);
    r->temporary = r->target = NULL;
    r->stream = NULL;
}

apart_status ap_replace_begin(ap_replacement *r, const char *path, apart_io_error *error)
{
    *r = (ap_replacement){.name = path, .error = error};
    struct stat old;
    const int exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        return ap_report(error, APART_ERR_FILE, path, 0, 0, "cannot write: it is a directory");
    }
    r->target = exists ? realpath(path, NULL) : NULL;
    if (!r->target) {
        r->target = malloc(strlen(path) + 1);
        if (!r->target) {
            return ap_report_memory(error, path);
        }
        strcpy(r->target, path);
    }
    const int direct = exists && !S_ISREG(old.st_mode);
    const apart_status status = direct ? open_direct(r) : open_temporary(r);
    if (status != APART_OK) {
        release_replacement(r);
    } else if (exists && !direct) {
        (void)fchmod(fileno(r->stream),
                     old.st_mode & 07777); /* a convenience: the new file is as readable as the old one */
    }
    return status;
}

apart_status ap_replace_end(ap_replacement *r)
{
    errno = 0;
    int done = fflush(r->stream) == 0 && !ferror(r->stream) && (!r->temporary || fsync(fileno(r->stream)) == 0);
    const int reason = errno;
    if (fclose(r->stream) != 0) {
        done = 0;
    }
    if (done && r->temporary) {
        done = rename(r->temporary, r->target) == 0;
    }
    apart_status status = APART_OK;
    if (!done) {
        errno = reason ? reason : errno;
        status = fail_with_errno(r->error, r->name, "write");
        if (r->temporary) {
            remove(r->temporary);
        }
    }
    release_replacement(r);
    return status;
}
