/* Figures as scripts for gnuplot: data blocks first, then one plot command per panel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"

void lab_plot_begin(lab_plot *p, const char *name, const char *caption, int columns, int rows, int width, int height)
{
    *p = (lab_plot){.name = lab_copy(name),
                    .caption = lab_copy(caption),
                    .columns = columns,
                    .rows = rows,
                    .width = width,
                    .height = height};
}

static void close_data(lab_plot *p)
{
    if (p->collecting) {
        lab_text_add(&p->data, "EOD\n");
        p->collecting = false;
    }
}

void lab_plot_panel(lab_plot *p, const char *title, const char *x, const char *y, const char *settings)
{
    close_data(p);
    p->panels = lab_grow(p->panels, p->panel_count + 1, sizeof *p->panels);
    p->panels[p->panel_count++] = (lab_panel){.title = lab_copy(title),
                                              .x = lab_copy(x),
                                              .y = lab_copy(y),
                                              .settings = lab_copy(settings),
                                              .low = {INFINITY, INFINITY},
                                              .high = {-INFINITY, -INFINITY}};
}

static lab_panel *last_panel(lab_plot *p) { return &p->panels[p->panel_count - 1]; }

/* One more curve in the command of the last panel. */
static void add_curve(lab_plot *p, const char *what, const char *style, const char *legend)
{
    lab_panel *panel = last_panel(p);
    lab_text_add(&panel->commands, "%s%s %s ", panel->commands.length > 0 ? ", \\\n     " : "plot ", what, style);
    if (legend == NULL) {
        lab_text_add(&panel->commands, "notitle");
        return;
    }
    lab_text_add(&panel->commands, "title \"%s\"", legend);
    const char *with = strstr(style, "with ");
    panel->legends = lab_grow(panel->legends, panel->legend_count + 1, sizeof *panel->legends);
    panel->legends[panel->legend_count++] =
        (lab_legend){.style = lab_copy(with != NULL ? with : style), .text = lab_copy(legend)};
}

void lab_plot_series(lab_plot *p, const char *style, const char *legend)
{
    close_data(p);
    p->series++;
    lab_text_add(&p->data, "$d%d << EOD\n", p->series);
    p->collecting = true;
    char *what = lab_format("$d%d", p->series);
    add_curve(p, what, style, legend);
    free(what);
}

void lab_plot_algorithm(lab_plot *p, lab_algorithm_id id, const char *legend)
{
    const lab_algorithm *a = &lab_algorithms[id];
    char *style = lab_format("using 1:2 with linespoints lc rgb '%s' dt %d pt %d lw 1.6", a->color, a->dash, a->symbol);
    lab_plot_series(p, style, legend);
    free(style);
}

/* What the axes must show. On a logarithmic axis nothing below zero can be shown. */
static void see(lab_plot *p, int axis, double value)
{
    lab_panel *panel = last_panel(p);
    const bool both = strstr(panel->settings, "logscale xy") != NULL;
    const bool logarithmic = both || strstr(panel->settings, axis == 0 ? "logscale x" : "logscale y") != NULL;
    if (isfinite(value) && (value > 0.0 || !logarithmic)) {
        panel->low[axis] = fmin(panel->low[axis], value);
        panel->high[axis] = fmax(panel->high[axis], value);
    }
}

void lab_plot_point(lab_plot *p, double x, double y)
{
    if (isfinite(y)) {
        lab_text_add(&p->data, "%.9g %.9g\n", x, y);
        see(p, 0, x);
        see(p, 1, y);
    }
}

void lab_plot_point3(lab_plot *p, double x, double y, double z)
{
    lab_text_add(&p->data, "%.9g %.9g %.9g\n", x, y, z);
    see(p, 0, x);
    see(p, 1, y);
    see(p, 1, z);
}

void lab_plot_label(lab_plot *p, double x, double y, const char *text)
{
    lab_text_add(&p->data, "%.9g %.9g \"%s\"\n", x, y, text);
}

void lab_plot_formula(lab_plot *p, const char *formula, const char *legend)
{
    close_data(p);
    add_curve(p, formula, "with lines lc rgb '#777777' dt 3 lw 1", legend);
}

/* ---- drawing ---- */

bool lab_has_gnuplot(void) { return system("gnuplot --version > /dev/null 2>&1") == 0; }

static void add_panels(const lab_plot *p, lab_text *script)
{
    lab_text_add(script, "set multiplot layout %d,%d\n", p->rows, p->columns);
    for (size_t i = 0; i < p->panel_count; i++) {
        const lab_panel *panel = &p->panels[i];
        lab_text_add(
            script,
            "\nunset logscale\nunset label\nset autoscale\nset xrange [*:*] noreverse\nset yrange [*:*]\nset "
            "key on top left Left reverse\nset mxtics default\nset mytics default\nset format '%%g'\nset xtics "
            "autofreq\nset ytics autofreq\nset title \"%s\"\nset xlabel \"%s\"\nset ylabel \"%s\"\n%s\n%s\n",
            panel->title, panel->x, panel->y, panel->settings, panel->commands.data);
    }
    lab_text_add(script, "unset multiplot\n");
}

lab_text lab_plot_script(const lab_plot *p)
{
    lab_text script = {NULL, 0, 0};
    lab_text_append(&script, p->data.data, p->data.length);
    lab_text_add(&script, "%s", p->collecting ? "EOD\n" : "");
    lab_text_add(&script,
                 "set encoding utf8\nset border 3 lw 1\nset tics nomirror out\nset grid lt 1 lc rgb '#e8e8e8' lw "
                 "0.7\nset key Left reverse font ',12' samplen 2.5 spacing 1.15\nset style data linespoints\nset "
                 "pointsize 0.7\n");
    if (p->sheet) {
        lab_sheet_add(p, &script);
    } else {
        add_panels(p, &script);
    }
    return script;
}

void lab_plot_size(const lab_plot *p, int *width, int *height)
{
    *width = p->width;
    *height = p->sheet ? lab_sheet_height(p) : p->height;
}

/* gnuplot's exit status says little: did it write something? */
static bool is_filled(const char *path)
{
    FILE *file = fopen(path, "r");
    const bool filled = file != NULL && fgetc(file) != EOF;
    if (file != NULL) {
        fclose(file);
    }
    return filled;
}

/* A name between single quotes as gnuplot reads it: a quote is doubled. */
static void write_quoted(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        fputs(*text == '\'' ? "'" : "", stream);
        fputc(*text, stream);
    }
}

bool lab_plot_draw(const lab_plot *p, const lab_text *script, bool png, const char *path)
{
    int width, height;
    FILE *gnuplot = popen("gnuplot > /dev/null 2>&1", "w");
    if (gnuplot == NULL) {
        return false;
    }
    lab_plot_size(p, &width, &height);
    if (png) {
        /* A point is 4/3 of a pixel there: all sizes are those of the SVG, half as large again. */
        fprintf(gnuplot,
                "set terminal pngcairo size %d,%d enhanced font 'sans,15' fontscale 1.125 linewidth 1.5 pointscale 1.5 "
                "background 'white'\n",
                width * 3 / 2, height * 3 / 2);
    } else {
        fprintf(gnuplot, "set terminal svg size %d,%d enhanced font 'Helvetica,15' background rgb 'white' name '%s'\n",
                width, height, p->name);
    }
    fputs("set output '", gnuplot);
    write_quoted(gnuplot, path);
    fputs("'\n", gnuplot);
    fwrite(script->data, 1, script->length, gnuplot);
    fputs("unset output\n", gnuplot);
    return pclose(gnuplot) == 0 && is_filled(path);
}

static void free_panel(lab_panel *panel)
{
    for (size_t i = 0; i < panel->legend_count; i++) {
        free(panel->legends[i].style);
        free(panel->legends[i].text);
    }
    free(panel->legends);
    free(panel->title);
    free(panel->x);
    free(panel->y);
    free(panel->settings);
    lab_text_free(&panel->commands);
}

void lab_plot_free(lab_plot *p)
{
    for (size_t i = 0; i < p->panel_count; i++) {
        free_panel(&p->panels[i]);
    }
    free(p->panels);
    free(p->name);
    free(p->title);
    free(p->source);
    lab_text_free(&p->data);
}
