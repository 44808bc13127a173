/* Figures as scripts for gnuplot: data blocks first, then one plot command per panel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"

void lab_plot_begin(lab_plot *p, const char *name, const char *caption, int columns, int rows, int width, int height)
{
    *p = (lab_plot){
        .name = lab_copy(name), .caption = lab_copy(caption), .columns = columns, .rows = rows, .width = width, .height = height};
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
                 "\nunset logscale\nunset label\nset autoscale\nset xrange [*:*] noreverse\nset yrange [*:*]\nset key on top left Left "
                 "reverse\nset mxtics default\nset mytics default\nset format '%%g'\nset xtics autofreq\nset ytics autofreq\nset title "
                 "\"%s\"\nset xlabel \"%s\"\nset ylabel \"%s\"\n%s\n",
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

void lab_plot_label(lab_plot *p, double x, double y, const char *text) { lab_text_add(&p->data, "%.9g %.9g \"%s\"\n", x, y, text); }

void lab_plot_formula(lab_plot *p, const char *formula, const char *legend)
{
    close_data(p);
    lab_text_add(&p->commands, "%s%s with lines lc rgb '#777777' dt 3 lw 1 ", p->open ? ", \\\n     " : "plot ", formula);
    if (legend != NULL) {
        lab_text_add(&p->commands, "title \"%s\"", legend);
    } else {
        lab_text_add(&p->commands, "notitle");
    }
    p->open = true;
}
