/* Files that appear only when they are complete, and standard streams that may be closed or full. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* Is there something at `path` that must not be replaced by a file, such as /dev/null or a pipe? */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static int open_temporary(cli_file *file)
{
    const size_t size = strlen(file->path) + 32;
    file->temporary = malloc(size);
    if (file->temporary == NULL) {
        return cli_error("out of memory");
    }
    snprintf(file->temporary, size, "%s.%ld.tmp", file->path, (long)getpid());
    file->stream = fopen(file->temporary, "wbx");
    return CLI_YES;
}

int cli_file_open(const char *path, cli_file *file)
{
    *file = (cli_file){.path = path};
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        return CLI_YES;
    }
    if (is_special(path)) {
        file->stream = fopen(path, "wb");
    } else if (open_temporary(file) != CLI_YES) {
        return CLI_BAD;
    }
    if (file->stream == NULL) {
        const int reason = errno;
        free(file->temporary);
        return cli_error("cannot write %s: %s", path, strerror(reason));
    }
    return CLI_YES;
}

int cli_file_close(cli_file *file, int status)
{
    if (file->stream == stdout) {
        return status; /* checked at the end of the program */
    }
    errno = 0;
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    int reason = errno;
    if (fclose(file->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && status == CLI_YES && file->temporary != NULL && rename(file->temporary, file->path) != 0) {
        good = false;
        reason = errno;
    }
    if ((!good || status != CLI_YES) && file->temporary != NULL) {
        remove(file->temporary);
    }
    free(file->temporary);
    return good ? status : cli_error("cannot write %s: %s", file->path, reason != 0 ? strerror(reason) : "write error");
}

cli_progress cli_progress_begin(const char *name)
{
    const long now = (long)clock();
    return (cli_progress){.shown = isatty(2) && !isatty(1), .name = name, .started = now, .last = now};
}

void cli_progress_show(cli_progress *progress, const char *what, size_t step, size_t count)
{
    const long now = (long)clock();
    if (!progress->shown || now - progress->started < CLOCKS_PER_SEC) {
        return;
    }
    if (step > count) {
        fputs("\r\033[K", stderr);
    } else if (now - progress->last >= CLOCKS_PER_SEC / 10) {
        progress->last = now;
        fprintf(stderr, "\r%s: %s %zu of %zu\033[K", progress->name, what, step, count);
    }
}

bool cli_is_stdout(const char *path) { return path != NULL && strcmp(path, "-") == 0; }

bool cli_is_below(double distance, uint32_t relation, double limit)
{
    return distance < limit || (relation == APART_OVERLAPPING && limit >= 0);
}

int cli_check_limit_depth(const char *command, const cli_settings *settings)
{
    if (settings->given[CLI_LIMIT] && settings->limit < 0 && settings->depth != APART_DEPTH_EXACT) {
        return cli_error("%s: --limit %g is a depth: it needs --depth exact", command, settings->limit);
    }
    return CLI_YES;
}

int cli_check_streams(void)
{
    /* A closed descriptor would be taken by the next file that is opened, and our text would end up in it. */
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            continue;
        }
        if (fd == 1) {
            return cli_error("standard output is closed");
        }
        if (open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) < 0) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

int cli_flush_stdout(int status)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return cli_error("cannot write to standard output: %s", errno != 0 ? strerror(errno) : "write error");
    }
    return status;
}
