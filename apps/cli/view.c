/* apart view: what is to be seen as one page that shows it and runs the same library as WebAssembly (apps/viewer). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* The marks in the viewer's page after which title and data are inserted. */
#define DATA_MARK "<script type=\"application/json\" id=\"apart-data\">"
#define TITLE_MARK "<title>"

/* ---- the empty page ---- */

typedef struct page {
    char *text;
    size_t size;
    const char *title, *data; /* behind the marks */
} page;

static const char *find_mark(const page *p, const char *mark)
{
    const size_t length = strlen(mark);
    for (size_t i = 0; i + length <= p->size; i++) {
        if (memcmp(p->text + i, mark, length) == 0) {
            return p->text + i + length;
        }
    }
    return NULL;
}

static int load_page(page *out)
{
    static const char *const places[2] = {"viewer/viewer.html", CLI_DATADIR "/viewer.html"};
    char path[CLI_PATH_SIZE];
    *out = (page){.text = NULL};
    if (!cli_find_part(places, path)) {
        return cli_error(
            "view: the viewer is not built: no %s; 'make viewer' builds it (with node and npm), 'make install' installs it",
            path);
    }
    FILE *stream = fopen(path, "rb");
    out->text = stream != NULL ? cli_read_all(stream, path, &out->size) : NULL;
    if (stream == NULL) {
        return cli_error("view: %s: cannot open: %s", path, strerror(errno));
    }
    fclose(stream);
    if (out->text == NULL) {
        return CLI_BAD;
    }
    out->title = find_mark(out, TITLE_MARK);
    out->data = find_mark(out, DATA_MARK "null");
    if (out->title == NULL || out->data == NULL || out->title > out->data) {
        free(out->text);
        out->text = NULL;
        return cli_error("view: %s: this is not the viewer of this version; 'make viewer' builds it", path);
    }
    return CLI_YES;
}

/* ---- the page with its content ---- */

/* In a script "<" could end it; in JSON it stands in texts only, where this means the same. */
static void write_json(FILE *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '<') {
            fputs("\\u003c", out);
        } else {
            putc(text[i], out);
        }
    }
}

static void write_title(FILE *out, const char *title)
{
    for (const char *c = title; *c != '\0'; c++) {
        switch (*c) {
        case '<': fputs("&lt;", out); break;
        case '&': fputs("&amp;", out); break;
        default: putc(*c, out); break;
        }
    }
    fputs(" \xc2\xb7 ", out);
}

static void write_all(FILE *out, const page *p, const view_content *c, const char *extra)
{
    const char *before_data = p->data - strlen("null");
    fwrite(p->text, 1, (size_t)(p->title - p->text), out);
    write_title(out, c->title);
    fwrite(p->title, 1, (size_t)(before_data - p->title), out);
    write_json(out, c->text, c->size);
    fwrite(p->data, 1, (size_t)(p->text + p->size - p->data), out);
    if (extra != NULL) {
        fputs(extra, out);
    }
}

char *view_page(const view_content *content, const char *extra, size_t *size)
{
    page p;
    char *text = NULL;
    if (load_page(&p) != CLI_YES || p.text == NULL) {
        return NULL;
    }
    FILE *stream = open_memstream(&text, size);
    if (stream != NULL) {
        write_all(stream, &p, content, extra);
    }
    free(p.text);
    if (stream == NULL || fclose(stream) != 0) {
        free(text);
        cli_error("out of memory");
        return NULL;
    }
    return text;
}

static int write_page(const char *path, const view_content *c, long *bytes)
{
    cli_file file;
    size_t size;
    char *text = view_page(c, NULL, &size);
    if (text == NULL || cli_file_open(path, &file) != CLI_YES) {
        free(text);
        return CLI_BAD;
    }
    fwrite(text, 1, size, file.stream);
    free(text);
    *bytes = (long)size;
    return cli_file_close(&file, CLI_YES);
}

/* "plan.json" -> "plan.html", in the working directory. */
static void name_page(const cli_settings *settings, char name[CLI_TEXT_SIZE])
{
    const char *path = settings->operands[0];
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);
    if (settings->operand_count == 2 || strcmp(path, "-") == 0 || strchr(path, ':') != NULL || length == 0 ||
        length > CLI_TEXT_SIZE - 8) {
        snprintf(name, CLI_TEXT_SIZE, "apart-view.html");
    } else {
        snprintf(name, CLI_TEXT_SIZE, "%.*s.html", (int)length, base);
    }
}

static int report(const cli_settings *settings, const char *name, long bytes)
{
    if (cli_is_stdout(name)) {
        return CLI_YES;
    }
    if (settings->given[CLI_JSON]) {
        return cli_json_print(json_pack("{s:s, s:o, s:I}", "apart", apart_version(), "page", cli_json_text(name),
                                        "bytes", (json_int_t)bytes),
                              stdout, false);
    }
    cli_print_safely(stdout, name);
    printf(": %.1f MB, to be opened in a browser\n", (double)bytes / 1e6);
    return CLI_YES;
}

static int run(const cli_settings *settings)
{
    view_content c = {.text = NULL};
    char name[CLI_TEXT_SIZE];
    long bytes = 0;
    name_page(settings, name);
    const char *path = settings->page != NULL ? settings->page : name;
    if (cli_is_stdout(path) && (settings->given[CLI_JSON] || settings->given[CLI_OPEN])) {
        return cli_error("view: only one of -o -, --json and --open can be given");
    }
    if (settings->given[CLI_SERVE] && (settings->page != NULL || settings->given[CLI_JSON])) {
        return cli_error("view: --serve writes no file; it does not go with -o and --json");
    }
    int status = view_load(settings, &c);
    if (status == CLI_YES) {
        status = settings->given[CLI_SERVE] ? view_serve(settings, &c) : write_page(path, &c, &bytes);
    }
    free(c.text);
    if (status != CLI_YES || settings->given[CLI_SERVE]) {
        return status;
    }
    status = report(settings, path, bytes);
    return status == CLI_YES && settings->given[CLI_OPEN] ? view_open(path) : status;
}

static const cli_option_id options[] = {
    CLI_PAGE,  CLI_OPEN,  CLI_SERVE,  CLI_PORT, CLI_POSE_A,   CLI_POSE_B, CLI_ROUND_A, CLI_ROUND_B,
    CLI_AS,    CLI_AS_A,  CLI_AS_B,   CLI_HULL, CLI_HULLS,    CLI_EXCESS, CLI_UNITS,   CLI_SCALE,
    CLI_SCENE, CLI_SRDF,  CLI_CELL,   CLI_BASE, CLI_PACKAGES, CLI_TRAJ,   CLI_JOINTS,  CLI_STATE,
    CLI_FIX,   CLI_LIMIT, CLI_LIMITS, CLI_JSON, CLI_STEPS,    CLI_HELP,
};

const cli_command cli_view_command = {
    .name = "view",
    .operands = "WHAT | A B",
    .min_operands = 1,
    .max_operands = 2,
    .summary = "a recording, robot, scene or two bodies as a page for the browser",
    .description =
        "WHAT is a recording, as --record writes it (- is standard input), a robot (URDF, MJCF, xacro or JSON; with\n"
        "--scene, --srdf and the like, and with --traj the clearance of a motion), a scene file, the name of a scene\n"
        "of 'apart simulate', or a mesh; A and B are bodies, as for 'apart distance'. Writes one page with everything\n"
        "in it: it needs no server and no network, and runs the same library as this program. The viewer must have\n"
        "been built: make viewer.\n"
        "\n"
        "With --serve no file is written: the page is at an address of this machine alone, and is shown anew when\n"
        "one of the files changes, until the program is interrupted.\n",
    .examples = "  apart view arm.urdf --scene cell.json --open\n"
                "  apart view arm.urdf --scene cell.json --traj move.csv --limit 0.02 -o move.html\n"
                "  apart view dominoes --serve --open\n"
                "  apart view rock.obj box:1,2,0.5 --pose-b xyz=3,0,0 -o pair.html\n",
    .options = options,
    .run = run,
};
