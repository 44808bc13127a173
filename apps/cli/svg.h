/* A small writer of SVG text: lines, polygons, dots and labels with a white halo, in points of the picture (y runs
 * down). */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stddef.h>
#include <stdio.h>

/* A point in a plane. */
typedef struct flat {
    double x, y;
} flat;

/* Classes are names of the style sheet that svg_begin writes. */
void svg_begin(FILE *out, int width, int height, const char *title);
void svg_end(FILE *out);
/* What is drawn until svg_clip_end stays inside the rectangle; `name` is unique in the picture. */
void svg_clip_begin(FILE *out, const char *name, flat corner, double width, double height);
void svg_clip_end(FILE *out);
void svg_rectangle(FILE *out, flat corner, double width, double height, const char *class_name);
void svg_line(FILE *out, flat from, flat to, const char *class_name);
/* A line with a head at `to`. */
void svg_arrow(FILE *out, flat from, flat to, const char *class_name);
void svg_polyline(FILE *out, const flat *points, size_t count, const char *class_name);
void svg_polygon(FILE *out, const flat *points, size_t count, const char *class_name);
void svg_dot(FILE *out, flat center, double radius, const char *class_name);
/* anchor: "start", "middle" or "end". The text is escaped here. */
void svg_text(FILE *out, flat at, const char *anchor, const char *class_name, const char *text);

#endif
