/* apart view --serve: the page at an address of this machine alone, shown anew when one of its files changes, and
 * --open: a page in the browser of the desktop. */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef APART_HAVE_MICROHTTPD
#include <microhttpd.h>
#endif

#include "view.h"

/* ---- the browser ---- */

int view_open(const char *address)
{
    const pid_t child = fork();
    if (child == 0) {
        execlp("xdg-open", "xdg-open", address, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return cli_error("view: xdg-open, which opens pages in the browser of the desktop, cannot open %s", address);
    }
    return CLI_YES;
}

#ifdef APART_HAVE_MICROHTTPD

/* The page knows its number, asks for that of today every half second, and loads itself anew when it is another one. It
 * keeps its address, and with it the moment and the view. */
static const char
    RELOAD_FROM[] = "<script>(() => { const known = ",
    RELOAD[] =
        "; setInterval(async () => { try { const now = Number(await (await fetch('/version', { cache: 'no-store' })).text()); "
        "if (now !== known) location.reload(); } catch { return; } }, 500); })();</script>\n";
enum { MOST_FILES = 16, LOOK_MS = 300 };

typedef struct watched {
    const char *path;
    struct timespec changed;
    off_t size;
} watched;

typedef struct server {
    pthread_mutex_t lock;
    char *page;
    size_t size;
    unsigned version;
    watched files[MOST_FILES];
    size_t file_count;
} server;

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
    (void)number;
    ended = 1;
}

/* ---- files that may change ---- */

static bool has_changed(watched *file)
{
    struct stat now;
    if (stat(file->path, &now) != 0 || (now.st_mtim.tv_sec == file->changed.tv_sec &&
                                        now.st_mtim.tv_nsec == file->changed.tv_nsec && now.st_size == file->size)) {
        return false; /* a file that is being replaced comes back */
    }
    file->changed = now.st_mtim;
    file->size = now.st_size;
    return true;
}

static void watch(server *s, const char *path)
{
    if (path != NULL && strcmp(path, "-") != 0 && cli_file_exists(path) && s->file_count < MOST_FILES) {
        s->files[s->file_count] = (watched){.path = path};
        (void)has_changed(&s->files[s->file_count++]);
    }
}

static void watch_all(server *s, const cli_settings *settings)
{
    for (size_t i = 0; i < settings->operand_count; i++) {
        watch(s, settings->operands[i]);
    }
    const char *const others[] = {settings->scene, settings->srdf, settings->traj, settings->cell, settings->limits};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        watch(s, others[i]);
    }
}

static bool any_changed(server *s)
{
    bool any = false;
    for (size_t i = 0; i < s->file_count; i++) {
        any = has_changed(&s->files[i]) || any;
    }
    return any;
}

/* ---- answers ---- */

/* Only for those who came by the name of this machine: another name that was made to lead here would let other pages
 * read this one. */
static bool is_for_us(struct MHD_Connection *connection)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    return host != NULL && (strncmp(host, "127.0.0.1:", 10) == 0 || strncmp(host, "localhost:", 10) == 0);
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned code, const char *kind, const char *text,
                                 size_t size)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (response == NULL) {
        return MHD_NO;
    }
    (void)MHD_add_response_header(response, "Content-Type", kind);
    (void)MHD_add_response_header(response, "Cache-Control", "no-store");
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    const enum MHD_Result sent = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *http, const char *data, size_t *data_size, void **state)
{
    server *s = user;
    (void)http, (void)data, (void)data_size, (void)state;
    if (!is_for_us(connection)) {
        return send_text(connection, MHD_HTTP_FORBIDDEN, "text/plain", "forbidden\n", 10);
    }
    if (strcmp(method, "GET") != 0) {
        return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "GET alone\n", 10);
    }
    enum MHD_Result sent;
    pthread_mutex_lock(&s->lock);
    if (strcmp(url, "/") == 0) {
        sent = send_text(connection, MHD_HTTP_OK, "text/html; charset=utf-8", s->page, s->size);
    } else if (strcmp(url, "/version") == 0) {
        char text[32];
        const int length = snprintf(text, sizeof text, "%u\n", s->version);
        sent = send_text(connection, MHD_HTTP_OK, "text/plain", text, (size_t)length);
    } else {
        sent = send_text(connection, MHD_HTTP_NOT_FOUND, "text/plain", "not found\n", 10);
    }
    pthread_mutex_unlock(&s->lock);
    return sent;
}

/* ---- the server ---- */

static char *numbered_page(const view_content *content, unsigned version, size_t *size)
{
    char script[sizeof RELOAD_FROM + sizeof RELOAD + 16];
    snprintf(script, sizeof script, "%s%u%s", RELOAD_FROM, version, RELOAD);
    return view_page(content, script, size);
}

/* What cannot be read now, in the middle of an edit, leaves the page as it was. */
static void load_again(server *s, const cli_settings *settings)
{
    view_content content;
    size_t size;
    char *page = view_load(settings, &content) == CLI_YES ? numbered_page(&content, s->version + 1, &size) : NULL;
    free(content.text);
    if (page != NULL) {
        pthread_mutex_lock(&s->lock);
        free(s->page);
        s->page = page;
        s->size = size;
        s->version++;
        pthread_mutex_unlock(&s->lock);
        cli_note("the page is new");
    }
}

static void serve_until_ended(server *s, const cli_settings *settings)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    while (!ended) {
        (void)nanosleep(&pause, NULL);
        if (!ended && any_changed(s)) {
            load_again(s, settings);
        }
    }
}

static struct MHD_Daemon *start(server *s, uint32_t port)
{
    const struct sockaddr_in here = {.sin_family = AF_INET,
                                     .sin_port = htons((uint16_t)port),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL, answer, s,
                            MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)&here, MHD_OPTION_CONNECTION_LIMIT, 32u,
                            MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
}

static int serve(server *s, const cli_settings *settings)
{
    char address[64];
    if (settings->port > 65535) {
        return cli_error("view: --port %u: expected a number up to 65535", (unsigned)settings->port);
    }
    struct MHD_Daemon *daemon = start(s, settings->port);
    const union MHD_DaemonInfo *info = daemon != NULL ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (info == NULL) {
        if (daemon != NULL) {
            MHD_stop_daemon(daemon);
        }
        return cli_error("view: cannot serve on 127.0.0.1 port %u: %s", (unsigned)settings->port, strerror(errno));
    }
    snprintf(address, sizeof address, "http://127.0.0.1:%u/", (unsigned)info->port);
    printf("%s\n", address);
    fflush(stdout);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    const int opened = settings->given[CLI_OPEN] ? view_open(address) : CLI_YES;
    if (opened == CLI_YES) {
        serve_until_ended(s, settings);
    }
    MHD_stop_daemon(daemon);
    return opened;
}

int view_serve(const cli_settings *settings, const view_content *content)
{
    server s = {.lock = PTHREAD_MUTEX_INITIALIZER, .version = 1};
    watch_all(&s, settings);
    s.page = numbered_page(content, s.version, &s.size);
    const int status = s.page != NULL ? serve(&s, settings) : CLI_BAD;
    free(s.page);
    return status;
}

#else

int view_serve(const cli_settings *settings, const view_content *content)
{
    (void)settings, (void)content;
    return cli_error(
        "view: --serve was left out of this build, which has no libmicrohttpd (Debian: libmicrohttpd-dev)");
}

#endif
