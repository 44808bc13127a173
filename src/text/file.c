/* Reading a whole file into memory, and replacing a file: the new content is written beside the target and renamed
 * over it, so that an error leaves the old content. Where the system has files without a name (Linux: O_TMPFILE), it
 * gets one only when it is complete, so that nothing stays of a program that is ended before. */
#define _GNU_SOURCE /* stat, realpath, fsync: a target may be a link, a device or a pipe; O_TMPFILE */

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(_WIN32)
#include <io.h>
#endif

#include "report.h"

/* ---- what Windows has other names for, or does without ---- */

/* The path that a link leads to, in memory of malloc; NULL: unknown. */
static char *final_path(const char *path)
{
#if defined(_WIN32)
    return _fullpath(NULL, path, 0);
#else
    return realpath(path, NULL);
#endif
}

/* A convenience: the new file is as readable as the old one. */
static void copy_permissions(FILE *to, const struct stat *of)
{
#if defined(_WIN32)
    (void)to, (void)of;
#else
    (void)fchmod(fileno(to), of->st_mode & 07777);
#endif
}

/* 0: what was written is on the disk. */
static int write_through(FILE *stream)
{
#if defined(_WIN32)
    return _commit(_fileno(stream));
#else
    return fsync(fileno(stream));
#endif
}

/* 0: the file has its new name, whatever had it before. */
static int replace_file(const char *from, const char *to)
{
#if defined(_WIN32)
    (void)remove(to); /* rename refuses a name that is taken */
#endif
    return rename(from, to);
}

enum { READ_CHUNK = 1 << 16, TEMPORARY_NAMES = 1000, NUMBER_SIZE = 48 };

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

bool ap_file_exists(const char *path)
{
    FILE *stream = fopen(path, "rb");
    char byte;
    if (stream == NULL) {
        return false;
    }
    const bool readable = fread(&byte, 1, 1, stream) == 1 || !ferror(stream); /* a folder opens, but cannot be read */
    fclose(stream);
    return readable;
}

#if defined(O_TMPFILE) && defined(__linux__)
/* A file without a name beside the target; NULL where there is no such thing. */
static FILE *open_nameless(const char *target)
{
    const char *slash = strrchr(target, '/');
    char *folder = strdup(slash != NULL ? target : ".");
    if (folder == NULL) {
        return NULL;
    }
    if (slash != NULL) {
        folder[slash == target ? 1 : slash - target] = '\0';
    }
    const int fd = access("/proc/self/fd", F_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(folder);
    return fd >= 0 ? fdopen(fd, "wb") : NULL;
}

/* Gives it a name that is not in use. */
static int link_nameless(FILE *stream, const char *name)
{
    char open_name[NUMBER_SIZE];
    snprintf(open_name, sizeof open_name, "/proc/self/fd/%d", fileno(stream));
    return linkat(AT_FDCWD, open_name, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}
#else
static FILE *open_nameless(const char *target)
{
    (void)target;
    return NULL;
}

static int link_nameless(FILE *stream, const char *name)
{
    (void)stream, (void)name;
    return -1;
}
#endif

/* Creates "TARGET.tmpN", which did not exist: a new file to write, or r->stream that has no name yet. */
static int make_temporary(ap_replacement *r)
{
    const size_t size = strlen(r->target) + 16;
    r->temporary = malloc(size);
    int made = r->temporary != NULL ? 0 : -1;
    for (int i = 0; made == 0 && i < TEMPORARY_NAMES; i++) {
        snprintf(r->temporary, size, "%s.tmp%d", r->target, i);
        errno = 0;
        FILE *stream = r->stream != NULL ? r->stream : fopen(r->temporary, "wbx");
        const int failed = stream == NULL || (stream == r->stream && link_nameless(stream, r->temporary) != 0);
        r->stream = stream;
        made = !failed ? 1 : errno == EEXIST ? 0 : -1;
    }
    if (made <= 0) {
        free(r->temporary);
        r->temporary = NULL;
    }
    return made > 0 ? 0 : -1;
}

static apart_status open_temporary(ap_replacement *r)
{
    r->stream = open_nameless(r->target);
    return r->stream != NULL || make_temporary(r) == 0 ? APART_OK
                                                       : fail_with_errno(r->error, r->name, "create a file beside it");
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
    r->target = exists ? final_path(path) : NULL;
    if (!r->target) {
        r->target = malloc(strlen(path) + 1);
        if (!r->target) {
            return ap_report_memory(error, path);
        }
        strcpy(r->target, path);
    }
    const int direct = exists && !S_ISREG(old.st_mode);
    r->direct = direct;
    const apart_status status = direct ? open_direct(r) : open_temporary(r);
    if (status != APART_OK) {
        release_replacement(r);
    } else if (exists && !direct) {
        copy_permissions(r->stream, &old);
    }
    return status;
}

apart_status ap_replace_end(ap_replacement *r)
{
    errno = 0;
    int done = fflush(r->stream) == 0 && !ferror(r->stream) && (r->direct || write_through(r->stream) == 0) &&
               (r->direct || r->temporary != NULL || make_temporary(r) == 0);
    const int reason = errno;
    if (fclose(r->stream) != 0) {
        done = 0;
    }
    if (done && !r->direct) {
        done = replace_file(r->temporary, r->target) == 0;
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
