/* apart view: a recording, or two bodies, as one page that shows them and runs the same library as WebAssembly
 * (viewer/). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recording.h"
#include "scene.h"

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
        return cli_error("view: %s: this is not the viewer of this version; 'make viewer' builds it", path);
    }
    return CLI_YES;
}

/* ---- the content ---- */

/* The parts that every recording has; the page checks the rest, and says what is wrong in it. */
static int check_recording(const scene_place *root)
{
    static const char *const lists[] = {"shapes", "bodies", "frames"};
    const scene_place version = scene_member(root, "apart_recording");
    if (!json_is_object(root->value) || version.value == NULL) {
        return scene_error(root, "this is not a recording; expected what --record writes (docs/recording.md)");
    }
    if (!json_is_integer(version.value) || json_integer_value(version.value) != 1) {
        return scene_error(&version, "expected 1, the only version of recordings that this program reads");
    }
    const scene_place kind = scene_member(root, "kind");
    if (!json_is_string(kind.value)) {
        return scene_error(kind.value != NULL ? &kind : root, "expected \"kind\" as a text, such as \"scene\"");
    }
    for (int i = 0; i < 3; i++) {
        const scene_place list = scene_member(root, lists[i]);
        if (!json_is_array(list.value) || json_array_size(list.value) == 0) {
            return scene_error(list.value != NULL ? &list : root, "expected \"%s\" as an array with something in it",
                               lists[i]);
        }
    }
    return CLI_YES;
}

/* The data of a page: a text of JSON, and what the page is called. */
typedef struct content {
    char *text;
    size_t size;
    char title[CLI_TEXT_SIZE];
} content;

/* A shape by parameters or a mesh, by its name: one alone is not what the command takes. */
static bool names_body(const char *operand)
{
    static const char *const endings[] = {".obj", ".stl", ".ply", ".off"};
    const size_t length = strlen(operand);
    bool body = strchr(operand, ':') != NULL;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        body = body || (length > 4 && strcmp(operand + length - 4, endings[i]) == 0);
    }
    return body;
}

static int load_recording(const char *path, content *out)
{
    scene_text text;
    if (names_body(path)) {
        return cli_error(
            "view: %s: this is one body, a page shows two (apart view A B) or a recording, as --record writes it",
            path);
    }
    json_t *root = scene_load(path, &text);
    if (root == NULL) {
        return CLI_BAD;
    }
    const scene_place whole = {.text = &text, .value = root};
    const int status = check_recording(&whole);
    const char *title = json_string_value(json_object_get(root, "title"));
    snprintf(out->title, sizeof out->title, "%.200s", title != NULL ? title : text.name);
    json_decref(root);
    out->text = (char *)text.data;
    out->size = text.size;
    return status;
}

static json_t *body_json(const cli_body *body)
{
    const apart_mat3 *r = &body->pose.rotation;
    const apart_vec3 t = body->pose.translation;
    const double rows[12] = {r->x.x, r->y.x, r->z.x, t.x, r->x.y, r->y.y, r->z.y, t.y, r->x.z, r->y.z, r->z.z, t.z};
    json_t *value = recording_shape(&body->shape);
    if (value != NULL) {
        json_object_set_new(value, "pose", cli_json_numbers(rows, 12));
        json_object_set_new(value, "name", cli_json_text(body->text));
    }
    return value;
}

static int load_pair(const cli_settings *settings, content *out)
{
    cli_body bodies[2];
    if (cli_bodies_load(settings, bodies) != CLI_YES) {
        return CLI_BAD;
    }
    apart_compound_result found;
    const apart_status asked = apart_compound_distance(cli_body_solid(&bodies[0]), &bodies[0].pose,
                                                       cli_body_solid(&bodies[1]), &bodies[1].pose, NULL, NULL, &found);
    int status = asked == APART_OK ? CLI_YES : cli_query_error(bodies, asked);
    snprintf(out->title, sizeof out->title, "%.100s and %.100s", bodies[0].text, bodies[1].text);
    if (status == CLI_YES && cli_has_parts(bodies)) {
        status = cli_record_pair(&out->text, &out->size, bodies, &found);
    } else if (status == CLI_YES) {
        json_t *value =
            json_pack("{s:i, s:o, s:o}", "apart_view", 1, "a", body_json(&bodies[0]), "b", body_json(&bodies[1]));
        out->text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
        out->size = out->text != NULL ? strlen(out->text) : 0;
        status = out->text != NULL ? CLI_YES : cli_error("out of memory");
        json_decref(value);
    }
    cli_bodies_free(bodies);
    return status;
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

static int write_page(const char *path, const page *p, const content *c, long *bytes)
{
    cli_file file;
    if (cli_file_open(path, &file) != CLI_YES) {
        return CLI_BAD;
    }
    const char *before_data = p->data - strlen("null");
    fwrite(p->text, 1, (size_t)(p->title - p->text), file.stream);
    write_title(file.stream, c->title);
    fwrite(p->title, 1, (size_t)(before_data - p->title), file.stream);
    write_json(file.stream, c->text, c->size);
    fwrite(p->data, 1, (size_t)(p->text + p->size - p->data), file.stream);
    *bytes = ftell(file.stream);
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
    if (settings->operand_count == 2 || strcmp(path, "-") == 0 || length == 0 || length > CLI_TEXT_SIZE - 8) {
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
    page p;
    content c = {.text = NULL};
    char name[CLI_TEXT_SIZE];
    long bytes = 0;
    name_page(settings, name);
    const char *path = settings->page != NULL ? settings->page : name;
    if (cli_is_stdout(path) && settings->given[CLI_JSON]) {
        return cli_error("view: only one of -o - and --json can go to standard output");
    }
    if (settings->operand_count == 1 && (settings->given[CLI_POSE_A] || settings->given[CLI_POSE_B])) {
        return cli_error("view: a recording has its own poses; --pose-a and --pose-b are for two bodies");
    }
    int status = settings->operand_count == 2 ? load_pair(settings, &c) : load_recording(settings->operands[0], &c);
    if (status == CLI_YES) {
        status = load_page(&p);
        if (status == CLI_YES) {
            status = write_page(path, &p, &c, &bytes);
            free(p.text);
        }
    }
    free(c.text);
    return status == CLI_YES ? report(settings, path, bytes) : status;
}

static const cli_option_id options[] = {CLI_PAGE,   CLI_POSE_A, CLI_POSE_B, CLI_ROUND_A, CLI_ROUND_B,
                                        CLI_AS,     CLI_AS_A,   CLI_AS_B,   CLI_HULL,    CLI_HULLS,
                                        CLI_EXCESS, CLI_UNITS,  CLI_SCALE,  CLI_JSON,    CLI_HELP};

const cli_command cli_view_command = {
    .name = "view",
    .operands = "FILE | A B",
    .min_operands = 1,
    .max_operands = 2,
    .summary = "a recording or two bodies as a page for the browser",
    .description = "FILE is a recording, as --record writes it (- is standard input); A and B are bodies, as for\n"
                   "'apart distance'. Writes one page with everything in it: it needs no server and no network,\n"
                   "and runs the same library as this program. The viewer must have been built: make viewer.\n",
    .examples = "  apart scene cell.json --record run.json && apart view run.json\n"
                "  apart view rock.obj box:1,2,0.5 --pose-b xyz=3,0,0 -o pair.html\n",
    .options = options,
    .run = run,
};
