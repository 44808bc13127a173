/* Files that appear under their names only when they are complete, and of which nothing stays when the program is
 * ended before.
 *
 * The content goes into a file without a name where the system has such (Linux: O_TMPFILE): it vanishes with the
 * process, however that ends. Elsewhere it goes into FILE.PID.tmp, which a handler of the signals that end a program
 * removes; only SIGKILL leaves it behind, and it is in nobody's way. Either takes the name of the target at the end,
 * with the permissions of a file that it replaces. Symbolic links stay: the file that they lead to is replaced. */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { MOST_TEMPORARIES = 8, MOST_NAMES = 1000, MOST_LINKS = 40, NUMBER_SIZE = 48 };

/* ---- temporary files ---- */

/* For the handler; free places are NULL. */
static _Atomic(char *) temporaries[MOST_TEMPORARIES];

static void remove_temporaries(int number)
{
    for (int i = 0; i < MOST_TEMPORARIES; i++) {
        const char *path = atomic_load(&temporaries[i]);
        if (path != NULL) {
            unlink(path);
        }
    }
    raise(number); /* as by default: the handler is gone */
}

/* Signals that are ignored (nohup) stay so. */
static void watch_signals(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};
    struct sigaction action = {.sa_handler = remove_temporaries}, old;
    action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
            sigaction(ends[i], &action, NULL);
        }
    }
}

/* Puts a name into the list of those to be removed, or (to = NULL) takes it out. */
static void replace_temporary(char *from, char *to)
{
    for (int i = 0; i < MOST_TEMPORARIES; i++) {
        char *expected = from;
        if (atomic_compare_exchange_strong(&temporaries[i], &expected, to)) {
            return;
        }
    }
}

static void forget_temporary(cli_file *file)
{
    if (file->temporary != NULL) {
        replace_temporary(file->temporary, NULL);
        free(file->temporary);
        file->temporary = NULL;
    }
}

/* Makes a file under a name beside the target that is not in use, and returns what `make` did; -1 with errno if it
 * cannot. */
static int make_named(cli_file *file, int (*make)(const char *name, const void *context), const void *context)
{
    const size_t size = strlen(file->target) + NUMBER_SIZE;
    char *name = malloc(size);
    sigset_t all, before;
    int made = -1;
    if (name == NULL) {
        return -1;
    }
    watch_signals();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* no signal between the file and its place in the list */
    for (int i = 0; i < MOST_NAMES && (i == 0 || (made < 0 && errno == EEXIST)); i++) {
        const int used = snprintf(name, size, "%s.%ld", file->target, (long)getpid());
        snprintf(name + used, size - (size_t)used, i == 0 ? ".tmp" : ".%d.tmp", i);
        made = make(name, context);
    }
    const int reason = errno;
    if (made >= 0) {
        file->temporary = name;
        replace_temporary(NULL, name);
    } else {
        free(name);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return made;
}

static int create_file(const char *name, const void *context)
{
    (void)context;
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* ---- files without a name ---- */

#if defined(O_TMPFILE) && defined(__linux__)
/* "/proc/self/fd/N", by which an open file gets a name. */
static void name_of_open(int fd, char name[NUMBER_SIZE]) { snprintf(name, NUMBER_SIZE, "/proc/self/fd/%d", fd); }

/* A file without a name in the folder of the target; -1 where there is no such thing. */
static int open_nameless(const char *target)
{
    char *folder = strdup(target), name[NUMBER_SIZE];
    if (folder == NULL) {
        return -1;
    }
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        slash[slash == folder ? 1 : 0] = '\0';
    }
    int fd = open(slash != NULL ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    if (fd >= 0) {
        name_of_open(fd, name);
        if (access(name, F_OK) != 0) { /* no /proc: it could never get a name */
            close(fd);
            fd = -1;
        }
    }
    return fd;
}

static int link_file(const char *name, const void *context)
{
    char open_name[NUMBER_SIZE];
    name_of_open(*(const int *)context, open_name);
    return linkat(AT_FDCWD, open_name, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

static int name_nameless(cli_file *file)
{
    const int fd = fileno(file->stream);
    return make_named(file, link_file, &fd);
}
#else
static int open_nameless(const char *target)
{
    (void)target;
    return -1;
}

static int name_nameless(cli_file *file)
{
    (void)file;
    return -1;
}
#endif

/* ---- targets ---- */

/* `link` is a symbolic link to `to`: the path it leads to, to be freed. */
static char *path_from_link(const char *link, const char *to)
{
    const char *slash = strrchr(link, '/');
    const size_t folder = to[0] != '/' && slash != NULL ? (size_t)(slash - link) + 1 : 0;
    char *path = malloc(folder + strlen(to) + 1);
    if (path != NULL) {
        memcpy(path, link, folder);
        strcpy(path + folder, to);
    }
    return path;
}

/* The path with its last links followed, even where they lead to no file yet. NULL with errno. */
static char *follow_links(const char *path)
{
    char to[CLI_PATH_SIZE];
    char *target = strdup(path);
    for (int i = 0; target != NULL; i++) {
        const ssize_t length = readlink(target, to, sizeof to - 1);
        if (length < 0) {
            return target; /* not a link */
        }
        to[length] = '\0';
        char *next = i < MOST_LINKS ? path_from_link(target, to) : NULL;
        free(target);
        target = next;
        errno = i < MOST_LINKS ? errno : ELOOP;
    }
    return NULL;
}

/* Opens the temporary file, with the permissions of the file that it will replace. */
static int open_temporary(cli_file *file, bool named, const struct stat *old)
{
    file->target = follow_links(file->path);
    if (file->target == NULL) {
        return -1;
    }
    int fd = named ? -1 : open_nameless(file->target);
    fd = fd >= 0 ? fd : make_named(file, create_file, NULL);
    if (fd >= 0 && old != NULL) {
        (void)fchmod(fd, old->st_mode & 07777);
    }
    return fd;
}

static int open_file(const char *path, bool named, cli_file *file)
{
    struct stat old;
    *file = (cli_file){.path = path};
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        return CLI_YES;
    }
    const bool exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) { /* /dev/null, a pipe: written directly */
        file->stream = fopen(path, "wb");
    } else {
        const int fd = open_temporary(file, named, exists ? &old : NULL);
        file->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    }
    if (file->stream == NULL) {
        const int reason = errno;
        free(file->target);
        return cli_error("cannot write %s: %s", path, strerror(reason));
    }
    return CLI_YES;
}

/* Where a file is: its own numbers, or those of its folder and its name in it. */
typedef struct place {
    bool exists, regular;
    dev_t device;
    ino_t number;
    const char *name; /* of a file that does not exist yet */
} place;

/* False: not even its folder exists. */
static bool find_place(char *path, place *out)
{
    struct stat info;
    char *slash = strrchr(path, '/');
    *out = (place){.exists = stat(path, &info) == 0};
    if (!out->exists) {
        out->name = slash != NULL ? slash + 1 : path;
        const char end = slash != NULL ? slash[1] : '\0';
        if (slash != NULL) {
            slash[1] = '\0';
        }
        const bool found = stat(slash != NULL ? path : ".", &info) == 0;
        if (slash != NULL) {
            slash[1] = end;
        }
        if (!found) {
            return false;
        }
    }
    out->regular = !out->exists || S_ISREG(info.st_mode);
    out->device = info.st_dev;
    out->number = info.st_ino;
    return true;
}

/* ---- the interface ---- */

bool cli_same_file(const char *a, const char *b)
{
    char *path[2] = {follow_links(a), follow_links(b)};
    bool same = strcmp(a, b) == 0;
    place at[2];
    if (path[0] != NULL && path[1] != NULL && find_place(path[0], &at[0]) && find_place(path[1], &at[1])) {
        same = at[0].regular && at[0].exists == at[1].exists && at[0].device == at[1].device &&
               at[0].number == at[1].number && (at[0].exists || strcmp(at[0].name, at[1].name) == 0);
    }
    free(path[0]);
    free(path[1]);
    return same;
}

bool cli_is_where_stdout_goes(const char *path)
{
    struct stat to, info;
    return fstat(STDOUT_FILENO, &to) == 0 && S_ISREG(to.st_mode) && stat(path, &info) == 0 &&
           info.st_dev == to.st_dev && info.st_ino == to.st_ino;
}

int cli_file_open(const char *path, cli_file *file) { return open_file(path, false, file); }

int cli_file_open_named(const char *path, cli_file *file) { return open_file(path, true, file); }

const char *cli_file_name(const cli_file *file) { return file->temporary != NULL ? file->temporary : file->path; }

int cli_file_close(cli_file *file, int status)
{
    if (file->stream == stdout) {
        return status; /* checked at the end of the program */
    }
    errno = 0;
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    const bool wanted = status == CLI_YES && file->target != NULL;
    good = good && (!wanted || file->temporary != NULL || name_nameless(file) >= 0);
    int reason = errno;
    if (fclose(file->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && wanted && rename(file->temporary, file->target) != 0) {
        good = false;
        reason = errno;
    }
    if ((!good || !wanted) && file->temporary != NULL) {
        unlink(file->temporary);
    }
    forget_temporary(file);
    free(file->target);
    return good ? status : cli_error("cannot write %s: %s", file->path, reason != 0 ? strerror(reason) : "write error");
}
