/* Standard streams that may be closed or full, progress on the terminal, and limits. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

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
        fputc('\r', stderr);
        cli_print_safely(stderr, progress->name);
        fprintf(stderr, ": %s %zu of %zu\033[K", what, step, count);
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
