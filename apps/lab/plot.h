/* Figures by gnuplot: data blocks first, then one plot command per panel. Used by the lab and by the program's own
 * figures. */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include <stdbool.h>

#include "text.h"

typedef struct lab_legend {
    char *style; /* "with lines lc rgb '#000000'" */
    char *text;  /* in gnuplot's enhanced words */
} lab_legend;

typedef struct lab_panel {
    char *title, *x, *y, *settings;
    lab_text commands; /* "plot ...", open at its end */
    lab_legend *legends;
    size_t legend_count;
    double low[2], high[2]; /* of the points; above zero where the axis is logarithmic */
} lab_panel;

typedef struct lab_plot {
    char *name, *caption;
    int columns, rows, width, height, series;
    lab_panel *panels;
    size_t panel_count;
    bool collecting;
    lab_text data;
    /* A sheet (sheet.c): title above, legends below it, caption and source at the foot. */
    bool sheet;
    char *title, *source;
    bool legends_by_panel; /* each panel has its own, instead of one for all */
    bool same_y;           /* the panels of a row have the same vertical range, where it is automatic */
    int foot;              /* more room below the panels, for long names under the axis */
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

bool lab_has_gnuplot(void);
/* The whole figure for gnuplot but for terminal and output; to be freed. */
lab_text lab_plot_script(const lab_plot *p);
/* Pixels of the whole figure. */
void lab_plot_size(const lab_plot *p, int *width, int *height);
/* Draws a script to a file, as PNG or SVG. False: gnuplot did not. */
bool lab_plot_draw(const lab_plot *p, const lab_text *script, bool png, const char *path);
/* All but the caption, which a section takes over. */
void lab_plot_free(lab_plot *p);

/* The script of a sheet after its data, and its height (sheet.c). */
void lab_sheet_add(const lab_plot *p, lab_text *script);
int lab_sheet_height(const lab_plot *p);

#endif
