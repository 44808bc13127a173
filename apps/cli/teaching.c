/* apart figure: the papers' teaching figures as SVG. */
#include <string.h>

#include "cli.h"
#include "teaching.h"

static const teaching_figure *const figures[] = {&teaching_cameron_1,   &teaching_cameron_2,   &teaching_cameron_6a,
                                                 &teaching_geometric_6, &teaching_geometric_8, &teaching_geometric_10,
                                                 &teaching_lindemann_5, &teaching_lindemann_6};
enum { COUNT = sizeof figures / sizeof figures[0], GAP = 16, LINE = 19 };

/* ---- canvases ---- */

canvas canvas_begin(FILE *out, int number, int of, int height, flat low, flat high, const char *heading)
{
    const double width = (TEACHING_WIDTH - GAP * (of + 1.0)) / of;
    canvas c = {.out = out, .corner = {GAP + number * (width + GAP), TEACHING_TOP}, .width = width, .height = height};
    const double x = width / (high.x - low.x), y = height / (high.y - low.y);
    c.scale = x < y ? x : y;
    c.low = (flat){0.5 * (low.x + high.x) - 0.5 * width / c.scale, 0.5 * (low.y + high.y) - 0.5 * height / c.scale};
    char name[32];
    snprintf(name, sizeof name, "panel-%d", number);
    svg_rectangle(out, c.corner, c.width, c.height, "frame");
    svg_clip_begin(out, name, c.corner, c.width, c.height);
    svg_text(out, (flat){c.corner.x + 12, c.corner.y + 22}, "start", "head", heading);
    return c;
}

void canvas_end(const canvas *c) { svg_clip_end(c->out); }

flat canvas_at(const canvas *c, flat p)
{
    return (flat){c->corner.x + (p.x - c->low.x) * c->scale, c->corner.y + c->height - (p.y - c->low.y) * c->scale};
}

void canvas_polygon(const canvas *c, const flat *points, size_t count, const char *class_name)
{
    flat at[PLANE_MOST];
    for (size_t i = 0; i < count && i < PLANE_MOST; i++) {
        at[i] = canvas_at(c, points[i]);
    }
    svg_polygon(c->out, at, count < PLANE_MOST ? count : PLANE_MOST, class_name);
}

void canvas_line(const canvas *c, flat from, flat to, const char *class_name)
{
    svg_line(c->out, canvas_at(c, from), canvas_at(c, to), class_name);
}

void canvas_arrow(const canvas *c, flat from, flat to, const char *class_name)
{
    svg_arrow(c->out, canvas_at(c, from), canvas_at(c, to), class_name);
}

void canvas_dot(const canvas *c, flat at, const char *class_name)
{
    svg_dot(c->out, canvas_at(c, at), 4.5, class_name);
}

void canvas_text(const canvas *c, flat at, double dx, double dy, const char *class_name, const char *text)
{
    const flat p = canvas_at(c, at);
    svg_text(c->out, (flat){p.x + dx, p.y + dy}, "middle", class_name, text);
}

void canvas_origin(const canvas *c)
{
    const flat p = canvas_at(c, (flat){0, 0});
    svg_line(c->out, (flat){p.x - 7, p.y}, (flat){p.x + 7, p.y}, "origin");
    svg_line(c->out, (flat){p.x, p.y - 7}, (flat){p.x, p.y + 7}, "origin");
    svg_text(c->out, (flat){p.x - 12, p.y + 16}, "middle", "point", "o");
}

/* ---- the command ---- */

static void draw(const teaching_figure *f, FILE *out)
{
    int lines = 0;
    char source[CLI_TEXT_SIZE];
    while (lines < 3 && f->caption[lines] != NULL) {
        lines++;
    }
    svg_begin(out, TEACHING_WIDTH, TEACHING_TOP + f->height + LINE * (lines + 1) + 26, f->title);
    svg_text(out, (flat){GAP, 32}, "start", "title", f->title);
    f->draw(out);
    const double foot = TEACHING_TOP + f->height + 26;
    for (int i = 0; i < lines; i++) {
        svg_text(out, (flat){GAP, foot + LINE * i}, "start", "", f->caption[i]);
    }
    snprintf(source, sizeof source, "After %s. Drawn by apart %s: apart figure %s", f->source, apart_version(),
             f->name);
    svg_text(out, (flat){GAP, foot + LINE * lines + 4}, "start", "note", source);
    svg_end(out);
}

static int print_list(bool as_json)
{
    json_t *list = as_json ? json_array() : NULL;
    for (size_t i = 0; i < COUNT; i++) {
        const teaching_figure *f = figures[i];
        if (as_json) {
            json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", f->name, "source", f->source, "title",
                                                  f->title));
        } else {
            printf("%-13s %s\n%-13s %s\n", f->name, f->title, "", f->source);
        }
    }
    return as_json ? cli_json_print(json_pack("{s:s, s:o}", "apart", apart_version(), "figures", list), stdout, false)
                   : CLI_YES;
}

static int run(const cli_settings *settings)
{
    const char *names[COUNT + 2] = {"list"}, *wanted = settings->operands[0];
    char suggestion[CLI_TEXT_SIZE];
    if (strcmp(wanted, "list") == 0) {
        return print_list(settings->given[CLI_JSON]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        names[i + 1] = figures[i]->name;
        if (strcmp(wanted, figures[i]->name) == 0) {
            cli_file file;
            int status = cli_file_open(settings->output != NULL ? settings->output : "-", &file);
            if (status == CLI_YES) {
                draw(figures[i], file.stream);
                status = cli_file_close(&file, status);
            }
            return status;
        }
    }
    return cli_error("figure: unknown figure '%s'%s; see 'apart figure list'", wanted,
                     cli_suggestion(wanted, names, suggestion));
}

static const cli_option_id options[] = {CLI_DRAWING, CLI_JSON, CLI_HELP};

const cli_command cli_figure_command = {
    .name = "figure",
    .operands = "NAME",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "the papers' teaching figures, drawn anew",
    .description = "NAME is one of 'apart figure list'. Writes an SVG to standard output, or to FILE. What the\n"
                   "figures show is computed: distances, witness points, simplices, paths over edges.\n",
    .examples = "  apart figure list\n"
                "  apart figure lindemann-5 -o iterations.svg\n",
    .options = options,
    .run = run,
};
