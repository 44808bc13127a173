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
    lab_text_add(&p->commands,
                 "\nunset logscale\nunset label\nset autoscale\nset xrange [*:*] noreverse\nset yrange [*:*]\nset key "
                 "on top left Left reverse\nset mxtics default\nset mytics default\nset format '%%g'\nset xtics "
                 "autofreq\nset ytics autofreq\nset title \"%s\"\nset xlabel \"%s\"\nset ylabel \"%s\"\n%s\n",
                 title, x, y, settings);
    p->open = false;
    p->panels++;
}

void lab_plot_series(lab_plot *p, const char *style, const char *legend)
{
    close_data(p);
    p->series++;
    lab_text_add(&p->data, "$d%d << EOD\n", p->series);
    p->collecting = true;
    lab_text_add(&p->commands, "%s$d%d %s ", p->open ? ", \\\n     " : "plot ", p->series, style);
    if (legend != NULL) {
        lab_text_add(&p->commands, "title \"%s\"", legend);
    } else {
        lab_text_add(&p->commands, "notitle");
    }
    p->open = true;
}

void lab_plot_algorithm(lab_plot *p, lab_algorithm_id id, const char *legend)
{
    const lab_algorithm *a = &lab_algorithms[id];
    char *style = lab_format("using 1:2 with linespoints lc rgb '%s' dt %d pt %d lw 1.6", a->color, a->dash, a->symbol);
    lab_plot_series(p, style, legend);
    free(style);
}

void lab_plot_point(lab_plot *p, double x, double y)
{
    if (isfinite(y)) {
        lab_text_add(&p->data, "%.9g %.9g\n", x, y);
    }
}

void lab_plot_point3(lab_plot *p, double x, double y, double z) { lab_text_add(&p->data, "%.9g %.9g %.9g\n", x, y, z); }

void lab_plot_label(lab_plot *p, double x, double y, const char *text)
{
    lab_text_add(&p->data, "%.9g %.9g \"%s\"\n", x, y, text);
}

void lab_plot_formula(lab_plot *p, const char *formula, const char *legend)
{
    close_data(p);
    lab_text_add(&p->commands, "%s%s with lines lc rgb '#777777' dt 3 lw 1 ", p->open ? ", \\\n     " : "plot ",
                 formula);
    if (legend != NULL) {
        lab_text_add(&p->commands, "title \"%s\"", legend);
    } else {
        lab_text_add(&p->commands, "notitle");
    }
    p->open = true;
}

/* ---- drawing ---- */

bool lab_has_gnuplot(void) { return system("gnuplot --version > /dev/null 2>&1") == 0; }

lab_text lab_plot_script(const lab_plot *p)
{
    lab_text script = {NULL, 0, 0};
    lab_text_append(&script, p->data.data, p->data.length);
    lab_text_add(&script, "%s", p->collecting ? "EOD\n" : "");
    lab_text_add(&script,
                 "set encoding utf8\nset border 3 lw 1\nset tics nomirror out\nset grid lt 1 lc rgb '#e8e8e8' lw "
                 "0.7\nset key Left reverse font ',12' samplen 2.5 spacing 1.15\nset style data linespoints\nset "
                 "pointsize 0.7\nset multiplot layout %d,%d\n%s\nunset multiplot\n",
                 p->rows, p->columns, p->commands.data);
    return script;
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
    FILE *gnuplot = popen("gnuplot > /dev/null 2>&1", "w");
    if (gnuplot == NULL) {
        return false;
    }
    if (png) {
        fprintf(gnuplot,
                "set terminal pngcairo size %d,%d enhanced font 'sans,11' fontscale 1.5 linewidth 1.5 pointscale 1.5 "
                "background 'white'\n",
                p->width * 3 / 2, p->height * 3 / 2);
    } else {
        fprintf(gnuplot, "set terminal svg size %d,%d enhanced font 'Helvetica,15' background rgb 'white' name '%s'\n",
                p->width, p->height, p->name);
    }
    fputs("set output '", gnuplot);
    write_quoted(gnuplot, path);
    fputs("'\n", gnuplot);
    fwrite(script->data, 1, script->length, gnuplot);
    fputs("unset output\n", gnuplot);
    return pclose(gnuplot) == 0 && is_filled(path);
}

void lab_plot_free(lab_plot *p)
{
    free(p->name);
    lab_text_free(&p->data);
    lab_text_free(&p->commands);
}
