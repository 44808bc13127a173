/* Figures of the program by gnuplot, which appear under their names when they are complete. */
#ifndef FIGURE_H
#define FIGURE_H

#include <lab/plot.h>

#include "cli.h"

/* Draws and frees the plot; SVG or PNG by the file's ending. */
int figure_write(lab_plot *plot, const char *path);
/* Is the ending one of those? A message otherwise; to be asked before the work is done. */
int figure_check(const char *path);

/* A text for gnuplot's enhanced mode between double quotes, to be freed. */
char *figure_text(const char *text);

#endif
