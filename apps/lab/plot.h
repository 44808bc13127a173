/* Figures by gnuplot: data blocks first, then one plot command per panel. Used by the lab and by the program's own
 * figures. */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include <stdbool.h>

#include "text.h"

typedef struct lab_plot {
    char *name, *caption;
    int columns, rows, width, height, series, panels;
    bool open; /* a plot command has been begun */
    bool collecting;
    lab_text data, commands;
} lab_plot;

void lab_plot_begin(lab_plot *p, const char *name, const char *caption, int columns, int rows, int width, int height);
/* `settings`: lines of gnuplot, e.g. "set logscale xy"; they hold for this panel only. */
void lab_plot_panel(lab_plot *p, const char *title, const char *x, const char *y, const char *settings);
/* A line in a style of gnuplot's. Points follow. legend NULL: none. */
void lab_plot_series(lab_plot *p, const char *style, const char *legend);
void lab_plot_point(lab_plot *p, double x, double y);
/* For styles with three columns. */
void lab_plot_point3(lab_plot *p, double x, double y, double z);
void lab_plot_label(lab_plot *p, double x, double y, const char *text);
/* A formula in gnuplot's words as a thin line. */
void lab_plot_formula(lab_plot *p, const char *formula, const char *legend);

/* Settings of a panel whose legend stands beside it, to the right. */
#define LAB_KEY_OUTSIDE "set key outside right top Left reverse"

bool lab_has_gnuplot(void);
/* The whole figure for gnuplot but for terminal and output; to be freed. */
lab_text lab_plot_script(const lab_plot *p);
/* Draws a script to a file, as PNG or SVG. False: gnuplot did not. */
bool lab_plot_draw(const lab_plot *p, const lab_text *script, bool png, const char *path);
/* All but the caption, which a section takes over. */
void lab_plot_free(lab_plot *p);

#endif
